"""Servo under PID with friction: figure 10 of Martínez-Rosas et al., and the experiments of Canudas de Wit et
al.

The gains are those of Canudas de Wit et al. 1995, since Martínez-Rosas et al. print none: u = −3(x−1) − 6·v
− 4∫(x−1)dt on 1 kg from rest. Stick-slip there: 2 N/m pulled at 0.1 m/s.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import COLLOCATION, RADAU, Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.bristle_motion import PULL, SLOW, SPEED, SPRING, pull, pulled, release, samples, slow
from stickslip_figures.bristle_table import (
    ALPHAS,
    CANCELS,
    DOUBLE,
    KINETIC,
    LUGRE_TABLE,
    PRINTED,
    SOURCE,
    STATIC,
    STRIBECK_VELOCITY,
    STUCK,
    TABLE,
    VISCOUS,
    lugre,
    two_state,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import Law
    from stickslip.machine.machine import Machine
    from stickslip.run.trajectory import Trajectory

CANUDAS = "Canudas de Wit et al. 1995"
TARGET, END = 1.0, 100.0
GAINS = inputs(
    "printed",
    "Canudas de Wit et al. 1995, whose gains the source uses",
    ("m", 1.0, "kg"),
    ("Kp", 3.0, "N/m"),
    ("Ki", 4.0, "N/(m·s)"),
    ("Kv", 6.0, "Ns/m"),
    ("target", TARGET, "m"),
)
FIRST_STOP = {
    "LuGre": 3.6135961791112488,
    "alpha 5e4": 3.612326505006162,
    "alpha 1e5": 3.6114939516771623,
}  # s
# Position at 100 s, error (rms, t >= 50 s) and what the sum over its samples leaves, m, of a LuGre plant with the law
# as its compensator, by alpha.
COMPENSATED = {
    "5e4": (0.9995198002033395, 0.0011818747757058995, 2e-13),
    "1e5": (0.9544199575081089, 0.038645977015642693, 1e-11),
}


def curve() -> Any:
    """Return the rigid limit of LuGre: the same levels as a curve with an exact stick."""
    import stickslip as ss

    return ss.Stribeck(static=STATIC, kinetic=KINETIC, stribeck_velocity=STRIBECK_VELOCITY, viscous=VISCOUS)


@lru_cache(maxsize=8)
def servo(which: str) -> Trajectory:
    """Run 100 s with ``"lugre"``, ``"stribeck"``, or the extension with alpha given as text."""
    import stickslip as ss

    law = {"lugre": lugre, "stribeck": curve}.get(which, lambda: two_state(float(which)))()
    return ss.simulate(_loop(law), END, rtol=1e-11)


@lru_cache(maxsize=4)
def compensated(alpha: float) -> Trajectory:
    """Run 100 s with LuGre's friction and the extension as an observer whose force is added to the PID's."""
    import stickslip as ss

    machine = _loop(lugre())
    observer = ss.compensation.FrictionObserver(two_state(alpha))
    machine.add_controller(observer, name="observer", on="slide", reference=TARGET)
    return ss.simulate(machine, END, rtol=1e-11)


def _loop(law: Law) -> Machine:
    """1 kg with this friction under the PID."""
    import stickslip as ss

    machine = ss.Machine(mass=1.0, names=["slide"])
    machine.add_friction("guide", on="slide", law=law)
    machine.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), name="pid", on="slide", reference=TARGET)
    return machine


def _table(run: Trajectory) -> Series:
    t = samples(run, END)
    there = run.at(t)
    columns = {
        "time": t,
        "position": there["slide.position"],
        "velocity": there["slide.velocity"],
        "control force": there["pid.output"],
        "friction force": there["guide.force"],
    }
    units = {"time": "s", "position": "m", "velocity": "m/s", "control force": "N", "friction force": "N"}
    return Series(columns, units)


def _rms(run: Trajectory, start: float = 0.0) -> float:
    step = 5e-4
    x = run.at(np.arange(start + 0.5 * step, END, step))["slide.position"]
    return float(np.sqrt(np.mean((x - TARGET) ** 2)))


# -- figure 10 of Martínez-Rosas et al.


def compute_comparison() -> FigureData:
    """Run LuGre and the extension with three values of alpha under the same PID; then the extension as compensator.

    The text of the source leaves open which of both it means: it calls the law the friction of the system, and
    concludes that it is the better compensator.
    """
    runs = {"LuGre": servo("lugre"), "alpha 5e4": servo(f"{CANCELS:g}"), "alpha 1e5": servo(f"{DOUBLE:g}")}
    late = {name: _rms(run, 50.0) for name, run in runs.items()}
    said, apart = f"{SOURCE}, text of figure 10", Origin.INDEPENDENT
    why = (
        "with the gains of Canudas de Wit et al. the cycle stays, as with LuGre: both laws have the same "
        "steady curve, which causes the hunting"
    )
    end, loose = float(runs["LuGre"].at(100.0)["slide.position"][0]), servo(f"{PRINTED:g}").events[0].time
    both = ("alpha 5e4", "alpha 1e5")
    checks = [
        Check("LuGre: position at 100 s", "m", end, 0.9361097027654042, 3e-12, apart, COLLOCATION),
        *(
            Check(f"{name}: first stop", "s", _stop(runs[name]), value, 2e-9, apart, RADAU)
            for name, value in FIRST_STOP.items()
        ),
        Check(
            "error (rms, t >= 50 s) less than LuGre's by, better of alpha 5e4 and 1e5", "",
            1.0 - min(late[name] for name in both) / late["LuGre"], 0.65, 0.005, Origin.PRINTED,
            f"{said}: about 65 %", why,
        ),
        *(
            Check(
                f"{name}: swing of the last 25 s over that of 25 to 50 s", "",
                _swing(runs[name], 75.0, END) / _swing(runs[name], 25.0, 50.0), 1.0, 0.0, Origin.CLAIMED,
                f"{said}: it tends to fade", relation="<",
            )
            for name in both
        ),
        Check(
            "alpha 1e9 (printed): way in 50 s", "m", float(servo(f"{PRINTED:g}").at(50.0)["slide.position"][0]),
            0.0, 0.0, Origin.CLAIMED, f"{said}: it is positioned", STUCK, relation=">",
        ),
        Check(
            "alpha 1e9 (printed): breaks away at", "s", loose, release(PRINTED, 3.0, 4.0), 1e-9,
            Origin.CLOSED_FORM, "the impulse of u = 3 + 4t nears α/σ0",
        ),
    ]  # fmt: skip
    helped = {"5e4": compensated(CANCELS), "1e5": compensated(DOUBLE)}
    checks += [check for name, run in helped.items() for check in _helped(name, run)]
    tables = {name.replace(" ", "_"): _table(run) for name, run in runs.items()}
    tables |= {f"compensated_{name}": _table(run) for name, run in helped.items()}
    return FigureData(tables, checks, (*TABLE, *ALPHAS, *GAINS))


def _helped(name: str, run: Trajectory) -> list[Check]:
    """Hunting that remains with this alpha in the compensator, compared with another program."""
    who, (end, error, rounding) = f"compensator, alpha {name}", COMPENSATED[name]
    left = _rms(run, 50.0)
    return [
        Check(
            f"{who}: position at 100 s", "m", float(run.at(END)["slide.position"][0]), end, 4e-13,
            Origin.INDEPENDENT, RADAU,
        ),
        Check(f"{who}: error (rms, t >= 50 s)", "m", left, error, rounding, Origin.INDEPENDENT, RADAU),
    ]  # fmt: skip


def _stop(run: Trajectory) -> float:
    """Return where the velocity first changes its sign (s), by the secant through samples around it."""
    low, high = 1.0, 8.0
    for _ in range(3):
        t = np.linspace(low, high, 2001)
        v = run.at(t)["slide.velocity"]
        k = int(np.flatnonzero(v <= 0.0)[0])
        low, high = float(t[k - 1]), float(t[k])
    return low + (high - low) * float(v[k - 1] / (v[k - 1] - v[k]))


def _swing(run: Trajectory, start: float, end: float) -> float:
    x = run.at(np.linspace(start, end, 20001))["slide.position"]
    return float(0.5 * np.ptp(x))


def draw_comparison(data: FigureData, figure: Canvas) -> None:
    """Draw position and error with the law as the plant's friction, and the error with it as compensator."""
    from stickslip.draw import style as _style

    axes = figure.subplots(3, 1, sharex=True)
    plant = (
        ("LuGre", "LuGre", "#8A8A8A", 2.0),
        ("alpha_5e4", "α = 5e4", _style.BLUE, 1.1),
        ("alpha_1e5", "α = 1e5", _style.VERMILION, 1.1),
    )
    helped = (
        ("LuGre", "none", "#8A8A8A", 2.0),
        ("compensated_5e4", "α = 5e4", _style.BLUE, 1.1),
        ("compensated_1e5", "α = 1e5", _style.VERMILION, 1.1),
    )
    for name, text, colour, width in plant:
        s = data[name]
        axes[0].plot(s["time"], s["position"], color=colour, linewidth=width, label=text)
        axes[1].plot(s["time"], TARGET - s["position"], color=colour, linewidth=width)
    for name, text, colour, width in helped:
        s = data[name]
        axes[2].plot(s["time"], TARGET - s["position"], color=colour, linewidth=width, label=text)
    axes[0].axhline(TARGET, color="#6A6A6A", linewidth=0.7, linestyle=":")
    axes[0].set(ylabel="a)  position x [m]", xlim=(0.0, END), title="the law as friction of the plant")
    axes[1].set(ylabel="b)  error 1 m − x [m]", ylim=(-0.17, 0.3))
    axes[2].set(ylabel="c)  error 1 m − x [m]", ylim=(-0.17, 0.3), xlabel="time t [s]")
    axes[2].set_title("friction of LuGre, the law as compensator")
    _draw.key(axes[0], 3)
    _draw.key(axes[2], 3)
    for ax in axes[1:]:
        ax.text(
            0.995,
            0.93,
            "enlarged: the first two swings leave this panel",
            transform=ax.transAxes,
            ha="right",
            va="top",
            color="#5A5A5A",
        )


# -- hunting of Canudas de Wit et al.


def compute_hunting() -> FigureData:
    """Run LuGre and its rigid limit under PID."""
    bristle, rigid = servo("lugre"), servo("stribeck")
    events = rigid.events.of("guide")
    stops = [e.time for e in events if str(e.after) == "stick"]
    expected = {20.0: 1.1104599096632937, 50.0: 0.9360178853814536, 100.0: 0.9361097027654042}
    apart = Origin.INDEPENDENT
    checks = [
        Check(
            f"LuGre: position at {t:g} s", "m", float(bristle.at(t)["slide.position"][0]), value, 3e-12, apart,
            COLLOCATION,
        )
        for t, value in expected.items()
    ]  # fmt: skip
    checks += [
        Check("Stribeck: first stop", "s", stops[0], 3.6123310490323206, 4e-10, apart, COLLOCATION),
        Check("Stribeck: last stop", "s", stops[-1], 92.52090279248263, 1e-8, apart, COLLOCATION),
        Check("Stribeck: stops in 100 s", "", float(len(stops)), 10.0, 0.0, apart, COLLOCATION),
        Check(
            "LuGre: it hunts to the end, swing from 80 s on over that from 40 to 60 s", "",
            _swing(bristle, 80.0, END) / _swing(bristle, 40.0, 60.0), 0.95, 0.0, Origin.CLAIMED,
            f"{CANUDAS}: a limit cycle (0.95 is our reading)", relation=">",
        ),
        balance(max(bristle.energy.residual, rigid.energy.residual), 1e-11, "worse of both: "),
    ]  # fmt: skip
    tables = {"lugre": _table(bristle), "stribeck": _table(rigid), "modes": _draw.modes(rigid, "guide")}
    return FigureData(tables, checks, (*LUGRE_TABLE, *GAINS))


def draw_hunting(data: FigureData, figure: Canvas) -> None:
    """Draw position, control force and velocity."""
    from stickslip.draw import style as _style

    s, rigid = data["lugre"], data["stribeck"]
    axes = figure.subplots(3, 1, sharex=True)
    _draw.rows(axes, _draw.sticks(data["modes"]), END, label="Stribeck curve sticks")
    for ax, column, text in (
        (axes[0], "position", "x [m]"),
        (axes[1], "velocity", "v [m/s]"),
        (axes[2], "control force", "u [N]"),
    ):
        ax.plot(rigid["time"], rigid[column], color=_style.ORANGE, linewidth=2.2, label="Stribeck curve")
        ax.plot(s["time"], s[column], color=_style.BLUE, linewidth=1.0, label="LuGre")
        ax.set_ylabel(text)
    axes[0].axhline(TARGET, color="#6A6A6A", linewidth=0.7, linestyle=":")
    _draw.below(figure, axes[0])


# -- stick-slip of Canudas de Wit et al.


def compute_stick_slip() -> FigureData:
    """Run LuGre and its rigid limit, pulled by a spring."""
    bristle, rigid = pulled(None), pull(curve())
    events = list(rigid.events)
    expected = [7.5, 10.340289058207496, 14.012322313761961, 16.852611371969466, 36.38957831325539]
    apart, name = Origin.INDEPENDENT, "Stribeck: position at 40 s"
    place = [float(run["mass.position"][-1]) for run in (rigid, bristle)]
    passes = _first(bristle)
    pull_force = SPRING * (SPEED * passes - float(bristle.at(passes)["mass.position"][0]))
    checks = [
        Check(f"Stribeck: event {k + 1} of 10", "s", events[k].time, value, 1e-9, apart, COLLOCATION)
        for k, value in zip((0, 1, 2, 3, 9), expected, strict=True)
    ]
    checks += [
        Check("Stribeck: events in 40 s", "", float(len(events)), 10.0, 0.0, apart, COLLOCATION),
        Check(name, "m", place[0], 3.2561611568809896, 2e-10, apart, COLLOCATION),
        Check("LuGre: position at 40 s", "m", place[1], 3.306801054962933, 1e-11, apart, COLLOCATION),
        Check(
            "LuGre: spring force as it passes 1 mm/s", "N", pull_force, STATIC, 0.02, Origin.CLOSED_FORM,
            "Fs, less what the lag of the bristles takes",
        ),
    ]  # fmt: skip
    panels = {}
    for name, run in (("lugre", bristle), ("stribeck", rigid)):
        t = samples(run)
        there = run.at(t)
        columns = {
            "time": t,
            "position": there["mass.position"],
            "velocity": there["mass.velocity"],
            "friction force": there["guide.force"],
            "spring force": SPRING * (SPEED * t - there["mass.position"]),
        }
        units = {"time": "s", "position": "m", "velocity": "m/s", "friction force": "N", "spring force": "N"}
        panels[name] = Series(columns, units)
    panels["modes"] = slow(panels["lugre"]["time"], panels["lugre"]["velocity"])
    return FigureData(panels, checks, (*LUGRE_TABLE, *PULL))


def _first(run: Trajectory) -> float:
    t = np.linspace(5.0, 9.0, 40001)
    return float(t[np.flatnonzero(run.at(t)["mass.velocity"] > STRIBECK_VELOCITY)[0]])


def draw_stick_slip(data: FigureData, figure: Canvas) -> None:
    """Draw positions, forces and velocities."""
    from stickslip.draw import style as _style

    s, rigid = data["lugre"], data["stribeck"]
    end = float(s["time"][-1])
    axes = figure.subplots(3, 1, sharex=True, height_ratios=[1.2, 1.0, 1.0])
    _draw.rows(axes, _draw.sticks(data["modes"]), end, label=f"LuGre {SLOW}")
    axes[0].plot(s["time"], SPEED * s["time"], color="#6A6A6A", linestyle=":", label="free end of the spring")
    axes[0].plot(rigid["time"], rigid["position"], color=_style.ORANGE, linewidth=2.2, label="Stribeck curve")
    axes[0].plot(s["time"], s["position"], color=_style.BLUE, linewidth=1.0, label="LuGre")
    axes[0].set_ylabel("x [m]")
    axes[1].plot(s["time"], s["friction force"], color=_style.VERMILION, label="friction (LuGre)")
    axes[1].plot(
        s["time"], s["spring force"], color=_style.BLACK, linewidth=0.8, linestyle="--", label="spring"
    )
    axes[1].set(ylabel="F [N]")
    axes[2].plot(rigid["time"], rigid["velocity"], color=_style.ORANGE, linewidth=2.2)
    axes[2].plot(s["time"], s["velocity"], color=_style.BLUE, linewidth=1.0)
    axes[2].set_ylabel("v [m/s]")
    _draw.below(figure, *axes, columns=3)


FIGURES = (
    Figure(
        "bristle2_10",
        "PID control with both laws, and the law as compensator",
        f"{SOURCE}, figure 10",
        compute_comparison,
        draw_comparison,
        135.0,
    ),
    Figure(
        "canudas_stick_slip",
        "stick-slip of a pulled mass",
        CANUDAS,
        compute_stick_slip,
        draw_stick_slip,
        115.0,
    ),
    Figure("canudas_hunting", "hunting of a servo under PID", CANUDAS, compute_hunting, draw_hunting, 110.0),
)
