"""The site of the package: the notebooks, and a reference of every public name. development.md says how it is built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from docutils import nodes

import stickslip

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "stickslip"
author = "The stickslip developers"
copyright = f"2026, {author}"
version = release = stickslip.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx-mathjax-offline", "numpydoc", "sphinx.ext.viewcode"]
exclude_patterns = ["pictures", "**.ipynb_checkpoints"]
html_theme = "sphinx_book_theme"
html_title = "stickslip"
html_theme_options = {"show_toc_level": 2, "navbar_persistent": []}  # the side has a search field

# Notebooks are stored without outputs: they run as the site is built, and only those that have changed.
nb_execution_mode = "cache"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3

autodoc_default_options = {
    "members": True,
    "show-inheritance": True,
    "inherited-members": "ndarray, tuple, int, str, Enum, Exception",
}
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
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
