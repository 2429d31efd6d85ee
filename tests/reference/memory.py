"""Pulled spring with frictional memory, dwell and elastic presliding: the runs of figures 4.2 - 4.5.

A mass m at rest on its guide; a spring c whose free end moves at vd pulls it: spring force c (vd t - x).
* base: slip `F = [fS(|v|) + b |v|] sgn v`, `fS(v) = Fk + (peak - Fk) exp(-v/vs)` with peak = Fs; stick up to
  Fs.
* lag: in slip fS is replaced by f with `T f' + f = fS(|v|)`; at break-away f = Fs.
* dwell: stick entered with f = fa holds up to `fa + (Fs - fa) tau/(tau + Td)`, tau since then (the first
  stick is fully aged: Fs); what it held at break-away is the start of f and the peak of fS until the next
  stick.
* presliding: in stick the force is `k s + bs s'`, s' = v, k = Fs/s_max, from s = fa sgn(v)/k at the end of a
  slip, s = 0 at the start; break-away when |k s + bs v| passes the limit above with v in its direction, f
  then being the limit less b |v|, so that the force is continuous.
Slip ends at v = 0: rigid, it sticks if the spring force is within the limit (fa with dwell, Fs without), else
it goes back with the same f; with presliding the stick is a motion that begins with v = 0 and the same force.
Rigid stick ends in closed form (with dwell the root of `r tau^2 + (F0 + r Td - Fs) tau - (fa - F0) Td` with
r = c vd and F0 the spring force on entering); everything else is integrated.

Printed: T = 0.01 s, Td = 1 s, s_max = 0.05 mm, bs = 1 Ns/m. The rest is only in a picture; chosen here, the
same for all four runs, so that the surface rings visibly but dies out within a stick (damping ratio 0.11):
m = 0.1 kg, c = 10 N/m, vd = 0.5 mm/s, Fs = 0.01 N, Fk = 0.005 N, vs = 1 mm/s, b = 0.01 Ns/m. The stored runs
last 20 s.

Source: Klotzbach, Henrichfreise, eq. 1, 2, 10 - 14, figures 4.2 - 4.5; in (14) b |v| is kept in slip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .phases import Guards, Watch, advance, slide

Event = tuple[float, str]


@dataclass(frozen=True)
class Pulled:
    mass: float = 0.1
    stiffness: float = 10.0
    drive_velocity: float = 5e-4
    static: float = 0.01
    kinetic: float = 0.005
    stribeck_velocity: float = 1e-3
    viscous: float = 0.01
    lag: float = 0.0
    dwell: float = 0.0
    travel: float = 0.0
    surface_damping: float = 0.0


BASE = Pulled()
LAG = Pulled(lag=0.01)
DWELL = Pulled(lag=0.01, dwell=1.0)
PRESLIDING = Pulled(lag=0.01, dwell=1.0, travel=5e-5, surface_damping=1.0)
RUNS = {"base": BASE, "lag": LAG, "dwell": DWELL, "presliding": PRESLIDING}


def lagged_force(t: float, p: Pulled, v0: float, deceleration: float, f0: float) -> float:
    """Dry force at time t while v = v0 - deceleration*t > 0, from f0 at t = 0: the lag in closed form."""
    rate = deceleration / p.stribeck_velocity
    top = (p.static - p.kinetic) * math.exp(-v0 / p.stribeck_velocity) / (1.0 + rate * p.lag)
    fade = math.exp(-t / p.lag)
    return p.kinetic + (f0 - p.kinetic) * fade + top * (math.exp(rate * t) - fade)


def dwell_break_away(p: Pulled, force: float, entry: float) -> float:
    """Time in rigid stick until a spring force that grows at c vd from ``force`` meets the growing limit."""
    rate = p.stiffness * p.drive_velocity
    half = 0.5 * (force + rate * p.dwell - p.static)
    gap = (entry - force) * p.dwell
    root = math.sqrt(half * half + rate * gap)
    return gap / (half + root) if half > 0.0 else (root - half) / rate


@dataclass
class Outcome:
    events: list[Event]
    entry_forces: list[float]  # dry force f on entering stick
    break_away_forces: list[float]  # limit reached at break-away
    state: np.ndarray  # (x, v, f, s) at the end


def run(
    p: Pulled,
    t_end: float = 10.0,
    solver: str = "collocation",
    rtol: float = 1e-13,
    watch: Watch | None = None,
) -> Outcome:
    """One run from rest at x = 0, everything that the guide holds fully aged."""
    m, c, vd, fk, vs, b = p.mass, p.stiffness, p.drive_velocity, p.kinetic, p.stribeck_velocity, p.viscous
    k = p.static / p.travel if p.travel else math.inf
    length = p.static / c
    atol = rtol * np.array([length, vs, p.static, p.travel or 1.0])
    options = {"solver": solver, "rtol": rtol, "atol": atol, "watch": watch}
    out = Outcome([], [], [], np.zeros(4))
    t, y = 0.0, np.zeros(4)
    entered, aged_from = 0.0, p.static  # stick: since when, and with which limit it began

    def limit(time: float) -> float:
        if not p.dwell:
            return p.static
        tau = time - entered
        return aged_from + (p.static - aged_from) * tau / (tau + p.dwell)

    while True:
        # ---- stick
        if not p.travel:
            rate, force = c * vd, c * (vd * t - y[0])
            if p.dwell and aged_from < p.static:
                tau = dwell_break_away(p, force, aged_from)
            else:
                tau = (p.static - force) / rate
            if t + tau >= t_end:
                break
            t, direction = t + tau, 1.0
            peak = limit(t)
        else:

            def surface(time: float, z: Any) -> list[float]:
                force = c * (vd * time - z[0]) - k * z[3] - p.surface_damping * z[1]
                return [z[1], force / m, 0.0, z[1]]

            guards: Guards = {
                "+": lambda time, z: limit(time) - k * z[3] - p.surface_damping * z[1],
                "-": lambda time, z: limit(time) + k * z[3] + p.surface_damping * z[1],
            }
            t, y, fired = advance(surface, t, y, t_end, guards, **options)
            if fired is None:
                break
            direction = 1.0 if fired == "+" else -1.0
            if direction * y[1] <= 0.0:
                raise RuntimeError("the surface force passes its limit against v: not met with these values")
            peak = limit(t)
        y[2] = peak - b * abs(y[1])
        out.events.append((float(t), "slip+" if direction > 0.0 else "slip-"))
        out.break_away_forces.append(float(peak))

        # ---- slip
        while True:

            def slip(time: float, z: Any, d: float = direction, top: float = peak) -> list[float]:
                speed = d * z[1]
                # the cap acts only in trial stages far beyond v = 0
                curve = fk + (top - fk) * math.exp(min(-speed / vs, 40.0))
                dry = z[2] if p.lag else curve
                change = (curve - z[2]) / p.lag if p.lag else 0.0
                return [z[1], (c * (vd * time - z[0]) - d * dry - b * z[1]) / m, change, 0.0]

            t, y, fired = slide(slip, t, y, t_end, lambda z, d=direction: d * z[1], 30.0 * vs, **options)
            if fired is None:
                break
            y[1] = 0.0
            if not p.lag:
                y[2] = peak
            entered, aged_from = t, y[2]
            if p.travel:
                y[3] = direction * y[2] / k
                break
            force = c * (vd * t - y[0])
            if abs(force) <= limit(t):
                break
            direction = math.copysign(1.0, force)
            out.events.append((float(t), "slip+" if direction > 0.0 else "slip-"))
        if fired is None:
            break
        out.events.append((float(t), "stick"))
        out.entry_forces.append(float(y[2]))
    out.state = y
    return out
