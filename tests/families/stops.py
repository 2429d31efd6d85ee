"""Bodies between opposed stops, with backlash from none to large, pushed to and fro."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from families.case import Case, between, one_of, signal


def build(seed: int) -> Case:
    """One to three bodies in a row, each of them, or each pair, between two stops."""
    rng = np.random.default_rng([14007, seed])
    n = int(rng.integers(1, 4))
    names = [f"b{i}" for i in range(n)]
    k = np.zeros((n, n))
    for i in range(n - 1):
        e = np.zeros(n)
        e[[i, i + 1]] = 1.0, -1.0
        k += one_of(rng, 0.0, between(rng, 1.0, 1e3)) * np.outer(e, e)
    m = ss.Machine(
        mass=10.0 ** rng.uniform(-1.0, 1.0, n), stiffness=k, damping=one_of(rng, 0.0, 0.1), names=names
    )
    for i, name in enumerate(names):
        if i == 0 or rng.random() < 0.6:
            m.add_force(name, signal(rng, between(rng, 0.5, 20.0)))
        if rng.random() < 0.3:
            m.add_friction(f"guide of {name}", on=name, law=ss.Coulomb(between(rng, 0.1, 5.0)))
    impact, e = one_of(rng, "poisson", "newton"), one_of(rng, 0.0, 0.0, 0.5, 0.9)
    for i in range(n):
        if i > 0 and rng.random() < 0.4:
            continue
        form = {names[i]: 1.0} if i == 0 or rng.random() < 0.5 else {names[i]: 1.0, names[i - 1]: -1.0}
        backlash = one_of(rng, 0.0, 0.0, between(rng, 1e-14, 1e-9), between(rng, 1e-6, 0.3))
        rough = n > 1 and rng.random() < 0.3
        for side, stop in ((1.0, "low"), (-1.0, "high")):
            m.add_contact(
                f"{stop}{i}", normal={name: side * f for name, f in form.items()}, gap=0.5 * backlash,
                tangent={names[(i + 1) % n]: 1.0} if rough else None, friction=0.2 if rough else None,
                restitution=e, impact=impact,
            )  # fmt: skip
    return Case(m, 2.0)
