"""Impacts: the balance of impulses, and the law of impact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Contact, Description
from stickslip.analysis.auditing._impact_law import MOST_SETS, Blow, poisson
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]

# An impact is one linear problem: its answer is good to rounding, times the condition of the contacts. What rebounds
# slower than 1e-9 of the greatest speed that the contact has seen counts as not rebounding (`rebound_threshold`): an
# impulse along the normals takes its rate. That speed is at least what the forces give over the run.
_ROOM = 1e-8
_STAYS = 2e-9
_MOST = 300  # times whose impacts are solved again


@dataclass
class Instant:
    """Impulses that act together."""

    time: float
    contacts: list[Contact]
    normal: Array
    tangential: Array
    loss: float
    gains: bool
    poisson: bool


def _instants(run: Any, d: Description) -> dict[float, list[Instant]]:
    """Instants by their times, in their order."""
    events = run.events
    by_name = {c.name: c for c in d.unilateral}
    found: dict[float, list[Instant]] = {}
    last = -1
    for e in (events[int(i)] for i in _sampled(events, np.flatnonzero(events.impact))):
        at_once = found.setdefault(e.time, [])
        again = at_once and last == e.instant and by_name[e.element] in at_once[-1].contacts
        if not at_once or last != e.instant or again:
            at_once.append(Instant(e.time, [], np.zeros(0), np.zeros(0), 0.0, False, False))
        one, last = at_once[-1], e.instant
        one.contacts.append(by_name[e.element])
        one.normal = np.append(one.normal, e.normal_impulse)
        one.tangential = np.append(one.tangential, e.tangential_impulse)
        one.loss += e.loss
        one.gains = one.gains or "energy gained" in e.rule
        one.poisson = one.poisson or "Newton's law has no answer" in e.cause
    return found


def _sampled(events: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The impacts whose law is looked at: all, or those of some times, spread evenly."""
    times = np.unique(events.time[rows])
    if times.size <= _MOST:
        return rows
    chosen = times[np.unique(np.linspace(0, times.size - 1, _MOST).astype(int))]
    kept: NDArray[np.intp] = rows[np.isin(events.time[rows], chosen)]
    return kept


class _Strike:
    """One instant with the velocities around it."""

    def __init__(self, d: Description, one: Instant, v: Array, inverse: Any) -> None:
        rough = [c.place for c in one.contacts if c.place is not None]
        slip = [s for c, s in zip(one.contacts, one.tangential, strict=True) if c.place is not None]
        rows = np.array([c.normal for c in one.contacts] + [p.along for p in rough])
        wall = [c.gap.value(one.time, 1) for c in one.contacts]
        wall += [-p.surface_velocity.value(one.time, 0) for p in rough]
        self.impulse = np.concatenate([one.normal, -np.array(slip)])
        self.v = v + inverse @ (rows.T @ self.impulse)
        self.before, self.after = rows @ v + wall, rows @ self.v + wall
        self.n = len(one.contacts)
        self.blow = Blow(
            rows @ inverse @ rows.T,
            self.before,
            np.array([c.ratio(rate) for c, rate in zip(one.contacts, self.before[: self.n], strict=True)]),
            np.array([_laws.kinetic(p.law) for p in rough]),
            [k for k, c in enumerate(one.contacts) if c.place is not None],
            [c.tangential_restitution for c in one.contacts if c.place is not None],
        )


def check_impacts(audit: Audit, run: Any, d: Description, sizes: Sizes) -> None:
    """Hold every impact against the balance of impulses, and against the law of impact."""
    if not run.events.impact.any():
        return
    times = np.unique(run.events.time[run.events.impact])
    inverse = d.inverse
    left = _check_balance(audit, run, d, times, inverse, sizes)
    instants = _instants(run, d)
    if len(instants) < times.size:
        audit.skip("the law of some impacts", f"that of {len(instants)} of {times.size} is checked")
    for j, time in enumerate(times):
        v = left[:, j]
        for one in instants.get(float(time), []):
            strike = _Strike(d, one, v, inverse)
            _check_law(audit, one, strike, d, sizes)
            v = strike.v


def _check_balance(audit: Audit, run: Any, d: Description, times: Array, inverse: Any, sizes: Sizes) -> Array:
    """M (v+ - v-) is the sum of all impulses of a time. Returns v-.

    What a run has before an impact at its start is not sampled: it is taken from the balance, so that the law of impact
    can be checked there too.
    """
    begin = float(run._raw.t_begin)
    right = Samples(run, times, d).v
    left = Samples(run, np.maximum(np.nextafter(times, -np.inf), begin), d).v
    given, room = _impulses(run, d, times, inverse, sizes)
    first = times <= begin
    left[:, first] = right[:, first] - inverse @ given[:, first]
    room += _ROOM * np.abs(d.mass) @ (np.abs(left) + np.abs(right))
    room += (np.abs(d.mass) @ (sizes.relative * sizes.v))[:, None]
    error = np.abs(
        d.mass @ (right - left - inverse @ given) if d.constraints else d.mass @ (right - left) - given
    )
    for k, name in enumerate(d.names):
        audit.hold("M dv = impulses", name, times, error[k], room[k])
    if first.any():
        audit.skip(f"balance of impulses at {begin:g} s", "the run begins with an impact")
    return left


def _impulses(run: Any, d: Description, times: Array, inverse: Any, sizes: Sizes) -> tuple[Array, Array]:
    """Sum of all impulses on each coordinate, and how uncertain it is."""
    given, room = np.zeros((len(d.names), times.size)), np.zeros((len(d.names), times.size))
    for c in d.unilateral:
        own = run.events.of(c.name)
        at, push, slip = (x[own.impact] for x in (own.time, own.normal_impulse, own.tangential_impulse))
        at = np.searchsorted(times, at)
        per_rate = _slowest(c, sizes) / float(c.normal @ inverse @ c.normal)
        for k, w in enumerate(c.normal):
            along = 0.0 if c.place is None else c.place.along[k]
            np.add.at(given[k], at, w * push - along * slip)
            np.add.at(room[k], at, _ROOM * np.abs(w * push) + abs(w) * per_rate)
    return given, room


def _slowest(c: Contact, sizes: Sizes) -> float:
    """Rebound that may count as none."""
    return _STAYS * float(np.abs(c.normal) @ np.maximum(3.0 * sizes.v, sizes.speed))


def _check_law(audit: Audit, one: Instant, s: _Strike, d: Description, sizes: Sizes) -> None:
    n, blow = s.n, s.blow
    speed = float(np.abs(s.before).max() + np.abs(s.after).max())
    room = _ROOM * speed + max(_slowest(c, sizes) for c in one.contacts)
    # What takes a slow rebound back is an impulse along normals alone, beside those of the law.
    taken = max(_slowest(c, sizes) / float(blow.response[k, k]) for k, c in enumerate(one.contacts))
    push = _ROOM * float(np.abs(s.impulse).max()) + taken
    approaching = bool((s.before[:n] < -room).any())
    restitution = blow.restitution if approaching else np.zeros(n)
    newton = any(c.impact == "newton" for c in one.contacts) and not one.poisson
    if one.poisson:
        audit.skip("whether Newton's law has an answer at some impacts", "the run says that it has none")
    for k, c in enumerate(one.contacts):
        audit.hold("impulse >= 0", c.name, one.time, -one.normal[k], push)
        audit.hold("contact does not approach after an impact", c.name, one.time, -s.after[k], room)
    for j, k in enumerate(blow.contact_of):
        cone = abs(s.impulse[n + j]) - blow.friction[j] * one.normal[k]
        audit.hold("friction impulse in its cone", one.contacts[k].name, one.time, cone, push)
    work = -0.5 * float(s.impulse @ (s.before + s.after))
    doubt = 1e-7 * (np.abs(s.before) + np.abs(s.after)) + room
    name, heat = one.contacts[0].name, float(np.abs(s.impulse) @ doubt)
    audit.hold("loss is that of the impulses", name, one.time, abs(one.loss - work), heat + 1e-300)
    if not one.gains:
        audit.hold("energy is not gained in an impact", name, one.time, -work, heat)
    if newton or not restitution.any():
        none: list[float | None] = [None] * len(blow.contact_of)
        reversal = blow.reversal if newton and approaching else none
        _check_newton(audit, one, s, restitution, reversal, room, push)
    elif blow.sets() > MOST_SETS or not blow.distinct():
        audit.skip("Poisson's law of some impacts", "too many contacts, or impulses that are not unique")
    else:
        outcomes = poisson(blow)
        if outcomes:
            off = min(float(np.abs(after - s.after).max()) for after in outcomes)
            audit.hold("Poisson's law", name, one.time, off, 10.0 * room)
        else:
            audit.skip("Poisson's law of some impacts", "no outcome was found")


def _check_newton(
    audit: Audit,
    one: Instant,
    s: _Strike,
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
    for j, k in enumerate(s.blow.contact_of):
        bound, held = s.blow.friction[j] * one.normal[k], -s.impulse[n + j]
        slips = s.after[n + j] + (reversal[j] or 0.0) * s.before[n + j]
        wrong = abs(slips) if abs(held) < bound - push else -slips * np.sign(held) if bound > push else 0.0
        audit.hold("friction impulse against sliding", one.contacts[k].name, one.time, float(wrong), room)
