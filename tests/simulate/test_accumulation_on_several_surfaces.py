"""Slips on several surfaces that follow each other ever faster end at rest, in the limit.

x' = -B sgn x with B = D + S, D diagonal and S skew-symmetric: as long as no entry of x is zero for a while, the sum of
|x_i| falls at the rate sgn(x)' B sgn(x) = trace D, whatever S (Filippov, Differential Equations with Discontinuous
Righthand Sides, 1988, section 12). With two surfaces and |S_12| > D_ii the motion spirals into x = 0, by the factor
(|S_12| - D) / (|S_12| + D) a quarter turn for equal D.
"""

import numpy as np
import pytest

import stickslip as ss


def spiral(diagonal, coupling: float, **others) -> ss.StateSpace:
    n = len(diagonal)
    skew = np.roll(np.eye(n), 1, axis=1) - np.roll(np.eye(n), -1, axis=1) if n > 2 else [[0, 1], [-1, 0]]
    m = ss.StateSpace(A=np.zeros((n, n)), B=np.eye(n), C=np.eye(n))
    B = np.diag(diagonal) - coupling * np.asarray(skew)
    for i in range(n):
        m.add_friction(f"r{i}", law=1.0, velocity=f"y{i}", column=-B[:, i], **others)
    return m


@pytest.mark.parametrize("method", ["auto", "explicit", "stiff"])
@pytest.mark.parametrize("coupling", [3.0, 20.0, 400.0])
def test_spiral_comes_to_rest_at_the_time_of_the_closed_form(coupling: float, method: str) -> None:
    run = ss.simulate(spiral((2.0, 2.0), coupling), 2.0, initial={"x0": 3.0, "x1": 3.0}, method=method)
    assert run.success, run.message
    rest = run.events[-1]
    assert rest.time == pytest.approx((3.0 + 3.0) / (2.0 + 2.0), abs=1e-9)
    assert abs(run["x0"][-1]) < 1e-9 and abs(run["x1"][-1]) < 1e-9
    assert run["r0.mode"][-1] == run["r1.mode"][-1] == ss.Mode.STICK
    # By the factor of a quarter turn, down to rounding of the start.
    factor = (coupling - 2.0) / (coupling + 2.0)
    assert len(run.events) < 2.0 * np.log(1e-13) / np.log(factor) + 10


def test_spiral_with_unequal_surfaces_ends_at_closed_form_time() -> None:
    run = ss.simulate(spiral((1.0, 2.5), 6.0), 2.0, initial={"x0": 3.0, "x1": -2.0})
    assert run.success, run.message
    assert run.events[-1].time == pytest.approx((3.0 + 2.0) / (1.0 + 2.5), abs=1e-9)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-3, 1e6])
def test_spiral_of_any_size_ends_in_few_events(size: float) -> None:
    rest = size / (2.0 + 2.0)
    run = ss.simulate(spiral((2.0, 2.0), 3.0), 2.0 * rest + 1.0, initial={"x0": size, "x1": 0.0})
    assert run.success, run.message
    assert len(run.events) <= 60
    assert abs(run["x0"][-1]) <= 1e-10 * size and abs(run["x1"][-1]) <= 1e-10 * size
    if size > 0.0:
        assert run.events[-1].time == pytest.approx(rest, rel=1e-9)


def test_rest_at_the_end_of_a_spiral_lasts() -> None:
    m = spiral((2.0, 2.0), 3.0)
    run = ss.simulate(m, 1e3, initial={"x0": 3.0, "x1": 3.0})
    assert run.success and run.events[-1].time == pytest.approx(1.5, abs=1e-9)
    assert run.state.x == pytest.approx(np.zeros(2), abs=1e-9)


def test_three_surfaces_come_to_rest() -> None:
    """Sum of |x_i| falls at the rate 3 or faster: what is held takes nothing back, B being positive definite."""
    for coupling in (0.5, 3.0, 30.0):
        run = ss.simulate(spiral((1.0, 1.0, 1.0), coupling), 5.0, initial={"x0": 1.0, "x1": 0.7, "x2": -0.4})
        assert run.success, (coupling, run.message)
        assert run.state.x == pytest.approx(np.zeros(3), abs=1e-9)
        assert len(run.events) < 5_000, coupling
