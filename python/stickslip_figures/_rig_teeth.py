"""Encoder readings of the worm rig in a run: standstills, flights, slopes.

An angle stands still for the encoder while it moves by less than one line. The rig has one encoder of 13 bits and one
of 15 bits; the source does not say which shaft has which. Here the worm, which turns twenty-five times as far, has
the coarser one, as in the fit of the shaft.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw.spans import mode_spans

if TYPE_CHECKING:
    from stickslip import Trajectory

WORM_LINE, WHEEL_LINE = 2.0 * math.pi / 2**13, 2.0 * math.pi / 2**15  # rad


def standstill(time: Any, angle: Any, line: float) -> float:
    """Longest time (s) within which an angle moves by less than `line`, from its samples."""
    longest, first = 0.0, 0
    greatest: deque[int] = deque()
    least: deque[int] = deque()
    for last, value in enumerate(angle):
        while greatest and angle[greatest[-1]] <= value:
            greatest.pop()
        while least and angle[least[-1]] >= value:
            least.pop()
        greatest.append(last)
        least.append(last)
        while angle[greatest[0]] - angle[least[0]] >= line:
            first += 1
            if greatest[0] < first:
                greatest.popleft()
            if least[0] < first:
                least.popleft()
        longest = max(longest, float(time[last] - time[first]))
    return longest


def flights(run: Trajectory) -> list[tuple[float, float]]:
    """Start and end (s) of the flights of the loaded flank; the last one is left out, since the run may cut it."""
    return [(span.start, span.end) for span in mode_spans(run, "flank")[:-1] if span.kind == "open"]


def contacts(run: Trajectory) -> list[float]:
    """Duration of contact of the loaded flank between two flights, s."""
    free = flights(run)
    return [after[0] - before[1] for before, after in pairwise(free)]


def standstills(run: Trajectory, shaft: str) -> list[float]:
    """Standstill (s) of a shaft in each impact, from the middle of one flight to that of the next.

    The first impact is left out: it follows from rest, and the source does not resolve it.
    """
    line = WORM_LINE if shaft == "worm" else WHEEL_LINE
    middles = np.searchsorted(run.t, [0.5 * (start + end) for start, end in flights(run)])[1:]
    angle = run[f"{shaft}.position"]
    return [standstill(run.t[a:b], angle[a:b], line) for a, b in pairwise(middles)]


def slopes(run: Trajectory, flight: int) -> tuple[float, float]:
    """Mean speeds (°/s) of worm and wheel in one flight, positive in the direction of lowering; NaN without it."""
    found = flights(run)
    if not flight < len(found):
        return math.nan, math.nan
    start, end = found[flight]
    ends = run.at(np.array([start, end]))
    worm, wheel = (
        float(-np.diff(ends[f"{shaft}.position"])[0] / (end - start) * 180.0 / math.pi)
        for shaft in ("worm", "wheel")
    )
    return worm, wheel
