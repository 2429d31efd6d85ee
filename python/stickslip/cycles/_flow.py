"""The flow of a machine from a state, with its derivatives with respect to that state."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.cycles._moving import MovingFrame
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run._options import engine_options

Array = NDArray[np.float64]

_COARSE = 1e-6  # relative tolerance for first derivatives, which Newton's method corrects
GROWS = (
    "a signal of the machine grows without bound, and no frame moves with it in which the machine repeats itself: describe "
    "the motion relative to the moving end, with a surface velocity in place of a moving support"
)


@dataclass(frozen=True)
class Shot:
    """A run over one period, its end and the derivatives of its end.

    `values` and `end` hold the components of the state: the states of the machine, the memory of sampled controllers and
    their pending outputs.
    """

    t: float
    values: Array
    period: float
    raw: _core.run.Trajectory
    end: Array
    slopes: Array  # (n_components, n_components + n_parameters)
    rates: tuple[Array, Array]  # at the start and at the end
    reason: str  # why `slopes` are NaN
    frame: MovingFrame | None = None

    @property
    def is_exact(self) -> bool:
        """True if no regime was integrated numerically."""
        return all(kind == "exact" for *_, kind in self.raw.regimes)

    @property
    def monodromy(self) -> Array:
        """Derivatives of the end with respect to the start."""
        return self.slopes[:, : self.values.size]

    @property
    def closes(self) -> Array:
        """End minus start, without what the motion advances in a period."""
        change = self.end - self.values
        return change if self.frame is None else self.frame.relative(change, self.period)

    @property
    def closing(self) -> tuple[Array, Array, Array]:
        """Derivatives of `closes` by the start, by the period and by parameters."""
        n = self.values.size
        of_values, of_period, of_parameters = self.monodromy - np.eye(n), self.rates[1], self.slopes[:, n:]
        if self.frame is not None:
            of_values, of_period, of_parameters = (
                self.frame.relative(one, 0.0) for one in (of_values, of_period, of_parameters)
            )
        return of_values, of_period, of_parameters


class Flow:
    """Runs of one machine that start from any state."""

    def __init__(self, machine: Machine | StateSpace | Any, options: dict[str, Any]) -> None:
        holder = getattr(machine, "machine", machine)
        if not isinstance(holder, (Machine, StateSpace)):
            reject("machine", machine, "a stickslip.Machine or StateSpace, or hold one as .machine")
        self.described = None if holder is machine else machine
        self.machine = holder._snapshot()
        self.compiled = self.machine.compile()
        self.options = {"atol": None, "method": "auto", "max_events": 10_000_000} | options
        self.begins, self.forcing, self.grows = forcing_of(self.compiled)
        self.frame: MovingFrame | None = None  # in which a motion that advances is periodic
        sampled = [period for period in self.compiled.sampling_periods if period > 0.0]
        self.sampling = min(sampled, default=None)
        # The engine also lists outputs of continuous controllers, which never wait.
        waits = [
            period > 0.0
            for period, (_, outputs, *_) in zip(
                self.compiled.sampling_periods, self.compiled.controllers, strict=True
            )
            for _ in range(outputs)
        ]
        self._idle = np.flatnonzero(~np.array(waits, dtype=bool)) - len(waits)

    @property
    def is_autonomous(self) -> bool:
        """True if no signal repeats, no formula reads the time and no controller is sampled."""
        return self.forcing is None

    @property
    def neutral(self) -> int:
        """Number of multipliers 1 that say nothing about stability: of the motion itself and of free displacements."""
        return int(self.is_autonomous) + (0 if self.frame is None else self.frame.free.shape[1])

    def phase_of(self, t: float) -> float:
        """Return the earliest time of the same phase; any time is one for an autonomous machine."""
        if self.forcing is None:
            return self.begins
        return t - math.floor((t - self.begins) / self.forcing) * self.forcing

    def moved(self, values: Array, elapsed: float) -> Array:
        """Return the values of the same state some time before, in the moving frame."""
        return values if self.frame is None else values - self.frame.velocity * elapsed

    def states(self, raw: _core.run.Trajectory, times: Array, since: float | None = None) -> Array:
        """Return the states of a run, shape (n_states, n_times), relative to the moving frame."""
        x = np.asarray(_core.run.Samples(raw, times).states)
        return (
            x
            if self.frame is None
            else self.frame.relative(x, times - (self.begins if since is None else since))
        )

    def rates(self, raw: _core.run.Trajectory, times: Array) -> Array:
        """Return the rates of the states of a run relative to the moving frame."""
        rates = np.asarray(_core.run.Samples(raw, times).rates)
        return rates if self.frame is None else self.frame.rates(rates)

    def at_rest(self, t: float, x: Array) -> _core.dynamics.State:
        """Return a state with given values of the states, in which modes are not yet chosen."""
        return self.compiled.initial_state(t, x)

    def components(self, state: _core.dynamics.State) -> Array:
        """Return the components of a state: states, memory and pending outputs of sampled controllers."""
        every: Array = _core.sensitivity.components(state)
        return np.delete(every, self._idle)

    def advance(self, state: _core.dynamics.State, t_end: float) -> _core.run.Trajectory:
        """Run from a state."""
        options = engine_options(len(self.compiled.states), t_end=t_end, **self.options)
        return _core.run.simulate(self.compiled, state, options)

    def shoot(
        self,
        state: _core.dynamics.State,
        values: Array,
        t: float,
        period: float,
        parameters: Sequence[str] = (),
    ) -> Shot:
        """Run over one period from given values, in the modes of `state`, with derivatives."""
        raw, derivatives = self._restart(state, values, t, period, parameters)
        end = self.components(raw.state)
        rates = np.zeros((end.size, 2))
        rates[: len(self.compiled.states)] = self.rates(raw, np.array([t, raw.t_end]))
        slopes = np.delete(derivatives.at_end(), self._idle, axis=0)
        idle = self._idle + slopes.shape[0] + self._idle.size  # counted from the start, before the parameters
        slopes = np.delete(slopes, idle, axis=1)
        both = (rates[:, 0], rates[:, 1])
        return Shot(t, values, period, raw, end, slopes, both, derivatives.reason, self.frame)

    def closes(self, state: _core.dynamics.State, values: Array, t: float, period: float) -> Array | None:
        """Return `Shot.closes` of the same run without derivatives; None if the run ends early."""
        options = engine_options(len(self.compiled.states), t_end=t + period, **self.options)
        start = _core.sensitivity.restarted(
            self.machine._description, state, self._every(state, values), t, options
        )
        raw = _core.run.simulate(self.compiled, start, options)
        if raw.status != "finished":
            return None
        change = self.components(raw.state) - values
        return change if self.frame is None else self.frame.relative(change, period)

    @property
    def coarse(self) -> Flow:
        """The same machine, integrated with a wide tolerance."""
        if self.noise >= _COARSE:
            return self
        other = copy.copy(self)
        other.options = self.options | {"rtol": _COARSE}
        return other

    @property
    def noise(self) -> float:
        """Relative tolerance of numerical integration."""
        return float(self.options.get("rtol", 0.0))

    def tangents(
        self, state: _core.dynamics.State, values: Array, t: float, length: float, times: Array
    ) -> tuple[_core.run.Trajectory, Array, float]:
        """Return a run, the derivatives of its states by its start at given times, and the time up to which they exist."""
        raw, derivatives = self._restart(state, values, t, length, ())
        slopes = derivatives.states(times)
        return raw, np.delete(slopes, self._idle + slopes.shape[1], axis=1), derivatives.valid_until

    def _restart(
        self, state: _core.dynamics.State, values: Array, t: float, length: float, parameters: Sequence[str]
    ) -> tuple[_core.run.Trajectory, _core.sensitivity.Sensitivity]:
        options = engine_options(len(self.compiled.states), t_end=t + length, **self.options)
        raw, derivatives = _core.sensitivity.restart(
            self.machine._description, state, self._every(state, values), t, options, list(parameters)
        )
        return raw, derivatives

    def _every(self, state: _core.dynamics.State, values: Array) -> Array:
        every: Array = _core.sensitivity.components(state)
        kept = np.ones(every.size, dtype=bool)
        kept[self._idle] = False
        every[kept] = values
        return every


def forcing_of(compiled: _core.dynamics.Compiled) -> tuple[float, float | None, bool]:
    """Return the time from which a machine repeats in time, its period (None: autonomous), and if a ramp drives it.

    Raises
    ------
    ValueError
        If a signal grows without bound, or the periods of signals and controllers have no common multiple.
    """
    begins, grows, periods = 0.0, False, [float(t) for t in compiled.sampling_periods if t > 0.0]
    for signal in compiled.signals:
        if signal.is_constant:
            continue
        start, own, ramp = _periods_of(signal)
        begins = max(begins, start)
        periods += own
        grows = grows or ramp
    if grows and (periods or compiled.reads_time):
        raise ValueError(GROWS)
    if compiled.reads_time:
        return begins, math.nan, False
    common: float | None = None
    for one in periods:
        together = one if common is None else _core.signal.Signal.common_period(common, one)
        if together == 0.0:
            raise ValueError(
                f"signals and sampled controllers of the machine have the periods {common:g} and {one:g} s, which have "
                "no common multiple: no motion is periodic; choose commensurable periods"
            )
        common = together
    return begins, common, grows


def _periods_of(signal: _core.signal.Signal) -> tuple[float, list[float], bool]:
    """Start of the periodic part of a signal, its periods, and if it grows steadily."""
    ramp = False
    if signal.period > 0.0:
        repeating = [piece for piece in signal.pieces if piece[0] >= signal.begins]
        periods = [signal.period]
    else:
        repeating, periods = signal.pieces[-1:], []
        slope, *higher = repeating[0][2][1:]
        if any(coefficient != 0.0 for coefficient in higher):
            raise ValueError(GROWS)
        ramp = slope != 0.0
    periods += [2.0 * math.pi / abs(h[1]) for piece in repeating for h in piece[3] if h[1] != 0.0]
    breakpoints = signal.breakpoints
    start = max(breakpoints, default=0.0) if ramp else signal.begins if breakpoints else 0.0
    return max(0.0, start), periods, ramp
