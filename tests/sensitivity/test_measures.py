"""Derivatives of measures: closed forms, and differences of what ensembles measure."""

from __future__ import annotations

import math

import numpy as np
import pytest

import stickslip as ss

BELT = {"belt.surface_velocity": 0.2, "belt.law.static": 1.0, "belt.law.kinetic": 0.8, "block.stiffness": 2.0}


def belt() -> ss.Machine:
    m = ss.Machine(mass=1.3, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


def bouncing() -> ss.Machine:
    m = ss.Machine(mass=1.5, names=["ball"], force={"ball": -14.0})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.7)
    return m


def test_derivatives_of_extremes_match_closed_form() -> None:
    """x lies between Fk/k ± √(A² + m v²/k), A = (Fs − Fk)/k."""
    run = ss.simulate(belt(), 7.5, initial={"block.velocity": 0.2}, sensitivities=list(BELT))
    v, fs, fk, k, m = *BELT.values(), 1.3
    a = (fs - fk) / k
    r = math.sqrt(a**2 + m * v**2 / k)
    truth = {
        "belt.surface_velocity": (0.0, m * v / k / r),
        "belt.law.static": (0.0, a / k / r),
        "belt.law.kinetic": (1.0 / k, -a / k / r),
        "block.stiffness": (-fk / k**2, (-(a**2) / k - 0.5 * m * v**2 / k**2) / r),
    }
    for name, (centre, radius) in truth.items():
        assert run.sensitivity.measure("block.position.max", name) == pytest.approx(
            centre + radius, abs=1e-11
        )
        # Its least lies at the start, where it is given.
        assert run.sensitivity.measure("block.position.min", name) == pytest.approx(0.0, abs=1e-12)


def test_derivatives_of_heights_and_means_match_closed_form() -> None:
    """Thrown from the floor with v: up to v²/2g, back after 2v/g, and the same with ε v; mean over a time in between."""
    ball, v, g = bouncing(), 3.0, 14.0 / 1.5
    numbers = ["ball.velocity", "floor.restitution", "ball.mass"]
    run = ss.simulate(ball, 1.0, initial={"ball.velocity": v, "ball.position": 1e-9}, sensitivities=numbers)
    measure = run.sensitivity.measure
    assert measure("ball.position.max", "ball.velocity") == pytest.approx(v / g, rel=1e-8)
    assert measure("floor.events.first", "ball.velocity") == pytest.approx(2.0 / g, rel=1e-8)
    assert measure("ball.velocity.min", "ball.velocity") == pytest.approx(
        -1.0, rel=1e-8
    )  # just before the impact
    assert measure("ball.velocity.max", "ball.velocity") == pytest.approx(1.0)  # at the start
    # Mean velocity is displacement: the step of the velocity at the bounce moves with its time.
    assert measure("ball.velocity.mean", "floor.restitution") == pytest.approx(
        run.sensitivity.end[0, 1], rel=1e-10
    )
    rest = 1.0 - 2.0 * v / g
    assert measure("ball.position.final", "floor.restitution") == pytest.approx(v * rest, rel=1e-6)


def sampled() -> ss.Machine:
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.7))
    m.add_controller(ss.PID(kp=35.0, kd=6.0, period=0.05), name="pid", on="slide", reference=1.0)
    return m


CASES = {
    "sampled": (sampled, {}, 2.0, ["pid.control.kp", "slide.mass"]),
    "belt": (belt, {"block.velocity": -0.1}, 21.3, list(BELT)),
    "ball": (bouncing, {"ball.position": 0.8}, 1.5, ["floor.restitution", "ball.mass", "ball.position"]),
}
MEASURES = {
    "sampled": [
        "pid.held.max", "pid.held.min", "pid.held.mean", "slide.position.max", "slide.velocity.min", "guide.stick_time",
    ],
    "belt": [
        "block.position.max", "block.position.min", "block.position.mean", "block.velocity.min", "block.velocity.mean",
        "block.position.final", "events.first", "events.last", "belt.events.last", "belt.stick_time",
    ],
    "ball": [
        "ball.velocity.max", "ball.velocity.min", "ball.position.mean", "ball.velocity.mean", "floor.events.last",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_derivatives_of_measures_agree_with_ensemble_differences(name: str) -> None:
    build, initial, t_end, parameters = CASES[name]
    m = build()
    run = ss.simulate(m, t_end, initial=initial, sensitivities=parameters)
    assert run.sensitivity.valid_until.time == np.inf and len(run.events) > 1
    for parameter in parameters:
        given = {**BELT, "floor.restitution": 0.7, "ball.mass": 1.5, "ball.position": 0.8,
                 "pid.control.kp": 35.0, "slide.mass": 2.0}[parameter]  # fmt: skip
        h = 2e-4 * given
        beside = np.array([-2.0, -1.0, 1.0, 2.0]) * h + given
        out = ss.ensemble(m, {parameter: beside}, t_end=t_end, measure=MEASURES[name], initial=initial)
        for measure in MEASURES[name]:
            y = out[measure]
            truth = (8.0 * (y[2] - y[1]) - (y[3] - y[0])) / (12.0 * h)
            own = run.sensitivity.measure(measure, parameter)
            assert own == pytest.approx(truth, rel=1e-7, abs=1e-9), (measure, parameter)


def test_tied_extremes_have_nan_derivatives() -> None:
    """The maxima of an oscillation are equal only as it is not damped: by its damping they part."""
    m = ss.Machine(mass=1.0, stiffness=4.0, damping=0.0, names=["q"])
    run = ss.simulate(m, 10.0, initial={"q.velocity": 1.0}, sensitivities=["q.damping", "q.velocity"])
    assert np.isnan(run.sensitivity.measure("q.position.max", "q.damping"))
    assert run.sensitivity.measure("q.position.max", "q.velocity") == pytest.approx(0.5, rel=1e-10)


def test_measure_after_the_end_of_derivatives_is_nan() -> None:
    """A ball touches a ceiling: its first velocity has a derivative, the rest of its way has none."""
    m = ss.Machine(mass=[1.0], names=["ball"], force={"ball": -1.0})
    m.add_contact("ceiling", {"ball": -1.0}, gap=0.5, restitution=0.5)
    run = ss.simulate(m, 1.9, initial={"ball.velocity": 1.0}, sensitivities=["ball.velocity"])
    measure = run.sensitivity.measure
    assert measure("ball.velocity.max", "ball.velocity") == pytest.approx(1.0, rel=1e-9)
    for name in ("ball.position.final", "ball.position.mean"):
        assert np.isnan(measure(name, "ball.velocity"))


def test_measures_of_a_ball_that_comes_to_rest_match_closed_form() -> None:
    """Its greatest velocity √(2 F h / m), at the last bounce, and the end √(2 h m / F) (1 + e)/(1 - e)."""
    run = ss.simulate(bouncing(), 60.0, initial={"ball.position": 1.0}, sensitivities=["floor.restitution"])
    measure = run.sensitivity.measure
    speed = math.sqrt(2 * 14.0 / 1.5)
    assert measure("ball.velocity.max", "floor.restitution") == pytest.approx(speed, rel=1e-9)
    assert measure("ball.position.final", "floor.restitution") == pytest.approx(0.0, abs=1e-10)
    e = run.machine._description.numbers["floor.restitution"]
    last = 2.0 * math.sqrt(2 * 1.5 / 14.0) / (1.0 - e) ** 2
    assert measure("events.last", "floor.restitution") == pytest.approx(last, rel=1e-6)


def test_measures_without_derivative_are_refused() -> None:
    run = ss.simulate(belt(), 5.0, sensitivities=["belt.law.static"])
    with pytest.raises(
        ss.UnknownNameError, match="unknown measure 'block.position.median'; known are: 'events.first'"
    ):
        run.sensitivity.measure("block.position.median", "belt.law.static")
    with pytest.raises(ss.UnknownNameError, match="no derivatives by 'block.mass'"):
        run.sensitivity.measure("block.position.max", "block.mass")
    for name in ("belt.events.count", "events.count", "steps", "energy.residual"):
        with pytest.raises(ValueError, match=f"measure = '{name}'.*has no derivative"):
            run.sensitivity.measure(name, "belt.law.static")
