"""Drives under control: one to three masses, friction, one or two loops with limits, sampling and compensation."""

from __future__ import annotations

from typing import Any

import numpy as np

import stickslip as ss
from families.case import Case, Rng, between, levels, now_and_then_released, one_of, signal


def _options(rng: Rng) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["limits"] = one_of(
            rng, between(rng, 0.5, 20.0), (-between(rng, 0.5, 9.0), between(rng, 0.5, 9.0))
        )
        options["anti_windup"] = one_of(rng, "back_calculation", "clamping", None)
    if rng.random() < 0.5:
        options["period"] = one_of(rng, 0.004, 0.01, 0.03)
        options["delay"] = options["period"] * one_of(rng, 0.0, 0.0, 0.5, 1.0)
        if rng.random() < 0.3:
            options["quantum"] = one_of(rng, 1e-4, 1e-3)
            options["rate"] = one_of(rng, "measured", "difference")
    return options


def _friction(rng: Rng) -> ss.Law:
    height = levels(rng, 1.0)
    kind = int(rng.integers(4))
    if kind == 0:
        return ss.Coulomb(static=height["static"], kinetic=height["kinetic"])
    if kind == 1:
        return ss.LuGre(
            stiffness=between(rng, 100.0, 1e5), damping=between(rng, 1.0, 100.0), viscous=0.2, **height
        )
    if kind == 2:
        return ss.StickSlip(
            ss.Stribeck(**height), memory=one_of(rng, None, 0.02), presliding=ss.Presliding(1e-3, 1.0)
        )
    return ss.Stribeck(**height, viscous=one_of(rng, 0.0, 0.3))


def _loop(rng: Rng, m: ss.Machine, motor: str, load: str) -> None:
    options, kind = _options(rng), int(rng.integers(4))
    sampled = "period" in options
    reference = signal(rng, 1.0, smooth=not sampled or rng.random() < 0.5)
    kp = between(rng, 5.0, 100.0)
    if kind == 0:
        pid = ss.PID(
            kp=kp, ki=one_of(rng, 0.0, between(rng, 0.5, 30.0)), kd=between(rng, 1.0, 20.0),
            tf=one_of(rng, 0.0, between(rng, 0.002, 0.05)), **options,
        )  # fmt: skip
        m.add_controller(pid, name="loop", on=motor, reference=reference)
    elif kind == 1:
        cascade = ss.Cascade(
            kv=between(rng, 1.0, 10.0), kp=kp, tn=between(rng, 0.03, 1.0), velocity_feedforward=one_of(rng, 0.0, 1.0),
            **options,
        )  # fmt: skip
        reference = signal(rng, 1.0, smooth=True)
        m.add_controller(
            cascade, name="loop", measure=[one_of(rng, motor, load), motor], to=motor, reference=reference
        )
    elif kind == 2:
        outer = {"period": 2.0 * options["period"]} if sampled else {}
        m.add_controller(
            ss.P(kp=between(rng, 1.0, 10.0), limits=2.0, **outer),
            name="position",
            measure=load,
            reference=reference,
        )
        m.add_controller(
            ss.PI(kp=kp, tn=between(rng, 0.03, 1.0), **(options | {"quantum": 0.0, "rate": "measured"})), name="loop",
            measure=f"{motor}.velocity", reference="position.output", to=motor,
        )  # fmt: skip
    else:
        pole, zero = between(rng, 20.0, 200.0), between(rng, 1.0, 10.0)
        options.pop("anti_windup", None), options.pop("rate", None)
        lead = ss.LTI(A=-pole, B=1.0, C=kp * (zero - pole), D=kp, **options)
        m.add_controller(lead, name="loop", on=motor, reference=reference)


def build(seed: int) -> Case:
    """A motor, what it moves through shafts, and its control."""
    rng, released = np.random.default_rng([14002, seed]), np.random.default_rng([14020, seed])
    n = int(rng.integers(1, 4))
    names = ["motor", "gear", "load"][:n] if n != 2 else ["motor", "load"]
    k, c = np.zeros((n, n)), np.diag(rng.uniform(0.0, 0.5, n))
    for i in range(n - 1):
        e = np.zeros(n)
        e[[i, i + 1]] = 1.0, -1.0
        stiff = between(rng, 10.0, 1e4)
        k += stiff * np.outer(e, e)
        c += float(rng.uniform(0.0, 0.05)) * np.sqrt(stiff) * np.outer(e, e)
    m = ss.Machine(mass=10.0 ** rng.uniform(-0.7, 0.7, n), stiffness=k, damping=c, names=names)
    for name in names:
        if rng.random() < 0.7:
            law = _friction(rng)
            load = now_and_then_released(released, float(rng.uniform(0.3, 1.5)))
            m.add_friction(f"guide of {name}", on=name, law=law, normal_load=load)
    if rng.random() < 0.3:
        m.add_force(names[-1], signal(rng, 1.0))
    _loop(rng, m, names[0], names[-1])
    return Case(m, 1.5)
