"""Programs of the engine that need no Python, built when they are asked for.

The library that installing or building this checkout has left is used if it is still that of the sources; else the
engine is compiled anew, which takes minutes.
"""

import functools
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a Unix; then tests do not run in several processes
    fcntl = None

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "engine"


def tool(name: str) -> str:
    """Return the path of `name` beside this Python, or else on the path of the shell."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    assert found, f"{name} is missing: install this package with its extra 'test'"
    return found


def run(*command: str) -> None:
    """Run a step of the build; what it says is shown if it fails."""
    # The tools come from packages of this environment, whose name must not lead them to another one.
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, " ".join(command) + "\n" + done.stdout + done.stderr


@contextmanager
def alone() -> Iterator[None]:
    """One process builds, the others wait for it."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def program(name: str) -> Path:
    """Return the path of `engine_tests` or of one of programs/, up to date with the sources."""
    cmake = tool("cmake")
    with alone():
        run(
            cmake, "-S", str(HERE), "-B", str(BUILD), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
            f"-DCMAKE_PREFIX_PATH={sysconfig.get_path('purelib')}",
        )  # fmt: skip
        run(cmake, "--build", str(BUILD), "--target", name, "--parallel", str(os.cpu_count() or 1))
    return BUILD / (name + sysconfig.get_config_var("EXE"))
