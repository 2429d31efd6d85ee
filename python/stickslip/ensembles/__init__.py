"""ensemble(): many runs of a machine, in threads, in processes, on a cluster."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import reject
from stickslip._progress import bar
from stickslip.ensembles.design import Design, design_of
from stickslip.ensembles.memory import Memory, Table
from stickslip.ensembles.result import EnsembleResult
from stickslip.ensembles.spread import INTERRUPTED, Range, Spread, WorkerError
from stickslip.ensembles.store import open_store
from stickslip.ensembles.task import OPTIONS, Block, Measure, Task
from stickslip.ensembles.workers import cores, workers_for
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run._options import time_span
from stickslip.run.crossings import crossings_of

__all__ = ["EnsembleResult", "WorkerError", "ensemble"]

LARGE = 10_000_000  # points above which allow_large is required


def ensemble(
    machine: Machine | Callable[..., Any] | Any,
    parameters: Mapping[str, ArrayLike],
    t_end: float | tuple[float, float],
    measure: Sequence[Measure] = ("events.count",),
    design: Any = "grid",
    *,
    executor: Any = None,
    progress: bool | None = None,
    store: str | PathLike[str] | None = None,
    allow_large: bool = False,
    samples: int = 1024,
    workers: int | None = None,
    **options: Any,
) -> EnsembleResult:
    """Run a machine many times with varied parameters, on all cores or on a cluster.

    A machine is compiled once, and each run replaces parameters in it; runs are compiled code in threads. A function
    that builds a machine is called for each run, in processes. Only the measures of a run are kept, so that many long
    runs need little memory. Results are bitwise the same for any executor and number of workers.

    Parameters
    ----------
    machine : Machine or StateSpace or callable
        The machine, an object with a machine as ``.machine``, or a function that takes the parameters by name and
        returns a machine. Machines that hold Python functions are refused, as threads cannot share them: pass a
        function that builds the machine (or tabulate a law by ``ss.Table.sample``).
    parameters : mapping of str to array_like
        Parameters to vary: name -> value or sequence of values. The names are the arguments of a function; for a machine

        * ``"<state>"``, such as ``"block.velocity"``: its initial value;
        * ``"<element>.surface_velocity"``, ``"<element>.normal_load"``, ``"<contact>.gap"``,
          ``"<controller>.reference"``, ``"<coordinate>.force"`` or ``"<input>.signal"`` (if one signal acts there): a
          constant signal. With the suffix ``_scale``, such as ``"slide.force_scale"``, a factor on any signal;
        * ``"<element>.law.static"``, ``.kinetic``, ``.stribeck_velocity``, ``.viscous`` and so on: a parameter of its
          law, by its name in the law; where several terms of a sum have this name, ``"<element>.law.0.viscous"``. A law
          with one level has one parameter under both names (see `stickslip.laws`); a law with two levels keeps
          ``kinetic`` where only ``static`` varies. Options of `StickSlip`, where not zero, are ``.memory``,
          ``.dead_time``, ``.dwell``, ``.travel``, ``.surface_damping`` and ``.load_factor``. The law of a contact has
          names such as ``"<contact>.friction.static"``;
        * ``"<contact>.restitution"``;
        * ``"<controller>.control.kp"`` and so on: a parameter of a controller, also ``.limits.min``,
          ``.limits.max``, ``.period``;
        * ``"<coordinate>.mass"``, ``.damping``, ``.stiffness``, and ``"stiffness[a,b]"`` together with ``[b,a]`` if
          both are equal; for a `StateSpace` ``"A[x0,x1]"``, and so on for B, C and D.

        `Machine.parameters` lists them. Constant signals and initial values vary at no cost; for other parameters the
        machine is recompiled for each run.
    t_end : float or (float, float)
        End of each run, s, or start and end.
    measure : sequence of str or callable, default ("events.count",)
        Measures of each run:

        * ``"events.count"``, ``"events.first"``, ``"events.last"`` (times, s; NaN where there is none), also
          of one element: ``"belt.events.count"``;
        * the same for a `Crossing` among ``events``, by its name: ``"half.events.first"``, ``.last`` and ``.count``.
          The measures above count events of the machine only; a `terminal` crossing ends the run for all measures;
        * ``"<state>.max"``, ``.min`` (of the exact curve, not of samples), ``.mean``, ``.final``;
        * ``"<element>.stick_time"``, s;
        * ``"energy.residual"``: worst error of the energy balance, relative to all work done;
        * ``"steps"``;
        * a function that takes the run (`Trajectory`) and returns a number; the measure has its name. For functions the
          complete run is kept, separately from the run for the names above.
    design : {"grid", "zip"} or sampler of scipy.stats.qmc
        ``"grid"``: all combinations, the first parameter along the first axis. ``"zip"``: lists of one length, taken
        together. A sampler such as ``qmc.Sobol(d=2, rng=1)`` draws `samples` points; each parameter is then given as
        (low, high). With more values, each interval between neighbours gets an equal share of the points. The sampler
        is not modified, so that the same call draws the same points.
    executor : optional
        Executor of the runs: one of ``concurrent.futures`` or ``mpi4py.futures``, or a ``dask.distributed.Client``; by
        default threads for a machine, processes for a function. Work is sent in chunks of about 0.25 s.
    progress : bool, optional
        Show a progress bar (tqdm, extra ``data``); by default at a terminal and in notebooks, after a second.
    store : path, optional
        Folder of a Zarr store (extra ``data``) for the results. The same call resumes an interrupted one; a store made
        by a different call, or in use by another process, is refused.
    allow_large : bool, default False
        Without it more than 1e7 points are refused, with an estimate of time and memory.
    samples : int, default 1024
        Number of points that a sampler draws.
    workers : int, optional
        Number of threads or processes without an `executor`; as many as there are cores by default.
    **options
        Options of `simulate` for each run: ``t_start``, ``initial``, ``rtol``, ``atol``, ``method``, ``max_step``,
        ``max_events``, ``max_time``, ``rebound_threshold``, ``events`` (complete runs are then kept, one at a time);
        for functions of a run also ``dt`` and ``t_eval``.

    Returns
    -------
    EnsembleResult
        Arrays by the name of the measure, with `status` and `messages`. A run that fails has its status and message
        there and raises no exception.

    Raises
    ------
    ValueError
        Naming the argument or the parameter, its value and what is allowed.
    KeyboardInterrupt
        After Ctrl-C and a warning, so that a loop around the call ends as well. Its attribute ``partial`` is the result
        so far, with the status ``"interrupted"`` for missing runs; in a notebook ``sys.last_value.partial``.
    PicklingError
        If the task cannot be pickled for a worker in another process.
    WorkerError
        If a worker lacks a dependency, such as this package.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> v = np.array([0.1, 0.2, 0.4])
    >>> varied = {"belt.surface_velocity": v, "block.velocity": v}
    >>> out = ss.ensemble(m, varied, t_end=200.0, measure=["events.count", "events.first"], design="zip")
    >>> out["events.count"], out["events.first"].round(9)
    (array([77, 87, 89]), array([5.  , 2.5 , 1.25]))

    When each slide has gone half a metre, where its run ends:

    >>> slide = ss.Machine(mass=1.0, names=["slide"], force={"slide": 1.0})
    >>> half = ss.Crossing("slide.position", level=0.5, terminal=True, name="half")
    >>> out = ss.ensemble(slide, {"slide.force": [1.0, 4.0]}, t_end=9.0, events=half,
    ...     measure=["half.events.first", "slide.velocity.final"])
    >>> out["half.events.first"].round(12), out["slide.velocity.final"].round(12)
    (array([1. , 0.5]), array([1., 2.]))
    """
    task = _task(
        machine,
        tuple(map(str, parameters)) if isinstance(parameters, Mapping) else (),
        t_end,
        measure,
        options,
    )
    points = design_of(parameters, design, samples)
    if workers is not None and not (isinstance(workers, (int, np.integer)) and workers >= 1):
        reject("workers", workers, "an integer >= 1, or None")
    task.check()
    if points.points > LARGE and not allow_large:
        raise ValueError(_too_large(task, points, workers))
    table, todo = _table(task, points, store)
    left = sum(last - first for first, last in todo)
    result = EnsembleResult(task, points, table)
    why = None
    try:
        if left:
            begin = workers_for(task, executor, None if workers is None else int(workers))
            with bar(points.points, "run", progress, points.points - left) as shown:

                def keep(first: int, block: Block) -> None:
                    table.write(first, block)
                    shown.update(block.status.size)

                why = Spread(begin, points.values, keep, len(task.measures)).run(todo)
    finally:
        table.close()
    if why is not None:
        text = f"ensemble: {why}; {result._counts()} of {points.points} points"
        stopped = why == INTERRUPTED
        kept = "; the result so far is the attribute 'partial' of the KeyboardInterrupt" if stopped else ""
        warnings.warn(text + kept, RuntimeWarning, stacklevel=2)
        if stopped:
            interrupt = KeyboardInterrupt(text)
            interrupt.partial = result  # type: ignore[attr-defined]
            raise interrupt
    return result


def _task(
    machine: Any,
    names: tuple[str, ...],
    t_end: float | tuple[float, float],
    measure: Any,
    options: dict[str, Any],
) -> Task:
    source = machine if isinstance(machine, type) else getattr(machine, "machine", machine)
    if isinstance(source, (Machine, StateSpace)):
        source = source._snapshot()
    elif not callable(source):
        reject(
            "machine",
            machine,
            "a stickslip.Machine or StateSpace, hold one as .machine, or be a function that builds one",
        )
    if isinstance(measure, str) or not isinstance(measure, Sequence) or not measure:
        reject("measure", measure, "a sequence of names and functions")
    measures = tuple(dict.fromkeys(measure))
    for one in measures:
        if not isinstance(one, str) and not (callable(one) and hasattr(one, "__name__")):
            reject("measure", one, "a name, or a function that has a name")
    crossings_of(options.get("events", ()))
    start, end = time_span(t_end, options.get("t_start", OPTIONS["t_start"]))
    if np.ndim(t_end):
        options = {**options, "t_start": start}
    task = Task(source, names, measures, end, options)
    labels = [*names, *task.kinds]
    if len(task.kinds) < len(measures) or {"status", "message"} & {*labels} or len({*labels}) < len(labels):
        reject(
            "measure",
            [*task.kinds],
            "names that are all different, also from parameters, 'status' and 'message'",
        )
    for name in options:
        if name not in OPTIONS:
            known = ", ".join(map(repr, ["executor", "progress", "store", "samples", "workers", *OPTIONS]))
            raise TypeError(f"ensemble() has no option {name!r}; known are: {known}")
    return task


def _table(task: Task, points: Design, store: str | PathLike[str] | None) -> tuple[Table, list[Range]]:
    """Return the table of results, and the points to compute."""
    if store is None:
        return Memory(task.kinds, points.points), [(0, points.points)]
    kept = open_store(store, task, points)
    return kept, kept.todo


def _too_large(task: Task, points: Design, workers: int | None) -> str:
    """Estimate time and memory of a number of points."""
    end = time.monotonic() + 1.0
    block = task.run(points.values(0, 1), lambda: time.monotonic() > end)
    hours = block.seconds * points.points / (workers or cores()) / 3600.0
    memory = points.points * (8 * len(task.kinds) + 1) / 1e9
    return (
        f"parameters make {points.points:.3g} points: about {hours:.3g} h on {workers or cores()} cores, "
        f"by the time of the first, and {memory:.3g} GB of results. Use fewer points, "
        "such as those of a sampler, design='zip' to take lists of one length together, or set allow_large=True"
    )
