"""The settings of a run as the engine takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._checks import number, reject, vector

METHODS: dict[str, _core.flow.Method] = dict(_core.flow.Method.__members__)
KEEP: dict[str, _core.flow.Keep] = dict(_core.flow.Keep.__members__)


def _one_of(name: str, value: object, known: dict[str, Any]) -> Any:
    if not isinstance(value, str) or value not in known:
        reject(name, value, f"one of {', '.join(map(repr, known))}")
    return known[value]


def engine_options(
    n_states: int,
    *,
    t_end: float,
    rtol: float,
    atol: float | ArrayLike | None,
    method: str,
    max_step: float,
    max_events: int,
    max_time: float,
    theta: float = 0.5,
    rebound_threshold: float = 1e-9,
    keep: str = "segments",
) -> _core.flow.Options:
    """Only what differs from the engine's defaults is handed over: of a short run the call takes most of the time."""
    given: dict[str, Any] = {"t_end": t_end, "rtol": number("rtol", rtol)}
    if atol is not None:
        if np.ndim(atol) == 0:
            given["atol"] = np.full(n_states, number("atol", atol))
        else:
            given["atol"] = vector("atol", atol, all_finite=False)
    if (chosen := _one_of("method", method, METHODS)) is not METHODS["auto"]:
        given["method"] = chosen
    if (kept := _one_of("keep", keep, KEEP)) is not KEEP["segments"]:
        given["keep"] = kept
    if (longest := number("max_step", max_step)) != np.inf:
        given["max_step"] = longest
    if not isinstance(max_events, (int, np.integer)):
        reject("max_events", max_events, "an integer")
    if max_events != 10_000_000:
        given["max_events"] = int(max_events)
    if (patience := number("max_time", max_time)) != np.inf:
        given["max_time"] = patience
    if (weight := number("theta", theta)) != 0.5:
        given["theta"] = weight
    if (threshold := number("rebound_threshold", rebound_threshold)) != 1e-9:
        given["rebound_threshold"] = threshold
    return _core.flow.Options(**given)
