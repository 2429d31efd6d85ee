"""The map of states from slip, 4.4.3 of Hinrichsen: states that can follow sliding of the wedges.

The source gives it in prose: for lowering (ġ_T < 0) its two solutions contradict each other; for lifting
(ġ_T > 0) they do not. Enumeration says how many there are: in lowering none below the opening limit
``(F/k)(m2/m1)cot γ`` (an impact without collision follows) and two above it. By the prose sustained lifting ends at
``(F/k)(μc − s)/(μs + c)``; its own (4.46) has ``−(F/k)(μc + s)/(c − μs)``, and so has the enumeration.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import MM, SET_2, SOURCE, wedge_inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

LOW, HIGH = -15.0e-3, 2.0e-3  # m
STATES = ("slips, speeds up", "slips, slows down", "separates", "no solution")


def _speeds_up(start: str, extension: float) -> bool:
    """True if continued slip accelerates."""
    side = 1.0 if start == "slip+" else -1.0
    velocity = (side * math.sin(SET_2.angle), -side * math.cos(SET_2.angle))
    solutions = SET_2.contact_data(extension, velocity).contacts().transitions()
    (slides,) = [one for one in solutions if one.contacts == (start,)]
    return float(side * slides.tangent_acceleration[0]) > 0.0


def _phases(start: str) -> list[tuple[float, float, str]]:
    """Spans of the extension (m) in which a state solves the problem; sliding is split by its acceleration."""
    from stickslip.analysis import state_map

    rows: list[tuple[float, float, str]] = []
    for region in state_map(SET_2, LOW, HIGH, start=start).regions:
        low, high = region.low, region.high
        if not region.solutions:
            rows.append((low, high, "no solution"))
        if "open" in region.solutions:
            rows.append((low, high, "separates"))
        if start not in region.solutions:
            continue
        inner = 1e-9 * (high - low)
        first, last = _speeds_up(start, low + inner), _speeds_up(start, high - inner)
        names = {True: "slips, speeds up", False: "slips, slows down"}
        if first == last:
            rows.append((low, high, names[first]))
            continue
        a, b = low, high
        while b - a > 1e-17:
            middle = 0.5 * (a + b)
            if middle in (a, b):
                break
            a, b = (middle, b) if _speeds_up(start, middle) == first else (a, middle)
        rows += [(low, a, names[first]), (a, high, names[last])]
    return _joined(rows)


def _joined(rows: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    out: list[tuple[float, float, str]] = []
    for low, high, state in sorted(rows, key=lambda row: (STATES.index(row[2]), row[0])):
        if out and out[-1][2] == state and abs(out[-1][1] - low) < 1e-12:
            out[-1] = (out[-1][0], high, state)
        else:
            out.append((low, high, state))
    return out


def _table(rows: list[tuple[float, float, str]]) -> Series:
    low, high, state = zip(*rows, strict=True)
    columns = {"from": [MM * x for x in low], "to": [MM * x for x in high], "state": list(state)}
    return Series(columns, {"from": "mm", "to": "mm", "state": ""})


def compute() -> FigureData:
    """Enumerate what can follow lowering and lifting slip, over the spring extension."""
    lowering, lifting = _phases("slip-"), _phases("slip+")
    m1, m2 = SET_2.upper_mass, SET_2.lower_mass
    s, c, mu = math.sin(SET_2.angle), math.cos(SET_2.angle), SET_2.kinetic_friction
    arm = SET_2.load / SET_2.stiffness * MM
    opening = arm * m2 / m1 * c / s
    right, left = arm * (mu * c - s) / (mu * s + c), -arm * (mu * c + s) / (c - mu * s)
    low = {state: (MM * a, MM * b) for a, b, state in lowering}
    up = {state: (MM * a, MM * b) for a, b, state in lifting}
    said = Origin.CLOSED_FORM
    checks = [
        Check(
            "lowering: separation and slip both from",
            "mm",
            low["slips, speeds up"][0],
            opening,
            1e-12,
            said,
            f"{SOURCE}, (4.43)",
        ),
        Check(
            "lowering: separation from", "mm", low["separates"][0], opening, 1e-12, said, f"{SOURCE}, (4.42)"
        ),
        Check(
            "lowering: no solution below",
            "mm",
            low["no solution"][1],
            opening,
            1e-12,
            said,
            f"{SOURCE}, 4.4.3",
        ),
        Check(
            "lowering: slip slows down from",
            "mm",
            low["slips, slows down"][0],
            right,
            1e-12,
            said,
            f"{SOURCE}, (4.43)",
        ),
        Check(
            "lifting: separation from", "mm", up["separates"][0], opening, 1e-12, said, f"{SOURCE}, (4.45)"
        ),
        Check(
            "lifting: slip ends at",
            "mm",
            up["slips, slows down"][1],
            opening,
            1e-12,
            said,
            f"{SOURCE}, (4.46)",
        ),
        Check(
            "lifting: slip speeds up below",
            "mm",
            up["slips, speeds up"][1],
            left,
            1e-12,
            said,
            f"{SOURCE}, (4.46)",
        ),
        Check(
            "lifting: slip speeds up below, prose",
            "mm",
            up["slips, speeds up"][1],
            right,
            0.0,
            Origin.PRINTED,
            f"{SOURCE}, 4.4.3",
            "the prose repeats the limit of lowering; (4.46) just above it has the right one",
        ),
    ]
    return FigureData({"lowering": _table(lowering), "lifting": _table(lifting)}, checks, wedge_inputs(SET_2))


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw a band for every state that solves the problem, lowering above and lifting below."""
    from stickslip.draw import style as _style

    colours = dict(zip(STATES, (_style.BLUE, _style.SKY, _style.ORANGE, "#C9C9C9"), strict=True))
    axes = figure.subplots(2, 2, sharey="row", width_ratios=[1.0, 2.2])
    names = {
        "lowering": r"from lowering slip, $\dot{g}_T < 0$",
        "lifting": r"from lifting slip, $\dot{g}_T > 0$",
    }
    for row, (panel, title) in zip(axes, names.items(), strict=True):
        table = data[panel]
        states = [state for state in STATES if state in table["state"]][::-1]
        for ax, limits in zip(row, ((-15.0, -10.0), (-0.6, 1.6)), strict=True):
            for low, high, state in zip(table["from"], table["to"], table["state"], strict=True):
                ax.barh(
                    states.index(str(state)), high - low, left=low, height=0.55, color=colours[str(state)]
                )
            ax.set(xlim=limits, ylim=(-0.6, len(states) - 0.4))
            ax.grid(axis="y", visible=False)
            ax.set_xlabel("spring extension w [mm]")
        row[0].set_yticks(range(len(states)))
        row[0].set_yticklabels(states)
        row[0].set_title(title)
        row[0].set_ylabel("what can follow")


FIGURES = (Figure("chatter_4_4_3", "what can follow slip", f"{SOURCE}, 4.4.3", compute, draw, 85.0),)
