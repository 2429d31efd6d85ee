"""Runs of a machine with trial parameters, compared with records, and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import Array
from stickslip.ensembles.task import Task
from stickslip.errors import UnknownNameError
from stickslip.identify._free import Free
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run.simulation import simulate
from stickslip.run.trajectory import Trajectory

# A machine that is refused or does not reach its end: residuals of this many sizes of the data turn the search away.
REFUSED = 1e6


@dataclass(frozen=True, eq=False)
class Signal:
    """One record: a signal of the machine, its samples, and their standard deviation."""

    name: str
    t: Array
    y: Array
    size: float
    sigma: float | None


class Problem:
    """Runs of a machine with trial parameters, compared with records."""

    def __init__(self, task: Task, signals: list[Signal], ends: list[float]) -> None:
        self.task, self.signals, self.ends = task, signals, ends
        self.grids = []
        union = np.unique(np.concatenate([s.t for s in signals]))
        for k, (a, b) in enumerate(pairwise(ends)):
            last = k == len(ends) - 2
            self.grids.append(union[(union >= a) & ((union <= b) if last else (union < b))])
        self.weights = [1.0 / (s.sigma or s.size) for s in signals]
        self.runs_made = 0
        self.best: tuple[float, Array] | None = None

    # -- parameters

    def begin(self, names: list[str], start: Array, limits: dict[str, tuple[float, float]]) -> None:
        """Make the free parameters, including those of restarts."""
        self.own = len(names)
        try:
            machine = self._machine(start)
            machine.compile()
        except UnknownNameError:
            raise
        except ValueError as error:
            raise ValueError(f"free: the machine refuses the start values: {error}") from error
        positions = [s for s in machine.states if s.rpartition(".")[2] in ("position", "velocity")]
        positions = [s for s in positions if s.rpartition(".")[0] in getattr(machine, "names", ())]
        self.carried = positions if len(self.ends) > 2 else []
        more, values = [], []
        if self.carried:
            runs = self._runs(machine, self.task.options["initial"], None)
            for k, time in enumerate(self.ends[1:-1], start=1):
                for state in self.carried:
                    more.append(f"{state}@{time:g}")
                    values.append(self._measured(state, time, float(runs[k][state][0])))
        self.names = [*names, *more]

        def allowed(values: Array) -> object:
            return self._machine(values[: self.own]).compile()

        begin = np.concatenate([start, values])
        bounds = {name: (-np.inf, np.inf) for name in more} | limits
        self.free = Free(self.names, begin, bounds, allowed)
        sizes = self.free.sizes
        for i, name in enumerate(more, start=self.own):
            spread = [s.size for s in self.signals if s.name == name.partition("@")[0]]
            sizes[i] = max(sizes[i] if begin[i] else 0.0, *spread) if spread else sizes[i]

    def _measured(self, state: str, time: float, otherwise: float) -> float:
        """Start value of a state after a restart: a measured value, its slope, or the value of the run."""
        for s in self.signals:
            if s.name == state:
                return float(np.interp(time, s.t, s.y))
        for s in self.signals:
            if state.endswith(".velocity") and s.name == state[:-8] + "position":
                at = int(np.searchsorted(s.t, time))
                here = slice(at, min(at + 8, s.t.size))
                if s.t[here].size > 2:
                    return float(np.polyfit(s.t[here] - time, s.y[here], 2)[1])
        return otherwise

    def _machine(self, values: Array) -> Machine | StateSpace:
        return self.task._machine(np.asarray(values, dtype=float))[0]

    # -- runs

    def settings(self, values: Array) -> tuple[Machine | StateSpace, dict[str, float]]:
        """Return the machine with these parameters, and its initial values."""
        machine, options = self.task._machine(values[: self.own])
        initial = options["initial"]
        if isinstance(initial, dict):
            return machine, initial
        return machine, dict(zip(machine.compile().states, map(float, initial), strict=True))

    def _runs(
        self,
        machine: Machine | StateSpace,
        initial: Any,
        states: Array | None,
        by: Sequence[Sequence[str]] | None = None,
    ) -> list[Trajectory]:
        """One run for each interval; later ones start with the given states, else with the end of the one before.

        `by`: the parameters by which each of them is differentiated.
        """
        options = {k: v for k, v in self.task.options.items() if k not in ("initial", "t_start")}
        runs: list[Trajectory] = []
        for k, (a, b) in enumerate(pairwise(self.ends)):
            if k:
                end = runs[-1].state
                initial = dict(zip(machine.compile().states, map(float, end.x), strict=True))
                if states is not None:
                    initial |= dict(zip(self.carried, map(float, states[k - 1]), strict=True))
            grid = self.grids[k]
            if k < len(self.ends) - 2 or not grid.size:
                grid = np.append(grid, b)
            run = simulate(
                machine,
                b,
                t_start=a,
                initial=initial,
                t_eval=grid,
                sensitivities=by[k] if by else (),
                **options,
            )
            self.runs_made += 1
            if not run.success:
                raise NotRun(run.message)
            runs.append(run)
        return runs

    def runs(self, x: Array) -> list[Trajectory]:
        """Return the runs at the parameters of the optimiser."""
        return self._runs(*self._trial(x))

    def _trial(self, x: Array) -> tuple[Machine | StateSpace, Any, Array | None]:
        """The machine, its initial values, and those of the later stretches."""
        values = self.free.outside(x)
        later = values[self.own :].reshape(len(self.ends) - 2, -1) if self.carried else None
        return *self.settings(values), later

    def _samples(self, k: int, run: Trajectory, s: Signal) -> NDArray[np.intp]:
        """Places of the samples of a signal in the run of a stretch."""
        after, before = s.t >= self.ends[k], s.t < self.ends[k + 1]
        if k == len(self.ends) - 2:
            before = s.t <= self.ends[k + 1]
        return np.asarray(np.searchsorted(run.t, s.t[after & before]))

    def off(self, x: Array) -> list[Array]:
        """Return the deviation of each signal from its record."""
        runs = self.runs(x)
        return [
            np.concatenate([run[s.name][self._samples(k, run, s)] for k, run in enumerate(runs)]) - s.y
            for s in self.signals
        ]

    def tangents(self, x: Array) -> tuple[Array | None, str]:
        """Return derivatives of the residuals along the runs; None and a reason if they end before the data.

        Raises
        ------
        ValueError
            If the machine has no derivatives.
        """
        if self.task.builds:
            raise ValueError("a function builds the machine, so its parameters have no derivatives")
        machine, initial, later = self._trial(x)
        states = list(machine.compile().states)
        names = [n for n in self.task.names if n not in states]
        # Each stretch by its parameters: those of the machine, and those it starts from. The start of a later one moves
        # as the end of the one before, but for the states that are parameters themselves.
        by = [self.task.names, *([[*names, *states]] * (len(self.ends) - 2))]
        runs = self._runs(machine, initial, later, by)
        place = {name: j for j, name in enumerate(self.names)}
        chain = np.eye(self.own, len(self.names))
        rows: list[list[Array]] = [[] for _ in self.signals]
        for k, run in enumerate(runs):
            if k:
                starts = runs[k - 1].sensitivity.end @ chain
                for j, state in enumerate(self.carried, start=self.own + (k - 1) * len(self.carried)):
                    starts[states.index(state)] = np.eye(len(self.names))[j]
                chain = np.vstack([np.eye(len(self.names))[[place[n] for n in names]], starts])
            for row, s in zip(rows, self.signals, strict=True):
                at = self._samples(k, run, s)
                moved = [run.sensitivity[s.name, name][at] for name in by[k]]
                row.append(np.stack(moved, axis=1) @ chain)
        found = np.vstack([w * np.vstack(row) for w, row in zip(self.weights, rows, strict=True)])
        if np.isfinite(found).all():
            return found @ self.free.map, ""
        ends = [u for u in (run.sensitivity.valid_until for run in runs) if np.isfinite(u.time)]
        return None, f"derivatives end at t = {ends[0].time:g} s: {ends[0].reason}"

    def residuals(self, x: Array) -> Array:
        """Return all residuals in units of their standard deviation; huge if the machine is refused or a run ends early."""
        try:
            r = np.concatenate([w * d for w, d in zip(self.weights, self.off(x), strict=True)])
        except (NotRun, ValueError) as error:
            if isinstance(error, UnknownNameError) or self.best is None:
                raise
            return np.full(sum(s.t.size for s in self.signals), REFUSED)
        cost = float(r @ r)
        if self.best is None or cost < self.best[0]:
            self.best = (cost, np.array(x))
        return r


class NotRun(Exception):
    """A run did not reach its end."""
