"""Bodies: moving parts, each a coordinate of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stickslip._checks import finite, non_negative, positive, reject
from stickslip.control.controllers import LTI
from stickslip.laws import Law, as_law
from stickslip.machine.machine import Machine
from stickslip.machine.places import Reference
from stickslip.parts.part import Part, check_load
from stickslip.signals import Signal, as_signal


@dataclass(frozen=True, repr=False)
class Body(Part):
    """A moving part, a coordinate of the machine: an `Inertia`, a `Slide` or a `Motor`."""

    _is_base: ClassVar[bool] = True
    kind: ClassVar[str] = "rotary"

    def __post_init__(self) -> None:
        if (friction := getattr(self, "friction", None)) is not None:
            as_law(friction, "friction")
        super().__post_init__()

    @property
    def amount(self) -> float:
        """Mass in kg, or inertia in kg m²."""
        raise NotImplementedError

    def _add_to(self, machine: Machine, name: str) -> None:
        """Everything about it besides its mass."""
        friction: Law | float | None = getattr(self, "friction", None)
        if friction is not None:
            machine.add_friction(
                f"{name}_friction", on=name, law=friction, normal_load=getattr(self, "normal_load", 1.0)
            )


@dataclass(frozen=True, repr=False)
class Inertia(Body):
    """A rotating body.

    Parameters
    ----------
    inertia : float
        Moment of inertia, kg m², >= 0. A shaft that rigid gears or couplings tie to others may have none.
    friction : Law or float, optional
        Friction of its bearings, torques in Nm over the speed in rad/s: the element ``"<name>_friction"``.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> from stickslip import parts
    >>> parts.Inertia(1e-3, friction=0.02)
    Inertia(inertia=0.001, friction=0.02)
    """

    inertia: float
    friction: Law | float | None = None

    def _check(self) -> None:
        self._read(non_negative, "inertia")

    @property
    def amount(self) -> float:
        """Moment of inertia in kg m²."""
        return self.inertia


@dataclass(frozen=True, repr=False)
class Slide(Body):
    """A body that moves along a line.

    Parameters
    ----------
    mass : float
        kg, positive.
    friction : Law or float, optional
        Friction of its guide, per unit of the normal load: the element ``"<name>_friction"``.
    normal_load : float or Signal, default 1.0
        Normal load of its guide, N.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> from stickslip import parts
    >>> parts.Slide(50.0, friction=0.1, normal_load=490.0).kind
    'linear'
    """

    kind: ClassVar[str] = "linear"
    mass: float
    friction: Law | float | None = None
    normal_load: Signal | float = 1.0

    def _check(self) -> None:
        self._read(positive, "mass")
        check_load("normal_load", self.normal_load)

    @property
    def amount(self) -> float:
        """Mass in kg."""
        return self.mass


@dataclass(frozen=True, repr=False)
class Motor(Body):
    """A motor: a rotor whose current follows a command with a limit and a lag.

    ``i' = (limited command - i)/current_lag``, torque = torque_constant * i: the closed current loop is a continuous
    first-order lag, the controller ``"<name>_current"``; with both a limit and a lag the limited command is the output
    of ``"<name>_limit"``.

    Parameters
    ----------
    inertia : float
        Moment of inertia of the rotor, kg m², positive.
    command : Signal or float or str or mapping, or a list of them, default 0.0
        Commanded current, A: a signal, the output of a controller, ``"speed.output"``, or a combination; a list is a
        sum, to add feedforward and compensation before the limit and the lag.
    torque_constant : float, default 1.0
        Torque constant, Nm/A; with 1 the command is a torque.
    current_lag : float, default 0.0
        Time constant of the current loop, s.
    torque_limit : float, optional
        Greatest torque in both directions, Nm, positive.
    friction : Law or float, optional
        Friction of its bearings, Nm over rad/s: the element ``"<name>_friction"``.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> axis = ss.Drive()
    >>> axis.add("motor", ss.parts.Motor(0.01, command=3.0, torque_constant=0.5, current_lag=1e-3, torque_limit=1.0))
    >>> run = ss.simulate(axis, t_end=0.1)
    >>> round(float(run["motor_current.output"][-1]), 6)      # 1 Nm are 2 A
    2.0
    """

    inertia: float
    command: Reference = 0.0
    torque_constant: float = 1.0
    current_lag: float = 0.0
    torque_limit: float | None = None
    friction: Law | float | None = None

    def _check(self) -> None:
        self._read(positive, "inertia", "torque_limit")
        self._read(non_negative, "current_lag")
        self._read(finite, "torque_constant")
        if self.torque_constant == 0.0:
            reject("torque_constant", self.torque_constant, "other than zero")
        for one in _listed(self.command):
            if not isinstance(one, (str, Mapping)):
                as_signal(one, "command")

    @property
    def amount(self) -> float:
        """The inertia of its rotor in kg m²."""
        return self.inertia

    def _add_to(self, machine: Machine, name: str) -> None:
        super()._add_to(machine, name)
        command = _listed(self.command)
        limits = None if self.torque_limit is None else self.torque_limit / abs(self.torque_constant)
        to = {name: self.torque_constant}
        if self.current_lag == 0.0:
            machine.add_controller(_sum(len(command), limits), f"{name}_current", reference=command, to=to)
            return
        if limits is not None:
            machine.add_controller(_sum(len(command), limits), f"{name}_limit", reference=command)
            command = [f"{name}_limit.output"]
        lag = _sum(len(command), None, 1.0 / self.current_lag)
        machine.add_controller(lag, f"{name}_current", reference=command, to=to)

    def _add_excess(self, machine: Machine, name: str) -> None:
        """Change of the command by the limit."""
        limited = f"{name}_{'limit' if self.current_lag else 'current'}.output"
        command = _listed(self.command)
        none, n = np.zeros((0, 0)), 1 + len(command)
        less = LTI(none, none, none, np.array([[1.0, *[-1.0] * (n - 1)]]), inputs="both", references=n)
        machine.add_controller(less, f"{name}_excess", reference=[limited, *command])


def _listed(command: Any) -> list[Any]:
    return list(command) if isinstance(command, (list, tuple)) else [command]


def _sum(count: int, limits: float | None, rate: float | None = None) -> LTI:
    """The sum of its references, limited; with a rate through a lag of first order."""
    ones, none = np.ones((1, count)), np.zeros((0, 0))
    if rate is None:
        return LTI(none, none, none, ones, inputs="both", references=count, limits=limits)
    return LTI(np.array([[-rate]]), rate * ones, np.ones((1, 1)), inputs="both", references=count)
