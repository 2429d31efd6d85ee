"""Friction without a jump at rest: which way it begins to slip beside a start at rest moves nothing, to first order."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

LUGRE = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
DAHL = ss.Dahl(stiffness=1e3, kinetic=1.0)
LAWS = [LUGRE, DAHL, ss.Tanh(kinetic=1.0, width=0.01), ss.Viscous(0.4)]


def block(law: ss.Law, speed: float = 0.0) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": ss.Ramp(slope=0.2)})
    m.add_friction("guide", on="block", law=law, surface_velocity=speed)
    return m


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("name", ["block.position", "block.velocity", "guide.surface_velocity"])
def test_derivatives_of_bristles_from_rest_agree_with_differences(law: ss.Law, name: str) -> None:
    run = ss.simulate(block(law), 1.0, sensitivities=[name], rtol=1e-11)
    assert run.sensitivity.valid_until.time == np.inf

    def end(value: float) -> np.ndarray:
        still = name == "guide.surface_velocity"
        start = {} if still else {name: value}
        return ss.simulate(block(law, value if still else 0.0), 1.0, initial=start, rtol=1e-12).state.x

    # Beyond first order |v| matters, so that differences are off by a share of the step: what two leave is of the second.
    h = 1e-7
    coarse, fine = ((end(step) - end(-step)) / (2 * step) for step in (h, h / 2))
    truth, own = 2 * fine - coarse, run.sensitivity.end[:, 0]
    assert np.abs(own[:2] - truth[:2]).max() < 1e-3 * max(1e-3, np.abs(truth[:2]).max())
