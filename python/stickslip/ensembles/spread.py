"""Distribution of the points of an ensemble to workers, in chunks."""

from __future__ import annotations

import math
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from typing import Any

import numpy as np

from stickslip._core import __version__
from stickslip.ensembles.task import FAILED, Array, Block
from stickslip.ensembles.workers import Workers

CHUNK_SECONDS = (
    0.25  # target time of a chunk: long compared with the few ms of sending it, short enough to lose little
)
GROWTH = 8  # of chunks, at most, from one to the next: the first points may have been cheap ones
HOPELESS = 5  # breakdowns of all workers before anything has come back
GUARD = "A script that starts processes must do so below `if __name__ == '__main__':`."
LARGEST = 65_536  # points of a chunk: bounds the memory of results on their way

INTERRUPTED = "interrupted"  # by Ctrl-C: one of the reasons that `Spread.run` returns

Range = tuple[int, int]


class WorkerError(RuntimeError):
    """A worker cannot run its task; the message states the reason."""


class Spread:
    """Distribution of chunks to workers, and collection of their results.

    Parameters
    ----------
    workers : Workers
        The workers.
    values : callable
        Parameters of the points in a range.
    keep : callable
        Function that takes the index of the first point of a chunk and its results.
    width : int
        Number of measures.
    """

    def __init__(
        self,
        workers: Workers,
        values: Callable[[int, int], Array],
        keep: Callable[[int, Block], None],
        width: int,
    ) -> None:
        self._workers, self._values, self._keep, self._width = workers, values, keep, width
        self._pending: dict[Any, Range] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._suspects: deque[Range] = deque()  # one of them has ended its worker
        self._size = 1
        self._breakdowns = 0.0  # of all workers, before the first chunk has come back

    def run(self, todo: Iterable[Range]) -> str | None:
        """Run all ranges; return the reason of an early end, or nothing."""
        try:
            return self._loop(deque(todo))
        except KeyboardInterrupt:
            self._rescue()
            return INTERRUPTED
        finally:
            for future in self._pending:
                future.cancel()
            self._workers.close()

    def _loop(self, rest: deque[Range]) -> str | None:
        left = sum(last - first for first, last in rest)
        while rest or self._suspects or self._pending:
            with _uninterrupted():
                left -= self._send(rest, left)
            try:
                future = self._done.get(timeout=0.1)  # On some systems Ctrl-C does not end a wait.
            except queue.Empty:
                continue
            with _uninterrupted():
                why = self._take(future)
            if why:
                return why
        return None

    def _send(self, rest: deque[Range], left: int) -> int:
        """Submit chunks until all workers have one to do and one in stock; returns how many points these have."""
        sent = 0
        if self._suspects:  # one at a time, so that it is known who ends a worker
            if not self._pending:
                self._submit(self._suspects.popleft())
            return 0
        count = self._workers.count()
        while rest and len(self._pending) < 2 * count:
            first, last = rest.popleft()
            size = min(self._size, LARGEST, max(1, (left - sent) // (2 * count)), last - first)
            if first + size < last:
                rest.appendleft((first + size, last))
            self._submit((first, first + size))
            sent += size
        return sent

    def _submit(self, chunk: Range) -> None:
        values = self._values(*chunk)
        try:
            future = self._workers.submit(values)
        except BrokenExecutor as error:  # broken by an earlier chunk
            future = Future[Block]()
            future.set_exception(error)
        self._pending[future] = chunk
        future.add_done_callback(self._done.put)

    def _take(self, future: Any) -> str | None:
        """Take the results of a chunk; return the reason of an early end, or nothing."""
        chunk = self._pending.pop(future, None)
        if chunk is None:  # lost already with its worker
            return None
        try:
            block = future.result()
        except Exception as error:
            return self._lost(chunk, error)
        if block.version != __version__:
            raise WorkerError(
                f"a worker has stickslip {block.version}, this process {__version__}: install the same version"
            )
        size = chunk[1] - chunk[0]
        self._size = max(1, min(int(CHUNK_SECONDS * size / max(block.seconds, 1e-9)), GROWTH * size))
        self._breakdowns = -math.inf
        self._keep(chunk[0], block)
        return None

    def _lost(self, chunk: Range, error: Exception) -> str | None:
        """A chunk whose worker has died: do it again, alone, and in halves until it is known which point it is."""
        if wrong := _why_not(error):
            raise WorkerError(wrong) from error
        broken = isinstance(error, BrokenExecutor)
        if not broken and type(error).__name__ != "KilledWorker":  # dask has tried it on several workers
            raise error
        lost = [chunk]
        if broken:
            lost = sorted([chunk, *self._pending.values()])
            self._pending.clear()
            self._breakdowns += 1
            if self._breakdowns == HOPELESS:
                raise WorkerError(
                    f"worker processes have ended {HOPELESS} times: {error}. {GUARD}"
                ) from error
            if not self._workers.renew():
                return f"the executor failed: {error}"
        first, last = chunk
        if len(lost) > 1:
            self._suspects.extend(lost)
        elif last - first == 1:
            message = f"its worker ended abruptly: {error}{f' {GUARD}' if self._breakdowns > 0 else ''}"
            self._keep(
                first, Block(np.full((1, self._width), np.nan), np.full(1, FAILED, np.int8), {0: message})
            )
        else:
            self._suspects.extendleft([((first + last) // 2, last), (first, (first + last) // 2)])
        return None

    def _rescue(self) -> None:
        """After Ctrl-C: take the results that come within a moment."""
        self._workers.interrupt()
        for future in self._pending:
            future.cancel()
        end = time.monotonic() + 0.09
        while self._pending and (wait := end - time.monotonic()) > 0.0:
            try:
                future = self._done.get(timeout=wait)
            except queue.Empty:
                return
            chunk = self._pending.pop(future, None)
            if chunk is not None and not future.cancelled() and future.exception() is None:
                self._keep(chunk[0], future.result())


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the end: an exception within ``submit`` can leave a lock of the executor locked for ever."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    caught: list[Any] = []
    signal.signal(signal.SIGINT, lambda *given: caught.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if caught:
        handler(*caught[0])


def _why_not(error: BaseException | None) -> str | None:
    """Return the missing dependency of a worker, if that is the cause of an error."""
    while error is not None:
        if isinstance(error, ImportError):
            name = (error.name or "").partition(".")[0]
            what = f"{name}, the same version as here, {__version__}" if name == "stickslip" else name or "it"
            return f"a worker cannot import {name or 'a module of its task'}: install {what}, in its environment ({error})"
        if isinstance(error, AttributeError) and "Can't get attribute" in str(error):
            return (
                f"a worker cannot find a function: {error}. Define it at the top of a module that workers can import, "
                "or install cloudpickle (pip install 'stickslip[cluster]')"
            )
        error = error.__cause__ or error.__context__
    return None
