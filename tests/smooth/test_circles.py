"""A circle of radius r on a fixed circle of radius R: curvature in the drift, contact kept and lost in time."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipk

import stickslip as ss

from .pendulums import G

FIXED, OWN = 1.0, 0.3
PATH = FIXED + OWN  # radius of the path of the centre


def on_top(friction=None, inertia=0.4 * OWN**2):
    """Outside the fixed circle; `turn` counts counter-clockwise, motion along the circle clockwise."""
    m = ss.Machine(mass=[1.0, 1.0, inertia], names=["x", "y", "turn"], force={"y": -G})

    def tangent(q):
        r = ss.hypot(q["x"], q["y"])
        return {"x": q["y"] / r, "y": -q["x"] / r, "turn": OWN}

    rubs = {} if friction is None else {"tangent": tangent, "friction": friction}
    m.add_contact("hill", gap=lambda q: ss.hypot(q["x"], q["y"]) - PATH, **rubs)
    return m


def at_angle(angle, speed, rolling=False):
    return {
        "x.position": PATH * math.sin(angle),
        "y.position": PATH * math.cos(angle),
        "x.velocity": speed * math.cos(angle),
        "y.velocity": -speed * math.sin(angle),
        "turn.velocity": -speed / OWN if rolling else 0.0,
    }


@pytest.mark.parametrize(("angle", "speed"), [(0.0, 0.5), (0.4, 1.0), (-0.3, 2.0)])
def test_gap_drift_matches_closed_form(angle, speed):
    """ζ_N = v²/(R + r), so that the circle presses with m (g cos φ − v²/(R + r))."""
    run = ss.simulate(on_top(), 1e-3, initial=at_angle(angle, speed))
    assert run["hill.normal_force"][0] == pytest.approx(G * math.cos(angle) - speed**2 / PATH, rel=1e-14)


@pytest.mark.parametrize(("angle", "speed"), [(0.3, 0.2), (0.1, 1.0), (0.5, 1.5)])
def test_lift_off_occurs_at_closed_form_time(angle, speed):
    """Without friction φ'² = φ0'² + 2g/(R+r) (cos φ0 − cos φ) up to the lift-off angle, whose time is a quadrature."""
    last = math.acos(2.0 / 3.0 * math.cos(angle) + speed**2 / (3.0 * G * PATH))
    time = quad(
        lambda phi: 1.0 / math.sqrt((speed / PATH) ** 2 + 2.0 * G / PATH * (math.cos(angle) - math.cos(phi))),
        angle,
        last,
        epsabs=1e-14,
        epsrel=1e-13,
    )[0]
    run = ss.simulate(on_top(), time + 0.2, rtol=1e-12, initial=at_angle(angle, speed))
    (event,) = run.events
    assert event.cause == "hill loses its force"
    assert event.time == pytest.approx(time, abs=1e-9)


def test_disc_rolls_slips_and_lifts_off_by_scipy():
    """A ball that rolls off: friction gives out first, then the normal force; both in time against SciPy."""
    mu, factor = 0.4, 0.4
    angle, speed = 0.05, 0.3
    events = {"rtol": 1e-13, "atol": 1e-14, "method": "DOP853", "dense_output": True}

    def rolling(_t, y):
        return [y[1], G * math.sin(y[0]) / ((1.0 + factor) * PATH)]

    def reserve(_t, y):  # µ N − |F|; F = β/(1 + β) m g sin φ
        return mu * (G * math.cos(y[0]) - PATH * y[1] ** 2) - factor / (1.0 + factor) * G * math.sin(y[0])

    reserve.terminal = True
    first = solve_ivp(rolling, (0.0, 5.0), [angle, speed / PATH], events=reserve, **events)

    def force(y):
        return G * math.cos(y[0]) - PATH * y[1] ** 2

    def sliding(_t, y):  # the surface moves faster than it rolls
        return [y[1], (G * math.sin(y[0]) - mu * force(y)) / PATH]

    def pressed(_t, y):
        return force(y)

    pressed.terminal = True
    second = solve_ivp(sliding, (first.t[-1], 5.0), first.y[:, -1], events=pressed, **events)
    run = ss.simulate(on_top(mu), 1.5, rtol=1e-12, initial=at_angle(angle, speed, rolling=True))
    slips, lifts = run.events[0], run.events[1]
    assert (slips.cause, lifts.cause) == ("hill breaks away", "hill loses its force")
    assert slips.time == pytest.approx(first.t[-1], abs=1e-9)
    assert lifts.time == pytest.approx(second.t[-1], abs=1e-9)


def test_disc_rolls_inside_a_bore_by_closed_form():
    """A disc in a drum: (3/2)(R − r) φ'' = −g sin φ, with the period of an elliptic integral; contact is kept."""
    amplitude, path = 1.2, FIXED - OWN
    m = ss.Machine(mass=[1.0, 1.0, 0.5 * OWN**2], names=["x", "y", "turn"], force={"y": -G})

    def tangent(q):
        r = ss.hypot(q["x"], q["y"])
        return {"x": -q["y"] / r, "y": q["x"] / r, "turn": OWN}

    m.add_contact("drum", gap=lambda q: path - ss.hypot(q["x"], q["y"]), tangent=tangent, friction=2.0)
    period = 4.0 * math.sqrt(1.5 * path / G) * ellipk(math.sin(0.5 * amplitude) ** 2)
    start = {"x.position": path * math.sin(amplitude), "y.position": -path * math.cos(amplitude)}
    run = ss.simulate(m, 10.0 * period, rtol=1e-12, initial=start)
    assert not run.events
    assert set(run["drum.mode"]) == {int(ss.Mode.STICK)}
    assert run.y[:2, -1] == pytest.approx(list(start.values()), abs=1e-9)
    assert run.y[2, -1] == pytest.approx(0.0, abs=1e-8)  # it has rolled back
    assert np.abs(np.hypot(*run.y[:2]) - path).max() < 2e-12  # between the ends of steps, which are on it


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_million_steps_do_not_drift():
    """A body sliding in a bowl keeps its closed gap, and one sticking on a hill under a shaking force its place, to
    1e-10.
    """
    steps, h = 1_000_000, 1e-3
    options = {"max_step": h, "t_eval": [steps * h], "max_time": 500.0}
    bowl = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    bowl.add_contact("bowl", gap=lambda q: 1.0 - ss.hypot(q["x"], q["y"]))
    start = {"x.position": math.sin(1.0), "y.position": -math.cos(1.0)}
    run = ss.simulate(bowl, steps * h, initial=start, **options)
    assert run.success
    assert abs(math.hypot(*run.state.x[:2]) - 1.0) < 1e-13
    hill = on_top(friction=1.0)
    hill.add_force("x", ss.Sine(0.5, frequency=3.0))
    hill.add_friction("brake", on="turn", law=ss.Coulomb(5.0), normal_load=1.0)
    run = ss.simulate(hill, steps * h, initial=at_angle(0.2, 0.0), **options)
    assert run.success
    assert not run.events
    assert run.state.x[:3] == pytest.approx([PATH * math.sin(0.2), PATH * math.cos(0.2), 0.0], abs=1e-12)
