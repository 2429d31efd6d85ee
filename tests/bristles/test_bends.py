"""Steps end where the slope of a bristle's rate jumps, so that the tolerance holds across it."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_bouc_wen_reversal_matches_closed_form(rtol: float) -> None:
    """Over the way s, w' = a for w < 0 and a (1 - w) beyond, a = stiffness / kinetic, for exponent 1 and beta 1/2."""
    stiffness, kinetic, start = 400.0, 2.0, -0.8
    m = ss.Machine(mass=1e9, names=["x"])  # which the friction does not stop
    m.add_friction("f", on="x", law=ss.BoucWen(stiffness=stiffness, kinetic=kinetic, exponent=1.0, beta=0.5))
    initial = {"x.velocity": 1.0, "f.z": start * kinetic / stiffness}
    run = ss.simulate(m, 0.05, initial=initial, rtol=rtol)
    s = np.linspace(0.0, 0.05, 401)
    a = stiffness / kinetic
    zero = -start / a
    w = np.where(s < zero, start + a * s, 1.0 - np.exp(-a * (s - zero)))
    assert np.abs(run.at(s)["f.z"] * a - w).max() < 0.5 * rtol
