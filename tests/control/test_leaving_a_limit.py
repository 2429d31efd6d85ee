"""Outputs that lie on their limit: the first derivative that is not zero decides whether they leave it."""

import numpy as np
import pytest

import stickslip as ss


def machine(mass, controller, reference):
    m = ss.Machine(mass=[mass], names=["x"])
    m.add_controller(controller, name="c", reference=reference, measure="x.velocity", to="x")
    return m


@pytest.mark.parametrize("seed", range(40))
def test_integral_that_follows_a_limit_is_held_where_the_error_begins_to_grow(seed):
    """The output starts on its limit, and the integral moves just so far that it stays there. Where the error e stops to
    fall, the raw output goes beyond the limit, with zero slope: u' = kp e' = 0, u'' > 0. In all modes v = u_max t / m."""
    rng = np.random.default_rng(seed)
    mass, kp, tn, most, turn = rng.uniform([0.5, 5.0, 0.05, 1.0, 0.1], [2.0, 50.0, 0.5, 5.0, 1.0])
    omega, acceleration, e = np.pi / (2.0 * turn), most / mass, most / kp
    fall = 0.5 * e / (tn + 1.0 / omega)  # e(t) = e - fall sin(omega t) / omega, with e' + e / tn > 0
    reference = ss.Constant(e) + ss.Ramp(acceleration) + ss.Sine(-fall / omega, 1.0 / (4.0 * turn))
    m = machine(mass, ss.PI(kp, tn=tn, limits=most, anti_windup="clamping"), reference)
    r = ss.simulate(m, 2.0 * turn)
    assert r.status is ss.Status.FINISHED, r.message
    np.testing.assert_allclose(r["x.velocity"], acceleration * r.t, rtol=0.0, atol=2e-15 * acceleration)
    np.testing.assert_allclose(r["c.output"], most, rtol=1e-15)


@pytest.mark.parametrize("outwards", [False, True])
def test_third_derivative_decides_for_an_output_that_starts_on_its_limit(outwards):
    """u = kp (r - v) starts on its limit with u' = u'' = 0: r' = a (1 -+ (1 - cos(w t))), a = u_max / m."""
    mass, kp, most, w = 2.0, 3.0, 4.0, 1.5
    a = most / mass
    reference = ss.Constant(most / kp) + ss.Sine(a / w, w / (2.0 * np.pi))
    if outwards:
        reference = ss.Constant(most / kp) + ss.Ramp(2.0 * a) + ss.Sine(-a / w, w / (2.0 * np.pi))
    r = ss.simulate(machine(mass, ss.P(kp, limits=most), reference), 1.0)
    assert r.status is ss.Status.FINISHED, r.message
    assert len(r.events) == 0
    if outwards:
        expected = a * r.t
    else:  # e' = a cos(w t) - b e with e(0) = a / b: a sum of a cosine, a sine and a decay
        b = kp / mass
        wave = a * (b * np.cos(w * r.t) + w * np.sin(w * r.t)) / (b * b + w * w)
        e = wave + (a / b - a * b / (b * b + w * w)) * np.exp(-b * r.t)
        expected = most / kp + a / w * np.sin(w * r.t) - e
    np.testing.assert_allclose(r["x.velocity"], expected, rtol=0.0, atol=2e-15 * a)


def test_friction_is_known_when_the_output_on_its_limit_is_decided():
    """u' = kp (r' - v') leads outwards with friction, v' = (u_max - F) / m, and inwards without it."""
    mass, kp, most, friction = 2.0, 3.0, 4.0, 1.0
    m = machine(
        mass, ss.P(kp, limits=most), ss.Constant(1.0 + most / kp) + ss.Ramp((most - 0.5 * friction) / mass)
    )
    m.add_friction("f", on="x", law=ss.Coulomb(friction))
    r = ss.simulate(m, 1.0, initial={"x.velocity": 1.0})
    assert len(r.events) == 0
    np.testing.assert_allclose(r["x.velocity"], 1.0 + (most - friction) / mass * r.t, rtol=4e-16)
