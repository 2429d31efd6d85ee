"""Links with a ratio: gears, screws and belts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import finite, non_negative, positive, reject
from stickslip.laws import Coulomb
from stickslip.machine.gears import rubbing
from stickslip.machine.loss_table import read_loss_table
from stickslip.machine.machine import Machine
from stickslip.parts.links import Link, check_elastic
from stickslip.parts.part import Part

Losses: TypeAlias = "float | tuple[float, float] | None"


def _transmit(machine: Machine, name: str, a: str, b: str, ratio: float, part: Gear | BallScrew) -> None:
    """``a`` moves `ratio` times as far as ``b``; all other parameters of the part refer to ``b``."""
    efficiency, teeth, backlash = part.efficiency, part.friction, part.backlash
    table = part.loss_table if isinstance(part, Gear) else None
    lossless = efficiency is None and teeth is None
    if part.stiffness is None:
        machine.add_gear(
            name, (a, b), ratio, 1.0 if lossless and table is None else efficiency, friction=teeth, loss_table=table,
            backlash=backlash * abs(ratio),
        )  # fmt: skip
        return
    elongation = {a: 1.0 / ratio, b: -1.0}
    machine.add_spring(name, elongation, part.stiffness, part.damping, backlash)
    if lossless:
        return
    # A flank is pressed by what the spring carries: |F|/|ratio| at a. See Machine.add_gear for both coefficients.
    at_a, at_b = rubbing(f" of '{name}'", efficiency, teeth)
    if at_a == at_b == 0.0:
        return
    # In the force at a, whose factor is then 1: both have its unit. Only where nothing is lost there, at b.
    unit = abs(at_a) if abs(at_a) > 1e-9 * abs(at_b) else abs(ratio * at_b)
    end = FURTHEST / abs(ratio)
    most = part.stiffness * end / abs(ratio)
    beyond = 0.5 * backlash + end
    corners = [(-beyond, most), (-0.5 * backlash, 0.0), (0.5 * backlash, 0.0), (beyond, most)]
    if backlash == 0.0:
        del corners[1]
    machine.add_friction(
        f"{name}_teeth",
        on={a: at_a / unit, b: ratio * at_b / unit},
        law=Coulomb(unit),
        normal_load=0.0,
        load={f"{q}.position": factor for q, factor in elongation.items()},
        load_table=([x for x, _ in corners], [n for _, n in corners]),
    )


FURTHEST = 2.0 * math.pi
"""Twist of an elastic gear with losses, as a turn of its input, up to which its losses grow: far beyond all real ones."""


def _check_transmission(part: Gear | BallScrew, measure: str) -> None:
    part._read(finite, measure)
    if getattr(part, measure) == 0.0:
        reject(measure, getattr(part, measure), "other than zero")
    part._read(non_negative, "backlash", "friction")
    check_elastic(part, _word(part), "damping")
    if part.efficiency is not None and part.friction is not None:
        raise ValueError(f"efficiency and friction of a {_word(part)} exclude each other: give one of them")
    if part.efficiency is not None or part.friction is not None:
        rubbing("", part.efficiency, part.friction)


def _word(part: Part) -> str:
    words = "".join(" " + c.lower() if c.isupper() else c for c in type(part).__name__)
    return words.strip()


@dataclass(frozen=True, repr=False)
class Gear(Link):
    """A gear between two shafts: the first turns `ratio` times as fast as the second.

    Parameters
    ----------
    ratio : float
        Turns of the first shaft per turn of the second; negative: in opposite directions.
    efficiency : float or tuple of two float, optional
        Ratio of output to input power, forwards and backwards; backwards ``<= 0`` is self-locking. See
        `Machine.add_gear`.
    friction : float, optional
        Alternative to `efficiency`: coefficient of friction of the teeth.
    loss_table : array_like, shape (n, 5), optional
        Alternative to `efficiency`: losses over the speed of the first shaft, as in `Machine.add_gear`; of a rigid gear.
    backlash : float, default 0.0
        Total backlash at the second shaft, rad.
    stiffness : float, optional
        Stiffness at the second shaft with the first one held, Nm/rad; rigid by default. Losses of an elastic gear are
        proportional to the force of its spring without the damper.
    damping : float, default 0.0
        Damping at the second shaft, Nm s/rad.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> from stickslip import parts
    >>> parts.Gear(ratio=10.0, backlash=3e-4, stiffness=2e4)
    Gear(ratio=10.0, backlash=0.0003, stiffness=20000.0)
    """

    kinds: ClassVar[tuple[tuple[str, ...], ...]] = (("rotary", "rotary"),)
    ratio: float
    efficiency: Losses = None
    friction: float | None = None
    backlash: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0
    loss_table: ArrayLike | None = None

    def _check(self) -> None:
        _check_transmission(self, "ratio")
        if self.loss_table is None:
            return
        if not self.efficiency is self.friction is self.stiffness is None:
            raise ValueError(
                "loss_table excludes efficiency, friction and stiffness: give an elastic gear its stiffness as a Coupling"
            )
        read_loss_table("", self.loss_table)
        rows = np.asarray(self.loss_table, dtype=float).tolist()
        object.__setattr__(self, "loss_table", tuple(map(tuple, rows)))  # so that gears can be compared

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        a, b = bodies
        _transmit(machine, name, a, b, self.ratio, self)


@dataclass(frozen=True, repr=False)
class BallScrew(Link):
    """A screw that moves a slide: ``lead`` for each turn.

    Parameters
    ----------
    lead : float
        Travel of the slide per turn, m; negative for a left-handed screw.
    efficiency : float or tuple of two float, optional
        Ratio of output to input power, forwards and backwards.
    friction : float, optional
        Alternative to `efficiency`: coefficient of friction, as for the teeth of a gear of ratio 2 pi/lead.
    backlash : float, default 0.0
        Total backlash of the nut, m.
    stiffness, damping : float, optional
        Axial stiffness and damping of the screw and its bearings, N/m and N s/m; rigid by default.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> axis = ss.Drive()
    >>> axis.add("motor", ss.parts.Motor(1e-3, command=0.5))
    >>> axis.add("screw", ss.parts.BallScrew(lead=0.01))
    >>> axis.add("table", ss.parts.Slide(100.0))
    >>> run = ss.simulate(axis, t_end=1.0)
    >>> bool(np.isclose(run["table.position"][-1] / run["motor.position"][-1], 0.01 / (2 * np.pi)))
    True
    """

    kinds: ClassVar[tuple[tuple[str, ...], ...]] = (("rotary", "linear"),)
    lead: float
    efficiency: Losses = None
    friction: float | None = None
    backlash: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0

    def _check(self) -> None:
        _check_transmission(self, "lead")

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        a, b = bodies
        _transmit(machine, name, a, b, 2.0 * math.pi / self.lead, self)


@dataclass(frozen=True, repr=False)
class BeltDrive(Link):
    """A belt or chain over two pulleys, or from a pulley to a slide fixed to the belt.

    Parameters
    ----------
    radius : float
        Radius of the first pulley, m, positive.
    second_radius : float, optional
        Radius of the second pulley, m; not given if the belt moves a slide.
    stiffness, damping : float, optional
        Stiffness and damping of the whole belt, N/m and N s/m, all strands together; rigid by default. In the machine
        it is a spring at the output: between pulleys a torsional spring of ``stiffness * second_radius**2``, Nm/rad.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> from stickslip import parts
    >>> parts.BeltDrive(radius=0.02, stiffness=1e6)
    BeltDrive(radius=0.02, stiffness=1000000.0)
    """

    radius: float
    second_radius: float | None = None
    stiffness: float | None = None
    damping: float = 0.0

    def _check(self) -> None:
        self._read(positive, "radius", "second_radius")
        check_elastic(self, "belt", "damping")

    @property
    def kinds(self) -> tuple[tuple[str, ...], ...]:  # type: ignore[override]
        """Kinds of bodies that it can join."""
        return (("rotary", "linear" if self.second_radius is None else "rotary"),)

    def _join(self, machine: Machine, name: str, *bodies: str) -> None:
        a, b = bodies
        second = 1.0 if self.second_radius is None else self.second_radius
        if self.stiffness is None:
            machine.add_gear(name, (a, b), second / self.radius, 1.0)
        else:  # at b with a factor of 1, so that units are those of b
            elongation = {a: self.radius / second, b: -1.0}
            machine.add_spring(name, elongation, self.stiffness * second**2, self.damping * second**2)
