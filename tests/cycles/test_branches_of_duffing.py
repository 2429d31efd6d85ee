"""Branches of the forced oscillator x'' + c x' + x³ = F cos t (Ueda), whose multipliers SciPy computes."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

C = 0.2


def oscillator(force: float) -> ss.Machine:
    m = ss.Machine(mass=1.0, damping=C, names=["x"])
    m.add_force("x", ss.Sine(amplitude=force, frequency=0.5 / math.pi, phase=0.5 * math.pi))
    m.add_force("x", lambda q, v, t: -(q["x"] ** 3))
    return m


def multipliers(orbit: ss.cycles.Orbit, force: float) -> np.ndarray:
    """Eigenvalues of the fundamental matrix of the variational equation, from the state of the orbit."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, a, b, c, d = y
        slope = -3.0 * x**2
        return [v, force * math.cos(t) - C * v - x**3, c, d, slope * a - C * c, slope * b - C * d]

    start = [*orbit.state.x, 1.0, 0.0, 0.0, 1.0]
    span = (orbit.state.t, orbit.state.t + 2.0 * math.pi)
    end = solve_ivp(rates, span, start, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert end[:2] == pytest.approx(orbit.state.x, abs=1e-8)
    return np.linalg.eigvals(end[2:].reshape(2, 2))


def test_resonance_curve_turns_at_two_folds() -> None:
    branch = ss.cycles.follow(
        ss.cycles.periodic_orbit(oscillator(0.5)), "x.force_scale", (0.4, 1.1), max_step=0.1
    )
    folds = [one for one in branch.bifurcations if one.name == "fold"]
    assert len(folds) == 2
    for one in folds:
        assert np.min(np.abs(multipliers(one.orbit, 0.5 * one.value) - 1.0)) < 1e-6
    values = branch.values
    middle = (values > folds[1].value) & (values < folds[0].value)
    between = np.arange(len(branch))
    assert not branch.stable[middle & (between > np.argmin(np.abs(values - folds[0].value)))].all()
    assert branch.stable[0] and branch.stable[-1]


def test_symmetry_breaks_at_branch_point_and_other_branch_is_followed() -> None:
    """Half a motion is the other half mirrored, until a pitchfork; then the mean position is not zero."""
    branch = ss.cycles.follow(
        ss.cycles.periodic_orbit(oscillator(2.4)), "x.force_scale", (0.99, 1.03), max_step=0.02
    )
    (point,) = branch.bifurcations
    assert point.name == "branch point"
    assert np.min(np.abs(multipliers(point.orbit, 2.4 * point.value) - 1.0)) < 3e-6
    assert point.orbit.mean("x.position") == pytest.approx(0.0, abs=1e-5)
    other = branch.switch(point)
    assert abs(other[-1].mean("x.position")) > 0.03
    assert other.values[-1] == 1.03 and not branch.stable[-1] and other[1].stable
    found = np.sort_complex(other[1].multipliers)
    assert found == pytest.approx(np.sort_complex(multipliers(other[1], 2.4 * other.values[1])), abs=1e-6)
