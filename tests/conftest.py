"""Settings of all tests: slow tests, one thread of linear algebra, drawing without a screen, no shared axes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before NumPy and SciPy are loaded. The processes of pytest-xdist use all cores; further threads of OpenBLAS would wait
# for each other in a busy loop: 300 exponentials of a 3 x 3 matrix then take 2 s of processor time instead of 3 ms.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

try:
    import matplotlib as mpl
except ImportError:
    pass
else:
    mpl.use("agg")  # not by MPLBACKEND, which the kernels of notebooks would inherit

# Names in slow.txt: tests of more than 0.15 s of processor time (together more than all others) whose subject has a
# faster test beside them. A name without brackets stands for all cases. `pytest -m slow` runs them.
SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").splitlines())


# Warnings that folders of tests provoke, where all others are errors.
PROVOKED = {
    "identify/": "ignore:(fit|inverse_dynamics)",
    "truths/": "ignore:.*default samples",
    "simulate/": "ignore:.*default samples",
    "families/": "ignore:.*default samples",
    "contact_run/": "ignore:.*default samples",
}


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    found = set()
    for item in items:
        name = item.nodeid.removeprefix("tests/")
        for folder, warning in PROVOKED.items():
            if name.startswith(folder):
                item.add_marker(pytest.mark.filterwarnings(warning))
        listed = {one for one in (name, name.split("[")[0], name.rpartition("::")[0]) if one in SLOW}
        found |= listed
        if listed:
            item.add_marker(pytest.mark.slow)
    files = {item.nodeid.removeprefix("tests/").partition("::")[0] for item in items}
    whole = not any("::" in argument for argument in config.args)
    missing = [one for one in sorted(SLOW) if whole and one.partition("::")[0] in files and one not in found]
    if missing:
        raise pytest.UsageError(f"tests/slow.txt lists as slow what is no test: {', '.join(missing)}")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
