"""Linear complementarity problems in rational arithmetic, independent of the engine, and problems hard for doubles.

Every double is a rational number, so that M and q as given have a definite set of solutions.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

Point = tuple[Fraction, ...]


def integers(M: np.ndarray, q: np.ndarray) -> tuple[list[list[int]], list[int]]:
    """M and q times one power of two: the same z solves."""
    rows = [[float(x).as_integer_ratio() for x in (*row, side)] for row, side in zip(M, q, strict=True)]
    scale = max((d for row in rows for _, d in row), default=1)
    scaled = [[p * (scale // d) for p, d in row] for row in rows]
    return [row[:-1] for row in scaled], [row[-1] for row in scaled]


def null_vector(rows: list[list[int]]) -> list[Fraction] | None:
    """The x with rows @ x = 0 and last entry 1, if it is the only one."""
    width = len(rows[0]) if rows else 0
    rows = [row[:] for row in rows]
    for k in range(width - 1):
        pivot = next((row for row in rows[k:] if row[k]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        rows.insert(k, pivot)
        for i in range(k + 1, len(rows)):
            if factor := rows[i][k]:
                rows[i] = [a * pivot[k] - factor * b for a, b in zip(rows[i], pivot, strict=True)]
    if any(row[-1] for row in rows[width - 1 :]):
        return None
    x = [Fraction(1)] * width
    for k in reversed(range(width - 1)):
        x[k] = -sum((rows[k][j] * x[j] for j in range(k + 1, width)), Fraction(0)) / rows[k][k]
    return x


@dataclass
class Solutions:
    """Vertices and unbounded directions, each with the indices where z and where w is positive."""

    vertices: dict[tuple[int, int], Point]
    directions: dict[tuple[int, int], Point]
    n: int

    @property
    def status(self) -> str:
        for basis in range(2**self.n):
            inside = [
                sum(1 for z, w in part if not z & ~basis and not w & basis)
                for part in (self.vertices, self.directions)
            ]
            if inside[0] and sum(inside) > 1:
                return "continuum"
        return ("none", "unique")[len(self.vertices)] if len(self.vertices) < 2 else "several"


def solve(M: np.ndarray, q: np.ndarray) -> Solutions:
    """All solutions: z and w are determined by where they are positive, or lie on a face that has such vertices."""
    n = len(q)
    matrix, side = integers(M, q)
    out = Solutions({}, {}, n)
    for pattern in itertools.product("zw0", repeat=n):
        s = [i for i in range(n) if pattern[i] == "z"]
        t = [i for i in range(n) if pattern[i] == "w"]
        zero = [i for i in range(n) if pattern[i] != "w"]
        key = (sum(1 << i for i in s), sum(1 << i for i in t))
        for affine in (True, False):
            if affine:
                columns = [[*(matrix[i][j] for j in s), side[i]] for i in range(n)]
            elif s:
                columns = [[*(matrix[i][j] for j in s[:-1]), matrix[i][s[-1]]] for i in range(n)]
            else:
                continue
            x = (
                null_vector([columns[i] for i in zero])
                if zero
                else ([Fraction(1)] if len(columns[0]) == 1 else None)
            )
            if x is None or min(x) <= 0:
                continue
            if any(sum(a * b for a, b in zip(columns[i], x, strict=True)) <= 0 for i in t):
                continue
            value = dict(zip(s, x, strict=False))
            (out.vertices if affine else out.directions)[key] = tuple(
                value.get(i, Fraction(0)) for i in range(n)
            )
    return out


def lemke(M: np.ndarray, q: np.ndarray, cover: np.ndarray) -> Point | None:
    """z at the end of Lemke's path, None for a ray (Cottle, Pang, Stone 1992, 4.4 and 4.9): the lexicographic rule; z0
    leaves first among equal ratios.
    """
    n = len(q)
    rows = [
        [Fraction(float(q[i]))]
        + [Fraction(int(i == j)) for j in range(n)]
        + [-Fraction(float(M[i][j])) for j in range(n)]
        + [-Fraction(float(cover[i]))]
        for i in range(n)
    ]  # q, then the columns of w, z and z0 in w - M z - d z0 = q
    basis = list(range(1, n + 1))
    last = 2 * n + 1

    def enter(r: int, c: int) -> int:
        rows[r] = [a / rows[r][c] for a in rows[r]]
        for i in range(n):
            if i != r and rows[i][c]:
                rows[i] = [a - rows[i][c] * b for a, b in zip(rows[i], rows[r], strict=True)]
        left, basis[r] = basis[r], c
        return left

    left = enter(min(range(n), key=lambda i: [a / Fraction(float(cover[i])) for a in rows[i][: n + 1]]), last)
    while left != last:
        entering = left + n if left <= n else left - n
        falling = [i for i in range(n) if rows[i][entering] > 0]
        if not falling:
            return None
        least = min(rows[i][0] / rows[i][entering] for i in falling)
        tied = [i for i in falling if rows[i][0] / rows[i][entering] == least]
        artificial = [i for i in tied if basis[i] == last]
        r = (artificial or [min(tied, key=lambda i: [a / rows[i][entering] for a in rows[i][: n + 1]])])[0]
        left = enter(r, entering)
    value = {b: rows[i][0] for i, b in enumerate(basis)}
    return tuple(value.get(n + 1 + j, Fraction(0)) for j in range(n))


def hard_problem(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A problem that is degenerate, singular or badly scaled, often all of these."""
    kind = rng.integers(6)
    if kind == 0:  # digits times powers of ten of their own
        M = rng.integers(-3, 4, (n, n)) * 10.0 ** rng.integers(-8, 9, (n, n))
        q = rng.integers(-3, 4, n) * 10.0 ** rng.integers(-8, 9, n)
    elif kind == 1:
        M, q = rng.normal(size=(n, n)), rng.normal(size=n)
    else:
        M, q = rng.integers(-3, 4, (n, n)).astype(float), rng.integers(-3, 4, n).astype(float)
        if kind == 3:  # positive semidefinite
            M = M @ np.diag(rng.integers(0, 3, n)) @ M.T
        if kind == 4:  # near a singular matrix
            M[-1] = M[0]
            M[-1, rng.integers(n)] += 2.0 ** rng.integers(-48, -20)
    if n > 1 and rng.random() < 0.3:
        i, j = rng.choice(n, 2, replace=False)
        if rng.random() < 0.7:
            M[i], q[i] = M[j], q[j]
        if rng.random() < 0.7:
            M[:, i] = M[:, j]
    if rng.random() < 0.15:
        M[rng.integers(n)] = 0.0
    if rng.random() < 0.15:
        M[:, rng.integers(n)] = 0.0
    if kind > 1 and rng.random() < 0.4:  # with a known, degenerate solution
        z = rng.integers(0, 3, n) * (rng.random(n) < 0.5)
        q = np.where(z > 0, 0, rng.integers(0, 2, n)) - M @ z
    if rng.random() < 0.6:
        base = 2.0 if rng.random() < 0.5 else 10.0
        width = 27 if base == 2.0 else 8
        r, c = base ** rng.integers(-width, width + 1, (2, n))
        M, q = r[:, None] * M * c, r * q
    return M, q
