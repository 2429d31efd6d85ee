"""Break-away with nothing to fall back on, shared forces, releases that set off others."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

METHODS = ["auto", "explicit", "stiff"]
STICK, FORWARD, BACKWARD = ss.Mode.STICK, ss.Mode.SLIP_FORWARD, ss.Mode.SLIP_BACKWARD


def slide(law, force, normal_load=1.0, mass=1.0):
    m = ss.Machine(mass=mass, names=["slide"], force={"slide": force})
    m.add_friction("guide", on="slide", law=law, normal_load=normal_load)
    return m


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("slope", [1e3, 1.0, 1e-3, 1e-5, 1e-7])
def test_equal_levels_break_away_at_once(slope, method):
    # m x'' = slope (t - t1): x = slope (t - t1)^3 / 6
    t1 = 1.0 / slope
    r = ss.simulate(
        slide(ss.Coulomb(static=1.0, kinetic=1.0), ss.Ramp(slope=slope)), t_end=2 * t1, method=method
    )
    assert r.success and [e.after for e in r.events] == [FORWARD]
    assert r.events[0].time == pytest.approx(t1, rel=1e-15)
    assert r["slide.position"][-1] == pytest.approx(slope * t1**3 / 6, rel=5e-12)


def test_equal_levels_at_any_size():
    rng = np.random.default_rng(7)
    for _ in range(100):
        slope, load, mu, mass = 10.0 ** rng.uniform([-3, -3, -2, -3], [3, 3, 1, 3])
        law = ss.Coulomb(static=mu, kinetic=mu)
        t1 = mu * load / slope
        r = ss.simulate(slide(law, ss.Ramp(slope=slope), load, mass), t_end=2 * t1)
        assert [e.after for e in r.events] == [FORWARD]
        assert r.events[0].time == pytest.approx(t1, rel=1e-14)
        assert r["slide.position"][-1] == pytest.approx(slope * t1**3 / 6 / mass, rel=1e-12)


@pytest.mark.parametrize("start", [1e2, 1e6])
def test_break_away_far_from_t_zero(start):
    # the instant is known to 1e-10 s only, where the force has moved by far more than its rounding
    for slope in (1.0, 1.1e3, 1.2e6):
        m = slide(ss.Coulomb(static=1.0, kinetic=1.0), ss.Ramp(slope=slope, start=start))
        r = ss.simulate(m, t_end=start + 2 / slope)
        assert r.success and len(r.events) == 1
        assert r.events[0].time == pytest.approx(start + 1 / slope, rel=1e-15)


def escaping(law, slope, t):
    """Position and speed t seconds after break-away, on the branch that leaves v = 0, by SciPy."""
    drop, vs, shape = law.static - law.kinetic, law.stribeck_velocity, law.shape
    fall = lambda v: -math.expm1(-((abs(v) / vs) ** shape))  # noqa: E731
    if shape >= 1.0:
        f = lambda s, y: [slope * s + drop * fall(y[0]), y[0]]  # noqa: E731
        s = solve_ivp(f, (0, t), [0.0, 0.0], method="DOP853", rtol=1e-13, atol=1e-30, first_step=1e-6)
        return s.y[1, -1], s.y[0, -1]
    # u = sqrt(v), 2 u' = (slope s + drop (1 - exp(-u/sqrt vs)))/u, first u = c s
    rate = drop / math.sqrt(vs)
    c = (rate + math.sqrt(rate**2 + 8 * slope)) / 4
    f = lambda s, y: [(slope * s - drop * math.expm1(-y[0] / math.sqrt(vs))) / (2 * y[0]), y[0] ** 2]  # noqa: E731
    s = solve_ivp(f, (1e-8, t), [c * 1e-8, c**2 * 1e-24 / 3], method="DOP853", rtol=1e-13, atol=1e-30)
    return s.y[1, -1], s.y[0, -1] ** 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [1.0, 2.0, 0.5])
@pytest.mark.parametrize("vs", [1e-3, 0.1])
@pytest.mark.parametrize("slope", [100.0, 1.0, 0.01])
def test_stribeck_takes_the_escaping_branch(shape, vs, slope, method):
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=vs, shape=shape)
    x, v = escaping(law, slope, 1.0)
    for rtol, tolerance in ((1e-6, 1e-5), (1e-9, 4e-7 if shape < 1 else 2e-8)):
        r = ss.simulate(slide(law, ss.Ramp(slope=slope)), t_end=1.5 / slope + 1.0, method=method, rtol=rtol)
        assert r.success and [e.after for e in r.events] == [FORWARD]
        assert r.events[0].time == pytest.approx(1.5 / slope, rel=1e-15)
        assert r.state.x == pytest.approx([x, v], rel=tolerance)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "force",
    [
        ss.Sine(amplitude=1.0, frequency=0.5),
        ss.Sine(amplitude=1.0, frequency=3.3, phase=0.3),
        ss.Sine(amplitude=0.5, frequency=1.0, offset=-0.5),
        ss.Piecewise([0, 1, 2], [0, 1, 0]),
        ss.Piecewise([0, 1, 2, 3], [0, -1, -1, 1]),
        ss.SmoothStep(1.0, start=1.0),
        ss.Ramp(slope=0.3, stop=1 / 0.3),
        1.0,
    ],
    ids=str,
)
@pytest.mark.parametrize("kinetic", [1.0, 0.8])
def test_touched_limit_keeps_stick(force, kinetic, method):
    r = ss.simulate(slide(ss.Coulomb(static=1.0, kinetic=kinetic), force), t_end=10.0, method=method)
    assert r.success and len(r.events) == 0
    assert r["slide.position"][-1] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_limit_reached_then_passed_releases_once(method):
    # rises to the limit, rests there for a second, goes on rising: leaves when it goes on
    force = ss.Piecewise([0, 1, 2, 3], [0, 1, 1, 2])
    r = ss.simulate(slide(ss.Coulomb(static=1.0, kinetic=0.8), force), t_end=3.0, method=method)
    assert [e.time for e in r.events] == [2.0]
    assert r.state.x == pytest.approx([0.1 + 1 / 6, 0.2 + 0.5], rel=1e-12)


@pytest.mark.parametrize("method", ["auto", "explicit"])
@pytest.mark.parametrize("excess", [1e-4, 1e-6])
def test_limit_passed_by_little_releases(excess, method):
    # F = (1 + e) sin(2 pi f t) passes 1 at t = asin(1/(1 + e))/(2 pi f), unseen by the resting state
    f = 50.0
    r = ss.simulate(
        slide(ss.Coulomb(static=1.0, kinetic=0.8), ss.Sine(amplitude=1 + excess, frequency=f)),
        t_end=10.0,
        method=method,
    )
    assert len(r.events) == 2000
    assert r.events[0].time == pytest.approx(math.asin(1 / (1 + excess)) / (2 * math.pi * f), rel=1e-10)


@pytest.mark.parametrize("method", ["auto", "explicit"])
@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("slope", [1e3, 1.0, 1e-3])
def test_two_elements_hold_together(side, slope, method):
    # limits 1 and 10 N on one body: break-away at 11 N, then 0.5 + 7 N of kinetic friction
    m = ss.Machine(mass=2.0, names=["body"], force={"body": ss.Ramp(slope=side * slope)})
    m.add_friction("weak", on="body", law=ss.Coulomb(static=1.0, kinetic=0.5))
    m.add_friction("strong", on="body", law=ss.Coulomb(static=10.0, kinetic=7.0))
    r = ss.simulate(m, t_end=13.0 / slope, method=method)
    assert [e.time * slope for e in r.events] == pytest.approx([11.0, 11.0], rel=1e-14)
    assert {e.element for e in r.events} == {"weak", "strong"} and r.events[0].instant == r.events[1].instant
    assert all("shared" in e.rule for e in r.events)
    dt = 2.0 / slope
    assert r["body.velocity"][-1] == pytest.approx(side * (3.5 * dt + slope * dt**2 / 2) / 2.0, rel=1e-10)
    share = r.at(5.0 / slope)
    assert share["weak.force"][0] / 1.0 == pytest.approx(share["strong.force"][0] / 10.0, rel=1e-10)


@pytest.mark.parametrize("method", ["auto", "explicit"])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_two_elements_with_unequal_sides_hold_together(side, method):
    """Tables that hold [-1, 3] N along the body's motion and [-2, 5] N against it: F_a - F_b reaches from
    -1 - 5 to 3 + 2 N."""
    m = ss.Machine(mass=2.0, names=["body"], force={"body": ss.Ramp(slope=side)})
    m.add_friction("a", on={"body": 1.0}, law=ss.Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -1.0, 3.0, 3.0]))
    m.add_friction("b", on={"body": -1.0}, law=ss.Table([-1.0, 0.0, 0.0, 1.0], [-2.0, -2.0, 5.0, 5.0]))
    r = ss.simulate(m, t_end=8.0, method=method)
    limit = 5.0 if side > 0.0 else 6.0
    assert [e.time for e in r.events] == pytest.approx([limit, limit], rel=1e-14)
    # in the ratio 4 : 7 of the intervals until one is at its end; the other then takes the rest
    for load, expected in (
        [(2.2, [0.8, -1.4]), (4.5, [2.5, -2.0])] if side > 0.0 else [(2.2, [-0.8, 1.4]), (5.4, [-1.0, 4.4])]
    ):
        before = r.at(load)
        assert [before["a.force"][0], before["b.force"][0]] == pytest.approx(expected, rel=1e-14)
    assert r["body.velocity"][-1] == pytest.approx(side * 0.5 * (8.0 - limit) ** 2 / 2.0, rel=1e-10)


@pytest.mark.parametrize("hold", [-2.9, -1.5, 0.9])
def test_coupled_elements_with_unequal_sides_hold_each_its_own(hold):
    """Two bodies coupled by inertia at rest, each on a table that holds [-3, 1] N: both hold until one of the
    forces passes a side, whatever the other side is."""
    table = ss.Table([-1.0, 0.0, 0.0, 1.0], [-3.0, -3.0, 1.0, 1.0])
    m = ss.Machine(
        mass=[[1.0, 0.5], [0.5, 1.0]], names=["a", "b"], force={"a": hold, "b": ss.Ramp(slope=-1.0)}
    )
    m.add_friction("under a", on="a", law=table)
    m.add_friction("under b", on="b", law=table)
    r = ss.simulate(m, t_end=3.2)
    assert r["under a.mode"][0] == r["under b.mode"][0] == ss.Mode.STICK
    assert r.at(1.0)["under a.force"][0] == hold
    assert r.events[0].time == pytest.approx(3.0, abs=1e-14) and r.events[0].element == "under b"


def chain_of_releases(limits, kinetic, mass, coupling, force):
    """Sliding bodies just after break-away of a train with inertial coupling: release by release, plain NumPy.

    M = mass + coupling * L (L the Laplacian of the chain): when one block starts, its acceleration pulls
    the next. A block leaves where the force that would hold it exceeds its limit.
    """
    n = len(limits)
    laplace = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    laplace[0, 0] = laplace[-1, -1] = 1
    M = mass * np.eye(n) + coupling * laplace
    leaves = np.zeros(n, bool)
    leaves[0] = True
    order = [0]
    while True:
        a = np.zeros(n)
        a[leaves] = np.linalg.solve(M[np.ix_(leaves, leaves)], (force - kinetic * np.sign(force[0]))[leaves])
        hold = force - M @ a
        over = [i for i in range(n) if not leaves[i] and abs(hold[i]) > limits[i]]
        if not over:
            return M, order, a
        leaves[over[0]] = True
        order.append(over[0])


@pytest.mark.parametrize("method", ["auto", "explicit"])
@pytest.mark.parametrize("last", [True, False])
def test_release_triggers_the_next_at_the_same_instant(last, method):
    limits = np.array([2.0, 0.35, 0.12, 0.03, 0.01 if last else 1.0])
    kinetic = 0.25 * limits
    M, order, a = chain_of_releases(limits, kinetic, 1.0, 1.0, np.array([2.0, 0, 0, 0, 0]))
    assert order == [0, 1, 2, 3, 4][: 5 if last else 4]
    names = [f"b{i}" for i in range(5)]
    m = ss.Machine(mass=M, names=names, force={"b0": ss.Ramp(slope=1.0)})
    for name, s, k in zip(names, limits, kinetic, strict=True):
        m.add_friction(f"on_{name}", on=name, law=ss.Coulomb(static=s, kinetic=k))
    r = ss.simulate(m, t_end=2.5, method=method)
    first = [e for e in r.events if e.instant == r.events[0].instant]
    assert {e.element for e in first} == {f"on_b{i}" for i in order}
    assert all(e.time == pytest.approx(2.0, abs=1e-14) for e in first)
    after = r.at([2.0])
    assert [after[f"{n}.acceleration"][0] for n in names] == pytest.approx(a, abs=1e-12)


def test_block_between_rest_and_a_starting_surface_matches_closed_form():
    # the ground holds 10 N, the belt 1 N: it slides under the block with 0.8 N, or takes it along
    for ground, belt, moves in ((10.0, 1.0, False), (1.0, 10.0, True)):
        for start in (ss.Ramp(slope=0.1, start=1.0), ss.SmoothStep(0.5, start=1.0)):
            m = ss.Machine(mass=1.0, names=["block"])
            m.add_friction("ground", on="block", law=ss.Coulomb(static=ground, kinetic=0.8 * ground))
            m.add_friction(
                "belt", on="block", law=ss.Coulomb(static=belt, kinetic=0.8 * belt), surface_velocity=start
            )
            r = ss.simulate(m, t_end=3.0)
            slips = "ground" if moves else "belt"
            assert [(e.element, e.time) for e in r.events] == [(slips, 1.0)]
            assert r["block.velocity"][-1] == pytest.approx(float(start(3.0)) if moves else 0.0, abs=1e-14)
            assert abs(r[f"{slips}.force"][-1]) == pytest.approx(0.8)


def test_train_with_two_elements_per_block_matches_closed_form():
    # 20 blocks, each held by 1 + 2 N and let go at 3 N: as many small problems, not one of 40 elements
    n = 20
    names = [f"b{i}" for i in range(n)]
    m = ss.Machine(mass=[1.0] * n, stiffness=2.0, names=names)
    for i, name in enumerate(names):
        m.add_force(name, ss.Ramp(slope=1.0 + 0.01 * i))
        m.add_friction(f"weak{i}", on=name, law=ss.Coulomb(static=1.0, kinetic=0.5))
        m.add_friction(f"strong{i}", on=name, law=ss.Coulomb(static=2.0, kinetic=1.0))
    r = ss.simulate(m, t_end=3.05, max_time=20.0)
    assert r.success
    expected = {name: 3.0 / (1.0 + 0.01 * i) for i in range(n) for name in (f"weak{i}", f"strong{i}")}
    assert {e.element: e.time for e in r.events} == pytest.approx(expected, rel=1e-14)


def test_element_stays_in_stick_if_kinetic_levels_hold_it():
    """a drags b. By static levels both slip; once a slides on b with 0.2 N, the ground holds b (0.52 < 0.55 N)."""
    m = ss.Machine(mass=[0.52, 0.53], names=["a", "b"], force={"a": -0.51, "b": -0.3233})
    m.add_friction("ground", on="b", law=ss.Coulomb(static=0.549, kinetic=0.549))
    m.add_friction("between", on=("a", "b"), law=ss.Coulomb(static=0.3, kinetic=0.2))
    r = ss.simulate(m, t_end=1.0)
    assert r.success
    end = r.at([1.0])
    assert end["b.position"][0] == 0.0
    assert end["ground.force"][0] == pytest.approx(-0.5233, rel=1e-14)
    assert end["a.velocity"][0] == pytest.approx(-0.31 / 0.52, rel=1e-13)


@pytest.mark.parametrize("delay", [0.0, 1e-9, 0.1])
def test_a_body_that_stops_as_its_surface_jumps_keeps_its_velocity(delay: float) -> None:
    # Kinetic friction of 0.8 N slows 1 kg from 2.6 m/s to the belt's 1 m/s at t = 2 s; the belt halts at 2 s + delay.
    m = ss.Machine(mass=1.0, names=["block"])
    speed = ss.Piecewise([0.0, 2.0 + delay, 2.0 + delay, 5.0], [1.0, 1.0, 0.0, 0.0])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=speed)
    run = ss.simulate(m, t_end=4.0, initial={"block.velocity": 2.6})
    t = np.array([2.0 + delay, 2.5 + delay, 3.0 + delay])
    assert run.at(t)["block.velocity"] == pytest.approx(1.0 - 0.8 * (t - t[0]), abs=2e-9)
    assert run.events[-1].time == pytest.approx(3.25 + delay, abs=2e-9)
