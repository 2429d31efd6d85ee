"""Workers of an ensemble: its own threads or processes, or the user's executor.

The ensemble submits chunks and waits for their futures; there is no scheduler.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from stickslip._checks import reject
from stickslip.ensembles.task import Array, Block, Task, pack, run_packed


class Workers:
    """Interface of workers."""

    def submit(self, values: Array) -> Any:
        """Submit a chunk; return its future."""
        raise NotImplementedError

    def count(self) -> int:
        """Number of chunks that can run at a time."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Ask running chunks to return their results so far."""

    def renew(self) -> bool:
        """Replace a worker that died; True if workers are available."""
        return False

    def close(self) -> None:
        """Stop the threads or processes that this object started."""


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Threads(Workers):
    """Threads of this process: the compiled ensemble lets go of the interpreter."""

    def __init__(self, task: Task, count: int, pool: Executor | None = None) -> None:
        self._task, self._count, self._stop = task, count, threading.Event()
        self._own = pool is None
        self._pool = pool or ThreadPoolExecutor(count, thread_name_prefix="stickslip")

    def submit(self, values: Array) -> Any:
        return self._pool.submit(self._task.run, values, self._stop.is_set)

    def count(self) -> int:
        return self._count

    def interrupt(self) -> None:
        self._stop.set()

    def close(self) -> None:
        if self._own:
            self._pool.shutdown(wait=not self._stop.is_set(), cancel_futures=True)


class _Processes(Workers):
    """Processes of our own, for functions that build machines."""

    def __init__(self, task: Task, count: int) -> None:
        self._packed, self._count = pack(task), count
        self._pool = ProcessPoolExecutor(count, initializer=_begin)

    def submit(self, values: Array) -> Any:
        return self._pool.submit(_interruptible, self._packed, values)

    def count(self) -> int:
        return self._count

    def interrupt(self) -> None:
        if os.name == "posix":
            for process in self._processes():
                with suppress(OSError):
                    os.kill(process.pid, signal.SIGINT)

    def renew(self) -> bool:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = ProcessPoolExecutor(self._count, initializer=_begin)
        return True

    def close(self) -> None:
        processes = self._processes()
        self._pool.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + 0.05
        for process in processes:
            process.join(max(0.0, end - time.monotonic()))
            process.terminate()

    def _processes(self) -> list[Any]:
        return list((self._pool._processes or {}).values())


def _begin() -> None:
    """A worker at rest takes no notice of Ctrl-C, which a terminal sends to all processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interruptible(packed: bytes, values: Array) -> Block:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return run_packed(packed, values)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Foreign(Workers):
    """The user's executor, from concurrent.futures or mpi4py.futures, or a client of dask.distributed."""

    def __init__(self, task: Task, executor: Any) -> None:
        self._packed, self._executor = pack(task), executor
        self._known, self._asked = 0, -math.inf
        # Dask takes equal calls for one.
        self._more = {"pure": False} if hasattr(executor, "scheduler_info") else {}

    def submit(self, values: Array) -> Any:
        return self._executor.submit(pickle.loads, pickle.dumps(_Call(self._packed, values)), **self._more)

    def count(self) -> int:
        # A cluster grows and shrinks while it works.
        if time.monotonic() > self._asked + 2.0:
            self._known, self._asked = _workers_of(self._executor), time.monotonic()
        return self._known


class _Call:
    """A call that is made where it is unpickled.

    A worker without this package fails so in its task, which is reported; in the transport it would not be, and dask
    would wait for ever.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return run_packed, self._arguments


def _workers_of(executor: Any) -> int:
    if hasattr(executor, "nthreads"):
        return max(1, int(sum(executor.nthreads().values())))
    for name in ("num_workers", "_max_workers"):
        if isinstance(count := getattr(executor, name, None), int):
            return max(1, count)
    return cores()


def workers_for(task: Task, executor: Any, count: int | None) -> Workers:
    """Choose the workers for a task."""
    if count is not None and executor is not None:
        raise ValueError("workers and executor exclude each other: an executor has its own")
    if executor is None:
        make: Callable[[Task, int], Workers] = _Processes if task.builds else _Threads
        return make(task, cores() if count is None else count)
    if isinstance(executor, ThreadPoolExecutor):
        return _Threads(task, _workers_of(executor), executor)
    if not callable(getattr(executor, "submit", None)):
        reject(
            "executor",
            executor,
            "an executor of concurrent.futures or mpi4py.futures, or a dask.distributed.Client",
        )
    return _Foreign(task, executor)
