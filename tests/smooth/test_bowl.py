"""A body that slides in a bowl: both tangents are functions of the position."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip import math as f

Array = NDArray[np.float64]
MASS, G, RADIUS, MU, FACETS = 2.0, 9.81, 1.5, 0.06, 8
SHARE = math.sin(math.pi / FACETS)
ANGLES = 2.0 * math.pi / FACETS * np.arange(FACETS // 2)


def bowl(friction: float = MU) -> ss.Machine:
    """A mass inside a sphere: the friction pendulum without small displacements."""
    m = ss.Machine(mass=[MASS] * 3, names=["x", "y", "z"], force={"z": -MASS * G})

    def gap(q: dict[str, ss.Expr]) -> ss.Expr:
        return RADIUS - f.sqrt(q["x"] ** 2 + q["y"] ** 2 + q["z"] ** 2)

    def first(q: dict[str, ss.Expr]) -> list[ss.Expr | float]:
        size = f.sqrt(q["x"] ** 2 + q["z"] ** 2)
        return [-q["z"] / size, 0.0, q["x"] / size]

    def second(q: dict[str, ss.Expr]) -> list[ss.Expr]:
        size = f.sqrt(q["x"] ** 2 + q["z"] ** 2)
        r = f.sqrt(q["x"] ** 2 + q["y"] ** 2 + q["z"] ** 2)
        return [-q["x"] * q["y"] / (size * r), size / r, -q["y"] * q["z"] / (size * r)]

    m.add_contact("bowl", gap=gap, tangent=first, second_tangent=second, friction=friction, facets=FACETS)
    return m


def directions(p: Array) -> Array:
    """Directions of the friction elements at p, by rows."""
    first = np.array([-p[2], 0.0, p[0]]) / math.hypot(p[0], p[2])
    second = np.cross(-p / RADIUS, first)
    second = -second if second[1] < 0.0 else second
    return np.outer(np.cos(ANGLES), first) + np.outer(np.sin(ANGLES), second)


def sliding(_: float, y: Array, mu: float) -> Array:
    """m a = weight + N n - friction, with p . a = -v² on the sphere."""
    p, v = y[:3], y[3:]
    normal = MASS * (v @ v / RADIUS - G * p[2] / RADIUS)
    d = directions(p)
    friction = mu * SHARE * normal * np.sign(d @ v) @ d
    force = np.array([0.0, 0.0, -MASS * G]) - normal * p / RADIUS - friction
    return np.concatenate([v, force / MASS])


def start(polar: float, speed: tuple[float, float]) -> Array:
    p = RADIUS * np.array([math.sin(polar), 0.0, -math.cos(polar)])
    first, _, second, _ = directions(p)
    return np.concatenate([p, speed[0] * first + speed[1] * second])


def named(y: Array) -> dict[str, float]:
    keys = [f"{c}.{kind}" for kind in ("position", "velocity") for c in "xyz"]
    return dict(zip(keys, y.tolist(), strict=True))


@pytest.mark.parametrize("speed", [(-1.0, 0.5), (-1.2, 0.3), (1.5, 0.3)])
def test_sliding_on_a_sphere_agrees_with_scipy(speed: tuple[float, float]) -> None:
    y, t = start(0.4, speed), np.linspace(0.0, 0.25, 6)
    run = ss.simulate(bowl(), 0.25, t_eval=t, rtol=1e-11, initial=named(y))
    assert not [e for e in run.events if e.time > 0.0]  # no component of the velocity reverses
    truth = solve_ivp(sliding, (0.0, 0.25), y, "DOP853", t, rtol=1e-12, atol=1e-13, args=(MU,)).y
    np.testing.assert_allclose(np.array([run[name] for name in named(y)]), truth, atol=1e-9)
    assert run.energy.residual < 1e-9


def test_body_rests_within_the_angle_of_the_polygon() -> None:
    # On the slope the friction elements hold up to µ N times a share between cos(π/facets) and 1
    for angle, rests in (
        (0.9 * math.atan(MU * math.cos(math.pi / FACETS)), True),
        (1.01 * math.atan(MU), False),
    ):
        run = ss.simulate(bowl(), 0.5, initial=named(start(angle, (0.0, 0.0))), rtol=1e-10)
        moved = math.hypot(run["x.position"][-1] - run["x.position"][0], run["y.position"][-1])
        assert (moved < 1e-12) == rests


def test_motion_comes_to_rest_in_the_bowl() -> None:
    y = start(0.35, (0.2, 0.7))
    run = ss.simulate(bowl(0.1), 10.0, initial=named(y), max_events=1000)
    assert run.success
    assert np.abs(run.y[3:6, -1]).max() < 1e-10
    slope = math.hypot(run["x.position"][-1], run["y.position"][-1]) / -run["z.position"][-1]
    assert slope < 0.1
    assert run.energy.residual < 1e-8
