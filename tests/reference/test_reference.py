"""The references against themselves: closed forms, one solver against another, stored against new."""

from __future__ import annotations

import math

import numpy as np
import pytest

from . import automaton, belt, lugre, store


def times(events):
    return np.array([e[0] for e in events])


def modes(events):
    return [e[1] for e in events]


class TestBelt:
    def test_published_run(self):
        events = belt.PUBLISHED.events(200.0)
        assert len(events) == 87
        assert events[-1][0] == pytest.approx(199.115917032024311, abs=1e-13)

    def test_second_set(self):
        assert belt.SECOND.first_break_away == 7.5
        assert belt.SECOND.period == pytest.approx(7.61125925410130959, abs=2e-15)

    @pytest.mark.parametrize(
        "case", [belt.PUBLISHED, belt.SECOND, belt.Belt(2.0, 3.0, 0.5, 4.0, 0.9, 0.3, -0.4)]
    )
    def test_slip_by_integration(self, case):
        from .phases import advance

        kinetic = case.kinetic * case.normal_load

        def rhs(_t, y):
            return [y[1], (kinetic - case.stiffness * y[0]) / case.mass]

        start = [case.break_away_position, case.belt_velocity]
        t, y, fired = advance(
            rhs, 0.0, start, 100.0, {"stick": lambda _t, y: case.belt_velocity - y[1]}, solver="dop853"
        )
        assert fired == "stick"
        assert t == pytest.approx(case.slip_time, abs=1e-12)
        assert y[0] == pytest.approx(case.restick_position, abs=1e-12)


class TestLuGre:
    def test_pull_by_another_solver(self):
        stored = store.load("lugre_pull")
        states, reversals = lugre.pull(stored["t"], "bdf", 1e-12)
        assert np.max(np.abs(states[:, 0] - np.array(stored["states"])[:, 0])) < 5e-10
        assert len(reversals) == len(stored["reversals"])

    def test_pull_again(self):
        stored = store.load("lugre_pull")
        states, _ = lugre.pull(stored["t"][:1], "collocation", 1e-12)
        assert np.max(np.abs(states[0] - np.array(stored["states"])[0])) < 1e-13

    def test_hunting_by_another_solver(self):
        stored = store.load("lugre_hunting")
        states, reversals = lugre.hunting(stored["t"], "bdf", 1e-12)
        assert np.max(np.abs(states[:, 0] - np.array(stored["states"])[:, 0])) < 2e-10
        assert len(reversals) == len(stored["reversals"])

    def test_steady_sliding_of_the_law(self):
        z = (1.0 + 0.5 * math.exp(-0.25)) / 1e5
        assert lugre.TABLE_I.force(5e-4, z, 1.0) == pytest.approx(
            (1.0 + 0.5 * math.exp(-0.25) + 2e-4, 0.0), abs=1e-15
        )


class TestAutomaton:
    @pytest.mark.parametrize(("solver", "error"), [("dop853", 1e-12), ("adams", 5e-11)])
    def test_pull(self, solver, error):
        stored = store.load("automaton")
        events, _ = automaton.pull(40.0, solver)
        assert modes(events) == modes(stored["pull_events"])
        assert np.max(np.abs(times(events) - times(stored["pull_events"]))) < error
        assert events[0][0] == 7.5

    @pytest.mark.parametrize(("solver", "error"), [("dop853", 3e-12), ("adams", 5e-11)])
    def test_hunting(self, solver, error):
        stored = store.load("automaton")
        events, states = automaton.hunting(stored["hunting_t"], solver)
        assert modes(events) == modes(stored["hunting_events"])
        assert np.max(np.abs(times(events) - times(stored["hunting_events"]))) < error
        assert np.max(np.abs(states - stored["hunting_states"])) < error
