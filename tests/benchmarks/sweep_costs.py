"""P6: what a sweep costs beside the compiled ensemble: through its grid, dask and a store, and per chunk.

Ratios, so that they can be read on a busy machine; processor time where nothing else is said.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import stickslip as ss
from stickslip.ensembles import task
from stickslip.ensembles.workers import workers_for

from .block_on_belt import machine
from .sweep import cores

MEASURE = ["events.count", "events.last"]
NAMES = ("belt.surface_velocity", "block.velocity")


def build(speed: float) -> ss.Machine:
    """The machine of the belt, built by a function."""
    m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=speed)
    return m


def seconds(call: Callable[[], Any], clock: Callable[[], float], repeat: int) -> float:
    """The least time of a call: what else the machine does is not counted."""
    taken = []
    for _ in range(repeat):
        begin = clock()
        call()
        taken.append(clock() - begin)
    return min(taken)


def notes(quick: bool) -> list[str]:
    """Return the lines of P6."""
    count, built, repeat = (400, 60, 1) if quick else (100_000, 10_000, 5)
    speeds = np.geomspace(0.01, 1.0, count)
    varied = dict.fromkeys(NAMES, speeds)
    bare = task.Task(machine(), NAMES, tuple(MEASURE), 200.0, {})

    def sweep(**options: Any) -> ss.EnsembleResult:
        return ss.ensemble(machine(), varied, 200.0, MEASURE, "zip", progress=False, **options)

    def compiled() -> Any:
        return bare._compiled(bare.source, NAMES, np.array([speeds, speeds]), None, workers=cores())

    cost = seconds(compiled, time.process_time, repeat)
    whole = seconds(sweep, time.process_time, repeat)
    wall = seconds(sweep, time.perf_counter, repeat) / seconds(compiled, time.perf_counter, repeat)
    lines = [
        f"P6: `ss.ensemble` with {count} belt runs takes {whole / cost:.2f} times the processor time of the compiled loop, "
        f"{wall:.2f} times its wall-clock time"
    ]
    if importlib.util.find_spec("zarr") is not None:
        lines.append(f"P6: a store multiplies its processor time by {stored(sweep, repeat) / whole:.2f}")
    with ProcessPoolExecutor(1) as pool:
        chunk = chunks(pool, 20 if quick else 500)
    lines.append(f"P6: a chunk of one point costs {1e3 * chunk:.2f} ms in a worker process")
    one, two = (
        seconds(
            lambda w=w: ss.ensemble(build, {"speed": speeds[:built]}, 200.0, workers=w),
            time.perf_counter,
            min(repeat, 3),
        )
        for w in (1, 2)
    )
    lines.append(
        f"P6: two processes simulate {built} machines built by a function {one / two:.2f} times as fast as one"
    )
    if not quick and importlib.util.find_spec("distributed") is not None:
        lines += through_dask(sweep, cost)
    return lines


def stored(sweep: Callable[..., Any], repeat: int) -> float:
    """Processor time of a sweep that goes to a new store."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = iter(range(repeat))
        return seconds(lambda: sweep(store=Path(folder) / str(next(fresh))), time.process_time, repeat)


def chunks(executor: Any, count: int) -> float:
    """Time of a chunk of one point that takes none, while others wait behind it."""
    workers = workers_for(task.Task(machine(), NAMES, ("steps",), 1e-3, {}), executor, None)
    workers.submit(np.full((2, 1), 0.1)).result()
    begin = time.perf_counter()
    for future in [workers.submit(np.full((2, 1), 0.1)) for _ in range(count)]:
        future.result()
    return (time.perf_counter() - begin) / count


def through_dask(sweep: Callable[..., Any], cost: float) -> list[str]:
    """Processor time of two workers, all that they do counted."""
    from distributed import Client, LocalCluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            sweep(executor=client)  # imports
            chunk = chunks(client, 100)
            used = seconds(
                lambda: sweep(executor=client), lambda: sum(client.run(time.process_time).values()), repeat=3
            )
    return [
        f"P6: two dask workers take {used / cost:.2f} times the processor time of the compiled loop",
        f"P6: a chunk of one point costs {1e3 * chunk:.2f} ms through dask",
    ]
