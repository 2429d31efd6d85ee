"""Lyapunov exponents of linear, periodic, sticking and chaotic motions."""

import math

import numpy as np
import pytest

import stickslip as ss


def impact_oscillator(gap: float, damping: float = 0.1, restitution: float = 0.6) -> ss.Machine:
    """Return x'' + c x' + x = cos 2.8 t above a stop at x = -gap."""
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=damping, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=1.4 / math.pi, phase=0.5 * math.pi))
    m.add_contact("stop", normal={"x": 1.0}, gap=gap, restitution=restitution)
    return m


def test_exponents_of_overdamped_oscillator_are_its_poles() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, damping=3.0, names=["x"])
    exponents = ss.cycles.lyapunov_exponents(m, 40.0, {"x.position": 1.0}, transient=20.0)
    assert exponents == pytest.approx([-1.0, -2.0], abs=1e-9)


def test_exponents_on_orbit_are_logarithms_of_multipliers() -> None:
    m = impact_oscillator(-0.05)
    orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, 200.0, initial={"x.position": 1.0}))
    assert np.all(orbit.multipliers.imag == 0.0)
    exponents = ss.cycles.lyapunov_exponents(m, 200.0 * orbit.period, orbit.state, interval=orbit.period)
    assert exponents == pytest.approx(np.log(np.abs(orbit.multipliers)) / orbit.period, abs=2e-3)
    assert orbit.stable and exponents[0] < 0.0


@pytest.mark.parametrize("gap", [-0.05, 0.05])
def test_sum_of_exponents_is_rate_of_volume(gap: float) -> None:
    """Volumes shrink by exp(-c t) in flight and by e² at each impact, whatever the motion."""
    m = impact_oscillator(gap)
    state = ss.simulate(m, 500.0, initial={"x.position": 1.0}).state
    exponents = ss.cycles.lyapunov_exponents(m, 400.0, state, interval=2.0)
    impacts = int(ss.simulate(m, state.t + 400.0 + 4e-7, state=state).events.impact.sum())
    assert exponents.sum() == pytest.approx(-0.1 + 2.0 * math.log(0.6) * impacts / 400.0, abs=1e-5)


def test_chaotic_impacts_have_positive_exponent() -> None:
    """Beside the grazing at 0.146 orbits of every small period are unstable, and no other attractor is there."""
    exponents = ss.cycles.lyapunov_exponents(
        impact_oscillator(0.13), 600.0, {"x.position": 1.0}, transient=300.0, interval=2.0
    )
    assert exponents[0] > 0.02


def test_stick_slip_cycle_has_exponents_zero_and_minus_infinity() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(1.0, 0.6), surface_velocity=0.5)
    orbit = ss.cycles.periodic_orbit(m)
    exponents = ss.cycles.lyapunov_exponents(m, 50.0 * orbit.period, orbit.state, interval=orbit.period)
    assert exponents[0] == pytest.approx(0.0, abs=1e-3) and exponents[1] < -0.5


def test_motion_that_ends_early_is_said() -> None:
    with pytest.raises(ValueError, match="ends early"):
        ss.cycles.lyapunov_exponents(
            impact_oscillator(0.1), 50.0, {"x.position": 1.0}, max_events=3, interval=25.0
        )
    with pytest.raises(ValueError, match="t_end = -1.0 is not allowed"):
        ss.cycles.lyapunov_exponents(impact_oscillator(0.1), -1.0)
