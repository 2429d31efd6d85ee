"""Newton's method for a state that returns to itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.cycles._flow import Flow, Shot

Array = NDArray[np.float64]

_MOST_STEPS = 40
_CLOSED = 1e-9  # of the range of each state: the orbit closes, up to the error of integration
_GOOD, _INTEGRATED = (
    1e-13,
    10.0,
)  # likewise, closely; where motions are integrated, in relative tolerances of this
_MOST_APPROACHES, _HALF = 12, 0.5  # steps of Broyden's method, and their least reduction
_ROUGH = 1e-3  # likewise: the error of a run with a wide tolerance counts
_STOPS = 0.1  # reduction by a step: a smaller one shows the noise of the motion
_FARTHEST = 0.5  # of the range of each state: longest step of Newton's method
_LONGER = 0.2  # of the period: its greatest change in a step
_SHORTEST = 1.0 / 64.0  # of a step of Newton's method
_SINGULAR = 1e-12  # of the largest singular value: along a family of orbits the nearest one is taken


class NotClosed(Exception):
    """Newton's method found no orbit; the text states the reason."""


@dataclass(frozen=True)
class Start:
    """A state near an orbit, and the approximate period."""

    state: _core.dynamics.State
    values: Array
    t: float
    period: float
    size: Array  # of each component


def close(flow: Flow, start: Start, *, patient: bool = True) -> Shot:
    """Find the orbit near a state: φ(z, T) = z.

    For an autonomous machine the period is an unknown as well, and steps are orthogonal to the motion at the start, so
    that the section moves with the iteration: events of the run may appear and vanish on the way. The first derivatives are
    those of a run with a wide tolerance: Broyden's updates correct them, and steps near the orbit are judged by runs with
    the narrow one.

    Parameters
    ----------
    flow : Flow
        The machine.
    start : Start
        A state near the orbit.
    patient : bool, default True
        Shorten a step that does not lead closer; else the search ends there.

    Raises
    ------
    NotClosed
        If Newton's method does not converge.
    """
    values, period = start.values, start.period
    best: Shot | None = None
    last = np.inf
    runs = flow.coarse
    for _ in range(_MOST_STEPS):
        shot = _shoot(runs, start, values, period)
        is_precise, runs = runs is flow or shot.is_exact, flow
        error = _size(shot.closes, start.size)
        if not is_precise and not np.isnan(shot.monodromy).any():
            if error <= _ROUGH and (closes := flow.closes(start.state, values, start.t, period)) is not None:
                shot = replace(shot, end=shot.end + closes - shot.closes)
                error = _size(closes, start.size)
            values, period = _approach(flow, start, shot, error, patient, max(error, _ROUGH))
            continue
        if best is not None and last <= _CLOSED and error > _STOPS * last:
            return best if last <= error else shot
        best, last = shot, error
        if error == 0.0:
            return shot
        if np.isnan(shot.monodromy).any():
            if error <= _CLOSED:
                return shot
            values = flow.moved(shot.end, shot.period)  # as far as the motion itself comes closer
            continue
        if error <= (_GOOD if shot.is_exact else _INTEGRATED * flow.noise):
            return shot
        values, period = _approach(flow, start, shot, error, patient, error)
    if best is not None and last <= _CLOSED:
        return best
    reason = f"; derivatives: {best.reason}" if best is not None and best.reason else ""
    raise NotClosed(f"Newton's method has not converged in {_MOST_STEPS} steps{reason}")


def _shoot(flow: Flow, start: Start, values: Array, period: float) -> Shot:
    shot = flow.shoot(start.state, values, start.t, period)
    if shot.raw.status != "finished":
        raise NotClosed(f"a run near the orbit ended early: {shot.raw.message}")
    return shot


class _Matrix:
    """Derivatives of end minus start by the components and, for an autonomous machine, the period, in scaled numbers.

    The last row is orthogonal to the motion at the start.
    """

    def __init__(self, flow: Flow, shot: Shot, start: Start) -> None:
        n, self.size, self.period = shot.values.size, start.size, shot.period
        of_values, of_period, _ = shot.closing
        of_states = of_values * self.size / self.size[:, None]
        if flow.frame is not None:  # free displacements change nothing
            of_states = _without(of_states, flow.frame.free / self.size[:, None])
        self.values, self.speed = of_states, 0.0
        if flow.is_autonomous:
            along = shot.rates[0] / self.size
            self.speed = float(np.linalg.norm(along))
            self.values = np.zeros((n + 1, n + 1))
            self.values[:n, :n] = of_states
            self.values[:n, n] = of_period / self.size / self.speed
            self.values[n, :n] = along / self.speed

    def step(self, closes: Array) -> Array:
        """Step of Newton's method: of the components, then of the period."""
        right = np.zeros(self.values.shape[0])
        right[: self.size.size] = -closes / self.size
        solved = np.linalg.lstsq(self.values, right, rcond=_SINGULAR)[0]
        length = solved[-1] / self.speed if self.speed else 0.0
        step = np.append(solved[: self.size.size] * self.size, length)
        farthest = max(_size(step[:-1], self.size) / _FARTHEST, abs(step[-1]) / (_LONGER * self.period), 1.0)
        return np.asarray(step / farthest)

    def update(self, closes: Array, step: Array) -> None:
        """Broyden's update after a step, from what is still missing."""
        taken = step[:-1] / self.size
        if self.speed:
            taken = np.append(taken, step[-1] * self.speed)
        self.values[: self.size.size] += np.outer(closes / self.size, taken) / (taken @ taken)


def _approach(
    flow: Flow, start: Start, shot: Shot, error: float, patient: bool, factor: float
) -> tuple[Array, float]:
    """Take a step of Newton's method and, as long as they help, steps of Broyden's by runs without derivatives.

    `factor`: by which the step reduces the error, itself with precise derivatives, else the error of the derivatives.

    Raises
    ------
    NotClosed
        If not even a small part of the step helps, or not the whole one without patience.
    """
    matrix = _Matrix(flow, shot, start)
    first = matrix.step(shot.closes)
    values, period, step, share = shot.values, shot.period, first, 1.0
    best: tuple[Array, float] | None = None
    good = _GOOD if shot.is_exact else _INTEGRATED * flow.noise
    if factor * error <= good:  # the step needs no check
        return values + first[:-1], period + first[-1]
    for _ in range(_MOST_APPROACHES):
        there = values + step[:-1], period + step[-1]
        runs = flow if error <= _ROUGH or shot.is_exact else flow.coarse
        closes = runs.closes(start.state, there[0], start.t, there[1]) if there[1] > 0.0 else None
        missing = np.inf if closes is None else _size(closes, start.size)
        if best is None and missing > 2.0 * error and error > _CLOSED:
            share *= 0.5
            if share < _SHORTEST or not patient:
                raise NotClosed("Newton's method stagnates")
            step = share * first
            continue
        if closes is None or not (best is None or missing < _HALF * error):
            break
        best = there
        if not good < missing < _HALF * error:
            break
        error = missing
        matrix.update(closes, step)
        values, period = there
        step = matrix.step(closes)
    return best or (values + step[:-1], period + step[-1])


def _without(matrix: Array, free: Array) -> Array:
    """Remove columns along free displacements, which only noise has left there."""
    q = np.linalg.qr(free)[0] if free.size else free
    return np.asarray(matrix - (matrix @ q) @ q.T)


def _size(change: Array, size: Array) -> float:
    return float(np.max(np.abs(change) / size, initial=0.0))


def multipliers(
    monodromy: Array, size: Array, noise: float, along: Array | None, free: Array | None = None
) -> tuple[NDArray[np.complex128], int]:
    """Return the eigenvalues of a monodromy matrix, and how many of them are exactly zero.

    Directions that a period maps to zero, to within the noise of the matrix, are split off before the eigenvalues are
    computed, and again from what is left: a nilpotent part would otherwise turn rounding errors of 1e-16 into eigenvalues
    of 1e-8. Likewise the motion itself (`along`, None for a forced machine) and free displacements (`free`, columns),
    eigenvectors of the multiplier 1, which come first; a second multiplier 1, as of a family of orbits, would otherwise
    be as inexact.
    """
    left = monodromy * size / size[:, None]
    scale = max(1.0, float(np.linalg.norm(left, 2)))
    trivial = np.zeros(0)
    fixed = [along[:, None]] if along is not None else []
    fixed += [free] if free is not None else []
    if fixed:
        known = np.column_stack(fixed)
        q = np.linalg.qr(np.column_stack([known / size[:, None], np.eye(size.size)]))[0]
        left, k = q.T @ left @ q, known.shape[1]
        trivial, left = np.diag(left)[:k], left[k:, k:]
    n = left.shape[0]
    while left.size:
        u, s, v = np.linalg.svd(left)
        rank = int(np.sum(s > noise * scale))
        if rank == left.shape[0]:
            break
        left = (s[:rank, None] * v[:rank]) @ u[:, :rank]
    found = np.linalg.eigvals(left) if left.size else np.zeros(0)
    found = found[np.argsort(-np.abs(found), kind="stable")]
    zeros = n - found.size
    return np.concatenate([trivial, found, np.zeros(zeros)]).astype(complex), zeros
