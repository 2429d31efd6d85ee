"""No event is missed: crossings within one step, touches, zeros at the start, very short modes."""

import numpy as np
import pytest
from reference.belt import PUBLISHED, Belt
from reference.simple import Clutch, Incline

import stickslip as ss

METHODS = ["auto", "explicit", "stiff"]
STICK, FORWARD, BACKWARD = ss.Mode.STICK, ss.Mode.SLIP_FORWARD, ss.Mode.SLIP_BACKWARD


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("length", [1e-6, 1e-7, 1e-9])
def test_mode_of_a_microsecond_is_found(length, method):
    # a pulse of 2 N for `length` s on a block held by 1 N (kinetic 0.8): it slides for 2.5 lengths
    pulse = ss.Piecewise([0, 3, 3, 3 + length, 3 + length, 5], [0.5, 0.5, 2, 2, 0, 0])
    m = ss.Machine(mass=1.0, names=["block"], force={"block": pulse})
    m.add_friction("guide", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8))
    r = ss.simulate(m, t_end=5.0, method=method)
    assert [e.after for e in r.events] == [FORWARD, STICK]
    real = (3 + length) - 3  # what doubles make of it
    braking = 1.2 * real / 0.8
    assert r.events[0].time == 3.0
    assert r.events[1].time == pytest.approx(3 + real + braking, abs=1e-15)
    x = 0.5 * 1.2 * real**2 + 0.5 * 0.8 * braking**2
    assert r["block.position"][-1] == pytest.approx(x, rel=1e-15 / length * 3)


@pytest.mark.parametrize("method", METHODS)
def test_short_slip_within_one_step_is_found(method):
    # The mass exceeds the belt's speed only briefly: both crossings can lie in one step of a careless solver.
    for v in (0.03, 0.05, 0.7):
        belt = Belt(belt_velocity=v)
        m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
        m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=v)
        r = ss.simulate(m, t_end=100.0, initial={"block.velocity": v}, method=method)
        assert len(r.events) == len(belt.events(100.0))


@pytest.mark.parametrize("method", METHODS)
def test_two_guards_cross_within_one_step(method):
    # Two blocks that know nothing of each other stop 1e-9 s apart; a third one's limit is reached between.
    m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["a", "b", "c"], force={"c": ss.Ramp(slope=1.0)})
    for name in "abc":
        m.add_friction(f"under_{name}", on=name, law=ss.Coulomb(static=1.0, kinetic=0.5))
    r = ss.simulate(
        m,
        t_end=2.0,
        initial={"a.velocity": 0.5 * (1 - 5e-10), "b.velocity": 0.5 * (1 + 5e-10)},
        method=method,
    )
    assert [e.element for e in r.events] == ["under_a", "under_c", "under_b"]
    assert [e.time - 1.0 for e in r.events] == pytest.approx(
        [-5e-10, 0.0, 5e-10], abs=1e-15 if method == "auto" else 1e-13
    )


@pytest.mark.parametrize("method", METHODS)
def test_two_crossings_of_one_guard_within_one_step_are_found(method):
    # The force passes the limit for 2e-4 s only; rest and motion are too smooth for an error estimate.
    d = 1e-4
    force = ss.Piecewise([0, 1, 1 + d, 1 + 2 * d, 3], [0.999, 0.999, 1.001, 0.999, 0.999])
    m = ss.Machine(mass=1.0, names=["block"], force={"block": force})
    m.add_friction("guide", on="block", law=ss.Coulomb(static=1.0, kinetic=1.0))
    r = ss.simulate(m, t_end=3.0, method=method)
    assert [e.after for e in r.events] == [FORWARD, STICK]
    # excess over 1 N: a triangle of height 1e-3 over d, then -1e-3 for ever; speed d*1e-3/2 at its end and
    # still d*1e-3/4 when the pulse is over
    assert [e.time for e in r.events] == pytest.approx([1 + d / 2, 1 + 2 * d + d / 4], abs=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_guard_zero_at_the_start(method):
    # starts exactly where the belt lets go
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    start = {"block.position": 0.5, "block.velocity": 0.2}
    r = ss.simulate(m, t_end=10.0, initial=start, method=method, rtol=1e-10)
    assert r["belt.mode"][0] == BACKWARD
    times = [e.time for e in r.events][:2]
    assert times == pytest.approx(
        [PUBLISHED.slip_time, PUBLISHED.period], abs=1e-13 if method == "auto" else 1e-9
    )


@pytest.mark.parametrize("method", METHODS)
def test_limit_reached_at_the_start(method):
    def final(force):
        m = ss.Machine(mass=1.0, names=["block"], force={"block": force})
        m.add_friction("guide", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8))
        r = ss.simulate(m, t_end=1.5, method=method)
        assert len(r.events) == 0
        return r["guide.mode"][0], *r.state.x

    assert final(1.0) == (STICK, 0.0, 0.0)
    assert final(ss.Ramp(slope=-1.0, offset=1.0)) == (STICK, 0.0, 0.0)
    assert final(ss.Ramp(slope=1.0, offset=1.0)) == pytest.approx(
        (FORWARD, 0.1 * 1.5**2 + 1.5**3 / 6, 0.3 + 1.125)
    )
    assert final(-1.0 - 1e-9) == pytest.approx((BACKWARD, -(0.1 + 5e-10) * 1.5**2, -0.3 - 1.5e-9), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_reversal_passes_through_zero_at_once(method):
    # pushed up a steep incline it stops and slides back in the same instant: one event, slip+ to slip-
    ref = Incline(angle=0.6, kinetic=0.2, static=0.3, v0=2.0)
    assert not ref.rests
    weight = ref.gravity * np.array([np.sin(ref.angle), np.cos(ref.angle)])
    m = ss.Machine(mass=1.0, names=["block"], force={"block": -weight[0]})
    m.add_friction("plane", on="block", law=ss.Coulomb(static=0.3, kinetic=0.2), normal_load=weight[1])
    r = ss.simulate(m, t_end=1.0, initial={"block.velocity": 2.0}, method=method)
    assert [(e.before, e.after) for e in r.events] == [(FORWARD, BACKWARD)]
    assert r.events[0].time == pytest.approx(ref.stop[0], abs=1e-14)
    assert r.state.x == pytest.approx(ref.state(1.0), abs=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_clutch_locks_at_closed_form_time(method):
    ref = Clutch()
    m = ss.Machine(mass=[ref.inertia1, ref.inertia2], names=["engine", "wheel"])
    m.add_friction("clutch", on=("engine", "wheel"), law=ss.Coulomb(static=ref.torque, kinetic=ref.torque))
    r = ss.simulate(
        m, t_end=1.0, initial={"engine.velocity": ref.speed1, "wheel.velocity": ref.speed2}, method=method
    )
    assert [e.after for e in r.events] == [STICK]
    assert r.events[0].time == pytest.approx(ref.lock_time, abs=1e-14)
    assert r.state.x[2:] == pytest.approx([ref.lock_speed] * 2, rel=1e-14)
    assert r.energy.friction["clutch"][-1] == pytest.approx(ref.heat, rel=1e-12)


def test_events_state_cause_and_modes():
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    r = ss.simulate(m, t_end=60.0, initial={"block.velocity": 0.2})
    first, second = r.events[:2]
    assert (first.element, first.before, first.after) == ("belt", STICK, BACKWARD)
    assert first.cause == "belt breaks away" and first.rule == "static to kinetic" and first.solutions == 1
    assert second.cause == "belt stops sliding" and second.rule == "unique"
    assert not first.ambiguous and second.instant == first.instant + 1
    table = str(r.events).splitlines()
    assert table[0].split()[:3] == ["time", "/", "s"] and len(table) == len(r.events) + 2
    assert "2.500000000" in table[2]
    assert len(r.events.of("belt")) == len(r.events)
