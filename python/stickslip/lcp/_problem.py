"""Matrices and vectors of a linear complementarity problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import array

Array = NDArray[np.float64]


def entries(name: str, value: ArrayLike) -> Array:
    """Return the array in the memory layout of the engine, which checks its shape and entries."""
    return np.ascontiguousarray(array(name, value, all_finite=False))
