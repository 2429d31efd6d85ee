"""Events: what may jump at them, and modes that change at them alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._surfaces import OPEN, internal_names
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]


def check_events(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Hold the states on both sides of every event against each other, and the modes against the events."""
    begin = float(run._raw.t_begin)
    times = np.unique(run.events.time)
    times = times[times > begin]
    if times.size:
        left, right = Samples(run, np.nextafter(times, -np.inf), d), Samples(run, times, d)
        _check_continuity(audit, run, d, times, left, right, sizes)
    for name in [p.name for p in d.surfaces if _laws.sticks(p.law)] + [
        c.name for c in d.contacts if c.place is None
    ]:
        _check_modes(audit, run, name, panels)


def _check_continuity(
    audit: Audit, run: Any, d: Description, times: Array, left: Samples, right: Samples, sizes: Sizes
) -> None:
    struck = np.isin(times, run.events.time[run.events.impact])
    ulp = 4.0 * np.spacing(times)
    for k, name in enumerate(d.names):
        room = sizes.relative * sizes.q[k] + ulp * sizes.v[k]
        audit.hold("position goes on", name, times, np.abs(right.q[k] - left.q[k]), room)
    with np.errstate(invalid="ignore"):
        rates = np.maximum(*(np.abs(s.rows(f"{n}.acceleration" for n in d.names)) for s in (left, right)))
    moved = np.where(struck, 0.0, np.abs(d.mass @ (right.v - left.v)))
    for k, name in enumerate(d.names):
        room = np.abs(d.mass[k]) @ (sizes.relative * sizes.v[:, None] + ulp * rates)
        audit.hold("velocity goes on without an impact", name, times, moved[k], room)
    for place in d.surfaces:
        opens = (left[f"{place.name}.mode"] == OPEN) | (right[f"{place.name}.mode"] == OPEN)
        for state in internal_names(place):
            if any(type(t).__name__ == "Leuven" for t in place.law.terms):
                continue
            jump = np.where(opens, 0.0, np.abs(right[state] - left[state]))
            room = sizes.relative * sizes.states[state] + ulp * sizes.v.max()
            audit.hold("internal state goes on", state, times, jump, room)


def _check_modes(audit: Audit, run: Any, name: str, panels: Panels) -> None:
    """Between its events an element keeps its mode."""
    events, at = run.events.of(name), panels.at
    mode = at[f"{name}.mode"]
    if not len(events):
        audit.hold("mode changes at events alone", name, at.t, np.abs(mode - mode[0]), 0.0)
        return
    broken = np.abs(events.before[1:].astype(float) - events.after[:-1])
    audit.hold("events follow each other", name, events.time[1:], broken, 0.0)
    last = np.searchsorted(events.time, at.t, side="right") - 1
    expected = np.where(last < 0, float(events.before[0]), events.after[np.maximum(last, 0)])
    audit.hold("mode changes at events alone", name, at.t, np.abs(mode - expected), 0.0)
