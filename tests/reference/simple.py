"""Small machines whose whole motion is a formula: bouncing mass, two walls, clutch, block on an incline.

Source: derivation (rigid impact with one restitution, Coulomb friction with constant levels).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

G = 9.81


@dataclass(frozen=True)
class Bouncing:
    """Mass dropped at rest: impact n (from 0) at t0 + 2 t0 (e + e^2 + ... + e^n), t0 = sqrt(2h/g).

    Speed after it e^(n+1) sqrt(2 g h); the impacts accumulate at t0 (1 + e)/(1 - e), then it rests.
    """

    height: float = 1.0
    restitution: float = 0.5
    gravity: float = G

    @property
    def fall(self) -> float:
        return math.sqrt(2.0 * self.height / self.gravity)

    @property
    def accumulation(self) -> float:
        return self.fall * (1.0 + self.restitution) / (1.0 - self.restitution)

    def impacts(self, number: int) -> list[tuple[float, float]]:
        """(time, speed after) of the first impacts."""
        e = self.restitution
        times = [self.fall]
        for n in range(1, number):
            times.append(math.fsum([self.fall, *(2.0 * self.fall * e**k for k in range(1, n + 1))]))
        return [(t, e ** (n + 1) * self.gravity * self.fall) for n, t in enumerate(times)]

    def lost(self, number: int, mass: float = 1.0) -> float:
        """Energy that the first impacts have taken: m g h (1 - e^(2 n))."""
        return mass * self.gravity * self.height * (1.0 - self.restitution ** (2 * number))


@dataclass(frozen=True)
class TwoWalls:
    """Free mass between walls at 0 and ``gap``, from ``x0`` with speed ``v0`` > 0 towards the far wall.

    Impact n (from 0) leaves e^(n+1) v0; the times grow like e^-n, so there is no accumulation.
    """

    gap: float = 1.0
    x0: float = 0.25
    v0: float = 1.0
    restitution: float = 0.8

    def impacts(self, number: int) -> list[tuple[float, str, float]]:
        """(time, wall, velocity after)."""
        e, out = self.restitution, []
        for n in range(number):
            parts = [(self.gap - self.x0) / self.v0, *(self.gap / (self.v0 * e**k) for k in range(1, n + 1))]
            far = n % 2 == 0
            out.append(
                (math.fsum(parts), "far" if far else "near", (-1.0 if far else 1.0) * self.v0 * e ** (n + 1))
            )
        return out


@dataclass(frozen=True)
class Clutch:
    """Two free inertias joined by a slipping torque: one slows, the other gains, until they meet."""

    inertia1: float = 0.5
    inertia2: float = 0.6
    speed1: float = 30.0
    speed2: float = -10.0
    torque: float = 60.0

    @property
    def lock_time(self) -> float:
        rate = self.torque * (1.0 / self.inertia1 + 1.0 / self.inertia2)
        return abs(self.speed1 - self.speed2) / rate

    @property
    def lock_speed(self) -> float:
        momentum = self.inertia1 * self.speed1 + self.inertia2 * self.speed2
        return momentum / (self.inertia1 + self.inertia2)

    @property
    def heat(self) -> float:
        reduced = self.inertia1 * self.inertia2 / (self.inertia1 + self.inertia2)
        return 0.5 * reduced * (self.speed1 - self.speed2) ** 2


@dataclass(frozen=True)
class Incline:
    """Block pushed up an incline: it stops, then rests if static >= tan(angle), else slides back.

    x is measured up the slope from the start.
    """

    angle: float
    kinetic: float
    static: float
    v0: float
    gravity: float = G

    @property
    def stop(self) -> tuple[float, float]:
        """Time and place of the stop."""
        a = self.gravity * (math.sin(self.angle) + self.kinetic * math.cos(self.angle))
        return self.v0 / a, 0.5 * self.v0**2 / a

    @property
    def rests(self) -> bool:
        return self.static >= math.tan(self.angle)

    def state(self, t: float) -> tuple[float, float]:
        """Position and velocity."""
        t_stop, x_stop = self.stop
        if t <= t_stop:
            s = t_stop - t
            a = self.v0 / t_stop
            return x_stop - 0.5 * a * s * s, a * s
        if self.rests:
            return x_stop, 0.0
        a = self.gravity * (math.sin(self.angle) - self.kinetic * math.cos(self.angle))
        s = t - t_stop
        return x_stop - 0.5 * a * s * s, -a * s
