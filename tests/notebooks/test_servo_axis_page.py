"""The servo axis of the notebook: a whole drive, its loop and its reversal in thirty lines."""

import ast
import shutil
import subprocess
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

import stickslip as ss

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "tutorial" / "servo_axis.ipynb"
CODE = [cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "code"][1]


def test_servo_axis_takes_thirty_lines() -> None:
    assert len(CODE.splitlines()) <= 30
    assert {type(node) for node in ast.parse(CODE).body[:2]} <= {ast.Import, ast.ImportFrom}


def test_cells_of_the_servo_axis_are_formatted() -> None:
    if shutil.which("ruff") is None:
        pytest.skip("not run: ruff is not installed")
    config = NOTEBOOK.parents[2] / "pyproject.toml"
    command = ["ruff", "format", "--check", "--config", str(config), str(NOTEBOOK)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_cells_of_the_servo_axis_have_the_stated_results() -> None:
    body = ast.parse(CODE)
    held: dict[str, object] = {}
    exec(compile(ast.Module(body.body, []), "axis", "exec"), held)
    assert plt.gcf().axes[0].get_title(loc="left") == "open loop at speed.output"
    axis, run, move = held["axis"], held["run"], held["move"]
    assert isinstance(axis, ss.Drive) and isinstance(run, ss.Trajectory) and isinstance(move, ss.Signal)
    kinds = {type(part).__name__ for part in axis.parts.values()}
    assert {
        "Motor",
        "Encoder",
        "Gear",
        "Coupling",
        "BallScrew",
        "Slide",
        "P",
        "PI",
        "Notch",
        "FrictionCurve",
    } <= kinds
    found = ss.analysis.reversal_error(run, "slide.position", move(run.t), window=0.1)
    assert found.number == 1 and 1e-6 < found.max < 3e-6
    assert np.abs(run["slide.position"] - move(run.t)).max() < 3e-6
    assert run.events.of("gear") and axis.engaged.poles().stable
    assert ss.analysis.audit(run).passed
