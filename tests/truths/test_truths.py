"""Random machines against independent truths: a share of those that ``python -m truths all --count 500`` takes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import stickslip as ss
from truths import CONTACTS, found
from truths.instants import verdicts
from truths.modes import Problem, Rub

# Once refused: a guard at its limit beside a support that opens, and a clamp that carries nothing beside a wall.
ONCE = {"stops": (247, 254)}
SHARE = 60
BAD = ("wrong", "an answer", "not the only")


@pytest.mark.parametrize("family", CONTACTS)
def test_impacts_and_accelerations_solve_a_set_of_modes(family: str) -> None:
    words: Counter[str] = Counter()
    once = [one for seed in ONCE.get(family, ()) for one in found(family, seed, 1)]
    for seed, told in [*found(family, 0, SHARE), *once]:
        words.update(told)
        wrong = [w for w in told if w.startswith(BAD)]
        assert not wrong, (seed, told)
    assert words["agrees"] >= 0.9 * sum(words.values()), words


def test_chains_from_event_to_event() -> None:
    words: Counter[str] = Counter()
    for seed, told in found("chains", 0, 12):
        words.update(told)
        assert told == ["agrees"] or told[0].startswith("left out"), (seed, told)
    assert words["agrees"] == 12


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("family", CONTACTS)
def test_five_hundred_machines(family: str) -> None:
    for seed, told in found(family, SHARE, 440):
        wrong = [w for w in told if w.startswith(BAD)]
        assert not wrong, (seed, told)


def test_the_truth_knows_two_answers_and_none() -> None:
    """Painlevé: a contact whose force would be pulled into itself (A < 0), by a load onto it and one off it."""
    normal, tangent = np.array([1.0, 0.0]), np.array([-2.0, 1.0])
    for load, count in ((-1.0, 0), (1.0, 2)):
        rub = Rub(tangent, 0.0, (-1,), (-1.0, 1.0), {-1: -1.0}, contact=0)
        problem = Problem(np.eye(2), np.array([load, 0.0]), [normal], [0.0], [rub])
        answers, open_ = problem.solutions()
        assert len(answers) == count and not open_


def test_a_wrong_answer_is_seen() -> None:
    """The truth of another machine does not explain a run."""

    def ball(restitution: float) -> ss.Machine:
        m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
        m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=restitution)
        return m

    initial = {"y.position": 0.1, "x.velocity": 1.0}
    run = ss.simulate(ball(0.5), 0.2, initial=initial)
    assert verdicts(run, initial, 5) == ["agrees"] * 2
    assert verdicts(run, initial, 5, ball(0.6)) == ["agrees", "wrong impact"]
