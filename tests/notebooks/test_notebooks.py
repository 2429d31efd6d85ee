"""Every notebook runs from top to bottom in a fresh kernel, and is stored without outputs."""

import ast
import re
import sys
from pathlib import Path

import legends
import matplotlib.figure
import nbformat
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from nbclient import NotebookClient

TESTS = Path(__file__).parents[1]
FOLDER = TESTS.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*/*.ipynb"))
LIMIT = 120  # s, for one cell


def stains(notebook: nbformat.NotebookNode) -> list[str]:
    """Contents that a stripped notebook must not have."""
    found = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            found += [f"cell {number} holds outputs"] if cell.outputs else []
            found += [f"cell {number} holds an execution count"] if cell.execution_count is not None else []
        found += [f"cell {number} holds metadata {key}" for key in cell.metadata if key != "tags"]
    found += [
        f"notebook metadata {key}" for key in notebook.metadata if key not in {"kernelspec", "language_info"}
    ]
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_stripped(path: Path) -> None:
    assert stains(nbformat.read(path, as_version=4)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    source = f"import sys; sys.path.insert(0, {str(TESTS)!r})\nimport legends\nnoted = legends.watch()"
    watch = nbformat.v4.new_code_cell(source)
    notebook.cells = [watch, *notebook.cells, nbformat.v4.new_code_cell("assert not noted, noted")]
    NotebookClient(notebook, timeout=LIMIT, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert any(cell.get("outputs") for cell in notebook.cells)


def test_notebooks_extra_installs_all_imports() -> None:
    """Modules imported by a notebook come with the package or are named in its extra (JupyterLab brings IPython)."""
    project = (FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8")
    extras = dict(re.findall(r"^(figures|data|cluster|notebooks) = \[(.*)\]$", project, re.MULTILINE))
    assert (
        "stickslip[figures,data,cluster,fmi]" in extras["notebooks"] and "jupyterlab" in extras["notebooks"]
    )
    named = {"stickslip", "numpy", "IPython", *re.findall(r'"(\w+)>=', "".join(extras.values()))}
    for path in NOTEBOOKS:
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        code = re.sub(r"^%.*$", "", "\n".join(cells), flags=re.MULTILINE)
        imported = {
            alias.name if isinstance(node, ast.Import) else str(node.module)
            for node in ast.walk(ast.parse(code))
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        foreign = {name.split(".")[0] for name in imported} - sys.stdlib_module_names
        assert foreign <= named, path.name


def test_legend_over_a_title_is_detected() -> None:
    figure = matplotlib.figure.Figure()
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    ax.plot([0.0, 1.0], label="a line")
    ax.axvspan(0.0, 1.0)
    ax.set_title("a title")
    ax.legend(loc="upper center")
    assert [fault.partition(" lies on ")[2] for fault in legends.faults(figure)] == ["a band of ''"]
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0))
    assert legends.faults(figure) == ["(a line) lies on the title 'a title'"]


def test_stray_output_is_detected() -> None:
    cell = nbformat.v4.new_code_cell(
        "1 + 1", execution_count=1, outputs=[nbformat.v4.new_output("stream", text="2")]
    )
    assert len(stains(nbformat.v4.new_notebook(cells=[cell]))) == 2


def test_failing_cell_is_detected(tmp_path: Path) -> None:
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("raise ValueError('seen')")])
    with pytest.raises(CellExecutionError, match="seen"):
        NotebookClient(notebook, timeout=LIMIT, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_a_slider_leaves_a_picture(tmp_path: Path) -> None:
    """Sliders or not, the picture is an output of its cell; an error in it fails the cell."""
    source = (
        "%matplotlib inline\nimport matplotlib.pyplot as plt, stickslip as ss\n"
        "ss.plotting.explore(lambda x: plt.plot([0.0, x]), x=(0.0, 1.0, 0.5))"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=LIMIT, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = [kind for output in notebook.cells[0].outputs for kind in output.get("data", {})]
    assert kinds.count("image/png") == 1
