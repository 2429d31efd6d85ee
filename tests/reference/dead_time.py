"""Block on a belt whose dry friction follows the velocity one dead time ago: the method of steps, by SciPy.

m x'' + k x = -F, u = x' - v_belt; sliding: F = [fk + (fs - fk) exp(-(|u(t - tau)|/vs)^2)] sgn u + b u, the exponential
being 1 where the block stuck at t - tau; sticking: |k x| <= fs. The history is a list of dense solutions; intervals end
at events, at their returns after tau, 2 tau, ... 8 tau, and are no longer than tau/3.

Source: Armstrong-Helouvry, Dupont, Canudas de Wit, Automatica 30 (1994) 1083-1138, the seven-parameter model: the
velocity of the Stribeck term is that of the time before; direction and viscous part are those of the moment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


@dataclass
class Belt:
    mass: float = 1.0
    stiffness: float = 2.0
    belt: float = 0.2
    static: float = 1.0
    kinetic: float = 0.6
    stribeck_velocity: float = 0.1
    viscous: float = 0.05
    tau: float = 0.05
    pieces: list = field(default_factory=list)  # (start, end, solution or None where it sticks)
    events: list = field(default_factory=list)  # (time, "stick" or "slip")

    def then(self, t: float, v0: float) -> float:
        """|u(t - tau)|; that of the start before it."""
        past = t - self.tau
        for start, end, solution in reversed(self.pieces):
            if past >= start - 1e-13:
                return 0.0 if solution is None else abs(solution(min(past, end))[1] - self.belt)
        return abs(v0 - self.belt)

    def dry(self, speed: float) -> float:
        return self.kinetic + (self.static - self.kinetic) * math.exp(
            -((speed / self.stribeck_velocity) ** 2)
        )

    def run(self, x: float, v: float, t_end: float, sticks: bool = False) -> np.ndarray:
        """Position and velocity at t_end; events and pieces are kept."""
        t, v0, joints = 0.0, v, {0.0}
        while t < t_end:
            if sticks:
                leave = (self.static / self.stiffness - x) / self.belt  # k x grows at k v_belt up to fs
                end = min(t + leave, t_end)
                self.pieces.append((t, end, None))
                x, v, t = x + self.belt * (end - t), self.belt, end
                if t == t_end:
                    break
                self.events.append((t, "slip"))
                joints.add(t)
                sticks, side = False, -1.0
            else:
                side = math.copysign(1.0, v - self.belt)
            returns = [j + n * self.tau for j in joints for n in range(1, 9)]
            end = min([r for r in returns if r > t + 1e-12] + [t + self.tau / 3, t_end])
            start, before = t, (x, v)

            def rates(s: float, y: np.ndarray, side: float = side) -> list[float]:
                friction = side * self.dry(self.then(s, v0)) + self.viscous * (y[1] - self.belt)
                return [y[1], (-self.stiffness * y[0] - friction) / self.mass]

            solved = solve_ivp(rates, (t, end), [x, v], "DOP853", dense_output=True, rtol=1e-13, atol=1e-15)
            solution = solved.sol
            x, v = solved.y[:, -1]
            over = side * (v - self.belt)
            if over < 0.0 and start not in [e[0] for e in self.events if e[1] == "slip"]:
                end = brentq(lambda s: solution(s)[1] - self.belt, start, end, xtol=1e-15)  # noqa: B023
                x, v = solution(end)
                sticks = abs(self.stiffness * x) <= self.static
                assert sticks, "only motions that stop within the static level"
                v = self.belt
                self.events.append((end, "stick"))
                joints.add(end)
            assert over > 0.0 or sticks, before
            self.pieces.append((start, end, solution))
            t = end
        return np.array([x, v])
