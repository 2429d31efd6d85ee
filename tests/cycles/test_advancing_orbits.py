"""Motions that advance in every period: pulled blocks, chatter of wedge and worm gear, a part on a conveyor, a rotor."""

import dataclasses
import math

import numpy as np
import pytest
from published.gears import rig
from truths import belts

import stickslip as ss

WEDGE = ss.machines.wedge_gear(
    upper_mass=2420.0,
    lower_mass=10.878,
    angle=np.deg2rad(12),
    friction=np.tan(np.deg2rad(14)),
    load=100.0,
    stiffness=4000.0,
    pull_velocity=0.01,
)


def pulled(speed: float = 0.5, damping: float = 0.05) -> ss.Machine:
    """A block on a floor, pulled by a spring and a damper whose end moves: the belt in another frame."""
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=damping, names=["block"])
    m.add_force("block", ss.Ramp(slope=speed, offset=damping * speed))
    m.add_friction("floor", on="block", law=ss.Coulomb(1.0, 0.6))
    return m


def belt(speed: float = 0.5, damping: float = 0.05) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=1.0, damping=damping, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(1.0, 0.6), surface_velocity=speed)
    return m


def test_pulled_block_has_cycle_of_block_on_belt() -> None:
    one, other = ss.cycles.periodic_orbit(pulled()), ss.cycles.periodic_orbit(belt())
    assert one.period == pytest.approx(other.period, rel=1e-12)
    assert one.advance == {"block.position": pytest.approx(0.5 * one.period, rel=1e-12)}
    assert one.multipliers == pytest.approx(other.multipliers, abs=1e-12)
    assert one.stable and one.zeros == 1 and one.forcing is None and other.advance == {}


def test_branch_over_pull_velocity_ends_where_that_of_the_belt_does() -> None:
    """The velocity of the moving frame is the parameter."""
    one = ss.cycles.slowest_smooth_speed(pulled(speed=1.0), "block.force_scale", (0.3, 2.0))
    other = ss.cycles.slowest_smooth_speed(belt(), "belt.surface_velocity", (0.3, 2.0))
    assert one.bifurcation.name == other.bifurcation.name == "grazing"
    assert one.value == pytest.approx(other.value, rel=1e-9)


def test_chatter_of_wedge_gear_matches_closed_form() -> None:
    """Stick, flight, impact that ends in stick: after each impact the motion is the same, so all multipliers are zero."""
    orbit = ss.cycles.periodic_orbit(WEDGE)
    assert orbit.period == pytest.approx(WEDGE.chatter_cycle.period, rel=1e-12)
    assert orbit.multipliers[0] == pytest.approx(1.0, abs=1e-9)
    assert np.all(orbit.multipliers[1:] == 0.0) and orbit.zeros == 3 and orbit.stable
    assert orbit.sticking == ("flank",) and orbit.events.impact.sum() == 1
    down = 0.01 * orbit.period
    assert orbit.advance == {
        "upper.position": pytest.approx(-math.tan(WEDGE.angle) * down, rel=1e-11),
        "lower.position": pytest.approx(down, rel=1e-11),
    }
    run = ss.simulate(WEDGE, orbit.state.t + orbit.period, state=orbit.state)
    assert run.state.x[1] - orbit.state.x[1] == pytest.approx(down, rel=1e-9)


@pytest.mark.parametrize(
    "angle", [20.0, pytest.param(14.0, marks=pytest.mark.slow), pytest.param(16.0, marks=pytest.mark.slow)]
)
def test_border_of_chatter_over_inertia_matches_source(angle: float) -> None:
    """Füsgen's inequality m2 < m1 tan γ tan(ρ - γ): beyond the border a slip precedes the separation."""
    gear = dataclasses.replace(WEDGE, friction=math.tan(math.radians(angle)))
    border = gear.critical_lower_mass
    gear = dataclasses.replace(gear, lower_mass=0.9 * border)
    orbit = ss.cycles.periodic_orbit(gear)
    branch = ss.cycles.follow(orbit, "lower.mass", (0.88 * border, 1.05 * border))
    assert branch.bifurcations[0].elements == ("flank",)
    assert branch.bifurcations[0].value == pytest.approx(border, rel=1e-8)
    assert sorted(str(e.before) for e in branch[0].events) == ["open", "stick"]
    assert "slip-" in [str(e.after) for e in branch[-1].events]


@pytest.mark.slow
@pytest.mark.parametrize("low", [0.7, 0.8, 0.85, 0.88])
def test_border_of_chatter_does_not_depend_on_the_range(low: float) -> None:
    gear = dataclasses.replace(WEDGE, friction=math.tan(math.radians(14.0)))
    border = gear.critical_lower_mass
    orbit = ss.cycles.periodic_orbit(dataclasses.replace(gear, lower_mass=0.9 * border))
    branch = ss.cycles.follow(orbit, "lower.mass", (low * border, 1.05 * border))
    assert branch.bifurcations[0].value == pytest.approx(border, rel=1e-9)


@pytest.mark.parametrize("share", [-1e-4, -1e-6, -1e-9, 1e-5, 1e-4, 1e-3])
def test_events_next_to_border_of_chatter_are_those_of_theory(share: float) -> None:
    """Below the border the chatter cycle has a closed form. Beyond it a slip precedes the separation, and lasts in
    proportion to the distance from the border: the period changes linearly.
    """
    gear = dataclasses.replace(WEDGE, friction=math.tan(math.radians(14.0)))
    border = gear.critical_lower_mass

    def orbit_at(share: float) -> ss.cycles.Orbit:
        return ss.cycles.periodic_orbit(dataclasses.replace(gear, lower_mass=(1.0 + share) * border))

    orbit = orbit_at(share)
    if share < 0.0:
        closed = dataclasses.replace(gear, lower_mass=(1.0 + share) * border).chatter_cycle.period
        assert orbit.period == pytest.approx(closed, rel=1e-10)
        assert [str(e.after) for e in orbit.events] == ["stick", "open"]
        return
    assert [str(e.after) for e in orbit.events] == ["stick", "slip-", "open"]
    slope = (orbit.period - orbit_at(2.0 * share).period) / share
    assert slope == pytest.approx(0.2085, rel=1e-2)


@pytest.mark.parametrize("beyond", [1e-5, 1e-6, 1e-8, 1e-10])
def test_slip_before_separation_lasts_in_proportion_to_the_distance_from_the_border(beyond: float) -> None:
    """The sliding gain is proportional to the distance, and with it the time in which the normal force falls to zero."""

    def slip_time(distance: float) -> float:
        gear = dataclasses.replace(WEDGE, friction=math.tan(math.radians(20.0)))
        run = ss.simulate(
            dataclasses.replace(gear, lower_mass=(1.0 + distance) * gear.critical_lower_mass), 0.36
        )
        assert run.success
        assert [str(e.after) for e in run.events] == ["slip-", "open"]
        return float(run.events.time[1] - run.events.time[0])

    assert slip_time(beyond) == pytest.approx(beyond / 1e-4 * slip_time(1e-4), rel=2e-4, abs=1e-14)


def test_free_body_under_periodic_force_advances_by_its_mean_velocity() -> None:
    """m v' = -d v + f + F sin ωt: v repeats with the mean f/d; the multipliers are 1 (displacement) and exp(-d T/m)."""
    m = ss.Machine(mass=2.0, damping=0.6, names=["x"])
    m.add_force("x", 0.3 + ss.Sine(amplitude=1.0, frequency=0.5))
    orbit = ss.cycles.periodic_orbit(m)
    assert orbit.forcing == 1 and orbit.advance == {
        "x.position": pytest.approx(0.5 * orbit.period, rel=1e-11)
    }
    assert orbit.multipliers == pytest.approx([1.0, math.exp(-0.3 * orbit.period)], abs=1e-12)
    assert orbit.stable


def test_free_drive_has_multiplier_one_for_displacement_and_period_of_scipy() -> None:
    """A motor with a damper pulls a block by a spring: both may be displaced together. In the frame of the drive the floor
    is a belt, for a program that goes from event to event.
    """
    damping, stiffness = np.diag([0.0, 30.0]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = ss.Machine(
        mass=[1.0, 1.0],
        damping=damping,
        stiffness=stiffness,
        names=["block", "motor"],
        force={"motor": 15.0},
    )
    m.add_friction("floor", on="block", law=ss.Coulomb(1.0, 0.6))
    orbit = ss.cycles.periodic_orbit(m, {"motor.velocity": 0.5})
    levels = np.array([1.0, 0.0])
    truth = belts.Belt(stiffness, damping, levels, lambda v: 0.6 * levels, -0.5)
    truth.advance(0.0, np.array([0.0, 0.0, -0.5, 0.0]), 60.0)
    (begin, first), (end, last) = truth.maxima[-2:]
    assert orbit.period == pytest.approx(end - begin, rel=1e-8)
    advance = pytest.approx(last - first + 0.5 * (end - begin), rel=1e-8)
    assert orbit.advance == {"motor.position": advance, "block.position": advance}
    assert orbit.multipliers[:2] == pytest.approx([1.0, 1.0], abs=1e-9)
    assert orbit.stable and np.abs(orbit.multipliers[2:]).max() < 0.1


def test_uniform_motion_is_no_cycle() -> None:
    with pytest.raises(ss.cycles.NoOrbitError, match="comes to move uniformly"):
        ss.cycles.periodic_orbit(pulled(damping=0.3))


def test_chatter_of_worm_gear_matches_closed_form_and_advances_with_its_motor() -> None:
    gear = rig(0.875424, stiffness=20.0)
    orbit = ss.cycles.periodic_orbit(gear)
    assert orbit.period == pytest.approx(gear.chatter_cycle.period, rel=1e-10)
    turn = gear.motor_speed * orbit.period
    assert orbit.advance["worm.position"] == pytest.approx(turn, rel=1e-9)
    assert orbit.stable and orbit.zeros == 3
