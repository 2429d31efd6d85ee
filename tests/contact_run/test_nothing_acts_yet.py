"""Machines on which nothing acts until a force begins with the third power of time: modes and forces from then on."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg

import stickslip as ss

START, RISE, SIZE = 0.4, 0.8, 3.0


def _rising(size: float = SIZE) -> ss.SmoothStep:
    return ss.SmoothStep(size, start=START, duration=RISE)


def _force(t: np.ndarray) -> np.ndarray:
    s = (t - START) / RISE
    return SIZE * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def _way(t: np.ndarray) -> np.ndarray:
    """Position of a unit mass under that force: its second integral."""
    s = (t - START) / RISE
    return SIZE * RISE**2 * s**5 * (0.5 - 0.5 * s + s * s / 7.0)


EARLY = START + np.geomspace(1e-7, 0.3, 40)


def test_stops_never_pull_before_they_push() -> None:
    """Guide and two stops without backlash: with least norm guide and one stop carry half each, the other stop
    nothing."""
    m = ss.Machine(mass=[1.0], names=["x"], force={"x": _rising()})
    m.add_friction("guide", on="x", law=ss.Coulomb(2.0), normal_load=1.0)
    m.add_contact("low", normal={"x": 1.0})
    m.add_contact("high", normal={"x": -1.0})
    run = ss.simulate(m, 0.8, t_eval=EARLY)
    half = 0.5 * _force(EARLY)
    assert run["low.normal_force"].max() == 0.0 and run["low.normal_force"].min() == 0.0
    for name in ("high.normal_force", "guide.force"):
        np.testing.assert_allclose(run[name], half, rtol=1e-9)  # the instant is known to its last digits


def test_stop_across_a_tiny_clearance_carries_no_force() -> None:
    """The time to cross a backlash of 1e-14 m says nothing about how fast the force rises."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": _rising()})
    m.add_friction("guide", on="x", law=ss.Coulomb(2.0), normal_load=1.0)
    m.add_contact("low", normal={"x": 1.0})
    m.add_contact("high", normal={"x": -1.0})
    m.add_contact("near", normal={"x": -1.0, "y": 1.0}, gap=1e-14)
    run = ss.simulate(m, 0.8, t_eval=EARLY)
    assert np.all(run["low.normal_force"] == 0.0)
    np.testing.assert_allclose(run["high.normal_force"], 0.5 * _force(EARLY), rtol=1e-9)


@pytest.mark.parametrize("law", [ss.Coulomb(0.5), ss.Stribeck(0.5, 0.5, 0.1)], ids=["exact", "integrated"])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_load_and_push_starting_together_stick_within_the_cone(law: ss.Law, share: float) -> None:
    """The force presses and pushes: below the cone it sticks, above it slides by what is left over, from the first on."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": _rising(share * SIZE), "y": _rising(-SIZE)})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law)
    run = ss.simulate(m, 0.7, rtol=1e-11, t_eval=EARLY)
    assert run.success
    np.testing.assert_allclose(run["floor.normal_force"], _force(EARLY), rtol=1e-9)
    assert np.all(run["floor.mode"] == (ss.Mode.STICK if share < 0.5 else ss.Mode.SLIP_FORWARD))
    expected = max(share - 0.5, 0.0) * _way(EARLY)
    np.testing.assert_allclose(run["x.position"], expected, rtol=1e-8, atol=1e-13 * expected.max())


@pytest.mark.parametrize("others", [0, 2])
def test_belt_friction_starts_with_its_load(others: int) -> None:
    """A body lies without weight on a belt that runs to and fro, but never back; its friction is mu times what presses."""
    belt = 3.0 + ss.Sine(0.3, 14.5)
    m = ss.Machine(
        mass=[1.0, 1.0], names=["x", "y"], damping=[[0.0, 0.0], [0.0, 0.1]], force={"y": _rising(-SIZE)}
    )
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.5, surface_velocity=belt)
    for k in range(others):
        m.add_contact(f"above{k}", normal={"y": -1.0}, tangent={"x": 1.0}, friction=0.2, gap=1e-3 * k)
    run = ss.simulate(m, 0.7, rtol=1e-11, t_eval=EARLY)
    assert run.success
    np.testing.assert_allclose(run["floor.normal_force"], _force(EARLY), rtol=1e-9)
    np.testing.assert_allclose(run["x.position"], 0.5 * _way(EARLY), rtol=1e-8)


@pytest.mark.parametrize(("stages", "power"), [(0, 1), (0, 3), (0, 5), (1, 1), (1, 2), (1, 3), (2, 1)])
@pytest.mark.parametrize("contact", [False, True])
def test_body_at_its_limit_leaves_at_once(stages: int, power: int, contact: bool) -> None:
    """The force on it begins with the power 2 stages + power <= 5 of time, its velocity with one more, its way with two.

    Behind `stages` masses on springs, against the exponential of the free motion.
    """
    n = stages + 1
    k = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1) if stages else np.zeros((1, 1))
    m = ss.Machine(mass=np.ones(n), stiffness=k, names=[f"q{i}" for i in range(n)])
    rise: ss.Signal = ss.Ramp(slope=1.0)
    for _ in range(power - 1):
        rise = rise * ss.Ramp(slope=1.0)
    m.add_force("q0", rise)
    if contact:
        m.add_contact("limit", normal={m.names[-1]: 1.0})
    else:
        m.add_friction("limit", on=m.names[-1], law=ss.Coulomb(1.0))
        m.add_force(m.names[-1], 1.0)
    t = np.linspace(0.0, 1.0, 21)
    run = ss.simulate(m, 1.0, t_eval=t)
    assert run.success and [e.time for e in run.events if e.time > 0.0] == []
    assert np.all(run["limit.mode"] == (ss.Mode.OPEN if contact else ss.Mode.SLIP_FORWARD))
    free = np.zeros((2 * n + power + 1,) * 2)  # positions, velocities, derivatives of the force
    free[:n, n : 2 * n], free[n : 2 * n, :n], free[n, 2 * n] = np.eye(n), -k, 1.0
    free[2 * n :, 2 * n :] = np.eye(power + 1, k=1)
    begins = np.zeros(len(free))
    begins[-1] = math.factorial(power)
    truth = [(scipy.linalg.expm(free * at) @ begins)[n - 1] for at in t]
    np.testing.assert_allclose(run[f"{m.names[-1]}.position"], truth, rtol=1e-10, atol=1e-16)


@pytest.mark.parametrize("up", [True, False])
def test_contacts_separate_or_close_with_a_starting_force(up: bool) -> None:
    """A body that lies without weight parts from the floor at once if it is drawn, and stays if it is pressed."""
    m = ss.Machine(mass=[1.0], names=["y"], force={"y": _rising(SIZE if up else -SIZE)})
    m.add_contact("floor", normal={"y": 1.0})
    run = ss.simulate(m, 0.7, t_eval=EARLY)
    np.testing.assert_allclose(run["y.position"], _way(EARLY) if up else 0.0 * EARLY, rtol=1e-9, atol=1e-24)
    np.testing.assert_allclose(run["floor.normal_force"], 0.0 * EARLY if up else _force(EARLY), rtol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_starting_force_gives_the_modes_of_a_steady_force(seed: int) -> None:
    """A body in a rough corner: forces and accelerations are in proportion to what acts, so its history says nothing."""
    rng = np.random.default_rng([75, seed])
    slope, way = rng.uniform(0.1, 1.4), rng.uniform(0.0, 2.0 * np.pi)
    levels = rng.uniform(0.1, 1.0, 2)
    mass = np.eye(2) if seed % 2 else [[1.8, 0.7], [0.7, 0.65]]

    def machine(begins: ss.Signal) -> ss.Machine:
        pushed = {"x": np.cos(way) * begins, "y": np.sin(way) * begins}
        m = ss.Machine(mass=mass, names=["x", "y"], force=pushed)
        for name, (c, s), mu in zip(
            ("floor", "wall"), ((0.0, 1.0), (np.cos(slope), np.sin(slope))), levels, strict=True
        ):
            law = ss.Stribeck(1.2 * mu, mu, 0.1) if seed % 3 else ss.Coulomb(mu)
            m.add_contact(name, normal=[c, s], tangent=[-s, c], friction=law)
        return m

    steady, begun = (
        ss.simulate(machine(ss.Constant(3.0)), 0.01),
        ss.simulate(machine(_rising()), START + 0.01),
    )
    assert steady.success and begun.success
    for name in ("floor", "wall"):
        assert begun[f"{name}.mode"][-1] == steady[f"{name}.mode"][-1]
