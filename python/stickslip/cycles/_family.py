"""A machine as a function of one of its parameters."""

from __future__ import annotations

import copy
import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.cycles._flow import GROWS, Flow, Shot
from stickslip.cycles._moving import MovingFrame, frame_of
from stickslip.cycles.orbit import Orbit
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace

Array = NDArray[np.float64]

_KEPT = 8  # compiled machines
_SAME = 1e-8  # relative difference of two velocities of a frame that are the same
_FINE = 1e-12  # relative tolerance for runs near bifurcations
_SHIFT = 1e-3  # of the parameter: difference from which the derivative of a moving frame is formed
_SCALE = "_scale"  # ending of the name of a factor on a signal


def with_value(machine: Any, parameter: str, value: float) -> Machine | StateSpace:
    """Return a machine with another value of a parameter."""
    holder = getattr(machine, "machine", machine)
    if not isinstance(holder, (Machine, StateSpace)):
        reject("machine", machine, "a stickslip.Machine or StateSpace, or hold one as .machine")
    holder = holder._snapshot()
    none = np.full(len(holder.compile().states), np.nan)
    description, _ = _core.ensemble.with_numbers(
        holder._description, none, [parameter], np.array([float(value)])
    )
    return holder._snapshot(description)


class Family:
    """Runs of one machine with other values of a parameter, and their derivatives by it.

    Parameters
    ----------
    orbit : Orbit
        One of the family.
    parameter : str
        Name of the parameter.
    options : dict
        Options of runs.
    of : (machine, float), optional
        The machine whose parameter has the value of `orbit`; by default its own machine. They differ by a factor on a
        signal.
    """

    def __init__(
        self, orbit: Orbit, parameter: str, options: dict[str, Any], of: tuple[Any, float] | None = None
    ) -> None:
        self.machine, self.described = orbit.run._machine, orbit.run._described
        if of is not None:
            self.machine = getattr(of[0], "machine", of[0])._snapshot()
        self.parameter, self.options = parameter, options
        compiled = self.machine.compile()
        if not isinstance(parameter, str):
            reject("parameter", parameter, "the name of one of machine.parameters")
        if parameter in compiled.states:
            reject(
                "parameter", parameter, "one of machine.parameters; orbits do not depend on initial values"
            )
        known = self.machine._description.numbers
        self.is_factor = parameter not in known and parameter.endswith(_SCALE)
        if of is not None:
            self.present = of[1]
        else:
            self.present = 1.0 if self.is_factor else float(known.get(parameter, math.nan))
        self._flows: dict[float, Flow] = {}
        self._orbit = orbit
        self._advance: Array | None = None  # change of the velocity of the moving frame with the parameter
        self._steady: MovingFrame | None = None  # the moving frame, if it does not change with the parameter
        start = self.flow(self.present)  # which names the known parameters if this is none
        self.is_autonomous = start.is_autonomous
        self._given = orbit.period if start.forcing is not None and math.isnan(start.forcing) else None
        if start.frame is not None:
            self._acceleration()
        self.forcing = 1 if orbit.forcing is None or self._given is not None else orbit.forcing

    def check_span(self, low: float, high: float) -> None:
        """Compile the machine at both ends of the range: errors name what is not allowed there."""
        present = self.flow(self.present)
        for value in (low, high):
            try:
                flow = self.flow(value)
            except ValueError as error:
                raise ValueError(
                    f"span = ({low:g}, {high:g}) is not allowed: {self.parameter} = {value:g}: {error}"
                ) from error
            if (flow.forcing != present.forcing and self._given is None) or flow.sampling != present.sampling:
                reject(
                    "parameter",
                    self.parameter,
                    "one that does not change the period of signals or controllers",
                )
        if self.is_factor and low <= 0.0 <= high:
            reject("span", (low, high), f"a range without 0, at which {self.parameter} makes a signal vanish")

    def flow(self, value: float) -> Flow:
        """Return the machine with a value of the parameter."""
        found = self._flows.get(value)
        if found is None:
            if len(self._flows) > _KEPT:
                self._flows.clear()
            found = Flow(with_value(self.machine, self.parameter, value), self.options)
            found.described = self.described
            if self._orbit.advance:
                found.frame = self._steady or self._frame(found)
            self._flows[value] = found
        return found

    def period(self, value: float) -> float:
        """Return the period of a forced orbit; NaN for an autonomous machine."""
        forcing = self.flow(value).forcing
        if forcing is None:
            return math.nan
        return self._given if self._given is not None else self.forcing * forcing

    def _frame(self, flow: Flow) -> MovingFrame:
        """Return the moving frame of a machine, found from the orbit."""
        frame = frame_of(flow, self._orbit.state, self._orbit.period)
        if frame is None:
            raise ValueError(GROWS)
        return frame

    def _acceleration(self) -> Array:
        """Return the derivative of the velocity of the moving frame by the parameter."""
        if self._advance is None:
            change = _SHIFT * (abs(self.present) or 1.0)
            above, below = (self.flow(self.present + sign * change).frame for sign in (1.0, -1.0))
            assert above is not None and below is not None  # flows of a family that advances
            difference = above.velocity - below.velocity
            if np.abs(difference).max() <= _SAME * np.abs(above.velocity).max():
                difference[:] = 0.0
                self._steady = self.flow(self.present).frame
                self._flows.clear()
            self._advance = difference / (2.0 * change)
        return self._advance

    def closes(
        self, state: _core.dynamics.State, values: Array, t: float, period: float, value: float
    ) -> Array | None:
        """Return end minus start of a run over one period; None if the run ends early."""
        return self.flow(value).closes(state, values, t, period)

    @cached_property
    def fine(self) -> Family:
        """The same family with runs that are precise enough to locate bifurcations."""
        other = copy.copy(self)
        other.options = self.options | {"rtol": min(self.options["rtol"], _FINE)}
        other._flows = {}
        return other

    def repeated(self, count: int) -> Family:
        """Return the family of orbits with a multiple of the period."""
        other = copy.copy(self)
        other.__dict__.pop("fine", None)
        other.forcing *= count
        if other._given is not None:
            other._given *= count
        return other

    def shoot(
        self,
        state: _core.dynamics.State,
        values: Array,
        t: float,
        period: float,
        value: float,
    ) -> Shot:
        """Run over one period; the last column of the slopes holds derivatives by the parameter."""
        shot = self.flow(value).shoot(state, values, t, period, (self.parameter,))
        if self.is_factor:  # of the signal as it is: its derivative is that by a factor of 1
            shot.slopes[:, -1] /= value
        frame = self.flow(value).frame
        if frame is not None and frame.velocity.any():
            shot.slopes[:, -1] -= self._acceleration() * period
        return shot
