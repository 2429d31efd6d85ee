"""Periods and delays of sampled controllers: parameters that move the sampling instants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stickslip as ss
from sensitivity.differences import Differences

STEPS = {
    "pid.control.period": 2e-6,
    "pid.control.delay": 4e-6,
    "slide.mass": 8e-5,
}  # no limit changes its instant
SLOW = ss.Sine(amplitude=1.0, frequency=0.4)


def slide() -> ss.Machine:
    return ss.Machine(mass=2.0, damping=0.8, names=["slide"])


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.0117])
@pytest.mark.parametrize("anti_windup", ["none", "clamping", "back_calculation"])
def test_derivatives_by_period_and_delay_agree_with_differences(anti_windup: str, delay: float) -> None:
    """Integrator and difference quotient depend on the period as well. Samples lie off the sampling instants."""
    m = slide()
    control = ss.PID(
        kp=35.0, ki=41.0, kd=6.0, limits=(-4.0, 3.0), anti_windup=anti_windup, period=0.013, delay=delay
    )  # fmt: skip
    m.add_controller(control, name="pid", on="slide", reference=SLOW)
    numbers = {"pid.control.period": 0.013, "pid.control.delay": delay, "slide.mass": 2.0}
    if delay == 0.0:
        del numbers["pid.control.delay"]
    runs = Differences(m, 1.5, numbers, initial={"slide.velocity": 0.2}, signals=["slide.position"])
    assert runs.run.sensitivity.valid_until.time == np.inf
    runs.times = 0.013 * (np.arange(110) + 0.6)
    for name in numbers:
        closer = (
            0.25 if (anti_windup, delay) == ("back_calculation", 0.0) else 1.0
        )  # an output near its limit
        assert runs.off(name, closer * STEPS[name]) < 1e-8, name


def test_derivatives_by_period_hold_with_filter_and_friction() -> None:
    """Coulomb friction that never turns; the filter of the derivative depends on the period."""
    m = slide()
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.7))
    control = ss.PID(kp=35.0, ki=4.0, kd=6.0, tf=0.03, period=0.013, delay=0.004)
    m.add_controller(control, name="pid", on="slide", reference=ss.Ramp(slope=2.0))
    numbers = {"pid.control.period": 0.013, "pid.control.delay": 0.004}
    runs = Differences(m, 1.0, numbers, initial={"slide.velocity": 2.0}, signals=["slide.position"])
    assert runs.run.sensitivity.valid_until.time == np.inf
    runs.times = 0.013 * (np.arange(70) + 0.6)
    for name in numbers:
        assert runs.off(name, STEPS[name]) < 1e-8, name


def ends(m: ss.Machine, t_end: float, name: str, **options: float) -> tuple[float, str]:
    until = ss.simulate(m, t_end, sensitivities=[name], **options).sensitivity.valid_until
    return until.time, until.reason


def test_end_at_a_sampling_instant_ends_derivatives() -> None:
    """The velocity's rate jumps there: on one side of the period its end lies before the instant."""
    m = slide()
    m.add_controller(ss.PID(kp=35.0, period=0.015625), name="pid", on="slide", reference=SLOW)
    time, reason = ends(m, 1.0, "pid.control.period")
    assert time == 1.0 and "at an end of the run" in reason
    assert ends(m, 1.005, "pid.control.period")[0] == np.inf
    time, reason = ends(m, 1.005, "pid.control.period", t_start=0.5)
    assert time == 0.5 and "at an end of the run" in reason


LAWS = {
    "coulomb": ss.Coulomb(static=1.0, kinetic=0.7),
    "stribeck": ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.1, viscous=0.3),
}
CONTROLS: dict[str, dict[str, Any]] = {
    "P": {"kp": 35.0},
    "PI": {"kp": 35.0, "ki": 20.0},
    "PID": {"kp": 35.0, "ki": 20.0, "kd": 3.0, "limits": (-4.0, 3.5)},
}


def stuck(law: str, masses: int) -> ss.Machine:
    """One mass, or a motor with friction of its own that drags a second one by a spring."""
    if masses == 1:
        m = slide()
    else:
        k, d = np.array([[300.0, -300.0], [-300.0, 300.0]]), np.array([[2.0, -1.0], [-1.0, 1.0]])
        m = ss.Machine(mass=np.diag([2.0, 1.0]), stiffness=k, damping=d, names=["slide", "table"])
        m.add_friction("bearing", on="table", law=ss.Coulomb(static=0.5, kinetic=0.3))
    m.add_friction("guide", on="slide", law=LAWS[law])
    return m


@pytest.mark.parametrize(
    ("law", "masses", "control", "delay"),
    [
        ("coulomb", 1, "PI", 0.004), ("coulomb", 2, "P", 0.0), ("coulomb", 2, "PID", 0.004),
        ("stribeck", 1, "PID", 0.004), ("stribeck", 2, "PI", 0.0),
    ],
)  # fmt: skip
def test_mode_change_at_a_sampling_instant_moves_with_it(
    law: str, masses: int, control: str, delay: float
) -> None:
    """The output of a controller sets a body free: the event is the sampling instant, and moves with it."""
    m = stuck(law, masses)
    pid = ss.PID(**CONTROLS[control], period=0.0131, delay=delay)
    m.add_controller(pid, name="pid", on="slide", reference=SLOW)
    numbers = {"pid.control.period": 0.0131, "pid.control.delay": delay}
    if delay == 0.0:
        del numbers["pid.control.delay"]
    runs = Differences(m, 2.2, numbers, signals=["slide.position"], rtol=1e-12)
    until, events = runs.run.sensitivity.valid_until, runs.run.events
    assert until.time == np.inf, until.reason
    assert events[0].sensitivity["pid.control.period"] == pytest.approx(1.0, rel=1e-12)  # the first instant
    times = 0.0131 * (np.arange(167) + 0.65)
    runs.times = times[np.abs(times[:, None] - events.time).min(axis=1) > 4e-4]
    for name, step in (("pid.control.period", 1.3e-6), ("pid.control.delay", 8e-6)):
        if name in numbers:
            assert runs.off(name, step) < 2e-8, name


def test_sampling_instant_at_a_reference_step_ends_derivatives() -> None:
    """Beside it the controller finds the reference before its step, or behind it."""
    m = stuck("coulomb", 1)
    step = ss.Step(value=1.0, start=0.125)
    m.add_controller(ss.PID(kp=35.0, period=0.015625), name="pid", on="slide", reference=step)
    time, reason = ends(m, 1.005, "pid.control.period")
    assert time == 0.125 and "at a breakpoint of a signal" in reason


def test_separating_sampling_instants_end_derivatives() -> None:
    """The fifth instant of one is the third of the other."""
    m = slide()
    m.add_controller(ss.PID(kp=3.0, period=0.03), name="a", on="slide", reference=SLOW)
    m.add_controller(ss.PID(kp=5.0, period=0.05), name="b", on="slide", reference=SLOW)
    time, reason = ends(m, 1.005, "a.control.period")
    assert time == pytest.approx(0.15) and "separates" in reason


def test_derivative_by_zero_delay_is_undetermined() -> None:
    m = slide()
    m.add_controller(ss.PID(kp=35.0, period=0.013), name="pid", on="slide", reference=SLOW)
    time, reason = ends(m, 1.005, "pid.control.delay")
    assert time == 0.0 and "a zero delay" in reason


def test_adjoint_by_period_falls_back_to_forward_mode() -> None:
    m = slide()
    m.add_controller(ss.PID(kp=35.0, period=0.013), name="pid", on="slide", reference=SLOW)
    names, at = ["pid.control.period", "pid.control.kp"], [0.013, 35.0]
    found = [
        ss.value_and_grad(lambda run: run["slide.position"][-1], m, names, t_end=1.005, mode=mode)(at)[1]
        for mode in ("auto", "forward")
    ]
    assert np.array_equal(*found)


def test_derivatives_of_means_by_period_agree_with_differences() -> None:
    """Sampling bends positions and velocities; what is held jumps there, and has none."""

    def run(period: float, **options: Any) -> ss.Trajectory:
        m = stuck("coulomb", 2)
        m.add_controller(ss.PID(kp=35.0, ki=20.0, period=period), name="pid", on="slide", reference=SLOW)
        return ss.simulate(m, 1.005, rtol=1e-12, **options)

    name, h = "pid.control.period", 4e-7
    sensitivity = run(0.0131, sensitivities=[name]).sensitivity
    for state in ("slide.position", "table.position"):
        # The mean of the velocity is what the position has gained.
        velocity = sensitivity.measure(state.replace("position", "velocity") + ".mean", name)
        final = sensitivity.measure(f"{state}.final", name)
        assert velocity == pytest.approx(final / 1.005, rel=1e-9)
    other = run(0.0131 + h), run(0.0131 - h), run(0.0131 + 2 * h), run(0.0131 - 2 * h)
    a, b, c, d = (_mean_of(one, "slide.position") for one in other)
    truth = (8.0 * (a - b) - (c - d)) / (12.0 * h)
    assert sensitivity.measure("slide.position.mean", name) == pytest.approx(truth, rel=1e-7)
    assert np.isnan(sensitivity.measure("pid.held.mean", name))


def _mean_of(run: ss.Trajectory, signal: str) -> float:
    points, weights = np.polynomial.legendre.leggauss(8)
    ends = np.unique([*run._raw.step_times(), *run.events.time, *run.t[[0, -1]]])
    half = 0.5 * np.diff(ends)
    t = (ends[:-1] + half)[:, None] + half[:, None] * points
    values = run.at(t.ravel())[signal].reshape(t.shape)
    return float(half @ (values @ weights)) / (run.t[-1] - run.t[0])


def test_derivatives_of_extremes_by_period_are_nan() -> None:
    """Samples may lie at a sampling instant, where the velocity has a corner."""
    m = slide()
    m.add_controller(ss.PID(kp=35.0, period=0.013), name="pid", on="slide", reference=SLOW)
    run = ss.simulate(m, 1.005, sensitivities=["pid.control.period"])
    assert np.isnan(run.sensitivity.measure("slide.velocity.max", "pid.control.period"))
    assert np.isfinite(run.sensitivity.measure("slide.velocity.final", "pid.control.period"))
