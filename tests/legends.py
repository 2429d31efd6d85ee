"""Faults of a legend in a picture: it lies on a title, hides shaded bands, or leaves the picture."""

from __future__ import annotations

from typing import Any


def _hidden(ax: Any, box: Any, renderer: Any) -> list[str]:
    """Artists of one axes that lie under a box."""
    titles = [title for title in (ax.title, ax._left_title, ax._right_title) if title.get_text()]
    found = [f"the title {t.get_text()!r}" for t in titles if t.get_window_extent(renderer).overlaps(box)]
    bands = [patch for patch in ax.patches if patch.get_transform() != ax.transData and patch.get_visible()]
    return found + [f"a band of {ax.get_ylabel()!r}" for b in bands if _overlap(b, ax, box, renderer)]


def _overlap(band: Any, ax: Any, box: Any, renderer: Any) -> bool:
    """True if a box covers more than a pixel of a band (drawn by `axvspan`) within its axes."""
    from matplotlib.transforms import Bbox

    shared = Bbox.intersection(band.get_window_extent(renderer), ax.bbox)
    shared = Bbox.intersection(shared, box) if shared is not None else None
    return shared is not None and shared.width > 1.0 and shared.height > 1.0


def faults(figure: Any) -> list[str]:
    """Return in words what the legends of a drawn figure hide, and which of them leave it."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    parts = [figure, *figure.subfigs]
    legends = [legend for part in parts for legend in part.legends]
    legends += [ax.get_legend() for ax in figure.axes if ax.get_legend() is not None]
    found = []
    for legend in legends:
        box = legend.get_window_extent(renderer)
        words = ", ".join(text.get_text() for text in legend.get_texts())
        found += [f"({words}) lies on {part}" for ax in figure.axes for part in _hidden(ax, box, renderer)]
        if box.x0 < figure.bbox.x0 - 0.5 or box.x1 > figure.bbox.x1 + 0.5:
            found.append(f"({words}) leaves the picture")
    return found


def watch() -> list[str]:
    """Note the faults of every figure that is printed from now on, as a notebook does; return the growing list."""
    from matplotlib.backend_bases import FigureCanvasBase

    noted: list[str] = []
    printed = FigureCanvasBase.print_figure

    def noting(canvas: Any, *arguments: Any, **options: Any) -> Any:
        if hasattr(canvas, "get_renderer"):
            noted.extend(
                fault for fault in faults(canvas.figure) if "leaves" not in fault
            )  # it is cut to what is there
        return printed(canvas, *arguments, **options)

    FigureCanvasBase.print_figure = noting  # type: ignore[method-assign]
    return noted
