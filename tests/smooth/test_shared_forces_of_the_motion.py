"""Forces that rigidity leaves open where rows turn with the motion: shared within their limits, as those of linear
machines are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, linprog, minimize

import stickslip as ss

G = 9.81
CURVATURE = 0.8
CORNERS = [(0.5, 0.3), (0.5, -0.3), (-0.4, 0.35), (-0.4, -0.25)]
FRICTION = [0.3, 0.5, 0.2, 0.6]
HEIGHT = 0.2


def table() -> ss.Machine:
    """Four corners on a floor whose height is -c x²/2, pulled along it harder and harder."""
    m = ss.Machine(mass=[2.0, 2.0, 0.5, 0.4], names=["x", "z", "pitch", "roll"], force={"z": -2.0 * G})
    m.add_force("x", ss.Ramp(1.0))
    for k, ((a, b), mu) in enumerate(zip(CORNERS, FRICTION, strict=True)):
        at = lambda q, a=a: q["x"] + a  # noqa: E731
        m.add_contact(
            f"c{k}",
            gap=lambda q, a=a, b=b, at=at: (
                q["z"] - HEIGHT - a * q["pitch"] + b * q["roll"] + 0.5 * CURVATURE * (at(q) * at(q) - a * a)
            ),
            tangent=lambda q, at=at: {"x": 1.0, "z": -CURVATURE * at(q), "pitch": HEIGHT},
            friction=mu,
        )
    return m


def balance() -> tuple[np.ndarray, np.ndarray]:
    """Columns of the generalised forces of the four normal and the four friction forces, at x = 0."""
    normal = np.array([[CURVATURE * a, 1.0, -a, b] for a, b in CORNERS]).T
    friction = -np.array([[1.0, -CURVATURE * a, HEIGHT, 0.0] for a, _ in CORNERS]).T
    return normal, friction


def limits() -> np.ndarray:
    """C with C f >= 0 of all forces f = (normal, friction) within their limits."""
    rows = [np.eye(8)[k] for k in range(4)]
    for k, mu in enumerate(FRICTION):
        rows += [mu * np.eye(8)[k] - np.eye(8)[4 + k], mu * np.eye(8)[k] + np.eye(8)[4 + k]]
    return np.array(rows)


def test_four_corners_on_a_curved_floor_share_within_their_limits():
    """Against SciPy: the forces are the answer of a small convex problem, and the body breaks away at the greatest load
    for which there is one at all (a linear one). Forces of least norm pass a limit at half of that load.
    """
    W, C = np.hstack(balance()), limits()
    greatest = linprog(
        [-1.0, *np.zeros(8)],
        A_ub=np.hstack([np.zeros((12, 1)), -C]), b_ub=np.zeros(12),
        A_eq=np.hstack([np.array([[1.0], [0.0], [0.0], [0.0]]), W]), b_eq=[0.0, 2.0 * G, 0.0, 0.0],
        bounds=[(0, None), *[(None, None)] * 8], method="highs",
    )  # fmt: skip
    run = ss.simulate(table(), 11.5, max_time=20.0, initial={"z.position": HEIGHT})
    leaves = min(e.time for e in run.events)
    assert leaves == pytest.approx(-greatest.fun, rel=1e-9)
    passed = 0
    for load in np.linspace(0.05, 0.98, 9) * leaves:
        least = np.linalg.pinv(W) @ [-load, 2.0 * G, 0.0, 0.0]
        passed += bool((C @ least).min() < -1e-3)
        truth = minimize(
            lambda f: 0.5 * f @ f, least, jac=lambda f: f, method="SLSQP", options={"ftol": 1e-11},
            constraints=[
                {"type": "ineq", "fun": lambda f: C @ f, "jac": lambda f: C},
                {"type": "eq", "fun": lambda f, load=load: W @ f - [-load, 2.0 * G, 0.0, 0.0], "jac": lambda f: W},
            ],
        )  # fmt: skip
        here = run.at([load])
        f = [float(here[f"c{k}.normal_force"][0]) for k in range(4)]
        f += [float(here[f"c{k}.force"][0]) for k in range(4)]
        assert truth.success
        assert f == pytest.approx(truth.x, abs=1e-5)
    assert passed >= 3


A, H, MU = 0.4, 0.15, (0.2, 0.7)


def tilt(t: Any) -> Any:
    return 0.05 * t * t


def crate() -> ss.Machine:
    """Two corners on a platform that is tilted about a line of its surface: every row turns with it."""
    m = ss.Machine(mass=[1.0, 1.0, 0.1], names=["x", "z", "turn"], force={"z": -G})
    for k, (side, mu) in enumerate(zip((-1.0, 1.0), MU, strict=True)):

        def corner(q: Any, side: float = side) -> tuple[Any, Any]:
            c, s = ss.cos(q["turn"]), ss.sin(q["turn"])
            return q["x"] + side * A * c + H * s, q["z"] + side * A * s - H * c

        def gap(q: Any, t: Any, corner: Any = corner) -> Any:
            x, z = corner(q)
            return z * ss.cos(tilt(t)) - x * ss.sin(tilt(t))

        def tangent(q: Any, t: Any, corner: Any = corner) -> dict[str, Any]:
            x, z = corner(q)
            c, s = ss.cos(tilt(t)), ss.sin(tilt(t))
            return {"x": c, "z": s, "turn": -c * (z - q["z"]) + s * (x - q["x"])}

        m.add_contact(f"c{k}", gap=gap, tangent=tangent, friction=mu)
    return m


def of_the_platform(t: float) -> tuple[float, float, float]:
    """Forces along the platform, and of each corner normal to it, that the acceleration of the turning crate requires."""
    angle, rate, gain = tilt(t), 0.1 * t, 0.1
    u = np.array([0.3, H])  # centre of mass in the frame of the platform
    along, across = u[0] * -(rate**2) - gain * u[1], u[1] * -(rate**2) + gain * u[0]
    T = along + G * math.sin(angle)  # force up the slope
    N = across + G * math.cos(angle)
    # moments about the centre: A (N1 - N0) + H T = I gain
    difference = (0.1 * gain - H * T) / A
    return T, 0.5 * (N - difference), 0.5 * (N + difference)


def test_a_crate_on_a_platform_holds_until_both_corners_are_at_their_limits():
    """Friction of the two corners adds up to what the motion asks of them, known in closed form, whatever their shares:
    it slips where that reaches both limits. The lower corner alone, or half of it each, would not hold so long.
    """

    def left(t: float) -> float:
        T, *N = of_the_platform(t)
        return MU[0] * N[0] + MU[1] * N[1] - T

    leaves = brentq(left, 0.1, 6.0, xtol=1e-15)
    run = ss.simulate(crate(), 4.5, rtol=1e-10, initial={"x.position": 0.3, "z.position": H})
    assert run.success
    event = run.events[0]
    assert event.time == pytest.approx(leaves, abs=1e-9)
    assert {e.element for e in run.events if e.time == event.time} == {"c0", "c1"}
    t = np.linspace(0.1, 0.999, 12) * leaves
    here = run.at(t)
    T, N0, N1 = np.array([of_the_platform(float(one)) for one in t]).T
    assert here["c0.normal_force"] == pytest.approx(N0, abs=1e-9)
    assert here["c1.normal_force"] == pytest.approx(N1, abs=1e-9)
    # Down the slope is where they would slip: they push up it, against the direction in which tangents count.
    assert here["c0.force"] + here["c1.force"] == pytest.approx(-T, abs=1e-9)
    used = np.abs([here["c0.force"] / (MU[0] * N0), here["c1.force"] / (MU[1] * N1)])
    assert used[0] == pytest.approx(used[1], abs=1e-9)  # they hold one body, in units of their limits
    assert (used <= 1.0 + 1e-12).all()
    half = next(one for one, total, n in zip(t, T, N0, strict=True) if 0.5 * total > MU[0] * n)
    assert half < 0.95 * leaves


@pytest.mark.parametrize("facets", [8, 16])
@pytest.mark.parametrize("angle", [0.1, 0.7, 1.3, 2.4])
def test_friction_polygons_hold_as_in_linear_machines(facets, angle):
    """A puck on a floor given by a function, pulled harder and harder: the linear machine shares over the sides of the
    polygon (tested against its support function), this one within the limits of each direction.
    """

    def puck(**floor: Any) -> ss.Machine:
        m = ss.Machine(mass=[2.0, 2.0, 2.0], names=["x", "y", "z"], force={"z": -2.0 * G})
        m.add_contact(
            "floor", tangent={"x": 1.0}, second_tangent={"y": 1.0}, friction=0.3, facets=facets, **floor
        )
        m.add_force({"x": math.cos(angle), "y": math.sin(angle)}, ss.Ramp(slope=1.0))
        return m

    linear = puck(normal={"z": 1.0}, gap=-0.1)
    runs = [
        ss.simulate(m, 8.0, initial={"z.position": 0.1}) for m in (linear, puck(gap=lambda q: q["z"] - 0.1))
    ]
    assert [(e.element, e.after) for e in runs[1].events] == [(e.element, e.after) for e in runs[0].events]
    assert [e.time for e in runs[1].events] == pytest.approx([e.time for e in runs[0].events], abs=1e-12)
    assert runs[1].y[:, -1] == pytest.approx(runs[0].y[:, -1], abs=1e-11)
    before = np.linspace(0.5, 5.0, 9)
    for k in range(facets // 2):
        assert runs[1].at(before)[f"floor[{k}].force"] == pytest.approx(
            runs[0].at(before)[f"floor[{k}].force"], abs=1e-9
        )


def rolls_off(mu: float, **how: Any) -> ss.Trajectory:
    """A disc on the top of a round hill, from a place beside it and without slip."""
    r, angle = 0.25, 0.3
    m = ss.Machine(mass=[1.0, 1.0, 0.5 * r * r], names=["x", "y", "turn"], force={"y": -G})
    disc = ss.contours.Circle(r).on(*(ss.Expr(f"{n}.position") for n in m.names))
    hill = ss.contours.Circle(1.0).on()
    m.add_contact(
        "hill", gap=ss.contours.gap(hill, disc), tangent=ss.contours.sliding(hill, disc), friction=mu, **how
    )
    start = {"x.position": (1.0 + r) * math.sin(angle), "y.position": (1.0 + r) * math.cos(angle)}
    start |= {
        "x.velocity": 0.3 * math.cos(angle),
        "y.velocity": -0.3 * math.sin(angle),
        "turn.velocity": -0.3 / r,
    }
    return ss.simulate(m, 1.0, initial=start)


@pytest.mark.parametrize("mu", [1e3, 1e5, 1e6])
def test_disc_rolls_off_a_hill_of_any_friction(mu):
    """The body lifts off where v² = G R cosφ, with R the radius of the path of its centre.

    Rolling keeps ¾ v² + G R cosφ, up to the short slip before, from N = F / µ on.
    """
    R, v0 = 1.25, 0.3
    leaves = (math.cos(0.3) + 0.75 * v0 * v0 / (G * R)) / 1.75
    run = rolls_off(mu)
    assert run.success
    event = run.events[-1]
    assert (event.element, str(event.after)) == ("hill", "open")
    at = run.at([event.time])
    assert float(at["y.position"][0]) / R == pytest.approx(leaves, abs=3.0 / mu + 1e-9)


@pytest.mark.parametrize("mu", [1.0, 1e3, 1e6, 1e9])
def test_disc_on_a_compliant_floor_rolls_at_any_friction(mu):
    """Dropped on a soft floor with spin: every bounce ends with a break-away where next to nothing presses any more."""
    r = 0.25
    m = ss.Machine(mass=[1.0, 1.0, 0.5 * r * r], names=["x", "y", "turn"], force={"y": -G})
    m.add_contact(
        "floor", gap=lambda q: q["y"] - r, tangent={"x": 1.0, "turn": r}, friction=mu,
        compliance=ss.KelvinVoigt(1e5, 30.0),
    )  # fmt: skip
    run = ss.simulate(m, 1.0, initial={"y.position": r + 0.1, "x.velocity": 0.3, "turn.velocity": 5.0})
    assert run.success
    # a disc keeps its angular momentum about the point of contact: x' - r turn' / 2 stays
    kept = 0.3 - 0.5 * r * 5.0
    at = run.at(np.linspace(0.0, 1.0, 101))
    assert at["x.velocity"] - 0.5 * r * at["turn.velocity"] == pytest.approx(kept, abs=1e-9)
    assert float(at["x.velocity"][-1] + r * at["turn.velocity"][-1]) == pytest.approx(0.0, abs=1e-6)
