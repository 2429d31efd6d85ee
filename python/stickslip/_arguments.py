"""Reading of arguments: numbers and vectors, with errors that name the argument."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray


def reject(name: str, value: object, allowed: str) -> NoReturn:
    """Raise the error every bad argument gets."""
    raise ValueError(f"{name} = {value!r} is not allowed: it must be {allowed}")


def number(name: str, value: object) -> float:
    """``value`` as a float; finiteness and range are checked where the number is used."""
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes)) or value is None:
        reject(name, value, "a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        reject(name, value, "a number")


def optional_number(name: str, value: object) -> float | None:
    """As `number`, but None stays None."""
    return None if value is None else number(name, value)


def _real(value: ArrayLike) -> NDArray[np.float64]:
    """A copy as floats; NumPy would drop imaginary parts with a warning only."""
    if np.iscomplexobj(value):
        raise TypeError
    return np.array(value, dtype=np.float64)


def vector(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """``value`` as a read-only vector of floats of its own."""
    try:
        out = _real(value)
    except (TypeError, ValueError):
        reject(name, value, "a sequence of numbers")
    if out.ndim != 1:
        raise ValueError(f"{name} has the shape {out.shape}, but it must be one-dimensional")
    out.flags.writeable = False
    return out


def matrix(name: str, value: ArrayLike, one_dimensional: str = "column") -> NDArray[np.float64]:
    """``value`` as a read-only matrix of its own; a number is 1 x 1, a vector a "column" or "row"."""
    try:
        out = _real(value)
    except (TypeError, ValueError):
        reject(name, value, "a matrix of numbers")
    if out.ndim == 0:
        out = out.reshape(1, 1)
    elif out.ndim == 1:
        out = out.reshape((-1, 1) if one_dimensional == "column" else (1, -1))
    if out.ndim != 2:
        raise ValueError(f"{name} has the shape {out.shape}, but it must be two-dimensional")
    out.flags.writeable = False
    return out
