"""Motion of exported machines, step by step, against `simulate` with the same held inputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from export.importer import imported
from published.drive import CASCADE, CASE_B

import stickslip as ss

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
    law = ss.LuGre(
        stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0, stribeck_velocity=1e-3
    )
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
    "sampled": (sampled_axis, "wanted", 0.5, 0.2, ["slide.position", "motor.velocity", "speed.output", "slide_friction.mode"]),
}  # fmt: skip


def points(t_end: float, step: float) -> np.ndarray:
    return step * np.arange(round(t_end / step) + 1)


@pytest.mark.parametrize("share", [1 / 400, 1 / 37])
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
