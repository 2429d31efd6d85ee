"""Elements that the engine splits, as src/model/opposite_contacts.hpp says: a constraint whose force loads friction is
two opposite contacts, and that friction one element under each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SIDES = ("[+]", "[-]")


def owner(name: str) -> str:
    """Return the name of the element as the user added it."""
    return name[:-3] if name.endswith(_SIDES) else name


def sums(names: Iterable[str], rows: Iterable[NDArray[np.float64]]) -> dict[str, Any]:
    """Return rows by the names of their owners, parts of one owner added up."""
    out: dict[str, Any] = {}
    for name, row in zip(names, rows, strict=True):
        whole = owner(name)
        out[whole] = out[whole] + row if whole in out else row
    return out
