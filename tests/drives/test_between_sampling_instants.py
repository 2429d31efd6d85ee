"""Between sampling instants without events a run uses one map of the state; the motion is the same."""

from __future__ import annotations

import numpy as np
import pytest
from corpus.machines import two_tonne_table

import stickslip as ss

PERIOD = 125e-6
LAWS: dict[str, ss.Law | None] = {
    "none": None,
    "Coulomb": ss.Coulomb(static=0.0007, kinetic=0.0006),
    "Stribeck": ss.Stribeck(static=0.0007, kinetic=0.0006, stribeck_velocity=1e-3),
    "viscous": ss.Coulomb(static=0.0007, kinetic=0.0006) + ss.Viscous(20.0),
    "tanh": ss.Tanh(kinetic=0.0006, width=1e-3),
}


@pytest.mark.parametrize("delay", [0.0, 0.4 * PERIOD])
@pytest.mark.parametrize("law", LAWS)
def test_motion_between_samples_equals_that_of_shorter_steps(law: str, delay: float) -> None:
    """Steps of at most 0.3 periods are integrated one by one."""
    machine = two_tonne_table(LAWS[law], period=PERIOD, delay=delay).machine
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
    machine = two_tonne_table(LAWS[law], period=PERIOD).machine
    whole = ss.simulate(machine, t_end=1.0)
    part = ss.simulate(machine, t_end=0.41003)
    rest = ss.simulate(machine, state=part.state, t_end=1.0)
    assert whole.state == rest.state
