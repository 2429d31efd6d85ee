"""Pictures of friction laws: the steady force over the sliding velocity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import non_negative, reject, vector
from stickslip.draw import place
from stickslip.laws.formulas import FormulaLaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.laws.law import Law

_SLOWEST, _FASTEST = 1e-9, 1.0  # m/s, of a formula
_AROUND = 5.0  # characteristic velocities
_POINTS = 400


def _range(law: Law) -> float:
    """Greatest velocity of the picture: a few of the characteristic velocities, or the last point of a table."""
    found = []
    for term in law.terms:
        for name in ("stribeck_velocity", "width"):
            if speed := getattr(term, name, None):
                found.append(_AROUND * speed)
        if (knots := getattr(term, "velocities", None)) is not None:
            found.append(float(np.abs(knots).max()))
    return max(found, default=_FASTEST)


def _velocities(law: Law) -> tuple[NDArray[np.float64], bool]:
    """Default velocities, and whether their axis is logarithmic."""
    if any(isinstance(term, FormulaLaw) for term in law.terms):
        return np.geomspace(_SLOWEST, _FASTEST, _POINTS), True
    speeds = np.concatenate([[0.0], np.geomspace(1e-4, 1.0, _POINTS)]) * _range(law)
    return np.concatenate([-speeds[:0:-1], speeds]), False


def plot(
    self: Law,
    velocity: ArrayLike | None = None,
    normal_load: float = 1.0,
    *,
    ax: Axes | None = None,
    **keywords: Any,
) -> Axes:
    """Draw a law: what `Law.plot` does."""
    load = non_negative("normal_load", normal_load)
    if velocity is None:
        v, logarithmic = _velocities(self)
    else:
        v, logarithmic = vector("velocity", velocity), False
        if v.size < 2 or not (np.diff(v) > 0.0).all():
            reject("velocity", velocity, "at least two increasing velocities")
    with place.axes(ax, "force over velocity", 80.0) as axes:
        options = place.line_options(keywords)
        moving = v[v != 0.0]
        force = np.asarray(self.force(moving, load))
        back, on = moving < 0.0, moving > 0.0
        if self.compiled.traits.sticks and v[0] <= 0.0 <= v[-1]:
            negative, positive = (load * level for level in self.break_away)
            moving = np.concatenate([moving[back], [0.0, 0.0], moving[on]])
            force = np.concatenate([force[back], [negative, positive], force[on]])
        axes.plot(moving, force, **options)
        axes.set(xlabel="velocity [m/s]", ylabel="friction force [N]")
        if logarithmic:
            axes.set_xscale("log")
    return axes
