"""Files of exported C code: names, parameters, what it may call, and what cannot be exported."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published.drive import drive
from published.gears import SET_2

import stickslip as ss
from export.c_program import COMPILERS, Program, object_file
from export.test_c99_motion import CASES, MORE, belt, gear, rubbing_slide
from stickslip.export._c99_text import called_only

needs_gcc = pytest.mark.skipif("gcc" not in COMPILERS, reason="gcc is not installed")

MATH = {"ceil", "copysign", "exp", "fabs", "floor", "fmod", "pow", "sin", "sqrt", "tanh"}
COPIES = {"memcpy", "memset", "memmove"}  # that compilers put in the place of loops, also without a library


def coulomb_belt() -> ss.Machine:
    return belt(ss.Coulomb(static=1.0, kinetic=0.6))


def test_names_are_fields_of_structures(tmp_path: Path) -> None:
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Input("motor torque")})
    m.add_friction("register", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    made = ss.export.c99(
        m, 1e-3, tmp_path / "my-axis.c", outputs=["slide.velocity", "register.mode"],
        parameters=["register.law.kinetic"],
    )  # fmt: skip
    assert (made.prefix, made.source.name, made.header.name) == ("my_axis", "my-axis.c", "my-axis.h")
    assert made.inputs == {"motor torque": "motor_torque"}
    assert made.outputs == {"slide.velocity": "slide_velocity", "register.mode": "register_mode"}
    assert made.parameters == {"register.law.kinetic": "register_law_kinetic"}
    header = made.header.read_text()
    assert "double slide_velocity; /* slide.velocity, m/s */" in header.replace("my_axis_real", "double")
    assert "void my_axis_step(my_axis_machine *m, const my_axis_inputs *in);" in header


def test_equal_machines_give_equal_files(tmp_path: Path) -> None:
    first = ss.export.c99(belt(), 1e-3, tmp_path / "a.c").source.read_text()
    assert ss.export.c99(belt(), 1e-3, tmp_path / "a.c").source.read_text() == first


@needs_gcc
@pytest.mark.skipif(shutil.which("nm") is None, reason="nm is not installed")
@pytest.mark.parametrize("make", [rubbing_slide, lambda: SET_2.machine], ids=["slide", "wedge gear"])
def test_code_calls_nothing_but_math_and_itself(make: Any, tmp_path: Path) -> None:
    """No heap, no recursion (functions stand before their callers), no function pointers, stacks of known size."""
    made = ss.export.c99(make(), 1e-3, tmp_path / "axis.c")
    compiled = object_file(made, "-O0", "-fstack-usage")
    undefined = subprocess.run(["nm", "-u", str(compiled)], check=True, capture_output=True, text=True).stdout
    assert set(re.findall(r"\bU (\w+)", undefined)) <= MATH | COPIES
    usage = compiled.with_suffix(".su").read_text().splitlines()
    assert usage and all(line.split("\t")[2] in ("static", "dynamic,bounded") for line in usage)
    text = made.source.read_text()
    functions = re.findall(
        r"^(?:static )?[\w ]+[ *](\w+)\([^;{]*\) \{\n(.*?)^\}\n", text, re.MULTILINE | re.DOTALL
    )
    assert len(functions) > 20
    for k, (_, body) in enumerate(functions):
        assert not {name for name, _ in functions[k:]} & set(re.findall(r"\b(\w+)\(", body))
    assert not re.search(r"\(\*\w+\)\s*\(", text)


def test_functions_that_nothing_calls_are_left_out() -> None:
    text = (
        "/* --- one ---- */\n\n/* Used. */\nstatic int a(int x) {\n  return x;\n}\n\n"
        "static int b(int x) {\n  return a(x);\n}\n\nint c(int x) {\n  return a(x);\n}\n"
    )
    assert "b(" not in called_only(text) and "/* Used. */\nstatic int a" in called_only(text)


PARAMETERS = {"guide.law.kinetic": 0.8, "speed.control.kp": 5.0, "speed.control.limits.max": 2.0}


@pytest.fixture(scope="module")
def tunable(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("tunable") / "axis.c"
    return Program(ss.export.c99(rubbing_slide(), 1e-3, path, parameters=list(PARAMETERS)))


@needs_gcc
@pytest.mark.parametrize(
    ("name", "value"),
    [("guide.law.kinetic", 0.45), ("speed.control.kp", 9.0), ("speed.control.limits.max", 1.7)],
)
def test_changed_parameter_equals_machine_rebuilt_with_it(name: str, value: float, tunable: Program) -> None:
    numbers = PARAMETERS | {name: value}
    u = np.repeat(np.random.default_rng(8).normal(size=(100, 2)), 50, axis=0)
    found = tunable.run(u, tuple(numbers.values()))
    expected = ss.RealTime(changed(numbers), step=1e-3).run(u)
    assert np.abs(found - expected).max() < 1e-12
    assert np.abs(found - ss.RealTime(rubbing_slide(), step=1e-3).run(u)).max() > 1e-3


def changed(numbers: dict[str, float]) -> ss.Machine:
    """The slide with other numbers."""
    m = ss.Machine(mass=1.0, damping=0.3, names=["slide"], force={"slide": ss.Input("motor")})
    control = ss.PI(kp=numbers["speed.control.kp"], tn=0.5, limits=(-2.0, numbers["speed.control.limits.max"]),
                    period=0.01, delay=0.0043)  # fmt: skip
    m.add_controller(
        control, name="speed", measure="slide.velocity", reference=ss.Input("wanted"), to="slide"
    )
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=numbers["guide.law.kinetic"]))
    return m


COUNT = """\
#include "{source}"
#include <cstdio>

int main() {{
  static {p}_machine m;
  {p}_inputs in = {{}};
  long most = 0;
  {p}_start(&m);
  for (int k = 0; k < 20000; ++k) {{
    Real::n = 0;
    {p}_step(&m, &in);
    most = Real::n > most ? Real::n : most;
  }}
  std::printf("%ld", most);
}}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("case", ["published drive", *CASES])
def test_operations_of_a_step_stay_below_the_bound(case: str, tmp_path: Path) -> None:
    """Counted by a number of C++ in the place of double, for which the same source compiles."""
    make, step, given = (CASES | MORE)[case]
    made = ss.export.c99(make(), step, tmp_path / "axis.c", **given)
    shutil.copy(Path(__file__).with_name("counting_real.hpp"), tmp_path)
    header = made.header.read_text()
    made.header.write_text(header.replace("typedef double", '#include "counting_real.hpp"\ntypedef Real'))
    program = tmp_path / "count.cpp"
    program.write_text(COUNT.format(source=made.source.name, p=made.prefix))
    subprocess.run(["g++", "-w", "-fpermissive", str(program), "-o", str(tmp_path / "count")], check=True)
    counted = int(
        subprocess.run([str(tmp_path / "count")], check=True, capture_output=True, text=True).stdout
    )
    assert 100 < counted <= made.operations


def test_work_and_size_of_the_published_drive(tmp_path: Path) -> None:
    """The numbers of the page "onto a controller"."""
    made = ss.export.c99(drive().machine, 1e-4, tmp_path / "drive.c")
    assert made.mode_sets == 3
    assert made.table_bytes == 2672 and made.operations == 3493


@pytest.mark.parametrize(
    ("make", "given", "message"),
    [
        (lambda: belt(ss.Dahl(kinetic=1.0, stiffness=1e5)), {}, "'belt'.*Stribeck"),
        (lambda: belt(ss.laws.FormulaLaw(lambda v: ss.tanh(v / 0.01))), {}, "'belt'.*Table"),
        (lambda: belt(ss.Curve(lambda v: np.sign(v))), {}, "'belt'.*Table"),
        (belt, {"parameters": ["block.mass"]}, "'block.mass'.*linearly.*export the machine again"),
        (coulomb_belt, {"parameters": ["belt.law.kinetic", "belt.normal_load"]}, "multiply each other"),
        (belt, {"outputs": ["belt.limit"]}, "'belt.limit'.*simulate"),
        (belt, {"outputs": "belt.force"}, "a sequence of names"),
        (belt, {"real": "half"}, "'double' or 'float'"),
        (belt, {"path": "axis.cpp"}, r"ends in \.c"),
        (belt, {"max_transitions": 0}, ">= 1"),
        (belt, {"step": 0.0}, "step"),
        (lambda: gear(period=0.0035), {"step": 1e-3}, "'place'.*period"),
    ],
)
def test_refusals_name_the_element_and_the_cure(
    make: Any, given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    given = {"step": 1e-3, "path": "axis.c"} | given
    with pytest.raises(ValueError, match=message):
        ss.export.c99(make(), given.pop("step"), tmp_path / given.pop("path"), **given)
    assert not list(tmp_path.iterdir())


def test_unknown_names_are_listed(tmp_path: Path) -> None:
    with pytest.raises(ss.UnknownNameError, match="known are"):
        ss.export.c99(belt(), 1e-3, tmp_path / "axis.c", parameters=["belt.law.kinetics"])
