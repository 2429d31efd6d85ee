"""Two friction elements along nearly the same direction do not stop the difference of their motions."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

ACROSS = 1e-6  # m/s


@pytest.mark.parametrize("turn", [1e-6, 3e-7, 1e-7, 4e-8, 1e-8])
def test_coming_to_rest_keeps_the_transverse_velocity(turn: float) -> None:
    """x' and x' + turn y' stop together; to stop y' as well would take 1/turn of a force that holds 1 N."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_friction("along", on="x", law=1.0)
    m.add_friction("turned", on={"x": 1.0, "y": turn}, law=1.0)
    run = ss.simulate(m, 0.6, initial={"x.velocity": 1.0, "y.velocity": ACROSS})
    assert run.success
    sliding = float(run.events.time[0])
    assert abs(sliding - 0.5) < 1e-9  # 2 N on 1 kg
    left = ACROSS - turn * sliding  # the turned friction of 1 N has acted until then
    assert abs(run["y.velocity"][-1] - left) < 1e-15
    assert np.abs(run["x.velocity"][-1]) < 1e-12
