"""Figure 2 of Krämer and Kempkes: the Stribeck curve.

The source prints the Stribeck velocity 0.001 m/s and the shapes 1 and 2, but no levels. Chosen here:
Fs = 1.5 N, Fc = 1 N, Fv = 20 Ns/m, so that the viscous rise shows within ten Stribeck velocities.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stickslip.laws import Stribeck
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

STATIC, KINETIC, VISCOUS, STRIBECK_VELOCITY = 1.5, 1.0, 20.0, 1e-3
LEVELS = inputs(
    "chosen",
    "the viscous rise shows within ten Stribeck velocities",
    ("Fs", STATIC, "N"),
    ("Fc", KINETIC, "N"),
    ("Fv", VISCOUS, "Ns/m"),
)
GIVEN = (
    *inputs("printed", "section 2.1", ("vs", STRIBECK_VELOCITY, "m/s"), ("δ", "1 or 2", "")),
    *LEVELS,
)


def force(velocity: npt.ArrayLike, shape: float) -> npt.NDArray[np.float64]:
    """Return the steady friction force (N) that opposes `velocity` (m/s); the jump at zero is shown as 0."""
    law = Stribeck(
        static=STATIC, kinetic=KINETIC, stribeck_velocity=STRIBECK_VELOCITY, shape=shape, viscous=VISCOUS
    )
    return np.asarray(law.force(velocity))


def minimum_velocity() -> float:
    """Return where the curve of shape 2 is lowest, in closed form.

    dF/dv = 0 reads sqrt(u)·exp(−u) = c with u = (v/vs)² and c = Fv·vs/(2(Fs − Fc)), so u = −W(−2c²)/2 on the
    lower branch of Lambert's function; found by the contraction u = ln(sqrt(u)/c), which converges for u >
    1/2.
    """
    c = VISCOUS * STRIBECK_VELOCITY / (2.0 * (STATIC - KINETIC))
    u = 4.0
    for _ in range(80):
        u = math.log(math.sqrt(u) / c)
    return STRIBECK_VELOCITY * math.sqrt(u)


def _lowest(shape: float) -> float:
    # Three refinements of a grid around the lowest sample; only values of the curve are used.
    low, high = 1e-9, 10.0 * STRIBECK_VELOCITY
    for _ in range(3):
        grid = np.linspace(low, high, 2001)
        k = int(np.argmin(force(grid, shape)))
        low, high = grid[max(k - 2, 0)], grid[min(k + 2, grid.size - 1)]
    return float(0.5 * (low + high))


def compute() -> FigureData:
    """Compute both curves over ±10 Stribeck velocities and compare them with hand calculations."""
    side = np.geomspace(1e-8, 10.0 * STRIBECK_VELOCITY, 400)
    v = np.concatenate([-side[::-1], [0.0], side])
    curves = Series(
        {"velocity": v, "force, shape 1": force(v, 1.0), "force, shape 2": force(v, 2.0)},
        {"velocity": "m/s", "force, shape 1": "N", "force, shape 2": "N"},
    )
    at = STRIBECK_VELOCITY
    by_hand = KINETIC + (STATIC - KINETIC) / math.e + VISCOUS * at
    closed = Origin.CLOSED_FORM
    checks = [
        Check("force just above rest", "N", float(force(1e-12, 2.0)), STATIC, 5e-11, closed, "Fs"),
        Check(
            "force at vs, shape 1",
            "N",
            float(force(at, 1.0)),
            by_hand,
            1e-15,
            closed,
            "Fc + (Fs-Fc)/e + Fv·vs",
        ),
        Check(
            "force at vs, shape 2",
            "N",
            float(force(at, 2.0)),
            by_hand,
            1e-15,
            closed,
            "Fc + (Fs-Fc)/e + Fv·vs",
        ),
        Check(
            "lowest force, shape 2, at", "m/s", _lowest(2.0), minimum_velocity(), 1e-10, closed, "Lambert W"
        ),
        Check(
            "force at -10 vs, shape 2",
            "N",
            float(force(-10 * at, 2.0)),
            -1.2,
            1e-15,
            closed,
            "-Fc - 10 Fv·vs",
        ),
    ]
    return FigureData({"": curves}, checks, GIVEN)


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw force over velocity, the band of stiction at rest as a vertical line."""
    from stickslip.draw import style as _style

    ax = figure.subplots()
    curves = data[""]
    v = 1e3 * curves["velocity"]
    moving = v != 0.0
    for column, colour, dash in (
        ("force, shape 1", _style.VERMILION, "--"),
        ("force, shape 2", _style.BLUE, "-"),
    ):
        for side in (v < 0.0, v > 0.0):
            pick = moving & side
            label = f"shape δ = {column[-1]}" if v[pick][0] < 0.0 else None
            ax.plot(v[pick], curves[column][pick], color=colour, linestyle=dash, label=label)
    ax.plot([0.0, 0.0], [-STATIC, STATIC], color=_style.BLACK, linewidth=1.6, label="stick: any force in ±Fs")
    ax.axhline(KINETIC, color="#9A9A9A", linewidth=0.6, linestyle=":")
    ax.axhline(-KINETIC, color="#9A9A9A", linewidth=0.6, linestyle=":")
    ax.text(-10.0, KINETIC, "Fc", va="bottom", color="#5A5A5A")
    ax.text(10.0, -KINETIC, "−Fc", va="bottom", ha="right", color="#5A5A5A")
    ax.set(xlabel="relative velocity v [mm/s]", ylabel="friction force F [N], opposing v", xlim=(-10.5, 10.5))
    ax.set_title("Stribeck curve, vs = 1 mm/s")
    ax.legend(loc="lower right")


FIGURES = (Figure("servo_2", "Stribeck curve", "Krämer, Kempkes, figure 2", compute, draw),)
