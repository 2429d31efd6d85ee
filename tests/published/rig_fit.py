"""The shaft and the restitution of the worm rig, fitted to what Hinrichsen prints of figures 7.4 and 7.5.

Neither stiffness and damping of the input shaft nor the restitution ε are printed. Of figures 7.4 and 7.5 the text
says what a rigid gear can be held against:

* 7.5 right: in every impact of set 1 the worm stands still for about 0.025 s. Read to half a unit of the last
  digit, 0.5 ms. An impact that no rest follows counts as a rest of 0 s. (By section 8 of the source a rest
  follows for ε = 0 alone, for ε > 0 another flight.)
* 7.5 left: behind the first stick the worm's angle is a straight line, whose slope is read. Here it is bent, since
  the worm starts from rest; the deviation from its straight line (rms over the flight) is compared with one line
  of the coarser encoder, 360°/2^13 = 0.044°.
* 7.4 left: set 0 slides without end. It does so with any damping of the shaft, and never without.

The misfit is the mean of ((rest - 0.025 s)/0.5 ms)² over the impacts of 1.5 s, plus (bend/0.044°)².

The slopes themselves, 26.8 and 1.3 °/s, are left out, because no shaft moves them. They are no slopes of one flight:
wheel and worm that part and meet in contact have the ratio (r2/r1)tan γ = 0.040, and the printed 0.0485 would let the
flanks overlap. And a rigid gear that rests for r between flights of length T obeys M1·T²/(2Θ1) =
ω(r2/r1)tan γ·(T + r): from r = 25 ms follow T = 20.7 ms and means of 59.7 and 2.39 °/s, whatever the shaft.

ε = 0 comes out sharply, but hops shorter than the 1.63 ms that an encoder's line takes, ε up to 0.03, could not be
seen. Rests of 0.025 s bind the stiffness to the damping; along that line the misfit has one minimum, a shallow one.

``PYTHONPATH=python:tests python -m published.rig_fit`` prints all this; it takes about a minute.
"""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize

import stickslip as ss
from stickslip import Trajectory
from stickslip.draw.spans import mode_spans
from stickslip.machines import WormGear
from stickslip_figures._gears import INERTIAS, RIG

REST, REST_READ = 0.025, 0.0005  # s
LINE = 2.0 * math.pi / 2**13  # rad
SPAN = 1.5  # s


def gear(stiffness: float, damping: float, restitution: float = 0.0, inertia_set: int = 1) -> WormGear:
    """The rig with one of its wheel inertias and another shaft."""
    return dataclasses.replace(
        RIG,
        wheel_inertia=INERTIAS[inertia_set],
        shaft_stiffness=stiffness,
        shaft_damping=damping,
        restitution=restitution,
    )


def lower(rig: WormGear) -> Trajectory:
    """A run over the span."""
    return ss.simulate(rig, t_end=SPAN)


def rests(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Durations of the rests after all impacts but the last, and of all flights, s."""
    spans = mode_spans(run, "flank")
    stands = {span.start: span.end - span.start for span in spans if span.kind == "stick"}
    at_impact = run.events.time[run.events.impact]
    flights = np.array([span.end - span.start for span in spans[:-1] if span.kind == "open"])
    return np.array([stands.get(t, 0.0) for t in at_impact[:-1]]), flights


def bend(run: Trajectory) -> float:
    """Rms deviation of the worm's angle from its straight line over the first flight, rad."""
    start, end = run.events.time[:2]  # the first change is a separation, the second the impact
    t = np.linspace(start, end, 402)[1:-1]
    angle = run.at(t)["worm.position"]
    return float(np.std(angle - np.polyval(np.polyfit(t, angle, 1), t)))


def misfit(rig: WormGear) -> float:
    """Sum of squares that the fit makes least."""
    run = lower(rig)
    found, _ = rests(run)
    return float(np.mean(((found - REST) / REST_READ) ** 2)) + (bend(run) / LINE) ** 2


class Fit(NamedTuple):
    """The parameters of least misfit for one restitution."""

    stiffness: float
    damping: float
    misfit: float


def fit(restitution: float = 0.0, start: tuple[float, float] = (60.0, 0.06), trials: int = 400) -> Fit:
    """Make the misfit least over the shaft, from a stiffness and a damping."""
    found = minimize(
        lambda x: misfit(gear(math.exp(x[0]), math.exp(x[1]), restitution)),
        np.log(start),
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-9, "maxfev": trials},
    )
    return Fit(math.exp(found.x[0]), math.exp(found.x[1]), float(found.fun))


def ratio(rig: WormGear) -> float:
    """Damping over the critical damping of the worm on its shaft."""
    return rig.shaft_damping / (2.0 * math.sqrt(rig.shaft_stiffness * rig.worm_inertia))


def main() -> None:
    """Print the fit, its residuals, and how the misfit grows beside it."""
    for start in ((60.0, 0.06), (15.0, 0.25)):
        best = fit(start=start)
        print(
            f"from {start}: k = {best.stiffness:.3f} Nm/rad, d = {best.damping:.5f} Nms/rad: {best.misfit:.4f}"
        )
    rig = gear(*best[:2])
    rest, straight = 1e3 * rests(lower(rig))[0].mean(), math.degrees(bend(lower(rig)))
    print(f"damping ratio {ratio(rig):.3f}, rest {rest:.4f} ms, bend {straight:.4f}°")
    print("restitution: least misfit; first hop, an encoder's line taking 1.63 ms")
    for restitution in (0.01, 0.03, 0.1, 0.3, 0.84):
        least = fit(restitution, best[:2], 60).misfit
        hop = 1e3 * rests(lower(gear(*best[:2], restitution)))[1][1]
        print(f"  {restitution:4.2f}: {least:6.0f}; {hop:5.2f} ms")
    print("along rests of 0.025 s: damping, stiffness, misfit, rests of sets 3 and 5")
    for damping in (0.03, 0.06, 0.1, best.damping, 0.2, 0.25):
        stiffness = brentq(lambda k, d=damping: float(rests(lower(gear(k, d)))[0].mean()) - REST, 4.0, 80.0)
        others = [1e3 * rests(lower(gear(stiffness, damping, inertia_set=k)))[0].mean() for k in (3, 5)]
        least = misfit(gear(stiffness, damping))
        print(f"  {damping:.3f} {stiffness:6.2f} {least:.3f} {others[0]:5.1f} {others[1]:5.1f} ms")


if __name__ == "__main__":
    main()
