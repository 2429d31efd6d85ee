"""Events: continuity of states across events, and constant modes between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, internal_names
from stickslip.analysis.auditing._put_to_rest import RESTS, close_gaps, put_to_rest
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._surfaces import OPEN
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.modes import Mode

Array = NDArray[np.float64]

# Share of the time of the run. Impacts within 1e-12 of it, and the limit of those that follow, share one instant.
_FLIGHTS = 1e-11


def check_events(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Check the states on both sides of every event against each other, and the modes against the events."""
    _check_continuity(audit, run, d, panels, sizes)
    names = [p.name for p in d.surfaces if _laws.sticks(p.law)]
    for name in names + [c.name for c in d.contacts if c.place is None]:
        check_modes(audit, run, name, panels)


def _check_continuity(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Positions never jump, velocities in impacts alone; bristles only where their contact opens."""
    # Behind each panel follows the next, after an instant of some last digits that may hold several events.
    before, times, at = panels.b[:-1], panels.a[1:], panels.at
    instant = 4.0 * np.spacing(times) + (times - before)

    def sides(values: Array) -> tuple[Array, Array]:
        grid = panels.grid(values)
        return grid[..., :-1, -1], grid[..., 1:, 0]

    def jump(values: Array) -> Array:
        left, right = sides(values)
        return np.abs(right - left)

    def holds(events: Array) -> Any:
        """Return the boundaries of panels at which one of these events occurs."""
        return np.searchsorted(events, before, side="left") < np.searchsorted(events, times, side="right")

    at_impact = holds(run.events.time[run.events.impact])
    # A collapse closes gaps that a light part, the fastest one, crosses in a flight at one instant.
    closing = np.zeros((len(d.names), times.size))
    collapsed = [e for e in run.events if "inelastic collapse" in e.rule]
    flights = _FLIGHTS * sizes.span
    for time in {e.time for e in collapsed}:
        names = {e.element for e in collapsed if e.time == time}
        for j in np.flatnonzero(holds(np.array([time]))):
            closing[:, j] = close_gaps(
                d, Samples(run, times[j : j + 1], d), 0, names, flights * sizes.v.max()
            )
    # A detent takes its seat from a distance that counts as none, and so does a relay that switches ever faster.
    seats = {one.name: Mode.LOCKED for one in d.detents} | {e["name"]: Mode.FREE for e in d.relays}
    seated = holds(np.array([e.time for e in run.events if seats.get(e.element) == e.after]))
    heavy, (shifted, _) = d.mass.greatest(at), d.mass.doubt(at, sizes.q, sizes.v)
    moved, turned = jump(at.q), np.where(at_impact, 0.0, jump(d.mass.momentum(at)))
    rates = np.maximum(*sides(np.abs(at.rows(f"{n}.acceleration" for n in d.names))))
    rooms = heavy @ (sizes.relative * sizes.v[:, None] + instant * rates) + sizes.relative * shifted[:, None]
    for j in np.flatnonzero((turned > rooms).any(axis=0)):
        rooms[:, j] += put_to_rest(d, Samples(run, times[j : j + 1], d), 0, set(), sizes)
    for k, name in enumerate(d.names):
        room = sizes.relative * sizes.q[k] + (instant + np.where(at_impact, flights, 0.0)) * sizes.v[k]
        room += closing[k]
        room += np.where(seated, RESTS * run.machine.scales.get(f"{name}.position", 0.0), 0.0)
        audit.hold("position is continuous", name, times, moved[k], room)
        audit.hold("velocity is continuous without an impact", name, times, turned[k], rooms[k])
    for place in d.surfaces:
        if any(
            type(term).__name__ == "Leuven" or "reset" in getattr(term, "_fields", ())
            for term in place.law.terms
        ):
            continue
        left, right = sides(at[f"{place.name}.mode"])
        opens = (left == OPEN) | (right == OPEN)
        for state in internal_names(place):
            room = sizes.relative * sizes.states[state] + instant * sizes.v.max()
            goes_on = np.where(opens, 0.0, jump(at[state]))
            audit.hold("internal state is continuous", state, times, goes_on, room)


def check_modes(audit: Audit, run: Any, name: str, panels: Panels) -> None:
    """Check that each element keeps its mode between its events."""
    events, at = run.events.of(name), panels.at
    mode = at[f"{name}.mode"]
    if not len(events):
        audit.hold("mode changes only at events", name, at.t, np.abs(mode - mode[0]), 0.0)
        return
    broken = np.abs(events.before[1:].astype(float) - events.after[:-1])
    audit.hold("mode before an event is the one after the previous event", name, events.time[1:], broken, 0.0)
    last = np.searchsorted(events.time, at.t, side="right") - 1
    expected = np.where(last < 0, float(events.before[0]), events.after[np.maximum(last, 0)])
    audit.hold("mode changes only at events", name, at.t, np.abs(mode - expected), 0.0)
