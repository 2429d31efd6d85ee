"""Machines at rest on which forces, walls and surfaces begin with different powers of time.

One to five masses with springs and dampers, contacts that touch, friction with levels that are equal or fall, redundant
rows, friction loaded by contacts up to a coefficient of 1, belts that run, begin to move or stand. All data are dyadic,
so that the friction modes and contact modes just after the start are known exactly (`truths.just_after`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from truths.just_after import Contact, Friction, Instant

import stickslip as ss
from families.case import Case, Rng
from families.first_decision import FirstDecision

T_END = 0.0625
MOST_ROWS = 6
Powers = list[float]  # coefficients of powers of time
STILL: Powers = []


@dataclass
class Row:
    """A contact, its friction, or friction of a given level; moves: acceleration of its wall or surface."""

    name: str
    along: list[float]
    moves: Powers
    static: float = 0.0
    kinetic: float = 0.0
    runs: float = 0.0  # velocity of the surface at the start


@dataclass
class Parts:
    """A machine at rest, as it is built and as the truth takes it."""

    mass: list[float]
    stiffness: list[list[float]]
    damping: list[list[float]]
    force: list[Powers]
    contacts: list[tuple[Row, Row | None]] = field(default_factory=list)
    friction: list[Row] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [f"q{i}" for i in range(len(self.mass))]

    def form(self, row: Row) -> dict[str, float]:
        return {name: w for name, w in zip(self.names, row.along, strict=True) if w}

    def machine(self) -> ss.Machine:
        force = {name: polynomial(f) for name, f in zip(self.names, self.force, strict=True) if any(f)}
        m = ss.Machine(
            mass=self.mass, stiffness=self.stiffness, damping=self.damping, names=self.names, force=force
        )
        for row in self.friction:
            law = ss.Coulomb(static=row.static, kinetic=row.kinetic)
            m.add_friction(row.name, on=self.form(row), law=law, surface_velocity=surface(row))
        for row, rubs in self.contacts:
            gap = polynomial([0.0, 0.0] + [-x / ((k + 1) * (k + 2)) for k, x in enumerate(row.moves)])
            rough = {} if rubs is None else {
                "tangent": self.form(rubs), "friction": ss.Coulomb(static=rubs.static, kinetic=rubs.kinetic),
                "surface_velocity": surface(rubs),
            }  # fmt: skip
            m.add_contact(row.name, normal=self.form(row), gap=gap, **rough)
        return m

    def instant(self) -> Instant:
        """Inputs of the truth: derivatives of forces and drifts."""
        friction = [_friction(row, -1) for row in self.friction]
        friction += [_friction(rubs, j) for j, (_, rubs) in enumerate(self.contacts) if rubs is not None]
        return Instant(
            mass=_matrix(np.diag(self.mass).tolist()),
            damping=_matrix(self.damping),
            stiffness=_matrix(self.stiffness),
            force=[derivatives(f) for f in self.force],
            contacts=[Contact(_vector(row.along), derivatives(row.moves, -1)) for row, _ in self.contacts],
            friction=friction,
        )


def polynomial(coefficients: Powers) -> ss.Signal | float:
    """A signal with these coefficients of powers of time."""
    total: ss.Signal | float = 0.0
    for k, c in enumerate(coefficients):
        if c == 0.0:
            continue
        term: ss.Signal = ss.Constant(c)
        for _ in range(k):
            term = term * ss.Ramp(slope=1.0)
        total = term + total if isinstance(total, ss.Signal) else term
    return total


def surface(row: Row) -> ss.Signal | float:
    """The velocity of a surface."""
    return polynomial([row.runs] + [x / (k + 1) for k, x in enumerate(row.moves)])


def derivatives(coefficients: Powers, sign: int = 1) -> list[Fraction]:
    """Of a polynomial at zero."""
    return [sign * Fraction(c) * math.factorial(k) for k, c in enumerate(coefficients)]


def _vector(values: list[float]) -> list[Fraction]:
    return [Fraction(float(x)) for x in values]


def _matrix(rows: list[list[float]]) -> list[list[Fraction]]:
    return [_vector(row) for row in rows]


def _friction(row: Row, contact: int) -> Friction:
    return Friction(
        _vector(row.along), derivatives(row.moves, -1), Fraction(row.static), Fraction(row.kinetic), contact,
        slides=-int(np.sign(row.runs)),
    )  # fmt: skip


def _pick(rng: Rng, *values: float) -> float:
    return float(values[int(rng.integers(len(values)))])


def _sign(rng: Rng) -> float:
    return _pick(rng, -1.0, 1.0)


def _links(rng: Rng, n: int, values: tuple[float, ...]) -> list[list[float]]:
    """Springs or dampers between neighbours, and of one coordinate to the ground."""
    k = np.zeros((n, n))
    for i in range(n - 1):
        k[i : i + 2, i : i + 2] += _pick(rng, *values) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    i = int(rng.integers(n))
    k[i, i] += _pick(rng, 0.0, 0.0, *values)
    matrix: list[list[float]] = k.tolist()
    return matrix


def parts(seed: int) -> Parts:
    """The data of a seed."""
    rng = np.random.default_rng([14020, seed])
    n = int(rng.integers(1, 6))
    levels_fall, rough = rng.random() < 0.5, rng.random() < 0.6
    p = Parts(
        mass=[_pick(rng, 0.25, 0.5, 1.0, 2.0, 4.0) for _ in range(n)],
        stiffness=_links(rng, n, (0.0, 1.0, 4.0)),
        damping=_links(rng, n, (0.0, 0.0, 0.5, 1.0)) if rng.random() < 0.5 else [[0.0] * n for _ in range(n)],
        force=[[0.0] * 4 for _ in range(n)],
    )
    for f in p.force:
        for k in rng.choice(4, int(rng.integers(0, 3)), replace=False):
            f[int(k)] = _sign(rng) * _pick(rng, 0.5, 1.0, 2.0)
    used: list[list[float]] = []

    def along() -> list[float]:
        if used and rng.random() < 0.25:  # redundant
            side = _sign(rng)
            return [side * w for w in used[int(rng.integers(len(used)))]]
        row = [_pick(rng, 0.0, 0.0, 1.0, -1.0, *((0.5, 2.0) if rng.random() < 0.1 else ())) for _ in range(n)]
        if not any(row):
            row[int(rng.integers(n))] = _sign(rng)
        used.append(row)
        return row

    def belt() -> tuple[Powers, float]:
        kind = int(rng.integers(8))
        if kind < 4:
            return STILL, 0.0
        if kind == 4:
            return STILL, _sign(rng)
        return [0.0] * (kind - 5) + [_sign(rng)], 0.0

    def levels(*values: float) -> tuple[float, float]:
        static = _pick(rng, *values)
        return static, static * (_pick(rng, 1.0, 0.75, 0.5) if levels_fall else 1.0)

    for i in range(int(rng.integers(0, 4))):
        form, (moves, runs), (static, kinetic) = along(), belt(), levels(0.5, 1.0, 2.0)
        p.friction.append(Row(f"f{i}", form, moves, static, kinetic, runs))
    rows = len(p.friction)
    for j in range(int(rng.integers(0 if rows else 1, 4))):
        if rows + 1 > MOST_ROWS:
            break
        wall = [0.0] * int(rng.integers(3)) + [_sign(rng)] if rng.random() < 0.25 else STILL
        row, rubs = Row(f"c{j}", along(), wall), None
        rows += 1
        if rough and rng.random() < 0.7 and rows + 1 <= MOST_ROWS:
            (moves, runs), (static, kinetic) = belt(), levels(0.25, 0.5, 1.0)
            rubs = Row(f"c{j}", along(), moves, static, kinetic, runs)
            rows += 1
        p.contacts.append((row, rubs))
        power = int(rng.integers(4)) if rng.random() < 0.3 else 0
        load = _pick(rng, 0.0, 1.0, 2.0)
        for f, w in zip(p.force, row.along, strict=True):
            f[power] -= load * w
    return p


def case(p: Parts, t_end: float = T_END) -> Case:
    """A machine at rest, judged by its first decision."""
    names = [row.name for row, _ in p.contacts], [row.name for row in p.friction]
    rough = [rubs is not None for _, rubs in p.contacts]
    return Case(p.machine(), t_end, truth=FirstDecision(p.instant(), *names, rough))


def build(seed: int) -> Case:
    """The machine of a seed."""
    return case(parts(seed))
