"""Write the gallery: every published figure with its picture, its checked numbers and its code."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from reference import write
from sphinx.application import Sphinx
from sphinx.util import logging

import stickslip

FOLDER = "gallery"
SOURCES = {
    "belt": "Block on a belt",
    "servo": "Servo drives (Krämer, Kempkes)",
    "laws": "Friction laws",
    "bristle2": "A second-order bristle law (Martínez-Rosas et al.)",
    "canudas": "LuGre (Canudas de Wit et al.)",
    "automaton": "The stick/slip automaton (Klotzbach, Henrichfreise)",
    "chatter": "Chatter of self-locking gears (Hinrichsen)",
}
log = logging.getLogger(__name__)


def figures() -> ModuleType:
    """The package of the published figures."""
    name = "stickslip_figures" if importlib.util.find_spec("stickslip_figures") else "stickslip.figures"
    return importlib.import_module(name)


def newest_source(package: ModuleType) -> float:
    """Return the time of the last change of a module of the figures or of the compiled engine."""
    paths = [*Path(str(package.__file__)).parent.glob("*.py"), Path(str(stickslip._core.__file__))]
    return max(path.stat().st_mtime for path in paths)


def draw(package: ModuleType, folder: Path) -> list[str]:
    """Compute figures whose picture is missing or older than the code; return the names of all."""
    changed = newest_source(package)
    for name in package.names():
        picture = folder / f"{name}.png"
        if not picture.exists() or picture.stat().st_mtime < changed:
            log.info("figure %s", name)
            write(folder / f"{name}.txt", verdicts(package.produce(name, folder).checks))
    return list(package.names())


def verdicts(checks: Sequence[Any]) -> str:
    """The computed and the expected numbers of a figure, as a table in Markdown."""
    if not checks:
        return ""
    lines = ["| number | computed | expected | expected from |", "|---|---|---|---|"]
    for check in checks:
        expected = f"{'' if check.relation == '=' else check.relation + ' '}{check.expected:.6g}"
        cells = [
            check.quantity,
            f"{check.computed:.6g} {check.unit}",
            f"{expected} {check.unit}",
            check.source,
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|").strip() for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def code(value: object) -> str:
    """The source of a function or, for others, of its class; nothing if there is none."""
    function = inspect.unwrap(getattr(value, "func", value))  # type: ignore[arg-type]
    try:
        return inspect.getsource(function).rstrip()  # type: ignore[arg-type]
    except (TypeError, OSError):
        return ""


def page(package: ModuleType, name: str, folder: Path) -> str:
    """The page of one figure."""
    figure = package.get(name)
    blocks = [text for text in dict.fromkeys([code(figure.compute), code(figure.draw)]) if text]
    module = inspect.getmodule(inspect.unwrap(getattr(figure.compute, "func", figure.compute)))
    where = module.__name__ if module else package.__name__
    lines = [f"# {name}: {figure.title}", "", f"Source: {figure.source}.", ""]
    lines += [f"![{figure.title}]({name}.png)", "", "Reproduce it with", ""]
    lines += ["```sh", f"stickslip figures {name} --out out", "```", ""]
    checks = (folder / f"{name}.txt").read_text(encoding="utf-8")
    if checks:
        lines += ["## Numbers", "", checks]
    lines += [
        "## Code",
        "",
        f"From `{where}`:",
        "",
        "```python",
        *"\n\n\n".join(blocks).splitlines(),
        "```",
        "",
    ]
    return "\n".join(lines)


def generate(app: Sphinx) -> None:
    """Write the gallery's pages and its index."""
    package, folder = figures(), Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    names = draw(package, folder)
    lines = [
        "# Gallery",
        "",
        "Every published figure, recomputed. Each page has the numbers that were checked and the code.",
        "",
    ]
    for start, heading in SOURCES.items():
        group = [name for name in names if name == start or name.startswith(f"{start}_")]
        if not group:
            continue
        lines += [f"## {heading}", "", "::::{grid} 2 3 4 4", ":gutter: 2", ""]
        for name in group:
            lines += [f":::{{grid-item-card}} {package.get(name).title}", f":img-top: {name}.png"]
            lines += [f":img-alt: {package.get(name).title}", f":link: {name}", ":link-type: doc"]
            lines += ["", f"`{name}`", ":::", ""]
        lines += ["::::", "", "```{toctree}", ":hidden:", "", *group, "```", ""]
    write(folder / "index.md", "\n".join(lines))
    kept = {"index", *names}
    for name in names:
        write(folder / f"{name}.md", page(package, name, folder))
    for path in folder.glob("*.md"):
        if path.stem not in kept:
            path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
