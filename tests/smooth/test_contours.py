"""Contours in contact: distances against brute force, curvature against its formula, motion against closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar

import stickslip as ss
from stickslip.contours import Circle, Line, Polar, Polynomial, gap, sliding

G = 9.81
X, Y, TURN = (ss.Expr(f"{name}.position") for name in ("x", "y", "turn"))


def at(x=0.0, y=0.0, turn=0.0):
    return {"x.position": x, "y.position": y, "turn.position": turn}


def nearest(curve, point, around):
    """The distance by a search along the curve."""

    def distance(s):
        (px, py), _, _ = curve._along(s)
        return math.hypot(px - point[0], py - point[1])

    bounds = around - 0.5, around + 0.5
    return minimize_scalar(distance, bounds=bounds, method="bounded", options={"xatol": 1e-10}).fun


CAM = Polar([0.05, 0.004, 0.003], [0.002, -0.001])


def value(expression, **place):
    return expression({k: v for k, v in at(**place).items() if k in expression.inputs})


@pytest.mark.parametrize("angle", [-2.5, -1.0, 0.4, 3.0])
def test_gap_of_circle_and_cam_agrees_with_brute_force(angle):
    x, y, turn = 0.09 * math.cos(angle), 0.09 * math.sin(angle), 0.7
    g = gap(CAM.on(0.01, -0.02, TURN), Circle(0.01).on(X, Y))
    c, s = math.cos(turn), math.sin(turn)
    seen = c * (x - 0.01) + s * (y + 0.02), c * (y + 0.02) - s * (x - 0.01)
    distance = nearest(CAM, seen, math.atan2(seen[1], seen[0]))
    assert value(g, x=x, y=y, turn=turn) == pytest.approx(distance - 0.01, abs=1e-14)
    assert value(gap(Circle(0.01).on(X, Y), CAM.on(0.01, -0.02, TURN)), x=x, y=y, turn=turn) == pytest.approx(
        distance - 0.01, abs=1e-14
    )
    slopes = [value(g.gradient()[f"{name}.position"], x=x, y=y, turn=turn) for name in ("x", "y")]
    assert math.hypot(*slopes) == pytest.approx(1.0, abs=1e-13)  # a distance


def test_curvature_enters_the_second_derivative():
    """Along the tangent the distance of a point from a curve has the second derivative κ / (1 + κ d)."""
    parabola = Polynomial(0.3, 0.0, -0.5)  # κ = 1 at its top
    g = gap(parabola.on(), Circle(0.0).on(X, Y))
    for height in (0.0, 0.4):
        slope = g.gradient("x.position")["x.position"].gradient("x.position")["x.position"]
        assert value(slope, x=0.0, y=0.3 + height) == pytest.approx(1.0 / (1.0 + height), abs=1e-12)


@pytest.mark.parametrize("angle", [-2.0, 0.3, 1.8])
def test_gap_of_line_and_cam_agrees_with_brute_force(angle):
    """The distance to a flat face is that of the farthest point of the cam."""
    g = gap(CAM.on(angle=TURN), Line(0.0, 0.08, math.pi + 0.2).on())
    normal = np.array([math.sin(0.2), -math.cos(0.2)])
    s = np.linspace(-np.pi, np.pi, 2001)
    (x, y), _, _ = CAM._along(s)
    c, n = math.cos(angle), math.sin(angle)
    heights = normal @ np.array([c * x - n * y, n * x + c * y - 0.08])
    assert value(g, turn=angle) == pytest.approx(heights.min(), abs=1e-6)
    assert value(g, turn=angle) <= heights.min() + 1e-15


def test_gaps_of_circles_match_closed_form():
    outer, bore = Circle(1.0).on(), Circle(1.0, hollow=True).on()
    small = Circle(0.2).on(X, Y)
    assert value(gap(outer, small), x=0.9, y=1.2) == pytest.approx(0.3)
    assert value(gap(bore, small), x=0.3, y=0.4) == pytest.approx(0.3)
    assert value(gap(small, bore), x=0.3, y=0.4) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="hollow"):
        gap(Line().on(), Circle(0.1, hollow=True).on(X, Y))
    with pytest.raises(ValueError, match="pair = 'Line and Line'"):
        gap(Line().on(), Line().on(Y))
    with pytest.raises(ValueError, match="place = 'time'"):
        sliding(Circle(1.0).on(angle=ss.Expr("time")), small)


R, r, START = 1.0, 0.1, 0.3


def rolling(friction):
    m = ss.Machine(mass=[1.0, 1.0, 0.5 * r * r], names=["x", "y", "turn"], force={"y": -G})
    hill, disc = Circle(R).on(), Circle(r).on(X, Y, TURN)
    m.add_contact("hill", gap=gap(hill, disc), tangent=sliding(hill, disc), friction=friction)
    places = {"x.position": (R + r) * math.sin(START), "y.position": (R + r) * math.cos(START)}
    return ss.simulate(m, 1.2, rtol=1e-12, initial=places)


def test_disc_rolls_off_a_disc_by_closed_form():
    """(R + r) φ'' = (2/3) g sin φ while it rolls. It has left where cos φ = (4/7) cos φ0, by its energy 3/4 m v², but that
    it slips for an instant before, since friction vanishes with the normal force: that is of the order of 1 / µ.
    """

    def leaves(run):
        time = next(e for e in run.events if e.after == ss.Mode.OPEN).time
        x, y = run.at(time).y[:2, 0]
        return time, y / math.hypot(x, y)

    run = rolling(1e5)
    (_, rough), (time, rougher) = leaves(rolling(1e4)), leaves(run)
    assert (10.0 * rougher - rough) / 9.0 == pytest.approx(4.0 / 7.0 * math.cos(START), abs=1e-10)
    t = np.linspace(0.1, 0.9 * time, 9)
    phi = solve_ivp(
        lambda _, z: [z[1], 2.0 / 3.0 * G * math.sin(z[0]) / (R + r)],
        (0.0, t[-1]),
        [START, 0.0],
        "DOP853",
        t_eval=t,
        rtol=1e-13,
        atol=1e-13,
    ).y[0]
    states = run.at(t).y
    assert np.arctan2(states[0], states[1]) == pytest.approx(phi, abs=1e-9)
    assert states[2] == pytest.approx(-(R + r) / r * (phi - START), abs=1e-8)  # to the right: clockwise


@pytest.mark.parametrize("contour", ["circle", "polar"])
@pytest.mark.parametrize(("share", "jumps"), [(0.999, False), (1.001, True)])
def test_flat_follower_lifts_off_at_closed_form_time(contour, share, jumps):
    """An eccentric circle of radius R under a flat follower: y = R + e sin(w t), and m y'' = -m e w² sin needs a force from
    above once m e w² > m g + F + k e at its top.
    """
    R, e, mass, stiffness, preload = 0.04, 0.005, 0.3, 200.0, 4.0
    critical = math.sqrt((mass * G + preload + stiffness * e) / (mass * e))
    w = share * critical
    m = ss.Machine(
        mass=[1e-3, mass],
        stiffness=[[0.0, 0.0], [0.0, stiffness]],
        names=["cam", "follower"],
        force={"follower": -mass * G - preload + stiffness * R},
    )
    cam_angle, lift = ss.Expr("cam.position"), ss.Expr("follower.position")
    if contour == "circle":
        cam = Circle(R, e, 0.0)
        followed = _flat_on_circle(cam, cam_angle, lift)
    else:
        angles = 2.0 * np.pi * np.arange(24) / 24
        radii = e * np.cos(angles) + np.sqrt(R**2 - (e * np.sin(angles)) ** 2)
        followed = gap(Polar.through(radii).on(angle=cam_angle), Line(0.0, 0.0, math.pi).on(y=lift))
    m.add_contact("face", gap=followed)
    m.add_constraint("motor", on="cam", rate=w)
    start = {"cam.position": 0.0, "follower.position": R, "follower.velocity": e * w}
    run = ss.simulate(m, 0.9 * 2.0 * math.pi / w, rtol=1e-11, initial=start)
    left = [event for event in run.events if event.after == ss.Mode.OPEN]
    assert bool(left) == jumps
    if jumps:  # (m e w² - k e) sin = m g + F
        sine = (mass * G + preload) / (mass * e * w * w - stiffness * e)
        assert math.sin(w * left[0].time) == pytest.approx(sine, abs=1e-9)


def _flat_on_circle(cam, angle, lift):
    """The face looks down: its free side is below, on the left of a line to the left."""
    return gap(Line(0.0, 0.0, math.pi).on(y=lift), cam.on(angle=angle))


def test_bead_in_a_bowl_agrees_with_scipy():
    """A point on y = c x² in its own coordinate: (1 + 4 c² x²) x'' = -4 c² x x'² - 2 c g x."""
    c = 0.8
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -G})
    m.add_contact("bowl", gap=gap(Polynomial(0.0, 0.0, c).on(), Circle(0.0).on(X, Y)))
    t = np.linspace(0.0, 5.0, 51)
    run = ss.simulate(m, 5.0, rtol=1e-12, t_eval=t, initial={"x.position": 0.5, "y.position": 0.25 * c})
    x = solve_ivp(
        lambda _, z: [
            z[1],
            -(4.0 * c * c * z[0] * z[1] ** 2 + 2.0 * c * G * z[0]) / (1.0 + 4.0 * (c * z[0]) ** 2),
        ],
        (0.0, 5.0),
        [0.5, 0.0],
        "DOP853",
        t_eval=t,
        rtol=1e-13,
        atol=1e-13,
    ).y[0]
    assert run["x.position"] == pytest.approx(x, abs=1e-9)
    assert run["y.position"] == pytest.approx(c * x * x, abs=1e-9)
