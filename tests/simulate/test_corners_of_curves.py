"""A belt that swings carries an element to a corner of its curve and back: steps end at the corner, both ways."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import stickslip as ss

CORNER, OMEGA = 0.442, 2.0 * np.pi * 0.7
LAW = ss.Table([0.0, CORNER, 1.0], [1.0, 0.4, 2.5], odd=True)
T_END = 3.0


def held(amplitude: float) -> ss.Machine:
    """A block that one element holds while a belt rubs it: nothing moves, and no state shows an error."""
    m = ss.Machine(mass=1.0, names=["block"])
    m.add_friction("brake", on="block", law=ss.Coulomb(static=50.0, kinetic=40.0))
    belt = ss.Sine(amplitude, OMEGA / (2.0 * np.pi), phase=0.3)
    m.add_friction("belt", on="block", law=LAW, surface_velocity=belt)
    return m


def work(amplitude: float, t: float) -> float:
    """The integral of F(v) v, from corner to corner."""

    def speed(at: float) -> float:
        return abs(amplitude * np.sin(OMEGA * at + 0.3))

    turns = [(k * np.pi - 0.3) / OMEGA for k in range(1, 12)]
    reach = np.arcsin(min(CORNER / amplitude, 1.0))
    corners = [(k * np.pi + side * reach - 0.3) / OMEGA for k in range(12) for side in (-1, 1)]
    at = [0.0, *sorted(x for x in {*turns, *corners} if 0.0 < x < t), t]

    def power(x: float) -> float:
        return float(np.interp(speed(x), [0.0, CORNER, 1.0], [1.0, 0.4, 2.5])) * speed(x)

    return sum(quad(power, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in pairwise(at))


@pytest.mark.parametrize("amplitude", [0.4421, 0.4425, 0.45, 0.5, 0.7, 0.99])
@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
def test_work_beside_a_corner_is_counted_to_rounding(amplitude: float, method: str) -> None:
    run = ss.simulate(held(amplitude), T_END, method=method)
    taken = float(run.energy.friction["belt"][-1])
    assert taken == pytest.approx(work(amplitude, T_END), rel=1e-14)
    assert np.abs(run["block.position"]).max() < 1e-15
