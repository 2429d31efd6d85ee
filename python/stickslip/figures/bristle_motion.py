"""Figures 6 to 8 of Martínez-Rosas, Alvarez-Icaza and Noriega-Pineda: stick-slip of a pulled mass.

Mass 1 kg; spring and speed are those of Canudas de Wit et al. 1995: 2 N/m pulled at 0.1 m/s, from rest.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from stickslip.figures import _draw
from stickslip.figures._data import Check, Figure, FigureData, Series
from stickslip.figures.bristle_table import (
    CANCELS,
    DOUBLE,
    KINETIC,
    PRINTED,
    SOURCE,
    STATIC,
    STIFFNESS,
    STRIBECK_VELOCITY,
    STUCK,
    lugre,
    two_state,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import Law
    from stickslip.trajectory import Trajectory

SPRING, SPEED, END = 2.0, 0.1, 40.0
INDEPENDENT = "independent integration (Radau)"
FIRST_REST = (9.620463181104885, 0.7164348667496138)  # s, m, with alpha = 1e5
COLLOCATION = "independent collocation"


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
    """Return times dense enough for the short transients: a grid, and some steps of the integration."""
    steps = run.t[run.t <= end]
    return np.unique(np.concatenate([np.linspace(0.0, end, 1001), steps[:: max(1, steps.size // 3000)]]))


def slow(t: np.ndarray, velocity: np.ndarray, limit: float = 1e-3) -> Series:
    """Return the phases in which the mass creeps at less than `limit` (m/s): what stick is for bristles."""
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


def _common(run: Trajectory, rests: int) -> list[Check]:
    """Check what all runs must show."""
    t = samples(run)
    there = run.at(t)
    quiet = _draw.sticks(slow(t, there["mass.velocity"]))
    return [
        Check(
            "times it comes to rest in 40 s",
            float(len(quiet) - 1),
            float(rests),
            0.0,
            "text: it repeats; rigid limit",
        ),
        Check(
            "energy residual, relative to the work", float(run.energy.residual), 0.0, 1e-9, "energy balance"
        ),
    ]


def _printed() -> Check:
    return Check(
        "alpha 1e9 (printed): position at 40 s, like LuGre's [m]",
        float(pulled(PRINTED)["mass.position"][-1]),
        3.25,
        0.25,
        f"{SOURCE}, figure 7: stick-slip",
        STUCK,
    )


def compute_forces() -> FigureData:
    """Spring force and second state."""
    run = pulled(DOUBLE)
    table = _table(run, True)
    t = table["time"]
    stick = run.events[0].time
    entry = next(e.time for e in run.events if str(e.after) == "stick")
    at = second_in_stick(stick, DOUBLE, 0.0, SPRING * SPEED)
    checks = [
        Check(
            "first leaves rigid stick at [s]",
            stick,
            release(DOUBLE, 0.0, SPRING * SPEED),
            1e-9,
            "derivation: root of spring = limit",
        ),
        Check(
            "y there [m]",
            float(run.at(stick)[second_state(run)][0]),
            at,
            1e-14,
            "derivation: y in rigid stick",
        ),
        Check("first rest after slip [s]", entry, FIRST_REST[0], 2e-8, INDEPENDENT),
        Check(
            "spring force there, fallen below Fc [N]",
            SPRING * (SPEED * entry - float(run.at(entry)["mass.position"][0])),
            SPRING * (SPEED * FIRST_REST[0] - FIRST_REST[1]),
            4e-9,
            INDEPENDENT,
        ),
        _printed(),
        *_common(run, 4),
    ]
    return FigureData({"": table, "modes": slow(t, table["velocity"])}, checks)


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
    from stickslip.figures import _style

    s = data[""]
    axes = figure.subplots(2, 1, sharex=True)
    _draw.rows(axes, _draw.sticks(data["modes"]), END)
    axes[0].plot(s["time"], s["spring force"], color=_style.ORANGE)
    axes[0].set(ylabel="a)  spring force [N]")
    axes[0].set_title("second-order law, α = 1e5;  grey: slower than 1 mm/s")
    axes[1].plot(s["time"], 1e6 * s["y"], color=_style.BLUE)
    axes[1].set(ylabel="b)  state y [µm]")


def compute_motion() -> FigureData:
    """Motion with alpha = σ0(Fs − Fc) and 1e5."""
    run, other = pulled(CANCELS), pulled(DOUBLE)
    table = _table(run, True)
    stops = [e.time for e in run.events if str(e.after) == "stick"]
    checks = [
        Check(
            "alpha 5e4: first leaves rigid stick at [s]",
            run.events[0].time,
            2.5,
            1e-9,
            "closed form: (Fs-Fc)/(k V)",
        ),
        Check("alpha 5e4: first rest after slip [s]", stops[0], 10.22662178885509, 2e-8, INDEPENDENT),
        Check(
            "alpha 5e4: position there [m]",
            float(run.at(stops[0])["mass.position"][0]),
            0.6288807303053093,
            2e-9,
            INDEPENDENT,
        ),
        Check(
            "alpha 5e4: greatest friction force [N]",
            float(np.max(table["friction force"])),
            STATIC,
            0.03,
            "closed form: near Fs on a slow ramp",
        ),
        _printed(),
        *_common(run, 5),
    ]
    return FigureData(
        {
            "5e4": table,
            "1e5": _table(other, True),
            "modes": slow(table["time"], table["velocity"]),
        },
        checks,
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
    checks = [
        Check(f"position at {t:g} s [m]", float(run.at(t)["mass.position"][0]), x, 2e-9, COLLOCATION)
        for t, x in zip((10.0, 20.0, 30.0, 40.0), expected, strict=True)
    ]
    first = int(np.flatnonzero(table["velocity"] > STRIBECK_VELOCITY)[0])
    checks += [
        Check(
            "spring force at which it breaks away (1 mm/s) [N]",
            float(table["spring force"][first]),
            STATIC,
            0.03,
            "text: once the spring pulls with Fs",
        ),
        *_common(run, 5),
    ]
    return FigureData({"": table, "modes": slow(table["time"], table["velocity"])}, checks)


def draw_lugre(data: FigureData, figure: Canvas) -> None:
    """Draw the same for LuGre."""
    _motion(data, data[""], figure, "LuGre", None, "")


def _motion(data: FigureData, s: Series, figure: Canvas, title: str, other: Series | None, text: str) -> None:
    from stickslip.figures import _style

    axes = figure.subplots(3, 1, sharex=True, height_ratios=[1.2, 1.0, 1.0])
    _draw.rows(axes, _draw.sticks(data["modes"]), END)
    t = s["time"]
    axes[0].plot(t, s["spring end"], color="#6A6A6A", linestyle=":", label="free end of the spring")
    axes[0].plot(t, s["position"], color=_style.BLUE, label="mass")
    if other is not None:
        axes[0].plot(
            other["time"], other["position"], color=_style.ORANGE, linestyle="--", linewidth=0.9,
            label=f"mass, {text}",
        )  # fmt: skip
    axes[0].set_ylabel("a)  x [m]")
    axes[0].set_title(f"{title};  grey: slower than 1 mm/s")
    _draw.corner(axes[0], loc="upper left")
    axes[1].plot(t, s["friction force"], color=_style.VERMILION)
    axes[1].set_ylabel("b)  F [N]")
    axes[2].plot(t, s["velocity"], color=_style.BLUE)
    axes[2].set_ylabel("v [m/s]")


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
