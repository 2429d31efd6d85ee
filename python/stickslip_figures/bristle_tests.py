"""Figures 2 to 4 of Martínez-Rosas, Alvarez-Icaza and Noriega-Pineda: presliding and hysteresis of their law.

The source prints neither the rate of the force nor the velocity. Chosen here: the force grows to 95 % of break-away in
100 s and falls in 100 s; v = 3 mm/s·sin(2 rad/s·t), fifth and sixth period.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures._check import RADAU, Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.bristle_table import (
    ALPHAS,
    CANCELS,
    DAMPING,
    DOUBLE,
    KINETIC,
    PRINTED,
    SOURCE,
    STATIC,
    STIFFNESS,
    STRIBECK_VELOCITY,
    STUCK,
    TABLE,
    VISCOUS,
    lugre,
    two_state,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import Law, Response

# -- figure 2: presliding

PEAK, RAMP = 0.95 * STATIC, 100.0
PUSH = inputs("chosen", "slow, so that no inertia shows", ("time to 95 % of Fs", RAMP, "s"))


def compute_presliding() -> FigureData:
    """Load 1 kg to 95 % of break-away and unload it, for LuGre and three values of alpha."""
    import stickslip as ss

    corners, forces = [0.0, RAMP, 2 * RAMP], [0.0, PEAK, 0.0]
    t = np.linspace(0.0, 2 * RAMP, 801)
    columns, units = {"time": t, "force": np.interp(t, corners, forces)}, {"time": "s", "force": "N"}
    top: dict[str, float] = {}
    end: dict[str, float] = {}
    chosen: dict[str, Law] = {"LuGre": lugre()} | {
        f"alpha {a:g}": two_state(a) for a in (CANCELS, DOUBLE, PRINTED)
    }
    for name, law in chosen.items():
        machine = ss.Machine(mass=1.0, names=["mass"], force={"mass": ss.Piecewise(corners, forces)})
        machine.add_friction("guide", on="mass", law=law)
        run = ss.simulate(machine, 2 * RAMP, t_eval=t, rtol=1e-11)
        columns[name], units[name] = run["mass.position"], "m"
        top[name], end[name] = float(run.at(RAMP)["mass.position"][0]), float(run["mass.position"][-1])
    lugre_limit = -STATIC / STIFFNESS * math.log(0.05)
    length = -math.log(1.0 - (PEAK - STATIC + KINETIC) / KINETIC) / STIFFNESS
    at, same = "displacement at 95 %", top[f"alpha {CANCELS:g}"]
    quiet = f"{at} without inertia and damping"
    apart, closed = Origin.INDEPENDENT, Origin.CLOSED_FORM
    checks = [
        Check(f"LuGre: {at}", "m", top["LuGre"], 4.49268887e-05, 1e-13, apart, RADAU),
        Check(f"LuGre: {quiet}", "m", top["LuGre"], lugre_limit, 1.2e-8, closed, "-(Fs/σ0) ln 0.05"),
        Check(f"alpha 5e4: {at}", "m", same, 2.58967559e-05, 1e-13, apart, RADAU),
        Check(
            f"alpha 5e4: {quiet}", "m", same, length, 1e-8, closed,
            "rigid up to Fs-Fc, then -ln(1 - (F-Fs+Fc)/Fc)/σ0",
        ),
        Check(
            f"alpha 1e9 (printed): {at}", "m", top[f"alpha {PRINTED:g}"], 0.0, 0.0, Origin.CLAIMED,
            "figure 2: it preslides", STUCK, relation=">",
        ),
    ]  # fmt: skip
    return FigureData({"": Series(columns, units)}, checks, (*TABLE, *ALPHAS, *PUSH))


def draw_presliding(data: FigureData, figure: Canvas) -> None:
    """Draw the force over time, and displacement over force."""
    from stickslip.draw import style as _style

    s = data[""]
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.5])
    left.plot(s["time"], s["force"], color=_style.BLACK)
    left.axhline(STATIC, color="#7A7A7A", linewidth=0.8, linestyle=":")
    left.text(0.0, STATIC, "break-away", va="bottom", color="#5A5A5A", fontsize=7)
    left.set(xlabel="time t [s]", ylabel="applied force [N]", ylim=(0.0, 1.7))
    for name, text, colour, dash, width in (
        ("LuGre", "LuGre", "#7A7A7A", "-", 1.2),
        ("alpha 50000", "α = 5e4 = σ0(Fs − Fc)", _style.BLUE, "-", 2.0),
        ("alpha 100000", "α = 1e5", _style.ORANGE, "--", 1.2),
        ("alpha 1e+09", "α = 1e9 (printed): does not move", _style.VERMILION, "-", 1.6),
    ):
        right.plot(s["force"], 1e6 * s[name], color=colour, linestyle=dash, linewidth=width, label=text)
    right.set(xlabel="applied force [N]", ylabel="displacement x [µm]", ylim=(-2.0, 58.0))
    right.legend(loc="upper left")


# -- figures 3 and 4: hysteresis under a sine

AMPLITUDE, OMEGA = 3e-3, 2.0
LUGRE_WIDTH = 0.03427834290464  # N, from the independent integration
MOTION = inputs("chosen", "sliding and presliding both show", ("v", "3 mm/s·sin(2 rad/s·t)", ""))
PERIOD = 2.0 * math.pi / OMEGA
BEGIN, END = 4.0 * PERIOD, 6.0 * PERIOD
AT_VS = math.asin(STRIBECK_VELOCITY / AMPLITUDE) / (2.0 * math.pi)  # share of the period at which v = vs


def _answer(law: Law, t: np.ndarray) -> Response:
    import stickslip as ss

    return law.response(t, ss.Sine(amplitude=AMPLITUDE, frequency=OMEGA / (2.0 * math.pi)))


def z_exact(path: np.ndarray, start: float) -> np.ndarray:
    """First state (m) after sliding forwards by `path` (m): dz/dx = 1 − sigma0·z."""
    return 1.0 / STIFFNESS + (start - 1.0 / STIFFNESS) * np.exp(-STIFFNESS * path)


def y_exact(t: float, panels: int = 400) -> float:
    """Second state (m) at t from y(0) = 0: quadrature of exp(s − t)·u(s), with u the input of (3)."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * PERIOD
    edges = np.concatenate([[0.0], np.arange(half, t, half), [t]])
    total = 0.0
    for a, b in pairwise(edges):
        cuts = np.linspace(a, b, panels + 1)
        middle, radius = 0.5 * (cuts[1:] + cuts[:-1]), 0.5 * (cuts[1:] - cuts[:-1])
        s = middle[:, None] + radius[:, None] * nodes
        v = AMPLITUDE * np.sin(OMEGA * s)
        u = np.sign(math.sin(OMEGA * 0.5 * (a + b))) * np.exp(-((v / STRIBECK_VELOCITY) ** 2)) / STIFFNESS
        total += float(np.sum(radius[:, None] * weights * u * np.exp(s - t)))
    return total


def force_exact(share: float, alpha: float) -> float:
    """Return the force (N) at a share of the period below 1/2, from both states in closed form."""
    t = BEGIN + share * PERIOD
    v = AMPLITUDE * math.sin(2.0 * math.pi * share)
    path = AMPLITUDE / OMEGA * (1.0 - math.cos(2.0 * math.pi * share))
    z = float(z_exact(np.array(path), -1.0 / STIFFNESS))
    fall = math.exp(-((v / STRIBECK_VELOCITY) ** 2))
    first = STIFFNESS * KINETIC * z + DAMPING * (v - STIFFNESS * v * z) + VISCOUS * v
    return first + (CANCELS - alpha) * y_exact(t) + alpha / STIFFNESS * fall


def _times() -> np.ndarray:
    half = np.concatenate([np.geomspace(1e-6, 0.1, 150), np.linspace(0.1, 0.4, 201)[1:]])
    half = np.sort(np.concatenate([half, (0.5 - half[half < 0.1]), [AT_VS, 0.5 - AT_VS]]))
    rows = [BEGIN + PERIOD * (0.5 * k + half) for k in range(4)]
    return np.concatenate([[0.0], *rows])


def compute_first_state() -> FigureData:
    """Compute input and first state; compare with the closed form in the path."""
    t = _times()
    answer = _answer(two_state(DOUBLE), t)
    z = answer["z"]
    path = AMPLITUDE / OMEGA * (1.0 - np.cos(OMEGA * (t - BEGIN)))
    forwards = (t > BEGIN) & (t < BEGIN + 0.5 * PERIOD)
    worst = float(np.max(np.abs(z[forwards] - z_exact(path[forwards], -1.0 / STIFFNESS))))
    greatest = float(np.max(np.abs(z)))
    checks = [
        Check(
            "z over half a period, worst difference", "m", worst, 0.0, 5e-18, Origin.CLOSED_FORM,
            "in the path: 1/σ0 - (2/σ0)exp(-σ0·x)",
        ),
        Check("greatest |z|", "m", greatest, 1.0 / STIFFNESS, 1e-19, Origin.CLOSED_FORM, "(12a): 1/σ0"),
    ]  # fmt: skip
    columns = {"time": t[1:], "velocity": answer.velocity[1:], "z": z[1:]}
    units = {"time": "s", "velocity": "m/s", "z": "m"}
    return FigureData({"": Series(columns, units)}, checks, (*TABLE, *MOTION))


def draw_first_state(data: FigureData, figure: Canvas) -> None:
    """Draw velocity and first state over time."""
    from stickslip.draw import style as _style

    s = data[""]
    t = s["time"] - BEGIN
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(t, 1e3 * s["velocity"], color=_style.BLACK)
    above.set(ylabel="a)  velocity v [mm/s]")
    below.plot(t, 1e6 * s["z"], color=_style.BLUE)
    for sign in (1.0, -1.0):
        below.axhline(sign * 1e6 / STIFFNESS, color="#7A7A7A", linewidth=0.8, linestyle=":")
    below.text(float(t[-1]), 1e6 / STIFFNESS, "1/σ0", va="bottom", ha="right", color="#5A5A5A", fontsize=7)
    below.set(ylabel="b)  state z [µm]", xlabel="time t [s]", xlim=(0.0, END - BEGIN), ylim=(-13, 13.5))


def compute_hysteresis() -> FigureData:
    """Compute the second state and the loops of force over velocity, for LuGre and two values of alpha."""
    t = _times()
    answers = {
        "LuGre": _answer(lugre(), t),
        "alpha 5e4": _answer(two_state(CANCELS), t),
        "alpha 1e5": _answer(two_state(DOUBLE), t),
        "alpha 1e9": _answer(two_state(PRINTED), t),
    }
    y, v = answers["alpha 1e5"]["y"], answers["LuGre"].velocity
    bound = np.exp(-((v / STRIBECK_VELOCITY) ** 2)) / STIFFNESS

    def at(values: np.ndarray, share: float) -> float:
        return float(values[np.argmin(np.abs(t - BEGIN - share * PERIOD))])

    def widths(name: str) -> float:
        """Force at vs while v rises less that while it falls."""
        force = answers[name].force
        return at(force, AT_VS) - at(force, 0.5 - AT_VS)

    def exact(alpha: float) -> float:
        return force_exact(AT_VS, alpha) - force_exact(0.5 - AT_VS, alpha)

    lower, closed = "text of figure 4: lower while the velocity falls", Origin.CLOSED_FORM
    width = "force at vs, rising less falling"
    checks = [
        Check(
            "y at vs, v rising", "m", at(y, AT_VS), y_exact(BEGIN + AT_VS * PERIOD), 1e-18, closed,
            "quadrature of (3)",
        ),
        Check(f"LuGre: {width}", "N", widths("LuGre"), LUGRE_WIDTH, 2e-12, Origin.INDEPENDENT, RADAU),
        Check(f"alpha 1e5: {width}", "N", widths("alpha 1e5"), exact(DOUBLE), 2e-13, closed, "z and y"),
        Check(f"alpha 5e4: {width}", "N", widths("alpha 5e4"), exact(CANCELS), 2e-13, closed, "z; y cancels"),
        *(
            Check(
                f"{name}: sign of this width", "N", widths(name), 0.0, 0.0, Origin.CLAIMED, lower, relation=">"
            )
            for name in ("LuGre", "alpha 1e5")
        ),
        Check(
            "greatest |y| over its bound", "", float(np.max(np.abs(y[1:]) / bound[1:])), 1.0, 0.0,
            Origin.PRINTED, "(12b): |y| <= exp(-n|v|^m)/σ0",
            "the bound ignores that y lags by 1 s, so y outlives the fall of the exponential", relation="<",
        ),
        Check(
            "alpha 1e9 (printed): force just after a reversal", "N", at(answers["alpha 1e9"].force, 1e-6),
            force_exact(1e-6, PRINTED), 1e-6, closed, "z and y: α/σ0 = 1e4 N and more",
        ),
    ]  # fmt: skip
    columns = {"time": t[1:], "velocity": v[1:], "y": y[1:], "input of y": (np.sign(v) * bound)[1:]}
    columns |= {f"force, {name}": answer.force[1:] for name, answer in answers.items()}
    units = {"time": "s", "velocity": "m/s", "y": "m", "input of y": "m"}
    units |= {f"force, {name}": "N" for name in answers}
    return FigureData({"": Series(columns, units)}, checks, (*TABLE, *ALPHAS, *MOTION))


def draw_hysteresis(data: FigureData, figure: Canvas) -> None:
    """Draw the second state over time, and force over velocity."""
    from stickslip.draw import style as _style

    s = data[""]
    t, v = s["time"] - BEGIN, 1e3 * s["velocity"]
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.35])
    left.plot(t, 1e6 * s["input of y"], color="#9A9A9A", linewidth=0.8, label="input sgn(v)·exp(−|v/vs|²)/σ0")
    left.plot(t, 1e6 * s["y"], color=_style.BLUE, label="y")
    left.set(xlabel="time t [s]", ylabel="a)  state y [µm]", xlim=(0.0, END - BEGIN), ylim=(-11.5, 15.5))
    left.legend(loc="upper right")
    for name, text, colour, dash, width in (
        ("LuGre", "LuGre", "#7A7A7A", "-", 2.2),
        ("alpha 5e4", "α = 5e4", _style.BLUE, "-", 1.2),
        ("alpha 1e5", "α = 1e5", _style.VERMILION, "--", 1.2),
    ):
        last = np.flatnonzero(t >= PERIOD)
        last = np.append(last, last[0])  # the force steps at both reversals, so the loop is closed by a line
        force = s[f"force, {name}"]
        right.plot(v[last], force[last], color=colour, linestyle=dash, linewidth=width, label=text)
    right.set(xlabel="velocity v [mm/s]", ylabel="b)  friction force F [N]", ylim=(-2.3, 2.3))
    right.legend(loc="lower right")


FIGURES = (
    Figure(
        "bristle2_2",
        "presliding of the second-order law",
        f"{SOURCE}, figure 2",
        compute_presliding,
        draw_presliding,
        80.0,
    ),
    Figure(
        "bristle2_3",
        "velocity and first state",
        f"{SOURCE}, figure 3",
        compute_first_state,
        draw_first_state,
        85.0,
    ),
    Figure(
        "bristle2_4",
        "second state and hysteresis",
        f"{SOURCE}, figure 4",
        compute_hysteresis,
        draw_hysteresis,
        85.0,
    ),
)
