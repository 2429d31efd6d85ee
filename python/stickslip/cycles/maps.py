"""Bifurcation diagrams and basins of attraction, from motions of many machines and states at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import array, positive, reject
from stickslip.cycles._family import with_value
from stickslip.cycles._flow import Flow
from stickslip.draw import place
from stickslip.ensembles.workers import cores
from stickslip.errors import unknown_signal
from stickslip.run.simulation import _initial
from stickslip.run.trajectory import Trajectory

__all__ = ["Basins", "BifurcationDiagram", "basins", "bifurcation_diagram"]

Array = NDArray[np.float64]
State = _core.dynamics.State

_TRANSIENT = 200.0  # time constants of the machine, or
_PERIODS = 50  # periods of the excitation, before points are taken
_POINTS = 32  # of each motion
_REFINED = 50  # bisections of the time of a maximum
_LOOKS = 20  # times in a time constant
_READ = 1000  # times at which ranges are read
_ALIKE = 1e-4  # of the range of each state in the first motions: the same attractor
_SHARES = (1.0, 2.0, 4.0, 8.0, 16.0)  # lengths of runs after which attractors are compared, in transients


@dataclass(frozen=True, eq=False)
class BifurcationDiagram:
    """Points of the attractors of a machine over a parameter, followed in both directions.

    Attributes
    ----------
    parameter, signal : str
        Names of the parameter and of the signal.
    values : ndarray, shape (n_values,)
        Values of the parameter, increasing.
    up, down : list of ndarray
        Values of the signal for each value of the parameter, approached from smaller and from greater values: once a
        period of the excitation, or at maxima of the signal; one value for a motion that has come to rest.
    messages : dict of (str, float) to str
        Reason why a motion ended early, by direction and value; such motions have no points, and the next one starts
        from the last state before.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.05, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> damping = [0.02, 0.06, 0.12, 0.18]
    >>> found = ss.cycles.bifurcation_diagram(m, "block.damping", damping, "block.position")
    >>> [round(float(points.max()), 6) for points in found.up]          # stick-slip, then steady sliding
    [1.231458, 1.213794, 0.6, 0.6]
    """

    parameter: str
    signal: str
    values: Array
    up: list[Array]
    down: list[Array]
    messages: dict[tuple[str, float], str]

    def plot(self, *, ax: Any = None, **keywords: Any) -> Any:
        """Draw the points over the parameter, those of the two directions in two colours (needs the extra ``figures``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes.
        **keywords
            For the points, such as ``markersize``.

        Returns
        -------
        matplotlib Axes
        """
        with place.axes(ax, f"bifurcation diagram {self.parameter} {self.signal}") as where:
            for found, label in ((self.down, "downwards"), (self.up, "upwards")):
                x = np.repeat(self.values, [points.size for points in found])
                y = np.concatenate(found)
                style: dict[str, Any] = {
                    "linestyle": "none",
                    "marker": ".",
                    "markersize": 2.0,
                    "label": label,
                }
                where.plot(x, y, **style | keywords)
            where.set_xlabel(self.parameter)
            where.set_ylabel(self.signal)
            where.legend()
        return where


@dataclass(frozen=True, eq=False)
class Basins:
    """Attractors of a machine, and the one that each initial state approaches.

    Attributes
    ----------
    names : (str, str)
        States along the axes.
    grid : (ndarray, ndarray)
        Their values.
    labels : ndarray of int, shape (n_first, n_second)
        Number of the attractor for each initial state; -1 for a motion that ended early or has not settled.
    attractors : list of Trajectory
        The motion on each attractor: over 32 periods of the excitation, or 100 time constants of an autonomous machine.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> law = ss.Stribeck(static=1.0, kinetic=0.6, stribeck_velocity=0.3, shape=1.0)
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.3, names=["block"])
    >>> m.add_friction("belt", on="block", law=law, surface_velocity=0.5)
    >>> grid = {"block.position": np.linspace(-1.0, 2.0, 4), "block.velocity": np.linspace(-0.4, 0.4, 3)}
    >>> found = ss.cycles.basins(m, grid)
    >>> len(found.attractors), np.unique(found.labels)
    (2, array([0, 1]))
    """

    names: tuple[str, str]
    grid: tuple[Array, Array]
    labels: NDArray[np.int_]
    attractors: list[Trajectory]

    @property
    def shares(self) -> Array:
        """Share of the grid that each attractor attracts."""
        return np.array([np.mean(self.labels == k) for k in range(len(self.attractors))])

    def plot(self, *, ax: Any = None, **keywords: Any) -> Any:
        """Draw the basins in the plane of both states (needs the extra ``figures``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes.
        **keywords
            For ``pcolormesh``, such as ``cmap``.

        Returns
        -------
        matplotlib Axes
        """
        with place.axes(ax, f"basins {self.names}") as where:
            where.pcolormesh(*self.grid, self.labels.T, **{"shading": "nearest", "cmap": "tab10"} | keywords)
            where.set_xlabel(self.names[0])
            where.set_ylabel(self.names[1])
        return where


def bifurcation_diagram(
    machine: Any,
    parameter: str,
    values: ArrayLike,
    signal: str,
    *,
    initial: State | Mapping[str, float] | ArrayLike | None = None,
    transient: float | None = None,
    points: int = _POINTS,
    phase: float = 0.0,
    rtol: float = 1e-8,
    **options: Any,
) -> BifurcationDiagram:
    """Simulate a machine over a parameter in both directions, each motion from the end of the one before.

    Both directions run at the same time. Where they differ, several motions are stable.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    parameter : str
        Name of the parameter, one of ``machine.parameters``, or with the suffix ``_scale`` a factor on a signal.
    values : array_like, shape (n_values,)
        Values of the parameter.
    signal : str
        Name of a signal of the run.
    initial : State, mapping or array_like, optional
        Initial state of the first motion in each direction, as in `simulate`; by default 0.
    transient : float, optional
        Length of each motion before points are taken, s; by default 50 periods of the excitation, or 200 time constants
        of an autonomous machine.
    points : int, default 32
        Number of points of each motion.
    phase : float, default 0.0
        Phase of the excitation at which points are taken, as a share of its period.
    rtol : float, default 1e-8
        Relative tolerance of numerical integration; linear regimes are exact.
    **options
        ``atol``, ``method``, ``rebound_threshold``, ``max_events`` and ``max_time``, as in `simulate`.

    Returns
    -------
    BifurcationDiagram
        Points once a period of the excitation; for an autonomous machine the values at maxima of the signal. A motion that
        has settled at an equilibrium leaves it slowly where this is unstable: see `transient`.

    Raises
    ------
    KeyError
        If there is no such signal.
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import math
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.1, names=["x"])
    >>> m.add_force("x", ss.Sine(amplitude=1.0, frequency=1.4 / math.pi))
    >>> m.add_contact("stop", normal={"x": 1.0}, gap=0.0, restitution=0.6)
    >>> above = {"x.position": 1.0}
    >>> found = ss.cycles.bifurcation_diagram(m, "stop.gap", [-0.1, -0.02], "x.velocity", initial=above)
    >>> [np.unique(points.round(3)).size for points in found.up]
    [1, 2]
    """
    given = array("values", values)
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        reject("values", values, "a sequence of finite numbers")
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 1:
        reject("points", points, "a positive integer")
    if transient is not None:
        transient = positive("transient", transient)
    ordered = np.unique(given)
    flows = [Flow(with_value(machine, parameter, value), {"rtol": rtol} | options) for value in ordered]
    if isinstance(initial, State):
        start: State = initial
    else:
        start = flows[0].at_rest(0.0, _initial(flows[0].compiled, initial))
    first = Trajectory(flows[0].machine, flows[0].advance(start, start.t + 1e-9), None, None)
    if signal not in first:
        raise unknown_signal(signal, first.signals)
    messages: dict[tuple[str, float], str] = {}

    def follow(way: int) -> list[Array]:
        state, found = start, []
        for value, flow in list(zip(ordered, flows, strict=True))[::way]:
            t = _next_phase(flow, state.t, phase)
            begun = flow.at_rest(state.t, state.x)
            length, looks = _lengths(flow, transient, int(points))
            raw = flow.advance(begun, t + length)
            tail = flow.advance(raw.state, t + length + looks) if raw.status == "finished" else raw
            if tail.status != "finished":
                messages["up" if way > 0 else "down", float(value)] = tail.message
                found.append(np.zeros(0))
                continue
            run = Trajectory(flow.machine, tail, None, None)
            if flow.forcing is None:
                found.append(_maxima(flow, run, signal)[: int(points)])
            else:
                times = t + length + flow.forcing * np.arange(int(points))
                found.append(np.asarray(run.at(np.minimum(times, tail.t_end))[signal]))
            state = tail.state
        return found[::way]

    up, down = _in_threads(follow, (1, -1))
    return BifurcationDiagram(parameter, signal, ordered, up, down, messages)


def basins(
    machine: Any,
    grid: Mapping[str, ArrayLike],
    *,
    initial: Mapping[str, float] | ArrayLike | None = None,
    transient: float | None = None,
    rtol: float = 1e-8,
    **options: Any,
) -> Basins:
    """Find the attractor that each initial state in a plane approaches, on all cores.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    grid : mapping of str to array_like
        Two states, and their initial values.
    initial : mapping or array_like, optional
        Initial values of the other states; by default 0.
    transient : float, optional
        Length of the motions, s; by default 50 periods of the excitation, or 200 time constants of an autonomous machine.
        Motions that are not yet close to an attractor are continued up to sixteen times as long.
    rtol : float, default 1e-8
        Relative tolerance of numerical integration; linear regimes are exact.
    **options
        ``atol``, ``method``, ``rebound_threshold``, ``max_events`` and ``max_time``, as in `simulate`.

    Returns
    -------
    Basins

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Two motions approach the same attractor if their states once a period of the excitation, or the extreme values of all
    states of an autonomous machine, agree to 1e-4 of the range of the first motions. A chaotic attractor is none in this
    sense: its motions have the label -1.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, damping=0.2, names=["x"])
    >>> m.add_force("x", lambda q: q["x"] - q["x"] ** 3)               # two wells
    >>> found = ss.cycles.basins(m, {"x.position": [-1.5, -0.5, 0.5, 1.5], "x.velocity": [0.0, 0.1]})
    >>> found.labels[:, 0]
    array([0, 0, 1, 1])
    """
    flow = Flow(machine, {"rtol": rtol} | options)
    if not isinstance(grid, Mapping) or len(grid) != 2:
        reject("grid", grid, "a mapping of two states to their values")
    first, second = grid
    names = (str(first), str(second))
    for name in names:
        if name not in flow.compiled.states:
            reject("grid", name, f"names of states: {flow.compiled.states}")
    axes = (np.ravel(array(names[0], grid[names[0]])), np.ravel(array(names[1], grid[names[1]])))
    base = _initial(flow.compiled, initial)
    rows = [flow.compiled.states.index(name) for name in names]
    length, looks = _lengths(flow, None if transient is None else positive("transient", transient), _POINTS)

    def settle(point: tuple[float, float]) -> tuple[_core.run.Trajectory | None, Array, Array]:
        x = np.array(base)
        x[rows] = point
        state, size = flow.at_rest(0.0, x), np.zeros(x.size)
        for share in _SHARES:
            raw = flow.advance(state, _next_phase(flow, state.t, 0.0) + share * length)
            tail = flow.advance(raw.state, raw.t_end + looks) if raw.status == "finished" else raw
            if tail.status != "finished":
                break
            if not size.any():
                times = np.linspace(raw.t_begin, raw.t_end, _READ)
                size = np.ptp(_core.run.Samples(raw, times).states, axis=1)
            again = flow.advance(tail.state, tail.t_end + looks)
            mark, after = _mark(flow, tail), _mark(flow, again)
            if _are_alike(flow, mark, after, size):
                return tail, after, size
            state = tail.state
        return None, np.zeros(0), size

    found = _in_threads(settle, [(a, b) for a in axes[0] for b in axes[1]])
    attractors: list[Trajectory] = []
    marks: list[Array] = []
    labels = np.full(len(found), -1)
    size = np.max([one for *_, one in found], axis=0)
    for k, (raw, mark, _) in enumerate(found):
        if raw is None:
            continue
        same = [j for j, other in enumerate(marks) if _are_alike(flow, mark, other, size)]
        if not same:
            same = [len(marks)]
            marks.append(mark)
            attractors.append(Trajectory(flow.machine, raw, None, flow.described))
        labels[k] = same[0]
    return Basins(names, axes, labels.reshape(axes[0].size, axes[1].size), attractors)


def _in_threads(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Call a function for each item, on all cores; runs are compiled code, which lets go of the interpreter."""
    pool = ThreadPoolExecutor(min(cores(), len(items)))
    try:
        return list(pool.map(function, items))
    finally:
        pool.shutdown(cancel_futures=True)


def _next_phase(flow: Flow, t: float, phase: float) -> float:
    """Return the next time with a phase of the excitation."""
    if flow.forcing is None:
        return t
    origin = flow.begins + phase * flow.forcing
    return origin + math.ceil((t - origin) / flow.forcing * (1.0 - 1e-12)) * flow.forcing


def _lengths(flow: Flow, transient: float | None, points: int) -> tuple[float, float]:
    """Lengths of the transient and of the motion that is looked at."""
    if flow.forcing is None:
        unit = flow.compiled.time_scale or 1.0
        return transient or _TRANSIENT * unit, max(10.0 * points, 100.0) * unit
    count = _PERIODS if transient is None else np.ceil(transient / flow.forcing)
    return count * flow.forcing, points * flow.forcing


def _maxima(flow: Flow, run: Trajectory, signal: str) -> Array:
    """Values at the maxima of a signal; its value if it does not change."""
    raw = run._raw
    count = int(_LOOKS * (raw.t_end - raw.t_begin) / (flow.compiled.time_scale or 1.0))
    t = np.unique(np.concatenate([np.linspace(raw.t_begin, raw.t_end, count), raw.step_times()]))
    t = t[(t >= raw.t_begin) & (t <= raw.t_end)]
    y = np.asarray(run.at(t)[signal])
    size = float(np.ptp(y))
    if not size > _ALIKE * max(float(np.abs(y).max()), 1e-300):
        return y[-1:]
    k = 1 + np.flatnonzero((y[1:-1] > y[:-2]) & (y[1:-1] >= y[2:]))
    low, high = t[k - 1], t[k + 1]
    share = 0.5 * (3.0 - np.sqrt(5.0))
    for _ in range(_REFINED):  # golden sections
        c, d = low + share * (high - low), high - share * (high - low)
        left, right = (_at(run, one, signal) for one in (c, d))
        low, high = np.where(left >= right, low, c), np.where(left >= right, d, high)
    return _at(run, 0.5 * (low + high), signal)


def _at(run: Trajectory, times: Array, signal: str) -> Array:
    return np.asarray(run.at(times)[signal])


def _mark(flow: Flow, raw: _core.run.Trajectory) -> Array:
    """Numbers by which attractors are told apart, shape (n_states, n_numbers)."""
    if flow.forcing is not None:
        count = round((raw.t_end - raw.t_begin) / flow.forcing)
        times = raw.t_begin + flow.forcing * np.arange(count)
        x = np.asarray(_core.run.Samples(raw, times).states)
        return x
    count = int(_LOOKS * (raw.t_end - raw.t_begin) / (flow.compiled.time_scale or 1.0))
    t = np.unique(np.concatenate([np.linspace(raw.t_begin, raw.t_end, count), raw.step_times()]))
    x = np.asarray(_core.run.Samples(raw, t[(t >= raw.t_begin) & (t <= raw.t_end)]).states)
    return np.column_stack([x.min(axis=1), x.max(axis=1)])


def _are_alike(flow: Flow, one: Array, other: Array, size: Array) -> bool:
    """True if two marks are of one attractor; points once a period may begin anywhere on it."""
    size = np.where(size > 0.0, size, 1.0)[:, None]
    if flow.forcing is None:
        return bool(np.all(np.abs(one - other) <= _ALIKE * size))
    away = np.abs(one[:, :, None] - other[:, None, :]) / size[:, :, None]
    far = away.max(axis=0)
    return bool(far.min(axis=1).max() <= _ALIKE and far.min(axis=0).max() <= _ALIKE)
