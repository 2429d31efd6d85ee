"""Controllers that are functions of C, compiled with the compiler of this computer."""

from __future__ import annotations

import ctypes
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import tool

import stickslip as ss

T = 1e-3
SOURCE = """
/* PI by the backward rectangle rule: kp = 60, tn = 50 ms, T = 1 ms; the memory is the integral. */
void speed_loop(double t, const double *reference, const double *measurement, double *memory, double *output) {
  const double error = reference[0] - measurement[0];
  (void)t;
  memory[0] += 60.0 * 1e-3 / 0.05 * error;
  output[0] = 60.0 * error + memory[0];
}
void undefined(double t, const double *reference, const double *measurement, double *memory, double *output) {
  (void)t, (void)reference, (void)measurement, (void)memory;
  output[0] = 0.0 / (t - t);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shared library by the compiler that CMake finds."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "loop.c").write_text(SOURCE)
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(loop LANGUAGES C)\nadd_library(loop MODULE loop.c)\n"
        'set_target_properties(loop PROPERTIES PREFIX "")\n'
    )
    cmake, ninja = tool("cmake"), tool("ninja")
    for command in (
        [cmake, "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"],
        [cmake, "--build", folder / "build"],
    ):
        subprocess.run(command, check=True, capture_output=True)
    return next(path for path in (folder / "build").iterdir() if path.suffix in (".so", ".dll", ".dylib"))


def axis(control: ss.control.Controller) -> ss.Machine:
    m = ss.Machine(mass=2.0, names=["slide"])
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=12.0, kinetic=8.0))
    m.add_controller(
        control, "loop", measure="slide.velocity", reference=ss.Sine(amplitude=0.3, frequency=2.0), to="slide"
    )
    return m


def c_loop(library: Path, **options: Any) -> ss.control.CFunction:
    return ss.control.CFunction((library, "speed_loop"), memory=[0.0], period=T, **options)


def test_c_function_drives_the_plant_as_the_same_controller(library: Path) -> None:
    expected = ss.simulate(axis(ss.PI(kp=60.0, tn=0.05, period=T)), 1.0, dt=T)
    found = ss.simulate(axis(c_loop(library)), 1.0, dt=T)
    assert len(expected.events) > 2
    for name in ("slide.position", "slide.velocity", "loop.output", "guide.force"):
        assert found[name] == pytest.approx(expected[name], abs=1e-12 * np.abs(expected[name]).max()), name


def test_addresses_of_ctypes_and_numbers_are_the_same_function(library: Path) -> None:
    function = ctypes.CDLL(str(library)).speed_loop
    address = ctypes.cast(function, ctypes.c_void_p).value
    runs = [
        ss.simulate(axis(ss.control.CFunction(given, memory=[0.0], period=T)), 0.3)
        for given in ((str(library), "speed_loop"), function, address)
    ]
    assert np.array_equal(runs[0].state.x, runs[1].state.x) and np.array_equal(
        runs[0].state.x, runs[2].state.x
    )


def test_fixed_step_and_threads_take_c_functions(library: Path) -> None:
    """Without the interpreter: in real time, and in an ensemble of two threads."""
    m = axis(c_loop(library))
    stepped = ss.RealTime(m, step=T / 4, outputs=["slide.position"])
    rows = np.array([stepped.step({})[0] for _ in range(400)])
    assert rows[-1] == pytest.approx(ss.simulate(m, 0.1)["slide.position"][-1], rel=1e-2)
    swept = ss.ensemble(
        m, {"slide.mass": [1.0, 2.0, 3.0]}, t_end=0.3, measure=["slide.position.final"], workers=2
    )
    alone = ss.simulate(axis(c_loop(library)), 0.3)
    assert swept["slide.position.final"][1] == alone["slide.position"][-1]


def test_run_continues_with_the_same_bits(library: Path) -> None:
    m = axis(c_loop(library))
    half = ss.simulate(m, 0.2).state
    assert np.array_equal(ss.simulate(m, 0.4, state=half).state.x, ss.simulate(m, 0.4).state.x)


def test_pair_of_library_and_name_can_be_pickled(library: Path) -> None:
    one = c_loop(library, limits=5.0)
    again = pickle.loads(pickle.dumps(one))
    assert again == one and np.array_equal(
        ss.simulate(axis(again), 0.1).state.x, ss.simulate(axis(one), 0.1).state.x
    )


def test_address_cannot_be_pickled(library: Path) -> None:
    one = ss.control.CFunction(ctypes.CDLL(str(library)).speed_loop, memory=[0.0], period=T)
    with pytest.raises((TypeError, ValueError), match="pickle|exists in this process alone"):
        pickle.dumps(one)


def test_c_function_is_not_exported(library: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"controller 'loop' is a function of C.*stickslip.Input"):
        ss.export.fmu(axis(c_loop(library)), tmp_path / "m.fmu")


def test_output_that_is_not_a_number_ends_the_run(library: Path) -> None:
    run = ss.simulate(axis(ss.control.CFunction((library, "undefined"), period=T)), 1.0)
    assert run.status == "stalled" and "no longer finite after t = 0 s" in run.message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda library: (library, "missing"), "has no function 'missing'"),
        (lambda library: ("missing.so", "f"), "cannot be loaded"),
        (lambda library: 0, "function = 0 is not allowed: it must be a pair"),
        (lambda library: "speed_loop", "function = 'speed_loop' is not allowed: it must be a pair"),
        (lambda library: print, "is not allowed: it must be a pair"),
    ],
)
def test_wrong_functions_are_refused(given: Any, message: str, library: Path) -> None:
    with pytest.raises(ValueError, match=message):
        ss.control.CFunction(given(library), period=T)
