"""Derivatives of the motion of machines that are not linear, against closed forms; tests/simulate/test_jacobian.py
compares them with differences.
"""

import math

import numpy as np
import pytest

import stickslip as ss

from .pendulums import G


def slopes(machine, start, t):
    """x' and its Jacobian and time derivative at a time of a short run."""
    run = ss.simulate(machine, 2.0 * t, initial=start)
    x = run.at(t).y[:, 0]
    return x, *run._raw.jacobian(t, t, x)


def test_jacobian_of_mass_and_force_matches_closed_form():
    """(2 + sin q) q'' = -cos(q) v²/2 - 3 q + sin(5 t)."""
    m = ss.Machine(mass=lambda q: [[2.0 + ss.sin(q["arm"])]], names=["arm"])
    m.add_force(
        "arm", lambda q, v, t: -0.5 * ss.cos(q["arm"]) * v["arm"] ** 2 - 3.0 * q["arm"] + ss.sin(5.0 * t)
    )
    t = 0.7
    (q, v), J, by_time = slopes(m, {"arm.position": 1.2}, t)
    s, c, mass = math.sin(q), math.cos(q), 2.0 + math.sin(q)
    a = (-0.5 * c * v * v - 3.0 * q + math.sin(5.0 * t)) / mass
    expected = [[0.0, 1.0], [(0.5 * s * v * v - 3.0 - c * a) / mass, -c * v / mass]]
    assert pytest.approx(np.array(expected), rel=1e-14, abs=1e-15) == J
    assert by_time == pytest.approx([0.0, 5.0 * math.cos(5.0 * t) / mass], rel=1e-14)


def test_jacobian_of_friction_under_variable_load_matches_closed_form():
    """q'' = -µ (2 + q² + v) - q, sliding forward."""
    mu = 0.3
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    m.add_friction(
        "guide", on="block", law=ss.Coulomb(mu), normal_load=lambda q, v: 2.0 + q["block"] ** 2 + v["block"]
    )
    (q, _), J, by_time = slopes(m, {"block.velocity": 3.0}, 0.1)
    expected = [[0.0, 1.0], [-1.0 - 2.0 * mu * q, -mu]]
    assert pytest.approx(np.array(expected), rel=1e-14) == J
    assert by_time == pytest.approx([0.0, 0.0], abs=1e-15)


def test_jacobian_of_constrained_bead_matches_hand_calculation():
    """Held on the circle by lambda = m (g cos φ - v²/R), it slides with friction µ lambda: the acceleration along the
    circle, seen as a function of (x, y, x', y'), by hand.
    """
    mu, g = 0.2, 9.81
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -g})

    def along(q):
        r = ss.hypot(q["x"], q["y"])
        return {"x": q["y"] / r, "y": -q["x"] / r}

    m.add_contact("hill", gap=lambda q: ss.hypot(q["x"], q["y"]) - 1.0, tangent=along, friction=mu)
    start = {"x.position": math.sin(0.2), "y.position": math.cos(0.2)}
    start |= {"x.velocity": math.cos(0.2), "y.velocity": -math.sin(0.2)}
    x, J, _ = slopes(m, start, 0.05)

    def acceleration(z):  # complex numbers in, so that its derivatives are exact
        px, py, vx, vy = z
        r = (px * px + py * py) ** 0.5
        nx, ny = px / r, py / r
        tx, ty = ny, -nx
        radial, tangential = nx * vx + ny * vy, tx * vx + ty * vy
        curvature = (vx * vx + vy * vy - radial * radial) / r
        force = g * ny - curvature  # n·a + curvature = 0
        assert tangential.real > 0.0
        return np.array([force * (nx - mu * tx), -g + force * (ny - mu * ty)])

    h = 1e-30
    expected = np.column_stack([acceleration(x + 1j * h * e).imag / h for e in np.eye(4)])
    assert J[:2] == pytest.approx(np.hstack([np.zeros((2, 2)), np.eye(2)]), abs=1e-13)
    assert J[2:] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_stiff_flow_keeps_its_order_where_time_enters_a_formula():
    """A pendulum that a formula of time drives, by the stiff method and by the explicit one."""
    m = ss.Machine(mass=1.0, names=["arm"])
    m.add_force("arm", lambda q, t: -G * ss.sin(q["arm"]) + 5.0 * ss.sin(3.0 * t))
    stiff, explicit = (
        ss.simulate(m, 5.0, rtol=rtol, method=method, initial={"arm.position": 0.5})
        for method, rtol in (("stiff", 1e-10), ("explicit", 1e-13))
    )
    assert stiff.y[:, -1] == pytest.approx(explicit.y[:, -1], abs=2e-8)
    assert stiff.t.size < 2000
