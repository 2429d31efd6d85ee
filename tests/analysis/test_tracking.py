"""Following error, settling and stops against closed forms."""

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg
from truths.cascade_loop import cascade_matrices, motor_side, two_mass_matrices

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


def test_following_error_of_a_sine_matches_closed_form():
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


def test_signal_is_accepted_as_reference() -> None:
    """Nothing moves: the error is the reference itself, of a run without samples in between and of plain times."""
    wave = ss.Sine(amplitude=2.0, frequency=0.5)
    run = ss.simulate(ss.Machine(mass=1.0, names=["q"]), t_end=4.0)
    for error in (
        ss.analysis.following_error(run, "q.position", wave),
        ss.analysis.following_error(np.linspace(0.0, 4.0, 4001), 0.0, wave),
    ):
        assert error.max == pytest.approx(2.0, rel=1e-6) and error.rms == pytest.approx(
            np.sqrt(2.0), rel=5e-5
        )
    turns = ss.analysis.reversal_error(run, "q.position", wave).time
    assert turns == pytest.approx([0.5, 1.5, 2.5, 3.5], abs=1e-3)


def test_following_error_by_name():
    run = Run([0.0, 1.0, 2.0], load__position=np.array([0.0, 1.0, 2.0]), reference=np.array([0.0, 1.5, 2.0]))
    assert following_error(run, "load.position", "reference").max == 0.5


@pytest.mark.parametrize("damping", [0.1, 0.3, 0.7])
def test_settling_of_second_order_step_matches_closed_form(damping):
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


def test_unsettled_signal_has_infinite_settling_time():
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


def belt_run():
    """Belt oscillator m = 1, k = 2, v = 0.2, N = 1, static 1.0, kinetic 0.8."""
    machine = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    law = ss.Coulomb(static=1.0, kinetic=0.8)
    machine.add_friction("belt", on="block", law=law, normal_load=1.0, surface_velocity=0.2)
    return ss.simulate(machine, t_end=100.0, dt=0.01, initial={"block.velocity": 0.2})


def test_stops_of_the_belt_match_closed_form():
    """Stick lasts 1 s and slip (2π − 2·atan2(A, B))/ω with A = 0.1, B = 0.2/ω, after a first stick of 2.5
    s.
    """
    run = belt_run()
    omega = math.sqrt(2.0)
    slip = (2.0 * math.pi - 2.0 * math.atan2(0.1, 0.2 / omega)) / omega
    result = stops(run, "belt")
    assert result.length[0] == pytest.approx(2.5, abs=1e-11)
    np.testing.assert_allclose(result.length[1:-1], 1.0, atol=1e-11)
    np.testing.assert_allclose(result.begin[2:] - result.end[1:-1], slip, atol=1e-11)
    window = stops(run, "belt", start=2.5, end=2.5 + 10.0 * (1.0 + slip))
    assert window.fraction == pytest.approx(1.0 / (1.0 + slip), rel=1e-11)
    cycle = ss.analysis.limit_cycle(run, "block.position")
    assert cycle.found and cycle.period == pytest.approx(1.0 + slip, rel=1e-5)
    assert cycle.amplitude == pytest.approx(math.hypot(0.1, 0.2 / omega), rel=1e-6)
    error = following_error(run, "block.position", 0.4, start=2.5, end=2.5 + 10.0 * (1.0 + slip))
    assert error.max == pytest.approx(math.hypot(0.1, 0.2 / omega), rel=1e-4)


def test_settling_states_the_time_or_the_reason():
    t = np.linspace(0.0, 10.0, 100_001)
    found = ss.analysis.settling(t, 1.0 - np.exp(-t), target=1.0)  # exp(-t) = 0.02
    assert found.message == "settles 3.91202 s after the start, within ±0.02 of the target"
    found = ss.analysis.settling(t, 0.9 * (1.0 - np.exp(-t)), target=1.0)
    assert found.message.startswith(
        "does not settle: at the end of the record the signal is 0.100041 off the target"
    )


def test_element_without_events_has_one_stop_or_none():
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


REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "two_mass.json").read_text(encoding="utf-8")
)


def test_following_error_without_friction_matches_closed_loop_matrices():
    """Table 1, case a, from the closed loop's matrices: 3.19 µm over 3 s, 2.17 µm from 1 s on."""
    kv, kp, tn = 8 / 60e-3, 700e3, 30e-3
    plant = motor_side(two_mass_matrices(1000.0, 1000.0, 5e6, 1341.64))
    loop = ss.linear.feedback(plant, cascade_matrices(kv, kp, tn))
    # The reference adds kv·x_ref to the velocity error: through kp to the force, and to the integral (the
    # last state).
    entry = kv * kp * loop.B[:, 0]
    entry[-1] -= kv
    # Extended by the sine and its derivative, the motion is one matrix exponential per step.
    omega, step = math.pi, 1e-4
    system = np.zeros((7, 7))
    system[:5, :5], system[:5, 5] = loop.A, entry
    system[5, 6], system[6, 5] = omega, -omega
    advance = scipy.linalg.expm(system * step)
    state = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 50e-6])
    rows = [state]
    for _ in range(30_000):
        state = advance @ state
        rows.append(state)
    table = np.array(rows)
    times = step * np.arange(30_001)
    whole = following_error(times, table[:, 3], table[:, 5])
    late = following_error(times, table[:, 3], table[:, 5], start=1.0)
    assert whole.max == pytest.approx(REFERENCE["a"]["worst"], rel=1e-4)
    assert late.max == pytest.approx(REFERENCE["a"]["worst_late"], rel=1e-4)
    samples = np.array(REFERENCE["a"]["samples"])[:, :4]
    np.testing.assert_allclose(table[5000::5000, :4], samples, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("case", "number", "percent"), [("b", 13, 13.8), ("c", 39, 47.1)])
def test_stops_of_the_drive_match_its_events(case, number, percent):
    """Table 1: 13 and 39 mode changes, stuck 13.8 and 47.1 % of the time, from the stored events."""
    stored = REFERENCE[case]
    modes = ["stick", *(mode for _, mode in stored["events"])]
    events = [
        event(time, "guide", before, after)
        for (time, after), before in zip(stored["events"], modes[:-1], strict=True)
    ]
    result = stops(Run([0.0, 3.0], events), "guide")
    assert len(events) == number
    assert result.fraction == pytest.approx(stored["stuck"], rel=1e-12)
    assert 100.0 * result.fraction == pytest.approx(percent, abs=0.05)


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


def test_downward_step_has_the_overshoot_of_the_upward_step():
    """From 1 to 0 by way of -0.1: a tenth beyond; a step up by the mirrored way has the same."""
    t, x = [0.0, 1.0, 2.0, 3.0], np.array([1.0, -0.1, 0.02, 0.0])
    for sign in (1.0, -1.0):
        found = settling(t, sign * x, target=0.0, band=0.05)
        assert found.overshoot == pytest.approx(0.1, rel=1e-15)
        # the last crossing of the band, from -0.1 to 0.02 through -0.05
        assert found.time == pytest.approx(1.0 + 0.05 / 0.12, rel=1e-14)
