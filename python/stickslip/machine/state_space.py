"""Plants in matrix notation, to which friction is added."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import matrix, number, reject, vector, wrong_shape
from stickslip.laws import Law, as_law
from stickslip.machine.linear import LinearMachine
from stickslip.machine.places import Measure, On, law_fields
from stickslip.machine.relays import SwitchedMachine
from stickslip.signals import Signal, as_signal

__all__ = ["StateSpace"]

Array = NDArray[np.float64]


class StateSpace(SwitchedMachine, LinearMachine):
    """A linear plant ``x' = A x + B u + A_NL NL(x)``, ``y = C x + D u`` with friction as its nonlinear part.

    A, B, C and D describe the plant without friction; each friction element adds a column to A_NL (Krämer, Kempkes,
    section 3).

    Parameters
    ----------
    A : array_like, shape (n, n), or object
        Dynamics; or an object with A, B, C and D, such as a state space of python-control or SciPy. B, C and D are then
        omitted, and `system` returns the object.
    B : array_like, shape (n, m)
        Effect of the inputs. A vector is one column.
    C : array_like, shape (p, n)
        Outputs. A vector is one row.
    D : array_like, shape (p, m), default zeros
        Direct effect of the inputs on the outputs.
    states, inputs, outputs : sequence of str, optional
        Names; by default those of the object (python-control), otherwise ``"x0"``, ``"u0"``, ``"y0"`` and so on. States
        and outputs are signals of a run, such as ``run["x0"]``.
    signals : mapping, optional
        Input name -> number or signal; inputs are zero by default.

    Attributes
    ----------
    A, B, C, D : ndarray
        The matrices.
    system : object
        The object passed as A, or this one.

    Raises
    ------
    ValueError
        If the matrices do not fit together or the system is in discrete time.

    Notes
    -----
    The energy of such a plant is unknown: `Energy` holds the work of friction and of moving surfaces, and NaN for all
    other terms.

    Examples
    --------
    >>> import stickslip as ss
    >>> plant = ss.StateSpace(A=[[0.0, 1.0], [0.0, 0.0]], B=[0.0, 1.0], C=[[1.0, 0.0], [0.0, 1.0]],
    ...                       outputs=["x", "v"], signals={"u0": ss.Ramp(slope=0.2)})
    >>> plant.add_friction("guide", law=ss.Coulomb(static=1.0, kinetic=0.8), on="u0", velocity="v")
    >>> ss.simulate(plant, t_end=10.0).events[0].time
    5.0
    """

    _kind = "matrices"
    _system: Any = None

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
        if all(hasattr(A, name) for name in "ABCD"):
            if B is not None or C is not None or D is not None:
                raise ValueError("B, C and D must be omitted if A is an object with these matrices")
            system: Any = A
            self._system = system
            if getattr(system, "dt", None):  # None and 0 mean continuous
                raise ValueError(f"A.dt = {system.dt} is not allowed: the system must be continuous in time")
            states = _labels(system, "state") if states is None else states
            inputs = _labels(system, "input") if inputs is None else inputs
            outputs = _labels(system, "output") if outputs is None else outputs
            A, B, C, D = (np.asarray(getattr(system, name)) for name in "ABCD")
        if B is None or C is None:
            raise ValueError("B and C are missing: give A, B, C (and D), or an object with these matrices")
        a, b, c = matrix("A", A), matrix("B", B), matrix("C", C, vector_is="row")
        n, m, p = a.shape[0], b.shape[1], c.shape[0]
        d = matrix("D", np.zeros((p, m)) if D is None else D, vector_is="row")
        for name, given, shape in (("A", a, (n, n)), ("B", b, (n, m)), ("C", c, (p, n)), ("D", d, (p, m))):
            if given.shape != shape:
                wrong_shape(name, given, shape)
        fields: dict[str, object] = {"A": a, "B": b, "C": c, "D": d}
        fields["states"] = list(_names("states", states, "x", n))
        fields["inputs"] = list(_names("inputs", inputs, "u", m))
        fields["outputs"] = list(_names("outputs", outputs, "y", p))
        self._description = _core.model.Machine("matrices", fields)
        for name, signal in (signals or {}).items():
            self.add_signal(name, signal)

    @property
    def A(self) -> Array:
        """System matrix A, shape (n, n)."""
        return self._matrix("A")

    @property
    def B(self) -> Array:
        """Input matrix B, shape (n, inputs)."""
        return self._matrix("B")

    @property
    def C(self) -> Array:
        """Output matrix C, shape (outputs, n)."""
        return self._matrix("C")

    @property
    def D(self) -> Array:
        """Direct effect of the inputs on the outputs."""
        return self._matrix("D")

    def _matrix(self, name: str) -> Array:
        given: Array = self._description.plant[name]
        return given

    @property
    def system(self) -> Any:
        """The object passed as A, or this one."""
        return self if self._system is None else self._system

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates: empty, since a plant in matrix notation has states only."""
        return ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self._description.plant["inputs"])

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self._description.plant["outputs"])

    @property
    def A_NL(self) -> Array:
        """Change of x' per unit of each friction force, shape (n, friction elements)."""
        plant = self._description.plant
        columns = [np.zeros((len(plant["states"]), 0))]
        for e in self._description.elements:
            if e["kind"] == "friction":
                column = np.zeros((len(plant["states"]), 1))
                for name, factor in e["column"].items():
                    column[plant["states"].index(name), 0] += factor
                for name, factor in e["on"].items():
                    column[:, 0] -= factor * plant["B"][:, plant["inputs"].index(name)]
                columns.append(column)
        return np.hstack(columns)

    def add_signal(self, input: str, signal: Signal | float) -> None:
        """Add a signal to an input.

        Parameters
        ----------
        input : str
            Name of the input.
        signal : Signal or float
            The signal to add.

        Examples
        --------
        >>> import stickslip as ss
        >>> plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
        >>> plant.add_signal("u0", 2.0)
        >>> float(ss.simulate(plant, t_end=50.0)["y0"][-1].round(9))
        2.0
        """
        self._add("force", on={input: 1.0}, force=as_signal(signal, f"signals['{input}']").compiled)

    def add_friction(
        self,
        name: str,
        law: Law | float,
        velocity: str | Mapping[str, float] | ArrayLike,
        on: str | Mapping[str, float] | None = None,
        column: ArrayLike | None = None,
        normal_load: Signal | float = 1.0,
        surface_velocity: Signal | float = 0.0,
        feedthrough: Mapping[str, float] | None = None,
    ) -> None:
        """Add a friction element: a column of A_NL.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.force"``, ``.velocity``, ``.load`` and ``.mode``.
        law : Law or float
            Any friction law; levels are per unit normal load. A number is dry friction of one level.
        velocity : str or mapping or array_like
            The velocity that friction opposes: an output or state, a combination {name: factor}, or a row
            over the states.
        on : str or mapping, optional
            Point of action: an input, or a combination of inputs. The column is minus that of B.
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
            If friction would instantly increase its own velocity, C·A_NL >= 0, and for unknown
            names.

        Examples
        --------
        >>> import stickslip as ss
        >>> plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0)
        >>> plant.add_friction("brake", law=ss.Coulomb(static=1.0, kinetic=0.5), velocity="y0", on="u0")
        >>> plant.A_NL
        array([[-1.]])
        """
        law = as_law(law)
        if (on is None) == (column is None):
            raise ValueError(f"on or column of '{name}': exactly one of them must be given")
        self._add(
            "friction",
            name=str(name),
            velocity=self._form(f"velocity of '{name}'", velocity),
            on={} if on is None else self._parts(f"on of '{name}'", on),
            column={} if column is None else self._form(f"column of '{name}'", column),
            normal_load=as_signal(normal_load, "normal_load").compiled,
            surface_velocity=as_signal(surface_velocity, "surface_velocity").compiled,
            feedthrough={str(k): number("feedthrough", v) for k, v in (feedthrough or {}).items()},
            **law_fields("law", law),
        )

    def _form(self, what: str, given: Any) -> dict[str, float]:
        """Names and factors; a vector is over the states."""
        if what.startswith("velocity") and isinstance(given, str):
            return {given: 1.0}
        if isinstance(given, Mapping):
            return {str(k): number(f"{what}, factor of {k!r}", v) for k, v in given.items()}
        states = self._description.plant["states"]
        return dict(zip(states, vector(what, given, len(states)).tolist(), strict=True))

    def _parts(self, what: str, on: On) -> dict[str, float]:
        if isinstance(on, str):
            return {on: 1.0}
        if not isinstance(on, Mapping):
            reject(what, on, "an input, or a mapping of inputs to factors")
        return {str(k): number(f"{what}, factor of {k!r}", v) for k, v in on.items()}

    def _variable(self, name: str) -> str:
        return name

    def _measurable(self) -> list[str]:
        plant = self._description.plant
        return [*plant["outputs"], *(s for s in plant["states"] if s not in plant["outputs"])]

    def _follow(self, on: On) -> Measure:
        reject("on", on, "replaced by measure and to: matrices do not relate outputs to inputs")

    def __repr__(self) -> str:
        (n, m), p = self.B.shape, len(self.outputs)
        relays = f", relays={list(self.relays)!r}" if self.relays else ""
        return f"StateSpace({n} states, {m} inputs, {p} outputs, friction={list(self.elements)!r}{relays})"


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
