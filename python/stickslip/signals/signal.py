"""Base class of signals, and signals composed of others."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._attached import deferred
from stickslip._checks import array, number, reject
from stickslip._value import Value

_POWERS = range(1, 6)
_QUOTIENT = (
    "a signal cannot be a divisor, since a quotient is neither polynomial nor sine: sample it, "
    "ss.Samples(t, a(t) / b(t), kind='cubic')"
)


_OPERATORS: dict[Any, str] = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "truediv", np.power: "pow",
    np.negative: "neg", np.positive: "pos", np.absolute: "abs",
}  # fmt: skip


class Signal(Value):
    """Base class of all signals: use `Constant`, `Ramp`, `Sine` and so on.

    Two signals are equal if they compile to the same function of time, so ``Step(1.0, start=2.0, before=1.0)``
    equals ``Constant(1.0)``. ``repr`` is an expression that makes an equal signal.

    Examples
    --------
    >>> import stickslip as ss
    >>> both = ss.Ramp(slope=2.0) + 1.0
    >>> both(0.5)
    2.0
    """

    __slots__ = ()
    compiled: _core.signal.Signal

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """A NumPy number times a signal is a signal, and ``np.abs`` of one; other functions are those of values."""
        name = _OPERATORS.get(ufunc)
        if name is None or method != "__call__" or options:
            raise TypeError(
                f"np.{ufunc.__name__} needs values: use np.{ufunc.__name__}(signal(t)) at times t; "
                "ss.Samples(t, values, kind='cubic') makes a signal of values"
            )
        if len(inputs) == 1 or isinstance(inputs[0], Signal):
            return getattr(inputs[0], f"__{name}__")(*inputs[1:])
        return getattr(inputs[1], f"__r{name}__")(inputs[0])

    def _order(self, other: object) -> bool:
        raise TypeError(
            "signals cannot be compared: signal.clip(low) is the maximum of both, signal.clip(high=...) the minimum, and "
            "ss.signals.Where chooses by the sign of a signal"
        )

    __lt__ = __le__ = __gt__ = __ge__ = _order

    @overload
    def __call__(self, t: float, order: int = 0) -> float: ...
    @overload
    def __call__(self, t: ArrayLike, order: int = 0) -> float | NDArray[np.float64]: ...
    def __call__(self, t: Any, order: int = 0) -> float | NDArray[np.float64]:
        """Value, or derivative of the given order, at the times `t`.

        Parameters
        ----------
        t : float or array_like
            Times in s, of any shape.
        order : int, default 0
            Order of the derivative, per s to that power; taken piece by piece, from the right at breakpoints,
            so that a jump leaves no impulse.

        Returns
        -------
        float or ndarray
            A float for a single time, else an array of the shape of `t`.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Ramp(slope=2.0)([0.0, 0.5, 1.0])
        array([0., 1., 2.])
        >>> ss.Ramp(slope=2.0)(0.5, order=1)
        2.0
        """
        if order < 0:
            reject("order", order, ">= 0")
        if type(t) is float:
            return self.compiled.value(t, order)
        times = array("t", t, all_finite=False)
        out = self.compiled.values(times, order)
        return float(out) if times.ndim == 0 else out

    def derivative(self, order: int = 1) -> Signal:
        """Return the derivative as a signal, piece by piece, without impulses at jumps.

        Parameters
        ----------
        order : int, default 1
            Order of the derivative, >= 0.

        Raises
        ------
        ValueError
            If `order` is negative.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Ramp(slope=2.0).derivative()(1.0)
        2.0
        """
        if order < 0:
            reject("order", order, ">= 0")
        return self if order == 0 else Derivative(self, order)

    @property
    def breakpoints(self) -> NDArray[np.float64]:
        """Times in s, increasing, at which the function or one of its derivatives may jump.

        For a periodic signal, the breakpoints up to the end of its first period; see `repeats_after`.
        """
        return np.array(self.compiled.breakpoints)

    @property
    def repeats_after(self) -> float | None:
        """Period in s of a signal with periodic breakpoints; None for any other."""
        return self.compiled.period or None

    @property
    def is_constant(self) -> bool:
        """True if the value never changes (an `Input` counts as its default)."""
        return self.compiled.is_constant

    def __add__(self, other: SignalLike) -> Signal:
        if not is_signal_like(other):
            return NotImplemented
        return Sum((*_parts(self), *_parts(as_signal(other))))

    def __radd__(self, other: SignalLike) -> Signal:
        if not is_signal_like(other):
            return NotImplemented
        return Sum((*_parts(as_signal(other)), *_parts(self)))

    def __sub__(self, other: SignalLike) -> Signal:
        if not is_signal_like(other):
            return NotImplemented
        return self + -as_signal(other)

    def __rsub__(self, other: SignalLike) -> Signal:
        if not is_signal_like(other):
            return NotImplemented
        return as_signal(other) + -self

    def __mul__(self, factor: Any) -> Signal:
        if isinstance(factor, Signal):
            return _product(self, factor)
        if isinstance(factor, np.ndarray):
            raise TypeError(
                "the product of an array and a signal is not defined: the values at times t are array * signal(t), and "
                "ss.Samples(t, values) makes a signal of values"
            )
        if not _is_number(factor):
            return NotImplemented
        return Scaled(number("factor", factor), self)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Signal:
        if not (_is_number(exponent) and exponent in _POWERS):
            raise ValueError(
                f"exponent = {exponent!r} is not allowed: it must be a whole number from {_POWERS[0]} to {_POWERS[-1]}; "
                "other functions of a signal are sampled, ss.Samples(t, f(signal(t)), kind='cubic')"
            )
        return math.prod([self] * (int(exponent) - 1), start=self)

    def __rtruediv__(self, dividend: object) -> Signal:
        raise TypeError(_QUOTIENT)

    def __truediv__(self, divisor: SignalLike) -> Signal:
        if isinstance(divisor, Signal):
            raise TypeError(_QUOTIENT)
        if not _is_number(divisor):
            return NotImplemented
        if divisor == 0.0:
            reject("divisor", divisor, "other than zero")
        return Scaled(1.0 / number("divisor", divisor), self)

    def __abs__(self) -> Signal:
        return self.absolute()

    def absolute(self, until: float | None = None) -> Signal:
        """Return the absolute value; ``abs(signal)`` if no `until` is needed.

        Parameters
        ----------
        until : float, optional
            Time up to which zeros of an oscillating signal are located, s. Needed only for sines without a common
            period; periodic signals are continued from t = 0 on.

        Raises
        ------
        ValueError
            If `until` is needed and missing.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Sine(2.0, 1.0).absolute()(100.75)
        2.0
        """
        return _where(self, self, -self, until)

    def clip(
        self, low: SignalLike | None = None, high: SignalLike | None = None, until: float | None = None
    ) -> Signal:
        """Return the signal limited to a range, with breakpoints exactly at the limits.

        Parameters
        ----------
        low, high : float or Signal, optional
            Limits; none by default.
        until : float, optional
            Time up to which crossings of an oscillating signal are located, s; after that the last branch continues.
            Needed only for sines without a common period; periodic signals are continued from t = 0 on.

        Raises
        ------
        ValueError
            Naming the argument.

        Examples
        --------
        >>> import stickslip as ss
        >>> flat = ss.Sine(2.0, 1.0).clip(-1.0, 1.0)
        >>> flat([0.25, 1000.75])
        array([ 1., -1.])
        """
        return _clipped(self, low, high, until)

    def __neg__(self) -> Signal:
        return Scaled(-1.0, self)

    def __pos__(self) -> Signal:
        return self


SignalLike: TypeAlias = Signal | float


@deferred
def _product(first: Signal, second: Signal) -> Signal:
    """The product of two signals."""
    raise NotImplementedError


@deferred
def _where(condition: Signal, above: Signal, below: Signal, until: float | None) -> Signal:
    """One signal where the condition is positive, another elsewhere."""
    raise NotImplementedError


@deferred
def _clipped(signal: Signal, low: SignalLike | None, high: SignalLike | None, until: float | None) -> Signal:
    """The signal held between limits."""
    raise NotImplementedError


def _is_number(value: object) -> bool:
    return isinstance(value, (float, int, np.floating, np.integer))


def is_signal_like(value: object) -> bool:
    """True if `as_signal` accepts the value."""
    return isinstance(value, Signal) or _is_number(value)


def as_signal(value: SignalLike, name: str = "signal") -> Signal:
    """Return ``value`` if it is a signal, a `Constant` if it is a number.

    Parameters
    ----------
    value : Signal or float
        The argument.
    name : str
        Name of the argument in the error.

    Raises
    ------
    ValueError
        If ``value`` is neither, or not finite.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.as_signal(2.0)
    Constant(value=2.0)
    """
    if isinstance(value, Signal):
        return value
    if callable(value):
        reject(name, value, "a number or a signal: a function of time f is sampled, ss.Samples(t, f(t))")
    if not is_signal_like(value):
        reject(name, value, "a number or a signal; samples over time are one by ss.Samples(t, values)")
    value = float(value)
    if not np.isfinite(value):
        reject(name, value, "finite")
    return Constant(value)


def _parts(signal: Signal) -> tuple[Signal, ...]:
    return signal.parts if isinstance(signal, Sum) else (signal,)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constant(Signal):
    """A signal with the same value at all times.

    Parameters
    ----------
    value : float
        The value.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Constant(3.0)(7.0)
    3.0
    """

    value: float
    compiled: _core.signal.Signal = field(init=False)

    def __init__(self, value: float) -> None:
        value = number("value", value)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "compiled", _core.signal.Signal.constant(value))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sum(Signal):
    """Sum of signals; ``a + b`` makes one."""

    parts: tuple[Signal, ...]
    compiled: _core.signal.Signal = field(init=False)

    def __init__(self, parts: Iterable[SignalLike]) -> None:
        signals = tuple(as_signal(p, f"parts[{i}]") for i, p in enumerate(parts))
        if not signals:
            raise ValueError("parts is empty: a sum needs at least one signal")
        compiled = signals[0].compiled
        for s in signals[1:]:
            compiled = compiled + s.compiled
        self._fill(compiled, parts=signals)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts)) if len(self.parts) > 1 else f"Sum(({self.parts[0]!r},))"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scaled(Signal):
    """Multiple of a signal; ``2.0 * a`` and ``-a`` make one."""

    factor: float
    signal: Signal
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        factor = number("factor", self.factor)
        self._fill(factor * as_signal(self.signal).compiled, factor=factor)

    def __repr__(self) -> str:
        inner = repr(self.signal)
        return f"{self.factor!r} * " + (f"({inner})" if isinstance(self.signal, (Sum, Scaled)) else inner)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivative(Signal):
    """Derivative of a signal, piece by piece; ``a.derivative()`` makes one."""

    signal: Signal
    order: int = 1
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        if self.order < 1:
            reject("order", self.order, ">= 1")
        self._fill(self.signal.compiled.differentiate(self.order))

    def derivative(self, order: int = 1) -> Signal:
        """Return a derivative of higher order."""
        if order < 0:
            reject("order", order, ">= 0")
        return Derivative(self.signal, self.order + order)

    def __repr__(self) -> str:
        inner = repr(self.signal)
        if isinstance(self.signal, (Sum, Scaled)):
            inner = f"({inner})"
        return f"{inner}.derivative({'' if self.order == 1 else self.order})"
