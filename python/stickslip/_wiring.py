"""Controllers in a machine: what they measure, what they follow, where they act."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable as Function
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from stickslip import _core as engine
from stickslip._checks import number, reject
from stickslip._codec import FORMAT, check_functions
from stickslip._signal import Signal, as_signal, is_signal_like
from stickslip.compensation import Compensator, FrictionObserver
from stickslip.control import LTI, Callable, Controller, HasMatrices

__all__ = ["Measure", "On", "Reference", "Wired"]

On: TypeAlias = "str | tuple[str, str] | Mapping[str, float]"
Measure: TypeAlias = "str | Mapping[str, float] | Sequence[str | Mapping[str, float]]"
Reference: TypeAlias = "Signal | float | str | Mapping[str, float] | Sequence[Signal | float | str]"
Vector = NDArray[np.float64]
Plant = TypeVar("Plant", bound="Wiring")


@dataclasses.dataclass(frozen=True)
class Wired:
    """A controller as it was added."""

    name: str
    control: Controller | Compensator
    measure: Any
    reference: Any
    to: Any


class Wiring:
    """Base of the plants that controllers can be added to."""

    _controllers: tuple[Wired, ...]
    _compensators: tuple[Wired, ...]
    _core: engine.Machine
    _compiled: engine.Compiled | None

    # A description is a value: compared by what the engine reads of it, copied, and pickled as the engine's
    # tuple of plain values together with what a user wrote. It can be changed, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wiring):
            return NotImplemented
        return self._core == other._core and self._beside() == other._beside()

    def _beside(self) -> object:
        """What runs show though the engine does not read it."""
        return None

    def __copy__(self: Plant) -> Plant:
        other = object.__new__(type(self))
        for name, value in self.__dict__.items():
            mutable = isinstance(value, (list, dict))
            other.__dict__[name] = value.copy() if mutable else other if value is self else value
        other._core = self._core.copy()
        return other

    def __deepcopy__(self: Plant, memo: dict[int, Any]) -> Plant:
        other = object.__new__(type(self))
        memo[id(self)] = other
        other.__setstate__(copy.deepcopy(self._state(self._core.pack()), memo))
        return other

    def __getstate__(self) -> dict[str, Any]:
        packed = self._core.pack()
        check_functions(packed)
        return self._state(packed)

    def _state(self, packed: tuple[Any, ...]) -> dict[str, Any]:
        written = {k: v for k, v in self.__dict__.items() if k not in ("_core", "_compiled")}
        return {"format": FORMAT, "core": packed, "written": written}

    def __setstate__(self, state: dict[str, Any]) -> None:
        given = state.get("format")
        if given != FORMAT:
            raise ValueError(
                f"this {type(self).__name__} was saved by another version of stickslip: its format is {given}, "
                f"this version reads format {FORMAT}"
            )
        self.__dict__.update(state["written"])
        self._core = engine.Machine.unpack(state["core"])
        self._compiled = None

    # What a plant says about itself.
    def _direction(self, name: str, on: On) -> Vector:
        raise NotImplementedError

    def _measured(self, key: str) -> tuple[Vector, Signal | None, list[tuple[str, int, float]]]:
        """State form, signal and outputs of controllers that make up a measured quantity; KeyError if
        unknown.
        """
        raise NotImplementedError

    def _measurable(self) -> list[str]:
        raise NotImplementedError

    def _follow(self, on: On) -> Measure:
        """What a controller measures that is given by ``on`` alone."""
        raise NotImplementedError

    def compile(self) -> engine.Compiled:
        """Check the whole description and reduce it to what the engine runs; done by itself when needed."""
        if self._compiled is None:
            self._compiled = engine.Compiled(self._core)
        return self._compiled

    def _adopt(self, changed: engine.Machine) -> None:
        """Take a changed description if it compiles; if not, all stays as it was."""
        self._compiled = engine.Compiled(changed)
        self._core = changed

    @property
    def controllers(self) -> tuple[str, ...]:
        """Names of the controllers."""
        return tuple(c.name for c in self._controllers)

    def add_controller(
        self,
        control: Controller | Compensator | Function[..., Any] | HasMatrices,
        name: str | None = None,
        on: On | None = None,
        measure: Measure | None = None,
        reference: Reference | None = None,
        to: On | Sequence[On] | None = None,
        period: float | None = None,
    ) -> str:
        """Add a controller.

        Parameters
        ----------
        control : Controller or Compensator or callable or object with A, B, C and D
            What it does, such as ``ss.PID(kp=3.0, ki=4.0, kd=6.0)``; a function ``u = f(t, r, y)`` is called
            at the multiples of `period`; a state space of python-control or SciPy is taken as `LTI` from the
            error to the output. A `FrictionFeedforward` follows the velocity of the reference, a
            `FrictionObserver` that of the measured position.
        name : str, optional
            Its name, by default the kind in small letters (``"pid"``, ``"pid2"``). Signals are
            ``"<name>.output"``, ``.reference``, ``.error`` (reference minus what is measured) and ``.mode``
            (free, high or low).
        on : str or tuple of two str or mapping, optional
            Short for measuring the position of this coordinate (or combination) and driving it.
        measure : str or mapping, or a sequence of them, optional
            What it measures: ``"motor"`` or ``"motor.position"``, ``"motor.velocity"``,
            ``"<controller>.output"``, or a combination {name: factor}; a sequence for controllers that
            measure several. A `Cascade` measures (position, motor), the same twice by default.
        reference : Signal or float or str, or a sequence of them, default 0.0
            What it follows: a signal, or the name of anything that can be measured, such as another
            controller's output.
        to : str or tuple of two str or mapping, optional
            Which coordinate its output drives as a force, N; None if it only feeds another controller. A
            sequence for several outputs.
        period : float, optional
            Sampling period, s, instead of the one that `control` has.

        Returns
        -------
        str
            The name.

        Raises
        ------
        ValueError
            Naming the argument: unknown names, the rate of something that jumps, an algebraic loop (an output
            that at the same instant depends on itself, even if it has a solution: a lag or a delay opens it).

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), on="slide", reference=1.0)
        'pid'
        >>> run = ss.simulate(m, t_end=20.0)
        >>> float(run["slide.position"][-1].round(6))
        0.999999
        """
        control = _controller(control, period)
        name = self._name(control) if name is None else str(name)
        if on is not None:
            if measure is not None or to is not None:
                reject(f"on of '{name}'", on, "left out where measure or to are given")
            measure, to = self._follow(on), on
        wired = Wired(name, control, measure, reference, to)
        self._adopt(self._with(wired))
        if isinstance(control, Compensator):
            self._compensators = (*self._compensators, wired)
        else:
            self._controllers = (*self._controllers, wired)
        return name

    def _with(self, wired: Wired) -> engine.Machine:
        """The engine's machine with one more controller."""
        trial = self._core.copy()
        self._wire(trial, wired)
        return trial

    def _wire(self, core: engine.Machine, wired: Wired) -> None:
        if isinstance(wired.control, Compensator):
            self._compensate(core, wired, wired.control)
            return
        name, block = wired.name, wired.control.compiled.block()
        reference = 0.0 if wired.reference is None else wired.reference
        measurements = self._sources("measure", name, wired.measure, _count(block, "measurement"))
        references = self._sources("reference", name, reference, _count(block, "reference"))
        directions = self._targets(name, wired.to, len(block.lo))
        core.add_controller(name, wired.control.compiled, references, measurements, directions)

    def _compensate(self, core: engine.Machine, wired: Wired, control: Compensator) -> None:
        name = wired.name
        observer = isinstance(control, FrictionObserver)
        if wired.to is None:
            raise ValueError(f"to of '{name}' is missing: compensation acts as a force")
        if observer and wired.measure is None:
            raise ValueError(f"measure of '{name}' is missing: an observer follows a position")
        nothing = engine.Source("", np.zeros(0), None, [])
        reference, measurement = nothing, nothing
        if wired.reference is not None:
            reference = self._source("reference", name, wired.reference)
        if observer:
            measurement = self._source("measure", name, wired.measure)
        core.add_compensator(
            name,
            control.law.compiled,
            as_signal(control.normal_load).compiled,
            observer,
            control.gain if isinstance(control, FrictionObserver) else 0.0,
            reference,
            measurement,
            self._targets(name, wired.to, 1)[0],
        )

    def poles(self) -> NDArray[np.complex128]:
        """Poles of the machine with its continuous controllers off their limits and friction left out,
        slowest first.

        Returns
        -------
        ndarray of complex, shape (n_states,)
            In 1/s. Held outputs of sampled controllers and internal states of friction count as poles at 0.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PID(kp=2.0, kd=3.0), on="slide")
        'pid'
        >>> m.poles()
        array([-1.+0.j, -2.+0.j])
        """
        poles = np.linalg.eigvals(self.compile().linear_part()).astype(np.complex128)
        return poles[np.lexsort((poles.imag, np.round(np.abs(poles), 12)))]

    def _name(self, control: Controller | Compensator) -> str:
        base = type(control).__name__.lower()
        taken = {c.name for c in (*self._controllers, *self._compensators)}
        return next(n for n in (base, *(f"{base}{k}" for k in range(2, len(taken) + 3))) if n not in taken)

    def _sources(self, what: str, name: str, given: Any, count: int) -> list[engine.Source]:
        if given is None:
            if count > 0:
                raise ValueError(
                    f"{what} of '{name}' is missing: it is one of {', '.join(map(repr, self._measurable()))}"
                )
            return []
        several = isinstance(given, Sequence) and not isinstance(given, str)
        items = list(given) if several else [given]
        if not several and what == "measure" and count > 1:
            items = items * count
        if count == 0:
            return []
        return [self._source(what, name, item) for item in items]

    def _source(self, what: str, name: str, item: Any) -> engine.Source:
        text = f"{what} of '{name}'"
        if is_signal_like(item):
            return engine.Source(text, np.zeros(0), as_signal(item, text).compiled, [])
        if isinstance(item, str):
            item = {item: 1.0}
        if not isinstance(item, Mapping) or not item:
            reject(text, item, "a signal, a name, or a mapping of names to factors")
        state: Vector | None = None
        signal: Signal | None = None
        outputs: list[tuple[str, int, float]] = []
        for key, factor in item.items():
            factor = number(text, factor)
            x, s, u = self._find(text, str(key), name)
            if x.size:
                state = factor * x if state is None else state + factor * x
            if s is not None:
                signal = factor * s if signal is None else signal + factor * s
            outputs += [(controller, i, factor * f) for controller, i, f in u]
        shown = " + ".join(map(str, item)) if len(item) > 1 else next(iter(item))
        return engine.Source(
            f"{text} = '{shown}'",
            np.zeros(0) if state is None else state,
            None if signal is None else signal.compiled,
            outputs,
        )

    def _find(
        self, text: str, key: str, adding: str
    ) -> tuple[Vector, Signal | None, list[tuple[str, int, float]]]:
        owner, _, kind = key.rpartition(".")
        if owner in (*self.controllers, adding) and kind.startswith("output"):
            index = kind[len("output") :]
            if index == "" or index.isdigit():
                return np.zeros(0), None, [(owner, int(index or 0), 1.0)]
        try:
            return self._measured(key)
        except KeyError:
            known = [*self._measurable(), *(f"{c}.output" for c in self.controllers)]
            raise ValueError(
                f"{text} names {key!r}, which is unknown; known are: {', '.join(map(repr, known))}"
            ) from None

    def _targets(self, name: str, to: Any, outputs: int) -> list[Vector]:
        return [
            np.zeros(0) if t is None else self._direction(f"to of '{name}'", t) for t in _listed(to, outputs)
        ]

    # What a trajectory shows of this plant besides states and elements.
    def _derived(self, run: Any) -> dict[str, Function[[], Vector]]:
        return {}


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
        arguments = control._arguments() | {"period": period}
        changed: Controller = type(control)(**arguments)
        return changed
    if all(hasattr(control, matrix) for matrix in "ABCD"):
        return LTI.from_system(control, **({} if period is None else {"period": period}))
    if callable(control) and not isinstance(control, type):
        return Callable(control, period=period)
    reject("control", control, "a controller such as stickslip.PID(kp=3.0), or a function")


def _count(block: engine.Block, kind: str) -> int:
    indices = [i.split(".")[0][len(kind) :] for i in block.inputs if i.startswith(kind)]
    return max((int(i or 0) + 1 for i in indices), default=0)
