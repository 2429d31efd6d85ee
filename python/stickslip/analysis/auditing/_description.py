"""Data of a machine for the audit: parameters, laws and signals from its description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _formulas, _laws
from stickslip.analysis.auditing._formulas import Formulas
from stickslip.analysis.auditing._rows import Gap, Gradient, Mass, Numbers, Row, Turning
from stickslip.analysis.auditing._spring_law import Detent, Spring, detent_of, spring_of
from stickslip.laws import Law
from stickslip.laws.stick_slip import StickSlip
from stickslip.machine._described import law_of
from stickslip.machine.machine import Machine
from stickslip.signals import Constant

if TYPE_CHECKING:
    from stickslip.analysis.auditing._sampling import Samples

Array = NDArray[np.float64]


_NOTHING = 1e-9  # of the acceleration without constraints


@dataclass
class Place:
    """Friction between two surfaces: an element with a given load, or the friction of a contact."""

    name: str
    along: Row  # w: the relative velocity is w . q' - surface_velocity
    law: Law
    options: StickSlip | None
    surface_velocity: Any
    normal_load: Any = None  # a signal; None on a contact
    load_form: dict[str, float] = field(default_factory=dict)
    load_magnitude: bool = False  # of the form, which adds to the normal load
    load_table: tuple[list[float], list[float]] | None = None  # over the form
    load_period: float | None = None  # with which it repeats itself
    load_formula: Formulas | None = None  # of positions, velocities and time
    pressed_by: str = ""  # the contact whose normal force is the load, beside its own friction
    load_across: str = ""  # a force across the form: the load is the magnitude of both

    @property
    def on_contact(self) -> bool:
        """True if the load is the normal force of the contact of this name."""
        return self.normal_load is None

    def relative(self, at: Samples) -> Array:
        """Return the relative velocity ``W . q' - surface_velocity``."""
        v: Array = self.along.along(at) - self.surface_velocity.values(at.t)
        return v

    def drift(self, at: Samples) -> Array:
        """Return the part of the relative acceleration that does not depend on accelerations."""
        drift: Array = self.along.turn(at) - self.surface_velocity.values(at.t, 1)
        return drift


@dataclass
class Contact:
    """A contact: rigid with a gap >= 0, or compliant with a force where the gap is negative."""

    name: str
    gap: Gap
    restitution: float | Formulas
    tangential_restitution: float | None
    impact: str
    place: Place | None
    compliance: dict[str, Any] = field(default_factory=dict)

    @property
    def normal(self) -> Row:
        """Return w_N, the gradient of the gap."""
        return self.gap.row

    @property
    def rigid(self) -> bool:
        """True if the contact has no compliance."""
        return not self.compliance

    def ratio(self, rate: float) -> float:
        """Return the coefficient of restitution at a gap rate before impact."""
        if not isinstance(self.restitution, Formulas):
            return self.restitution
        speed = np.array([max(-rate, 0.0)])
        return float(np.asarray(self.restitution({"speed": speed})[0]).ravel()[0])


@dataclass
class Push:
    """An external force: a signal, a held output of a sampled controller, or a formula of the motion."""

    along: Array
    signal: Any = None
    sampled: str = ""
    formula: Formulas | None = None  # of positions, velocities and time

    def value(self, at: Samples) -> Array:
        """Return the force at the sample times."""
        if self.formula is not None:
            return evaluated(self.formula, at)
        values: Array = at[self.sampled] if self.sampled else self.signal.values(at.t)
        return values

    def doubt(self, at: Samples, relative: float, greatest: Mapping[str, float]) -> Array:
        """Return the uncertainty of the force for a relative error of the states."""
        room: Array = relative * np.abs(self.value(at))
        return room if self.formula is None else room + doubt_of(self.formula, at, relative, greatest)


@dataclass
class Constraint:
    """A constraint ``along . q = value(t)`` or, with `of_velocity`, ``along . q' = value(t)``; or a formula that is
    kept zero.
    """

    name: str
    along: Row
    value: Any
    of_velocity: bool

    def off(self, at: Samples) -> Array:
        """Return the deviation of the positions from the constraint."""
        if isinstance(self.along, Gradient):
            return self.along.value(at)
        off: Array = (self.along.at(at) * at.q).sum(axis=0) - self.value.values(at.t)
        return off

    def rate(self, at: Samples) -> Array:
        """Return the prescribed value of ``along . q'``."""
        values: Array = self.value.values(at.t, 0 if self.of_velocity else 1) - self.along.shift(at)
        return values

    def drift(self, at: Samples) -> Array:
        """Return the prescribed value of ``along . q''``."""
        values: Array = self.value.values(at.t, 1 if self.of_velocity else 2) - self.along.turn(at)
        return values


@dataclass
class Description:
    """Data of a mechanical machine."""

    names: tuple[str, ...]
    mass: Mass
    damping: Array
    stiffness: Array
    pushes: list[Push] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    detents: list[Detent] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    clutches: list[Contact] = field(default_factory=list)  # one-way: contacts of velocities
    loops: list[dict[str, Any]] = field(default_factory=list)
    compensators: list[dict[str, Any]] = field(default_factory=list)
    relays: list[dict[str, Any]] = field(default_factory=list)  # and quantisers

    def constraint_loading(self, place: Place) -> str:
        """Return the name of the constraint whose force loads friction; empty if none does."""
        names = {} if place.load_across else {f"{c.name}.force": c.name for c in self.constraints}
        return next((names[term] for term in place.load_form if term in names), "")

    @property
    def loading_constraints(self) -> list[Constraint]:
        """Constraints whose forces load friction."""
        loading = {self.constraint_loading(p) for p in self.places}
        return [c for c in self.constraints if c.name in loading]

    @property
    def impulsive(self) -> list[Place]:
        """Friction elements that impulses load: those of a contact in further directions, and those of a constraint."""
        return [p for p in self.places if p.pressed_by or self.constraint_loading(p)]

    @property
    def unilateral(self) -> list[Contact]:
        """Contacts and one-way clutches: all elements that take part in impacts."""
        return self.contacts + self.clutches

    def inverse(self, at: Samples) -> Array:
        """Return the inverse mass matrix under constraints, shape (times, coordinates, coordinates)."""
        return at.kept("inverse", lambda: self._inverse(at, self.constraints)[0])

    def demanded(self, at: Samples, order: int = 0) -> Array:
        """Return the velocities or accelerations that constraints prescribe, shape (coordinates, times)."""
        if not self.constraints:
            return np.zeros_like(at.v)
        asked = np.array([c.drift(at) if order else c.rate(at) for c in self.constraints])
        brought: Array = np.einsum("tij,jt->it", self._inverse(at, self.constraints)[1], asked)
        return brought

    def prescribes(self, place: Place, at: Samples) -> bool:
        """Return True if constraints prescribe the motion along a constant direction."""
        return self._prescribe(place, at, self.inverse(at))

    def prescribes_alone(self, place: Place, at: Samples) -> bool:
        """Return True if constraints do whose forces load no friction: others share their force with the place."""
        loading = {c.name for c in self.loading_constraints}
        others = [c for c in self.constraints if c.name not in loading]
        return self._prescribe(place, at, at.kept("inverse of others", lambda: self._inverse(at, others)[0]))

    def _prescribe(self, place: Place, at: Samples, inverse: Array) -> bool:
        w = place.along.numbers
        if w is None or not self.constraints:
            return False
        moved, free = inverse @ w, np.linalg.inv(self.mass.at(at)) @ w
        return bool(np.abs(moved).max() <= _NOTHING * np.abs(free).max())

    def _inverse(self, at: Samples, constraints: list[Constraint]) -> tuple[Array, Array]:
        """The inverse, and what constraints make of what they demand."""
        free = np.asarray(np.linalg.inv(self.mass.at(at)), dtype=np.float64)
        if not constraints:
            return free, np.zeros((1, len(self.names), 0))
        rows = [np.broadcast_to(c.along.at(at), at.v.shape) for c in constraints]
        w = np.moveaxis(np.array(rows), -1, 0)  # times x constraints x coordinates
        if not (self.mass.moves or any(c.along.numbers is None for c in constraints)):
            w = w[:1]
        turned = np.swapaxes(w, 1, 2)
        brings: Array = free @ turned @ np.linalg.pinv(w @ free @ turned, 1e-10)
        return free - brings @ w @ free, brings

    @property
    def surfaces(self) -> list[Place]:
        """All places of friction, those of contacts included."""
        return self.places + [c.place for c in self.contacts if c.place is not None]

    def further(self, c: Contact) -> list[Place]:
        """Friction elements along further directions of a contact."""
        return [p for p in self.places if p.pressed_by == c.name]

    def direction(self, on: Mapping[str, float]) -> Array:
        """Return a combination of coordinates as a vector."""
        w = np.zeros(len(self.names))
        for name, factor in on.items():
            w[self.names.index(name)] += factor
        return w

    def applied_force(self, name: str, at: Samples) -> Array:
        """Return the sum of the external forces on a coordinate."""
        i, total = self.names.index(name), np.zeros_like(at.t)
        for push in self.pushes:
            if not push.sampled and push.along[i] != 0.0:
                total = total + push.along[i] * push.value(at)
        return total

    def signals(self) -> list[Any]:
        """All functions of time."""
        found = [p.signal for p in self.pushes if p.signal is not None]
        found += [p.surface_velocity for p in self.surfaces] + [c.gap.signal for c in self.contacts]
        found += [p.normal_load for p in self.places] + [s.rest for s in self.springs]
        found += [c.value for c in self.constraints]
        for loop in self.loops:
            found += [source["signal"] for source in loop["references"] if not source["names"]]
        return found


def internal_names(place: Place) -> list[str]:
    """Return the names of the internal states of a law in a run."""
    n = sum(_laws.state_count(term) for term in place.law.terms)
    return [f"{place.name}.z{i if n > 1 else ''}" for i in range(n)]


def _split(law: Law) -> tuple[Law, StickSlip | None]:
    return (law.curve, law) if isinstance(law, StickSlip) else (law, None)


def _formula(tape: Mapping[str, Any] | None) -> Formulas | None:
    return Formulas(tape) if tape and tape["outputs"] else None


def _row(d: Description, numbers: Mapping[str, float], tape: Mapping[str, Any] | None) -> Row:
    formulas = _formula(tape)
    return Numbers(d.direction(numbers)) if formulas is None else Turning(formulas)


def _presses(e: Mapping[str, Any]) -> str:
    """The contact under whose force friction slides in one more direction."""
    names = [key.removesuffix(".normal_force") for key in e["load"] if key.endswith(".normal_force")]
    return "" if not names or e["automaton"]["load_factor"] or e["load_at"] else names[0]


def _friction(d: Description, e: Mapping[str, Any]) -> Place:
    law, options = _split(law_of(e["law"], e["automaton"]))
    return Place(
        e["name"],
        _row(d, e["on"], e.get("on_expression")),
        law,
        options,
        e["surface_velocity"],
        e["normal_load"],
        e["load"],
        e["load_magnitude"],
        (e["load_at"], e["load_there"]) if e["load_at"] else None,
        e["load_at"][-1] - e["load_at"][0] if e["load_periodic"] else None,
        _formula(e.get("load_expression")),
        _presses(e),
        next(iter(e.get("load_across") or {}), ""),
    )


def _contact(d: Description, e: Mapping[str, Any]) -> Contact:
    place = None
    if e["tangent"] or e.get("tangent_expression"):
        law, options = _split(law_of(e["friction"], e["automaton"]))
        along = _row(d, e["tangent"], e.get("tangent_expression"))
        place = Place(e["name"], along, law, options, e["surface_velocity"])
    formula = _formula(e.get("gap_expression"))
    normal = Numbers(d.direction(e["normal"])) if formula is None else Gradient(formula)
    return Contact(
        e["name"],
        Gap(normal, e["gap"]),
        _formula(e.get("restitution_expression")) or e["restitution"],
        e["tangential_restitution"],
        str(e["impact"]),
        place,
        {} if e["compliance"]["kind"] == "Rigid" else dict(e["compliance"]),
    )


def _constraint(d: Description, e: Mapping[str, Any]) -> Constraint:
    of_velocity, formula = str(e["level"]) == "velocity", _formula(e.get("on_expression"))
    held = formula is not None and not of_velocity
    along = Gradient(formula) if formula and held else _row(d, e["on"], e.get("on_expression"))
    return Constraint(e["name"], along, e["value"], of_velocity)


def _outputs(d: Description, e: Mapping[str, Any]) -> list[Push]:
    names = ["output"] if len(e["to"]) == 1 else [f"output{i}" for i in range(len(e["to"]))]
    return [
        Push(d.direction(to), sampled=f"{e['name']}.{name}")
        for name, to in zip(names, e["to"], strict=True)
        if to
    ]


def evaluated(formula: Formulas, at: Samples) -> Array:
    """Return the value of a formula."""
    return at.kept(("force", id(formula)), lambda: _formulas.values(formula, at.known(formula))[0])


def doubt_of(formula: Formulas, at: Samples, relative: float, greatest: Mapping[str, float]) -> Array:
    """Return the uncertainty of a formula for a relative error of its inputs."""
    names = [name for name in formula.inputs if name in greatest]
    if not names:
        return np.zeros_like(at.t)
    known = at.known(formula)
    slopes = at.kept(("doubt", id(formula)), lambda: _formulas.slopes(formula, known, names)[0])
    room: Array = relative * (np.array([greatest[name] for name in names]) @ np.abs(slopes))
    return room


def describe(machine: Machine) -> Description:
    """Return the data of a machine."""
    core = machine._description
    plant = core.plant
    mass = Mass(plant["mass"], _formula(plant.get("mass_expression")))
    d = Description(tuple(core.coordinates), mass, plant["damping"], plant["stiffness"])
    for e in core.elements:
        if e["kind"] == "force":
            formula = _formula(e.get("expression"))
            signal = e["force"] if formula is None else None
            d.pushes.append(Push(d.direction(e["on"]), signal, formula=formula))
        elif e["kind"] == "friction":
            d.places.append(_friction(d, e))
        elif e["kind"] == "contact":
            d.contacts.append(_contact(d, e))
        elif e["kind"] == "spring":
            d.springs.append(spring_of(e, d.direction(e["on"])))
        elif e["kind"] == "detent":
            d.detents.append(detent_of(e, d.direction(e["on"])))
        elif e["kind"] == "constraint":
            d.constraints.append(_constraint(d, e))
        elif e["kind"] == "one_way_clutch":
            gap = Gap(Numbers(d.direction(e["on"])), Constant(0.0).compiled)
            d.clutches.append(Contact(e["name"], gap, 0.0, None, "poisson", None))
        elif e["kind"] == "controller":
            d.loops.append(dict(e))
            d.pushes += _outputs(d, e)
        elif e["kind"] in ("relay", "quantiser"):
            d.relays.append(dict(e))
            d.pushes.append(Push(d.direction(e["to"]), sampled=f"{e['name']}.output"))
        else:
            d.compensators.append(dict(e))
            d.pushes.append(Push(d.direction(e["to"]), sampled=f"{e['name']}.output"))
    return d
