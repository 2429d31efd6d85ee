"""Figures 4.2 to 4.5 of Klotzbach and Henrichfreise: a mass pulled by a spring, each with one more option.

Printed there: T_fr = 0.01 s, T_dwell = 1 s, s_max = 0.05 mm, b_surface = 1 Ns/m. Chosen here, the same for
all four: m = 0.1 kg, c = 10 N/m, v_d = 0.5 mm/s, Fs = 0.01 N, Fk = 0.005 N, vs = 1 mm/s, b = 0.01 Ns/m.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import COLLOCATION, Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.machine.machine import Machine
    from stickslip.run.trajectory import Trajectory

MASS, STIFFNESS, DRIVE = 0.1, 10.0, 5e-4
STATIC, KINETIC, STRIBECK_VELOCITY, VISCOUS = 0.01, 0.005, 1e-3, 0.01
LAG, DWELL, TRAVEL, SURFACE_DAMPING = 0.01, 1.0, 5e-5, 1.0
END, SHOWN = 20.0, 10.0  # s
PRINTED = inputs(
    "printed",
    "section 4",
    ("T_fr", LAG, "s"),
    ("T_dwell", DWELL, "s"),
    ("s_max", TRAVEL, "m"),
    ("b_surface", SURFACE_DAMPING, "Ns/m"),
)
CHOSEN = inputs(
    "chosen",
    "only in the picture 4.1",
    ("m", MASS, "kg"),
    ("c", STIFFNESS, "N/m"),
    ("v_d", DRIVE, "m/s"),
    ("Fs", STATIC, "N"),
    ("Fk", KINETIC, "N"),
    ("vs", STRIBECK_VELOCITY, "m/s"),
    ("b", VISCOUS, "Ns/m"),
)


@dataclass(frozen=True)
class Case:
    """One figure: its options, and the results of an independent integration of the same equations."""

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
        """Number of active extensions."""
        return int(self.number[-1]) - 2


# From collocation of order 9 at rtol 1e-13, cut at every event; DOP853 gives the same events within 5e-12 s.
CASES = (
    Case("base", "4.2", "curve alone", 16, 19.03264733672246, 0.01, 0.01, 0.009505238301373665, 4e-10),
    Case(
        "lag", "4.3", "with lag", 16, 19.242618290561854, 0.007941646814891, 0.01,
        0.009609326601508145, 2e-11,
    ),
    Case(
        "dwell", "4.4", "with lag and dwell", 18, 18.96516400271326, 0.0075676164771510445,
        0.009062659521558247, 0.009373793707970179, 5e-11,
    ),
    Case(
        "presliding", "4.5", "with lag, dwell and elastic surface", 18, 18.95872032224001,
        0.007581314652265572, 0.00906823540892139, 0.00935688429464318, 3e-10,
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
    """Run 20 s and compare with an independent solution and with statements of the source."""
    import stickslip as ss

    run = ss.simulate(machine(case), END, dt=1e-3, rtol=1e-12)
    events = list(run.events)
    stops = [e.time for e in events if str(e.after) == "stick"]
    starts = [e.time for e in events if str(e.before) == "stick"]
    entry = np.array([run.at(np.nextafter(t, 0.0))["guide.force"][0] for t in stops])
    level = np.array([run.at(np.nextafter(t, 0.0))["guide.force"][0] for t in starts])
    apart, place = Origin.INDEPENDENT, float(run["mass.position"][-1])
    checks = [
        Check("events in 20 s", "", len(events), case.events, 0.0, apart, COLLOCATION),
        Check("last event", "s", events[-1].time, case.last, case.tolerance, apart, COLLOCATION),
        Check(
            "force on entering the last stick", "N", float(entry[-1]), case.entry, 5e-14, apart, COLLOCATION
        ),
        Check("last break-away force", "N", float(level[-1]), case.release, 2e-14, apart, COLLOCATION),
        Check("position at 20 s", "m", place, case.position, 2e-13, apart, COLLOCATION),
        *_claims(case, run, np.array(starts), entry, level),
        balance(run.energy.residual, 1e-11),
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
    tables = {"trajectory": Series(columns, units), "modes": _draw.modes(run, "guide")}
    return FigureData(tables, checks, (*PRINTED[: (0, 1, 2, 4)[case.step]], *CHOSEN))


def _claims(
    case: Case, run: Trajectory, starts: np.ndarray, entry: np.ndarray, level: np.ndarray
) -> list[Check]:
    """Values in the text for each figure."""
    said = f"text of figure {case.number}"
    if case.step < 3:
        moves = Check("first break-away", "s", starts[0], 2.0, 1e-14, Origin.CLOSED_FORM, "Fs/(c·vd)")
    else:
        moves = _crept(run, starts[0], said)
    return [moves, *(_stick, _lag, _dwell, _undershoot)[case.step](run, starts, entry, level, said)]


def _crept(run: Trajectory, release: float, said: str) -> Check:
    """Presliding displacement at break-away: k·x + b·v = Fs, so b·v/k less than s_max."""
    before = np.nextafter(release, 0.0)
    x, v = (float(run.at(before)[f"mass.{name}"][0]) for name in ("position", "velocity"))
    expected = TRAVEL - SURFACE_DAMPING * v * TRAVEL / STATIC
    return Check(
        "the mass has crept before it breaks away",
        "m",
        x,
        expected,
        1e-17,
        Origin.CLOSED_FORM,
        f"(12), (13); {said}",
    )


def _stick(
    run: Trajectory, starts: np.ndarray, entry: np.ndarray, level: np.ndarray, said: str
) -> list[Check]:
    t = np.linspace(0.0, 2.0, 200)[:-1]
    off = float(np.max(np.abs(run.at(t)["guide.force"] - STIFFNESS * DRIVE * t)))
    return [
        Check(
            "friction less spring force in stick",
            "N",
            off,
            0.0,
            1e-17,
            Origin.CLOSED_FORM,
            f"(1); {said}: equal",
        )
    ]


def _lag(run: Trajectory, starts: np.ndarray, entry: np.ndarray, level: np.ndarray, said: str) -> list[Check]:
    share = float(entry[-1] / STATIC)
    return [
        Check(
            "enters stick with Fs times", "", share, 1.0, 0.0, Origin.CLAIMED,
            f"{said}: below fs", relation="<",
        )
    ]  # fmt: skip


def _dwell(
    run: Trajectory, starts: np.ndarray, entry: np.ndarray, level: np.ndarray, said: str
) -> list[Check]:
    last = float(starts[-1] - starts[-2])
    return [
        Check("last period", "s", last, 2.0291799213433637, 5e-12, Origin.INDEPENDENT, COLLOCATION),
        Check(
            "last period, 2.402 s with the lag alone", "s", last, 2.402, 0.0, Origin.CLAIMED,
            f"{said}: more frequent", relation="<",
        ),
        Check(
            "last break-away force less the first", "N", float(level[-1] - level[0]), 0.0, 0.0, Origin.CLAIMED,
            f"{said}: lower after a shorter rest", relation="<",
        ),
    ]  # fmt: skip


def _undershoot(
    run: Trajectory, starts: np.ndarray, entry: np.ndarray, level: np.ndarray, said: str
) -> list[Check]:
    stop = next(e.time for e in run.events if str(e.after) == "stick")
    least = float(run.at(np.linspace(stop, stop + 0.1, 2001))["mass.velocity"].min())
    closed, rule = lowest(float(entry[0]), stop, run), "a damped oscillator on spring and surface"
    return [
        Check(
            "deepest velocity after slip, of samples", "m/s", least, closed, 2e-9, Origin.CLOSED_FORM, rule
        ),
        Check(
            "sign of this velocity",
            "m/s",
            least,
            0.0,
            0.0,
            Origin.CLAIMED,
            f"{said}: undershoot",
            relation="<",
        ),
    ]


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
    from stickslip.draw import style as _style

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
