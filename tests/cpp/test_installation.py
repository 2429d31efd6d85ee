"""The engine installed for C++: an example with a CMakeLists.txt of its own, built against it."""

from __future__ import annotations

import subprocess
import sysconfig
import zipfile
from pathlib import Path

import pytest
from engine import HERE as ENGINE_TESTS
from engine import alone, run, tool

import stickslip as ss

ROOT = ENGINE_TESTS.parents[1]
EXAMPLE = Path(__file__).parent / "example"
BUILD = ROOT / "build" / "cpp"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # where the engine has to be compiled first


def builds() -> list[Path]:
    """Builds of this checkout whose library can be installed as it is."""
    return [
        path.parent for path in sorted((ROOT / "build").glob("*/libstickslip_core.a")) if fits(path.parent)
    ]


def fits(folder: Path) -> bool:
    """True if the library is younger than its sources and was built for release."""
    library = folder / "libstickslip_core.a"
    sources = [path for path in (ROOT / "src").rglob("*") if path.suffix in {".cpp", ".hpp"}]
    newest = max(path.stat().st_mtime for path in sources)
    return (
        library.stat().st_mtime > newest
        and (folder / "made.txt").read_text().startswith("Release")
        and "cpp" in (folder / "cmake_install.cmake").read_text()
    )


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation of the component cpp."""
    made: Path = tmp_path_factory.mktemp("prefix")
    cmake, site = tool("cmake"), sysconfig.get_path("purelib")
    with alone():
        folder = next(iter(builds()), BUILD)
        if folder == BUILD:
            run(
                cmake, "-S", str(ROOT), "-B", str(BUILD), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
                "-DSTICKSLIP_PYTHON=OFF", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={site}",
            )  # fmt: skip
            run(cmake, "--build", str(BUILD))
        run(cmake, "--install", str(folder), "--component", "cpp", "--prefix", str(made))
    return made


def build(source: Path, prefix: Path, into: Path, *options: str) -> Path:
    """The folder of a project that has been built against the installation."""
    found = f"-DCMAKE_PREFIX_PATH={prefix};{sysconfig.get_path('purelib')}"
    cmake = tool("cmake")
    run(
        cmake, "-S", str(source), "-B", str(into), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", found,
        *options,
    )  # fmt: skip
    run(cmake, "--build", str(into))
    return into


def belt() -> ss.Machine:
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


# -march=native: the example may align its matrices by wider registers than the library does.
@pytest.mark.parametrize("options", [[], ["-DCMAKE_CXX_FLAGS=-Wall -Werror -march=native"]])
def test_example_gives_the_motion_of_python(options: list[str], prefix: Path, tmp_path: Path) -> None:
    """Positions, forces, events and a continued run of the example are those of the Python package."""
    made = ss.export.fmu(belt(), tmp_path / "belt.fmu", initial={"block.velocity": 0.2})
    with zipfile.ZipFile(made.path) as archive:
        file = archive.extract("resources/machine.bin", tmp_path)
    program = build(EXAMPLE, prefix, tmp_path / "build", *options) / (
        "axis" + sysconfig.get_config_var("EXE")
    )
    said = subprocess.run([program, file], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {line.split(" ")[0]: line.split(" ")[1:] for line in said if not line.startswith("event")}
    expected = ss.simulate(belt(), 20.0, t_eval=[0.0, 10.0, 20.0], initial={"block.velocity": 0.2})
    assert float(found["position"][0]) == pytest.approx(expected["block.position"][2], rel=1e-14)
    assert float(found["force"][0]) == pytest.approx(expected["belt.force"][1], rel=1e-14)
    assert float(found["file"][0]) == pytest.approx(expected["block.position"][2], rel=1e-14)
    # First order in the step of 1 ms: 2e-3 after three periods.
    assert float(found["stepped"][0]) == pytest.approx(expected["block.position"][2], abs=2e-3)
    assert (found["resumed"], found["balance"], found["stepped"][1]) == (["1"], ["1"], "0")
    assert "unknown state" in " ".join(found["refused"]) and "'block.velocity'" in " ".join(found["refused"])
    events = [line.split(" ") for line in said if line.startswith("event")]
    assert [float(words[1]) for words in events] == pytest.approx(
        [e.time for e in expected.events], rel=1e-14
    )
    assert {words[2] for words in events} == {"belt"}


def test_each_public_header_compiles_alone(prefix: Path, tmp_path: Path) -> None:
    headers = sorted((prefix / "include" / "stickslip").glob("*.hpp"))
    assert {path.stem for path in headers} == {
        "machine",
        "machine_file",
        "real_time",
        "simulation",
        "stickslip",
    }
    sources = []
    for header in headers:
        source = tmp_path / f"{header.stem}.cpp"
        source.write_text(f"#include <stickslip/{header.name}>\n")
        sources.append(source.name)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(headers LANGUAGES CXX)\nfind_package(stickslip REQUIRED)\n"
        f"add_library(headers STATIC {' '.join(sources)})\ntarget_link_libraries(headers PRIVATE stickslip::core)\n"
    )
    build(tmp_path, prefix, tmp_path / "build")


def test_headers_of_the_engine_have_a_folder_of_their_own(prefix: Path) -> None:
    """A program has headers of its own called core/error.hpp."""
    for path in (prefix / "include").rglob("*.hpp"):
        text = path.read_text()
        assert all(
            line.split('"')[1].startswith("stickslip/") for line in text.splitlines() if '#include "' in line
        )
    assert {path.name for path in (prefix / "include").iterdir()} == {"stickslip"}
