"""Overlaps of the texts of a drawing, and texts outside of it: boxes of all texts, in pixels."""

from __future__ import annotations

import itertools
from typing import Any

from matplotlib.transforms import Bbox


def _boxes(canvas: Any) -> list[tuple[str, Bbox]]:
    canvas.canvas.draw()
    renderer = canvas.canvas.get_renderer()
    found = []
    for ax in canvas.axes:
        for text in ax.texts:
            if text.get_visible() and text.get_text().strip() and _drawn(text, renderer):
                box = text.get_window_extent(renderer)
                # A text's box has room above and below the letters.
                found.append((text.get_text(), Bbox.from_extents(box.x0, box.y0 + 1, box.x1, box.y1 - 1)))
    return found


def _drawn(text: Any, renderer: Any) -> bool:
    """False for a label at a point outside its axes, which matplotlib leaves out."""
    return not hasattr(text, "_check_xy") or text._check_xy(renderer)


def _left_out(canvas: Any) -> list[str]:
    """Labels and arrows at points outside their axes."""
    renderer = canvas.canvas.get_renderer()
    texts = [text for ax in canvas.axes for text in ax.texts]
    return [f"{text.get_text()!r} at {text.xy} is left out" for text in texts if not _drawn(text, renderer)]


def _shared(a: Bbox, b: Bbox) -> float:
    """Area in both, over the smaller one's."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    if width <= 0.0 or height <= 0.0:
        return 0.0
    return width * height / min(a.width * a.height, b.width * b.height)


def faults(canvas: Any) -> list[str]:
    """Pairs of texts that share more than a twentieth of the smaller one, and texts that leave the picture."""
    boxes, whole = _boxes(canvas), canvas.bbox
    lying = [
        f"{one!r} on {other!r}"
        for (one, a), (other, b) in itertools.combinations(boxes, 2)
        if _shared(a, b) > 0.05
    ]
    leaving = [
        words
        for words, box in boxes
        if box.x0 < -1 or box.y0 < -1 or box.x1 > whole.width + 1 or box.y1 > whole.height + 1
    ]
    return [*lying, *(f"{words!r} leaves the picture" for words in leaving), *_left_out(canvas)]
