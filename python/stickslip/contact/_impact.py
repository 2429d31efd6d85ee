"""Frictional impacts; the public names are those of :mod:`stickslip.contact`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import Array, reject, spread
from stickslip.contact._input import ELEMENT, contacts
from stickslip.contact._input import mass as check_mass


@dataclass(frozen=True, eq=False)
class Impact:
    """One outcome of an impact.

    Attributes
    ----------
    velocity : ndarray, shape (dof,)
        q' after the impact, m/s.
    normal_velocity, tangent_velocity : ndarray, shape (n,)
        Relative velocities after the impact, m/s.
    normal_impulse, friction_impulse : ndarray, shape (n,)
        Ns, over both phases; the friction impulse opposes the motion.
    compression_normal_impulse, compression_friction_impulse : ndarray, shape (n,)
        Ns, at the end of compression.
    compression, expansion : tuple of str
        Labels at the end of each phase.
    energy_change : float
        Kinetic energy after minus before, J.
    wall_work : float
        Work of moving walls, J.
    unique_impulse : bool
        False if the impulses are statically indeterminate.

    Examples
    --------
    >>> from stickslip import contact
    >>> bounce = contact.impact([2.0], [-3.0], [[1.0]], restitution=0.5)[0]
    >>> bounce.velocity, bounce.normal_impulse, bounce.loss
    (array([1.5]), array([9.]), 6.75)
    """

    velocity: Array
    normal_velocity: Array
    tangent_velocity: Array
    normal_impulse: Array
    friction_impulse: Array
    compression_normal_impulse: Array
    compression_friction_impulse: Array
    compression: tuple[str, ...]
    expansion: tuple[str, ...]
    energy_change: float
    wall_work: float
    unique_impulse: bool

    @property
    def loss(self) -> float:
        """Energy lost in the contacts, J; negative for a gain, which violates passivity."""
        return self.wall_work - self.energy_change + 0.0

    @property
    def gains_energy(self) -> bool:
        """True if the energy after the impact exceeds that before."""
        size = abs(self.wall_work) + float(
            np.abs(self.normal_impulse).sum() + np.abs(self.friction_impulse).sum()
        )
        return self.loss < -1e-12 * size


@dataclass(frozen=True, eq=False)
class Impacts:
    """All solutions of an impact, starting with the one that the engine takes; a sequence of :class:`Impact`.

    Attributes
    ----------
    solutions : tuple of Impact
        Ordered by the least work ``Λ.T G Λ / 2`` of the impulses in compression, then in expansion.
    ambiguous : bool
        True if another outcome ties with the first, or the first depends on statically indeterminate impulses of
        compression. False if such impulses all lead to the same velocities.
    complete : bool
        True if all combinations of modes were tried, with the extreme values of statically indeterminate impulses. If
        velocities depend on these impulses, ``solutions`` holds both ends of a continuum of outcomes.

    Examples
    --------
    >>> from stickslip import contact
    >>> hits = contact.impact([2.0], [-3.0], [[1.0]], restitution=0.5)
    >>> len(hits), hits.complete, hits.gains_energy
    (1, True, False)
    """

    solutions: tuple[Impact, ...]
    ambiguous: bool
    complete: bool

    @property
    def gains_energy(self) -> bool:
        """True if the first outcome, the one that a run takes, has more energy than before the impact."""
        return bool(self.solutions) and self.solutions[0].gains_energy

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Impact]:
        return iter(self.solutions)

    def __getitem__(self, index: int) -> Impact:
        return self.solutions[index]


def impact(
    mass: ArrayLike,
    velocity: ArrayLike,
    normals: ArrayLike,
    tangents: ArrayLike | None = None,
    *,
    friction: ArrayLike = 0.0,
    restitution: ArrayLike = 0.0,
    tangential_restitution: ArrayLike | None = None,
    law: Literal["poisson", "newton"] = "poisson",
    normal_drift: ArrayLike = 0.0,
    tangent_drift: ArrayLike = 0.0,
    collision: bool = True,
) -> Impacts:
    """Return all solutions of a frictional impact of all closed contacts at once.

    Parameters
    ----------
    mass : array_like, shape (dof, dof) or (dof,)
        Mass matrix, kg; its diagonal if one-dimensional.
    velocity : array_like, shape (dof,)
        q' before the impact, m/s.
    normals : array_like, shape (n, dof)
        Gradients w_N of **all** closed contacts, including those that do not approach.
    tangents : array_like, shape (n, dof), optional
        Gradients w_T; not needed without friction.
    friction : float or array_like, shape (n,), optional
        Coefficients µ >= 0. Default 0.
    restitution : float or array_like, shape (n,), optional
        Coefficients ε in [0, 1]. Default 0.
    tangential_restitution : float or array_like, shape (n,), optional
        Coefficients e_T in [0, 1]: tangential restitution (figure 5.3 of the source; NaN for a contact without).
        Poisson: if compression ends with the friction impulse S_C, the friction impulse of expansion has the same sign
        and lies between ``e_T ε |S_C|`` and ``µ Λ_NE`` in magnitude; it equals e_T ε S_C if the contact slides back and
        releases the energy stored in tangential compression. Newton: friction opposes ``g'_T⁺ + e_T g'_T⁻``, which is
        zero inside the cone. By default none: the symmetric law of dry friction (5.16).
    law : {"poisson", "newton"}, optional
        Compression and expansion (5.9-5.23 of the source), or ``g'_N⁺ + ε g'_N⁻`` complementary to the
        impulse. Newton with friction, and Poisson with unequal ε, can create energy: see :attr:`Impact.loss`.
    normal_drift, tangent_drift : float or array_like, shape (n,), optional
        Velocities ∂g/∂t of moving walls, m/s. Default 0.
    collision : bool, optional
        False: impact without collision (Painlevé); only solutions with a positive normal impulse.

    Returns
    -------
    Impacts

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    A hoop (m = R = I = 1, µ = 0.1) that falls with 3 m/s and slides with 0.5 m/s ends in rolling.

    >>> from stickslip import contact
    >>> hit = contact.impact([1, 1, 1], [0.5, -3, 0], [[0, 1, 0]], [[1, 0, 1]], friction=0.1)
    >>> hit[0].compression, hit[0].tangent_velocity
    (('stick',), array([0.]))
    """
    matrix = check_mass(mass)
    dof = len(matrix)
    v = spread("velocity", velocity, dof)
    rows_n, rows_t, mu = contacts(normals, tangents, friction, dof)
    n, m = len(rows_n), len(rows_t)
    eps = spread("restitution", restitution, n)
    if ((eps < 0) | (eps > 1)).any():
        reject("restitution", eps, "in [0, 1]")
    reversal = np.full(n, np.nan)
    if tangential_restitution is not None:
        if m == 0:
            raise ValueError("tangential_restitution needs tangents")
        given = np.asarray(tangential_restitution, dtype=float)
        reversal = spread("tangential_restitution", np.where(np.isnan(given), 0.0, given), n)
        if ((reversal < 0) | (reversal > 1)).any():
            reject("tangential_restitution", given, "in [0, 1], or NaN for none")
        reversal = np.where(np.isnan(np.broadcast_to(given, (n,))), np.nan, reversal)
    wall = np.r_[spread("normal_drift", normal_drift, n), spread("tangent_drift", tangent_drift, n)[:m]]
    jacobian = np.vstack([rows_n, rows_t])
    by_mass = np.linalg.solve(matrix, jacobian.T)
    raw, ambiguous, complete = _core.transition.impact(
        jacobian @ by_mass,
        jacobian @ v + wall,
        wall,
        n,
        np.arange(m, dtype=np.int64),
        mu[:m],
        eps,
        reversal[:m],
        law,
        collision,
    )

    def labels(modes: NDArray[np.int8]) -> tuple[str, ...]:
        closed = [int(k) == 3 for k in modes[:n]]
        return tuple(
            "separate" if not closed[c] else ELEMENT[int(modes[n + c])] if m else "closed" for c in range(n)
        )

    found = []
    for r in raw:
        friction_impulse, compression_friction, tangential = np.zeros(n), np.zeros(n), np.full(n, np.nan)
        friction_impulse[:m], compression_friction[:m] = r["impulse"][n:], r["compression_impulse"][n:]
        tangential[:m] = r["velocity"][n:]
        found.append(
            Impact(
                velocity=v + by_mass @ np.r_[r["impulse"][:n], -r["impulse"][n:]],
                normal_velocity=r["velocity"][:n],
                tangent_velocity=tangential,
                normal_impulse=r["impulse"][:n],
                friction_impulse=friction_impulse,
                compression_normal_impulse=r["compression_impulse"][:n],
                compression_friction_impulse=compression_friction,
                compression=labels(r["compression"]),
                expansion=labels(r["expansion"]),
                energy_change=float(r["energy_change"]),
                wall_work=float(r["wall_work"]),
                unique_impulse=bool(r["unique_impulse"]),
            )
        )
    return Impacts(tuple(found), bool(ambiguous), bool(complete))
