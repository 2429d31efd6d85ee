"""Controllers in a machine: what they measure, what they follow, where they act."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable as Function
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from stickslip import _core
from stickslip._checks import number, positive, reject
from stickslip._codec import FORMAT, check_functions, functions_in
from stickslip._described import controller_of, from_words, words_of
from stickslip._systems import is_system
from stickslip.compensation import Compensator, FrictionObserver
from stickslip.control import LTI, Callable, Controller
from stickslip.errors import UnknownNameError
from stickslip.laws import Law
from stickslip.signals.signal import Signal, as_signal, is_signal_like
from stickslip.stick_slip import StickSlip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from stickslip.linear import FrequencyResponse, LinearSystem, Poles

__all__ = ["Measure", "On", "Reference"]

On: TypeAlias = "str | tuple[str, str] | Mapping[str, float]"
Measure: TypeAlias = "str | Mapping[str, float] | Sequence[str | Mapping[str, float]]"
Reference: TypeAlias = "Signal | float | str | Mapping[str, float] | Sequence[Signal | float | str]"
Plant = TypeVar("Plant", bound="Wiring")


def law_fields(field: str, law: Law) -> dict[str, Any]:
    """A law as the fields of an element: its terms and the options of the automaton."""
    return {field: law.compiled, **({"automaton": law.automaton} if isinstance(law, StickSlip) else {})}


class Wiring:
    """Base of the machines: a view of the one description, which the engine holds.

    Views share a description until something is added to one of them, so that a run or a copy keeps what it had.
    """

    _description: _core.model.Machine
    _kind: ClassVar[str]  # of the plant
    # Controllers in the words of the user where the engine knows matrices only: a notch, a low-pass filter.
    _words: Mapping[str, Controller] = MappingProxyType({})

    # A description is a value: compared by what it says, copied, and pickled as plain values. It can be changed, so
    # it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wiring):
            return NotImplemented
        return self._description == other._description

    def _snapshot(self: Plant, description: _core.model.Machine | None = None) -> Plant:
        """The same description, which stays as it is now, or the one given."""
        self._description.shared = True
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        if description is not None:
            other._description = description
        return other

    def __copy__(self: Plant) -> Plant:
        return self._snapshot()

    def __deepcopy__(self: Plant, memo: dict[int, Any]) -> Plant:
        other = object.__new__(type(self))
        memo[id(self)] = other
        other.__setstate__(copy.deepcopy(self._state(self._description.pack()), memo))
        return other

    def __getstate__(self) -> dict[str, Any]:
        packed = self._description.pack()
        check_functions(packed)
        return self._state(packed)

    def _state(self, packed: dict[str, Any]) -> dict[str, Any]:
        beside = {k: v for k, v in self.__dict__.items() if k != "_description"}
        return {"format": FORMAT, "description": packed, "beside": beside}

    def __setstate__(self, state: dict[str, Any]) -> None:
        given = state.get("format")
        if given != FORMAT:
            raise ValueError(
                f"this {type(self).__name__} was saved by another version of stickslip: its format is {given}, "
                f"this version reads format {FORMAT}"
            )
        self.__dict__.update(state["beside"])
        self._description = _core.model.Machine.unpack(state["description"])

    def to_dict(self) -> dict[str, Any]:
        """The whole description in numbers, texts, lists and dictionaries, ready for ``json.dumps``.

        Infinite numbers are the texts ``"inf"`` and ``"-inf"``. `from_dict` makes an equal machine of it.

        Raises
        ------
        ValueError
            If the machine holds a Python function, naming what calls it.

        Examples
        --------
        >>> import json, stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
        >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
        >>> d = m.to_dict()
        >>> d["plant"]["stiffness"], d["elements"][0]["law"]
        ([[2.0]], [{'kind': 'Coulomb', 'static': 1.0, 'kinetic': 0.8}])
        >>> ss.Machine.from_dict(json.loads(json.dumps(d))) == m
        True
        """
        packed = self._description.pack()
        for owner, _ in functions_in(packed):
            raise ValueError(f"{owner} holds a Python function, which cannot be written down as a value")
        words = {name: words_of(made) for name, made in self._words.items()}
        return {"stickslip": _core.__version__, **packed, **({"words": words} if words else {})}

    @classmethod
    def from_dict(cls: type[Plant], saved: Mapping[str, Any]) -> Plant:
        """The machine that `to_dict` has described.

        Parameters
        ----------
        saved : mapping
            What `to_dict` returned.

        Raises
        ------
        ValueError
            If it is damaged, of another format, or of another kind of machine.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
        >>> ss.Machine.from_dict(m.to_dict()) == m
        True
        """
        if not isinstance(saved, Mapping):
            reject("saved", saved, "what to_dict() returns")
        beside = ("stickslip", "words")
        description = _core.model.Machine.unpack({k: v for k, v in saved.items() if k not in beside})
        if (kind := description.plant["kind"]) != cls._kind:
            raise ValueError(
                f"this describes a plant of the kind {kind!r}, but a {cls.__name__} is {cls._kind!r}"
            )
        machine = object.__new__(cls)
        machine._description = description
        if words := saved.get("words"):
            machine._words = {name: from_words(given) for name, given in words.items()}
        return machine

    def _controller(self, element: Mapping[str, Any]) -> Controller:
        """The controller of an element, in the words of the user as long as they say what the engine holds."""
        made = controller_of(element["control"])
        words = self._words.get(element["name"])
        return made if words is None or words != made else words

    def _add(self, kind: str, **fields: Any) -> None:
        """Add an element, checked as far as it goes alone."""
        if self._description.shared:
            self._description = self._description.copy()
        self._description.add(kind, fields)

    # What a plant says about itself.
    def _parts(self, what: str, on: On) -> dict[str, float]:
        """Where a force enters: names and factors."""
        raise NotImplementedError

    def _variable(self, name: str) -> str:
        """The full name of what a controller reads."""
        raise NotImplementedError

    def _measurable(self) -> list[str]:
        raise NotImplementedError

    def _follow(self, on: On) -> Measure:
        """What a controller measures that is given by ``on`` alone."""
        raise NotImplementedError

    def compile(self) -> _core.dynamics.Compiled:
        """Check the whole description and reduce it to what the engine runs; done by itself when needed."""
        return _core.dynamics.compile(self._description)

    def check(self) -> None:
        """Check the whole description, as every run does first.

        What concerns one element alone is checked when it is added. What concerns several, such as the output of
        another controller, may be added in any order and is checked here.

        Raises
        ------
        ValueError
            Naming the element: references to what does not exist, rates of what jumps, algebraic loops.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PI(kp=2.0, tn=0.1), measure="slide.velocity", reference="a.output", to="slide")
        'pi'
        >>> m.check()
        Traceback (most recent call last):
        ...
        stickslip.errors.UnknownNameError: reference of 'pi' = 'a.output': unknown controller 'a'; known are: 'pi'
        """
        self.compile()

    def draw(self, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
        """Draw the machine from its description.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes where they are empty, or a new figure. On given axes letters
            shrink with the drawing.
        what : str, optional
            ``"schematic"``: masses and rotors on shafts in a row with springs, dampers, friction, contacts and forces, not
            to scale (not for a plant in matrix notation). ``"diagram"``: the flow of signals through controllers, their
            limits and the plant, in rows where one line would be wider than a page; without controllers that of the plant
            alone. The name of a friction element that sticks: its states and the transitions between them. By default the
            diagram where there are controllers or matrices, else the schematic.
        **keywords
            For bodies and blocks (`matplotlib.patches.Patch`), such as ``facecolor``.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        UnknownNameError
            For another `what`.
        MissingExtraError
            When matplotlib is not installed.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
        >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
        >>> " | ".join(text.get_text() for text in m.draw().texts).split()
        ['block', '1', 'kg', '|', 'belt:', 'Coulomb', 'surface', 'at', '0.2', 'm/s', '|', '2', 'N/m']
        >>> [text.get_text() for text in m.draw(what="belt").texts][0]
        'stick'
        """
        from stickslip._drawing.machine import draw

        return draw(self, ax, what, keywords)

    @property
    def scales(self) -> Mapping[str, float]:
        """Nominal sizes of the states by name, and ``"time"``, the time scale, s: what counts as zero is measured by them.

        They come from the description: from rates of the plant and its controllers, else from forces, masses, gaps, surface
        speeds and the times of signals. 0 means that nothing in the description tells a size. During a run sizes grow
        with what has been seen; ``run.state`` keeps them. Assigning a mapping sets those that it names, in their units,
        > 0, and gives all others back to the description.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1e-3, names=["pin"], force={"pin": 1e3})
        >>> m.add_contact("wall", normal={"pin": -1.0}, gap=5e-6)
        >>> m.scales["pin.position"]
        5e-06
        >>> m.scales = {"time": 1e-6}
        >>> m.scales["time"]
        1e-06
        """
        compiled = self.compile()
        sizes = dict(zip(compiled.states, map(float, compiled.nominal), strict=True))
        return MappingProxyType(sizes | {"time": compiled.time_scale})

    @scales.setter
    def scales(self, given: Mapping[str, float]) -> None:
        if not isinstance(given, Mapping):
            reject("scales", given, "a mapping of states, or 'time', to sizes > 0")
        sizes = {str(name): positive(f"scales[{name!r}]", size) for name, size in given.items()}
        known = [*self.states, "time"]
        for name in sizes:
            if name not in known:
                raise UnknownNameError(
                    f"unknown name {name!r} in scales; known are: {', '.join(map(repr, known))}"
                )
        if self._description.shared:
            self._description = self._description.copy()
        self._description.scales = sizes

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of the friction elements, contacts and one-way clutches, in the order in which they were added."""
        return tuple(self._description.names(["friction", "contact", "one_way_clutch"]))

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states, in the order of ``run.y``; internal ones of elements and controllers come last."""
        return tuple(self.compile().states)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all numbers and signals that `ensemble` can vary, besides initial values.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
        >>> m.parameters[:3]
        ('guide.law.static', 'guide.law.kinetic', 'guide.law.memory')
        """
        return tuple(self._description.parameters)

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
            What it does, such as ``ss.PID(kp=3.0, ki=4.0, kd=6.0)``. A function ``u = f(t, r, y)`` is called at the
            multiples of `period`. A state space, a transfer function, or zeros, poles and gain of python-control or
            SciPy is an `LTI` each of whose inputs reads an error r - y; `LTI.from_system` also makes filters and what
            weighs r and y differently of it (``inputs="both"``). A `FrictionFeedforward` follows the velocity of the
            reference, a `FrictionObserver` that of the measured position.
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
        excess : str or mapping, optional
            Anti-windup through a chain: by how much a limit further on changes what this controller asks for, limited less
            asked for. The integral of a P-I part follows it back as it does at a limit of its own; sampled, with
            ``anti_windup="clamping"``, it keeps of a step outwards only what is more than was cut off. In a chain of
            sampled controllers it is the output of a continuous one, and so that of the instant before; `Drive.add`
            makes it.

        Returns
        -------
        str
            The name.

        Raises
        ------
        ValueError
            Naming the argument. What depends on other elements is checked when the machine runs, or by `check`:
            outputs of controllers that do not exist, the rate of something that jumps, an algebraic loop (an
            output that at the same instant depends on itself, even if it has a solution: a lag or a delay opens
            it).

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
                "; what filters its reference alone is LTI(..., inputs='both', references=1)"
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
                f"to of '{name}' is missing: it acts as a force on a coordinate; what enters the command of another "
                "controller is a signal, FrictionForce(law, reference.derivative()), or sampled the output of a "
                "FrictionCurve with a period"
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

    def poles(self) -> Poles:
        """Poles of the machine with its controllers, slowest first.

        Friction and contacts are left out, controllers are off their limits, encoders have no steps, and springs are on
        the stretch on which they are where all coordinates are zero.

        Returns
        -------
        Poles
            An array of complex numbers with `stable`, `damping` and `period`. Of continuous controllers they are in
            1/s. With sampled controllers they are those of z from one period to the next, with holds, delays and
            difference quotients; of several rates, from one common period to the next. States that follow from others by
            constraints do not count.

        Raises
        ------
        ValueError
            If the machine is not linear, a controller is a Python function, or the sampling periods have no common one.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PID(kp=2.0, kd=3.0), on="slide")
        'pid'
        >>> m.poles()
        Poles([-1.+0.j, -2.+0.j])
        >>> sampled = ss.Machine(mass=1.0, names=["slide"])
        >>> sampled.add_controller(ss.P(kp=30.0, period=0.1), measure="slide.velocity", to="slide")
        'p'
        >>> sampled.poles()     # v' = -30 v, sampled too slowly: z = 1 - 3
        Poles([-2.+0.j,  1.+0.j])
        >>> sampled.poles().stable
        False
        """
        from stickslip.linear.machine import poles

        return poles(self)

    def linear_system(
        self, inputs: On | Sequence[str | Mapping[str, float]], outputs: Measure
    ) -> LinearSystem:
        """Return the linear part with its controllers, from forces and references to what is measured.

        Parameters
        ----------
        inputs : str or mapping, or a list of them
            Where something enters: a coordinate (an input of a plant in matrices) or a combination of them, for a force;
            ``"<controller>.reference"``, for what is added to a reference.
        outputs : str or mapping, or a list of them
            What is looked at: anything that can be measured, ``"<coordinate>.acceleration"``, and ``.output``,
            ``.reference`` and ``.error`` of controllers.

        Returns
        -------
        LinearSystem
            With sampled controllers a system from one sampling instant to the next: inputs are held in between, outputs
            are those right after the instant.

        Raises
        ------
        UnknownNameError
            For unknown names.
        ValueError
            If the machine is not linear or is sampled at several rates.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_controller(ss.PI(kp=4.0, tn=1.0), "speed", measure="slide.velocity", to="slide")
        'speed'
        >>> m.linear_system("speed.reference", "slide.velocity").outputs
        ('slide.velocity',)
        """
        from stickslip.linear.machine import linear_system

        return linear_system(self, inputs, outputs)

    def bode(
        self,
        input: Any,
        output: Any,
        omega: ArrayLike | None = None,
        *,
        ax: Any = None,
        Hz: bool = False,
        **keywords: Any,
    ) -> FrequencyResponse:
        """Frequency response of the machine with its controllers, drawn as a Bode diagram into `ax` if it is given.

        Parameters
        ----------
        input, output : str or mapping, or a list of them
            As in `linear_system`.
        omega, ax, Hz, **keywords
            As in `LinearSystem.bode <stickslip.linear.LinearSystem.bode>`.

        Returns
        -------
        FrequencyResponse
            Of the shape (outputs, inputs, n); its ``plot()`` draws the Bode diagram into the current figure.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=1.0, names=["slide"])
        >>> m.bode("slide", "slide.velocity", [1.0]).response.round(6)
        array([[[0.5-0.5j]]])
        """
        return self.linear_system(input, output).bode(omega, ax=ax, Hz=Hz, **keywords)

    def to_control(self, inputs: Any, outputs: Any) -> Any:
        """The linear part as a ``control.StateSpace`` of python-control (needs the extra ``control``).

        Parameters
        ----------
        inputs, outputs : str or mapping, or a list of them
            As in `linear_system`; dots in the names of inputs, outputs and states become underscores.

        Returns
        -------
        control.StateSpace
            Of continuous time, or with ``dt`` where controllers are sampled.

        Raises
        ------
        MissingExtraError
            When python-control is not installed.
        ValueError
            Where a controller feeds a rate of an input forward, which is no state space.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=2.0, names=["slide"])
        >>> m.to_control("slide", "slide.velocity").poles()
        array([ 0.+0.j, -2.+0.j])
        """
        return self.linear_system(inputs, outputs).to_control()

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
                reject(
                    f"measure of '{name}'", given, "left out: it measures nothing, and reads its reference"
                )
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
        reject("control", control, "a state space or a transfer function, where it comes from python-control")
    if callable(control) and not isinstance(control, type):
        return Callable(control, period=period)
    reject("control", control, "a controller such as stickslip.PID(kp=3.0), or a function")


def _count(block: _core.control.Block, kind: str) -> int:
    indices = [i.split(".")[0][len(kind) :] for i in block.inputs if i.startswith(kind)]
    return max((int(i or 0) + 1 for i in indices), default=0)
