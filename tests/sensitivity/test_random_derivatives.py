"""Random machines: no number is wrong, and most are known."""

from __future__ import annotations

import pytest

from sensitivity.random_machines import SAME, WRONG, judge

FEW, MANY = 4, 63  # seeds of each of eight families: 500 machines


def _check(family: str, seeds: range) -> None:
    found = [one for seed in seeds for one in judge(family, seed)]
    assert [one for one in found if one.word == WRONG] == []
    assert any(one.word == SAME for one in found)


@pytest.mark.parametrize("family", ["chains", "contacts", "drives", "springs"])
def test_few(family: str) -> None:
    _check(family, range(FEW))


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", ["chains", "drives", "contacts", "frictional", "geared", "supports", "stops", "springs"]
)
def test_many(family: str) -> None:
    _check(family, range(MANY))
