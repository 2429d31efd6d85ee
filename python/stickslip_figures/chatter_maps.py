"""Figures 4.3, 6.2 and 6.3 of Hinrichsen: states that can follow stick, and states after an impact.

The source prints one answer per region and calls it unique. Here every solution is a band, found by
enumeration, and two lines mark the one that Lemke's path returns: with the rows of motion multiplied by
m1, as the source writes them (4.21), and with rows that are not multiplied, which is ours. A gear at rest
stays at rest while stick is a solution.

The source prints no parameters for its four cases. Chosen: masses, load and spring of its set 2; γ = 12°
with μ = 1.5 (case 1) and tan 14° (case 2, the published set), γ = 40° with μ = 1.4 (case 3) and 2.5 (case
4).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from stickslip.machines import WedgeGear
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import MM, SET_2, SOURCE, wedge_inputs
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip.analysis import StateMap

DEGREES = 180.0 / math.pi
RESTITUTION = 0.3
CASES: dict[int, WedgeGear] = {
    1: dataclasses.replace(SET_2, friction=1.5),
    2: SET_2,
    3: dataclasses.replace(SET_2, angle=math.radians(40.0), friction=1.4),
    4: dataclasses.replace(SET_2, angle=math.radians(40.0), friction=2.5),
}

CHOSEN = inputs(
    "chosen",
    "so that all four cases occur; masses, load and spring of set 2",
    *(
        (f"γ/μ of case {case}", f"{math.degrees(gear.angle):.0f}°/{gear.kinetic_friction:.4g}", "")
        for case, gear in CASES.items()
    ),
)


def threshold(gear: WedgeGear) -> float:
    """Coefficient of friction that separates cases 1 and 4 from 2 and 3 (4.26)."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    cross = s * c * (m1 - m2)
    return (m1 + m1 * s * s + m2 * c * c + cross) / (m1 * c * c + m2 * s * s + cross)


def lemke_limit(gear: WedgeGear) -> float:
    """Extension (m) at which Lemke, with the source's scaling, leaves stick in cases 1 and 4; corrected."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    return gear.load / gear.stiffness * (m1 * c + m2 * c - m2 * s) / (m1 * (2.0 * s + c))


def printed_limit(gear: WedgeGear) -> float:
    """The same as printed in 4.3.3, where it is called a length, but lacks F/k and has a wrong sign."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    return (m1 * c + m2 * c - m2 * s) / (m1 * (2.0 * s - c))


def _columns(found: StateMap, scale: float, unit: str) -> Series:
    regions = found.regions
    columns: dict[str, list[object]] = {
        "from": [scale * region.low for region in regions],
        "to": [scale * region.high for region in regions],
        "solutions": [", ".join(region.solutions) for region in regions],
        "Lemke, rows times m1": [region.lemke_source for region in regions],
        "Lemke, rows not multiplied": [region.lemke_plain for region in regions],
    }
    units = dict.fromkeys(columns, "")
    return Series(columns, {**units, "from": unit, "to": unit})  # type: ignore[arg-type]


def _leaves_stick(found: StateMap, which: str) -> float:
    """Greatest parameter up to which an answer of Lemke is stick."""
    return max(region.high for region in found.regions if getattr(region, which) == "stick")


# -- 4.3 -----------------------------------------------------------------------------------------------


def compute_stick() -> FigureData:
    """Enumerate the solutions from stick for the four cases."""
    from stickslip.analysis import state_map

    maps = {case: state_map(gear) for case, gear in CASES.items()}
    said, printed, closed = Origin.CLAIMED, Origin.PRINTED, Origin.CLOSED_FORM
    source, two = f"{SOURCE}, 4.3.3", maps[2]
    low, opens, high = (edge * MM for edge in two.edges[1:-1])
    reach, tan2 = SET_2.load / SET_2.stiffness * MM, math.tan(math.radians(2.0))
    ratio = SET_2.lower_mass / SET_2.upper_mass / math.tan(SET_2.angle)
    most = float(two.present.sum(axis=1).max())
    checks = [
        Check(
            "case 2: lower limit of stick", "mm", low, -reach * math.tan(math.radians(26.0)), 1e-11, closed, "(4.27)"
        ),
        Check("case 2: upper limit of stick", "mm", high, reach * tan2, 1e-12, closed, "(4.27)"),
        Check("case 2: opening possible from", "mm", opens, reach * ratio, 1e-12, closed, "(4.42)"),
        Check(
            "case 2: Lemke leaves stick, rows times m1", "mm", _leaves_stick(two, "lemke_source") * MM,
            reach * tan2, 1e-12, closed, "(4.27)",
        ),
        Check(
            "case 2: Lemke leaves stick, rows not multiplied", "mm", _leaves_stick(two, "lemke_plain") * MM,
            reach * ratio, 1e-12, closed, "(4.42): from here on separation is a solution, too",
        ),
        Check(
            "case 2: most solutions at one extension", "", most, 1.0, 0.0, said, f"{source}: unique",
            "between opening limit and limit of stick three states solve it: enumeration of all bases",
        ),
    ]  # fmt: skip
    for case in (1, 4):
        gear, found = CASES[case], maps[case]
        leaves = _leaves_stick(found, "lemke_source") * MM
        true = max(high for _, high, solutions in found.intervals if "stick" in solutions) * MM
        limit = gear.load / gear.stiffness * math.tan(math.atan(gear.kinetic_friction) - gear.angle) * MM
        checks += [
            Check(f"case {case}: true limit of stick", "mm", true, limit, 2e-12, closed, "(F/k)tan(ρ - γ)"),
            Check(
                f"case {case}: Lemke leaves stick, rows times m1", "mm", leaves, lemke_limit(gear) * MM, 2e-10,
                closed, "the bound of C.1",
            ),
            Check(
                f"case {case}: Lemke leaves stick, bound as printed", "mm", leaves, printed_limit(gear) * MM, 0.0,
                printed, f"{source}, (4.26, 4.29)",
                "the printed bound lacks F/k and has 2s - c for 2s + c; even corrected it is where "
                "the path of Lemke changes, not where stick ends",
            ),
        ]  # fmt: skip
    slips = sum("slip+" in region.solutions for case in (3, 4) for region in maps[case].regions)
    pushed = "cases 3 and 4: regions that slip when pushed"
    checks.append(Check(pushed, "", float(slips), 0.0, 0.0, said, f"{source}, (4.28, 4.29)"))
    tables = {f"case_{case}": _columns(found, MM, "mm") for case, found in maps.items()}
    return FigureData(tables, checks, (*wedge_inputs(SET_2), *CHOSEN))


class _Drawn:
    """A map read back from the columns of a figure, for `stickslip.draw.state_map`."""

    def __init__(self, rows: Series) -> None:
        from stickslip.analysis import Region

        self.parameter = ""
        self.regions = [
            Region(
                low,
                high,
                tuple(str(solutions).split(", ")) if str(solutions) else (),
                str(source),
                str(plain),
            )
            for low, high, solutions, source, plain in zip(
                *(rows[name].tolist() for name in rows.columns), strict=True
            )
        ]


def _band(ax: Axes, rows: Series, modes: tuple[str, ...], label: str) -> None:
    from stickslip.draw.state_map import plot as state_map

    state_map(_Drawn(rows), ax=ax, label=label, modes=modes)
    legend = ax.get_legend()
    assert legend is not None
    legend.remove()


_WORDS = {
    "stick": "stick",
    "slip+": "slip, ġ_T > 0",
    "slip-": "slip, ġ_T < 0",
    "open": "separation",
    "open without slip": "separation with ġ_T = 0",
}


def _key(figure: Canvas, ax: Axes, modes: tuple[str, ...]) -> None:
    """Put a legend below: the bands, and which of them Lemke's path returns."""
    from matplotlib.patches import Patch

    from stickslip.draw import style as _style
    from stickslip.draw.state_map import _FACES

    bands = [
        Patch(**_FACES[mode], edgecolor=_style.OPEN_EDGE, linewidth=0.0, label=_WORDS[mode]) for mode in modes
    ]
    lines = ax.get_legend_handles_labels()[0]
    figure.legend(handles=[*bands, *lines], loc="outside lower center", ncols=3 if len(bands) > 4 else 4)


def draw_stick(data: FigureData, figure: Canvas) -> None:
    """Draw the four cases, each over its own range of extensions."""
    cells = figure.subplots(2, 2, sharey=True).flat
    words = {
        1: "case 1: γ = 12°, μ = 1.5",
        2: "case 2: γ = 12°, μ = tan 14°",
        3: "case 3: γ = 40°, μ = 1.4",
        4: "case 4: γ = 40°, μ = 2.5",
    }
    for ax, case in zip(cells, CASES, strict=True):
        _band(ax, data[f"case_{case}"], ("open", "slip-", "stick", "slip+"), "spring extension w [mm]")
        ax.set_title(words[case])
        if case in (2, 4):
            ax.set_ylabel("")
        if case == 2:
            # Three solutions exist in a fortieth of the stick range: its surroundings once more, enlarged.
            inset = ax.inset_axes((0.3, 0.56, 0.52, 0.4))
            _band(inset, data["case_2"], ("open", "slip-", "stick"), "")
            inset.set(xlim=(0.3, 1.1), ylabel="", xticks=(0.5287, 0.873), xticklabels=("0.529", "0.873"))
            inset.tick_params(labelsize=6, pad=1.5)
            inset.tick_params(axis="y", labelleft=False)
            inset.text(0.32, 2.4, "enlarged", va="top", color="#5A5A5A", fontsize=6)
            arrow = {"arrowstyle": "<-", "color": "#7A7A7A", "shrinkA": 0.0, "shrinkB": 0.0}
            ax.annotate("", (0.5, 2.5), (-2.1, 2.5), arrowprops=arrow)
    _key(figure, ax, ("open", "slip-", "stick", "slip+"))


# -- 6.2 and 6.3 ---------------------------------------------------------------------------------------


def _slip_limit(gear: WedgeGear) -> float:
    """Direction below which the compression ends in slip with ġ_T > 0: Λ_TC = −μ·Λ_NC of (6.9, 6.18)."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    nn, tt, nt = m1 * c * c + m2 * s * s, m1 * s * s + m2 * c * c, s * c * (m1 - m2)
    return math.atan(-(nt + gear.kinetic_friction * nn) / (tt + gear.kinetic_friction * nt))


def _sliding_in_lowering(found: StateMap) -> float:
    """Number of regions with −45° < α < 90° that have a sliding solution."""
    return float(
        sum(
            any(mode.startswith("slip") for mode in region.solutions)
            for region in found.regions
            if region.high > -math.pi / 4 + 1e-9 and region.low < math.pi / 2 - 1e-9
        )
    )


def compute_compression() -> FigureData:
    """Enumerate the states at the end of the compression over the impact direction."""
    from stickslip.analysis import impact_map

    found = impact_map(SET_2).compression
    sticks = [region for region in found.regions if region.solutions == ("stick",)]
    low, high, most = sticks[0].low, sticks[-1].high, float(found.present.sum(axis=1).max())
    ends, said, closed = "compression ends in stick", Origin.CLAIMED, Origin.CLOSED_FORM
    slides = "solutions that slide for -45° < α < 90°"
    checks = [
        Check(f"{ends} from", "deg", low * DEGREES, _slip_limit(SET_2) * DEGREES, 1e-12, closed, "Λ_TC = -μ·Λ_NC"),
        Check(f"{ends} up to", "deg", high * DEGREES, 90.0, 2e-13, closed, "ġ_N = 0; figure 6.2"),
        Check(slides, "", _sliding_in_lowering(found), 0.0, 0.0, said, f"{SOURCE}, 6.1.3"),
        Check(
            "most solutions for -45° < α < 180°", "", most, 1.0, 0.0, said, f"{SOURCE}, 6.1.3: unique",
            "just above 90° stick and slip are solutions in addition to separation; the gap opens there, without an impact",
        ),
    ]  # fmt: skip
    return FigureData({"": _columns(found, DEGREES, "deg")}, checks, wedge_inputs(SET_2))


def _directions(ax: Axes) -> None:
    low = -0.6  # the lower end of the bands; room is made below it
    ax.set_ylim(low - 0.45, None)
    ax.plot([-45.0, 90.0], [low - 0.12] * 2, color="#009E73", linewidth=3.0, solid_capstyle="butt")
    ax.text(22.5, low - 0.2, "lowering", ha="center", va="top", color="#00684C", fontsize=6.5)
    ax.set_xticks(range(-90, 181, 45))


def draw_compression(data: FigureData, figure: Canvas) -> None:
    """Draw the states at the end of the compression."""
    ax = figure.subplots()
    _band(ax, data[""], ("open", "slip-", "stick", "slip+"), "impact direction α [°]")
    _directions(ax)
    ax.set_title("end of the compression")
    _key(figure, ax, ("open", "slip-", "stick", "slip+"))


def _rebound(alpha: float) -> tuple[float, float]:
    """Gap velocity after an impact of unit speed along `alpha`: of the engine, and by (6.18)."""
    from stickslip import contact

    m1, m2, s, c = SET_2.upper_mass, SET_2.lower_mass, math.sin(SET_2.angle), math.cos(SET_2.angle)
    normal, tangent = -math.cos(alpha), -math.sin(alpha)
    velocity = [c * normal + s * tangent, s * normal - c * tangent]
    hit = contact.impact(
        [m1, m2], velocity, [[c, s]], [[s, -c]], friction=SET_2.kinetic_friction, restitution=RESTITUTION
    )
    ratio = s * c * (m1 - m2) / (m1 * c * c + m2 * s * s)
    return float(hit[0].normal_velocity[0]), RESTITUTION * (math.cos(alpha) + math.sin(alpha) * ratio)


def compute_expansion() -> FigureData:
    """Enumerate the states after the expansion, without and with restitution."""
    from stickslip.analysis import impact_map

    plastic = impact_map(SET_2, restitution=0.0).expansion
    elastic = impact_map(SET_2, restitution=RESTITUTION).expansion
    sticks = [region for region in plastic.regions if region.solutions == ("stick",)]
    opens = [region for region in elastic.regions if region.solutions == ("open without slip",)]
    said, closed, source = Origin.CLAIMED, Origin.CLOSED_FORM, f"{SOURCE}, figure 6.3"
    slides, edge = "solutions that slide for -45° < α < 90°", "ġ_N = 0; figure 6.3"
    stays, parts = sticks[-1].high * DEGREES, (opens[0].low * DEGREES, opens[-1].high * DEGREES)
    begin = _slip_limit(SET_2) * DEGREES
    computed, expected = _rebound(math.radians(40.0))
    checks = [
        Check(
            "ε = 0: stays in stick from",
            "deg",
            sticks[0].low * DEGREES,
            begin,
            1e-12,
            closed,
            "Λ_TC = -μ·Λ_NC",
        ),
        Check("ε = 0: stays in stick up to", "deg", stays, 90.0, 2e-13, closed, edge),
        Check("ε > 0: separates without slip up to", "deg", parts[1], 90.0, 2e-13, closed, edge),
        Check("ε > 0: separates without slip from", "deg", parts[0], -45.0, 0.0, said, source, relation="<"),
        Check(f"ε = 0: {slides}", "", _sliding_in_lowering(plastic), 0.0, 0.0, said, f"{SOURCE}, 6.2.3"),
        Check(f"ε > 0: {slides}", "", _sliding_in_lowering(elastic), 0.0, 0.0, said, f"{SOURCE}, 6.2.3"),
        Check("α = 40°: gap velocity per impact speed", "", computed, expected, 2e-14, closed, "(6.18)"),
    ]
    return FigureData(
        {"plastic": _columns(plastic, DEGREES, "deg"), "elastic": _columns(elastic, DEGREES, "deg")},
        checks,
        (*wedge_inputs(SET_2), *inputs("chosen", "any value above 0 shows it", ("ε", RESTITUTION, ""))),
    )


def draw_expansion(data: FigureData, figure: Canvas) -> None:
    """Draw the states after the impact, without and with restitution."""
    left, right = figure.subplots(1, 2, sharey=True)
    rows = ("open", "open without slip", "slip-", "stick", "slip+")
    for ax, name, title in (
        (left, "plastic", "end of the impact, ε = 0"),
        (right, "elastic", f"ε = {RESTITUTION}"),
    ):
        _band(ax, data[name], rows, "impact direction α [°]")
        _directions(ax)
        ax.set_title(title)
    right.set_ylabel("")
    _key(figure, left, rows)


FIGURES = (
    Figure(
        "chatter_4_3",
        "states that can follow stick",
        f"{SOURCE}, figure 4.3",
        compute_stick,
        draw_stick,
        110.0,
    ),
    Figure(
        "chatter_6_2",
        "states after the compression",
        f"{SOURCE}, figure 6.2",
        compute_compression,
        draw_compression,
        70.0,
    ),
    Figure(
        "chatter_6_3",
        "states after the expansion",
        f"{SOURCE}, figure 6.3",
        compute_expansion,
        draw_expansion,
        75.0,
    ),
)
