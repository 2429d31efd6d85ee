"""Gears with elastic flanks: a program of its own, the wedge gear in a worm gear, the rigid limit, and refusals.

Source of the law: Kelvin–Voigt clipped at zero (Flores and Lankarani 2016, 2.3); of the gears: Hinrichsen 2007, 2 and 7.
"""

import dataclasses
import math

import numpy as np
import pytest
from published.gears import SET_2, rig
from scipy.integrate import solve_ivp

import stickslip as ss

TEETH = ss.KelvinVoigt(stiffness=5e6, damping=5.5e3)
RPM = math.pi / 30.0
RIG = dataclasses.replace(
    rig(875424e-6, stiffness=33.31, friction=0.2, clearance=2e-3), shaft_damping=0.165, compliance=TEETH
)


def changes_by_integration(gear: ss.machines.WormGear, end: float) -> list[tuple[float, str, str]]:
    """Times of all changes of mode on the driving flank, from the equations of motion with SciPy's DOP853.

    M·q̈ = h + w_N·λ_N + w_T·λ_T with λ_N = max(0, k·δ + d·δ̇), δ = -g_N > 0; in slip λ_T = -μ·λ_N·sgn ġ_T, in stick λ_T
    from g̈_T = 0.
    """
    law, mu = gear.compliance, gear.friction
    sine, cosine = math.sin(gear.lead_angle), math.cos(gear.lead_angle)
    normal = math.cos(gear.pressure_angle) * np.array([gear.wheel_radius * cosine, -gear.worm_radius * sine])
    tangent = np.array([gear.wheel_radius * sine, gear.worm_radius * cosine])
    inertia = np.array([gear.wheel_inertia, gear.worm_inertia])
    k, d = law.stiffness, law.damping

    def torques(t, y):
        shaft = gear.shaft_stiffness * (gear.motor_speed * t - y[1])
        return np.array([-gear.load_torque, shaft + gear.shaft_damping * (gear.motor_speed - y[3])])

    def push(y):
        return -k * (normal @ y[:2]) - d * (normal @ y[2:])

    def hold(t, y):
        free = (torques(t, y) + normal * push(y)) / inertia
        return -(tangent @ free) / (tangent @ (tangent / inertia))

    def rates(t, y, mode):
        forces = torques(t, y)
        if mode != "open":
            along = hold(t, y) if mode == "stick" else -mu * push(y) * (1.0 if mode == "slip+" else -1.0)
            forces = forces + normal * push(y) + tangent * along
        return [*y[2:], *(forces / inertia)]

    t, y, mode, found = 0.0, np.zeros(4), "slip-", []
    while t < end:
        guards = {
            "open": [lambda t, y, mode: normal @ y[:2]],
            "stick": [lambda t, y, mode: mu * push(y) - abs(hold(t, y)), lambda t, y, mode: push(y)],
        }.get(mode, [lambda t, y, mode: push(y), lambda t, y, mode: abs(tangent @ y[2:])])
        if mode.startswith("slip"):
            side = 1.0 if mode == "slip+" else -1.0
            guards[1] = lambda t, y, mode, side=side: side * (tangent @ y[2:])
        for guard in guards:
            guard.terminal, guard.direction = True, -1
        # The force of a flank that has just touched starts at zero: step off its own guard.
        run = solve_ivp(rates, (t, end), y, "DOP853", args=(mode,), events=guards, rtol=1e-12, atol=1e-15)
        if run.status == 0:
            return found
        first = next(i for i, times in enumerate(run.t_events) if times.size)
        t, y = float(run.t_events[first][0]), run.y_events[first][0]
        before = mode
        if mode == "open":
            mode = "slip+" if tangent @ y[2:] > 0.0 else "slip-"
        elif mode == "stick":
            mode = "open" if first == 1 else ("slip-" if hold(t, y) > 0.0 else "slip+")
        elif first == 0:
            mode = "open"
        else:
            mode = "stick" if abs(hold(t, y)) <= mu * push(y) else ("slip+" if mode == "slip-" else "slip-")
            if mode == "stick":
                y[2:] -= (tangent / inertia) * (tangent @ y[2:]) / (tangent @ (tangent / inertia))
        found.append((t, before, mode))
    return found


def test_worm_gear_follows_its_equations_of_motion() -> None:
    """All changes of mode of 0.5 s, 22 of them, at 4.5 rpm."""
    expected = changes_by_integration(RIG, 0.5)
    events = ss.simulate(RIG, t_end=0.5, rtol=1e-11).events
    found = [(float(e.time), str(e.before), str(e.after)) for e in events]
    assert [one[1:] for one in found] == [one[1:] for one in expected]
    assert len(found) > 15
    assert [one[0] for one in found] == pytest.approx([one[0] for one in expected], abs=2e-9)


def test_opposite_flank_hits_agree_with_independent_program() -> None:
    """1.49302 s at 15 rpm with d = 5e3 N s/m, by time stepping."""
    gear = dataclasses.replace(RIG, motor_speed=-15.0 * RPM, compliance=ss.KelvinVoigt(5e6, 5e3))
    hits = ss.simulate(gear, t_end=2.0).events.of("opposite_flank")
    assert hits.time[0] == pytest.approx(1.49302, abs=2e-5)


@pytest.mark.parametrize("law", [TEETH, ss.HuntCrossley(stiffness=2e8, damping=0.5, exponent=1.5)])
def test_worm_gear_moves_like_its_wedge_gear(law: ss.KelvinVoigt | ss.HuntCrossley) -> None:
    """y1 = r1·φ1, x2 = −r2·φ2, normal forces differ by cos α_n, depths by its inverse."""
    gear = dataclasses.replace(RIG, compliance=law, shaft_damping=0.0, clearance=None)
    options = {"t_end": 0.1, "dt": 1e-3, "rtol": 1e-11}
    worm, wedge = ss.simulate(gear, **options), ss.simulate(gear.wedge, **options)
    # A wedge gear's own guards and scales are in metres: the steps differ, the motion does not.
    np.testing.assert_allclose(
        gear.wheel_radius * worm["wheel.position"], wedge["upper.position"], atol=1e-12
    )
    np.testing.assert_allclose(-gear.worm_radius * worm["worm.position"], wedge["lower.position"], atol=1e-12)
    cosine = math.cos(gear.pressure_angle)
    np.testing.assert_allclose(worm["flank.gap"], cosine * wedge["flank.gap"], atol=1e-12)
    force = worm["flank.normal_force"] * cosine
    np.testing.assert_allclose(force, wedge["flank.normal_force"], atol=2e-5 * force.max())


def test_stiff_flank_opens_when_the_rigid_one_does() -> None:
    """0.0873 s (*chatter* 2.4.2); a flank that has been compressed opens later, the less so the stiffer it is."""
    late = []
    for stiffness in (1e11, 1e14):
        damping = 2.0 * math.sqrt(stiffness * SET_2.lower_mass)
        gear = dataclasses.replace(SET_2, compliance=ss.KelvinVoigt(stiffness, damping))
        events = ss.simulate(gear, t_end=0.12).events
        opens = [float(e.time) for e in events if str(e.after) == "open" and e.time > 0.05]
        late.append(opens[0] - SET_2.separation_time)
    assert 0.0 < late[1] < 6e-5
    assert 5e-4 < late[0] < 1.1e-3


def test_elastic_flank_at_rest_balances_the_load() -> None:
    """(4.25): λ_N = F·cos γ − k·w·sin γ, which compresses by λ_N/k_N."""
    gear = dataclasses.replace(SET_2, pull_velocity=0.0, compliance=ss.KelvinVoigt(1e6, 2e5))
    run = ss.simulate(gear, t_end=30.0, dt=1.0)
    extension = -float(run["lower.position"][-1])
    normal = gear.sticking(extension).normal_force
    assert run["flank.normal_force"][-1] == pytest.approx(normal, rel=1e-6)
    assert run["flank.gap"][-1] == pytest.approx(-normal / 1e6, rel=1e-6)


@pytest.mark.parametrize(
    "closed_form",
    [
        lambda gear: gear.first_motion,
        lambda gear: gear.separation_time,
        lambda gear: gear.meeting_time,
        lambda gear: gear.chatter_cycle,
        lambda gear: gear.contact_data(0.0),
    ],
)
def test_closed_forms_of_rigid_flanks_are_refused(closed_form) -> None:
    for gear in (SET_2, dataclasses.replace(RIG, shaft_damping=0.0)):
        elastic = dataclasses.replace(gear, compliance=TEETH)
        with pytest.raises(ValueError, match=r"compliance = KelvinVoigt.*must be None for closed forms"):
            closed_form(elastic)
    with pytest.raises(ValueError, match="compliance"):
        dataclasses.replace(SET_2, compliance=TEETH).stick_impact(0.1)


def test_elastic_flank_has_no_restitution() -> None:
    with pytest.raises(ValueError, match="restitution = 0.3 is not allowed: it must be 0 with a compliance"):
        dataclasses.replace(SET_2, compliance=TEETH, restitution=0.3)
    with pytest.raises(ValueError, match="compliance = 5000000.0 is not allowed"):
        dataclasses.replace(SET_2, compliance=5e6)


def test_drawing_names_the_elasticity() -> None:
    pytest.importorskip("matplotlib")
    for law, written in ((TEETH, "k_N"), (ss.HuntCrossley(1e8, 0.5), "c_N")):
        texts = " ".join(t.get_text() for t in dataclasses.replace(RIG, compliance=law).draw().texts)
        assert written in texts and "varepsilon" not in texts


def test_drawing_of_the_machine_names_the_elasticity() -> None:
    """The audit does not check a law of impact, which an elastic contact does not have, nor that the gap is ≥ 0."""
    pytest.importorskip("matplotlib")
    texts = " ".join(t.get_text() for t in RIG.draw(what="diagram").texts)
    assert "KelvinVoigt, k = 5e6, d = 5500" in texts and "Poisson" not in texts and "≥ 0" not in texts
