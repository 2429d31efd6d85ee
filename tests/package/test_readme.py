"""README and pages: their Python runs, and their commands are tested."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stickslip

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FOLDER = ROOT / "notebooks"
GENERATED = {"gallery", "reference"}  # written as the site is built
PATHS = [path for path in sorted(FOLDER.rglob("*.md")) if path.relative_to(FOLDER).parts[0] not in GENERATED]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in PATHS if path.stem != "index"}


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


RUN = {FOLDER / "index.md", FOLDER / "tutorial" / "examples.md", *(FOLDER / "explanation").glob("*.md")}
CODE = [
    *blocks("python"),
    *(code for path in sorted(RUN) for code in blocks("python", path.read_text(encoding="utf-8"))),
]


@pytest.mark.parametrize("code", CODE)
def test_python_block_runs(code: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    # Warnings are as severe there as pytest was told to take them here.
    severity = [f"-W{rule}" for rule in pytestconfig.getoption("pythonwarnings") or ()]
    command = [sys.executable, *severity, "-c", code]
    here = {**os.environ, "PYTHONPATH": str(Path(stickslip.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, env=here)
    assert done.returncode == 0, done.stderr
    for file in re.findall(r'savefig\("([^"]+)"\)', code):
        assert (tmp_path / file).stat().st_size > 5000


def test_there_is_an_example() -> None:
    assert "import stickslip as ss" in blocks("python")[0]


def test_readme_has_at_most_a_thousand_words() -> None:
    assert len(README.split()) <= 1000


def test_each_of_the_two_commands_is_complete() -> None:
    first, second = blocks("sh")[:2]
    for block in (first, second):
        assert block.startswith("python3 -m venv .venv\n.venv/bin/python -m pip install ")
    assert first.splitlines()[-1] == ".venv/bin/stickslip figures --out out"
    assert second.splitlines()[-1] == ".venv/bin/python -m pytest -n auto"


def test_named_extras_exist() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"`\[(\w+)\]`|stickslip\[(\w+)\]|'\.\[(\w+)\]'", README):
        name = next(filter(None, extra))
        assert re.search(rf"^{name} = \[", project, re.MULTILINE), name


def test_page_lists_every_extra() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = re.search(r"^\[project.optional-dependencies\]\n(.*?)^\[", project, re.MULTILINE | re.DOTALL)
    assert section is not None
    known = set(re.findall(r"^(\w+) = \[", section[1], re.MULTILINE))
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGES["install"], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == known


def test_links_exist() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_links_of_pages_exist(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text(encoding="utf-8")):
        generated = target.split("/")[0] in GENERATED
        assert generated or (path.parent / target).exists(), target


def test_pages_that_leave_the_readme_are_reachable_from_it() -> None:
    linked = set(re.findall(r"\]\(notebooks/(?:\w+/)?(\w+)\.md\)", README))
    assert {"compare", "development", "examples", "install", "rely", "sources", "timing"} <= linked


def test_layers_are_those_of_the_tree() -> None:
    listed = set(re.findall(r"^\| `src/(\w+)`", PAGES["development"], re.MULTILINE))
    there = {path.relative_to(ROOT / "src").parts[0] for path in (ROOT / "src").rglob("*.[ch]pp")}
    assert there <= listed


def test_pictures_are_small_and_made_by_the_command_that_is_named() -> None:
    import stickslip_figures as figures

    shown = re.findall(r'<img src="notebooks/pictures/(\w+)\.png"', README)
    assert len(shown) == 1
    named = re.search(r"`stickslip figures ([\w ]+)` makes this picture", README)
    assert named is not None and named[1].split() == shown
    kept = list((ROOT / "notebooks/pictures").iterdir())
    assert {path.stem for path in kept} <= set(figures.names()) and set(shown) <= {path.stem for path in kept}
    assert all(path.stat().st_size <= 80_000 for path in kept)
