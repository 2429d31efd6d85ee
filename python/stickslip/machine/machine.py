"""The description of a machine: plant and elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import array, number, reject, spread, wrong_shape
from stickslip._html import table
from stickslip.errors import UnknownNameError
from stickslip.expressions.expr import Expr
from stickslip.machine import _smooth
from stickslip.machine._described import (
    compensator_text,
    constraint_text,
    detent_text,
    law_of,
    relay_text,
    spring_text,
)
from stickslip.machine._smooth import Function
from stickslip.machine.compliance import compliance_of
from stickslip.machine.gears import GearedMachine
from stickslip.machine.places import Measure, On
from stickslip.machine.state_space import StateSpace
from stickslip.signals import Signal

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


def _rotary(kind: str | Mapping[str, str], names: Sequence[str]) -> list[str]:
    """The coordinates that are angles."""
    kinds = dict(kind) if isinstance(kind, Mapping) else dict.fromkeys(names, kind)
    for name, one in kinds.items():
        if name not in names:
            raise UnknownNameError(f"kind names {name!r}; known are: {', '.join(map(repr, names))}")
        if one not in ("linear", "rotary"):
            reject("kind", kind, "'linear' or 'rotary', or a mapping of coordinates to these")
    return [name for name in names if kinds.get(name) == "rotary"]


class Machine(GearedMachine):
    """A mechanical plant with friction and contacts, driven by signals and functions of its motion.

    ``M q'' + D q' + K q = forces - friction``. Rotational machines use inertias, angles and torques. Regimes are
    linear, and computed exactly, if M is constant and forces, gaps and directions are no functions of the motion; each
    of them may be a function (`Expr`, or a Python function that is traced once).

    Parameters
    ----------
    mass : float or array_like
        Mass matrix M, kg: a number, a vector (diagonal) of length n or an (n, n) symmetric positive definite matrix.
        Entries may be expressions of the positions, or a Python function ``M(q)`` returns the matrix; `names` is then
        required, and centrifugal and Coriolis forces must be added as forces (they are part of ``forcing`` in
        ``sympy.physics.mechanics``). A coordinate that constraints tie to others, such as a shaft between gears, may
        have the mass 0.
    damping, stiffness : float or array_like, optional
        D in N s/m and K in N/m, as numbers, vectors (diagonal) or (n, n) matrices; zero by default. They need not be
        symmetric: the skew part of D is gyroscopic and does no work; that of K is circulatory (follower forces, oil
        film), has no potential, and its work is part of `Energy.damping`.
    names : sequence of str, optional
        Names of the coordinates; ``"q0", "q1", ...`` by default. All names in a machine are distinct.
    force : mapping, optional
        External forces: coordinate name -> number or signal, N.
    kind : {"linear", "rotary"} or mapping, default "linear"
        Lengths in m, or angles in rad with inertias in kg m² and torques in Nm: one kind for all, or ``{coordinate:
        kind}``. Only unit labels depend on it. A combination of coordinates has the unit of the coordinates with the
        factor 1 or -1: ``{"nut": 1, "screw": -lead}`` is a length. No unit is shown for combinations of angles with
        other factors.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Machines compare by value, and can be copied and pickled (with Python functions if these can be pickled); runs of a
    copy are bitwise equal. Machines are mutable and have no hash.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> run = ss.simulate(m, t_end=10.0, initial={"block.velocity": 0.2})
    >>> round(run.events[0].time, 9)
    2.5
    """

    _kind = "mechanical"

    def __init__(
        self,
        mass: ArrayLike | Expr | Function,
        damping: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        force: Mapping[str, Signal | float | Expr | Function] | None = None,
        kind: str | Mapping[str, str] = "linear",
    ) -> None:
        if isinstance(names, str) or not (names is None or isinstance(names, Sequence)):
            reject("names", names, "a sequence of names")
        fields: dict[str, object] = {}
        if _smooth.is_smooth(mass):
            if names is None:
                raise ValueError("names is needed where mass is a function of the coordinates")
            coordinates = [str(x) for x in names]
            fields["mass_expression"] = _smooth.matrix_of("mass", mass, coordinates)
            mass = np.eye(len(coordinates))
        m = array("mass", mass)  # type: ignore[arg-type]
        if m.ndim > 2:
            wrong_shape("mass", m, "that of a number, a vector or a square matrix")
        if m.ndim < 2 and not np.all(m >= 0):
            reject("mass", mass, "finite and > 0, or 0 for coordinates that constraints tie to others")
        n = m.shape[0] if m.ndim else 1 if names is None else len(names)
        coordinates = [f"q{i}" for i in range(n)] if names is None else [str(x) for x in names]
        if len(coordinates) != n:
            raise ValueError(f"names has {len(coordinates)} entries, but mass has {n} coordinates")
        matrices = {"mass": m, "damping": damping, "stiffness": stiffness}
        fields |= {name: _matrix(name, given, n) for name, given in matrices.items()}
        fields |= {"names": coordinates, "rotary": _rotary(kind, coordinates)}
        self._description = _core.model.Machine("mechanical", fields)
        if not (force is None or isinstance(force, Mapping)):
            reject("force", force, "a mapping of coordinates to numbers or signals")
        for coordinate, signal in (force or {}).items():
            self.add_force(coordinate, signal)

    @property
    def kinds(self) -> dict[str, str]:
        """Kind of each coordinate, ``"linear"`` or ``"rotary"``."""
        rotary = self._description.plant["rotary"]
        return {name: "rotary" if name in rotary else "linear" for name in self.names}

    @property
    def is_nonlinear(self) -> bool:
        """True if masses, forces, loads, gaps, directions or constraints are functions of the motion."""
        described = [self._description.plant, *self._description.elements]
        return any(
            isinstance(value, dict) and value.get("outputs")
            for one in described
            for key, value in one.items()
            if key.endswith("expression") and key != "restitution_expression"
        )

    @property
    def mass(self) -> NDArray[np.float64]:
        """A copy of the mass matrix, kg, shape (n, n); the identity matrix if the mass is a function of the motion."""
        return self._matrix("mass")

    @property
    def damping(self) -> NDArray[np.float64]:
        """A copy of the damping matrix, Ns/m, shape (n, n)."""
        return self._matrix("damping")

    @property
    def stiffness(self) -> NDArray[np.float64]:
        """A copy of the stiffness matrix, N/m, shape (n, n), without springs of `add_spring`."""
        return self._matrix("stiffness")

    def _matrix(self, name: str) -> NDArray[np.float64]:
        matrix: NDArray[np.float64] = self._description.plant[name]
        return matrix

    def to_state_space(self, to: On | Sequence[On], measure: Measure) -> StateSpace:
        """Return the linear part as matrices: controllers without limits, springs linearised at q = 0, without friction
        and contacts.

        Parameters
        ----------
        to : str or tuple of two str or mapping, or a list of them
            The inputs, forces on these coordinates: as in `add_force`.
        measure : str or mapping, or a list of them
            The outputs: ``"motor"`` or ``"motor.position"``, ``"motor.velocity"``, or a combination {name:
            factor}.

        Returns
        -------
        StateSpace
            States as in `states`, without those determined by constraints, and A, B, C and D for
            `linear.frequency_response`, `analysis.harmonic_balance`, python-control and others. References are zero;
            held outputs of sampled controllers and internal states of friction are constant.

        Raises
        ------
        ValueError
            For unknown names.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, damping=0.5, stiffness=4.0, names=["block"])
        >>> part = m.to_state_space(to="block", measure="block.velocity")
        >>> ss.linear.frequency_response(part, [2.0]).magnitude.round(12)
        array([[[2.]]])
        """
        forces = to if isinstance(to, list) else [to]
        wanted = (
            list(measure) if isinstance(measure, Sequence) and not isinstance(measure, str) else [measure]
        )
        compiled, names = self.compile(), self.names
        a = compiled.linear_part()
        n, states = len(names), list(self.states[: 2 * len(names)])
        b, c = np.zeros((a.shape[0], len(forces))), np.zeros((len(wanted), a.shape[0]))
        for k, on in enumerate(forces):
            direction = np.zeros(n)
            for coordinate, factor in self._parts("to", on).items():
                direction[self._coordinate(coordinate)] += factor
            if compiled.constraints:
                b[n : 2 * n, k] = compiled.inverse_mass @ direction
            else:
                b[n : 2 * n, k] = np.linalg.solve(self._description.plant["mass"], direction)
        for i, item in enumerate(wanted):
            for key, factor in (item if isinstance(item, Mapping) else {item: 1.0}).items():
                name = self._variable(str(key))
                if name not in states:
                    known = ", ".join(map(repr, self._measurable()))
                    raise UnknownNameError(f"measure names {key!r}, which is unknown; known are: {known}")
                c[i, states.index(name)] += number("measure", factor)
        outputs = [item if isinstance(item, str) else f"y{i}" for i, item in enumerate(wanted)]
        kept = list(self.states)
        if compiled.constraints:
            free, every = compiled.free_states()
            a, b, c, kept = a[free] @ every, b[free], c @ every, [kept[i] for i in free]
        return StateSpace(a, b, c, states=kept, outputs=outputs)

    def _held(self) -> list[tuple[str, str, str]]:
        """Kind, name and what makes it, of each element."""
        held = []
        for e in self._description.elements:
            if e["kind"] == "friction":
                held.append(("friction", e["name"], repr(law_of(e["law"], e["automaton"]))))
            elif e["kind"] == "contact":
                law = law_of(e["friction"], e["automaton"]) if e["tangent"] else None
                yields = compliance_of(e["compliance"])
                both = [part for part in (law, yields) if part is not None]
                held.append(("contacts", e["name"], " + ".join(map(repr, both)) or "None"))
            elif e["kind"] == "spring":
                held.append(("springs", e["name"], spring_text(e)))
            elif e["kind"] == "detent":
                held.append(("detents", e["name"], detent_text(e)))
            elif e["kind"] in ("relay", "quantiser"):
                held.append(("relays", e["name"], relay_text(e)))
            elif e["kind"] == "constraint":
                held.append(("constraints", e["name"], constraint_text(e)))
            elif e["kind"] == "one_way_clutch":
                held.append(("clutches", e["name"], f"one_way_clutch({e['on']!r})"))
            elif e["kind"] == "controller":
                held.append(("controllers", e["name"], repr(self._controller(e))))
            elif e["kind"] == "compensator":
                held.append(("compensation", e["name"], compensator_text(e)))
        return held

    def __repr__(self) -> str:
        kinds = (
            "friction",
            "contacts",
            "springs",
            "detents",
            "relays",
            "constraints",
            "clutches",
            "controllers",
            "compensation",
        )
        parts = [f"names={list(self.names)!r}"]
        for kind in kinds:
            if items := [f"{name!r}: {made}" for of, name, made in self._held() if of == kind]:
                parts.append(f"{kind}={{{', '.join(items)}}}")
        return f"Machine({', '.join(parts)})"

    def _repr_html_(self) -> str:
        masses = np.diag(self.mass)
        rows = [("coordinate", name, f"mass {mass:g}") for name, mass in zip(self.names, masses, strict=True)]
        return table("Machine", ("kind", "name", ""), [*rows, *self._held()])
