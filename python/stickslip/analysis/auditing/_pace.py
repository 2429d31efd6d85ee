"""Time scale of a machine, which the panels of the audit must resolve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._control_law import Channel, block_of
from stickslip.analysis.auditing._description import Description

Array = NDArray[np.float64]
_READS = ("position", "velocity")


def fastest(d: Description) -> float:
    """Return a bound of the rates of the linear part, 1/s: of the plant with springs, of the controllers, and of both
    together.
    """
    inverse, stiffness, damping = np.linalg.inv(d.mass.numbers), d.stiffness, d.damping
    for s in d.springs:
        stiffness = stiffness + s.stiffness * np.outer(s.along, s.along)
        damping = damping + len(s.parts) * s.damping * np.outer(s.along, s.along)
    for one in d.detents:
        stiffness = stiffness + one.slope * np.outer(one.along, one.along)
        damping = damping + one.damping * np.outer(one.along, one.along)
    stiff, damped = np.linalg.eigvals(inverse @ stiffness), np.linalg.eigvals(inverse @ damping)
    plant = float(np.sqrt(np.abs(stiff).max(initial=0.0)) + np.abs(damped).max(initial=0.0))
    loops = _Loops(d)
    own = [np.abs(np.linalg.eigvals(b.A)).max(initial=0.0) for _, b in loops.found]
    n = len(d.names)
    closed = loops.rates
    closed[:n, n : 2 * n] = np.eye(n)
    closed[n : 2 * n, :n] -= inverse @ stiffness
    closed[n : 2 * n, n : 2 * n] -= inverse @ damping
    closed[n : 2 * n] += inverse @ loops.forces
    return max([plant, float(np.abs(np.linalg.eigvals(closed)).max(initial=0.0)), *map(float, own)])


class _Loops:
    """Continuous controllers off their limits, as rows over (q, v, their states); accelerations are left out."""

    def __init__(self, d: Description) -> None:
        known = [(loop, block_of(loop["control"])) for loop in d.loops]
        self.found = [(e, b) for e, b in known if b is not None and e["control"]["options"]["period"] == 0.0]
        self._names, n = d.names, 2 * len(d.names)
        self._size = n + sum(b.A.shape[0] for _, b in self.found)
        self._outputs: dict[str, Array] = {}
        self.rates = np.zeros((self._size, self._size))
        for _ in range(len(self.found) + 1):  # through chains of controllers
            self._pass(n)
        self.forces = np.zeros((len(d.names), self._size))
        for push in d.pushes:
            if push.sampled in self._outputs:
                self.forces += np.outer(push.along, self._outputs[push.sampled])

    def _pass(self, first: int) -> None:
        for e, b in self.found:
            m = b.A.shape[0]
            z = np.eye(self._size)[first : first + m]
            w = np.array([self._read(e, c) for c in b.channels]).reshape(-1, self._size)
            self.rates[first : first + m] = b.A @ z + b.B @ w
            for k, row in enumerate(b.C @ z + b.D @ w):
                self._outputs[f"{e['name']}.output{k if len(b.C) > 1 else ''}"] = row
            first += m

    def _read(self, e: dict[str, Any], c: Channel) -> Array:
        row = np.zeros(self._size)
        for name, factor in e[f"{c.of}s"][c.index]["names"].items():
            thing, kind = name.rsplit(".", 1)
            if kind in _READS and thing in self._names and _READS.index(kind) + c.order < len(_READS):
                row[len(self._names) * (_READS.index(kind) + c.order) + self._names.index(thing)] += factor
            elif name in self._outputs and c.order == 0:
                row = row + factor * self._outputs[name]
        return row


def fastest_signal(d: Description, begin: float, end: float) -> float:
    """Return a bound of the rates of the signals, 1/s: greatest second over greatest first derivative."""
    t, rate = np.linspace(begin, end, 257), 0.0
    for s in d.signals():
        if not s.is_constant:
            slope = np.abs(s.values(t, 1)).max()
            rate = max(rate, np.abs(s.values(t, 2)).max() / slope if slope > 0.0 else 0.0)
    return float(rate)
