"""Masses in a row on springs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.laws import Law
from stickslip.machine.machine import Machine
from stickslip.signals import Signal

__all__ = ["chain"]


def _between(name: str, given: ArrayLike, n: int) -> NDArray[np.float64]:
    """Matrix of n - 1 links between neighbours."""
    links = checks.spread(name, given, n - 1)
    full = np.zeros((n, n))
    for i, k in enumerate(links):
        full[i : i + 2, i : i + 2] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return full


def chain(
    mass: ArrayLike,
    stiffness: ArrayLike,
    damping: ArrayLike = 0.0,
    law: Law | float | Sequence[Law | float | None] | None = None,
    normal_load: ArrayLike | Signal = 1.0,
    surface_velocity: Signal | float = 0.0,
    left: float = 0.0,
    right: float = 0.0,
    names: Sequence[str] | None = None,
) -> Machine:
    """Make a chain of n masses with springs and dampers between neighbours.

    Parameters
    ----------
    mass : array_like, shape (n,)
        Masses, kg (or inertias, kg m²), positive.
    stiffness, damping : float or array_like, shape (n - 1,)
        Between neighbours, N/m and N s/m; one number for all.
    law : Law, float or sequence of these, optional
        Friction of each mass against the ground, one law for all or one each (None: no friction); elements "friction1",
        "friction2", ...
    normal_load : float, Signal or array_like, shape (n,), default 1.0
        Normal loads, N.
    surface_velocity : float or Signal, default 0.0
        Velocity of the ground, m/s.
    left, right : float, default 0.0
        Springs from the first and the last mass to the wall, N/m.
    names : sequence of str, optional
        Names of the coordinates; "m1", "m2", ... by default.

    Returns
    -------
    Machine

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.machines.chain(mass=[1.0, 1.0, 1.0], stiffness=100.0, left=100.0)
    >>> m.names
    ('m1', 'm2', 'm3')
    """
    masses = checks.vector("mass", np.atleast_1d(checks.array("mass", mass)))
    n = masses.size
    springs, dampers = _between("stiffness", stiffness, n), _between("damping", damping, n)
    springs[0, 0] += checks.finite("left", left)
    springs[-1, -1] += checks.finite("right", right)
    coordinates = [f"m{i + 1}" for i in range(n)] if names is None else list(names)
    m = Machine(mass=masses, names=coordinates, stiffness=springs, damping=dampers)
    laws = list(law) if isinstance(law, Sequence) else [law] * n
    if len(laws) != n:
        raise ValueError(f"law has {len(laws)} entries, but there are {n} masses")
    loads: list[Signal | float]
    if isinstance(normal_load, Signal) or np.ndim(normal_load) == 0:
        loads = [normal_load] * n  # type: ignore[list-item]
    else:
        loads = list(checks.vector("normal_load", normal_load, n))
    for i, (coordinate, one, load) in enumerate(zip(coordinates, laws, loads, strict=True)):
        if one is not None:
            m.add_friction(
                f"friction{i + 1}",
                on=coordinate,
                law=one,
                normal_load=load,
                surface_velocity=surface_velocity,
            )
    return m
