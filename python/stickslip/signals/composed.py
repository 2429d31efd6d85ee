"""Functions of a signal, represented by quintic pieces."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.signals.pieces import DEGREE, Piece, common_period, lasting, pieces_of, roots, signal_of

Array = NDArray[np.float64]

# Points of an interval [-1, 1] through which a quintic goes, and others at which it is judged.
_THROUGH = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_BETWEEN = -np.cos(np.pi * (np.arange(3 * DEGREE) + 0.5) / (3 * DEGREE))
_TO_POWERS = np.linalg.inv(np.vander(_THROUGH, increasing=True))
_CLOSE = 1e-11  # of the greatest value of a stretch
_HALVINGS = 48


def composed(
    function: Callable[[Array], Array], corners: Iterable[float], inner: _core.signal.Signal, smallest: float
) -> _core.signal.Signal:
    """Return a function of a signal in quintic pieces, accurate to 1e-11 of the signal's size.

    The function is smooth except at the corners; near a corner it is evaluated on the same side as the signal, at a
    distance of at least `smallest`.
    """
    marks = sorted({float(c) for c in corners})
    period = common_period(inner, waves=True)
    begin = inner.begins
    if period > 0.0:
        begin = max(begin, 0.0)
        inner = inner.unrolled(begin + period)
    elif pieces_of(inner)[-1].degree > 0:
        raise ValueError("velocity grows without limit: end it (stop= of a Ramp)")
    last = begin + period if period > 0.0 else math.inf
    made: list[Piece] = []
    for p, end in lasting(inner):
        if p.start >= last:
            break
        if p.degree == 0 and not p.harmonics:
            made.append(Piece(p.start, 0.0, (float(function(np.array([p.c[0]]))[0]),)))
            continue
        first, end = p.start, min(end, last)
        if math.isinf(first):  # before t = 0 what it is there
            first = min(0.0, end)
            made.append(Piece(-math.inf, 0.0, (float(function(np.array([p.value(first)]))[0]),)))
        met = {t for level in marks for t in roots(p._replace(c=(p.c[0] - level, *p.c[1:])), first, end)}
        edges = [first, *sorted(met), end]
        for a, b in itertools.pairwise(edges):
            made += _stretch(function, marks, p, a, b, smallest)
    whole = signal_of(made)
    return whole.repeating(begin, period) if period > 0.0 else whole


def _stretch(
    function: Callable[[Array], Array],
    marks: list[float],
    p: Piece,
    first: float,
    end: float,
    smallest: float,
) -> list[Piece]:
    """Quintic pieces of function(p), whose value meets no corner in between."""
    middle, sides = p.value(0.5 * (first + end)), [-math.inf, *marks, math.inf]
    k = bisect.bisect_right(sides, middle)
    low, high = sides[k - 1] + smallest, sides[k] - smallest

    def at(t: Array) -> Array:
        x = np.polynomial.polynomial.polyval(t - p.anchor, np.array(p.c))
        for a, w, f in p.harmonics:
            x = x + a * np.sin(w * t + f)
        return function(np.clip(x, low, high))

    made, size = [], 0.0
    fastest = max((abs(w) for _, w, _ in p.harmonics), default=0.0)
    open_parts = [(first, end, 0)]
    while open_parts:
        a, b, depth = open_parts.pop()
        mid, half = 0.5 * (a + b), 0.5 * (b - a)
        through = at(mid + half * _THROUGH)
        c = _TO_POWERS @ through
        size = max(size, float(np.abs(through).max()))
        off = np.abs(np.polynomial.polynomial.polyval(_BETWEEN, c) - at(mid + half * _BETWEEN)).max()
        if depth < _HALVINGS and (off > _CLOSE * size or fastest * half > 1.0):
            open_parts += [(mid, b, depth + 1), (a, mid, depth + 1)]
        else:
            made.append(Piece(a, mid, tuple((c / half ** np.arange(DEGREE + 1)).tolist())))
    return made
