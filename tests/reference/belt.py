"""Mass on a spring on a moving belt, Coulomb friction: every event in closed form.

`m x'' = -k x + F_belt`, the belt moves with v > 0, normal load N, levels Fs = static*N, Fc = kinetic*N.
Stick: x' = v until k x = Fs. Slip (x' < v): `x = Fc/k + A cos(w s) + B sin(w s)` with w = sqrt(k/m),
A = (Fs - Fc)/k, B = v/w, s from break-away. x' reaches v again first at `s = (2 pi - 2 atan2(A, B))/w`, where
`x = Fc/k - A` by symmetry; |k x| = |2 Fc - Fs| <= Fs, so the mass always sticks there, for 2 A/v. From the
first break-away on the motion is periodic.
Assumption: it starts moving with the belt at a place where the belt can hold it.
Source: derivation; the classical stick-slip oscillator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Belt:
    """Closed-form motion; SI units."""

    mass: float = 1.0
    stiffness: float = 2.0
    belt_velocity: float = 0.2
    normal_load: float = 1.0
    static: float = 1.0
    kinetic: float = 0.8
    x0: float = 0.0

    @property
    def omega(self) -> float:
        return math.sqrt(self.stiffness / self.mass)

    @property
    def amplitudes(self) -> tuple[float, float]:
        """A and B of the slip."""
        a = (self.static - self.kinetic) * self.normal_load / self.stiffness
        return a, self.belt_velocity / self.omega

    @property
    def break_away_position(self) -> float:
        return self.static * self.normal_load / self.stiffness

    @property
    def restick_position(self) -> float:
        return (2.0 * self.kinetic - self.static) * self.normal_load / self.stiffness

    @property
    def slip_time(self) -> float:
        a, b = self.amplitudes
        return (2.0 * math.pi - 2.0 * math.atan2(a, b)) / self.omega

    @property
    def stick_time(self) -> float:
        return 2.0 * self.amplitudes[0] / self.belt_velocity

    @property
    def period(self) -> float:
        return self.slip_time + self.stick_time

    @property
    def first_break_away(self) -> float:
        return (self.break_away_position - self.x0) / self.belt_velocity

    def events(self, t_end: float) -> list[tuple[float, str]]:
        """(time, "slip" or "stick") of every mode change up to and including t_end."""
        if not abs(self.x0) <= self.break_away_position:
            raise ValueError("the belt cannot hold the mass at x0")
        out: list[tuple[float, str]] = []
        n = 0
        while True:
            start = math.fsum([self.first_break_away, n * self.stick_time, n * self.slip_time])
            if start > t_end:
                return out
            out.append((start, "slip"))
            end = math.fsum([start, self.slip_time])
            if end > t_end:
                return out
            out.append((end, "stick"))
            n += 1

    def state(self, t: float) -> tuple[float, float]:
        """Position and velocity at any time t >= 0."""
        s = t - self.first_break_away
        if s < 0.0:
            return self.x0 + self.belt_velocity * t, self.belt_velocity
        s = math.fmod(s, self.period)
        if s >= self.slip_time:
            return self.restick_position + self.belt_velocity * (s - self.slip_time), self.belt_velocity
        a, b = self.amplitudes
        w = self.omega
        centre = self.kinetic * self.normal_load / self.stiffness
        x = centre + a * math.cos(w * s) + b * math.sin(w * s)
        return x, w * (b * math.cos(w * s) - a * math.sin(w * s))


PUBLISHED = Belt()
SECOND = Belt(belt_velocity=0.1, static=1.5, kinetic=1.0)
