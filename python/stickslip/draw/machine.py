"""Drawings of a machine from its description: a row of masses, a block diagram, or the states of a friction element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stickslip.draw.chain import Chain
from stickslip.draw.chart import Chart, has_states
from stickslip.draw.diagram import Diagram
from stickslip.draw.drawing import Drawing, show
from stickslip.draw.loop import Loop, Matrices
from stickslip.draw.stacked import PAGE, Stacked
from stickslip.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(machine: Any, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
    """Draw a machine; see `stickslip.Machine.draw`."""
    if what is None:
        what = "diagram" if _controlled(machine) or not machine.names else "schematic"
    return show(_chosen(machine, what), ax, keywords)


def _controlled(machine: Any) -> bool:
    return bool(machine._description.names(["controller", "compensator"]))


def _chosen(machine: Any, what: str) -> Drawing:
    if what == "schematic" and machine.names:
        return Chain(machine)
    if what == "diagram":
        if _controlled(machine):
            line = Diagram(machine)
            return line if line.width <= PAGE else Stacked(machine)
        return Loop(machine) if machine.names else Matrices(machine)
    elements = machine._description.elements
    charts = {e["name"]: e for e in elements if e["kind"] == "friction" and has_states(e)}
    if what in charts:
        return Chart(charts[what])
    known = ["schematic"] * bool(machine.names) + ["diagram", *charts]
    raise UnknownNameError(f"unknown picture what = {what!r}; known are: {', '.join(map(repr, known))}")
