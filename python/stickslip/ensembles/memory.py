"""Results of an ensemble in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stickslip.ensembles.task import INTERRUPTED, Block

Kinds = dict[str, type[np.generic]]
NOTHING: dict[type[np.generic], float] = {np.int64: -1, np.float64: np.nan}  # where a point has not run


class Table(Protocol):
    """Table of results: in memory, or in a store."""

    def write(self, first: int, block: Block) -> None:
        """Store the results of the points from `first` on."""

    def column(self, name: str) -> NDArray[Any]:
        """Return one measure, or ``"status"`` as indices into `CODES`, by the index of the point."""

    def messages(self) -> dict[int, str]:
        """Messages of points that did not finish, by index."""

    def close(self) -> None:
        """Close the table for writing."""


def columns_of(block: Block, kinds: Kinds) -> Iterator[tuple[str, NDArray[Any]]]:
    """Return the results of a block by name, with status."""
    for j, (name, kind) in enumerate(kinds.items()):
        values = block.values[:, j]
        yield name, np.where(np.isnan(values), -1, values).astype(kind) if kind is np.int64 else values
    yield "status", block.status


class Memory:
    """Arrays for all points."""

    def __init__(self, kinds: Kinds, points: int) -> None:
        self._kinds = kinds
        self._columns: dict[str, NDArray[Any]] = {
            name: np.full(points, NOTHING[kind], kind) for name, kind in kinds.items()
        }
        self._columns["status"] = np.full(points, INTERRUPTED, np.int8)
        self._messages: dict[int, str] = {}

    def write(self, first: int, block: Block) -> None:
        """Store the results of the points from `first` on."""
        for name, values in columns_of(block, self._kinds):
            self._columns[name][first : first + values.size] = values
        self._messages |= {first + k: text for k, text in block.messages.items()}

    def column(self, name: str) -> NDArray[Any]:
        """Return one measure, or ``"status"``, by the index of the point."""
        return self._columns[name]

    def messages(self) -> dict[int, str]:
        """Messages of points that did not finish, by index."""
        return self._messages

    def close(self) -> None:
        """Close the table for writing."""
