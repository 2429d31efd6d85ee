"""The wedge gear's closed forms against published numbers, linear algebra and SciPy's integrator.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007.
"""

import dataclasses
import importlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from published.gears import SET_1, SET_2
from scipy.integrate import solve_ivp

import stickslip as ss


def random_gears(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        friction = math.tan(rng.uniform(0.02, 1.45))
        yield ss.machines.wedge_gear(
            upper_mass=10 ** rng.uniform(-1, 3),
            lower_mass=10 ** rng.uniform(-1, 3),
            angle=rng.uniform(0.05, 1.5),
            friction=friction,
            static_friction=friction * rng.choice([1.0, rng.uniform(1.0, 1.5)]),
            load=10 ** rng.uniform(-1, 3),
            stiffness=10 ** rng.uniform(1, 4),
            pull_velocity=10 ** rng.uniform(-3, 0),
        )


def slide_by_linear_algebra(gear, extension, sign):
    """M·q̈ − (w_N − μ·sgn·w_T)·λ_N = h together with w_N·q̈ = 0."""
    data = gear.contact_data(extension)
    direction = data.normals[0] - sign * data.friction[0] * data.tangents[0]
    system = np.block([[data.mass, -direction[:, None]], [data.normals[:1], np.zeros((1, 1))]])
    return np.linalg.solve(system, [*data.force, 0.0])


def test_published_numbers_are_reproduced():
    """Sections 2.4.2 and 2.3.1: 0.873 s, 0.0873 s, 10.878 < 17.963, 0.328 s."""
    assert SET_1.break_away_time == pytest.approx(0.873, abs=5e-4)
    assert SET_2.separation_time == pytest.approx(0.0873, abs=5e-5)
    assert SET_2.critical_lower_mass == pytest.approx(17.963, abs=5e-4)
    assert SET_2.free_period == pytest.approx(0.328, abs=5e-4)
    assert SET_2.chatters and not SET_1.chatters
    assert SET_1.self_locking and SET_1.self_braking


def test_chatter_cycle_matches_independent_program():
    """Separation, first meeting and period of the rigid model of set 2, from an independent program."""
    cycle = SET_2.chatter_cycle
    assert cycle.separation_time == pytest.approx(0.0873019237, abs=1e-10)
    assert cycle.meeting_time == pytest.approx(0.2869748257, abs=1e-10)
    assert cycle.period == pytest.approx(0.3875416479, abs=1e-10)
    assert cycle.stuck == pytest.approx(0.1879, abs=5e-5)
    assert cycle.impact.sticks and cycle.impact.gap_velocity == 0.0


def test_set_1_sticks_for_an_instant():
    """ẋ2 = v0(1 − cos ωt) touches zero every 1.46522 s and contact is never lost."""
    motion = SET_1.first_motion
    assert motion.outcome == "slips"
    assert motion.slip_duration == pytest.approx(1.46522, abs=5e-6)
    assert math.isinf(SET_1.separation_time) and math.isinf(SET_1.meeting_time)
    assert SET_1.chatter_cycle is None and SET_1.first_flight is None


def test_heavier_lower_wedge_opens_after_a_slip():
    """Set 2 with m2 = 20 has δ > 0 and opens 10.25 ms after break-away all the same."""
    gear = dataclasses.replace(SET_2, lower_mass=20.0)
    assert not gear.chatters and gear.chatter_margin > 0.0
    assert gear.first_motion.outcome == "opens after a slip"
    assert gear.first_motion.slip_duration == pytest.approx(10.25e-3, abs=5e-6)


def test_sliding_agrees_with_the_equations_of_motion():
    worst = 0.0
    for gear in random_gears(300, 1):
        for direction, sign in (("lifting", 1), ("lowering", -1)):
            extension = gear.load / gear.stiffness * np.sin(17.0 * gear.upper_mass)
            upper, lower, normal = slide_by_linear_algebra(gear, extension, sign)
            slide = gear.sliding(extension, direction)
            scale = max(abs(upper), abs(lower), 1.0)
            worst = max(worst, abs(slide.upper_acceleration - upper) / scale)
            worst = max(worst, abs(slide.lower_acceleration - lower) / scale)
            worst = max(worst, abs(slide.normal_force - normal) / max(abs(normal), gear.load))
            tangential = gear.contact_data(0.0).tangents[0] @ [upper, lower]
            worst = max(worst, abs(slide.tangential_acceleration - tangential) / scale)
            assert slide.possible == (normal >= 0.0)
    assert worst < 5e-12


def test_sliding_agrees_with_the_printed_formulas():
    """(2.5), (2.11) and (2.15), with K = −k·w and q̈2 to the left when lifting."""
    for gear in random_gears(50, 2):
        m1, m2, angle, rho = gear.upper_mass, gear.lower_mass, gear.angle, gear.friction_angle
        pull = -0.3 * gear.load
        lifting = (pull - gear.load * np.tan(angle + rho)) / (m2 + m1 * np.tan(angle) * np.tan(angle + rho))
        slide = gear.sliding(-pull / gear.stiffness, "lifting")
        assert -slide.lower_acceleration == pytest.approx(lifting, rel=1e-10)
        inertia = m2 + m1 * np.tan(angle) * np.tan(angle - rho)
        lowering = (-pull + gear.load * np.tan(angle - rho)) / inertia
        normal = np.cos(rho) / np.cos(angle - rho) * (gear.load * m2 + pull * m1 * np.tan(angle)) / inertia
        slide = gear.sliding(-pull / gear.stiffness, "lowering")
        assert slide.lower_acceleration == pytest.approx(lowering, rel=1e-9)
        assert slide.normal_force == pytest.approx(normal, rel=1e-9)
        assert slide.inertia == pytest.approx(inertia, rel=1e-9)
        assert gear.chatter_margin == pytest.approx(inertia, rel=1e-9)


def test_sticking_balances_the_forces():
    for gear in random_gears(100, 3):
        data = gear.contact_data(0.2 * gear.load / gear.stiffness)
        stick = gear.sticking(0.2 * gear.load / gear.stiffness)
        held = data.normals[0] * stick.normal_force + data.tangents[0] * stick.tangential_force
        np.testing.assert_allclose(held, -data.force, rtol=0.0, atol=1e-15 * 4 * gear.load)


def test_stick_limits_have_full_utilisation():
    unlimited = 0
    for gear in random_gears(300, 4):
        low, high = gear.stick_limits
        assert gear.sticking(high).utilisation == pytest.approx(1.0, rel=1e-9)
        if math.isinf(low):
            unlimited += 1
            assert gear.angle + gear.break_away_angle >= math.pi / 2
            assert gear.sticking(-1e3 * gear.load / gear.stiffness).utilisation < 1.0
        else:
            assert gear.sticking(low).utilisation == pytest.approx(1.0, rel=1e-9)
            assert gear.angle + gear.break_away_angle < math.pi / 2
        assert (high > 0.0) == gear.self_locking
    assert unlimited > 20


def test_opening_limit_is_where_the_free_wedges_stay_together():
    for gear in random_gears(100, 5):
        data = gear.contact_data(gear.opening_limit)
        assert data.normals[0] @ np.linalg.solve(data.mass, data.force) == pytest.approx(
            0.0, abs=1e-14 * gear.load / gear.upper_mass
        )


def test_critical_values_are_where_the_margin_vanishes():
    checked = 0
    for gear in random_gears(200, 6):
        if gear.self_braking:
            checked += 1
            for change in (
                {"lower_mass": gear.critical_lower_mass},
                {"upper_mass": gear.critical_upper_mass},
                {"friction": gear.critical_friction, "static_friction": None},
            ):
                if all(value is None or math.isfinite(value) for value in change.values()):
                    assert dataclasses.replace(gear, **change).chatter_margin == pytest.approx(
                        0.0, abs=1e-9 * (gear.lower_mass + gear.upper_mass)
                    )
        else:
            assert gear.critical_lower_mass == 0.0 and math.isinf(gear.critical_upper_mass)
            assert not gear.chatters
    assert checked > 50


def test_static_friction_moves_the_limit_of_direct_opening():
    """The limit of stick lies at the static level: δ > 0 with the kinetic coefficient, yet no slip."""
    gear = dataclasses.replace(
        SET_2, lower_mass=19.0, static_friction=math.tan(np.deg2rad(15)), pull_velocity=1e-4
    )
    assert gear.chatter_margin > 0.0 and gear.opens_at_once
    assert gear.first_motion.outcome == "opens at once"
    assert not gear.sliding(gear.stick_limits[1] * (1 + 1e-9), "lowering").possible


def first_motion_by_integration(gear):
    """Outcome and duration of the first slip, from the equations of motion with SciPy's DOP853."""
    motion = gear.first_motion
    sign = 1 if motion.direction == "lifting" else -1

    def normal_force(extension):
        return slide_by_linear_algebra(gear, extension, sign)[2]

    if normal_force(motion.extension * (1.0 + 1e-9)) < 0.0:
        return "opens at once", 0.0

    def rates(t, y):
        return [gear.pull_velocity - y[1], slide_by_linear_algebra(gear, y[0], sign)[1]]

    def opens(t, y):
        return normal_force(y[0])

    def stops(t, y):
        # Not before the slip has developed: it starts at zero velocity. With one level of friction the speed
        # only touches zero again, where the acceleration changes its sign.
        if t < (0.5 if touches else 1e-3) * scale:
            return 1.0
        return sign * rates(t, y)[1] if touches else -sign * y[1]

    touches = gear.break_away_friction == gear.friction and gear.self_locking
    opens.terminal = stops.terminal = True
    opens.direction = stops.direction = -1
    scale = 2.0 * math.pi * math.sqrt(gear.sliding(0.0, motion.direction).inertia / gear.stiffness)
    run = solve_ivp(
        rates,
        (0.0, 2.0 * scale),
        [motion.extension, 0.0],
        "DOP853",
        events=(opens, stops),
        rtol=1e-12,
        atol=1e-15,
    )
    if touches and len(run.t_events[1]):
        assert abs(run.y_events[1][0][1]) < 1e-9 * abs(gear.pull_velocity)
    if len(run.t_events[0]):
        return "opens after a slip", run.t_events[0][0]
    return "slips", run.t_events[1][0]


@pytest.mark.parametrize("factor", [0.02, 0.3, 0.9, 1.1, 3.0])
@pytest.mark.parametrize("ratio", [1.0, 1.2])
def test_first_motion_agrees_with_integration(factor, ratio):
    """δ swept over the margin of separation after a slip, with and without a static level above the
    kinetic.
    """
    lower = SET_2.critical_lower_mass + factor * SET_2.slip_separation_margin
    gear = dataclasses.replace(SET_2, lower_mass=lower, static_friction=ratio * SET_2.friction)
    outcome, duration = first_motion_by_integration(gear)
    assert gear.first_motion.outcome == outcome
    if ratio == 1.0:
        assert outcome == ("opens after a slip" if factor < 1.0 else "slips")
    assert gear.first_motion.slip_duration == pytest.approx(duration, rel=1e-8, abs=1e-15)


def test_first_motion_when_lifting_slips():
    gear = dataclasses.replace(SET_1, pull_velocity=-0.002, static_friction=0.4)
    outcome, duration = first_motion_by_integration(gear)
    assert gear.first_motion.direction == "lifting"
    assert gear.first_motion.outcome == outcome == "slips"
    assert gear.first_motion.slip_duration == pytest.approx(duration, rel=1e-8)
    assert gear.break_away_time == pytest.approx(gear.stick_limits[0] / -0.002)


def test_never_moves():
    assert dataclasses.replace(SET_2, pull_velocity=0.0).first_motion.outcome == "never moves"
    jammed = dataclasses.replace(SET_2, friction=6.0, pull_velocity=-0.1)
    assert math.isinf(jammed.break_away_time) and jammed.first_motion.outcome == "never moves"


def test_not_self_locking_slides_at_once():
    gear = dataclasses.replace(SET_1, friction=0.1)
    assert not gear.self_locking and gear.break_away_time == 0.0
    outcome, duration = first_motion_by_integration(gear)
    assert gear.first_motion.outcome == outcome
    assert gear.first_motion.slip_duration == pytest.approx(duration, rel=1e-8)


@pytest.mark.parametrize("lower_mass", [1.0, 10.878, 17.0, 20.0, 25.0])
def test_meeting_time_agrees_with_integration(lower_mass):
    gear = dataclasses.replace(SET_2, lower_mass=lower_mass)
    flight = gear.first_flight

    def rates(t, y):
        spring = gear.stiffness * (flight.extension + gear.pull_velocity * t - y[1])
        return [y[2], y[3], -gear.load / gear.upper_mass, spring / gear.lower_mass]

    def gap(t, y):
        return y[0] * math.cos(gear.angle) + y[1] * math.sin(gear.angle) if t > 1e-4 else 1.0

    gap.terminal, gap.direction = True, -1
    start = [0.0, 0.0, flight.upper_velocity, flight.lower_velocity]
    run = solve_ivp(rates, (0.0, 5.0), start, "DOP853", events=gap, rtol=1e-13, atol=1e-16)
    assert flight.meeting_time() == pytest.approx(run.t_events[0][0], rel=1e-9)
    np.testing.assert_allclose(flight.velocities(run.t[-1]), run.y[2:, -1], rtol=1e-9)
    time, greatest = flight.greatest_gap()
    assert 0.0 < time < flight.meeting_time()
    assert greatest == pytest.approx(
        max(flight.gap(t) for t in np.linspace(0, flight.meeting_time(), 2001)), rel=1e-5
    )


def test_impact_balances_momentum_and_energy():
    """Λ_C from M(q̇_C − q̇_A) = w_N·Λ_N + w_T·Λ_T with q̇_C = 0; the source's (6.9) has the masses
    exchanged.
    """
    rng = np.random.default_rng(7)
    for gear in random_gears(200, 8):
        gear = dataclasses.replace(gear, restitution=rng.uniform())
        alpha, speed = rng.uniform(-1.5, 1.5), rng.uniform(0.1, 3.0)
        data = gear.contact_data(0.0)
        frame = np.vstack([data.normals, data.tangents])
        before = np.linalg.solve(frame, [-speed * np.cos(alpha), -speed * np.sin(alpha)])
        impulses = np.linalg.solve(frame.T, -data.mass @ before)
        hit = gear.stick_impact(alpha, speed)
        np.testing.assert_allclose(
            [hit.normal_impulse, hit.tangential_impulse],
            impulses,
            rtol=0,
            atol=1e-13 * np.abs(impulses).max(),
        )
        assert hit.sticks == (abs(impulses[1]) <= gear.friction * impulses[0])
        expansion = [hit.normal_impulse_expansion, hit.tangential_impulse_expansion]
        after = np.linalg.solve(data.mass, frame.T @ expansion)
        np.testing.assert_allclose(frame @ after, [hit.gap_velocity, 0.0], atol=1e-13 * speed * 4)
        assert hit.normal_impulse_expansion == pytest.approx(gear.restitution * hit.normal_impulse, rel=1e-12)
        energy = 0.5 * before @ data.mass @ before - 0.5 * after @ data.mass @ after
        assert hit.energy_lost == pytest.approx(energy, rel=1e-10, abs=1e-12 * before @ data.mass @ before)


def test_impact_matches_formula_for_separation():
    """ġ_NE = εv[cos α + sin α·sc(m1 − m2)/(m1c² + m2s²)] of (6.18)."""
    gear = dataclasses.replace(SET_2, restitution=0.4)
    s, c, m1, m2 = math.sin(gear.angle), math.cos(gear.angle), gear.upper_mass, gear.lower_mass
    for alpha in np.linspace(-0.78, 1.57, 20):
        expected = 0.4 * 2.0 * (np.cos(alpha) + np.sin(alpha) * s * c * (m1 - m2) / (m1 * c * c + m2 * s * s))
        hit = gear.stick_impact(alpha, 2.0)
        assert hit.sticks and hit.expansion_sticks
        assert hit.gap_velocity == pytest.approx(expected, rel=1e-13)


def test_steep_impact_slips():
    """γ = 50°, ρ = 60°, m2/m1 = 0.05, α = −44°: compression does not end in stick although the gear
    chatters.
    """
    gear = dataclasses.replace(
        SET_2, angle=np.deg2rad(50), friction=np.tan(np.deg2rad(60)), lower_mass=0.05 * SET_2.upper_mass
    )
    assert gear.chatters and not gear.stick_impact(np.deg2rad(-44)).sticks


def test_newton_impact_reverses_the_gap_velocity():
    hit = dataclasses.replace(SET_2, restitution=0.5, impact="newton").stick_impact(0.3, 2.0)
    assert hit.gap_velocity == pytest.approx(0.5 * 2.0 * math.cos(0.3))


REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "wedge.json").read_text(encoding="utf-8"))


def test_gear_agrees_with_independent_program():
    """Chatter, slip before opening, sticks of zero length and with static > kinetic, against stored
    results.
    """
    cycle = SET_2.chatter_cycle
    found = [cycle.separation_time, cycle.meeting_time, cycle.period]
    np.testing.assert_allclose(found, REFERENCE["chatter"], rtol=1e-14)
    heavy = dataclasses.replace(SET_2, lower_mass=20.0)
    found = [heavy.break_away_time, heavy.separation_time, heavy.meeting_time]
    np.testing.assert_allclose(found, [event[0] for event in REFERENCE["m2_20"][:3]], rtol=1e-13)
    static = dataclasses.replace(SET_1, static_friction=math.tan(np.deg2rad(15)))
    ends = static.break_away_time + static.first_motion.slip_duration
    found = [static.break_away_time, ends]
    np.testing.assert_allclose(found, [event[0] for event in REFERENCE["set_1_static"][:2]], rtol=1e-13)


def test_gear_with_restitution_agrees_with_independent_program():
    """The first impact with ε = 0.3: time, velocities before and after, impulses of both phases."""
    gear = dataclasses.replace(SET_2, restitution=0.3)
    stored = REFERENCE["restitution_0.3"]
    time, _, _, *after = stored["impacts"][0]
    assert gear.meeting_time == pytest.approx(time, rel=1e-14)
    flight = gear.first_flight
    upper, lower = flight.velocities(time - gear.separation_time)
    frame = np.vstack([gear.contact_data(0.0).normals, gear.contact_data(0.0).tangents])
    normal, tangential = frame @ [upper, lower]
    hit = gear.stick_impact(math.atan2(-tangential, -normal), math.hypot(normal, tangential))
    impulses = [
        hit.normal_impulse,
        hit.tangential_impulse,
        hit.normal_impulse_expansion,
        hit.tangential_impulse_expansion,
    ]
    np.testing.assert_allclose(impulses, stored["impulses"][0], rtol=1e-11)
    np.testing.assert_allclose(frame.T @ [hit.gap_velocity, 0.0], after, rtol=1e-11)


def test_contact_data_match_the_gradients():
    data = SET_2.contact_data(1e-3, velocity=(-0.1, 0.2), gap=0.5)
    assert data.normals.shape == data.tangents.shape == (1, 2)
    np.testing.assert_array_equal(data.mass, np.diag([2420.0, 10.878]))
    np.testing.assert_array_equal(data.force, [-100.0, 4.0])
    angle = SET_2.angle
    assert data.gap_velocity[0] == pytest.approx(-0.1 * np.cos(angle) + 0.2 * np.sin(angle))
    assert data.sliding_velocity[0] == pytest.approx(-0.1 * np.sin(angle) - 0.2 * np.cos(angle))
    assert data.static_friction == data.friction == SET_2.friction


def test_contact_transitions_agree_about_stick_and_sliding():
    """The engine's transitions from the plain arrays give the closed forms of (2.1)–(2.20) and (4.25)."""
    for gear in random_gears(60, 9):
        low, high = gear.stick_limits
        low = max(low, -3.0 * gear.load / gear.stiffness)
        for part in (0.1, 0.5, 0.9):
            extension = low + part * (high - low)
            held = gear.sticking(extension)
            found = {
                answer.contacts[0]: answer for answer in gear.contact_data(extension).contacts().transitions()
            }
            assert found["stick"].normal_force[0] == pytest.approx(held.normal_force, rel=1e-9)
            assert found["stick"].friction_force[0] == pytest.approx(-held.tangential_force, rel=1e-9)
        for direction, sign in (("lifting", 1.0), ("lowering", -1.0)):
            velocity = sign * np.array([np.sin(gear.angle), -np.cos(gear.angle)])
            slide = gear.sliding(0.0, direction)
            found = gear.contact_data(0.0, velocity).contacts().transitions()
            slides = [answer for answer in found if answer.contacts[0] == f"slip{'+' if sign > 0 else '-'}"]
            assert bool(slides) == slide.possible
            for answer in slides:
                expected = [slide.upper_acceleration, slide.lower_acceleration]
                np.testing.assert_allclose(answer.acceleration, expected, rtol=1e-8)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_contact_impacts_agree_with_the_gear(restitution):
    """Λ_NC, Λ_TC and ġ_NE of section 6 from the engine's Poisson impact."""
    gear = dataclasses.replace(SET_2, restitution=restitution)
    frame = np.vstack([gear.contact_data(0.0).normals, gear.contact_data(0.0).tangents])
    for alpha in np.linspace(-math.pi / 4, math.pi / 2 - 1e-3, 40):
        expected = gear.stick_impact(alpha, 0.7)
        velocity = np.linalg.solve(frame, [-0.7 * math.cos(alpha), -0.7 * math.sin(alpha)])
        (hit,) = gear.contact_data(0.0, velocity).impact()
        assert hit.compression == ("stick",)
        assert hit.compression_normal_impulse[0] == pytest.approx(expected.normal_impulse, rel=1e-12)
        assert -hit.compression_friction_impulse[0] == pytest.approx(expected.tangential_impulse, rel=1e-9)
        assert hit.normal_velocity[0] == pytest.approx(expected.gap_velocity, rel=1e-12, abs=1e-15)
        assert hit.tangent_velocity[0] == pytest.approx(0.0, abs=1e-13)
        assert hit.loss == pytest.approx(expected.energy_lost, rel=1e-9, abs=3e-11)  # of 593 J


class RecordingMachine:
    """Stands where `ss.Machine` is named, and notes what it is given."""

    def __init__(self, **given):
        self.given, self.contacts = given, []

    def add_contact(self, name, **given):
        self.contacts.append((name, given))


def test_machine_is_described_as_the_contact_data(monkeypatch):
    monkeypatch.setattr(importlib.import_module("stickslip.machines.wedge_gear"), "Machine", RecordingMachine)
    machine = dataclasses.replace(SET_2, restitution=0.2).machine
    data = SET_2.contact_data(0.3)
    np.testing.assert_array_equal(np.diag(machine.given["mass"]), data.mass)
    assert machine.given["names"] == ["upper", "lower"]
    np.testing.assert_array_equal(machine.given["stiffness"], [[0.0, 0.0], [0.0, SET_2.stiffness]])
    time = 0.3 / SET_2.pull_velocity
    forces = [float(machine.given["force"][name](time)) for name in ("upper", "lower")]
    np.testing.assert_allclose(forces, data.force, rtol=1e-14)
    ((name, contact),) = machine.contacts
    assert name == "flank" and contact["gap"] == 0.0 and contact["restitution"] == 0.2
    assert contact["impact"] == "poisson"
    assert [contact["normal"]["upper"], contact["normal"]["lower"]] == list(data.normals[0])
    assert [contact["tangent"]["upper"], contact["tangent"]["lower"]] == list(data.tangents[0])


def test_gears_are_values():
    assert SET_2 == dataclasses.replace(SET_2)
    assert hash(SET_2) == hash(dataclasses.replace(SET_2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        SET_2.load = 1.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("upper_mass", -1.0),
        ("lower_mass", 0.0),
        ("angle", 0.0),
        ("angle", 2.0),
        ("friction", -0.1),
        ("load", float("nan")),
        ("stiffness", float("inf")),
        ("pull_velocity", float("nan")),
        ("restitution", 1.5),
        ("static_friction", 0.1),
        ("impact", "moreau"),
        ("upper_mass", "heavy"),
    ],
)
def test_bad_input_names_the_argument(name, value):
    with pytest.raises(ValueError, match=name):
        dataclasses.replace(SET_2, **{name: value})


def test_bad_states_name_the_argument():
    with pytest.raises(ValueError, match="extension"):
        SET_2.sliding(float("nan"), "lowering")
    with pytest.raises(ValueError, match="direction"):
        SET_2.sliding(0.0, "sideways")
    with pytest.raises(ValueError, match="direction"):
        SET_2.stick_impact(2.0)
    with pytest.raises(ValueError, match="velocity"):
        SET_2.contact_data(0.0, velocity=(1.0, 2.0, 3.0))


@pytest.mark.parametrize("masses", [(2420.0, 10.0), (10.0, 2420.0), (10.0, 12.0)])
def test_expansion_sticks_inside_the_cone_on_either_side(masses):
    """ġ_T stays 0 through the expansion if the row of M⁻¹'s inverse in flank coordinates, (nt, nn), lies in the
    cone: |nt| ≤ μ nn, whichever wedge is the heavier one."""
    for friction in (0.1, 0.3, 5.0):
        gear = ss.machines.wedge_gear(
            upper_mass=masses[0], lower_mass=masses[1], angle=0.6, friction=friction, load=1.0, stiffness=1.0,
            pull_velocity=0.1, restitution=0.5,
        )  # fmt: skip
        data = gear.contact_data(0.0)
        W = np.vstack([data.normals, data.tangents])
        nn, nt = np.linalg.inv(W @ np.linalg.inv(data.mass) @ W.T)[0]
        assert gear.stick_impact(0.2).expansion_sticks == (abs(nt) <= friction * nn)
