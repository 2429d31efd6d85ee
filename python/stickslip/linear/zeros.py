"""Zeros and corner frequencies of a linear system."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from stickslip.linear.system import LinearSystem

Array = NDArray[np.float64]


def corner_frequencies(system: LinearSystem) -> Array:
    """Return the magnitudes of poles and, for one input and one output, zeros, rad/s, without those at 0."""
    points = [np.asarray(system.poles())]
    if system.D.shape == (1, 1) and not system.rates:
        points.append(zeros(system))
    every = np.concatenate(points)
    if system.period is not None:
        every = np.log(every[np.abs(every) > 1e-12]) / complex(system.period)
    size = np.abs(every)
    size = size[np.isfinite(size) & (size > 0.0)]
    if size.size == 0:
        return size
    return np.unique(size[size > 1e-9 * size.max()])


def zeros(system: LinearSystem) -> NDArray[np.complex128]:
    """Return the zeros of a system with one input and one output, by an eigenvalue problem.

    With s = s0 + 1/p, G(s) = C M B - C M (p + M)⁻¹ M B + D with M = (s0 - A)⁻¹, whose zeros in p are eigenvalues
    because the direct part is G(s0), which is not zero.
    """
    n = system.A.shape[0]
    if n == 0:
        return np.zeros(0, dtype=np.complex128)
    size = np.abs(system.poles())
    size = size[size > 1e-6 * size.max()]  # integrators tell no scale
    scale = float(np.median(size)) if size.size else 1.0
    for s0 in scale * np.array([1.2345, 0.7071, 3.3333, 0.1234]):
        try:
            m = np.linalg.inv(s0 * np.eye(n) - system.A)
        except np.linalg.LinAlgError:
            continue
        b, c = m @ system.B, -system.C @ m
        d = float((system.C @ b + system.D)[0, 0])
        if d != 0.0 and math.isfinite(d):
            p = np.linalg.eigvals(-m - b @ c / d)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = s0 + 1.0 / p
            near = np.isfinite(found) & (np.abs(p) * scale > 1e-9)
            kept: NDArray[np.complex128] = found[near].astype(np.complex128)
            return kept
    return np.zeros(0, dtype=np.complex128)
