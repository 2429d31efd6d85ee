"""A step so long that its stages miss a compliant contact is not taken for accurate."""

from __future__ import annotations

import numpy as np

import stickslip as ss


def test_long_step_does_not_miss_a_compliant_contact() -> None:
    """In free flight the proposed step is longer than a contact, which its stages may miss."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
    m.add_contact(
        "ground",
        gap=lambda q: ss.hypot(q["x"], q["y"]) - 1.0,
        compliance=ss.HuntCrossley(stiffness=5e3, damping=0.1, exponent=1.5),
    )
    rng = np.random.default_rng(3)
    grid = np.linspace(0.0, 1.0, 201)
    worst = 0.0
    for _ in range(200):
        start = {
            "x.position": float(rng.uniform(-0.7, 0.7)),
            "y.position": float(rng.uniform(1.05, 1.4)),
            "x.velocity": float(rng.normal()),
            "y.velocity": float(rng.normal()),
        }
        coarse, fine = (ss.simulate(m, 1.0, initial=start, rtol=rtol) for rtol in (1e-8, 1e-11))
        worst = max(worst, float(np.abs(coarse.at(grid).y - fine.at(grid).y).max()))
    assert worst < 3e-6
