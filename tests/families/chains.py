"""Chains of masses with friction of every law and option."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, levels, now_and_then_released, one_of, signal


def _curve(rng: Rng) -> ss.Law:
    kind, height = int(rng.integers(6)), levels(rng, 1.0)
    viscous = one_of(rng, 0.0, between(rng, 0.01, 1.0))
    if kind == 0:
        return ss.Coulomb(static=height["static"], kinetic=height["kinetic"]) + ss.Viscous(viscous)
    if kind == 1:
        return ss.Coulomb(static=height["static"], kinetic=height["kinetic"])
    if kind in (2, 3):
        return ss.Stribeck(
            **height, shape=one_of(rng, 0.5, 1.0, 2.0, 1.7), form=one_of(rng, "exponential", "lorentzian"),
            viscous=viscous, viscous_exponent=one_of(rng, 1.0, 1.0, 2.0, 0.7),
        )  # fmt: skip
    if kind == 4:
        x = np.concatenate([[0.0], np.cumsum(rng.uniform(0.05, 0.5, 3))])
        return ss.Table(x, height["static"] * np.concatenate([[1.0], rng.uniform(0.4, 1.0, 3)]), odd=True)
    low, high = (height["static"] * float(rng.uniform(0.5, 1.5)) for _ in range(2))
    return ss.Table([-1.0, 0.0, 0.0, 1.0], [-0.7 * low, -low, high, 0.6 * high])


def _bristle(rng: Rng) -> ss.Law:
    kind, height = int(rng.integers(8)), levels(rng, 1.0)
    stiffness, damping = between(rng, 30.0, 1e5), between(rng, 0.03, 3.0)
    one = height["kinetic"]
    if kind == 0:
        return ss.LuGre(stiffness=stiffness, damping=damping * np.sqrt(stiffness), viscous=0.1, **height)
    if kind == 1:
        return ss.Dahl(stiffness=stiffness, kinetic=one, exponent=one_of(rng, 1.0, 1.5))
    if kind == 2:
        return ss.BoucWen(
            stiffness=stiffness, kinetic=one, exponent=one_of(rng, 1.0, 2.0), beta=one_of(rng, 0.5, 0.8)
        )
    if kind == 3:
        return ss.ElastoPlastic(stiffness=stiffness, damping=damping * np.sqrt(stiffness), **height)
    if kind == 4:
        return ss.MaxwellSlip(stiffness=(stiffness * rng.uniform(0.2, 1.0, 3)).tolist(), kinetic=one)
    if kind == 5:
        return ss.Leuven(stiffness=stiffness, height=3.0 * height["static"], damping=damping, **height)
    if kind == 6:
        return ss.TwoStateBristle(
            stiffness=stiffness, damping=damping * np.sqrt(stiffness), viscous=0.1, **height
        )
    return ss.Tanh(width=between(rng, 1e-3, 0.1), **height)


def _automaton(rng: Rng) -> ss.Law:
    memory = one_of(rng, None, between(rng, 0.005, 0.3))
    presliding = one_of(
        rng, None, ss.Presliding(between(rng, 1e-4, 1e-1), one_of(rng, 0.0, between(rng, 0.1, 3.0)))
    )
    dwell = one_of(rng, 0.0, between(rng, 0.05, 2.0)) if memory else 0.0
    curve = ss.Stribeck(**levels(rng, 1.0), viscous=one_of(rng, 0.0, 0.1))
    return ss.StickSlip(curve, memory, dwell, presliding, one_of(rng, 0.0, float(rng.uniform(0.1, 0.8))))


def any_law(rng: Rng) -> ss.Law:
    """Any law of about unit size: a curve, a bristle, or Stribeck's curve with memory, dwell or presliding."""
    kind: Callable[[Rng], ss.Law] = one_of(rng, _curve, _curve, _bristle, _automaton)
    return kind(rng)


def _plant(rng: Rng) -> tuple[ss.Machine, list[str]]:
    n = int(rng.integers(1, 6))
    names = [f"m{i}" for i in range(n)]
    k, c = np.zeros((n, n)), np.zeros((n, n))
    links = [(i, i + 1) for i in range(n - 1)] + ([(0, n - 1)] if n > 2 and rng.random() < 0.2 else [])
    for i, j in links:
        e = np.zeros(n)
        e[[i, j]] = 1.0, -1.0
        k += between(rng, 0.3, 300.0) * np.outer(e, e)
        c += one_of(rng, 0.0, between(rng, 0.01, 3.0)) * np.outer(e, e)
    k[0, 0] += one_of(rng, 0.0, between(rng, 0.3, 100.0))
    c[-1, -1] += one_of(rng, 0.0, between(rng, 0.01, 1.0))
    return ss.Machine(mass=10.0 ** rng.uniform(-1.0, 1.0, n), stiffness=k, damping=c, names=names), names


def build(seed: int) -> Case:
    """One to five masses with one to four places of friction, driven by forces and belts."""
    rng, released = np.random.default_rng([14001, seed]), np.random.default_rng([14010, seed])
    m, names = _plant(rng)
    for name in names:
        if rng.random() < 0.6:
            m.add_force(name, signal(rng, between(rng, 0.3, 10.0)))
    smooth_load = {f"{names[0]}.position": between(rng, 0.1, 10.0)}
    for i in range(int(rng.integers(1, 5))):
        pair = len(names) > 1 and rng.random() < 0.3
        on: Any = tuple(rng.choice(names, 2, replace=False).tolist()) if pair else str(rng.choice(names))
        load: Any = float(rng.uniform(0.3, 2.0))
        if rng.random() < 0.25:
            load = ss.Sine(amplitude=0.7 * load, frequency=between(rng, 0.1, 2.0), offset=load)
        load = now_and_then_released(released, load)
        law = any_law(rng)
        belt = signal(rng, between(rng, 0.05, 1.0)) if rng.random() < 0.25 else 0.0
        m.add_friction(f"f{i}", on=on, law=law, normal_load=load, surface_velocity=belt, load=smooth_load)
    initial = {}
    for name in names:
        if rng.random() < 0.7:
            initial |= {
                f"{name}.position": 0.3 * float(rng.normal()),
                f"{name}.velocity": float(rng.normal()),
            }
    return Case(m, 3.0, {"initial": initial, "method": one_of(rng, "auto", "auto", "auto", "explicit")})
