"""Figures 4.3, 6.2 and 6.3 of Hinrichsen: what can follow stick, and what an impact leaves behind.

The source prints one answer per region and calls it unique. Here every solution is a band, found by
enumeration, and two lines tell which of them Lemke's path returns: with the rows of motion multiplied by
m1, as the source has them, and with the rows as written. A gear at rest stays at rest while stick is a
solution.

The source prints no parameters for its four cases. Chosen: masses, load and spring of its set 2; γ = 12°
with μ = 1.5 (case 1) and tan 14° (case 2, the published set), γ = 40° with μ = 1.4 (case 3) and 2.5 (case
4).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from stickslip.figures._data import Check, Figure, FigureData, Series
from stickslip.figures._gears import MM, SET_2, SOURCE
from stickslip.machines import WedgeGear

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


def threshold(gear: WedgeGear) -> float:
    """The coefficient that divides cases 1 and 4 from 2 and 3 (4.26)."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    cross = s * c * (m1 - m2)
    return (m1 + m1 * s * s + m2 * c * c + cross) / (m1 * c * c + m2 * s * s + cross)


def lemke_limit(gear: WedgeGear) -> float:
    """Extension (m) at which Lemke, with the source's scaling, leaves stick in cases 1 and 4; corrected."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    return gear.load / gear.stiffness * (m1 * c + m2 * c - m2 * s) / (m1 * (2.0 * s + c))


def printed_limit(gear: WedgeGear) -> float:
    """The same as printed in 4.3.3; the source gives it as a length, but it has no F/k and a wrong sign."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    return (m1 * c + m2 * c - m2 * s) / (m1 * (2.0 * s - c))


def _columns(found: StateMap, scale: float, unit: str) -> Series:
    regions = found.regions
    columns: dict[str, list[object]] = {
        "from": [scale * region.low for region in regions],
        "to": [scale * region.high for region in regions],
        "solutions": [", ".join(region.solutions) for region in regions],
        "Lemke, rows times m1": [region.lemke_source for region in regions],
        "Lemke, rows as written": [region.lemke_plain for region in regions],
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
    published, two = f"{SOURCE}, 4.3.3", maps[2]
    low, opens, high = (edge * MM for edge in two.edges[1:-1])
    checks = [
        Check(
            "case 2: lower limit of stick [mm]", low, -25.0 * math.tan(math.radians(26.0)), 1e-9, published
        ),
        Check("case 2: upper limit of stick [mm]", high, 25.0 * math.tan(math.radians(2.0)), 1e-9, published),
        Check("case 2: opening possible from [mm]", opens, SET_2.opening_limit * MM, 1e-9, "closed form"),
        Check(
            "case 2: Lemke leaves stick, rows times m1 [mm]",
            _leaves_stick(two, "lemke_source") * MM,
            high,
            1e-9,
            published,
        ),
        Check(
            "case 2: Lemke leaves stick, rows as written [mm]",
            _leaves_stick(two, "lemke_plain") * MM,
            high,
            1e-9,
            published,
            "the path of Lemke depends on the scaling of the rows: as written it returns separation as "
            "soon as that solves the problem, although stick solves it too",
        ),
        Check(
            "case 2: most solutions at one extension",
            float(two.present.sum(axis=1).max()),
            1.0,
            0.0,
            f"{published}: unique",
            "between opening limit and limit of stick three states solve it: enumeration of all bases",
        ),
    ]
    for case in (1, 4):
        gear, found = CASES[case], maps[case]
        leaves = _leaves_stick(found, "lemke_source")
        true = max(high for _, high, solutions in found.intervals if "stick" in solutions)
        checks += [
            Check(
                f"case {case}: true limit of stick [mm]",
                true * MM,
                gear.stick_limits[1] * MM,
                1e-9,
                "closed form",
            ),
            Check(
                f"case {case}: Lemke leaves stick, rows times m1 [mm]",
                leaves * MM,
                lemke_limit(gear) * MM,
                1e-7,
                f"{published}, bound corrected as in its appendix C.1",
            ),
            Check(
                f"case {case}: Lemke leaves stick, bound as printed [mm]",
                leaves * MM,
                printed_limit(gear) * MM,
                1e-7,
                published,
                "the printed bound lacks F/k and has 2s - c for 2s + c; even corrected it is where "
                "the path of Lemke changes, not where stick ends",
            ),
        ]
    for case, gear in CASES.items():
        above, steep = gear.friction > threshold(gear), gear.friction > 1.0 / math.tan(gear.angle)
        is_case = {(True, False): 1, (False, False): 2, (False, True): 3, (True, True): 4}[above, steep]
        checks.append(
            Check(
                f"case {case}: parameters fall into case",
                float(is_case),
                float(case),
                0.0,
                f"{published}, (4.26-4.29)",
            )
        )
    slips = sum("slip+" in region.solutions for case in (3, 4) for region in maps[case].regions)
    checks.append(Check("cases 3 and 4: regions that slip when pushed", float(slips), 0.0, 0.0, published))
    return FigureData({f"case_{case}": _columns(found, MM, "mm") for case, found in maps.items()}, checks)


class _Drawn:
    """A map read back from the columns of a figure, for `stickslip.plotting.state_map`."""

    modes = ("stick", "slip+", "slip-", "open", "open without slip")

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
    from stickslip.plotting import state_map

    state_map(_Drawn(rows), ax=ax, label=label, modes=modes)
    legend = ax.get_legend()
    assert legend is not None
    legend.remove()


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
            # Three solutions exist in a fortieth of the stick range: only its surroundings are drawn.
            ax.set_xlim(-1.4, 1.3)
            limit = data["case_2"]["to"][0]
            ax.text(-1.35, 0.0, f"← below {limit:.2f} mm", va="center", color="#5A5A5A")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)


# -- 6.2 and 6.3 ---------------------------------------------------------------------------------------


def _slip_limit(gear: WedgeGear) -> float:
    """Direction below which the compression ends in slip with ġ_T > 0: Λ_TC = −μ·Λ_NC of (6.9, 6.18)."""
    m1, m2, s, c = gear.upper_mass, gear.lower_mass, math.sin(gear.angle), math.cos(gear.angle)
    nn, tt, nt = m1 * c * c + m2 * s * s, m1 * s * s + m2 * c * c, s * c * (m1 - m2)
    return math.atan(-(nt + gear.friction * nn) / (tt + gear.friction * nt))


def _sliding_in_lowering(found: StateMap) -> float:
    """How many regions with −45° < α < 90° hold a solution that slides."""
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
    checks = [
        Check(
            "compression ends in stick from [deg]",
            sticks[0].low * DEGREES,
            _slip_limit(SET_2) * DEGREES,
            1e-7,
            "closed form",
        ),
        Check(
            "compression ends in stick up to [deg]",
            sticks[-1].high * DEGREES,
            90.0,
            1e-9,
            f"{SOURCE}, figure 6.2",
        ),
        Check(
            "solutions that slide for -45° < α < 90°",
            _sliding_in_lowering(found),
            0.0,
            0.0,
            f"{SOURCE}, 6.1.3",
        ),
        Check(
            "most solutions for -45° < α < 180°",
            float(found.present.sum(axis=1).max()),
            1.0,
            0.0,
            f"{SOURCE}, 6.1.3: unique",
            "just above 90° stick and slip solve it beside separation; the gap opens there, nothing strikes",
        ),
    ]
    return FigureData({"": _columns(found, DEGREES, "deg")}, checks)


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
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)


def compute_expansion() -> FigureData:
    """Enumerate the states after the expansion, without and with restitution."""
    from stickslip.analysis import impact_map

    plastic = impact_map(SET_2, restitution=0.0).expansion
    elastic = impact_map(SET_2, restitution=RESTITUTION).expansion
    sticks = [region for region in plastic.regions if region.solutions == ("stick",)]
    opens = [region for region in elastic.regions if region.solutions == ("open without slip",)]
    sine, cosine = math.sin(SET_2.angle), math.cos(SET_2.angle)
    published = f"{SOURCE}, figure 6.3"
    gear = dataclasses.replace(SET_2, restitution=RESTITUTION)
    m1, m2 = gear.upper_mass, gear.lower_mass
    ratio = sine * cosine * (m1 - m2) / (m1 * cosine**2 + m2 * sine**2)
    alpha = math.radians(40.0)
    checks = [
        Check("ε = 0: stays in stick up to [deg]", sticks[-1].high * DEGREES, 90.0, 1e-9, published),
        Check("ε > 0: separates without slip up to [deg]", opens[-1].high * DEGREES, 90.0, 1e-9, published),
        Check(
            "ε > 0: stick impact at -45°, separation without slip",
            float(opens[0].low * DEGREES < -45.0),
            1.0,
            0.0,
            published,
        ),
        Check(
            "ε = 0: solutions that slide for -45° < α < 90°",
            _sliding_in_lowering(plastic),
            0.0,
            0.0,
            f"{SOURCE}, 6.2.3",
        ),
        Check(
            "ε > 0: solutions that slide for -45° < α < 90°",
            _sliding_in_lowering(elastic),
            0.0,
            0.0,
            f"{SOURCE}, 6.2.3",
        ),
        Check(
            "ε = 0.3, α = 40°: gap velocity per impact speed",
            gear.stick_impact(alpha).gap_velocity,
            RESTITUTION * (math.cos(alpha) + math.sin(alpha) * ratio),
            1e-12,
            f"{SOURCE}, (6.18)",
        ),
    ]
    return FigureData(
        {"plastic": _columns(plastic, DEGREES, "deg"), "elastic": _columns(elastic, DEGREES, "deg")}, checks
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
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)


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
