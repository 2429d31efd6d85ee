"""Following error after reversals of the reference: the quadrant glitch of a circle."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.analysis._series import clip, record
from stickslip.signals import Signal

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReversalError:
    """Following error after each reversal of the reference.

    Attributes
    ----------
    time : ndarray, shape (number,)
        Time of each reversal, s; if the reference rests in between, the time at which it moves again.
    peak : ndarray, shape (number,)
        Error reference - actual of greatest magnitude in the window after the reversal, in the unit of the signals;
        positive where the actual value lags behind a reference that has turned upwards.
    delay : ndarray, shape (number,)
        Time from the reversal to the peak, s.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 2.0, 201)
    >>> late = np.where(t < 1.0, t, np.minimum(1.0, 2.1 - t))         # stays at 1 for a tenth of a second
    >>> found = ss.analysis.reversal_error(t, late, 1.0 - np.abs(t - 1.0), window=0.05)
    >>> round(found.max, 6), found.time.round(6), found.delay.round(6)
    (0.05, array([1.]), array([0.05]))
    """

    time: Array
    peak: Array
    delay: Array

    @property
    def number(self) -> int:
        """Number of reversals."""
        return int(self.time.size)

    @property
    def max(self) -> float:
        """Greatest magnitude over all reversals; 0 without one."""
        return float(np.abs(self.peak).max(initial=0.0))

    def __repr__(self) -> str:
        return f"ReversalError({self.number} reversals, at most {self.max:g})"


def reversal_error(
    source: Any,
    actual: str | ArrayLike | Signal,
    reference: str | ArrayLike | Signal,
    *,
    window: float | None = None,
    start: float | None = None,
    end: float | None = None,
) -> ReversalError:
    """Return the following error after each reversal of the reference: the quadrant glitch.

    Parameters
    ----------
    source : run or array_like, shape (n,)
        A run, or the times of the samples, s.
    actual, reference : str, Signal or array_like, shape (n,)
        The two signals: names in the run, signals or arrays.
    window : float, optional
        Length of the window after each reversal in which the peak is searched, s, positive; by default until half way
        to the next reversal, or to the end.
    start, end : float, optional
        Window of time in which reversals count, s; default the whole record.

    Returns
    -------
    ReversalError

    Raises
    ------
    ValueError
        If a signal does not fit the times or the window is not within the record.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["axis"])
    >>> m.add_friction("guide", on="axis", law=ss.Coulomb(static=1.0, kinetic=1.0))
    >>> m.add_controller(ss.PID(kp=4e3, kd=80.0), on="axis", reference=ss.Sine(amplitude=0.1, frequency=0.5))
    'pid'
    >>> run = ss.simulate(m, t_end=4.0)
    >>> ss.analysis.reversal_error(run, "axis.position", "pid.reference", start=1.0).number
    3
    """
    span = None if window is None else checks.positive("window", window)
    signals = {"reference": reference, "actual": actual}
    times, (target, reached), first, last = record(source, signals, start, end, difference=True)
    t, r = clip(times, target, first, last)
    _, e = clip(times, target - reached, first, last)
    turns = _turns(t, r)
    ends = [*(0.5 * (a + b) for a, b in pairwise(turns)), *([last] if turns else [])]
    peaks, delays = [], []
    for turn, until in zip(turns, ends, strict=True):
        stop = until if span is None else min(turn + span, last)
        at, error = clip(t, e, turn, stop)
        k = int(np.argmax(np.abs(error)))
        peaks.append(float(error[k]))
        delays.append(float(at[k]) - turn)
    return ReversalError(np.array(turns), np.array(peaks), np.array(delays))


def _turns(t: Array, r: Array) -> list[float]:
    """Instants at which the direction of motion changes: between samples by the parabola through three of them."""
    step = np.diff(r)
    moving = np.flatnonzero(step)
    found = []
    for a, b in pairwise(moving):
        if (step[a] > 0.0) == (step[b] > 0.0):
            continue
        if b > a + 1:  # a rest in between: it sets out again
            found.append(float(t[b]))
            continue
        left, right = t[b] - t[a], t[b + 1] - t[b]
        slopes = step[a] / left, step[b] / right
        middle_left, middle_right = 0.5 * (t[a] + t[b]), 0.5 * (t[b] + t[b + 1])
        share = slopes[0] / (slopes[0] - slopes[1])
        found.append(float(np.clip(middle_left + share * (middle_right - middle_left), t[a], t[b + 1])))
    return found
