"""Linear systems connected, and their step and impulse responses: as python-control, SciPy and closed forms have them."""

import control as ct
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import signal

import stickslip as ss

OMEGA = np.geomspace(0.1, 300.0, 25)


def drive() -> ss.linear.LinearSystem:
    """Two masses on a damped spring, from the motor's force to the load's velocity."""
    m = ss.Machine(
        mass=[2.0, 3.0], stiffness=[[400.0, -400.0], [-400.0, 400.0]], damping=[[2.0, -1.0], [-1.0, 1.0]],
        names=["motor", "load"],
    )  # fmt: skip
    return m.linearise("motor", "load.velocity")


def sampled_axis() -> ss.linear.LinearSystem:
    m = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    m.add_controller(
        ss.PI(kp=20.0, tn=0.2, period=0.01), "speed", measure="q.velocity", reference=0.0, to="q"
    )
    return m.linearise("speed.reference", "q.velocity")


def other() -> ss.linear.LinearSystem:
    m = ss.Machine(mass=1.0, damping=5.0, names=["second"])
    return m.linearise("second", "second.velocity")


def test_connections_are_those_of_python_control() -> None:
    g, h = drive(), other()
    gc, hc = g.to_control(), h.to_control()
    for ours, theirs in (
        (g.feedback(h), ct.feedback(gc, hc)),
        (g.feedback(7.0), ct.feedback(gc, 7.0)),
        (g.feedback(h, sign=1), ct.feedback(gc, hc, 1)),
        (g.feedback(), ct.feedback(gc)),
        (g.series(h), ct.series(gc, hc)),
        (h * g, hc * gc),
        (g.parallel(h), ct.parallel(gc, hc)),
        (g + h, gc + hc),
        (g - h, gc - hc),
        (-g, -gc),
        (2.0 * g, 2.0 * gc),
        (g * 2.0, gc * 2.0),
        (1.0 - g, 1.0 - gc),
        (g + 1.0, gc + 1.0),
        (g.series(hc), ct.series(gc, hc)),
    ):
        assert ours.response(OMEGA).response[0, 0] == pytest.approx(theirs(1j * OMEGA), rel=1e-9)


def test_order_of_a_product_is_that_of_matrices() -> None:
    """h * g reads g first: with two outputs of g and two inputs of h only one order fits."""
    m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
    g, h = m.linearise("a", ["a.velocity", "a.position"]), m.linearise(["a", "b"], "b.velocity")
    assert (h * g).D.shape == (1, 1) and (h * np.eye(2)).D.shape == (1, 2)
    with pytest.raises(ValueError, match="the first system has 1 outputs, the second one 2 inputs"):
        h.series(h)


def test_systems_of_different_periods_are_not_connected() -> None:
    with pytest.raises(
        ValueError, match="one system is sampled every 0.01 s, the other continuous: both must be"
    ):
        sampled_axis().feedback(drive())
    assert sampled_axis().feedback(0.5).period == 0.01
    with pytest.raises(ValueError, match=r"other.D .* has no solution|no solution"):
        ss.linear.LinearSystem(*drive()._matrices[:3], np.ones((1, 1))).feedback(-1.0)


def test_states_keep_their_names_in_python_control() -> None:
    system = drive()
    names = ("motor.position", "load.position", "motor.velocity", "load.velocity")
    assert system.states == names
    assert system.to_control().state_labels == [name.replace(".", "_") for name in names]
    connected = system.feedback(other())
    assert connected.states == (*names, "second.position", "second.velocity")
    assert system.feedback(system).states == ()  # no name stands for two states
    assert len(sampled_axis().to_control().state_labels) == sampled_axis().A.shape[0]
    assert "speed.z0" in sampled_axis().states


def test_step_response_of_an_oscillator_is_its_closed_form() -> None:
    """m = 1, c = 4: x = (1 - cos 2t)/4, its velocity (impulse response of the position) sin(2t)/2."""
    m = ss.Machine(mass=1.0, stiffness=4.0, names=["q"])
    system = m.linearise("q", "q.position")
    t, y = system.step_response(10.0)
    assert t.shape == (500,) and t[-1] == 10.0
    assert y == pytest.approx((1.0 - np.cos(2.0 * t)) / 4.0, abs=1e-12)
    t, y = system.impulse_response([0.0, 0.3, 4.0])
    assert y == pytest.approx(np.sin(2.0 * t) / 2.0, abs=1e-13)


def test_responses_of_a_drive_are_those_of_scipy_and_python_control() -> None:
    g = drive()
    t = np.linspace(0.0, 3.0, 200)
    _, expected = signal.step(signal.StateSpace(g.A, g.B, g.C, g.D), T=t)
    assert g.step_response(t).y[0, 0] == pytest.approx(expected, abs=1e-9)
    _, expected = signal.impulse(signal.StateSpace(g.A, g.B, g.C, g.D), T=t)
    assert g.impulse_response(t).y[0, 0] == pytest.approx(expected, abs=1e-9)
    theirs = ct.step_response(g.to_control(), t)
    assert tuple(g.step_response(t))[1] == pytest.approx(theirs.outputs, abs=1e-9)


def test_responses_of_a_sampled_loop_are_those_of_python_control() -> None:
    g = sampled_axis()
    t, y = g.step_response(0.5)
    assert t == pytest.approx(0.01 * np.arange(51))
    assert y == pytest.approx(ct.step_response(g.to_control(), t).outputs, abs=1e-12)
    assert g.impulse_response(t).y[0, 0] == pytest.approx(
        ct.impulse_response(g.to_control(), t).outputs, abs=1e-10
    )
    with pytest.raises(ValueError, match=r"sampling instants, whole multiples of 0.01 s"):
        g.step_response([0.0, 0.015])


def test_sampled_step_response_equals_simulation() -> None:
    m = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    speed = ss.PI(kp=20.0, tn=0.2, period=0.01)
    m.add_controller(speed, "speed", measure="q.velocity", reference=ss.Constant(1.0), to="q")
    run = ss.simulate(m, 0.5, dt=0.01)
    t, y = sampled_axis().step_response(run.t)
    assert y == pytest.approx(run["q.velocity"], abs=1e-12)


def test_default_times_resolve_fast_and_slow_transients() -> None:
    """Poles at -1 and -1000: the end lies at 7 slow time constants, the first times within 0.1 fast ones."""
    slow_and_fast = ss.OpenLoop(
        ([[-1.0, 0.0], [0.0, -1000.0]], [[1.0], [1.0]], [[1.0, 1000.0]], [[0.0]])
    ).system
    t, y = slow_and_fast.step_response()
    assert t[-1] == pytest.approx(7.0) and t[1] == pytest.approx(1e-4)
    assert y == pytest.approx(2.0 - np.exp(-t) - np.exp(-1000.0 * t), abs=1e-12)
    integrator = ss.OpenLoop(([[0.0]], [[1.0]], [[1.0]], [[0.0]])).system
    assert integrator.step_response().y[0, 0, -1] == pytest.approx(integrator.step_response().t[-1])


def test_shape_is_outputs_inputs_times() -> None:
    m = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
    response = m.linearise(["a", "b"], ["a.velocity", "b.velocity", "a.position"]).step_response(1.0)
    assert response.y.shape == (3, 2, 500) and next(iter(response)).shape == (500,)
    assert response.y[:, :, -1] == pytest.approx(np.array([[1.0, 0.0], [0.0, 0.5], [0.5, 0.0]]))
    assert "step, 3 x 2, 500 times, 0 to 1 s" in repr(response)


def test_bode_draws_into_given_axes_in_hertz() -> None:
    figure, axes = plt.subplots(2, 1, sharex=True)
    response = drive().bode(OMEGA, ax=axes, Hz=True, color="black", label="drive")
    gain = axes[0].get_lines()[-1]
    assert gain.get_xdata() == pytest.approx(OMEGA / (2.0 * np.pi)) and gain.get_color() == "black"
    assert gain.get_ydata() == pytest.approx(response.decibel[0, 0])
    assert axes[1].get_xlabel() == "frequency [Hz]"
    assert response.omega == pytest.approx(OMEGA)  # in rad/s in any case


def test_bode_of_machines_and_loops_takes_the_same_arguments() -> None:
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_controller(ss.PI(kp=200.0, tn=0.05), "speed", measure="slide.velocity", to="slide")
    for bode in (ss.open_loop(m, at="speed.output").bode, lambda **k: m.bode("slide", "slide.velocity", **k)):
        _, axes = plt.subplots(2, 1)
        bode(omega=OMEGA, ax=axes, Hz=True)
        assert axes[0].get_lines() and axes[1].get_xlabel() == "frequency [Hz]"
        assert bode(omega=OMEGA, Hz=True).plot()[1].get_xlabel() == "frequency [Hz]"
        plt.close("all")
        bode(omega=OMEGA)
        assert not plt.get_fignums()  # without ax nothing is drawn
        with pytest.raises(
            ValueError, match="color = 'red' is not allowed: it must be left out where nothing is drawn"
        ):
            bode(omega=OMEGA, color="red")


def test_responses_over_time_are_drawn() -> None:
    axes = drive().step_response(2.0).plot(color="black")
    assert axes.get_ylabel() == "step response" and axes.get_lines()[0].get_color() == "black"
    _, own = plt.subplots()
    assert sampled_axis().impulse_response().plot(own) is own
    assert own.get_lines()[0].get_drawstyle() == "steps-post"
