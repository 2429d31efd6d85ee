"""Signals of a run, or plain arrays, as input of the analysis functions.

A run is read from its dense form, as finely as the requested signals need, regardless of its samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _checks as checks
from stickslip.run._dense import OF_ANALYSES, looked_at
from stickslip.run.trajectory import Trajectory
from stickslip.signals import Signal

Array = NDArray[np.float64]


def times_of(source: Any) -> Array:
    """Check and return the times of a run (its ``t``), or an array of times."""
    times = checks.vector("source.t" if hasattr(source, "t") else "source", getattr(source, "t", source))
    if times.size < 2:
        checks.wrong_shape("source", times, "of at least 2 samples")
    if np.any(np.diff(times) < 0.0):
        index = int(np.argmin(np.diff(times)))
        checks.reject(f"source: t[{index + 1}]", times[index + 1], f">= t[{index}] = {times[index]:g}")
    return times


def signal_of(source: Any, name: str, signal: Any, times: Array) -> Array:
    """Return a signal of the run by its name, an array of one value per time, a `Signal` or a constant."""
    if isinstance(signal, Signal):
        return np.asarray(signal(times), dtype=np.float64)
    if isinstance(signal, str):
        if not hasattr(source, "t"):
            checks.reject(name, signal, "an array: signals have names only in a run")
        signal = source[signal]
    values = np.asarray(signal)
    if values.ndim == 0:
        return np.full(times.size, checks.finite(name, values))
    return checks.vector(name, values, times.size)


def record(
    source: Any, signals: dict[str, Any], start: float | None, end: float | None, difference: bool = False
) -> tuple[Array, list[Array], float, float]:
    """Check and return times, one array for each signal, and the window.

    Parameters
    ----------
    source : run or array_like
        A run; its dense form is sampled as finely as its signals need if all of them are names, signals or constants.
    signals : dict
        Argument -> name, array, `Signal` or constant.
    start, end : float, optional
        The window.
    difference : bool
        If True, the difference of the first and the second signal is analysed instead of each.
    """
    times = times_of(source)
    first, last = window("(start, end)", times, start, end)
    given = list(signals.values())
    if isinstance(source, Trajectory) and all(np.ndim(s) == 0 for s in given):

        def read(run: Trajectory) -> Array:
            values = [signal_of(run, name, s, run.t) for name, s in signals.items()]
            return np.array([values[0] - values[1], values[1]] if difference else values)

        source = looked_at(source, read, OF_ANALYSES, first, last)
        times = source.t
    return times, [signal_of(source, name, s, times) for name, s in signals.items()], first, last


def window(name: str, times: Array, start: float | None, end: float | None) -> tuple[float, float]:
    """Return the part of the record inside the window."""
    first = float(times[0]) if start is None else checks.finite("start", start)
    last = float(times[-1]) if end is None else checks.finite("end", end)
    if not times[0] <= first < last <= times[-1]:
        allowed = f"within {times[0]:g} … {times[-1]:g} s and not empty"
        checks.reject(name, (first, last), allowed)
    return first, last


def clip(times: Array, values: Array, first: float, last: float) -> tuple[Array, Array]:
    """Cut samples to a window, with interpolated values at its ends."""
    inside = (times > first) & (times < last)
    t = np.concatenate([[first], times[inside], [last]])
    x = np.concatenate([[np.interp(first, times, values)], values[inside], [np.interp(last, times, values)]])
    return t, x


def crossings(times: Array, values: Array) -> Array:
    """Return the times at which the linear interpolant rises through zero."""
    rises = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    left, right = values[rises], values[rises + 1]
    return times[rises] + (times[rises + 1] - times[rises]) * left / (left - right)
