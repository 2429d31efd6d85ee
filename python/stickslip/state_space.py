"""Plants in matrix notation: friction put into a drive that one already has as matrices."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import matrix, number, reject, vector, wrong_shape
from stickslip._wiring import Measure, On, Wired, Wiring, _listed
from stickslip.control import Controller
from stickslip.laws import Law
from stickslip.signals import Signal, as_signal
from stickslip.stick_slip import StickSlip

__all__ = ["StateSpace"]

Vector = NDArray[np.float64]


class StateSpace(Wiring):
    """A linear plant ``x' = A x + B u + A_NL NL(x)``, ``y = C x + D u`` with friction as its nonlinear part.

    A, B, C and D stay what they are without friction; friction adds columns to A_NL (Krämer, Kempkes,
    section 3).

    Parameters
    ----------
    A : array_like, shape (n, n), or object
        Dynamics; or anything that has A, B, C and D, such as a state space of python-control or SciPy (then
        the others are left out), which `system` gives back.
    B : array_like, shape (n, m)
        Effect of the inputs. A vector is one column.
    C : array_like, shape (p, n)
        Outputs. A vector is one row.
    D : array_like, shape (p, m), default zeros
        Direct effect of the inputs on the outputs.
    states, inputs, outputs : sequence of str, optional
        Names; by default those of the object that was given, if somebody named them there (python-control),
        else ``"x0"``, ``"u0"``, ``"y0"`` and so on. States and outputs are read as ``run["x0"]``.
    signals : mapping, optional
        Input name -> number or signal; inputs are zero by default.

    Attributes
    ----------
    A, B, C, D : ndarray
        The matrices.
    system : object
        The object that was given, or this one.

    Raises
    ------
    ValueError
        If the matrices do not fit together or the system is one of discrete time.

    Notes
    -----
    The energy of such a plant is not known: `Energy` then holds what friction takes and surfaces give, and NaN
    for all else.

    Examples
    --------
    >>> import stickslip as ss
    >>> plant = ss.StateSpace(A=[[0.0, 1.0], [0.0, 0.0]], B=[0.0, 1.0], C=[[1.0, 0.0], [0.0, 1.0]],
    ...                       outputs=["x", "v"], signals={"u0": ss.Ramp(slope=0.2)})
    >>> plant.add_friction("guide", law=ss.Coulomb(static=1.0, kinetic=0.8), on="u0", velocity="v")
    >>> ss.simulate(plant, t_end=10.0).events[0].time
    5.0
    """

    def __init__(
        self,
        A: ArrayLike | Any,
        B: ArrayLike | None = None,
        C: ArrayLike | None = None,
        D: ArrayLike | None = None,
        states: Sequence[str] | None = None,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        signals: Mapping[str, Signal | float] | None = None,
    ) -> None:
        self.system: Any = self
        if all(hasattr(A, name) for name in "ABCD"):
            if B is not None or C is not None or D is not None:
                raise ValueError("B, C and D are left out where A is an object that has them")
            system: Any = A
            self.system = system
            if getattr(system, "dt", None):  # None and 0 mean continuous
                raise ValueError(
                    f"A.dt = {system.dt} is not allowed: the system must be one of continuous time"
                )
            states = _labels(system, "state") if states is None else states
            inputs = _labels(system, "input") if inputs is None else inputs
            outputs = _labels(system, "output") if outputs is None else outputs
            A, B, C, D = (np.asarray(getattr(system, name)) for name in "ABCD")
        if B is None or C is None:
            raise ValueError("B and C are missing: give A, B, C (and D), or an object that has them")
        self.A, self.B, self.C = matrix("A", A), matrix("B", B), matrix("C", C, vector_is="row")
        n, m, p = self.A.shape[0], self.B.shape[1], self.C.shape[0]
        self.D = matrix("D", np.zeros((p, m)) if D is None else D, vector_is="row")
        for name, given, shape in (
            ("A", self.A, (n, n)),
            ("B", self.B, (n, m)),
            ("C", self.C, (p, n)),
            ("D", self.D, (p, m)),
        ):
            if given.shape != shape:
                wrong_shape(name, given, shape)
        self._states = _names("states", states, "x", n)
        self.inputs = _names("inputs", inputs, "u", m)
        self.outputs = _names("outputs", outputs, "y", p)
        shared = {*self._states} & {*self.outputs}
        rows = np.eye(n)
        for name in shared:  # an output may be a state, under its name
            i, j = self.outputs.index(name), self._states.index(name)
            if self.D[i].any() or not np.array_equal(self.C[i], rows[j]):
                reject("outputs", name, "other than a state's name unless it is that state")
        self._signals: dict[str, Signal] = {}
        self._friction: list[dict[str, Any]] = []
        self._controllers: tuple[Wired, ...] = ()
        self._compensators: tuple[Wired, ...] = ()
        self._adding: Wired | None = None
        self._adopt(self._build())
        for name, signal in (signals or {}).items():
            self.add_signal(name, signal)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of coordinates: none, a plant in matrix notation has states only."""
        return ()

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of the friction elements."""
        return tuple(f["name"] for f in self._friction)

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states, in the order of ``run.y``; internal ones of friction and controllers come
        last.
        """
        return tuple(self.compile().states)

    @property
    def A_NL(self) -> NDArray[np.float64]:
        """One column per place of friction: change of x' per unit of its force."""
        columns = [f["column"] for f in self._friction]
        return np.array(columns).T if columns else np.zeros((len(self._states), 0))

    @property
    def _forces(self) -> list[tuple[str, Signal]]:
        return list(self._signals.items())

    def add_signal(self, input: str, signal: Signal | float) -> None:
        """Drive an input with a signal, added to what drives it already.

        Parameters
        ----------
        input : str
            Name of the input.
        signal : Signal or float
            Its value over time.

        Examples
        --------
        >>> import stickslip as ss
        >>> plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
        >>> plant.add_signal("u0", 2.0)
        >>> float(ss.simulate(plant, t_end=50.0)["y0"][-1].round(9))
        2.0
        """
        self._input(input)
        new = as_signal(signal, f"signals['{input}']")
        before = dict(self._signals)
        self._signals[input] = self._signals[input] + new if input in self._signals else new
        self._try(lambda: setattr(self, "_signals", before))

    def add_friction(
        self,
        name: str,
        law: Law,
        velocity: str | Mapping[str, float] | ArrayLike,
        on: str | Mapping[str, float] | None = None,
        column: ArrayLike | None = None,
        normal_load: Signal | float = 1.0,
        surface_velocity: Signal | float = 0.0,
        feedthrough: Mapping[str, float] | None = None,
    ) -> None:
        """Add a place of friction: a column of A_NL.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.force"``, ``.velocity``, ``.load`` and ``.mode``.
        law : Law
            Any friction law; levels are per unit normal load.
        velocity : str or mapping or array_like
            The velocity that friction opposes: an output or state, a combination {name: factor}, or a row
            over the states.
        on : str or mapping, optional
            Where a force would enter: an input, or a combination of inputs. The column is minus what B says
            there.
        column : array_like, shape (n,), optional
            The column of A_NL itself, instead of `on`.
        normal_load, surface_velocity : float or Signal
            As in `Machine.add_friction`.
        feedthrough : mapping, optional
            Column of D_NL: output name -> its change per unit of friction force, for outputs that contain
            accelerations.

        Raises
        ------
        ValueError
            If friction would act instantly on its own velocity the wrong way, C·A_NL >= 0, and for unknown
            names.

        Examples
        --------
        >>> import stickslip as ss
        >>> plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
        >>> plant.add_friction("brake", law=ss.Coulomb(static=1.0, kinetic=0.5), velocity="y0", on="u0")
        >>> plant.A_NL
        array([[-1.]])
        """
        if not isinstance(law, Law):
            reject("law", law, "a friction law such as stickslip.Coulomb(static=1.0, kinetic=0.8)")
        if isinstance(law, StickSlip) and law.load_factor:
            reject("law", law, "without load_factor on a plant in matrix notation")
        if (on is None) == (column is None):
            raise ValueError(f"on or column of '{name}': exactly one of them must be given")
        if on is not None:
            entries = -self._direction(f"on of '{name}'", on)
        else:
            entries = vector(f"column of '{name}'", column)  # type: ignore[arg-type]
        row, direct, _ = self._velocity(name, velocity)
        surface = as_signal(surface_velocity, "surface_velocity")
        if direct is not None:
            surface = surface - direct
        through = {
            self._output(f"feedthrough of '{name}'", k): float(v) for k, v in (feedthrough or {}).items()
        }
        own = (
            {velocity}
            if isinstance(velocity, str)
            else {*velocity}
            if isinstance(velocity, Mapping)
            else set()
        )
        if jumps := [self.outputs[i] for i in through if self.outputs[i] in own]:
            reject(f"feedthrough of '{name}'", jumps[0], "another output than the velocity that it opposes")
        self._friction.append(
            {
                "name": str(name),
                "law": law,
                "row": row,
                "column": entries,
                "normal_load": as_signal(normal_load, "normal_load"),
                "surface_velocity": surface,
                "feedthrough": through,
            }
        )
        self._try(self._friction.pop)

    def _beside(self) -> object:
        through = [
            [None if to is None else self._shares(to) for to in _listed(w.to, len(c.compiled.block().lo))]
            for w, c in self._wirings()
        ]
        matrices = [(m.shape, m.tolist()) for m in (self.B, self.C, self.D)]
        feedthrough = [f["feedthrough"] for f in self._friction]
        return matrices, self.inputs, self.outputs, self._signals, feedthrough, through

    def _try(self, undo: Callable[[], Any]) -> None:
        try:
            self._adopt(self._build())
        except BaseException:
            undo()
            raise

    def _build(self, added: Wired | None = None) -> _core.Machine:
        core = _core.Machine.from_matrices(self.A, list(self._states))
        for name, signal in self._signals.items():
            core.add_force(self.B[:, self._input(name)], signal.compiled)
        for f in self._friction:
            law = f["law"]
            options = law.automaton if isinstance(law, StickSlip) else _core.Automaton()
            core.add_matrix_friction(
                f["name"],
                f["row"],
                f["column"],
                law.compiled,
                options,
                f["normal_load"].compiled,
                f["surface_velocity"].compiled,
            )
        self._adding = added
        try:
            for wired in (*self._controllers, *self._compensators, *([] if added is None else [added])):
                self._wire(core, wired)
        finally:
            self._adding = None
        return core

    def _wirings(self) -> list[tuple[Wired, Controller]]:
        """All controllers, with the one that is being added."""
        known = [*self._controllers, *([] if self._adding is None else [self._adding])]
        return [(w, w.control) for w in known if isinstance(w.control, Controller)]

    def _with(self, wired: Wired) -> _core.Machine:
        return self._build(wired)

    def _input(self, name: str) -> int:
        if name not in self.inputs:
            raise ValueError(f"unknown input {name!r}; known are: {', '.join(map(repr, self.inputs))}")
        return self.inputs.index(name)

    def _output(self, what: str, name: str) -> int:
        if name not in self.outputs:
            raise ValueError(
                f"{what} names {name!r}, which is no output; known are: {', '.join(map(repr, self.outputs))}"
            )
        return self.outputs.index(name)

    def _shares(self, on: On) -> dict[int, float]:
        """Factor of each input."""
        parts: Mapping[str, float] = {on: 1.0} if isinstance(on, str) else on  # type: ignore[assignment]
        if not isinstance(parts, Mapping):
            reject("to or on", on, "an input, or a mapping of inputs to factors")
        return {self._input(name): number(name, factor) for name, factor in parts.items()}

    def _direction(self, name: str, on: On) -> Vector:
        column = np.zeros(len(self._states))
        for k, factor in self._shares(on).items():
            column += factor * self.B[:, k]
        return column

    def _velocity(self, name: str, given: Any) -> tuple[Vector, Signal | None, list[tuple[str, int, float]]]:
        what = f"velocity of '{name}'"
        if isinstance(given, (str, Mapping)):
            row = np.zeros(len(self._states))
            direct: Signal | None = None
            for key, factor in ({given: 1.0} if isinstance(given, str) else given).items():
                try:
                    x, s, outputs = self._measured(str(key))
                except KeyError:
                    known = ", ".join(map(repr, self._measurable()))
                    raise ValueError(f"{what} names {key!r}, which is unknown; known are: {known}") from None
                if outputs:
                    reject(what, key, "an output that no controller acts on directly (its row of D)")
                row += float(factor) * x
                if s is not None:
                    direct = float(factor) * s if direct is None else direct + float(factor) * s
            return row, direct, []
        return vector(what, given, len(self._states)), None, []

    def _measured(self, key: str) -> tuple[Vector, Signal | None, list[tuple[str, int, float]]]:
        if key in self._states and key not in self.outputs:
            return np.eye(len(self._states))[self._states.index(key)], None, []
        if key not in self.outputs:
            raise KeyError(key)
        i = self.outputs.index(key)
        if any(i in f["feedthrough"] for f in self._friction):
            reject("measure", key, "an output that friction does not reach directly (D_NL): it jumps with it")
        signal: Signal | None = None
        for name, s in self._signals.items():
            factor = float(self.D[i, self.inputs.index(name)])
            if factor != 0.0:
                signal = factor * s if signal is None else signal + factor * s
        outputs: list[tuple[str, int, float]] = []
        for wired, control in self._wirings():
            targets = _listed(wired.to, len(control.compiled.block().lo))
            for j, to in enumerate(targets):
                through = 0.0 if to is None else sum(self.D[i, k] * f for k, f in self._shares(to).items())
                if through != 0.0:
                    outputs.append((wired.name, j, float(through)))
        return self.C[i].copy(), signal, outputs

    def _measurable(self) -> list[str]:
        return [*self.outputs, *(s for s in self._states if s not in self.outputs)]

    def _follow(self, on: On) -> Measure:
        reject("on", on, "replaced by measure and to: matrices do not say which output belongs to an input")

    def _derived(self, run: Any) -> dict[str, Callable[[], Vector]]:
        def output(i: int) -> Callable[[], Vector]:
            def read() -> Vector:
                y = self.C[i] @ run.y[: len(self._states)]
                for name, s in self._signals.items():
                    factor = self.D[i, self.inputs.index(name)]
                    if factor != 0.0:
                        y = y + factor * s(run.t)
                for wired, control in self._wirings():
                    block = control.compiled.block()
                    for j, to in enumerate(_listed(wired.to, len(block.lo))):
                        through = (
                            0.0 if to is None else sum(self.D[i, k] * f for k, f in self._shares(to).items())
                        )
                        if through != 0.0:
                            y = y + through * run[f"{wired.name}.output{j if len(block.lo) > 1 else ''}"]
                for f in self._friction:
                    if i in f["feedthrough"]:
                        y = y + f["feedthrough"][i] * run[f"{f['name']}.force"]
                return np.asarray(y)

            return read

        return {name: output(i) for i, name in enumerate(self.outputs)}

    def __repr__(self) -> str:
        n, m, p = len(self._states), len(self.inputs), len(self.outputs)
        return f"StateSpace({n} states, {m} inputs, {p} outputs, friction={list(self.elements)!r})"


def _labels(system: Any, kind: str) -> list[str] | None:
    """Names that somebody gave in python-control, which itself writes ``x[0]``."""
    labels = getattr(system, f"{kind}_labels", None)
    if not labels or all(re.fullmatch(r"\w+\[\d+\]", str(label)) for label in labels):
        return None
    return [str(label) for label in labels]


def _names(what: str, given: Sequence[str] | None, prefix: str, count: int) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{prefix}{i}" for i in range(count))
    if isinstance(given, str) or len(given) != count:
        reject(what, given, f"a sequence of {count} names")
    if len({*given}) != count:
        reject(what, given, "names that are all different")
    return tuple(map(str, given))
