"""Contacts: gaps stay >= 0, forces push, and there is no force without contact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._description import Contact, Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._surfaces import OPEN, force_size
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]


def gap_room(c: Contact, at: Samples, sizes: Sizes) -> Array:
    """Return the allowed error of a gap, relative to the distance over which the forces could move the machine."""
    way = c.normal.reach(at, np.maximum(sizes.q, sizes.reach) if c.rigid else sizes.q)
    room: Array = sizes.relative * (way + np.abs(c.gap.signal.values(at.t)))
    return room


def rate_room(c: Contact, at: Samples, sizes: Sizes) -> Array:
    """Return the allowed error of the gap rate."""
    room: Array = sizes.relative * (c.normal.reach(at, sizes.v) + np.abs(c.gap.shift(at)))
    return room + c.normal.doubt(at, sizes.relative, sizes.q) @ sizes.v


def check_contacts(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Check all contacts against Signorini's conditions, or against the law of a compliant contact."""
    at = panels.at
    for c in d.contacts:
        g, rate, room = c.gap.value(at), c.gap.rate(at), gap_room(c, at, sizes)
        audit.hold(
            "gap follows from the positions", c.name, at.t, np.abs(at[f"{c.name}.gap"] - g), room + 1e-300
        )
        rates = np.abs(at[f"{c.name}.gap_rate"] - rate)
        audit.hold("gap_rate is the rate of the gap", c.name, at.t, rates, rate_room(c, at, sizes) + 1e-300)
        pressed = at[f"{c.name}.normal_force"]
        size = sizes.relative * force_size(d, at, sizes)
        steep = np.linalg.norm(c.normal.at(at), axis=0)
        turning = last_digits(panels, pressed)
        audit.hold("normal force >= 0", c.name, at.t, -pressed, size * steep + turning + 1e-300)
        closed = at[f"{c.name}.mode"] != OPEN
        audit.hold("no normal force when open", c.name, at.t, np.where(closed, 0.0, np.abs(pressed)), 1e-300)
        if c.rigid:
            audit.hold("gap >= 0", c.name, at.t, -g, room)
            audit.hold("closed: gap = 0", c.name, at.t, np.where(closed, np.abs(g), 0.0), room)
            still = np.where(closed, np.abs(rate), 0.0)
            audit.hold("closed: gap rate = 0", c.name, at.t, still, rate_room(c, at, sizes))
            _check_dips(audit, run, c, d, panels, sizes)
        else:
            _check_yielding(audit, c, at, sizes)


def last_digits(panels: Panels, values: Array) -> Array:
    """Return the change of values within the rounding error of time, by the steepest slope in each panel."""
    t = panels.grid(panels.at.t)
    change, apart = np.abs(np.diff(panels.grid(values), axis=1)), np.diff(t, axis=1)
    steepest = np.divide(change, apart, out=np.zeros_like(change), where=apart > 0.0).max(
        axis=1, keepdims=True
    )
    room: Array = (4.0 * np.spacing(t) * steepest).reshape(values.shape)
    return room


def _check_yielding(audit: Audit, c: Contact, at: Samples, sizes: Sizes) -> None:
    pressed, closed = at[f"{c.name}.normal_force"], at[f"{c.name}.mode"] != OPEN
    law, room = yielding_force(c, at), yielding_room(c, at, sizes)
    off = np.where(closed, np.abs(pressed - np.maximum(law, 0.0)), 0.0)
    audit.hold("force follows from the depth", c.name, at.t, off, room)
    audit.hold("open without force", c.name, at.t, np.where(closed, 0.0, law), room)


def yielding_force(c: Contact, at: Samples) -> Array:
    """Return the force of a compliant contact from depth and depth rate; a negative value means no contact."""
    return _by_depth(c, -c.gap.value(at), -c.gap.rate(at))


def _by_depth(c: Contact, depth: Array, speed: Array) -> Array:
    law, deep = c.compliance, np.maximum(depth, 0.0)
    if law["kind"] == "HuntCrossley":
        force = law["stiffness"] * deep ** law["exponent"] * (1.0 + law["damping"] * speed)
    else:
        force = law["stiffness"] * deep + law["damping"] * speed
    return np.where(depth > 0.0, force, 0.0)


def yielding_room(c: Contact, at: Samples, sizes: Sizes) -> Array:
    """Return the uncertainty of the force of a compliant contact."""
    depth, speed = -c.gap.value(at), -c.gap.rate(at)
    near, slow = gap_room(c, at, sizes), rate_room(c, at, sizes)
    force, room = _by_depth(c, depth, speed), np.full_like(depth, 1e-300)
    for up in (1.0, -1.0):
        for fast in (1.0, -1.0):
            room = np.maximum(room, np.abs(_by_depth(c, depth + up * near, speed + fast * slow) - force))
    return room + sizes.relative * np.abs(force)


def pushed_by_spring(c: Contact, at: Samples) -> Array:
    """Return the force of a compliant contact without damping."""
    force: Array = c.compliance["stiffness"] * np.maximum(-c.gap.value(at), 0.0) ** c.compliance.get(
        "exponent", 1.0
    )
    return force


def stored(c: Contact, at: Samples) -> Array:
    """Return the energy in the spring of a compliant contact."""
    law, depth = c.compliance, np.maximum(-c.gap.value(at), 0.0)
    power = law.get("exponent", 1.0) + 1.0
    energy: Array = law["stiffness"] * depth**power / power
    return energy


def _check_dips(audit: Audit, run: Any, c: Contact, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Gaps between the samples, where the rate comes from below zero to above: at the zero of the rate's chord."""
    g, rate = panels.grid(c.gap.value(panels.at)), panels.grid(c.gap.rate(panels.at))
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
    audit.hold("gap >= 0", c.name, at.t, -c.gap.value(at), gap_room(c, at, sizes))
