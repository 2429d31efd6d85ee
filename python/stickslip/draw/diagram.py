"""Block diagram of a machine: references, controllers, limits, plant and measurements.

Every controller is a strip of stages from left to right; a controller whose reference is the output of another
continues its strip. Measured signals return below the plant, or above it for the upper of several strips; the machine
is drawn inside the plant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stickslip.draw import parts as sk
from stickslip.draw import words
from stickslip.draw.chain import Chain
from stickslip.draw.drawing import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LANE, _STEP = 0.5, 0.75
_PLAIN = "#FFFFFF"


# -- texts from the description ------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """A block of a strip: the signal subtracted before it, its text, and the signals that enter from the feedback side."""

    text: str
    subtracted: str = ""
    beside: tuple[str, ...] = ()
    fill: str = _PLAIN

    @property
    def width(self) -> float:
        """Width of its block, cm."""
        return max(1.0, words.width(self.text) + 0.3)


@dataclass
class Strip:
    """Controllers in a row: their reference, stages, and destination of the output."""

    followed: str
    stages: list[Stage]
    output: str
    ends: str  # name of its last controller
    drives_plant: bool = True
    feeds: list[str] = field(default_factory=list)  # names of the signals between its controllers

    @property
    def measured(self) -> list[str]:
        """Names of the measured signals."""
        entering = [(stage.subtracted, *stage.beside) for stage in self.stages]
        return list(dict.fromkeys(name for names in entering for name in names if name))


def _rate(text: str) -> str:
    """Return the name of the rate of a measured signal."""
    if text.endswith(".position") and " " not in text:
        return text.removesuffix("position") + "velocity"
    return f"d/dt ({text})"


def _signal(source: Mapping[str, Any], name: str) -> str:
    if source["names"]:
        return words.form(source["names"])
    return words.of_time(source["signal"], "", name).strip()


def _unit(text: str) -> str:
    return {"position": "m", "velocity": "m/s"}.get(text.rpartition(".")[2], "")


# Unit of a gain by those of its output and its input.
_GAINS = {("N", "m"): "N/m", ("N", "m/s"): "Ns/m", ("m/s", "m"): "1/s"}


def _stages(e: Mapping[str, Any], drives: str) -> list[Stage]:
    """A controller's own stages, its limits, and the hold of a sampled one. `drives` is the unit of its output."""
    if e["kind"] == "compensator":
        kind = "friction observer" if e["observer"] else "friction feedforward"
        text = f"{kind}\n{words.law(e['law'], {})}"
        beside = (_rate(_signal(e["measurement"], "y")),) if e["observer"] else ()
        return [Stage(text, beside=beside, fill=sk.SECOND)]
    law, options = e["control"]["law"], e["control"]["options"]
    measured = [_signal(one, "y") for one in e["measurements"]]
    stages = _LAWS.get(law["kind"], _other)(e, measured, drives)
    low, high = options["limits"]["min"], options["limits"]["max"]
    if math.isfinite(low) or math.isfinite(high):
        both = low == -high
        span = (
            f"±{words.amount(high, drives)}"
            if both
            else f"{words.amount(low)} … {words.amount(high, drives)}"
        )
        stages.append(Stage(f"limit\n{span.replace('−inf', '−∞').replace('inf', '∞')}"))
    if options["period"]:
        late = f"\ndelay {_time(options['delay'])}" if options["delay"] else ""
        stages.append(Stage(f"held for\n{_time(options['period'])}{late}"))
    return stages


def _time(seconds: float) -> str:
    return words.amount(1e3 * seconds, "ms") if seconds < 1.0 else words.amount(seconds, "s")


def _forward(law: Mapping[str, Any], key: str, rate: str) -> str:
    factor = "" if law[key] == 1.0 else f"{words.amount(law[key])} "
    return f"\n+ {factor}{rate}" if law[key] else ""


def _p(e: Mapping[str, Any], measured: Sequence[str], drives: str) -> list[Stage]:
    law = e["control"]["law"]
    compared = _rate(measured[0]) if law["controls"] == "rate" else measured[0]
    gain = _GAINS.get((drives, _unit(compared)), "")
    reset = f"\nTn = {_time(law['tn'])}" if law["kind"] == "PI" else ""
    text = f"{law['kind']}\nkp = {words.amount(law['kp'], gain)}{reset}"
    return [Stage(text + _forward(law, "feedforward", "ṙ"), compared)]


def _pid(e: Mapping[str, Any], measured: Sequence[str], drives: str) -> list[Stage]:
    law, unit = e["control"]["law"], _unit(measured[0])
    known = (drives, unit) == ("N", "m")
    lines = ["PID", f"kp = {words.amount(law['kp'], 'N/m' if known else '')}"]
    if law["ki"]:
        lines.append(f"ki = {words.amount(law['ki'], 'N/(m·s)' if known else '')}")
    if law["kd"]:
        lines.append(f"kd = {words.amount(law['kd'], 'Ns/m' if known else '')}")
    of_rate = law["kd"] and law["derivative_of"] == "measurement"
    return [Stage("\n".join(lines), measured[0], (_rate(measured[0]),) if of_rate else ())]


def _cascade(e: Mapping[str, Any], measured: Sequence[str], drives: str) -> list[Stage]:
    law = e["control"]["law"]
    outer = f"P\nkv = {words.amount(law['kv'], '1/s')}" + _forward(law, "velocity_feedforward", "ṙ")
    inner = f"PI\nkp = {words.amount(law['kp'], 'Ns/m')}\nTn = {_time(law['tn'])}"
    inner += _forward(law, "force_feedforward", "kg · r̈")
    return [Stage(outer, measured[0]), Stage(inner, _rate(measured[1]))]


def _other(e: Mapping[str, Any], measured: Sequence[str], drives: str) -> list[Stage]:
    """Matrices, and functions in Python."""
    law = e["control"]["law"]
    if law["kind"] == "FrictionCurve":
        return [Stage("friction\nF(ṙ)" if law["controls"] == "rate" else "friction\nF(r)")]
    if law["kind"] != "LTI":
        return [Stage("u = f(t, r, y)", beside=tuple(measured))]
    order = len(law["A"])
    text = f"{e['name']}\n{order} state{'s' * (order != 1)}"
    if order == 0 and not law["error"] and not measured and (law["D"] == 1.0).all():
        text = f"{e['name']}\nsum" if law["D"].size > 1 else e["name"]
    if law["error"] and len(measured) == 1:
        return [Stage(text, measured[0])]
    return [Stage(text, beside=tuple(measured))]


_LAWS = {"P": _p, "PI": _p, "PID": _pid, "Cascade": _cascade}


def strips_of(described: Any) -> list[Strip]:
    """Arrange controllers in strips, each after the controller that gives its reference."""
    waiting = [e for e in described.elements if e["kind"] in ("controller", "compensator")]
    rotary = set(described.plant.get("rotary", ()))
    strips: list[Strip] = []
    while waiting:
        ready = [e for e in waiting if not any(_follows(e) == other["name"] for other in waiting)]
        e = ready[0] if ready else waiting[0]
        waiting.remove(e)
        before = next((strip for strip in strips if strip.ends == _follows(e)), None)
        feeds = next((other for other in waiting if _follows(other) == e["name"]), None)
        stages = _stages(e, _drives(e, feeds, rotary))
        if before is None:
            output = _driven(e, described.elements)
            strips.append(Strip(_followed(e), stages, output, e["name"], bool(_targets(e))))
        else:
            before.feeds.append(f"{before.ends}.output")
            before.stages += stages
            before.output, before.ends = _driven(e, described.elements), e["name"]
            before.drives_plant = bool(_targets(e))
    return strips


def _references(e: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if e["kind"] == "compensator":
        return [] if e["observer"] and not e["gain"] else [e["reference"]]
    return list(e["references"])


def _follows(e: Mapping[str, Any]) -> str:
    """The controller whose output is this one's reference, or nothing."""
    names = [name for one in _references(e)[:1] for name in one["names"]]
    return names[0].removesuffix(".output") if len(names) == 1 and names[0].endswith(".output") else ""


def _followed(e: Mapping[str, Any]) -> str:
    texts = [_signal(one, "r") for one in _references(e)]
    return f"r = {', '.join(texts)}".replace("r = r(t)", "r(t)") if texts else ""


def _drives(e: Mapping[str, Any], feeds: Mapping[str, Any] | None, rotary: set[str]) -> str:
    """Unit of a controller's output: a force, a torque, or the quantity that the next controller compares it with."""
    if targets := _targets(e):
        return "Nm" if all(rotary.issuperset(target) for target in targets) else "N"
    if e["kind"] == "compensator":
        return "N"
    if feeds is None or feeds["kind"] != "controller" or not feeds["measurements"]:
        return ""
    law, measured = feeds["control"]["law"], _signal(feeds["measurements"][0], "y")
    return _unit(_rate(measured) if law.get("controls") == "rate" else measured)


def _targets(e: Mapping[str, Any]) -> list[Any]:
    return [target for target in ([e["to"]] if e["kind"] == "compensator" else e["to"]) if target]


def _driven(e: Mapping[str, Any], elements: Sequence[Mapping[str, Any]]) -> str:
    """Return the destination of an output: ``pid → slide``, or a controller whose reference it is added to."""
    named = [words.form(target) for target in _targets(e)]
    output = f"{e['name']}.output"
    readers = [
        one["name"]
        for one in elements
        if one["kind"] == "controller" and any(output in source["names"] for source in one["references"][1:])
    ]
    return f"{e['name']} → {', '.join(named + readers)}" if named or readers else output


# -- the drawing ---------------------------------------------------------------------------------------


class Plain:
    """Text in place of a drawing, for a plant in matrix notation."""

    def __init__(self, machine: Any) -> None:
        elements = machine._description.elements
        friction = any(e["kind"] == "friction" for e in elements)
        lines = ["ẋ = A x + B u" + (" + A_NL F" if friction else ""), "y = C x + D u"]
        self._text = "\n".join([*lines, *words.nonlinear(elements)])
        self.width, self.height = words.width(self._text) + 0.2, words.height(self._text) + 0.2

    def draw(self, ax: Axes, at: tuple[float, float] = (0.0, 0.0)) -> None:
        """Write the text."""
        sk.text(ax, (at[0] + 0.5 * self.width, at[1] + 0.5 * self.height), self._text)


class Diagram(Drawing):
    """Layout of a machine with controllers; lengths in cm."""

    def __init__(self, machine: Any) -> None:
        self._plant = Chain(machine) if machine.names else Plain(machine)
        self._strips = strips_of(machine._description)
        highest = [max(words.height(stage.text) for stage in strip.stages) + 0.3 for strip in self._strips]
        self._box = [max(0.9, tall) for tall in highest]
        rows = sum(self._box) + 0.7 * (len(self._box) - 1)
        self._body = max(self._plant.height + 0.5, rows)
        self._x = [self._places(strip) for strip in self._strips]
        out = max(words.width(strip.output) for strip in self._strips) + 0.5
        self._plant_left = max(ends[-1] for ends in self._x) + out
        self._plant_right = self._plant_left + self._plant.width + 0.4
        self._lanes = [self._fed(k) for k in range(len(self._strips))]
        upper = len(self._lanes[0]) if len(self._strips) > 1 else 0
        lower = len(self._lanes[-1])
        self._base = _LANE * lower + 0.35
        self.width = self._plant_right + 0.4 + 0.25 * max(upper, lower, 1) + 0.1
        self.height = self._base + self._body + _LANE * upper + 0.35
        free = (self._body - rows) / (len(self._strips) + 1)
        self._y, top = [], self._base + self._body
        for tall in self._box:
            top -= free
            self._y.append(top - 0.5 * tall)
            top -= tall + 0.7

    def _places(self, strip: Strip) -> list[float]:
        """Left edge of every stage, and the end of the last."""
        x, places, feeds = words.width(strip.followed) + 0.6, [], list(strip.feeds)
        for k, stage in enumerate(strip.stages):
            if stage.subtracted:
                between = words.width(feeds.pop(0)) + 0.3 if k and feeds else 0.0
                x += max(0.55 if k else 0.3, between) + 0.5
            elif k:
                x += 0.4
            places.append(x)
            x += stage.width
        return [*places, x]

    def _fed(self, k: int) -> list[str]:
        """Return the feedback signals of a strip, in lanes."""
        return self._strips[k].measured if k in (0, len(self._strips) - 1) else []

    def draw(self, ax: Axes) -> None:
        """Draw everything."""
        top = self._base + self._body
        left, right = self._plant_left, self._plant_right
        corners = [(left, self._base), (right, self._base), (right, top), (left, top)]
        sk.polygon(ax, corners, fill="#F7F7F7", zorder=1)
        inside = self._base + 0.5 * (self._body - self._plant.height)
        self._plant.draw(ax, (left + 0.2, inside))
        for k, strip in enumerate(self._strips):
            self._strip(ax, k, strip)
            above = k == 0 and len(self._strips) > 1
            edge, way = (top, 1.0) if above else (self._base, -1.0)
            for lane, name in enumerate(self._lanes[k]):
                self._back(ax, k, name, edge + way * (0.2 + _LANE * (lane + 0.5)), lane, way)

    def _strip(self, ax: Axes, k: int, strip: Strip) -> None:
        y, places = self._y[k], self._x[k]
        begin, feeds = 0.1, list(strip.feeds)
        if strip.followed:
            sk.text(ax, (begin, y), strip.followed, ha="left")
            begin += words.width(strip.followed) + 0.1
        for stage, x, after in zip(strip.stages, places, [None, *strip.stages], strict=False):
            if stage.subtracted:
                sk.junction(ax, (x - 0.4, y))
                if begin > 0.1 or strip.followed:
                    sk.wire(ax, (begin, y), (x - 0.53, y))
                    if after is not None and feeds:
                        sk.label(ax, (0.5 * (begin + x - 0.83), y), feeds.pop(0), "above")
                sk.wire(ax, (x - 0.27, y), (x, y))
            elif after is not None or strip.followed:
                sk.wire(ax, (begin, y), (x, y))
            sk.box(ax, (x + 0.5 * stage.width, y), stage.text, stage.width, self._box[k], stage.fill)
            begin = x + stage.width
        sk.wire(ax, (begin, y), (self._plant_left, y))
        sk.label(ax, (0.5 * (begin + self._plant_left), y), strip.output, "above")

    def _ports(self, k: int, name: str, way: float) -> list[tuple[float, float]]:
        """Return the points at which a signal enters a strip, at junctions and blocks."""
        found, y = [], self._y[k]
        for stage, x in zip(self._strips[k].stages, self._x[k], strict=False):
            if stage.subtracted == name:
                found.append((x - 0.4, y + way * 0.13))
            if name in stage.beside:
                share = (stage.beside.index(name) + 1) / (len(stage.beside) + 1)
                found.append((x + share * stage.width, y + way * 0.5 * self._box[k]))
        return found

    def _back(self, ax: Axes, k: int, name: str, lane_y: float, lane: int, way: float) -> None:
        """A measured signal from the plant along its lane to where it enters."""
        ports = self._ports(k, name, way)
        middle = self._base + 0.5 * self._body
        out = middle + way * (0.25 + 0.3 * lane)
        x = self._plant_right + 0.25 + 0.25 * lane
        far = min(port[0] for port in ports)
        sk.line(ax, (self._plant_right, out), (x, out), (x, lane_y), (far, lane_y), linewidth=0.9)
        sk.label(ax, (0.5 * (self._plant_left + self._plant_right), lane_y), name, "above")
        for port in ports:
            sk.wire(ax, (port[0], lane_y), port)
            if abs(port[1] - self._y[k]) < 0.2:
                sk.text(ax, (port[0] - 0.24, port[1] + way * 0.14), "−")
            if port[0] != far:
                sk.dot(ax, (port[0], lane_y))
