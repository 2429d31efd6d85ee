"""Machines as linear systems about an operating point: from forces and references to measurements, and their poles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.errors import UnknownNameError
from stickslip.linear.bench import Bench, Probe
from stickslip.linear.operating_point import operating_point
from stickslip.linear.poles import Poles
from stickslip.linear.sampling import block_of, period_map, sampling_periods
from stickslip.linear.system import LinearSystem

if TYPE_CHECKING:
    from stickslip.machine.base import BaseMachine


def linearise(
    machine: BaseMachine,
    inputs: Any = (),
    outputs: Any = (),
    *,
    at: Any = "frictionless",
    t: float | None = None,
    modes: Mapping[str, str | int] | None = None,
) -> LinearSystem:
    """See `Machine.linearise`."""
    bench = Bench.of(machine, operating_point(machine, at, t, modes))
    sampled = sampling_periods(bench)
    before = _listed(inputs)
    for item in before:
        _put_in(machine, bench, item)
    looked: list[int] = []
    names: list[str] = []
    for item in _listed(outputs):
        looked.append(_look_at(machine, bench, item))
        names.append(_text(item))
    entering = tuple(_text(item) for item in before)
    if sampled:
        if before:
            _one_rate(sampled)
        m = period_map(bench, looked)
        rates = _rates(m.Gamma, m.D)
        return LinearSystem(m.Phi, m.Gamma[0], m.C, m.D[0], entering, tuple(names), m.period, rates, m.states)
    a = bench.answer()
    return LinearSystem(a.A, a.B[0], a.C, a.D[0], entering, tuple(names), None, _rates(a.B, a.D), a.states)


def poles(
    machine: BaseMachine,
    *,
    at: Any = "frictionless",
    t: float | None = None,
    modes: Mapping[str, str | int] | None = None,
) -> Poles:
    """See `Machine.poles`."""
    return linearise(machine, at=at, t=t, modes=modes).poles()


def _one_rate(periods: Mapping[str, float]) -> None:
    """Refuse several sampling periods where inputs are held over one of them."""
    if len(set(periods.values())) > 1:
        listed = ", ".join(f"'{name}' {t:g} s" for name, t in periods.items())
        raise ValueError(
            f"the machine is sampled at several rates, {listed}, and therefore has no frequency response: use poles(), or "
            "open_loop() at the slowest controller"
        )


def _rates(b: tuple[Any, Any, Any], d: tuple[Any, Any, Any]) -> tuple[tuple[Any, Any], ...]:
    """Return the input matrices of rates, up to the last nonzero one."""
    used = [k for k in (1, 2) if np.any(b[k]) or np.any(d[k])]
    return tuple((b[k], d[k]) for k in range(1, max(used, default=0) + 1))


def _listed(given: Any) -> list[Any]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        return list(given)
    return [given]


def _text(item: Any) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        return " + ".join(f"{factor:g} {name}" for name, factor in item.items())
    return " - ".join(item)


def _put_in(machine: BaseMachine, bench: Bench, item: Any) -> None:
    if isinstance(item, str) and item.endswith(".reference"):
        bench.command(item, item.removesuffix(".reference"))
        return
    if isinstance(item, str) and item not in (known := _entrances(machine)):
        references = [f"{e['name']}.reference" for e in bench.controllers if e["references"]]
        raise UnknownNameError(
            f"unknown input {item!r}; known are: {', '.join(map(repr, [*known, *references]))}"
        )
    bench.drive(_text(item), machine._parts("input", item))


def _entrances(machine: BaseMachine) -> list[str]:
    plant = machine._description.plant
    return list(plant["names"] if "names" in plant else plant["inputs"])


def _look_at(machine: BaseMachine, bench: Bench, item: Any) -> int:
    if isinstance(item, Mapping):
        return bench.look_at(Probe({machine._variable(str(k)): float(v) for k, v in item.items()}))
    name = machine._variable(str(item))
    owner, _, kind = name.rpartition(".")
    coordinates = list(machine._description.coordinates)
    if kind == "acceleration" and owner in coordinates:
        return bench.look_at_rate(f"{owner}.velocity")
    of = {e["name"]: e for e in bench.controllers}
    if kind in ("reference", "error") and owner in of:
        return bench.look_at(_shown(of[owner], kind))
    outputs = [x for e in bench.controllers for x in output_names(e)]
    if name in machine._measurable() or name in outputs:
        return bench.look_at(Probe({name: 1.0}))
    known = [*machine._measurable(), *(f"{n}.acceleration" for n in coordinates), *outputs]
    known += [f"{n}.{k}" for n in of for k in ("reference", "error")]
    raise UnknownNameError(f"unknown output {item!r}; known are: {', '.join(map(repr, known))}")


def output_names(element: Mapping[str, Any]) -> list[str]:
    """Names of the outputs of a controller."""
    count = block_of(dict(element)).D.shape[0]
    return [f"{element['name']}.output{k if count > 1 else ''}" for k in range(count)]


def _shown(element: Mapping[str, Any], kind: str) -> Probe:
    """The reference of a controller, or its difference from what is compared with it."""
    names = dict(element["references"][0]["names"]) if element["references"] else {}
    if kind == "reference":
        return Probe(names)
    first = next((i for i in block_of(dict(element)).inputs if i.startswith("measurement")), "")
    if "." in first:
        raise ValueError(
            f"'{element['name']}.error' is the error of a velocity, which is no output: "
            f"use '{element['name']}.reference' and the velocity"
        )
    for name, factor in element["measurements"][0]["names"].items() if first else ():
        names[name] = names.get(name, 0.0) - factor
    return Probe(names)
