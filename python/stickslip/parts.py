"""Parts of drives: bodies that turn or slide, links that join them, motors, brakes and encoders.

`Drive` makes a machine of them. Data are given as in catalogues: play, stiffness and damping of a gear or a screw are
those at its output.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np

from stickslip._checks import finite, non_negative, positive, reject
from stickslip._smooth import is_smooth
from stickslip._wiring import On, Reference
from stickslip.control import LTI
from stickslip.laws import Coulomb, Law, as_law
from stickslip.machine import Machine
from stickslip.signals import Constant, Signal, as_signal

__all__ = [
    "BallScrew",
    "BeltDrive",
    "Body",
    "Brake",
    "Clutch",
    "Coupling",
    "Encoder",
    "Gear",
    "Holder",
    "Inertia",
    "Link",
    "Motor",
    "OneWayClutch",
    "Part",
    "Slide",
]

Losses: TypeAlias = "float | tuple[float, float] | None"


@dataclass(frozen=True)
class Part:
    """Base class of all parts: use one of its kinds."""

    def __post_init__(self) -> None:
        if type(self) in (Part, Body, Link, Holder):
            raise TypeError(f"{type(self).__name__} is a base class: make one of its kinds")
        if isinstance(self, Body) and (friction := getattr(self, "friction", None)) is not None:
            as_law(friction, "friction")
        self._check()

    def _check(self) -> None:
        """Refuse what is impossible, naming it."""

    def _read(self, read: Any, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read(name, getattr(self, name)))

    def __repr__(self) -> str:
        shown = [f"{f.name}={value!r}" for f in fields(self) if (value := getattr(self, f.name)) != f.default]
        return f"{type(self).__name__}({', '.join(shown)})"


def _check_load(name: str, load: Any) -> None:
    """Refuse what is no number >= 0 and no signal; functions of the motion and names are checked by the machine."""
    if isinstance(load, str) or is_smooth(load):
        return
    signal = as_signal(load, name)
    if isinstance(signal, Constant):
        non_negative(name, signal.value)


# -- bodies: each is a coordinate ----------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Body(Part):
    """A part that moves, a coordinate of the machine: an `Inertia`, a `Slide` or a `Motor`."""

    kind: ClassVar[str] = "rotary"

    @property
    def amount(self) -> float:
        """Its mass in kg, or its inertia in kg m²."""
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
    """A shaft that turns.

    Parameters
    ----------
    inertia : float
        kg m², positive.
    friction : Law or float, optional
        Of its bearings, torques in Nm over the speed in rad/s: the element ``"<name>_friction"``.

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
        self._read(positive, "inertia")

    @property
    def amount(self) -> float:
        """Its inertia in kg m²."""
        return self.inertia


@dataclass(frozen=True, repr=False)
class Slide(Body):
    """A body that moves along a line.

    Parameters
    ----------
    mass : float
        kg, positive.
    friction : Law or float, optional
        Of its guide, per unit of the normal load: the element ``"<name>_friction"``.
    normal_load : float or Signal, default 1.0
        Force that presses it onto its guide, N.

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
        _check_load("normal_load", self.normal_load)

    @property
    def amount(self) -> float:
        """Its mass in kg."""
        return self.mass


@dataclass(frozen=True, repr=False)
class Motor(Body):
    """A motor: a rotor whose current follows a command, limited and with a lag.

    ``i' = (limited command - i)/current_lag``, torque = torque_constant * i: the closed current loop as a lag of first
    order, continuous. Its output is the controller ``"<name>_current"``; with both a limit and a lag the limited command is
    the output of ``"<name>_limit"``.

    Parameters
    ----------
    inertia : float
        Of the rotor, kg m², positive.
    command : Signal or float or str or mapping, or a list of them, default 0.0
        Commanded current, A: a signal, the output of a controller, ``"speed.output"``, or a combination; a list
        is a sum, so that feedforward and compensation enter before the limit and the lag.
    torque_constant : float, default 1.0
        Nm/A; with 1 the command is a torque.
    current_lag : float, default 0.0
        Time constant of the current loop, s.
    torque_limit : float, optional
        Greatest torque in both directions, Nm, positive.
    friction : Law or float, optional
        Of its bearings, Nm over rad/s: the element ``"<name>_friction"``.

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
        """What the limit changes of the command."""
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


# -- what a clutch and a brake have in common ------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class _Pressed(Part):
    """Dry friction of a capacity that may change."""

    capacity: Signal | float
    static: float = 1.0

    def _check(self) -> None:
        self._read(finite, "static")
        _check_load("capacity", self.capacity)
        if self.static < 1.0:
            reject("static", self.static, ">= 1")

    def _press(self, machine: Machine, name: str, on: On) -> None:
        machine.add_friction(name, on, Coulomb(self.static, 1.0), normal_load=self.capacity)


# -- links: each joins two bodies ----------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Link(Part):
    """A part that joins two bodies: a `Coupling`, `Gear`, `BallScrew`, `BeltDrive`, `Clutch` or `OneWayClutch`."""

    kinds: ClassVar[tuple[tuple[str, str], ...]] = (("rotary", "rotary"), ("linear", "linear"))
    """Which kinds of bodies it can join."""

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
        raise NotImplementedError


def _transmit(machine: Machine, name: str, a: str, b: str, ratio: float, part: Gear | BallScrew) -> None:
    """``a`` moves `ratio` times as far as ``b``; all else of the part is said at ``b``."""
    efficiency, teeth, play = part.efficiency, part.friction, part.backlash
    lossless = efficiency is None and teeth is None
    if part.stiffness is None:
        machine.add_gear(
            name,
            (a, b),
            ratio,
            1.0 if lossless else efficiency,
            friction=teeth,
            backlash=play * abs(ratio),
        )
        return
    elongation = {a: 1.0 / ratio, b: -1.0}
    machine.add_spring(name, elongation, part.stiffness, part.damping, play)
    if lossless:
        return
    # A flank is pressed by what the spring carries: |F|/|ratio| at a. See Machine.add_gear for both coefficients.
    at_a, at_b = Machine._rubbing(f" of '{name}'", efficiency, teeth)
    if at_a == at_b == 0.0:
        return
    # In the force at a, whose factor is then 1: both have its unit. Only where nothing is lost there, at b.
    unit = abs(at_a) if abs(at_a) > 1e-9 * abs(at_b) else abs(ratio * at_b)
    end = FURTHEST / abs(ratio)
    most = part.stiffness * end / abs(ratio)
    beyond = 0.5 * play + end
    corners = [(-beyond, most), (-0.5 * play, 0.0), (0.5 * play, 0.0), (beyond, most)]
    if play == 0.0:
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


def _check_elastic(part: Any, word: str, *needing: str) -> None:
    """What only an elastic part has; a rigid one has no stiffness."""
    part._read(positive, "stiffness")
    for name in needing:
        part._read(non_negative, name)
        if getattr(part, name) and part.stiffness is None:
            raise ValueError(
                f"{name} = {getattr(part, name)!r} needs a stiffness: without one the {word} is rigid"
            )


def _check_transmission(part: Gear | BallScrew, measure: str) -> None:
    part._read(finite, measure)
    if getattr(part, measure) == 0.0:
        reject(measure, getattr(part, measure), "other than zero")
    part._read(non_negative, "backlash", "friction")
    _check_elastic(part, _word(part), "damping")
    if part.efficiency is not None and part.friction is not None:
        raise ValueError(f"a {_word(part)} has either an efficiency or friction of its teeth")
    if part.efficiency is not None or part.friction is not None:
        Machine._rubbing("", part.efficiency, part.friction)


def _word(part: Part) -> str:
    words = "".join(" " + c.lower() if c.isupper() else c for c in type(part).__name__)
    return words.strip()


@dataclass(frozen=True, repr=False)
class Gear(Link):
    """A gear between two shafts: the first turns `ratio` times as fast as the second.

    Parameters
    ----------
    ratio : float
        Turns of the first shaft for one of the second; negative: in opposite directions.
    efficiency : float or tuple of two float, optional
        Share of the power that comes out, forwards and back; backwards ``<= 0`` is self-locking. See `Machine.add_gear`.
    friction : float, optional
        Instead of an efficiency: coefficient of friction of the teeth.
    backlash : float, default 0.0
        Total play at the second shaft, rad.
    stiffness : float, optional
        At the second shaft with the first one held, Nm/rad; rigid by default. Losses of an elastic gear are
        proportional to the force of its spring, without that of its damper.
    damping : float, default 0.0
        Likewise, Nm s/rad.

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

    kinds: ClassVar[tuple[tuple[str, str], ...]] = (("rotary", "rotary"),)
    ratio: float
    efficiency: Losses = None
    friction: float | None = None
    backlash: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0

    def _check(self) -> None:
        _check_transmission(self, "ratio")

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
        _transmit(machine, name, a, b, self.ratio, self)


@dataclass(frozen=True, repr=False)
class BallScrew(Link):
    """A screw that moves a slide: ``lead`` for each turn.

    Parameters
    ----------
    lead : float
        Travel of the slide for one turn, m; negative: a left-handed one.
    efficiency : float or tuple of two float, optional
        Share of the power that comes out, forwards and back.
    friction : float, optional
        Instead of an efficiency: coefficient of friction, as for the teeth of a gear of the ratio 2 pi/lead.
    backlash : float, default 0.0
        Total play of the nut, m.
    stiffness, damping : float, optional
        Of the screw and its bearings along the axis, N/m and N s/m; rigid by default.

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

    kinds: ClassVar[tuple[tuple[str, str], ...]] = (("rotary", "linear"),)
    lead: float
    efficiency: Losses = None
    friction: float | None = None
    backlash: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0

    def _check(self) -> None:
        _check_transmission(self, "lead")

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
        _transmit(machine, name, a, b, 2.0 * math.pi / self.lead, self)


@dataclass(frozen=True, repr=False)
class BeltDrive(Link):
    """A belt or chain over two pulleys, or from a pulley to a slide that is fixed to it.

    Parameters
    ----------
    radius : float
        Of the first pulley, m, positive.
    second_radius : float, optional
        Of the second pulley, m; left out where the belt moves a slide.
    stiffness, damping : float, optional
        Of the whole belt, N/m and N s/m, all strands together; it does not stretch by default. In the machine it is a
        spring at its output: between pulleys one of ``stiffness * second_radius**2``, Nm/rad, with torques in Nm.

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
        _check_elastic(self, "belt", "damping")

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        """Which kinds of bodies it can join."""
        return (("rotary", "linear" if self.second_radius is None else "rotary"),)

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
        second = 1.0 if self.second_radius is None else self.second_radius
        if self.stiffness is None:
            machine.add_gear(name, (a, b), second / self.radius, 1.0)
        else:  # at b with a factor of 1, so that units are those of b
            elongation = {a: self.radius / second, b: -1.0}
            machine.add_spring(name, elongation, self.stiffness * second**2, self.damping * second**2)


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
        Total play, rad; needs a stiffness.

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
        _check_elastic(self, "coupling", "damping", "backlash")

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
        if self.stiffness is None:
            machine.add_constraint(name, (a, b))
        else:
            machine.add_spring(name, (a, b), self.stiffness, self.damping, self.backlash)


@dataclass(frozen=True, repr=False)
class Clutch(Link, _Pressed):
    """A friction clutch. While its capacity is zero it is free.

    Parameters
    ----------
    capacity : float or Signal
        Torque at which it slips, Nm (N between slides), >= 0.
    static : float, default 1.0
        Ratio of the torque at which it breaks away to that at which it slips, >= 1.

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

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
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

    def _join(self, machine: Machine, name: str, a: str, b: str) -> None:
        machine.add_one_way_clutch(name, (b, a))


# -- holders: each acts on one body --------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Holder(Part):
    """A part that sits at one body: a `Brake` or an `Encoder`."""

    def _hold(self, machine: Machine, name: str, body: str) -> None:
        """Add what acts; an encoder adds nothing."""


@dataclass(frozen=True, repr=False)
class Brake(Holder, _Pressed):
    """A friction brake against the ground. While its capacity is zero the body is free.

    Parameters
    ----------
    capacity : float or Signal
        Torque at which it slips, Nm (N at a slide), >= 0.
    static : float, default 1.0
        Ratio of the torque at which it breaks away to that at which it slips, >= 1.

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
    """A position scale. Controllers that measure it by its name, ``measure="<name>"``, read rounded positions.

    Parameters
    ----------
    lines : float
        Lines per turn; at a slide per metre.
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
        """Its step on a body of this kind, rad or m."""
        return (2.0 * math.pi if kind == "rotary" else 1.0) / (self.lines * self.interpolation)


def __dir__() -> list[str]:
    return sorted(__all__)
