"""Figures 5.2–5.4 of Hinrichsen: the laws of impact in compression and expansion, with impacts that obey them.

Every point is one impact of a unit point mass that the engine has solved: on a floor, approach and sideways
speed varied; on floor and wall at once, where the normal impulse of the expansion can exceed ε·Λ_NC. In the
reversible law (5.3) the smallest tangential impulse of the expansion is moved from −μ·Λ_NE to the other side,
so that a part of the stored impulse comes back and the contact leaves backwards; impacts of all sideways speeds
lie on it. The source prints no numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import SOURCE
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MU, EPSILON = 0.5, 0.5
SIDEWAYS = np.linspace(-1.5, 1.5, 31)  # m/s, at an approach of 1 m/s
NORMALS = np.linspace(-1.0, 1.0, 21)  # m/s, positive leaves
TANGENTIAL_RESTITUTION = 0.6

N_C, T_C = r"$\Lambda_{NC}$", r"$\Lambda_{TC}$"
COMPRESSION_SPEED = r"$\dot{g}_{TC}$ [m/s]"


def _hit(velocity: tuple[float, float], reversal: float | None = None) -> Any:
    """The only outcome of a unit point mass on the floor at that velocity (sideways, up)."""
    from stickslip.contact import impact

    (one,) = impact(
        [1.0, 1.0],
        velocity,
        [[0.0, 1.0]],
        [[1.0, 0.0]],
        friction=MU,
        restitution=EPSILON,
        tangential_restitution=reversal,
    )
    return one


def on_floor() -> Series:
    """Impacts on the floor with all sideways speeds, at an approach of 1 m/s."""
    rows = []
    for side in SIDEWAYS:
        one = _hit((float(side), -1.0))
        normal, tangential = one.compression_normal_impulse[0], -one.compression_friction_impulse[0]
        rows.append(
            (
                side,
                normal,
                tangential,
                side + tangential,
                -1.0 + normal,
                one.normal_impulse[0] - normal,
                -one.friction_impulse[0] - tangential,
                one.tangent_velocity[0],
                one.normal_velocity[0],
            )
        )
    names = ("sideways", "NC", "TC", "gTC", "gNC", "NE", "TE", "gTE", "gNE")
    units = ("m/s", "Ns", "Ns", "m/s", "m/s", "Ns", "Ns", "m/s", "m/s")
    return Series(dict(zip(names, np.array(rows).T, strict=True)), dict(zip(names, units, strict=True)))


def head_on() -> Series:
    """Frictionless normal impulses: approaching, resting and leaving."""
    from stickslip.contact import impact

    rows = []
    for speed in NORMALS:
        (one,) = impact([1.0], [float(speed)], [[1.0]], restitution=EPSILON)
        compressed = one.compression_normal_impulse[0]
        rows.append((speed, compressed, speed + compressed))
    names = ("speed", "NC", "gNC")
    return Series(
        dict(zip(names, np.array(rows).T, strict=True)), dict(zip(names, ("m/s", "Ns", "m/s"), strict=True))
    )


def _corner() -> Series:
    """Two contacts at once, their normals 120° apart: in the expansion one can need more than ε·Λ_NC."""
    from stickslip.contact import impact

    first, second = (
        np.array([1.0, 0.0]),
        np.array([math.cos(math.radians(120.0)), math.sin(math.radians(120.0))]),
    )
    rows = []
    for direction in np.radians(np.linspace(125.0, 355.0, 47)):
        velocity = (math.cos(direction), math.sin(direction))
        for one in impact([1.0, 1.0], velocity, [first, second], restitution=[0.0, EPSILON]):
            spare = one.normal_impulse - one.compression_normal_impulse
            for k, epsilon in enumerate((0.0, EPSILON)):
                rows.append(
                    (
                        math.degrees(direction),
                        k,
                        spare[k] - epsilon * one.compression_normal_impulse[k],
                        one.normal_velocity[k],
                    )
                )
    names = ("direction", "contact", "NP", "gNE")
    units = ("deg", "", "Ns", "m/s")
    return Series(dict(zip(names, np.array(rows).T, strict=True)), dict(zip(names, units, strict=True)))


GIVEN = inputs(
    "chosen",
    "the figures have no numbers",
    ("m", 1.0, "kg"),
    ("μ", MU, ""),
    ("ε", EPSILON, ""),
    ("approach", 1.0, "m/s"),
    ("sideways", "−1.5 … 1.5 m/s", ""),
)


def worst(values: Any) -> float:
    """Greatest absolute value."""
    return float(np.abs(values).max())


def _closed_floor(rows: Series) -> dict[str, Any]:
    """A point mass on a floor: stick if the sideways speed is at most what the friction impulse can stop."""
    side = rows["sideways"]
    compression = -np.clip(side, -MU, MU)
    left = side + compression
    expansion = -np.clip(left, -MU * EPSILON, MU * EPSILON)
    return {"TC": compression, "gTC": left, "TE": expansion, "gTE": left + expansion}


def _tangential_checks(rows: Series, phase: str) -> list[Check]:
    truth = _closed_floor(rows)
    normal = 1.0 if phase == "C" else EPSILON
    named = "compression" if phase == "C" else "expansion"
    return [
        Check(
            f"{named}: tangential impulse wrong by at most",
            "Ns",
            worst(rows[f"T{phase}"] - truth[f"T{phase}"]),
            0.0,
            2.5e-16,
            Origin.CLOSED_FORM,
            "−clip(speed, μ·Λ_N)",
        ),
        Check(
            f"{named}: sliding speed wrong by at most",
            "m/s",
            worst(rows[f"gT{phase}"] - truth[f"gT{phase}"]),
            0.0,
            2.5e-16,
            Origin.CLOSED_FORM,
            "balance of momentum",
        ),
        Check(
            f"{named}: normal impulse wrong by at most",
            "Ns",
            worst(rows[f"N{phase}"] - normal),
            0.0,
            2.5e-16,
            Origin.CLOSED_FORM,
            "m·v" if phase == "C" else "ε·Λ_NC",
        ),
    ]


def compression_checks(rows: Series) -> list[Check]:
    """The normal law of compression, for head-on impacts."""
    return [
        Check(
            "normal law: impulse wrong by at most",
            "Ns",
            worst(rows["NC"] - np.maximum(0.0, -rows["speed"])),
            0.0,
            2e-16,
            Origin.CLOSED_FORM,
            "max(0, −m·v)",
        ),
        Check(
            "normal law: ġ_NC·Λ_NC",
            "Nm",
            worst(rows["NC"] * rows["gNC"]),
            0.0,
            1e-17,
            Origin.CLOSED_FORM,
            "(5.13)",
        ),
    ]


def compute_compression() -> FigureData:
    """Impacts at the end of compression: normal and tangential law."""
    hits, approaches = on_floor(), head_on()
    checks = [*compression_checks(approaches), *_tangential_checks(hits, "C")]
    return FigureData({"floor": hits, "normal": approaches}, checks, GIVEN)


def compute_expansion() -> FigureData:
    """Impacts at the end of expansion: normal law on two walls, tangential law on the floor."""
    floor, corner = on_floor(), _corner()
    product = worst(corner["NP"] * corner["gNE"])
    more = float(np.max(corner["NP"]))
    # Straight at the wall with ε = 0: the other's expansion of ε·m/2 … pushes it back into that wall.
    checks = [
        Check("normal law: ġ_NE·(Λ_NE − ε·Λ_NC)", "Nm", product, 0.0, 1e-16, Origin.CLOSED_FORM, "(5.15)"),
        Check(
            "normal law: least Λ_NE − ε·Λ_NC",
            "Ns",
            float(np.min(corner["NP"])),
            0.0,
            1e-15,
            Origin.CLOSED_FORM,
            "(5.15)",
        ),
        Check(
            "normal law: greatest Λ_NE − ε·Λ_NC",
            "Ns",
            more,
            _most_extra(),
            1e-15,
            Origin.CLOSED_FORM,
            "ε·Λ_2C/2 of the other contact, at that direction",
        ),
        *_tangential_checks(floor, "E"),
    ]
    given = (*GIVEN, *inputs("chosen", "two walls", ("normals", "0° and 120°, ε = 0 and 0.5", "")))
    return FigureData({"floor": floor, "normal": corner}, checks, given)


def _most_extra() -> float:
    """Both contacts closed after compression: Λ_1, Λ_2 from G Λ = −v, G_12 = cos 120°; then the first needs
    ε·Λ_2C·|G_12| more to stay closed. Greatest over the directions drawn, by the two-by-two system.
    """
    inner = math.cos(math.radians(120.0))
    best = 0.0
    for degrees in np.linspace(125.0, 355.0, 47):
        v = np.array([math.cos(math.radians(degrees)), math.cos(math.radians(degrees - 120.0))])
        both = np.linalg.solve([[1.0, inner], [inner, 1.0]], -v)
        if both.min() >= 0.0:  # both contacts have an impulse
            second = both[1]
        elif v[1] < 0.0 and v[0] - inner * v[1] >= 0.0:  # the second alone
            second, left = -v[1], v[0] - inner * v[1]
            best = max(best, EPSILON * second * -inner - left)
            continue
        else:
            continue
        best = max(best, EPSILON * second * -inner)
    return best


def _expansion(hit: Any) -> float:
    """Tangential impulse of expansion in the direction of the sideways speed."""
    return float(hit.compression_friction_impulse[0] - hit.friction_impulse[0])


def _reversible(speed: float) -> float:
    """The same in closed form: the remaining speed is stopped as far as the limit allows, the rest rebounds."""
    stored = min(abs(speed), MU)
    taken = max(TANGENTIAL_RESTITUTION * EPSILON * stored, min(abs(speed) - stored, MU * EPSILON))
    return -math.copysign(taken, speed)


def compute_reversible() -> FigureData:
    """The reversible law from its definition and by impacts, with the two outcomes A and B of the source."""
    stored = 0.3  # Ns, tangential impulse of a compression in stick
    normal = 1.0
    least = EPSILON * TANGENTIAL_RESTITUTION * stored
    most = MU * EPSILON * normal
    columns = {
        "impulse": [-most, -most, most, most],
        "speed": [0.9, 0.0, 0.0, -0.9],
        "impulse, reversible": [least, least, most, most],
    }
    floor = on_floor()
    row = int(np.argmin(np.abs(SIDEWAYS + stored)))
    hits = [(float(v), _hit((float(v), -1.0), TANGENTIAL_RESTITUTION)) for v in SIDEWAYS]
    back = hits[row][1]
    checks = [
        Check(
            "A: symmetric law, the contact sticks",
            "m/s",
            float(floor["gTE"][row]),
            0.0,
            1e-16,
            Origin.CLOSED_FORM,
            "sideways 0.3 m/s is stopped in compression",
        ),
        Check(
            "symmetric law: greatest Λ_TE",
            "Ns",
            float(floor["TE"].max()),
            most,
            1e-16,
            Origin.CLOSED_FORM,
            "μ·ε·Λ_NC",
        ),
        Check("A: Λ_TC", "Ns", float(floor["TC"][row]), stored, 2e-16, Origin.CLOSED_FORM, "m·v"),
        Check(
            "B: reversible law, the contact leaves backwards",
            "m/s",
            float(back.tangent_velocity[0]),
            least,
            1e-16,
            Origin.CLOSED_FORM,
            "ε·ε_T·Λ_TC/m",
        ),
        Check(
            "reversible law: impulse of expansion wrong by at most",
            "Ns",
            worst(np.array([_expansion(hit) - _reversible(v) for v, hit in hits])),
            0.0,
            2.5e-16,
            Origin.CLOSED_FORM,
            "Λ_TC first, then between ε·ε_T·Λ_TC and μ·ε·Λ_NC",
        ),
    ]
    series = Series(columns, {"impulse": "Ns", "speed": "m/s", "impulse, reversible": "Ns"})
    points = Series(
        {
            "name": ["A", "B"],
            "impulse": [0.0, _expansion(back)],
            "speed": [0.0, float(back.tangent_velocity[0])],
        },
        {"name": "", "impulse": "Ns", "speed": "m/s"},
    )
    given = (
        *GIVEN[:3],
        *inputs(
            "chosen",
            "the figure has no numbers",
            ("Λ_TC", stored, "Ns"),
            ("tangential restitution ε_T", TANGENTIAL_RESTITUTION, ""),
        ),
    )
    return FigureData({"law": series, "points": points}, checks, given)


# -- drawing -------------------------------------------------------------------------------------------

POINTS: dict[str, Any] = {
    "marker": "o",
    "markersize": 3.2,
    "linestyle": "none",
    "color": "#D55E00",
    "clip_on": False,
    "zorder": 4,
}


def _cross(ax: Axes, x: str, y: str, title: str) -> None:
    ax.axhline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.axvline(0.0, color="#9A9A9A", linewidth=0.6)
    ax.grid(False)
    ax.set(xlabel=x, ylabel=y)
    ax.set_title(title)


def normal_law(ax: Axes, x: Any, y: Any, names: tuple[str, str], title: str) -> None:
    """Draw a complementary corner and the impacts on it."""
    reach = 1.15
    ax.plot([0.0, 0.0, reach], [reach, 0.0, 0.0], color="#0072B2", linewidth=2.0, label="law")
    ax.plot(x, y, label="impacts", **POINTS)
    _cross(ax, *names, title)
    ax.set(xlim=(-0.12, reach), ylim=(-0.12, reach))


def _tangential_law(ax: Axes, x: Any, y: Any, level: float, names: tuple[str, str], title: str) -> None:
    reach = 1.1
    ax.plot(
        [-level, -level, level, level], [reach, 0.0, 0.0, -reach], color="#0072B2", linewidth=2.0, label="law"
    )
    ax.plot(x, y, label="impacts", **POINTS)
    _cross(ax, *names, title)
    ax.set(xlim=(-0.75, 0.75), ylim=(-reach, reach))


def _ticks(ax: Axes, level: float, name: str) -> None:
    ax.set_xticks([-level, 0.0, level])
    ax.set_xticklabels([f"$-{name}$", "0", f"${name}$"])


def _sketch(ax: Axes) -> None:
    """Velocities and impulses at point A: the friction impulse opposes the sliding."""
    from stickslip.draw import parts as draw

    draw.start(ax, (-2.0, 2.0), (-1.5, 1.7))
    draw.ground(ax, (-1.5, 0.0), (1.5, 0.0))
    draw.block(ax, -0.55, 0.0, 1.1, 0.75)
    draw.arrow(ax, (0.3, -1.1), (0.3, -0.18), N_C, side="right")
    draw.arrow(ax, (0.0, -0.4), (-0.95, -0.4), T_C, side="left-end")
    draw.arrow(ax, (-0.5, 1.0), (0.7, 1.0), "", colour="#0072B2")
    draw.text(ax, (0.1, 1.3), r"$\dot{g}_{TC} > 0$", color="#0072B2")
    ax.set_title("point A: sliding")


def draw_compression(data: FigureData, figure: Canvas) -> None:
    """Draw the sketch of point A and both laws of compression."""
    sketch, normal, tangential = figure.subplots(1, 3)
    _sketch(sketch)
    rows = data["normal"]
    normal_law(normal, rows["NC"], rows["gNC"], (N_C + " [Ns]", r"$\dot{g}_{NC}$ [m/s]"), "normal law")
    rows = data["floor"]
    _tangential_law(tangential, rows["TC"], rows["gTC"], MU, (T_C, COMPRESSION_SPEED), "tangential law")
    _ticks(tangential, MU, r"\mu\Lambda_{NC}")
    tangential.annotate("A", (-MU, 0.6), xytext=(-12, 0), textcoords="offset points", fontweight="bold")
    figure.legend(*tangential.get_legend_handles_labels(), loc="outside lower center", ncols=2)


def draw_expansion(data: FigureData, figure: Canvas) -> None:
    """Draw both laws of expansion."""
    normal, tangential = figure.subplots(1, 2)
    rows = data["normal"]
    normal_law(
        normal,
        rows["NP"],
        rows["gNE"],
        (r"$\Lambda_{NE} - \varepsilon\Lambda_{NC}$ [Ns]", r"$\dot{g}_{NE}$ [m/s]"),
        "normal law, two walls",
    )
    normal.set(xlim=(-0.05, 0.4))
    rows = data["floor"]
    level = MU * EPSILON
    _tangential_law(
        tangential,
        rows["TE"],
        rows["gTE"],
        level,
        (r"$\Lambda_{TE}$", r"$\dot{g}_{TE}$ [m/s]"),
        "tangential law, dry friction",
    )
    _ticks(tangential, level, r"\mu\Lambda_{NE}")
    figure.legend(*tangential.get_legend_handles_labels(), loc="outside lower center", ncols=2)


def draw_reversible(data: FigureData, figure: Canvas) -> None:
    """Draw the outgoing velocities at A and B, and the asymmetric law."""
    from stickslip.draw import parts as draw

    first, second, ax = figure.subplots(1, 3, width_ratios=[1.0, 1.0, 1.5])
    for sketch, title, end in ((first, "A: not reversible", 0.0), (second, "B: reversible", 1.0)):
        draw.start(sketch, (-1.6, 2.2), (-0.5, 2.0))
        draw.ground(sketch, (-1.5, 0.0), (1.5, 0.0))
        draw.ball(sketch, (0.0, 0.22), 0.22)
        draw.arrow(sketch, (1.25, 1.45), (0.2, 0.4), "before", side="right-start", colour="#7A7A7A")
        draw.arrow(sketch, (0.0, 0.5), (0.45 * end, 1.35), "after", side="above-end", colour="#0072B2")
        sketch.set_title(title)
    rows = data["law"]
    speed = rows["speed"]
    ax.plot(rows["impulse"], speed, color="#0072B2", linewidth=2.0, label="symmetric (5.16)")
    ax.plot(
        rows["impulse, reversible"],
        speed,
        color="#D55E00",
        linewidth=2.0,
        linestyle=(0, (4, 1.5)),
        label="reversible",
    )
    points = data["points"]
    for name, x, y in zip(points["name"], points["impulse"], points["speed"], strict=True):
        ax.plot([x], [y], "o", color="#000000", markersize=4, zorder=5)
        ax.annotate(str(name), (x, y), xytext=(5, 5), textcoords="offset points", fontweight="bold")
    level, least = MU * EPSILON, float(rows["impulse, reversible"][0])
    _cross(ax, r"$\Lambda_{TE}$", r"$\dot{g}_{TE}$ [m/s]", "tangential law of expansion")
    ax.set(xlim=(-0.36, 0.36), ylim=(-0.95, 0.95))
    ax.set_xticks([-level, 0.0, least, level])
    ax.set_xticklabels(
        [r"$-\mu\Lambda_{NE}$", "0", "\n" + r"$\varepsilon\varepsilon_T\Lambda_{TC}$", r"$\mu\Lambda_{NE}$"]
    )
    ax.legend(loc="lower left")


FIGURES = (
    Figure(
        "chatter_5_2",
        "laws of compression",
        f"{SOURCE}, figure 5.2",
        compute_compression,
        draw_compression,
        65.0,
    ),
    Figure(
        "chatter_5_3",
        "symmetric and reversible law of expansion",
        f"{SOURCE}, figure 5.3",
        compute_reversible,
        draw_reversible,
        65.0,
    ),
    Figure(
        "chatter_5_4", "laws of expansion", f"{SOURCE}, figure 5.4", compute_expansion, draw_expansion, 70.0
    ),
)
