"""A machine as masses in a row, with its springs, dampers, friction, contacts and forces, from its description.

Elements between neighbours, or between an end and its wall, are drawn as springs or dampers; friction against the
ground is drawn under its mass. Elements that join other coordinates are boxes above, with a line to each coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip.draw import words
from stickslip.draw.drawing import Drawing
from stickslip.machine._units import units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _WALL, _RAIL = 1.3, 0.35, 0.3


@dataclass(frozen=True)
class _Box:
    """An element that joins coordinates: a text, and its lines to them."""

    text: str
    masses: tuple[int, ...]


class Chain(Drawing):
    """Layout of a machine as a row of masses; `draw` draws it with its lower left corner at a point."""

    def __init__(self, machine: Any) -> None:
        described = machine._description
        self._names: list[str] = list(machine.names)
        self._plant = described.plant
        self._units = units(machine)
        self._rotary = set(self._plant["rotary"])
        self._elements = [
            e
            for e in described.elements
            if e["kind"] in ("friction", "contact", "spring", "constraint", "one_way_clutch", "detent")
        ]
        turns = [name in self._rotary for name in self._names]
        self._springs = _links(self._plant["stiffness"], "N/m", "Nm/rad", turns)
        self._dampers = _links(self._plant["damping"], "Ns/m", "Nms/rad", turns)
        self._forces = self._pushes(described.elements)
        self._under = [self._ground(k) for k in range(len(self._names))]
        self._boxes = self._joined()
        self._across()
        self._down = 0.35 + max((words.height(text) for text in self._under if text), default=0.0)
        pushed = 0.5 * max(len(one) for one in self._forces) + 0.1 if any(self._forces) else 0.0
        self._first = _HEIGHT + 0.45 + pushed  # the lowest edge of the boxes above
        above = sum(words.height(box.text) + 0.2 + _RAIL for box in self._boxes)
        self.height = self._down + self._first + above

    # -- what there is -----------------------------------------------------------------------------

    def _pushes(self, elements: Any) -> list[list[tuple[str, float]]]:
        """Forces on each mass: text, and 1 or −1 for the direction."""
        found: list[list[tuple[str, float]]] = [[] for _ in self._names]
        for e in elements:
            if e["kind"] == "force":
                turned = self._rotary.issuperset(e["on"])
                entering = [e["on"]]
                text = words.of_time(e["force"], "Nm" if turned else "N", "M" if turned else "F")
                if "expression" in e:
                    text = "M(q, v, t)" if turned else "F(q, v, t)"
            elif e["kind"] == "controller":
                entering, text = e["to"], e["name"]
            elif e["kind"] in ("compensator", "relay", "quantiser"):
                entering, text = [e["to"]], e["name"]
            else:
                continue
            for one in entering:
                for name, factor in one.items():
                    size = "" if abs(factor) == 1.0 else f"{words.amount(abs(factor))} · "
                    back = factor * (-1.0 if text.startswith("−") else 1.0)
                    label = size + text.removeprefix("−")
                    found[self._names.index(name)].append((label, float(np.sign(back))))
        return found

    def _alone(self, e: Any) -> int | None:
        """Return the mass of a friction element against the ground, if it acts on a single mass."""
        if e["kind"] == "friction" and [abs(f) for f in e["on"].values()] == [1.0]:
            return self._names.index(next(iter(e["on"])))
        return None

    def _ground(self, k: int) -> str:
        return "\n".join(words.friction(e, self._units) for e in self._elements if self._alone(e) == k)

    def _joined(self) -> list[_Box]:
        boxes, last = [], len(self._names) - 1
        for e in self._elements:
            if self._alone(e) is not None:
                continue
            if e["kind"] == "friction":
                named = e["on"]
                text = f"{words.friction(e, self._units)}\nbetween: v = {words.form(named)}"
            elif e["kind"] == "spring":
                named, text = e["on"], words.spring(e, self._units)
            elif e["kind"] == "one_way_clutch":
                named, text = e["on"], words.one_way_clutch(e)
            elif e["kind"] == "detent":
                named, text = e["on"], words.detent(e, self._units)
            elif e["kind"] == "constraint":
                named, text = e["on"], words.constraint(e, self._units)
            else:
                named, text = {**e["normal"], **e["tangent"]}, words.contact(e, self._units)
            boxes.append(_Box(text, tuple(sorted(self._names.index(name) for name in named))))
        for what, links in (("spring", self._springs), ("damper", self._dampers)):
            for (a, b), text in links.items():
                if a == b and a not in (0, last):
                    boxes.append(_Box(f"{what} to ground, {text}", (a,)))
                elif b - a > 1:
                    boxes.append(_Box(f"{what}, {text}", (a, b)))
        boxes += [_Box(text, pair) for text, pair in _unusual(self._plant)]
        return sorted(boxes, key=lambda box: box.masses[-1] - box.masses[0])

    # -- where it is -------------------------------------------------------------------------------

    def _gap(self, pair: tuple[int, int]) -> float:
        texts = [links[pair] for links in (self._springs, self._dampers) if pair in links]
        shafts = sk.ROTOR_SHAFT * sum(self._turns(k) for k in set(pair))
        return max((words.width(text) + 0.4 + shafts for text in texts), default=0.0)

    def _across(self) -> None:
        """Left edges and widths of the masses."""
        last = len(self._names) - 1
        self._masses = [
            f"{name}\n{words.amount(m, 'kg m²' if name in self._rotary else 'kg')}"
            for name, m in zip(self._names, np.diag(self._plant["mass"]), strict=True)
        ]
        self._wide = [
            max(1.5, words.width(mass) + 0.3, words.width(under) + 0.2, 0.4 * len(self._boxes))
            for mass, under in zip(self._masses, self._under, strict=True)
        ]
        x = _WALL + max(1.5, self._gap((0, 0))) if self._gap((0, 0)) else 0.55 if self._turns(0) else 0.3
        self._left = []
        for k, width in enumerate(self._wide):
            self._left.append(x)
            push = max((words.width(text) for text, _ in self._forces[k]), default=0.0)
            beyond = max(0.0, 0.9 + push - 0.5 * width + 0.3) if push else 0.0
            # one mass has its wall on the left
            pair = (k, k + 1) if k < last else (k, k)
            spring = 0.0 if k == last == 0 else self._gap(pair)
            shafts = 0.5 * (self._turns(k) + (k < last and self._turns(k + 1)))
            x += width + max(0.5, beyond, shafts + 0.2, max(1.5, spring) if spring else 0.0)
        self._right = x
        self.width = x + (_WALL if last and self._gap((last, last)) else 0.0)
        for box in self._boxes:
            middle = self._middle(box)
            self.width = max(self.width, middle + 0.5 * words.width(box.text) + 0.4)

    def _turns(self, k: int) -> bool:
        return self._names[k] in self._rotary

    def _middle(self, box: _Box) -> float:
        ends = [self._left[k] + 0.5 * self._wide[k] for k in box.masses]
        return max(0.5 * (min(ends) + max(ends)), 0.5 * words.width(box.text) + 0.3)

    # -- how it is drawn ---------------------------------------------------------------------------

    def draw(self, ax: Axes, at: tuple[float, float] = (0.0, 0.0)) -> None:
        """Draw everything."""
        x0, y0 = at[0], at[1] + self._down
        for k, text in enumerate(self._masses):
            left, wide = x0 + self._left[k], self._wide[k]
            middle = left + 0.5 * wide
            turns = self._turns(k)
            if turns:
                sk.rotor(ax, left, y0, wide, _HEIGHT, text)
            else:
                sk.block(ax, left, y0, wide, _HEIGHT, text)
            self._support(ax, k, left, y0)
            for row, (label, sign) in enumerate(self._forces[k]):
                y = y0 + _HEIGHT + 0.4 + 0.5 * row
                tail, head = (middle, middle + 0.7) if sign > 0.0 else (middle + 0.7, middle)
                (sk.torque if turns else sk.arrow)(ax, (tail, y), (head, y))
                sk.label(ax, (middle + 0.7, y), label, "right", sk.FORCE)
        self._linked(ax, x0, y0)
        bottom = y0 + self._first
        for row, box in enumerate(self._boxes):
            tall, wide = words.height(box.text) + 0.2, words.width(box.text) + 0.3
            middle = x0 + self._middle(box)
            for k in box.masses:
                x = x0 + self._left[k] + 0.2 + 0.35 * row
                inside = abs(x - middle) < 0.5 * wide
                sk.line(ax, (x, y0 + _HEIGHT), (x, bottom if inside else bottom + 0.5 * tall), linewidth=0.8)
                if not inside:
                    sk.line(ax, (x, bottom + 0.5 * tall), (middle, bottom + 0.5 * tall), linewidth=0.8)
            sk.block(ax, middle - 0.5 * wide, bottom, wide, tall, box.text, sk.SECOND)
            bottom += tall + _RAIL

    def _support(self, ax: Axes, k: int, left: float, y0: float) -> None:
        """Draw friction on the ground, or rollers."""
        wide = self._wide[k]
        if self._turns(k):
            for x in (left - 0.7 * sk.ROTOR_SHAFT, left + wide + 0.7 * sk.ROTOR_SHAFT):
                sk.bearing(ax, (x, y0 + 0.5 * _HEIGHT - 0.07))
        if self._under[k]:
            sk.ground(ax, (left - 0.15, y0), (left + wide + 0.15, y0))
            sk.line(ax, (left, y0), (left + wide, y0), color=sk.FORCE, linewidth=2.2, zorder=3.5)
            sk.text(ax, (left + 0.5 * wide, y0 - 0.25), self._under[k], va="top")
            return
        if self._turns(k):
            return
        for share in (0.25, 0.75):
            sk.ball(ax, (left + share * wide, y0 - 0.09), 0.09, fill="#FFFFFF")
        sk.ground(ax, (left - 0.15, y0 - 0.18), (left + wide + 0.15, y0 - 0.18))

    def _linked(self, ax: Axes, x0: float, y0: float) -> None:
        """Springs and dampers between neighbours, and to the walls at the ends."""
        last, right = len(self._names) - 1, x0 + self._right
        for links, part, y in ((self._springs, sk.spring, 0.92), (self._dampers, sk.damper, 0.55)):
            for (a, b), text in links.items():
                if b - a == 1:
                    ends = x0 + self._left[a] + self._wide[a], x0 + self._left[b]
                elif a == b == 0:
                    ends = x0 + _WALL, x0 + self._left[0]
                elif a == b == last:
                    ends = x0 + self._left[a] + self._wide[a], right
                else:
                    continue
                left, right_end = ends
                if self._turns(b) and (b - a == 1 or a == b == 0):
                    right_end -= sk.ROTOR_SHAFT
                    sk.line(ax, (right_end, y0 + 0.5 * _HEIGHT), (right_end, y0 + y))
                if self._turns(a) and (b - a == 1 or a == b == last != 0):
                    left += sk.ROTOR_SHAFT
                    sk.line(ax, (left, y0 + 0.5 * _HEIGHT), (left, y0 + y))
                part(ax, (left, y0 + y), (right_end, y0 + y), text)
        if self._gap((0, 0)):
            sk.ground(ax, (x0 + _WALL, y0 + _HEIGHT), (x0 + _WALL, y0 - 0.2), depth=0.14)
        if last and self._gap((last, last)):
            sk.ground(ax, (right, y0 - 0.2), (right, y0 + _HEIGHT), depth=0.14)


def _links(matrix: Any, linear: str, rotary: str, turns: list[bool]) -> dict[tuple[int, int], str]:
    """Return the entries of the symmetric part of K or D between two coordinates, and between one and the ground (a, a)."""
    k = 0.5 * (matrix + matrix.T)
    scale = np.abs(k).max(initial=0.0)
    found = {}
    for a in range(len(k)):
        ground = float(k[a].sum())
        unit = rotary if turns[a] else linear
        if abs(ground) > 1e-12 * scale:
            found[a, a] = words.amount(ground, unit)
        for b in range(a + 1, len(k)):
            if k[a, b]:
                found[a, b] = words.amount(float(-k[a, b]), unit if turns[a] == turns[b] else "")
    return found


def _unusual(plant: Any) -> list[tuple[str, tuple[int, int]]]:
    """Return couplings of two coordinates that are neither spring nor damper."""
    found = []
    mass, n = plant["mass"], len(plant["mass"])
    for a in range(n):
        for b in range(a + 1, n):
            if mass[a, b]:
                found.append((f"mass matrix couples: {words.amount(float(mass[a, b]), 'kg')}", (a, b)))
            for name, what, unit in (
                ("damping", "gyroscopic", "Ns/m"),
                ("stiffness", "circulatory", "N/m"),
            ):
                skew = 0.5 * float(plant[name][a, b] - plant[name][b, a])
                if skew:
                    found.append((f"{what}: {words.amount(skew, unit)}", (a, b)))
    return found
