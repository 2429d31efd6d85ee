"""Bristles that come to their level in a small part of a step: the force stays at the level, and the motion is that of
`simulate`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import stickslip as ss

LEVELS = {"static": 0.35, "kinetic": 0.3, "stribeck_velocity": 0.05}
LAWS: dict[str, Callable[[float], ss.Law]] = {
    "LuGre": lambda k: ss.LuGre(stiffness=k, **LEVELS),
    "Dahl": lambda k: ss.Dahl(stiffness=k, kinetic=0.3, exponent=1.5),
    "Dahl, 4": lambda k: ss.Dahl(stiffness=k, kinetic=0.3, exponent=4.0),
    "ElastoPlastic": lambda k: ss.ElastoPlastic(stiffness=k, **LEVELS),
    "BoucWen": lambda k: ss.BoucWen(stiffness=k, kinetic=0.3, exponent=2.0, beta=0.5),
    "BoucWen, 4": lambda k: ss.BoucWen(stiffness=k, kinetic=0.3, exponent=4.0, beta=0.7),
    "Leuven": lambda k: ss.Leuven(stiffness=k, height=1.0, **LEVELS),
    "Leuven, 2": lambda k: ss.Leuven(stiffness=k, height=0.5, exponent=2.0, **LEVELS),
    "TwoStateBristle": lambda k: ss.TwoStateBristle(stiffness=k, **LEVELS),
    "MaxwellSlip": lambda k: ss.MaxwellSlip(
        stiffness=[k, 0.5 * k, 0.25 * k], share=[0.4, 0.3, 0.3], attraction=100.0, **LEVELS
    ),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("stiffness", [1e3, 1e4, 1e6])
@pytest.mark.parametrize("formulas", [False, True])
def test_stiff_bristles_stay_at_their_level(law: str, stiffness: float, formulas: bool) -> None:
    """Two blocks on a spring, one of them driven: at first the way of a step, 0.6 mm, is 2 to 2000 times the deflection at
    the level.
    """
    m = ss.Machine(
        mass=[1.25, 1.0], names=["block", "other"], stiffness=20.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    )
    m.add_friction("guide", on="block", law=LAWS[law](stiffness))
    m.add_force("block", ss.Sine(amplitude=1.5, frequency=1.0))
    if formulas:  # the Jacobian is one of differences
        m.add_force("other", lambda q: -0.1 * ss.math.sin(q["other"]))
    start = {"block.velocity": 0.6}
    rt = ss.RealTime(
        m, step=1e-3, initial=start, outputs=["block.position", "guide.force"], max_transitions=6
    )
    y = rt.run(2000)
    exact = ss.simulate(m, 2.0, initial=start, rtol=1e-7).at(1e-3 * np.arange(1, 2001))
    np.testing.assert_allclose(y[:, 0], exact["block.position"], atol=6e-4)
    assert np.abs(y[:, 1]).max() <= 0.35
