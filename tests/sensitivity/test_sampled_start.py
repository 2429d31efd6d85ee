"""The first output of a sampled controller at the start of a run depends on the parameters."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

PERIOD, MASS = 0.1, 2.0
START = {"q.position": 0.1, "q.velocity": 0.2}


def run(t_start: float, limits: tuple[float, float] | None = None) -> ss.Trajectory:
    m = ss.Machine(mass=MASS, names=["q"])
    control = ss.PID(kp=30.0, period=PERIOD, **({} if limits is None else {"limits": limits}))
    m.add_controller(control, "loop", on="q", reference=1.0)
    return ss.simulate(
        m, t_start + 10 * PERIOD, t_start=t_start, initial=START, sensitivities=["loop.control.kp", *START]
    )


def by_hand(first: float, kp: complex, position: complex, velocity: complex) -> complex:
    """Position after ten periods of a mass under held forces kp (1 - x), the first of them so long after the start."""
    x, v, rest = position + first * velocity, velocity, 10 * PERIOD - first
    while rest > 1e-9:
        step, force = min(PERIOD, rest), kp * (1.0 - x)
        x, v = x + step * v + force / MASS * step**2 / 2.0, v + force / MASS * step
        rest -= step
    return x


@pytest.mark.parametrize(("t_start", "first"), [(0.0, 0.0), (0.5, 0.0), (0.53, 0.07)])
def test_first_sampling_instant_counts(t_start: float, first: float) -> None:
    """An instant of the controller at the start counts, as any later one."""
    end = run(t_start).sensitivity.end[0]
    truth = []
    for j in range(3):
        values = np.array([30.0, 0.1, 0.2], dtype=complex)
        values[j] += 1e-30j
        truth.append(by_hand(first, *values).imag / 1e-30)
    np.testing.assert_allclose(end, truth, rtol=1e-9)


def test_first_output_at_its_limit_has_zero_derivative() -> None:
    r = run(0.0, limits=(-5.0, 5.0))
    assert r["loop.output"][0] == 5.0
    early = r.at([0.5 * PERIOD]).sensitivity
    assert early["q.velocity", "loop.control.kp"][0] == 0.0
    assert early["q.position", "q.velocity"][0] == pytest.approx(0.5 * PERIOD)
