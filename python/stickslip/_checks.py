"""Checks of arguments: each returns the converted value, or raises an error that names the argument, its value and the
allowed values.

The engine's own checks raise the same messages.
"""

from __future__ import annotations

import math
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

LARGEST = "below 1.8e308, the greatest number that a double holds"
LONG = 300  # characters of a value in a message, and bits of an integer


def reject(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the error for a value that is not allowed."""
    if _is_of_sympy(value):
        allowed += "; ss.from_sympy(expression, {symbol: 'arm.position'}) makes one of a SymPy expression"
    raise ValueError(f"{name} = {_shown(value)} is not allowed: it must be {allowed}")


def _is_of_sympy(value: object) -> bool:
    """Return True for an expression of SymPy, or a sequence that begins with one."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return type(value).__module__.partition(".")[0] == "sympy"


def _shown(value: object) -> str:
    """A value in a message, long ones by their beginning."""
    if isinstance(value, int) and value.bit_length() > LONG:  # Python refuses to print the longest
        return f"an integer of about {int(value.bit_length() * math.log10(2.0)) + 1} digits"
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= LONG else f"{text[:LONG]}..."


def wrong_shape(name: str, value: Array, allowed: object) -> NoReturn:
    """Raise the error for an array of the wrong shape."""
    raise ValueError(f"{name} has the shape {value.shape}, but it must be {allowed}")


def number(name: str, value: object) -> float:
    """Return a float, which may be infinite or NaN."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes)) or value is None:
        reject(name, value, "a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        reject(name, value, "a number")
    except OverflowError:
        reject(name, value, LARGEST)


def optional_number(name: str, value: object) -> float | None:
    """Return a float, or None for None."""
    return None if value is None else number(name, value)


def finite(name: str, value: object) -> float:
    """Return a finite float."""
    result = number(name, value)
    if not math.isfinite(result):
        reject(name, value, "finite")
    return result


def positive(name: str, value: object) -> float:
    """Return a finite float above zero."""
    result = number(name, value)
    if not 0.0 < result < math.inf:
        reject(name, value, "finite and > 0")
    return result


def non_negative(name: str, value: object) -> float:
    """Return a finite float that is not below zero."""
    result = number(name, value)
    if not 0.0 <= result < math.inf:
        reject(name, value, "finite and >= 0")
    return result


def within(
    name: str, value: object, low: float, high: float, *, closed: bool = True, unit: str = ""
) -> float:
    """Return a float in [low, high], or in (low, high) if `closed` is false."""
    result = number(name, value)
    if not (low <= result <= high if closed else low < result < high):
        left, right = "[]" if closed else "()"
        reject(name, value, f"in {left}{low:g}, {high:g}{right}{' ' + unit if unit else ''}")
    return result


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        reject(name, value, "one of " + ", ".join(map(repr, allowed)))
    return value


def array(name: str, value: ArrayLike, *, all_finite: bool = True) -> Array:
    """Return a read-only copy as an array of any shape."""
    try:
        if np.iscomplexobj(value):  # NumPy would drop imaginary parts with a warning only
            raise TypeError
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        reject(name, value, "a number or an array of real numbers")
    except OverflowError:
        reject(name, value, LARGEST)
    if all_finite and not np.isfinite(result).all():
        place = tuple(np.argwhere(~np.isfinite(result))[0])
        index = f"[{', '.join(map(str, place))}]" if place else ""
        reject(name + index, result[place], "finite")
    result.flags.writeable = False
    return result


def spread(name: str, value: ArrayLike, length: int) -> Array:
    """Return a vector of the given length from one number for all entries, or one for each."""
    result = array(name, value)
    if result.shape not in ((), (length,)):
        wrong_shape(name, result, f"one number or {length} of them")
    return np.full(length, result)


def vector(name: str, value: ArrayLike, length: int | None = None, *, all_finite: bool = True) -> Array:
    """Return a read-only copy as a vector, of the given length if there is one."""
    result = array(name, value, all_finite=all_finite)
    if length is not None and result.shape != (length,):
        wrong_shape(name, result, (length,))
    if result.ndim != 1:
        wrong_shape(name, result, "one-dimensional")
    return result


def matrix(
    name: str, value: ArrayLike, shape: tuple[int, int] | None = None, *, vector_is: str = "column"
) -> Array:
    """Return a read-only copy as a matrix; a number is 1 x 1, a vector a "column" or a "row"."""
    result = array(name, value)
    if result.ndim < 2:
        result = result.reshape((-1, 1) if vector_is == "column" else (1, -1))
    if result.ndim != 2:
        wrong_shape(name, result, "two-dimensional")
    if shape is not None and result.shape != shape:
        wrong_shape(name, result, shape)
    return result
