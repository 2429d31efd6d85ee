"""Load force of the automaton that is a contact's normal force: closed forms, SciPy, the same load as a form."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

PUSHER, PUSHED, STATIC, KINETIC, FACTOR = 2.0, 3.0, 1.2, 0.9, 0.4
PUSH = ss.Piecewise([0, 1, 3, 4], [0.5, 5.0, 5.0, 0.2])
OPTIONS = {
    "base": {},
    "memory": {"memory": ss.Lag(0.02)},
    "dwell": {"memory": ss.Lag(0.02), "dwell": 0.5},
    "presliding": {"presliding": ss.Presliding(travel=1e-4, damping=2.0)},
    "all": {
        "memory": ss.Lag(0.02),
        "dwell": 0.5,
        "presliding": ss.Presliding(travel=1e-4, damping=2.0),
    },
}


def train(**options):
    """Mass a pushes mass b, whose guide is pressed by the same force: friction and contact force are coupled."""
    m = ss.Machine(mass=[PUSHER, PUSHED], names=["a", "b"], force={"a": PUSH})
    m.add_contact("push", normal={"b": 1, "a": -1})
    law = ss.StickSlip(ss.Coulomb(static=STATIC, kinetic=KINETIC), load_factor=FACTOR, **options)
    m.add_friction("guide", on="b", law=law, load="push.normal_force")
    return m


def test_break_away_and_sliding_in_closed_form():
    """At rest lambda = P; sliding F = F_k + nu lambda and lambda = P - m_a (P - F) / (m_a + m_b)."""
    run = ss.simulate(train(), 2.5)
    ratio = FACTOR * STATIC / KINETIC
    breaks = STATIC / (1.0 - ratio)  # P = F_s + kappa P
    assert [e.element for e in run.events] == ["guide"]
    assert run.events[0].time == pytest.approx((breaks - 0.5) / 4.5, abs=1e-13)
    share = PUSHER / (PUSHER + PUSHED)
    force = (KINETIC + FACTOR * 5.0 * (1.0 - share)) / (1.0 - FACTOR * share)
    now = run.at([2.0])
    assert now["guide.force"][0] == pytest.approx(force, rel=1e-14)
    assert now["push.normal_force"][0] == pytest.approx(5.0 - share * (5.0 - force), rel=1e-14)
    assert now["guide.load"][0] == pytest.approx(force / KINETIC, rel=1e-14)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_load_equals_the_contact_force_and_energy_balances(options):
    run = ss.simulate(train(**options), 6.0, dt=0.01)
    assert run.success and len(run.events) >= 1
    expected = 1.0 + FACTOR / KINETIC * run["push.normal_force"]
    np.testing.assert_allclose(run["guide.load"], expected, rtol=1e-14)
    assert np.ptp(run["push.normal_force"]) > 3.0
    assert abs(run.energy.residual) < 1e-12


def test_lag_under_a_contact_force_agrees_with_scipy():
    """T f' + f = F_k + nu lambda, lambda = P - m_a a, while both masses slide."""
    run = ss.simulate(train(memory=ss.Lag(0.02)), 3.0, rtol=1e-10)
    begin = run.events[0].time
    breaks = 0.5 + 4.5 * begin

    def rhs(t, y):
        push = 0.5 + 4.5 * min(t, 1.0)
        a = (push - y[1]) / (PUSHER + PUSHED)
        return [a, (KINETIC + FACTOR * (push - PUSHER * a) - y[1]) / 0.02]

    y = np.array([0.0, breaks])
    for t0, t1 in ((begin, 1.0), (1.0, 2.5)):
        y = solve_ivp(rhs, (t0, t1), y, rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1]
    now = run.at([2.5])
    assert now["b.velocity"][0] == pytest.approx(y[0], rel=1e-11)
    assert now["guide.force"][0] == pytest.approx(y[1], rel=1e-11)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_contact_load_gives_the_same_run_as_a_load_form(options):
    """A block held down on a table by a force: the table's force is that force and its weight."""
    press = ss.Piecewise([0, 2, 4, 6, 8], [1.0, 3.0, 0.5, 4.0, 1.0])
    law = ss.StickSlip(
        ss.Stribeck(static=0.5, kinetic=0.3, stribeck_velocity=0.05, viscous=0.02), load_factor=0.2, **options
    )
    events = []
    for load in ("table.normal_force", {"z.applied_force": -1.0}):
        m = ss.Machine(
            mass=[1.0, 1.0],
            stiffness=[[20.0, 0.0], [0.0, 0.0]],
            names=["x", "z"],
            force={"x": ss.Ramp(slope=2.0), "z": -1.0 * press},
        )
        if isinstance(load, str):
            m.add_contact("table", normal={"z": 1})
        else:
            m.add_friction("table", on="z", law=ss.Coulomb(static=50.0, kinetic=50.0))
        m.add_friction("guide", on="x", law=law, load=load)
        run = ss.simulate(m, 8.0, rtol=1e-11)
        events.append([(e.before, e.after, e.time) for e in run.events if e.element == "guide"])
    assert len(events[0]) > 3
    assert [e[:2] for e in events[0]] == [e[:2] for e in events[1]]
    np.testing.assert_allclose([e[2] for e in events[0]], [e[2] for e in events[1]], atol=1e-9)


def test_start_at_rest_under_load_is_fully_aged():
    """A guide with dwell that carries a force from the start holds its full static level."""
    law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.5), memory=ss.Lag(0.01), dwell=1.0)
    m = ss.Machine(mass=1.0, names=["x"], force={"x": ss.Constant(0.7) + ss.Ramp(slope=0.1)})
    m.add_friction("guide", on="x", law=law)
    run = ss.simulate(m, 4.0)
    assert run.events[0].time == pytest.approx(3.0, abs=1e-12)


class TestBadInput:
    def test_unknown_contact_as_load_is_refused(self):
        m = ss.Machine(mass=1.0, names=["x"])
        law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.5), load_factor=0.5)
        m.add_friction("guide", on="x", law=law, load="wall.normal_force")
        with pytest.raises(ValueError, match=r"load of 'guide': unknown contact 'wall'; known are: none"):
            m.check()

    def test_load_factor_on_a_contact_is_refused(self):
        m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
        law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.5), load_factor=0.5)
        with pytest.raises(ValueError, match=r"load_factor of 'floor' = 0.5 is not allowed"):
            m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=law)

    def test_other_contact_signals_as_load_are_refused(self):
        m = ss.Machine(mass=1.0, names=["x"])
        m.add_contact("wall", normal={"x": 1})
        law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.5), load_factor=0.5)
        with pytest.raises(ValueError, match=r"load of 'guide' = 'wall\.gap'.*'<contact>\.normal_force'"):
            m.add_friction("guide", on="x", law=law, load="wall.gap")


@pytest.mark.parametrize("options", [{"memory": ss.Lag(0.01)}, {"memory": ss.Lag(0.01), "dwell": 0.3}])
def test_lag_starts_with_the_force_held_at_break_away(options):
    """A normal load that falls while the element sticks: F = F_s N(t) at t = 1.26 (1 - 0.2 t), then f = F_s N."""
    law = ss.StickSlip(ss.Stribeck(static=1.26, kinetic=0.4, stribeck_velocity=0.01), **options)
    m = ss.Machine(mass=1.0, names=["x"], force={"x": ss.Ramp(slope=1.0)})
    m.add_friction("guide", on="x", law=law, normal_load=ss.Constant(1.0) + ss.Ramp(slope=-0.2))
    run = ss.simulate(m, 1.5)
    assert run.success
    breaks = 1.26 / 1.252
    assert [e.time for e in run.events] == [pytest.approx(breaks, abs=1e-13)]
    assert run.at([run.events[0].time])["guide.force"][0] == pytest.approx(breaks, rel=1e-13)
