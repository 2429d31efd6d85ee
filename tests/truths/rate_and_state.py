"""A block on a spring with rate-and-state friction under a load that may reverse, phase by phase with SciPy.

Below the velocity `CREEP` the block counts as standing, and its contacts age; above, SciPy's Radau integrates the motion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

CREEP = 1e-10  # m/s
MOST = 1_000_000  # evaluations
Array = NDArray[np.float64]


@dataclass
class Slider:
    """``m x'' + d x' + k x + N F(x', psi) = amplitude sin(2 pi frequency t) + slope t``, from rest."""

    mass: float
    stiffness: float
    damping: float
    load: float
    a: float
    b: float
    slip_distance: float
    f0: float
    v0: float
    slip_law: bool
    amplitude: float
    frequency: float
    slope: float
    evaluations: int = 0

    def push(self, t: float, x: float) -> float:
        """Force of load and spring."""
        return (
            self.amplitude * math.sin(2.0 * math.pi * self.frequency * t)
            + self.slope * t
            - self.stiffness * x
        )

    def friction(self, v: float, psi: float) -> float:
        """Regularised friction force."""
        return (
            self.load * self.a * math.asinh(v / (2.0 * self.v0) * math.exp((self.f0 + self.b * psi) / self.a))
        )

    def ageing(self, v: float, psi: float) -> float:
        """Rate of psi."""
        u = abs(v) / self.v0
        if self.slip_law:
            return -self.v0 * u / self.slip_distance * (math.log(u) + psi) if u > 0.0 else 0.0
        return (self.v0 * math.exp(-psi) - abs(v)) / self.slip_distance

    def _aged(self, psi: float, duration: float) -> float:
        return psi if self.slip_law else math.log(math.exp(psi) + self.v0 * duration / self.slip_distance)

    def _leaves(self, t: float, end: float, x: float, psi: float) -> float | None:
        def beyond(at: float) -> float:
            return abs(self.push(at, x)) - self.friction(CREEP, self._aged(psi, at - t))

        if beyond(t) >= 0.0:
            return t
        grid = np.linspace(t, end, max(2, int((end - t) / 1e-3) + 1))
        values = [beyond(float(at)) for at in grid]
        k = next((i for i, value in enumerate(values) if value > 0.0), None)
        return None if k is None else float(brentq(beyond, grid[k - 1], grid[k], xtol=1e-15))

    def positions(self, times: Array) -> Array:
        """Positions at increasing times from zero; a TimeoutError where Radau needs too many evaluations."""
        t, end, x, psi = 0.0, float(times[-1]), 0.0, 0.0
        out = np.zeros(len(times))
        while t < end:
            leaves = self._leaves(t, end, x, psi)
            until = end if leaves is None else leaves
            out[times >= t] = x
            psi = self._aged(psi, until - t)
            t = until
            if leaves is None:
                break
            side = 1.0 if self.push(t, x) > 0.0 else -1.0
            t, x, psi = self._slide(t, x, side, psi, times, out)
        return out

    def _slide(
        self, t: float, x: float, side: float, psi: float, times: Array, out: Array
    ) -> tuple[float, float, float]:
        def rates(at: float, y: Array) -> list[float]:
            self.evaluations += 1
            if self.evaluations > MOST:
                raise TimeoutError
            pull = self.push(at, y[0]) - self.damping * y[1] - self.friction(y[1], y[2])
            return [y[1], pull / self.mass, self.ageing(y[1], y[2])]

        def stands(_: float, y: Array) -> float:
            return float(side * y[1] - 0.5 * CREEP)

        stands.terminal, stands.direction = True, -1.0  # type: ignore[attr-defined]
        found = solve_ivp(
            rates, (t, float(times[-1])), [x, side * CREEP, psi], "Radau", events=stands, dense_output=True,
            rtol=1e-7, atol=[1e-12, 1e-12, 1e-10],
        )  # fmt: skip
        assert found.success, found.message
        during = (times >= t) & (times <= found.t[-1])
        if during.any():
            out[during] = found.sol(times[during])[0]
        return float(found.t[-1]), float(found.y[0, -1]), float(found.y[2, -1])
