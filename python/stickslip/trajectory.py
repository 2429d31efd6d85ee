"""What a run leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip.energy import Energy
from stickslip.events import Event, Events
from stickslip.modes import Mode

if TYPE_CHECKING:
    from stickslip.machine import Machine

__all__ = ["Status", "Trajectory"]

Array = NDArray[np.float64]


class Status(str, Enum):
    """How a run ended; equal to its name as a string."""

    FINISHED = "finished"
    BUDGET = "budget"
    NO_SOLUTION = "no_solution"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"

    def __str__(self) -> str:
        return self.value


class Trajectory:
    """The motion of a machine: samples, events, energy, and a state to go on from.

    Attributes
    ----------
    t : ndarray, shape (n_times,)
        Sample times, s.
    y : ndarray, shape (n_states, n_times)
        States, named in `states`.
    events : Events
        Every change of mode, with its cause.
    status : Status
        ``"finished"``, ``"budget"``, ``"no_solution"``, ``"stalled"``; `message` says more, `success` is True if finished.
    state : State
        Complete state at the end: ``simulate(machine, state=run.state, t_end=...)`` goes on with the same bits.

    Named signals are read with ``run["block.position"]``: positions, velocities and accelerations of coordinates;
    ``.force`` (opposing the velocity), ``.velocity``, ``.load`` and ``.mode`` of friction elements; ``.output``,
    ``.reference``, ``.error`` and ``.mode`` of controllers.
    """

    def __init__(self, machine: Machine, raw: _core.Trajectory, grid: Array | None) -> None:
        self._machine = machine
        self._raw = raw
        self.t: Array = np.array(raw.step_times()) if grid is None else grid

    def __repr__(self) -> str:
        return (
            f"Trajectory({self._raw.t_begin:g} s to {self._raw.t_end:g} s, {len(self.t)} samples, "
            f"{len(self.events)} events, {self.status})"
        )

    @property
    def machine(self) -> Machine:
        """The machine that ran."""
        return self._machine

    @property
    def status(self) -> Status:
        """How the run ended."""
        return Status(self._raw.status)

    @property
    def message(self) -> str:
        """The same in words."""
        return self._raw.message

    @property
    def success(self) -> bool:
        """Whether the run reached its end."""
        return self.status is Status.FINISHED

    @property
    def state(self) -> _core.State:
        """Complete state at the end of the run."""
        return self._raw.state

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the rows of `y`."""
        return self._machine.states

    @cached_property
    def method(self) -> dict[str, str]:
        """How each combination of modes was run: ``"exact"``, ``"explicit"`` or ``"stiff"``."""
        places = self._machine.elements
        out: dict[str, str] = {}
        for modes, kind in self._raw.regimes:
            key = ", ".join(f"{p} {Mode(m)}" for p, m in zip(places, modes, strict=True)) or "linear"
            out[key] = f"{out[key]}, {kind}" if key in out and kind not in out[key] else kind
        return out

    @cached_property
    def events(self) -> Events:
        """Every change of mode."""
        places = (*self._machine.elements, *self._machine.controllers)
        return Events(
            [
                Event(
                    e.time,
                    places[e.element],
                    Mode(e.before),
                    Mode(e.after),
                    e.cause,
                    e.rule,
                    None if e.solutions < 0 else e.solutions,
                    e.ambiguous,
                    e.instant,
                )
                for e in self._raw.events
            ]
        )

    @cached_property
    def _samples(self) -> dict[str, Array]:
        return self._raw.sample(self.t)

    @property
    def y(self) -> Array:
        """States, shape (n_states, n_times)."""
        return self._samples["y"]

    @cached_property
    def _signals(self) -> dict[str, Callable[[], NDArray[Any]]]:
        table: dict[str, Callable[[], NDArray[Any]]] = {}

        def row(key: str, i: int) -> Callable[[], NDArray[Any]]:
            return lambda: self._samples[key][i]

        names = self._machine.names
        for i, state in enumerate(self.states):
            table[state] = row("y", i)
        for i, name in enumerate(names):
            table[f"{name}.acceleration"] = row("rate", len(names) + i)
        for i, place in enumerate(self._machine.elements):
            for key in ("force", "velocity", "load", "mode"):
                table[f"{place}.{key}"] = row(key, i)
        first = 0
        for i, (name, outputs, follows, measures) in enumerate(self._machine.compile().controllers):
            for j in range(outputs):
                number = str(j) if outputs > 1 else ""
                table[f"{name}.output{number}"] = row("output", first + j)
                table[f"{name}.mode{number}"] = row("limit", first + j)
            first += outputs
            if follows:
                table[f"{name}.reference"] = row("reference", i)
            if follows and measures:
                table[f"{name}.error"] = row("error", i)
        return table

    @property
    def signals(self) -> tuple[str, ...]:
        """Names that ``run[...]`` knows."""
        return tuple(self._signals)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            read = self._signals[name]
        except KeyError:
            raise KeyError(f"unknown signal {name!r}; known are: {', '.join(map(repr, self._signals))}") from None
        return read()

    def __contains__(self, name: object) -> bool:
        return name in self._signals

    def at(self, t: ArrayLike) -> Trajectory:
        """The same run sampled at other times, from its dense form; nothing is computed again.

        Parameters
        ----------
        t : array_like
            Times within the run, s, not decreasing.
        """
        times = np.array(t, dtype=float, ndmin=1)
        if times.size == 0 or times[0] < self._raw.t_begin or times[-1] > self._raw.t_end:
            raise ValueError(f"t must lie within the run, {self._raw.t_begin} to {self._raw.t_end}")
        return Trajectory(self._machine, self._raw, times)

    @cached_property
    def energy(self) -> Energy:
        """The energy balance at the sample times."""
        return Energy(self._machine, self.t, self._raw.energy(self.t), self._machine.elements)

    def to_xarray(self) -> Any:
        """All signals as an xarray Dataset over time (needs the extra ``data``)."""
        try:
            import xarray as xr
        except ImportError as error:
            raise ImportError('to_xarray() needs xarray: pip install "stickslip[data]"') from error
        data = {name: ("time", np.asarray(self[name])) for name in self.signals}
        return xr.Dataset(data, coords={"time": ("time", self.t, {"units": "s"})})

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw signals over time with modes shaded (needs the extra ``figures``).

        Parameters
        ----------
        *names : str
            Signals; by default the positions and the friction forces.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
        """
        from stickslip.plotting import plot

        return plot(self, *names, ax=ax)
