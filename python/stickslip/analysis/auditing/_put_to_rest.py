"""Velocities that count as zero.

A velocity below 1e-11 of its size is zero within rounding: touching and sticking elements are put to rest with the
least change of kinetic energy, without an impulse. The same holds for rebounds slower than 1e-9 of their size
(`rebound_threshold`). The size of a velocity is the greatest of its values in the run, the velocity that its forces
would give, and `Machine.scales`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._rows import column
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.modes import Mode

Array = NDArray[np.float64]

RESTS, _STAYS = 2e-11, 2e-9


def fastest(row: Array, sizes: Sizes) -> float:
    """Return the size of a velocity along a direction."""
    return float(np.abs(row) @ np.maximum.reduce([3.0 * sizes.v, sizes.speed, sizes.scale]))


def slowest(normal: Array, sizes: Sizes) -> float:
    """Return the greatest rebound velocity that counts as zero."""
    return _STAYS * fastest(normal, sizes)


def put_to_rest(d: Description, at: Samples, j: int, with_impact: set[str], sizes: Sizes) -> Array:
    """Return the largest momentum change when touching and resting elements are set to rest: W' (W M^-1 W')^+ s.

    All contacts and friction elements are set to rest together, so a rate along one normal can change every coordinate.
    Contacts that stay closed after an impact may have lost a slow rebound.
    """
    normals = {c.name: column(c.normal.at(at), j) for c in d.unilateral if c.rigid}

    def stays(name: str) -> bool:
        """Return True for a contact that is closed, or was put to rest by an impact and opens from there."""
        if at[f"{name}.mode"][j] != Mode.OPEN:
            return True
        return name in with_impact and abs(at[f"{name}.gap_rate"][j]) <= RESTS * fastest(normals[name], sizes)

    closed = [c for c in d.unilateral if c.rigid and stays(c.name)]
    touching = [normals[c.name] for c in closed]
    places = [(p.name, column(p.along.at(at), j)) for p in d.surfaces if at[f"{p.name}.mode"][j] != Mode.OPEN]
    resting = [w for name, w in places if abs(at[f"{name}.velocity"][j]) <= RESTS * fastest(w, sizes)]
    if not touching + resting:
        return np.zeros(len(sizes.v))
    rows = np.array(touching + resting)
    mass = d.mass.at(at)
    moved = np.abs(mass[min(j, len(mass) - 1)] @ _least_change(d, at, j, rows))
    rates = [
        slowest(w, sizes) if c.name in with_impact else RESTS * fastest(w, sizes)
        for c, w in zip(closed, touching, strict=True)
    ]
    room: Array = moved @ np.array(rates + [RESTS * fastest(w, sizes) for w in resting])
    return room


def close_gaps(d: Description, at: Samples, j: int, names: set[str], gap: float) -> Array:
    """Return the largest change of positions that closes gaps up to `gap` of these contacts together."""
    rows = np.array([column(c.normal.at(at), j) for c in d.unilateral if c.name in names])
    rows = rows.reshape(-1, len(d.names))
    room: Array = np.abs(_least_change(d, at, j, rows)).sum(axis=1) * gap
    return room


def _least_change(d: Description, at: Samples, j: int, rows: Array) -> Array:
    """Return the least change of coordinates, in the metric of the masses, per unit of each row: M^-1 W' (W M^-1 W')^+."""
    inverse = d.inverse(at)
    pushed = inverse[min(j, len(inverse) - 1)] @ rows.T
    size = np.sqrt(np.einsum("ki,ik->k", rows, pushed))
    scale = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0.0)
    response = scale[:, None] * (rows @ pushed) * scale
    change: Array = pushed @ (scale[:, None] * np.linalg.pinv(response, rcond=1e-9, hermitian=True) * scale)
    return change
