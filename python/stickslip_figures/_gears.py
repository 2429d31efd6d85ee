"""The gears of Hinrichsen's dissertation, with printed and chosen parameters.

"Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb" (Kassel 2007), sections 2.4.2 and 7.2.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw.interactive import shade_spans
from stickslip.machine.compliance import KelvinVoigt
from stickslip.machines import WedgeGear, WormGear, wedge_gear, worm_gear
from stickslip_figures._input import Input, inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.draw.spans import Span
    from stickslip.machines.wedge_states import Direction

SOURCE = "Hinrichsen 2007"
RPM = math.pi / 30.0
MM = 1e3

# The source's μ = 0.25 is ρ = 14.04°; that it computed with ρ = 14° shows in its 17.963 kg, to which ρ is fitted.
_COMMON: dict[str, Any] = dict(angle=math.radians(12.0), friction=math.tan(math.radians(14.0)), load=100.0)
SET_1: WedgeGear = wedge_gear(
    upper_mass=2.42, lower_mass=108.78, stiffness=2000.0, pull_velocity=2e-3, **_COMMON
)
SET_2: WedgeGear = wedge_gear(
    upper_mass=2420.0, lower_mass=10.878, stiffness=4000.0, pull_velocity=10e-3, **_COMMON
)
# Steep enough to show the angles.
STEEP: WedgeGear = dataclasses.replace(SET_1, angle=math.radians(25.0))

COMMON = inputs("printed", "2.4.1", ("γ", 12.0, "°"), ("F", 100.0, "N"), ("μ", 0.25, ""))
ROUNDED = inputs("fitted", "17.963 kg (2.4.2), μ = 0.25 being 14.04°", ("ρ", 14.0, "°"))


def wedge_inputs(gear: WedgeGear) -> tuple[Input, ...]:
    """Return the printed parameters of one of the two sets."""
    masses = (("m1", gear.upper_mass, "kg"), ("m2", gear.lower_mass, "kg"))
    pull = (("k", gear.stiffness, "N/m"), ("v0", gear.pull_velocity, "m/s"))
    return (*inputs("printed", "2.4.2", *masses, *pull), *COMMON, *ROUNDED)


# Wheel inertias Θ1 of the test rig, kg·m²: the bare wheel and with one to five half discs.
INERTIAS = tuple(1e-6 * value for value in (14343.0, 875424.0, 1387769.0, 1900114.0, 2412459.0, 2924804.0))

# Not printed. μ = 0.2 is chosen within the measured 0.14 … 0.4. Shaft and restitution are fitted to figures 7.4 and
# 7.5 alone by `PYTHONPATH=python:tests python -m published.rig_fit`, which states the objective: the worm of
# set 1 stands still for 0.025 s in every impact, and its path in the first flight is the straightest. ε = 0 follows
# sharply, the shaft less so: rests of 0.025 s bind k_φ to d_φ (Nms/rad), and d_φ itself is known to a factor of two.
FRICTION, SHAFT, DAMPING, RESTITUTION = 0.2, 33.31, 0.165, 0.0
# Elastic teeth, beside that shaft: k_N is fitted to the same standstills; figures 7.4 and 7.5 leave d_N between 2.4e3 and
# 3.3e4 N s/m, and the statements on 12 and 15 rpm hold from 6.6e3 to 8.3e3, of which this is the middle. See
# `PYTHONPATH=python:tests python -m published.teeth_fit`.
TEETH = KelvinVoigt(stiffness=7.72e6, damping=7.4e3)
RIG: WormGear = worm_gear(
    wheel_inertia=INERTIAS[1],
    worm_inertia=1560e-6,
    wheel_radius=0.05,
    worm_radius=0.036,
    lead_angle=math.radians(3.18),
    friction=FRICTION,
    load_torque=3.53,
    shaft_stiffness=SHAFT,
    shaft_damping=DAMPING,
    motor_speed=-4.5 * RPM,
    restitution=RESTITUTION,
    clearance=2e-3,
)

RIG_PRINTED = (
    *inputs(
        "printed",
        "(7.1), 7.2",
        ("γ", 3.18, "°"),
        ("r1", 0.05, "m"),
        ("r2", 0.036, "m"),
        ("Θ2", 1560e-6, "kg·m²"),
        ("Θ1", "0.014343, 0.875424, 1.387769, 1.900114, 2.412459, 2.924804", "kg·m²"),
        ("M1", 3.53, "Nm"),
        ("clearance", 2e-3, "m"),
        ("least and greatest μ", "0.14, 0.4", ""),
    ),
    *inputs("fitted", "(7.5), 149805 kg·mm²", ("α_n", 20.0, "°")),
)
RIG_CHOSEN = inputs("chosen", "within the measured range", ("μ", FRICTION, ""))
RIG_SHAFT = inputs(
    "fitted",
    "rests of 0.025 s in every impact and a straight first flight of set 1 (figure 7.5)",
    ("k_φ", SHAFT, "Nm/rad"),
    ("d_φ", DAMPING, "Nms/rad"),
    ("ε", RESTITUTION, ""),
)

RIG_TEETH = (
    *inputs("chosen", "with elastic teeth", ("start", "flanks that touch uncompressed", "")),
    *inputs(
        "fitted", "standstills of 0.025 s in impacts of set 1 (figure 7.5)", ("k_N", TEETH.stiffness, "N/m")
    ),
    *inputs(
        "fitted",
        "one flank at 4.5 and 12 rpm, both at 15 (figures 7.4, 7.8)",
        ("d_N", TEETH.damping, "Ns/m"),
    ),
)


def rig(inertia_set: int, **changes: Any) -> WormGear:
    """The test rig with one of its wheel inertias."""
    return dataclasses.replace(RIG, wheel_inertia=INERTIAS[inertia_set], **changes)


def path(gear: WedgeGear, upper: Any) -> Any:
    """Displacement of the upper wedge turned onto the lower one's path, −y1·cot γ; equal to x2 in contact."""
    return -np.asarray(upper) / math.tan(gear.angle)


def shade(ax: Axes, spans: Iterable[Span]) -> None:
    """Shade the modes, except those too short to be seen."""
    shade_spans(ax, [span for span in spans if span.end - span.start > 1e-5])


def steady(angle: float, rho: float, direction: Direction = "lowering") -> tuple[float, float, float]:
    """Pull kw, λ_N and λ_T of motion without acceleration under 100 N, N."""
    gear = dataclasses.replace(SET_1, angle=math.radians(angle), friction=math.tan(math.radians(rho)))
    sign = 1.0 if direction == "lowering" else -1.0
    low, high = -1.0, 1.0  # m of extension
    rising = (
        gear.sliding(high, direction).lower_acceleration > gear.sliding(low, direction).lower_acceleration
    )
    for _ in range(120):
        middle = 0.5 * (low + high)
        above = gear.sliding(middle, direction).lower_acceleration > 0.0
        low, high = (low, middle) if above == rising else (middle, high)
    state = gear.sliding(0.5 * (low + high), direction)
    return (
        gear.stiffness * 0.5 * (low + high),
        state.normal_force,
        sign * gear.kinetic_friction * state.normal_force,
    )
