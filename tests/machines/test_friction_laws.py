"""Gears with friction over the sliding speed, and worm gears with bearings: closed forms and independent integration.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, 2.1, (3.46), 7.2.
"""

import dataclasses
import math

import numpy as np
import pytest
from published.gears import SET_1, SET_2
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss

SLOPE = math.tan(SET_1.angle)
FALLING = ss.Stribeck(static=0.32, kinetic=0.18, stribeck_velocity=0.02, shape=1.0)  # (3.46)
WORM = ss.machines.worm_gear(
    wheel_inertia=0.014343, worm_inertia=1.56e-3, wheel_radius=0.05, worm_radius=0.036, lead_angle=math.radians(3.18),
    friction=FALLING, load_torque=3.53, shaft_stiffness=20.0, motor_speed=2.0, shaft_damping=0.02,
)  # fmt: skip


def wedge(friction, gear=SET_1, **changes):
    return dataclasses.replace(gear, friction=friction, **changes)


def sliding_by_linear_algebra(data, mu, sign, extra):
    """M q'' = h + extra + (w_N − sgn·μ·w_T) λ_N with w_N q'' = 0: accelerations and λ_N."""
    direction = data.normals[0] - sign * mu * data.tangents[0]
    system = np.block([[data.mass, -direction[:, None]], [data.normals[:1], np.zeros((1, 1))]])
    return np.linalg.solve(system, [*(data.force + extra), 0.0])


# -- self-locking and self-braking over the speed ------------------------------------------------------


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
def test_self_braking_speed_matches_closed_form(shape):
    """(μ0 − μg)·exp(−(v/a)^n) = tan γ − μg."""
    gear = wedge(ss.Stribeck(static=0.32, kinetic=0.18, stribeck_velocity=0.02, shape=shape))
    limit = 0.02 * math.log(0.14 / (SLOPE - 0.18)) ** (1.0 / shape)
    assert gear.self_locking and not gear.self_braking
    assert gear.self_braking_speeds == ((0.0, pytest.approx(limit, rel=1e-15)),)
    assert gear.is_self_braking(0.0, 0.999 * limit) and not gear.is_self_braking(0.0, 1.001 * limit)
    assert gear.coefficient(0.01) == pytest.approx(0.18 + 0.14 * math.exp(-(0.5**shape)), rel=1e-15)


def test_viscous_friction_brakes_again_at_high_speed():
    gear = wedge(FALLING + ss.Viscous(0.1))
    (start, low), (high, end) = gear.self_braking_speeds

    def excess(v):
        return 0.18 + 0.14 * math.exp(-v / 0.02) + 0.1 * v - SLOPE

    assert (start, end) == (0.0, math.inf)
    assert (low, high) == pytest.approx((brentq(excess, 0.01, 0.1), brentq(excess, 0.1, 10.0)), rel=1e-11)


def test_a_curve_that_is_not_self_locking_but_self_braking():
    """Figure 2.2: a hump of straight lines above tan γ between two speeds."""
    law = ss.Table([0.0, 0.1, 0.3], [0.15, 0.25, 0.05], odd=True)
    gear = wedge(law)
    assert not gear.self_locking and not gear.self_braking and not gear.chatters
    low, high = 0.1 * (SLOPE - 0.15) / 0.1, 0.1 + 0.2 * (0.25 - SLOPE) / 0.2
    assert gear.self_braking_speeds == (pytest.approx((low, high), rel=1e-14),)


def test_a_dip_between_two_samples_is_found():
    """A valley that reaches below tan γ over a hundred-thousandth of the speed only."""
    at, width = 0.0313, 1e-5
    law = ss.Curve(
        lambda v: math.copysign(SLOPE + 0.01 * min(math.log(abs(v) / at) ** 2 - width**2, 10.0), v),
        static=1.0,
    )
    (_, low), (high, _) = wedge(law).self_braking_speeds
    assert (low, high) == pytest.approx((at * math.exp(-width), at * math.exp(width)), rel=1e-9)


def test_self_braking_can_hold_at_all_or_no_speeds():
    assert wedge(ss.Stribeck(static=0.4, kinetic=0.25, stribeck_velocity=0.1)).self_braking
    assert wedge(ss.Coulomb(0.1)).self_braking_speeds == ()
    assert SET_1.self_braking_speeds == ((0.0, math.inf),)
    tanh = wedge(ss.Tanh(kinetic=0.3, width=1e-3))  # creeps: no stiction
    assert not tanh.self_locking
    assert tanh.self_braking_speeds == ((pytest.approx(1e-3 * math.atanh(SLOPE / 0.3), rel=1e-14), math.inf),)


def test_worm_gear_and_wedge_have_equal_self_braking_speeds():
    """μ(v) = tan γ·cos α_n."""
    slope = math.tan(WORM.lead_angle) * math.cos(WORM.pressure_angle)
    law = ss.Stribeck(static=0.1, kinetic=0.03, stribeck_velocity=0.05, shape=1.0)
    limit = 0.05 * math.log(0.07 / (slope - 0.03))
    gear = dataclasses.replace(WORM, friction=law)
    assert gear.self_braking_speeds == ((0.0, pytest.approx(limit, rel=1e-14)),)
    assert gear.is_self_braking(0.0, 0.01) and not gear.self_braking


@pytest.mark.parametrize("law", [FALLING, FALLING + ss.Viscous(0.1, 2.0), ss.Table([0.0, 1.0], [0.4, 0.2], odd=True),
                                 ss.Tanh(kinetic=0.3, width=1e-3, viscous=0.1), ss.Curve(np.sign, static=2.0),
                                 ss.StickSlip(FALLING, memory=ss.DeadTime(0.01))])  # fmt: skip
def test_wedge_of_a_worm_gear_has_the_scaled_law(law):
    gear = dataclasses.replace(WORM, friction=law)
    v, cosine = np.geomspace(1e-4, 1.0, 9), math.cos(WORM.pressure_angle)
    assert gear.wedge.coefficient(v) * cosine == pytest.approx(gear.coefficient(v), rel=1e-14)
    assert gear.wedge.break_away_friction * cosine == pytest.approx(gear.break_away_friction, rel=1e-14)
    assert gear.wedge.impulse_friction * cosine == pytest.approx(gear.impulse_friction, rel=1e-14)


# -- a number and its law are the same -----------------------------------------------------------------


@pytest.mark.parametrize("gear", [SET_1, SET_2, dataclasses.replace(WORM, friction=0.2, clearance=2e-3)])
def test_a_law_with_two_levels_is_two_numbers(gear):
    mu = gear.friction
    numbers = dataclasses.replace(gear, static_friction=1.1 * mu)
    law = dataclasses.replace(gear, friction=ss.Coulomb(static=1.1 * mu, kinetic=mu))
    assert law.machine == numbers.machine
    for name in (
        "chatters",
        "chatter_margin",
        "self_locking",
        "self_braking",
        "stick_limits",
        "kinetic_friction",
    ):
        assert getattr(law, name) == pytest.approx(getattr(numbers, name), rel=1e-14)
    assert law.self_braking_speeds == ((0.0, math.inf),) == numbers.self_braking_speeds
    if not gear.machine.names[0] == "wheel":
        assert law.first_motion == numbers.first_motion


def test_chatter_from_rest_uses_friction_of_slow_sliding():
    """μ(0+) = μ0 in (2.23): straight to separation, just when the closed form says; the speeds of chatter by (2.23)."""
    gear = wedge(FALLING, SET_2)
    run = ss.simulate(gear, 0.3)
    first = run.events[0]
    assert gear.chatters and gear.first_motion.outcome == "opens at once"
    assert (str(first.before), str(first.after)) == ("stick", "open")
    assert first.time == pytest.approx(gear.separation_time, rel=1e-12)
    angle = gear.angle + math.atan(gear.lower_mass / (gear.upper_mass * math.tan(gear.angle)))
    limit = 0.02 * math.log(0.14 / (math.tan(angle) - 0.18))
    assert gear.chatter_speeds == ((0.0, pytest.approx(limit, rel=1e-13)),)
    assert (
        gear.sliding(0.0, "lowering", 0.999 * limit).inertia
        < 0.0
        < gear.sliding(0.0, "lowering", 1.001 * limit).inertia
    )


# -- runs ----------------------------------------------------------------------------------------------


def test_load_alone_brakes_below_and_drives_above():
    """Without a drive the gear obeys one equation, here solved by SciPy: it stops or runs away 1 % from the limit."""
    free = {"stiffness": 1e-12, "pull_velocity": 0.0}  # so soft that it does nothing
    gear = wedge(FALLING, **free, lower_mass=1.0)
    limit = gear.self_braking_speeds[0][1]

    def rate(_, y):
        mu = 0.18 + 0.14 * math.exp(-abs(y[0]) / 0.02)
        a = sliding_by_linear_algebra(data, mu, -1, np.zeros(2))
        return [data.tangents[0] @ a[:2]]

    data = gear.contact_data(0.0)
    for share in (0.99, 0.6, 1.01):
        lower = share * limit * math.cos(gear.angle)
        start = {"lower.velocity": lower, "upper.velocity": -lower * math.tan(gear.angle)}
        run = ss.simulate(gear, 60.0, initial=start, rtol=1e-11)

        def stops(_, y):
            return y[0]

        stops.terminal = True
        truth = solve_ivp(rate, (0.0, 60.0), [-share * limit], "DOP853", events=stops, rtol=1e-12, atol=1e-15)
        if share < 1.0:
            assert [str(e.after) for e in run.events] == ["stick"]
            assert run.events[0].time == pytest.approx(truth.t_events[0][0], rel=2e-8)
        else:
            assert len(run.events) == 0 and truth.y[0, -1] < -1.01 * limit
            assert run["flank.velocity"][-1] == pytest.approx(truth.y[0, -1], rel=1e-9)
        assert ss.analysis.audit(run, rtol=1e-11).passed


def test_slide_into_the_chatter_range_has_no_solution():
    """At the border of chatter δ = 0 the force on the flank grows without bound, and the run ends with a message."""
    gear = wedge(FALLING, stiffness=1e-6, pull_velocity=0.0, upper_mass=50.0, lower_mass=1.0)
    border = gear.chatter_speeds[0][1]
    angle = gear.angle + math.atan(1.0 / (50.0 * SLOPE))
    assert border == pytest.approx(0.02 * math.log(0.14 / (math.tan(angle) - 0.18)), rel=1e-12)
    lower = 0.9 * gear.self_braking_speeds[0][1] * math.cos(gear.angle)
    run = ss.simulate(
        gear, 60.0, initial={"lower.velocity": lower, "upper.velocity": -lower * SLOPE}, rtol=1e-10
    )
    assert run.status in ("no_solution", "stalled")
    # It goes on until the coupling of friction and normal force is a millionth of itself.
    assert -run["flank.velocity"][-1] == pytest.approx(border, rel=1.1e-6)


def test_stick_slip_of_a_pulled_gear_agrees_with_scipy():
    """Each slip of set 1 with (3.46) begins at rest under the static level; its equation of motion by SciPy."""
    gear = wedge(ss.Stribeck(static=0.32, kinetic=0.25, stribeck_velocity=2e-3, shape=1.0))
    run = ss.simulate(gear, 12.0, rtol=1e-11)
    moved = [e for e in run.events if str(e.before) == "stick"]
    stopped = [e for e in run.events if str(e.after) == "stick"]
    assert len(moved) >= 2 and len(stopped) >= 1
    w_limit = gear.load / gear.stiffness * math.tan(math.atan(0.32) - gear.angle)
    assert moved[0].time == pytest.approx(w_limit / gear.pull_velocity, rel=1e-12)

    def rate(t, y):
        mu = 0.25 + 0.07 * math.exp(-abs(y[1]) / math.cos(gear.angle) / 2e-3)
        data = gear.contact_data(gear.pull_velocity * t - y[0])
        return [y[1], sliding_by_linear_algebra(data, mu, -1, np.zeros(2))[1]]

    def stops(_, y):
        return y[1]

    stops.terminal, stops.direction = True, -1
    t0 = moved[0].time
    # it leaves rest with zero acceleration: by its exponential growth, from a time later
    later = t0 + 0.02
    x, v = (float(run.at(later)[f"lower.{kind}"][0]) for kind in ("position", "velocity"))
    truth = solve_ivp(rate, (later, 6.0), [x, v], "DOP853", events=stops, rtol=1e-12, atol=1e-15)
    assert stopped[0].time == pytest.approx(truth.t_events[0][0], rel=1e-9)
    assert ss.analysis.audit(run, rtol=1e-11).passed
    assert run.energy.residual < 1e-9


def test_slips_of_a_law_have_no_closed_form():
    gear = wedge(FALLING)
    assert gear.break_away_time == pytest.approx(
        gear.load / gear.stiffness * math.tan(math.atan(0.32) - gear.angle) / gear.pull_velocity, rel=1e-14
    )
    with pytest.raises(
        ValueError, match=r"friction = Stribeck.* a number for slips in closed form; simulate"
    ):
        _ = gear.first_motion


def test_dead_time_on_a_flank_changes_the_run_and_passes_the_audit():
    """Friction with memory in a gear: the audit finds nothing, and memory changes the run."""
    law = ss.Stribeck(static=0.32, kinetic=0.25, stribeck_velocity=2e-3, shape=1.0)
    late = ss.simulate(wedge(ss.StickSlip(law, memory=ss.DeadTime(0.1))), 8.0, rtol=1e-9)
    assert late.success and len(late.events) > 2
    assert ss.analysis.audit(late, rtol=1e-9).passed
    assert late.events[-1].time != ss.simulate(wedge(law), 8.0, rtol=1e-9).events[-1].time


def test_contact_data_use_friction_at_the_velocity():
    data = wedge(FALLING).contact_data(0.0, (0.0, 0.02))
    sliding = 0.02 * math.cos(SET_1.angle)
    assert data.friction[0] == pytest.approx(0.18 + 0.14 * math.exp(-sliding / 0.02), rel=1e-15)
    assert (data.static_friction[0], data.impulse_friction[0]) == (0.32, 0.18)


# -- bearings of the worm gear -------------------------------------------------------------------------

BEARINGS = {
    "wheel_bearing": ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.05, viscous=0.2),
    "worm_bearing": ss.Coulomb(static=0.02, kinetic=0.015) + ss.Viscous(1e-3),
}


@pytest.mark.parametrize("direction", ["lifting", "lowering"])
def test_sliding_with_bearings_agrees_with_linear_algebra(direction):
    gear, speed = dataclasses.replace(WORM, **BEARINGS), 0.03
    sign, torque = (1 if direction == "lifting" else -1), 0.7
    wheel, worm = speed * math.sin(gear.lead_angle) / 0.05, speed * math.cos(gear.lead_angle) / 0.036
    brakes = np.array([0.3 + 0.2 * math.exp(-((wheel / 0.05) ** 2)) + 0.2 * wheel, 0.015 + 1e-3 * worm])
    assert gear.bearing_torques(speed) == pytest.approx(brakes, rel=1e-14)
    data = gear.contact_data((torque - gear.shaft_damping * gear.motor_speed) / gear.shaft_stiffness)
    a1, a2, normal = sliding_by_linear_algebra(data, gear.coefficient(speed), sign, -sign * brakes)
    one = gear.sliding(torque, direction, speed)
    assert (one.wheel_acceleration, one.worm_acceleration, one.normal_force) == pytest.approx(
        (a1, a2, normal), rel=1e-11
    )
    again = gear.measured_friction(torque, one.worm_acceleration, direction, speed)
    assert float(again) == pytest.approx(gear.coefficient(speed), rel=1e-11)


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_break_away_with_bearings_matches_stick_limits(sense):
    """A shaft wound up slowly breaks away at the limit of stick: torque k·ω·t + d·ω."""
    gear = dataclasses.replace(WORM, **BEARINGS, motor_speed=sense * 0.05)
    low, high = gear.stick_limits
    rho = math.atan(0.32 / math.cos(gear.pressure_angle))
    ratio = 0.036 / 0.05
    assert high == pytest.approx((3.53 + 0.5) * ratio * math.tan(gear.lead_angle + rho) + 0.02, rel=1e-13)
    assert low == pytest.approx(-(3.53 + 0.5) * ratio * math.tan(rho - gear.lead_angle) - 0.02, rel=1e-13)
    run = ss.simulate(gear, 5.0)
    leaves = next(e.time for e in run.events if str(e.before) == "stick" and e.element == "flank")
    limit = high if sense > 0.0 else low
    wound = (limit - gear.shaft_damping * gear.motor_speed) / (gear.shaft_stiffness * gear.motor_speed)
    assert leaves == pytest.approx(wound, rel=1e-11)


def test_lifting_with_bearings_and_damping_agrees_with_scipy():
    """Worm and wheel together as one degree of freedom, from a lifting motion on; audit and energy."""
    gear = dataclasses.replace(WORM, **BEARINGS, shaft_damping=0.3)
    cosine, tangent = math.cos(gear.lead_angle), math.tan(gear.lead_angle)
    ratio = 0.036 / 0.05 * tangent
    wound = 0.08  # rad; so far the shaft is twisted at the start
    start = {"worm.velocity": 2.0, "wheel.velocity": 2.0 * ratio}
    start |= {"worm.position": -wound, "wheel.position": -wound * ratio}
    run = ss.simulate(gear, 1.5, initial=start, t_eval=np.linspace(0.0, 1.5, 31), rtol=1e-11)

    def rate(t, y):
        speed = abs(y[1]) * 0.036 / cosine
        mu = 0.18 + 0.14 * math.exp(-speed / 0.02)
        wheel = ratio * y[1]
        brakes = [0.3 + 0.2 * math.exp(-((wheel / 0.05) ** 2)) + 0.2 * wheel, 0.015 + 1e-3 * y[1]]
        data = gear.contact_data(2.0 * t - y[0], (wheel, y[1]))
        return [y[1], sliding_by_linear_algebra(data, mu, 1, -np.array(brakes))[1]]

    truth = solve_ivp(rate, (0.0, 1.5), [-wound, 2.0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-14)
    assert truth.y[1].min() > 0.0 and len(run.events) == 0
    assert run["worm.velocity"] == pytest.approx(truth.y[1], rel=1e-8)
    assert ss.analysis.audit(run, rtol=1e-11).passed
    assert run.energy.residual < 1e-9


def test_bearings_have_no_closed_form_of_motion():
    gear = dataclasses.replace(WORM, friction=0.2, shaft_damping=0.0, worm_bearing=0.01)
    assert gear.worm_bearing == ss.Coulomb(0.01)
    with pytest.raises(
        ValueError, match=r"worm_bearing = Coulomb.* left out for motions in closed form; simulate"
    ):
        _ = gear.first_motion
    held = dataclasses.replace(gear, wheel_bearing=4.0)
    with pytest.raises(ValueError, match=r"wheel_bearing = .* below the load, 3.53 Nm, at rest"):
        _ = held.stick_limits


def test_pictures_of_a_worm_gear_have_its_units():
    """Angles and torques, not lengths and forces; what slides on the flank is a length."""
    run = ss.simulate(dataclasses.replace(WORM, **BEARINGS), 0.1)
    labels = [
        ss.plotting.label(name, run) for name in ("wheel.position", "worm.velocity", "worm_bearing.force")
    ]
    assert labels == ["wheel.position [rad]", "worm.velocity [rad/s]", "worm_bearing.force [Nm]"]
    assert ss.plotting.label("flank.velocity", run) == "flank.velocity [m/s]"
    assert set(run.model.units) <= set(run.signals)
    assert ss.plotting.label("upper.position", ss.simulate(SET_1, 0.1)) == "upper.position [m]"


# -- bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gear", [SET_1, WORM])
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"friction": ss.LuGre(stiffness=1e3, damping=1.0, kinetic=0.2)},
            r"friction = LuGre.*bristles have states",
        ),
        (
            {"friction": ss.Table([-1.0, 0.0, 0.0, 1.0], [-0.3, -0.3, 0.2, 0.2])},
            "friction = Table.* odd and nowhere",
        ),
        ({"friction": ss.Table([0.0, 1.0], [0.3, -0.1], odd=True)}, "friction = Table.* nowhere negative"),
        ({"friction": ss.StickSlip(FALLING, load_factor=0.1)}, "friction = StickSlip.* without load_factor"),
        (
            {"friction": FALLING, "static_friction": 0.4},
            "static_friction = 0.4 .* left out where friction is a law",
        ),
        ({"friction": -0.1}, "friction = -0.1 is not allowed"),
        ({"friction": "rough"}, "friction = 'rough' is not allowed"),
    ],
)
def test_bad_friction_is_refused(gear, changes, text):
    with pytest.raises(ValueError, match=text):
        dataclasses.replace(gear, **changes)


@pytest.mark.parametrize("name", ["wheel_bearing", "worm_bearing"])
@pytest.mark.parametrize("value", [-1.0, math.nan, "x", ss.Dahl(stiffness=1.0, kinetic=1.0)])
def test_bad_bearings_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} = .* is not allowed"):
        dataclasses.replace(WORM, **{name: value})


@pytest.mark.parametrize("gear", [SET_1, WORM])
def test_bad_speeds_are_refused(gear):
    for speed in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="speed = .* finite and >= 0"):
            gear.coefficient(speed)
    with pytest.raises(ValueError, match="high = 0.1 is not allowed: it must be >= low = 0.2"):
        gear.is_self_braking(0.2, 0.1)


def test_maps_that_vary_friction_need_a_number():
    for gear in (wedge(FALLING), WORM):
        with pytest.raises(ValueError, match="gear = .* a gear whose friction is a number"):
            ss.analysis.chatter_map(gear, [0.1], [0.01])
    with pytest.raises(ValueError, match="gear = .* a gear whose friction is a number"):
        ss.analysis.opposite_flank_map(dataclasses.replace(WORM, clearance=1e-3), [1.0], [0.2], speed=[1.0])
