"""Constraints that are formulas hold at every sample, at events and in the state at the end, at the default tolerance."""

import math

import numpy as np
import pytest

import stickslip as ss

from .test_closed_loops import CRANK, LENGTH, MASS, ROD, at_angle, drift, pendulum, slider_crank

# Relative to the terms of a constraint; reached: 4e-16.
ROUNDING = 1e-15


def some_times(run):
    return np.sort(np.random.default_rng(3).uniform(run._raw.t_begin, run._raw.t_end, 2000))


def everywhere(run):
    """States at random times, at the default samples, at events, and the state at the end, in columns."""
    at_events = run.at(np.unique(run.events.time)).y if len(run.events) else run.y[:, :0]
    return np.hstack([run.at(some_times(run)).y, run.y, at_events, np.array(run.state.x)[:, None]])


@pytest.mark.parametrize("t_end", [0.1, 1.0, 10.0, 100.0, 1000.0])
def test_rod_length_and_rate_hold_in_long_runs(t_end):
    run = ss.simulate(pendulum(), t_end, dt=t_end / 777.0, initial=at_angle(1.5))
    run_of = [run.at(some_times(run)), run]
    assert max(max(drift(r)) for r in run_of) < ROUNDING
    x, y, vx, vy = run.state.x
    assert abs(math.hypot(x, y) - LENGTH) < ROUNDING * LENGTH
    assert abs(x * vx + y * vy) < ROUNDING * LENGTH * (math.hypot(vx, vy) + 1.0)
    assert run.at([t_end]).y[:, 0] == pytest.approx(run.state.x, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("rtol", [1e-2, 1e-5, 1e-9])
def test_a_rod_keeps_its_length_at_any_tolerance(rtol):
    run = ss.simulate(pendulum(), 5.0, rtol=rtol, initial=at_angle(1.5))
    assert max(drift(run)) < ROUNDING and max(drift(run.at(some_times(run)))) < ROUNDING


@pytest.mark.parametrize("redundant", [False, True])
def test_closed_loop_of_a_slider_crank_stays_closed(redundant):
    m = slider_crank(redundant)
    m.add_friction("guide", on="slider", law=ss.Coulomb(static=0.4, kinetic=0.3), normal_load=10.0)
    start = {
        "crank.position": 0.3,
        "crank.velocity": 1.0,
        "rod.position": -math.asin(CRANK / ROD * math.sin(0.3)),
    }
    run = ss.simulate(m, 5.0, initial=start)
    assert len(run.events) > 2
    crank, rod, slider, w_crank, w_rod, v = everywhere(run)[:6]
    along = CRANK * np.cos(crank) + ROD * np.cos(rod) - slider
    across = CRANK * np.sin(crank) + ROD * np.sin(rod)
    along_rate = -CRANK * np.sin(crank) * w_crank - ROD * np.sin(rod) * w_rod - v
    across_rate = CRANK * np.cos(crank) * w_crank + ROD * np.cos(rod) * w_rod
    # Angles of some revolutions are known no better than their last digits.
    size = (CRANK + ROD) * max(1.0, np.abs(crank).max())
    assert np.abs([along, across]).max() < ROUNDING * size
    assert np.abs([along_rate, across_rate]).max() < ROUNDING * size * np.abs(w_crank).max()


def test_prescribed_positions_and_rates_hold_between_steps():
    """A bead on a turning wire, an edge that only slides along itself, and a slide moved as a sine beside a pendulum."""
    w = 1.5
    wire = ss.Machine(mass=[2.0, 2.0], names=["x", "y"])
    wire.add_constraint("wire", on=lambda q, t: q["y"] * ss.cos(w * t) - q["x"] * ss.sin(w * t))
    run = ss.simulate(wire, 2.0, initial={"x.position": 0.4, "y.position": 0.0, "x.velocity": 0.0})
    x, y = run.y[:2]
    assert np.abs(y * np.cos(w * run.t) - x * np.sin(w * run.t)).max() < ROUNDING * np.abs([x, y]).max()

    edge = ss.Machine(mass=[1.0, 1.0, 0.1], names=["x", "y", "turn"], force={"x": 3.0})
    edge.add_constraint("edge", on=lambda q: {"x": ss.sin(q["turn"]), "y": -ss.cos(q["turn"])}, rate=0.0)
    _, _, turn, vx, vy, _ = everywhere(ss.simulate(edge, 10.0, initial={"turn.velocity": 2.0}))
    assert np.abs(np.sin(turn) * vx - np.cos(turn) * vy).max() < ROUNDING * np.hypot(vx, vy).max()

    driven = ss.Machine(mass=[1.0, 2.0], names=["slide", "arm"])
    driven.add_force("arm", lambda q: -9.81 * ss.sin(q["arm"]))
    driven.add_constraint("crank", on="slide", value=ss.Sine(amplitude=0.3, frequency=0.7))
    run = ss.simulate(driven, 20.0, initial={"arm.position": 1.0})
    turned = 2.0 * np.pi * 0.7 * run.t
    assert np.abs(run["slide.position"] - 0.3 * np.sin(turned)).max() < ROUNDING * 0.3
    assert np.abs(run["slide.velocity"] - 0.42 * np.pi * np.cos(turned)).max() < 1e-14  # of some 90 rad


@pytest.mark.parametrize("rolling", [True, False])
def test_disc_on_a_hill_keeps_contact_between_steps(rolling):
    """Gap and its rate, and the sliding velocity while it rolls, from the state, as long as the contact is closed."""
    path, own = 1.3, 0.3
    m = ss.Machine(mass=[1.0, 1.0, 0.4 * own**2], names=["x", "y", "turn"], force={"y": -9.81})

    def tangent(q):
        r = ss.hypot(q["x"], q["y"])
        return {"x": q["y"] / r, "y": -q["x"] / r, "turn": own}

    friction = {"tangent": tangent, "friction": 0.9} if rolling else {}
    m.add_contact("hill", gap=lambda q: ss.hypot(q["x"], q["y"]) - path, **friction)
    start = {"x.position": path * math.sin(0.05), "y.position": path * math.cos(0.05), "x.velocity": 0.1 * math.cos(0.05),
             "y.velocity": -0.1 * math.sin(0.05), "turn.velocity": -0.1 / own}  # fmt: skip
    run = ss.simulate(m, 0.6, initial=start)
    assert (run["hill.contact" if "hill.contact" in run else "hill.gap"] == 0.0).all()
    x, y, _, vx, vy, w = everywhere(run)
    r = np.hypot(x, y)
    speed = np.hypot(vx, vy).max()
    assert np.abs(r - path).max() < ROUNDING * path
    assert np.abs((x * vx + y * vy) / r).max() < ROUNDING * speed
    if rolling:
        assert np.abs((y * vx - x * vy) / r + own * w).max() < 2.0 * ROUNDING * speed


def test_time_stepping_keeps_a_rod_between_steps():
    run = ss.simulate(pendulum(), 2.0, method="time_stepping", max_step=0.01, initial=at_angle(1.0))
    x, y = everywhere(run)[:2]
    assert np.abs(np.hypot(x, y) - LENGTH).max() < ROUNDING * LENGTH


@pytest.mark.parametrize("t_end", [1.0, 20.0, 100.0])
def test_derivatives_follow_the_constraint(t_end):
    """By gravity, of x² + y² = l²: x x_p + y y_p = 0 and x x'_p + x' x_p + y y'_p + y' y_p = 0."""
    run = ss.simulate(
        pendulum(), t_end, dt=t_end / 1500.0, initial=at_angle(1.0), sensitivities=["y.force_scale"]
    )
    (x, y, vx, vy), (sx, sy, svx, svy) = run.y, run.sensitivity.states[:, 0]
    length, speed = np.hypot(sx, sy).max(), np.hypot(svx, svy).max()
    assert np.abs(x * sx + y * sy).max() < 1e-10 * LENGTH * length
    assert np.abs(x * svx + vx * sx + y * svy + vy * sy).max() < 1e-10 * LENGTH * speed


def test_gradients_forwards_and_backwards_agree_along_a_constraint():
    names = ["y.force_scale", "x.mass", "y.mass"]
    gradients = []
    for mode in ("forward", "reverse"):
        of = ss.value_and_grad(
            lambda run: run["x.position"][-1] + run["y.velocity"][100], pendulum(), names, mode=mode, t_end=3.0, dt=0.01,
            initial=at_angle(1.0),
        )  # fmt: skip
        gradients.append(of([1.0, MASS, MASS])[1])
    assert np.abs(gradients[0]).min() > 1e-4
    assert gradients[1] == pytest.approx(gradients[0], rel=1e-10)
