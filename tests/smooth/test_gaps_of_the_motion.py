"""Contacts whose gap and sliding direction are functions of the motion, against closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import stickslip as ss

from .pendulums import G, double_pendulum


def cylinder(mu=None):
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_contact("cylinder", gap=lambda q: ss.hypot(q["x"], q["y"]) - 1.0)
    return m


@pytest.mark.parametrize(("angle", "speed"), [(0.3, 0.0), (0.1, 1.0), (0.0, 0.5)])
def test_a_body_slides_off_a_cylinder(angle, speed):
    """The body lifts off where cos φ = (2/3) cos φ0 + v0²/(3 g R)."""
    start = {
        "x.position": math.sin(angle),
        "y.position": math.cos(angle),
        "x.velocity": speed * math.cos(angle),
        "y.velocity": -speed * math.sin(angle),
    }
    run = ss.simulate(cylinder(), 2.0, rtol=1e-12, initial=start)
    (event,) = run.events
    assert str(event.after) == "open"
    height = run.at([event.time])["y.position"][0]
    assert height == pytest.approx(2.0 / 3.0 * math.cos(angle) + speed**2 / (3.0 * G), abs=1e-12)
    assert run.energy.residual < 1e-12


def test_body_at_rest_on_top_stays():
    run = ss.simulate(cylinder(), 2.0, initial={"y.position": 1.0})
    assert run.y[:, -1].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert run["cylinder.normal_force"][-1] == pytest.approx(G, rel=1e-14)


@pytest.mark.parametrize(("inertia", "kept"), [(0.5, 2.0 / 3.0), (0.4, 5.0 / 7.0)])
def test_sliding_wheel_ends_in_rolling(inertia, kept):
    """A disc keeps 2/3 of its speed, a solid sphere 5/7."""
    m = ss.Machine(mass=[1.0, 1.0, inertia], names=["x", "y", "turn"], force={"y": -G})
    m.add_contact(
        "floor",
        gap=lambda q: q["y"] - 1.0,
        tangent=lambda q: {"x": 1.0, "turn": q["y"]},
        friction=0.3,
    )
    run = ss.simulate(m, 5.0, initial={"y.position": 1.0, "x.velocity": 2.0})
    assert [str(e.after) for e in run.events] == ["stick"]
    assert run["x.velocity"][-1] == pytest.approx(2.0 * kept, rel=1e-12)


def test_a_body_in_a_bowl_presses_with_its_weight_and_the_curvature():
    """Without friction: N = m (g cos φ + v²/R) along the motion, R φ̈ = −g sin φ; the gap does not drift."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_contact("bowl", gap=lambda q: 1.0 - ss.hypot(q["x"], q["y"]))
    start = {"x.position": math.sin(1.0), "y.position": -math.cos(1.0)}
    run = ss.simulate(m, 20.0, rtol=1e-11, initial=start)
    truth = solve_ivp(
        lambda t, y: [y[1], -G * math.sin(y[0])],
        (0, 20.0),
        [1.0, 0.0],
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    angle, rate = truth.y[:, -1]
    assert run.y[:2, -1] == pytest.approx([math.sin(angle), -math.cos(angle)], abs=2e-8)
    assert run["bowl.normal_force"][-1] == pytest.approx(G * math.cos(angle) + rate**2, abs=1e-6)
    assert np.abs(np.hypot(*run.state.x[:2]) - 1.0) < 1e-11
    assert not run.events


def test_double_pendulum_against_a_wall_keeps_its_energy():
    m = double_pendulum()
    m.add_contact("wall", gap=lambda q: 0.5 - ss.sin(q["a"]) - ss.sin(q["b"]), restitution=1.0)
    run = ss.simulate(m, 100.0, rtol=1e-11, initial={"a.position": -1.0, "b.position": -1.5})
    assert run.success
    assert len(run.events) > 30
    assert run.energy.residual < 1e-11
    assert run["wall.gap"].min() > -1e-9


def test_a_moving_curved_wall_does_work():
    """A ball of no weight between a wall that moves as a function of time and place: at 45° it turns by 90°."""
    speed = 0.5
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"])
    m.add_contact("wall", gap=lambda q, t: (q["y"] - q["x"]) / math.sqrt(2.0) - speed * t, restitution=1.0)
    run = ss.simulate(m, 3.0, initial={"y.position": 1.0, "x.velocity": 1.0})
    # towards the wall, which comes with `speed`: -1/√2 becomes 1/√2 + 2 speed along the normal
    normal = 1.0 / math.sqrt(2.0) + 2.0 * speed
    tangential = 1.0 / math.sqrt(2.0)
    expected = np.array([tangential - normal, tangential + normal]) / math.sqrt(2.0)
    assert run.y[2:, -1] == pytest.approx(expected, abs=1e-13)
    assert run.energy.residual < 1e-13


def test_rocking_block_matches_housner():
    """Housner (1963): from the tilt θ0 the block falls back in a time that a quadrature gives; its rate after the
    impact is 1 − 1.5 sin²α of that before, for an impact that sticks.
    """
    b, h = 0.1, 0.4
    r, slenderness = math.hypot(b, h), math.atan2(b, h)
    centre = (b * b + h * h) / 3.0
    pivot = centre + r * r
    m = ss.Machine(mass=[1.0, 1.0, centre], names=["x", "y", "tilt"], force={"y": -G})
    for name, side in (("left", -1.0), ("right", 1.0)):
        m.add_contact(
            name,
            gap=lambda q, side=side: q["y"] + side * b * ss.sin(q["tilt"]) - h * ss.cos(q["tilt"]),
            tangent=lambda q, side=side: {
                "x": 1.0,
                "tilt": -side * b * ss.sin(q["tilt"]) + h * ss.cos(q["tilt"]),
            },
            friction=2.0,
        )
    tilt = 0.5 * slenderness
    start = {
        "x.position": b * math.cos(tilt) - h * math.sin(tilt),
        "y.position": b * math.sin(tilt) + h * math.cos(tilt),
        "tilt.position": tilt,
    }
    run = ss.simulate(m, 0.5, rtol=1e-12, initial=start)
    impact = next(e for e in run.events if e.impact)

    def slowness(u):  # dt/du with tilt = θ0 − u²
        fallen = 2.0 * math.sin(slenderness - tilt + 0.5 * u * u) * math.sin(0.5 * u * u)
        return 2.0 * u / math.sqrt(2.0 * G * r / pivot * fallen) if u > 0.0 else 0.0

    time = quad(slowness, 1e-9, math.sqrt(tilt), epsabs=1e-14, epsrel=1e-13)[0]
    assert impact.time == pytest.approx(time, abs=3e-9)
    before = -math.sqrt(2.0 * G * r / pivot * (math.cos(slenderness - tilt) - math.cos(slenderness)))
    after = run.at([impact.time])["tilt.velocity"][0]
    assert after / before == pytest.approx(1.0 - 1.5 * math.sin(slenderness) ** 2, abs=1e-9)


def test_linear_gaps_as_expressions_are_those_of_vectors():
    """A bouncing and sliding body, with its rows as numbers or as expressions."""

    def machine(traced):
        m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G, "x": 0.5})
        slope = 0.3
        if traced:
            m.add_contact(
                "floor",
                gap=lambda q: slope * q["x"] + q["y"],
                tangent=lambda q: {"x": 1.0 + 0.0 * q["x"], "y": -slope + 0.0 * q["y"]},
                friction=0.2,
                restitution=0.5,
            )
        else:
            normal, tangent = {"x": slope, "y": 1.0}, {"x": 1.0, "y": -slope}
            m.add_contact("floor", normal, tangent, friction=0.2, restitution=0.5)
        return m

    start = {"y.position": 1.0, "x.velocity": 2.0}
    exact, traced = (ss.simulate(machine(kind), 6.0, rtol=1e-11, initial=start) for kind in (False, True))
    kinds = [[(e.element, str(e.before), str(e.after)) for e in run.events] for run in (exact, traced)]
    assert kinds[0][:20] == kinds[1][:20]
    times = [np.array([e.time for e in run.events[:20]]) for run in (exact, traced)]
    assert times[1] == pytest.approx(times[0], abs=1e-10)
    assert traced.y[:, -1] == pytest.approx(exact.y[:, -1], abs=1e-8)
