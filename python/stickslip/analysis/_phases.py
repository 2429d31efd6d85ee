"""Sequences of constant velocities: counterexamples to passivity and their check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.laws.law import Law

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Counterexample:
    """A motion from rest, all internal states zero, in which a law delivers more energy than it absorbed.

    Attributes
    ----------
    phases : tuple of (float, float)
        Successive velocities, m/s, each with its duration, s.
    energy : float
        Energy extracted, J, > 0: ``−∫ F v dt`` over all phases.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0,
    ...                stribeck_velocity=1e-3)
    >>> shown = ss.analysis.passivity(law).counterexample
    >>> bool(law.response(shown.t, shown.velocity).work[-1] == -shown.energy < 0.0)
    True
    """

    phases: tuple[tuple[float, float], ...]
    energy: float

    @property
    def t(self) -> Array:
        """Start and end of every phase, s; a time at which the velocity jumps occurs twice, as in `Law.response`."""
        return corners(self.phases)[0]

    @property
    def velocity(self) -> Array:
        """Velocity at the times `t`, m/s."""
        return corners(self.phases)[1]


def corners(phases: Sequence[tuple[float, float]]) -> tuple[Array, Array]:
    """Return the phases as times and velocities with jumps."""
    ends = np.cumsum([duration for _, duration in phases])
    starts = np.concatenate([[0.0], ends[:-1]])
    return np.stack([starts, ends], axis=1).ravel(), np.repeat([float(v) for v, _ in phases], 2)


def drawn(law: Law, load: float, phases: Sequence[tuple[float, float]]) -> float:
    """Return the energy extracted by the phases, J, computed by the engine; 0 if it is below the error."""
    t, velocity = corners(phases)
    work = law.response(t, velocity, normal_load=load).work
    energy = -float(work[-1])
    return energy if energy > 1e-9 * float(np.max(np.abs(work))) else 0.0


def best(
    law: Law, load: float, tries: Iterable[Sequence[tuple[float, float]]], enough: float = 0.5
) -> Counterexample | None:
    """Return the motion with the fewest phases, then the shortest, among those that extract at least the fraction
    `enough` of the greatest energy.
    """
    found = [(drawn(law, load, phases), phases) for phases in tries if phases]
    most = max((energy for energy, _ in found), default=0.0)
    if most <= 0.0:
        return None
    good = [pair for pair in found if pair[0] >= enough * most]
    energy, phases = min(good, key=lambda pair: (len(pair[1]), sum(d for _, d in pair[1])))
    t, velocity = corners(phases)  # durations as they are once the times are rounded
    held = zip(velocity[::2].tolist(), (t[1::2] - t[::2]).tolist(), strict=True)
    return Counterexample(tuple(held), energy)
