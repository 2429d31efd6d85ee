"""Pictures need no screen, and no test draws into the axes of another one."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

try:
    import matplotlib as mpl
except ImportError:
    pass
else:
    mpl.use("agg")  # not by MPLBACKEND, which the kernels of notebooks would inherit


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
