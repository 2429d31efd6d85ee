"""Motion of exported machines, step by step, against `simulate` with the same held inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from published.drive import CASCADE, CASE_B

import stickslip as ss
from export.importer import imported

Held = Callable[[str], ss.Signal]


def belt(signal: Held) -> ss.Machine:
    """Block on a belt, pushed by the input."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"], force={"block": signal("push")})
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


def cascade(signal: Held) -> ss.Machine:
    """Case b of Table 1 of the published drive, its reference from outside."""
    return ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=5e6,
        damping=1341.64,
        load_friction=CASE_B,
        normal_load=9810.0,
        control=CASCADE,
        reference=signal("wanted"),
    ).machine


def lugre_pull(signal: Held) -> ss.Machine:
    """Mass on a LuGre surface pulled through a spring whose end moves with 0.1 m/s, and by the input."""
    law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    m = ss.Machine(mass=1.0, names=["x"], force={"x": signal("push")})
    m.add_spring("pull", on="x", stiffness=2.0, rest=ss.Ramp(slope=0.1))
    m.add_friction("floor", on="x", law=law)
    return m


def sampled_axis(signal: Held) -> ss.Machine:
    """Motor, coupling, screw and slide under sampled loops, the reference from outside."""
    axis = ss.Drive()
    axis.add("motor", ss.parts.Motor(2e-3, "speed.output", torque_limit=8.0))
    axis.add("coupling", ss.parts.Coupling(5e3, 0.5))
    axis.add("screw", ss.parts.Inertia(1e-3))
    axis.add("nut", ss.parts.BallScrew(0.01))
    axis.add("slide", ss.parts.Slide(50.0, ss.Coulomb(0.2, 0.1), normal_load=490.0))
    m = axis.machine
    m.add_controller(ss.P(kp=40.0, period=2e-3), "position", measure="motor", reference=signal("wanted"))
    m.add_controller(
        ss.PI(kp=0.5, tn=0.02, period=5e-4), "speed", measure="motor.velocity", reference="position.output"
    )
    return m


def walk(times: np.ndarray, size: float) -> np.ndarray:
    """Input values that change at most communication points, and keep their value at some."""
    steps = np.random.default_rng(7).normal(size=len(times)) * (np.arange(len(times)) % 5 != 0)
    return size * np.cumsum(steps) / np.sqrt(len(times))


CASES = {
    "belt": (belt, "push", 0.5, 10.0, ["block.position", "block.velocity", "belt.force", "belt.mode"]),
    "cascade": (cascade, "wanted", 50e-6, 0.5, ["load.position", "load.velocity", "control.output", "motor.position"]),
    "LuGre": (lugre_pull, "push", 0.3, 8.0, ["x.position", "x.velocity", "floor.force", "pull.force"]),
    "sampled": (
        sampled_axis, "wanted", 0.5, 0.2, ["slide.position", "motor.velocity", "speed.output", "slide_friction.mode"]
    ),
}  # fmt: skip


def points(t_end: float, step: float) -> np.ndarray:
    return step * np.arange(round(t_end / step) + 1)


@pytest.mark.parametrize("share", [1 / 400, pytest.param(1 / 37, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", CASES)
def test_motion_under_held_inputs_is_that_of_simulate(case: str, share: float) -> None:
    """To 1e-9 of the size of each signal, at every communication point, whatever their distance."""
    make, name, size, t_end, outputs = CASES[case]
    times = points(t_end, t_end * share)
    values = walk(times, size)
    reference = ss.simulate(
        make(lambda _: ss.Samples(times, values, kind="hold")), times[-1], t_eval=times, rtol=1e-11
    )
    with imported(make(ss.Input), outputs=outputs, rtol=1e-11) as one:
        one.set({name: float(values[0])})
        one.start()
        found = one.run(times, outputs, {name: values})
    for k, output in enumerate(outputs):
        expected = reference[output].astype(float)
        assert found[:, k] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max()), output


GEAR = ss.machines.wedge_gear(
    upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12), friction=np.tan(np.deg2rad(14)), load=100.0,
    stiffness=4000.0, pull_velocity=0.01, restitution=0.0,
)  # fmt: skip


def with_dead_time() -> ss.Machine:
    """Block on a belt whose friction follows the velocity 10 ms later."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    law = ss.StickSlip(ss.Coulomb(static=1.0, kinetic=0.8), memory=ss.DeadTime(0.01))
    m.add_friction("belt", on="block", law=law, surface_velocity=0.2)
    return m


ALONE = {
    "dead time": (with_dead_time(), 20.0, ["block.position", "belt.force", "belt.mode"]),
    "belt": (belt(lambda _: ss.Constant(0.0)), 20.0, ["block.position", "belt.force", "belt.mode"]),
    "wedge gear": (GEAR, 0.6, ["lower.position", "upper.velocity", "flank.normal_force", "flank.normal_impulse"]),
    "LuGre": (lugre_pull(lambda _: ss.Constant(0.0)), 20.0, ["x.position", "floor.force"]),
}  # fmt: skip


@pytest.mark.parametrize("points_of_contact", [pytest.param(20, marks=pytest.mark.slow), 331])
@pytest.mark.parametrize("case", ALONE)
def test_motion_without_inputs_is_that_of_simulate(case: str, points_of_contact: int) -> None:
    """Break-aways, stops, impacts and lift-off between communication points, whatever their distance."""
    machine, t_end, outputs = ALONE[case]
    times = np.linspace(0.0, t_end, points_of_contact + 1)
    reference = ss.simulate(machine, t_end, t_eval=times)
    with imported(machine, outputs=outputs) as one:
        one.start()
        found = one.run(times, outputs)
    for k, output in enumerate(outputs):
        expected = reference[output].astype(float)
        assert found[:, k] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max()), output


def test_early_return_stops_at_every_event_of_simulate() -> None:
    """With event mode a step ends at each change of mode, at its time in `simulate` to machine precision."""
    machine = belt(lambda _: ss.Constant(0.0))
    reference = ss.simulate(machine, 20.0)
    seen = []
    with imported(machine, events=True, outputs=["belt.mode"]) as one:
        one.start()
        while one.t < 20.0:
            event, terminated, early, _ = one.step(20.0 - one.t)
            assert event == early and not terminated
            if event:
                seen.append((one.t, one.get(["belt.mode"])[0]))
                one.fmu.enterEventMode()
                one.fmu.updateDiscreteStates()
                one.fmu.enterStepMode()
    expected = [(event.time, float(event.after)) for event in reference.events if event.time > 0.0]
    assert len(expected) > 5
    assert [mode for _, mode in seen] == [mode for _, mode in expected]
    assert [t for t, _ in seen] == pytest.approx([t for t, _ in expected], rel=1e-15)


def test_input_set_at_an_event_acts_from_the_event_on() -> None:
    """A force that is switched on where a sliding block stops: v = 0.2 - t, a stop at 0.2 s, then v = t - 0.2."""
    m = ss.Machine(mass=1.0, names=["block"], force={"block": ss.Input("push")})
    m.add_friction("floor", on="block", law=ss.Coulomb(static=1.0, kinetic=1.0), normal_load=1.0)
    with imported(m, events=True, outputs=["block.velocity"], initial={"block.velocity": 0.2}) as one:
        one.start()
        event, _, early, t = one.step(1.0)
        assert (event, early) == (True, True) and t == pytest.approx(0.2, rel=1e-15)
        one.fmu.enterEventMode()
        one.set({"push": 2.0})
        one.fmu.updateDiscreteStates()
        one.fmu.enterStepMode()
        one.step(0.3)
        assert one.get(["block.velocity"])[0] == pytest.approx(0.3, rel=1e-14)


def test_sampling_instant_at_a_communication_point_reads_the_new_input() -> None:
    """A sampled gain of 3 on a free unit mass: u = 3 r at once, v = 3 r T after one period."""
    m = ss.Machine(mass=1.0, names=["q"])
    gain = ss.LTI([], [], [], [[3.0]], inputs="both", references=1, period=0.1)
    m.add_controller(gain, "gain", reference=ss.Input("r"), to="q")
    with imported(m, outputs=["gain.output", "q.velocity"]) as one:
        one.start()
        found = one.run(
            np.array([0.0, 0.1, 0.2, 0.3]),
            ["gain.output", "q.velocity"],
            {"r": np.array([1.0, 2.0, -1.0, 0.0])},
        )
    assert found[:, 0] == pytest.approx([3.0, 6.0, -3.0, 0.0])
    assert found[:, 1] == pytest.approx([0.0, 0.3, 0.9, 0.6], rel=1e-14)


def test_pendulum_under_a_held_torque_is_that_of_simulate() -> None:
    """A machine with a formula as force, which keeps its signals in another place than linear ones."""

    def machine(torque: ss.Signal) -> ss.Machine:
        m = ss.Machine(mass=2.0, names=["arm"], kind="rotary", force={"arm": torque})
        m.add_force("arm", lambda q: -15.0 * ss.math.sin(q["arm"]))
        m.add_friction("pivot", on="arm", law=ss.Coulomb(static=0.3, kinetic=0.2))
        return m

    times, outputs = np.linspace(0.0, 3.0, 61), ["arm.position", "arm.velocity"]
    values = walk(times, 20.0)
    reference = ss.simulate(machine(ss.Samples(times, values, kind="hold")), 3.0, t_eval=times, rtol=1e-12)
    with imported(machine(ss.Input("torque")), outputs=outputs, rtol=1e-12) as one:
        one.set({"torque": values[0]})
        one.start()
        found = one.run(times, outputs, {"torque": values})
    for k, output in enumerate(outputs):
        assert found[:, k] == pytest.approx(reference[output], abs=1e-9 * np.abs(reference[output]).max())


def test_two_coupled_fmus_are_the_machine_in_one() -> None:
    """A sampled controller and its plant in two FMUs, exchanged at every sampling instant: the plant alone, with the
    controller's outputs, is `simulate` of both.
    """
    T, kp = 1e-2, 4.0

    def plant(force: ss.Signal | None) -> ss.Machine:
        m = ss.Machine(mass=2.0, names=["q"], force={} if force is None else {"q": force})
        m.add_friction("guide", on="q", law=ss.Coulomb(static=1.0, kinetic=0.8))
        return m

    whole = plant(None)
    whole.add_controller(ss.P(kp=kp, period=T), "loop", measure="q.velocity", reference=1.0, to="q")
    control = ss.Machine(mass=1.0, names=["unused"])
    control.add_controller(
        ss.LTI([], [], [], [[kp]], inputs="both", references=1, period=T), "loop", reference=ss.Input("error")
    )
    times = points(1.0, T)
    reference = ss.simulate(whole, 1.0, t_eval=times)
    with (
        imported(plant(ss.Input("force")), outputs=["q.velocity"]) as one,
        imported(control, outputs=["loop.output"]) as other,
    ):
        one.start()
        other.start()
        found = []
        for _ in times:
            found.append(one.get(["q.velocity"])[0])
            other.set({"error": 1.0 - found[-1]})
            one.set({"force": other.get(["loop.output"])[0]})
            one.step(T)
            other.step(T)
    assert found == pytest.approx(reference["q.velocity"], abs=1e-12)


@pytest.mark.parametrize(
    "case", [c if c == "sampled" else pytest.param(c, marks=pytest.mark.slow) for c in CASES]
)
def test_reading_outputs_does_not_change_the_motion(case: str) -> None:
    """Also of a controller that samples at a communication point before the inputs for this point are set."""
    make, name, size, t_end, outputs = CASES[case]
    times = points(t_end, t_end / 80)
    values = walk(times, size)
    found = []
    for reads in (False, True):
        with imported(make(ss.Input), outputs=outputs) as one:
            one.start()
            for k in range(len(times) - 1):
                one.set({name: values[k]})
                one.step(times[k + 1] - times[k])
                one.t = times[k + 1]
                if reads:
                    one.get(outputs)
            found.append(one.get(outputs[:1])[0])
    assert found[0] == pytest.approx(found[1], rel=1e-12)
