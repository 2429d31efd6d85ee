"""Base class of self-locking gears: friction of the flank and self-braking."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from stickslip import _checks as checks
from stickslip.laws import Law
from stickslip.machine.compliance import Compliance, HuntCrossley, KelvinVoigt
from stickslip.machines._flank import FlankFriction, check_law, sliding_speed


class FlankGear:
    """Base class of self-locking gears: friction on the flank."""

    friction: float | Law
    static_friction: float | None
    restitution: float
    impact: str
    compliance: Compliance | None

    def _check_flank(self) -> None:
        """Check the parameters of friction and impact."""
        object.__setattr__(self, "restitution", checks.within("restitution", self.restitution, 0.0, 1.0))
        checks.choice("impact", self.impact, ("poisson", "newton"))
        if self.compliance is not None:
            if not isinstance(self.compliance, (HuntCrossley, KelvinVoigt)):
                checks.reject("compliance", self.compliance, "a HuntCrossley, a KelvinVoigt or None")
            if self.restitution:
                checks.reject("restitution", self.restitution, "0 with a compliance, which has no impacts")
        if isinstance(self.friction, Law):
            check_law("friction", self.friction)
            if self.static_friction is not None:
                checks.reject(
                    "static_friction", self.static_friction, "left out where friction is a law, which has it"
                )
            return
        object.__setattr__(self, "friction", checks.non_negative("friction", self.friction))
        if self.static_friction is not None:
            static = checks.non_negative("static_friction", self.static_friction)
            if static < self.friction:
                checks.reject("static_friction", static, f">= friction = {self.friction}")
            object.__setattr__(self, "static_friction", static)

    def _need_rigid_flanks(self) -> None:
        """Refuse a compliance where a closed form holds for rigid flanks."""
        if self.compliance is not None:
            checks.reject(
                "compliance",
                self.compliance,
                "None for closed forms of motion, impact and contact problem; simulate a gear with elastic flanks",
            )

    @cached_property
    def _flank(self) -> FlankFriction:
        """The friction of the flank, for both kinds of `friction`."""
        return FlankFriction.of(self.friction, self.static_friction)

    def coefficient(self, speed: ArrayLike) -> Any:
        """Coefficient of friction μ at a sliding speed (2.1, 3.46).

        Parameters
        ----------
        speed : float or array_like
            Magnitude of ġ_T, m/s, ≥ 0; zero means slow sliding, not rest.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        return self._flank.at(sliding_speed(speed))

    @property
    def kinetic_friction(self) -> float:
        """Coefficient μ in slow sliding; the limit of a law for ġ_T → 0, at the start of slip."""
        return self._flank.slow

    @property
    def impulse_friction(self) -> float:
        """Coefficient in impacts; the kinetic level of a law."""
        return self._flank.impulsive

    @property
    def break_away_friction(self) -> float:
        """Static coefficient μ0; by default the kinetic one."""
        return self._flank.rest

    @property
    def self_braking_speeds(self) -> tuple[tuple[float, float], ...]:
        """Ranges (from, to) of the sliding speed, m/s, in which the gear is self-braking."""
        raise NotImplementedError

    @property
    def self_braking(self) -> bool:
        """True if the load cannot keep the gear moving at any speed: ρ(ġ_T) > γ for all ġ_T (2.1)."""
        return self.self_braking_speeds == ((0.0, math.inf),)

    def is_self_braking(self, low: float, high: float) -> bool:
        """True if the gear is self-braking at all sliding speeds from `low` to `high` (the range of operation in
        section 2.1).

        Parameters
        ----------
        low, high : float
            m/s, 0 ≤ low ≤ high.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        first = checks.non_negative("low", low)
        last = checks.non_negative("high", high)
        if last < first:
            checks.reject("high", last, f">= low = {first}")
        return any(a <= first and last < b for a, b in self.self_braking_speeds)
