"""Base class of machines: values that are compared, copied, saved, checked and drawn."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from stickslip import _core
from stickslip._attached import deferred
from stickslip._checks import positive, reject
from stickslip.control.controllers import Controller
from stickslip.errors import UnknownNameError
from stickslip.machine._codec import FORMAT, check_functions, functions_in
from stickslip.machine._described import from_words, words_of
from stickslip.machine.places import Measure, On

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Plant = TypeVar("Plant", bound="BaseMachine")


class BaseMachine:
    """A machine as a value: a view of a description held by the engine.

    Copies share a description until an element is added to one of them, so runs and copies are unaffected.
    """

    _description: _core.model.Machine
    _kind: ClassVar[str]  # of the plant
    # Controllers in the words of the user where the engine knows matrices only: a notch, a low-pass filter.
    _words: Mapping[str, Controller] = MappingProxyType({})

    # A description is a value: compared by its contents, copied, and pickled as plain values. It can be changed, so
    # it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BaseMachine):
            return NotImplemented
        return self._description == other._description

    def _snapshot(self: Plant, description: _core.model.Machine | None = None) -> Plant:
        """A copy of the machine with its present description, or the given one."""
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
        """Return the description as numbers, strings, lists and dictionaries, ready for ``json.dumps``.

        Infinite numbers are the strings ``"inf"`` and ``"-inf"``. `from_dict` restores an equal machine.

        Raises
        ------
        ValueError
            If the machine holds a Python function, naming the element that calls it.

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
            raise ValueError(f"{owner} holds a Python function, which cannot be saved")
        words = {name: words_of(made) for name, made in self._words.items()}
        return {"stickslip": _core.__version__, **packed, **({"words": words} if words else {})}

    @classmethod
    def from_dict(cls: type[Plant], saved: Mapping[str, Any]) -> Plant:
        """Make the machine from the result of `to_dict`.

        Parameters
        ----------
        saved : mapping
            Result of `to_dict`.

        Raises
        ------
        ValueError
            If the data are damaged, of another format, or of another kind of machine.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
        >>> ss.Machine.from_dict(m.to_dict()) == m
        True
        """
        if not isinstance(saved, Mapping):
            reject("saved", saved, "the result of to_dict()")
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

    def _add(self, kind: str, **fields: Any) -> None:
        """Add an element, checked as far as it goes alone."""
        if self._description.shared:
            self._description = self._description.copy()
        self._description.add(kind, fields)

    # Interface of a plant.
    def _parts(self, what: str, on: On) -> dict[str, float]:
        """Point of action of a force: names and factors."""
        raise NotImplementedError

    def _variable(self, name: str) -> str:
        """The full name of what a controller reads."""
        raise NotImplementedError

    def _measurable(self) -> list[str]:
        raise NotImplementedError

    def _follow(self, on: On) -> Measure:
        """Measurement of a controller given by ``on`` only."""
        raise NotImplementedError

    def compile(self) -> _core.dynamics.Compiled:
        """Check the whole description and compile it for the engine; called automatically when needed."""
        return _core.dynamics.compile(self._description)

    def check(self) -> None:
        """Check the complete description; every run does so first.

        Each element is checked when it is added. References between elements, such as the output of another controller,
        may be added in any order and are checked here.

        Raises
        ------
        ValueError
            Naming the element: unknown references, rates of signals that jump, algebraic loops.

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

    @deferred
    def draw(self, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
        """Draw the machine from its description.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes where they are empty, or a new figure. On given axes the
            letters scale with the drawing.
        what : str, optional
            ``"schematic"``: masses and rotors on shafts in a row with springs, dampers, friction, contacts and forces,
            not to scale (not for a plant in matrix notation). ``"diagram"``: the signal flow through controllers, their
            limits and the plant, in rows where one line would be wider than a page; without controllers, the signal
            flow within the plant. The name of a friction element with stick: the state chart of its modes and
            transitions. By default the diagram for machines with controllers and for matrices, otherwise the schematic.
        **keywords
            For bodies and blocks (`matplotlib.patches.Patch`), such as ``facecolor``.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        UnknownNameError
            For any other `what`.
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
        raise NotImplementedError

    @property
    def scales(self) -> Mapping[str, float]:
        """Nominal sizes of the states by name, and ``"time"``, the time scale, s; thresholds for zero are relative to
        them.

        They are estimated from the description: from rates of the plant and its controllers, forces, masses, gaps,
        surface speeds and the times of signals. 0 means that the description determines no size. During a run sizes
        grow with the values reached; ``run.state`` keeps them. Assigning a mapping sets the named sizes, in their
        units, > 0, and resets all others.

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
        """Names of the friction elements, contacts, one-way clutches and detents, in the order in which they were added."""
        return tuple(self._description.names(["friction", "contact", "one_way_clutch", "detent"]))

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states, in the order of ``run.y``; internal states of elements and controllers are last."""
        return tuple(self.compile().states)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters and signals that `ensemble` can vary, besides initial values.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
        >>> m.parameters[:3]
        ('guide.law.static', 'guide.law.kinetic', 'guide.law.memory')
        """
        return tuple(self._description.parameters)
