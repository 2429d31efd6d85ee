"""Describing functions against closed forms and SciPy's quadrature; predictions against integration."""

import contextlib
import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import stickslip as ss
from stickslip.analysis import describing_function, harmonic_balance, limit_cycle


def coulomb(v):
    return 0.8 * np.sign(v)


def stribeck(v):
    return (1.0 + 0.5 * np.exp(-((np.abs(v) / 1e-3) ** 2))) * np.sign(v) + 0.4 * v


def test_gain_of_simple_laws_matches_closed_form():
    """4·Fc/(π·V) for Coulomb, Fv for viscous, 3V²/4 for a cubic, 8V/(3π) for v·|v|."""
    sizes = np.geomspace(1e-6, 1e3, 12)
    np.testing.assert_allclose(describing_function(coulomb, sizes), 4 * 0.8 / (np.pi * sizes), rtol=1e-13)
    np.testing.assert_allclose(describing_function(lambda v: 0.4 * v, sizes), 0.4, rtol=1e-13)
    np.testing.assert_allclose(describing_function(lambda v: v**3, sizes), 0.75 * sizes**2, rtol=1e-13)
    np.testing.assert_allclose(
        describing_function(lambda v: v * np.abs(v), sizes), 8 * sizes / (3 * np.pi), rtol=1e-13
    )
    assert describing_function(coulomb, 1.0, normal_load=10.0) == pytest.approx(32.0 / np.pi, rel=1e-13)


def test_coulomb_gain_with_bias_matches_closed_form():
    """4·Fc/(π·V)·sqrt(1 − (b/V)²) for |b| < V, else nothing."""
    for bias in (0.3, -0.9):
        expected = 4 * 0.8 / np.pi * math.sqrt(1 - bias**2)
        assert describing_function(coulomb, 1.0, bias) == pytest.approx(expected, rel=1e-13)
    assert describing_function(coulomb, 1.0, 1.5) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(("size", "bias"), [(1e-4, 0.0), (1e-3, 2e-4), (1.0, 0.0), (1.0, -0.5), (0.01, 0.05)])
def test_stribeck_agrees_with_quadrature(size, bias):
    points = [math.asin(-bias / size)] if abs(bias) < size else []
    edges = sorted([-math.pi / 2, *points, *(p + s for p in points for s in (-0.01, 0.01)), math.pi / 2])
    total = sum(
        quad(lambda a: stribeck(bias + size * math.sin(a)) * math.sin(a), low, high, limit=500, epsabs=1e-13)[
            0
        ]
        for low, high in itertools.pairwise(edges)
    )
    assert describing_function(stribeck, size, bias) == pytest.approx(2 * total / (math.pi * size), rel=1e-9)


def test_a_law_with_force_is_a_function_too():
    class Law:
        def force(self, v):
            return coulomb(v)

    assert describing_function(Law(), 2.0) == describing_function(coulomb, 2.0)


def test_laws_and_formulas_have_equal_gains():
    """The engine's curves give the same gain as the formulas here."""
    sizes = np.geomspace(1e-5, 1.0, 6)
    law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3, shape=2.0, viscous=0.4)
    np.testing.assert_allclose(
        describing_function(law, sizes, 0.3e-3), describing_function(stribeck, sizes, 0.3e-3), rtol=1e-12
    )
    gain = describing_function(ss.Coulomb(static=1.0, kinetic=0.8), sizes)
    np.testing.assert_allclose(gain, 4 * 0.8 / (np.pi * sizes), rtol=1e-13)


def test_relay_feedback_cycle_matches_textbook():
    """Relay of height M with K/(s(s + 1)(s + 2)): ω = sqrt 2, amplitude 2KM/(3π) (textbook)."""
    a = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, -2.0, -3.0]])
    system = (a, [[0.0], [0.0], [1.0]], [[5.0, 0.0, 0.0]], [[0.0]])
    (cycle,) = harmonic_balance(system, coulomb, omega=(0.1, 100.0))
    assert cycle.omega == pytest.approx(math.sqrt(2.0), rel=1e-12)
    assert cycle.velocity == pytest.approx(2 * 5.0 * 0.8 / (3 * math.pi), rel=1e-10)
    assert cycle.stable
    assert cycle.period == pytest.approx(2 * math.pi / math.sqrt(2.0))


def test_van_der_pol_prediction_matches_first_order_theory():
    """ẍ − ε(1 − x²)… as ẍ + x = −(v³ − v): ω = 1 and V = 2/sqrt 3 to first order."""
    oscillator = ([[0.0, -1.0], [1.0, 0.0]], [[1.0], [0.0]], [[1.0, 0.0]], [[0.0]])
    with pytest.warns(UserWarning, match="harmonics come back with 1[23]% of the amplitude"):
        (cycle,) = harmonic_balance(oscillator, lambda v: v**3 - v)
    assert cycle.omega == pytest.approx(1.0, rel=1e-12)
    assert cycle.velocity == pytest.approx(2.0 / math.sqrt(3.0), rel=1e-10)
    assert cycle.stable and cycle.displacement == pytest.approx(cycle.velocity)


@pytest.mark.parametrize(("belt", "damping", "rel"), [(0.40, 0.01, 0.003), (0.30, 0.05, 0.02)])
def test_belt_oscillator_prediction_agrees_with_integration(belt, damping, rel):
    """A body on a belt under friction v³ − v/2 that falls around the belt's speed: no sticking.

    N(V) = 3b² + 3V²/4 − 1/2, so V = sqrt(4/3·(1/2 − d − 3b²)), the better the weaker the law outweighs d.
    """

    def friction(v):
        return v**3 - 0.5 * v

    system = ([[-damping, -2.0], [1.0, 0.0]], [[1.0], [0.0]], [[1.0, 0.0]], [[0.0]])
    with pytest.warns() if damping > 0.03 else contextlib.nullcontext():
        (cycle,) = harmonic_balance(system, friction, bias=-belt)
    assert cycle.stable and (cycle.distortion > 0.1) == (damping > 0.03)
    assert cycle.omega == pytest.approx(math.sqrt(2.0), rel=1e-10)
    assert cycle.velocity == pytest.approx(math.sqrt(4.0 / 3.0 * (0.5 - damping - 3.0 * belt**2)), rel=1e-9)
    run = solve_ivp(
        lambda t, y: [-damping * y[0] - 2.0 * y[1] - friction(y[0] - belt), y[0]],
        (0.0, 1050.0),
        [0.9 * cycle.velocity, -friction(-belt) / 2.0],
        "DOP853",
        np.arange(1000.0, 1050.0, 0.005),
        rtol=1e-8,
        atol=1e-10,
    )
    measured = limit_cycle(run.t, run.y[0], start=1000.0)
    assert measured.found
    assert measured.amplitude == pytest.approx(cycle.velocity, rel=rel)
    assert measured.period == pytest.approx(cycle.period, rel=rel)


def test_pid_with_friction_at_the_motor_predicts_no_hunting():
    """Dissipative friction and the PID loop m = 1, Kv = 6, Kp = 3, Ki = 4: the balance has no solution.

    G = s²/(s³ + 6s² + 3s + 4) is real at ω² = 3 with G = 3/14 > 0. Hunting comes from sticking, which the
    describing function of the velocity does not see.
    """
    system = (
        [[-6.0, -3.0, -4.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[1.0], [0.0], [0.0]],
        [[1.0, 0.0, 0.0]],
        [[0.0]],
    )
    found = harmonic_balance(system, stribeck)
    assert found == [] and found.message.startswith(
        "no cycle: friction would need the gain N = -4.667 at 1.732 rad/s"
    )


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: describing_function("x", 1.0), "law"),
        (lambda: describing_function(coulomb, 0.0), "amplitude"),
        (lambda: describing_function(coulomb, 1.0, math.nan), "bias"),
        (lambda: describing_function(coulomb, 1.0, normal_load=0.0), "normal_load"),
        (lambda: harmonic_balance((np.eye(2), np.eye(2), np.eye(2), np.eye(2)), coulomb), "system"),
        (lambda: harmonic_balance(([[0]], [[1]], [[1]], [[0]]), coulomb, omega=(0.0, 1.0)), "omega"),
    ],
)
def test_bad_input_names_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()


def test_message_names_a_phase_that_never_fits():
    """1/(1 + s) has the phase -atan(ω): from -5.7° at 0.1 rad/s to -84.3° at 10 rad/s."""
    found = harmonic_balance(lambda w: 1.0 / (1.0 + 1j * w), coulomb, omega=(0.1, 10.0))
    assert found == []
    assert (
        "from 0.1 to 10 rad/s the phase of the linear path goes from -5.7° to -84.3° without" in found.message
    )
    assert found.message in repr(found) and pickle.loads(pickle.dumps(found)).message == found.message


def test_found_cycles_are_a_list_with_a_message():
    found = harmonic_balance(lambda w: 1j * w / (2.0 - w**2 + 0.1j * w), lambda v: v**3 - v)
    assert [round(cycle.omega, 4) for cycle in found] == [1.4142] and found.message == "1 cycle"


@pytest.mark.parametrize("bias", [0.3, -0.3, 1.5])
def test_one_sided_law_with_bias_matches_quadrature(bias):
    """F = v² for v > 0, nothing below: not odd, so the sign of the bias matters; N = 1/(πV) ∮ F sin θ dθ."""
    size = 0.8
    value, _ = quad(
        lambda a: max(bias + size * math.sin(a), 0.0) ** 2 * math.sin(a),
        -0.5 * math.pi,
        0.5 * math.pi,
        points=[math.asin(-bias / size)] if abs(bias) < size else None,
        epsabs=1e-14,
    )
    found = describing_function(lambda v: np.maximum(v, 0.0) ** 2, size, bias)
    assert float(found) == pytest.approx(2.0 * value / (math.pi * size), rel=1e-12)


def test_prediction_warns_if_the_body_sticks():
    """A block on a belt: sqrt(k/m) = 1.414 rad/s is predicted where it sticks and slips at 1.27."""
    m = ss.Machine(mass=1.0, stiffness=2.0, damping=0.01, names=["block"])
    law = ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.1)
    system = m.to_state_space(to="block", measure="block.velocity")
    with pytest.warns(
        UserWarning,
        match=r"fails for the cycle at 1.414 rad/s: .* 22% of the amplitude and friction holds the body",
    ):
        (cycle,) = harmonic_balance(system, law, bias=-0.2)
    assert cycle.sticks
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    true = limit_cycle(ss.simulate(m, t_end=200.0, dt=1e-3), "block.position")
    assert abs(true.omega / cycle.omega - 1.0) > 0.08
    assert ss.simulate(m, t_end=200.0, dt=1e-3).events.of("belt").time.size > 50


def test_distortion_matches_closed_form():
    """v^3 - v under V sin has the third harmonic V^3/4 alone; the path lets |G(3 j omega)| of it through."""
    gain = lambda w: 1j * w / (2.0 - w**2 + 0.1j * w)  # noqa: E731
    (cycle,) = harmonic_balance(gain, lambda v: v**3 - v)
    expected = cycle.velocity**2 / 4.0 * abs(gain(3.0 * cycle.omega))
    assert cycle.distortion == pytest.approx(expected, rel=1e-12) and not cycle.sticks
