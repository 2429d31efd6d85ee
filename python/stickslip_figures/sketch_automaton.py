"""Figures 2.1, 3.1, 4.1 and 4.6 of Klotzbach and Henrichfreise: mass with friction, the automaton, both experiments.

3.1 of the source shows blocks of a library; its friction block is a state machine, drawn here with
the guards of `StickSlip`. Every transition in the drawing is counted in runs of the two experiments.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.draw import parts as sk
from stickslip.draw.chart import Chart
from stickslip.draw.drawing import show
from stickslip_figures import _mass_sketch as mass
from stickslip_figures import automaton_load as loaded
from stickslip_figures import automaton_pull as pulled
from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SOURCE = "Klotzbach, Henrichfreise"
FORM, SAID = Origin.CLOSED_FORM, Origin.CLAIMED


# -- 2.1 -----------------------------------------------------------------------------------------------


def compute_mass() -> FigureData:
    """A mass at rest: friction balances driving force less load force up to Fs."""
    import stickslip as ss

    drive, load, level = 0.8, 0.5, 0.4
    machine = ss.Machine(mass=1.0, names=["mass"], force={"mass": drive - load})
    machine.add_friction("surface", on="mass", law=ss.Coulomb(static=level, kinetic=0.3), normal_load=1.0)
    run = ss.simulate(machine, 1.0, dt=0.5)
    friction = float(run["surface.force"][-1])
    pushed = ss.Machine(mass=1.0, names=["mass"], force={"mass": ss.Ramp(slope=0.1)})
    pushed.add_friction("surface", on="mass", law=ss.Coulomb(static=level, kinetic=0.3), normal_load=1.0)
    away = float(ss.simulate(pushed, 9.0, dt=0.5).events[0].time)
    checks = [
        Check(
            "friction at rest", "N", friction, drive - load, 1e-16, FORM, f"{SOURCE}, (1): F_ext = F_d − F_l"
        ),
        Check("breaks away under a ramp of 0.1 N/s", "s", away, level / 0.1, 1e-14, FORM, "F_ext = Fs"),
        Check(
            "velocity", "m/s", float(np.abs(run["mass.velocity"]).max()), 0.0, 0.0, FORM, "below Fs it stays"
        ),
    ]
    columns = {"driving force": [drive], "load force": [load], "friction": [friction]}
    given = inputs(
        "chosen", "the figure has no numbers", ("F_d", drive, "N"), ("F_l", load, "N"), ("Fs", level, "N")
    )
    return FigureData({"": Series(columns, dict.fromkeys(columns, "N"))}, checks, given)


def draw_mass(data: FigureData, figure: Canvas) -> None:
    """Draw the mass, its forces to scale."""
    ax, rows, scale = figure.subplots(), data[""], 1.9
    sk.start(ax, (-3.2, 3.4), (-1.0, 2.3))
    drive, load, friction = (
        scale * float(rows[name][0]) for name in ("driving force", "load force", "friction")
    )
    mass.forced(ax, ("$F_d$", drive), ("$F_l$", load), ("$F_{fr}$", friction))
    sk.arrow(ax, (0.0, 1.95), (0.0, 1.0), "$F_n$", "right-start")
    sk.arrow(ax, (1.2, 1.4), (2.0, 1.4), "$v$", "right-end", sk.MOTION)


# -- 3.1 -----------------------------------------------------------------------------------------------


def _counts(run: Any, element: str) -> dict[tuple[str, str], int]:
    """Number of each transition in a run."""
    from stickslip.draw.spans import mode_spans

    modes = [span.mode for span in mode_spans(run, element)]
    out: dict[tuple[str, str], int] = {}
    for before, after in itertools.pairwise(modes):
        out[before, after] = out.get((before, after), 0) + 1
    return out


def _shaken() -> Any:
    """A mass shaken so hard that it also reverses without sticking."""
    import stickslip as ss

    machine = ss.Machine(mass=0.1, names=["mass"], force={"mass": ss.Sine(amplitude=0.05, frequency=0.5)})
    curve = ss.Stribeck(static=0.01, kinetic=0.008, stribeck_velocity=1e-3, shape=1.0)
    machine.add_friction("surface", on="mass", law=ss.StickSlip(curve), normal_load=1.0)
    return ss.simulate(machine, 6.0, dt=0.01)


def compute_chart() -> FigureData:
    """Count the transitions of the automaton in three runs."""
    import stickslip as ss

    drive = ss.Piecewise(loaded.CORNERS, [0.0, loaded.PEAK, loaded.PEAK, 0.0])
    machine = ss.Machine(mass=loaded.MASS, stiffness=loaded.STIFFNESS, names=["mass"], force={"mass": drive})
    curve = ss.Stribeck(
        static=loaded.STATIC,
        kinetic=loaded.KINETIC,
        stribeck_velocity=loaded.STRIBECK_VELOCITY,
        shape=1.0,
        viscous=loaded.VISCOUS,
    )
    machine.add_friction(
        "surface",
        on="mass",
        law=ss.StickSlip(curve, load_factor=loaded.FACTOR),
        normal_load=1.0,
        load={"mass.position": loaded.STIFFNESS},
    )
    runs = {"spring": ss.simulate(machine, 14.0, dt=0.01), "shaken": _shaken()}
    pairs = [
        ("stick", "slip+"),
        ("slip+", "stick"),
        ("stick", "slip-"),
        ("slip-", "stick"),
        ("slip+", "slip-"),
        ("slip-", "slip+"),
    ]
    found = {name: _counts(run, "surface") for name, run in runs.items()}
    table = {"from": [a for a, _ in pairs], "to": [b for _, b in pairs]}
    columns: dict[str, Any] = {
        **table,
        **{name: [counts.get(pair, 0) for pair in pairs] for name, counts in found.items()},
    }
    other = sum(count for counts in found.values() for pair, count in counts.items() if pair not in pairs)
    met = sum(any(counts.get(pair, 0) for counts in found.values()) for pair in pairs)
    checks = [
        Check(
            "transitions that are not in the chart", "", float(other), 0.0, 0.0, SAID, f"{SOURCE}, section 3"
        ),
        Check("transitions of the chart that occur", "", float(met), 6.0, 0.0, FORM, "all six"),
        Check(
            "stick → slip− on the way down",
            "",
            float(found["spring"].get(("stick", "slip-"), 0)),
            0.0,
            0.0,
            SAID,
            f"{SOURCE}, section 4: breaks away backwards",
            relation=">",
        ),
    ]
    given = (
        *loaded.GIVEN,
        *inputs("chosen", "for the direct reversals", ("shaken", "0.1 kg under 0.05 N·sin(2π·0.5 Hz·t)", "")),
    )
    return FigureData({"": Series(columns, dict.fromkeys(columns, ""))}, checks, given)


def _automaton() -> Any:
    """The friction element with all options that the source describes."""
    import stickslip as ss

    machine = ss.Machine(mass=loaded.MASS, names=["mass"])
    law = ss.StickSlip(
        ss.Stribeck(static=loaded.STATIC, kinetic=loaded.KINETIC, stribeck_velocity=loaded.STRIBECK_VELOCITY),
        memory=ss.Lag(0.01),
        dwell=1.0,
        presliding=ss.Presliding(5e-5, 1.0),
        load_factor=loaded.FACTOR,
    )
    machine.add_friction("surface", on="mass", law=law, load={"mass.position": loaded.STIFFNESS})
    return machine._description.elements[0]


def draw_chart(data: FigureData, figure: Canvas) -> None:
    """Draw the states with what holds in them, the guards on the arrows, and how often each was taken."""
    rows = data[""]
    taken = {
        (str(a), str(b)): f"{int(x)} / {int(y)}"
        for a, b, x, y in zip(rows["from"], rows["to"], rows["spring"], rows["shaken"], strict=True)
    }
    ax = show(Chart(_automaton(), taken), figure.subplots())
    words = "beside the guards: how often each is taken,\nload-dependent experiment / shaken mass"
    sk.text(ax, (0.0, 6.9), words, ha="left", va="top", fontsize=7)


# -- 4.1 and 4.6 ---------------------------------------------------------------------------------------


def compute_pull() -> FigureData:
    """The time to the first break-away of the rigid surface, as chosen for figures 4.2 to 4.5."""
    import stickslip as ss

    machine = ss.Machine(
        mass=pulled.MASS,
        stiffness=pulled.STIFFNESS,
        names=["mass"],
        force={"mass": ss.Ramp(slope=pulled.STIFFNESS * pulled.DRIVE)},
    )
    curve = ss.Stribeck(
        static=pulled.STATIC,
        kinetic=pulled.KINETIC,
        stribeck_velocity=pulled.STRIBECK_VELOCITY,
        shape=1.0,
        viscous=pulled.VISCOUS,
    )
    machine.add_friction("surface", on="mass", law=curve, normal_load=1.0)
    run = ss.simulate(machine, 3.0, dt=0.1)
    first = float(run.events[0].time)
    expected = pulled.STATIC / (pulled.STIFFNESS * pulled.DRIVE)
    checks = [Check("first break-away, rigid surface", "s", first, expected, 1e-14, FORM, "Fs/(c·v_d)")]
    return FigureData(
        {"": Series({"first break-away": [first]}, {"first break-away": "s"})}, checks, pulled.CHOSEN
    )


def _parameters(ax: Axes, at: tuple[float, float], given: Any) -> None:
    names = {
        "c": "$c$",
        "m": "$m$",
        "b": "$b$",
        "ν": r"$\nu$",
        "v_d": "$v_d$",
        "Fs": "$F_s$",
        "Fk": "$F_k$",
        "vs": "$v_{Stribeck}$",
    }
    rows = [one for one in given if one.name in names]
    for k, one in enumerate(rows):
        y = at[1] - 0.36 * k
        ax.text(at[0], y, names[one.name])
        ax.text(at[0] + 1.3, y, f"= {one.value:g} {one.unit}")


def draw_pull(data: FigureData, figure: Canvas) -> None:
    """Draw the mass pulled by a spring, with the parameters of its runs."""
    ax = figure.subplots()
    sk.start(ax, (-2.8, 7.6), (-1.0, 2.4))
    mass.pulled(ax, "$m$", "$c$", "$v_d$", "$s_m, v_m$", "$F_{fr}$")
    sk.arrow(ax, (0.0, 0.12), (0.75, 0.12), "$F_c$", "right-end")
    _parameters(ax, (4.8, 2.0), data.inputs)


def compute_lever() -> FigureData:
    """Rest position of the mass, between the lines of break-away."""
    data = loaded.compute()
    checks = [check for check in data.checks if "rest" in check.quantity or "break" in check.quantity]
    spring = loaded.STIFFNESS
    rest = float(data["trajectory"]["position"][-1])
    force, level = (
        spring * rest,
        loaded.STATIC + loaded.STATIC / loaded.KINETIC * loaded.FACTOR * spring * rest,
    )
    checks.append(
        Check(
            "at rest without drive: spring force",
            "N",
            force,
            level,
            0.0,
            FORM,
            "below fs = Fs + (Fs/Fk)·ν·|F_l|",
            relation="<",
        )
    )
    columns = {"rest": [rest], "spring force": [force], "level": [level]}
    return FigureData(
        {"": Series(columns, {"rest": "m", "spring force": "N", "level": "N"})}, checks, loaded.GIVEN
    )


def draw_lever(data: FigureData, figure: Canvas) -> None:
    """Draw the mass against the fixed spring, and the lever that presses it down in proportion."""
    ax = figure.subplots()
    sk.start(ax, (-3.6, 8.4), (-1.0, 3.2))
    sk.ground(ax, (-2.6, 0.0), (3.2, 0.0))
    sk.block(ax, -1.6, 0.0, 1.6, 1.0, "$m$")
    sk.spring(ax, (0.0, 0.5), (1.9, 0.5), "$c$")
    sk.arrow(ax, (-2.7, 0.5), (-1.6, 0.5), "$F_d$", "above")
    sk.arrow(ax, (-0.6, -0.3), (-1.5, -0.3), "$F_{fr}$", "left-end")
    sk.arrow(ax, (0.7, 0.14), (0.0, 0.14), "$F_c$", "right-start")
    # a bent lever: the spring force on its short arm presses the mass on the surface
    pivot = (1.9, 2.1)
    sk.line(ax, (-0.8, 2.1), pivot, (1.9, 0.35), linewidth=1.8)
    sk.ball(ax, pivot, 0.09, fill="#FFFFFF")
    sk.ground(ax, (1.55, 2.55), (2.25, 2.55), depth=-0.14)
    sk.line(ax, (1.9, 2.19), (1.9, 2.55))
    sk.line(ax, (-0.8, 2.1), (-0.8, 1.75))
    sk.arrow(ax, (-0.8, 1.8), (-0.8, 1.0), r"$F_n \propto |F_c|$", "left")
    sk.arrow(ax, (-2.6, 1.6), (-1.9, 1.6), "$s, v$", "above", sk.MOTION)
    _parameters(ax, (4.9, 2.6), data.inputs)


FIGURES = (
    Figure(
        "automaton_2_1", "a moving mass with friction", f"{SOURCE}, figure 2.1", compute_mass, draw_mass, 60.0
    ),
    Figure(
        "automaton_3_1",
        "the stick/slip automaton",
        f"{SOURCE}, section 3 (its figure 3.1 shows library blocks)",
        compute_chart,
        draw_chart,
        75.0,
    ),
    Figure(
        "automaton_4_1", "mass on a pulled spring", f"{SOURCE}, figure 4.1", compute_pull, draw_pull, 56.0
    ),
    Figure(
        "automaton_4_6",
        "friction that depends on the load",
        f"{SOURCE}, figure 4.6",
        compute_lever,
        draw_lever,
        60.0,
    ),
)
