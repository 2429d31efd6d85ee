"""The table of what is where: what it names exists, and every numbered figure of the sources has its row."""

import re
from pathlib import Path

import pytest

import stickslip as ss
import stickslip_figures as figures

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "notebooks" / "published" / "coverage.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+).*?\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

# How many figures the sources number, by chapter where they count by chapter.
FIGURES = {
    "Krämer": [str(k) for k in range(1, 7)],
    "Overview": [],
    "Hinrichsen": [
        *(
            f"{c}.{k}"
            for c, n in (("2", 13), ("3", 4), ("4", 4), ("5", 6), ("6", 3), ("7", 8))
            for k in range(1, n + 1)
        ),
        "A.1",
        "B.1",
    ],
    "Martínez": [str(k) for k in range(1, 11)],
    "Klotzbach": [f"{c}.{k}" for c, n in (("2", 6), ("3", 1), ("4", 7)) for k in range(1, n + 1)],
}


def numbered(text: str) -> list[str]:
    """Numbers of the figures that a cell names: "Figures 2.1, 2.2", "Figures 2.5 to 2.9"."""
    found = []
    number = r"(?:[AB]\.)?\d+(?:\.\d+)?"
    for named in re.findall(rf"[Ff]igures? ({number}(?:(?:, | to ){number})*)", text):
        for part in named.split(", "):
            first, _, last = part.partition(" to ")
            chapter, _, begin = first.rpartition(".")
            end = int((last or first).rpartition(".")[2])
            found += [f"{chapter}.{k}".lstrip(".") for k in range(int(begin), end + 1)]
    return found


def rows(section: str) -> list[list[str]]:
    """Cells of the rows of a section's table."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("section", FIGURES)
def test_every_numbered_figure_has_its_row(section: str) -> None:
    named = [number for row in rows(section) for number in numbered(row[0])]
    assert sorted(named) == sorted(FIGURES[section])


@pytest.mark.parametrize("section", FIGURES)
def test_rows_are_complete(section: str) -> None:
    assert all(len(row) == 3 and all(row) for row in rows(section))
    for item, where, how in rows(section):
        assert where != "–" or "missing" in how or "rigid" in how or "straight" in how, item


def test_named_tests_exist() -> None:
    named = set(re.findall(r"tests/[\w/.]+\.py", PAGE))
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_named_figures_exist_and_all_are_named() -> None:
    quoted = set(re.findall(r"`([a-z][a-z0-9]*(?:_\w+)*)`", PAGE))
    named = {
        name
        for name in quoted
        if name.split("_")[0] in {"belt", "servo", "laws", "bristle2", "automaton", "chatter"}
    }
    assert named <= set(figures.names())
    of_a_source = {name for name in figures.names() if not name.startswith("canudas")}
    assert of_a_source <= named


def test_named_objects_exist() -> None:
    for name in set(re.findall(r"`ss\.([\w.]+)`", PAGE)):
        found: object = ss
        for part in name.split("."):
            found = getattr(found, part)


def test_numbers_are_read_as_they_are_written() -> None:
    assert numbered("Figures 2.5 to 2.7, 3.1, x; figure 4") == ["2.5", "2.6", "2.7", "3.1", "4"]
    assert numbered("Figure A.1, (A.1) to (A.6), Farkas") == ["A.1"]
