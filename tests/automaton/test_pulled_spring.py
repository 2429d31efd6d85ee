"""The runs of figures 4.2 - 4.5 (Klotzbach, Henrichfreise): against stored independent solutions, and what
the text says.

The stored runs come from collocation, agree with DOP853 to 5e-12, and state their parameters
(reference/memory.py)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from published.automaton import compare, pulled_spring
from reference import memory, store

import stickslip as ss

REACHED = {"base": 1e-10, "lag": 1e-11, "dwell": 3e-11, "presliding": 6e-11}


@pytest.fixture(scope="module")
def stored():
    return store.load("memory")


@pytest.fixture(scope="module")
def runs():
    return {name: ss.simulate(pulled_spring(p), 20.0, dt=1e-3, rtol=1e-12) for name, p in memory.RUNS.items()}


def entries(run):
    """Friction force on entering stick, from the left of it."""
    times = [e.time for e in run.events if e.after == ss.Mode.STICK]
    return np.array([abs(run.at(np.nextafter(t, 0.0))["guide.force"][0]) for t in times])


def slips(run):
    return np.array([e.time for e in run.events if e.after != ss.Mode.STICK])


@pytest.mark.parametrize("name", memory.RUNS)
class TestStored:
    def test_events_agree_with_stored_run(self, runs, stored, name):
        assert compare(runs[name].events, stored[name]["events"]) < REACHED[name]

    def test_end_state_agrees_with_stored_run(self, runs, stored, name):
        expected = stored[name]["state"]
        assert runs[name].y[:2, -1] == pytest.approx(expected[:2], abs=1e-13)
        if name == "presliding":
            assert runs[name]["guide.presliding"][-1] == pytest.approx(expected[3], abs=1e-13)

    def test_forces_on_entering_stick_agree_with_stored_run(self, runs, stored, name):
        assert entries(runs[name]) == pytest.approx(stored[name]["entry_forces"], abs=2e-11)

    def test_energy_balance_closes(self, runs, name):
        assert runs[name].energy.residual < 5e-12

    def test_default_tolerance_finds_the_stored_events(self, stored, name):
        """With default settings the worst error is 2e-6 s over 20 s, from the slip whose end is a tangent."""
        run = ss.simulate(pulled_spring(memory.RUNS[name]), 20.0)
        assert compare(run.events, stored[name]["events"]) < 2e-6


class TestText:
    def test_lag_lowers_the_force_on_entering_stick(self, runs):
        assert entries(runs["base"]) == pytest.approx(0.01, abs=1e-12)
        assert np.all(entries(runs["lag"]) < 0.008)

    def test_dwell_lowers_break_away_and_makes_slips_more_frequent(self, runs):
        def break_away(run):
            return np.array([run.at(np.nextafter(t, 0.0))["guide.force"][0] for t in slips(run)])

        assert break_away(runs["lag"]) == pytest.approx(0.01, abs=1e-12)
        dwell = break_away(runs["dwell"])
        assert dwell[0] == pytest.approx(0.01, abs=1e-12)  # the first stick is fully aged
        assert np.all(dwell[1:] < 0.0095)
        assert np.all(np.diff(slips(runs["dwell"])) < np.diff(slips(runs["lag"])).min() - 0.1)

    def test_presliding_moves_while_sticking(self, runs):
        run = runs["presliding"]
        first = slips(run)[0]
        stuck = run.t < first
        assert np.all(run["guide.mode"][stuck] == 0)
        travel = run.at(first)["mass.position"][0]
        assert 0.9 * 5e-5 < travel < 1.1 * 5e-5
        assert np.all(np.abs(runs["dwell"]["mass.position"][runs["dwell"].t < 2.0]) == 0.0)

    def test_presliding_undershoots_at_the_end_of_a_slip(self, runs):
        """v goes through zero and swings back; without presliding it stops at zero."""
        for name, undershoots in (("dwell", False), ("presliding", True)):
            run = runs[name]
            end = next(e.time for e in run.events if e.after == ss.Mode.STICK)
            lowest = run.at(np.linspace(end, end + 0.1, 1001))["mass.velocity"].min()
            assert (lowest < -1e-4) == undershoots

    def test_friction_force_rings_onto_the_spring_force(self, runs):
        run = runs["presliding"]
        end = next(e.time for e in run.events if e.after == ss.Mode.STICK)
        t = np.linspace(end, end + 1.0, 4001)
        there = run.at(t)
        p = memory.PRESLIDING
        spring = p.stiffness * (p.drive_velocity * t - there["mass.position"])
        off = there["guide.force"] - spring
        crossings = np.flatnonzero(off[:-1] * off[1:] < 0.0)
        assert len(crossings) > 6
        swings = [np.abs(off[a : b + 1]).max() for a, b in itertools.pairwise(crossings)]
        assert all(b < a for a, b in itertools.pairwise(swings[:7]))
        assert np.abs(off[-100:]).max() < 0.02 * swings[0]

    def test_ringing_has_the_period_and_decay_of_the_surface(self, runs):
        """A mass on c + k = Fs/s_max with damper b_surface: period and logarithmic decrement in closed
        form."""
        p = memory.PRESLIDING
        k = p.static / p.travel + p.stiffness
        decay = p.surface_damping / (2.0 * p.mass)
        omega = np.sqrt(k / p.mass - decay**2)
        run = runs["presliding"]
        end = next(e.time for e in run.events if e.after == ss.Mode.STICK)
        t = np.linspace(end, end + 0.4, 40001)
        v = (
            run.at(t)["mass.velocity"] - p.stiffness * p.drive_velocity / k
        )  # about the creep with the spring's end
        crossings = np.flatnonzero(v[:-1] * v[1:] < 0.0)
        times = t[crossings] - v[crossings] * (t[1] - t[0]) / (v[crossings + 1] - v[crossings])
        assert np.diff(times) == pytest.approx(np.pi / omega, rel=1e-6)
        i = np.searchsorted(t, times[0] + np.pi / omega / 2)
        a, b = run.at(t[i])["mass.velocity"][0], run.at(t[i] + np.pi / omega)["mass.velocity"][0]
        creep = p.stiffness * p.drive_velocity / k
        assert (b - creep) / (a - creep) == pytest.approx(-np.exp(-decay * np.pi / omega), rel=1e-9)
