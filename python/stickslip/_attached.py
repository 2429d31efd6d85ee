"""Deferred methods: declared in their class, implemented in another subpackage that is loaded at the first call.

Machines have a method `draw`, and the subpackage `draw` imports machines. To avoid an import circle the class declares
the method with signature and docstring (`deferred`), and one table names the function that implements it.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_FUNCTIONS: dict[str, str] = {}


def attach(declared: str, function: str) -> None:
    """Set the function that implements a deferred method.

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
