"""Machines as linear systems: shapes, names, feedforward, samples, python-control and back."""

import control as ct
import numpy as np
import pytest

import stickslip as ss

# python-control sets the shape of arrays, which newer versions of NumPy advise against.
pytestmark = pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")

OMEGA = np.geomspace(0.1, 300.0, 60)


def axis(**sampling: float) -> ss.Machine:
    m = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    m.add_controller(ss.PI(kp=40.0, tn=0.1, **sampling), "speed", measure="q.velocity", to="q")
    return m


def test_shapes_are_those_of_python_control() -> None:
    m = axis()
    response = m.bode(["q", "speed.reference"], ["q", "q.velocity", "speed.output"], OMEGA)
    system = m.to_control(["q", "speed.reference"], ["q", "q.velocity", "speed.output"])
    assert response.response.shape == (3, 2, OMEGA.size) == system(1j * OMEGA, squeeze=False).shape
    assert response.response == pytest.approx(system(1j * OMEGA), rel=1e-10)
    assert system.input_labels == ["q", "speed_reference"]
    assert response.inputs == ("q", "speed.reference") and response.frequency[0] == OMEGA[0] / (2 * np.pi)


def test_closed_loop_matches_closed_form() -> None:
    s = 1j * OMEGA
    law = 40.0 * (1.0 + 1.0 / (0.1 * s))
    g = 1.0 / (2.0 * s + 1.0)
    m = axis()
    assert m.bode("speed.reference", "q.velocity", OMEGA).response[0, 0] == pytest.approx(
        law * g / (1 + law * g)
    )
    assert m.bode("q", "q.acceleration", OMEGA).response[0, 0] == pytest.approx(s * g / (1 + law * g))
    assert m.bode("speed.reference", "speed.error", OMEGA).response[0, 0] == pytest.approx(
        1.0 / (1 + law * g)
    )
    both = m.bode("q", {"q.velocity": 2.0, "q.position": 1.0}, OMEGA).response[0, 0]
    assert both == pytest.approx((2.0 + 1.0 / s) * g / (1 + law * g))


def test_a_rate_that_is_fed_forward_is_in_the_response() -> None:
    """u = kp e + f r', which no state space has; a lag behind it has one."""
    s = 1j * OMEGA
    m = ss.Machine(mass=2.0, names=["q"])
    m.add_controller(ss.P(kp=30.0, feedforward=1.5), "p", measure="q", to="q")
    closed = (30.0 + 1.5 * s) / (2.0 * s**2 + 30.0)
    assert m.bode("p.reference", "q", OMEGA).response[0, 0] == pytest.approx(closed, rel=1e-10)
    assert m.to_control("p.reference", "q")(s) == pytest.approx(closed, rel=1e-10)
    assert m.bode("p.reference", "p.output", OMEGA).response[0, 0] == pytest.approx(
        closed * 2.0 * s**2, rel=1e-8
    )
    with pytest.raises(ValueError, match="the rate of 'p.reference' is fed forward"):
        m.to_control("p.reference", "p.output")


@pytest.mark.parametrize("delay", [0.0, 4e-3])
def test_sampled_machine_responds_to_sines_as_computed(delay: float) -> None:
    """A run under a sampled sine, once it has settled, has gain and phase of the response."""
    omega, period = 12.0, 1e-2
    m = axis(period=period, delay=delay)
    expected = complex(m.bode("speed.reference", "q.velocity", [omega]).response[0, 0, 0])
    run = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    run.add_controller(
        ss.PI(kp=40.0, tn=0.1, period=period, delay=delay), "speed", measure="q.velocity", to="q",
        reference=ss.Sine(amplitude=1.0, frequency=omega / (2 * np.pi)),
    )  # fmt: skip
    t = period * np.arange(4000, 4400)
    v = ss.simulate(run, t_end=t[-1], t_eval=t)["q.velocity"]
    basis = np.stack([np.sin(omega * t), np.cos(omega * t)], axis=1)
    (in_phase, ahead), *_ = np.linalg.lstsq(basis, v, rcond=None)
    assert complex(in_phase, ahead) == pytest.approx(expected, rel=1e-9)


def test_a_sampled_machine_is_python_controls_sampled_system() -> None:
    """Forces held over the period: the plant by zero-order hold, the loop closed in z, poles and steps to 1e-10."""
    T, n = 1e-2, 200
    m = axis(period=T)
    theirs_plant = ct.sample_system(ct.ss(ct.tf([1.0], [2.0, 1.0])), T)
    law = ct.ss(ct.tf([1.0 + T / 0.1, -1.0], [1.0, -1.0], T) * 40.0)
    closed = ct.feedback(theirs_plant * law)
    ours = m.to_control("speed.reference", "q.velocity")
    assert ours.dt == T
    time = T * np.arange(n)
    assert ct.step_response(ours, time).outputs == pytest.approx(
        ct.step_response(closed, time).outputs, abs=1e-10
    )
    run = ss.simulate(m_with_step(T), t_end=time[-1], t_eval=time)
    assert run["q.velocity"] == pytest.approx(ct.step_response(closed, time).outputs, abs=1e-10)


def m_with_step(T: float) -> ss.Machine:
    m = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    m.add_controller(ss.PI(kp=40.0, tn=0.1, period=T), "speed", measure="q.velocity", to="q", reference=1.0)
    return m


def test_state_space_plants_match_closed_form() -> None:
    plant = ss.StateSpace(A=-2.0, B=1.0, C=1.0, inputs=["u"], outputs=["y"])
    plant.add_controller(ss.PI(kp=3.0, tn=0.5), "pi", measure="y", to="u")
    s = 1j * OMEGA
    loop = 3.0 * (1 + 2.0 / s) / (s + 2.0)
    assert ss.open_loop(plant, at="pi.output")(OMEGA) == pytest.approx(loop, rel=1e-12)
    assert plant.bode("pi.reference", "y", OMEGA).response[0, 0] == pytest.approx(
        loop / (1 + loop), rel=1e-12
    )


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(ss.UnknownNameError, match=r"unknown input 'p'; known are: 'q', 'speed.reference'"):
        axis().bode("p", "q")
    with pytest.raises(ss.UnknownNameError, match=r"unknown output 'p.*'q.acceleration', 'speed.output'"):
        axis().bode("q", "p.velocity")


def test_sampled_frequency_response_matches_closed_form() -> None:
    system = ct.sample_system(ct.ss(ct.tf([1.0], [1.0, 1.0])), 0.1)
    ours = ss.linear.frequency_response(system, OMEGA[:20])
    assert ours.response == pytest.approx(system(np.exp(0.1j * OMEGA[:20]))[None, None], rel=1e-12)
    grid = ss.linear.frequency_response(system)
    assert grid.omega[-1] <= np.pi / 0.1 and "1 x 1" in repr(grid)


def test_grid_ignores_rounding_errors_of_integrators() -> None:
    """A free mass under PID has three poles at 0, computed as about 1e-8 of the resonance of its load: 600 rad/s."""
    m = ss.Machine(mass=[40.0, 20.0], names=["motor", "slide"])
    m.add_spring("screw", on=("motor", "slide"), stiffness=5e6, damping=600.0)
    m.add_controller(ss.PID(kp=2e5, ki=1e6, kd=8e3), "pid", on="motor")
    grid = ss.open_loop(m, at="pid.output").bode().omega
    assert grid[0] > 0.01 and grid[-1] < 1e6
