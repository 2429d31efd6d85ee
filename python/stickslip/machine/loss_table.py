"""Losses of a gear over its speed, as in the table of Modelica's ``LossyGear``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import reject
from stickslip.laws import Table


class LossTable(NamedTuple):
    """Losses over the speed of the first shaft; torques refer to this shaft.

    Each flank rubs on the second shaft while power flows forwards, and on the first while it flows backwards: the
    torque L of the flank then loses ``(1 - e) L``, or ``(1 - r) L``, with the efficiencies e and r at the present speed.
    """

    speeds: np.ndarray
    forwards: np.ndarray
    """1 - e"""
    backwards: np.ndarray
    """1 - r"""
    first_bearings: np.ndarray
    second_bearings: np.ndarray

    def of_flank(self, side: float) -> tuple[Table, Table]:
        """Friction on the second and on the first shaft of the flank that drives forwards (side 1) or backwards (-1)."""
        none = np.zeros_like(self.speeds)
        if side > 0.0:
            return self._law(self.forwards, none), self._law(none, self.backwards)
        return self._law(none, self.forwards), self._law(self.backwards, none)

    def of_bearings(self) -> tuple[Table, Table]:
        """Friction of the bearings of the first and the second shaft."""
        first, second = (
            Table(self.speeds, torques, odd=True) for torques in (self.first_bearings, self.second_bearings)
        )
        return first, second

    def _law(self, positive: np.ndarray, negative: np.ndarray) -> Table:
        return Table(np.r_[-self.speeds[::-1], self.speeds], np.r_[-negative[::-1], positive])


def read_loss_table(suffix: str, given: ArrayLike) -> LossTable:
    """Check a table and split the resultant bearing torques t1, t2 into those of both shafts.

    With the torques a on the first and b on the second shaft, both referred to the first, ``t1 = e a + b`` and ``t2 = a/r
    + b`` (Pelchen, Schweiger, Otter 2002; documentation of ``LossyGear``).
    """
    what = "loss_table" + suffix
    table = np.asarray(given, dtype=float)
    if table.ndim != 2 or table.shape[1] != 5 or len(table) == 0 or not np.isfinite(table).all():
        reject(
            what,
            given,
            "an array of finite rows [speed, efficiency, backward efficiency, torque, backward torque]",
        )
    speeds, e, r, t1, t2 = table.T
    if speeds[0] != 0.0 or (np.diff(speeds) <= 0.0).any():
        reject(what + ", speeds", speeds, "increasing from 0")
    if not ((e > 0.0) & (e <= 1.0) & (r <= 1.0)).all():
        reject(what + ", efficiencies", table[:, 1:3], "in (0, 1] forwards and at most 1 backwards")
    if (table[:, 3:] < 0.0).any():
        reject(what + ", bearing torques", table[:, 3:], ">= 0")
    ideal = (e == 1.0) & (r == 1.0)
    first = np.zeros(len(table))
    for k in np.flatnonzero(t1 != t2):
        if ideal[k] or r[k] == 0.0:  # t1 and t2 do not determine a
            allowed = "equal in both directions at efficiencies of 1, and at a backward efficiency of 0"
            reject(what + ", bearing torques", table[k, 3:], allowed)
        first[k] = (t1[k] - t2[k]) / (e[k] - 1.0 / r[k])
    second = t1 - e * first
    if (first < 0.0).any() or (second < 0.0).any():
        reject(
            what + ", bearing torques",
            table[:, 3:],
            "those of friction on both shafts: t1 = e a + b, t2 = a/r + b",
        )
    return LossTable(speeds, 1.0 - e, 1.0 - r, first, second)
