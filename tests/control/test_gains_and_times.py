"""Controllers given by gains or by times: ``tn = kp/ki``, ``td = kd/kp``."""

import copy
import dataclasses
import math
import pickle

import control as ct
import numpy as np
import pytest

import stickslip as ss


@pytest.mark.parametrize(
    ("by_gains", "by_times"),
    [
        (ss.PI(2.0, 40.0), ss.PI(kp=2.0, tn=0.05)),
        (ss.PI(-2.0, -40.0, limits=3.0), ss.PI(-2.0, tn=0.05, limits=3.0)),
        (ss.PID(3.0, 4.0, 6.0, limits=5.0), ss.PID(kp=3.0, tn=0.75, td=2.0, limits=5.0)),
        (ss.PID(3.0, kd=6.0), ss.PID(3.0, td=2.0)),
        (ss.PID(3.0, 4.0), ss.PID(3.0, tn=0.75)),
        (ss.PID2(3.0, 4.0, 6.0, tf=0.1, b=0.5), ss.PID2(3.0, tn=0.75, td=2.0, tf=0.1, b=0.5)),
        (ss.Cascade(5.0, 70.0, 1400.0), ss.Cascade(kv=5.0, kp=70.0, tn=0.05)),
    ],
)
def test_gains_and_times_make_the_same_controller(by_gains: ss.Controller, by_times: ss.Controller) -> None:
    assert by_gains == by_times and repr(by_gains) == repr(by_times)
    for one in (by_gains, by_times):
        assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == one
        assert eval(repr(one), vars(ss)) == one
        names = [name for name in ("ki", "kd", "tn", "td") if hasattr(one, name)]
        assert [getattr(one, name) for name in names] == [getattr(by_times, name) for name in names]


def test_transfer_functions_of_gains_and_times_are_those_of_python_control() -> None:
    """PI: kp + ki/s = kp (1 + 1/(tn s)), and with kd s/(tf s + 1) the PID controller."""
    s, omega = ct.tf("s"), np.array([0.3, 2.0, 50.0])
    for made, expected in (
        (ss.PI(2.0, 40.0), 2.0 + 40.0 / s),
        (ss.PI(2.0, tn=0.05), 2.0 * (1.0 + 1.0 / (0.05 * s))),
        (ss.PID2(3.0, 4.0, 6.0, tf=0.1, c=1.0), 3.0 + 4.0 / s + 6.0 * s / (0.1 * s + 1.0)),
        (
            ss.PID2(3.0, tn=0.75, td=2.0, tf=0.1, c=1.0),
            3.0 * (1.0 + 1.0 / (0.75 * s) + 2.0 * s / (0.1 * s + 1.0)),
        ),
    ):
        a, b, c, d, _ = made.matrices
        block = ct.ss(a, b[:, :1], c, d[:, :1])
        assert block(1j * omega) == pytest.approx(expected(1j * omega), rel=1e-12)


def test_gains_and_times_can_be_read_from_either() -> None:
    pi, pid, cascade = ss.PI(2.0, 40.0), ss.PID(3.0, tn=0.75, td=2.0), ss.Cascade(5.0, 70.0, tn=0.05)
    assert (pi.kp, pi.ki, pi.tn) == (2.0, 40.0, 0.05)
    assert (pid.ki, pid.kd, pid.tn, pid.td) == (4.0, 6.0, 0.75, 2.0)
    assert cascade.ki == pytest.approx(1400.0, rel=1e-15)
    assert ss.PID(3.0).tn is None and ss.PID(0.0, ki=1.0).tn is None


def test_replaced_arguments_keep_what_sweeps_vary() -> None:
    """`PI` and `Cascade` keep tn, `PID` keeps ki and kd."""
    assert dataclasses.replace(ss.PI(2.0, 40.0), period=1e-3) == ss.PI(2.0, 40.0, period=1e-3)
    assert dataclasses.replace(ss.PI(2.0, 40.0), kp=4.0) == ss.PI(4.0, tn=0.05)
    assert dataclasses.replace(ss.PI(2.0, 40.0), ki=20.0, tn=None) == ss.PI(2.0, 20.0)
    assert dataclasses.replace(ss.Cascade(5.0, 70.0, tn=0.05), kv=6.0) == ss.Cascade(6.0, 70.0, tn=0.05)
    assert dataclasses.replace(ss.PID(3.0, tn=0.75, td=2.0), kp=6.0) == ss.PID(6.0, 4.0, 6.0)
    assert dataclasses.replace(ss.PID2(3.0, 4.0, 6.0, tf=0.1), b=0.5) == ss.PID2(3.0, 4.0, 6.0, tf=0.1, b=0.5)
    assert dataclasses.replace(ss.PID(3.0, 4.0, 6.0), ki=0.0) == ss.PID(3.0, kd=6.0)
    assert ss.PID(3.0, tn=ss.PID(6.0, 8.0).tn) == ss.PID(3.0, 4.0)
    assert ss.PI(3.0, ss.PI(6.0, tn=0.75).ki) == ss.PI(3.0, 8.0)
    with pytest.raises(ValueError, match="ki and tn = 20 and 0.05 exclude each other"):
        dataclasses.replace(ss.PI(2.0, 40.0), ki=20.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ss.PI(2.0), r"ki and tn are both missing: .* without an integral use P"),
        (lambda: ss.PI(2.0, 1.0, tn=1.0), r"ki and tn = 1 and 1 exclude each other"),
        (lambda: ss.PI(2.0, 0.0), r"ki = 0.0 is not allowed: it must be not 0: without an integral use P"),
        (lambda: ss.PI(0.0, 1.0), r"kp = 0.0 is not allowed: .* PID\(kp=0.0, ki=...\)"),
        (lambda: ss.PI(2.0, -1.0), r"ki = -1.0 is not allowed: it must be of the sign of kp = 2"),
        (lambda: ss.PI(2.0, math.nan), r"ki = nan"),
        (lambda: ss.Cascade(5.0, 70.0), r"ki and tn are both missing"),
        (lambda: ss.PID(3.0, 4.0, tn=1.0), r"ki = 4 and tn = 1 exclude each other: give one of them"),
        (lambda: ss.PID(3.0, kd=4.0, td=1.0), r"kd = 4 and td = 1 exclude each other: give one of them"),
        (lambda: ss.PID(0.0, tn=1.0), r"tn = 1.0 is not allowed: it must be left out where kp = 0: give ki"),
        (lambda: ss.PID(3.0, tn=0.0), r"tn = 0.0 is not allowed"),
        (lambda: ss.PID2(3.0, 4.0, tn=1.0), r"ki = 4 and tn = 1 exclude each other"),
    ],
)
def test_contradictions_are_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_machine_with_gains_is_saved_swept_and_moves_as_one_with_times() -> None:
    def axis(control: ss.Controller) -> ss.Machine:
        m = ss.Machine(mass=1.0, names=["q"])
        m.add_controller(control, "speed", measure="q.velocity", reference=1.0, to="q")
        return m

    m, other = axis(ss.PI(2.0, 40.0)), axis(ss.PI(2.0, tn=0.05))
    assert m == other and ss.Machine.from_dict(m.to_dict()) == m
    assert ss.simulate(m, 1.0).state == ss.simulate(other, 1.0).state
    out = ss.ensemble(m, {"speed.control.tn": [0.05, 0.1]}, t_end=1.0, measure=["q.velocity.final"])
    assert out["q.velocity.final"][0] == ss.simulate(m, 1.0)["q.velocity"][-1]
