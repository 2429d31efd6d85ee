"""State chart of a friction element: its states and transitions, with the guards of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stickslip.draw import parts as sk
from stickslip.draw.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def has_states(element: Any) -> bool:
    """True if a friction element has the modes stick and slip: its law jumps at v = 0."""
    return bool(any(element["automaton"].values()) or element["law"].traits.sticks)


class Chart(Drawing):
    """Chart of stick, slip+ and slip−, with their equations and the guards on the arrows.

    Parameters
    ----------
    element : mapping
        The friction element, as in the description of the machine.
    taken : mapping, optional
        Text under the guard of a transition, by pair of states.
    """

    width, height = 16.6, 7.1

    def __init__(self, element: Any, taken: Mapping[tuple[str, str], str] | None = None) -> None:
        options = element["automaton"]
        self._taken = taken or {}
        self._lag, self._late = bool(options["memory"]), bool(options["dead_time"])
        self._bends = bool(options["travel"])
        ages = options["dwell"] and (self._lag or self._late)
        self._level = r"f_s(t_{dwell})" if ages else "f_s"
        self._entered = "f_{sa}" if ages else "f_s"
        self._loaded = bool(options["load_factor"])

    def _under(self, before: str, after: str, between: str = "\n") -> str:
        text = self._taken.get((before, after), "")
        return between + text if text else ""

    def draw(self, ax: Axes) -> None:
        """Draw the chart."""
        rest = r"$F = k\,s + b_s\dot{s}$" if self._bends else "$v = 0$"
        _state(ax, (8.3, 6.0), "stick", f"{rest}\n$|F| \\leq {self._level}$", "#E4E4E4")
        memory = self._lag or self._late
        force = "f + b|v|" if memory else "f_c(|v|)"
        dry = "\n" + r"$T_{fr}\dot{f} + f = f_c(|v|)$" if self._lag else ""
        if self._late:
            dry = "\n" + r"$f = f_c(|v(t - \tau)|)$"
        opposed = f"$F = -({force})${dry}" if memory else f"$F = -{force}$"
        _state(ax, (2.7, 1.9), "slip−", opposed, sk.SECOND)
        _state(ax, (13.9, 1.9), "slip+", f"$F = {force}${dry}", sk.FILL)
        for side, name in ((-1.0, "slip-"), (1.0, "slip+")):
            middle = 8.3
            sk.arrow(ax, (middle + side * 1.15, 5.23), (middle + side * 4.35, 2.68), "", colour=sk.LINE)
            sk.arrow(ax, (middle + side * 5.3, 2.68), (middle + side * 1.78, 5.5), "", colour=sk.LINE)
            away = f"$F > {self._level}$" if side > 0 else f"$F < -{self._level}$"
            sk.text(ax, (middle + side * 1.5, 3.55), away + self._under("stick", name), linespacing=1.6)
            back = rf"$v \rightarrow 0,\ |F| \leq {self._entered}$" + self._under(name, "stick")
            sk.text(ax, (middle + side * 5.3, 4.65), back, linespacing=1.6)
        sk.arrow(ax, (4.5, 2.15), (12.1, 2.15), "", colour=sk.LINE)
        sk.arrow(ax, (12.1, 1.6), (4.5, 1.6), "", colour=sk.LINE)
        over = rf"$v \rightarrow 0,\ F > {self._entered}$" + self._under("slip-", "slip+", ":  ")
        back = rf"$v \rightarrow 0,\ F < -{self._entered}$" + self._under("slip+", "slip-", ":  ")
        sk.label(ax, (8.3, 2.15), over, "above")
        sk.label(ax, (8.3, 1.6), back, "below")
        lines = self._entering()
        for y, part in ((0.6, lines[:3]), (0.2, lines[3:])):
            sk.text(ax, (8.3, y), "      ".join(part))

    def _entering(self) -> list[str]:
        """Return the resets at a transition, for the options in use."""
        lines = []
        if self._bends:
            lines.append(rf"entering stick: $s = {self._entered}\,\mathrm{{sgn}}(v)/k$")
        if "t_{dwell}" in self._level:
            lines.append(r"$t_{dwell} = 0$ on entering")
        if self._lag:
            lines += [rf"breaking away: $f = {self._level} - b|v|$", "reversing: $f$ is kept"]
        if self._loaded:
            lines.append(r"levels rise by $\nu|F_l|$")
        return lines


def _state(ax: Axes, centre: tuple[float, float], name: str, lines: str, fill: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    width, height = 3.5, 1.5
    ax.add_patch(
        FancyBboxPatch(
            (centre[0] - width / 2, centre[1] - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.25",
            facecolor=fill,
            edgecolor=sk.LINE,
            linewidth=1.0,
            zorder=3,
        )
    )
    sk.text(ax, (centre[0], centre[1] + 0.47), name, fontweight="bold")
    sk.text(ax, (centre[0], centre[1] - 0.2), lines, linespacing=1.5)
