"""Lemke's method: one solution of a linear complementarity problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.contact._tableau import Tableau, tableaux
from stickslip.lcp._problem import Array, entries


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
    matrix, vector = entries("M", M), entries("q", q)
    if matrix.ndim == 3 or vector.ndim == 2:
        for name, given in (("covering", covering), ("start", start), ("trace", trace or None)):
            if given is not None:
                reject(name, given, "omitted for a batch of problems")
        z, status, pivots, res = _core.contact.lemke_batch(matrix, vector, max_pivots)
        return LemkeBatch(z, np.asarray(_core.contact.statuses)[status], pivots, res)
    cover = None if covering is None else entries("covering", covering)
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
