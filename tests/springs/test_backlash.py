"""Elastic backlash and stops against closed forms and an independent piecewise solution."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest
from reference.piecewise import first_order, motion
from scipy.optimize import brentq

import stickslip as ss

Array = np.ndarray


def _flank(x: float, v: float, k: float, d: float, begins: float) -> int:
    """+1, -1: which flank pushes; 0: none, in the backlash or where the damper would pull."""
    if x > begins and k * (x - begins) + d * v > 0.0:
        return 1
    if x < -begins and k * (x + begins) + d * v < 0.0:
        return -1
    return 0


def _play(
    mass: Array, stiffness: Array, w: Array, k: float, d: float, begins: float, force: Array
) -> tuple[object, object]:
    n = len(mass)

    def region(z: Array) -> Hashable:
        # Both zones without force are one flow, but a stay in the backlash and one beside it end differently.
        x, v = w @ z[:n], w @ z[n:]
        return _flank(x, v, k, d, begins)

    def matrix(side: Hashable) -> Array:
        on = abs(int(side))
        return first_order(
            mass,
            on * d * np.outer(w, w),
            stiffness + on * k * np.outer(w, w),
            force + int(side) * k * begins * w,
        )

    return region, matrix


def _modes(events: ss.Events, name: str) -> list[tuple[str, str]]:
    return [(str(e.before), str(e.after)) for e in events.of(name)]


NAMES = {0: "open", 1: "high", -1: "low"}


def test_modelica_backlash_example_is_reproduced() -> None:
    """Modelica.Mechanics.Rotational.Examples.Backlash: J = 5, c = 20e3, d = 50, b = 45 deg, from 90 deg at rest."""
    j, c, d, b = 5.0, 20e3, 50.0, 0.7853981633974483
    m = ss.Machine(mass=j, names=["inertia"])
    m.add_spring("nut", on="inertia", stiffness=c, damping=d, backlash=b)
    run = ss.simulate(m, t_end=2.0, initial={"inertia.position": 1.570796326794897})
    one = np.ones((1, 1))
    region, matrix = _play(j * one, 0.0 * one, np.ones(1), c, d, 0.5 * b, np.zeros(1))
    changes, last = motion(region, matrix, np.array([1.570796326794897, 0.0]), 2.0, 1e-4)
    assert len(changes) == 29
    assert _modes(run.events, "nut") == [(NAMES[x.before], NAMES[x.after]) for x in changes]
    assert np.abs(run.events.time - [x.time for x in changes]).max() < 1e-12
    assert np.abs(run.at([2.0]).y[:, 0] - last).max() < 1e-10
    assert run.energy.residual < 1e-13
    assert ss.analysis.audit(run).passed


def test_modelica_spring_damper_example_is_reproduced() -> None:
    """Without backlash the spring is attached at both ends: one flow, no events."""
    j, c, d, start = 5.0, 20e3, 50.0, 1.570796326794897
    m = ss.Machine(mass=j, names=["inertia"])
    m.add_spring("shaft", on="inertia", stiffness=c, damping=d)
    run = ss.simulate(m, t_end=1.0, dt=0.01, initial={"inertia.position": start})
    decay, omega = 0.5 * d / j, np.sqrt(c / j - (0.5 * d / j) ** 2)
    t = run.t
    exact = start * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    assert np.abs(run["inertia.position"] - exact).max() < 1e-13
    assert len(run.events) == 0
    assert set(run["shaft.mode"]) == {ss.Mode.CLOSED}
    linear = ss.Machine(mass=j, stiffness=c, damping=d, names=["inertia"])
    same = ss.simulate(linear, t_end=1.0, dt=0.01, initial={"inertia.position": start})
    assert np.abs(run.y - same.y).max() < 1e-13


def test_two_masses_with_backlash_agree_with_piecewise_solution() -> None:
    mass, w = np.diag([2.0, 0.5]), np.array([1.0, -1.0])
    k, d, begins, holds = 800.0, 3.0, 0.004, np.array([[30.0, 0.0], [0.0, 0.0]])
    force = np.array([0.0, 1.5])
    m = ss.Machine(mass=mass, stiffness=holds, names=["motor", "load"], force={"load": 1.5})
    m.add_spring("gear", on=("motor", "load"), stiffness=k, damping=d, backlash=2.0 * begins)
    start = {"motor.position": 0.1, "load.velocity": 0.3}
    run = ss.simulate(m, t_end=6.0, initial=start)
    region, matrix = _play(mass, holds, w, k, d, begins, force)
    changes, last = motion(region, matrix, np.array([0.1, 0.0, 0.0, 0.3]), 6.0, 2e-4)
    assert len(changes) > 20
    assert _modes(run.events, "gear") == [(NAMES[x.before], NAMES[x.after]) for x in changes]
    assert np.abs(run.events.time - [x.time for x in changes]).max() < 1e-11
    assert np.abs(run.at([6.0]).y[:, 0] - last).max() < 1e-11
    assert ss.analysis.audit(run).passed


def test_damped_stop_matches_closed_form() -> None:
    """Touched at v0 the force jumps to d v0, and it is left where k x + d v = 0, before the body is out."""
    k, d, v0 = 1e4, 20.0, 0.5
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_spring("stop", on={"slide": -1.0}, stiffness=k, damping=d, one_sided=True, rest=-0.1)
    run = ss.simulate(m, t_end=1.0, initial={"slide.velocity": v0})
    delta, omega = 0.5 * d, np.sqrt(k - 0.25 * d * d)
    x = lambda t: v0 / omega * np.exp(-delta * t) * np.sin(omega * t)  # noqa: E731
    v = lambda t: v0 * np.exp(-delta * t) * (np.cos(omega * t) - delta / omega * np.sin(omega * t))  # noqa: E731
    stays = brentq(lambda t: k * x(t) + d * v(t), 0.5 * np.pi / omega, np.pi / omega, xtol=1e-16)
    touches, leaves = run.events
    assert [e.cause for e in run.events] == ["stop touches", "stop leaves"]
    assert abs(touches.time - 0.2) < 1e-16
    assert abs(leaves.time - 0.2 - stays) < 1e-15
    at = run.at([0.2, leaves.time, 1.0])
    assert at["stop.force"] == pytest.approx([-d * v0, 0.0, 0.0], abs=1e-12)
    assert at["stop.elongation"][1] == pytest.approx(-x(stays), abs=1e-15)
    assert x(stays) > 1e-4
    assert at["slide.velocity"][2] == pytest.approx(v(stays), abs=1e-14)
    # What the flank still holds as it is left goes into its damper.
    taken = 0.5 * (v0**2 - v(stays) ** 2)
    assert run.energy.springs["stop"][-1] == pytest.approx(taken, rel=1e-13)
    assert run.energy.elastic[-1] == 0.0
    assert ss.analysis.audit(run).passed


def test_flank_touches_again_before_it_relaxes() -> None:
    """A start beyond the corner with k x + d v > 0: nothing pulls, and the flank pushes again where this falls to zero."""
    k, d, x0, v0, a = 100.0, 30.0, -0.05, 1.0, -40.0
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": a})
    m.add_spring("stop", on="slide", stiffness=k, damping=d, one_sided=True)
    run = ss.simulate(m, t_end=0.1, initial={"slide.position": x0, "slide.velocity": v0})
    # k (x0 + v0 t + a t^2 / 2) + d (v0 + a t) = 0, reached with x < 0 all the way
    roots = np.roots([0.5 * k * a, k * v0 + d * a, k * x0 + d * v0])
    again = roots[roots > 0.0].min()
    assert run["stop.mode"][0] == ss.Mode.OPEN
    assert run.events[0].cause == "stop touches"
    assert abs(run.events[0].time - again) < 1e-16
    assert run.at([again])["slide.position"][0] < -0.03
    assert run.at([again])["stop.force"][0] == pytest.approx(0.0, abs=1e-13)
    assert ss.analysis.audit(run).passed


def test_body_comes_to_rest_on_a_stop() -> None:
    """Under its weight: a finite number of bounces, then an oscillation about m g / k that never leaves."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": -9.81})
    m.add_spring("floor", on="q", stiffness=1e3, damping=5.0, one_sided=True)
    run = ss.simulate(m, t_end=30.0, initial={"q.position": 0.1})
    assert run.success
    assert len(run.events) == 9
    assert abs(run["q.position"][-1] + 9.81e-3) < 1e-16
    assert ss.analysis.audit(run).passed


def test_undamped_backlash_keeps_energy_and_period() -> None:
    """Half period: pi sqrt(m/k) on the flank, b / v through the backlash."""
    k, b, v = 400.0, 0.03, 0.7
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_spring("nut", on="q", stiffness=k, backlash=b)
    run = ss.simulate(m, t_end=100.0, initial={"q.velocity": v})
    touches = run.events.time[run.events.after != ss.Mode.OPEN]
    expected = 0.5 * b / v + np.arange(touches.size) * (np.pi / np.sqrt(k) + b / v)
    assert touches.size > 400
    assert np.abs(touches - expected).max() < 1e-11
    assert run.energy.residual < 1e-12


@pytest.mark.parametrize("force", [1.0, 1e-4, 1e-8, 1e-9])
def test_a_start_at_a_flank_under_a_small_force(force):
    """At rest on the flank: pressed against it, x = F/k (1 - cos ωt); pulled off, x = -F t²/2m."""
    for sign, t, moved in (
        (1.0, 1.0, force / 100.0 * (1.0 - np.cos(10.0))),
        (-1.0, 0.1, -force * 0.1**2 / 2.0),
    ):
        m = ss.Machine(mass=1.0, names=["x"])
        m.add_spring("s", on="x", stiffness=100.0, backlash=0.2)
        m.add_force("x", sign * force)
        run = ss.simulate(m, t, initial={"x.position": 0.1})
        assert run["x.position"][-1] - 0.1 == pytest.approx(moved, abs=2e-16)
