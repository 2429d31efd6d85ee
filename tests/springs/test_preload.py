"""Preload: each flank begins where its force is zero, so it reduces backlash, and more of it loads both flanks."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def _machine(**spring: object) -> ss.Machine:
    m = ss.Machine(mass=2.0, names=["q"])
    m.add_spring("nut", on="q", **spring)
    return m


def test_preload_reduces_backlash() -> None:
    loose = _machine(stiffness=500.0, damping=4.0, backlash=0.01)
    taken = _machine(stiffness=500.0, damping=4.0, backlash=0.03, preload=5.0)  # 2 * 5 / 500 = 0.02
    start = {"q.velocity": 0.4}
    a, b = (ss.simulate(m, t_end=3.0, initial=start) for m in (loose, taken))
    assert len(a.events) == len(b.events) > 3
    assert np.abs(a.events.time - b.events.time).max() < 1e-13


def test_both_flanks_press_with_twice_the_stiffness() -> None:
    """A preloaded nut: as long as |x| < preload/stiffness the period is that of 2 k, and nothing lets go."""
    k, preload, amplitude = 800.0, 8.0, 0.009
    run = ss.simulate(
        _machine(stiffness=k, preload=preload), 20.0, dt=0.01, initial={"q.position": amplitude}
    )
    exact = amplitude * np.cos(np.sqrt(2.0 * k / 2.0) * run.t)
    assert np.abs(run["q.position"] - exact).max() < 1e-13
    assert len(run.events) == 0
    assert set(run["nut.mode"]) == {ss.Mode.CLOSED}
    assert run["nut.force"] == pytest.approx(2.0 * k * run["q.position"], abs=1e-12)


def test_oscillation_beyond_the_preload_matches_closed_form() -> None:
    """Beyond preload/stiffness one flank is left: the quarter period is the sum of both parts in closed form."""
    k, preload, amplitude, mass = 800.0, 8.0, 0.03, 2.0
    run = ss.simulate(_machine(stiffness=k, preload=preload), 5.0, initial={"q.position": amplitude})
    # Outside F = k x + preload about -preload/k; inside 2 k x. From rest at the amplitude to the corner x = preload/k.
    corner, w1, w2 = preload / k, np.sqrt(k / mass), np.sqrt(2.0 * k / mass)
    outside = np.arccos((2.0 * corner) / (amplitude + corner)) / w1
    speed = w1 * np.sqrt((amplitude + corner) ** 2 - (2.0 * corner) ** 2)
    inside = np.arctan(corner * w2 / speed) / w2
    events = run.events
    assert [(str(e.before), str(e.after)) for e in events[:3]] == [
        ("high", "closed"),
        ("closed", "low"),
        ("low", "closed"),
    ]
    expected = [outside, outside + 2.0 * inside, 3.0 * outside + 2.0 * inside]
    assert np.abs(events.time[:3] - expected).max() < 1e-14
    assert ss.analysis.audit(run).passed


def test_one_sided_preload_matches_closed_form() -> None:
    """At x = 0 a stop pushes with its preload, and it is left at x = preload/stiffness."""
    k, preload = 100.0, 3.0
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_spring("valve", on="q", stiffness=k, preload=preload, one_sided=True)
    run = ss.simulate(m, t_end=1.0)
    assert run["valve.force"][0] == -preload
    # q = (P/k)(1 - cos wt): the corner at a quarter of the period.
    assert [e.cause for e in run.events] == ["valve leaves"]
    assert run.events[0].time == pytest.approx(0.5 * np.pi / np.sqrt(k), abs=1e-15)
    assert run["q.velocity"][-1] == pytest.approx(preload / np.sqrt(k), abs=1e-14)
