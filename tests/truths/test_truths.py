"""Random machines against independent truths: a share of those that ``python -m truths all --count 500`` takes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import stickslip as ss
from truths import CONTACTS, LEFT, TRUTHS, found, moreau, phase_by_phase
from truths.instants import verdicts
from truths.modes import Problem, Rub

# Once refused: a guard at its limit beside a support that opens, and a clamp that carries nothing beside a wall.
ONCE = {"stops": (247, 254)}
SHARE, STEPPED = 30, 8
BAD = ("wrong", "an answer", "not the only")


@pytest.mark.parametrize("family", CONTACTS)
def test_impacts_and_accelerations_solve_a_set_of_modes(family: str) -> None:
    words: Counter[str] = Counter()
    once = [one for seed in ONCE.get(family, ()) for one in found("instants", family, seed, 1)]
    for seed, told in [*found("instants", family, 0, SHARE), *once]:
        words.update(told)
        wrong = [w for w in told if w.startswith(BAD)]
        assert not wrong, (seed, told)
    assert words["agrees"] >= 0.9 * sum(words.values()), words


@pytest.mark.parametrize(("family", "count"), [("chains", 8), ("drives", 3), ("springs", 4)])
def test_runs_agree_with_independent_solution_event_by_event(family: str, count: int) -> None:
    words: Counter[str] = Counter()
    for seed, told in found("events", family, 0, count):
        words.update(told)
        assert told == ["agrees"] or told[0].startswith(LEFT), (seed, told)
    assert words["agrees"] == count


@pytest.mark.parametrize("seed", [11, 19])
def test_springs_starting_on_a_corner_agree_with_truth(seed: int) -> None:
    """Their rest is zero at the start: which line they take, and whether they touch, is where they turn to."""
    assert [told for _, told in found("events", "springs", seed, 1)] == [["agrees"]]


def test_events_include_a_mass_thrown_back_by_a_spring() -> None:
    """A body approaches from 0.1 m with 1 m/s, and is 0.1 m away and as fast again after half a period of contact."""
    m = ss.Machine(mass=[2.0], names=["x"])
    m.add_spring("stop", on="x", stiffness=200.0, one_sided=True)
    times = np.array([0.1 + 0.05 * np.pi, 0.2 + 0.1 * np.pi])
    motion, _ = phase_by_phase.run(m, times, {"x.position": 0.1, "x.velocity": -1.0})
    assert np.abs(motion - [[-0.1, 0.0], [0.1, 1.0]]).max() < 1e-13


def _held(limits: float | None, anti_windup: str | None = "clamping") -> ss.Machine:
    m = ss.Machine(mass=[1.0], names=["x"])
    pid = ss.PID(kp=4.0, ki=2.0, kd=3.0, limits=limits, anti_windup=anti_windup)
    m.add_controller(pid, on="x", reference=ss.SmoothStep(5.0, start=0.1, duration=0.5))
    return m


@pytest.mark.parametrize("anti_windup", ["clamping", "back_calculation", None])
def test_events_follow_limits_and_anti_windup(anti_windup: str | None) -> None:
    times = np.linspace(0.5, 8.0, 16)
    ends = {
        other: phase_by_phase.run(_held(2.0, other), times, {})[0]
        for other in ("clamping", "back_calculation", None)
    }
    run = ss.simulate(_held(2.0, anti_windup), 8.0, rtol=1e-10).at(times).y[:2].T
    for other, motion in ends.items():
        off = np.abs(run - motion).max()
        assert off < 1e-10 if other == anti_windup else off > 1e-2, (other, off)


@pytest.mark.parametrize("family", TRUTHS["steps"])
def test_motions_agree_with_refined_time_stepping(family: str) -> None:
    words: Counter[str] = Counter()
    for seed, told in found("steps", family, 0, STEPPED):
        words.update(told)
        assert not told[0].startswith(BAD), (seed, told)
    assert words["agrees"] >= STEPPED - 1, words


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("family", CONTACTS)
def test_five_hundred_machines_agree_with_truths(family: str) -> None:
    """Truths by steps and by SciPy take hours: `python -m truths all --count 500` runs them."""
    for seed, told in found("instants", family, SHARE, 500 - SHARE):
        wrong = [w for w in told if w.startswith(BAD)]
        assert not wrong, (seed, told)


def _ball(restitution: float, impact: str = "newton") -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["y"], force={"y": -10.0})
    m.add_contact("floor", normal={"y": 1.0}, restitution=restitution, impact=impact)
    return m


def test_refined_steps_reproduce_a_bouncing_ball() -> None:
    """Dropped from 0.2 m it lands at 0.2 s with 2 m/s and with e = 1/2 again at 0.4 s and 0.5 s, with 0.5 m/s."""
    end = moreau.run(_ball(0.5), 0.52, {"y.position": 0.2})
    assert end.off(np.array([0.25 * 0.02 - 5.0 * 0.02**2, 0.25 - 10.0 * 0.02])) < 1e-8


def test_refined_steps_detect_another_restitution() -> None:
    run = ss.simulate(_ball(0.6), 0.52, initial={"y.position": 0.2})
    end = moreau.run(_ball(0.5), 0.52, {"y.position": 0.2})
    assert end.off(run.state.x) > 0.1


def test_refined_steps_exclude_cases_without_limit() -> None:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -10.0})
    m.add_contact(
        "floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5, impact="poisson"
    )
    with pytest.raises(moreau.Left, match="Poisson"):
        moreau.run(m, 1.0, {"y.position": 0.1, "x.velocity": 1.0})


@pytest.mark.parametrize(("mu", "several"), [(0.4, False), (0.6, True)])
def test_refined_steps_detect_several_solutions(mu: float, several: bool) -> None:
    """With n = (1, 0), t = (-2, 1) and unit masses A = 1 - 2 mu."""
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
    m.add_contact("floor", normal={"x": 1.0}, tangent={"x": -2.0, "y": 1.0}, friction=mu)
    assert moreau.Stepper(m).several == several


def test_truth_covers_two_solutions_and_none() -> None:
    """Painlevé: a contact whose force would be pulled into itself (A < 0), by a load onto it and one off it."""
    normal, tangent = np.array([1.0, 0.0]), np.array([-2.0, 1.0])
    for load, count in ((-1.0, 0), (1.0, 2)):
        rub = Rub(tangent, 0.0, (-1,), (-1.0, 1.0), {-1: -1.0}, contact=0)
        problem = Problem(np.eye(2), np.array([load, 0.0]), [normal], [0.0], [rub])
        answers, open_ = problem.solutions()
        assert len(answers) == count and not open_


def test_wrong_answer_is_detected() -> None:
    """The truth of another machine does not explain a run."""

    def ball(restitution: float) -> ss.Machine:
        m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
        m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=restitution)
        return m

    initial = {"y.position": 0.1, "x.velocity": 1.0}
    run = ss.simulate(ball(0.5), 0.2, initial=initial)
    assert verdicts(run, initial, 5) == ["agrees"] * 2
    assert verdicts(run, initial, 5, ball(0.6)) == ["agrees", "wrong impact"]
