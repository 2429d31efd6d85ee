"""P4: the belt of P1 for many belt speeds in [0.01, 1], 200 s each; error of the number of events."""

from __future__ import annotations

import numpy as np
from reference.belt import Belt

import stickslip as ss

from .belt import engine, machine
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
            lambda: [len(c().events) for c in calls],
            lambda r: float(np.abs(np.array(r) - expected_few).max()),
            len(few),
            ours=True,
        )
    ]
    ensemble = getattr(ss, "ensemble", None)
    if callable(ensemble):
        m = machine()
        parameters = {"belt.surface_velocity": speeds}

        def call():
            result = ensemble(m, parameters=parameters, measure=["events.count"], t_end=t_end)
            return np.asarray(result["events.count"])

        rows.append(
            Entry(
                problem,
                "stickslip.ensemble",
                call,
                lambda r: float(np.abs(r - expected).max()),
                count,
                ours=True,
            )
        )
    return rows
