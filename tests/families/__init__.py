"""Families of random machines, each run and audited: ``cd tests && python -m families chains --count 200``.

The generators build machines from the package's public names alone and know nothing of how the engine solves them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from families.case import Case

NAMES = (
    "chains", "drives", "brakes", "contacts", "frictional", "geared", "supports", "stops", "springs", "smooth", "light",
    "mixed_orders", "stiff", "formula_laws", "reactions", "combined",
)  # fmt: skip


def generator(family: str) -> Callable[[int], Case]:
    """The function that builds the machine of a seed."""
    build: Callable[[int], Case] = importlib.import_module(f"families.{family}").build
    return build
