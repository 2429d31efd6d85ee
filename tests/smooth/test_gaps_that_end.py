"""A gap need not have a value in the overlap behind it: a step that goes there finds the contact all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import stickslip as ss


@pytest.mark.parametrize("speed", [1.0, 10.0, 1e3])
@pytest.mark.parametrize("gap", [lambda q: ss.log(q["x"]), lambda q: ss.sqrt(q["x"]) - 1.0])
def test_impact_occurs_where_the_gap_closes(gap: Callable[[Any], Any], speed: float) -> None:
    """x = 10 - v t has its impact at x = 1; behind x = 0 there is no gap."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_contact("wall", gap=gap, restitution=0.5)
    run = ss.simulate(m, 12.0, initial={"x.position": 10.0, "x.velocity": -speed})
    assert run.success
    (impact,) = run.events.time
    assert abs(impact * speed - 9.0) < 2e-14
    assert abs(run["x.velocity"][-1] / speed - 0.5) < 1e-15
