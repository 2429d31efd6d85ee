"""Figure 4 of Krämer and Kempkes: the law of LuGre against the Stribeck curve.

The source prints no values for it. Chosen here: the levels of figure 2 (Fs = 1.5 N, Fc = 1 N, Fv = 20 Ns/m,
vs = 1 mm/s, shape 2), σ0 = 1e5 N/m, σ1 = 2·sqrt(σ0·m) with m = 1 kg, velocity 5 mm/s·sin(2π·1 Hz·t), second
period.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stickslip_figures._check import RADAU, Check, Origin
from stickslip_figures._data import Figure, FigureData, Series
from stickslip_figures._input import inputs
from stickslip_figures.servo_stribeck import KINETIC, LEVELS, STATIC, STRIBECK_VELOCITY, VISCOUS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from stickslip.laws import LuGre, Stribeck

STIFFNESS = 1e5
DAMPING = 2.0 * math.sqrt(STIFFNESS)
AMPLITUDE, FREQUENCY = 5e-3, 1.0
GIVEN = (
    *inputs("printed", "section 2.2", ("σ1", "2·sqrt(σ0·m)", "")),
    *LEVELS,
    *inputs(
        "chosen",
        "not printed",
        ("vs", STRIBECK_VELOCITY, "m/s"),
        ("σ0", STIFFNESS, "N/m"),
        ("m", 1.0, "kg"),
        ("v", "5 mm/s·sin(2π·1 Hz·t)", ""),
    ),
)


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


def _exact(*times: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and forces of the second period at 1 Hz at just these times."""
    import stickslip as ss

    signal = ss.Sine(amplitude=AMPLITUDE, frequency=FREQUENCY)
    answer = lugre().response([0.0, *sorted(times)], signal)
    return answer.velocity[1:], answer.force[1:]


def _zero_force() -> float:
    """Speed (m/s) at which the force is zero after the reversal at 1 s."""
    low, high = 1.01, 1.03
    for _ in range(3):
        t = np.linspace(low, high, 1001)
        v, force = _exact(*t)
        k = int(np.flatnonzero(force >= 0.0)[0])
        low, high = float(t[k - 1]), float(t[k])
    share = force[k - 1] / (force[k - 1] - force[k])
    return float(v[k - 1] + share * (v[k] - v[k - 1]))


def _with_motion() -> float:
    """Path (m) on which friction acts along with the motion after a slow reversal."""
    import stickslip as ss

    # Slow enough that the force depends on the path alone, over ten times the path in which bristles reverse.
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
    share = math.asin(0.5 * STRIBECK_VELOCITY / AMPLITUDE) / (2.0 * math.pi)
    _, (reversal, rising, falling) = _exact(1.0, 1.0 + share, 1.5 - share)
    closed, apart = Origin.CLOSED_FORM, Origin.INDEPENDENT
    checks = [
        Check(
            "slow period (1 mHz): worst distance from the curve", "N", steady, 0.0, 5e-4, closed,
            "LuGre in steady sliding is the Stribeck curve",
        ),
        Check("force at vs/2, v rising", "N", float(rising), -0.1505786406, 1e-10, apart, RADAU),
        Check("force at vs/2, v falling", "N", float(falling), 1.2671392373, 1e-10, apart, RADAU),
        Check("force at the reversal, forwards", "N", float(reversal), -1.2727987675, 1e-10, apart, RADAU),
        Check(
            "friction acts with the motion over, slow reversal", "m", _with_motion(),
            STATIC / STIFFNESS * math.log(2.0), 1e-9, closed, "(Fs/σ0) ln 2",
        ),
        Check(
            "greatest speed at which it does, at 1 Hz", "m/s", _zero_force(), 0.0005550318, 1e-10, apart, RADAU
        ),
        Check(
            "power of friction on the body there", "W", float(np.max(-force * v)), 0.0, 0.0, Origin.CLAIMED,
            "text of figure 4: at low speed along with the motion", relation=">",
        ),
    ]  # fmt: skip
    columns = {"time": t, "velocity": v, "LuGre": force, "Stribeck": curve}
    units = {"time": "s", "velocity": "m/s", "LuGre": "N", "Stribeck": "N"}
    return FigureData({"": Series(columns, units)}, checks, GIVEN)


def draw(data: FigureData, figure: Canvas) -> None:
    """Draw both over the velocity, and the neighbourhood of rest."""
    from stickslip.draw import style as _style

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
    left.set_title("one settled period")
    right.set(title="near rest", ylabel="F [N]")


FIGURES = (
    Figure("servo_4", "LuGre against the Stribeck curve", "Krämer, Kempkes, figure 4", compute, draw, 85.0),
)
