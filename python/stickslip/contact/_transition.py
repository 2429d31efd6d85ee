"""Contact transitions at one instant; the public names are those of :mod:`stickslip.contact`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._checks import Array, reject, spread
from stickslip.contact._input import ELEMENT, contacts, directions, levels, signs
from stickslip.contact._input import mass as check_mass

_CODE = {"slip-": -1, "stick": 0, "slip+": 1, "separate": 2, "closed": 3}


@dataclass(frozen=True, eq=False)
class Guide:
    """A friction element under a prescribed load: bounds in newtons instead of ``mu * lambda_N``.

    Parameters
    ----------
    direction : array_like, shape (dof,)
        The relative velocity is ``direction @ q'``.
    kinetic : float
        Friction force while it slides, N (or Nm).
    static : float, optional
        Break-away force, N; default: ``kinetic``.
    sliding : {-1, 0, 1}, optional
        Sign of the relative velocity; 0, the default, is at rest.

    Examples
    --------
    >>> from stickslip import contact
    >>> guides = [contact.Guide([1.0], kinetic=0.8 * s, static=s) for s in (1.0, 10.0)]
    >>> held = contact.Contacts([2.0], [10.5], [], guides=guides).transitions()
    >>> held.modes, held[0].guide_force.round(6)
    ((('stick', 'stick'),), array([0.954545, 9.545455]))
    """

    direction: ArrayLike
    kinetic: float
    static: float | None = None
    sliding: int = 0


@dataclass(frozen=True, eq=False)
class Transition:
    """One solution with its modes.

    Attributes
    ----------
    contacts : tuple of str
        Per contact ``"separate"``, ``"stick"``, ``"slip+"``, ``"slip-"``, or ``"closed"`` if it has no
        tangent.
    guides : tuple of str
        Per guide ``"stick"``, ``"slip+"`` or ``"slip-"``.
    normal_force, friction_force : ndarray, shape (n_contacts,)
        N. The friction force opposes the motion (it acts as ``-w_T * F``); 0 without a tangent.
    guide_force : ndarray, shape (n_guides,)
        N, opposing the motion.
    normal_acceleration, tangent_acceleration : ndarray, shape (n_contacts,)
        m/s²; the latter NaN without a tangent.
    guide_acceleration : ndarray, shape (n_guides,)
        m/s².
    acceleration : ndarray, shape (dof,)
        q'', m/s².
    touching : bool
        True if an inequality holds with equality, so that higher derivatives decide how long the solution holds.
    unique_forces : bool
        False if the forces are statically indeterminate. Of those within all limits the forces of least norm are
        chosen: of ``sum(F**2)`` if normal forces are indeterminate, of ``sum(F**2 / limit)`` if only friction in
        stick is; then elements that hold one body use equal parts of their limits.
    utilisation : float
        Greatest ``|F| / limit`` of the sticking elements. One that is alone breaks away at 1; those that share a load do
        when no forces are within all limits.
    constraint : float
        Gauss constraint ``|q'' - M⁻¹h|² / 2`` in the metric of M, N m/s².

    Examples
    --------
    >>> from stickslip import contact
    >>> block = contact.Contacts([2.0, 2.0], [9.0, -20.0], [[0, 1]], [[1, 0]], friction=0.4)
    >>> slips = block.transitions()[0]
    >>> slips.contacts, slips.friction_force, slips.acceleration.round(12) + 0.0
    (('slip+',), array([8.]), array([0.5, 0. ]))
    """

    contacts: tuple[str, ...]
    guides: tuple[str, ...]
    normal_force: Array
    friction_force: Array
    guide_force: Array
    normal_acceleration: Array
    tangent_acceleration: Array
    guide_acceleration: Array
    acceleration: Array
    touching: bool
    unique_forces: bool
    utilisation: float
    constraint: float


@dataclass(frozen=True, eq=False)
class Transitions:
    """All solutions with their modes; a sequence of :class:`Transition`.

    Attributes
    ----------
    solutions : tuple of Transition
        All solutions.
    complete : bool
        True if all combinations of modes were tried, so that the number of solutions is certain (up to 256
        combinations; beyond, the list holds the solutions found by Lemke's algorithm).

    Examples
    --------
    >>> from stickslip import contact
    >>> block = contact.Contacts([2.0, 2.0], [9.0, -20.0], [[0, 1]], [[1, 0]], friction=0.4)
    >>> found = block.transitions()
    >>> len(found), found.modes, found.complete
    (1, (('slip+',),), True)
    """

    solutions: tuple[Transition, ...]
    complete: bool

    @property
    def modes(self) -> tuple[tuple[str, ...], ...]:
        """Labels of each solution, contacts then guides."""
        return tuple(s.contacts + s.guides for s in self.solutions)

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Transition]:
        return iter(self.solutions)

    def __getitem__(self, index: int) -> Transition:
        return self.solutions[index]


@dataclass(frozen=True, eq=False)
class Decision:
    """The transition that the engine takes, and why.

    Attributes
    ----------
    transition : Transition or None
        None if nothing is admissible.
    rule : str
        As in :class:`stickslip.Event`: ``"unique"``, ``"static to kinetic"``, ``"present mode"``,
        ``"fewest changes"``, ``"least constraint"``, ``"ambiguous"``; or ``"none"``.
    solutions : int or None
        Number of distinct admissible solutions; None if they were not counted.
    ambiguous : bool
        True if several solutions remain after all rules.

    Examples
    --------
    >>> from stickslip import contact
    >>> block = contact.Contacts([2.0, 2.0], [9.0, -20.0], [[0, 1]], [[1, 0]], friction=0.4)
    >>> d = block.decide(["stick"])
    >>> d.transition.contacts, d.rule, d.solutions, d.ambiguous
    (('slip+',), 'static to kinetic', 1, False)
    """

    transition: Transition | None
    rule: str
    solutions: int | None

    @property
    def ambiguous(self) -> bool:
        """True if several solutions remained after all rules."""
        return self.rule == "ambiguous"


@dataclass(frozen=True, eq=False)
class Contacts:
    """The closed contacts and friction elements of a system at one instant.

    Parameters
    ----------
    mass : array_like, shape (dof, dof) or (dof,)
        Mass matrix M, kg; its diagonal if one-dimensional.
    force : array_like, shape (dof,)
        Forces h except contact forces, N.
    normals : array_like, shape (n, dof)
        Gradients w_N of the gaps of the closed contacts whose normal velocity is zero.
    tangents : array_like, shape (n, dof), optional
        Gradients w_T of the tangential velocities; without them the contacts are frictionless.
    friction : float or array_like, shape (n,), optional
        Kinetic coefficients µ >= 0. Default 0.
    static : float or array_like, shape (n,), optional
        Static coefficients µ0 >= µ; default: ``friction``.
    sliding : array_like of {-1, 0, 1}, shape (n,), optional
        Signs of the tangential velocities; 0, the default, is at rest.
    guides : sequence of Guide, optional
        Friction elements under prescribed load, part of the same problem.
    normal_drift, tangent_drift : float or array_like, shape (n,), optional
        Parts of the relative accelerations that do not depend on q'', m/s². Default 0.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    A block on a floor, pushed below its static limit: it can only stay.

    >>> from stickslip import contact
    >>> block = contact.Contacts(mass=[2.0, 2.0], force=[5.0, -20.0], normals=[[0, 1]], tangents=[[1, 0]],
    ...                          friction=0.3, static=0.4)
    >>> block.transitions().modes
    (('stick',),)
    """

    mass: ArrayLike
    force: ArrayLike
    normals: ArrayLike
    tangents: ArrayLike | None = None
    friction: ArrayLike = 0.0
    static: ArrayLike | None = None
    sliding: ArrayLike | None = None
    guides: Sequence[Guide] = ()
    normal_drift: ArrayLike = 0.0
    tangent_drift: ArrayLike = 0.0
    _data: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mass = check_mass(self.mass)
        dof = len(mass)
        force = spread("force", self.force, dof)
        normals, tangents, kinetic = contacts(self.normals, self.tangents, self.friction, dof)
        n, m = len(normals), len(tangents)
        static = kinetic if self.static is None else levels("static", self.static, n)
        if (static < kinetic).any():
            reject("static", static, f">= friction = {kinetic}")
        sliding = signs("sliding", [0] * n if self.sliding is None else self.sliding, n)
        rows = [normals, tangents]
        state = list(sliding[:m])
        lines = [[0, -s, 0, s, 0, -k, 0, k] for s, k in zip(static[:m], kinetic[:m], strict=True)]
        for i, guide in enumerate(self.guides):
            rows.append(directions(f"guides[{i}].direction", guide.direction, dof))
            k = float(levels(f"guides[{i}].kinetic", guide.kinetic, 1)[0])
            s = k if guide.static is None else float(levels(f"guides[{i}].static", guide.static, 1)[0])
            if s < k:
                reject(f"guides[{i}].static", s, f">= kinetic = {k}")
            state += list(signs(f"guides[{i}].sliding", [guide.sliding], 1))
            lines.append([-s, 0, s, 0, -k, 0, k, 0])
        jacobian = np.vstack(rows)
        drift = np.r_[
            spread("normal_drift", self.normal_drift, n),
            spread("tangent_drift", self.tangent_drift, n)[:m],
            np.zeros(len(self.guides)),
        ]
        by_mass = np.linalg.solve(mass, np.c_[jacobian.T, force])
        data = {
            "G": jacobian @ by_mass[:, :-1],
            "free": jacobian @ by_mass[:, -1] + drift,
            "contacts": n,
            "element_contact": np.r_[np.arange(m), np.full(len(self.guides), -1)].astype(np.int64),
            "state": np.asarray(state, dtype=np.int64),
            "lines": np.asarray(lines, dtype=np.float64).reshape(len(state), 8),
            "m": m,
            "by_mass": by_mass,
        }
        object.__setattr__(self, "_data", data)

    @property
    def delassus(self) -> Array:
        """``W.T M⁻¹ W`` over normals, tangents and guides, shape (n_rows, n_rows)."""
        return np.array(self._data["G"])

    @property
    def free_acceleration(self) -> Array:
        """Relative accelerations without any contact force, shape (n_rows,), m/s²."""
        return np.array(self._data["free"])

    def _problem(self) -> tuple[Any, ...]:
        d = self._data
        return d["G"], d["free"], d["contacts"], d["element_contact"], d["state"], d["lines"]

    def lcp(self) -> tuple[Array, Array]:
        """The complementarity problem ``w = A z + b`` of the source (3.56-3.59).

        Order of unknowns, H being the elements at rest: w = (g''_N, g''_H⁺, g''_H⁻, λ_H0⁻, λ_H0⁺) against z = (λ_N,
        λ_H⁺, λ_H⁻, z⁻, z⁺). One physical solution can be a continuum in z; :meth:`label` converts any z to modes,
        forces and accelerations.

        Returns
        -------
        A : ndarray, shape (n_N + 4 n_H, n_N + 4 n_H)
        b : ndarray, shape (n_N + 4 n_H,)
        """
        a, b = _core.transition.source_form(*self._problem())
        return a, b

    def label(self, z: ArrayLike) -> Transition:
        """Modes, forces and accelerations of a solution z of :meth:`lcp`.

        Parameters
        ----------
        z : array_like, shape (n_N + 4 n_H,)

        Returns
        -------
        Transition
        """
        d = self._data
        order = d["contacts"] + 4 * int(np.count_nonzero(d["state"] == 0))
        arguments: list[Any] = [*self._problem(), True, spread("z", z, order)]
        raw = _core.transition.label(*arguments)
        return self._transition(raw)

    def _transition(self, raw: dict[str, Any]) -> Transition:
        d = self._data
        n, m = d["contacts"], d["m"]
        modes, force, acceleration = raw["modes"], raw["force"], raw["acceleration"]
        labels = []
        for c in range(n):
            closed = int(modes[c]) == 3
            labels.append("separate" if not closed else ELEMENT[int(modes[n + c])] if m else "closed")
        friction, tangential = np.zeros(n), np.full(n, np.nan)
        friction[:m], tangential[:m] = force[n : n + m], acceleration[n : n + m]
        by_mass = d["by_mass"]
        return Transition(
            contacts=tuple(labels),
            guides=tuple(ELEMENT[int(k)] for k in modes[n + m :]),
            normal_force=force[:n],
            friction_force=friction,
            guide_force=force[n + m :],
            normal_acceleration=acceleration[:n],
            tangent_acceleration=tangential,
            guide_acceleration=acceleration[n + m :],
            acceleration=by_mass[:, -1] + by_mass[:, :-1] @ np.r_[force[:n], -force[n:]],
            touching=bool(np.any(raw["touching"])),
            unique_forces=bool(raw["unique_forces"]),
            utilisation=float(raw["utilisation"]),
            constraint=float(raw["constraint"]),
        )

    def transitions(self) -> Transitions:
        """Return all solutions with their modes; elements that break away have kinetic friction.

        Returns
        -------
        Transitions
            Solutions with equal forces and accelerations are listed once, closed and sticking first.
        """
        arguments: list[Any] = [*self._problem(), []]
        raw, complete = _core.transition.transitions(*arguments)
        return Transitions(tuple(self._transition(r) for r in raw), complete)

    def decide(
        self,
        present: Sequence[str],
        *,
        fired: dict[int, str] | None = None,
        admissible: Callable[[dict[str, Any]], bool] | None = None,
    ) -> Decision:
        """Return the solution that the engine would take, and the rule that selects it.

        Parameters
        ----------
        present : sequence of str
            Labels before, contacts then guides, as in :attr:`Transition.contacts`.
        fired : dict of int to str, optional
            Prescribed new mode of elements whose guard has just fired: ``"slip+"`` or ``"slip-"`` after break-away,
            ``"separate"`` after loss of contact force.
        admissible : callable, optional
            Function that accepts or rejects a candidate, for example by its motion after this instant; default: all are
            admissible.

        Returns
        -------
        Decision

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        d = self._data
        n, m = d["contacts"], d["m"]
        if len(present) != n + len(self.guides):
            raise ValueError(f"present has {len(present)} labels: it must have {n + len(self.guides)}")
        for text in (*present, *(fired or {}).values()):
            if text not in _CODE:
                raise ValueError(f"'{text}' is not a label: {', '.join(_CODE)} are")
        contacts = [2 if text == "separate" else 3 for text in present[:n]]
        elements = [_CODE[text] for text in (*present[:m], *present[n:])]
        allowed = [31] * (n + len(d["state"]))
        for index, text in (fired or {}).items():
            if not 0 <= index < n + len(self.guides):
                raise ValueError(f"fired names element {index}: there are {n + len(self.guides)}")
            element = n + index if index < m else index + m
            if index < n:
                allowed[index] = 1 << (3 if text == "separate" else 4)
            if text not in ("separate", "closed"):
                allowed[element] = 1 << (_CODE[text] + 1)
        arguments: list[Any] = [*self._problem(), contacts + elements, allowed, admissible]
        raw = _core.transition.choose(*arguments)
        found = raw["rule"] != "none"
        return Decision(self._transition(raw) if found else None, raw["rule"], raw["solutions"])


def transitions(
    mass: ArrayLike,
    force: ArrayLike,
    normals: ArrayLike,
    tangents: ArrayLike | None = None,
    **options: Any,
) -> Transitions:
    """Return all solutions of the contact problem of one instant; short for ``Contacts(...).transitions()``.

    Parameters
    ----------
    mass, force, normals, tangents, **options
        As for :class:`Contacts`.

    Returns
    -------
    Transitions

    Examples
    --------
    The wedge gear of the source at w = 0.7 mm: three solutions, where one path of Lemke shows one.

    >>> import numpy as np
    >>> from stickslip import contact
    >>> s, c = np.sin(np.deg2rad(12)), np.cos(np.deg2rad(12))
    >>> contact.transitions([2420, 10.878], [-100, 4000 * 0.7e-3], [[c, s]], [[s, -c]],
    ...                     friction=np.tan(np.deg2rad(14))).modes
    (('stick',), ('slip-',), ('separate',))
    """
    return Contacts(mass, force, normals, tangents, **options).transitions()
