"""Derivatives of runs that are known in closed form."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import stickslip as ss

BELT = {
    "belt.surface_velocity": 0.2,
    "belt.law.static": 1.0,
    "belt.law.kinetic": 0.8,
    "block.stiffness": 2.0,
    "block.mass": 1.3,
}


def test_derivatives_of_belt_times_match_closed_form() -> None:
    """Stick 2A/v0, slip 2(pi - arctan(w A/v0))/w with A = (Fs - Fk)/k, over ten cycles."""
    m = ss.Machine(mass=[1.3], stiffness=[[2.0]], names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    run = ss.simulate(m, 60.0, initial={"block.velocity": 0.2}, sensitivities=list(BELT))
    assert run.sensitivity.valid_until.time == np.inf

    def times(*p: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        v0, static, kinetic, k, mass = p
        a, w = (static - kinetic) / k, mpmath.sqrt(k / mass)
        return 2 * a / v0, 2 * (mpmath.pi - mpmath.atan(w * a / v0)) / w

    events = run.events
    assert len(events) >= 20 and not events.after[0] == ss.Mode.STICK
    with mpmath.workdps(40):
        values = [mpmath.mpf(str(x)) for x in BELT.values()]
        for i, name in enumerate(BELT):
            order = [int(i == j) for j in range(5)]
            stick, slip = (float(mpmath.diff(lambda *p, w=w: times(*p)[w], values, order)) for w in (0, 1))
            moved = np.array([e.sensitivity[name] for e in events])
            size = max(abs(stick), abs(slip))
            slips, sticks = np.diff(moved)[::2], np.diff(moved)[1::2]
            # Differences of sums over ten cycles: so many more digits of the size of the sum are lost.
            lost = 1e-13 * np.abs(moved).max()
            np.testing.assert_allclose(slips, slip, rtol=0, atol=4e-12 * size + lost, err_msg=name)
            np.testing.assert_allclose(sticks, stick, rtol=0, atol=4e-12 * size + lost, err_msg=name)


def test_derivatives_of_twenty_bounces_match_closed_form() -> None:
    """Bounces at t_n = sqrt(2h/g) (1 + 2 (e + ... + e^(n-1)) ), the position between them in closed form."""
    height, gravity, e = 1.0, 9.81, 0.9
    m = ss.Machine(mass=[2.0], names=["ball"], force={"ball": -2.0 * gravity})
    m.add_contact("floor", {"ball": 1.0}, restitution=e)
    run = ss.simulate(
        m,
        8.2,
        initial={"ball.position": height},
        sensitivities=["floor.restitution", "ball.position", "ball.mass"],
    )
    assert len(run.events) >= 20
    for n, event in enumerate(run.events[:20]):
        k = np.arange(1, n + 1)
        fall = np.sqrt(2 * height / gravity)
        exact = {
            "floor.restitution": fall * 2 * np.sum(k * e ** (k - 1.0)),
            "ball.position": event.time / (2 * height),
            "ball.mass": event.time / (2 * 2.0),  # the force stays: g falls as 1/m
        }
        assert event.sensitivity is not None
        for name, value in exact.items():
            assert event.sensitivity[name] == pytest.approx(value, rel=1e-11), (n, name)
        # The velocity behind the bounce, at its time in each run.
        speed = np.sqrt(2 * height * gravity)
        row, column = run.states.index("ball.velocity"), 0
        assert event.sensitivity.after[row, column] == pytest.approx((n + 1) * e**n * speed, rel=1e-11)


def test_derivatives_of_a_pull_match_closed_form() -> None:
    """F t^2 / 2m after break-away under a ramp: all derivatives by hand."""
    static, kinetic, slope, mass, t = 1.0, 0.8, 0.2, 1.5, 9.0
    m = ss.Machine(mass=[mass], names=["slide"], force={"slide": ss.Ramp(slope=slope)})
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=static, kinetic=kinetic))
    run = ss.simulate(
        m, t, sensitivities=["guide.law.static", "guide.law.kinetic", "slide.mass", "slide.force_scale"]
    )
    s = t - static / slope  # since break-away
    slip = static - kinetic
    position = (slip * s**2 / 2 + slope * s**3 / 6) / mass
    velocity = (slip * s + slope * s**2 / 2) / mass
    # By the static level: slip grows, and break-away comes later.
    expected = np.array([
        [s**2 / 2 / mass - velocity / slope, -(s**2) / 2 / mass, -position / mass,
         s**3 / 6 * slope / mass + velocity * static / slope],
        [s / mass - (slip + slope * s) / mass / slope, -s / mass, -velocity / mass,
         s**2 / 2 * slope / mass + (slip + slope * s) / mass * static / slope],
    ])  # fmt: skip
    np.testing.assert_allclose(run.sensitivity.end, expected, rtol=1e-11)


def test_derivative_of_lift_off_time_matches_closed_form() -> None:
    """A body is held at a stop by P until a second one, on a spring k, pulls: cos(w t) = -P / (k a), w = sqrt(k / m).

    The mass that rests has no part in it, though all that holds it is made of that mass.
    """
    k, mass, load, drawn = 3.0, 0.7, 1.1, 0.9
    between = np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(mass=[1.3, mass], stiffness=k * between, names=["a", "b"], force={"a": -load})
    m.add_contact("stop", normal={"a": 1.0}, restitution=0.0)
    names = ["a.mass", "b.mass", "a.force", "b.position"]
    run = ss.simulate(m, 3.0, initial={"b.position": -drawn}, sensitivities=names)
    event = next(e for e in run.events if e.time > 0.0)
    ratio = load / (k * drawn)
    w, phase = np.sqrt(k / mass), np.arccos(-ratio)
    assert event.time == pytest.approx(phase / w, rel=1e-12)
    by_ratio = 1.0 / (w * np.sqrt(1.0 - ratio**2))
    known = [0.0, phase / (2.0 * w * mass), -by_ratio / (k * drawn), by_ratio * ratio / drawn]
    found = [event.sensitivity[name] for name in names]
    np.testing.assert_allclose(found, known, rtol=1e-11, atol=5e-14)
