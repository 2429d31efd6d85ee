"""A mass on a surface: under forces to scale, or on a spring whose end is pulled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickslip.draw import parts as sk

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forced(ax: Axes, ahead: tuple[str, float], back: tuple[str, float], below: tuple[str, float]) -> None:
    """Draw a mass with forces as (name, length): ahead on its right, others on its left and at its base."""
    sk.ground(ax, (-2.4, 0.0), (2.4, 0.0))
    sk.block(ax, -0.8, 0.0, 1.6, 1.0, "$m$")
    sk.arrow(ax, (0.8, 0.6), (0.8 + ahead[1], 0.6), ahead[0], "above")
    if back[1]:
        sk.arrow(ax, (-0.8, 0.6), (-0.8 - back[1], 0.6), back[0], "above")
    sk.arrow(ax, (-0.1, -0.35), (-0.1 - below[1], -0.35), below[0], "left-end")


def pulled(ax: Axes, mass: str, spring: str, speed: str, place: str, friction: str) -> None:
    """Draw a mass on a spring with labels."""
    sk.ground(ax, (-2.6, 0.0), (3.9, 0.0))
    sk.block(ax, -1.6, 0.0, 1.6, 1.0, mass)
    sk.spring(ax, (0.0, 0.5), (2.2, 0.5), spring)
    sk.arrow(ax, (2.2, 0.5), (3.3, 0.5), speed, "above", sk.MOTION)
    sk.arrow(ax, (-0.8, 1.35), (0.0, 1.35), place, "right-end", sk.MOTION)
    sk.arrow(ax, (-0.6, -0.3), (-1.5, -0.3), friction, "left-end")
