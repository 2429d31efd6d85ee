"""The version stands in one place, CMakeLists.txt; everything else reads it there."""

import importlib.metadata
import re
from pathlib import Path

import pytest

import stickslip

ROOT = Path(__file__).parents[2]


def written() -> str:
    found = re.search(r"project\(\s*stickslip\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found
    return found[1]


def test_module_has_the_version() -> None:
    assert stickslip.__version__ == written()


def test_installed_metadata_have_the_version() -> None:
    try:
        installed = importlib.metadata.version("stickslip")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("runs from the source tree, not installed")
    assert installed == written()


def test_changelog_has_a_section_of_the_version() -> None:
    assert f"## {written()}" in (ROOT / "CHANGELOG.md").read_text()


def test_version_is_stated_once() -> None:
    pattern = re.compile(rf"(?<![\d.]){re.escape(written())}(?![\d.])")
    files = [ROOT / "pyproject.toml", ROOT / "README.md", *(ROOT / "src").rglob("*.[ch]pp")]
    files += [
        path for path in (ROOT / "python").rglob("*.*") if path.suffix in {".py", ".pyi", ".cpp", ".hpp"}
    ]
    version_like = [
        path.relative_to(ROOT)
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if "version" in line.lower() and pattern.search(line)
    ]
    assert version_like == []
