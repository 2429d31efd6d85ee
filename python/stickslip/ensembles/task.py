"""Task of an ensemble: the computation at each point, in this or another process."""

from __future__ import annotations

import functools
import inspect
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import number, reject
from stickslip._core import __version__
from stickslip.errors import UnknownNameError
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run._options import engine_options
from stickslip.run.crossings import Crossing, crossings_of
from stickslip.run.simulation import _initial, _with_numbers, simulate
from stickslip.run.trajectory import Status, Trajectory

Array = NDArray[np.float64]
Measure = str | Callable[[Trajectory], float]

CODES = tuple(Status)
FAILED, INTERRUPTED = CODES.index(Status.FAILED), CODES.index(Status.INTERRUPTED)

# Options of `simulate` with their defaults; those that only say how a run is sampled do not reach the engine.
OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in inspect.signature(simulate).parameters.items()
    if name not in ("machine", "t_end", "state", "keep", "sensitivities")
}
_COUNTS = ("events.count", "steps")
_AT_CROSSINGS = {"count": 0, "first": 0, "last": -1}  # and which of them the two times are
_NOT_OF_THE_ENGINE = ("t_start", "initial", "dt", "t_eval", "events")


class Block(NamedTuple):
    """Results of a range of points.

    Attributes
    ----------
    values : ndarray, shape (n_points, n_measures)
        Measures; NaN where there is none.
    status : ndarray of int8, shape (n_points,)
        Indices into `CODES`.
    messages : dict of int to str
        Messages of points that did not finish, by index in the block.
    seconds : float
        Wall-clock time.
    version : str
        Version of the package that computed it.
    """

    values: Array
    status: NDArray[np.int8]
    messages: dict[int, str]
    seconds: float = 0.0
    version: str = __version__


@dataclass(frozen=True, eq=False)
class Task:
    """Computation at the parameters of a point: a machine to vary, or a function that builds one.

    Attributes
    ----------
    source : Machine or StateSpace or callable
        The machine, or the function.
    names : tuple of str
        The parameters.
    measures : tuple of str or callable
        The measures.
    t_end : float
        End of each run, s.
    options : dict
        Options of `simulate`.
    """

    source: Any
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    t_end: float
    options: dict[str, Any]

    @property
    def builds(self) -> bool:
        """True if a function builds the machine for each point."""
        return not isinstance(self.source, (Machine, StateSpace))

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """Crossings located in each run."""
        return tuple(crossings_of(self.options.get("events", ())))

    @property
    def named(self) -> list[str]:
        """Measures computed by the compiled ensemble."""
        return [m for m in self.measures if isinstance(m, str) and not self._of_crossings(m)]

    def _of_crossings(self, measure: str) -> bool:
        label, dot, what = measure.rpartition(".events.")
        return bool(dot) and what in _AT_CROSSINGS and any(label == one.label for one in self.crossings)

    @property
    def kinds(self) -> dict[str, type[np.generic]]:
        """Names and data types of the measures; counts are integers."""
        return {
            m if isinstance(m, str) else m.__name__: np.int64
            if isinstance(m, str) and m.endswith(_COUNTS)
            else np.float64
            for m in self.measures
        }

    def run(self, values: Array, stop: Callable[[], bool] | None = None) -> Block:
        """Run the points whose parameters are the columns of `values`; points left by Ctrl-C or `stop` are
        ``"interrupted"``.
        """
        begin = time.perf_counter()
        points = values.shape[1]
        out = Block(np.full((points, len(self.measures)), np.nan), np.full(points, INTERRUPTED, np.int8), {})
        try:
            if self.builds or self.crossings or any(callable(m) for m in self.measures):
                for k in range(points):
                    if stop is not None and stop():
                        break
                    self._point(k, values[:, k], out, stop)
            else:
                out.values[:], out.status[:], messages = self._compiled(self.source, self.names, values, stop)
                out.messages.update(messages)
        except KeyboardInterrupt:
            pass
        return out._replace(seconds=time.perf_counter() - begin)

    def trajectory(self, values: Array) -> Trajectory:
        """Return the complete run of one point."""
        machine, options = self._machine(values)
        return simulate(machine, self.t_end, **options)

    def check(self) -> None:
        """Check names and options before the first run."""
        if self.builds:
            _check_function(self.source, self.names)
        else:
            self._compiled(self.source, self.names, np.empty((len(self.names), 0)), None, workers=0)

    def _machine(self, values: Array) -> tuple[Machine | StateSpace, dict[str, Any]]:
        if self.builds:
            given = dict(zip(self.names, values.tolist(), strict=True))
            made = self.source(**given)
            machine = getattr(made, "machine", made)
            if not isinstance(machine, (Machine, StateSpace)):
                reject(f"the result of {_text(self.source)}", made, "a machine, or hold one as .machine")
            return machine._snapshot(), self.options
        machine, given = _with_numbers(self.source, self.names, values, self.options.get("initial"))
        return machine, self.options | {"initial": given}

    def _point(self, k: int, values: Array, out: Block, stop: Callable[[], bool] | None) -> None:
        """One point whose machine is built, or whose run a function measures."""
        try:
            machine, options = self._machine(values)
            named = self.named
            seen = [(j, m) for j, m in enumerate(self.measures) if m not in named]
            code, messages, t_end = INTERRUPTED, dict[int, str](), self.t_end
            if self.crossings:  # they may end the run, of which the rest is not to be measured
                run = simulate(machine, t_end, **options)
                code, messages, t_end = _ending(run, t_end)
            if named:
                text = [j for j, m in enumerate(self.measures) if m in named]
                found, status, texts = self._compiled(
                    machine, (), np.empty((0, 1)), stop, options=options, t_end=t_end
                )
                out.values[k, text] = found[0]
                if not self.crossings or status[0] == INTERRUPTED:
                    code, messages = int(status[0]), texts
            if seen and not (named and code == INTERRUPTED):
                if not self.crossings:
                    run = simulate(machine, t_end, **options)
                    code, messages, t_end = _ending(run, t_end)
                for j, measure in seen:
                    value = _at_crossings(run, measure) if isinstance(measure, str) else measure(run)
                    out.values[k, j] = (
                        value
                        if isinstance(measure, str)
                        else number(f"the result of {_text(measure)}", value)
                    )
        except Exception as error:
            code, messages = FAILED, {0: f"{type(error).__name__}: {error}"}
        out.status[k] = code
        if messages:
            out.messages[k] = messages[0]

    def _compiled(
        self,
        machine: Machine | StateSpace,
        names: Sequence[str],
        values: Array,
        stop: Callable[[], bool] | None,
        workers: int = 1,
        options: Mapping[str, Any] | None = None,
        t_end: float | None = None,
    ) -> tuple[Array, NDArray[np.int8], dict[int, str]]:
        """The compiled ensemble for the measures that it knows."""
        o = OPTIONS | dict(self.options if options is None else options)
        compiled = machine.compile()
        settings = {name: value for name, value in o.items() if name not in _NOT_OF_THE_ENGINE}
        return _core.ensemble.run_ensemble(
            machine._description,
            number("t_start", o["t_start"]),
            _initial(compiled, o["initial"]),
            engine_options(len(compiled.states), t_end=self.t_end if t_end is None else t_end, **settings),
            list(names),
            values,
            self.named,
            workers,
            stop,
        )


def _ending(run: Trajectory, t_end: float) -> tuple[int, dict[int, str], float]:
    """Return status, message and end time of a run."""
    stopped = run.status == Status.STOPPED
    texts = {} if run.success and not stopped else {0: run.message}
    return CODES.index(run.status), texts, run.state.t if stopped else t_end


def _at_crossings(run: Trajectory, measure: str) -> float:
    label, _, what = measure.rpartition(".events.")
    times = run.events.of(label).time
    return (
        float(len(times)) if what == "count" else float(times[_AT_CROSSINGS[what]]) if len(times) else np.nan
    )


def _text(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or repr(function))


def _check_function(build: Any, names: Sequence[str]) -> None:
    """True if a function can be called with these names."""
    try:
        known = inspect.signature(build).parameters
    except (TypeError, ValueError):
        return  # of another language: its calls will tell
    if not any(p.kind is p.VAR_KEYWORD for p in known.values()):
        free = [p.name for p in known.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        for name in names:
            if name not in free:
                raise UnknownNameError(
                    f"{_text(build)} has no parameter {name!r}; known are: {', '.join(map(repr, free))}"
                )
    missing = [
        p.name
        for p in known.values()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    if lacking := [name for name in missing if name not in names]:
        raise ValueError(
            f"{_text(build)} needs {', '.join(map(repr, lacking))} as well: put it into parameters, "
            "or bind it with functools.partial"
        )


def pack(task: Task) -> bytes:
    """Return the task as bytes, once for all chunks; functions of a notebook or script need cloudpickle."""
    try:
        import cloudpickle as pickler
    except ImportError:
        pickler = pickle
    try:
        return bytes(pickler.dumps(task))
    except Exception as error:  # whatever an object of the user's raises
        raise pickle.PicklingError(
            f"the task of a worker cannot be pickled: {error}. Define functions at the top of a module, install "
            "cloudpickle (pip install 'stickslip[cluster]'), or take threads: executor=ThreadPoolExecutor()"
        ) from error


@functools.lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> Task:
    task = pickle.loads(packed)
    assert isinstance(task, Task)
    return task


def run_packed(packed: bytes, values: Array) -> Block:
    """Entry point in another process."""
    return _unpacked(packed).run(values)
