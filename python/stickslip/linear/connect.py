"""Matrices of linear systems: read from an argument, and connected in series, in parallel or in a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import matrix, reject, wrong_shape

Array = NDArray[np.float64]
Matrices = tuple[Array, Array, Array, Array]


def matrices(name: str, system: Any) -> Matrices:
    """Return and check A, B, C, D of an object, or of a sequence of the four."""
    if all(hasattr(system, part) for part in "ABCD"):
        parts = [system.A, system.B, system.C, system.D]
    else:
        try:
            parts = list(system)
        except TypeError:
            parts = []
        if len(parts) != 4:
            allowed = "(A, B, C, D) or an object with A, B, C and D, such as machine.to_state_space(...)"
            reject(name, system, allowed)
    a = matrix(f"{name}.A", parts[0])
    d = matrix(f"{name}.D", parts[3], vector_is="row")
    outputs, inputs = d.shape
    if a.size == 0:
        return np.zeros((0, 0)), np.zeros((0, inputs)), np.zeros((outputs, 0)), d
    n = a.shape[0]
    if a.shape != (n, n):
        wrong_shape(f"{name}.A", a, "square")
    b = matrix(f"{name}.B", parts[1], (n, inputs))
    c = matrix(f"{name}.C", parts[2], (outputs, n), vector_is="row")
    return a, b, c, d


def closed(plant: Matrices, other: Matrices, sign: int, name: str) -> Matrices:
    """Close the loop u = r + sign·other(y), with the outputs y of the plant, whose states come first."""
    a, b, c, d = plant
    ac, bc, cc, dc = other
    if sign not in (-1, 1):
        reject("sign", sign, "-1 or 1")
    if dc.shape != d.T.shape:
        wrong_shape(f"{name}.D", dc, f"{d.T.shape} to fit the plant")
    loop = np.eye(d.shape[1]) - sign * dc @ d
    if np.linalg.cond(loop) > 1e12:
        reject(f"{name}.D", dc, "one with det(1 - sign·Dc·D) != 0: the loop has no solution")
    inverse = np.linalg.inv(loop)
    # u = inverse·(r + sign·(Cc·xc + Dc·C·x))
    from_plant, from_other = sign * inverse @ dc @ c, sign * inverse @ cc
    top = np.hstack([a + b @ from_plant, b @ from_other])
    y_plant, y_other = c + d @ from_plant, d @ from_other
    bottom = np.hstack([bc @ y_plant, ac + bc @ y_other])
    return (
        np.vstack([top, bottom]),
        np.vstack([b @ inverse, bc @ d @ inverse]),
        np.hstack([y_plant, y_other]),
        d @ inverse,
    )


def in_series(first: Matrices, second: Matrices) -> Matrices:
    """Connect two systems in series: the second one reads the outputs of the first one, whose states come first."""
    (a, b, c, d), (a2, b2, c2, d2) = first, second
    if d2.shape[1] != d.shape[0]:
        raise ValueError(
            f"the first system has {d.shape[0]} outputs, the second one {d2.shape[1]} inputs: the numbers must be equal"
        )
    return (
        np.block([[a, np.zeros((a.shape[0], a2.shape[0]))], [b2 @ c, a2]]),
        np.vstack([b, b2 @ d]),
        np.hstack([d2 @ c, c2]),
        d2 @ d,
    )


def in_parallel(one: Matrices, other: Matrices) -> Matrices:
    """Connect two systems in parallel: the sum of both outputs for one common input."""
    (a, b, c, d), (a2, b2, c2, d2) = one, other
    if d.shape != d2.shape:
        wrong_shape("other.D", d2, f"{d.shape}")
    n, m = a.shape[0], a2.shape[0]
    return (
        np.block([[a, np.zeros((n, m))], [np.zeros((m, n)), a2]]),
        np.vstack([b, b2]),
        np.hstack([c, c2]),
        d + d2,
    )
