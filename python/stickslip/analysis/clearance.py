"""Impacts of a worm in its clearance: the lowest speed at which it reaches the opposite flank.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, chapter 7: at a
clearance of 2 mm the worm of the test rig hits one flank at 4.5 rpm, and both from about 12 to 15 rpm on. The stiffness
of its input shaft is not printed, so the speed is mapped over it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.laws import Law
from stickslip.machines.worm_gear import WormGear
from stickslip.run.simulation import simulate

__all__ = ["OppositeFlankMap", "opposite_flank_map"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OppositeFlankMap:
    """Lowest motor speed at which the worm reaches the opposite flank.

    Attributes
    ----------
    stiffness : ndarray, shape (stiffnesses,)
        Torsional stiffness of the input shaft, Nm/rad.
    friction : ndarray, shape (frictions,)
        Kinetic coefficient of friction.
    restitution : ndarray, shape (restitutions,)
        Coefficient of restitution.
    speed : ndarray, shape (stiffnesses, frictions, restitutions)
        Lowest speed found by simulation at which the worm reaches the opposite flank, rad/s; infinite where it does not at
        any speed tried.
    first_flight : ndarray, shape (stiffnesses, frictions)
        Speed from which the first flight reaches the opposite flank, in closed form, rad/s. With ε = 0 all later flights
        are equal as long as impacts end in stick; with ε > 0 a later flight may reach farther.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> rig = ss.machines.worm_gear(wheel_inertia=2.924804, worm_inertia=1.56e-3, wheel_radius=0.05,
    ...     worm_radius=0.036, lead_angle=np.deg2rad(3.18), friction=0.4, load_torque=3.53,
    ...     shaft_stiffness=1.5, motor_speed=-0.47, clearance=2e-3)
    >>> found = ss.analysis.opposite_flank_map(rig, [1.5], [0.4], speed=np.linspace(4, 40, 10) * np.pi / 30)
    >>> found.speed.shape
    (1, 1, 1)
    """

    stiffness: Array
    friction: Array
    restitution: Array
    speed: Array
    first_flight: Array

    def __repr__(self) -> str:
        rows: list[tuple[str, ...]] = [
            ("k / Nm/rad", "friction", "restitution", "speed / rpm", "first flight / rpm")
        ]
        for i, k in enumerate(self.stiffness):
            for j, mu in enumerate(self.friction):
                for e, eps in enumerate(self.restitution):
                    both = (self.speed[i, j, e], self.first_flight[i, j])
                    speeds = (f"{s * 30.0 / math.pi:.4g}" for s in both)
                    rows.append((f"{k:g}", f"{mu:g}", f"{eps:g}", *speeds))
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in rows)


def _hits(gear: WormGear, flights: int) -> bool:
    """Simulate the first flights; True if one of them ends on the opposite flank."""
    if not math.isfinite(gear.separation_time):
        return False
    end = gear.separation_time + flights * 2.0 * math.pi / gear.shaft_frequency
    run = simulate(gear, t_end=end, max_events=20 * flights)
    return any(e.element == "opposite_flank" and e.impact for e in run.events)


def opposite_flank_map(
    gear: WormGear,
    stiffness: ArrayLike,
    friction: ArrayLike,
    restitution: ArrayLike = (0.0,),
    *,
    speed: ArrayLike,
    flights: int = 8,
) -> OppositeFlankMap:
    """Map the lowest speed at which the worm reaches the opposite flank, over shaft stiffness, friction and restitution.

    Parameters
    ----------
    gear : WormGear
        The gear with its clearance; its other parameters are kept.
    stiffness, friction, restitution : array_like
        Values along the axes: Nm/rad, > 0; ≥ 0; in [0, 1].
    speed : array_like
        Motor speeds to try, rad/s, > 0, increasing; the direction is that of lowering. Between the last speed without
        and the first with an impact on the opposite flank the limit is bisected to 1e-4 of its value.
    flights : int, default 8
        Length of each run in free periods of the worm on its shaft.

    Returns
    -------
    OppositeFlankMap

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> rig = ss.machines.worm_gear(wheel_inertia=0.875424, worm_inertia=1.56e-3, wheel_radius=0.05,
    ...     worm_radius=0.036, lead_angle=np.deg2rad(3.18), friction=0.4, load_torque=3.53,
    ...     shaft_stiffness=1.3, motor_speed=-0.47, clearance=2e-3)
    >>> rpm = np.pi / 30
    >>> found = ss.analysis.opposite_flank_map(rig, [1.3], [0.4], speed=np.array([4.5, 15.0]) * rpm)
    >>> bool(4.5 * rpm < found.speed[0, 0, 0] <= 15.0 * rpm)
    True
    """
    if not isinstance(gear, WormGear):
        checks.reject("gear", gear, "a WormGear")
    if isinstance(gear.friction, Law):
        checks.reject("gear", gear, "a gear whose friction is a number, which the map varies")
    if gear.clearance is None:
        raise ValueError("gear has no clearance, and therefore no opposite flank")
    k, mu, eps = (
        checks.vector(name, value)
        for name, value in (("stiffness", stiffness), ("friction", friction), ("restitution", restitution))
    )
    speeds = checks.vector("speed", speed)
    if np.any(speeds <= 0.0) or np.any(np.diff(speeds) <= 0.0):
        raise ValueError("speed must be > 0 and increase")
    if flights < 1:
        checks.reject("flights", flights, ">= 1")
    found = np.full((k.size, mu.size, eps.size), math.inf)
    first = np.empty((k.size, mu.size))
    static = None if gear.static_friction is None else gear.static_friction / gear.friction
    for i, stiff in enumerate(k):
        for j, level in enumerate(mu):
            cell = replace(
                gear,
                shaft_stiffness=float(stiff),
                friction=float(level),
                static_friction=None if static is None else static * float(level),
            )
            first[i, j] = cell.opposite_flank_speed
            for e, ratio in enumerate(eps):
                here = replace(cell, restitution=float(ratio))
                found[i, j, e] = _lowest(here, speeds, flights)
    return OppositeFlankMap(k, mu, eps, found, first)


def _lowest(gear: WormGear, speeds: Array, flights: int) -> float:
    def hits(speed: float) -> bool:
        return _hits(replace(gear, motor_speed=-speed), flights)

    low = 0.0
    for speed in speeds:
        high = float(speed)
        if hits(high):
            break
        low = high
    else:
        return math.inf
    if low == 0.0:
        return high
    while high - low > 1e-4 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if hits(middle) else (middle, high)
    return high
