"""Former names of moved modules, for pickles: importing a former name returns the module under its present name."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

MOVED = {
    "stickslip.compliance": "stickslip.machine.compliance",
    "stickslip.crossings": "stickslip.run.crossings",
    "stickslip.drive": "stickslip.parts.drive",
    "stickslip.energy": "stickslip.run.energy",
    "stickslip.events": "stickslip.run.events",
    "stickslip.filters": "stickslip.control.filters",
    "stickslip.sensitivity": "stickslip.run.sensitivity",
    "stickslip.state_space": "stickslip.machine.state_space",
    "stickslip.stick_slip": "stickslip.laws.stick_slip",
    "stickslip.trajectory": "stickslip.run.trajectory",
}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a moved module under its former name."""

    def __init__(self) -> None:
        self._own: dict[str, importlib.machinery.ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in MOVED else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(MOVED[spec.name])
        self._own[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own specification back; it has run under its own name."""
        former = module.__spec__
        if former is not None:
            module.__spec__ = self._own.pop(former.name)


if not any(type(finder).__name__ == "_Finder" and finder.__module__ == __name__ for finder in sys.meta_path):
    sys.meta_path.append(_Finder())
