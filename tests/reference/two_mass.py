"""Two-mass drive under a P-PI cascade with friction at the load, Table 1, cases a, b, c.

`mM vM' = FM - d (vM - vL) - c (xM - xL)`, `mL vL' = d (vM - vL) + c (xM - xL) - F(vL)`,
`FM = KP [e + I/Tn]`, `I' = e`, `e = KV (xref - xM) - vM`, no feedforward, xref = 50 um sin(2 pi 0.5 t).
mM = mL = 1000 kg, c = 5e6 N/m, d = 1341.64 Ns/m, KV = 8/0.06 1/s, KP = 7e5 Ns/m, Tn = 30 ms.
Slip: `F = N [muk + (mus - muk) exp(-(v/vs)^2)] sgn v`, stick: |F| <= N mus; N = 1000*9.81 N, vs = 1 mm/s;
(muk, mus) = a (0, 0), b (0.0006, 0.0007), c (0.006, 0.007). 3 s from rest at zero, so it starts in stick (b,
c) while the reference starts at full speed. Stick is linear, slip is not (its speed is far below vs, so the
levels hardly differ); both are integrated and cut at each event. Case a is linear throughout: it is also done
with one matrix exponential per sample. Normal load, g, reference, vs and the shape are not printed in the
source: these are the ones that show what its text says.
Source: Kraemer, Kempkes, section 4, Table 1, figure 6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.optimize import minimize_scalar

from .phases import slide

MM = ML = 1000.0
C, D = 5e6, 1341.64
KV, KP, TN = 8.0 / 0.06, 7e5, 0.03
AMPLITUDE, OMEGA = 50e-6, 2.0 * math.pi * 0.5
LOAD, VS = 1000.0 * 9.81, 1e-3
CASES = {"a": (0.0, 0.0), "b": (0.0006, 0.0007), "c": (0.006, 0.007)}

Event = tuple[float, str]


def reference(t: float) -> float:
    return AMPLITUDE * math.sin(OMEGA * t)


@dataclass
class Outcome:
    events: list[Event]
    worst: float  # max |xref - xL| over all
    worst_late: float  # the same over t >= 1 s, at the edge of this window or inside
    peak_late: float  # greatest local maximum of |xref - xL| over t >= 1 s
    stuck: float  # fraction of the time in stick
    state: np.ndarray  # (vM, vL, xM, xL, I) at the end
    samples: np.ndarray  # the same at t = 0.5, 1, 1.5, ... (rows)


@dataclass
class _Worst:
    """Largest |xref - xL| over the steps: sampled, then refined around the largest sample of each step."""

    late: float = 0.0
    all: float = 0.0
    peak: float = 0.0
    points: int = 24
    steps: list[float] = field(default_factory=list)

    def __call__(self, ta: float, tb: float, dense: Any) -> None:
        def error(t: float) -> float:
            return abs(reference(t) - dense(t)[3])

        times = np.linspace(ta, tb, self.points + 1)
        values = [error(float(t)) for t in times]
        k = int(np.argmax(values))
        top = values[k]
        if top > 0.9 * min(self.late or 0.0, self.all):
            low, high = times[max(k - 1, 0)], times[min(k + 1, self.points)]
            best = minimize_scalar(
                lambda t: -error(t), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
            )
            top = max(top, -float(best.fun))
        self.all = max(self.all, top)
        if ta >= 1.0:
            self.late = max(self.late, top)
            if top > max(values[0], values[-1]):  # inside this step, so the error rises to it and falls again
                self.peak = max(self.peak, top)


def run(case: str, t_end: float = 3.0, solver: str = "collocation", rtol: float = 1e-13) -> Outcome:
    """Events (time, new mode), errors and end state; the run is cut at every half second."""
    kinetic, static = (LOAD * mu for mu in CASES[case])
    atol = rtol * np.array([1e-4, 1e-4, 1e-5, 1e-5, 1e-5])
    worst = _Worst()
    watch = None if solver in ("adams", "bdf") else worst
    options = {"solver": solver, "rtol": rtol, "atol": atol, "watch": watch, "max_step": 0.01}

    def motor(t: float, y: Any) -> tuple[float, float]:
        e = KV * (reference(t) - y[2]) - y[0]
        return KP * (e + y[4] / TN), e

    def coupling(y: Any) -> float:
        return float(D * (y[0] - y[1]) + C * (y[2] - y[3]))

    def friction(v: float, sign: float) -> float:
        return sign * (kinetic + (static - kinetic) * math.exp(-((v / VS) ** 2)))

    def moving(sign: float) -> Any:
        def rhs(t: float, y: Any) -> list[float]:
            force, e = motor(t, y)
            between = coupling(y)
            return [(force - between) / MM, (between - friction(y[1], sign)) / ML, y[0], y[1], e]

        return rhs

    def held(t: float, y: Any) -> list[float]:
        force, e = motor(t, y)
        return [(force - coupling(y)) / MM, 0.0, y[0], 0.0, e]

    from .phases import advance

    events: list[Event] = []
    samples: list[np.ndarray] = []
    stuck, t, y = 0.0, 0.0, np.zeros(5)
    sign = 0.0
    for stop in [*np.arange(0.5, t_end - 1e-9, 0.5), t_end]:
        while True:
            before = t
            if static == 0.0:
                t, y, fired = advance(moving(0.0), t, y, stop, {}, **options)
            elif sign == 0.0:
                guards = {
                    "+": lambda _t, s: static - coupling(s),
                    "-": lambda _t, s: static + coupling(s),
                }
                t, y, fired = advance(held, t, y, stop, guards, **options)
                stuck += t - before
            else:
                t, y, fired = slide(moving(sign), t, y, stop, lambda s, d=sign: d * s[1], 8.0 * VS, **options)
            if fired is None:
                break
            if fired == "v":
                y[1] = 0.0
                between = coupling(y)
                sign = 0.0 if abs(between) <= static else math.copysign(1.0, between)
            else:
                sign = 1.0 if fired == "+" else -1.0
            events.append((float(t), {0.0: "stick", 1.0: "slip+", -1.0: "slip-"}[sign]))
        samples.append(y.copy())
    return Outcome(events, worst.all, worst.late, worst.peak, stuck / t_end, y, np.array(samples))


def exact_without_friction(times: Any) -> np.ndarray:
    """Case a by the matrix exponential: (vM, vL, xM, xL, I) at ``times`` (rows).

    The reference is part of the state: `r' = OMEGA q`, `q' = -OMEGA r`, r(0) = 0, q(0) = AMPLITUDE.
    """
    a = np.zeros((7, 7))
    a[0] = [-(KP + D) / MM, D / MM, -(KP * KV + C) / MM, C / MM, KP / TN / MM, KP * KV / MM, 0.0]
    a[1] = [D / ML, -D / ML, C / ML, -C / ML, 0.0, 0.0, 0.0]
    a[2, 0] = a[3, 1] = 1.0
    a[4] = [-1.0, 0.0, -KV, 0.0, 0.0, KV, 0.0]
    a[5, 6], a[6, 5] = OMEGA, -OMEGA
    start = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, AMPLITUDE])
    return np.array([(expm(a * float(t)) @ start)[:5] for t in times])


def exact_worst_without_friction(t_from: float, t_to: float = 3.0, points: int = 4000) -> float:
    """Largest |xref - xL| of case a over [t_from, t_to] from the exact solution."""

    def error(t: float) -> float:
        return abs(reference(t) - float(exact_without_friction([t])[0, 3]))

    times = np.linspace(t_from, t_to, points + 1)
    values = [error(float(t)) for t in times]
    best = 0.0
    for k in range(1, points):
        if values[k] >= max(values[k - 1], values[k + 1]) and values[k] > 0.9 * max(values):
            found = minimize_scalar(
                lambda t: -error(t),
                bounds=(times[k - 1], times[k + 1]),
                method="bounded",
                options={"xatol": 1e-9},
            )
            best = max(best, -float(found.fun))
    return max(best, values[0], values[-1])
