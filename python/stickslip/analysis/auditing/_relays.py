"""Relays and quantisers: outputs as functions of the form of states on which they switch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._control import output_sizes
from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._events import check_modes
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._tolerances import Sizes, beyond_limit
from stickslip.modes import Mode

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # of an output


def check_relays(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Check all relays and quantisers against their characteristics."""
    at = panels.at
    outputs = output_sizes(d, at) if d.relays else {}
    for e in d.relays:
        names, factors = list(e["on"]), np.array(list(e["on"].values()))
        s = factors @ at.rows(names)
        terms = [outputs[n] if n in outputs else sizes.states[n] for n in names]
        room = sizes.relative * float(np.abs(factors) @ terms)
        u = at[f"{e['name']}.output"]
        if e["kind"] == "quantiser":
            _check_steps(audit, e, at.t, s, u, room)
            continue
        threshold = e["threshold"].values(at.t)
        room = room + sizes.relative * float(np.abs(threshold).max(initial=0.0))
        share = beyond_limit(run, e["name"], _ROUNDING)
        _check_relay(audit, e, at.t, s - threshold, u, at[f"{e['name']}.mode"], room, share)
        check_modes(audit, run, e["name"], panels)


def _check_relay(
    audit: Audit, e: Mapping[str, Any], t: Array, s: Array, u: Array, mode: Array, room: float, share: float
) -> None:
    name, half = e["name"], 0.5 * e["hysteresis"]
    outputs = e["low"], e["high"]
    greatest = max(map(abs, outputs))
    high, low, slides = mode == Mode.HIGH, mode == Mode.LOW, mode == Mode.FREE
    error = np.where(high, np.abs(u - e["high"]), np.where(low, np.abs(u - e["low"]), 0.0))
    beyond = np.where(slides, np.maximum(u - max(outputs), min(outputs) - u), 0.0)
    audit.hold("output of the relay", name, t, error, _ROUNDING * greatest)
    audit.hold("output between those of the relay", name, t, beyond, share * greatest)
    wrong = np.where(high, -half - s, np.where(low, s - half, np.abs(s)))
    audit.hold("form on the side of the output", name, t, wrong, room + 1e-300)


def _check_steps(audit: Audit, e: Mapping[str, Any], t: Array, s: Array, u: Array, room: float) -> None:
    step = e["step"]
    inside = np.clip(s, -step * e["levels"], step * e["levels"])
    audit.hold(
        "output of the quantiser", e["name"], t, np.abs(u - inside) - 0.5 * step, room + _ROUNDING * step
    )
    between = np.abs(u / step - np.rint(u / step)) > 1e-9
    edge = np.abs(s / step - np.floor(s / step) - 0.5) * step
    audit.hold("slides on a threshold alone", e["name"], t, np.where(between, edge, 0.0), room + 1e-300)


def slides(d: Description, at: Samples, j: int) -> bool:
    """Return True if a relay slides at sample j, or a quantiser may."""
    return any(e["kind"] == "quantiser" or at[f"{e['name']}.mode"][j] == Mode.FREE for e in d.relays)
