"""The tree is clean: formatted, linted, typed, and free of paths of somebody's machine."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import stickslip

ROOT = Path(__file__).parents[2]
FOLDERS = ("python", "src", "tests", "notebooks", ".ci")
TEXT = {".py", ".pyi", ".cpp", ".hpp", ".md", ".toml", ".txt", ".json", ".ipynb", ".typed", ""}
MACHINE = re.compile(r"(?<![\w.])(?:/(?:home|root|Users|work)/[A-Za-z]|[A-Z]:\\Users\\)")


pytestmark = pytest.mark.house


def tree() -> list[Path]:
    files = [path for path in ROOT.iterdir() if path.is_file()]
    files += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    hidden = {"__pycache__", ".ipynb_checkpoints", ".git", ".hypothesis"}
    return [p for p in files if p.suffix in TEXT and not hidden & set(p.parts) and p.name not in hidden]


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_contain_no_path_of_a_machine() -> None:
    files = tree()
    assert len(files) > 10
    found = {
        f"{path.relative_to(ROOT)}: {hit[0]}"
        for path in files
        for hit in MACHINE.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_path_of_a_machine_is_detected() -> None:
    assert MACHINE.search("see /" + "home/ann/x") and MACHINE.search('"/' + 'root/x"')
    assert not MACHINE.search("https://example.org/home/page and src/work/x")


def test_ruff_check_passes() -> None:
    run(sys.executable, "-m", "ruff", "check", ".")


def test_ruff_format_passes() -> None:
    run(sys.executable, "-m", "ruff", "format", "--check", ".")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the NumPy whose types are read needs Python 3.11")
def test_mypy_strict_passes() -> None:
    run(sys.executable, "-m", "mypy")


def test_clang_format_passes() -> None:
    tool = str(Path(sys.executable).with_name("clang-format"))
    files = [
        str(p)
        for folder in ("src", "python/bindings", "tests/engine")
        for p in (ROOT / folder).rglob("*.[ch]pp")
    ]
    assert files
    run(tool, "--dry-run", "--Werror", *files)


def test_package_holds_nothing_but_what_it_needs() -> None:
    folder = Path(stickslip.__file__).parent
    kinds = {p.suffix for p in folder.rglob("*") if p.is_file() and p.parent.name != "__pycache__"}
    assert kinds <= {".py", ".pyi", ".typed", ".so", ".pyd", ".c", ".h"}  # the last two: for exported code
    assert (folder / "py.typed").exists() and (
        list(folder.glob("_core.pyi")) or list(folder.glob("_core/__init__.pyi"))
    )
