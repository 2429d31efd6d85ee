"""Integrals held back by limits further on."""

import numpy as np
import pytest

import stickslip as ss
from stickslip import parts


def limit(size: float) -> ss.LTI:
    return ss.LTI([], [], [], [[1.0]], inputs="both", references=1, limits=size)


def less() -> ss.LTI:
    return ss.LTI([], [], [], [[1.0, -1.0]], inputs="both", references=2)


@pytest.mark.parametrize("kind", ["PI", "PID", "Cascade"])
def test_downstream_limit_acts_as_own_limit(kind: str) -> None:
    """Continuous: z' = ki e + (limited - asked)/Tt is the same law, wherever the limit stands."""
    control = {
        "PI": lambda **o: ss.PI(kp=4.0, tn=0.5, **o),
        "PID": lambda **o: ss.PID(kp=9.0, ki=6.0, kd=4.0, **o),
        "Cascade": lambda **o: ss.Cascade(kv=2.0, kp=6.0, tn=0.4, **o),
    }[kind]
    runs = []
    for chained in (False, True):
        m = ss.Machine(mass=1.0, damping=0.1, names=["q"])
        step = ss.SmoothStep(2.0, start=0.1, duration=0.2)
        if chained:
            m.add_controller(control(), "c", measure="q", reference=step, excess="less.output")
            m.add_controller(limit(1.0), "limit", reference="c.output", to="q")
            m.add_controller(less(), "less", reference=["limit.output", "c.output"])
        else:
            m.add_controller(control(limits=1.0), "c", measure="q", reference=step, to="q")
        runs.append(ss.simulate(m, t_end=12.0, dt=0.05))
    assert runs[1]["q.position"] == pytest.approx(runs[0]["q.position"], abs=1e-9)
    assert len(runs[0].events) >= 2  # the limit was reached and left


def test_a_sampled_integral_follows_the_recursion() -> None:
    """i(k) = i(k-1) + kp T/tn e(k) + T/Tt (limited - asked)(k-1), u = kp e + i, through a filter of b u(k) + a y(k-1)."""
    T, kp, tn, tt, a, b, top = 1e-2, 3.0, 0.2, 0.1, 0.6, 0.4, 1.0
    m = ss.Machine(mass=1.0, names=["q"])
    pi = ss.PI(kp=kp, tn=tn, tracking_time=tt, period=T)
    m.add_controller(pi, "pi", measure="q.velocity", reference=2.0, excess="less.output")
    smooth = ss.LTI(a, b, a, b, inputs="both", references=1, discrete=True, period=T)
    m.add_controller(smooth, "filter", reference="pi.output")
    m.add_controller(limit(top), "limit", reference="filter.output", to="q")
    m.add_controller(less(), "less", reference=["limit.output", "filter.output"])
    run = ss.simulate(m, t_end=4.0, dt=T)
    v, i, y, excess, expected = 0.0, 0.0, 0.0, 0.0, []
    for _ in run.t:
        expected.append(v)
        e = 2.0 - v
        i += kp * T / tn * e + T / tt * excess
        y = a * y + b * (kp * e + i)
        push = np.clip(y, -top, top)
        excess = push - y
        v += T * push
    assert run["q.velocity"] == pytest.approx(expected, abs=1e-12)
    free = ss.Machine(mass=1.0, names=["q"])
    free.add_controller(ss.PI(kp=kp, tn=tn, period=T), "pi", measure="q.velocity", reference=2.0)
    free.add_controller(smooth, "filter", reference="pi.output")
    free.add_controller(limit(top), "limit", reference="filter.output", to="q")
    wound = ss.simulate(free, t_end=4.0, dt=T)["q.velocity"].max()
    assert np.max(expected) < 2.15 < 3.0 < wound


def test_limited_by_connects_anti_windup() -> None:
    axis = ss.Drive()
    command = ["notch.output", {"model.output": 0.5}]
    axis.add("motor", parts.Motor(0.1, command, current_lag=1e-3, torque_limit=2.0))
    speed = ss.PI(kp=2.0, tn=0.02, period=1e-3)
    axis.add("speed", speed, measure="motor.velocity", reference=30.0, limited_by="motor")
    axis.add("notch", ss.Notch(frequency=100.0, period=1e-3), reference="speed.output")
    axis.add("model", ss.FrictionCurve(0.3, period=1e-3), reference=ss.Ramp(slope=1.0))
    run = ss.simulate(axis, t_end=4.0, dt=1e-3)
    assert run["motor.velocity"].max() < 30.5 and run["motor.velocity"][-1] == pytest.approx(30.0, abs=1e-6)
    taken = run["motor_limit.output"] - run["notch.output"] - 0.5 * run["model.output"]
    assert run["motor_excess.output"] == pytest.approx(taken, abs=1e-12) and taken.min() < -1.0
    assert np.all(np.abs(axis.machine.poles()) < 1.0 + 1e-9)


def test_controller_without_integral_is_refused() -> None:
    m = ss.Machine(mass=1.0, names=["q"])
    for control in (ss.P(kp=1.0), ss.PID(kp=1.0, kd=2.0), limit(1.0)):
        with pytest.raises(ValueError, match="excess is not allowed"):
            m.add_controller(control, measure="q", excess="less.output", to="q")
    with pytest.raises(ValueError, match="'clamping' is not allowed with excess=.* with a period"):
        m.add_controller(
            ss.PI(kp=1.0, tn=1.0, anti_windup="clamping"), measure="q", excess="less.output", to="q"
        )
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.1, "speed.output"))
    axis.add("speed", ss.PI(kp=2.0, tn=0.02), measure="motor.velocity", limited_by="motor")
    with pytest.raises(ValueError, match="a motor with a torque_limit"):
        _ = axis.machine


def clamped(reference: ss.Signal | float = 2.0, kp: float = 3.0) -> tuple[ss.Machine, float]:
    T = 1e-2
    m = ss.Machine(mass=1.0, names=["q"])
    pi = ss.PI(kp=kp, tn=0.2, anti_windup="clamping", period=T)
    m.add_controller(pi, "pi", measure="q.velocity", reference=reference, excess="less.output")
    smooth = ss.LTI(0.6, 0.4, 0.6, 0.4, inputs="both", references=1, discrete=True, period=T)
    m.add_controller(smooth, "filter", reference="pi.output")
    m.add_controller(limit(1.0), "limit", reference="filter.output", to="q")
    m.add_controller(less(), "less", reference=["limit.output", "filter.output"])
    return m, T


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_sampled_integral_is_clamped(side: float) -> None:
    """d = kp T/tn e, u = kp e + i + d; then i += d less what was cut off at the last instant, of a step outward alone and
    at most all of it."""
    m, T = clamped(2.0 * side)
    run = ss.simulate(m, t_end=4.0, dt=T)
    v, i, y, cut, expected, held = 0.0, 0.0, 0.0, 0.0, [], 0
    for _ in run.t:
        expected.append(v)
        e = 2.0 * side - v
        step = 3.0 * T / 0.2 * e
        back = np.clip(cut, 0.0, step) if step > 0.0 else np.clip(cut, step, 0.0)
        held += back != 0.0
        y = 0.6 * y + 0.4 * (3.0 * e + i + step)
        i += step - back
        push = np.clip(y, -1.0, 1.0)
        cut = y - push
        v += T * push
    assert run["q.velocity"] == pytest.approx(expected, abs=1e-12)
    assert held > 50 and np.abs(expected).max() < 2.15


def test_derivatives_through_clamping_agree_with_differences() -> None:
    start = {"q.velocity": 0.1}
    runs = [
        ss.simulate(clamped(reference)[0], t_end=3.0, initial=start) for reference in (2.0 - 1e-5, 2.0 + 1e-5)
    ]
    differences = (runs[1].state.x - runs[0].state.x) / 2e-5
    run = ss.simulate(clamped()[0], t_end=3.0, initial=start, sensitivities=["pi.reference0"])
    for name in ("q.position", "q.velocity"):
        k = run.machine.compile().states.index(name)
        assert run.sensitivity[name, "pi.reference0"][-1] == pytest.approx(differences[k], rel=1e-6, abs=1e-9)


def test_limited_by_connects_clamping() -> None:
    axis = ss.Drive()
    axis.add("motor", parts.Motor(0.1, "speed.output", torque_limit=2.0))
    speed = ss.PI(kp=2.0, tn=0.02, anti_windup="clamping", period=1e-3)
    axis.add("speed", speed, measure="motor.velocity", reference=30.0, limited_by="motor")
    run = ss.simulate(axis, t_end=4.0)
    # 59.6 rad/s where it winds up.
    assert run["motor.velocity"].max() < 30.7 and run["motor.velocity"][-1] == pytest.approx(30.0, abs=1e-6)
