"""Impacts whose rebound is too slow to count: friction keeps to its law while the rebound is taken back."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

MU, EPS, MASS = 0.3, 0.5, 2.0


def test_last_rebounds_keep_friction_in_its_cone() -> None:
    """A block that bounces along a floor: every impulse of friction is mu times that of the floor, the last one too.

    By Poisson's law of one contact the normal impulse is m (1 + eps) v, of the last one m v.
    """
    m = ss.Machine(mass=[MASS, MASS], names=["x", "y"], force={"y": -9.81 * MASS})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=MU, restitution=EPS)
    run = ss.simulate(m, 1.0, initial={"x.velocity": 5.0, "y.position": 0.01})
    hits = [e for e in run.events if e.impact]
    assert hits[-1].after == ss.Mode.SLIP_FORWARD and len(hits) > 20
    pushed, rubbed = (np.array([getattr(e, f"{k}_impulse") for e in hits]) for k in ("normal", "tangential"))
    np.testing.assert_allclose(rubbed, MU * pushed, rtol=1e-12)
    speed = np.sqrt(2.0 * 9.81 * 0.01) * EPS ** np.arange(len(hits))
    last = np.append(np.full(len(hits) - 1, 1.0 + EPS), 1.0)
    np.testing.assert_allclose(pushed, MASS * last * speed, rtol=1e-7)
    lost = speed * speed * np.append(np.full(len(hits) - 1, 1.0 - EPS**2), 1.0) * 0.5 * MASS
    slid = np.array([float(run.at([np.nextafter(e.time, 0.0)])["x.velocity"][0]) for e in hits])
    rest = np.array([float(run.at([e.time])["x.velocity"][0]) for e in hits])
    np.testing.assert_allclose([e.loss for e in hits], lost + 0.5 * rubbed * (slid + rest), rtol=1e-6)


@pytest.mark.parametrize("u", [0.2, 0.4, 0.44, 0.5, -0.4])
def test_a_rebound_below_the_threshold_is_plastic_whether_the_body_slides_or_stops(u: float) -> None:
    """Plastic impact in closed form: the normal impulse is m v, and friction changes u by at most µ v.

    With its rebound the impulse is 1.5 m v, which stops |u| <= 0.45 v; without it friction stops |u| <= 0.3 v only.
    """
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    run = ss.simulate(
        m, 1e-9, initial={"x.velocity": u, "y.velocity": -1.0}, rebound_threshold=0.9
    )  # of the speed of the impact
    left = np.sign(u) * max(abs(u) - 0.3, 0.0)
    assert run["y.velocity"][0] == pytest.approx(0.0, abs=1e-15)
    assert run["x.velocity"][0] == pytest.approx(left, abs=1e-15)
    assert run["floor.normal_impulse"][0] == pytest.approx(1.0, rel=1e-14)
    assert run.events.loss.sum() == pytest.approx(0.5 * (1.0 + u**2 - left**2), rel=1e-13)
