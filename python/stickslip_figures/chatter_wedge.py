"""Figures 2.11–2.13 of Hinrichsen: a wedge gear that slides and sticks, and one that chatters; rigid wedges.

The source computed them with finite elements and a penalty contact; here wedges are rigid and impacts take no time.
That the wedges meet again at 0.43 s contradicts the printed load and mass, whatever the contact. Set 1 with one
constant coefficient only touches zero velocity, every 1.465 s; the lasting sticks of figure 2.11 need a static
coefficient above the kinetic one, which the source does not print: ρ0 = 16° is chosen here for the second run.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw.spans import Span, mode_spans
from stickslip.machines import WedgeGear
from stickslip_figures import _draw
from stickslip_figures._check import Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import MM, SET_1, SET_2, SOURCE, path, shade, wedge_inputs
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from stickslip import Trajectory

STATIC = math.tan(math.radians(16.0))
LONG, SHORT = 12.0, 2.0  # s
# First separation, first meeting and period (s) of set 2, from tests/reference, where 40 digits confirm them.
FIRST, MEETING, PERIOD = 0.0873019237293693, 0.28697482566935545, 0.38754164791225804
DIGITS = "closed forms of the flight, in 40 digits"


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
    slips = [s for s in _spans(series["constant_modes"]) if s.kind == "slip"]
    later = [s.end - s.start for s in sticks["static_modes"][1:-1]]
    scale = one.load / (one.stiffness * one.pull_velocity)
    tan2, tan4, tan12 = (math.tan(math.radians(angle)) for angle in (2.0, 4.0, 12.0))
    period = 2.0 * math.pi * math.sqrt((one.lower_mass - one.upper_mass * tan12 * tan2) / one.stiffness)
    binding = max(float(np.abs(run["flank.gap"]).max()) for run in (constant, higher))
    longest = max(s.end - s.start for s in sticks["constant_modes"][1:])
    first, second = float(constant.events[0].time), float(higher.events[0].time)
    said, printed, closed, rested = (
        Origin.CLAIMED,
        Origin.PRINTED,
        Origin.CLOSED_FORM,
        "end of the first stick",
    )
    static = "static above kinetic"
    checks = [
        Check(rested, "s", first, 0.873, 5e-4, printed, f"{SOURCE}, (2.34)"),
        Check(f"{rested}, all digits", "s", first, scale * tan2, 3e-12, closed, "(2.34)"),
        Check(
            f"{rested} with μ = 0.25", "s", scale * math.tan(math.atan(0.25) - one.angle), 0.873, 5e-4, printed,
            f"{SOURCE}, (2.34)", "computed with ρ rounded to 14°",
        ),
        Check("contact kept: greatest gap", "m", binding, 0.0, 1e-17, said, f"{SOURCE}, 2.4.2"),
        Check(
            "from touching zero to touching zero", "s", slips[0].end - slips[0].start, period, 1e-6, closed,
            "(2.25); a double root is found to the square root of the tolerance",
        ),
        Check(
            "one coefficient: longest stick after the first", "s", longest, 0.0, 1e-6, closed,
            "(2.25): x2' = v0(1 - cos ωt) only touches zero",
        ),
        Check(
            "one coefficient: oscillations before the first lasting stick", "", float(len(slips)), 3.0, 0.0, printed,
            f"{SOURCE}, 2.4.2",
            "rigid with one constant coefficient the velocity only touches zero and no stick lasts; "
            "the sticks of the finite-element run need a static level above the kinetic one, "
            "or what its penalty contact adds",
        ),
        Check(f"{static}: {rested}, all digits", "s", second, scale * tan4, 3e-12, closed, "(2.34) with 16°"),
        Check(
            f"{static}: a stick lasts", "s", float(np.mean(later)), 2.0 * scale * (tan4 - tan2), 1e-11, closed,
            "2F(tan 4° - tan 2°)/(k·v0)",
        ),
        balance(max(run.energy.residual for run in (constant, higher)), 6e-11),
    ]  # fmt: skip
    chosen = inputs("chosen", "no stick lasts without it", ("ρ0 of the second run", 16.0, "°"))
    return FigureData(series, checks, (*wedge_inputs(one), *chosen))


def _motion(ax: Axes, rows: Series, start: float, end: float, pulled: bool = True) -> None:
    from stickslip.draw import style as _style

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
    expected = FIRST + np.arange(times.size) // 2 * PERIOD + np.arange(times.size) % 2 * (MEETING - FIRST)
    said, printed, source, apart = Origin.CLAIMED, Origin.PRINTED, f"{SOURCE}, 2.4.2", Origin.INDEPENDENT
    slides = float(sum(span.kind == "slip" for span in spans))
    checks = [
        Check("first separation", "s", float(times[0]), 0.0873, 5e-5, printed, source),
        Check("the wedges meet again", "s", float(times[1]), MEETING, 1e-15, apart, DIGITS),
        Check(
            "the wedges meet again, finite elements", "s", float(times[1]), 0.43, 5e-3, printed, source,
            "0.43 s contradicts the printed F and m1: a wedge that flies freely from 0.0873 s on has fallen by "
            "F·t²/(2·m1) = 2.43 mm by then, and the wedges would overlap by 1.7 mm; neither friction nor elasticity "
            "enters a flight",
        ),
        Check("free period of the lower wedge", "s", gear.free_period, 0.328, 5e-4, printed, source),
        Check("phases of sliding", "", slides, 0.0, 0.0, said, f"{source}: no macroscopic sliding"),
        Check("worst of all event times, off by", "s", float(np.abs(times - expected).max()), 0.0, 3e-13, apart, DIGITS),
        balance(run.energy.residual, 3e-14),
    ]  # fmt: skip
    return FigureData({"motion": _columns(gear, run), "modes": log}, checks, wedge_inputs(gear))


def _meeting(gear: WedgeGear) -> tuple[float, float]:
    """Velocities (m/s) of upper and lower wedge as they meet first: free fall, and free oscillation on the spring."""
    flight, omega = MEETING - FIRST, math.sqrt(gear.stiffness / gear.lower_mass)
    stretch, pull = gear.pull_velocity * FIRST, gear.pull_velocity
    upper = -gear.load / gear.upper_mass * flight
    lower = pull + stretch * omega * math.sin(omega * flight) - pull * math.cos(omega * flight)
    return upper, lower


def _mark(ax: Axes, log: Series) -> None:
    from stickslip.plotting import _mark_impacts

    low, high = ax.get_xlim()
    times = log["from"][log["starts with an impact"] == 1]
    _mark_impacts(ax, times[(times >= low) & (times <= high)])


def draw_chatter(data: FigureData, figure: Canvas) -> None:
    """Draw the motion of both wedges with the modes shaded, and the gap below."""
    from stickslip.draw import style as _style

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
    _draw.below(figure, top, bottom, columns=6)


def compute_zoom() -> FigureData:
    """Run set 2 once more, with the first and a later impact resolved."""
    gear = SET_2
    run = _run(gear, 1.2, 12000)
    log = _log(run)
    spans, hit = _spans(log), next(event for event in run.events if event.impact)
    blocked = [span.end - span.start for span in spans if span.kind == "stick"][1]
    m1, m2 = gear.upper_mass, gear.lower_mass
    s, c = math.sin(gear.angle), math.cos(gear.angle)
    upper, lower = _meeting(gear)
    # The source's v·cos α and v·sin α are the closing speeds along normal and tangent.
    normal, tangent = -(c * upper + s * lower), -(s * upper - c * lower)
    bracket = abs(s * c * (m1 - m2) * normal + (m1 * c * c + m2 * s * s) * tangent)
    sheared, lost = abs(float(hit.tangential_impulse)), 0.5 * (m1 * upper**2 + m2 * lower**2)
    push = -(c * m1 * upper + s * m2 * lower)
    shear = abs(s * m1 * upper - c * m2 * lower)
    flight = spans[1].end - spans[1].start
    closed, apart, printed = Origin.CLOSED_FORM, Origin.INDEPENDENT, Origin.PRINTED
    rest, momentum = PERIOD - MEETING + FIRST, "momentum: a stick-impact brings both to rest"
    checks = [
        Check("lower wedge blocked in an impact", "s", blocked, rest, 2e-14, apart, DIGITS),
        Check(
            "lower wedge blocked, finite elements", "s", blocked, 0.1, 0.05, printed, f"{SOURCE}, 2.4.2: about 0.1 s",
            "the standstill depends on the spring force at the impact, and the printed time of impact contradicts F and m1",
        ),
        Check("free flight", "s", flight, MEETING - FIRST, 1e-15, apart, DIGITS),
        Check("normal impulse", "Ns", float(hit.normal_impulse), push, 1e-12, closed, momentum),
        Check("tangential impulse", "Ns", sheared, shear, 3e-13, closed, momentum),
        Check(
            "tangential impulse with the printed bracket", "Ns", sheared, bracket, 0.0, printed, f"{SOURCE}, (6.9)",
            "the printed m1·c² + m2·s² in the second term must be m1·s² + m2·c²: balance of momentum",
        ),
        Check("energy lost in an impact", "J", float(hit.loss), lost, 1e-14, closed, momentum),
    ]  # fmt: skip
    return FigureData({"motion": _columns(gear, run), "modes": log}, checks, wedge_inputs(gear))


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
