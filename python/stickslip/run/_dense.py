"""Sample times at which linear interpolation reproduces a run, chosen from its dense form.

The solver resolves the motion in its steps, and every jump lies between two steps. The run is therefore read in every
step, on both sides of its ends and within; then times that linear interpolation reproduces are removed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stickslip.run.trajectory import Trajectory

Array = NDArray[np.float64]
Read = Callable[[Array], Array]

# Relative to the range of a signal: allowed error of linear interpolation.
OF_SAMPLES, OF_PICTURES, OF_ANALYSES = 1e-3, 5e-4, 5e-5
MOST_SAMPLES, MOST_LOOKED_AT = 100_000, 400_000
_EVEN = 200  # intervals that there are at least
_SIDE = 1e-9  # of the window: how long before an instant its left side is read
_LOOKED = 1 / 3  # share of the tolerance for lines between looks; the rest is for times that are left out
_FEW = 32  # times between two chosen ones, all of which may be chosen next; of more, those of the middle half
_BLOCK = 16_384  # intervals that are looked into together, for memory
_ADDED = 64  # looks per interval of a block, on average: a step holds little more than half a period
# Interior points of an interval that are tested: no simple fractions, so that no oscillation is missed.
_INSIDE = (0.3571, 0.6247)
_ABOVE_NOISE = 10.0  # times its numerical noise: how closely a signal is followed at most
_APART = 1e-5  # of a step: distance of the three values whose second difference is noise


def sample_times(run: Trajectory) -> tuple[Array, float]:
    """Return the default sample times: events, and a grid on which linear interpolation reproduces every signal.

    Also return the error of interpolation, relative to the range of each signal.
    """
    first, last = run._raw.t_begin, run._raw.t_end
    if last <= first:
        return np.array([first]), 0.0
    return _followed(run, _read_all, first, last, OF_SAMPLES, MOST_SAMPLES)


def warn_of_missed(times: Array, missed: float) -> None:
    """Warn if the largest allowed number of samples does not resolve the motion."""
    if missed > OF_SAMPLES:
        warnings.warn(
            f"linear interpolation of the {times.size} default samples of this run has errors of up to {100 * missed:.2g} "
            f"% of the range of a signal; {100 * OF_SAMPLES:g} % needs more than {MOST_SAMPLES} samples: give dt or "
            "t_eval, or resample a part of the run by run.at(times)",
            RuntimeWarning,
            stacklevel=3,
        )


def looked_at(
    run: Trajectory,
    read: Callable[[Trajectory], Array],
    tolerance: float,
    first: float | None = None,
    last: float | None = None,
) -> Trajectory:
    """Resample a run at times that resolve given signals, with both sides of each event.

    Parameters
    ----------
    run : Trajectory
        Any run; only the first and last time of its samples are used.
    read : callable
        Function that returns the signals, shape (signals, times).
    tolerance : float
        Allowed error of linear interpolation, relative to the range of a signal.
    first, last : float, optional
        Window, s; by default that of the samples.
    """
    if run._grid is None:
        begin, end = run._raw.t_begin, run._raw.t_end
    else:
        begin, end = float(run.t[0]), float(run.t[-1])
    start, stop = begin if first is None else first, end if last is None else last
    if not stop > start:
        return run.at([start])
    return run.at(_followed(run, read, start, stop, tolerance, MOST_LOOKED_AT)[0])


def both_sides(run: Trajectory, first: float, last: float) -> Array:
    """Return both sides of every instant between steps, and some times within steps, in a window."""
    steps = np.asarray(run._raw.step_times())
    near = _SIDE * (last - first)
    inside = steps[(steps > first + near) & (steps <= last)]
    apart = np.diff(inside, prepend=first) > near
    return np.unique(np.concatenate([np.linspace(first, last, _EVEN + 1), inside, inside[apart] - near]))


def _read_all(run: Trajectory) -> Array:
    """Return all signals except modes, with both limits in place of `.limit`."""
    names = (name for name in run.signals if not name.endswith(".limit"))
    rows = [row for name in names if (row := np.asarray(run[name])).dtype.kind == "f"]
    samples = run._samples
    return np.vstack([run.y, *rows, samples.lower_limits, samples.upper_limits])


def _followed(
    run: Trajectory,
    read: Callable[[Trajectory], Array],
    first: float,
    last: float,
    tolerance: float,
    most: int,
) -> tuple[Array, float]:
    """Times, and what straight lines between them miss of the signals, relative to the range of each."""

    def values(t: Array) -> Array:
        return read(run.at(t))

    points, near = both_sides(run, first, last), _SIDE * (last - first)
    events = np.unique(run._raw.events[0]["time"])
    events = events[(events >= first) & (events <= last)]
    points = np.unique(np.concatenate([points, events]))
    kept = np.concatenate([np.linspace(first, last, _EVEN + 1), events])
    sizes = Sizes(values, points, _ABOVE_NOISE / tolerance)
    added = _ADDED if kept.size < most else 0  # none where there is no room beside the events
    times, levels, missed = [], [], 0.0
    for k in range(0, points.size - 1, _BLOCK):
        block = points[k : k + _BLOCK + 1]
        t, x, left = _refined(values, block, _LOOKED * tolerance, added * block.size, 4.0 * near, sizes)
        level = _levels(t, x, sizes.inverse, np.isin(t, kept), (1.0 - _LOOKED) * tolerance)
        times.append(t[level > 0.0])
        levels.append(level[level > 0.0])
        missed = max(missed, left)
    all_times, at = np.unique(np.concatenate(times), return_index=True)
    level = np.concatenate(levels)[at]
    optional: Array = np.sort(level[np.isfinite(level)])[::-1]
    room = max(0, most - int(np.isinf(level).sum()))
    if optional.size > room:
        missed = max(missed, float(optional[room]))
        all_times = all_times[level > optional[room]]
    return all_times, missed + _LOOKED * tolerance if missed > 0.0 else 0.0


class Sizes:
    """Ranges of signals found so far, but at least `least` times their numerical noise.

    A non-finite value is replaced by a value far below the lowest one, so that the signal jumps there.
    """

    def __init__(self, read: Read, points: Array, least: float) -> None:
        width = np.diff(points)
        wide = np.flatnonzero(width > 0.1 * width.mean())
        some = wide[np.linspace(0, wide.size - 1, min(wide.size, _EVEN)).astype(int)]
        place = points[some] + 0.4142 * width[some]
        apart = np.maximum(_APART * width[some], 16 * np.spacing(place))
        three = place[:, None] + apart[:, None] * np.arange(3)
        v = read(np.minimum(np.sort(three.ravel()), points[-1])).reshape(-1, *three.shape)
        with np.errstate(invalid="ignore"):
            rough = np.abs(v[:, :, 0] - 2.0 * v[:, :, 1] + v[:, :, 2])
        self.least = least * np.where(np.isfinite(rough), rough, 0.0).max(axis=1, initial=0.0)
        self.low, self.high = np.full(v.shape[0], np.inf), np.full(v.shape[0], -np.inf)
        self.vanishing = np.zeros(v.shape[0], dtype=bool)
        self.none = np.zeros(v.shape[0])
        for k in range(0, points.size, _BLOCK):
            self.finite(read(points[k : k + _BLOCK]))
        # The substitute stays the same if the range grows, so that values read before and after are equal.
        known = self.high >= self.low
        low, high = self.low[known], self.high[known]
        self.none[known] = low - 2.0 * np.maximum(high - low, np.abs(low)) - 1.0

    def finite(self, values: Array) -> Array:
        """Replace values that are not finite."""
        finite = np.isfinite(values)
        self.low = np.minimum(self.low, np.min(values, axis=1, where=finite, initial=np.inf))
        self.high = np.maximum(self.high, np.max(values, axis=1, where=finite, initial=-np.inf))
        if finite.all():
            return values
        self.vanishing |= ~finite.all(axis=1)
        return np.where(finite, values, self.none[:, None])

    @property
    def inverse(self) -> Array:
        """Return 1/size, shape (signals, 1); zero for constant signals and for ranges below the normal numbers."""
        size = np.maximum(self.high - self.low, self.least)
        size[self.vanishing & ~(size > 0.0)] = 1.0
        varies = size >= np.finfo(float).tiny  # 1 / size does not overflow
        return np.where(varies, 1.0 / np.where(varies, size, 1.0), 0.0)[:, None]


def refined(read: Read, points: Array, tolerance: float, most: int, narrowest: float) -> Array:
    """Add sample times where linear interpolation is least accurate, until the tolerance is met everywhere.

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
        Length below which intervals are not divided, s: they contain a jump.
    """
    sizes = Sizes(read, points, _ABOVE_NOISE / tolerance)
    return _refined(read, points, tolerance, most, narrowest, sizes)[0]


def _refined(
    read: Read, points: Array, tolerance: float, most: int, narrowest: float, sizes: Sizes
) -> tuple[Array, Array, float]:
    """Times, values there, and the greatest miss of a line that is left."""
    values = sizes.finite(read(points))
    times, found, left_over, count = [points], [values], 0.0, points.size
    left, right, at_left, at_right = points[:-1], points[1:], values[:, :-1], values[:, 1:]
    while left.size:
        wide = right - left > narrowest
        left, right, at_left, at_right = left[wide], right[wide], at_left[:, wide], at_right[:, wide]
        inside = np.stack([left + f * (right - left) for f in _INSIDE], axis=1)
        if not inside.size:
            break
        at_inside = sizes.finite(read(inside.ravel())).reshape(-1, *inside.shape)
        missed = np.zeros(left.size)
        for k, f in enumerate(_INSIDE):
            line = (1.0 - f) * at_left + f * at_right
            missed = np.maximum(missed, np.max(np.abs(at_inside[:, :, k] - line) * sizes.inverse, axis=0))
        split = np.flatnonzero(missed > tolerance)
        if split.size and 2 * split.size > most - count:
            order = split[np.argsort(missed[split])[::-1]]
            split = np.sort(order[: max(0, (most - count) // 2)])
            left_over = max(left_over, float(missed[order[split.size]]))
        if not split.size:
            break
        count += 2 * split.size
        times.append(inside[split].ravel())
        found.append(at_inside[:, split].reshape(values.shape[0], -1))
        corners = np.column_stack([left[split], inside[split], right[split]])
        at_corners = np.concatenate(
            [at_left[:, split, None], at_inside[:, split], at_right[:, split, None]], axis=2
        )
        left, right = corners[:, :-1].ravel(), corners[:, 1:].ravel()
        at_left, at_right = (at_corners[:, :, k : k + 3].reshape(values.shape[0], -1) for k in (0, 1))
    all_times, order = np.unique(np.concatenate(times), return_index=True)
    return all_times, np.concatenate(found, axis=1)[:, order], left_over


def _levels(t: Array, values: Array, inverse: Array, kept: NDArray[np.bool_], tolerance: float) -> Array:
    """The tolerance above which each time may be left out: 0 for those that lines show, infinite for those kept.

    Between two chosen times the one where the line misses most comes next (U. Ramer, Comput. Graph. Image Process.
    1 (1972) 244-256; D. Douglas and T. Peucker, Cartographica 10 (1973) 112-122); where many lie between them, the one
    of the middle half, so that the number of rounds grows as the logarithm of the number of times. The bound is the
    same whichever is chosen: a part is divided if its line misses more than the tolerance.
    """
    level = np.where(kept, np.inf, 0.0)
    level[[0, -1]] = np.inf
    corner = np.flatnonzero(level)
    a, b = corner[:-1], corner[1:]
    while True:
        long = b - a > 1
        a, b = a[long], b[long]
        if not a.size:
            return level
        inside, first = _between(a, b)
        count = b - a - 1
        from_, to = np.repeat(a, count), np.repeat(b, count)
        part = (t[inside] - t[from_]) / (t[to] - t[from_])
        missed = np.zeros(inside.size)
        for row, factor in zip(values, inverse[:, 0], strict=True):
            if factor > 0.0:
                line = row[from_] + part * (row[to] - row[from_])
                np.maximum(missed, factor * np.abs(row[inside] - line), out=missed)
        worst = np.maximum.reduceat(missed, first)
        split = worst > tolerance
        outside = np.abs(2 * inside - from_ - to) > np.repeat(np.maximum((b - a) // 2, _FEW), count)
        missed[outside] = -1.0
        here = np.flatnonzero(missed == np.repeat(np.maximum.reduceat(missed, first), count))
        here = here[np.searchsorted(here, first)]  # the first of equals
        a, b, middle = a[split], b[split], inside[here[split]]
        level[middle] = np.minimum(worst[split], np.minimum(level[a], level[b]))
        a, b = np.column_stack([a, middle]).ravel(), np.column_stack([middle, b]).ravel()


def _between(a: NDArray[np.intp], b: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The indices between each a and b, in one row, and where those of each begin."""
    count = b - a - 1
    first = np.cumsum(count) - count
    return np.arange(count.sum()) + np.repeat(a + 1 - first, count), first
