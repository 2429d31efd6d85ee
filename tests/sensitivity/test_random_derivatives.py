"""Random machines: no number is wrong, and most are known."""

from __future__ import annotations

import pytest
from families import generator

import stickslip as ss
from sensitivity.random_machines import SAME, WRONG, judge

FEW, MANY = 4, 63  # seeds of each of eight families: 500 machines


def _check(family: str, seeds: range) -> None:
    found = [one for seed in seeds for one in judge(family, seed)]
    assert [one for one in found if one.word == WRONG] == []
    assert any(one.word == SAME for one in found)


@pytest.mark.parametrize("family", ["chains", "contacts", "drives", "springs"])
def test_derivatives_of_random_machines_agree_with_differences(family: str) -> None:
    _check(family, range(FEW))


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", ["chains", "drives", "contacts", "frictional", "geared", "supports", "stops", "springs"]
)
def test_derivatives_of_many_random_machines_agree_with_differences(family: str) -> None:
    _check(family, range(MANY))


ONCE = [
    ("chains", 185), ("chains", 190), ("chains", 221), ("chains", 260), ("chains", 278), ("chains", 305),
    ("frictional", 104), ("geared", 78), ("supports", 120), ("supports", 152), ("supports", 218),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("family", "seed"), ONCE)
def test_derivatives_of_formerly_failing_machines_agree(family: str, seed: int) -> None:
    """Corners beside an instant at which the same modes follow, and states at rest that share a force."""
    assert [one for one in judge(family, seed) if one.word == WRONG] == []


@pytest.mark.parametrize("rtol", [1e-9, 1e-10, 1e-11, 1e-12, 1e-13])
def test_a_bristle_that_stops_at_its_limit_springs_back(rtol: float) -> None:
    """A force above the limit by rounding makes no second event, which would have no derivatives."""
    case = generator("chains")(47)
    case.options.update(rtol=rtol, max_step=case.t_end / 400.0)
    run = ss.simulate(case.machine, case.t_end, sensitivities=["f1.normal_load"], **case.options)
    assert run.sensitivity.valid_until.reason == ""
    stops = next(e for e in run.events if e.element == "f0" and e.cause == "f0 stops sliding")
    assert stops.sensitivity["f1.normal_load"] == pytest.approx(-0.0171176525, rel=7e-7)  # by differences
