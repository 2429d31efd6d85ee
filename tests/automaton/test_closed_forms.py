"""Frictional memory and dwell where they have closed forms (derivations, from Klotzbach, Henrichfreise eq. 10
- 12)."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from published.automaton import compare, prescribed, pulled_law, pulled_spring, steps
from reference import memory
from scipy.integrate import solve_ivp

import stickslip as ss


class TestLag:
    """The lagged force under a prescribed velocity, T f' + f = Fk + (Fs - Fk) exp(-v/vs)."""

    @pytest.mark.parametrize(("speed", "deceleration"), [(0.05, 0.04), (0.002, 1e-3), (0.01, 0.2)])
    def test_lag_under_constant_deceleration_matches_closed_form(self, speed, deceleration):
        """Starts on the curve; closed form in reference/memory.py."""
        p = memory.LAG
        stop = speed / deceleration
        run = prescribed(pulled_law(p), [0.0, stop], [speed, 0.0], rtol=1e-12)
        t = np.linspace(0.0, stop * (1.0 - 1e-12), 301)
        start = p.kinetic + (p.static - p.kinetic) * np.exp(-speed / p.stribeck_velocity)
        exact = [memory.lagged_force(x, p, speed, deceleration, start) for x in t]
        assert run.at(t)["guide.lagged_force"] == pytest.approx(exact, abs=1e-13)

    def test_lag_at_default_tolerance_is_accurate_to_1e_9(self):
        p = memory.LAG
        run = prescribed(pulled_law(p), [0.0, 1.25], [0.05, 0.0], rtol=1e-8)
        t = np.linspace(0.0, 1.249, 301)
        exact = [memory.lagged_force(x, p, 0.05, 0.04, p.kinetic + 5e-3 * np.exp(-50.0)) for x in t]
        assert run.at(t)["guide.lagged_force"] == pytest.approx(exact, abs=1e-9)

    def test_lag_under_velocity_steps_matches_closed_form(self):
        """At constant speed f goes to the curve by exp(-t/T); at break-away it starts at the level reached
        less b|v|."""
        p = memory.LAG
        run = prescribed(pulled_law(p), *steps([(0.5, 0.0), (0.03, 0.004), (0.05, 0.001)]), rtol=1e-12)
        t = np.linspace(0.5, 0.58, 201)[:-1]
        f = run.at(t)["guide.lagged_force"]
        level = [
            p.kinetic + (p.static - p.kinetic) * np.exp(-v / p.stribeck_velocity) for v in (0.004, 0.001)
        ]
        # a jump out of stick is not a break-away at the limit: the force starts there all the same
        start = p.static - p.viscous * 0.004
        first = level[0] + (start - level[0]) * np.exp(-(t - 0.5) / p.lag)
        between = level[0] + (start - level[0]) * np.exp(-0.03 / p.lag)
        second = level[1] + (between - level[1]) * np.exp(-(t - 0.53) / p.lag)
        assert f == pytest.approx(np.where(t < 0.53, first, second), abs=1e-13)

    def test_reversal_keeps_the_force(self):
        """v goes through zero at constant deceleration under a load too great to stick: f goes on without a
        jump."""
        p = memory.LAG
        run = prescribed(pulled_law(p), [0.0, 2.0], [0.01, -0.01], rtol=1e-12)
        assert [(str(e.before), str(e.after)) for e in run.events] == [("slip+", "slip-")]
        assert run.events[0].time == pytest.approx(1.0, abs=1e-12)
        f = run.at([1.0 - 1e-9, 1.0, 1.0 + 1e-9])["guide.lagged_force"]
        assert f == pytest.approx(f[1], abs=1e-9 * p.static / p.lag)
        force = run.at([1.0 - 1e-9, 1.0 + 1e-9])["guide.force"]
        assert force[1] == pytest.approx(-force[0], abs=1e-8)

    @pytest.mark.parametrize("dwell", [0.0, 0.5])
    @pytest.mark.parametrize("slope", [0.1, 0.0])
    def test_break_away_under_a_falling_load_matches_closed_form(self, slope, dwell):
        """N falls by 0.5 1/s under a force that holds or grows: it breaks away where F = Fs N, with f = Fs N
        of that moment, not of the last stop; then m v' = F - f, T f' = N (Fk + (Fs - Fk) e^(-v/vs)) - f by
        SciPy."""
        curve = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05, shape=1.0)
        m = ss.Machine(mass=1.0, names=["a"], force={"a": ss.Ramp(slope=slope, offset=1.2)})
        law = ss.StickSlip(curve, memory=0.05, dwell=dwell)
        m.add_friction("f", on="a", law=law, normal_load=ss.Ramp(slope=-0.5, offset=1.0))
        run = ss.simulate(m, 1.0, rtol=1e-10)
        start = 0.3 / (0.75 + slope)
        assert [(e.time, e.after) for e in run.events] == [
            (pytest.approx(start, abs=1e-14), ss.Mode.SLIP_FORWARD)
        ]

        def rates(t, y):
            level = (1.0 - 0.5 * t) * (1.0 + 0.5 * np.exp(-y[0] / 0.05))
            return [1.2 + slope * t - y[1], (level - y[1]) / 0.05]

        y = solve_ivp(rates, (start, 1.0), [0.0, 1.5 * (1.0 - 0.5 * start)], "DOP853", rtol=1e-12, atol=1e-14)
        end = [run["a.velocity"][-1], run["f.lagged_force"][-1]]
        assert end == pytest.approx(list(y.y[:, -1]), rel=1e-7)

    @pytest.mark.parametrize("push", [-1.8, -1.6, -1.4])
    def test_reversal_sets_off_a_neighbour(self, push):
        """M = [[1, 1/2], [1/2, 1]]: a is thrown against -2 N and turns round under 1 N of lagged friction, so its
        acceleration jumps from -3 to -1; b, which held push + 3/2, has to hold push + 1/2, and can hold 1 N."""
        one = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=1.0), memory=0.05)
        m = ss.Machine(mass=[[1.0, 0.5], [0.5, 1.0]], names=["a", "b"], force={"a": -2.0, "b": push})
        m.add_friction("under a", on="a", law=one)
        m.add_friction("under b", on="b", law=ss.Coulomb(static=1.0, kinetic=0.8))
        run = ss.simulate(m, 0.1, initial={"a.velocity": 0.1})
        t = pytest.approx(0.1 / 3.0, abs=1e-14)
        expected = [("under a", t, ss.Mode.SLIP_BACKWARD)]
        leaves = push + 0.5 < -1.0
        if leaves:
            expected.append(("under b", t, ss.Mode.SLIP_BACKWARD))
        assert [(e.element, e.time, e.after) for e in run.events] == expected
        force = [-1.0, push + 0.8] if leaves else [-1.0, 0.0]
        a = np.linalg.solve([[1.0, 0.5], [0.5, 1.0]], force) if leaves else np.array(force)
        after = run.at(0.05)
        assert [after["a.acceleration"][0], after["b.acceleration"][0]] == pytest.approx(list(a), rel=1e-12)

    def test_surface_jump_after_a_load_decrease_starts_slip(self):
        """The load halves in stick; then the surface leaves, and pulls with the level of that moment: 1.5 N,
        which the ground's 2 N hold, not the 3 N of the start."""
        curve = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.05, shape=1.0)
        m = ss.Machine(mass=1.0, names=["a"])
        load = ss.Piecewise([0.0, 0.5], [2.0, 1.0])
        belt = ss.Step(1.0, start=1.0)
        law = ss.StickSlip(curve, memory=0.05)
        m.add_friction("belt", on="a", law=law, normal_load=load, surface_velocity=belt)
        m.add_friction("ground", on="a", law=ss.Coulomb(static=2.0, kinetic=0.5))
        run = ss.simulate(m, 2.0, rtol=1e-10)
        assert [(e.element, e.time, e.after) for e in run.events] == [("belt", 1.0, ss.Mode.SLIP_BACKWARD)]
        t = np.linspace(1.0, 2.0, 21)
        curve_end = 1.0 + 0.5 * np.exp(-20.0)
        expected = curve_end + (1.5 - curve_end) * np.exp(-(t - 1.0) / 0.05)
        assert run.at(t)["ground.force"] == pytest.approx(expected, rel=1e-8)

    def test_short_lag_converges_to_no_lag(self):
        """T_fr to zero: the events of the plain curve, with a difference proportional to T_fr."""
        off = []
        base = ss.simulate(pulled_spring(), 6.0, rtol=1e-11)
        for lag in (1e-4, 5e-5):
            run = ss.simulate(pulled_spring(dataclasses.replace(memory.LAG, lag=lag)), 6.0, rtol=1e-11)
            off.append(compare(run.events, [(e.time, str(e.after)) for e in base.events]))
        assert off[0] < 2e-3
        assert off[0] / off[1] == pytest.approx(2.0, abs=0.7)


class TestDwell:
    @pytest.mark.parametrize("dwell", [1e-4, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e4])
    @pytest.mark.parametrize("speed", [5e-4, 5e-6])
    def test_break_away_time_solves_a_quadratic(self, dwell, speed):
        """c vd (t_s + tau) - c x = f_sa + (Fs - f_sa) tau/(tau + Td), for every stick of a run."""
        p = dataclasses.replace(memory.DWELL, dwell=dwell, drive_velocity=speed)
        run = ss.simulate(pulled_spring(p), 4.0 * p.static / (p.stiffness * speed), rtol=1e-9)
        sticks = [(a, b) for a, b in itertools.pairwise(run.events) if a.after == ss.Mode.STICK]
        assert len(sticks) >= 2
        for begin, end in sticks:
            entry = run.at(begin.time)
            force = p.stiffness * (speed * begin.time - entry["mass.position"][0])
            tau = memory.dwell_break_away(p, force, entry["guide.limit"][0])
            assert end.time - begin.time == pytest.approx(tau, abs=1e-10, rel=1e-12)

    def test_limit_in_stick_grows_with_dwell_time(self):
        """The limit rises from f_sa as t/(t + Td); the peak of the curve afterwards is the level reached."""
        p = memory.DWELL
        run = ss.simulate(pulled_spring(p), 6.0, rtol=1e-11)
        begin, end = run.events[1].time, run.events[2].time
        t = np.linspace(begin, end, 50)[:-1]
        there = run.at(t)
        entry = there["guide.limit"][0]
        assert entry == pytest.approx(run.at(np.nextafter(begin, 0.0))["guide.lagged_force"][0], abs=1e-11)
        expected = entry + (p.static - entry) * (t - begin) / (t - begin + p.dwell)
        assert there["guide.limit"] == pytest.approx(expected, abs=1e-14)
        after = run.at(end)
        peak = entry + (p.static - entry) * (end - begin) / (end - begin + p.dwell)
        assert after["guide.peak"][0] * p.static == pytest.approx(peak, abs=1e-13)
        assert after["guide.lagged_force"][0] == pytest.approx(peak, abs=1e-13)

    def test_start_is_fully_aged(self):
        assert ss.simulate(pulled_spring(memory.DWELL), 3.0).events[0].time == pytest.approx(2.0, abs=1e-12)

    def test_without_memory_nothing_changes(self):
        with pytest.warns(UserWarning, match="dwell has no effect without memory"):
            machine = pulled_spring(dataclasses.replace(memory.BASE, dwell=1.0))
        run, base = (ss.simulate(m, 8.0, rtol=1e-12) for m in (machine, pulled_spring()))
        assert compare(run.events, [(e.time, str(e.after)) for e in base.events]) < 1e-10

    def test_level_keeps_its_share_of_a_changing_load(self):
        """While the load changes in stick, f_sa/fs is kept and both scale."""
        p = memory.DWELL
        times, speeds = steps([(0.2, 5e-3), (2.0, 0.0)])
        load = ss.Piecewise([0.0, 0.5, 1.5, 3.0], [1.0, 1.0, 3.0, 3.0])
        run = prescribed(pulled_law(p), times, speeds, normal_load=load)
        t = np.linspace(0.2, 2.2, 201)
        share = run.at(0.2)["guide.aged"][0]
        assert 0.5 < share < 0.6
        clock = t - 0.2
        expected = (
            (share + (1.0 - share) * clock / (clock + p.dwell))
            * p.static
            * np.interp(t, [0.5, 1.5], [1.0, 3.0])
        )
        assert np.abs(run.at(t)["guide.limit"]) == pytest.approx(expected, rel=1e-12)
