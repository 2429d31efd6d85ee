"""Point-to-point moves: limits kept, ends met, and no faster move within the limits."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stickslip.signals import PointToPoint, Trapezoidal

EPS = np.finfo(float).eps
limit = st.floats(1e-3, 1e3)
way = st.one_of(st.floats(1e-6, 1e3), st.floats(-1e3, -1e-6))


def check(move, limits):
    """Continuity up to the last but one order and the limits, on both sides of every breakpoint."""
    breakpoints = move.breakpoints
    T, d = move.duration, abs(move.distance)
    assert breakpoints[0] == move.start and breakpoints[-1] == pytest.approx(move.start + T, rel=4 * EPS)
    assert move(breakpoints[0]) == move.offset and move(breakpoints[-1]) == move.offset + move.distance
    before = np.nextafter(breakpoints, -np.inf)
    # Rounding of time to a last place changes the order-k derivative by the order above times that place.
    spacing = 4 * EPS * (abs(move.start) + T)
    bounds = [d, *limits, 0.0]
    for order in range(len(limits)):
        jump = np.abs(move(breakpoints, order) - move(before, order))
        slack = 40 * EPS * bounds[order] + spacing * bounds[order + 1]
        if order == 0:
            slack += 4 * EPS * abs(move.offset)
        assert np.all(jump <= slack * 10), (order, jump.max(), slack)
    inside = np.unique(
        np.concatenate([breakpoints, before, np.linspace(breakpoints[0], breakpoints[-1], 203)])
    )
    for order, bound in enumerate(limits, start=1):
        slack = 1e-12 * bound + spacing * (limits[order] if order < len(limits) else 0.0)
        assert np.all(np.abs(move(inside, order)) <= bound + slack), order
    speed = move(inside, 1) * np.sign(move.distance)
    assert np.all(speed >= -1e-12 * limits[0] - 10 * spacing * limits[1])
    reached = np.abs(move(inside, 1)).max()
    assert reached == pytest.approx(move.peak_velocity, rel=1e-12, abs=spacing * limits[1])


@given(way, limit, limit, st.sampled_from([0.0, -3.0, 100.0]), st.sampled_from([0.0, 7.0]))
@settings(max_examples=150, deadline=None)
def test_trapezoid_keeps_its_limits(distance, velocity, acceleration, start, offset):
    move = Trapezoidal(distance, velocity, acceleration, start=start, offset=offset)
    check(move, [velocity, acceleration])
    d = abs(distance)
    # Closed form: with cruise if d >= v^2/a.
    expected = (
        d / velocity + velocity / acceleration
        if d * acceleration >= velocity**2
        else 2 * np.sqrt(d / acceleration)
    )
    assert move.duration == pytest.approx(expected, rel=1e-14)
    assert len(move.breakpoints) in (3, 4)


@given(way, limit, limit, limit, st.sampled_from([0.0, -3.0, 100.0]), st.sampled_from([0.0, 7.0]))
@example(1.0, 1.0, 1.0, 1.0, 0.0, 0.0)
@example(2.0, 1.0, 1.0, 1.0, 0.0, 0.0)  # acceleration and velocity reached for an instant only
@example(2.0, 10.0, 1.0, 1.0, 0.0, 0.0)  # limit of acceleration just reached
@example(4.0, 1.0, 2.0, 1.0, 0.0, 0.0)
@settings(max_examples=300, deadline=None)
def test_third_order_move_keeps_its_limits(distance, velocity, acceleration, jerk, start, offset):
    move = PointToPoint(distance, velocity, acceleration, jerk, start=start, offset=offset)
    check(move, [velocity, acceleration, jerk])


@given(way, limit, limit, limit)
@settings(max_examples=200, deadline=None)
def test_third_order_move_is_time_optimal(distance, velocity, acceleration, jerk):
    """At every instant exactly one of jerk, acceleration and velocity is at its limit (maximum
    principle).
    """
    move = PointToPoint(distance, velocity, acceleration, jerk)
    breakpoints = move.breakpoints
    middle = 0.5 * (breakpoints[1:] + breakpoints[:-1])
    for t in middle:
        j, a, v = (abs(move(t, k)) for k in (3, 2, 1))
        active = [
            j == pytest.approx(jerk, rel=1e-12),
            j == 0.0 and a == pytest.approx(acceleration, rel=1e-12),
            j == 0.0 and a == 0.0 and v == pytest.approx(velocity, rel=1e-9),
        ]
        assert sum(active) == 1, (t, j, a, v)
    # Signs of the jerk are + - - + with zeros between; the whole is point-symmetric in position.
    signs = np.sign(distance) * np.sign(move(middle, 3))
    assert list(signs[signs != 0]) in ([1, -1, -1, 1], [1, -1, 1])
    s = np.linspace(0.0, move.duration, 51)
    np.testing.assert_allclose(move(s) + move(move.duration - s), distance, atol=1e-10 * abs(distance))


@pytest.mark.parametrize(
    ("arguments", "lengths"),
    [
        # d, v, a, j -> lengths of the segments, worked out by hand
        ((10.0, 2.0, 2.0, 4.0), [0.5, 0.5, 0.5, 3.5, 0.5, 0.5, 0.5]),  # all seven
        ((10.0, 1.0, 2.0, 1.0), [1.0, 1.0, 8.0, 1.0, 1.0]),  # a not reached: v j < a^2
        ((3.0, 5.0, 2.0, 4.0), [0.5, 0.5, 1.0, 0.5, 0.5]),  # v not reached: V^2/a + V a/j = d -> V = 2
        ((2.0, 100.0, 100.0, 1.0), [1.0, 2.0, 1.0]),  # neither: pure jerk
        ((2.0, 1.0, 1.0, 1.0), [1.0, 2.0, 1.0]),  # every limit touched for an instant
        ((3.0, 1.0, 1.0, 1.0), [1.0, 1.0, 1.0, 1.0, 1.0]),  # a touched, then cruise
    ],
)
def test_segments_match_hand_calculation(arguments, lengths):
    d, v, a, j = arguments
    move = PointToPoint(d, v, a, j)
    np.testing.assert_allclose(np.diff(move.breakpoints), lengths, rtol=1e-14)
    assert move.duration == pytest.approx(sum(lengths), rel=1e-14)


def test_limit_of_infinite_jerk_is_the_trapezoid():
    t = np.linspace(-1.0, 6.0, 71)
    sharp = PointToPoint(3.0, 1.0, 0.8, 1e9)
    np.testing.assert_allclose(sharp(t), Trapezoidal(3.0, 1.0, 0.8)(t), atol=2e-9)


def test_zero_distance_has_no_move():
    for move in (PointToPoint(0.0, 1.0, 1.0, 1.0, offset=2.0), Trapezoidal(0.0, 1.0, 1.0, offset=2.0)):
        assert move.is_constant and move(3.0) == 2.0 and move.duration == 0.0 and len(move.breakpoints) == 0


def test_a_move_shorter_than_the_resolution_of_time_is_a_step():
    move = PointToPoint(1e-20, 1.0, 1.0, 1e3, start=1e6)
    np.testing.assert_array_equal(move([1e6 - 1, 1e6 + 1]), [0.0, 1e-20])
