"""A gear whose teeth rub, event by event: SciPy between the events, the logic of the modes written out by hand.

Shafts 1 and 2 with inertias J and torques T; flank f = +1 or -1 pushes shaft 1 by f L and shaft 2 by -i f L, and rubs
them by -F and -i F, |F| <= m L, since its points slide on each other at w1 + i w2. A bearing on shaft 1 takes
B + c |w1| (B at rest). On a flank w1 = i w2 = w, so

    J1 w' = T1 - b + f L - F,        J2 w'/i = T2 - i (f L + F),

with F = s m L, b = s (B + c |w|) in the direction s of w. With the torque T_a = F - f L into the teeth, that into shaft 2
is i e T_a, e = (1 - m)/(1 + m) where shaft 1 drives and its inverse where it is driven: the gear with mesh efficiency e
of the Modelica Standard Library (Pelchen, Schweiger, Otter 2002, Modeling and simulating the efficiency of gearboxes
and of planetary gearboxes, equations 9 to 16).

At rest F = (T1 + T2/i - b)/2 and f L = (T2/i - T1 + b)/2 with any b of the bearing, |b| <= B. For m < 1 the reserve
m L - F grows with b and m L + F falls, so the gear is locked while the first is positive at b = B, the second at b = -B,
and f T2 > 0 (both at once can be had); it breaks away forwards where the first is lost and backwards where the second is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Torque = Callable[[float], float]
Guards = dict[str, Callable[[float, np.ndarray], float]]


@dataclass
class LossyGear:
    """The gear; its state is (turn 1, turn 2, speed 1, speed 2), its mode (flank, direction)."""

    inertia: tuple[float, float]
    ratio: float
    friction: float
    torque: tuple[Torque, Torque]
    bearing: tuple[float, float] = (0.0, 0.0)
    backlash: float = 0.0

    def gap(self, flank: int, y: np.ndarray) -> float:
        """Gap of a flank, on shaft 1; half of the backlash is on either side."""
        return flank * (y[0] - self.ratio * y[1]) + 0.5 * self.backlash

    def rub(self, t: float, w: float, side: int) -> float:
        """Torque of the bearing; at rest (side 0) that which holds shaft 1 in flight."""
        if side == 0:
            return self.torque[0](t)
        return side * self.bearing[0] + self.bearing[1] * w

    def pushed(self, t: float, y: np.ndarray, flank: int, side: int) -> tuple[float, float]:
        """(w', L) on a flank that slides in the direction `side`."""
        i, m = self.ratio, self.friction
        left = np.array(
            [
                [self.inertia[0], -(flank - side * m)],
                [self.inertia[1] / i, i * (flank + side * m)],
            ]
        )
        right = [self.torque[0](t) - self.rub(t, y[2], side), self.torque[1](t)]
        rate, force = np.linalg.solve(left, right)
        return float(rate), float(force)

    def held(self, t: float, flank: int, side: int) -> float:
        """Reserve of a locked gear against break-away to a side; the bearing does what it can against it."""
        one, two = self.torque[0](t), self.torque[1](t) / self.ratio
        b = side * self.bearing[0]
        return 0.5 * (self.friction * flank * (two - one + b) - side * (one + two - b))

    def rates(self, t: float, y: np.ndarray, flank: int, side: int, locked: bool) -> np.ndarray:
        """Derivative of the state in a mode."""
        if locked:
            return np.zeros(4)
        if flank:
            rate, _ = self.pushed(t, y, flank, side)
            return np.array([y[2], y[3], rate, rate / self.ratio])
        one = (self.torque[0](t) - self.rub(t, y[2], side)) / self.inertia[0]
        return np.array([y[2], y[3], one, self.torque[1](t) / self.inertia[1]])

    def guards(self, flank: int, side: int, locked: bool) -> Guards:
        """Margins of a mode, which ends when one falls to zero."""
        if locked:
            return {
                "forwards": lambda t, y: self.held(t, flank, 1),
                "backwards": lambda t, y: self.held(t, flank, -1),
                "parts": lambda t, y: flank * self.torque[1](t),
            }
        found: Guards = {}
        if flank:
            found["parts"] = lambda t, y: self.pushed(t, y, flank, side)[1]
        else:
            found["strikes +"] = lambda t, y: self.gap(1, y)
            found["strikes -"] = lambda t, y: self.gap(-1, y)
        if side and (flank or self.bearing[0] > 0.0):
            found["stops"] = lambda t, y: side * y[2]
        elif not flank and self.bearing[0] > 0.0:
            found["forwards"] = lambda t, y: self.bearing[0] - self.torque[0](t)
            found["backwards"] = lambda t, y: self.bearing[0] + self.torque[0](t)
        return found

    def after_impact(self, y: np.ndarray, flank: int) -> np.ndarray:
        """Speeds after an impact without restitution; the flank rubs with at most m times its impulse."""
        m, i = self.friction, self.ratio
        normal, along = flank * np.array([1.0, -i]), np.array([1.0, i])
        v, free = y[2:], 1.0 / np.array(self.inertia)
        for side in (1, -1):
            push = normal - side * m * along
            impulse = -(normal @ v) / (normal @ (free * push))
            after = v + impulse * free * push
            if impulse >= 0.0 and side * (along @ after) > 0.0:
                return after
        return np.zeros(2)

    def at_rest(self, t: float, flank: int) -> tuple[int, bool]:
        """Direction in which a gear at rest starts, or that it is locked; in flight this is so for the bearing."""
        if flank:
            lost = [side for side in (1, -1) if self.held(t, flank, side) < 0.0]
        else:
            lost = [side for side in (1, -1) if side * self.torque[0](t) > self.bearing[0]]
        return (lost[0], False) if lost else (0, flank != 0)

    def run(self, t_end: float, y: np.ndarray, flank: int) -> tuple[list[tuple[float, str]], np.ndarray]:
        """Events (time, what happens) from a rest on a flank, and the state at the end."""
        t, events = 0.0, []
        side, locked = self.at_rest(t, flank)
        while t < t_end:
            guards = self.guards(flank, side, locked)
            fresh = flank, side, locked
            t, y, what = first(lambda s, z, m=fresh: self.rates(s, z, *m), guards, t, y, t_end)
            if what is None:
                break
            events.append((t, what))
            if what == "stops":
                y[2] = 0.0
                if flank:
                    y[3] = 0.0
                side, locked = self.at_rest(t, flank)
            elif what.startswith("strikes"):
                flank = 1 if what.endswith("+") else -1
                y[0] += -flank * self.gap(flank, y)
                y[2:] = self.after_impact(y, flank)
                side, locked = (int(np.sign(y[2])), False) if y[2] else self.at_rest(t, flank)
                if not locked and self.pushed(t, y, flank, side)[1] < 0.0:
                    flank = 0
            elif what == "parts":
                flank, locked = 0, False
            else:
                side, locked = (1 if what == "forwards" else -1), False
        return events, y


SOLVER = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}


def first(
    rates: Callable[[float, np.ndarray], np.ndarray], guards: Guards, t: float, y: np.ndarray, t_end: float
) -> tuple[float, np.ndarray, str | None]:
    """The first guard that falls to zero: a root of DOP853's interpolant, and the step repeated up to it."""
    armed = {name: g(t, y) > 0.0 for name, g in guards.items()}
    while t < t_end:
        to = min(t + 0.02, t_end)
        done = solve_ivp(rates, (t, to), y, dense_output=True, **SOLVER)
        found = []
        for name, g in guards.items():
            value = lambda s, g=g, y=done.sol: g(s, y(s))  # noqa: E731
            for a, b in pairwise(np.linspace(t, to, 41)):
                if armed[name] and value(b) <= 0.0 < value(a):
                    found.append((brentq(value, a, b, xtol=1e-15, rtol=1e-15), name))
                    break
                armed[name] = armed[name] or value(b) > 0.0
        if found:
            at, name = min(found)
            if at > t:
                y = solve_ivp(rates, (t, at), y, **SOLVER).y[:, -1]
            return at, y.copy(), name
        t, y = to, done.y[:, -1]
    return t, y, None
