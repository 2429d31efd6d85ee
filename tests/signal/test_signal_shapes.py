"""Values, derivatives and breakpoints of the shapes against their closed forms."""

import doctest
import pickle

import numpy as np
import pytest

from stickslip import signals
from stickslip.signals import (
    Constant,
    Input,
    Piecewise,
    PointToPoint,
    Ramp,
    Samples,
    Sine,
    SmoothStep,
    Step,
    Trapezoidal,
    as_signal,
)

T = np.linspace(-2.0, 7.0, 91)

EVERY = [
    Constant(2.5),
    Ramp(slope=0.3, start=1.0, offset=-2.0, stop=4.0),
    Ramp(slope=-0.3),
    Step(2.0, start=1.5, before=-1.0),
    Sine(amplitude=2.0, frequency=0.7, phase=0.4, offset=1.0),
    Sine(amplitude=2.0, frequency=0.7, phase=0.4, offset=1.0, start=0.5),
    SmoothStep(3.0, start=0.5, duration=2.5, before=1.0),
    Piecewise([0.0, 1.0, 1.0, 3.0], [1.0, 2.0, -1.0, 4.0]),
    Samples([0.0, 0.7, 1.1, 2.9, 4.0], [1.0, -2.0, 0.5, 3.0, 2.0], kind="linear"),
    Samples([0.0, 0.7, 1.1, 2.9, 4.0], [1.0, -2.0, 0.5, 3.0, 2.0], kind="cubic"),
    Samples([0.0, 0.7, 1.1, 2.9, 4.0], [1.0, -2.0, 0.5, 3.0, 2.0], kind="hold"),
    Input("push", default=0.5),
    Trapezoidal(distance=-2.0, velocity=1.0, acceleration=1.5, start=0.3, offset=0.1),
    PointToPoint(distance=2.0, velocity=1.0, acceleration=1.5, jerk=4.0, start=0.3, offset=0.1),
    Ramp(slope=0.3) + Sine(amplitude=1.0, frequency=0.2) + 4.0,
    -2.0 * (Ramp(slope=0.3) - Step(1.0, start=2.0)),
    (3.0 * Sine(amplitude=1.0, frequency=0.2) + 1.0).derivative(2),
    PointToPoint(distance=2.0, velocity=1.0, acceleration=1.5, jerk=4.0).derivative(),
]
every = pytest.mark.parametrize("signal", EVERY, ids=lambda s: repr(s)[:40])


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (Constant(2.5), np.full_like(T, 2.5)),
        (Ramp(slope=2.0), np.where(T > 0, 2.0 * T, 0.0)),
        (Ramp(slope=0.3, start=1.0, offset=-2.0, stop=4.0), -2.0 + 0.3 * (np.clip(T, 1.0, 4.0) - 1.0)),
        (Step(2.0, start=1.5, before=-1.0), np.where(T >= 1.5, 2.0, -1.0)),
        (Sine(2.0, 0.7, phase=0.4, offset=1.0), 1.0 + 2.0 * np.sin(2 * np.pi * 0.7 * T + 0.4)),
        (
            Sine(2.0, 0.7, phase=0.4, offset=1.0, start=0.5),
            1.0 + 2.0 * np.sin(2 * np.pi * 0.7 * np.maximum(T - 0.5, 0.0) + 0.4),
        ),
        (Sine(2.0, 0.0, phase=np.pi / 2, offset=1.0), np.full_like(T, 3.0)),
        (Input("push", default=0.5), np.full_like(T, 0.5)),
    ],
    ids=repr,
)
def test_values_are_the_closed_form(signal, expected):
    np.testing.assert_allclose(signal(T), expected, rtol=0, atol=2e-14)


def test_smooth_step_is_the_quintic_with_flat_ends():
    s = SmoothStep(3.0, start=0.5, duration=2.5, before=1.0)
    x = np.clip((T - 0.5) / 2.5, 0.0, 1.0)
    np.testing.assert_allclose(s(T), 1.0 + 2.0 * (10 * x**3 - 15 * x**4 + 6 * x**5), atol=3e-15)
    ends = np.array([0.5, 3.0 - 1e-12])
    np.testing.assert_allclose(s(ends, order=1), 0.0, atol=1e-13)
    np.testing.assert_allclose(s(ends, order=2), 0.0, atol=1e-11)
    fine = np.linspace(0.5, 3.0, 200001)
    assert s(fine, 1).max() == pytest.approx(1.875 * 2.0 / 2.5, rel=1e-12)
    assert s(fine, 2).max() == pytest.approx(10 / np.sqrt(3) * 2.0 / 2.5**2, rel=1e-9)


@every
def test_derivatives_are_those_of_the_values(signal):
    """Central differences within a piece: an error of h^2/6 s''' + eps/h."""
    h = 1e-5
    clear = T[np.all(np.abs(T[:, None] - signal.breakpoints[None, :]) > 2 * h, axis=1)]
    for order in range(4):
        slope = (signal(clear + h, order) - signal(clear - h, order)) / (2 * h)
        scale = 1.0 + np.abs(signal(clear, order)).max() + np.abs(signal(clear, order + 1)).max()
        np.testing.assert_allclose(signal(clear, order + 1), slope, atol=5e-10 * scale)


@every
def test_derivative_signal_is_the_derivative(signal):
    for order in range(5):
        expected = signal(T, order)
        tolerance = 1e-14 * (1.0 + np.abs(expected).max())
        np.testing.assert_allclose(signal.derivative(order)(T), expected, atol=tolerance)
    once_more = signal.derivative().derivative()
    np.testing.assert_allclose(once_more(T), signal(T, 2), atol=1e-14 * (1.0 + np.abs(signal(T, 2)).max()))


@every
def test_taylor_series_continues_the_signal_within_its_piece(signal):
    """The series about t reaches the signal at t + d, and its terms are the derivatives over k!."""
    factorial = np.cumprod([1.0, *range(1, 20)])
    for t in T[::7]:
        c = signal.compiled.taylor(t, 20)
        derivatives = [signal(float(t), k) for k in range(20)]
        np.testing.assert_allclose(c, derivatives / factorial, rtol=1e-12, atol=1e-13)
        d = min(0.3, 0.999 * (signal.compiled.next_breakpoint(t) - t))
        assert np.polyval(c[::-1], d) == pytest.approx(signal(t + d), abs=5e-14)


@every
def test_next_breakpoint_lists_all_breakpoints(signal):
    breakpoints = signal.breakpoints
    assert np.all(np.diff(breakpoints) > 0)
    chain, t = [], -np.inf
    while (t := signal.compiled.next_breakpoint(t)) < np.inf:
        chain.append(t)
    np.testing.assert_array_equal(chain, breakpoints)


@every
def test_values_at_a_breakpoint_are_those_from_the_right(signal):
    for b in signal.breakpoints:
        assert signal(b) == pytest.approx(signal(np.nextafter(b, np.inf)), abs=1e-14)


def test_breakpoints_match_the_shape():
    assert list(Ramp(slope=1.0, start=1.0, stop=4.0).breakpoints) == [1.0, 4.0]
    assert list(Step(1.0, start=2.0).breakpoints) == [2.0]
    assert list(SmoothStep(1.0, start=2.0, duration=0.5).breakpoints) == [2.0, 2.5]
    assert list(Sine(1.0, 1.0).breakpoints) == [] and list(Sine(1.0, 1.0, start=3.0).breakpoints) == [3.0]
    both = Ramp(slope=1.0, start=1.0, stop=4.0) + Step(1.0, start=2.0) + Step(1.0, start=4.0)
    assert list(both.breakpoints) == [1.0, 2.0, 4.0]


@every
def test_repr_equality_hash_and_pickle(signal):
    copy = eval(repr(signal), vars(signals))
    assert copy == signal and hash(copy) == hash(signal) and type(copy) is type(signal)
    again = pickle.loads(pickle.dumps(signal))
    assert again == signal and type(again) is type(signal) and repr(again) == repr(signal)
    assert pickle.loads(pickle.dumps(signal.compiled)) == signal.compiled
    assert [s == signal for s in EVERY].count(True) == 1
    assert signal != "a signal"


def test_equal_means_the_same_function():
    assert Step(1.0, start=2.0, before=1.0) == Constant(1.0)
    assert Ramp(slope=1.0) + Ramp(slope=1.0) == 2.0 * Ramp(slope=1.0)
    assert Sine(1.0, 2.0) - Sine(1.0, 2.0) == Constant(0.0)
    assert Piecewise([0.0, 1.0], [0.0, 1.0]) == Ramp(slope=1.0, stop=1.0)
    assert Constant(0.0) == Constant(-0.0) and hash(Constant(0.0)) == hash(Constant(-0.0))
    assert Input("a") != Input("b") and Input("a") != Constant(0.0)
    assert Input("a", default=1.0) - Input("a", default=1.0) == Constant(0.0)


def test_arithmetic_is_pointwise():
    for a in EVERY:
        for b in EVERY[:-2]:
            scale = 1.0 + np.abs(a(T)).max() + np.abs(b(T)).max()
            for order in (0, 1):
                np.testing.assert_allclose(
                    (2.0 * a - b / 4.0)(T, order),
                    2.0 * a(T, order) - b(T, order) / 4.0,
                    atol=2e-14 * scale * 10**order,
                )


def test_numbers_stand_for_signals():
    s = Ramp(slope=2.0)
    for one in (1, 1.0, np.float64(1.0), np.int64(1), np.float32(1.0)):
        assert s + one == one + s == s + Constant(1.0)
        assert one * s == s * one == s
        assert (one - s)(0.5) == 0.0 and (s - one)(0.5) == 0.0
        assert as_signal(one) == Constant(1.0)
    assert as_signal(s) is s
    assert +s is s
    assert (s / 2)(3.0) == 3.0
    assert sum([s, s])(1.0) == 4.0
    assert (s * s)(3.0) == 36.0
    with pytest.raises(TypeError):
        s + "1"


def test_values_have_the_shape_of_the_times():
    s = Sine(1.0, 1.0)
    assert type(s(0.25)) is float and type(s(1)) is float and type(s(np.float64(1))) is float
    assert s(np.array(0.25)) == pytest.approx(1.0)
    assert s([]).shape == (0,)
    assert s(np.zeros((2, 3))).shape == (2, 3)
    assert s(T[::3]).shape == T[::3].shape
    np.testing.assert_array_equal(s(T[::3]), s(T)[::3])


def test_an_input_keeps_its_weight_in_sums():
    s = (3.0 * (Ramp(slope=1.0) - 2.0 * Input("u", default=0.5)) + Input("u", default=0.5)).compiled
    assert (s.input_name, s.input_gain, s.input_default) == ("u", -5.0, 0.5)
    assert s.value(1.0) == 0.5
    assert s.value_with_input(1.0, 0.7) == pytest.approx(3.0 - 5.0 * 0.7, abs=1e-15)
    assert s.differentiate().input_name == ""


def test_is_constant():
    assert Constant(1.0).is_constant and Input("u").is_constant and Step(0.0).is_constant
    assert not Step(1.0).is_constant and not Sine(1.0, 1.0).is_constant
    assert Ramp(slope=1.0, stop=1.0).derivative(2).is_constant


def test_signals_are_values():
    s = Ramp(slope=1.0)
    with pytest.raises(AttributeError):
        s.slope = 2.0
    points = np.array([0.0, 1.0])
    p = Piecewise(points, points)
    points[1] = 5.0
    assert p(1.0) == 1.0
    with pytest.raises(ValueError):
        p.t[0] = 3.0
    assert len({Constant(1.0), Constant(1.0), Constant(2.0)}) == 2


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constant(NAN), r"value = nan .* finite"),
        (lambda: Constant("3"), r"value = '3' .* a number"),
        (lambda: Constant([1.0, 2.0]), r"value = \[1.0, 2.0\] .* a number"),
        (lambda: Constant(None), r"value = None"),
        (lambda: Ramp(slope=INF), r"slope = inf"),
        (lambda: Ramp(slope=1.0, start=2.0, stop=1.0), r"stop = 1 .* no earlier than start = 2"),
        (lambda: Ramp(slope=1.0, stop=NAN), r"stop = nan"),
        (lambda: Step(1.0, start=NAN), r"start = nan"),
        (lambda: Sine(1.0, frequency=-1.0), r"frequency = -1 .* >= 0"),
        (lambda: Sine(NAN, frequency=1.0), r"amplitude = nan"),
        (lambda: SmoothStep(1.0, duration=0.0), r"duration = 0 .* > 0"),
        (lambda: Piecewise([0.0, 2.0, 1.0], [0.0, 0.0, 0.0]), r"t\[2\] = 1 .* no earlier"),
        (lambda: Piecewise([0.0, 1.0, 1.0, 1.0], [0.0] * 4), r"t\[3\] = 1 .* twice"),
        (lambda: Piecewise([0.0, 1.0], [0.0]), r"values has 1 entries, but t has 2"),
        (lambda: Piecewise([], []), r"t is empty"),
        (lambda: Piecewise([0.0, 1.0], [0.0, NAN]), r"values\[1\] = nan"),
        (lambda: Piecewise([[0.0, 1.0]], [0.0, NAN]), r"t has the shape \(1, 2\)"),
        (lambda: Piecewise(["a"], [0.0]), r"t = \['a'\]"),
        (lambda: Samples([0.0, 0.0], [0.0, 1.0]), r"t\[1\] = 0 .* later"),
        (lambda: Samples([0.0], [0.0]), r"at least two samples"),
        (lambda: Samples([0.0, 1.0], [0.0, 1.0], kind="quadratic"), r"kind = 'quadratic'"),
        (lambda: Input(""), r"name is empty"),
        (lambda: Input(3), r"name = 3"),
        (lambda: Input("u", default=INF), r"default = inf"),
        (lambda: Input("u") + Input("w"), r"two inputs, 'u' and 'w'"),
        (lambda: Input("u") + Input("u", default=1.0), r"two different defaults"),
        (lambda: Trapezoidal(1.0, velocity=0.0, acceleration=1.0), r"velocity = 0 .* > 0"),
        (lambda: Trapezoidal(NAN, velocity=1.0, acceleration=1.0), r"distance = nan"),
        (lambda: PointToPoint(1.0, 1.0, -1.0, 1.0), r"acceleration = -1 .* > 0"),
        (lambda: PointToPoint(1.0, 1.0, 1.0, 0.0), r"jerk = 0 .* > 0"),
        (lambda: NAN * Constant(1.0), r"factor = nan"),
        (lambda: Constant(1.0) / 0.0, r"divisor = 0"),
        (lambda: Constant(1.0)(0.0, order=-1), r"order = -1"),
        (lambda: Constant(1.0).derivative(-1), r"order = -1"),
        (lambda: as_signal("belt", "normal_load"), r"normal_load = 'belt'"),
        (lambda: as_signal(NAN, "normal_load"), r"normal_load = nan"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("module", [signals.shapes, signals.signal], ids=["shapes", "signal"])
def test_examples_in_the_docstrings_run(module):
    result = doctest.testmod(module, extraglobs=vars(signals))
    assert result.attempted > 0 and result.failed == 0
