"""Friction loaded by the force of a constraint: rails, meshes and beads, each held against the same machine with a guide.

Reaction and friction amplify each other by less than one, so that every machine has one motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal, spd


def _law(rng: Rng, most: float) -> ss.Law:
    """Friction per unit of the reaction, at most this."""
    static = min(between(rng, 0.05, 1.2), most)
    kinetic = static * one_of(rng, 1.0, float(rng.uniform(0.4, 1.0)))
    if rng.random() < 0.3:
        return ss.Stribeck(static=static, kinetic=kinetic, stribeck_velocity=between(rng, 0.01, 0.5))
    return ss.Coulomb(static=static, kinetic=kinetic)


def _against_guide(
    m: ss.Machine, guided: ss.Machine, t_end: float, initial: dict[str, float], guide: str, friction: str
) -> Case:
    """The case of a machine that moves as another one with a guide."""

    def check(run: ss.Trajectory) -> str:
        other = ss.simulate(guided, t_end, initial=initial)
        t = np.linspace(0.0, t_end, 101)
        one, two = run.at(t), other.at(t)
        n = len(m.names)
        off, size = np.abs(run.sol(t)[:n] - other.sol(t)[:n]).max(), np.abs(run.sol(t)[:n]).max()
        if off > 1e-7 * size + 1e-12:
            return f"positions differ by {off:g} of {size:g}"
        sides = [other[f"{guide}_{side}.normal_force"] for side in ("lower", "upper")]
        reach = max(float(side.max()) for side in sides) + 1e-12
        force = two[f"{guide}_upper.normal_force"] - two[f"{guide}_lower.normal_force"]
        moved = np.median(np.abs(one[f"{guide}.force"] - force))  # but for samples beside a jump
        loaded = np.median(np.abs(one[f"{friction}.load"] - np.abs(one[f"{guide}.force"])))
        return (
            ""
            if max(moved, loaded) <= 1e-6 * reach
            else f"forces differ by {moved:g}, {loaded:g} of {reach:g}"
        )

    return Case(m, t_end, {"initial": initial}, check=check)


def _rail(rng: Rng) -> Case:
    """A body with two to four coordinates on an oblique rail that may move, with friction along any direction."""
    n = int(rng.integers(2, 5))
    names = [f"q{i}" for i in range(n)]
    mass, w, along = spd(rng, n), rng.normal(size=n), rng.normal(size=n)
    inverse = np.linalg.inv(mass)
    amplified = abs(along @ inverse @ w) / (w @ inverse @ w)
    law = _law(rng, 0.9 / amplified)
    value = one_of(rng, 0.0, 0.0, ss.Sine(between(rng, 1e-3, 0.1), between(rng, 0.3, 2.0)))
    springs = between(rng, 0.5, 50.0) * np.diag(rng.integers(0, 2, n).astype(float))
    machines = [ss.Machine(mass, stiffness=springs, damping=0.1, names=names) for _ in range(2)]
    pushes = {name: signal(rng, between(rng, 0.5, 10.0)) for name in names}
    belt = one_of(rng, 0.0, 0.0, float(rng.normal()))
    for m in machines:
        for name, push in pushes.items():
            m.add_force(name, push)
    on, tangent = dict(zip(names, w.tolist(), strict=True)), dict(zip(names, along.tolist(), strict=True))
    ours, guided = machines
    ours.add_constraint("rail", on, value)
    ours.add_friction("shoe", tangent, law, "rail.force", surface_velocity=belt)
    for side, sign in (("lower", 1.0), ("upper", -1.0)):
        guided.add_contact(
            f"rail_{side}", {k: sign * v for k, v in on.items()}, tangent, law, gap=-sign * ss.as_signal(value),
            surface_velocity=belt,
        )  # fmt: skip
    held = ss.as_signal(value).compiled
    q, v = rng.normal(size=n), rng.normal(size=n)
    q -= w * (w @ q - held.value(0.0, 0)) / (w @ w)
    v -= w * (w @ v - held.value(0.0, 1)) / (w @ w)
    initial = {f"{k}.position": float(x) for k, x in zip(names, q, strict=True)}
    initial |= {f"{k}.velocity": float(x) for k, x in zip(names, v, strict=True)}
    return _against_guide(ours, guided, 1.5, initial, "rail", "shoe")


def _mesh(rng: Rng) -> Case:
    """A gear whose losses grow with its torque."""
    ratio, mu = between(rng, 0.3, 3.0) * one_of(rng, 1.0, -1.0), between(rng, 0.02, 0.8)
    mass = 10.0 ** rng.uniform(-1.0, 1.5, 2)
    pushes = [signal(rng, between(rng, 1.0, 10.0)) for _ in range(2)]
    amplified = abs(1.0 / mass[0] - ratio**2 / mass[1]) / (1.0 / mass[0] + ratio**2 / mass[1])
    law = _law(rng, min(mu, 0.9 / amplified))
    machines = [ss.Machine(mass, damping=0.05, names=["a", "b"]) for _ in range(2)]
    for m in machines:
        for name, push in zip(("a", "b"), pushes, strict=True):
            m.add_force(name, push)
    ours, guided = machines
    mesh, sliding = {"a": 1.0, "b": -ratio}, {"a": 1.0, "b": ratio}
    ours.add_constraint("mesh", mesh)
    ours.add_friction("teeth", sliding, law, "mesh.force")
    guided.add_guide("mesh", mesh, sliding, law)
    return _against_guide(ours, guided, 2.0, {}, "mesh", "teeth")


def _bead(rng: Rng) -> Case:
    """A bead on a wire, round or elliptic, under its weight and a force."""
    a, b = between(rng, 0.3, 1.5), between(rng, 0.3, 1.5)
    law, mass = _law(rng, 0.8), between(rng, 0.2, 3.0)
    push = signal(rng, between(rng, 0.5, 10.0), smooth=True)

    def wire(q: Any) -> Any:
        return ss.math.hypot(q["x"] / a, q["y"] / b) - 1.0

    def slides(q: Any) -> Any:
        x, y = q["x"] / a**2, q["y"] / b**2
        size = ss.math.hypot(x, y)
        return [-y / size, x / size]

    machines = [
        ss.Machine([mass, mass], names=["x", "y"], force={"x": push, "y": -9.81 * mass}) for _ in range(2)
    ]
    ours, guided = machines
    ours.add_constraint("wire", wire)
    ours.add_friction("bead", slides, law, "wire.force")
    guided.add_guide("wire", wire, slides, law)
    angle, speed = float(rng.uniform(0.0, 2.0 * np.pi)), one_of(rng, 0.0, float(rng.normal()))
    x, y = a * np.cos(angle), b * np.sin(angle)
    way = np.array([-y / b**2, x / a**2])
    vx, vy = speed * way / np.linalg.norm(way)
    initial = {"x.position": x, "y.position": y, "x.velocity": vx, "y.velocity": vy}
    return _against_guide(ours, guided, 2.0, {k: float(v) for k, v in initial.items()}, "wire", "bead")


def build(seed: int) -> Case:
    """One of them."""
    rng = np.random.default_rng([37002, seed])
    case: Case = one_of(rng, _rail, _mesh, _bead)(rng)
    return case
