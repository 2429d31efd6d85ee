"""Figure 7.3 of Hinrichsen, the friction line measured while lifting, and the limits of chatter.

The source lifts a load at many speeds, measures the torque on the worm and its angle, and puts them into
(7.2). Its points are in a picture only, from 0.4 down to 0.14. Here the rig is simulated with a known
Stribeck line between these values, sampled as the rig samples (angle in 13 bits, torque in 12 bits of 2
Nm), and the line is recovered by (7.2). The Stribeck velocity 0.2 m/s and the shape 1 are chosen; a
steeper line would make the worm stick and slip at the lowest speeds, where (7.2) does not hold. The shaft is
that of figures 7.4–7.8.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures._check import Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._gears import INERTIAS, RIG, RIG_PRINTED, RIG_SHAFT, RPM, SOURCE, rig
from stickslip_figures._input import inputs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip import Stribeck

LEAST, GREATEST, STRIBECK_VELOCITY = 0.14, 0.40, 0.2
SPEEDS = (
    np.array([1.0, 2.0, 4.5, 8.0, 15.0, 25.0, 40.0, 60.0, 80.0, 120.0, 160.0]) * RPM
)  # of the motor, rad/s
HOLD, SETTLE, SAMPLING = 2.0, 1.0, 1e-3  # s
ANGLE_STEP, TORQUE_STEP = (
    2.0 * math.pi / 2**13,
    2.0 * 2.0 / 2**12,
)  # of the encoder (rad), of ±2 Nm in 12 bits
KG_MM2 = 1e6
LINE = inputs(
    "chosen",
    "between the least and the greatest coefficient measured",
    ("vs", STRIBECK_VELOCITY, "m/s"),
    ("δ", 1.0, ""),
)
SHAFT = RIG_SHAFT[:2]  # no impacts here, so ε has no effect


def line(speed: float) -> float:
    """The coefficient put into the simulation at a sliding speed (m/s), by hand (3.46)."""
    return LEAST + (GREATEST - LEAST) * math.exp(-abs(speed) / STRIBECK_VELOCITY)


def law() -> Stribeck:
    """The same as a law for the flank."""
    import stickslip as ss

    return ss.Stribeck(static=GREATEST, kinetic=LEAST, stribeck_velocity=STRIBECK_VELOCITY, shape=1.0)


def measure(motor_speed: float) -> tuple[float, float, float, float]:
    """Lift at one motor speed (rad/s): sliding speed (m/s), torque (Nm), μ by (7.2), exact μ by (7.2)."""
    import stickslip as ss

    gear = rig(0, motor_speed=motor_speed, clearance=None, friction=law())
    run = ss.simulate(gear, t_end=HOLD, dt=SAMPLING)
    steady = run.t >= SETTLE
    t, angle = run.t[steady], run["worm.position"][steady]
    torque = gear.shaft_stiffness * (motor_speed * t - angle)
    torque += gear.shaft_damping * (motor_speed - run["worm.velocity"][steady])
    seen_angle = ANGLE_STEP * np.round(angle / ANGLE_STEP)
    seen_torque = TORQUE_STEP * np.round(torque / TORQUE_STEP)
    # A parabola through the samples: its slope is the worm's speed, its curvature the acceleration in (7.2).
    centred = t - t.mean()
    curvature, speed, _ = np.polyfit(centred, seen_angle, 2)
    sliding = abs(speed) * (gear.worm_radius / math.cos(gear.lead_angle))
    found = float(gear.measured_friction(seen_torque.mean(), 2.0 * curvature, "lifting"))
    exact = gear.measured_friction(torque, run["worm.acceleration"][steady], "lifting")
    return sliding, float(seen_torque.mean()), found, float(exact.mean())


def compute_line() -> FigureData:
    """Simulate the measurement at every speed and recover the line."""
    rows = np.array([measure(float(speed)) for speed in SPEEDS])
    sliding, torque, found, exact = rows.T
    true = np.array([line(float(speed)) for speed in sliding])
    fine = np.linspace(0.0, 1.05 * sliding[-1], 200)
    off = float(np.abs(exact - true).max()), float(np.abs(found - true).max())
    angle = math.degrees(math.atan(LEAST / math.cos(RIG.pressure_angle)))
    back, closed = "(7.2) gives the line back", Origin.CLOSED_FORM
    checks = [
        Check("worst coefficient from exact samples, off by", "", off[0], 0.0, 5e-7, closed, back),
        Check("worst coefficient from quantised samples, off by", "", off[1], 0.0, 3e-4, closed, back),
        Check("friction angle at 0.14", "deg", angle, 8.47, 5e-3, Origin.PRINTED, f"{SOURCE}, 7.2"),
    ]
    measured = Series(
        {
            "motor speed": SPEEDS / RPM,
            "sliding speed": sliding,
            "torque": torque,
            "coefficient": found,
            "put in": true,
        },
        {"motor speed": "rpm", "sliding speed": "m/s", "torque": "Nm", "coefficient": "", "put in": ""},
    )
    curve = Series(
        {"sliding speed": fine, "coefficient": [line(v) for v in fine]},
        {"sliding speed": "m/s", "coefficient": ""},
    )
    return FigureData({"measured": measured, "line": curve}, checks, (*RIG_PRINTED, *SHAFT, *LINE))


def draw_line(data: FigureData, figure: Canvas) -> None:
    """Draw the given line and the points recovered by (7.2)."""
    from stickslip.draw import style as _style

    ax = figure.subplots()
    curve, points = data["line"], data["measured"]
    ax.plot(
        curve["sliding speed"], curve["coefficient"], color=_style.BLUE, label="line used in the simulation"
    )
    ax.plot(
        points["sliding speed"], points["coefficient"], linestyle="none", marker="o", markersize=4.5,
        markerfacecolor="white", color=_style.VERMILION,
        label="recovered by (7.2), torque and angle quantised",
    )  # fmt: skip
    slope = math.tan(RIG.lead_angle) * math.cos(RIG.pressure_angle)
    ax.axhline(slope, color="#7A7A7A", linewidth=0.8, linestyle=":")
    ax.text(curve["sliding speed"][-1], slope, "self-braking above", ha="right", va="bottom", color="#5A5A5A")
    ax.set(
        xlabel="sliding speed [m/s]", ylabel="coefficient of friction μ", ylim=(0.0, 0.45),
        xlim=(0.0, curve["sliding speed"][-1]),
    )  # fmt: skip
    ax.legend(loc="upper right")


# -- limits of chatter (7.3–7.6) -----------------------------------------------------------------------

LEVELS = (0.07, 0.10, 0.14, 0.20, 0.30, 0.40)
# A motor that jumps to its speed ω pulls with d_φ·ω at once, which is more than μ = 0.07 holds at 4.5 rpm; (2.33)
# concerns a limit of stick that is reached from within.
SLOWLY, TRIAL = 2.5 * RPM, 0.5  # rad/s, s
PULL = inputs(
    "chosen", "stick ends after the start, also at μ = 0.07", ("speed of the motor", SLOWLY / RPM, "rpm")
)


def _opens(inertia_set: int, level: float) -> tuple[bool, bool]:
    """Loss of contact in a simulated pull, and loss of contact without slip, as booleans."""
    import stickslip as ss

    gear = rig(inertia_set, friction=level, clearance=None, motor_speed=-SLOWLY)
    run = ss.simulate(gear, t_end=TRIAL)
    changes = [(str(event.before), str(event.after)) for event in run.events]
    opened = [k for k, (_, after) in enumerate(changes) if after == "open"]
    return bool(opened), bool(opened) and changes[opened[0]][0] == "stick"


def _condition(level: float, inertia_set: int) -> bool:
    """True if the worm gear chatters by (2.33) at a coefficient of friction."""
    lag = math.atan(level / math.cos(RIG.pressure_angle)) - RIG.lead_angle
    ratio = (RIG.worm_radius / RIG.wheel_radius) ** 2 * math.tan(RIG.lead_angle)
    return RIG.worm_inertia - INERTIAS[inertia_set] * ratio * math.tan(lag) < 0.0


def compute_limits() -> FigureData:
    """Compute the limit over the friction, and simulate the six inertias at several coefficients."""
    friction = np.linspace(0.066, 0.42, 240)
    critical = [
        dataclasses.replace(RIG, friction=float(level)).critical_wheel_inertia * KG_MM2 for level in friction
    ]
    trials = [(level, k, *_opens(k, level)) for level in LEVELS for k in range(len(INERTIAS))]
    rounded = dataclasses.replace(RIG, friction=math.tan(math.radians(8.47)) * math.cos(RIG.pressure_angle))
    least = dataclasses.replace(RIG, friction=LEAST).critical_wheel_inertia * KG_MM2
    wrong = float(sum(direct != _condition(level, k) for level, k, _, direct in trials))
    bare = [opens for level, k, opens, _ in trials if k == 0 and level >= LEAST]
    first = [direct for level, k, _, direct in trials if k == 1 and level >= LEAST]
    said, printed, name, greatest = Origin.CLAIMED, Origin.PRINTED, "chatters above", rig(5).critical_friction
    checks = [
        Check(
            f"μ = 0.14, ρ rounded to 8.47°: {name}", "kg·mm²", rounded.critical_wheel_inertia * KG_MM2, 584978.0,
            0.5, printed, f"{SOURCE}, (7.4)",
        ),
        Check(
            f"μ = 0.14: {name}", "kg·mm²", least, 584978.0, 0.5, printed, f"{SOURCE}, (7.4)",
            "computed with ρ rounded to 8.47°",
        ),
        Check(f"greatest inertia: {name} μ", "", greatest, 0.07, 0.005, printed, f"{SOURCE}, (7.6)"),
        Check(
            "trials that go straight from stick to separation, but should not, or the reverse", "", wrong, 0.0,
            0.0, Origin.CLOSED_FORM, "(2.33)",
        ),
        Check("set 0, μ = 0.14 … 0.4: trials that open", "", float(sum(bare)), 0.0, 0.0, said, f"{SOURCE}, 7.2"),
        Check(
            "set 1, μ = 0.14 … 0.4: trials that open at once", "", float(sum(first)), float(len(first)), 0.0, said,
            f"{SOURCE}, 7.2",
        ),
    ]  # fmt: skip
    words = [
        "opens at once" if direct else "opens after a slip" if opens else "slides"
        for _, _, opens, direct in trials
    ]
    simulated = Series(
        {
            "coefficient": [trial[0] for trial in trials],
            "wheel inertia": [INERTIAS[trial[1]] * KG_MM2 for trial in trials],
            "set": [trial[1] for trial in trials],
            "outcome": words,
        },
        {"coefficient": "", "wheel inertia": "kg·mm²", "set": "", "outcome": ""},
    )
    limit = Series(
        {"coefficient": friction, "critical inertia": critical},
        {"coefficient": "", "critical inertia": "kg·mm²"},
    )
    return FigureData({"limit": limit, "simulated": simulated}, checks, (*RIG_PRINTED, *SHAFT, *PULL))


def draw_limits(data: FigureData, figure: Canvas) -> None:
    """Draw the limit and the outcomes of the simulated pulls."""
    from stickslip.draw import style as _style

    ax = figure.subplots()
    limit, trials = data["limit"], data["simulated"]
    ax.fill_between(limit["coefficient"], limit["critical inertia"], 1e7, color="#F6E3D6", linewidth=0.0)
    ax.plot(limit["coefficient"], limit["critical inertia"], color=_style.BLACK, label="limit (7.3)")
    faces = (
        ("slides", "o", _style.BLUE, "white"),
        ("opens after a slip", "s", _style.GREEN, _style.GREEN),
        ("opens at once", "^", _style.VERMILION, _style.VERMILION),
    )
    for word, marker, colour, face in faces:
        pick = trials["outcome"] == word
        if pick.any():
            ax.plot(
                trials["coefficient"][pick], trials["wheel inertia"][pick], linestyle="none", marker=marker,
                markersize=5, color=colour, markerfacecolor=face, label=f"simulated: {word}",
            )  # fmt: skip
    ax.set(
        xlabel="coefficient of friction μ", ylabel="wheel inertia Θ1 [kg·mm²]", yscale="log", ylim=(8e3, 6e6),
        xlim=(0.05, 0.42),
    )  # fmt: skip
    for k, value in enumerate(INERTIAS):
        if k in (0, 1, 3, 5):
            ax.text(0.423, value * KG_MM2, f"set {k}", va="center", color="#5A5A5A", clip_on=False)
    ax.text(0.30, 3.4e5, "chatters", color=_style.VERMILION)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)


FIGURES = (
    Figure(
        "chatter_7_3",
        "friction line of the worm gear",
        f"{SOURCE}, figure 7.3",
        compute_line,
        draw_line,
        80.0,
    ),
    Figure(
        "chatter_limits",
        "where the worm gear chatters",
        f"{SOURCE}, (7.3)-(7.6)",
        compute_limits,
        draw_limits,
        90.0,
    ),
)
