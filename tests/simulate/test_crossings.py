"""Events of the user's: instants in closed form, marks in the log, runs that end."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import stickslip as ss


def oscillator() -> ss.Machine:
    return ss.Machine(mass=1.0, stiffness=1.0, names=["q"])


def test_crossings_are_those_of_the_closed_form() -> None:
    up = ss.Crossing("q.position", level=0.5, direction=1)
    down = ss.Crossing("q.position", level=0.5, direction=-1, name="half way")
    both = ss.Crossing({"q.position": 1.0, "q.velocity": 1.0})
    run = ss.simulate(oscillator(), t_end=20.0, initial={"q.velocity": 1.0}, events=[up, down, both])
    turns = 2.0 * np.pi * np.arange(4)
    assert run.events.of("q.position").time == pytest.approx(
        [t for t in np.pi / 6 + turns if t < 20.0], rel=1e-14
    )
    assert run.events.of("half way").time == pytest.approx(
        [t for t in 5 * np.pi / 6 + turns if t < 20.0], rel=1e-14
    )
    zeros = 0.75 * np.pi + np.pi * np.arange(7)
    found = run.events.of("q.position + q.velocity")
    assert found.time == pytest.approx([t for t in zeros if t < 20.0], rel=1e-14)
    assert [str(e.after) for e in found][:2] == ["low", "high"]
    assert np.all(np.diff(run.events.time) > 0.0) and list(run.events.instant) == list(
        range(1, len(run.events) + 1)
    )
    assert run.events[0].cause == "q.position rises through 0.5" and run.events[0].rule == "crossing"
    assert run.status == "finished"


def test_crossings_do_not_change_the_motion() -> None:
    m = oscillator()
    m.add_friction("guide", on="q", law=ss.Coulomb(0.1, 0.08))
    start = {"q.velocity": 1.0}
    plain = ss.simulate(m, t_end=9.0, initial=start)
    run = ss.simulate(m, t_end=9.0, initial=start, events=ss.Crossing("q.position"))
    assert run.state == plain.state and run.events.of("guide") != plain.events[:0]
    assert [e.time for e in run.events.of("guide")] == [e.time for e in plain.events]
    assert ss.analysis.audit(run).passed


def test_terminal_crossing_ends_a_run_that_can_continue() -> None:
    m = oscillator()
    stop = ss.Crossing("q.position", level=0.5, direction=-1, terminal=True)
    run = ss.simulate(m, t_end=20.0, initial={"q.velocity": 1.0}, events=[stop, ss.Crossing("q.velocity")])
    assert run.status == "stopped" and run.success
    assert run.message == "stopped at t = 2.61799387799 s: q.position falls through 0.5"
    assert run.state.t == run.t[-1] == run.events.time[-1] == pytest.approx(5 * np.pi / 6, rel=1e-14)
    assert [e.element for e in run.events] == ["q.velocity", "q.position"]
    assert run["q.position"][-1] == pytest.approx(0.5, abs=1e-15)
    on = ss.simulate(m, t_end=20.0, state=run.state, events=stop)
    assert on.events.time == pytest.approx([5 * np.pi / 6 + 2 * np.pi], rel=1e-14)


def test_a_grazing_pair_is_found_and_a_touch_from_below_is_none() -> None:
    eps = 1e-9
    run = ss.simulate(
        oscillator(), t_end=5.0, initial={"q.velocity": 1.0},
        events=[ss.Crossing("q.position", level=1.0 - eps, name="in"), ss.Crossing("q.position", 1.0 + eps, name="out")],
    )  # fmt: skip
    half = np.arccos(1.0 - eps)
    assert run.events.of("in").time == pytest.approx([np.pi / 2 - half, np.pi / 2 + half], abs=1e-11)
    assert len(run.events.of("out")) == 0


def test_jumps_cross_at_their_instant() -> None:
    m = ss.Machine(mass=1.0, names=["ball"], force={"ball": -10.0})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
    rise = ss.Crossing("ball.velocity", direction=1)
    run = ss.simulate(m, t_end=1.0, initial={"ball.position": 0.2}, events=rise)
    assert run.events[0].time == run.events[1].time and run.events[0].instant == run.events[1].instant
    assert [e.element for e in run.events][:2] == ["floor", "ball.velocity"]
    held = ss.Machine(mass=1.0, names=["q"])
    held.add_controller(ss.P(kp=2.0, period=0.1), "p", reference=ss.Ramp(slope=1.0), measure="q", to="q")
    run = ss.simulate(held, t_end=1.0, events=ss.Crossing("p.output", level=0.3))
    assert run.events[0].time == pytest.approx(0.2, abs=1e-15)


def test_marks_are_kept_with_the_run(tmp_path: Path) -> None:
    stop = ss.Crossing("q.position", level=0.5, terminal=True)
    run = ss.simulate(oscillator(), t_end=20.0, initial={"q.velocity": 1.0}, events=stop)
    run.save(tmp_path / "run.npz")
    for again in (ss.load(tmp_path / "run.npz"), pickle.loads(pickle.dumps(run)), run.at([0.1, 0.2])):
        assert again.events == run.events and again.status == "stopped" and again.message == run.message


def test_invalid_crossings_are_refused() -> None:
    m = oscillator()
    with pytest.raises(
        ss.UnknownNameError, match="^'q' is not a signal; its signals are 'q.position', 'q.velocity'"
    ):
        ss.simulate(m, t_end=1.0, events=ss.Crossing("q"))
    with pytest.raises(ValueError, match="direction = 2 is not allowed"):
        ss.Crossing("q.position", direction=2)
    with pytest.raises(ValueError, match="keep = 'events' is not allowed"):
        ss.simulate(m, t_end=1.0, keep="events", events=ss.Crossing("q.position"))
    with pytest.raises(ValueError, match="a Crossing, or several, such as"):
        ss.simulate(m, t_end=1.0, events=["q.position"])
    with pytest.raises(ValueError, match="level = nan is not allowed"):
        ss.Crossing("q.position", level=float("nan"))
