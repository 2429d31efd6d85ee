"""Figures 2.5, 2.9, 7.1 and 7.2 of Hinrichsen: the worm gear, the forces on its flank, and the test rig from above."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip.draw.drawing import show
from stickslip.draw.worm import WormDrawing
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import INERTIAS, RIG, RIG_PRINTED, RIG_SHAFT, SHAFT, SOURCE
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

FORM, PRINTED = Origin.CLOSED_FORM, Origin.PRINTED
ANGLE = math.radians(15.0)  # steep enough to be seen


# -- 2.5 and 2.9 ---------------------------------------------------------------------------------------


def compute_flank() -> FigureData:
    """Forces of lifting at 2 Nm on the worm, by the closed form of the gear; the balance of torques (2.31)."""
    gear = dataclasses.replace(RIG, lead_angle=ANGLE)
    torque = 2.0
    state = gear.sliding(torque, "lifting")
    cosine, mu, normal = math.cos(gear.pressure_angle), gear.kinetic_friction, state.normal_force
    s, c = math.sin(ANGLE), math.cos(ANGLE)
    friction, along, across = mu * normal, normal * cosine * s, normal * cosine * c
    # The source counts M1 and φ̈1 as here: F_t1 lifts against the load, friction opposes lifting.
    wheel = (
        gear.load_torque
        + gear.wheel_inertia * state.wheel_acceleration
        - across * gear.wheel_radius
        + friction * gear.wheel_radius * s
    )
    worm = (
        torque
        - gear.worm_inertia * state.worm_acceleration
        - along * gear.worm_radius
        - friction * gear.worm_radius * c
    )
    rho = math.atan(mu / cosine)
    checks = [
        Check("balance of the wheel", "Nm", wheel, 0.0, 2e-15, FORM, f"{SOURCE}, (2.28)"),
        Check("balance of the worm", "Nm", worm, 0.0, 2e-15, FORM, f"{SOURCE}, (2.28)"),
        Check(
            "friction angle ρ",
            "deg",
            math.degrees(gear.friction_angle),
            math.degrees(rho),
            2e-15,
            FORM,
            f"{SOURCE}, (2.30): arctan(μ/cos α_n)",
        ),
    ]
    columns: dict[str, Any] = {"normal": [normal], "friction": [friction], "F_t1": [across], "F_t2": [along]}
    given = (
        *inputs("chosen", "steep enough to be seen", ("γ", 15.0, "°"), ("μ", mu, ""), ("M2", torque, "Nm")),
        *inputs("fitted", "(7.5): chatters above 149805 kg·mm²", ("α_n", 20.0, "°")),
        *inputs("printed", "(7.1), 7.2", ("M1", 3.53, "Nm")),
    )
    return FigureData({"": Series(columns, dict.fromkeys(columns, "N"))}, checks, given)


def draw_flank(data: FigureData, figure: Canvas) -> None:
    """Draw the gear with the wedges in it, and the forces on one flank to scale."""
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.25])
    show(WormDrawing(dataclasses.replace(RIG, lead_angle=ANGLE), numbers=False, wedge=True), left)
    left.set_title("the wedge gear inside the worm gear")
    rows = data[""]
    scale = 1.9 / float(rows["normal"][0])
    sk.start(right, (-2.6, 3.4), (-1.6, 3.4))
    s, c = math.sin(ANGLE), math.cos(ANGLE)
    slope = math.tan(ANGLE)
    sk.polygon(right, [(-2.2, -0.9), (2.2, -0.9), (2.2, 2.2 * slope), (-2.2, -2.2 * slope)])
    sk.text(right, (1.2, -0.5), "worm, unrolled")
    at = (0.0, 0.0)
    drawn = scale * float(rows["normal"][0]) * math.cos(RIG.pressure_angle)
    friction = scale * float(rows["friction"][0])
    up, side = scale * float(rows["F_t1"][0]), scale * float(rows["F_t2"][0])
    sk.arrow(right, at, (-drawn * s, drawn * c), r"$\lambda_N\cos\alpha_n$", "left-end")
    sk.arrow(right, at, (-friction * c, -friction * s), r"$\lambda_T$", "below-end")
    sk.line(right, (-side, 0.0), (-side, up), linewidth=0.6, linestyle=":")
    sk.line(right, (0.0, up), (-side, up), linewidth=0.6, linestyle=":")
    sk.arrow(right, at, (0.0, up), r"$F_{t1}$", "right-end", "#000000")
    sk.arrow(right, (0.0, up), (-side, up), r"$F_{t2}$", "above", "#000000")
    sk.line(right, at, (1.9, 0.0), linewidth=0.6, linestyle=":", zorder=4)
    sk.angle(right, at, 1.4, 0.0, 15.0, r"$\gamma$", out=1.15)
    words = (
        rf"$\lambda_N$ = {float(rows['normal'][0]):.1f} N",
        rf"$\lambda_T$ = {float(rows['friction'][0]):.1f} N",
        rf"$F_{{t1}}$ = {float(rows['F_t1'][0]):.1f} N",
        rf"$F_{{t2}}$ = {float(rows['F_t2'][0]):.1f} N",
    )
    right.text(1.3, 3.1, "\n".join(words), va="top", linespacing=1.6)
    right.set_title("forces on a tooth of the wheel, lifting")


# -- 7.1 and 7.2 ---------------------------------------------------------------------------------------


def compute_rig() -> FigureData:
    """Load torque, inertias and the frequency of the worm on its shaft."""
    torque = 7.2 * 9.81 * 0.05
    sums = 14343.0 + 861081.0 + 512345.0 * np.array([0, 1, 2, 3, 4])
    checks = [
        Check("load torque", "Nm", torque, 3.53, 5e-3, PRINTED, f"{SOURCE}, 7.2: 7.2 kg at 50 mm"),
        Check(
            "inertias with discs: worst",
            "kg·m²",
            float(np.abs(1e-6 * sums - INERTIAS[1:]).max()),
            0.0,
            5e-16,
            FORM,
            f"{SOURCE}, 7.2: sums",
        ),
        Check(
            "worm on its shaft",
            "rad/s",
            RIG.shaft_frequency,
            math.sqrt(SHAFT / 1560e-6),
            5e-14,
            FORM,
            "√(k_φ/Θ2)",
        ),
    ]
    columns: dict[str, Any] = {"set": list(range(6)), "wheel inertia": list(INERTIAS)}
    given = (*RIG_PRINTED, *RIG_SHAFT[:1])
    return FigureData({"": Series(columns, {"set": "", "wheel inertia": "kg·m²"})}, checks, given)


def draw_rig(data: FigureData, figure: Canvas) -> None:
    """Draw the rig from above: motor, elastic shaft, worm; wheel, discs and drum on the shaft across."""
    ax = figure.subplots()
    sk.start(ax, (-6.6, 7.0), (-2.3, 3.6))
    y = -1.0
    sk.line(ax, (-3.4, y), (-2.7, y), linewidth=3.5)
    sk.line(ax, (-2.7, y), (0.1, y), linewidth=1.5)
    sk.line(ax, (0.1, y), (3.9, y), linewidth=3.5)
    sk.block(ax, -5.0, y - 0.55, 1.6, 1.1, "motor")
    sk.block(ax, -1.8, y - 0.12, 0.7, 0.24, "", "#8FBEDD")
    sk.label(ax, (-1.45, y + 0.14), "strain gauges", "above")
    sk.label(ax, (-1.45, y - 0.14), "elastic shaft,\n" + rf"$k_\varphi$ = {SHAFT:.3g} Nm/rad", "below")
    for x in (0.45, 2.75):
        sk.block(ax, x - 0.12, y - 0.45, 0.24, 0.9, "", "#C9C9C9")
    sk.block(ax, 0.9, y - 0.3, 1.4, 0.6, "", sk.FILL)
    for x in np.arange(0.98, 2.2, 0.2):
        sk.line(ax, (x, y - 0.3), (x + 0.1, y + 0.3), linewidth=0.8, zorder=3.4)
    sk.label(ax, (1.6, y - 0.55), r"worm, $\Theta_2$ = 1560 kg·mm²", "below")
    sk.block(ax, 3.3, y - 0.35, 0.7, 0.7, "")
    sk.label(ax, (4.1, y), "encoder", "right")
    sk.block(ax, -5.9, y - 0.35, 0.7, 0.7, "")
    sk.line(ax, (-5.2, y), (-5.0, y), linewidth=3.5)
    sk.label(ax, (-5.55, y + 0.35), "encoder", "above")
    x = 1.6
    sk.line(ax, (x, y + 0.3), (x, 3.1), linewidth=3.5, zorder=2)
    sk.block(ax, x - 0.75, y + 0.32, 1.5, 0.22, "", sk.SECOND)
    sk.label(ax, (x + 0.85, y + 0.75), r"wheel, $r_1$ = 50 mm, $\gamma$ = 3.18°", "right")
    sk.block(ax, x - 0.35, y + 0.9, 0.7, 0.24, "", "#C9C9C9")
    for k in range(5):
        sk.block(ax, x - 1.9, 0.55 + 0.2 * k, 3.8, 0.16, "", sk.SECOND)
    sk.label(ax, (x + 1.95, 1.05), "half discs: " + r"$\Theta_1$ = 0.014 … 2.925 kg·m²", "right")
    sk.block(ax, x - 0.35, 1.75, 0.7, 0.24, "", "#C9C9C9")
    sk.block(ax, x - 0.55, 2.15, 1.1, 0.5, "drum", sk.FILL)
    sk.line(ax, (x - 0.55, 2.4), (x - 1.7, 2.4))
    sk.block(ax, x - 2.8, 2.1, 1.1, 0.6, "7.2 kg", "#FFFFFF")
    sk.label(ax, (x - 2.85, 2.4), rf"$M_1$ = {RIG.load_torque:g} Nm", "left")
    sk.block(ax, x - 0.35, 2.85, 0.7, 0.5, "")
    sk.label(ax, (x + 0.45, 3.1), "encoder", "right")


FIGURES = (
    Figure(
        "chatter_2_9",
        "the worm gear and the forces on its flank",
        f"{SOURCE}, figures 2.5 and 2.9",
        compute_flank,
        draw_flank,
        72.0,
    ),
    Figure(
        "chatter_7_2",
        "the test rig from above",
        f"{SOURCE}, figures 7.1 and 7.2",
        compute_rig,
        draw_rig,
        76.0,
    ),
)
