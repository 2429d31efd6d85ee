"""Motion of exported C code against `RealTime`, whose steps it takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published.drive import drive
from published.gears import SET_1_STATIC, SET_2
from real_time.test_random_drives import random_drive
from real_time.test_rigid_contacts_in_real_time import ball, freewheel, stopped_drive

import stickslip as ss
from export.c_program import COMPILERS, Program

pytestmark = pytest.mark.skipif("gcc" not in COMPILERS, reason="gcc is not installed")

STRIBECK = ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.05, viscous=0.1)


def controlled_slide(**options: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, damping=0.3, names=["slide"], force={"slide": ss.Input("motor")})
    control = ss.PI(kp=5.0, tn=0.5, limits=2.0, **options)
    m.add_controller(
        control, name="speed", measure="slide.velocity", reference=ss.Input("wanted"), to="slide"
    )
    return m


def rubbing_slide() -> ss.Machine:
    m = controlled_slide(period=0.01, delay=0.0043)
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    return m


def belt(law: ss.Law = STRIBECK, **options: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=100.0, damping=0.2, names=["block"])
    m.add_friction("belt", on="block", law=law, **({"surface_velocity": 0.1} | options))
    return m


def gear(**options: Any) -> ss.Machine:
    m = ss.Machine(mass=[2.0, 5.0], names=["motor", "slide"])
    m.add_force("motor", ss.Sine(amplitude=30.0, frequency=1.3))
    m.add_spring("coupling", on=("motor", "slide"), stiffness=2e4, damping=20.0, backlash=1e-4)
    m.add_friction("guide", on="slide", law=ss.Stribeck(static=12.0, kinetic=8.0, stribeck_velocity=0.01))
    if options:
        control = ss.PID(kp=500.0, ki=100.0, kd=3.0, tf=0.01, limits=25.0, **options)
        reference = ss.SmoothStep(0.1, duration=0.5)
        m.add_controller(control, name="place", measure="slide.position", reference=reference, to="motor")
    return m


def two_on_one_body() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=100.0, names=["block"])
    m.add_force("block", ss.Sine(amplitude=20.0, frequency=1.0))
    m.add_friction("p", on="block", law=ss.Coulomb(3.0, 2.0))
    m.add_friction("q", on="block", law=ss.Coulomb(5.0, 4.0))
    return m


def lossy_mesh() -> ss.Machine:
    """Friction loaded by the force of a constraint."""
    m = ss.Machine(mass=[1.0, 1.0], names=["a", "b"], force={"a": ss.Sine(amplitude=20.0, frequency=1.0)})
    m.add_constraint("mesh", {"a": 1.0, "b": -2.0})
    m.add_friction("teeth", {"a": 1.0, "b": 2.0}, ss.Coulomb(0.1), normal_load="mesh.force")
    return m


def noise(inputs: int, steps: int) -> np.ndarray:
    """Inputs that are held over 50 steps each."""
    return np.repeat(np.random.default_rng(5).normal(size=(-(-steps // 50), inputs)), 50, axis=0)[:steps]


def largest_difference(
    machine: ss.Machine,
    step: float,
    steps: int,
    folder: Path,
    *,
    outputs: list[str] | None = None,
    initial: dict[str, float] | None = None,
    max_transitions: int = 2,
    **options: Any,
) -> float:
    """Of all outputs, each relative to its greatest value."""
    given = {"outputs": outputs, "initial": initial, "max_transitions": max_transitions}
    made = ss.export.c99(machine, step, folder / "axis.c", **given)
    rt = ss.RealTime(machine, step=step, **given)
    u = noise(len(rt.inputs), steps)
    expected = rt.run(u if u.shape[1] else steps)
    program = Program(made, **options)
    found = program.run(u)
    size = np.abs(expected).max(axis=0)
    difference = float((np.abs(found - expected).max(axis=0) / np.where(size > 0.0, size, 1.0)).max())
    if difference < 1e-6:
        assert (program.late_steps, program.failed) == (rt.late_steps, rt.failed)
    return difference


def parting_surfaces() -> ss.Machine:
    """One belt turns back and forth, the other one and the ground hold the body at times, and at last a load comes."""
    m = ss.Machine(mass=2.0, names=["body"])
    back_and_forth = ss.Samples([0.0, 0.5, 1.5, 3.0, 5.0, 6.0], [0.0, 0.0, 0.3, -0.2, 0.2, 0.0])
    m.add_friction("belt", on="body", law=ss.Coulomb(3.0, 2.4), surface_velocity=back_and_forth)
    m.add_friction("weak", on="body", law=ss.Coulomb(0.5, 0.4), surface_velocity=ss.Ramp(slope=0.01))
    m.add_friction(
        "ground", on="body", law=ss.Coulomb(1.0, 0.8), normal_load=ss.Step(4.0, start=2.0, before=1.0)
    )
    return m


def load_that_comes() -> ss.Machine:
    """A surface with a memory reverses without a load; its memory begins anew with each load."""
    m = ss.Machine(mass=1.0, stiffness=30.0, names=["body"], force={"body": ss.Sine(2.0, 0.7)})
    pressed = ss.Pulses(1.0, period=1.7, width=0.6)
    law = ss.StickSlip(STRIBECK, memory=0.05, dwell=0.5)
    m.add_friction("brake", on="body", law=law, normal_load=pressed)
    return m


CASES: dict[str, tuple[Callable[[], ss.Machine], float, dict[str, Any]]] = {
    "friction, delayed output": (
        rubbing_slide, 1e-3, {"outputs": ["slide.velocity", "guide.force", "guide.mode", "slide.acceleration"]},
    ),
    "backlash and controller": (
        lambda: gear(period=0.004, anti_windup="clamping", quantum=1e-4), 1e-4,
        {"outputs": ["slide.position", "coupling.force", "coupling.mode", "guide.force", "place.output"]},
    ),
    "dwell, lag and presliding": (
        lambda: belt(ss.StickSlip(STRIBECK, memory=0.01, dwell=0.5, presliding=ss.Presliding(1e-3, 1.0))), 1e-3,
        {"outputs": ["block.position", "belt.force", "belt.mode", "belt.aged"]},
    ),
    "wedge gear": (
        lambda: SET_2.machine, 1e-3, {"outputs": ["flank.mode", "flank.normal_force", "flank.force", "flank.gap"]},
    ),
}  # fmt: skip

MORE: dict[str, tuple[Callable[[], ss.Machine], float, dict[str, Any]]] = {
    "sampled controller": (
        lambda: controlled_slide(period=0.01), 1e-3,
        {"outputs": ["slide.velocity", "speed.output", "speed.mode", "speed.error", "speed.reference"]},
    ),
    "continuous limits": (lambda: controlled_slide(anti_windup="clamping"), 1e-3, {}),
    "impacts": (
        lambda: ball(0.8), 1e-3,
        {"outputs": ["ball.position", "floor.normal_force", "floor.mode"], "initial": {"ball.position": 1.0}},
    ),
    "Coulomb": (lambda: belt(ss.Coulomb(1.0, 0.6)), 1e-3, {"outputs": ["belt.load", "belt.velocity", "belt.force"]}),
    "surfaces that part": (
        parting_surfaces, 1e-3,
        {"outputs": ["body.velocity", "belt.mode", "weak.mode", "ground.mode"], "max_transitions": 4},
    ),
    "load that comes": (
        load_that_comes, 1e-3, {"outputs": ["body.position", "brake.mode", "brake.peak", "brake.stuck_since"]},
    ),
    "viscous": (lambda: belt(ss.Viscous(0.3)), 1e-3, {}),
    "root": (lambda: belt(ss.Coulomb(0.5, 0.3) + ss.Viscous(0.3, exponent=0.5)), 1e-3, {}),
    "tanh": (
        lambda: belt(ss.Tanh(width=0.01, static=1.0, kinetic=0.5, stribeck_velocity=0.05)), 1e-3,
        {"outputs": ["block.position", "belt.mode", "belt.force"]},
    ),
    "table": (lambda: belt(ss.Table([0, 0.05, 0.2], [1.0, 0.6, 0.5], odd=True)), 1e-3, {}),
    "table of both sides": (
        lambda: belt(ss.Table([-0.2, 0, 0, 0.05, 0.2], [-0.5, -1.0, 0.9, 0.6, 0.5])), 1e-3, {},
    ),
    "Lorentzian": (
        lambda: belt(ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.05, form="lorentzian")), 1e-3, {},
    ),
    "odd exponents": (
        lambda: belt(ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.05, shape=1.3, viscous=0.1,
                                 viscous_exponent=2.0)), 1e-3, {},
    ),
    "dead time": (lambda: belt(ss.StickSlip(STRIBECK, memory=ss.DeadTime(0.0123))), 1e-3, {}),
    "load below zero": (
        lambda: belt(normal_load=ss.Sine(amplitude=1.5, frequency=1.0, offset=1.0)), 1e-3, {},
    ),
    "surface that jumps": (
        lambda: belt(surface_velocity=ss.Samples(np.linspace(0, 9, 20), noise(1, 1000)[::50, 0], kind="hold")),
        1e-3, {},
    ),
    "load by a constraint": (lossy_mesh, 1e-3, {"outputs": ["a.position", "mesh.force", "teeth.load"]}),
    "load from outside": (lambda: belt(normal_load=ss.Input("load", default=1.0)), 1e-3, {}),
    "two on one body": (two_on_one_body, 1e-3, {"outputs": ["block.position", "p.force", "q.force", "p.mode"]}),
    "difference quotients": (lambda: gear(period=0.004, rate="difference", quantum=1e-5), 1e-4, {}),
    "output within a step": (lambda: gear(period=0.004, delay=0.00133), 1e-4, {"outputs": ["place.mode"]}),
    "continuous controller": (lambda: gear(anti_windup="back_calculation"), 1e-4, {}),
    "break-away of the wedge gear": (lambda: SET_1_STATIC.machine, 1e-3, {}),
    "one-way clutch": (freewheel, 1e-3, {}),
    "rigid teeth": (lambda: stopped_drive(0.0), 1e-3, {"max_transitions": 8}),
    "elastic rigid teeth": (lambda: stopped_drive(0.5), 1e-3, {"max_transitions": 8}),
    "published drive": (lambda: drive().machine, 1e-4, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_outputs_of_every_step_equal_real_time(case: str, tmp_path: Path) -> None:
    """Most are equal to the last digit; instants found by iteration differ in it."""
    make, step, given = CASES[case]
    assert largest_difference(make(), step, 10_000, tmp_path, **given) < 2e-12


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES | MORE)
def test_outputs_of_further_machines_equal_real_time(case: str, tmp_path: Path) -> None:
    """Without warnings of the optimiser or of the sanitizer."""
    make, step, given = (CASES | MORE)[case]
    assert largest_difference(make(), step, 10_000, tmp_path, careful=True, **given) < 1e-11


@pytest.mark.parametrize("seed", [4])
def test_random_drive_equals_real_time(seed: int, tmp_path: Path) -> None:
    machine = random_drive(np.random.default_rng([7, seed]))
    assert largest_difference(machine, 1e-3, 10_000, tmp_path) < 1e-9


def own_growth(machine: ss.Machine, step: float, steps: int) -> float:
    """Return the largest difference, relative as above, of two runs of `RealTime` that start 1e-12 apart."""
    start = ss.RealTime(machine, step=step)
    u = noise(len(start.inputs), steps)
    runs = []
    for beside in (0.0, 1e-12):
        initial = {name: x + beside * (name in machine.compile().states[: len(machine.names)])
                   for name, x in zip(machine.compile().states, start.state, strict=True)}  # fmt: skip
        runs.append(ss.RealTime(machine, step=step, initial=initial).run(u if u.shape[1] else steps))
    size = np.abs(runs[0]).max(axis=0)
    return float((np.abs(runs[1] - runs[0]).max(axis=0) / np.where(size > 0.0, size, 1.0)).max())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_random_drive_equals_real_time_over_a_million_steps(seed: int, tmp_path: Path) -> None:
    """Some drives amplify any difference: that of rounding grows no more than ten of 1e-12 at the start."""
    machine = random_drive(np.random.default_rng([7, seed]))
    difference = largest_difference(machine, 1e-3, 1_000_000, tmp_path, careful=True)
    assert difference < 1e-9 or difference < 10.0 * own_growth(machine, 1e-3, 1_000_000)


@pytest.mark.slow
def test_wedge_gear_equals_real_time_over_a_million_steps(tmp_path: Path) -> None:
    assert largest_difference(SET_2.machine, 1e-4, 1_000_000, tmp_path, careful=True) < 1e-9


@pytest.mark.slow
def test_wedge_gear_follows_exact_run(tmp_path: Path) -> None:
    """Five periods of chatter, at the end of every step."""
    made = ss.export.c99(SET_2.machine, 1e-3, tmp_path / "gear.c")
    found = Program(made).run(np.zeros((2000, 0)))
    run = ss.simulate(SET_2.machine, 2.0 + 1e-12, t_eval=1e-3 * np.arange(1, 2001), rtol=1e-11)
    assert np.abs(found - run.y.T).max() < 1e-9


@pytest.mark.skipif("clang" not in COMPILERS, reason="clang is not installed")
@pytest.mark.parametrize("case", CASES)
def test_clang_compiles_without_warnings(case: str, tmp_path: Path) -> None:
    make, step, given = CASES[case]
    assert largest_difference(make(), step, 1000, tmp_path, compiler="clang", **given) < 1e-12


SINGLE: dict[str, tuple[Callable[[], ss.Machine], float, float]] = {
    "belt": (belt, 1e-3, 5e-6),
    "wedge gear": (lambda: SET_2.machine, 1e-3, 1e-7),
    "controlled gear": (lambda: gear(period=0.004, quantum=1e-4), 1e-4, 1e-4),
    "published drive": (lambda: drive().machine, 1e-4, 2e-9),
}


@pytest.mark.parametrize(
    "case",
    ["wedge gear", *(pytest.param(name, marks=pytest.mark.slow) for name in SINGLE if name != "wedge gear")],
)
def test_single_precision_follows_double(case: str, tmp_path: Path) -> None:
    """Positions of some 0.1 m, 0.02 m, 0.1 m and 50 µm."""
    make, step, bound = SINGLE[case]
    machine = make()
    outputs = [name for name in machine.compile().states if name.endswith(".position")]
    made = ss.export.c99(machine, step, tmp_path / "axis.c", outputs=outputs, real="float")
    found = Program(made, careful=case != "wedge gear").run(np.zeros((2000, 0)))
    expected = ss.RealTime(machine, step=step, outputs=outputs).run(2000)
    assert np.abs(found - expected).max() < bound
