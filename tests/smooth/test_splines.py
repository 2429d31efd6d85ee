"""Contours through points: against SciPy's splines, brute force, and the closed form of a follower on their cubics."""

import math
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize_scalar

import stickslip as ss
from stickslip.contours import Circle, Line, PolarSpline, Spline, gap, sliding

G = 9.81
X, Y, TURN = (ss.Expr(f"{name}.position") for name in ("x", "y", "turn"))
ABSCISSAE = [-1.0, -0.4, 0.1, 0.9, 1.3, 2.0]
HEIGHTS = [0.3, -0.1, 0.2, 0.15, -0.2, 0.1]
ANGLES = np.array([0.3, 1.0, 1.9, 2.8, 3.9, 4.8, 5.9])
RADII = np.array([0.05, 0.053, 0.056, 0.055, 0.051, 0.049, 0.0485])


@pytest.mark.parametrize("slopes", [None, (0.5, -1.0), (0.0, 0.0)])
def test_spline_over_abscissa_agrees_with_scipy(slopes):
    ends = "natural" if slopes is None else ((1, slopes[0]), (1, slopes[1]))
    exact, own = CubicSpline(ABSCISSAE, HEIGHTS, bc_type=ends), Spline(ABSCISSAE, HEIGHTS, slopes)
    x = np.linspace(-1.3, 2.4, 400)
    for order in range(3):
        assert own.height(x, order) == pytest.approx(exact(x, order), abs=1e-12)
        formula = own.height(X, order)
        assert formula({"x.position": x}) == pytest.approx(exact(x, order), abs=1e-12)
    assert own.height(X).gradient()["x.position"]({"x.position": x}) == pytest.approx(exact(x, 1), abs=1e-12)
    assert len(own.height(X).conditions) == len(ABSCISSAE) - 2  # its inner points, each once


@pytest.mark.parametrize("angles", [ANGLES, ANGLES - 3.5, None])
def test_polar_spline_agrees_with_scipy(angles):
    at = 2.0 * np.pi * np.arange(7) / 7 if angles is None else angles
    exact = CubicSpline(np.append(at, at[0] + 2.0 * np.pi), np.append(RADII, RADII[0]), bc_type="periodic")
    own = PolarSpline(RADII, angles)
    phi = np.linspace(-7.0, 9.0, 900)
    for order in range(3):
        assert own.radius(phi, order) == pytest.approx(exact(phi, order), abs=1e-13)
        assert own.radius(TURN, order)({"turn.position": phi}) == pytest.approx(exact(phi, order), abs=1e-13)


def test_invalid_splines_are_refused():
    with pytest.raises(ValueError, match="x = "):
        Spline([0.0, 0.0, 1.0], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="y = "):
        Spline([0.0, 1.0], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="at least three numbers"):
        PolarSpline([1.0, 2.0])
    with pytest.raises(ValueError, match="angles = "):
        PolarSpline([1.0, 1.0, 1.0], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="radius is positive"):
        PolarSpline([1.0, 1e-3, 1e-3, 1.0, 1.0])


def nearest(point, place, around):
    def distance(s):
        x, y = point(s)
        return math.hypot(x - place[0], y - place[1])

    bounds = around - 0.4, around + 0.4
    return minimize_scalar(distance, bounds=bounds, method="bounded", options={"xatol": 1e-11}).fun


@pytest.mark.parametrize("angle", np.linspace(-3.1, 3.1, 11))
def test_gap_of_roller_and_cam_agrees_with_brute_force(angle):
    cam, turn = PolarSpline(RADII, ANGLES), 0.7
    x, y = 0.07 * math.cos(angle), 0.07 * math.sin(angle)
    found = gap(cam.on(angle=TURN), Circle(0.01).on(X, Y))(
        {"x.position": x, "y.position": y, "turn.position": turn}
    )
    seen = angle - turn

    def point(s):
        return cam.radius(s) * math.cos(s), cam.radius(s) * math.sin(s)

    exact = nearest(point, (0.07 * math.cos(seen), 0.07 * math.sin(seen)), seen)
    assert found == pytest.approx(exact - 0.01, abs=1e-13)


@pytest.mark.parametrize("x", np.linspace(-0.9, 1.9, 9))
def test_gap_of_bead_and_hill_agrees_with_brute_force(x):
    hill = Spline(ABSCISSAE, HEIGHTS)
    y = float(hill.height(x)) + 0.05
    found = gap(hill.on(), Circle(0.0).on(X, Y))({"x.position": x, "y.position": y})
    assert found == pytest.approx(nearest(lambda s: (s, float(hill.height(s))), (x, y), x), abs=1e-13)


@pytest.mark.parametrize("turn", [-2.0, 0.4, 1.9, 3.0])
def test_gap_of_flat_face_and_cam_agrees_with_brute_force(turn):
    """The distance to a face is that of the farthest point."""
    cam = PolarSpline(RADII, ANGLES)
    found = gap(cam.on(angle=TURN), Line(0.0, 0.08, math.pi).on())({"turn.position": turn})
    phi = np.linspace(0.0, 2.0 * np.pi, 200_001)
    assert found == pytest.approx(0.08 - (cam.radius(phi) * np.sin(phi + turn)).max(), abs=1e-10)


def test_curvature_is_continuous_at_the_points():
    """Second derivatives of the gap are the same on both sides of every point; third ones are not."""
    hill = Spline(ABSCISSAE, HEIGHTS)
    g = gap(hill.on(), Circle(0.0).on(X, Y))
    bend = g.gradient("x.position")["x.position"].gradient("x.position")["x.position"]
    third = bend.gradient("x.position")["x.position"]
    for x in ABSCISSAE[1:-1]:
        y = float(hill.height(x))
        sides = [{"x.position": np.nextafter(x, to), "y.position": y} for to in (-9.0, 9.0)]
        before, after = (bend(side) for side in sides)
        assert before == pytest.approx(after, abs=1e-9)
        assert abs(third(sides[0]) - third(sides[1])) > 0.1


MASS, PRELOAD, STIFFNESS = 0.2, 20.0, 300.0


def needed(cam, speed):
    """Force that the follower needs from below, m R'' w² + k R + F, as a cubic of each piece."""
    pieces = []
    around = np.append(cam.angles, cam.angles[0] + 2.0 * np.pi)
    for k in range(cam.radii.size):
        radius = np.polynomial.Polynomial(cam._coefficients[:, k])
        pieces.append(
            (around[k], around[k + 1], MASS * speed**2 * radius.deriv(2) + STIFFNESS * radius + PRELOAD)
        )
    return pieces


def least(cam, speed):
    """Least force: at a point, or where the slope of a cubic vanishes."""
    values = []
    for begin, end, force in needed(cam, speed):
        turns = [x.real for x in force.deriv().roots() if abs(x.imag) < 1e-12 and 0.0 < x.real < end - begin]
        values += [float(force(u)) for u in (0.0, end - begin, *turns)]
    return min(values)


@pytest.mark.parametrize(("share", "jumps"), [(0.9999, False), (1.0001, True), (1.2, True)])
def test_follower_lifts_off_at_closed_form_time(share, jumps):
    """A knife edge on the axis of a cam, y = R(pi/2 - w t), leaves it where its cubic says."""
    cam = PolarSpline(RADII, ANGLES)
    critical = brentq(lambda w: least(cam, w), 1.0, 1e4, xtol=1e-12)
    speed = share * critical
    m = ss.Machine(
        mass=[1e-3, MASS],
        stiffness=[[0.0, 0.0], [0.0, STIFFNESS]],
        names=["shaft", "y"],
        force={"y": -PRELOAD},
    )
    m.add_contact("tip", gap=gap(cam.on(angle=ss.Expr("shaft.position")), Circle(0.0).on(y=Y)))
    m.add_constraint("motor", on="shaft", rate=speed)
    phi = 0.5 * math.pi
    start = {"y.position": float(cam.radius(phi)), "y.velocity": -speed * float(cam.radius(phi, 1))}
    run = ss.simulate(m, 2.0 * math.pi / speed, rtol=1e-12, initial=start)
    left = [event for event in run.events if event.after == ss.Mode.OPEN]
    assert bool(left) == jumps
    assert ss.analysis.audit(run, rtol=1e-12).passed
    if not jumps:
        assert not run.events  # corners of the formula are none
        assert run["y.position"] == pytest.approx(cam.radius(phi - speed * run.t), abs=1e-12)
    else:
        times = []
        for begin, end, force in needed(cam, speed):
            for root in force.roots():
                if abs(root.imag) < 1e-12 and 0.0 <= root.real <= end - begin:
                    times.append((phi - begin - root.real) % (2.0 * math.pi) / speed)
        assert left[0].time == pytest.approx(min(times), abs=1e-9)


def test_bead_on_a_hill_agrees_with_scipy():
    """On y = s(x) in its own coordinate, (1 + s'²) x'' = -s' (g + s'' x'²), with SciPy from point to point."""
    hill = Spline(ABSCISSAE, HEIGHTS, slopes=(-2.0, 2.0))
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_constraint("wire", on=gap(hill.on(), Circle(0.0).on(X, Y)))
    exact = CubicSpline(ABSCISSAE, HEIGHTS, bc_type=((1, -2.0), (1, 2.0)))
    x0 = -0.95
    run = ss.simulate(m, 4.0, rtol=1e-12, initial={"x.position": x0, "y.position": float(hill.height(x0))})
    assert run.success
    assert not run.events

    def slide(_, z):
        slope = exact(z[0], 1)
        return [z[1], -slope * (G + exact(z[0], 2) * z[1] ** 2) / (1.0 + slope**2)]

    t, z, found = 0.0, [x0, 0.0], []
    passes = [lambda _, z, knot=knot: z[0] - knot for knot in ABSCISSAE[1:-1]]
    for one in passes:
        one.terminal = True
    while t < 4.0:
        part = solve_ivp(
            slide, (t, 4.0), z, "DOP853", events=passes, rtol=1e-13, atol=1e-14, dense_output=True
        )
        found.append((t, part.t[-1], part.sol))
        t, z = part.t[-1], part.y[:, -1]
        if t < 4.0:  # beyond the point, so that it is not met again
            nudge = solve_ivp(slide, (t, t + 1e-6), z, "DOP853", rtol=1e-13, atol=1e-14)
            t, z = nudge.t[-1], nudge.y[:, -1]
    for begin, end, sol in found:
        middle = 0.5 * (begin + end)
        assert run.at([middle])["x.position"][0] == pytest.approx(sol(middle)[0], abs=1e-8)
    assert len(found) > 5
    assert np.abs(run["y.position"] - exact(run["x.position"])).max() < 2e-12


def test_spline_contacts_are_saved_and_slide():
    cam = PolarSpline(RADII, ANGLES)
    m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["x", "y", "turn"])
    pair = cam.on(angle=TURN), Circle(0.01).on(X, Y)
    m.add_contact("cam", gap=gap(*pair), tangent=sliding(*pair), friction=0.2)
    assert pickle.loads(pickle.dumps(m)) == m
    row = sliding(*pair)
    assert set(row) == {"x", "y", "turn"}
