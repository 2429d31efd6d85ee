"""Two curves in contact: against circles in closed form, against brute force, and the motion of one on the other."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

import stickslip as ss
from stickslip.contours import Circle, Line, Polar, PolarSpline, Polynomial, Spline, gap, sliding

G = 9.81
X, Y, TURN = (ss.Expr(f"{name}.position") for name in ("x", "y", "turn"))
CAM = Polar([0.5, 0.03, 0.02], [0.01, -0.01])
EGG = Polar([0.2, 0.02])
KNOTS = 2.0 * np.pi * np.arange(12) / 12
SPLINE = PolarSpline(0.3 + 0.02 * np.cos(KNOTS) + 0.01 * np.sin(2.0 * KNOTS))
HILL = Polynomial(0.1, 0.2, -0.6, 0.0, -0.3)
WAVE = Spline(np.linspace(-2.0, 2.0, 9), 0.2 * np.cos(1.5 * np.linspace(-2.0, 2.0, 9)))


def outline(curve):
    """Points of a curve by numbers."""
    if isinstance(curve, (Polar, PolarSpline)):
        return lambda s: (curve.radius(s) * np.cos(s), curve.radius(s) * np.sin(s))
    height = np.polynomial.Polynomial(curve.coefficients) if isinstance(curve, Polynomial) else curve.height
    return lambda s: (s, height(s))


def distance(one, two, place):
    """The least distance, by a search over both curves that begins on a grid."""
    a, b = outline(one), outline(two)
    c, n = math.cos(place["turn.position"]), math.sin(place["turn.position"])

    def apart(z):
        (x, y), (u, v) = a(z[0]), b(z[1])
        dx, dy = place["x.position"] + c * u - n * v - x, place["y.position"] + n * u + c * v - y
        return dx * dx + dy * dy

    grid = np.meshgrid(np.linspace(-np.pi, np.pi, 90), np.linspace(-np.pi, np.pi, 90))
    nearest = np.argmin(apart(grid))
    start = [axis.ravel()[nearest] for axis in grid]
    options = {"xatol": 1e-8, "fatol": 1e-19, "maxiter": 4000}
    return math.sqrt(minimize(apart, start, method="Nelder-Mead", options=options).fun)


@pytest.mark.parametrize("angle", [-2.6, -0.3, 1.1, 2.9])
@pytest.mark.parametrize("pair", [(CAM, EGG), (EGG, CAM), (CAM, SPLINE), (SPLINE, EGG)])
def test_gap_of_closed_curves_agrees_with_brute_force(pair, angle):
    one, two = pair
    place = {"x.position": math.cos(angle), "y.position": math.sin(angle), "turn.position": 0.8}
    found = gap(one.on(), two.on(X, Y, TURN))
    assert found(place) == pytest.approx(distance(one, two, place), abs=1e-10)


@pytest.mark.parametrize("x", [-0.7, 0.0, 0.4, 1.1])
@pytest.mark.parametrize("ground", [HILL, WAVE])
@pytest.mark.parametrize("body", [EGG, SPLINE])
def test_gap_of_closed_and_open_curve_agrees_with_brute_force(ground, body, x):
    place = {"x.position": x, "y.position": 0.8, "turn.position": 0.5}
    found = gap(ground.on(), body.on(X, Y, TURN))
    assert found(place) == pytest.approx(distance(ground, body, place), abs=1e-10)
    turned = gap(body.on(X, Y, TURN), ground.on())
    assert turned(place) == pytest.approx(found(place), abs=1e-12)


def test_gap_of_open_curves_agrees_with_brute_force():
    """A bowl that hangs over a hill."""
    bowl = Polynomial(0.0, 0.0, -0.4)
    place = {"x.position": 0.3, "y.position": 1.0, "turn.position": math.pi}
    found = gap(HILL.on(), bowl.on(X, Y, TURN))
    assert found(place) == pytest.approx(distance(HILL, bowl, place), abs=1e-10)


@pytest.mark.parametrize("tilt", [-0.3, 0.0, 0.25])
def test_gap_of_line_and_hill_matches_closed_form(tilt):
    """The plank's underside is the line; its distance is that of the hill's highest point towards it."""
    plank = Line(angle=math.pi)
    hill = Polynomial(0.0, 0.0, -0.5)
    found = gap(hill.on(), plank.on(X, Y, TURN))
    place = {"x.position": 0.2, "y.position": 0.7, "turn.position": tilt}
    x = np.linspace(-1.0, 1.0, 200_001)
    up = -math.sin(tilt) * (x - 0.2) + math.cos(tilt) * (-0.5 * x * x - 0.7)
    assert {k: v for k, v in place.items() if k in found.inputs} == place
    assert found(place) == pytest.approx(-up.max(), abs=1e-10)


@pytest.mark.parametrize(("speed", "angle"), [(0.5, 0.0), (2.0, 1.2), (1.0, 3.0)])
def test_drift_contains_both_curvatures(speed, angle):
    """Circles, said as curves: the drift of the gap is v² / (R + r)."""
    big, small = Polar([1.0]), PolarSpline(np.full(5, 0.3))
    state = {"x.position": 1.3 * math.cos(angle), "y.position": 1.3 * math.sin(angle), "turn.position": 0.4}
    state |= {
        "x.velocity": -speed * math.sin(angle),
        "y.velocity": speed * math.cos(angle),
        "turn.velocity": 2.0,
    }
    found = gap(big.on(), small.on(X, Y, TURN))
    assert found(state) == pytest.approx(0.0, abs=1e-14)
    assert found.rate()(state) == pytest.approx(0.0, abs=1e-13)
    assert found.rate().rate()(state) == pytest.approx(speed**2 / 1.3, rel=1e-12)
    rows = sliding(big.on(), small.on(X, Y, TURN))
    exact = sliding(Circle(1.0).on(), Circle(0.3).on(X, Y, TURN))
    for name, row in rows.items():
        assert row(state) == pytest.approx(exact[name](state), abs=1e-12)


@pytest.mark.parametrize(("angle", "speed"), [(0.3, 0.2), (0.1, 1.0)])
def test_contact_is_lost_at_closed_form_time(angle, speed):
    """A disc slides off a disc, both said as curves: as in closed form."""
    path = 1.3
    m = ss.Machine(mass=[1.0, 1.0, 0.01], names=["x", "y", "turn"], force={"y": -G})
    m.add_contact("hill", gap=gap(Polar([1.0]).on(), Polar([0.3]).on(X, Y, TURN)))
    start = {"x.position": path * math.sin(angle), "y.position": path * math.cos(angle)}
    start |= {
        "x.velocity": speed * math.cos(angle),
        "y.velocity": -speed * math.sin(angle),
        "turn.velocity": 3.0,
    }
    last = math.acos(2.0 / 3.0 * math.cos(angle) + speed**2 / (3.0 * G * path))
    time = quad(
        lambda phi: 1.0 / math.sqrt((speed / path) ** 2 + 2.0 * G / path * (math.cos(angle) - math.cos(phi))),
        angle, last, epsabs=1e-14, epsrel=1e-13,
    )[0]  # fmt: skip
    run = ss.simulate(m, time + 0.1, rtol=1e-12, initial=start)
    (event,) = run.events
    assert event.time == pytest.approx(time, abs=1e-9)
    held = run.t < time
    assert np.abs(np.hypot(run["x.position"], run["y.position"])[held] - path).max() < 1e-12
    assert ss.analysis.audit(run, rtol=1e-12).passed


def test_egg_on_a_hill_rolls_by_scipy():
    """Rolling without slip keeps the energy, the gap and the sliding velocity; the audit says the rest."""
    m = ss.Machine(mass=[1.0, 1.0, 0.02], names=["x", "y", "turn"], force={"y": -G})
    bowl, egg = Polynomial(0.0, 0.0, 0.3).on(), EGG.on(X, Y, TURN)
    found = gap(bowl, egg)
    m.add_contact("bowl", gap=found, tangent=sliding(bowl, egg), friction=5.0)
    y = 1.0
    for _ in range(50):
        y -= found({"x.position": 0.6, "y.position": y, "turn.position": 0.3})
    run = ss.simulate(m, 3.0, rtol=1e-11, initial={"x.position": 0.6, "y.position": y, "turn.position": 0.3})
    assert run.success
    assert set(run["bowl.mode"]) == {int(ss.Mode.STICK)}
    energy = run.energy.kinetic + G * run["y.position"]
    assert np.ptp(energy) < 1e-8
    assert np.ptp(run["x.position"]) > 0.5
    assert ss.analysis.audit(run, rtol=1e-11).passed
