"""Linear complementarity problems ``w = M z + q``, ``w >= 0``, ``z >= 0``, ``w @ z = 0``.

:func:`lemke` finds one solution, :func:`solve_all` finds all, :func:`classify` states how many must exist, and
:func:`residual` measures the error of any ``z``. Several solutions, a continuum of them, or none are regular results.

M and q are taken as exact rational numbers: :func:`lemke` (up to order 20) and :func:`solve_all` decide in double
precision where a bound of the rounding error allows it, otherwise in exact arithmetic. A nearly singular matrix is
therefore regular here, and its solutions may be large.

Sources: R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, 1992; L. Hinrichsen, dissertation
2007, appendix B, whose example has a second solution that Lemke's algorithm does not find.
"""

from stickslip.contact._tableau import Tableau
from stickslip.lcp.classification import Classification, classify
from stickslip.lcp.enumeration import (
    LARGEST_ENUMERATION,
    Continuum,
    Enumeration,
    Solution,
    SolveAllBatch,
    solve_all,
)
from stickslip.lcp.pivoting import LemkeBatch, LemkeResult, lemke
from stickslip.lcp.residuals import residual

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


def __dir__() -> list[str]:
    return sorted(__all__)
