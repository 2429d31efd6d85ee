"""Frequency response, closed loops and the two-mass drive against python-control, SciPy and closed forms."""

import math

import control
import numpy as np
import pytest
import scipy.signal
from truths.cascade_loop import cascade_matrices, cascade_poles, motor_side, two_mass_matrices

from stickslip.analysis import two_mass_resonance
from stickslip.linear import Poles, feedback, frequency_response

TABLE_1 = {"motor_mass": 1000.0, "load_mass": 1000.0, "stiffness": 5e6, "damping": 1341.64}
CASCADE = {"kv": 8 / 60e-3, "kp": 700e3, "tn": 30e-3}


def random_system(rng, states, inputs, outputs, feedthrough=True):
    return (
        rng.normal(size=(states, states)),
        rng.normal(size=(states, inputs)),
        rng.normal(size=(outputs, states)),
        rng.normal(size=(outputs, inputs)) * feedthrough,
    )


def test_two_mass_frequencies_match_table_1():
    """70.71 and 100 rad/s from Table 1 of Krämer, Kempkes."""
    drive = two_mass_resonance(**TABLE_1)
    assert drive.antiresonance == pytest.approx(70.71, abs=5e-3)
    assert drive.resonance == pytest.approx(100.0, rel=1e-12)
    assert drive.load_damping == pytest.approx(1341.64 / (2.0 * math.sqrt(5e6 * 1000.0)), rel=1e-12)


def test_two_mass_frequencies_are_zeros_and_poles():
    values = TABLE_1 | {"motor_mass": 300.0, "load_mass": 1700.0}
    a, b, c, d = two_mass_matrices(**values)
    drive = two_mass_resonance(**values)
    motor = scipy.signal.ss2tf(a, b, c[:1], d[:1])
    zeros = np.roots(np.trim_zeros(np.where(np.abs(motor[0][0]) < 1e-9, 0.0, motor[0][0]), "f"))
    pair = zeros[np.abs(zeros) > 1.0]
    np.testing.assert_allclose(np.abs(pair), drive.antiresonance, rtol=1e-9)
    np.testing.assert_allclose(-pair.real / np.abs(pair), drive.load_damping, rtol=1e-7)
    poles = np.linalg.eigvals(a)
    pair = poles[np.abs(poles) > 1.0]
    np.testing.assert_allclose(np.abs(pair), drive.resonance, rtol=1e-9)
    np.testing.assert_allclose(-pair.real / np.abs(pair), drive.resonance_damping, rtol=1e-7)


def test_frequency_response_agrees_with_control():
    rng = np.random.default_rng(1)
    omega = np.geomspace(0.1, 100.0, 30)
    for _ in range(5):
        parts = random_system(rng, 5, 2, 3)
        ours = frequency_response(parts, omega)
        theirs = control.ss(*parts)(1j * omega)
        np.testing.assert_allclose(ours.response, theirs, rtol=1e-9)
        by_object = frequency_response(control.ss(*parts), omega)
        np.testing.assert_array_equal(by_object.response, ours.response)
    assert ours.magnitude.shape == ours.phase.shape == (3, 2, 30)
    assert np.all(np.abs(np.diff(ours.phase, axis=-1)) <= math.pi)


def test_frequency_response_at_an_undamped_pole_is_infinite():
    response = frequency_response(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), [0.0, 2.0])
    assert np.isinf(response.magnitude[0, 0, 0])
    assert response.magnitude[0, 0, 1] == pytest.approx(0.5)


def test_closed_loop_agrees_with_control():
    rng = np.random.default_rng(2)
    for sign in (-1, 1):
        plant, controller = random_system(rng, 4, 2, 3), random_system(rng, 3, 3, 2)
        closed = feedback(plant, controller, sign)
        ours = control.ss(closed.A, closed.B, closed.C, closed.D)
        theirs = control.feedback(control.ss(*plant), control.ss(*controller), sign)
        omega = 1j * np.geomspace(0.1, 10.0, 7)
        np.testing.assert_allclose(ours(omega), theirs(omega), rtol=1e-8)
        poles = Poles(closed.poles())
        assert np.all(np.diff(np.abs(poles)) >= -1e-9)
        for pole in theirs.poles():
            assert np.abs(poles - pole).min() < 1e-9


def test_static_gain_as_a_controller():
    plant = [[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], np.eye(2), np.zeros((2, 1))
    poles = Poles(feedback(plant, ([], [], [], [[4.0, 5.0]])).poles())
    np.testing.assert_allclose(poles, [-1.0, -4.0], rtol=1e-12)


def test_cascade_poles_are_roots_of_the_characteristic_polynomial():
    """Roots of the characteristic polynomial written out by hand, and Table 1 stable."""
    poles = cascade_poles(**TABLE_1, **CASCADE)
    m1, m2, c, d = TABLE_1.values()
    kv, kp, tn = CASCADE.values()
    coupling = np.poly1d([d, c])
    motor, load = np.poly1d([m1, d, c]), np.poly1d([m2, d, c])
    control_part = np.poly1d([kp, kp / tn]) * np.poly1d([1.0, kv])
    s = np.poly1d([1.0, 0.0])
    by_hand = ((motor * load - coupling * coupling) * s + control_part * load).roots
    assert poles.shape == (5,) and poles.real.max() < 0.0
    for pole in by_hand:
        assert np.abs(poles - pole).min() < 1e-9 * abs(pole)


def test_cascade_has_unit_static_gain():
    """The closed loop holds x_M at the reference: unit gain at rest from x_ref, by the final value."""
    closed = feedback(motor_side(two_mass_matrices(**TABLE_1)), cascade_matrices(**CASCADE))
    # x_ref enters as kv·x_ref into the velocity error: F = kp·(e + ∫e/tn), the state of the integral is the
    # last.
    entry = CASCADE["kv"] * (closed.B[:, 0] * CASCADE["kp"])
    entry[-1] -= CASCADE["kv"]
    rest = np.linalg.solve(closed.A, -entry)
    assert rest[2] == pytest.approx(1.0, rel=1e-9)
    assert rest[3] == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: two_mass_resonance(0.0, 1.0, 1.0), "motor_mass"),
        (lambda: two_mass_resonance(1.0, 1.0, 1.0, -1.0), "damping"),
        (lambda: frequency_response(3.0, [1.0]), "system"),
        (lambda: frequency_response((np.eye(2), np.eye(3), np.eye(2), np.eye(2)), [1.0]), r"system\.B"),
        (lambda: frequency_response((np.ones((2, 3)), [[1]], [[1]], [[0]]), [1.0]), r"system\.A"),
        (lambda: frequency_response(([[0]], [[1]], [[1]], [[0]]), [math.nan]), "omega"),
        (lambda: feedback(([[0]], [[1]], [[1]], [[0]]), ([], [], [], [[1, 2]])), r"controller\.D"),
        (lambda: feedback(([[0]], [[1]], [[1]], [[1]]), ([], [], [], [[-1]])), r"controller\.D"),
        (lambda: feedback(([[0]], [[1]], [[1]], [[0]]), ([], [], [], [[1]]), 2), "sign"),
    ],
)
def test_bad_input_names_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
