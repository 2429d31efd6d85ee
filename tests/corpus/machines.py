"""Machines of the corpus: published ones, and random ones over every element, law and option.

Only public names of the package are used, so that the same file describes the same machines to any version of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import stickslip as ss


@dataclass
class Case:
    """A machine, and how it is run."""

    machine: Any
    t_end: float
    options: dict[str, Any] = field(default_factory=dict)


def belt() -> Case:
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return Case(m, 60.0, {"initial": {"block.velocity": 0.2}})


TABLE_I = {"stiffness": 1e5, "damping": 316.22776601683796, "static": 1.5, "kinetic": 1.0, "viscous": 0.4}


def lugre_pull() -> Case:
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"], force={"block": ss.Ramp(slope=0.2)})
    m.add_friction("floor", on="block", law=ss.LuGre(stribeck_velocity=1e-3, **TABLE_I))
    return Case(m, 20.0)


def hunting() -> Case:
    m = ss.Machine(mass=[1.0], names=["slide"])
    m.add_friction("guide", on="slide", law=ss.LuGre(stribeck_velocity=1e-3, **TABLE_I))
    m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), on="slide", reference=ss.Constant(1.0))
    return Case(m, 40.0)


def two_tonne_table(law: ss.Law | None, **sampling: float | None) -> ss.machines.TwoMassDrive:
    """A table of 2 t behind a spring, under a cascade with this `period` and `delay`."""
    return ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=5e6,
        damping=1341.64,
        load_friction=law,
        normal_load=9810.0,
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3, **sampling),
        reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )


def drive(static: float, kinetic: float, period: float | None = None) -> Case:
    law = ss.Stribeck(static=static, kinetic=kinetic, stribeck_velocity=1e-3) if static else None
    return Case(two_tonne_table(law, period=period), 2.0)


def wedge(m1: float, m2: float, k: float, v: float, restitution: float, t_end: float) -> Case:
    built = ss.machines.wedge_gear(
        upper_mass=m1,
        lower_mass=m2,
        angle=np.deg2rad(12),
        friction=np.tan(np.deg2rad(14)),
        load=100.0,
        stiffness=k,
        pull_velocity=v,
        restitution=restitution,
    )
    return Case(built, t_end)


def bouncing_block() -> Case:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    return Case(m, 2.0, {"initial": {"y.position": 1.0, "x.velocity": 1.0}})


def automaton_load() -> Case:
    ramp = ss.Piecewise([0.0, 2.0, 4.0, 6.0], [0.0, 2.0, 2.0, 0.0])
    m = ss.Machine(mass=0.1, damping=0.1, stiffness=100.0, names=["mass"], force={"mass": ramp})
    law = ss.StickSlip(
        ss.Stribeck(static=0.01, kinetic=0.008, stribeck_velocity=1e-3, shape=1.0), load_factor=0.5
    )
    m.add_friction("surface", on="mass", law=law, load={"mass.position": 100.0})
    return Case(m, 8.0)


def worm(inertia: float, speed: float) -> Case:
    built = ss.machines.worm_gear(
        wheel_inertia=inertia,
        worm_inertia=1.56e-3,
        wheel_radius=0.05,
        worm_radius=0.036,
        lead_angle=np.deg2rad(3.18),
        friction=0.4,
        load_torque=3.53,
        shaft_stiffness=20.0,
        motor_speed=-speed * np.pi / 30.0,
    )
    return Case(built, 1.0)


def matrices() -> Case:
    plant = ss.StateSpace(
        A=[[0.0, 1.0], [-2.0, -0.1]],
        B=[0.0, 1.0],
        C=[[1.0, 0.0], [0.0, 1.0]],
        outputs=["x", "v"],
        signals={"u0": ss.Sine(amplitude=2.0, frequency=0.3)},
    )
    plant.add_friction("guide", law=ss.Coulomb(static=1.0, kinetic=0.8), on="u0", velocity="v")
    return Case(plant, 20.0)


def feedforward() -> Case:
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.01)
    m = ss.Machine(mass=[1.0], names=["slide"])
    m.add_friction("guide", on="slide", law=law)
    move = ss.Sine(amplitude=0.1, frequency=0.5)
    m.add_controller(ss.PID(kp=100.0, ki=50.0, kd=20.0), on="slide", reference=move)
    m.add_controller(ss.FrictionFeedforward(law), on="slide", reference=move)
    return Case(m, 6.0)


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _signal(rng: np.random.Generator, size: float) -> ss.Signal:
    kind = rng.integers(5)
    if kind == 0:
        return ss.Sine(amplitude=size, frequency=_between(rng, 0.1, 3.0), phase=float(rng.uniform(0, 6)))
    if kind == 1:
        return ss.Ramp(
            slope=size * float(rng.normal()), start=float(rng.uniform(0, 2)), stop=float(rng.uniform(3, 6))
        )
    if kind == 2:
        return ss.Piecewise(np.cumsum(rng.uniform(0.2, 1.5, 5)), size * rng.normal(size=5))
    if kind == 3:
        return ss.SmoothStep(size, start=float(rng.uniform(0, 2)), duration=_between(rng, 0.5, 3.0))
    return ss.Constant(size * float(rng.normal()))


def _law(rng: np.random.Generator) -> ss.Law:
    static = _between(rng, 0.2, 4.0)
    kinetic = static * float(rng.choice([1.0, rng.uniform(0.4, 1.0)]))
    curve = {"static": static, "kinetic": kinetic, "stribeck_velocity": _between(rng, 0.01, 0.5)}
    kind = rng.integers(10)
    if kind < 3:
        return ss.Coulomb(static=static, kinetic=kinetic) + ss.Viscous(float(rng.choice([0.0, 0.2])))
    if kind < 6:
        return ss.Stribeck(
            **curve, shape=float(rng.choice([0.5, 1.0, 2.0])), viscous=float(rng.choice([0.0, 0.1]))
        )
    if kind == 6:
        return ss.LuGre(
            stiffness=_between(rng, 1e2, 1e4), damping=_between(rng, 0.1, 5.0), viscous=0.1, **curve
        )
    if kind == 7:
        return ss.Dahl(stiffness=_between(rng, 1e2, 1e3), kinetic=kinetic)
    presliding = ss.Presliding(travel=1e-2, damping=1.0) if rng.integers(2) else None
    return ss.StickSlip(
        ss.Stribeck(**curve),
        memory=float(rng.choice([0.02, 0.1])),
        dwell=float(rng.choice([0.0, 0.5])),
        presliding=presliding,
    )


def _chain(rng: np.random.Generator) -> tuple[ss.Machine, list[str]]:
    n = int(rng.integers(1, 5))
    names = [f"q{i}" for i in range(n)]
    k, d = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n - 1):
        pair = np.ix_([i, i + 1], [i, i + 1])
        k[pair] += _between(rng, 0.3, 30.0) * np.array([[1, -1], [-1, 1]])
        d[pair] += rng.integers(2) * _between(rng, 0.01, 1.0) * np.array([[1, -1], [-1, 1]])
    k[0, 0] += _between(rng, 0.3, 30.0)
    return ss.Machine(mass=10 ** rng.uniform(-1, 1, n), stiffness=k, damping=d, names=names), names


def random_friction(seed: int) -> Case:
    rng = np.random.default_rng([1, seed])
    m, names = _chain(rng)
    for name in names:
        if rng.random() < 0.6:
            m.add_force(name, _signal(rng, _between(rng, 0.5, 10.0)))
    for p in range(int(rng.integers(1, 4))):
        pair = len(names) > 1 and rng.random() < 0.3
        on = tuple(rng.choice(names, 2, replace=False).tolist()) if pair else str(rng.choice(names))
        load: Any = float(rng.uniform(0.5, 2.0))
        if rng.random() < 0.3:
            load = ss.Sine(amplitude=0.8 * load, frequency=_between(rng, 0.1, 2.0), offset=load)
        belt = _signal(rng, 0.3) if rng.random() < 0.3 and not pair else 0.0
        m.add_friction(f"p{p}", on=on, law=_law(rng), normal_load=load, surface_velocity=belt)
    method = str(rng.choice(["auto", "auto", "explicit"]))
    initial = {f"{name}.position": 0.3 * float(rng.normal()) for name in names}
    initial |= {f"{name}.velocity": float(rng.normal()) for name in names}
    return Case(m, 6.0, {"initial": initial, "method": method})


def random_control(seed: int) -> Case:
    rng = np.random.default_rng([2, seed])
    m, names = _chain(rng)
    m.add_friction("guide", on=names[-1], law=_law(rng))
    period = float(rng.choice([0.0, 0.01, 0.05]))
    sampled = {"period": period, "delay": float(rng.choice([0.0, 0.5])) * period} if period else {}
    limits = {
        "limits": _between(rng, 0.5, 8.0),
        "anti_windup": str(rng.choice(["clamping", "back_calculation"])),
    }
    reference = _signal(rng, 1.0) if not period else ss.Sine(amplitude=1.0, frequency=0.4)
    if rng.integers(2):
        loop: Any = ss.PID(
            kp=_between(rng, 1, 20), ki=_between(rng, 0.1, 5), kd=_between(rng, 0.1, 3), **sampled, **limits
        )
        m.add_controller(loop, on=names[0], reference=reference)
    else:
        reference = ss.SmoothStep(1.0, duration=0.5)
        loop = ss.Cascade(
            kv=_between(rng, 2, 20), kp=_between(rng, 2, 20), tn=_between(rng, 0.05, 1), **sampled, **limits
        )
        m.add_controller(loop, on=names[0], reference=reference)
    return Case(m, 4.0)


def random_contact(seed: int) -> Case:
    rng = np.random.default_rng([3, seed])
    n = int(rng.integers(1, 4))
    names = [f"q{i}" for i in range(n)]
    m = ss.Machine(
        mass=10 ** rng.uniform(-0.5, 0.5, n), stiffness=10 ** rng.uniform(0, 1.5, n), damping=0.1, names=names
    )
    for name in names:
        if rng.random() < 0.5:
            m.add_force(name, _signal(rng, 3.0))
    for c in range(int(rng.integers(1, 3))):
        normal, tangent = rng.normal(size=n), rng.normal(size=n)
        rough = n > 1 and rng.random() < 0.6
        m.add_contact(
            f"c{c}",
            normal=normal,
            tangent=tangent if rough else None,
            friction=ss.Coulomb(static=float(rng.uniform(0.3, 0.5)), kinetic=float(rng.uniform(0.1, 0.3)))
            if rough
            else None,
            gap=float(rng.uniform(0.1, 1.0)),
            restitution=float(rng.choice([0.0, 0.5, 0.8])),
            impact=str(rng.choice(["poisson", "newton"])),
        )
    return Case(m, 4.0, {"initial": {f"{names[0]}.velocity": float(rng.normal())}})


PUBLISHED: dict[str, Callable[[], Case]] = {
    "belt": belt,
    "lugre_pull": lugre_pull,
    "hunting": hunting,
    "drive_a": lambda: drive(0.0, 0.0),
    "drive_b": lambda: drive(0.0007, 0.0006),
    "drive_c": lambda: drive(0.007, 0.006),
    "drive_c_sampled": lambda: drive(0.007, 0.006, period=1e-3),
    "wedge_1": lambda: wedge(2.42, 108.78, 2000.0, 0.002, 0.0, 4.0),
    "wedge_2": lambda: wedge(2420.0, 10.878, 4000.0, 0.01, 0.0, 2.0),
    "wedge_2_elastic": lambda: wedge(2420.0, 10.878, 4000.0, 0.01, 0.3, 0.6),
    "worm_slides": lambda: worm(14343e-6, 4.5),
    "worm_chatters": lambda: worm(875424e-6, 4.5),
    "bouncing_block": bouncing_block,
    "matrices": matrices,
    "feedforward": feedforward,
    "automaton_load": automaton_load,
}


def cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """Every case by its name, built when called."""
    yield from PUBLISHED.items()
    for kind in (random_friction, random_control, random_contact):
        for seed in range(120 if kind is random_friction else 60):
            yield f"{kind.__name__}_{seed}", lambda kind=kind, seed=seed: kind(seed)
