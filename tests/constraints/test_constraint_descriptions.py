"""Constraints as parts of a description: values, codec, parameters, sweeps, real time, pictures, bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import stickslip as ss


def _machine(ratio: float = 2.0, value: ss.Signal | float = 0.0) -> ss.Machine:
    m = ss.Machine(mass=[0.5, 2.0], names=["motor", "wheel"], force={"motor": ss.Sine(3.0, 0.4)})
    m.add_constraint("gear", on={"motor": 1.0, "wheel": -ratio}, value=value)
    m.add_friction("guide", on="wheel", law=ss.Coulomb(static=1.5, kinetic=1.0))
    return m


def test_constraints_are_compared_saved_and_drawn() -> None:
    m = _machine(value=ss.Sine(0.1, 1.0))
    assert ss.Machine.from_dict(m.to_dict()) == m
    assert pickle.loads(pickle.dumps(m)) == m
    assert m != _machine(ratio=3.0) and m != _machine()
    assert "'gear': constraint(value=...)" in repr(m)
    speed = ss.Machine(mass=1.0, names=["q"])
    speed.add_constraint("speed", on="q", rate=2.0)
    assert ss.Machine.from_dict(speed.to_dict()) == speed
    assert "'speed': constraint(rate=2.0)" in repr(speed)
    texts = " ".join(t.get_text() for t in _machine().draw().texts)
    assert "gear: motor − 2 wheel = 0" in texts
    assert "gear" in " ".join(t.get_text() for t in _machine().draw(what="diagram").texts)


def test_saved_runs_and_resume_have_the_same_bits() -> None:
    m = _machine(value=ss.Sine(0.1, 1.0))
    whole = ss.simulate(m, t_end=8.0)
    assert len(whole.events) > 5
    again = pickle.loads(pickle.dumps(whole))
    assert np.array_equal(again["gear.force"], whole["gear.force"])
    first = ss.simulate(m, t_end=3.3)
    rest = ss.simulate(m, state=pickle.loads(pickle.dumps(first.state)), t_end=8.0)
    assert rest.state == whole.state


def test_ratios_and_values_are_swept() -> None:
    m = _machine()
    assert {"gear.on[motor]", "gear.on[wheel]", "gear.value"} <= set(m.parameters)
    ratios = [1.5, 2.0, 4.0]
    swept = ss.ensemble(
        m, {"gear.on[wheel]": [-r for r in ratios]}, t_end=5.0,
        measure=["wheel.position.final", "events.count"], initial={"motor.velocity": 1.0},
    )  # fmt: skip
    for k, ratio in enumerate(ratios):
        run = ss.simulate(_machine(ratio), 5.0, initial={"motor.velocity": 1.0})
        assert swept["wheel.position.final"][k] == run["wheel.position"][-1]
        assert swept["events.count"][k] == len(run.events)
    moved = ss.ensemble(m, {"motor.velocity": [1.0, 2.0]}, t_end=5.0, measure=["wheel.velocity.final"])
    for k, speed in enumerate([1.0, 2.0]):
        run = ss.simulate(m, 5.0, initial={"motor.velocity": speed})
        assert run["wheel.velocity"][0] == 0.5 * speed
        assert moved["wheel.velocity.final"][k] == run["wheel.velocity"][-1]
    value = ss.ensemble(m, {"gear.value": [0.0, 0.3]}, t_end=0.1, measure=["wheel.position.final"])
    assert value["wheel.position.final"][0] != value["wheel.position.final"][1]


def test_real_time_follows_the_run() -> None:
    m = _machine()
    rt = ss.RealTime(m, step=1e-3, outputs=["motor.velocity", "wheel.velocity", "gear.force"])
    run = ss.simulate(m, t_end=2.0, dt=1e-3)
    found = np.array([rt.step() for _ in range(2000)])
    assert np.abs(found[:, 0] - 2.0 * found[:, 1]).max() < 1e-14
    assert np.abs(found[:, 0] - run["motor.velocity"][1:]).max() < 1e-4
    assert np.median(np.abs(found[:, 2] - run["gear.force"][1:])) < 1e-3


def test_time_stepping_keeps_constraints() -> None:
    m = _machine()
    run = ss.simulate(m, t_end=2.0, method="time_stepping", max_step=1e-4, dt=0.1)
    exact = ss.simulate(m, t_end=2.0, dt=0.1)
    assert np.abs(run["motor.velocity"] - 2.0 * run["wheel.velocity"]).max() < 1e-15
    assert np.abs(run["wheel.position"] - exact["wheel.position"]).max() < 1e-3


def test_matrices_and_poles_exclude_constrained_motions() -> None:
    m = ss.Machine(
        mass=[1.0, 4.0], stiffness=[0.0, 20.0], damping=[0.0, 1.0], names=["motor", "wheel"],
    )  # fmt: skip
    m.add_constraint("gear", on={"motor": 1.0, "wheel": -2.0})
    alone = ss.Machine(mass=[8.0], stiffness=20.0, damping=1.0, names=["wheel"])
    assert m.poles() == pytest.approx(alone.poles(), rel=1e-13)
    part = m.to_state_space(to="motor", measure="wheel")
    response = ss.linear.frequency_response(part, [1.0]).response
    expected = ss.linear.frequency_response(alone.to_state_space({"wheel": 2.0}, "wheel"), [1.0]).response
    assert response == pytest.approx(expected, rel=1e-13)
    assert len(part.states) == 2


@pytest.mark.parametrize("period", [None, 0.05])
def test_loops_through_a_gear_equal_the_reduced_machine(period: float | None) -> None:
    """Poles and responses with a controller, continuous and sampled, are those of the reduced machine."""

    def closed(m: ss.Machine, on: dict[str, float]) -> ss.Machine:
        position = {f"{name}.position": factor for name, factor in on.items()}
        m.add_controller(ss.PID(kp=30.0, ki=5.0, kd=4.0, period=period), "pid", measure=position, to=on)
        return m

    geared = ss.Machine(mass=[1.0, 4.0], stiffness=[0.0, 20.0], names=["motor", "wheel"])
    geared.add_constraint("gear", on={"motor": 1.0, "wheel": -2.0}, value=0.5)
    alone = ss.Machine(mass=8.0, stiffness=20.0, names=["wheel"])
    one, two = closed(geared, {"motor": 1.0}), closed(alone, {"wheel": 2.0})
    assert one.poles() == pytest.approx(two.poles(), rel=1e-11)
    assert one.poles().stable
    a, b = (m.bode("pid.reference", "wheel", omega=[0.3, 2.0]).response for m in (one, two))
    assert a == pytest.approx(b, rel=1e-11)


def test_initial_values_follow_or_are_refused() -> None:
    m = _machine()
    run = ss.simulate(m, 0.1, initial={"motor.velocity": 3.0, "wheel.position": 0.25})
    assert run.y[:, 0].tolist() == [0.5, 0.25, 3.0, 1.5]
    run = ss.simulate(m, 0.1, initial={"motor.velocity": 1.0, "wheel.velocity": 0.5 + 1e-12})
    assert run["motor.velocity"][0] == 2.0 * run["wheel.velocity"][0]
    wrong = r"constraint 'gear' is violated by the initial values: motor - 2 wheel of the velocities is -1, but must be 0"
    with pytest.raises(ValueError, match=wrong):
        ss.simulate(m, 0.1, initial={"motor.velocity": 1.0, "wheel.velocity": 1.0})
    with pytest.raises(ValueError, match="of the positions is 1, but must be 0"):
        ss.simulate(m, 0.1, initial=[1.0, 0.0, 0.0, 0.0])
    shaken = ss.Machine(mass=[1.0, 2.0], names=["a", "b"])
    shaken.add_constraint("shaker", on="a", value=ss.Sine(0.1, 1.0, offset=0.5))
    run = ss.simulate(shaken, 0.1)
    assert run["a.position"][0] == 0.5 and run["a.velocity"][0] == pytest.approx(0.2 * np.pi, rel=1e-15)


def _of(*constraints: dict[str, object]) -> ss.Machine:
    m = ss.Machine(mass=[1.0, 1.0, 1.0], names=["a", "b", "c"])
    for k, one in enumerate(constraints):
        m.add_constraint(f"c{k}", **one)
    return m


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: _of({"on": ("a", "b")}, {"on": ("a", "b"), "value": 1.0}),
            "value of 'c[01]' contradicts 'c[01]'",
        ),
        (
            lambda: _of({"on": "a", "value": ss.Sine(1.0, 1.0)}, {"on": "a", "rate": ss.Sine(1.0, 1.0)}),
            "value of 'c1' contradicts 'c0'",
        ),
        (
            lambda: _of({"on": ("a", "b")}, {"on": {"a": 1.0, "b": -1.0 - 1e-11}}),
            "nearly dependent on 'c[01]'",
        ),
    ],
)
def test_contradictory_constraints_are_refused(make: object, message: str) -> None:
    m = make()  # type: ignore[operator]
    with pytest.raises(ValueError, match=message):
        m.check()


def test_equal_motions_may_be_prescribed_twice() -> None:
    sine = ss.Sine(1.0, 1.0)
    m = _of({"on": "a", "value": sine}, {"on": {"a": 2.0}, "value": 2.0 * sine})
    assert ss.simulate(m, 1.0).success
    rate = ss.Sine(2.0 * np.pi, 1.0, phase=0.5 * np.pi)
    assert ss.simulate(_of({"on": "a", "value": sine}, {"on": "a", "rate": rate}), 1.0).success


def test_bad_input_is_refused() -> None:
    m = _machine()
    with pytest.raises(ValueError, match="unknown coordinate 'gone'"):
        m.add_constraint("x", on="gone")
    with pytest.raises(ValueError, match="on of 'x' must be finite and not zero"):
        m.add_constraint("x", on={"motor": 0.0})
    with pytest.raises(ValueError, match="value of 'x' = 1.0 is not allowed: it must be left out where rate"):
        m.add_constraint("x", on="motor", value=1.0, rate=2.0)
    with pytest.raises(ValueError, match="value of 'x' jumps from 0 to 1"):
        m.add_constraint("x", on="motor", value=ss.Step(1.0, start=1.0))
    with pytest.raises(ValueError, match="value of 'x' is the input 'u'"):
        m.add_constraint("x", on="motor", rate=ss.Input("u"))
    with pytest.raises(ValueError, match="taken"):
        m.add_constraint("guide", on="motor")
    kinked = _machine(value=ss.Ramp(slope=1.0, start=1.0))
    with pytest.raises(ValueError, match="value of 'gear' would make its velocity jump from 0 to 1 at t = 1"):
        ss.simulate(kinked, 2.0)
    assert ss.simulate(kinked, 0.5).success
    held = _machine()
    held.add_constraint("fixed", on="motor")
    held.add_one_way_clutch("backstop", on="wheel")
    with pytest.raises(ValueError, match="on of 'backstop' is fixed by constraints"):
        held.check()
    plant = ss.StateSpace([[0.0]], [[1.0]], [[1.0]])
    assert not hasattr(plant, "add_constraint")


@pytest.mark.parametrize("stroke", [0.1, -1e-3, 0.3, 7.0])
def test_smooth_step_ends_without_a_jump_whatever_its_size(stroke: float) -> None:
    # The rate at the end of the step is zero but for the rounding error of its coefficients
    m = ss.Machine(mass=1.0, names=["x"])
    m.add_constraint("drive", on="x", value=ss.SmoothStep(stroke))
    assert ss.simulate(m, 2.0)["x.position"][-1] == pytest.approx(stroke, rel=1e-15)
