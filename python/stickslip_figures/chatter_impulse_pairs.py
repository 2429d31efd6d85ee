"""Figures 5.5 and 5.6 of Hinrichsen: the laws of impact in complementary pairs, with impacts that obey them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures import chatter_impulses as laws
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import SOURCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


def _corners(
    figure: Canvas, phase: str, rows: Series, normal: tuple[Any, Any], names: tuple[str, str]
) -> None:
    """Normal law on the left, the four halves of the tangential law on the right."""
    parts: Any = figure.subfigures(1, 2, width_ratios=[1.0, 1.7])
    left, right = parts
    laws.normal_law(left.subplots(), normal[0], normal[1], names, "normal law")
    impulse, speed, level = rows[f"T{phase}"], rows[f"gT{phase}"], laws.MU * rows[f"N{phase}"]
    plus, minus = np.maximum(impulse, 0.0), np.maximum(-impulse, 0.0)
    up, down = np.maximum(speed, 0.0), np.maximum(-speed, 0.0)
    cells = right.subplots(2, 2)
    labels = [
        (rf"$\Lambda_{{T{phase}}}^{{(+)}}$", rf"$\dot{{g}}_{{T{phase}}}^{{+}}$"),
        (rf"$\Lambda_{{T{phase}}}^{{(-)}}$", rf"$\dot{{g}}_{{T{phase}}}^{{-}}$"),
        (rf"$\Lambda_{{T0{phase}}}^{{(-)}}$", rf"$z_{phase}^{{-}}$"),
        (rf"$\Lambda_{{T0{phase}}}^{{(+)}}$", rf"$z_{phase}^{{+}}$"),
    ]
    pairs = [(plus, up), (minus, down), (level - plus, down), (level - minus, up)]
    for ax, (x, y), (first, second) in zip(cells.flat, pairs, labels, strict=True):
        ax.plot([0.0, 0.0, 1.1], [1.1, 0.0, 0.0], color="#0072B2", linewidth=2.0)
        ax.plot(x, y, **laws.POINTS)
        ax.grid(False)
        reach = 1.2 * float(np.max(level))
        ax.set(
            xlim=(-0.08 * reach, reach), ylim=(-0.12, 1.1), xlabel=f"{first} [Ns]", ylabel=f"{second} [m/s]"
        )
    right.suptitle("tangential law in complementary pairs", x=0.04, ha="left", fontsize=8)


def _pair_check(rows: Series, phase: str) -> Check:
    impulse, speed, level = rows[f"T{phase}"], rows[f"gT{phase}"], laws.MU * rows[f"N{phase}"]
    plus, minus = np.maximum(impulse, 0.0), np.maximum(-impulse, 0.0)
    up, down = np.maximum(speed, 0.0), np.maximum(-speed, 0.0)
    pairs = [(plus, up), (minus, down), (level - plus, down), (level - minus, up)]
    products = [one * other for one, other in pairs]
    negative = [np.minimum(np.minimum(one, other), 0.0) for one, other in pairs]
    return Check(
        "pairs: greatest product, or negative partner",
        "Nm",
        laws.worst([*products, *negative]),
        0.0,
        2e-16,
        Origin.CLOSED_FORM,
        "(5.18)" if phase == "C" else "(5.22)",
    )


def compute_compression_pairs() -> FigureData:
    """The laws of compression in complementary pairs."""
    floor, normal = laws.on_floor(), laws.head_on()
    return FigureData(
        {"floor": floor, "normal": normal},
        [*laws.compression_checks(normal), _pair_check(floor, "C")],
        laws.GIVEN,
    )


def compute_expansion_pairs() -> FigureData:
    """The laws of expansion in complementary pairs, in the shifted impulses."""
    data = laws.compute_expansion()
    return FigureData(data.series, [*data.checks[:2], _pair_check(data["floor"], "E")], data.inputs)


def draw_compression_pairs(data: FigureData, figure: Canvas) -> None:
    """Draw the pairs of compression."""
    rows = data["normal"]
    _corners(
        figure, "C", data["floor"], (rows["NC"], rows["gNC"]), (laws.N_C + " [Ns]", r"$\dot{g}_{NC}$ [m/s]")
    )


def draw_expansion_pairs(data: FigureData, figure: Canvas) -> None:
    """Draw the pairs of expansion."""
    rows = data["normal"]
    _corners(
        figure,
        "E",
        data["floor"],
        (rows["NP"], rows["gNE"]),
        (r"$\Lambda_{NP} = \Lambda_{NE} - \varepsilon\Lambda_{NC}$ [Ns]", r"$\dot{g}_{NE}$ [m/s]"),
    )


FIGURES = (
    Figure(
        "chatter_5_5",
        "laws of compression in pairs",
        f"{SOURCE}, figure 5.5",
        compute_compression_pairs,
        draw_compression_pairs,
        85.0,
    ),
    Figure(
        "chatter_5_6",
        "laws of expansion in pairs",
        f"{SOURCE}, figure 5.6",
        compute_expansion_pairs,
        draw_expansion_pairs,
        85.0,
    ),
)
