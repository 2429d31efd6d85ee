"""How a run ended."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """How a run ended; equal to its name as a string.

    ``"failed"``: a formula of the machine has no meaning there, such as a negative normal load or the root of a negative
    number; in an ensemble also a point whose parameters were refused. Points may also be ``"interrupted"``: not done.
    """

    FINISHED = "finished"
    BUDGET = "budget"
    NO_SOLUTION = "no_solution"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    STOPPED = "stopped"

    def __str__(self) -> str:
        return self.value
