"""Machines whose motion a solver outside integrates (model exchange of FMI 3.0) against `simulate`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from corpus.machines import random_control
from fmpy.validation import validate_fmu

import stickslip as ss
from export.exchange import exchanged
from export.importer import imported
from export.test_c99_motion import lossy_mesh
from export.test_fmu_motion import GEAR, belt, cascade, lugre_pull, sampled_axis, with_dead_time

RTOL = 1e-11
REBOUND = RTOL**0.5  # of the greatest speed: a model exchange ends rebounds there, as its accuracy allows


def ball() -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["ball"], force={"ball": -9.81})
    m.add_contact("floor", normal={"ball": 1.0}, restitution=0.6)
    return m


def axis_with_stop() -> ss.Machine:
    m = ss.Machine(mass=2.0, names=["axis"], force={"axis": ss.Sine(amplitude=20.0, frequency=1.0)})
    m.add_friction("guide", on="axis", law=ss.Coulomb(static=3.0, kinetic=2.0))
    m.add_contact("stop", normal={"axis": -1.0}, gap=0.05, restitution=0.4)
    return m


def sliding_ball(push: float = 1.0) -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"x": push, "y": -9.81})
    m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
    return m


def backlash() -> ss.Machine:
    m = ss.Machine(
        mass=[2.0, 5.0], names=["motor", "slide"], force={"motor": ss.Sine(amplitude=40.0, frequency=2.0)}
    )
    m.add_spring("coupling", on=("motor", "slide"), stiffness=2e4, damping=20.0, backlash=1e-3)
    m.add_friction("guide", on="slide", law=ss.Stribeck(static=12.0, kinetic=8.0, stribeck_velocity=0.01))
    return m


def pendulum() -> ss.Machine:
    """A formula as force: the machine is not linear."""
    m = ss.Machine(mass=2.0, names=["arm"], kind="rotary")
    m.add_force("arm", lambda q: -15.0 * ss.math.sin(q["arm"]))
    m.add_friction("pivot", on="arm", law=ss.Coulomb(static=3.0, kinetic=2.0))
    return m


def automaton() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    law = ss.StickSlip(
        ss.Stribeck(static=1.0, kinetic=0.8, stribeck_velocity=0.05),
        memory=ss.Lag(0.01), dwell=1.0, presliding=ss.Presliding(travel=5e-3, damping=1.0),
    )  # fmt: skip
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    return m


def tied() -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"a": ss.Sine(amplitude=10.0, frequency=1.0)})
    m.add_constraint("gear", {"a": 1.0, "b": -2.0})
    m.add_friction("guide", on="a", law=ss.Coulomb(static=2.0, kinetic=1.5))
    return m


def two_brakes() -> ss.Machine:
    """Two friction elements on one body, whose shares at rest are statically indeterminate."""
    m = ss.Machine(mass=1.0, stiffness=4.0, names=["a"], force={"a": ss.Sine(amplitude=6.0, frequency=0.3)})
    m.add_friction("one", on="a", law=ss.Coulomb(static=1.0, kinetic=0.7))
    m.add_friction("two", on="a", law=ss.Coulomb(static=2.0, kinetic=1.5))
    return m


def bearing() -> ss.Machine:
    """A pendulum as a free body on a pin, whose plain bearing bears the magnitude of both reactions."""
    m = ss.Machine(mass=[1.0, 1.0, 0.02], names=["x", "y", "arm"])
    m.add_force("y", -9.81)
    m.add_force("x", ss.Sine(amplitude=2.0, frequency=0.5))
    m.add_constraint("across", lambda q: q["x"] - 0.5 * ss.math.sin(q["arm"]))
    m.add_constraint("along", lambda q: q["y"] + 0.5 * ss.math.cos(q["arm"]))
    law = ss.Coulomb(static=0.1, kinetic=0.1)
    m.add_friction("pin", {"arm": 0.02}, law, normal_load=("across.force", "along.force"))
    return m


# Machine, end time, outputs, initial values, and the share of each output's size to which it agrees (reached: a third).
CASES: dict[str, tuple[Any, float, list[str], dict[str, float], float]] = {
    "belt": (belt(lambda _: ss.Constant(0.0)), 10.0, ["block.position", "block.velocity", "belt.force"], {}, 1e-9),
    "LuGre": (lugre_pull(lambda _: ss.Constant(0.0)), 8.0, ["x.position", "floor.force"], {}, 3e-8),
    "wedge gear": (GEAR, 0.6, ["lower.position", "upper.velocity", "flank.normal_impulse"], {}, 1e-9),
    "cascade": (
        cascade(lambda _: ss.Sine(amplitude=50e-6, frequency=2.0)), 0.5, ["load.position", "control.output"], {}, 1e-9
    ),
    "sampled": (
        sampled_axis(lambda _: ss.Sine(amplitude=0.5, frequency=2.0)), 0.0998, ["slide.position", "speed.output"], {}, 1e-8
    ),
    "ball": (ball(), 2.0, ["ball.position", "floor.normal_impulse"], {"ball.position": 0.5}, 3e-8),
    "axis with stop": (axis_with_stop(), 1.0, ["axis.position", "axis.velocity", "stop.mode"], {}, 1e-9),
    "sliding ball": (sliding_ball(), 2.0, ["x.position", "floor.normal_impulse"], {"y.position": 0.5}, 1e-7),
    "backlash": (backlash(), 1.0, ["motor.position", "coupling.force"], {}, 1e-8),
    "pendulum": (pendulum(), 5.0, ["arm.position", "arm.velocity"], {"arm.position": 2.0}, 1e-9),
    "automaton": (automaton(), 6.0, ["block.position", "belt.mode"], {}, 1e-8),
    "tied": (tied(), 2.0, ["a.position", "b.position"], {}, 1e-9),
    "bearing": (
        bearing(), 2.0, ["arm.position", "pin.load"],
        {"x.position": 0.5 * math.sin(0.6), "y.position": -0.5 * math.cos(0.6), "arm.position": 0.6}, 1e-7,
    ),
    "lossy mesh": (lossy_mesh(), 2.0, ["a.position", "mesh.force"], {}, 1e-9),
    "two brakes": (two_brakes(), 5.0, ["a.position", "one.force", "two.force"], {}, 1e-9),
}  # fmt: skip
SLOW = {
    "LuGre",
    "lossy mesh",
    "sampled",
    "backlash",
    "automaton",
    "axis with stop",
    "tied",
    "two brakes",
    "cascade",
}


def marked(cases: Any) -> list[Any]:
    return [pytest.param(c, marks=pytest.mark.slow) if c in SLOW else c for c in cases]


def test_rebounds_end_where_friction_stops_the_body() -> None:
    """The flights last 2 v/g and halve, from v = 0.5 (2 g h)^(1/2): 20 impacts until v is below the least rebound."""
    with exchanged(sliding_ball(2.0), outputs=["x.position"], initial={"y.position": 0.5}, rtol=1e-11) as one:
        one.start()
        one.run(np.array([0.0, 1.0]), max_step=0.04)
        assert 15 < len(one.events) < 25


@pytest.mark.filterwarnings("ignore:'load friction")
@pytest.mark.parametrize("case", marked(CASES))
def test_integrated_by_scipy_it_moves_as_in_simulate(case: str) -> None:
    """Under SciPy's DOP853 and root finder, at times that are not those of events."""
    machine, t_end, outputs, initial, share = CASES[case]
    times = np.linspace(0.0, t_end, 202)[:-1]
    times[-1] = t_end
    options: dict[str, Any] = {"initial": initial, "rtol": RTOL}
    reference = ss.simulate(machine, t_end, t_eval=times, rebound_threshold=REBOUND, **options)
    with exchanged(machine, outputs=outputs, **options) as one:
        one.start()
        found = one.run(times, outputs, max_step=t_end / 50)
        assert one.messages == []
    for k, output in enumerate(outputs):
        expected = reference[output].astype(float)
        error = np.abs(found[1:, k] - expected[1:]).max()
        assert error <= share * np.abs(expected).max(), (output, error / np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 4, 7, 10, 11, 14, 16, 20, 21])
@pytest.mark.filterwarnings("ignore:'load friction")
def test_random_controlled_machines_move_as_in_simulate(seed: int) -> None:
    """Under DOP853, at random times, which no sampling instant is (reached: 1.4e-10 of the size of each motion)."""
    case = random_control(seed)
    times = np.sort(np.random.default_rng(1).uniform(0.0, case.t_end, 150))
    outputs = [f"{name}.{kind}" for name in case.machine.names for kind in ("position", "velocity")]
    reference = ss.simulate(case.machine, case.t_end, t_eval=times, rtol=RTOL, **case.options)
    with exchanged(case.machine, outputs=outputs, rtol=RTOL, **case.options) as one:
        one.start()
        found = one.run(times, outputs, max_step=case.t_end / 50)
        assert one.messages == []
    for k, output in enumerate(outputs):
        expected = reference[output].astype(float)
        assert np.abs(found[:, k] - expected).max() <= 1e-9 * np.abs(expected).max(), output


@pytest.mark.parametrize(
    "case", [pytest.param(c, marks=pytest.mark.slow) for c in ("sampled", "cascade", "LuGre")] + ["belt", "wedge gear"]
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:'load friction")
def test_integrated_by_cvode_it_moves_as_in_simulate(case: str, tmp_path: Path) -> None:
    """Under FMPy's CVode (BDF) with a relative tolerance of 1e-10: to 1e-7 of the size of each output.

    A pull with LuGre friction to 3e-5: CVODE on its three equations, at the same tolerance, is off by 5e-7 in position
    and 8e-6 in force, since the force falls within milliseconds where friction breaks away.
    """
    machine, t_end, outputs, initial, _ = CASES[case]
    made = ss.export.fmu(machine, tmp_path / "m.fmu", outputs=outputs, initial=initial, rtol=RTOL)
    assert validate_fmu(str(made.path)) == []
    run = fmpy.simulate_fmu(
        str(made.path), fmi_type="ModelExchange", solver="CVode", relative_tolerance=1e-10,
        stop_time=t_end, output_interval=t_end / 200, output=outputs, record_events=False,
    )  # fmt: skip
    times = np.minimum(run["time"], t_end)
    reference = ss.simulate(machine, t_end, t_eval=times, initial=initial, rtol=RTOL)
    for output in outputs:
        expected = reference[output].astype(float)
        share = 3e-5 if case == "LuGre" else 1e-7
        assert np.abs(run[output] - expected).max() <= share * np.abs(expected).max(), output


def test_state_events_are_the_events_of_simulate() -> None:
    """Stick and slip of the block on the belt: the same sequence, at the same times to 1e-9 s."""
    machine = belt(lambda _: ss.Constant(0.0))
    reference = ss.simulate(machine, 20.0, rtol=RTOL)
    expected = [event.time for event in reference.events if event.time > 0.0]
    with exchanged(machine, outputs=["belt.mode"], rtol=RTOL) as one:
        one.start()
        one.run(np.array([0.0, 20.0]), max_step=0.2)
        assert len(expected) > 5
        assert one.events == pytest.approx(expected, abs=1e-9)


def held(u: ss.Signal, static: float, kinetic: float) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=0.5, names=["b"], force={"b": u})
    m.add_friction("guide", on="b", law=ss.Coulomb(static=static, kinetic=kinetic))
    return m


@pytest.mark.parametrize("kinetic", [1.0, 1.2])
def test_input_that_grows_breaks_friction_away(kinetic: float) -> None:
    """Also with equal levels, where friction leaves rest without acceleration: the decision knows how the input grows."""
    times = np.linspace(0.0, 6.0, 187)
    signal = ss.Sine(amplitude=3.0, frequency=0.4)
    reference = ss.simulate(held(signal, 1.2, kinetic), 6.0, t_eval=times, rtol=RTOL)
    with exchanged(held(ss.Input("u"), 1.2, kinetic), outputs=["b.position"], rtol=RTOL) as one:
        one.start()
        found = one.run(times, ["b.position"], {"u": lambda t: 3.0 * np.sin(0.8 * np.pi * t)}, max_step=0.05)
        assert len(one.events) == len(reference.events)
    assert found[:, 0] == pytest.approx(reference["b.position"], abs=1e-10)


def test_pendulum_under_a_continuous_torque_is_that_of_simulate() -> None:
    """A machine that is not linear, which keeps its signals in another place than linear ones."""

    def machine(torque: ss.Signal) -> ss.Machine:
        m = ss.Machine(mass=2.0, names=["arm"], kind="rotary", force={"arm": torque})
        m.add_force("arm", lambda q: -15.0 * ss.math.sin(q["arm"]))
        m.add_friction("pivot", on="arm", law=ss.Coulomb(static=3.0, kinetic=2.0))
        return m

    times = np.linspace(0.0, 3.0, 89)
    reference = ss.simulate(machine(ss.Sine(amplitude=9.0, frequency=0.5)), 3.0, t_eval=times, rtol=RTOL)
    with exchanged(machine(ss.Input("torque")), outputs=["arm.position"], rtol=RTOL) as one:
        one.start()
        found = one.run(times, ["arm.position"], {"torque": lambda t: 9.0 * np.sin(np.pi * t)}, max_step=0.05)
        assert len(one.events) == len(reference.events) > 2
    assert found[:, 0] == pytest.approx(reference["arm.position"], abs=1e-9)


def test_input_that_jumps_in_event_mode_acts_from_there_on() -> None:
    """A unit mass at rest under static friction of 1 N, from t = 1 s on pushed by 3 N: v = 2 (t - 1)."""
    m = ss.Machine(mass=1.0, names=["b"], force={"b": ss.Input("u")})
    m.add_friction("guide", on="b", law=ss.Coulomb(static=1.0, kinetic=1.0))
    with exchanged(m, outputs=["b.velocity", "guide.mode"]) as one:
        one.start()
        one.run(np.array([0.0, 1.0]))
        assert one.get(["guide.mode"]) == [0.0]
        one.event({"u": 3.0})
        assert one.get(["guide.mode"]) == [1.0]
        assert one.rates() == pytest.approx([0.0, 2.0])
        found = one.run(np.array([1.0, 2.5]), ["b.velocity"])
        assert found[-1] == pytest.approx([3.0], rel=1e-10)


def test_event_mode_without_a_cause_changes_nothing() -> None:
    """Entered while an input varies: the states stay, and the input keeps the value that was set."""
    with exchanged(held(ss.Input("u"), 1.2, 1.0), outputs=["b.velocity"], initial={"b.velocity": 1.0}) as one:
        one.start()
        one.run(np.array([0.0, 0.1, 0.2]), inputs={"u": lambda t: 3.0 * t})
        before, rates = one.states(), one.rates()
        assert not one.event()
        assert np.array_equal(one.states(), before) and np.array_equal(one.rates(), rates)
        one.fmu.setTime(0.3)
        assert one.rates() == pytest.approx(rates)


def test_friction_without_load_has_no_event() -> None:
    """Its limit and its force are zero, and then grow apart."""
    m = ss.Machine(mass=1.0, names=["b"])
    m.add_friction("guide", on="b", law=ss.Coulomb(static=1.0, kinetic=0.8), normal_load=ss.Ramp(slope=1.0))
    with exchanged(m, outputs=["b.velocity"]) as one:
        one.start()
        one.run(np.array([0.0, 1.0]), max_step=0.1)
        assert one.events == []
        assert one.states() == pytest.approx([0.0, 0.0])


def test_coarse_solver_keeps_contacts_closed(tmp_path: Path) -> None:
    """Euler's method without root finding overshoots the floor; the decision closes the gap, and the ball comes to rest."""
    made = ss.export.fmu(
        ball(), tmp_path / "m.fmu", initial={"ball.position": 0.5}, outputs=["ball.position", "floor.mode"]
    )
    run = fmpy.simulate_fmu(
        str(made.path), fmi_type="ModelExchange", solver="Euler", step_size=1e-3, output_interval=1e-3, stop_time=2.0
    )  # fmt: skip
    assert run["ball.position"].min() > -0.01
    assert abs(run["ball.position"][-1]) < 1e-3


def test_numbers_of_states_and_indicators_are_those_of_the_description() -> None:
    with exchanged(axis_with_stop(), outputs=["axis.velocity"]) as one:
        assert one.fmu.getNumberOfContinuousStates() == one.counts["x"] == 2
        assert one.fmu.getNumberOfEventIndicators() == one.counts["z"] == 4
        one.start()
        names = list(one.variables)
        assert one.get(["axis.position", "axis.velocity"]) == list(one.states())
        assert (
            one.get([n for n in names if n.startswith("der(")])
            == sorted(one.rates(), reverse=True)
            == [0.0, 0.0]
        )
        assert one.get([n for n in names if "indicator" in n]) == list(one.indicators())
        assert all(one.indicators() < 0.0) and all(one.nominals() > 0.0)


def test_sampling_instants_are_time_events() -> None:
    """A controller of period 0.1 s: the next instants are its multiples, and its output is a state that jumps there."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=3.0, period=0.1), "loop", measure="q.velocity", reference=1.0, to="q")
    with exchanged(m, outputs=["q.velocity", "loop.output"]) as one:
        one.start()
        assert one.next == 0.1 and one.get(["loop.output"]) == [3.0]
        one.run(np.array([0.0, 0.35]))
        assert one.next == 4 * 0.1
        # v = 0.3, 0.51, 0.657 at the instants: each step takes 0.3 (1 - v).
        assert one.get(["loop.output"]) == pytest.approx([3.0 * (1.0 - 0.657)], rel=1e-12)


def test_restored_state_continues_with_the_same_bits() -> None:
    times = np.linspace(0.0, 10.0, 41)
    with exchanged(belt(lambda _: ss.Constant(0.0)), outputs=["block.position"]) as one:
        one.start()
        one.run(times[:21])
        saved = one.fmu.getFMUState()
        written = one.fmu.serializeFMUState(saved)
        first, t = one.run(times[20:], ["block.position"]), times[20]
        for state in (saved, one.fmu.deserializeFMUState(written)):
            one.fmu.setFMUState(state)
            one.t = t
            assert np.array_equal(one.run(times[20:], ["block.position"]), first)


def test_directional_derivatives_are_the_linear_machine() -> None:
    """Of state derivatives by states and inputs, while the block slides: the matrices of m x'' + d x' + c x = u."""
    m = ss.Machine(mass=2.0, stiffness=8.0, damping=3.0, names=["b"], force={"b": ss.Input("u")})
    m.add_friction("guide", on="b", law=ss.Coulomb(static=1.0, kinetic=1.0))
    with exchanged(m, outputs=["guide.force"], initial={"b.velocity": 1.0}) as one:
        one.start()
        number = {name: v.valueReference for name, v in one.variables.items()}
        rows = [number["der(b.position)"], number["der(b.velocity)"], number["guide.force"]]
        for known, column in (
            ("b.position", [0.0, -4.0, 0.0]), ("b.velocity", [1.0, -1.5, 0.0]), ("u", [0.0, 0.5, 0.0])
        ):  # fmt: skip
            found = one.fmu.getDirectionalDerivative(rows, [number[known]], [1.0])
            assert list(found) == pytest.approx(column, abs=1e-9)


def test_tunable_parameter_acts_from_the_event_on() -> None:
    """A mass of 1 kg under 2 N that becomes 2 kg: the acceleration halves, the velocity stays."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": 2.0})
    with exchanged(m, outputs=["q.velocity"], parameters=["q.mass"]) as one:
        one.start()
        one.run(np.array([0.0, 1.0]))
        assert one.rates()[1] == 2.0
        with pytest.raises(Exception, match="fmi3SetFloat64"):
            one.set({"q.mass": 2.0})
        assert "it can be set in event mode, not in continuous-time mode" in one.messages[-1]
        one.event({"q.mass": 2.0})
        assert one.states() == pytest.approx([1.0, 2.0], rel=1e-12)
        assert one.rates() == pytest.approx([2.0, 1.0], rel=1e-12)


def test_one_file_serves_both_kinds(tmp_path: Path) -> None:
    made = ss.export.fmu(
        ball(), tmp_path / "m.fmu", outputs=["ball.position"], initial={"ball.position": 0.5}
    )
    assert made.kinds == ("model exchange", "co-simulation")
    for kind in ("ModelExchange", "CoSimulation"):
        run = fmpy.simulate_fmu(
            str(made.path), fmi_type=kind, stop_time=0.3, output_interval=0.1, relative_tolerance=1e-9
        )
        assert run["ball.position"] == pytest.approx(0.5 - 4.905 * run["time"] ** 2, abs=1e-7)


def test_local_variables_are_read_in_co_simulation_too() -> None:
    with imported(ball(), outputs=["ball.velocity"], initial={"ball.position": 0.5}) as one:
        one.start()
        one.step(0.1)
        expected = [0.5 - 4.905 * 0.01, -0.981, -9.81]
        assert one.get(["ball.position", "der(ball.position)", "der(ball.velocity)"]) == pytest.approx(
            expected
        )


@pytest.mark.parametrize(
    ("machine", "options", "message"),
    [
        (with_dead_time, {"kinds": ["model exchange"]}, "friction of 'belt' has a dead time.*choose co-simulation"),
        (ball, {"kinds": ["model-exchange"]}, "kinds = .*must be a sequence of 'model exchange' and 'co-simulation'"),
        (ball, {"kinds": "co-simulation"}, "kinds = 'co-simulation' is not allowed"),
        (ball, {"kinds": []}, "kinds = "),
        (ball, {"kinds": ["model exchange"], "version": "2.0"}, "model exchange needs version = '3.0'"),
    ],
)  # fmt: skip
def test_kinds_that_cannot_be_are_refused(
    machine: Callable[[], ss.Machine], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        ss.export.fmu(machine(), tmp_path / "m.fmu", **options)


def test_dead_time_leaves_co_simulation(tmp_path: Path) -> None:
    assert ss.export.fmu(with_dead_time(), tmp_path / "m.fmu").kinds == ("co-simulation",)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda one: one.move(0.1, np.array([np.nan, 0.0])), "a continuous state is not finite"),
        (lambda one: one.fmu.setTime(np.inf), "time = inf"),
        (lambda one: one.fmu.setContinuousStates(None, 1), "as many values as value references"),
        (lambda one: one.fmu.updateDiscreteStates(), "in the state 'continuous-time mode'"),
        (lambda one: one.fmu.enterContinuousTimeMode(), "'continuous-time mode'"),
        (lambda one: one.set({"ball.velocity": 1.0}), "is not an input or a parameter"),
    ],
)  # fmt: skip
def test_wrong_calls_are_refused(act: Any, message: str) -> None:
    with exchanged(ball(), outputs=["ball.position"], initial={"ball.position": 0.5}) as one:
        one.start()
        with pytest.raises(Exception, match="fmi3"):
            act(one)
        assert message in one.messages[-1]


def test_unsolvable_instant_is_an_error() -> None:
    """A load that a formula makes negative: a surface cannot pull."""
    m = ss.Machine(mass=1.0, names=["x"], force={"x": 3.0})
    m.add_friction("pad", on="x", law=ss.Coulomb(static=1.0, kinetic=1.0), normal_load=lambda q: 1.0 - q["x"])
    with exchanged(m, outputs=["x.position"]) as one:
        one.start()
        with pytest.raises(Exception, match="fmi3UpdateDiscreteStates"):
            one.run(np.array([0.0, 3.0]))
        assert "'pad'" in one.messages[-1]
