"""Derivatives of a run by differences of whole runs: slow, and good to some 1e-9 where no event changes its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stickslip as ss
from stickslip import _core

Array = NDArray[np.float64]


def varied(machine: Any, name: str, value: float) -> Any:
    """The machine with another number in it."""
    plant = getattr(machine, "machine", machine)
    start = np.zeros(len(plant.states))
    description, _ = _core.ensemble.with_numbers(plant._description, start, [name], np.array([value]))
    return plant._snapshot(description)


class Differences:
    """A run, what it is where nothing happens, and the same by Richardson's extrapolation of central differences.

    Samples lie half way between events, where they are smooth in every parameter.
    """

    def __init__(
        self,
        machine: Any,
        t_end: float,
        parameters: Mapping[str, float],
        *,
        signals: Sequence[str] = (),
        initial: Mapping[str, float] | None = None,
        **options: Any,
    ) -> None:
        self.machine, self.t_end, self.options = machine, t_end, options
        self.initial = dict(initial or {})
        self.parameters = dict(parameters)
        self.run = ss.simulate(
            machine, t_end, initial=self.initial, sensitivities=list(parameters), **options
        )
        ends = np.unique([0.0, *self.run.events.time, t_end])
        self.times = 0.5 * (ends[1:] + ends[:-1])[np.diff(ends) > 1e-6 * t_end]
        self.signals = tuple(signals) or self.run.states

    def _at(self, name: str, value: float) -> Array:
        machine, initial = self.machine, self.initial
        if name in self.run.states:
            initial = initial | {name: value}
        else:
            machine = varied(machine, name, value)
        run = ss.simulate(machine, self.t_end, initial=initial, t_eval=self.times, **self.options)
        assert list(run.events.element) == list(self.run.events.element)
        assert list(run.events.after) == list(self.run.events.after)
        return np.concatenate([run.events.time, *(run[s] for s in self.signals)])

    def off(self, name: str, step: float) -> float:
        """Greatest error of a derivative, of each signal relative to the greatest of it."""
        value = self.parameters[name]
        rows = [
            (self._at(name, value + h) - self._at(name, value - h)) / (2 * h)
            for h in (step, step / 2, step / 4)
        ]
        first = [(4 * b - a) / 3 for a, b in pairwise(rows)]
        truth = (16 * first[1] - first[0]) / 15
        sampled = self.run.at(self.times)
        own = [np.array([e.sensitivity[name] for e in self.run.events])]
        own += [sampled.sensitivity[s, name] for s in self.signals]
        worst, at = 0.0, 0
        for part in own:
            other = truth[at : at + part.size]
            at += part.size
            size = float(np.abs(other).max(initial=0.0))
            if size > 1e-9 * float(np.abs(truth).max()):
                worst = max(worst, float(np.abs(part - other).max()) / size)
        assert np.isfinite(worst)
        return worst
