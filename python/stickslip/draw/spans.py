"""Modes over time, from the events of a trajectory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from stickslip.modes import Mode
from stickslip.run._dense import OF_PICTURES, looked_at
from stickslip.run.trajectory import Trajectory


class TrajectoryLike(Protocol):
    """Interface of trajectories for pictures."""

    @property
    def t(self) -> npt.NDArray[np.float64]:
        """Sample times (n_times,) in s."""

    @property
    def events(self) -> Iterable[Any]:
        """Events with ``time``, ``element``, ``before``, ``after`` and ``cause``."""

    @property
    def signals(self) -> Sequence[str]:
        """Names of the signals; an element has modes if ``<element>.mode`` is among them."""

    def __getitem__(self, name: str, /) -> npt.NDArray[Any]:
        """Signal of that name, (n_times,)."""


def resolved(run: Any, *names: str) -> Any:
    """Resample a trajectory as finely as a picture of these signals needs; return any other object unchanged."""
    if not isinstance(run, Trajectory):
        return run
    known = [name for name in names if name in run]
    return looked_at(run, lambda r: np.array([r[name] for name in known]), OF_PICTURES) if known else run


@dataclass(frozen=True)
class Span:
    """An interval of time that one element spent in one mode.

    Parameters
    ----------
    start, end : float
        s.
    mode : str
        Name of the mode; the shading follows `kind`: ``"stick"``, ``"slip"``, ``"open"``, ``"closed"``, ``"free"``,
        ``"locked"`` or, of controllers at a limit, ``"other"``.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.plotting.Span(0.0, 2.5, "stick").kind
    'stick'
    """

    start: float
    end: float
    mode: str

    @property
    def kind(self) -> str:
        """Kind of the mode: stick, slip, open, closed, free, locked or other."""
        for kind in ("stick", "slip", "open", "closed", "free", "locked"):
            if self.mode.startswith(kind):
                return kind
        return "other"


def elements(run: TrajectoryLike) -> list[str]:
    """Return the names of the elements that have modes."""
    return [name.removesuffix(".mode") for name in run.signals if name.endswith(".mode")]


_SHORT = {"slip_forward": "slip+", "slip_backward": "slip-"}


def mode_name(mode: object) -> str:
    """Return a mode's short name (stick, slip+, open, …), from a string, an enum member or its integer."""
    if isinstance(mode, (int, np.integer)):
        mode = Mode(int(mode))
    name = str(getattr(mode, "name", mode)).lower()
    return _SHORT.get(name, name)


def mode_spans(run: TrajectoryLike, element: str) -> list[Span]:
    """Return the modes of one element over time, separated by the exact times of its events.

    Parameters
    ----------
    run : Trajectory
        The run.
    element : str
        Name of an element with modes.

    Returns
    -------
    list of Span
        In order of time, without gaps, from the first to the last sample; spans of zero length are left out.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> class Still:
    ...     t, events, signals = np.array([0.0, 1.0]), (), ("pad.mode",)
    ...     def __getitem__(self, name):
    ...         return np.zeros(2, dtype=np.int8)
    >>> ss.plotting.mode_spans(Still(), "pad")
    [Span(start=0.0, end=1.0, mode='stick')]
    """
    start, end = float(run.t[0]), float(run.t[-1])
    changes = [event for event in run.events if event.element == element and event.time <= end]
    mode = changes[0].before if changes else run[f"{element}.mode"][0]
    spans = []
    for event in changes:
        if event.time > start:
            spans.append(Span(start, float(event.time), mode_name(mode)))
            start = float(event.time)
        mode = event.after
    if end > start or not spans:
        spans.append(Span(start, end, mode_name(mode)))
    return spans
