"""The C functions of the library against the headers of the standard, which FMPy brings."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import fmpy
import pytest

from stickslip.export.fmu import _library

HEADERS = Path(fmpy.__file__).parent / "c-code"
SOURCE = Path(__file__).parents[2] / "src"
MODEL_EXCHANGE_2 = {
    "fmi2EnterEventMode", "fmi2NewDiscreteStates", "fmi2EnterContinuousTimeMode", "fmi2CompletedIntegratorStep",
    "fmi2SetTime", "fmi2SetContinuousStates", "fmi2GetDerivatives", "fmi2GetEventIndicators",
    "fmi2GetContinuousStates", "fmi2GetNominalsOfContinuousStates",
}  # fmt: skip


@pytest.mark.parametrize(("version", "left_out"), [(3, set()), (2, MODEL_EXCHANGE_2)])
def test_library_has_every_function_of_the_standard(version: int, left_out: set[str]) -> None:
    """All of FMI 3.0; of FMI 2.0 those that co-simulation needs."""
    text = (HEADERS / f"fmi{version}Functions.h").read_text()
    declared = set(re.findall(rf"FMI{version}_Export\s+fmi{version}\w+TYPE\s+(fmi{version}\w+);", text))
    assert len(declared) > 30
    library = ctypes.CDLL(str(_library()))
    assert {name for name in declared if not hasattr(library, name)} == left_out


@pytest.mark.slow
@pytest.mark.parametrize("version", [3, 2])
def test_functions_compile_against_the_headers_of_the_standard(version: int) -> None:
    """A function whose arguments differ from its declaration there does not compile."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    eigen = Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "include" / "eigen3"
    arguments = [
        "-std=c++20",
        "-fsyntax-only",
        "-DSTICKSLIP_FMI_HEADERS",
        f"-I{SOURCE}",
        f"-I{HEADERS}",
        f"-I{eigen}",
    ]
    done = subprocess.run(
        [compiler, *arguments, str(SOURCE / "fmi" / f"fmi{version}.cpp")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
