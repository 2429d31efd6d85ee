"""Derivatives of machines of all kinds against differences of their runs."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import derivatives as benchmarked

import stickslip as ss
from sensitivity.differences import Differences


def test_derivatives_of_a_servo_drive_agree_with_differences() -> None:
    drive = ss.machines.two_mass_drive(
        motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64,
        load_friction=ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3), normal_load=9810.0,
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3), reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )  # fmt: skip
    numbers = {
        "load friction.law.static": 0.007, "load friction.law.kinetic": 0.006,
        "load friction.law.stribeck_velocity": 1e-3, "load.mass": 1000.0, "control.control.kv": 8 / 60e-3,
        "control.control.kp": 700e3, "control.control.tn": 30e-3, "control.reference_scale": 1.0,
    }  # fmt: skip
    runs = Differences(
        drive, 0.8, numbers, signals=["load.position", "load.velocity", "control.output"], rtol=1e-12
    )
    assert len(runs.run.events) >= 6
    for name, value in numbers.items():
        assert runs.off(name, 1e-3 * value) < 1e-8, name


def test_derivatives_of_a_lugre_pull_agree_with_differences() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Ramp(slope=0.2)})
    law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    m.add_friction("guide", on="block", law=law)
    numbers = {
        "guide.law.static": 1.5, "guide.law.kinetic": 1.0, "guide.law.stribeck_velocity": 1e-3,
        "guide.law.viscous": 0.4, "block.mass": 1.0, "block.stiffness": 2.0,
    }  # fmt: skip
    runs = Differences(
        m, 12.0, numbers, signals=["block.position", "block.velocity", "guide.force"], rtol=1e-12
    )
    runs.times = np.array([5.0, 8.5, 10.0, 12.0])
    for name, value in numbers.items():
        assert runs.off(name, 2e-3 * value) < 1e-8, name


@pytest.mark.parametrize("presliding", [None, ss.Presliding(travel=5e-5, damping=1.0)])
def test_derivatives_of_an_automaton_agree_with_differences(presliding: ss.Presliding | None) -> None:
    m = ss.Machine(mass=1.0, stiffness=20.0, names=["block"], force={"block": ss.Ramp(slope=1.0)})
    curve = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05, shape=1.0, viscous=0.1)
    law = ss.StickSlip(curve, memory=ss.Lag(0.01), dwell=1.0, presliding=presliding)
    m.add_friction("surface", on="block", law=law)
    numbers = {
        "surface.law.static": 1.5, "surface.law.kinetic": 1.0, "surface.law.memory": 0.01, "surface.law.dwell": 1.0,
        "block.mass": 1.0, "block.stiffness": 20.0,
    }  # fmt: skip
    steps = {"surface.law.memory": 2e-3, "surface.law.dwell": 1e-2}  # which matter least
    signals = ["block.position", "block.velocity", "surface.force"]
    # What lags by 0.01 s magnifies errors of the runs whose differences these are, so they must be small.
    runs = Differences(m, 4.5, numbers, signals=signals, rtol=1e-13, max_step=2e-3, method="stiff")
    assert len(runs.run.events) >= 3
    for name, value in numbers.items():
        assert runs.off(name, steps.get(name, 2e-4) * value) < 1e-8, name


def test_derivatives_of_a_chattering_wedge_agree_with_differences() -> None:
    gear = ss.machines.wedge_gear(
        upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12), friction=np.tan(np.deg2rad(14)), load=100.0,
        stiffness=4000.0, pull_velocity=0.01, restitution=0.0,
    )  # fmt: skip
    numbers = {"upper.mass": 2420.0, "lower.mass": 10.878}
    runs = Differences(gear, 1.0, numbers)
    assert len(runs.run.events) >= 5
    for name, value in numbers.items():
        assert runs.off(name, 2e-4 * value) < 1e-8, name


def test_derivatives_of_a_pendulum_agree_with_differences() -> None:
    m = ss.Machine(mass=[0.3], names=["arm"])
    m.add_force("arm", force=lambda q, v, t: -2.0 * ss.sin(q["arm"]))
    m.add_friction("joint", on="arm", law=ss.Coulomb(static=0.12, kinetic=0.1))
    numbers = {"joint.law.kinetic": 0.1, "arm.mass": 0.3, "arm.position": 2.0, "arm.velocity": 0.3}
    start = {"arm.position": 2.0, "arm.velocity": 0.3}
    runs = Differences(m, 8.0, numbers, initial=start, rtol=1e-13)
    assert len(runs.run.events) >= 5
    for name, value in numbers.items():
        assert runs.off(name, 4e-4 * value) < 1e-8, name


def test_derivatives_of_a_sampled_loop_agree_with_differences() -> None:
    m = benchmarked.sampled().machine
    numbers = {
        "guide.law.kinetic": 0.7, "slide.mass": 2.0, "pid.control.kp": 35.0, "pid.control.ki": 41.0,
        "pid.control.kd": 6.0, "pid.reference_scale": 1.0,
    }  # fmt: skip
    runs = Differences(m, 6.0, numbers, signals=["slide.position", "slide.velocity", "pid.output"])
    assert len(runs.run.events) >= 3
    for name, value in numbers.items():
        assert runs.off(name, 1e-3 * value) < 1e-8, name
