"""Signals that come again without an end: against closed forms and the same with an end; after a million periods."""

import json
import pickle

import numpy as np
import pytest

import stickslip as ss

T = np.random.default_rng(5).uniform(0.0, 7.0, 3000)
EPS = np.finfo(float).eps
Where, Repeat = ss.signals.Where, ss.signals.Repeat


def square(frequency: float) -> ss.Signal:
    return Where(ss.Sine(1.0, frequency), 1.0, -1.0)


def test_a_clipped_sine_has_no_end() -> None:
    wave = ss.Sine(1.0, 50.0, phase=0.3)
    flat = wave.clip(-0.5, 0.25)
    assert flat.repeats_after == pytest.approx(0.02, rel=2 * EPS)
    assert flat(T) == pytest.approx(np.clip(wave(T), -0.5, 0.25), abs=2e-14)
    slope = np.where((wave(T) > -0.5) & (wave(T) < 0.25), wave(T, 1), 0.0)
    assert flat(T, 1) == pytest.approx(slope, abs=0.0) and flat.derivative()(T) == pytest.approx(
        slope, abs=1e-9
    )
    ended = wave.clip(-0.5, 0.25, until=7.0)
    assert flat(T) == pytest.approx(ended(T), abs=2e-14)
    starts = np.array(flat.compiled.unrolled(7.0).breakpoints)
    assert starts == pytest.approx(ended.breakpoints, rel=6 * EPS)


def test_breakpoints_are_exact_after_a_million_periods() -> None:
    """Times of sin(x) = ±1/2: the odd twelfths of the period except the quarters."""
    flat, t = ss.Sine(1.0, 50.0).clip(-0.5, 0.5), 2e4
    for k, twelfth in enumerate([1, 5, 7, 11] * 2):
        t = flat.compiled.next_breakpoint(t)
        assert t == pytest.approx(2e4 + 0.02 * (twelfth / 12 + k // 4), rel=2 * EPS)
        assert flat(t) == pytest.approx(flat(np.nextafter(t, 0.0)), abs=314.2 * 4.0 * np.spacing(t))


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (abs(ss.Sine(2.0, 3.0)), lambda t: np.abs(2.0 * np.sin(6.0 * np.pi * t))),
        (square(1.0) * square(1.5), lambda t: np.where(t % 1.0 < 0.5, 1, -1) * np.where(1.5 * t % 1 < 0.5, 1, -1)),
        (square(1.0) * ss.Sine(1.0, np.sqrt(2.0)), lambda t: np.where(t % 1 < 0.5, 1, -1) * np.sin(8**0.5 * np.pi * t)),
        (
            ss.Sine(1.0, 2.0).clip(-0.5, 0.5) + ss.Ramp(slope=1.0, stop=3.3),
            lambda t: np.clip(np.sin(4.0 * np.pi * t), -0.5, 0.5) + np.minimum(t, 3.3),
        ),
        (
            2.0 * ss.Multisine([2.0, 3.0]).absolute() - 1.0,
            lambda t: 2.0 * np.abs(ss.Multisine([2.0, 3.0])(t)) - 1.0,
        ),
        (Where(ss.Ramp(slope=1.0) - 2.0, square(4.0), ss.Ramp(slope=1.0)), lambda t: np.where(t < 2.0, t, square(4.0)(t))),
        (Where(2.0 - ss.Ramp(slope=1.0), square(4.0), 3.0), lambda t: np.where(t <= 2.0, square(4.0)(t), 3.0)),
        (Repeat(ss.Piecewise([0, 1, 2], [0, 1, 0]), 2.0), lambda t: 1.0 - np.abs(1.0 - t % 2.0)),
        (Repeat(ss.Ramp(slope=1.0), 0.7, start=0.5), lambda t: np.where(t < 0.5, t, 0.5 + (t - 0.5) % 0.7)),
        (Repeat(ss.PointToPoint(1.0, 2.0, 9.0, 90.0), 1.5), lambda t: ss.PointToPoint(1.0, 2.0, 9.0, 90.0)(t % 1.5)),
        (ss.Pulses(2.0, period=0.6, width=0.2, start=0.1, low=-1.0), lambda t: np.where((t - 0.1) % 0.6 < 0.2, 2.0, -1.0)),
        (
            ss.PRBS(1.0, step=0.1, order=3, repeats=None),
            lambda t: np.array([1, 1, 1, -1, -1, 1, -1])[np.floor(t / 0.1).astype(int) % 7],
        ),
        (
            Repeat(ss.Piecewise([0, 1, 2], [0, 1, 0]), 2.0) * ss.Sine(1.0, 1.5),
            lambda t: (1.0 - np.abs(1.0 - t % 2.0)) * np.sin(3.0 * np.pi * t),
        ),
    ],
)  # fmt: skip
def test_composed_periodic_signals_are_periodic(signal: ss.Signal, expected: object) -> None:
    t = T[T > 0.1]
    assert signal.repeats_after is not None or signal(100.0) == 3.0
    assert signal(t) == pytest.approx(expected(t), abs=1e-9)  # type: ignore[operator]
    names = vars(ss) | vars(ss.signals) | {"array": np.array}
    assert pickle.loads(pickle.dumps(signal)) == signal == eval(repr(signal), names)
    told = json.loads(json.dumps(ss.Machine(mass=1.0, names=["q"], force={"q": signal}).to_dict()))
    assert ss.Machine.from_dict(told).to_dict() == told


def test_missing_common_period_names_the_cure() -> None:
    tone = ss.Sine(1.0, np.sqrt(2.0))
    for make in (
        lambda: (ss.Sine(1.0, 1.0) + tone).clip(0.0, 1.0),
        lambda: tone.clip(0.0, 0.5) + square(1.0),
        lambda: tone.clip(0.0, 0.5) * square(1.0),
        lambda: square(1.0) + ss.Ramp(slope=1.0),
        lambda: square(1.0) * ss.Ramp(slope=1.0),
        lambda: (ss.Sine(3.0, 1.0)).clip(high=ss.Ramp(slope=1.0)),
    ):
        with pytest.raises(ValueError, match=r"until is missing: .* signals.Where\)"):
            make()
    with pytest.raises(ValueError, match="period = 0.7 is not allowed: it must be a whole number of periods"):
        Repeat(ss.Sine(1.0, 1.0), 0.7)


def machine(push: ss.Signal, load: ss.Signal | float = 1.0) -> ss.Machine:
    m = ss.Machine(mass=[1.0], stiffness=[[400.0]], damping=[[1.0]], names=["a"], force={"a": push})
    law = ss.Stribeck(static=0.2, kinetic=0.15, stribeck_velocity=0.05)
    m.add_friction("f", on="a", law=law, normal_load=load)
    return m


def test_runs_with_periodic_and_finite_signals_are_equal() -> None:
    push, load = ss.Sine(1.0, 3.0), 1.0 + square(1.5) * 0.5
    endless = ss.simulate(machine(push.clip(-0.5, 0.5), load), t_end=6.0, dt=0.01)
    ended = Where(ss.Sine(1.0, 1.5), 1.0, -1.0, until=7.0) * 0.5 + 1.0
    other = ss.simulate(machine(push.clip(-0.5, 0.5, until=7.0), ended), t_end=6.0, dt=0.01)
    assert len(endless.events) == len(other.events) > 20
    assert endless["a.position"] == pytest.approx(other["a.position"], abs=1e-13)
    assert not ss.analysis.audit(endless).findings
    half = ss.simulate(endless.machine, t_end=3.0)
    assert ss.simulate(endless.machine, state=half.state, t_end=6.0)["a.position"][-1] == pytest.approx(
        endless["a.position"][-1], abs=1e-13
    )


def test_real_time_and_laws_accept_periodic_signals() -> None:
    """Fixed steps, a law moved by hand, and derivatives along a run: as with an end."""
    saw = Repeat(ss.Piecewise([0, 1, 2], [0, 1, 0]), 2.0) * 0.3
    pairs = [(ss.Sine(1.0, 3.0).clip(-0.5, 0.5), ss.Sine(1.0, 3.0).clip(-0.5, 0.5, until=7.0))]
    pairs += [(saw, ss.Piecewise(np.arange(12.0), 0.3 * (np.arange(12) % 2)))]
    for endless, ended in pairs:
        steppers = [ss.RealTime(machine(s), step=1e-2) for s in (endless, ended)]
        way = np.array([[rt.step().copy() for rt in steppers] for _ in range(600)])
        assert way[:, 0] == pytest.approx(way[:, 1], abs=1e-12) and np.ptp(way[:, 0]) > 1e-3
        law = ss.LuGre(stiffness=1e3, damping=3.0, static=0.2, kinetic=0.15, stribeck_velocity=0.05)
        t = np.linspace(0.0, 6.0, 601)
        assert law.response(t, endless).force == pytest.approx(law.response(t, ended).force, abs=1e-9)
        by = ["f.law.kinetic"]
        runs = [ss.simulate(machine(s), t_end=5.0, dt=0.1, sensitivities=by) for s in (endless, ended)]
        slopes = [run.sensitivity["a.position", by[0]] for run in runs]
        assert slopes[0] == pytest.approx(slopes[1], abs=1e-12) and np.abs(slopes[0]).max() > 1e-6
