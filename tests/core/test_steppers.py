"""Explicit pair and Rosenbrock method: orders, stability, a stiff friction problem."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp.rk import RK45

from stickslip._core import numerics as nm


def pendulum(t, x):
    """A driven pendulum: smooth, nonlinear, not autonomous."""
    return np.array([x[1], -np.sin(x[0]) - 0.1 * x[1] + 0.5 * np.cos(1.3 * t)])


def pendulum_jacobian(t, x):
    return np.array([[0.0, 1.0], [-np.cos(x[0]), -0.1]]), np.array([0.0, -0.65 * np.sin(1.3 * t)])


X0 = np.array([0.7, -0.4])
TRUTH = solve_ivp(pendulum, (0, 2), X0, method="DOP853", rtol=1e-13, atol=1e-15, dense_output=True).sol


def march(step, count):
    """Worst errors of steps and of dense output over [0, 2] in equal steps."""
    h, x, at_nodes, inside = 2 / count, X0, 0.0, 0.0
    for i in range(count):
        x, C = step(i * h, x, h)
        at_nodes = max(at_nodes, np.abs(x - TRUTH((i + 1) * h)).max())
        for theta in (0.2, 0.5, 0.85):
            inside = max(inside, np.abs(nm.polynomial_value(C, theta) - TRUTH((i + theta) * h)).max())
    return at_nodes, inside


def explicit(t, x, h):
    x1, _, _, C = nm.dopri5_step(pendulum, t, x, h)
    return x1, C


def stiff(t, x, h):
    J, ft = pendulum_jacobian(t, x)
    done, x1, _, C, _ = nm.rosenbrock_step(pendulum, J, ft, t, x, h)
    assert done
    return x1, C


@pytest.mark.parametrize("step", [explicit, stiff])
def test_measured_order(step):
    """Order 5 of the steps; the local error of dense output has order 5, so it keeps up."""
    coarse, fine = march(step, 20), march(step, 40)
    for a, b in zip(coarse, fine, strict=True):
        assert 4.6 < np.log2(a / b) < 5.8


@pytest.mark.parametrize("step", [explicit, stiff])
def test_error_estimate_has_order_four_plus_one(step):
    def estimate(h):
        if step is explicit:
            return np.abs(nm.dopri5_step(pendulum, 0.3, X0, h)[2]).max()
        J, ft = pendulum_jacobian(0.3, X0)
        return np.abs(nm.rosenbrock_step(pendulum, J, ft, 0.3, X0, h)[2]).max()

    assert 4.7 < np.log2(estimate(0.08) / estimate(0.04)) < 5.3


def test_dopri5_is_the_pair_of_scipy():
    x1, k7, error, C = nm.dopri5_step(pendulum, 0.3, X0, 0.1)
    reference = RK45(pendulum, 0.3, X0, 1.0, first_step=0.1, rtol=1.0, atol=1.0)
    reference.step()
    np.testing.assert_allclose(x1, reference.y, rtol=1e-15)
    np.testing.assert_allclose(k7, reference.f, rtol=1e-15)
    np.testing.assert_allclose(error, -0.1 * reference.K.T @ reference.E, rtol=1e-9, atol=1e-18)
    dense = reference.dense_output()
    for theta in np.linspace(0, 1, 9):
        np.testing.assert_allclose(nm.polynomial_value(C, theta), dense(0.3 + 0.1 * theta), rtol=3e-15)


def test_dense_output_meets_the_ends_and_for_the_pair_their_slopes():
    h = 0.1
    x1, k7, _, C = nm.dopri5_step(pendulum, 0.3, X0, h)
    np.testing.assert_allclose(nm.polynomial_value(C, 1.0), x1, rtol=1e-15)
    np.testing.assert_allclose(nm.polynomial_derivative(C, 0.0, h, 1), pendulum(0.3, X0), rtol=1e-13)
    np.testing.assert_allclose(nm.polynomial_derivative(C, 1.0, h, 1), k7, rtol=1e-13)
    J, ft = pendulum_jacobian(0.3, X0)
    _, x1, _, C, _ = nm.rosenbrock_step(pendulum, J, ft, 0.3, X0, h)
    np.testing.assert_allclose(nm.polynomial_value(C, 0.0), X0, rtol=0)
    np.testing.assert_allclose(nm.polynomial_value(C, 1.0), x1, rtol=1e-14)


# Order conditions of Rosenbrock methods: Hairer and Wanner, Solving ODEs II, theorem IV.7.4. A tree is the
# tuple of its branches; a node with one branch has the weights alpha + gamma, any other one alpha.


def trees(order):
    if order == 1:
        return [()]
    found = set()
    for parts in partitions(order - 1):
        for branches in itertools.product(*[trees(p) for p in parts]):
            found.add(tuple(sorted(branches)))
    return sorted(found)


def partitions(n, largest=None):
    largest = largest or n
    if n == 0:
        return [()]
    return [(k, *rest) for k in range(min(n, largest), 0, -1) for rest in partitions(n - k, k)]


def size(tree):
    return 1 + sum(size(b) for b in tree)


def density(tree):
    return size(tree) * int(np.prod([density(b) for b in tree], dtype=int))


@pytest.fixture(scope="module")
def tableau():
    """alpha, Gamma and weights in the untransformed form."""
    raw = nm.rodas5p()
    a = np.zeros((8, 8))
    a[:6] = raw["a"]
    a[6], a[7] = a[5], a[5]
    a[6, 5] = a[7, 5] = a[7, 6] = 1.0
    gamma = np.linalg.inv(np.eye(8) / raw["gamma"] - np.array(raw["C"]))
    m = a[7].copy()
    m[7] = 1.0
    return {
        "raw": raw,
        "alpha": a @ gamma,
        "gamma": gamma,
        "b": m @ gamma,
        "H": np.array(raw["H"]) @ gamma,
        "m": m,
    }


def elementary(tree, alpha, gamma):
    if not tree:
        return np.ones(8)
    if len(tree) == 1:
        return (alpha + gamma) @ elementary(tree[0], alpha, gamma)
    return np.prod([alpha @ elementary(b, alpha, gamma) for b in tree], axis=0)


def test_number_of_trees():
    assert [len(trees(k)) for k in range(1, 6)] == [1, 1, 2, 4, 9]


def test_rodas5p_order_conditions(tableau):
    """All 17 conditions of order 5; all 8 of order 4 for the embedded result."""
    alpha, gamma, b = tableau["alpha"], tableau["gamma"], tableau["b"]
    embedded = b - gamma[7]  # the error estimate is the last stage
    for order in range(1, 6):
        for tree in trees(order):
            phi = elementary(tree, alpha, gamma)
            assert b @ phi == pytest.approx(1 / density(tree), abs=2e-13)
            if order <= 4:
                assert embedded @ phi == pytest.approx(1 / density(tree), abs=2e-13)
    assert abs(embedded @ elementary(((((),),),), alpha, gamma) - 1 / 120) > 1e-6  # and no more than order 4


def test_rodas5p_dense_output_conditions(tableau):
    """Dense output satisfies all conditions of order 4 at every theta."""
    alpha, gamma, b, H = (tableau[k] for k in ("alpha", "gamma", "b", "H"))
    for theta in np.linspace(0, 1, 6):
        weights = theta * (b + (1 - theta) * (H[0] + theta * (H[1] + theta * H[2])))
        for order in range(1, 5):
            for tree in trees(order):
                phi = elementary(tree, alpha, gamma)
                assert weights @ phi == pytest.approx(theta**order / density(tree), abs=3e-13)


def test_rodas5p_nodes(tableau):
    np.testing.assert_allclose(tableau["alpha"].sum(axis=1), tableau["raw"]["c"], atol=3e-14)
    np.testing.assert_allclose(tableau["gamma"].sum(axis=1), tableau["raw"]["d"], atol=3e-14)


def test_rodas5p_is_l_stable(tableau):
    """|R| <= 1 on the imaginary axis (poles are in the right half plane), R = 0 at infinity."""
    beta, b = tableau["alpha"] + tableau["gamma"], tableau["b"]

    def stability(z):
        return 1 + z * b @ np.linalg.solve(np.eye(8) - z * beta, np.ones(8))

    assert max(abs(stability(1j * w)) for w in np.geomspace(1e-3, 1e6, 2000)) <= 1 + 1e-12
    assert abs(stability(-1e9)) < 1e-7
    # Through the code: a decay of rate 1e8 is gone after one step of 1.
    done, x1, _, _, _ = nm.rosenbrock_step(
        lambda t, x: -1e8 * x, np.array([[-1e8]]), None, 0.0, np.array([1.0]), 1.0
    )
    assert done and abs(x1[0]) < 1e-6


def test_stiff_and_not_autonomous():
    """Prothero and Robinson: x' = -L (x - cos t) - sin t with L = 1e6 from the exact x = cos t."""
    L, x, h, worst = 1e6, np.array([1.0]), 0.1, 0.0
    for i in range(20):
        t = i * h
        f = lambda t, x: -L * (x - np.cos(t)) - np.sin(t)  # noqa: E731
        ft = np.array([-L * np.sin(t) - np.cos(t)])
        _, x, _, _, _ = nm.rosenbrock_step(f, np.array([[-L]]), ft, t, x, h)
        worst = max(worst, abs(x[0] - np.cos(t + h)))
    assert worst < 1e-9


def test_residual_sees_what_the_stages_step_over():
    """x' = a narrow peak between the stages: the error estimate is blind to it, the residual is not."""
    f = lambda t, x: np.exp(-(((t - 0.5) / 0.03) ** 2)) * np.ones(1)  # noqa: E731
    _, x1, error, _, residual = nm.rosenbrock_step(f, np.zeros((1, 1)), np.zeros(1), 0.0, np.zeros(1), 1.0)
    truth = 0.03 * np.sqrt(np.pi)
    assert abs(x1[0] - truth) > 0.9 * truth
    assert abs(error[0]) < 0.1 * truth and abs(residual[0]) > 0.3


def test_residual_has_the_order_of_the_error_estimate():
    def residual(h):
        J, ft = pendulum_jacobian(0.3, X0)
        return np.abs(nm.rosenbrock_step(pendulum, J, ft, 0.3, X0, h)[4]).max()

    assert 4.5 < np.log2(residual(0.08) / residual(0.04)) < 5.5


def test_fixed_and_free_size_agree():
    """Size 3 is compiled for its size; the same problem with a state that does nothing is not."""
    rng = np.random.default_rng(7)
    A = rng.standard_normal((3, 3))
    x = rng.standard_normal(3)
    B = np.zeros((4, 4))
    B[:3, :3] = A
    small = nm.rosenbrock_step(lambda t, x: np.tanh(A @ x), A, None, 0.0, x, 0.1)
    large = nm.rosenbrock_step(lambda t, x: np.tanh(B @ x), B, None, 0.0, np.append(x, 0.0), 0.1)
    np.testing.assert_allclose(large[1][:3], small[1], rtol=1e-14)
    np.testing.assert_allclose(large[3][:3], small[3], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12])
def test_small_lu_against_numpy(n):
    rng = np.random.default_rng(n)
    a = rng.standard_normal((n, n))
    a[0, 0] = 0.0 if n > 1 else 2.0
    b = rng.standard_normal(n)
    regular, x = nm.lu_solve(a, b)
    assert regular
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-11)
    assert not nm.lu_solve(np.ones((2, 2)), np.ones(2))[0]


def test_lugre_mass_on_a_spring():
    """Stick-slip of Canudas de Wit 1995 over 40 s: the error follows rtol.

    Truth: the method itself at 1e-13; the next test checks it against Radau up to the first break-away. The
    velocity counts in units of the Stribeck velocity, which takes half the steps of 0.1 m/s. Measured on
    a busy server (g++ 12 -O3, 0.43 us an attempt, crossings and 4001 samples included): error 9e-8 in
    0.65 ms (1440 attempts), 3e-9 in 1.1 ms (2580), 2e-10 in 1.8 ms (4030), 3e-11 in 2.8 ms (6430).
    """
    truth = nm.lugre_spring(40.0, 1e-13, 4000)[0]
    for rtol, bound in [(1e-5, 5e-4), (1e-7, 5e-7), (1e-9, 1e-9), (1e-11, 2e-11)]:
        position, _, _, crossings, _ = nm.lugre_spring(40.0, rtol, 4000)
        assert crossings in (20, 21)  # v touches zero to within rounding once
        assert np.abs(position - truth).max() < bound


def test_lugre_against_radau():
    s0, s1, s2, fc, fs, vs = 1e5, np.sqrt(1e5), 0.4, 1.0, 1.5, 1e-3

    def rhs(t, y):
        x, v, z = y
        g = (fc + (fs - fc) * np.exp(-((v / vs) ** 2))) / s0
        dz = v - abs(v) / g * z
        return [v, 2 * (0.1 * t - x) - s0 * z - s1 * dz - s2 * v, dz]

    atol = [1e-11, 1e-13, 1e-16]
    reference = solve_ivp(rhs, (0, 8), np.zeros(3), method="Radau", rtol=1e-9, atol=atol)
    position = nm.lugre_spring(8.0, 1e-10, 8)[0]
    assert position[-1] == pytest.approx(reference.y[0, -1], abs=1e-7)
