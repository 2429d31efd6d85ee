"""A machine as a function of one of its parameters."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import reject
from stickslip.cycles._flow import Flow, Shot
from stickslip.cycles.orbit import Orbit

Array = NDArray[np.float64]

_KEPT = 8  # compiled machines
_SCALE = "_scale"  # ending of the name of a factor on a signal


class Family:
    """Runs of one machine with other values of a parameter, and their derivatives by it."""

    def __init__(self, orbit: Orbit, parameter: str, options: dict[str, Any]) -> None:
        self.machine, self.described = orbit.run._machine, orbit.run._described
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
        self.present = 1.0 if self.is_factor else float(known.get(parameter, math.nan))
        self._flows: dict[float, Flow] = {}
        start = self.flow(self.present)  # which names the known parameters if this is none
        self.is_autonomous = start.is_autonomous
        self._given = orbit.period if start.forcing is not None and math.isnan(start.forcing) else None
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
            none = np.full(len(self.machine.compile().states), np.nan)
            description, _ = _core.ensemble.with_numbers(
                self.machine._description, none, [self.parameter], np.array([value])
            )
            found = Flow(self.machine._snapshot(description), self.options)
            found.described = self.described
            self._flows[value] = found
        return found

    def period(self, value: float) -> float:
        """Return the period of a forced orbit; NaN for an autonomous machine."""
        forcing = self.flow(value).forcing
        if forcing is None:
            return math.nan
        return self._given if self._given is not None else self.forcing * forcing

    def repeated(self, count: int) -> Family:
        """Return the family of orbits with a multiple of the period."""
        other = copy.copy(self)
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
        return shot
