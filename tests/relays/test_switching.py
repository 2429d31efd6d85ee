"""Relays that only switch: limit cycles, hysteresis, thresholds that move, impacts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.optimize import brentq

import stickslip as ss


def _third_order() -> ss.StateSpace:
    """``x''' + 2 x'' + 3 x' = -sgn x``."""
    a = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, -3.0, -2.0]]
    plant = ss.StateSpace(A=a, B=[0.0, 0.0, 1.0], C=[1.0, 0.0, 0.0], states=["x", "v", "a"])
    plant.add_relay("switch", on="x", low=1.0, high=-1.0, to="u0")
    return plant


def _half_cycle(period: float) -> np.ndarray:
    """v and v' where x rises through zero, if ``v(T) = -v(0)``, ``v'(T) = -v'(0)``; ``v'' + 2 v' + 3 v = -1``."""
    flow = expm(np.array([[0.0, 1.0], [-3.0, -2.0]]) * period)
    rest = np.array([-1.0 / 3.0, 0.0])
    found: np.ndarray = np.linalg.solve(np.eye(2) + flow, (flow - np.eye(2)) @ rest)
    return found


def test_half_period_of_third_order_plant_matches_tsypkin() -> None:
    """x returns to zero after T: the integral of the differential equation gives ``T = 4 v(0) + 2 v'(0)``."""
    half = brentq(lambda t: t - np.dot([4.0, 2.0], _half_cycle(t)), 1.0, 3.0, xtol=1e-15)
    assert half == pytest.approx(1.830952333627245, abs=2e-15)
    v, a = _half_cycle(half)
    run = ss.simulate(_third_order(), 20.5 * half, initial={"v": v, "a": a})
    assert run.events.time == pytest.approx(half * np.arange(1, 21), abs=2e-14)
    assert {e.cause for e in run.events} == {"switch switches"}
    assert [str(e.after) for e in run.events][:2] == ["low", "high"]
    assert np.unique(run["switch.output"]).tolist() == [-1.0, 1.0]


def test_plot_without_names_shows_states_and_outputs_of_matrices() -> None:
    run = ss.simulate(_third_order(), 5.0, initial={"x": 0.1})
    shown = {line.get_label() for line in run.plot().get_lines()}
    assert {"x", "v", "a", "switch.output"} <= shown


def test_periodic_orbit_is_the_limit_cycle() -> None:
    orbit = ss.cycles.periodic_orbit(_third_order(), guess={"x": 0.1, "v": 0.3})
    assert orbit.stable
    assert orbit.period == pytest.approx(2.0 * 1.830952333627245, abs=2e-14)


def test_limit_cycle_attracts() -> None:
    run = ss.simulate(_third_order(), 100.0, initial={"x": 0.1})
    assert np.diff(run.events.time)[-1] == pytest.approx(1.830952333627245, abs=1e-12)


def test_thermostat_matches_closed_form() -> None:
    """``T' = -T + u``: heated from 0.9 towards 2 to 1.1, cooled from there to 0.9."""
    plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0, states=["T"])
    plant.add_relay("heater", on="T", low=2.0, high=0.0, to="u0", threshold=1.0, hysteresis=0.2)
    run = ss.simulate(plant, 10.0, initial={"T": 0.0})
    heating, cooling = np.log(1.1 / 0.9), np.log(1.1 / 0.9)
    first = np.log(2.0 / 0.9)
    expected = first + np.append(0.0, np.cumsum(np.tile([cooling, heating], 25)))
    assert run.events.time == pytest.approx(expected[: len(run.events)], abs=1e-13)
    assert len(run.events) > 40
    assert run["heater.output"][0] == 2.0


@pytest.mark.parametrize(("start", "output"), [(0.95, 2.0), (1.05, 0.0)])
def test_hysteresis_starts_with_the_nearer_threshold(start: float, output: float) -> None:
    plant = ss.StateSpace(A=-1.0, B=1.0, C=1.0, states=["T"])
    plant.add_relay("heater", on="T", low=2.0, high=0.0, to="u0", threshold=1.0, hysteresis=0.2)
    assert ss.simulate(plant, 1e-3, initial={"T": start})["heater.output"][0] == output


def test_position_relay_oscillates_as_in_closed_form() -> None:
    """``x'' = -2 sgn x`` from the threshold with speed 1 returns each second; friction of none, so for ever."""
    m = ss.Machine(mass=0.5, names=["x"])
    m.add_relay("pull", on={"x.position": 2.0}, low=1.0, high=-1.0, to="x", threshold=0.5)
    run = ss.simulate(m, 20.5, initial={"x.position": 0.25, "x.velocity": 1.0})
    assert run.events.time == pytest.approx(np.arange(1.0, 21.0), abs=1e-12)
    assert run.energy.residual < 1e-12
    assert run.energy.drives == {}
    audit = ss.analysis.audit(run)
    assert audit.passed, audit


def test_unequal_outputs_do_work() -> None:
    """Outputs 3 and -1: accelerations 3 below and -1 above the threshold."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_relay("pull", on="x", low=3.0, high=-1.0, to="x")
    run = ss.simulate(m, 10.0, initial={"x.velocity": 1.0})
    expected = np.append(0.0, np.cumsum(np.tile([2.0, 2.0 / 3.0], 10)))[1:]
    assert run.events.time == pytest.approx(expected[: len(run.events)], abs=1e-12)
    kinetic = 0.5 * run["x.velocity"] ** 2
    assert run.energy.controllers["pull"] == pytest.approx(kinetic - kinetic[0], abs=1e-12)
    assert ss.analysis.audit(run).passed


def test_relay_switches_where_its_threshold_jumps() -> None:
    reference = ss.Piecewise([0.0, 0.4, 0.4, 2.0], [1.0, 1.0, -1.0, -1.0])
    m = ss.Machine(mass=1.0, damping=1.0, names=["x"])
    m.add_relay("pull", on="x", low=1.0, high=-1.0, to="x", threshold=reference)
    run = ss.simulate(m, 1.0)
    assert [(e.time, str(e.before), str(e.after)) for e in run.events] == [(0.4, "low", "high")]
    assert ss.analysis.audit(run).passed


def test_impact_carries_a_velocity_across_the_threshold() -> None:
    """A ball with a relay on its velocity, which pushes it on: the rebound switches it."""
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_contact("wall", normal={"x": -1.0}, gap=1.0, restitution=0.5)
    m.add_relay("push", on="x.velocity", low=-0.1, high=0.1, to="x")
    run = ss.simulate(m, 1.5, initial={"x.velocity": 1.0})
    first = run.events.of("push")[0]
    assert first.time == run.events.of("wall")[0].time
    assert (str(first.before), str(first.after)) == ("high", "low")
    audit = ss.analysis.audit(run)
    assert audit.passed, audit


def test_form_that_starts_on_its_threshold_goes_to_the_side_of_its_first_derivative() -> None:
    for speed, output in ((0.5, 3.0), (-0.5, -3.0)):
        m = ss.Machine(mass=1.0, names=["x"])
        m.add_relay("push", on="x", low=-3.0, high=3.0, to="x")
        run = ss.simulate(m, 1.0, initial={"x.velocity": speed})
        assert len(run.events) == 0
        assert run["push.output"][0] == output


def test_relay_beside_a_pendulum_matches_quadrature() -> None:
    """``x'' = -sin x - sgn x`` with ``v_0^2 / 2 = (1 - cos a) + a`` turns at a; ``x = a sin s`` in the integral."""
    a = 1.2

    def rate(s: float) -> float:
        x = a * np.sin(s)
        return float(a * np.cos(s) / np.sqrt(2.0 * (np.cos(x) - np.cos(a) + a - x)))

    half = 2.0 * quad(rate, 0.0, 0.5 * np.pi, epsabs=1e-13)[0]
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", lambda q, v, t: -ss.math.sin(q["x"]))
    m.add_relay("pull", on="x", low=1.0, high=-1.0, to="x")
    start = {"x.velocity": np.sqrt(2.0 * (1.0 - np.cos(a) + a))}
    run = ss.simulate(m, 10.5 * half, initial=start, rtol=1e-11)
    assert run.events.time == pytest.approx(half * np.arange(1, 11), abs=1e-9)
    assert ss.analysis.audit(run, rtol=1e-11).passed
