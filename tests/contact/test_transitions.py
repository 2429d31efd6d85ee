"""Contact transitions: the wedge gear of the source, Painlevé's rod, shared forces, static to kinetic
friction.

Truth is closed form, enumeration of the printed problem, or the definition of the modes checked with NumPy.
"""

import numpy as np
import pytest

from stickslip import _core, contact, lcp

DEG = np.pi / 180


def wedge(w, *, m1=2420.0, m2=10.878, k=4000.0, force=100.0, gamma=12 * DEG, rho=14 * DEG, **options):
    """Wedge gear at rest at the spring extension w, m (set 2 of the source)."""
    s, c = np.sin(gamma), np.cos(gamma)
    return contact.Contacts([m1, m2], [-force, k * w], [[c, s]], [[s, -c]], friction=np.tan(rho), **options)


def breakpoint(inside, outside, answer):
    """The w at which answer(w) changes, by bisection to the last bit."""
    first = answer(inside)
    assert answer(outside) != first
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            return middle
        inside, outside = (middle, outside) if answer(middle) == first else (inside, middle)


LOW = -(100 / 4000) * np.tan(26 * DEG)
SPLIT = (100 / 4000) * (10.878 / 2420) / np.tan(12 * DEG)
HIGH = (100 / 4000) * np.tan(2 * DEG)
THREE = {("stick",), ("slip-",), ("separate",)}


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-0.05, LOW), {("slip+",)}),
        ((LOW, SPLIT), {("stick",)}),
        ((SPLIT, HIGH), THREE),
        ((HIGH, 0.05), {("separate",)}),
    ],
)
def test_wedge_has_the_four_intervals_of_solutions(interval, expected):
    """physics.md 4: enumeration of all 2^5 bases; the source shows one solution each."""
    lo, hi = interval
    for w in np.linspace(lo, hi, 41)[1:-1]:
        found = wedge(w).transitions()
        assert set(found.modes) == expected and found.complete and len(found) == len(expected)
        A, b = wedge(w).lcp()
        e = lcp.solve_all(A, b)
        assert {wedge(w).label(s.z).contacts for s in e} == expected and len(e) == len(expected)


@pytest.mark.parametrize("w", np.linspace(SPLIT, HIGH, 7)[1:-1])
def test_fewest_changes_then_least_constraint_select_among_three_solutions(w):
    """From slip+ stick and slip- are one change away, separation two (the contact and its friction). Of the two
    the one of least constraint ½ (a - a_free)·M (a - a_free), Gauss 1829, by accelerations written out."""
    s, c, mu = np.sin(12 * DEG), np.cos(12 * DEG), np.tan(14 * DEG)
    M, h = np.diag([2420.0, 10.878]), np.array([-100.0, 4000.0 * w])
    normal, tangent = np.array([c, s]), np.array([s, -c])
    free = np.linalg.solve(M, h)
    push = np.linalg.solve(M, normal + mu * tangent)  # slip-: friction acts along +w_T
    slip = free - push * (normal @ free) / (normal @ push)
    constraint = {"stick": 0.5 * free @ M @ free, "slip-": 0.5 * (slip - free) @ M @ (slip - free)}
    decision = wedge(w).decide(["slip+"])
    assert decision.solutions == 3 and decision.rule == "least constraint"
    assert decision.transition.contacts == (min(constraint, key=constraint.get),)
    # two gears of which only one differs from what was: fewer changes win over less constraint
    two = np.array([[c, s, 0, 0], [0, 0, c, s]]), np.array([[s, -c, 0, 0], [0, 0, s, -c]])
    both = contact.Contacts(np.tile(np.diag(M), 2), [*h, *h], *two, friction=mu)
    assert both.decide(["slip-", "stick"]).rule == "present mode"
    near = both.decide(["slip-", "slip+"])
    assert near.transition.contacts[0] == "slip-" and near.transition.contacts[1] != "separate"


def test_wedge_breakpoints_match_closed_form_to_1e_12():
    """-12.19 mm, 0.5287 mm and 0.87302 mm."""
    ends = [
        breakpoint(0.0, -0.05, lambda w: set(wedge(w).transitions().modes)),
        breakpoint(0.0, SPLIT + 1e-5, lambda w: set(wedge(w).transitions().modes)),
        breakpoint(HIGH - 1e-5, 0.05, lambda w: set(wedge(w).transitions().modes)),
    ]
    np.testing.assert_allclose(ends, [LOW, SPLIT, HIGH], rtol=1e-12)
    np.testing.assert_allclose(ends, [-12.193e-3, 0.5287e-3, 0.87302e-3], rtol=3e-5)


def lemke_label(w, scale, **options):
    problem = wedge(w, **options)
    A, b = problem.lcp()
    result = lcp.lemke(A, b, covering=1 / np.asarray(scale))
    assert result.status in ("solved", "trivial")
    return problem.label(result.z).contacts[0]


def test_solution_of_lemke_depends_on_row_scaling():
    """With the rows as written separation from 0.5287 mm on; with the first three times m1, as the source
    does, stick up to 0.87302 mm. Scaling row i by s is the same as dividing the covering vector by s
    there."""
    plain, source = [1, 1, 1, 1, 1], [2420, 2420, 2420, 1, 1]
    for w in np.linspace(-0.0121, 0.9 * SPLIT, 23):
        assert lemke_label(w, plain) == lemke_label(w, source) == "stick"
    at = breakpoint(0.0, HIGH, lambda w: lemke_label(w, plain) == "separate")
    assert at == pytest.approx(SPLIT, rel=1e-12)
    at = breakpoint(0.0, 0.05, lambda w: lemke_label(w, source) == "separate")
    assert at == pytest.approx(HIGH, rel=1e-12)
    # The same by scaling the rows themselves.
    A, b = wedge(0.7e-3).lcp()
    r = np.array([2420, 2420, 2420, 1, 1.0])
    assert wedge(0.7e-3).label(lcp.lemke(r[:, None] * A, r * b, covering=np.ones(5)).z).contacts == ("stick",)


@pytest.mark.parametrize("rho", [50, 60])
def test_lemke_solution_changes_below_the_limit_of_stick(rho):
    """With the source's scaling at (F/k)(m1 c + m2 c - m2 s)/(m1 (2 s + c)), which its own text misprints;
    an artefact of the path: stick solves up to (F/k) tan(rho - gamma)."""
    m1, m2, k = 2420.0, 10.878, 4000.0
    s, c = np.sin(12 * DEG), np.cos(12 * DEG)
    artefact = (100 / k) * (m1 * c + m2 * c - m2 * s) / (m1 * (2 * s + c))
    limit = (100 / k) * np.tan((rho - 12) * DEG)
    source = [m1, m1, m1, 1, 1]
    at = breakpoint(0.0, limit, lambda w: lemke_label(w, source, rho=rho * DEG) == "separate")
    assert at == pytest.approx(artefact, rel=1e-12) and artefact < 0.95 * limit
    end = breakpoint(artefact, 2 * limit, lambda w: ("stick",) in wedge(w, rho=rho * DEG).transitions().modes)
    assert end == pytest.approx(limit, rel=1e-12)


def test_a_light_upper_wedge_slides_without_losing_contact():
    """Set 1 (contact never lost): above the limit of stick there is slip alone, until the load is
    overcome."""
    options = {"m1": 2.42, "m2": 108.78, "k": 2000.0}
    limit, lost = 0.05 * np.tan(2 * DEG), 0.05 * (108.78 / 2.42) / np.tan(12 * DEG)
    ends = [
        breakpoint(0.0, 2 * limit, lambda w: wedge(w, **options).transitions().modes),
        breakpoint(1.0, 2 * lost, lambda w: wedge(w, **options).transitions().modes),
    ]
    np.testing.assert_allclose(ends, [limit, lost], rtol=3e-12)
    for w, mode in (
        (0.5 * limit, "stick"),
        (1.5 * limit, "slip-"),
        (0.99 * lost, "slip-"),
        (1.01 * lost, "separate"),
    ):
        assert wedge(w, **options).transitions().modes == ((mode,),)


def test_wedge_never_slides_when_lifting_above_cot_gamma():
    """gamma + rho >= 90 deg: however hard the spring pulls back, the wedge sticks."""
    for w in (-0.001, -1.0, -1e3):
        assert wedge(w, rho=79 * DEG).transitions().modes == (("stick",),)
    assert wedge(-1e3, rho=77 * DEG).transitions().modes == (("slip+",),)


def test_a_wedge_that_slides_already_keeps_sliding_between_the_limits():
    """4.43: w in 0.5287 .. 0.873 mm, sliding with g'_T < 0; as an LCP of order one, a = A lambda + b."""
    for w in (0.6e-3, 0.8e-3):
        moves = wedge(w, sliding=[-1]).transitions()
        assert ("slip-",) in moves.modes
        A, b = wedge(w, sliding=[-1]).lcp()
        assert A.shape == (1, 1) and len(lcp.solve_all(A, b)) == len(moves)


def test_a_machine_at_rest_stays_at_rest_while_sticking_solves():
    decision = wedge(0.7e-3).decide(["stick"])
    assert decision.transition.contacts == ("stick",)
    assert (decision.rule, decision.solutions) == ("present mode", 3)
    fired = wedge(HIGH).decide(["stick"], fired={0: "slip-"})
    assert fired.transition is not None and fired.transition.contacts != ("stick",)
    gone = wedge(1e-3).decide(["stick"])
    assert gone.transition.contacts == ("separate",) and (gone.rule, gone.solutions) == ("unique", 1)


def rod(angle, mu, spin, sliding=1, gravity=9.81):
    """Uniform rod, m = 1 kg, half length 1 m, lower end on the floor, at `angle` to it, sliding to the
    right."""
    inertia = 1.0 / 3.0
    s, c = np.sin(angle), np.cos(angle)
    return contact.Contacts(
        [1, 1, inertia],
        [0, -gravity, 0],
        [[0, 1, -c]],
        [[1, 0, s]],
        friction=mu,
        sliding=[sliding],
        normal_drift=s * spin**2,
    )


def test_painleves_rod_has_one_or_several_solutions_by_friction():
    """Critical at 4/3 for tan(theta) = 2 (Génot, Brogliato 1999): below one solution always; above none or
    two.

    Sliding so that friction turns the rod into the floor; the sign of the free normal acceleration decides.
    """
    theta = np.arctan(2.0)
    s, c = np.sin(theta), np.cos(theta)
    critical = (1 + 3 * c**2) / (3 * s * c)
    assert critical == pytest.approx(4 / 3, rel=1e-15)
    slow, fast = 0.5, 5.0  # spin: presses on the floor, flies off
    for way in (1, -1):
        A = rod(theta, 0.0, slow, way).delassus
        into = np.sign(A[0, 1]) == way  # friction -way presses if it lowers the normal acceleration
        below = [len(rod(theta, 0.99 * critical, spin, way).transitions()) for spin in (slow, fast)]
        above = [len(rod(theta, 1.01 * critical, spin, way).transitions()) for spin in (slow, fast)]
        assert below == [1, 1]
        assert above == ([0, 2] if into else [1, 1])
    way = 1 if rod(theta, 0.0, slow).delassus[0, 1] > 0 else -1
    jammed = rod(theta, 1.5, slow, way)
    assert len(jammed.transitions()) == 0
    decision = jammed.decide([f"slip{'+' if way > 0 else '-'}"])
    assert decision.transition is None and decision.rule == "none" and decision.solutions == 0
    # The way out: an impact without collision, of whose solutions the one with an impulse is taken.
    N, T = jammed.normals, jammed.tangents
    v = np.array([way * 1.0, c * 0.0, 0.0])
    hit = contact.impact(jammed.mass, v, N, T, friction=1.5, collision=False)
    assert len(hit) == 1 and hit[0].normal_impulse[0] > 0 and hit[0].compression == ("stick",)
    assert hit[0].loss > 0
    both = contact.impact(jammed.mass, v, N, T, friction=1.5)
    assert len(both) == 2  # zero always solves it
    # What rounding leaves of the normal velocity is no impulse either, though its force would lower it further.
    for rounding in (1e-17, -1e-17, 1e-15):
        off = contact.impact(
            jammed.mass, v + rounding * np.array([0.0, 1.0, 0.0]), N, T, friction=1.5, collision=False
        )
        assert len(off) == 1 and off[0].loss == pytest.approx(hit[0].loss, rel=1e-12)


def held_by_two(force, **options):
    guides = [contact.Guide([1.0], 0.8, 1.0, **options), contact.Guide([1.0], 8.0, 10.0, **options)]
    return contact.Contacts([2.0], [force], np.zeros((0, 1)), guides=guides)


@pytest.mark.parametrize("force", [0.5, 5.0, 10.5, 10.999999, -10.9])
def test_forces_shared_by_two_elements_use_both_limits(force):
    """One body held by 1 N and 10 N holds 11 N: each takes the same part of its limit."""
    found = held_by_two(force).transitions()
    assert found.modes == (("stick", "stick"),)
    np.testing.assert_allclose(found[0].guide_force, [force / 11, 10 * force / 11], rtol=1e-9)
    assert not found[0].unique_forces and found[0].utilisation == pytest.approx(abs(force) / 11, rel=1e-9)
    assert held_by_two(force).decide(["stick", "stick"]).solutions == 1


def test_elements_break_away_together_at_utilisation_one():
    found = held_by_two(11.001).transitions()
    assert found.modes == (("slip+", "slip+"),)
    np.testing.assert_allclose(found[0].acceleration, [(11.001 - 8.8) / 2], rtol=1e-14)
    one = held_by_two(11.0).decide(["stick", "stick"], fired={0: "slip+"})  # one guard seen first: both go
    assert one.transition.guides == ("slip+", "slip+")


def test_sharing_by_unequal_levers_is_the_least_norm_within_limits():
    """Three elements on a body with two degrees of freedom: forces F_0 + y z with one free y. They hold where some y
    satisfies all limits L, and the norm of F / sqrt(L) is least at a y known in closed form, or at the end next to it.
    """
    rng = np.random.default_rng(2)
    held, clipped = 0, 0
    for _ in range(60):
        W = rng.normal(size=(3, 2))
        limit = rng.uniform(0.5, 3.0, 3)
        load = 1.5 * rng.normal(size=2)
        some, z = np.linalg.lstsq(W.T, load, rcond=None)[0], np.linalg.svd(W.T)[2][2]
        ends = np.sort([(-limit - some) / z, (limit - some) / z], axis=0)
        low, high = ends[0].max(), ends[1].min()
        guides = [contact.Guide(w, 0.9 * m, m) for w, m in zip(W, limit, strict=True)]
        found = contact.Contacts([1.0, 3.0], load, np.zeros((0, 2)), guides=guides).transitions()
        assert (("stick",) * 3 in found.modes) == (low < high)
        if low >= high:
            continue
        free = -(some * z / limit).sum() / (z * z / limit).sum()
        force = some + np.clip(free, low, high) * z
        held, clipped = held + 1, clipped + (not low < free < high)
        assert len(found) == 1
        np.testing.assert_allclose(found[0].guide_force, force, atol=1e-14)
        assert found[0].utilisation == pytest.approx(np.abs(force / limit).max(), rel=1e-14)
    assert held > 15 and clipped > 3


@pytest.mark.parametrize("decades", [0.3, 2.0, 3.0])
def test_sharing_by_several_elements_satisfies_the_conditions_of_least_norm(decades):
    """Five elements on two degrees of freedom. The norm of F / sqrt(L) is least where F / L is W λ - μ with μ >= 0 at
    limits that are reached, 0 elsewhere: found by non-negative least squares. A linear programme says whether any hold.
    """
    from scipy.optimize import linprog, nnls

    rng = np.random.default_rng(3)
    held, clipped = 0, 0
    for _ in range(100):
        W = rng.normal(size=(5, 2))
        limit = 10.0 ** rng.uniform(-decades, decades, 5)
        load = limit.max() * rng.normal(size=2)
        room = linprog([0.0] * 5, A_eq=W.T, b_eq=load, bounds=np.c_[-limit, limit])
        guides = [contact.Guide(w, 0.9 * m, m) for w, m in zip(W, limit, strict=True)]
        found = contact.Contacts([1.0, 3.0], load, np.zeros((0, 2)), guides=guides).transitions()
        assert (("stick",) * 5 in found.modes) == (room.status == 0)
        if room.status != 0:
            continue
        force = found[0].guide_force
        np.testing.assert_allclose(W.T @ force, load, rtol=0.0, atol=1e-12 * limit.max())
        assert np.all(np.abs(force) <= limit + 1e-9 * limit.max())
        at_limit = np.abs(force) > limit - 1e-9 * limit.max()
        pressing = -np.diag(np.sign(force))[:, at_limit]
        used = force / limit
        assert nnls(np.hstack([W, -W, pressing]), used)[1] < 1e-11 * np.linalg.norm(used)
        held, clipped = held + 1, clipped + at_limit.any()
    assert held > 15 and clipped > 5


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("force", [3.0, 5.5, 7.9, 8.1])
def test_feet_of_unequal_friction_share_normal_forces_as_sticking_needs(force, side):
    """A body on two feet at one place: only N_1 + N_2 = 10 N is known, so it can stick up to max(μ) 10 N = 8 N,
    with forces inside both cones."""
    feet = contact.Contacts(
        [1.0, 1.0], [side * force, -10.0], [[0, 1], [0, 1]], [[1, 0], [1, 0]], friction=[0.2, 0.8]
    )
    found = [t for t in feet.transitions() if t.contacts == ("stick", "stick")]
    assert len(found) == (force < 8.0)
    for t in found:
        assert t.normal_force.sum() == pytest.approx(10.0, rel=1e-12)
        assert abs(t.friction_force.sum()) == pytest.approx(force, rel=1e-12)
        assert np.all(np.abs(t.friction_force) <= np.array([0.2, 0.8]) * t.normal_force + 1e-8)
        assert not t.unique_forces


@pytest.mark.parametrize("sliding", [1, -1])
def test_source_form_includes_sliding_guides(sliding):
    """Two inertially coupled bodies, x_1 on a floor at rest, x_2 sliding: with a_1 = 0, by hand
    2 a_2 = 4 - 2 sgn(v_2) and λ_T = a_2."""
    M = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])
    guide = contact.Guide([0.0, 1.0, 0.0], kinetic=2.0, sliding=sliding)
    bodies = contact.Contacts(M, [0.0, 4.0, -20.0], [[0, 0, 1]], [[1, 0, 0]], friction=0.3, guides=[guide])
    (solution,) = {s.basis: s for s in lcp.solve_all(*bodies.lcp())}.values()
    (moves,) = bodies.transitions()
    for t in (bodies.label(solution.z), moves):
        assert t.contacts == ("stick",)
        np.testing.assert_allclose(t.acceleration, [0.0, 2.0 - sliding, 0.0], atol=1e-14)
        assert abs(t.friction_force[0]) == pytest.approx(2.0 - sliding, rel=1e-13)


def test_element_at_rest_stays_between_the_levels():
    """Static 1.5 N, kinetic 1 N, load 1.2 N: leaving needs the static level (rule 2)."""
    block = contact.Contacts([1.0], [1.2], np.zeros((0, 1)), guides=[contact.Guide([1.0], 1.0, 1.5)])
    assert block.transitions().modes == (("stick",),)
    over = contact.Contacts([1.0], [1.6], np.zeros((0, 1)), guides=[contact.Guide([1.0], 1.0, 1.5)])
    (only,) = over.transitions()
    assert only.guides == ("slip+",) and only.guide_force[0] == 1.0
    assert only.acceleration[0] == pytest.approx(0.6, rel=1e-15)
    moving = contact.Contacts(
        [1.0], [1.2], np.zeros((0, 1)), guides=[contact.Guide([1.0], 1.0, 1.5, sliding=-1)]
    )
    assert moving.transitions()[0].guide_force[0] == -1.0 and moving.transitions()[0].acceleration[0] == 2.2


def test_break_away_of_one_element_releases_another():
    """A (1 kg) on the floor, 2.5/1 N, carries B (3 kg), 0.3/0.2 N; 2.6 N at A. At the static levels only A
    leaves (a = 0.025, B needs 0.075 N); with A's kinetic level B would need 1.2 N, so it slips back on A."""
    floor = contact.Guide([1.0, 0.0], 1.0, 2.5)
    between = contact.Guide([-1.0, 1.0], 0.2, 0.3)
    (only,) = contact.Contacts(
        [1.0, 3.0], [2.6, 0.0], np.zeros((0, 2)), guides=[floor, between]
    ).transitions()
    assert only.guides == ("slip+", "slip-")
    np.testing.assert_allclose(only.acceleration, [2.6 - 1.0 - 0.2, 0.2 / 3], rtol=1e-14)


def test_break_away_exactly_at_the_limit_is_decided_by_the_guard_that_fired():
    """|F| = Fs with F growing: stick still solves the problem at t, but its guard has fired (rule 1)."""
    block = contact.Contacts([2.0], [1.5], np.zeros((0, 1)), guides=[contact.Guide([1.0], 1.0, 1.5)])
    stay = block.decide(["stick"])
    assert stay.transition.guides == ("stick",) and stay.transition.touching and stay.rule == "unique"
    go = block.decide(["stick"], fired={0: "slip+"})
    assert go.transition.guides == ("slip+",) and go.transition.acceleration[0] == pytest.approx(
        0.25, rel=1e-15
    )
    equal = contact.Contacts([2.0], [1.5], np.zeros((0, 1)), guides=[contact.Guide([1.0], 1.5)])
    creeping = equal.decide(["stick"], fired={0: "slip+"})  # zero acceleration, positive jerk
    assert creeping.transition.guides == ("slip+",) and creeping.transition.touching
    judged = equal.decide(["stick"], admissible=lambda c: c["modes"][0] != 0)
    assert judged.transition.guides == ("slip+",) or judged.rule in ("fewest changes", "least constraint")


def _single(G, free, low, high, present, allowed=()):
    line = [low, 0, high, 0, low, 0, high, 0]
    return _core.transition.choose(
        np.array([[G]]),
        np.array([free]),
        0,
        np.array([-1]),
        np.array([0]),
        np.array([line]),
        [present],
        list(allowed),
        None,
    )


def test_symmetric_solutions_are_ambiguous():
    """A plant whose force pushes the wrong way (G < 0): slip to either side solves, in perfect symmetry."""
    d = _single(-1.0, 0.0, -1.0, 1.0, 0)
    assert d["rule"] == "present mode" and d["modes"].tolist() == [0] and d["solutions"] == 3
    d = _single(-1.0, 0.0, -1.0, 1.0, 0, [0b101])
    assert d["rule"] == "ambiguous" and d["solutions"] == 2
    d = _single(-1.0, 0.1, -1.0, 1.0, 1, [0b111])
    assert d["rule"] == "present mode" and d["modes"].tolist() == [1]


def brute_force(problem):
    """Labels of every mode set that passes its own definition, by NumPy; static = kinetic, forces unique."""
    import itertools

    G, free, n = problem.delassus, problem.free_acceleration, len(problem._data["lines"]) // 1
    nc, lines = problem._data["contacts"], problem._data["lines"]
    load, m = problem._data["element_contact"], n
    found = set()
    for modes in itertools.product(*[("closed", "open")] * nc, *[(0, 1, -1)] * m):
        closed = [modes[c] == "closed" for c in range(nc)]
        A, rhs = np.zeros((nc + m, nc + m)), np.zeros(nc + m)
        a_of = np.c_[G[:, :nc], -G[:, nc:]]  # accelerations from (lambda_N, F)
        for c in range(nc):
            if closed[c]:
                A[c], rhs[c] = a_of[c], -free[c]
            else:
                A[c, c] = 1
        idle = [load[i] >= 0 and not closed[load[i]] for i in range(m)]
        if any(idle[i] and modes[nc + i] != 0 for i in range(m)):
            continue
        for i in range(m):
            mode = modes[nc + i]
            if idle[i]:
                A[nc + i, nc + i] = 1
            elif mode == 0:
                A[nc + i], rhs[nc + i] = a_of[nc + i], -free[nc + i]
            else:
                A[nc + i, nc + i] = 1
                rhs[nc + i] = mode * lines[i, 2]
                if load[i] >= 0:
                    A[nc + i, load[i]] -= mode * lines[i, 3]
        if abs(np.linalg.det(A)) < 1e-12:
            continue
        x = np.linalg.solve(A, rhs)
        a = a_of @ x + free
        ok = all(x[c] >= -1e-9 if closed[c] else a[c] >= -1e-9 for c in range(nc))
        for i in range(m):
            if not ok or idle[i]:
                continue
            limit = lines[i, 2] + (lines[i, 3] * x[load[i]] if load[i] >= 0 else 0)
            mode = modes[nc + i]
            ok = abs(x[nc + i]) <= limit + 1e-9 if mode == 0 else mode * a[nc + i] >= -1e-9
        if ok:
            element = [{0: "stick", 1: "slip+", -1: "slip-"}[v] for v in modes[nc:]]
            found.add(
                tuple(("separate" if not closed[c] else element[c]) for c in range(nc)) + tuple(element[nc:])
            )
    return found


def test_random_contacts_and_guides_agree_with_brute_force():
    """Two contacts and a guide on four degrees of freedom: three independent ways to the same list of
    solutions."""
    rng = np.random.default_rng(8)
    several = none = 0
    for _ in range(150):
        a = rng.normal(size=(5, 5))
        guide = contact.Guide(rng.normal(size=5), rng.uniform(0.1, 1.0))
        problem = contact.Contacts(
            a @ a.T + 0.3 * np.eye(5),
            2 * rng.normal(size=5),
            rng.normal(size=(2, 5)),
            rng.normal(size=(2, 5)),
            friction=rng.uniform(0.2, 2.5, 2),
            guides=[guide],
        )
        found = problem.transitions()
        assert set(found.modes) == brute_force(problem) and found.complete
        A, b = problem.lcp()
        labels = {(s.contacts + s.guides) for s in (problem.label(x.z) for x in lcp.solve_all(A, b))}
        assert labels == set(found.modes)
        several, none = several + (len(found) > 1), none + (len(found) == 0)
        for t in found:
            force = np.r_[t.normal_force, -t.friction_force, -t.guide_force]
            relative = problem.delassus @ force + problem.free_acceleration
            got = np.r_[t.normal_acceleration, t.tangent_acceleration, t.guide_acceleration]
            np.testing.assert_allclose(got, relative, atol=1e-10 * (1 + np.abs(relative).max()))
    assert several > 5


def test_given_loads_alone_have_exactly_one_answer():
    """Without friction on a contact force the matrix is positive definite: unique, however many elements;
    above 256 mode sets Lemke finds it and the matrix certifies it."""
    rng = np.random.default_rng(4)
    for m in (3, 5, 8, 12):
        a = rng.normal(size=(m, m))
        guides = [
            contact.Guide(w, 0.5 * s, s)
            for w, s in zip(rng.normal(size=(m, m)), rng.uniform(0.1, 1, m), strict=True)
        ]
        problem = contact.Contacts(a @ a.T + np.eye(m), rng.normal(size=m), np.zeros((0, m)), guides=guides)
        found = problem.transitions()
        assert found.complete == (3**m <= 256)
        decision = problem.decide(["stick"] * m)
        assert decision.transition is not None and decision.solutions == 1
        t = decision.transition
        for i, g in enumerate(guides):
            f = t.guide_force[i]
            assert abs(f) <= g.static * (1 + 1e-12)
            if t.guides[i] != "stick":
                assert abs(f) == g.kinetic and np.sign(t.guide_acceleration[i]) == np.sign(f)


def test_repeated_contacts_do_not_change_the_motion():
    """A block pushed on the floor; one contact, or the same one up to eight times (then by Lemke's path)."""
    for push, mode in ((5.0, "stick"), (9.0, "slip+")):
        for copies in (1, 2, 3, 4, 8):
            found = contact.transitions(
                [2.0, 2.0], [push, -20.0], [[0, 1]] * copies, [[1, 0]] * copies, friction=0.4
            )
            assert len(found) == 1 and found[0].contacts == (mode,) * copies
            np.testing.assert_allclose(found[0].acceleration, [max(0.0, push - 8.0) / 2, 0.0], atol=1e-9)
            np.testing.assert_allclose(found[0].normal_force, np.full(copies, 20 / copies), rtol=1e-7)


def test_above_256_mode_sets_the_present_modes_are_tried_first():
    """Six blocks side by side: 4^6 mode sets. At rest they stay; one that is pushed over its limit goes
    alone."""
    n = 6
    normals, tangents = np.kron(np.eye(n), [0, 1]), np.kron(np.eye(n), [1, 0])
    push = np.full(n, 3.0)

    def blocks():
        force = np.ravel(np.c_[push, np.full(n, -10.0)])
        return contact.Contacts(np.ones(2 * n), force, normals, tangents, friction=0.4, static=0.5)

    held = blocks().decide(["stick"] * n)
    assert (held.transition.contacts, held.rule, held.solutions) == (("stick",) * n, "present mode", None)
    push[2] = 6.0
    gone = blocks().decide(["stick"] * n)
    assert gone.transition.contacts == ("stick", "stick", "slip+", "stick", "stick", "stick")
    np.testing.assert_allclose(gone.transition.acceleration, np.eye(2 * n)[4] * 2.0, atol=1e-12)
    assert not blocks().transitions().complete


def test_static_friction_holds_and_kinetic_friction_accelerates():
    """A block, static 0.5, kinetic 0.3, load 10 N: sticks up to 5 N, then accelerates with push - 3 N at
    once."""
    for push, mode, acceleration in ((4.9, "stick", 0.0), (5.1, "slip+", 2.1), (-5.1, "slip-", -2.1)):
        found = contact.transitions([1, 1], [push, -10.0], [[0, 1]], [[1, 0]], friction=0.3, static=0.5)
        assert found.modes == ((mode,),)
        assert found[0].acceleration[0] == pytest.approx(acceleration, abs=1e-14)
        assert abs(found[0].friction_force[0]) == pytest.approx(3.0 if mode != "stick" else abs(push))
    block = contact.Contacts([1, 1], [0.0, 0.0], [[0, 1]], [[1, 0]], friction=0.3)
    lifted = block.decide(["stick"], fired={0: "separate"})  # it carries nothing, and its guard has fired
    assert lifted.transition.contacts == ("separate",) and lifted.transition.touching


def test_frictionless_contact_is_closed_and_friction_opposes_sliding():
    (t,) = contact.transitions([1.0, 1.0], [1.0, -9.81], [[0, 1]])
    assert t.contacts == ("closed",) and np.isnan(t.tangent_acceleration[0]) and t.friction_force[0] == 0
    np.testing.assert_allclose(t.acceleration, [1.0, 0.0], atol=1e-15)
    (t,) = contact.transitions([1.0, 1.0], [6.0, -10.0], [[0, 1]], [[1, 0]], friction=0.5)
    assert t.contacts == ("slip+",) and t.friction_force[0] == pytest.approx(5.0)  # opposes v, acts as -F
    (t,) = contact.transitions([1.0, 1.0], [6.0, 1.0], [[0, 1]], [[1, 0]], friction=0.5)
    assert t.contacts == ("separate",)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"friction": -0.1}, "friction = .*>= 0"),
        ({"friction": 0.5, "static": 0.4}, "static = .*>= friction"),
        ({"normals": [[0, 1, 0]]}, r"normals has the shape \(1, 3\), but it must be \(n, 2\)"),
        ({"normals": [[0, 0]]}, r"normals\[0\] .*other than zero"),
        ({"tangents": [[1, 0], [1, 0]]}, "tangents has 2 rows: it must have 1"),
        ({"tangents": None, "friction": 0.3}, "tangents must be given"),
        ({"mass": [[1, 2], [2, 1]]}, "mass must be symmetric positive definite"),
        ({"mass": [[1, 2, 3]]}, "mass has the shape"),
        ({"mass": [0.0, 1.0]}, "mass must be symmetric positive definite"),
        ({"force": [np.nan, 0]}, r"force\[0\] = nan .*finite"),
        ({"force": [1, 2, 3]}, "force has the shape"),
        ({"sliding": [2]}, "sliding = .*-1, 0 or 1"),
        ({"guides": [contact.Guide([1, 0], -1.0)]}, r"guides\[0\].kinetic"),
        ({"guides": [contact.Guide([1, 0], 1.0, 0.5)]}, r"guides\[0\].static = 0.5"),
    ],
)
def test_bad_input_is_named(change, text):
    good = {"mass": [1, 1], "force": [0, -1], "normals": [[0, 1]], "tangents": [[1, 0]]}
    with pytest.raises(ValueError, match=text):
        contact.Contacts(**{**good, **change})


def test_bad_labels_are_named():
    with pytest.raises(ValueError, match="'sticky' is not a label"):
        wedge(0.0).decide(["sticky"])
    with pytest.raises(ValueError, match="present has 2 labels"):
        wedge(0.0).decide(["stick", "stick"])
    with pytest.raises(ValueError, match="fired names element 3"):
        wedge(0.0).decide(["stick"], fired={3: "slip+"})
