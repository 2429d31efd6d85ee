"""The page on clusters: its programs are Python, and the machine of its example is one that can be swept as it says."""

import ast
import re
import sys
import types
from pathlib import Path

import pytest

import stickslip as ss

PAGE = (Path(__file__).parents[2] / "notebooks" / "howto" / "cluster.md").read_text(encoding="utf-8")
SLURM, MPI = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
# Processes are forked where the system does that; pytest-xdist has threads of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def call(code: str) -> dict[str, ast.expr]:
    """The named arguments of its call of ensemble()."""
    for node in ast.walk(ast.parse(code)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "ensemble"
        ):
            return {word.arg: word.value for word in node.keywords if word.arg}
    raise AssertionError


def test_machine_of_the_example_can_be_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    jobs = types.ModuleType("dask_jobqueue")
    jobs.SLURMCluster = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dask_jobqueue", jobs)
    named: dict[str, object] = {"__name__": "page"}
    exec(SLURM, named)
    measure = ast.literal_eval(call(SLURM)["measure"])
    out = ss.ensemble(named["drive"], {"load": [1e3, 40e3], "speed": [0.003, 3.0]}, 4.0, measure, workers=1)
    assert out.success.all() and out[measure[0]][1, 0] == 4.0 and out[measure[0]][0, 1] < 0.1


@pytest.mark.parametrize("code", [SLURM, MPI], ids=["SLURM", "MPI"])
def test_arguments_are_those_of_ensemble(code: str) -> None:
    assert {"t_end", "measure", "executor", "store"} == {*call(code)}
