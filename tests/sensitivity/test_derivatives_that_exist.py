"""Derivatives at instants where they exist though a guard is at zero, or a limit is near."""

import math

import numpy as np
import pytest

import stickslip as ss


def test_slip_that_touches_rest_has_derivatives() -> None:
    """With one coefficient, slip comes back to the velocity of the belt once a period, and goes on for every mass.

    Break-away at x = N/k; then x = N/k + v/ω sin ω(t - tb) with tb = N/(k v).
    """
    k, v, t = 2.0, 0.2, 20.0
    m = ss.Machine(mass=1.0, stiffness=k, names=["b"])
    m.add_friction("belt", on="b", law=ss.Coulomb(1.0), surface_velocity=v)
    run = ss.simulate(m, t, initial={"b.velocity": v}, sensitivities=["b.mass", "belt.normal_load"])
    assert run.sensitivity.valid_until.time == math.inf

    def x(mass: complex, load: complex) -> complex:
        omega = np.sqrt(k / mass)
        return complex(load / k + v / omega * np.sin(omega * (t - load / (k * v))))

    step = 1e-30
    expected = [x(1.0 + 1j * step, 1.0).imag / step, x(1.0, 1.0 + 1j * step).imag / step]
    assert run.sensitivity.end[0] == pytest.approx(expected, abs=1e-10)


def chain(blocks: int, seed: int, static: float) -> ss.Machine:
    """Blocks with springs between them on belts, with a falling curve; `static`: that of the first one."""
    rng = np.random.default_rng(seed)
    stiffness = 3.0 * np.eye(blocks) - 2.0 * (np.eye(blocks, k=1) + np.eye(blocks, k=-1))
    stiffness += np.diag([0.0] + [2.0] * (blocks - 2) + [0.0])
    m = ss.Machine(
        mass=rng.uniform(0.8, 1.2, blocks), stiffness=stiffness, names=[f"b{i}" for i in range(blocks)]
    )
    for i in range(blocks):
        law = ss.Stribeck(static if i == 0 else 1.0, 0.7, 0.1, viscous=0.05)
        m.add_friction(f"f{i}", on=f"b{i}", law=law, normal_load=1.0 + 0.05 * i, surface_velocity=0.2)
    return m


@pytest.mark.parametrize(("blocks", "seed"), [(3, 0), (3, 4), (4, 0), (4, 1), (6, 0)])
def test_chains_keep_their_derivatives_through_break_away(blocks: int, seed: int) -> None:
    """Elements leave rest with zero acceleration: their velocity stays zero for every value of a parameter."""
    t = 60.0
    run = ss.simulate(chain(blocks, seed, 1.0), t, sensitivities=["f0.law.static"], rtol=1e-11)
    assert run.sensitivity.valid_until.time == math.inf

    def central(h: float) -> np.ndarray:
        ends = [ss.simulate(chain(blocks, seed, 1.0 + s * h), t, rtol=1e-11).state.x for s in (1, -1)]
        return np.asarray((ends[0] - ends[1]) / (2.0 * h))

    expected = (4.0 * central(2e-6) - central(4e-6)) / 3.0
    assert run.sensitivity.end[:, 0] == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("margin", [1e-3, 1e-6, 1e-9])
def test_break_away_by_sampled_output_just_above_limit_has_derivatives(margin: float) -> None:
    """The step of the held force at a sampling instant breaks the slide away; by any small change it still does.

    The recursion of the sampled loop gives the motion, and its derivative by a complex step.
    """
    period, gain, count, first = 0.1, 5.0, 8, 4
    slope = (1.0 + margin) / (
        gain * first * period
    )  # the output at instant `first` exceeds the limit 1 by `margin`
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(1.0, 0.8))
    m.add_controller(ss.P(gain, period=period), on="slide", reference=ss.Ramp(slope=slope))
    run = ss.simulate(m, count * period - 0.01, sensitivities=["slide.mass", "slide.velocity"])
    (leaves,) = (e.time for e in run.events)
    assert leaves == pytest.approx(first * period)
    assert run.sensitivity.valid_until.reason == ""

    def x(mass: complex) -> complex:
        position, velocity = 0.0 + 0.0j, 0.0 + 0.0j
        for k in range(first, count):
            a = (gain * (slope * k * period - position) - 0.8) / mass
            h = period if k + 1 < count else period - 0.01
            position, velocity = position + velocity * h + 0.5 * a * h**2, velocity + a * h
        return position

    assert run.state.x[0] == pytest.approx(x(2.0).real, rel=1e-12)
    assert run.sensitivity.end[0, 0] == pytest.approx(x(2.0 + 1e-30j).imag / 1e-30, rel=1e-10)


@pytest.mark.parametrize("share", [1e-5, 1e-4, 3e-4, 1e-3, 1e-2])
def test_slip_that_contact_hardly_resists_has_derivatives(share: float) -> None:
    """The normal force of a sliding flank of the wedge gear is -b/A, and A is proportional to the distance of the lower
    mass from the border of chatter: over a stencil wider than this distance only A times the motion is smooth.
    """

    def gear(lower: float) -> ss.machines.WedgeGear:
        return ss.machines.wedge_gear(
            upper_mass=2420.0,
            lower_mass=lower,
            angle=math.radians(12.0),
            friction=math.tan(math.radians(14.0)),
            load=100.0,
            stiffness=4000.0,
            pull_velocity=0.01,
        )

    border = gear(1.0).critical_lower_mass
    mass, step = (1.0 + share) * border, 1e-2 * share * border
    run = ss.simulate(gear(mass), 0.3, sensitivities=["lower.mass"])
    assert [str(e.after) for e in run.events] == ["slip-", "open", "stick"]
    ahead, behind = (ss.simulate(gear(m), 0.3) for m in (mass + step, mass - step))
    changes = [(a.time - b.time) / (2.0 * step) for a, b in zip(ahead.events, behind.events, strict=True)]
    assert [e.sensitivity["lower.mass"] for e in run.events] == pytest.approx(changes, rel=1e-4, abs=1e-9)
