"""Controllers in the fixed-step form against exact runs: continuous, sampled, delayed, quantised, limited."""

from __future__ import annotations

import json
import subprocess

import engine
import numpy as np
import pytest

import stickslip as ss

CURVE = ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3)  # Table 1, case c
STEPS = np.array([1e-3, 5e-4, 2.5e-4, 1.25e-4])


def drive(law: ss.Law = CURVE, **options: object) -> ss.machines.TwoMassDrive:
    return ss.machines.two_mass_drive(
        motor_mass=1000.0,
        load_mass=1000.0,
        stiffness=5e6,
        damping=1341.64,
        load_friction=law,
        normal_load=9810.0,
        control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3, **options),
        reference=ss.Sine(amplitude=50e-6, frequency=0.5),
    )


AUTOMATON = ss.StickSlip(CURVE, memory=0.01, dwell=1.0)
ELASTIC = ss.StickSlip(CURVE, memory=0.01, dwell=1.0, presliding=ss.Presliding(5e-6, 1.0))
DRIVES = {
    "continuous": drive(),
    "feedforward": drive(velocity_feedforward=1.0, force_feedforward=2000.0),
    "automaton": drive(AUTOMATON),
    "presliding": drive(ELASTIC),
    "sampled": drive(period=1e-3),
    "automaton, sampled": drive(AUTOMATON, period=2e-3),
    "limited": drive(limits=60.0),
    "clamped": drive(limits=60.0, anti_windup="clamping"),
    "sampled, limited": drive(period=1e-3, limits=60.0),
    "sampled, clamped": drive(period=1e-3, limits=60.0, anti_windup="clamping"),
}


def errors(machine, t_end: float, steps=STEPS) -> tuple[np.ndarray, ss.RealTime, object]:
    """Worst error of the load's position over the run for each step; the last run of each kind."""
    out = []
    for h in steps:
        n = round(t_end / h)
        rt = ss.RealTime(machine, step=h, outputs=["load.position"])
        x = rt.run(n)[:, 0]
        t = np.minimum(h * np.arange(1, n + 1), t_end)
        run = ss.simulate(machine, t_end, t_eval=t, rtol=1e-11)
        assert rt.prebuilt and not rt.failed and rt.late_steps == 0
        out.append(np.abs(x - run["load.position"]).max())
    return np.array(out), rt, run


@pytest.mark.parametrize("name", DRIVES)
def test_error_falls_at_least_linearly(name: str) -> None:
    """Reached is about the second order: 2e-11 m to 7e-10 m at 1 ms in a motion of 50 um."""
    e, rt, run = errors(DRIVES[name], 2.0)
    assert e[0] < 1.5e-9
    assert np.log2(e[0] / e[-1]) / 3.0 > 1.0
    assert np.all(e[1:] < 0.75 * e[:-1])
    # "following" a limit is no event, but a transition of the engine
    more = 1 if name == "clamped" else 0
    # nor is a sampled output that reaches a limit at its sampling instant, which is an event, a transition
    held = run.machine.controllers if name.startswith("sampled") else ()
    assert rt.transitions == len({ev.instant for ev in run.events if ev.element not in held}) + more


@pytest.mark.parametrize("delay", [1e-3, 0.5e-3, 0.3e-3])
def test_delay_and_quantisation_agree_with_simulate(delay: float) -> None:
    """Encoder steps of 10 nm. A rounding that falls the other way once moves the load by much less than one
    encoder step, so the error does not vanish, but with the steps it falls to below 1e-10 m.

    The last delay is no whole number of the two longer steps: the output appears within them.
    """
    machine = drive(period=1e-3, delay=delay, quantum=1e-8)
    e, _, _ = errors(machine, 1.0)
    assert np.all(e < 2e-8) and e[-1] < 1e-10


@pytest.mark.parametrize("delay", [0.0, 0.04, 0.1])
@pytest.mark.parametrize("step", [0.1, 0.02])
def test_instants_are_exact(delay: float, step: float) -> None:
    """Without friction maps and hold are exact, so the sampled loop equals its own recursion to rounding,
    whatever the step; an output within a step is met on a parabola, with an error of third order."""
    m = ss.Machine(mass=2.0, damping=1.0, names=["q"])
    m.add_controller(
        ss.PI(kp=3.0, tn=0.5, period=0.1, delay=delay),
        name="v",
        measure="q.velocity",
        reference=ss.Step(1.0, start=0.3),
        to="q",
    )
    names = ["q.velocity", "v.output", "v.reference", "v.error", "v.mode"]
    rt = ss.RealTime(m, step=step, outputs=names)
    y = rt.run(round(4.0 / step))
    t = step * np.arange(1, round(4.0 / step) + 1)
    run = ss.simulate(m, 4.5, t_eval=t)
    within = delay == 0.04 and step == 0.1
    assert y[:, 0] == pytest.approx(run["q.velocity"], abs=2e-4 if within else 1e-13)
    # At an instant itself the outputs of the engine are those from before it.
    between = np.abs(t / 0.1 - np.round(t / 0.1)) > 1e-6
    if delay != 0.04:
        for k, name in enumerate(names):
            assert y[between, k] == pytest.approx(run[name][between], abs=1e-12), name


def test_two_rates_match_hand_calculation() -> None:
    """Position loop every 4, velocity loop every 2 steps: the recursion of a free mass by hand."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(ss.P(kp=3.0, period=0.04), name="position", measure="q", reference=1.0)
    m.add_controller(
        ss.P(kp=20.0, period=0.02), name="velocity", measure="q.velocity", reference="position.output", to="q"
    )
    rt = ss.RealTime(m, step=0.01, outputs=["q.position"])
    y = rt.run(200)[:, 0]
    x = v = w = u = 0.0
    expected = []
    for k in range(200):
        if k % 4 == 0:
            w = 3.0 * (1.0 - x)
        if k % 2 == 0:
            u = 20.0 * (w - v)
        x, v = x + 0.01 * v + 0.5e-4 * u, v + 0.01 * u
        expected.append(x)
    assert y == pytest.approx(np.array(expected), abs=1e-13)


def test_input_as_reference_counts_from_the_start() -> None:
    """An Input as reference counts from the first instant on, whatever its default."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(
        ss.PI(kp=2.0, tn=0.5, period=0.1),
        name="c",
        measure="q.velocity",
        reference=ss.Input("r", 5.0),
        to="q",
    )
    rt = ss.RealTime(m, step=0.1, outputs=["q.velocity"])
    v = i = 0.0
    for r in (1.0, 2.0, 2.0, -1.0):
        e = r - v
        i += 2.0 * 0.1 / 0.5 * e
        v += 0.1 * (2.0 * e + i)
        assert rt.step(r) == pytest.approx([v], abs=1e-14)


def test_clamping_matches_hand_calculation() -> None:
    """Free, following, frozen and back: e = 2 - t as in the test of exact runs, with breakpoints within steps."""
    m = ss.Machine(mass=1.0, names=["rail"])
    m.add_controller(
        ss.PI(kp=1.0, tn=0.1, limits=1.0, anti_windup="clamping"),
        name="loop",
        measure="rail.position",
        reference=ss.Ramp(slope=-1.0, offset=2.0),
    )
    h = 0.0107
    rt = ss.RealTime(m, step=h, outputs=["loop.output", "loop.mode"])
    y = rt.run(270)
    t = h * np.arange(1, 271)
    run = ss.simulate(m, t_end=3.0, t_eval=t)
    assert y[:, 0] == pytest.approx(run["loop.output"], abs=1e-10)
    assert y[:, 1] == pytest.approx(run["loop.mode"])


def test_bristle_and_controller_agree_with_simulate() -> None:
    """The implicit step with controllers: hunting of a PID loop on LuGre friction."""
    m = ss.Machine(mass=1.0, names=["x"])
    law = ss.LuGre(stiffness=1e4, damping=100.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-2)
    m.add_friction("guide", on="x", law=law)
    m.add_controller(ss.PID(kp=3.0, ki=4.0, kd=6.0, period=0.02), on="x", reference=1.0)
    end = ss.simulate(m, 10.0, rtol=1e-10)["x.position"][-1]
    e = []
    for h in (2e-3, 1e-3, 5e-4):
        rt = ss.RealTime(m, step=h, outputs=["x.position"])
        e.append(abs(rt.run(round(10.0 / h))[-1, 0] - end))
    assert e[-1] < 1e-4 and e[-1] < 0.5 * e[0]


@pytest.mark.parametrize("observer", [False, True])
def test_compensators_agree_with_simulate(observer: bool) -> None:
    """Compensation of friction is a force like any other."""
    m = ss.Machine(mass=1.0, names=["x"])
    lugre = ss.LuGre(
        stiffness=1e4, damping=100.0, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-2
    )
    target = ss.Sine(amplitude=0.1, frequency=0.5)
    m.add_friction("guide", on="x", law=lugre)
    m.add_controller(ss.PID(kp=200.0, ki=50.0, kd=30.0), name="pid", on="x", reference=target)
    if observer:
        part = ss.FrictionObserver(lugre)
        m.add_controller(part, name="part", measure="x", to="x")
    else:
        part = ss.FrictionFeedforward(ss.Tanh(kinetic=1.0, width=1e-2))
        m.add_controller(part, name="part", reference=target, to="x")
    run = ss.simulate(m, 3.0, dt=0.01, rtol=1e-10)
    e = []
    for h in (1e-3, 5e-4):
        rt = ss.RealTime(m, step=h, outputs=["x.position", "part.output"])
        y = rt.run(round(3.0 / h))[round(0.01 / h) - 1 :: round(0.01 / h)]
        e.append(np.abs(y[:, 0] - run["x.position"][1:]).max())
    assert e[1] < 0.7 * e[0] and e[1] < 1e-5


class TestRefused:
    def test_period_of_fractional_steps_is_refused(self) -> None:
        for step in (0.3e-3, 2e-3):
            with pytest.raises(
                ValueError, match=rf"step = {step:g} s does not divide the period 0.001 s of .* 'control'"
            ):
                ss.RealTime(drive(period=1e-3), step=step)
        assert ss.RealTime(drive(period=1e-3), step=1e-3 / 3.0).prebuilt  # a third, up to rounding

    def test_start_between_steps_is_refused(self) -> None:
        with pytest.raises(
            ValueError, match=r"t_start = 0.00025 s is not allowed: it must differ from the sampling instants"
        ):
            ss.RealTime(drive(period=1e-3), step=5e-4, t_start=2.5e-4)
        rt = ss.RealTime(drive(period=1e-3), step=5e-4, t_start=0.5e-3)
        assert rt.step().shape == (len(rt.state),)

    def test_python_functions_are_refused(self) -> None:
        m = ss.Machine(mass=1.0, names=["q"])
        m.add_controller(ss.control.Callable(lambda t, r, y: r - y, period=0.1), on="q", reference=1.0)
        with pytest.raises(ValueError, match="the controller 'callable', a Python function"):
            ss.RealTime(m, step=0.1)


def steps(*arguments: str) -> dict[str, float]:
    """The output of the program without Python about its steps."""
    command = [engine.program("real_time_steps"), *arguments]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.mark.timeout(1500)  # where the engine has to be compiled first
class TestWithoutPython:
    @pytest.mark.parametrize(
        "kind", ["stribeck", "automaton", "sampled", "limited", "backlash", "pendulum", "wedge", "rattle"]
    )
    def test_steps_do_not_allocate(self, kind: str) -> None:
        """malloc is not called in 50 000 steps with hundreds of transitions."""
        seen = steps(kind, "50000")
        assert seen["allocations"] == 0 and seen["transitions"] > 250
        assert seen["late"] <= (5 if kind == "rattle" else 0)  # impacts that accumulate use up the rounds

    def test_cpp_steps_equal_python_steps(self) -> None:
        seen = steps("stribeck", "3000")
        rt = ss.RealTime(drive(), step=1e-3)
        rt.run(3000)
        assert seen["position"] == rt.state[1]
