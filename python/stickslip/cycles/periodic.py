"""Search for periodic orbits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import positive, reject
from stickslip.cycles._closing import NotClosed, Start, close, multipliers
from stickslip.cycles._flow import GROWS, Flow, Shot
from stickslip.cycles._moving import frame_of
from stickslip.cycles._parts import close_in_parts
from stickslip.cycles._returns import NEAR, STILL, Read, Return, forced_returns, free_returns
from stickslip.cycles.lyapunov import exponents_of
from stickslip.cycles.orbit import Orbit
from stickslip.modes import Mode
from stickslip.run._owners import owner
from stickslip.run.simulation import _initial
from stickslip.run.trajectory import Trajectory

__all__ = ["NoOrbitError", "periodic_orbit"]

Array = NDArray[np.float64]
State = _core.dynamics.State

_FIRST = 100.0  # time constants of the machine: length of the first run from a state
_FIRST_PULSES = 20  # periods of the excitation: likewise
_DOUBLINGS = 13  # of that length
_DRIFT = 0.9  # of the range of a state: change over a run of a motion that advances
_VANISHED = 1e-6  # of the range of the motion in the search: an orbit of this size is an equilibrium
_GLANCES = 200  # times besides the steps at which its range is read
_EXACT_NOISE, _NOISE = 3e-12, 1e-8  # of derivatives in linear regimes, and of integrated ones
_EXACT_INSIDE, _INSIDE = (
    1e-9,
    1e-6,
)  # distance of the multipliers of a stable orbit from the unit circle: likewise
_PARTS = (2, 3, 5, 7, 11, 13)  # of a period, that may be periods of their own, one after the other
_PARTED, _COUNT = 0.05, 12  # distance of a return for multiple shooting, and parts
_DECAYED = 0.1  # of the range of the motion at first
_CHAOS = math.log(1e3)  # separation of neighbouring motions over a run beyond which it is called chaotic
_SPREADING = 30  # returns over which the divergence of neighbouring motions is measured


class NoOrbitError(ValueError):
    """No periodic orbit was found; the message describes the motion.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    >>> m.add_friction("floor", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6))
    >>> try:
    ...     ss.cycles.periodic_orbit(m, {"block.position": 5.0})
    ... except ss.cycles.NoOrbitError as error:
    ...     print(error)
    no periodic orbit: the machine comes to rest by t = 100 s
    """


def periodic_orbit(
    machine: Any,
    guess: Trajectory | State | Mapping[str, float] | ArrayLike | None = None,
    period: float | None = None,
    *,
    rtol: float = 1e-10,
    **options: Any,
) -> Orbit:
    """Find a periodic orbit of a machine, stable or not, and its Floquet multipliers.

    The orbit is a zero of φ(x, T) - x, found by Newton's method with the exact derivatives of the motion through stick,
    slip, impact and sampling. The sequence of events is not prescribed. For an autonomous machine the period is an
    unknown; with periodic signals or sampled controllers it is a multiple of their common period. Positions behind a ramp,
    and those that may be displaced freely, need not return: `Orbit.advance`.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    guess : Trajectory, Orbit, State, mapping or array_like, optional
        A run that comes near the orbit (other parameters are allowed), or a state from which the machine is simulated
        until its motion nearly repeats: ``run.state``, or initial values as in `simulate` (default 0). An unstable
        orbit needs a state close to it.
    period : float, optional
        Period, s: approximate for an autonomous machine, exact for others. By default it is found from `guess` and the
        signals. Required if a formula of the machine reads the time.
    rtol : float, default 1e-10
        Relative tolerance of numerical integration; linear regimes are exact.
    **options
        ``atol``, ``method``, ``max_step``, ``rebound_threshold``, ``max_events`` and ``max_time`` (of each run), as in
        `simulate`.

    Returns
    -------
    Orbit
        Period, state, events, multipliers, stability and energy balance.

    Raises
    ------
    NoOrbitError
        If no orbit is found: the motion comes to rest, moves uniformly, does not return, is chaotic, or ends early.
    ValueError
        If signals grow other than as a ramp, or have no common period; and for bad arguments, with the argument, its
        value and what is allowed.

    Notes
    -----
    The start of the orbit is chosen far from events; for an autonomous machine steps of Newton's method are orthogonal
    to the motion there. The tangent jumps at events (saltation; Leine, Nijmeijer, *Dynamics and Bifurcations of
    Non-Smooth Mechanical Systems*, 2004, 7.3), and the monodromy matrix is its value after one period. If a single run over
    the period leaves an unstable orbit, the orbit is found in parts (multiple shooting), and `Orbit.run` is a run from
    its start. The frame in which an advancing motion is periodic follows from derivatives along the motion: a
    displacement n is free if M(t) n = n at all times, and a ramp needs a velocity a with M(t) (x'(0) - a) = x'(t) - a.
    At an orbit that grazes a guard derivatives do not exist: the multipliers are NaN, and `Orbit.reason` states why.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> orbit = ss.cycles.periodic_orbit(m, {"block.velocity": 0.2})
    >>> round(orbit.period, 12), orbit.stable, orbit.multipliers.real.round(12)
    (4.572463186791, True, array([1., 0.]))
    """
    flow = Flow(machine, {"rtol": rtol} | options)
    given = None if period is None else positive("period", period)
    if flow.forcing is not None:
        _set_forcing(flow, given)
    return _Search(flow, guess, given).run()


def _set_forcing(flow: Flow, period: float | None) -> None:
    """Check the given period against that of the excitation, which it replaces if a formula reads the time."""
    assert flow.forcing is not None
    if math.isnan(flow.forcing):
        if period is None:
            raise ValueError(
                "period is required: a formula of the machine reads the time, with an unknown period"
            )
        flow.forcing = period
    elif period is not None:
        count = period / flow.forcing
        if round(count) < 1 or abs(count - round(count)) > 1e-9 * count:
            reject(
                "period",
                period,
                f"a multiple of the period of signals and controllers, {flow.forcing:.12g} s",
            )


class _Search:
    """Runs that approach a periodic orbit, and attempts to close them."""

    def __init__(self, flow: Flow, guess: Any, period: float | None) -> None:
        self.flow, self.period = flow, period
        self.reason = ""  # by the last attempt
        # Returns from which Newton's method does not converge at once: it is damped if the motion does not come closer.
        self.postponed: list[tuple[Read, Return, State | None]] = []
        n = len(flow.compiled.states)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)  # of all states so far
        self.given: Trajectory | None = None
        if isinstance(guess, Trajectory):
            if not guess._raw.keeps_segments:
                reject("guess", guess, "a run with its segments: simulate(..., keep='segments')")
            self.given = guess
            if tuple(guess.states) != tuple(flow.compiled.states):
                reject("guess", guess, f"a run with the states of the machine, {flow.compiled.states}")
            same = guess._machine == flow.machine
            self.state = guess.state if same else flow.at_rest(guess._raw.t_end, guess.state.x)
        elif isinstance(guess, _core.dynamics.State):
            self.state = guess
        else:
            self.state = flow.at_rest(0.0, _initial(flow.compiled, guess))

    def run(self) -> Orbit:
        """Close an orbit in the given run, or in runs from its end that double in length."""
        flow, advances = self.flow, self.flow.grows
        if self.given is not None:
            if advances:
                self._set_frame(self.state, self.given._raw.t_end - self.given._raw.t_begin)
            if orbit := self._close_in(Read.of(flow, self.given._raw), None):
                return orbit
        length = _FIRST * (self.flow.compiled.time_scale or 1.0)
        if self.flow.forcing is not None:
            length = _FIRST_PULSES * max(self.flow.forcing, self.period or 0.0)
        elif self.given is not None:
            length = self.given._raw.t_end - self.given._raw.t_begin
        elif self.period is not None:
            length = 4.0 * self.period
        read, still = None, False
        for _ in range(_DOUBLINGS):
            origin = self.state
            if advances:
                self._set_frame(origin, length)
            raw = flow.coarse.advance(origin, origin.t + length)
            if raw.status != "finished":
                if orbit := self._damped():
                    return orbit
                raise NoOrbitError(f"no periodic orbit: the motion ends early: {raw.message}")
            read = Read.of(self.flow, raw)
            if orbit := self._close_in(read, origin):
                return orbit
            frame = flow.frame
            still = bool(np.all(read.late_range() <= STILL * (self.high - self.low)))
            # A displacement that is free in a long stick is not free beyond it.
            if still and (frame is None or not frame.free.size):
                if orbit := self._damped():
                    return orbit
                raise NoOrbitError(f"no periodic orbit: {_equilibrium(raw, frame is not None)}")
            advances = advances or _drifts(read)
            self.state = raw.state
            length *= 2.0
        if orbit := self._damped():
            return orbit
        assert read is not None  # there is at least one run
        if still:
            raise NoOrbitError(f"no periodic orbit: {_equilibrium(read.raw, advances=True)}")
        raise NoOrbitError(f"no periodic orbit: {self._behaviour(read)}; {self.reason}")

    def _set_frame(self, state: State, length: float) -> None:
        """Find the moving frame from a motion of the machine, which passes more of its regimes if it is longer."""
        begun = self.flow.advance(state, state.t + 1e-9 * length)  # with modes that fit the state
        frame = frame_of(self.flow, begun.state, length) if begun.status == "finished" else None
        if self.flow.grows and frame is None:
            raise ValueError(GROWS)
        self.flow.frame = frame if frame is not None and frame.advances.any() else None

    def _close_in(self, read: Read, origin: State | None) -> Orbit | None:
        """Try the closest returns in a run that started from `origin` (None: the given run)."""
        flow = self.flow
        self.low = np.minimum(self.low, read.x.min(axis=1))
        self.high = np.maximum(self.high, read.x.max(axis=1))
        if flow.forcing is None:
            found = free_returns(read, self.period)
        else:
            found = forced_returns(read, flow.forcing, flow.sampling, self.period)
        if not found:
            self.reason = "no state of the last run recurs"
        nearest = min((one.distance for _, one, _ in self.postponed), default=math.inf)
        if not (found and found[0].distance < nearest) and (orbit := self._damped()):
            return orbit
        self.postponed = []
        for one in found:
            if not one.distance <= NEAR:
                self.reason = f"the closest return misses by {one.distance:.2g} of the range of the states"
                continue
            try:
                return self._orbit(read, one, origin, patient=False)
            except NotClosed as error:
                self.reason = str(error)
                self.postponed.append((read, one, origin))
        return None

    def _damped(self) -> Orbit | None:
        """Close an orbit in the runs so far by shorter steps of Newton's method."""
        while self.postponed:
            try:
                return self._orbit(*self.postponed.pop(0), patient=True)
            except NotClosed as error:
                self.reason = str(error)
        return None

    def _orbit(self, read: Read, one: Return, origin: State | None, *, patient: bool) -> Orbit:
        flow = self.flow
        start = self._start(read, one, origin)
        try:
            shot = close(flow, start, patient=patient)
        except NotClosed:
            if not (patient and one.distance <= _PARTED):
                raise
            start, shot = self._in_parts(read, one, origin, start)
        raw = shot.raw
        times = np.union1d(raw.step_times(), np.linspace(raw.t_begin, raw.t_end, _GLANCES))
        if np.all(np.ptp(flow.states(raw, times), axis=1) <= _VANISHED * (self.high - self.low)):
            raise NotClosed("the motion that repeats itself is an equilibrium")
        return orbit_of(flow, self._shortest(shot, start), start.size)

    def _in_parts(self, read: Read, one: Return, origin: State | None, start: Start) -> tuple[Start, Shot]:
        """Close an orbit by multiple shooting, from states of the run over one period."""
        flow = self.flow
        first = one.t if one.t + one.period <= read.t[-1] else one.t - one.period
        length = one.period / _COUNT
        times = read.quiet_near(np.asarray(first + length * np.arange(_COUNT), dtype=float), length)
        if flow.sampling is not None:
            times = (np.floor(times / flow.sampling) + 0.5) * flow.sampling
        times[0] = first
        shares = np.diff(times, append=first + one.period) / one.period
        if not np.all(shares > 0.0):
            raise NotClosed("the parts of the orbit are shorter than the sampling period")
        starts = [start] + [self._start(read, one._replace(t=float(t)), origin) for t in times[1:]]
        found, shot = close_in_parts(flow, starts, shares)
        try:
            return found, close(flow, found)
        except NotClosed:  # one run over the period leaves the orbit by more than it may
            return found, shot

    def _start(self, read: Read, one: Return, origin: State | None) -> Start:
        """The state at a return: exactly, if sampled controllers have a memory; else from the values of the states."""
        flow = self.flow
        if flow.sampling is None:
            x = np.asarray(_core.run.Samples(read.raw, np.array([one.t])).states)[:, 0]
            state = flow.advance(flow.at_rest(one.t, x), one.t + 1e-9 * one.period).state
            values = flow.components(state)
            values[: x.size] = x
            values = flow.moved(values, one.t - flow.phase_of(one.t))
        else:
            if origin is not None:
                state = flow.coarse.advance(origin, one.t).state
            else:  # at the same phase behind the end of the given run
                later = math.floor((self.state.t - one.t) / one.period + 1.0) * one.period
                state = flow.advance(self.state, one.t + later).state
            values = flow.components(state)
        near = (read.t >= one.t - one.period) & (read.t <= one.t + one.period)
        size = np.abs(values)
        size[: read.x.shape[0]] = np.ptp(read.x[:, near], axis=1)
        size = np.where(size > 0.0, size, np.abs(values))
        return Start(state, values, flow.phase_of(one.t), one.period, np.where(size > 0.0, size, 1.0))

    def _shortest(self, shot: Shot, start: Start) -> Shot:
        """The same orbit over its least period."""
        flow = self.flow
        parts = list(_PARTS)
        while parts:
            period = shot.period / parts[0]
            if flow.forcing is not None and abs(period / flow.forcing - round(period / flow.forcing)) > 1e-6:
                del parts[0]
                continue
            x = flow.states(shot.raw, shot.t + np.array([0.0, period]))
            n = x.shape[0]
            if np.all(np.abs(x[:, 1] - x[:, 0]) <= _VANISHED * start.size[:n]):
                shot = close(flow, Start(start.state, shot.values, shot.t, period, start.size))
            else:
                del parts[0]
        return shot

    def _behaviour(self, read: Read) -> str:
        """Decay of the motion, or its largest Lyapunov exponent, in words."""
        moves = np.isfinite(self.high - self.low) & (self.high > self.low)
        share = float(np.max(read.late_range()[moves] / (self.high - self.low)[moves], initial=0.0))
        if share < _DECAYED:
            return f"the motion decays slowly, to {share:.2g} of its range at first by t = {read.t[-1]:g} s"
        length = read.t[-1] - read.t[0]
        found, _ = exponents_of(self.flow, self.state, length / _SPREADING, _SPREADING)
        if found is None or not np.isfinite(found[0]):
            return "the motion does not repeat itself"
        exponent = float(found[0])
        if exponent * length > _CHAOS:
            return (
                f"the motion does not repeat itself and neighbouring motions separate with the Lyapunov exponent "
                f"{exponent:.3g} 1/s: it looks chaotic"
            )
        return f"the motion does not repeat itself (largest Lyapunov exponent {exponent:.3g} 1/s)"


def multipliers_of(flow: Flow, shot: Shot, size: Array) -> tuple[NDArray[np.complex128], int, bool]:
    """Return the multipliers of an orbit, how many of them are exactly zero, and whether it is stable."""
    exact = shot.is_exact
    if np.isnan(shot.monodromy).any():
        return np.full(shot.values.size, complex(np.nan)), 0, False
    along = shot.rates[0] if flow.is_autonomous else None
    free = None if flow.frame is None else flow.frame.free
    found, zeros = multipliers(shot.monodromy, size, _EXACT_NOISE if exact else _NOISE, along, free)
    inside = np.abs(found[flow.neutral :]) < 1.0 - (_EXACT_INSIDE if exact else _INSIDE)
    return found, zeros, bool(np.all(inside))


def orbit_of(flow: Flow, shot: Shot, size: Array) -> Orbit:
    """Make an orbit of a run that closes."""
    found, zeros, stable = multipliers_of(flow, shot, size)
    run = Trajectory(flow.machine, shot.raw, None, flow.described)
    forcing = None if flow.forcing is None else round(shot.period / flow.forcing)
    return Orbit(
        float(shot.period),
        shot.raw.state,
        found,
        zeros,
        _sticking(run),
        stable,
        float(np.max(np.abs(shot.closes) / size)),
        forcing,
        shot.reason,
        _advance(flow, shot),
        run,
    )


def _drifts(read: Read) -> bool:
    """True if a state goes on growing: its mean velocity explains most of its range."""
    half = read.t >= 0.5 * (read.t[0] + read.t[-1])
    x = read.x[:, half]
    return bool(np.any(np.abs(x[:, -1] - x[:, 0]) > _DRIFT * np.ptp(x, axis=1)))


def _equilibrium(raw: _core.run.Trajectory, advances: bool) -> str:
    """The equilibrium at the end of a run, in words."""
    modes = np.asarray(_core.run.Samples(raw, np.array([raw.t_end])).modes)[:, 0]
    sliding = [
        repr(name)
        for name, mode in zip(raw.compiled.friction, modes, strict=True)
        if owner(name) == name and mode in (Mode.SLIP_BACKWARD, Mode.SLIP_FORWARD)
    ]
    how = "comes to rest"
    if advances:
        how = "comes to move uniformly"
    elif sliding:
        how = f"decays to an equilibrium in which {', '.join(sliding)} slides,"
    return f"the machine {how} by t = {raw.t_end:g} s"


def _advance(flow: Flow, shot: Shot) -> dict[str, float]:
    """Displacement of each state that does not return."""
    if flow.frame is None:
        return {}
    change = shot.end - shot.values
    return {flow.compiled.states[k]: float(change[k]) for k in np.flatnonzero(flow.frame.advances)}


def _sticking(run: Trajectory) -> tuple[str, ...]:
    """Elements that stick for some part of a run."""
    raw = run._raw
    held = []
    times = np.unique(np.concatenate([[raw.t_begin], raw.events[0]["time"], [raw.t_end]]))
    modes = np.asarray(_core.run.Samples(raw, 0.5 * (times[1:] + times[:-1])).modes)
    for name, row in zip(raw.compiled.friction, modes, strict=True):
        if owner(name) == name and np.any(row == Mode.STICK):
            held.append(name)
    return tuple(held)
