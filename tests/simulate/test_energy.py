"""The energy balance closes: exact flows to 1e-10 of the work done, numerical ones to 1e-8 at rtol 1e-10."""

import numpy as np
import pytest
from reference.belt import PUBLISHED, SECOND

import stickslip as ss


def belt(law, velocity=0.2):
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=law, surface_velocity=velocity)
    return m


@pytest.mark.parametrize("b", [PUBLISHED, SECOND])
def test_energy_of_exact_flow_balances_to_rounding(b):
    m = belt(ss.Coulomb(static=b.static, kinetic=b.kinetic), b.belt_velocity)
    r = ss.simulate(m, t_end=200.0, initial={"block.velocity": b.belt_velocity})
    assert r.energy.residual < 1e-14


def test_energy_terms_match_closed_form():
    # up to t = 2.5 the belt drags the spring: its work v F dt = k x^2/2 all goes into the spring
    m = belt(ss.Coulomb(static=1.0, kinetic=0.8))
    r = ss.simulate(m, t_end=20.0, initial={"block.velocity": 0.2}, dt=0.5)
    e, b = r.energy, PUBLISHED
    state = np.array([b.state(t) for t in r.t])
    assert e.kinetic == pytest.approx(0.5 * state[:, 1] ** 2, abs=1e-14)
    assert e.elastic == pytest.approx(state[:, 0] ** 2, abs=1e-14)
    assert e.surfaces["belt"][5] == pytest.approx(0.25, abs=1e-14)
    assert abs(e.friction["belt"][5]) < 1e-20
    # one slip takes Fc times the sliding path: path = v T - (x_end - x_start)
    slid = b.belt_velocity * b.slip_time - (b.restick_position - b.break_away_position)
    after = r.at([b.first_break_away + b.slip_time + 0.5])
    assert after.energy.friction["belt"][0] == pytest.approx(b.kinetic * slid, rel=1e-12)


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
def test_energy_of_integrated_flow_balances_to_tolerance(shape, method):
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.05, shape=shape, viscous=0.05)
    r = ss.simulate(belt(law), t_end=50.0, initial={"block.velocity": 0.2}, rtol=1e-10, method=method)
    assert r.success and len(r.events) > 10
    assert r.energy.residual < 1e-9


def test_energy_balance_includes_every_kind_of_power():
    m = ss.Machine(
        mass=[1.0, 2.0, 0.5],
        stiffness=[[3.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]],
        damping=[[0.3, -0.1, 0.0], [-0.1, 0.1, 0.0], [0.0, 0.0, 0.05]],
        names=["a", "b", "c"],
        force={"a": ss.Sine(amplitude=2.0, frequency=0.4), "c": ss.SmoothStep(1.5, start=2.0, duration=3.0)},
    )
    m.add_friction(
        "ground",
        on="a",
        law=ss.Coulomb(static=0.5, kinetic=0.4),
        surface_velocity=ss.Sine(amplitude=0.3, frequency=0.2),
    )
    m.add_friction(
        "between",
        on=("b", "c"),
        law=ss.Coulomb(static=0.4, kinetic=0.3),
        normal_load=ss.Sine(amplitude=0.5, frequency=1.0, offset=1.0),
    )
    for method in ("auto", "explicit"):
        r = ss.simulate(m, t_end=30.0, method=method, rtol=1e-10, dt=0.1)
        e = r.energy
        assert len(r.events) > 20 and e.residual < (1e-13 if method == "auto" else 1e-9)
        given = sum(e.drives.values()) + sum(e.surfaces.values()) - e.damping - sum(e.friction.values())
        assert e.kinetic + e.elastic - e.kinetic[0] - e.elastic[0] == pytest.approx(given, abs=1e-8)
        assert all(np.all(np.diff(f) >= -1e-12) for f in e.friction.values())
        assert np.all(np.diff(e.damping) >= -1e-12)
    assert "residual" in repr(e)


def test_wrong_motion_violates_the_energy_balance():
    # the audit itself: the same trajectory judged with another spring does not balance
    r = ss.simulate(
        belt(ss.Coulomb(static=1.0, kinetic=0.8)), t_end=20.0, initial={"block.velocity": 0.2}, dt=0.1
    )
    e = r.energy
    wrong = e.kinetic + 1.01 * e.elastic - e.kinetic[0] - (e.surfaces["belt"] - e.friction["belt"])
    assert np.abs(wrong).max() > 1e-3 * e.surfaces["belt"].max()
