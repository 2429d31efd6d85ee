"""Status of a run."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """Status of a run; equal to its name as a string.

    ``"failed"``: a formula of the machine became undefined, such as a negative normal load or the root of a negative
    number; in an ensemble also a point with refused parameters. Points of an ensemble that were not computed are
    ``"interrupted"``.
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
