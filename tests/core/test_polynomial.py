"""Vector polynomials over one step against numpy.polynomial."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from stickslip._core import numerics as nm

C = np.random.default_rng(1).standard_normal((3, 9))


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0, -0.5])
def test_value_and_derivatives(theta):
    h = 0.01
    for order in range(5):
        expected = [
            Polynomial(row).deriv(order)(theta) / h**order if order else Polynomial(row)(theta) for row in C
        ]
        got = nm.polynomial_derivative(C, theta, h, order) if order else nm.polynomial_value(C, theta)
        np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("degree", range(12))
def test_value_and_slope_of_a_scalar(degree):
    c = np.random.default_rng(degree).standard_normal(degree + 1)
    p = Polynomial(c)
    for theta in (0.0, 0.37, 1.0):
        np.testing.assert_allclose(
            nm.value_slope(c, theta), [p(theta), p.deriv()(theta)], rtol=1e-13, atol=1e-14
        )


def test_shift_keeps_the_curve():
    out = nm.polynomial_shift(C, 0.3, 0.25)
    for s in np.linspace(0, 1, 7):
        np.testing.assert_allclose(
            nm.polynomial_value(out, s), nm.polynomial_value(C, 0.3 + 0.25 * s), rtol=1e-13, atol=1e-14
        )


def test_project():
    w = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(
        nm.polynomial_project(C, w, 3.0), w @ C + 3.0 * (np.arange(9) == 0), rtol=1e-14
    )
