"""Machines with constraints against the same machines eliminated by hand: same events, same motion."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

from .reduced import Constrained, random_machine

T_END = 4.0


def compared(case: Constrained, seed: int) -> tuple[int, float, float, float]:
    """Number of events, and the worst differences of times, positions and velocities, relative to the greatest."""
    z, b = case.elimination()
    rng = np.random.default_rng(1000 + seed)
    y = 0.2 * rng.normal(size=2 * z.shape[1])
    n, f = z.shape
    q0 = z @ y[:f] + b @ [v.at(0.0) for v in case.values]
    v0 = z @ y[f:] + b @ [v.at(0.0, 1) for v in case.values]
    t = np.linspace(0.0, T_END, 201)
    whole = ss.simulate(case.machine(), T_END, t_eval=t, initial=_initial(q0, v0))
    small = ss.simulate(case.reduced().machine(), T_END, t_eval=t, initial=_initial(y[:f], y[f:]))
    assert whole.success and small.success, (whole.message, small.message)
    assert [(e.element, str(e.before), str(e.after)) for e in whole.events] == [
        (e.element, str(e.before), str(e.after)) for e in small.events
    ]
    times = np.abs(whole.events.time - small.events.time).max(initial=0.0)
    moved = [
        z @ small.y[:f] + b @ np.array([v.at(t) for v in case.values]),
        z @ small.y[f : 2 * f] + b @ np.array([v.at(t, 1) for v in case.values]),
    ]
    off = [
        np.abs(x - y).max() / np.abs(y).max()
        for x, y in zip((whole.y[:n], whole.y[n : 2 * n]), moved, strict=True)
    ]
    drift = [
        np.abs(case.rows @ whole.y[:n] - np.array([v.at(t) for v in case.values])).max(),
        np.abs(case.rows @ whole.y[n : 2 * n] - np.array([v.at(t, 1) for v in case.values])).max(),
    ]
    assert max(drift) < 1e-13 * max(1.0, np.abs(whole.y[: 2 * n]).max())
    reports = [ss.analysis.audit(run) for run in (whole, small)]
    assert reports[0].passed or not reports[1].passed, reports[
        0
    ]  # the rule of choice is not the constraints'
    return len(whole.events), times, off[0], off[1]


def _initial(q: np.ndarray, v: np.ndarray) -> dict[str, float]:
    return {
        f"q{i}.{what}": float(x[i]) for what, x in (("position", q), ("velocity", v)) for i in range(len(q))
    }


@pytest.mark.parametrize("seed", range(40))
def test_constrained_gears_agree_with_minimal_coordinates(seed: int) -> None:
    _, times, q, v = compared(random_machine(seed), seed)
    assert times < 1e-12 and q < 1e-12 and v < 1e-12


@pytest.mark.parametrize("seed", range(100, 125))
def test_prescribed_motions_agree_with_minimal_coordinates(seed: int) -> None:
    _, times, q, v = compared(random_machine(seed, moving=True), seed)
    assert times < 1e-12 and q < 1e-12 and v < 1e-12


@pytest.mark.parametrize("directions", [2, 4])
@pytest.mark.parametrize("seed", range(200, 220))
def test_friction_polygons_agree_with_minimal_coordinates(seed: int, directions: int) -> None:
    case = random_machine(seed, moving=seed % 2 == 1, contacts=False, directions=directions)
    _, times, q, v = compared(case, seed)
    assert times < 1e-12 and q < 1e-12 and v < 1e-12


def test_compared_machines_have_events() -> None:
    events = [len(ss.simulate(random_machine(seed).machine(), T_END).events) for seed in range(10)]
    assert sum(events) > 60
