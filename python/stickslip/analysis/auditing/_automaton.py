"""Resets of the stick/slip automaton at changes of mode: see the table of `StickSlip`.

Klotzbach and Henrichfreise: at break-away the lagged force starts at the level reached, less the viscous part; at a stop
the surface takes over the lagged force, which is also where dwell begins; a reversal keeps it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, Place
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._surfaces import (
    aged,
    dead_time,
    load_of,
    load_room,
    off_by,
    options_of,
    remembered,
)
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.modes import Mode

Array = NDArray[np.float64]
_ROOM = 10.0


def check_automaton(audit: Audit, run: Any, d: Description, sizes: Sizes) -> None:
    """Check memory, dwell and presliding against the automaton's table."""
    for place in d.surfaces:
        if place.options is None:
            continue
        events = run.events.of(place.name)
        _, place_of, count = np.unique(events.time, return_inverse=True, return_counts=True)
        once = count[place_of] == 1
        sliding = (np.abs(events.before) <= 1) & (np.abs(events.after) <= 1) & once
        chosen = np.flatnonzero(sliding & (events.time > run._raw.t_begin) & (events.before != events.after))
        if chosen.size:
            before, after = events.before[chosen], events.after[chosen]
            _Changes(run, d, place, events.time[chosen], before, after, sizes).hold(audit, sizes)
        if dead_time(place) > 0.0:
            _check_delayed(audit, run, d, place, sizes)


def _check_delayed(audit: Audit, run: Any, d: Description, place: Place, sizes: Sizes) -> None:
    """The velocity of one dead time ago is the one that the run had then, and zero where it stuck or had not begun.

    Compared at the ends of all steps that lie that long after the start and after the last landing of a contact; where
    the velocity jumped just then, with the nearer side.
    """
    tau, name = dead_time(place), place.name
    t = np.array(run._raw.step_times())
    t = t[t - tau > run._raw.t_begin]
    events = run.events.of(name)
    for landing in events.time[events.before == 2]:
        t = t[(t < landing) | (t > landing + tau)]
    now = Samples(run, t, d)
    touches = now[f"{name}.mode"] != 2
    off = np.full(t.shape, np.inf)
    for edge in (-4.0, 0.0, 4.0):
        then = t - tau + edge * np.spacing(np.abs(t) + tau)
        past = Samples(run, np.clip(then, run._raw.t_begin, run._raw.t_end), d)
        moved = (np.abs(past[f"{name}.mode"]) == 1) | (past[f"{name}.mode"] == Mode.FREE)
        slid = np.where(moved, place.relative(past), 0.0)
        off = np.minimum(off, np.abs(now[f"{name}.delayed_velocity"] - slid))
    room = 4.0 * sizes.relative * place.along.reach(now, sizes.v)
    audit.hold("velocity of one dead time ago", name, t, np.where(touches, off, 0.0), room)


class _Changes:
    """Changes of the mode of one place, with both sides."""

    def __init__(
        self, run: Any, d: Description, place: Place, t: Array, before: Array, after: Array, sizes: Sizes
    ) -> None:
        self.place, self.t, self.before, self.after = place, t, before, after
        self.left, self.right = Samples(run, np.nextafter(t, -np.inf), d), Samples(run, t, d)
        self.lag, self.dwell, self.travel, _ = options_of(place)
        self.load = np.ones_like(t) if place.on_contact else load_of(place, d, self.right)
        self.full = _laws.jump(place.law)[1] * self.load
        self.share = aged(place, self.left, self.dwell)
        self.doubt = _laws.jump(place.law)[1] * (
            0.0 if place.on_contact else load_room(place, d, self.right, sizes)
        )
        self.level = self.share * self.full
        self.v = np.abs(place.relative(self.right))

    def hold(self, audit: Audit, sizes: Sizes) -> None:
        """Compare."""
        room = _ROOM * sizes.relative * self.full + self.doubt + 1e-300
        if self.lag > 0.0:
            self._lagged(audit, sizes, room)
        if self.dwell > 0.0:
            self._aging(audit, sizes)
        if self.travel > 0.0:
            self._surface(audit, sizes, room)

    def _of(self, side: Samples, state: str) -> Array:
        return side[f"{self.place.name}.{state}"]

    def _lagged(self, audit: Audit, sizes: Sizes, room: Array) -> None:
        f, g = self._of(self.left, "lagged_force"), self._of(self.right, "lagged_force")
        _, viscous, _ = _laws.parts(self.place.law, self.v, np.ones_like(self.v), np.zeros((0, self.v.size)))
        slow = sizes.relative * self.place.along.reach(self.right, sizes.v)
        _, doubt, _ = _laws.parts(
            self.place.law, self.v + slow, np.ones_like(self.v), np.zeros((0, self.v.size))
        )
        leaves, turns = self.before == 0, self.before == -self.after
        anew = np.abs(g - np.maximum(0.0, self.level - viscous))
        off = np.where(leaves, np.minimum(anew, np.abs(g - f)), 0.0)
        audit.hold("lagged force at break-away", self.place.name, self.t, off, room + np.abs(doubt - viscous))
        kept = np.minimum(np.abs(g - f), np.abs(g - np.minimum(f, self.level)))
        audit.hold("lagged force at a reversal", self.place.name, self.t, np.where(turns, kept, 0.0), room)

    def _aging(self, audit: Audit, sizes: Sizes) -> None:
        room = _ROOM * sizes.relative
        peak = np.where(self.before == 0, np.abs(self._of(self.right, "peak") - self.share), 0.0)
        audit.hold("peak after a dwell", self.place.name, self.t, peak, room)
        stops = (self.after == 0) & (self.before != 0)
        clock = np.where(stops, np.abs(self._of(self.right, "stuck_since") - self.t), 0.0)
        audit.hold("start of a dwell", self.place.name, self.t, clock, 4.0 * np.spacing(self.t))
        if self.lag > 0.0:
            begun, doubt = self._of(self.left, "lagged_force"), room * self.full
        elif dead_time(self.place) > 0.0:
            begun, doubt = self._remembered(sizes)
        else:
            return
        off = np.where(stops, np.abs(self._of(self.right, "aged") * self.full - begun), 0.0)
        audit.hold(
            "level at the start of a dwell", self.place.name, self.t, off, room * (self.full + begun) + doubt
        )

    def _remembered(self, sizes: Sizes) -> tuple[Array, Array]:
        """The dry force of the velocity of one dead time before a stop, and how far its error changes it."""
        late, error = (
            self._of(self.right, "delayed_velocity"),
            sizes.relative * self.place.along.reach(self.right, sizes.v),
        )
        dry, near, far = (
            self.load * remembered(self.place, self.left, np.ones_like(late), off_by(late, e))
            for e in (0.0, error, -error)
        )
        return dry, np.abs(near - dry) + np.abs(far - dry)

    def _surface(self, audit: Audit, sizes: Sizes, room: Array) -> None:
        """The spring takes over the force of sliding."""
        spring = self.full / self.travel * self._of(self.right, "presliding")
        if self.lag > 0.0:
            f = self._of(self.left, "lagged_force")
        elif dead_time(self.place) > 0.0:
            f, doubt = self._remembered(sizes)
            room = room + doubt
        elif self.dwell == 0.0:
            zero = np.zeros_like(self.v)
            f = self.load * _laws.parts(self.place.law, zero, np.ones_like(zero), np.zeros((0, zero.size)))[0]
        else:
            return
        stops = (self.after == 0) & (self.before != 0)
        off = np.where(stops, np.abs(spring - self.before * f), 0.0)
        audit.hold("presliding begins with the force of sliding", self.place.name, self.t, off, room)
