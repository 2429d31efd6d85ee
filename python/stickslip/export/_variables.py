"""Variables of an exported machine as FMI describes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from stickslip.export._names import variable_names
from stickslip.machine._units import NUMBER, Exponents, parameters, quantities
from stickslip.machine.base import BaseMachine
from stickslip.modes import Mode

Causality = Literal["independent", "input", "output", "parameter", "local"]

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
    derivative_of: int | None = None  # value reference of a state
    indicates: bool = False  # an event

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


def variables(machine: BaseMachine, exported: dict[str, Any], *, exchange: bool) -> list[Variable]:
    """Return time, inputs, outputs and parameters, in the order in which the library numbers them.

    With `exchange` states that are no outputs, derivatives of all states, and event indicators follow.
    """
    signals, numbers = quantities(machine), parameters(machine)
    found = [Variable("time", "time", 0, "independent", "time", (0, 0, 1, 0))]

    def add(
        name: str, causality: Causality, described: str, quantity: Exponents = NUMBER, **beside: Any
    ) -> None:
        reference = beside.pop("reference", len(found))
        found.append(Variable(name, name, reference, causality, described, quantity, **beside))

    for name, start, path in exported["inputs"]:
        add(name, "input", f"input {name}", signals.get(path) or numbers.get(path, NUMBER), start=start)
    for name, integer in exported["outputs"]:
        add(name, "output", _MODES if integer else name, signals.get(name, NUMBER), integer=integer)
    for name, start, tunable in exported["parameters"]:
        if name in numbers:
            add(name, "parameter", name, numbers[name], start=start, tunable=tunable)
        else:
            add(name, "parameter", f"initial value of {name}", signals.get(name, NUMBER), start=start)
    told = len(found) - 1
    first = len(found)  # of the states, as the library numbers them
    if exchange:
        outputs = [v.key for v in found if v.causality == "output"]
        for k, name in enumerate(exported["states"]):
            if name not in outputs:
                add(name, "local", name, signals.get(name, NUMBER), reference=first + k)
        beyond = first + 2 * len(exported["states"])
        for k, name in enumerate(exported["indicators"]):
            key = f"{name}.event_indicator"
            add(key, "local", f"events of {name}", reference=beyond + k, indicates=True)
    wanted = [f"{v.key}_start" if v.described.startswith("initial") else v.key for v in found[1:]]
    names = variable_names(wanted, told)
    named = [found[0], *(replace(v, name=name) for v, name in zip(found[1:], names, strict=True))]
    return (
        [*named, *_rates(named, exported["states"], first + len(exported["states"]))] if exchange else named
    )


def _rates(named: list[Variable], states: list[str], first: int) -> list[Variable]:
    """Return the derivatives of all states, each of which is an output or a local variable."""
    by_key = {v.key: v for v in named if v.causality in ("output", "local")}
    rates = []
    for k, key in enumerate(states):
        of = by_key[key]
        kg, m, s, rad = of.quantity
        rate = replace(
            of,
            key=f"der({key})",
            name=f"der({of.name})",
            reference=first + k,
            causality="local",
            described=f"derivative of {key}",
            quantity=(kg, m, s - 1, rad),
            derivative_of=of.reference,
        )
        rates.append(rate)
    return rates
