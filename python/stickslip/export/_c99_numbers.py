"""The real numbers of an exported machine: blocks in one table, equal blocks once, some of them linear in parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Place(NamedTuple):
    """A block of numbers in the table."""

    block: int


@dataclass
class Numbers:
    """Blocks in the order in which they were added."""

    blocks: list[Array] = field(default_factory=list)
    fixed: list[bool] = field(default_factory=list)

    def add(self, *values: ArrayLike, fixed: bool = False) -> Place:
        """Append these numbers as one block; matrices row by row. `fixed`: sizes, which do not follow parameters."""
        self.fixed.append(fixed)
        parts = [np.asarray(one, dtype=float).ravel() for one in values]
        self.blocks.append(np.concatenate([*parts, np.zeros(0)]))
        return Place(len(self.blocks) - 1)


@dataclass(frozen=True)
class Change:
    """An entry of the table that changes by `slope` per unit of a parameter."""

    at: int
    parameter: int
    slope: float


@dataclass(frozen=True)
class Table:
    """The numbers in one list, with the place of each block."""

    values: Array
    offsets: list[int]
    changes: list[Change]


def table(base: Numbers, slopes: list[list[Array]]) -> Table:
    """Return one list of all blocks; `slopes`: of each parameter, the derivative of each block."""
    known: dict[bytes, int] = {}
    offsets: list[int] = []
    values: list[Array] = []
    changes: list[Change] = []
    size = 0
    for k, block in enumerate(base.blocks):
        own = [of[k] for of in slopes]
        key = block.tobytes() + b"".join(one.tobytes() for one in own)
        if key not in known:
            known[key] = size
            values.append(block)
            for p, slope in enumerate(own):
                changes += [Change(size + int(i), p, float(slope[i])) for i in np.flatnonzero(slope)]
            size += len(block)
        offsets.append(known[key])
    return Table(np.concatenate([*values, np.zeros(0)]), offsets, changes)


def is_linear(at_0: Array, at_1: Array, at_2: Array) -> bool:
    """Return whether three values at equal distances lie on straight lines, to rounding of the block.

    >>> is_linear(np.array([1.0, 2.0]), np.array([1.5, 2.0]), np.array([2.0, 2.0]))
    True
    >>> is_linear(np.array([1.0]), np.array([0.5]), np.array([0.25]))
    False
    """
    finite = np.isfinite(at_0)
    if not np.array_equal(finite, np.isfinite(at_2)) or not np.array_equal(at_0[~finite], at_2[~finite]):
        return False
    a, b, c = at_0[finite], at_1[finite], at_2[finite]
    scale = max(np.abs(a).max(initial=0.0), np.abs(c).max(initial=0.0))
    bound = 1e-9 * np.abs(c - a) + 16 * np.finfo(float).eps * scale
    return bool(np.all(np.abs(c - 2 * b + a) <= bound))
