"""The picture of a figure: the drawing, and below it the inputs that the source does not print."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.draw import style as _style
from stickslip_figures._input import caption

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip_figures._data import Figure, FigureData

_SIZE, _LEADING = 6.0, 2.7  # pt, mm: of the caption
_LINE = 148  # characters of that size in a line of the text's width


def picture(figure: Figure, data: FigureData, path: Path | None = None) -> Canvas:
    """Draw a figure with its caption; write it to `path` where one is given.

    The caption has a strip of its own under the drawing, so that it neither hides nor is hidden.
    """
    lines = textwrap.wrap(caption(tuple(data.inputs)), _LINE)
    strip = _LEADING * len(lines) + (1.5 if lines else 0.0)
    with _style.style():
        whole = _style.canvas(figure.height + strip)
        drawing: Canvas = whole
        if lines:
            parts: Any = whole.subfigures(2, 1, height_ratios=[figure.height, strip], hspace=0.0)
            drawing, below = parts
            below.text(
                0.01, 0.95, "\n".join(lines), va="top", fontsize=_SIZE, color="#404040", linespacing=1.25
            )
        figure.draw(data, drawing)
        if path is not None:
            whole.savefig(path)
    return whole
