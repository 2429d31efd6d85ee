"""Directions of forces and velocities: numbers, or formulas of positions and time.

Every contact, constraint and place of friction has a rate that is linear in the velocities, ``w(q, t)' q' + w^(q, t)``,
and its derivative ``w' q'' + zeta`` with ``zeta = d/dt(w)' q' + d/dt(w^)`` along the motion. For a gap g(q, t) w is
``dg/dq``, and w^ ``dg/dt``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _formulas
from stickslip.analysis.auditing._formulas import Formulas

if TYPE_CHECKING:
    from stickslip.analysis.auditing._sampling import Samples

Array = NDArray[np.float64]
_MOST = 64  # samples at which it is asked how much a direction turns


def column(values: Array, j: int) -> Array:
    """Return the values at one of the times; constant arrays have one column only."""
    one: Array = values[..., min(j, values.shape[-1] - 1)]
    return one


class Row:
    """A direction of forces and velocities: one factor w for each coordinate."""

    numbers: Array | None = None

    def at(self, at: Samples) -> Array:
        """Return the factors w, shape (coordinates, times), or (coordinates, 1) if constant."""
        raise NotImplementedError

    def turn(self, at: Samples) -> Array | float:
        """Return ``d/dt(w)' q' + d/dt(dg/dt)``, the drift of the rate."""
        return 0.0

    def shift(self, at: Samples) -> Array | float:
        """Return ``dg/dt`` of a gap given by a formula."""
        return 0.0

    def slopes(self, at: Samples) -> Array | None:
        """Return ``dw/dq``, shape (coordinates, coordinates, times or 1); None for constant factors."""
        return None

    def along(self, at: Samples) -> Array:
        """Return the velocity along the row, ``w' q'``."""
        total: Array = (self.at(at) * at.v).sum(axis=0)
        return total

    def reach(self, at: Samples, size: Array) -> Array:
        """Return the greatest sum along the row for values of these sizes."""
        total: Array = np.abs(self.at(at)).T @ size
        return total

    def doubt(self, at: Samples, relative: float, q: Array) -> Array:
        """Return the uncertainty of w if each position is uncertain by ``relative`` times its size q."""
        slopes = self.slopes(at)
        if slopes is None:
            return np.zeros(len(q))
        steepest = np.nan_to_num(np.abs(slopes)).max(axis=-1)
        room: Array = relative * (steepest @ q)
        return room


class Numbers(Row):
    """Row of constant factors."""

    def __init__(self, numbers: Array) -> None:
        self.numbers = numbers

    def at(self, at: Samples) -> Array:
        """Return the factors w, shape (coordinates, 1)."""
        assert self.numbers is not None
        return self.numbers[:, None]


class Turning(Row):
    """Row with a formula for each factor."""

    def __init__(self, formulas: Formulas) -> None:
        self.formulas = formulas

    def at(self, at: Samples) -> Array:
        """Return the factors w, shape (coordinates, times)."""
        return at.kept(("row", id(self)), lambda: _formulas.values(self.formulas, at.known(self.formulas)))

    def turn(self, at: Samples) -> Array:
        """Return ``d/dt(w)' q'``."""
        rates = _formulas.rates(self.formulas, at.known(self.formulas), at.pace)
        total: Array = (rates * at.v).sum(axis=0)
        return total

    def slopes(self, at: Samples) -> Array:
        """Return ``dw/dq``."""
        known = at.some(self.formulas, _MOST)
        return at.kept(("slopes", id(self)), lambda: _formulas.slopes(self.formulas, known, at.positions))


class Gradient(Row):
    """Row of the gradient of one formula of positions and time."""

    def __init__(self, formula: Formulas) -> None:
        self.formula = formula

    def value(self, at: Samples) -> Array:
        """Return the value of the formula."""
        return at.kept(("gap", id(self)), lambda: _formulas.values(self.formula, at.known(self.formula))[0])

    def _all(self, at: Samples) -> Array:
        known, by = at.known(self.formula), [*at.positions, "time"]
        return at.kept(("row", id(self)), lambda: _formulas.slopes(self.formula, known, by)[0])

    def at(self, at: Samples) -> Array:
        """Return the gradient w = dg/dq, shape (coordinates, times)."""
        return self._all(at)[:-1]

    def shift(self, at: Samples) -> Array:
        """Return ``dg/dt``."""
        rate: Array = self._all(at)[-1]
        return rate

    def turn(self, at: Samples) -> Array:
        """Return the drift zeta."""
        turn: Array = _formulas.turns(self.formula, at.known(self.formula), at.pace)[0]
        return turn

    def slopes(self, at: Samples) -> Array:
        """Return ``dw/dq``, the second derivatives of the formula."""
        known = at.some(self.formula, _MOST)
        return at.kept(("slopes", id(self)), lambda: _formulas.bends(self.formula, known, at.positions)[0])


class Gap:
    """A gap, ``w . q + gap(t)`` or a formula g(q, t)."""

    def __init__(self, row: Row, signal: Any) -> None:
        self.row, self.signal = row, signal

    def value(self, at: Samples) -> Array:
        """Return the gap."""
        if isinstance(self.row, Gradient):
            return self.row.value(at)
        assert self.row.numbers is not None
        g: Array = self.row.numbers @ at.q + self.signal.values(at.t)
        return g

    def shift(self, at: Samples) -> Array:
        """Return ``dg/dt``."""
        by_itself: Array = self.row.shift(at) + self.signal.values(at.t, 1)
        return by_itself

    def rate(self, at: Samples) -> Array:
        """Return the rate of the gap."""
        rate: Array = self.row.along(at) + self.shift(at)
        return rate

    def drift(self, at: Samples) -> Array:
        """Return the part of the gap's second derivative that does not depend on accelerations."""
        drift: Array = self.row.turn(at) + self.signal.values(at.t, 2)
        return drift


class Mass:
    """Mass matrix M: constant, or formulas of the positions."""

    def __init__(self, numbers: Array, formulas: Formulas | None) -> None:
        self.numbers, self.formulas = numbers, formulas

    @property
    def moves(self) -> bool:
        """True if the matrix depends on the positions."""
        return self.formulas is not None

    def _square(self, entries: Array) -> Array:
        n = len(self.numbers)
        columns: Array = np.moveaxis(entries.reshape(n, n, *entries.shape[1:]), 0, 1)
        return columns

    def at(self, at: Samples) -> Array:
        """Return M, shape (times, coordinates, coordinates), or (1, coordinates, coordinates) if constant."""
        if self.formulas is None:
            return self.numbers[None]
        f = self.formulas
        m: Array = at.kept(
            ("mass", id(self)), lambda: np.moveaxis(self._square(_formulas.values(f, at.known(f))), -1, 0)
        )
        return m

    def momentum(self, at: Samples) -> Array:
        """Return the momentum ``M q'``, shape (coordinates, times)."""
        if self.formulas is None:
            p: Array = self.numbers @ at.v
            return p
        moved: Array = np.einsum("tij,jt->it", self.at(at), at.v)
        return moved

    def turning(self, at: Samples) -> Array:
        """Return ``d/dt(M) q'``, the rate of momentum without a force."""
        if self.formulas is None:
            return np.zeros_like(at.v)
        f = self.formulas
        rates = self._square(_formulas.rates(f, at.known(f), at.pace))
        turning: Array = np.einsum("ijt,jt->it", rates, at.v)
        return turning

    def greatest(self, at: Samples) -> Array:
        """Return the greatest magnitude of each entry of M."""
        most: Array = np.abs(self.at(at)).max(axis=0)
        return most

    def doubt(self, at: Samples, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the uncertainty of ``M q'`` and ``d/dt(M) q'`` for positions and velocities of these sizes."""
        n = len(self.numbers)
        if self.formulas is None:
            return np.zeros(n), np.zeros(n)
        f = self.formulas
        known, by = at.some(f, _MOST), at.positions
        slope = np.nan_to_num(np.abs(self._square(_formulas.slopes(f, known, by)))).max(axis=-1)
        bend = np.nan_to_num(np.abs(self._square(_formulas.bends(f, known, by)))).max(axis=-1)
        momentum = np.einsum("ijk,k,j->i", slope, q, v)
        turning = 2.0 * np.einsum("ijk,k,j->i", slope, v, v) + np.einsum("ijkl,k,l,j->i", bend, q, v, v)
        return momentum, turning
