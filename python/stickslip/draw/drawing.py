"""A drawing that knows its size, and its placement on axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stickslip.draw import parts as sk
from stickslip.draw import place

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Drawing:
    """A drawing with its place and size, cm.

    Attributes
    ----------
    left, bottom : float
        Lower left corner.
    width, height : float
        Width and height.
    """

    left: float = 0.0
    bottom: float = 0.0
    width: float
    height: float

    def draw(self, ax: Axes) -> None:
        """Draw the picture on axes prepared by `start`."""
        raise NotImplementedError


def show(drawing: Drawing, ax: Axes | None, keywords: Mapping[str, Any] | None = None) -> Axes:
    """Draw on axes: in a new figure at full size, on given axes with the letters scaled to fit.

    Keywords go to the bodies and blocks.
    """
    height, width = 10.0 * drawing.height + 4.0, 10.0 * drawing.width + 4.0
    with place.axes(ax, "schematic", height, width, alone=True) as axes:
        import matplotlib as mpl

        axes.set_axis_off()
        known = place.held(axes)
        own = known is not None and known.own
        scale = 1.0 if own else max(0.6, min(1.0, _scale(axes, drawing)))
        before = len(axes.patches)
        sk.start(
            axes,
            (drawing.left, drawing.left + drawing.width),
            (drawing.bottom, drawing.bottom + drawing.height),
        )
        with mpl.rc_context({"font.size": 7.5 * scale}):
            drawing.draw(axes)
        if keywords:
            for patch in axes.patches[before:]:
                if patch.get_zorder() == sk.BODY:
                    patch.set(**place.patch_options(keywords))
        return axes


def _scale(ax: Axes, drawing: Drawing) -> float:
    """Return the scale of the drawing on axes."""
    canvas = ax.figure.canvas.figure
    canvas.draw_without_rendering()  # lays the axes out
    box = ax.get_window_extent()
    return float(2.54 / canvas.dpi * min(box.width / drawing.width, box.height / drawing.height))
