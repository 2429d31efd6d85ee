"""Figures of the two-mass drive, the automaton and the overview: numbers from outside, and claims."""

from __future__ import annotations

import numpy as np
import pytest
from reference import load_friction, memory, store, two_mass

from stickslip_figures import automaton_curves, automaton_load, automaton_pull, laws_compare, servo_drive


def checks(data):
    return {c.quantity: c for c in data.checks}


class TestDrive:
    def test_table_1_equals_the_reference(self):
        assert (two_mass.MM, two_mass.C, two_mass.D) == (
            servo_drive.MASS,
            servo_drive.STIFFNESS,
            servo_drive.DAMPING,
        )
        assert (two_mass.KV, two_mass.KP, two_mass.TN) == (servo_drive.KV, servo_drive.KP, servo_drive.TN)
        assert {name: (c.kinetic, c.static) for name, c in servo_drive.CASES.items()} == two_mass.CASES

    @pytest.mark.parametrize("name", "abc")
    def test_expected_numbers_equal_the_stored_run(self, name):
        stored, case = store.load("two_mass")[name], servo_drive.CASES[name]
        assert (case.events, case.worst) == (len(stored["events"]), stored["worst_late"])
        assert case.peak == stored["peak_late"]
        assert case.stuck == pytest.approx(stored["stuck"], abs=1e-14)

    def test_friction_is_a_gradual_transition(self):
        """The text: error and stick grow from a to c."""
        worst = [case.worst for case in servo_drive.CASES.values()]
        stuck = [case.stuck for case in servo_drive.CASES.values()]
        assert worst == sorted(worst) and stuck == sorted(stuck) and stuck[0] == 0.0


class TestPulledSpring:
    @pytest.mark.parametrize("case", automaton_pull.CASES, ids=lambda case: case.name)
    def test_expected_numbers_equal_the_stored_run(self, case):
        stored = store.load("memory")[case.name]
        assert (case.events, case.last) == (len(stored["events"]), stored["events"][-1][0])
        assert case.entry == pytest.approx(stored["entry_forces"][-1], abs=1e-15)
        assert case.release == pytest.approx(stored["break_away_forces"][-1], abs=1e-15)
        assert case.position == stored["state"][0]

    def test_values_are_those_of_the_independent_run(self):
        p, q = memory.PRESLIDING, automaton_pull
        assert (p.mass, p.stiffness, p.drive_velocity) == (q.MASS, q.STIFFNESS, q.DRIVE)
        assert (p.static, p.kinetic, p.stribeck_velocity, p.viscous) == (
            q.STATIC,
            q.KINETIC,
            q.STRIBECK_VELOCITY,
            q.VISCOUS,
        )
        assert (p.lag, p.dwell, p.travel, p.surface_damping) == (q.LAG, q.DWELL, q.TRAVEL, q.SURFACE_DAMPING)

    def test_every_event_agrees_with_stored_run(self):
        """The figures store all events of all four runs, not only those of the last one."""
        for case in automaton_pull.CASES:
            table = automaton_pull.compute(case)["modes"]
            events = [t for t, _ in store.load("memory")[case.name]["events"]]
            assert table["start"][1:] == pytest.approx(events, abs=case.tolerance)


class TestLoad:
    def test_expected_numbers_equal_the_stored_run(self):
        stored = store.load("load_friction")["peak_0.1"]
        data = checks(automaton_load.compute())
        assert data["events in 14 s"].expected == len(stored["events"])
        assert data["breaks away backwards at"].expected == stored["events"][-2][0]
        assert data["last event"].expected == stored["events"][-1][0]
        rest = data["stays at, though the drive force is zero"].expected
        assert rest == pytest.approx(stored["state"][0], abs=1e-18)
        # what can stay at all
        assert 0.0 < rest <= load_friction.FS / ((1.0 - automaton_load.RATIO) * load_friction.C)

    def test_sign_of_friction_turns_while_it_sticks(self):
        data = automaton_load.compute()
        s = data["trajectory"]
        hold = (s["time"] > 7.0) & (s["time"] < 11.4)
        assert np.ptp(s["position"][hold]) == 0.0
        assert s["friction force"][hold][0] > 0.04 and s["friction force"][hold][-1] < -0.04


def test_lag_in_closed_form_is_that_of_the_reference():
    p = memory.Pulled(static=0.01, kinetic=0.005, stribeck_velocity=1e-3, lag=0.01)
    for t, start, acceleration in ((0.01, 0.0, 0.125), (0.03, 5e-3, -0.125)):
        ours = automaton_curves.lagged(t, start, acceleration, 0.008)
        assert ours == pytest.approx(memory.lagged_force(t, p, start, -acceleration, 0.008), abs=1e-16)


def test_laws_show_their_known_differences():
    """The overview: Stribeck falls to Coulomb; Dahl has no peak; LuGre has peak and hysteresis."""
    s = laws_compare.compute()[""]
    fast = s["velocity"] > 2.5e-3
    for name in ("tanh", "Stribeck", "Dahl", "LuGre"):
        assert s[name][fast] == pytest.approx(1.0, abs=0.005)
    assert np.max(s["tanh"]) <= 1.0 and np.max(s["Dahl"]) <= 1.0 + 1e-12
    assert 1.2 < np.max(s["LuGre"]) < np.max(s["Stribeck"]) <= 1.5
