"""Figure 7.8 of Hinrichsen: at 15 rpm the worm also hits the opposite flank, up to 12 rpm it does not.

A rigid gear reaches that flank only by bouncing: with ε = 0.81 … 0.835 it does at 15 rpm and not at 12, but then the
worm never rests, which figure 7.5 excludes. Elastic teeth return energy, and the worm stands still while they are
compressed. Figures 7.4 and 7.5 allow a range of damping with the ratio 14; the first impact is drawn over that range.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures import _rig_runs as runs
from stickslip_figures._check import Check
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import RIG, RPM, SOURCE, TEETH, rig, shade
from stickslip_figures._rig_cycle import RigCycle
from stickslip_figures.chatter_rig import BALANCE, CLOSED, GIVEN, PRINTED, SAID

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SHOWN = 3.0  # s
LONG = 100.0  # s without an impact after which a speed counts as free of impacts
SWEPT = 10.0  # s, length of the runs over the damping
DAMPINGS = np.geomspace(2.4e3, 3.3e4, 33)  # N s/m, the range that figures 7.4 and 7.5 allow
RATES = 12.0, 15.0  # rpm
NEVER = (
    "a rigid gear reaches it only by bouncing: with ε = 0.81 … 0.835 both flanks are hit at 15 rpm and one at 12, but "
    "then the worm never rests (7.5)"
)
LATE = (
    "the first impact depends strongly on the bounce before it: 1.7 to 3.6 s over the dampings with an impact at 15 rpm "
    "and none at 12"
)


def impacts(rate: float, end: float, **changes: Any) -> Any:
    """Return the times (s) of impacts on the opposite flank of set 1 at `rate` rpm."""
    run = runs.lower(rig(1, motor_speed=-rate * RPM, **changes), end, 1)
    return runs.hits(runs.log(run), "opposite_flank")


def _hit_from() -> float:
    """Lowest motor speed (rpm) with an impact on a rigid opposite flank, to 0.1 rpm."""
    low, high = 15.0, 15.0
    while not impacts(high, SHOWN).size:
        low, high = high, 2.0 * high
    while high - low > 0.1:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if impacts(middle, SHOWN).size else (middle, high)
    return high


def _first_impacts() -> Series:
    """First impact (s) on the opposite flank over the damping of elastic teeth; infinite without one."""
    table: dict[str, Any] = {"d_N": DAMPINGS}
    for rate in RATES:
        found = (
            impacts(rate, SWEPT, compliance=dataclasses.replace(TEETH, damping=float(d))) for d in DAMPINGS
        )
        table[f"{rate:.0f} rpm"] = [float(t[0]) if t.size else math.inf for t in found]
    return Series(table, {"d_N": "Ns/m", **{f"{rate:.0f} rpm": "s" for rate in RATES}})


def compute_opposite() -> FigureData:
    """Lower the load at 4.5, 12 and 15 rpm, rigid and with elastic teeth."""
    series: dict[str, Series] = {}
    for key, compliance in (("rigid", None), ("elastic", TEETH)):
        for rate in (4.5, 12.0, 15.0):
            gear = rig(1, motor_speed=-rate * RPM, compliance=compliance)
            run, name = runs.lower(gear, SHOWN, 6000), f"{key}_{rate:.0f}"
            series |= {name: runs.columns(gear, run), f"{name}_modes": runs.log(run)}
    series["first_impact"] = _first_impacts()
    gear = rig(1, motor_speed=-15.0 * RPM)
    counts = {rate: impacts(rate, LONG) for rate in (4.5, 12.0, 15.0)}
    first = float(counts[15.0][0]) if counts[15.0].size else math.inf
    parted = float(runs.spans(series["rigid_15_modes"])[1].start)
    swept = series["first_impact"]
    hit = swept["12 rpm"] == math.inf
    both = float(np.sum(hit & (swept["15 rpm"] < math.inf)))
    soft = runs.hits(series["elastic_15_modes"], "opposite_flank")
    begun = float(soft[0]) if soft.size else math.inf
    source, name = f"{SOURCE}, 7.3", "impacts on the opposite flank in 100 s"
    figure, onset = f"{SOURCE}, figure 7.8", "first impact on the opposite flank"
    apart = RigCycle(gear).separation
    checks = [
        Check("15 rpm: first separation", "s", parted, apart, 1e-15, CLOSED, BALANCE),
        Check(f"4.5 rpm: {name}", "", float(counts[4.5].size), 0.0, 0.0, SAID, source),
        Check(f"12 rpm: {name}", "", float(counts[12.0].size), 0.0, 0.0, SAID, source),
        Check(f"15 rpm: {name}", "", float(counts[15.0].size), 0.0, 0.0, SAID, source, NEVER, relation=">"),
        Check(f"15 rpm: {onset}", "s", first, 1.4, 0.05, PRINTED, figure, NEVER),
        Check("opposite flank hit from", "rpm", _hit_from(), 12.0, 0.5, PRINTED, source, NEVER),
        Check(
            "elastic teeth: dampings allowed by 7.4 with one flank at 12 rpm, both at 15", "", both, 0.0, 0.0,
            SAID, source, relation=">",
        ),
        Check(f"elastic teeth, 15 rpm: {onset}", "s", begun, 1.4, 0.05, PRINTED, figure, LATE),
    ]  # fmt: skip
    return FigureData(series, checks, GIVEN)


def _angles(ax: Axes, data: FigureData, key: str, start: float, end: float) -> None:
    """Both angles, and the intervals in which the loaded flank is open or sticks."""
    log = data[f"{key}_modes"]
    shade(ax, runs.spans(log))
    runs.motion(ax, data[key], start, end)
    ax.locator_params(axis="x", nbins=5)


def draw_opposite(data: FigureData, figure: Canvas) -> None:
    """Draw both angles at 15 rpm and the gaps at three speeds, rigid and elastic, and the first impact over d_N."""
    from stickslip.draw import style as _style

    grid: dict[str, Axes] = figure.subplot_mosaic(
        [["rigid", "elastic"], ["gap rigid", "gap elastic"], ["impact", "impact"]],
        height_ratios=[1.2, 1.0, 0.9],
    )
    clearance = 1e3 * float(RIG.normal_clearance or 0.0)
    for key, title, end in (("rigid", "rigid", 1.5), ("elastic", "elastic teeth", 2.6)):
        ax = grid[key]
        _angles(ax, data, f"{key}_15", 1.3, end)
        opposite = runs.hits(data[f"{key}_15_modes"], "opposite_flank")
        runs.mark(ax, runs.hits(data[f"{key}_15_modes"], "flank"))
        for k, time in enumerate(opposite[(opposite >= 1.3) & (opposite <= end)]):
            ax.axvline(time, color=_style.GREEN, linewidth=0.9, label=None if k else "opposite flank hit")
        ax.set_xlim(1.3, end)
        ax.set_title(f"{title}, 15 rpm: both angles")
        gaps = grid[f"gap {key}"]
        for rate, colour in ((15, _style.GREEN), (12, _style.VERMILION), (4, _style.BLACK)):
            rows = data[f"{key}_{rate}"]
            shown = np.where(rows["gap"] > 1e-3, rows["gap"], np.nan)  # open by more than 1 µm
            label = "4.5 rpm" if rate == 4 else f"{rate} rpm"
            gaps.plot(rows["time"], shown, color=colour, linewidth=0.8, label=label)
        gaps.axhline(clearance, color=_style.BLACK, linewidth=0.8, linestyle="--", label="opposite flank")
        gaps.set(xlabel="time t [s]", ylabel="gap [mm]", yscale="log", ylim=(1e-3, 5.0), xlim=(0.0, SHOWN))
        gaps.set_title(f"{title}: gap at three speeds")
    impact, table = grid["impact"], data["first_impact"]
    for rate, colour, marker in ((15, _style.GREEN, "o"), (12, _style.VERMILION, "s")):
        impact.plot(
            table["d_N"], table[f"{rate} rpm"], marker, markersize=2.5, color=colour, label=f"{rate} rpm"
        )
    impact.axhline(1.4, color="#5A5A5A", linewidth=0.8, linestyle=":")
    impact.text(3.3e4, 1.4, "printed for 15 rpm", va="bottom", ha="right", color="#5A5A5A")
    impact.axvline(TEETH.damping, color=_style.BLUE, linewidth=0.8)
    impact.text(1.02 * TEETH.damping, 8.0, "drawn above", va="top", color=_style.BLUE)
    impact.set(
        xscale="log", yscale="log", xlim=(2.3e3, 3.4e4), ylim=(0.8, SWEPT), ylabel="first impact [s]",
        xlabel="damping d_N [Ns/m] of elastic teeth, in the range that figures 7.4 and 7.5 allow",
    )  # fmt: skip
    ticks, marks = (2500, 5000, 10000, 20000), (1, 2, 5, 10)
    impact.set_xticks(ticks, [str(d) for d in ticks])
    impact.set_yticks(marks, [str(t) for t in marks])
    impact.minorticks_off()
    impact.set_title("elastic teeth: first impact on the opposite flank; no point: no impact in 10 s")
    entries: dict[str, Any] = {}
    for ax in (grid["rigid"], grid["elastic"], grid["gap elastic"]):
        for handle, word in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(word, handle)
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=5)


FIGURES = (
    Figure(
        "chatter_7_8",
        "worm gear: the opposite flank at 15 rpm, rigid and with elastic teeth",
        f"{SOURCE}, figure 7.8",
        compute_opposite,
        draw_opposite,
        180.0,
    ),
)
