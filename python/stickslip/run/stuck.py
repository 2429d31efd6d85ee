"""State of a sticking friction element: its force and its distance from break-away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickslip.errors import UnknownNameError
from stickslip.modes import Mode
from stickslip.run._owners import owner

if TYPE_CHECKING:
    from stickslip.run.trajectory import Trajectory


@dataclass(frozen=True, repr=False)
class Stuck:
    """Result of :meth:`Trajectory.why_stuck`: state of a sticking element.

    Attributes
    ----------
    element : str
        Name of the friction element.
    time : float
        Time of the query, s.
    force : float
        Friction force, N, with the sign of the motion that it prevents. If the forces of several elements are
        statically indeterminate, the one selected by the engine (`Event.rule`).
    limit : tuple of two float
        Lowest and highest force of stick at that time, N.
    since : float
        Start of this stick, s, or of the run.
    permanent : bool
        True if no element of the machine can break away any more: all signals stay constant, all elements stick, and
        remaining oscillations (free coordinates, elastic surfaces) have too little energy to reach a limit. False if
        unknown.
    unit : str
        Unit of force and limit.
    """

    element: str
    time: float
    force: float
    limit: tuple[float, float]
    since: float
    permanent: bool
    unit: str = "N"

    @property
    def margin(self) -> float:
        """Distance of the force from the nearer limit, N."""
        return min(self.limit[1] - self.force, self.force - self.limit[0])

    def __repr__(self) -> str:
        return (
            f"{self.element!r} holds {self.force:.6g} {self.unit} within [{self.limit[0]:.6g}, {self.limit[1]:.6g}] "
            f"{self.unit} at t = {self.time:g} s: margin {self.margin:.6g} {self.unit}, stuck since t = {self.since:g} s"
            f"{', permanently' if self.permanent else ''}"
        )


def why_stuck(run: Trajectory, element: str, t: float | None) -> Stuck:
    """Implement `Trajectory.why_stuck`."""
    compiled = run._raw.compiled
    rows = [name for name in compiled.friction if name not in compiled.compensators]
    known = dict.fromkeys(owner(name) for name in (*rows, *(name for name, _ in compiled.contacts)))
    if element not in known:
        raise UnknownNameError(
            f"unknown element {element!r}; known are: {', '.join(map(repr, known)) or 'none'}"
        )
    if element not in rows:
        raise ValueError(f"element {element!r} has no friction: it cannot stick")
    time = run._raw.t_end if t is None else float(t)
    here = run.at(time)
    parts = [i for i, name in enumerate(compiled.friction) if owner(name) == element]
    mode = Mode(int(here[f"{element}.mode"][0]))
    low, high = (
        float(limits[parts, 0].sum()) for limits in (here._samples.lower_limits, here._samples.upper_limits)
    )
    if np.isnan(low) or mode is Mode.FREE:
        raise ValueError(f"element {element!r} does not stick at t = {time:g}: its mode is {mode}")
    own = run.events.of(element)
    entries = own.time[np.isin(own.after, (Mode.STICK, Mode.LOCKED)) & (own.time <= time)]
    return Stuck(
        element=element,
        time=time,
        force=float(here[f"{element}.force"][0]),
        limit=(low, high),
        since=float(entries[-1]) if entries.size else run._raw.t_begin,
        permanent=run._raw.sticks_permanently(time),
        unit=run.units.get(f"{element}.force", ""),
    )
