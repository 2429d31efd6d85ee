"""The two laws that the overview begins with: Coulomb's with stiction, and viscous friction; and their effects.

The overview prints no values. Chosen: Fs = 1.5 N, Fc = 1 N, b = 50 Ns/m over ±20 mm/s; and a mass of 1 kg that starts
with 20 mm/s and moves without a force: Coulomb stops it at a stated time, the viscous law never does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw.spans import mode_spans
from stickslip_figures import _draw
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

STATIC, KINETIC, VISCOUS = 1.5, 1.0, 50.0
MASS, PUSH, END = 1.0, 0.02, 0.08  # kg, m/s, s


def _laws() -> dict[str, Any]:
    import stickslip as ss

    return {"coulomb": ss.Coulomb(static=STATIC, kinetic=KINETIC), "viscous": ss.Viscous(VISCOUS)}


def _slide(law: Any) -> Any:
    import stickslip as ss

    machine = ss.Machine(mass=MASS, names=["mass"])
    machine.add_friction("guide", on="mass", law=law, normal_load=1.0)
    return ss.simulate(machine, END, dt=END / 400, rtol=1e-12, initial={"mass.velocity": PUSH})


def compute() -> FigureData:
    """Evaluate both laws, and let both stop a mass."""
    laws = _laws()
    v = np.concatenate([np.linspace(-PUSH, -1e-12, 100), np.linspace(1e-12, PUSH, 100)])
    runs = {name: _slide(law) for name, law in laws.items()}
    stop = next(span.start for span in mode_spans(runs["coulomb"], "guide") if span.kind == "stick")
    rest = float(runs["coulomb"]["mass.position"][-1])
    t = runs["viscous"].t
    decay = PUSH * np.exp(-VISCOUS / MASS * t)
    off = float(np.max(np.abs(runs["viscous"]["mass.velocity"] - decay)))
    half = float(np.interp(-PUSH / 2.0, -runs["viscous"]["mass.velocity"], t))
    form = Origin.CLOSED_FORM
    checks = [
        Check(
            "Coulomb: holds at rest up to", "N", float(laws["coulomb"].break_away), STATIC, 0.0, form, "Fs"
        ),
        Check("Coulomb: stops after", "s", stop, MASS * PUSH / KINETIC, 1e-16, form, "m·v0/Fc"),
        Check("Coulomb: stops at", "m", rest, MASS * PUSH**2 / (2.0 * KINETIC), 1e-18, form, "m·v0²/(2Fc)"),
        Check("viscous: force at v0", "N", laws["viscous"].force(PUSH), VISCOUS * PUSH, 0.0, form, "b·v0"),
        Check("viscous: speed wrong by at most", "m/s", off, 0.0, 1e-16, form, "v0·exp(−b·t/m)"),
        Check(
            "viscous: speed at the end",
            "m/s",
            float(runs["viscous"]["mass.velocity"][-1]),
            0.0,
            0.0,
            form,
            "it never stops",
            relation=">",
        ),
        Check(
            "viscous: half the speed after",
            "s",
            half,
            MASS / VISCOUS * math.log(2.0),
            2.5e-7,
            form,
            "m·ln 2/b; straight lines between samples 0.2 ms apart",
        ),
    ]
    given = inputs(
        "chosen",
        "the overview prints no values",
        ("Fs", STATIC, "N"),
        ("Fc", KINETIC, "N"),
        ("b", VISCOUS, "Ns/m"),
        ("m", MASS, "kg"),
        ("v0", PUSH, "m/s"),
    )
    curves = {"velocity": v, **{name: law.force(v) for name, law in laws.items()}}
    motion = {"time": t, **{name: run["mass.velocity"] for name, run in runs.items()}}
    return FigureData(
        {
            "curves": Series(curves, {"velocity": "m/s", "coulomb": "N", "viscous": "N"}),
            "motion": Series(motion, {"time": "s", "coulomb": "m/s", "viscous": "m/s"}),
        },
        checks,
        given,
    )


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw both laws, and how both slow a mass down."""
    from stickslip.draw import style as _style

    coulomb, viscous, motion = figure.subplots(1, 3)
    rows, v = data["curves"], 1e3 * data["curves"]["velocity"]
    for side in (v < 0.0, v > 0.0):
        coulomb.plot(v[side], rows["coulomb"][side], color=_style.BLUE)
    coulomb.plot([0.0, 0.0], [-STATIC, STATIC], color=_style.BLUE, linewidth=2.2)
    coulomb.annotate(
        "stiction:\n" + r"any $|F| \leq F_s$",
        (0.0, 1.3),
        xytext=(-6, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontsize=7,
    )
    viscous.plot(v, rows["viscous"], color=_style.VERMILION)
    for ax, title in ((coulomb, "Coulomb"), (viscous, "viscous")):
        ax.axhline(0.0, color="#9A9A9A", linewidth=0.6)
        ax.set(
            xlabel="velocity v [mm/s]", ylabel="friction force F [N]", ylim=(-1.8, 1.8), xlim=(-20.0, 20.0)
        )
        ax.set_title(title)
    coulomb.set_yticks([-STATIC, -KINETIC, 0.0, KINETIC, STATIC])
    coulomb.set_yticklabels([r"$-F_s$", r"$-F_c$", "0", r"$F_c$", r"$F_s$"])
    coulomb.set_ylabel("friction force F")
    t = 1e3 * data["motion"]["time"]
    motion.plot(t, 1e3 * data["motion"]["coulomb"], color=_style.BLUE, label="Coulomb")
    motion.plot(t, 1e3 * data["motion"]["viscous"], color=_style.VERMILION, linestyle="--", label="viscous")
    motion.set(xlabel="time t [ms]", ylabel="velocity v [mm/s]", xlim=(0.0, 1e3 * END), ylim=(0.0, None))
    motion.set_title("a mass without a force")
    _draw.corner(motion, loc="upper right")


FIGURES = (
    Figure("laws_basic", "Coulomb and viscous friction", "overview of friction laws", compute, draw, 62.0),
)
