"""Controllers in a machine: measurements, references and outputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable as Function
from collections.abc import Mapping, Sequence
from typing import Any

from stickslip import _core
from stickslip._checks import number, reject
from stickslip.compensation import Compensator, FrictionObserver
from stickslip.control._systems import is_system
from stickslip.control.controllers import LTI, Callable, Controller
from stickslip.machine._described import controller_of
from stickslip.machine.base import BaseMachine
from stickslip.machine.places import Measure, On, Reference
from stickslip.signals.signal import as_signal, is_signal_like


class ControlledMachine(BaseMachine):
    """A machine with controllers."""

    @property
    def controllers(self) -> tuple[str, ...]:
        """Names of the controllers."""
        return tuple(self._description.names(["controller"]))

    def add_controller(
        self,
        control: Controller | Compensator | Function[..., Any] | Any,
        name: str | None = None,
        on: On | None = None,
        measure: Measure | None = None,
        reference: Reference | None = None,
        to: On | Sequence[On] | None = None,
        period: float | None = None,
        excess: Measure | None = None,
    ) -> str:
        """Add a controller.

        Parameters
        ----------
        control : Controller or Compensator or callable or linear system
            The controller, such as ``ss.PID(kp=3.0, ki=4.0, kd=6.0)``. A function ``u = f(t, r, y)`` is called at the
            multiples of `period`. A state space, a transfer function, or zeros, poles and gain of python-control or
            SciPy becomes an `LTI` with the errors r - y as inputs; for filters and for different weights of r and y use
            `LTI.from_system` (``inputs="both"``). A `FrictionFeedforward` uses the velocity of the reference, a
            `FrictionObserver` that of the measured position.
        name : str, optional
            Name, by default the kind in lower case (``"pid"``, ``"pid2"``). Signals are ``"<name>.output"``,
            ``.reference``, ``.error`` (reference minus measurement) and ``.mode`` (free, high or low).
        on : str or tuple of two str or mapping, optional
            Coordinate (or combination) that is measured and driven; short for equal `measure` and `to`.
        measure : str or mapping, or a sequence of them, optional
            Measured signals: ``"motor"`` or ``"motor.position"``, ``"motor.velocity"``, ``"<controller>.output"``, or a
            combination {name: factor}; a sequence for controllers with several measurements. A `Cascade` measures
            (position, motor), by default the same coordinate.
        reference : Signal or float or str, or a sequence of them, default 0.0
            Reference: a signal, or the name of any measurable signal, such as another controller's output.
        to : str or tuple of two str or mapping, optional
            Coordinate driven by its output as a force, N; None if the output only feeds another controller. A sequence
            for several outputs.
        period : float, optional
            Sampling period, s; replaces that of `control`.
        excess : str or mapping, optional
            Anti-windup against a downstream limit: the limited minus the demanded value of the signal that this
            controller commands. The integral is limited as at the controller's own limits; with a period and
            ``anti_windup="clamping"`` each step of the integral beyond the limit is shortened by the excess. In a chain
            of sampled controllers the excess is that of the previous instant. `Drive.add` makes this connection.

        Returns
        -------
        str
            The name.

        Raises
        ------
        ValueError
            Naming the argument. References to other elements are checked by `simulate` or `check`: unknown controllers,
            the rate of a signal that jumps, an algebraic loop (an output that depends on itself at the same instant;
            insert a lag or a delay).

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), on="slide", reference=1.0)
        'pid'
        >>> run = ss.simulate(m, t_end=20.0)
        >>> float(run["slide.position"][-1].round(6))
        1.010963
        """
        control = _controller(control, period)
        if excess is not None:
            if not isinstance(control, Controller):
                reject("excess", excess, "left out for friction compensation, which has no integral")
            control = control._with(tracks=True)
            reference = [0.0 if reference is None else reference, excess]  # type: ignore[list-item]
        name = self._name(control) if name is None else str(name)
        if on is not None:
            if measure is not None or to is not None:
                reject(f"on of '{name}'", on, "left out where measure or to are given")
            measure, to = self._follow(on), on
        if isinstance(control, Compensator):
            self._add_compensator(name, control, measure, reference, to)
        else:
            block = control.compiled.block()
            followed = 0.0 if reference is None else reference
            cure = (
                "; for a filter of the reference alone use LTI(..., inputs='both', references=1)"
                if isinstance(control, LTI)
                else ""
            )
            self._add(
                "controller",
                name=name,
                control=control.compiled,
                references=self._sources("reference", name, followed, _count(block, "reference")),
                measurements=self._sources("measure", name, measure, _count(block, "measurement"), cure),
                to=self._targets(name, to, len(block.lo)),
            )
            if control._in_matrices:
                self._words = {**self._words, name: control}
        return name

    def _add_compensator(
        self, name: str, control: Compensator, measure: Any, reference: Any, to: Any
    ) -> None:
        observer = isinstance(control, FrictionObserver)
        if to is None:
            raise ValueError(
                f"to of '{name}' is missing: it acts as a force on a coordinate; in the command of another controller "
                "use the signal FrictionForce(law, reference.derivative()) or, sampled, the output of a FrictionCurve"
            )
        if observer and measure is None:
            raise ValueError(f"measure of '{name}' is missing: an observer follows a position")
        self._add(
            "compensator",
            name=name,
            law=control.law.compiled,
            normal_load=as_signal(control.normal_load).compiled,
            observer=observer,
            gain=control.gain if isinstance(control, FrictionObserver) else 0.0,
            reference={} if reference is None else self._source("reference", name, reference),
            measurement=self._source("measure", name, measure) if observer else {},
            to=self._targets(name, to, 1)[0],
        )

    def _controller(self, element: Mapping[str, Any]) -> Controller:
        """Return the controller of an element, in the user's form if it still describes the engine's."""
        made = controller_of(element["control"])
        words = self._words.get(element["name"])
        return made if words is None or words != made else words

    def _name(self, control: Controller | Compensator) -> str:
        base = type(control).__name__.lower()
        names = itertools.chain([base], (f"{base}{k}" for k in itertools.count(2)))
        return next(name for name in names if not self._description.has(name))

    def _sources(self, what: str, name: str, given: Any, count: int, cure: str = "") -> list[dict[str, Any]]:
        if given is None:
            if count > 0:
                raise ValueError(
                    f"{what} of '{name}' is missing: it is one of {', '.join(map(repr, self._measurable()))}"
                    f"{cure}"
                )
            return []
        several = isinstance(given, Sequence) and not isinstance(given, str)
        items = list(given) if several else [given]
        if not several and what == "measure" and count > 1:
            items = items * count
        if count == 0:
            if what == "measure":
                reject(f"measure of '{name}'", given, "left out: it has a reference and no measurement")
            return []
        return [self._source(what, name, item) for item in items]

    def _source(self, what: str, name: str, item: Any) -> dict[str, Any]:
        text = f"{what} of '{name}'"
        if is_signal_like(item):
            return {"signal": as_signal(item, text).compiled}
        if isinstance(item, str):
            item = {item: 1.0}
        if callable(item):
            reject(text, item, "a signal: a function of time f is sampled, ss.Samples(t, f(t))")
        if not isinstance(item, Mapping) or not item:
            reject(text, item, "a signal, a name, or a mapping of names to factors")
        names: dict[str, float] = {}
        for key, factor in item.items():
            variable = self._variable(str(key))
            names[variable] = names.get(variable, 0.0) + number(text, factor)
        return {"names": names}

    def _targets(self, name: str, to: Any, outputs: int) -> list[dict[str, float]]:
        return [{} if t is None else self._parts(f"to of '{name}'", t) for t in _listed(to, outputs)]


def _listed(to: Any, outputs: int) -> list[Any]:
    """One target for each output."""
    if to is None:
        return []
    pair = isinstance(to, tuple) and len(to) == 2 and all(isinstance(x, str) for x in to) and outputs == 1
    return [to] if isinstance(to, (str, Mapping)) or pair else list(to)


def _controller(control: Any, period: float | None) -> Controller | Compensator:
    if isinstance(control, Compensator):
        if period is not None:
            reject("period", period, "left out for friction compensation, which is continuous")
        return control
    if isinstance(control, Controller):
        if period is None:
            return control
        return control._with(period=period)
    if is_system(control):
        return LTI.from_system(control, **({} if period is None else {"period": period}))
    if hasattr(control, "ninputs"):
        reject("control", control, "a state space or a transfer function, if it is one of python-control")
    if callable(control) and not isinstance(control, type):
        return Callable(control, period=period)
    reject("control", control, "a controller such as stickslip.PID(kp=3.0), or a function")


def _count(block: _core.control.Block, kind: str) -> int:
    indices = [i.split(".")[0][len(kind) :] for i in block.inputs if i.startswith(kind)]
    return max((int(i or 0) + 1 for i in indices), default=0)
