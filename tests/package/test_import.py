"""Importing the package is cheap and brings in nothing but NumPy."""

import os
import subprocess
import sys

import pytest

# Time on the processor, not on the clock: the tests share the machine with each other.
TIMED = """
import time; a = time.process_time()
import numpy; b = time.process_time()
import stickslip; print(b - a, time.process_time() - b)
"""
HEAVY = ("matplotlib", "scipy", "pandas", "xarray", "zarr", "distributed", "tqdm", "control", "IPython")


def run(code: str) -> str:
    # With byte code in store, as of an installed package, and with as many threads of linear algebra as users have.
    own = {"PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}
    env = {k: v for k, v in os.environ.items() if k not in own}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return done.stdout.strip()


@pytest.mark.house
def test_import_takes_no_longer_than_that_of_numpy() -> None:
    """0.7 to 0.8 of it; some 30 ms where NumPy takes 40."""
    # The least of several runs: the others only show what else the machine was doing.
    runs = [[float(part) for part in run(TIMED).split()] for _ in range(12)]
    of_numpy, own = (min(part) for part in zip(*runs, strict=True))
    assert own <= of_numpy


def test_import_brings_in_no_optional_package() -> None:
    loaded = run("import sys, stickslip; print(*sys.modules)").split()
    assert "numpy" not in HEAVY and "stickslip._core" in loaded
    assert not set(HEAVY) & set(loaded)


def test_lazy_parts_are_found_and_listed() -> None:
    code = "import stickslip as ss; print('linear' in dir(ss), ss.plotting.__name__, ss.linear.__name__)"
    assert run(code) == "True stickslip.plotting stickslip.linear"


def test_unknown_attribute_is_an_attribute_error() -> None:
    import stickslip

    with pytest.raises(AttributeError, match="no attribute 'no_such_thing'"):
        stickslip.no_such_thing  # type: ignore[attr-defined]


def test_engine_and_package_are_built_for_this_interpreter() -> None:
    import stickslip._core

    assert os.path.dirname(stickslip._core.__file__) == os.path.dirname(stickslip.__file__)


# Subinterpreters have a module of their own in the standard library, under three names so far.
SUBINTERPRETER = """
import sys
try:
    import _interpreters as si
except ImportError:
    import _xxsubinterpreters as si
code = '''
import sys; sys.path[:] = {!r}
try:
    import stickslip._core
except ImportError as e:
    print(e)
'''
si.run_string(si.create(), code.format(sys.path))
"""


def test_import_in_a_subinterpreter_is_refused() -> None:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, env=env, timeout=60
    )
    assert "subinterpreter" in done.stdout, done.stderr
