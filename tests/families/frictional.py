"""One to six frictional contacts: of a particle, of a rigid body in the plane, or with arbitrary rows."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal
from families.contacts import distance, plant, start


def law(rng: Rng) -> ss.Law | float:
    """Friction per unit of normal force."""
    static = between(rng, 0.05, 1.2)
    kinetic = static * one_of(rng, 1.0, float(rng.uniform(0.4, 1.0)))
    kind = int(rng.integers(5))
    if kind < 2:
        return static
    if kind == 2:
        return ss.Coulomb(static=static, kinetic=kinetic)
    if kind == 3:
        return ss.Stribeck(static=static, kinetic=kinetic, stribeck_velocity=between(rng, 0.01, 0.5))
    return ss.Coulomb(static=static, kinetic=kinetic) + ss.Viscous(between(rng, 0.01, 0.3))


def _rows(rng: Rng, kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    if kind == "rows":
        return rng.normal(size=n), rng.normal(size=n)
    angle = float(rng.uniform(0.0, 2.0 * np.pi)) if rng.random() < 0.5 else 0.5 * np.pi
    normal = np.array([np.cos(angle), np.sin(angle)])
    tangent = np.array([-normal[1], normal[0]])
    if kind == "particle":
        return normal, tangent
    arm = rng.normal(size=2)
    turn = [float(arm[0] * d[1] - arm[1] * d[0]) for d in (normal, tangent)]
    return np.append(normal, turn[0]), np.append(tangent, turn[1])


def build(seed: int) -> Case:
    """A body that slides, sticks and has impacts."""
    rng = np.random.default_rng([14004, seed])
    kind = one_of(rng, "particle", "body", "body", "rows")
    n = {"particle": 2, "body": 3, "rows": int(rng.integers(2, 5))}[kind]
    m = plant(rng, n)
    if rng.random() < 0.7:
        m.add_force("q1", -9.81)
    q, v = start(rng, n)
    restitution = one_of(rng, 0.0, 0.0, float(rng.uniform(0.0, 0.9)))
    impact = one_of(rng, "poisson", "newton")
    for i in range(int(rng.integers(1, 7))):
        w, t = _rows(rng, kind, n)
        smooth = rng.random() < 0.15
        belt = signal(rng, 0.3, smooth=True) if rng.random() < 0.1 else 0.0
        m.add_contact(
            f"c{i}", normal=w, tangent=None if smooth else t, friction=None if smooth else law(rng),
            gap=distance(rng) - float(w @ q), restitution=restitution, impact=impact,
            surface_velocity=0.0 if smooth else belt,
        )  # fmt: skip
    initial = {f"q{i}.position": q[i] for i in range(n)} | {f"q{i}.velocity": v[i] for i in range(n)}
    return Case(m, 1.5, {"initial": initial})
