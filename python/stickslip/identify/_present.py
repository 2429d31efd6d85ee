"""Current value of a parameter named in `Machine.parameters`, or of an initial value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace

_LAWS = {"law": ("friction", "law"), "friction": ("contact", "friction")}
_SIGNALS = ("surface_velocity", "normal_load", "gap", "reference")
_PLANT = ("mass", "damping", "stiffness")


def present_number(machine: Machine | StateSpace, name: str, initial: Mapping[str, float]) -> float | None:
    """Return the value of a parameter, or None if it has none (controllers, varying signals)."""
    if name in machine.compile().states:
        return float(initial.get(name, 0.0))
    if name.endswith("_scale"):
        return 1.0
    owner, *path = name.split(".")
    for element in machine._description.elements:
        if element.get("name") == owner:
            return _of_element(element, path)
    return _of_plant(machine._description.plant, name, owner, path)


def _of_element(element: dict[str, Any], path: list[str]) -> float | None:
    if path[0] in _LAWS and len(path) > 1:
        kind, field = _LAWS[path[0]]
        if element["kind"] != kind:
            return None
        terms = element[field].values
        if path[1].isdigit():
            return _number(terms[int(path[1])][1].get(path[2]))
        owners = [given for _, given in terms if path[1] in given]
        return _number(owners[0][path[1]] if owners else element["automaton"].get(path[1]))
    if path[0] in _SIGNALS:
        signal = element.get(path[0])
        return float(signal.value(0.0)) if signal is not None and signal.is_constant else None
    return _number(element.get(path[0])) if len(path) == 1 else None


def _of_plant(plant: dict[str, Any], name: str, owner: str, path: list[str]) -> float | None:
    names = list(plant.get("names", ()))
    if "[" in name:
        kind, _, rest = name.partition("[")
        places = rest.rstrip("]").split(",")
        if kind in _PLANT and all(place in names for place in places):
            i, j = (names.index(place) for place in places)
            return float(plant[kind][i, j])
    elif path and path[0] in _PLANT and owner in names:
        k = names.index(owner)
        return float(plant[path[0]][k, k])
    return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
