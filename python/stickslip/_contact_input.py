"""Input of the contact room: arrays of the right shape, or an error that names the argument."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

PLACE = {-1: "slip-", 0: "stick", 1: "slip+", 2: "separate"}
"""Label of a place by the code of its mode."""


def vector(name: str, value: ArrayLike, size: int) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers: {error}") from error
    if array.ndim > 1 or (array.ndim == 1 and array.size != size):
        raise ValueError(f"{name} has shape {array.shape}: it must be one number or {size} of them")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} = {array} is not allowed: all entries must be finite")
    return np.full(size, float(array)) if array.ndim == 0 else array.copy()


def directions(name: str, value: ArrayLike, dof: int) -> Array:
    try:
        array = np.atleast_2d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers: {error}") from error
    if array.size == 0:
        return np.zeros((0, dof))
    if array.ndim != 2 or array.shape[1] != dof:
        raise ValueError(f"{name} has shape {array.shape}: it must be (n, {dof}), one row per contact")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must have finite entries only")
    for i, row in enumerate(array):
        if not row.any():
            raise ValueError(f"{name}[{i}] = {row} is not allowed: a direction must not be zero")
    return array


def mass(value: ArrayLike) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"mass must hold real numbers: {error}") from error
    if array.ndim == 1:
        array = np.diag(array)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"mass has shape {array.shape}: it must be a square matrix, or its diagonal")
    if not np.isfinite(array).all():
        raise ValueError("mass must have finite entries only")
    try:
        np.linalg.cholesky((array + array.T) / 2)
        symmetric = bool(np.allclose(array, array.T, rtol=1e-12, atol=0.0))
    except np.linalg.LinAlgError:
        symmetric = False
    if not symmetric:
        raise ValueError("mass must be symmetric positive definite")
    return array


def levels(name: str, value: ArrayLike, size: int) -> Array:
    array = vector(name, value, size)
    if (array < 0).any():
        raise ValueError(f"{name} = {array} is not allowed: it must be >= 0")
    return array


def signs(name: str, value: ArrayLike, size: int) -> list[int]:
    array = vector(name, value, size)
    if not np.isin(array, (-1, 0, 1)).all():
        raise ValueError(f"{name} = {array} is not allowed: entries must be -1, 0 or 1")
    return [int(v) for v in array]
