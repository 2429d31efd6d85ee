"""Drawings of machines as files."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import stickslip as ss


def belt() -> ss.Machine:
    m = ss.Machine(mass=[1.0], stiffness=[[2.0]], names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    return m


@pytest.mark.parametrize(("what", "words"), [(None, {"block", "surface at 0.2 m/s"}), ("belt", {"stick"})])
def test_drawing_holds_the_words_of_the_machine(what: str | None, words: set[str], tmp_path: Path) -> None:
    path = ss.export.svg(belt(), tmp_path / "belt.svg", what=what)
    root = ElementTree.parse(path).getroot()
    texts = {
        re.sub(r"\s+", " ", "".join(node.itertext())).strip()
        for node in root.iter()
        if node.tag.endswith("}text")
    }
    assert words <= texts


def test_equal_machines_give_equal_drawings(tmp_path: Path) -> None:
    files = [ss.export.svg(belt(), tmp_path / name).read_bytes() for name in ("a.svg", "b.svg")]
    assert files[0] == files[1]


def test_unknown_drawings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ss.UnknownNameError, match="unknown picture what = 'map'"):
        ss.export.svg(belt(), tmp_path / "belt.svg", what="map")
    with pytest.raises(ValueError, match="machine = 'belt' is not allowed"):
        ss.export.svg("belt", tmp_path / "belt.svg")
    assert list(tmp_path.iterdir()) == []
