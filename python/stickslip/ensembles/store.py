"""Results of an ensemble in a Zarr store, written while the ensemble runs."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._extras import need
from stickslip.ensembles.design import Design
from stickslip.ensembles.identity import difference, identity
from stickslip.ensembles.lock import Lock
from stickslip.ensembles.memory import NOTHING, Kinds, columns_of
from stickslip.ensembles.result import EnsembleResult
from stickslip.ensembles.spread import Range
from stickslip.ensembles.task import CODES, INTERRUPTED, Block, Task
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run.crossings import Crossing

_MACHINES: dict[str, type[Machine] | type[StateSpace]] = {"Machine": Machine, "StateSpace": StateSpace}
FORMAT = 1
MESSAGE = 240  # bytes of a message that are kept
PATIENCE = 2.0  # s after which a part that is not complete is written all the same


def _zarr() -> Any:
    return need("zarr", "zarr", "store=... needs", "data")


class Store:
    """A table whose columns are arrays of a Zarr group, one entry for each point.

    Points are written in blocks of one Zarr chunk, status last, so that an interrupted block counts as not done.
    """

    def __init__(self, path: Path, group: Any, kinds: Kinds, lock: Lock | None = None) -> None:
        self._path, self._group, self._kinds, self._lock = path, group, kinds, lock
        self._codes: NDArray[np.int8] = self._read("status", slice(None))
        self._points, self._part = self._codes.size, int(group["status"].chunks[0])
        self._open_parts: dict[int, dict[str, NDArray[Any]]] = {}
        self._changed: set[int] = set()
        self._written = time.monotonic()

    @property
    def todo(self) -> list[Range]:
        """Ranges of points that are not done."""
        missing = np.concatenate([[False], self._codes == INTERRUPTED, [False]])
        edges = np.flatnonzero(missing[1:] != missing[:-1])
        return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]

    def write(self, first: int, block: Block) -> None:
        """Store the results of the points from `first` on."""
        end = first + block.status.size
        for number in range(first // self._part, (end - 1) // self._part + 1):
            start = number * self._part
            low, high = max(first, start), min(end, start + self._part)
            rows = self._rows(number)
            for name, values in columns_of(block, self._kinds):
                rows[name][low - start : high - start] = values[low - first : high - first]
            for k, text in block.messages.items():
                if low <= first + k < high:
                    encoded = text.encode()[:MESSAGE]
                    rows["message"][first + k - start, : len(encoded)] = np.frombuffer(encoded, np.uint8)
            self._codes[low:high] = block.status[low - first : high - first]
            self._changed.add(number)
            if not (rows["status"] == INTERRUPTED).any():
                self._flush(number)
                del self._open_parts[number]
        if time.monotonic() > self._written + PATIENCE:
            self._flush_all()

    def _rows(self, number: int) -> dict[str, NDArray[Any]]:
        """Return a block in memory, with the results of an earlier run if there are any."""
        if number not in self._open_parts:
            at = slice(number * self._part, min((number + 1) * self._part, self._points))
            size = at.stop - at.start
            names = [*self._kinds, "status", "message"]
            if (self._codes[at] != INTERRUPTED).any():
                self._open_parts[number] = {name: self._read(name, at) for name in names}
            else:
                fresh: dict[str, NDArray[Any]] = {
                    n: np.full(size, NOTHING[k], k) for n, k in self._kinds.items()
                }
                fresh["status"] = np.full(size, INTERRUPTED, np.int8)
                fresh["message"] = np.zeros((size, MESSAGE), np.uint8)
                self._open_parts[number] = fresh
        return self._open_parts[number]

    def _flush(self, number: int) -> None:
        rows, start = self._open_parts[number], number * self._part
        with _room(self._path):
            for name in (*self._kinds, "message", "status"):
                if name != "message" or rows[name].any():
                    self._group[name][start : start + rows[name].shape[0]] = rows[name]
        self._changed.discard(number)

    def column(self, name: str) -> NDArray[Any]:
        """Return one measure, or ``"status"``, by the index of the point."""
        values: NDArray[Any] = self._codes if name == "status" else self._read(name, slice(None))
        return values

    def messages(self) -> dict[int, str]:
        """Messages of points that did not finish, by index."""
        out: dict[int, str] = {}
        finished = CODES.index(CODES[0])
        for start in range(0, self._points, self._part):
            codes = self._codes[start : start + self._part]
            unfinished = np.flatnonzero((codes != finished) & (codes != INTERRUPTED))
            if unfinished.size:
                rows = self._read("message", slice(start, start + codes.size))
                out |= {
                    start + int(k): rows[k].tobytes().rstrip(b"\0").decode(errors="replace")
                    for k in unfinished
                }
        return out

    def _read(self, name: str, at: slice) -> NDArray[Any]:
        try:
            values: NDArray[Any] = self._group[name][at]
        except Exception as error:  # of whatever has packed it
            raise ValueError(
                f"{name!r} in {str(self._path)!r} is damaged: {type(error).__name__}: {error}"
            ) from error
        return values

    def _flush_all(self) -> None:
        for number in sorted(self._changed):
            self._flush(number)
        self._written = time.monotonic()

    def close(self) -> None:
        """Write incomplete blocks and release the lock."""
        try:
            self._flush_all()
        finally:
            if self._lock is not None:
                self._lock.release()

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(f"a result in a store is not pickled: load it by ss.load({str(self._path)!r})")


@contextmanager
def _room(path: Path) -> Iterator[None]:
    """Name the cure if the disk is full."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno,
            f"cannot write to the store {str(path)!r}: {error.strerror or error}. Stored results are "
            "kept: free disk space and repeat the call to continue",
        ) from error


def open_store(path: str | os.PathLike[str], task: Task, design: Design) -> Store:
    """Open the store of this ensemble, new or begun by an earlier call."""
    where, about = Path(path), identity(task, design)
    if not _is_occupied(where):
        # Beside, and then in one go, so that there is a whole store or none.
        aside = where.with_name(f"{where.name}.{uuid.uuid4().hex[:8]}")
        try:
            with _room(where):
                _create(aside, about, task.kinds, design)
                try:
                    if where.exists():
                        where.rmdir()
                    aside.rename(where)
                except OSError:
                    if not _is_occupied(where):  # else by a call that was faster
                        raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    group, there = _existing(where, "r+")
    if found := difference(there, about):
        raise ValueError(f"store = {str(where)!r} holds another ensemble: {found}. Use another path")
    lock = Lock(where)
    try:
        return Store(where, group, task.kinds, lock)
    except BaseException:
        lock.release()
        raise


def _is_occupied(path: Path) -> bool:
    return path.exists() and (not path.is_dir() or any(path.iterdir()))


def load(path: Path) -> EnsembleResult:
    """Read the results in a store; a function is restored as its name only."""
    group, about = _existing(path, "r")
    try:
        source = (
            _Named(about["machine"])
            if about["kind"] == "function"
            else _MACHINES[about["kind"]].from_dict(about["machine"])
        )
        measures = tuple(m if isinstance(m, str) else _Named(m) for m in about["measure"])
        given = {
            name: group[f"parameter_{k}"][:].reshape([-1] if stored["length"] else ())
            for k, (name, stored) in enumerate(about["parameters"].items())
        }
        options = about["options"]
        if looked_for := options.get("events"):
            several = looked_for if isinstance(looked_for, list) else [looked_for]
            options = options | {"events": [Crossing(**one) for one in several]}
        task = Task(source, tuple(given), measures, about["t_end"], options)
        shape = tuple(about["design"]["shape"])
        design = Design(about["design"]["kind"], given, shape, about["design"]["seed"])
        if group["status"].shape != (design.points,) or any(
            group[m].shape != (design.points,) for m in task.kinds
        ):
            raise ValueError("its arrays do not have one entry for each point")
        return EnsembleResult(task, design, Store(path, group, task.kinds), about["stickslip"])
    except Exception as error:  # of whatever library has tried to read it
        raise ValueError(f"{path} is damaged: {type(error).__name__}: {error}") from error


class _Named:
    """A function of which only the name is known."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.__qualname__ = str(description["function"])
        self.__name__ = self.__qualname__.rpartition(".")[2]

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise ValueError(
            f"the store contains only the name of {self.__qualname__}: repeat the call of ensemble() that made the result"
        )


def _create(path: Path, about: dict[str, Any], kinds: Kinds, design: Design) -> None:
    group = _zarr().open_group(str(path), mode="w")
    make = getattr(group, "create_array", None) or group.create_dataset  # of Zarr 3, of Zarr 2
    part = int(np.clip(design.points // 32, 1024, 65_536))

    def column(name: str, kind: Any, fill: Any, *more: int) -> None:
        make(name, shape=(design.points, *more), chunks=(part, *more), dtype=kind, fill_value=fill)

    for name, kind in kinds.items():
        column(name, kind, NOTHING[kind])
    column("message", np.uint8, 0, MESSAGE)
    column("status", np.int8, INTERRUPTED)
    for k, values in enumerate(design.given.values()):
        shown = np.atleast_1d(values)
        make(f"parameter_{k}", shape=shown.shape, chunks=(min(shown.size, 65_536),), dtype=np.float64)[:] = (
            shown
        )
    group.attrs["status_words"] = [str(word) for word in CODES]
    group.attrs["ensemble"] = about
    group.attrs["format"] = FORMAT


def _existing(path: Path, mode: str) -> tuple[Any, dict[str, Any]]:
    """The group of a store, and its description."""
    zarr = _zarr()
    try:
        group = zarr.open_group(str(path), mode=mode)
        form, about = group.attrs["format"], dict(group.attrs["ensemble"])
        version = about["stickslip"]
    except Exception as error:  # of whatever library has tried to read it
        raise ValueError(
            f"{str(path)!r} is not a store of an ensemble, or is damaged: {type(error).__name__}: {error}. "
            "Use another path"
        ) from error
    if form != FORMAT:
        raise ValueError(
            f"{str(path)!r} was made by another version of stickslip, {version}: its format is {form!r}, "
            f"this version reads format {FORMAT}"
        )
    return group, about
