"""Signals as forces, loads and surface velocities: breakpoints are met, loads scale friction, surfaces drag."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

METHODS = ["auto", "explicit", "stiff"]
LAW = ss.Coulomb(static=1.0, kinetic=0.8)
STICK, FORWARD, BACKWARD = ss.Mode.STICK, ss.Mode.SLIP_FORWARD, ss.Mode.SLIP_BACKWARD


def slide(force=0.0, **options):
    m = ss.Machine(mass=1.0, names=["block"], force={"block": force})
    m.add_friction("guide", **({"on": "block", "law": LAW} | options))
    return m


def straight(times, values):
    """Straight lines through points, on the piece that holds at `within`."""

    def f(t, within):
        i = int(np.searchsorted(times, within))
        if i in (0, len(times)):
            return values[min(i, len(times) - 1)]
        return values[i - 1] + (values[i] - values[i - 1]) * (t - times[i - 1]) / (times[i] - times[i - 1])

    return f


def quintic(t, within):
    s = (t - 0.7) / 1.9
    return 0.0 if within < 0.7 else 3.0 if within > 2.6 else 3.0 * (10 * s**3 - 15 * s**4 + 6 * s**5)


POINTS = [0.1, 0.9, 0.9, 2.2, 3.0], [0.0, 3.0, -1.0, 2.0, 0.5]
FORCES = {
    "sine": (
        ss.Sine(amplitude=2.0, frequency=1.3, phase=0.4, offset=0.5),
        lambda t, _: 0.5 + 2.0 * math.sin(2.6 * math.pi * t + 0.4),
    ),
    "smooth step": (ss.SmoothStep(3.0, start=0.7, duration=1.9), quintic),
    "piecewise": (ss.Piecewise(*POINTS), straight(*POINTS)),
    "sum": (
        ss.Sine(amplitude=1.0, frequency=0.5) + ss.Ramp(slope=0.5, start=1.0, stop=2.5),
        lambda t, within: (
            math.sin(math.pi * t) + (0.0 if within < 1 else 0.75 if within > 2.5 else 0.5 * (t - 1))
        ),
    ),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FORCES)
def test_free_motion_under_a_signal_matches_closed_form(name, method):
    force, by_hand = FORCES[name]
    m = ss.Machine(mass=2.0, stiffness=7.0, damping=0.3, names=["block"], force={"block": force})
    r = ss.simulate(m, t_end=4.0, method=method, rtol=1e-10)
    y, t = np.zeros(2), 0.0
    for stop in (0.1, 0.7, 0.9, 1.0, 2.2, 2.5, 2.6, 3.0, 4.0):  # every breakpoint is the end of a piece
        f = lambda s, y, m=(t + stop) / 2: [y[1], (by_hand(s, m) - 7 * y[0] - 0.3 * y[1]) / 2]  # noqa: E731
        y = solve_ivp(f, (t, stop), y, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        t = stop
    assert r.state.x == pytest.approx(y, abs=1e-11 if method == "auto" else 1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_decreasing_load_breaks_away_at_closed_form_time(method):
    # N = 2 - t under 0.5 N: leaves at t = 1.5; then m a = 0.5 - 0.8 (2 - t) until the load is gone at t = 2
    r = ss.simulate(
        slide(0.5, normal_load=ss.Ramp(slope=-1.0, offset=2.0, stop=2.0)), t_end=3.0, method=method
    )
    assert [(e.time, e.after) for e in r.events] == [
        (pytest.approx(1.5, abs=1e-15), FORWARD),
        (2.0, ss.Mode.FREE),
    ]
    v2 = 0.5 * 0.5 - 0.8 * 0.5**2 / 2
    assert r["block.velocity"][-1] == pytest.approx(v2 + 0.5, abs=1e-13)
    assert r["guide.force"][-1] == 0.0 and r["guide.load"][-1] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_load_starting_at_zero_matches_closed_form(method):
    # without load it floats away under 0.1 N; the load that comes at t = 1 stops it
    r = ss.simulate(slide(0.1, normal_load=ss.Step(1.0, start=1.0)), t_end=3.0, method=method)
    assert r["guide.mode"][0] == ss.Mode.FREE
    expected = [(1.0, FORWARD), (pytest.approx(1 + 0.1 / 0.7, abs=1e-14), STICK)]
    assert [(e.time, e.after) for e in r.events] == expected


@pytest.mark.parametrize("method", METHODS)
def test_vibrating_load_breaks_away_at_closed_form_time(method):
    # N = 1 + 0.5 sin(w t), F = 0.9: leaves where N = 0.9 on the way down
    load = ss.Sine(amplitude=0.5, frequency=2.0, offset=1.0)
    r = ss.simulate(slide(0.9, normal_load=load), t_end=0.6, method=method, rtol=1e-10)
    t1 = (math.pi + math.asin(0.2)) / (4 * math.pi)
    assert r.events[0].time == pytest.approx(t1, abs=1e-12)

    def v(t):
        return 0.1 * (t - t1) + 0.4 / (4 * math.pi) * (math.cos(4 * math.pi * t) - math.cos(4 * math.pi * t1))

    at = r.at([0.4])
    assert at["block.velocity"][0] == pytest.approx(v(0.4), abs=1e-9)
    assert at["guide.force"][0] == pytest.approx(0.8 * load(0.4), abs=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_accelerating_surface_carries_within_the_friction_limit(method):
    # belt from rest, speed t^2/2: carried along while m t < 1 N, then left behind with 0.8 N
    r = ss.simulate(
        slide(surface_velocity=ss.SmoothStep(1.0, start=0.0, duration=1.0)),
        t_end=2.0,
        method=method,
        rtol=1e-10,
    )
    # acceleration of the quintic: 30 s^2 - 60 s^3 + 30 s^4 = 1
    roots = np.roots([30, -60, 30, 0, -1])
    t1 = min(x.real for x in roots if abs(x.imag) < 1e-12 and x.real > 0)
    v1 = 10 * t1**3 - 15 * t1**4 + 6 * t1**5
    assert [e.after for e in r.events] == [BACKWARD, STICK]
    assert r.events[0].time == pytest.approx(t1, abs=1e-13)
    assert r.events[1].time == pytest.approx(t1 + (1 - v1) / 0.8, abs=1e-9)
    assert r["block.velocity"][-1] == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_surface_jump_starts_slip(method):
    # at 0.4 m/s from t = 1: taken along with 0.8 N, sticks again half a second later; back at 2
    belt = ss.Piecewise([1, 1, 2, 2], [0.0, 0.4, 0.4, -0.2])
    r = ss.simulate(slide(surface_velocity=belt), t_end=4.0, method=method)
    assert [(e.time, e.after) for e in r.events] == [
        (1.0, BACKWARD),
        (pytest.approx(1.5, abs=1e-14), STICK),
        (2.0, FORWARD),
        (pytest.approx(2.75, abs=1e-14), STICK),
    ]
    assert r.state.x[1] == -0.2


@pytest.mark.parametrize("method", METHODS)
def test_a_held_block_rides_on_a_vibrating_surface(method):
    surface = ss.Sine(amplitude=0.1, frequency=0.5)
    r = ss.simulate(slide(surface_velocity=surface), t_end=50.0, method=method, dt=0.01)
    assert len(r.events) == 0
    assert r["block.velocity"] == pytest.approx(surface(r.t), abs=1e-13 if method == "auto" else 1e-7)


def test_samples_at_events_hold_the_value_after():
    r = ss.simulate(slide(ss.Step(2.0, start=1.0)), t_end=2.0, t_eval=[0.5, 1.0, 1.5])
    assert list(r["guide.mode"]) == [STICK, FORWARD, FORWARD]
    assert list(r["block.acceleration"]) == [0.0, 1.2, 1.2]
