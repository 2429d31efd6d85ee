"""Benchmarks: a problem, a solver with its settings, a call to time and a judge of its answer."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One row of the table.

    Parameters
    ----------
    problem : str
        Heading under which rows are compared.
    solver : str
        Who, with which settings.
    call : callable
        What is timed; its result goes to `judge`.
    judge : callable
        The error of a result, or a text such as "loses events".
    work : int
        Number of solves in one call: times are given per solve.
    ours : bool
        Whether it is stickslip's.
    clock : callable, optional
        Seconds that a result says its solve took, where the call has timed itself in C++.
    """

    problem: str
    solver: str
    call: Callable[[], Any]
    judge: Callable[[Any], float | str]
    work: int = 1
    ours: bool = False
    clock: Callable[[Any], float] | None = None


def with_peer(module: str, rows: Callable[[], Iterable[Entry]]) -> list[Entry]:
    """Return the rows of a peer, or none and a note where it is not installed."""
    if importlib.util.find_spec(module) is None:
        print(f"{module} is not installed: its rows are left out")
        return []
    return list(rows())
