"""A law beside a body at rest turns its force within one step: nothing moves, and only the guards see it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

SPRING, LEVEL, DRAG = (
    0.8,
    1.0,
    1.6,
)  # of the spring as the block begins; of its own friction; of the moving surface
SPEED, FREQUENCY = 0.7, 0.5
REACHED = 2e-16  # two of its last digits


def _run(width: float, turns: float) -> ss.Trajectory:
    omega = 2.0 * np.pi * FREQUENCY
    belt = ss.Sine(amplitude=SPEED, frequency=FREQUENCY, phase=-omega * turns)
    m = ss.Machine(mass=[1.0], stiffness=[[4.0]], damping=[[0.0]], names=["block"])
    m.add_friction("holds", on="block", law=ss.Coulomb(static=LEVEL, kinetic=0.5))
    law = ss.Tanh(static=DRAG, kinetic=DRAG, stribeck_velocity=1.0, width=width)
    m.add_friction("drags", on="block", law=law, surface_velocity=belt)
    return ss.simulate(m, turns + 0.3, initial={"block.position": -SPRING / 4.0})


@pytest.mark.parametrize("turns", [0.13, 0.31, 0.43])
@pytest.mark.parametrize("width", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_a_steep_law_on_a_surface_that_turns_breaks_the_block_away(width: float, turns: float) -> None:
    run = _run(width, turns)
    speed = width * np.arctanh((LEVEL - SPRING) / DRAG)
    when = turns + np.arcsin(speed / SPEED) / (2.0 * np.pi * FREQUENCY)
    assert run.events.element.tolist()[0] == "holds"
    assert run.events.time[0] == pytest.approx(when, rel=0.0, abs=REACHED)


def test_slip_after_break_away_agrees_with_independent_integration() -> None:
    width, turns = 1e-2, 0.31
    run = _run(width, turns)
    omega = 2.0 * np.pi * FREQUENCY

    def drag(t: float, v: float) -> float:
        return float(DRAG * np.tanh((SPEED * np.sin(omega * (t - turns)) - v) / width))

    def margin(t: float, _: object) -> float:
        return SPRING + drag(t, 0.0) - LEVEL

    margin.terminal = True  # type: ignore[attr-defined]
    rest = solve_ivp(lambda t, _: [0.0], (0.0, 1.0), [0.0], events=margin, max_step=1e-3, rtol=1e-12)
    begin = float(rest.t_events[0][0])
    slip = solve_ivp(
        lambda t, y: [y[1], -4.0 * y[0] - 0.5 + drag(t, y[1])], (begin, turns + 0.3), [-SPRING / 4.0, 0.0],
        method="Radau", rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    assert run.events.time[0] == pytest.approx(begin, rel=0.0, abs=1e-9)
    assert run["block.position"][-1] == pytest.approx(slip.y[0, -1], rel=0.0, abs=1e-8)
