"""Figures 7.4–7.7 of Hinrichsen: the worm gear of the test rig lowers its load, without and with chatter.

One set of parameters serves all figures of the rig. Not printed are the friction, chosen as 0.2 (measured: 0.14 …
0.4), shaft and restitution, fitted to figures 7.4 and 7.5, and the elasticity of the teeth (see `_gears`). Every
figure shows the rigid gear, whose impacts take no time and whose worm stands still because its shaft must be wound up
again, beside the gear with elastic teeth, whose contacts last half a swing of the wheel on the flank. The source names
elastic teeth as the reason why the wheel stands still for a shorter time than the worm; only they show that.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures import _rig_runs as runs
from stickslip_figures import _rig_teeth as teeth
from stickslip_figures._check import Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import (
    INERTIAS,
    RIG,
    RIG_CHOSEN,
    RIG_PRINTED,
    RIG_SHAFT,
    RIG_TEETH,
    RPM,
    SOURCE,
    TEETH,
    rig,
    shade,
)
from stickslip_figures._rig_cycle import RigCycle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip import Trajectory
    from stickslip.draw.spans import Span

SPAN = 1.5  # s, length of the runs that the checks of figures 7.4–7.7 use
DRAWN = 0.5  # s, of figure 7.4
GIVEN = (*RIG_PRINTED, *RIG_CHOSEN, *RIG_SHAFT, *RIG_TEETH)
BALANCE = "M1(r2/r1)tan(ρ - γ) = k_φ·θ + d_φ·ω"
CYCLE = "damped swing of the worm, fall of the wheel"
CLOSED, PRINTED, SAID = Origin.CLOSED_FORM, Origin.PRINTED, Origin.CLAIMED


# -- 7.4 -----------------------------------------------------------------------------------------------


def compute_sets() -> FigureData:
    """Lower the load at 4.5 rpm with the bare wheel (set 0) and with set 1, rigid and with elastic teeth."""
    series: dict[str, Series] = {}
    checks: list[Check] = []
    for k, judge in ((0, _slides), (1, _chatters)):
        run = runs.lower(rig(k), SPAN, 3000)
        series |= {f"set_{k}": runs.columns(rig(k), run), f"set_{k}_modes": runs.log(run)}
        checks += judge(run)
        checks.append(balance(run.energy.residual, 5e-14, f"set {k}: "))
    for k, judge in ((0, _slides_elastic), (1, _chatters_elastic)):
        gear = rig(k, compliance=TEETH)
        run = runs.lower(gear, SPAN, 15000)
        series |= {f"elastic_{k}": runs.columns(gear, run), f"elastic_{k}_modes": runs.log(run)}
        checks += judge(run)
        checks.append(balance(run.energy.residual, 1e-10, f"elastic teeth, set {k}: "))
    speed = RIG.worm_radius * 4.5 * RPM / math.cos(RIG.lead_angle)
    checks.append(
        Check(
            "sliding speed at 4.5 rpm", "m/s", speed, 0.003, 5e-4, PRINTED, f"{SOURCE}, 7.3",
            "4.5 rpm at r2 = 36 mm is 0.017 m/s; the source prints 0.003 m/s²",
        )
    )  # fmt: skip
    return FigureData(series, checks, GIVEN)


def _slides(run: Trajectory) -> list[Check]:
    """Set 0 slides on after the first stick; its oscillation on the shaft decays."""
    log, gear, cycle = runs.log(run), rig(0), RigCycle(rig(0))
    last, source = runs.spans(log)[-1], f"{SOURCE}, figure 7.4 left"
    slid = sum(runs.lengths(log, "slip")) + (last.end - last.start) * (last.kind == "slip")
    torque = gear.shaft_stiffness * (run["worm.position"][-1] - gear.motor_speed * run.t[-1])
    torque += gear.shaft_damping * (run["worm.velocity"][-1] - gear.motor_speed)
    sticks = runs.count(log, "stick") - 1.0
    return [
        Check("set 0: separations", "", runs.count(log, "open"), 0.0, 0.0, SAID, source),
        Check("set 0: sticks after the first", "", sticks, 0.0, 0.0, SAID, source),
        Check("set 0: slides for", "s", slid, SPAN - cycle.separation, 1e-14, CLOSED, BALANCE),
        Check("set 0: torque of the shaft at the end", "Nm", torque, cycle.torque, 5e-14, CLOSED, BALANCE),
    ]


def _slides_elastic(run: Trajectory) -> list[Check]:
    """Set 0 slides on with elastic teeth, too."""
    log, source, name = runs.log(run), f"{SOURCE}, figure 7.4 left", "elastic teeth, set 0: "
    sticks = runs.count(log, "stick") - 1.0
    return [
        Check(f"{name}separations", "", runs.count(log, "open"), 0.0, 0.0, SAID, source),
        Check(f"{name}sticks after the first", "", sticks, 0.0, 0.0, SAID, source),
    ]


def _chatters(run: Trajectory) -> list[Check]:
    """Set 1 chatters to the end, on one flank."""
    log, cycle, source = runs.log(run), RigCycle(rig(1)), f"{SOURCE}, figure 7.4 right"
    # It separates first at the end of the first stick, then once per period.
    count = 1.0 + math.floor((SPAN - cycle.separation) / cycle.period)
    flights, rests = runs.lengths(log, "open"), runs.lengths(log, "stick")[1:]
    longer = float(np.mean(flights) - np.mean(rests)) if flights and rests else 0.0
    name, hits = "set 1: impacts on the opposite flank", float(runs.hits(log, "opposite_flank").size)
    return [
        Check("set 1: separations in 1.5 s", "", runs.count(log, "open"), count, 0.0, CLOSED, CYCLE),
        Check("set 1: phases of sliding", "", runs.count(log, "slip"), 0.0, 0.0, SAID, f"{SOURCE}, 7.3"),
        Check(name, "", hits, 0.0, 0.0, SAID, source),
        Check(
            "set 1: flights are longer than contacts by", "s", longer, 0.0, 0.0, SAID, f"{SOURCE}, 7.3",
            "in a rigid gear rests r fix the flights, M1·T²/2Θ1 = ω(r2/r1)tan γ·(T + r): "
            "20.7 ms for 25 ms, whatever the shaft",
            relation=">",
        ),
    ]  # fmt: skip


def _chatters_elastic(run: Trajectory) -> list[Check]:
    """With elastic teeth the flights of set 1 are longer than its contacts."""
    flights = [end - start for start, end in teeth.flights(run)]
    longer = float(np.mean(flights) - np.mean(teeth.contacts(run))) if len(flights) > 1 else 0.0
    name = "elastic teeth, set 1: flights are longer than contacts by"
    return [Check(name, "s", longer, 0.0, 0.0, SAID, f"{SOURCE}, 7.3", relation=">")]


def draw_sets(data: FigureData, figure: Canvas) -> None:
    """Draw the angles of set 0 and of set 1, rigid and with elastic teeth, and their gaps."""
    from stickslip.draw import style as _style

    axes = figure.subplots(2, 3, sharex=True, sharey="row", height_ratios=[2.0, 1.0])
    panels = (("set_0", "set 0"), ("set_1", "set 1, rigid"), ("elastic_1", "set 1, elastic teeth"))
    for column, (key, title) in enumerate(panels):
        top, bottom = axes[0][column], axes[1][column]
        rows, log = data[key], data[f"{key}_modes"]
        for ax in (top, bottom):
            shade(ax, runs.spans(log))
        runs.motion(top, rows, 0.0, DRAWN, motor=True)
        top.set(xlabel="", ylabel="" if column else "angle [°]")
        inertia = INERTIAS[0 if column == 0 else 1] * 1e6
        top.set_title(f"{title}\nΘ1 = {inertia:.0f} kg·mm²")
        drawn = rows["time"] <= DRAWN
        bottom.plot(rows["time"][drawn], 1e3 * rows["gap"][drawn], color=_style.BLUE)
        bottom.set(xlabel="time t [s]", ylabel="" if column else "gap [µm]")
    figure.legend(*axes[0][1].get_legend_handles_labels(), loc="outside lower center", ncols=5)


# -- 7.5–7.7 -------------------------------------------------------------------------------------------

_NUMBER = {1: "7.5", 3: "7.6", 5: "7.7"}


def compute_impacts(inertia_set: int) -> FigureData:
    """Lower the load at 4.5 rpm, with stick → separation and the stick-impacts resolved."""
    gear = rig(inertia_set)
    cycle, run = RigCycle(gear), runs.lower(gear, SPAN, 12000)
    log = runs.log(run)
    spans, name = runs.spans(log), f"{SOURCE}, figure {_NUMBER[inertia_set]}"
    first, rests, flights = run.events[0], runs.lengths(log, "stick")[1:], runs.lengths(log, "open")
    direct = float((str(first.before), str(first.after)) == ("stick", "open"))
    landed = [after.kind for before, after in pairwise(spans) if before.kind == "open"]
    others = float(sum(kind != "stick" for kind in landed))
    slides = runs.count(log, "slip")
    rest, free = (float(np.mean(lengths)) if lengths else 0.0 for lengths in (rests, flights))
    checks = [
        Check("the first change is stick → separation", "", direct, 1.0, 0.0, SAID, f"{name} left"),
        Check("first separation", "s", float(first.time), cycle.separation, 1e-15, CLOSED, BALANCE),
        Check("impacts that do not end in stick", "", others, 0.0, 0.0, SAID, f"{name} right"),
        Check("phases of sliding", "", slides, 0.0, 0.0, SAID, f"{SOURCE}, 7.3"),
        Check("worm at rest in an impact", "s", rest, cycle.rest, 1e-14, CLOSED, CYCLE),
        Check("free flight", "s", free, cycle.flight, 1e-14, CLOSED, CYCLE),
        balance(run.energy.residual, 5e-14),
    ]
    elastic = rig(inertia_set, compliance=TEETH)
    soft = runs.lower(elastic, SPAN, 30000)
    checks += _elastic_impacts(soft, name)
    if inertia_set == 1:
        checks += _first_flight(run, soft)
    else:
        checks += _clearer(inertia_set, run, spans[1], soft)
        checks += _wheel_stands(run, soft)
    checks.append(balance(soft.energy.residual, 1e-10, "elastic teeth: "))
    series = {"motion": runs.columns(gear, run), "modes": log}
    series |= {"elastic": runs.columns(elastic, soft), "elastic_modes": runs.log(soft)}
    return FigureData(series, checks, GIVEN)


def _elastic_impacts(run: Trajectory, name: str) -> list[Check]:
    """Each contact of elastic teeth sticks in between; before opening it slides by micrometres."""
    log, free = runs.log(run), teeth.flights(run)
    stuck = [span for span in runs.spans(log) if span.kind == "stick"]
    without = [
        not any(span.start >= before[1] and span.end <= after[0] for span in stuck)
        for before, after in pairwise(free)
    ]
    return [
        Check(
            "elastic teeth: contacts without stick", "", float(sum(without)), 0.0, 0.0, SAID, f"{name} right"
        ),
        Check(
            "elastic teeth: phases of sliding", "", runs.count(log, "slip"), 0.0, 0.0, SAID, f"{SOURCE}, 7.3",
            "an elastic flank is loaded and unloaded over some milliseconds and slides by up to 0.12 mm meanwhile",
        ),
    ]  # fmt: skip


def _gap(run: Trajectory, start: float, end: float) -> float:
    """Greatest gap (m) between two times."""
    return float(run["flank.gap"][(run.t > start) & (run.t < end)].max())


def _clearer(inertia_set: int, run: Trajectory, flight: Span, soft: Trajectory) -> list[Check]:
    """The greater the inertia, the clearer the separation: the gap is larger."""
    cycle, less = RigCycle(rig(inertia_set - 2)), rig(inertia_set - 2, compliance=TEETH)
    before = max(cycle.gap(float(t)) for t in np.linspace(0.0, cycle.flight, 2001))
    ratio = _gap(run, flight.start, flight.end) / before
    # With elastic teeth the flights grow from one to the next: the greatest of the whole run.
    elastic = _gap(soft, 0.0, SPAN) / _gap(runs.lower(less, SPAN, 30000), 0.0, SPAN)
    name = f"greatest gap over that of set {inertia_set - 2}"
    return [
        Check(name, "", ratio, 1.0, 0.0, SAID, f"{SOURCE}, 7.3", relation=">"),
        Check(f"elastic teeth: {name}", "", elastic, 1.0, 0.0, SAID, f"{SOURCE}, 7.3", relation=">"),
    ]


def _wheel_stands(run: Trajectory, soft: Trajectory) -> list[Check]:
    """In an impact the wheel stands still for a shorter time than the worm."""
    name = "wheel stands still for, over the worm"
    sums = [[sum(teeth.standstills(one, shaft)) for shaft in ("wheel", "worm")] for one in (run, soft)]
    ratio, elastic = (wheel / worm if worm else math.nan for wheel, worm in sums)
    source = f"{SOURCE}, 7.3: elastic teeth"
    return [
        Check(
            name, "", ratio, 1.0, 0.0, SAID, source,
            "rigid flanks stand still together, and the slow wheel is seen to move last; the source names elastic teeth",
            relation="<",
        ),
        Check(f"elastic teeth: {name}", "", elastic, 1.0, 0.0, SAID, source, relation="<"),
    ]  # fmt: skip


def _first_flight(run: Trajectory, soft: Trajectory) -> list[Check]:
    """Compare the speeds in the first flight with those the source reads off its encoders."""
    source, mean = f"{SOURCE}, 7.3", "in the first flight, mean speed"
    ratio = RIG.radius_ratio * math.tan(RIG.lead_angle)
    worm, wheel = teeth.slopes(run, 0)
    fast, slow = teeth.slopes(soft, 0)
    reason = (
        "{} follows from rests of 0.025 s, whatever the shaft; the printed pair is no slope of one flight: "
        "beside a worm of 26.8 °/s a wheel faster than 1.07 °/s would overlap its flank"
    )
    unwinds = (
        "the shaft unwinds in the first flight, whatever d_N beside standstills of 0.025 s; later flights: {}"
    )
    return [
        Check("wheel in contact at 26.8 °/s of the worm", "deg/s", ratio * 26.8, 1.07, 5e-3, PRINTED, source),
        Check(f"worm {mean}", "deg/s", worm, 26.8, 0.05, PRINTED, source, reason.format("59.7 °/s")),
        Check(f"wheel {mean}", "deg/s", wheel, 1.3, 0.05, PRINTED, source, reason.format("2.39 °/s")),
        Check(
            f"elastic teeth: worm {mean}", "deg/s", fast, 26.8, 0.05, PRINTED, source,
            unwinds.format("38 falling to 34 °/s, 27 being the motor's"),
        ),
        Check(
            f"elastic teeth: wheel {mean}", "deg/s", slow, 1.3, 0.05, PRINTED, source,
            unwinds.format("1.4 falling to 1.2 °/s"),
        ),
    ]  # fmt: skip


def draw_impacts(data: FigureData, figure: Canvas) -> None:
    """Draw the change from stick to separation and later impacts, of the rigid gear and of elastic teeth."""
    axes = figure.subplots(2, 2)
    for row, (key, modes, kind) in zip(
        axes, (("motion", "modes", "rigid"), ("elastic", "elastic_modes", "elastic teeth")), strict=True
    ):
        log = data[modes]
        second = [span for span in runs.spans(log) if span.kind == "open"][1]
        begin = "stick → separation" if kind == "rigid" else "first flights"
        panels = (0.0, 1.1 * second.end, begin), (0.9, 1.4, "stick-impacts")
        for ax, (start, end, title) in zip(row, panels, strict=True):
            shade(ax, runs.spans(log))
            runs.motion(ax, data[key], start, end)
            runs.mark(ax, runs.hits(log, "flank"))
            ax.set_xlim(start, end)
            ax.locator_params(axis="x", nbins=5)
            ax.set_title(f"{kind}: {title}")
    figure.legend(*axes[0][1].get_legend_handles_labels(), loc="outside lower center", ncols=5)


FIGURES = (
    Figure(
        "chatter_7_4",
        "worm gear: set 0 slides, set 1 chatters, rigid and with elastic teeth",
        f"{SOURCE}, figure 7.4",
        compute_sets,
        draw_sets,
        105.0,
    ),
    *(
        Figure(
            f"chatter_{number.replace('.', '_')}",
            f"worm gear, set {k}: separation and stick-impacts, rigid and with elastic teeth",
            f"{SOURCE}, figure {number}",
            partial(compute_impacts, k),
            draw_impacts,
            130.0,
        )
        for k, number in _NUMBER.items()
    ),
)
