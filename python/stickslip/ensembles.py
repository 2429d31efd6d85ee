"""ensemble(): many runs of one machine on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import array, number, reject
from stickslip._options import engine_options
from stickslip.errors import UnknownNameError
from stickslip.machine import Machine
from stickslip.simulation import _initial
from stickslip.state_space import StateSpace
from stickslip.trajectory import Status

__all__ = ["EnsembleResult", "ensemble"]

_STATUS = tuple(Status)
_COUNTS = ("events.count", "steps")


class EnsembleResult(Mapping[str, NDArray[Any]]):
    """What an ensemble measured: a mapping of measures to arrays, as returned by `ensemble`.

    Attributes
    ----------
    parameters : dict of str to ndarray
        What was varied, each of the shape of the results.
    shape : tuple of int
        Shape of every result: what the parameters broadcast to.
    status : ndarray of str
        How each run ended: see `Status`.
    success : ndarray of bool
        Where runs reached their end.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 0.5})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(0.2))
    >>> out = ss.ensemble(m, {"slide.force": [0.1, 0.3, 0.4]}, t_end=2.0, measure=["slide.position.final"])
    >>> out["slide.position.final"].round(9)
    array([0. , 0.2, 0.4])
    """

    def __init__(
        self,
        parameters: dict[str, NDArray[np.float64]],
        measures: dict[str, NDArray[Any]],
        status: NDArray[np.int8],
        axes: list[str],
    ) -> None:
        self.parameters = parameters
        self._measures = measures
        self._codes = status
        self._axes = axes

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of every result."""
        return self._codes.shape

    @property
    def status(self) -> NDArray[np.str_]:
        """How each run ended."""
        names: NDArray[np.str_] = np.array([s.value for s in _STATUS])[self._codes]
        return names

    @property
    def success(self) -> NDArray[np.bool_]:
        """Where runs reached their end."""
        reached: NDArray[np.bool_] = self._codes == _STATUS.index(Status.FINISHED)
        return reached

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._measures[name]
        except KeyError:
            known = ", ".join(map(repr, self._measures))
            raise UnknownNameError(f"{name!r} was not measured; known are: {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __repr__(self) -> str:
        return (
            f"EnsembleResult({list(self._measures)} over {list(self.parameters)}, shape {self.shape}, "
            f"{int(self.success.sum())} of {self._codes.size} finished)"
        )

    def to_xarray(self) -> Any:
        """All measures as an xarray Dataset with the parameters as coordinates (needs the extra ``data``)."""
        try:
            import xarray as xr
        except ImportError as error:
            raise ImportError('to_xarray() needs xarray: pip install "stickslip[data]"') from error
        data = {name: (self._axes, values) for name, values in self._measures.items()}
        data["status"] = (self._axes, self.status)
        coords: dict[str, Any] = {}
        for name, values in self.parameters.items():
            if name in self._axes:
                axis = self._axes.index(name)
                coords[name] = (name, np.moveaxis(values, axis, 0).reshape(values.shape[axis], -1)[:, 0])
            else:
                coords[name] = (self._axes, values)
        return xr.Dataset(data, coords=coords)


def ensemble(
    machine: Machine | Any,
    parameters: Mapping[str, ArrayLike],
    t_end: float,
    measure: Sequence[str] = ("events.count",),
    *,
    t_start: float = 0.0,
    initial: Mapping[str, ArrayLike] | ArrayLike | None = None,
    rtol: float = 1e-8,
    atol: float | ArrayLike | None = None,
    method: Literal["auto", "exact", "explicit", "stiff"] = "auto",
    max_step: float = np.inf,
    max_events: int = 10_000_000,
    max_time: float = np.inf,
    workers: int | None = None,
) -> EnsembleResult:
    """Run a machine many times with other parameters, on all cores.

    The machine is described once; each run replaces numbers in it. Nothing is kept of a run but its measures,
    so long runs and many of them need little memory. Results have the same bits for any number of workers.
    Ctrl-C ends it.

    Parameters
    ----------
    machine : Machine or StateSpace
        What to run, or anything that has one as ``.machine``. Functions in Python are refused: threads cannot
        share them (``ss.Table.sample`` makes a table of a law).
    parameters : mapping of str to array_like
        What to vary. The arrays are broadcast together: vectors of one length are varied together, and
        ``{"a": a[:, None], "b": b[None, :]}`` is a grid. Names are

        * ``"<state>"``, such as ``"block.velocity"``: its initial value;
        * ``"<element>.surface_velocity"``, ``"<element>.normal_load"``, ``"<contact>.gap"``,
          ``"<controller>.reference"``, ``"<coordinate>.force"`` or ``"<input>.signal"`` (the one that acts there
          alone): a signal that is constant. With ``_scale`` behind it, such as ``"slide.force_scale"``, a
          factor on any signal;
        * ``"<element>.law.static"``, ``.kinetic``, ``.stribeck_velocity``, ``.viscous`` and so on: a parameter
          of its law, by the name it has in the law; where several terms of a sum have it,
          ``"<element>.law.0.viscous"``. Note that ``kinetic`` keeps its value where only ``static`` is varied.
          Options of `StickSlip` that are not zero are ``.memory``, ``.dead_time``, ``.dwell``, ``.travel``,
          ``.surface_damping`` and ``.load_factor``. Of a contact it is ``"<contact>.friction.static"``;
        * ``"<contact>.restitution"``;
        * ``"<controller>.control.kp"`` and so on: a parameter of a controller, also ``.limits.min``,
          ``.limits.max``, ``.period``;
        * ``"<coordinate>.mass"``, ``.damping``, ``.stiffness``, and ``"stiffness[a,b]"`` with its mirror image if
          that is the same; of a `StateSpace` ``"A[x0,x1]"``, and so on for B, C and D.

        `Machine.parameters` lists them.

        Signals that are constant and initial values cost nothing; all else has the machine compiled anew
        for each run.
    t_end : float
        End of each run, s.
    measure : sequence of str, default ("events.count",)
        What to keep of each run:

        * ``"events.count"``, ``"events.first"``, ``"events.last"`` (times, s; NaN where there is none), also
          of one element: ``"belt.events.count"``;
        * ``"<state>.max"``, ``.min`` (of the exact curve, not of samples), ``.mean``, ``.final``;
        * ``"<element>.stick_time"``, s;
        * ``"energy.residual"``: worst error of the energy balance, relative to all work done;
        * ``"steps"``.
    t_start : float, default 0.0
        Start of each run, s.
    initial : mapping or array_like, optional
        Initial values as for `simulate`. Values of a mapping may be arrays: these are parameters like the
        others.
    rtol, atol, method, max_step, max_events, max_time
        As for `simulate`, for each run.
    workers : int, optional
        Number of threads; as many as there are cores by default.

    Returns
    -------
    EnsembleResult
        Arrays by the name of the measure.

    Raises
    ------
    ValueError
        Naming the argument or the parameter, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> v = np.array([0.1, 0.2, 0.4])
    >>> varied = {"belt.surface_velocity": v, "block.velocity": v}
    >>> out = ss.ensemble(m, varied, t_end=200.0, measure=["events.count", "events.first"])
    >>> out["events.count"], out["events.first"].round(9)
    (array([77, 87, 89]), array([5.  , 2.5 , 1.25]))
    """
    described = machine
    machine = getattr(machine, "machine", machine)
    if not isinstance(machine, (Machine, StateSpace)):
        reject("machine", described, "a stickslip.Machine or StateSpace, or hold one as .machine")
    if not isinstance(parameters, Mapping):
        reject("parameters", parameters, "a mapping of names to arrays")
    if isinstance(measure, str) or not all(isinstance(m, str) for m in measure):
        reject("measure", measure, "a sequence of names")
    if workers is not None and not (isinstance(workers, (int, np.integer)) and workers >= 1):
        reject("workers", workers, "an integer >= 1, or None")
    names = machine.compile().states
    given = {str(k): array(f"parameters[{k!r}]", v) for k, v in parameters.items()}
    scalars: Any = initial
    if isinstance(initial, Mapping):
        for key in [k for k, v in initial.items() if np.ndim(v) > 0]:
            if key in given:
                raise ValueError(f"initial[{key!r}] is given in parameters as well")
            if key not in names:
                raise UnknownNameError(
                    f"unknown state {key!r} in initial; known are: {', '.join(map(repr, names))}"
                )
            given[key] = array(f"initial[{key!r}]", initial[key])
        scalars = {k: v for k, v in initial.items() if k not in given}
    if not given:
        raise ValueError("parameters is empty: name at least one")
    try:
        arrays = np.broadcast_arrays(*given.values())
    except ValueError:
        shapes = ", ".join(f"{k!r}: {v.shape}" for k, v in given.items())
        raise ValueError(f"parameters have shapes that do not fit each other: {shapes}") from None
    shape = arrays[0].shape
    values = np.array([a.reshape(-1) for a in arrays], dtype=np.float64)
    measures = list(dict.fromkeys(measure))
    options = engine_options(
        len(names),
        t_end=number("t_end", t_end),
        rtol=rtol,
        atol=atol,
        method=method,
        max_step=max_step,
        max_events=max_events,
        max_time=max_time,
    )
    out, status = _core.ensemble.run_ensemble(
        machine._description,
        number("t_start", t_start),
        _initial(names, scalars),
        options,
        list(given),
        values,
        measures,
        0 if workers is None else int(workers),
    )
    columns = {m: np.ascontiguousarray(out[:, i]).reshape(shape) for i, m in enumerate(measures)}
    for m in measures:
        if m.endswith(_COUNTS):
            columns[m] = columns[m].astype(np.int64)
    broadcast = dict(zip(given, (np.array(a) for a in arrays), strict=True))
    return EnsembleResult(broadcast, columns, status.reshape(shape), _axes(given, shape))


def _axes(given: Mapping[str, NDArray[np.float64]], shape: tuple[int, ...]) -> list[str]:
    """A name for every axis: of the parameter that alone varies along it, else "run" or "axis<k>"."""
    axes: list[str] = []
    for k, size in enumerate(shape):
        along = []
        for name, values in given.items():
            own = (1,) * (len(shape) - values.ndim) + values.shape
            if own[k] == size and all(n == 1 for i, n in enumerate(own) if i != k):
                along.append(name)
        others = [n for n, v in given.items() if ((1,) * (len(shape) - v.ndim) + v.shape)[k] > 1]
        if len(along) == 1 and others in ([], along):
            axes.append(along[0])
        else:
            axes.append("run" if len(shape) == 1 else f"axis{k}")
    return axes
