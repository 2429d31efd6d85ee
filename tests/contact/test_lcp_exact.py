"""Statuses of complementarity problems against rational arithmetic (exact_lcp.py): every double is a rational number."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from stickslip import lcp

from .exact_lcp import Point, hard_problem, lemke, solve

SIZES = [0.05, 0.2, 0.3, 0.25, 0.15, 0.05]  # shares of the orders 1 to 6


def error(found: np.ndarray, exact: Point) -> float:
    """Largest relative error of a component; a zero that is not found is an error of 1."""
    pairs = zip(found, exact, strict=True)
    return max((abs(float(x) / float(y) - 1.0) if y else float(x != 0.0) for x, y in pairs), default=0.0)


def judge(seed: int, count: int) -> None:
    rng = np.random.default_rng([seed, 35])
    seen = dict.fromkeys(("none", "unique", "several", "continuum", "trivial", "solved", "ray"), 0)
    for _ in range(count):
        M, q = hard_problem(rng, int(rng.choice(6, p=SIZES)) + 1)
        said = f"M = {M.tolist()}, q = {q.tolist()}"
        truth, every, path = solve(M, q), lcp.solve_all(M, q), lcp.lemke(M, q)
        points = list(truth.vertices.values())
        seen[every.status] += 1
        seen[path.status] += 1  # KeyError: doubtful or out of budget
        assert every.status == truth.status, said
        found = [v for s in every for v in ([s.z] if s.continuum is None else s.continuum.vertices)]
        assert all(min(error(z, point) for point in points) < 1e-9 for z in found), said
        assert all(min(error(z, point) for z in found) < 1e-9 for point in points), said
        assert (path.status == "trivial") == (q >= 0.0).all(), said
        if path.status == "solved":
            assert min((error(path.z, point) for point in points), default=1.0) < 1e-9, said
        if path.status == "ray":  # so does the path of the first covering vector
            assert lemke(M, q, np.ones(len(q))) is None, said
    assert min(seen.values()) > count // 20


@pytest.mark.parametrize("seed", range(3))
def test_statuses_agree_with_rational_arithmetic(seed: int) -> None:
    judge(seed, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_statuses_of_1e5_problems_agree_with_rational_arithmetic(seed: int) -> None:
    judge(seed, 1000)


def test_path_with_a_covering_vector_ends_as_in_rational_arithmetic() -> None:
    rng = np.random.default_rng(35)
    ends = {True: 0, False: 0}
    for _ in range(1000):
        n = int(rng.integers(1, 6))
        M, q = hard_problem(rng, n)
        if (q >= 0.0).all():
            continue
        cover = rng.uniform(0.1, 2.0, n)
        ours, exact = lcp.lemke(M, q, cover), lemke(M, q, cover)
        ends[ours.success] += 1
        if ours.status == "ray":
            assert exact is None
        else:
            assert ours.status == "solved"
            if (
                exact is None
            ):  # the path in double precision has left the exact one and found a solution all the same
                assert min(error(ours.z, point) for point in solve(M, q).vertices.values()) < 1e-9
    assert min(ends.values()) > 200


@pytest.mark.parametrize(
    ("M", "q", "solutions"),
    [
        ([[300.0, 30000.0], [-3000.0, 2e-8]], [-3e-7, -20000.0], "unique"),  # z = (0, 1e12)
        ([[0.0, 0.0], [-98304.0, 7.62939453125e-06]], [-5.7220458984375e-06, -4398046511104.0], "none"),
        ([[5.0, -5.0], [-5.0, 5.000000000000114]], [1.0, -3.0], "unique"),  # z = (1.7592e13, 1.7592e13)
        (
            [[0.0002, 2e7, 0.0], [-0.02, -0.003, 2.0], [-3e5, 2e-6, 3e5]],
            [0.0, -0.2, -3.0000000000000004e-08],
            "none",
        ),
        (
            [
                [-1e7, 0.0, 2e-5, -30.0],
                [-2e-5, 3e-7, 0.0, -3e4],
                [3e6, 0.0, -3e-4, -0.03],
                [-2e-8, -30.0, 1.0, 1e-8],
            ],
            [1e6, -0.002, -0.002, 2.0],
            "several",
        ),
    ],
)
def test_badly_scaled_problems_have_the_status_of_rational_arithmetic(M, q, solutions) -> None:
    matrix, side = np.array(M), np.array(q)
    every, path, truth = lcp.solve_all(matrix, side), lcp.lemke(matrix, side), solve(matrix, side)
    assert every.status == truth.status == solutions and not every.doubtful
    points = list(truth.vertices.values())
    assert len(every) == len(points)
    assert all(min(error(s.z, point) for point in points) < 1e-15 for s in every)
    exact = lemke(matrix, side, np.ones(len(q)))
    assert path.status == ("ray" if exact is None else "solved") or solutions == "several"
    if path.success:
        assert min(error(path.z, point) for point in points) < 1e-15


def test_extreme_doubles_are_solved() -> None:
    """Rows of one problem times 1e-300 and 1e300, where a product of two entries is no double."""
    M, q = np.array([[1e-300, 2e-300], [2e300, 1e300]]), np.array([-3e-300, -3e300])
    every = lcp.solve_all(M, q)
    points = list(solve(M, q).vertices.values())
    assert every.status == "several" and len(every) == len(points) == 3
    assert all(min(error(s.z, point) for point in points) < 1e-15 for s in every)
    assert min(error(lcp.lemke(M, q).z, point) for point in points) < 1e-15


@pytest.mark.parametrize("n", [12, 20])
def test_paths_of_order_20_are_certain(n: int) -> None:
    """Positive semidefinite integer matrices: Lemke's path finds a solution wherever one exists (Cottle, Pang, Stone 1992,
    4.4.13), and q = w - M z with z, w >= 0 is feasible."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        root = rng.integers(-2, 3, (n, n // 2)).astype(float)
        z, w = rng.integers(0, 2, (2, n)).astype(float)
        M = root @ root.T
        q = w * (z == 0) - M @ z
        r = lcp.lemke(M, q)
        assert r.success
        exact = [
            sum((Fraction(a) * Fraction(b) for a, b in zip(row, r.z, strict=True)), Fraction(side))
            for row, side in zip(M, q, strict=True)
        ]
        assert min(exact) > -1e-12 and max(v * Fraction(x) for v, x in zip(exact, r.z, strict=True)) < 1e-11


def test_isolated_solutions_of_order_14_are_listed_quickly() -> None:
    """M = -1, q = 1: every z of zeros and ones."""
    start = time.perf_counter()
    every = lcp.solve_all(-np.eye(14), np.ones(14))
    assert time.perf_counter() - start < 5.0
    assert every.status == "several" and {tuple(s.z) for s in every} == set(
        itertools.product((0.0, 1.0), repeat=14)
    )


def test_search_ended_by_its_budget_is_marked() -> None:
    M, q = -np.eye(12), np.ones(12)
    some = lcp.solve_all(M, q, max_bases=100)
    assert some.status == "budget" and some.doubtful and len(some) == 100
    assert all(set(s.z) <= {0.0, 1.0} for s in some)
    assert lcp.solve_all(M, q, max_bases=2**12).status == "several"
    batch = lcp.solve_all(M, [q, np.zeros(12) + 1e-3], max_bases=100)
    assert batch.doubtful.tolist() == [True, True]
    with pytest.raises(ValueError, match="max_bases = 0 is not allowed: it must be >= 1"):
        lcp.solve_all(M, q, max_bases=0)


SEARCH = """
import signal  # a job in the background inherits that Ctrl-C is ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, time
from stickslip import lcp
M, q = {problem}
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""
MANY = "-np.eye(20), np.ones(20)"
EXACT = "np.random.default_rng(1).integers(-9, 10, (20, 20)) * 1e-7, -np.ones(20)"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("problem", "call"),
    [
        (MANY, "lcp.solve_all(M, q, max_bases=2**40)"),
        (EXACT, "[lcp.lemke(M, q) for _ in range(10000)]"),
        (EXACT, "lcp.lemke(np.array([M] * 10000), np.array([q] * 10000))"),
        (MANY, "lcp.solve_all(M, [q] * 100, max_bases=10000)"),
    ],
)
def test_ctrl_c_is_answered_within_0_2_s(problem: str, call: str) -> None:
    code = SEARCH.format(problem=problem, call=call)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        asked = time.time()
        child.send_signal(signal.SIGINT)
        answered = child.stdout.readline()
        assert answered, "ended by itself"
        assert float(answered) - asked < 0.2
