"""The equations of motion, integrated over each panel.

Differences of sampled velocities lose half of the digits. The integral keeps them:
``M v(b) - M v(a) - integral of (forces - D v - K q + d/dt(M) v) dt`` is zero for a solution, and for a dense form x~
whose states are off by at most d_j it is bounded by ``2 |M| d_v + integral of (sum over j of |df/dx_j| d_j) dt``,
whatever the motion does. The same holds for ``q(b) - q(a) - integral of v dt`` and for the internal states of
friction. The Gauss rule adds an error of its own; a panel that fails is halved, and a residual counts only where
halving does not change it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._contacts import yielding_room
from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._rows import Row
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._surfaces import Surface, surface
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]
_MOST = 4000  # parts of panels that are looked at at once: of the worst
_SYMMETRIC = 1e-9  # of the masses: numbers that were given in ten digits
_FINEST, _SAME = 2**14, 0.1  # parts of one panel, and how much the residual that stays may change


def forces(
    d: Description, at: Samples, surfaces: list[Surface], sizes: Sizes, touching: bool = False
) -> tuple[Array, Array]:
    """Return the right-hand side of ``M a = f`` with its uncertainty.

    With `touching`, at instants at which spring forces may jump, the spring forces of the run are used; another check
    compares them with their laws.
    """
    relative = sizes.relative
    f = -d.damping @ at.v - d.stiffness @ at.q
    doubt = relative * (np.abs(d.damping) @ sizes.v + np.abs(d.stiffness) @ sizes.q)[:, None] + 0.0 * f

    def add(along: Array, value: Array, uncertain: Array) -> None:
        nonlocal f, doubt
        along = along if along.ndim == 2 else along[:, None]
        f = f + along * value
        doubt = doubt + np.abs(along) * uncertain

    def act(row: Row, value: Array, uncertain: Array) -> None:
        nonlocal doubt
        add(row.at(at), value, uncertain)
        doubt = doubt + row.doubt(at, relative, sizes.q)[:, None] * np.abs(value)

    for push in d.pushes:
        add(push.along, push.value(at), push.doubt(at, relative, sizes.states))
    for place, one in zip(d.surfaces, surfaces, strict=True):
        act(place.along, -one.force, one.uncertain)
    for s in d.springs:
        x, v = s.elongation(at.q, at.t), s.rate(at.v, at.t)
        along = np.abs(s.along)
        rooms = relative * float(along @ sizes.q), relative * float(along @ sizes.v)
        value = at[f"{s.name}.force"] if touching else s.force(x, v)
        add(-s.along, value, s.doubt(x, v, *rooms))
    for detent in d.detents:
        held = at[f"{detent.name}.force"]
        add(-detent.along, held, relative * np.abs(held))
    for c in d.constraints:
        held = at[f"{c.name}.force"]
        act(c.along, -held, relative * np.abs(held))
    for clutch in d.clutches:
        held = at[f"{clutch.name}.force"]
        act(clutch.normal, held, relative * np.abs(held))
    for contact in d.contacts:
        pressed = at[f"{contact.name}.normal_force"]
        room = relative * np.abs(pressed)
        act(contact.normal, pressed, room if contact.rigid else room + yielding_room(contact, at, sizes))
    return f, doubt


class _Residuals:
    """Residuals of all equations over some panels, and what is allowed; a row for each equation."""

    def __init__(self, d: Description, run: Any, a: Array, b: Array, sizes: Sizes) -> None:
        relative = sizes.relative
        self.panels = p = Panels(run, a, b, d)
        at = p.at
        self.surfaces = [surface(place, d, at, sizes) for place in d.surfaces]
        f, doubt = forces(d, at, self.surfaces, sizes)
        q, v = at.q, at.v
        self.names = [f"{n}: M a = forces" for n in d.names] + [f"{n}: q' = v" for n in d.names]
        shifted, turned = d.mass.doubt(at, sizes.q, sizes.v)
        heavy = d.mass.greatest(at) @ sizes.v + shifted
        last_digits = 2.0 * np.spacing(np.abs(p.b))  # a panel sees the values one digit before its end
        left = [
            p.change(d.mass.momentum(at)) - p.integral(f + d.mass.turning(at)),
            p.change(q) - p.integral(v),
        ]
        room = [
            relative * (2.0 * heavy[:, None] + turned[:, None] * p.width) + p.integral(doubt),
            relative * 2.0 * sizes.q[:, None] + sizes.v[:, None] * (relative * p.width + last_digits),
        ]
        for one in self.surfaces:
            left.append(p.change(one.states) - p.integral(one.rates))
            size = sizes.of(one.state_names)[:, None]
            room.append(
                2.0 * relative * size + p.integral(one.rates_uncertain + relative * np.abs(one.rates))
            )
            still = ~p.grid(one.moving).all(axis=-1)
            left[-1][still] = 0.0
            self.names += [f"{name}: its rate" for name in one.state_names]
        self.left, self.room = np.concatenate(left), np.concatenate(room)


def check_motion(audit: Audit, run: Any, d: Description, a: Array, b: Array, sizes: Sizes) -> _Residuals:
    """Check the motion in the intervals [a, b] against the equations of motion."""
    first = _Residuals(d, run, a, b, sizes)
    _check_mass(audit, d, first.panels.at)
    checked = np.abs(first.left) / np.maximum(first.room, 1e-300)
    wrong = np.flatnonzero(~(checked <= 1.0).all(axis=0))
    findings = _refined(d, run, first, wrong, sizes)
    for k, name in enumerate(first.names):
        element, what = name.split(": ")
        passed = np.where((checked[k] <= 1.0), np.abs(first.left[k]), 0.0)
        audit.hold(what, element, first.panels.a, passed, first.room[k])
        for at, values, room in findings:
            if not values[k] <= room[k]:
                audit.hold(what, element, at, values[k], room[k])
    return first


def _check_mass(audit: Audit, d: Description, at: Samples) -> None:
    """Kinetic energy has a symmetric matrix."""
    m = d.mass.at(at)
    heavy = np.sqrt(np.abs(np.diagonal(m, axis1=1, axis2=2)))
    skew = np.abs(m - np.swapaxes(m, 1, 2))
    for k, name in enumerate(d.names):
        other = skew[:, k].argmax(axis=1)[:, None]
        worst = np.take_along_axis(skew[:, k], other, axis=1)[:, 0]
        size = heavy[:, k] * np.take_along_axis(heavy, other, axis=1)[:, 0]
        audit.hold("mass matrix is symmetric", name, at.t[: worst.size], worst, _SYMMETRIC * size)


def _refined(
    d: Description, run: Any, first: _Residuals, wrong: NDArray[np.intp], sizes: Sizes
) -> list[tuple[float, Array, Array]]:
    """Residuals that stay when their panels are divided into 2, 4, 8, ... parts: twice the same counts."""
    found: list[tuple[float, Array, Array]] = []
    before, same = first.left[:, wrong], np.zeros((len(first.names), wrong.size), dtype=bool)
    parts = 1
    while wrong.size:
        parts *= 2
        kept = _worst(first, wrong, _MOST // parts)
        wrong, before, same = wrong[kept], before[:, kept], same[:, kept]
        sums = _divided(d, run, first, wrong, parts, sizes)
        fails = ~(np.abs(sums) <= first.room[:, wrong])
        agrees = ~(np.abs(sums - before) > _SAME * np.abs(sums))
        stays = fails & agrees & same
        if parts >= _FINEST:
            stays = fails
        for j in np.flatnonzero(stays.any(axis=0)):
            k = wrong[j]
            found.append(
                (float(first.panels.a[k]), np.where(stays[:, j], np.abs(sums[:, j]), 0.0), first.room[:, k])
            )
        again = fails.any(axis=0) & ~stays.any(axis=0)
        wrong, before, same = wrong[again], sums[:, again], agrees[:, again]
    return found


def _divided(
    d: Description, run: Any, first: _Residuals, wrong: NDArray[np.intp], parts: int, sizes: Sizes
) -> Array:
    """Residuals of panels that are divided into equal parts."""
    a, b = first.panels.a[wrong], first.panels.b[wrong]
    ends = a[:, None] + (b - a)[:, None] * np.linspace(0.0, 1.0, parts + 1)
    ends[:, -1] = b
    fine = _Residuals(d, run, ends[:, :-1].ravel(), ends[:, 1:].ravel(), sizes)
    total: Array = fine.left.reshape(len(first.names), wrong.size, parts).sum(axis=-1)
    return total


def _worst(first: _Residuals, wrong: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return the failing panels to check again, in their order: at least one, at most so many."""
    if wrong.size <= max(most, 1):
        return np.arange(wrong.size)
    ratio = np.abs(first.left[:, wrong]) / np.maximum(first.room[:, wrong], 1e-300)
    worst = np.argsort(-np.nan_to_num(ratio, nan=np.inf).max(axis=0))[: max(most, 1)]
    return np.sort(worst)
