"""A lagged force that exceeds what stick could hold, after a load that fell while sliding."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import stickslip as ss


def test_reversal_limits_lagged_force_to_the_static_level() -> None:
    """A block slides to a stop while its load falls: f lags at up to N(t - T), above the static level N(t). The spring
    pulls with what lies between: stick cannot hold it, so it turns, with f no higher than that level.
    """
    lag, slope = 0.05, -2.0
    level = ss.Piecewise([0.0, 0.6], [1.5, 0.3])
    m = ss.Machine(mass=1.0, names=["a"], force={"a": -0.95})
    law = ss.StickSlip(ss.Coulomb(1.0), memory=lag)
    m.add_friction("guide", on="a", law=law, normal_load=level)
    turn = []
    for v0 in np.linspace(0.55, 0.75, 21):
        run = ss.simulate(m, 0.5, initial={"a.velocity": v0})
        assert run.success, (v0, run.message)
        first = run.events[0]
        # until then f = N(t) - slope T + ..., the lag of a ramp from its steady start at N(0)
        t = first.time
        lagged = 1.5 + slope * t - slope * lag * (1.0 - np.exp(-t / lag))
        static = 1.5 + slope * t
        if static < 0.95 < lagged:
            assert first.after is ss.Mode.SLIP_BACKWARD
            assert run.at(t)["guide.force"][0] == pytest.approx(-static, abs=1e-9)
            turn.append(v0)
    assert len(turn) > 2


def test_sum_with_automaton_is_refused() -> None:
    """Adding a law to an automaton would drop its options without a word."""
    dry = ss.StickSlip(ss.Coulomb(1.0, 0.8), memory=0.01)
    for terms in ((dry, ss.Viscous(0.1)), (ss.Viscous(0.1), dry)):
        with pytest.raises(ValueError, match=r"cannot be a term of a sum.*StickSlip\(curve \+ other"):
            terms[0] + terms[1]


@pytest.mark.parametrize(
    ("load", "text"),
    [
        ({"a.position": float("nan")}, "factor of 'a.position' = nan is not allowed: it must be finite"),
        ({"a.position": "x"}, "factor of 'a.position' = 'x' is not allowed: it must be a number"),
        ({"a": 1.0}, "load of 'guide' = 'a' is not allowed"),
    ],
)
def test_bad_load_forms_are_refused(load: dict, text: str) -> None:
    """Each factor and name of a load form is checked."""
    m = ss.Machine(mass=1.0, names=["a"])
    with pytest.raises(ValueError, match=text):
        m.add_friction("guide", on="a", law=ss.StickSlip(ss.Coulomb(1.0), load_factor=0.5), load=load)


def test_applied_force_of_a_pair_counts() -> None:
    """The applied force on a coordinate includes what acts between it and another: N = 1 + 0.5 * 3."""
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"])
    m.add_force(("a", "b"), 2.0)
    m.add_force("b", -1.0)
    law = ss.StickSlip(ss.Coulomb(1.0), load_factor=0.5)
    m.add_friction("guide", on="b", law=law, load={"b.applied_force": 1.0})
    assert ss.simulate(m, 0.01)["guide.load"][0] == pytest.approx(2.5, rel=1e-14)


def test_why_stuck_refuses_contacts_without_friction() -> None:
    """A machine without friction is refused, and the error says so."""
    m = ss.Machine(mass=1.0, names=["a"], force={"a": -1.0})
    m.add_contact("wall", normal={"a": 1.0})
    with pytest.raises(ValueError, match="'wall' has no friction"):
        ss.simulate(m, 1.0).why_stuck("wall")


def test_response_follows_the_lag() -> None:
    """Constant deceleration from v0: T f' + f = Fk + d exp(-v/vs) in closed form, and its work by trapezoids."""
    lag, vs = 0.01, 1e-2
    law = ss.StickSlip(
        ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=vs, shape=1.0), memory=lag, load_factor=0.3
    )
    t = np.linspace(0.0, 0.0999, 2001)
    v = 0.1 - t
    run = law.response(t, v)
    top = 0.5 * np.exp(-0.1 / vs)
    force = 1.0 + top * np.exp(t / vs) / (1.0 + lag / vs)
    force += (1.0 + top - force[0]) * np.exp(-t / lag)
    assert np.abs(run.force - force).max() < 1e-14
    assert np.abs(run["lagged_force"] - force).max() < 1e-14
    assert run.work[-1] == pytest.approx(trapezoid(force * v, t), rel=1e-7)


def test_response_in_presliding_is_a_spring() -> None:
    """From rest through x = a t²/2 below the travel: F = k x, work k x²/2; an initial state is refused."""
    law = ss.StickSlip(ss.Coulomb(1.5, 1.0), presliding=ss.Presliding(1e-3))
    run = law.response([0.0, 0.5, 1.0], [0.0, 5e-4, 1e-3], normal_load=2.0)
    x = np.array([0.0, 0.125e-3, 0.5e-3])
    assert run.force == pytest.approx(3000.0 * x, abs=1e-12)
    assert run.work == pytest.approx(1500.0 * x**2, abs=1e-15)
    assert run["presliding"] == pytest.approx(x, abs=1e-16)
    with pytest.raises(ValueError, match="initial"):
        law.response([0.0, 1.0], [0.0, 1.0], initial=[0.0])
