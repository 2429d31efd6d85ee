"""Times at which a run is looked at so that straight lines through its samples show it: from its dense form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stickslip.trajectory import Trajectory

Array = NDArray[np.float64]
Read = Callable[[Array], Array]

# Of the range of a signal: what a straight line may miss.
OF_SAMPLES, OF_PICTURES, OF_ANALYSES = 1e-3, 5e-4, 5e-5
MOST_SAMPLES, MOST_LOOKED_AT = 20_000, 200_000
_EVEN = 200  # intervals to begin with
_MOST_STEPS = 2000  # more than these are those of a stiff machine, and tell nothing
# Where an interval is looked into: at no simple fractions, so that no oscillation hides between them.
_INSIDE = (0.3571, 0.6247)


def sample_times(run: Any, states: Sequence[int]) -> Array:
    """Times of samples where none were asked for: events, and a grid on which straight lines follow these states."""
    from stickslip import _core

    first, last = run.t_begin, run.t_end
    if last <= first:
        return np.array([first])

    def read(t: Array) -> Array:
        values: Array = _core.run.Samples(run, t).states[list(states)]
        return values

    steps = np.array(run.step_times())
    events = np.unique(run.events[0]["time"])
    begin = _start(first, last, events, steps)
    return refined(read, begin, OF_SAMPLES, MOST_SAMPLES, 1e-5 * (last - first))


def looked_at(
    run: Trajectory,
    read: Callable[[Trajectory], Array],
    tolerance: float,
    first: float | None = None,
    last: float | None = None,
) -> Trajectory:
    """The same run at times that show what is read of it, with both sides of each event.

    Parameters
    ----------
    run : Trajectory
        Any; how it was sampled only says from where to where.
    read : callable
        What is looked at, shape (signals, times).
    tolerance : float
        What a straight line may miss, relative to the range of a signal.
    first, last : float, optional
        Window, s; by default that of the samples.
    """
    start = float(run.t[0]) if first is None else first
    end = float(run.t[-1]) if last is None else last
    if not end > start:
        return run.at([start])
    steps = np.array(run._raw.step_times())
    events = np.unique(run.events.time)
    points = _start(start, end, events, steps)
    inside = points[np.isin(points, events) | np.isin(points, steps)]
    near = 1e-9 * (end - start)
    points = np.unique(np.concatenate([points, inside[inside > start + near] - near]))
    times = refined(lambda t: read(run.at(t)), points, tolerance, MOST_LOOKED_AT, 4.0 * near)
    return run.at(times)


def _start(first: float, last: float, events: Array, steps: Array) -> Array:
    few = steps if steps.size <= _MOST_STEPS else steps[:0]
    points = np.unique(np.concatenate([np.linspace(first, last, _EVEN + 1), events, few, [first, last]]))
    return points[(points >= first) & (points <= last)]


def refined(read: Read, points: Array, tolerance: float, most: int, narrowest: float) -> Array:
    """Add times until a straight line between neighbours misses nothing; those where it misses most come first.

    Parameters
    ----------
    read : callable
        Values at times, shape (signals, times).
    points : ndarray
        Times to begin with, rising; all are kept.
    tolerance : float
        Relative to the range of each signal.
    most : int
        Number of times beyond which none are added.
    narrowest : float
        Intervals that are not looked into any more, s: there is a jump in them.
    """
    values = np.nan_to_num(read(points), posinf=0.0, neginf=0.0)
    low, high = values.min(axis=1), values.max(axis=1)
    times = [points]
    count = points.size
    left, right, at_left, at_right = points[:-1], points[1:], values[:, :-1], values[:, 1:]
    while left.size and count < most:
        wide = right - left > narrowest
        left, right, at_left, at_right = left[wide], right[wide], at_left[:, wide], at_right[:, wide]
        inside = [left + f * (right - left) for f in _INSIDE]
        order = np.argsort(np.concatenate(inside), kind="stable")
        found = np.empty((values.shape[0], order.size))
        found[:, order] = np.nan_to_num(read(np.concatenate(inside)[order]), posinf=0.0, neginf=0.0)
        at_inside = np.split(found, 2, axis=1)
        if found.size:
            low, high = np.minimum(low, found.min(axis=1)), np.maximum(high, found.max(axis=1))
        size = np.where(high > low, high - low, np.inf)[:, None]
        missed = np.zeros(left.size)
        for f, value in zip(_INSIDE, at_inside, strict=True):
            line = (1.0 - f) * at_left + f * at_right
            missed = np.maximum(missed, np.max(np.abs(value - line) / size, axis=0, initial=0.0))
        split = np.flatnonzero(missed > tolerance)
        if 2 * split.size > most - count:
            split = split[np.argsort(missed[split])[::-1][: (most - count) // 2]]
        times += [t[split] for t in inside]
        count += 2 * split.size
        corners = [left[split], *(t[split] for t in inside), right[split]]
        at_corners = [at_left[:, split], *(v[:, split] for v in at_inside), at_right[:, split]]
        left, right = np.concatenate(corners[:-1]), np.concatenate(corners[1:])
        at_left, at_right = np.concatenate(at_corners[:-1], axis=1), np.concatenate(at_corners[1:], axis=1)
        if split.size == 0:
            break
    return np.unique(np.concatenate(times))
