"""Equilibria of machines with stiction: all states in which the forces that stick can hold the machine at rest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core, lcp
from stickslip._checks import finite, reject, vector
from stickslip.errors import UnknownNameError
from stickslip.linear.operating_point import operating_point
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace

Array = NDArray[np.float64]
_ROUNDING = 1e-12  # of the terms of a row: entries that are zero
_RANK = 1e-10  # of the largest singular value
_ON_HULL = 1e-9  # of the terms of an equality: a point fulfils it
_MOST_CORNERS = 200_000  # combinations of bounds that are tried


@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumSet:
    """All equilibria of a machine at rest: the polyhedron ``A_ub @ x <= b_ub``, ``A_eq @ x == b_eq``.

    The arrays are those of SciPy's ``linprog``. ``point in equilibria`` tests a state.

    Attributes
    ----------
    states : tuple of str
        Positions and states of controllers, the columns of the matrices.
    A_ub, b_ub : ndarray, shapes (m, n) and (m,)
        Bounds: limits of holding forces, gaps, and ends of segments of springs.
    A_eq, b_eq : ndarray, shapes (k, n) and (k,)
        Equations: balances of coordinates that nothing holds.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=100.0, names=["block"], force={"block": 3.0})
    >>> m.add_friction("table", on="block", law=ss.Coulomb(static=2.0, kinetic=1.0))
    >>> rest = ss.analysis.equilibria(m)
    >>> [round(x, 12) for x in rest.bounds["block.position"]]                 # (3 ± 2 N)/(100 N/m)
    [0.01, 0.05]
    >>> round(rest.margin({"block.position": 0.02}), 12), {"block.position": 0.06} in rest
    (0.01, False)
    """

    states: tuple[str, ...]
    A_ub: Array
    b_ub: Array
    A_eq: Array
    b_eq: Array
    _start: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def _hull(self) -> tuple[Array, Array]:
        """A point of the affine hull of the equations, and an orthonormal basis of its directions."""
        n = len(self.states)
        if not self.b_eq.size:
            return np.zeros(n), np.eye(n)
        _, sizes, rows = np.linalg.svd(self.A_eq)
        rank = int(np.sum(sizes > _RANK * max(sizes.max(initial=0.0), 1e-300)))
        point = np.linalg.lstsq(self.A_eq, self.b_eq, rcond=_RANK)[0]
        return np.asarray(point, dtype=np.float64), np.asarray(rows[rank:].T, dtype=np.float64)

    @property
    def dimension(self) -> int:
        """Number of directions in which neighbours of an equilibrium are equilibria; 0 for a point, -1 if there is none."""
        if self.is_empty:
            return -1
        point, along = self._hull
        rows, right = self.A_ub @ along, self.b_ub - self.A_ub @ point
        fixed = [
            row for row, b in zip(rows, right, strict=True) if b + self._greatest(-row) <= _ON_HULL * abs(b)
        ]
        return int(along.shape[1]) - (int(np.linalg.matrix_rank(np.array(fixed), _RANK)) if fixed else 0)

    def _greatest(self, direction: Array) -> float:
        """Greatest value of ``direction @ u`` along the hull: a linear program, solved as a complementarity problem."""
        point, along = self._hull
        a, b = self.A_ub @ along, self.b_ub - self.A_ub @ point
        size = np.linalg.norm(a, axis=1)
        a, b = a / np.where(size > 0.0, size, 1.0)[:, None], b / np.where(size > 0.0, size, 1.0)
        length = float(np.max(np.abs(b), initial=0.0)) or 1.0
        return length * _linear_program(a, b / length, direction)

    @property
    def is_empty(self) -> bool:
        """True if the machine has no equilibrium in these modes."""
        point, along = self._hull
        if self.b_eq.size and _off(self.A_eq, self.b_eq, point) > _ON_HULL:
            return True
        return math.isnan(self._greatest(np.zeros(along.shape[1])))

    @cached_property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Least and greatest value of each state; infinite where nothing bounds it, NaN if the set is empty."""
        point, along = self._hull
        found = {}
        for name, at, row in zip(self.states, point, along, strict=True):
            if not np.any(np.abs(row) > _ROUNDING):
                low = high = math.nan if self.is_empty else 0.0
            else:
                low, high = -self._greatest(-row), self._greatest(row)
            found[name] = (float(_clean(at + low, at)), float(_clean(at + high, at)))
        return found

    def margin(self, point: Any = None) -> float:
        """Return the distance of a state from the border of the set.

        Parameters
        ----------
        point : State, mapping or array_like, optional
            ``run.state``, or values by the name of the state (all others as at the operating point), or an array in the
            order of `states`; by default the operating point.

        Returns
        -------
        float
            Euclidean distance within the set to the nearest bound, in the units of the states; infinite without bounds.
            Negative outside: minus the violation of the worst bound or equation.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=100.0, names=["block"])
        >>> m.add_friction("table", on="block", law=ss.Coulomb(static=2.0, kinetic=1.0))
        >>> run = ss.simulate(m, t_end=5.0, initial={"block.position": 0.07})
        >>> ss.analysis.equilibria(m).margin(run.state) > 0.0
        True
        """
        x = self._values(point)
        if self.b_eq.size and (off := _off(self.A_eq, self.b_eq, x)) > _ON_HULL:
            return -off
        _, along = self._hull
        distances = [math.inf]
        for row, b in zip(self.A_ub, self.b_ub, strict=True):
            if (steep := float(np.linalg.norm(row @ along))) > _ROUNDING * float(np.linalg.norm(row)):
                distances.append(float(b - row @ x) / steep)
            elif b - row @ x < -_ON_HULL * (abs(b) + float(np.abs(row) @ np.abs(x))):
                return float(b - row @ x) / (float(np.linalg.norm(row)) or 1.0)
        return min(distances)

    def __contains__(self, point: Any) -> bool:
        return self.margin(point) >= -_ON_HULL * (
            1.0 + float(np.max(np.abs(self._values(point)), initial=0.0))
        )

    def vertices(self) -> Array:
        """Return the corners of the set, shape (corners, states), in the order of their angles where it is plane.

        Raises
        ------
        ValueError
            If the set has too many bounds to try all combinations.
        """
        point, along = self._hull
        d = along.shape[1]
        a, b = self.A_ub @ along, self.b_ub - self.A_ub @ point
        if math.comb(len(b), d) > _MOST_CORNERS:
            raise ValueError(
                f"the set has {len(b)} bounds in {d} directions: too many to list its corners; use bounds"
            )
        corners: list[Array] = []
        for chosen in itertools.combinations(range(len(b)), d):
            rows = a[list(chosen)]
            if d and np.linalg.cond(rows) > 1.0 / _RANK:
                continue
            u = np.zeros(0)
            if d:
                u = np.asarray(np.linalg.solve(rows, b[list(chosen)]), dtype=np.float64)
            slack = b - a @ u
            if np.all(slack >= -_ON_HULL * (np.abs(b) + np.abs(a) @ np.abs(u))):
                corners.append(u)
        unique: list[Array] = []
        size = max((float(np.max(np.abs(u), initial=0.0)) for u in corners), default=0.0)
        for u in corners:
            if all(np.max(np.abs(u - v), initial=0.0) > _ON_HULL * size for v in unique):
                unique.append(u)
        if d == 2 and unique:
            middle = np.mean(unique, axis=0)
            unique.sort(key=lambda u: math.atan2(*(u - middle)[::-1]))
        return np.array([point + along @ u for u in unique]).reshape(len(unique), len(self.states))

    def _values(self, point: Any) -> Array:
        if point is None or isinstance(point, Mapping):
            values = dict(self._start)
            for name, value in (point or {}).items():
                if name not in self.states:
                    listed = ", ".join(map(repr, self.states))
                    raise UnknownNameError(f"unknown state {name!r}; known are: {listed}")
                values[name] = finite(name, value)
            return np.array([values[name] for name in self.states])
        if isinstance(point, _core.dynamics.State):
            by_name = dict(zip(self._start, point.x.tolist(), strict=True))
            return np.array([by_name[name] for name in self.states])
        return vector("point", point, len(self.states))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {low:g} … {high:g}" for name, (low, high) in self.bounds.items())
        return f"EquilibriumSet({'empty' if self.is_empty else shown})"


def equilibria(
    machine: Machine | StateSpace | Any,
    *,
    at: Any = None,
    t: float = 0.0,
    modes: Mapping[str, str | int] | None = None,
) -> EquilibriumSet:
    """Return all equilibria of a machine: the states in which it can stay at rest.

    Parameters
    ----------
    machine : Machine or StateSpace
        A linear machine, or an object with one as ``.machine``, without sampled controllers.
    at : State, Trajectory or mapping, optional
        Operating point, as in `Machine.linearise`, which decides which contacts are closed, on which segments springs
        are, and whether controllers are at their limits; by default the start.
    t : float, default 0.0
        Time of forces, loads and references, s, if `at` is no state.
    modes : mapping, optional
        Modes of contacts in place of those of the operating point.

    Returns
    -------
    EquilibriumSet
        The convex set of equilibria with these contacts and segments. Gaps, ends of segments and limits of controllers
        bound it as holding forces do.

    Raises
    ------
    ValueError
        If the machine is not linear, is sampled, or has a law with internal states other than `LuGre` and `Dahl`.

    Notes
    -----
    At rest ``0 = A x + b + E F``, with the forces F of elements that stick within their limits, ``|F| <= N F_s``, and
    normal forces N of closed contacts not negative. Both may depend on the state. F is eliminated: by the equations where
    they determine it, by Fourier and Motzkin's method where it is statically indeterminate. Elements whose surface moves
    slide, with their force at that speed.

    Examples
    --------
    A position controller with integral action holds the reference alone, but its integral is not determined:

    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=2.0, kinetic=1.0))
    >>> m.add_controller(ss.PID(kp=10.0, ki=4.0, kd=3.0), "pid", on="slide", reference=0.5)
    'pid'
    >>> ss.analysis.equilibria(m)
    EquilibriumSet(slide.position 0.5 … 0.5, pid.z -2 … 2)
    """
    compiled, state = _operating_state(machine, at, t, modes)
    if not _core.linear.is_linear(compiled):
        raise ValueError(
            "the equilibria of a machine with elements that are functions of the motion are no polyhedron: of one "
            "coordinate use equilibrium_intervals"
        )
    return _eliminated(compiled, state)


def equilibrium_intervals(
    machine: Machine | StateSpace | Any,
    within: tuple[float, float],
    *,
    t: float = 0.0,
    resolution: int = 400,
) -> Array:
    """Return the positions at which a machine of one coordinate can stay at rest, linear or not.

    Parameters
    ----------
    machine : Machine
        A machine of one coordinate without contacts, constraints and sampled controllers, or an object with one as
        ``.machine``.
    within : (float, float)
        Least and greatest position of the search, in the unit of the coordinate.
    t : float, default 0.0
        Time of forces and loads, s.
    resolution : int, default 400
        Number of steps of the search; intervals and gaps that are shorter may be missed.

    Returns
    -------
    ndarray, shape (k, 2)
        Intervals in rising order. Their ends are exact to rounding; an equilibrium that no stiction holds is no interval
        and is not listed.

    Raises
    ------
    ValueError
        If the machine has several coordinates, contacts, constraints or controllers with states.

    Examples
    --------
    A pendulum with friction in its joint rests where ``|m g l sin(phi)|`` is at most 5 Nm:

    >>> import numpy as np, stickslip as ss
    >>> m = ss.machines.pendulum(mass=1.0, length=1.0, gravity=10.0, law=ss.Coulomb(5.0, 3.0))
    >>> ss.analysis.equilibrium_intervals(m, (-1.0, 4.0)) / np.pi
    array([[-0.16666667,  0.16666667],
           [ 0.83333333,  1.16666667]])
    """
    compiled, state = _operating_state(machine, None, t, None)
    if len(compiled.states) < 2 or len(compiled.coordinates) != 1:
        reject("machine", list(compiled.coordinates), "a machine of one coordinate")
    if compiled.contacts or compiled.constraints or compiled.controllers:
        raise ValueError(
            "equilibrium_intervals needs a machine without contacts, constraints and controllers"
        )
    low, high = (finite("within", x) for x in within)
    if not low < high:
        reject("within", within, "a pair (low, high) with low < high")

    def slack(position: float) -> float:
        x = np.zeros(len(compiled.states))
        x[0] = position
        here = _eliminated(compiled, _core.linear.moved_state(compiled, state, t, x))
        if here.b_eq.size or not here.b_ub.size:
            return -1.0
        rows = np.maximum(np.max(np.abs(here.A_ub), axis=1), 1e-300)
        return float(np.min((here.b_ub - here.A_ub[:, 0] * position) / rows))

    grid = np.linspace(low, high, resolution + 1)
    inside = np.array([slack(x) >= 0.0 for x in grid.tolist()])
    ends = [low] if inside[0] else []
    for k in np.flatnonzero(inside[1:] != inside[:-1]):
        ends.append(_border(slack, float(grid[k]), float(grid[k + 1]), bool(inside[k])))
    if inside[-1]:
        ends.append(high)
    return np.array(ends).reshape(-1, 2)


def _border(slack: Callable[[float], float], low: float, high: float, is_inside: bool) -> float:
    """Bisect to the border between a point inside and one outside, to the last digit."""
    while low < (middle := 0.5 * (low + high)) < high:
        if (slack(middle) >= 0.0) == is_inside:
            low = middle
        else:
            high = middle
    return low if is_inside else high


def _operating_state(
    machine: Any, at: Any, t: float, modes: Mapping[str, str | int] | None
) -> tuple[_core.dynamics.Compiled, _core.dynamics.State]:
    holder = getattr(machine, "machine", machine)
    if not isinstance(holder, (Machine, StateSpace)):
        reject("machine", machine, "a stickslip.Machine or StateSpace, or hold one as .machine")
    compiled = holder.compile()
    if any(period > 0.0 for period in compiled.sampling_periods):
        raise ValueError("the set of equilibria needs continuous controllers: give them without a period")
    time = None if isinstance(at, _core.dynamics.State) else t
    point = operating_point(holder, {} if at is None else at, time, modes)
    if point is None or isinstance(at, str):
        reject("at", at, "the state of a run, a run, or a mapping of values")
    return compiled, point.state


def _eliminated(compiled: _core.dynamics.Compiled, state: _core.dynamics.State) -> EquilibriumSet:
    statics = _core.linear.statics(compiled, state)
    names, n = list(compiled.states), len(compiled.coordinates)
    owners = set(compiled.friction) - {name for name, *_ in compiled.controllers}
    of_elements = [name.rpartition(".")[0] in owners and k >= 2 * n for k, name in enumerate(names)]
    kept = [k for k in range(len(names)) if not of_elements[k] and not n <= k < 2 * n]
    rows = [k for k in range(len(names)) if not of_elements[k] and k >= n]
    force = slice(len(names), -1)
    constant = np.where(of_elements, state.x, 0.0)

    def with_constants(given: Array) -> Array:
        """The rows, with states of elements as constants."""
        return np.column_stack([given[:, :-1], given[:, -1] + given[:, : len(names)] @ constant])

    equal = np.vstack([with_constants(statics.rates)[rows], with_constants(statics.equalities)])
    size = np.max(np.abs(equal), axis=1, initial=0.0)
    equal = equal[size > 0.0] / size[size > 0.0, None]
    e_x, e_f, e_1 = equal[:, kept], equal[:, force], equal[:, -1]
    at_least = with_constants(statics.inequalities)
    h_x, h_f, h_1 = at_least[:, kept], at_least[:, force], at_least[:, -1]
    scale = np.max(np.abs(e_f), axis=0, initial=0.0)
    scale = np.where(scale > 0.0, scale, 1.0)
    left, sizes, right = np.linalg.svd(e_f / scale)
    rank = int(np.sum(sizes > _RANK * sizes.max(initial=0.0)))
    inverse = (
        (right[:rank].T / sizes[:rank]) @ left[:, :rank].T / scale[:, None]
    )  # f = -inverse (e_x x + e_1) + free y
    free, balance = right[rank:].T / scale[:, None], left[:, rank:].T
    bounds = np.hstack([h_x - h_f @ inverse @ e_x, (h_1 - h_f @ inverse @ e_1)[:, None], h_f @ free])
    terms = np.hstack([np.abs(h_x) + np.abs(h_f) @ np.abs(inverse) @ np.abs(e_x),
                       (np.abs(h_1) + np.abs(h_f) @ np.abs(inverse) @ np.abs(e_1))[:, None],
                       np.abs(h_f) @ np.abs(free)])  # fmt: skip
    bounds = _shadow(np.where(np.abs(bounds) > _ROUNDING * terms, bounds, 0.0), free.shape[1])
    balanced = np.hstack([balance @ e_x, (balance @ e_1)[:, None]])
    balanced = balanced[np.any(np.abs(balanced) > _ROUNDING, axis=1)]
    start = dict(zip(names, state.x.tolist(), strict=True))
    return EquilibriumSet(
        tuple(names[k] for k in kept),
        -bounds[:, :-1],
        bounds[:, -1],
        balanced[:, :-1],
        -balanced[:, -1],
        start,
    )


def _shadow(rows: Array, count: int) -> Array:
    """Eliminate the last `count` unknowns y from ``rows @ (x, 1, y) >= 0``, by Fourier and Motzkin's method."""
    for _ in range(count):
        size = np.max(np.abs(rows), axis=1, initial=0.0)
        rows = rows[size > 0.0] / size[size > 0.0, None]
        last = rows[:, -1]
        up, down = rows[last > _ROUNDING], rows[last < -_ROUNDING]
        both = [p[:-1] * -q[-1] + q[:-1] * p[-1] for p in up for q in down]
        rows = np.vstack([rows[np.abs(last) <= _ROUNDING][:, :-1], *(row[None] for row in both)])
        rows = np.unique(np.round(rows, 15), axis=0)
    return rows


def _linear_program(a: Array, b: Array, c: Array) -> float:
    """Greatest c @ u with a @ u <= b; infinite without a bound, NaN where there is no such u."""
    d, m = c.size, b.size
    if d == 0 or not m:
        return (math.inf if np.any(c) else 0.0) if np.all(b >= -_ON_HULL) else math.nan
    # Karush, Kuhn and Tucker with u = z1 - z2: z1, z2, y >= 0 are complementary to a' y - c, c - a' y, b - a u >= 0.
    none = np.zeros((d, d))
    M = np.block([[none, none, a.T], [none, none, -a.T], [-a, a, np.zeros((m, m))]])

    found = lcp.lemke(M, np.concatenate([-c, c, b]))
    if found.success:
        return float(c @ (found.z[:d] - found.z[d : 2 * d]))
    is_possible = lcp.lemke(M, np.concatenate([np.zeros(2 * d), b])).success
    return math.inf if is_possible else math.nan


def _off(rows: Array, right: Array, x: Array) -> float:
    """The worst violation of equations, relative to the size that their terms may have."""
    terms = np.max(np.abs(rows), axis=1) * np.max(np.abs(x), initial=0.0) + np.abs(right)
    return float(np.max(np.abs(rows @ x - right) / np.where(terms > 0.0, terms, 1.0), initial=0.0))


def _clean(value: float, size: float) -> float:
    return 0.0 if abs(value) < _ROUNDING * abs(size) else value
