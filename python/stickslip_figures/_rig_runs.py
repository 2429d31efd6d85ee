"""Runs of the worm rig as tables, and their plots for figures 7.4–7.8 of Hinrichsen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from stickslip.draw.spans import Span, mode_spans
from stickslip.machines import WormGear
from stickslip_figures._data import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip import Trajectory

DEGREES = 180.0 / math.pi
_UNITS = {
    "time": "s", "motor": "deg", "worm": "deg", "wheel": "deg", "wheel seen at the worm": "deg", "gap": "mm"
}  # fmt: skip


def lower(gear: WormGear, end: float, samples: int) -> Trajectory:
    """Lower the load from rest with relaxed shaft."""
    import stickslip as ss

    return ss.simulate(gear, t_end=end, dt=end / samples)


def columns(gear: WormGear, run: Trajectory) -> Series:
    """Angles of motor, worm and wheel, and the gap of the loaded flank; negative is compression."""
    ratio = gear.radius_ratio * math.tan(gear.lead_angle)
    wheel = run["wheel.position"] * DEGREES
    values = (
        *(run.t, gear.motor_speed * run.t * DEGREES, run["worm.position"] * DEGREES),
        *(wheel, wheel / ratio, run["flank.gap"] * 1e3),
    )
    return Series(dict(zip(_UNITS, values, strict=True)), _UNITS)


def log(run: Trajectory) -> Series:
    """Modes of the loaded flank, with each closing of either flank as a span of no length, ``impact``."""
    rows = [(span.start, span.end, "flank", span.mode) for span in mode_spans(run, "flank")]
    rows += [
        (float(e.time), float(e.time), str(e.element), "impact")
        for e in run.events
        if e.impact or str(e.before) == "open"
    ]
    return Series(
        {name: [row[k] for row in rows] for k, name in enumerate(("from", "to", "flank", "mode"))},
        {"from": "s", "to": "s", "flank": "", "mode": ""},
    )


def spans(table: Series) -> list[Span]:
    """Phases of the loaded flank."""
    rows = zip(table["from"].tolist(), table["to"].tolist(), table["mode"].tolist(), strict=True)
    return [Span(start, end, str(mode)) for start, end, mode in rows if mode != "impact"]


def hits(table: Series, flank: str) -> Any:
    """Times at which a flank closes, s."""
    return table["from"][(table["mode"] == "impact") & (table["flank"] == flank)]


def lengths(table: Series, kind: str) -> list[float]:
    """Durations of the phases of one kind, without the last one, which the run cuts."""
    return [span.end - span.start for span in spans(table)[:-1] if span.kind == kind]


def count(table: Series, kind: str) -> float:
    """Number of phases of one kind."""
    return float(sum(span.kind == kind for span in spans(table)))


def motion(ax: Axes, rows: Series, start: float, end: float, motor: bool = False) -> None:
    """Draw the angles of worm and wheel, that of the wheel multiplied by the ratio of the gear."""
    from stickslip.draw import style as _style

    show = (rows["time"] >= start) & (rows["time"] <= end)
    t = rows["time"][show]
    if motor:
        ax.plot(t, rows["motor"][show], color="#7A7A7A", linestyle=":", label="motor")
    ax.plot(t, rows["worm"][show], color=_style.BLUE, label="worm φ2")
    ax.plot(
        t, rows["wheel seen at the worm"][show], color=_style.VERMILION, linestyle=(0, (3, 2)),
        label="wheel φ1·r1/(r2·tan γ)",
    )  # fmt: skip
    ax.set(xlabel="time t [s]", ylabel="angle [°]", xlim=(start, end))


def mark(ax: Axes, times: Any) -> None:
    """Mark impacts within the axes."""
    from stickslip.plotting import _mark_impacts

    low, high = ax.get_xlim()
    _mark_impacts(ax, times[(times >= low) & (times <= high)])
