"""Friction that is less than rounding of the forces beside it: it decides nothing, and nothing goes to and fro."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


@pytest.mark.parametrize("seed", range(10))
def test_friction_of_rounding_size_breaks_away_once(seed: int) -> None:
    """A body leaves one stop for the other while friction of 1e-14 N holds it, less than rounding of the force.

    A second body between stops of its own carries that friction, by a spring that the backlash of the first one bends.
    """
    rng = np.random.default_rng([76, seed])
    k, push, slope, gap = rng.uniform(2.0, 12.0), rng.uniform(0.3, 2.5), rng.uniform(1.0, 12.0), 1e-14
    m = ss.Machine(
        mass=rng.uniform(0.5, 4.0, 2), stiffness=[[k, -k], [-k, k]], names=["a", "b"],
        force={"a": ss.Ramp(slope=-slope) + ss.Constant(push)},
    )  # fmt: skip
    for side, name in ((1.0, "low"), (-1.0, "high")):
        m.add_contact(f"{name} a", normal={"a": side}, gap=gap)
        m.add_contact(f"{name} b", normal={"b": side}, tangent={"a": 1.0}, friction=0.3)
    run = ss.simulate(m, 2.0 * push / slope)
    assert run.success
    assert abs(run["low a.normal_force"][-1] - push) <= 1e-12 * push
    assert run["a.position"][-1] == pytest.approx(-gap, rel=1e-6)
