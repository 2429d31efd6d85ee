"""Saving of descriptions as plain values, shared by pickle and copy."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

FORMAT = 3
"""Number of the format in which machines are saved; another one is refused."""


def check_functions(core: dict[str, Any]) -> None:
    """Refuse to save a machine with a Python function that pickle cannot save, naming the element that calls it."""
    if {"cloudpickle", "dill"} & sys.modules.keys():  # they save more than pickle does
        return
    for owner, function in functions_in(core):
        try:
            pickle.dumps(function)
        except Exception as error:  # whatever an object of the user's raises
            raise pickle.PicklingError(
                f"{owner} cannot be pickled because its function cannot: {error} (a function defined at the top of "
                "a module can be)"
            ) from error


def functions_in(core: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return the Python functions in a packed machine, with the elements that call them."""
    for element in core["elements"]:
        for term in (*element.get("law", ()), *element.get("friction", ())):
            calls = (value for value in term.values() if callable(value))
            yield from ((f"law of '{element['name']}'", value) for value in calls)
        if "control" in element and (function := element["control"]["law"].get("function")):
            yield f"controller '{element['name']}'", function
