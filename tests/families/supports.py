"""Beams and tables on more feet than they need, at rest or dropped, pushed aside or lifted."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from families.case import Case, between, one_of, signal


def build(seed: int) -> Case:
    """A beam (x, y, angle) of unit length on two to five feet on one floor, linear in its angle."""
    rng = np.random.default_rng([14006, seed])
    feet = int(rng.integers(2, 6))
    mass, height = between(rng, 0.1, 10.0), one_of(rng, 0.0, float(rng.uniform(0.02, 0.5)))
    m = ss.Machine(mass=[mass, mass, mass * float(rng.uniform(0.05, 0.2))], names=["x", "y", "phi"])
    m.add_force("y", -9.81 * mass)
    if rng.random() < 0.6:
        m.add_force("x", signal(rng, between(rng, 0.1, 10.0) * mass))
    if rng.random() < 0.4:
        m.add_force("phi", signal(rng, between(rng, 0.1, 3.0) * mass))
    rough = rng.random() < 0.75
    same = rng.random() < 0.5
    mu = between(rng, 0.05, 1.0)
    dropped = rng.random() < 0.4
    restitution = one_of(rng, 0.0, 0.0, 0.5)
    at = np.linspace(-0.5, 0.5, feet) if rng.random() < 0.5 else np.sort(rng.uniform(-0.5, 0.5, feet))
    for i, place in enumerate(at):
        own = mu if same else between(rng, 0.05, 1.0)
        law = one_of(rng, own, ss.Coulomb(static=1.3 * own, kinetic=own))
        m.add_contact(
            f"foot{i}", normal={"y": 1.0, "phi": float(place)}, tangent={"x": 1.0, "phi": height} if rough else None,
            friction=law if rough else None, gap=0.0, restitution=restitution,
        )  # fmt: skip
    initial = {"x.velocity": one_of(rng, 0.0, float(rng.normal()))}
    if dropped:
        initial |= {
            "y.position": float(rng.uniform(0.3, 0.6)),
            "phi.position": one_of(rng, 0.0, float(rng.uniform(-0.5, 0.5))),
        }
    return Case(m, 1.0, {"initial": initial})
