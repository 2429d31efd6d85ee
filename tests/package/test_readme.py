"""What the README says is true: its Python runs, its commands are those that are tried."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stickslip

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks("python"))
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


def test_each_of_the_two_commands_is_complete() -> None:
    first, second = blocks("sh")[:2]
    for block in (first, second):
        assert block.startswith("python3 -m venv .venv\n.venv/bin/python -m pip install ")
    assert first.splitlines()[-1] == ".venv/bin/stickslip figures --out out"
    assert second.splitlines()[-1] == ".venv/bin/python -m pytest -n auto"


def test_extras_exist() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"`\[(\w+)\]`|stickslip\[(\w+)\]|'\.\[(\w+)\]'", README):
        name = next(filter(None, extra))
        assert re.search(rf"^{name} = \[", project, re.MULTILINE), name


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_rooms_are_those_of_the_tree() -> None:
    listed = set(re.findall(r"^\| `src/(\w+)`", README, re.MULTILINE))
    there = {path.relative_to(ROOT / "src").parts[0] for path in (ROOT / "src").rglob("*.[ch]pp")}
    assert there <= listed


def test_pictures_are_small_and_made_by_the_command_that_is_named() -> None:
    from stickslip import figures

    shown = re.findall(r"!\[[^\]]+\]\((notebooks/pictures/(\w+)\.png)\)", README)
    assert len(shown) == 4
    assert {ROOT / path for path, _ in shown} == set((ROOT / "notebooks/pictures").iterdir())
    assert all((ROOT / path).stat().st_size <= 80_000 for path, _ in shown)
    named = re.search(r"`stickslip figures ([\w ]+)` makes these pictures", README)
    assert named is not None and sorted(named[1].split()) == sorted(name for _, name in shown)
    assert set(named[1].split()) <= set(figures.names())
