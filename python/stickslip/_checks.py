"""Checks of arguments for the parts written in Python: the name, the value, and what is allowed."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray


def reject(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the `ValueError` that names the argument, its value and what is allowed."""
    raise ValueError(f"{name} = {value} is not allowed: it must be {allowed}")


def number(name: str, value: Any, allowed: str = "a number") -> float:
    """Return `value` as a float, or say that it is no number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        reject(name, repr(value), allowed)


def finite(name: str, value: Any) -> float:
    """Return a finite float."""
    result = number(name, value, "finite")
    if not math.isfinite(result):
        reject(name, result, "finite")
    return result


def positive(name: str, value: Any) -> float:
    """Return a finite float above zero."""
    result = number(name, value, "finite and > 0")
    if not (math.isfinite(result) and result > 0.0):
        reject(name, result, "finite and > 0")
    return result


def non_negative(name: str, value: Any) -> float:
    """Return a finite float that is not below zero."""
    result = number(name, value, "finite and >= 0")
    if not (math.isfinite(result) and result >= 0.0):
        reject(name, result, "finite and >= 0")
    return result


def within(name: str, value: Any, low: float, high: float, *, closed: bool = True, unit: str = "") -> float:
    """Return a float in [low, high], or in (low, high) if `closed` is false."""
    brackets = "[]" if closed else "()"
    allowed = f"in {brackets[0]}{low:g}, {high:g}{brackets[1]}{' ' + unit if unit else ''}"
    result = number(name, value, allowed)
    inside = low <= result <= high if closed else low < result < high
    if not inside:
        reject(name, result, allowed)
    return result


def choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        reject(name, repr(value), "one of " + ", ".join(repr(word) for word in allowed))
    return value


def vector(name: str, value: ArrayLike, length: int | None = None) -> NDArray[np.float64]:
    """Return a one-dimensional array of finite floats, of the given length if there is one."""
    shape = "one-dimensional" if length is None else f"of shape ({length},)"
    try:
        result = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        reject(name, repr(value), f"an array of numbers, {shape}")
    if result.ndim != 1 or (length is not None and result.shape != (length,)):
        reject(name, f"array of shape {result.shape}", shape)
    if not np.all(np.isfinite(result)):
        reject(name, f"array with {int(np.sum(~np.isfinite(result)))} entries that are not finite", "finite")
    return result


def matrix(
    name: str, value: ArrayLike, rows: int | None = None, columns: int | None = None
) -> NDArray[np.float64]:
    """Return a two-dimensional array of finite floats, with the given rows and columns if there are any."""
    wanted = f"of shape ({'any' if rows is None else rows}, {'any' if columns is None else columns})"
    try:
        result = np.atleast_2d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        reject(name, repr(value), f"an array of numbers {wanted}")
    if (
        result.ndim != 2
        or (rows is not None and result.shape[0] != rows)
        or (columns is not None and result.shape[1] != columns)
    ):
        reject(name, f"array of shape {result.shape}", wanted)
    if not np.all(np.isfinite(result)):
        reject(name, f"array with {int(np.sum(~np.isfinite(result)))} entries that are not finite", "finite")
    return result
