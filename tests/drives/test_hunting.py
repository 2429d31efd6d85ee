"""Servo hunting: a mass under PID with friction (Canudas de Wit et al. 1995).

Kp = 3, Ki = 4, Kv = 6 on the measured velocity, x_d = 1, from rest; friction as in Table I there.
"""

import numpy as np
import pytest
from reference import store

import stickslip as ss

PID = ss.PID(kp=3.0, ki=4.0, kd=6.0)
LUGRE = ss.LuGre(
    stiffness=1e5, damping=np.sqrt(1e5), viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3
)


def servo(law: ss.Law, target: float = 1.0) -> ss.Machine:
    m = ss.Machine(mass=[1.0], names=["slide"])
    m.add_friction("guide", on="slide", law=law, normal_load=1.0)
    m.add_controller(PID, on="slide", reference=ss.Constant(target))
    return m


def stribeck(static: float, kinetic: float = 1.0) -> ss.Law:
    return ss.Stribeck(static=static, kinetic=kinetic, stribeck_velocity=1e-3, shape=2.0) + ss.Viscous(0.4)


def test_lugre_hunting_agrees_with_two_solvers() -> None:
    """States at 10, 20, ... 100 s; collocation and DOP853 agree to 1e-13 (tests/reference/lugre.py)."""
    stored = store.load("lugre_hunting")
    exact = np.array(stored["states"])
    run = ss.simulate(servo(LUGRE), t_end=100.0, t_eval=stored["t"])
    assert np.abs(run["slide.position"] - exact[:, 0]).max() < 3e-7  # reached 8e-8
    fine = ss.simulate(servo(LUGRE), t_end=100.0, t_eval=stored["t"], rtol=1e-11)
    assert np.abs(fine["slide.position"] - exact[:, 0]).max() < 1e-9
    # The engine's integral is Ki times that of 1 - x, in N.
    assert np.abs(fine["pid.z"] + 4.0 * exact[:, 3]).max() < 1e-8
    assert fine.energy.residual < 1e-11


def test_stribeck_hunting_agrees_with_the_rigid_limit() -> None:
    """Every stop and break-away over 100 s (tests/reference/rigid_limit.py)."""
    stored = store.load("automaton")
    run = ss.simulate(servo(stribeck(1.5)), t_end=100.0, t_eval=stored["hunting_t"], rtol=1e-12)
    events = [(t, mode) for t, mode in stored["hunting_events"] if t > 0.0]
    assert [str(e.after) for e in run.events] == [mode for _, mode in events]
    assert [e.time for e in run.events] == pytest.approx([t for t, _ in events], rel=0, abs=1e-8)
    assert run["slide.position"] == pytest.approx(np.array(stored["hunting_states"])[:, 0], rel=0, abs=1e-9)


def test_limit_cycles_of_both_laws_agree_with_reference() -> None:
    """Periods against the last reversals and stops of the independent solutions, which are all but
    settled.
    """
    times = {LUGRE: store.load("lugre_hunting")["reversals"]}
    events = store.load("automaton")["hunting_events"]
    times[stribeck(1.5)] = [t for t, mode in events if mode == "stick"]
    found = []
    for law, stored in times.items():
        run = ss.simulate(servo(law), t_end=300.0, dt=0.01)
        cycle = ss.analysis.limit_cycle(run.t, run["slide.position"])
        assert cycle.found and cycle.mean == pytest.approx(1.0, abs=1e-8)
        assert np.abs(stored[-1] - np.array(stored) - cycle.period).min() < 2e-3
        found.append((cycle.period, cycle.amplitude))
    assert found[0] == pytest.approx((24.4368, 0.063903), rel=2e-5)
    assert found[1] == pytest.approx((23.7256, 0.066923), rel=2e-5)


def test_equal_levels_prevent_hunting() -> None:
    """The integral has to climb over a level that does not fall: each excursion is smaller than the last."""
    run = ss.simulate(servo(stribeck(1.0)), t_end=300.0, dt=0.05)
    error = np.abs(run["pid.error"])
    assert error[run.t > 200.0].max() < 0.02 * error[run.t < 20.0].max() + 1e-3
    hunting = ss.simulate(servo(stribeck(1.5)), t_end=300.0, dt=0.05)
    assert np.abs(hunting["pid.error"])[hunting.t > 200.0].max() > 0.05
