"""A block on a belt: the smallest machine that sticks and slips, with a closed-form solution.

m = 1 kg on a spring k = 2 N/m, belt speed 0.2 m/s, normal load 1 N, static level 1, kinetic level 0.8. The belt carries
the block from x = 0 until the spring force is 1 N (t = 2.5 s, x = 0.5 m). It then oscillates about x = 0.4 m with ω =
√2 1/s, starting 0.1 m from the centre with 0.2 m/s, until its speed equals the belt's again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stickslip.draw.spans import mode_name
from stickslip_figures import _draw
from stickslip_figures._check import Check, Origin, balance
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MASS, STIFFNESS, BELT, LOAD, STATIC, KINETIC = 1.0, 2.0, 0.2, 1.0, 1.0, 0.8
END, STEP, SHOWN = 200.0, 0.01, 20.0  # s
GIVEN = inputs(
    "chosen",
    "no source: the smallest machine",
    ("m", MASS, "kg"),
    ("k", STIFFNESS, "N/m"),
    ("v", BELT, "m/s"),
    ("Fs", STATIC * LOAD, "N"),
    ("Fk", KINETIC * LOAD, "N"),
)


def closed_form(end: float = END) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the times (s) of all break-aways and of all returns to stick up to `end`."""
    omega = math.sqrt(STIFFNESS / MASS)
    centre = KINETIC * LOAD / STIFFNESS
    start = STATIC * LOAD / STIFFNESS
    slip = (2.0 * math.pi - 2.0 * math.atan2(start - centre, BELT / omega)) / omega
    # The oscillation is symmetric about its centre: slip ends as far below it as it began above.
    stick = 2.0 * (start - centre) / BELT
    cycle = np.arange(math.ceil(end / (slip + stick))) * (slip + stick)
    released, caught = start / BELT + cycle, start / BELT + slip + cycle
    return released[released <= end], caught[caught <= end]


def compute() -> FigureData:
    """Run 200 s and compare every event with the closed form."""
    import stickslip as ss

    machine = ss.Machine(mass=[MASS], stiffness=[[STIFFNESS]], names=["block"])
    law = ss.Coulomb(static=STATIC, kinetic=KINETIC)
    machine.add_friction("belt", on="block", law=law, normal_load=LOAD, surface_velocity=BELT)
    run = ss.simulate(machine, t_end=END, dt=STEP, initial={"block.velocity": BELT})

    events = list(run.events)
    times = np.array([event.time for event in events])
    released, caught = closed_form()
    expected = np.sort(np.concatenate([released, caught]))
    worst = float(np.max(np.abs(times - expected))) if times.size == expected.size else math.inf

    # The position at an event is taken from the exact state there, not from the samples.
    def position(time: float) -> float:
        return float(ss.simulate(machine, t_end=time, initial={"block.velocity": BELT})["block.position"][-1])

    closed = Origin.CLOSED_FORM
    checks = [
        Check("first break-away", "s", times[0], 2.5, 1e-14, closed, "k·v·t = Fs"),
        Check("first break-away at x", "m", position(times[0]), 0.5, 1e-14, closed, "Fs/k"),
        Check(
            "slip ends at x",
            "m",
            position(times[1]),
            0.3,
            1e-14,
            closed,
            "as far below Fk/k as it began above",
        ),
        Check("stick lasts", "s", times[2] - times[1], 1.0, 1e-13, closed, "2(Fs - Fk)/(k·v)"),
        Check(
            "number of events in 200 s", "", float(times.size), 87.0, 0.0, closed, "stick and slip periods"
        ),
        Check("last event", "s", times[-1], 199.115917032024, 1e-12, closed, "the same, to 15 digits"),
        Check("worst of all event times, off by", "s", worst, 0.0, 3e-13, closed, "the same"),
        balance(run.energy.residual, 1e-14),
    ]
    show = run.t <= SHOWN
    trajectory = Series(
        {
            "time": run.t[show],
            "displacement": run["block.position"][show],
            "velocity": run["block.velocity"][show],
            "friction force": run["belt.force"][show],
        },
        {"time": "s", "displacement": "m", "velocity": "m/s", "friction force": "N"},
    )
    log = Series(
        {
            "time": times,
            "before": [mode_name(event.before) for event in events],
            "after": [mode_name(event.after) for event in events],
            "closed form": expected if expected.size == times.size else np.full(times.size, np.nan),
        },
        {"time": "s", "before": "", "after": "", "closed form": "s"},
    )
    return FigureData({"trajectory": trajectory, "events": log}, checks, GIVEN)


def _stick_spans(log: Series, end: float) -> list[tuple[float, float]]:
    borders = [0.0, *(t for t in log["time"].tolist() if t < end), end]
    modes: Sequence[str] = [str(log["before"][0]), *map(str, log["after"])]
    pairs = zip(borders[:-1], borders[1:], modes, strict=False)
    return [(start, stop) for start, stop, mode in pairs if mode.startswith("stick")]


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw displacement and friction force over time, the phase plane and the first events."""
    from stickslip.draw import style as _style

    run, log = data["trajectory"], data["events"]
    t = run["time"]
    axes: dict[str, Any] = figure.subplot_mosaic(
        [["x", "phase"], ["force", "events"]], width_ratios=[1.6, 1.0]
    )
    sticks = _stick_spans(log, float(t[-1]))
    for panel, column, colour, text in (
        ("x", "displacement", _style.BLUE, "displacement x [m]"),
        ("force", "friction force", _style.VERMILION, "friction force F [N]"),
    ):
        for k, (start, stop) in enumerate(sticks):
            axes[panel].axvspan(
                start, stop, color=_style.STICK_SHADE, linewidth=0.0, label=None if k else "stick"
            )
        axes[panel].plot(t, run[column], color=colour)
        axes[panel].set(xlabel="time t [s]", ylabel=text, xlim=(t[0], t[-1]))
    _draw.key(axes["x"])
    axes["phase"].plot(run["displacement"], run["velocity"], color=_style.BLUE)
    axes["phase"].axhline(BELT, color="#7A7A7A", linewidth=0.8, linestyle=":")
    axes["phase"].text(0.0, BELT, "belt speed", va="bottom", color="#5A5A5A")
    axes["phase"].set(xlabel="displacement x [m]", ylabel="velocity [m/s]", ylim=(-0.25, 0.27))
    axes["events"].axis("off")
    rows = [
        [f"{log['time'][k]:.9f}", f"{log['before'][k]} → {log['after'][k]}"]
        for k in range(min(7, log["time"].size))
    ]
    rows.append([f"{log['time'][-1]:.9f}", f"the last of {log['time'].size}"])
    table = axes["events"].table(
        rows, colLabels=["time [s]", "event"], loc="center", cellLoc="left", edges="horizontal"
    )
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    table.auto_set_column_width([0, 1])
    for (line, column), cell in table.get_celld().items():
        cell.set_linewidth(0.4 if line else 0.8)
        cell.set_edgecolor("#B0B0B0")
        if column == 0:
            cell.get_text().set_horizontalalignment("right")


FIGURES = (Figure("belt", "stick-slip of a block on a belt", "closed form", compute, draw, 105.0),)
