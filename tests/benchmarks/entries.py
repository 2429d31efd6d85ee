"""What a benchmark is: a problem, a solver with its settings, a call to time and a judge of its answer."""

from __future__ import annotations

from collections.abc import Callable
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
    """

    problem: str
    solver: str
    call: Callable[[], Any]
    judge: Callable[[Any], float | str]
    work: int = 1
    ours: bool = False
