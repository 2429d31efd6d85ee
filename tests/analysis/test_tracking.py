"""Following error, settling and stops against closed forms."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import stickslip as ss
from stickslip.analysis import following_error, settling, stops


class Run(dict):
    """A run as these functions see it: times, named signals, events."""

    def __init__(self, t, events=(), **signals):
        super().__init__({name.replace("__", "."): value for name, value in signals.items()})
        self.t = np.asarray(t, dtype=float)
        self.events = list(events)


def event(time, element, before, after):
    return SimpleNamespace(time=time, element=element, before=before, after=after)


def test_following_error_of_a_sine():
    t = np.linspace(0.0, 2.0 * np.pi, 20_001)
    error = following_error(t, 0.1 * np.sin(t), np.sin(t))
    assert error.max == pytest.approx(0.9, rel=1e-7)
    assert abs(math.sin(error.time)) == pytest.approx(1.0, abs=1e-7)
    assert error.rms == pytest.approx(0.9 / math.sqrt(2.0), rel=1e-7)
    assert error.mean == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(error.at_rest) and error.rests == 0


def test_rms_is_exact_for_straight_lines_on_an_uneven_grid():
    t = np.array([0.0, 0.1, 0.7, 1.0])
    assert following_error(t, -t, 0.0).rms == pytest.approx(math.sqrt(1.0 / 3.0), rel=1e-14)
    window = following_error(t, -t, 0.0, start=0.25, end=0.5)
    assert window.rms == pytest.approx(math.sqrt((0.5**3 - 0.25**3) / 3.0 / 0.25), rel=1e-14)
    assert window.mean == pytest.approx(0.375, rel=1e-14)
    assert window.max == pytest.approx(0.5, rel=1e-14)


def test_error_at_rest_is_that_at_the_end_of_each_rest():
    t = np.linspace(0.0, 4.0, 401)
    reference = np.clip(t, 0.0, 1.0) + np.clip(t - 3.0, 0.0, 1.0)
    actual = reference - 0.2 * np.exp(-np.abs(t - 1.0))
    error = following_error(t, actual, reference)
    assert error.rests == 1
    assert error.at_rest == pytest.approx(0.2 * math.exp(-2.0), rel=1e-12)
    assert following_error(t, actual, reference, rest=2.5).rests == 0


def test_following_error_by_name():
    run = Run([0.0, 1.0, 2.0], load__position=np.array([0.0, 1.0, 2.0]), reference=np.array([0.0, 1.5, 2.0]))
    assert following_error(run, "load.position", "reference").max == 0.5


@pytest.mark.parametrize("damping", [0.1, 0.3, 0.7])
def test_settling_of_a_second_order_step(damping):
    """Overshoot exp(−πζ/sqrt(1 − ζ²)); the response stays in the band after the time found, and not
    before.
    """
    t = np.linspace(0.0, 80.0, 80_001)
    root = math.sqrt(1.0 - damping**2)
    x = 1.0 - np.exp(-damping * t) * (np.cos(root * t) + damping / root * np.sin(root * t))
    result = settling(t, x, target=1.0, band=0.05)
    assert result.overshoot == pytest.approx(math.exp(-math.pi * damping / root), rel=1e-6)
    assert result.settled
    exact = math.exp(-damping * result.time) * abs(
        math.cos(root * result.time) + damping / root * math.sin(root * result.time)
    )
    assert exact == pytest.approx(0.05, rel=1e-5)
    assert np.all(np.abs(x - 1.0)[t > result.time] <= 0.05)


def test_settling_cases():
    t = np.linspace(0.0, 1.0, 101)
    assert settling(t, t, target=2.0).time == math.inf
    assert not settling(t, t, target=2.0).settled
    assert settling(t, 0.0 * t + 1e-3, target=0.0, band=1e-2, absolute=True).time == 0.0
    assert settling(t, t, target=1.0, band=0.1, absolute=True, start=0.5).time == pytest.approx(0.4)
    assert settling(t, t).error == 0.0


def test_stops_from_events_are_exact():
    events = [
        event(0.25, "guide", "stick", "slip+"),
        event(0.5, "other", "slip+", "stick"),
        event(1.5, "guide", "slip+", "stick"),
        event(1.75, "guide", "stick", "slip-"),
        event(3.0, "guide", "slip-", "stick"),
    ]
    run = Run(np.linspace(0.0, 4.0, 5), events)
    result = stops(run, "guide")
    np.testing.assert_array_equal(result.begin, [0.0, 1.5, 3.0])
    np.testing.assert_array_equal(result.end, [0.25, 1.75, 4.0])
    np.testing.assert_array_equal(result.length, [0.25, 0.25, 1.0])
    assert (result.number, result.total, result.longest, result.fraction) == (3, 1.5, 1.0, 1.5 / 4.0)
    late = stops(run, "guide", start=1.6, end=3.5)
    np.testing.assert_array_equal(late.begin, [1.6, 3.0])
    np.testing.assert_array_equal(late.end, [1.75, 3.5])


def test_stops_of_an_element_without_events():
    run = Run([0.0, 1.0], guide__mode=np.zeros(2, dtype=np.int8), slide__mode=np.ones(2, dtype=np.int8))
    assert stops(run, "guide").fraction == 1.0
    assert stops(run, "slide").number == 0 and stops(run, "slide").longest == 0.0


def test_stops_from_samples_hold_until_the_next():
    t = [0.0, 1.0, 2.0, 3.0, 5.0]
    by_mode = stops(t, np.array([0, 1, -1, 0, 1], dtype=np.int8))
    np.testing.assert_array_equal(by_mode.begin, [0.0, 3.0])
    np.testing.assert_array_equal(by_mode.end, [1.0, 5.0])
    by_flag = stops(t, [True, False, False, True, False])
    np.testing.assert_array_equal(by_flag.begin, by_mode.begin)
    assert by_mode.fraction == pytest.approx(3.0 / 5.0)


def test_stops_of_no_length_do_not_count():
    """A slip that touches zero speed: stick and slip again at one instant."""
    events = [event(1.0, "guide", "slip+", "stick"), event(1.0, "guide", "stick", "slip+")]
    assert stops(Run([0.0, 2.0], events), "guide").number == 0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: following_error([0.0, 1.0], [0.0], 0.0), "actual"),
        (lambda: following_error([0.0, 1.0], "x", 0.0), "actual"),
        (lambda: following_error([0.0, 1.0], [0.0, math.nan], 0.0), "actual"),
        (lambda: following_error([1.0, 0.0], 0.0, 0.0), "source"),
        (lambda: following_error([0.0], 0.0, 0.0), "source"),
        (lambda: following_error([0.0, 1.0], 0.0, 0.0, start=0.5, end=0.2), "start"),
        (lambda: following_error([0.0, 1.0], 0.0, 0.0, rest=-1.0), "rest"),
        (lambda: settling([0.0, 1.0], [0.0, 1.0], band=0.0), "band"),
        (lambda: settling([0.0, 1.0], [1.0, 1.0]), "band"),
        (lambda: stops([0.0, 1.0], "guide"), "mode"),
        (lambda: stops([0.0, 1.0], [True]), "mode"),
    ],
)
def test_bad_input_names_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_examples():
    """The examples of the docstrings run."""
    import doctest
    import importlib

    names = ["analysis." + name for name in ("cycles", "describing", "linear", "maps", "tracking")]
    names += ["machines." + name for name in ("contact_data", "wedge_gear", "worm_gear")]
    for name in names:
        result = doctest.testmod(importlib.import_module(f"stickslip.{name}"), extraglobs={"ss": ss})
        assert result.failed == 0 and result.attempted > 0
