"""Elastic teeth of the worm rig: stiffness k_N and damping d_N of the flanks, beside the shaft of `rig_fit`.

Nothing of the teeth is printed. The law is Kelvin–Voigt, ``λ_N = max(0, k_N·δ + d_N·δ̇)`` on each flank.

* k_N follows from figure 7.5 right: in the impacts of set 1 the worm stands still for about 0.025 s. A contact lasts
  half a swing of the wheel on its flank, so that the standstill goes with 1/√k_N and hardly depends on d_N. The worm
  stands still while its encoder of 13 bits reads the same line. (With the encoder of 15 bits k_N is 6.7e6 N/m.)
* d_N is bounded by figure 7.4: the opposite flank is not hit at 4.5 rpm (from 2.41e3 N s/m on), and flights last
  longer than contacts (up to 3.30e4 N s/m).
* The slopes of the first flight, 26.8 and 1.3 °/s, are left out: the worm leaves with the twist of the shaft, which
  must unwind, and no damping takes the worm below 53.9 °/s beside standstills of 0.025 s.

So figures 7.4 and 7.5 leave d_N open by a factor of 14. What is said of figure 7.8, one flank up to 12 rpm and both at
15, holds from 6.6e3 to 8.3e3 N s/m, `window`. The figures use the middle of that window: it shows that one pair of
numbers meets all these statements, which no rigid gear does; it is no prediction of figure 7.8.

``PYTHONPATH=python:tests python -m published.teeth_fit`` prints all this; it takes about a minute.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

import stickslip as ss
from stickslip import Trajectory
from stickslip_figures import _rig_teeth as teeth
from stickslip_figures._gears import RPM, rig

REST, SPAN, LONG = 0.025, 1.5, 100.0  # s


def lower(
    stiffness: float,
    damping: float,
    *,
    rate: float = 4.5,
    end: float = SPAN,
    step: float = 5e-5,
    inertia_set: int = 1,
) -> Trajectory:
    """A run with elastic teeth; `rate` in rpm."""
    law = ss.KelvinVoigt(stiffness, damping)
    return ss.simulate(rig(inertia_set, compliance=law, motor_speed=-rate * RPM), t_end=end, dt=step)


def first_impact(stiffness: float, damping: float, rate: float, end: float = LONG) -> float:
    """Time of the first impact on the opposite flank, s; infinite if not before `end`."""
    events = lower(stiffness, damping, rate=rate, end=end, step=end).events.of("opposite_flank")
    return float(events.time[0]) if len(events) else math.inf


def stiffness_of(damping: float) -> float:
    """The stiffness with which the worm stands still for 0.025 s."""
    return float(
        brentq(
            lambda k: float(np.mean(teeth.standstills(lower(k, damping), "worm"))) - REST,
            4e6,
            1.2e7,
            xtol=1e3,
        )
    )


def edge(inside: Callable[[float], bool], low: float, high: float, ratio: float = 1.002) -> float:
    """The damping between `low` and `high` where a statement begins or ends to hold."""
    at_low = inside(low)
    while high / low > ratio:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if inside(middle) == at_low else (low, middle)
    return math.sqrt(low * high)


def flies_longer(stiffness: float, damping: float) -> bool:
    """True if flights last longer than contacts, on average."""
    run = lower(stiffness, damping)
    return bool(np.mean([b - a for a, b in teeth.flights(run)]) > np.mean(teeth.contacts(run)))


def bounds(stiffness: float) -> tuple[float, float]:
    """The dampings that figure 7.4 leaves: one flank at 4.5 rpm, and flights longer than contacts."""
    low = edge(lambda d: math.isinf(first_impact(stiffness, d, 4.5)), 1e3, 5e3)
    return low, edge(lambda d: flies_longer(stiffness, d), 1e4, 6e4)


def window(stiffness: float) -> tuple[float, float]:
    """The dampings with which the opposite flank is hit at 15 rpm and not at 12."""
    low = edge(lambda d: math.isinf(first_impact(stiffness, d, 12.0)), 5e3, 7.5e3)
    return low, edge(lambda d: math.isinf(first_impact(stiffness, d, 15.0)), 7.5e3, 1.2e4)


def main() -> None:
    """Print the fit and how the first impact on the opposite flank depends on the damping."""
    for damping in (2.5e3, 7.5e3, 3e4):
        print(f"d = {damping:.0f} N s/m: k = {stiffness_of(damping):.4g} N/m")
    k = stiffness_of(7.5e3)
    print("d of figure 7.4: {:.0f} … {:.0f} N s/m".format(*bounds(k)))
    print("d of 12 and 15 rpm: {:.0f} … {:.0f} N s/m".format(*window(k)))
    print("first impact on the opposite flank at 4.5, 12 and 15 rpm, s")
    for damping in (1e3, 2e3, 3e3, 5e3, 6e3, 6.5e3, 7e3, 7.5e3, 8e3, 8.5e3, 9e3, 1.2e4):
        print(f"  {damping:6.0f}", *(f"{first_impact(k, damping, rate):7.3f}" for rate in (4.5, 12.0, 15.0)))
    print("slopes of the first flight, °/s")
    for damping in (1e2, 2.5e3, 7.5e3, 3e4):
        print(f"  {damping:6.0f}", *(f"{v:.2f}" for v in teeth.slopes(lower(k, damping), 0)))


if __name__ == "__main__":
    main()
