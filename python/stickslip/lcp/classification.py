"""Classes of matrices, which prove that solutions exist or are unique."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from stickslip import _core
from stickslip.lcp._problem import entries


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
    return Classification(**_core.contact.classify(entries("M", M), float(tolerance)))
