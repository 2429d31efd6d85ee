"""Hunting of a servo under PID with friction (Canudas de Wit et al. 1995), continuous and sampled."""

from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.cycles._flow import Flow, Shot

LUGRE = ss.LuGre(
    stiffness=1e5, damping=np.sqrt(1e5), viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3
)
STRIBECK = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3, shape=2.0) + ss.Viscous(0.4)


def servo(law: ss.Law, period: float | None = None, ki: float = 4.0) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"])
    m.add_friction("guide", on="slide", law=law)
    pid = ss.PID(kp=3.0, ki=ki, kd=6.0, period=period)
    m.add_controller(pid, on="slide", reference=ss.Constant(1.0), name="pid")
    return m


# From independent solutions that are all but settled: tests/drives/test_hunting.py.
@pytest.mark.parametrize(
    ("law", "period", "amplitude"), [(LUGRE, 24.4368, 0.063903), (STRIBECK, 23.7256, 0.066923)]
)
def test_hunting_orbit_agrees_with_settled_simulation(law: ss.Law, period: float, amplitude: float) -> None:
    orbit = ss.cycles.periodic_orbit(servo(law), ss.simulate(servo(law), 60.0))
    assert orbit.period == pytest.approx(period, rel=3e-6)
    assert orbit.amplitude("slide.position") == pytest.approx(amplitude, rel=1e-5)
    assert orbit.mean("slide.position") == pytest.approx(1.0, abs=1e-9)
    assert orbit.stable and orbit.multipliers[0] == pytest.approx(1.0, abs=1e-6)


def count_runs(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count runs over a period with derivatives at a narrow tolerance, and without derivatives."""
    count = {"shoot": 0, "closes": 0}
    shoot, closes = Flow.shoot, Flow.closes

    def counted_shoot(self: Flow, *args: Any) -> Shot:
        count["shoot"] += self.noise < 1e-6
        return shoot(self, *args)

    def counted_closes(self: Flow, *args: Any) -> np.ndarray | None:
        count["closes"] += 1
        return closes(self, *args)

    monkeypatch.setattr(Flow, "shoot", counted_shoot)
    monkeypatch.setattr(Flow, "closes", counted_closes)
    return count


def test_hunting_orbit_needs_one_run_with_precise_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with derivatives of LuGre friction costs five without: Newton's method takes those of a coarse run."""
    count = count_runs(monkeypatch)
    ss.cycles.periodic_orbit(servo(LUGRE), ss.simulate(servo(LUGRE), 60.0))
    assert count["shoot"] == 1 and count["closes"] <= 4


def test_orbit_of_hunting_branch_needs_two_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One checks the prediction, one with derivatives closes the orbit and gives its multipliers."""
    orbit = ss.cycles.periodic_orbit(servo(STRIBECK))
    count = count_runs(monkeypatch)
    branch = ss.cycles.follow(orbit, "pid.control.ki", (3.9, 4.1), max_step=0.01)
    orbits = len(branch)
    assert orbits > 20
    assert (
        count["shoot"] <= orbits + 6 and count["closes"] <= orbits + 3
    )  # the start, and shorter first steps


def test_hunting_multiplier_is_contraction_of_transients() -> None:
    """The distance of break-away times from a multiple of the period shrinks by the largest multiplier per period.

    Half the motion is the other half mirrored, so the times of the first direction alone are compared.
    """
    orbit = ss.cycles.periodic_orbit(servo(STRIBECK))
    near = orbit.run.y[:, 0] + np.where(np.array(orbit.run.states) == "slide.position", 1e-3, 0.0)
    run = ss.simulate(servo(STRIBECK), 80.0, initial=near, rtol=1e-12)
    begins = np.array([e.time for e in run.events if e.after == ss.Mode.SLIP_FORWARD])
    lags = np.diff(begins) - orbit.period
    assert lags.size >= 2
    assert lags[1] / lags[0] == pytest.approx(orbit.multipliers[1].real, rel=0.05)


def test_sampled_hunting_locks_to_sampling_pattern() -> None:
    """Every break-away is at a sampling instant, and the state repeats after a whole number of these.

    The period of the continuous controller, 23.7256 s, is no such multiple.
    """
    m = servo(STRIBECK, 0.02)
    orbit = ss.cycles.periodic_orbit(m, ss.simulate(m, 300.0))
    assert orbit.stable
    assert orbit.forcing is not None and orbit.period == pytest.approx(0.02 * orbit.forcing, rel=1e-13)
    leaves = np.array([e.time for e in orbit.events if e.before == ss.Mode.STICK])
    assert leaves.size and leaves / 0.02 == pytest.approx(np.round(leaves / 0.02), abs=1e-9)
    later = ss.simulate(m, orbit.state.t + 3.0 * orbit.period, state=orbit.state)
    assert later.state.x == pytest.approx(orbit.state.x, abs=1e-8)


def test_derivatives_through_break_away_at_sampling_instants_match_differences() -> None:
    """A sampling instant breaks the slide away with an excess of force below that by ki e T = 2e-3 N."""
    flow = Flow(servo(STRIBECK, 0.01), {"rtol": 1e-12})
    state = ss.simulate(servo(STRIBECK, 0.01), 60.005).state

    def after(change: float) -> Shot:
        values = flow.components(state)
        values[0] += change
        return flow.shoot(state, values, state.t, 12.0)

    shot = after(0.0)
    assert shot.reason == "" and len(shot.raw.events[0]) >= 2
    change = (after(1e-8).end - after(-1e-8).end) / 2e-8
    assert shot.monodromy[:, 0] == pytest.approx(change, rel=1e-3, abs=1e-6)


@pytest.mark.slow
def test_hunting_ends_at_fold_and_grows_without_bound_at_limit_of_routh() -> None:
    """The unstable cycle beyond the fold is that of the loop without stick, unstable for ki > kp (kd + viscous) / m."""
    orbit = ss.cycles.periodic_orbit(servo(STRIBECK, ki=20.0))
    branch = ss.cycles.follow(orbit, "pid.control.ki", (19.5, 22.0), max_step=0.5, rtol=1e-10)
    assert [one.name for one in branch.bifurcations] == ["death of stick", "fold"]
    assert branch.ends[0] == "end of the range, 19.5" and branch.ends[1] == "end of the range, 19.5"
    assert branch.stable[0] and not branch.stable[-1] and branch[-1].sticking == ()
    branch = ss.cycles.follow(branch[-1], "pid.control.ki", (19.0, 19.6), max_step=0.1, rtol=1e-10)
    assert branch.ends[0].startswith("the orbit grows without bound")
    assert branch.values.min() == pytest.approx(3.0 * 6.4, abs=2e-3)


@pytest.mark.slow
def test_hunting_is_born_at_integral_gain_zero() -> None:
    """A slip displaces the slide by Δ, whatever the gain; the integral part needs (8 Fs/Δ - 4 kp)/ki for both sticks.

    In stick the error is ±Δ/2, and the integral part changes at the rate ki Δ/2, from -(Fs - kp Δ/2) to Fs - kp Δ/2.
    """
    orbit = ss.cycles.periodic_orbit(servo(STRIBECK, ki=1.0), ss.simulate(servo(STRIBECK, ki=1.0), 200.0))
    branch = ss.cycles.follow(orbit, "pid.control.ki", (1e-3, 1.0), max_step=0.2)
    assert branch.values[0] == 1e-3 and branch.bifurcations == [] and branch.stable.all()
    slip = 2.0 * branch[0].amplitude("slide.position")
    assert branch.periods[0] * 1e-3 == pytest.approx(8.0 * 1.5 / slip - 4.0 * 3.0, rel=1e-3)
    assert slip == pytest.approx(0.5 / 3.0, rel=0.05)  # (Fs - Fk)/kp, less what viscous friction takes
