"""Multiple shooting: an orbit in parts, for cycles so unstable that one run over the period loses them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stickslip.cycles._closing import NotClosed, Start
from stickslip.cycles._flow import Flow, Shot

Array = NDArray[np.float64]

_MOST_STEPS = 15
_CLOSED = 1e-10  # of the range of each state: parts meet
_SHORTEST = 1.0 / 64.0  # of a step of Newton's method
_FARTHEST = 0.5  # of the range of each state: longest step
_LONGER = 0.2  # of the period: its greatest change in a step
_SINGULAR = 1e-12  # of the largest singular value


def close_in_parts(flow: Flow, starts: list[Start], shares: Array) -> tuple[Start, Shot]:
    """Find an orbit near several states along it, each of which starts a run to the next one.

    Parameters
    ----------
    starts : list of Start
        States near the orbit, in its order.
    shares : ndarray, shape (n_parts,)
        Share of the period from each start to the next one; the sum is 1.

    Returns
    -------
    (Start, Shot)
        The first state on the orbit, and the orbit from there: its run is one over the whole period, which may leave the
        orbit; its derivatives are the product of those of the parts.

    Raises
    ------
    NotClosed
        If Newton's method does not converge.
    """
    n, count = starts[0].values.size, len(starts)
    size = np.max([start.size for start in starts], axis=0)
    values, period = np.array([start.values for start in starts]), starts[0].period
    best: tuple[float, Array, float, list[Shot]] | None = None
    share, step = 1.0, np.zeros(count * n + 1)
    for _ in range(_MOST_STEPS):
        parts = _shoot(flow, starts, values, shares * period)
        missing = _missing(flow, parts, values)
        error = float(np.max(np.abs(missing) / size))
        if best is not None and error > 2.0 * best[0] and best[0] > _CLOSED:
            share *= 0.5
            if share < _SHORTEST:
                break
            values = best[1] + share * step[:-1].reshape(count, n)
            period = best[2] + share * step[-1]
            continue
        if best is not None and best[0] <= _CLOSED and error > 0.1 * best[0]:
            break
        best, share = (error, values, period, parts), 1.0
        if error == 0.0:
            break
        step = _step(flow, parts, missing, size, shares, period)
        values, period = values + step[:-1].reshape(count, n), period + step[-1]
    if best is None or best[0] > _CLOSED:
        raise NotClosed(f"multiple shooting with {count} parts has not converged")
    _, values, period, parts = best
    start = replace(starts[0], values=values[0], period=period)
    return start, _joined(flow, start, parts)


def _shoot(flow: Flow, starts: list[Start], values: Array, lengths: Array) -> list[Shot]:
    parts = []
    for start, own, length in zip(starts, values, lengths, strict=True):
        if not length > 0.0:
            raise NotClosed("the period vanishes")
        shot = flow.shoot(start.state, own, start.t, length)
        if shot.raw.status != "finished":
            raise NotClosed(f"a run near the orbit ended early: {shot.raw.message}")
        if np.isnan(shot.monodromy).any():
            raise NotClosed(f"the motion has no derivatives: {shot.reason}")
        parts.append(shot)
    return parts


def _missing(flow: Flow, parts: list[Shot], values: Array) -> Array:
    """Ends of the parts minus the starts of the next ones."""
    ends = np.array([flow.moved(part.end, part.period) for part in parts])
    missing = ends - np.roll(values, -1, axis=0)
    if flow.frame is not None:
        missing = flow.frame.relative(missing.T, 0.0).T
    return missing


def _step(flow: Flow, parts: list[Shot], missing: Array, size: Array, shares: Array, period: float) -> Array:
    """Step of Newton's method: of all starts, then of the period."""
    count, n = missing.shape
    matrix = np.zeros((count * n + 1, count * n + 1))
    right = np.zeros(count * n + 1)
    along = parts[0].rates[0] / size
    speed = float(np.linalg.norm(along)) or 1.0
    for k, part in enumerate(parts):
        rows, after = slice(k * n, (k + 1) * n), (k + 1) % count
        matrix[rows, k * n : (k + 1) * n] += part.monodromy * size / size[:, None]
        matrix[rows, after * n : (after + 1) * n] -= np.eye(n)
        if flow.is_autonomous:
            matrix[rows, -1] = shares[k] * part.rates[1] / size / speed
        right[rows] = -missing[k] / size
    matrix[-1, :n] = along / speed if flow.is_autonomous else 0.0
    if not flow.is_autonomous:
        matrix[-1, -1] = 1.0
    solved = np.linalg.lstsq(matrix, right, rcond=_SINGULAR)[0]
    step = np.append((solved[:-1].reshape(count, n) * size).ravel(), solved[-1] / speed)
    farthest = max(
        float(np.max(np.abs(solved[:-1]))) / _FARTHEST, abs(float(step[-1])) / (_LONGER * period), 1.0
    )
    return np.asarray(step / farthest)


def _joined(flow: Flow, start: Start, parts: list[Shot]) -> Shot:
    """Return the orbit as one run, with the product of the derivatives."""
    whole = flow.shoot(start.state, start.values, start.t, start.period)
    if whole.raw.status != "finished":
        raise NotClosed(f"a run near the orbit ended early: {whole.raw.message}")
    slopes = np.eye(start.values.size)
    for part in parts:
        slopes = part.monodromy @ slopes
    rate = whole.rates[0]
    end = start.values if flow.frame is None else start.values + flow.frame.velocity * start.period
    return replace(whole, end=end, slopes=slopes, rates=(rate, rate))
