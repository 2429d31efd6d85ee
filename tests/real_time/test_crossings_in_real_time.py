"""Crossings in fixed steps: against the closed form, step by step and many at once."""

import numpy as np
import pytest

import stickslip as ss


def oscillator() -> ss.Machine:
    return ss.Machine(mass=1.0, stiffness=1.0, names=["q"])


def test_instants_are_of_second_order() -> None:
    up = ss.Crossing("q.position", level=0.5, direction=1)
    both = ss.Crossing({"q.position": 1.0, "q.velocity": 1.0}, name="sum")
    errors = []
    for step in (0.02, 0.01, 0.005):
        rt = ss.RealTime(
            oscillator(), step, initial={"q.velocity": 1.0}, outputs=["q.position"], events=[up, both]
        )
        assert rt.run(round(20.0 / step)).shape == (round(20.0 / step), 1)
        times = {name: [m.time for m in rt.crossings if m.element == name] for name in ("q.position", "sum")}
        exact = {
            "q.position": np.pi / 6 + 2 * np.pi * np.arange(4),
            "sum": 0.75 * np.pi + np.pi * np.arange(6),
        }
        assert [m.rising for m in rt.crossings if m.element == "sum"] == [False, True] * 3
        errors.append(max(np.abs(np.array(times[name]) - exact[name]).max() for name in times))
    assert errors[-1] < 3e-6 and errors[0] / errors[-1] > 12.0
    assert [m.time for m in rt.crossings] == sorted(m.time for m in rt.crossings)


def test_single_steps_find_the_same_crossings() -> None:
    sought = ss.Crossing("q.velocity", name="turn")
    one, many = (
        ss.RealTime(oscillator(), 0.01, initial={"q.position": 1.0}, events=sought) for _ in range(2)
    )
    shown = np.array([one.step() for _ in range(700)])
    assert np.array_equal(shown, many.run(700)) and shown.shape == (700, 2)
    assert one.crossings == many.crossings and len(one.crossings) == 2
    assert one.crossings[0].cause == "turn rises through 0"


def test_invalid_crossings_are_refused() -> None:
    for events in (ss.Crossing("q.position", terminal=True), ["q.position"]):
        with pytest.raises(ValueError, match="events"):
            ss.RealTime(oscillator(), 0.01, events=events)
    with pytest.raises(ss.UnknownNameError, match="nothing"):
        ss.RealTime(oscillator(), 0.01, events=ss.Crossing("nothing"))
