"""Drives assembled from parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from stickslip._checks import number, reject
from stickslip._html import table
from stickslip.compensation import Compensator
from stickslip.control._systems import is_system
from stickslip.control.controllers import Controller
from stickslip.errors import UnknownNameError
from stickslip.machine.machine import Machine
from stickslip.machine.places import On, Reference
from stickslip.parts.bodies import Body, Motor
from stickslip.parts.holders import Encoder, Holder
from stickslip.parts.links import Link
from stickslip.parts.part import Part
from stickslip.signals import Signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Drive"]


@dataclass(frozen=True)
class _Placed:
    """A part or a controller with its name and where it goes."""

    name: str
    part: Any
    on: Any = None
    between: tuple[str, ...] | None = None
    wiring: Mapping[str, Any] | None = None


def _engaged(placed: _Placed) -> _Placed:
    """A link without backlash and losses."""
    if not isinstance(placed.part, Link):
        return placed
    plain: dict[str, Any] = {"backlash": 0.0, "efficiency": None, "friction": None, "loss_table": None}
    lossless = {f.name: plain[f.name] for f in fields(placed.part) if f.name in plain}
    return replace(placed, part=replace(placed.part, **lossless))


class Drive:
    """A drive assembled from `parts`, in the order of power flow.

    A body (`parts.Motor`, `parts.Inertia`, `parts.Slide`) becomes a coordinate of that name. A link (`parts.Gear`,
    `parts.Coupling`, ...) joins the last body before it to the first one after it, unless `between` names others; a
    brake or an encoder belongs to the last body before it, unless `on` names another. Controllers are added with the
    same method. `simulate`, `open_loop`, `ensemble` and other functions take the drive itself; `machine` is its
    `Machine`.

    Examples
    --------
    >>> import stickslip as ss
    >>> axis = ss.Drive()
    >>> axis.add("motor", ss.parts.Motor(2e-3, command="speed.output", torque_limit=10.0))
    >>> axis.add("gear", ss.parts.Gear(ratio=5.0, backlash=1e-3, stiffness=1e4))
    >>> axis.add("drum", ss.parts.Inertia(0.1, friction=0.5))
    >>> axis.add("speed", ss.PI(kp=0.5, tn=0.05), measure="motor.velocity", reference=ss.Ramp(slope=10.0))
    >>> axis.machine.names, axis.machine.controllers
    (('motor', 'drum'), ('motor_current', 'speed'))
    >>> ss.simulate(axis, t_end=1.0).units["drum.position"]
    'rad'
    """

    def __init__(self) -> None:
        self._placed: list[_Placed] = []

    def add(
        self,
        name: str,
        part: Part | Controller | Compensator | Any,
        *,
        on: On | None = None,
        between: tuple[str, ...] | None = None,
        measure: Any = None,
        reference: Reference | None = None,
        to: Any = None,
        limited_by: str | None = None,
    ) -> None:
        """Add a part or a controller.

        Parameters
        ----------
        name : str
            Name of its coordinate, element or controller.
        part : Part or Controller
            One of `parts`, or a controller as in `Machine.add_controller`.
        on : str, optional
            The body of a brake or an encoder; for a controller as in `Machine.add_controller`.
        between : tuple of str, optional
            The bodies that a link joins, from its input to its output. Links of three shafts need them.
        measure, reference, to : optional
            Connections of a controller, as in `Machine.add_controller`. A controller that measures an encoder reads the
            position of its body, rounded to its steps.
        limited_by : str, optional
            Anti-windup: motor whose limit also limits the integral of this controller, through all filters in
            between. The excess of the command over the limit is the output of ``"<motor>_excess"``.

        Raises
        ------
        ValueError
            Naming the argument. Unknown bodies raise an error when the machine is made.

        Examples
        --------
        >>> import stickslip as ss
        >>> hoist = ss.Drive()
        >>> hoist.add("motor", ss.parts.Motor(0.01, command=2.0))
        >>> hoist.add("brake", ss.parts.Brake(capacity=5.0))
        >>> hoist.add("worm", ss.parts.Gear(ratio=20.0, efficiency=(0.6, 0.2)), between=("motor", "drum"))
        >>> hoist.add("drum", ss.parts.Inertia(2.0))
        >>> str(ss.simulate(hoist, t_end=1.0).events)
        'no events'
        """
        if not isinstance(name, str) or not name or "." in name:
            reject("name", name, "a name without a dot")
        if any(placed.name == name for placed in self._placed):
            reject("name", name, "a name that is not taken")
        if isinstance(part, type):
            reject(f"part of '{name}'", part.__name__, f"made with its numbers: {part.__name__}(...)")
        if isinstance(part, Part):
            for argument, value in (
                ("measure", measure), ("reference", reference), ("to", to), ("limited_by", limited_by)
            ):  # fmt: skip
                if value is not None:
                    reject(f"{argument} of '{name}'", value, "left out: it is for controllers")
            if on is not None and not isinstance(part, Holder):
                reject(f"on of '{name}'", on, "left out: it is for brakes, encoders and controllers")
            self._check_ends(name, part, between)
            self._placed.append(_Placed(str(name), part, on, None if between is None else tuple(between)))
            return
        if not (isinstance(part, (Controller, Compensator)) or is_system(part) or callable(part)):
            reject(
                f"part of '{name}'",
                part,
                "one of stickslip.parts, or a controller such as stickslip.PID(kp=3.0)",
            )
        if between is not None:
            reject(f"between of '{name}'", between, "left out: it is for links")
        wiring = {"on": on, "measure": measure, "reference": reference, "to": to}
        if limited_by is not None:
            wiring["excess"] = f"{limited_by}_excess.output"
        self._placed.append(_Placed(str(name), part, wiring=wiring))

    def _check_ends(self, name: str, part: Part, between: tuple[str, ...] | None) -> None:
        if not isinstance(part, Link):
            if between is not None:
                reject(f"between of '{name}'", between, "left out: it is for links")
            return
        count = len(part.kinds[0])
        given = between if isinstance(between, (tuple, list)) else ()
        if len(given) != count and not (between is None and count == 2):
            reject(f"between of '{name}'", between, f"the names of {count} bodies")

    def add_force(self, on: On, force: Signal | float) -> None:
        """Add an external force or torque, as `Machine.add_force` does.

        Parameters
        ----------
        on : str or tuple of two str or mapping
            Point of action.
        force : float or Signal
            N, or Nm.

        Examples
        --------
        >>> import stickslip as ss
        >>> axis = ss.Drive()
        >>> axis.add("table", ss.parts.Slide(2.0))
        >>> axis.add_force("table", 3.0)
        >>> float(ss.simulate(axis, t_end=1.0)["table.acceleration"][-1])
        1.5
        """
        self._placed.append(_Placed("", force, on=on))

    @property
    def parts(self) -> dict[str, Any]:
        """Parts and controllers by their names, in the order in which they were added."""
        return {placed.name: placed.part for placed in self._placed if placed.name}

    def quantum(self, encoder: str) -> float:
        """Return the step of an encoder, rad or m.

        Parameters
        ----------
        encoder : str
            Name of the encoder.

        Raises
        ------
        UnknownNameError
            If there is no such encoder.

        Examples
        --------
        >>> import stickslip as ss
        >>> axis = ss.Drive()
        >>> axis.add("table", ss.parts.Slide(2.0))
        >>> axis.add("scale", ss.parts.Encoder(lines=50e3))
        >>> axis.quantum("scale")
        5e-06
        """
        body, part = self._encoder(encoder)
        return part.quantum(self._body(body).kind)

    @property
    def machine(self) -> Machine:
        """The machine made of the parts; a new object at each access, to which elements can be added."""
        return self._made(self._placed)

    @property
    def engaged(self) -> Machine:
        """The machine with engaged teeth: without backlash and without losses in gears.

        Use it with `open_loop`, `Machine.poles` and `Machine.bode` for a drive with backlash: at q = 0 its springs with
        backlash are open, so that the linearised drive consists of the motor only.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> axis = ss.Drive()
        >>> axis.add("motor", ss.parts.Motor(1.0))
        >>> axis.add("gear", ss.parts.Gear(ratio=1.0, backlash=1e-3, stiffness=2.0))
        >>> axis.add("load", ss.parts.Inertia(1.0))
        >>> np.abs(axis.engaged.poles()).round(6), np.abs(axis.machine.poles()).round(6)
        (array([0., 0., 2., 2.]), array([0., 0., 0., 0.]))
        """
        return self._made([_engaged(placed) for placed in self._placed])

    def _made(self, every: Sequence[_Placed]) -> Machine:
        bodies = self._bodies()
        if not bodies:
            raise ValueError("the drive has no body yet: add an Inertia, a Slide or a Motor")
        machine = Machine(
            mass=[body.amount for body in bodies.values()],
            names=list(bodies),
            kind={name: body.kind for name, body in bodies.items()},
        )
        for placed in every:
            self._add_to(machine, placed)
        for motor in dict.fromkeys(
            p.wiring["excess"].removesuffix("_excess.output")
            for p in every
            if p.wiring and "excess" in p.wiring
        ):
            part = self._body(motor)
            if not isinstance(part, Motor) or part.torque_limit is None:
                reject("limited_by", motor, "a motor with a torque_limit")
            part._add_excess(machine, motor)
        return machine

    def _add_to(self, machine: Machine, placed: _Placed) -> None:
        part = placed.part
        if isinstance(part, Body):
            part._add_to(machine, placed.name)
        elif isinstance(part, Link):
            part._join(machine, placed.name, *self._ends(placed))
        elif isinstance(part, Holder):
            part._hold(machine, placed.name, self._place(placed))
        elif placed.wiring is None:
            machine.add_force(placed.on, part)
        else:
            control, wiring = self._measuring(placed)
            machine.add_controller(control, placed.name, **wiring)

    def _bodies(self) -> dict[str, Body]:
        return {p.name: p.part for p in self._placed if isinstance(p.part, Body)}

    def _body(self, name: str) -> Body:
        bodies = self._bodies()
        if name not in bodies:
            known = ", ".join(map(repr, bodies))
            raise UnknownNameError(f"unknown body {name!r}; known are: {known}")
        return bodies[name]

    def _next(self, placed: _Placed, after: bool) -> str:
        at = [one.name for one in self._placed].index(placed.name)
        row = self._placed[at + 1 :] if after else self._placed[:at][::-1]
        for one in row:
            if isinstance(one.part, Body):
                return one.name
        side = "after" if after else "before"
        cure = "on" if isinstance(placed.part, Holder) else "between"
        raise ValueError(f"'{placed.name}' has no body {side} it: add one, or give {cure}=")

    def _ends(self, placed: _Placed) -> tuple[str, ...]:
        bodies = placed.between or (self._next(placed, False), self._next(placed, True))
        kinds = tuple(self._body(body).kind for body in bodies)
        if len(set(bodies)) < len(bodies) or kinds not in placed.part.kinds:
            allowed = " or ".join(
                " and ".join(f"a {kind} one" for kind in ends) for ends in placed.part.kinds
            )
            reject(f"between of '{placed.name}'", bodies, f"different bodies, {allowed}")
        return bodies

    def _place(self, placed: _Placed) -> str:
        if placed.on is None:
            return self._next(placed, False)
        self._body(placed.on)
        return str(placed.on)

    def _encoder(self, name: str) -> tuple[str, Encoder]:
        encoders = {p.name: p for p in self._placed if isinstance(p.part, Encoder)}
        if name not in encoders:
            known = ", ".join(map(repr, encoders)) or "none"
            raise UnknownNameError(f"unknown encoder {name!r}; known are: {known}")
        return self._place(encoders[name]), encoders[name].part

    def _measuring(self, placed: _Placed) -> tuple[Any, dict[str, Any]]:
        """A controller with the steps of the encoders that it measures, and its wiring with their bodies instead."""
        steps: set[float] = set()
        encoders = {p.name for p in self._placed if isinstance(p.part, Encoder)}

        def body_of(source: Any) -> Any:
            if isinstance(source, str):
                source = {source: 1.0}
            if isinstance(source, Sequence):
                return [body_of(one) for one in source]
            if not isinstance(source, Mapping):
                return source
            found = {}
            for key, factor in source.items():
                name, _, kind = str(key).partition(".")
                if name in encoders:
                    if kind not in ("", "position"):
                        reject(
                            f"measure of '{placed.name}'",
                            key,
                            f"{name!r}: an encoder measures positions only",
                        )
                    body, _ = self._encoder(name)
                    steps.add(abs(number(f"measure of '{placed.name}'", factor)) * self.quantum(name))
                    key = f"{body}.position"
                found[key] = factor
            return found

        wiring = dict(placed.wiring or {})
        if wiring["measure"] is not None:
            wiring["measure"] = body_of(wiring["measure"])
        control = placed.part
        if not steps:
            return control, wiring
        if len(steps) > 1 or not isinstance(control, Controller) or control.quantum not in (0.0, *steps):
            reject(f"measure of '{placed.name}'", placed.wiring["measure"], "one encoder, with one step")  # type: ignore[index]
        if control.period is None:
            raise ValueError(f"'{placed.name}' measures an encoder: give it a period")
        return control._with(quantum=steps.pop()), wiring

    def draw(self, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
        """Draw the drive; see `stickslip.Machine.draw`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes where they are empty, or a new figure.
        what : str, optional
            ``"schematic"``, ``"diagram"``, or the name of a friction element.
        **keywords
            For bodies and blocks (`matplotlib.patches.Patch`), such as ``facecolor``.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import stickslip as ss
        >>> axis = ss.Drive()
        >>> axis.add("table", ss.parts.Slide(2.0))
        >>> axis.draw(what="schematic").texts[0].get_text().split()
        ['table', '2', 'kg']
        """
        return self.machine.draw(ax, what, **keywords)

    if not TYPE_CHECKING:  # a type checker would take every unknown name for an attribute

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_") and hasattr(Machine, name):
                cure = f"its machine has it: axis.machine.{name} or, without backlash and losses, axis.engaged.{name}"
                raise AttributeError(f"a Drive has no {name!r}; {cure}")
            raise AttributeError(f"'Drive' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"Drive({', '.join(f'{name}: {part!r}' for name, part in self.parts.items())})"

    def _repr_html_(self) -> str:
        return table("Drive", ("name", "part"), [(name, repr(part)) for name, part in self.parts.items()])
