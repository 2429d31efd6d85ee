"""The machines of the recorded corpus, as a family: a seed is a place in their list."""

from __future__ import annotations

from corpus.machines import cases

from families.case import Case


def build(seed: int) -> Case:
    """One machine."""
    _, make = list(cases())[seed]
    one = make()
    return Case(one.machine, one.t_end, one.options)
