"""A run in which one thing is wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import stickslip as ss


class Damaged:
    """A run that says something else than it does: of another machine, with other samples, events or energies."""

    def __init__(
        self,
        run: Any,
        *,
        machine: ss.Machine | None = None,
        events: ss.Events | None = None,
        signals: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] | None = None,
        energy: dict[str, float] | None = None,
    ) -> None:
        self._run = run
        self._given = {"machine": machine, "events": events, "signals": signals, "energy": energy}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run, name)

    @property
    def machine(self) -> Any:
        return self._given["machine"] or self._run.machine

    @property
    def events(self) -> Any:
        given = self._given["events"]
        return self._run.events if given is None else given

    @property
    def energy(self) -> Any:
        return _Energy(self._run.energy, self._given["energy"] or {})

    def at(self, t: Any) -> Damaged:
        return Damaged(self._run.at(t), **self._given)

    def __getitem__(self, name: str) -> np.ndarray:
        values = np.array(self._run[name], dtype=float)
        change = (self._given["signals"] or {}).get(name)
        return values if change is None else change(self._run.t, values)

    @property
    def y(self) -> np.ndarray:
        return np.array([self[name] for name in self._run.states])


class _Energy:
    """Energies, some of them multiplied by a factor."""

    def __init__(self, energy: Any, factors: dict[str, float]) -> None:
        self._energy, self._factors = energy, factors

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._energy, name)
        factor = self._factors.get(name, 1.0)
        return {k: factor * v for k, v in value.items()} if isinstance(value, dict) else factor * value


def changed(events: ss.Events, index: int, **values: Any) -> ss.Events:
    """The events, one of them with other values."""
    rows = list(events)
    rows[index] = dataclasses.replace(rows[index], **values)
    return ss.Events(rows)


def without(events: ss.Events, index: int) -> ss.Events:
    """The events less one."""
    return ss.Events([e for i, e in enumerate(events) if i != index % len(events)])


def within(begin: float, end: float, change: Callable[[np.ndarray], Any]) -> Any:
    """A change of the samples between two times."""
    return lambda t, x: np.where((t >= begin) & (t < end), change(x), x)
