"""`stuck` gives the reason of every stuck element, and whether it will ever break away (closed forms)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from published.automaton import pulled_spring
from reference import memory

import stickslip as ss


def block(force, law=None, **options):
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": force}, **options)
    m.add_friction("guide", on="slide", law=law or ss.Coulomb(static=1.0, kinetic=0.8))
    return m


class TestAnswer:
    def test_force_and_limits_match_a_ramp(self):
        run = ss.simulate(block(ss.Ramp(slope=0.2)), 4.0)
        why = run.why_stuck("guide", 3.0)
        assert (why.element, why.time, why.since) == ("guide", 3.0, 0.0)
        assert why.force == pytest.approx(0.6, abs=1e-15)
        assert why.limit == (-1.0, 1.0)
        assert why.margin == pytest.approx(0.4, abs=1e-15)
        assert not why.permanent

    def test_default_time_is_the_end(self):
        run = ss.simulate(block(-0.25), 4.0)
        assert run.why_stuck("guide") == run.why_stuck("guide", 4.0)
        assert run.why_stuck("guide").margin == pytest.approx(0.75)

    def test_since_is_the_time_of_the_last_stop(self):
        run = ss.simulate(pulled_spring(memory.DWELL), 6.0)
        stop = run.events[1]
        why = run.why_stuck("guide", 3.5)
        assert why.since == stop.time
        p = memory.DWELL
        spring = p.stiffness * (p.drive_velocity * 3.5 - run.at(3.5)["mass.position"][0])
        assert why.force == pytest.approx(spring, abs=1e-14)
        assert why.limit[1] < p.static and why.limit[0] == -why.limit[1]

    def test_repr_is_one_line_and_result_is_frozen(self):
        why = ss.simulate(block(0.6), 1.0).why_stuck("guide")
        assert repr(why) == (
            "'guide' holds 0.6 N within [-1, 1] N at t = 1 s: margin 0.4 N, stuck since t = 0 s, permanently"
        )
        with pytest.raises(dataclasses.FrozenInstanceError):
            why.force = 0.0

    def test_limit_signal_is_nan_in_slip(self):
        run = ss.simulate(block(ss.Ramp(slope=0.2)), 8.0, dt=0.5)
        stuck = run["guide.mode"] == 0
        assert np.array_equal(run["guide.limit"][stuck], np.ones(stuck.sum()))
        assert np.all(np.isnan(run["guide.limit"][~stuck])) and not np.all(stuck)
        assert ss.simulate(block(-0.5), 1.0)["guide.limit"][-1] == -1.0
        assert "guide.limit" in run.signals

    def test_sliding_element_is_refused(self):
        run = ss.simulate(block(ss.Ramp(slope=0.2)), 8.0)
        with pytest.raises(ValueError, match=r"'guide' does not stick at t = 6: its mode is slip\+"):
            run.why_stuck("guide", 6.0)
        with pytest.raises(KeyError, match="unknown element 'rail'; known are: 'guide'"):
            run.why_stuck("rail")
        with pytest.raises(ValueError, match="t must lie within the run"):
            run.why_stuck("guide", 9.0)
        smooth = ss.simulate(block(0.1, law=ss.Tanh(kinetic=1.0, width=0.01)), 1.0)
        with pytest.raises(ValueError, match="does not stick"):
            smooth.why_stuck("guide")


class TestForGood:
    def test_message_names_permanent_stick(self):
        assert (
            ss.simulate(block(0.6), 1.0).message
            == "reached t_end; 'guide' sticks permanently at 60 % of its friction limit"
        )
        assert ss.simulate(block(ss.Ramp(slope=0.2)), 1.0).message == "reached t_end"
        assert ss.simulate(block(2.0), 1.0).message == "reached t_end"

    def test_message_of_many_elements_names_the_one_nearest_to_its_limit(self):
        m = ss.Machine(mass=[1.0] * 32, names=[f"pad{k}" for k in range(32)])
        for k in range(32):
            m.add_force(f"pad{k}", 0.01 * k)
            m.add_friction(f"guide{k}", on=f"pad{k}", law=ss.Coulomb(static=1.0, kinetic=0.8))
        message = ss.simulate(m, 1.0).message
        assert message == (
            "reached t_end; 32 friction elements stick permanently, 'guide31' nearest to its friction limit at 31 %"
        )
        assert "\n" not in message and len(message) < 124

    def test_constant_signals_from_then_on_allow_permanent_stick(self):
        force = ss.Piecewise([0.0, 2.0, 3.0], [0.0, 0.9, 0.5])
        run = ss.simulate(block(force), 5.0)
        assert [run.why_stuck("guide", t).permanent for t in (0.0, 1.0, 2.5, 3.0, 4.0)] == [False] * 3 + [
            True
        ] * 2

    def test_moving_surface_excludes_permanent_stick(self):
        m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
        m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
        run = ss.simulate(m, 1.0, initial={"block.velocity": 0.2})
        assert not run.why_stuck("belt").permanent

    @pytest.mark.parametrize(("share", "safe"), [(0.99, True), (1.01, False)])
    def test_swinging_neighbour_decides_permanent_stick(self, share, safe):
        """An undamped neighbour on a spring c asks for c x0 sin wt: for good if and only if c x0 < Fs. The
        bound by its energy is exact for one coordinate."""
        m = ss.Machine(mass=[1.0, 2.0], stiffness=[[50.0, -50.0], [-50.0, 50.0]], names=["a", "b"])
        m.add_friction("guide", on="a", law=ss.Coulomb(static=1.0, kinetic=0.8))
        run = ss.simulate(m, 0.1, initial={"b.velocity": share / 50.0 * 5.0})
        assert run.why_stuck("guide", 0.01).permanent == safe
        long = ss.simulate(m, 20.0, initial={"b.velocity": share / 50.0 * 5.0})
        assert (len(long.events) == 0) == safe

    def test_pushed_neighbour_excludes_permanent_stick(self):
        m = ss.Machine(
            mass=[1.0, 2.0], stiffness=[[50.0, -50.0], [-50.0, 50.0]], names=["a", "b"], force={"b": 0.6}
        )
        m.add_friction("guide", on="a", law=ss.Coulomb(static=1.0, kinetic=0.8))
        # from rest it swings to twice the force: 1.2 N > 1 N; from equilibrium it stays
        assert not ss.simulate(m, 1e-3).why_stuck("guide").permanent
        assert ss.simulate(m, 1e-3, initial={"b.position": 0.6 / 50.0}).why_stuck("guide").permanent

    def test_free_neighbour_excludes_permanent_stick(self):
        m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
        m.add_friction("guide", on="a", law=ss.Coulomb(static=1.0, kinetic=0.8))
        assert not ss.simulate(m, 1.0, initial={"b.velocity": 1.0}).why_stuck("guide").permanent

    def test_ringing_surface_is_stuck_after_decay(self):
        """A step of 45 % swings below the limit and dies down; one of 70 % breaks loose at once."""
        law = ss.StickSlip(
            ss.Coulomb(static=1.0, kinetic=0.8), presliding=ss.Presliding(travel=1e-3, damping=5.0)
        )
        run = ss.simulate(block(ss.Step(value=0.45, start=0.0), law=law), 3.0)
        assert len(run.events) == 0
        assert run.why_stuck("guide").permanent
        strong = ss.simulate(block(0.7, law=law), 3.0)
        assert strong.events[0].after == ss.Mode.SLIP_FORWARD

    def test_ageing_keeps_permanent_stick(self):
        """Stuck with a young limit above the force: it only grows."""
        force = ss.Piecewise([0.0, 3.0, 3.0], [0.0, 0.015, 0.004])
        p = memory.DWELL
        m = ss.Machine(mass=p.mass, stiffness=p.stiffness, names=["mass"], force={"mass": force})
        law = ss.StickSlip(
            ss.Stribeck(static=p.static, kinetic=p.kinetic, stribeck_velocity=1e-3, shape=1.0),
            memory=p.lag,
            dwell=1.0,
        )
        m.add_friction("guide", on="mass", law=law)
        run = ss.simulate(m, 5.0)
        why = run.why_stuck("guide")
        assert why.limit[1] < p.static
        assert why.permanent
