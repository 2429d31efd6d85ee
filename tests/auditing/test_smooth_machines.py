"""Machines with formulas: good runs pass at every tolerance, and what is planted in them is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from auditing.damage import Damaged, changed, within, without
from auditing.smooth_machines import STARTS, made, ran

import stickslip as ss

RTOL = 1e-9


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("name", STARTS)
def test_good_runs_pass(name: str, rtol: float) -> None:
    run = ran(name, rtol)
    assert run.success
    report = ss.analysis.audit(run, rtol=rtol)
    assert report.passed, report


@pytest.mark.parametrize("facets", [4, 8, 16])
@pytest.mark.parametrize("impact_and_belt", [("poisson", 0.0), ("newton", 0.0), ("poisson", 0.2)])
def test_many_facets_pass(facets: int, impact_and_belt: tuple[str, float]) -> None:
    """Impulses along each direction are stated, so every impact is held against its law."""
    impact, belt = impact_and_belt
    m = ss.Machine(mass=[1.0, 2.0, 1.0], stiffness=[4.0, 9.0, 0.0], names=["x", "y", "z"], force={"z": -9.81})
    m.add_contact(
        "floor", normal={"z": 1.0, "x": 0.1}, tangent={"x": 1.0}, second_tangent={"y": 1.0}, friction=0.3,
        restitution=0.5, impact=impact, facets=facets, surface_velocity=belt,
    )  # fmt: skip
    run = ss.simulate(m, 2.0, initial={"z.position": 0.2, "x.velocity": 1.0, "y.velocity": 0.6})
    assert run.events.impact.any()
    report = ss.analysis.audit(run)
    assert report.passed, report
    assert "the law of some impacts" not in report.unchecked


def test_break_away_by_an_impact_is_accepted() -> None:
    """A brake that holds a disc breaks away where the disc hits: that is no break-away by a force."""
    body = ss.contours.Circle(0.2).on(*(ss.Expr(f"{name}.position") for name in ("x", "y", "turn")))
    ground = ss.contours.Line().on()
    m = ss.Machine(mass=[1.0, 1.0, 0.02], names=["x", "y", "turn"], force={"y": -9.81})
    m.add_contact(
        "ground", gap=ss.contours.gap(ground, body), tangent=ss.contours.sliding(ground, body), friction=0.01,
        restitution=0.7, impact="newton",
    )  # fmt: skip
    m.add_friction("brake", on="turn", law=ss.Coulomb(1.0))
    run = ss.simulate(
        m, 3.0, rtol=1e-6, initial={"y.position": 0.5, "x.velocity": 3.0, "turn.velocity": 20.0}
    )
    rests = run.events.of("brake")
    at_impact = np.isin(rests.time, run.events.time[run.events.impact])
    assert ((rests.before == 0) & at_impact).sum() > 5
    report = ss.analysis.audit(run, rtol=1e-6)
    assert report.passed, report


@pytest.mark.parametrize("stated", [0.4, 0.41])
def test_start_with_an_impact_passes(stated: float) -> None:
    """States before an impact at the start are not sampled: they follow from the impulses, and so does the law."""
    start = {"y.position": float(np.sin(0.5)), "tilt.position": 0.5, "x.velocity": 0.3, "y.velocity": -1.0}
    run = ss.simulate(made("rod"), 0.05, rtol=RTOL, initial=start)
    assert run.events[0].impact
    assert run.events[0].time == 0.0
    report = ss.analysis.audit(Damaged(run, machine=made("rod", restitution=stated)), rtol=RTOL)
    assert [f.what for f in report.findings] == ([] if stated == 0.4 else ["Poisson's law"])


def instead(name: str, **numbers: float) -> Damaged:
    """A run of the machine, stated as one with other numbers."""
    return Damaged(ran(name, RTOL), machine=made(name, **numbers))


def shown(name: str, **signals: Callable[[np.ndarray], Any]) -> Damaged:
    """A run whose samples are others; `a__b` stands for the signal a.b."""
    changes = {key.replace("__", "."): within(0.0, 1e9, change) for key, change in signals.items()}
    return Damaged(ran(name, RTOL), signals=changes)


def told(name: str, **values: Any) -> Damaged:
    """A run whose first impact is told differently, by functions of what it was."""
    run = ran(name, RTOL)
    k = int(np.argmax(run.events.impact))
    new = {key: change(getattr(run.events[k], key)) for key, change in values.items()}
    return Damaged(run, events=changed(run.events, k, **new))


def untold(name: str) -> Damaged:
    run = ran(name, RTOL)
    return Damaged(run, events=without(run.events, int(np.argmax(run.events.impact))))


def rubbed(factor: float) -> Damaged:
    """The impulse along one further direction of the first impact is another."""
    run = ran("puck", RTOL)
    named = [e.element.startswith("floor[") and e.tangential_impulse != 0.0 for e in run.events]
    index = named.index(True)
    value = factor * run.events[index].tangential_impulse
    return Damaged(run, events=changed(run.events, index, tangential_impulse=value))


FAULTS: dict[str, tuple[Callable[[], Damaged], str]] = {
    "the mass matrix": (lambda: instead("double_pendulum", coupling=1.0001), "M a = forces"),
    "no centrifugal forces": (lambda: instead("double_pendulum", centrifugal=0.0), "M a = forces"),
    "a little too much of them": (lambda: instead("double_pendulum", centrifugal=1.001), "M a = forces"),
    "a force of the velocity": (lambda: instead("double_pendulum", drag=0.03), "M a = forces"),
    "another gap": (lambda: instead("rod", length=1.001), "gap follows"),
    "penetration": (
        lambda: shown("rod", y__position=lambda y: y - 1e-4, tip__gap=lambda g: g - 1e-4), "gap >= 0"),
    "a lever that turns the other way": (lambda: instead("rod", turn=-1.0), "velocity is w"),
    "a direction of sliding": (lambda: instead("rod", turn=1.001), "velocity is w"),
    "the sign of an impulse": (lambda: told("rod", normal_impulse=lambda x: -x), "M dv = impulses"),
    "the sign of a friction impulse": (lambda: told("rod", tangential_impulse=lambda x: -x), "M dv = impulses"),
    "an impulse": (lambda: told("rod", normal_impulse=lambda x: 1.0001 * x), "M dv = impulses"),
    "the loss of an impact": (lambda: told("rod", loss=lambda x: 1.001 * x), "loss follows"),
    "a missing impact": (lambda: untold("rod"), "velocity is continuous"),
    "the restitution": (lambda: instead("rod", restitution=0.401), "Poisson's law"),
    "the friction of impacts": (lambda: instead("rod", mu=0.299), "friction impulse"),
    "a drifted constraint": (lambda: shown("wire", y__position=lambda y: y + 1e-5), "on . q is prescribed"),
    "a velocity off a constraint": (
        lambda: shown("wire", y__velocity=lambda v: v + 1e-4), "on . q' is prescribed"),
    "another constraint": (lambda: instead("wire", bend=1.001), "on . q is prescribed"),
    "the force of a constraint": (lambda: shown("wire", wire__force=lambda f: 1.001 * f), "M a = forces"),
    "a load that is a formula": (lambda: instead("wire", load=1.001), "load"),
    "friction along a formula": (lambda: instead("wire", mu=0.2001), "force follows the law"),
    "friction on the wrong side": (lambda: shown("wire", rub__force=lambda f: -f), "force follows the law"),
    "a gap that is a formula of time": (lambda: instead("cam", lift=0.01001), "gap follows"),
    "its force": (lambda: shown("cam", cam__normal_force=lambda f: 1.0001 * f), "M a = forces"),
    "a force that pulls": (lambda: shown("cam", cam__normal_force=lambda f: f - 25.0), "normal force >= 0"),
    "the curvature of contours": (lambda: instead("disc", hill=1.0001), "gap follows"),
    "sliding friction by contours": (lambda: instead("disc", mu=0.401), "force follows the law"),
    "a moment of inertia": (lambda: instead("disc", inertia=0.501), "M a = forces"),
    "an edge": (lambda: instead("skate", edge=1.001), "on . q' is prescribed"),
    "a contact that yields": (lambda: instead("soft", stiffness=1.001e5), "force follows from the depth"),
    "its damping": (lambda: instead("soft", damping=0.201), "force follows from the depth"),
    "a spring of a contact in the balance": (
        lambda: Damaged(ran("soft", RTOL), energy={"compliances": 1.01}), "energy: compliant contacts"),
    "the work of the moving masses": (
        lambda: Damaged(ran("double_pendulum", RTOL), energy={"drives": 1.001}), "energy: drives"),
    "kinetic energy of a mass matrix": (
        lambda: Damaged(ran("double_pendulum", RTOL), energy={"kinetic": 1.001}), "energy: kinetic"),
    "friction in two directions": (lambda: instead("puck", mu=0.301), "force follows the law"),
    "friction in two directions in an impact": (lambda: instead("puck", mu=0.29), "friction impulse"),
    "the impulse along one of two directions": (lambda: rubbed(1.0001), "M dv = impulses"),
    "no impulse along one of two directions": (lambda: rubbed(0.0), "M dv = impulses"),
    "impacts off two directions": (
        lambda: shown("puck", floor__gap_rate=lambda v: v, z__velocity=lambda v: 1.0001 * v), "M dv = impulses"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str) -> None:
    make, what = FAULTS[name]
    report = ss.analysis.audit(make(), rtol=RTOL)
    assert any(f.what.startswith(what) for f in report.findings), report
