"""A bristle law that rests beside dry friction: bristles stay bent, so that what they can hold does not lie about zero."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

S0, FC, FS, N = 3500.0, 1.7, 2.7, 1.5


@pytest.mark.parametrize("alpha", [300.0, 2000.0, 3485.0])
@pytest.mark.parametrize("level", [0.3, 3.0])
def test_each_holds_what_it_can_and_the_second_state_follows(alpha: float, level: float) -> None:
    """At rest the bristles bear N (s0 Fc z + (s0 (Fs − Fc) − α) y + [−1, 1] α/s0), dry friction ± level, both at the same
    share u of their reach about the middle; and y' = u/s0 − y, an exponential since u is linear in y.
    """
    bent = ss.TwoStateBristle(
        stiffness=S0,
        damping=2.0,
        viscous=0.1,
        static=FS,
        kinetic=FC,
        stribeck_velocity=7e-3,
        shape=2.0,
        alpha=alpha,
    )
    m = ss.Machine(mass=1.0, names=["x"], force={"x": -1.0})
    m.add_friction("bristles", on="x", law=bent, normal_load=N)
    m.add_friction("dry", on="x", law=ss.Coulomb(level))
    run = ss.simulate(m, 3.0, initial={"x.velocity": 0.5}, dt=0.01, rtol=1e-10)
    assert run.success
    rest = (
        (run["bristles.mode"] == ss.Mode.STICK)
        & (run["dry.mode"] == ss.Mode.STICK)
        & (run.t > run.events[-1].time)
    )
    assert rest.sum() > 100
    z, y = run["bristles.z0"][rest], run["bristles.z1"][rest]
    middle = N * (S0 * FC * z + (S0 * (FS - FC) - alpha) * y)
    reach = N * alpha / S0
    u = (run["bristles.force"][rest] - middle) / reach
    assert np.abs(middle).max() > reach or alpha > 3000.0
    assert run["bristles.force"][rest] + run["dry.force"][rest] == pytest.approx(-1.0, abs=1e-12)
    assert np.abs(u).max() <= 1.0 + 1e-9
    assert u == pytest.approx(run["dry.force"][rest] / level, abs=1e-9)
    # u = (total − middle) / (all reach) is linear in y: y' = a − r y from here on
    a = (-1.0 - N * S0 * FC * z[0]) / (reach + level) / S0
    r = 1.0 + N * (S0 * (FS - FC) - alpha) / (reach + level) / S0
    t = run.t[rest] - run.t[rest][0]
    assert S0 * y == pytest.approx(S0 * (a / r + (y[0] - a / r) * np.exp(-r * t)), abs=1e-8)
