"""Complementarity problems: published answers, enumeration, and quantecon's Lemke solver as an oracle."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stickslip import lcp


def every_basis(M, q):
    """All solutions by solving each of the 2**n bases with NumPy, regular bases only."""
    M, q = np.asarray(M, float), np.asarray(q, float)
    n, found = len(q), []
    for bits in itertools.product((0, 1), repeat=n):
        a = np.flatnonzero(bits)
        z = np.zeros(n)
        if a.size:
            if abs(np.linalg.det(M[np.ix_(a, a)])) < 1e-12:
                continue
            z[a] = np.linalg.solve(M[np.ix_(a, a)], -q[a])
        w = M @ z + q
        w[a] = 0
        if (z >= -1e-9).all() and (w >= -1e-9).all() and not any(np.allclose(z, f) for f in found):
            found.append(z)
    return found


@pytest.mark.parametrize(
    ("M", "q", "z"),
    [
        ([[2, 1], [1, 2]], [-5, -6], [4 / 3, 7 / 3]),
        ([[1, 2, 0], [0, 1, 2], [2, 0, 1]], [-1, -1, -1], [1 / 3] * 3),
        ([[1, -1], [-1, 1]], [1, -1], [0, 1]),
        ([[0, -1, 2], [2, 0, -2], [-1, 1, 0]], [-3, 6, -1], [0, 1, 3]),
        ([[-1, -2], [1, -1]], [2, -1], [4 / 3, 1 / 3]),
    ],
)
def test_lemke_solves_published_problems(M, q, z):
    """Textbook problems (Cottle, Pang, Stone; Murty; Hinrichsen 2007, appendix B)."""
    r = lcp.lemke(M, q)
    assert r.status == "solved" and r.success
    np.testing.assert_allclose(r.z, z, rtol=0, atol=2e-15)
    np.testing.assert_allclose(r.w, np.asarray(M) @ r.z + q, rtol=0, atol=2e-15)
    assert r.residual < 1e-15 and r.basis == tuple(np.flatnonzero(r.z))


def test_appendix_b_has_a_second_solution_and_its_cones_hold_none_two_or_four():
    """Hinrichsen 2007, appendix B: the source shows (4/3, 1/3) only."""
    M = np.array([[-1.0, -2.0], [1.0, -1.0]])
    found = sorted(s.z.tolist() for s in lcp.solve_all(M, [2, -1]))
    np.testing.assert_allclose(found, [[4 / 3, 1 / 3], [2, 0]], rtol=0, atol=1e-15)
    # Every open region of the picture: the cones of the four bases meet the unit circle in known directions.
    angle = np.linspace(0, 2 * np.pi, 3601)[:-1] + 1e-4
    q = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    counts = lcp.solve_all(M, q).counts
    assert set(counts) == {0, 2, 4}
    assert [len(every_basis(M, v)) for v in q[::50]] == counts[::50].tolist()


def test_ray_of_solutions_is_reported_as_a_continuum():
    e = lcp.solve_all([[1, -1], [-1, 1]], [1, -1])
    assert e.status == "continuum" and len(e) == 1
    c = e[0].continuum
    np.testing.assert_array_equal(c.vertices, [[0, 1]])
    np.testing.assert_array_equal(c.directions, [[1, 1]])
    assert not c.bounded and (0, 1) in e.singular_bases and set(e[0].bases) == {(0, 1), (1,)}


def test_segment_of_solutions_lists_both_ends():
    """w1 = z1 + z2 - 1: everything on z1 + z2 = 1 solves it."""
    e = lcp.solve_all([[1, 1], [1, 1]], [-1, -1])
    assert len(e) == 1 and e[0].continuum.bounded
    assert sorted(e[0].continuum.vertices.tolist()) == [[0, 1], [1, 0]]
    assert set(e[0].bases) == {(0,), (1,), (0, 1)}


def test_polygon_of_solutions_lists_its_corners():
    """The same with three unknowns: a triangle with three corners."""
    e = lcp.solve_all(np.ones((3, 3)), [-1, -1, -1])
    assert len(e) == 1 and sorted(e[0].continuum.vertices.tolist()) == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_point_and_continuum_of_solutions_are_both_listed():
    """Block diagonal: a ray in the first pair, two points in the second."""
    M = np.zeros((4, 4))
    M[:2, :2], M[2:, 2:] = [[1, -1], [-1, 1]], [[-1, -2], [1, -1]]
    e = lcp.solve_all(M, [1, -1, 2, -1])
    assert len(e) == 2 and all(s.continuum is not None for s in e)
    ends = sorted(s.continuum.point.tolist() for s in e)
    np.testing.assert_allclose(ends, [[0, 1, 4 / 3, 1 / 3], [0, 1, 2, 0]], atol=1e-15)


def test_problem_without_solution_has_status_none():
    M, q = [[-1, 0, -3], [1, -2, -5], [-2, -1, -2]], [-3, -2, -1]
    e = lcp.solve_all(M, q)
    assert e.status == "none" and len(e) == 0 and not e.doubtful
    r = lcp.lemke(M, q)
    assert r.status == "ray" and not r.success and r.attempts > 1 and np.isnan(r.z).all()


def test_degenerate_problems_do_not_cycle():
    """Ties everywhere: integers in which most ratios coincide; a solution is certain, so Lemke must
    arrive."""
    rng = np.random.default_rng(1)
    n, k = 6, 4000
    M = rng.integers(0, 2, (k, n, n)).astype(float) + 2 * np.eye(n)
    q = -rng.integers(0, 2, (k, n)).astype(float)
    b = lcp.lemke(M, q)
    assert b.success.all() and b.pivots.max() < 60 and b.residual.max() < 1e-14


FAMILIES = {
    "gauss": lambda rng, k, n: rng.normal(size=(k, n, n)),
    "positive definite": lambda rng, k, n: _gram(rng.normal(size=(k, n, n))) + 0.05 * np.eye(n),
    "p-matrix": lambda rng, k, n: _gram(rng.normal(size=(k, n, n))) + 0.1 * np.eye(n) + _skew(rng, k, n),
    "triangular p-matrix": lambda rng, k, n: np.linalg.inv(
        np.triu(rng.normal(size=(k, n, n)), 1) + np.eye(n)
    ),
    "copositive": lambda rng, k, n: rng.uniform(size=(k, n, n)),
    # products and sums of few digits are exact, so that the matrices are semidefinite as doubles
    "semidefinite": lambda rng, k, n: _gram(rng.integers(-64, 65, (k, n, max(1, n // 2))) / 64.0),
    "integers": lambda rng, k, n: rng.integers(-2, 3, (k, n, n)).astype(float),
    "skew": lambda rng, k, n: _skew(rng, k, n),
}


def _skew(rng, k, n):
    a = rng.normal(size=(k, n, n))
    return a - a.transpose(0, 2, 1)


def _gram(a):
    return a @ a.transpose(0, 2, 1)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_solution_of_lemke_is_enumerated(family):
    """10^5 problems in all, n <= 8: 12 800 of each family."""
    rng = np.random.default_rng(7)
    total = solved = 0
    for n in range(1, 9):
        k = 1600
        M, q = FAMILIES[family](rng, k, n), rng.normal(size=(k, n))
        if family == "integers":
            q = rng.integers(-3, 4, (k, n)).astype(float)
        if family == "semidefinite":  # half of them feasible by construction
            q[: k // 2] = rng.uniform(size=(k // 2, n)) - np.einsum(
                "kij,kj->ki", M[: k // 2], rng.uniform(size=(k // 2, n))
            )
        b, a = lcp.lemke(M, q), lcp.solve_all(M, q)
        total, solved = total + k, solved + int(b.success.sum())
        assert not (b.status == "budget").any() and not (b.status == "doubtful").any()
        assert b.residual[b.success].max() < 1e-10
        assert (a.counts[b.success] > 0).all(), "Lemke solved what the enumeration calls unsolvable"
        for i in np.flatnonzero(b.success):
            distance = np.abs(a[i] - b.z[i]).max(axis=1).min() / (1 + np.abs(b.z[i]).max())
            if distance > 1e-8:  # then it must lie in a continuum
                assert a.continuum[a.offsets[i] : a.offsets[i + 1]].any()
                found = lcp.solve_all(M[i], q[i])
                assert any(_in_hull(b.z[i], s.continuum) for s in found if s.continuum is not None)
        if "p-matrix" in family or family in ("positive definite", "copositive"):
            assert b.success.all()
        if family == "semidefinite":  # processable: solved exactly where a solution exists
            np.testing.assert_array_equal(b.success, a.counts > 0)
        if "p-matrix" in family or family == "positive definite":
            assert (a.counts == 1).all()
    assert total == 8 * 1600 and solved > total // 8


def _in_hull(z, c):
    from scipy.optimize import nnls

    rows = np.vstack([c.vertices, c.directions])
    one = np.r_[np.ones(len(c.vertices)), np.zeros(len(c.directions))]
    return nnls(np.vstack([rows.T, one]), np.r_[z, 1.0])[1] < 1e-7 * (1 + np.abs(z).max())


def test_p_matrices_have_exactly_one_solution_and_lemke_finds_it():
    """Samelson, Thrall, Wesler 1958; P-matrices picked by all principal minors in NumPy."""
    rng = np.random.default_rng(3)
    seen = {True: 0, False: 0}
    for n in (2, 3, 4):
        for M in rng.normal(size=(600, n, n)) + 0.8 * np.eye(n):
            minors = [
                np.linalg.det(M[np.ix_(a, a)])
                for r in range(1, n + 1)
                for a in itertools.combinations(range(n), r)
            ]
            is_p = min(minors) > 0
            seen[is_p] += 1
            assert lcp.classify(M).p_matrix == is_p and lcp.classify(M).unique == is_p
            if is_p:
                q = rng.normal(size=(8, n))
                assert (lcp.solve_all(M, q).counts == 1).all() and lcp.lemke(M, q).success.all()
    assert min(seen.values()) > 200


def test_enumeration_agrees_with_all_bases_by_numpy():
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 4, 5):
        for _ in range(60):
            M, q = rng.normal(size=(n, n)), rng.normal(size=n)
            ours, plain = [s.z for s in lcp.solve_all(M, q)], every_basis(M, q)
            assert len(ours) == len(plain)
            for z in ours:
                assert min(np.abs(z - p).max() for p in plain) < 1e-9 * (1 + np.abs(z).max())


def test_enumeration_visits_far_fewer_than_all_bases():
    rng = np.random.default_rng(11)
    a = rng.normal(size=(14, 14))
    e = lcp.solve_all(a @ a.T + np.eye(14), rng.normal(size=14))
    assert len(e) == 1 and e.leaves < 2**14 / 100


def test_lemke_agrees_with_quantecon():
    """quantecon.optimize.lcp_lemke on P-matrices, which have one answer only, and its successes elsewhere."""
    from quantecon.optimize import lcp_lemke

    rng = np.random.default_rng(13)
    theirs = ours = 0
    for n in (3, 6, 12, 30):
        for _ in range(25):
            a = rng.normal(size=(n, n))
            M, q = a @ a.T + 0.1 * np.eye(n) + (a - a.T), rng.normal(size=n)
            np.testing.assert_allclose(lcp.lemke(M, q).z, lcp_lemke(M, q).z, rtol=1e-9, atol=1e-10)
            free = rng.normal(size=(n, n)) + 0.5 * np.eye(n)
            theirs, ours = theirs + bool(lcp_lemke(free, q).success), ours + lcp.lemke(free, q).success
    assert ours >= theirs > 0


def test_covering_vector_selects_the_solution():
    """Appendix B again: every path ends in the source's solution or in a ray, none in (2, 0)."""
    M, q = [[-1, -2], [1, -1]], [2, -1]
    runs = [lcp.lemke(M, q, covering=[c, 1]) for c in (0.1, 0.5, 1, 2, 10)]
    assert [r.status for r in runs] == ["solved", "solved", "solved", "ray", "ray"]
    assert all(r.attempts == 1 for r in runs)
    for r in runs[:3]:
        np.testing.assert_allclose(r.z, [4 / 3, 1 / 3], atol=1e-15)


def test_warm_start_needs_no_pivots_along_the_path():
    rng = np.random.default_rng(17)
    a = rng.normal(size=(30, 30))
    M, q = a @ a.T + np.eye(30), rng.normal(size=30)
    cold = lcp.lemke(M, q)
    warm = lcp.lemke(M, q * 1.001, start=cold.basis)
    assert cold.pivots > 10 and warm.pivots == 0 and warm.basis == cold.basis
    near = lcp.lemke(M, q + 0.05 * rng.normal(size=30), start=cold.basis)
    assert near.success and near.pivots < cold.pivots
    wrong = lcp.lemke(
        [[0, -1, 2], [2, 0, -2], [-1, 1, 0]], [-3, 6, -1], start=[0]
    )  # singular basis: a cold start
    np.testing.assert_allclose(wrong.z, [0, 1, 3], atol=1e-15)


def test_badly_scaled_problems_are_equilibrated_and_verified():
    """Rows and columns over 18 decades; the answer is that of the problem before scaling."""
    rng = np.random.default_rng(19)
    for n in (3, 6, 12):
        for _ in range(40):
            a = rng.normal(size=(n, n))
            M, q = a @ a.T + np.eye(n), rng.normal(size=n)
            r, c = 10.0 ** rng.uniform(-4.5, 4.5, n), 10.0 ** rng.uniform(-4.5, 4.5, n)
            plain, scaled = lcp.lemke(M, q), lcp.lemke(r[:, None] * M * c, r * q)
            assert scaled.success and scaled.residual < 1e-12
            np.testing.assert_allclose(scaled.z * c, plain.z, rtol=1e-9, atol=1e-12)
            if n == 6:
                (only,) = lcp.solve_all(r[:, None] * M * c, r * q)
                np.testing.assert_allclose(only.z * c, plain.z, rtol=1e-9, atol=1e-12)
    wide = lcp.lemke([[1e9, 1.0], [1.0, 1e-9 * 3]], [-1e9, -2.0])
    assert wide.success and wide.residual < 1e-12


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.tuples(_entries((n, n)), _entries((n,)))))
def test_every_returned_solution_is_valid(problem):
    """Small integers make singular and degenerate cases common."""
    M, q = problem
    r = lcp.lemke(M, q)
    every = lcp.solve_all(M, q)
    if r.success:
        assert lcp.residual(M, q, r.z) < 1e-9 and len(every) > 0
    for s in every:
        assert lcp.residual(M, q, s.z) < 1e-9
        if s.continuum is not None:
            z = s.continuum.vertices.mean(axis=0) + 0.7 * s.continuum.directions.sum(axis=0)
            assert lcp.residual(M, q, z) < 1e-9
    for z in every_basis(M, q):
        assert len(every) and any(
            np.allclose(s.z, z, atol=1e-7) or (s.continuum is not None and _in_hull(z, s.continuum))
            for s in every
        )


def _entries(shape):
    return arrays(float, shape, elements=st.integers(-3, 3).map(float))


def test_residual_is_invariant_to_scaling_and_includes_each_condition():
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    assert lcp.residual(M, q, [4 / 3, 7 / 3]) < 1e-15
    assert lcp.residual(M, q, [0, 0]) == 1.0  # w < 0
    assert lcp.residual(M, q, [4, 4]) > 0.1  # complementarity
    assert lcp.residual(-M, -q, [-4 / 3, -7 / 3]) > 0.1  # z < 0 only: w = 10, 12 stays positive
    z = np.array([1.0, 2.0])
    r, c = np.array([1e6, 1e-3]), np.array([1e-5, 1e2])
    assert lcp.residual(r[:, None] * M * c, r * q, z / c) == pytest.approx(lcp.residual(M, q, z), rel=1e-12)


def test_known_matrices_have_their_classes():
    """Among them the Horn matrix (Hall, Newman 1963), copositive but no sum of the simple kinds."""
    assert lcp.classify(np.eye(3)).name == "positive definite"
    assert lcp.classify([[1, 3], [0, 1]]).name == "P-matrix"
    assert lcp.classify([[1, 1], [1, 1]]).name == "positive semidefinite"
    assert lcp.classify([[1, 2], [2, 1]]).name == "strictly copositive"
    assert lcp.classify([[0, 1], [1, 0]]).name == "copositive"
    assert lcp.classify([[-1, 0], [0, 1]]).name == "none" and lcp.classify([[1, -2], [-2, 1]]).name == "none"
    i = np.arange(5)
    horn = np.where(np.isin((i[:, None] - i) % 5, (1, 4)), -1.0, 1.0)
    c = lcp.classify(horn)
    assert c.copositive and not c.strictly_copositive and not c.positive_semidefinite
    assert not lcp.classify(horn - 0.01 * np.eye(5)).copositive
    assert lcp.classify(horn + 0.01 * np.eye(5)).strictly_copositive
    assert lcp.classify(1e-9 * np.diag([1.0, 1e9])).positive_definite


def test_copositivity_agrees_with_a_dense_sample_of_the_simplex():
    rng = np.random.default_rng(23)
    points = rng.dirichlet(np.ones(3) * 0.5, 20_000)
    counts = {True: 0, False: 0}
    for M in rng.normal(size=(200, 3, 3)) + np.diag([1.0, 1.0, 1.0]):
        low = np.einsum("ki,ij,kj->k", points, M, points).min()
        c = lcp.classify(M)
        if abs(low) > 5e-3:
            assert c.copositive == (low > 0)
            counts[low > 0] += 1
    assert min(counts.values()) > 30


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: lcp.lemke(np.ones((2, 3)), [1, 2]), r"M has shape \(2, 3\): it must be square"),
        (lambda: lcp.lemke(np.eye(2), [1, 2, 3]), "q has length 3: it must be 2"),
        (lambda: lcp.lemke([[1, np.nan], [0, 1]], [1, 2]), "M has the entry nan in row 0, column 1"),
        (lambda: lcp.solve_all(np.eye(2), [1, np.inf]), "q has the entry inf in row 1"),
        (lambda: lcp.solve_all(np.eye(21), -np.ones(21)), "order 21.* up to order 20"),
        (lambda: lcp.lemke(np.eye(2), [-1, -1], covering=[1, 0]), "covering .*> 0"),
        (lambda: lcp.lemke(np.eye(2), [-1, -1], covering=[1]), "covering must have the length of q"),
        (lambda: lcp.lemke(np.eye(2), [-1, -1], start=[5]), "start .*0 .. 1"),
        (lambda: lcp.lemke("text", [1]), "M = 'text' is not allowed: it must be .*array of real numbers"),
        (lambda: lcp.lemke(np.ones((3, 2, 2)), [1, 2]), "a batch needs shape"),
        (
            lambda: lcp.lemke(np.eye(2), [[1, 2]], start=[0]),
            "start .*omitted for a batch of problems",
        ),
        (lambda: lcp.lemke(np.ones((3, 2, 2)), np.ones((2, 2))), "M holds 3 matrices for 2 q"),
        (lambda: lcp.residual(np.eye(2), [1, 2], [1, np.nan]), r"z\[1\] = nan .*finite"),
        (lambda: lcp.classify(np.ones((2, 3))), "must be square"),
    ],
)
def test_bad_input_is_named(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_orders_zero_and_one_are_solved():
    assert lcp.lemke(np.zeros((0, 0)), []).status == "trivial"
    assert lcp.lemke([[2.0]], [-1.0]).z.tolist() == [0.5]
    assert len(lcp.solve_all([[0.0]], [-1.0])) == 0
    ray = lcp.solve_all([[0.0]], [0.0])
    assert ray.status == "continuum" and ray[0].continuum.directions.tolist() == [[1.0]]
