"""The tableaux of Lemke's path against those of the source: L. Hinrichsen, 2007, appendix B, 4.3.2, C and 6.1 to 6.2.

Rows and columns as printed: accelerations times m1 against λ_N, λ_H⁺, λ_H⁻, m1 z⁻, m1 z⁺. The text that is at hand has
lost some fractions (a denominator set as a numerator); these entries are as elimination by hand gives them.
"""

import numpy as np
import pytest

from stickslip import lcp

DEG = np.pi / 180


class Wedge:
    """Masses, angle and friction of the wedge gear, with the abbreviations (4.23)."""

    def __init__(
        self, m1=2420.0, m2=10.878, angle=12 * DEG, mu=np.tan(14 * DEG), load=100.0, stiffness=4000.0
    ):
        s, c = np.sin(angle), np.cos(angle)
        self.m1, self.m2, self.s, self.c, self.mu, self.F, self.k = m1, m2, s, c, mu, load, stiffness
        self.a, self.b, self.d = m1 * s * s + m2 * c * c, s * c * (m1 - m2), m1 * c * c + m2 * s * s
        a, b, d = self.a, self.b, self.d
        self.M1, self.M2, self.M3, self.M4 = a + b, d + b, a - b, d - b
        self.M5, self.M6, self.M7 = mu * d - b, mu * b - a, mu * d + b

    def matrix(self):
        a, b, d = self.a / self.m2, self.b / self.m2, self.d / self.m2
        friction = [[self.mu, -1, 0, 0, 0], [self.mu, 0, -1, 0, 0]]
        return np.array([[a, -b, b, 0, 0], [-b, d, -d, 1, 0], [b, -d, d, 0, 1], *friction])

    def stick(self, w):
        """(4.21), with w the extension of the spring."""
        tangential = self.F * self.m2 * self.s + self.k * w * self.m1 * self.c
        normal = -self.F * self.m2 * self.c + self.k * w * self.m1 * self.s
        return np.array([normal, -tangential, tangential, 0.0, 0.0]) / self.m2

    def compression(self, alpha, v=1.0):
        """(6.5)"""
        return v * self.m1 * np.array([-np.cos(alpha), -np.sin(alpha), np.sin(alpha), 0.0, 0.0])

    def expansion(self, alpha, restitution, v=1.0):
        """(6.13), with the impulses of a compression that ends in stick (6.9)."""
        normal = v * (self.d * np.cos(alpha) + self.b * np.sin(alpha))
        tangential = v * (self.b * np.cos(alpha) + self.a * np.sin(alpha))
        given = restitution * np.array([normal, tangential])
        ng, tg = (np.array([[self.a, -self.b], [-self.b, self.d]]) / self.m2) @ given
        return np.array([ng, tg, -tg, self.mu * given[0] - given[1], self.mu * given[0] + given[1]])


def path(matrix, q):
    result = lcp.lemke(matrix, q, covering=np.ones(len(q)), trace=True)
    assert result.status == "solved"
    return result


def case(result):
    """The rows of the pivots, by which the source numbers its cases."""
    return ".".join(str(t.row + 1) for t in result.tableaux if t.row is not None)


def whole(tableau):
    return np.column_stack([tableau.entries, tableau.rhs])


def close(tableau, printed):
    expected = np.array(printed, dtype=float)
    np.testing.assert_allclose(whole(tableau), expected, atol=2e-13 * np.abs(expected).max(), rtol=2e-13)


def test_tableaux_of_appendix_b_are_those_printed():
    result = path(np.array([[-1.0, -2.0], [1.0, -1.0]]), np.array([2.0, -1.0]))
    first, second, third, last = result.tableaux
    close(first, [[1, 0, 1, 2, -1, 2], [0, 1, -1, 1, -1, -1]])
    close(second, [[1, -1, 2, 1, 0, 3], [0, -1, 1, -1, 1, 1]])
    close(third, [[1, -1, 2, 1, 0, 3], [1, -2, 3, 0, 1, 4]])
    np.testing.assert_allclose(3 * whole(last), [[1, 1, 0, 3, -2, 1], [1, -2, 3, 0, 1, 4]], atol=1e-15)
    pivots = [(t.entering, t.leaving, t.stage) for t in result.tableaux]
    assert pivots == [("z0", "w2", 1), ("z2", "w1", 2), ("z1", "z0", 3), (None, None, 4)]
    assert [t.basis for t in result.tableaux] == [("w1", "w2"), ("w1", "z0"), ("z2", "z0"), ("z2", "z1")]
    assert str(third).splitlines() == [
        "   | w1  w2  | z1* z2  | z0  | q",
        "z2 |  1  -1  |  2  (1) |  0  | 3",
        "z0 |  1  -2  |  3*  0  | (1) | 4",
    ]
    np.testing.assert_allclose(result.z, [4 / 3, 1 / 3], rtol=1e-15)  # (B.5)


def test_tableaux_of_case_1_2_1_are_those_printed():
    """4.3.2: the start (4.22), cases 1, 1.2 and 1.2.1, in which the wedges go on sticking."""
    g, w = Wedge(), -1e-5
    a, b, d, m1, m2, mu = g.a, g.b, g.d, g.m1, g.m2, g.mu
    result = path(g.matrix(), g.stick(w))
    assert case(result) == "1.2.1"
    start, second, third, last = result.tableaux
    q = g.stick(w)
    close(start, np.column_stack([np.eye(5), -g.matrix(), -np.ones(5), q]))
    M1, M2, M3, M4, M5, M6 = (getattr(g, f"M{i}") for i in range(1, 7))
    normal, slope = g.F * m2 * g.c - g.k * w * m1 * g.s, g.F * m2 * g.s + g.k * w * m1 * g.c
    close(
        second,
        [
            [-1, 0, 0, 0, 0, a / m2, -b / m2, b / m2, 0, 0, 1, normal / m2],
            [-1, 1, 0, 0, 0, M1 / m2, -M2 / m2, M2 / m2, -1, 0, 0, (normal - slope) / m2],
            [-1, 0, 1, 0, 0, M3 / m2, M4 / m2, -M4 / m2, 0, -1, 0, (normal + slope) / m2],
            [-1, 0, 0, 1, 0, a / m2 - mu, 1 - b / m2, b / m2, 0, 0, 0, normal / m2],
            [-1, 0, 0, 0, 1, a / m2 - mu, -b / m2, 1 + b / m2, 0, 0, 0, normal / m2],
        ],
    )
    pull = g.F * g.s + g.k * w * g.c
    cross = g.F * m2 * (g.c - g.s) - g.k * w * m1 * (g.c + g.s)
    close(
        third,
        np.array(
            [
                [-b, -a, 0, 0, 0, 0, m1, -m1, a, 0, M1, m1 * pull],
                [-m2, m2, 0, 0, 0, M1, -M2, M2, -m2, 0, 0, cross],
                [-2 * b, -M3, M1, 0, 0, 0, 2 * m1, -2 * m1, M3, -M1, 0, 2 * m1 * pull],
                [
                    -mu * m2 - b,
                    mu * m2 - a,
                    0,
                    M1,
                    0,
                    0,
                    M1 + m1 - mu * M2,
                    mu * M2 - m1,
                    a - mu * m2,
                    0,
                    0,
                    0,
                ],
                [
                    -mu * m2 - b,
                    mu * m2 - a,
                    0,
                    0,
                    M1,
                    0,
                    m1 - mu * M2,
                    M1 - m1 + mu * M2,
                    a - mu * m2,
                    0,
                    0,
                    0,
                ],
            ]
        )
        / M1
        + np.outer([0, 0, 0, 1, 1], np.eye(12)[11]) * (mu * cross + m1 * pull) / M1,
    )
    held, normal_force = pull, g.F * g.c - g.k * w * g.s
    close(
        last,
        np.array(
            [
                [-b, -a, 0, 0, 0, 0, m1, -m1, a, 0, M1, m1 * held],
                [-d, -b, 0, 0, 0, m1, 0, 0, b, 0, M2, m1 * normal_force],
                [0, m1, m1, 0, 0, 0, 0, 0, -m1, -m1, -2 * m1, 0],
                [-M5, -M6, 0, m1, 0, 0, 0, m1, M6, 0, mu * M2 - m1 - M1, m1 * (mu * normal_force - held)],
                [-mu * d, -mu * b, 0, 0, m1, 0, 0, m1, mu * b, 0, mu * M2 - m1, m1 * mu * normal_force],
            ]
        )
        / m1,
    )


@pytest.mark.parametrize(
    ("m1", "m2", "rho"), [(2420.0, 10.878, 14.0), (2420.0, 200.0, 40.0), (2420.0, 500.0, 60.0)]
)
def test_cases_of_stick_hold_in_their_printed_intervals(m1, m2, rho):
    """4.3.2 and C.1: which rows are chosen, over the extension of the spring, where the gear chatters (4.2)."""
    g = Wedge(m1=m1, m2=m2, mu=np.tan(rho * DEG))
    s, c, r, unit = g.s, g.c, m2 / m1, g.F / g.k
    first, low = unit * r * (c - s) / (c + s), -unit * r * (c + s) / (c - s)
    level, flat = unit * np.tan((rho - 12) * DEG), -unit * s / c  # no tangential force at `flat`
    fourth = unit * (m1 * c + m2 * c - m2 * s) / (m1 * (2 * s + c))  # misprinted in the source
    assert g.mu > g.a / g.b
    slides = g.mu < (m1 + g.M1) / g.M2
    found = {}
    for w in np.linspace(1.5 * low, 1.5 * max(fourth, level), 1201):
        found.setdefault(case(path(g.matrix(), g.stick(w))), []).append(w)

    def holds(name, lowest, highest):
        at = np.array(found.get(name, []))
        grid = 1.5 * (max(fourth, level) - low) / 1200
        assert (lowest >= highest) == (at.size == 0)
        if at.size:
            assert lowest - 1e-9 * grid <= at.min() <= lowest + grid + 1e-9 * grid
            assert highest - grid - 1e-9 * grid <= at.max() <= highest + 1e-9 * grid

    holds("1.2.1", max(low, flat), first)
    holds("1.3.1", low, flat)
    holds("2.1.2", first, min(level, fourth) if slides else fourth)
    holds("2.1.4.4.2", level if slides else fourth, fourth)
    parts = unit * r * c / s  # the load is overcome, which the source takes to come before `fourth`
    holds("2.4.2", max(fourth, parts), 1.5 * max(fourth, level))
    assert all(name.startswith("3") for name, at in found.items() if max(at) < low)


def test_tableaux_of_compression_end_in_stick():
    """6.1.2: case 1.2.1 for -45° < α < 45°, its last tableau and the impulses (6.7)."""
    g = Wedge()
    a, b, d, m1, mu = g.a, g.b, g.d, g.m1, g.mu
    for alpha in np.linspace(-10, 44, 28) * DEG:
        result = path(g.matrix(), g.compression(alpha))
        assert case(result) == "1.2.1"
        normal = d * np.cos(alpha) + b * np.sin(alpha)
        tangential = b * np.cos(alpha) + a * np.sin(alpha)
        close(
            result.tableaux[-1],
            [
                [-b / m1, -a / m1, 0, 0, 0, 0, 1, -1, a / m1, 0, g.M1 / m1, tangential],
                [-d / m1, -b / m1, 0, 0, 0, 1, 0, 0, b / m1, 0, g.M2 / m1, normal],
                [0, 1, 1, 0, 0, 0, 0, 0, -1, -1, -2, 0],
                [-g.M5 / m1, -g.M6 / m1, 0, 1, 0, 0, 0, 1, g.M6 / m1, 0, (mu * g.M2 - m1 - g.M1) / m1]
                + [mu * normal - tangential],
                [
                    -mu * d / m1,
                    -mu * b / m1,
                    0,
                    0,
                    1,
                    0,
                    0,
                    1,
                    mu * b / m1,
                    0,
                    (mu * g.M2 - m1) / m1,
                    mu * normal,
                ],
            ],
        )


def test_tableaux_of_expansion_end_in_separation():
    """6.2.2: case 1.3 (row 3 first) and the state (6.17) with which the wedges part."""
    g, restitution = Wedge(), 0.4
    for alpha in np.linspace(1, 89, 23) * DEG:
        q = g.expansion(alpha, restitution)
        result = path(g.matrix(), q)
        assert case(result) == "3.3"
        parts = restitution * (g.d * np.cos(alpha) + g.b * np.sin(alpha)) / g.d
        last = dict(zip(result.tableaux[-1].basis, result.tableaux[-1].rhs, strict=True))
        assert last["w1"] == pytest.approx(g.m1 * parts, rel=1e-12)
        assert last["z3"] == pytest.approx(restitution * g.m1 * g.m2 * np.sin(alpha) / g.d, rel=1e-12)
        assert last["w5"] == pytest.approx(parts * g.M7, rel=1e-12)


def test_tableaux_take_the_names_of_the_user():
    result = path(np.array([[-1.0, -2.0], [1.0, -1.0]]), np.array([2.0, -1.0]))
    named = result.tableaux[1].renamed(["g_N", "g_T"], ["λ_N", "λ_T"])
    assert named.columns == ("g_N", "g_T", "λ_N", "λ_T", "z0")
    assert (named.basis, named.entering, named.leaving) == (("g_N", "z0"), "λ_T", "g_N")
    with pytest.raises(ValueError, match="z has 1 names, but the problem has 2 rows"):
        result.tableaux[1].renamed(["a", "b"], ["c"])


def test_ray_has_no_leaving_variable():
    """w = -z - 1 has no answer: z0 covers, then nothing blocks z; all covering vectors are shown."""
    result = lcp.lemke([[-1.0]], [-1.0], trace=True)
    assert result.status == "ray" and {t.attempt for t in result.tableaux} == set(range(result.attempts))
    last = result.tableaux[1]
    assert (last.entering, last.leaving, last.row) == ("z1", None, None)
    assert (last.entries[:, 1] <= 0).all() and "z1*" in str(last)


def test_trivial_solution_has_no_tableaux():
    assert lcp.lemke([[1.0]], [1.0], trace=True).tableaux == ()
    assert lcp.lemke([[1.0]], [-1.0]).tableaux == ()
    with pytest.raises(ValueError, match="trace=True and start exclude each other"):
        lcp.lemke([[1.0]], [-1.0], start=[0], trace=True)
    answer = lcp.lemke([[1.0]], [-1.0], start=[])
    assert answer.z == pytest.approx([1.0])


def test_tableaux_are_those_of_the_unscaled_problem():
    rng = np.random.default_rng(7)
    for _ in range(30):
        n = rng.integers(2, 6)
        root = rng.normal(size=(n, n))
        matrix, q = root @ root.T + 0.1 * np.eye(n), rng.normal(size=n)
        scale = 10.0 ** rng.integers(-6, 7, n)
        matrix, q = scale[:, None] * matrix, scale * q
        result = lcp.lemke(matrix, q, trace=True)
        assert result.success
        for t in result.tableaux:
            assert t.stage == 1 or (t.rhs >= -1e-9 * np.abs(t.rhs).max()).all()
        if result.tableaux:
            value = dict(zip(result.tableaux[-1].basis, result.tableaux[-1].rhs, strict=True))
            z = [value.get(f"z{i + 1}", 0.0) for i in range(n)]
            np.testing.assert_allclose(z, result.z, rtol=1e-9, atol=1e-9 * np.abs(result.z).max())
