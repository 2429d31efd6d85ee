"""The equations of motion, integrated over each panel.

Differences of sampled velocities lose half of the digits. The integral keeps them:
``M (v(b) - v(a)) - integral of (forces - D v - K q) dt`` is zero for a solution, and for a dense form x~ whose states
are off by at most d_j it is bounded by ``2 |M| d_v + integral of (sum over j of |df/dx_j| d_j) dt``, whatever the
motion does. The same holds for ``q(b) - q(a) - integral of v dt`` and for the internal states of friction. The Gauss
rule adds an error of its own; a panel that fails is halved, and a residual counts only where halving does not change
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._surfaces import Surface, surface
from stickslip.analysis.auditing._tolerances import Sizes

Array = NDArray[np.float64]
_ROUNDS = 14
_MOST = 400  # panels that are halved at once: the worst


def forces(d: Description, at: Samples, surfaces: list[Surface], sizes: Sizes) -> tuple[Array, Array]:
    """Right-hand side of ``M a = f``, and its uncertainty."""
    relative = sizes.relative
    f = -d.damping @ at.v - d.stiffness @ at.q
    doubt = relative * (np.abs(d.damping) @ sizes.v + np.abs(d.stiffness) @ sizes.q)[:, None] + 0.0 * f

    def add(along: Array, value: Array, uncertain: Array) -> None:
        nonlocal f, doubt
        f = f + along[:, None] * value
        doubt = doubt + np.abs(along)[:, None] * uncertain

    for push in d.pushes:
        value = at[push.sampled] if push.signal is None else push.signal.values(at.t)
        add(push.along, value, relative * np.abs(value))
    for place, one in zip(d.surfaces, surfaces, strict=True):
        add(-place.along, one.force, one.uncertain)
    for contact in d.contacts:
        pressed = at[f"{contact.name}.normal_force"]
        add(contact.normal, pressed, relative * np.abs(pressed))
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
        left = [p.change(d.mass @ v) - p.integral(f), p.change(q) - p.integral(v)]
        room = [
            2.0 * relative * (np.abs(d.mass) @ sizes.v)[:, None] + p.integral(doubt),
            relative * (2.0 * sizes.q[:, None] + sizes.v[:, None] * p.width),
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


def check_motion(audit: Audit, run: Any, d: Description, t: Array, sizes: Sizes) -> _Residuals:
    """Hold the motion between the times `t` against the equations of motion."""
    first = _Residuals(d, run, t[:-1], t[1:], sizes)
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


def _refined(
    d: Description, run: Any, parents: _Residuals, wrong: NDArray[np.intp], sizes: Sizes
) -> list[tuple[float, Array, Array]]:
    """Residuals that stay when their panels are halved."""
    found: list[tuple[float, Array, Array]] = []
    for _ in range(_ROUNDS):
        if wrong.size == 0:
            return found
        wrong = _worst(parents, wrong)
        a, b = parents.panels.a[wrong], parents.panels.b[wrong]
        both = np.column_stack([a, 0.5 * (a + b), 0.5 * (a + b), b]).reshape(-1, 2)
        children = _Residuals(d, run, both[:, 0], both[:, 1], sizes)
        sums = children.left[:, 0::2] + children.left[:, 1::2]
        room = parents.room[:, wrong]
        before = parents.left[:, wrong]
        fails = ~(np.abs(sums) <= room)
        settled = fails & ~(np.abs(sums - before) > 0.25 * np.abs(sums))
        for j in np.flatnonzero(settled.any(axis=0)):
            values = np.where(settled[:, j], np.abs(sums[:, j]), 0.0)
            found.append((float(a[j]), values, room[:, j]))
        again = fails.any(axis=0) & ~settled.any(axis=0)
        halves = np.flatnonzero(np.repeat(again, 2))
        ratio = np.abs(children.left) / np.maximum(children.room, 1e-300)
        parents, wrong = children, halves[~(ratio[:, halves] <= 1.0).all(axis=0)]
    for j in wrong:
        found.append((float(parents.panels.a[j]), np.abs(parents.left[:, j]), parents.room[:, j]))
    return found


def _worst(parents: _Residuals, wrong: NDArray[np.intp]) -> NDArray[np.intp]:
    if wrong.size <= _MOST:
        return wrong
    ratio = np.abs(parents.left[:, wrong]) / np.maximum(parents.room[:, wrong], 1e-300)
    worst = np.argsort(-np.nan_to_num(ratio, nan=np.inf).max(axis=0))[:_MOST]
    return np.sort(wrong[worst])
