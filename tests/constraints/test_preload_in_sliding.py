"""Sliding friction under the force of a constraint counts its magnitude alone, also beside a gear that shares forces."""

import numpy as np

import stickslip as ss

RATIO, EFFICIENCY, FRICTION = 0.9, 0.9, 0.25


def test_brake_beside_a_gear_with_losses() -> None:
    """M x'' = 5 - mu |cos(pi t / 2)| with M = 2 + 1/(ratio² efficiency): v(2) = (10 - 4 mu/pi) / M."""
    m = ss.Machine([2.0, 1.0, 1.0], names=["slide", "pinion", "shoe"])
    m.add_gear("mesh", ("slide", "pinion"), RATIO, EFFICIENCY)
    m.add_constraint("rail", {"shoe": 1.0})
    m.add_friction("brake", "slide", ss.Coulomb(FRICTION), "rail.force")
    m.add_force("shoe", ss.Sine(1.0, 0.25, phase=np.pi / 2.0))
    m.add_force("slide", 5.0)
    run = ss.simulate(m, 2.0)
    t = np.linspace(0.01, 2.0, 400)
    assert np.abs(run.at(t)["brake.load"] - np.abs(np.cos(0.5 * np.pi * t))).max() < 1e-14
    mass = 2.0 + 1.0 / (RATIO**2 * EFFICIENCY)
    assert abs(run["slide.velocity"][-1] - (10.0 - 4.0 * FRICTION / np.pi) / mass) < 1e-13
