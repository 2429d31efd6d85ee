"""Independent integrations for the figures, with SciPy alone: bristles under velocity, force or spring.

The flows have a kink at v = 0 only, so every integration is cut there; Radau at rtol 1e-12.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Bristle:
    """LuGre, or with an alpha its extension of second order (states z, y; Fc = 1 N)."""

    s0: float = 1e5
    s1: float = math.sqrt(1e5)
    s2: float = 0.4
    fs: float = 1.5
    fc: float = 1.0
    vs: float = 1e-3
    alpha: float | None = None

    def fall(self, v: float) -> float:
        return math.exp(-((v / self.vs) ** 2))

    def rate(self, v: float, z: float, side: float) -> float:
        level = self.fc + (self.fs - self.fc) * self.fall(v) if self.alpha is None else 1.0
        return v - self.s0 * side * v * z / level

    def second(self, v: float, y: float, side: float) -> float:
        return 0.0 if self.alpha is None else side * self.fall(v) / self.s0 - y

    def force(self, v: float, z: float, y: float, side: float) -> float:
        force = self.s0 * z + self.s1 * self.rate(v, z, side) + self.s2 * v
        if self.alpha is not None:
            force += self.s0 * (self.fs - self.fc) * y + self.alpha * self.second(v, y, side)
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
            forces[k] = law.force(v, float(done.sol(times[k])[0]), 0.0, side)
        z, t, stop = done.y[:, -1], stop, stop + half
        side = 1.0 if offset else -side
    return np.array([velocity(s) for s in times]), forces


def forwards(
    law: Bristle, push: Callable[[float, float, float, float], float], start: float, y: Any, t_end: float
) -> Any:
    """Integrate 1 kg under push(t, x, v, integral of 1 − x) while v > 0: to its first stop after 1 s.

    States x, v, z, y, integral of 1 − x. Returns SciPy's answer, with dense output.
    """

    def rhs(t: float, s: Any) -> list[float]:
        force = law.force(s[1], s[2], s[3], 1.0)
        return [
            s[1],
            push(t, s[0], s[1], s[4]) - force,
            law.rate(s[1], s[2], 1.0),
            law.second(s[1], s[3], 1.0),
            1.0 - s[0],
        ]

    def stops(t: float, s: Any) -> float:
        return float(s[1]) if t > start + 1.0 else 1.0

    stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
    return _solve(rhs, start, t_end, y, [1e-6, 1e-6, 1e-7, 1e-7, 1e-3], stops)


def pushed(
    law: Bristle, push: Callable[[float], float], t_end: float, times: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and friction forces at `times` of 1 kg from rest under push(t), while v > 0."""
    done = forwards(law, lambda t, x, v, i: push(t), 0.0, np.zeros(5), t_end)
    states = done.sol(np.asarray(times, dtype=float))
    return states[0], np.array([law.force(v, z, y, 1.0) for v, z, y in states[1:4].T])


def compensated(model: Bristle, end: float) -> list[Any]:
    """1 kg with LuGre's friction under the hunting PID and an observer of `model`, from rest to `end` (s).

    States x, v, integral of 1 − x, z of the plant, z and y of the model; pieces between the zeros of v, each SciPy's
    answer with dense output. The step of the model's force at v = 0 goes with the motion, so v passes through.
    """
    plant = Bristle()

    def acceleration(s: Any, side: float) -> float:
        x, v, i, z, zh, y = s
        helped = model.force(v, zh, y, side) - plant.force(v, z, 0.0, side)
        return float(3.0 * (1.0 - x) - 6.0 * v + 4.0 * i + helped)

    def rhs(t: float, s: Any, side: float) -> list[float]:
        x, v, _, z, zh, y = s
        rates = plant.rate(v, z, side), model.rate(v, zh, side), model.second(v, y, side)
        return [v, acceleration(s, side), 1.0 - x, *rates]

    scale = np.array([1e-2, 1e-2, 1e-1, 1e-5, 1e-5, 1e-5])
    pieces: list[Any] = []
    t, state, side = 0.0, np.zeros(6), 1.0
    while t < end:

        def zero(now: float, s: Any, way: float, begin: float = t) -> float:
            return float(s[1]) if now > begin + 1e-6 else way

        zero.terminal, zero.direction = True, -side  # type: ignore[attr-defined]
        piece = solve_ivp(
            rhs,
            (t, end),
            state,
            args=(side,),
            method="Radau",
            rtol=1e-11,
            atol=1e-11 * scale,
            dense_output=True,
            events=zero,
        )
        assert piece.success
        pieces.append(piece)
        t, state = float(piece.t[-1]), piece.y[:, -1].copy()
        side = -side
        if t < end:
            state[1] = 0.0
            assert side * acceleration(state, side) > 0.0  # it does not rest there
    return pieces


def rms_error(pieces: list[Any], start: float) -> float:
    """Root of the mean of (x − 1)² from `start` to the end, by Gauss over every step of the integration."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    total, end = 0.0, float(pieces[-1].t[-1])
    for piece in pieces:
        edges = np.unique(np.clip(piece.t, start, None))
        for a, b in itertools.pairwise(edges):
            x = piece.sol(0.5 * (a + b) + 0.5 * (b - a) * nodes)[0]
            total += 0.5 * (b - a) * float(weights @ (x - 1.0) ** 2)
    return math.sqrt(total / (end - start))
