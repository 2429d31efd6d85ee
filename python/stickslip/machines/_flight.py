"""Free flight of the two bodies of a gear: one falls, the other swings on its spring."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise


def bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root in [low, high] to machine precision; the signs at the ends must differ."""
    at_low = function(low)
    if at_low == 0.0:
        return low
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            # The end where the sign has changed: the event lies in the half-open interval (low, high].
            return high
        if (function(middle) > 0.0) == (at_low > 0.0):
            low = middle
        else:
            high = middle


@dataclass(frozen=True)
class Flight:
    """Relative motion of upper body and lower body without contact.

    The upper body moves freely under its load, the lower one on a spring whose end moves at constant velocity: gap(τ) =
    c·(u·τ − F·τ²/2m1) + s·(v0·τ + w0 − w(τ)), w(τ) = w0·cos ωτ + (v0 − x)/ω·sin ωτ, with the velocities u and x of the
    two bodies at take-off. Its second derivative is s·ω²·(w − w_open), so that its inflections are known in closed
    form, and between them every root is isolated.
    """

    sine: float
    cosine: float
    fall: float
    """Downward acceleration F/m1 of the upper body, m/s²."""
    omega: float
    """Angular frequency of the lower body on its spring, rad/s."""
    pull_velocity: float
    extension: float
    """Spring extension at take-off, m."""
    upper_velocity: float = 0.0
    lower_velocity: float = 0.0

    def spring(self, time: float) -> float:
        """Spring extension, m."""
        rate = (self.pull_velocity - self.lower_velocity) / self.omega
        return self.extension * math.cos(self.omega * time) + rate * math.sin(self.omega * time)

    def velocities(self, time: float) -> tuple[float, float]:
        """Velocities of upper and lower body, m/s."""
        rate = self.pull_velocity - self.lower_velocity
        extension_rate = rate * math.cos(self.omega * time) - self.extension * self.omega * math.sin(
            self.omega * time
        )
        return self.upper_velocity - self.fall * time, self.pull_velocity - extension_rate

    def gap(self, time: float) -> float:
        """Gap, m."""
        upper = self.upper_velocity * time - 0.5 * self.fall * time * time
        # 1 − cos as 2·sin² : no cancellation just after take-off, where the gap grows with the second power
        # of time.
        half = math.sin(0.5 * self.omega * time)
        rate = (self.pull_velocity - self.lower_velocity) / self.omega
        lower = (
            self.pull_velocity * time
            + 2.0 * self.extension * half * half
            - rate * math.sin(self.omega * time)
        )
        return self.cosine * upper + self.sine * lower

    def gap_velocity(self, time: float) -> float:
        """Rate of change of the gap, m/s."""
        upper, lower = self.velocities(time)
        return self.cosine * upper + self.sine * lower

    def _inflections(self, horizon: float) -> list[float]:
        rate = (self.pull_velocity - self.lower_velocity) / self.omega
        amplitude = math.hypot(self.extension, rate)
        level = self.cosine * self.fall / (self.sine * self.omega**2)
        if amplitude <= level:
            return []
        phase, half = math.atan2(rate, self.extension), math.acos(level / amplitude)
        times = []
        for turn in range(int(horizon * self.omega / (2.0 * math.pi)) + 2):
            for angle in (phase - half, phase + half):
                time = (angle + 2.0 * math.pi * turn) / self.omega
                if 0.0 < time < horizon:
                    times.append(time)
        return sorted(times)

    def _pieces(self) -> list[float]:
        """Times between which the gap is monotone, from 0 to a time at which it is certainly closed."""
        amplitude = math.hypot(self.extension, (self.pull_velocity - self.lower_velocity) / self.omega)
        # gap ≤ p·τ + r − q·τ²: negative beyond the larger root of the right side.
        p = self.cosine * max(self.upper_velocity, 0.0) + self.sine * max(self.pull_velocity, 0.0)
        r = self.sine * (abs(self.extension) + amplitude)
        q = 0.5 * self.cosine * self.fall
        horizon = 1.01 * (p + math.sqrt(p * p + 4.0 * q * r)) / (2.0 * q) + 1e-3 / self.omega
        knots = [0.0, *self._inflections(horizon), horizon]
        times = [0.0]
        for left, right in pairwise(knots):
            at_left, at_right = self.gap_velocity(left), self.gap_velocity(right)
            if (at_left < 0.0 < at_right) or (at_right < 0.0 < at_left):
                times.append(bisect(self.gap_velocity, left, right))
            times.append(right)
        return times

    def meeting_time(self) -> float:
        """Time from take-off until the gap closes for the first time, s."""
        times = self._pieces()
        for left, right in pairwise(times):
            if self.gap(right) <= 0.0:
                return bisect(self.gap, left, right) if self.gap(left) > 0.0 else left
        raise AssertionError("the gap is open at its own upper bound")

    def greatest_gap(self) -> tuple[float, float]:
        """Time and size of the greatest gap before the bodies meet again, s and m."""
        end = self.meeting_time()
        times = [time for time in self._pieces() if time <= end]
        best = max(times, key=self.gap)
        return best, self.gap(best)
