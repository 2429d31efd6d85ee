"""Forces that rigidity leaves open: an admissible choice is found wherever there is one.

Truth: equilibrium, the conditions of least norm written out here, and linear programs of SciPy, which know nothing of
modes: a machine at rest stays there as long as some forces within their limits balance the loads.
"""

import pickle

import numpy as np
import pytest
from scipy.optimize import linprog

import stickslip as ss

G = 9.81


def is_least_norm(A, b, forces, tol=1e-9):
    """Of all λ ≥ 0 with A λ = b these have the least norm: λ = max(0, Aᵀν) for some ν."""
    scale = np.abs(b).max()
    assert A @ forces == pytest.approx(b, abs=tol * scale)
    assert forces.min() >= -tol * scale
    held = forces > tol * scale
    nu = np.linalg.lstsq(A[:, held].T, forces[held], rcond=None)[0]
    assert A[:, held].T @ nu == pytest.approx(forces[held], abs=tol * scale)
    assert np.all(A[:, ~held].T @ nu <= tol * scale)


# ---------------------------------------------------------------- normal forces alone


def opposed(a, b, force, restitution=0.0):
    m = ss.Machine(mass=1.0, names=["x"], force={"x": force})
    m.add_contact("a", normal={"x": a}, restitution=restitution)
    m.add_contact("b", normal={"x": b}, restitution=restitution)
    return m


def test_opposed_stops_without_clearance_hold() -> None:
    """Of least norm: the stop that the force points to carries all of it, the other nothing."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        a, b, f = rng.uniform(0.1, 2.0), -rng.uniform(0.1, 2.0), rng.normal()
        run = ss.simulate(opposed(a, b, f), t_end=1.0, t_eval=[1.0])
        assert run.status == "finished" and len(run.events) == 0
        assert abs(run["x.position"][0]) < 1e-14
        assert run["a.normal_force"][0] == pytest.approx(max(0.0, -f / a), rel=1e-12)
        assert run["b.normal_force"][0] == pytest.approx(max(0.0, -f / b), rel=1e-12)


def test_opposed_stops_hold_a_reversing_force() -> None:
    rng = np.random.default_rng(2)
    t = np.linspace(0.0, 1.0, 53)
    for _ in range(300):
        a, b = rng.uniform(0.1, 2.0), -rng.uniform(0.1, 2.0)
        push = ss.Sine(rng.uniform(0.1, 3.0), rng.uniform(0.5, 4.0), rng.uniform(0.0, 6.0))
        v, e = rng.choice([0.0, 1.0]), rng.choice([0.0, 0.5])
        run = ss.simulate(opposed(a, b, push, e), t_end=1.0, t_eval=t, initial={"x.velocity": v})
        assert run.status == "finished"
        assert np.abs(run["x.position"]).max() < 1e-10
        if v == 0.0:
            f = push(t)
            assert len(run.events) == 0
            assert run["a.normal_force"] == pytest.approx(np.maximum(0.0, -f / a), abs=1e-9)
            assert run["b.normal_force"] == pytest.approx(np.maximum(0.0, -f / b), abs=1e-9)


def beam(feet, load=-10.0, moment=0.0, restitution=0.0):
    m = ss.Machine(mass=[1.0, 1.0 / 3.0], names=["y", "phi"], force={"y": load, "phi": moment})
    for i, x in enumerate(feet):
        m.add_contact(f"foot{i}", normal={"y": 1.0, "phi": x}, restitution=restitution)
    return m


def test_beam_on_many_feet_rests_without_events() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        feet = np.sort(rng.uniform(-1.0, 1.0, rng.integers(3, 6)))
        at = rng.uniform(feet[0], feet[-1])
        run = ss.simulate(beam(feet, moment=-10.0 * at), t_end=1.0, t_eval=[1.0])
        assert run.status == "finished" and len(run.events) == 0
        forces = np.array([run[f"foot{i}.normal_force"][0] for i in range(len(feet))])
        is_least_norm(np.vstack([np.ones_like(feet), feet]), np.array([10.0, 10.0 * at]), forces)


def test_beam_that_drops_on_many_feet_comes_to_rest() -> None:
    rng = np.random.default_rng(4)
    for _ in range(300):
        feet = np.sort(rng.uniform(-1.0, 1.0, rng.integers(3, 6)))
        at = rng.uniform(feet[0], feet[-1])
        m = beam(feet, moment=-10.0 * at, restitution=float(rng.choice([0.0, 0.5])))
        run = ss.simulate(
            m, t_end=2.0, t_eval=[2.0], initial={"y.position": 1.5, "phi.velocity": rng.uniform(-0.2, 0.2)}
        )
        assert run.status == "finished"
        assert min(run[f"foot{i}.gap"].min() for i in range(len(feet))) > -1e-9


def test_travelling_load_tips_the_beam_at_its_last_foot() -> None:
    """Feet take and lose load without an event until the load leaves them: then the beam tips about the last one."""
    feet, t = np.array([-1.0, -0.3, 0.2, 1.0]), np.linspace(0.0, 0.99, 34)
    m = beam(feet, moment=ss.Ramp(slope=-10.0))
    run = ss.simulate(m, t_end=1.05, t_eval=t)
    assert {e.element for e in run.events} == {"foot0", "foot1", "foot2"}
    assert "foot2 loses its force" in run.events[0].cause
    assert [e.time for e in run.events] == pytest.approx([1.0] * 3, abs=1e-12)
    forces = np.array([run[f"foot{i}.normal_force"] for i in range(4)])
    for k, at in enumerate(t):
        is_least_norm(np.vstack([np.ones(4), feet]), np.array([10.0, 10.0 * at]), forces[:, k])


def test_resumed_run_is_bitwise_equal() -> None:
    m = beam([-1.0, -0.3, 0.2, 1.0], moment=ss.Sine(9.0, 0.7))
    whole = ss.simulate(m, t_end=3.0)
    part = ss.simulate(m, t_end=1.3)
    rest = ss.simulate(m, t_end=3.0, state=pickle.loads(pickle.dumps(part.state)))
    assert np.array_equal(rest.state.x, whole.state.x)
    t = [2.9]
    for i in range(4):
        assert rest.at(t)[f"foot{i}.normal_force"][0] == whole.at(t)[f"foot{i}.normal_force"][0]


# ---------------------------------------------------------------- friction beside them


def gear_stage(mu, level, pull=-3.0):
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"b": pull})
    m.add_contact("flank", normal={"a": -1.0, "b": 1.0}, tangent={"a": 1.0, "b": 1.0}, friction=mu)
    m.add_friction("bearing", on="a", law=ss.Coulomb(level))
    return m


def balances(A, limits_a, limits_b, load, grows=None):
    """True if (λ, F…) with A f = load, λ ≥ 0 and |F_i| ≤ a_i + b_i λ exists; and the greatest factor of the load."""
    n = len(limits_a)
    rows, right = np.zeros((2 * n, n + 2)), np.repeat(limits_a, 2)
    for i, b in enumerate(limits_b):
        rows[2 * i, 1 + i], rows[2 * i + 1, 1 + i] = 1.0, -1.0
        rows[2 * i : 2 * i + 2, 0] = -b
    grows = np.zeros(len(load)) if grows is None else np.asarray(grows)
    bounds = [(0.0, None)] + [(None, None)] * n + [(0.0, 1e4 if grows.any() else 0.0)]
    best = linprog(
        -np.eye(n + 2)[-1], A_ub=rows, b_ub=right, A_eq=np.column_stack([A, -grows]), b_eq=load, bounds=bounds
    )
    return best.x[-1] if grows.any() and best.status == 0 else best.status == 0


@pytest.mark.parametrize("level", [1.0, 1.45, 1.55, 1.7, 2.0, 2.9, 3.0, 4.0, 8.0, 100.0])
@pytest.mark.parametrize("mu", [0.01, 0.3, 0.6, 0.9, 0.99, 1.1])
def test_flank_and_bearing_hold_a_gear(mu, level) -> None:
    """b is pulled onto a by 3 N; normal and tangent of the flank, and the bearing, all act on the same motion."""
    A = np.array([[-1.0, -1.0, -1.0], [1.0, -1.0, 0.0]])  # of (λ, F_flank, F_bearing) on a and b
    holds = balances(A, [0.0, level], [mu, 0.0], [0.0, 3.0])
    run = ss.simulate(gear_stage(mu, level), t_end=1.0)
    assert run.status == "finished"
    assert (np.abs(run.state.x[2:]).max() == 0.0) == holds


def test_gear_breaks_away_without_equilibrium() -> None:
    """The pull grows as 3 + t, up to what the linear program allows."""
    A = np.array([[-1.0, -1.0, -1.0], [1.0, -1.0, 0.0]])
    for mu, level in ((0.3, 4.0), (0.1, 3.5), (0.6, 2.0), (0.9, 5.0)):
        most = balances(A, [0.0, level], [mu, 0.0], [0.0, 3.0], [0.0, 1.0])
        end = most + 1.0
        run = ss.simulate(gear_stage(mu, level, ss.Ramp(slope=-1.0, offset=-3.0)), t_end=end)
        assert run.status == "finished"
        assert run.events[0].time == pytest.approx(most, rel=1e-12)
        assert "force shared" in run.events[0].rule


def test_feet_with_different_friction_agree_with_linear_program() -> None:
    """A rigid block in the plane on 3 to 5 feet, pulled sideways at some height by a force that grows."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = rng.integers(3, 6)
        x, mu = np.sort(rng.uniform(-1.0, 1.0, n)), rng.uniform(0.1, 0.8, n)
        height, at = rng.uniform(-0.3, 0.3), 0.5 * (x[0] + x[-1])
        m = ss.Machine(
            mass=[1.0, 1.0, 0.2],
            names=["x", "y", "phi"],
            force={"x": ss.Ramp(slope=1.0), "y": -10.0, "phi": ss.Ramp(slope=-height, offset=-10.0 * at)},
        )
        for i in range(n):
            m.add_contact(f"foot{i}", normal={"y": 1.0, "phi": x[i]}, tangent={"x": 1.0}, friction=mu[i])
        # unknown: λ, F, t. Friction acts at the height of the centre: the pull alone tilts.
        A = np.zeros((3, 2 * n + 1))
        A[0, n : 2 * n], A[0, -1] = 1.0, -1.0
        A[1, :n] = 1.0
        A[2, :n], A[2, -1] = x, -height
        rows = np.zeros((2 * n, 2 * n + 1))
        for i in range(n):
            rows[2 * i, n + i], rows[2 * i + 1, n + i] = 1.0, -1.0
            rows[2 * i, i] = rows[2 * i + 1, i] = -mu[i]
        bounds = [(0.0, None)] * n + [(None, None)] * n + [(0.0, None)]
        best = linprog(
            -np.eye(2 * n + 1)[-1], A_ub=rows, b_ub=np.zeros(2 * n), A_eq=A, b_eq=[0.0, 10.0, 10.0 * at],
            bounds=bounds,
        )  # fmt: skip
        run = ss.simulate(m, t_end=best.x[-1] + 0.05)
        assert run.status == "finished"
        assert run.events[0].time == pytest.approx(best.x[-1], rel=1e-9)


def test_feet_with_different_friction_that_slide_share_equally() -> None:
    """Without tilt the least norm is the half on each foot, so the block slows down by (μ₁ + μ₂) g / 2."""
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"], force={"y": -2.0 * G})
    m.add_contact("rough", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.5)
    m.add_contact("smooth", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.1)
    run = ss.simulate(m, t_end=2.0, initial={"x.velocity": 3.0}, t_eval=[0.5])
    assert run["x.velocity"][0] == pytest.approx(3.0 - 0.3 * G * 0.5, rel=1e-12)
    assert run["rough.normal_force"][0] == pytest.approx(G, rel=1e-12)
    assert [e.time for e in run.events] == pytest.approx([3.0 / (0.3 * G)] * 2, rel=1e-12)
    assert "force shared" in run.events[0].rule


@pytest.mark.parametrize("guide", [0.5, 5.0, 50.0])
@pytest.mark.parametrize("friction", [5.0, 14.0])
def test_a_wedge_gear_with_a_guide_stays_where_forces_balance(guide, friction) -> None:
    """Angle 12°: with 14° of friction the wedge locks itself, with 5° only the guide under the lower wedge holds it."""
    angle, mu, load = np.deg2rad(12.0), np.tan(np.deg2rad(friction)), 100.0
    gear = ss.machines.wedge_gear(
        upper_mass=2420.0, lower_mass=10.878, angle=angle, friction=mu, load=load, stiffness=4000.0,
        pull_velocity=0.01, restitution=0.0,
    )  # fmt: skip
    m = gear.machine
    m.add_friction("guide", on="lower", law=ss.Coulomb(guide))
    c, s = np.cos(angle), np.sin(angle)
    A = np.array([[c, s, 0.0], [s, -c, 1.0]])  # of (λ, F, guide) on the upper and the lower wedge
    run = ss.simulate(m, t_end=0.02)
    assert run.status == "finished"
    holds = [balances(A, [0.0, guide], [mu, 0.0], [load, 4000.0 * 0.01 * t]) for t in (0.0, 0.02)]
    assert (np.abs(run["lower.velocity"]).max() < 1e-15) == all(holds)


def test_lossy_gear_of_two_flanks_finishes() -> None:
    """Two opposed flanks with friction and bearing friction: at the first stop all of them hold together."""
    root = np.sqrt(0.5)
    for backlash in (1e-9, 1e-5, 1e-3):
        m = ss.Machine(
            mass=[1.0, 1.5],
            names=["p1", "p2"],
            force={"p1": ss.Sine(10.0, 1.0), "p2": ss.Ramp(slope=2.5, offset=-10.0, stop=2.0)},
        )
        normal, tangent = {"p1": root, "p2": -2.0 * root}, {"p1": root, "p2": 2.0 * root}
        m.add_contact("A", normal=normal, tangent=tangent, friction=1.0 / 3.0, gap=backlash)
        m.add_contact(
            "B", normal={k: -v for k, v in normal.items()}, tangent=tangent, friction=1.0 / 3.0, gap=backlash
        )
        m.add_friction("bearing", on="p1", law=ss.Coulomb(0.5))
        run = ss.simulate(m, t_end=0.5)
        assert run.status == "finished"
        stops = [e for e in run.events if e.after is ss.Mode.STICK and "B stops" in e.cause]
        assert stops and "force shared" in stops[0].rule


# ---------------------------------------------------------------- every part of a law per unit of normal force


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("viscous", [0.0, 1e-6, 0.1])
def test_a_contact_lifts_off_when_it_loses_its_load(viscous, side) -> None:
    """λ (1 − s/2 (μ + b v)) = 1 − t: whatever rubs, the force is zero at t = 1, and friction with it."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": ss.Ramp(slope=1.0, offset=-1.0)})
    law = ss.Coulomb(0.1) + ss.Viscous(viscous) if viscous else ss.Coulomb(0.1)
    m.add_contact("c", normal={"y": 1.0}, tangent={"x": 1.0, "y": 0.5 * side}, friction=law)
    run = ss.simulate(m, t_end=3.0, initial={"x.velocity": 2.0}, rtol=1e-10)
    assert run.status == "finished"
    assert [e.element for e in run.events] == ["c"] and run.events[0].time == pytest.approx(1.0, abs=1e-9)


def test_viscous_friction_of_a_contact_follows_its_force() -> None:
    """A block pressed by N slides with v' = −N (μ + b v) / m: v = (v₀ + μ/b) e^{−N b t/m} − μ/b."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -10.0})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(0.2) + ss.Viscous(0.3))
    t = np.linspace(0.0, 0.3, 7)
    run = ss.simulate(m, t_end=0.3, t_eval=t, initial={"x.velocity": 2.0}, rtol=1e-11)
    truth = (2.0 + 0.2 / 0.3) * np.exp(-10.0 * 0.3 * t) - 0.2 / 0.3
    assert run["x.velocity"] == pytest.approx(truth, abs=1e-9)


# ---------------------------------------------------------------- many contacts on one body


def body_on_feet(n):
    """Pulled sideways up to 6 N and released again, then lifted by a force that passes its weight of 10 N."""
    pull = ss.Piecewise([0.0, 0.2, 0.5, 1.0], [0.0, 6.0, 0.0, 0.0])
    lift = ss.Piecewise([0.0, 0.8, 1.0], [-10.0, -10.0, 5.0])
    m = ss.Machine(mass=[1.0, 1.0, 0.3], names=["x", "y", "phi"], force={"x": pull, "y": lift})
    for i, x in enumerate(np.linspace(-1.0, 1.0, n)):
        m.add_contact(f"foot{i}", normal={"y": 1.0, "phi": x}, tangent={"x": 1.0}, friction=0.3)
    return m


@pytest.mark.parametrize("n", [2, 3, 8, 16, 32, 128])
def test_a_body_on_many_feet_breaks_away_stops_and_lifts_off_as_one(n) -> None:
    """Friction of 3 N in all: break-away at 0.1 s, p = ∫(F − 3) = 0 at 0.55 s, and no load from 0.8 + 0.2/1.5 s on."""
    run = ss.simulate(body_on_feet(n), t_end=1.0)
    assert run.status == "finished"
    slips, stops, lifts = (
        [e.time for e in run.events if e.after is mode]
        for mode in (ss.Mode.SLIP_FORWARD, ss.Mode.STICK, ss.Mode.OPEN)
    )
    assert slips == pytest.approx([0.1] * n, abs=1e-12)
    assert stops == pytest.approx([0.55] * n, abs=1e-12)
    assert lifts == pytest.approx([0.8 + 0.4 / 3.0] * n, abs=1e-12)


@pytest.mark.parametrize("copies", [1, 2, 16, 256])
def test_a_contact_that_is_listed_many_times_is_one(copies) -> None:
    """A hoop with slip on a floor: it rolls from v = v₀/2 on, after v₀/(2 μ g), however often the floor is written."""
    m = ss.Machine(mass=[2.0, 2.0, 2.0], names=["x", "y", "turn"], force={"y": -2.0 * G})
    for i in range(copies):
        m.add_contact(f"floor{i}", normal={"y": 1.0}, tangent={"x": 1.0, "turn": -1.0}, friction=0.2)
    run = ss.simulate(m, t_end=1.0, initial={"x.velocity": 3.0})
    assert run.status == "finished"
    assert run.state.x[3:] == pytest.approx([1.5, 0.0, 1.5], abs=1e-12)
    assert {e.element for e in run.events} == {f"floor{i}" for i in range(copies)}
    assert [e.time for e in run.events] == pytest.approx([3.0 / (2.0 * 0.2 * G)] * copies, rel=1e-12)


# ---------------------------------------------------------------- where nothing solves it


@pytest.mark.parametrize(("each", "proven"), [(1, True), (6, True), (10, False)])
def test_a_mass_between_walls_that_close_has_no_answer(each, proven) -> None:
    """Rigid walls meet at t = 1: no velocity satisfies both. All 2^(2n) sets of modes are tried up to 65 536."""
    m = ss.Machine(mass=1.0, names=["x"])
    for i in range(each):
        m.add_contact(f"left{i}", normal={"x": 1.0}, gap=ss.Ramp(slope=-0.5, offset=0.5))
        m.add_contact(f"right{i}", normal={"x": -1.0}, gap=ss.Ramp(slope=-0.5, offset=0.5))
    run = ss.simulate(m, t_end=2.0)
    assert run.status == "no_solution" and run.t[-1] == pytest.approx(1.0, abs=1e-12)
    assert ("there is none" in run.message) == proven
    assert ("there may be one" in run.message) == (not proven)
    assert "left0" in run.message and "right0" in run.message


# ---------------------------------------------------------------- shared forces that pass zero, or stay there


@pytest.mark.parametrize("free", [False, True])
def test_a_guide_between_opposed_stops_takes_half_of_the_load_up_to_its_level(free) -> None:
    """F = f + h − l of least norm: f = F/2 within 1 N, the stop that the force points to carries the rest.

    A second body between stops of its own, which nothing loads, changes nothing: its forces stay at zero.
    """
    names = ["x", "y"] if free else ["x"]
    push = ss.Sine(amplitude=5.0, frequency=0.7)
    m = ss.Machine(mass=[2.0] * len(names), names=names, force={"x": push})
    m.add_friction("guide", on="x", law=ss.Coulomb(1.0))
    for name in names:
        m.add_contact(f"low {name}", normal={name: 1.0})
        m.add_contact(f"high {name}", normal={name: -1.0})
    run = ss.simulate(m, t_end=4.0, t_eval=np.linspace(0.0, 4.0, 81))
    assert run.status == "finished" and len(run.events) == 0
    load = 5.0 * np.sin(2.0 * np.pi * 0.7 * run.t)
    held = np.clip(0.5 * load, -1.0, 1.0)
    assert run["guide.force"] == pytest.approx(held, abs=1e-9)
    assert run["high x.normal_force"] == pytest.approx(np.maximum(load - held, 0.0), abs=1e-9)
    assert run["low x.normal_force"] == pytest.approx(np.maximum(held - load, 0.0), abs=1e-9)
    assert all(
        np.abs(run[f"{stop} {name}.normal_force"]).max() < 1e-12
        for name in names[1:]
        for stop in ("low", "high")
    )


def test_supports_on_one_coordinate_lose_their_load_together() -> None:
    """Two supports in one direction, a force that turns at 1 s: from then on x = (t − 1)³/6m."""
    m = ss.Machine(mass=2.0, names=["x"], force={"x": ss.Ramp(slope=1.0, offset=-1.0)})
    m.add_contact("a", normal={"x": 0.2})
    m.add_contact("b", normal={"x": 0.9})
    run = ss.simulate(m, t_end=2.0)
    assert [(e.element, e.after) for e in run.events] == [("a", ss.Mode.OPEN), ("b", ss.Mode.OPEN)]
    assert [e.time for e in run.events] == pytest.approx([1.0, 1.0], abs=1e-12)
    assert run["x.position"][-1] == pytest.approx(1.0 / 12.0, rel=1e-11)


@pytest.mark.parametrize("at", [0.5, 1.0])
def test_belt_pushing_body_against_wall_slips(at) -> None:
    """Friction of the belt and the wall hold x together, until the belt departs like (t − at)³: the wall does not."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": -5.0, "y": -10.0})
    belt = ss.SmoothStep(-0.3, start=at, duration=0.5)
    m.add_contact("belt", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.2, surface_velocity=belt)
    m.add_contact("wall", normal={"x": 1.0})
    run = ss.simulate(m, t_end=at + 1.0)
    assert run.status == "finished"
    assert np.abs(run.y).max() < 1e-12
    assert [(e.time, e.element, e.after) for e in run.events] == [(at, "belt", ss.Mode.SLIP_FORWARD)]
    assert run["wall.normal_force"][-1] == pytest.approx(7.0, rel=1e-12)


@pytest.mark.parametrize("backlash", [1e-13, 6.8e-11, 1e-7])
def test_bounces_in_a_narrow_clearance_end(backlash) -> None:
    """ε = 1/2: at rest at the stop that the force points to, long before the run ends."""
    m = ss.Machine(mass=0.17, names=["x"], force={"x": ss.Sine(amplitude=0.4, frequency=0.5)})
    for name, side in (("low", 1.0), ("high", -1.0)):
        m.add_contact(name, normal={"x": side}, gap=0.5 * backlash, restitution=0.5)
    run = ss.simulate(m, t_end=3.6)
    assert run.status == "finished"
    assert run["x.position"][-1] == pytest.approx(-0.5 * backlash, rel=1e-6)
    assert run["low.normal_force"][-1] == pytest.approx(0.4 * np.sin(0.4 * np.pi), rel=1e-9)
