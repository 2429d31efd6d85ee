"""M: a body on 128 or 256 feet with friction that breaks away, stops and lifts off within one second."""

from __future__ import annotations

import numpy as np

import stickslip as ss

from .entries import Entry


def body(feet: int) -> ss.Machine:
    """Pulled aside with up to 6 N and released again, then lifted by a force that passes its weight of 10 N."""
    pull = ss.Piecewise([0.0, 0.2, 0.5, 1.0], [0.0, 6.0, 0.0, 0.0])
    lift = ss.Piecewise([0.0, 0.8, 1.0], [-10.0, -10.0, 5.0])
    m = ss.Machine(mass=[1.0, 1.0, 0.3], names=["x", "y", "phi"], force={"x": pull, "y": lift})
    for i, x in enumerate(np.linspace(-1.0, 1.0, feet)):
        m.add_contact(f"foot{i}", normal={"y": 1.0, "phi": x}, tangent={"x": 1.0}, friction=0.3)
    return m


def _error(run: ss.Trajectory) -> float | str:
    """Of the times: break-away at 0.1 s, stop where the impulse is used up at 0.55 s, no load from 0.9333 s on."""
    if not run.success:
        return str(run.status)
    truth = {"slip+": 0.1, "stick": 0.55, "open": 0.8 + 0.4 / 3.0}
    return max(abs(e.time - truth[str(e.after)]) for e in run.events)


def entries(quick: bool) -> list[Entry]:
    """Rows of M: per simulated second."""
    rows = []
    for feet in (8,) if quick else (32, 128, 256):
        machine = body(feet)
        problem = f"M: {feet} frictional contacts on one body, 1 s"
        rows.append(
            Entry(
                problem, "stickslip many contacts", lambda m=machine: ss.simulate(m, 1.0), _error, ours=True
            )
        )
    return rows
