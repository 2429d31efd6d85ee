"""The machines of the corpus: published ones and random ones."""

from __future__ import annotations

import pytest
from corpus.machines import PUBLISHED, cases

import stickslip as ss

BATCHES = 12
# Two places at rest on one coordinate, one of them on a belt: rest on both is impossible, and the run takes half the
# belt's speed.
KNOWN = {"random_friction_69"}


def _audited(name: str, build) -> str:
    case = build()
    if isinstance(getattr(case.machine, "machine", case.machine), ss.StateSpace):
        return ""
    report = ss.analysis.audit(ss.simulate(case.machine, case.t_end, **case.options))
    return "" if report.passed else f"{name}\n{report}"


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_machines(name: str) -> None:
    assert _audited(name, PUBLISHED[name]) == ""


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_machines(batch: int) -> None:
    chosen = [c for c in cases() if c[0] not in PUBLISHED and c[0] not in KNOWN][batch::BATCHES]
    assert "".join(_audited(*case) for case in chosen) == ""


@pytest.mark.xfail(strict=True, reason="two places at rest on surfaces of different speed")
def test_rest_on_two_surfaces() -> None:
    assert "".join(_audited(name, build) for name, build in cases() if name in KNOWN) == ""
