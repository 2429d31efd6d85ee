"""Sampled controllers at their limits, with delays and one behind the other: what sampling does to a tangent."""

from __future__ import annotations

import pytest

import stickslip as ss
from sensitivity.differences import Differences

LIMITS = (-4.0, 3.0)
SLOW = ss.Sine(amplitude=1.0, frequency=0.4)


def slide() -> ss.Machine:
    return ss.Machine(mass=2.0, damping=0.8, names=["slide"])


@pytest.mark.parametrize("delay", [0.0, 0.004])
@pytest.mark.parametrize("anti_windup", ["none", "clamping", "back_calculation"])
def test_derivatives_of_limited_sampled_loop_agree_with_differences(anti_windup: str, delay: float) -> None:
    m = slide()
    control = ss.PID(
        kp=35.0, ki=41.0, kd=6.0, limits=LIMITS, anti_windup=anti_windup, period=0.013, delay=delay
    )  # fmt: skip
    m.add_controller(control, name="pid", on="slide", reference=SLOW)
    numbers = {
        "pid.control.kp": 35.0, "pid.control.ki": 41.0, "pid.control.kd": 6.0, "pid.control.limits.max": 3.0,
        "pid.control.limits.min": -4.0, "pid.reference_scale": 1.0, "slide.mass": 2.0, "slide.velocity": 0.2,
    }  # fmt: skip
    start = {"slide.velocity": 0.2}
    runs = Differences(m, 3.0, numbers, initial=start, signals=["slide.position", "pid.output"])
    out = ss.simulate(m, 3.0, dt=0.013, initial=start)["pid.output"]
    assert min((out == 3.0).sum(), (out == -4.0).sum(), ((out > -4.0) & (out < 3.0)).sum()) > 5
    limits = [e for e in runs.run.events if e.element == "pid"]
    assert limits and all(e.sensitivity[name] == 0.0 for e in limits for name in numbers)  # a sample's time
    for name, value in numbers.items():
        assert runs.off(name, 4e-5 * value) < 1e-8, name


def test_derivatives_of_sampled_cascade_agree_with_differences() -> None:
    """A slow position loop commands a quick speed loop, which reads its new output at common instants."""
    m = slide()
    m.add_controller(
        ss.P(kp=4.0, limits=(-0.8, 0.8), period=0.03),
        name="position",
        measure="slide.position",
        reference=SLOW,
    )
    m.add_controller(
        ss.PI(kp=30.0, tn=0.2, limits=(-9.0, 9.0), anti_windup="back_calculation", period=0.01, delay=0.002),
        name="speed", measure="slide.velocity", reference="position.output", to="slide",
    )  # fmt: skip
    numbers = {
        "position.control.kp": 4.0, "position.control.limits.max": 0.8, "speed.control.kp": 30.0,
        "speed.control.tn": 0.2, "speed.control.limits.min": -9.0, "slide.damping": 0.8,
    }  # fmt: skip
    runs = Differences(m, 3.0, numbers, signals=["slide.position", "speed.output"])
    for name, value in numbers.items():
        assert runs.off(name, 8e-5 * abs(value)) < 1e-8, name
