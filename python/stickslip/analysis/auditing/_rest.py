"""Check of break-aways and reversals: rest must have been impossible.

An element at rest stays at rest, and an element whose velocity reaches zero comes to rest, if a force within the static
level can hold it. At every break-away and reversal of one element the accelerations are solved again with this element
at rest and all others in their new modes, those that leave rest with it once at their kinetic and once at their static
levels; if all forces are both times well within their limits, the element should have rested.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, Place
from stickslip.analysis.auditing._motion import forces
from stickslip.analysis.auditing._relays import slides
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._rows import column
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._surfaces import OPEN, Surface, surface
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.modes import Mode

Array = NDArray[np.float64]
_MOST = 300  # instants that are solved again, spread evenly
_ROUNDING = 1e-13  # of the greatest force of friction: a place may hold less than that
_MARGIN = 1e-5  # of the level: less is the accuracy of the instant, and the margin after an accumulation


def rigid(place: Place) -> bool:
    """True if rest is a constraint whose level depends on the law alone."""
    o = place.options
    plain = o is None or (o.presliding is None and o.memory is None and o.dwell == 0.0)
    bristles = sum(_laws.state_count(term) for term in place.law.terms)
    return plain and bristles == 0 and _laws.sticks(place.law)


def check_rest(audit: Audit, run: Any, d: Description, sizes: Sizes) -> None:
    """Check break-aways and reversals against the static level."""
    for i, place in enumerate(d.surfaces):
        if not rigid(place):
            if _laws.sticks(place.law):
                audit.skip(
                    f"break-aways of '{place.name}'",
                    "static levels that depend on the past; forces in stick are checked",
                )
            continue
        events = run.events.of(place.name)
        turns = (np.abs(events.after) == 1) & ((events.before == 0) | (events.before == -events.after))
        at_impact = np.isin(
            events.time, run.events.time[run.events.impact]
        )  # an impact can set resting bodies in motion
        turns &= ~at_impact & (events.time > run._raw.t_begin)
        if (turns & (events.solutions > 1)).any():
            audit.skip(
                f"some break-aways of '{place.name}'", "several solutions exist, and a rule has selected one"
            )
            turns &= events.solutions <= 1
        if not turns.any():
            continue
        t = np.unique(events.time[turns])
        t = t[np.unique(np.linspace(0, t.size - 1, _MOST).astype(int))]
        at = Samples(run, t, d)
        surfaces = [surface(p, d, at, sizes) for p in d.surfaces]
        f, _ = forces(d, at, surfaces, sizes, touching=True)
        for j in range(t.size):
            if abs(surfaces[i].mode[j]) == 1 and abs(surfaces[i].velocity[j]) <= _slow(place, at, j, sizes):
                closed = any(at[f"{c.name}.mode"][j] != OPEN for c in d.contacts)
                seats = [c.name for c in d.clutches] + [one.name for one in d.detents]
                locked = any(at[f"{name}.mode"][j] == Mode.LOCKED for name in seats) or slides(d, at, j)
                pressed = (
                    place.on_contact or place.pressed_by or d.constraint_loading(place) or place.load_across
                )
                if pressed or closed or locked:
                    audit.skip(
                        f"break-aways of '{place.name}' beside closed contacts", "forces of both are coupled"
                    )
                    continue
                falls = _falls(d, i, j, at, surfaces, sizes)
                spare = min(_spare(d, i, j, f[:, j] + more, at, surfaces, sizes) for more in (0.0, falls))
                audit.hold(
                    "stays at rest while a force within the static level suffices",
                    place.name,
                    t[j],
                    spare,
                    _MARGIN,
                )


def _slow(place: Place, at: Samples, j: int, sizes: Sizes) -> float:
    return 10.0 * sizes.relative * float(np.abs(column(place.along.at(at), j)) @ sizes.seen)


def _falls(d: Description, i: int, j: int, at: Samples, surfaces: list[Surface], sizes: Sizes) -> Array:
    """Generalised force by which friction that leaves rest beside place i falls from its static level."""
    falls: Array = np.zeros(len(d.names))
    for k, (p, s) in enumerate(zip(d.surfaces, surfaces, strict=True)):
        if k == i or not _leaves(p, s, at, j, sizes):
            continue
        level = s.load[j] * _laws.jump(p.law)[int(s.mode[j] > 0)]
        falls -= column(p.along.at(at), j) * (level - s.force[j])
    return falls


def _leaves(p: Place, s: Surface, at: Samples, j: int, sizes: Sizes) -> bool:
    """Return True if a place slides, but has no velocity yet."""
    return abs(s.mode[j]) == 1 and abs(s.velocity[j]) <= _slow(p, at, j, sizes) and _laws.sticks(p.law)


def _spare(
    d: Description, i: int, j: int, f: Array, at: Samples, surfaces: list[Surface], sizes: Sizes
) -> float:
    """Least share of a limit that is left with place i held; negative: it cannot rest, or that is not certain."""
    place, one = d.surfaces[i], surfaces[i]
    columns, rows, drift, limits = [], [], [], []
    demanded = column(d.demanded(at, 1), j)
    free = f + column(place.along.at(at), j) * one.force[j]  # without the friction of place i
    if d.prescribes(place, at):
        return -1.0
    for k, (p, s) in enumerate(zip(d.surfaces, surfaces, strict=True)):
        if d.prescribes(p, at):  # its force moves nothing
            continue
        if p.on_contact or not (k == i or (s.mode[j] == 0 and _laws.sticks(p.law))):
            continue
        if p.options is not None and p.options.presliding is not None:
            continue
        if k != i:
            free = free + column(p.along.at(at), j) * s.force[j]
        columns.append(-column(p.along.at(at), j))
        rows.append(column(p.along.at(at), j))
        drift.append(-p.drift(at)[j] - float(rows[-1] @ demanded))
        low, high = (s.load[j] * end for end in _laws.jump(p.law))
        limits.append((low, high))
    w, g = np.array(rows), np.array(columns)
    inverse = d.inverse(at)[min(j, len(d.inverse(at)) - 1)]
    matrix = w @ inverse @ g.T
    scale = np.sqrt(np.abs(np.diag(matrix)))
    if scale.size == 0 or np.linalg.eigvalsh(-matrix / np.outer(scale, scale)).min() < 1e-8:
        return -1.0
    held = np.linalg.solve(matrix, np.array(drift) - w @ inverse @ free)
    terms = np.abs(inverse) @ (np.abs(free) + np.abs(g.T) @ np.abs(held)) + np.abs(demanded)
    if not _goes_on(d, i, j, inverse @ (free + g.T @ held) + demanded, terms, at, surfaces, sizes):
        return -1.0
    if any(max(high, -low) <= 0.0 for low, high in limits):
        return -1.0
    rounding = _ROUNDING * max(abs(float(s.force[j])) for s in surfaces)
    left = [
        (min(high - x, x - low) - rounding) / max(high, -low)
        for x, (low, high) in zip(held, limits, strict=True)
    ]
    return float(min(left))


def _goes_on(
    d: Description, i: int, j: int, a: Array, terms: Array, at: Samples, surfaces: list[Surface], sizes: Sizes
) -> bool:
    """True if what begins to slide or to part with place i still does so at the accelerations a, sums of `terms`."""
    for k, (p, s) in enumerate(zip(d.surfaces, surfaces, strict=True)):
        if k == i or not _leaves(p, s, at, j, sizes):
            continue
        row = column(p.along.at(at), j)
        along = float(row @ a) + p.drift(at)[j]
        if not s.mode[j] * along > 1e-9 * float(np.abs(row) @ terms):
            return False
    for c in d.contacts:
        if not c.rigid:
            continue
        row = column(c.normal.at(at), j)
        normal = np.abs(row)
        rate = at[f"{c.name}.gap_rate"][j]
        touches = abs(at[f"{c.name}.gap"][j]) <= 10.0 * sizes.relative * float(normal @ sizes.q)
        if touches and abs(rate) <= 10.0 * sizes.relative * float(normal @ sizes.v):
            apart = float(row @ a) + c.gap.drift(at)[j]
            if not apart > 1e-9 * float(normal @ terms):
                return False
    return True
