"""Divergence of a sampled loop, by its matrix over one period, and of a run with it.

Far away from rest dry friction and outputs within limits are bounded, and what remains is linear: the plant with its
viscous friction, held outputs, and the controllers without limits. If an eigenvalue of that map from sample to sample is
greater than 1 in size, no motion that has grown beyond what is bounded comes back: it grows by that much a period.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import expm

import stickslip as ss
from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._control_law import Block, block_of
from stickslip.analysis.auditing._description import Description, describe

FAR = 1e3  # m/s: so fast nothing of what is bounded is left in the growth
LIKE = 0.02  # of its logarithm: the growth of a run over many periods beside the eigenvalue


def _reads(loop: dict[str, Any], block: Block, names: tuple[str, ...]) -> np.ndarray | None:
    """Combination of positions and velocities that each channel reads; None for accelerations."""
    n = len(names)
    rows = np.zeros((len(block.channels), 2 * n))
    for i, c in enumerate(block.channels):
        for name, factor in loop[f"{c.of}s"][c.index]["names"].items():
            thing, kind = name.rsplit(".", 1)
            if kind.startswith("output"):
                continue  # of a loop with limits
            order = ("position", "velocity").index(kind) + c.order
            if order > 1 or c.difference:
                return None
            rows[i, order * n + names.index(thing)] += factor
    return rows


def _free(d: Description) -> dict[str, Any] | None:
    """The one loop without limits, if it is sampled and all others have limits."""
    free = [e for e in d.loops if not np.isfinite([*e["control"]["options"]["limits"].values()]).any()]
    sampled = all(e["control"]["options"]["period"] > 0.0 for e in d.loops)
    return free[0] if len(free) == 1 and sampled else None


def period_map(machine: ss.Machine) -> tuple[float, np.ndarray] | None:
    """(period, matrix of positions, velocities, states of the controller and its held output from sample to sample)."""
    d = describe(machine)
    loop = _free(d)
    block = None if loop is None else block_of(loop["control"])
    if loop is None or block is None or loop["control"]["law"]["kind"] == "LTI":
        return None
    names, n = d.names, len(d.names)
    rows = _reads(loop, block, names)
    if rows is None or len(loop["to"]) != 1:
        return None
    damping = d.damping.copy()
    for p in d.places:
        fast = np.array([1e9])
        viscous = _laws.parts(
            p.law, fast, np.ones(1), np.ones((sum(map(_laws.state_count, p.law.terms)), 1))
        )[1]
        damping += float(viscous[0] / fast[0]) * np.outer(p.along.numbers, p.along.numbers)
    solve, push = np.linalg.inv(d.mass.numbers), d.direction(loop["to"][0])
    flow = np.zeros((2 * n + 1, 2 * n + 1))
    flow[:n, n : 2 * n] = np.eye(n)
    flow[n : 2 * n, :n], flow[n : 2 * n, n : 2 * n] = -solve @ d.stiffness, -solve @ damping
    flow[n : 2 * n, -1] = solve @ push
    options = loop["control"]["options"]
    period, delay = options["period"], options["delay"]
    first, second = expm(flow * delay), expm(flow * (period - delay))
    m = block.A.shape[0]
    step = np.linalg.inv(np.eye(m) - period * block.A)  # the backward rectangle rule
    out = np.zeros((2 * n + m + 1, 2 * n + m + 1))
    for column, one in enumerate(np.eye(2 * n + m + 1)):
        x, z, held = one[: 2 * n], one[2 * n : 2 * n + m], one[-1]
        after = step @ (z + period * (block.B @ (rows @ x)))
        u = float((block.C @ after + block.D @ (rows @ x))[0])
        x = (first @ np.append(x, held))[: 2 * n]
        x = (second @ np.append(x, u))[: 2 * n]
        out[:, column] = [*x, *after, u]
    return period, out


def growth(run: ss.Trajectory, period: float) -> float | None:
    """By how much the greatest velocity grows in a period, where it is greater than `FAR`."""
    n = len(run.machine.names)
    instants = np.arange(0.0, run.t[-1], period)
    v = np.maximum.accumulate(np.abs(run.at(instants).y[n : 2 * n]).max(axis=0))
    far = np.flatnonzero(v > FAR)
    if far.size < 5:
        return None
    slope = np.polyfit(instants[far], np.log(v[far]), 1)[0]
    return float(np.exp(slope * period))


def verdict(run: ss.Trajectory) -> str:
    """``diverges: proven``, or nothing."""
    found = period_map(run.machine)
    if found is None:
        return ""
    period, matrix = found
    radius = float(np.abs(np.linalg.eigvals(matrix)).max())
    grown = growth(run, period)
    if radius <= 1.0 or grown is None or abs(np.log(grown) / np.log(radius) - 1.0) > LIKE:
        return ""
    return "diverges: proven"
