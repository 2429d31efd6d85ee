"""Coefficients of restitution that depend on the speed of approach, against closed forms."""

import numpy as np
import pytest

import stickslip as ss

G = 10.0


def ball(**how):
    m = ss.Machine(mass=2.0, names=["ball"], force={"ball": -2.0 * G})
    m.add_contact("floor", normal={"ball": 1.0}, **how)
    return m


def falling(v):
    return 1.0 / (1.0 + 0.3 * v)


SPEEDS, VALUES = [0.5, 2.0, 5.0], [0.9, 0.5, 0.3]


@pytest.mark.parametrize("impact", ["poisson", "newton"])
@pytest.mark.parametrize(
    ("given", "law"),
    [
        (falling, falling),
        (1.0 / (1.0 + 0.3 * ss.Expr("speed")), falling),
        ((SPEEDS, VALUES), lambda v: np.interp(v, SPEEDS, VALUES)),
    ],
)
def test_a_ball_bounces(given, law, impact):
    """Speeds v, e(v) v, ... at the floor, and flights of 2 v / g between them."""
    m = ball(restitution=given, impact=impact)
    assert ss.Machine.from_dict(m.to_dict()) == m
    run = ss.simulate(m, 4.0, initial={"ball.position": 1.8})
    v, t = 6.0, 0.6
    hits = [e for e in run.events if e.impact]
    assert len(hits) > 10
    for hit in hits[:10]:
        assert hit.time == pytest.approx(t, abs=1e-11)
        assert hit.normal_impulse == pytest.approx(2.0 * v * (1.0 + law(v)), rel=1e-11)
        v *= law(v)
        t += 2.0 * v / G
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("impact", ["poisson", "newton"])
def test_each_contact_uses_its_own_approach_speed(impact):
    """Two bodies hit two floors at one instant, and a third, which rests on the second, is thrown by Poisson's law
    with e(0) of what presses it, by Newton's not at all.
    """
    m = ss.Machine(mass=[1.0, 2.0, 3.0], names=["a", "b", "c"])
    m.add_contact("a floor", normal={"a": 1.0}, restitution=falling, impact=impact)
    m.add_contact("bc", normal={"b": 1.0, "c": -1.0}, restitution=lambda v: 0.25 + 0.1 * v, impact=impact)
    m.add_contact("c floor", normal={"c": 1.0}, restitution=lambda v: 0.5 + 0.1 * v, impact=impact)
    start = {"a.position": 1.0, "a.velocity": -2.0, "b.position": 1.5, "b.velocity": -3.0}
    run = ss.simulate(m, 0.6, initial=start)
    assert run["a.velocity"][-1] == pytest.approx(2.0 * falling(2.0), rel=1e-12)
    by_hand = ss.contact.impact(
        [1.0, 2.0, 3.0],
        [-2.0, -3.0, 0.0],
        [[1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]],
        restitution=[falling(2.0), 0.25 + 0.3, 0.5],
        law=impact,
    )[0]
    assert [run[f"{name}.velocity"][-1] for name in "abc"] == pytest.approx(by_hand.velocity, abs=1e-12)


def test_time_stepping_uses_speed_dependent_restitution():
    run = ss.simulate(
        ball(restitution=falling), 1.0, method="time_stepping", max_step=1e-4, initial={"ball.position": 1.8}
    )
    exact = ss.simulate(ball(restitution=falling), 1.0, initial={"ball.position": 1.8})
    assert run["ball.velocity"][-1] == pytest.approx(exact["ball.velocity"][-1], abs=5e-3)


def test_restitution_outside_its_range_ends_the_run():
    run = ss.simulate(ball(restitution=lambda v: 2.0 - v), 4.0, initial={"ball.position": 1.8})
    assert run.status == "failed"
    assert "restitution of 'floor' is -4 where it is approached with 6" in run.message
    assert run.t[-1] == pytest.approx(0.6)
    for wrong, match in (
        (lambda v: v["a"], "could not be traced"),
        (ss.Expr("ball.velocity"), "must be one formula of 'speed'"),
        (([0.0, 1.0], [0.5]), "equal length"),
        (([1.0, 0.0], [0.5, 0.5]), "increasing"),
        (([0.0, 1.0], [0.5, 1.5]), r"in \[0, 1\]"),
        (1.5, r"in \[0, 1\]|fraction|0 and 1"),
    ):
        with pytest.raises(ValueError, match=match):
            ball(restitution=wrong)
