"""A contact closes where its gap is zero, whatever else goes on in the machine and however long a step could be.

Truth: flights under constant and rising forces, in closed form.
"""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

G, H = 9.81, 0.45


@pytest.mark.parametrize("start", [0.0, 0.2513])
@pytest.mark.parametrize("slope", [1e-9, 1e-3, -0.28, 40.0])
def test_rising_torque_does_not_close_a_distant_gap(start: float, slope: float) -> None:
    """gap = H − g t²/2 − l (φ0 + a (t − t0)³/6): a polynomial of the third degree, whose first root is the impact."""
    inertia, lever, phi0 = 0.23, 0.2154, 0.3968
    m = ss.Machine(
        mass=[1.0, inertia], names=["y", "phi"], force={"y": -G, "phi": ss.Ramp(slope, start=start)}
    )
    m.add_contact("foot", normal={"y": 1.0, "phi": -lever})
    run = ss.simulate(m, 1.0, initial={"y.position": H, "phi.position": phi0})
    late = np.poly1d([1.0, -start]) ** 3 * (slope / inertia / 6.0)
    gap = np.poly1d([-G / 2.0, 0.0, H]) - lever * (phi0 + late)
    roots = gap.roots[np.abs(gap.roots.imag) < 1e-9].real
    assert run.events[0].time == pytest.approx(roots[roots > start].min(), abs=1e-13)


def test_weak_signal_does_not_set_length_scales() -> None:
    """A force that needs 1e4 s to matter, and a fall of half a second: rebounds as they are without it."""
    v, e = np.sqrt(2.0 * G * H), 0.5
    m = ss.Machine(mass=[1.0, 1.0], names=["y", "x"], force={"y": -G, "x": ss.Ramp(1e-3, start=0.5)})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=e)
    run = ss.simulate(m, 2.0, initial={"y.position": H})
    hits = run.events.time[run.events.impact]
    k = np.arange(25)
    flights = 2.0 * v / G * e**k
    truth = v / G + np.concatenate([[0.0], np.cumsum(flights[1:])])
    assert hits[:25] == pytest.approx(truth, abs=1e-14)


@pytest.mark.parametrize("damping", [0.0, 1e-6])
def test_short_flights_beside_a_slow_decay_match_closed_form(damping: float) -> None:
    """Hops before a wall under friction, beside damping that takes a million seconds: impacts at e^k (a₂/a₁)^(k/2) of the
    first speed, where a₁ = F + R on the way up and a₂ = F − R on the way back.
    """
    gap, push, rub, e = 1e-3, 1.0, 0.5, 0.8
    m = ss.Machine(mass=1.0, damping=damping, names=["x"], force={"x": -push})
    m.add_friction("guide", on="x", law=ss.Coulomb(rub))
    m.add_contact("wall", normal={"x": 1.0}, gap=gap, restitution=e)
    run = ss.simulate(m, 2.0)
    hits = run.events.time[run.events.impact]
    up, back = push + rub, push - rub
    speed = np.sqrt(2.0 * back * gap) * (e * np.sqrt(back / up)) ** np.arange(12)
    flights = e * speed / up + np.sqrt(e**2 * speed**2 / up / back)
    truth = speed[0] / back + np.concatenate([[0.0], np.cumsum(flights[:-1])])
    assert len(hits) >= 12
    assert hits[:12] == pytest.approx(truth, rel=1e-12 + 2.0 * damping)
