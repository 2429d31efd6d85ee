"""Figure 6 a to c of Krämer and Kempkes: a two-mass drive under a P-PI cascade, friction at the load.

Table 1 gives masses, coupling, controller and the coefficients of friction. Reference, normal load and g
are not printed. Chosen here: 50 µm·sin(2π·0.5 Hz·t) over 3 s from rest, normal load m_L·9.81 m/s², Stribeck
curve with vs = 1 mm/s and shape 2; they show the effects that the text names for the three pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import COLLOCATION, Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.run.trajectory import Trajectory

MASS, STIFFNESS, DAMPING = 1000.0, 5e6, 1341.64
KV, KP, TN = 8.0 / 60e-3, 700e3, 30e-3
AMPLITUDE, FREQUENCY, END = 50e-6, 0.5, 3.0
LOAD, STRIBECK_VELOCITY = MASS * 9.81, 1e-3
CHOSEN = inputs(
    "chosen",
    "they show the effects that the text names",
    ("N", LOAD, "N"),
    ("vs", STRIBECK_VELOCITY, "m/s"),
    ("δ", 2.0, ""),
)
TABLE = inputs(
    "printed",
    "Table 1",
    ("mM = mL", MASS, "kg"),
    ("c", STIFFNESS, "N/m"),
    ("d", DAMPING, "Ns/m"),
    ("KV", KV, "1/s"),
    ("KP", KP, "Ns/m"),
    ("Tn", TN, "s"),
)


@dataclass(frozen=True)
class Case:
    """A row of Table 1, and what an independent integration of the same equations gives."""

    kinetic: float
    static: float
    events: int
    worst: (
        float  # m: the greatest |x_ref − x_L| over t >= 1 s; of b at just 1 s, on the way down from a swing
    )
    peak: float  # m: its greatest local maximum there
    stuck: float  # share of the time
    text: str


# Collocation of order 9 at rtol 1e-13, cut at every event; DOP853 agrees within 1e-13 s and 1e-16 m.
CASES = {
    "a": Case(0.0, 0.0, 0, 2.171480304963262e-06, 2.171480304963335e-06, 0.0, "a) without friction"),
    "b": Case(
        0.0006,
        0.0007,
        13,
        3.130207171315861e-06,
        3.1231355866607627e-06,
        0.1380560880339188,
        "b) µ = 0.0006, 0.0007",
    ),
    "c": Case(
        0.006,
        0.007,
        39,
        1.712017202180439e-05,
        1.712017202180434e-05,
        0.4710924607493425,
        "c) µ = 0.006, 0.007",
    ),
}


GIVEN = (
    *TABLE,
    *(
        one
        for name, case in CASES.items()
        for one in inputs(
            "printed", "Table 1", (f"µ kinetic, static of {name}", f"{case.kinetic}, {case.static}", "")
        )
    ),
    *CHOSEN,
    *inputs("chosen", "they show the effects that the text names", ("x_ref", "50 µm·sin(2π·0.5 Hz·t)", "")),
)


def run_case(case: Case) -> Trajectory:
    """Run one row of Table 1."""
    import stickslip as ss

    law = ss.Stribeck(static=case.static, kinetic=case.kinetic, stribeck_velocity=STRIBECK_VELOCITY)
    drive = ss.machines.two_mass_drive(
        motor_mass=MASS,
        load_mass=MASS,
        stiffness=STIFFNESS,
        damping=DAMPING,
        load_friction=law if case.static else None,
        normal_load=LOAD,
        control=ss.Cascade(kv=KV, kp=KP, tn=TN),
        reference=ss.Sine(amplitude=AMPLITUDE, frequency=FREQUENCY),
    )
    return ss.simulate(drive, END, dt=1e-3, rtol=1e-11)


def reference(t: np.ndarray) -> np.ndarray:
    """Return x_ref (m)."""
    return AMPLITUDE * np.sin(2.0 * np.pi * FREQUENCY * t)


def swing_period() -> float:
    """Return the period (s) of the least damped swing of drive and cascade, states (vM, vL, xM, xL, ∫e)."""
    c, d, m = STIFFNESS, DAMPING, MASS
    loop = np.array(
        [
            [-(KP + d) / m, d / m, -(KP * KV + c) / m, c / m, KP / TN / m],
            [d / m, -d / m, c / m, -c / m, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0],
            [-1.0, 0.0, -KV, 0.0, 0.0],
        ]
    )
    poles = np.linalg.eigvals(loop)
    return float(2.0 * np.pi / np.max(poles.imag))


def _peak(run: Trajectory) -> float:
    """Return the greatest local maximum (m) of |x_ref − x_L| over t ≥ 1 s, so that no edge of the window counts."""

    def error(t: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(reference(t) - run.at(t)["load.position"]))

    t = np.linspace(1.0, END, 20001)
    e = error(t)
    tops = np.flatnonzero((e[1:-1] > e[:-2]) & (e[1:-1] >= e[2:])) + 1
    k = int(tops[np.argmax(e[tops])])
    return float(error(np.linspace(t[k - 1], t[k + 1], 20001)).max())


def _swing(run: Trajectory) -> float:
    """Return the mean period (s) of the twist of the coupling after the start, from where it crosses zero."""
    t, twist = run.t, run["motor.position"] - run["load.position"]
    k = np.flatnonzero(twist[:-1] * twist[1:] < 0.0)
    crossings = t[k] + (t[k + 1] - t[k]) * twist[k] / (twist[k] - twist[k + 1])
    return 2.0 * float(np.mean(np.diff(crossings[crossings > 0.2])))


def _after_reversal(run: Trajectory) -> float:
    """Return half the range (m/s) of the rate at which the coupling twists, 0.5 s after the first reversal."""
    there = run.at(np.linspace(0.5, 1.0, 4001))
    return 0.5 * float(np.ptp(there["motor.velocity"] - there["load.velocity"]))


def _stuck_checks(name: str, case: Case, run: Trajectory, table: Series) -> list[Check]:
    """Stops and starts in a case: number, duration and times."""
    apart, said = Origin.INDEPENDENT, Origin.CLAIMED
    spans = _draw.sticks(table)
    share = sum(b - a for a, b in spans) / END
    held = sum(any(a < t < b for a, b in spans) for t in (1.5, 2.5))
    return [
        Check(f"{name}: changes of mode in 3 s", "", len(run.events), case.events, 0.0, apart, COLLOCATION),
        Check(f"{name}: share of the time in stick", "", share, case.stuck, 1e-11, apart, COLLOCATION),
        Check(
            f"{name}: reversals at 1.5 and 2.5 s at which the load stands", "", held, 2.0, 0.0, said,
            "text: seen above all at the reversal",
        ),
    ]  # fmt: skip


def compute() -> FigureData:
    """Run the three cases; compare errors, modes and share of stick with independent values and the text."""
    checks, panels, swings = [], {}, {}
    for name, case in CASES.items():
        run = run_case(case)
        swings[name] = _after_reversal(run)
        peak = f"{name}: greatest swing of the load's error, t > 1 s"
        checks.append(Check(peak, "m", _peak(run), case.peak, 1e-16, Origin.INDEPENDENT, COLLOCATION))
        if case.static:
            panels[f"{name}_modes"] = _draw.modes(run, "load friction")
            checks += _stuck_checks(name, case, run, panels[f"{name}_modes"])
        else:
            checks.append(
                Check(
                    "a: the load swings on the coupling with the period", "s", _swing(run), swing_period(), 1e-5,
                    Origin.CLOSED_FORM, "eigenvalues of drive and cascade",
                )
            )  # fmt: skip
        checks.append(balance(run.energy.residual, 1e-11, f"{name}: "))
        columns = {
            "time": run.t,
            "reference": reference(run.t),
            "motor": run["motor.position"],
            "load": run["load.position"],
        }
        panels[name] = Series(columns, {"time": "s", "reference": "m", "motor": "m", "load": "m"})
    damped = "b: swing of the coupling after the first reversal, over a's"
    text = "text: a little friction damps it, at the reversal above all"
    checks.append(Check(damped, "", swings["b"] / swings["a"], 1.0, 0.0, Origin.CLAIMED, text, relation="<"))
    return FigureData(panels, checks, GIVEN)


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw position of the load, and its error, for the three cases."""
    from stickslip.draw import style as _style

    axes = figure.subplots(2, 3, sharex=True, sharey="row", height_ratios=[1.0, 1.0])
    for column, (name, case) in enumerate(CASES.items()):
        s = data[name]
        above, below = axes[:, column]
        t = s["time"]
        if case.static:
            for ax in (above, below):
                _draw.shade(
                    ax, _draw.sticks(data[f"{name}_modes"]), "stick" if column == 2 and ax is above else None
                )
        above.plot(t, 1e6 * s["reference"], color="#6A6A6A", linestyle="--", linewidth=0.9, label="reference")
        above.plot(t, 1e6 * s["load"], color=_style.BLUE, label="load")
        below.plot(t, 1e6 * (s["reference"] - s["load"]), color=_style.VERMILION, linewidth=1.0)
        below.axhline(0.0, color="#9A9A9A", linewidth=0.6)
        above.set_title(case.text)
        below.set(xlabel="time t [s]", xlim=(0.0, END))
    axes[0, 0].set_ylabel("position [µm]")
    axes[1, 0].set_ylabel("error x_ref − x_L [µm]")
    figure.legend(*axes[0, 2].get_legend_handles_labels(), loc="outside lower right", ncols=3)


FIGURES = (
    Figure(
        "servo_6",
        "two-mass drive with growing friction",
        "Krämer, Kempkes, figure 6 a to c, Table 1",
        compute,
        draw,
        100.0,
    ),
)
