"""Base class of values: compared, hashed, printed and pickled by their arguments."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from functools import partial
from typing import Any, ClassVar

import numpy as np

from stickslip._checks import number, optional_number

MOST_SHOWN = 50


def shown_array(values: np.ndarray[Any, Any]) -> str:
    """Show an array as a list; one of more than 50 numbers is abbreviated and cannot be evaluated."""
    if values.size <= MOST_SHOWN:
        return repr(values.tolist())
    size = " x ".join(map(str, values.shape))
    return f"<{size} numbers from {values.flat[0]:g} to {values.flat[-1]:g}>"


class Value:
    """Base of the frozen dataclasses that hold the user's arguments and, in ``compiled``, their form for the engine.

    Two values are equal if their compiled forms are equal. ``repr`` is an expression that makes an equal value, unless
    an array in it is longer than 50.
    """

    __slots__ = ()
    compiled: Any
    _derived: ClassVar[tuple[str, ...]] = ()  # arguments that follow from others once they are read

    def _shown(self) -> list[Field[Any]]:
        return [f for f in fields(self) if f.init and f.name not in self._derived]  # type: ignore[arg-type]

    def _arguments(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in self._shown()}

    def _numbers(self, *names: str) -> dict[str, Any]:
        """The named fields as numbers, checked; those that are None by default may be None."""
        optional = {f.name for f in fields(self) if f.default is None}  # type: ignore[arg-type]
        return {
            name: optional_number(name, value) if name in optional else number(name, value)
            for name, value in ((name, getattr(self, name)) for name in names)
        }

    def _fill(self, compiled: object, **values: object) -> None:
        """Set the fields of a frozen value to what was read."""
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "compiled", compiled)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return NotImplemented
        return bool(self.compiled == other.compiled)

    def __hash__(self) -> int:
        return hash(self.compiled)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self._arguments()), ()

    def __repr__(self) -> str:
        given = []
        for f in sorted(self._shown(), key=lambda f: bool(f.kw_only and f.metadata.get("option", True))):
            value = getattr(self, f.name)
            text = shown_array(value) if isinstance(value, np.ndarray) else repr(value)
            if isinstance(value, np.ndarray) or f.default is MISSING or value != f.default:
                given.append(f"{f.name}={text}")
        return f"{type(self).__name__}({', '.join(given)})"
