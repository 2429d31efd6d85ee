"""Between sampling instants without events a run uses one map of the state; the motion is the same."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

PERIOD = 125e-6
LAWS: dict[str, ss.Law | None] = {
    "none": None,
    "Coulomb": ss.Coulomb(static=0.0007, kinetic=0.0006),
    "Stribeck": ss.Stribeck(static=0.0007, kinetic=0.0006, stribeck_velocity=1e-3),
    "viscous": ss.Coulomb(static=0.0007, kinetic=0.0006) + ss.Viscous(20.0),
    "tanh": ss.Tanh(kinetic=0.0006, width=1e-3),
}


def drive(law: ss.Law | None, delay: float = 0.0) -> ss.Machine:
    """A table of 2 t behind a spring, under a sampled cascade."""
    made = ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=5e6,
        damping=1341.64,
        load_friction=law,
        normal_load=9810.0,
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3, period=PERIOD, delay=delay),
        reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )
    return made.machine


@pytest.mark.parametrize("delay", [0.0, 0.4 * PERIOD])
@pytest.mark.parametrize("law", LAWS)
def test_motion_between_samples_equals_that_of_shorter_steps(law: str, delay: float) -> None:
    """Steps of at most 0.3 periods are integrated one by one."""
    machine = drive(LAWS[law], delay)
    run = ss.simulate(machine, t_end=2.0)
    by_steps = ss.simulate(machine, t_end=2.0, max_step=0.3 * PERIOD, rtol=1e-11)
    assert [(e.element, e.before, e.after) for e in run.events] == [
        (e.element, e.before, e.after) for e in by_steps.events
    ]
    assert [e.time for e in run.events] == pytest.approx([e.time for e in by_steps.events], abs=2e-12)
    t = np.linspace(0.0, 2.0, 3001)
    for signal in ("motor.position", "load.position", "motor.velocity", "load.velocity"):
        a, b = run.at(t)[signal], by_steps.at(t)[signal]
        assert np.abs(a - b).max() <= 5e-11 * np.abs(b).max(), signal


@pytest.mark.parametrize("law", LAWS)
def test_resumed_run_is_bitwise_equal(law: str) -> None:
    machine = drive(LAWS[law])
    whole = ss.simulate(machine, t_end=1.0)
    part = ss.simulate(machine, t_end=0.41003)
    rest = ss.simulate(machine, state=part.state, t_end=1.0)
    assert whole.state == rest.state
