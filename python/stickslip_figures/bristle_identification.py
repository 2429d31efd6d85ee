"""Section VI of Martínez-Rosas, Alvarez-Icaza and Noriega-Pineda: their law identified as they propose, F = U·P.

The source prints no experiment for it. Chosen here: v = 3 mm/s·[sin(2 t/s) + 0.7·sin(5.3 t/s)], which reverses, presslides
and passes vs; and for the drift a step of Fc by 30 % at 18 s, noise of 0.01 N and a memory of 3 s.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.bristle_table import (
    DOUBLE,
    KINETIC,
    SOURCE,
    STATIC,
    STIFFNESS,
    STRIBECK_VELOCITY,
    TABLE,
    VISCOUS,
    two_state,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MEMORY, STEP, DRIFT, NOISE = 3.0, 18.0, 1.3, 0.01
MOTION = inputs(
    "chosen",
    "it reverses, presslides and passes vs",
    ("v", "3 mm/s·[sin(2 t/s) + 0.7·sin(5.3 t/s)]", ""),
    ("α", DOUBLE, "Ns/m"),
    ("step of Fc at 18 s", 0.3, "N"),
    ("noise", NOISE, "N"),
    ("memory", MEMORY, "s"),
)
NO_IDENTITY = "exp(-n|v|^m) = beta*exp(-|v|^m) holds for no constant beta unless vs = 1 m/s"


def _velocity(t: np.ndarray) -> np.ndarray:
    return 3e-3 * (np.sin(2.0 * t) + 0.7 * np.sin(5.3 * t))


def _left(columns: np.ndarray, force: np.ndarray) -> float:
    """Share of the force that a regression on these columns does not explain."""
    made = columns / np.linalg.norm(columns, axis=0)
    x = np.linalg.lstsq(made, force, rcond=None)[0]
    return float(np.linalg.norm(force - made @ x) / np.linalg.norm(force))


def compute_identification() -> FigureData:
    """Identify the law from one record, and track a step of Fc in another."""
    import stickslip as ss
    from stickslip.identify import bristle_regressors, fit_bristle, track_bristle

    t = np.arange(1, 801) * 0.01
    v = _velocity(t)
    law = two_state(DOUBLE)
    force = law.response(t, v).force
    fit = fit_bristle(t, v, force, shape=2.0)
    stiffer = ss.TwoStateBristle(
        stiffness=STIFFNESS,
        damping=2.0 * math.sqrt(STIFFNESS),
        viscous=VISCOUS,
        static=STATIC,
        kinetic=KINETIC,
        stribeck_velocity=STRIBECK_VELOCITY,
        alpha=DOUBLE,
    )
    other = fit_bristle(
        t,
        v,
        stiffer.response(t, v).force,
        stiffness=fit.parameters["stiffness"],
        stribeck_velocity=fit.parameters["stribeck_velocity"],
        shape=2.0,
    )
    u = bristle_regressors(t, v, STIFFNESS, STRIBECK_VELOCITY)
    singular = np.linalg.svd(u / np.linalg.norm(u, axis=0), compute_uv=False)
    printed = np.column_stack([u[:, :4], np.sign(v) * np.exp(-(v**2))])

    time = np.arange(1, 4001) * 0.01
    move = _velocity(time)
    drifted = ss.TwoStateBristle(
        **{
            **law.parameters,
            "kinetic": DRIFT * law.parameters["kinetic"],
            "static": law.parameters["static"] + 0.3,
        }
    )
    noise = NOISE * np.random.default_rng(17).normal(size=time.size)
    pushed = np.where(time < STEP, law.response(time, move).force, drifted.response(time, move).force) + noise
    track = track_bristle(time, move, pushed, STIFFNESS, STRIBECK_VELOCITY, memory=MEMORY)
    kinetic, static = track.parameters["kinetic"], track.parameters["static"]
    late = time > STEP + 3.0 * MEMORY

    def same(name: str, unit: str, expected: float, relative: float) -> Check:
        source = "the law that made the record"
        return Check(
            f"{name} found",
            unit,
            fit.parameters[_NAMES[name]],
            expected,
            relative * expected,
            Origin.PACKAGE,
            source,
        )

    by_law, rooted = "(19): σ0·σ1", STIFFNESS**1.5
    one, two = float(fit.P[1]), float(other.P[1])
    checks = [
        Check("rank of the six columns U", "", float(fit.rank), 5.0, 0.0, Origin.CLOSED_FORM, "U holds y and -y"),
        same("σ0", "1/m", STIFFNESS, 5e-9),
        same("vs", "m/s", STRIBECK_VELOCITY, 5e-9),
        same("Fc", "N", KINETIC, 5e-9),
        same("Fs", "N", STATIC, 5e-9),
        same("α", "Ns/m", DOUBLE, 5e-9),
        Check("P2, σ1 = √σ0", "N/m²·s", one, rooted, 5e-9 * rooted, Origin.CLOSED_FORM, by_law),
        Check("P2, σ1 = 2√σ0", "N/m²·s", two, 2.0 * rooted, 1e-8 * rooted, Origin.CLOSED_FORM, by_law),
        Check(
            "share of the force left with exp(-|v|^m)", "", _left(printed, force), 1e-6, 0.0, Origin.CLAIMED,
            "text before (17)", NO_IDENTITY, relation="<",
        ),
        Check(
            "worst error of Fc three memories after its step", "N", float(np.abs(kinetic[late] - DRIFT).max()), 0.03,
            0.0, Origin.CLOSED_FORM, "exp(-3) of 0.3 N, and noise", relation="<",
        ),
    ]  # fmt: skip
    batch = {"time": t, "velocity": v, "force": force}
    followed = {"time": time, "Fc": kinetic, "Fs": static}
    values = {"number": np.arange(1.0, 7.0), "singular value": singular}
    series = {
        "record": Series(batch, {"time": "s", "velocity": "m/s", "force": "N"}),
        "followed": Series(followed, {"time": "s", "Fc": "N", "Fs": "N"}),
        "rank": Series(values, {"number": "", "singular value": ""}),
    }
    return FigureData(series, checks, (*TABLE, *MOTION))


_NAMES = {"σ0": "stiffness", "vs": "stribeck_velocity", "Fc": "kinetic", "Fs": "static", "α": "alpha"}


def draw_identification(data: FigureData, figure: Canvas) -> None:
    """Draw the record, the singular values of U, and the tracked Fc and Fs."""
    from stickslip.draw import style as _style

    parts: Any = figure.subfigures(2, 1)
    above, below = parts
    left, right = above.subplots(1, 2, width_ratios=[1.5, 1.0])
    record, rank, s = data["record"], data["rank"], data["followed"]
    left.plot(1e3 * record["velocity"], record["force"], color=_style.BLUE, linewidth=0.9)
    left.set(xlabel="velocity v [mm/s]", ylabel="a)  friction force F [N]")
    right.semilogy(
        rank["number"], np.maximum(rank["singular value"], 1e-17), "o", color=_style.VERMILION, markersize=4
    )
    right.text(5.8, 1e-14, "y and −y", ha="right", color="#5A5A5A", fontsize=7)
    right.set(xlabel="number", ylabel="b)  singular values of U", xlim=(0.5, 6.5), ylim=(1e-18, 10.0))
    ax = below.subplots()
    for name, before, colour in (("Fs", STATIC, _style.BLUE), ("Fc", KINETIC, _style.VERMILION)):
        ax.plot(
            [0.0, STEP, STEP, 40.0],
            [before, before, before + 0.3, before + 0.3],
            color="#9A9A9A",
            linestyle="--",
        )
        ax.plot(s["time"], s[name], color=colour, label=f"{name}, found")
    ax.axvspan(
        STEP, STEP + 3.0 * MEMORY, color=_style.STICK_SHADE, linewidth=0.0, label="three memories", zorder=0.4
    )
    ax.set(xlabel="time t [s]", ylabel="c)  levels [N]", xlim=(0.0, 40.0), ylim=(0.7, 2.1))
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)


FIGURES = (
    Figure(
        "bristle2_vi",
        "the law identified by regression, and a drift tracked",
        f"{SOURCE}, section VI",
        compute_identification,
        draw_identification,
        115.0,
    ),
)
