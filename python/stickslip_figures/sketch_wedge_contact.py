"""Contact in the wedge gear: gradients, forces and velocities, figures 4.1, 4.2 and 6.1 of Hinrichsen."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip.draw import wedge
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import SOURCE, STEEP
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


FORM = Origin.CLOSED_FORM


# -- 4.1, 4.2 and 6.1 ----------------------------------------------------------------------------------


def compute_kinematics() -> FigureData:
    """Gradients of the gap and of the sliding, against the vectors of the flank (4.3–4.8)."""
    data = STEEP.contact_data(0.0)
    t, n = map(np.array, wedge.flank(STEEP))
    up, out = np.array([0.0, 1.0]), np.array([1.0, 0.0])  # directions of ẏ1 and ẋ2
    gap, sliding = [n @ up, -(n @ out)], [t @ up, -(t @ out)]
    worst = max(float(np.abs(data.normals[0] - gap).max()), float(np.abs(data.tangents[0] - sliding).max()))
    checks = [Check("gradients wrong by at most", "", worst, 0.0, 0.0, FORM, f"{SOURCE}, (4.5), (4.8)")]
    series = Series(
        {"coordinate": ["y1", "x2"], "∇g_N": data.normals[0], "∇g_T": data.tangents[0]},
        {"coordinate": "", "∇g_N": "", "∇g_T": ""},
    )
    return FigureData({"": series}, checks, inputs("chosen", "the figure has no numbers", ("γ", 25.0, "°")))


def draw_kinematics(data: FigureData, figure: Canvas) -> None:
    """Draw the flanks' vectors on the left, the gradients over the coordinates on the right."""
    ax, plane = figure.subplots(1, 2, width_ratios=[1.6, 1.0])
    sk.start(ax, (-3.4, 3.6), (-0.5, 4.3))
    wedge.lower(ax, STEEP, "2")
    wedge.upper(ax, STEEP, "1", lift=0.75)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    (tx, ty), (nx, ny) = wedge.flank(STEEP)
    slope, base = math.tan(STEEP.angle), 0.55
    for x0, lift, sign, index, place in (
        (1.35, 0.75, 1.0, "1", "left-end"),
        (-1.05, 0.0, -1.0, "2", "right-end"),
    ):
        at = (x0, base + (x0 + 2.0) * slope + lift)
        if index == "1":
            sk.line(
                ax,
                (0.6, base + 2.6 * slope + lift),
                (at[0] + 0.3, at[1] + 0.3 * slope),
                linewidth=0.6,
                linestyle=":",
            )
        sk.arrow(
            ax,
            at,
            (at[0] + 0.7 * sign * tx, at[1] + 0.7 * sign * ty),
            rf"$\mathbf{{t}}_{index}$",
            "above-end",
            "#000000",
        )
        sk.arrow(
            ax,
            at,
            (at[0] + 0.9 * sign * nx, at[1] + 0.9 * sign * ny),
            rf"$\mathbf{{n}}_{index}$",
            place,
            "#000000",
        )
    middle = base + 2.0 * slope
    x = -0.42
    foot = (x, middle + (x) * slope)
    gap = 0.75 * math.cos(STEEP.angle)
    sk.dimension(ax, foot, (foot[0] + gap * nx, foot[1] + gap * ny), "$g_N$", (0.3, 0.1))
    sk.arrow(ax, (-1.1, 3.0), (-1.1, 3.7), "$y_1$", "left-end", sk.MOTION)
    sk.arrow(ax, (2.2, 0.35), (3.0, 0.35), "$x_2$", "above-end", sk.MOTION)
    rows = data[""]
    plane.set_aspect("equal")
    for name, colour in (("∇g_N", sk.FORCE), ("∇g_T", sk.MOTION)):
        y1, x2 = rows[name]
        sk.arrow(plane, (0.0, 0.0), (float(y1), float(x2)), "", colour=colour)
        label = rf"$\nabla g_{name[-1]} = ({float(y1):.3f},\ {float(x2):.3f})$".replace("-", "-")
        plane.annotate(
            label,
            (float(y1), float(x2)),
            xytext=(0, 8 if x2 > 0 else -12),
            textcoords="offset points",
            ha="center",
            color=colour,
        )
    plane.axhline(0.0, color="#9A9A9A", linewidth=0.6)
    plane.axvline(0.0, color="#9A9A9A", linewidth=0.6)
    plane.set(
        xlim=(-0.3, 1.4), ylim=(-1.25, 0.8), xlabel=r"$\dot{y}_1$ component", ylabel=r"$\dot{x}_2$ component"
    )
    plane.set_title("gradients")


def compute_kinetics() -> FigureData:
    """Forces of the gear at rest under a small extension, by the balance of both wedges."""
    gear, extension = dataclasses.replace(STEEP, friction=math.tan(math.radians(40.0))), 0.01
    state = gear.sticking(extension)
    s, c = math.sin(gear.angle), math.cos(gear.angle)
    pull = gear.stiffness * extension
    (found,) = [
        one for one in gear.contact_data(extension).contacts().transitions() if one.contacts == ("stick",)
    ]
    checks = [
        Check(
            "λ_N at rest",
            "N",
            state.normal_force,
            gear.load * c - pull * s,
            2e-14,
            FORM,
            "F·cos γ − kw·sin γ",
        ),
        Check(
            "λ_T at rest",
            "N",
            state.tangential_force,
            gear.load * s + pull * c,
            2e-14,
            FORM,
            "F·sin γ + kw·cos γ",
        ),
    ]
    used = abs(state.tangential_force) / (gear.kinetic_friction * state.normal_force)
    checks.append(
        Check(
            "share of the friction that is used",
            "",
            float(found.utilisation),
            used,
            3e-16,
            FORM,
            "|λ_T|/(μ0·λ_N)",
        )
    )
    by_problem = float(found.normal_force[0])
    checks.append(
        Check(
            "λ_N by the contact problem",
            "N",
            by_problem,
            state.normal_force,
            2e-14,
            Origin.PACKAGE,
            "the gear's closed form",
        )
    )
    values = {
        "load": [gear.load],
        "pull": [pull],
        "normal": [state.normal_force],
        "tangential": [state.tangential_force],
    }
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("γ", 25.0, "°"),
        ("F", 100.0, "N"),
        ("kw", pull, "N"),
        ("ρ0", 40.0, "°"),
    )
    return FigureData({"": Series(values, dict.fromkeys(values, "N"))}, checks, given)


def draw_kinetics(data: FigureData, figure: Canvas) -> None:
    """Draw the wedges taken apart, with all forces of (4.9) to scale."""
    ax = figure.subplots()
    sk.start(ax, (-4.2, 6.6), (-0.5, 5.1))
    wedge.lower(ax, STEEP)
    top = wedge.upper(ax, STEEP, lift=1.0)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    rows, scale = data[""], 0.0115
    load, pull, normal, tangential = (
        scale * float(rows[name][0]) for name in ("load", "pull", "normal", "tangential")
    )
    (tx, ty), (nx, ny) = wedge.flank(STEEP)
    foot, below = (0.0, top - 1.0), (0.0, top - 2.0)
    sk.arrow(ax, (0.0, top + load), (0.0, top), "$F$", "right-start")
    sk.arrow(ax, foot, (foot[0] + normal * nx, foot[1] + normal * ny), r"$\lambda_N$", "left-end")
    sk.arrow(ax, foot, (foot[0] + tangential * tx, foot[1] + tangential * ty), r"$\lambda_T$", "right-end")
    sk.arrow(ax, below, (below[0] - normal * nx, below[1] - normal * ny), r"$\lambda_N$", "right-end")
    sk.arrow(ax, below, (below[0] - tangential * tx, below[1] - tangential * ty), r"$\lambda_T$", "left-end")
    sk.spring(ax, (2.0, 0.6), (3.7, 0.6), "$k$")
    sk.arrow(ax, (3.7, 0.6), (4.6, 0.6), "$v_0$", "above-end", sk.MOTION)
    sk.arrow(ax, (2.0, 0.22), (2.0 + pull, 0.22), "$kw$", "right-end")
    sk.arrow(ax, (-1.0, top - 0.75), (-1.0, top - 0.05), "$y_1$", "left-end", sk.MOTION)
    sk.arrow(ax, (-3.4, 0.3), (-2.5, 0.3), "$x_2$", "above", sk.MOTION)
    text = (
        r"$m_1\ddot{y}_1 = -F + \lambda_N\cos\gamma + \lambda_T\sin\gamma$",
        r"$m_2\ddot{x}_2 = kw + \lambda_N\sin\gamma - \lambda_T\cos\gamma$",
        r"$w = v_0 t - x_2$",
    )
    ax.text(2.4, 4.6, "\n".join(text), va="top", linespacing=1.9)


def compute_impact() -> FigureData:
    """Velocities at the start of an impact: (6.1) and (6.2), for α = β + γ."""
    beta, speed = math.radians(35.0), 1.0
    alpha = beta + STEEP.angle
    velocity = np.array([-speed * math.cos(beta), speed * math.sin(beta)])
    data = STEEP.contact_data(0.0, velocity)
    checks = [
        Check(
            "ġ_N before",
            "m/s",
            float(data.gap_velocity[0]),
            -speed * math.cos(alpha),
            2e-16,
            FORM,
            f"{SOURCE}, (6.2): −v·cos α",
        ),
        Check(
            "ġ_T before",
            "m/s",
            float(data.sliding_velocity[0]),
            -speed * math.sin(alpha),
            2e-16,
            FORM,
            f"{SOURCE}, (6.2): −v·sin α",
        ),
    ]
    columns: dict[str, Any] = {
        "upper": [velocity[0]],
        "lower": [velocity[1]],
        "gap": data.gap_velocity,
        "sliding": data.sliding_velocity,
    }
    given = inputs(
        "chosen", "the figure has no numbers", ("γ", 25.0, "°"), ("β", 35.0, "°"), ("v", speed, "m/s")
    )
    return FigureData({"": Series(columns, dict.fromkeys(columns, "m/s"))}, checks, given)


def draw_impact(data: FigureData, figure: Canvas) -> None:
    """Draw both bodies shortly before they meet, and the relative velocity against the flank."""
    ax = figure.subplots()
    sk.start(ax, (-3.4, 7.4), (-0.5, 4.2))
    wedge.lower(ax, STEEP, "2")
    top = wedge.upper(ax, STEEP, "1", lift=0.35)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    rows = data[""]
    upper, lower = 1.1 * float(rows["upper"][0]), 1.1 * float(rows["lower"][0])
    sk.arrow(
        ax, (0.0, top + 1.0), (0.0, top + 1.0 + upper), r"$\dot{y}_1 = -v\cos\beta$", "right-start", sk.MOTION
    )
    sk.arrow(ax, (2.1, 0.4), (2.1 + lower, 0.4), r"$\dot{x}_2 = v\sin\beta$", "above-end", sk.MOTION)
    at, size = (5.3, 3.4), 2.3
    relative = (-lower / 1.1, upper / 1.1)  # of body 1 as seen from body 2
    tip = (at[0] + size * relative[0], at[1] + size * relative[1])
    (tx, ty), (nx, ny) = wedge.flank(STEEP)
    sk.line(ax, (tip[0] - 1.3 * tx, tip[1] - 1.3 * ty), (tip[0] + 2.6 * tx, tip[1] + 2.6 * ty), linewidth=1.2)
    foot = (at[0], at[1] - size * math.cos(math.radians(35.0)))
    sk.line(ax, at, foot, linewidth=0.7, linestyle=":")
    along = (at[0] - tip[0]) * nx + (at[1] - tip[1]) * ny
    base = (at[0] - along * nx, at[1] - along * ny)
    sk.arrow(ax, at, tip, "$v$", "left", "#000000")
    sk.arrow(ax, at, base, r"$\dot{g}_N$", "right", sk.FORCE)
    sk.arrow(ax, base, tip, r"$\dot{g}_T$", "below", sk.FORCE)
    sk.angle(ax, at, 0.75, 235.0, 270.0, r"$\beta$", out=1.22)
    sk.angle(ax, at, 1.15, 235.0, 295.0, "", out=1.0)
    sk.text(ax, (at[0] + 0.2, at[1] - 1.33), r"$\alpha$")
    sk.text(ax, (5.3, 3.85), r"velocity of body 1 relative to body 2, $\alpha = \beta + \gamma$", fontsize=7)


FIGURES = (
    Figure(
        "chatter_4_1",
        "kinematics of the wedge gear",
        f"{SOURCE}, figure 4.1",
        compute_kinematics,
        draw_kinematics,
        72.0,
    ),
    Figure(
        "chatter_4_2",
        "kinetics of the wedge gear",
        f"{SOURCE}, figure 4.2",
        compute_kinetics,
        draw_kinetics,
        78.0,
    ),
    Figure(
        "chatter_6_1",
        "velocities at the start of an impact",
        f"{SOURCE}, figure 6.1",
        compute_impact,
        draw_impact,
        72.0,
    ),
)
