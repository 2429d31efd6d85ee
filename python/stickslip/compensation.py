"""Friction compensation: the expected friction force, added to the drive force."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from stickslip import _core
from stickslip._checks import non_negative, reject
from stickslip.control.controllers import Controller
from stickslip.laws import Law, as_law
from stickslip.laws.stick_slip import StickSlip
from stickslip.signals import Signal, as_signal
from stickslip.signals.composed import composed

__all__ = ["Compensator", "FrictionCurve", "FrictionFeedforward", "FrictionForce", "FrictionObserver"]


@dataclass(frozen=True)
class Compensator:
    """Base class of `FrictionFeedforward` and `FrictionObserver`.

    Parameters
    ----------
    law : Law
        The friction model, per unit normal load, without the options of `StickSlip`.
    normal_load : float or Signal, default 1.0
        Normal load of the model, N.
    """

    law: Law
    normal_load: Signal | float = 1.0

    def __post_init__(self) -> None:
        if type(self) is Compensator:
            raise TypeError("Compensator is a base class: use FrictionFeedforward or FrictionObserver")
        object.__setattr__(self, "law", as_law(self.law))
        if isinstance(self.law, StickSlip):
            reject(
                "law",
                self.law,
                "a law without the options of StickSlip: a compensator does not know the modes of the plant",
            )
        object.__setattr__(self, "normal_load", as_signal(self.normal_load, "normal_load"))


@dataclass(frozen=True)
class FrictionFeedforward(Compensator):
    """Feedforward of a friction law at the velocity of the reference.

    It is continuous and acts on coordinates: the engine solves for its force together with the motion, including stick
    and bristles, and it bypasses the drive's limits and lag. To add a friction force to a command, before limits and
    lags, use a `FrictionForce` or, sampled, a `FrictionCurve`.

    Parameters
    ----------
    law : Law
        The friction model, per unit normal load. Laws with a jump at v = 0 give no force while the reference rests;
        bristles start undeflected and follow the reference's velocity.
    normal_load : float or Signal, default 1.0
        Normal load of the model, N.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=1.0))
    >>> reference = ss.Ramp(slope=0.1)
    >>> m.add_controller(ss.PID(kp=100.0, kd=20.0), on="slide", reference=reference)
    'pid'
    >>> model = ss.compensation.FrictionFeedforward(ss.Coulomb(static=1.0, kinetic=1.0))
    >>> m.add_controller(model, on="slide", reference=reference)
    'frictionfeedforward'
    >>> float(ss.simulate(m, t_end=2.0)["frictionfeedforward.output"][-1])
    1.0
    """


@dataclass(frozen=True)
class FrictionObserver(Compensator):
    """Compensation by a bristle model that follows the measured velocity (Canudas de Wit et al. 1995, section V).

    ``dz/dt = v - sigma_0 |v| / g(v) z - gain (x - x_d)``, the output is the law's force.

    Parameters
    ----------
    law : Law
        The friction model, per unit normal load: a law with bristles, or a curve without a jump at v = 0.
    normal_load : float or Signal, default 1.0
        Normal load of the model, N.
    gain : float, default 0.0
        Correction of the bristle by the position error, 1/s, >= 0; only for laws with one internal state and
        constant damping.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.LuGre(stiffness=1e5, damping=316.0, viscous=0.4, static=1.5, kinetic=1.0,
    ...                stribeck_velocity=1e-3)
    >>> m = ss.Machine(mass=1.0, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=law)
    >>> m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), on="slide", reference=1.0)
    'pid'
    >>> m.add_controller(ss.compensation.FrictionObserver(law), on="slide", reference=1.0, name="observer")
    'observer'
    >>> float(ss.simulate(m, t_end=60.0)["pid.error"][-1].round(4))
    0.0
    """

    gain: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "gain", non_negative("gain", self.gain))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionForce(Signal):
    """Signal: the force of a law's steady curve at a velocity given as a function of time.

    Use it as continuous feedforward anywhere in a control chain, such as in the command of a motor, added to the output
    of a speed loop before limits and lags: ``["speed.output", ss.compensation.FrictionForce(law,
    reference.derivative())]``. It consists of quintic pieces, accurate to 1e-11 of the force, and jumps where the
    velocity changes sign.

    Parameters
    ----------
    law : Law or float
        The friction model; its steady curve is used, at rest the middle of the jump (zero for symmetric laws).
    velocity : Signal or float
        Velocity, m/s, such as ``reference.derivative()``. A periodic velocity gives a signal that is periodic from t =
        0 on.
    normal_load : float, default 1.0
        Normal load of the model, N, >= 0; a signal multiplies the force.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3, viscous=0.4)
    >>> move = ss.SmoothStep(0.1, start=1.0, duration=1.0)
    >>> ss.compensation.FrictionForce(law, move.derivative())([0.5, 1.5, 2.5]).round(9)
    array([0.   , 1.075, 0.   ])
    """

    law: Law | float
    velocity: Signal | float
    normal_load: float = 1.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        law, velocity = as_law(self.law), as_signal(self.velocity, "velocity")
        if isinstance(law, StickSlip):
            reject(
                "law",
                law,
                "a law without the options of StickSlip: a compensator does not know the modes of the plant",
            )
        load = non_negative("normal_load", self.normal_load)
        corners = [0.0, *law.compiled.velocity_breakpoints]
        compiled = composed(
            lambda v: np.asarray(law.force(v, load)), corners, velocity.compiled, float(np.finfo(float).tiny)
        )
        self._fill(compiled, law=law, velocity=velocity, normal_load=load)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrictionCurve(Controller):
    """Friction model as a sampled controller: ``u = F(dr/dt)`` at its sampling instants, held in between.

    As with any controller, the output drives a body, or it is added to the output of a speed loop in the command of a
    motor, before limits and lags: ``command=["speed.output", "friction.output"]``. The motion between samples remains
    exact.

    Parameters
    ----------
    law : Law or float
        The friction model; its steady curve is used, at rest the middle of the jump (zero for symmetric laws).
    normal_load : float, default 1.0
        Normal load of the model, N, >= 0.
    controls : {"rate", "value"}, default "rate"
        Source of the velocity: the rate of the reference, or the reference itself.
    **options
        Limits and sampling: see `Controller`. The period is required; with ``rate="difference"`` the rate is the
        difference quotient of sampled references.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(1.0))
    >>> reference = ss.Ramp(slope=0.1)
    >>> m.add_controller(ss.PID(kp=100.0, kd=20.0, period=1e-3), on="slide", reference=reference)
    'pid'
    >>> m.add_controller(ss.compensation.FrictionCurve(ss.Coulomb(1.0), period=1e-3), reference=reference, to="slide")
    'frictioncurve'
    >>> float(ss.simulate(m, t_end=2.0)["frictioncurve.output"][-1])
    1.0
    """

    law: Law | float
    normal_load: float = 1.0
    controls: Literal["rate", "value"] = "rate"

    def __post_init__(self) -> None:
        law = as_law(self.law)
        if isinstance(law, StickSlip):
            reject(
                "law",
                law,
                "a law without the options of StickSlip: a compensator does not know the modes of the plant",
            )
        numbers = self._numbers("normal_load")
        compiled = _core.control.Controller.friction_curve(
            law.compiled, **numbers, controls=self.controls, options=self._options()
        )
        self._fill(compiled, law=law, **numbers)


def __dir__() -> list[str]:
    return sorted(__all__)
