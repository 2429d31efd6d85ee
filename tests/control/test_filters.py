"""Filters, the PID of two degrees of freedom and the disturbance observer against SciPy and closed forms."""

import copy
import json
import pickle

import numpy as np
import pytest
from scipy import signal

import stickslip as ss

OMEGA = np.geomspace(1.0, 5e3, 80)
S = 1j * OMEGA
W = 2 * np.pi * 50.0

FILTERS = {
    "low-pass": (ss.LowPass, {"frequency": 50.0}, [W], [1.0, W], 50.0),
    "low-pass of order 2": (
        ss.LowPass, {"frequency": 50.0, "order": 2, "damping": 0.4}, [W**2], [1.0, 0.8 * W, W**2], 50.0,
    ),
    "notch": (
        ss.Notch, {"frequency": 50.0, "damping": 0.3, "depth": 0.2}, [1.0, 0.12 * W, W**2], [1.0, 0.6 * W, W**2], 50.0,
    ),
    "lead": (
        ss.Lead, {"zero_frequency": 20.0, "pole_frequency": 80.0, "gain": 1.5},
        [1.5 / (40 * np.pi), 1.5], [1.0 / (160 * np.pi), 1.0], 40.0,
    ),
    "biquad": (
        ss.Biquad, {"numerator": (1.0, 30.0, 500.0), "denominator": (2.0, 90.0, 9e3)}, [1.0, 30.0, 500.0],
        [2.0, 90.0, 9e3], None,
    ),
    "derivative": (ss.DerivativeFilter, {"time_constant": 2e-3}, [1.0, 0.0], [2e-3, 1.0], None),
}  # fmt: skip


def through(control: ss.Controller) -> ss.Machine:
    """The filter between a gain of one and a body: opened at its output the loop is filter times 1/s."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=1.0, period=control.period), "gain", measure="q.velocity")
    m.add_controller(control, "filter", reference="gain.output", to="q")
    return m


@pytest.mark.parametrize("name", FILTERS)
def test_continuous_filters_are_their_formulas(name: str) -> None:
    kind, arguments, num, den, _ = FILTERS[name]
    loop = ss.open_loop(through(kind(**arguments)), at="filter.output")
    assert loop(OMEGA) == pytest.approx(np.polyval(num, S) / np.polyval(den, S) / S, rel=1e-10)


@pytest.mark.parametrize("name", FILTERS)
def test_sampled_filters_are_those_of_scipy(name: str) -> None:
    """Tustin's rule with the rate w/tan(w T/2) for 2/T, as scipy.signal.bilinear takes it."""
    kind, arguments, num, den, exact_at = FILTERS[name]
    T = 1e-3
    rate = 2.0 / T if exact_at is None else 2 * np.pi * exact_at / np.tan(np.pi * exact_at * T)
    expected = signal.bilinear(num, den, fs=rate / 2.0)
    m = kind(**arguments, period=T).matrices
    z = np.exp(1j * OMEGA[OMEGA < np.pi / T] * T)
    found = [m.C @ np.linalg.solve(x * np.eye(len(m.A)) - m.A, m.B) + m.D for x in z]
    assert np.ravel(found) == pytest.approx(np.polyval(expected[0], z) / np.polyval(expected[1], z), rel=1e-9)
    if exact_at is not None:
        x = np.exp(2j * np.pi * exact_at * T)
        here = (m.C @ np.linalg.solve(x * np.eye(len(m.A)) - m.A, m.B) + m.D).item()
        s = 2j * np.pi * exact_at
        assert here == pytest.approx(np.polyval(num, s) / np.polyval(den, s), abs=1e-12)


def test_filters_are_values() -> None:
    for kind, arguments, *_ in FILTERS.values():
        one = kind(**arguments, period=1e-3, limits=5.0)
        assert pickle.loads(pickle.dumps(one)) == one == eval(repr(one), vars(ss))


def filtered(**options: float) -> ss.Machine:
    """A machine with each filter, a PID of two degrees of freedom and a disturbance observer."""
    machine = ss.Machine(mass=1.0, names=["axis"])
    machine.add_controller(ss.PI(kp=5.0, tn=0.1), "speed", measure="axis.velocity")
    for name, (kind, arguments, *_) in FILTERS.items():
        machine.add_controller(kind(**arguments, **options), name, reference="speed.output", to="axis")
    pid = ss.PID2(kp=3.0, ki=4.0, limits=2.0, **options)
    machine.add_controller(pid, "pid", reference=1.0, measure="axis", to="axis")
    observer = ss.DisturbanceObserver(2.0, 10.0)
    machine.add_controller(observer, "observer", reference="pid.output", measure="axis.velocity", to="axis")
    return machine


def test_a_machine_prints_filters_as_they_were_written() -> None:
    """Copies, pickled ones, those from JSON and those of saved runs as well; what follows in a copy stays there."""
    for options in ({}, {"period": 1e-3}):
        machine = filtered(**options)
        text = repr(machine)
        for kind, arguments, *_ in FILTERS.values():
            assert repr(kind(**arguments, **options)) in text
        assert "PID2(kp=3.0, ki=4.0, limits=(-2.0, 2.0)" in text
        assert "DisturbanceObserver(mass=2.0, frequency=10.0)" in text and "LTI" not in text
        run = ss.simulate(machine, t_end=0.01)
        written = json.loads(json.dumps(machine.to_dict()))
        copies = [copy.copy(machine), copy.deepcopy(machine), pickle.loads(pickle.dumps(machine))]
        for other in [*copies, ss.Machine.from_dict(written), pickle.loads(pickle.dumps(run)).machine]:
            assert repr(other) == text and other == machine
            assert "Notch(frequency=50.0, damping=0.3, depth=0.2" in other._repr_html_()
        copies[0].add_controller(ss.LowPass(7.0), "last", reference=1.0)
        assert repr(machine) == text and "LowPass(frequency=7.0)" in repr(copies[0])


def test_outdated_filter_text_is_not_printed() -> None:
    written = filtered().to_dict()
    notch = next(e for e in written["elements"] if e["name"] == "notch")
    notch["control"]["law"]["D"] = [[2.0]]
    assert "'notch': LTI(" in repr(ss.Machine.from_dict(written))
    assert "Notch(" in repr(filtered())
    for words in ({"kind": "Controller"}, {"kind": "Notch", "width": 1.0}):
        with pytest.raises(ValueError, match="words is damaged"):
            ss.Machine.from_dict(written | {"words": {"notch": words}})


def test_notch_removes_its_resonance() -> None:
    """A force on a body passes a notch: at its frequency nothing moves after the start, beside it much does."""
    for frequency, least, most in ((180.0, 0.0, 1e-6), (120.0, 1e-4, 1.0)):
        m = ss.Machine(mass=1.0, damping=50.0, names=["q"])
        wave = ss.Sine(amplitude=100.0, frequency=frequency)
        m.add_controller(ss.Notch(frequency=180.0), "notch", reference=wave, to="q")
        late = ss.simulate(m, t_end=1.0, t_eval=np.linspace(0.9, 1.0, 400))["q.velocity"]
        assert least <= np.ptp(late) <= most


def test_pid2_matches_closed_form() -> None:
    kp, ki, kd, tf, b, c = 30.0, 40.0, 5.0, 0.01, 0.4, 0.2
    m = ss.Machine(mass=2.0, names=["q"])
    m.add_controller(ss.PID2(kp=kp, ki=ki, kd=kd, tf=tf, b=b, c=c), "pid", on="q")
    back = kp + ki / S + kd * S / (tf * S + 1.0)
    ahead = kp * b + ki / S + kd * c * S / (tf * S + 1.0)
    plant = 1.0 / (2.0 * S**2)
    assert ss.open_loop(m, at="pid.output")(OMEGA) == pytest.approx(back * plant, rel=1e-9)
    closed = m.bode("pid.reference", "q", OMEGA).response[0, 0]
    assert closed == pytest.approx(ahead * plant / (1.0 + back * plant), rel=1e-9)


@pytest.mark.parametrize("period", [None, 2e-3])
def test_pid2_with_unit_weights_equals_pid(period: float | None) -> None:
    """Limits, anti-windup and sampling included."""
    options = {"limits": 4.0, "period": period}
    t = np.linspace(0.0, 6.0, 301)
    runs = []
    for control in (ss.PID2(kp=30.0, ki=40.0, **options), ss.PID(kp=30.0, ki=40.0, **options)):
        m = ss.Machine(mass=1.0, damping=8.0, names=["q"])
        m.add_controller(control, "pid", on="q", reference=1.0)
        runs.append(ss.simulate(m, t_end=6.0, t_eval=t))
    assert np.abs(runs[0]["pid.output"]).max() == 4.0
    for name in ("q.position", "pid.output"):
        assert runs[0][name] == pytest.approx(runs[1][name], rel=0, abs=1e-11)


def test_disturbance_observer_matches_closed_form() -> None:
    """The body answers its command as before, and disturbances as 1/(m (s + w))."""
    mass, w = 2.0, 2 * np.pi * 10.0
    m = ss.Machine(mass=mass, names=["q"])
    m.add_controller(ss.P(kp=1.0), "command", measure="q.position", to="q")
    m.add_controller(
        ss.DisturbanceObserver(mass=mass, frequency=10.0), "observer", reference="command.output",
        measure="q.velocity", to="q",
    )  # fmt: skip
    assert ss.open_loop(m, at="command.output")(OMEGA) == pytest.approx(1.0 / (mass * S**2), rel=1e-9)
    stiff = m.bode("q", "q.velocity", OMEGA).response[0, 0]
    free = 1.0 / (mass * (S + w))
    # Closed over the command: v (1 + 1/(m s²)) = d/(m (s + w)).
    assert stiff == pytest.approx(free / (1.0 + 1.0 / (mass * S**2)), rel=1e-8)


def test_impossible_filters_are_refused() -> None:
    for make, message in (
        (lambda: ss.Notch(frequency=0.0), "frequency = 0.0 is not allowed"),
        (lambda: ss.Notch(frequency=50.0, depth=2.0), "depth = 2.0 is not allowed: it must be from 0 to 1"),
        (lambda: ss.LowPass(frequency=50.0, order=3), "order = 3 is not allowed: it must be 1 or 2"),
        (
            lambda: ss.Notch(frequency=600.0, period=1e-3),
            "frequency = 600.0 .* below half the sampling rate, 500 Hz",
        ),
        (lambda: ss.PID2(kp=1.0, kd=1.0), "tf is missing"),
        (lambda: ss.Biquad((1.0, 0.0, 0.0), (0.0, 1.0, 1.0)), "of degree 1 at most"),
        (lambda: ss.LowPass(frequency=5.0, quantum=1e-3, period=1e-3), "quantum = 0.001 .* left out"),
    ):
        with pytest.raises(ValueError, match=message):
            make()
