"""Figures 2.1, 2.2, 3.3 and 3.4 of Hinrichsen: friction over sliding speed, and the halves of Coulomb's law.

Self-locking concerns rest, ρ0 > γ; self-braking concerns motion, ρ(ġ_T) > γ (2.1). The source prints no
numbers in these figures. Friction is (3.46), the sum μg + (μ0 − μg)·exp(−|ġ_T|/a); in 2.2 it is a curve that
rises from rest to one maximum, μ0 + Δ·(v/v̂)·exp(1 − v/v̂).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import MM, SET_1, SOURCE
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip.machines import WedgeGear

ANGLE = math.radians(12.0)
STATIC, KINETIC, FALL = 0.32, 0.18, 0.02  # of 2.1: μ0, μg, a in m/s
REST, RISE, TOP = 0.16, 0.12, 0.04  # of 2.2: μ0, Δ, v̂ in m/s
LOAD, LEVELS = 10.0, (0.35, 0.25)  # of 3.3: N; μ0, μg
MASS, NORMAL, MU = 1.0, 1.0, 0.5  # of 3.4: kg, N


def _law() -> Any:
    import stickslip as ss

    return ss.Stribeck(static=STATIC, kinetic=KINETIC, stribeck_velocity=FALL, shape=1.0)


def _gear(law: Any, **changes: Any) -> WedgeGear:
    """The wedge gear of the source's set 1 with this law on its flank."""
    return dataclasses.replace(SET_1, angle=ANGLE, friction=law, **changes)


# -- 2.1 and 2.2 ---------------------------------------------------------------------------------------


def _left_alone(law: Any, speed: float) -> float:
    """Sliding speed (m/s) of a gear that lowers its load without a drive, 20 s after it started with this one."""
    import stickslip as ss

    # A spring without effect: F/k is 100 km.
    gear = _gear(law, stiffness=1e-3, pull_velocity=0.0)
    lower = speed * math.cos(ANGLE)
    start = {"lower.velocity": lower, "upper.velocity": -lower * math.tan(ANGLE)}
    return abs(float(ss.simulate(gear, 20.0, initial=start)["flank.velocity"][-1]))


def compute_braking() -> FigureData:
    """Find the speed up to which a falling curve keeps μ above tan γ, and simulate the gear below and above it."""
    law, slope = _law(), math.tan(ANGLE)
    gear = _gear(law)
    ((start, limit),) = gear.self_braking_speeds
    v = np.linspace(-0.06, 0.06, 481)
    closed = FALL * math.log((STATIC - KINETIC) / (slope - KINETIC))
    below, above = _left_alone(law, 0.9 * limit), _left_alone(law, 1.1 * limit)
    checks = [
        Check("self-braking from slow sliding on", "m/s", start, 0.0, 0.0, Origin.CLOSED_FORM, "μ(0+) = μ0"),
        Check(
            "10 % below that speed, left alone: ends at",
            "m/s",
            below,
            0.0,
            0.0,
            Origin.CLOSED_FORM,
            "it stops",
        ),
        Check(
            "10 % above: ends at",
            "m/s",
            above,
            1.1 * limit,
            0.0,
            Origin.CLOSED_FORM,
            "it runs away",
            relation=">",
        ),
        Check(
            "self-braking below",
            "m/s",
            limit,
            closed,
            1e-16,
            Origin.CLOSED_FORM,
            "a·ln((μ0 − μg)/(tan γ − μg))",
        ),
    ]
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("γ", 12.0, "°"),
        ("μ0", STATIC, ""),
        ("μg", KINETIC, ""),
        ("a", FALL, "m/s"),
    )
    friction = np.where(v == 0.0, gear.break_away_friction, gear.coefficient(np.abs(v)))
    columns = {"sliding velocity": v * MM, "friction": friction, "tan γ": np.full_like(v, slope)}
    limits = {"from": [-limit * MM], "to": [limit * MM]}
    return FigureData(
        {
            "": Series(columns, {"sliding velocity": "mm/s", "friction": "", "tan γ": ""}),
            "range": Series(limits, {"from": "mm/s", "to": "mm/s"}),
        },
        checks,
        given,
    )


def _hump(v: Any) -> Any:
    x = np.abs(v) / TOP
    return REST + RISE * x * np.exp(1.0 - x)


def compute_hump() -> FigureData:
    """Find the range of speeds in which a curve that starts below tan γ is above it."""
    import stickslip as ss

    slope = math.tan(ANGLE)
    law = ss.Curve(function=lambda v: math.copysign(float(_hump(v)), v), static=REST, velocity_scale=TOP)
    gear = _gear(law)
    ((low, high),) = gear.self_braking_speeds
    v = np.linspace(-0.15, 0.15, 601)
    # x·e^(1−x) = r has x = −W(−r/e): both branches of Lambert's function by their series-free iteration.
    r = (slope - REST) / RISE
    small, large = r / math.e, 1.0 + math.log(1.0 / r)
    for _ in range(300):
        small = r / math.e * math.exp(small)
        large = 1.0 + math.log(large / r)
    checks = [
        Check(
            "ρ0 − γ: not self-locking",
            "deg",
            math.degrees(gear.break_away_angle - ANGLE),
            math.degrees(math.atan(REST)) - 12.0,
            2e-15,
            Origin.CLOSED_FORM,
            "arctan μ0 − γ",
        ),
        Check("self-braking from", "m/s", low, TOP * small, 1e-16, Origin.CLOSED_FORM, "−v̂·W0(−r/e)"),
        Check("self-braking up to", "m/s", high, TOP * large, 1e-16, Origin.CLOSED_FORM, "−v̂·W−1(−r/e)"),
    ]
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("γ", 12.0, "°"),
        ("μ", f"{REST} + {RISE}·(v/v̂)·exp(1 − v/v̂)", ""),
        ("v̂", TOP, "m/s"),
    )
    friction = np.where(v == 0.0, gear.break_away_friction, gear.coefficient(np.abs(v)))
    columns = {"sliding velocity": v * MM, "friction": friction, "tan γ": np.full_like(v, slope)}
    limits = {"from": [-high * MM, low * MM], "to": [-low * MM, high * MM]}
    return FigureData(
        {
            "": Series(columns, {"sliding velocity": "mm/s", "friction": "", "tan γ": ""}),
            "range": Series(limits, {"from": "mm/s", "to": "mm/s"}),
        },
        checks,
        given,
    )


def draw_friction(data: FigureData, figure: Canvas) -> None:
    """Draw friction over sliding velocity with tan γ, the self-braking range shaded."""
    from stickslip.draw import style as _style

    ax, rows, spans = figure.subplots(), data[""], data["range"]
    for k, (start, end) in enumerate(zip(spans["from"], spans["to"], strict=True)):
        label = r"self-braking: $\rho(\dot{g}_T) > \gamma$" if k == 0 else None
        ax.axvspan(start, end, color="#DCEBF5", linewidth=0.0, zorder=0.3, label=label)
    ax.plot(rows["sliding velocity"], rows["friction"], color=_style.BLUE, label=r"$\mu(\dot{g}_T)$")
    ax.plot(
        rows["sliding velocity"], rows["tan γ"], color=_style.VERMILION, linestyle="--", label=r"$\tan\gamma$"
    )
    rest = rows["friction"][rows["sliding velocity"] == 0.0]
    ax.plot([0.0], rest, "o", color=_style.BLUE, markersize=4)
    ax.annotate(r"$\mu_0$", (0.0, float(rest[0])), xytext=(6, 4), textcoords="offset points")
    low, high = float(rows["sliding velocity"][0]), float(rows["sliding velocity"][-1])
    names = {
        1: (r"$\dot{g}_{Tu}$", r"$\dot{g}_{To}$"),
        2: (r"$\dot{g}_{T1}$", r"$\dot{g}_{T2}$"),
    }[len(spans["from"])]
    ends = (spans["from"][-1], spans["to"][-1])
    for x, name in zip(ends, names, strict=True):
        ax.axvline(x, color="#7A7A7A", linewidth=0.6, linestyle=":")
        ax.annotate(name, (x, 0.345), xytext=(4, 0), textcoords="offset points")
    ax.set(
        xlabel=r"sliding velocity $\dot{g}_T$ [mm/s]",
        ylabel=r"friction coefficient $\mu$",
        xlim=(low, high),
        ylim=(0.0, 0.37),
    )
    _draw.key(ax, 3)


# -- 3.3 -----------------------------------------------------------------------------------------------


def compute_laws() -> FigureData:
    """Evaluate Coulomb's law with one level, and Stribeck's curve from it down to the kinetic level."""
    import stickslip as ss

    static, kinetic = LEVELS
    coulomb, stribeck = (
        ss.Coulomb(kinetic=static),
        ss.Stribeck(static=static, kinetic=kinetic, stribeck_velocity=FALL, shape=1.0),
    )
    v = np.concatenate([np.linspace(-0.12, -1e-9, 200), np.linspace(1e-9, 0.12, 200)])
    # λ_T acts on the gap's tangent: it opposes the sliding velocity, so it is minus the force of the law.
    columns = {
        "sliding velocity": v * MM,
        "coulomb": -coulomb.force(v, LOAD),
        "stribeck": -stribeck.force(v, LOAD),
    }
    at = -float(stribeck.force(FALL, LOAD))
    expected = -LOAD * (kinetic + (static - kinetic) / math.e)
    checks = [
        Check(
            "Coulomb: λ_T in sliding",
            "N",
            float(columns["coulomb"][-1]),
            -static * LOAD,
            0.0,
            Origin.CLOSED_FORM,
            "−μ0·λ_N",
        ),
        Check("Stribeck: λ_T at ġ_T = a", "N", at, expected, 1e-15, Origin.CLOSED_FORM, "(3.46) at one a"),
        Check(
            "Stribeck: λ_T starts at",
            "N",
            float(columns["stribeck"][200]),
            -static * LOAD,
            1.01e-9 / FALL * (static - kinetic) * LOAD,
            Origin.CLOSED_FORM,
            "no jump out of stick",
        ),
    ]
    given = inputs(
        "chosen",
        "the figure has no numbers",
        ("λ_N", LOAD, "N"),
        ("μ0", static, ""),
        ("μg", kinetic, ""),
        ("a", FALL, "m/s"),
    )
    units = {"sliding velocity": "mm/s", "coulomb": "N", "stribeck": "N"}
    return FigureData({"": Series(columns, units)}, checks, given)


def draw_laws(data: FigureData, figure: Canvas) -> None:
    """Draw both laws; stick is the segment at zero velocity."""
    from stickslip.draw import style as _style

    ax, rows = figure.subplots(), data[""]
    v, level = rows["sliding velocity"], LEVELS[0] * LOAD
    positive = v > 0.0
    for name, colour, dashes, label in (
        ("coulomb", _style.BLUE, "-", "Coulomb"),
        ("stribeck", _style.VERMILION, (0, (5, 2)), "Stribeck (3.46)"),
    ):
        for k, part in enumerate((~positive, positive)):
            ax.plot(v[part], rows[name][part], color=colour, linestyle=dashes, label=label if k else None)
    ax.plot(
        [0.0, 0.0],
        [-level, level],
        color=_style.BLUE,
        linewidth=2.2,
        label=r"stick: $|\lambda_T| \leq \mu_0\lambda_N$",
    )
    ax.axhline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.set_yticks([-level, -LEVELS[1] * LOAD, 0.0, LEVELS[1] * LOAD, level])
    ax.set_yticklabels(
        [r"$-\mu_0\lambda_N$", r"$-\mu_g\lambda_N$", "0", r"$\mu_g\lambda_N$", r"$\mu_0\lambda_N$"]
    )
    ax.set(
        xlabel=r"sliding velocity $\dot{g}_T$ [mm/s]",
        ylabel=r"tangential force $\lambda_T$",
        xlim=(-120, 120),
        ylim=(-4.2, 4.2),
    )
    _draw.key(ax, 3)


# -- 3.4 -----------------------------------------------------------------------------------------------


def compute_halves() -> FigureData:
    """Solve (3.59) for a block at rest under a tangential force that sweeps from one side to the other."""
    from stickslip import lcp
    from stickslip.contact import Contacts

    pushes = np.linspace(-1.25, 1.25, 41) * NORMAL
    found = []
    for push in pushes:
        block = Contacts(
            mass=[MASS, MASS], force=[push, -NORMAL], normals=[[0.0, 1.0]], tangents=[[1.0, 0.0]], friction=MU
        )
        matrix, rhs = block.lcp()
        z = lcp.lemke(matrix, rhs).z
        found.append((*z, *(matrix @ z + rhs)))
    normal, plus, minus, back, forth, opens, up, down, left, right = np.array(found).T
    columns = {
        "push": pushes,
        "normal": normal,
        "plus": plus,
        "minus": minus,
        "z-": back,
        "z+": forth,
        "a+": up,
        "a-": down,
        "rest-": left,
        "rest+": right,
    }
    force, acceleration = plus - minus, up - back
    pairs = [normal * opens, plus * up, minus * down, back * left, forth * right]
    level = MU * NORMAL
    closed = Origin.CLOSED_FORM
    checks = [
        Check(
            "greatest product of a complementary pair",
            "Nm/s²",
            float(np.abs(pairs).max()),
            0.0,
            1e-16,
            closed,
            "wᵀz = 0 (3.59)",
        ),
        Check(
            "λ_H is wrong by at most",
            "N",
            float(np.abs(force + np.clip(pushes, -level, level)).max()),
            0.0,
            1e-15,
            closed,
            "−f, at most μ0·λ_N",
        ),
        Check(
            "g̈_T is wrong by at most",
            "m/s²",
            float(np.abs(acceleration - (pushes - np.clip(pushes, -level, level)) / MASS).max()),
            0.0,
            1e-15,
            closed,
            "(f − clip f)/m",
        ),
    ]
    given = inputs(
        "chosen",
        "a block on a plane; the figure has no numbers",
        ("m", MASS, "kg"),
        ("λ_N", NORMAL, "N"),
        ("μ0", MU, ""),
        ("f", "−1.25 … 1.25 N", ""),
    )
    units = dict.fromkeys(columns, "N") | dict.fromkeys(("z-", "z+", "a+", "a-"), "m/s²")
    return FigureData({"": Series(columns, units)}, checks, given)


def _law_axes(ax: Axes, x: str, y: str) -> None:
    ax.axhline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.axvline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.set(xlabel=x, ylabel=y)
    ax.grid(False)


def draw_halves(data: FigureData, figure: Canvas) -> None:
    """Draw Coulomb's law over acceleration on the left, its four corners on the right."""
    from stickslip.draw import style as _style

    parts: Any = figure.subfigures(1, 2, width_ratios=[1.0, 1.5])
    left, right = parts
    rows, level = data[""], MU * NORMAL
    ax = left.subplots()
    reach = 0.85
    ax.plot([-reach, 0.0, 0.0, reach], [level, level, -level, -level], color=_style.BLUE, label="law (3.48)")
    style = {
        "marker": "o",
        "markersize": 3.5,
        "linestyle": "none",
        "color": _style.VERMILION,
        "clip_on": False,
    }
    ax.plot(rows["a+"] - rows["z-"], rows["plus"] - rows["minus"], label="solutions of (3.59)", **style)
    _law_axes(ax, r"acceleration $\ddot{g}_T$ [m/s²]", r"tangential force $\lambda_H$ [N]")
    ax.set(xlim=(-reach, reach), ylim=(-0.75, 0.75))
    ax.legend(loc="upper right")
    ax.set_title("Coulomb's law")
    cells = right.subplots(2, 2)
    for cell, x, y, names in zip(
        cells.flat,
        ("a+", "a-", "z-", "z+"),
        ("plus", "minus", "rest-", "rest+"),
        (
            (r"$\ddot{g}_T^{+}$ [m/s²]", r"$\lambda_H^{(+)}$ [N]"),
            (r"$\ddot{g}_T^{-}$ [m/s²]", r"$\lambda_H^{(-)}$ [N]"),
            (r"$z^{-}$ [m/s²]", r"$\lambda_{H0}^{(-)}$ [N]"),
            (r"$z^{+}$ [m/s²]", r"$\lambda_{H0}^{(+)}$ [N]"),
        ),
        strict=True,
    ):
        cell.plot([0.0, 0.0, reach], [0.72, 0.0, 0.0], color=_style.BLUE, linewidth=2.0)
        cell.plot(rows[x], rows[y], **style)
        cell.set(xlim=(-0.12, reach), ylim=(-0.08, 0.72), xlabel=names[0], ylabel=names[1])
        cell.grid(False)
    right.suptitle("its four complementary pairs", x=0.04, ha="left", fontsize=8)


FIGURES = (
    Figure(
        "chatter_2_1",
        "friction that locks and brakes",
        f"{SOURCE}, figure 2.1",
        compute_braking,
        draw_friction,
        70.0,
    ),
    Figure(
        "chatter_2_2",
        "friction that brakes but does not lock",
        f"{SOURCE}, figure 2.2",
        compute_hump,
        draw_friction,
        70.0,
    ),
    Figure(
        "chatter_3_3",
        "Coulomb's law and Stribeck's curve",
        f"{SOURCE}, figure 3.3",
        compute_laws,
        draw_laws,
        70.0,
    ),
    Figure(
        "chatter_3_4",
        "Coulomb's law in complementary pairs",
        f"{SOURCE}, figure 3.4",
        compute_halves,
        draw_halves,
        80.0,
    ),
)
