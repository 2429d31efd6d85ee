"""Base classes of parts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from stickslip._checks import finite, non_negative, reject
from stickslip.laws import Coulomb
from stickslip.machine._smooth import is_smooth
from stickslip.machine.machine import Machine
from stickslip.machine.places import On
from stickslip.signals import Constant, Signal, as_signal


@dataclass(frozen=True)
class Part:
    """Base class of all parts: use one of its subclasses."""

    _is_base: ClassVar[bool] = True  # of this class alone, not of those derived from it

    def __post_init__(self) -> None:
        if "_is_base" in vars(type(self)):
            raise TypeError(f"{type(self).__name__} is a base class: use one of the classes derived from it")
        self._check()

    def _check(self) -> None:
        """Refuse what is impossible, naming it."""

    def _read(self, read: Any, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read(name, getattr(self, name)))

    def __repr__(self) -> str:
        shown = [f"{f.name}={value!r}" for f in fields(self) if (value := getattr(self, f.name)) != f.default]
        return f"{type(self).__name__}({', '.join(shown)})"


def check_load(name: str, load: Any) -> None:
    """Check that a load is a number >= 0 or a signal; functions of the motion and names are checked by the machine."""
    if isinstance(load, str) or is_smooth(load):
        return
    signal = as_signal(load, name)
    if isinstance(signal, Constant):
        non_negative(name, signal.value)


@dataclass(frozen=True, repr=False)
class Pressed(Part):
    """Dry friction with a variable capacity."""

    capacity: Signal | float
    static: float = 1.0

    def _check(self) -> None:
        self._read(finite, "static")
        check_load("capacity", self.capacity)
        if self.static < 1.0:
            reject("static", self.static, ">= 1")

    def _press(self, machine: Machine, name: str, on: On) -> None:
        machine.add_friction(name, on, Coulomb(self.static, 1.0), normal_load=self.capacity)
