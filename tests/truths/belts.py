"""Blocks on a belt with stick, from event to event with SciPy: Galvanetto's two blocks, Popp and Stelter's forced block."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

STICK = 0
CLOSE = 1e-9  # relative velocity of a block that has reached the belt


@dataclass
class Belt:
    """``x'' + C x' + K x = f + u`` with unit masses and one friction element per block, on a belt of one velocity.

    In slip f = kinetic(|v|) against the relative velocity; in stick |f| <= static. The force u = amplitude sin(omega t)
    acts on the first block.
    """

    stiffness: Array
    damping: Array
    static: Array
    kinetic: Callable[[Array], Array]
    speed: float
    amplitude: float = 0.0
    omega: float = 1.0
    maxima: list[tuple[float, float]] = field(
        default_factory=list
    )  # time and position of turns of the first block

    def load(self, t: float, x: Array, v: Array) -> Array:
        """Forces of springs, dampers and excitation."""
        out: Array = -self.stiffness @ x - self.damping @ v
        out[0] += self.amplitude * math.sin(self.omega * t)
        return out

    def rates(self, modes: list[int], t: float, y: Array) -> Array:
        """Velocities and accelerations; blocks in stick move with the belt."""
        n = len(modes)
        x, v = y[:n], y[n:]
        sign = np.array(modes, dtype=float)
        a = self.load(t, x, v) + sign * self.kinetic(np.abs(self.speed - v))
        a[sign == STICK] = 0.0
        return np.concatenate([v, a])

    def choose(self, t: float, y: Array, modes: list[int]) -> list[int]:
        """Modes after an event: a block at the velocity of the belt sticks if the static level holds it."""
        n = len(modes)
        x, v = y[:n], y[n:]
        load = self.load(t, x, v)
        out = list(modes)
        for k in range(n):
            relative = self.speed - v[k]
            if abs(relative) > CLOSE:
                out[k] = 1 if relative > 0.0 else -1
            elif modes[k] != STICK or abs(load[k]) > self.static[k] * (1.0 - 1e-12):
                held = abs(load[k]) < self.static[k] * (1.0 - 1e-12)
                out[k] = STICK if held else (1 if load[k] < 0.0 else -1)
        return out

    def advance(self, t: float, y: Array, t_end: float) -> Array:
        """Move to a time; `maxima` collects the turns of the first block on the way."""
        n = y.size // 2
        modes = self.choose(t, y, [1] * n)
        while t < t_end:
            events = []
            for k, mode in enumerate(modes):
                if mode == STICK:
                    for sign in (1.0, -1.0):
                        events.append(self._leaves(k, sign, n))
                else:
                    events.append(self._meets(k, n, mode))
            turns = self._turns(n)
            run = solve_ivp(
                lambda t, y, modes=modes: self.rates(modes, t, y),
                (t, t_end),
                y,
                "DOP853",
                events=[*events, turns],
                rtol=1e-11,
                atol=1e-12,
            )
            self.maxima += [
                (float(s), float(at[0])) for s, at in zip(run.t_events[-1], run.y_events[-1], strict=True)
            ]
            t, y = float(run.t[-1]), np.array(run.y[:, -1])
            if run.status != 1:
                break
            for k in range(n):
                if abs(self.speed - y[n + k]) < 1e-7:
                    y[n + k] = self.speed
            modes = self.choose(t, y, modes)
        return y

    def _leaves(self, k: int, sign: float, n: int) -> Callable[[float, Array], float]:
        def event(t: float, y: Array) -> float:
            return self.static[k] - sign * float(self.load(t, y[:n], y[n:])[k])

        event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        return event

    def _meets(self, k: int, n: int, mode: int) -> Callable[[float, Array], float]:
        def event(t: float, y: Array) -> float:
            return mode * (self.speed - float(y[n + k]))

        event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        return event

    def _turns(self, n: int) -> Callable[[float, Array], float]:
        def event(t: float, y: Array) -> float:
            return float(y[n])

        event.direction = -1.0  # type: ignore[attr-defined]
        return event


def two_blocks(speed: float) -> Belt:
    """Two blocks coupled by a spring of stiffness 1.2, static levels 1 and 1.3 (Galvanetto, Bishop, Briseghella 1995)."""
    static = np.array([1.0, 1.3])
    return Belt(
        np.array([[2.2, -1.2], [-1.2, 2.2]]),
        np.zeros((2, 2)),
        static,
        lambda v: static / (1.0 + 3.0 * v),
        speed,
    )


def forced_block(omega: float) -> Belt:
    """One block with harmonic force 0.5 (after Popp, Stelter 1990): friction 0.4 to 0.25 over the velocity."""
    return Belt(
        np.array([[1.0]]),
        np.array([[0.0]]),
        np.array([1.0]),
        lambda v: 0.5 + 0.5 / (1.0 + 2.0 * v),
        0.5,
        amplitude=0.3,
        omega=omega,
    )
