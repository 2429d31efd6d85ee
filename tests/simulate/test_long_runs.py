"""Long runs, long steps: a million events, free masses, damped slips in closed form."""

import itertools

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import stickslip as ss


def test_million_events_match_closed_form():
    """A block on a belt: sticking takes 2 a / v, a slip (2 pi - 2 atan(a w / v)) / w, a = (Fs - Fk) / k.

    The last event comes after 2.3e6 s, where a double knows the time to 4.7e-10 s; roundings of a million events would
    add up to 1e-5 s.
    """
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    w, a, v, pairs = np.sqrt(2.0), 0.1, 0.2, 499_999
    slip, stick = (2 * np.pi - 2 * np.arctan(a * w / v)) / w, 2 * a / v
    last = 2.5 + pairs * (slip + stick) + slip
    out = ss.ensemble(
        m, {"block.velocity": [v]}, last + 0.5 * stick, ["events.count", "events.last"], workers=1
    )
    assert out["events.count"][0] == 2 * (pairs + 1)
    assert out["events.last"][0] == pytest.approx(last, rel=0, abs=1e-9)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_polynomial_motion_is_one_step_per_event(size):
    """A thrown mass flies until its impact, however long compared with the time scale of the machine."""
    m = ss.Machine(mass=1.0, names=["ball"], force={"ball": -2.0})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.0)
    r = ss.simulate(m, 10.0 * size, initial={"ball.position": 0.0, "ball.velocity": 5.0 * size})
    assert r.events[-1].time == pytest.approx(5.0 * size, rel=1e-15)
    assert r._raw.steps <= 8


@pytest.mark.parametrize("seed", range(12))
def test_damped_slips_match_closed_form(seed):
    """Slips of a damped block, free and driven by its friction, against roots of a matrix exponential."""
    rng = np.random.default_rng(seed)
    mass, k, v = 10.0 ** rng.uniform(-1, 1, 3)
    c = rng.uniform(-0.03, 0.9) * 2.0 * np.sqrt(k * mass)
    kinetic = 10.0 ** rng.uniform(-1, 1)
    static = kinetic + rng.uniform(1.5, 4.0) * abs(c) * v + rng.uniform(0.1, 2.0) * v * np.sqrt(k * mass)
    m = ss.Machine(mass=mass, stiffness=k, damping=c, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=static, kinetic=kinetic), surface_velocity=v)
    A = np.array([[0.0, 1.0, 0.0], [-k / mass, -c / mass, kinetic / mass], [0.0, 0.0, 0.0]])
    period = 2.0 * np.pi * np.sqrt(mass / k)
    times, t = [], (static - c * v) / k / v  # sticking from x = 0
    for _ in range(4):
        times.append(t)
        x0 = np.array([(static - c * v) / k, v, 1.0])
        lag = np.linspace(1e-3, 3.0, 3000) * period
        step = expm(A * (lag[1] - lag[0]))
        y, found = expm(A * lag[0]) @ x0, None
        for a, b in itertools.pairwise(lag):
            after = step @ y
            if y[1] < v <= after[1]:
                found = brentq(lambda s, x=x0: (expm(A * s) @ x)[1] - v, a, b, xtol=1e-15, rtol=1e-15)
                break
            y = after
        if found is None:
            break
        t += found
        times.append(t)
        t += ((static - c * v) / k - (expm(A * found) @ x0)[0]) / v
    r = ss.simulate(m, times[-1] + 1e-3 * period, initial={"block.velocity": v})
    assert [e.time for e in r.events] == pytest.approx(times, rel=1e-13)
    assert set(r.method.values()) <= {"exact", "exact, slow subspace"}
