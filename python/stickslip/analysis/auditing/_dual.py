"""Dual numbers: forward differentiation of arrays, written for the audit alone.

A `Dual` is ``x + d e`` with ``e² = 0``; x and d are arrays that broadcast against each other, or duals themselves for
second derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


class Dual:
    """A value with its derivative."""

    __slots__ = ("d", "x")
    __array_ufunc__ = None  # NumPy leaves the operators to it

    def __init__(self, x: Any, d: Any) -> None:
        self.x, self.d = x, d

    def __add__(self, other: Any) -> Dual:
        x, d = _parts(other)
        return Dual(self.x + x, self.d + d)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.x, -self.d)

    def __sub__(self, other: Any) -> Dual:
        x, d = _parts(other)
        return Dual(self.x - x, self.d - d)

    def __rsub__(self, other: Any) -> Dual:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Dual:
        x, d = _parts(other)
        return Dual(self.x * x, _times(self.d, x) + _times(d, self.x))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        x, d = _parts(other)
        value = self.x / x
        return Dual(value, _times(self.d - _times(d, value), 1.0 / x))

    def __rtruediv__(self, other: Any) -> Dual:
        value = other / self.x
        return Dual(value, -_times(self.d, value / self.x))


def _parts(a: Any) -> tuple[Any, Any]:
    return (a.x, a.d) if isinstance(a, Dual) else (a, 0.0)


def _times(d: Any, slope: Any) -> Any:
    """A slope times a derivative; what does not move does not, however steep."""
    if isinstance(d, Dual) or isinstance(slope, Dual):
        return d * slope
    return np.where(np.asarray(d) == 0.0, 0.0, d * slope)


_erf = np.frompyfunc(math.erf, 1, 1)
_ERF_SLOPE = 2.0 / math.sqrt(math.pi)

# Value of an array, and the derivative of the function at a.
_CURVES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "square": (np.square, lambda a: 2.0 * a),
    "sqrt": (np.sqrt, lambda a: 0.5 / curve("sqrt", a)),
    "exp": (np.exp, lambda a: curve("exp", a)),
    "expm1": (np.expm1, lambda a: curve("exp", a)),
    "log": (np.log, lambda a: 1.0 / a),
    "log1p": (np.log1p, lambda a: 1.0 / (1.0 + a)),
    "sin": (np.sin, lambda a: curve("cos", a)),
    "cos": (np.cos, lambda a: -curve("sin", a)),
    "tan": (np.tan, lambda a: 1.0 / curve("square", curve("cos", a))),
    "asin": (np.arcsin, lambda a: 1.0 / curve("sqrt", 1.0 - a * a)),
    "acos": (np.arccos, lambda a: -1.0 / curve("sqrt", 1.0 - a * a)),
    "atan": (np.arctan, lambda a: 1.0 / (1.0 + a * a)),
    "sinh": (np.sinh, lambda a: curve("cosh", a)),
    "cosh": (np.cosh, lambda a: curve("sinh", a)),
    "tanh": (np.tanh, lambda a: 1.0 / curve("square", curve("cosh", a))),
    "asinh": (np.arcsinh, lambda a: 1.0 / curve("sqrt", 1.0 + a * a)),
    "acosh": (np.arccosh, lambda a: 1.0 / curve("sqrt", (a - 1.0) * (a + 1.0))),
    "atanh": (np.arctanh, lambda a: 1.0 / (1.0 - a * a)),
    "erf": (lambda a: np.asarray(_erf(a), dtype=float), lambda a: _ERF_SLOPE * curve("exp", -(a * a))),
    "negate": (np.negative, lambda a: -1.0 + 0.0 * a),
}


def curve(name: str, a: Any) -> Any:
    """Return an elementary function of one argument by its name."""
    value, slope = _CURVES[name]
    return Dual(curve(name, a.x), _times(a.d, slope(a.x))) if isinstance(a, Dual) else value(a)


def power(a: Any, b: Any) -> Any:
    """Return ``a ** b``."""
    if not (isinstance(a, Dual) or isinstance(b, Dual)):
        return np.power(a, b)
    (x, dx), (y, dy) = _parts(a), _parts(b)
    value = power(x, y)
    by_base = _times(dx, y * power(x, y - 1.0))
    return Dual(value, by_base + _times(dy, value * curve("log", x)) if isinstance(b, Dual) else by_base)


def angle(a: Any, b: Any) -> Any:
    """Return the polar angle of the point (b, a)."""
    if not (isinstance(a, Dual) or isinstance(b, Dual)):
        return np.arctan2(a, b)
    (y, dy), (x, dx) = _parts(a), _parts(b)
    return Dual(angle(y, x), _times(_times(dy, x) - _times(dx, y), 1.0 / (x * x + y * y)))


def length(a: Any, b: Any) -> Any:
    """Return ``sqrt(a² + b²)``."""
    return curve("sqrt", a * a + b * b) if isinstance(a, Dual) or isinstance(b, Dual) else np.hypot(a, b)


def plain(a: Any) -> Any:
    """Return the value without derivatives."""
    return plain(a.x) if isinstance(a, Dual) else a


def choose(first: Any, a: Any, b: Any) -> Any:
    """Return a where `first` holds, else b."""
    if not (isinstance(a, Dual) or isinstance(b, Dual)):
        return np.where(first, a, b)
    (x, dx), (y, dy) = _parts(a), _parts(b)
    return Dual(choose(first, x, y), choose(first, dx, dy))
