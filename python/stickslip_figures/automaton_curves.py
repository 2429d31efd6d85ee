"""Figures 2.2 to 2.4 of Klotzbach and Henrichfreise: the effects that the stick/slip automaton adds to a Stribeck curve.

The sketches of the source bear no numbers. Here: Fs = 0.01 N, Fk = 0.005 N, vs = 1 mm/s, b = 0.3 Ns/m
(large enough to be seen), T_fr = 0.01 s, T_dwell = 1 s; the last two are those of section 4 there. The velocity is
prescribed by a surface that moves under a very heavy body.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.run.trajectory import Trajectory

Array = npt.NDArray[np.float64]

STATIC, KINETIC, STRIBECK_VELOCITY, VISCOUS = 0.01, 0.005, 1e-3, 0.3
LAG, DWELL = 0.01, 1.0
SPEED, RAMP = 5e-3, 0.04  # m/s, s: amplitude and duration of the ramps of velocity
SOURCE = "Klotzbach, Henrichfreise"
SKETCH = "the sketches bear no numbers"
PRINTED = inputs("printed", "section 4", ("T_fr", LAG, "s"), ("T_dwell", DWELL, "s"))
CURVE = inputs(
    "chosen",
    SKETCH,
    ("Fs", STATIC, "N"),
    ("Fk", KINETIC, "N"),
    ("vs", STRIBECK_VELOCITY, "m/s"),
    ("b", VISCOUS, "Ns/m"),
)
RAMPS = inputs("chosen", SKETCH, ("greatest v", SPEED, "m/s"), ("time of each ramp", RAMP, "s"))


def curve() -> Any:
    """Return the curve of all these figures."""
    import stickslip as ss

    return ss.Stribeck(
        static=STATIC, kinetic=KINETIC, stribeck_velocity=STRIBECK_VELOCITY, shape=1.0, viscous=VISCOUS
    )


def prescribed(law: Any, times: npt.ArrayLike, velocities: npt.ArrayLike) -> Trajectory:
    """Run a law under a relative velocity of straight lines; its force is that of the element ``guide``."""
    import stickslip as ss

    machine = ss.Machine(mass=1e15, names=["anvil"])
    surface = ss.Piecewise(times, -np.asarray(velocities, dtype=float))
    machine.add_friction("guide", on="anvil", law=law, surface_velocity=surface)
    return ss.simulate(machine, float(np.asarray(times)[-1]), rtol=1e-12)


def level(speed: float, peak: float = STATIC) -> float:
    """Dry part of the curve (N) in steady sliding."""
    return KINETIC + (peak - KINETIC) * math.exp(-speed / STRIBECK_VELOCITY)


def lagged(t: float, start: float, acceleration: float, force: float, peak: float = STATIC) -> float:
    """Lagged dry force (N) in closed form: T f' + f = curve(v), v = start + acceleration·t, f(0) = force."""
    rate = -acceleration / STRIBECK_VELOCITY
    top = (level(start, peak) - KINETIC) / (1.0 + rate * LAG)
    fade = math.exp(-t / LAG)
    return KINETIC + (force - KINETIC) * fade + top * (math.exp(rate * t) - fade)


# -- figure 2.2: the curve


def compute_curve() -> FigureData:
    """Compute curve and limits, and let a machine decide between the three cases of equation 1."""
    import stickslip as ss

    law = curve()
    side = np.geomspace(1e-8, 6e-3, 300)
    v = np.concatenate([-side[::-1], side])
    machine = ss.Machine(mass=0.1, names=["mass"], force={"mass": ss.Ramp(slope=0.02)})
    machine.add_friction("guide", on="mass", law=law)
    run = ss.simulate(machine, 1.0, rtol=1e-11)
    release = run.events[0].time
    held, late = run.at(0.3), run.at(1.0)
    by_hand = KINETIC + (STATIC - KINETIC) / math.e + VISCOUS * STRIBECK_VELOCITY
    speed, closed = float(late["mass.velocity"][0]), Origin.CLOSED_FORM
    sliding = level(speed) + VISCOUS * speed
    hold = float(held["guide.force"][0])
    still = float(held["mass.velocity"][0])
    at_vs = float(law.force(STRIBECK_VELOCITY))
    checks = [
        Check("held under 0.006 N: friction force", "N", hold, 0.006, 1e-17, closed, "(1)"),
        Check("held under 0.006 N: velocity", "m/s", still, 0.0, 0.0, closed, "(1): exactly at rest"),
        Check("break-away on a ramp of 0.02 N/s", "s", release, 0.5, 1e-14, closed, "(1)"),
        Check(
            "sliding after 1 s: force", "N", float(late["guide.force"][0]), sliding, 1e-16, closed, "(1), (2)"
        ),
        Check("force at vs", "N", at_vs, by_hand, 1e-17, closed, "Fk + (Fs-Fk)/e + b·vs"),
    ]
    return FigureData(
        {"": Series({"velocity": v, "force": law.force(v)}, {"velocity": "m/s", "force": "N"})}, checks, CURVE
    )


def draw_curve(data: FigureData, figure: Canvas) -> None:
    """Draw the curve with its parameters."""
    from stickslip.draw import style as _style

    ax = figure.subplots()
    v, force = 1e3 * data[""]["velocity"], 1e3 * data[""]["force"]
    for side in (v < 0, v > 0):
        ax.plot(v[side], force[side], color=_style.BLUE, label="slip" if v[side][0] > 0 else None)
    ax.plot([0.0, 0.0], [-1e3 * STATIC, 1e3 * STATIC], color="#8A8A8A", linewidth=3.0, label="stick")
    drop = KINETIC + (STATIC - KINETIC) / math.e + VISCOUS * STRIBECK_VELOCITY
    for sign in (1.0, -1.0):
        end = 1e3 * KINETIC + 6 * VISCOUS
        ax.plot(
            [0.0, 6 * sign], [sign * 1e3 * KINETIC, sign * end], color="#9A9A9A", linewidth=0.7, linestyle=":"
        )
    ax.plot([1.0, 1.0], [0.0, 1e3 * drop], color="#9A9A9A", linewidth=0.7, linestyle=":")
    ax.text(1.08, 0.2, "vs", color="#5A5A5A")
    ax.text(0.15, 10.0, "Fs", color="#5A5A5A", va="center")
    ax.text(-0.15, -10.0, "−Fs", color="#5A5A5A", va="center", ha="right")
    ax.text(-0.15, 5.0, "Fk", color="#5A5A5A", va="center", ha="right")
    ax.text(3.2, 5.4, "slope b", color="#5A5A5A", va="top")
    ax.set(xlabel="velocity v [mm/s]", ylabel="friction force F [mN]", xlim=(-6, 6))
    ax.legend(loc="lower right")


# -- figure 2.3: frictional memory


def compute_memory() -> FigureData:
    """Start and stop at constant acceleration, with and without the lag."""
    import stickslip as ss

    corners, speeds = [0.0, RAMP, 2 * RAMP, 0.16], [0.0, SPEED, 0.0, 0.0]
    run = prescribed(ss.StickSlip(curve(), memory=ss.Lag(LAG)), corners, speeds)
    t = np.linspace(1e-9, 2 * RAMP - 1e-12, 801)
    there = run.at(t)
    acceleration = SPEED / RAMP
    top = lagged(RAMP, 0.0, acceleration, STATIC)
    entry = lagged(RAMP, SPEED, -acceleration, top)
    up = STRIBECK_VELOCITY / acceleration  # passes vs on the way up
    down = 2 * RAMP - up
    rise = float(run.at(up)["guide.lagged_force"][0])
    fall = float(run.at(down)["guide.lagged_force"][0])
    stop = [e.time for e in run.events if str(e.after) == "stick"]
    closed, begin = Origin.CLOSED_FORM, float(run.at(0.0)["guide.lagged_force"][0])
    to_vs, back = lagged(up, 0.0, acceleration, STATIC), lagged(RAMP - up, SPEED, -acceleration, top)
    end, rule = float(there["guide.force"][-1]), "(10) solved for a ramp of the velocity"
    checks = [
        Check("enters stick at", "s", stop[0], 2 * RAMP, 1e-15, closed, "the prescribed velocity"),
        Check("force on entering stick", "N", end, entry, 2e-12, closed, rule),
        Check("dry force at vs, accelerating", "N", rise, to_vs, 5e-14, closed, rule),
        Check("dry force at vs, decelerating", "N", fall, back, 5e-14, closed, rule),
        Check("starts to slide at", "N", begin, STATIC, 1e-17, closed, "fully aged: Fs"),
        Check(
            "decelerating less accelerating, dry force at vs", "N", fall - rise, 0.0, 0.0, Origin.CLAIMED,
            "text of figure 2.3: a lower force as it slows down", relation="<",
        ),
    ]  # fmt: skip
    v = there["guide.velocity"]
    columns: dict[str, Any] = {
        "time": t,
        "velocity": v,
        "force": there["guide.force"],
        "curve": [level(x) + VISCOUS * x for x in v],
    }
    units = {"time": "s", "velocity": "m/s", "force": "N", "curve": "N"}
    return FigureData({"": Series(columns, units)}, checks, (*PRINTED[:1], *CURVE, *RAMPS))


def draw_memory(data: FigureData, figure: Canvas) -> None:
    """Draw force over velocity, out and back."""
    from stickslip.draw import style as _style

    s = data[""]
    ax = figure.subplots()
    v, force = 1e3 * s["velocity"], 1e3 * s["force"]
    out = s["time"] <= RAMP
    ax.plot(v[out], 1e3 * s["curve"][out], color="#8A8A8A", linestyle="--", label="without lag")
    ax.plot(v[out], force[out], color=_style.VERMILION, label="accelerating")
    ax.plot(v[~out], force[~out], color=_style.BLUE, label="decelerating")
    ax.plot([0.0, 0.0], [0.0, force[0]], color="#8A8A8A", linewidth=3.0, label="stick")
    for pick, place in ((out, 250), (~out, 230)):
        x, y = v[pick], force[pick]
        ax.annotate(
            "",
            (x[place + 8], y[place + 8]),
            (x[place], y[place]),
            arrowprops={"arrowstyle": "-|>", "color": "#404040"},
        )
    ax.annotate(
        "enters stick",
        (0.02, force[-1]),
        (0.3, 4.8),
        color="#5A5A5A",
        arrowprops={"arrowstyle": "->", "color": "#7A7A7A", "linewidth": 0.7},
    )
    ax.set(xlabel="velocity v [mm/s]", ylabel="friction force F [mN]", xlim=(-0.15, 5.2), ylim=(3.5, 10.5))
    ax.legend(loc="upper center", ncols=2)


# -- beside figure 2.3: dead time, the alternative of the text after equation 10


def delayed(t: float) -> float:
    """Dry force (N) in closed form: the curve at the velocity of LAG before, on the ramps up and down."""
    then = t - LAG
    return level(max(0.0, SPEED / RAMP * min(then, 2 * RAMP - then)))


def compute_dead_time() -> FigureData:
    """The start and stop of figure 2.3, with a dead time as long as the lag there, and with that lag."""
    import stickslip as ss

    corners, speeds = [0.0, RAMP, 2 * RAMP, 0.16], [0.0, SPEED, 0.0, 0.0]
    run = prescribed(ss.StickSlip(curve(), memory=ss.DeadTime(LAG)), corners, speeds)
    lag = prescribed(ss.StickSlip(curve(), memory=ss.Lag(LAG)), corners, speeds)
    t = np.linspace(1e-9, 2 * RAMP - 1e-12, 801)
    there, v = run.at(t), run.at(t)["guide.velocity"]
    force = there["guide.force"]
    dry = force - VISCOUS * v
    up, down = STRIBECK_VELOCITY / SPEED * RAMP, 2 * RAMP - STRIBECK_VELOCITY / SPEED * RAMP
    rise, fall = (float(run.at(s)["guide.force"][0]) - VISCOUS * STRIBECK_VELOCITY for s in (up, down))
    held = float(np.max(np.abs(dry[t < LAG] - STATIC)))
    worst = float(np.max(np.abs(dry - [delayed(s) for s in t])))
    stop = [e.time for e in run.events if str(e.after) == "stick"]
    closed, rule = Origin.CLOSED_FORM, "the curve at v(t - tau)"
    checks = [
        Check("enters stick at", "s", stop[0], 2 * RAMP, 1e-15, closed, "the prescribed velocity"),
        Check("dry force on entering stick", "N", float(dry[-1]), delayed(2 * RAMP), 1e-12, closed, rule),
        Check("dry force, worst of the whole loop", "N", worst, 0.0, 1e-17, closed, rule),
        Check("dry force less Fs in the first 10 ms", "N", held, 0.0, 1e-17, closed, "it stuck 10 ms before"),
        Check(
            "decelerating less accelerating, dry force at vs", "N", fall - rise, 0.0, 0.0, Origin.CLAIMED,
            "text of figure 2.3: a lower force as it slows down", relation="<",
        ),
    ]  # fmt: skip
    columns: dict[str, Any] = {
        "time": t,
        "velocity": v,
        "dead time": force,
        "lag": lag.at(t)["guide.force"],
        "curve": [level(x) + VISCOUS * x for x in v],
    }
    units = {"time": "s", "velocity": "m/s", "dead time": "N", "lag": "N", "curve": "N"}
    chosen = inputs("chosen", "as long as the lag of section 4", ("tau", LAG, "s"))
    return FigureData({"": Series(columns, units)}, checks, (*chosen, *CURVE, *RAMPS))


def draw_dead_time(data: FigureData, figure: Canvas) -> None:
    """Draw force over velocity, out and back, beside the lag and the curve."""
    from stickslip.draw import style as _style

    s, ax = data[""], figure.subplots()
    v, out = 1e3 * s["velocity"], s["time"] <= RAMP
    ax.plot(v[out], 1e3 * s["curve"][out], color="#8A8A8A", linestyle="--", label="without memory")
    for side, label in ((out, "lag"), (~out, None)):
        ax.plot(v[side], 1e3 * s["lag"][side], color="#8A8A8A", linewidth=0.9, label=label)
    for side, colour, label in (
        (out, _style.VERMILION, "dead time, accelerating"),
        (~out, _style.BLUE, "dead time, decelerating"),
    ):
        x, y = v[side], 1e3 * s["dead time"][side]
        ax.plot(x, y, color=colour, label=label)
        tip = {"arrowstyle": "-|>", "color": "#404040"}
        ax.annotate("", (x[238], y[238]), (x[230], y[230]), arrowprops=tip)
    shift = 1e3 * SPEED / RAMP * LAG
    ax.annotate(
        "for τ the force of rest,\nthen the curve of τ ago",
        (1e3 * SPEED / RAMP * LAG, 1e3 * STATIC + VISCOUS * shift),
        (2.1, 9.6),
        color="#5A5A5A",
        va="center",
        arrowprops={"arrowstyle": "->", "color": "#7A7A7A", "linewidth": 0.7},
    )
    ax.set(xlabel="velocity v [mm/s]", ylabel="friction force F [mN]", xlim=(-0.15, 5.2), ylim=(3.5, 12.4))
    ax.legend(loc="upper center", ncols=2)


# -- figure 2.4: break-away force after a rest


def _two_starts(rest: float) -> Trajectory:
    import stickslip as ss

    law = ss.StickSlip(curve(), memory=ss.Lag(LAG), dwell=DWELL)
    corners = np.cumsum([0.0, RAMP, RAMP, rest, RAMP, RAMP])
    return prescribed(law, corners, [0.0, SPEED, 0.0, 0.0, SPEED, 0.0])


def compute_dwell() -> FigureData:
    """Start, stop, rest for 0.5 s, start again; and the second break-away over the length of the rest."""
    acceleration = SPEED / RAMP
    entry = lagged(RAMP, SPEED, -acceleration, lagged(RAMP, 0.0, acceleration, STATIC))

    def aged(rest: float) -> float:
        return entry + (STATIC - entry) * rest / (rest + DWELL)

    rest = 0.5
    run = _two_starts(rest)
    begin = 2 * RAMP + rest
    t = np.concatenate(
        [np.linspace(1e-9, 2 * RAMP - 1e-12, 401), np.linspace(begin, begin + 2 * RAMP - 1e-12, 401)]
    )
    there = run.at(t)
    rests = np.geomspace(0.01, 100.0, 17)
    measured = []
    for length in rests:
        again = _two_starts(float(length))
        start = [e.time for e in again.events if str(e.before) == "stick"][-1]
        measured.append(float(again.at(start)["guide.lagged_force"][0]))
    expected = np.array([aged(float(length)) for length in rests])
    peak = aged(rest)
    second = lagged(RAMP, 0.0, acceleration, peak, peak)
    closed, aged_force = Origin.CLOSED_FORM, float(run.at(begin)["guide.lagged_force"][0])
    worst = float(np.max(np.abs(measured - expected)))
    turn = float(run.at(begin + RAMP)["guide.lagged_force"][0])
    first = float(there["guide.force"][0])
    checks = [
        Check("force at the first break-away", "N", first, STATIC, 2e-10, closed, "fully aged: Fs"),
        Check("force at the second, 0.5 s later", "N", aged_force, peak, 3e-14, closed, "(11)"),
        Check("worst of 17 rests from 0.01 to 100 s", "N", worst, 0.0, 5e-14, closed, "(11)"),
        Check("dry force at the second turning point", "N", turn, second, 5e-14, closed, "(10), (11)"),
    ]
    starts = Series(
        {"time": t, "velocity": there["guide.velocity"], "force": there["guide.force"]},
        {"time": "s", "velocity": "m/s", "force": "N"},
    )
    ageing = Series(
        {"rest": rests, "break-away": measured, "equation 11": expected},
        {"rest": "s", "break-away": "N", "equation 11": "N"},
    )
    return FigureData({"starts": starts, "ageing": ageing}, checks, (*PRINTED, *CURVE, *RAMPS))


def draw_dwell(data: FigureData, figure: Canvas) -> None:
    """Draw both starts over the velocity, and break-away over the rest."""
    from stickslip.draw import style as _style

    left, right = figure.subplots(1, 2)
    s = data["starts"]
    v, force = 1e3 * s["velocity"], 1e3 * s["force"]
    first = s["time"] < 0.3
    left.plot(v[first], force[first], color=_style.BLUE, label="first start and stop")
    left.plot(v[~first], force[~first], color=_style.VERMILION, linestyle="--", label="after 0.5 s of rest")
    low = float(force[first][-1])
    left.plot([0.0, 0.0], [low, float(force[~first][0])], color="#8A8A8A", linewidth=3.0)
    left.text(0.12, 0.5 * (low + float(force[~first][0])), "rest", color="#5A5A5A", va="center")
    left.set(xlabel="velocity v [mm/s]", ylabel="friction force F [mN]", xlim=(-0.2, 5.2), ylim=(4.0, 11.2))
    left.legend(loc="upper right")
    ageing = data["ageing"]
    right.plot(ageing["rest"], 1e3 * ageing["equation 11"], color="#8A8A8A", label="equation 11")
    right.plot(
        ageing["rest"],
        1e3 * ageing["break-away"],
        "o",
        markersize=3.5,
        color=_style.VERMILION,
        label="simulated",
    )
    right.set(xscale="log", xlabel="time at rest [s]", ylabel="next break-away force [mN]")
    right.legend(loc="lower right")


FIGURES = (
    Figure("automaton_2_2", "friction curve", f"{SOURCE}, figure 2.2", compute_curve, draw_curve, 80.0),
    Figure("automaton_2_3", "frictional memory", f"{SOURCE}, figure 2.3", compute_memory, draw_memory, 80.0),
    Figure(
        "automaton_2_3_dead_time",
        "frictional memory as a dead time",
        f"{SOURCE}, beside figure 2.3",
        compute_dead_time,
        draw_dead_time,
        80.0,
    ),
    Figure(
        "automaton_2_4", "break-away after a rest", f"{SOURCE}, figure 2.4", compute_dwell, draw_dwell, 80.0
    ),
)
