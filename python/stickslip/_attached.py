"""Methods that are declared in their class and carried out in another room, which is loaded when they are first called.

A machine draws itself, and the room that draws knows machines. So that neither imports the other in a circle, the class
declares the method with its signature and its docstring, `deferred`, and one table says which function carries it out.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_FUNCTIONS: dict[str, str] = {}


def attach(declared: str, function: str) -> None:
    """Say which function carries out a deferred method.

    Parameters
    ----------
    declared, function : str
        ``"module:Class.method"`` and ``"module:function"``; the function takes the same arguments.
    """
    _FUNCTIONS[declared] = function


def attached() -> dict[str, str]:
    """Deferred methods with their implementations."""
    return dict(_FUNCTIONS)


def deferred(declared: F) -> F:
    """Declare a method or a function whose implementation is attached later.

    Parameters
    ----------
    declared : callable
        Gives signature and docstring; its body does not run.
    """
    found: list[Callable[..., Any]] = []

    @functools.wraps(declared)
    def method(*arguments: Any, **keywords: Any) -> Any:
        if not found:
            module, name = _FUNCTIONS[f"{declared.__module__}:{declared.__qualname__}"].split(":")
            found.append(getattr(importlib.import_module(module), name))
        return found[0](*arguments, **keywords)

    return cast(F, method)
