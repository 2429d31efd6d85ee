"""The description of a machine: a linear plant and the elements in which it sticks, slips and separates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import array, finite, number, reject, spread, vector, wrong_shape
from stickslip._wiring import Measure, On, Wired, Wiring
from stickslip.laws import Coulomb, Law
from stickslip.signals import Signal, as_signal
from stickslip.stick_slip import StickSlip

if TYPE_CHECKING:
    from stickslip.state_space import StateSpace

__all__ = ["Machine"]


def _matrix(name: str, value: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """A number or vector is a diagonal; None is zero."""
    if value is None:
        return np.zeros((n, n))
    a = array(name, value)
    if a.ndim < 2:
        return np.diag(spread(name, a, n))
    if a.shape != (n, n):
        wrong_shape(name, a, (n, n))
    return a


class Machine(Wiring):
    """A linear mechanical plant with friction, driven by signals.

    ``M q'' + D q' + K q = forces - friction``. Rotational machines are the same with inertias, angles and torques.

    Parameters
    ----------
    mass : float or array_like
        Mass matrix M, kg: a number, a vector (diagonal) of length n or an (n, n) symmetric positive definite matrix.
    damping, stiffness : float or array_like, optional
        D in N s/m and K in N/m, as numbers, vectors (diagonal) or (n, n) matrices; zero by default.
    names : sequence of str, optional
        Names of the coordinates; ``"q0", "q1", ...`` by default. All names of a machine share one name space.
    force : mapping, optional
        External forces: coordinate name -> number or signal, N.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    A description is a value: machines compare equal if the engine reads the same from both, and can be copied
    and pickled (with Python functions, as far as these can be); a copy gives runs with the same bits. As they
    can be added to they have no hash.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> round(run.events[0].time, 9)
    2.5
    """

    def __init__(
        self,
        mass: ArrayLike,
        damping: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        force: Mapping[str, Signal | float] | None = None,
    ) -> None:
        if isinstance(names, str) or not (names is None or isinstance(names, Sequence)):
            reject("names", names, "a sequence of names")
        m = array("mass", mass)
        if m.ndim > 2:
            wrong_shape("mass", m, "that of a number, a vector or a square matrix")
        if m.ndim < 2 and not np.all(m > 0):
            reject("mass", mass, "finite and > 0")
        n = m.shape[0] if m.ndim else 1 if names is None else len(names)
        self._names = [f"q{i}" for i in range(n)] if names is None else [str(x) for x in names]
        if len(self._names) != n:
            raise ValueError(f"names has {len(self._names)} entries, but mass has {n} coordinates")
        matrices = {
            "mass": _matrix("mass", m, n),
            "damping": _matrix("damping", damping, n),
            "stiffness": _matrix("stiffness", stiffness, n),
        }
        self._matrices = matrices
        self._friction: dict[str, Law] = {}
        self._contacts: dict[str, Law | None] = {}
        self._forces: list[tuple[str, Signal]] = []
        self._force_directions: list[NDArray[np.float64]] = []
        self._controllers: tuple[Wired, ...] = ()
        self._compensators: tuple[Wired, ...] = ()
        self._adopt(_core.Machine(**matrices, names=self._names))
        if not (force is None or isinstance(force, Mapping)):
            reject("force", force, "a mapping of coordinates to numbers or signals")
        for coordinate, signal in (force or {}).items():
            self.add_force(coordinate, signal)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self._names)

    @property
    def stiffness(self) -> NDArray[np.float64]:
        """A copy of the stiffness matrix."""
        return self._matrices["stiffness"].copy()

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of the friction elements and contacts."""
        compiled = self.compile()
        own = [name for name in compiled.places if name not in compiled.compensators]
        return tuple(dict.fromkeys([*own, *(name for name, _ in compiled.contacts)]))

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states, in the order of ``run.y``."""
        return tuple(self.compile().states)

    def _direction(self, name: str, on: On) -> NDArray[np.float64]:
        w = np.zeros(len(self._names))
        if isinstance(on, str):
            parts: Mapping[str, float] = {on: 1.0}
        elif isinstance(on, Mapping):
            parts = on
        elif isinstance(on, Sequence) and len(on) == 2:
            if on[0] == on[1]:
                reject(f"on of '{name}'", on, "two different coordinates")
            parts = {on[0]: 1.0, on[1]: -1.0}
        else:
            reject(
                f"on of '{name}'",
                on,
                "a coordinate, a pair of coordinates, or a mapping of coordinates to factors",
            )
        for coordinate, factor in parts.items():
            w[self._coordinate(coordinate)] += number(f"on of '{name}', factor of '{coordinate}'", factor)
        return w

    def _coordinate(self, name: str) -> int:
        if name not in self._names:
            raise ValueError(f"unknown coordinate {name!r}; known are: {', '.join(map(repr, self._names))}")
        return self._names.index(name)

    def _measured(self, key: str) -> tuple[NDArray[np.float64], Signal | None, list[tuple[str, int, float]]]:
        n = len(self._names)
        state = np.zeros(2 * n)
        coordinate, kind = (key, "position") if key in self._names else key.rpartition(".")[::2]
        if coordinate not in self._names or kind not in ("position", "velocity"):
            raise KeyError(key)
        state[self._names.index(coordinate) + (n if kind == "velocity" else 0)] = 1.0
        return state, None, []

    def _measurable(self) -> list[str]:
        return [f"{n}.{kind}" for n in self._names for kind in ("position", "velocity")]

    def _follow(self, on: On) -> Measure:
        if isinstance(on, tuple):
            self._direction("on", on)
            return {on[0]: 1.0, on[1]: -1.0}
        return on

    def to_state_space(self, to: On | Sequence[On], measure: Measure) -> StateSpace:
        """Return the linear part as matrices: continuous controllers off their limits, friction and contacts
        left out.

        Parameters
        ----------
        to : str or tuple of two str or mapping, or a list of them
            Where forces enter, the inputs: as in `add_force`.
        measure : str or mapping, or a list of them
            The outputs: ``"motor"`` or ``"motor.position"``, ``"motor.velocity"``, or a combination {name:
            factor}.

        Returns
        -------
        StateSpace
            States as in `states`. It holds A, B, C and D for `analysis.frequency_response`,
            `analysis.harmonic_balance`, python-control and others; references are zero in it. Held outputs of
            sampled controllers and internal states of friction stay constant.

        Raises
        ------
        ValueError
            For unknown names.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=0.5, stiffness=4.0, names=["block"])
        >>> part = m.to_state_space(to="block", measure="block.velocity")
        >>> ss.analysis.frequency_response(part, [2.0]).magnitude.round(12)
        array([[[2.]]])
        """
        from stickslip.state_space import StateSpace

        forces = to if isinstance(to, list) else [to]
        wanted = (
            list(measure) if isinstance(measure, Sequence) and not isinstance(measure, str) else [measure]
        )
        a, n = self.compile().linear_part(), len(self._names)
        b, c = np.zeros((a.shape[0], len(forces))), np.zeros((len(wanted), a.shape[0]))
        for k, on in enumerate(forces):
            b[n : 2 * n, k] = np.linalg.solve(self._matrices["mass"], self._direction("to", on))
        for i, item in enumerate(wanted):
            parts = item if isinstance(item, Mapping) else {item: 1.0}
            for key, factor in parts.items():
                try:
                    row = self._measured(str(key))[0]
                except KeyError:
                    known = ", ".join(map(repr, self._measurable()))
                    raise ValueError(f"measure names {key!r}, which is unknown; known are: {known}") from None
                c[i, : row.size] += number("measure", factor) * row
        outputs = [item if isinstance(item, str) else f"y{i}" for i, item in enumerate(wanted)]
        return StateSpace(a, b, c, states=self.states, outputs=outputs)

    def add_force(self, on: On, signal: Signal | float) -> None:
        """Add an external force.

        Parameters
        ----------
        on : str or tuple of two str or mapping
            Where it acts: a coordinate, a pair (on the first, and with opposite sign on the second), or factors.
        signal : float or Signal
            Force over time, N.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, names=["slide"])
        >>> m.add_force("slide", ss.Ramp(slope=0.2))
        """
        direction = self._direction("force", on)
        s = as_signal(signal, f"force on {on!r}")
        trial = self._core.copy()
        trial.add_force(direction, s.compiled)
        self._adopt(trial)
        self._forces.append((on if isinstance(on, str) else str(on), s))
        self._force_directions.append(direction)

    def add_friction(
        self,
        name: str,
        on: On,
        law: Law,
        normal_load: Signal | float = 1.0,
        surface_velocity: Signal | float = 0.0,
        load: Mapping[str, float] | str | None = None,
    ) -> None:
        """Add a place of friction.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.force"``, ``.velocity``, ``.load`` and ``.mode``.
        on : str or tuple of two str or mapping
            Whose velocity the relative velocity is: of a coordinate (against ground or the moving surface), of the
            first of a pair relative to the second, or a combination {coordinate: factor}.
        law : Law
            Any friction law; levels are per unit normal load.
        normal_load : float or Signal, default 1.0
            Normal load, N, >= 0.
        surface_velocity : float or Signal, default 0.0
            Velocity of the surface under the coordinate (a belt), m/s.
        load : mapping or str, optional
            The load force F_l of ``StickSlip(load_factor=...)``, N: a linear form ``"<coordinate>.position"``,
            ``"<coordinate>.velocity"`` or ``"<coordinate>.applied_force"`` -> factor, or the name of a contact's
            normal force, ``"<contact>.normal_force"``. The applied force is all external force on the coordinate
            that has been added before, and the contact has been added before too.

        Raises
        ------
        ValueError
            Naming the argument.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
        >>> m.add_friction("between", on=("a", "b"), law=ss.Coulomb(static=0.3, kinetic=0.2), normal_load=9.81)
        """
        if not isinstance(law, Law):
            reject("law", law, "a friction law such as stickslip.Coulomb(static=1.0, kinetic=0.8)")
        direction = self._direction(name, on)
        weight = as_signal(normal_load, f"normal_load of '{name}'")
        surface = as_signal(surface_velocity, f"surface_velocity of '{name}'")
        options = law.automaton if isinstance(law, StickSlip) else _core.Automaton()
        contact = self._load_contact(name, load) if isinstance(load, str) else ""
        position, velocity, applied = self._load_form(name, None if isinstance(load, str) else load)
        trial = self._core.copy()
        trial.add_friction(
            str(name),
            direction,
            law.compiled,
            options,
            weight.compiled,
            surface.compiled,
            position,
            velocity,
            applied.compiled,
            contact,
        )
        self._adopt(trial)
        self._friction[str(name)] = law

    def add_contact(
        self,
        name: str,
        normal: Mapping[str, float] | ArrayLike,
        tangent: Mapping[str, float] | ArrayLike | None = None,
        friction: Law | float | None = None,
        gap: Signal | float = 0.0,
        restitution: float = 0.0,
        impact: str = "poisson",
        surface_velocity: Signal | float = 0.0,
    ) -> None:
        """Add a rigid unilateral contact with friction.

        The gap ``g = normal . q + gap(t)`` stays >= 0; where it is closed a normal force >= 0 keeps it so.

        Parameters
        ----------
        name : str
            Its name; signals are ``"<name>.gap"``, ``.gap_rate``, ``.normal_force``, ``.normal_impulse`` and ``.mode``,
            with friction also ``.force`` (opposing the velocity), ``.velocity`` and ``.load``.
        normal : mapping or array_like
            w_N, the gradient of the gap over the coordinates: {coordinate: factor}, or all factors.
        tangent : mapping or array_like, optional
            w_T: the tangential velocity is ``tangent . q' - surface_velocity``. Needed with friction.
        friction : Law or float, optional
            Law per unit normal force, or a coefficient of friction (static = kinetic); none by default.
        gap : float or Signal, default 0.0
            What is added to ``normal . q``, m: the distance at q = 0, or a moving wall, without jumps.
        restitution : float, default 0.0
            Coefficient of restitution, in [0, 1]. Impacts that follow each other faster and faster end where the rebound is
            1e-9 of the greatest speed that this contact has seen.
        impact : {"poisson", "newton"}
            Impact law. All contacts that touch take part in an impact; where their laws differ Newton's holds for all of
            them, and the event says so. An impact that leaves more energy than there was is logged as "energy gained".
        surface_velocity : float or Signal, default 0.0
            Velocity of the surface along the tangent, m/s.

        Raises
        ------
        ValueError
            Naming the argument.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
        >>> m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
        >>> run = ss.simulate(m, t_end=2.0, initial={"y.position": 1.0, "x.velocity": 1.0})
        >>> run.events[0].impact
        True
        """
        if impact not in ("poisson", "newton"):
            reject(f"impact of '{name}'", impact, "'poisson' or 'newton'")
        w_n = self._gradient(f"normal of '{name}'", normal)
        if (tangent is None) != (friction is None):
            raise ValueError(f"contact '{name}' needs both tangent and friction, or neither")
        w_t = np.zeros(0) if tangent is None else self._gradient(f"tangent of '{name}'", tangent)
        if friction is not None and not isinstance(friction, Law):
            mu = number(f"friction of '{name}'", friction)
            if not 0.0 <= mu < np.inf:
                reject(f"friction of '{name}'", friction, "a law, or a finite coefficient >= 0")
            friction = Coulomb(static=mu, kinetic=mu)
        law = Coulomb(static=0.0, kinetic=0.0) if friction is None else friction
        options = law.automaton if isinstance(law, StickSlip) else _core.Automaton()
        trial = self._core.copy()
        trial.add_contact(
            str(name),
            w_n,
            w_t,
            law.compiled,
            options,
            as_signal(gap, f"gap of '{name}'").compiled,
            as_signal(surface_velocity, f"surface_velocity of '{name}'").compiled,
            number(f"restitution of '{name}'", restitution),
            impact == "newton",
        )
        self._adopt(trial)
        self._contacts[str(name)] = friction

    def _gradient(self, what: str, given: Mapping[str, float] | ArrayLike) -> NDArray[np.float64]:
        if isinstance(given, Mapping):
            w = np.zeros(len(self._names))
            for coordinate, factor in given.items():
                w[self._coordinate(coordinate)] += number(f"{what}, factor of '{coordinate}'", factor)
        else:
            w = vector(what, given, len(self._names))
        if not np.isfinite(w).all() or not w.any():
            reject(what, given, "finite and not zero")
        return w

    def _load_contact(self, name: str, load: str) -> str:
        contact, _, kind = load.rpartition(".")
        contacts = [name for name, _ in self.compile().contacts]
        if kind != "normal_force" or contact not in contacts:
            allowed = ", ".join(f"'{c}.normal_force'" for c in contacts) or "there is no contact yet"
            reject(f"load of '{name}'", load, f"a linear form or a contact's normal force ({allowed})")
        return contact

    def _load_form(
        self, name: str, load: Mapping[str, float] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Signal]:
        none = np.zeros(0)
        applied = as_signal(0.0)
        if load is None:
            return none, none, applied
        if not isinstance(load, Mapping):
            reject(f"load of '{name}'", load, "a mapping such as {'block.position': 100.0}")
        n = len(self._names)
        position, velocity = np.zeros(n), np.zeros(n)
        for key, given in load.items():
            coordinate, _, kind = str(key).rpartition(".")
            if kind not in ("position", "velocity", "applied_force"):
                reject(f"load of '{name}'", key, "'<coordinate>.position', '.velocity' or '.applied_force'")
            i = self._coordinate(coordinate)
            factor = finite(f"load of '{name}', factor of {key!r}", given)
            if kind == "position":
                position[i] += factor
            elif kind == "velocity":
                velocity[i] += factor
            else:
                for (_, signal), direction in zip(self._forces, self._force_directions, strict=True):
                    if direction[i] != 0.0:
                        applied = applied + float(factor * direction[i]) * signal
        return position, velocity, applied

    def __repr__(self) -> str:
        held: dict[str, Mapping[str, object]] = {
            "friction": self._friction,
            "contacts": self._contacts,
            "controllers": {c.name: c.control for c in self._controllers},
            "compensation": {c.name: c.control for c in self._compensators},
        }
        parts = [f"names={self._names!r}", *(f"{kind}={items!r}" for kind, items in held.items() if items)]
        return f"Machine({', '.join(parts)})"
