"""Springs beside friction, rigid contacts and controllers, and starts exactly on a corner."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import stickslip as ss


def test_stuck_block_on_a_spring_matches_closed_form() -> None:
    """A stop is pushed against a block at rest in the backlash: it breaks away where k x reaches the static level."""
    k, level, speed, gap = 400.0, 2.0, 0.01, 0.003
    m = ss.Machine(mass=1.0, names=["block"])
    m.add_friction("floor", on="block", law=ss.Coulomb(static=level, kinetic=1.5))
    m.add_spring(
        "ram", on="block", stiffness=k, one_sided=True, rest=ss.Ramp(slope=speed, start=0.0) + (-gap)
    )
    run = ss.simulate(m, t_end=2.0)
    touches, leaves_rest = run.events[0], run.events.of("floor")[0]
    assert touches.cause == "ram touches"
    assert touches.time == pytest.approx(gap / speed, abs=1e-15)
    assert leaves_rest.time == pytest.approx((gap + level / k) / speed, abs=1e-14)
    assert (str(leaves_rest.before), str(leaves_rest.after)) == ("stick", "slip+")
    assert ss.analysis.audit(run).passed


def test_damped_touch_breaks_a_stuck_block_away() -> None:
    """The force jumps to d v at the touch: above the static level the block leaves at that instant, below it stays."""
    for damping, leaves in ((150.0, False), (250.0, True)):
        m = ss.Machine(mass=[1.0, 50.0], names=["block", "ram"])
        m.add_friction("floor", on="block", law=ss.Coulomb(static=2.0, kinetic=1.5))
        m.add_spring("buffer", on=("block", "ram"), stiffness=10.0, damping=damping, one_sided=True, rest=0.1)
        run = ss.simulate(m, t_end=0.02, initial={"ram.position": -0.10005, "ram.velocity": 0.01})
        touch = run.events[0]
        assert touch.cause == "buffer touches"
        assert touch.time == pytest.approx(0.005, abs=1e-15)
        # 0.01 m/s times the damping against 2 N
        at_once = [e for e in run.events.of("floor") if e.time == touch.time]
        assert bool(at_once) is leaves
        assert ss.analysis.audit(run).passed


def test_wall_at_a_stop_corner_reverses_before_the_stop() -> None:
    """A rigid wall exactly where a stop begins: it is hit, and the stop is never compressed."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_contact("wall", normal={"q": -1.0}, gap=0.1, restitution=0.5)
    m.add_spring("stop", on={"q": -1.0}, stiffness=1e4, damping=50.0, one_sided=True, rest=-0.1)
    run = ss.simulate(m, t_end=1.0, initial={"q.velocity": 1.0})
    assert [e.cause for e in run.events.of("wall")] == ["wall hits, stop touches"]
    assert len(run.events.of("stop")) == 0
    assert run["q.velocity"][-1] == -0.5
    assert ss.analysis.audit(run).passed


def test_impact_on_a_pressed_damped_stop_matches_closed_form() -> None:
    """The wall behind a buffer turns the velocity round: the damper's force jumps, and it lets go at that instant."""
    k, d = 100.0, 30.0
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_spring("buffer", on={"q": -1.0}, stiffness=k, damping=d, one_sided=True)
    m.add_contact("wall", normal={"q": -1.0}, gap=0.01, restitution=0.8)
    run = ss.simulate(m, t_end=0.2, initial={"q.velocity": 2.0})
    impact = run.events.of("wall")[0]
    behind = run.at([impact.time])
    assert k * 0.01 + d * behind["q.velocity"][0] < 0.0
    assert behind["buffer.force"][0] == 0.0
    same = [e for e in run.events.of("buffer") if e.time == impact.time]
    assert [(str(e.before), str(e.after)) for e in same] == [("closed", "open")]
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize(("force", "mode"), [(1.0, ss.Mode.HIGH), (-1.0, ss.Mode.OPEN), (0.0, ss.Mode.OPEN)])
def test_start_on_a_corner_follows_its_acceleration(force: float, mode: ss.Mode) -> None:
    """At rest on the corner the acceleration decides; without any force the body stays in the backlash."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": force})
    m.add_spring("nut", on="q", stiffness=100.0, damping=1.0, backlash=0.02)
    run = ss.simulate(m, t_end=0.01, dt=0.001, initial={"q.position": 0.01})
    assert set(run["nut.mode"][1:]) == {mode}
    assert len(run.events) == 0
    assert ss.analysis.audit(run).passed


def test_a_start_on_a_corner_decided_by_the_jerk() -> None:
    """Velocity and acceleration are zero, but the force grows: x - c = j t^3 / 6 at first."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": ss.Ramp(slope=3.0, start=0.0)})
    m.add_spring("nut", on="q", stiffness=100.0, backlash=0.02)
    run = ss.simulate(m, t_end=0.05, dt=0.01, initial={"q.position": 0.01})
    assert set(run["nut.mode"][1:]) == {ss.Mode.HIGH}
    # q - c = (3/k)(t - sin(w t)/w)
    t, w = run.t, 10.0
    assert run["q.position"] == pytest.approx(0.01 + 0.03 * (t - np.sin(w * t) / w), abs=1e-17)


def test_two_stops_equal_one_of_twice_the_stiffness() -> None:
    m = ss.Machine(mass=2.0, names=["q"])
    for name in ("left", "right"):
        m.add_spring(name, on="q", stiffness=50.0, damping=1.0, one_sided=True)
    one = ss.Machine(mass=2.0, names=["q"])
    one.add_spring("both", on="q", stiffness=100.0, damping=2.0, one_sided=True)
    start = {"q.position": 0.3, "q.velocity": -1.0}
    a, b = (ss.simulate(x, t_end=1.0, initial=start) for x in (m, one))
    assert [(e.element, e.time) for e in a.events[:2]] == [
        ("left", b.events[0].time),
        ("right", b.events[0].time),
    ]
    assert a.events[2].time == a.events[3].time == pytest.approx(b.events[1].time, abs=1e-15)


def test_controller_against_a_stop_rests_at_its_limit() -> None:
    """A P controller with a limit pushes a mass into a buffer: it rests where k x is the limit."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.PID(kp=100.0, kd=20.0, limits=5.0), on="q", reference=ss.Constant(1.0))
    m.add_spring("stop", on={"q": -1.0}, stiffness=1e3, damping=20.0, one_sided=True, rest=-0.5)
    run = ss.simulate(m, t_end=10.0)
    assert run.at([10.0])["q.position"][0] == pytest.approx(0.505, abs=1e-12)
    assert ss.analysis.audit(run).passed


def test_touch_beside_bristles_is_found_to_tolerance() -> None:
    """Numerical flow: the touch is found to the tolerance of the integration."""
    law = ss.LuGre(stiffness=1e3, damping=10.0, static=1.0, kinetic=0.8, stribeck_velocity=0.01)
    m = ss.Machine(mass=1.0, names=["q"], force={"q": 3.0})
    m.add_friction("floor", on="q", law=law)
    m.add_spring("stop", on={"q": -1.0}, stiffness=1e3, damping=1.0, one_sided=True, rest=-0.02)
    coarse, fine = (ss.simulate(m, t_end=2.0, rtol=rtol) for rtol in (1e-8, 1e-11))
    assert len(coarse.events) == len(fine.events) > 1
    assert np.abs(coarse.events.time - fine.events.time).max() < 1e-6
    assert ss.analysis.audit(coarse, rtol=1e-8).passed


def test_moving_support_work_is_in_the_balance() -> None:
    """A body hung on a stop whose other end rises: work of the support is in the balance."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": -9.81})
    m.add_spring("floor", on="q", stiffness=1e3, damping=2.0, one_sided=True, rest=ss.Sine(0.02, 3.0))
    run = ss.simulate(m, t_end=20.0, initial={"q.position": -0.00981})
    assert len(run.events) > 50
    assert run.energy.residual < 1e-13
    assert abs(run.energy.surfaces["floor"][-1]) > 0.1
    assert ss.analysis.audit(run).passed


def test_driven_support_touches_at_closed_form_time() -> None:
    """A support that swings up to a body at rest: the touch is the root of its sine."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_spring("ram", on="q", stiffness=10.0, one_sided=True, rest=ss.Sine(0.03, 0.5))
    run = ss.simulate(m, t_end=0.6, initial={"q.position": 0.02})
    expected = brentq(lambda t: 0.03 * np.sin(np.pi * t) - 0.02, 0.0, 0.5, xtol=1e-16)
    assert run.events[0].time == pytest.approx(expected, abs=1e-15)
