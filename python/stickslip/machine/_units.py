"""Units of the signals of a run, from the table of variables and from inputs and outputs of controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stickslip.machine._described import controller_of
from stickslip.machine._law_units import exponents, given_units

if TYPE_CHECKING:
    from stickslip.machine.base import BaseMachine

Exponents = tuple[int, ...]

NUMBER: Exponents = (0, 0, 0, 0)
FORCE: Exponents = (1, 1, -2, 0)
TORQUE: Exponents = (1, 2, -2, 0)
_NAMED = {
    FORCE: "N",
    TORQUE: "Nm",
    (1, 1, -1, 0): "N s",
    (1, 2, -1, 0): "Nm s",
    (1, 2, 0, -1): "kg m²",
    (1, 2, -1, -1): "Nm s/rad",
    (1, 2, -2, -1): "Nm/rad",
    (1, 0, -2, 0): "N/m",
    (1, 0, -1, 0): "N s/m",
    (0, 0, -1, 0): "1/s",
}
_RAISED = {2: "²", 3: "³", 4: "⁴"}


def text(exponents: Exponents) -> str:
    """Return a unit as text from the exponents of kg, m, s and rad.

    >>> text((0, 1, -2, 0))
    'm/s²'
    """
    if exponents in _NAMED:
        return _NAMED[exponents]
    base = list(zip(("kg", "m", "s", "rad"), exponents, strict=True))
    above = " ".join(f"{u}{_RAISED.get(n, '')}" for u, n in base if n > 0)
    below = " ".join(f"{u}{_RAISED.get(-n, '')}" for u, n in base if n < 0)
    return f"{above or '1'}/{below}" if below else above


def quantities(machine: BaseMachine) -> dict[str, Exponents]:
    """Quantities of the signals of a machine; for controllers as far as inputs and outputs determine them."""
    found = {name: tuple(q) for name, q in machine.compile().quantities.items()}
    for name, unit in given_units(machine).items():
        if name in found and (given := exponents(unit)) is not None:
            found[name] = _along_angle(given) if _is_rotary(name, found, machine) else given
    controllers = [e for e in machine._description.elements if e["kind"] == "controller"]
    compared = {e["name"]: q for e in controllers if (q := _compared(e, found)) is not None}
    read_by: dict[str, list[str]] = {}
    for e in controllers:
        for source in e["references"]:
            for name in source["names"]:
                read_by.setdefault(name, []).append(e["name"])
    for e in controllers:
        name = e["name"]
        if name in compared:
            found |= {
                f"{name}.{kind}": compared[name]
                for kind in ("reference", "error")
                if f"{name}.{kind}" in found
            }
        outputs = [key for key in found if key.startswith(f"{name}.output")]
        for k, output in enumerate(outputs):
            if k < len(e["to"]) and e["to"][k] and "names" in machine._description.plant:
                found[output] = _driving(e["to"][k], machine._description.plant["rotary"])
            elif readers := [r for r in read_by.get(output, ()) if r in compared]:
                found[output] = compared[readers[0]]
    return found


def _is_rotary(name: str, signals: Mapping[str, Exponents], machine: BaseMachine) -> bool:
    """True if a coordinate or an element turns, whose quantities are those along an angle."""
    return _force_of(name, signals, machine) == TORQUE


def _force_of(name: str, signals: Mapping[str, Exponents], machine: BaseMachine) -> Exponents:
    owner = name.partition(".")[0]
    if owner in machine._description.plant.get("rotary", ()):
        return TORQUE
    return signals.get(f"{owner}.force", signals.get(f"{owner}.normal_force", FORCE))


def parameters(machine: BaseMachine) -> dict[str, Exponents]:
    """Quantities of the parameters of a machine, linear or rotary as their coordinate or element."""
    signals, given = quantities(machine), given_units(machine)
    found = {}
    for name, q in machine._description.parameters.items():
        force = _force_of(name, signals, machine)
        own = exponents(given.get(name, "")) or tuple(q)
        found[name] = _along_angle(own) if force == TORQUE else NUMBER if force == NUMBER else own
    return found


def _along_angle(q: Exponents) -> Exponents:
    """The same along an angle: force^a length^b time^c becomes torque^a angle^b time^c."""
    kg, m, s, rad = q
    return (kg, 2 * kg, s, rad + m - kg)


def _driving(to: Mapping[str, float], rotary: Sequence[str]) -> Exponents:
    """Return outputs that drive coordinates with the factor 1; other factors have units, as a torque constant."""
    kinds = {TORQUE if name in rotary else FORCE for name in to}
    plain = all(abs(factor) == 1.0 for factor in to.values())
    return kinds.pop() if plain and len(kinds) == 1 else NUMBER


def _compared(element: Mapping[str, Any], known: Mapping[str, Exponents]) -> Exponents | None:
    """Return the measurement that the reference of a controller is compared with, if it is unique."""
    channels = controller_of(element["control"]).compiled.block().inputs
    first = next((c for c in channels if c.startswith("measurement")), None)
    if first is None or not element["measurements"]:
        return None
    measured = {known.get(name, NUMBER) for name in element["measurements"][0]["names"]}
    if len(measured) != 1 or (q := measured.pop()) == NUMBER:
        return None
    return (q[0], q[1], q[2] - 1, q[3]) if first in ("measurement.rate", "measurement.difference") else q


def texts(machine: BaseMachine, known: Mapping[str, Exponents | None]) -> dict[str, str]:
    """Return units as text, without those of pure numbers; those that a user has given, in the user's words."""
    found = {name: text(q) for name, q in known.items() if q is not None and any(q)}
    for name, unit in given_units(machine).items():
        if name in known and exponents(unit) in (None, known[name]):
            found[name] = unit
    return found


def units(machine: BaseMachine) -> dict[str, str]:
    """Return the unit of each signal; empty for pure numbers and unknown units."""
    known = quantities(machine)
    return {name: "" for name in known} | texts(machine, known)
