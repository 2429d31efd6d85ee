"""Rigid limit of the two LuGre experiments: the same mass with a Stribeck curve and an exact stick mode.

Slip: `F = [Fc + (Fs - Fc) exp(-(v/vs)^2)] sgn v + s2 v`; stick: |F| <= Fs; unit normal load, values as in
lugre.py.
* pull: stick ends when k (V t - x) = Fs, in closed form; slip is integrated to v = 0.
* hunting: `u = -Kp (x - xd) - Kv v - Ki I`; in stick v = 0 and I grows linearly, so u reaches +-Fs in closed
  form.

After v = 0 the mass sticks if the external force is within +-Fs, else it goes on the other way (a reversal).
At break-away v = v' = 0 and v'' > 0 in the direction of the force, so slip begins without a choice.

Source: derivation; experiments of Canudas de Wit et al. 1995.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .phases import Watch, slide

FC, FS, VS, S2 = 1.0, 1.5, 1e-3, 0.4

Event = tuple[float, str]


def _friction(v: float, sign: float) -> float:
    return sign * (FC + (FS - FC) * math.exp(-((v / VS) ** 2))) + S2 * v


def _name(sign: float) -> str:
    return "slip+" if sign > 0.0 else "slip-"


def pull(
    t_end: float = 40.0,
    solver: str = "collocation",
    rtol: float = 1e-13,
    mass: float = 1.0,
    stiffness: float = 2.0,
    speed: float = 0.1,
    watch: Watch | None = None,
) -> tuple[list[Event], np.ndarray]:
    """(time, new mode) of every event, and (x, v) at t_end."""
    atol = rtol * np.array([1e-3, 1e-4])
    events: list[Event] = []
    t, y = 0.0, np.zeros(2)
    while True:
        start = (FS / stiffness + y[0]) / speed  # stick ends here, forwards: the spring force only grows
        if start > t_end:
            return events, y
        t, sign = max(t, start), 1.0
        events.append((float(t), _name(sign)))
        while True:

            def rhs(time: float, s: Any, d: float = sign) -> list[float]:
                return [s[1], (stiffness * (speed * time - s[0]) - _friction(s[1], d)) / mass]

            t, y, fired = slide(
                rhs,
                t,
                y,
                t_end,
                lambda s, d=sign: d * s[1],
                8.0 * VS,
                solver=solver,
                rtol=rtol,
                atol=atol,
                watch=watch,
            )
            if fired is None:
                return events, y
            y[1] = 0.0
            force = stiffness * (speed * t - y[0])
            if abs(force) <= FS:
                events.append((float(t), "stick"))
                break
            sign = math.copysign(1.0, force)
            events.append((float(t), _name(sign)))


def hunting(
    t_out: list[float],
    solver: str = "collocation",
    rtol: float = 1e-13,
    mass: float = 1.0,
    kp: float = 3.0,
    kv: float = 6.0,
    ki: float = 4.0,
    target: float = 1.0,
    watch: Watch | None = None,
) -> tuple[list[Event], np.ndarray]:
    """(time, new mode) of every event, (x, v, I) at ``t_out`` (rows). Starts in slip: u(0) = Kp*xd > Fs."""
    atol = rtol * np.array([1e-3, 1e-4, 1e-3])
    events: list[Event] = [(0.0, "slip+")]
    t, y, sign = 0.0, np.zeros(3), 1.0
    states = []
    for stop in t_out:
        while t < stop:
            if sign == 0.0:
                error = y[0] - target
                u = -kp * error - ki * y[2]
                # u(t) = u - ki*error*(t - t0): towards the limit whose sign is that of -error
                way = math.copysign(1.0, -error)
                dt = (FS - way * u) / (ki * abs(error)) if error != 0.0 else math.inf
                if t + dt > stop:
                    y[2] += error * (stop - t)
                    t = stop
                    break
                t, y[2], sign = t + dt, y[2] + error * dt, way
                events.append((float(t), _name(sign)))

            def rhs(_t: float, s: Any, d: float = sign) -> list[float]:
                e = s[0] - target
                return [s[1], (-kp * e - kv * s[1] - ki * s[2] - _friction(s[1], d)) / mass, e]

            t, y, fired = slide(
                rhs,
                t,
                y,
                stop,
                lambda s, d=sign: d * s[1],
                8.0 * VS,
                solver=solver,
                rtol=rtol,
                atol=atol,
                watch=watch,
            )
            if fired is None:
                break
            y[1] = 0.0
            u = -kp * (y[0] - target) - ki * y[2]
            sign = 0.0 if abs(u) <= FS else math.copysign(1.0, u)
            events.append((float(t), "stick" if sign == 0.0 else _name(sign)))
        states.append(y.copy())
    return events, np.array(states)
