"""Step size control: weights, the PI controller on model errors, restarts, first steps."""

import numpy as np
import pytest

from stickslip._core import numerics as nm


def test_error_norm_is_the_worst_component():
    got = nm.error_norm([1e-6, -3e-9], [1.0, 1e-3], [-2.0, 0.0], [1e-6, 1e-9], 1e-6)
    assert got == pytest.approx(max(1e-6 / (1e-6 + 2e-6), 3e-9 / (1e-9 + 1e-9)), rel=1e-15)
    assert nm.error_norm([np.nan, 0.0], [1.0, 1.0], [1.0, 1.0], [1e-6, 1e-6], 1e-6) == np.inf


def run(error_of, h, steps):
    """Accepted steps of a controller for a model whose error norm is error_of(t) * h**5."""
    control, t, taken, rejected = nm.StepController(), 0.0, [], 0
    while len(taken) < steps:
        accepted, factor = control.next(error_of(t) * h**5)
        if accepted:
            taken.append(h)
            t += h
        else:
            rejected += 1
        h *= factor
    return np.array(taken), rejected


def test_settles_just_below_the_tolerance():
    taken, rejected = run(lambda t: 1e5, 0.09, 40)
    np.testing.assert_allclose(1e5 * taken[-10:] ** 5, 0.5, rtol=0.02)
    assert rejected == 0


@pytest.mark.parametrize("start", [1e-6, 1e3])
def test_a_bad_first_step_is_mended_quickly(start):
    """From a million times too small or ten thousand times too great: a handful of attempts."""
    taken, rejected = run(lambda t: 1e5, start, 16)
    assert rejected <= 6 and taken[-1] > 0.07


def test_follows_a_rough_stretch_with_few_rejections():
    _, rejected = run(lambda t: 1e5 * (1 + 1e4 * np.exp(-((t - 3) ** 2))), 0.05, 300)
    assert rejected <= 10


def test_no_growth_right_after_a_rejection_and_restart_forgets():
    control = nm.StepController()
    assert control.next(50.0)[0] is False
    accepted, factor = control.next(1e-4)
    assert accepted and factor == 1.0
    control.next(50.0)
    control.restart()
    assert control.next(1e-4)[1] > 1.0
    assert control.next(np.inf) == (False, 0.1)


def test_first_step_suits_the_problem():
    """x' = -k x: the step has the size of the time constant times rtol^(1/6), whatever the units of time."""
    for k in (1e-3, 1.0, 1e6):
        h = nm.initial_step(lambda t, x: -k * x, 0.0, np.array([1.0]), 5, [1e-8], 1e-8, 1e9, 0.0)  # noqa: B023
        assert 1e-3 < h * k < 1.0
    assert nm.initial_step(lambda t, x: 0 * x, 0.0, np.array([0.0]), 5, [1e-8], 1e-8, 10.0, 0.0) <= 10.0


def test_hint_of_the_segment_before_is_taken():
    f = lambda t, x: -x  # noqa: E731
    assert nm.initial_step(f, 0.0, np.array([1.0]), 5, [1e-8], 1e-8, 10.0, 0.3) == 0.3
    assert nm.initial_step(f, 0.0, np.array([1.0]), 5, [1e-8], 1e-8, 0.1, 0.3) == 0.1


def test_last_steps_are_fitted():
    assert nm.fit_step(0.9995, 1.0) == 1.0
    assert nm.fit_step(0.7, 1.0) == 0.5
    assert nm.fit_step(0.3, 1.0) == 0.3


def test_rough_logarithm_and_exponential():
    x = np.concatenate([np.geomspace(1e-300, 1e300, 2001), np.linspace(0.5, 4, 801)])
    assert max(abs(nm.rough_log2(v) - np.log2(v)) for v in x) < 0.01
    assert max(abs(nm.rough_exp2(v) / 2.0**v - 1) for v in np.linspace(-900, 900, 4001)) < 0.0035
    assert nm.rough_exp2(np.inf) == 2.0**1000 and nm.rough_exp2(-np.inf) == 2.0**-1000
