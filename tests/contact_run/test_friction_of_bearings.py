"""Plain bearings: friction by the magnitude of the two forces of a joint, which depend on that friction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import stickslip as ss

Array = NDArray[np.float64]
G, MASS, LENGTH, INERTIA = 9.81, 2.0, 0.7, 0.3  # of one body: kg, m, kg m² about its centre


def pendulum(reach: float, links: int = 1, pull: float = 0.0) -> ss.Machine:
    """Links that hang on bearings with friction torques ``reach · |R|``; their centres are their coordinates."""
    names = [f"{kind}{i}" for i in range(links) for kind in ("x", "y", "phi")]
    m = ss.Machine([MASS, MASS, INERTIA] * links, names=names)
    for i in range(links):
        m.add_force(f"y{i}", -MASS * G)
        m.add_force(f"phi{i}", pull)

        def end(q: Any, i: int = i) -> tuple[Any, Any]:  # of the link above, twice as long as to its centre
            x, y = 0.0, 0.0
            for k in range(i):
                x, y = (
                    x + 2.0 * LENGTH * ss.math.sin(q[f"phi{k}"]),
                    y - 2.0 * LENGTH * ss.math.cos(q[f"phi{k}"]),
                )
            return x, y

        m.add_constraint(
            f"along{i}", lambda q, i=i, end=end: q[f"x{i}"] - LENGTH * ss.math.sin(q[f"phi{i}"]) - end(q)[0]
        )
        m.add_constraint(
            f"across{i}", lambda q, i=i, end=end: q[f"y{i}"] + LENGTH * ss.math.cos(q[f"phi{i}"]) - end(q)[1]
        )
        on = {f"phi{i}": 1.0} if i == 0 else {f"phi{i}": 1.0, f"phi{i - 1}": -1.0}
        m.add_friction(f"pin{i}", on, reach, normal_load=(f"along{i}.force", f"across{i}.force"))
    return m


def hanging(angles: Sequence[float]) -> dict[str, float]:
    out, x, y = {}, 0.0, 0.0
    for i, phi in enumerate(angles):
        out |= {
            f"phi{i}.position": phi,
            f"x{i}.position": x + LENGTH * math.sin(phi),
            f"y{i}.position": y - LENGTH * math.cos(phi),
        }
        x, y = x + 2.0 * LENGTH * math.sin(phi), y - 2.0 * LENGTH * math.cos(phi)
    return out


J = INERTIA + MASS * LENGTH**2


def load(phi: float, rate: float, side: float, reach: float) -> float:
    """The positive root of the quadratic equation of N (physics of the pin)."""
    radial = MASS * (LENGTH * rate**2 + G * math.cos(phi))
    free, by = MASS * G * math.sin(phi) * (1.0 - MASS * LENGTH**2 / J), -MASS * LENGTH * side * reach / J
    a, b, c = 1.0 - by**2, free * by, radial**2 + free**2
    return (b + math.sqrt(b * b + a * c)) / a


def swing(start: float, reach: float) -> tuple[float, float]:
    """Duration and end of a swing from rest, by DOP853."""
    side = -math.copysign(1.0, start)

    def rates(_: float, y: Array) -> list[float]:
        n = load(y[0], y[1], side, reach)
        return [y[1], (-MASS * G * LENGTH * math.sin(y[0]) - side * reach * n) / J]

    def stops(_: float, y: Array) -> float:
        return float(side * y[1])

    stops.terminal, stops.direction = True, -1.0  # type: ignore[attr-defined]
    tiny = 1e-6
    first = rates(0.0, np.array([start, 0.0]))[1]
    begin = [start + 0.5 * first * tiny**2, first * tiny]
    run = solve_ivp(rates, (tiny, 5.0), begin, "DOP853", events=stops, rtol=1e-13, atol=1e-14)
    return float(run.t[-1]), float(run.y[0, -1])


def test_swings_of_a_body_are_those_of_the_quadratic_equation() -> None:
    reach, start = 0.06, 1.2
    expected, phi = [], start
    while abs(math.sin(phi)) > reach / LENGTH:
        time, phi = swing(phi, reach)
        expected.append((time, phi))
    run = ss.simulate(
        pendulum(reach), 1.05 * sum(t for t, _ in expected), initial=hanging([start]), rtol=1e-11
    )
    times = [e.time for e in run.events if e.time > 0.0]
    np.testing.assert_allclose(np.diff([0.0, *times]), [t for t, _ in expected], atol=1e-9)
    np.testing.assert_allclose(run.sol(np.array(times))[2], [end for _, end in expected], atol=1e-9)
    assert str(run.events[-1].after) == "stick"
    np.testing.assert_allclose(
        run["pin0.load"], np.hypot(run["along0.force"], run["across0.force"]), rtol=1e-11
    )
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("beyond", [-1e-6, 1e-6])
def test_body_rests_within_the_band_of_its_bearing(beyond: float) -> None:
    phi = math.asin(0.06 / LENGTH) + beyond
    run = ss.simulate(pendulum(0.06), 0.5, initial=hanging([phi]))
    assert (abs(run["phi0.position"][-1] - phi) > 1e-8) == (beyond > 0.0)


def test_pulled_body_breaks_away_at_its_level() -> None:
    # At rest R = m g, also while a couple pulls
    m = pendulum(0.06)
    m.add_force("phi0", ss.Ramp(slope=0.5))
    # Nothing moves that would show the sizes
    m.scales = {f"{name}.{kind}": 1.0 for name in ("x0", "phi0") for kind in ("position", "velocity")}
    run = ss.simulate(m, 4.0, initial=hanging([0.0]))
    assert run.events[0].time == pytest.approx(0.06 * MASS * G / 0.5, rel=1e-10)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_loss_of_uniqueness_is_named(share: float) -> None:
    # N is unique while reach·m·l < J
    reach = share * J / (MASS * LENGTH)
    start = hanging([0.0]) | {"phi0.velocity": 2.0, "x0.velocity": 2.0 * LENGTH}
    run = ss.simulate(pendulum(reach), 0.05, initial=start)
    assert run.success == (share < 1.0)
    if share > 1.0:
        assert "the load of 'pin0' is not unique" in run.message


def chain_rates(y: Array, reach: float) -> tuple[Array, Array]:
    """Accelerations of two links in coordinates of their centres, and both loads, by iteration of the friction."""
    q, v = y[:6], y[6:]
    a, b = q[2], q[5]
    w = np.zeros((4, 6))
    w[0, 0], w[0, 2] = 1.0, -LENGTH * math.cos(a)
    w[1, 1], w[1, 2] = 1.0, -LENGTH * math.sin(a)
    w[2, 3], w[2, 5], w[2, 2] = 1.0, -LENGTH * math.cos(b), -2.0 * LENGTH * math.cos(a)
    w[3, 4], w[3, 5], w[3, 2] = 1.0, -LENGTH * math.sin(b), -2.0 * LENGTH * math.sin(a)
    drift = LENGTH * np.array([
        math.sin(a) * v[2] ** 2, -math.cos(a) * v[2] ** 2,
        math.sin(b) * v[5] ** 2 + 2.0 * math.sin(a) * v[2] ** 2, -math.cos(b) * v[5] ** 2 - 2.0 * math.cos(a) * v[2] ** 2,
    ])  # fmt: skip
    inverse = np.diag(1.0 / np.array([MASS, MASS, INERTIA] * 2))
    sides, loads = np.sign([v[2], v[5] - v[2]]), np.zeros(2)
    for _ in range(200):
        f = np.array([0.0, -MASS * G, 0.0] * 2)
        torque = reach * loads * sides
        f[2] += torque[1] - torque[0]
        f[5] -= torque[1]
        held = np.linalg.solve(w @ inverse @ w.T, -(w @ inverse @ f + drift))
        loads = np.hypot(held[::2], held[1::2])
    return inverse @ (f + w.T @ held), loads


def test_two_bearings_load_each_other() -> None:
    reach = 0.05
    rates = np.array([3.0, 5.0])
    start = hanging([0.4, 0.9])
    v = {"phi0.velocity": rates[0], "phi1.velocity": rates[1]}
    run = ss.simulate(pendulum(reach, links=2), 0.1, initial=start | v, rtol=1e-11)
    y0 = run.y[:, 0]
    truth = solve_ivp(
        lambda _, y: [*y[6:], *chain_rates(y, reach)[0]], (0.0, 0.1), y0, "DOP853", rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(run.state.x, truth.y[:, -1], atol=1e-9)
    _, loads = chain_rates(run.state.x, reach)
    assert [run["pin0.load"][-1], run["pin1.load"][-1]] == pytest.approx(loads.tolist(), rel=1e-9)
    assert ss.analysis.audit(run).passed


def test_rotor_under_a_turning_force_slows_evenly() -> None:
    # In fixed bearings, constraints of coordinates: |R| is constant while its direction turns
    m = ss.Machine([1.0, 1.0, 0.5], names=["x", "y", "phi"])
    m.add_force("x", ss.Sine(30.0, 1.0, phase=0.5 * math.pi))
    m.add_force("y", ss.Sine(30.0, 1.0))
    for name in "xy":
        m.add_constraint(f"held {name}", on=name)
    m.add_friction("bearing", "phi", 0.01, normal_load=("held x.force", "held y.force"))
    run = ss.simulate(m, 4.0, initial={"phi.velocity": 1.5})
    assert run.events[0].time == pytest.approx(1.5 * 0.5 / 0.3, rel=1e-9)
    assert str(run.events[0].after) == "stick"
    assert ss.analysis.audit(run).passed


def test_bearing_is_saved_and_refused_where_it_is_not_supported() -> None:
    m = pendulum(0.06)
    assert ss.Machine.from_dict(m.to_dict()) == m
    with pytest.raises(ValueError, match="sensitivities do not support the magnitude of two reactions"):
        ss.simulate(m, 0.1, initial=hanging([1.0]), sensitivities=["pin0.law.kinetic"])
    with pytest.raises(
        ValueError, match="'pin0', the magnitude of two reactions, which RealTime does not support"
    ):
        ss.RealTime(m, 1e-3, initial=hanging([1.0]))
    with pytest.raises(ValueError, match="'time_stepping' does not know the magnitude of two reactions"):
        ss.simulate(m, 0.1, initial=hanging([1.0]), method="time_stepping", max_step=1e-3)
    with pytest.raises(ValueError, match="= 'x0.force' is no force of a constraint"):
        m.add_friction("f", "phi0", 0.1, normal_load=("x0.force", "across0.force"))
        m.check()
    with pytest.raises(ValueError, match="the names of two perpendicular constraint forces"):
        m.add_friction("f", "phi0", 0.1, normal_load=("along0.force", 1.0))  # type: ignore[arg-type]


def test_limit_at_rest_follows_the_reaction_that_friction_makes() -> None:
    # Pulled sideways at its centre, the body at rest hangs on R = (P, m g): reach |R| = P l cos(phi) - m g l sin(phi)
    reach, m = 0.06, pendulum(0.06)
    m.add_force("x0", ss.Ramp(slope=10.0))
    run = ss.simulate(m, 1.0, initial=hanging([0.0]))
    level = brentq(lambda p: reach * math.hypot(p, MASS * G) - p * LENGTH, 0.0, 10.0, xtol=1e-15)
    assert run.events[0].time == pytest.approx(level / 10.0, rel=1e-10)
