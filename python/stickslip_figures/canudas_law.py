"""Experiments of Canudas de Wit et al. (1995) on the law of LuGre itself: presliding, lag, break-away.

Values of Table 1 there: σ0 = 1e5 N/m, σ1 = sqrt(1e5) Ns/m, σ2 = 0.4 Ns/m, Fc = 1 N, Fs = 1.5 N, vs = 1
mm/s, mass 1 kg.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stickslip_figures import _draw
from stickslip_figures._check import RADAU, Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.bristle_table import LUGRE_TABLE as TABLE
from stickslip_figures.bristle_table import STATIC, STIFFNESS, STRIBECK_VELOCITY, lugre

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.machine.machine import Machine
    from stickslip.signals import Signal

SOURCE = "Canudas de Wit et al. 1995"
Array = npt.NDArray[np.float64]


def pushed(force: Signal) -> Machine:
    """Return 1 kg on its guide under a force."""
    import stickslip as ss

    machine = ss.Machine(mass=1.0, names=["mass"], force={"mass": force})
    machine.add_friction("guide", on="mass", law=lugre())
    return machine


# -- presliding

PEAK, RAMP, HOLD = 0.95 * STATIC, 100.0, 20.0  # N, s, s


def compute_presliding() -> FigureData:
    """Push to 95 % of break-away, pull to −95 %, push again, each ramp from zero taking 100 s."""
    import stickslip as ss

    corners = np.cumsum([0.0, RAMP, HOLD, 2 * RAMP, HOLD, 2 * RAMP])
    forces = np.array([0.0, PEAK, PEAK, -PEAK, -PEAK, PEAK])
    t = np.unique(np.concatenate([np.linspace(a, b, 401) for a, b in pairwise(corners)]))
    run = ss.simulate(pushed(ss.Piecewise(corners, forces)), float(corners[-1]), t_eval=t, rtol=1e-11)
    force = np.interp(t, corners, forces)
    limit = STATIC / STIFFNESS

    def place(time: float) -> float:
        return float(run.at(time)["mass.position"][0])

    # A tenth of a second of a ramp of 200 s: within it the compliance grows by a thousandth.
    begin = RAMP + HOLD
    at = run.at(begin + np.array([0.2, 0.3]))
    drop = float(np.diff(at["mass.position"])[0]) / float(np.diff(at["guide.force"])[0])
    level = float(np.mean(at["guide.force"]))
    first = run.at(np.array([0.2, 0.3]))
    stiffness = float(np.diff(first["guide.force"])[0] / np.diff(first["mass.position"])[0])
    loaded = STIFFNESS * (1.0 - float(np.mean(first["guide.force"])) / STATIC)
    back = place(begin) - place(2 * RAMP + HOLD)
    unloaded = 1.0 / (STIFFNESS * (1.0 + level / STATIC))
    closed, lugre_limit = Origin.CLOSED_FORM, -limit * math.log(0.05)
    checks = [
        Check("displacement at 95 % of break-away", "m", place(RAMP), 4.49268887e-05, 1e-13, Origin.INDEPENDENT, RADAU),
        Check("the same, without inertia and damping", "m", place(RAMP), lugre_limit, 1.2e-8, closed, "-(Fs/σ0) ln 0.05"),
        Check("stiffness at 0.0036 N on first loading", "N/m", stiffness, loaded, 5.0, closed, "σ0(1 - F/Fs)"),
        Check(
            "compliance as unloading begins", "m/N", drop, unloaded, 2e-10, closed,
            "1/(σ0(1 + F/Fs)), 1/(1.95σ0) at its start",
        ),
        Check(
            "springs back until the force is zero by", "m", back, limit * math.log(1.95), 1e-9, closed,
            "(Fs/σ0) ln 1.95",
        ),
        balance(run.energy.residual, 1e-12),
    ]  # fmt: skip
    columns = {
        "time": t,
        "force": force,
        "displacement": run["mass.position"],
        "friction": run["guide.force"],
    }
    units = {"time": "s", "force": "N", "displacement": "m", "friction": "N"}
    slow = inputs("chosen", "slow, so that no inertia shows", ("time from 0 to 95 % of Fs", RAMP, "s"))
    return FigureData({"": Series(columns, units)}, checks, (*TABLE, *slow))


def draw_presliding(data: FigureData, figure: Canvas) -> None:
    """Draw the force over time, and over the displacement."""
    from stickslip.draw import style as _style

    s = data[""]
    first = s["time"] <= RAMP
    left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.4], sharey=True)
    left.plot(s["time"], s["force"], color=_style.BLACK)
    left.set(xlabel="time t [s]", ylabel="applied force [N]")
    right.plot(
        1e6 * s["displacement"][~first],
        s["force"][~first],
        color=_style.BLUE,
        label="unloading and reloading",
    )
    right.plot(
        1e6 * s["displacement"][first],
        s["force"][first],
        color=_style.ORANGE,
        linestyle="--",
        label="first loading",
    )
    for sign in (1.0, -1.0):
        right.axhline(sign * STATIC, color="#7A7A7A", linewidth=0.8, linestyle=":")
    right.text(-10.0, STATIC, "break-away Fs", va="bottom", color="#5A5A5A", fontsize=7)
    right.set(xlabel="displacement x [µm]", ylim=(-1.75, 1.85))
    _draw.key(right)


# -- lag: hysteresis over frequency

FREQUENCIES = (1.0, 10.0, 25.0)  # rad/s
WAVE = inputs("printed", SOURCE, ("v", "1 mm/s·(1 + sin ωt)", ""), ("ω", "1, 10, 25", "rad/s"))
# Force (N) at vs, accelerating and decelerating, in the third period.
LAGS = {
    1.0: (1.1876217354771, 1.1812324755853),
    10.0: (1.2248049545419, 1.1591863892769),
    25.0: (1.2608095594062, 1.1362590397809),
}


def compute_hysteresis() -> FigureData:
    """Drive the law with v = 1 mm/s·(1 + sin ωt) and read the width of the loop at v = vs."""
    import stickslip as ss

    panels, checks, widths = {}, [], []
    for omega in FREQUENCIES:
        period = 2.0 * math.pi / omega
        t = period * np.concatenate([[0.0], np.linspace(1.75, 2.75, 1201)])
        ends = np.searchsorted(t, [2.0 * period, 2.5 * period])
        t = np.insert(t, ends, [2.0 * period, 2.5 * period])
        signal = ss.Sine(
            amplitude=STRIBECK_VELOCITY, frequency=omega / (2.0 * math.pi), offset=STRIBECK_VELOCITY
        )
        answer = lugre().response(t, signal)
        up, down = (float(answer.force[np.argmin(np.abs(t - k * period))]) for k in (2.0, 2.5))
        widths.append(up - down)
        for value, expected, word in zip(
            (up, down), LAGS[omega], ("accelerating", "decelerating"), strict=True
        ):
            name = f"{omega:g} rad/s: force at vs, {word}"
            checks.append(Check(name, "N", value, expected, 2e-12, Origin.INDEPENDENT, RADAU))
        columns = {"time": t[1:], "velocity": answer.velocity[1:], "force": answer.force[1:]}
        panels[f"{omega:g}rads"] = Series(columns, {"time": "s", "velocity": "m/s", "force": "N"})
    wider = float(np.sum(np.diff(widths) > 0.0))
    checks.append(
        Check(
            "frequencies at which the loop is wider than at the one before", "", wider, len(FREQUENCIES) - 1.0, 0.0,
            Origin.CLAIMED, f"{SOURCE}: wider at higher rates",
        )
    )  # fmt: skip
    return FigureData(panels, checks, (*TABLE, *WAVE))


def draw_hysteresis(data: FigureData, figure: Canvas) -> None:
    """Draw the loops over the velocity, with the steady curve."""
    from stickslip.draw import style as _style

    ax = figure.subplots()
    v = np.geomspace(1e-6, 2e-3, 300)
    ax.plot(1e3 * v, lugre().force(v), color="#7A7A7A", linestyle="--", label="steady curve")
    for omega, colour in zip(FREQUENCIES, (_style.BLUE, _style.GREEN, _style.VERMILION), strict=True):
        s = data[f"{omega:g}rads"]
        ax.plot(1e3 * s["velocity"], s["force"], color=colour, label=f"ω = {omega:g} rad/s")
    ax.set(xlabel="velocity v [mm/s]", ylabel="friction force F [N]", xlim=(0.0, 2.05))
    ax.legend(loc="upper right", title="v = 1 mm/s·(1 + sin ωt)", title_fontsize=7)


# -- break-away force over the rate of the applied force

# First peak of the friction force (N) under a force that grows from zero at so many N/s.
PEAKS = {1.0: 1.4324150271844, 5.0: 1.3132085957970, 20.0: 1.0986141376101, 50.0: 1.0074694780394}


def break_away(rate: float) -> tuple[float, Array, Array]:
    """Return the first peak of friction (N) on a ramp of `rate` N/s, the displacements and the friction."""
    import stickslip as ss

    end = 1.6 / rate + 0.1
    machine = pushed(ss.Ramp(slope=rate))
    run = ss.simulate(machine, end, t_eval=np.linspace(0.0, end, 20001), rtol=1e-11)
    force = run["guide.force"]
    k = int(np.flatnonzero((force[1:-1] > force[:-2]) & (force[1:-1] >= force[2:]))[0]) + 1
    near = run.at(np.linspace(run.t[k - 1], run.t[k + 1], 2001))["guide.force"]
    return float(near.max()), run["mass.position"], force


def compute_break_away() -> FigureData:
    """Push at rates from 0.1 to 50 N/s."""
    rates = np.array([0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0])
    peaks = np.array([break_away(float(rate))[0] for rate in rates])
    checks = [
        Check(
            f"break-away at {rate:g} N/s",
            "N",
            float(peaks[rates == rate][0]),
            top,
            1e-11,
            Origin.INDEPENDENT,
            RADAU,
        )
        for rate, top in PEAKS.items()
    ]
    falls, slowest = float(np.sum(np.diff(peaks) < 0.0)), break_away(0.01)[0]
    checks += [
        Check("break-away at 0.01 N/s", "N", slowest, STATIC, 4e-3, Origin.CLOSED_FORM, "Fs in the limit"),
        Check(
            "rates at which it is lower than at the one before", "", falls, rates.size - 1.0, 0.0,
            Origin.CLAIMED, f"{SOURCE}: falls with the rate",
        ),
    ]  # fmt: skip
    panels = {"": Series({"rate": rates, "break-away": peaks}, {"rate": "N/s", "break-away": "N"})}
    for rate in (1.0, 10.0):
        _, x, force = break_away(rate)
        show = x <= 1.5e-4
        pick = np.unique(np.linspace(0, int(np.sum(show)) - 1, 1500).astype(int))
        panels[f"{rate:g}Ns"] = Series(
            {"displacement": x[pick], "friction": force[pick]}, {"displacement": "m", "friction": "N"}
        )
    return FigureData(panels, checks, TABLE)


def draw_break_away(data: FigureData, figure: Canvas) -> None:
    """Draw two ramps over the displacement, and break-away over the rate."""
    from stickslip.draw import style as _style

    left, right = figure.subplots(1, 2, sharey=True)
    for rate, colour in ((1.0, _style.BLUE), (10.0, _style.VERMILION)):
        s = data[f"{rate:g}Ns"]
        left.plot(1e6 * s["displacement"], s["friction"], color=colour, label=f"{rate:g} N/s")
        k = int(np.argmax(s["friction"]))
        left.plot(1e6 * s["displacement"][k], s["friction"][k], "o", color=colour, markersize=4)
    left.set(xlabel="displacement x [µm]", ylabel="friction force F [N]", ylim=(0.0, 1.6))
    left.legend(loc="lower right", title="applied force grows at", title_fontsize=7)
    s = data[""]
    right.plot(s["rate"], s["break-away"], "o-", color=_style.BLACK, markersize=4)
    right.axhline(STATIC, color="#7A7A7A", linewidth=0.8, linestyle=":")
    right.text(50.0, STATIC, "Fs", va="bottom", ha="right", color="#5A5A5A", fontsize=7)
    right.set(xscale="log", xlabel="rate of the applied force [N/s]", ylabel="break-away force [N]")


FIGURES = (
    Figure(
        "canudas_presliding", "presliding displacement", SOURCE, compute_presliding, draw_presliding, 80.0
    ),
    Figure(
        "canudas_hysteresis",
        "hysteresis at three frequencies",
        SOURCE,
        compute_hysteresis,
        draw_hysteresis,
        80.0,
    ),
    Figure(
        "canudas_break_away",
        "break-away force over the rate of the force",
        SOURCE,
        compute_break_away,
        draw_break_away,
        80.0,
    ),
)
