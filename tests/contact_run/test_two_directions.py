"""Coulomb's cone in two directions of sliding, a polygon: its bound against the cone, and closed forms on it."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

G, MU = 10.0, 0.3


def puck(facets, friction=MU, **options):
    m = ss.Machine(mass=[2.0, 2.0, 2.0], names=["x", "y", "z"], force={"z": -2.0 * G})
    m.add_contact(
        "floor",
        normal={"z": 1.0},
        tangent={"x": 1.0},
        second_tangent={"y": 1.0},
        friction=friction,
        facets=facets,
        **options,
    )
    return m


def held(run, facets):
    """The friction force on the plane."""
    angles = 2.0 * np.pi / facets * np.arange(facets // 2)
    forces = np.array([run[f"floor[{k}].force"] for k in range(facets // 2)])
    return np.cos(angles) @ forces, np.sin(angles) @ forces


@pytest.mark.parametrize("facets", [4, 6, 8, 16, 32])
@pytest.mark.parametrize("angle", [0.1, 0.7, 2.0, 4.4])
def test_sliding_friction_has_the_size_of_the_cone(facets, angle):
    run = ss.simulate(
        puck(facets), 0.01, initial={"x.velocity": math.cos(angle), "y.velocity": math.sin(angle)}
    )
    fx, fy = (f[0] for f in held(run, facets))
    assert math.hypot(fx, fy) == pytest.approx(MU * 2.0 * G, rel=1e-12)
    off = math.remainder(math.atan2(fy, fx) - angle, 2.0 * math.pi)
    assert abs(off) <= math.pi / facets + 1e-12


@pytest.mark.parametrize("facets", [4, 8, 16])
@pytest.mark.parametrize("angle", np.linspace(0.05, 3.1, 7))
def test_friction_limit_is_the_polygon(facets, angle):
    """A force that grows in one direction moves the puck at the polygon's limit there, by its support function."""
    m = puck(facets)
    m.add_force({"x": math.cos(angle), "y": math.sin(angle)}, ss.Ramp(slope=1.0))
    run = ss.simulate(m, 8.0)
    limit = next(e.time for e in run.events if "break" in e.cause or "limit" in e.cause)
    half = math.pi / facets
    corners = half * (1 + 2 * np.arange(facets)) if facets // 2 % 2 == 0 else half * 2 * np.arange(facets)
    normals = corners + half  # of its sides, at the distance µ N cos(pi / facets)
    exact = MU * 2.0 * G * math.cos(half) / np.cos(normals - angle).max()
    assert limit == pytest.approx(exact, rel=1e-9)
    assert MU * 2.0 * G * math.cos(half) - 1e-9 <= limit <= MU * 2.0 * G + 1e-9


def test_polygon_converges_to_the_cone():
    """Driven across the floor by springs and forces, against the cone, regularised, by SciPy."""

    def machine(facets):
        m = puck(facets)
        m.add_spring("sx", on="x", stiffness=10.0)
        m.add_spring("sy", on="y", stiffness=20.0)
        m.add_force("x", ss.Sine(12.0, 0.5))
        m.add_force("y", ss.Sine(9.0, 0.31))
        return m

    def cone(t, s):
        x, y, vx, vy = s
        v = math.sqrt(vx * vx + vy * vy + 1e-12)
        return [
            vx,
            vy,
            -5.0 * x + 6.0 * math.sin(math.pi * t) - MU * G * vx / v,
            -10.0 * y + 4.5 * math.sin(0.62 * math.pi * t) - MU * G * vy / v,
        ]

    exact = solve_ivp(cone, (0.0, 4.0), [0.0, 0.0, 2.0, 1.0], "Radau", rtol=1e-9, atol=1e-11).y[:2, -1]
    error = []
    for facets in (8, 32):
        run = ss.simulate(machine(facets), 4.0, initial={"x.velocity": 2.0, "y.velocity": 1.0})
        assert run.success
        error.append(np.abs(run.y[:2, -1] - exact).max())
    assert error[1] < 0.5 * error[0]
    assert error[1] < 0.02


@pytest.mark.parametrize("impact", ["poisson", "newton"])
def test_impact_slides_along_both_tangents(impact):
    """Dropped with a slow spin-free slide: the tangential impulse is µ times the normal one, along the corner of the
    polygon next to the direction of sliding, which is that of a corner here.
    """
    facets = 8
    angle = math.pi / facets
    m = puck(facets, restitution=0.5, impact=impact)
    v = 3.0
    start = {
        "z.position": 0.2,
        "z.velocity": 0.0,
        "x.velocity": v * math.cos(angle),
        "y.velocity": v * math.sin(angle),
    }
    run = ss.simulate(m, 0.25, initial=start)
    down = math.sqrt(2.0 * G * 0.2)
    slowed = v - MU * 1.5 * down
    assert run["x.velocity"][-1] == pytest.approx(slowed * math.cos(angle), abs=1e-9)
    assert run["y.velocity"][-1] == pytest.approx(slowed * math.sin(angle), abs=1e-9)
    assert run.energy.residual < 1e-10
    given = rubbed(run, facets)
    assert np.linalg.norm(given) == pytest.approx(MU * 2.0 * 1.5 * down, rel=1e-12)
    assert given == pytest.approx(
        2.0 * (v - slowed) * np.array([math.cos(angle), math.sin(angle)]), rel=1e-12
    )
    assert [event.element for event in run.events if event.impact] == ["floor"]


def rubbed(run, facets):
    """The sum of the impulses on the plane, against the motion."""
    angles = 2.0 * np.pi / facets * np.arange(facets // 2)
    given = np.array([run.events.of(f"floor[{k}]").tangential_impulse.sum() for k in range(facets // 2)])
    return np.array([np.cos(angles) @ given, np.sin(angles) @ given])


def test_invalid_second_tangents_are_refused():
    with pytest.raises(ValueError, match="facets of 'floor'"):
        puck(7)
    with pytest.raises(ValueError, match="a Coulomb law"):
        puck(8, friction=ss.Stribeck(0.5, 0.3, 0.1))
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_friction("guide", on="x", law=0.3, normal_load="floor.normal_force")
    with pytest.raises(ss.UnknownNameError, match="unknown contact 'floor'; known are: none"):
        ss.simulate(m, 1.0)
