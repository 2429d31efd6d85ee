"""What the audit reads of a machine: numbers, laws and signals, as its description states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._described import law_of
from stickslip._smooth import expressions
from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._springs import Spring, spring_of
from stickslip.expressions.expr import Expr
from stickslip.laws import Law
from stickslip.machine import Machine
from stickslip.signals import Constant
from stickslip.stick_slip import StickSlip

Array = NDArray[np.float64]


@dataclass
class Place:
    """Friction between two surfaces: of an element with a given load, or of a contact."""

    name: str
    along: Array  # w: the relative velocity is w . q' - surface_velocity
    law: Law
    options: StickSlip | None
    surface_velocity: Any
    normal_load: Any = None  # a signal; None on a contact
    load_form: dict[str, float] = field(default_factory=dict)
    load_table: tuple[list[float], list[float]] | None = None  # over the form
    load_period: float | None = None  # with which it repeats itself

    @property
    def on_contact(self) -> bool:
        """Whether the load is a contact's normal force."""
        return self.normal_load is None


@dataclass
class Contact:
    """A gap ``normal . q + gap(t)`` that stays >= 0."""

    name: str
    normal: Array
    gap: Any
    restitution: float | Expr
    tangential_restitution: float | None
    impact: str
    place: Place | None

    def ratio(self, rate: float) -> float:
        """The coefficient of restitution where the gap changes at this rate before an impact."""
        if not isinstance(self.restitution, Expr):
            return self.restitution
        return float(self.restitution({"speed": max(-rate, 0.0)}))


@dataclass
class Push:
    """A force on the coordinates: of a signal, of what is sampled under a name, or a formula of the motion."""

    along: Array
    signal: Any = None
    sampled: str = ""
    formula: Expr | None = None  # of positions, velocities and time

    def value(self, at: Any) -> Array:
        """The force at the times of these samples."""
        if self.formula is not None:
            return _evaluated(self.formula, at)
        values: Array = at[self.sampled] if self.sampled else self.signal.values(at.t)
        return values

    def doubt(self, at: Any, relative: float, greatest: Mapping[str, float]) -> Array:
        """How uncertain that is, where states are known to this share of their greatest values."""
        room: Array = relative * np.abs(self.value(at))
        if self.formula is not None:
            for name, slope in self.formula.gradient().items():
                room = room + relative * greatest.get(name, 0.0) * np.abs(_evaluated(slope, at))
        return room


@dataclass
class Constraint:
    """``along . q = value(t)``, or ``along . q' = value(t)`` where `of_velocity`."""

    name: str
    along: Array
    value: Any
    of_velocity: bool

    def rate(self, t: Array, order: int = 0) -> Array:
        """What ``along . q'`` must be, or a derivative of it."""
        values: Array = self.value.values(t, order + (0 if self.of_velocity else 1))
        return values


@dataclass
class Description:
    """A mechanical machine."""

    names: tuple[str, ...]
    mass: Array
    damping: Array
    stiffness: Array
    pushes: list[Push] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    clutches: list[Contact] = field(default_factory=list)  # one-way: contacts of velocities
    loops: list[dict[str, Any]] = field(default_factory=list)
    compensators: list[dict[str, Any]] = field(default_factory=list)

    @property
    def unilateral(self) -> list[Contact]:
        """Contacts and one-way clutches: all that takes part in impacts."""
        return self.contacts + self.clutches

    @property
    def rows(self) -> Array:
        """W' of the constraints."""
        return np.array([c.along for c in self.constraints]).reshape(-1, len(self.names))

    @property
    def inverse(self) -> Array:
        """What forces accelerate: the inverse mass, less what constraints take of it."""
        free = np.asarray(np.linalg.inv(self.mass), dtype=np.float64)
        w = self.rows
        if not len(w):
            return free
        held: Array = free @ w.T @ np.linalg.pinv(w @ free @ w.T, 1e-10) @ w @ free
        return free - held

    def demanded(self, t: Array, order: int = 0) -> Array:
        """Velocities, or accelerations, that constraints bring with them: coordinates x times."""
        free, w = np.linalg.inv(self.mass), self.rows
        if not len(w):
            return np.zeros((len(self.names), np.size(t)))
        rates = np.array([c.rate(np.atleast_1d(t), order) for c in self.constraints])
        moved: Array = free @ w.T @ np.linalg.pinv(w @ free @ w.T, 1e-10) @ rates
        return moved

    @property
    def surfaces(self) -> list[Place]:
        """All friction, that of contacts included."""
        return self.places + [c.place for c in self.contacts if c.place is not None]

    def direction(self, on: Mapping[str, float]) -> Array:
        """A combination of coordinates as a vector."""
        w = np.zeros(len(self.names))
        for name, factor in on.items():
            w[self.names.index(name)] += factor
        return w

    def signals(self) -> list[Any]:
        """All functions of time."""
        found = [p.signal for p in self.pushes if p.signal is not None]
        found += [p.surface_velocity for p in self.surfaces] + [c.gap for c in self.contacts]
        found += [p.normal_load for p in self.places] + [s.rest for s in self.springs]
        found += [c.value for c in self.constraints]
        for loop in self.loops:
            found += [source["signal"] for source in loop["references"] if not source["names"]]
        return found


def internal_names(place: Place) -> list[str]:
    """Names of the internal states of the law in a run."""
    n = sum(_laws.state_count(term) for term in place.law.terms)
    return [f"{place.name}.z{i if n > 1 else ''}" for i in range(n)]


def _split(law: Law) -> tuple[Law, StickSlip | None]:
    return (law.curve, law) if isinstance(law, StickSlip) else (law, None)


def _friction(d: Description, e: Mapping[str, Any]) -> Place:
    law, options = _split(law_of(e["law"], e["automaton"]))
    return Place(
        e["name"],
        d.direction(e["on"]),
        law,
        options,
        e["surface_velocity"],
        e["normal_load"],
        e["load"],
        (e["load_at"], e["load_there"]) if e["load_at"] else None,
        e["load_at"][-1] - e["load_at"][0] if e["load_periodic"] else None,
    )


def _contact(d: Description, e: Mapping[str, Any]) -> Contact:
    place = None
    if e["tangent"]:
        law, options = _split(law_of(e["friction"], e["automaton"]))
        place = Place(e["name"], d.direction(e["tangent"]), law, options, e["surface_velocity"])
    return Contact(
        e["name"],
        d.direction(e["normal"]),
        e["gap"],
        next(iter(expressions(e.get("restitution_expression"))), e["restitution"]),
        e["tangential_restitution"],
        str(e["impact"]),
        place,
    )


def _outputs(d: Description, e: Mapping[str, Any]) -> list[Push]:
    names = ["output"] if len(e["to"]) == 1 else [f"output{i}" for i in range(len(e["to"]))]
    return [
        Push(d.direction(to), sampled=f"{e['name']}.{name}")
        for name, to in zip(names, e["to"], strict=True)
        if to
    ]


def _evaluated(formula: Expr, at: Any) -> Array:
    known = {name: at.t if name == "time" else at[name] for name in formula.inputs}
    values: Array = formula(known) + np.zeros_like(at.t)
    return values


def describe(machine: Machine) -> Description:
    """Read a machine."""
    core = machine._description
    plant = core.plant
    d = Description(tuple(core.coordinates), plant["mass"], plant["damping"], plant["stiffness"])
    for e in core.elements:
        if e["kind"] == "force":
            formula = next(iter(expressions(e.get("expression"))), None)
            signal = e["force"] if formula is None else None
            d.pushes.append(Push(d.direction(e["on"]), signal, formula=formula))
        elif e["kind"] == "friction":
            d.places.append(_friction(d, e))
        elif e["kind"] == "contact":
            d.contacts.append(_contact(d, e))
        elif e["kind"] == "spring":
            d.springs.append(spring_of(e, d.direction(e["on"])))
        elif e["kind"] == "constraint":
            of_velocity = str(e["level"]) == "velocity"
            d.constraints.append(Constraint(e["name"], d.direction(e["on"]), e["value"], of_velocity))
        elif e["kind"] == "one_way_clutch":
            along, still = d.direction(e["on"]), Constant(0.0).compiled
            d.clutches.append(Contact(e["name"], along, still, 0.0, None, "poisson", None))
        elif e["kind"] == "controller":
            d.loops.append(dict(e))
            d.pushes += _outputs(d, e)
        else:
            d.compensators.append(dict(e))
            d.pushes.append(Push(d.direction(e["to"]), sampled=f"{e['name']}.output"))
    return d
