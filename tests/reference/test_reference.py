"""The references against themselves: closed forms, one solver against another, stored against new."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from . import belt, load_friction, lugre, memory, rigid_limit, simple, store, two_mass, wedge
from .phases import advance


def times(events):
    return np.array([e[0] for e in events])


def modes(events):
    return [e[1] for e in events]


class TestBelt:
    def test_belt_has_87_events_as_published(self):
        events = belt.PUBLISHED.events(200.0)
        assert len(events) == 87
        assert events[-1][0] == pytest.approx(199.115917032024311, abs=1e-13)

    def test_second_set_repeats_its_cycle(self):
        assert belt.SECOND.first_break_away == 7.5
        assert belt.SECOND.period == pytest.approx(7.61125925410130959, abs=2e-15)

    @pytest.mark.parametrize(
        "case", [belt.PUBLISHED, belt.SECOND, belt.Belt(2.0, 3.0, 0.5, 4.0, 0.9, 0.3, -0.4)]
    )
    def test_slip_time_agrees_with_integration(self, case):
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
    def test_stored_pull_agrees_with_another_solver(self):
        stored = store.load("lugre_pull")
        states, reversals = lugre.pull(stored["t"], "bdf", 1e-12)
        assert np.max(np.abs(states[:, 0] - np.array(stored["states"])[:, 0])) < 5e-10
        assert len(reversals) == len(stored["reversals"])

    def test_stored_pull_is_reproduced(self):
        stored = store.load("lugre_pull")
        states, _ = lugre.pull(stored["t"][:1])
        assert np.max(np.abs(states[0] - np.array(stored["states"])[0])) < 1e-13

    def test_stored_hunting_agrees_with_another_solver(self):
        stored = store.load("lugre_hunting")
        states, reversals = lugre.hunting(stored["t"], "bdf", 1e-12)
        assert np.max(np.abs(states[:, 0] - np.array(stored["states"])[:, 0])) < 2e-10
        assert len(reversals) == len(stored["reversals"])

    def test_steady_sliding_matches_the_curve(self):
        z = (1.0 + 0.5 * math.exp(-0.25)) / 1e5
        assert lugre.TABLE_I.force(5e-4, z, 1.0) == pytest.approx(
            (1.0 + 0.5 * math.exp(-0.25) + 2e-4, 0.0), abs=1e-15
        )


class TestAutomaton:
    @pytest.mark.parametrize(("solver", "error"), [("dop853", 1e-12), ("adams", 5e-11)])
    def test_stored_automaton_pull_is_reproduced(self, solver, error):
        stored = store.load("automaton")
        events, _ = rigid_limit.pull(40.0, solver)
        assert modes(events) == modes(stored["pull_events"])
        assert np.max(np.abs(times(events) - times(stored["pull_events"]))) < error
        assert events[0][0] == 7.5

    @pytest.mark.parametrize(("solver", "error"), [("dop853", 3e-12), ("adams", 5e-11)])
    def test_stored_automaton_hunting_is_reproduced(self, solver, error):
        stored = store.load("automaton")
        events, states = rigid_limit.hunting(stored["hunting_t"], solver)
        assert modes(events) == modes(stored["hunting_events"])
        assert np.max(np.abs(times(events) - times(stored["hunting_events"]))) < error
        assert np.max(np.abs(states - stored["hunting_states"])) < error


class TestLoadFriction:
    @pytest.mark.parametrize("peak", [0.05, 0.1, 0.2])
    @pytest.mark.parametrize(("solver", "error"), [("dop853", 5e-12), ("adams", 5e-11)])
    def test_stored_events_are_reproduced(self, peak, solver, error):
        stored = store.load("load_friction")[f"peak_{peak}"]
        events, places, _ = load_friction.run(peak, solver)
        assert modes(events) == modes(stored["events"])
        assert np.max(np.abs(times(events) - times(stored["events"]))) < error
        assert np.max(np.abs(np.array(places) - stored["places"])) < 1e-3 * error

    @pytest.mark.parametrize("peak", [0.05, 0.1, 0.2])
    def test_break_away_lines_and_rest_match_closed_form(self, peak):
        p, kappa = load_friction, 0.625
        stored = store.load("load_friction")[f"peak_{peak}"]
        for (t, mode), x in zip(stored["events"], stored["places"], strict=True):
            force = p.drive(t, peak)
            if mode == "slip+":
                assert force == pytest.approx(p.FS + (1.0 + kappa) * p.C * x, abs=1e-15)
            elif mode == "slip-":
                assert force == pytest.approx((1.0 - kappa) * p.C * x - p.FS, abs=1e-15)
        x, v = stored["state"]
        assert v == 0.0
        assert abs(x) <= p.FS / ((1.0 - kappa) * p.C)

    def test_stored_modes_follow_the_source(self):
        # stick-slip up, one break-away backwards, rest at a positive place: needs more than 0.05 N, where the
        # mass stops at 0.26289 mm, inside the 0.26667 mm that hold at zero drive force
        assert "slip-" not in modes(store.load("load_friction")["peak_0.05"]["events"])
        assert modes(store.load("load_friction")["peak_0.1"]["events"])[-2:] == ["slip-", "stick"]
        assert store.load("load_friction")["peak_0.1"]["state"][0] == pytest.approx(1.5538e-4, abs=1e-8)


class TestMemory:
    @pytest.mark.parametrize("name", list(memory.RUNS))
    @pytest.mark.parametrize(("solver", "error"), [("dop853", 1e-11), ("adams", 1e-10)])
    def test_stored_events_are_reproduced(self, name, solver, error):
        stored = store.load("memory")[name]
        run = memory.run(memory.RUNS[name], 20.0, solver)
        assert modes(run.events) == modes(stored["events"])
        assert np.max(np.abs(times(run.events) - times(stored["events"]))) < error
        assert np.max(np.abs(np.array(run.entry_forces) - stored["entry_forces"])) < 0.01 * error

    def test_stored_runs_show_the_claims_of_the_source(self):
        stored = store.load("memory")
        fs = memory.BASE.static
        assert stored["base"]["entry_forces"] == pytest.approx([fs] * len(stored["base"]["entry_forces"]))
        assert max(stored["lag"]["entry_forces"]) < 0.8 * fs
        assert stored["lag"]["break_away_forces"] == pytest.approx(
            [fs] * len(stored["lag"]["break_away_forces"])
        )
        later = stored["dwell"]["break_away_forces"][1:]
        assert max(later) < 0.93 * fs
        assert all(a > b for a, b in itertools.pairwise(later))
        assert len(stored["dwell"]["events"]) > len(stored["lag"]["events"])

    def test_dwell_limit_is_met(self):
        p = memory.DWELL
        run = memory.run(p, 20.0)
        ends = [t for t, m in run.events if m == "slip+"]
        starts = [t for t, m in run.events if m == "stick"]
        for start, end, entry, limit in zip(
            starts, ends[1:], run.entry_forces, run.break_away_forces[1:], strict=False
        ):
            tau = end - start
            assert limit == pytest.approx(entry + (p.static - entry) * tau / (tau + p.dwell), abs=1e-15)

    def test_lag_matches_closed_form(self):
        p, v0, a, f0 = memory.LAG, 4e-3, 0.05, 0.006
        curve = lambda v: p.kinetic + (p.static - p.kinetic) * math.exp(-v / p.stribeck_velocity)  # noqa: E731
        _, y, _ = advance(
            lambda t, y: [(curve(v0 - a * t) - y[0]) / p.lag],
            0.0,
            [f0],
            v0 / a,
            {},
            solver="dop853",
            atol=1e-17,
        )
        assert memory.lagged_force(v0 / a, p, v0, a, f0) == pytest.approx(y[0], abs=1e-15)

    def test_elastic_stick_matches_closed_form(self):
        # first stick of the presliding run: from rest under a ramp, a linear oscillator
        p = memory.PRESLIDING
        t1 = store.load("memory")["presliding"]["events"][0][0]
        k = p.static / p.travel
        stiff, rate = k + p.stiffness, p.stiffness * p.drive_velocity
        decay = p.surface_damping / (2.0 * p.mass)
        omega = math.sqrt(stiff / p.mass - decay**2)
        # x = (rate/stiff) (t - 2 decay/w0^2) + exp(-decay t) (A cos + B sin), x(0) = v(0) = 0
        lag = p.surface_damping / stiff
        a = rate / stiff * lag
        b = (decay * a - rate / stiff) / omega
        x = rate / stiff * (t1 - lag) + math.exp(-decay * t1) * (
            a * math.cos(omega * t1) + b * math.sin(omega * t1)
        )
        v = rate / stiff + math.exp(-decay * t1) * (
            (b * omega - decay * a) * math.cos(omega * t1) - (a * omega + decay * b) * math.sin(omega * t1)
        )
        assert k * x + p.surface_damping * v == pytest.approx(p.static, abs=1e-14)


class TestTwoMass:
    def test_frictionless_drive_agrees_with_matrix_exponential(self):
        stored = store.load("two_mass")["a"]
        exact = two_mass.exact_without_friction(np.arange(1, 7) * 0.5)
        assert np.max(np.abs(exact - stored["samples"])) < 1e-16
        assert two_mass.exact_worst_without_friction(0.0) == pytest.approx(stored["worst"], abs=1e-16)
        assert two_mass.exact_worst_without_friction(1.0) == pytest.approx(stored["worst_late"], abs=1e-16)

    @pytest.mark.parametrize("case", ["b", "c"])
    @pytest.mark.parametrize(("solver", "error"), [("adams", 1e-11), ("bdf", 2e-10)])
    def test_stored_events_are_reproduced(self, case, solver, error):
        stored = store.load("two_mass")[case]
        run = two_mass.run(case, 3.0, solver)
        assert modes(run.events) == modes(stored["events"])
        assert np.max(np.abs(times(run.events) - times(stored["events"]))) < error
        assert run.stuck == pytest.approx(stored["stuck"], abs=error)
        assert np.max(np.abs(run.samples - stored["samples"])) < 0.1 * error

    def test_start_of_case_c_agrees_with_explicit_pair(self):
        stored = store.load("two_mass")["c"]
        run = two_mass.run("c", 0.5, "dop853")
        assert np.max(np.abs(times(run.events) - times(stored["events"])[: len(run.events)])) < 1e-13
        assert np.max(np.abs(run.state - stored["samples"][0])) < 1e-16

    def test_stored_errors_equal_the_specification(self):
        stored = store.load("two_mass")
        late = [round(stored[c]["worst_late"] * 1e6, 2) for c in "abc"]
        overall = [round(stored[c]["worst"] * 1e6, 2) for c in "abc"]
        assert late == [2.17, 3.13, 17.12]
        assert overall == [3.19, 4.74, 17.13]
        assert [len(stored[c]["events"]) for c in "abc"] == [0, 13, 39]
        assert [round(100.0 * stored[c]["stuck"], 1) for c in "abc"] == [0.0, 13.8, 47.1]


class TestWedge:
    def test_stored_chatter_is_reproduced(self):
        first, meeting, period = wedge.chatter_period()
        assert first == pytest.approx(wedge.SET_2.stick_limits[1] / 0.01, rel=1e-15)
        assert (first, meeting, period) == pytest.approx(
            (0.0873019237, 0.2869748257, 0.3875416479), abs=6e-11
        )
        events, _, _ = wedge.run(wedge.SET_2, 3.0)
        opens = times([e for e in events if e[1] == "open"])
        assert np.max(np.abs(np.diff(opens) - period)) < 1e-15

    def test_impacts_agree_with_integration(self):
        # flight by DOP853, impulses by the closed forms where compression stops both wedges
        gear, eps = wedge.SET_2, 0.3
        c, s = math.cos(gear.angle), math.sin(gear.angle)
        _, states, hits = wedge.run(gear, math.inf, eps, 10)
        for before, after, hit in zip(states[:-1], states[1:], hits, strict=True):

            def fly(t, q):
                return [
                    q[2],
                    q[3],
                    -gear.load / gear.m1,
                    gear.stiffness * (gear.velocity * t - q[1]) / gear.m2,
                ]

            start = [before.y, before.x, before.vy, before.vx]
            t, q, fired = advance(
                fly,
                before.t,
                start,
                1.0,
                {"meet": lambda _t, q, b=before: c * (q[0] - b.y) + s * (q[1] - b.x)},
                solver="dop853",
                atol=1e-19,
                max_step=0.1 * (after.t - before.t),
            )
            assert fired == "meet"
            assert t == pytest.approx(after.t, abs=1e-13)
            assert q[:2] == pytest.approx([after.y, after.x], abs=1e-17)
            normal, tangential = c * q[2] + s * q[3], s * q[2] - c * q[3]
            assert (normal, tangential) == pytest.approx(hit.approach, abs=1e-14)
            if hit.modes == ("hold stick", "lift stick"):
                v, alpha = math.hypot(normal, tangential), math.atan2(-tangential, -normal)
                assert -math.pi / 4.0 < alpha < math.pi / 2.0
                weight, mixed = gear.m1 * c * c + gear.m2 * s * s, s * c * (gear.m1 - gear.m2)
                other = gear.m1 * s * s + gear.m2 * c * c
                impulses = [
                    v * (weight * math.cos(alpha) + mixed * math.sin(alpha)),
                    v * (mixed * math.cos(alpha) + other * math.sin(alpha)),
                ]
                assert hit.compression == pytest.approx(impulses, rel=1e-10)
                rate = eps * v * (math.cos(alpha) + math.sin(alpha) * mixed / weight)
                assert hit.rates == pytest.approx((rate, 0.0), rel=1e-10, abs=1e-18)
        assert [h.modes[0] for h in hits].count("hold slip+") == 1

    def test_impacts_lose_energy(self):
        gear = wedge.SET_2
        c, s = math.cos(gear.angle), math.sin(gear.angle)
        _, _, hits = wedge.run(gear, math.inf, 0.3, 20)
        for hit in hits:
            energy = []
            for n, t in (hit.approach, hit.rates):
                vy, vx = c * n + s * t, s * n - c * t
                energy.append(0.5 * (gear.m1 * vy**2 + gear.m2 * vx**2))
            assert energy[1] < energy[0]

    def test_heavier_wedge_slips_before_opening(self):
        gear = wedge.SET_2_HEAVY
        events, states, _ = wedge.run(gear, 0.2)
        assert modes(events) == ["slip", "open"]
        assert events[1][0] - events[0][0] == pytest.approx(0.01025, abs=5e-6)
        tan, lead = math.tan(gear.angle), math.tan(gear.rho - gear.angle)

        def rhs(t, y):
            return [y[1], (gear.stiffness * (gear.velocity * t - y[0]) - gear.load * lead) / gear.delta]

        guard = {"open": lambda t, y: gear.load / (gear.m1 * tan) - rhs(t, y)[1]}
        t, y, _ = advance(rhs, events[0][0], [0.0, 0.0], 1.0, guard, solver="dop853", atol=1e-18)
        assert t == pytest.approx(events[1][0], abs=1e-13)
        assert y == pytest.approx([states[1].x, states[1].vx], abs=1e-15)

    def test_set_1_slips_without_impact(self):
        events, _, hits = wedge.run(wedge.SET_1, 3.0)
        assert modes(events) == ["slip", "touch"]
        assert not hits
        assert times(events) == pytest.approx([0.8730192372936931, 2.3382415966387153], abs=1e-15)
        lasting, _, _ = wedge.run(wedge.SET_1_STATIC, 10.0)
        assert set(modes(lasting)) == {"slip", "stick"}


class TestSimple:
    def test_clutch_matches_closed_form(self):
        clutch = simple.Clutch()
        assert clutch.lock_time == pytest.approx(2.0 / 11.0, rel=1e-15)
        assert clutch.lock_speed == pytest.approx(90.0 / 11.0, rel=1e-15)
        assert clutch.heat == pytest.approx(2400.0 / 11.0, rel=1e-15)

    def test_bouncing_ball_matches_closed_form(self):
        ball = simple.Bouncing(restitution=0.7)
        hits = ball.impacts(60)
        for (t0, v0), (t1, v1) in itertools.pairwise(hits):
            assert t1 - t0 == pytest.approx(2.0 * v0 / ball.gravity, abs=1e-15)
            assert v1 == pytest.approx(0.7 * v0, rel=1e-14)
        assert hits[-1][0] == pytest.approx(ball.accumulation, abs=1e-8)

    def test_ball_between_walls_matches_closed_form(self):
        hits = simple.TwoWalls().impacts(4)
        assert [h[0] for h in hits] == pytest.approx([0.75, 2.0, 3.5625, 5.515625], rel=1e-15)
        assert [h[2] for h in hits] == pytest.approx([-0.8, 0.64, -0.512, 0.4096], rel=1e-15)

    @pytest.mark.parametrize("static", [0.3, 0.7])
    def test_incline_matches_closed_form(self, static):
        block = simple.Incline(math.radians(30.0), 0.3, static, 2.0)
        assert block.rests == (static == 0.7)
        up = block.gravity * (0.5 + 0.3 * math.sqrt(0.75))
        assert block.stop == pytest.approx((2.0 / up, 2.0 / up), rel=1e-15)
        x, v = block.state(block.stop[0] + 1.0)
        down = 0.0 if block.rests else block.gravity * (0.5 - 0.3 * math.sqrt(0.75))
        assert (x, v) == pytest.approx((2.0 / up - 0.5 * down, -down), abs=1e-14)
        assert block.state(0.0) == pytest.approx((0.0, 2.0), abs=1e-15)
