"""Block diagram of a machine in several rows, for diagrams wider than a page, with the plant below.

Signals flow from left to right, from row to row, and down the right edge into the plant; measured signals leave the
plant on the left and run up to their inputs. In each edge the outermost lane serves the highest row, so that lanes do
not cross.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stickslip.draw import parts as sk
from stickslip.draw import words
from stickslip.draw.chain import Chain
from stickslip.draw.diagram import Plain, Stage, Strip, strips_of
from stickslip.draw.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE = 16.1  # cm: with its margins the text width of an A4 page
_EDGE, _LANE = 0.3, 0.28  # between lanes of an edge, and of a row
_EXIT = 0.55  # between signals that leave or enter the plant: their names stand between them


@dataclass
class _Row:
    """Stages of a strip that stand side by side."""

    strip: Strip
    first: bool
    start: float  # where the signal that enters begins
    last: bool = False
    stages: list[Stage] = field(default_factory=list)
    left: list[float] = field(default_factory=list)  # edge of each stage
    feeds: dict[int, str] = field(default_factory=dict)  # name of the signal before a stage
    y: float = 0.0

    @property
    def height(self) -> float:
        return max(0.9, *(words.height(stage.text) + 0.3 for stage in self.stages))

    @property
    def end(self) -> float:
        return self.left[-1] + self.stages[-1].width

    def ports(self, name: str) -> list[tuple[float, float]]:
        """Points at junctions and blocks where a measured signal enters from below."""
        found = []
        for stage, x in zip(self.stages, self.left, strict=True):
            if stage.subtracted == name:
                found.append((x - 0.4, self.y - 0.13))
            if name in stage.beside:
                share = (stage.beside.index(name) + 1) / (len(stage.beside) + 1)
                found.append((x + share * stage.width, self.y - 0.5 * self.height))
        return found

    @property
    def measured(self) -> list[str]:
        """Signals that enter, the one furthest to the left first."""
        names = [name for stage in self.stages for name in (stage.subtracted, *stage.beside) if name]
        return sorted(dict.fromkeys(names), key=lambda name: self.ports(name)[0][0])


class Stacked(Drawing):
    """Layout of a machine with controllers; lengths in cm."""

    def __init__(self, machine: Any) -> None:
        self._plant = Chain(machine) if machine.names else Plain(machine)
        strips = strips_of(machine._description)
        lanes = sum(len(strip.measured) for strip in strips)
        names = [name for strip in strips for name in strip.measured]
        self._outputs = sum(strip.drives_plant for strip in strips)
        start = 0.15 + _EDGE * lanes + 0.1
        room = max((words.width(name) for name in names), default=0.0) + 0.3
        right = _EDGE * self._outputs + 0.15
        self.width = max(PAGE, start + room + self._plant.width + 0.4 + 0.3 + right)
        self._right = self.width - right
        self._rows = [row for strip in strips for row in self._broken(strip, start)]
        self._body = max(self._plant.height + 0.5, _EXIT * max(lanes, self._outputs) + 0.4)
        self._plant_left = start + room
        self._plant_right = self._plant_left + self._plant.width + 0.4
        y = self._body + 0.15
        for row in reversed(self._rows):
            y += self._below(row) + 0.5 * row.height
            row.y = y
            y += 0.5 * row.height
        self.height = y + 0.2

    def _broken(self, strip: Strip, start: float) -> list[_Row]:
        """The stages of a strip in rows that end left of the lanes at the right edge."""
        feeds = list(strip.feeds)
        x = start + (words.width(strip.followed) + 0.1 if strip.followed else 0.0)
        rows = [_Row(strip, True, x)]
        for k, stage in enumerate(strip.stages):
            feed = feeds.pop(0) if k and stage.subtracted and feeds else ""
            lead = max(0.3, words.width(feed) + 0.2 if feed else 0.0) + (0.5 if stage.subtracted else 0.1)
            after = words.width(strip.output) + 0.5 if k == len(strip.stages) - 1 else 0.3
            if rows[-1].stages and x + lead + stage.width + after > self._right:
                x = start + 0.1
                rows.append(_Row(strip, False, x))
            row = rows[-1]
            if feed:
                row.feeds[len(row.stages)] = feed
            row.left.append(x + lead)
            row.stages.append(stage)
            x += lead + stage.width
        rows[-1].last = True
        return rows

    def _below(self, row: _Row) -> float:
        """Height of the lanes below a row."""
        return 0.3 + _LANE * len(row.measured) + (0.0 if row.last else 0.3)

    def draw(self, ax: Axes) -> None:
        """Draw everything."""
        left, right, bottom, top = self._plant_left, self._plant_right, 0.1, self._body + 0.1
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        sk.polygon(ax, corners, fill="#F7F7F7", zorder=1)
        self._plant.draw(ax, (left + 0.2, bottom + 0.5 * (self._body - self._plant.height)))
        edge, entry = 0.15, 0
        exits = self._spread(sum(len(row.measured) for row in self._rows))
        entries = self._spread(self._outputs)
        for row, below in zip(self._rows, [*self._rows[1:], None], strict=True):
            begin = self._stages(ax, row)
            lane_y = row.y - 0.5 * row.height - 0.2
            for name in row.measured:
                self._back(ax, row, name, edge, lane_y, exits.pop(0))
                edge, lane_y = edge + _EDGE, lane_y - _LANE
            if not row.last and below is not None:
                self._wrapped(ax, begin, row, below)
            elif row.strip.drives_plant:
                x = self._right + _EDGE * (self._outputs - entry - 0.5)
                y = entries[entry]
                sk.label(ax, (0.5 * (begin + self._right), row.y), row.strip.output, "above")
                sk.wire(ax, (begin, row.y), (x, row.y), (x, y), (right, y))
                entry += 1
            else:
                end = begin + words.width(row.strip.output) + 0.4
                sk.wire(ax, (begin, row.y), (end, row.y))
                sk.label(ax, (0.5 * (begin + end), row.y), row.strip.output, "above")

    def _spread(self, count: int) -> list[float]:
        """Heights at an edge of the plant, the lowest first."""
        middle = 0.1 + 0.5 * self._body
        return [middle + _EXIT * (k - 0.5 * (count - 1)) for k in range(count)]

    def _stages(self, ax: Axes, row: _Row) -> float:
        """Draw the stages of a row and the wires between them; return where the last one ends."""
        y, begin, entered = row.y, row.start, not row.first or bool(row.strip.followed)
        if row.first and entered:
            sk.text(ax, (begin - 0.1, y), row.strip.followed, ha="right")
        for k, (stage, x) in enumerate(zip(row.stages, row.left, strict=True)):
            if k or entered:
                sk.wire(ax, (begin, y), (x - 0.53 if stage.subtracted else x, y))
            if stage.subtracted:
                sk.junction(ax, (x - 0.4, y))
                sk.wire(ax, (x - 0.27, y), (x, y))
            if k in row.feeds:
                sk.label(ax, (0.5 * (begin + x - 0.5), y), row.feeds[k], "above")
            sk.box(ax, (x + 0.5 * stage.width, y), stage.text, stage.width, row.height, stage.fill)
            begin = x + stage.width
        return begin

    def _back(self, ax: Axes, row: _Row, name: str, x: float, lane_y: float, out: float) -> None:
        """Draw a measured signal from the plant up the left edge to where it enters."""
        ports = row.ports(name)
        sk.line(ax, (self._plant_left, out), (x, out), (x, lane_y), (ports[-1][0], lane_y), linewidth=0.9)
        sk.label(ax, (self._plant_left - 0.2 - 0.5 * words.width(name), out), name, "above")
        for port in ports:
            sk.wire(ax, (port[0], lane_y), port)
            if abs(port[1] - row.y) < 0.2:
                sk.text(ax, (port[0] - 0.24, port[1] - 0.14), "−")
            if port != ports[-1]:
                sk.dot(ax, (port[0], lane_y))

    def _wrapped(self, ax: Axes, begin: float, row: _Row, below: _Row) -> None:
        """Draw the wire from the end of a row to the beginning of the next one of its strip."""
        out, y = begin + 0.3, below.y + 0.5 * below.height + 0.15
        points = [(begin, row.y), (out, row.y), (out, y), (below.start, y), (below.start, below.y)]
        sk.line(ax, *points, linewidth=0.9)
