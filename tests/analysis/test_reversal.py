"""The error after a reversal: in closed form where the body sticks, and on plain samples."""

import math

import numpy as np
import pytest

import stickslip as ss
from stickslip.analysis import reversal_error


def test_a_stuck_body_lags_until_the_controller_breaks_it_away() -> None:
    """A stiff P controller, no mass to speak of: the body stays at the turning point until kp e = Fs, so e = Fs/kp."""
    kp, fs = 1e3, 2.0
    m = ss.Machine(mass=1e-6, names=["q"], damping=1e-3)
    m.add_friction("guide", on="q", law=fs)
    m.add_controller(ss.P(kp=kp), "p", measure="q", reference=ss.Sine(amplitude=0.1, frequency=0.25), to="q")
    run = ss.simulate(m, t_end=8.0)
    found = reversal_error(run, "q.position", "p.reference", start=0.5)
    assert found.time == pytest.approx([1.0, 3.0, 5.0, 7.0], abs=1e-5)
    # From 2 mm behind on one side to 2 mm behind on the other.
    assert np.abs(found.peak) == pytest.approx(fs / kp, rel=1e-2)
    assert np.sign(found.peak).tolist() == [-1.0, 1.0, -1.0, 1.0]
    # 4 mm of the cosine's way back: 0.1 (1 - cos(w t)) = 0.004.
    stops = ss.analysis.stops(run, "guide", start=0.5)
    longest = math.acos(1.0 - 0.04) / (0.5 * math.pi)
    assert stops.longest == pytest.approx(longest, rel=2e-2)


def test_reversals_of_plain_samples_are_found() -> None:
    t = np.linspace(0.0, 10.0, 4001)
    r = np.sin(2.0 * t)
    found = reversal_error(t, r - 0.1 * np.cos(2.0 * t), r)
    turns = (math.pi / 4.0) + (math.pi / 2.0) * np.arange(6)
    assert found.time == pytest.approx(turns, abs=1e-6)
    assert found.max == pytest.approx(0.1 * math.cos(math.pi / 4.0), rel=1e-3) or found.max <= 0.1
    assert found.number == 6 and "6 reversals" in repr(found)


def test_reversal_after_a_rest_counts_from_the_restart() -> None:
    t = np.linspace(0.0, 4.0, 401)
    r = np.interp(t, [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0, 0.0])
    found = reversal_error(t, r, r)
    assert found.time == pytest.approx([2.0]) and found.max == 0.0
    assert reversal_error(t, t, t).number == 0


def test_bad_windows_are_refused() -> None:
    with pytest.raises(ValueError, match="window = 0.0 is not allowed"):
        reversal_error([0.0, 1.0], [0.0, 1.0], [0.0, 1.0], window=0.0)
