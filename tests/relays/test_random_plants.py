"""Random linear plants with one relay against an independent program: Filippov's equivalent control, events by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

T_END = 6.0


def _plant(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Matrices, form and start of a plant of order 2 to 4; the output acts on the rate of the form, or on a later one."""
    rng = np.random.default_rng([38001, seed])
    n = int(rng.integers(2, 5))
    a = rng.normal(size=(n, n)) - 0.8 * np.eye(n)
    b, c, d = (rng.normal(size=n) for _ in range(3))
    if seed % 3 == 0:
        c -= b * (c @ b) / (b @ b)  # a relay that only switches
    elif c @ b < 0.0:
        c = -c
    if seed % 3 == 0 and c @ a @ b < 0.0:
        b = -b  # drives back by the second derivative
    return a, b, c, 0.5 * d, rng.normal(size=n)


def _reference(seed: int, times: np.ndarray) -> tuple[np.ndarray, list[float]]:
    """States, and the times of all changes: u = -sgn s, or the u between -1 and 1 that holds s = 0."""
    a, b, c, d, x = _plant(seed)
    cb = c @ b if seed % 3 else 0.0
    t, changes, rows = 0.0, [], [x]
    mode = -int(np.sign(c @ x))

    def equivalent(x: np.ndarray) -> float:
        return float(-c @ (a @ x + d) / cb)

    while t < T_END:

        def rate(t: float, x: np.ndarray, mode: int = mode) -> np.ndarray:
            return np.asarray(a @ x + d + b * (mode or equivalent(x)))

        def ends(t: float, x: np.ndarray, mode: int = mode) -> float:
            return float(1e-15 - mode * (c @ x)) if mode else abs(equivalent(x)) - 1.0

        ends.terminal, ends.direction = True, -1.0 if mode else 1.0  # type: ignore[attr-defined]
        step = solve_ivp(
            rate, (t, T_END), x, "DOP853", events=ends, rtol=1e-12, atol=1e-14, dense_output=True
        )
        inside = times[(times > t) & (times <= step.t[-1])]
        rows += [step.sol(time) for time in inside]
        t, x = float(step.t[-1]), step.y[:, -1]
        if step.status != 1:
            break
        changes.append(t)
        if mode:
            x = x - c * (c @ x) / (c @ c)
            mode = 0 if cb and abs(equivalent(x)) < 1.0 else -mode
            x = x - mode * 1e-15 * c / (c @ c)
        else:
            mode = int(np.sign(equivalent(x)))
    return np.array(rows), changes


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 60))]
)
def test_switchings_and_sliding_are_those_of_filippov(seed: int) -> None:
    times = np.linspace(0.0, T_END, 61)
    a, b, c, d, start = _plant(seed)
    n = len(b)
    states = [f"x{k}" for k in range(n)]
    plant = ss.StateSpace(A=a, B=np.column_stack([b, d]), C=np.eye(n), states=states)
    plant.add_signal("u1", 1.0)
    plant.add_relay("relay", on=dict(zip(states, c, strict=True)), low=1.0, high=-1.0, to="u0")
    run = ss.simulate(plant, T_END, initial=dict(zip(states, start, strict=True)), t_eval=times)
    expected, changes = _reference(seed, times)
    assert run.success
    # Seed 54 needs 2e-8, seed 18 1.2e-9, all others 1e-9.
    assert np.array(run.events.time) == pytest.approx(changes, abs=2e-8)
    assert np.abs(run.y[:n].T - expected).max() < 2e-8 * np.abs(expected).max()
