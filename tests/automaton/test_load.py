"""Friction that grows with a load force (Klotzbach, Henrichfreise eq. 3 - 9, figures 4.6 and 4.7).

The drive force is not printed; the reference states one and its solver agreement (reference/load_friction.py,
2e-12). Limits: with F_l = c x and kappa = nu Fs/Fk, |Fd - c x| <= Fs + kappa c x, derived here."""

from __future__ import annotations

import numpy as np
import pytest
from published.automaton import compare, prescribed, pushed_mass
from reference import load_friction as ref
from reference import memory, store
from scipy.optimize import brentq

import stickslip as ss

KAPPA = ref.NU * ref.FS / ref.FK


@pytest.fixture(scope="module", params=[0.05, 0.1, 0.2])
def case(request):
    peak = request.param
    run = ss.simulate(pushed_mass(peak), 14.0, dt=1e-3, rtol=1e-12)
    return peak, run, store.load("load_friction")[f"peak_{peak}"]


class TestPublishedRun:
    def test_events_agree_with_stored_run(self, case):
        _, run, stored = case
        assert compare(run.events, stored["events"]) < 3e-10
        assert [run.at(e.time)["mass.position"][0] for e in run.events] == pytest.approx(
            stored["places"], abs=1e-12
        )

    def test_end_state_agrees_with_stored_run(self, case):
        _, run, stored = case
        assert run.y[:2, -1] == pytest.approx(stored["state"], abs=1e-13)

    def test_default_tolerance_finds_the_stored_events(self, case):
        peak, _, stored = case
        assert compare(ss.simulate(pushed_mass(peak), 14.0).events, stored["events"]) < 1e-6

    def test_energy_balance_closes(self, case):
        assert case[1].energy.residual < 1e-11

    def test_break_away_loads_match_closed_form(self, case):
        """Upwards at Fd = Fs + (1 + kappa) c x, downwards at Fd = (1 - kappa) c x - Fs."""
        peak, run, _ = case
        for e in run.events:
            if e.before != ss.Mode.STICK:
                continue
            load = ref.C * run.at(e.time)["mass.position"][0]
            up = ref.FS + (1.0 + KAPPA) * load
            down = (1.0 - KAPPA) * load - ref.FS
            line = up if e.after == ss.Mode.SLIP_FORWARD else down
            assert ref.drive(e.time, peak) == pytest.approx(line, abs=1e-11)

    def test_mass_moves_up_in_jerks_and_reverses_once(self):
        run = ss.simulate(pushed_mass(0.1), 14.0, dt=1e-3, rtol=1e-11)
        up = [e for e in run.events if e.time < 5.0 and e.after == ss.Mode.SLIP_FORWARD]
        down = [e for e in run.events if 7.0 < e.time < 12.0]
        assert len(up) > 10
        assert any(e.after == ss.Mode.SLIP_BACKWARD for e in down)
        assert not any(e.after == ss.Mode.SLIP_FORWARD for e in down)
        force = run["guide.force"]
        assert (
            force[run.t < 5.0].min() > -1e-4 and force[(run.t > 10.0)].max() < 0.0
        )  # friction changes its sign

    def test_rest_at_positive_deflection_without_drive(self):
        run = ss.simulate(pushed_mass(0.1), 14.0, rtol=1e-11)
        x = run["mass.position"][-1]
        assert 0.0 < x <= ref.FS / ((1.0 - KAPPA) * ref.C)
        why = run.why_stuck("guide")
        assert why.permanent
        assert why.force == pytest.approx(-ref.C * x, abs=1e-15)
        assert why.margin == pytest.approx(ref.FS - (1.0 - KAPPA) * ref.C * x, abs=1e-14)


class TestQuasiStatic:
    def test_slow_slip_follows_the_kinetic_level(self):
        """Without a Stribeck effect the mass follows a slow ramp on Fd = Fk + (1 + nu) c x + b v, v
        constant."""
        slope = 0.01
        m = pushed_mass(0.0, static=ref.FK, viscous=20.0, force=ss.Ramp(slope=slope))
        run = ss.simulate(m, 10.0, rtol=1e-11)
        v = slope / ((1.0 + ref.NU) * ref.C)
        t = np.linspace(8.0, 10.0, 11)
        x = run.at(t)["mass.position"]
        assert slope * t == pytest.approx(ref.FK + (1.0 + ref.NU) * ref.C * x + 20.0 * v, abs=1e-12)

    @pytest.mark.parametrize(
        ("share", "stays"), [(1e-3, True), (0.5, True), (1.0 - 1e-9, True), (1.0 + 1e-9, False)]
    )
    def test_rest_without_drive_up_to_a_closed_limit(self, share, stays):
        """0 < x <= Fs/((1 - kappa) c) = 0.2667 mm."""
        limit = ref.FS / ((1.0 - KAPPA) * ref.C)
        assert limit == pytest.approx(0.2667e-3, abs=5e-8)
        m = pushed_mass(0.0, force=0.0)
        run = ss.simulate(m, 1.0, initial={"mass.position": share * limit})
        if stays:
            assert len(run.events) == 0
            assert run["mass.position"][-1] == share * limit
            assert "sticks permanently" in run.message
        else:
            assert run["mass.position"][-1] < limit
            assert run.at(0.0)["guide.mode"][0] == ss.Mode.SLIP_BACKWARD

    @pytest.mark.parametrize(
        ("sign", "x"), [(1.0, 1e-4), (-1.0, 1e-4), (1.0, -1e-4), (-1.0, -1e-4), (1.0, 0.0)]
    )
    def test_break_away_forces_differ_by_direction(self, sign, x):
        """|Fd - c x| = Fs + kappa c |x| on either side of x = 0, in either direction."""
        m = pushed_mass(0.0, force=ss.Ramp(slope=sign * 0.01, offset=ref.C * x))
        run = ss.simulate(m, 10.0, initial={"mass.position": x}, max_events=0)
        assert run.events[0].time == pytest.approx((ref.FS + KAPPA * ref.C * abs(x)) / 0.01, abs=1e-12)


class TestSelfLocking:
    @pytest.mark.parametrize("kappa", [1.0, 1.25, 3.0])
    @pytest.mark.parametrize("x", [1e-4, 1e-2, 10.0])
    def test_self_locking_mass_never_returns(self, kappa, x):
        """fs - c x = Fs + (kappa - 1) c x > 0 whatever x: stuck for good, with this margin."""
        m = pushed_mass(0.0, factor=kappa * ref.FK / ref.FS, force=0.0)
        run = ss.simulate(m, 100.0, initial={"mass.position": x})
        assert run.success and len(run.events) == 0
        assert run["mass.position"][-1] == x
        assert "'guide' sticks permanently" in run.message
        why = run.why_stuck("guide")
        assert why.permanent
        assert why.margin == pytest.approx(ref.FS + (kappa - 1.0) * ref.C * x, rel=1e-10)

    def test_pushed_mass_stays_where_it_is_left(self):
        m = pushed_mass(0.1, factor=1.2 * ref.FK / ref.FS)
        run = ss.simulate(m, 14.0)
        assert not any(e.after == ss.Mode.SLIP_BACKWARD for e in run.events)
        assert run.why_stuck("guide").permanent
        assert not run.why_stuck("guide", 6.0).permanent  # the drive force has not gone yet

    def test_load_factor_below_one_lets_the_mass_return(self):
        m = pushed_mass(0.0, factor=0.9 * ref.FK / ref.FS, force=0.0)
        run = ss.simulate(m, 100.0, initial={"mass.position": 2.0 * ref.FS / (0.1 * ref.C)})
        assert run["mass.position"][-1] <= ref.FS / (0.1 * ref.C)


class TestLevels:
    def test_levels_grow_with_load_force(self):
        """fk = Fk + nu |F_l|, fs = Fs + (Fs/Fk) nu |F_l|, viscous unchanged; F_l from position, velocity and
        force."""
        curve = ss.Stribeck(static=0.01, kinetic=0.008, stribeck_velocity=1e-3, shape=1.0, viscous=0.1)
        m = ss.Machine(mass=1e9, names=["a"], force={"a": 3.0})
        m.add_friction(
            "guide",
            on="a",
            law=ss.StickSlip(curve, load_factor=0.5),
            load={"a.position": 2.0, "a.velocity": -5.0, "a.applied_force": 0.25},
        )
        for x, v in ((0.1, 0.0), (0.1, 2e-3), (-3.0, 2e-3), (0.5, -1.0)):
            run = ss.simulate(m, 1e-9, initial=[x, v])
            load = abs(2.0 * x - 5.0 * v + 0.25 * 3.0)
            fk, fs = 0.008 + 0.5 * load, 0.01 + 0.01 / 0.008 * 0.5 * load
            if v == 0.0:
                level = fs  # stuck: 3 N are more than it holds
                assert run["guide.mode"][0] == 1
                assert run["guide.force"][0] == pytest.approx(fs, rel=1e-12)
            else:
                level = (fk + (fs - fk) * np.exp(-abs(v) / 1e-3) + 0.1 * abs(v)) * np.sign(v)
            assert run["guide.force"][0] == pytest.approx(level, rel=1e-12)

    def test_lagged_force_scales_with_the_load(self):
        """The lag sees the levels under load: at constant v, f goes to fk(F_l) + (fs - fk)(F_l)
        exp(-v/vs)."""
        p = memory.LAG
        law = ss.StickSlip(
            ss.Stribeck(static=p.static, kinetic=p.kinetic, stribeck_velocity=1e-3, shape=1.0), memory=0.1
        )
        v = 2e-3
        load = ss.Step(value=3.0, start=0.5, before=1.0)
        run = prescribed(law, [0.0, 1.0], [v, v], normal_load=load)
        level = p.kinetic + (p.static - p.kinetic) * np.exp(-2.0)
        t = np.linspace(0.5, 1.0, 11)
        expected = level * (3.0 - 2.0 * np.exp(-(t - 0.5) / 0.1))
        assert run.at(t)["guide.lagged_force"] == pytest.approx(expected, abs=1e-13)


def test_limit_that_falls_below_the_force_leaves_it_to_the_lag():
    """Force 0.9 - 0.1 s under a load 0.9 - 0.2 s, s = t - 0.5: above the limit at once, but f starts with f' = 0.

    T f' = N - f from f = 0.9 gives f = 0.9 - 0.2 s + 0.2 T (1 - exp(-s/T)); it holds until s/T = 2 (1 -
    exp(-s/T)), s = 1.5936 T. Slip at s = 0 would have to begin against the force.
    """
    lag = 0.1
    m = ss.Machine(mass=1.0, names=["x"], force={"x": ss.Constant(0.95) + ss.Ramp(slope=-0.1)})
    law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=1.0), memory=ss.Lag(lag))
    m.add_friction("guide", on="x", law=law, normal_load=ss.Constant(1.0) + ss.Ramp(slope=-0.2))
    run = ss.simulate(m, 1.0, rtol=1e-12)
    share = brentq(lambda s: s - 2.0 * (1.0 - np.exp(-s)), 1.0, 2.0, xtol=1e-15)
    assert [(str(e.before), str(e.after)) for e in run.events] == [("stick", "slip+")]
    assert run.events[0].time == pytest.approx(0.5 + share * lag, abs=1e-10)
    held = run.at([0.55])
    limit = 0.9 - 0.2 * 0.05 + 0.2 * lag * (1.0 - np.exp(-0.5))
    assert held["guide.limit"][0] == pytest.approx(limit, rel=1e-9)
    assert held["guide.force"][0] == pytest.approx(0.895, rel=1e-14)


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_start_under_a_load_force_of_either_sign(x):
    """|F_l| = 10 N raises the static level from 1 to 6 N: 5 N hold, 7 N move it with 7 - 6 N, at the start."""
    law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=1.0), load_factor=0.5)
    for push, moves in ((5.0, False), (7.0, True)):
        m = ss.Machine(mass=1.0, names=["mass"], force={"mass": push})
        m.add_friction("guide", on="mass", law=law, load={"mass.position": 10.0})
        run = ss.simulate(m, 1e-3, initial={"mass.position": x})
        assert run["guide.mode"][0] == (ss.Mode.SLIP_FORWARD if moves else ss.Mode.STICK)
        assert run["mass.acceleration"][0] == pytest.approx(1.0 if moves else 0.0, abs=1e-14)
        assert run["guide.load"][0] == pytest.approx(6.0, rel=1e-14)
