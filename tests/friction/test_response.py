"""Laws under prescribed motion: closed forms, published numbers, and SciPy as an independent integrator."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import stickslip as ss

LEVELS = dict(static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
TABLE_I = dict(stiffness=1e5, damping=math.sqrt(1e5), viscous=0.4, **LEVELS)  # Canudas de Wit 1995

BRISTLES = {
    "lugre": ss.LuGre(**TABLE_I),
    "lugre shape 1/2": ss.LuGre(**TABLE_I, shape=0.5),
    "lugre shape 1": ss.LuGre(**TABLE_I, shape=1.0),
    "lugre falling damping": ss.LuGre(**TABLE_I, damping_velocity=1e-3),
    "lugre viscous exponent": ss.LuGre(**TABLE_I, viscous_exponent=1.5),
    "dahl": ss.Dahl(stiffness=1e5, kinetic=1.0),
    "dahl 1.5": ss.Dahl(stiffness=1e5, kinetic=1.0, exponent=1.5),
    "two states": ss.TwoStateBristle(**TABLE_I),
    "two states, alpha 1e5": ss.TwoStateBristle(**TABLE_I, alpha=1e5),
    "elasto-plastic": ss.ElastoPlastic(**TABLE_I),
    "maxwell": ss.MaxwellSlip(stiffness=[1e5, 5e4, 1e4], attraction=1e3, viscous=0.4, **LEVELS),
    "bouc-wen": ss.BoucWen(stiffness=1e5, kinetic=1.0, exponent=1.5, beta=0.7),
    "leuven": ss.Leuven(**TABLE_I, height=2.0, exponent=2.0),
    "sum": ss.LuGre(**TABLE_I) + ss.Dahl(stiffness=1e4, kinetic=0.5) + ss.Viscous(0.3),
}


def shape_of(v, static, kinetic, vs):
    return kinetic + (static - kinetic) * np.exp(-((v / vs) ** 2))


def held(law, v, time, **more):
    return law.response([0.0, time], v, **more)


# --- steady sliding ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in BRISTLES if name != "dahl 1.5"])
@pytest.mark.parametrize("v", [-1.0, -1e-3, 2e-4, 0.5])
def test_steady_sliding_is_the_curve(name, v):
    law = BRISTLES[name]
    run = held(law, v, max(40.0, 1e-2 / abs(v)), normal_load=2.0)
    assert run.force[-1] == pytest.approx(law.force(v, normal_load=2.0), rel=1e-12)


def test_dahl_above_one_settles_algebraically():
    """u = (1 + (i-1) σx/Fc)^(-1/(i-1)) for i > 1: after the travel x it is still that far from its level."""
    law, x = BRISTLES["dahl 1.5"], 1.0
    run = held(law, 0.5, 2.0)
    assert 1.0 - run.force[-1] == pytest.approx((1 + 0.5 * 1e5 * x) ** -2.0, rel=1e-5)


# --- LuGre -------------------------------------------------------------------------------------


def test_lugre_reproduces_published_numbers():
    """σ0 = 100, Fc = 0.5, Fs = 0.7, vs = 10 at v = 0.5."""
    law = ss.LuGre(stiffness=100.0, static=0.7, kinetic=0.5, stribeck_velocity=10.0)
    assert law.force(0.5) == pytest.approx(0.6995006245, abs=5e-11)
    run = law.response([0.0, 1e-3, 1.0], 0.5, initial={"z": 0.002})
    assert run["z"][1] == pytest.approx(0.0023445789915, abs=5e-14)
    assert run["z"][2] == pytest.approx(0.006995006245, rel=1e-10)


@pytest.mark.parametrize("v", [1e-6, 1e-3, 1.0])
def test_lugre_at_constant_speed_is_exponential(v):
    law = BRISTLES["lugre"]
    g = shape_of(v, **{"static": 1.5, "kinetic": 1.0, "vs": 1e-3}) / 1e5
    t = np.concatenate([[0.0], np.geomspace(1e-3, 30.0, 60) * g / v])
    run = law.response(t, v)
    z = -g * np.expm1(-v * t / g)
    force = 1e5 * z + math.sqrt(1e5) * v * np.exp(-v * t / g) + 0.4 * v
    np.testing.assert_allclose(run["z"], z, rtol=2e-13)
    np.testing.assert_allclose(run.force, force, rtol=2e-13)
    # work of the closed form
    lag = -(g / v) * np.expm1(-v * t / g)
    work = v * (1e5 * g * (t - lag) + math.sqrt(1e5) * v * lag + 0.4 * v * t)
    np.testing.assert_allclose(run.work, work, rtol=1e-11, atol=1e-14 * work[-1])


def test_lugre_physical_and_normalised_are_the_same():
    t = np.linspace(0.0, 2.0, 401)
    v = 2e-3 * np.sin(7.0 * t) * np.cos(3.0 * t)
    physical = ss.LuGre(**TABLE_I).response(t, v, normal_load=3.0)
    normalised = ss.LuGre(**TABLE_I, normalised=True).response(t, v, normal_load=3.0)
    np.testing.assert_allclose(normalised.force, physical.force, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(normalised["q"], 1e5 * physical["z"], rtol=1e-12, atol=1e-12)


def test_lugre_with_one_level_is_dahl():
    t = np.linspace(0.0, 1.0, 101)
    v = 1e-4 * np.sin(9.0 * t)
    a = ss.LuGre(stiffness=1e5, kinetic=1.0).response(t, v)
    b = ss.Dahl(stiffness=1e5, kinetic=1.0).response(t, v)
    np.testing.assert_allclose(a.force, b.force, rtol=1e-12, atol=1e-13)


def test_presliding_slopes_match_closed_form():
    """Quasi-static: dx/dF = 1/(σ0 (1 - F/Fs)) on loading; unloading from 0.95 Fs starts at 1/(1.95 σ0)."""
    law = ss.LuGre(**TABLE_I)
    speed, top = 1e-12, -math.log(0.05) * 1.5 / 1e5  # x where F = 0.95 Fs
    x = np.linspace(0.0, top, 201)
    up = law.response(x / speed, speed)
    np.testing.assert_allclose(up.force[1:], 1.5 * -np.expm1(-1e5 * x[1:] / 1.5), rtol=1e-6)
    assert up.force[-1] == pytest.approx(0.95 * 1.5, rel=1e-6)
    back = np.array([0.0, 1e-4 * top])
    down = law.response(back / speed, -speed, initial=up.states[:, -1])
    stiffness = (down.force[0] - down.force[1]) / back[1]
    # F(dx) = -Fs + (F0 + Fs) exp(-σ0 dx/Fs)
    expected = 1.95 * 1.5 * -math.expm1(-1e5 * back[1] / 1.5) / back[1]
    assert stiffness == pytest.approx(expected, rel=1e-6)
    assert stiffness == pytest.approx(1.95e5, rel=2e-4)


def test_hysteresis_widens_with_frequency():
    """v = 0.001 (sin ωt + 1): lower force on decreasing speed, loops widen with ω (Canudas de Wit 1995)."""
    law, widths = ss.LuGre(**TABLE_I), []
    for omega in (1.0, 10.0, 25.0):
        v = ss.Constant(1e-3) + ss.Sine(amplitude=1e-3, frequency=omega / (2.0 * np.pi))
        period = 2.0 * np.pi / omega
        phase = np.linspace(0.0, period, 401)
        run = law.response(np.concatenate([[0.0], 3.0 * period + phase]), v)
        speed, force = run.velocity[1:], run.force[1:]
        rising = np.cos(omega * phase) > 0.0
        at = np.linspace(2e-4, 1.8e-3, 50)
        up = np.interp(at, np.sort(speed[rising]), force[rising][np.argsort(speed[rising])])
        down = np.interp(at, np.sort(speed[~rising]), force[~rising][np.argsort(speed[~rising])])
        assert np.all(up > down)
        widths.append(np.max(up - down))
    assert widths[0] < widths[1] < widths[2]


# --- rate-independent laws ---------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5, 2.0])
def test_dahl_matches_closed_form_over_travel(exponent):
    """|u|^(1-i) falls linearly with travel, u = 1 - (F/Fc) sgn v; for i = 1 u falls exponentially."""
    law = ss.Dahl(stiffness=1e5, kinetic=1.0, exponent=exponent)
    t = np.linspace(0.0, 1.0, 101)
    amplitude = 1.2e-5  # not yet at the level for i = 1/2
    run = law.response(t, amplitude * np.ones_like(t))
    u = 1.0 - run.force

    def closed(u0, travel):
        if exponent == 1.0:
            return u0 * np.exp(-1e5 * travel)
        base = u0 ** (1.0 - exponent) - (1.0 - exponent) * 1e5 * travel
        return np.maximum(base, 0.0) ** (1.0 / (1.0 - exponent))

    np.testing.assert_allclose(u, closed(1.0, amplitude * t), rtol=1e-11, atol=1e-12)
    back = law.response(t, -amplitude * np.ones_like(t), initial=run.states[:, -1])
    np.testing.assert_allclose(
        1.0 + back.force, closed(1.0 + run.force[-1], amplitude * t), rtol=1e-11, atol=1e-12
    )


def test_dahl_below_one_reaches_its_level_and_stays():
    law = ss.Dahl(stiffness=1e5, kinetic=1.0, exponent=0.5)
    run = law.response([0.0, 1.9e-5, 2.1e-5, 1e-3], 1.0)
    assert run.force[1] == pytest.approx(1.0 - 0.05**2, rel=1e-11)
    np.testing.assert_allclose(run.force[2:], 1.0, rtol=1e-12)


def test_bouc_wen_matches_closed_forms():
    """On first loading dw/dx = (σ/Fc)(1 - w^n): tanh for n = 2. Unloading is straight at beta = 1/2."""
    law = ss.BoucWen(stiffness=1e5, kinetic=2.0, exponent=2.0, beta=0.5)
    x = np.linspace(0.0, 5e-5, 51)
    run = law.response(x, 1.0)
    np.testing.assert_allclose(run.force, 2.0 * np.tanh(1e5 * x / 2.0), rtol=1e-12)
    back = np.linspace(0.0, run.force[-1] / 1e5, 21)
    down = law.response(back, -1.0, initial=run.states[:, -1])
    np.testing.assert_allclose(down.force, run.force[-1] - 1e5 * back, rtol=1e-12, atol=1e-12)


def iwan(levels, stiffness, x):
    """Springs with sliders, moved from one displacement to the next (exact while each move is monotone)."""
    force, out = np.zeros(len(levels)), []
    before = 0.0
    for now in x:
        force = np.clip(force + stiffness * (now - before), -levels, levels)
        before = now
        out.append(force.sum())
    return np.array(out)


def test_maxwell_slip_with_one_level_is_iwan():
    stiffness, share = np.array([4e5, 1e5, 3e4]), np.array([0.5, 0.3, 0.2])
    law = ss.MaxwellSlip(stiffness=stiffness, share=share, kinetic=1.5)
    rng = np.random.default_rng(3)
    v = rng.uniform(-1.0, 1.0, 300) * 1e-4
    t = np.arange(301.0)
    times, speed = np.repeat(t, 2)[1:-1], np.repeat(v, 2)
    run = law.response(times, speed)
    x = np.concatenate([[0.0], np.cumsum(v)])
    np.testing.assert_allclose(run.force[1::2], iwan(1.5 * share, stiffness, x)[1:], rtol=1e-11, atol=1e-12)


def test_maxwell_slip_onset_and_lag_match_closed_form():
    """One element: the spring line up to Fs, then exponential approach to the level at constant speed."""
    law = ss.MaxwellSlip(stiffness=[1e5], attraction=50.0, **LEVELS)
    v = 2e-3
    level = shape_of(v, 1.5, 1.0, 1e-3)
    onset = level / (1e5 * v)
    t = np.array([0.0, 0.5 * onset, onset, 2.0 * onset])
    np.testing.assert_allclose(law.response(t, v).force, [0.0, 0.5 * level, level, level], rtol=1e-13)
    # sliding steadily at that speed, then faster: dF/dt = C (1 - F/level2)
    faster = 5e-3
    level2 = shape_of(faster, 1.5, 1.0, 1e-3)
    after = np.linspace(0.0, 0.1, 21)
    times = np.concatenate([[0.0, 1.0], 1.0 + after])
    run = law.response(times, np.where(np.arange(len(times)) < 2, v, faster))
    expected = level2 + (level - level2) * np.exp(-50.0 * after / level2)
    np.testing.assert_allclose(run.force[2:], expected, rtol=1e-11)


def test_elasto_plastic_has_no_drift_below_its_limit():
    """Loads below σ0 z_ba come back to where they began; LuGre drifts (Dupont 2002)."""
    elastic, lugre = ss.ElastoPlastic(stiffness=1e5, kinetic=1.0), ss.LuGre(stiffness=1e5, kinetic=1.0)
    t = np.linspace(0.0, 20.0, 2001)
    x = ss.Sine(amplitude=3e-6, frequency=1.0) + ss.Constant(0.0)
    v = x.derivative()  # displacement from -3e-6 to 3e-6, below z_ba = 7e-6
    np.testing.assert_allclose(elastic.response(t, v).force, 1e5 * x(t), rtol=1e-10, atol=1e-12)
    assert np.max(np.abs(lugre.response(t, v).force - 1e5 * x(t))) > 0.02


def test_elasto_plastic_beyond_its_limit_settles_on_the_level():
    law = ss.ElastoPlastic(stiffness=1e5, elastic_limit=7e-6, kinetic=1.0)
    v = 1e-5

    def rate(_t, z):
        z = z[0]
        a = 0.0 if z <= 7e-6 else 0.5 + 0.5 * math.sin(math.pi * (z - 8.5e-6) / 3e-6) if z < 1e-5 else 1.0
        return [v * (1.0 - a * z / 1e-5)]

    t = np.linspace(0.0, 3.0, 31)
    truth = solve_ivp(rate, (0.7, 3.0), [7e-6], method="DOP853", rtol=1e-13, atol=1e-20, t_eval=t[t > 0.7])
    run = law.response(t, v)
    np.testing.assert_allclose(run["z"][t <= 0.7], v * t[t <= 0.7], rtol=1e-13)
    np.testing.assert_allclose(run["z"][t > 0.7], truth.y[0], rtol=1e-11)


# --- the second-order bristle ------------------------------------------------------------------


def test_two_states_at_constant_speed_match_closed_form():
    """z = (1 - exp(-σ0 v t))/σ0, y = e (1 - exp(-t))/σ0 from rest."""
    law, v = ss.TwoStateBristle(**TABLE_I, alpha=1e6), 3e-4
    t = np.concatenate([[0.0], np.geomspace(1e-6, 10.0, 50)])
    run = law.response(t, v)
    e = math.exp(-((v / 1e-3) ** 2))
    z, y = -np.expm1(-1e5 * v * t) / 1e5, -e * np.expm1(-t) / 1e5
    np.testing.assert_allclose(run["z"], z, rtol=1e-11)
    np.testing.assert_allclose(run["y"], y, rtol=1e-11)
    zdot, ydot = v * np.exp(-1e5 * v * t), e * np.exp(-t) / 1e5
    force = 1e5 * z + math.sqrt(1e5) * zdot + 0.4 * v + 0.5e5 * y + 1e6 * ydot
    np.testing.assert_allclose(run.force, force, rtol=1e-11)


def test_two_states_are_linear_in_their_parameters():
    """F = U P with U = [z, -|v|z, v, y, -y, sgn v e], P = [σ0Fc, σ0σ1, σ1+σ2, σ0(Fs-Fc), α, α/σ0]."""
    law = ss.TwoStateBristle(**TABLE_I, alpha=2e5)
    t = np.linspace(0.0, 3.0, 301)
    run = law.response(t, ss.Sine(amplitude=2e-3, frequency=0.7, phase=0.3))
    v, z, y = run.velocity, run["z"], run["y"]
    u = np.array([z, -np.abs(v) * z, v, y, -y, np.sign(v) * np.exp(-((v / 1e-3) ** 2))])
    s1 = math.sqrt(1e5)
    p = np.array([1e5, 1e5 * s1, s1 + 0.4, 0.5e5, 2e5, 2.0])
    np.testing.assert_allclose(run.force, p @ u, rtol=1e-11, atol=1e-11)


def test_default_alpha_makes_y_vanish():
    law = ss.TwoStateBristle(**TABLE_I)
    a = law.compiled.evaluate(1e-3, 1, [1e-6, 0.0])
    b = law.compiled.evaluate(1e-3, 1, [1e-6, 1.0])
    assert a[0] == b[0]


@pytest.mark.parametrize("load", [0.0, 3.0])
def test_viscous_work_does_not_scale_with_the_load(load):
    """At constant speed W = (N F_dry + F_v v) v t, with and without a bristle (settled at the start)."""
    v, t = 0.02, np.linspace(0.0, 1.0, 5)
    curve = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-2, viscous=0.7)
    dry = 1.0 + 0.5 * math.exp(-4.0)
    np.testing.assert_allclose(
        curve.response(t, v, normal_load=load).work, (load * dry + 0.7 * v) * v * t, rtol=1e-13
    )
    bristle = ss.LuGre(stiffness=1e5, damping=30.0, viscous=0.7, kinetic=1.0)
    run = bristle.response(t, v, normal_load=load, initial=[1e-5])
    np.testing.assert_allclose(run.work, (load * 1.0 + 0.7 * v) * v * t, rtol=1e-12)


def test_two_state_bristle_can_stick():
    """At v = 0 the α-term may take any value of its step, and y follows the one that is taken."""
    law = ss.TwoStateBristle(**TABLE_I, alpha=1e5)
    z, y = 2e-6, 1e-6
    lo, hi = law.compiled.rest_interval([z, y])
    middle = 1e5 * 1.0 * z + (0.5e5 - 1e5) * y
    assert (lo, hi) == pytest.approx((middle - 1.0, middle + 1.0), rel=1e-14)
    assert law.compiled.traits.sticks and not ss.TwoStateBristle(**TABLE_I, alpha=0.0).compiled.traits.sticks
    for s in (-1.0, -0.3, 0.0, 1.0):
        rates = law.compiled.rest_rates(middle + s, [z, y])
        np.testing.assert_allclose(rates, [0.0, -y + s / 1e5], rtol=1e-9, atol=1e-20)
    # beside a Coulomb term both are used to the same part
    both = law + ss.Coulomb(3.0)
    assert both.compiled.rest_interval([z, y]) == pytest.approx((middle - 4.0, middle + 4.0), rel=1e-14)
    np.testing.assert_allclose(both.compiled.rest_rates(middle + 2.0, [z, y])[1], -y + 0.5 / 1e5, rtol=1e-9)
    # after another bristle, which holds, the states of this one are the last two
    q = 3e-6
    second = ss.LuGre(stiffness=2e5, kinetic=1.0) + law
    rates = second.compiled.rest_rates(2e5 * q + middle - 0.3, [q, z, y])
    np.testing.assert_allclose(rates, [0.0, 0.0, -y - 0.3 / 1e5], rtol=1e-9, atol=1e-20)
    # under v = 0 for a while z holds and y decays
    run = law.response([0.0, 1.0], 0.0, initial=[z, y])
    np.testing.assert_allclose(run.states[:, 1], [z, y * math.exp(-1.0)], rtol=1e-12)
    assert run.force[1] == pytest.approx(0.2 - 0.5e5 * y * math.exp(-1.0), rel=1e-11)


# --- the integrator and its switch points ------------------------------------------------------


def scipy_force(law, v, t, names):
    """The same equations by SciPy's Radau, restarted at every zero of v = A sin ωt.

    Rates come from the engine, whose formulas the closed forms of this file check.
    """
    states, start, out = np.zeros(len(names)), 0.0, []
    for end in [k * np.pi for k in range(1, 4)]:
        side = 1 if v(0.5 * (start + end)) > 0 else -1

        def rate(time, z, side=side):
            return law.compiled.evaluate(float(v(time)), side, z)[2]

        def slope(time, z, side=side):
            return law.compiled.linearise(float(v(time)), side, z)[4]

        inside = t[(t > start) & (t <= end)]
        run = solve_ivp(
            rate,
            (start, end),
            states,
            method="Radau",
            jac=slope,
            rtol=1e-9,
            atol=1e-18,
            t_eval=np.append(inside, end) if end not in inside else inside,
        )
        states, start = run.y[:, -1], end
        out.append(run.y[:, : len(inside)])
    return np.concatenate(out, axis=1)


@pytest.mark.parametrize(
    "name", ["lugre", "lugre shape 1", "lugre falling damping", "dahl 1.5", "two states", "bouc-wen"]
)
def test_smooth_motion_agrees_with_scipy(name):
    law = BRISTLES[name]
    t = np.linspace(0.0, 9.4, 95)[1:]
    v = ss.Sine(amplitude=1.7e-5, frequency=1.0 / (2.0 * np.pi))
    run = law.response(np.concatenate([[0.0], t]), v)
    truth = scipy_force(law, v, t, law.state_names)
    size = np.max(np.abs(truth), axis=1, keepdims=True)
    assert np.max(np.abs(run.states[:, 1:] - truth) / size) < 3e-7


@pytest.mark.parametrize("name", [name for name in BRISTLES])
def test_response_keeps_its_tolerance(name):
    """Against the same with a tolerance 100 times smaller, on a motion with reversals, stops and jumps."""
    law = BRISTLES[name]
    t = np.array([0.0, 0.3, 0.3, 0.5, 0.6, 0.8, 0.8, 1.0, 1.2])
    v = np.array([0.0, 1e-3, 2e-5, -3e-5, 0.0, 0.0, 1e-3, -1e-3, 2e-3])
    fine = np.sort(np.concatenate([t, np.linspace(0.0, 1.2, 25)[1:-1]]))
    signal = ss.Piecewise(t, v)
    best = law.response(fine, signal, rtol=1e-13)
    for rtol, reached in ((1e-11, 1e-11), (1e-6, 1e-6)):
        run = law.response(fine, signal, rtol=rtol)
        size = np.max(np.abs(best.states), axis=1, keepdims=True)
        size[size == 0.0] = 1.0  # places of a memory that the motion does not fill
        assert np.max(np.abs(run.states - best.states) / size) < reached
        assert np.max(np.abs(run.work - best.work)) < reached * np.max(np.abs(best.work))


def test_zero_crossings_of_straight_lines_are_exact():
    """Coulomb between samples +1 and -2: the work is Fc times the area on both sides of the exact zero."""
    run = ss.Coulomb(2.0).response([0.0, 1.0], [1.0, -2.0])
    assert run.work[-1] == pytest.approx(2.0 * (0.5 * 1.0 / 3.0 + 0.5 * 2.0 * 2.0 / 3.0), rel=1e-14)
    np.testing.assert_array_equal(run.force, [2.0, -2.0])


def test_zero_crossings_of_signals_are_found():
    v = (
        ss.Sine(amplitude=1.0, frequency=3.0, phase=0.4)
        + ss.Sine(amplitude=0.9, frequency=0.5)
        + ss.Constant(0.05)
    )
    run = ss.Coulomb(1.0).response([0.0, 2.0], v)
    grid = np.linspace(0.0, 2.0, 2001)
    roots = [brentq(v, a, b, xtol=1e-15) for a, b in pairwise(grid) if v(a) * v(b) < 0]
    edges = [0.0, *roots, 2.0]
    area = sum(abs(quad(v, a, b, epsabs=1e-14)[0]) for a, b in pairwise(edges))
    assert len(roots) >= 10 and run.work[-1] == pytest.approx(area, rel=1e-12)


def test_velocity_touching_zero_is_not_a_reversal():
    """v = 1 + sin touches zero without a change of sign: a slipping element goes on slipping."""
    law = ss.MaxwellSlip(stiffness=[1e5], kinetic=1.0)
    v = ss.Constant(1e-3) + ss.Sine(amplitude=1e-3, frequency=1.0)
    run = law.response(np.linspace(0.5, 3.0, 11), v)
    np.testing.assert_allclose(run.force[1:], 1.0, rtol=1e-13)


def test_knots_of_a_table_are_switch_points():
    law = ss.Table([0.0, 0.3, 1.0], [1.0, 0.2, 0.5], odd=True)
    run = law.response([0.0, 1.0], [0.0, 1.0])  # v = t: work is the integral of t F(t)
    exact = (
        0.3**2 / 2
        - 0.8 / 0.3 * 0.3**3 / 3
        + (0.2 - 0.3 * 0.3 / 0.7) * (1 - 0.3**2) / 2
        + 0.3 / 0.7 * (1 - 0.3**3) / 3
    )
    assert run.work[-1] == pytest.approx(exact, rel=1e-14)


def test_both_sides_of_a_jump_and_values_from_the_right():
    law = ss.Coulomb(1.0)
    run = law.response([0.0, 1.0, 1.0, 2.0], [1.0, 1.0, -1.0, -1.0])
    np.testing.assert_array_equal(run.force, [1.0, 1.0, -1.0, -1.0])
    run = law.response([0.0, 1.0, 2.0], ss.Step(-1.0, start=1.0, before=1.0))
    np.testing.assert_array_equal(run.force, [1.0, -1.0, -1.0])
    at_end = law.response([0.0, 1.0, 1.0], [1.0, 1.0, -1.0])
    np.testing.assert_array_equal(at_end.force, [1.0, 1.0, -1.0])


def test_rest_holds_a_bristle_and_scalar_velocity_works():
    law = ss.LuGre(**TABLE_I)
    run = law.response([0.0, 1e-3, 1e-3, 5.0], [1e-3, 1e-3, 0.0, 0.0])
    assert run["z"][3] == run["z"][2] == run["z"][1] and run.force[3] == pytest.approx(
        1e5 * run["z"][2], rel=1e-15
    )
    assert law.response([0.5], 1.0, initial=[1e-6]).force[0] == pytest.approx(
        law.compiled.evaluate(1.0, 1, [1e-6])[0] + 0.4, rel=1e-15
    )


def test_response_rows_are_read_by_name():
    run = ss.TwoStateBristle(**TABLE_I).response([0.0, 1.0], 1e-3, initial={"y": 1e-6})
    assert run["y"][0] == 1e-6 and run["z"][0] == 0.0
    np.testing.assert_array_equal(run["force"], run.force)
    with pytest.raises(KeyError, match="unknown state 'q'"):
        run["q"]


def test_stiff_sliding_takes_no_more_steps_than_it_needs():
    """1 m/s at σ0 = 1e9: a rate of 1e9 1/s over 10 s must be no burden."""
    calls = 0

    def flat(v):
        nonlocal calls
        calls += 1
        return 0.0

    law = ss.LuGre(stiffness=1e9, kinetic=1.0) + ss.Curve(flat)
    law.response([0.0, 10.0], 1.0)
    assert calls < 20_000


@pytest.mark.parametrize("v", [ss.Sine(amplitude=0.02, frequency=1.0), ss.Sine(amplitude=1.0, frequency=0.2)])
def test_stiff_motion_agrees_with_cvode(v):
    """LuGre written anew, Table I, up to 1 m/s (rate 1e5 1/s), by CVODE, restarted at every zero of v."""
    cvode = pytest.importorskip("sksundae.cvode")
    law, s1 = ss.LuGre(**TABLE_I), math.sqrt(1e5)

    half = 0.5 / v.frequency
    y, ends, truth = np.zeros(2), half * np.arange(4), []
    for a, b in pairwise(ends):
        side = np.sign(v(0.5 * (a + b)))

        def rates(t, y, rate, side):  # y = σ0 z, work; |v| goes on smoothly, since BDF looks beyond the end
            speed = float(v(t))
            level = 1.0 + 0.5 * math.exp(-((speed / 1e-3) ** 2))
            zdot = speed - side * speed * y[0] / level
            rate[0] = 1e5 * zdot
            rate[1] = (y[0] + s1 * zdot + 0.4 * speed) * speed

        # without max_step BDF strides over the Stribeck peak just before a zero of v, from far outside
        options = dict(
            method="BDF", rtol=1e-10, atol=1e-13, max_num_steps=1_000_000, max_step=2e-4 / v.frequency
        )
        run = cvode.CVODE(rates, userdata=side, **options)
        got = run.solve(np.linspace(a, b, 11), y)
        truth.append(got.y[1:])
        y = got.y[-1]
    truth = np.concatenate(truth)
    times = np.concatenate([np.linspace(a, b, 11)[1:] for a, b in pairwise(ends)])
    run = law.response(np.concatenate([[0.0], times]), v)
    assert np.max(np.abs(1e5 * run["z"][1:] - truth[:, 0])) < 1e-8
    np.testing.assert_allclose(run.work[1:], truth[:, 1], rtol=1e-8)


def test_stribeck_peak_is_resolved():
    """From 1 m/s to the zero of v: the level rises only in the last millisecond, and the bristle with it."""
    law, v = ss.LuGre(**TABLE_I), ss.Sine(amplitude=1.0, frequency=0.2)
    far = law.response([0.0, 2.25, 2.5], v)["z"][-1]
    near = law.response(np.concatenate([[0.0], 2.5 - np.geomspace(0.25, 1e-6, 200), [2.5]]), v)["z"][-1]
    assert far == pytest.approx(near, rel=1e-12) and 1e5 * far == pytest.approx(1.01557434, rel=1e-8)
