"""Picture of a state map: solutions of a contact problem as bands, with lines on those of Lemke's algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from stickslip.draw import place
from stickslip.draw import style as _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MapLike(Protocol):
    """Interface of `stickslip.analysis.StateMap` for pictures."""

    @property
    def regions(self) -> Sequence[Any]:
        """Regions with ``low``, ``high``, ``solutions``, ``lemke_source`` and ``lemke_plain``."""


_FACES: dict[str, dict[str, Any]] = {
    "stick": {"facecolor": _style.STICK_SHADE},
    "slip+": {"facecolor": "#BFDDF0"},
    "slip-": {"facecolor": "#F6CBB0"},
    "open": {"facecolor": "white", "hatch": _style.OPEN_HATCH},
    "open without slip": {"facecolor": "white", "hatch": "\\\\\\\\"},
}
# From top to bottom: the further apart and downwards the bodies move, the higher.
_ORDER = ("open", "open without slip", "slip-", "stick", "slip+")
_LEMKE = (
    ("lemke_source", "Lemke, rows times m1", 0.16, _style.BLACK, "-"),
    ("lemke_plain", "Lemke, rows not multiplied", -0.16, _style.VERMILION, (0, (4, 2))),
)


def _draw(
    found: MapLike,
    axes: Axes,
    scale: float,
    lemke: bool,
    modes: Sequence[str] | None,
    keywords: Mapping[str, Any],
) -> None:
    """Draw the map on `axes`, its parameter multiplied by `scale`."""
    regions = found.regions
    used = {mode for region in regions for mode in region.solutions}
    rows = [mode for mode in _ORDER if mode in used] if modes is None else list(modes)
    height = {mode: row for row, mode in enumerate(reversed(rows))}
    for region in regions:
        for mode in region.solutions:
            if mode not in height:
                continue
            looks = {"height": 0.8, "linewidth": 0.0, "edgecolor": _style.OPEN_EDGE, "zorder": 1.5}
            options = place.patch_options(keywords, **looks, **_FACES[mode])
            axes.barh(height[mode], scale * (region.high - region.low), left=scale * region.low, **options)
    if lemke:
        for attribute, text, shift, colour, dash in _LEMKE:
            label: str | None = text
            for region in regions:
                mode = getattr(region, attribute)
                if mode not in height:
                    continue  # a row not asked for, or it ended in a ray: no answer to draw
                axes.plot(
                    [scale * region.low, scale * region.high], [height[mode] + shift] * 2, color=colour,
                    linestyle=dash, linewidth=1.8, solid_capstyle="butt", dash_capstyle="butt", zorder=2.5,
                    label=label,
                )  # fmt: skip
                label = None
    for region in regions[:-1]:
        axes.axvline(scale * region.high, color="#7A7A7A", linewidth=0.5, linestyle=":", zorder=2.0)
    axes.set_yticks([height[mode] for mode in rows], rows)
    axes.set_ylabel("solution")
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlim(scale * regions[0].low, scale * regions[-1].high)
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0.0)


def plot(
    found: MapLike,
    *,
    ax: Axes | None = None,
    scale: float = 1.0,
    label: str | None = None,
    lemke: bool = True,
    modes: Sequence[str] | None = None,
    **keywords: Any,
) -> Axes:
    """Draw a map of states: see `stickslip.analysis.StateMap.plot`."""
    with place.axes(ax, "state map", 55.0, alone=True) as axes:
        _draw(found, axes, scale, lemke, modes, keywords)
        axes.set_xlabel(getattr(found, "parameter", "") if label is None else label)
        if lemke:
            _style.legend_below(axes, *axes.get_legend_handles_labels(), columns=2)
        return axes
