"""Choice of the axes of a picture: the caller's, the current axes of pyplot, or a new figure of pyplot.

All pictures for users pass through `axes` or `panels`. Figures of `stickslip figures` and of animations written to a
file come from `style.canvas`, so that pyplot does not show them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stickslip._checks import reject
from stickslip.draw import style as _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Panels = npt.NDArray[np.object_]


@dataclass
class Held:
    """Content of axes that hold a picture of the package."""

    kind: str
    lines: int = 0  # drawn so far: the next one takes the next colour
    right: Any = None  # axes of a second unit
    own: bool = False  # whether the figure was made for this picture, with its size


# Kept as an attribute of the axes: a table of ours would hold them, through the axes of a second unit, for ever.
_MARK = "_stickslip_held"


def held(ax: Axes) -> Held | None:
    """Return the content that the package has drawn into the axes, or None."""
    known: Held | None = getattr(ax, _MARK, None)
    return known


@contextmanager
def axes(
    given: Axes | None, kind: str, height: float = 60.0, width: float = _style.WIDTH, *, alone: bool = False
) -> Iterator[Axes]:
    """Return the axes to draw into, and make them the current ones of their figure.

    Parameters
    ----------
    given
        The caller's axes, used as they are. None: the current axes of pyplot, unless they hold a picture of the package
        of another kind; then, or where pyplot has no figure, a new figure in the style of the package.
    kind
        Kind of picture, such as the units of both axes: pictures of one kind may share axes.
    height, width
        Size of a new figure, mm.
    alone
        If True, the picture shares axes with no other picture, as a schematic.
    """
    with panels(given, 1, kind, height, width, alone=alone) as found:
        yield found[0]


@contextmanager
def panels(
    given: Any,
    count: int,
    kind: str,
    height: float,
    width: float = _style.WIDTH,
    *,
    alone: bool = False,
    **layout: Any,
) -> Iterator[Panels]:
    """Return several axes one above the other, chosen as in `axes`.

    Parameters
    ----------
    given
        `count` axes of the caller, or None.
    count
        Number of axes.
    kind, height, width, alone
        See `axes`; without `given`, the axes of the current figure are used when it is empty or has `count` axes.
    **layout
        For `matplotlib.figure.Figure.subplots` where the figure is empty.
    """
    _style.need_matplotlib()
    current: Panels | None
    if given is not None:
        current = np.array(given, dtype=object).ravel()
        if current.size != count:
            reject("ax", f"{current.size} axes", f"{count} axes")
    else:
        current = _current(count, kind, alone, layout)
    if current is not None:
        with _style_of(current):
            yield _noted(current, kind)
        return
    import matplotlib.pyplot as plt

    # Outside of the style: pyplot loads its backend here, which sets rcParams (inline: "interactive") that must last.
    size = width * _style.MILLIMETRE, height * _style.MILLIMETRE
    figure = plt.figure(figsize=size, layout="constrained")
    with _style.style():
        found = _subplots(figure, count, layout)
        for ax in found:
            setattr(ax, _MARK, Held(kind, own=True))
        yield found
        for ax in figure.axes:
            _style.fix_ticks(ax)


def _subplots(figure: Any, count: int, layout: Mapping[str, Any]) -> Panels:
    rows: Panels = figure.subplots(count, 1, squeeze=False, **layout)[:, 0]
    return rows


def _style_of(found: Panels) -> AbstractContextManager[None]:
    """The style of the package where its figure is added to, else the caller's."""
    known = [held(ax) for ax in found]
    return _style.style() if all(one is not None and one.own for one in known) else nullcontext()


def _noted(found: Panels, kind: str) -> Panels:
    for ax in found:
        known = held(ax)
        if known is None or known.kind != kind or not ax.has_data():
            setattr(ax, _MARK, Held(kind))
    return found


def _current(count: int, kind: str, alone: bool, layout: Mapping[str, Any]) -> Panels | None:
    """The axes of pyplot's current figure that can take the picture, or None."""
    import matplotlib.pyplot as plt

    if not plt.get_fignums():
        return None
    figure = plt.gcf()
    if not figure.axes:
        return _subplots(figure, count, layout)
    found = np.array([plt.gca()] if count == 1 else figure.axes, dtype=object)
    if found.size == count and all(_takes(ax, kind, alone, count == 1) for ax in found):
        return found
    return None


def _takes(ax: Any, kind: str, alone: bool, single: bool) -> bool:
    """Return True for axes that are empty, hold the same kind of picture or, for a single picture, the caller's artists."""
    if ax.name != "rectilinear":
        return False
    if not (ax.has_data() or ax.texts):
        return True
    known = held(ax)
    return not alone and (single if known is None else known.kind == kind)


def line_options(keywords: Mapping[str, Any], **defaults: Any) -> dict[str, Any]:
    """Keywords of a line: those of the caller, under any alias, replace the defaults."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**defaults, **normalize_kwargs(dict(keywords), Line2D)}


def patch_options(keywords: Mapping[str, Any], **defaults: Any) -> dict[str, Any]:
    """Keywords of bars and other patches: those of the caller replace the defaults."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.patches import Patch

    given = normalize_kwargs(dict(keywords), Patch)
    if "color" in given:
        defaults = {key: value for key, value in defaults.items() if key not in ("facecolor", "edgecolor")}
    return {**defaults, **given}
