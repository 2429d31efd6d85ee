"""One table names the variables of runs, real time and readers of a motion."""

import numpy as np
import pytest

import stickslip as ss

LAW = ss.Coulomb(static=1.0, kinetic=0.8)


def plant(signal: ss.Signal | float = 0.4) -> ss.StateSpace:
    """A mass on a spring, x'' = -2 x + u; its outputs see the input, a controller, a compensator and friction."""
    m = ss.StateSpace(
        A=[[0.0, 1.0], [-2.0, 0.0]],
        B=[[0.0], [1.0]],
        C=[[1.0, 0.0], [0.0, 1.0], [-2.0, 0.0]],
        D=[[0.0], [0.0], [1.0]],
        states=["p", "w"],
        outputs=["p", "v", "a"],
        signals={"u0": signal},
    )
    m.add_friction("f", law=LAW, velocity="v", on="u0", normal_load=0.1, feedthrough={"a": -1.0})
    m.add_controller(ss.P(kp=0.3), name="hold", measure="v", to="u0")
    m.add_controller(
        ss.FrictionFeedforward(ss.Coulomb(0.05)), name="help", reference=ss.Ramp(slope=1.0), to="u0"
    )
    return m


def machine(signal: ss.Signal | float = 0.4) -> ss.Machine:
    """The same machine in coordinates."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["x"], force={"x": signal})
    m.add_friction("f", on="x", law=LAW, normal_load=0.1)
    m.add_controller(ss.P(kp=0.3), name="hold", measure="x.velocity", to="x")
    m.add_controller(
        ss.FrictionFeedforward(ss.Coulomb(0.05)), name="help", reference=ss.Ramp(slope=1.0), to="x"
    )
    return m


def test_an_acceleration_as_an_output_is_that_of_the_machine() -> None:
    """Everything that acts on the input reaches the output: signal, controller, compensator, friction."""
    a, b = (ss.simulate(m, 5.0, dt=0.01) for m in (plant(), machine()))
    assert len(a.events) == len(b.events) > 0
    assert a["a"] == pytest.approx(b["x.acceleration"], abs=1e-12)
    assert np.ptp(a["a"]) > 0.5


@pytest.mark.parametrize("signal", [0.4, ss.Sine(amplitude=1.0, frequency=0.4)])
def test_state_space_in_real_time_equals_its_machine(signal: ss.Signal | float) -> None:
    names = {"p": "x.position", "v": "x.velocity", "a": "x.acceleration", "f.force": "f.force", "f.mode": "f.mode",
             "hold.output": "hold.output", "help.output": "help.output"}  # fmt: skip
    a = ss.RealTime(plant(signal), step=1e-3, outputs=list(names))
    b = ss.RealTime(machine(signal), step=1e-3, outputs=list(names.values()))
    x, y = a.run(3000), b.run(3000)
    assert x == pytest.approx(y, abs=1e-11)
    assert a.transitions == b.transitions > 0 and a.modes.keys() == {"f"}
    assert "help" not in a.modes


def test_an_unknown_output_is_named() -> None:
    with pytest.raises(
        ss.UnknownNameError, match=r"unknown signal 'q' in outputs; known are: 'p', 'w', 'f.force'"
    ):
        ss.RealTime(plant(), step=1e-3, outputs=["q"])


def test_run_signals_equal_the_table_of_variables() -> None:
    for m in (plant(), machine()):
        run = ss.simulate(m, 0.1)
        assert list(run.signals) == [name for name, *_ in m.compile().variables]
        assert all(run[name].shape == run.t.shape for name in run.signals)


def test_variables_have_their_quantities() -> None:
    """Exponents of kg, m, s and rad."""
    m = machine()
    m.add_contact("wall", normal={"x": -1.0}, gap=5.0)
    q = m.compile().quantities
    newton, speed = (1, 1, -2, 0), (0, 1, -1, 0)
    assert q["x.position"] == q["wall.gap"] == (0, 1, 0, 0) and q["x.acceleration"] == (0, 1, -2, 0)
    assert q["x.velocity"] == q["f.velocity"] == q["wall.gap_rate"] == speed
    assert q["f.force"] == q["f.load"] == q["wall.normal_force"] == newton
    assert q["wall.normal_impulse"] == (1, 1, -1, 0) and q["f.mode"] == (0, 0, 0, 0)
