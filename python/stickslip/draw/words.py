"""Texts in drawings: numbers with units, linear forms, laws and controllers in a few words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from stickslip.machine._described import law_of

# A letter of the smallest size that is used, and a line of it, in units of a drawing (1 cm).
LETTER, LINE = 0.16, 0.34


def width(words: str) -> float:
    """Width of a text, in units of a drawing."""
    return LETTER * max((len(line) for line in words.split("\n")), default=0)


def height(words: str) -> float:
    """Height of a text, in units of a drawing."""
    return LINE * len(words.split("\n"))


def amount(value: float, unit: str = "") -> str:
    """A number with four digits and its unit."""
    text = f"{value:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-").replace("-", "−")
    return f"{text} {unit}".rstrip()


def form(parts: Mapping[str, float]) -> str:
    """Text of a linear form: ``x − 2 y``."""
    text = ""
    for name, factor in parts.items():
        sign = ("−" if factor < 0.0 else "") if not text else (" − " if factor < 0.0 else " + ")
        size = "" if abs(factor) == 1.0 else f"{amount(abs(factor))} "
        text += f"{sign}{size}{name}"
    return text


def of_time(signal: Any, unit: str, name: str) -> str:
    """Return the text of a signal: its value if constant, ``start + slope · t`` if it is a line from t = 0 on, else
    ``name(t)``.
    """
    if signal.is_constant:
        return amount(signal.value(0.0), unit)
    bend = signal.differentiate().differentiate()
    if not (bend.is_constant and bend.value(0.0) == 0.0 and math.isinf(signal.next_breakpoint(0.0))):
        return f"{name}(t)"
    slope = signal.value(2.0) - signal.value(1.0)
    start = signal.value(1.0) - slope
    parts = [amount(start, unit)] * (abs(start) > 1e-12 * abs(slope))
    if slope:
        parts.append(f"{amount(slope, _rate(unit))} · t")
    return " + ".join(parts).replace("+ −", "− ")


def law(compiled: Any, options: Mapping[str, float]) -> str:
    """Return the kind of a law: ``StickSlip(Stribeck + Viscous)``."""
    kinds = " + ".join(kind for kind, _ in compiled.terms)
    return f"StickSlip({kinds})" if any(options.values()) else kinds


def coefficient(compiled: Any) -> str:
    """``μ = 0.3`` or ``μ = 0.3 / 0.25`` (static, kinetic) of Coulomb's law, else the kind of the law."""
    if [kind for kind, _ in compiled.terms] != ["Coulomb"]:
        return law(compiled, {})
    one: Any = law_of(compiled, {})
    levels = [one.static, one.kinetic]
    static, kinetic = (max(x for x in levels if x is not None) if x is None else x for x in levels)
    return f"μ = {amount(static)}" + ("" if static == kinetic else f" / {amount(kinetic)}")


def friction(element: Mapping[str, Any], units: Mapping[str, str] = MappingProxyType({})) -> str:
    """Text of a friction element in two lines: its name and law, and its normal load."""
    force, length = _units(element, units)
    load = of_time(element["normal_load"], force, "M" if force == "Nm" else "N")
    what = "capacity" if force == "Nm" else "normal load"
    pressed = "" if load == f"1 {force}" else f"\n{what} {load}"
    speed = element["surface_velocity"]
    moved = "" if is_zero(speed) else f"\nsurface at {of_time(speed, _rate(length), 'v')}"
    return f"{element['name']}: {law(element['law'], element['automaton'])}{pressed}{moved}"


def contact(element: Mapping[str, Any], units: Mapping[str, str] = MappingProxyType({})) -> str:
    """Text of a contact: gap, sliding velocity, coefficient, and restitution or elasticity."""
    _, length = _units(element, units, "normal_force")
    gap = form(element["normal"])
    if not is_zero(element["gap"]):
        rest = of_time(element["gap"], length, "g")
        gap += f" − {rest[1:]}" if rest.startswith("−") else f" + {rest}"
    elastic = element["compliance"]["kind"] != "Rigid"
    lines = [f"{element['name']}: gap {gap}" + ("" if elastic else " ≥ 0")]
    if element["tangent"]:
        lines.append(f"sliding {form(element['tangent'])}, {coefficient(element['friction'])}")
    if elastic:
        given = element["compliance"]
        damper = f", {'d' if given['kind'] == 'KelvinVoigt' else 'c'} = {amount(given['damping'])}"
        lines.append(f"{given['kind']}, k = {amount(given['stiffness'])}{damper if given['damping'] else ''}")
        return "\n".join(lines)
    of_speed = "restitution_expression" in element
    restitution = "e(v)" if of_speed else amount(element["restitution"])
    lines.append(f"{element['impact'].capitalize()}, ε = {restitution}")
    return "\n".join(lines)


def _units(element: Mapping[str, Any], units: Mapping[str, str], force: str = "force") -> tuple[str, str]:
    """Return units of a force and of its line of action; empty if factors have units of their own."""
    force = units.get(f"{element['name']}.{force}", "N")
    return force, {"N": "m", "Nm": "rad"}.get(force, "")


def _rate(unit: str) -> str:
    return f"{unit}/s" if unit else ""


def _per(force: str, length: str) -> str:
    return f"{force}/{length}" if length else ""


def spring(element: Mapping[str, Any], units: Mapping[str, str] = MappingProxyType({})) -> str:
    """Text of a spring: elongation, stiffness and damping, backlash and preload."""
    force, length = _units(element, units)
    x = form(element["on"])
    if not is_zero(element["rest"]):
        rest = of_time(element["rest"], length, "s")
        x += f" + {rest[1:]}" if rest.startswith("−") else f" − {rest}"
    kind = "stop" if element["one_sided"] else "spring"
    table = f"table of {len(element['elongations'])} points"
    parts = [table if element["elongations"] else amount(element["stiffness"], _per(force, length))]
    parts += [amount(element["damping"], _per(f"{force}s", length))] if element["damping"] else []
    parts += [f"backlash {amount(element['backlash'], length)}"] if element["backlash"] else []
    parts += [f"preload {amount(element['preload'], force)}"] if element["preload"] else []
    return f"{element['name']}: {kind}, x = {x}\n{', '.join(parts)}"


def constraint(element: Mapping[str, Any], units: Mapping[str, str] = MappingProxyType({})) -> str:
    """Text of a constraint: its equation."""
    _, length = _units(element, units)
    of_velocity = str(element["level"]) == "velocity"
    value = element["value"]
    if "on_expression" in element:
        return (
            f"{element['name']}: {'rates by formulas' if of_velocity else 'a formula'} = {value.value(0.0):g}"
        )
    right = "0" if is_zero(value) else of_time(value, _rate(length) if of_velocity else length, "c")
    return f"{element['name']}: {'rate of ' if of_velocity else ''}{form(element['on'])} = {right}"


def one_way_clutch(element: Mapping[str, Any]) -> str:
    """Text of a one-way clutch: the velocity that stays positive."""
    return f"{element['name']}: one-way clutch\nv = {form(element['on'])} ≥ 0"


def detent(element: Mapping[str, Any], units: Mapping[str, str] = MappingProxyType({})) -> str:
    """Text of a detent: elongation, preload, and pitch or stiffness."""
    force, length = _units(element, units)
    x = form(element["on"])
    if at := element["position"]:
        x += f" {'−' if at > 0.0 else '+'} {amount(abs(at), length)}"
    parts = [f"preload {amount(element['preload'], force)}"]
    parts += [f"pitch {amount(element['pitch'], length)}"] if element["pitch"] else []
    parts += [amount(element["stiffness"], _per(force, length))] if element["stiffness"] else []
    parts += [amount(element["damping"], _per(f"{force}s", length))] if element["damping"] else []
    return f"{element['name']}: detent, x = {x}\n{', '.join(parts)}"


def nonlinear(elements: Iterable[Mapping[str, Any]]) -> list[str]:
    """Texts of the elements that act on a plant in matrix notation: friction, relays and quantisers."""
    texts = {"friction": friction, "relay": relay, "quantiser": relay}
    return [texts[e["kind"]](e) for e in elements if e["kind"] in texts]


def relay(element: Mapping[str, Any]) -> str:
    """Text of a relay or quantiser: its form and outputs."""
    outputs = (
        f"steps of {amount(element['step'])}"
        if element["kind"] == "quantiser"
        else f"{amount(element['low'])} or {amount(element['high'])}"
    )
    return f"{element['name']}: {element['kind']} of {form(element['on'])}\n{outputs}"


def is_zero(signal: Any) -> bool:
    """True if a signal is the constant zero."""
    return bool(signal.is_constant and signal.value(0.0) == 0.0)
