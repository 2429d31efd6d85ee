"""Bifurcation diagrams and basins, against programs that go from event to event with SciPy."""

import math

import numpy as np
import pytest
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
SPEEDS = (0.18, 0.2, 0.22, 0.24, 0.3)


def agree_forced(omegas: tuple[float, ...]) -> None:
    for omega in omegas:
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
        assert apart(found.up[0], np.array(points)) < 1e-6, omega
        assert apart(found.down[0], np.array(points)) < 1e-6, omega


def agree_two(speeds: tuple[float, ...]) -> None:
    for speed in speeds:
        m = two_blocks(speed)
        found = ss.cycles.bifurcation_diagram(
            m, "one.damping", [0.0], "one.position", transient=600.0, points=12, rtol=1e-10
        )
        blocks = belts.two_blocks(speed)
        y = blocks.advance(0.0, np.zeros(4), 600.0)
        blocks.maxima.clear()
        blocks.advance(600.0, y, 680.0)
        assert apart(found.up[0], np.array([x for _, x in blocks.maxima])) < 1e-5, speed


@pytest.mark.slow
def test_diagram_of_forced_block_agrees_with_scipy_at_five_frequencies() -> None:
    agree_forced(OMEGAS)


@pytest.mark.slow
def test_diagram_of_two_blocks_agrees_with_scipy_at_five_speeds() -> None:
    agree_two(SPEEDS)


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
