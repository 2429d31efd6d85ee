"""Following error, settling and stops of a drive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.analysis._series import clip, record, times_of, window
from stickslip.signals import Signal

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FollowingError:
    """Following error reference − actual over a window of time.

    Attributes
    ----------
    max : float
        Greatest magnitude, in the unit of the signals.
    time : float
        Time of the greatest error, s.
    rms : float
        Root of the mean square over time; the samples are joined by straight lines, so the grid may be
        uneven.
    mean : float
        Mean over time.
    at_rest : float
        Greatest magnitude at the end of the intervals in which the reference rests; NaN if it never does.
    rests : int
        Number of these intervals.

    Examples
    --------
    >>> import stickslip as ss
    >>> error = ss.analysis.following_error([0.0, 1.0, 2.0], [0.0, 0.9, 1.0], [0.0, 1.0, 1.0])
    >>> round(error.max, 3), error.time, error.at_rest
    (0.1, 1.0, 0.0)
    """

    max: float
    time: float
    rms: float
    mean: float
    at_rest: float
    rests: int


def following_error(
    source: Any,
    actual: str | ArrayLike | Signal,
    reference: str | ArrayLike | Signal,
    *,
    start: float | None = None,
    end: float | None = None,
    rest: float = 0.0,
) -> FollowingError:
    """Return the following error of a run.

    Parameters
    ----------
    source : run or array_like, shape (n,)
        A run, or the times of the samples, s.
    actual, reference : str, Signal or array_like, shape (n,)
        The two signals: names in the run, signals, arrays, or a constant.
    start, end : float, optional
        Window of time, s; default the whole record.
    rest : float
        Time for which the reference must stay unchanged to count as at rest, s; default 0: two equal
        samples.

    Returns
    -------
    FollowingError

    Raises
    ------
    ValueError
        If a signal does not fit the times or the window is not within the record.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0, 2 * np.pi, 1001)
    >>> round(ss.analysis.following_error(t, np.zeros(1001), np.sin(t)).rms, 4)
    0.7071
    """
    shortest = checks.non_negative("rest", rest)
    signals = {"reference": reference, "actual": actual}
    times, (target, reached), first, last = record(source, signals, start, end, difference=True)
    t, e = clip(times, target - reached, first, last)
    _, r = clip(times, target, first, last)
    step = np.diff(t)
    worst = int(np.argmax(np.abs(e)))
    square = float(np.sum(step * (e[:-1] ** 2 + e[:-1] * e[1:] + e[1:] ** 2)) / 3.0)
    begin, stop = _runs(np.diff(r) == 0.0)
    long_enough = t[stop] - t[begin] >= shortest
    ends = np.abs(e[stop[long_enough]])
    return FollowingError(
        max=float(np.abs(e[worst])),
        time=float(t[worst]),
        rms=math.sqrt(max(0.0, square) / (last - first)),
        mean=float(np.sum(step * (e[:-1] + e[1:]))) / (2.0 * (last - first)),
        at_rest=float(ends.max()) if ends.size else math.nan,
        rests=int(ends.size),
    )


def _runs(holds: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last sample of every run of intervals that hold."""
    padded = np.concatenate([[False], holds, [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return edges[::2], edges[1::2]


@dataclass(frozen=True)
class Settling:
    """Settling time and overshoot of a signal.

    Attributes
    ----------
    time : float
        Time from the start of the window until the signal enters the band and stays there, s; infinite if it
        does not.
    overshoot : float
        Overshoot beyond the target, as a fraction of the step from the first value to the target.
    error : float
        Target minus last value.
    band : float
        Half width of the band, in the unit of the signal.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.analysis.settling([0.0, 1.0, 2.0, 3.0], [0.0, 1.25, 1.0, 1.0], band=0.125).time
    1.5
    """

    time: float
    overshoot: float
    error: float
    band: float

    @property
    def settled(self) -> bool:
        """True if the signal stays in the band at the end of the record."""
        return math.isfinite(self.time)

    @property
    def message(self) -> str:
        """The result in words."""
        if self.settled:
            return f"settles {self.time:.6g} s after the start, within ±{self.band:.6g} of the target"
        return (
            f"does not settle: at the end of the record the signal is {abs(self.error):.6g} off the target, outside of "
            f"the band ±{self.band:.6g}"
        )


def settling(
    source: Any,
    signal: str | ArrayLike,
    target: float | None = None,
    *,
    band: float = 0.02,
    absolute: bool = False,
    start: float | None = None,
    end: float | None = None,
) -> Settling:
    """Return settling time and overshoot of a signal.

    Parameters
    ----------
    source : run or array_like, shape (n,)
        A run, or the times of the samples, s.
    signal : str or array_like, shape (n,)
        The signal.
    target : float, optional
        Value at which it should settle; by default its last value.
    band : float
        Half width of the band around the target: a fraction of the step from the first value to the target,
        or in the unit of the signal if `absolute`; default 0.02.
    absolute : bool
        If True, `band` is in the unit of the signal, otherwise a fraction of the step.
    start, end : float, optional
        Window of time, s.

    Returns
    -------
    Settling

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 10.0, 10_001)
    >>> round(ss.analysis.settling(t, 1.0 - np.exp(-t), target=1.0).time, 3)
    3.912
    """
    width = checks.positive("band", band)
    times, (values,), first, last = record(source, {"signal": signal}, start, end)
    t, x = clip(times, values, first, last)
    goal = float(x[-1]) if target is None else checks.finite("target", target)
    step = goal - float(x[0])
    half = width if absolute else width * abs(step)
    if half == 0.0:
        checks.reject("band", width, "absolute if the signal starts at its target")
    beyond = (x - goal) * (math.copysign(1.0, step) if step != 0.0 else 1.0)
    overshoot = max(0.0, float(beyond.max())) / abs(step) if step != 0.0 else math.nan
    outside = np.flatnonzero(np.abs(x - goal) > half)
    if outside.size == 0:
        moment = 0.0
    elif outside[-1] == x.size - 1:
        moment = math.inf
    else:
        i = int(outside[-1])
        edge = goal + math.copysign(half, float(x[i]) - goal)
        moment = float(t[i] + (t[i + 1] - t[i]) * (x[i] - edge) / (x[i] - x[i + 1])) - first
    return Settling(moment, overshoot, goal - float(x[-1]), half)


@dataclass(frozen=True, eq=False)
class Stops:
    """The intervals in which an element sticks.

    Attributes
    ----------
    begin, end : ndarray, shape (number,)
        Start and end of each interval, s, limited to the window.
    fraction : float
        Fraction of the window that they cover.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.analysis.stops([0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1]).length
    array([1., 1.])
    """

    begin: Array
    end: Array
    fraction: float

    @property
    def number(self) -> int:
        """Number of stops."""
        return int(self.begin.size)

    @property
    def length(self) -> Array:
        """Durations of the stops, s, shape (number,)."""
        return self.end - self.begin

    @property
    def longest(self) -> float:
        """Duration of the longest stop, s; 0 if there is none."""
        return float(self.length.max()) if self.number else 0.0

    @property
    def total(self) -> float:
        """Time stuck, s."""
        return float(self.length.sum())

    def __repr__(self) -> str:
        return (
            f"Stops({self.number} stops, {100 * self.fraction:.1f} % of the time, longest {self.longest:g} s)"
        )


def stops(
    source: Any, mode: str | ArrayLike, *, start: float | None = None, end: float | None = None
) -> Stops:
    """Return the stops of an element: the intervals in which its mode is *stick*.

    Parameters
    ----------
    source : run or array_like, shape (n,)
        A run, or the times of the samples, s. For a run the exact times of its events are used; for samples each value
        holds until the next, so times are as fine as their grid.
    mode : str or array_like, shape (n,)
        Name of the element in the run, or its modes: integers of `ss.Mode` (0 is stick), or booleans, True where it
        sticks.
    start, end : float, optional
        Window of time, s.

    Returns
    -------
    Stops

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.analysis.stops([0.0, 1.0, 2.0, 3.0, 4.0], [True, False, False, True, True])
    Stops(2 stops, 50.0 % of the time, longest 1 s)
    """
    times = times_of(source)
    first, last = window("(start, end)", times, start, end)
    if isinstance(mode, str):
        if not hasattr(source, "events"):
            checks.reject("mode", mode, "an array: elements have names only in a run")
        moments, sticks = _history(source, mode, float(times[0]))
    else:
        modes = np.asarray(mode)
        if modes.shape != times.shape:
            checks.wrong_shape("mode", modes, times.shape)
        moments, sticks = times, modes if modes.dtype == bool else modes == 0
    begin, stop = _runs(np.asarray(sticks, dtype=bool))
    bounds = np.concatenate([moments, [max(last, float(moments[-1]))]])
    opens, closes = np.clip(bounds[begin], first, last), np.clip(bounds[stop], first, last)
    # Intervals of zero length are left out: a slip that touches zero speed, or a stop outside the window.
    real = closes > opens
    opens, closes = opens[real], closes[real]
    return Stops(opens, closes, float(np.sum(closes - opens)) / (last - first))


def _history(run: Any, element: str, begin: float) -> tuple[Array, NDArray[np.bool_]]:
    """Times from which each mode of an element holds, and whether it is stick."""
    moments: list[float] = [begin]
    sticks: list[bool] = []
    for event in run.events:
        if event.element != element or event.before == event.after:
            continue
        if not sticks:
            sticks.append(_is_stick(event.before))
        moments.append(float(event.time))
        sticks.append(_is_stick(event.after))
    if not sticks:
        sticks.append(_is_stick(run[f"{element}.mode"][0]))
    return np.asarray(moments), np.asarray(sticks, dtype=bool)


def _is_stick(mode: Any) -> bool:
    """Modes come as members of `ss.Mode`, as its integers, or as words."""
    return mode == "stick" if isinstance(mode, str) else int(mode) == 0
