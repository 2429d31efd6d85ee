"""Controllers: output limits, and outputs recomputed from the inputs by the control law."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._control_law import Block, Channel, Sampled, block_of
from stickslip.analysis.auditing._description import Description
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Panels, Samples
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.modes import Mode

Array = NDArray[np.float64]
_HIGHER = {"position": "velocity", "velocity": "acceleration"}


def check_control(audit: Audit, run: Any, d: Description, panels: Panels, sizes: Sizes) -> None:
    """Check all controllers against their laws."""
    for compensator in d.compensators:
        audit.skip(f"output of '{compensator['name']}'", "friction compensators are not checked")
    for loop in d.loops:
        name, options = loop["name"], loop["control"]["options"]
        outputs = _output_names(loop)
        u = panels.at.rows(outputs)
        block = block_of(loop["control"])
        if block is None or options["period"] > 0.0:
            _check_limits(audit, loop, panels, u, np.zeros(len(u)))
        if block is None:
            audit.skip(f"output of '{name}'", "a Python function; only its limits are checked")
        elif options["period"] > 0.0:
            _check_sampled(audit, run, d, loop, block, panels, sizes)
        else:
            _check_continuous(audit, loop, block, panels, u, sizes)


def _output_names(loop: dict[str, Any]) -> list[str]:
    n = len(loop["to"]) or 1
    return [f"{loop['name']}.output{i if n > 1 else ''}" for i in range(n)]


def _read(loop: dict[str, Any], c: Channel, at: Samples) -> Array:
    source = loop[f"{c.of}s"][c.index]
    if not source["names"]:
        value: Array = source["signal"].values(at.t, c.order)
        return value
    total = np.zeros_like(at.t)
    for name, factor in source["names"].items():
        thing, kind = name.rsplit(".", 1)
        for _ in range(c.order):
            kind = _HIGHER[kind]
        total = total + factor * at[f"{thing}.{kind}"]
    return total


def _inputs(loop: dict[str, Any], block: Block, at: Samples) -> Array:
    rows = [_read(loop, c, at) for c in block.channels]
    return np.array(rows) if rows else np.zeros((0, at.t.size))


def _sizes(loop: dict[str, Any], block: Block, w: Array) -> Array:
    """Greatest values of a controller's inputs; for given signals including times after the end of the run."""
    seen = np.array(np.abs(w).max(axis=1, initial=0.0), dtype=float)
    for k, c in enumerate(block.channels):
        source = loop[f"{c.of}s"][c.index]
        if not source["names"]:
            corners = np.array(source["signal"].breakpoints)
            seen[k] = np.abs(source["signal"].values(corners, c.order)).max(initial=seen[k])
    return seen


def output_sizes(d: Description, at: Samples) -> dict[str, float]:
    """Greatest sums of the terms of all outputs; of sampled ones, which are held, greatest values."""
    found: dict[str, float] = {}
    for loop in d.loops:
        outputs, block = _output_names(loop), block_of(loop["control"])
        reach = np.abs(at.rows(outputs)).max(axis=1, initial=0.0)
        if block is not None and not loop["control"]["options"]["period"] > 0.0:
            z, w = _states(loop, block, at), _inputs(loop, block, at)
            reach = _reach(block, z, _sizes(loop, block, w))
        found.update(zip(outputs, reach.tolist(), strict=True))
    return found


def _states(loop: dict[str, Any], block: Block, at: Samples) -> Array:
    n = block.A.shape[0]
    return at.rows(f"{loop['name']}.z{i if n > 1 else ''}" for i in range(n))


def _reach(block: Block, z: Array, size_w: Array) -> Array:
    reach: Array = np.abs(block.C) @ np.abs(z).max(axis=1, initial=0.0) + np.abs(block.D) @ size_w
    return reach


def _check_limits(audit: Audit, loop: dict[str, Any], panels: Panels, u: Array, terms: Array) -> None:
    """Check the limits of outputs; `terms` are the sizes of their terms, which are clipped at events."""
    low, high = (loop["control"]["options"]["limits"][end] for end in ("min", "max"))
    beyond = np.maximum(u - high, low - u).max(axis=0)
    size = max(np.abs(u).max(initial=0.0), terms.max(initial=0.0))
    audit.hold("output within its limits", loop["name"], panels.at.t, beyond, 1e-12 * size)


def _check_continuous(
    audit: Audit, loop: dict[str, Any], block: Block, panels: Panels, u: Array, sizes: Sizes
) -> None:
    name, at, options = loop["name"], panels.at, loop["control"]["options"]
    z, w = _states(loop, block, at), _inputs(loop, block, at)
    raw = block.C @ z + block.D @ w
    out = np.clip(raw, options["limits"]["min"], options["limits"]["max"])
    size_z, size_w = np.abs(z).max(axis=1, initial=0.0), _sizes(loop, block, w)
    reach = _reach(block, z, size_w)
    _check_limits(audit, loop, panels, u, reach)
    limited = np.isfinite(options["limits"]["min"]) or np.isfinite(options["limits"]["max"])
    clamps = limited and options["anti_windup"] == "clamping"
    followed = at[f"{name}.mode"] == Mode.FREE if clamps else np.ones(at.t.size, dtype=bool)
    for k in range(len(u)):
        error, room = np.abs(u[k] - out[k]), 10.0 * sizes.relative * reach[k] + 1e-300
        audit.hold("output follows the control law", name, at.t, np.where(followed, error, 0.0), room)
    if clamps:
        audit.skip(f"integral of '{name}' at its limits", "the direction of clamping there is not sampled")
    rate = block.A @ z + block.B @ w
    if limited and options["anti_windup"] == "back_calculation":
        if block.integral >= 0 and block.tracking > 0.0:
            rate[block.integral] += (out - raw)[0] / block.tracking
        elif block.gain is not None:
            rate = rate + block.gain @ (out - raw)
    left = panels.change(z) - panels.integral(rate)
    fast = np.abs(block.A) @ size_z + np.abs(block.B) @ size_w
    if block.integral >= 0 and block.tracking > 0.0:
        fast[block.integral] += reach[0] / block.tracking
    room = sizes.relative * (2.0 * size_z[:, None] + 10.0 * fast[:, None] * panels.width) + 1e-300
    whole = panels.grid(followed).all(axis=-1)
    for i in range(len(z)):
        audit.hold("state of the controller", name, panels.a, np.where(whole, np.abs(left[i]), 0.0), room[i])


def _check_sampled(
    audit: Audit, run: Any, d: Description, loop: dict[str, Any], block: Block, panels: Panels, sizes: Sizes
) -> None:
    name, options = loop["name"], loop["control"]["options"]
    begin, end = float(run._raw.t_begin), float(run._raw.t_end)
    k = np.arange(np.ceil(begin / options["period"] - 1e-9), np.floor(end / options["period"] + 1e-9) + 1)
    instants = np.clip(k * options["period"], begin, end)
    before = np.where(instants > begin, np.nextafter(instants, -np.inf), instants)
    # A breakpoint in the last digits beside an instant is one with it, so that outputs may change that much later.
    after = np.minimum(instants + 4.0 * np.spacing(np.abs(instants)), end)
    w = _sampled_inputs(loop, block, Samples(run, before, d), Samples(run, after, d))
    if _near_a_step(w, block, options["quantum"]):
        audit.skip(f"output of '{name}'", "a sample lies on a step of the quantiser")
        return
    state = Sampled(block, options, loop["control"]["law"]["kind"] != "LTI")
    u = np.array([state.sample(w[:, i]) for i in range(instants.size)])
    t = panels.grid(panels.at.t)[:, 1:-1].ravel()
    last = np.searchsorted(instants + options["delay"], t, side="right") - 1
    size_w = np.abs(w).max(axis=1, initial=0.0)
    size = np.abs(block.D) @ size_w + np.abs(block.C) @ (np.abs(block.B) @ size_w) * (end - begin)
    for j, label in enumerate(_output_names(loop)):
        found = panels.grid(panels.at[label])[:, 1:-1].ravel()
        error = np.where(last >= 0, np.abs(found - u[np.maximum(last, 0), j]), 0.0)
        room = 10.0 * sizes.relative * size[j] + 1e-300
        audit.hold("sampled output follows the control law", name, t, error, room)


def _sampled_inputs(loop: dict[str, Any], block: Block, before: Samples, after: Samples) -> Array:
    """The plant as it was before the instant; signals and other outputs as they are from it on."""
    rows = []
    for c in block.channels:
        source = loop[f"{c.of}s"][c.index]
        others = any(name.split(".")[-1].startswith("output") for name in source["names"])
        rows.append(_read(loop, c, after if others or not source["names"] else before))
    return np.array(rows)


def _near_a_step(w: Array, block: Block, quantum: float) -> bool:
    if quantum == 0.0:
        return False
    for row, c in zip(w, block.channels, strict=True):
        if c.of == "measurement" and c.order == 0:
            edge = np.abs(row / quantum + 0.5 - np.rint(row / quantum + 0.5))
            if (edge < 1e-6).any():
                return True
    return False
