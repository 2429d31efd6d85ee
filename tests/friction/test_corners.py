"""Corners of tables: between two of them the motion is an exponential, whose ends are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

SPEEDS, FORCES, MASS = [0.0, 0.3, 0.57, 0.667], [2.25, 1.08, 1.89, 2.02], 0.25


def coast(v: float, t: float) -> float:
    """m v' = −F(v) from v > 0 down through the lines of the table, for the time t (not as far as rest)."""
    while True:
        k = int(np.searchsorted(SPEEDS, v, side="left")) - 1  # the line below v
        end = SPEEDS[k]
        slope = 0.0 if k == len(SPEEDS) - 1 else (FORCES[k + 1] - FORCES[k]) / (SPEEDS[k + 1] - SPEEDS[k])
        force = FORCES[k] + slope * (v - end)
        rate = slope / MASS
        needs = MASS * (v - end) / force if slope == 0.0 else np.log(force / FORCES[k]) / rate
        if needs >= t:
            return v - force / MASS * (t if slope == 0.0 else -np.expm1(-rate * t) / rate)
        v, t = end, t - needs


@pytest.mark.parametrize("method", ["explicit", "stiff"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("t", [0.05, 0.1])
def test_coasting_through_table_corners_matches_closed_form(method: str, rtol: float, t: float) -> None:
    m = ss.Machine(mass=MASS, names=["x"])
    m.add_friction("guide", on="x", law=ss.Table(SPEEDS, FORCES, odd=True))
    run = ss.simulate(m, t, initial={"x.velocity": 0.867}, rtol=rtol, method=method)
    assert run["x.velocity"][-1] == pytest.approx(coast(0.867, t), abs=2.0 * rtol)


def test_a_corner_costs_few_steps() -> None:
    """Sixteen swings through four corners each: steps that end there are few beside those that error asks for."""
    lines = ss.Table([0.0, 0.5], [0.0, 1e-4], odd=True)
    smooth = ss.Stribeck(static=2e-4, kinetic=1e-4, stribeck_velocity=0.5)
    steps = []
    for law in (lines, smooth):
        m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
        m.add_friction("guide", on="x", law=law)
        steps.append(ss.simulate(m, 100.0, initial={"x.position": 1.0}, method="explicit").t.size)
    assert steps[0] < 3.0 * steps[1]
