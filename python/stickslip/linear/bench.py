"""The linear part of a machine, or a machine next to an operating point, with added inputs and outputs.

Each input is the output of an additional triple integrator, whose states are the input, its rate and its acceleration;
their columns in the system matrix are the effects of the input and its rates. Each output feeds an additional
integrator, whose row is the output equation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.control.controllers import LTI, PI, P
from stickslip.errors import UnknownNameError
from stickslip.machine._described import controller_of
from stickslip.signals import Constant

if TYPE_CHECKING:
    from stickslip.machine.base import BaseMachine

Array = NDArray[np.float64]
Element = dict[str, Any]

_INPUT = LTI(
    A=np.eye(3, k=1), B=np.zeros((3, 1)), C=np.eye(1, 3), D=np.zeros((1, 1)), inputs="both", references=0
)
_VALUE = LTI(A=[[0.0]], B=[[1.0]], C=[[0.0]], D=[[0.0]], inputs="both", references=0)  # type: ignore[arg-type]
_RATE = PI(kp=-1.0, tn=1.0, controls="rate")
_PASS_ON_RATE = P(kp=0.0, feedforward=1.0)


@dataclass(frozen=True)
class Probe:
    """An output: a sum of signals, or its first or second derivative."""

    names: Mapping[str, float]
    order: int = 0


@dataclass(frozen=True)
class OperatingPoint:
    """A state of a machine, with the modes in which it is linearised."""

    state: _core.dynamics.State
    states: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """Values of the states by name."""
        return dict(zip(self.states, self.state.x.tolist(), strict=True))

    def slopes_of(self, compiled: _core.dynamics.Compiled) -> _core.linear.LinearMotion:
        """Linearise this machine, or one with more controllers, whose states are 0."""
        values = self.values
        x = np.array([values.get(name, 0.0) for name in compiled.states])
        return _core.linear.linearise(compiled, self.state, x)


@dataclass(frozen=True)
class Answer:
    """x' = A x + sum_k B[k] (d/dt)^k u, rows = C x + sum_k D[k] (d/dt)^k u."""

    A: Array
    B: tuple[Array, Array, Array]
    C: Array
    D: tuple[Array, Array, Array]
    states: tuple[str, ...]


def _copied(element: Element) -> Element:
    """A copy of an element whose references and measurements may be changed."""
    copied = dict(element)
    for key in ("references", "measurements"):
        if key in element:
            copied[key] = [dict(source) | {"names": dict(source["names"])} for source in element[key]]
    return copied


@dataclass
class Bench:
    """A machine to which inputs and probes are added.

    Without an operating point it is the linear part: no friction, contacts and clutches, constant signals.
    """

    plant: Element
    elements: list[Element]
    point: OperatingPoint | None = None
    inputs: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)  # states whose rates are looked at

    @classmethod
    def of(cls, machine: BaseMachine, point: OperatingPoint | None = None) -> Bench:
        """Make the bench of a machine; without an operating point nonlinear machines are refused by the engine."""
        machine = machine._snapshot()
        if point is not None:
            return cls(
                dict(machine._description.plant), [_copied(e) for e in machine._description.elements], point
            )
        try:
            machine.compile().linear_part()
        except ValueError as error:
            raise ValueError(
                f"{error}: give an operating point, such as at = run.state or at = 'sticking'"
            ) from None
        kept = []
        for element in machine._description.elements:
            if element["kind"] == "controller":
                sources = ("references", "measurements")
                kept.append(
                    element | {key: [{"names": dict(s["names"])} for s in element[key]] for key in sources}
                )
            elif element["kind"] == "constraint":
                kept.append(element | {"value": Constant(0.0).compiled, "level": str(element["level"])})
            elif element["kind"] == "spring":
                kept.append(dict(element))
        return cls(dict(machine._description.plant), kept)

    @property
    def controllers(self) -> list[Element]:
        """Controllers of the machine, without those of the bench."""
        return [e for e in self.elements if e["kind"] == "controller" and e["name"][0] != "#"]

    def controller(self, name: str) -> Element:
        """Return the controller of this name."""
        for element in self.controllers:
            if element["name"] == name:
                return element
        known = ", ".join(repr(e["name"]) for e in self.controllers) or "none"
        raise UnknownNameError(f"unknown controller {name!r}; known are: {known}")

    def replace_output(self, name: str, column: str) -> None:
        """Replace the output `column` of a controller by an input, for all that read it or are driven by it."""
        owner = self.controller(name)
        new = f"#in{len(self.inputs)}.output"
        for element in self.controllers:
            for source in (*element["references"], *element["measurements"]):
                if column in source["names"]:
                    source["names"][new] = source["names"].pop(column)
        part = int(column.rpartition(".output")[2] or 0)
        to = [dict(t) for t in owner["to"]]
        driven = to[part] if part < len(to) else {}
        if driven:
            to[part] = {}
            owner["to"] = to if any(to) else []
        self.inputs.append(column)
        self._element(
            f"#in{len(self.inputs) - 1}", _INPUT, measurements=[{"names": {}}], to=[driven] if driven else []
        )

    def drive(self, name: str, parts: dict[str, float]) -> None:
        """Add a force as an input."""
        self.inputs.append(name)
        self._element(f"#in{len(self.inputs) - 1}", _INPUT, measurements=[{"names": {}}], to=[parts])

    def command(self, name: str, controller: str) -> None:
        """Add an input to the first reference of a controller."""
        owner = self.controller(controller)
        if not owner["references"]:
            raise UnknownNameError(f"unknown input {name!r}: {controller!r} follows no reference")
        owner["references"][0]["names"][f"#in{len(self.inputs)}.output"] = 1.0
        self.inputs.append(name)
        self._element(f"#in{len(self.inputs) - 1}", _INPUT, measurements=[{"names": {}}], to=[])

    def look_at(self, probe: Probe) -> int:
        """Add a probe; return its row."""
        name, source = f"#out{len(self.rows)}", {"names": dict(probe.names)}
        if probe.order == 0:
            self._element(name, _VALUE, measurements=[source])
        else:
            if probe.order == 2:
                first = f"{name}.first"
                self._element(first, _PASS_ON_RATE, references=[source], measurements=[{"names": {}}])
                source = {"names": {f"{first}.output": 1.0}}
            self._element(name, _RATE, references=[{"names": {}}], measurements=[source])
        return self.look_at_rate(f"{name}.z")

    def look_at_rate(self, state: str) -> int:
        """Add a probe of the rate of a state; return its row."""
        self.rows.append(state)
        return len(self.rows) - 1

    def _element(self, name: str, control: Any, **fields: Any) -> None:
        base = {"kind": "controller", "name": name, "control": control.compiled}
        self.elements.append(base | {"references": [], "measurements": [], "to": []} | fields)

    def answer(self) -> Answer:
        """Return the matrices."""
        fields = {k: v for k, v in self.plant.items() if k != "kind"}
        description = _core.model.Machine(self.plant["kind"], fields)
        for element in self.elements:
            given = {k: v for k, v in element.items() if k != "kind"}
            if isinstance(given.get("control"), dict):
                given["control"] = controller_of(given["control"]).compiled
            description.add(element["kind"], given)
        compiled = _core.dynamics.compile(description)
        every, rows = compiled.states, [compiled.states.index(state) for state in self.rows]
        if self.point is None:
            slopes = compiled.linear_part()
            free, by_free = compiled.free_states()  # without those that follow from others by constraints
        else:
            motion = self.point.slopes_of(compiled)
            slopes, free, by_free = motion.by_state, motion.free, motion.all
        a, names = slopes @ by_free, [every[i] for i in free]
        own = [k for k, n in enumerate(names) if not n.startswith("#")]
        rates = [free[k] for k in own]
        columns = [[names.index(f"#in{i}.z{k}") for i in range(len(self.inputs))] for k in range(3)]
        return Answer(
            a[np.ix_(rates, own)],
            (a[np.ix_(rates, columns[0])], a[np.ix_(rates, columns[1])], a[np.ix_(rates, columns[2])]),
            a[np.ix_(rows, own)],
            (a[np.ix_(rows, columns[0])], a[np.ix_(rows, columns[1])], a[np.ix_(rows, columns[2])]),
            tuple(names[k] for k in own),
        )
