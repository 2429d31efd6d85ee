"""Machines whose numbers fits are to find again."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss

LEVELS = dict(static=1.5, kinetic=1.0, stribeck_velocity=0.1, viscous=0.4)
BRISTLES = dict(stiffness=1e3, damping=10.0)
NEAR = dict(static=1.4, kinetic=0.9, stribeck_velocity=0.12, viscous=0.3)
SOFT = dict(stiffness=900.0, damping=12.0)

# Law, and where the search starts.
LAWS = {
    "Coulomb": (ss.Coulomb(1.5, 1.0), dict(static=1.4, kinetic=0.9)),
    "Viscous": (ss.Viscous(2.0, exponent=1.5), dict(coefficient=1.7, exponent=1.2)),
    "sum": (ss.Coulomb(1.5, 1.0) + ss.Viscous(0.4), dict(static=1.4, kinetic=0.9, coefficient=0.3)),
    "Stribeck": (ss.Stribeck(**LEVELS), NEAR),
    "Stribeck, any shape": (
        ss.Stribeck(**LEVELS, shape=1.5),
        dict(NEAR, stribeck_velocity=0.11, shape=1.4),
    ),
    "Tanh": (ss.Tanh(width=0.02, **LEVELS), dict(NEAR, width=0.03)),
    "LuGre": (ss.LuGre(**BRISTLES, **LEVELS), {**NEAR, **SOFT}),
    "Dahl": (
        ss.Dahl(stiffness=1e3, kinetic=1.0, exponent=1.5),
        dict(stiffness=900.0, kinetic=0.9, exponent=1.2),
    ),
    "TwoStateBristle": (ss.TwoStateBristle(**BRISTLES, **LEVELS), {**NEAR, **SOFT, "alpha": 400.0}),
    "ElastoPlastic": (ss.ElastoPlastic(**BRISTLES, **LEVELS), {**NEAR, **SOFT, "elastic_limit": 6e-4}),
    "MaxwellSlip": (
        ss.MaxwellSlip(stiffness=[1e3, 5e2], attraction=100.0, **LEVELS),
        dict(NEAR, attraction=90.0),
    ),
    "BoucWen": (
        ss.BoucWen(stiffness=1e3, kinetic=1.0, exponent=1.5, beta=0.7),
        dict(stiffness=900.0, kinetic=0.9, exponent=1.3, beta=0.6),
    ),
    "Leuven": (ss.Leuven(height=3.0, **BRISTLES, **LEVELS), {**NEAR, **SOFT, "height": 2.9}),
    "StickSlip": (
        ss.StickSlip(
            ss.Stribeck(**LEVELS, shape=1.0),
            memory=ss.Lag(0.05),
            dwell=0.5,
            presliding=ss.Presliding(1e-2, 1.0),
        ),
        dict(static=1.4, kinetic=0.9, memory=0.06, dwell=0.4, travel=1.2e-2, surface_damping=1.1),
    ),
    "DeadTime": (
        ss.StickSlip(ss.Stribeck(**LEVELS), memory=ss.DeadTime(0.05)),
        dict(NEAR, dead_time=0.045),
    ),
}


def shaken(law: ss.Law) -> ss.Machine:
    """A block under two sines, which slides, sticks and breaks away in both directions."""
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Sine(amplitude=3.0, frequency=0.5)})
    m.add_force("slide", ss.Sine(amplitude=1.8, frequency=1.3))
    m.add_friction("guide", on="slide", law=law)
    return m


def record(
    m: ss.Machine, *signals: str, noise: float = 0.0, seed: int = 0, t_end: float = 6.0, rtol: float = 1e-8
) -> dict[str, Any]:
    """Samples of a run; noise as a share of the spread of each signal."""
    run = ss.simulate(m, t_end, dt=0.01, rtol=rtol)
    rng = np.random.default_rng(seed)
    return {s: (run.t, run[s] + noise * run[s].std() * rng.normal(size=run.t.size)) for s in signals}


def drive() -> ss.Machine:
    """Two masses under a sampled controller with limits."""
    m = ss.Machine(mass=[2.0, 3.0], stiffness=[[5e3, -5e3], [-5e3, 5e3]], names=["motor", "load"])
    m.add_friction("guide", on="load", law=ss.Stribeck(**LEVELS), normal_load=2.0)
    control = ss.PID(kp=2e3, kd=90.0, ki=500.0, period=1e-3, limits=(-40.0, 40.0))
    m.add_controller(control, "loop", on="motor", reference=ss.Sine(amplitude=0.05, frequency=0.4))
    return m
