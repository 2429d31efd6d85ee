"""Linear systems in rational numbers: floating-point data are such numbers, and no rounding follows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

Rational = list[Fraction]


def rational(values: np.ndarray) -> list[Rational]:
    """The same numbers, row by row."""
    return [[Fraction(float(x)) for x in row] for row in np.atleast_2d(values)]


def times(a: list[Rational], x: Rational) -> Rational:
    """A matrix times a vector."""
    return [sum((p * q for p, q in zip(row, x, strict=True) if p and q), Fraction(0)) for row in a]


def solve(a: np.ndarray, b: np.ndarray) -> Rational | None:
    """The solution of a square system, None if it is singular; by elimination with the greatest pivot."""
    n = len(b)
    rows = [[*left, right] for left, right in zip(rational(a), rational(b)[0], strict=True)] if n else []
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        if rows[pivot][k] == 0:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        head = rows[k]
        for i in range(k + 1, n):
            if rows[i][k]:
                share = rows[i][k] / head[k]
                rows[i] = [x - share * y if y else x for x, y in zip(rows[i], head, strict=True)]
    x: Rational = [Fraction(0)] * n
    for k in reversed(range(n)):
        rest = sum((rows[k][j] * x[j] for j in range(k + 1, n)), Fraction(0))
        x[k] = (rows[k][n] - rest) / rows[k][k]
    return x
