"""Linear complementarity problems ``w = M z + q``, ``w >= 0``, ``z >= 0``, ``w @ z = 0``.

:func:`lemke` finds one solution, :func:`solve_all` finds all, :func:`classify` states how many must exist, and
:func:`residual` measures the error of any ``z``. Several solutions, a continuum of them, or none are regular results.

M and q are taken as exact rational numbers: :func:`lemke` (up to order 20) and :func:`solve_all` decide in double
precision where a bound of the rounding error allows it, otherwise in exact arithmetic. A nearly singular matrix is
therefore regular here, and its solutions may be large.

Sources: R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992; L. Hinrichsen, dissertation
2007, appendix B, whose example has a second solution that Lemke's algorithm does not find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import array, reject
from stickslip.contact._tableau import Tableau, tableaux

__all__ = [
    "LARGEST_ENUMERATION",
    "Classification",
    "Continuum",
    "Enumeration",
    "LemkeBatch",
    "LemkeResult",
    "Solution",
    "SolveAllBatch",
    "Tableau",
    "classify",
    "lemke",
    "residual",
    "solve_all",
]

Array = NDArray[np.float64]

LARGEST_ENUMERATION: int = _core.contact.largest_enumeration
"""Largest order that :func:`solve_all` accepts."""


MAX_BASES = 100_000


def _at_least_one(name: str, value: int) -> int:
    if value < 1:
        reject(name, value, ">= 1")
    return int(value)


def _array(name: str, value: ArrayLike) -> Array:
    return np.ascontiguousarray(array(name, value, all_finite=False))


@dataclass(frozen=True, eq=False)
class LemkeResult:
    """Result of :func:`lemke`.

    Attributes
    ----------
    z, w : ndarray, shape (n,)
        The solution; NaN if none was found.
    status : str
        ``"trivial"`` (q >= 0, so z = 0), ``"solved"`` (a solution exists; z is within 1e-9 of it, mostly to machine
        precision), ``"ray"`` (every path ends in a ray; a solution may still exist), ``"budget"`` (too many pivots) or,
        above order 20 only, ``"doubtful"`` (double precision does not decide; z is a candidate or NaN).
    pivots, attempts : int
        Numbers of pivots over all attempts, and of covering vectors tried.
    residual : float
        Largest relative violation of the problem as given (see :func:`residual`); infinite without a solution.
    basis : tuple of int
        Indices whose z is basic; pass it as ``start`` to the next call.
    tableaux : tuple of Tableau
        With ``trace=True`` all tableaux of the path, by covering vector; otherwise empty.

    Examples
    --------
    >>> from stickslip import lcp
    >>> r = lcp.lemke([[2, 1], [1, 2]], [-5, -6])
    >>> r.status, r.success, r.basis
    ('solved', True, (0, 1))
    """

    z: Array
    w: Array
    status: str
    pivots: int
    attempts: int
    residual: float
    basis: tuple[int, ...]
    tableaux: tuple[Tableau, ...] = ()

    @property
    def success(self) -> bool:
        """True if a solution was found and proven."""
        return self.status in ("trivial", "solved")

    @property
    def message(self) -> str:
        """The status in words.

        Examples
        --------
        >>> from stickslip import lcp
        >>> lcp.lemke([[0, -1], [-1, 0]], [-1, -1]).message.partition(":")[0]
        'no solution found'
        """
        paths = f"{self.attempts} path{'s' if self.attempts > 1 else ''}"
        return {
            "trivial": "solved by z = 0: q >= 0",
            "solved": f"solved after {self.pivots} pivots",
            "ray": f"no solution found: all of {paths} with different covering vectors end in a ray; solve_all decides "
            "whether there is one",
            "budget": f"no solution found: the budget is exhausted after {self.pivots} pivots on {paths}; raise max_pivots",
            "doubtful": f"not decided: rounding errors are too large for double precision after {self.pivots} pivots",
        }[self.status]


@dataclass(frozen=True, eq=False)
class LemkeBatch:
    """Results of :func:`lemke` for k problems, one row each.

    Attributes
    ----------
    z : ndarray, shape (k, n)
        Solutions; NaN where none was found.
    status : ndarray of str, shape (k,)
        Status of each problem, as in :class:`LemkeResult`.
    pivots : ndarray of int, shape (k,)
        Number of pivots.
    residual : ndarray, shape (k,)
        Largest relative violation (see :func:`residual`); infinite without a solution.

    Examples
    --------
    >>> from stickslip import lcp
    >>> lcp.lemke([[2, 1], [1, 2]], [[-3, -3], [1, -4]]).z
    array([[1., 1.],
           [0., 2.]])
    """

    z: Array
    status: NDArray[np.str_]
    pivots: NDArray[np.int64]
    residual: Array

    @property
    def success(self) -> NDArray[np.bool_]:
        """True where a verified solution was found, shape (k,)."""
        good: NDArray[np.bool_] = (self.status == "solved") | (self.status == "trivial")
        return good


@overload
def lemke(
    M: ArrayLike,
    q: Sequence[float],
    covering: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    max_pivots: int = 0,
    trace: bool = False,
) -> LemkeResult: ...
@overload
def lemke(
    M: ArrayLike,
    q: Sequence[Sequence[float]],
    covering: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    max_pivots: int = 0,
    trace: bool = False,
) -> LemkeBatch: ...
@overload
def lemke(
    M: ArrayLike,
    q: ArrayLike,
    covering: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    max_pivots: int = 0,
    trace: bool = False,
) -> Any: ...
def lemke(
    M: ArrayLike,
    q: ArrayLike,
    covering: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
    max_pivots: int = 0,
    trace: bool = False,
) -> LemkeResult | LemkeBatch:
    """Solve ``w = M z + q`` by Lemke's complementary pivoting.

    The lexicographic ratio test never cycles; among ties the artificial variable leaves first. Badly scaled problems
    are equilibrated. Up to order 20 each status is proven for the problem as given, if necessary in exact arithmetic;
    for larger orders a solution is proven by a bound of the rounding error or is ``"doubtful"``.

    Parameters
    ----------
    M : array_like, shape (n, n) or (k, n, n)
        Any real matrix, or one for each of k problems.
    q : array_like, shape (n,) or (k, n)
        With k rows, k problems are solved in compiled code without the interpreter lock; `covering`, `start` and
        `trace` are then not allowed.
    covering : array_like, shape (n,), optional
        Covering vector d > 0, in the rows of the problem as given. If there are several solutions, it determines which
        one is found; scaling row i by s is equivalent to dividing d[i] by s. By default a vector of ones; if it finds
        no solution, six other vectors are tried.
    start : sequence of int, optional
        Warm start: indices expected to be basic, such as ``result.basis`` of a similar problem.
    max_pivots : int, optional
        Budget per covering vector; 0, the default, is 1000 + 50 n.
    trace : bool, optional
        Keep the tableaux of the path, in the form of the source (4.22, appendices B to D); ``print`` shows one. The
        path is the same as without `trace`. Not with `start`.

    Returns
    -------
    LemkeResult, or LemkeBatch for k problems

    Raises
    ------
    ValueError
        If M is not square, q does not fit, an entry is not finite, ``start`` names an index out of range or is given
        together with `trace`, or if `covering`, `start` or `trace` is given for k problems.

    Examples
    --------
    >>> from stickslip import lcp
    >>> lcp.lemke([[2, 1], [1, 2]], [-5, -6]).z.round(12)
    array([1.33333333, 2.33333333])

    >>> lcp.lemke([[2, 1], [1, 2]], [[-5, -6], [1, 1]]).status
    array(['solved', 'trivial'], dtype='<U8')

    The example of the source's appendix B:

    >>> result = lcp.lemke([[-1, -2], [1, -1]], [2, -1], trace=True)
    >>> print(result.tableaux[1])
       | w1  w2  | z1  z2* | z0  | q
    w1 | (1) -1  |  2   1* |  0  | 3
    z0 |  0  -1  |  1  -1  | (1) | 1
    """
    matrix, vector = _array("M", M), _array("q", q)
    if matrix.ndim == 3 or vector.ndim == 2:
        for name, given in (("covering", covering), ("start", start), ("trace", trace or None)):
            if given is not None:
                reject(name, given, "omitted for a batch of problems")
        z, status, pivots, res = _core.contact.lemke_batch(matrix, vector, max_pivots)
        return LemkeBatch(z, np.asarray(_core.contact.statuses)[status], pivots, res)
    cover = None if covering is None else _array("covering", covering)
    if cover is not None and not (np.isfinite(cover).all() and (cover > 0).all()):
        reject("covering", cover, "finite and > 0")
    bits = None
    if start is not None:
        index = np.asarray(start, dtype=np.int64).ravel()
        if index.size and (index.min() < 0 or index.max() >= vector.size):
            reject("start", index, f"indices in 0 .. {vector.size - 1}")
        bits = np.zeros(vector.size, dtype=np.uint8)
        bits[index] = 1
    if max_pivots < 0:
        reject("max_pivots", max_pivots, ">= 0")
    if trace and start is not None:
        raise ValueError("trace=True and start exclude each other: a warm start has no first tableau")
    z, w, status, pivots, attempts, res, basis, path, covers = _core.contact.lemke(
        matrix, vector, cover, bits, max_pivots, bool(trace)
    )
    steps = tableaux(matrix, vector, path, covers) if trace else ()
    return LemkeResult(
        z, w, status, pivots, attempts, res, tuple(int(i) for i in np.flatnonzero(basis)), steps
    )


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
    matrix, vector, budget = _array("M", M), _array("q", q), _at_least_one("max_bases", max_bases)
    if matrix.ndim == 3 or vector.ndim == 2:
        z, offsets, continuum, doubtful = _core.contact.solve_all_batch(matrix, vector, budget)
        return SolveAllBatch(z, offsets, continuum.astype(np.bool_), doubtful.astype(np.bool_))
    raw = _core.contact.solve_all(matrix, vector, budget)
    solutions = tuple(
        Solution(z, w, basis, bases, Continuum(vertices, directions) if len(vertices) else None, res)
        for z, w, basis, bases, vertices, directions, res in raw["solutions"]
    )
    return Enumeration(solutions, raw["singular_bases"], raw["leaves"], raw["doubtful"])


def residual(M: ArrayLike, q: ArrayLike, z: ArrayLike) -> float:
    """Return the largest relative violation of the three conditions by any ``z``.

    Row i is relative to ``|q[i]| + sum_j |M[i, j] z[j]|``, and ``z[j]`` counts by its contribution to the rows
    (componentwise backward error), so that scaling rows or columns has no effect. Rows whose terms nearly vanish are
    relative to 1e-3 of the largest ``|q[i]|``.

    Parameters
    ----------
    M : array_like, shape (n, n)
        Matrix of the problem.
    q, z : array_like, shape (n,)
        Constant term, and the candidate to check.

    Returns
    -------
    float
        0 for an exact solution, about 1 for a wrong one.

    Raises
    ------
    ValueError
        For shapes that do not fit or entries that are not finite.

    Examples
    --------
    >>> from stickslip import lcp
    >>> lcp.residual([[2, 1], [1, 2]], [-5, -6], [4 / 3, 7 / 3]) < 1e-15
    True
    """
    return float(_core.contact.residual(_array("M", M), _array("q", q), np.ascontiguousarray(array("z", z))))


@dataclass(frozen=True)
class Classification:
    """Result of :func:`classify`: classes of M; ``None`` where the order is too large to decide.

    Attributes
    ----------
    p_matrix : bool or None
        All principal minors are positive: exactly one solution for every q.
    positive_definite, positive_semidefinite : bool
        Definiteness of the symmetric part.
    copositive, strictly_copositive : bool or None
        ``z @ M @ z >= 0`` (``> 0``) for all ``z >= 0``, z not 0.

    Examples
    --------
    >>> from stickslip import lcp
    >>> c = lcp.classify([[1, 2], [2, 1]])
    >>> c.name, c.unique, c.solvable
    ('strictly copositive', False, True)
    """

    p_matrix: bool | None
    positive_definite: bool
    positive_semidefinite: bool
    copositive: bool | None
    strictly_copositive: bool | None

    @property
    def unique(self) -> bool:
        """True if every q is certain to have exactly one solution."""
        return bool(self.p_matrix)

    @property
    def solvable(self) -> bool:
        """True if every q has a solution, because M is a P-matrix or strictly copositive.

        :func:`lemke` then finds one up to order 20, where its status is proven; for larger orders it may be
        ``"doubtful"``.
        """
        return bool(self.p_matrix) or bool(self.strictly_copositive)

    @property
    def name(self) -> str:
        """The strongest class found, or ``"none"``."""
        order = (
            ("positive definite", self.positive_definite),
            ("P-matrix", self.p_matrix),
            ("positive semidefinite", self.positive_semidefinite),
            ("strictly copositive", self.strictly_copositive),
            ("copositive", self.copositive),
        )
        return next((text for text, holds in order if holds), "none")


def classify(M: ArrayLike, *, tolerance: float = 1e-12) -> Classification:
    """Determine the classes of M, which prove existence or uniqueness of solutions.

    Parameters
    ----------
    M : array_like, shape (n, n)
        Matrix of the problem.
    tolerance : float, optional
        Pivots and eigenvalues below this value, after scaling to a unit diagonal, count as zero. Default 1e-12.

    Returns
    -------
    Classification

    Raises
    ------
    ValueError
        If M is not square or has entries that are not finite.

    Notes
    -----
    P-matrices are decided by the recursion of Tsatsomeros and Li (2000). M is copositive if and only if ``w = S z + 1``
    with the symmetric part S has only the solution z = 0, and strictly copositive if the same holds for ``w = S z``;
    both are decided by :func:`solve_all`.

    Examples
    --------
    >>> from stickslip import lcp
    >>> lcp.classify([[1, 3], [0, 1]]).name, lcp.classify([[1, 3], [0, 1]]).unique
    ('P-matrix', True)
    """
    return Classification(**_core.contact.classify(_array("M", M), float(tolerance)))


def __dir__() -> list[str]:
    return sorted(__all__)
