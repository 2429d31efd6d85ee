"""All options together, as descriptions and in runs."""

from __future__ import annotations

import itertools
import pickle
import warnings

import numpy as np
import pytest

import stickslip as ss

CURVE = ss.Stribeck(static=0.01, kinetic=0.005, stribeck_velocity=1e-3, shape=1.0, viscous=0.01)
OPTIONS = {
    "memory": ss.Lag(0.01),
    "dwell": 1.0,
    "presliding": ss.Presliding(travel=5e-5, damping=1.0),
    "load_factor": 0.05,
}
COMBINATIONS = [c for n in range(5) for c in itertools.combinations(OPTIONS, n)]


def build(names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # dwell without memory has no effect, and says so
        return ss.StickSlip(CURVE, **{k: OPTIONS[k] for k in names})


def machine(names):
    """Pulled out for 9 s and let back, so that it slips both ways."""
    force = ss.Piecewise([0.0, 9.0, 16.0], [0.0, 0.045, -0.02])
    m = ss.Machine(mass=0.1, stiffness=10.0, names=["mass"], force={"mass": force})
    load = {"mass.position": 10.0} if "load_factor" in names else None
    m.add_friction("guide", on="mass", law=build(names), load=load)
    return m


@pytest.mark.parametrize("names", COMBINATIONS, ids="+".join)
class TestCombinations:
    def test_all_options_together_keep_the_energy_balance(self, names):
        run = ss.simulate(machine(names), 16.0, rtol=1e-10)
        assert run.success
        modes = {str(e.after) for e in run.events}
        assert modes == {"slip+", "slip-", "stick"}
        assert run.energy.residual < 1e-9
        assert np.all(np.isfinite(run.y))

    def test_resumed_run_is_bitwise_equal(self, names):
        m = machine(names)
        whole = ss.simulate(m, 10.0)
        for t in (1.0, 3.7, 6.283):
            first = ss.simulate(m, t)
            rest = ss.simulate(m, 10.0, state=pickle.loads(pickle.dumps(first.state)))
            assert rest.state == whole.state
            assert list(first.events) + list(rest.events) == list(whole.events)

    def test_descriptions_are_values(self, names):
        law = build(names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            again = pickle.loads(pickle.dumps(law))
        assert again == law and hash(again) == hash(law)
        assert again.automaton is not None
        assert (law == build(())) == (names == ())
        for name in names:
            assert f"{name}=" in repr(law)

    def test_events_agree_at_two_tolerances(self, names):
        """Event times at two tolerances agree: the choice of modes does not hang on the step."""
        tight, loose = (ss.simulate(machine(names), 16.0, rtol=r).events for r in (1e-11, 1e-7))
        assert [(e.before, e.after) for e in tight] == [(e.before, e.after) for e in loose]
        assert max(abs(a.time - b.time) for a, b in zip(tight, loose, strict=True)) < 1e-4


def test_stiff_and_explicit_methods_agree():
    m = machine(tuple(OPTIONS))
    a, b = (ss.simulate(m, 16.0, rtol=1e-9, method=method).events for method in ("explicit", "stiff"))
    assert [e.after for e in a] == [e.after for e in b]
    assert max(abs(x.time - y.time) for x, y in zip(a, b, strict=True)) < 1e-6


class TestBadInput:
    @pytest.mark.parametrize("bad", [-0.01, 0.0, np.nan, np.inf])
    def test_bad_time_constant_is_refused(self, bad):
        with pytest.raises(
            ValueError, match=r"time_constant of memory = .* is not allowed: it must be finite and > 0"
        ):
            ss.Lag(bad)

    def test_negative_lag_is_refused(self):
        with pytest.raises(ValueError, match="time_constant of memory"):
            ss.StickSlip(CURVE, memory=-0.01)

    @pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
    def test_bad_dwell_is_refused(self, bad):
        with pytest.raises(ValueError, match=r"dwell = .* is not allowed"):
            ss.StickSlip(CURVE, memory=0.01, dwell=bad)

    @pytest.mark.parametrize("bad", [0.0, -5e-5, np.nan])
    def test_bad_travel_is_refused(self, bad):
        with pytest.raises(ValueError, match=r"travel of presliding = .* > 0"):
            ss.Presliding(travel=bad)

    def test_negative_surface_damping_is_refused(self):
        with pytest.raises(ValueError, match=r"damping of presliding = -1.0 .* >= 0"):
            ss.Presliding(travel=5e-5, damping=-1.0)

    @pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf])
    def test_bad_load_factor_is_refused(self, bad):
        with pytest.raises(ValueError, match=r"load_factor = .* is not allowed"):
            ss.StickSlip(CURVE, load_factor=bad)

    def test_unknown_coordinate_leaves_the_machine_unchanged(self):
        m = ss.Machine(mass=1.0, names=["mass"])
        law = ss.StickSlip(CURVE, load_factor=0.5)
        with pytest.raises(ValueError, match=r"unknown coordinate 'slide'; known are: 'mass'"):
            m.add_friction("guide", on="mass", law=law, load={"slide.position": 1.0})
        assert m.elements == ()  # nothing was added

    def test_unknown_spring_of_a_load_is_named(self):
        """It may be added after the friction, so the run looks for it."""
        m = ss.Machine(mass=1.0, names=["mass"])
        m.add_friction("guide", on="mass", law=ss.StickSlip(CURVE, load_factor=0.5), load={"mass.force": 1.0})
        with pytest.raises(
            ss.UnknownNameError,
            match=r"load of 'guide': unknown spring or constraint 'mass'; known are: none",
        ):
            ss.simulate(m, 1.0)

    def test_load_factor_without_load_is_refused(self):
        m = ss.Machine(mass=1.0, names=["mass"])
        with pytest.raises(ValueError, match="load of 'guide' is missing"):
            m.add_friction("guide", on="mass", law=ss.StickSlip(CURVE, load_factor=0.5))

    def test_load_factor_on_zero_kinetic_level_is_refused(self):
        m = ss.Machine(mass=1.0, names=["mass"])
        law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.0), load_factor=0.5)
        with pytest.raises(ValueError, match="kinetic level"):
            m.add_friction("guide", on="mass", law=law, load={"mass.position": 1.0})

    @pytest.mark.parametrize(
        "options", [{"memory": 0.01}, {"dwell": 1.0}, {"presliding": ss.Presliding(1e-5)}]
    )
    def test_bristle_law_as_curve_is_refused(self, options):
        bristle = ss.LuGre(
            stiffness=1e5, damping=300.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3
        )
        with pytest.raises(ValueError, match=r"internal states, which carry their own memory and presliding"):
            ss.StickSlip(bristle, **options)

    def test_curve_without_stick_is_refused(self):
        with pytest.raises(ValueError, match="jump at v = 0"):
            ss.StickSlip(ss.Viscous(1.0), memory=0.01)

    def test_automaton_as_curve_is_refused(self):
        with pytest.raises(ValueError, match="curve"):
            ss.StickSlip(ss.StickSlip(CURVE), memory=0.01)

    def test_one_sided_curve_is_refused(self):
        uneven = ss.Table([-1.0, 0.0, 0.0, 1.0], [-2.0, -2.0, 1.0, 1.0])
        m = ss.Machine(mass=1.0, names=["mass"])
        with pytest.raises(ValueError, match="not odd"):
            m.add_friction("guide", on="mass", law=ss.StickSlip(uneven, memory=0.01))

    @pytest.mark.parametrize("options", [{}, {"load_factor": 0.5}, {"presliding": ss.Presliding(1e-5)}])
    def test_dwell_without_memory_warns(self, options):
        with pytest.warns(UserWarning, match="dwell has no effect without memory"):
            ss.StickSlip(CURVE, dwell=1.0, **options)

    def test_dwell_without_memory_on_a_curve_with_gap_does_not_warn(self):
        """Coulomb slides at its kinetic level up to v = 0, so f_sa < fs and dwell counts: no warning."""
        law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.5), dwell=1.0)
        m = ss.Machine(mass=1.0, stiffness=1.0, names=["mass"], force={"mass": ss.Ramp(slope=0.1)})
        m.add_friction("guide", on="mass", law=law)
        run = ss.simulate(m, 30.0)
        begin = next(e for e in run.events if e.after == ss.Mode.STICK)
        # The held force is zero here, so the side of the limit is one of rounding.
        assert abs(run.at(begin.time)["guide.limit"][0]) == pytest.approx(0.5, abs=1e-12)
