"""LuGre block: pulled by a spring (stick-slip), and under a PID (hunting), by tight integration.

`z' = v - |v|/g(v) z`, `F = s0 z + s1 z' + s2 v`, `s0 g(v) = Fc + (Fs - Fc) exp(-(v/vs)^2)`, unit normal load,
s0 = 1e5, s1 = sqrt(1e5), s2 = 0.4, Fc = 1, Fs = 1.5, vs = 0.001, m = 1 kg.
* pull: `m v' = k (V t - x) - F`, k = 2 N/m, V = 0.1 m/s, from rest at x = z = 0.
* hunting: `m v' = u - F`, `u = -Kp (x - xd) - Kv v - Ki I`, `I' = x - xd`, Kv = 6, Kp = 3, Ki = 4, xd = 1,
  from rest.

The flow has a kink at v = 0 only, so the run is cut there: a phase has one sign of v, the next one begins
with v = 0 set exactly and the sign of v' (v = 0 and v' = 0 together do not occur after the start).

Source: Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE TAC 40 (1995) 419-425 (law, values and experiments).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .phases import Watch, advance


@dataclass(frozen=True)
class LuGre:
    s0: float = 1e5
    s1: float = math.sqrt(1e5)
    s2: float = 0.4
    fc: float = 1.0
    fs: float = 1.5
    vs: float = 1e-3

    def force(self, v: float, z: float, sign: float) -> tuple[float, float]:
        """F and z' with |v| = sign*v."""
        g = (self.fc + (self.fs - self.fc) * math.exp(-((v / self.vs) ** 2))) / self.s0
        rate = v - sign * v / g * z
        return self.s0 * z + self.s1 * rate + self.s2 * v, rate

    def gradient(self, v: float, z: float, sign: float) -> tuple[float, float, float, float]:
        """dF/dv, dF/dz, dz'/dv, dz'/dz."""
        bump = (self.fs - self.fc) * math.exp(-((v / self.vs) ** 2))
        g = (self.fc + bump) / self.s0
        slope = -2.0 * v / self.vs**2 * bump / self.s0
        rate_v = 1.0 - sign * z / g + sign * v * z * slope / g**2
        rate_z = -sign * v / g
        return self.s1 * rate_v + self.s2, self.s0 + self.s1 * rate_z, rate_v, rate_z


TABLE_I = LuGre()


def _run(
    forward: Any, t_out: list[float], y: np.ndarray, solver: str, rtol: float, atol: Any, watch: Watch | None
) -> tuple[np.ndarray, list[float]]:
    t, sign = 0.0, 1.0
    reversals: list[float] = []
    # in steady slip z' is zero to the last bit, so an explicit pair sees no error and outgrows its region of
    # stability (rate up to s0*|v|/Fc = 6e4 1/s); only a limit on the step keeps it honest
    max_step = 8e-5 if solver == "dop853" else np.inf
    states = []
    rhs = {s: forward(s)[0] for s in (1.0, -1.0)}
    jac = {s: forward(s)[1] for s in (1.0, -1.0)}
    for stop in t_out:
        while True:
            guards = {"v": lambda _t, y, s=sign: s * y[1]}
            t, y, fired = advance(
                rhs[sign],
                t,
                y,
                stop,
                guards,
                solver=solver,
                rtol=rtol,
                atol=atol,
                jac=jac[sign],
                watch=watch,
                max_step=max_step,
            )
            if fired is None:
                break
            y[1] = 0.0
            sign = math.copysign(1.0, rhs[sign](t, y)[1])
            reversals.append(float(t))
        states.append(y.copy())
    return np.array(states), reversals


def pull(
    t_out: list[float],
    solver: str = "collocation",
    rtol: float = 1e-13,
    law: LuGre = TABLE_I,
    mass: float = 1.0,
    stiffness: float = 2.0,
    speed: float = 0.1,
    watch: Watch | None = None,
) -> tuple[np.ndarray, list[float]]:
    """States (x, v, z) at ``t_out`` (rows) and the times of the reversals of v."""

    def forward(sign: float) -> Any:
        def rhs(t: float, y: Any) -> list[float]:
            force, rate = law.force(y[1], y[2], sign)
            return [y[1], (stiffness * (speed * t - y[0]) - force) / mass, rate]

        def jac(_t: float, y: Any) -> list[list[float]]:
            fv, fz, rv, rz = law.gradient(y[1], y[2], sign)
            return [[0.0, 1.0, 0.0], [-stiffness / mass, -fv / mass, -fz / mass], [0.0, rv, rz]]

        return rhs, jac

    atol = rtol * np.array([1e-3, 1e-5, 1e-7])
    return _run(forward, t_out, np.zeros(3), solver, rtol, atol, watch)


def hunting(
    t_out: list[float],
    solver: str = "collocation",
    rtol: float = 1e-13,
    law: LuGre = TABLE_I,
    mass: float = 1.0,
    kp: float = 3.0,
    kv: float = 6.0,
    ki: float = 4.0,
    target: float = 1.0,
    watch: Watch | None = None,
) -> tuple[np.ndarray, list[float]]:
    """States (x, v, z, I) at ``t_out`` (rows) and the times of the reversals of v."""

    def forward(sign: float) -> Any:
        def rhs(_t: float, y: Any) -> list[float]:
            force, rate = law.force(y[1], y[2], sign)
            error = y[0] - target
            return [y[1], (-kp * error - kv * y[1] - ki * y[3] - force) / mass, rate, error]

        def jac(_t: float, y: Any) -> list[list[float]]:
            fv, fz, rv, rz = law.gradient(y[1], y[2], sign)
            return [
                [0.0, 1.0, 0.0, 0.0],
                [-kp / mass, (-kv - fv) / mass, -fz / mass, -ki / mass],
                [0.0, rv, rz, 0.0],
                [1.0, 0.0, 0.0, 0.0],
            ]

        return rhs, jac

    atol = rtol * np.array([1e-3, 1e-5, 1e-7, 1e-3])
    return _run(forward, t_out, np.zeros(4), solver, rtol, atol, watch)
