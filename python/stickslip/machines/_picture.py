"""Animation of gears: two flanks that slide on each other, with the gap magnified."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stickslip.animation import Body, Picture, Spring
from stickslip.draw import style as _style

if TYPE_CHECKING:
    from stickslip.run.trajectory import Trajectory

Array = npt.NDArray[np.float64]


def flanks(
    run: Trajectory,
    angle: float,
    upper: Array,
    lower: Array,
    pulled: Array,
    gap: Array,
    names: tuple[str, str],
) -> Picture:
    """Draw an upper body that moves vertically on a lower one that moves horizontally.

    Parameters
    ----------
    run
        The trajectory.
    angle
        Angle of the flanks, rad.
    upper, lower, pulled
        Displacements (n_times,) of upper body, lower body and the pulled end of the spring, m.
    gap
        Gap along the flanks' normal, m.
    names
        Names of upper and lower body.
    """
    # Travel takes 2 units, so the lower body, 6 long, stays under the upper one in either direction.
    travel = max(float(np.abs(lower).max()), float(np.abs(pulled).max()), 1e-12)
    scale, length, base = 2.0 / travel, 6.0, 0.6
    # A gap of at most 0.3 units, and never drawn smaller than it is.
    zoom = max(1.0, 0.3 / (scale * max(float(gap.max()), 1e-9 * travel)))
    slope = math.tan(angle)
    # The flank rises towards the pull: drawn out, the lower body lets the upper one down.
    bottom = np.array([[0.0, 0.0], [length, 0.0], [length, base + length * slope], [0.0, base]])
    left, right = 2.5, 3.5
    top = base + right * slope + 1.0
    cap = np.array([[left, base + left * slope], [right, base + right * slope], [right, top], [left, top]])
    still = np.zeros_like(run.t)
    # The magnification of the gap displaces the upper body vertically.
    lift = scale * upper + (zoom - 1.0) * scale * gap / math.cos(angle)
    end = length + 1.5
    bodies = (
        Body(bottom, np.stack([scale * lower, still], axis=1), names[1], _style.SKY),
        Body(cap, np.stack([still, lift], axis=1), names[0], _style.ORANGE),
    )
    spring = Spring(
        np.stack([length + scale * lower, still + 0.4], axis=1),
        np.stack([end + scale * pulled, still + 0.4], axis=1),
    )
    note = f"gap drawn {zoom:.3g} times as large" if zoom > 1.0 else ""
    return Picture(bodies, (spring,), note)
