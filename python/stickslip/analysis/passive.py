"""Passivity of friction laws: what is known about it, and a search for a velocity that draws energy out.

A law is passive from velocity to force if it never gives out more energy than it took: from rest, with all
internal states zero, the work ``W(t) = ∫ F v dt`` that goes into it stays >= 0 for every velocity. Curves
are, if they lie in the first and third quadrant; bristle laws store energy, and some create it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _checks as checks
from stickslip.laws import (
    BoucWen,
    Coulomb,
    Dahl,
    ElastoPlastic,
    Law,
    LuGre,
    MaxwellSlip,
    Stribeck,
    Sum,
    Tanh,
    TwoStateBristle,
    Viscous,
)

__all__ = ["ExtractableEnergy", "Passivity", "extractable_energy", "passivity"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Passivity:
    """What is known about the passivity of a law.

    Attributes
    ----------
    passive : bool or None
        True or False where a condition decides, None where none is known (`extractable_energy` may then
        help).
    condition : str
        The condition and whether it is necessary.
    margin : float
        How far it is met (>= 0) or missed (< 0), in the unit of the condition; NaN where it has no measure.
    source : str
        Where it comes from.

    Examples
    --------
    >>> import stickslip as ss
    >>> known = ss.analysis.passivity(ss.Dahl(stiffness=1e5, kinetic=1.0))
    >>> known.passive, known.condition
    (True, 'always: F v - d(σ z²/2)/dt >= 0')
    """

    passive: bool | None
    condition: str
    margin: float
    source: str


def _lugre_like(law: LuGre | ElastoPlastic, load: float, necessary: bool) -> Passivity:
    assert law.static is not None and law.kinetic is not None
    needed = load * law.damping * (law.static - law.kinetic) / law.kinetic
    linear = law.viscous_exponent == 1.0
    margin = (law.viscous if linear else 0.0) - needed
    passive = True if margin >= 0.0 else (False if necessary and linear else None)
    kind = "necessary and sufficient" if necessary and linear else "sufficient"
    condition = f"viscous >= normal_load * damping * (static - kinetic) / kinetic = {needed:.6g} ({kind})"
    return Passivity(passive, condition, margin, "Barabanov, Ortega 2000")


def _two_state(law: TwoStateBristle, load: float) -> Passivity:
    # With V = σ0 Fc z²/2, ζ = σ0 z sgn v in [-1, 1], |σ0 y| <= 1, u = |v| and a = α/σ0:
    #   (F v - dV/dt)/u >= Fc ζ² + σ1 u (1 - ζ) + σ2 u/N + a e(u) - |a - (Fs - Fc)|,
    # the least value over ζ being taken at ζ = min(1, σ1 u/(2 Fc)).
    assert law.static is not None and law.kinetic is not None and law.alpha is not None
    u = np.concatenate([[0.0], np.geomspace(1e-9, 1e6, 6001) * (law.stribeck_velocity or 1e-3)])
    if law.damping > 0.0:  # where ζ reaches its end
        u = np.append(u, 2.0 * law.kinetic / law.damping)
    step = law.alpha / law.stiffness
    fall = np.ones_like(u)
    if law.stribeck_velocity is not None:
        p = (u / law.stribeck_velocity) ** law.shape
        fall = np.exp(-p) if law.form == "exponential" else 1.0 / (1.0 + p)
    zeta = np.minimum(1.0, law.damping * u / (2.0 * law.kinetic))
    viscous = law.viscous / load if law.viscous_exponent == 1.0 and load > 0.0 else 0.0
    bracket = law.kinetic * zeta**2 + law.damping * u * (1.0 - zeta) + viscous * u + step * fall
    margin = float(np.min(bracket - abs(step - (law.static - law.kinetic))))
    # At v = 0 both sides are equal for α = σ0 (Fs - Fc)/2: rounding must not decide.
    passive = True if margin >= -1e-12 * law.static else None
    condition = (
        "min over v of kinetic ζ² + damping |v| (1 - ζ) + viscous |v| + alpha/σ0 e(|v|) "
        "- |alpha/σ0 - static + kinetic| >= 0 (sufficient)"
    )
    return Passivity(passive, condition, margin, "storage function σ0·kinetic·z²/2")


def _curve(law: Law) -> Passivity:
    scale = np.geomspace(1e-12, 1e6, 721)
    knots = np.abs(np.array(law.compiled.velocity_kinks))
    speeds = np.concatenate([[float(np.finfo(float).tiny)], scale, knots])
    force = np.concatenate([np.atleast_1d(law.force(speeds)), -np.atleast_1d(law.force(-speeds))])
    margin = float(force.min())
    known = not law.compiled.traits.needs_interpreter
    passive = False if margin < 0.0 else (True if known else None)
    condition = "F · sgn v >= 0 at every velocity (necessary and sufficient)"
    return Passivity(passive, condition, margin, "definition")


def _single(law: Law, load: float) -> Passivity:
    if isinstance(law, LuGre):
        return _lugre_like(law, load, law.damping_velocity is None)
    if isinstance(law, ElastoPlastic):
        return _lugre_like(law, load, False)
    if isinstance(law, TwoStateBristle):
        return _two_state(law, load)
    if isinstance(law, Dahl):
        return Passivity(True, "always: F v - d(σ z²/2)/dt >= 0", math.nan, "storage function σ·z²/2")
    if isinstance(law, BoucWen):
        condition = "beta >= 0.5 (checked when the law is made)"
        return Passivity(True, condition, law.beta - 0.5, "Erlicher, Point 2004")
    if isinstance(law, MaxwellSlip):
        if law.static == law.kinetic:
            condition = "static = kinetic: springs and sliders of constant level"
            return Passivity(True, condition, 0.0, "Iwan 1966")
        return Passivity(None, "none known for static > kinetic", math.nan, "")
    if isinstance(law, (Coulomb, Viscous, Stribeck, Tanh)):
        return Passivity(True, "always: F · sgn v >= 0", math.nan, "definition")
    return _curve(law)


def passivity(law: Law, normal_load: float = 1.0) -> Passivity:
    """What is known about the passivity of a law, from velocity to force.

    Parameters
    ----------
    law : Law
        Any law. Of a sum, linear viscous terms count with its bristle; it is passive if all parts are.
    normal_load : float, default 1.0
        Constant normal load, N, >= 0: bristle damping scales with it, the viscous part does not.

    Returns
    -------
    Passivity

    Raises
    ------
    ValueError
        If `normal_load` is negative or not finite.

    Notes
    -----
    LuGre with constant damping and linear viscous part: if and only if
    ``viscous >= damping · (static − kinetic)/kinetic`` (Barabanov, Ortega 2000). `TwoStateBristle`: the
    sufficient condition that follows from the storage function ``σ0·kinetic·z²/2``; the proof of strict
    passivity in its source does not hold.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0,
    ...                stribeck_velocity=1e-3)
    >>> ss.analysis.passivity(law).passive
    False
    """
    checks.non_negative("normal_load", normal_load)
    terms = list(law.terms)
    kinds = (LuGre, ElastoPlastic, TwoStateBristle)
    bristles = [k for k, term in enumerate(terms) if isinstance(term, kinds)]
    if len(bristles) == 1:
        bristle: Any = terms[bristles[0]]
        linear = [t for t in terms if isinstance(t, Viscous) and t.exponent == 1.0]
        if linear and (bristle.viscous_exponent == 1.0 or bristle.viscous == 0.0):
            total = bristle.viscous + sum(t.coefficient for t in linear)
            terms[bristles[0]] = replace(bristle, viscous=total, viscous_exponent=1.0)
            terms = [t for t in terms if t not in linear]
    parts = [_single(term, float(normal_load)) for term in terms]
    if len(parts) == 1:
        return parts[0]
    curves = all(not term.state_names for term in terms)
    if curves:
        return _curve(law)
    if all(part.passive for part in parts):
        return Passivity(True, "all parts are passive (sufficient)", math.nan, "sum of passive laws")
    reasons = "; ".join(part.condition for part in parts if not part.passive)
    return Passivity(None, f"not all parts are passive: {reasons}", math.nan, "")


@dataclass(frozen=True, eq=False)
class ExtractableEnergy:
    """The most energy a search has drawn out of a law.

    Attributes
    ----------
    energy : float
        J, >= 0; zero if every velocity tried left the law with net energy taken in.
    t, velocity : ndarray
        The velocity that does it: straight lines through these points (a time given twice is a jump). Empty
        if there is none.
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
        """Whether any energy was drawn."""
        return self.energy > 0.0


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
    law: Law,
    velocity_signals: Iterable[tuple[Any, Any]] | None = None,
    *,
    normal_load: float = 1.0,
    max_duration: float = 10.0,
    max_velocity: float | None = None,
) -> ExtractableEnergy:
    """Search for a velocity that draws net energy out of a law from rest, all internal states zero.

    Parameters
    ----------
    law : Law
        Any law.
    velocity_signals : iterable of (t, velocity), optional
        Velocities to try, each as for `Law.response`: times and samples (straight lines between; a time given
        twice is a jump) or times and a signal. By default a search over pairs of constant velocities held one
        after the other, from a grid over many decades, refined from the best.
    normal_load : float, default 1.0
        Constant normal load, N.
    max_duration : float, default 10.0
        Longest time either velocity is held, s (default search only).
    max_velocity : float, optional
        Greatest velocity, m/s; default 1000 Stribeck velocities, or 1 m/s without one (default search only).

    Returns
    -------
    ExtractableEnergy
        With `energy` 0 and `found` False if there was none. That is no proof that the law is passive.

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
    nothing = np.zeros(0)
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
