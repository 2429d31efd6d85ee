"""The wedge gear as a drawing: its bodies, guides and the vectors of its flank, in their true directions.

Contact forces act on the upper wedge as λ_N·n + λ_T·t and on the lower one the other way round, with
n = (−sin γ, cos γ) and t = (cos γ, sin γ) (4.3 of Hinrichsen).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stickslip._drawing import parts as sk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.machines import WedgeGear


def flank(gear: WedgeGear) -> tuple[tuple[float, float], tuple[float, float]]:
    """Tangent t1 and normal n1 of the flank in the plane (4.3)."""
    return (math.cos(gear.angle), math.sin(gear.angle)), (-math.sin(gear.angle), math.cos(gear.angle))


def lower(ax: Axes, gear: WedgeGear, words: str = "$m_2$", shift: float = 0.0, base: float = 0.55) -> None:
    rise = 2.0 * math.tan(gear.angle)
    sk.polygon(
        ax,
        [(shift - 2.0, 0.0), (shift + 2.0, 0.0), (shift + 2.0, base + 2 * rise), (shift - 2.0, base)],
    )
    sk.text(ax, (shift + 1.45, 0.35 * (base + rise)), words)


def upper(ax: Axes, gear: WedgeGear, words: str = "$m_1$", lift: float = 0.0, base: float = 0.55) -> float:
    """Draw the upper wedge over the middle of the lower one; return the height of its top."""
    slope = math.tan(gear.angle)
    middle, half, height = base + 2.0 * slope + lift, 0.6, 1.0
    sk.polygon(
        ax,
        [
            (-half, middle - half * slope),
            (half, middle + half * slope),
            (half, middle + height),
            (-half, middle + height),
        ],
        fill=sk.SECOND,
    )
    sk.text(ax, (0.0, middle + 0.68 * height), words)
    return middle + height


def guides(ax: Axes, top: float) -> None:
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    sk.ground(ax, (-0.66, top + 0.1), (-0.66, top - 0.42))
    sk.ground(ax, (0.66, top - 0.42), (0.66, top + 0.1))


def pictured(ax: Axes, gear: WedgeGear, title: str = "", right: float = 3.2, top: float = 3.4) -> float:
    sk.start(ax, (-3.2, right), (-0.35, top))
    lower(ax, gear)
    height = upper(ax, gear)
    guides(ax, height)
    sk.angle(ax, (-2.0, 0.55), 1.0, 0.0, math.degrees(gear.angle), r"$\gamma$", out=1.3)
    sk.line(ax, (-2.0, 0.55), (-0.8, 0.55), linewidth=0.6, linestyle=":", zorder=4)
    if title:
        ax.set_title(title)
    return height
