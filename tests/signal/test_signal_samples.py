"""Interpolation against NumPy and SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from stickslip.signals import Piecewise, Samples


@st.composite
def tables(draw, least=2):
    n = draw(st.integers(least, 12))
    steps = draw(st.lists(st.floats(0.05, 2.0), min_size=n, max_size=n))
    values = draw(st.lists(st.floats(-10.0, 10.0), min_size=n, max_size=n))
    return np.cumsum(steps) - 3.0, np.array(values)


@given(tables())
@settings(max_examples=60, deadline=None)
def test_cubic_is_scipys_not_a_knot_spline(table):
    """scipy.interpolate.CubicSpline, default end condition; two points give a line, three a parabola."""
    t, y = table
    spline, ours = CubicSpline(t, y), Samples(t, y, kind="cubic")
    inside = np.linspace(t[0], np.nextafter(t[-1], -np.inf), 101)
    for order in range(4):
        expected = spline(inside, order)
        # Rounding of the samples, divided by the shortest step to the power of the order.
        scale = np.abs(spline(inside)).max() / np.diff(t).min() ** order
        np.testing.assert_allclose(ours(inside, order), expected, rtol=0, atol=1e-13 * scale)
    assert ours(t[0] - 1.0) == y[0] and ours(t[-1] + 1.0) == y[-1]


def test_cubic_reproduces_cubics_on_uneven_samples():
    t = np.array([0.0, 0.01, 1.0, 1.5, 9.0, 9.2])
    y = 2.0 - t + 0.5 * t**2 - 0.1 * t**3
    x = np.linspace(0.0, 9.19, 77)
    np.testing.assert_allclose(Samples(t, y, kind="cubic")(x), 2.0 - x + 0.5 * x**2 - 0.1 * x**3, atol=2e-13)


@given(tables())
@settings(max_examples=40, deadline=None)
def test_linear_equals_numpy_interp(table):
    t, y = table
    x = np.linspace(t[0] - 1.0, t[-1] + 1.0, 101)
    np.testing.assert_allclose(Samples(t, y)(x), np.interp(x, t, y), atol=2e-14 * (1 + np.abs(y).max()))
    assert Samples(t, y) == Piecewise(t, y)


@given(tables(least=1))
@settings(max_examples=40, deadline=None)
def test_hold_keeps_each_value_until_the_next(table):
    t, y = table
    x = np.concatenate([t, np.linspace(t[0] - 1.0, t[-1] + 1.0, 51)])
    index = np.clip(np.searchsorted(t, x, side="right") - 1, 0, None)
    np.testing.assert_array_equal(Samples(t, y, kind="hold")(x), y[index])


def test_a_time_given_twice_is_a_jump():
    s = Piecewise([0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 1.0, 3.0, 4.0, -1.0])
    np.testing.assert_array_equal(s([-1.0, 0.5, 1.0, 1.5, 2.0, 9.0]), [0.0, 0.5, 3.0, 3.5, -1.0, -1.0])
    assert s(np.nextafter(1.0, 0.0)) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_array_equal(Piecewise([1.0, 1.0], [0.0, 2.0])([0.0, 1.0]), [0.0, 2.0])
    np.testing.assert_array_equal(Piecewise([1.0], [2.0])([0.0, 1.0]), [2.0, 2.0])


def test_a_long_record_is_found_quickly_and_exactly():
    t = np.arange(100_000) * 1e-3
    y = np.sin(t)
    s = Samples(t, y, kind="cubic")
    x = np.random.default_rng(1).uniform(0.01, 99.9, 1000)
    np.testing.assert_allclose(s(x), np.sin(x), atol=3e-15 + 1e-12 * 5 / 384)
