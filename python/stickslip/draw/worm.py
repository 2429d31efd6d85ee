"""The worm gear as a drawing: wheel and worm by their radii, the thread by its lead angle, shaft, motor and load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip.draw import words
from stickslip.draw.drawing import Drawing, show
from stickslip.draw.wedge import listed, rubbing
from stickslip.laws import Law

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.machines import WormGear

_WHEEL = 1.5  # cm, to which the radii are scaled
_SHADES = "#8FBEDD", "#F0B95C"


class WormDrawing(Drawing):
    """The gear from the side and, optionally, a table of its parameters.

    Radii are in proportion as long as the worm is between a quarter of the wheel and its full size; the thread rises by
    the lead angle.

    Parameters
    ----------
    gear : WormGear
        The gear.
    numbers : bool
        If True, the parameters are listed beside the drawing.
    wedge : bool
        If True, the equivalent wedge gear is included in the drawing.
    """

    left = -3.3

    def __init__(self, gear: WormGear, numbers: bool = True, wedge: bool = False) -> None:
        self._gear, self._numbers, self._wedge = gear, numbers, wedge
        self._worm = _WHEEL * min(max(gear.worm_radius / gear.wheel_radius, 0.25), 1.0)
        self.bottom = -2.0 * self._worm - 1.0
        self.width = 13.8 if numbers else 9.0
        self.height = 2.0 * _WHEEL + 0.95 - self.bottom

    def draw(self, ax: Axes) -> None:
        """Draw the gear; the pitch line of wheel and worm is at y = 0."""
        self._wheel(ax)
        self._shaft(ax)
        if self._wedge:
            self._wedges(ax)
        if self._numbers:
            listed(ax, (6.1, self.bottom + self.height - 0.35), _numbers(self._gear))

    def _wheel(self, ax: Axes) -> None:
        centre, teeth = (0.0, _WHEEL), 22
        phi = np.linspace(0.0, 2.0 * math.pi, teeth * 4 + 1)
        r = _WHEEL + 0.1 * np.where(np.arange(phi.size) % 4 < 2, 1.0, -1.0)
        corners = zip(r * np.sin(phi), _WHEEL + r * np.cos(phi), strict=True)
        sk.polygon(ax, list(corners), fill=sk.SECOND)
        sk.ball(ax, centre, 0.08, fill="#FFFFFF")
        sk.text(ax, (0.0, _WHEEL + 0.45), r"$\Theta_1$")
        top = 2.0 * _WHEEL
        sk.arrow(ax, (-1.15, top + 0.1), (-0.4, top + 0.4), r"$\dot{\varphi}_1$", "above-start", sk.MOTION)
        sk.arrow(ax, (0.62, top + 0.3), (1.38, top - 0.05), r"$M_1$", "right-end")

    def _shaft(self, ax: Axes) -> None:
        r, low, axis = self._worm, -2.0 * self._worm, -self._worm
        sk.block(ax, -2.3, low, 4.6, 2.0 * r, "", sk.FILL)
        lean = min(2.0 * r * math.tan(self._gear.lead_angle), 1.0)
        for x in np.arange(-2.1, 2.25 - lean, 0.43):
            sk.line(ax, (x, low), (x + lean, 0.0), linewidth=0.9, zorder=3.4)
        sk.line(ax, (-2.9, axis), (-2.3, axis), linewidth=2.5)
        sk.label(ax, (-1.5, low), r"$\Theta_2$", "below")
        sk.spring(
            ax,
            (2.3, axis),
            (3.9, axis),
            r"$k_\varphi$" + (r", $d_\varphi$" if self._gear.shaft_damping else ""),
        )
        sk.block(ax, 3.9, axis - 0.45, 1.5, 0.9, "motor")
        sk.label(ax, (4.65, axis - 0.45), r"$\omega$", "below", sk.MOTION)
        sk.arrow(ax, (1.2, low - 0.15), (1.2, low - 0.8), "", colour=sk.MOTION)
        sk.label(ax, (1.2, low - 0.45), r"$M_2, \dot{\varphi}_2$", "right", sk.MOTION)

    def _wedges(self, ax: Axes) -> None:
        """The wedge gear that flank and tooth make, as steep as the lead angle."""
        slope = math.tan(self._gear.lead_angle)
        base = -0.35
        sk.polygon(
            ax,
            [(-0.95, base - 0.08), (0.95, base - 0.08), (0.95, base + 1.9 * slope), (-0.95, base)],
            fill=_SHADES[0],
            zorder=4,
        )
        sk.polygon(
            ax,
            [(-0.3, base + 0.65 * slope), (0.3, base + 1.25 * slope), (0.3, 0.6), (-0.3, 0.6)],
            fill=_SHADES[1],
            zorder=4,
        )


def _numbers(gear: WormGear) -> list[tuple[str, str]]:
    rows = [
        (r"$\Theta_1$", words.amount(gear.wheel_inertia, "kg·m²")),
        (r"$\Theta_2$", words.amount(gear.worm_inertia, "kg·m²")),
        ("$r_1$", words.amount(1e3 * gear.wheel_radius, "mm")),
        ("$r_2$", words.amount(1e3 * gear.worm_radius, "mm")),
        (r"$\gamma$", words.amount(math.degrees(gear.lead_angle)) + "°"),
        (r"$\alpha_n$", words.amount(math.degrees(gear.pressure_angle)) + "°"),
        ("$M_1$", words.amount(gear.load_torque, "Nm")),
        (r"$k_\varphi$", words.amount(gear.shaft_stiffness, "Nm/rad")),
        (r"$\omega$", words.amount(gear.motor_speed, "rad/s")),
        *rubbing(gear),
    ]
    if gear.shaft_damping:
        rows.insert(8, (r"$d_\varphi$", words.amount(gear.shaft_damping, "Nms/rad")))
    for symbol, bearing in (("$B_1$", gear.wheel_bearing), ("$B_2$", gear.worm_bearing)):
        if isinstance(bearing, Law):
            level = words.amount(float(bearing.break_away), "Nm")
            rows.append((symbol, f"{level} at rest, {words.law(bearing.compiled, {})}"))
    if gear.clearance is not None:
        rows.append(("$j$", words.amount(1e3 * gear.clearance, "mm")))
    return rows


def draw(gear: WormGear, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
    """Draw the gear, or its machine: see `WormGear.draw`."""
    if what not in (None, "geometry"):
        return gear.machine.draw(ax, what, **keywords)
    return show(WormDrawing(gear), ax, keywords)
