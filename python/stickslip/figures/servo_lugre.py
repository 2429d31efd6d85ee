"""Figure 4 of Krämer and Kempkes: the law of LuGre against the Stribeck curve.

The source prints no values for it. Chosen here: the levels of figure 2 (Fs = 1.5 N, Fc = 1 N, Fv = 20 Ns/m,
vs = 1 mm/s, shape 2), σ0 = 1e5 N/m, σ1 = 2·sqrt(σ0·m) with m = 1 kg, velocity 5 mm/s·sin(2π·1 Hz·t), second
period.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stickslip.figures._data import Check, Figure, FigureData, Series
from stickslip.figures.servo_stribeck import KINETIC, STATIC, STRIBECK_VELOCITY, VISCOUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import LuGre, Stribeck

STIFFNESS = 1e5
DAMPING = 2.0 * math.sqrt(STIFFNESS)
AMPLITUDE, FREQUENCY = 5e-3, 1.0
INDEPENDENT = "independent integration (Radau)"


def lugre() -> LuGre:
    """Return the dynamic law."""
    import stickslip as ss

    return ss.LuGre(
        stiffness=STIFFNESS,
        damping=DAMPING,
        viscous=VISCOUS,
        static=STATIC,
        kinetic=KINETIC,
        stribeck_velocity=STRIBECK_VELOCITY,
    )


def stribeck() -> Stribeck:
    """Return the static law with the same levels."""
    import stickslip as ss

    return ss.Stribeck(static=STATIC, kinetic=KINETIC, stribeck_velocity=STRIBECK_VELOCITY, viscous=VISCOUS)


def _sides(frequency: float, points: int = 4001) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One settled period: times, velocities, forces of LuGre."""
    import stickslip as ss

    period = 1.0 / frequency
    t = period * np.concatenate(
        [[0.0], np.linspace(0.75, 1.75, points)]
    )  # from one turning point to the next
    answer = lugre().response(t, ss.Sine(amplitude=AMPLITUDE, frequency=frequency))
    return t[1:], answer.velocity[1:], answer.force[1:]


def _with_motion() -> float:
    """Path (m) on which friction acts along with the motion after a slow reversal."""
    import stickslip as ss

    # So slow that force is a function of path alone, over ten times the path on which bristles turn over.
    rate, amplitude = 1e-3, 1e-7
    t = np.concatenate([[0.0], np.linspace(0.5, 0.75, 20001)]) / (rate / (2.0 * math.pi))
    answer = lugre().response(t, ss.Sine(amplitude=amplitude, frequency=rate / (2.0 * math.pi)))
    force = answer.force[1:]
    k = int(np.flatnonzero(force <= 0.0)[0])
    share = force[k - 1] / (force[k - 1] - force[k])
    zero = t[1:][k - 1] + share * (t[1:][k] - t[1:][k - 1])
    start = math.pi / rate
    return amplitude / rate * (1.0 - math.cos(rate * (zero - start)))


def compute() -> FigureData:
    """Compute a period at 1 Hz and a slow one; compare with the curve and closed forms of presliding."""
    t, v, force = _sides(FREQUENCY)
    curve = np.asarray(stribeck().force(v))
    _, slow_v, slow = _sides(1e-3)
    moving = np.abs(slow_v) > 0.3 * STRIBECK_VELOCITY
    steady = float(np.max(np.abs(slow - stribeck().force(slow_v))[moving]))

    rising = np.diff(v, append=v[0]) > 0.0
    forward = v > 0.0

    def at(speed: float, up: bool) -> float:
        pick = forward & (rising == up)
        order = np.argsort(v[pick])
        return float(np.interp(speed, v[pick][order], force[pick][order]))

    along = force * v < 0.0
    checks = [
        Check(
            "slow period (1 mHz): worst distance from the curve [N]",
            steady,
            0.0,
            2e-3,
            "closed form: LuGre in steady sliding is the Stribeck curve",
        ),
        Check("force at vs/2, v rising [N]", at(0.5e-3, True), -0.1505786406, 5e-6, INDEPENDENT),
        Check("force at vs/2, v falling [N]", at(0.5e-3, False), 1.2671392373, 5e-6, INDEPENDENT),
        Check(
            "force at the reversal, backwards to forwards [N]",
            float(force[np.argmin(np.abs(t - 1.0 / FREQUENCY))]),
            -1.2727987675,
            1e-8,
            INDEPENDENT,
        ),
        Check(
            "friction acts with the motion over [m], slow reversal",
            _with_motion(),
            STATIC / STIFFNESS * math.log(2.0),
            2e-8,
            "closed form: (Fs/sigma0) ln 2; the text says: not always against the motion",
        ),
        Check(
            "greatest speed at which it does, at 1 Hz [m/s]",
            float(np.max(np.abs(v[along]))),
            0.0005550318,
            8e-6,
            INDEPENDENT,
        ),
    ]
    columns = {"time": t, "velocity": v, "LuGre": force, "Stribeck": curve}
    return FigureData(
        {"": Series(columns, {"time": "s", "velocity": "m/s", "LuGre": "N", "Stribeck": "N"})}, checks
    )


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw both over the velocity, and the neighbourhood of rest."""
    from stickslip.figures import _style

    s = data[""]
    v, force = 1e3 * s["velocity"], s["LuGre"]
    side = np.geomspace(1e-7, AMPLITUDE, 300)
    steady = np.asarray(stribeck().force(side))
    rising = s["time"] < (0.75 + 0.5) / FREQUENCY
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1.0])
    for ax, limit in ((left, 5.3), (right, 0.9)):
        for sign in (1.0, -1.0):
            label = "Stribeck curve" if sign > 0 else None
            ax.plot(sign * 1e3 * side, sign * steady, color="#7A7A7A", linestyle="--", label=label)
        ax.plot([0.0, 0.0], [-STATIC, STATIC], color="#7A7A7A", linestyle="--")
        ax.plot(v[rising], force[rising], color=_style.VERMILION, label="LuGre, v rising")
        ax.plot(v[~rising], force[~rising], color=_style.BLUE, label="LuGre, v falling")
        ax.set(xlabel="relative velocity v [mm/s]", xlim=(-limit, limit), ylim=(-1.75, 1.75))
    right.fill_between([0.0, 0.9], 0.0, -1.75, color="#EFE6D8", linewidth=0.0, zorder=0.3)
    right.fill_between([-0.9, 0.0], 0.0, 1.75, color="#EFE6D8", linewidth=0.0, zorder=0.3)
    right.text(
        0.87, -1.68, "friction acts\nwith the motion", ha="right", va="bottom", color="#5A5A5A", fontsize=7
    )
    left.set_ylabel("friction force F [N], opposing v")
    left.legend(loc="lower right")
    left.set_title("σ0 = 1e5 N/m, σ1 = 632 Ns/m, 5 mm/s·sin(2π·1 Hz·t)")
    right.set(title="near rest", ylabel="F [N]")


FIGURES = (
    Figure("servo_4", "LuGre against the Stribeck curve", "Krämer, Kempkes, figure 4", compute, draw, 85.0),
)
