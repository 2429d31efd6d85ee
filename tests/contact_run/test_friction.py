"""Friction on contacts: incline, stacks, clutch, Painlevé, curves, options of StickSlip and bristles."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import stickslip as ss
from contact_run.complementarity import residual

G = 9.81
ANGLE = np.pi / 6.0
LIMIT = np.tan(ANGLE)


def incline(static, kinetic):
    """x down the slope, y off it."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": G * np.sin(ANGLE), "y": -G * np.cos(ANGLE)})
    m.add_contact(
        "slope", normal={"y": 1.0}, tangent={"x": 1.0}, friction=ss.Coulomb(static=static, kinetic=kinetic)
    )
    return m


@pytest.mark.parametrize("relative", [1e-9, 1e-3, 0.2])
def test_block_on_incline_sticks_below_and_slides_above_the_limit(relative: float) -> None:
    above = ss.simulate(incline(LIMIT * (1 + relative), LIMIT * (1 + relative)), t_end=2.0)
    assert np.all(above["slope.mode"] == ss.Mode.STICK) and np.all(above["x.position"] == 0.0)
    assert above["slope.force"] == pytest.approx(G * np.sin(ANGLE), rel=1e-13)
    assert "permanently" in above.message
    mu = LIMIT * (1 - relative)
    below = ss.simulate(incline(mu, mu), t_end=2.0)
    a = G * (np.sin(ANGLE) - mu * np.cos(ANGLE))
    assert below.state.x[:2] == pytest.approx([2.0 * a, 0.0], rel=1e-7)
    assert len(above.events) == len(below.events) == 0


def test_block_thrown_up_an_incline_matches_closed_form() -> None:
    """Up with μ_k, then: stays for μ_0 > tan θ, slides back below; times and ways in closed form."""
    for static, kinetic, stays in ((0.7, 0.4, True), (0.5, 0.4, False)):
        run = ss.simulate(incline(static, kinetic), t_end=1.0, initial={"x.velocity": -1.0})
        up, down = (G * (np.sin(ANGLE) + s * kinetic * np.cos(ANGLE)) for s in (1, -1))
        assert [e.time for e in run.events] == pytest.approx([1.0 / up], abs=1e-14)
        assert run.events[0].after is (ss.Mode.STICK if stays else ss.Mode.SLIP_FORWARD)
        rest = 1.0 - 1.0 / up
        end = -0.5 / up + (0.0 if stays else 0.5 * down * rest**2)
        assert run.state.x[0] == pytest.approx(end, abs=1e-13)
        assert residual(run, ["slope"], {"slope": (static, kinetic)}, np.linspace(0.0, 1.0, 101)) < 1e-13
        assert run.energy.residual < 1e-14


def test_stacked_blocks_equal_blocks_with_given_loads() -> None:
    """Loads that are contact forces: the same motion as with the loads given, both sides of the stack in one
    problem."""
    m = ss.Machine(
        mass=[2.0, 2.0, 1.0, 1.0],
        names=["x1", "y1", "x2", "y2"],
        force={"y1": -2.0 * G, "y2": -G},
        stiffness=[50.0, 0.0, 80.0, 0.0],
    )
    belt, between = ss.Coulomb(static=0.5, kinetic=0.4), ss.Coulomb(static=0.4, kinetic=0.25)
    m.add_contact("belt", normal={"y1": 1.0}, tangent={"x1": 1.0}, friction=belt, surface_velocity=0.3)
    m.add_contact(
        "between", normal={"y2": 1.0, "y1": -1.0}, tangent={"x2": 1.0, "x1": -1.0}, friction=between
    )
    start = {"x1.velocity": 0.3, "x2.velocity": 0.3}
    run = ss.simulate(m, t_end=20.0, initial=start)
    flat = ss.Machine(mass=[2.0, 1.0], names=["x1", "x2"], stiffness=[50.0, 80.0])
    flat.add_friction("belt", on="x1", law=belt, normal_load=3.0 * G, surface_velocity=0.3)
    flat.add_friction("between", on=("x2", "x1"), law=between, normal_load=G)
    given = ss.simulate(flat, t_end=20.0, initial=start)
    # by hand: together until the spring of the upper block exceeds its limit, x2 = x1 = 0.3 t
    assert run.events[0].time == pytest.approx(0.4 * G / (80.0 * 0.3), abs=1e-13)
    assert [(e.element, e.after) for e in run.events] == [(e.element, e.after) for e in given.events]
    assert [e.time for e in run.events] == pytest.approx([e.time for e in given.events], abs=1e-11)
    assert len(run.events) > 30
    levels = {"belt": (0.5, 0.4), "between": (0.4, 0.25)}
    assert residual(run, ["belt", "between"], levels) < 1e-12
    assert run.energy.residual < 1e-13


def test_clutch_pressed_by_a_contact_matches_closed_form() -> None:
    """0.5 and 0.6 kg m² at 30 and −10 rad/s, 60 Nm: lock at 0.181818 s, 8.181818 rad/s, 218.1818 J."""
    m = ss.Machine(mass=[0.5, 0.6, 1.0], names=["a", "b", "plate"], force={"plate": -100.0})
    m.add_contact("clutch", normal={"plate": 1.0}, tangent={"a": 1.0, "b": -1.0}, friction=0.6)
    run = ss.simulate(m, t_end=1.0, initial={"a.velocity": 30.0, "b.velocity": -10.0})
    assert [e.time for e in run.events] == pytest.approx([40.0 / (60.0 / 0.5 + 60.0 / 0.6)], abs=1e-15)
    assert run.events[0].time == pytest.approx(0.181818, abs=5e-7)
    assert run.state.x[3:5] == pytest.approx([9.0 / 1.1, 9.0 / 1.1], rel=1e-14)
    assert run.energy.friction["clutch"][-1] == pytest.approx(2400.0 / 11.0, rel=1e-13)
    assert run.energy.residual < 1e-15


def test_contact_and_guide_share_one_problem() -> None:
    """One coordinate held by a floor and a guide: a = −(μ g + R/m), then both hold in one problem."""
    m = ss.Machine(
        mass=[2.0, 2.0], names=["x", "y"], force={"y": -2.0 * G, "x": ss.Ramp(slope=20.0, start=1.0)}
    )
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3)
    m.add_friction("guide", on="x", law=ss.Coulomb(static=2.0, kinetic=2.0), normal_load=2.0)
    run = ss.simulate(m, t_end=2.0, initial={"x.velocity": 1.0})
    stop = 1.0 / (0.3 * G + 2.0)
    together = 0.3 * 2.0 * G + 4.0
    assert run.at([stop / 2])["x.velocity"] == pytest.approx([0.5])
    halts = [e for e in run.events if e.after is ss.Mode.STICK]
    assert [e.time for e in halts] == pytest.approx([stop, stop], abs=1e-14)
    assert {e.element for e in halts} == {"floor", "guide"}
    leaves = [e for e in run.events if e.before is ss.Mode.STICK]
    assert [e.time for e in leaves] == pytest.approx([1.0 + together / 20.0] * 2, abs=1e-12)
    t = run.events[-1].time + 0.1
    assert run.at([t])["x.velocity"] == pytest.approx([20.0 * 0.1**2 / 2 / 2.0], rel=1e-9)


# ---------------------------------------------------------------- Painlevé


STEEP = np.pi / 3.0


def rod(friction, *, angle=STEEP, gap=0.0, restitution=0.0):
    """Uniform rod, m = 1, half length 1, tip sliding on the floor; gradients of one angle kept (a linear
    plant)."""
    m = ss.Machine(mass=[1.0, 1.0, 1.0 / 3.0], names=["x", "y", "phi"], force={"y": -G})
    m.add_contact(
        "tip",
        normal={"y": 1.0, "phi": -np.cos(angle)},
        tangent={"x": 1.0, "phi": np.sin(angle)},
        friction=friction,
        gap=gap,
        restitution=restitution,
    )
    return m


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_jamming_rod_ends_in_impact_without_collision(restitution: float) -> None:
    """G_NN − μ |G_NT| < 0 and g̈ free < 0: no solution from sliding; an impact without collision stops the
    tip.

    Impulses by hand: both rates of the tip to zero, Λ = −G⁻¹ (0, v_T), inside the cone |Λ_T| ≤ μ Λ_N. Nothing
    collides, so the restitution does not matter.
    """
    s, c = np.sin(np.deg2rad(60.0)), np.cos(np.deg2rad(60.0))
    nn, nt, tt = 1.0 + 3.0 * c * c, -3.0 * s * c, 1.0 + 3.0 * s * s
    assert nn - 1.5 * abs(nt) < 0.0
    run = ss.simulate(rod(1.5, restitution=restitution), t_end=0.3, initial={"x.velocity": -1.0})
    first = run.events[0]
    assert first.impact and first.time == 0.0 and "without collision" in first.cause
    normal, tangential = -np.linalg.solve([[nn, nt], [nt, tt]], [0.0, -1.0])
    assert first.normal_impulse == pytest.approx(normal, rel=1e-13)
    assert -first.tangential_impulse == pytest.approx(tangential, rel=1e-13)
    assert abs(tangential) < 1.5 * normal
    assert run["tip.mode"][0] == ss.Mode.STICK and np.all(run["tip.velocity"] == 0.0)
    assert first.loss == pytest.approx(0.5 * -1.0 * -tangential, rel=1e-12)
    assert run.energy.residual < 1e-14


def test_reversed_rod_needs_no_impact() -> None:
    run = ss.simulate(rod(1.5), t_end=0.3, initial={"x.velocity": 1.0})
    assert not any(e.impact for e in run.events)
    assert [(e.before, e.after) for e in run.events] == [(ss.Mode.SLIP_FORWARD, ss.Mode.STICK)]
    mild = ss.simulate(rod(0.3), t_end=0.3, initial={"x.velocity": -1.0})
    assert not any(e.impact for e in mild.events) and np.all(mild["tip.mode"] == ss.Mode.SLIP_BACKWARD)


def test_falling_rod_sticks_after_impact_and_loses_energy() -> None:
    """From a height: free fall, an impact that sticks for μ = 1.5, and less energy than before."""
    run = ss.simulate(rod(1.5, gap=0.2), t_end=0.3, initial={"x.velocity": -1.0})
    assert run.events[0].time == pytest.approx(np.sqrt(0.4 / G), abs=1e-15)
    assert run.events[0].after is ss.Mode.STICK and run.events[0].loss > 0.0
    assert run.energy.residual < 1e-14


# ---------------------------------------------------------------- laws

STRIBECK = ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.05, shape=1.0)
LAWS = {
    "stribeck": STRIBECK,
    "viscous": ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.05, shape=2.0, viscous=0.4),
    "tanh": ss.Tanh(kinetic=0.4, width=0.01),
    "lugre": ss.LuGre(
        stiffness=1e4, damping=10.0, viscous=0.0, static=0.5, kinetic=0.3, stribeck_velocity=0.05
    ),
    "dahl": ss.Dahl(stiffness=1e4, kinetic=0.3),
    "memory": ss.StickSlip(STRIBECK, memory=ss.Lag(0.01)),
    "memory and dwell": ss.StickSlip(STRIBECK, memory=ss.Lag(0.01), dwell=0.5),
    "presliding": ss.StickSlip(STRIBECK, presliding=ss.Presliding(travel=1e-3, damping=1.0)),
    "everything": ss.StickSlip(
        STRIBECK, memory=ss.Lag(0.01), dwell=0.5, presliding=ss.Presliding(travel=1e-3, damping=1.0)
    ),
}


# On a contact every part is per unit of its force; under a given load viscous parts and damping are in N s/m.
UNDER_10_N = LAWS | {
    "viscous": ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.05, shape=2.0, viscous=4.0),
    "presliding": ss.StickSlip(STRIBECK, presliding=ss.Presliding(travel=1e-3, damping=10.0)),
    "everything": ss.StickSlip(
        STRIBECK, memory=ss.Lag(0.01), dwell=0.5, presliding=ss.Presliding(travel=1e-3, damping=10.0)
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_constant_contact_force_is_a_given_load(name: str) -> None:
    """A block pressed on a belt by 10 N, against the same law under a given load of 10 N."""
    law = LAWS[name]
    pressed = ss.Machine(
        mass=[1.0, 1.0], names=["x", "y"], stiffness=[50.0, 0.0], damping=[0.2, 0.0], force={"y": -10.0}
    )
    pressed.add_contact("belt", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law, surface_velocity=0.1)
    given = ss.Machine(mass=1.0, names=["x"], stiffness=50.0, damping=0.2)
    given.add_friction("belt", on="x", law=UNDER_10_N[name], normal_load=10.0, surface_velocity=0.1)
    t = np.linspace(0.0, 4.0, 401)
    a, b = (ss.simulate(m, t_end=4.0, rtol=1e-9, t_eval=t) for m in (pressed, given))
    assert a.success and b.success
    assert np.abs(a["x.position"] - b["x.position"]).max() < 1e-8
    assert [(e.before, e.after) for e in a.events] == [(e.before, e.after) for e in b.events]
    assert [e.time for e in a.events] == pytest.approx([e.time for e in b.events], abs=1e-7)
    assert np.all(a["belt.load"] == 10.0)
    assert a.energy.residual < 2e-9


def pressed_by(force, law, stiffness=0.0):
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], stiffness=[stiffness, 0.0], force={"y": force})
    m.add_contact("belt", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law, surface_velocity=1.0)
    return m


PRESS = ss.Constant(-10.0) + ss.Sine(amplitude=5.0, frequency=1.0)


def load(t):
    return 10.0 - 5.0 * np.sin(2.0 * np.pi * t)


def test_bristles_follow_a_changing_contact_force() -> None:
    """LuGre per unit normal force, N(t) = 10 − 5 sin 2πt, against SciPy's Radau on the three equations."""
    s0, s1, fs, fk, vs, k = 1e3, 10.0, 0.5, 0.3, 0.05, 50.0
    law = ss.LuGre(stiffness=s0, damping=s1, viscous=0.0, static=fs, kinetic=fk, stribeck_velocity=vs)

    def rates(t, u):
        x, v, z = u
        rel = v - 1.0
        g = (fk + (fs - fk) * np.exp(-((rel / vs) ** 2))) / s0
        dz = rel - abs(rel) / g * z
        return [v, -k * x - load(t) * (s0 * z + s1 * dz), dz]

    t = np.linspace(0.0, 2.0, 201)
    truth = solve_ivp(rates, (0.0, 2.0), [0.0, 0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-12, t_eval=t)
    run = ss.simulate(pressed_by(PRESS, law, k), t_end=2.0, rtol=1e-10, t_eval=t)
    assert np.abs(run["x.position"] - truth.y[0]).max() < 1e-8
    assert run["belt.normal_force"] == pytest.approx(load(t), rel=1e-13)


def test_memory_lags_the_coefficient() -> None:
    """T ċ + c = μ(|v|), F = c N(t) while sliding: the lag is in the coefficient, the normal force acts at
    once."""
    law = ss.StickSlip(STRIBECK, memory=ss.Lag(0.05))

    def rates(t, u):
        v, c = u
        mu = 0.3 + 0.2 * np.exp(-abs(v - 1.0) / 0.05)
        return [c * load(t), (mu - c) / 0.05]

    t = np.linspace(0.0, 0.25, 101)
    start = 0.3 + 0.2 * np.exp(-1.0 / 0.05)
    truth = solve_ivp(rates, (0.0, 0.25), [0.0, start], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t)
    run = ss.simulate(pressed_by(PRESS, law), t_end=0.25, rtol=1e-11, t_eval=t)
    assert np.all(run["belt.mode"] == ss.Mode.SLIP_BACKWARD)
    assert np.abs(run["x.velocity"] - truth.y[0]).max() < 1e-9
    assert run["belt.force"] == pytest.approx(-truth.y[1] * load(t), rel=1e-8)


def test_falling_curve_that_loads_itself_matches_closed_form() -> None:
    """A slope whose normal and tangential directions share coordinates: λ_N = −a_N/(G_NN − μ(v) G_NT) while
    sliding."""
    mass = np.array([2.0, 0.5])
    normal, tangent = np.array([0.8, 0.6]), np.array([0.6, -0.8])
    force = np.array([-20.0, 3.0])
    m = ss.Machine(mass=mass, names=["a", "b"], force={"a": force[0], "b": force[1]}, damping=[0.0, 1.0])
    m.add_contact("face", normal=normal, tangent=tangent, friction=STRIBECK)

    def rates(t, v):
        h = force - np.array([0.0, v[1]])
        slip = tangent @ v
        mu = (0.3 + 0.2 * np.exp(-abs(slip) / 0.05)) * np.sign(slip)
        weight = normal - mu * tangent
        load = -(normal / mass) @ h / ((normal / mass) @ weight)
        return (h + weight * load) / mass

    v0 = -0.5 * tangent
    end = 0.5
    truth = solve_ivp(rates, (0.0, end), v0, method="DOP853", rtol=1e-12, atol=1e-13)
    run = ss.simulate(m, t_end=end, rtol=1e-11, initial={"a.velocity": v0[0], "b.velocity": v0[1]})
    assert np.all(run["face.mode"] == ss.Mode.SLIP_BACKWARD)
    assert run.state.x[2:] == pytest.approx(truth.y[:, -1], abs=1e-9)
    assert np.abs(run["face.gap_rate"]).max() == 0.0
    assert run.energy.residual < 1e-10


def test_opening_forgets_the_bristle() -> None:
    """A block hops off the belt: its bristle starts anew when it touches again."""
    law = ss.LuGre(stiffness=1e3, damping=10.0, viscous=0.0, static=0.5, kinetic=0.3, stribeck_velocity=0.05)
    lift = ss.Piecewise([0.0, 0.2, 0.3, 0.4, 0.5], [-10.0, -10.0, 5.0, 5.0, -10.0])
    run = ss.simulate(pressed_by(lift, law, 50.0), t_end=2.0, rtol=1e-9)
    opened = next(e for e in run.events if e.after is ss.Mode.OPEN)
    closed = next(e for e in run.events if e.impact)
    assert opened.time == pytest.approx(0.2 + 0.1 * 10.0 / 15.0, abs=1e-9)
    z = run.at([opened.time - 1e-6, opened.time + 1e-6, closed.time])["belt.z"]
    assert z[0] < -1e-4 and z[1] == z[2] == 0.0
    assert run.success


def test_two_feet_share_the_friction_of_one_body() -> None:
    """A block on two feet, pushed at the height of its centre: normal forces by moments, friction shared by
    their limits.

    Feet at ±b below the centre at height h; the push P tilts: N = (m g ∓ P h / b)/2. Which foot takes what
    is not determined;
    together they hold μ m g, whatever the tilt, and slide from then on.
    """
    mass, b, h, mu = 2.0, 0.5, 0.3, 0.4
    m = ss.Machine(
        mass=[mass, mass, 0.1], names=["x", "y", "phi"], force={"y": -mass * G, "x": ss.Ramp(slope=4.0)}
    )
    for name, side in (("left", -1.0), ("right", 1.0)):
        m.add_contact(name, normal={"y": 1.0, "phi": side * b}, tangent={"x": 1.0, "phi": h}, friction=mu)
    run = ss.simulate(m, t_end=2.5)
    slides = [e for e in run.events if e.before is ss.Mode.STICK]
    assert {e.element for e in slides} == {"left", "right"} and len(run.events) == 2
    assert [e.time for e in slides] == pytest.approx([mu * mass * G / 4.0] * 2, abs=1e-12)
    assert "force shared" in slides[0].rule
    t = np.array([0.5, 1.0, 1.9])
    at = run.at(t)
    push = 4.0 * t
    assert at["left.normal_force"] == pytest.approx((mass * G - push * h / b) / 2.0, rel=1e-12)
    assert at["right.normal_force"] == pytest.approx((mass * G + push * h / b) / 2.0, rel=1e-12)
    assert at["left.force"] + at["right.force"] == pytest.approx(push, rel=1e-12)
    assert at["left.force"] / at["left.normal_force"] == pytest.approx(
        at["right.force"] / at["right.normal_force"], rel=1e-9
    )
    end = 2.5 - slides[0].time
    assert run.state.x[3] == pytest.approx(2.0 * end**2 / mass, rel=1e-10)


@pytest.mark.parametrize(
    ("floor", "wall", "expected"),
    [
        (0.3, 0.3, [("floor", 2.625), ("wall", 2.625)]),
        (0.3, None, [("floor", 2.625), ("wall", 2.625)]),
        (None, 0.3, [("wall", 2.25)]),
        (1.2, 1.2, []),
    ],
)
def test_a_block_pressed_into_a_corner_leaves_it_when_pulled(floor, wall, expected):
    """Normal forces alone hold it; the pull 4 (t - 2) - 1 turns at 2.25 and passes 0.3 of the weight at 2.625.

    Until then the floor's friction holds, and the wall goes on touching without a force.
    """
    pull = ss.Piecewise([0, 2, 3, 5], [-1, -1, 3, 6])
    m = ss.Machine(mass=1.0, names=["x", "y"], force={"x": pull, "y": -5.0})
    m.add_contact("floor", normal={"y": 1.0}, **({"tangent": {"x": 1.0}, "friction": floor} if floor else {}))
    m.add_contact("wall", normal={"x": 1.0}, **({"tangent": {"y": 1.0}, "friction": wall} if wall else {}))
    r = ss.simulate(m, 5.0)
    assert r.success
    assert sorted((e.element, round(e.time, 9)) for e in r.events) == sorted(expected)
    if floor and wall:  # of all forces that hold the block those of least norm, by SciPy
        forces = minimize(
            lambda f: f @ f,
            [5.0, 0.0, 1.0, 0.0],  # floor: normal, friction; wall: the same
            bounds=[(0.0, None), (None, None), (0.0, None), (None, None)],
            constraints=[
                {"type": "eq", "fun": lambda f: [f[0] + f[3] - 5.0, f[2] + f[1] - 1.0]},
                {"type": "ineq", "fun": lambda f: [floor * f[0] - f[1], floor * f[0] + f[1]]},
                {"type": "ineq", "fun": lambda f: [wall * f[2] - f[3], wall * f[2] + f[3]]},
            ],
            tol=1e-12,
        ).x
        pressed = r.at([1.0])
        assert pressed["floor.normal_force"][0] == pytest.approx(forces[0], rel=1e-6)
        assert pressed["wall.normal_force"][0] == pytest.approx(forces[2], rel=1e-6)


def test_elastic_surface_forgets_its_strain_in_flight() -> None:
    """Presliding: pushed until s = F/k, lifted off and dropped again. The surface has sprung back in flight,
    so the body rests where it lands, by hand: s = 0 and no force there, however long one waits."""
    floor = ss.StickSlip(
        ss.Coulomb(static=0.5, kinetic=0.4), presliding=ss.Presliding(travel=1e-3, damping=14.142)
    )
    push = ss.Step(0.0, start=1.0, before=2.0)
    lift = ss.Piecewise([0.0, 1.0, 1.0, 1.02, 1.02], [-10.0, -10.0, 10.0, 10.0, -10.0])
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": push, "y": lift})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=floor)
    run = ss.simulate(m, t_end=2.0, rtol=1e-10)
    assert [(e.before, e.after) for e in run.events] == [
        (ss.Mode.STICK, ss.Mode.OPEN),
        (ss.Mode.OPEN, ss.Mode.STICK),
    ]
    assert run.at(0.999)["floor.presliding"] == pytest.approx(2.0 / (0.5 * 10.0 / 1e-3), rel=1e-8)
    landed = run.events[1].time  # 2 mm while lifted, 2 mm more until it turns, and a fall of 4 mm
    assert landed == pytest.approx(1.04 + np.sqrt(2.0 * 4e-3 / 10.0), abs=1e-12)
    after = run.at(np.linspace(landed, 2.0, 11))
    assert np.all(after["floor.presliding"] == 0.0) and np.all(after["floor.force"] == 0.0)
    assert np.all(after["x.velocity"] == 0.0)


def test_two_state_bristle_rests_under_a_contact_force() -> None:
    """Pressed by N and pushed by 0.1 N, the second state follows y' = -y + s/s0 with s = (0.1 - c y)/b per
    unit load, c = s0 (Fs - Fc) - alpha, b = alpha/s0: y = y_end (1 - exp(-(1 + c/alpha) t)), whatever N."""
    law = ss.TwoStateBristle(
        stiffness=2000.0, damping=30.0, alpha=300.0, static=1.5, kinetic=1.0, stribeck_velocity=0.05
    )
    for N in (1.0, 10.0):
        m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": 0.1 * N, "y": -N})
        m.add_contact("belt", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law)
        run = ss.simulate(m, 3.0, dt=0.25, rtol=1e-10)
        c, b = 700.0, 0.15
        expected = 0.1 / (2000.0 * b + c) * (1.0 - np.exp(-(1.0 + c / 300.0) * run.t))
        np.testing.assert_allclose(run["belt.z1"], expected, rtol=1e-8, atol=1e-15)
        assert np.all(run["x.velocity"] == 0.0)
