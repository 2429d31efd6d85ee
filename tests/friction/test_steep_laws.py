"""Laws without a jump that are steeper about v = 0 than velocities are resolved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from truths.rate_and_state import Slider

import stickslip as ss
from stickslip.laws import FormulaLaw, rate_and_state


def pushed(law: ss.Law) -> ss.Machine:
    m = ss.Machine(1.0, stiffness=10.0, names=["x"], force={"x": ss.Sine(8.0, 0.5)})
    m.add_friction("f", on="x", law=law, normal_load=10.0)
    return m


@pytest.mark.parametrize("width", [1e-12, 1e-20, 1e-60])
def test_steep_curve_moves_as_dry_friction(width: float) -> None:
    t = np.linspace(0.0, 4.0, 81)
    dry = ss.simulate(pushed(ss.Coulomb(0.5)), 4.0, rtol=1e-10, t_eval=t)["x.position"]
    run = ss.simulate(pushed(FormulaLaw(lambda v: 0.5 * ss.tanh(v / width))), 4.0, rtol=1e-10)
    assert run.success
    np.testing.assert_allclose(run.sol(t)[0], dry, rtol=0.0, atol=1e-8 * np.abs(dry).max())
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("width", [1e-15, 1e-40])
def test_steep_tanh_is_refused_by_name(width: float) -> None:
    """The same curve as a `FormulaLaw` runs, and so does `Coulomb`, its limit."""
    run = ss.simulate(pushed(ss.Tanh(0.5, width=width)), 4.0, rtol=1e-9)
    assert run.status == "stalled"
    assert "the friction of 'f' is too steep for double precision" in run.message
    assert "Use a law with a jump at v = 0, such as Coulomb or a FormulaLaw with levels" in run.message


@pytest.mark.parametrize("width", [1e-18, 1e-22, 1e-60])
def test_body_under_more_than_its_friction_moves_at_once(width: float) -> None:
    # From v = 0, where the formula gives no force: m v' = F - N
    m = ss.Machine(2.0, names=["x"], force={"x": 20.0})
    m.add_friction("f", on="x", law=FormulaLaw(lambda v: ss.tanh(v / width)), normal_load=6.0)
    run = ss.simulate(m, 1.0, rtol=1e-10, t_eval=[1e-6, 1e-3, 1.0])
    np.testing.assert_allclose(run["x.velocity"], 7.0 * run.t, rtol=1e-9)
    assert ss.analysis.audit(run).passed


@pytest.mark.parametrize("slip_law", [False, True], ids=["ageing", "slip"])
def test_rate_and_state_under_a_reversing_load_is_the_run_of_scipy(slip_law: bool) -> None:
    s = Slider(
        mass=1.0, stiffness=10.0, damping=0.3, load=10.0, a=0.01, b=0.012, slip_distance=1e-4, f0=0.6, v0=1e-5,
        slip_law=slip_law, amplitude=9.0, frequency=0.5, slope=0.0,
    )  # fmt: skip
    law = rate_and_state(
        0.01, 0.012, 1e-4, reference_velocity=1e-5, evolution="slip" if slip_law else "ageing"
    )
    m = ss.Machine(1.0, stiffness=10.0, damping=0.3, names=["x"], force={"x": ss.Sine(9.0, 0.5)})
    m.add_friction("f", on="x", law=law, normal_load=10.0)
    run = ss.simulate(m, 2.0, rtol=1e-9)
    t = np.linspace(0.0, 2.0, 81)
    truth = s.positions(t)
    np.testing.assert_allclose(run.sol(t)[0], truth, rtol=0.0, atol=1e-6 * np.abs(truth).max())


def test_creeping_surface_carries_the_load() -> None:
    # Below break-away v = 2 V0 exp(-f0/a) sinh(load/(a N)) with a fresh surface: 30 decades within a swing
    law = rate_and_state(0.01, 0.012, 1e-4, evolution="slip")
    m = ss.Machine(1.0, names=["x"], force={"x": ss.Sine(5.0, 0.5)})
    m.add_friction("f", on="x", law=law, normal_load=10.0)
    t = np.array([0.1, 0.4, 0.7, 1.2, 1.9])
    run = ss.simulate(m, 2.0, rtol=1e-9)
    for at, v in zip(t, run.sol(t)[1], strict=True):
        load = 5.0 * math.sin(math.pi * at)
        assert v == pytest.approx(2e-6 * math.exp(-60.0) * math.sinh(load / 0.1), rel=1e-5)


def test_relative_motion_that_numbers_cannot_resolve_ends_at_once() -> None:
    m = ss.Machine([1.0, 2.0], stiffness=[10.0, 0.0], names=["x", "y"], force={"x": ss.Sine(8.0, 0.5)})
    m.add_friction("f", on=("x", "y"), law=rate_and_state(0.01, 0.015, 1e-5), normal_load=10.0)
    run = ss.simulate(m, 4.0, max_time=60.0)
    assert run.status == "stalled" and "friction of 'f' is too steep" in run.message
    assert "a FormulaLaw with levels" in run.message


def test_slope_of_asinh_is_known_where_squares_overflow() -> None:
    # d asinh(c v)/dv = 1/v for c v >> 1
    law = FormulaLaw(lambda v, c: ss.asinh(c * v), parameters={"c": 1e200})
    assert law.linearise(np.array([2.0])).slope[0] == pytest.approx(0.5, rel=1e-14)
