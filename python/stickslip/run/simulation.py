"""The function `simulate`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import finite, positive, reject, vector
from stickslip.errors import UnknownNameError
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run._options import engine_options, time_span
from stickslip.run.crossings import Crossing, crossings_of, moved
from stickslip.run.events import Mark, Marks
from stickslip.run.sensitivity import Backwards, Derivatives, checked
from stickslip.run.trajectory import NO_MARKS, Trajectory
from stickslip.run.varied import Profile, Rebuilt, built_of, field_value, profiles_of

__all__ = ["simulate"]


def simulate(
    machine: Machine | Any,
    t_end: float | tuple[float, float],
    *,
    t_start: float = 0.0,
    initial: Mapping[str, float] | ArrayLike | None = None,
    dt: float | None = None,
    t_eval: ArrayLike | None = None,
    rtol: float = 1e-8,
    atol: float | ArrayLike | None = None,
    method: Literal["auto", "exact", "explicit", "stiff", "time_stepping"] = "auto",
    max_step: float = np.inf,
    rebound_threshold: float = 1e-9,
    theta: float = 0.5,
    max_events: int = 10_000_000,
    max_time: float = np.inf,
    keep: Literal["segments", "events", "nothing"] = "segments",
    state: _core.dynamics.State | None = None,
    events: Sequence[Crossing] | Crossing = (),
    sensitivities: Sequence[str | Profile] = (),
) -> Trajectory:
    """Simulate a machine.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    t_end : float or (float, float)
        End of the run, s, or start and end, as ``t_span`` of SciPy's ``solve_ivp``.
    t_start : float, default 0.0
        Start of the run, s, if `t_end` is only the end; not with `state`.
    initial : mapping or array_like, optional
        Initial values by the name of the state, such as ``{"block.velocity": 0.2}`` (all others 0), or all of them.
    dt : float, optional
        Sampling interval, s: samples at ``t_start + k dt``. At an event, samples hold the value after the event.
    t_eval : array_like, optional
        Times of the samples, s. Without `dt` and `t_eval` the samples are the events and a grid fine enough to draw the
        motion (`Trajectory.t`); ``run.at(t)`` resamples the run at any times.
    rtol : float, default 1e-8
        Relative tolerance of numerical integration. Linear regimes, which are exact, do not use it.
    atol : float or array_like, optional
        Absolute tolerance, one for all or per state; by default `rtol` times the size of each state, for states of
        controllers the greatest one so far.
    method : {"auto", "exact", "explicit", "stiff", "time_stepping"}
        Method of integration. ``auto``: linear regimes exactly, others by an explicit pair (of order 5; of order 8,
        Dormand and Prince's DOP853, if masses, directions or forces are functions of the motion), or by an L-stable
        Rosenbrock method of order 5 if they are stiff. ``time_stepping``: the θ-scheme of Moreau and Jean with the
        fixed step `max_step`, of first order: events are not located, contact forces and impacts are impulses of a
        step, penetration is about one step's motion, and impacts follow Newton's law. Functions of the motion are
        evaluated at the middle of the step with the velocities at its start, so stiff forces need a short step. Time
        stepping takes friction laws without internal states and no controllers; signals are interpolated between steps.
    max_step : float, optional
        Maximum step, s; the fixed step for ``time_stepping``.
    rebound_threshold : float, default 1e-9
        Velocity threshold of restitution, in [0, 1), relative to the greatest speed or velocity jump at the contact so
        far (or to its size in `Machine.scales`, if that is larger). A contact that would rebound more slowly, against a
        force that closes it, does not rebound: a single contact is treated as plastic (ε = 0); several are brought to
        rest with minimum-norm impulses, with friction by its law. This ends accumulating bounces; the energy lost,
        about the square of the threshold times the greatest kinetic energy, is part of the loss of that impact. With 0
        only `max_events` ends them.
    theta : float, default 0.5
        Weight of the end of a step in ``time_stepping``, from 1/2 to 1.
    max_events : int, optional
        Greatest number of events, after which the run ends with status ``"budget"``.
    max_time : float, optional
        Limit of wall-clock time, s.
    keep : {"segments", "events", "nothing"}
        Data to keep: the whole motion, only events and end, or only the end. Without segments memory does not grow with
        the steps, and the only sample is the end (no `dt`, `t_eval`).
    state : State, optional
        State to continue from: ``run.state`` of an earlier run of the same machine. The result is bitwise equal to one
        long run. The state of another machine is refused.
    events : Crossing or sequence of them, optional
        Crossings to mark in the log, or to end the run with status ``"stopped"``; `keep` must be its default.
    sensitivities : sequence of str or Profile, optional
        Parameters to differentiate the run with respect to, named as in `ensemble`: numbers and signals of the machine
        such as ``"slide.mass"``, ``"belt.law.static"``, ``"force_scale"``, and initial values by the name of the state;
        numbers of a builder such as ``"angle"`` of a wedge gear; the values of a signal on a grid,
        ``ss.run.varied.Profile("slide.force", t)``.
        ``run.sensitivity`` and ``run.events[k].sensitivity`` hold the derivatives; see `Sensitivity`. The run itself is
        bitwise unchanged. Not with `state`, ``time_stepping``, a `keep` other than ``"segments"``, quantisers or
        `DeadTime`.

    Returns
    -------
    Trajectory
        Returned even if the run ended early: `status` and `message` state how and why.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": ss.Ramp(slope=0.2)})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.8))
    >>> run = ss.simulate(m, t_end=10.0)
    >>> run.events[0].time
    5.0
    """
    described = machine.model if isinstance(machine, Rebuilt) else machine
    source = machine if isinstance(machine, Rebuilt) else None
    machine = getattr(machine, "machine", machine)
    if not isinstance(machine, (Machine, StateSpace)):
        reject("machine", described, "a stickslip.Machine or StateSpace, or hold one as .machine")
    holder = None if described is machine or isinstance(described, (Machine, StateSpace)) else described
    machine = machine._snapshot()
    compiled = machine.compile()
    t_start, t_end = time_span(t_end, t_start)
    resumed = state is not None
    if state is None:
        state = compiled.initial_state(finite("t_start", t_start), _initial(compiled, initial))
    elif not isinstance(state, _core.dynamics.State):
        reject("state", state, "the state of a run")
    elif initial is not None:
        raise ValueError("initial and state exclude each other: a state is complete")
    elif t_start not in (0.0, state.t):
        raise ValueError(f"t_start = {t_start} is not allowed: the state starts at t = {state.t}")
    if dt is not None and t_eval is not None:
        raise ValueError("dt and t_eval exclude each other")
    if dt is not None:
        dt = positive("dt", dt)
    if keep != "segments" and (dt is not None or t_eval is not None):
        raise ValueError(f"keep = {keep!r} leaves nothing to sample: leave out dt and t_eval")
    start = state.t
    grid = None if t_eval is None else _grid(t_eval, start, t_end)
    settings: dict[str, Any] = {
        "rtol": rtol,
        "atol": atol,
        "method": method,
        "max_step": max_step,
        "max_events": max_events,
        "max_time": max_time,
        "rebound_threshold": rebound_threshold,
        "theta": theta,
        "keep": keep,
    }
    marks, derivatives = NO_MARKS, None
    names = checked(sensitivities) if sensitivities else []
    if names:
        for given, what, why in (
            (resumed, "state", "the derivatives of a state are unknown; start from initial values"),
            (method == "time_stepping", "method = 'time_stepping'", "time stepping locates no events"),
            (keep != "segments", f"keep = {keep!r}", "derivatives need the segments"),
        ):
            if given:
                raise ValueError(f"sensitivities and {what} exclude each other: {why}")
    crossings = _crossings(events, keep) if events else []
    forms: list[Crossing] = []
    options = engine_options(state.x.size, t_end=t_end, **settings)
    if crossings or not names:
        raw = _core.run.simulate(compiled, state, options)
    if crossings:
        marks, forms, stopped_at = _marks(Trajectory(machine, raw, np.array([start]), holder), crossings)
        if stopped_at is not None:  # the same bits once more, up to there
            options = engine_options(state.x.size, t_end=stopped_at, **settings)
            raw = _core.run.simulate(compiled, state, options)
    if names:  # the same bits, with all that happened at each instant
        x0 = _initial(compiled, initial)
        found: _core.sensitivity.Sensitivity | _core.sensitivity.Adjoint
        follow = (
            _core.sensitivity.simulate_adjoint
            if isinstance(sensitivities, Backwards)
            else _core.sensitivity.simulate
        )
        if source is None and holder is not None:
            source = Rebuilt.of(holder)
        built = [] if source is None else built_of(source, names)
        raw, found = follow(
            machine._description, state, x0, options, names, profiles_of(machine, sensitivities), built
        )
        derivatives = Derivatives(found)
        if marks.found:
            run = Trajectory(machine, raw, np.array([start]), holder, derivatives=derivatives)
            derivatives = Derivatives(found, moved(run, [m.time for m in marks.found], forms))
    if keep != "segments":
        return Trajectory(machine, raw, np.array([raw.t_end]), holder)
    if dt is not None:
        grid = _samples(start, raw.t_end, dt)
    elif grid is not None:
        grid = grid[grid <= raw.t_end]
    return Trajectory(machine, raw, grid, holder, marks, derivatives)


def _samples(start: float, end: float, dt: float) -> NDArray[np.float64]:
    """Return the times ``start + k dt`` up to the end of a run."""
    try:
        count = int(np.floor((end - start) / dt * (1 + 1e-12) + 1e-9)) + 1
        times: NDArray[np.float64] = np.minimum(start + dt * np.arange(count), end)
    except (MemoryError, OverflowError, ValueError):
        reject("dt", dt, f"longer: {(end - start) / dt:.3g} samples do not fit into memory")
    return times


def _crossings(events: Sequence[Crossing] | Crossing, keep: str) -> list[Crossing]:
    listed = crossings_of(events)
    if listed and keep != "segments":
        reject("keep", keep, "'segments' if events= is given")
    return listed


def _marks(run: Trajectory, crossings: list[Crossing]) -> tuple[Marks, list[Crossing], float | None]:
    """All crossings in the order of time up to the first one that ends the run, what they are of, and when that is."""
    found: list[tuple[Mark, Crossing]] = []
    ends: list[Mark] = []
    for one in crossings:
        for time, rising in zip(*one.times(run), strict=True):
            mark = Mark(float(time), one.label, one.cause(bool(rising)), bool(rising))
            found.append((mark, one))
            if one.terminal:
                ends.append(mark)
                break
    found.sort(key=lambda pair: pair[0].time)
    asked = tuple(dict.fromkeys(one.label for one in crossings))
    end = min(ends, key=lambda m: m.time) if ends else None
    kept = [pair for pair in found if end is None or pair[0].time <= end.time]
    marks, forms = tuple(mark for mark, _ in kept), [one for _, one in kept]
    if end is None:
        return Marks(asked, marks), forms, None
    return Marks(asked, marks, f"stopped at t = {end.time:.12g} s: {end.cause}"), forms, end.time


def _initial(
    compiled: _core.dynamics.Compiled, initial: Mapping[str, float] | ArrayLike | None
) -> NDArray[np.float64]:
    """Initial values; NaN where constraints may determine what was not given."""
    names = compiled.states
    x = np.array(compiled.start)
    if compiled.completes_start:
        x[: 2 * len(compiled.coordinates)] = np.nan
    if initial is None:
        return x
    if isinstance(initial, Mapping):
        for key, value in initial.items():
            if key not in names:
                raise UnknownNameError(
                    f"unknown state {key!r} in initial; known are: {', '.join(map(repr, names))}"
                )
            x[names.index(key)] = finite(f"initial[{key!r}]", value)
    else:
        given = vector("initial", initial)
        if given.shape != x.shape:
            raise ValueError(
                f"initial has the shape {given.shape}, but the machine has {len(names)} states: {names}"
            )
        x[:] = given
    return x


def at_values(
    source: Rebuilt,
    parameters: Sequence[str | Profile],
    values: NDArray[np.float64],
    initial: Mapping[str, float] | ArrayLike | None,
) -> tuple[Rebuilt, dict[str, float]]:
    """Return a machine with other values of parameters, and its initial values.

    Parameters
    ----------
    source : Rebuilt
        The machine, with the object that made it.
    parameters : sequence of str or Profile
        Parameters.
    values : ndarray
        Their values, those of a profile one after the other.
    initial : mapping or array_like, optional
        Initial values, as in `simulate`.
    """
    numbers: dict[str, float] = {}
    fields: dict[str, float] = {}
    signals: dict[str, _core.signal.Signal] = {}
    first = 0
    for p in parameters:
        if isinstance(p, Profile):
            signals[p.signal] = p.made(values[first : first + len(p)]).compiled
            first += len(p)
            continue
        of_builder = field_value(source.model, source.machine, p) is not None
        (fields if of_builder else numbers)[p] = float(values[first])
        first += 1
    model = dataclasses.replace(source.model, **fields) if fields else source.model

    def finished(plant: Machine | StateSpace) -> tuple[Machine | StateSpace, dict[str, float]]:
        changed, given = _with_numbers(plant, list(numbers), np.array([*numbers.values()]), initial)
        if signals:
            description = _core.ensemble.with_signals(
                changed._description, list(signals), list(signals.values())
            )
            changed = changed._snapshot(description)
        return changed, given

    machine, given = finished(getattr(model, "machine", model))
    return Rebuilt(
        model, machine, lambda name, value: finished(dataclasses.replace(model, **{name: value}).machine)[0]
    ), given


def _with_numbers(
    machine: Machine | StateSpace,
    names: Sequence[str],
    values: NDArray[np.float64],
    initial: Mapping[str, float] | ArrayLike | None,
) -> tuple[Machine | StateSpace, dict[str, float]]:
    """The machine with other numbers in it, under the names that an ensemble varies, and its initial values."""
    machine = machine._snapshot()
    compiled = machine.compile()
    x0 = _initial(compiled, initial)
    description, x0 = _core.ensemble.with_numbers(machine._description, x0, list(names), values)
    given = {name: x for name, x in zip(compiled.states, x0.tolist(), strict=True) if x == x}
    return machine._snapshot(description), given


def _grid(t_eval: ArrayLike, start: float, t_end: float) -> NDArray[np.float64]:
    t = vector("t_eval", np.atleast_1d(t_eval))
    if t.size == 0:
        raise ValueError("t_eval is empty: it must hold at least one time")
    if np.any(np.diff(t) < 0):
        raise ValueError("t_eval must not decrease")
    if t[0] < start or t[-1] > t_end:
        raise ValueError(f"t_eval reaches from {t[0]} to {t[-1]}, but the run only from {start} to {t_end}")
    return t
