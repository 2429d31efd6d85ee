"""Bifurcation diagrams and basins, against programs that go from event to event with SciPy."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from truths import belts

import stickslip as ss


def two_blocks(speed: float) -> ss.Machine:
    """Galvanetto's two blocks on a belt: static levels 1 and 1.3, kinetic levels 1/(1 + 3 |v|) of them."""
    m = ss.Machine(mass=[1.0, 1.0], stiffness=[[2.2, -1.2], [-1.2, 2.2]], names=["one", "two"])
    law = ss.FormulaLaw(force=lambda v: ss.math.sign(v) / (1.0 + 3.0 * abs(v)), levels=1.0)
    for name, load in (("one", 1.0), ("two", 1.3)):
        m.add_friction(f"belt under {name}", on=name, law=law, normal_load=load, surface_velocity=speed)
    return m


def forced_block(omega: float) -> ss.Machine:
    """Popp and Stelter's forced block on a belt."""
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    law = ss.FormulaLaw(force=lambda v: ss.math.sign(v) * (0.5 + 0.5 / (1.0 + 2.0 * abs(v))), levels=1.0)
    m.add_friction("belt", on="x", law=law, surface_velocity=0.5)
    m.add_force("x", ss.Sine(amplitude=0.3, frequency=omega / (2.0 * math.pi)))
    return m


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Greatest distance of a point of one set from the other set."""
    away = np.abs(np.subtract.outer(one, other))
    return float(max(away.min(axis=0).max(), away.min(axis=1).max()))


OMEGAS = (0.8, 1.0, 1.3, 1.7, 2.1)
TRANSIENTS = {
    0.18: 600.0,
    0.2: 600.0,
    0.22: 600.0,
    0.24: 600.0,
    0.28: 1200.0,
    0.3: 600.0,
}  # s, by belt velocity


@pytest.mark.slow
@pytest.mark.parametrize("omega", OMEGAS)
def test_diagram_of_forced_block_agrees_with_scipy(omega: float) -> None:
    found = ss.cycles.bifurcation_diagram(
        forced_block(omega), "x.damping", [0.0], "x.position", transient=400.0, points=8, rtol=1e-10
    )
    period = 2.0 * math.pi / omega
    block, y = belts.forced_block(omega), np.zeros(2)
    count = math.ceil(400.0 / period)
    y = block.advance(0.0, y, count * period)
    points = []
    for k in range(8):
        points.append(y[0])
        y = block.advance((count + k) * period, y, (count + k + 1) * period)
    assert apart(found.up[0], np.array(points)) < 1e-6
    assert apart(found.down[0], np.array(points)) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "transient"), TRANSIENTS.items())
def test_diagram_of_two_blocks_agrees_with_scipy(speed: float, transient: float) -> None:
    """At 0.28 the cycle has 16 maxima in 80.9 s, and the motion is still 1e-3 away from it after 600 s."""
    found = ss.cycles.bifurcation_diagram(
        two_blocks(speed), "one.damping", [0.0], "one.position", transient=transient, points=16, rtol=1e-10
    )
    blocks = belts.two_blocks(speed)
    y = blocks.advance(0.0, np.zeros(4), transient)
    blocks.maxima.clear()
    blocks.advance(transient, y, transient + 84.0)
    assert apart(found.up[0], np.array([x for _, x in blocks.maxima])) < 1e-5


CHAOS = [
    (forced_block, belts.forced_block, 1.5, 2.0 * math.pi / 1.5),
    (two_blocks, belts.two_blocks, 0.26, 4.0),
    (two_blocks, belts.two_blocks, 0.4, 4.0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("machine", "program", "value", "interval"), CHAOS)
def test_chaotic_motion_agrees_with_scipy_piece_by_piece(
    machine: Callable[[float], ss.Machine],
    program: Callable[[float], belts.Belt],
    value: float,
    interval: float,
) -> None:
    """Neighbouring motions separate by exp(λ t) with λ > 0.03 1/s: errors of 1e-11 grow to 1 within the transient of a
    diagram, so its points cannot be compared. Each piece of SciPy's motion is repeated from the same state (agreement
    9e-10), and both programs have the same distribution of states at equal intervals.
    """
    m, truth = machine(value), program(value)
    pieces, n = 250, len(m.compile().states)
    y, points = np.zeros(n), []
    for k in range(pieces):
        t = k * interval
        run = ss.simulate(m, (t, t + interval), initial=y, rtol=1e-12)
        y = truth.advance(t, y, t + interval)
        points.append(y[0])
        assert run.state.x == pytest.approx(y, abs=5e-9)
    assert ss.cycles.lyapunov_exponents(m, 2000.0, transient=500.0)[0] > 0.03
    run = ss.simulate(m, 4000.0 * interval, t_eval=interval * np.arange(50, 4001))
    position = run[run.states[0]]
    assert stats.ks_2samp(points[50:], position).pvalue > 1e-4


def test_diagram_of_belt_shows_two_motions_where_two_are_stable() -> None:
    """Upwards stick-slip lasts until 0.3481, downwards steady sliding until 0.2518 (closed form: slope of the curve)."""
    law = ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.3, shape=1.0)
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.2, names=["block"])
    m.add_friction("belt", on="block", law=law, surface_velocity=0.5)
    found = ss.cycles.bifurcation_diagram(
        m, "block.damping", [0.2, 0.3, 0.4], "block.position", transient=1500.0
    )
    up, down = (
        np.concatenate([np.unique(points.round(6)) for points in way]) for way in (found.up, found.down)
    )
    sliding = law.force(0.5)
    assert up[2] == pytest.approx(sliding, abs=1e-6) and down[1:] == pytest.approx([sliding] * 2, abs=1e-6)
    assert up[0] == pytest.approx(down[0], abs=1e-6) and up[1] > up[2] + 0.5
    assert found.messages == {}


def test_basins_are_parted_by_unstable_cycle() -> None:
    """Starts on both sides of the unstable slipping cycle approach steady sliding and stick-slip."""
    law = ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.3, shape=1.0)
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.3, names=["block"])
    m.add_friction("belt", on="block", law=law, surface_velocity=0.5)
    x0 = law.force(0.5)
    parts = ss.cycles.periodic_orbit(m, {"block.position": x0, "block.velocity": 0.35}, 2.0 * math.pi)
    t = np.linspace(parts.run.t[0], parts.run.t[-1], 2001)
    run = parts.run.at(t)
    top = float(run["block.velocity"].max())
    at = float(run["block.position"][np.argmax(run["block.velocity"])])
    found = ss.cycles.basins(
        m, {"block.position": [at], "block.velocity": [0.9 * top, 0.99 * top, 1.01 * top]}
    )
    assert found.labels.tolist() == [[0, 0, 1]] and found.shares.tolist() == [2 / 3, 1 / 3]
    sliding, sticking = found.attractors
    assert len(sliding.events) == 0 and len(sticking.events) > 0
    assert sliding["block.position"][-1] == pytest.approx(x0, abs=1e-5)


def test_bad_arguments_of_maps_are_named() -> None:
    m = forced_block(1.0)
    with pytest.raises(KeyError, match="unknown signal"):
        ss.cycles.bifurcation_diagram(m, "x.damping", [0.1], "x.posit")
    with pytest.raises(ValueError, match="points = 0 is not allowed"):
        ss.cycles.bifurcation_diagram(m, "x.damping", [0.1], "x.position", points=0)
    with pytest.raises(ValueError, match="grid = .* is not allowed"):
        ss.cycles.basins(m, {"x.position": [0.0]})
    with pytest.raises(ValueError, match="names of states"):
        ss.cycles.basins(m, {"x.position": [0.0], "y.velocity": [0.0]})
