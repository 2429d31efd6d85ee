"""The shape of the tree: no circle of includes or imports, no two files of one name among the tests."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE, PACKAGE, TESTS = ROOT / "src", ROOT / "python" / "stickslip", ROOT / "tests"
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


def imports(module: str, text: str, is_package: bool, known: set[str]) -> set[str]:
    """Which of the known modules a module loads as it is loaded: not in functions, not for types alone."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            up = module.split(".") if is_package else module.split(".")[:-1]
            start = ".".join(up[: len(up) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (start, node.module)))
            # A module out of a package that is being loaded is no circle; a name that the package defines is.
            found |= {
                f"{base}.{name.name}" if f"{base}.{name.name}" in known else base for name in node.names
            }
    return (found & known) - {module}


def package() -> dict[str, set[str]]:
    """Every module of the package with those that it imports."""
    paths = {}
    for path in PACKAGE.rglob("*.py"):
        parts = ("stickslip", *path.relative_to(PACKAGE).with_suffix("").parts)
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    known = {*paths, "stickslip._core"}
    return {
        name: imports(name, path.read_text(encoding="utf-8"), path.name == "__init__.py", known)
        for name, path in paths.items()
    }


def test_no_circle_of_headers() -> None:
    headers = {
        str(path.relative_to(SOURCE)): INCLUDE.findall(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.hpp")
    }
    assert len(headers) > 50
    assert circle(headers) == []


def test_no_circle_of_imports() -> None:
    modules = package()
    assert len(modules) > 50
    assert circle(modules) == []


def test_no_two_test_files_of_one_name() -> None:
    names = Counter(path.name for kind in ("*.py", "*.cpp", "*.hpp") for path in TESTS.rglob(kind))
    assert [name for name, count in names.items() if count > 1 and name not in GIVEN] == []


def test_a_circle_is_seen() -> None:
    assert circle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]
    assert circle({"a": ["b", "c"], "b": ["c"], "c": []}) == []


def test_imports_are_seen() -> None:
    text = "import x.y\nfrom . import a\nfrom ..b import c\ndef f():\n    import d\n"
    known = {"x.y", "p.q", "p.q.a", "p.b", "d"}
    assert imports("p.q.r", text, is_package=False, known=known) == {"x.y", "p.q.a", "p.b"}
