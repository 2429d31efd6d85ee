"""Allowed matrices of a machine: symmetric mass, gyroscopic damping, circulatory stiffness."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss


@pytest.mark.parametrize(
    ("mass", "message"),
    [
        (
            [[1.0, 0.5], [0.0, 1.0]],
            r"mass is not symmetric: mass\[0, 1\] = 0.5, but mass\[1, 0\] = 0; kinetic energy",
        ),
        ([[1.0, 2.0], [2.0, 1.0]], "mass is not positive definite"),
        (
            [[1.0, 0.5], [0.5, 0.0]],
            r"mass\[1\] = 0 is not allowed: it must be > 0, or 0 where constraints tie",
        ),
    ],
)
def test_indefinite_or_asymmetric_mass_is_refused(mass: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ss.Machine(mass=mass)


def test_gyroscopic_forces_do_no_work() -> None:
    """Foucault: M = 1, D skew, K = w^2. Energy is kept to rounding and the path is that of scipy."""
    g = 0.7
    m = ss.Machine(mass=[1.0, 1.0], damping=[[0.0, -g], [g, 0.0]], stiffness=4.0, names=["x", "y"])
    start = {"x.position": 1.0, "y.velocity": 0.3}
    run = ss.simulate(m, t_end=20.0, dt=0.1, initial=start)
    e = run.energy
    assert np.abs(e.damping).max() < 1e-13 * e.kinetic.max()
    assert e.kinetic + e.elastic == pytest.approx(np.full(run.t.size, 0.5 * 4.0 + 0.5 * 0.09), rel=1e-13)
    truth = solve_ivp(
        lambda t, q: [q[2], q[3], -4 * q[0] + g * q[3], -4 * q[1] - g * q[2]],
        (0, 20), [1.0, 0.0, 0.0, 0.3], t_eval=run.t, rtol=1e-12, atol=1e-14, method="DOP853",
    )  # fmt: skip
    assert run.y == pytest.approx(truth.y, abs=2e-10)


def test_the_work_of_circulatory_forces_closes_the_balance() -> None:
    """Follower forces -N q with N skew: their work is the integral of -v.N q, which scipy adds up beside the motion."""
    n, d = 0.3, 0.05
    m = ss.Machine(
        mass=[1.0, 1.0], damping=d, stiffness=[[4.0, n], [-n, 5.0]], names=["x", "y"]
    )  # fmt: skip
    run = ss.simulate(m, t_end=12.0, dt=0.1, initial={"x.position": 1.0})

    def rate(t: float, q: np.ndarray) -> list[float]:
        x, y, vx, vy, _, _ = q
        return [
            vx,
            vy,
            -4 * x - n * y - d * vx,
            n * x - 5 * y - d * vy,
            n * (vx * y - vy * x),
            d * (vx**2 + vy**2),
        ]

    truth = solve_ivp(
        rate, (0, 12), [1, 0, 0, 0, 0, 0], t_eval=run.t, rtol=1e-12, atol=1e-14, method="DOP853"
    )
    assert run.y == pytest.approx(truth.y[:4], abs=1e-10)
    e = run.energy
    assert np.abs(truth.y[4]).max() > 0.02  # it matters here
    assert e.damping == pytest.approx(truth.y[4] + truth.y[5], abs=1e-10)
    assert e.elastic == pytest.approx(2.0 * truth.y[0] ** 2 + 2.5 * truth.y[1] ** 2, abs=1e-10)
    assert e.residual < 1e-13


def test_circulatory_forces_can_destabilise_rest() -> None:
    """Flutter: with equal stiffness any circulatory part without damping grows like exp(n t / (2 w))."""
    n, w = 0.2, 2.0
    m = ss.Machine(mass=[1.0, 1.0], stiffness=[[w**2, n], [-n, w**2]], names=["x", "y"])
    growth = max(m.poles().real)
    assert growth == pytest.approx(np.sqrt(complex(-(w**2), n)).real, rel=1e-12)
    run = ss.simulate(m, t_end=40.0, dt=0.5, initial={"x.position": 1e-3})
    assert run.energy.residual < 1e-12 and run.energy.damping[-1] < 0.0
