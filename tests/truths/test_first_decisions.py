"""Starts from rest that were once decided wrongly, against all answers in rational arithmetic, and audited."""

from __future__ import annotations

import numpy as np
import pytest
from families.first_decision import AGREES
from families.mixed_orders import Parts, Powers, Row, case

import stickslip as ss

UNIT = [0.0, 1.0]  # t


def _nothing(n: int) -> list[list[float]]:
    return [[0.0] * n for _ in range(n)]


def _spring(n: int, i: int, k: float) -> list[list[float]]:
    """A spring between a coordinate and the next one."""
    matrix = np.zeros((n, n))
    matrix[i : i + 2, i : i + 2] = k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    rows: list[list[float]] = matrix.tolist()
    return rows


def _begins(power: int, size: float = 1.0, offset: float = 0.0) -> Powers:
    return [offset] + [0.0] * (power - 1) + [size]


def pushed_off(a: Powers, b: Powers, kinetic: float = 0.5, wall: bool = False) -> Parts:
    """A body b on friction with the static level 1, and a body a that touches it."""
    p = Parts([2.0, 2.0], _nothing(2), _nothing(2), [a, b])
    p.friction = [Row("guide", [0.0, -1.0], [], 1.0, kinetic)]
    p.contacts = [(Row("end", [1.0, 1.0], []), None)]
    if wall:
        p.contacts.append((Row("wall", [0.0, -1.0], []), None))
    return p


def beside_a_wall(k: float, power: int) -> Parts:
    """With a third body on a spring friction and wall hold b together."""
    p = Parts([2.0] * 3, _spring(3, 1, k), _nothing(3), [[0.0, 1.0, 0.5], _begins(power, 1.0, -1.0), [0.0]])
    p.friction = [Row("guide", [0.0, -1.0, 0.0], [], 1.0, 0.5)]
    p.contacts = [(Row("wall", [0.0, -1.0, 0.0], []), None), (Row("end", [1.0, 1.0, 0.0], []), None)]
    return p


def stack(power: int, k: float) -> Parts:
    """Two bodies on a wall; the upper one is pressed by a force that begins with a power of time: both forces are >= 0."""
    p = Parts([0.5, 1.0], _spring(2, 0, k), _nothing(2), [_begins(power), [1.0]])
    p.contacts = [(Row("upper", [-1.0, 1.0], []), None), (Row("lower", [0.0, -1.0], []), None)]
    return p


def belt_against_guides(level: float) -> Parts:
    """A belt that begins to move and two guides of 0.5 on one body."""
    p = Parts([0.5], _nothing(1), _nothing(1), [[0.0]])
    p.friction = [
        Row("g1", [1.0], [], 0.5, 0.5),
        Row("g2", [1.0], [], 0.5, 0.5),
        Row("belt", [-1.0], UNIT, level, level),
    ]
    return p


def between_friction_and_stop() -> Parts:
    p = Parts([1.0, 1.0, 0.5], _spring(3, 0, 4.0), _nothing(3), [[0.0, -1.0], [0.0, -2.0], [0.0, -1.0]])
    p.friction = [Row("f", [0.0, -1.0, -1.0], UNIT, 0.5, 0.5)]
    p.contacts = [(Row("w", [-1.0, 1.0, -1.0], []), None)]
    return p


def three_on_springs() -> Parts:
    k = (np.array(_spring(3, 0, 1.0)) + np.array(_spring(3, 1, 4.0))).tolist()
    p = Parts([0.5, 1.0, 0.5], k, _nothing(3), [_begins(3, 0.5), _begins(3, -0.5, 1.0), _begins(2, -1.0)])
    p.friction = [Row("e0", [0.0, 0.0, 1.0], [], 1.0, 1.0)]
    p.contacts = [(Row("e1", [-1.0, 1.0, -1.0], []), None), (Row("e2", [0.0, -1.0, 0.0], []), None)]
    return p


def gain_of_zero() -> Parts:
    """N = 4/3 under the kinetic coefficient 3/4; under the static one of 1 no equation gives N."""
    p = Parts([1.0, 0.5], _spring(2, 0, 4.0), _nothing(2), [[-1.0], _begins(3, -2.0)])
    p.contacts = [(Row("c", [1.0, 1.0], []), Row("c", [1.0, 1.0], [0.0, -1.0], 1.0, 0.75))]
    return p


STARTS = {
    "a falling load": pushed_off(UNIT, [-1.0, 1.0]),
    "a falling load beside a wall": pushed_off(UNIT, [-1.0, 1.0], wall=True),
    "a falling load, equal levels": pushed_off(UNIT, [-1.0, 1.0], kinetic=1.0),
    "a falling load, a body that leaves at once": pushed_off([0.125], [-1.0, 1.0]),
    "a falling load, a body that leaves later": pushed_off(_begins(2), [-1.0, 1.0]),
    "a load that falls faster": pushed_off(UNIT, [-1.0, 2.0]),
    "a load that grows": pushed_off(UNIT, [-1.0, -1.0]),
    "a load that is constant": pushed_off(UNIT, [-1.0]),
    "a falling load, a body that rests": pushed_off([0.0], [-1.0, 1.0]),
    "a falling load, a body that presses": pushed_off([0.0, -1.0], [-1.0, 1.0]),
    "a sliding gain of zero": gain_of_zero(),
    "friction and a stop": between_friction_and_stop(),
    "three bodies on springs": three_on_springs(),
    **{f"beside a wall, spring {k:g}, t^{n}": beside_a_wall(k, n) for k in (0.0, 1.0) for n in (1, 2, 3)},
    **{f"a stack, spring {k:g}, t^{n}": stack(n, k) for k in (0.0, 1.0) for n in (1, 2, 3, 4)},
    **{f"a belt of {level:g} against guides": belt_against_guides(level) for level in (0.75, 1.0, 1.25)},
}  # fmt: skip


@pytest.mark.parametrize("name", STARTS)
def test_first_decision_is_an_answer(name: str) -> None:
    one = case(STARTS[name])
    run = ss.simulate(one.machine, one.t_end)
    assert one.truth is not None
    assert one.truth(run) == AGREES, run
    assert run.success, run.message
    assert ss.analysis.audit(run).passed


def test_two_boxes_rest_while_a_weight_is_put_on() -> None:
    """The force between them is the weight that is on, that of the floor adds the lower one's: both are >= 0."""
    for mass in np.random.default_rng(1).uniform(0.2, 5.0, (200, 2)):
        weight = ss.SmoothStep(-9.81 * mass[0], duration=0.1)
        m = ss.Machine(mass=mass, names=["upper", "lower"], force={"lower": -9.81 * mass[1], "upper": weight})
        m.add_contact("boxes", normal={"upper": 1.0, "lower": -1.0})
        m.add_contact("floor", normal={"lower": 1.0})
        run = ss.simulate(m, t_end=0.2)
        assert run.success, (mass, run.message)
        assert np.abs(run.y).max() == 0.0
