"""Sampled blocks against loops written by hand, and against SciPy's discretisation."""

import itertools
import math

import control as ct
import numpy as np
import pytest
from scipy import signal

from stickslip import _core
from stickslip.control.controllers import LTI, PI, PID, Callable, Cascade, P

T = 0.01
K = np.arange(400)
R = np.where(K < 150, 1.0, -0.5) + 0.3 * np.sin(0.05 * K)
RDOT = 0.3 * 0.05 / T * np.cos(0.05 * K)
Y = 0.4 * np.sin(0.031 * K + 0.2) + 0.002 * K
YDOT = 0.4 * 0.031 / T * np.cos(0.031 * K + 0.2) + 0.002 / T


def run(controller, *samples):
    ticker = _core.control.Ticker(controller.compiled.block())
    return np.array([ticker.step(T * k, np.array(w))[0] for k, w in enumerate(zip(*samples, strict=True))])


def quantised(x, q):
    return q * math.floor(x / q + 0.5)


def test_p_controller_equals_its_loop():
    u = run(P(2.0, feedforward=0.1, limits=(-1.0, 1.5), period=T), R, Y, RDOT)
    np.testing.assert_allclose(u, np.clip(2 * (R - Y) + 0.1 * RDOT, -1.0, 1.5), atol=1e-14)


def test_pi_is_the_backward_rectangle_rule():
    kp, tn, i, expected = 2.0, 0.05, 0.0, []
    for r, y in zip(R, Y, strict=True):
        e = r - y
        i += kp * T / tn * e
        expected.append(kp * e + i)
    np.testing.assert_allclose(run(PI(kp, tn=tn, period=T), R, Y), expected, atol=1e-12)


@pytest.mark.parametrize("tracking", [0.2, 0.05, 1e-4])
def test_back_calculation_is_implicit(tracking):
    """The implicit equation i = i_before + T (s + (u - kp e - i) / Tt), u limited, solved by hand.

    With an explicit update a tracking time below half the period would be unstable.
    """
    kp, tn, low, high, i, expected = 2.0, 0.05, -1.0, 1.5, 0.0, []
    controller = PI(kp, tn=tn, period=T, limits=(low, high), tracking_time=tracking)
    for r, y in zip(R, Y, strict=True):
        e = r - y
        new = i + T * kp / tn * e
        u = kp * e + new
        if not low <= u <= high:
            u = min(max(u, low), high)
            new = (new + T / tracking * (u - kp * e)) / (1 + T / tracking)
        i = new
        expected.append(u)
    u = run(controller, R, Y)
    np.testing.assert_allclose(u, expected, atol=1e-12)
    assert (u == low).any() and (u == high).any()
    assert ((low < u) & (u < high)).any() or tracking < T


def test_clamping_moves_the_integral_as_far_as_the_limit():
    kp, tn, low, high, i, expected, integrals = 2.0, 0.05, -1.0, 1.5, 0.0, [], []
    block = PI(kp, tn=tn, period=T, limits=(low, high), anti_windup="clamping").compiled.block()
    ticker = _core.control.Ticker(block)
    for k, (r, y) in enumerate(zip(R, Y, strict=True)):
        e = r - y
        new = i + kp * T / tn * e
        if kp * e + new > high and e > 0:
            new = max(i, high - kp * e)
        if kp * e + new < low and e < 0:
            new = min(i, low - kp * e)
        i = new
        expected.append(min(max(kp * e + i, low), high))
        integrals.append(i)
        assert ticker.step(T * k, [r, y])[0] == pytest.approx(expected[-1], abs=1e-12)
        assert ticker.memory[0] == pytest.approx(i, abs=1e-12)
    assert low in expected and high in expected
    assert max(np.abs(integrals)) < 4.0


@pytest.mark.parametrize("tf", [0.0, 0.03])
@pytest.mark.parametrize("of", ["measurement", "error"])
@pytest.mark.parametrize("rate", ["measured", "difference"])
def test_pid_is_the_backward_rectangle_rule(tf, of, rate):
    """d (tf + T) = tf d_before + T * rate: the backward rectangle rule of the filter, as of the integral."""
    kp, ki, kd = 3.0, 4.0, 0.2
    c = PID(kp, ki, kd, tf=tf, derivative_of=of, rate=rate, period=T)
    i = d = 0.0
    expected, before = [], None
    for r, y, rdot, ydot in zip(R, Y, RDOT, YDOT, strict=True):
        if rate == "difference":
            rdot, ydot = (0.0, 0.0) if before is None else ((r - before[0]) / T, (y - before[1]) / T)
            before = (r, y)
        i += ki * T * (r - y)
        d = (tf * d + T * ((rdot if of == "error" else 0.0) - ydot)) / (tf + T)
        expected.append(kp * (r - y) + i + kd * d)
    values = {"reference": R, "measurement": Y, "reference.rate": RDOT, "measurement.rate": YDOT}
    values |= {"reference.difference": R, "measurement.difference": Y}
    np.testing.assert_allclose(run(c, *(values[name] for name in c.matrices.inputs)), expected, atol=1e-12)


def test_cascade_on_encoders_equals_its_loop():
    """Everything at once: rounded positions, velocity from their difference, feedforward, limit, clamping."""
    kv, kp, tn, q, top = 20.0, 3.0, 0.04, 0.013, 12.0
    x_load, x_motor = R + 0.1 * np.sin(0.3 * K), R + 0.1 * np.sin(0.3 * K + 0.1)
    rddot = -0.3 * (0.05 / T) ** 2 * np.sin(0.05 * K)
    c = Cascade(
        kv, kp, tn=tn, position="load", velocity_feedforward=0.9, force_feedforward=0.02, limits=top,
        anti_windup="clamping", period=T, delay=0.4 * T, quantum=q, rate="difference",
    )  # fmt: skip
    block = c.compiled.block()
    assert (block.period, block.delay, block.quantum) == (T, 0.4 * T, q)
    values = {
        "reference": R, "reference.rate": RDOT, "reference.acceleration": rddot,
        "measurement": x_load, "measurement1.difference": x_motor,
    }  # fmt: skip
    u = run(c, *(values[name] for name in c.matrices.inputs))
    i, before, expected = 0.0, quantised(x_motor[0], q), []
    for k in K:
        x, motor = quantised(x_load[k], q), quantised(x_motor[k], q)
        v, before = (motor - before) / T, motor
        e = kv * (R[k] - x) + 0.9 * RDOT[k] - v
        new, rest = i + kp * T / tn * e, kp * e + 0.02 * rddot[k]
        if rest + new > top and e > 0:
            new = max(i, top - rest)
        if rest + new < -top and e < 0:
            new = min(i, -top - rest)
        i = new
        expected.append(min(max(rest + i, -top), top))
    np.testing.assert_allclose(u, expected, atol=1e-11)
    assert 10 < np.count_nonzero(np.abs(u) == top) < len(u) - 10


def test_rounding_is_to_the_nearest_step_halves_upwards():
    c = P(1.0, period=T, quantum=0.25)
    y = np.array([0.0, 0.1, 0.124, 0.125, 0.2, -0.125, -0.126, 1.0])
    np.testing.assert_array_equal(-run(c, 0 * y, y), [0.0, 0.0, 0.0, 0.25, 0.25, 0.0, -0.25, 1.0])
    np.testing.assert_array_equal(run(c, y, 0 * y), y)  # references are not rounded


def test_rate_control_on_an_encoder_equals_its_loop():
    """A velocity loop that measures positions: PI on the difference quotient of rounded samples."""
    c = PI(2.0, tn=0.1, controls="rate", rate="difference", period=T, quantum=1e-3)
    assert c.matrices.inputs == ("reference", "measurement.difference")
    i, before, expected = 0.0, quantised(Y[0], 1e-3), []
    for r, y in zip(R, Y, strict=True):
        y = quantised(y, 1e-3)
        e = r - (y - before) / T
        before = y
        i += 2.0 * T / 0.1 * e
        expected.append(2.0 * e + i)
    np.testing.assert_allclose(run(c, R, Y), expected, atol=1e-11)


def test_lti_is_discretised_exactly():
    """scipy.signal.cont2discrete with method 'zoh', and python-control's sample_system."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(4, 4)) * 20
    B, C, D = rng.normal(size=(4, 2)), rng.normal(size=(3, 4)), rng.normal(size=(3, 2))
    c = LTI(A, B, C, D, inputs="both", references=1, period=T)
    Ad, Bd, Cd, Dd, _ = signal.cont2discrete((A, B, C, D), T, method="zoh")
    m = c.matrices
    np.testing.assert_allclose(m.A, Ad, rtol=0, atol=2e-15)
    np.testing.assert_allclose(m.B, Bd, rtol=0, atol=2e-16)
    np.testing.assert_array_equal(m.C, Cd)
    np.testing.assert_array_equal(m.D, Dd)
    theirs = ct.sample_system(ct.ss(A, B, C, D), T, method="zoh")
    same = LTI.from_system(theirs, inputs="both", references=1)
    assert same.discrete and same.period == T
    np.testing.assert_array_equal(same.matrices.A, theirs.A)

    response = ct.forced_response(theirs, T * K, np.vstack([R, Y]))
    ticker = _core.control.Ticker(c.compiled.block())
    got = np.array([ticker.step(0.0, [r, y]) for r, y in zip(R, Y, strict=True)])
    np.testing.assert_allclose(
        got.T, response.outputs, rtol=1e-10, atol=1e-12 * np.abs(response.outputs).max()
    )


@pytest.mark.parametrize("rate", [0.0, -40.0, 15.0])
def test_lti_of_one_state_with_anti_windup_matches_closed_form(rate):
    """z' = a z + e, by matrices, with gain: exact for held inputs, the excess counted as held too:
    z+ = e^(aT) z + (e^(aT) - 1)/a (e + gain (u - u_raw)); a = 0 is an integrator, whose matrix is singular."""
    gain = 3.0
    c = LTI(rate, 1.0, 2.0, 0.5, gain=gain, limits=1.0, period=T)
    decay = math.exp(rate * T)
    hold = T if rate == 0.0 else (decay - 1.0) / rate
    z, expected = 0.0, []
    excited = 2.0 * (R - Y) if rate < 0.0 else R - Y
    for e in excited:
        raw = 2 * z + 0.5 * e
        u = min(max(raw, -1.0), 1.0)
        z = decay * z + hold * (e + gain * (u - raw))
        expected.append(u)
    u = run(c, excited, 0.0 * Y)
    np.testing.assert_allclose(u, expected, rtol=1e-11, atol=1e-12)
    assert (u == 1.0).any() and (np.abs(u) < 1.0).any()
    discrete = LTI(decay, hold, 2.0, 0.5, gain=hold * gain, limits=1.0, period=T, discrete=True)
    np.testing.assert_allclose(run(discrete, excited, 0.0 * Y), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("anti_windup", ["back_calculation", "clamping"])
def test_sampled_tends_to_continuous_linearly(anti_windup):
    """e = 2 - t until t = 1.8 with limit 1 (closed form of the continuous block in the clamping test)."""
    errors = []
    for n in (100, 200, 400):
        h = 1.8 / n
        c = PI(1.0, tn=0.1, limits=1.0, anti_windup=anti_windup, tracking_time=0.3, period=h)
        ticker = _core.control.Ticker(c.compiled.block())
        for k in range(n + 1):
            ticker.step(k * h, [2.0 - k * h, 0.0])
        i = ticker.memory[0]
        if anti_windup == "clamping":
            exact = 0.8
        else:  # i' = 10 e + (1 - e - i)/0.3, saturated throughout; particular solution a + b e, e' = -1
            b = 10 * 0.3 - 1
            a = 1 + 0.3 * b
            exact = a + b * 0.2 - (a + 2 * b) * np.exp(-1.8 / 0.3)
        errors.append(abs(i - exact))
    if anti_windup == "clamping":  # following: on the limit exactly
        assert max(errors) < 1e-13
    else:
        assert errors[0] < 0.05
        for coarse, fine in itertools.pairwise(errors):
            assert coarse / fine == pytest.approx(2.0, rel=0.05)


# --- programs ---


def test_function_is_called_with_time_and_samples():
    calls = []

    def law(t, r, y):
        calls.append((t, r, y))
        return 2.0 * (r - y)

    u = run(Callable(law, period=T, limits=1.0), R, Y)
    np.testing.assert_array_equal(u, np.clip(2.0 * (R - Y), -1, 1))
    assert [t for t, _, _ in calls] == [T * k for k in K]
    np.testing.assert_array_equal([(r, y) for _, r, y in calls], np.stack([R, Y], axis=1)[:, :, None])
    assert all(r.shape == y.shape == (1,) and r.dtype == float for _, r, y in calls)


def test_function_with_memory_is_repeatable():
    def law(t, r, y, z):
        i = z[0] + 0.1 * (r - y)
        return i + z[1], (i, y)

    c = Callable(law, period=T, memory=[0.0, 7.0])
    first, second = run(c, R, Y), run(c, R, Y)
    np.testing.assert_array_equal(first, second)
    i = np.cumsum(0.1 * (R - Y))
    np.testing.assert_allclose(first, i + np.concatenate([[7.0], Y[:-1]]), atol=1e-12)


def test_function_of_several_signals_gets_arrays():
    def law(t, r, y):
        assert r.shape == (0,) and y.shape == (3,)
        return [y.sum(), y[0] - y[2]]

    block = Callable(law, references=0, measurements=3, outputs=2, period=T).compiled.block()
    assert block.inputs == ["measurement", "measurement1", "measurement2"]
    np.testing.assert_array_equal(_core.control.Ticker(block).step(0.0, [1.0, 2.0, 4.0]), [7.0, -3.0])


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda t, r, y: float("nan"), ValueError, r"returned nan in its output at t = 0.25"),
        (lambda t, r, y: None, ValueError, r"at t = 0.25"),
        (lambda t, r, y: "full", ValueError, r"returned no numbers as its output at t = 0.25"),
        (
            lambda t, r, y: [1.0, 2.0],
            ValueError,
            r"returned 2 numbers as its output at t = 0.25.*1 are needed",
        ),
        (lambda t, r, y: 1 / 0, RuntimeError, r"function raised ZeroDivisionError at t = 0.25 s: division"),
        (lambda t, r: 1.0, RuntimeError, r"function raised TypeError at t = 0.25 s: .*positional"),
    ],
)
def test_errors_of_functions_state_the_time(function, error, message):
    ticker = _core.control.Ticker(Callable(function, period=T).compiled.block())
    with pytest.raises(error, match=message):
        ticker.step(0.25, [0.0, 0.0])


def test_function_with_memory_must_return_a_pair():
    ticker = _core.control.Ticker(Callable(lambda t, r, y, z: 1.0, period=T, memory=[0.0]).compiled.block())
    with pytest.raises(ValueError, match=r"pair \(output, memory\), which it did not at t = 0.25"):
        ticker.step(0.25, [0.0, 0.0])


def test_function_outlives_its_description():
    import gc
    import weakref

    class Law:
        def __call__(self, t, r, y):
            return r + y

    law = Law()
    alive = weakref.ref(law)
    ticker = _core.control.Ticker(Callable(law, period=T).compiled.block())
    del law
    gc.collect()
    assert alive() is not None and ticker.step(0.0, [1.0, 2.0])[0] == 3.0
    del ticker
    gc.collect()
    assert alive() is None
