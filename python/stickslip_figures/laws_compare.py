"""The four laws of the overview side by side: tanh, Stribeck, Dahl, LuGre, under the same reversing motion.

The overview prints no values. Chosen here: Fs = 1.5 N, Fc = 1 N, vs = 1 mm/s, shape 2, no viscous part;
width of tanh 0.1 mm/s; stiffness 1e5 N/m for Dahl and LuGre, LuGre's damping sqrt(1e5) Ns/m. The motion is
x = −A·cos(2π·1 Hz·t) with A = 0.5 mm, from rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

STATIC, KINETIC, STRIBECK_VELOCITY, WIDTH = 1.5, 1.0, 1e-3, 1e-4
STIFFNESS, DAMPING = 1e5, math.sqrt(1e5)
SWING, FREQUENCY = 0.5e-3, 1.0  # m, Hz
SPEED = 2.0 * math.pi * FREQUENCY * SWING
GIVEN = inputs(
    "chosen",
    "the overview prints no values",
    ("Fs", STATIC, "N"),
    ("Fc", KINETIC, "N"),
    ("vs", STRIBECK_VELOCITY, "m/s"),
    ("δ", 2.0, ""),
    ("width of tanh", WIDTH, "m/s"),
    ("σ, σ0", STIFFNESS, "N/m"),
    ("σ1", DAMPING, "Ns/m"),
    ("x", "−0.5 mm·cos(2π·1 Hz·t)", ""),
)


def laws() -> dict[str, Any]:
    """Return the four laws by name."""
    import stickslip as ss

    levels: dict[str, Any] = {"static": STATIC, "kinetic": KINETIC, "stribeck_velocity": STRIBECK_VELOCITY}
    return {
        "tanh": ss.Tanh(kinetic=KINETIC, width=WIDTH),
        "Stribeck": ss.Stribeck(**levels),
        "Dahl": ss.Dahl(stiffness=STIFFNESS, kinetic=KINETIC),
        "LuGre": ss.LuGre(stiffness=STIFFNESS, damping=DAMPING, **levels),
    }


def _motion() -> Any:
    import stickslip as ss

    return ss.Sine(amplitude=SPEED, frequency=FREQUENCY)


def _times() -> np.ndarray:
    # Fine near the reversals, where bristles turn over within some ten micrometres.
    quarter = np.concatenate([[0.0], np.geomspace(1e-5, 0.25, 200)])
    half = np.concatenate([quarter, (0.5 - quarter[::-1])[1:]])
    return np.unique(np.concatenate([half, half + 0.5, half + 1.0])) / FREQUENCY


def creep(load: float) -> float:
    """Return the steady speed (m/s) of 1 kg under `load` (N) with the tanh law, far below the level."""
    import stickslip as ss

    machine = ss.Machine(mass=1.0, names=["mass"], force={"mass": load})
    machine.add_friction("guide", on="mass", law=laws()["tanh"])
    return float(ss.simulate(machine, 1.0, rtol=1e-11)["mass.velocity"][-1])


def compute() -> FigureData:
    """Drive all four through one and a half periods, and compare with the statements of the overview."""
    import stickslip as ss

    chosen, t = laws(), _times()
    answers = {name: law.response(t, _motion()) for name, law in chosen.items()}
    v, x = answers["LuGre"].velocity, -SWING * np.cos(2.0 * np.pi * FREQUENCY * t)
    path = 2e-5
    slow = 1e-7
    first = chosen["Dahl"].response([0.0, path / slow], slow).force[-1]
    lugre = chosen["LuGre"]
    bristle = ss.LuGre(
        stiffness=STIFFNESS, damping=DAMPING, static=STATIC, kinetic=KINETIC,
        stribeck_velocity=STRIBECK_VELOCITY, normalised=True,
    )  # fmt: skip
    both = float(np.max(np.abs(bristle.response(t, _motion()).force - answers["LuGre"].force)))
    small = 1e-9
    rest = lugre.response([0.0, small / 1e-12], 1e-12).force[-1] / small
    fast = chosen["Dahl"].response(t / 100.0, ss.Sine(amplitude=100.0 * SPEED, frequency=100.0 * FREQUENCY))
    tanh, stribeck = chosen["tanh"], chosen["Stribeck"]
    closed = Origin.CLOSED_FORM
    mixed = KINETIC + (STATIC - KINETIC) / math.e
    steady = float(lugre.response([0.0, 1.0], STRIBECK_VELOCITY).force[-1])
    exponential = -KINETIC * math.expm1(-STIFFNESS * path / KINETIC)
    peak = float(np.max(np.abs(answers["Dahl"].force)))
    same = float(np.max(np.abs(fast.force - answers["Dahl"].force)))
    slope, slip = tanh.linearise(0.0).slope, WIDTH * math.atanh(0.5)
    checks = [
        Check(
            "tanh: force at 5 widths",
            "N",
            tanh.force(5 * WIDTH),
            KINETIC * math.tanh(5.0),
            1e-15,
            closed,
            "Fc·tanh(5)",
        ),
        Check("tanh: slope at rest", "Ns/m", slope, KINETIC / WIDTH, 1e-11, closed, "Fc/w"),
        Check(
            "tanh: no stiction, 0.5 N moves 1 kg at", "m/s", creep(0.5), slip, 1e-17, closed, "w·artanh(0.5)"
        ),
        Check(
            "Stribeck: force at vs",
            "N",
            stribeck.force(STRIBECK_VELOCITY),
            mixed,
            1e-15,
            closed,
            "Fc + (Fs-Fc)/e",
        ),
        Check(
            "Dahl: force after the first 20 µm",
            "N",
            float(first),
            exponential,
            1e-14,
            closed,
            "Fc(1 - exp(-σx/Fc))",
        ),
        Check("Dahl: greatest force, no break-away peak", "N", peak, KINETIC, 1e-14, closed, "Fc"),
        Check(
            "Dahl: 100 times as fast, force changes by",
            "N",
            same,
            0.0,
            2e-13,
            closed,
            "a function of path alone",
        ),
        Check("LuGre: stiffness from rest", "N/m", float(rest), STIFFNESS, 5.0, closed, "σ0"),
        Check("LuGre: steady force at vs", "N", steady, mixed, 1e-13, closed, "the Stribeck curve"),
        Check("LuGre: normalised form, force differs by", "N", both, 0.0, 2e-14, closed, "q = σ0·z"),
    ]
    columns: dict[str, Any] = {"time": t, "displacement": x, "velocity": v}
    columns |= {name: answer.force for name, answer in answers.items()}
    units = {"time": "s", "displacement": "m", "velocity": "m/s"} | {name: "N" for name in answers}
    return FigureData({"": Series(columns, units)}, checks, GIVEN)


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw the four forces over velocity and over displacement."""
    from stickslip.draw import style as _style

    s = data[""]
    axes = figure.subplots(2, 4, sharey=True, sharex="row")
    v, x = 1e3 * s["velocity"], 1e3 * s["displacement"]
    for column, name in enumerate(("tanh", "Stribeck", "Dahl", "LuGre")):
        force = s[name]
        if name == "Stribeck":  # at rest any force in between
            force = np.where(np.abs(v) < 1e-9, np.nan, force)
        above, below = axes[:, column]
        # the start from rest in a lighter line, then one settled period
        start = s["time"] <= 0.5
        for pick, colour, width in ((start, _style.SKY, 0.9), (~start, _style.BLUE, 1.2)):
            above.plot(v[pick], force[pick], color=colour, linewidth=width)
            below.plot(x[pick], force[pick], color=colour, linewidth=width)
        if name == "Stribeck":
            above.plot([0.0, 0.0], [-STATIC, STATIC], color=_style.BLUE)
            for end in (-1e3 * SWING, 1e3 * SWING):
                below.plot([end, end], [-STATIC, STATIC], color=_style.BLUE)
        above.set_title(name)
        above.set_xlabel("v [mm/s]")
        below.set_xlabel("x [mm]")
    axes[0, 0].set_ylabel("F [N]")
    axes[1, 0].set_ylabel("F [N]")
    axes[0, 0].set_ylim(-1.75, 1.75)
    axes[1, 3].plot([], [], color=_style.SKY, linewidth=0.9, label="from rest")
    axes[1, 3].plot([], [], color=_style.BLUE, label="settled")
    axes[1, 3].legend(loc="center")


FIGURES = (
    Figure(
        "laws",
        "tanh, Stribeck, Dahl and LuGre side by side",
        "overview of friction laws",
        compute,
        draw,
        105.0,
    ),
)
