"""Friction written as formulas: rate-and-state laws, laws of the engine, and curves that are steep about v = 0.

Rate-and-state machines are compared with an independent program (`truths.rate_and_state`), laws of the engine with
themselves, the others audited alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from truths.rate_and_state import Slider

import stickslip as ss
from families.case import Case, Rng, between, one_of, signal
from stickslip.laws import FormulaLaw, rate_and_state, slip_weakening, thermal_weakening


def _slider(rng: Rng) -> Case:
    """A block on a spring with rate-and-state friction, pushed to and fro or pulled along."""
    a = between(rng, 2e-3, 3e-2)
    load, evolution, mu = (
        between(rng, 1.0, 100.0),
        one_of(rng, "ageing", "slip"),
        float(rng.uniform(0.2, 0.8)),
    )
    s = Slider(
        mass=between(rng, 0.5, 3.0), stiffness=between(rng, 1.0, 1e3), damping=float(rng.uniform(0.0, 1.0)), load=load,
        a=a, b=a * float(rng.uniform(0.3, 2.0)), slip_distance=between(rng, 1e-6, 1e-3), f0=mu,
        v0=between(rng, 1e-6, 1e-3), slip_law=evolution == "slip", amplitude=mu * load * between(rng, 0.3, 3.0),
        frequency=between(rng, 0.2, 2.0), slope=mu * load * one_of(rng, 0.0, float(rng.uniform(0.2, 1.0))),
    )  # fmt: skip
    m = ss.Machine(s.mass, stiffness=s.stiffness, damping=s.damping, names=["x"])
    m.add_force("x", ss.Sine(s.amplitude, s.frequency) + ss.Ramp(slope=s.slope))
    law = rate_and_state(
        s.a, s.b, s.slip_distance, reference=s.f0, reference_velocity=s.v0, evolution=evolution
    )
    m.add_friction("f", on="x", law=law, normal_load=s.load)

    def check(run: ss.Trajectory) -> str:
        t = np.linspace(0.0, 2.0, 201)
        try:
            truth = s.positions(t)
        except TimeoutError:  # not compared
            return ""
        ours = run.sol(t)[0]
        off, size = np.abs(ours - truth).max(), np.abs(truth).max()
        return "" if off <= 1e-4 * size + 1e-9 else f"x is off by {off:g} of {size:g}"

    return Case(m, 2.0, {"rtol": 1e-9}, check=check)


def _pair(rng: Rng) -> tuple[ss.Law, FormulaLaw]:
    static = between(rng, 0.2, 2.0)
    kinetic, vs = static * float(rng.uniform(0.5, 1.0)), between(rng, 1e-3, 0.1)
    k = static / between(rng, 1e-5, 1e-3)
    numbers = {"static": static, "kinetic": kinetic, "vs": vs, "k": k}

    def level(v: Any, static: Any, kinetic: Any, vs: Any) -> Any:
        return kinetic + (static - kinetic) * ss.exp(-((v / vs) ** 2))

    def bristle(v: Any, z: Any, k: Any, static: Any, kinetic: Any, vs: Any) -> Any:
        return v - k * abs(v) * z / level(v, static, kinetic, vs)

    kind = int(rng.integers(4))
    if kind == 0:
        damping = between(rng, 0.1, 10.0)
        return ss.LuGre(static, kinetic, vs, stiffness=k, damping=damping), FormulaLaw(
            lambda v, z, k, static, kinetic, vs: k * z + damping * bristle(v, z, k, static, kinetic, vs),
            {"z": bristle},
            states={"z": 0.0},
            parameters=numbers,
        )
    if kind == 1:
        return ss.Dahl(kinetic, stiffness=k), FormulaLaw(
            lambda z: k * z, {"z": lambda v, z: v - k * abs(v) * z / kinetic}, states={"z": 0.0}
        )
    if kind == 2:
        return ss.Tanh(static, width=vs), FormulaLaw(lambda v: static * ss.tanh(v / vs))
    return ss.Stribeck(static, kinetic, vs), FormulaLaw(
        lambda v, static, kinetic, vs: ss.sign(v) * level(v, static, kinetic, vs),
        levels=lambda static: static,
        parameters=numbers,
    )


def _rewritten(rng: Rng) -> Case:
    """A law of the engine as a formula gives the run of the law."""
    ours, formula = _pair(rng)
    mass, k = rng.uniform(0.5, 2.0, 2), float(rng.uniform(5.0, 200.0))
    push, belt, load = signal(rng, 3.0, smooth=True), float(rng.uniform(-0.2, 0.2)), between(rng, 0.3, 3.0)

    def machine(law: ss.Law) -> ss.Machine:
        m = ss.Machine(
            mass, stiffness=[[k, -k], [-k, k + 3.0]], damping=[0.1, 0.1], names=["x", "y"], force={"x": push}
        )
        m.add_friction("f", on="y", law=law, normal_load=load, surface_velocity=belt)
        return m

    def check(run: ss.Trajectory) -> str:
        other = ss.simulate(machine(ours), 2.0, rtol=1e-9)
        t = np.linspace(0.0, 2.0, 101)
        one, two = run.sol(t)[:2], other.sol(t)[:2]
        off = np.abs(one - two).max() / np.abs(two).max()
        return "" if off <= 1e-6 else f"positions differ by {off:g} of their size"

    return Case(machine(formula), 2.0, {"rtol": 1e-9}, check=check)


def _steep(rng: Rng) -> FormulaLaw:
    """A curve that turns within any velocity."""
    level, width = float(rng.uniform(0.2, 1.0)), between(rng, 1e-30, 1e-2)
    falls = one_of(rng, 0.0, 0.3)
    return FormulaLaw(lambda v: level * ss.tanh(v / width) / (1.0 + falls * v**2))


def _law(rng: Rng) -> FormulaLaw:
    makers: tuple[Callable[[], FormulaLaw], ...] = (
        lambda: _steep(rng),
        lambda: slip_weakening(0.6, float(rng.uniform(0.2, 0.6)), between(rng, 1e-4, 1e-2)),
        lambda: thermal_weakening(
            float(rng.uniform(0.2, 0.8)),
            between(rng, 1.0, 100.0),
            between(rng, 0.1, 10.0),
            float(rng.uniform(0.0, 2.0)),
        ),
        lambda: rate_and_state(
            0.01, float(rng.uniform(0.005, 0.02)), between(rng, 1e-5, 1e-3), reference_velocity=1e-5
        ),
    )
    return one_of(rng, *makers)()  # type: ignore[no-any-return]


def _audited(rng: Rng) -> Case:
    """One or two bodies, each with a law of its own on ground, under signals of all kinds."""
    n = int(rng.integers(1, 3))
    k = between(rng, 1.0, 1e3)
    stiffness = [k] if n == 1 else [[k + 1.0, -k], [-k, k + 5.0]]
    m = ss.Machine(rng.uniform(0.3, 3.0, n), stiffness=stiffness, damping=rng.uniform(0.0, 1.0, n))
    for i in range(n):
        m.add_force(f"q{i}", signal(rng, between(rng, 3.0, 30.0)))
        load = one_of(rng, 10.0, ss.Sine(3.0, 1.0, offset=8.0))
        m.add_friction(f"f{i}", on=f"q{i}", law=_law(rng), normal_load=load)
    return Case(
        m, 1.5, {"initial": {f"q{i}.velocity": one_of(rng, 0.0, float(rng.normal())) for i in range(n)}}
    )


def build(seed: int) -> Case:
    """One of them."""
    rng = np.random.default_rng([37001, seed])
    case: Case = one_of(rng, _slider, _rewritten, _audited)(rng)
    return case
