"""Contacts: gaps stay >= 0, forces push, and there is no force without contact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._description import Contact, Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._surfaces import OPEN
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]


def gap(c: Contact, at: Samples) -> Array:
    """Normal . q + gap(t)."""
    g: Array = c.normal @ at.q + c.gap.values(at.t)
    return g


def gap_rate(c: Contact, at: Samples) -> Array:
    """Its derivative."""
    rate: Array = c.normal @ at.v + c.gap.values(at.t, 1)
    return rate


def gap_room(c: Contact, at: Samples, sizes: Sizes) -> Array:
    """How far a gap may be off: a play that is nothing beside the way that the forces could move counts as none."""
    way = np.abs(c.normal) @ np.maximum(sizes.q, sizes.reach)
    room: Array = sizes.relative * (way + np.abs(c.gap.values(at.t)))
    return room


def rate_room(c: Contact, at: Samples, sizes: Sizes) -> Array:
    """How far its rate may be off."""
    room: Array = sizes.relative * (np.abs(c.normal) @ sizes.v + np.abs(c.gap.values(at.t, 1)))
    return room


def check_contacts(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Hold all contacts against Signorini's conditions."""
    at = panels.at
    for c in d.contacts:
        g, rate, mode = gap(c, at), gap_rate(c, at), at[f"{c.name}.mode"]
        room, closed = gap_room(c, at, sizes), mode != OPEN
        audit.hold("gap is w . q + gap(t)", c.name, at.t, np.abs(at[f"{c.name}.gap"] - g), room + 1e-300)
        rates = np.abs(at[f"{c.name}.gap_rate"] - rate)
        audit.hold("gap_rate is its rate", c.name, at.t, rates, rate_room(c, at, sizes) + 1e-300)
        audit.hold("gap >= 0", c.name, at.t, -g, room)
        audit.hold("closed: gap = 0", c.name, at.t, np.where(closed, np.abs(g), 0.0), room)
        still = np.where(closed, np.abs(rate), 0.0)
        audit.hold("closed: gap rate = 0", c.name, at.t, still, rate_room(c, at, sizes))
        pressed = at[f"{c.name}.normal_force"]
        size = sizes.relative * force_size(d, at, sizes)
        audit.hold("normal force >= 0", c.name, at.t, -pressed, size * np.linalg.norm(c.normal) + 1e-300)
        audit.hold("no normal force when open", c.name, at.t, np.where(closed, 0.0, np.abs(pressed)), 1e-300)
        _check_dips(audit, run, c, d, panels, sizes)


def force_size(d: Description, at: Samples, sizes: Sizes) -> Array:
    """Sum of the sizes of all forces, whose rounding the reactions of contacts and of rest carry.

    Where all of them pass through zero together, a thousandth of the greatest of the run.
    """
    size = np.zeros_like(at.t) + np.max(np.abs(d.damping) @ sizes.v + np.abs(d.stiffness) @ sizes.q)
    size += 1e-3 * sizes.force.max()
    for push in d.pushes:
        size = size + np.abs(push.value(at))
    for s in d.springs:
        size = size + np.abs(at[f"{s.name}.force"])
    for place in d.surfaces:
        size = size + np.abs(at[f"{place.name}.force"])
    for c in d.contacts:
        size = size + np.abs(at[f"{c.name}.normal_force"])
    return size


def _check_dips(audit: Audit, run: Any, c: Contact, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Gaps between the samples, where the rate comes from below zero to above: at the zero of the rate's chord."""
    g, rate = panels.grid(gap(c, panels.at)), panels.grid(gap_rate(c, panels.at))
    t = panels.grid(panels.at.t)
    turns = (rate[:, :-1] < 0.0) & (rate[:, 1:] > 0.0)
    deep = turns & (g[:, :-1] + 0.5 * rate[:, :-1] * np.diff(t, axis=1) < 0.0)
    if not deep.any():
        return
    before, after = rate[:, :-1][deep], rate[:, 1:][deep]
    left, right = t[:, :-1][deep], t[:, 1:][deep]
    order = np.argsort(left)
    lowest = np.clip(left + (right - left) * before / (before - after), left, right)[order]
    at = Samples(run, np.maximum.accumulate(lowest), d)
    audit.hold("gap >= 0", c.name, at.t, -gap(c, at), gap_room(c, at, sizes))
