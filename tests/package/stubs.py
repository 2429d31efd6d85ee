"""Write the stubs of the compiled module anew: ``PYTHONPATH=python python tests/package/stubs.py``.

pybind11-stubgen reads the module; what it writes is then made to pass a strict type check: bare containers
get their arguments, comparisons take any object, and what only pickling and hashing need is left out.
"""

import ast
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "stickslip"
BARE = {
    "list": "list[typing.Any]",
    "set": "set[typing.Any]",
    "dict": "dict[typing.Any, typing.Any]",
    "tuple": "tuple[typing.Any, ...]",
    "collections.abc.Sequence": "collections.abc.Sequence[typing.Any]",
    "collections.abc.Iterable": "collections.abc.Iterable[typing.Any]",
    "collections.abc.Iterator": "collections.abc.Iterator[typing.Any]",
    "collections.abc.Mapping": "collections.abc.Mapping[typing.Any, typing.Any]",
    "collections.abc.Callable": "collections.abc.Callable[..., typing.Any]",
    "numpy.ndarray": "numpy.typing.NDArray[typing.Any]",
}
DROPPED = {"__hash__", "__getstate__", "__setstate__", "__all__"}


class Clean(ast.NodeTransformer):
    """Makes a generated stub strict."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        # The head of a subscript has its arguments; only what stands inside may be bare.
        node.slice = self.visit(node.slice)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(BARE[node.id], mode="eval").body if node.id in BARE else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = ast.unparse(node)
        return ast.parse(BARE[name], mode="eval").body if name in BARE else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        if node.name in DROPPED:
            return None
        if isinstance(node.returns, ast.Constant) and node.returns.value is ...:
            node.returns = ast.Name("typing.Any")  # a type the module bound only later
        self.generic_visit(node)
        if node.args.kwarg and node.args.kwarg.annotation is None:
            node.args.kwarg.annotation = ast.parse("typing.Any", mode="eval").body
        if node.name in {"__eq__", "__ne__"}:
            node.args.args[1].annotation = ast.Name("object")
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if any(ast.unparse(base) == "enum.Enum" for base in node.bases):
            members = [item for item in node.body if isinstance(item, ast.AnnAssign)]
            node.body = [ast.Assign([item.target], ast.Constant(...), lineno=0) for item in members]
            return node
        self.generic_visit(node)
        # Comparisons that take any object have nothing left to tell their overloads apart.
        same: set[str] = set()
        kept: list[ast.stmt] = []
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and member.name in {"__eq__", "__ne__"}:
                member.decorator_list = []
                if member.name in same:
                    continue
                same.add(member.name)
            kept.append(member)
        node.body = kept or [ast.Expr(ast.Constant(...))]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.generic_visit(node)
        # Where the module wants a sequence of numbers, it takes an array as well.
        given = ast.unparse(node.annotation) if node.annotation else ""
        if given.startswith("collections.abc.Sequence["):
            node.annotation = ast.parse(f"{given} | numpy.typing.NDArray[typing.Any]", mode="eval").body
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        for alias in node.names if node.level else []:
            alias.asname = alias.name  # said twice, it is meant to be seen from outside
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        name = ast.unparse(node.target)
        if name in DROPPED:
            return None
        if name == "__version__":
            node.value = None
        self.generic_visit(node)
        return node


def main() -> None:
    """Generate, clean, format, replace."""
    run = [sys.executable, "-m"]
    for old in (PACKAGE / "_core.pyi", PACKAGE / "_core"):
        shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*run, "pybind11_stubgen", "stickslip._core", "-o", folder], check=True)
        made = Path(folder) / "stickslip"
        for path in sorted(made.rglob("*.pyi")):
            tree = Clean().visit(ast.parse(path.read_text(encoding="utf-8")))
            header = ast.parse("import collections.abc\nimport typing\nimport numpy\nimport numpy.typing")
            tree.body[1:1] = header.body
            target = PACKAGE / path.relative_to(made)
            target.parent.mkdir(exist_ok=True)
            target.write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n", encoding="utf-8")
    # Together, when all are there: how imports are sorted depends on which files exist.
    subprocess.run([*run, "ruff", "check", "--fix", "--quiet", str(PACKAGE / "_core")], check=True)
    subprocess.run([*run, "ruff", "format", "--quiet", str(PACKAGE / "_core")], check=True)


if __name__ == "__main__":
    main()
