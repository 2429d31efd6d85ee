"""Machines without a periodic motion, and arguments that are refused."""

import math

import pytest

import stickslip as ss


def test_damped_oscillator_has_no_orbit() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.1, names=["x"])
    with pytest.raises(ss.cycles.NoOrbitError, match="comes to rest"):
        ss.cycles.periodic_orbit(m, ss.simulate(m, 20.0, initial={"x.position": 1.0}))


def test_block_on_floor_comes_to_rest() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_friction("floor", on="x", law=ss.Coulomb(0.1))
    with pytest.raises(ss.cycles.NoOrbitError, match="comes to rest"):
        ss.cycles.periodic_orbit(m, {"x.position": 3.0})


def test_unbounded_motion_has_no_orbit() -> None:
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_force("x", 1.0)
    with pytest.raises(ss.cycles.NoOrbitError, match="does not repeat|no state"):
        ss.cycles.periodic_orbit(m)


def test_slow_decay_is_no_chaos() -> None:
    """A servo whose friction does not fall: each excursion is smaller than the last, and takes longer."""
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(1.0) + ss.Viscous(0.4))
    m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0), on="slide", reference=ss.Constant(1.0))
    with pytest.raises(ss.cycles.NoOrbitError, match="decays slowly, to .* of its range at first"):
        ss.cycles.periodic_orbit(m)


def test_growing_signal_is_refused() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_force("x", ss.Ramp(slope=1.0))
    m.add_force("x", lambda q: -(q["x"] ** 3))
    with pytest.raises(ValueError, match="grows without bound"):
        ss.cycles.periodic_orbit(m)


def test_incommensurable_signals_are_refused() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=1.0))
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=math.sqrt(2.0)))
    with pytest.raises(ValueError, match="no common multiple"):
        ss.cycles.periodic_orbit(m)


def test_formula_of_time_needs_period() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, damping=0.3, names=["x"])
    m.add_force("x", lambda q, v, t: ss.sin(2.0 * t) - q["x"] ** 3)
    with pytest.raises(ValueError, match="period is required"):
        ss.cycles.periodic_orbit(m)
    assert ss.cycles.periodic_orbit(m, period=math.pi).period == math.pi


def test_period_must_be_multiple_of_excitation() -> None:
    m = ss.Machine(mass=1.0, stiffness=2.0, damping=0.3, names=["x"])
    m.add_force("x", ss.Sine(amplitude=1.0, frequency=0.5))
    with pytest.raises(ValueError, match="period = 3.0 is not allowed"):
        ss.cycles.periodic_orbit(m, period=3.0)
    assert ss.cycles.periodic_orbit(m, period=4.0).period == pytest.approx(2.0)


def test_event_budget_ends_search() -> None:
    m = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    m.add_friction("belt", on="x", law=ss.Coulomb(1.0, 0.6), surface_velocity=0.5)
    with pytest.raises(ss.cycles.NoOrbitError, match="ends early"):
        ss.cycles.periodic_orbit(m, max_events=3)


def test_guess_with_other_states_is_refused() -> None:
    one = ss.Machine(mass=1.0, stiffness=1.0, names=["x"])
    other = ss.Machine(mass=1.0, stiffness=1.0, names=["y"])
    with pytest.raises(ValueError, match="guess"):
        ss.cycles.periodic_orbit(other, ss.simulate(one, 10.0, initial={"x.velocity": 1.0}))
