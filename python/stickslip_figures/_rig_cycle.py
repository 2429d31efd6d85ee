"""Closed form of the periodic chatter of a worm gear whose shaft is damped (ε = 0, one flank).

From stick the gear opens where the torque of the shaft, k·θ + d·θ̇ with its twist θ, reaches M1(r2/r1)tan(ρ - γ). At
rest θ̇ is the speed ω of the motor. In flight Θ2·θ̈ + d·θ̇ + k·θ = 0 and the wheel falls with M1/Θ1 until
r1·φ1 = r2·tan γ·φ2 again. The impact ends in stick, and the twist grows with ω until the next separation. All numbers
count in the direction of lowering.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from functools import cached_property

from stickslip.machines import WormGear
from stickslip.machines._flight import bisect


@dataclass(frozen=True)
class RigCycle:
    """Times, speeds and gap of the periodic chatter of `gear`, which opens straight from stick."""

    gear: WormGear

    @property
    def torque(self) -> float:
        """Torque (Nm) of the shaft at which stick ends."""
        return -self.gear.stick_limits[0]

    @property
    def speed(self) -> float:
        """Speed (rad/s) of the motor."""
        return -self.gear.motor_speed

    @property
    def start(self) -> float:
        """Twist (rad) at which stick ends; no inertia enters. Where the damper alone pulls that much, none."""
        gear = self.gear
        return max(0.0, (self.torque - gear.shaft_damping * self.speed) / gear.shaft_stiffness)

    @property
    def separation(self) -> float:
        """Time (s) of the first separation."""
        return self.start / self.speed

    def twist(self, time: float) -> float:
        """Twist (rad) of the shaft after a time (s) of flight."""
        gear = self.gear
        half = 0.5 * gear.shaft_damping / gear.worm_inertia
        root = cmath.sqrt(half**2 - gear.shaft_frequency**2)
        # cosh and sinh of an imaginary argument are the swing of a shaft damped less than critically.
        swing = cmath.sinh(root * time) / root if root else time
        value = self.start * (cmath.cosh(root * time) + half * swing) + self.speed * swing
        return math.exp(-half * time) * value.real

    def worm(self, time: float) -> float:
        """Angle (rad) of the worm since the separation."""
        return self.speed * time + self.start - self.twist(time)

    def wheel(self, time: float) -> float:
        """Angle (rad) of the wheel since the separation."""
        return 0.5 * self.gear.load_torque / self.gear.wheel_inertia * time**2

    def gap(self, time: float) -> float:
        """Gap (m) along the normal of the flank after a time (s) of flight."""
        gear = self.gear
        path = gear.worm_radius * math.tan(gear.lead_angle) * self.worm(time)
        return (
            math.cos(gear.lead_angle)
            * math.cos(gear.pressure_angle)
            * (path - gear.wheel_radius * self.wheel(time))
        )

    @cached_property
    def flight(self) -> float:
        """Duration (s) of a flight."""
        step = 0.01 / self.gear.shaft_frequency
        time = step
        while self.gap(time + step) > 0.0:
            time += step
        return bisect(self.gap, time, time + step)

    @property
    def rest(self) -> float:
        """Duration (s) of rest of worm and wheel after an impact; not positive without rest."""
        return (self.start - self.twist(self.flight)) / self.speed

    @property
    def period(self) -> float:
        """Time (s) from one separation to the next."""
        return self.flight + self.rest
