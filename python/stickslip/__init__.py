"""Exact simulation of machines in which things stick, slip, separate and strike."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from stickslip._core import __version__
from stickslip.laws import Coulomb, Stribeck, Viscous

if TYPE_CHECKING:
    from types import ModuleType

    from stickslip import figures, plotting

__all__ = ["Coulomb", "Stribeck", "Viscous", "__version__", "figures", "plotting"]

# Parts that importing the package does not pay for: they are loaded when first named.
_LAZY = ("figures", "plotting")


if not TYPE_CHECKING:  # a type checker would take every unknown name for a module

    def __getattr__(name: str) -> ModuleType:
        if name in _LAZY:
            return importlib.import_module(f"stickslip.{name}")
        raise AttributeError(f"module 'stickslip' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
