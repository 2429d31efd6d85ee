"""Machines that are not linear: pendulums, beads on curves, rods on floors, cams with followers, discs, sliding pucks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, levels, one_of, signal

G = 9.81
Wave = Callable[[Any], Any]


def _law(rng: Rng, size: float) -> ss.Law:
    kind, height = int(rng.integers(4)), levels(rng, size)
    if kind == 0:
        return ss.Coulomb(height["static"], height["kinetic"])
    if kind == 1:
        return ss.Stribeck(**height, viscous=one_of(rng, 0.0, 0.1))
    if kind == 2:
        return ss.LuGre(
            stiffness=size * between(rng, 30.0, 1e4), damping=size * between(rng, 0.3, 10.0), **height
        )
    return ss.Coulomb(height["kinetic"])


def _contact(rng: Rng, mu: float | None = None, stiff: float = 1e3) -> dict[str, Any]:
    """Friction and restitution, or compliance; without friction in a quarter of the cases."""
    mu = between(rng, 0.05, 0.8) if mu is None else mu
    friction = one_of(rng, mu, mu, ss.Coulomb(mu, float(rng.uniform(0.5, 1.0)) * mu), None)
    if rng.random() < 0.25:
        k = between(rng, stiff, 1e6)
        soft = one_of(rng, ss.HuntCrossley(k, float(rng.uniform(0.0, 0.5))), ss.KelvinVoigt(k, 0.1 * k**0.5))
        return {"friction": friction, "compliance": soft}
    impact, e = one_of(rng, "poisson", "newton"), one_of(rng, 0.0, 0.5, 0.9, lambda v: 0.8 / (1.0 + v))
    return {"friction": friction, "impact": impact, "restitution": e}


def _add(m: ss.Machine, name: str, gap: Any, tangent: Any, how: dict[str, Any]) -> None:
    m.add_contact(name, gap=gap, tangent=None if how["friction"] is None else tangent, **how)


def _pendulum(rng: Rng) -> Case:
    """One to three links with friction in their joints, driven, beside a wall."""
    n = int(rng.integers(1, 4))
    names, length, mass = [f"a{i}" for i in range(n)], rng.uniform(0.3, 1.5, n), rng.uniform(0.2, 3.0, n)
    beyond = np.cumsum(mass[::-1])[::-1]  # the mass that hangs on each link

    def masses(q: Any) -> Any:
        return [
            [beyond[max(i, j)] * length[i] * length[j] * ss.cos(q[names[i]] - q[names[j]]) for j in range(n)]
            for i in range(n)
        ]

    def forces(q: Any, v: Any) -> Any:
        out = {}
        for i, a in enumerate(names):
            total = -G * beyond[i] * length[i] * ss.sin(q[a])
            for j, b in enumerate(names):
                if j != i:
                    both = beyond[max(i, j)] * length[i] * length[j]
                    total = total - both * ss.sin(q[a] - q[b]) * v[b] ** 2
            out[a] = total
        return out

    m = ss.Machine(mass=masses, names=names)
    for name, force in ss.trace(forces, names).items():
        m.add_force(name, force)
    for i in range(n):
        on: Any = names[0] if i == 0 else (names[i], names[i - 1])
        size = 0.1 * G * beyond[i] * length[i]
        if rng.random() < 0.7:
            load: Any = 1.0
            if rng.random() < 0.4:  # bearings carry centrifugal forces too
                load = lambda q, v, i=i: 1.0 + 0.1 * v[names[i]] ** 2 + ss.cos(q[names[i]]) ** 2  # noqa: E731
            m.add_friction(f"joint{i}", on=on, law=_law(rng, size), normal_load=load)
        if rng.random() < 0.3:
            m.add_force(on, signal(rng, size))
    if rng.random() < 0.4:
        reach = float(length.sum())

        def wall(q: Any) -> Any:
            return reach - sum(length[i] * ss.sin(q[names[i]]) for i in range(n)) - 0.6 * reach

        def up(q: Any) -> Any:
            return {a: length[i] * ss.sin(q[a]) for i, a in enumerate(names)}

        _add(m, "wall", wall, up, _contact(rng))
    start = {f"{a}.position": float(rng.uniform(-2.5, 0.0)) for a in names}
    return Case(m, 3.0, {"initial": start | {f"{a}.velocity": float(rng.normal()) for a in names}})


def _curve(rng: Rng) -> tuple[Wave, Wave]:
    """A height over x and its slope."""
    a, k, b = 0.3 * float(rng.normal()), float(rng.uniform(0.5, 3.0)), float(rng.uniform(0.0, 0.5))
    return lambda x: a * ss.sin(k * x) + b * x * x, lambda x: a * k * ss.cos(k * x) + 2.0 * b * x


def _bead(rng: Rng) -> Case:
    """A bead on a wire, which is a constraint and may be shaken, or on a hill, which it may leave."""
    height, slope = _curve(rng)
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    shake = one_of(rng, 0.0, 0.05)
    pace = float(rng.uniform(2.0, 8.0))
    x0 = float(rng.uniform(-1.5, 1.5))
    at, rises = float(height(ss.Expr("x"))({"x": x0})), float(slope(ss.Expr("x"))({"x": x0}))

    def along(q: Any) -> Any:
        d = slope(q["x"])
        return {"x": 1.0 / ss.sqrt(1.0 + d * d), "y": d / ss.sqrt(1.0 + d * d)}

    def above(q: Any, t: Any) -> Any:
        return q["y"] - height(q["x"]) - shake * (1.0 - ss.cos(pace * t))

    v = float(rng.normal())
    start = {"x.position": x0, "y.position": at, "x.velocity": v, "y.velocity": v * rises}
    if rng.random() < 0.5:
        m.add_constraint("wire", on=above)
        if rng.random() < 0.8:
            load = one_of(rng, 1.0, lambda q, v: 1.0 + v["x"] ** 2)
            m.add_friction("rub", on=along, law=_law(rng, 2.0), normal_load=load)
    else:
        start["y.position"] = at + one_of(rng, 0.0, float(rng.uniform(0.01, 0.5)))
        _add(m, "hill", above, along, _contact(rng))
    if rng.random() < 0.5:
        m.add_force("x", signal(rng, 3.0, smooth=True))
    return Case(m, 3.0, {"initial": start})


def _rod(rng: Rng) -> Case:
    """Falls on its ends, onto a floor that is flat, wavy or shaken, and slides."""
    half, inertia = float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.1, 0.5))
    m = ss.Machine(mass=[1.0, 1.0, inertia * half**2], names=["x", "y", "tilt"], force={"y": -G})
    wave, shake = one_of(rng, 0.0, 0.0, 0.05), one_of(rng, 0.0, 0.0, 0.03)
    pace, how = float(rng.uniform(2.0, 8.0)), _contact(rng)
    for end, side in {"left": -1.0, "right": 1.0}.items():
        if end == "left" or rng.random() < 0.7:

            def gap(q: Any, t: Any, side: float = side) -> Any:
                x, y = q["x"] + side * half * ss.cos(q["tilt"]), q["y"] + side * half * ss.sin(q["tilt"])
                return y - wave * ss.sin(3.0 * x) - shake * (1.0 - ss.cos(pace * t))

            def sliding(q: Any, side: float = side) -> Any:
                return {"x": 1.0, "tilt": -side * half * ss.sin(q["tilt"])}

            _add(m, end, gap, sliding, how)
    start = {"y.position": half + 0.2, "tilt.position": float(rng.uniform(-1.5, 1.5))}
    start |= {"x.velocity": 2.0 * float(rng.normal()), "tilt.velocity": 2.0 * float(rng.normal())}
    return Case(m, 1.0, {"initial": start})


def _cam(rng: Rng) -> Case:
    """A sprung follower on a cam that a motor turns, with friction in its guide."""
    r, lift = float(rng.uniform(0.02, 0.06)), float(rng.uniform(0.002, 0.01))
    m = ss.Machine(mass=[0.2, 0.01], stiffness=[between(rng, 100.0, 2e3), 0.0], names=["y", "shaft"])
    m.add_force("y", -float(rng.uniform(5.0, 50.0)))
    second = one_of(rng, 0.0, 0.1 * lift)
    cam = ss.contours.Polar([r + lift, -lift, second]).on(angle=ss.Expr("shaft.position"))
    roller = ss.contours.Circle(float(rng.uniform(0.005, 0.02))).on(y=ss.Expr("y.position"))
    gap = ss.contours.gap(cam, roller)
    _add(m, "cam", gap, ss.contours.sliding(cam, roller), _contact(rng, mu=0.1, stiff=1e5))
    speed = float(rng.uniform(10.0, 150.0))
    driven = rng.random() < 0.5
    if driven:
        m.add_constraint("motor", on="shaft", rate=speed)
    else:
        m.add_force("shaft", lambda v: 0.05 * (speed - v["shaft"]))
    if rng.random() < 0.6:
        m.add_friction("guide", on="y", law=_law(rng, 2.0))
    up = 1.0
    for _ in range(20):
        up -= float(gap({"y.position": up, "shaft.position": 0.5 * np.pi}))
    start = {"y.position": up + one_of(rng, 1e-3, 0.0), "shaft.position": 0.5 * np.pi}
    if not driven:
        start["shaft.velocity"] = speed
    return Case(m, 0.4, {"initial": start})


def _disc(rng: Rng) -> Case:
    """A body on a line, a hill, or in a drum, which rolls, slides, lifts off and returns."""
    r = float(rng.uniform(0.1, 0.4))
    m = ss.Machine(
        mass=[1.0, 1.0, float(rng.uniform(0.2, 1.0)) * r * r], names=["x", "y", "turn"], force={"y": -G}
    )
    disc = ss.contours.Circle(r).on(*(ss.Expr(f"{name}.position") for name in m.names))
    angle = float(rng.uniform(-0.6, 0.6))
    fixed, path = one_of(
        rng,
        (ss.contours.Line(angle=-angle), r),
        (ss.contours.Circle(1.0), 1.0 + r),
        (ss.contours.Circle(1.0, hollow=True), r - 1.0),
    )
    how, ground = _contact(rng), fixed.on()
    _add(m, "ground", ss.contours.gap(ground, disc), ss.contours.sliding(ground, disc), how)
    if rng.random() < 0.4:
        m.add_friction("brake", on="turn", law=_law(rng, 0.3))
    if rng.random() < 0.4:
        m.add_force("turn", signal(rng, 1.0))
    away = abs(path) + np.sign(path) * one_of(rng, 0.0, 0.2)
    start = {
        "x.position": np.sign(path) * away * np.sin(angle),
        "y.position": np.sign(path) * away * np.cos(angle),
    }
    speed = one_of(rng, 0.0, float(rng.normal()))
    start |= {"x.velocity": speed * np.cos(angle), "y.velocity": -speed * np.sin(angle)}
    start["turn.velocity"] = one_of(rng, -speed / r, 5.0 * float(rng.normal()))
    return Case(m, 1.5, {"initial": {name: float(x) for name, x in start.items()}})


def _puck(rng: Rng) -> Case:
    """Lands on a floor and slides in two directions, held by springs and pulled."""
    m = ss.Machine(
        mass=rng.uniform(0.5, 2.0, 3), stiffness=[*rng.uniform(0.0, 20.0, 2), 0.0], names=["x", "y", "z"],
        force={"z": -G},
    )  # fmt: skip
    for name in ("x", "y"):
        m.add_force(name, signal(rng, between(rng, 1.0, 10.0)))
    mu = between(rng, 0.05, 0.8)
    m.add_contact(
        "floor", normal={"z": 1.0, "x": one_of(rng, 0.0, 0.2)}, tangent={"x": 1.0}, second_tangent={"y": 1.0},
        friction=one_of(rng, mu, ss.Coulomb(mu, float(rng.uniform(0.5, 1.0)) * mu)), facets=one_of(rng, 4, 8),
        restitution=one_of(rng, 0.0, 0.5), impact=one_of(rng, "poisson", "newton"),
    )  # fmt: skip
    start = {f"{name}.velocity": one_of(rng, 0.0, float(rng.normal())) for name in ("x", "y")}
    return Case(m, 2.0, {"initial": {"z.position": one_of(rng, 0.0, 0.2), **start}})


def build(seed: int) -> Case:
    """One of them."""
    rng = np.random.default_rng([16009, seed])
    case: Case = one_of(rng, _pendulum, _bead, _rod, _cam, _disc, _puck)(rng)
    return case
