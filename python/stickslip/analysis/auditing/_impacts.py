"""Impacts: balance of momentum and the impact law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Contact, Description
from stickslip.analysis.auditing._impact_law import MOST_SETS, ImpactProblem, poisson
from stickslip.analysis.auditing._put_to_rest import RESTS, fastest, put_to_rest, slowest
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._rows import Row, column
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]

_ROOM = 1e-8  # an impact is one linear problem: its answer is good to rounding, times the condition of the contacts
_MOST = 300  # times whose impacts are solved again


Rubs = dict[tuple[float, int], dict[str, float]]


def stated_rubs(events: Any, d: Description) -> Rubs:
    """Impulses of friction elements under contacts and constraints by time and instant, from their events."""
    found: Rubs = {}
    for place in d.impulsive:
        own = events.of(place.name)
        for time, instant, s in zip(own.time, own.instant, own.tangential_impulse, strict=True):
            if s != 0.0:
                at = found.setdefault((float(time), int(instant)), {})
                at[place.name] = at.get(place.name, 0.0) + float(s)
    return found


@dataclass
class Instant:
    """Impulses that act at the same instant."""

    time: float
    number: int
    contacts: list[Contact]
    normal: Array
    tangential: Array
    loss: float
    gains: bool
    poisson: bool
    summed: bool  # of several impacts that repeat themselves, to their limit or until another contact is disturbed
    collapse: bool  # to their limit


def _instants(run: Any, d: Description) -> dict[float, list[Instant]]:
    """Instants by their times, in their order."""
    events = run.events
    by_name = {c.name: c for c in d.unilateral}
    found: dict[float, list[Instant]] = {}
    last = -1
    for e in (events[int(i)] for i in _sampled(events, np.flatnonzero(events.impact))):
        if e.element not in by_name:  # a constraint, whose impulses are not those of one contact
            continue
        at_once = found.setdefault(e.time, [])
        if not at_once or last != e.instant:
            at_once.append(
                Instant(e.time, e.instant, [], np.zeros(0), np.zeros(0), 0.0, False, False, False, False)
            )
        one, last = at_once[-1], e.instant
        one.contacts.append(by_name[e.element])
        one.normal = np.append(one.normal, e.normal_impulse)
        one.tangential = np.append(one.tangential, e.tangential_impulse)
        one.loss += e.loss
        one.gains = one.gains or "energy gained" in e.rule
        one.poisson = one.poisson or "Newton's law has no answer" in e.cause
        one.collapse = one.collapse or "inelastic collapse" in e.rule
        one.summed = one.collapse or one.summed or "sum of repeated impacts" in e.rule
    return found


def _sampled(events: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The impacts whose law is looked at: all, or those of some times, spread evenly."""
    times = np.unique(events.time[rows])
    if times.size <= _MOST:
        return rows
    chosen = times[np.unique(np.linspace(0, times.size - 1, _MOST).astype(int))]
    kept: NDArray[np.intp] = rows[np.isin(events.time[rows], chosen)]
    return kept


class _Machine:
    """Masses and directions at the times of impacts; their velocities are those after them."""

    def __init__(self, run: Any, d: Description, times: Array) -> None:
        self.d, self.at = d, Samples(run, times, d)
        self._inverse, self._mass = d.inverse(self.at), d.mass.at(self.at)

    def inverse(self, j: int) -> Array:
        """Change of the velocities by the impulses."""
        one: Array = self._inverse[min(j, len(self._inverse) - 1)]
        return one

    def moved(self, v: Array) -> Array:
        """M v of velocities at all times."""
        mass = np.broadcast_to(self._mass, (v.shape[1], *self._mass.shape[1:]))
        moved: Array = np.einsum("tij,jt->it", mass, v)
        return moved

    def row(self, row: Row, j: int) -> Array:
        """A direction."""
        return column(row.at(self.at), j)


class _AuditedImpact:
    """One instant with the velocities around it."""

    def __init__(self, m: _Machine, j: int, one: Instant, v: Array, rubs: dict[str, float]) -> None:
        own = [(k, c.place, s) for k, (c, s) in enumerate(zip(one.contacts, one.tangential, strict=True))]
        rough = [(k, place, s) for k, place, s in own if place is not None]
        for k, c in enumerate(one.contacts):
            rough += [(k, place, rubs.get(place.name, 0.0)) for place in m.d.further(c)]
        rows = np.array([m.row(c.normal, j) for c in one.contacts] + [m.row(p.along, j) for _, p, _ in rough])
        wall = [column(c.gap.shift(m.at), j) for c in one.contacts]
        wall += [-p.surface_velocity.value(one.time, 0) for _, p, _ in rough]
        inverse = m.inverse(j)
        self.impulse = np.concatenate([one.normal, [-s for _, _, s in rough]])
        self.v = v + inverse @ (rows.T @ self.impulse)
        self.before, self.after = rows @ v + wall, rows @ self.v + wall
        self.n = len(one.contacts)
        response = rows @ inverse @ rows.T
        self.problem = ImpactProblem(
            response,
            self.before,
            np.array([c.ratio(rate) for c, rate in zip(one.contacts, self.before[: self.n], strict=True)]),
            np.array([_laws.kinetic(p.law) for _, p, _ in rough]),
            [k for k, _, _ in rough],
            [one.contacts[k].tangential_restitution for k, _, _ in rough],
        )


def check_impacts(audit: Audit, run: Any, d: Description, sizes: Sizes) -> Rubs:
    """Check every impact against the balance of momentum and the impact law.

    Returns the impulses of friction along further directions of contacts.
    """
    if not run.events.impact.any():
        return {}
    times = np.unique(run.events.time[run.events.impact])
    machine = _Machine(run, d, times)
    instants = _instants(run, d)
    rubs = stated_rubs(run.events, d)
    left = _check_balance(audit, run, machine, rubs, sizes)
    if d.loading_constraints:
        audit.skip("the law of impacts", "friction that a constraint loads takes part in them")
        _check_cones_of_constraints(audit, run, d, rubs)
        return rubs
    if len(instants) < times.size:
        audit.skip("the law of some impacts", f"checked for {len(instants)} of {times.size}")
    for j, time in enumerate(times):
        v = left[:, j]
        for one in instants.get(float(time), []):
            impact = _AuditedImpact(machine, j, one, v, rubs.get((one.time, one.number), {}))
            _check_law(audit, one, impact, machine.row, j, sizes)
            v = impact.v
    return rubs


def _check_cones_of_constraints(audit: Audit, run: Any, d: Description, rubs: Rubs) -> None:
    """Impulses of friction that a constraint loads are within their cones."""
    events = run.events
    for (time, instant), own in rubs.items():
        for place in (p for p in d.impulsive if p.name in own and d.constraint_loading(p)):
            here = (events.instant == instant) & (events.element == d.constraint_loading(place))
            normal = float(np.abs(events.normal_impulse[here]).sum())
            over = abs(own[place.name]) - _laws.kinetic(place.law) * normal
            audit.hold("friction impulse in its cone", place.name, time, over, _ROOM * normal + 1e-300)


def _check_balance(audit: Audit, run: Any, m: _Machine, rubs: Rubs, sizes: Sizes) -> Array:
    """M (v+ - v-) is the sum of all impulses of a time. Returns v-.

    The velocity before an impact at the start of a run is not sampled: it is computed from the balance, so that the
    impact law can be checked there too.
    """
    d, times, right = m.d, m.at.t, m.at.v
    begin = float(run._raw.t_begin)
    left = Samples(run, np.maximum(np.nextafter(times, -np.inf), begin), d).v
    given, room = _impulses(run, m, rubs)
    pushed = np.stack([m.inverse(j) @ given[:, j] for j in range(times.size)], axis=1)
    first = times <= begin
    left[:, first] = right[:, first] - pushed[:, first]
    heavy = d.mass.greatest(m.at)
    room += _ROOM * heavy @ (np.abs(left) + np.abs(right))
    room += (heavy @ (sizes.relative * sizes.v))[:, None]
    with_impact = _elements_with_impact(run.events, times)
    room += np.stack([put_to_rest(d, m.at, j, with_impact[j], sizes) for j in range(times.size)], axis=1)
    error = m.moved(right - left - pushed) if d.constraints else m.moved(right - left) - given
    for k, name in enumerate(d.names):
        audit.hold("M dv = impulses", name, times, np.abs(error[k]), room[k])
    if first.any():
        audit.skip(f"balance of impulses at {begin:g} s", "the run begins with an impact")
    return left


def _elements_with_impact(events: Any, times: Array) -> list[set[str]]:
    """Return the names of the elements with an impact at each of the times."""
    found: list[set[str]] = [set() for _ in times]
    own = events.impact
    for j, name in zip(np.searchsorted(times, events.time[own]), events.element[own], strict=True):
        found[j].add(str(name))
    return found


def _impulses(run: Any, m: _Machine, rubs: Rubs) -> tuple[Array, Array]:
    """Sum of all stated impulses on each coordinate, and how uncertain it is."""
    d, times = m.d, m.at.t
    given, room = np.zeros((len(d.names), times.size)), np.zeros((len(d.names), times.size))
    for c in d.unilateral:
        own = run.events.of(c.name)
        at, push, slip = (x[own.impact] for x in (own.time, own.normal_impulse, own.tangential_impulse))
        for j, normal, tangential in zip(np.searchsorted(times, at), push, slip, strict=True):
            w = m.row(c.normal, j)
            given[:, j] += w * normal
            room[:, j] += _ROOM * np.abs(w * normal)
            if c.place is not None:
                rub = m.row(c.place.along, j) * tangential
                given[:, j] -= rub
                room[:, j] += _ROOM * np.abs(rub)
    along = {p.name: p.along for p in d.impulsive}
    for (time, _), own in rubs.items():
        j = int(np.searchsorted(times, time))
        for name, s in own.items():
            rub = m.row(along[name], j) * s
            given[:, j] -= rub
            room[:, j] += _ROOM * np.abs(rub)
    return given, room


def _check_law(audit: Audit, one: Instant, s: _AuditedImpact, row: Any, j: int, sizes: Sizes) -> None:
    n, problem = s.n, s.problem
    slow = [slowest(row(c.normal, j), sizes) for c in one.contacts]
    speed = float(np.abs(s.before).max() + np.abs(s.after).max())
    room = _ROOM * speed + max(slow)
    # A slow rebound is cancelled by an impulse along normals alone, in addition to those of the law.
    taken = max(rate / float(problem.response[k, k]) for k, rate in enumerate(slow))
    push = _ROOM * float(np.abs(s.impulse).max()) + taken
    resting = np.array([RESTS * fastest(row(c.normal, j), sizes) for c in one.contacts])
    approaching = bool((s.before[:n] < -_ROOM * speed - resting).any())
    restitution = problem.restitution if approaching else np.zeros(n)
    newton = any(c.impact == "newton" for c in one.contacts) and not one.poisson
    if one.poisson:
        audit.skip(
            "existence of a solution of Newton's law at some impacts", "the run states that there is none"
        )
    for k, c in enumerate(one.contacts):
        audit.hold("impulse >= 0", c.name, one.time, -one.normal[k], push)
        if one.collapse or not one.summed:  # repeated impacts may be interrupted between two of them
            audit.hold("contact does not approach after an impact", c.name, one.time, -s.after[k], room)
    for i, k in enumerate(problem.contact_of):
        cone = abs(s.impulse[n + i]) - problem.friction[i] * one.normal[k]
        audit.hold("friction impulse in its cone", one.contacts[k].name, one.time, cone, push)
    work = -0.5 * float(s.impulse @ (s.before + s.after))
    doubt = 1e-7 * (np.abs(s.before) + np.abs(s.after)) + room
    name, heat = one.contacts[0].name, float(np.abs(s.impulse) @ doubt)
    audit.hold("loss follows from the impulses", name, one.time, abs(one.loss - work), heat + 1e-300)
    if not (one.gains and problem.contact_of):  # without friction no law of impact gains energy
        audit.hold("no energy gain in an impact", name, one.time, -work, heat)
    if one.summed:
        audit.skip("the law of repeated impacts", "the events state only the sum of their impulses")
        for k, c in enumerate(one.contacts if one.collapse else []):
            audit.hold("contact rests after a collapse", c.name, one.time, abs(float(s.after[k])), room)
    elif newton or not restitution.any():
        none: list[float | None] = [None] * len(problem.contact_of)
        reversal = problem.reversal if newton and approaching else none
        _check_newton(audit, one, s, restitution, reversal, room, push)
    elif problem.sets() > MOST_SETS or not problem.distinct():
        audit.skip("Poisson's law of some impacts", "too many contacts, or impulses that are not unique")
    else:
        outcomes = poisson(problem)
        if outcomes:
            off = min(float(np.abs(after - s.after).max()) for after in outcomes)
            audit.hold("Poisson's law", name, one.time, off, 10.0 * room)
        else:
            audit.skip("Poisson's law of some impacts", "no outcome was found")


def _check_newton(
    audit: Audit,
    one: Instant,
    s: _AuditedImpact,
    restitution: Array,
    reversal: list[float | None],
    room: float,
    push: float,
) -> None:
    """Newton's law, and an impact without rebound, whose phases are one.

    A contact that separates already has nothing to rebound from: it is only not to approach.
    """
    n = s.n
    excess = s.after[:n] + restitution * np.minimum(s.before[:n], 0.0)
    for k, c in enumerate(one.contacts):
        audit.hold("Newton's law", c.name, one.time, -excess[k], room)
        pressed = excess[k] if one.normal[k] > push else 0.0
        audit.hold("Newton's law", c.name, one.time, pressed, room)
    for j, k in enumerate(s.problem.contact_of):
        bound, held = s.problem.friction[j] * one.normal[k], -s.impulse[n + j]
        slips = s.after[n + j] + (reversal[j] or 0.0) * s.before[n + j]
        wrong = abs(slips) if abs(held) < bound - push else -slips * np.sign(held) if bound > push else 0.0
        audit.hold("friction impulse against sliding", one.contacts[k].name, one.time, float(wrong), room)
