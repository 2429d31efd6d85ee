"""Motion many orders faster than the structure of its friction: steps that reach behind its rest become short enough."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


@pytest.mark.parametrize("force", [1e5, 1e7, 1e9])
def test_peak_velocity_of_fast_reversal_matches_closed_form(force: float) -> None:
    """v = -F/w cos w t, but for what friction of 1.3 N takes: 0.26 Ns, as the times of each direction come to."""
    w = 2.0 * np.pi
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", ss.Sine(force, 1.0))
    m.add_friction("guide", on="x", law=ss.Stribeck(static=2.5, kinetic=1.3, stribeck_velocity=0.003))
    run = ss.simulate(m, 2.2, initial={"x.velocity": -force / w}, rtol=1e-12)
    assert run.success
    taken = run["x.velocity"][-1] + force / w * np.cos(w * 2.2)
    assert abs(taken - 1.3 * (0.25 - 0.5 + 0.5 - 0.5 + 0.45)) < 2e-12 * force / w + 1e-5
