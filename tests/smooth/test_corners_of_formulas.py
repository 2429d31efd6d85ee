"""Corners of where, abs, minimum, maximum and sign in formulas: steps end there, and the motion is that of the pieces."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

import stickslip as ss


class Pieces:
    """Motion in pieces x' = A x + b, each up to the first zero of g'x + c; exponentials and roots by SciPy."""

    def __init__(self, x0):
        self.x, self.t, self.times = np.array(x0, dtype=float), 0.0, []

    def go(self, A, b, ends, within):
        """Up to the first of the ends; returns its number."""
        n, steps = len(self.x), 200
        block = np.zeros((n + 1, n + 1))
        block[:n, :n], block[:n, n] = A, b
        grid, step = np.linspace(0.0, within, steps + 1), expm(block * within / steps)
        motion = np.array([*self.x, 1.0])[:, None]
        for _ in range(steps):
            motion = np.hstack([motion, step @ motion[:, -1:]])
        first, which = np.inf, -1
        for k, (g, c) in enumerate(ends):

            def value(tau, g=g, c=c):
                return g @ (expm(block * tau) @ motion[:, 0])[:n] + c

            side = g @ motion[:n] + c
            for i in range(1, steps):  # the start may be zero
                if side[i] * side[i + 1] < 0.0 or side[i + 1] == 0.0:
                    margin = 0.1 * within / steps  # for zeros on the grid
                    root = brentq(value, grid[i] - margin, grid[i + 1] + margin, xtol=1e-15)
                    if root < first:
                        first, which = root, k
                    break
        assert which >= 0
        self.x, self.t = (expm(block * first) @ motion[:, 0])[:n], self.t + first
        self.times.append(self.t)
        return which


def ends_of_steps(run, times):
    """Distance of the nearest end of a step from each of these times."""
    steps = np.array(run._raw.step_times())
    return max(np.abs(steps - t).min() for t in times)


def test_bilinear_spring_has_closed_form_periods():
    """m x'' = -k1 x for x > 0 and -k2 x below, by a formula: half periods π/ω in turn, at every rtol."""
    k1, k2 = 4.0, 25.0
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda q: ss.where(q["x"] > 0.0, -k1 * q["x"], -k2 * q["x"]))
    t, times, half = 0.0, [], math.pi
    for i in range(20):
        t += half / math.sqrt((k1, k2)[i % 2])
        times.append(t)
    run = ss.simulate(m, times[-1], rtol=1e-12, initial={"x.velocity": 1.0})
    assert run.success
    assert run.y[:, -1] == pytest.approx([0.0, 1.0], abs=1e-10)
    assert ends_of_steps(run, times[:-1]) < 1e-10
    assert not run.events  # a switch of the flow
    assert run.energy.residual < 1e-12


@pytest.mark.parametrize("margin", [1e-6, 1e-9, 3e-11])
def test_a_start_at_a_corner_is_decided_by_the_second_derivative(margin):
    """g = q - (1 + margin) t²/2 falls under q'' = 1 and under q'' = 1/2: the motion is that behind the corner."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_force("q", lambda q, v, t: ss.where(q["q"] - (1.0 + margin) * t**2 / 2 >= 0.0, 1.0, 0.5))
    assert ss.simulate(m, 1.0)["q.position"][-1] == pytest.approx(0.25, abs=1e-15)


T, H, ROOT = math.tan(1.0), math.tanh(1.0), math.sqrt(0.75)
OPERATIONS = {  # name: operation of u, then its value and derivatives at u = 0
    "sqrt": (lambda u: np.sqrt(1.0 + u), 1.0, 0.5, -0.25),
    "exp": (np.exp, 1.0, 1.0, 1.0),
    "expm1": (np.expm1, 0.0, 1.0, 1.0),
    "log": (lambda u: np.log(1.0 + u), 0.0, 1.0, -1.0),
    "log1p": (np.log1p, 0.0, 1.0, -1.0),
    "sin": (lambda u: np.sin(1.0 + u), math.sin(1.0), math.cos(1.0), -math.sin(1.0)),
    "cos": (lambda u: np.cos(1.0 + u), math.cos(1.0), -math.sin(1.0), -math.cos(1.0)),
    "tan": (lambda u: np.tan(1.0 + u), T, 1.0 + T**2, 2.0 * T * (1.0 + T**2)),
    "asin": (lambda u: np.arcsin(0.5 + u), math.asin(0.5), 1.0 / ROOT, 0.5 / ROOT**3),
    "acos": (lambda u: np.arccos(0.5 + u), math.acos(0.5), -1.0 / ROOT, -0.5 / ROOT**3),
    "atan": (lambda u: np.arctan(1.0 + u), math.pi / 4.0, 0.5, -0.5),
    "atan2": (lambda u: np.arctan2(1.0 + u, 2.0 - u), math.atan2(1.0, 2.0), 0.6, 0.24),
    "sinh": (lambda u: np.sinh(1.0 + u), math.sinh(1.0), math.cosh(1.0), math.sinh(1.0)),
    "cosh": (lambda u: np.cosh(1.0 + u), math.cosh(1.0), math.sinh(1.0), math.cosh(1.0)),
    "tanh": (lambda u: np.tanh(1.0 + u), H, 1.0 - H**2, -2.0 * H * (1.0 - H**2)),
    "asinh": (lambda u: np.arcsinh(1.0 + u), math.asinh(1.0), 0.5**0.5, -(0.5**1.5)),
    "acosh": (lambda u: np.arccosh(2.0 + u), math.acosh(2.0), 3.0**-0.5, -2.0 * 3.0**-1.5),
    "atanh": (lambda u: np.arctanh(0.5 + u), math.atanh(0.5), 4.0 / 3.0, 16.0 / 9.0),
    "hypot": (lambda u: np.hypot(1.0 + u, 2.0 * u), 1.0, 1.0, 4.0),
    "square": (lambda u: (1.0 + u) ** 2, 1.0, 2.0, 2.0),
    "cube": (lambda u: (1.0 + u) ** 3, 1.0, 3.0, 6.0),
    "power": (lambda u: (1.0 + u) ** 2.5, 1.0, 2.5, 3.75),
    "x to the x": (lambda u: (1.0 + u) ** (1.0 + u), 1.0, 1.0, 2.0),
    "quotient": (lambda u: 1.0 / (1.0 + u), 1.0, -1.0, 2.0),
    "product": (lambda u: (1.0 + u) * np.exp(u), 1.0, 2.0, 3.0),
}


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", OPERATIONS)
def test_second_derivatives_of_operations_decide_at_a_corner(name, side):
    """u = q moves at 1 m/s, and g = f(u) - f(0) - f' t - f'' (1 - margin) t²/2 has the second derivative f'' margin.

    Beyond the corner, where g is negative, a force makes it fall by half as much again.
    """
    f, value, slope, bend = OPERATIONS[name]
    margin = side * math.copysign(0.1, bend)  # more than the third derivative takes until the end
    beyond = -0.05 * abs(bend) / slope

    def force(q, v, t):
        g = f(q["q"]) - value - slope * t - bend * (1.0 - margin) * t**2 / 2
        return ss.where(g >= 0.0, 0.0, beyond)

    m = ss.Machine(mass=1.0, names=["q"])
    m.add_force("q", force)
    run = ss.simulate(m, 0.01, initial={"q.velocity": 1.0})
    moved = 0.0 if side > 0 else beyond * 0.01**2 / 2
    assert run["q.position"][-1] == pytest.approx(0.01 + moved, abs=1e-16)


@pytest.mark.parametrize("method", ["explicit", "stiff"])
def test_the_order_is_kept(method):
    """Errors fall with the tolerance as without corners: by 10⁵ or more from 1e-5 to 1e-11."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda q, t: -9.0 * abs(q["x"]) + 3.0 * ss.sin(2.0 * t) - 6.0 * ss.maximum(q["x"], 0.2))
    truth = None
    errors = []
    for rtol in (1e-13, 1e-11, 1e-5):
        run = ss.simulate(m, 5.0, rtol=rtol, method=method, initial={"x.position": 0.5})
        if truth is None:
            truth = run.y[:, -1]
        else:
            errors.append(np.abs(run.y[:, -1] - truth).max())
    assert errors[0] < 1e-5 * errors[1]


def test_square_law_drag_matches_closed_form():
    """m v' = -c v |v| - g upwards and -g + c v² down: ascent and descent in closed form; v = 0 is a corner."""
    c, g, v0 = 0.3, 9.81, 7.0
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda v: -c * v["x"] * abs(v["x"]) - g)
    w = math.sqrt(g / c)
    rise = math.atan(v0 / w) / math.sqrt(g * c)
    height = math.log(1.0 + (v0 / w) ** 2) / (2.0 * c)
    run = ss.simulate(m, rise + 0.8, rtol=1e-12, initial={"x.velocity": v0})
    assert run.at([rise])["x.position"][0] == pytest.approx(height, abs=1e-11)
    fall = math.log(math.cosh(0.8 * math.sqrt(g * c))) / c
    assert run.y[:, -1] == pytest.approx([height - fall, -w * math.tanh(0.8 * math.sqrt(g * c))], abs=1e-10)
    assert ends_of_steps(run, [rise]) < 1e-10


def test_clipped_load_matches_linear_pieces():
    """N = max(0, N0 + k x) under Coulomb friction on a spring that drives the block through the floor: linear pieces."""
    mu, n0, k, c, v0 = 0.25, 2.0, 4.0, 9.0, 6.0
    m = ss.Machine(mass=1.0, stiffness=c, names=["block"])
    m.add_friction(
        "guide", on="block", law=ss.Coulomb(mu), normal_load=lambda q: ss.maximum(0.0, n0 + k * q["block"])
    )
    run = ss.simulate(m, 6.0, rtol=1e-12, initial={"block.velocity": v0})
    p, side, loaded, stuck = Pieces([0.0, v0]), 1.0, True, False
    turns = []
    while not stuck and p.t < 6.0:
        A = np.array([[0.0, 1.0], [-c - (mu * k * side if loaded else 0.0), 0.0]])
        b = np.array([0.0, -mu * n0 * side if loaded else 0.0])
        if p.go(A, b, [(np.array([k, 0.0]), n0), (np.array([0.0, 1.0]), 0.0)], 3.0) == 0:
            loaded = not loaded
        else:
            turns.append(p.t)
            side = -side
            stuck = c * abs(p.x[0]) <= mu * max(0.0, n0 + k * p.x[0])
    assert len(p.times) > 6
    assert [e.time for e in run.events] == pytest.approx(turns, abs=1e-10)
    assert ends_of_steps(run, [t for t in p.times if t < 6.0]) < 1e-10
    if stuck:
        assert run["block.position"][-1] == pytest.approx(p.x[0], abs=1e-10)


@pytest.mark.parametrize(
    "law",
    [
        ss.LuGre(stiffness=1e3, damping=5.0, static=0.4, kinetic=0.3, stribeck_velocity=0.1),
        ss.Stribeck(static=0.4, kinetic=0.3, stribeck_velocity=0.1),
    ],
    ids=["lugre", "stribeck"],
)
def test_clipped_load_leaves_the_block_free(law):
    """Below the floor the block is free: from there on x'' = -c x."""
    n0, k, c = 2.0, 4.0, 9.0
    m = ss.Machine(mass=1.0, stiffness=c, names=["block"])
    m.add_friction("guide", on="block", law=law, normal_load=lambda q: ss.maximum(0.0, n0 + k * q["block"]))
    start = {"block.position": -0.5, "block.velocity": -2.0}  # the load is zero there
    period = 2.0 * math.pi / math.sqrt(c)
    run = ss.simulate(m, 0.4 * period, rtol=1e-12, initial=start)
    w = math.sqrt(c)
    x, v = -0.5, -2.0
    away = brentq(lambda t: x * math.cos(w * t) + v / w * math.sin(w * t) + 0.5, 0.1 * period, 0.6 * period)
    free = np.linspace(0.0, min(away, 0.4 * period), 7)
    assert run.at(free)["block.position"] == pytest.approx(
        x * np.cos(w * free) + v / w * np.sin(w * free), abs=1e-10
    )
    force = run["guide.force"][np.array(run.t) < away - 1e-9]
    assert np.abs(force).max() < 1e-12


def elastic_backlash(c, d, b):
    """Rotational.Components.ElastoBacklash of the Modelica Standard Library: damping that is no greater than the spring's
    force, and never pulls.
    """

    def torque(q, v):
        phi, w = q["a"], v["a"]
        beyond = ss.where(phi > b / 2, phi - b / 2, ss.where(phi < -b / 2, phi + b / 2, 0.0))
        spring, damper = c * beyond, d * w
        up = ss.where(spring + damper <= 0.0, 0.0, spring + ss.minimum(spring, damper))
        down = ss.where(spring + damper >= 0.0, 0.0, spring + ss.maximum(spring, damper))
        return -ss.where(phi > b / 2, up, ss.where(phi < -b / 2, down, 0.0))

    return torque


def test_elastic_backlash_corners_agree_with_scipy():
    """Every corner to 1e-10 in time against pieces that SciPy's exponentials and roots join."""
    inertia, c, d, b, w0, t_end = 1.0, 100.0, 6.0, 0.5, 4.0, 8.0
    m = ss.Machine(mass=inertia, names=["a"])
    m.add_force("a", elastic_backlash(c, d, b))
    run = ss.simulate(m, t_end, rtol=1e-12, initial={"a.velocity": w0})
    p = Pieces([0.0, w0])
    beyond = {1: np.array([1.0, 0.0]), -1: np.array([1.0, 0.0])}
    free = (np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros(2))
    while p.t < t_end:
        side = 1 if p.x[1] > 0.0 else -1
        if 1.5 * b / abs(p.x[1]) + p.t > t_end:
            break
        p.go(*free, [(beyond[side], -side * b / 2)], 1.5 * b / abs(p.x[1]))  # reaches the flank
        shift = side * b / 2

        def spring(k, damping, shift=shift):
            return np.array([[0.0, 1.0], [-k, -damping]]), np.array([0.0, k * shift])

        g_clip = (np.array([-c, d]), c * shift)  # damper - spring
        g_pull = (np.array([c, d]), -c * shift)  # spring + damper
        p.go(*spring(2.0 * c, 0.0), [g_clip], 1.0)  # the damper is clipped to the spring's force at first
        p.go(*spring(c, d), [g_pull], 1.0)  # until it would pull
        p.go(*free, [(beyond[side], -shift)], 2.0)
    times = [t for t in p.times if t < t_end]
    assert len(times) >= 20
    assert ends_of_steps(run, times) < 1e-10
    assert run.energy.residual < 1e-10


def test_friction_as_a_formula_is_refused_with_a_cure():
    """-F sign(v): at v = 0 both sides lead back, and the run says what to do."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda v: -2.0 * ss.sign(v["x"]))
    run = ss.simulate(m, 3.0, initial={"x.velocity": 1.0})
    assert run.status == "no_solution"
    assert run.t[-1] == pytest.approx(0.5, abs=1e-12)
    assert "x.velocity" in run.message
    assert "add_friction" in run.message


def test_a_formula_that_jumps_breaks_a_block_away():
    """A force that jumps from 0.5 to 2 at t = 1 frees a block that sticks under 1 N."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda t: ss.where(t < 1.0, 0.5, 2.0))
    m.add_friction("floor", on="x", law=ss.Coulomb(1.0, 0.8), normal_load=1.0)
    run = ss.simulate(m, 2.0)
    (event,) = run.events
    assert event.time == pytest.approx(1.0, abs=1e-12)
    assert str(event.after) == "slip+"
    assert run.y[:, -1] == pytest.approx([0.6, 1.2], abs=1e-12)


def test_impact_across_a_corner_switches_the_branch():
    """A ball that drags only as it falls hits the floor: after the impact it rises without drag."""
    g, drag = 9.81, 0.4
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -g})
    m.add_force("y", lambda v: ss.where(v["y"] < 0.0, -drag * v["y"], 0.0))
    m.add_contact("floor", normal={"y": 1.0}, restitution=0.5)
    run = ss.simulate(m, 1.0, rtol=1e-12, initial={"y.position": 1.0})
    impact = run.events[0]
    fall = brentq(lambda t: 1.0 - g / drag * (t - (1.0 - math.exp(-drag * t)) / drag), 0.3, 1.0, xtol=1e-15)
    assert impact.time == pytest.approx(fall, abs=1e-11)
    speed = g / drag * (1.0 - math.exp(-drag * fall))
    t = np.linspace(fall, min(1.0, fall + 0.5 * speed / g), 5)[1:]
    rise = 0.5 * speed * (t - fall) - 0.5 * g * (t - fall) ** 2
    assert run.at(t)["y.position"] == pytest.approx(rise, abs=1e-11)


def test_undefined_branch_beyond_a_corner_is_not_evaluated():
    """sqrt(x) for x > 0 alone: it has no value beyond, and the corner is found all the same."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda q: -ss.where(q["x"] > 0.0, ss.sqrt(q["x"]), 0.0))
    run = ss.simulate(m, 5.0, rtol=1e-11, initial={"x.position": 1.0})
    # v²/2 = (2/3)(1 - x^(3/2)), so that the corner comes after the integral of dx/v
    time = solve_ivp(
        lambda u, y: (
            [2.0 * u / math.sqrt(4.0 / 3.0 * -math.expm1(1.5 * math.log1p(-u * u)))]
            if u > 0.0
            else [2.0 / math.sqrt(2.0)]
        ),
        (0.0, 1.0 - 1e-15),
        [0.0],
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    ).y[0, -1]
    assert run.success
    assert ends_of_steps(run, [time]) < 1e-8
    assert run["x.velocity"][-1] == pytest.approx(-math.sqrt(4.0 / 3.0), abs=1e-9)


def test_resumed_run_with_corners_is_bitwise_equal():
    m = ss.Machine(mass=1.0, names=["a"])
    m.add_force("a", elastic_backlash(100.0, 6.0, 0.5))
    start = {"a.velocity": 4.0}
    whole = ss.simulate(m, 3.0, initial=start)
    part = ss.simulate(m, 1.234, initial=start)
    rest = ss.simulate(m, 3.0, state=part.state)
    assert np.array_equal(whole.state.x, rest.state.x)
