"""The shape of the tree: no circle of includes or imports, no two files of one name among the tests."""

import ast
import functools
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from stickslip import _attached

ROOT = Path(__file__).parents[2]
SOURCE, PYTHON, TESTS = ROOT / "src", ROOT / "python", ROOT / "tests"
PACKAGE = PYTHON / "stickslip"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# Names that Python or CMake prescribe.
GIVEN = {"__init__.py", "__main__.py", "conftest.py", "CMakeLists.txt"}


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """One circle of a directed graph, first and last the same, or nothing."""
    path: list[str] = []
    done: set[str] = set()

    def visit(node: str) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        path.append(node)
        for after in graph.get(node, ()):
            if found := visit(after):
                return found
        done.add(path.pop())
        return []

    return next((found for node in graph if (found := visit(node))), [])


def base_of(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The module that a statement ``from … import …`` names."""
    up = module.split(".") if is_package else module.split(".")[:-1]
    start = ".".join(up[: len(up) - node.level + 1]) if node.level else ""
    return ".".join(filter(None, (start, node.module)))


def is_for_types(node: ast.AST) -> bool:
    """True if a statement is ``if TYPE_CHECKING``, whose body never runs."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def running(node: ast.AST, inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Every node that may run, and whether it is within a function; code for type checkers alone is left out."""
    yield node, inside
    function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    children = node.orelse if is_for_types(node) else ast.iter_child_nodes(node)  # type: ignore[attr-defined]
    for child in children:
        yield from running(child, inside or function)


@functools.cache
def nodes(text: str) -> tuple[tuple[ast.AST, bool], ...]:
    """All that may run of a module."""
    return tuple(running(ast.parse(text)))


def named(text: str, known: set[str]) -> set[str]:
    """The module that a string names: ``"module"``, ``"module:function"``, or the beginning of ``f"module.{name}"``."""
    name = text.partition(":")[0].rstrip(".")
    return {name} & known if "." in text or ":" in text else set()


def imports(module: str, text: str, is_package: bool, known: set[str]) -> set[str]:
    """Known modules that a module uses when it runs: imports, in functions too, and names in strings."""
    found = set()
    for node, _ in nodes(text):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = base_of(node, module, is_package)
            # A module out of a package that is being loaded is no circle; a name that the package defines is.
            found |= {
                f"{base}.{name.name}" if f"{base}.{name.name}" in known else base for name in node.names
            }
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= named(node.value, known)
    return (found & known) - {module}


def late_imports(module: str, text: str, is_package: bool) -> list[str]:
    """Modules of our own that are imported inside functions."""
    found = []
    for node, inside in nodes(text):
        if inside and isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif inside and isinstance(node, ast.ImportFrom):
            found.append(base_of(node, module, is_package))
    return [name for name in found if name.partition(".")[0] in ROOTS]


ROOTS = ("stickslip", "stickslip_figures")


def sources(root: str) -> dict[str, Path]:
    """Every module of a package with its file."""
    paths = {}
    for path in (PYTHON / root).rglob("*.py"):
        parts = path.relative_to(PYTHON).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


@functools.cache
def package(*roots: str) -> dict[str, set[str]]:
    """Every module of the packages with those that it uses."""
    paths = {name: path for root in roots for name, path in sources(root).items()}
    known = {*paths, "stickslip._core"}
    return {
        name: imports(name, path.read_text(encoding="utf-8"), path.name == "__init__.py", known)
        for name, path in paths.items()
    }


def test_headers_have_no_include_circle() -> None:
    headers = {
        str(path.relative_to(SOURCE)): INCLUDE.findall(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.hpp")
    }
    assert len(headers) > 50
    assert circle(headers) == []


def test_modules_have_no_import_circle() -> None:
    modules = package(*ROOTS)
    assert len(modules) > 50
    assert circle(modules) == []


def test_own_modules_are_imported_at_the_top() -> None:
    """Functions import extras alone: an import that hides in a function hides a circle."""
    for name, path in sources("stickslip").items():
        text = path.read_text(encoding="utf-8")
        assert late_imports(name, text, path.name == "__init__.py") == [], name


def test_machines_do_not_draw() -> None:
    modules = package("stickslip")
    drawing = {name for name in modules if name.startswith("stickslip.draw")}
    drawing |= {"stickslip.plotting", "stickslip.animation"}
    for name, used in modules.items():
        if name.startswith(("stickslip.machine.", "stickslip.run.")):
            assert not used & drawing, name


def test_package_does_not_import_published_figures() -> None:
    for path in sources("stickslip").values():
        assert "stickslip_figures" not in path.read_text(encoding="utf-8"), path


def test_package_root_has_at_most_20_modules() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 20


def object_at(place: str) -> Any:
    """Resolve ``"module:name.name"``."""
    module, names = place.split(":")
    return functools.reduce(getattr, names.split("."), importlib.import_module(module))


@pytest.mark.parametrize(("declared", "function"), _attached.attached().items())
def test_deferred_method_has_the_signature_of_its_function(declared: str, function: str) -> None:
    _, *ours = inspect.signature(object_at(declared)).parameters.values()
    _, *theirs = inspect.signature(object_at(function)).parameters.values()
    known = {p.name: (p.kind, p.default) for p in theirs}
    for p in ours:
        kind, default = known[p.name]
        assert kind == p.kind and p.default in (default, inspect.Parameter.empty)
    positional = [p.name for p in ours if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == [p.name for p in theirs if p.kind is p.POSITIONAL_OR_KEYWORD][: len(positional)]


def test_every_deferred_method_has_a_function() -> None:
    marked = {
        f"{name}:{owner}{function.name}"
        for name, path in sources("stickslip").items()
        for owner, function in functions(ast.parse(path.read_text(encoding="utf-8")))
        if any(ast.unparse(decorator) == "deferred" for decorator in function.decorator_list)
    }
    assert marked == _attached.attached().keys()


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of a module and methods of its classes, with their owner."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.", part) for part in node.body if isinstance(part, ast.FunctionDef))


def test_test_file_names_are_unique() -> None:
    names = Counter(path.name for kind in ("*.py", "*.cpp", "*.hpp") for path in TESTS.rglob(kind))
    assert [name for name, count in names.items() if count > 1 and name not in GIVEN] == []


def test_circle_is_detected() -> None:
    assert circle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]
    assert circle({"a": ["b", "c"], "b": ["c"], "c": []}) == []


def test_imports_are_detected() -> None:
    text = "import x.y\nfrom . import a\nfrom ..b import c\ndef f():\n    import d\n"
    known = {"x.y", "p.q", "p.q.a", "p.b", "d", "e", "g.h"}
    assert imports("p.q.r", text, is_package=False, known=known) == {"x.y", "p.q.a", "p.b", "d"}
    assert imports("p", "a = 'e:f'\nb = f'g.h.{a}'\n", is_package=False, known=known) == {"e", "g.h"}
    only = "if TYPE_CHECKING:\n    import e\nelse:\n    import d\n"
    assert imports("p", only, is_package=False, known=known) == {"d"}


def test_imports_in_functions_are_detected() -> None:
    text = "import stickslip.a\ndef f():\n    import matplotlib\n    from stickslip.b import c\n"
    assert late_imports("stickslip.d", text, is_package=False) == ["stickslip.b"]
