"""Figures of bristle laws: expected numbers are those of independent integrations, and the claims hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from reference import store

from stickslip_figures import bristle_motion, bristle_table, bristle_tests, canudas_law, hunting, servo_lugre

from .bristle_flows import Bristle, compensated, forwards, pushed, rms_error, under_sine

LUGRE = Bristle()
CANCELS = Bristle(alpha=5e4)
DOUBLE = Bristle(alpha=1e5)
SERVO = Bristle(s1=2.0 * math.sqrt(1e5), s2=20.0)


def checks(data):
    return {c.quantity: c for c in data.checks}


def test_table_1_equals_the_reference():
    law, extended = bristle_table.lugre(), bristle_table.two_state(5e4)
    assert (law.stiffness, law.damping, law.viscous) == (LUGRE.s0, LUGRE.s1, LUGRE.s2)
    assert (law.static, law.kinetic, law.stribeck_velocity, law.shape) == (1.5, 1.0, 1e-3, 2.0)
    assert (extended.stiffness, extended.static, extended.kinetic, extended.alpha) == (1e5, 1.5, 1.0, 5e4)
    assert bristle_table.CANCELS == 5e4


class TestExpectedNumbers:
    """The independent result in a figure is that of SciPy's Radau."""

    @pytest.mark.parametrize("omega", canudas_law.FREQUENCIES)
    def test_hysteresis_numbers_agree_with_reference(self, omega):
        period = 2.0 * math.pi / omega
        _, force = under_sine(LUGRE, 1e-3, omega, [2.0 * period, 2.5 * period], offset=1e-3)
        assert force == pytest.approx(canudas_law.LAGS[omega], abs=1e-11)

    @pytest.mark.parametrize("rate", [5.0, 20.0])
    def test_break_away_numbers_agree_with_reference(self, rate):
        end = 1.6 / rate + 0.1
        times = np.linspace(0.0, end, 20001)[1:]
        _, force = pushed(LUGRE, lambda t: rate * t, end, times)
        k = int(np.flatnonzero((force[1:-1] > force[:-2]) & (force[1:-1] >= force[2:]))[0]) + 1
        below, middle, above = force[k - 1 : k + 2]  # the parabola's top
        top = middle + (above - below) ** 2 / (8.0 * (2.0 * middle - above - below))
        assert top == pytest.approx(
            canudas_law.PEAKS[rate], abs=4e-10
        )  # what the parabola through samples leaves

    def test_servo_numbers_agree_with_reference(self):
        data = checks(servo_lugre.compute())
        shares = [math.asin(0.1) / (2 * math.pi), 0.5 - math.asin(0.1) / (2 * math.pi)]
        _, force = under_sine(SERVO, 5e-3, 2 * math.pi, [1.0 + 1e-13, *(1.0 + s for s in shares)])
        named = ["force at the reversal, forwards"]
        named += ["force at vs/2, v rising", "force at vs/2, v falling"]
        assert [data[name].expected for name in named] == pytest.approx(list(force), abs=1e-9)
        zero = 1.0177036982066765
        at_zero = under_sine(SERVO, 5e-3, 2 * math.pi, [zero])[1][0]
        assert at_zero == pytest.approx(0.0, abs=1e-9)
        speed = data["greatest speed at which it does, at 1 Hz"].expected
        assert speed == pytest.approx(5e-3 * math.sin(2 * math.pi * zero), abs=1e-9)

    def test_second_order_law_in_a_sine_agrees_with_reference(self):
        # settled after the first reversal: the path between two is 300 lengths of the bristle
        t = bristle_tests.PERIOD * np.array([1.0 + bristle_tests.AT_VS, 1.5 - bristle_tests.AT_VS])
        _, force = under_sine(LUGRE, bristle_tests.AMPLITUDE, bristle_tests.OMEGA, t)
        assert force[0] - force[1] == pytest.approx(bristle_tests.LUGRE_WIDTH, abs=1e-11)

    def test_pull_numbers_agree_with_reference(self):
        start = np.zeros(5)
        run = forwards(CANCELS, lambda t, x, v, i: 2.0 * (0.1 * t - x), 2.5, start, 40.0)
        data = checks(bristle_motion.compute_motion())
        assert run.t[-1] == pytest.approx(data["alpha 5e4: first rest after slip"].expected, abs=1e-10)
        assert run.y[0, -1] == pytest.approx(data["alpha 5e4: position there"].expected, abs=1e-11)

    @pytest.mark.parametrize(
        ("name", "law"), [("LuGre", LUGRE), ("alpha 5e4", CANCELS), ("alpha 1e5", DOUBLE)]
    )
    def test_hunting_numbers_agree_with_reference(self, name, law):
        run = forwards(law, lambda t, x, v, i: 3.0 * (1.0 - x) - 6.0 * v + 4.0 * i, 0.0, np.zeros(5), 40.0)
        assert run.t[-1] == pytest.approx(hunting.FIRST_STOP[name], abs=1e-10)

    @pytest.mark.parametrize(("name", "model"), [("5e4", CANCELS), ("1e5", DOUBLE)])
    def test_compensator_numbers_agree_with_reference(self, name, model):
        """All of 100 s, v passing through zero 27 and 28 times."""
        pieces = compensated(model, hunting.END)
        assert len(pieces) == {"5e4": 28, "1e5": 29}[name]
        end, error, _ = hunting.COMPENSATED[name]
        assert pieces[-1].y[0, -1] == pytest.approx(end, abs=1e-12)
        assert rms_error(pieces, 50.0) == pytest.approx(error, abs=1e-13)

    def test_stored_runs_agree_with_reference(self):
        pull, hunt = store.load("lugre_pull"), store.load("lugre_hunting")
        lugre = checks(bristle_motion.compute_lugre())
        for t, state in zip(pull["t"], pull["states"], strict=True):
            assert lugre[f"position at {t:g} s"].expected == state[0]
        servo = checks(hunting.compute_hunting())
        for t in (20.0, 50.0, 100.0):
            expected = hunt["states"][hunt["t"].index(t)][0]
            assert servo[f"LuGre: position at {t:g} s"].expected == expected
        rigid = store.load("automaton")
        stops = [t for t, mode in rigid["hunting_events"] if mode == "stick"]
        assert servo["Stribeck: last stop"].expected == stops[-1]
        slips = checks(hunting.compute_stick_slip())
        for k, (t, _) in enumerate(rigid["pull_events"]):
            if (name := f"Stribeck: event {k + 1} of 10") in slips:
                assert slips[name].expected == t


class TestClaims:
    """Statements of the texts, and those that cannot be reproduced."""

    def test_break_away_falls_with_the_rate(self):
        peaks = canudas_law.compute_break_away()[""]["break-away"]
        assert np.all(np.diff(peaks) < 0.0) and 1.0 < peaks[-1] < peaks[0] < 1.5

    def test_loops_widen_with_frequency(self):
        widths = [up - down for up, down in canudas_law.LAGS.values()]
        assert 0.0 < widths[0] < widths[1] < widths[2]

    def test_friction_can_act_with_the_motion(self):
        s = servo_lugre.compute()[""]
        assert np.any(s["LuGre"] * s["velocity"] < -1e-6)
        assert np.all(s["Stribeck"] * s["velocity"] >= 0.0)

    def test_printed_alpha_cannot_reproduce_the_figure(self):
        found = {}
        for module in (bristle_tests, bristle_motion, hunting):
            for figure in module.FIGURES:
                differs = [c for c in figure.compute().checks if c.verdict == "differs"]
                found[figure.name] = len(differs)
                assert all(c.reason for c in differs)
        assert {name: n for name, n in found.items() if n} == {
            "bristle2_2": 1,
            "bristle2_4": 1,
            "bristle2_6": 1,
            "bristle2_7": 1,
            "bristle2_10": 2,
        }

    def test_printed_gain_lies_within_the_range_of_the_compensator(self):
        alone, left = (
            hunting._rms(hunting.servo("lugre"), 50.0),
            hunting._rms(hunting.compensated(7.6e4), 50.0),
        )
        assert 1.0 - left / alone == pytest.approx(0.65, abs=3e-3)
        assert left == pytest.approx(0.0212, abs=5e-5)

    def test_printed_alpha_drives_the_mass(self):
        """The body breaks away where the impulse of the applied force reaches α/σ0, and is then pushed forwards."""
        run = hunting.servo("1e+09")
        loose = run.events[0].time
        assert loose == pytest.approx(69.01, abs=0.01)
        after = run.at(loose + 0.01)
        assert after["guide.force"][0] * after["slide.velocity"][0] < 0.0
        assert after["guide.force"][0] == pytest.approx(-1e4, rel=0.05)
