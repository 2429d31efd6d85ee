"""Stick-slip cycles of a block on a belt, against closed forms."""

import math

import numpy as np
import pytest

import stickslip as ss


def belt(
    static: float = 1.0,
    kinetic: float = 0.6,
    stiffness: float = 1.0,
    speed: float = 0.5,
    damping: float = 0.0,
    law: ss.Law | None = None,
) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=stiffness, damping=damping, names=["block"])
    m.add_friction("belt", on="block", law=law or ss.Coulomb(static, kinetic), surface_velocity=speed)
    return m


def stick_slip_period(static: float, kinetic: float, stiffness: float, speed: float) -> float:
    """Stick over 2A, slip along a circle about Fk/k through the points of break-away and capture."""
    omega, a = math.sqrt(stiffness), (static - kinetic) / stiffness
    return 2.0 * a / speed + 2.0 * (math.pi - math.atan(omega * a / speed)) / omega


@pytest.mark.parametrize("numbers", [(1.0, 0.6, 1.0, 0.5), (1.0, 0.8, 2.0, 0.2), (3.0, 0.5, 7.0, 0.01)])
def test_stick_slip_period_and_amplitude_match_closed_form(
    numbers: tuple[float, float, float, float],
) -> None:
    static, kinetic, stiffness, speed = numbers
    orbit = ss.cycles.periodic_orbit(belt(*numbers))
    assert orbit.period == pytest.approx(stick_slip_period(*numbers), rel=1e-13)
    a = (static - kinetic) / stiffness
    assert orbit.amplitude("block.position") == pytest.approx(
        math.hypot(a, speed / math.sqrt(stiffness)), rel=1e-12
    )
    assert orbit.residual < 1e-13
    assert [str(e.after) for e in orbit.events] in (["stick", "slip-"], ["slip-", "stick"])


def test_stick_slip_multipliers_are_one_and_exactly_zero() -> None:
    orbit = ss.cycles.periodic_orbit(belt())
    assert orbit.multipliers[0] == pytest.approx(1.0, abs=1e-12)
    assert orbit.multipliers[1] == 0.0
    assert orbit.stable and orbit.zeros == 1 and orbit.sticking == ("belt",) and orbit.forcing is None


def test_mean_of_position_balances_mean_friction() -> None:
    """The mean acceleration is zero, so k x̄ = F̄; the friction force opposes a block slower than the belt."""
    orbit = ss.cycles.periodic_orbit(belt())
    assert orbit.mean("block.position") == pytest.approx(-orbit.mean("belt.force"), abs=1e-13)
    assert orbit.mean("block.velocity") == pytest.approx(0.0, abs=1e-13)


def test_work_of_belt_is_dissipated() -> None:
    """In slip the block lags by Δx = v T_slip + 2A, T_slip = T - 2A/v: the kinetic friction works over v T."""
    orbit = ss.cycles.periodic_orbit(belt())
    energy = orbit.energy
    assert energy.friction["belt"][-1] - energy.friction["belt"][0] == pytest.approx(
        0.6 * 0.5 * orbit.period, rel=1e-12
    )
    assert energy.surfaces["belt"][-1] == pytest.approx(energy.friction["belt"][-1], rel=1e-12)
    assert energy.kinetic[-1] == pytest.approx(energy.kinetic[0], abs=1e-13)


def test_orbit_state_continues_on_orbit() -> None:
    orbit = ss.cycles.periodic_orbit(belt())
    run = ss.simulate(belt(), orbit.state.t + 50.0 * orbit.period, state=orbit.state)
    assert run.state.x == pytest.approx(orbit.state.x, abs=1e-12)


# Where slip comes back to the velocity of the belt tangentially: extended precision, an independent program.
DEATH = 0.0811638871355


def test_damped_stick_slip_cycle_dies_where_it_grazes() -> None:
    for below in (1e-3, 1e-6, 1e-9):
        orbit = ss.cycles.periodic_orbit(belt(damping=DEATH - below))
        assert orbit.stable and orbit.sticking == ("belt",) and orbit.zeros == 1
    with pytest.raises(ss.cycles.NoOrbitError, match="equilibrium|comes to rest"):
        ss.cycles.periodic_orbit(belt(damping=DEATH + 1e-6))


@pytest.mark.parametrize("damping", [0.26, 0.3, 0.34])
def test_unstable_slipping_cycle_of_falling_curve_matches_liouville(damping: float) -> None:
    """One multiplier is exp of the integral of the divergence, -(d + F'(v_rel)) / m, over the period (Liouville)."""
    law = ss.Stribeck(1.0, 0.6, stribeck_velocity=0.3, shape=1.0)
    m = belt(damping=damping, law=law)
    x0 = law.force(0.5)
    orbit = None
    for amplitude in np.linspace(0.05, 0.5, 10):
        try:
            found = ss.cycles.periodic_orbit(
                m, {"block.position": x0, "block.velocity": amplitude}, 2.0 * math.pi
            )
        except ss.cycles.NoOrbitError:
            continue
        if not found.stable:
            orbit = found
            break
    assert orbit is not None and orbit.sticking == () and orbit.zeros == 0
    t = np.linspace(orbit.run._raw.t_begin, orbit.run._raw.t_end, 20001)
    v = 0.5 - orbit.run.at(t)["block.velocity"]
    slope = -(0.4 / 0.3) * np.exp(-v / 0.3)
    liouville = math.exp(np.trapezoid(-damping - slope, t))
    assert orbit.multipliers[1] == pytest.approx(liouville, rel=1e-7)
    assert liouville > 1.0
