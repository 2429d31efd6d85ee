"""Dependencies go one way: a folder of the engine includes only itself and rooms above it."""

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
ROOMS = (
    "core",
    "signal",
    "expression",
    "friction",
    "contact",
    "control",
    "model",
    "dynamics",
    "flow",
    "transition",
    "run",
    "timestepping",
    "realtime",
    "ensemble",
    "sensitivity",
    "linear",
    "export",
    "stickslip",
    "fmi",
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
FILES = sorted(path for path in SOURCE.rglob("*") if path.suffix in {".hpp", ".cpp"})


def complaints(room: str, text: str) -> list[str]:
    """List forbidden includes of a file in `room`."""
    wrong = []
    for kind, target in INCLUDE.findall(text):
        owner = target.split("/")[0]
        if kind == "<":
            if "pybind11" in target or target == "Python.h":
                wrong.append(f"{target}: the engine is free of Python")
        elif "/" not in target or owner not in ROOMS:
            wrong.append(f"{target}: not written as room/file")
        elif ROOMS.index(owner) > ROOMS.index(room):
            wrong.append(f"{target}: {owner} is below {room}")
    return wrong


def test_there_are_files_to_check() -> None:
    assert FILES


def test_every_folder_is_a_known_room() -> None:
    holding = {path.relative_to(SOURCE).parts[0] for path in FILES}
    assert holding <= set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_room_includes_only_rooms_above_it(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0]
    assert complaints(room, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("contact", '#include "flow/stepper.hpp"'),
        ("core", "#include <pybind11/pybind11.h>"),
        ("core", "# include <Python.h>"),
        ("friction", '#include "curve.hpp"'),
        ("friction", '#include "../core/error.hpp"'),
    ],
)
def test_wrong_include_is_detected(room: str, line: str) -> None:
    assert len(complaints(room, line)) == 1


def test_a_right_include_is_accepted() -> None:
    assert (
        complaints("contact", '#include "contact/lcp.hpp"\n#include "core/error.hpp"\n#include <vector>\n')
        == []
    )
