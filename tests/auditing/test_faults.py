"""Faults that the audit must find: a good run with one change, or a run of another machine than stated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from auditing.damage import Damaged, changed, within, without

import stickslip as ss


def belt(
    mass: float = 1.0,
    stiffness: float = 2.0,
    damping: float = 0.02,
    speed: float = 0.2,
    load: float = 1.0,
    law: ss.Law | None = None,
) -> ss.Machine:
    m = ss.Machine(mass=mass, stiffness=stiffness, damping=damping, names=["block"])
    law = law or ss.Coulomb(static=1.0, kinetic=0.8)
    m.add_friction("belt", on="block", law=law, normal_load=load, surface_velocity=speed)
    return m


def ball(restitution: float = 0.5, gap: float = 0.0, mu: float = 0.3, impact: str = "poisson") -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
    m.add_contact(
        "floor",
        normal={"y": 1.0},
        tangent={"x": 1.0},
        friction=mu,
        gap=gap,
        restitution=restitution,
        impact=impact,
    )
    return m


def ceiling(gap: float) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -9.81})
    m.add_contact("ceiling", normal={"y": -1.0}, gap=gap)
    return m


def servo(kp: float = 30.0, limits: float = 8.0, period: float | None = 0.05, **options: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    loop = ss.PID(kp=kp, ki=4.0, kd=6.0, limits=limits, period=period, **options)
    m.add_controller(loop, on="slide", reference=ss.Sine(amplitude=1.0, frequency=0.4))
    return m


def pulled(law: ss.Law) -> ss.Machine:
    pull = ss.Sine(amplitude=3.0, frequency=0.3)
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": pull})
    m.add_friction("floor", on="block", law=law, load={"block.position": 1.0})
    return m


ON_BELT: dict[str, Any] = {"t_end": 20.0, "initial": {"block.velocity": 0.2}}
FALL: dict[str, Any] = {"t_end": 1.2, "initial": {"y.position": 1.0, "x.velocity": 1.0}}
STRIBECK = {"static": 1.5, "kinetic": 1.0, "stribeck_velocity": 0.1}


def on_belt(**damage: Any) -> Damaged:
    return Damaged(ss.simulate(belt(), **ON_BELT), **damage)


def instead(true: ss.Machine, stated: ss.Machine, **options: Any) -> Damaged:
    """A run of one machine that states another."""
    return Damaged(ss.simulate(true, **options), machine=stated)


def falling(**damage: Any) -> Damaged:
    return Damaged(ss.simulate(ball(), **FALL), **damage)


def first_impact(**values: Any) -> Damaged:
    run = ss.simulate(ball(), **FALL)
    return Damaged(run, events=changed(run.events, 0, **values))


def law_instead(true: ss.Law, stated: ss.Law) -> Damaged:
    return instead(pulled(true), pulled(stated), t_end=8.0)


def sticky(**options: Any) -> ss.Law:
    return ss.StickSlip(ss.Stribeck(**STRIBECK), **options)


def bristle(stiffness: float = 100.0, viscous: float = 0.1) -> ss.Law:
    return ss.LuGre(stiffness=stiffness, damping=2.0, viscous=viscous, **STRIBECK)


def lost_lift_off() -> Damaged:
    """The block should leave the table at 1 s, where the lifting force passes its weight; it is pulled back instead."""
    m = ss.Machine(mass=1.0, names=["y"], force={"y": ss.Ramp(slope=9.81, offset=-9.81)})
    m.add_contact("table", normal={"y": 1.0})
    run = ss.simulate(m, t_end=2.0)
    held = {
        "y.position": 0.0,
        "y.velocity": 0.0,
        "y.acceleration": 0.0,
        "table.gap": 0.0,
        "table.gap_rate": 0.0,
    }
    signals: dict[str, Any] = {k: lambda t, x, v=v: np.full(t.shape, v) for k, v in held.items()}
    signals["table.mode"] = lambda t, x: np.full(t.shape, 3.0)
    signals["table.normal_force"] = lambda t, x: 9.81 * (1.0 - t)
    return Damaged(run, signals=signals, events=ss.Events())


def early_break_away() -> Damaged:
    """Breaks away at 0.9 though it can hold 1.0."""
    return instead(belt(law=ss.Coulomb(static=0.9, kinetic=0.8)), belt(), **ON_BELT)


def late_break_away() -> Damaged:
    return instead(belt(law=ss.Coulomb(static=1.1, kinetic=0.8)), belt(), **ON_BELT)


def pushed_off(static: float) -> ss.Machine:
    """A body on friction, pressed against another that moves away; its load falls from 1."""
    begins = ss.Ramp(slope=1.0)
    m = ss.Machine(mass=[2.0, 2.0], names=["a", "b"], force={"a": begins, "b": begins - 1.0})
    m.add_friction("guide", on={"b": -1.0}, law=ss.Coulomb(static=static, kinetic=0.5))
    m.add_contact("end", normal={"a": 1.0, "b": 1.0})
    return m


def departure_while_the_load_falls() -> Damaged:
    """A static level of 0.9 lets it slip at once, one of 1 holds it."""
    return instead(pushed_off(0.9), pushed_off(1.0), t_end=0.5)


def energy_erased() -> Damaged:
    """A ball that should rebound with all its speed stays where it hits: the impact is that of e = 0."""
    return instead(ball(restitution=0.0), ball(restitution=1.0), **FALL)


def shifted_event() -> Damaged:
    run = ss.simulate(belt(), **ON_BELT)
    return Damaged(run, events=changed(run.events, 1, time=run.events[1].time + 1e-3))


def jumping_state() -> Damaged:
    run = ss.simulate(pulled(bristle()), t_end=8.0)
    return Damaged(run, signals={"floor.z": within(3.0, 9.0, lambda z: z + 1e-4)})


M, Q, LAW = "M a = forces", "q' = v", "force follows the law"
FAULTS: dict[str, tuple[Callable[[], Damaged], str]] = {
    "a force sample": (lambda: on_belt(signals={"belt.force": within(3.0, 3.5, lambda f: 1.001 * f)}), LAW),
    "the sign of friction": (lambda: on_belt(signals={"belt.force": within(3.0, 3.5, lambda f: -f)}), LAW),
    "a mode": (lambda: on_belt(signals={"belt.mode": within(1.0, 1.5, lambda m: m + 1)}), "mode changes only at"),
    "a velocity": (lambda: on_belt(signals={"block.velocity": within(3.0, 3.5, lambda v: v + 1e-6)}), Q),
    "a sample that is no number": (lambda: on_belt(signals={"block.position": within(3.0, 3.1, lambda v: np.nan)}), M),
    "the mass": (lambda: instead(belt(mass=1.001), belt(), **ON_BELT), M),
    "the stiffness": (lambda: instead(belt(stiffness=2.001), belt(), **ON_BELT), M),
    "the damping": (lambda: instead(belt(damping=0.02001), belt(), **ON_BELT), M),
    "the speed of the belt": (lambda: instead(belt(speed=0.2001), belt(), **ON_BELT), "at rest v = 0"),
    "the load": (lambda: instead(belt(load=1.001), belt(), **ON_BELT), "load"),
    "an early break-away": (early_break_away, "stays at rest while"),
    "a late break-away": (late_break_away, "at rest |F|"),
    "a departure while the load falls": (departure_while_the_load_falls, "breaks away at its static level"),
    "a shifted event": (shifted_event, "mode changes only at"),
    "a lost event": (lambda: on_belt(events=without(ss.simulate(belt(), **ON_BELT).events, 1)), "mode changes only at"),
    "the kinetic level": (lambda: instead(belt(law=ss.Coulomb(1.0, 0.801)), belt(), **ON_BELT), M),
    "the Stribeck velocity": (
        lambda: law_instead(ss.Stribeck(**STRIBECK), ss.Stribeck(**STRIBECK | {"stribeck_velocity": 0.11})), M),
    "the viscous coefficient": (lambda: law_instead(bristle(), bristle(viscous=0.11)), M),
    "the stiffness of bristles": (lambda: law_instead(bristle(), bristle(stiffness=101.0)), "its rate"),
    "an internal state": (jumping_state, "its rate"),
    "the lag": (lambda: law_instead(sticky(memory=0.1), sticky(memory=0.11)), "its rate"),
    "the dwell time": (
        lambda: instead(
            belt(speed=0.02, law=sticky(memory=0.1, dwell=1.0)), belt(speed=0.02, law=sticky(memory=0.1, dwell=2.0)),
            t_end=60.0), "at rest |F|"),
    "the travel of presliding": (
        lambda: law_instead(
            sticky(presliding=ss.Presliding(1e-2, 1.0)), sticky(presliding=ss.Presliding(1.1e-2, 1.0))), M),
    "the load factor": (lambda: law_instead(sticky(load_factor=0.5), sticky(load_factor=0.51)), "load"),
    "a velocity after an impact": (
        lambda: falling(signals={"y.velocity": within(0.4515, 0.5, lambda v: 1.001 * v)}), "M dv = impulses"),
    "the restitution": (lambda: instead(ball(restitution=0.51), ball(), **FALL), "Poisson's law"),
    "the restitution of Newton": (
        lambda: instead(ball(restitution=0.51, impact="newton"), ball(impact="newton"), **FALL), "Newton's law"),
    "energy erased by an impact": (energy_erased, "Poisson's law"),
    "friction of the impact": (lambda: instead(ball(mu=0.101), ball(mu=0.1), **FALL), "friction impulse in its cone"),
    "a missing impact": (lambda: falling(events=without(ss.simulate(ball(), **FALL).events, 0)), "velocity is continuous"),
    "an impulse": (lambda: first_impact(normal_impulse=6.65), "M dv = impulses"),
    "the loss of an impact": (lambda: first_impact(loss=7.0), "loss follows"),
    "penetration": (lambda: instead(ball(gap=0.001), ball(), **FALL), "gap >= 0"),
    "a dip between two samples": (
        lambda: instead(
            ceiling(0.5), ceiling(4.5 / 9.81 - 1e-7), t_end=0.5, initial={"y.velocity": 3.0}), "gap >= 0"),
    "a lost lift-off": (lost_lift_off, "normal force >= 0"),
    "energy erased from the balance": (lambda: on_belt(energy={"friction": 0.0}), "energy: friction"),
    "the kinetic energy": (lambda: on_belt(energy={"kinetic": 1.001}), "energy: kinetic"),
    "the gain of a controller": (lambda: instead(servo(kp=30.03), servo(), t_end=4.0), "sampled output"),
    "the limit of a controller": (lambda: instead(servo(limits=8.1), servo(), t_end=4.0), "output within"),
    "a sampling instant": (
        lambda: instead(servo(delay=0.01), servo(), t_end=4.0), "sampled output"),
    "the anti-windup": (lambda: instead(servo(anti_windup="clamping"), servo(), t_end=4.0), "sampled output"),
    "a continuous controller": (
        lambda: instead(
            servo(limits=2.0, period=None), servo(limits=2.0, period=None, tracking_time=1.0), t_end=4.0),
        "state of the controller"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str) -> None:
    make, what = FAULTS[name]
    report = ss.analysis.audit(make())
    assert not report.passed
    assert any(f.what.startswith(what) for f in report.findings), report


@pytest.mark.parametrize(
    ("machine", "options"),
    [(belt(), ON_BELT), (ball(), FALL), (ball(impact="newton"), FALL), (servo(), {"t_end": 4.0})]
    + [(pulled(law), {"t_end": 8.0}) for law in (bristle(), sticky(load_factor=0.5), sticky(memory=0.1))],
)
def test_undamaged_runs_pass(machine: ss.Machine, options: dict[str, Any]) -> None:
    report = ss.analysis.audit(Damaged(ss.simulate(machine, **options)))
    assert report.passed, report
