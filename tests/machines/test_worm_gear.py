"""The worm gear's closed forms against the published test rig, linear algebra and SciPy's integrator.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, chapter 7.
"""

import dataclasses
import importlib
import math

import numpy as np
import pytest
from published.gears import rig
from scipy.integrate import solve_ivp

import stickslip as ss

RIG = rig(875424e-6, stiffness=2.0, friction=0.14, clearance=2e-3)


def slide_by_linear_algebra(gear, torque, sign):
    data = gear.contact_data(torque / gear.shaft_stiffness)
    direction = data.normals[0] - sign * data.friction[0] * data.tangents[0]
    system = np.block([[data.mass, -direction[:, None]], [data.normals[:1], np.zeros((1, 1))]])
    return np.linalg.solve(system, [*data.force, 0.0])


def test_published_critical_inertias_are_reproduced():
    """(7.4): 584978 kg·mm² with ρ rounded to 8.47°; (7.5): 149805 kg·mm²."""
    rounded = dataclasses.replace(RIG, friction=math.tan(np.deg2rad(8.47)) * math.cos(RIG.pressure_angle))
    assert rounded.critical_wheel_inertia * 1e6 == pytest.approx(584978, abs=0.5)
    assert RIG.critical_wheel_inertia * 1e6 == pytest.approx(584547.04, abs=0.01)
    greatest = dataclasses.replace(RIG, friction=0.4)
    assert greatest.critical_wheel_inertia * 1e6 == pytest.approx(149805, abs=0.5)


def test_published_critical_friction_is_reproduced():
    """(7.6): μ > 0.07 for the greatest inertia; 0.0697 unrounded."""
    heaviest = dataclasses.replace(RIG, wheel_inertia=2924804e-6)
    assert heaviest.critical_friction == pytest.approx(0.0697, abs=5e-5)


def test_published_rig_slides_and_chatters_as_printed():
    """ρ = 8.47° at μ = 0.14; set 0 slides, set 1 chatters; 1.07 °/s of the wheel at 26.8 °/s of the worm."""
    assert np.rad2deg(RIG.friction_angle) == pytest.approx(8.47, abs=5e-3)
    assert RIG.chatters and RIG.self_braking and RIG.self_locking
    assert not dataclasses.replace(RIG, wheel_inertia=14343e-6).chatters
    assert not dataclasses.replace(RIG, wheel_inertia=14343e-6, friction=0.4).chatters
    normal = RIG.contact_data(0.0).normals[0]
    assert -normal[1] / normal[0] * 26.8 == pytest.approx(1.07, abs=5e-3)
    assert 7.2 * 9.81 * 0.05 == pytest.approx(RIG.load_torque, abs=5e-3)


def random_gears(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield ss.machines.worm_gear(
            wheel_inertia=10 ** rng.uniform(-2, 1),
            worm_inertia=10 ** rng.uniform(-3, 0),
            wheel_radius=rng.uniform(0.02, 0.2),
            worm_radius=rng.uniform(0.01, 0.1),
            lead_angle=rng.uniform(0.03, 0.6),
            pressure_angle=rng.choice([0.0, rng.uniform(0.1, 0.5)]),
            friction=rng.uniform(0.02, 0.6),
            load_torque=rng.uniform(1.0, 20.0),
            shaft_stiffness=10 ** rng.uniform(0, 3),
            motor_speed=rng.uniform(-10.0, -0.1),
        )


def test_sliding_agrees_with_the_equations_of_motion():
    worst = 0.0
    for gear in random_gears(200, 1):
        for direction, sign in (("lifting", 1), ("lowering", -1)):
            for torque in (-1.0, 0.3, 4.0):
                wheel, worm, normal = slide_by_linear_algebra(gear, torque, sign)
                slide = gear.sliding(torque, direction)
                worst = max(worst, abs(slide.wheel_acceleration - wheel) / max(abs(wheel), 1.0))
                worst = max(worst, abs(slide.worm_acceleration - worm) / max(abs(worm), 1.0))
                worst = max(worst, abs(slide.normal_force - normal) / max(abs(normal), 1.0))
    assert worst < 1e-9


def test_motion_equals_that_of_a_wedge_gear():
    """(2.28) with y1 = r1·φ1 and x2 = −r2·φ2 is the wedge's system, but for cos α_n in the normal force."""
    for gear in random_gears(100, 2):
        wedge = gear.wedge
        twist = -0.1
        torque = gear.shaft_stiffness * twist
        for direction in ("lifting", "lowering"):
            worm, slide = gear.sliding(torque, direction), wedge.sliding(-gear.worm_radius * twist, direction)
            upper, lower = (
                worm.wheel_acceleration * gear.wheel_radius,
                -worm.worm_acceleration * gear.worm_radius,
            )
            assert upper == pytest.approx(slide.upper_acceleration, rel=1e-9)
            assert lower == pytest.approx(slide.lower_acceleration, rel=1e-9)
            flank = worm.normal_force * math.cos(gear.pressure_angle)
            assert flank == pytest.approx(slide.normal_force, rel=1e-8)
        assert gear.chatters == wedge.chatters
        margin = wedge.chatter_margin * gear.worm_radius**2
        assert gear.chatter_margin == pytest.approx(margin, rel=1e-12, abs=1e-15)


def test_measured_friction_recovers_the_friction():
    """(7.2) and its mirror for lowering undo (2.32)."""
    for gear in random_gears(200, 3):
        torques = np.array([0.2, 3.0, 30.0])
        up = [gear.sliding(torque, "lifting").worm_acceleration for torque in torques]
        np.testing.assert_allclose(gear.measured_friction(torques, up), gear.friction, rtol=1e-9)
        down = [gear.sliding(torque, "lowering").worm_acceleration for torque in torques]
        np.testing.assert_allclose(
            gear.measured_friction(torques, down, direction="lowering"), gear.friction, rtol=1e-9
        )


def test_stick_limits_match_closed_form():
    """At the limits the torque balances the load with all friction used: φ̈2 = 0 in (2.32)."""
    for gear in random_gears(100, 4):
        low, high = gear.stick_limits
        scale = gear.load_torque * gear.radius_ratio / gear.worm_inertia
        assert gear.sliding(low, "lowering").worm_acceleration == pytest.approx(0.0, abs=1e-11 * scale)
        assert gear.sliding(high, "lifting").worm_acceleration == pytest.approx(0.0, abs=1e-11 * scale)


def test_opening_limit_matches_linear_algebra():
    for gear in random_gears(50, 5):
        data = gear.contact_data(gear.opening_limit / gear.shaft_stiffness)
        free = np.linalg.solve(data.mass, data.force)
        assert data.normals[0] @ free == pytest.approx(0.0, abs=1e-12 * np.abs(data.normals[0] * free).max())


def test_clearance_geometry_matches_closed_form():
    """The flank travels j·cos γ·cos α_n along its normal for either backlash."""
    data = RIG.contact_data(0.0, gap=0.5e-3)
    normal = data.normals[0]
    assert RIG.normal_clearance == pytest.approx(normal[0] * RIG.wheel_backlash)
    assert RIG.normal_clearance == pytest.approx(-normal[1] * RIG.worm_backlash)
    np.testing.assert_array_equal(data.normals[1], -normal)
    np.testing.assert_array_equal(data.tangents[1], data.tangents[0])
    np.testing.assert_allclose(data.gap, [0.5e-3, RIG.normal_clearance - 0.5e-3])
    assert dataclasses.replace(RIG, clearance=None).contact_data(0.0).normals.shape == (1, 2)


def test_opposite_flank_slides_like_lifting():
    """Sliding on the opposite flank while lowering has the inertia with tan(γ + ρ): never critical."""
    data = RIG.contact_data(-0.5)
    direction = data.normals[1] + data.friction[1] * data.tangents[1]
    system = np.block([[data.mass, -direction[:, None]], [data.normals[1:], np.zeros((1, 1))]])
    _, worm, _ = np.linalg.solve(system, [*data.force, 0.0])
    slope = math.tan(RIG.lead_angle + RIG.friction_angle)
    inertia = RIG.worm_inertia + RIG.wheel_inertia * RIG.radius_ratio**2 * math.tan(RIG.lead_angle) * slope
    expected = (-0.5 * RIG.shaft_stiffness - RIG.load_torque * RIG.radius_ratio * slope) / inertia
    assert worm == pytest.approx(expected, rel=1e-12)


def greatest_gap_by_integration(gear):
    """Greatest gap of the first flight, from the rotational equations of motion with SciPy's DOP853."""
    normal = gear.contact_data(0.0).normals[0]
    start = gear.stick_limits[0] / gear.shaft_stiffness

    def rates(t, y):
        torque = gear.shaft_stiffness * (start + gear.motor_speed * t - y[1])
        return [y[2], y[3], -gear.load_torque / gear.wheel_inertia, torque / gear.worm_inertia]

    def turns(t, y):
        return normal @ y[2:] if t > 1e-6 else 1.0

    turns.terminal, turns.direction = True, -1
    run = solve_ivp(rates, (0.0, 10.0), np.zeros(4), "DOP853", events=turns, rtol=1e-12, atol=1e-15)
    return normal @ run.y_events[0][0][:2]


@pytest.mark.parametrize("stiffness", [0.3, 2.0, 10.0])
def test_greatest_gap_agrees_with_integration(stiffness):
    gear = dataclasses.replace(RIG, shaft_stiffness=stiffness)
    assert gear.first_motion.outcome == "opens at once"
    assert gear.greatest_gap == pytest.approx(greatest_gap_by_integration(gear), rel=1e-8)


def test_opening_grows_with_speed():
    speeds = -np.linspace(0.1, 20.0, 40)
    gaps = [dataclasses.replace(RIG, motor_speed=speed).greatest_gap for speed in speeds]
    assert np.all(np.diff(gaps) > 0.0)


@pytest.mark.parametrize("friction", [0.14, 0.3])
def test_opposite_flank_speed_is_the_boundary(friction):
    gear = dataclasses.replace(RIG, friction=friction)
    critical = gear.opposite_flank_speed
    assert critical > 0.0
    for factor, hits in ((1.0 - 1e-9, False), (1.0 + 1e-9, True)):
        assert dataclasses.replace(gear, motor_speed=-factor * critical).reaches_opposite_flank is hits


def test_soft_shaft_hits_the_opposite_flank_at_any_speed():
    """A soft shaft stores so much that the first flight is wide even at vanishing speed."""
    gear = dataclasses.replace(RIG, friction=0.4, shaft_stiffness=0.3)
    assert gear.opposite_flank_speed == 0.0
    assert dataclasses.replace(gear, motor_speed=-1e-6).reaches_opposite_flank
    assert math.isinf(dataclasses.replace(gear, clearance=None).opposite_flank_speed)


def test_printed_speeds_can_be_met():
    """At 4.5 rpm one flank is hit and at 15 rpm both, for some stiffness of the shaft (it is not printed)."""
    gears = [dataclasses.replace(RIG, friction=0.25, shaft_stiffness=k) for k in np.geomspace(0.1, 10.0, 60)]
    assert any(4.5 < gear.opposite_flank_speed * 30 / np.pi < 15 for gear in gears)


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_machine_is_described_as_the_contact_data(damping, monkeypatch):
    class RecordingMachine:
        def __init__(self, **given):
            self.given, self.contacts = given, []

        def add_contact(self, name, **given):
            self.contacts.append((name, given))

    monkeypatch.setattr(importlib.import_module("stickslip.machines.worm_gear"), "Machine", RecordingMachine)
    gear = dataclasses.replace(RIG, shaft_damping=damping)
    machine = gear.machine
    data = gear.contact_data(-0.4)
    np.testing.assert_array_equal(np.diag(machine.given["mass"]), data.mass)
    np.testing.assert_array_equal(machine.given["damping"], np.diag([0.0, damping]))
    forces = [float(machine.given["force"][name](-0.4 / RIG.motor_speed)) for name in ("wheel", "worm")]
    np.testing.assert_allclose(forces, data.force, rtol=1e-14)
    assert [name for name, _ in machine.contacts] == ["flank", "opposite_flank"]
    for i, (_, contact) in enumerate(machine.contacts):
        assert [contact["normal"][name] for name in ("wheel", "worm")] == list(data.normals[i])
        assert [contact["tangent"][name] for name in ("wheel", "worm")] == list(data.tangents[i])
    assert machine.contacts[0][1]["gap"] == 0.0 and machine.contacts[1][1]["gap"] == RIG.normal_clearance
    assert len(dataclasses.replace(RIG, clearance=None).machine.contacts) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("wheel_inertia", 0.0),
        ("worm_inertia", -1.0),
        ("wheel_radius", float("nan")),
        ("worm_radius", 0.0),
        ("lead_angle", 0.0),
        ("pressure_angle", -0.1),
        ("friction", -1.0),
        ("load_torque", 0.0),
        ("shaft_stiffness", float("inf")),
        ("motor_speed", float("nan")),
        ("shaft_damping", -0.1),
        ("clearance", 0.0),
        ("restitution", -0.1),
        ("static_friction", 0.01),
        ("impact", "hertz"),
    ],
)
def test_bad_input_names_the_argument(name, value):
    with pytest.raises(ValueError, match=name):
        dataclasses.replace(RIG, **{name: value})


def test_stick_limits_lie_at_the_static_level():
    """−M1 (r2/r1) tan(ρ0 − γ) and M1 (r2/r1) tan(ρ0 + γ) with tan ρ0 = μ0/cos α_n, written out."""
    gear = dataclasses.replace(RIG, static_friction=0.2)
    static, ratio = math.atan(0.2 / math.cos(gear.pressure_angle)), gear.worm_radius / gear.wheel_radius
    expected = [
        -gear.load_torque * ratio * math.tan(static - gear.lead_angle),
        gear.load_torque * ratio * math.tan(static + gear.lead_angle),
    ]
    assert gear.stick_limits == pytest.approx(expected, rel=1e-13)


def test_damped_shaft_torque_matches_hand_calculation():
    """M2 = k_φ·θ + d_φ·(ω − φ̇2): 2·(−0.1) + 0.3·(−0.5 + 0.2) Nm."""
    gear = dataclasses.replace(RIG, friction=0.4, shaft_stiffness=2.0, shaft_damping=0.3, motor_speed=-0.5)
    assert gear.contact_data(-0.1, (0.0, -0.2)).force[1] == pytest.approx(-0.29, rel=1e-15)
    assert gear.contact_data(-0.05).force[1] == pytest.approx(-0.25, rel=1e-15)
    run = ss.simulate(gear, t_end=0.1, dt=0.01)  # at rest, until the end
    assert set(run["flank.mode"]) == {ss.Mode.STICK}
    (normal, *_), (tangent, *_) = gear.contact_data(0.0).normals, gear.contact_data(0.0).tangents
    held = normal[1] * run["flank.normal_force"][-1] - tangent[1] * run["flank.force"][-1]
    assert held == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        "first_motion",
        "separation_time",
        "meeting_time",
        "chatter_cycle",
        "greatest_gap",
        "opposite_flank_speed",
    ],
)
def test_motion_of_a_damped_shaft_has_no_closed_form(name):
    gear = dataclasses.replace(RIG, shaft_damping=0.1)
    with pytest.raises(
        ValueError, match="shaft_damping = 0.1 is not allowed: it must be 0 for motions in closed"
    ):
        getattr(gear, name)
    assert gear.stick_limits == RIG.stick_limits and gear.chatters == RIG.chatters


def test_shaft_damping_dissipates_energy():
    """Worm and wheel slide with set 0; what the damper takes is d_φ·∫(ω − φ̇2)²dt."""
    gear = dataclasses.replace(
        RIG, wheel_inertia=14343e-6, friction=0.2, shaft_stiffness=30.0, shaft_damping=0.2
    )
    run = ss.simulate(gear, t_end=0.5, dt=1e-5)
    assert run.energy.residual < 1e-13
    swings = run["worm.velocity"][run.t > 0.4]
    assert swings == pytest.approx(gear.motor_speed, rel=1e-6)
