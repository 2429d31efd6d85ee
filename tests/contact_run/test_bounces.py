"""Bounces under a constant force, against the closed form, for every way in which a flight may be run."""

import numpy as np
import pytest

import stickslip as ss

A, GAP = 300.0, 3.0


def ball(law, **contact):
    m = ss.Machine(mass=1.0, names=["a"], force={"a": -A})
    if law is not None:
        m.add_friction("guide", on="a", law=law)
    m.add_contact("wall", normal={"a": 1.0}, gap=GAP, **contact)
    return m


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("e", [0.05, 0.5, 0.9])
def test_all_impacts_match_closed_form_times(method, e):
    """v_k = sqrt(2 A GAP) e^k, flights of 2 v_k / A; contact for good at t_0 (1 + e) / (1 - e)."""
    run = ss.simulate(ball(None, restitution=e), 10.0, method=method)
    assert run.success and run.events[-1].after is ss.Mode.CLOSED
    k = np.arange(len(run.events))
    first = np.sqrt(2 * GAP / A)
    flights = 2 * first * e**k
    times = first + np.concatenate([[0.0], np.cumsum(flights[1:])])
    reached = {"auto": 3e-13, "explicit": 5e-10, "stiff": 6e-8}[method]
    assert np.abs([x.time for x in run.events] - times).max() < reached
    least = np.log(1e-9) / np.log(
        e
    )  # rebounds down to 1e-9 of the greatest speed, fewer where they lose their digits
    assert 0.85 * least < len(k) < least + 2
    assert run.events[-1].time == pytest.approx(first * (1 + e) / (1 - e), abs=1e-7)
    assert run.energy.residual < 1e-13


LAWS = {
    "dahl": ss.Dahl(stiffness=1e4, kinetic=1.0),
    "tanh": ss.Tanh(static=1.0, width=0.1),
    "lugre": ss.LuGre(
        stiffness=1e4, damping=100.0, viscous=0.1, static=1.0, kinetic=0.5, stribeck_velocity=0.1
    ),
    "stribeck": ss.Stribeck(static=1.0, kinetic=0.5, stribeck_velocity=0.1),
}


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("law", LAWS)
def test_bounces_with_friction_that_is_integrated_end_in_contact(method, law):
    """The gap between positions of 3 m is zero up to 1e-15 m only, which late, short flights must not take for a
    new impact.
    """
    run = ss.simulate(ball(LAWS[law], restitution=0.5), 1.0, method=method)
    assert run.success
    assert run.events.of("wall")[-1].after is ss.Mode.CLOSED
    assert (
        15 < sum(x.impact for x in run.events) < 31
    )  # down to 1e-9 of the greatest speed, or to rest in friction
    assert run.energy.residual < 1e-6


def test_impacts_below_the_time_resolution_end_in_contact():
    """An unstable sampled loop presses a body against a wall with tens of kilonewtons: every rebound of 100 m/s leaves
    a gap of some last digits of t times the speed.
    """
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_contact("wall", normal={"a": 1.0}, gap=GAP, restitution=0.5)
    m.add_controller(ss.PID(kp=1e3, kd=1e3), on="a", reference=1.0, period=1e-2)
    run = ss.simulate(m, 20.0)
    assert run.success and len(run.events) > 10_000 and run.energy.residual < 1e-9
