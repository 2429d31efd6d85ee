"""P4: the belt of P1 for many belt speeds in [0.01, 1], 200 s each; error of the number of events."""

from __future__ import annotations

import os

import numpy as np
from reference.belt import Belt

import stickslip as ss

from .block_on_belt import engine, machine
from .entries import Entry


def entries(quick: bool) -> list[Entry]:
    """Rows of P4: the ensemble where the package has one, and one compiled machine after the other."""
    count, t_end = (4, 20.0) if quick else (10_000, 200.0)
    speeds = np.geomspace(0.01, 1.0, count)
    few = speeds[:: max(1, count // 50)]
    expected = np.array([len(Belt(belt_velocity=v).events(t_end)) for v in speeds])
    expected_few = np.array([len(Belt(belt_velocity=v).events(t_end)) for v in few])
    problem = f"P4 belt for {count} speeds (most events missing or too many), per run"
    calls = [engine(machine(v), t_end, 1e-8, [0.0, v]) for v in few]
    rows = [
        Entry(
            problem,
            f"stickslip engine, {len(few)} machines one after the other",
            lambda: [c().event_count for c in calls],
            lambda r: float(np.abs(np.array(r) - expected_few).max()),
            len(few),
            ours=True,
        )
    ]
    m = machine()
    parameters = {"belt.surface_velocity": speeds, "block.velocity": speeds}  # rides with the belt at first
    reference = counts(m, parameters, t_end, 1)
    for workers in sorted({1, cores()}):

        def judge(found, workers=workers):
            same = "" if np.array_equal(found, reference, equal_nan=True) else ", other bits than one thread"
            return f"{float(np.abs(found[:, 0] - expected).max()):.1e}{same}"

        rows.append(
            Entry(
                problem,
                threads(workers),
                lambda w=workers: counts(m, parameters, t_end, w),
                judge,
                count,
                ours=True,
            )
        )
    return rows


def counts(m, parameters, t_end, workers):
    """Return the number of events of each run, and the time of its last."""
    measure = ["events.count", "events.last"]
    result = ss.ensemble(m, parameters, t_end, measure, "zip", workers=workers)
    return np.array([result[name] for name in measure]).T


def cores() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(workers: int) -> str:
    """Return the name of a row."""
    return f"stickslip.ensemble, {workers} thread{'s' * (workers > 1)}"


def scaling(measured: list[dict]) -> list[str]:
    """Return what all cores gain over one, as a fraction of their number."""
    best = {row["solver"]: row["best_s"] for row in measured}
    if cores() == 1 or not {threads(1), threads(cores())} <= best.keys():
        return []
    gain = best[threads(1)] / best[threads(cores())]
    return [
        f"P4: {cores()} threads are {gain:.2f} times as fast as one (parallel efficiency {gain / cores():.2f})"
    ]
