"""A block on a moving belt, held by a spring."""

from __future__ import annotations

from stickslip import _checks as checks
from stickslip.laws import Law
from stickslip.machine.machine import Machine
from stickslip.signals import Signal

__all__ = ["belt_oscillator"]


def belt_oscillator(
    mass: float,
    stiffness: float,
    law: Law | float,
    belt_velocity: Signal | float,
    normal_load: Signal | float = 1.0,
    damping: float = 0.0,
) -> Machine:
    """Make a belt oscillator, ``m x'' + d x' + k x = -F(x' - belt velocity)``.

    Parameters
    ----------
    mass : float
        Mass of the block, kg, positive.
    stiffness : float
        Stiffness of the spring, N/m, not negative.
    law : Law or float
        Friction between block and belt.
    belt_velocity : float or Signal
        Velocity of the belt, m/s.
    normal_load : float or Signal, default 1.0
        Normal load, N.
    damping : float, default 0.0
        Damping of the spring, N s/m.

    Returns
    -------
    Machine
        With the coordinate "block" and the friction "belt".

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.machines.belt_oscillator(1.0, 2.0, ss.Coulomb(static=1.0, kinetic=0.8), belt_velocity=0.2)
    >>> round(ss.simulate(m, t_end=5.0, initial={"block.velocity": 0.2}).events[0].time, 9)
    2.5
    """
    m = Machine(
        mass=checks.positive("mass", mass),
        stiffness=checks.non_negative("stiffness", stiffness),
        damping=checks.finite("damping", damping),
        names=["block"],
    )
    m.add_friction("belt", on="block", law=law, normal_load=normal_load, surface_velocity=belt_velocity)
    return m
