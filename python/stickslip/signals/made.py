"""Test signals, and operations on signals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._checks import non_negative, number, optional_number, positive, reject, spread, vector
from stickslip.signals.pieces import Piece, branches, product, quintic, repeated, signal_of
from stickslip.signals.signal import Constant, Scaled, Signal, SignalLike, Sum, as_signal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Product(Signal):
    """Product of two signals; ``a * b`` makes one.

    Exact for products of polynomials up to degree 5 in total and of sines; a sine times a power of time consists of
    quintic pieces, accurate to 1e-10 of its size.

    Parameters
    ----------
    first, second : Signal or float
        The factors.

    Raises
    ------
    ValueError
        If the product cannot be represented as a signal: a sine times a ramp without an end.

    Examples
    --------
    >>> import stickslip as ss
    >>> both = ss.Sine(2.0, 1.0) * ss.Sine(3.0, 1.0)
    >>> round(both(0.25), 12)
    6.0
    """

    first: Signal
    second: Signal
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        first, second = as_signal(self.first, "first"), as_signal(self.second, "second")
        self._fill(product(first.compiled, second.compiled), first=first, second=second)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Where(Signal):
    """`above` where `condition` >= 0, else `below`, with breakpoints exactly at the zeros of the condition.

    A periodic condition gives a periodic signal, if all its sines have a common period.

    Parameters
    ----------
    condition : Signal
        The signal to compare with zero.
    above, below : Signal or float
        Value where `condition` >= 0, and elsewhere.
    until : float, optional
        Time up to which crossings of a condition with sines are located, s; after that the last branch continues.
        Needed if its sines have no common period.
    start : float, default 0.0
        Time from which crossings are located, s; before it the first branch holds.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> level = ss.signals.Where(ss.Ramp(slope=1.0) - 2.0, above=5.0, below=ss.Ramp(slope=1.0))
    >>> level([1.0, 1.999, 2.0])
    array([1.   , 1.999, 5.   ])
    >>> square = ss.signals.Where(ss.Sine(1.0, 50.0), above=1.0, below=-1.0)
    >>> square([0.005, 0.015, 1000.005]), square.repeats_after
    (array([ 1., -1.,  1.]), 0.02)
    """

    condition: Signal
    above: Signal
    below: Signal
    until: float | None = None
    start: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        names = ("condition", "above", "below")
        condition, above, below = (as_signal(getattr(self, name), name) for name in names)
        until, start = optional_number("until", self.until), number("start", self.start)
        if until is not None and not until > start:
            reject("until", until, f"> start = {start:g}")
        compiled = branches(condition.compiled, above.compiled, below.compiled, start, until)
        self._fill(compiled, condition=condition, above=above, below=below, until=until, start=start)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clip(Signal):
    """A signal limited to a range; ``signal.clip(low, high)`` makes one.

    Parameters
    ----------
    signal : Signal
        The signal to limit.
    low, high : Signal or float, optional
        Lower and upper limit.
    until : float, optional
        See `Where`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Sine(2.0, 1.0).clip(-1.0, 1.0)
    Sine(amplitude=2.0, frequency=1.0).clip(-1.0, 1.0)
    """

    signal: Signal
    low: SignalLike | None = None
    high: SignalLike | None = None
    until: float | None = None
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        lower = None if self.low is None else as_signal(self.low, "low")
        upper = None if self.high is None else as_signal(self.high, "high")
        if isinstance(lower, Constant) and isinstance(upper, Constant) and lower.value > upper.value:
            reject("low", self.low, f"at most high = {self.high!r}")
        made, until = as_signal(self.signal, "signal"), optional_number("until", self.until)
        if upper is not None:
            made = Where(made - upper, upper, made, until)
        if lower is not None:
            made = Where(lower - made, lower, made, until)
        self._fill(made.compiled, until=until)

    def __repr__(self) -> str:
        given = [repr(self.low)] if self.low is not None or self.high is not None else []
        given += [repr(self.high)] if self.high is not None else []
        given += [f"until={self.until!r}"] if self.until is not None else []
        inner = f"({self.signal!r})" if isinstance(self.signal, (Sum, Scaled)) else repr(self.signal)
        return f"{inner}.clip({', '.join(given)})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Repeat(Signal):
    """Periodic continuation of one period of a signal.

    Parameters
    ----------
    signal : Signal
        The signal.
    period : float
        The period, s, positive.
    start : float, default 0.0
        Start of the period that is repeated, s; before it the signal is unchanged.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed. The period of a sine in the signal must divide the period.

    Examples
    --------
    >>> import stickslip as ss
    >>> triangle = ss.signals.Repeat(ss.Piecewise([0.0, 1.0, 3.0, 4.0], [0.0, 1.0, -1.0, 0.0]), period=4.0)
    >>> triangle([0.5, 4.5, 7.0, 4000001.0])
    array([ 0.5,  0.5, -1. ,  1. ])
    """

    signal: Signal
    period: float
    start: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        signal, start = as_signal(self.signal, "signal"), number("start", self.start)
        period = positive("period", self.period)
        compiled = repeated(signal.compiled, start, period)
        self._fill(compiled, signal=signal, period=period, start=start)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pulses(Signal):
    """A train of rectangular pulses.

    Parameters
    ----------
    value : float
        Value during a pulse.
    period : float
        Time from one pulse to the next, s, positive.
    width : float
        Length of each pulse, s, between 0 and the period.
    count : int, optional
        Number of pulses; unlimited by default.
    start : float, default 0.0
        Start of the first pulse, s.
    low : float, default 0.0
        Value outside the pulses.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Pulses(2.0, period=1.0, width=0.25, count=3).breakpoints
    array([0.  , 0.25, 1.  , 1.25, 2.  , 2.25])
    """

    value: float
    period: float
    width: float
    count: int | None = None
    start: float = 0.0
    low: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("value", "start", "low")
        period, width = positive("period", self.period), positive("width", self.width)
        if width >= period:
            reject("width", width, f"less than period = {period:g}")
        count = None if self.count is None else _count("count", self.count)
        begins = numbers["start"] + period * np.arange(count or 1)
        times = np.column_stack([begins, begins + width]).ravel()
        held = np.tile([numbers["value"], numbers["low"]], count or 1)
        compiled = _steps(times, held, numbers["low"])
        if count is None:
            compiled = compiled.repeating(numbers["start"], period)
        self._fill(compiled, **numbers, period=period, width=width, count=count)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PRBS(Signal):
    """Pseudo-random binary sequence: the maximal sequence of a shift register, of ``2**order - 1`` steps.

    Parameters
    ----------
    amplitude : float
        The sequence switches between plus and minus this value, and is zero before and after.
    step : float
        Length of a step, s, positive.
    order : int, default 7
        Length of the register, 2 to 16.
    repeats : int or None, default 1
        Number of repetitions; None: repeat forever.
    start : float, default 0.0
        Start, s.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    References
    ----------
    Golomb, Shift Register Sequences (1967): in a maximal sequence one level occurs one time more than the other,
    and the circular autocorrelation is ``-1/(2**order - 1)`` at every shift but zero.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.PRBS(1.0, step=0.1, order=3)([0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65])
    array([ 1.,  1.,  1., -1., -1.,  1., -1.])
    """

    amplitude: float
    step: float
    order: int = 7
    repeats: int | None = 1
    start: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("amplitude", "start")
        step, order = positive("step", self.step), _count("order", self.order)
        if order not in _TAPS:
            reject("order", order, "2 to 16")
        bits = np.tile(_register(order), 1 if self.repeats is None else _count("repeats", self.repeats))
        times = numbers["start"] + step * np.arange(bits.size + 1)
        held = np.append(numbers["amplitude"] * (2.0 * bits - 1.0), 0.0)
        compiled = _steps(times, held, 0.0)
        if self.repeats is None:
            compiled = compiled.repeating(numbers["start"], step * bits.size)
        self._fill(compiled, **numbers, step=step, order=order)


# A second tap besides the last one, or three, that make the characteristic polynomial primitive (Golomb, table of primitive
# polynomials); checked by the length of the sequence.
_TAPS: dict[int, tuple[int, ...]] = {
    2: (1,), 3: (2,), 4: (3,), 5: (3,), 6: (5,), 7: (6,), 8: (6, 5, 4), 9: (5,), 10: (7,), 11: (9,), 12: (6, 4, 1),
    13: (4, 3, 1), 14: (5, 3, 1), 15: (14,), 16: (15, 13, 4),
}  # fmt: skip


def _register(order: int) -> np.ndarray[Any, Any]:
    state, taps = [1] * order, (order, *_TAPS[order])
    bits = np.empty(2**order - 1)
    for k in range(bits.size):
        bits[k] = state[-1]
        state = [sum(state[tap - 1] for tap in taps) % 2, *state[:-1]]
    return bits


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Multisine(Signal):
    """Sum of sines, exact at all times.

    Parameters
    ----------
    frequencies : array_like, shape (n,)
        Hz, positive.
    amplitudes : float or array_like, shape (n,), default 1.0
        Amplitude of each sine.
    phases : array_like, shape (n,), optional
        Phases in ``sin(2 pi f t + phase)``, rad. By default Schroeder's, for a low peak.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    References
    ----------
    Schroeder, Synthesis of low-peak-factor signals and binary sequences with low autocorrelation, IEEE Transactions on
    Information Theory 16 (1970) 85-89, equation 9: phase_k = phase_1 - 2 pi sum over l < k of (k - l) p_l, with the
    shares p of power.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> wave = ss.Multisine(np.arange(1.0, 21.0))
    >>> float(np.abs(wave(np.linspace(0.0, 1.0, 2001))).max().round(1))        # 20 for cosines of equal phase
    5.6
    """

    frequencies: np.ndarray[Any, Any]
    amplitudes: np.ndarray[Any, Any] | float = 1.0
    phases: np.ndarray[Any, Any] | None = None
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        f = vector("frequencies", self.frequencies)
        if f.size == 0 or not np.all(f > 0.0):
            reject("frequencies", self.frequencies, "all positive, and at least one")
        a = spread("amplitudes", self.amplitudes, f.size)
        phases = _schroeder(a) if self.phases is None else vector("phases", self.phases, f.size)
        waves = tuple(zip(a.tolist(), (2.0 * np.pi * f).tolist(), phases.tolist(), strict=True))
        compiled = signal_of([Piece(-math.inf, 0.0, (0.0,), waves)])
        given = None if self.phases is None else phases
        self._fill(compiled, frequencies=f, amplitudes=a, phases=given)


def _schroeder(amplitudes: ArrayLike) -> np.ndarray[Any, Any]:
    power = np.asarray(amplitudes, dtype=float) ** 2
    share = power / (power.sum() or 1.0)
    return np.asarray(0.5 * np.pi - 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(np.cumsum(share))[:-1]]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chirp(Signal):
    """A sine whose frequency sweeps from one value to another, linearly or exponentially in time.

    It is represented by quintic pieces, accurate to 1e-10 of its amplitude, and is zero before and after.

    Parameters
    ----------
    amplitude : float
        Amplitude.
    first, last : float
        Frequencies at both ends, Hz, positive.
    duration : float
        s, positive.
    start : float, default 0.0
        Start, s, with phase zero.
    exponential : bool, default False
        If True, the frequency grows exponentially, otherwise linearly.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> sweep = ss.Chirp(2.0, first=1.0, last=5.0, duration=2.0)
    >>> abs(sweep(1.0)) < 1e-9                   # the phase is 2 pi (1 + 4/2/2) at t = 1
    True
    """

    amplitude: float
    first: float
    last: float
    duration: float
    start: float = 0.0
    exponential: bool = False
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("amplitude", "start")
        f, g, span = (positive(name, getattr(self, name)) for name in ("first", "last", "duration"))
        size, begin = numbers["amplitude"], numbers["start"]
        growth = math.log(g / f) / span if self.exponential else (g - f) / span

        def wave(t: float) -> tuple[float, float, float]:
            s = t - begin
            if self.exponential and growth != 0.0:
                now, bend = f * math.exp(growth * s), f * growth * math.exp(growth * s)
                phase = f * math.expm1(growth * s) / growth
            else:
                now, bend, phase = f + growth * s, growth, (f + 0.5 * growth * s) * s
            w, x = 2.0 * math.pi * now, 2.0 * math.pi * phase
            sine, cosine = math.sin(x), math.cos(x)
            return size * sine, size * w * cosine, size * (2.0 * math.pi * bend * cosine - w * w * sine)

        def frequency(t: float) -> float:
            s = min(max(t - begin, 0.0), span)
            now = f * math.exp(growth * s) if self.exponential else f + growth * s
            return 2.0 * math.pi * now + abs(growth) * (1.0 if self.exponential else 1.0 / now)

        zero = (0.0,)
        made = quintic(wave, begin, begin + span, frequency)
        made = [Piece(-math.inf, 0.0, zero), *made, Piece(begin + span, 0.0, zero)]
        self._fill(signal_of(made), **numbers, first=f, last=g, duration=span)


def _count(name: str, value: object) -> int:
    if int(non_negative(name, value)) != value or value == 0:
        reject(name, value, "a whole number above zero")
    return int(value)


def _steps(times: Sequence[float] | np.ndarray[Any, Any], held: Any, before: float) -> _core.signal.Signal:
    pieces = [Piece(-math.inf, 0.0, (before,))]
    pieces += [Piece(float(t), 0.0, (float(y),)) for t, y in zip(times, held, strict=True)]
    return signal_of(pieces)
