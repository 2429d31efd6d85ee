"""Runs from one sampling instant to the next: their motion between them, saved, continued, and under curves of friction."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import stickslip as ss

PERIOD = 1e-3
MASS, DAMPING, STIFFNESS = np.diag([2.0, 1.0]), np.array([[3.0, -1.0], [-1.0, 2.0]]), 400.0


def drive(law: ss.Law | float | None = None) -> ss.Machine:
    k = STIFFNESS * np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(mass=MASS, damping=DAMPING, stiffness=k, names=["a", "b"])
    if law is not None:
        m.add_friction("guide", on="b", law=law)
    m.add_controller(
        ss.PI(kp=40.0, tn=0.2, period=PERIOD), "pi", measure="a.velocity", reference=ss.Sine(0.3, 2.0), to="a"
    )
    return m


def held_motion(run: ss.Trajectory, t: float) -> np.ndarray:
    """The plant at t by the matrix exponential from the instant before, with the output held since."""
    k = np.floor(t / PERIOD + 1e-9)
    inverse = np.linalg.inv(MASS)
    A = np.zeros((5, 5))
    A[:2, 2:4] = np.eye(2)
    A[2:4, :2] = -inverse @ (STIFFNESS * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    A[2:4, 2:4] = -inverse @ DAMPING
    A[2:4, 4] = inverse[:, 0]
    at = run.at(np.array([k * PERIOD]))
    names = ("a.position", "b.position", "a.velocity", "b.velocity", "pi.output")
    return (expm(A * (t - k * PERIOD)) @ np.array([at[name][0] for name in names]))[:4]


def test_outputs_are_held_between_sampling_instants() -> None:
    run = ss.simulate(drive(), t_end=2.0)
    for t in (0.0123, 0.70059, 1.23456, 1.9999):
        assert run.sol(t)[:4] == pytest.approx(held_motion(run, t), rel=1e-11, abs=1e-15)
    ends, step = run.sol(np.arange(1, 2000) * PERIOD), 1e-13  # continuous from one to the next
    assert np.abs(run.sol(np.arange(1, 2000) * PERIOD - step)[:4] - ends[:4]).max() < 1e-11
    assert run.energy.residual < 1e-12


def test_saved_run_is_bitwise_equal(tmp_path: Path) -> None:
    run = ss.simulate(drive(ss.Stribeck(1.0, 0.7, 0.05)), t_end=1.0)
    run.save(tmp_path / "run.npz")
    t = np.linspace(0.0, 1.0, 1777)
    assert np.array_equal(ss.load(tmp_path / "run.npz").sol(t), run.sol(t))


@pytest.mark.parametrize("law", [None, 0.8, ss.Stribeck(1.0, 0.7, 0.05, viscous=0.1)])
def test_run_ending_between_sampling_instants_resumes_bitwise_equal(law: ss.Law | float | None) -> None:
    m = drive(law)
    whole, first = ss.simulate(m, t_end=1.0), ss.simulate(m, t_end=0.40037)
    rest = ss.simulate(m, t_end=1.0, state=first.state)
    assert np.array_equal(rest.state.x, whole.state.x) and np.array_equal(whole.y[:, -1], whole.state.x)
    assert np.array_equal(first.state.x, whole.sol(0.40037)) and np.array_equal(first.y[:, -1], first.state.x)


def test_curves_of_friction_are_followed() -> None:
    law = ss.Stribeck(1.0, 0.7, 0.05, viscous=0.1)
    run = ss.simulate(drive(law), t_end=0.2)
    e = run.events[0]  # the load breaks away; compared from instant to instant for as long as it slides
    start = (np.floor(e.time / PERIOD) + 3.0) * PERIOD
    assert e.after == ss.Mode.SLIP_FORWARD
    inverse = np.linalg.inv(MASS)
    x = run.sol(start)[:4]
    for k in range(20):
        u = float(run.at(np.array([start + k * PERIOD]))["pi.output"][0])

        def rate(_: float, y: np.ndarray, u: float = u) -> np.ndarray:
            spring = STIFFNESS * (y[0] - y[1])
            force = np.array([u - spring, spring - float(law.force(y[3]))]) - DAMPING @ y[2:]
            return np.concatenate([y[2:], inverse @ force])

        x = solve_ivp(rate, (0.0, PERIOD), x, method="DOP853", rtol=1e-13, atol=1e-16).y[:, -1]
        assert run.sol(start + (k + 1) * PERIOD)[:4] == pytest.approx(x, rel=1e-10)
