"""Links without a ratio, and the base class of all parts that join bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from stickslip._checks import non_negative, positive
from stickslip.machine.machine import Machine
from stickslip.parts.part import Part, Pressed


@dataclass(frozen=True, repr=False)
class Link(Part):
    """A part that joins bodies: a `Coupling`, `Gear`, `BallScrew`, `BeltDrive`, `Clutch` or `OneWayClutch` joins two, a
    `Planetary` or `Differential` three.
    """

    _is_base: ClassVar[bool] = True
    kinds: ClassVar[tuple[tuple[str, ...], ...]] = (("rotary", "rotary"), ("linear", "linear"))
    """Kinds of bodies that it can join."""

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        raise NotImplementedError


def check_elastic(part: Any, word: str, *needing: str) -> None:
    """Refuse arguments of elastic parts in a rigid one."""
    part._read(positive, "stiffness")
    for name in needing:
        part._read(non_negative, name)
        if getattr(part, name) and part.stiffness is None:
            raise ValueError(
                f"{name} = {getattr(part, name)!r} needs a stiffness: without one the {word} is rigid"
            )


@dataclass(frozen=True, repr=False)
class Coupling(Link):
    """A coupling of two shafts, or of two slides.

    Parameters
    ----------
    stiffness : float, optional
        Nm/rad (N/m between slides); rigid by default.
    damping : float, default 0.0
        Nm s/rad.
    backlash : float, default 0.0
        Total backlash, rad; needs a stiffness.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> from stickslip import parts
    >>> parts.Coupling(stiffness=2e4, damping=1.0)
    Coupling(stiffness=20000.0, damping=1.0)
    """

    stiffness: float | None = None
    damping: float = 0.0
    backlash: float = 0.0

    def _check(self) -> None:
        check_elastic(self, "coupling", "damping", "backlash")

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        a, b = bodies
        if self.stiffness is None:
            machine.add_constraint(name, (a, b))
        else:
            machine.add_spring(name, (a, b), self.stiffness, self.damping, self.backlash)


@dataclass(frozen=True, repr=False)
class Clutch(Link, Pressed):
    """A friction clutch; free while its capacity is zero.

    Parameters
    ----------
    capacity : float or Signal
        Torque in slip, Nm (N between slides), >= 0.
    static : float, default 1.0
        Ratio of the break-away torque to the torque in slip, >= 1.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> axis = ss.Drive()
    >>> axis.add("engine", ss.parts.Motor(1.0, command=1.0))
    >>> axis.add("clutch", ss.parts.Clutch(capacity=ss.Step(5.0, start=1.0)))
    >>> axis.add("wheel", ss.parts.Inertia(2.0))
    >>> run = ss.simulate(axis, t_end=3.0)
    >>> [(str(e.before), str(e.after), round(e.time, 6)) for e in run.events]
    [('free', 'slip+', 1.0), ('slip+', 'stick', 1.153846)]
    """

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        a, b = bodies
        self._press(machine, name, (a, b))


@dataclass(frozen=True, repr=False)
class OneWayClutch(Link):
    """A freewheel: the first body drives the second, which may run ahead.

    Examples
    --------
    >>> import stickslip as ss
    >>> axis = ss.Drive()
    >>> axis.add("engine", ss.parts.Motor(1.0, command=ss.Sine(3.0, 0.25)))
    >>> axis.add("freewheel", ss.parts.OneWayClutch())
    >>> axis.add("wheel", ss.parts.Inertia(2.0))
    >>> [(str(e.after), e.time) for e in ss.simulate(axis, t_end=3.0).events]
    [('free', 2.0)]
    """

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        a, b = bodies
        machine.add_one_way_clutch(name, (b, a))
