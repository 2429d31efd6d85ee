"""Brakes and encoders: parts that belong to one body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from stickslip._checks import positive
from stickslip.machine.machine import Machine
from stickslip.parts.part import Part, Pressed


@dataclass(frozen=True, repr=False)
class Holder(Part):
    """A part that belongs to one body: a `Brake` or an `Encoder`."""

    _is_base: ClassVar[bool] = True

    def _hold(self, machine: Machine, name: str, body: str) -> None:
        """Add what acts; an encoder adds nothing."""


@dataclass(frozen=True, repr=False)
class Brake(Holder, Pressed):
    """A friction brake against the ground; the body is free while its capacity is zero.

    Parameters
    ----------
    capacity : float or Signal
        Torque in slip, Nm (N at a slide), >= 0.
    static : float, default 1.0
        Ratio of the break-away torque to the torque in slip, >= 1.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> from stickslip import parts
    >>> parts.Brake(capacity=20.0)
    Brake(capacity=20.0)
    """

    def _hold(self, machine: Machine, name: str, body: str) -> None:
        self._press(machine, name, body)


@dataclass(frozen=True, repr=False)
class Encoder(Holder):
    """An encoder. Controllers that measure it by name, ``measure="<name>"``, read rounded positions.

    Parameters
    ----------
    lines : float
        Lines per turn, or per metre at a slide.
    interpolation : float, default 4.0
        Steps per line: 4 for square waves in quadrature.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    A controller takes the velocity from successive positions: ``ss.PI(..., controls="rate", rate="difference")``.

    Examples
    --------
    >>> import stickslip as ss
    >>> axis = ss.Drive()
    >>> axis.add("motor", ss.parts.Motor(1e-3, command="loop.output"))
    >>> axis.add("encoder", ss.parts.Encoder(lines=2500))
    >>> axis.add("loop", ss.PID(kp=2.0, kd=0.05, period=1e-3, rate="difference"), measure="encoder", reference=1.0)
    >>> axis.quantum("encoder") == 2 * 3.141592653589793 / 10000
    True
    """

    lines: float
    interpolation: float = 4.0

    def _check(self) -> None:
        self._read(positive, "lines", "interpolation")

    def quantum(self, kind: str) -> float:
        """Return its step on a body of this kind, rad or m."""
        return (2.0 * math.pi if kind == "rotary" else 1.0) / (self.lines * self.interpolation)
