"""The flow of a machine from a state, with its derivatives with respect to that state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run._options import engine_options

Array = NDArray[np.float64]


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

    @property
    def monodromy(self) -> Array:
        """Derivatives of the end with respect to the start."""
        return self.slopes[:, : self.values.size]

    @property
    def closes(self) -> Array:
        """End minus start."""
        return self.end - self.values


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
        self.begins, self.forcing = forcing_of(self.compiled)
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
        """True if no signal changes, no formula reads the time and no controller is sampled."""
        return self.forcing is None

    def phase_of(self, t: float) -> float:
        """Return the earliest time of the same phase: 0 for an autonomous machine."""
        if self.forcing is None:
            return 0.0
        return t - math.floor((t - self.begins) / self.forcing) * self.forcing

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
        options = engine_options(len(self.compiled.states), t_end=t + period, **self.options)
        raw, derivatives = _core.sensitivity.restart(
            self.machine._description, state, self._every(state, values), t, options, list(parameters)
        )
        end = self.components(raw.state)
        rates = np.zeros((end.size, 2))
        rates[: len(self.compiled.states)] = _core.run.Samples(raw, np.array([t, raw.t_end])).rates
        slopes = np.delete(derivatives.at_end(), self._idle, axis=0)
        idle = self._idle + slopes.shape[0] + self._idle.size  # counted from the start, before the parameters
        slopes = np.delete(slopes, idle, axis=1)
        return Shot(t, values, period, raw, end, slopes, (rates[:, 0], rates[:, 1]), derivatives.reason)

    def _every(self, state: _core.dynamics.State, values: Array) -> Array:
        every: Array = _core.sensitivity.components(state)
        every[np.setdiff1d(np.arange(every.size), self._idle % max(every.size, 1))] = values
        return every


def forcing_of(compiled: _core.dynamics.Compiled) -> tuple[float, float | None]:
    """Return the time from which a machine repeats in time, and its period; None for an autonomous machine.

    Raises
    ------
    ValueError
        If a signal grows without bound, or the periods of signals and controllers have no common multiple.
    """
    begins, periods = 0.0, [float(t) for t in compiled.sampling_periods if t > 0.0]
    for signal in compiled.signals:
        if signal.is_constant:
            continue
        start, own = _periods_of(signal)
        begins = max(begins, start)
        periods += own
    if compiled.reads_time:
        return begins, math.nan
    common: float | None = None
    for one in periods:
        together = one if common is None else _core.signal.Signal.common_period(common, one)
        if together == 0.0:
            raise ValueError(
                f"signals and sampled controllers of the machine have the periods {common:g} and {one:g} s, which have "
                "no common multiple: no motion is periodic; choose commensurable periods"
            )
        common = together
    return begins, common


def _periods_of(signal: _core.signal.Signal) -> tuple[float, list[float]]:
    """Start of the periodic part of a signal, and its periods."""
    if signal.period > 0.0:
        repeating = [piece for piece in signal.pieces if piece[0] >= signal.begins]
        periods = [signal.period]
    else:
        repeating, periods = signal.pieces[-1:], []
        if any(coefficient != 0.0 for coefficient in repeating[0][2][1:]):
            raise ValueError(
                "a signal of the machine grows without bound (its last piece is a ramp or another polynomial), so no "
                "motion is periodic: describe the motion relative to the moving end, with a surface velocity in place of a "
                "moving support"
            )
    periods += [2.0 * math.pi / abs(h[1]) for piece in repeating for h in piece[3] if h[1] != 0.0]
    breakpoints = signal.breakpoints
    return max(0.0, signal.begins if breakpoints else 0.0), periods
