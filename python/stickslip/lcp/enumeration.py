"""All solutions of a linear complementarity problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.lcp._problem import Array, entries

LARGEST_ENUMERATION: int = _core.contact.largest_enumeration
"""Largest order that :func:`solve_all` accepts."""

MAX_BASES = 100_000


def _at_least_one(name: str, value: int) -> int:
    if value < 1:
        reject(name, value, ">= 1")
    return int(value)


@dataclass(frozen=True, eq=False)
class Continuum:
    """A polyhedron of solutions: convex combinations of the vertices plus multiples >= 0 of the directions.

    Attributes
    ----------
    vertices : ndarray, shape (n_vertices, n)
        Vertices of the polyhedron.
    directions : ndarray, shape (n_directions, n)
        Unbounded directions; empty if the set is bounded.

    Examples
    --------
    >>> from stickslip import lcp
    >>> segment = lcp.solve_all([[1, 1], [1, 1]], [-1, -1])[0].continuum
    >>> segment.bounded, sorted(segment.vertices.tolist())
    (True, [[0.0, 1.0], [1.0, 0.0]])
    """

    vertices: Array
    directions: Array

    @property
    def point(self) -> Array:
        """One solution of the set, shape (n,)."""
        point: Array = self.vertices[0]
        return point

    @property
    def bounded(self) -> bool:
        """True if the set is bounded."""
        return len(self.directions) == 0


@dataclass(frozen=True, eq=False)
class Solution:
    """One solution, or one continuum of solutions.

    Attributes
    ----------
    z, w : ndarray, shape (n,)
        The solution, or the first vertex of a continuum.
    basis : tuple of int
        Indices whose z is basic.
    bases : tuple of tuple of int
        Every examined basis that gives this solution or a part of this continuum.
    continuum : Continuum or None
        The set of solutions, or None for an isolated solution.
    residual : float
        Largest relative violation (see :func:`residual`).

    Examples
    --------
    >>> from stickslip import lcp
    >>> only = lcp.solve_all([[2, 1], [1, 2]], [-5, 1])[0]
    >>> only.z, only.w, only.basis
    (array([2.5, 0. ]), array([0. , 3.5]), (0,))
    """

    z: Array
    w: Array
    basis: tuple[int, ...]
    bases: tuple[tuple[int, ...], ...]
    continuum: Continuum | None
    residual: float


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All solutions of a problem; a sequence of :class:`Solution`.

    Attributes
    ----------
    solutions : tuple of Solution
        The solutions and continua.
    singular_bases : tuple of tuple of int
        Bases with a singular matrix that were examined, with or without solutions.
    leaves : int
        Number of bases examined; the others of the 2**n were excluded by signs.
    doubtful : bool
        True if the search ended at `max_bases`, so that solutions may be missing.

    Examples
    --------
    >>> from stickslip import lcp
    >>> lcp.solve_all([[-1, 0, -3], [1, -2, -5], [-2, -1, -2]], [-3, -2, -1]).status
    'none'
    >>> [len(lcp.solve_all([[-1, -2], [1, -1]], q)) for q in ([2, -1], [-1, -1])]
    [2, 0]
    """

    solutions: tuple[Solution, ...]
    singular_bases: tuple[tuple[int, ...], ...]
    leaves: int
    doubtful: bool

    @property
    def status(self) -> str:
        """``"none"``, ``"unique"``, ``"several"`` or ``"continuum"``; ``"budget"`` if the search ended at `max_bases`."""
        if self.doubtful:
            return "budget"
        if any(s.continuum is not None for s in self.solutions):
            return "continuum"
        return ("none", "unique")[len(self.solutions)] if len(self.solutions) < 2 else "several"

    @property
    def message(self) -> str:
        """Number of solutions, or the reason why there is none.

        Examples
        --------
        >>> from stickslip import lcp
        >>> lcp.solve_all([[0, -1], [-1, 0]], [-1, -1]).message
        'no solution: 0 bases examined, all others excluded by signs'
        """
        count = len(self.solutions)
        found = f"{count} solution{'s' if count > 1 else ''}" if count else "no solution"
        if any(s.continuum is not None for s in self.solutions):
            found += ", with continua"
        if self.doubtful:
            return f"{found} so far: the search ended at max_bases, so that solutions may be missing"
        if count:
            return found
        return f"no solution: {self.leaves} bases examined, all others excluded by signs"

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __getitem__(self, index: int) -> Solution:
        return self.solutions[index]


@dataclass(frozen=True, eq=False)
class SolveAllBatch:
    """Results of :func:`solve_all` for k problems: the solutions of problem i are ``z[offsets[i]:offsets[i + 1]]``.

    Attributes
    ----------
    z : ndarray, shape (total, n)
        A continuum is represented by one vertex.
    offsets : ndarray of int, shape (k + 1,)
        Index of the first solution of each problem, and the total.
    continuum : ndarray of bool, shape (total,)
        True for a vertex of a continuum.
    doubtful : ndarray of bool, shape (k,)
        True where the search ended at `max_bases`, so that solutions may be missing.

    Examples
    --------
    >>> from stickslip import lcp
    >>> every = lcp.solve_all([[-1, -2], [1, -1]], [[2, -1], [-1, -1]])
    >>> every.counts, every[0].round(3).tolist()
    (array([2, 0]), [[1.333, 0.333], [2.0, 0.0]])
    """

    z: Array
    offsets: NDArray[np.int64]
    continuum: NDArray[np.bool_]
    doubtful: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of solutions of each problem, shape (k,)."""
        return np.diff(self.offsets)

    def __getitem__(self, index: int) -> Array:
        rows: Array = self.z[self.offsets[index] : self.offsets[index + 1]]
        return rows


@overload
def solve_all(M: ArrayLike, q: Sequence[float], *, max_bases: int = MAX_BASES) -> Enumeration: ...
@overload
def solve_all(M: ArrayLike, q: Sequence[Sequence[float]], *, max_bases: int = MAX_BASES) -> SolveAllBatch: ...
@overload
def solve_all(M: ArrayLike, q: ArrayLike, *, max_bases: int = MAX_BASES) -> Any: ...
def solve_all(M: ArrayLike, q: ArrayLike, *, max_bases: int = MAX_BASES) -> Enumeration | SolveAllBatch:
    """Find every solution of ``w = M z + q`` by a search over the complementary bases.

    Branches are excluded by the signs of the rows, so far fewer than 2**n bases are examined. Solutions of singular
    bases form a polyhedron, returned as :class:`Continuum`. The list is proven complete for the problem as given: signs
    that double precision cannot decide are computed exactly.

    Parameters
    ----------
    M : array_like, shape (n, n) or (k, n, n)
        One matrix, or one for each of k problems.
    q : array_like, shape (n,) or (k, n)
        With k rows, k problems are solved in compiled code without the interpreter lock.
    max_bases : int, optional
        Budget of each problem: number of bases examined and branches excluded, after which the search ends with
        ``status`` ``"budget"`` and the solutions found so far. The default 100 000 suffices for every problem up to
        order 16. Ctrl-C also ends a search.

    Returns
    -------
    Enumeration, or SolveAllBatch for k problems

    Raises
    ------
    ValueError
        If n is larger than :data:`LARGEST_ENUMERATION`, and for the reasons named in :func:`lemke`.

    Examples
    --------
    >>> from stickslip import lcp
    >>> [s.z.round(6).tolist() for s in lcp.solve_all([[-1, -2], [1, -1]], [2, -1])]
    [[1.333333, 0.333333], [2.0, 0.0]]
    >>> ray = lcp.solve_all([[1, -1], [-1, 1]], [1, -1])[0].continuum
    >>> ray.point, ray.directions
    (array([0., 1.]), array([[1., 1.]]))
    """
    matrix, vector, budget = entries("M", M), entries("q", q), _at_least_one("max_bases", max_bases)
    if matrix.ndim == 3 or vector.ndim == 2:
        z, offsets, continuum, doubtful = _core.contact.solve_all_batch(matrix, vector, budget)
        return SolveAllBatch(z, offsets, continuum.astype(np.bool_), doubtful.astype(np.bool_))
    raw = _core.contact.solve_all(matrix, vector, budget)
    solutions = tuple(
        Solution(z, w, basis, bases, Continuum(vertices, directions) if len(vertices) else None, res)
        for z, w, basis, bases, vertices, directions, res in raw["solutions"]
    )
    return Enumeration(solutions, raw["singular_bases"], raw["leaves"], raw["doubtful"])
