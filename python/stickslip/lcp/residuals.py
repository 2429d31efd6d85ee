"""The error of a candidate solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._checks import array
from stickslip.lcp._problem import entries


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
    return float(
        _core.contact.residual(entries("M", M), entries("q", q), np.ascontiguousarray(array("z", z)))
    )
