"""Every public function and class that users build is documented with an example, and every example runs."""

import doctest
import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest

import stickslip as ss
import stickslip_figures

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PARSER = doctest.DocTestParser()


def named(module: types.ModuleType) -> list[str]:
    """Public names of a module: its ``__all__``, or what it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name for name, value in vars(module).items() if not name.startswith("_") and inspect.isroutine(value)
    ]


def public(module: types.ModuleType, prefix: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Every public function and class below `module`, and the modules themselves."""
    seen.add(id(module))
    yield prefix, module
    for name in named(module):
        value = getattr(module, name)
        if id(value) in seen:
            continue
        if inspect.ismodule(value):
            yield from public(value, f"{prefix}.{name}", seen)
        elif inspect.isclass(value) or inspect.isroutine(value):
            seen.add(id(value))
            yield f"{prefix}.{name}", value


PUBLIC = {
    **dict(public(ss, "stickslip", set())),
    **dict(public(stickslip_figures, "stickslip_figures", set())),
}


def members(value: Any) -> Iterator[tuple[str, Any]]:
    """A class with its members, those of bases without a public name of their own included."""
    yield "", value
    if inspect.isclass(value):
        for base in value.__mro__:
            own = base is value or (
                base.__module__.startswith("stickslip") and base.__name__ not in ss.__all__
            )
            for name, member in vars(base).items() if own else ():
                if not name.startswith("_"):
                    yield f".{name}", getattr(member, "__func__", member)


def handed_back(value: Any) -> bool:
    """True for results, which users do not build: the function that returns them has the example."""
    if not inspect.isclass(value):
        return inspect.ismodule(value)
    return is_dataclass(value) or issubclass(value, (tuple, Enum, BaseException))


def run(name: str, doc: str) -> int:
    """Run a docstring's examples by themselves, as they stand; return how many there were."""
    test = PARSER.get_doctest(doc, {}, name, None, 0)
    said: list[str] = []
    with np.printoptions(legacy=False):
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert not said, "".join(said)
    return len(test.examples)


def test_all_is_complete_and_true() -> None:
    assert len(set(ss.__all__)) == len(ss.__all__)
    assert [name for name in ss.__all__ if not hasattr(ss, name)] == []


def test_parts_are_found() -> None:
    assert {"stickslip_figures.run", "stickslip.plotting.plot"} <= PUBLIC.keys()


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_run(name: str) -> None:
    value = PUBLIC[name]
    doc = inspect.getdoc(value)
    assert doc, f"{name} has no docstring"
    counts = [run(name + suffix, inspect.getdoc(member) or "") for suffix, member in members(value)]
    assert handed_back(value) or counts[0] > 0, f"{name} has no example"


ENTRY = re.compile(r"\*{0,2}\w+(, \*{0,2}\w+)*( : .*)?$")


def stray_text(doc: str) -> list[str]:
    """Lines of a section of parameters or attributes that are neither an entry nor its text: no page shows them well."""
    lines, inside, found = doc.split("\n"), False, []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"}:
            inside = line in ("Parameters", "Attributes")
        elif inside and line and not line.startswith((" ", "-")) and not ENTRY.match(line):
            found.append(line)
    return found


@pytest.mark.parametrize("name", PUBLIC)
def test_sections_hold_entries_alone(name: str) -> None:
    for suffix, member in members(PUBLIC[name]):
        assert not stray_text(inspect.getdoc(member) or ""), name + suffix


def test_stray_text_is_detected() -> None:
    assert stray_text("A.\n\nAttributes\n----------\nx : float\n    Of it.\n\nMore text.\n") == ["More text."]
