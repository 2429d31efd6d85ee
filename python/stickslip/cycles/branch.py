"""Branch of periodic orbits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip.cycles._doubling import beside
from stickslip.cycles.bifurcation import Bifurcation
from stickslip.cycles.orbit import Orbit
from stickslip.draw import place
from stickslip.errors import unknown_signal

if TYPE_CHECKING:
    from stickslip.cycles._points import Point
    from stickslip.cycles._walk import Walk

__all__ = ["Branch"]

Array = NDArray[np.float64]


class Branch(Sequence[Orbit]):
    """Periodic orbits over one parameter of a machine, in the order of the branch.

    ``branch[3]`` is an `Orbit`, computed on access; ``len(branch)``, iteration and slices (tuples of
    orbits) work as with any sequence.

    Attributes
    ----------
    parameter : str
        Name of the parameter.
    bifurcations : list of Bifurcation
        Changes of the orbits, in the order of the branch.
    ends : (str, str)
        Reason why the branch begins and why it ends there.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.05, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> branch = ss.cycles.follow(ss.cycles.periodic_orbit(m), "block.damping", (0.0, 0.2))
    >>> bool(branch[0].period == branch.periods[0]), bool(branch.stable.all())
    (True, True)
    """

    def __init__(
        self, parameter: str, walk: Walk, points: list[Point], found: list[Bifurcation], ends: tuple[str, str]
    ) -> None:
        self.parameter, self.bifurcations, self.ends = parameter, found, ends
        self._walk, self._points = walk, points
        self._orbits: dict[int, Orbit] = {}

    @property
    def values(self) -> Array:
        """Values of the parameter, shape (n_orbits,)."""
        return np.array([point.value for point in self._points])

    @property
    def periods(self) -> Array:
        """Periods, s, shape (n_orbits,)."""
        return np.array([point.shot.period for point in self._points])

    @property
    def multipliers(self) -> NDArray[np.complex128]:
        """Floquet multipliers as those of `Orbit`, shape (n_orbits, n_components)."""
        return np.array([point.multipliers[0] for point in self._points])

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Stability of each orbit, shape (n_orbits,)."""
        return np.array([point.multipliers[2] for point in self._points])

    def amplitudes(self, signal: str) -> Array:
        """Return `Orbit.amplitude` of a signal for each orbit, shape (n_orbits,).

        Parameters
        ----------
        signal : str
            Name of a signal of the run.

        Raises
        ------
        KeyError
            If there is no such signal.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.05, names=["block"])
        >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
        >>> branch = ss.cycles.follow(ss.cycles.periodic_orbit(m), "block.damping", (0.04, 0.06), max_step=0.01)
        >>> branch.amplitudes("block.position").size == len(branch)
        True
        """
        return np.array([orbit.amplitude(signal) for orbit in self])

    def switch(self, bifurcation: Bifurcation) -> Branch:
        """Follow the other branch that begins at a bifurcation.

        Parameters
        ----------
        bifurcation : Bifurcation
            A flip, for orbits of the double period, or a branch point, one of `bifurcations`.

        Returns
        -------
        Branch
            From the bifurcation on, over the same range of the parameter.

        Raises
        ------
        ValueError
            If the bifurcation is of another kind, or no orbit of the other branch was found.

        Examples
        --------
        >>> import math
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["ball"])            # on a table that vibrates
        >>> m.add_force("ball", -1.0)
        >>> table = ss.Sine(amplitude=1.3, frequency=0.5 / math.pi)
        >>> m.add_contact("table", normal={"ball": 1.0}, gap=-1.0 * table, restitution=0.5, impact="newton")
        >>> rise = {"ball.position": math.pi**2 / 2.0 + 0.77, "ball.velocity": 0.0}
        >>> orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, (math.pi + 0.6, 150.0), initial=rise))
        >>> branch = ss.cycles.follow(orbit, "table.gap_scale", (0.9, 1.2))
        >>> doubled = branch.switch(branch.bifurcations[-1])
        >>> round(doubled[0].period / orbit.period, 9)
        2.0
        """
        if not isinstance(bifurcation, Bifurcation) or bifurcation not in self.bifurcations:
            reject("bifurcation", bifurcation, "one of branch.bifurcations")
        if bifurcation.name not in ("flip", "branch point"):
            reject(
                "bifurcation",
                bifurcation,
                "a flip or a branch point, at which another branch of orbits begins",
            )
        start = beside(self._walk, bifurcation)
        other = self._walk.along(start)
        ends = (f"{bifurcation.name} at {bifurcation.value:.9g}", other.end)
        return Branch(self.parameter, self._walk, [start.point, *other.points], other.found, ends)

    def plot(self, signal: str | None = None, *, ax: Any = None, **keywords: Any) -> Any:
        """Draw the branch over the parameter; unstable orbits dashed, bifurcations marked (needs the extra ``figures``).

        Parameters
        ----------
        signal : str, optional
            Name of a signal, whose amplitude is drawn; by default the first state. ``"period"`` draws the period.
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes.
        **keywords
            For the curves, such as ``color``.

        Returns
        -------
        matplotlib Axes
        """
        name = self[0].run.states[0] if signal is None else signal
        if name != "period" and name not in self[0].run:
            raise unknown_signal(name, self[0].run.signals)

        def read(orbit: Orbit) -> float:
            return orbit.period if name == "period" else orbit.amplitude(name)

        title = "period in s" if name == "period" else f"amplitude of {name}"
        y, values, stable = np.array([read(orbit) for orbit in self]), self.values, self.stable
        with place.axes(ax, f"branch {self.parameter} {title}") as where:
            first = 0
            for last in range(1, len(self) + 1):
                if last < len(self) and stable[last] == stable[first]:
                    continue
                part = slice(first, min(last + 1, len(self)))
                style = {"linestyle": "-" if stable[first] else "--"} | keywords
                (line,) = where.plot(values[part], y[part], **style)
                keywords.setdefault("color", line.get_color())
                first = last
            for one in self.bifurcations:
                at = (one.value, read(one.orbit))
                where.plot(*at, "o", color=keywords["color"], markersize=3.0)
                where.annotate(one.name, at, xytext=(3, 3), textcoords="offset points", fontsize="small")
            where.set_xlabel(self.parameter)
            where.set_ylabel(title)
        return where

    def __len__(self) -> int:
        return len(self._points)

    @overload
    def __getitem__(self, index: int) -> Orbit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Orbit, ...]: ...
    def __getitem__(self, index: int | slice) -> Orbit | tuple[Orbit, ...]:
        if isinstance(index, slice):
            return tuple(self[k] for k in range(*index.indices(len(self))))
        k = range(len(self))[index]
        if k not in self._orbits:
            self._orbits[k] = self._points[k].orbit()
        return self._orbits[k]

    def __iter__(self) -> Iterator[Orbit]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        values = self.values
        found = ", ".join(f"{one.name} at {one.value:.6g}" for one in self.bifurcations)
        return (
            f"Branch({len(self)} orbits, {self.parameter} from {values.min():g} to {values.max():g}"
            f"{'; ' if found else ''}{found})"
        )
