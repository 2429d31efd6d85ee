"""Impulses of constraints in impacts: what is missing in M dv, with friction in one direction and in many."""

from typing import Any

import numpy as np
import pytest

import stickslip as ss

MASS = np.array([1.0, 1.5, 2.0, 0.7])
START = {"z.position": 0.5, "x.velocity": 2.8, "y.velocity": 1.5, "u.velocity": 2.8 + 0.75}
COLUMN = np.array([1.0, 0.5, 0.0, -1.0])  # of the constraint


def skid(facets: int, mass: float = 1.0, restitution: float = 0.3) -> ss.Machine:
    """A body that falls on a rough floor while u is tied to its motion along the floor."""
    m = ss.Machine(mass=[mass, *MASS[1:]], names=["x", "y", "z", "u"], force={"z": -9.81})
    further: dict[str, Any] = {"second_tangent": {"y": 1.0}, "facets": facets} if facets else {}
    m.add_contact(
        "floor", normal={"z": 1.0}, tangent={"x": 1.0}, restitution=restitution, friction=0.4, **further
    )
    m.add_constraint("tie", {"x": 1.0, "y": 0.5, "u": -1.0})
    return m


@pytest.mark.parametrize("facets", [0, 4, 8])
def test_constraint_impulse_balances_momentum(facets: int) -> None:
    """On u, which no other force moves, M dv = -column F."""
    run = ss.simulate(skid(facets), t_end=0.6, initial=START)
    time = run.events.time[run.events.impact][0]
    before, behind = np.nextafter(time, 0.0), time
    u = run.at([before, behind])["u.velocity"]
    assert run.at([behind])["tie.impulse"][0] == pytest.approx(
        MASS[3] * (u[1] - u[0]) / -COLUMN[3], rel=1e-13
    )


@pytest.mark.parametrize("facets", [0, 8])
@pytest.mark.parametrize(("parameter", "key"), [("x.mass", "mass"), ("floor.restitution", "restitution")])
def test_impulse_derivatives_agree_with_differences(facets: int, parameter: str, key: str) -> None:
    value, h = {"mass": 1.0, "restitution": 0.3}[key], 1e-4

    def last(change: float) -> float:
        machine = skid(facets, **{key: value + change})
        return float(ss.simulate(machine, t_end=0.75, initial=START, rtol=1e-12)["tie.impulse"][-1])

    run = ss.simulate(skid(facets), t_end=0.75, initial=START, rtol=1e-12, sensitivities=[parameter])
    near, far = ((last(k * h) - last(-k * h)) / (2.0 * k * h) for k in (1, 2))
    assert run.sensitivity["tie.impulse", parameter][-1] == pytest.approx((4.0 * near - far) / 3.0, rel=1e-8)
