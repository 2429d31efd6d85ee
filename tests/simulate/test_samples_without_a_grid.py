"""Without dt the samples are the events and a grid that shows the motion; analyses and pictures read the dense form."""

import math
import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip._dense import refined


def belt() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


def worst_line(run: ss.Trajectory, name: str) -> float:
    """How far straight lines through the samples are off, relative to the range."""
    t = np.linspace(run.t[0], run.t[-1], 20_011)
    true = run.at(t)[name]
    return float(np.abs(np.interp(t, run.t, run[name]) - true).max() / np.ptp(true))


def test_samples_hold_every_event_and_follow_the_motion() -> None:
    run = ss.simulate(belt(), t_end=60.0)
    assert np.isin(np.unique(run.events.time), run.t).all()
    assert run.t[0] == 0.0 and run.t[-1] == 60.0 and np.all(np.diff(run.t) > 0.0)
    assert run.t.size < 2000
    for name in ("block.position", "block.velocity"):
        assert worst_line(run, name) < 2e-3


def test_a_stiff_machine_leaves_no_million_samples() -> None:
    """Masses 1e-9 and 1 on 1e3 N/m: 3e5 steps in a second."""
    m = ss.Machine(mass=[1e-9, 1.0], stiffness=np.array([[1e3, -1e3], [-1e3, 1e3]]), names=["small", "large"])
    run = ss.simulate(m, t_end=0.05, initial={"small.position": 1e-3})
    assert run._raw.steps > 10_000
    assert run.t.size <= 20_000


def test_an_oscillation_in_one_step_is_seen() -> None:
    """Exact flows take one step for a thousand periods."""
    m = ss.Machine(mass=1.0, stiffness=(2.0 * math.pi * 10.0) ** 2, names=["q"])
    run = ss.simulate(m, t_end=20.0, initial={"q.position": 1.0})
    assert run["q.position"].max() > 0.998 and run["q.position"].min() < -0.998
    assert worst_line(run, "q.position") < 5e-3


def test_limit_cycle_without_dt() -> None:
    """Closed form: amplitude sqrt(A² + (v0/w)²) about the kinetic level, A = (Fs - Fk)/k = 0.1."""
    found = ss.analysis.limit_cycle(ss.simulate(belt(), t_end=60.0), "block.position")
    omega, step, v0 = math.sqrt(2.0), 0.1, 0.2
    period = 2.0 * step / v0 + 2.0 * (math.pi - math.atan2(omega * step, v0)) / omega
    assert found.found and found.crossings == 1
    assert found.amplitude == pytest.approx(math.hypot(step, v0 / omega), rel=1e-7)
    assert found.period == pytest.approx(period, rel=1e-9)


def test_following_error_without_dt() -> None:
    """Steady state of a PD loop under a sine: |1 - T(jw)|."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.PID(kp=1e4, kd=60.0), on="q", reference=ss.Sine(amplitude=1.0, frequency=2.0))
    run = ss.simulate(m, t_end=10.0)
    s = 2j * math.pi * 2.0
    expected = abs(1.0 - 1e4 / (s**2 + 60.0 * s + 1e4))
    for source in (run, ss.simulate(m, t_end=10.0, dt=0.05)):
        error = ss.analysis.following_error(source, "q.position", "pid.reference", start=5.0)
        assert error.max == pytest.approx(expected, rel=5e-7)
        assert error.rms == pytest.approx(expected / math.sqrt(2.0), rel=1e-4)


def test_settling_without_dt() -> None:
    m = ss.Machine(mass=1.0, stiffness=100.0, damping=4.0, names=["q"], force={"q": 100.0})
    zeta, omega = 0.2, 10.0
    found = ss.analysis.settling(ss.simulate(m, t_end=5.0), "q.position", target=1.0)
    assert found.overshoot == pytest.approx(math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2)), abs=8e-5)
    fine = ss.simulate(m, t_end=5.0, dt=1e-5)
    assert found.time == pytest.approx(ss.analysis.settling(fine.t, fine["q.position"], 1.0).time, rel=5e-5)
    assert omega * zeta * found.time > 3.0


def test_arrays_are_taken_as_they_are() -> None:
    run = ss.simulate(belt(), t_end=10.0, dt=0.5)
    error = ss.analysis.following_error(run, run["block.position"], "block.position")
    assert error.max == 0.0


def test_pictures_show_the_curve_and_both_sides_of_a_jump() -> None:
    ball = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    ball.add_contact("floor", normal={"ball": 1.0}, restitution=0.5)
    run = ss.simulate(ball, t_end=0.6, initial={"ball.position": 1.0}, dt=0.3)
    (line,) = run.plot("ball.velocity", shade=False).get_lines()[:1]
    v, t = line.get_ydata(), line.get_xdata()
    k = int(np.argmax(np.abs(np.diff(v))))
    assert v[k] == pytest.approx(-math.sqrt(2 * 9.81), rel=1e-6)
    assert v[k + 1] == pytest.approx(0.5 * math.sqrt(2 * 9.81), rel=1e-6)
    assert t[k + 1] - t[k] < 1e-8
    axes = ss.plotting.phase_plane(ss.simulate(belt(), t_end=20.0), "block")
    assert max(len(drawn.get_xdata()) for drawn in axes.get_lines()) > 150


def test_runs_are_saved_and_copied_without_looking() -> None:
    run = ss.simulate(belt(), t_end=10.0)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.t, run.t) and np.array_equal(again.y, run.y)


def test_a_corner_is_found_and_jumps_end() -> None:
    read = lambda t: np.array([np.abs(t - 0.3217), np.where(t < 0.5, 0.0, 1.0)])  # noqa: E731
    t = refined(read, np.linspace(0.0, 1.0, 11), 1e-3, 10_000, 1e-6)
    assert t.size < 120
    assert np.diff(t)[np.searchsorted(t, 0.5) - 1] < 1e-5
    few = refined(read, np.linspace(0.0, 1.0, 11), 1e-9, 21, 1e-9)
    assert few.size <= 21
