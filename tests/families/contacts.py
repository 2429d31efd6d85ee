"""One to six contacts in arbitrary directions, without friction; redundant ones among them."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal, spd


def plant(rng: Rng, n: int) -> ss.Machine:
    """A body with n coordinates, free or on springs."""
    names = [f"q{i}" for i in range(n)]
    springs = between(rng, 0.5, 50.0) * np.diag(rng.integers(0, 2, n).astype(float))
    m = ss.Machine(mass=spd(rng, n), stiffness=springs, damping=one_of(rng, 0.0, 0.1), names=names)
    for name in names:
        if rng.random() < 0.6:
            m.add_force(name, signal(rng, between(rng, 0.5, 10.0)))
    return m


def start(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities."""
    return 0.3 * rng.normal(size=n), one_of(rng, 0.0, 1.0) * rng.normal(size=n)


def normals(rng: Rng, n: int, count: int) -> list[np.ndarray]:
    """Directions; a third of those after the first repeat, oppose or combine earlier ones."""
    found: list[np.ndarray] = []
    for _ in range(count):
        w = rng.normal(size=n)
        if found and rng.random() < 0.33:
            one, other = (found[int(rng.integers(len(found)))] for _ in range(2))
            w = one_of(rng, one, 2.0 * one, one + other if np.any(one + other) else one)
        found.append(w)
    return found


def distance(rng: Rng) -> float:
    """Gap at the start: none in half of the cases."""
    return one_of(rng, 0.0, 0.0, float(rng.uniform(0.01, 0.5)), between(rng, 1e-6, 1e-2))


def build(seed: int) -> Case:
    """A body among walls."""
    rng = np.random.default_rng([14003, seed])
    n, count = int(rng.integers(1, 5)), int(rng.integers(1, 7))
    m = plant(rng, n)
    q, v = start(rng, n)
    restitution = one_of(rng, None, 0.0, 0.5, 1.0)
    impact = one_of(rng, "poisson", "newton")
    for i, w in enumerate(normals(rng, n, count)):
        gap: Any = distance(rng) - float(w @ q)
        if rng.random() < 0.1:
            wave = ss.Sine(amplitude=0.1, frequency=between(rng, 0.3, 2.0))
            gap = wave + gap
        e = float(rng.uniform(0.0, 0.9)) if restitution is None else restitution
        m.add_contact(f"c{i}", normal=w, gap=gap, restitution=e, impact=impact)
    initial = {f"q{i}.position": q[i] for i in range(n)} | {f"q{i}.velocity": v[i] for i in range(n)}
    return Case(m, 2.0, {"initial": initial})
