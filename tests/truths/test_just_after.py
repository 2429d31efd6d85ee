"""The modes just after an instant against one implicit step, more derivatives, and answers found by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from families.mixed_orders import Parts, Row, parts

from truths.just_after import BACKWARD, FORWARD, HELD, OPEN, Answers, Instant, _stage, answers, one_step

SEEDS = range(60)


def _modes(found: Answers) -> set[tuple[str, ...]]:
    return {a.modes for a in found.found}


def _static(instant: Instant) -> tuple[set[tuple[str, ...]], bool]:
    """Answers with static levels, and whether the motion of a set is left open."""
    beside = Answers()
    return {a.modes for a in _stage(instant, {}, beside)}, beside.continuum


@pytest.mark.parametrize("seed", SEEDS)
def test_one_implicit_step_of_a_microsecond_has_the_same_modes(seed: int) -> None:
    """Its Laplace transform at 1/h is that of the motion, so for small h it has the signs just after the instant."""
    instant = parts(seed).instant()
    modes, open_motion = _static(instant)
    others, others_open = _static(one_step(instant, Fraction(1, 2**20)))
    assert modes == others or open_motion or others_open


def test_derivatives_up_to_order_16_decide_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    decided = [_modes(answers(parts(seed).instant())) for seed in SEEDS]
    monkeypatch.setattr(Instant, "orders", 17)
    assert [_modes(answers(parts(seed).instant())) for seed in SEEDS] == decided


def _pulled(a: list[float], b: list[float], kinetic: float) -> Parts:
    """Two bodies of 2 kg in contact; the second one on friction with the static level 1."""
    none = [[0.0, 0.0], [0.0, 0.0]]
    p = Parts([2.0, 2.0], none, none, [a, b])
    p.friction = [Row("f0", [0.0, -1.0], [], 1.0, kinetic)]
    p.contacts = [(Row("c0", [1.0, 1.0], []), None)]
    return p


@pytest.mark.parametrize("power", [1, 2, 3])
def test_friction_at_its_limit_sticks_while_the_load_falls(power: int) -> None:
    """a = t/2 opens the contact; then |F| = 1 - t^k <= 1 holds the other body."""
    (only,) = answers(_pulled([0.0, 1.0], [-1.0] + [0.0] * (power - 1) + [1.0], 0.5).instant()).found
    assert only.modes == (OPEN, HELD)
    assert [a[:2] for a in only.acceleration] == [[0, Fraction(1, 2)], [0, 0]]


def test_friction_at_its_limit_leaves_where_the_load_grows() -> None:
    """F = -1 - t: it leaves with a static level of 1, slides under 0.5 and pushes the other body, 4 a = 0.5."""
    (only,) = answers(_pulled([0.0], [-1.0, -1.0], 0.5).instant()).found
    assert only.modes[1] == FORWARD and only.rate[1][0] == Fraction(1, 8)


def test_redundant_friction_with_levels_that_add_up_rests() -> None:
    """A belt of level 1 that begins to move, a = t, against two guides of level 0.5: they hold it, and it slips."""
    p = Parts([0.5], [[0.0]], [[0.0]], [[0.0]])
    p.friction = [
        Row("g1", [1.0], [], 0.5, 0.5),
        Row("g2", [1.0], [], 0.5, 0.5),
        Row("belt", [-1.0], [0.0, 1.0], 1.0, 1.0),
    ]
    found = answers(p.instant()).found
    assert {a.modes for a in found} == {(HELD, HELD, BACKWARD)}


def test_wedged_contacts_carry_no_force_without_load() -> None:
    """A body between two walls, with friction on one: a force along it moves it, though preload could hold it."""
    p = Parts([1.0, 1.0], [[0.0] * 2] * 2, [[0.0] * 2] * 2, [[0.0], [1.0]])
    p.contacts = [
        (Row("low", [1.0, 0.0], []), Row("low", [0.0, 1.0], [], 0.5, 0.5)),
        (Row("high", [-1.0, 0.0], []), None),
    ]
    (only,) = {tuple(a[0] for a in answer.acceleration) for answer in answers(p.instant()).found}
    assert only == (0, 1)


def test_zero_sliding_gain_at_the_static_level_slides() -> None:
    """N = 4/3, friction 3/4 N, a = (-2/3, 2/3): with the static level 1 no equation gives N."""
    p = Parts([1.0, 0.5], [[4.0, -4.0], [-4.0, 4.0]], [[0.0] * 2] * 2, [[-1.0], [0.0, 0.0, 0.0, -2.0]])
    p.contacts = [(Row("c", [1.0, 1.0], []), Row("c", [1.0, 1.0], [0.0, -1.0], 1.0, 0.75))]
    assert (Fraction(-2, 3), Fraction(2, 3)) in {
        tuple(a.acceleration[c][0] for c in range(2)) for a in answers(p.instant()).found
    }
