"""Figure 4.7 of Klotzbach and Henrichfreise: a mass pushed against a spring that presses it on its guide.

Printed: m = 0.1 kg, b = 0.1 Ns/m, c = 100 N/m, ν = 0.5, Fs = 0.01 N, Fk = 0.008 N, vs = 1 mm/s. Not printed
is the drive force: here it rises to 0.1 N in 5 s, holds for 2 s, falls to zero in 5 s and stays there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import COLLOCATION, Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MASS, VISCOUS, STIFFNESS, FACTOR = 0.1, 0.1, 100.0, 0.5
STATIC, KINETIC, STRIBECK_VELOCITY = 0.01, 0.008, 1e-3
CORNERS, PEAK, END = (0.0, 5.0, 7.0, 12.0), 0.1, 14.0
RATIO = FACTOR * STATIC / KINETIC  # κ: the static level is Fs + κ·|Fl|
GIVEN = (
    *inputs(
        "printed",
        "figure 4.6",
        ("m", MASS, "kg"),
        ("b", VISCOUS, "Ns/m"),
        ("c", STIFFNESS, "N/m"),
        ("ν", FACTOR, ""),
        ("Fs", STATIC, "N"),
        ("Fk", KINETIC, "N"),
        ("vs", STRIBECK_VELOCITY, "m/s"),
    ),
    *inputs("chosen", "not printed", ("Fd", "0 to 0.1 N in 5 s, held for 2 s, to 0 in 5 s", "")),
)


def compute() -> FigureData:
    """Run 14 s; compare with an independent solution and with the break-away lines."""
    import stickslip as ss

    drive = ss.Piecewise(CORNERS, [0.0, PEAK, PEAK, 0.0])
    machine = ss.Machine(mass=MASS, stiffness=STIFFNESS, names=["mass"], force={"mass": drive})
    curve = ss.Stribeck(
        static=STATIC, kinetic=KINETIC, stribeck_velocity=STRIBECK_VELOCITY, shape=1.0, viscous=VISCOUS
    )
    law = ss.StickSlip(curve, load_factor=FACTOR)
    machine.add_friction("guide", on="mass", law=law, load={"mass.position": STIFFNESS})
    run = ss.simulate(machine, END, dt=2e-3, rtol=1e-12)

    up = [e.time for e in run.events if str(e.before) == "stick" and str(e.after) == "slip+"]
    down = [e.time for e in run.events if str(e.before) == "stick" and str(e.after) == "slip-"]

    def push(t: float) -> float:
        return float(np.interp(t, CORNERS, (0.0, PEAK, PEAK, 0.0)))

    def place(t: float) -> float:
        return float(run.at(t)["mass.position"][0])

    off = [push(t) - STATIC - (1.0 + RATIO) * STIFFNESS * place(t) for t in up]
    back = down[0]
    rest = float(run["mass.position"][-1])
    # The friction force passes zero where the drive has fallen to the spring force.
    held = place(9.0)
    zero = 7.0 + 5.0 * (1.0 - STIFFNESS * held / PEAK)
    closed, apart = Origin.CLOSED_FORM, Origin.INDEPENDENT
    held_back = -(STATIC + RATIO * STIFFNESS * place(back))
    at_zero = float(run.at(zero)["guide.force"][0])
    left, line = push(back) - STIFFNESS * place(back), "(3) to (9): |Fd - Fc| = Fs + κ·Fc"
    checks = [
        Check("events in 14 s", "", len(run.events), 28.0, 0.0, apart, COLLOCATION),
        Check(
            "worst break-away upwards, off its line",
            "N",
            float(np.max(np.abs(off))),
            0.0,
            1e-15,
            closed,
            line,
        ),
        Check("friction at its reversal, in stick", "N", at_zero, 0.0, 1e-16, closed, "Fd = Fc"),
        Check("breaks away backwards at", "s", back, 11.406725383100467, 2e-11, apart, COLLOCATION),
        Check("drive less spring force there", "N", left, held_back, 1e-15, closed, line),
        Check("last event", "s", run.events[-1].time, 11.592652524238689, 2e-11, apart, COLLOCATION),
        Check(
            "stays at, though the drive force is zero",
            "m",
            rest,
            0.000155376769352242,
            2e-14,
            apart,
            COLLOCATION,
        ),
        Check("sign of this place", "m", rest, 0.0, 0.0, Origin.CLAIMED, "text of figure 4.7", relation=">"),
        Check("friction there", "N", float(run["guide.force"][-1]), -STIFFNESS * rest, 1e-16, closed, "-Fc"),
        balance(run.energy.residual, 1e-11),
    ]
    columns = {
        "time": run.t,
        "position": run["mass.position"],
        "velocity": run["mass.velocity"],
        "drive force": np.array([push(t) for t in run.t]),
        "spring force": STIFFNESS * run["mass.position"],
        "friction force": run["guide.force"],
        "static level": STATIC + RATIO * STIFFNESS * np.abs(run["mass.position"]),
    }
    units = {name: "N" for name in columns} | {"time": "s", "position": "m", "velocity": "m/s"}
    tables = {"trajectory": Series(columns, units), "modes": _draw.modes(run, "guide")}
    return FigureData(tables, checks, GIVEN)


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw position, velocity and the three forces over time."""
    from stickslip.draw import style as _style

    s = data["trajectory"]
    t = s["time"]
    axes = figure.subplots(3, 1, sharex=True, height_ratios=[1.0, 0.8, 1.6])
    _draw.rows(axes, _draw.sticks(data["modes"]), END)
    axes[0].plot(t, 1e3 * s["position"], color=_style.BLUE)
    axes[0].set(ylabel="s [mm]")
    axes[1].plot(t, 1e3 * s["velocity"], color=_style.BLUE)
    axes[1].set(ylabel="v [mm/s]")
    axes[2].plot(t, 1e3 * s["drive force"], color=_style.BLACK, label="drive Fd")
    axes[2].plot(t, 1e3 * s["spring force"], color=_style.ORANGE, label="spring Fc")
    axes[2].plot(t, 1e3 * s["friction force"], color=_style.VERMILION, label="friction F")
    for sign in (1.0, -1.0):
        axes[2].plot(
            t, sign * 1e3 * s["static level"], color="#6A6A6A", linewidth=0.8, linestyle=":",
            label="±static level" if sign > 0 else None,
        )  # fmt: skip
    axes[2].axhline(0.0, color="#9A9A9A", linewidth=0.6)
    axes[2].set(ylabel="F [mN]")
    _draw.below(figure, *axes)


FIGURES = (
    Figure(
        "automaton_4_7",
        "load-dependent friction",
        "Klotzbach, Henrichfreise, figure 4.7",
        compute,
        draw,
        115.0,
    ),
)
