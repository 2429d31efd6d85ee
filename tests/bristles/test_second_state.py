"""The second state of TwoStateBristle lives on a narrow peak at v = 0; here the force knows nothing of it (Fs = Fc)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

S0, S1, FC, VS, VISCOUS = 2000.0, 13.0, 0.7, 3e-3, 0.1
LAW = ss.TwoStateBristle(
    stiffness=S0,
    damping=S1,
    viscous=VISCOUS,
    static=FC,
    kinetic=FC,
    stribeck_velocity=VS,
    shape=2.0,
    alpha=0.0,
)


@pytest.mark.parametrize("rtol", [1e-6, 1e-8])
def test_the_peak_at_a_reversal_is_not_stepped_over(rtol: float) -> None:
    m = ss.Machine(mass=[1.0], stiffness=20.0, names=["x"])
    m.add_friction("f", on="x", law=LAW, normal_load=0.2)
    run = ss.simulate(m, 3.0, initial={"x.velocity": 2.0}, rtol=rtol)
    assert run.success

    def rates(_: float, y: np.ndarray) -> list[float]:
        x, v, z, _y = y
        zdot = v - S0 * abs(v) * z
        force = 0.2 * (S0 * FC * z + S1 * zdot) + VISCOUS * v
        return [v, -20.0 * x - force, zdot, np.sign(v) * np.exp(-((v / VS) ** 2)) / S0 - _y]

    truth = solve_ivp(
        rates, (0.0, 3.0), [0.0, 2.0, 0.0, 0.0], method="Radau", rtol=1e-9, atol=1e-12, max_step=2e-4
    )
    assert S0 * run["f.z1"][-1] == pytest.approx(S0 * truth.y[3, -1], abs=1e-5)


@pytest.mark.parametrize("rtol", [1e-6, 1e-7, 1e-8, 1e-9])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_second_state_at_rest_keeps_its_side(side: float, rtol: float) -> None:
    """y' = (sgn v/s0 − y): at rest sgn v is what it was, and y an exponential."""
    m = ss.Machine(mass=[1.0], names=["x"])
    m.add_friction("f", on="x", law=LAW, normal_load=0.2)
    m.add_friction("dry", on="x", law=ss.Coulomb(1.0))
    run = ss.simulate(m, 3.0, initial={"x.velocity": side * 0.3}, rtol=rtol, dt=0.01)
    stop = next(e.time for e in run.events if str(e.after) == "stick" and e.time > 0.0)
    late = run.t > stop
    y, tau = side * S0 * run["f.z1"][late], run.t[late] - run.t[late][0]
    assert y == pytest.approx(1.0 - (1.0 - y[0]) * np.exp(-tau), abs=1e-5)
    assert y[-1] > 0.9


def test_force_at_rest_stays_within_limits_without_zero() -> None:
    """From z = y = 1/s0 the least force, s0 Fc z + (s0 (Fs - Fc) - alpha) y - alpha/s0, is 1.8 N; held there y falls."""
    m = ss.Machine(mass=[1.0], names=["x"])
    m.add_friction("dry", on="x", law=ss.Coulomb(3.0))
    bristle = ss.TwoStateBristle(
        stiffness=1e3, damping=0.0, static=2.0, kinetic=1.0, stribeck_velocity=1e-2, alpha=100.0
    )
    m.add_friction("bristle", on="x", law=bristle)
    run = ss.simulate(m, 2.0, rtol=1e-10, dt=0.1, initial={"bristle.z0": 1e-3, "bristle.z1": 1e-3})
    assert not run.events
    assert run["bristle.force"] == pytest.approx(1.8 * np.exp(-run.t), rel=1e-9)
    assert run["dry.force"] == pytest.approx(-1.8 * np.exp(-run.t), rel=1e-9)
    assert not ss.analysis.audit(run).findings
