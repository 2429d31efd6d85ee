"""Change of a motion when `rtol` changes tenfold, compared with the growth of a perturbation of its start."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from families.case import Case

RTOL, PERTURBATION, EVENTS = 1e-7, 1e-8, 10
BESIDE = 1e-5  # of the time: so close to an event two motions may be on either side of it
REST = 1e-6  # of the positions over the time: velocities so small are what rounding leaves of rest
MOST = {"max_events": 2000, "max_time": 5.0}


def _tenth(run: ss.Trajectory) -> float:
    """Time of the tenth event after the start at 0, or the end."""
    times = np.unique([e.time for e in run.events if e.time > 0.0])
    return float(times[EVENTS - 1]) if times.size >= EVENTS else run.state.t


def _sequence(run: ss.Trajectory, end: float) -> list[tuple[str, str]]:
    early = [e for e in run.events if e.time < end * (1.0 - 1e-9)]
    return [(e.element, str(e.after)) for e in early]


def shift(case: Case) -> tuple[float, float, str]:
    """(change with rtol, growth of the perturbation), relative to the states; and why it is not told.

    No state of a machine with a constraint can be moved alone: its growth is 0.
    """
    options = {k: v for k, v in case.options.items() if k not in ("initial", "rtol")} | MOST
    initial = case.options.get("initial", {})
    constrained = any(e["kind"] == "constraint" for e in case.machine.to_dict()["elements"])
    coarse, fine = (
        ss.simulate(case.machine, case.t_end, initial=initial, rtol=r, **options) for r in (RTOL, 0.1 * RTOL)
    )
    if not (coarse.success and fine.success):
        return 0.0, 0.0, "not finished"
    contacts = any(name.endswith(".gap") for name in fine.signals)
    moved = dict(initial)
    for name in fine.states:
        kind, value = name.rsplit(".", 1)[-1], initial.get(name, 0.0)
        if (kind == "position" and not contacts) or (kind == "velocity" and value):
            moved[name] = value + PERTURBATION * max(abs(value), 1.0)
    other = fine
    if not constrained:
        other = ss.simulate(case.machine, case.t_end, initial=moved, rtol=0.1 * RTOL, **options)
    end = min(_tenth(run) for run in (coarse, fine, other))
    if not (_sequence(fine, end) == _sequence(other, end) == _sequence(coarse, end)):
        return 0.0, 0.0, "grazes"
    n = 2 * len(case.machine.names)
    times = np.array([e.time for run in (coarse, fine, other) for e in run.events])
    grid = np.linspace(0.0, end * (1.0 - 1e-9), 200)
    grid = grid[[np.abs(times - t).min(initial=np.inf) > BESIDE * end for t in grid]]
    a, b, c = (run.at(grid).y[:n] for run in (coarse, fine, other))
    far = float(np.abs(b[: n // 2]).max())
    fast = max(float(np.abs(b[n // 2 :]).max()), REST * far / end)
    size = np.repeat([far, fast], n // 2)[:, None] + 1e-300
    return float(np.max(np.abs(a - b) / size)), float(np.max(np.abs(c - b) / size)) / PERTURBATION, ""
