"""Load-dependent friction: a mass pushed against a spring that also presses it on its guide.

`m v' = Fd(t) - c x - F`, load force Fl = c x,
`fk = Fk + nu |Fl|`, `fs = Fs + (Fs/Fk) nu |Fl|`,
`F = [fk + (fs - fk) exp(-|v|/vs) + b |v|] sgn v` in slip, |F| <= fs in stick.
m = 0.1 kg, b = 0.1 Ns/m, c = 100 N/m, nu = 0.5, Fs = 0.01 N, Fk = 0.008 N, vs = 0.001 m/s.
The drive force is not printed: here it ramps to ``peak`` in 5 s, holds for 2 s, ramps to zero in 5 s and
stays zero for 2 s (slip is cut at these four instants, and at x = 0 where |Fl| has a kink).
Stick ends in closed form (Fd is piecewise linear, x is constant); slip is integrated.
Checks of the run: break-away upwards on Fd = Fs + (1 + kappa) c x, kappa = nu Fs/Fk, downwards on
Fd = (1 - kappa) c x - Fs; it stays at rest at zero drive force for any x <= Fs/((1 - kappa) c) = 0.2667 mm.
Source: Klotzbach, Henrichfreise, eq. 3-9, experiment of figures 4.6 and 4.7.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .phases import Watch, slide

MASS, B, C, NU, FS, FK, VS = 0.1, 0.1, 100.0, 0.5, 0.01, 0.008, 1e-3
CORNERS = (0.0, 5.0, 7.0, 12.0, 14.0)

Event = tuple[float, str]


def drive(t: float, peak: float) -> float:
    """The drive force."""
    return float(np.interp(t, CORNERS, (0.0, peak, peak, 0.0, 0.0)))


def levels(x: float) -> tuple[float, float]:
    """Static and kinetic level at position x."""
    load = abs(C * x)
    return FS + FS / FK * NU * load, FK + NU * load


def run(
    peak: float = 0.05,
    solver: str = "collocation",
    rtol: float = 1e-13,
    watch: Watch | None = None,
) -> tuple[list[Event], list[float], np.ndarray]:
    """Events (time, new mode) over 14 s, the position at each of them, and (x, v) at the end."""
    atol = rtol * np.array([1e-6, 1e-5])
    slopes = (peak / 5.0, 0.0, -peak / 5.0, 0.0)
    events: list[Event] = []
    places: list[float] = []
    t, y, sign = 0.0, np.zeros(2), 0.0

    def log(mode: float) -> None:
        events.append((float(t), {0.0: "stick", 1.0: "slip+", -1.0: "slip-"}[mode]))
        places.append(float(y[0]))

    for k, (start, stop) in enumerate(itertools.pairwise(CORNERS)):
        slope, origin = slopes[k], drive(start, peak)
        while t < stop:
            if sign == 0.0:
                static = levels(y[0])[0]
                way = math.copysign(1.0, slope)
                # way*(origin + slope*(t - start) - c x) = static
                end = start + (way * static + C * y[0] - origin) / slope if slope != 0.0 else math.inf
                if end >= stop:
                    t = stop
                    break
                t, sign = max(end, t), way
                log(sign)
            side = math.copysign(1.0, y[0] if y[0] != 0.0 else sign)

            def rhs(
                time: float,
                s: Any,
                d: float = sign,
                p: float = side,
                a: float = start,
                b: float = slope,
                f: float = origin,
            ) -> list[float]:
                # the cap acts only in trial stages far beyond v = 0
                load = p * C * s[0]
                static, kinetic = FS + FS / FK * NU * load, FK + NU * load
                speed = d * s[1]
                friction = d * (kinetic + (static - kinetic) * math.exp(min(-speed / VS, 40.0)) + B * speed)
                return [s[1], (f + b * (time - a) - C * s[0] - friction) / MASS]

            t, y, fired = slide(
                rhs,
                t,
                y,
                stop,
                lambda s, d=sign: d * s[1],
                30.0 * VS,
                {"x": lambda _t, s, p=side: p * s[0]} if sign * side < 0.0 else {},
                solver=solver,
                rtol=rtol,
                atol=atol,
                watch=watch,
            )
            if fired == "x":
                y[0] = 0.0
            elif fired == "v":
                y[1] = 0.0
                external = origin + slope * (t - start) - C * y[0]
                sign = 0.0 if abs(external) <= levels(y[0])[0] else math.copysign(1.0, external)
                log(sign)
    return events, places, y
