"""Closed forms of the worm gear: its wedge gear, the condition of chatter, motion in contact and from rest.

Equations and symbols are those of `stickslip.machines.worm_gear`; source: Hinrichsen (Kassel 2007), 2.3.2 and chapter 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.laws import Law
from stickslip.machine.compliance import Compliance, HuntCrossley, KelvinVoigt
from stickslip.machines._flank import FlankFriction, scaled, sliding_speed
from stickslip.machines._flank_gear import FlankGear
from stickslip.machines.wedge_gear import WedgeGear
from stickslip.machines.wedge_states import ChatterCycle, Direction, FirstMotion, direction_sign


@dataclass(frozen=True)
class WormSliding:
    """Motion of the gear in sliding, for one direction.

    Attributes
    ----------
    normal_force : float
        λ_N on the flank, N. Sliding is possible only where it is not negative.
    wheel_acceleration, worm_acceleration : float
        φ̈1 and φ̈2, rad/s².
    inertia : float
        Effective inertia, the factor of φ̈2 in (2.32), kg·m²; negative where the gear chatters.
    """

    normal_force: float
    wheel_acceleration: float
    worm_acceleration: float
    inertia: float

    @property
    def possible(self) -> bool:
        """True if the contact can stay closed in this motion (λ_N ≥ 0)."""
        return self.normal_force >= 0.0


class WormMotion(FlankGear):
    """Closed-form results of a worm gear."""

    wheel_inertia: float
    worm_inertia: float
    wheel_radius: float
    worm_radius: float
    lead_angle: float
    load_torque: float
    shaft_stiffness: float
    motor_speed: float
    shaft_damping: float
    pressure_angle: float
    wheel_bearing: Law | float | None
    worm_bearing: Law | float | None

    @cached_property
    def wedge(self) -> WedgeGear:
        """The wedge gear with the same contact problem and, without damping of the shaft, the same motion: y1 = r1·φ1,
        x2 = −r2·φ2, equal times.
        """
        cosine = math.cos(self.pressure_angle)
        mu = self.friction
        return WedgeGear(
            upper_mass=self.wheel_inertia / self.wheel_radius**2,
            lower_mass=self.worm_inertia / self.worm_radius**2,
            angle=self.lead_angle,
            friction=scaled(mu, 1.0 / cosine) if isinstance(mu, Law) else mu / cosine,
            load=self.load_torque / self.wheel_radius,
            stiffness=self.shaft_stiffness / self.worm_radius**2,
            pull_velocity=-self.worm_radius * self.motor_speed,
            restitution=self.restitution,
            static_friction=None if self.static_friction is None else self.static_friction / cosine,
            impact=self.impact,
            compliance=_along_wedge(self.compliance, cosine),
        )

    # -- friction angles and the condition of chatter ----------------------------------------------

    @property
    def radius_ratio(self) -> float:
        """r2/r1."""
        return self.worm_radius / self.wheel_radius

    @property
    def friction_angle(self) -> float:
        """ρ = arctan(μ/cos α_n) of kinetic friction, rad (2.30); a law enters with its coefficient in slow sliding."""
        return self.wedge.friction_angle

    @property
    def self_locking(self) -> bool:
        """True if the load cannot move the gear from rest: ρ0 > γ."""
        return self.wedge.self_locking

    @property
    def self_braking_speeds(self) -> tuple[tuple[float, float], ...]:
        """Ranges (from, to) of the sliding speed, m/s, in which ρ(ġ_T) > γ (2.1): see `WedgeGear.self_braking_speeds`."""
        return self.wedge.self_braking_speeds

    @property
    def chatter_margin(self) -> float:
        """δ = Θ2 − Θ1(r2/r1)²·tan γ·tan(ρ − γ), kg·m²; below zero the gear chatters in lowering (2.33)."""
        braking = math.tan(self.friction_angle - self.lead_angle)
        return (
            self.worm_inertia
            - self.wheel_inertia * self.radius_ratio**2 * math.tan(self.lead_angle) * braking
        )

    @property
    def chatters(self) -> bool:
        """The chatter condition (2.33): lowering, self-braking, δ < 0."""
        return self.friction_angle > self.lead_angle and self.chatter_margin < 0.0

    @property
    def chatter_speeds(self) -> tuple[tuple[float, float], ...]:
        """Ranges (from, to) of the sliding speed, m/s, in which the chatter condition holds with μ(ġ_T)."""
        return self.wedge.chatter_speeds

    @property
    def critical_wheel_inertia(self) -> float:
        """Wheel inertia above which the gear chatters, kg·m² (7.3); infinite if it is not self-braking."""
        if not self.friction_angle > self.lead_angle:
            return math.inf
        braking = math.tan(self.friction_angle - self.lead_angle)
        return self.worm_inertia / (self.radius_ratio**2 * math.tan(self.lead_angle) * braking)

    @property
    def critical_friction(self) -> float:
        """Friction coefficient above which the gear chatters (7.6)."""
        return self.wedge.critical_friction * math.cos(self.pressure_angle)

    # -- motion in contact -------------------------------------------------------------------------

    def bearing_torques(self, speed: float = 0.0) -> tuple[float, float]:
        """Return the magnitudes of the bearing torques B1 and B2 of wheel and worm in contact, Nm.

        Parameters
        ----------
        speed : float
            Sliding speed, magnitude of ġ_T, m/s; default slow sliding.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        v = float(sliding_speed(speed))
        wheel = v * math.sin(self.lead_angle) / self.wheel_radius
        worm = v * math.cos(self.lead_angle) / self.worm_radius
        return _torque(self.wheel_bearing, wheel), _torque(self.worm_bearing, worm)

    def sliding(self, worm_torque: float, direction: Direction, speed: float = 0.0) -> WormSliding:
        """Return acceleration and normal force in sliding (2.31, 2.32).

        Parameters
        ----------
        worm_torque : float
            Torque M2 on the worm, Nm; positive lifts.
        direction : {"lowering", "lifting"}
            Direction of the motion.
        speed : float
            Sliding speed, magnitude of ġ_T, m/s, at which laws of flank and bearings are evaluated; default slow
            sliding.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        sign, friction = direction_sign(direction), float(self.coefficient(speed))
        on_wheel, on_worm = self.bearing_torques(speed)
        torque = checks.finite("worm_torque", worm_torque) - sign * on_worm
        load = self.load_torque + sign * on_wheel
        tilted = math.tan(self.lead_angle + sign * math.atan(friction / math.cos(self.pressure_angle)))
        slope, ratio = math.tan(self.lead_angle), self.radius_ratio
        inertia = self.worm_inertia + self.wheel_inertia * ratio**2 * slope * tilted
        worm = (torque - load * ratio * tilted) / inertia
        wheel = worm * ratio * slope
        # Along the flank: λ_N·(cos α_n·cos γ − sgn·μ·sin γ)·r1 = M1 + sgn·B1 + Θ1·φ̈1.
        lever = math.cos(self.pressure_angle) * math.cos(self.lead_angle)
        lever -= sign * friction * math.sin(self.lead_angle)
        normal = (load + self.wheel_inertia * wheel) / (self.wheel_radius * lever)
        return WormSliding(normal, wheel, worm, inertia)

    @property
    def stick_limits(self) -> tuple[float, float]:
        """Torques M2 on the worm between which the gear at rest stays at rest, Nm.

        −M1(r2/r1)·tan(ρ0 − γ) and M1(r2/r1)·tan(γ + ρ0); the upper one is ∞ for γ + ρ0 ≥ 90°. Bearings widen the limits
        by their levels at rest: the share of the wheel's bearing is statically indeterminate, and the gear stays at
        rest if any torque in −B1 … B1 holds it, so M1 is replaced by the M1 ± B1 that gives the wider limit, and B2 is
        added. The wheel's bearing must not hold the load alone, B1 < M1.
        """
        on_wheel, on_worm = (0.0 if b is None else float(b.break_away) for b in self._bearings)
        if not on_wheel < self.load_torque:
            checks.reject(
                "wheel_bearing", self.wheel_bearing, f"below the load, {self.load_torque} Nm, at rest"
            )
        low, high = self.wedge.stick_limits
        scale, share = self.shaft_stiffness / self.worm_radius, on_wheel / self.load_torque
        down, up = -scale * high, -scale * low
        return down - share * abs(down) - on_worm, up + share * abs(up) + on_worm

    @property
    def opening_limit(self) -> float:
        """Torque M2 below which the free wheel and worm separate, Nm."""
        return -self.shaft_stiffness / self.worm_radius * self.wedge.opening_limit

    def measured_friction(
        self,
        worm_torque: ArrayLike,
        worm_acceleration: ArrayLike = 0.0,
        direction: Direction = "lifting",
        speed: float = 0.0,
    ) -> NDArray[np.float64]:
        """Return the friction coefficient from torque and acceleration measured in sliding contact (7.2).

        Equation (2.32) solved for μ; in lowering μ = cos α_n·tan[γ − arctan(…)].

        Parameters
        ----------
        worm_torque : array_like
            Torque M2 on the worm, Nm.
        worm_acceleration : array_like
            φ̈2, rad/s²; default 0.
        direction : {"lifting", "lowering"}
            Direction of the motion.
        speed : float
            Sliding speed, magnitude of ġ_T, m/s, for the torques of the bearings; default slow sliding.

        Returns
        -------
        ndarray
            Friction coefficients, shape of the arguments broadcast.
        """
        sign = direction_sign(direction)
        torque = np.asarray(worm_torque, dtype=np.float64)
        acceleration = np.asarray(worm_acceleration, dtype=np.float64)
        ratio, slope = self.radius_ratio, math.tan(self.lead_angle)
        on_wheel, on_worm = self.bearing_torques(speed)
        effort = torque - sign * on_worm - self.worm_inertia * acceleration
        load = self.wheel_inertia * ratio**2 * slope * acceleration
        load += (self.load_torque + sign * on_wheel) * ratio
        tilted = np.arctan(effort / load)
        return np.asarray(math.cos(self.pressure_angle) * np.tan(sign * (tilted - self.lead_angle)))

    # -- motion from rest --------------------------------------------------------------------------

    @property
    def _undamped(self) -> WedgeGear:
        """The wedge gear whose motion in closed form is that of this gear."""
        if self.shaft_damping:
            allowed = "0 for motions in closed form; simulate a gear with a damped shaft"
            checks.reject("shaft_damping", self.shaft_damping, allowed)
        for name in ("wheel_bearing", "worm_bearing"):
            if getattr(self, name) is not None:
                checks.reject(
                    name, getattr(self, name), "left out for motions in closed form; simulate such a gear"
                )
        return self.wedge

    @property
    def _bearings(self) -> tuple[Law | None, Law | None]:
        return self.wheel_bearing, self.worm_bearing  # type: ignore[return-value]  # numbers have become laws

    @property
    def first_motion(self) -> FirstMotion:
        """End of the first stick when the motor starts with the shaft relaxed; lengths are at the worm's radius."""
        return self._undamped.first_motion

    @property
    def separation_time(self) -> float:
        """Time at which contact is first lost, s; infinite if the first slip keeps it."""
        return self._undamped.separation_time

    @property
    def meeting_time(self) -> float:
        """Time of the first impact after separation, s, without the opposite flank."""
        return self._undamped.meeting_time

    @property
    def chatter_cycle(self) -> ChatterCycle | None:
        """The periodic chatter on one flank (ε = 0), or None if there is none.

        Impulses are forces along the flank, Λ_N·cos α_n; speeds are those of the flank.
        """
        return self._undamped.chatter_cycle


def _torque(bearing: Law | float | None, speed: float) -> float:
    """The torque of a bearing that turns at this speed, or slowly."""
    return FlankFriction(bearing).at(speed) if isinstance(bearing, Law) else 0.0


def _along_wedge(compliance: Compliance | None, cosine: float) -> Compliance | None:
    """The compliance of the wedge gear's flank: depth δ/cos α_n, force λ_N·cos α_n."""
    if compliance is None:
        return None
    if isinstance(compliance, KelvinVoigt):
        return KelvinVoigt(compliance.stiffness * cosine**2, compliance.damping * cosine**2)
    power = compliance.exponent
    return HuntCrossley(compliance.stiffness * cosine ** (power + 1.0), compliance.damping * cosine, power)
