"""A friction law under a measured velocity, as a machine for `fit`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import positive
from stickslip.identify._records import columns, increasing
from stickslip.laws import Law, as_law
from stickslip.laws.stick_slip import StickSlip
from stickslip.machine.machine import Machine
from stickslip.signals import Piecewise

# Change of the velocity by friction over the whole record, relative to it.
STILL = 1e-15


def driven(
    law: Law | StickSlip | float,
    t: ArrayLike,
    velocity: ArrayLike,
    *,
    normal_load: float = 1.0,
    name: str = "guide",
) -> Machine:
    """Make a machine in which a friction element follows a measured velocity, to fit its law to the measured force.

    A surface moves with the measured velocity under a body so heavy that friction does not move it. The record may
    contain presliding and sliding. The force equals `Law.response` for linear interpolation between the samples of the
    velocity.

    Parameters
    ----------
    law : Law or StickSlip or float
        The law with its start values; a number is dry friction of this level.
    t : array_like, shape (n,)
        Times, s, increasing.
    velocity : array_like, shape (n,)
        Measured sliding velocity, m/s.
    normal_load : float, default 1.0
        Normal load, N; levels and stiffness of a law are per unit load.
    name : str, default "guide"
        Name of the friction element: free parameters are ``"guide.law.stiffness"``, ..., the record is
        ``"guide.force"``.

    Returns
    -------
    Machine

    Raises
    ------
    ValueError
        Naming the argument; also if the velocity is zero throughout.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> t = np.linspace(0.0, 2.0, 400)
    >>> v = 1e-3 * t * np.sin(20.0 * t)
    >>> force = ss.Dahl(stiffness=2e4, kinetic=1.5).response(t, v).force
    >>> m = ss.identify.driven(ss.Dahl(stiffness=1e4, kinetic=1.0), t, v)
    >>> fit = ss.identify.fit(m, ["guide.law.stiffness", "guide.law.kinetic"], {"guide.force": (t, force)})
    >>> round(fit.parameters["guide.law.stiffness"], 2), round(fit.parameters["guide.law.kinetic"], 6)
    (20000.0, 1.5)
    """
    law = law if isinstance(law, StickSlip) else as_law(law)
    times, v = columns(3, t=t, velocity=velocity)
    increasing("t", times)
    load = positive("normal_load", normal_load)
    fastest = float(np.abs(v).max())
    if fastest == 0.0:
        raise ValueError(
            "velocity is zero throughout, so the force does not depend on the law: give a record with motion"
        )
    mass = load * float(times[-1] - times[0]) / (STILL * fastest)
    machine = Machine(mass=mass, names=["body"])
    machine.add_friction(
        str(name), on="body", law=law, normal_load=load, surface_velocity=Piecewise(times, -v)
    )
    return machine
