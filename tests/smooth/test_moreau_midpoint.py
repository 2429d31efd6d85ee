"""Moreau's scheme with masses, rows, forces and constraints that are functions of the motion: of first order,
beside runs by events.
"""

import math

import numpy as np
import pytest

import stickslip as ss
from smooth.cam_followers import START, cam_follower

from .pendulums import G, double_pendulum


def errors(machine, t_end, signal, initial, steps):
    truth = ss.simulate(machine, t_end, initial=initial, rtol=1e-11)
    assert truth.success
    out = []
    for h in steps:
        run = ss.simulate(machine, t_end, initial=initial, method="time_stepping", max_step=h)
        assert run.success
        out.append(abs(run[signal][-1] - truth[signal][-1]))
    return out, run, truth


def order(e):
    return math.log2(e[0] / e[-1]) / (len(e) - 1)


def test_double_pendulum_converges_with_first_order():
    e, _, _ = errors(
        double_pendulum(), 2.0, "a.position", {"a.position": 1.0, "b.position": 1.5}, [4e-3, 2e-3, 1e-3]
    )
    assert order(e) == pytest.approx(1.0, abs=0.05) and e[-1] < 6e-4


def test_pendulum_with_dry_friction_has_the_same_turns():
    """Both runs have the same reversals and the same rest position."""
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q: -G * ss.sin(q["arm"]))
    m.add_friction("joint", on="arm", law=ss.Coulomb(static=1.2, kinetic=1.0), normal_load=0.8)
    e, run, truth = errors(m, 20.0, "arm.position", {"arm.position": 2.5}, [4e-3, 2e-3, 1e-3, 5e-4])
    assert order(e) > 0.8 and e[-1] < 1e-3
    assert run["joint.mode"][-1] == truth["joint.mode"][-1] == ss.Mode.STICK


def test_pendulum_impacts_converge():
    """Two rods above a floor, with friction and restitution: an impact is up to a step late."""
    m = double_pendulum()
    m.add_contact(
        "floor",
        gap=lambda q: ss.sin(q["a"]) + ss.sin(q["b"]) + 0.5,
        tangent=lambda q: {"a": ss.sin(q["a"]), "b": ss.sin(q["b"])},
        friction=0.2,
        restitution=0.5,
        impact="newton",
    )
    steps = np.array([2e-3, 1e-3, 5e-4, 2.5e-4])
    e, run, truth = errors(m, 1.2, "a.position", {"a.position": 0.5, "b.position": 0.5}, steps)
    assert np.all(np.array(e) < 1.5 * steps)
    ours, theirs = run.events[0], truth.events[0]
    assert ours.time == pytest.approx(theirs.time, abs=3e-4)
    assert ours.normal_impulse == pytest.approx(theirs.normal_impulse, rel=2e-3)
    assert ours.tangential_impulse == pytest.approx(theirs.tangential_impulse, rel=2e-3)
    assert ours.loss == pytest.approx(theirs.loss, rel=2e-3)
    assert abs(run.energy.imbalance[-1]) < 1e-3 * truth.energy.kinetic.max()


def test_closed_loop_keeps_its_constraint():
    """A slider-crank bound by g(q) = 0, which each step's end keeps, with a guide that sticks and slips."""
    crank, rod = 0.1, 0.3
    m = ss.Machine(mass=np.diag([0.02, 1.0]), names=["crank", "slide"], force={"crank": ss.Sine(0.5, 0.3)})
    m.add_constraint(
        "rod",
        on=lambda q: (
            (q["slide"] - crank * ss.cos(q["crank"])) ** 2 + (crank * ss.sin(q["crank"])) ** 2 - rod**2
        ),
    )
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=0.3, kinetic=0.25), normal_load=5.0)
    start = {
        "crank.position": 0.5,
        "slide.position": crank * math.cos(0.5) + math.sqrt(rod**2 - (crank * math.sin(0.5)) ** 2),
    }
    e, run, truth = errors(m, 4.0, "slide.position", start, [4e-3, 2e-3, 1e-3, 5e-4])
    assert max(e) < 2e-4 and e[-1] < 3e-5
    assert [ev.after for ev in run.events] == [ev.after for ev in truth.events]
    x, y = run["crank.position"], run["slide.position"]
    kept = (y[-1] - crank * math.cos(x[-1])) ** 2 + (crank * math.sin(x[-1])) ** 2
    assert kept == pytest.approx(rod**2, rel=1e-13)


def test_compliant_cam_follower_converges():
    """A contact with a compliance is a force; it opens and closes where that comes and goes."""
    e, run, truth = errors(cam_follower(), 1.0, "follower.position", START, [5e-4, 2.5e-4, 1.25e-4])
    assert order(e) > 1.0 and e[-1] < 1e-6
    assert [ev.after for ev in run.events] == [ev.after for ev in truth.events]
