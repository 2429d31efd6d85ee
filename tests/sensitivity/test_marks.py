"""Derivatives of crossings: when a signal crosses a level, and where the machine is then."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stickslip as ss


def swing(terminal: bool = False, level: float = 0.3) -> ss.Trajectory:
    m = ss.Machine(mass=2.0, stiffness=8.0, names=["q"])
    mark = ss.Crossing("q.position", level=level, terminal=terminal)
    return ss.simulate(
        m,
        5.0,
        initial={"q.velocity": 1.0},
        events=mark,
        sensitivities=["q.velocity", "q.mass", "q.stiffness"],
    )


@pytest.mark.parametrize("terminal", [False, True])
def test_crossing_of_an_oscillation_matches_closed_form(terminal: bool) -> None:
    """x = v/w sin(w t) crosses the level at t = arcsin(w level / v)/w, its velocity is then v √(1 - (w level / v)²)."""
    run = swing(terminal)
    first = run.events[0].sensitivity
    assert first is not None and list(first) == ["q.velocity", "q.mass", "q.stiffness"]
    v, w, level = 1.0, 2.0, 0.3
    u = w * level / v
    root = math.sqrt(1.0 - u**2)
    by_v, by_w = -level / v**2 / root, level / v / root / w - math.asin(u) / w**2
    for name, truth in (
        ("q.velocity", by_v),
        ("q.mass", by_w * -0.5 * w / 2.0),
        ("q.stiffness", by_w * 0.5 * w / 8.0),
    ):
        assert first[name] == pytest.approx(truth, rel=1e-10), name
    for side in (first.before, first.after):
        np.testing.assert_allclose(side[0], 0.0, atol=1e-12)  # on the level, in each run
        assert side[1, 0] == pytest.approx(1.0 / root, rel=1e-10)


def test_crossing_at_a_signal_step_has_zero_derivative() -> None:
    """The acceleration jumps across the level at a time that nothing moves; so does what a controller holds."""
    m = ss.Machine(mass=2.0, stiffness=1.0, names=["q"])
    m.add_force("q", ss.Piecewise([0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 1.0, 1.0]))
    late = ss.Piecewise([0.0, 1.45, 1.45, 3.0], [0.0, 0.0, 9.0, 9.0])
    m.add_controller(ss.PID(kp=1.0, period=0.1), "loop", on="q", reference=late)
    marks = [ss.Crossing("q.acceleration", level=0.25), ss.Crossing("loop.output", level=1.0)]
    run = ss.simulate(
        m, 2.0, initial={"q.velocity": 0.1}, events=marks, sensitivities=["q.mass", "loop.control.kp"]
    )
    assert [e.time for e in run.events] == pytest.approx([1.0, 1.5])
    for e in run.events:
        assert e.sensitivity is not None and list(e.sensitivity.values()) == [0.0, 0.0]
    sampled = run.events[1].sensitivity
    assert sampled is not None
    held = run.states.index("loop.held")
    before, after = np.moveaxis(run.at([1.45, 1.5]).sensitivity.states[held], 1, 0)
    np.testing.assert_allclose(sampled.before[held], before, rtol=1e-9)
    np.testing.assert_allclose(sampled.after[held], after, rtol=1e-9)
    assert abs(after[1] - before[1]) > 1.0  # by the gain: of the reference's step


def test_crossings_of_forces_and_sums_match_differences() -> None:
    """Signals that are no states, and combinations; a jump across the level is the event there."""

    def build(static: float) -> ss.Machine:
        m = ss.Machine(mass=1.3, stiffness=2.0, names=["block"])
        m.add_friction("belt", on="block", law=ss.Stribeck(static, 0.8, 0.3), surface_velocity=0.2)
        return m

    marks = [
        ss.Crossing("belt.force", level=-0.5, name="force"),
        ss.Crossing({"block.position": 1.0, "block.velocity": 0.7}, level=0.3, name="sum"),
        ss.Crossing("belt.mode", level=-0.5, name="jump"),
    ]

    def times(static: float) -> np.ndarray:
        run = ss.simulate(build(static), 9.0, rtol=1e-12, events=marks)
        return np.array([e.time for e in run.events if e.element != "belt"])

    run = ss.simulate(build(1.0), 9.0, rtol=1e-12, events=marks, sensitivities=["belt.law.static"])
    h = 1e-3
    truth = (8.0 * (times(1.0 + h) - times(1.0 - h)) - times(1.0 + 2 * h) + times(1.0 - 2 * h)) / (12.0 * h)
    own = [e.sensitivity["belt.law.static"] for e in run.events if e.element != "belt"]
    assert len(own) >= 4 and {"force", "sum", "jump"} == {e.element for e in run.events} - {"belt"}
    np.testing.assert_allclose(own, truth, rtol=1e-7, atol=1e-8)


def test_crossing_after_the_end_of_derivatives_is_nan() -> None:
    """Thrown up just to a ceiling: x = v t - t²/2 passes 0.375 at t = 1/2 and, behind the touch, at 3/2."""
    ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -1.0})
    ball.add_contact("ceiling", normal={"ball": -1.0}, gap=0.5, restitution=0.5)
    run = ss.simulate(
        ball, 1.9, initial={"ball.velocity": 1.0}, events=ss.Crossing("ball.position", level=0.375),
        sensitivities=["ball.velocity"],
    )  # fmt: skip
    crossings = [e for e in run.events if e.element == "ball.position"]
    assert [e.time for e in crossings] == pytest.approx([0.5, 1.5])
    assert crossings[0].sensitivity["ball.velocity"] == pytest.approx(-1.0, rel=1e-9)
    assert np.isnan(crossings[1].sensitivity["ball.velocity"])


def test_gradient_of_a_crossing_time_matches_closed_form() -> None:
    m = ss.Machine(mass=2.0, names=["slide"], force={"slide": 6.0})
    half = ss.Crossing("slide.position", level=1.5)
    of = ss.value_and_grad(lambda run: run.events[0].time, m, ["slide.mass"], t_end=3.0, events=half)
    value, gradient = of([2.0])
    assert value == pytest.approx(1.0) and gradient == pytest.approx([0.25], rel=1e-9)
