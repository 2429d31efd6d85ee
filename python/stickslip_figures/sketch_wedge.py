"""Geometry and force balance of the wedge gear: figures 2.3, 2.4, 2.6 to 2.8, 2.10 and 4.4 of Hinrichsen."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip.draw import wedge
from stickslip.draw.drawing import show
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import SET_1, SET_2, SOURCE, STEEP, steady, wedge_inputs
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip.machines import WedgeGear
    from stickslip.machines.wedge_states import Direction

FORM, PRINTED, SAID = Origin.CLOSED_FORM, Origin.PRINTED, Origin.CLAIMED


# -- 2.3 and 2.8 with 2.10 -----------------------------------------------------------------------------


def compute_gear() -> FigureData:
    """Kinematics of sliding contact: ẏ1 = −ẋ2·tan γ, from the gradients of the gap and of the sliding."""
    data = STEEP.contact_data(0.0)
    velocity = np.array([-math.tan(STEEP.angle), 1.0])
    checks = [
        Check(
            "ġ_N in sliding, ẋ2 = 1 m/s",
            "m/s",
            float((data.normals @ velocity)[0]),
            0.0,
            1e-16,
            FORM,
            "ẏ1 = −ẋ2·tan γ",
        ),
        Check(
            "ġ_T in lowering, ẋ2 = 1 m/s",
            "m/s",
            float((data.tangents @ velocity)[0]),
            -1.0 / math.cos(STEEP.angle),
            3e-16,
            FORM,
            "−ẋ2/cos γ",
        ),
    ]
    series = Series(
        {
            "coordinate": ["y1", "x2"],
            "gap": data.normals[0],
            "sliding": data.tangents[0],
            "velocity": velocity,
        },
        {"coordinate": "", "gap": "", "sliding": "", "velocity": "m/s"},
    )
    return FigureData({"": series}, checks, inputs("chosen", "the figure has no numbers", ("γ", 25.0, "°")))


def draw_gear(data: FigureData, figure: Canvas) -> None:
    """Draw the two wedges with their forces and velocities."""
    ax = figure.subplots()
    sk.start(ax, (-3.2, 4.6), (-0.35, 3.8))
    top = wedge.pictured(ax, STEEP)
    v1, v2 = data[""]["velocity"]
    sk.arrow(ax, (0.0, top + 0.95), (0.0, top + 0.1), r"$F$", "right-start")
    sk.arrow(ax, (3.1, 0.45), (2.1, 0.45), r"$K$", "above")
    sk.arrow(ax, (-1.1, top - 0.1), (-1.1, top - 0.1 + 1.4 * v1), r"$\dot{y}_1$", "left", sk.MOTION)
    sk.arrow(ax, (3.3, 1.5), (3.3 + v2, 1.5), r"$\dot{x}_2$", "above", sk.MOTION)
    sk.text(ax, (2.2, 3.0), "guides without friction,\nfriction $\\mu$ in the flank", ha="left")


def compute_oscillator() -> FigureData:
    """The chatter condition and the free oscillation of set 2, and the condition of set 1."""
    gear = SET_2
    import stickslip as ss

    first = ss.simulate(SET_1, t_end=1.0, dt=0.5).events[0].time
    critical = gear.upper_mass * math.tan(gear.angle) * math.tan(gear.friction_angle - gear.angle)
    checks = [
        Check("set 1: first stick ends", "s", float(first), 0.873, 5e-4, PRINTED, f"{SOURCE}, (2.34)"),
        Check(
            "set 2 chatters below m2",
            "kg",
            gear.critical_lower_mass,
            critical,
            4e-15,
            FORM,
            "m1·tan γ·tan(ρ − γ)",
        ),
        Check(
            "set 2 chatters below m2, printed",
            "kg",
            gear.critical_lower_mass,
            17.963,
            5e-4,
            PRINTED,
            f"{SOURCE}, 2.4.2",
        ),
        Check(
            "set 1: chatter margin",
            "kg",
            SET_1.chatter_margin,
            0.0,
            0.0,
            SAID,
            f"{SOURCE}, 2.4.2: no chatter",
            relation=">",
        ),
        Check(
            "set 2: chatter margin",
            "kg",
            gear.chatter_margin,
            0.0,
            0.0,
            SAID,
            f"{SOURCE}, 2.4.2: chatters",
            relation="<",
        ),
    ]
    names = (
        "upper mass m1",
        "lower mass m2",
        "stiffness k",
        "pull velocity v0",
        "load F",
        "angle γ",
        "friction μ",
    )
    values = [
        (
            g.upper_mass,
            g.lower_mass,
            g.stiffness,
            g.pull_velocity,
            g.load,
            math.degrees(g.angle),
            g.kinetic_friction,
        )
        for g in (SET_1, SET_2)
    ]
    units = ["kg", "kg", "N/m", "m/s", "N", "deg", ""]
    columns: dict[str, Any] = {
        "parameter": list(names),
        "unit": units,
        "set 1": values[0],
        "set 2": values[1],
    }
    return FigureData({"": Series(columns, dict.fromkeys(columns, ""))}, checks, wedge_inputs(gear))


def draw_oscillator(data: FigureData, figure: Canvas) -> None:
    """Draw the gear with its spring, and both sets of parameters beside it."""
    ax, table = figure.subplots(1, 2, width_ratios=[1.7, 1.0])
    show(wedge.WedgeDrawing(SET_2, numbers=False), ax)
    ax.set_title(r"$w = v_0 t - x_2$")
    sk.start(table, (0.0, 3.0), (0.0, 3.0))
    table.set_aspect("auto")
    rows = data[""]
    table.text(1.4, 2.75, "set 1", ha="center", fontweight="bold")
    table.text(2.15, 2.75, "set 2", ha="center", fontweight="bold")
    symbols = ("$m_1$", "$m_2$", "$k$", "$v_0$", "$F$", r"$\gamma$", r"$\mu$")
    for k, (symbol, unit) in enumerate(zip(symbols, rows["unit"], strict=True)):
        y = 2.4 - 0.34 * k
        table.text(0.3, y, symbol, ha="left")
        for x, name in ((1.4, "set 1"), (2.15, "set 2")):
            table.text(x, y, f"{float(rows[name][k]):.5g}", ha="center")
        table.text(2.65, y, {"deg": "°"}.get(str(unit), str(unit)), ha="left")


# -- 2.4 and 4.4: balance of forces in steady motion ---------------------------------------------------

STEADY = {  # γ and ρ in degrees
    "a": (25.0, 14.0),
    "b": (60.0, 14.0),
    "c": (25.0, 40.0),
    "d": (60.0, 75.0),
}


def compute_balance() -> FigureData:
    """Find the pull that keeps up lowering at constant speed, by the sliding equations."""
    rows = [(name, g, r, *steady(g, r)) for name, (g, r) in STEADY.items()]
    checks = [
        Check(
            f"{name}: γ = {g:.0f}°, ρ = {r:.0f}°: pull",
            "N",
            pull,
            100.0 * math.tan(math.radians(r - g)),
            5e-13,
            FORM,
            f"{SOURCE}, (2.12), (2.16): F·tan(ρ − γ)",
        )
        for name, g, r, pull, _, _ in rows
    ]
    names = ("panel", "γ", "ρ", "pull", "normal", "tangential")
    units = ("", "deg", "deg", "N", "N", "N")
    series = Series(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)),
        dict(zip(names, units, strict=True)),
    )
    pairs = ", ".join(f"{g:.0f}°/{r:.0f}°" for g, r in STEADY.values())
    given = inputs("chosen", "the figure has no numbers", ("F", 100.0, "N"), ("γ/ρ", pairs, ""))
    return FigureData({"": series}, checks, given)


def _triangle(ax: Axes, at: tuple[float, float], scale: float, load: float, pull: float) -> None:
    """Forces on the lower wedge: from the contact (grey), the pull, and the support of the ground, which is F."""
    x, y = at
    foot = (x, y - scale * load)
    tip = (x - scale * pull, y - scale * load)
    sk.arrow(ax, at, tip, "", colour="#7A7A7A")
    sk.arrow(ax, tip, foot, r"$kw$", "below")
    sk.arrow(ax, foot, at, "$F$", "right" if pull > 0.0 else "left")


def draw_balance(data: FigureData, figure: Canvas) -> None:
    """Draw the four cases: wedges in motion, their contact force, and the triangle of forces."""
    rows = data[""]
    for k, ax in enumerate(figure.subplots(2, 2).flat):
        gamma, rho, pull = float(rows["γ"][k]), float(rows["ρ"][k]), float(rows["pull"][k])
        gear = dataclasses.replace(SET_1, angle=math.radians(gamma))
        braking = rho > gamma
        sk.start(ax, (-2.7, 5.3), (-0.5, 3.1))
        slope, half = math.tan(gear.angle), 0.5 if gamma > 45.0 else 1.2
        base, width = 0.35, half
        sk.polygon(ax, [(-width, 0.0), (width, 0.0), (width, base + 2 * width * slope), (-width, base)])
        sk.ground(ax, (-1.9, 0.0), (1.9, 0.0))
        middle = base + width * slope
        small = 0.45 * width
        cap = middle + small * slope + 0.45
        sk.polygon(
            ax,
            [(-small, middle - small * slope), (small, middle + small * slope), (small, cap), (-small, cap)],
            fill=sk.SECOND,
        )
        sk.arrow(ax, (0.0, cap + 0.75), (0.0, cap + 0.05), "$F$", "right-start")
        size = min(1.0, 0.9 * abs(math.tan(math.radians(rho - gamma))) + 0.25)
        if braking:
            sk.arrow(ax, (width, 0.25), (width + size, 0.25), "$kw$", "above-end")
        else:
            sk.arrow(ax, (width + size, 0.25), (width, 0.25), "$kw$", "above-start")
        sk.arrow(ax, (-width - 0.95, 0.9), (-width - 0.25, 0.9), r"$\dot{x}_2$", "above", sk.MOTION)
        _triangle(ax, (3.5, 2.1), 0.0125, 100.0, pull)
        sk.text(ax, (3.7, 2.45), r"$F\,\tan(\rho-\gamma)$" + f" = {pull:.1f} N".replace("-", "−"), fontsize=7)
        kind = "self-braking: it must be pulled" if braking else "not self-braking: it gives off power"
        ax.set_title(rf"$\gamma$ = {gamma:.0f}°, $\rho$ = {rho:.0f}°: {kind}")


def _slides_when_pushed(gear: WedgeGear, push: float) -> bool:
    """True if the contact problem of a gear at rest, pushed with a force (N), has a sliding solution."""
    from stickslip.contact import transitions

    data = gear.contact_data(-push / gear.stiffness)
    found = transitions(data.mass, data.force, data.normals, data.tangents, friction=data.friction)
    return any(modes[0].startswith("slip") for modes in found.modes)


def compute_blocked() -> FigureData:
    """Lifting at ρ > 90° − γ: the load that would have to lift by itself."""
    gamma, rho = 40.0, 60.0
    pull, normal, tangential = steady(gamma, rho, "lifting")
    gear = dataclasses.replace(SET_2, angle=math.radians(40.0), friction=math.tan(math.radians(rho)))
    slides = float(_slides_when_pushed(gear, 1e6))
    checks = [
        Check(
            "kw in steady lifting",
            "N",
            pull,
            -100.0 * math.tan(math.radians(gamma + rho)),
            1e-9,
            FORM,
            "−F·tan(γ + ρ)",
        ),
        Check(
            "λ_N of that motion, which no contact could press",
            "N",
            normal,
            100.0 * math.cos(math.radians(rho)) / math.cos(math.radians(gamma + rho)),
            1e-9,
            FORM,
            "F·cos ρ/cos(γ + ρ)",
        ),
        Check(
            "slides when pushed with 1 MN", "", slides, 0.0, 0.0, SAID, f"{SOURCE}, 4.3.3: it locks both ways"
        ),
    ]
    series = Series(
        {"pull": [pull], "normal": [normal], "tangential": [tangential]},
        dict.fromkeys(("pull", "normal", "tangential"), "N"),
    )
    given = inputs(
        "chosen", "the figure has no numbers", ("F", 100.0, "N"), ("γ", gamma, "°"), ("ρ", rho, "°")
    )
    return FigureData({"": series}, checks, given)


def draw_blocked(data: FigureData, figure: Canvas) -> None:
    """Draw the push on the lower wedge, and the contact force that points down on the upper one."""
    ax = figure.subplots()
    gear = dataclasses.replace(SET_2, angle=math.radians(40.0))
    sk.start(ax, (-3.6, 6.2), (-0.4, 4.9))
    wedge.lower(ax, gear)
    lift = 0.45
    top = wedge.upper(ax, gear, lift=lift)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    sk.arrow(ax, (3.2, 0.6), (2.05, 0.6), r"push $-kw$", "above")
    (tx, ty), (nx, ny) = wedge.flank(gear)
    rho = math.radians(60.0)
    foot = (0.0, top - 1.0)
    normal = 0.75
    sk.arrow(ax, foot, (foot[0] + normal * nx, foot[1] + normal * ny), r"$\lambda_N$", "left-end")
    slide = normal * math.tan(rho)
    sk.arrow(ax, foot, (foot[0] - slide * tx, foot[1] - slide * ty), r"$\lambda_T$", "below-end")
    rx, ry = normal * nx - slide * tx, normal * ny - slide * ty
    sk.arrow(ax, foot, (foot[0] + rx, foot[1] + ry), r"$\lambda_N + \lambda_T$", "left-end", "#000000")
    sk.arrow(ax, (0.0, top + 0.05), (0.0, top + 0.75), "", colour=sk.MOTION)
    sk.label(ax, (0.0, top + 0.4), r"$\dot{y}_1 > 0$", "right", sk.MOTION)
    sk.angle(ax, (-2.0, 0.55), 0.9, 0.0, 40.0, r"$\gamma$", out=1.2)
    words = (
        r"$\rho > 90° - \gamma$: the contact force on the",
        r"upper wedge points down, like the load.",
        "Lifting could go on only if $F$ pulled up:",
        "the gear locks in this direction too.",
    )
    ax.text(3.4, 3.6, "\n".join(words), va="top", linespacing=1.5)


# -- 2.6 and 2.7 ---------------------------------------------------------------------------------------


def compute_directions() -> FigureData:
    """Forces while lifting (K = 60 N to the left) and lowering (kw = 0), by the sliding equations."""
    lifting_extension = -60.0 / STEEP.stiffness
    rows, checks = [], []
    cases: tuple[tuple[Direction, float, float], ...] = (
        ("lifting", lifting_extension, 1.0),
        ("lowering", 0.0, -1.0),
    )
    for direction, extension, sign in cases:
        state = STEEP.sliding(extension, direction)
        pull = STEEP.stiffness * extension
        normal, tangential = state.normal_force, -sign * STEEP.kinetic_friction * state.normal_force
        s, c = math.sin(STEEP.angle), math.cos(STEEP.angle)
        upper = normal * c + tangential * s - STEEP.load - STEEP.upper_mass * state.upper_acceleration
        lower = normal * s - tangential * c + pull - STEEP.lower_mass * state.lower_acceleration
        checks += [
            Check(
                f"{direction}: balance of the upper wedge",
                "N",
                upper,
                0.0,
                2e-14,
                FORM,
                f"{SOURCE}, (2.1), (2.7)",
            ),
            Check(
                f"{direction}: balance of the lower wedge",
                "N",
                lower,
                0.0,
                2e-14,
                FORM,
                f"{SOURCE}, (2.1), (2.7)",
            ),
        ]
        rows.append((direction, pull, normal, tangential, state.upper_acceleration, state.lower_acceleration))
    names = ("direction", "pull", "normal", "tangential", "upper acceleration", "lower acceleration")
    units = ("", "N", "N", "N", "m/s²", "m/s²")
    series = Series(
        dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)),
        dict(zip(names, units, strict=True)),
    )
    given = inputs(
        "chosen",
        "the figures have no numbers; masses of set 1",
        ("γ", 25.0, "°"),
        ("ρ", 14.0, "°"),
        ("F", 100.0, "N"),
        ("K", "60 N in lifting, 0 in lowering", ""),
    )
    return FigureData({"": series}, checks, given)


def draw_directions(data: FigureData, figure: Canvas) -> None:
    """Draw both directions, the wedges taken apart, forces to scale."""
    rows, scale = data[""], 0.011
    (tx, ty), (nx, ny) = wedge.flank(STEEP)
    for k, (ax, title) in enumerate(
        zip(figure.subplots(1, 2), ("lifting: never critical", "lowering: may chatter"), strict=True)
    ):
        sk.start(ax, (-3.3, 3.6), (-0.4, 4.9))
        wedge.lower(ax, STEEP)
        top = wedge.upper(ax, STEEP, lift=0.85)
        sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
        normal, tangential, pull = (scale * float(rows[name][k]) for name in ("normal", "tangential", "pull"))
        foot, below = (0.0, top - 1.0), (0.0, top - 1.85)
        sk.arrow(ax, (0.0, top + scale * 100.0), (0.0, top), "$F$", "right-start")
        side = "left-end" if tangential < 0.0 else "right-end"
        other = "right-end" if tangential < 0.0 else "left-end"
        sk.arrow(ax, foot, (foot[0] + normal * nx, foot[1] + normal * ny), r"$\lambda_N$", "left-end")
        sk.arrow(ax, foot, (foot[0] + tangential * tx, foot[1] + tangential * ty), r"$\lambda_T$", side)
        sk.arrow(ax, below, (below[0] - normal * nx, below[1] - normal * ny), r"$\lambda_N$", "right-end")
        sk.arrow(ax, below, (below[0] - tangential * tx, below[1] - tangential * ty), r"$\lambda_T$", other)
        if pull:
            sk.arrow(ax, (2.05 - pull, 0.6), (2.05, 0.6), "$K$", "above")
        way = -1.0 if k == 0 else 1.0
        sk.arrow(ax, (-2.6 - 0.35 * way, 1.2), (-2.6 + 0.35 * way, 1.2), r"$\dot{x}_2$", "above", sk.MOTION)
        sk.arrow(
            ax,
            (1.0, top - 0.3 + 0.35 * way),
            (1.0, top - 0.3 - 0.35 * way),
            r"$\dot{y}_1$",
            "right",
            sk.MOTION,
        )
        ax.set_title(title)


FIGURES = (
    Figure("chatter_2_3", "the wedge gear", f"{SOURCE}, figure 2.3", compute_gear, draw_gear, 68.0),
    Figure(
        "chatter_2_4",
        "forces in steady lowering",
        f"{SOURCE}, figure 2.4",
        compute_balance,
        draw_balance,
        100.0,
    ),
    Figure(
        "chatter_2_7",
        "lifting and lowering, free bodies",
        f"{SOURCE}, figures 2.6 and 2.7",
        compute_directions,
        draw_directions,
        75.0,
    ),
    Figure(
        "chatter_2_8",
        "the wedge gear as an oscillator",
        f"{SOURCE}, figures 2.8 and 2.10",
        compute_oscillator,
        draw_oscillator,
        58.0,
    ),
    Figure("chatter_4_4", "lifting that locks", f"{SOURCE}, figure 4.4", compute_blocked, draw_blocked, 75.0),
)
