"""Taylor flow of affine systems against closed forms, SciPy's matrix exponential and long times.

Cost of one step with g++ 12 -O3 on one core of a server, random matrices: 0.35 / 0.43 / 0.54 / 0.70 us
for n = 2 / 4 / 6 / 8 at full length (degree 27), 0.09 / 0.10 / 0.14 / 0.20 us where the horizon is short
(degree 5 or 6).
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from stickslip._core import numerics as nm

NONE = (np.zeros((2, 0)), np.zeros((0, 1)))


def chain(masses, k, d, m=1.0):
    """Masses in a row on springs, the first one tied to the wall; state (positions, velocities)."""
    K = 2 * np.eye(masses) - np.eye(masses, k=1) - np.eye(masses, k=-1)
    K[-1, -1] = 1.0
    return np.block([[np.zeros_like(K), np.eye(masses)], [-k * K / m, -d * K / m]])


def modal(masses, k, d, drive, x0, t):
    """The chain by its modes: q'' + d lam q' + k lam q = f, each a damped oscillator in closed form."""
    K = 2 * np.eye(masses) - np.eye(masses, k=1) - np.eye(masses, k=-1)
    K[-1, -1] = 1.0
    lam, Q = np.linalg.eigh(K)
    a, q0, v0, f = d * lam / 2, Q.T @ x0[:masses], Q.T @ x0[masses:], Q.T @ drive
    w, rest = np.sqrt(k * lam - a * a), f / (k * lam)
    c, s, e = np.cos(w * t), np.sin(w * t), np.exp(-a * t)
    u = q0 - rest
    b = (v0 + a * u) / w
    q = rest + e * (u * c + b * s)
    return np.append(Q @ q, Q @ (-a * (q - rest) + e * w * (b * c - u * s)))


def test_coefficients_of_an_oscillation():
    """x = cos(w t): the terms are (w h)^k / k! cos(k pi / 2)."""
    w = 2 * np.pi
    C, h = nm.affine_taylor([[0, 1], [-w * w, 0]], *NONE, [1.0, 0.0], 100.0, [1.0, w])
    assert 0.5 < h < 0.6  # a little more than half a period
    term, sign = 1.0, [1, 0, -1, 0]
    for k in range(C.shape[1]):
        assert C[0, k] == pytest.approx(sign[k % 4] * term, rel=1e-14, abs=0)
        term *= w * h / (k + 1)
    assert np.abs(C[0]).max() < 30
    for theta in np.linspace(0, 1, 11):
        assert nm.polynomial_value(C, theta)[0] == pytest.approx(np.cos(w * h * theta), abs=1e-15)


@pytest.mark.parametrize("scale", [[1.0, 1.0], [1e-3, 1.0], [1.0, 1e-3]])
def test_nominal_sizes_may_be_wrong_by_much(scale):
    w = 2 * np.pi
    C, h = nm.affine_taylor([[0, 1], [-w * w, 0]], *NONE, [1.0, 0.0], 100.0, scale)
    assert h > 0.05
    for theta in (0.3, 1.0):
        assert nm.polynomial_value(C, theta)[0] == pytest.approx(np.cos(w * h * theta), abs=1e-14)


def test_error_grows_slowly_over_many_periods():
    """Reached over 1e5 periods: amplitude 2e-12, phase 3e-12 of a radian per 1e5 periods' 6e5 radians."""
    w = 2 * np.pi
    for periods, bound in [(1e3, 1e-13), (1e5, 1e-11)]:
        x, steps, _ = nm.affine_propagate([[0, 1], [-w * w, 0]], np.zeros(2), [1.0, 0.0], periods, [1.0, w])
        assert abs(x[0] - 1.0) < bound and abs(x[1]) / w < 3 * bound
        assert steps < 2.7 * periods


@pytest.mark.parametrize("masses", [1, 2, 3, 4, 5, 8])
def test_driven_chains_against_their_modes(masses):
    """37 s, some 80 periods of the fastest mode. (SciPy's expm differs by 1e-11 here, the modes do not.)"""
    rng = np.random.default_rng(masses)
    x0, f = rng.standard_normal(2 * masses), rng.standard_normal(masses)
    A, drive = chain(masses, 50.0, 1e-3), np.append(np.zeros(masses), f)
    x, _, _ = nm.affine_propagate(A, drive, x0, 37.3, np.ones(2 * masses))
    np.testing.assert_allclose(x, modal(masses, 50.0, 1e-3, f, x0, 37.3), atol=5e-12, rtol=0)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 9, 12])
def test_random_matrices_against_expm(n):
    rng = np.random.default_rng(n)
    A, x0, drive = rng.standard_normal((n, n)), rng.standard_normal(n), rng.standard_normal(n)
    B = np.zeros((n + 1, n + 1))
    B[:n, :n], B[:n, n] = A, drive
    x, _, _ = nm.affine_propagate(A, drive, x0, 2.5, np.ones(n))
    expected = (expm(2.5 * B) @ np.append(x0, 1.0))[:n]
    np.testing.assert_allclose(x, expected, rtol=0, atol=4e-13 * np.abs(expected).max())


def test_defective_matrix():
    """Critically damped: x = (1 + w t) exp(-w t), one eigenvector only."""
    w, t = 3.0, 2.7
    x, _, _ = nm.affine_propagate([[0, 1], [-w * w, -2 * w]], np.zeros(2), [1.0, 0.0], t, [1.0, 1.0])
    assert x[0] == pytest.approx((1 + w * t) * np.exp(-w * t), rel=1e-13)
    assert x[1] == pytest.approx(-w * w * t * np.exp(-w * t), rel=1e-13)


def test_badly_scaled_drive():
    """Two-mass drive of 1 t, 5e6 N/m and micrometres: oscillation and rigid motion in closed form."""
    m, c, d = 1000.0, 5e6, 1341.64
    A = np.array([[-d / m, d / m, -c / m, c / m], [d / m, -d / m, c / m, -c / m], [1, 0, 0, 0], [0, 1, 0, 0]])
    x0, t = np.array([1e-4, 0.0, 5e-5, 0.0]), 3.0
    x, _, _ = nm.affine_propagate(A, np.zeros(4), x0, t, [1e-3, 1e-3, 5e-5, 5e-5])
    a = d / m
    w = np.sqrt(2 * c / m - a * a)
    r0, s0 = x0[2] - x0[3], x0[0] - x0[1]
    relative = np.exp(-a * t) * (r0 * np.cos(w * t) + (s0 + a * r0) / w * np.sin(w * t))
    centre = (x0[2] + x0[3]) / 2 + (x0[0] + x0[1]) / 2 * t
    np.testing.assert_allclose(x[2:], [centre + relative / 2, centre - relative / 2], rtol=3e-14)


def test_stiff_matrix():
    """Rates 1e6 and about 1e2: the flow stays exact, at the price of steps of a few fast time constants."""
    a, b, t = 1e6, 100.0, 1e-3  # x = combination of exp(-a t), exp(-b t)
    x, steps, _ = nm.affine_propagate([[0, 1], [-a * b, -(a + b)]], np.zeros(2), [1.0, 0.0], t, [1.0, b])
    expected = (a * np.exp(-b * t) - b * np.exp(-a * t)) / (a - b)
    assert x[0] == pytest.approx(expected, rel=1e-12)
    assert 50 < steps < 1000


def test_series_that_end_take_the_whole_horizon():
    """Free fall and standing still are polynomials: exact degree, one step, no rounding of the horizon."""
    fall = [[0.0, 1.0], [0.0, 0.0]]
    C, h = nm.affine_taylor(fall, [[0.0], [1.0]], [[-9.81]], [3.0, 4.0], 1000.0, [1e-3, 1e-3])
    assert h == 1000.0
    np.testing.assert_allclose(C, [[3.0, 4000.0, -9.81e6 / 2], [4.0, -9810.0, 0.0]], rtol=1e-15)
    C, h = nm.affine_taylor(np.zeros((2, 2)), *NONE, [3.0, 4.0], 1e9, [1.0, 1.0])
    assert h == 1e9 and C.tolist() == [[3.0], [4.0]]
    C, h = nm.affine_taylor(np.zeros((2, 2)), *NONE, [0.0, 0.0], 1.0, [1.0, 1.0])
    assert h == 1.0 and C.tolist() == [[0.0], [0.0]]


def test_polynomial_drive_ends_too():
    """v' = 6 tau, x' = v: x = tau^3, though the signal's first coefficient is zero."""
    C, h = nm.affine_taylor([[0, 1], [0, 0]], [[0.0], [1.0]], [[0.0, 6.0]], [0.0, 0.0], 2.0, [1.0, 1.0])
    assert h == 2.0
    np.testing.assert_allclose(C, [[0, 0, 0, 8.0], [0, 0, 12.0, 0]], atol=0)


def test_harmonic_drive():
    """Oscillator under sin(5 t) from rest, its Taylor coefficients given: forced motion in closed form."""
    w, q, columns = 3.0, 5.0, 31
    s = np.zeros((1, columns))
    t, x = 0.0, np.zeros(2)
    while t < 10.0:
        for k in range(columns):
            factorial = float(np.prod(np.arange(1.0, k + 1)))
            s[0, k] = np.sin(q * t + k * np.pi / 2) * q**k / factorial
        C, h = nm.affine_taylor([[0, 1], [-w * w, 0]], [[0.0], [1.0]], s, x, 10.0 - t, [1.0, w])
        for theta in (0.4, 1.0):
            at = t + theta * h
            expected = (np.sin(q * at) - q / w * np.sin(w * at)) / (w * w - q * q)
            assert nm.polynomial_value(C, theta)[0] == pytest.approx(expected, abs=2e-14)
        t, x = t + h, nm.polynomial_value(C, 1.0)


def test_short_horizon_needs_few_terms():
    C, h = nm.affine_taylor(
        chain(2, 50.0, 0.0), np.zeros((4, 0)), np.zeros((0, 1)), np.ones(4), 1e-3, np.ones(4)
    )
    assert h == 1e-3 and C.shape[1] <= 11


def test_steps_add_up_without_rounding():
    w = 2 * np.pi
    _, h = nm.affine_taylor([[0, 1], [-w * w, 0]], *NONE, [1.0, 0.3], 100.0, [1.0, w])
    mantissa, _ = np.frexp(h)
    assert (mantissa * 2**24) % 1 == 0


def test_instability_and_growth():
    """Negative damping (Stribeck): x grows by exp(20) and keeps its relative accuracy."""
    x, _, _ = nm.affine_propagate([[0, 1], [-100.0, 4.0]], np.zeros(2), [1e-9, 0.0], 10.0, [1.0, 10.0])
    np.testing.assert_allclose(x, expm(np.array([[0, 1], [-100.0, 4.0]]) * 10.0) @ [1e-9, 0.0], rtol=1e-12)


def test_against_an_ode_solver():
    rng = np.random.default_rng(6)
    A = rng.standard_normal((6, 6))
    x0 = rng.standard_normal(6)
    x, _, _ = nm.affine_propagate(A, np.ones(6), x0, 3.0, np.ones(6))
    reference = solve_ivp(lambda t, y: A @ y + 1.0, (0, 3), x0, method="DOP853", rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(x, reference.y[:, -1], rtol=1e-11)


def test_too_few_columns():
    with pytest.raises(ValueError, match="C needs at least 3 columns"):
        nm.affine_taylor(np.eye(2), *NONE, [1.0, 1.0], 1.0, [1.0, 1.0], 2)
