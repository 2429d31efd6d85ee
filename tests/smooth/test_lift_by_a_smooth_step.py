"""A force that begins with the third power of time lifts a body, in a machine with functions of the motion."""

import numpy as np

import stickslip as ss


def test_body_leaves_its_contact_beside_a_compliant_one() -> None:
    """m x'' = F (10 s³ - 15 s⁴ + 6 s⁵), s = (t - t0)/T: x = F T² (s⁵/2 - s⁶/2 + s⁷/7)/m."""
    mass, force, begin, duration = 2.0, 3.0, 0.4, 1.0
    m = ss.Machine([mass, 1.0], names=["body", "other"])
    m.add_contact("floor", {"body": 1.0})
    m.add_contact("pad", {"other": 1.0}, gap=0.1, compliance=ss.KelvinVoigt(400.0, 0.1))
    m.add_force("body", ss.SmoothStep(force, begin, duration))
    run = ss.simulate(m, 1.2)
    assert run.success
    t = np.linspace(begin, 1.2, 81)
    s = (t - begin) / duration
    expected = force * duration**2 * (s**5 / 2.0 - s**6 / 2.0 + s**7 / 7.0) / mass
    assert np.abs(run.at(t)["body.position"] - expected).max() < 1e-15
