"""A pendulum under gravity."""

from __future__ import annotations

from stickslip import _checks as checks
from stickslip.expressions.functions import sin
from stickslip.laws import Law
from stickslip.machine.machine import Machine
from stickslip.signals import Signal

__all__ = ["pendulum"]


def pendulum(
    mass: float,
    length: float,
    law: Law | float | None = None,
    normal_load: Signal | float = 1.0,
    *,
    inertia: float = 0.0,
    damping: float = 0.0,
    gravity: float = 9.81,
) -> Machine:
    """Make a pendulum, ``(m l² + J) q'' + d q' + m g l sin q = -F(q')``, hanging down at q = 0.

    Parameters
    ----------
    mass : float
        Mass, kg, positive.
    length : float
        Distance of its centre from the joint, m, positive.
    law : Law or float, optional
        Friction in the joint, a torque over the angular velocity; none by default.
    normal_load : float or Signal, default 1.0
        Normal load of the friction, N; with the default the levels of `law` are torques, N m.
    inertia : float, default 0.0
        Moment of inertia J about the centre, kg m², not negative.
    damping : float, default 0.0
        Damping of the joint, N m s/rad.
    gravity : float, default 9.81
        m/s².

    Returns
    -------
    Machine
        With the rotary coordinate "arm" and, with a law, the friction "joint".

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.machines.pendulum(1.0, 0.5, law=ss.Coulomb(0.2))
    >>> run = ss.simulate(m, t_end=10.0, initial={"arm.position": 1.0})
    >>> bool(run["joint.mode"][-1] == ss.Mode.STICK)
    True
    """
    mass, length = checks.positive("mass", mass), checks.positive("length", length)
    weight = mass * checks.finite("gravity", gravity) * length
    m = Machine(
        mass=mass * length**2 + checks.non_negative("inertia", inertia),
        damping=checks.finite("damping", damping),
        names=["arm"],
        kind="rotary",
    )
    m.add_force("arm", lambda q: -weight * sin(q["arm"]))
    if law is not None:
        m.add_friction("joint", on="arm", law=law, normal_load=normal_load)
    return m
