"""Style of all pictures: readable in print, in grey and for the colour-blind."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from stickslip._extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Okabe and Ito's palette (Color Universal Design, 2008), in an order whose neighbours also differ in
# brightness.
BLACK = "#000000"
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
ORANGE = "#E69F00"
SKY = "#56B4E9"
PURPLE = "#CC79A7"
CYCLE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)
_MARKERS = ("", "o", "s", "^", "D")

STICK_SHADE = "#D4D4D4"
OPEN_HATCH = "////"
OPEN_EDGE = "#9A9A9A"

MILLIMETRE = 1.0 / 25.4
WIDTH = 165.0  # mm: the text width of an A4 page
DPI = 200.0


def distinct(k: int) -> dict[str, Any]:
    """Return colour and marker of line `k` of a picture whose dashes already have a meaning."""
    marker = _MARKERS[k // len(CYCLE) % len(_MARKERS)]
    return {"color": CYCLE[k % len(CYCLE)], "marker": marker, "markevery": 0.1, "markersize": 3.0}


def legend_below(ax: Axes, handles: Iterable[Any], labels: Iterable[str], columns: int) -> None:
    """Put the legend of axes below their ticks and label, where it hides neither lines nor title.

    In a figure without a layout engine there is no room below, so the legend stays inside the axes.
    """
    if ax.figure.canvas.figure.get_layout_engine() is None:
        ax.legend(handles, labels, loc="best")
        return
    # Ticks and label are as high as four lines of the legend.
    ax.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.0, 0.0), borderaxespad=4.0, ncols=columns)


def need_matplotlib() -> None:
    """Import matplotlib, or name the extra that installs it.

    Raises
    ------
    MissingExtraError
        When matplotlib is not installed.
    """
    need("matplotlib", "matplotlib", "pictures need", "figures")


def settings() -> dict[str, Any]:
    """Return the style as entries of matplotlib's ``rcParams``."""
    need_matplotlib()
    from cycler import cycler

    return {
        "figure.dpi": DPI,
        "figure.constrained_layout.use": True,
        "font.family": "DejaVu Sans",
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.titlelocation": "left",
        "axes.labelsize": 8,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "legend.fontsize": 7,
        "legend.frameon": False,
        # Dashes go on where the colours are used up.
        "axes.prop_cycle": cycler(linestyle=["-", "--", ":"]) * cycler(color=CYCLE),
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#E6E6E6",
        "grid.linewidth": 0.5,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "lines.linewidth": 1.2,
        "hatch.linewidth": 0.5,
        "hatch.color": OPEN_EDGE,
        "axes.unicode_minus": True,
    }


def style() -> AbstractContextManager[None]:
    """Return the context in which every figure is drawn (`matplotlib.rc_context`)."""
    chosen = settings()
    import matplotlib as mpl

    return mpl.rc_context(chosen)


def canvas(height: float, width: float = WIDTH) -> Canvas:
    """Return an empty figure that is unknown to pyplot; height and width in mm."""
    need_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * MILLIMETRE, height * MILLIMETRE), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def fix_ticks(ax: Axes) -> None:
    """Apply the current style to ticks that matplotlib creates later, when it draws."""
    import matplotlib as mpl

    for name in ("x", "y"):
        ax.tick_params(
            axis=name,
            which="major",
            labelsize=mpl.rcParams[f"{name}tick.labelsize"],
            width=mpl.rcParams[f"{name}tick.major.width"],
            grid_color=mpl.rcParams["grid.color"],
            grid_linewidth=mpl.rcParams["grid.linewidth"],
        )
