"""Chatter maps of gears over friction and inertia ratio: by Füsgen's condition, by the pull from rest, by simulation.

Source: Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, (2.23).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.analysis._gears import wedge_of
from stickslip.laws import Law
from stickslip.machines.wedge_gear import WedgeGear
from stickslip.machines.worm_gear import WormGear
from stickslip.modes import Mode
from stickslip.run.simulation import simulate as run_machine

Array = NDArray[np.float64]

OUTCOMES = ("slips", "opens after a slip", "opens at once", "never moves")


@dataclass(frozen=True, eq=False)
class ChatterMap:
    """Chatter over friction and inertia ratio.

    Attributes
    ----------
    friction : ndarray, shape (columns,)
        Kinetic coefficients of friction.
    inertia_ratio : ndarray, shape (rows,)
        Ratios m2/m1 of lower to upper mass; for a worm gear (Θ2/r2²)/(Θ1/r1²).
    margin : ndarray, shape (rows, columns)
        δ/m1; the gear chatters by Füsgen's condition where it is negative.
    chatters : ndarray of bool, shape (rows, columns)
        Füsgen's condition together with self-braking.
    outcome : ndarray of int8, shape (rows, columns)
        Index into `outcomes`: result of the pull from rest.
    separation_time : ndarray, shape (rows, columns)
        Time at which contact is first lost, s; infinite if the first slip keeps it.
    simulated : ndarray of int8, shape (rows, columns), or None
        Outcomes of simulations, if `chatter_map` was called with ``simulate=True``.
    boundary : ndarray, shape (columns,)
        Inertia ratio tan γ·tan(ρ − γ) below which the gear chatters; zero where it is not self-braking.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> found = ss.analysis.chatter_map(gear, [0.25], [0.004, 0.008, 0.2])
    >>> [found.outcomes[i] for i in found.outcome[:, 0]]
    ['opens at once', 'opens after a slip', 'slips']
    """

    friction: Array
    inertia_ratio: Array
    margin: Array
    chatters: NDArray[np.bool_]
    outcome: NDArray[np.int8]
    separation_time: Array
    boundary: Array
    simulated: NDArray[np.int8] | None = None

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of the outcomes."""
        return OUTCOMES

    def __repr__(self) -> str:
        cells = self.outcome.size
        columns, rows = self.friction.size, self.inertia_ratio.size
        lines = [f"chatter over {columns} friction coefficients and {rows} inertia ratios"]
        lines.append(f"{'condition holds':20}{np.count_nonzero(self.chatters) / cells:8.1%}")
        for index, name in enumerate(OUTCOMES):
            share = f"{name:20}{np.count_nonzero(self.outcome == index) / cells:8.1%}"
            if self.simulated is not None:
                share += f"{np.count_nonzero(self.simulated == index) / cells:10.1%} simulated"
            lines.append(share)
        return "\n".join(lines)


def chatter_map(
    gear: WedgeGear | WormGear,
    friction: ArrayLike,
    inertia_ratio: ArrayLike,
    *,
    vary: str = "lower",
    simulate: bool = False,
) -> ChatterMap:
    """Map the chatter of a gear over friction and inertia ratio, with the result of the pull from rest.

    The condition δ < 0 is exact only for the direct transition stick → separation: for δ > 0 contact may still be lost
    after a slip, which `outcome` shows.

    Parameters
    ----------
    gear : WedgeGear or WormGear
        The gear; its other parameters and the ratio of its static to its kinetic coefficient are kept.
    friction : array_like, shape (columns,)
        Kinetic coefficients of friction, ≥ 0.
    inertia_ratio : array_like, shape (rows,)
        Ratios m2/m1, > 0.
    vary : {"lower", "upper"}
        The inertia that is varied: that of the lower wedge (worm) or of the upper wedge (wheel).
    simulate : bool, default False
        Also simulate every gear until its first slip is over; the outcomes are in ``simulated``.

    Returns
    -------
    ChatterMap

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> ss.analysis.chatter_map(gear, [0.1, 0.25, 0.4], [0.001, 0.01]).chatters
    array([[False,  True,  True],
           [False, False,  True]])
    """
    wedge = wedge_of(gear)
    if isinstance(wedge.friction, Law):
        checks.reject("gear", gear, "a gear whose friction is a number, which the map varies")
    checks.choice("vary", vary, ("lower", "upper"))
    levels, ratios = checks.vector("friction", friction), checks.vector("inertia_ratio", inertia_ratio)
    if np.any(levels < 0.0):
        checks.reject("friction", levels.min(), ">= 0")
    if np.any(ratios <= 0.0):
        checks.reject("inertia_ratio", ratios.min(), "> 0")
    flank = math.cos(gear.pressure_angle) if isinstance(gear, WormGear) else 1.0
    step = wedge.break_away_friction / wedge.friction if wedge.friction > 0.0 else 1.0
    shape = (ratios.size, levels.size)
    margin, separation = np.empty(shape), np.empty(shape)
    chatters, outcome = np.empty(shape, dtype=bool), np.empty(shape, dtype=np.int8)
    simulated = np.empty(shape, dtype=np.int8) if simulate else None
    boundary = np.empty(levels.size)
    for j, level in enumerate(levels / flank):
        for i, ratio in enumerate(ratios):
            masses = (
                {"lower_mass": ratio * wedge.upper_mass}
                if vary == "lower"
                else {"upper_mass": wedge.lower_mass / ratio}
            )
            static = None if wedge.static_friction is None else step * level
            here = replace(wedge, friction=level, static_friction=static, **masses)
            margin[i, j] = here.chatter_margin / here.upper_mass
            chatters[i, j] = here.chatters
            outcome[i, j] = OUTCOMES.index(here.first_motion.outcome)
            separation[i, j] = here.separation_time
            if simulated is not None:
                simulated[i, j] = OUTCOMES.index(simulated_outcome(here))
        boundary[j] = max(0.0, math.tan(wedge.angle) * math.tan(math.atan(level) - wedge.angle))
    return ChatterMap(levels, ratios, margin, chatters, outcome, separation, boundary, simulated)


def simulated_outcome(gear: WedgeGear) -> str:
    """Simulate the pull from rest and return its outcome, one of those of `ChatterMap`.

    The run lasts for a full period of the sliding gear on its spring; the first slip is over after half of it.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=20.0, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> ss.analysis.chattering.simulated_outcome(gear)
    'opens after a slip'
    """
    limit = gear.stick_limits[1 if gear.pull_velocity > 0.0 else 0]
    if gear.pull_velocity == 0.0 or not math.isfinite(limit):
        start = 1.0  # of no motion at all
    else:
        start = max(limit / gear.pull_velocity, 0.0)
    lift = abs(math.tan(gear.angle + math.copysign(gear.friction_angle, -gear.pull_velocity)))
    inertia = gear.lower_mass + gear.upper_mass * math.tan(gear.angle) * lift
    run = run_machine(
        gear, t_end=1.001 * start + 2.0 * math.pi * math.sqrt(inertia / gear.stiffness), max_events=3
    )
    slid = run["flank.mode"][0] in (-1, 1)
    for event in run.events:
        if event.after is Mode.OPEN:
            return "opens after a slip" if slid else "opens at once"
        if slid and event.after is Mode.STICK:
            break
        slid = slid or event.after in (Mode.SLIP_FORWARD, Mode.SLIP_BACKWARD)
    return "slips" if slid else "never moves"
