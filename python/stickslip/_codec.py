"""Descriptions saved as plain values: what pickle and copy of machines have in common."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

FORMAT = 1
"""Number of the format in which machines are saved; another one is refused."""


def check_functions(core: tuple[Any, ...]) -> None:
    """Refuse a packed machine that holds a Python function which pickle cannot save, and say where it is."""
    if {"cloudpickle", "dill"} & sys.modules.keys():  # they save more than pickle does
        return
    for owner, function in _functions(core):
        try:
            pickle.dumps(function)
        except Exception as error:  # whatever an object of the user's raises
            raise pickle.PicklingError(
                f"{owner} cannot be pickled because its function cannot: {error} (a function defined at the top of "
                "a module can be)"
            ) from error


def _functions(core: tuple[Any, ...]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Python functions in a packed machine, with who calls them."""
    _, _, _, _, friction, contacts, controllers, compensators = core
    laws = [(name, law) for name, _, law, *_ in friction]
    laws += [(name, law) for name, _, _, law, *_ in contacts]
    laws += [(name, law) for name, law, *_ in compensators]
    for name, terms in laws:
        for _, parameters in terms:
            yield from ((f"law of '{name}'", value) for value in parameters.values() if callable(value))
    for name, (_, kind, values, *_), *_ in controllers:
        if kind == "Program":
            yield f"controller '{name}'", values[0]
