"""Files of exported machines: the model description, names, and what cannot be exported."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import stickslip as ss
from export.importer import Importer, extracted, imported
from export.test_fmu_motion import CASES


def slide(**options: Any) -> ss.Machine:
    m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Input("motor", default=0.5)})
    m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8), **options)
    return m


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """An extracted FMU with two inputs, a parameter and an output."""
    inputs = ["motor", "guide.normal_load"]
    given = {"inputs": inputs, "parameters": ["slide.velocity"], "outputs": ["slide.position"]}
    with extracted(slide(normal_load=1.0), **given) as made:
        yield made


@pytest.mark.filterwarnings("ignore:'load friction")
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("case", CASES)
def test_fmpy_validates_without_findings(case: str, version: str, tmp_path: Path) -> None:
    make, _, _, _, outputs = CASES[case]
    machine = make(ss.Input)
    parameters = [name for name in machine.parameters if name.endswith(("static", "mass", "kp"))]
    made = ss.export.fmu(machine, tmp_path / "m.fmu", outputs=outputs, parameters=parameters, version=version)
    assert validate_fmu(str(made.path)) == []


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_model_description_tells_units_starts_and_causality(version: str, tmp_path: Path) -> None:
    made = ss.export.fmu(
        slide(), tmp_path / "m.fmu", outputs=["slide.velocity", "guide.mode"], version=version,
        parameters=["guide.law.static", "slide.mass", "slide.velocity"], initial={"slide.velocity": 0.25},
    )  # fmt: skip
    described = fmpy.read_model_description(str(made.path))
    found = {
        v.name: (v.causality, v.variability, v.start and float(v.start), v.unit)
        for v in described.modelVariables
        if v.causality != "local"
    }
    assert found == {
        "time": ("independent", "continuous", None, "s"),
        "motor": ("input", "continuous", 0.5, "N"),
        "slide.velocity": ("output", "continuous", None, "m/s"),
        "guide.mode": ("output", "discrete", None, None),
        "guide.law.static": ("parameter", "tunable", 1.0, None),
        "slide.mass": ("parameter", "tunable", 1.0, "kg"),
        "slide.velocity_start": ("parameter", "fixed", 0.25, "m/s"),
    }
    assert described.defaultExperiment.tolerance in (1e-8, "1e-08")
    units = {
        v.name: (v.unit, v.derivative and v.derivative.name)
        for v in described.modelVariables
        if v.causality == "local"
    }
    assert (
        units == {}
        if version == "2.0"
        else {
            "slide.position": ("m", None),
            "guide.event_indicator": (None, None),
            "controller_limits.event_indicator": (None, None),
            "shared_forces.event_indicator": (None, None),
            "der(slide.position)": ("m/s", "slide.position"),
            "der(slide.velocity)": ("m/s2", "slide.velocity"),
        }
    )


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_fmpy_simulates(version: str, tmp_path: Path) -> None:
    """A force of 2 N against kinetic friction of 0.8 N on 2 kg that started with 1 m/s: v = 1 + 0.6 t."""
    made = ss.export.fmu(
        slide(), tmp_path / "m.fmu", outputs=["slide.velocity", "guide.mode"], version=version,
        parameters=["slide.mass", "slide.velocity"],
    )  # fmt: skip
    start = {"motor": 2.0, "slide.mass": 2.0, made.parameters["slide.velocity"]: 1.0}
    run = fmpy.simulate_fmu(str(made.path), stop_time=1.0, output_interval=0.1, start_values=start)
    assert run["slide.velocity"] == pytest.approx(1.0 + 0.6 * run["time"], rel=1e-12)
    assert set(run["guide.mode"]) == {1}


def test_constant_signal_becomes_an_input() -> None:
    """A belt whose speed is set from outside drags the block: v = 0.8 t until it is that of the belt."""
    m = ss.Machine(mass=1.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    with imported(m, inputs=["belt.surface_velocity"], outputs=["block.velocity"]) as one:
        assert (
            one.variables["belt.surface_velocity"].start,
            one.variables["belt.surface_velocity"].unit,
        ) == ("0.2", "m/s")
        one.start()
        times = np.array([0.0, 1.0, 1.5, 1.75, 2.0])
        found = one.run(
            times, ["block.velocity"], {"belt.surface_velocity": np.array([0.2, 1.0, 1.0, 0.0, 0.0])}
        )
    assert found[:, 0] == pytest.approx([0.0, 0.2, 0.6, 0.8, 0.6], rel=1e-14)


def test_start_time_and_tolerance_are_those_of_the_importer() -> None:
    """A ramp that begins at t = 5 s: v = (t - 5)²/2, from a start at 4 s."""
    m = ss.Machine(mass=1.0, names=["q"], force={"q": ss.Ramp(slope=1.0, start=5.0)})
    with imported(m, outputs=["q.velocity"]) as one:
        one.start(t=4.0, tolerance=1e-6)
        one.step(3.0)
        assert one.get(["time", "q.velocity"]) == pytest.approx([7.0, 2.0], rel=1e-14)


def test_equal_machines_give_equal_files(tmp_path: Path) -> None:
    made = [
        ss.export.fmu(slide(), tmp_path / name / "m.fmu")
        for name in ("a", "b")
        if not (tmp_path / name).mkdir()
    ]
    assert made[0].path.read_bytes() == made[1].path.read_bytes()


def test_forbidden_names_are_mapped_and_told(tmp_path: Path) -> None:
    m = ss.Machine(mass=np.eye(2), stiffness=[[2.0, -1.0], [-1.0, 2.0]], names=["Tisch 1", "β"])
    with pytest.warns(UserWarning) as told:
        made = ss.export.fmu(
            m,
            tmp_path / "m.fmu",
            outputs=["Tisch 1.position", "β.position"],
            parameters=["stiffness[Tisch 1,β]"],
        )
    assert made.outputs == {"Tisch 1.position": "Tisch_1.position", "β.position": "_.position"}
    assert made.parameters == {"stiffness[Tisch 1,β]": "stiffness_Tisch_1"}
    assert len(told) == 3 and "'Tisch 1.position' is called 'Tisch_1.position'" in str(told[0].message)
    assert validate_fmu(str(made.path)) == []


def test_names_that_become_equal_are_numbered(tmp_path: Path) -> None:
    m = ss.Machine(mass=np.eye(2), names=["a b", "a_b"])
    with pytest.warns(UserWarning) as told:
        made = ss.export.fmu(m, tmp_path / "m.fmu", outputs=["a b.position", "a_b.position"])
    assert made.outputs == {"a b.position": "a_b.position", "a_b.position": "a_b.position_2"}
    assert "'a_b.position' is called 'a_b.position_2'" in str(told[1].message)


def with_function() -> ss.Machine:
    m = slide()
    m.add_friction("other", on="slide", law=ss.Curve(lambda v: np.tanh(v)))
    return m


def with_controller() -> ss.Machine:
    m = slide()
    m.add_controller(
        lambda t, r, y: r - y, "own", measure="slide.velocity", reference=0.0, to="slide", period=0.1
    )
    return m


@pytest.mark.parametrize(
    ("machine", "options", "message"),
    [
        (with_function, {}, "law of 'other' is a Python function.*Table.sample"),
        (with_controller, {}, "controller 'own' is a Python function.*Input"),
        (slide, {"inputs": ["slide.velocity"]}, "inputs holds 'slide.velocity', a state"),
        (slide, {"inputs": ["x"]}, "unknown input 'x' in inputs; known are: inputs 'motor', constant signals"),
        (slide, {"inputs": ["motor", "motor"]}, "inputs holds 'motor' twice"),
        (slide, {"inputs": "motor"}, "inputs = 'motor' is not allowed: it must be a sequence of names"),
        (slide, {"outputs": ["speed"]}, "unknown signal 'speed' in outputs"),
        (slide, {"outputs": ["guide.force", "guide.force"]}, "outputs holds 'guide.force' twice"),
        (slide, {"parameters": ["guide.law.statik"]}, "unknown parameter 'guide.law.statik'"),
        (slide, {"parameters": ["slide.force"]}, "parameters holds 'slide.force', which is the input 'motor'"),
        (slide, {"version": "1.0"}, "version = '1.0' is not allowed: it must be '3.0' or '2.0'"),
        (slide, {"rtol": 0.0}, "rtol = 0.0 is not allowed"),
        (lambda: 3.0, {}, "machine = 3.0 is not allowed"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(
    machine: Any, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        ss.export.fmu(machine(), tmp_path / "m.fmu", **options)
    assert not (tmp_path / "m.fmu").exists()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda b: b[:-1], "damaged"),
        (lambda b: b[:200] + bytes([b[200] ^ 1]) + b[201:], "damaged"),
        (lambda b: b"", "damaged"),
        (lambda b: b[:19] + bytes([9]) + b[20:], "has the format 9, this library reads format 2"),
    ],
)
def test_damaged_resources_are_refused(damage: Any, message: str, folder: Path) -> None:
    file = folder / "resources" / "machine.bin"
    sound = file.read_bytes()
    told: list[str] = []
    try:
        file.write_bytes(damage(sound))
        with pytest.raises(Exception, match="Failed to instantiate"):
            Importer(folder, log=told.append)
    finally:
        file.write_bytes(sound)
    assert re.search(message, told[0])


def test_machine_of_another_description_is_refused(folder: Path) -> None:
    told: list[str] = []
    with pytest.raises(Exception, match="Failed to instantiate"):
        Importer(folder, token="0123456789abcdef", log=told.append)
    assert "belongs to another model description" in told[0]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda one: one.set({"motor": np.nan}), "motor = nan"),
        (lambda one: one.set({"guide.normal_load": -1.0}), "normal_load of 'guide' = -1 is not allowed"),
        (lambda one: one.set({"slide.velocity_start": 2.0}), "'slide.velocity' is a fixed parameter"),
        (lambda one: one.set({"slide.position": 2.0}), "value reference 3 is not an input or a parameter"),
        (lambda one: one.step(-0.1), "the step -0.1 s is not allowed"),
        (lambda one: one.fmu.doStep(0.5, 0.1), "the step starts at 0.5 s, but the last one has ended at 0 s"),
        (lambda one: one.fmu.enterInitializationMode(), "is not allowed while the instance is in the state 'step mode'"),
        (lambda one: one.fmu.getInt32([1]), "value reference 1 is not an integer"),
        (lambda one: one.fmu.getFloat64([99]), "value reference 99 is not known"),
        (lambda one: one.fmu.getAdjointDerivative([3], [1], [1.0]), "does not offer this"),
    ],
)  # fmt: skip
def test_wrong_calls_are_refused(act: Any, message: str, folder: Path) -> None:
    one = Importer(folder)
    one.start()
    with pytest.raises(Exception, match="fmi3"):
        act(one)
    assert re.search(message, one.messages[-1])
    one.close()


def test_run_that_cannot_continue_is_an_error() -> None:
    """An unstable mass grows beyond all numbers."""
    m = ss.Machine(mass=1.0, stiffness=-1e4, names=["q"])
    with imported(m, initial={"q.position": 1.0}, outputs=["q.position"]) as one:
        one.start()
        with pytest.raises(Exception, match="fmi3DoStep"):
            one.step(100.0)
        assert "no longer finite" in one.messages[-1] and "'q.velocity'" in one.messages[-1]
        with pytest.raises(Exception, match="fmi3DoStep"):
            one.step(1.0)
        assert "'failed'" in one.messages[-1]


def test_library_needs_neither_python_nor_a_cxx_runtime(tmp_path: Path) -> None:
    made = ss.export.fmu(slide(), tmp_path / "m.fmu")
    with zipfile.ZipFile(made.path) as archive:
        names = archive.namelist()
        library = archive.read(names[-1])
    assert names[:2] == ["modelDescription.xml", "resources/machine.bin"]
    assert b"libpython" not in library and b"PyObject" not in library
    assert len(library) < 8e6
