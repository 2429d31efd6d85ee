"""Detection of limit cycles against motions whose period and amplitude are known."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stickslip.analysis import limit_cycle


def test_short_record_names_the_cure():
    t = np.linspace(0.0, 10.0, 1001)
    assert "longer record or an earlier `start`" in limit_cycle(t, np.sin(t)).message


def test_sine_is_a_limit_cycle_with_its_period():
    t = np.arange(0.0, 50.0, 0.01)
    result = limit_cycle(t, 2.0 + 0.3 * np.sin(1.7 * t + 0.4))
    assert result.found and result.crossings == 1
    assert result.period == pytest.approx(2.0 * math.pi / 1.7, rel=1e-6)
    assert result.omega == pytest.approx(1.7, rel=1e-6) == 2 * np.pi * result.frequency
    assert result.amplitude == pytest.approx(0.3, rel=1e-8)
    assert result.mean == pytest.approx(2.0, rel=1e-5)


def test_van_der_pol_cycle_matches_published_period_and_amplitude():
    """Period 6.6632868593 and amplitude 2.00862 for μ = 1 (Andersen, Geer 1982; Dahlquist 1958)."""
    t = np.arange(0.0, 120.0, 0.005)
    run = solve_ivp(
        lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]],
        (0, 120),
        [0.1, 0.0],
        "DOP853",
        t,
        rtol=1e-11,
        atol=1e-12,
    )
    result = limit_cycle(run.t, run.y[0])
    assert result.found
    assert result.period == pytest.approx(6.6632868593, rel=1e-6)
    assert result.amplitude == pytest.approx(2.00862, rel=1e-5)


def belt(t):
    """Position of the belt oscillator m = 1, k = 2, v = 0.1, static 1.5, kinetic 1.0 in closed form, from 7.5
    s on.
    """
    omega, speed = math.sqrt(2.0), 0.1
    rise, fall = 0.5 * (1.5 - 1.0), speed / omega
    slip = (2.0 * math.pi - 2.0 * math.atan2(rise, fall)) / omega
    stick = 2.0 * rise / speed
    phase = np.mod(t, slip + stick)
    slipping = 0.5 + rise * np.cos(omega * phase) + fall * np.sin(omega * phase)
    return np.where(phase < slip, slipping, 0.5 - rise + speed * (phase - slip)), slip + stick


def test_stick_slip_on_a_belt_has_closed_form_period():
    t = np.arange(0.0, 100.0, 0.01)
    x, period = belt(t)
    assert period == pytest.approx(7.611259, abs=5e-7)
    result = limit_cycle(t, x)
    assert result.found
    assert result.period == pytest.approx(period, rel=1e-5)
    assert result.amplitude == pytest.approx(math.hypot(0.25, 0.1 / math.sqrt(2.0)), rel=1e-6)


def test_two_oscillations_per_period_are_found_as_one_period():
    t = np.arange(0.0, 60.0, 0.005)
    result = limit_cycle(t, np.sin(2.0 * t) + 0.4 * np.sin(t))
    assert result.found and result.crossings == 2
    assert result.period == pytest.approx(2.0 * math.pi, rel=1e-5)


def test_other_motions_are_no_limit_cycles():
    t = np.arange(0.0, 60.0, 0.01)
    dying = limit_cycle(t, np.exp(-0.05 * t) * np.sin(2.0 * t))
    assert not dying.found and dying.trend < 0.0 and "dies out" in dying.message
    cycle = t // math.pi
    uneven = limit_cycle(
        t, (1.0 + 0.03 * (cycle == 17) - 0.03 * (cycle == 18)) * np.sin(2.0 * t)
    )  # 1, 1.03, 0.97
    assert not uneven.found and uneven.trend < -0.01 and "does not repeat" in uneven.message
    growing = limit_cycle(t, np.exp(0.05 * t) * np.sin(2.0 * t))
    assert not growing.found and "grows" in growing.message
    still = limit_cycle(t, np.ones(t.size))
    assert not still.found and math.isnan(still.period)
    assert not limit_cycle(t, np.sin(0.15 * t)).found
    assert not limit_cycle(t, np.sin(0.6 * t)).found


def test_noise_around_the_mean_adds_no_crossings():
    t = np.arange(0.0, 60.0, 0.01)
    noise = np.random.default_rng(1).normal(0.0, 0.02, t.size)
    result = limit_cycle(t, np.sin(2.0 * t) + noise, tolerance=0.05)
    assert result.found and result.crossings == 1
    assert result.period == pytest.approx(math.pi, rel=0.01)


@pytest.mark.parametrize(
    ("options", "name"),
    [({"cycles": 1}, "cycles"), ({"tolerance": 0.0}, "tolerance"), ({"most_crossings": 0}, "most_crossings")],
)
def test_bad_input_names_the_argument(options, name):
    with pytest.raises(ValueError, match=name):
        limit_cycle([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], **options)
