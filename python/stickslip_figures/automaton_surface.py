"""Figures 2.5 and 2.6 of Klotzbach and Henrichfreise: the elastic surface of the stick/slip automaton.

Values as in the figures before; s_max = 0.05 mm and b_surface = 1 Ns/m are those of section 4 there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.automaton_curves import CURVE, LAG, PRINTED, SKETCH, SOURCE, STATIC, curve, prescribed

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.run.trajectory import Trajectory

TRAVEL, SURFACE_DAMPING = 5e-5, 1.0
SURFACE = inputs("printed", "section 4", ("s_max", TRAVEL, "m"), ("b_surface", SURFACE_DAMPING, "Ns/m"))

# -- figure 2.5: the elastic surface


def _surface(speed: float) -> tuple[Trajectory, float]:
    """Load to 80 % of the travel, unload to −40 %, load until it slides; return run and end of the rest."""
    import stickslip as ss

    law = ss.StickSlip(curve(), presliding=ss.Presliding(TRAVEL, SURFACE_DAMPING))
    corners = np.cumsum([0.0, 0.01, 0.8, 1.2, 1.6]) * TRAVEL / speed  # a short rest first: it starts in stick
    times = np.repeat(corners, 2)[1:-1]
    return prescribed(law, times, np.repeat([0.0, speed, -speed, speed], 2)), float(corners[1])


def compute_surface() -> FigureData:
    """Prescribe slow and fast deflections of the stuck surface."""
    checks, panels = [], {}
    for name, speed in (("slow", 1e-6), ("fast", 5e-4)):
        run, begin = _surface(speed)
        release = next(e for e in run.events if str(e.before) == "stick")
        t = np.unique(np.concatenate([np.linspace(0.0, release.time, 601), run.t[run.t < release.time]]))
        t = t[t < release.time]
        there = run.at(t)
        s = there["guide.presliding"]
        at = float(run.at(np.nextafter(release.time, 0.0))["guide.presliding"][0])
        expected = (STATIC - SURFACE_DAMPING * speed) * TRAVEL / STATIC
        half = float(run.at(begin + 0.5 * TRAVEL / speed)["guide.force"][0])
        middle, closed = 0.5 * STATIC + SURFACE_DAMPING * speed, Origin.CLOSED_FORM
        checks += [
            Check(f"{name}: breaks away at s", "m", at, expected, 1e-16, closed, "(12), (13)"),
            Check(f"{name}: force at s_max/2", "N", half, middle, 1e-12, closed, "(12), (13)"),
        ]
        panels[name] = Series(
            {"deflection": s, "force": there["guide.force"]}, {"deflection": "m", "force": "N"}
        )
    return FigureData(panels, checks, (*SURFACE, *CURVE))


def draw_surface(data: FigureData, figure: Canvas) -> None:
    """Draw force over deflection of the stuck surface."""
    from stickslip.draw import style as _style

    ax = figure.subplots()
    for name, text, colour, dash in (
        ("fast", "0.5 mm/s: spring and damper", _style.VERMILION, "-"),
        ("slow", "1 µm/s: the spring alone, k = fs/s_max", _style.BLUE, "--"),
    ):
        s = data[name]
        ax.plot(1e6 * s["deflection"], 1e3 * s["force"], color=colour, linestyle=dash, label=text)
    for side in (1.0, -1.0):
        ax.axhline(side * 1e3 * STATIC, color="#9A9A9A", linewidth=0.7, linestyle=":")
    ax.text(-28, 1e3 * STATIC, "static level: it breaks away here", va="bottom", color="#5A5A5A")
    ax.set(
        xlabel="deflection of the surface s [µm]",
        ylabel="friction force F [mN]",
        xlim=(-30, 60),
        ylim=(-7, 13.5),
    )
    ax.legend(loc="lower right")


# -- figure 2.6: braking onto an elastic surface

MASS = 0.1


def compute_braking() -> FigureData:
    """Let a free mass of 0.1 kg slide from 20 mm/s until it rings out on the surface."""
    import stickslip as ss

    machine = ss.Machine(mass=MASS, names=["mass"])
    law = ss.StickSlip(curve(), memory=ss.Lag(LAG), presliding=ss.Presliding(TRAVEL, SURFACE_DAMPING))
    machine.add_friction("guide", on="mass", law=law)
    run = ss.simulate(machine, 6.0, rtol=1e-12, initial={"mass.velocity": 0.02})
    stop = next(e.time for e in run.events if str(e.after) == "stick")
    entry = float(run.at(np.nextafter(stop, 0.0))["guide.force"][0])
    stiffness = STATIC / TRAVEL
    decay = SURFACE_DAMPING / (2 * MASS)
    omega = math.sqrt(stiffness / MASS - decay**2)
    quarter = math.atan2(omega, decay) / omega
    lowest = (
        -entry
        / stiffness
        * (stiffness / MASS)
        / omega
        * math.exp(-decay * quarter)
        * math.sin(omega * quarter)
    )
    t = np.concatenate([np.linspace(0.0, stop, 400), np.linspace(stop, stop + 0.8, 1601)[1:]])
    there = run.at(t)
    end, at = run.at(6.0), run.at(stop + quarter)
    least, closed, said = float(there["mass.velocity"].min()), Origin.CLOSED_FORM, Origin.CLAIMED
    free, gone = "(12): a damped oscillator", "text of figure 2.6: it becomes zero"
    rest = float(end["guide.force"][0])
    checks = [
        Check("lowest velocity while sticking, of the samples", "m/s", least, lowest, 1e-7, closed, free),
        Check("velocity at that time", "m/s", float(at["mass.velocity"][0]), lowest, 2e-16, closed, free),
        Check("force there", "N", float(at["guide.force"][0]), 0.0, 2e-17, closed, "k·s + b·v = -m·v' = 0"),
        Check(
            "sign of the lowest velocity", "m/s", least, 0.0, 0.0, said, "text of figure 2.6", relation="<"
        ),
        Check("friction force after 6 s", "N", rest, 0.0, 1e-14, said, gone),
        Check("deflection after 6 s", "m", float(end["guide.presliding"][0]), 0.0, 1e-16, said, gone),
        balance(run.energy.residual, 1e-12),
    ]
    columns = {
        "time": t - stop,
        "velocity": there["mass.velocity"],
        "force": there["guide.force"],
        "stuck": (t >= stop).astype(int),
    }
    units = {"time": "s", "velocity": "m/s", "force": "N", "stuck": ""}
    start = inputs("chosen", SKETCH, ("m", MASS, "kg"), ("v(0)", 0.02, "m/s"))
    return FigureData({"": Series(columns, units)}, checks, (*PRINTED[:1], *SURFACE, *CURVE, *start))


def draw_braking(data: FigureData, figure: Canvas) -> None:
    """Draw force over velocity while braking, and the ringing over time."""
    from stickslip.draw import style as _style

    s = data[""]
    t, v, force, stuck = s["time"], 1e3 * s["velocity"], 1e3 * s["force"], s["stuck"] == 1
    left, right = figure.subplots(1, 2)
    left.plot(v[~stuck], force[~stuck], color=_style.BLUE, label="slip")
    left.plot(v[stuck], force[stuck], color=_style.VERMILION, linewidth=0.9, label="stick: elastic surface")
    left.plot(0.0, 0.0, "o", markersize=4, color=_style.BLACK, label="comes to rest")
    left.set(xlabel="velocity v [mm/s]", ylabel="friction force F [mN]", xlim=(-4.2, 8.0), ylim=(-7.5, 11.5))
    left.legend(loc="upper right")
    right.axvspan(0.0, 0.8, color=_style.STICK_SHADE, linewidth=0.0, label="stick")
    right.plot(t, v, color=_style.BLUE, label="velocity [mm/s]")
    right.plot(t, force, color=_style.VERMILION, linestyle="--", label="force [mN]")
    right.axhline(0.0, color="#9A9A9A", linewidth=0.6)
    right.set(
        xlabel="time since the end of slip [s]",
        ylabel="v [mm/s],  F [mN]",
        xlim=(-0.1, 0.8),
        ylim=(-7.5, 11.5),
    )
    _draw.key(right, 3)


FIGURES = (
    Figure("automaton_2_5", "elastic surface", f"{SOURCE}, figure 2.5", compute_surface, draw_surface, 80.0),
    Figure(
        "automaton_2_6",
        "braking onto an elastic surface",
        f"{SOURCE}, figure 2.6",
        compute_braking,
        draw_braking,
        80.0,
    ),
)
