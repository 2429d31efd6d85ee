"""Contacts that yield, against closed forms, quadratures and SciPy."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss

from .pendulums import G


def thrown(compliance, mass=1.0, normal=True, **options):
    """A ball in flight towards a wall at x = 0; no other force."""
    m = ss.Machine(mass=mass, names=["ball"])
    wall = {"normal": {"ball": 1.0}} if normal else {"gap": lambda q: ss.sinh(q["ball"])}
    m.add_contact("wall", compliance=compliance, **wall, **options)
    return m


def restitution(cv):
    """c v − ln(1 + c v) + c e v + ln(1 − c e v) = 0 (physics of Hunt and Crossley's law)."""

    def left(e):
        return cv - math.log1p(cv) + cv * e + math.log1p(-cv * e)

    top = min(1.0, (1.0 - 1e-15) / cv)
    return brentq(left, 1e-9, top, xtol=1e-16) if left(top) < 0.0 else top


def contact_time(mass, k, n, c, v0, e):
    """∫ m dv / (k δ^n (1 + c v)) from −e v0 to v0, where k δ^(n+1)/(n + 1) = m ∫ s/(1 + c s) ds from v to either end.
    With v = end (1 − u^(n+1)) the integrand is smooth, and Gauss's rule gives all digits.
    """
    nodes, weights = np.polynomial.legendre.leggauss(80)
    u, w = 0.5 * (1.0 + nodes), 0.5 * weights
    total = 0.0
    for end in (v0, -e * v0):
        v = end * (1.0 - u ** (n + 1.0))
        s = v[:, None] + (end - v)[:, None] * u
        work = mass * (end - v) * (s / (1.0 + c * s) @ w)
        depth = ((n + 1.0) / k * work) ** (1.0 / (n + 1.0))
        total += mass * abs(end) * (n + 1.0) * float(w @ (u**n / (k * depth**n * (1.0 + c * v))))
    return total


@pytest.mark.parametrize(
    ("stiffness", "damping", "exponent", "speed"),
    [
        (1e6, 0.2, 1.5, 1.0),
        (1e4, 0.05, 1.5, 2.0),
        (1e8, 1.0, 1.5, 0.7),
        (2e5, 0.3, 1.0, 1.0),
        (1e7, 2.0, 2.0, 3.0),
    ],
)
def test_hunt_crossley_bounce_matches_quadrature(stiffness, damping, exponent, speed):
    """e(v) of the formula whatever mass, k and n, and the contact time of the quadrature."""
    mass, e = 2.0, restitution(damping * speed)
    law = ss.HuntCrossley(stiffness=stiffness, damping=damping, exponent=exponent)
    start = {"ball.position": 0.1 * speed, "ball.velocity": -speed}
    run = ss.simulate(thrown(law, mass), 0.2, rtol=1e-12, initial=start)
    closes, opens = run.events
    assert [str(x.after) for x in run.events] == ["closed", "open"]
    assert closes.time == pytest.approx(0.1, abs=1e-13)
    assert run["ball.velocity"][-1] / speed == pytest.approx(e, abs=1e-8)
    expected = contact_time(mass, stiffness, exponent, damping, speed, e)
    assert opens.time - closes.time == pytest.approx(expected, rel=1e-8)
    assert run["wall.normal_force"].min() == 0.0
    lost = run.energy.compliances["wall"][-1]
    assert lost == pytest.approx(0.5 * mass * speed**2 * (1.0 - e * e), rel=1e-8)
    assert run.energy.residual < 1e-9


def test_kelvin_voigt_bounce_matches_closed_form():
    """A damped half swing up to where k δ + d δ' = 0, which is before the gap opens; it does not close again."""
    mass, k, d, speed = 1.0, 1e4, 30.0, 1.5
    run = ss.simulate(
        thrown(ss.KelvinVoigt(k, d), mass),
        0.2,
        rtol=1e-12,
        initial={"ball.position": 0.15, "ball.velocity": -speed},
    )
    decay, w = 0.5 * d / mass, math.sqrt(k / mass - 0.25 * (d / mass) ** 2)

    def swing(t):
        depth = speed / w * math.exp(-decay * t) * math.sin(w * t)
        return depth, speed * math.exp(-decay * t) * (math.cos(w * t) - decay / w * math.sin(w * t))

    end = brentq(lambda t: k * swing(t)[0] + d * swing(t)[1], 0.5 * math.pi / w, math.pi / w, xtol=1e-16)
    closes, opens = run.events
    assert closes.time == pytest.approx(0.1, abs=1e-13)
    assert opens.time - closes.time == pytest.approx(end, abs=1e-11)
    assert run["ball.velocity"][-1] == pytest.approx(-swing(end)[1], abs=1e-10)
    assert run["wall.gap"][run.t > opens.time].min() < 0.0
    force = run["wall.normal_force"]
    assert force.min() == 0.0
    assert force.max() > d * speed
    assert run.energy.residual < 1e-10


def test_stiff_contact_converges_to_the_rigid_one():
    """Contact time ∝ k^(−1/(n+1)), and with it what a bounce differs from the rigid one with e(v)."""
    c, speed, n = 0.3, 1.0, 1.5
    e = restitution(c * speed)
    times, errors = [], []
    for k in (1e6, 1e7, 1e8, 1e9):
        m = thrown(ss.HuntCrossley(k, c, n))
        run = ss.simulate(m, 0.2, rtol=1e-12, initial={"ball.position": 0.1, "ball.velocity": -speed})
        closes, opens = run.events
        times.append(opens.time - closes.time)
        errors.append(e * speed * 0.1 - run["ball.position"][-1])
    rate = 10.0 ** (-1.0 / (n + 1.0))
    for values in (times, errors):
        for first, second in itertools.pairwise(values):
            assert second / first == pytest.approx(rate, rel=1e-6)


def test_bounces_of_a_falling_ball_match_closed_form():
    """Under gravity, against SciPy from event to event; stays on the floor at last."""
    k, c = 1e5, 0.4
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -G})
    m.add_contact("floor", normal={"y": 1.0}, compliance=ss.HuntCrossley(k, c))
    run = ss.simulate(m, 3.0, rtol=1e-11, initial={"y.position": 0.3})

    def rates(_t, y):
        depth = max(0.0, -y[0])
        return [y[1], -G + max(0.0, k * depth**1.5 * (1.0 - c * y[1]))]

    def touches(_t, y):
        return y[0]

    t, y, times = 0.0, [0.3, 0.0], []
    while len(times) < 12:
        touches.terminal = True
        part = solve_ivp(rates, (t, 3.0), y, method="DOP853", rtol=1e-12, atol=1e-14, events=touches)
        if part.status != 1:
            break
        t, y = part.t[-1], [0.0, part.y[1, -1]]
        times.append(t)
        t, y = t + 1e-12, [y[1] * 1e-12, y[1]]
    assert len(times) >= 10
    assert [e.time for e in run.events[: len(times)]] == pytest.approx(times, abs=2e-8)
    rest = ss.simulate(m, 60.0, initial={"y.position": 0.3})
    assert rest["floor.normal_force"][-1] == pytest.approx(G, rel=1e-3)
    assert rest["floor.gap"][-1] == pytest.approx(-((G / k) ** (2.0 / 3.0)), rel=1e-3)


def test_friction_of_a_bounce_matches_closed_form():
    """While it slides, vx falls by µ times what vy gains: vx − µ (1 + e) vy, whatever the force is like."""
    mu, c = 0.2, 0.3
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_contact(
        "floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=mu, compliance=ss.HuntCrossley(1e6, c)
    )
    start = {"y.position": 0.1, "y.velocity": -1.0, "x.velocity": 2.0}
    run = ss.simulate(m, 0.3, rtol=1e-12, initial=start)
    e = restitution(c)
    assert run["x.velocity"][-1] == pytest.approx(2.0 - mu * (1.0 + e), abs=1e-8)
    assert [str(x.after) for x in run.events] == ["slip+", "open"]
    assert run.energy.residual < 1e-9


def test_block_on_a_compliant_floor_stops_by_friction():
    """The body loads the floor with its weight and slides v²/(2 µ g)."""
    mu, k, v = 0.3, 1e5, 2.0
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_contact(
        "floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=mu, compliance=ss.KelvinVoigt(k, 100.0)
    )
    run = ss.simulate(m, 3.0, rtol=1e-11, initial={"y.position": -G / k, "x.velocity": v})
    assert run["x.position"][-1] == pytest.approx(v * v / (2.0 * mu * G), abs=1e-9)
    assert [str(e.after) for e in run.events] == ["stick"]
    assert run["floor.normal_force"] == pytest.approx(G, rel=1e-8)


def test_compliant_gap_function_agrees_with_scipy():
    """g = sinh x pushes along cosh x: the energy of a bounce without damping, and SciPy's time of contact."""
    k, speed = 1e4, 1.0
    run = ss.simulate(
        thrown(ss.HuntCrossley(k), normal=False),
        0.3,
        rtol=1e-12,
        initial={"ball.position": 0.1, "ball.velocity": -speed},
    )
    assert run["ball.velocity"][-1] == pytest.approx(speed, abs=1e-9)

    def back(_t, y):
        return y[0]

    back.terminal, back.direction = True, 1.0
    part = solve_ivp(
        lambda t, y: [y[1], k * max(0.0, math.sinh(-y[0])) ** 1.5 * math.cosh(y[0])],
        (0.0, 1.0),
        [-1e-13, -speed],
        method="DOP853",
        rtol=1e-13,
        atol=1e-15,
        events=back,
    )
    closes, opens = run.events
    assert opens.time - closes.time == pytest.approx(part.t[-1], abs=1e-9)


def test_shaking_table_supplies_its_work():
    """A moving gap is a function of time; what the table gives is a term of the balance."""
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -G})
    m.add_contact(
        "table",
        gap=lambda q, t: q["y"] - 0.01 * ss.sin(40.0 * t),
        compliance=ss.HuntCrossley(1e6, 0.2),
    )
    run = ss.simulate(m, 2.0, rtol=1e-10, initial={"y.position": 0.05})
    assert len(run.events) > 10
    assert run.energy.surfaces["table"][-1] > 0.01
    assert run.energy.residual < 1e-8
    with pytest.raises(ValueError, match="gap=lambda"):
        thrown(ss.HuntCrossley(1e6), gap=ss.Sine(0.1, frequency=1.0))


def test_compliances_are_values():
    law = ss.HuntCrossley(stiffness=1e6, damping=0.1)
    assert law == ss.HuntCrossley(1e6, 0.1, 1.5) != ss.HuntCrossley(1e6, 0.2)
    assert eval(repr(law), vars(ss)) == law
    assert pickle.loads(pickle.dumps(law)) == law
    m = thrown(law)
    assert pickle.loads(pickle.dumps(m)) == m == ss.Machine.from_dict(m.to_dict())
    assert thrown(ss.KelvinVoigt(1e6, 0.1)) != m
    assert f"'wall': {law!r}" in repr(m)
    assert "wall.compliance.stiffness" in m.parameters


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: ss.HuntCrossley(0.0), "stiffness"),
        (lambda: ss.HuntCrossley(1.0, -1.0), "damping"),
        (lambda: ss.HuntCrossley(1.0, exponent=math.inf), "exponent"),
        (lambda: ss.KelvinVoigt(math.nan), "stiffness"),
        (lambda: thrown(1e6), "a HuntCrossley or a KelvinVoigt"),
        (lambda: thrown(ss.KelvinVoigt(1e6), restitution=0.5), "restitution"),
    ],
)
def test_bad_input_is_refused(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_resumed_run_is_bitwise_equal():
    m = thrown(ss.HuntCrossley(1e4, 0.3))
    m.add_force("ball", -G)
    start = {"ball.position": 0.1}
    whole = ss.simulate(m, 1.0, initial=start)
    part = ss.simulate(m, 0.1437, initial=start)  # within the first contact
    assert part["wall.normal_force"][-1] > 0.0
    assert np.array_equal(ss.simulate(m, 1.0, state=part.state).state.x, whole.state.x)


@pytest.mark.parametrize("seed", range(12))
def test_boxes_falling_on_corners_pass_the_audit(seed):
    """A body that turns in flight and lands on four soft corners with friction: the balance of energy shows every contact
    that is missed, and no corner pulls.
    """
    rng = np.random.default_rng(seed)
    w, h = rng.uniform(0.05, 0.3, 2)
    k = 10.0 ** rng.uniform(4.0, 6.0)
    soft = ss.HuntCrossley(k, rng.uniform(0.0, 0.5)) if seed % 2 else ss.KelvinVoigt(k, 0.2 * math.sqrt(k))
    law = (
        ss.Coulomb(0.3),
        ss.Coulomb(0.5, 0.4),
        ss.LuGre(stiffness=1e4, damping=10.0, static=0.5, kinetic=0.4, stribeck_velocity=0.01),
    )[seed % 3]
    m = ss.Machine(mass=[1.0, 1.0, (w * w + h * h) / 3.0], names=["x", "y", "a"], force={"y": -G})
    for sx, sy in itertools.product((1, -1), repeat=2):
        m.add_contact(
            f"corner{sx}{sy}",
            gap=lambda q, sx=sx, sy=sy: q["y"] + sx * w * ss.sin(q["a"]) + sy * h * ss.cos(q["a"]),
            tangent=lambda q, sx=sx, sy=sy: {
                "x": 1.0,
                "a": -sx * w * ss.sin(q["a"]) - sy * h * ss.cos(q["a"]),
            },
            friction=law,
            compliance=soft,
        )
    start = {"y.position": 0.7, "a.position": rng.uniform(0.0, 6.0)}
    start |= {"x.velocity": 2.0 * rng.normal(), "a.velocity": 5.0 * rng.normal()}
    run = ss.simulate(m, 1.5, rtol=1e-8, initial=start)
    assert run.success
    assert len(run.events) > 4
    assert run.energy.residual < 1e-6
    steps = np.array(run._raw.step_times())
    quiet = steps[np.abs(steps[:, None] - run.events.time[None, :]).min(axis=1) > 1e-9][1:-1]
    before, after = run.at(np.nextafter(quiet, -1.0)), run.at(quiet)
    # Two corners at rest beside each other stop nothing; to what the run's polynomials are off by.
    for name in ("x.velocity", "y.velocity", "a.velocity"):
        assert after[name] == pytest.approx(before[name], abs=1e-6)
    for name in run.machine.elements:
        assert run[f"{name}.normal_force"].min() > -1e-9
