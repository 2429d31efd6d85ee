"""A short piece of a signal has its own size, whatever the time constants of the plant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss


def slow_plant(force: ss.Signal) -> ss.Machine:
    """M/D is 100 s, a thousand times as long as the steps of the force."""
    return ss.Machine(mass=1.0, damping=0.01, names=["x"], force={"x": force})


def test_large_signal_does_not_close_a_gap():
    step = ss.SmoothStep(1.0, duration=0.1)
    m = slow_plant(-1.0 * step)
    m.add_contact("floor", normal={"x": 1.0}, gap=0.1)
    run = ss.simulate(m, 2.0)

    def lands(t, y):
        return y[0] + 0.1

    lands.terminal = True
    truth = solve_ivp(
        lambda t, y: [y[1], -float(step(t)) - 0.01 * y[1]],
        (0.0, 2.0), [0.0, 0.0], rtol=1e-12, atol=1e-14, events=lands, max_step=0.01,
    ).t_events[0][0]  # fmt: skip
    assert [str(e.after) for e in run.events] == ["closed"]
    assert run.events[0].time == pytest.approx(truth, abs=1e-10)
    assert run["x.position"][-1] == pytest.approx(-0.1, abs=1e-15)


def test_large_signal_does_not_stop_a_motion():
    m = slow_plant(ss.SmoothStep(1.0, start=0.5, duration=0.1))
    m.add_friction("f", on="x", law=ss.Coulomb(1.0))
    assert ss.simulate(m, 1.0, initial={"x.velocity": 1.0}).at([0.0])["x.velocity"] == [1.0]


def test_sampling_instant_does_not_stop_a_motion():
    m = slow_plant(ss.SmoothStep(1.0, start=0.5, duration=0.1))
    m.add_friction("g", on="x", law=ss.Coulomb(0.3))
    m.add_controller(ss.PID(kp=100, kd=5, period=0.02), on="x", reference=1.0)
    run = ss.simulate(m, 1.0)
    instants = np.arange(1, 50) * 0.02
    before, after = run.at(instants - 1e-9)["x.velocity"], run.at(instants)["x.velocity"]
    assert np.abs(after - before).max() < 1e-6  # of up to 7.7 m/s; forces are below 1 kN
    assert run.energy.residual < 1e-13


@pytest.mark.parametrize("start", [0.0, 5.1, 1e4])
@pytest.mark.parametrize("slope", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("speed", [0.0, 1e-300, 1e-45, 1e-9])
def test_load_that_rises_from_zero_sets_the_size_of_the_motion(
    speed: float, slope: float, start: float
) -> None:
    """m v' = F - (mu + c v) N with F = slope t, N = 0.7 F. The velocity at the start, a remnant, has no effect."""
    push = ss.Ramp(slope=slope, start=start)
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": push, "y": -0.7 * push})
    law = ss.Coulomb(static=0.8, kinetic=0.5) + ss.Viscous(0.1)
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law)
    run = ss.simulate(m, (start, start + 2.0), initial={"x.velocity": speed})
    rate = 0.07 * slope * 2.0  # c 0.7 slope t^2 / 2
    exact = speed * np.exp(-rate) - 0.65 / 0.07 * np.expm1(-rate)
    assert run["x.velocity"][-1] == pytest.approx(exact, rel=4e-9)
