"""Existence of an answer at the end of a run without one: all sets of modes, each a linear programme.

Accelerations a, normal forces and friction of the contacts that are closed, and of the places at rest or sliding, obey
``M a = h + sum n L - sum w F``. In a set of modes each contact is open (no force, the gap may grow) or closed (L >= 0,
the gap stays), each friction at rest sticks (within its static level) or begins to slide (at the level of the curve,
in the direction of its acceleration). Where a contact approaches, the same holds for velocities and impulses. Walls
and surfaces that only begin to move, by a higher power of time, have moved a little.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import linprog

import stickslip as ss
from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, Place, describe

MOST_SETS = 20_000
BEGINS, ORDERS = 1e-3, range(5)  # m/s^2: of what only begins to move, by a higher power of time


@dataclass
class _Friction:
    """Bounds of one friction force: ``F = share L + fixed`` where it slides, within the static level where it sticks."""

    along: np.ndarray
    drift: float
    choices: tuple[int, ...]
    level: dict[int, tuple[float, float]] = field(default_factory=dict)  # mode: per unit of L, and fixed
    static: tuple[float, float] = (0.0, 0.0)
    static_fixed: bool = False
    contact: int = -1


@dataclass
class _Problem:
    mass: np.ndarray
    right: np.ndarray
    normals: list[np.ndarray]
    normal_drift: list[float]
    friction: list[_Friction]

    def sets(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Closed (1) or open (0) for each contact, a mode for each friction (0 stands for none where it is open)."""
        found = []
        for closed in itertools.product((1, 0), repeat=len(self.normals)):
            options = [
                f.choices if f.contact < 0 or closed[f.contact] else (f.choices[0],) for f in self.friction
            ]
            found += [(closed, modes) for modes in itertools.product(*options)]
        return found

    def solves(self, closed: tuple[int, ...], modes: tuple[int, ...]) -> bool:
        """True if a set of modes has an answer."""
        n, nc, nf = self.right.size, len(self.normals), len(self.friction)
        size = n + nc + nf
        equal, equal_to, most, most_is = [], [], [], []

        def row(a: np.ndarray | None = None, **at: float) -> np.ndarray:
            out = np.zeros(size)
            if a is not None:
                out[:n] = a
            for name, value in at.items():
                kind, k = name[0], int(name[1:])
                out[n + k + (nc if kind == "f" else 0)] = value
            return out

        for i in range(n):
            dynamics = row(self.mass[i])
            dynamics[n : n + nc] = [-w[i] for w in self.normals]
            dynamics[n + nc :] = [f.along[i] for f in self.friction]
            equal.append(dynamics), equal_to.append(self.right[i])
        bounds = [(None, None)] * n + [(0.0, None if c else 0.0) for c in closed] + [(None, None)] * nf
        for k, (w, drift) in enumerate(zip(self.normals, self.normal_drift, strict=True)):
            if closed[k]:
                equal.append(row(w)), equal_to.append(-drift)
            else:
                most.append(row(-w)), most_is.append(drift)
        for k, (f, mode) in enumerate(zip(self.friction, modes, strict=True)):
            name = f"f{k}"
            if f.contact >= 0 and not closed[f.contact]:
                equal.append(row(**{name: 1.0})), equal_to.append(0.0)
                continue
            load = {f"l{f.contact}": 1.0} if f.contact >= 0 else {}
            if mode == 0:
                equal.append(row(f.along)), equal_to.append(f.drift)
                low, high = f.static
                per, fixed = (high, 0.0) if load else (0.0, high)
                most.append(row(**{name: 1.0}, **{key: -per for key in load})), most_is.append(fixed)
                per, fixed = (low, 0.0) if load else (0.0, low)
                most.append(row(**{name: -1.0}, **{key: per for key in load})), most_is.append(-fixed)
                continue
            share, fixed = f.level[mode]
            equal.append(row(**{name: 1.0}, **{key: -share for key in load})), equal_to.append(fixed)
            if len(f.choices) > 1:
                most.append(row(-mode * f.along)), most_is.append(-mode * f.drift)
        answer = linprog(
            np.zeros(size), A_ub=np.array(most) if most else None, b_ub=most_is or None, A_eq=np.array(equal),
            b_eq=equal_to, bounds=bounds, method="highs",
        )  # fmt: skip
        return answer.status == 0


def _slip(place: Place, v: float, side: int, load: float | None) -> tuple[float, float]:
    dry, viscous, _ = _laws.parts(place.law, np.array([v]), np.array([float(side)]), np.zeros((0, 1)))
    if load is None:
        return float(dry[0] + viscous[0]), 0.0
    return 0.0, float(load * dry[0] + viscous[0])


def _friction(place: Place, t: float, v: float, still: float, contact: int, load: float | None) -> _Friction:
    drift = place.surface_velocity.value(t, 1)
    sides = (1, -1) if abs(v) <= still else (int(np.sign(v)),)
    level = {side: _slip(place, v if len(sides) == 1 else 0.0, side, load) for side in sides}
    low, high = _laws.jump(place.law)
    static = (low, high) if load is None else (load * low, load * high)
    return _Friction(
        place.along.numbers, drift, (0, *sides) if len(sides) == 2 else sides, level, static, contact=contact
    )


def _moving(walls: list[list[float]], surfaces: list[list[float]]) -> tuple[list[float], list[float]]:
    """Accelerations, or a little of the first of their derivatives that are not all zero."""
    for k, (wall, surface) in enumerate(zip(walls, surfaces, strict=True)):
        most = max(map(abs, [*wall, *surface]), default=0.0)
        if most > 0.0:
            part = 1.0 if k == 0 else BEGINS / most
            return [part * a for a in wall], [part * a for a in surface]
    return walls[0], surfaces[0]


def problem(run: ss.Trajectory) -> _Problem | None:
    """The problem at the end of a run; None if internal states or formulas are in it, which are not handled."""
    if run.machine.is_nonlinear:
        return None
    d: Description = describe(run.machine)
    if any(p.options is not None or any(map(_laws.state_count, p.law.terms)) for p in d.surfaces) or d.loops:
        return None
    t, n = float(run.state.t), len(d.names)
    q, v = np.asarray(run.state.x)[:n], np.asarray(run.state.x)[n : 2 * n]
    size_q, size_v = 1e-9 * (1.0 + np.abs(run.y[:n]).max()), 1e-9 * (1.0 + np.abs(run.y[n : 2 * n]).max())
    h = -d.damping @ v - d.stiffness @ q
    for push in d.pushes:
        h = h + push.along * push.signal.value(t, 0)
    named = run.message.partition("touching: ")[2].split(", ")
    gaps = {c.name: float(c.normal.numbers @ q + c.gap.signal.value(t, 0)) for c in d.contacts}
    near = [c for c in d.contacts if c.name in named or abs(gaps[c.name]) <= 1e-2 * size_q]
    rates = [float(c.normal.numbers @ v + c.gap.signal.value(t, 1)) for c in near]
    has_impact = any(rate < -size_v for rate in rates)
    if not has_impact:
        near = [c for c, rate in zip(near, rates, strict=True) if rate <= size_v]
    friction: list[_Friction] = []
    normals = [c.normal.numbers for c in near]
    for k, c in enumerate(near):
        if c.place is not None:
            slides = float(c.place.along.numbers @ v - c.place.surface_velocity.value(t, 0))
            friction.append(_friction(c.place, t, slides, np.inf if has_impact else size_v, k, None))
    if has_impact:
        for f, c in zip(friction, [c for c in near if c.place is not None], strict=True):
            assert c.place is not None
            mu = _laws.kinetic(c.place.law)
            f.drift, f.static = c.place.surface_velocity.value(t, 0), (-mu, mu)
            f.level = {side: (side * mu, 0.0) for side in (1, -1)}
        drift = [c.gap.signal.value(t, 1) for c in near]
        return _Problem(d.mass.numbers, d.mass.numbers @ v, normals, drift, friction)
    for p in d.places:
        slides = float(p.along.numbers @ v - p.surface_velocity.value(t, 0))
        friction.append(_friction(p, t, slides, size_v, -1, p.normal_load.value(t, 0)))
    surfaces = [c.place for c in near if c.place is not None] + d.places
    walls, drifts = _moving([[c.gap.signal.value(t, 2 + k) for c in near] for k in ORDERS],
                            [[p.surface_velocity.value(t, 1 + k) for p in surfaces] for k in ORDERS])  # fmt: skip
    for f, drift in zip(friction, drifts, strict=True):
        f.drift = drift
    return _Problem(d.mass.numbers, h, normals, walls, friction)


def verdict(run: ss.Trajectory) -> str:
    """``solvable``, ``proven: no answer``, or why that is not known."""
    found: Any = problem(run)
    if found is None:
        return "not known: internal states"
    sets = found.sets()
    if len(sets) > MOST_SETS:
        return f"not known: {len(sets)} sets of modes"
    return "solvable" if any(found.solves(*one) for one in sets) else "proven: no answer"
