"""A lossy gear of two flanks with friction, against an event-driven program in SciPy.

The examples LossyGearDemo1 and 2 of the Modelica Standard Library (Mechanics.Rotational): J = 1 and 1.5 kg m², ratio 2,
mesh efficiencies 1/2 whoever drives, torques 10 sin 2πt and -10 + 2.5 t up to t = 2 s; the second with a bearing on the
first shaft, 0.5 Nm at rest and 0.5 Nm s more of it. With the sliding of the flanks w1 + 2 w2 an efficiency of 1/2 is
a coefficient of 1/3.
"""

from __future__ import annotations

import numpy as np
import pytest
from reference.lossy_gear import LossyGear

import stickslip as ss

RATIO, FRICTION = 2.0, 1.0 / 3.0


def gear(backlash: float, bearing: bool) -> ss.Machine:
    """Return a gear with the flanks A and B; B carries the load at the start."""
    torque = {"p1": ss.Sine(10.0, 1.0), "p2": ss.Ramp(slope=2.5, offset=-10.0, stop=2.0)}
    m = ss.Machine(mass=[1.0, 1.5], names=["p1", "p2"], force=torque)
    for name, side in (("A", 1.0), ("B", -1.0)):
        m.add_contact(
            name, normal={"p1": side, "p2": -side * RATIO}, tangent={"p1": 1.0, "p2": RATIO}, friction=FRICTION,
            gap=0.5 * backlash,
        )  # fmt: skip
    if bearing:
        m.add_friction("bearing", on="p1", law=ss.Coulomb(0.5) + ss.Viscous(0.5))
    return m


def truth(backlash: float, bearing: bool) -> LossyGear:
    return LossyGear(
        inertia=(1.0, 1.5), ratio=RATIO, friction=FRICTION, backlash=backlash,
        bearing=(0.5, 0.5) if bearing else (0.0, 0.0),
        torque=(lambda t: 10.0 * np.sin(2.0 * np.pi * t), lambda t: -10.0 + 2.5 * min(t, 2.0)),
    )  # fmt: skip


def compared(backlash: float, bearing: bool, t_end: float) -> tuple[list[str], float, float]:
    """Events, and the greatest errors of their times and of the final state."""
    start = np.array([0.5 * backlash, 0.0, 0.0, 0.0])
    expected, end = truth(backlash, bearing).run(t_end, start, -1)
    run = ss.simulate(gear(backlash, bearing), t_end, initial=start)
    assert run.success
    report = ss.analysis.audit(run)
    assert report.passed, report
    found = sorted({e.time for e in run.events if e.time > 0.0})
    times = [t for t, _ in expected]
    assert len(found) == len(times), (found, expected)
    return (
        [what for _, what in expected],
        np.abs(np.subtract(found, times)).max(),
        np.abs(run.state.x - end).max(),
    )


@pytest.mark.parametrize("backlash", [0.01, 1e-6])
@pytest.mark.parametrize("bearing", [False, True])
def test_published_examples_agree_with_scipy(bearing: bool, backlash: float) -> None:
    """Half a second, as published: locked twice, reversed twice; one flank carries, so backlash has no effect."""
    what, times, states = compared(backlash, bearing, 0.5)
    assert what == ["stops", "forwards", "stops", "backwards"]
    assert times < 1e-14 and states < 1e-14


@pytest.mark.parametrize("backlash", [0.03, 0.01, 1e-3, 1e-6])
@pytest.mark.parametrize("bearing", [False, True])
def test_flank_changes_over_three_seconds_agree_with_scipy(bearing: bool, backlash: float) -> None:
    what, times, states = compared(backlash, bearing, 3.0)
    assert {"parts", "strikes +", "strikes -"} < set(what)
    assert times < 2e-11 and states < 2e-11


@pytest.mark.parametrize("bearing", [False, True])
def test_lock_and_break_away_times_match_closed_form(bearing: bool) -> None:
    """Efficiency e: forwards when e (T1 - B) = -T2/i, backwards when (T1 + B)/e = -T2/i."""
    level = 0.5 if bearing else 0.0
    events = [e for e in ss.simulate(gear(1e-3, bearing), 0.5, initial=[5e-4, 0.0, 0.0, 0.0]).events]
    away = {str(e.after): e.time for e in events if e.element == "B" and str(e.before) == "stick"}
    for mode, side, share in (("slip+", 1.0, 0.5), ("slip-", -1.0, 2.0)):
        t = away[mode]
        assert share * (10.0 * np.sin(2.0 * np.pi * t) - side * level) == pytest.approx(
            5.0 - 1.25 * t, rel=1e-13
        )


@pytest.mark.parametrize("bearing", [False, True])
def test_gear_without_backlash_agrees_with_scipy(bearing: bool) -> None:
    """Both flanks touch, and forces by which they press against each other would lock any gear: they hold no friction."""
    what, times, states = compared(0.0, bearing, 0.5)
    assert what == ["stops", "forwards", "stops", "backwards"]
    assert times < 1e-14 and states < 1e-14
    run = ss.simulate(gear(0.0, bearing), 0.5, t_eval=np.linspace(0.0, 0.5, 101))
    a, b = run["A.normal_force"], run["B.normal_force"]
    assert np.all(np.minimum(a, b) == 0.0)
    assert np.all(np.abs(run["A.force"]) <= FRICTION * a + 1e-9)
    assert np.all(np.abs(run["B.force"]) <= FRICTION * b + 1e-9)


@pytest.mark.parametrize("bearing", [False, True])
def test_flanks_without_backlash_change_with_the_force(bearing: bool) -> None:
    """With a backlash of 1e-9 they meet after a flight that is too short to tell."""
    start = np.array([0.5e-9, 0.0, 0.0, 0.0])
    _, end = truth(1e-9, bearing).run(3.0, start, -1)
    run = ss.simulate(gear(0.0, bearing), 3.0)
    assert run.success and ss.analysis.audit(run).passed
    assert np.abs(run.state.x - end).max() < 1e-6
