"""Rows of masses under up to nine brakes: released, next to released, put on or let go on the way, or ordinary."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng


def _load(rng: Rng) -> Any:
    slope = float(rng.uniform(0.3, 2.0))
    step = ss.Step(slope, start=float(rng.uniform(0.3, 1.0)))
    share = float(rng.random())
    if share < 0.25:
        return 0.0
    if share < 0.45:
        return 10.0 ** float(rng.uniform(-12.0, -1.0))
    return step if share < 0.55 else slope - step if share < 0.65 else slope


def build(seed: int) -> Case:
    """One to four masses on springs, brakes on them and between them."""
    rng = np.random.default_rng([14021, seed])
    n = int(rng.integers(1, 5))
    names, k = [f"m{i}" for i in range(n)], np.zeros((n, n))
    for i in range(n - 1):
        e = np.zeros(n)
        e[[i, i + 1]] = 1.0, -1.0
        k += float(rng.uniform(1.0, 100.0)) * np.outer(e, e)
    k[0, 0] += 10.0 * float(rng.random() < 0.5)
    m = ss.Machine(mass=rng.uniform(0.3, 3.0, n), stiffness=k, names=names)
    for i in range(int(rng.integers(1, 10))):
        pair = n > 1 and rng.random() < 0.4
        on: Any = tuple(rng.choice(names, 2, replace=False).tolist()) if pair else str(rng.choice(names))
        law = ss.Coulomb(1.0, float(rng.uniform(0.5, 1.0)))
        m.add_friction(f"b{i}", on=on, law=law, normal_load=_load(rng))
    initial = {}
    for name in names:
        if rng.random() < 0.5:
            sine = rng.random() < 0.5
            force = ss.Sine(float(rng.uniform(0.3, 5.0)), 1.0) if sine else float(rng.uniform(-3.0, 3.0))
            m.add_force(name, force)
        if rng.random() < 0.5:
            initial[f"{name}.position"] = 0.3 * float(rng.normal())
        if rng.random() < 0.3:
            initial[f"{name}.velocity"] = float(rng.normal())
    return Case(m, 1.5, {"initial": initial})
