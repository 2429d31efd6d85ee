"""Decomposition of signals into pieces, and their composition: products, branches, quintic pieces.

Periodic signals are composed over one common period, which is then repeated.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from stickslip import _core
from stickslip._checks import reject

DEGREE = 5

# Quintic pieces of a function of frequency w are as wide as this by w: the error of Hermite's interpolation is
# (w h)^6/46080 of its size (Davis, Interpolation and Approximation, 1975, section 3.5).
STEP = 0.1


class Piece(NamedTuple):
    """Piece of a signal from `start` on: ``sum c_k (t - anchor)^k + sum a sin(w t + phase)``."""

    start: float
    anchor: float
    c: tuple[float, ...]
    harmonics: tuple[tuple[float, float, float], ...] = ()

    def about(self, t: float) -> list[float]:
        """Return the coefficients of the polynomial about `t`."""
        c, d = list(self.c), t - self.anchor
        for low in range(len(c)):
            for k in range(len(c) - 2, low - 1, -1):
                c[k] += d * c[k + 1]
        return c

    @property
    def degree(self) -> int:
        """Degree of its polynomial."""
        return max((k for k, c in enumerate(self.c) if c != 0.0), default=0)

    def value(self, t: float, order: int = 0) -> float:
        """Return its value, or a derivative."""
        waves = sum(a * w**order * math.sin(w * t + p + 0.5 * math.pi * order) for a, w, p in self.harmonics)
        return math.factorial(order) * self.about(t)[order] + waves


def pieces_of(signal: _core.signal.Signal) -> list[Piece]:
    """Return the pieces of a signal, the first from minus infinity on."""
    if signal.input_name:
        reject("signal", f"Input({signal.input_name!r})", "one without an input, whose values are not known")
    return [
        Piece(start, anchor, tuple(c), tuple((a, w, f) for a, w, f in waves))
        for start, anchor, c, waves in signal.pieces
    ]


def signal_of(pieces: Iterable[Piece]) -> _core.signal.Signal:
    """Return the signal of these pieces."""
    rows = [
        (p.start, p.anchor, [*p.c, *[0.0] * (DEGREE + 1 - len(p.c))], [list(h) for h in p.harmonics])
        for p in pieces
    ]
    return _core.signal.Signal.of_pieces(rows)


# -- what comes again -----------------------------------------------------------------------------------

Compiled = _core.signal.Signal


def _periods(signal: Compiled, waves: bool) -> Iterator[float]:
    """Periods of the parts that last for ever; with those of sines if their values matter."""
    if signal.period > 0.0:
        yield signal.period
    if waves:
        lasting = [p for p in pieces_of(signal) if p.start >= signal.begins]
        yield from (2.0 * math.pi / abs(w) for p in lasting for _, w, _ in p.harmonics if w != 0.0)


def common_period(*signals: Compiled, waves: bool) -> float:
    """Return the common period, 0 if no signal is periodic."""
    period = 0.0
    for one in (period for s in signals for period in _periods(s, waves)):
        both = Compiled.common_period(period, one)
        if both == 0.0:
            raise ValueError(
                f"until is missing: the periods {period:g} s and {one:g} s have no known common multiple; "
                "until=10.0 finds crossings up to 10 s (in signal.clip, signal.absolute and signals.Where)"
            )
        period = both
    return period


def together(*signals: _core.signal.Signal) -> Iterator[tuple[float, float, tuple[Piece, ...]]]:
    """Iterate over intervals in which each signal is one piece, with these pieces."""
    rows = [pieces_of(s) for s in signals]
    starts = [[p.start for p in row] for row in rows]
    edges = sorted({t for row in starts for t in row})
    for start, end in zip(edges, [*edges[1:], math.inf], strict=True):
        yield (
            start,
            end,
            tuple(
                row[max(0, bisect.bisect_right(at, start) - 1)] for row, at in zip(rows, starts, strict=True)
            ),
        )


def repeated(signal: Compiled, start: float, period: float) -> Compiled:
    """Repeat one period of the signal; the periods of its sines must divide the period."""
    within = [
        p for p, end in lasting(signal.unrolled(start + period)) if end > start and p.start < start + period
    ]
    for w in {abs(w) for p in within for _, w, _ in p.harmonics}:
        rounds = w * period / (2.0 * math.pi)
        if abs(rounds - round(rounds)) > 1e-12 * max(1.0, rounds):
            reject(
                "period", period, f"a whole number of periods of the sines within, of {2.0 * math.pi / w:g} s"
            )
    return signal.unrolled(start + period).repeating(start, period)


def lasting(signal: Compiled) -> Iterator[tuple[Piece, float]]:
    """Iterate over pieces with their ends."""
    pieces = pieces_of(signal)
    return zip(pieces, [*(p.start for p in pieces[1:]), math.inf], strict=True)


# -- products ------------------------------------------------------------------------------------------


def product(a: _core.signal.Signal, b: _core.signal.Signal) -> _core.signal.Signal:
    """Return pieces of a product: exact if they are polynomial and harmonic, else quintic."""
    if a.period > 0.0 or b.period > 0.0:
        bent = any(p.degree > 0 for s in (a, b) for p in pieces_of(s) if p.start >= s.begins)
        period, start = common_period(a, b, waves=bent), max(a.begins, b.begins)
        _refuse_growth(a, b)
        end = start + period
        return _product_until(a.unrolled(end), b.unrolled(end), end).repeating(start, period)
    return _product_until(a, b, math.inf)


def _refuse_growth(*signals: Compiled) -> None:
    if any(s.period == 0.0 and pieces_of(s)[-1].degree > 0 for s in signals):
        raise ValueError(
            "until is missing: a signal that grows without limit is not periodic; end it (stop= of a Ramp), or end the "
            "periodic signal (until= in signal.clip, signal.absolute and signals.Where)"
        )


def _product_until(a: Compiled, b: Compiled, until: float) -> Compiled:
    made: list[Piece] = []
    for start, end, (p, q) in together(a, b):
        if start < until:
            made += _product(p, q, start, min(end, until))
    return signal_of(made)


def _product(p: Piece, q: Piece, start: float, end: float) -> list[Piece]:
    mixed = (p.degree > 0 and q.harmonics) or (q.degree > 0 and p.harmonics)
    if not mixed and p.degree + q.degree <= DEGREE:
        anchor = p.anchor if p.degree >= q.degree else q.anchor
        c = np.convolve(p.about(anchor), q.about(anchor))[: DEGREE + 1]
        waves = [(x.c[0] * a, w, f) for x, y in ((p, q), (q, p)) for a, w, f in y.harmonics if x.c[0] != 0.0]
        for a1, w1, f1 in p.harmonics:
            for a2, w2, f2 in q.harmonics:  # sin x sin y = (cos(x - y) - cos(x + y))/2
                half = 0.5 * a1 * a2
                waves.append((-half, w1 + w2, f1 + f2 + 0.5 * math.pi))
                if w1 == w2:
                    c[0] += half * math.cos(f1 - f2)
                else:
                    waves.append((half, w1 - w2, f1 - f2 + 0.5 * math.pi))
        return [Piece(start, anchor, tuple(c), tuple(waves))]
    if not (math.isfinite(start) and math.isfinite(end)):
        what = "a sine times a growing polynomial" if mixed else "of a degree above 5"
        raise ValueError(
            f"the product is {what} without an end, which a signal cannot represent: end one of the factors"
        )

    def both(t: float) -> tuple[float, float, float]:
        x, y = ([s.value(t, k) for k in range(3)] for s in (p, q))
        return x[0] * y[0], x[1] * y[0] + x[0] * y[1], x[2] * y[0] + 2.0 * x[1] * y[1] + x[0] * y[2]

    fastest = max((abs(w) for s in (p, q) for _, w, _ in s.harmonics), default=0.0)
    fastest = max(fastest, (p.degree + q.degree) / (end - start))
    return quintic(both, start, end, lambda _: fastest)


def quintic(
    function: Callable[[float], tuple[float, float, float]],
    start: float,
    end: float,
    frequency: Callable[[float], float],
) -> list[Piece]:
    """Return quintic pieces of a function with a given local frequency in rad/s."""
    made, t, f = [], start, function(start)
    while t < end:
        h = STEP / max(frequency(t), 1e-300)
        h = STEP / max(frequency(t), frequency(min(t + h, end)), 1e-300)
        after = end if t + 1.5 * h >= end else t + h
        h, g = after - t, function(after)
        rise = g[0] - f[0]
        c3 = (20.0 * rise - (8.0 * g[1] + 12.0 * f[1]) * h - (3.0 * f[2] - g[2]) * h**2) / (2.0 * h**3)
        c4 = (-30.0 * rise + (14.0 * g[1] + 16.0 * f[1]) * h + (3.0 * f[2] - 2.0 * g[2]) * h**2) / (
            2.0 * h**4
        )
        c5 = (12.0 * rise - 6.0 * (g[1] + f[1]) * h - (f[2] - g[2]) * h**2) / (2.0 * h**5)
        made.append(Piece(t, t, (f[0], f[1], 0.5 * f[2], c3, c4, c5)))
        t, f = after, g
    return made


# -- branches at crossings -----------------------------------------------------------------------------


def branches(
    condition: _core.signal.Signal,
    above: _core.signal.Signal,
    below: _core.signal.Signal,
    start: float,
    until: float | None,
) -> _core.signal.Signal:
    """Return pieces of `above` where the condition is >= 0, else of `below`; crossings to machine precision."""
    sign = _sign(condition, start, until)
    if sign.period == 0.0:  # at last one of them alone goes on
        last, lasts = sign.begins, pieces_of(sign)[-1].c[0] > 0.0
        if math.isfinite(last) and (above.period > 0.0 or below.period > 0.0):
            ended = (below if lasts else above).unrolled(last)
            rest = signal_of([*(p for p in pieces_of(ended) if p.start < last), Piece(last, 0.0, (0.0,))])
            above, below = (above, rest) if lasts else (rest, below)
    parts = (sign, above, below)
    period = common_period(*parts, waves=False)
    if period == 0.0:
        return _chosen(*parts)
    begin = max(s.begins for s in parts)
    _refuse_growth(*parts)
    return _chosen(*(s.unrolled(begin + period) for s in parts)).repeating(begin, period)


def _chosen(sign: Compiled, above: Compiled, below: Compiled) -> Compiled:
    return signal_of(
        (high if at.c[0] > 0.0 else low)._replace(start=first)
        for first, _, (at, high, low) in together(sign, above, below)
    )


def _sign(condition: Compiled, start: float, until: float | None) -> Compiled:
    """1 where the condition is >= 0, else -1."""
    last = pieces_of(condition)[-1]
    again = condition.period > 0.0 or (last.harmonics and _reaches_zero(last))
    if until is not None or not again:
        return _signs(condition if until is None else condition.unrolled(until), start, until)
    _refuse_growth(condition)
    period, begin = common_period(condition, waves=True), max(condition.begins, start)
    # Rounding must not lose a crossing at the start of a period: begin elsewhere.
    for share in (0.271, 0.618, 0.414, 0.732):
        first = begin + share * period
        ended = condition.unrolled(first + period)
        size = max(abs(ended.value(first + k * period / 64.0)) for k in range(64))
        if abs(ended.value(first)) > 1e-3 * size:
            break
    return _signs(ended, start, first + period).repeating(first, period)


def _signs(condition: Compiled, start: float, until: float | None) -> Compiled:
    made = []
    for first, end, (at,) in together(condition):
        low, high = (start, until) if at.harmonics else (None, None)
        edges = [first, *_crossings(at, first, end, start, until)]
        for a, b in zip(edges, [*edges[1:], end], strict=True):
            sign = 1.0 if at.value(_inside(a, b, low, high)) >= 0.0 else -1.0
            made.append(Piece(a, 0.0, (sign,)))
    return signal_of(made)


def _inside(a: float, b: float, start: float | None, until: float | None) -> float:
    """An instant between a and b, where possible also between start and until, beyond which no crossing was sought."""
    if start is not None and start < b:
        a = max(a, start)
    if until is not None and until > a:
        b = min(b, until)
    if math.isinf(a):
        return min(0.0, b - 1.0) if math.isfinite(b) else 0.0
    return a + 1.0 if math.isinf(b) else 0.5 * (a + b)


def _crossings(p: Piece, first: float, end: float, start: float, until: float | None) -> list[float]:
    if not p.harmonics:
        found = np.roots(p.about(p.anchor)[p.degree :: -1]) if p.degree > 0 else np.zeros(0)
        times = p.anchor + found[np.abs(found.imag) <= 1e-6 * (1.0 + np.abs(found))].real
        # Roots of companion matrices lose digits: they mark where to look.
        marks = [t for t in times.tolist() if first < t < end]
        if not marks:
            return []
        room = 1e-3 * (max(marks) - min(marks) + 1e-3 * max(map(abs, marks)) + 1e-12)
        return roots(p, max(first, min(marks) - room), min(end, max(marks) + room))
    if not _reaches_zero(p):
        return []
    low = max(first, start)
    high = end if until is None else min(end, until)
    return roots(p, low, high) if low < high else []


def _reaches_zero(p: Piece) -> bool:
    """True if a piece with sines may be zero somewhere."""
    return p.degree > 0 or abs(p.c[0]) <= sum(abs(a) for a, _, _ in p.harmonics)


def roots(p: Piece, first: float, end: float) -> list[float]:
    """Return the changes of sign in (first, end), isolated by bisection."""
    found: list[float] = []
    open_parts = [(first, end)]
    while open_parts:
        a, b = open_parts.pop()
        t, h = 0.5 * (a + b), 0.5 * (b - a)
        c = p.about(t)
        value = c[0] + sum(x * math.sin(w * t + f) for x, w, f in p.harmonics)
        reach = sum(abs(x) * h**k for k, x in enumerate(c[1:], 1))
        if abs(value) > reach + sum(abs(x) * min(2.0, abs(w) * h) for x, w, _ in p.harmonics):
            continue
        slope = c[1] + sum(x * w * math.cos(w * t + f) for x, w, f in p.harmonics)
        bend = sum(k * abs(x) * h ** (k - 1) for k, x in enumerate(c[2:], 2))
        bend += sum(abs(x * w) * min(2.0, abs(w) * h) for x, w, _ in p.harmonics)
        if abs(slope) > bend or h <= 1e-9 * max(abs(a), abs(b), end - first):
            if (p.value(a) >= 0.0) != (p.value(b) >= 0.0):
                found.append(_root(p, a, b))
        else:
            open_parts += [(a, t), (t, b)]
    times = sorted(t for t in set(found) if first < t < end)
    # Between two crossings where it is zero to the last digit it only touches.
    zero = 8.0 * np.finfo(float).eps * (abs(p.c[0]) + sum(abs(a) for a, _, _ in p.harmonics))
    k = 0
    while k + 1 < len(times):
        a, b = times[k : k + 2]
        if all(abs(p.value(a + share * (b - a))) <= zero for share in (0.31, 0.5, 0.73)):
            del times[k : k + 2]
        else:
            k += 1
    return times


def _root(p: Piece, a: float, b: float) -> float:
    """The change of sign between a and b, to the last digits: Newton's method within a bracket."""
    rising = p.value(b) >= 0.0
    t = 0.5 * (a + b)
    for _ in range(200):
        value = p.value(t)
        if (value >= 0.0) == rising:
            b = t
        else:
            a = t
        slope = p.value(t, 1)
        step = t - value / slope if slope != 0.0 else a
        following = step if a < step < b else 0.5 * (a + b)
        if following in (t, a, b) or value == 0.0:
            return t if value == 0.0 else following
        t = following
    return t
