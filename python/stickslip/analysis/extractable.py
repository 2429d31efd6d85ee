"""Numerical search for a motion that extracts energy from a friction law, for laws without a passivity result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _checks as checks
from stickslip.laws import Law, Sum, TwoStateBristle, as_law

__all__ = ["ExtractableEnergy", "extractable_energy"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExtractableEnergy:
    """Largest energy that a search has extracted from a law.

    Attributes
    ----------
    energy : float
        J, >= 0; zero if the law absorbed net energy in every motion tried.
    t, velocity : ndarray
        Velocity that extracts this energy, linear between these points (a time given twice is a jump). Empty if none
        was found.
    tried : int
        Number of velocities tried.

    Examples
    --------
    >>> import stickslip as ss
    >>> found = ss.analysis.extractable_energy(ss.Table([-1.0, 1.0], [0.5, 1.0]), max_velocity=1.0)
    >>> found.found, bool(found.velocity.min() < 0.0)
    (True, True)
    """

    energy: float
    t: Array
    velocity: Array
    tried: int

    @property
    def found(self) -> bool:
        """True if any energy was extracted."""
        return self.energy > 0.0

    @property
    def message(self) -> str:
        """The result in words."""
        if self.found:
            return f"{self.energy:.6g} J are extracted within {self.t[-1] - self.t[0]:.6g} s"
        return (
            f"no energy extracted: the law absorbed net energy in each of the {self.tried} velocities tried"
        )


def _drawn(t: Array, work: Array) -> tuple[float, float]:
    """Energy drawn and when; what is below the integration error counts as none."""
    worst = int(np.argmin(work))
    energy = float(-work[worst])
    return (energy, float(t[worst])) if energy > 1e-9 * float(np.max(np.abs(work))) else (0.0, 0.0)


class _Search:
    """Two velocities held one after the other, each for its time."""

    def __init__(self, law: Law, load: float, longest: float, fastest: float | None) -> None:
        self.law, self.load, self.longest = law, load, longest
        traits = law.compiled.traits
        speeds = [getattr(term, "stribeck_velocity", None) for term in law.terms]
        self.speed = max([v for v in speeds if v], default=1e-3)
        self.fastest = fastest if fastest is not None else 1e3 * self.speed
        level = max(abs(level) for level in law.break_away)
        self.travel = level / traits.stiffness if traits.stiffness > 0.0 and level > 0.0 else self.speed
        self.lags = any(isinstance(term, TwoStateBristle) for term in law.terms)
        self.tried = 0

    def times(self, speed: float, factors: Array) -> Array:
        """Times in which a bristle settles at that speed, and those of the second state (1 s)."""
        times = factors * self.travel / speed
        if self.lags:
            times = np.concatenate([times, factors])
        return np.unique(times[(times > 0.0) & (times <= self.longest)])

    def energy(self, v1: float, t1: float, v2: float, after: Array) -> tuple[float, float]:
        """Energy drawn, and the time after t1 at which it is greatest."""
        self.tried += 1
        t = np.concatenate([[0.0, t1, t1], t1 + after])
        v = np.concatenate([[v1, v1], np.full(1 + len(after), v2)])
        work = self.law.response(t, v, normal_load=self.load, rtol=1e-10).work
        energy, when = _drawn(t, work)
        return energy, max(when - t1, 0.0)

    def candidates(self, sides: tuple[float, ...]) -> Iterator[tuple[float, float, float, Array]]:
        speeds = np.geomspace(1e-6 * self.speed, self.fastest, 10)
        first, second = np.array([0.3, 3.0, 10.0]), np.geomspace(1e-3, 30.0, 30)
        for v2 in speeds:
            after = self.times(float(v2), second)
            if not len(after):
                continue
            for v1 in speeds:
                for t1 in self.times(float(v1), first):
                    for side in sides:
                        yield side * v1, float(t1), v2, after
                        yield side * v1, float(t1), -v2, after

    def refine(self, best: Array, energy: float) -> tuple[Array, float]:
        """Coordinate search in the logarithms of speeds and times."""
        factor = 2.0
        while factor > 1.02:
            improved = False
            for k in range(4):
                for f in (factor, 1.0 / factor):
                    trial = best.copy()
                    trial[k] *= f
                    speeds, times = np.abs(trial[::2]), trial[1::2]
                    if speeds.max() > self.fastest or speeds.min() < 1e-6 * self.speed:
                        continue
                    if times.max() > self.longest:
                        continue
                    drawn, _ = self.energy(trial[0], trial[1], trial[2], np.array([trial[3]]))
                    if drawn > energy:
                        best, energy, improved = trial, drawn, True
            if not improved:
                factor = math.sqrt(factor)
            if self.tried > 20_000:
                break
        return best, energy


def extractable_energy(
    law: Law | float,
    velocity_signals: Iterable[tuple[Any, Any]] | None = None,
    *,
    normal_load: float = 1.0,
    max_duration: float = 10.0,
    max_velocity: float | None = None,
) -> ExtractableEnergy:
    """Search for a motion from rest, all internal states zero, that extracts net energy from a law.

    Parameters
    ----------
    law : Law or float
        Any law.
    velocity_signals : iterable of (t, velocity), optional
        Velocities to try, each as for `Law.response`: times and samples (straight lines between; a time given twice is
        a jump) or times and a signal. By default pairs of successive constant velocities on a grid over many decades,
        refined from the best.
    normal_load : float, default 1.0
        Constant normal load, N.
    max_duration : float, default 10.0
        Longest time either velocity is held, s (default search only).
    max_velocity : float, optional
        Greatest velocity, m/s; default 1000 Stribeck velocities, or 1 m/s without one (default search only).

    Returns
    -------
    ExtractableEnergy
        Without a result `energy` is 0 and `found` is False; this does not prove that the law is passive.

    Raises
    ------
    ValueError
        If a limit is not finite and > 0.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0,
    ...                stribeck_velocity=1e-3)
    >>> t, v = [0.0, 10.0, 10.0, 10.0 + 15e-6], [1e-5, 1e-5, 1.0, 1.0]
    >>> round(ss.analysis.extractable_energy(law, [(t, v)]).energy, 5)
    0.00107
    """
    for name, value in (("max_duration", max_duration), ("max_velocity", max_velocity)):
        if value is not None:
            checks.positive(name, value)
    law, nothing = as_law(law), np.zeros(0)
    if velocity_signals is not None:
        tried, best, found = 0, 0.0, (nothing, nothing)
        for t, v in velocity_signals:
            tried += 1
            run = law.response(t, v, normal_load=normal_load)
            energy, _ = _drawn(run.t, run.work)
            if energy > best:
                best, found = energy, (run.t, run.velocity)
        return ExtractableEnergy(best, *found, tried)

    search = _Search(law, float(normal_load), float(max_duration), max_velocity)
    odd = all(not isinstance(t, Sum) and float(t.force(1.0)) == -float(t.force(-1.0)) for t in law.terms)
    energy, best_of = 0.0, np.zeros(4)
    for v1, t1, v2, after in search.candidates((1.0,) if odd else (1.0, -1.0)):
        drawn, when = search.energy(v1, t1, v2, after)
        if drawn > energy:
            energy, best_of = drawn, np.array([v1, t1, v2, max(when, float(after[0]))])
    if energy == 0.0:
        return ExtractableEnergy(0.0, nothing, nothing, search.tried)
    (v1, t1, v2, t2), energy = search.refine(best_of, energy)
    t = np.array([0.0, t1, t1, t1 + t2])
    return ExtractableEnergy(energy, t, np.array([v1, v1, v2, v2]), search.tried)
