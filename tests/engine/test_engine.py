"""Runs the tests of the engine that are written in C++, one file of them at a time."""

import re
import subprocess
from pathlib import Path

import pytest

from engine import HERE, program

pytestmark = pytest.mark.timeout(1500)  # where the engine has to be compiled first
TEST = re.compile(r"^TEST\((\w+), (\w+)\)", re.MULTILINE)
TESTS = {path.stem: TEST.findall(path.read_text()) for path in HERE.glob("*.cpp") if path.stem != "main"}


@pytest.mark.parametrize("suite", sorted(TESTS))
def test_engine_tests_pass(suite: str) -> None:
    """Every test of the file ran, and every check in it holds."""
    done = subprocess.run([program("engine_tests"), suite], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert {f"{suite}.{name}" for _, name in TESTS[suite]} <= set(done.stdout.splitlines())
    assert {of for of, _ in TESTS[suite]} == {suite}


def test_failing_check_is_reported(tmp_path: Path) -> None:
    """An unknown suite is an error of its own: nothing that did not run counts as passed."""
    done = subprocess.run([program("engine_tests"), "nothing_like_it"], capture_output=True, text=True)
    assert done.returncode == 2 and "no suite" in done.stdout
