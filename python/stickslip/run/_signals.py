"""Signals of a run by name, as a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.errors import unknown_signal

Array = NDArray[np.float64]

# The group of samples of which each kind of variable is a row.
_GROUPS = {
    "state": "states",
    "rate": "rates",
    "force": "forces",
    "velocity": "velocities",
    "load": "loads",
    "mode": "modes",
    "normal_force": "forces",
    "contact_mode": "contact_modes",
    "gap": "gaps",
    "gap_rate": "gap_rates",
    "normal_impulse": "normal_impulses",
    "spring_force": "spring_forces",
    "elongation": "elongations",
    "elongation_rate": "elongation_rates",
    "spring_mode": "spring_modes",
    "constraint_force": "constraint_forces",
    "constraint_impulse": "constraint_impulses",
    "output": "outputs",
    "saturation": "output_modes",
    "reference": "references",
    "error": "errors",
}


class SampledSignals:
    """The signals of a run at its sample times."""

    _raw: _core.run.Trajectory

    @cached_property
    def _times(self) -> tuple[Array, float]:
        """Sample times, and what straight lines through them miss."""
        raise NotImplementedError

    @cached_property
    def _samples(self) -> _core.run.Samples:
        return _core.run.Samples(self._raw, self._times[0])

    @cached_property
    def _signals(self) -> dict[str, Callable[[], NDArray[Any]]]:
        compiled = self._raw.compiled
        first = np.cumsum([0, *(outputs for _, outputs, *_ in compiled.controllers)])

        def read(source: str, index: int, part: int) -> NDArray[Any]:
            if source == "signal":
                return compiled.signals[index].values(self._times[0])
            if source == "limit":
                return self._limit(index)
            if source == "normal_force":
                index += len(compiled.friction)  # friction elements come first
            elif source in ("output", "saturation"):
                index = first[index] + part
            row: NDArray[Any] = getattr(self._samples, _GROUPS[source])[index]
            return row

        def reader(source: str, index: int, part: int, terms: Any) -> Callable[[], NDArray[Any]]:
            if source != "sum":
                return lambda: read(source, index, part)
            return lambda: sum((f * read(s, i, p) for s, i, p, f in terms), np.zeros(len(self._times[0])))

        return {name: reader(*where) for name, *where in compiled.variables}

    def _limit(self, i: int) -> NDArray[Any]:
        s = self._samples
        limit: NDArray[Any] = np.where(s.forces[i] < 0.0, s.lower_limits[i], s.upper_limits[i])
        return limit

    @property
    def signals(self) -> tuple[str, ...]:
        """Names that ``run[...]`` accepts."""
        return tuple(self._signals)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            read = self._signals[name]
        except KeyError:
            raise unknown_signal(name, self._signals) from None
        return read()

    def __contains__(self, name: object) -> bool:
        return name in self._signals

    def __iter__(self) -> Iterator[str]:
        return iter(self._signals)

    def __len__(self) -> int:
        return len(self._signals)

    def keys(self) -> KeysView[str]:
        """Names of the signals, as of a dictionary."""
        return self._signals.keys()

    def values(self) -> Iterator[NDArray[Any]]:
        """Return the signals, each computed on access."""
        return (self[name] for name in self)

    def items(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """Return names and signals, each computed on access."""
        return ((name, self[name]) for name in self)

    def _ipython_key_completions_(self) -> list[str]:
        """Names offered by ``run["<Tab>``."""
        return list(self._signals)
