"""Names of variables as FMI allows them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]+")
_ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def identifier(name: str) -> str:
    """Return a name as an identifier of C.

    >>> identifier("two-mass drive"), identifier("2nd")
    ('two_mass_drive', '_2nd')
    """
    word = _FORBIDDEN.sub("_", name).strip("_") or "_"
    return f"_{word}" if word[0].isdigit() else word


def variable_names(names: Iterable[str], told: float = math.inf) -> list[str]:
    """Return names of variables by the structured naming convention of FMI, each once.

    A warning tells a change among the first `told` names.

    >>> variable_names(["axis.position"])
    ['axis.position']
    """
    found = ["time"]  # the independent variable
    for k, name in enumerate(names):
        wanted = ".".join(part if _ALLOWED.fullmatch(part) else identifier(part) for part in name.split("."))
        given, number = wanted, 2
        while given in found:
            given, number = f"{wanted}_{number}", number + 1
        found.append(given)
        if given != name and k < told:
            warnings.warn(
                f"{name!r} is called {given!r} in the FMU, where names are unique and consist of letters, digits and "
                "'_' between dots",
                stacklevel=4,
            )
    return found[1:]
