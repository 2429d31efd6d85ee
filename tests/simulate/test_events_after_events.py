"""An event long after another one: what slid slowly at the first keeps the velocity that it had there."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


@pytest.mark.parametrize("level", [1e-9, 4e-9])
def test_element_stops_at_zero_of_its_own_velocity(level: float) -> None:
    """`far` breaks away under a sine just behind the start, when `near` slides with 1e-9 m/s: no rounding of zero.

    Friction of next to nothing stops `near` where the motion without friction turns, x' = 0:
    x'' + k x = a sin(w t), x(0) = x_0, x'(0) = 0.
    """
    m = ss.Machine(mass=[1.0, 1.0], stiffness=[[64.0, 0.0], [0.0, 0.0]], names=["a", "b"])
    m.add_force("a", ss.Sine(1.0, 1.0))
    m.add_force("b", ss.Sine(1.0, 1.0))
    m.add_friction("near", on="a", law=ss.Coulomb(static=1e-14, kinetic=1e-14))
    m.add_friction("far", on="b", law=ss.Coulomb(static=level, kinetic=0.5 * level))
    run = ss.simulate(m, 0.5, initial={"a.position": -0.06})
    stop = float(run.events.of("near").time[0])
    assert run.events.element[0] == "far"
    w = 2.0 * np.pi
    share = 1.0 / (64.0 - w**2)  # of sin(w t) in x
    velocity = 0.06 * 8.0 * np.sin(8.0 * stop) + share * w * (np.cos(w * stop) - np.cos(8.0 * stop))
    assert abs(velocity) < 1e-14
