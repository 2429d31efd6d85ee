"""The site holds every notebook and page, and a reference of every public name."""

import importlib
import inspect
import re
from pathlib import Path

import stickslip as ss

FOLDER = Path(__file__).parents[2] / "notebooks"
REFERENCE = (FOLDER / "reference.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    listed = {
        line for block in re.findall(r"```\{toctree\}\n(.*?)```", index, re.DOTALL) for line in block.split()
    }
    pages = {path.stem for path in (*FOLDER.glob("*.ipynb"), *FOLDER.glob("*.md"))} - {"index"}
    assert pages <= listed


def test_every_public_name_is_in_the_reference() -> None:
    """Each part is listed; what a part leaves out is listed where it is used from, as ``ss.name``."""
    blocks = dict(re.findall(r"\.\. automodule:: (\S+)\n((?:   .*\n)*)", REFERENCE))
    parts = {f"stickslip.{name}" for name in ss.__all__ if inspect.ismodule(getattr(ss, name))}
    assert {"stickslip", *parts} <= set(blocks)
    for part, options in blocks.items():
        module = importlib.import_module(part)
        left_out = re.search(r":exclude-members: (.*)", options)
        for name in left_out[1].split(", ") if left_out else ():
            assert hasattr(module, name) and (name in ss.__all__ or name in ss.errors.__all__), (part, name)
        homes = {
            getattr(module, name).__module__
            for name in module.__all__
            if inspect.isclass(getattr(module, name)) or inspect.isfunction(getattr(module, name))
        }
        assert homes == {part} or ":imported-members:" in options, part
