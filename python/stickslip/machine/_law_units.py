"""Units that users give to the states and parameters of formula laws."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stickslip import _core

if TYPE_CHECKING:
    from stickslip.machine.base import BaseMachine

Exponents = tuple[int, ...]

_SYMBOLS: dict[str, Exponents] = {
    "1": (0, 0, 0, 0),
    "kg": (1, 0, 0, 0),
    "m": (0, 1, 0, 0),
    "s": (0, 0, 1, 0),
    "rad": (0, 0, 0, 1),
    "N": (1, 1, -2, 0),
    "Nm": (1, 2, -2, 0),
    "J": (1, 2, -2, 0),
    "W": (1, 2, -3, 0),
    "Pa": (1, -1, -2, 0),
    "Hz": (0, 0, -1, 0),
}
_FACTOR = re.compile(r"([A-Za-z]+|1)(?:\^?(\d)|([²³⁴]))?")
_RAISED = {"²": 2, "³": 3, "⁴": 4}


def exponents(text: str) -> Exponents | None:
    """Return the exponents of kg, m, s and rad; None if the text contains other units.

    >>> exponents("N s/m"), exponents("m/s²"), exponents("J/K")
    ((1, 0, -1, 0), (0, 1, -2, 0), None)
    """
    total = [0, 0, 0, 0]
    for k, side in enumerate(text.split("/")):
        for factor in re.split(r"[ ·*]+", side.strip().strip("()")):
            found = _FACTOR.fullmatch(factor)
            if found is None or found[1] not in _SYMBOLS:
                return None
            power = int(found[2] or _RAISED.get(found[3], 1)) * (-1 if k else 1)
            total = [t + power * n for t, n in zip(total, _SYMBOLS[found[1]], strict=True)]
    return tuple(total)


def given_units(machine: BaseMachine) -> dict[str, str]:
    """Return the units of the states and parameters of formula laws, by their names in the machine."""
    known = set(machine._description.parameters)
    found: dict[str, str] = {}
    for e in machine._description.elements:
        for field in ("law", "friction"):
            terms = getattr(e.get(field), "terms", ())
            states: list[str] = []
            for k, (kind, fields) in enumerate(terms):
                units = list(fields.get("units", ())) if kind == "FormulaLaw" else []
                count = len(_core.friction.Law([(kind, fields)]).state_names)
                states += units[:count] if units else [""] * count
                for name, unit in zip(fields["parameters"] if units else (), units[count:], strict=True):
                    alone = f"{e['name']}.{field}.{name}"
                    found[alone if alone in known else f"{e['name']}.{field}.{k}.{name}"] = unit
            for i, unit in enumerate(states):
                found[f"{e['name']}.z{i if len(states) > 1 else ''}"] = unit
    return {name: unit for name, unit in found.items() if unit}
