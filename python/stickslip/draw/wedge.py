"""The wedge gear as a drawing: its bodies, guides and the vectors of its flank, in their true directions.

Contact forces act on the upper wedge as λ_N·n + λ_T·t and on the lower one the other way round, with
n = (−sin γ, cos γ) and t = (cos γ, sin γ) (4.3 of Hinrichsen).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from stickslip.draw import parts as sk
from stickslip.draw import words
from stickslip.draw.drawing import Drawing, show
from stickslip.laws import Law
from stickslip.machine.compliance import KelvinVoigt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.machines import WedgeGear, WormGear


def flank(gear: WedgeGear) -> tuple[tuple[float, float], tuple[float, float]]:
    """Tangent t1 and normal n1 of the flank in the plane (4.3)."""
    return (math.cos(gear.angle), math.sin(gear.angle)), (-math.sin(gear.angle), math.cos(gear.angle))


def lower(ax: Axes, gear: WedgeGear, name: str = "$m_2$", shift: float = 0.0, base: float = 0.55) -> None:
    """Draw the lower wedge."""
    rise = 2.0 * math.tan(gear.angle)
    sk.polygon(
        ax,
        [(shift - 2.0, 0.0), (shift + 2.0, 0.0), (shift + 2.0, base + 2 * rise), (shift - 2.0, base)],
    )
    sk.text(ax, (shift + 1.45, 0.35 * (base + rise)), name)


def upper(ax: Axes, gear: WedgeGear, name: str = "$m_1$", lift: float = 0.0, base: float = 0.55) -> float:
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
    sk.text(ax, (0.0, middle + 0.68 * height), name)
    return middle + height


def guides(ax: Axes, top: float) -> None:
    """Draw the guides of both wedges."""
    sk.ground(ax, (-2.9, 0.0), (2.9, 0.0))
    sk.ground(ax, (-0.66, top + 0.1), (-0.66, top - 0.42))
    sk.ground(ax, (0.66, top - 0.42), (0.66, top + 0.1))


def pictured(ax: Axes, gear: WedgeGear) -> float:
    """Draw both wedges in their guides, and the angle; return the height of the upper one's top."""
    lower(ax, gear)
    height = upper(ax, gear)
    guides(ax, height)
    sk.angle(ax, (-2.0, 0.55), 1.0, 0.0, math.degrees(gear.angle), r"$\gamma$", out=1.3)
    sk.line(ax, (-2.0, 0.55), (-0.8, 0.55), linewidth=0.6, linestyle=":", zorder=4)
    return height


class WedgeDrawing(Drawing):
    """The gear with its spring and load and, optionally, a table of its parameters.

    The angle is true to scale between 8° and 40°; flatter and steeper wedges are drawn at these limits.
    """

    left, bottom = -3.2, -0.35

    def __init__(self, gear: WedgeGear, numbers: bool = True) -> None:
        angle = min(max(gear.angle, math.radians(8.0)), math.radians(40.0))
        self._gear, self._numbers = gear, numbers
        self._drawn = dataclasses.replace(gear, angle=angle)
        slope = math.tan(angle)
        self.width = 12.2 if numbers else 8.4
        self.height = max(1.55 + 2.0 * slope + 1.25, 0.55 + 4.0 * slope + 0.4, 3.4) + 0.35

    def draw(self, ax: Axes) -> None:
        """Draw the gear."""
        gear = self._gear
        top = pictured(ax, self._drawn)
        pulled = gear.pull_velocity >= 0.0
        sk.arrow(ax, (0.0, top + 0.8), (0.0, top + 0.05), "$F$", "right-start")
        sk.spring(ax, (2.0, 0.6), (3.6, 0.6), "$k$")
        ends = ((3.6, 0.6), (4.6, 0.6)) if pulled else ((4.6, 0.6), (3.6, 0.6))
        sk.arrow(ax, *ends, "$v_0$", "above", sk.MOTION)
        sk.arrow(ax, (-2.9, 1.9), (-2.1, 1.9), "$x_2$", "above", sk.MOTION)
        sk.arrow(ax, (-0.95, top - 0.5), (-0.95, top + 0.3), "$y_1$", "left", sk.MOTION)
        if self._numbers:
            listed(ax, (5.4, self.height + self.bottom - 0.2), _numbers(gear, self._drawn))


def _numbers(gear: WedgeGear, drawn: WedgeGear) -> list[tuple[str, str]]:
    angle = words.amount(math.degrees(gear.angle)) + "°"
    if drawn.angle != gear.angle:
        angle += f" (drawn with {words.amount(math.degrees(drawn.angle))}°)"
    return [
        ("$m_1$", words.amount(gear.upper_mass, "kg")),
        ("$m_2$", words.amount(gear.lower_mass, "kg")),
        ("$k$", words.amount(gear.stiffness, "N/m")),
        ("$v_0$", words.amount(1e3 * abs(gear.pull_velocity), "mm/s")),
        ("$F$", words.amount(gear.load, "N")),
        (r"$\gamma$", angle),
        *rubbing(gear),
    ]


def rubbing(gear: WedgeGear | WormGear) -> list[tuple[str, str]]:
    """Friction and restitution or elasticity of a gear's flank, as rows of its table."""
    if isinstance(gear.friction, Law):
        kinds = words.law(gear.friction.compiled, {})
        friction = f"{words.amount(gear.break_away_friction)} at rest, {kinds}"
    else:
        static = "" if gear.static_friction is None else f", static {words.amount(gear.static_friction)}"
        friction = words.amount(gear.friction) + static
    return [
        (r"$\mu$", friction),
        *_bounce(gear),
    ]


def _bounce(gear: WedgeGear | WormGear) -> list[tuple[str, str]]:
    """Restitution of a rigid flank, stiffness and damping of an elastic one."""
    law = gear.compliance
    if law is None:
        return [(r"$\varepsilon$", words.amount(gear.restitution))]
    if isinstance(law, KelvinVoigt):
        units = "N/m", "Ns/m"
    else:
        units = "N/m" if law.exponent == 1.0 else f"N/m$^{{{words.amount(law.exponent)}}}$", "s/m"
    return [
        ("$k_N$", words.amount(law.stiffness, units[0])),
        ("$d_N$" if units[1] == "Ns/m" else "$c_N$", words.amount(law.damping, units[1])),
    ]


def listed(ax: Axes, at: sk.Point, rows: list[tuple[str, str]]) -> None:
    """Write symbols and their values in rows."""
    for k, (symbol, value) in enumerate(rows):
        y = at[1] - 0.38 * k
        sk.text(ax, (at[0], y), symbol, ha="left")
        sk.text(ax, (at[0] + 0.7, y), f"= {value}", ha="left")


def draw(gear: WedgeGear, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
    """Draw the gear, or its machine: see `WedgeGear.draw`."""
    if what not in (None, "geometry"):
        return gear.machine.draw(ax, what, **keywords)
    return show(WedgeDrawing(gear), ax, keywords)
