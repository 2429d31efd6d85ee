"""Products, limits, branches, pulses, sequences and sweeps against their closed forms; breakpoints to the last digits."""

import pickle

import numpy as np
import pytest

import stickslip as ss
from stickslip import signals

T = np.linspace(-1.0, 4.0, 5001)

EVERY = [
    ss.Sine(2.0, 0.7, start=0.2) * ss.Ramp(slope=1.0, start=0.5, stop=2.0),
    signals.Where(ss.Ramp(slope=1.0) - 2.0, above=5.0, below=ss.Ramp(slope=1.0)),
    signals.Where(ss.Sine(1.0, 1.0), 1.0, -1.0, until=2.0, start=0.5),
    ss.Pulses(2.0, period=1.0, width=0.25, count=3, start=0.5, low=-1.0),
    ss.PRBS(1.5, step=0.1, order=4, repeats=2),
    ss.Multisine([1.0, 2.0, 5.0], [1.0, 0.5, 0.2]),
    ss.Chirp(1.5, first=1.0, last=5.0, duration=2.0),
]


@pytest.mark.parametrize("signal", EVERY, ids=lambda s: type(s).__name__)
def test_signals_are_values(signal: ss.Signal) -> None:
    again = pickle.loads(pickle.dumps(signal))
    assert again == signal and hash(again) == hash(signal)
    names = {"array": np.array} | {name: getattr(signals, name) for name in signals.__all__}
    assert eval(repr(signal), names) == signal


@pytest.mark.parametrize(
    ("first", "second", "tolerance"),
    [
        (ss.Sine(2.0, 0.7, 0.3, offset=0.4, start=0.2), ss.Sine(3.0, 1.1), 1e-13),
        (ss.Sine(2.0, 0.7, 0.3), ss.Sine(3.0, 0.7, 1.0), 1e-13),
        (
            ss.Piecewise([0.0, 1.0, 1.0, 3.0], [1.0, 2.0, -1.0, 4.0]),
            ss.SmoothStep(2.0, start=0.5, duration=1.0),
            1e-10,
        ),
        (ss.Ramp(slope=1.0), ss.Ramp(slope=-2.0, start=1.0), 1e-14),
        (ss.SmoothStep(1.0, start=0.5, duration=1.0), ss.Sine(1.0, 20.0), 1e-10),
    ],
)
def test_products_match_pointwise_values(first: ss.Signal, second: ss.Signal, tolerance: float) -> None:
    assert (first * second)(T) == pytest.approx(first(T) * second(T), abs=tolerance * 10.0)
    assert (first * second)(T, 1) == pytest.approx(
        first(T, 1) * second(T) + first(T) * second(T, 1), abs=2e-6
    )


def test_products_without_representation_are_refused() -> None:
    with pytest.raises(ValueError, match="a sine times a growing polynomial without an end"):
        ss.Sine(1.0, 1.0) * ss.Ramp(slope=1.0)
    with pytest.raises(ValueError, match="one without an input"):
        ss.Input("u") * ss.Ramp(slope=1.0)
    with pytest.raises(ValueError, match=r"until is missing: .* \(in signal.clip, signal.absolute and"):
        abs(ss.Sine(1.0, 1.0) + ss.Sine(1.0, 2.0**0.5))
    with pytest.raises(ValueError, match=r"low = .* a number or a signal: a function of time f is sampled"):
        ss.Sine(1.0, 1.0).clip(np.cos, 1.0)
    with pytest.raises(ValueError, match="t = 'a' is not allowed"):
        ss.Sine(1.0, 1.0)("a")
    with pytest.raises(ValueError, match="low = Constant"):
        ss.Sine(1.0, 1.0).clip(ss.Constant(2.0), 1.0, until=1.0)
    with pytest.raises(ValueError, match="low = 2.0 is not allowed"):
        ss.Ramp(slope=1.0).clip(2.0, 1.0)
    with pytest.raises(ValueError, match="width = 1.0 is not allowed"):
        ss.Pulses(1.0, period=1.0, width=1.0, count=2)
    with pytest.raises(ValueError, match="order = 1 is not allowed"):
        ss.PRBS(1.0, step=1.0, order=1)


def test_a_clipped_sine_has_its_breakpoints_where_it_meets_the_limits() -> None:
    flat = ss.Sine(2.0, 0.5, phase=0.3).clip(-1.0, 1.5, until=4.0)
    assert flat(T[T >= 0.0]) == pytest.approx(
        np.clip(ss.Sine(2.0, 0.5, phase=0.3)(T[T >= 0.0]), -1.0, 1.5), abs=1e-15
    )
    at = np.concatenate(
        [np.arcsin([0.75]), np.pi - np.arcsin([0.75]), np.pi + np.arcsin([0.5]), -np.arcsin([0.5])]
    )
    exact = np.sort(np.concatenate([at + 2.0 * np.pi * k for k in range(-1, 4)]) - 0.3) / np.pi
    exact = exact[(exact > 0.0) & (exact < 4.0)]
    assert flat.breakpoints == pytest.approx(exact, rel=4e-16, abs=4e-16)
    assert ss.Sine(2.0, 0.5).clip(-2.0, 2.0, until=9.0).breakpoints.size == 0  # it touches and does not cross


def test_zeros_of_many_sines_are_all_found() -> None:
    wave = ss.Multisine(np.arange(1.0, 8.0), np.linspace(1.0, 2.0, 7))
    size = wave.absolute(until=4.0)
    inside = T[T >= 0.0]
    assert size(inside) == pytest.approx(np.abs(wave(inside)), abs=1e-14)
    assert np.abs(wave(size.breakpoints)).max() < 1e-12
    assert size.breakpoints.size == np.sum(np.diff(np.sign(wave(np.linspace(0.0, 4.0, 400_001)))) != 0.0)


def test_moves_are_clipped_within_their_pieces() -> None:
    move = ss.PointToPoint(distance=1.0, velocity=1.0, acceleration=5.0, jerk=50.0)
    held = move.clip(0.2, 0.7)
    assert held(T) == pytest.approx(np.clip(move(T), 0.2, 0.7), abs=1e-15)
    assert move(held.breakpoints) == pytest.approx([0.2, 0.7], abs=4e-16)
    cubic = (ss.Ramp(1.0) * ss.Ramp(1.0) - 1.0) * (ss.Ramp(1.0) - 2.0)  # zeros at 1 and 2
    assert abs(cubic).breakpoints[1:] == pytest.approx([1.0, 2.0], rel=4e-16)


def test_limits_may_move() -> None:
    band = ss.Sine(3.0, 1.0).clip(low=ss.Ramp(slope=-1.0), high=ss.Ramp(slope=1.0), until=3.0)
    t = T[(T >= 0.0) & (T <= 3.0)]
    assert band(t) == pytest.approx(np.clip(ss.Sine(3.0, 1.0)(t), -t, t), abs=1e-13)


def test_pulses_are_exact() -> None:
    train = ss.Pulses(2.0, period=1.0, width=0.25, count=3, start=0.5, low=-1.0)
    assert train.breakpoints == pytest.approx([0.5, 0.75, 1.5, 1.75, 2.5, 2.75], abs=0.0)
    assert train([0.49, 0.5, 0.74, 0.75, 3.5]) == pytest.approx([-1.0, 2.0, 2.0, -1.0, -1.0], abs=0.0)


@pytest.mark.parametrize("order", range(2, 17))
def test_sequences_are_maximal(order: int) -> None:
    """Balanced by one, and their circular autocorrelation is -1 besides zero: only maximal sequences have both."""
    n = 2**order - 1
    bits = ss.PRBS(1.0, step=0.5, order=order)(0.25 + 0.5 * np.arange(n))
    assert abs(bits.sum()) == 1.0
    circular = np.fft.ifft(np.abs(np.fft.fft(bits)) ** 2).real
    assert circular[1:] == pytest.approx(-1.0, abs=1e-9 * n)
    assert ss.PRBS(1.0, step=0.5, order=order)(0.5 * n + 0.1) == 0.0


def test_a_multisine_has_its_lines_and_a_low_peak() -> None:
    f, a = np.arange(1.0, 33.0), np.full(32, 0.5)
    wave = ss.Multisine(f, a)
    t = np.arange(1024) / 1024.0
    lines = np.abs(np.fft.rfft(wave(t))) / 512.0
    assert lines[1:33] == pytest.approx(a, rel=1e-12) and np.abs(lines[33:]).max() < 1e-13
    crest = np.abs(wave(np.linspace(0.0, 1.0, 100_001))).max() / np.sqrt(0.5 * np.sum(a**2))
    assert crest < 1.9  # 8 with all phases alike; Schroeder 1970 reports about 1.7
    assert wave.breakpoints.size == 0


@pytest.mark.parametrize("exponential", [False, True])
def test_a_chirp_follows_its_phase(exponential: bool) -> None:
    sweep = ss.Chirp(1.5, first=1.0, last=50.0, duration=2.0, start=0.3, exponential=exponential)
    s = np.clip(T - 0.3, 0.0, 2.0)
    k = np.log(50.0) / 2.0
    cycles = np.expm1(k * s) / k if exponential else s + 0.5 * 24.5 * s**2
    inside = (T >= 0.3) & (T < 2.3)
    assert sweep(T) == pytest.approx(np.where(inside, 1.5 * np.sin(2.0 * np.pi * cycles), 0.0), abs=1e-10)
    slope = np.exp(k * s) if exponential else 1.0 + 24.5 * s
    expected = np.where(inside, 1.5 * 2.0 * np.pi * slope * np.cos(2.0 * np.pi * cycles), 0.0)
    assert sweep(T, 1) == pytest.approx(expected, abs=1e-6)


def test_a_run_ends_its_steps_at_their_breakpoints() -> None:
    """A mass pushed by a clipped sine: its velocity is the integral, piece by piece."""
    push = ss.Sine(2.0, 0.5).clip(high=1.0, until=4.0)
    run = ss.simulate(ss.Machine(mass=1.0, names=["q"], force={"q": push}), t_end=1.0)
    a = np.arcsin(0.5) / np.pi
    expected = 2.0 * (2.0 / np.pi) * (1.0 - np.cos(np.pi * a)) + (1.0 - 2.0 * a)
    assert run["q.velocity"][-1] == pytest.approx(expected, rel=1e-14)


def test_zeros_on_both_sides_of_a_touch_are_found() -> None:
    """cos(4 pi t) - cos(6 pi t) touches zero at whole seconds, half way between two zeros where it changes sign."""
    wave = ss.Multisine([2.0, 3.0], phases=[0.5 * np.pi, -0.5 * np.pi])
    expected = [k / 5 for k in range(1, 15) if k % 5]
    assert wave.absolute(until=2.9).breakpoints == pytest.approx(expected, rel=1e-14)


def test_powers_are_products_and_other_operations_name_the_cure() -> None:
    wave = ss.Sine(2.0, 3.0, phase=0.4)
    for n in (1, 2, 3, 5):
        assert (wave**n)(T) == pytest.approx(wave(T) ** n, abs=1e-12)
    with pytest.raises(ValueError, match=r"exponent = 0.5 is not allowed: .* 1 to 5; .* ss.Samples"):
        wave**0.5
    for divide in (lambda: wave / wave, lambda: 1.0 / wave):
        with pytest.raises(TypeError, match=r"cannot be a divisor.* ss.Samples\(t, a\(t\) / b\(t\)"):
            divide()
    for multiply in (lambda: T * wave, lambda: wave * T):
        with pytest.raises(TypeError, match=r"array \* signal\(t\)"):
            multiply()


def test_numpy_functions_and_comparisons_are_supported_or_refused() -> None:
    wave = ss.Sine(2.0, 3.0)
    assert np.abs(wave) == abs(wave) and np.float64(2.0) * wave == 2.0 * wave == np.multiply(wave, 2.0)
    assert np.float64(1.0) - wave == 1.0 - wave and np.float32(0.5) + wave == 0.5 + wave
    with pytest.raises(TypeError, match=r"np.sqrt needs values: .* ss.Samples"):
        np.sqrt(wave)
    with pytest.raises(TypeError, match=r"cannot be compared: signal.clip\(low\) is the maximum"):
        max(wave, 0.0)
    assert repr((wave + 1.0).clip(high=0.5)) == f"({wave!r} + Constant(value=1.0)).clip(None, 0.5)"
    assert repr(wave.clip(-1.0, until=2.0)) == f"{wave!r}.clip(-1.0, until=2.0)"
