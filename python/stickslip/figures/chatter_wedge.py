"""Figures 2.11–2.13 of Hinrichsen: a wedge gear that slides and sticks, and one that chatters; rigid wedges.

The source computed them with finite elements and a penalty contact; here the wedges are rigid, so what
depends on elastic deformation differs, and the checks say so. Set 2.11 with one constant coefficient only
touches zero velocity, every 1.465 s; the lasting sticks of the source's figure need a static coefficient
above the kinetic one, which it does not print: ρ0 = 16° is chosen here for the second run.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip._spans import Span, mode_spans
from stickslip.figures._data import Check, Figure, FigureData, Series
from stickslip.figures._gears import MM, SET_1, SET_2, SOURCE, path, shade
from stickslip.machines import WedgeGear

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip import Trajectory

STATIC = math.tan(math.radians(16.0))
LONG, SHORT = 12.0, 2.0  # s
CLOSED = "closed form"


def _run(gear: WedgeGear, end: float, samples: int) -> Trajectory:
    import stickslip as ss

    return ss.simulate(gear, t_end=end, dt=end / samples)


def _columns(gear: WedgeGear, run: Trajectory) -> Series:
    t = run.t
    return Series(
        {
            "time": t,
            "pulled end": gear.pull_velocity * t * MM,
            "lower wedge": run["lower.position"] * MM,
            "upper wedge": run["upper.position"] * MM,
            "upper wedge along the path": path(gear, run["upper.position"]) * MM,
            "gap": run["flank.gap"] * 1e6,
            "normal force": run["flank.normal_force"],
        },
        {
            "time": "s",
            "pulled end": "mm",
            "lower wedge": "mm",
            "upper wedge": "mm",
            "upper wedge along the path": "mm",
            "gap": "µm",
            "normal force": "N",
        },
    )


def _log(run: Trajectory) -> Series:
    spans = mode_spans(run, "flank")
    hits = {float(event.time) for event in run.events if event.impact}
    columns: dict[str, Any] = {
        "from": [span.start for span in spans],
        "to": [span.end for span in spans],
        "mode": [span.mode for span in spans],
        "starts with an impact": [int(span.start in hits) for span in spans],
    }
    return Series(columns, {"from": "s", "to": "s", "mode": "", "starts with an impact": ""})


def _spans(log: Series) -> list[Span]:
    rows = zip(log["from"].tolist(), log["to"].tolist(), log["mode"].tolist(), strict=True)
    return [Span(start, end, str(mode)) for start, end, mode in rows]


# -- 2.11: set 1 ---------------------------------------------------------------------------------------


def compute_slides() -> FigureData:
    """Run set 1 with one constant coefficient, and with a static coefficient above it."""
    one, two = SET_1, dataclasses.replace(SET_1, static_friction=STATIC)
    constant, higher = _run(one, LONG, 2400), _run(two, LONG, 2400)
    series = {
        "constant": _columns(one, constant),
        "constant_modes": _log(constant),
        "static": _columns(two, higher),
        "static_modes": _log(higher),
    }
    sticks = {
        name: [s for s in _spans(series[name]) if s.kind == "stick"] for name in series if "modes" in name
    }
    first = float(constant.events[0].time)
    slips = [s for s in _spans(series["constant_modes"]) if s.kind == "slip"]
    later = [s.end - s.start for s in sticks["static_modes"][1:-1]]
    scale = one.load / (one.stiffness * one.pull_velocity)
    lasts = 2.0 * scale * (math.tan(math.radians(4.0)) - math.tan(math.radians(2.0)))
    binding = max(float(np.abs(run["flank.gap"]).max()) for run in (constant, higher))
    checks = [
        Check("end of the first stick [s]", first, 0.873, 5e-4, f"{SOURCE}, (2.34)"),
        Check("end of the first stick, closed form [s]", first, one.break_away_time, 1e-10, CLOSED),
        Check("end of the first stick in the picture [s]", first, 0.9, 0.05, f"{SOURCE}, figure 2.11"),
        Check("contact kept: greatest gap [m]", binding, 0.0, 1e-15, f"{SOURCE}, 2.4.2"),
        Check(
            "from touching zero to touching zero [s]",
            slips[0].end - slips[0].start,
            one.first_motion.slip_duration,
            1e-6,
            f"{CLOSED}; a double root is found to the square root of the tolerance",
        ),
        Check(
            "one coefficient: longest stick after the first [s]",
            max(s.end - s.start for s in sticks["constant_modes"][1:]),
            0.0,
            1e-5,
            f"{CLOSED}: x2' = v0(1 - cos wt) only touches zero",
        ),
        Check(
            "one coefficient: oscillations before the first lasting stick",
            float(len(slips)),
            3.0,
            0.0,
            f"{SOURCE}, 2.4.2",
            "rigid with one constant coefficient the velocity only touches zero and no stick lasts; "
            "the sticks of the finite-element run need a static level above the kinetic one, "
            "or what its penalty contact adds",
        ),
        Check("static above kinetic: a stick lasts [s]", float(np.mean(later)), lasts, 1e-8, CLOSED),
        Check(
            "energy residual, relative to the work",
            max(float(run.energy.residual) for run in (constant, higher)),
            0.0,
            1e-9,
            "energy balance",
        ),
    ]
    return FigureData(series, checks)


def _motion(ax: Axes, rows: Series, start: float, end: float, pulled: bool = True) -> None:
    from stickslip.figures import _style

    show = (rows["time"] >= start) & (rows["time"] <= end)
    t = rows["time"][show]
    if pulled:
        ax.plot(t, rows["pulled end"][show], color="#7A7A7A", linestyle=":", label="pulled end v0·t")
    ax.plot(t, rows["lower wedge"][show], color=_style.BLUE, label="lower wedge x2")
    ax.plot(
        t, rows["upper wedge along the path"][show], color=_style.VERMILION, linestyle=(0, (3, 2)),
        label="upper wedge −y1·cot γ",
    )  # fmt: skip
    ax.set(xlabel="time t [s]", ylabel="displacement [mm]", xlim=(start, end))


def draw_slides(data: FigureData, figure: Canvas) -> None:
    """Draw both runs over all time, and the first stick enlarged."""
    axes = figure.subplots(2, 2, sharey="row", height_ratios=[1.7, 1.0])
    for column, (name, title) in enumerate(
        (("constant", "one coefficient, ρ = ρ0 = 14°"), ("static", "static above kinetic, ρ0 = 16°"))
    ):
        top, bottom = axes[0][column], axes[1][column]
        spans = _spans(data[f"{name}_modes"])
        for ax, end in ((top, LONG), (bottom, 3.0)):
            shade(ax, spans)
            _motion(ax, data[name], 0.0, end)
            ax.set_ylabel("" if column else "displacement [mm]")
        top.set_title(title)
        bottom.set_title("first stick")
    axes[1][0].set_ylim(-0.5, 6.5)
    figure.legend(*axes[0][1].get_legend_handles_labels(), loc="outside lower center", ncols=4)


# -- 2.12 and 2.13: set 2 ------------------------------------------------------------------------------


def compute_chatter() -> FigureData:
    """Run set 2: stick, separation, impact that ends in stick, and so on."""
    gear = SET_2
    run = _run(gear, SHORT, 4000)
    log = _log(run)
    spans, times = _spans(log), np.array([float(event.time) for event in run.events])
    expected = np.array(
        [gear.separation_time + k // 2 * _period(gear) + (k % 2) * _flight(gear) for k in range(times.size)]
    )
    published = f"{SOURCE}, 2.4.2"
    flight_reason = (
        "load, masses, spring and pull fix the free flight of rigid wedges, neither friction nor "
        "restitution enters; the finite-element wedges are elastic, their contact stiffnesses set by hand, "
        "and meet about a whole free period of the lower wedge after separation (0.0873 + 0.328 = 0.415 s)"
    )
    checks = [
        Check("chatters below the lower mass [kg]", gear.critical_lower_mass, 17.963, 5e-4, published),
        Check("first separation [s]", float(times[0]), 0.0873, 5e-5, published),
        Check("first separation in the picture [s]", float(times[0]), 0.09, 5e-3, f"{SOURCE}, figure 2.12"),
        Check("the wedges meet again [s]", float(times[1]), gear.meeting_time, 1e-10, CLOSED),
        Check(
            "the wedges meet again, finite elements [s]",
            float(times[1]),
            0.43,
            5e-3,
            published,
            flight_reason,
        ),
        Check("free period of the lower wedge [s]", gear.free_period, 0.328, 5e-4, published),
        Check(
            "phases of sliding",
            float(sum(span.kind == "slip" for span in spans)),
            0.0,
            0.0,
            f"{published}: no macroscopic sliding",
        ),
        Check(
            "worst of all event times, off by [s]", float(np.abs(times - expected).max()), 0.0, 1e-10, CLOSED
        ),
        Check(
            "energy residual, relative to the work", float(run.energy.residual), 0.0, 1e-10, "energy balance"
        ),
    ]
    return FigureData({"motion": _columns(gear, run), "modes": log}, checks)


def _cycle(gear: WedgeGear) -> Any:
    cycle = gear.chatter_cycle
    assert cycle is not None, "set 2 has a periodic chatter in closed form"
    return cycle


def _period(gear: WedgeGear) -> float:
    return float(_cycle(gear).period)


def _flight(gear: WedgeGear) -> float:
    return float(_cycle(gear).flight)


def _mark(ax: Axes, log: Series) -> None:
    from stickslip.plotting import _mark_impacts

    low, high = ax.get_xlim()
    times = log["from"][log["starts with an impact"] == 1]
    _mark_impacts(ax, times[(times >= low) & (times <= high)])


def draw_chatter(data: FigureData, figure: Canvas) -> None:
    """Draw the motion of both wedges with the modes shaded, and the gap below."""
    from stickslip.figures import _style

    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1.0])
    rows, spans = data["motion"], _spans(data["modes"])
    for ax in (top, bottom):
        shade(ax, spans)
    _motion(top, rows, 0.0, SHORT)
    top.set_xlabel("")
    bottom.plot(rows["time"], rows["gap"], color=_style.BLUE)
    bottom.set(xlabel="time t [s]", ylabel="gap [µm]", ylim=(0.0, None))
    _mark(bottom, data["modes"])
    bottom.set_xlim(0.0, SHORT)
    handles = {
        text: handle
        for ax in (top, bottom)
        for handle, text in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    top.legend(
        handles.values(), handles.keys(), loc="upper left", frameon=True, framealpha=0.95, edgecolor="none"
    )


def compute_zoom() -> FigureData:
    """Run set 2 once more, with the first and a later impact resolved."""
    gear = SET_2
    run = _run(gear, 1.2, 12000)
    log = _log(run)
    spans, cycle = _spans(log), _cycle(gear)
    hits = [event for event in run.events if event.impact]
    blocked = [span.end - span.start for span in spans if span.kind == "stick"][1]
    impact = cycle.impact
    alpha, v = cycle.impact_direction, cycle.impact_speed
    m1, m2 = gear.upper_mass, gear.lower_mass
    s, c = math.sin(gear.angle), math.cos(gear.angle)
    printed = v * (s * c * (m1 - m2) * math.cos(alpha) + (m1 * c * c + m2 * s * s) * math.sin(alpha))
    sheared = abs(float(hits[0].tangential_impulse))
    checks = [
        Check("lower wedge blocked in an impact [s]", blocked, cycle.stuck, 1e-9, CLOSED),
        Check(
            "lower wedge blocked, finite elements [s]",
            blocked,
            0.1,
            0.02,
            f"{SOURCE}, 2.4.2",
            "how long it stands depends on the spring at the meeting; elastic wedges meet at another time",
        ),
        Check("free flight [s]", spans[1].end - spans[1].start, cycle.flight, 1e-10, CLOSED),
        Check(
            "normal impulse [Ns]",
            float(hits[0].normal_impulse),
            impact.normal_impulse,
            1e-7,
            f"{CLOSED} (6.9)",
        ),
        Check(
            "tangential impulse [Ns]",
            sheared,
            abs(impact.tangential_impulse),
            1e-7,
            f"{CLOSED}, (6.9) corrected",
        ),
        Check(
            "tangential impulse with the printed bracket [Ns]",
            sheared,
            abs(printed),
            1e-7,
            f"{SOURCE}, (6.9)",
            "the printed m1·c² + m2·s² in the second term must be m1·s² + m2·c²: balance of momentum",
        ),
        Check("energy lost in an impact [J]", float(hits[0].loss), impact.energy_lost, 1e-10, CLOSED),
    ]
    return FigureData({"motion": _columns(gear, run), "modes": log}, checks)


def draw_zoom(data: FigureData, figure: Canvas) -> None:
    """Draw the first stick with the first impact, and a later impact."""
    rows, log = data["motion"], data["modes"]
    spans = _spans(log)
    for k, (ax, (start, end), title) in enumerate(
        zip(
            figure.subplots(1, 2),
            ((0.0, 0.55), (0.6, 1.15)),
            ("first stick, first impact", "a later impact"),
            strict=True,
        )
    ):
        shade(ax, spans)
        _motion(ax, rows, start, end, pulled=False)
        _mark(ax, log)
        ax.set_xlim(start, end)
        ax.set_title(title)
        if k == 0:
            handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5)


FIGURES = (
    Figure(
        "chatter_2_11",
        "wedge gear, set 1: stick and slip",
        f"{SOURCE}, figure 2.11",
        compute_slides,
        draw_slides,
        90.0,
    ),
    Figure(
        "chatter_2_12",
        "wedge gear, set 2: chatter",
        f"{SOURCE}, figure 2.12",
        compute_chatter,
        draw_chatter,
        100.0,
    ),
    Figure(
        "chatter_2_13",
        "wedge gear, set 2: impacts enlarged",
        f"{SOURCE}, figure 2.13",
        compute_zoom,
        draw_zoom,
        80.0,
    ),
)
