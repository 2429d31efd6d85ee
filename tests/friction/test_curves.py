"""Steady curves against their formulas written with NumPy, slopes against complex steps of those."""

import math

import numpy as np
import pytest

import stickslip as ss

V = np.concatenate([-np.geomspace(1e-7, 3.0, 41)[::-1], np.geomspace(1e-7, 3.0, 41)])


def stribeck(v, static, kinetic, vs, shape, form="exponential"):
    """Curve for v > 0, also for complex v."""
    p = (v / vs) ** shape
    fall = np.exp(-p) if form == "exponential" else 1.0 / (1.0 + p)
    return kinetic + (static - kinetic) * fall


def viscous(v, coefficient, exponent):
    return coefficient * v**exponent


# law, its value for v > 0 per unit load, its viscous part for v > 0
CURVES = {
    "coulomb": (ss.Coulomb(static=1.5, kinetic=1.0), lambda v: 1.0 + 0.0 * v, lambda v: 0.0 * v),
    "viscous": (ss.Viscous(0.4), lambda v: 0.0 * v, lambda v: 0.4 * v),
    "viscous 1.5": (ss.Viscous(0.4, exponent=1.5), lambda v: 0.0 * v, lambda v: viscous(v, 0.4, 1.5)),
    "viscous 2": (ss.Viscous(0.4, exponent=2.0), lambda v: 0.0 * v, lambda v: viscous(v, 0.4, 2)),
    "viscous 0.5": (ss.Viscous(0.4, exponent=0.5), lambda v: 0.0 * v, lambda v: viscous(v, 0.4, 0.5)),
    **{
        f"stribeck {shape} {form}": (
            ss.Stribeck(
                static=1.5,
                kinetic=1.0,
                stribeck_velocity=1e-2,
                shape=shape,
                form=form,
                viscous=0.4,
                viscous_exponent=1.5,
            ),
            lambda v, s=shape, f=form: stribeck(v, 1.5, 1.0, 1e-2, s, f),
            lambda v: viscous(v, 0.4, 1.5),
        )
        for shape in (0.5, 1.0, 1.3, 2.0, 3.0, 4.0)
        for form in ("exponential", "lorentzian")
    },
    "tanh": (
        ss.Tanh(width=1e-3, static=1.5, kinetic=1.0, stribeck_velocity=1e-2, viscous=0.4),
        lambda v: stribeck(v, 1.5, 1.0, 1e-2, 2) * np.tanh(v / 1e-3),
        lambda v: 0.4 * v,
    ),
    **{  # shapes that are not even: the level must follow |v|, not v
        f"tanh {shape}": (
            ss.Tanh(width=1e-3, static=1.5, kinetic=1.0, stribeck_velocity=1e-2, shape=shape),
            lambda v, s=shape: stribeck(v, 1.5, 1.0, 1e-2, s) * np.tanh(v / 1e-3),
            lambda v: 0.0 * v,
        )
        for shape in (1.0, 1.3)
    },
}


def complex_step(f, v):
    with np.errstate(all="ignore"):  # tanh of a large complex argument overflows inside
        slope = np.imag(f(v + 1e-30j)) / 1e-30
    return np.where(np.isfinite(slope), slope, 0.0)


@pytest.mark.parametrize("name", CURVES)
def test_force_equals_the_formula(name):
    law, dry, drag = CURVES[name]
    speed = np.abs(V)
    for load in (0.0, 1.0, 9.81):
        expected = np.sign(V) * (load * dry(speed) + drag(speed))
        np.testing.assert_allclose(law.force(V, normal_load=load), expected, rtol=4e-15)


@pytest.mark.parametrize("name", CURVES)
def test_slope_equals_the_complex_step_of_the_formula(name):
    law, dry, drag = CURVES[name]
    speed = np.abs(V)
    expected = 2.0 * complex_step(dry, speed) + complex_step(drag, speed)
    scale = np.abs(2.0 * complex_step(dry, speed)) + complex_step(drag, speed) + 1e-12
    slope = law.linearise(V, normal_load=2.0).slope
    assert np.max(np.abs(slope - expected) / scale) < 1e-12


@pytest.mark.parametrize("name", CURVES)
def test_force_at_zero_is_zero_and_shapes_are_kept(name):
    law = CURVES[name][0]
    assert law.force(0.0) == 0.0 and isinstance(law.force(0.0), float)
    assert law.force(np.zeros((2, 3))).shape == (2, 3)
    assert law.linearise(np.ones((2, 3))).slope.shape == (2, 3)
    assert math.isnan(law.force(math.nan))


@pytest.mark.parametrize("name", CURVES)
def test_one_sided_values_are_limits_and_continue_smoothly(name):
    """The engine's formula of one side is the limit at v = 0; just beyond it goes on without a jump."""
    law, dry, _ = CURVES[name]
    core = law.compiled
    limit = float(dry(np.array(1e-300)))
    for side in (1, -1):
        assert core.evaluate(0.0, side, [])[0] == pytest.approx(side * limit, rel=1e-12, abs=1e-290)
        for v in (-1e-9 * side, -1e-6 * side):
            beyond = core.evaluate(v, side, [])[0]
            inside = core.evaluate(-v, side, [])[0]
            assert abs(beyond - inside) <= 2.5 * abs(inside - core.evaluate(0.0, side, [])[0]) + 1e-12
        slope = core.linearise(0.0, side, [])[0]
        assert math.isfinite(slope)
    assert core.linearise(0.0, 1, [])[0] == core.linearise(0.0, -1, [])[0]


@pytest.mark.parametrize("shape", [1.0, 2.0, 3.0])
def test_wrong_side_is_the_analytic_continuation(shape):
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-2, shape=shape)
    for v in (-4e-3, -1e-4):
        expected = 1.0 + 0.5 * math.exp(-((v / 1e-2) ** shape))
        dry, _, _ = law.compiled.evaluate(v, 1, [])
        assert dry == pytest.approx(expected, rel=1e-15)
    assert law.compiled.evaluate(-1.0, 1, [])[0] < 1.9  # far beyond it is held, not exponentially large


def test_vertical_tangent_is_held_finite():
    """Shape 1/2: the slope grows like 1/sqrt(v) down to 1e-12 Stribeck velocities and is held from there."""
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-2, shape=0.5)
    assert law.linearise(1e-10).slope == pytest.approx(-0.5 * 0.5 / 1e-2 * 1e4, rel=2e-4)
    assert law.linearise(0.0).slope == pytest.approx(-0.5 * 0.5 / 1e-2 * 1e6, rel=1e-12)
    assert law.force(1e-16) == pytest.approx(1.0 + 0.5 * math.exp(-1e-7), rel=1e-15)


def test_break_away_levels_match_both_directions():
    assert ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1.0).break_away == 1.5
    assert tuple(ss.Coulomb(0.7).break_away) == (-0.7, 0.7)
    assert ss.Tanh(width=1.0, kinetic=1.0).break_away == 0.0
    assert ss.Viscous(1.0).break_away == 0.0
    assert (ss.Coulomb(0.7) + ss.Coulomb(0.3)).break_away == pytest.approx(1.0, rel=1e-15)
    table = ss.Table([-1.0, 0.0, 0.0, 1.0], [-0.5, -2.0, 1.0, 0.25])
    assert (table.break_away.negative, table.break_away.positive) == (-2.0, 1.0)
    assert (table + ss.Coulomb(1.0)).break_away.negative == -3.0


def test_linearisation_at_rest_matches_closed_form():
    assert ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1.0, viscous=0.4).linearise() == (
        0.4,
        0.0,
        0.4,
    )
    lugre = ss.LuGre(stiffness=1e5, damping=300.0, viscous=0.4, kinetic=1.0)
    assert lugre.linearise(0.0, normal_load=2.0)[1:] == (2e5, 600.4)
    with pytest.raises(ValueError, match="direction = 0"):
        lugre.linearise(0.0, direction=0)


def test_sum_adds_forces_and_slopes():
    a, b = ss.Coulomb(0.5), ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-2, viscous=0.2)
    both = a + b
    np.testing.assert_allclose(both.force(V, 3.0), a.force(V, 3.0) + b.force(V, 3.0), rtol=1e-15)
    expected = a.linearise(V).slope + b.linearise(V).slope
    np.testing.assert_allclose(both.linearise(V).slope, expected, rtol=1e-15)
    assert (both + a).terms == (a, b, a)


# --- tables ------------------------------------------------------------------------------------


def test_table_is_numpy_interp():
    x, f = np.array([-2.0, -0.5, 0.3, 1.0]), np.array([-3.0, -1.0, -0.2, 2.0])
    v = np.linspace(-3.0, 3.0, 241)
    np.testing.assert_allclose(ss.Table(x, f).force(v), np.interp(v, x, f), rtol=2e-15, atol=1e-15)


def test_odd_table_and_its_jump():
    x, f = np.array([0.0, 0.5, 2.0]), np.array([1.5, 1.0, 1.2])
    law = ss.Table(x, f, odd=True)
    v = np.linspace(-3.0, 3.0, 240)  # without zero
    np.testing.assert_allclose(law.force(v), np.sign(v) * np.interp(np.abs(v), x, f), rtol=2e-15)
    assert law.break_away == 1.5 and law.compiled.traits.sticks
    assert law.linearise([-1.0, -0.1, 0.0, 0.1]).slope == pytest.approx(
        [0.2 / 1.5, -1.0, -1.0, -1.0], rel=1e-14
    )
    assert law.linearise(0.0, direction=-1).slope == pytest.approx(-1.0, rel=1e-15)
    # beyond zero the first line is prolonged
    assert law.compiled.evaluate(-0.1, 1, [])[0] == pytest.approx(1.6, rel=1e-15)
    assert law.compiled.evaluate(0.1, -1, [])[0] == pytest.approx(-1.6, rel=1e-15)


def test_asymmetric_jump_has_two_levels():
    law = ss.Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -2.0, 1.5, 1.0])
    np.testing.assert_allclose(law.force([-1e-300, 1e-300]), [-2.0, 1.5], rtol=1e-15)
    assert law.force(0.0) == -0.25  # the middle of what is possible
    assert law.compiled.rest_interval([]) == (-2.0, 1.5)
    assert law.compiled.evaluate(-0.1, 1, [])[0] == pytest.approx(1.55, rel=1e-15)
    assert law.linearise(0.0, direction=-1).slope == pytest.approx(-1.0, rel=1e-15)


def test_samples_of_a_law_follow_it():
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.1, viscous=0.3)
    grid = np.linspace(0.0, 1.0, 2001)
    table = ss.Table.sample(law, grid, odd=True)
    v = np.linspace(-1.0, 1.0, 777)
    # chord error h²/8 max|F''|, F'' = 2 (Fs-Fc)/vs² at most
    assert np.max(np.abs(table.force(v) - law.force(v))) < 1.01 * (0.0005**2 / 8) * 2 * 0.5 / 0.01
    both = ss.Table.sample(law, np.concatenate([-grid[:0:-1], grid]))
    np.testing.assert_allclose(both.force(v), table.force(v), rtol=1e-12)
    assert both.break_away == 1.5
    assert ss.Table.sample(lambda v: 2.0 * v, [-1.0, 0.0, 1.0]).velocities == (-1.0, 0.0, 1.0)


# --- a function of one's own -------------------------------------------------------------------


def test_callable_is_the_function():
    law = ss.Curve(lambda v: math.copysign(1.0 + 0.5 * math.exp(-abs(v) / 0.1), v) + 0.2 * v)
    same = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.1, shape=1.0, viscous=0.2)
    v = V[np.abs(V) > 1e-6]
    np.testing.assert_allclose(law.force(v), same.force(v), rtol=1e-14)
    np.testing.assert_allclose(law.linearise(v).slope, same.linearise(v).slope, rtol=1e-6)
    assert law.linearise(0.0).slope == pytest.approx(same.linearise(0.0).slope, rel=1e-6)
    assert law.break_away == 1.5
    assert law.compiled.traits.needs_interpreter and law.compiled.traits.sticks
    # the engine's side: prolonged by its tangent beyond zero
    assert law.compiled.evaluate(-1e-6, 1, [])[0] == pytest.approx(1.5 - 4.8 * -1e-6, abs=1e-10)


def test_callable_may_drive_away_from_rest():
    """Rayleigh: x'' + x = e (x' - x'^3 / 3): a cycle of the amplitude 2 (to the order e^2), whose energy is constant."""

    def rayleigh(v):
        return 0.1 * (min(max(v, -9.0), 9.0) ** 3 / 3.0 - v)  # laws are also asked at velocities of 1e150 m/s

    m = ss.Machine(1.0, stiffness=1.0, names=["x"])
    m.add_friction("f", on="x", law=ss.Curve(rayleigh))
    run = ss.simulate(m, 200.0, initial={"x.position": 0.1}, dt=0.01, rtol=1e-6)
    assert np.abs(run["x.position"][-1000:]).max() == pytest.approx(2.0, rel=1e-2)


def test_smooth_callable_does_not_stick():
    law = ss.Curve(lambda v: math.tanh(v / 1e-3))
    assert law.break_away == 0.0 and not law.compiled.traits.sticks
    assert ss.Curve(lambda v: math.copysign(1.0, v), static=1.2).break_away == 1.2


def test_callable_that_fails_names_velocity_and_time():
    def fails(v):
        if v > 0.25:
            raise ZeroDivisionError("here")
        return math.copysign(1.0, v)

    law = ss.Curve(fails)
    with pytest.raises(
        ValueError, match=r"function raised ZeroDivisionError \(here\) at velocity 0\.5"
    ) as error:
        law.force(0.5)
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    with pytest.raises(ValueError, match=r"ZeroDivisionError \(here\) at time 0\.2\d+, at velocity 0\.2\d+"):
        law.response(np.linspace(0.0, 1.0, 11), np.linspace(0.0, 1.0, 11))
    nan = ss.Curve(lambda v: math.nan if v > 0.25 else 0.0)
    with pytest.raises(ValueError, match=r"function returned NaN at velocity 0\.5"):
        nan.force([0.1, 0.5])
    with pytest.raises(ValueError, match="returned NaN at velocity"):
        ss.Curve(lambda v: math.nan)
    with pytest.raises(ValueError, match="raised TypeError"):
        ss.Curve(lambda v: "text")
    with pytest.raises(TypeError, match="function must be callable"):
        ss.Curve(1.0)


def test_interrupt_passes_through_a_callable():
    def interrupted(v):
        if v > 0.5:
            raise KeyboardInterrupt
        return 0.0

    with pytest.raises(KeyboardInterrupt):
        ss.Curve(interrupted).force(1.0)
