"""The site holds every notebook and page; the how-to guides run; every public object gets a page of the reference."""

import importlib.util
import inspect
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import stickslip as ss

FOLDER = Path(__file__).parents[2] / "notebooks"
GENERATED = {"gallery", "reference"}
PAGES = [
    path
    for kind in ("*.ipynb", "*.md")
    for path in sorted(FOLDER.rglob(kind))
    if path.relative_to(FOLDER).parts[0] not in GENERATED and ".ipynb_checkpoints" not in path.parts
]
GUIDES = [path for path in PAGES if "```{code-cell}" in path.read_text(encoding="utf-8")]


def listed(index: Path) -> set[Path]:
    """The pages that an index names, without the ending."""
    text = index.read_text(encoding="utf-8")
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return {index.parent / line for line in lines if line and not line.startswith(":")}


def test_every_page_is_in_an_index() -> None:
    indices = [path for path in PAGES if path.stem == "index"]
    assert len(indices) >= 6
    named = set().union(*(listed(index) for index in indices))
    assert {path.with_suffix("") for path in PAGES} - named == {FOLDER / "index"}
    for page in named:
        there = page.with_suffix(".md").exists() or page.with_suffix(".ipynb").exists()
        assert there or page.parent.name in GENERATED, page


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_guide_runs_and_draws(path: Path, tmp_path: Path) -> None:
    """Its cells run one after the other, as in the site, and leave a picture."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    cells = re.findall(r"^```\{code-cell\} python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
    code = "\n".join(["import matplotlib", "matplotlib.use('agg')", *cells])
    code += "\nassert matplotlib.pyplot.get_fignums()"
    here = {**os.environ, "PYTHONPATH": str(Path(ss.__file__).parents[1])}
    command = [sys.executable, "-W", "error::UserWarning", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, env=here)
    assert done.returncode == 0, done.stderr


def extension() -> types.ModuleType:
    """The module that writes the reference."""
    spec = importlib.util.spec_from_file_location("reference", FOLDER / "_extensions" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_object_has_a_page() -> None:
    reference = extension()
    paged = {id(value) for group in reference.tree().values() for value in group.values()}
    names = [name for group in reference.tree().values() for name in group]
    assert len(names) == len(set(names)) > 150
    for module in (ss, *reference.modules()):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isroutine(value):
                assert id(value) in paged, f"{module.__name__}.{name}"


def test_types_in_signatures_are_short() -> None:
    reference = extension()
    assert reference.short_type("'_core.dynamics.State | None'") == "State | None"
    assert reference.short_type("NDArray[np.float64]") == "ndarray"
    shown, back = reference.signature(None, "function", "", ss.simulate, None, "()", None)
    assert "ArrayLike" in shown and "_SupportsArray" not in shown and back == "Trajectory"
