"""Block diagram of a machine without controllers: integrators and the feedback of friction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stickslip.draw import parts as sk
from stickslip.draw import words
from stickslip.draw.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BETWEEN = 0.35


class Loop(Drawing):
    """Block diagram of ``M q̈ = forces − D q̇ − K q − friction``, from left to right; feedback in rows below."""

    def __init__(self, machine: Any) -> None:
        described = machine._description
        plant, elements = described.plant, described.elements
        one = len(plant["mass"]) == 1
        self._forces = "u" if any(e["kind"] == "force" for e in elements) else ""
        self._mass = "1/m" if one else "M⁻¹"
        held = {}
        for key, letter, unit in (("damping", "D", "Ns/m"), ("stiffness", "K", "N/m")):
            if plant[key].any():
                held[key] = words.amount(float(plant[key][0, 0]), unit) if one else letter
        # text, and from which of the integrators it is fed
        self._rows = [("damping\n" + held["damping"], 1)] if "damping" in held else []
        self._rows += [("stiffness\n" + held["stiffness"], 2)] if "stiffness" in held else []
        for e in elements:
            if e["kind"] == "friction":
                self._rows.append((_friction(e, machine.states), 1))
            elif e["kind"] == "contact":
                self._rows.append((words.contact(e), 2))
            elif e["kind"] == "spring":
                self._rows.append((words.spring(e), 2))
            elif e["kind"] == "one_way_clutch":
                self._rows.append((words.one_way_clutch(e), 1))
            elif e["kind"] in ("relay", "quantiser"):
                self._rows.append((words.relay(e), 2))
            elif e["kind"] == "detent":
                self._rows.append((words.detent(e), 2))
            elif e["kind"] == "constraint":
                self._rows.append((words.constraint(e), 2))
        wide = max((words.width(text) + 0.3 for text, _ in self._rows), default=0.0)
        self._out = max(4.1, wide + 1.9)  # where the velocity is taken off
        self.width = self._out + 3.4
        self._tall = [max(0.7, words.height(text) + 0.2) for text, _ in self._rows]
        self.height = 1.4 + sum(self._tall) + _BETWEEN * len(self._tall)

    def draw(self, ax: Axes) -> None:
        """Draw the diagram."""
        y, x, out = self.height - 0.7, 1.2, self._out
        if self._forces:
            sk.wire(ax, (0.2, y), (x - 0.13, y))
            sk.label(ax, (0.5, y), self._forces, "above")
        sk.wire(ax, (x + 0.13, y), (x + 0.6, y))
        sk.box(ax, (x + 1.05, y), self._mass, 0.9)
        between = 0.5 * (x + 1.5 + out)
        sk.wire(ax, (x + 1.5, y), (between - 0.4, y))
        sk.label(ax, (0.5 * (x + 1.1 + between), y), r"$\ddot{q}$", "above")
        sk.box(ax, (between, y), r"$\int$", 0.8)
        sk.wire(ax, (between + 0.4, y), (out + 0.7, y))
        sk.label(ax, (out, y), r"$\dot{q}$", "above")
        sk.box(ax, (out + 1.1, y), r"$\int$", 0.8)
        sk.wire(ax, (out + 1.5, y), (out + 3.0, y))
        sk.label(ax, (out + 2.7, y), "$q$", "above")
        sk.junction(ax, (x, y))
        taken = {1: out, 2: out + 2.2}
        above, below = y, y - 0.45 - _BETWEEN
        for row, ((text, order), tall) in enumerate(zip(self._rows, self._tall, strict=True)):
            middle = below - 0.5 * tall
            last = row == len(self._rows) - 1
            self._fed_back(ax, text, tall, (taken[order], y), (x, above), middle, last)
            above, below = middle, below - tall - _BETWEEN
        if self._rows:
            sk.text(ax, (x - 0.24, y - 0.27), "−")

    def _fed_back(
        self, ax: Axes, text: str, tall: float, start: sk.Point, sum_: sk.Point, y: float, last: bool
    ) -> None:
        """A block from where a signal is taken off, into the sum at the left of it or into the next one above."""
        x, middle, wide = sum_[0], 0.5 * (sum_[0] + self._out), words.width(text) + 0.3
        sk.dot(ax, start)
        sk.wire(ax, start, (start[0], y), (middle + 0.5 * wide, y))
        sk.box(ax, (middle, y), text, wide, tall, sk.SECOND)
        if last:
            sk.wire(ax, (middle - 0.5 * wide, y), (x, y), (x, sum_[1] - 0.13))
        else:
            sk.wire(ax, (middle - 0.5 * wide, y), (x + 0.13, y))
            sk.junction(ax, (x, y))
            sk.wire(ax, (x, y + 0.13), (x, sum_[1] - 0.13))


def _friction(e: Any, names: Sequence[str]) -> str:
    """A friction element with its internal states, if it has some."""
    if any(e["automaton"].values()):
        return words.friction(e)
    held = [name.removeprefix(f"{e['name']}.") for name in names if name.startswith(f"{e['name']}.")]
    own = list(e["law"].state_names)
    states = ", ".join(own if len(own) == len(held) else held)
    return words.friction(e) + (f"\nstate{'s' * (',' in states)} {states}" if states else "")


class Matrices(Drawing):
    """Block diagram of ``x' = A x + B u + A_NL NL(x)``, ``y = C x + D u`` (figure 5 of Krämer and Kempkes)."""

    width = 10.2

    def __init__(self, machine: Any) -> None:
        described = machine._description
        self._nonlinear = words.nonlinear(described.elements)
        self._direct = bool(described.plant["D"].any())
        named = "\n".join(self._nonlinear)
        self._tall = max(0.7, words.height(named) + 0.2)
        self.height = 3.6 + (0.7 + self._tall if self._nonlinear else 0.0) - (0.0 if self._direct else 0.9)

    def draw(self, ax: Axes) -> None:
        """Draw the diagram."""
        y = self.height - (1.5 if self._direct else 0.6)
        sk.wire(ax, (0.1, y), (1.0, y), words="$u$", at=(0.3, y))
        sk.box(ax, (1.5, y), "$B$", 1.0)
        sk.junction(ax, (3.0, y))
        sk.wire(ax, (2.0, y), (2.87, y))
        sk.wire(ax, (3.13, y), (4.1, y), words=r"$\dot{x}$")
        sk.box(ax, (4.6, y), r"$\int$", 1.0)
        sk.wire(ax, (5.1, y), (7.3, y), words="$x$", at=(5.5, y))
        sk.box(ax, (7.8, y), "$C$", 1.0)
        sk.wire(ax, (8.3, y), (8.97 if self._direct else 10.0, y))
        sk.dot(ax, (6.3, y))
        sk.box(ax, (4.6, y - 1.0), "$A$", 1.0)
        sk.wire(ax, (6.3, y), (6.3, y - 1.0), (5.1, y - 1.0))
        sk.wire(ax, (4.1, y - 1.0), (3.0, y - 1.0), (3.0, y - 0.13))
        if self._direct:
            sk.junction(ax, (9.1, y))
            sk.wire(ax, (9.23, y), (10.0, y))
            sk.dot(ax, (0.6, y))
            sk.box(ax, (4.6, y + 1.0), "$D$", 1.0)
            sk.wire(ax, (0.6, y), (0.6, y + 1.0), (4.1, y + 1.0))
            sk.wire(ax, (5.1, y + 1.0), (9.1, y + 1.0), (9.1, y + 0.13))
        sk.label(ax, (9.6, y), "$y$", "above")
        if self._nonlinear:
            self._draw_nonlinear(ax, y)

    def _draw_nonlinear(self, ax: Axes, y: float) -> None:
        named = "\n".join(self._nonlinear)
        wide, below = words.width(named) + 0.3, y - 1.75 - 0.5 * self._tall
        sk.dot(ax, (6.3, y - 1.0))
        left = 3.9
        sk.box(ax, (3.3, below), "$A_{NL}$", 0.9, fill=sk.SECOND)
        sk.box(ax, (left + 0.4 + 0.5 * wide, below), named, wide, self._tall, sk.SECOND)
        end = left + 0.4 + wide
        turn = max(6.3, end + 0.4)
        sk.line(ax, (6.3, y - 1.0), (6.3, y - 1.45), (turn, y - 1.45), linewidth=0.9)
        sk.wire(ax, (turn, y - 1.45), (turn, below), (end, below))
        sk.label(ax, (turn, 0.5 * (y - 1.45 + below)), "$NL(x)$", "right")
        sk.wire(ax, (left + 0.4, below), (3.75, below))
        sk.line(ax, (2.85, below), (2.6, below), (2.6, y - 0.35), linewidth=0.9)
        sk.wire(ax, (2.6, y - 0.35), (2.9, y - 0.09))
