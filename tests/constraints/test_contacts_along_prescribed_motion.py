"""Contacts whose sliding direction, or compliant normal, is driven by a constraint."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stickslip as ss

MASS, MU, G = np.array([3.0, 2.0]), 0.3, 9.81
AMPLITUDE, FREQUENCY = 0.2, 0.7
W = 2.0 * math.pi * FREQUENCY


def tool(restitution: float = 0.0, friction: ss.Law | float = MU) -> ss.Machine:
    """A tool on the floor: its travel x is driven, its height y is free."""
    m = ss.Machine(mass=MASS, names=["x", "y"], force={"y": -MASS[1] * G})
    m.add_constraint("drive", on="x", value=ss.Sine(AMPLITUDE, FREQUENCY))
    m.add_contact("floor", {"y": 1.0}, {"x": 1.0}, friction, restitution=restitution)
    return m


def speed(t: float | np.ndarray) -> np.ndarray:
    return np.asarray(AMPLITUDE * W * np.cos(W * np.asarray(t)))


def test_drive_carries_the_friction_of_a_contact() -> None:
    run = ss.simulate(tool(), 3.0, dt=0.01)
    slides = np.abs(speed(run.t)) > 1e-9
    friction = MU * MASS[1] * G * np.sign(speed(run.t))
    np.testing.assert_allclose(run["floor.force"][slides], friction[slides], rtol=1e-13)
    inertia = -MASS[0] * AMPLITUDE * W**2 * np.sin(W * run.t)
    np.testing.assert_allclose(run["drive.force"][slides], -(inertia + friction)[slides], rtol=1e-12)
    turns = [e.time for e in run.events if e.time > 0.0]
    np.testing.assert_allclose(turns, (np.arange(4) + 0.5) / (2.0 * FREQUENCY), rtol=1e-14)
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


def test_impacts_give_the_drive_an_impulse() -> None:
    # Drop from h, restitution e: impacts at t_k with 2 e^k sqrt(2 g h) after the first; impulse (1 + e) m v
    e, h = 0.5, 0.3
    run = ss.simulate(tool(restitution=e), 0.9, dt=0.3, initial={"y.position": h})
    first = math.sqrt(2.0 * h / G)
    times = [first, first * (1.0 + 2.0 * e), first * (1.0 + 2.0 * e + 2.0 * e * e)]
    hits = [i for i in run.events if i.impact]
    np.testing.assert_allclose([i.time for i in hits[:3]], times, rtol=1e-12)
    normal = np.array([(1.0 + e) * MASS[1] * G * first * e**k for k in range(3)])
    np.testing.assert_allclose([i.normal_impulse for i in hits[:3]], normal, rtol=1e-12)
    along = MU * normal * np.sign(speed(np.array(times)))
    np.testing.assert_allclose([i.tangential_impulse for i in hits[:3]], along, rtol=1e-12)
    passed = np.searchsorted(times, run.t, side="right")
    impulses = np.array([-along[:k].sum() for k in passed])
    early = run.t < times[2]
    np.testing.assert_allclose(run["drive.impulse"][early], impulses[early], rtol=1e-12, atol=1e-14)
    assert run.energy.residual < 1e-12
    assert ss.analysis.audit(run).passed


def test_lifted_tool_has_no_friction() -> None:
    m = tool()
    m.add_force("y", ss.Piecewise([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 60.0, 60.0]))
    run = ss.simulate(m, 2.5, dt=0.05)
    lifts = 1.0 + MASS[1] * G / 60.0
    assert run.events.of("floor")[-1].time == pytest.approx(lifts, rel=1e-12)
    open_ = run.t > lifts + 1e-9
    np.testing.assert_array_equal(run["floor.force"][open_], 0.0)
    np.testing.assert_array_equal(run["floor.mode"][open_], int(ss.Mode.OPEN))


def test_friction_of_a_contact_stays_at_rest_what_it_was_and_follows_its_load() -> None:
    m = ss.Machine(mass=MASS, names=["x", "y"], force={"y": -MASS[1] * G})
    m.add_constraint("drive", on="x", value=ss.SmoothStep(0.125))
    m.add_contact("floor", {"y": 1.0}, {"x": 1.0}, ss.Coulomb(0.4, MU))
    m.add_force("y", ss.Ramp(slope=-10.0))
    run = ss.simulate(m, 3.0, t_eval=[0.5, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(run["floor.mode"], [1, 0, 0, 0])
    np.testing.assert_allclose(run["floor.force"], MU * (MASS[1] * G + 10.0 * run.t), rtol=1e-13)
    assert ss.analysis.audit(run).passed


def test_body_pressed_by_a_driven_compliant_contact() -> None:
    # A pin driven down by 1 mm presses a plate with k depth; the plate slides under a force against µ k depth
    k, depth = 1e5, 1e-3
    m = ss.Machine(mass=[1.0, 2.0], names=["pin", "plate"], force={"plate": 50.0})
    m.add_constraint("press", on="pin", value=ss.SmoothStep(-depth, duration=0.5, before=1e-4))
    m.add_contact(
        "pad", {"pin": 1.0}, {"plate": 1.0}, friction=MU, compliance=ss.KelvinVoigt(stiffness=k, damping=0.0)
    )
    run = ss.simulate(m, 1.0, dt=0.1, rtol=1e-11)
    pressed = run.t >= 0.5
    np.testing.assert_allclose(run["pad.normal_force"][pressed], k * depth, rtol=1e-12)
    np.testing.assert_allclose(run["press.force"][pressed], k * depth, rtol=1e-12)
    late = run["plate.velocity"][pressed]
    np.testing.assert_allclose(np.diff(late), 0.1 * (50.0 - MU * k * depth) / 2.0, rtol=1e-9)
    assert run.energy.residual < 1e-9
