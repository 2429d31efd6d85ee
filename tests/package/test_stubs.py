"""The stub of the compiled module says what the module holds: every name, member and argument, no more."""

import ast
import enum
import inspect
import re
import types
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import stickslip
from stickslip import _core

pytestmark = pytest.mark.house

PACKAGE = Path(stickslip.__file__).parent
# What pybind11 and Python put into every class, or what a stub states otherwise.
MACHINERY = {
    "__doc__",
    "__module__",
    "__new__",
    "__dict__",
    "__weakref__",
    "__entries",
    "__members__",
    "__qualname__",
}
MACHINERY |= {
    "__getstate__",
    "__setstate__",
    "__reduce__",
    "__firstlineno__",
    "__static_attributes__",
    "__hash__",
}
# Operators and protocols that users call through syntax: they belong into the stub like any method.
SPOKEN = re.compile(
    r"__(init|len|iter|next|getitem|setitem|contains|call|eq|ne|lt|le|gt|ge|r?add|r?sub|r?mul|neg|repr|str)__"
)


def public(name: str) -> bool:
    return bool(SPOKEN.fullmatch(name)) or (not name.startswith("_") and name not in MACHINERY)


def modules(module: types.ModuleType) -> Iterator[types.ModuleType]:
    """The compiled module and the modules inside it."""
    yield module
    for name, value in vars(module).items():
        if public(name) and isinstance(value, types.ModuleType):
            yield from modules(value)


def stub_of(name: str) -> Path:
    """The stub of a module: name.pyi, or __init__.pyi in a folder when there are modules inside it."""
    stem = PACKAGE.joinpath(*name.split(".")[1:])
    folder = stem / "__init__.pyi"
    return folder if folder.exists() else stem.with_suffix(".pyi")


def own(runtime: Mapping[str, object]) -> dict[str, object]:
    """Public names, without modules (they have a stub of their own) and what Python puts into every class."""
    slots = (types.ModuleType, types.WrapperDescriptorType)
    return {name: value for name, value in runtime.items() if public(name) and not isinstance(value, slots)}


def stub_names(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """Names a stub's body defines, each with its definitions (several for overloads and properties)."""
    names: dict[str, list[ast.stmt]] = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.setdefault(node.target.id, []).append(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                assert isinstance(target, ast.Name)
                names.setdefault(target.id, []).append(node)
    return {name: nodes for name, nodes in names.items() if name not in {"__all__", "__version__"}}


def signatures(doc: str | None, name: str) -> set[tuple[str, ...]]:
    """Argument names of all overloads, from the lines pybind11 writes at the head of a docstring."""
    found = set()
    for line in (doc or "").splitlines():
        head = re.match(rf"(?:\d+\. )?{re.escape(name)}\((.*)\) -> ", line.strip())
        if head and head[1] != "*args, **kwargs":
            found.add(tuple(argument_names(head[1])))
    return found


def argument_names(text: str) -> Iterator[str]:
    depth, start, quote = 0, 0, ""
    for k, c in enumerate(text + ","):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[k - 1] != "-"):
            depth -= 1
        elif c == "," and depth == 0:
            argument = re.split(r"[:=]", text[start:k].strip())[0].strip()
            start = k + 1
            if argument not in {"", "*", "/"}:
                yield argument


def stub_signature(node: ast.FunctionDef) -> tuple[str, ...]:
    spec = node.args
    names = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
    names += [f"*{spec.vararg.arg}"] if spec.vararg else []
    names += [argument.arg for argument in spec.kwonlyargs]
    return tuple(names + ([f"**{spec.kwarg.arg}"] if spec.kwarg else []))


def differences(where: str, runtime: Mapping[str, object], body: list[ast.stmt]) -> Iterator[str]:
    """Every way in which `runtime` and the stub's `body` disagree."""
    stub = {name: nodes for name, nodes in stub_names(body).items() if public(name)}
    real = own(runtime)
    yield from (f"{where}.{name} is missing in the stub" for name in sorted(real.keys() - stub.keys()))
    yield from (f"{where}.{name} is in the stub only" for name in sorted(stub.keys() - real.keys()))
    for name in sorted(real.keys() & stub.keys()):
        value, nodes = real[name], stub[name]
        node = nodes[0]
        if inspect.isclass(value):
            if not isinstance(node, ast.ClassDef):
                yield f"{where}.{name} is a class, the stub says otherwise"
            elif not issubclass(value, enum.Enum):
                yield from differences(f"{where}.{name}", dict(vars(value)), node.body)
            else:
                members = {k for k in value.__members__}
                named = {k for k in stub_names(node.body) if k in members or k.isupper()}
                if members != named:
                    yield f"{where}.{name}: members {sorted(members)}, stub {sorted(named)}"
        elif isinstance(node, ast.FunctionDef) and not isinstance(value, property):
            doc = getattr(getattr(value, "__func__", value), "__doc__", None)
            real_arguments = signatures(doc, name)
            stub_arguments = {stub_signature(n) for n in nodes if isinstance(n, ast.FunctionDef)}
            if real_arguments and real_arguments != stub_arguments:
                yield f"{where}.{name}: arguments {sorted(real_arguments)}, stub {sorted(stub_arguments)}"


@pytest.mark.parametrize("module", list(modules(_core)), ids=lambda module: module.__name__)
def test_stub_and_module_agree(module: types.ModuleType) -> None:
    stub = ast.parse(stub_of(module.__name__).read_text(encoding="utf-8"))
    assert list(differences(module.__name__, vars(module), stub.body)) == []


def test_there_is_no_stub_without_a_module() -> None:
    stubs = {*PACKAGE.glob("_core.pyi"), *PACKAGE.glob("_core/**/*.pyi")}
    assert stubs == {stub_of(module.__name__) for module in modules(_core)}


def test_module_and_stub_have_the_version() -> None:
    assert isinstance(_core.__version__, str)
    assert "__version__: str" in stub_of("stickslip._core").read_text(encoding="utf-8")


class _Sample:
    def kept(self, a: float) -> None: ...

    kept.__doc__ = (
        "kept(self: _core._Sample, a: typing.SupportsFloat = 0.5, *, b: str = '1, 2') -> None\n\nText."
    )

    def __len__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("stub", "complaint"),
    [
        ("class Sample:\n def kept(self, a, *, b): ...\n def __len__(self): ...", None),
        ("class Sample:\n def kept(self, a, *, c): ...\n def __len__(self): ...", "arguments"),
        ("class Sample:\n def kept(self, a, *, b): ...", "__len__ is missing in the stub"),
        (
            "class Sample:\n def kept(self, a, *, b): ...\n def __len__(self): ...\n x: int",
            "x is in the stub only",
        ),
        ("def Sample(): ...", "is a class"),
        ("", "Sample is missing in the stub"),
    ],
)
def test_disagreement_is_detected(stub: str, complaint: str | None) -> None:
    found = list(differences("m", {"Sample": _Sample}, ast.parse(stub).body))
    assert len(found) == (complaint is not None)
    assert complaint is None or complaint in found[0]
