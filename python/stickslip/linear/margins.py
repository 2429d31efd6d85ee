"""Margins of a loop, peak and bandwidth of a frequency response.

Crossings are found as eigenvalues, so that narrow resonances are not missed, and also on a grid, since several
integrators make eigenvalues inaccurate; all are then refined on the response. The substitution z = (1 + w)/(1 - w)
converts a sampled system exactly to one in w = j tan(omega T/2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip.linear.system import LinearSystem
from stickslip.linear.zeros import zeros

Array = NDArray[np.float64]


class Margins(NamedTuple):
    """Stability margins of a loop, with the names and units of python-control.

    Attributes
    ----------
    gm : float
        Gain margin: factor of the gain at which the loop becomes unstable; if there are several, the one nearest to 1,
        infinite if there is none.
    pm : float
        Phase margin, degrees; if there are several, the least in magnitude; infinite if there is none.
    wcg : float
        Angular frequency of the gain margin, at which the phase is -180 degrees, rad/s; NaN if there is none.
    wcp : float
        Angular frequency of the phase margin, at which the gain is 1, rad/s; NaN if there is none.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.linear.Margins(gm=2.0, pm=60.0, wcg=10.0, wcp=4.0).pm
    60.0
    """

    gm: float
    pm: float
    wcg: float
    wcp: float


class Peak(NamedTuple):
    """Greatest gain of a frequency response.

    Attributes
    ----------
    value : float
        The gain.
    omega : float
        Angular frequency, rad/s.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.linear.Peak(value=1.4, omega=30.0).value
    1.4
    """

    value: float
    omega: float


def margins(loop: LinearSystem) -> Margins:
    """Margins of a loop with one input and one output."""
    limit = math.inf if loop.period is None else math.pi / loop.period

    def answer(omega: float) -> complex:
        return complex(loop.at(np.array([omega]))[0, 0, 0])

    def excess(omega: float) -> float:
        return abs(answer(omega)) - 1.0

    def imaginary(omega: float) -> float:
        return answer(omega).imag

    tried = loop.grid()
    seen = loop.at(tried)[0, 0]
    gains = [refined(excess, w) for w in gain_crossings(loop, 1.0)]
    gains += between(excess, tried, np.abs(seen) - 1.0)
    reals = [refined(imaginary, w) for w in real_crossings(loop)]
    reals += between(imaginary, tried, seen.imag)
    if loop.period is not None:
        reals.append(limit)  # the response is real there
    pm, wcp = math.inf, math.nan
    for w in gains:
        value = math.degrees(math.atan2(-answer(w).imag, -answer(w).real))
        if abs(abs(answer(w)) - 1.0) < 1e-6 and abs(value) < abs(pm):
            pm, wcp = value, w
    gm, wcg = math.inf, math.nan
    for w in reals:
        point = answer(w)
        if not 0.0 < w <= limit or point.real >= 0.0 or abs(point.imag) > 1e-6 * abs(point):
            continue
        if abs(math.log(-point.real)) < abs(math.log(gm)):
            gm, wcg = -1.0 / point.real, w
    return Margins(gm, pm, wcg, wcp)


def peak(system: LinearSystem) -> Peak:
    """Greatest gain over all frequencies, by the crossings of ever higher levels (Bruinsma, Steinbuch 1990)."""

    def gain(omega: Array) -> Array:
        gains: Array = np.abs(system.at(omega)[0, 0])
        return gains

    top = math.inf if system.period is None else math.pi / system.period
    tried = system.grid(200)
    if system.period is not None:
        tried = np.append(tried, top)
    best = int(np.argmax(gain(tried)))
    value, omega = float(gain(tried)[best]), float(tried[best])
    for _ in range(50):
        if not math.isfinite(value):
            break
        crossed = np.sort(gain_crossings(system, value * (1.0 + 1e-11)))
        if crossed.size == 0:
            break
        edges = np.concatenate([[0.0], crossed, [2.0 * crossed[-1] if math.isinf(top) else top]])
        middles = 0.5 * (edges[1:] + edges[:-1])
        middles = middles[middles > 0.0]
        gains = gain(middles)
        k = int(np.argmax(gains))
        if gains[k] <= value * (1.0 + 1e-13):
            break
        value, omega = float(gains[k]), float(middles[k])
    at_infinity = abs(float(system.D[0, 0])) if system.period is None else 0.0
    return Peak(at_infinity, math.inf) if at_infinity > value else Peak(value, omega)


def bandwidth(system: LinearSystem) -> float:
    """Return the angular frequency at which the gain is 3 dB below that at frequency 0, rad/s.

    NaN if the gain at 0 is zero or undefined, infinite if the gain never falls by 3 dB.
    """
    still = at_rest(system)
    level = abs(still) * 10.0**-0.15
    if not 0.0 < level < math.inf:
        return math.nan

    def excess(omega: float) -> float:
        return abs(complex(system.at(np.array([omega]))[0, 0, 0])) - float(level)

    tried = system.grid()
    seen = np.abs(system.at(tried)[0, 0]) - level
    found = [refined(excess, w) for w in gain_crossings(system, level)] + between(excess, tried, seen)
    falling = [w for w in found if excess(w * (1.0 - 1e-6)) > 0.0 and abs(excess(w)) < 1e-6 * level]
    return min(falling, default=math.inf)


def at_rest(system: LinearSystem) -> float:
    """Return the response at frequency 0; NaN at a pole.

    An unobservable pole there, such as that of the position in a velocity loop, makes the matrix singular although the
    response is finite: the response is then its mean over a circle around the point, inside all other poles (Cauchy's
    formula).
    """
    start = 0.0 if system.period is None else 1.0
    distance = np.abs(system.poles() - start)
    for near in (1e-6, 1e-9, 1e-12):
        inside = distance <= near * distance.max(initial=1e-300)
        value = _mean_around(system, start, distance, inside) if inside.any() else _value(system, start)
        if math.isfinite(value.real):
            return value.real
    return math.nan


def _value(system: LinearSystem, point: complex) -> complex:
    matrix = point * np.eye(system.A.shape[0]) - system.A
    return complex((system.C @ np.linalg.solve(matrix, system.B) + system.D)[0, 0])


def _mean_around(system: LinearSystem, centre: float, distance: Array, inside: NDArray[np.bool_]) -> complex:
    """The response at a point around which it has no pole among those inside; NaN if it has one."""
    radius = 0.25 * float(distance[~inside].min(initial=4.0))
    turns = np.exp(2j * np.pi * (np.arange(32) + 0.5) / 32)
    values = np.array([_value(system, centre + radius * turn) for turn in turns])
    parts = [np.mean(values * turns**k) for k in range(1, 1 + int(inside.sum()))]  # of (s - centre)^-k
    shown = np.abs(parts).max() > 1e-7 * np.abs(values).max()
    return complex(math.nan) if shown else complex(np.mean(values))


def gain_crossings(system: LinearSystem, level: float) -> Array:
    """Angular frequencies > 0 at which the gain is `level`: eigenvalues on the axis of a Hamiltonian matrix."""
    a, b, c, d = _continuous(system)
    r = level**2 - d**2
    if r == 0.0:  # a level that is reached at infinity only
        r = level**2 * 1e-14
    left = a + b @ c * (d / r)
    hamiltonian = np.block([[left, b @ b.T * (level / r)], [-c.T @ c * (level / r), -left.T]])
    return _on_axis(system, np.linalg.eigvals(hamiltonian))


def real_crossings(system: LinearSystem) -> Array:
    """Angular frequencies > 0 at which the response is real: zeros of L(s) - L(-s) on the axis."""
    a, b, c, _ = _continuous(system)
    n = a.shape[0]
    both = np.block([[a, np.zeros((n, n))], [np.zeros((n, n)), -a]])
    odd = LinearSystem(both, np.vstack([b, b]), np.hstack([c, c]), np.zeros((1, 1)))
    return _on_axis(system, zeros(odd))


def _on_axis(system: LinearSystem, points: NDArray[np.complexfloating]) -> Array:
    near = points[(points.imag > 0.0) & (np.abs(points.real) <= 1e-3 * np.abs(points))]
    omega = near.imag.astype(np.float64)
    if system.period is not None:
        omega = 2.0 * np.arctan(omega) / system.period
    return np.unique(omega)


def _continuous(system: LinearSystem) -> tuple[Array, Array, Array, float]:
    """The system, or the continuous one in w that a sampled one is with z = (1 + w)/(1 - w)."""
    if system.period is None:
        return system.A, system.B, system.C, float(system.D[0, 0])
    unit = np.eye(system.A.shape[0])
    try:
        inverse = np.linalg.inv(unit + system.A)
    except np.linalg.LinAlgError:  # a pole at z = -1; candidates are refined on the true response
        inverse = np.linalg.inv((1.0 - 1e-9) * unit + system.A)
    b = inverse @ system.B
    return unit - 2.0 * inverse, 2.0 * b, system.C @ inverse, float((system.D - system.C @ b)[0, 0])


def refined(function: Callable[[float], float], start: float) -> float:
    """Return the root of a function next to `start` by bisection, to machine precision."""
    start = float(start)
    if function(start) == 0.0:
        return start
    for width in (10.0**k for k in range(-13, -2)):
        low, high = start * (1.0 - width), start * (1.0 + width)
        left, right = function(low), function(high)
        if left * right <= 0.0:
            break
    else:
        return start
    return _bisected(function, low, high, right)


def between(function: Callable[[float], float], tried: Array, values: Array) -> list[float]:
    """Return the roots of a function between neighbouring samples of opposite signs."""
    change = np.flatnonzero(np.isfinite(values[:-1] * values[1:]) & (values[:-1] * values[1:] < 0.0))
    return [_bisected(function, float(tried[k]), float(tried[k + 1]), float(values[k + 1])) for k in change]


def _bisected(function: Callable[[float], float], low: float, high: float, right: float) -> float:
    for _ in range(60):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        value = function(middle)
        if (value > 0.0) == (right > 0.0) and value != 0.0:
            high, right = middle, value
        else:
            low = middle
    return 0.5 * (low + high)
