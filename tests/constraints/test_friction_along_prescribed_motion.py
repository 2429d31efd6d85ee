"""Friction along coordinates that a constraint drives: its force, the drive's reaction, energy, and rest."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from auditing.damage import Damaged
from numpy.typing import NDArray

import stickslip as ss

Array = NDArray[np.float64]
WEIGHT, AMPLITUDE, MU, PERIOD = 1e6, 0.1, 0.06, 2.0


def driven(
    motion: ss.Signal, law: ss.Law | float, load: ss.Signal | float = 1.0, mass: float = 1.0
) -> ss.Machine:
    """A table that `motion` drives against friction."""
    m = ss.Machine(mass=mass, names=["table"])
    m.add_constraint("drive", on="table", value=motion)
    m.add_friction("guide", on="table", law=law, normal_load=load)
    return m


def there_and_back() -> ss.Signal:
    """From 0 to 1 m in [0, 1] s, rest up to 2 s, back in [2, 3] s, rest up to 4 s."""
    return ss.SmoothStep(1.0) - ss.SmoothStep(1.0, start=2.0)


def test_isolator_dissipates_4_mu_w_d_a_cycle() -> None:
    # Constant load W, amplitude D: 4 µ W D = 24 000 J
    isolator = driven(ss.Sine(AMPLITUDE, 1.0 / PERIOD), MU, WEIGHT)
    run = ss.simulate(isolator, 3.0 * PERIOD, dt=PERIOD)
    cycles = np.diff(run.energy.friction["guide"])
    np.testing.assert_allclose(cycles, 4.0 * MU * WEIGHT * AMPLITUDE, rtol=1e-12)
    np.testing.assert_allclose(np.diff(run.energy.constraints["drive"]), 24000.0, rtol=1e-12)
    assert run.energy.residual < 1e-13
    turns = [e.time for e in run.events if e.time > 0.0]
    np.testing.assert_allclose(turns, PERIOD * (np.arange(6) / 2.0 + 0.25), rtol=1e-15)
    assert ss.analysis.audit(run).passed


def test_drive_force_is_inertia_and_friction() -> None:
    w = 2.0 * math.pi / PERIOD
    run = ss.simulate(driven(ss.Sine(AMPLITUDE, 1.0 / PERIOD), MU, WEIGHT, mass=1e5), 2.0, dt=0.01)
    v, a = AMPLITUDE * w * np.cos(w * run.t), -AMPLITUDE * w**2 * np.sin(w * run.t)
    slides = np.abs(v) > 1e-9
    expected = -(1e5 * a + MU * WEIGHT * np.sign(v))
    np.testing.assert_allclose(run["drive.force"][slides], expected[slides], rtol=1e-13)
    np.testing.assert_allclose(run["guide.velocity"], v, atol=1e-15)


def test_friction_at_rest_stays_that_of_the_end_of_the_slip() -> None:
    run = ss.simulate(driven(there_and_back(), ss.Coulomb(static=0.5, kinetic=0.4), 10.0), 4.0, dt=0.25)
    modes = [int(m) for m in run["guide.mode"]]
    assert modes == [1] * 4 + [0] * 4 + [-1] * 4 + [0] * 5
    np.testing.assert_allclose(run["guide.force"], [4.0] * 8 + [-4.0] * 9, rtol=1e-14)
    np.testing.assert_allclose([e.time for e in run.events], [1.0, 2.0, 3.0], atol=1e-14)
    assert ss.analysis.audit(run).passed


def test_audit_finds_another_force_at_rest() -> None:
    run = ss.simulate(driven(there_and_back(), ss.Coulomb(static=0.5, kinetic=0.4), 10.0), 4.0)
    changed = {"guide.force": lambda t, f: np.where((t > 1.0) & (t < 2.0), 4.5, f)}
    findings = ss.analysis.audit(Damaged(run, signals=changed)).findings
    assert any("F is that of sliding" in f.what for f in findings)


def test_friction_is_zero_before_the_motion_begins() -> None:
    run = ss.simulate(driven(ss.SmoothStep(1.0, start=1.0), 0.4, 10.0), 3.0, t_eval=[0.0, 0.5, 1.5, 2.5])
    np.testing.assert_array_equal(run["guide.mode"], [0, 0, 1, 0])
    np.testing.assert_allclose(run["guide.force"], [0.0, 0.0, 4.0, 4.0], rtol=1e-14)
    assert ss.analysis.audit(run).passed


def test_motion_that_begins_with_a_high_power_of_time_slides_at_once() -> None:
    # v = 30 t² (1 - t)², from rest at the start and at 1 s: no guard can see it begin
    run = ss.simulate(driven(ss.SmoothStep(1.0), 0.4), 1.0, t_eval=[1e-9, 1e-3, 0.999])
    np.testing.assert_array_equal(run["guide.mode"], [1, 1, 1])


def test_load_that_varies_is_followed_at_rest() -> None:
    load = ss.Piecewise([0.0, 1.0, 2.0, 4.0], [10.0, 10.0, 5.0, 5.0])
    run = ss.simulate(driven(there_and_back(), 0.4, load), 4.0, t_eval=[0.5, 1.5, 1.75, 2.5])
    np.testing.assert_allclose(run["guide.force"], [4.0, 3.0, 2.5, -2.0], rtol=1e-13)
    assert run.energy.residual < 1e-12


BRISTLES: dict[str, ss.Law] = {
    "LuGre": ss.LuGre(
        stiffness=1e3, damping=30.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-1
    ),
    "Dahl": ss.Dahl(stiffness=1e3, kinetic=1.0),
    "MaxwellSlip": ss.MaxwellSlip(kinetic=1.0, stiffness=[100.0, 50.0]),
}


@pytest.mark.parametrize("name", BRISTLES)
def test_bristles_give_the_response_of_the_law(name: str) -> None:
    law, w = BRISTLES[name], math.pi
    t = np.linspace(0.0, 4.0, 41)
    run = ss.simulate(driven(ss.Sine(0.1, 0.5), law, 3.0), 4.0, t_eval=t, rtol=1e-11)
    truth = law.response(t, ss.Sine(0.1 * w, 0.5, phase=math.pi / 2), normal_load=3.0)
    np.testing.assert_allclose(run["guide.force"], truth.force, atol=2e-8)
    np.testing.assert_allclose(run["drive.force"], 0.1 * w**2 * np.sin(w * t) - truth.force, atol=2e-8)
    assert run.energy.residual < 1e-8


AUTOMATA: dict[str, ss.Law] = {
    "curve": ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05, shape=2.0, viscous=0.4),
    "lag": ss.StickSlip(ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05), memory=ss.Lag(0.05)),
    "dwell": ss.StickSlip(
        ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05), memory=ss.Lag(0.05), dwell=0.3
    ),
    "dead time": ss.StickSlip(
        ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05), memory=ss.DeadTime(0.02)
    ),
    "presliding": ss.StickSlip(ss.Coulomb(1.5, 1.0), presliding=ss.Presliding(travel=0.01, damping=1.0)),
}


@pytest.mark.parametrize("name", AUTOMATA)
def test_laws_agree_with_a_surface_under_a_body_that_hardly_moves(name: str) -> None:
    law = AUTOMATA[name]
    speed = ss.Sine(0.1 * math.pi, 0.5, phase=math.pi / 2)
    t = np.linspace(0.01, 3.99, 100)
    run = ss.simulate(driven(ss.Sine(0.1, 0.5), law), 4.0, t_eval=t, rtol=1e-10)
    heavy = ss.Machine(mass=1e13, names=["body"])
    heavy.add_friction("guide", on="body", law=law, surface_velocity=-1.0 * speed)
    truth = ss.simulate(heavy, 4.0, t_eval=t, rtol=1e-10)
    np.testing.assert_allclose(run["guide.force"], truth["guide.force"], atol=1e-8)
    np.testing.assert_array_equal(run["guide.mode"], truth["guide.mode"])


def test_table_that_is_driven_is_a_moving_surface() -> None:
    # The slider sees the same motion: as a coordinate against a driven table, or on a surface with its velocity
    motion = ss.Sine(0.3, 1.0)
    rate = ss.Sine(0.3 * 2.0 * math.pi, 1.0, phase=math.pi / 2)
    law = ss.Coulomb(static=0.5, kinetic=0.3)
    table = ss.Machine(mass=[2.0, 50.0], names=["slider", "table"])
    table.add_constraint("drive", on="table", value=motion)
    table.add_friction("top", on=("slider", "table"), law=law, normal_load=20.0)
    table.add_friction("guide", on="table", law=0.1, normal_load=500.0)
    table.add_spring("tie", on="slider", stiffness=30.0)
    belt = ss.Machine(mass=2.0, names=["slider"])
    belt.add_friction("top", on="slider", law=law, normal_load=20.0, surface_velocity=rate)
    belt.add_spring("tie", on="slider", stiffness=30.0)
    a, b = (ss.simulate(m, 20.0, dt=0.05) for m in (table, belt))
    np.testing.assert_allclose(a["slider.position"], b["slider.position"], atol=1e-12)
    changes = [[(e.time, int(e.after)) for e in run.events.of("top")] for run in (a, b)]
    np.testing.assert_allclose(changes[0], changes[1], atol=1e-12)
    assert len(changes[0]) > 30
    inertia = -50.0 * 0.3 * (2.0 * math.pi) ** 2 * np.sin(2.0 * math.pi * a.t)
    np.testing.assert_allclose(
        a["drive.force"], -(inertia + a["guide.force"] - a["top.force"]), rtol=1e-11, atol=1e-9
    )
    assert a.energy.residual < 1e-12
    assert ss.analysis.audit(a).passed


def test_stiff_servo_approaches_the_prescribed_motion() -> None:
    def servo(stiffness: float) -> ss.Machine:
        m = ss.Machine(mass=1.0, names=["table"])
        m.add_spring(
            "servo",
            on="table",
            stiffness=stiffness,
            damping=2.0 * math.sqrt(stiffness),
            rest=there_and_back(),
        )
        m.add_friction("guide", on="table", law=ss.Coulomb(0.5, 0.4), normal_load=10.0)
        return m

    t = np.array([0.5, 1.5, 1.9, 2.5, 3.5])
    limit = ss.simulate(driven(there_and_back(), ss.Coulomb(0.5, 0.4), 10.0), 4.0, t_eval=t)["drive.force"]
    errors = [
        np.abs(ss.simulate(servo(k), 4.0, t_eval=t)["servo.force"] - limit).max() for k in (1e4, 1e6, 1e8)
    ]
    assert errors[0] > 5.0 * errors[1] > 25.0 * errors[2]
    assert errors[2] < 2e-2


def test_prescribed_speed_and_ideal_gear_drive_friction() -> None:
    # The screw turns the nut: v_nut = 0.01 v_motor; its friction is 0.01 of the motor's torque
    m = ss.Machine(mass=[1e-3, 5.0], names=["motor", "nut"])
    m.add_constraint("speed", on="motor", rate=20.0)
    m.add_constraint("screw", on={"motor": 0.01, "nut": -1.0})
    m.add_friction("guide", on="nut", law=ss.Stribeck(0.3, 0.2, 0.1, viscous=1.0), normal_load=50.0)
    run = ss.simulate(m, 1.0, dt=0.1)
    force = 50.0 * (0.2 + 0.1 * math.exp(-4.0)) + 0.2
    np.testing.assert_allclose(run["guide.force"], force, rtol=1e-13)
    np.testing.assert_allclose(run["speed.force"], -0.01 * force, rtol=1e-12)
    np.testing.assert_allclose(run["screw.force"], force, rtol=1e-12)
    assert run.energy.residual < 1e-12


def test_runs_are_saved_resumed_and_reproduced() -> None:
    m = driven(there_and_back(), ss.Coulomb(0.5, 0.4), 10.0)
    assert ss.Machine.from_dict(m.to_dict()) == m
    whole = ss.simulate(m, 4.0)
    for t in (0.5, 1.5, 2.2):
        first = ss.simulate(m, t)
        rest = ss.simulate(m, state=pickle.loads(pickle.dumps(first.state)), t_end=4.0)
        assert rest.state == whole.state


def test_derivatives_match_the_closed_form() -> None:
    run = ss.simulate(
        driven(ss.Sine(0.1, 0.5), ss.Stribeck(0.4, 0.3, 0.1), 10.0), 3.0, dt=0.5,
        sensitivities=["guide.law.kinetic", "guide.normal_load"],
    )  # fmt: skip
    v = 0.1 * math.pi * np.cos(math.pi * run.t)
    slides = np.abs(v) > 1e-6
    bump = np.exp(-((v / 0.1) ** 2))
    np.testing.assert_allclose(
        run.sensitivity["guide.force", "guide.law.kinetic"][slides],
        (10.0 * np.sign(v) * (1.0 - bump))[slides], atol=1e-10,
    )  # fmt: skip
    np.testing.assert_allclose(
        run.sensitivity["drive.force", "guide.normal_load"][slides],
        -(np.sign(v) * (0.3 + 0.1 * bump))[slides], atol=1e-10,
    )  # fmt: skip


def test_real_time_follows_the_run() -> None:
    m = driven(there_and_back(), ss.Coulomb(0.4, 0.4), 10.0)
    real = ss.RealTime(m, step=1e-3, outputs=["guide.force", "drive.force"])
    run = ss.simulate(m, 4.0, dt=1e-3)
    values = np.array([real.step() for _ in range(4000)])
    near = np.abs(run["guide.velocity"][1:]) > 1e-4
    np.testing.assert_allclose(values[near, 0], run["guide.force"][1:][near], rtol=1e-9)


def test_detents_clutches_and_rigid_contacts_along_a_prescribed_motion_are_refused() -> None:
    def machine() -> ss.Machine:
        m = ss.Machine(mass=[1.0, 1.0], names=["table", "slider"])
        m.add_constraint("drive", on="table", value=ss.Sine(0.1, 1.0))
        return m

    m = machine()
    m.add_contact("stop", normal={"table": -1.0}, gap=1.0)
    with pytest.raises(
        ValueError, match=r"on of 'stop' is fixed by constraints: .*Give the contact a compliance"
    ):
        m.check()
    m = machine()
    m.add_one_way_clutch("backstop", on="table")
    with pytest.raises(ValueError, match="on of 'backstop' is fixed by constraints"):
        m.check()
    m = machine()
    m.add_detent("seat", on="table", preload=1.0)
    with pytest.raises(ValueError, match="on of 'seat' is fixed by constraints"):
        m.check()
