"""Search for a limit cycle in a record, with its period and amplitude."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.analysis._series import clip, crossings, record, times_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LimitCycle:
    """A periodic motion at the end of a record.

    Attributes
    ----------
    found : bool
        True if the last cycles repeat within the tolerance.
    period : float
        Period, s; NaN if there are no two cycles to compare.
    amplitude : float
        Half the distance from the least to the greatest value in a cycle.
    mean : float
        Mean over one cycle.
    crossings : int
        Number of upward crossings of the middle in one period: 1 for a simple cycle.
    period_spread, amplitude_spread : float
        Greatest relative deviation of the last cycles from their mean.
    trend : float
        Relative change of the amplitude per cycle; negative if the motion decays.
    message : str
        The result in words.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 40.0, 4001)
    >>> ss.analysis.limit_cycle(t, np.sin(3.0 * t)).message
    'limit cycle: period 2.0944 s, amplitude 1'
    """

    found: bool
    period: float
    amplitude: float
    mean: float
    crossings: int
    period_spread: float
    amplitude_spread: float
    trend: float
    message: str

    @property
    def frequency(self) -> float:
        """1/period, Hz."""
        return 1.0 / self.period

    @property
    def omega(self) -> float:
        """2π/period, rad/s."""
        return 2.0 * math.pi / self.period


def limit_cycle(
    source: Any,
    signal: str | ArrayLike,
    *,
    cycles: int = 3,
    tolerance: float = 1e-3,
    start: float | None = None,
    end: float | None = None,
    most_crossings: int = 4,
) -> LimitCycle:
    """Look for a limit cycle in the last part of a record.

    A cycle begins where the signal rises through the middle of its range; a crossing counts only after the signal has
    left a band of a tenth of the range around the middle, so that noise does not count. A limit cycle is found if the
    last `cycles` cycles agree in period and amplitude; otherwise groups of two, three, … cycles are tried as one
    period. A damped oscillation is no cycle: its amplitudes differ. This describes the record:
    `stickslip.cycles.periodic_orbit` solves for the cycle of the machine and decides whether it is stable.

    Parameters
    ----------
    source : run or array_like, shape (n,)
        A run, or the times of the samples, s.
    signal : str or array_like, shape (n,)
        The signal.
    cycles : int
        Number of periods that must agree; default 3.
    tolerance : float
        Relative deviation allowed; default 1e-3.
    start, end : float, optional
        Window of time, s; default the second half of the record, where transients have died out.
    most_crossings : int
        Largest group that is tried as one period; default 4.

    Returns
    -------
    LimitCycle

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 40.0, 4001)
    >>> found = ss.analysis.limit_cycle(t, 2.0 + np.sin(3.0 * t))
    >>> found.found, round(found.period, 5), round(found.amplitude, 3)
    (True, 2.0944, 1.0)
    """
    if int(cycles) != cycles or cycles < 2:
        checks.reject("cycles", cycles, "a whole number >= 2")
    if int(most_crossings) != most_crossings or most_crossings < 1:
        checks.reject("most_crossings", most_crossings, "a whole number >= 1")
    allowed = checks.positive("tolerance", tolerance)
    whole = times_of(source)
    middle = 0.5 * float(whole[0] + whole[-1]) if start is None else start
    times, (values,), first, last = record(source, {"signal": signal}, middle, end)
    t, x = clip(times, values, first, last)
    low, high = float(x.min()), float(x.max())
    rises = _rises(t, x - 0.5 * (low + high), 0.1 * (high - low))
    if rises.size < 3:
        return _none(
            f"fewer than two cycles between {first:g} and {last:g} s: use a longer record or an earlier `start`",
            0.5 * (high - low),
        )
    best: LimitCycle | None = None
    for group in range(1, int(most_crossings) + 1):
        begins = rises[::-1][::group][: int(cycles) + 1][::-1]
        if begins.size < int(cycles) + 1:
            break
        candidate = _judge(t, x, begins, group, allowed)
        if candidate.found:
            return candidate
        best = candidate if best is None else best
    if best is None:
        return _none(
            f"only {rises.size - 1} of {cycles} cycles: use a longer record, an earlier `start` or fewer `cycles`",
            0.5 * (high - low),
        )
    return best


def _none(reason: str, amplitude: float) -> LimitCycle:
    nan = math.nan
    return LimitCycle(False, nan, amplitude, nan, 0, nan, nan, nan, f"no limit cycle: {reason}")


def _rises(t: Array, x: Array, hysteresis: float) -> Array:
    """Rises through zero, each after the signal has been below −hysteresis since the one before."""
    if hysteresis == 0.0:
        return np.empty(0)
    every = crossings(t, x)
    below = t[x < -hysteresis]
    above = t[x > hysteresis]
    kept: list[float] = []
    for moment in every:
        since = kept[-1] if kept else -math.inf
        dipped = np.any((below > since) & (below < moment))
        rose = not kept or np.any((above > since) & (above < moment))
        if dipped and rose:
            kept.append(float(moment))
    return np.asarray(kept)


def _judge(t: Array, x: Array, begins: Array, group: int, allowed: float) -> LimitCycle:
    periods = np.diff(begins)
    pieces = [clip(t, x, a, b) for a, b in pairwise(begins)]
    amplitudes = np.array([0.5 * (_peak(*piece, 1.0) - _peak(*piece, -1.0)) for piece in pieces])
    means = [float(np.sum(np.diff(u) * (y[1:] + y[:-1]))) / (2.0 * (u[-1] - u[0])) for u, y in pieces]
    period, amplitude = float(periods.mean()), float(amplitudes.mean())
    period_spread = float(np.abs(periods - period).max()) / period
    amplitude_spread = float(np.abs(amplitudes - amplitude).max()) / amplitude
    trend = float(amplitudes[-1] - amplitudes[0]) / (amplitude * (amplitudes.size - 1))
    # The mean distinguishes cycles of equal length and height but different shape.
    mean_spread = float(np.abs(np.array(means) - np.mean(means)).max()) / amplitude
    found = max(period_spread, amplitude_spread, mean_spread) <= allowed
    if found:
        message = f"limit cycle: period {period:.6g} s, amplitude {amplitude:.6g}"
    else:
        steps = np.diff(amplitudes) if abs(trend) > allowed else np.zeros(1)
        change = "dies out" if np.all(steps < 0.0) else "grows" if np.all(steps > 0.0) else "does not repeat"
        spread = max(period_spread, amplitude_spread, mean_spread)
        message = f"no limit cycle: the motion {change} (spread {spread:.2g})"
    return LimitCycle(
        found,
        period,
        amplitude,
        float(np.mean(means)),
        group,
        period_spread,
        amplitude_spread,
        trend,
        message,
    )


def _peak(t: Array, x: Array, sign: float) -> float:
    """Greatest (or least) value, by the parabola through the three samples around it."""
    y = sign * x
    i = int(np.argmax(y))
    if i in (0, y.size - 1):
        return float(x[i])
    a, b = t[i - 1] - t[i], t[i + 1] - t[i]
    p, q = y[i - 1] - y[i], y[i + 1] - y[i]
    if a == 0.0 or b == 0.0:
        return float(x[i])
    curvature, slope = (p / a - q / b) / (a - b), (q * a / b - p * b / a) / (a - b)
    if curvature >= 0.0:
        return float(x[i])
    return float(sign * (y[i] - slope**2 / (4.0 * curvature)))
