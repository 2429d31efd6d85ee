"""Orbits of smooth machines, against SciPy and closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import stickslip as ss


def reference(f: object, x0: list[float], guess: float) -> tuple[float, float]:
    """Period and second multiplier of a planar limit cycle, by shooting from x = x0, v unknown (SciPy)."""

    def jacobian(x: float, v: float) -> np.ndarray:
        h = 1e-6
        return np.column_stack(
            [
                (np.array(f(x + h, v)) - np.array(f(x - h, v))) / (2 * h),
                (np.array(f(x, v + h)) - np.array(f(x, v - h))) / (2 * h),
            ]
        )

    def whole(_t: float, y: np.ndarray) -> np.ndarray:
        J = jacobian(y[0], y[1])
        return np.array([*f(y[0], y[1]), J[0, 0] + J[1, 1]])

    def end(v: float, period: float) -> np.ndarray:
        start = [x0[0], v, 0.0]
        return solve_ivp(whole, (0.0, period), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]

    def rises(_t: float, y: np.ndarray) -> float:
        return float(y[0] - x0[0])

    rises.direction = 1.0  # type: ignore[attr-defined]
    settling = solve_ivp(whole, (0.0, 10.5 * guess), [*x0, 0.0], method="DOP853", rtol=1e-8, events=rises)
    v, period = settling.y_events[0][-1][1], guess
    for _ in range(10):  # Newton's method; rounding errors limit its steps to about 1e-13
        y, h = end(v, period), 1e-5
        by_v = (end(v + h, period) - end(v - h, period))[:2] / (2 * h) - [0.0, 1.0]
        step = np.linalg.solve(np.column_stack([by_v, f(y[0], y[1])]), [x0[0] - y[0], v - y[1]])
        v, period = v + step[0], period + step[1]
        if np.abs(step).max() < 2e-12:
            return period, math.exp(end(v, period)[2])
    raise AssertionError("Newton's method did not converge")


@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_van_der_pol_orbit_agrees_with_scipy(mu: float) -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_force("x", lambda q, v: mu * (1.0 - q["x"] ** 2) * v["x"])
    for rtol, error in ((1e-10, 1e-8), (1e-12, 2e-10)):  # an orbit closes to ten times the tolerance
        orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, 60.0, initial={"x.velocity": 1.0}), rtol=rtol)
        period, other = reference(lambda x, v: (v, mu * (1.0 - x * x) * v - x), [0.0, 2.0], orbit.period)
        assert orbit.period == pytest.approx(period, rel=1e-9)
        assert orbit.multipliers == pytest.approx([1.0, other], abs=error)
        assert orbit.stable


def test_rayleigh_orbit_agrees_with_scipy() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_force("x", lambda v: v["x"] - v["x"] ** 3 / 3.0)
    orbit = ss.cycles.periodic_orbit(m, {"x.velocity": 1.0})
    period, other = reference(lambda x, v: (v, v - v**3 / 3.0 - x), [0.0, 1.7], orbit.period)
    assert orbit.period == pytest.approx(period, rel=1e-9)
    assert orbit.multipliers[1].real == pytest.approx(other, abs=1e-7)


def test_pendulum_orbit_has_two_unit_multipliers() -> None:
    """A conservative machine has a family of orbits, of which none is asymptotically stable; the nearest is found."""
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q: -ss.sin(q["arm"]))
    orbit = ss.cycles.periodic_orbit(m, {"arm.position": 2.0})
    amplitude = orbit.amplitude("arm.position")
    assert amplitude == pytest.approx(2.0, abs=1e-3)
    assert orbit.period == pytest.approx(4.0 * ellipk(math.sin(0.5 * amplitude) ** 2), rel=1e-9)
    assert orbit.multipliers == pytest.approx([1.0, 1.0], abs=1e-3)
    assert not orbit.stable


@pytest.mark.slow
def test_orbit_that_one_run_leaves_is_found_in_parts() -> None:
    """Van der Pol's oscillator with the time reversed: its cycle repels by 8e7 per period, the inverse contraction."""
    mu = 2.0
    forward, backward = (ss.Machine(mass=1.0, stiffness=1.0, names=["x"]) for _ in range(2))
    forward.add_force("x", lambda q, v: mu * (1.0 - q["x"] ** 2) * v["x"])
    backward.add_force("x", lambda q, v: -mu * (1.0 - q["x"] ** 2) * v["x"])
    stable = ss.cycles.periodic_orbit(forward, {"x.velocity": 1.0}, rtol=1e-12)
    x, v = stable.run.y[:, 0]
    start = {"x.position": x, "x.velocity": -v}
    near = ss.simulate(backward, 1.15 * stable.period, initial=start, rtol=1e-12)
    orbit = ss.cycles.periodic_orbit(backward, near, rtol=1e-12)
    period, contraction = reference(lambda x, v: (v, mu * (1.0 - x * x) * v - x), [0.0, 2.0], stable.period)
    assert orbit.period == pytest.approx(period, rel=1e-12) and not orbit.stable
    assert orbit.multipliers[1].real == pytest.approx(1.0 / contraction, rel=1e-6)
