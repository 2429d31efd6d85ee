"""Figures 6 to 8 of Martínez-Rosas, Alvarez-Icaza and Noriega-Pineda: stick-slip of a pulled mass.

Mass 1 kg; spring and speed are those of Canudas de Wit et al. 1995: 2 N/m pulled at 0.1 m/s, from rest.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import COLLOCATION, RADAU, Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.bristle_table import (
    ALPHAS,
    CANCELS,
    DOUBLE,
    KINETIC,
    PRINTED,
    SOURCE,
    STATIC,
    STIFFNESS,
    STRIBECK_VELOCITY,
    STUCK,
    TABLE,
    lugre,
    two_state,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import Law
    from stickslip.run.trajectory import Trajectory

SPRING, SPEED, END = 2.0, 0.1, 40.0
SLOW = "slower than 1 mm/s"
FIRST_REST = (9.620463181104885, 0.7164348667496138)  # s, m, with alpha = 1e5
PULL = inputs(
    "printed",
    "Canudas de Wit et al. 1995, whose experiment it is",
    ("m", 1.0, "kg"),
    ("k", SPRING, "N/m"),
    ("V", SPEED, "m/s"),
)
GIVEN = (*TABLE, *ALPHAS, *PULL)


def pull(law: Law) -> Trajectory:
    """Run the mass on its guide with this law for 40 s."""
    import stickslip as ss

    machine = ss.Machine(
        mass=1.0, stiffness=SPRING, names=["mass"], force={"mass": ss.Ramp(slope=SPRING * SPEED)}
    )
    machine.add_friction("guide", on="mass", law=law)
    return ss.simulate(machine, END, rtol=1e-11)


@lru_cache(maxsize=8)
def pulled(alpha: float | None) -> Trajectory:
    """Run the extension with this alpha, or LuGre for None; kept, since three figures show the same runs."""
    return pull(lugre() if alpha is None else two_state(alpha))


def samples(run: Trajectory, end: float = END) -> np.ndarray:
    """Return times that resolve the short transients: a grid, and some steps of the integration."""
    steps = run.t[run.t <= end]
    return np.unique(np.concatenate([np.linspace(0.0, end, 1001), steps[:: max(1, steps.size // 3000)]]))


def slow(t: np.ndarray, velocity: np.ndarray, limit: float = 1e-3) -> Series:
    """Return the phases in which the mass creeps at less than `limit` (m/s); a bristle law has no stick."""
    quiet = np.abs(velocity) < limit
    edges = np.flatnonzero(np.diff(quiet.astype(int))) + 1
    starts, ends = np.concatenate([[0], edges]), np.concatenate([edges, [t.size - 1]])
    return Series(
        {
            "start": t[starts],
            "end": t[ends],
            "mode": ["stick" if quiet[k] else "slip" for k in starts],
        },
        {"start": "s", "end": "s", "mode": ""},
    )


def second_state(run: Trajectory) -> str:
    """Return the name under which a run knows y."""
    return [name for name in run.states if name.startswith("guide.")][-1]


def _table(run: Trajectory, second: bool) -> Series:
    t = samples(run)
    there = run.at(t)
    x = there["mass.position"]
    columns = {
        "time": t,
        "position": x,
        "velocity": there["mass.velocity"],
        "friction force": there["guide.force"],
        "spring force": SPRING * (SPEED * t - x),
        "spring end": SPEED * t,
    }
    units = {
        "time": "s", "position": "m", "velocity": "m/s", "friction force": "N", "spring force": "N",
        "spring end": "m",
    }  # fmt: skip
    if second:
        columns["y"], units["y"] = there[second_state(run)], "m"
    return Series(columns, units)


def break_aways(table: Series) -> np.ndarray:
    """Return the spring forces (N) at which the mass passes the Stribeck velocity on its way up."""
    fast = table["velocity"] > STRIBECK_VELOCITY
    return table["spring force"][np.flatnonzero(fast[1:] & ~fast[:-1]) + 1]


def _common(run: Trajectory) -> list[Check]:
    """Checks that are common to all runs."""
    t = samples(run)
    quiet = _draw.sticks(slow(t, run.at(t)["mass.velocity"]))
    return [
        Check(
            "times it comes to rest in 40 s", "", len(quiet) - 1.0, 1.0, 0.0, Origin.CLAIMED,
            "text: it repeats", relation=">",
        ),
        balance(run.energy.residual, 2e-12),
    ]  # fmt: skip


def _printed() -> Check:
    way = float(pulled(PRINTED)["mass.position"][-1])
    return Check(
        "alpha 1e9 (printed): way in 40 s", "m", way, 0.0, 0.0, Origin.CLAIMED, "figures 6 and 7: stick-slip",
        STUCK, relation=">",
    )  # fmt: skip


def compute_forces() -> FigureData:
    """Spring force and second state."""
    run = pulled(DOUBLE)
    table = _table(run, True)
    t = table["time"]
    stick = run.events[0].time
    entry = next(e.time for e in run.events if str(e.after) == "stick")
    closed, apart, said = Origin.CLOSED_FORM, Origin.INDEPENDENT, Origin.CLAIMED
    left = release(DOUBLE, 0.0, SPRING * SPEED)
    held = second_in_stick(stick, DOUBLE, 0.0, SPRING * SPEED)
    force = SPRING * (SPEED * entry - float(run.at(entry)["mass.position"][0]))
    fallen = SPRING * (SPEED * FIRST_REST[0] - FIRST_REST[1])
    breaks, text = break_aways(table), "text: once the spring pulls with Fs"
    second = float(run.at(stick)[second_state(run)][0])
    checks = [
        Check("first leaves rigid stick at", "s", stick, left, 3e-11, closed, "root of spring = limit"),
        Check("y there", "m", second, held, 3e-16, closed, "y in rigid stick"),
        Check("first rest after slip", "s", entry, FIRST_REST[0], 5e-11, apart, RADAU),
        Check("spring force there", "N", force, fallen, 1e-11, apart, RADAU),
        Check("spring force there, below Fc", "N", force, KINETIC, 0.0, said, "text: it decreases", relation="<"),
        Check("spring force at the first break-away (1 mm/s)", "N", float(breaks[0]), STATIC, 0.05, said, text),
        _printed(),
        *_common(run),
    ]  # fmt: skip
    given = (*TABLE, *inputs("chosen", "instead of the printed 1e9", ("α", DOUBLE, "Ns/m")), *PULL)
    return FigureData({"": table, "modes": slow(t, table["velocity"])}, checks, given)


def second_in_stick(t: float, alpha: float, start: float, slope: float) -> float:
    """Second state (m) after `t` of rigid stick from 0: α·y' = F − σ0(Fs−Fc)·y, F = start + slope·t."""
    rate = STIFFNESS * (STATIC - KINETIC) / alpha
    first = -math.expm1(-rate * t) / rate
    return (start * first + slope * (t - first) / rate) / alpha


def release(alpha: float, start: float, slope: float) -> float:
    """Return the end (s) of that stick, where F = (σ0(Fs−Fc) − α)·y + α/σ0."""
    low, high = 0.0, 1e3
    for _ in range(200):
        t = 0.5 * (low + high)
        limit = (STIFFNESS * (STATIC - KINETIC) - alpha) * second_in_stick(
            t, alpha, start, slope
        ) + alpha / STIFFNESS
        low, high = (t, high) if start + slope * t < limit else (low, t)
    return low


def draw_forces(data: FigureData, figure: Canvas) -> None:
    """Draw spring force and second state over time."""
    from stickslip.draw import style as _style

    s = data[""]
    axes = figure.subplots(2, 1, sharex=True)
    _draw.rows(axes, _draw.sticks(data["modes"]), END, label=SLOW)
    axes[0].plot(s["time"], s["spring force"], color=_style.ORANGE)
    axes[0].set(ylabel="a)  spring force [N]")
    axes[0].set_title("second-order law, α = 1e5")
    axes[1].plot(s["time"], 1e6 * s["y"], color=_style.BLUE)
    axes[1].set(ylabel="b)  state y [µm]")
    _draw.below(figure, *axes)


def compute_motion() -> FigureData:
    """Motion with alpha = σ0(Fs − Fc) and 1e5."""
    run, other = pulled(CANCELS), pulled(DOUBLE)
    table = _table(run, True)
    stop = next(e.time for e in run.events if str(e.after) == "stick")
    place = float(run.at(stop)["mass.position"][0])
    apart, closed, said = Origin.INDEPENDENT, Origin.CLOSED_FORM, Origin.CLAIMED
    greatest, name = float(np.max(table["friction force"])), "alpha 5e4"
    left, quiet = run.events[0].time, float(np.max(_table(pulled(None), False)["friction force"]))
    text = "text of figure 7: a greater transient than LuGre's"
    breaks = break_aways(table)
    off = float(breaks[np.argmax(np.abs(breaks - STATIC))])
    checks = [
        Check(f"{name}: first leaves rigid stick at", "s", left, 2.5, 3e-11, closed, "(Fs-Fc)/(k·V)"),
        Check(f"{name}: first rest after slip", "s", stop, 10.22662178885509, 5e-11, apart, RADAU),
        Check(f"{name}: position there", "m", place, 0.6288807303053093, 5e-12, apart, RADAU),
        Check(f"{name}: greatest friction force", "N", greatest, STATIC, 2e-7, closed, "Fc + α/σ0, v to 0, z = 1/σ0"),
        Check(f"{name}: greatest force over LuGre's", "", greatest / quiet, 1.0, 0.0, said, text, relation=">"),
        Check(
            f"{name}: spring force at the break-aways (1 mm/s), worst", "N", off, STATIC, 0.05, said,
            "text: once the spring pulls with Fs",
        ),
        _printed(),
        *_common(run),
    ]  # fmt: skip
    return FigureData(
        {
            "5e4": table,
            "1e5": _table(other, True),
            "modes": slow(table["time"], table["velocity"]),
        },
        checks,
        GIVEN,
    )


def draw_motion(data: FigureData, figure: Canvas) -> None:
    """Draw position, and force and velocity, over time."""
    s, other = data["5e4"], data["1e5"]
    _motion(data, s, figure, "second-order law, α = 5e4", other, "α = 1e5")


def compute_lugre() -> FigureData:
    """Run the same with LuGre."""
    run = pulled(None)
    table = _table(run, False)
    expected = (0.6275831289811153, 1.2725964123236047, 2.5451019036019518, 3.306801054962933)
    apart = Origin.INDEPENDENT
    checks = [
        Check(f"position at {t:g} s", "m", float(run.at(t)["mass.position"][0]), x, 1e-11, apart, COLLOCATION)
        for t, x in zip((10.0, 20.0, 30.0, 40.0), expected, strict=True)
    ]
    checks += [
        Check(
            "spring force at the first break-away (1 mm/s)", "N", float(break_aways(table)[0]), STATIC, 0.05,
            Origin.CLAIMED, "text: once the spring pulls with Fs",
        ),
        *_common(run),
    ]  # fmt: skip
    return FigureData({"": table, "modes": slow(table["time"], table["velocity"])}, checks, (*TABLE, *PULL))


def draw_lugre(data: FigureData, figure: Canvas) -> None:
    """Draw the same for LuGre."""
    _motion(data, data[""], figure, "LuGre", None, "")


def _motion(data: FigureData, s: Series, figure: Canvas, title: str, other: Series | None, text: str) -> None:
    from stickslip.draw import style as _style

    axes = figure.subplots(3, 1, sharex=True, height_ratios=[1.2, 1.0, 1.0])
    _draw.rows(axes, _draw.sticks(data["modes"]), END, label=SLOW)
    t = s["time"]
    axes[0].plot(t, s["spring end"], color="#6A6A6A", linestyle=":", label="free end of the spring")
    axes[0].plot(t, s["position"], color=_style.BLUE, label="mass")
    if other is not None:
        axes[0].plot(
            other["time"], other["position"], color=_style.ORANGE, linestyle="--", linewidth=0.9,
            label=f"mass, {text}",
        )  # fmt: skip
    axes[0].set_ylabel("a)  x [m]")
    axes[0].set_title(title)
    axes[1].plot(t, s["friction force"], color=_style.VERMILION)
    axes[1].set_ylabel("b)  F [N]")
    axes[2].plot(t, s["velocity"], color=_style.BLUE)
    axes[2].set_ylabel("v [m/s]")
    _draw.below(figure, *axes)


FIGURES = (
    Figure(
        "bristle2_6",
        "spring force and second state in stick-slip",
        f"{SOURCE}, figure 6",
        compute_forces,
        draw_forces,
        85.0,
    ),
    Figure(
        "bristle2_7",
        "stick-slip with the second-order law",
        f"{SOURCE}, figure 7",
        compute_motion,
        draw_motion,
        110.0,
    ),
    Figure("bristle2_8", "stick-slip with LuGre", f"{SOURCE}, figure 8", compute_lugre, draw_lugre, 110.0),
)
