"""Painlevé's rod: uniform, of length 2 l, sliding on a rough floor; the coefficient of the normal force in g'' is
A = 1/m + (l²/Θ) cos θ (cos θ − µ sin θ) up to the sign of sliding, and b is g'' without a normal force.
"""

import itertools
import math

import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

G, LENGTH = 9.81, 1.0


def rod(friction):
    m = ss.Machine(mass=[1.0, 1.0, LENGTH**2 / 3.0], names=["x", "y", "tilt"], force={"y": -G})
    m.add_contact(
        "tip",
        gap=lambda q: q["y"] - LENGTH * ss.sin(q["tilt"]),
        tangent=lambda q: {"x": 1.0, "tilt": LENGTH * ss.sin(q["tilt"])},
        friction=friction,
    )
    return m


def start(tilt, rate, sliding):
    """The tip on the floor, sliding with this velocity."""
    return {
        "tilt.position": tilt,
        "tilt.velocity": rate,
        "y.position": LENGTH * math.sin(tilt),
        "y.velocity": LENGTH * math.cos(tilt) * rate,
        "x.velocity": sliding - LENGTH * math.sin(tilt) * rate,
    }


def coefficients(tilt, rate, friction, side):
    """A and b of g'' = A λ + b for the tip that slides to this side."""
    a = 1.0 + 3.0 * math.cos(tilt) * (math.cos(tilt) + side * friction * math.sin(tilt))
    return a, LENGTH * math.sin(tilt) * rate**2 - G


def slides(tilt, friction, side):
    a, b = coefficients(tilt, 0.3, friction, side)
    return a > 0.0 > b


@pytest.mark.parametrize(
    ("tilt", "friction", "side"),
    [c for c in itertools.product([0.5, 0.9, 1.2], [0.5, 1.0, 2.0], [-1, 1]) if slides(*c)],
)
def test_the_normal_force_is_that_of_the_formula(tilt, friction, side):
    """λ = −b/A where A > 0 > b: the present solution is kept."""
    a, b = coefficients(tilt, 0.3, friction, side)
    run = ss.simulate(rod(friction), 1e-3, initial=start(tilt, 0.3, side * 5.0))
    assert run["tip.normal_force"][0] == pytest.approx(-b / a, rel=1e-12)


def test_impact_without_collision_resolves_missing_solution():
    """A < 0 and b < 0: neither contact nor flight solves the equations; the tip stops sliding at once."""
    tilt, rate, friction, side = 1.2, 0.0, 2.0, -1
    a, b = coefficients(tilt, rate, friction, side)
    assert a < 0.0
    assert b < 0.0
    run = ss.simulate(rod(friction), 1e-3, initial=start(tilt, rate, side * 5.0))
    assert "impact without collision" in run.events[0].cause
    assert run.events[0].normal_impulse > 0.0
    assert run.energy.residual < 1e-10


def test_each_of_two_solutions_continues_itself():
    """A < 0 < b: contact solves the equations with λ = −b/A, and flight with g'' = b. What touches keeps its contact;
    what has left the floor at all flies.
    """
    tilt, friction, side = 1.2, 2.0, -1
    rate = 1.1 * math.sqrt(G / (LENGTH * math.sin(tilt)))
    a, b = coefficients(tilt, rate, friction, side)
    assert a < 0.0 < b
    touching = start(tilt, rate, side * 5.0)
    run = ss.simulate(rod(friction), 1e-3, rtol=1e-11, initial=touching)
    assert run["tip.normal_force"][0] == pytest.approx(-b / a, rel=1e-12)
    leaving = touching | {"y.velocity": touching["y.velocity"] + 1e-6}
    run = ss.simulate(rod(friction), 1e-3, rtol=1e-11, initial=leaving)
    assert run["tip.normal_force"].max() == 0.0
    assert run["tip.gap"][-1] == pytest.approx(0.5e-6 * b + 1e-9, rel=1e-2)


@pytest.mark.parametrize("friction", [1.35, 1.5])
def test_rod_below_critical_friction_lifts_off(friction):
    """For 4/3 < µ < 8/(3√3) a sliding rod comes to b = 0 with A > 0 and leaves the floor there."""
    assert friction < 8.0 / (3.0 * math.sqrt(3.0))
    lifted = 0
    for tilt, rate in [(1.3, -1.0), (1.2, -0.5), (1.25, -2.0)]:
        a, b = coefficients(tilt, rate, friction, -1)
        if not (a > 0.0 > b):
            continue
        run = ss.simulate(rod(friction), 1.0, rtol=1e-11, initial=start(tilt, rate, -10.0))
        for e in run.events:
            if e.cause == "tip loses its force" and not e.impact:
                at = run.at([e.time])
                a, b = coefficients(at["tilt.position"][0], at["tilt.velocity"][0], friction, -1)
                assert b == pytest.approx(0.0, abs=1e-7)
                assert a > 0.0
                lifted += 1
                break
    assert lifted > 0


@pytest.mark.parametrize(
    ("friction", "tilt", "rate"),
    [(1.6, 0.3, 2.0), (1.6, 0.4, 1.0), (1.8, 0.3, 2.0), (2.0, 0.3, 2.0), (2.0, 0.4, 1.0)],
)
def test_rod_above_critical_friction_ends_at_the_singular_point(friction, tilt, rate):
    """For µ > 8/(3√3) an open set of starts comes to A = b = 0, where sin θ θ'² = g/l and λ = -b/A has no bound: the run
    ends there and says so, at the time of SciPy, which integrates over the angle up to A = 0.
    """
    tangent = 0.5 * (3.0 * friction - math.sqrt(9.0 * friction**2 - 16.0))  # of A = 0
    last = math.atan(tangent)

    def rates(theta, y):  # d(θ', t)/dθ
        a, b = coefficients(theta, y[0], friction, -1)
        turn = 3.0 * -b / a * (friction * math.sin(theta) - math.cos(theta)) / LENGTH
        return [turn / y[0], 1.0 / y[0]]

    truth = solve_ivp(rates, (tilt, last - 1e-13), [rate, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    run = ss.simulate(rod(friction), 1.0, rtol=1e-11, initial=start(tilt, rate, -50.0))
    assert run.status == "no_solution"
    assert "normal force of 'tip' grows without bound" in run.message
    assert not run.events
    assert run.t[-1] == pytest.approx(truth.y[1, -1], abs=1e-8)
    assert run["tilt.position"][-1] == pytest.approx(last, abs=1e-7)
    singular = math.sqrt(G / (LENGTH * math.sin(last)))
    assert run["tilt.velocity"][-1] == pytest.approx(singular, rel=1e-2)
    force = run["tip.normal_force"]
    assert force[-1] > 10.0 * force[run.t < 0.9 * run.t[-1]].max()
