"""The documentation site. `development/development.md` says how it is built."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

import stickslip

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "stickslip"
author = "The stickslip developers"
copyright = f"2026, {author}"
version = release = stickslip.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx-mathjax-offline",
    "sphinx_design",
    "numpydoc",
    "sphinx.ext.viewcode",
    "reference",
    "gallery",
]
exclude_patterns = ["pictures", "_extensions", "gallery/*.txt", "**.ipynb_checkpoints"]
html_theme = "sphinx_book_theme"
html_title = "stickslip"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# The side has a search field; its tree shows two levels, since the reference has a page for each object.
html_theme_options = {
    "show_toc_level": 2,
    "navbar_persistent": [],
    "show_navbar_depth": 1,
    "max_navbar_depth": 2,
    "collapse_navbar": True,
}

# Notebooks and pages with code cells are stored without outputs: they run as the site is built, if they have changed.
nb_execution_mode = "cache"
os.environ.pop("MPLBACKEND", None)  # kernels would inherit it instead of showing pictures
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_default_options = {
    "members": True,
    "inherited-members": "ndarray, tuple, int, str, Enum, Exception",
}
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("ArrayLike", "NDArray", "On", "Function", "Array")}
python_maximum_signature_line_length = 90
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "code"


def describe_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """Give each picture that a cell has drawn an alternative text: the heading under which it stands."""
    for image in doctree.findall(nodes.image):
        heading = next(
            (node.next_node(nodes.title) for node in above(image) if isinstance(node, nodes.section)), None
        )
        image.setdefault("alt", f"Picture: {heading.astext() if heading else project}")
    for raw in list(doctree.findall(nodes.raw)):  # animations
        if "<img id=" in raw.astext():
            text = raw.astext().replace("<img id=", '<img alt="Animation of the run" id=')
            raw.replace_self(nodes.raw("", text, format=raw["format"]))


def above(node: nodes.Node) -> Iterator[nodes.Node]:
    """The nodes that hold this one, from the inside out."""
    while (node := node.parent) is not None:
        yield node


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", describe_pictures)
