"""Gear stages from contacts, with friction in their bearings and guides."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal


def _bearing(rng: Rng, m: ss.Machine, on: str) -> None:
    size = between(rng, 0.05, 10.0)
    law = one_of(
        rng,
        ss.Coulomb(size),
        ss.Coulomb(size, 0.8 * size),
        ss.Stribeck(static=size, kinetic=0.7 * size, stribeck_velocity=0.05),
    )
    if rng.random() < 0.3:
        law = law + ss.Viscous(between(rng, 0.01, 0.5))
    m.add_friction(f"bearing of {on}", on=on, law=law)


def _lossy(rng: Rng, ratio: float) -> ss.Machine:
    """Two shafts, both flanks as contacts, with or without backlash; tooth friction by the sliding of the flanks."""
    names = ["motor", "wheel"]
    m = ss.Machine(
        mass=[between(rng, 0.1, 3.0), between(rng, 0.1, 30.0)], damping=one_of(rng, 0.0, 0.05), names=names
    )
    backlash = one_of(rng, 0.0, 0.0, between(rng, 1e-4, 1e-1))
    slide = float(rng.uniform(0.2, 1.5))
    mu, e = between(rng, 0.02, 0.5), one_of(rng, 0.0, 0.0, 0.3)
    for name, side in (("drive flank", 1.0), ("opposite flank", -1.0)):
        normal = {"motor": side, "wheel": -side * ratio}
        tangent = {"motor": slide, "wheel": slide * ratio}
        m.add_contact(name, normal=normal, tangent=tangent, friction=mu, gap=0.5 * backlash, restitution=e)
    return m


def _wedge(rng: Rng, ratio: float) -> ss.Machine:
    """Two bodies on one oblique flank, the upper one in a guide."""
    angle, mu = float(rng.uniform(0.05, 1.3)), between(rng, 0.02, 0.8)
    stiffness = [[0.0, 0.0], [0.0, one_of(rng, 0.0, between(rng, 1.0, 1e3))]]
    m = ss.Machine(mass=10.0 ** rng.uniform(-1.0, 1.0, 2), stiffness=stiffness, names=["motor", "wheel"])
    c, s = np.cos(angle), np.sin(angle)
    law = one_of(rng, mu, ss.Coulomb(static=1.2 * mu, kinetic=mu))
    m.add_contact("flank", normal=[c, s], tangent=[s, -c], friction=law, restitution=one_of(rng, 0.0, 0.4))
    m.add_force("motor", -between(rng, 1.0, 100.0))
    return m


def build(seed: int) -> Case:
    """A gear under torques on both of its shafts."""
    rng = np.random.default_rng([14005, seed])
    m = one_of(rng, _lossy, _lossy, _wedge)(rng, between(rng, 0.3, 3.0))
    for on in m.names:
        if rng.random() < 0.7:
            _bearing(rng, m, on)
        if rng.random() < 0.8:
            m.add_force(on, signal(rng, between(rng, 1.0, 10.0)))
    return Case(m, 2.0)
