"""Processor time of one call in units of another's, so that a bound of time holds on any machine, busy or not."""

from __future__ import annotations

import time
from collections.abc import Callable


def million_additions() -> None:
    """A loop that takes the interpreter some 30 ms."""
    total = 0
    for i in range(1_000_000):
        total += i


def _seconds(call: Callable[[], object]) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def ratio(call: Callable[[], object], unit: Callable[[], object], repeats: int = 1) -> float:
    """Return the least of several ratios, each to the mean of a unit before and one behind the call."""
    best = float("inf")
    for _ in range(repeats):
        before, taken, after = _seconds(unit), _seconds(call), _seconds(unit)
        best = min(best, 2.0 * taken / (before + after))
    return best
