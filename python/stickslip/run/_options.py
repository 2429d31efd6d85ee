"""Options of `simulate` in the form that the engine uses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._checks import number, reject, vector

MOST_EVENTS = 2**63 - 1  # a 64-bit integer of the engine
METHODS: dict[str, _core.flow.Method] = dict(_core.flow.Method.__members__)
KEEP: dict[str, _core.flow.Keep] = dict(_core.flow.Keep.__members__)


def _one_of(name: str, value: object, known: dict[str, Any]) -> Any:
    if not isinstance(value, str) or value not in known:
        reject(name, value, f"one of {', '.join(map(repr, known))}")
    return known[value]


def time_span(t_end: Any, t_start: object) -> tuple[float, float]:
    """Return start and end of a run, from the end alone or the pair (start, end), as in SciPy."""
    if np.ndim(t_end) == 0:
        return number("t_start", t_start), number("t_end", t_end)
    if np.shape(t_end) != (2,):
        reject("t_end", t_end, "a number, or the pair (start, end)")
    first, last = t_end
    start, given = number("t_end[0]", first), number("t_start", t_start)
    if given not in (0.0, start):
        raise ValueError(
            f"t_start = {given:g} and t_end[0] = {start:g} exclude each other: give the start of the run once"
        )
    return start, number("t_end[1]", last)


# Default options of the engine.
_DEFAULT: dict[str, Any] = {
    name: getattr(_core.flow.Options(), name)
    for name in ("method", "keep", "max_events", "max_step", "max_time", "theta", "rebound_threshold", "rtol")
}


def engine_options(
    n_states: int,
    *,
    t_end: float,
    atol: float | ArrayLike | None,
    method: str,
    max_events: int,
    keep: str = "segments",
    **numbers: float,
) -> _core.flow.Options:
    """Collect the options that differ from the engine's defaults; the call dominates the time of short runs."""
    if not isinstance(max_events, (int, np.integer)) or not 0 <= max_events <= MOST_EVENTS:
        reject("max_events", max_events, f"an integer from 0 to {MOST_EVENTS}")
    given: dict[str, Any] = {"t_end": t_end}
    for name, value in numbers.items():
        if (one := number(name, value)) != _DEFAULT[name]:
            given[name] = one
    if (chosen := _one_of("method", method, METHODS)) is not _DEFAULT["method"]:
        given["method"] = chosen
    if (kept := _one_of("keep", keep, KEEP)) is not _DEFAULT["keep"]:
        given["keep"] = kept
    if max_events != _DEFAULT["max_events"]:
        given["max_events"] = int(max_events)
    if atol is not None:
        if np.ndim(atol) == 0:
            given["atol"] = np.full(n_states, number("atol", atol))
        else:
            given["atol"] = vector("atol", atol, all_finite=False)
    return _core.flow.Options(**given)
