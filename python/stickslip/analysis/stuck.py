"""Stuck fraction and following error of a drive over normal load and speed.

Krämer and Kempkes show one drive without friction, with little and with strong friction, and state that the transition
is continuous. These maps show the transition, over speed as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.analysis.tracking import stops
from stickslip.run.simulation import simulate

Array = NDArray[np.float64]

# Number of samples in which the greatest error is located, and number of refinements around it.
SAMPLES, ROUNDS = 2001, 3


@dataclass(frozen=True, eq=False)
class StuckFractionMap:
    """Stuck fraction and worst following error of a drive over normal load and speed.

    Attributes
    ----------
    normal_load : ndarray, shape (columns,)
        Normal loads, N.
    speed : ndarray, shape (rows,)
        Speeds, in the unit in which they were given.
    fraction : ndarray, shape (rows, columns)
        Share of each run in which the element sticks, 0 … 1; NaN for a run that did not reach its end.
    error : ndarray, shape (rows, columns)
        Greatest magnitude of reference − actual from `error_from` on, in the unit of the signals; NaN for the same runs.
    stops : ndarray of int, shape (rows, columns)
        Number of stops of the element; −1 where the run did not reach its end.

    Examples
    --------
    >>> import stickslip as ss
    >>> found = ss.analysis.StuckFractionMap([1.0], [0.1], [[0.25]], [[1e-3]], [[2]])
    >>> print(found)
    stuck fraction over 1 normal loads and 1 speeds: 25.0 % … 25.0 %, error 0.001 … 0.001
    """

    normal_load: Array
    speed: Array
    fraction: Array
    error: Array
    stops: NDArray[np.int64]

    @property
    def complete(self) -> bool:
        """True if all runs reached their ends."""
        return bool(np.all(np.asarray(self.stops) >= 0))

    def __repr__(self) -> str:
        rows, columns = np.shape(self.fraction)
        text = f"stuck fraction over {columns} normal loads and {rows} speeds"
        if not np.any(np.asarray(self.stops) >= 0):
            return f"{text}: no run reached its end"
        low, high = 100.0 * np.nanmin(self.fraction), 100.0 * np.nanmax(self.fraction)
        small, large = np.nanmin(self.error), np.nanmax(self.error)
        text = f"{text}: {low:.1f} % … {high:.1f} %, error {small:.6g} … {large:.6g}"
        lost = int(np.count_nonzero(np.asarray(self.stops) < 0))
        return f"{text}, {lost} runs did not reach their ends" if lost else text


def stuck_fraction_map(
    drive: Callable[[float, float], Any],
    normal_load: ArrayLike,
    speed: ArrayLike,
    *,
    t_end: ArrayLike,
    error_from: ArrayLike = 0.0,
    element: str = "load friction",
    actual: str = "load.position",
    reference: str = "control.reference",
    rtol: float = 1e-8,
) -> StuckFractionMap:
    """Map the stuck fraction and the following error of a drive over normal load and speed.

    Parameters
    ----------
    drive : callable
        ``drive(normal_load, speed)`` returns the machine, anything that `simulate` takes. It decides the meaning of
        `speed`: frequency or amplitude of the reference, or slope of a ramp.
    normal_load : array_like, shape (columns,)
        Normal loads, N, ≥ 0.
    speed : array_like, shape (rows,)
        Speeds, > 0.
    t_end : float or array_like, shape (rows,)
        Length of the runs from rest at zero, s: one for all or one per speed.
    error_from : float or array_like, shape (rows,), default 0.0
        Time from which the error counts, s, to exclude the start. Stuck fraction and stops refer to the complete run.
    element : str, default "load friction"
        Friction element to analyse. A machine without an element of this name never sticks, so `drive` may leave
        friction out for a load of zero.
    actual, reference : str, default "load.position" and "control.reference"
        Signals whose difference is the error.
    rtol : float, default 1e-8
        Relative tolerance of the runs.

    Returns
    -------
    StuckFractionMap

    Raises
    ------
    ValueError
        Naming the argument.

    Notes
    -----
    Stuck fractions come from the exact times of the events. The greatest error is located among 2001 samples of each
    run and then refined; between two samples it must not have more than one peak.

    References
    ----------
    Krämer, Kempkes, section 4: "a continuous transition from no to strong friction".

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)
    >>> def drive(load, frequency):
    ...     return ss.machines.two_mass_drive(
    ...         motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64,
    ...         load_friction=law if load else None, normal_load=load,
    ...         control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3),
    ...         reference=ss.Sine(amplitude=50e-6, frequency=frequency))
    >>> found = ss.analysis.stuck_fraction_map(drive, [0.0, 981.0, 9810.0], [0.5], t_end=3.0, error_from=1.0)
    >>> found.fraction.round(3), (1e6 * found.error).round(2)
    (array([[0.   , 0.138, 0.471]]), array([[ 2.17,  3.13, 17.12]]))
    """
    if not callable(drive):
        checks.reject("drive", drive, "a function of normal load and speed that makes a machine")
    loads, speeds = checks.vector("normal_load", normal_load), checks.vector("speed", speed)
    if np.any(loads < 0.0):
        checks.reject("normal_load", loads.min(), ">= 0")
    if np.any(speeds <= 0.0):
        checks.reject("speed", speeds.min(), "> 0")
    ends, begins = (
        checks.spread("t_end", t_end, speeds.size),
        checks.spread("error_from", error_from, speeds.size),
    )
    if np.any(ends <= 0.0):
        checks.reject("t_end", ends.min(), "> 0")
    for first, last in zip(begins, ends, strict=True):
        if not 0.0 <= first < last:
            checks.reject("error_from", first, f">= 0 and < t_end = {last:g}")
    shape = (speeds.size, loads.size)
    fraction, error = np.full(shape, math.nan), np.full(shape, math.nan)
    count = np.full(shape, -1, dtype=np.int64)
    for i, value in enumerate(speeds):
        for j, load in enumerate(loads):
            run = simulate(drive(float(load), float(value)), float(ends[i]), rtol=rtol)
            if not run.success:
                continue
            error[i, j] = _worst(run, actual, reference, float(begins[i]), float(ends[i]))
            if element in run.machine.elements:
                found = stops(run, element)
                fraction[i, j], count[i, j] = found.fraction, found.number
            else:
                fraction[i, j], count[i, j] = 0.0, 0
    return StuckFractionMap(loads, speeds, fraction, error, count)


def _worst(run: Any, actual: str, reference: str, first: float, last: float) -> float:
    """Greatest |reference − actual|: sampled, then sampled anew around the three greatest peaks."""

    def errors(t: Array) -> Array:
        at = run.at(t)
        return np.asarray(np.abs(at[reference] - at[actual]))

    t = np.linspace(first, last, SAMPLES)
    e = errors(t)
    inner = np.flatnonzero((e[1:-1] >= e[:-2]) & (e[1:-1] >= e[2:])) + 1
    peaks = inner[np.argsort(e[inner])[::-1][:3]]
    best = float(e.max())
    for peak in peaks:
        left, right = float(t[peak - 1]), float(t[peak + 1])
        for _ in range(ROUNDS):
            near = np.linspace(left, right, 41)
            values = errors(near)
            k = int(np.argmax(values))
            left, right = float(near[max(k - 1, 0)]), float(near[min(k + 1, 40)])
            best = max(best, float(values[k]))
    return best
