"""Checks of the arguments of `stickslip.contact`: arrays of the right shape, or an error that names the argument."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _checks as checks
from stickslip._checks import Array

ELEMENT = {-1: "slip-", 0: "stick", 1: "slip+", 2: "separate"}
"""Label of an element by the code of its mode."""


def directions(name: str, value: ArrayLike, dof: int) -> Array:
    """Gradients, one row each."""
    array = np.atleast_2d(checks.array(name, value))
    if array.size == 0:
        return np.zeros((0, dof))
    if array.ndim != 2 or array.shape[1] != dof:
        checks.wrong_shape(name, array, f"(n, {dof}), one row per contact")
    for i, row in enumerate(array):
        if not row.any():
            checks.reject(
                f"{name}[{i}]",
                row,
                "a direction other than zero (leave `tangents` out for contacts without friction)"
                if name == "tangents"
                else "a direction other than zero",
            )
    return array


def mass(value: ArrayLike) -> Array:
    """The mass matrix, or its diagonal."""
    array = checks.array("mass", value)
    if array.ndim == 1:
        array = np.diag(array)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        checks.wrong_shape("mass", array, "that of a square matrix, or of its diagonal")
    try:
        np.linalg.cholesky((array + array.T) / 2)
        symmetric = bool(np.allclose(array, array.T, rtol=1e-12, atol=0.0))
    except np.linalg.LinAlgError:
        symmetric = False
    if not symmetric:
        raise ValueError("mass must be symmetric positive definite")
    return array


def levels(name: str, value: ArrayLike, size: int) -> Array:
    """Friction levels, one for each element or one for all."""
    array = checks.spread(name, value, size)
    if (array < 0).any():
        checks.reject(name, array, ">= 0")
    return array


def signs(name: str, value: ArrayLike, size: int) -> list[int]:
    """Directions of sliding: -1, 0 or 1."""
    array = checks.spread(name, value, size)
    if not np.isin(array, (-1, 0, 1)).all():
        checks.reject(name, array, "-1, 0 or 1")
    return [int(v) for v in array]


def contacts(
    normals: ArrayLike, tangents: ArrayLike | None, friction: ArrayLike, dof: int
) -> tuple[Array, Array, Array]:
    """Gradients of all contacts along normal and tangent (no rows without friction), and their levels."""
    rows_n = directions("normals", normals, dof)
    n = len(rows_n)
    mu = levels("friction", friction, n)
    if tangents is None:
        if mu.any():
            raise ValueError("tangents must be given for contacts with friction")
        return rows_n, np.zeros((0, dof)), mu
    rows_t = directions("tangents", tangents, dof)
    if len(rows_t) != n:
        raise ValueError(f"tangents has {len(rows_t)} rows: it must have {n}, one per normal")
    return rows_n, rows_t, mu
