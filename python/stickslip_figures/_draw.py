"""Common parts of figures: modes over time, stick shaded grey."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from stickslip.draw import style as _style
from stickslip.draw.spans import TrajectoryLike, mode_spans
from stickslip_figures._data import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def modes(run: TrajectoryLike, element: str) -> Series:
    """Return the modes of an element as a table: start (s), end (s), mode."""
    spans = mode_spans(run, element)
    return Series(
        {"start": [s.start for s in spans], "end": [s.end for s in spans], "mode": [s.mode for s in spans]},
        {"start": "s", "end": "s", "mode": ""},
    )


def sticks(table: Series, end: float | None = None) -> list[tuple[float, float]]:
    """Return start and end (s) of every stick phase before `end`."""
    rows = zip(table["start"].tolist(), table["end"].tolist(), table["mode"].tolist(), strict=True)
    last = float(table["end"][-1]) if end is None else end
    return [(a, min(b, last)) for a, b, mode in rows if mode == "stick" and a < last]


def shade(ax: Axes, spans: Iterable[tuple[float, float]], label: str | None = "stick") -> None:
    """Shade spans of time grey; the first one carries the label."""
    for start, end in spans:
        ax.axvspan(start, end, color=_style.STICK_SHADE, linewidth=0.0, zorder=0.4, label=label)
        label = None


def rows(
    axes: Sequence[Any],
    spans: Sequence[tuple[float, float]],
    end: float,
    start: float = 0.0,
    label: str = "stick",
) -> None:
    """Shade the spans in every panel, give all the same time axis, and name it below the last one."""
    for k, ax in enumerate(axes):
        shade(ax, spans, None if k else label)
        ax.set_xlim(start, end)
    axes[-1].set_xlabel("time t [s]")


def below(figure: Canvas, *axes: Axes, columns: int = 5) -> None:
    """Put one legend of several axes below them, outside the panels; each label appears once."""
    entries = {
        word: handle for ax in axes for handle, word in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=columns)


def key(ax: Axes, columns: int = 4) -> None:
    """Put the legend above the axes."""
    ax.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.2, handlelength=1.6
    )


def corner(ax: Axes, **options: Any) -> None:
    """Put the legend into the axes on a white ground."""
    ax.legend(**{"frameon": True, "edgecolor": "none", "framealpha": 0.9, **options})
