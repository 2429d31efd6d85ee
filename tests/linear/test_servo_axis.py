"""A servo axis from parts, without friction, backlash, limits and encoder steps, is python-control's sampled loop."""

import control as ct
import numpy as np
import pytest
from numpy.typing import NDArray

import stickslip as ss
from stickslip import parts

Array = NDArray[np.float64]

T, LAG, LEAD, RATIO, LOAD = 125e-6, 5e-4, 0.01, 2.0, 200.0
KP, TN, KV, NOTCH, WIDTH, DEPTH = 1.2, 15e-3, 60.0, 320.0, 0.5, 0.1
GEAR, COUPLING = (2e4, 2.0), (8e3, 1.0)
TURNS = 2.0 * np.pi / LEAD


def axis() -> ss.Drive:
    made = ss.Drive()
    made.add("motor", parts.Motor(2e-3, "notch.output", current_lag=LAG))
    made.add("gear", parts.Gear(RATIO, stiffness=GEAR[0], damping=GEAR[1]))
    made.add("pinion", parts.Inertia(1e-3))
    made.add("coupling", parts.Coupling(*COUPLING))
    made.add("screw", parts.Inertia(1e-3))
    made.add("nut", parts.BallScrew(LEAD))
    made.add("slide", parts.Slide(LOAD))
    made.add("position", ss.P(kp=KV, period=T), measure="motor", reference=1.0)
    speed = ss.PI(kp=KP, tn=TN, controls="rate", rate="difference", period=T)
    made.add("speed", speed, measure="motor", reference="position.output")
    notch = ss.Notch(frequency=NOTCH, damping=WIDTH, depth=DEPTH, period=T)
    made.add("notch", notch, reference="speed.output")
    return made


def plant() -> ct.StateSpace:
    """From the command of the motor to its angle and the slide, held over T."""
    mass = np.diag([2e-3, 1e-3, 1e-3 + LOAD / TURNS**2])
    gear, coupling = np.array([1.0 / RATIO, -1.0, 0.0]), np.array([0.0, 1.0, -1.0])
    k, d = (GEAR[i] * np.outer(gear, gear) + COUPLING[i] * np.outer(coupling, coupling) for i in (0, 1))
    a, b = np.zeros((7, 7)), np.zeros((7, 1))
    a[:3, 3:6] = np.eye(3)
    a[3:6, :3], a[3:6, 3:6] = -np.linalg.solve(mass, k), -np.linalg.solve(mass, d)
    a[3, 6], a[6, 6], b[6, 0] = 1.0 / 2e-3, -1.0 / LAG, 1.0 / LAG
    c = np.zeros((2, 7))
    c[0, 0], c[1, 2] = 1.0, 1.0 / TURNS
    return ct.sample_system(ct.ss(a, b, c, np.zeros((2, 1))), T)


def law() -> ct.StateSpace:
    """From (reference, motor angle): v = KV (r - x) - (x - x_before)/T into KP (1 + T/TN z/(z - 1)) and the notch."""
    i = KP * T / TN
    inner = ct.ss(
        [[0.0, 0.0], [i / T, 1.0]], [[0.0, 1.0], [i * KV, -i * (KV + 1.0 / T)]],
        [[KP * (1.0 + T / TN) / T, 1.0]], [[KP * (1.0 + T / TN) * KV, -KP * (1.0 + T / TN) * (KV + 1.0 / T)]], T,
    )  # fmt: skip
    w = 2.0 * np.pi * NOTCH
    analogue = ct.tf([1.0, 2.0 * DEPTH * WIDTH * w, w**2], [1.0, 2.0 * WIDTH * w, w**2])
    return ct.ss(ct.sample_system(analogue, T, method="tustin", prewarp_frequency=w)) * inner


def closed() -> ct.StateSpace:
    p, k = plant(), law()
    x = p.C[:1]
    return ct.ss(
        np.block([[p.A + p.B @ k.D[:, 1:] @ x, p.B @ k.C], [k.B[:, 1:] @ x, k.A]]),
        np.vstack([p.B @ k.D[:, :1], k.B[:, :1]]),
        np.hstack([p.C, np.zeros((2, k.nstates))]), np.zeros((2, 1)), T,
    )  # fmt: skip


def test_poles_agree_with_python_control() -> None:
    ours, theirs = axis().machine.poles(), closed().poles()
    assert ours.stable and len(ours) == len(theirs) == 11
    left = list(theirs)
    for pole in np.asarray(ours):  # each has its own
        nearest = min(left, key=lambda z: abs(z - pole))
        assert abs(nearest - pole) < 1e-10
        left.remove(nearest)


def test_step_response_agrees_with_python_control() -> None:
    time = T * np.arange(800)
    expected = ct.step_response(closed(), time).outputs[:, 0]
    run = ss.simulate(axis(), t_end=time[-1], t_eval=time)
    assert run["motor.position"] == pytest.approx(expected[0], abs=1e-10)
    assert TURNS * run["slide.position"] == pytest.approx(TURNS * expected[1], abs=1e-10)
    assert abs(expected[0, -1] - 1.0) < 0.05  # it gets there


def test_open_loop_agrees_with_python_control() -> None:
    p, k = plant(), law()
    loop = ss.open_loop(axis(), at="speed.output")
    omega = np.geomspace(1.0, 0.99 * np.pi / T, 200)
    direct = ct.ss(k.A, k.B[:, 1:], k.C, k.D[:, 1:], T) * p[0, 0]
    assert loop(omega) == pytest.approx(-direct(np.exp(1j * omega * T)), rel=1e-8)
    gain, phase = loop.margins().gm, loop.margins().pm
    assert gain > 2.0 and 40.0 < phase < 60.0
