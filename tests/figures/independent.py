"""Independent integrations for the figures, with SciPy alone: bristles under a given velocity, force or spring.

The flows have a kink at v = 0 only, so every integration is cut there; Radau at rtol 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Bristle:
    """LuGre, and for alpha = s0 (Fs - Fc) its extension of second order, in which y then cancels out."""

    s0: float = 1e5
    s1: float = math.sqrt(1e5)
    s2: float = 0.4
    fs: float = 1.5
    fc: float = 1.0
    vs: float = 1e-3
    extended: bool = False

    def rate(self, v: float, z: float, side: float) -> float:
        level = 1.0 if self.extended else self.fc + (self.fs - self.fc) * math.exp(-((v / self.vs) ** 2))
        return v - self.s0 * side * v * z / level

    def force(self, v: float, z: float, side: float) -> float:
        force = self.s0 * z + self.s1 * self.rate(v, z, side) + self.s2 * v
        if self.extended:  # Fc = 1 N: sigma0 Fc z is sigma0 z
            force += side * (self.fs - self.fc) * math.exp(-((v / self.vs) ** 2))
        return force


def _solve(rhs: Any, start: float, end: float, y: Any, scale: Any, event: Any = None) -> Any:
    done = solve_ivp(
        rhs,
        (start, end),
        y,
        method="Radau",
        rtol=1e-12,
        atol=1e-12 * np.asarray(scale),
        dense_output=True,
        events=event,
    )
    assert done.success
    return done


def under_sine(
    law: Bristle, amplitude: float, omega: float, times: Any, offset: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and force at `times` > 0 for v = amplitude sin(omega t) + offset; offset is 0 or amplitude."""
    times = np.asarray(times, dtype=float)
    half = (2.0 if offset else 1.0) * math.pi / omega

    def velocity(t: float) -> float:
        return amplitude * math.sin(omega * t) + offset

    z, forces, t = np.zeros(1), np.empty_like(times), 0.0
    # With an offset v touches zero once a period, at 3/4 of it, and keeps its sign.
    first = 0.75 * half if offset else half
    stop, side = first, 1.0
    while t < times.max():
        done = _solve(lambda s, y, d=side: [law.rate(velocity(s), y[0], d)], t, stop, z, [1.0 / law.s0])
        for k in np.flatnonzero((times > t) & (times <= stop)):
            v = velocity(times[k])
            forces[k] = law.force(v, float(done.sol(times[k])[0]), side)
        z, t, stop = done.y[:, -1], stop, stop + half
        side = 1.0 if offset else -side
    return np.array([velocity(s) for s in times]), forces


def pushed(
    law: Bristle,
    push: Callable[[float], float],
    t_end: float,
    times: Any,
    start: float = 0.0,
    mass: float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and friction forces at `times` while v > 0, under the force push(t), from rest at `start`."""

    def rhs(t: float, y: Any) -> list[float]:
        return [y[1], (push(t) - law.force(y[1], y[2], 1.0)) / mass, law.rate(y[1], y[2], 1.0)]

    done = _solve(rhs, start, t_end, np.zeros(3), [1e-6, 1e-6, 1e-6])
    states = done.sol(np.asarray(times, dtype=float))
    friction = [law.force(v, z, 1.0) for v, z in states[1:].T]
    return states[0], np.array(friction)


def first_stop(law: Bristle, stiffness: float, speed: float, start: float) -> tuple[float, float]:
    """Time and place at which a mass of 1 kg, pulled by a spring from `start` on, first stops again."""

    def rhs(t: float, y: Any) -> list[float]:
        pull = stiffness * (speed * t - y[0])
        return [y[1], pull - law.force(y[1], y[2], 1.0), law.rate(y[1], y[2], 1.0)]

    def stops(t: float, y: Any) -> float:
        return float(y[1]) if t > start + 3.0 else 1.0

    stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
    done = _solve(rhs, start, start + 30.0, np.zeros(3), [1e-3, 1e-5, 1e-7], stops)
    return float(done.t_events[0][0]), float(done.y_events[0][0][0])
