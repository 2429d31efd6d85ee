"""Metadata, source archive and compiler flags of the package."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_classifiers_name_what_is_supported() -> None:
    named = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', PROJECT)
    (least,) = re.findall(r'requires-python = ">=3\.(\d+)"', PROJECT)
    assert named[0] == least and [int(n) for n in named] == list(range(int(least), int(named[-1]) + 1))
    for word in (
        "Microsoft :: Windows",
        "MacOS",
        "POSIX :: Linux",
        "Programming Language :: C++",
        "Typing :: Typed",
    ):
        assert word in PROJECT


def test_the_citation_is_of_this_package() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (title,) = re.findall(r'^description = "(.*)"$', PROJECT, re.MULTILINE)
    assert f'title: "stickslip: {title[0].lower()}{title[1:]}"' in citation
    assert "license: MIT" in citation and "cff-version: 1.2.0" in citation


def test_the_core_is_compiled_with_the_flags_of_msvc() -> None:
    """Large objects of templates need /bigobj; the flags reach the engine and what links it."""
    cmake = (ROOT / "src" / "engine.cmake").read_text(encoding="utf-8")
    assert re.search(r"if\(MSVC\)\s+target_compile_options\(stickslip_flags INTERFACE [^)]*/bigobj", cmake)
    assert re.search(r"target_link_libraries\(stickslip_core PUBLIC [^)]*stickslip_flags", cmake)


def test_code_has_no_long_double() -> None:
    """`long double` is a double with some compilers."""
    for folder in ("src", "python/bindings"):
        for path in (ROOT / folder).rglob("*.[ch]pp"):
            code = re.sub(r"//.*|/\*.*?\*/", "", path.read_text(encoding="utf-8"))
            assert "long double" not in code, path


@pytest.mark.house
def test_an_index_would_take_the_archive(tmp_path: Path) -> None:
    pytest.importorskip("build.__main__")  # a folder build is no such module
    pytest.importorskip("twine")
    pytest.importorskip("scikit_build_core")
    make = [
        "build",
        "--sdist",
        "--no-isolation",
        "--skip-dependency-check",
        "--outdir",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run([sys.executable, "-m", *make], check=True, capture_output=True)
    (made,) = tmp_path.glob("stickslip-*.tar.gz")
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", str(made)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0 and "PASSED" in checked.stdout, checked.stdout + checked.stderr
    with tarfile.open(made) as archive:
        (info,) = (m for m in archive.getmembers() if m.name.count("/") == 1 and m.name.endswith("PKG-INFO"))
        text = archive.extractfile(info).read().decode().split("\n\n", 1)[1]
    shown = pytest.importorskip("readme_renderer.markdown").render(text)
    leads = re.findall(r'(?:href|src)="([^"]*)"', shown)
    assert [a for a in leads if not a.startswith(("https://", "#"))] == [], "dead on the page of an index"
    assert "this picture" not in shown and "<table>" in shown


def test_wheels_are_configured_for_every_supported_platform() -> None:
    """CPython from the oldest supported version on; Linux on both processors, macOS and Windows."""
    (least,) = re.findall(r'requires-python = ">=3\.(\d+)"', PROJECT)
    (built,) = re.findall(r"^\[tool\.cibuildwheel\]\nbuild = \[(.*)\]$", PROJECT, re.MULTILINE)
    minors = [int(n) for n in re.findall(r"cp3(\d+)-\*", built)]
    assert minors == list(range(int(least), 15))
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    for system in ("ubuntu-24.04", "ubuntu-24.04-arm", "macos", "windows"):
        assert system in workflow
    for path in re.findall(r"\{project\}/(tests/\S+\.py)", PROJECT):
        assert (ROOT / path).is_file(), path


def test_forms_and_workflows_are_yaml() -> None:
    yaml = pytest.importorskip("yaml")
    paths = [*(ROOT / ".github").rglob("*.yml")]
    assert len(paths) >= 7
    for path in paths:
        assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict), path
