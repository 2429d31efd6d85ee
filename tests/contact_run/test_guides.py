"""Guides: friction by the magnitude of a constraint's reaction, which depends on that friction."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from reference.lossy_gear import LossyGear
from scipy.integrate import quad
from scipy.optimize import brentq

import stickslip as ss

G = 9.81
LENGTH = 0.7


def ring(friction: float, weight: float = G, sleeve: float = 0.0) -> ss.Machine:
    """A bead on a ring around the origin, in Cartesian coordinates."""
    m = ss.Machine(mass=[2.0, 2.0], names=["x", "y"], force={"y": -2.0 * weight})
    m.add_guide(
        "ring", lambda q: ss.math.hypot(q["x"], q["y"]) - LENGTH, lambda q: [-q["y"] / LENGTH, q["x"] / LENGTH],
        friction, clearance=sleeve,
    )  # fmt: skip
    return m


def test_bead_on_a_horizontal_ring_is_the_closed_form() -> None:
    # v' = -mu v²/R
    run = ss.simulate(
        ring(0.2, weight=0.0), 3.0, initial={"x.position": LENGTH, "y.velocity": 2.0}, rtol=1e-11
    )
    speed = np.hypot(run["x.velocity"], run["y.velocity"])
    np.testing.assert_allclose(speed, 2.0 / (1.0 + 0.2 * 2.0 / LENGTH * run.t), rtol=1e-10)
    assert ss.analysis.audit(run).passed


def test_reaction_that_changes_its_sign_loads_a_rail() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"x": 5.0, "y": ss.Sine(20.0, 0.25) - G})
    m.add_guide("rail", on={"y": 1.0}, tangent={"x": 1.0}, friction=0.2)
    run = ss.simulate(m, 4.0)
    w = 0.5 * math.pi
    turn = math.asin(G / 20.0) / w
    lost, _ = quad(
        lambda t: abs(20.0 * math.sin(w * t) - G), 0.0, 4.0, points=[turn, 2.0 - turn], epsabs=1e-13
    )
    assert run["x.velocity"][-1] == pytest.approx(20.0 - 0.2 * lost, rel=1e-12)
    both = run["rail_upper.normal_force"], run["rail_lower.normal_force"]
    assert np.abs(np.minimum(*both)).max() <= 1e-12 and min(f.max() for f in both) > 9.0
    assert ss.analysis.audit(run).passed


# A journal of radius r under the pin force R = (R_r, R_t) of a point mass: M_f = mu r |R| with R_t = M_f/l, that is
# M_f = l kappa |R_r|, kappa = b/sqrt(1 - b²), b = mu r/l: the friction of the ring. With u = phi'²/2 (physics of the pin,
# each swing towards s): u' = -(g/l) sin phi - s kappa (2 u + (g/l) cos phi) while R_r > 0.
BAND = 0.05
KAPPA = BAND / math.sqrt(1.0 - BAND**2)


def kinetic(start: float, side: float) -> Callable[[float], float]:
    """Return u(phi) of the swing from rest at `start`."""
    a = 2.0 * side * KAPPA

    def forced(phi: float) -> float:
        sine = (a * math.sin(phi) - math.cos(phi)) / (a * a + 1.0)
        cosine = (a * math.cos(phi) + math.sin(phi)) / (a * a + 1.0)
        return -G / LENGTH * (sine + side * KAPPA * cosine)

    return lambda phi: forced(phi) - forced(start) * math.exp(-a * (phi - start))


def swings(start: float) -> list[tuple[float, float]]:
    """Angles and durations of the swings until the pendulum rests, by quadrature."""
    found = []
    while abs(math.sin(start)) > BAND:
        side = -math.copysign(1.0, start)
        u = kinetic(start, side)
        end = brentq(u, -0.1 * start, -start, xtol=1e-15)

        def rate(
            theta: float, start: float = start, end: float = end, u: Callable[[float], float] = u
        ) -> float:
            share = 0.5 * (1.0 - math.cos(theta))
            phi = start + (end - start) * share
            return 0.5 * abs(end - start) * math.sin(theta) / math.sqrt(2.0 * u(phi))

        # Even and periodic in theta: the midpoint rule converges faster than any power.
        points = (np.arange(60) + 0.5) * math.pi / 60
        found.append((end, math.pi / 60 * sum(rate(theta) for theta in points)))
        start = end
    return found


def test_pendulum_with_friction_of_its_pin_is_the_quadrature() -> None:
    expected = swings(1.4)
    start = {"x.position": LENGTH * math.sin(1.4), "y.position": -LENGTH * math.cos(1.4)}
    run = ss.simulate(ring(KAPPA), 1.1 * sum(t for _, t in expected), initial=start, rtol=1e-11)
    times = sorted({e.time for e in run.events if e.time > 0.0})
    assert len(times) == len(expected)
    x, y = run.sol(np.array(times))[:2]
    np.testing.assert_allclose(np.arctan2(x, -y), [phi for phi, _ in expected], atol=2e-11)
    np.testing.assert_allclose(np.diff([0.0, *times]), [t for _, t in expected], atol=1e-11)
    assert str(run.events[-1].after) == "stick"


@pytest.mark.parametrize("beyond", [-1e-6, 1e-6])
def test_pendulum_rests_within_the_band_of_its_pin(beyond: float) -> None:
    phi = math.asin(BAND) + beyond
    start = {"x.position": LENGTH * math.sin(phi), "y.position": -LENGTH * math.cos(phi)}
    run = ss.simulate(ring(KAPPA), 0.5, initial=start)
    moved = abs(run["x.position"][-1] - run["x.position"][0])
    assert (moved > 1e-8) == (beyond > 0.0)


def test_efficiency_as_friction_by_the_torque_has_the_times_of_the_lossy_gear() -> None:
    # LossyGearDemo1 of the Modelica Standard Library: ratio 2, efficiency 1/2, so a coefficient of 1/3
    torque = {"p1": ss.Sine(10.0, 1.0), "p2": ss.Ramp(slope=2.5, offset=-10.0, stop=2.0)}
    m = ss.Machine(mass=[1.0, 1.5], names=["p1", "p2"], force=torque)
    m.add_guide("mesh", on={"p1": 1.0, "p2": -2.0}, tangent={"p1": 1.0, "p2": 2.0}, friction=1.0 / 3.0)
    truth = LossyGear(
        inertia=(1.0, 1.5), ratio=2.0, friction=1.0 / 3.0,
        torque=(lambda t: 10.0 * np.sin(2.0 * np.pi * t), lambda t: -10.0 + 2.5 * min(t, 2.0)),
    )  # fmt: skip
    expected, end = truth.run(0.5, np.zeros(4), -1)
    run = ss.simulate(m, 0.5)
    times = sorted({e.time for e in run.events if e.time > 0.0})
    np.testing.assert_allclose(times, [t for t, _ in expected], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(run.state.x, end, rtol=0.0, atol=1e-14)


def test_rail_that_moves_carries_the_body() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"x": 4.0})
    m.add_guide("rail", {"y": 1.0}, {"x": 1.0}, 0.3, value=ss.Sine(0.01, 1.0))
    w = 2.0 * math.pi
    run = ss.simulate(m, 2.0, initial={"y.velocity": 0.01 * w})
    # |reaction| = 0.01 w² |sin w t|, whose mean is 2/pi of its peak
    assert run["x.velocity"][-1] == pytest.approx(8.0 - 0.3 * 0.01 * w**2 * 2.0 / math.pi * 2.0, rel=1e-10)


def test_clearance_is_a_flight_without_friction() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_guide("rail", {"y": 1.0}, {"x": 1.0}, 0.3, clearance=0.02)
    run = ss.simulate(m, 0.06, initial={"x.velocity": 1.0})
    falls = math.sqrt(2.0 * 0.01 / G)
    slowed = 0.3 * G * falls + 0.3 * G * (0.06 - falls)  # by the impact, then by the weight
    assert run["x.velocity"][-1] == pytest.approx(1.0 - slowed, rel=1e-10)


def test_guides_are_saved() -> None:
    m = ring(0.2)
    assert ss.Machine.from_dict(m.to_dict()) == m


def test_refused_guide_names_the_cure() -> None:
    m = ss.Machine([1.0, 1.0], names=["x", "y"])
    with pytest.raises(ValueError, match="value of 'g'.*left out where `on` is a formula"):
        m.add_guide("g", lambda q: q["x"], {"y": 1.0}, 0.1, value=1.0)
    with pytest.raises(ValueError, match="clearance of 'g' = -1"):
        m.add_guide("g", {"x": 1.0}, {"y": 1.0}, 0.1, clearance=-1.0)
    with pytest.raises(ValueError, match="on of 'g'.*numbers as factors, or a formula"):
        m.add_guide("g", {"x": ss.Expr("x.position")}, {"y": 1.0}, 0.1)
