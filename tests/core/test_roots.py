"""First crossing of a polynomial guard: truth from polynomials built from their roots, in exact rationals.

Cost with g++ 12 -O3 on one core of a server (degree 5 / 10 / 20 / 30): quick rejection 6 / 6 / 11 / 13 ns,
one root of an oscillation 100 / 150 / 320 / 740 ns, hump just below zero 5 / 90 / 340 / 530 ns, two roots
1e-6 of the step apart 0.4 us.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from stickslip._core import numerics as nm

EPS = np.finfo(float).eps


def from_roots(roots, lead=1.0):
    """Coefficients of lead * prod (theta - r), computed exactly and rounded once."""
    c = [Fraction(lead)]
    for r in roots:
        r = Fraction(r)
        c = [Fraction(0)] + c
        for k in range(len(c) - 1):
            c[k] -= r * c[k + 1]
    return np.array([float(x) for x in c])


def exact(c, theta):
    return sum(Fraction(x) * Fraction(theta) ** k for k, x in enumerate(c))


def test_simple_root():
    c = from_roots([0.3], 2.0)
    assert nm.first_crossing(c) == (True, False, 0.3)


def test_no_root_and_downward_root():
    assert nm.first_crossing([-1.0, 0.5]) == (False, False, 0.0)
    assert nm.first_crossing([1.0, -2.0])[0] is False
    assert nm.first_crossing([-1.0, 1.2, -0.3])[0] is False  # maximum 0.2 lies at theta = 2


def test_positive_start_fires_only_after_coming_down():
    c = from_roots([0.2, 0.6])
    assert c[0] > 0
    found, at_once, theta = nm.first_crossing(c)
    assert found and not at_once and theta == pytest.approx(0.6, rel=4 * EPS)


def test_end_of_step_belongs_to_the_step_and_its_start_does_not_come_twice():
    assert nm.first_crossing([-1.0, 1.0]) == (True, False, 1.0)
    assert nm.first_crossing([-1.0, 2.0, -1.0])[0] is False  # touches zero at the end
    assert nm.first_crossing([0.0, 1.0], zero_at_start=True) == (True, True, 0.0)
    assert nm.first_crossing([0.0, -1.0], zero_at_start=True)[0] is False


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_zero_at_start_is_decided_by_the_first_derivative_that_is_not_zero(order):
    c = np.zeros(order + 2)
    c[0] = 1e-9  # to be ignored
    c[order], c[order + 1] = -1.0, 4.0
    found, at_once, theta = nm.first_crossing(c, zero_at_start=True)
    assert (found, at_once) == (True, False) and theta == pytest.approx(0.25, rel=2 * EPS)
    assert nm.first_crossing(-c, zero_at_start=True) == (True, True, 0.0)


def test_zero_at_start_then_a_root_right_after():
    c = np.array([0.0, -1e-10, 1.0, 0.3])  # theta (theta - 1e-10 + ...): relative accuracy survives
    root = max(np.roots([0.3, 1.0, -1e-10]))
    assert nm.first_crossing(c, zero_at_start=True)[2] == pytest.approx(1e-10, rel=1e-9)
    assert root == pytest.approx(1e-10, rel=1e-5)


def test_noise_of_rounding_at_start_is_zero():
    assert nm.first_crossing([0.0, 1e-17, -1.0], zero_at_start=True)[0] is False
    assert nm.first_crossing([0.0, -1e-17, 1.0], zero_at_start=True) == (True, True, 0.0)
    assert nm.first_crossing([0.0, 1e-9, -1.0], zero_at_start=True, noise=1e-8)[0] is False
    assert nm.first_crossing([0.0, 1e-9, -1.0], zero_at_start=True)[1] is True


@pytest.mark.parametrize("place", [0.1, 1 / 3, 0.5, 0.77, 1.0])
def test_a_touch_is_no_crossing(place):
    for others in ([], [2.0], [-0.5, 3.0], [1.5, -2.0, 4.0, -1.0]):
        c = from_roots([place, place, *others])
        c *= -np.sign(exact(c, place / 2))  # negative beside the touch
        assert nm.first_crossing(c)[0] is False


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("place", [0.1, 1 / 3, 0.5, 0.77])
def test_two_roots_close_to_each_other_are_found(width, place):
    for others in ([], [2.0], [-0.5, 3.0], [1.5, -2.0, 2.0, -1.0]):
        c = from_roots([place, place + width, *others])
        c *= -np.sign(exact(c, place / 2))
        found, _, theta = nm.first_crossing(c)
        slope = abs(float(sum(k * Fraction(x) * Fraction(place) ** (k - 1) for k, x in enumerate(c) if k)))
        assert found and abs(theta - place) <= 4 * EPS * (1 + np.sum(np.abs(c)) / slope)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.floats(-0.5, 1.8), min_size=1, max_size=12),
    st.lists(st.tuples(st.floats(-1, 2), st.floats(0.05, 1)), max_size=4),
    st.sampled_from([-1.0, 1.0]),
)
def test_against_the_roots_it_was_built_from(real, pairs, sign):
    """Any mixture of real roots and complex pairs, degree up to 20; roots that are no closer than 1e-3."""
    real = sorted(set(round(r, 3) for r in real))
    real = [r for r in real if min(abs(r), abs(r - 1)) > 1e-3]
    c = from_roots(real, sign)
    for a, b in pairs:
        c = np.convolve(c, [a * a + b * b, -2 * a, 1.0])
    sign_at = lambda t: np.sign(sign * np.prod([t - r for r in real]))  # noqa: E731
    inside = [r for r in real if 0 < r < 1]
    expected = [r for r in inside if sign_at(r + 4e-4) > 0]
    found, _, theta = nm.first_crossing(c)
    # Where rounding of the coefficients swamps the polynomial itself there is nothing to find.
    total = np.sum(np.abs(c))
    grid = [t for r in [0.0, *inside, 1.0] for t in (r - 5e-4, r + 5e-4) if 0 < t < 1]
    if any(abs(exact(c, t)) < 100 * EPS * total for t in grid):
        return
    assert found == bool(expected)
    if expected:
        r = expected[0]
        slope = abs(float(sum(k * Fraction(x) * Fraction(r) ** (k - 1) for k, x in enumerate(c) if k)))
        assert abs(theta - r) <= 60 * EPS * total / slope + 2 * EPS


@pytest.mark.parametrize("degree, w", [(20, 1.5), (30, 4.0), (40, 7.0)])
def test_taylor_polynomial_of_an_oscillation(degree, w):
    """sin(w theta + phase) + offset, cut off at rounding level: the first upward zero in closed form."""
    for phase in np.linspace(-3.1, 3.1, 50):
        for offset in (-0.9, 0.0, 0.7):
            c = np.empty(degree + 1)
            for k in range(degree + 1):
                c[k] = np.sin(phase + k * np.pi / 2) * w**k / float(np.prod(np.arange(1.0, k + 1)))
            c[0] += offset
            up = (-np.arcsin(offset) - phase) % (2 * np.pi) / w
            down = (np.pi + np.arcsin(offset) - phase) % (2 * np.pi) / w
            if min(abs(up - 1), up, abs(down - 1), 2 * np.pi / w - up) < 1e-6:
                continue
            found, _, theta = nm.first_crossing(c)
            assert found == (up < 1)
            if found:
                assert theta == pytest.approx(up, abs=2e-15 * np.exp(w))


def test_extremes_against_a_fine_grid():
    rng = np.random.default_rng(3)
    grid = np.linspace(0, 1, 4001)
    for degree in range(1, 16):
        c = rng.standard_normal(degree + 1) * 3.0 ** rng.integers(-2, 3)
        values = np.polynomial.polynomial.polyval(grid, c)
        low, at_low, high, at_high = nm.extremes(c)
        slack = 1e-13 * np.sum(np.abs(c))
        curve = np.sum(np.arange(degree + 1) ** 2 * np.abs(c)) / 8 / 4000**2
        assert values.min() - curve - slack <= low <= values.min() + slack
        assert values.max() + curve + slack >= high >= values.max() - slack
        np.testing.assert_allclose(
            np.polynomial.polynomial.polyval([at_low, at_high], c), [low, high], atol=slack, rtol=0
        )


@pytest.mark.parametrize(
    "f, a, b",
    [
        (lambda x: np.cos(x) - x, 0.0, 1.0),
        (lambda x: x**3 - 2 * x - 5, 2.0, 3.0),
        (lambda x: np.exp(-1 / x**2) - 1e-3, 0.1, 4.0),
        (lambda x: (x - 1 / 3) ** 9, 0.0, 1.0),
        (lambda x: 1.0 if x > 0.2345 else -1.0, 0.0, 1.0),
    ],
)
def test_refine_root_of_any_function(f, a, b):
    """Against scipy.optimize.brentq at its finest; and few evaluations."""
    calls = []
    root = nm.refine_root(lambda x: calls.append(x) or float(f(x)), a, b, 0.0)
    reference = brentq(f, a, b, xtol=1e-16, rtol=4 * EPS, maxiter=1000)
    assert root == pytest.approx(reference, rel=8 * EPS) or f(root) == 0.0 or f(reference) == 0.0
    assert len(calls) <= 75
    assert np.isnan(nm.refine_root(lambda x: 1.0, 0.0, 1.0, 0.0))


def test_degree_is_checked():
    with pytest.raises(ValueError, match="degree = 41 is not allowed: it must be from 0 to 40"):
        nm.first_crossing([-1.0] + 41 * [1.0])
