"""What the wedge gear is: figures 2.3, 2.4, 2.6–2.8, 2.10, 4.1, 4.2, 4.4 and 6.1 of Hinrichsen.

Drawn from the gear's own data: flank, gradients, forces and velocities in their true directions, forces of one
picture on one scale. Contact forces act on the upper wedge as λ_N·n + λ_T·t and on the lower one the other way
round, with n = (−sin γ, cos γ) and t = (cos γ, sin γ).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.figures import _sketch as sk
from stickslip.figures._check import Check, Origin
from stickslip.figures._data import Figure, FigureData, Series
from stickslip.figures._gears import SET_1, SET_2, SOURCE, wedge_inputs
from stickslip.figures._input import inputs
from stickslip.machines import WedgeGear

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip.machines.wedge_states import Direction

FORM, SAID = Origin.CLOSED_FORM, Origin.PUBLISHED
STEEP: WedgeGear = dataclasses.replace(
    SET_1, angle=math.radians(25.0)
)  # so steep that the angles can be seen


def _flank(gear: WedgeGear) -> tuple[tuple[float, float], tuple[float, float]]:
    """Tangent t1 and normal n1 of the flank in the plane (4.3)."""
    return (math.cos(gear.angle), math.sin(gear.angle)), (-math.sin(gear.angle), math.cos(gear.angle))


def _lower(ax: Axes, gear: WedgeGear, words: str = "$m_2$", shift: float = 0.0, base: float = 0.55) -> None:
    rise = 2.0 * math.tan(gear.angle)
    sk.polygon(
        ax,
        [(shift - 2.0, 0.0), (shift + 2.0, 0.0), (shift + 2.0, base + 2 * rise), (shift - 2.0, base)],
    )
    sk.text(ax, (shift + 1.45, 0.35 * (base + rise)), words)


def _upper(ax: Axes, gear: WedgeGear, words: str = "$m_1$", lift: float = 0.0, base: float = 0.55) -> float:
    """Draw the upper wedge over the middle of the lower one; return the height of its top."""
    slope = math.tan(gear.angle)
    middle, half, height = base + 2.0 * slope + lift, 0.6, 1.0
    sk.polygon(
        ax,
        [
            (-half, middle - half * slope),
            (half, middle + half * slope),
            (half, middle + height),
            (-half, middle + height),
        ],
        fill=sk.SECOND,
    )
    sk.text(ax, (0.0, middle + 0.68 * height), words)
    return middle + height


def _guides(ax: Axes, top: float) -> None:
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    sk.ground(ax, (-0.66, top + 0.1), (-0.66, top - 0.42))
    sk.ground(ax, (0.66, top - 0.42), (0.66, top + 0.1))


def _pictured(ax: Axes, gear: WedgeGear, title: str = "", right: float = 3.2, top: float = 3.4) -> float:
    sk.start(ax, (-3.2, right), (-0.35, top))
    _lower(ax, gear)
    height = _upper(ax, gear)
    _guides(ax, height)
    sk.angle(ax, (-2.0, 0.55), 1.0, 0.0, math.degrees(gear.angle), r"$\gamma$", out=1.2)
    sk.line(ax, (-2.0, 0.55), (-0.8, 0.55), linewidth=0.6, linestyle=":", zorder=4)
    if title:
        ax.set_title(title)
    return height


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
    top = _pictured(ax, STEEP, right=4.6)
    v1, v2 = data[""]["velocity"]
    sk.arrow(ax, (0.0, top + 0.95), (0.0, top + 0.1), r"$F$", "right-start")
    sk.arrow(ax, (3.1, 0.45), (2.1, 0.45), r"$K$", "above")
    sk.arrow(ax, (-1.1, top - 0.1), (-1.1, top - 0.1 + 1.4 * v1), r"$\dot{y}_1$", "left", sk.MOTION)
    sk.arrow(ax, (3.3, 1.5), (3.3 + v2, 1.5), r"$\dot{x}_2$", "above", sk.MOTION)
    sk.text(ax, (2.2, 3.0), "guides without friction,\nfriction $\\mu$ in the flank", ha="left")


def compute_oscillator() -> FigureData:
    """The chatter condition and the free oscillation of set 2, and the condition of set 1."""
    gear = SET_2
    critical = gear.upper_mass * math.tan(gear.angle) * math.tan(gear.friction_angle - gear.angle)
    checks = [
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
            SAID,
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
        (g.upper_mass, g.lower_mass, g.stiffness, g.pull_velocity, g.load, math.degrees(g.angle), g.friction)
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
    top = _pictured(ax, SET_2, right=5.0, top=3.3)
    sk.arrow(ax, (0.0, top + 0.8), (0.0, top + 0.05), "$F$", "right-start")
    sk.spring(ax, (2.0, 0.6), (3.6, 0.6), "$k$")
    sk.arrow(ax, (3.6, 0.6), (4.6, 0.6), "$v_0$", "above", sk.MOTION)
    sk.line(ax, (2.0, -0.05), (2.0, 0.0))
    sk.arrow(ax, (-2.0, 2.2), (-1.2, 2.2), "$x_2$", "above", sk.MOTION)
    sk.arrow(ax, (-0.95, top - 0.5), (-0.95, top + 0.3), "$y_1$", "left", sk.MOTION)
    sk.text(ax, (3.2, 2.2), r"$w = v_0 t - x_2$")
    sk.start(table, (0.0, 3.0), (0.0, 3.0))
    table.set_aspect("auto")
    rows = data[""]
    table.text(1.55, 2.75, "set 1", ha="center", fontweight="bold")
    table.text(2.2, 2.75, "set 2", ha="center", fontweight="bold")
    symbols = ("$m_1$", "$m_2$", "$k$", "$v_0$", "$F$", r"$\gamma$", r"$\mu$")
    for k, (symbol, unit) in enumerate(zip(symbols, rows["unit"], strict=True)):
        y = 2.4 - 0.34 * k
        table.text(0.3, y, symbol, ha="left")
        for x, name in ((1.55, "set 1"), (2.2, "set 2")):
            table.text(x, y, f"{float(rows[name][k]):.5g}", ha="center")
        table.text(2.65, y, {"deg": "°"}.get(str(unit), str(unit)), ha="left")


# -- 2.4 and 4.4: balance of forces in steady motion ---------------------------------------------------

STEADY = {  # γ and ρ in degrees
    "a": (25.0, 14.0),
    "b": (60.0, 14.0),
    "c": (25.0, 40.0),
    "d": (60.0, 75.0),
}


def _steady(angle: float, rho: float, direction: Direction = "lowering") -> tuple[float, float, float]:
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
    return gear.stiffness * 0.5 * (low + high), state.normal_force, sign * gear.friction * state.normal_force


def compute_balance() -> FigureData:
    """Find the pull that keeps up lowering at constant speed, by the sliding equations."""
    rows = [(name, g, r, *_steady(g, r)) for name, (g, r) in STEADY.items()]
    checks = [
        Check(
            f"{name}: γ = {g:.0f}°, ρ = {r:.0f}°: pull",
            "N",
            pull,
            100.0 * math.tan(math.radians(r - g)),
            1e-11,
            SAID,
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


def compute_blocked() -> FigureData:
    """Lifting at ρ > 90° − γ: the load that would have to lift by itself."""
    gamma, rho = 40.0, 60.0
    pull, normal, tangential = _steady(gamma, rho, "lifting")
    gear = dataclasses.replace(SET_2, angle=math.radians(40.0), friction=math.tan(math.radians(rho)))
    low = gear.stick_limits[0]
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
            "kw in steady lifting: it would have to pull",
            "N",
            pull,
            0.0,
            0.0,
            SAID,
            f"{SOURCE}, 4.3.3: F would have to point up",
            relation=">",
        ),
        Check("λ_N of that motion", "N", normal, 0.0, 0.0, FORM, "no contact could press so", relation="<"),
        Check(
            "lower limit of stick",
            "m",
            low,
            -math.inf,
            0.0,
            SAID,
            f"{SOURCE}, 4.3.3: it locks in both directions",
        )
        if math.isfinite(low)
        else Check(
            "lower limit of stick is −∞: locks both ways",
            "",
            float(low < 0.0),
            1.0,
            0.0,
            SAID,
            f"{SOURCE}, 4.3.3",
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
    _lower(ax, gear)
    lift = 0.45
    top = _upper(ax, gear, lift=lift)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    sk.arrow(ax, (3.2, 0.6), (2.05, 0.6), r"push $-kw$", "above")
    (tx, ty), (nx, ny) = _flank(gear)
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
        normal, tangential = state.normal_force, -sign * STEEP.friction * state.normal_force
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
                SAID,
                f"{SOURCE}, (2.1), (2.7)",
            ),
            Check(
                f"{direction}: balance of the lower wedge",
                "N",
                lower,
                0.0,
                2e-14,
                SAID,
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
    (tx, ty), (nx, ny) = _flank(STEEP)
    for k, (ax, title) in enumerate(
        zip(figure.subplots(1, 2), ("lifting: never critical", "lowering: may chatter"), strict=True)
    ):
        sk.start(ax, (-3.3, 3.6), (-0.4, 4.9))
        _lower(ax, STEEP)
        top = _upper(ax, STEEP, lift=0.85)
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


# -- 4.1, 4.2 and 6.1 ----------------------------------------------------------------------------------


def compute_kinematics() -> FigureData:
    """Gradients of the gap and of the sliding, against the vectors of the flank (4.3–4.8)."""
    data = STEEP.contact_data(0.0)
    t, n = map(np.array, _flank(STEEP))
    up, out = np.array([0.0, 1.0]), np.array([1.0, 0.0])  # directions of ẏ1 and ẋ2
    gap, sliding = [n @ up, -(n @ out)], [t @ up, -(t @ out)]
    worst = max(float(np.abs(data.normals[0] - gap).max()), float(np.abs(data.tangents[0] - sliding).max()))
    checks = [Check("gradients wrong by at most", "", worst, 0.0, 0.0, SAID, f"{SOURCE}, (4.5), (4.8)")]
    series = Series(
        {"coordinate": ["y1", "x2"], "∇g_N": data.normals[0], "∇g_T": data.tangents[0]},
        {"coordinate": "", "∇g_N": "", "∇g_T": ""},
    )
    return FigureData({"": series}, checks, inputs("chosen", "the figure has no numbers", ("γ", 25.0, "°")))


def draw_kinematics(data: FigureData, figure: Canvas) -> None:
    """Draw the flanks' vectors on the left, the gradients over the coordinates on the right."""
    ax, plane = figure.subplots(1, 2, width_ratios=[1.6, 1.0])
    sk.start(ax, (-3.4, 3.6), (-0.5, 4.3))
    _lower(ax, STEEP, "2")
    _upper(ax, STEEP, "1", lift=0.75)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    (tx, ty), (nx, ny) = _flank(STEEP)
    slope, base = math.tan(STEEP.angle), 0.55
    for x0, lift, sign, index, place in (
        (-1.6, 0.0, 1.0, "1", "left-end"),
        (1.35, 0.75, -1.0, "2", "right-end"),
    ):
        at = (x0, base + (x0 + 2.0) * slope + lift)
        if index == "2":
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
            "above-end" if index == "1" else "above",
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
    sk.arrow(ax, (0.95, 3.0), (0.95, 3.7), "$y_1$", "right-end", sk.MOTION)
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
    _lower(ax, STEEP)
    top = _upper(ax, STEEP, lift=1.0)
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    rows, scale = data[""], 0.0115
    load, pull, normal, tangential = (
        scale * float(rows[name][0]) for name in ("load", "pull", "normal", "tangential")
    )
    (tx, ty), (nx, ny) = _flank(STEEP)
    foot, below = (0.0, top - 1.0), (0.0, top - 2.0)
    sk.arrow(ax, (0.0, top + load), (0.0, top), "$F$", "right-start")
    sk.arrow(ax, foot, (foot[0] + normal * nx, foot[1] + normal * ny), r"$\lambda_N$", "left-end")
    sk.arrow(ax, foot, (foot[0] + tangential * tx, foot[1] + tangential * ty), r"$\lambda_T$", "right-end")
    sk.arrow(ax, below, (below[0] - normal * nx, below[1] - normal * ny), r"$\lambda_N$", "right-end")
    sk.arrow(ax, below, (below[0] - tangential * tx, below[1] - tangential * ty), r"$\lambda_T$", "left-end")
    sk.spring(ax, (2.0, 0.6), (3.7, 0.6), "$k$")
    sk.arrow(ax, (3.7, 0.6), (4.6, 0.6), "$v_0$", "above-end", sk.MOTION)
    sk.arrow(ax, (2.0, 0.22), (2.0 + pull, 0.22), "$kw$", "below-end")
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
            SAID,
            f"{SOURCE}, (6.2): −v·cos α",
        ),
        Check(
            "ġ_T before",
            "m/s",
            float(data.sliding_velocity[0]),
            -speed * math.sin(alpha),
            2e-16,
            SAID,
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
    _lower(ax, STEEP, "2")
    top = _upper(ax, STEEP, "1", lift=0.35)
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
    (tx, ty), (nx, ny) = _flank(STEEP)
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
    Figure("chatter_4_4", "lifting that locks", f"{SOURCE}, figure 4.4", compute_blocked, draw_blocked, 75.0),
    Figure(
        "chatter_6_1",
        "velocities at the start of an impact",
        f"{SOURCE}, figure 6.1",
        compute_impact,
        draw_impact,
        72.0,
    ),
)
