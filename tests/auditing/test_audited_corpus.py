"""The machines of the corpus: published ones and random ones."""

from __future__ import annotations

import pytest
from corpus.machines import PUBLISHED, cases

import stickslip as ss

BATCHES = 12


def _audited(name: str, build) -> str:
    case = build()
    if isinstance(getattr(case.machine, "machine", case.machine), ss.StateSpace):
        return ""
    report = ss.analysis.audit(ss.simulate(case.machine, case.t_end, **case.options))
    return "" if report.passed else f"{name}\n{report}"


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_machines_pass_the_audit(name: str) -> None:
    assert _audited(name, PUBLISHED[name]) == ""


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_machines_pass_the_audit(batch: int) -> None:
    chosen = [c for c in cases() if c[0] not in PUBLISHED][batch::BATCHES]
    assert "".join(_audited(*case) for case in chosen) == ""
