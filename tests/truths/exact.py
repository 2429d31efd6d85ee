"""Linear systems in rational numbers: floating-point data are such numbers, and no rounding follows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

Rational = list[Fraction]


def rational(values: np.ndarray) -> list[Rational]:
    """The numbers as rows of fractions."""
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


def reduce(rows: list[Rational], columns: int) -> tuple[list[int], list[Rational]]:
    """Row-reduce the first columns of a matrix, in place of a copy: pivot columns, and the reduced rows in their order."""
    rows, pivots = [list(row) for row in rows], []
    for c in range(columns):
        r = len(pivots)
        pivot = next((i for i in range(r, len(rows)) if rows[i][c]), None)
        if pivot is None:
            continue
        rows[r], rows[pivot] = rows[pivot], rows[r]
        head = rows[r] = [x / rows[r][c] if x else x for x in rows[r]]
        for i, row in enumerate(rows):
            if i != r and row[c]:
                rows[i] = [x - row[c] * y if y else x for x, y in zip(row, head, strict=True)]
        pivots.append(c)
    return pivots, rows


def null_space(rows: list[Rational], columns: int) -> list[Rational]:
    """A basis of the vectors that a matrix maps to zero."""
    pivots, reduced = reduce(rows, columns)
    basis = []
    for c in sorted(set(range(columns)) - set(pivots)):
        vector = [Fraction(0)] * columns
        vector[c] = Fraction(1)
        for pivot, row in zip(pivots, reduced, strict=False):
            vector[pivot] = -row[c]
        basis.append(vector)
    return basis
