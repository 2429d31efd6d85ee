"""The drive of Krämer and Kempkes, Table 1, over normal load and speed: the transition from their case a to c.

The source shows three levels of friction and says that the transition between them is continuous. Friction of case c
under a normal load that grows from zero is that transition: a at no load, b at a tenth of the weight of the load, c at
its weight. Reference, normal load and Stribeck velocity as chosen for figure 6; each run lasts 1.5 periods of the
reference from rest, the error counts from 0.5 periods on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip_figures import _draw
from stickslip_figures._check import COLLOCATION, Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.servo_drive import (
    AMPLITUDE,
    CASES,
    CHOSEN,
    DAMPING,
    FREQUENCY,
    KP,
    KV,
    LOAD,
    MASS,
    STIFFNESS,
    STRIBECK_VELOCITY,
    TABLE,
    TN,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.machines import TwoMassDrive

LAW = CASES["c"]
LOADS = {"a": 0.0, "b": LOAD * CASES["b"].static / LAW.static, "c": LOAD}
PER_DECADE, FINE = 8, 32  # levels of load and speed in the map, of load along the passage
MICRO, MILLI = 1e6, 1e3
APART = Origin.INDEPENDENT
GIVEN = (
    *TABLE,
    *inputs("printed", "Table 1, case c", ("µ kinetic", LAW.kinetic, ""), ("µ static", LAW.static, "")),
    *CHOSEN[1:],
    *inputs("chosen", "as for figure 6", ("x_ref", "50 µm·sin(2πft)", "")),
)


def drive(normal_load: float, frequency: float) -> TwoMassDrive:
    """Make the drive of case c with another normal load (N) and frequency of the reference (Hz)."""
    import stickslip as ss

    law = ss.Stribeck(static=LAW.static, kinetic=LAW.kinetic, stribeck_velocity=STRIBECK_VELOCITY)
    return ss.machines.two_mass_drive(
        motor_mass=MASS,
        load_mass=MASS,
        stiffness=STIFFNESS,
        damping=DAMPING,
        load_friction=law if normal_load else None,
        normal_load=normal_load,
        control=ss.Cascade(kv=KV, kp=KP, tn=TN),
        reference=ss.Sine(amplitude=AMPLITUDE, frequency=frequency),
    )


def held_force(frequency: float) -> float:
    """Greatest force (N) of the coupling on a load that is held, in 1.5 periods from rest; closed form.

    Held load: states (v_M, x_M, ∫e), driven by the sine. Below this force at break-away the load moves.
    """
    omega = 2.0 * np.pi * frequency
    loop = np.array(
        [
            [-(KP + DAMPING) / MASS, -(KP * KV + STIFFNESS) / MASS, KP / TN / MASS],
            [1.0, 0.0, 0.0],
            [-1.0, -KV, 0.0],
        ]
    )
    push = AMPLITUDE * np.array([KP * KV / MASS, 0.0, KV])
    forced = np.linalg.solve(1j * omega * np.eye(3) - loop, push)
    poles, modes = np.linalg.eig(loop)
    # At rest at the start: the free part cancels the initial value of the forced part, Im(forced·exp(jωt)).
    free = np.linalg.solve(modes, -forced.imag.astype(complex))
    t = np.linspace(0.0, 1.5 / frequency, 30001)
    row = np.array([DAMPING, STIFFNESS, 0.0])
    force = (row @ forced * np.exp(1j * omega * t)).imag
    force += ((row @ modes * free) @ np.exp(np.outer(poles, t))).real
    return float(np.abs(force).max())


def backlash_fraction(ratio: float) -> float:
    """Stuck fraction of a drive so slow that only coupling and static friction count, in 1.5 periods.

    The load follows as through a backlash of ± Fs/c = ± ratio·amplitude: it breaks away when the reference is that
    far ahead, and stops at each reversal until the reference has come back by twice as much.
    """
    if ratio >= 1.0:
        return 1.0
    back = np.arccos(1.0 - 2.0 * ratio)
    return float((np.arcsin(ratio) + 2.0 * back + min(back, 0.5 * np.pi)) / (3.0 * np.pi))


def compute() -> FigureData:
    """Run the drive over normal load and speed, and finely along the load at the speed of Table 1."""
    from stickslip.analysis import stuck_fraction_map

    loads = LOAD * 10.0 ** (np.arange(-3 * PER_DECADE, PER_DECADE + 1) / PER_DECADE)
    frequencies = FREQUENCY * 10.0 ** (np.arange(-PER_DECADE, PER_DECADE + 1) / PER_DECADE)
    found = stuck_fraction_map(
        drive, loads, frequencies, t_end=1.5 / frequencies, error_from=0.5 / frequencies
    )
    fine = LOAD * 10.0 ** (np.arange(-3 * FINE, FINE + 1) / FINE)
    passage = stuck_fraction_map(
        drive, [0.0, *fine], [FREQUENCY], t_end=1.5 / FREQUENCY, error_from=0.5 / FREQUENCY
    )
    slip = np.array([held_force(f) for f in frequencies]) / LAW.static
    here = {name: int(np.argmin(np.abs(passage.normal_load - load))) for name, load in LOADS.items()}
    checks = []
    for name, column in here.items():
        case = CASES[name]
        share, error = float(passage.fraction[0, column]), float(passage.error[0, column])
        close = 1e-9 if case.stuck else 0.0
        checks += [
            Check(f"{name}: share of the time in stick", "", share, case.stuck, close, APART, COLLOCATION),
            Check(
                f"{name}: greatest error from t = 1 s on", "m", error, case.worst, 1e-14, APART, COLLOCATION
            ),
        ]
    lost = float(np.sum(found.stops < 0))
    checks.append(Check("runs that did not reach their ends", "", lost, 0.0, 0.0, Origin.PACKAGE, "t_end"))
    checks += [*_limits(found, slip), *_slow(), *_smooth(passage.error[0], here)]
    speed = 2.0 * np.pi * AMPLITUDE * frequencies
    cells = {
        "normal load": np.tile(loads, speed.size),
        "speed": np.repeat(speed, loads.size),
        "stuck": found.fraction.ravel(),
        "error": found.error.ravel(),
        "stops": found.stops.ravel(),
    }
    units = {"normal load": "N", "speed": "m/s", "stuck": "", "error": "m", "stops": ""}
    along = {
        "normal load": passage.normal_load,
        "stuck": passage.fraction[0],
        "error": passage.error[0],
        "stops": passage.stops[0],
    }
    return FigureData(
        {
            "map": Series(cells, units),
            "limit": Series({"speed": speed, "normal load": slip}, {"speed": "m/s", "normal load": "N"}),
            "passage": Series(along, units),
        },
        checks,
        GIVEN,
    )


def _limits(found: Any, slip: np.ndarray) -> list[Check]:
    """Check of the right side of the map: where the coupling force stays below the static level, the load sticks."""
    held = found.normal_load[None, :] > slip[:, None]
    wrong = float(np.sum((found.fraction == 1.0) != held))
    return [
        Check(
            "cells that stick throughout although the coupling force exceeds the limit, or the reverse", "", wrong, 0.0,
            0.0, Origin.CLOSED_FORM, "force of the coupling on a held load",
        ),
        Check(
            "stuck throughout: greatest error", "m", float(found.error[held].max()), AMPLITUDE, 1e-19,
            Origin.CLOSED_FORM, "the load does not move",
        ),
    ]  # fmt: skip


def _slow() -> list[Check]:
    """Check the drive of case c at a hundredth of the speed: there the coupling acts as a backlash."""
    from stickslip.analysis import stuck_fraction_map

    frequency = FREQUENCY / 100.0
    found = stuck_fraction_map(drive, [LOAD], [frequency], t_end=1.5 / frequency, error_from=0.5 / frequency)
    ratio = LAW.static * LOAD / (STIFFNESS * AMPLITUDE)
    backlash, closed = "coupling as backlash, limit of slow motion", Origin.CLOSED_FORM
    share, error = float(found.fraction[0, 0]), float(found.error[0, 0])
    return [
        Check(
            "c at 5 mHz: share of the time in stick",
            "",
            share,
            backlash_fraction(ratio),
            6e-5,
            closed,
            backlash,
        ),
        Check("c at 5 mHz: greatest error", "m", error, ratio * AMPLITUDE, 4e-8, closed, backlash),
    ]


def _smooth(error: np.ndarray, here: dict[str, int]) -> list[Check]:
    """Check that the transition is continuous: half the step of the load, half the greatest step of the error."""
    from stickslip.analysis import stuck_fraction_map

    way = error[1 : here["c"] + 1]
    ratio = float(np.abs(np.diff(way)).max() / np.abs(np.diff(way[::2])).max())
    light = stuck_fraction_map(
        drive, [1e-6 * LOAD], [FREQUENCY], t_end=1.5 / FREQUENCY, error_from=0.5 / FREQUENCY
    )
    return [
        Check(
            "a to c: greatest step of the error, when the steps of the load are halved", "", ratio, 0.5, 0.015,
            Origin.CLOSED_FORM, "a smooth line; text: no abrupt change. A jump would give 1",
        ),
        Check(
            "greatest error under a millionth of the load of c", "m", float(light.error[0, 0]), CASES["a"].worst,
            2e-10, APART, f"a without friction: {COLLOCATION}",
        ),
    ]  # fmt: skip


def _edges(centres: np.ndarray) -> np.ndarray:
    step = np.sqrt(centres[1] / centres[0])
    return np.concatenate([centres[:1] / step, centres * step])


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw stuck fraction and worst error over load and speed, and below along the load."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.ticker import FixedLocator, NullLocator

    from stickslip.draw import style as _style

    cells, limit, passage = data["map"], data["limit"], data["passage"]
    loads, speeds = np.unique(cells["normal load"]), np.unique(cells["speed"])
    axes = figure.subplots(2, 2, sharex=True, height_ratios=[1.25, 1.0])
    axes[0, 1].sharey(axes[0, 0])
    table = 2.0 * np.pi * AMPLITUDE * FREQUENCY * MILLI
    kinds = (
        ("stuck", 100.0, Normalize(0.0, 100.0), "time in stick [%]"),
        ("error", MICRO, LogNorm(), "greatest error of the load [µm]"),
    )
    for column, (name, scale, norm, word) in enumerate(kinds):
        above, below = axes[:, column]
        values = scale * cells[name].reshape(speeds.size, loads.size)
        mesh = above.pcolormesh(
            _edges(loads), MILLI * _edges(speeds), values, cmap="viridis", norm=norm, rasterized=True
        )
        above.grid(False)
        bar = figure.colorbar(mesh, ax=above, pad=0.02, label=word)
        bar.outline.set_linewidth(0.4)
        above.plot(
            limit["normal load"],
            MILLI * limit["speed"],
            color=_style.VERMILION,
            label="beyond: never moves (held load, closed form)",
        )
        above.plot(
            [LOADS["b"], LOADS["c"]], [table] * 2, "o", color="white", markeredgecolor="black", markersize=4
        )
        for case in "bc":
            above.annotate(
                case, (LOADS[case], table), (4, 3), textcoords="offset points", color="white", weight="bold"
            )
        above.set(xscale="log", yscale="log", xlim=(_edges(loads)[0], _edges(loads)[-1]))
        above.set_ylim(MILLI * _edges(speeds)[0], MILLI * _edges(speeds)[-1])
        line = scale * passage[name]
        below.plot(passage["normal load"][1:], line[1:], color=_style.BLUE, label="at the speed of Table 1")
        below.axhline(line[0], color="#6A6A6A", linestyle="--", linewidth=0.9, label="a) no friction")
        for case in "bc":
            k = int(np.argmin(np.abs(passage["normal load"] - LOADS[case])))
            below.plot(LOADS[case], line[k], "o", color="white", markeredgecolor="black", markersize=4)
            below.annotate(case, (LOADS[case], line[k]), (-9, 4), textcoords="offset points", weight="bold")
        below.set(xlabel="normal load [N]", ylabel=word)
        if name == "error":
            below.set(yscale="log", ylim=(1.0, 100.0))
        else:
            below.set_ylim(bottom=0.0)
        below.xaxis.set_minor_locator(NullLocator())
        above.yaxis.set_major_locator(FixedLocator([0.02, 0.05, 0.1, 0.2, 0.5, 1.0]))
        above.yaxis.set_major_formatter("{x:g}")
        above.yaxis.set_minor_locator(NullLocator())
        _draw.corner(below, loc="upper left")
    axes[0, 0].set_ylabel("greatest speed of the reference [mm/s]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center")


FIGURES = (
    Figure(
        "servo_map",
        "the same drive over normal load and speed",
        "Krämer, Kempkes, section 4, Table 1",
        compute,
        draw,
        130.0,
    ),
)
