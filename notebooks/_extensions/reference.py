"""Write the reference: one page for each public object, with tables that lead to them.

Names are read from ``__all__`` of the package and of its public modules, so that a moved module needs no change here.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

import stickslip

FOLDER = "reference"
# Headings of what is used as ``ss.Name``, each with the base class that its members share.
BASES = (
    ("Friction laws", "Law"),
    ("Signals", "Signal"),
    ("Controllers and filters", "Controller"),
    ("Friction compensation", "Compensator"),
)


def is_listed(value: Any) -> bool:
    """True for a class or a function, the objects with a page of their own."""
    return inspect.isclass(value) or inspect.isroutine(value)


def public(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Iterate over the classes and functions of a public module."""
    for name in module.__all__:
        value = getattr(module, name)
        if is_listed(value):
            yield name, value


def modules(root: types.ModuleType = stickslip) -> Iterator[types.ModuleType]:
    """The public modules below the package, in the order of their names; published figures are in the gallery."""
    # Some modules of the package are attributes that it does not list.
    beside = {name.rpartition(".")[2] for name in getattr(root, "_LAZY", ())}
    for name in sorted(beside.union(root.__all__)):
        value = getattr(root, name)
        if (
            name != "figures"
            and inspect.ismodule(value)
            and value.__name__.startswith("stickslip")
            and hasattr(value, "__all__")
        ):
            yield value
            yield from modules(value)


def tree() -> dict[str, dict[str, Any]]:
    """Headings of the reference, each with the full names of its objects."""
    chosen: dict[str, dict[str, Any]] = {}
    top = {f"stickslip.{name}": value for name, value in public(stickslip)}
    functions = {name: value for name, value in top.items() if inspect.isroutine(value)}
    classes = {name: value for name, value in top.items() if name not in functions}
    chosen["Simulation and machines"] = {}
    for heading, base in BASES:
        root = getattr(stickslip, base, None)
        if root is not None:
            chosen[heading] = {n: v for n, v in classes.items() if issubclass(v, root)}
    elementary = getattr(stickslip.trace, "__module__", "")
    chosen["Formulas"] = {n: v for n, v in top.items() if getattr(v, "__module__", "") == elementary}
    taken = {name for group in chosen.values() for name in group}
    chosen["Simulation and machines"] = {n: v for n, v in top.items() if n not in taken}
    homes = {id(value) for value in top.values()}
    for module in modules():
        group = {}
        for name, value in public(module):
            if id(value) not in homes:
                homes.add(id(value))
                group[f"{module.__name__}.{name}"] = value
        if group:
            chosen[module.__name__] = group
    return {heading: group for heading, group in chosen.items() if group}


def first_line(value: Any) -> str:
    """The summary of a docstring, for a cell of a table."""
    lines = (inspect.getdoc(value) or "").strip().split("\n\n")[0]
    return re.sub(r"\s+", " ", lines)


def title(heading: str) -> str:
    """The heading of a module: its name as it is used, and what its docstring says."""
    return heading.replace("stickslip", "ss", 1) if heading.startswith("stickslip.") else heading


def page(name: str, value: Any) -> str:
    """The page of one object."""
    kind = "autoclass" if inspect.isclass(value) else "autofunction"
    short = name.replace("stickslip.", "ss.", 1)
    lines = [short, "=" * len(short), "", f".. {kind}:: {name}"]
    return "\n".join(lines) + "\n"


def table(group: dict[str, Any]) -> list[str]:
    """The summary table of a group, in reStructuredText."""
    lines = [".. list-table::", "   :widths: 30 70", "   :class: summary", ""]
    for name, value in group.items():
        short = name.replace("stickslip.", "ss.", 1)
        lines += [f"   * - :doc:`{short} <{name}>`", f"     - {first_line(value)}"]
    return [*lines, ""]


def write(path: Path, text: str) -> None:
    """Write a file only if its text changes, so that unchanged pages are not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def generate(app: Sphinx) -> None:
    """Write all pages below the folder of the reference, and remove those of objects that are gone."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    groups = tree()
    written = {"index.rst"}
    head = "Reference"
    lines = [head, "=" * len(head), ""]
    lines += [
        "Every public object has a page of its own. After ``import stickslip as ss`` the objects of the first tables are used",
        "as ``ss.Machine``, ``ss.simulate`` and so on; the modules below them are loaded when they are first used.",
        "",
    ]
    for heading, group in groups.items():
        shown = title(heading)
        lines += [shown, "-" * len(shown), ""]
        if heading.startswith("stickslip."):
            module = next(m for m in modules() if m.__name__ == heading)
            lines += [first_line(module), ""]
        lines += table(group)
        lines += [".. toctree::", "   :hidden:", "   :maxdepth: 1", ""]
        lines += [f"   {name.replace('stickslip.', 'ss.', 1)} <{name}>" for name in group] + [""]
        for name, value in group.items():
            written.add(f"{name}.rst")
            write(folder / f"{name}.rst", page(name, value))
    write(folder / "index.rst", "\n".join(lines))
    for path in folder.glob("*.rst"):
        if path.name not in written:
            path.unlink()


def short_type(annotation: Any) -> str:
    """An annotation as its source writes it, without the modules that a reader need not know."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b_core\.(?:\w+\.)*(?=[A-Z])", "", text.strip("'\""))
    text = re.sub(r"\b(?:typing|collections\.abc|types|np|numpy|stickslip(?:\.\w+)*)\.(?=[A-Za-z])", "", text)
    return re.sub(r"NDArray\[(\w+)\]", "ndarray", text)


def signature(
    app: Sphinx, what: str, name: str, value: Any, options: Any, given: str | None, returned: str | None
) -> tuple[str | None, str | None] | None:
    """Write signatures with the types of the source: ``ArrayLike`` instead of what it stands for."""
    if what not in {"class", "function", "method", "exception"} or given is None:
        return None
    try:
        made = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parameters = list(made.parameters.values())
    bound = what == "method" and not inspect.ismethod(value)
    if bound and parameters and parameters[0].name in {"self", "cls"}:
        parameters = parameters[1:]
    plain = [
        p.replace(annotation=_Text(short_type(p.annotation)) if p.annotation is not p.empty else p.empty)
        for p in parameters
    ]
    text = str(made.replace(parameters=plain, return_annotation=made.empty))
    back = made.return_annotation
    if what == "class" or back is made.empty or str(back).strip("'") == "None":
        return text, None
    return text, short_type(back)


class _Text:
    """An annotation that is printed as it stands."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", generate)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
