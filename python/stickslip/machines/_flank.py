"""Friction of a gear flank: a constant coefficient, or a law over the sliding speed (*chatter* 2.1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.laws import Coulomb, Curve, Law, Sum, Table
from stickslip.laws.stick_slip import StickSlip

Array = NDArray[np.float64]

_SPEEDS = np.geomspace(1e-12, 1e12, 4801)  # m/s, 200 a decade: where a curve is looked at
_FASTEST = 1e100  # m/s, where the dry part of a law is its kinetic level
_LEVELS = ("static", "kinetic", "viscous", "coefficient")  # parameters that are forces


def scaled(law: Law, factor: float) -> Law:
    """Return the law whose forces are `factor` times those of a curve."""
    if isinstance(law, StickSlip):
        options = (law.memory, law.dwell, law.presliding, law.load_factor)
        return StickSlip(scaled(law.curve, factor), *options)
    if isinstance(law, Sum):
        return Sum([scaled(term, factor) for term in law.terms])
    if isinstance(law, Table):
        return replace(law, forces=factor * np.asarray(law.forces))
    given: dict[str, Any] = law.parameters  # type: ignore[attr-defined]
    more: dict[str, Any] = {k: factor * given[k] for k in _LEVELS if given.get(k) is not None}
    if isinstance(law, Curve):
        more["function"] = _Scaled(law.function, factor)
    return replace(law, **more)  # type: ignore[type-var]


@dataclass(frozen=True)
class _Scaled:
    function: Callable[[float], Any]
    factor: float

    def __call__(self, v: float) -> float:
        return self.factor * float(self.function(v))


@dataclass(frozen=True)
class FlankFriction:
    """Friction of a flank, as coefficients or as a law, for the closed forms.

    Parameters
    ----------
    law : Law
        Per unit normal force, over the sliding speed ġ_T, m/s.
    """

    law: Law

    @classmethod
    def of(cls, friction: float | Law, static: float | None) -> FlankFriction:
        """Return the flank friction from the arguments of a gear: one or two coefficients, or a law."""
        if isinstance(friction, Law):
            return cls(friction)
        return cls(Coulomb(static=friction if static is None else static, kinetic=friction))

    @cached_property
    def curve(self) -> Law:
        """The law without options of an automaton."""
        return self.law.curve if isinstance(self.law, StickSlip) else self.law

    @property
    def constant(self) -> bool:
        """True if the coefficient does not depend on the speed."""
        return isinstance(self.law, Coulomb)

    def at(self, speed: ArrayLike) -> Any:
        """μ at a sliding speed ≥ 0; at zero its limit in slow sliding."""
        v = np.asarray(speed, dtype=float)
        return (
            self.curve.force(np.where(v == 0.0, np.finfo(float).tiny, v))
            if v.ndim
            else float(self.curve.force(max(float(v), float(np.finfo(float).tiny))))
        )

    @cached_property
    def rest(self) -> float:
        """Static coefficient μ0."""
        return float(self.curve.break_away)

    @cached_property
    def slow(self) -> float:
        """Coefficient μ in slow sliding, the limit v → 0."""
        return self.at(0.0) if not isinstance(self.law, Coulomb) else float(self.law.kinetic)  # type: ignore[arg-type]

    @cached_property
    def impulsive(self) -> float:
        """The kinetic level, which holds for impulses."""
        return abs(float(self.curve.compiled.evaluate(_FASTEST, 1, np.zeros(0), 0)[0]))

    def speeds_above(self, level: float) -> tuple[tuple[float, float], ...]:
        """Ranges of the sliding speed, m/s, in which μ(v) > level, to machine precision; a start of 0.0 is slow
        sliding, an end of infinity includes all higher speeds.
        """
        if self.constant:
            return ((0.0, math.inf),) if self.slow > level else ()
        v = self._grid(level)
        above = np.asarray(self.at(v)) > level
        changes = np.flatnonzero(above[1:] != above[:-1])
        ends = [self._crossing(level, float(v[k]), float(v[k + 1])) for k in changes]
        ends = [0.0] * bool(above[0]) + ends + [math.inf] * bool(above[-1])
        return tuple(zip(ends[::2], ends[1::2], strict=True))

    def _grid(self, level: float) -> Array:
        """Speeds between which μ(v) − level changes its sign once at most: with knots, and turning points on its way."""
        knots = [
            np.abs(np.asarray(t.velocities, dtype=float)) for t in self.curve.terms if isinstance(t, Table)
        ]
        v = np.unique(np.concatenate([_SPEEDS, *knots]))
        v = v[v > 0.0]
        excess = np.asarray(self.at(v)) - level
        size = np.abs(excess)
        left, middle, right = size[:-2], size[1:-1], size[2:]
        valley = (middle <= left) & (middle <= right) & (middle < np.maximum(left, right))
        turns = np.flatnonzero(valley & (excess[:-2] * excess[2:] > 0.0))
        more = [self._nearest(level, float(v[k]), float(v[k + 2])) for k in turns]
        return np.unique(np.concatenate([v, more]))

    def _nearest(self, level: float, low: float, high: float) -> float:
        """Speed between two others at which μ is nearest to the level, or beyond it (golden section)."""
        share = 0.5 * (math.sqrt(5.0) - 1.0)
        side = math.copysign(1.0, self.at(low) - level)
        for _ in range(80):
            a, b = high - share * (high - low), low + share * (high - low)
            if side * self.at(a) < side * self.at(b):
                high = b
            else:
                low = a
        return 0.5 * (low + high)

    def _crossing(self, level: float, low: float, high: float) -> float:
        """Bisect to machine precision."""
        above = self.at(low) > level
        while low < (middle := 0.5 * (low + high)) < high:
            low, high = (middle, high) if (self.at(middle) > level) == above else (low, middle)
        return high


def sliding_speed(speed: ArrayLike) -> Array:
    """Check a sliding speed."""
    v = np.asarray(speed, dtype=float)
    if not np.all(np.isfinite(v) & (v >= 0.0)):
        checks.reject("speed", speed, "finite and >= 0")
    return v


def check_law(name: str, law: Law) -> Law:
    """Check a law over the sliding speed: odd, without internal states, nowhere negative."""
    allowed = "a number, or a law over the sliding speed without internal states, odd and nowhere negative"
    if law.compiled.traits.states > 0:
        checks.reject(name, law, allowed + " (bristles have states)")
    fast = np.asarray(law.force(_SPEEDS))
    odd = np.allclose(np.asarray(law.force(-_SPEEDS)), -fast, rtol=1e-12, atol=0.0)
    if not odd or not bool(np.all(fast >= 0.0)) or law.break_away.negative != -law.break_away.positive:
        checks.reject(name, law, allowed)
    if isinstance(law, StickSlip) and law.load_factor:
        checks.reject(name, law, "without load_factor: the load of a flank is its normal force")
    return law
