"""Curves with a vertical tangent at rest: a slip that begins there depends smoothly on the parameters."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

PARAMETERS = [
    "slide.mass",
    "guide.law.static",
    "guide.law.kinetic",
    "guide.law.stribeck_velocity",
    "guide.law.shape",
]
END = 4.0


def slide(mass: float, static: float, kinetic: float, v_s: float, shape: float) -> ss.Machine:
    m = ss.Machine(mass=mass, names=["slide"], force={"slide": ss.Ramp(slope=0.5)})
    m.add_friction("guide", on="slide", law=ss.Stribeck(static, kinetic, v_s, shape=shape))
    return m


def position(mass: float, static: float, kinetic: float, v_s: float, shape: float) -> float:
    """Position at END, integrated in time from break-away, at 2·static s, from the first term of the velocity there."""
    fall, early = static - kinetic, 1e-12
    c = fall / v_s**shape / mass
    if shape == 0.5:
        root = 0.25 * (c + math.sqrt(c**2 + 4.0 / mass))  # 2 a = 0.5/m + c √a
        v = (root * early) ** 2
    else:
        v = 0.25 * early**2 / mass

    def rates(tau: float, z: np.ndarray) -> list[float]:
        force = 0.5 * tau + fall * -math.expm1(-((z[1] / v_s) ** shape))
        return [z[1], force / mass]

    found = solve_ivp(
        rates,
        (early, END - 2.0 * static),
        [0.0, v],
        method="DOP853",
        rtol=1e-13,
        atol=1e-25,
        first_step=early,
    )
    return float(found.y[0, -1])


@pytest.mark.parametrize("shape", [0.5, 0.55, 0.8])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_slip_behind_break_away_on_vertical_tangent_has_derivatives(
    shape: float, mode: Literal["forward", "reverse"]
) -> None:
    """Against differences of motions in time from break-away, by SciPy.

    The ramp alone determines v ~ t² there above a shape of 1/2, and friction with it at 1/2.
    """
    p = np.array([1.0, 1.0, 0.8, 0.1, shape])
    names = PARAMETERS if shape != 0.5 else PARAMETERS[:4]  # differences by the shape would cross 0.5
    way = ss.value_and_grad(
        lambda run: run["slide.position"][-1], slide(*p), names, t_end=END, mode=mode, rtol=1e-11
    )
    value, gradient = way(p[: len(names)])
    assert value == pytest.approx(position(*p), rel=1e-9)
    for k in range(len(names)):
        expected = differences(lambda q: np.array(position(*q)), p, k, 5e-4)
        assert gradient[k] == pytest.approx(expected, rel=1e-7)


def differences(end: Callable[[np.ndarray], np.ndarray], p: np.ndarray, k: int, h: float) -> np.ndarray:
    """Derivative by differences of fourth order."""

    def central(step: float) -> np.ndarray:
        change = step * np.eye(p.size)[k]
        return np.asarray((end(p + change) - end(p - change)) / (2.0 * step))

    return np.asarray((4.0 * central(h) - central(2.0 * h)) / 3.0)


@pytest.mark.parametrize("shape", [0.5, 0.55, 0.8])
def test_reversals_on_vertical_tangent_have_derivatives(shape: float) -> None:
    """A break-away, then five passages through v = 0 without stick, where v is linear in time."""

    def driven(p: np.ndarray) -> ss.Machine:
        m = ss.Machine(mass=p[0], names=["slide"], force={"slide": ss.Sine(amplitude=3.0, frequency=0.5)})
        m.add_friction("guide", on="slide", law=ss.Stribeck(p[1], p[2], p[3], shape=shape))
        return m

    p = np.array([1.0, 1.0, 0.8, 0.1])
    run = ss.simulate(driven(p), 6.0, rtol=1e-11, sensitivities=PARAMETERS[:4])
    assert len(run.events) == 6 and run.sensitivity.valid_until.reason == ""
    for k in range(4):
        expected = differences(lambda q: ss.simulate(driven(q), 6.0, rtol=1e-12).state.x, p, k, 1e-4)
        assert run.sensitivity.end[:, k] == pytest.approx(expected, rel=2e-7)


@pytest.mark.parametrize(("blocks", "seed", "shape"), [(2, 1, 0.5), (3, 0, 0.5), (3, 1, 0.6), (4, 0, 0.8)])
def test_chains_keep_their_derivatives_on_vertical_tangents(blocks: int, seed: int, shape: float) -> None:
    """Blocks on a belt stick and slip; their velocities come to rest linearly in time."""
    masses = np.random.default_rng(seed).uniform(0.8, 1.2, blocks)
    stiffness = 5.0 * np.eye(blocks) - 2.0 * (np.eye(blocks, k=1) + np.eye(blocks, k=-1))

    def chain(p: np.ndarray) -> ss.Machine:
        m = ss.Machine(mass=[p[0], *masses[1:]], stiffness=stiffness, names=[f"b{i}" for i in range(blocks)])
        for i in range(blocks):
            static, surface = (p[1], p[2]) if i == 0 else (1.0, 0.2)
            law = ss.Stribeck(static, 0.7, 0.1, shape=shape, viscous=0.05)
            m.add_friction(f"f{i}", on=f"b{i}", law=law, normal_load=1.0 + 0.05 * i, surface_velocity=surface)
        return m

    p, names = np.array([masses[0], 1.0, 0.2]), ["b0.mass", "f0.law.static", "f0.surface_velocity"]
    run = ss.simulate(chain(p), 12.0, rtol=1e-11, sensitivities=names)
    assert len(run.events) > 4 and run.sensitivity.valid_until.reason == ""
    for k in range(3):
        expected = differences(lambda q: ss.simulate(chain(q), 12.0, rtol=1e-12).state.x, p, k, 2e-6)
        assert run.sensitivity.end[:, k] == pytest.approx(expected, abs=3e-5 * np.abs(expected).max())


def test_start_above_limit_of_vertical_tangent_has_derivatives() -> None:
    """The velocity grows linearly from the start for every value of a parameter."""

    def pushed(p: np.ndarray) -> ss.Machine:
        m = ss.Machine(mass=p[0], names=["slide"], force={"slide": 1.5})
        m.add_friction("guide", on="slide", law=ss.Stribeck(p[1], 0.8, 0.1, shape=0.5))
        return m

    p = np.array([1.0, 1.0])
    run = ss.simulate(pushed(p), 2.0, rtol=1e-11, sensitivities=PARAMETERS[:2])
    for k in range(2):
        expected = differences(lambda q: ss.simulate(pushed(q), 2.0, rtol=1e-12).state.x, p, k, 1e-3)
        assert run.sensitivity.end[:, k] == pytest.approx(expected, rel=1e-8)


def test_derivatives_end_where_slopes_are_not_resolved() -> None:
    """Below a shape of 1/2 the derivative exists, but slopes are held at velocities that count."""
    run = ss.simulate(slide(1.0, 1.0, 0.8, 0.1, 0.3), END, sensitivities=["slide.mass"])
    until = run.sensitivity.valid_until
    assert until.time == pytest.approx(2.0) and "too steep at rest" in until.reason
