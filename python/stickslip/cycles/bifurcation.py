"""Bifurcation of a branch of periodic orbits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stickslip.cycles._points import Point
    from stickslip.cycles.orbit import Orbit

__all__ = ["Bifurcation"]


@dataclass(frozen=True, eq=False)
class Bifurcation:
    """A change of the orbits along a branch.

    Attributes
    ----------
    name : str
        * ``"fold"``: the branch turns; a multiplier is 1;
        * ``"flip"``: a multiplier is -1; orbits of the double period begin: `Branch.switch`;
        * ``"torus"``: a pair of complex multipliers is on the unit circle (Neimark-Sacker);
        * ``"branch point"``: a multiplier is 1 and the branch goes on; another branch crosses it, for example one of
          orbits without the symmetry of the machine: `Branch.switch`;
        * ``"Hopf"``: the orbit shrinks to an equilibrium, smoothly;
        * ``"grazing"``: a motion touches a limit tangentially: a stop, the velocity of a surface, a flank of backlash,
          a limit of a controller;
        * ``"birth of stick"``, ``"death of stick"``: a phase of stick appears or disappears;
        * ``"event order"``: two events of the orbit are simultaneous.
    value : float
        Value of the parameter.
    elements : tuple of str
        Elements whose events change; empty for a smooth bifurcation.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.05, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> branch = ss.cycles.follow(ss.cycles.periodic_orbit(m), "block.damping", (0.0, 0.2))
    >>> branch.bifurcations
    [Bifurcation(grazing of 'belt' at 0.0811638871)]
    """

    name: str
    value: float
    elements: tuple[str, ...]
    _point: Point = field(repr=False)

    @classmethod
    def of(
        cls, name: str, elements: tuple[str, ...], point: Point, value: float | None = None
    ) -> Bifurcation:
        """Return the bifurcation at an orbit."""
        return cls(name, point.value if value is None else value, elements, point)

    @cached_property
    def orbit(self) -> Orbit:
        """The orbit, to within the precision of `value`."""
        return self._point.orbit()

    def reversed(self) -> Bifurcation:
        """Return the same for a branch in the opposite order."""
        other = {"birth of stick": "death of stick", "death of stick": "birth of stick"}
        return Bifurcation(other.get(self.name, self.name), self.value, self.elements, self._point)

    @property
    def title(self) -> str:
        """The name with the elements, such as ``"grazing of 'belt'"``."""
        who = f" of {', '.join(map(repr, self.elements))}" if self.elements else ""
        return f"{self.name}{who}"

    def __repr__(self) -> str:
        return f"Bifurcation({self.title} at {self.value:.9g})"
