"""Complementarity problems whose rows and columns have very different sizes, against closed forms and enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from stickslip import lcp


def exact(M: np.ndarray, q: np.ndarray) -> list[np.ndarray]:
    """All solutions of a small, well scaled problem by its bases."""
    n, found = q.size, []
    for basis in itertools.product([False, True], repeat=n):
        a = np.flatnonzero(basis)
        z = np.zeros(n)
        if a.size:
            z[a] = np.linalg.solve(M[np.ix_(a, a)], -q[a])
        if z.min() > -1e-12 and (M @ z + q).min() > -1e-12:
            found.append(z)
    return found


@pytest.mark.parametrize(
    ("sizes", "side"),
    [
        ((1e-300, 1.0, 1e300), -1.0),
        ((1e300, 1e-300, 1.0), -1e-3),
        ((1e-160, 1e160), -1e100),
        ((1.0, 1e-10, 1e10), -1e-200),
        ((1e-320,) * 3, -1e-320),
        ((1e300,) * 3, -1e300),
    ],
)
def test_diagonal_problem_matches_closed_form(sizes: tuple[float, ...], side: float) -> None:
    """z = -q/m, w = 0 in each row of its own."""
    M, q = np.diag(sizes), np.full(len(sizes), side)
    z = -q / np.array(sizes)
    one = lcp.lemke(M, q)
    assert str(one.status) == "solved" and one.residual < 1e-14
    assert one.z == pytest.approx(z, rel=1e-13, abs=0.0)
    every = lcp.solve_all(M, q)
    assert [s.z for s in every.solutions] == [pytest.approx(z, rel=1e-13, abs=0.0)]


@pytest.mark.parametrize("seed", range(40))
def test_scaled_rows_and_columns_have_the_same_solutions(seed: int) -> None:
    """Powers of two in w and z, block by block: the same answers, of which only the units differ."""
    rng = np.random.default_rng([seed, 3])
    blocks = [rng.normal(size=(k, k)) for k in rng.integers(1, 4, size=int(rng.integers(1, 3)))]
    n = sum(len(b) for b in blocks)
    M, at = np.zeros((n, n)), 0
    rows, columns = np.ones(n), np.ones(n)
    for b in blocks:
        k = len(b)
        M[at : at + k, at : at + k] = b @ b.T + 0.1 * np.eye(k) if rng.random() < 0.5 else b
        rows[at : at + k], columns[at : at + k] = 2.0 ** rng.integers(-200, 200, size=2)
        at += k
    q = rng.normal(size=n)
    scaled = rows[:, None] * M * columns
    truth = exact(M, q)
    mine = [s.z * columns for s in lcp.solve_all(scaled, rows * q).solutions]
    assert len(mine) == len(lcp.solve_all(M, q).solutions) == len(truth)
    for z in truth:
        assert any(np.allclose(z, found, rtol=1e-9, atol=1e-9) for found in mine)
    one = lcp.lemke(scaled, rows * q)
    if str(one.status) == "solved":
        assert any(np.allclose(one.z * columns, z, rtol=1e-9, atol=1e-9) for z in truth)
    if np.linalg.eigvalsh(M + M.T).min() > 0.0:
        assert str(one.status) in ("solved", "trivial")
