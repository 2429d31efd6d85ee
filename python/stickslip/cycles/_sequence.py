"""Sequence of the events of an orbit, and how two of them differ."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.modes import Mode
from stickslip.run._owners import owner

Array = NDArray[np.float64]

_TOGETHER = 1e-11  # of the period: events so close are simultaneous
_PLACES = 0.5  # of the period: change of the time between events that have changed places
_LOOKS = 200  # times between two events
_ZOOMS, _ZOOMED = 8, 9  # looks at a minimum, and times of each
_TOUCHES = 1e-6  # of the greatest value: a minimum that is zero
_TANGENTIAL = 3.0  # ratio of the values one and half a hundredth before an event: 4 of a square, 2 of a line

Change = tuple[str, int, int, bool]  # element, modes before and after, impact


class Sequence(NamedTuple):
    """The events of one period in their cyclic order, wherever the period starts.

    `groups`: simultaneous changes, one for each element; `gaps`: time from each group to the next one, as a share of the
    period.
    """

    groups: tuple[tuple[Change, ...], ...]
    gaps: tuple[float, ...]

    def is_like(self, other: Sequence) -> bool:
        """True if the other orbit, which is close, has the same events in the same order.

        Of two events the cyclic order is always the same; if they change places, a gap of nearly the whole period
        becomes one of nearly zero.
        """
        if self.groups != other.groups:
            return False
        n = len(self.groups)
        turns = [k for k in range(n) if self.groups[k:] + self.groups[:k] == other.groups]
        far = (np.abs(np.roll(self.gaps, -k) - other.gaps).max() for k in turns)
        return n == 0 or min(far) < _PLACES


def sequence_of(raw: _core.run.Trajectory) -> Sequence:
    """Return the sequence of the events of an orbit."""
    rows, elements = raw.events[0], _elements(raw)
    period = raw.t_end - raw.t_begin
    groups: list[dict[str, Change]] = []
    times: list[float] = []
    for row in rows:
        if not times or row["time"] - times[-1] > _TOGETHER * period:
            groups.append({})
            times.append(float(row["time"]))
        name, before, impact = elements[row["element"]], int(row["before"]), bool(row["impact"])
        if name in groups[-1]:  # from its first mode to its last one
            _, before, _, at_once = groups[-1][name]
            impact = impact or at_once
        groups[-1][name] = (name, before, int(row["after"]), impact)
    if not groups:
        return Sequence((), ())
    found = [tuple(sorted(group.values())) for group in groups]
    gaps = (np.diff(times, append=times[0] + period) / period).tolist()
    first = min(found)
    turns = [k for k, one in enumerate(found) if one == first]
    k = min(turns, key=lambda k: found[k:] + found[:k])
    return Sequence(tuple(found[k:] + found[:k]), tuple(gaps[k:] + gaps[:k]))


def difference(old: Sequence, new: Sequence) -> tuple[str, tuple[str, ...]]:
    """Name what changes between two sequences of events, and the elements with these events."""
    before, after = (Counter(change for group in one.groups for change in group) for one in (old, new))
    changed = (before - after) + (after - before)
    if not changed:
        closest = min(range(len(old.gaps)), key=lambda k: old.gaps[k])
        pair = (old.groups[closest], old.groups[(closest + 1) % len(old.groups)])
        return "event order", tuple(sorted({element for group in pair for element, *_ in group}))
    elements = tuple(sorted({element for element, *_ in changed}))
    sticks = [sum(n for (_, _, mode, _), n in one.items() if mode == Mode.STICK) for one in (before, after)]
    if sticks[0] != sticks[1]:
        return "birth of stick" if sticks[1] > sticks[0] else "death of stick", elements
    return "grazing", elements


def grazing_elements(raw: _core.run.Trajectory) -> tuple[str, ...]:
    """Return the elements whose velocity or gap comes to zero tangentially, at an event or between two of them."""
    rows, names = raw.events[0], _elements(raw)
    instants = np.unique(np.concatenate([[raw.t_begin], rows["time"], [raw.t_end]]))
    changes = {(names[row["element"]], float(row["time"])) for row in rows}
    found = []
    for first, last in itertools.pairwise(instants):
        times = np.linspace(first, last, _LOOKS)[1:-1]
        for name, read in _guarded(raw):
            values = read(times)
            size = float(np.abs(values).max())
            if (name, float(last)) in changes:
                room = last - first
                far, near = read(last - np.array([1e-2, 5e-3]) * room)
                if far != 0.0 and abs(far) > _TANGENTIAL * abs(near):
                    found.append(name)
            elif _least(read, times, values) < _TOUCHES * size:
                found.append(name)
    return tuple(dict.fromkeys(found))


def _least(read: Callable[[Array], Array], times: Array, values: Array) -> float:
    """Least size at a minimum in the interior, by repeated sampling around it."""
    k = int(np.argmin(np.abs(values)))
    if k in (0, times.size - 1):
        return math.inf
    for _ in range(_ZOOMS):
        times = np.linspace(times[k - 1], times[k + 1], _ZOOMED)
        values = np.abs(read(times))
        k = min(max(int(np.argmin(values)), 1), times.size - 2)
    return float(values[k])


def _elements(raw: _core.run.Trajectory) -> list[str]:
    """Names of the elements by their numbers in the table of events."""
    compiled = raw.compiled
    contacts = (name for name, _ in compiled.contacts)
    controllers = (name for name, *_ in compiled.controllers)
    return [owner(name) for name in (*compiled.friction, *contacts, *controllers, *compiled.springs)]


def _guarded(raw: _core.run.Trajectory) -> Iterator[tuple[str, Callable[[Array], Array]]]:
    """Velocities of friction elements and gaps of contacts, as functions of increasing times."""

    def reader(kind: str, row: int) -> Callable[[Array], Array]:
        return lambda times: np.asarray(getattr(_core.run.Samples(raw, times), kind))[row]

    for k, name in enumerate(raw.compiled.friction):
        yield owner(name), reader("velocities", k)
    for k, (name, _) in enumerate(raw.compiled.contacts):
        yield owner(name), reader("gaps", k)
