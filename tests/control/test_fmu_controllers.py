"""Controllers that are FMUs drive the plant as the controllers do of which they were exported."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip as ss

T = 1e-3


def drive(speed_loop: ss.control.Controller) -> ss.Machine:
    """Motor, elastic shaft and load with friction, under a sampled speed loop."""
    m = ss.Machine(
        mass=np.diag([2.0, 5.0]), stiffness=2e4 * np.array([[1.0, -1.0], [-1.0, 1.0]]), names=["motor", "load"],
        damping=20.0 * np.array([[1.0, -1.0], [-1.0, 1.0]]),
    )  # fmt: skip
    m.add_friction("guide", on="load", law=ss.Coulomb(static=12.0, kinetic=8.0))
    m.add_controller(
        speed_loop,
        "speed",
        measure="motor.velocity",
        reference=ss.Sine(amplitude=0.1, frequency=2.0),
        to="motor",
    )
    return m


@pytest.fixture(scope="module", params=["3.0", pytest.param("2.0", marks=pytest.mark.slow)])
def exported(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The speed loop as an FMU, its speed an input like its reference."""
    m = ss.Machine(mass=np.eye(2), names=["unused", "sensor"])
    m.add_controller(
        ss.LTI(0.0, [[60.0 / 0.05, -60.0 / 0.05]], 1.0, [[60.0, -60.0]], inputs="both", references=2, period=T),
        "loop", reference=[ss.Input("wanted"), ss.Input("speed")],
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("fmu")
    return ss.export.fmu(m, folder / "loop.fmu", outputs=["loop.output"], version=request.param).path


def lti() -> ss.control.Controller:
    """The native controller."""
    return ss.LTI(0.0, [[1200.0, -1200.0]], 1.0, [[60.0, -60.0]], inputs="both", references=1, period=T)


def from_fmu(path: Path, **options: Any) -> ss.control.FMU:
    return ss.control.FMU(path, reference=["wanted"], measurement=["speed"], period=T, **options)


def test_exported_controller_drives_the_plant_as_the_native_one(exported: Path) -> None:
    """To 1e-9 of the greatest value, through stick-slip of the load."""
    expected = ss.simulate(drive(lti()), 0.5, dt=T)
    found = ss.simulate(drive(from_fmu(exported)), 0.5, dt=T)
    assert len(expected.events) > 2
    for name in ("motor.velocity", "load.position", "guide.force", "speed.output"):
        assert found[name] == pytest.approx(expected[name], abs=1e-9 * np.abs(expected[name]).max()), name


def test_limits_of_the_block_hold_outside_of_the_fmu(exported: Path) -> None:
    run = ss.simulate(drive(from_fmu(exported, limits=2.0)), 0.2, dt=T)
    assert np.abs(run["speed.output"]).max() == 2.0


def test_run_is_repeated_and_continued_with_the_same_bits(exported: Path) -> None:
    """Each run starts anew, and a state of the past is reached again by repeating its steps."""
    m = drive(from_fmu(exported))
    whole = ss.simulate(m, 0.2)
    first = ss.simulate(m, 0.1)
    late = [ss.simulate(m, 0.2, state=first.state) for _ in range(2)]
    assert all(np.array_equal(run.state.x, whole.state.x) for run in (*late, ss.simulate(m, 0.2)))


def test_state_of_an_instance_that_is_gone_is_refused(exported: Path) -> None:
    m = drive(from_fmu(exported))
    state = ss.simulate(m, 0.01).state
    with pytest.raises(RuntimeError, match=r"controller 'speed': .* the instance of the FMU .* is gone"):
        ss.simulate(drive(from_fmu(exported)), 0.02, state=state)


def test_controller_is_a_value(exported: Path) -> None:
    one = from_fmu(exported)
    assert pickle.loads(pickle.dumps(one)) == one != from_fmu(exported, parameters={"speed": 1.0})
    assert eval(repr(one), {"FMU": ss.control.FMU}) == one
    assert one.output == ("loop.output",)


def test_outputs_after_the_step_are_those_of_its_end(exported: Path) -> None:
    """An integrator of its own reads one step later: the sampled loop of the FMU has run at t + T with the input of t."""
    m = ss.Machine(mass=1.0, names=["q"])
    loop = from_fmu(exported, reads_after_step=True)
    m.add_controller(loop, "loop", measure="q.velocity", reference=1.0)
    run = ss.simulate(m, 2 * T, dt=T)
    # u(0) = z(T) + 60 with z(T) = 1200 T
    assert run["loop.output"][0] == pytest.approx(60.0 + 1200.0 * T, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": ["x"]}, "unknown variable 'x' in reference and measurement; .* 'speed', 'wanted'"),
        ({"output": ["x"]}, "unknown variable 'x' in output; .* 'loop.output'"),
        ({"parameters": {"x": 1.0}}, "unknown variable 'x' in parameters"),
        ({"parameters": {"wanted": np.nan}}, r"parameters\['wanted'\] = nan is not allowed"),
        ({"reference": "wanted"}, "reference = 'wanted' is not allowed: it must be a sequence of names"),
        ({"period": None}, "period = None is not allowed"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], message: str, exported: Path) -> None:
    with pytest.raises(ValueError, match=message):
        ss.control.FMU(exported, **{"reference": ["wanted"], "period": T, **options})


def test_file_that_is_no_fmu_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.fmu").write_bytes(b"no archive")
    for path in (tmp_path / "x.fmu", tmp_path / "missing.fmu"):
        with pytest.raises(ValueError, match=r"cannot be read as an FMU"):
            ss.control.FMU(path, reference=["wanted"], period=T)


def test_error_of_the_fmu_names_the_controller_and_its_message(exported: Path) -> None:
    """An input that is NaN is refused by the FMU."""
    m = ss.Machine(mass=1.0, names=["q"])
    m.add_controller(lambda t, r, y: np.inf, "source", measure="q.velocity", reference=0.0, period=T)
    m.add_controller(from_fmu(exported), "loop", measure="q.velocity", reference="source.output", to="q")
    with pytest.raises(RuntimeError, match=r"controller 'loop': function raised RuntimeError at t = 0 s"):
        ss.simulate(m, 2 * T)


def test_damaged_fmu_names_the_controller_and_the_file(exported: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.fmu"
    with zipfile.ZipFile(exported) as sound, zipfile.ZipFile(damaged, "w") as made:
        for name in sound.namelist():
            content = sound.read(name)
            made.writestr(name, content[:-1] if name.endswith("machine.bin") else content)
    with pytest.raises(
        RuntimeError, match=r"controller 'speed': .* Failed to instantiate .*machine.bin: .*damaged"
    ):
        ss.simulate(drive(from_fmu(damaged)), 2 * T)
