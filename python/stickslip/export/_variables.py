"""Variables of an exported machine as FMI describes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from stickslip.export._names import variable_names
from stickslip.machine._units import NUMBER, Exponents, parameters, quantities
from stickslip.machine.base import BaseMachine
from stickslip.modes import Mode

Causality = Literal["independent", "input", "output", "parameter"]

_MODES = ", ".join(f"{mode.value}: {mode.name.lower().replace('_', ' ')}" for mode in Mode)
_NAMED = {(1, 1, -2, 0): "N", (1, 2, -2, 0): "N.m", (1, 1, -1, 0): "N.s", (1, 2, -1, 0): "N.m.s"}
_BASE = ("kg", "m", "s", "rad")


@dataclass(frozen=True)
class Variable:
    """A variable with its value reference; `key`: what it is called here, `name`: in the FMU."""

    key: str
    name: str
    reference: int
    causality: Causality
    described: str
    quantity: Exponents = NUMBER
    start: float | None = None
    integer: bool = False
    tunable: bool = False  # a parameter that may change during a run

    @property
    def unit(self) -> str | None:
        """The unit as Modelica writes it; None for pure numbers and unknown units."""
        return None if self.quantity == NUMBER or self.integer else unit_text(self.quantity)


def unit_text(exponents: Exponents) -> str:
    """Return a unit from the exponents of kg, m, s and rad as Modelica writes it.

    >>> unit_text((0, 1, -2, 0)), unit_text((1, 0, -2, 0)), unit_text((0, 0, -1, 0))
    ('m/s2', 'kg/s2', '1/s')
    """
    if exponents in _NAMED:
        return _NAMED[exponents]
    powers = list(zip(_BASE, exponents, strict=True))
    above = ".".join(f"{u}{n if n > 1 else ''}" for u, n in powers if n > 0) or "1"
    below = [f"{u}{-n if n < -1 else ''}" for u, n in powers if n < 0]
    if not below:
        return above
    return f"{above}/{below[0]}" if len(below) == 1 else f"{above}/({'.'.join(below)})"


def base_unit(exponents: Exponents) -> dict[str, int]:
    """Return the exponents that are not zero, by base unit."""
    return {unit: n for unit, n in zip(_BASE, exponents, strict=True) if n}


def variables(machine: BaseMachine, exported: dict[str, Any]) -> list[Variable]:
    """Return time, inputs, outputs and parameters, in the order in which the library numbers them."""
    signals, numbers = quantities(machine), parameters(machine)
    found = [Variable("time", "time", 0, "independent", "time", (0, 0, 1, 0))]

    def add(name: str, causality: Causality, described: str, quantity: Exponents, **beside: Any) -> None:
        found.append(Variable(name, name, len(found), causality, described, quantity, **beside))

    for name, start, path in exported["inputs"]:
        add(name, "input", f"input {name}", signals.get(path) or numbers.get(path, NUMBER), start=start)
    for name, integer in exported["outputs"]:
        add(name, "output", _MODES if integer else name, signals.get(name, NUMBER), integer=integer)
    for name, start, tunable in exported["parameters"]:
        if name in numbers:
            add(name, "parameter", name, numbers[name], start=start, tunable=tunable)
        else:
            add(name, "parameter", f"initial value of {name}", signals.get(name, NUMBER), start=start)
    wanted = [f"{v.key}_start" if v.described.startswith("initial") else v.key for v in found[1:]]
    return [
        found[0],
        *(replace(v, name=name) for v, name in zip(found[1:], variable_names(wanted), strict=True)),
    ]
