"""A load that falls while a body slides leaves lagged friction above what rest can hold."""

import numpy as np
import pytest

import stickslip as ss

RANDOM = [np.random.default_rng([9, k]) for k in range(60)]


def falling(force: float, memory: float, low: float, side: float) -> ss.Machine:
    """1 kg under a constant force; the load falls from 1 to `low` within 0.25 s."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": side * force})
    load = ss.Ramp(slope=(low - 1.0) / 0.25, offset=1.0, stop=0.25)
    m.add_friction("f", on="x", law=ss.StickSlip(ss.Coulomb(0.5), memory=ss.Lag(memory)), normal_load=load)
    return m


@pytest.mark.parametrize("rng", RANDOM, ids=lambda rng: "")
def test_element_held_by_lagged_force_breaks_away_at_closed_form_time(rng):
    """After the fall f' = (fs - f)/T, so that f reaches the force F at t1 + T log((f1 - fs)/(F - fs))."""
    memory, low, side = rng.uniform(2.0, 20.0), rng.uniform(0.2, 0.5), rng.choice([-1.0, 1.0])
    fs = 0.5 * low
    force = rng.uniform(fs + 0.2 * (0.5 - fs), fs + 0.7 * (0.5 - fs))
    speed = rng.uniform(0.9, 1.3) * 0.45 * (0.49 - force)
    run = ss.simulate(falling(force, memory, low, side), 60.0, initial={"x.velocity": side * speed})
    assert run.success
    stop, leaves = run.events[0], run.events[1]
    assert stop.cause == "f stops sliding" and stop.time > 0.25
    f1 = run.at([stop.time])["f.lagged_force"][0]
    assert fs < force < f1
    truth = stop.time + memory * np.log((f1 - fs) / (force - fs))
    assert leaves.cause == "f breaks away" and leaves.time == pytest.approx(truth, abs=1e-7 * truth)
    assert run.at([0.5 * (stop.time + leaves.time)])["x.velocity"][0] == 0.0


def test_stop_above_the_static_level_is_not_permanent():
    run = ss.simulate(falling(0.4, 10.0, 0.5, 1.0), 3.0, initial={"x.velocity": 0.05})
    assert "permanently" not in run.message and not run.why_stuck("f").permanent
