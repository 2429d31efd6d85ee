"""Machines whose forces are formulas of the motion: good runs pass, and what is wrong with the force is found."""

from __future__ import annotations

import pytest
from auditing.damage import Damaged

import stickslip as ss


def driven(spring: float = 3.0, amplitude: float = 2.0, drag: float = 0.05) -> ss.Machine:
    """A Duffing oscillator with dry friction and a stop, pulled by a formula of time."""
    m = ss.Machine(mass=[1.2], names=["body"])
    m.add_force(
        "body", lambda q, v: -spring * q["body"] - 4.0 * q["body"] ** 3 - drag * v["body"] * abs(v["body"])
    )
    m.add_force("body", lambda t: amplitude * ss.sin(1.3 * t))
    m.add_friction("guide", on="body", law=ss.Coulomb(0.3, 0.2))
    m.add_contact("stop", normal={"body": -1.0}, gap=0.6, restitution=lambda v: 0.8 / (1.0 + v))
    return m


GOOD = {
    "duffing": (driven(), {"body.velocity": 1.0}),
    "pendulum": (ss.machines.pendulum(2.0, 0.5, ss.Coulomb(0.4), damping=0.02), {"arm.position": 2.4}),
    "frictionless": (ss.machines.pendulum(1.0, 1.0), {"arm.position": 1.0}),
}


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
@pytest.mark.parametrize("name", GOOD)
def test_good_runs_pass(name: str, rtol: float) -> None:
    machine, start = GOOD[name]
    run = ss.simulate(machine, 20.0, rtol=rtol, initial=start)
    assert run.success
    found = ss.analysis.audit(run, rtol=rtol)
    assert found.passed, str(found)


@pytest.mark.parametrize("stated", [driven(spring=3.001), driven(amplitude=2.001), driven(drag=0.051)])
def test_another_formula_is_found(stated: ss.Machine) -> None:
    run = ss.simulate(driven(), 20.0, rtol=1e-9, initial={"body.velocity": 1.0})
    found = ss.analysis.audit(Damaged(run, machine=stated), rtol=1e-9)
    assert any(f.what == "M a = forces" for f in found.findings)


def test_another_restitution_is_found() -> None:
    def ball(share: float) -> ss.Machine:
        m = ss.Machine(mass=[1.0], names=["ball"], force={"ball": -10.0})
        m.add_contact("floor", normal={"ball": 1.0}, restitution=lambda v: share / (1.0 + 0.1 * v))
        return m

    run = ss.simulate(ball(0.8), 2.0, initial={"ball.position": 1.0})
    assert ss.analysis.audit(run).passed
    assert not ss.analysis.audit(Damaged(run, machine=ball(0.801))).passed
