"""Brakes that are released hold nothing: beside others that share a load they change no motion."""

import numpy as np
import pytest

import stickslip as ss

PUSH = ss.Sine(3.0, 1.3, phase=0.4)


def train(loads: tuple[tuple[float, ...], ...], released: bool) -> ss.Machine:
    """Masses in a row under brakes with these loads; without those that are released, or with them."""
    m = ss.Machine(mass=[1.0, 1.2, 0.8][: len(loads)], names=[f"x{i}" for i in range(len(loads))])
    for i in range(len(loads) - 1):
        m.add_spring(f"s{i}", on=(f"x{i}", f"x{i + 1}"), stiffness=11.0 + i)
    for i, own in enumerate(loads):
        for j, load in enumerate(own):
            if load > 0.0 or released:
                m.add_friction(f"f{i}{j}", on=f"x{i}", law=ss.Coulomb(1.2 + 0.1 * j, 1.0), normal_load=load)
    m.add_force("x0", PUSH)
    return m


@pytest.mark.parametrize(
    "loads",
    [
        ((1.0, 0.0),),
        ((0.0,), (0.0,), (1.0, 0.0)),  # two that slide free, and one that shares with nothing
        ((2.0,), (1.0, 2.0), (0.0, 0.0)),
        ((1.0, 2.0), (0.0, 0.0)),
        ((0.0, 1.0), (0.0, 0.0, 2.0), (1.0, 0.0)),
    ],
)
def test_released_brakes_do_not_change_the_motion(loads):
    run, bare = (ss.simulate(train(loads, released), 3.0, dt=0.01) for released in (True, False))
    assert run.success and bare.success
    for i in range(len(loads)):
        for signal in (f"x{i}.position", f"x{i}.velocity"):
            np.testing.assert_allclose(run[signal], bare[signal], rtol=0, atol=1e-12)
    for i, own in enumerate(loads):
        for j, load in enumerate(own):
            if load == 0.0:
                assert np.all(run[f"f{i}{j}.force"] == 0.0)
    assert ss.analysis.audit(run).passed


def test_brake_applied_beside_a_holding_one_keeps_rest():
    """2 t = 1.2 + 0.5 t at break-away; one on a mass of its own is put on as well, 4 t against 3 t."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_friction("firm", on="x", law=ss.Coulomb(1.2, 1.0))
    m.add_friction("put_on", on="x", law=ss.Coulomb(1.0), normal_load=ss.Ramp(0.5))
    m.add_friction("alone", on="y", law=ss.Coulomb(1.0), normal_load=ss.Ramp(4.0))
    m.add_force("x", ss.Ramp(2.0))
    m.add_force("y", ss.Ramp(3.0))
    run = ss.simulate(m, 1.5)
    assert run.events and all(event.time == pytest.approx(0.8, rel=1e-12) for event in run.events)
    assert np.all(run["y.velocity"] == 0.0)
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize(("holds", "pushes"), [(4.0, 3.0), (3.0, 4.0), (3.0, 3.0)])
@pytest.mark.parametrize("others", [0, 1, 2])
def test_force_and_brake_growing_together_match_closed_form(holds, pushes, others):
    """y'' = (pushes - holds) t where that is more than nothing, with up to two brakes on another mass."""
    m = ss.Machine(mass=[1.0, 1.0], names=["y", "x"])
    m.add_friction("brake", on="y", law=ss.Coulomb(1.0), normal_load=ss.Ramp(holds))
    m.add_force("y", ss.Ramp(pushes))
    for k in range(others):
        m.add_friction(f"other{k}", on="x", law=ss.Coulomb(1.2, 1.0))
    run = ss.simulate(m, 1.5)
    assert run.success and not run.events
    assert run["y.position"][-1] == pytest.approx(max(pushes - holds, 0.0) * 1.5**3 / 6.0, rel=1e-12)
