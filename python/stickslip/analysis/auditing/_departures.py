"""Check of friction elements that leave rest beside closed contacts: break-away must be necessary.

An element breaks away if it accelerates in that direction with its static level as friction force. After each
break-away one implicit step h is solved for every combination of modes of contacts and friction, with this element
sliding at its static level and the others at either level. If no combination is consistent for any of a few short
steps, the element should have remained at rest. The step is that of the Laplace transform at 1/h, times 1/h: of a
function f it takes the sum of h^k times the k-th derivative, so that its signs are those just after the instant.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Contact, Description, Place
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._rest import rigid
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]
_MOST_INSTANTS, _MOST_SETS = 20, 3000
_STEPS = 2.0**-4, 2.0**-10, 2.0**-16  # of the time until modes change next
_ALLOWED = 1e-9  # of the terms of a condition
_GIVEN = 1e-11  # of the terms of a gap that is zero at the start
_ORDERS = 8  # derivatives of signals
_SINGULAR = 1e10  # condition of a system that leaves forces open
_HELD, _OPEN = 0, 2  # modes of rows, besides the directions of sliding


def _is_simple(d: Description) -> bool:
    """Constant rows, forces that are functions of time, levels that are numbers."""
    rows = [c.normal for c in d.contacts] + [p.along for p in d.surfaces]
    return (
        not (
            d.constraints
            or d.clutches
            or d.springs
            or d.detents
            or d.loops
            or d.compensators
            or d.relays
            or d.mass.moves
        )
        and all(push.signal is not None for push in d.pushes)
        and all(row.numbers is not None for row in rows)
        and all(c.rigid for c in d.contacts)
        and all(
            rigid(p) and not (p.pressed_by or p.load_form or p.load_table or p.load_formula)
            for p in d.surfaces
        )
    )


def check_departures(audit: Audit, run: Any, d: Description, sizes: Sizes) -> None:
    """Check break-aways at the start and beside contacts by one implicit step."""
    if not d.contacts or not _is_simple(d):
        return
    begin = float(run._raw.t_begin)
    times = np.unique(run.events.time[np.abs(run.events.after) == 1])
    at_impact = set(run.events.time[run.events.impact].tolist())
    times = np.unique([begin, *times])[:_MOST_INSTANTS]
    ends = np.append(np.unique(run.events.time), run.t[-1])
    n = len(d.names)
    for t in times.tolist():
        later = ends[ends > t]
        if t in at_impact or not later.size:
            continue
        at = run.at([t])
        near = 10.0 * sizes.relative if t > begin else _GIVEN
        instant = _Instant(d, t, at.y[:n, 0], at.y[n : 2 * n, 0], sizes, near)
        if not instant.rests:
            continue
        for i, place in enumerate(d.surfaces):
            side = int(at[f"{place.name}.mode"][0])
            if abs(side) != 1 or (t > begin and not _has_left(run, place, t)):
                continue
            steps = [share * float(later[0] - t) for share in _STEPS]
            # Over shorter ones the last digits of t change forces that pass zero there by more than is allowed.
            excess = [instant.excess(i, side, h) for h in steps if h * _ALLOWED >= np.spacing(t)]
            if excess:
                audit.hold("breaks away at its static level", place.name, t, min(excess), _ALLOWED)


def _has_left(run: Any, place: Place, t: float) -> bool:
    events = run.events.of(place.name)
    return bool(np.any((events.time == t) & (events.before == _HELD)))


class _Instant:
    """Positions and velocities at one time; contacts that touch, and all friction that is pressed."""

    def __init__(self, d: Description, t: float, q: Array, v: Array, sizes: Sizes, near: float) -> None:
        self.d, self.t, self.q, self.v = d, t, q, v
        self.contacts = [c for c in d.contacts if abs(self._gap(c)) <= near * float(np.abs(_of(c)) @ sizes.q)]
        self.places = d.places + [c.place for c in self.contacts if c.place is not None]
        rates = [(_of(c) @ self.v + c.gap.signal.value(t, 1), _of(c)) for c in self.contacts]
        rates += [(float(_along(p) @ v) - p.surface_velocity.value(t, 0), _along(p)) for p in self.places]
        self.rests = all(abs(rate) <= near * float(np.abs(row) @ sizes.v) for rate, row in rates)

    def _gap(self, c: Contact) -> float:
        return float(_of(c) @ self.q + c.gap.signal.value(self.t, 0))

    def _ahead(self, signal: Any, h: float, order: int = 0) -> float:
        """Transform of a signal, or of its derivative, after the instant."""
        return float(sum(h**k * signal.value(self.t, order + k) for k in range(_ORDERS - order)))

    def excess(self, i: int, side: int, h: float) -> float:
        """Least violation, over all sets of modes, of the conditions that a departure of surface i within h needs."""
        place = self.d.surfaces[i]
        if all(place is not p for p in self.places):
            return 0.0
        d = self.d
        system = d.mass.numbers + h * d.damping + h * h * d.stiffness
        force = -d.damping @ self.v - d.stiffness @ (self.q + h * self.v)
        for push in d.pushes:
            force = force + push.along * self._ahead(push.signal, h)
        rows = [_of(c) for c in self.contacts] + [_along(p) for p in self.places]
        # Contacts stay closed by their velocity, as friction rests: their positions would follow half its acceleration.
        drift = [float(_of(c) @ self.v + self._ahead(c.gap.signal, h, 1)) / h for c in self.contacts]
        drift += [float(_along(p) @ self.v - self._ahead(p.surface_velocity, h)) / h for p in self.places]
        least = np.inf
        for count, modes in enumerate(self._sets(place, side)):
            if count == _MOST_SETS:
                return 0.0
            least = min(least, self._violation(system, force, rows, drift, modes, h))
            if least <= _ALLOWED:
                break
        return float(least)

    def _sets(self, place: Place, side: int) -> Iterator[list[tuple[int, bool]]]:
        """Modes of contacts and friction; for sliding elements with a flag for the static level."""
        one = [(side, True)]
        any_mode = [(_HELD, True), *itertools.product((1, -1), (True, False))]
        choices = [[(_HELD, True), (_OPEN, True)]] * len(self.contacts)
        choices += [one if p is place else any_mode for p in self.places]
        yield from map(list, itertools.product(*choices))

    def _violation(
        self,
        system: Array,
        force: Array,
        rows: list[Array],
        drift: list[float],
        modes: list[tuple[int, bool]],
        h: float,
    ) -> float:
        n, contacts = len(force), len(self.contacts)
        a, b = np.zeros((n + len(rows), n + len(rows))), np.zeros(n + len(rows))
        a[:n, :n], b[:n] = system, force
        margins: list[tuple[Array, float]] = []
        for r, ((mode, static), row) in enumerate(zip(modes, rows, strict=True)):
            a[:n, n + r] = -row if r < contacts else row
            rate, unit = np.append(row, np.zeros(len(rows))), np.eye(n + len(rows))[n + r]
            if mode == _HELD:
                a[n + r], b[n + r] = rate, -drift[r]
            else:
                a[n + r, n + r] = 1.0
            if r < contacts:
                margins.append((unit, 0.0) if mode == _HELD else (rate, drift[r]))
                continue
            load, press = self._load(r - contacts, n, len(rows), h)
            if mode == _HELD:
                low, high = _laws.jump(self.places[r - contacts].law)
                margins += [(high * press - unit, high * load), (unit - low * press, -low * load)]
            else:
                level = self._level(r - contacts, mode, static)
                a[n + r] -= level * press
                b[n + r] = level * load
                margins.append((mode * rate, mode * drift[r]))
        if np.linalg.cond(a) > _SINGULAR:
            return 0.0
        x = np.linalg.solve(a, b)
        short = [-(row @ x + more) / (np.abs(row) @ np.abs(x) + abs(more) + 1e-300) for row, more in margins]
        return max(max(short, default=0.0), 0.0)

    def _load(self, k: int, n: int, size: int, h: float) -> tuple[float, Array]:
        """Normal load of friction: given, and by the force of its contact."""
        place, press = self.places[k], np.zeros(n + size)
        if not place.on_contact:
            return self._ahead(place.normal_load, h), press
        press[n + next(j for j, c in enumerate(self.contacts) if c.place is place)] = 1.0
        return 0.0, press

    def _level(self, k: int, side: int, static: bool) -> float:
        law = self.places[k].law
        if static:
            return _laws.jump(law)[side > 0]
        dry, _, _ = _laws.parts(law, np.zeros(1), np.array([float(side)]), np.zeros((0, 1)))
        return float(dry[0])


def _of(c: Contact) -> Array:
    assert c.normal.numbers is not None
    return c.normal.numbers


def _along(p: Place) -> Array:
    assert p.along.numbers is not None
    return p.along.numbers
