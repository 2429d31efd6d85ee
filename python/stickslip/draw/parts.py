"""Parts of schematic drawings: masses, springs, dampers, walls, arrows, blocks of a diagram.

All functions draw in the units of axes without a frame and with equal scales (see `start`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]

LINE, FILL, SECOND, FORCE, MOTION = "#000000", "#DCEBF5", "#FBE8C8", "#D55E00", "#0072B2"
_WIDTH = 1.0
BODY = 3  # zorder of bodies and blocks
ROTOR_SHAFT = 0.3  # length of the shaft on both sides of a rotor


def start(ax: Axes, x: Point, y: Point) -> None:
    """Clear the axes and give both directions the same scale."""
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set(xlim=x, ylim=y)


def text(ax: Axes, at: Point, words: str, **options: Any) -> None:
    """Write a text centred at a point."""
    ax.text(*at, words, **{"ha": "center", "va": "center", "zorder": 6, **options})


def polygon(ax: Axes, corners: Sequence[Point], words: str = "", fill: str = FILL, **options: Any) -> None:
    """Draw a body by its corners, its name in their middle."""
    from matplotlib.patches import Polygon

    ax.add_patch(
        Polygon(corners, facecolor=fill, edgecolor=LINE, **{"linewidth": _WIDTH, "zorder": BODY, **options})
    )
    if words:
        text(ax, tuple(np.mean(corners, axis=0)), words)


def block(
    ax: Axes, left: float, bottom: float, width: float, height: float, words: str = "", fill: str = FILL
) -> None:
    """Draw a rectangular body."""
    right, top = left + width, bottom + height
    polygon(ax, [(left, bottom), (right, bottom), (right, top), (left, top)], words, fill)


def rotor(ax: Axes, left: float, bottom: float, width: float, height: float, words: str = "") -> None:
    """Draw a disc on a shaft, seen from the side and a little from the right."""
    from matplotlib.patches import Ellipse, Rectangle

    axis, depth = bottom + 0.5 * height, 0.22
    line(ax, (left - ROTOR_SHAFT, axis), (left, axis), linewidth=4.0, solid_capstyle="butt", zorder=2.4)
    right = left + width
    for x, fill in ((left + 0.5 * depth, FILL), (right - 0.5 * depth, "#EEF5FA")):
        if fill != FILL:
            wide = width - depth
            box = Rectangle(
                (left + 0.5 * depth, bottom), wide, height, facecolor=FILL, linewidth=0.0, zorder=BODY
            )
            ax.add_patch(box)
            for y in (bottom, bottom + height):
                line(ax, (left + 0.5 * depth, y), (right - 0.5 * depth, y), zorder=BODY)
        ax.add_patch(
            Ellipse((x, axis), depth, height, facecolor=fill, edgecolor=LINE, linewidth=_WIDTH, zorder=BODY)
        )
    line(
        ax,
        (right - 0.5 * depth, axis),
        (right + ROTOR_SHAFT, axis),
        linewidth=4.0,
        zorder=BODY + 0.1,
        solid_capstyle="butt",
    )
    text(ax, (0.5 * (left + right - depth), axis), words)


def bearing(ax: Axes, at: Point) -> None:
    """Draw the bearing of a shaft, its bottom at a point."""
    polygon(ax, [at, (at[0] - 0.09, at[1] - 0.16), (at[0] + 0.09, at[1] - 0.16)], fill="#FFFFFF", zorder=2.6)
    ground(ax, (at[0] - 0.17, at[1] - 0.16), (at[0] + 0.17, at[1] - 0.16), depth=0.1)


def torque(ax: Axes, tail: Point, head: Point, colour: str = FORCE) -> None:
    """Draw a torque as a curved arrow."""
    _pointer(ax, tail, head, colour, connectionstyle=f"arc3,rad={-0.5 if head[0] > tail[0] else 0.5}")


def ball(ax: Axes, centre: Point, radius: float, words: str = "", fill: str = FILL) -> None:
    """Draw a round body."""
    from matplotlib.patches import Circle

    ax.add_patch(Circle(centre, radius, facecolor=fill, edgecolor=LINE, linewidth=_WIDTH, zorder=BODY))
    if words:
        text(ax, centre, words)


def line(ax: Axes, *points: Point, **options: Any) -> None:
    """Draw a line through points."""
    x, y = zip(*points, strict=True)
    ax.plot(
        x,
        y,
        **{
            "color": LINE,
            "linestyle": "-",
            "linewidth": _WIDTH,
            "zorder": 2.5,
            "solid_capstyle": "round",
            **options,
        },
    )


def ground(ax: Axes, first: Point, last: Point, depth: float = 0.14) -> None:
    """Draw a fixed surface: a line, hatched on its right-hand side as seen from `first` to `last`."""
    along = np.subtract(last, first)
    length = float(np.hypot(*along))
    along = along / length
    below = np.array([along[1], -along[0]])
    line(ax, first, last, linewidth=1.3)
    for s in np.arange(0.5 * depth, length, depth):
        top = np.add(first, along * s)
        foot = top + (below - along) * depth * 0.8
        line(ax, tuple(top), tuple(foot), linewidth=0.5, zorder=2)


def _between(first: Point, last: Point) -> tuple[Any, Any, float]:
    along = np.subtract(last, first)
    length = float(np.hypot(*along))
    along = along / length
    return along, np.array([-along[1], along[0]]), length


def spring(ax: Axes, first: Point, last: Point, words: str = "", coils: int = 5, size: float = 0.13) -> None:
    """Draw a spring between two points."""
    along, across, length = _between(first, last)
    lead = 0.18 * length
    s = np.concatenate([[0.0], np.linspace(lead, length - lead, 2 * coils + 1), [length]])
    side = np.concatenate([[0.0], [0.0], [size * (-1) ** k for k in range(2 * coils - 1)], [0.0], [0.0]])
    points = [tuple(np.add(first, along * a + across * b)) for a, b in zip(s, side, strict=True)]
    line(ax, *points)
    if words:
        x, y = np.add(first, along * length / 2 + across * size)
        label(ax, (float(x), float(y)), words, "above" if abs(across[1]) > 0.5 else "left")


def damper(ax: Axes, first: Point, last: Point, words: str = "", size: float = 0.13) -> None:
    """Draw a damper between two points."""
    along, across, length = _between(first, last)

    def at(a: float, b: float) -> Point:
        x, y = np.add(first, along * a * length + across * b)
        return float(x), float(y)

    line(ax, at(0.0, 0.0), at(0.35, 0.0))
    line(ax, at(0.65, size), at(0.35, size), at(0.35, -size), at(0.65, -size))
    line(ax, at(0.55, size * 0.75), at(0.55, -size * 0.75))
    line(ax, at(0.55, 0.0), at(1.0, 0.0))
    if words:
        label(ax, at(0.5, -size), words, "below")


# Offset (points) and alignment of a label, by side.
_SIDES: dict[str, tuple[Point, dict[str, Any]]] = {
    "above": ((0.0, 3.0), {"ha": "center", "va": "bottom"}),
    "below": ((0.0, -3.0), {"ha": "center", "va": "top"}),
    "right": ((4.0, 0.0), {"ha": "left", "va": "center"}),
    "left": ((-4.0, 0.0), {"ha": "right", "va": "center"}),
}


def label(ax: Axes, at: Point, words: str, side: str, colour: str = LINE) -> None:
    """Write a text beside a point, above, below, left or right of it, with a light outline against lines behind it."""
    from matplotlib.patheffects import withStroke

    offset, aligned = _SIDES[side]
    edge = [withStroke(linewidth=1.8, foreground="#FFFFFF", alpha=0.85)]
    ax.annotate(
        words,
        at,
        xytext=offset,
        textcoords="offset points",
        color=colour,
        zorder=6,
        path_effects=edge,
        **aligned,
    )


def _pointer(ax: Axes, tail: Point, head: Point, colour: str, **options: Any) -> None:
    ax.annotate(
        "",
        xy=head,
        xytext=tail,
        zorder=5,
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linewidth": 1.3,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 9,
            **options,
        },
    )


def arrow(
    ax: Axes, tail: Point, head: Point, words: str = "", side: str = "above", colour: str = FORCE
) -> None:
    """Draw an arrow with its name above, below, left or right of its middle, head (``-end``) or tail (``-start``)."""
    _pointer(ax, tail, head, colour)
    if words:
        place, _, part = side.partition("-")
        along = {"end": 1.0, "start": 0.0}.get(part, 0.5)
        at = (tail[0] + along * (head[0] - tail[0]), tail[1] + along * (head[1] - tail[1]))
        label(ax, at, words, place, colour)


def angle(
    ax: Axes, centre: Point, radius: float, low: float, high: float, words: str, out: float = 1.3
) -> None:
    """Draw the arc of an angle (degrees) with its name."""
    from matplotlib.patches import Arc

    ax.add_patch(
        Arc(centre, 2 * radius, 2 * radius, theta1=low, theta2=high, linewidth=0.8, color=LINE, zorder=5)
    )
    middle = math.radians(0.5 * (low + high))
    text(
        ax, (centre[0] + out * radius * math.cos(middle), centre[1] + out * radius * math.sin(middle)), words
    )


def dimension(ax: Axes, first: Point, last: Point, words: str, offset: Point = (0.0, 0.14)) -> None:
    """Draw a double arrow with a length."""
    ax.annotate(
        "",
        xy=last,
        xytext=first,
        zorder=4,
        arrowprops={
            "arrowstyle": "<|-|>",
            "color": LINE,
            "linewidth": 0.7,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 6,
        },
    )
    text(ax, (0.5 * (first[0] + last[0]) + offset[0], 0.5 * (first[1] + last[1]) + offset[1]), words)


def box(
    ax: Axes, centre: Point, words: str, width: float = 1.2, height: float = 0.7, fill: str = "#FFFFFF"
) -> None:
    """Draw a block of a diagram."""
    block(ax, centre[0] - width / 2, centre[1] - height / 2, width, height, "", fill)
    text(ax, centre, words)


def junction(ax: Axes, centre: Point, signs: Sequence[tuple[str, Point]] = (), radius: float = 0.13) -> None:
    """Draw a summing junction with a sign beside each input."""
    ball(ax, centre, radius, fill="#FFFFFF")
    for sign, (dx, dy) in signs:
        text(ax, (centre[0] + dx, centre[1] + dy), sign, fontsize=7)


def wire(ax: Axes, *points: Point, words: str = "", at: Point | None = None) -> None:
    """Draw a signal line through points, with an arrow at its end."""
    if len(points) > 2:
        line(ax, *points[:-1], linewidth=0.9)
    ax.annotate(
        "",
        xy=points[-1],
        xytext=points[-2],
        zorder=2.6,
        arrowprops={
            "arrowstyle": "-|>",
            "color": LINE,
            "linewidth": 0.9,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 7,
        },
    )
    if words:
        label(ax, at or (0.5 * (points[0][0] + points[1][0]), points[0][1]), words, "above")


def dot(ax: Axes, at: Point) -> None:
    """Draw a dot at the branch of a signal."""
    ax.plot(*at, "o", color=LINE, markersize=2.5, zorder=4)
