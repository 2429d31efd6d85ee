"""Figures 4.2 to 4.5 of Klotzbach and Henrichfreise: a mass pulled by a spring, the automaton step by step.

Printed there: T_fr = 0.01 s, T_dwell = 1 s, s_max = 0.05 mm, b_surface = 1 Ns/m. Chosen here, the same for
all four: m = 0.1 kg, c = 10 N/m, v_d = 0.5 mm/s, Fs = 0.01 N, Fk = 0.005 N, vs = 1 mm/s, b = 0.01 Ns/m.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stickslip.figures import _draw
from stickslip.figures._data import Check, Figure, FigureData, Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.machine import Machine
    from stickslip.trajectory import Trajectory

MASS, STIFFNESS, DRIVE = 0.1, 10.0, 5e-4
STATIC, KINETIC, STRIBECK_VELOCITY, VISCOUS = 0.01, 0.005, 1e-3, 0.01
LAG, DWELL, TRAVEL, SURFACE_DAMPING = 0.01, 1.0, 5e-5, 1.0
END, SHOWN = 20.0, 10.0  # s
INDEPENDENT = "independent collocation"


@dataclass(frozen=True)
class Case:
    """One figure: what is switched on, and what an independent integration of the same equations gives."""

    name: str
    number: str
    text: str
    events: int
    last: float  # s
    entry: float  # N, dry force on entering the last stick
    release: float  # N, level at the last break-away
    position: float  # m, at 20 s
    tolerance: float  # s

    @property
    def step(self) -> int:
        """How many of the three extensions are on."""
        return int(self.number[-1]) - 2


# From collocation of order 9 at rtol 1e-13, cut at every event; DOP853 gives the same events within 5e-12 s.
CASES = (
    Case("base", "4.2", "curve alone", 16, 19.03264733672246, 0.01, 0.01, 0.009505238301373665, 1e-9),
    Case(
        "lag", "4.3", "with lag", 16, 19.242618290561854, 0.007941646814891, 0.01,
        0.009609326601508145, 1e-10,
    ),
    Case(
        "dwell", "4.4", "with lag and dwell", 18, 18.96516400271326, 0.0075676164771510445,
        0.009062659521558247, 0.009373793707970179, 3e-10,
    ),
    Case(
        "presliding", "4.5", "with lag, dwell and elastic surface", 18, 18.95872032224001,
        0.007581314652265572, 0.00906823540892139, 0.00935688429464318, 6e-10,
    ),
)  # fmt: skip


def machine(case: Case) -> Machine:
    """Return the mass on its guide; the spring's free end moves at constant speed."""
    import stickslip as ss

    law = ss.StickSlip(
        ss.Stribeck(
            static=STATIC, kinetic=KINETIC, stribeck_velocity=STRIBECK_VELOCITY, shape=1.0, viscous=VISCOUS
        ),
        memory=ss.Lag(LAG) if case.step > 0 else None,
        dwell=DWELL if case.step > 1 else 0.0,
        presliding=ss.Presliding(TRAVEL, SURFACE_DAMPING) if case.step > 2 else None,
    )
    m = ss.Machine(
        mass=MASS, stiffness=STIFFNESS, names=["mass"], force={"mass": ss.Ramp(slope=STIFFNESS * DRIVE)}
    )
    m.add_friction("guide", on="mass", law=law)
    return m


def compute(case: Case) -> FigureData:
    """Run 20 s and compare with an independent solution and with what the text of the source says."""
    import stickslip as ss

    run = ss.simulate(machine(case), END, dt=1e-3, rtol=1e-12)
    events = list(run.events)
    stops = [e.time for e in events if str(e.after) == "stick"]
    starts = [e.time for e in events if str(e.before) == "stick"]
    entry = np.array([run.at(np.nextafter(t, 0.0))["guide.force"][0] for t in stops])
    level = np.array([run.at(np.nextafter(t, 0.0))["guide.force"][0] for t in starts])
    checks = [
        Check("events in 20 s", float(len(events)), float(case.events), 0.0, INDEPENDENT),
        Check("last event [s]", events[-1].time, case.last, case.tolerance, INDEPENDENT),
        Check("force on entering the last stick [N]", float(entry[-1]), case.entry, 1e-10, INDEPENDENT),
        Check("last break-away force [N]", float(level[-1]), case.release, 1e-11, INDEPENDENT),
        Check("position at 20 s [m]", float(run["mass.position"][-1]), case.position, 1e-12, INDEPENDENT),
        *_claims(case, run, np.array(starts), entry, level),
        Check(
            "energy residual, relative to the work", float(run.energy.residual), 0.0, 1e-10, "energy balance"
        ),
    ]
    show = run.t <= SHOWN
    columns = {
        "time": run.t[show],
        "position": run["mass.position"][show],
        "velocity": run["mass.velocity"][show],
        "friction force": run["guide.force"][show],
        "spring force": STIFFNESS * (DRIVE * run.t - run["mass.position"])[show],
    }
    units = {
        "time": "s", "position": "m", "velocity": "m/s", "friction force": "N", "spring force": "N",
    }  # fmt: skip
    return FigureData({"trajectory": Series(columns, units), "modes": _draw.modes(run, "guide")}, checks)


def _claims(
    case: Case, run: Trajectory, starts: np.ndarray, entry: np.ndarray, level: np.ndarray
) -> list[Check]:
    """What the text says of each figure, as numbers."""
    said = f"text of figure {case.number}"
    if case.step < 3:
        first = Check("first break-away [s]", starts[0], 2.0, 1e-12, "closed form: Fs/(c vd)")
    else:
        inside = run.at(np.linspace(0.0, np.nextafter(starts[0], 0.0), 500))
        first = Check(
            "the mass has crept before it breaks away [m]",
            float(inside["mass.position"][-1]),
            TRAVEL,
            0.05 * TRAVEL,
            said + ": about s_max",
        )
    if case.step == 0:
        t = np.linspace(0.0, 2.0, 200)[:-1]
        off = np.max(np.abs(run.at(t)["guide.force"] - STIFFNESS * DRIVE * t))
        own = Check("friction less spring force in stick [N]", float(off), 0.0, 1e-15, said + ": equal")
    elif case.step == 1:
        own = Check(
            "enters stick below Fs by the factor",
            float(entry[-1] / STATIC),
            0.794164681489,
            1e-8,
            INDEPENDENT,
        )
    elif case.step == 2:
        own = Check(
            "last period, 2.402 s with lag alone [s]",
            float(starts[-1] - starts[-2]),
            2.0291799213433637,
            1e-10,
            f"{said}: more frequent; {INDEPENDENT}",
        )
    else:
        stop = next(e.time for e in run.events if str(e.after) == "stick")
        t = np.linspace(stop, stop + 0.1, 2001)
        own = Check(
            "deepest velocity after slip [m/s]",
            float(run.at(t)["mass.velocity"].min()),
            lowest(float(entry[0]), stop, run),
            1e-8,
            said + ": undershoot; closed form",
        )
    return [first, own]


def lowest(entry: float, stop: float, run: Trajectory) -> float:
    """Return the deepest velocity (m/s) of the mass on spring and surface, released with v = 0 at `stop`."""
    k = STATIC / TRAVEL + STIFFNESS
    decay = SURFACE_DAMPING / (2 * MASS)
    omega = float(np.sqrt(k / MASS - decay**2))
    spring = STIFFNESS * (DRIVE * stop - float(run.at(stop)["mass.position"][0]))
    creep = STIFFNESS * DRIVE / k  # v follows the spring's end: v'' + 2 decay v' + (k/m) v = c vd/m
    start, slope = -creep, (spring - entry) / MASS  # of u = v − creep
    t = np.linspace(0.0, 2 * np.pi / omega, 40001)
    u = np.exp(-decay * t) * (start * np.cos(omega * t) + (slope + decay * start) / omega * np.sin(omega * t))
    return float(np.min(u) + creep)


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw position, velocity and forces over time."""
    from stickslip.figures import _style

    s = data["trajectory"]
    t = s["time"]
    axes = figure.subplots(3, 1, sharex=True)
    _draw.rows(axes, _draw.sticks(data["modes"], SHOWN), SHOWN)
    axes[0].plot(t, 1e3 * s["position"], color=_style.BLUE, label="mass")
    axes[0].plot(t, 1e3 * DRIVE * t, color="#6A6A6A", linestyle=":", label="free end of the spring")
    axes[0].set(ylabel="s [mm]")
    _draw.key(axes[0])
    axes[1].plot(t, 1e3 * s["velocity"], color=_style.BLUE)
    axes[1].set(ylabel="v [mm/s]")
    axes[2].plot(t, 1e3 * s["spring force"], color=_style.ORANGE, linewidth=2.4, label="spring Fc")
    axes[2].plot(t, 1e3 * s["friction force"], color=_style.VERMILION, linewidth=0.9, label="friction F")
    axes[2].axhline(1e3 * STATIC, color="#6A6A6A", linewidth=0.7, linestyle=":")
    axes[2].text(SHOWN, 1e3 * STATIC, "Fs ", va="bottom", ha="right", color="#5A5A5A", fontsize=7)
    low = 1e3 * float(s["friction force"].min())
    axes[2].set(ylabel="F [mN]", ylim=(min(-1.0, low - 0.8), 12.5))
    _draw.key(axes[2])


FIGURES = tuple(
    Figure(
        f"automaton_{case.number.replace('.', '_')}",
        f"pulled spring, {case.text}",
        f"Klotzbach, Henrichfreise, figure {case.number}",
        partial(compute, case),
        draw,
        105.0,
    )
    for case in CASES
)
