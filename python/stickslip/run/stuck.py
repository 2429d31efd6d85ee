"""Why a friction element sticks, and how far it is from breaking away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stickslip.errors import UnknownNameError
from stickslip.modes import Mode

if TYPE_CHECKING:
    from stickslip.run.trajectory import Trajectory


@dataclass(frozen=True, repr=False)
class Stuck:
    """Why an element sticks, from :meth:`Trajectory.why_stuck`.

    Attributes
    ----------
    element : str
        Name of the friction element.
    time : float
        The time asked about, s.
    force : float
        Force that it holds, N, with the sign of the motion that it prevents. Where several elements share a
        force in many ways, its share by the rule of the engine (`Event.rule`).
    limit : tuple of two float
        Lowest and highest force that it can hold at that time, N.
    since : float
        Start of this stick, s, or of the run if it was stuck before.
    for_good : bool
        True if it is certain that nothing in the machine breaks away any more: all signals stay constant,
        everything sticks, and what may still swing (free coordinates, elastic surfaces) has too little energy
        to reach a limit. False where that is not known.
    unit : str
        Of force and limit.
    """

    element: str
    time: float
    force: float
    limit: tuple[float, float]
    since: float
    for_good: bool
    unit: str = "N"

    @property
    def margin(self) -> float:
        """Distance of the force from the nearer limit, N."""
        return min(self.limit[1] - self.force, self.force - self.limit[0])

    def __repr__(self) -> str:
        return (
            f"{self.element!r} holds {self.force:.6g} {self.unit} within [{self.limit[0]:.6g}, {self.limit[1]:.6g}] "
            f"{self.unit} at t = {self.time:g} s: margin {self.margin:.6g} {self.unit}, stuck since t = {self.since:g} s"
            f"{', for good' if self.for_good else ''}"
        )


def why_stuck(run: Trajectory, element: str, t: float | None) -> Stuck:
    """Why an element of a run sticks: see `Trajectory.why_stuck`."""
    compiled = run._raw.compiled
    rows = [name for name in compiled.friction if name not in compiled.compensators]
    known = dict.fromkeys([*rows, *(name for name, _ in compiled.contacts)])
    if element not in known:
        raise UnknownNameError(
            f"unknown element {element!r}; known are: {', '.join(map(repr, known)) or 'none'}"
        )
    if element not in rows:
        raise ValueError(f"element {element!r} has no friction: it cannot stick")
    time = run._raw.t_end if t is None else float(t)
    here = run.at(time)
    i, mode = compiled.friction.index(element), Mode(int(here[f"{element}.mode"][0]))
    low, high = float(here._samples.lower_limits[i, 0]), float(here._samples.upper_limits[i, 0])
    if np.isnan(low) or mode is Mode.FREE:
        raise ValueError(f"element {element!r} does not stick at t = {time:g}: its mode is {mode}")
    own = run.events.of(element)
    entries = own.time[(own.after == Mode.STICK) & (own.time <= time)]
    return Stuck(
        element=element,
        time=time,
        force=float(here[f"{element}.force"][0]),
        limit=(low, high),
        since=float(entries[-1]) if entries.size else run._raw.t_begin,
        for_good=run._raw.stuck_for_good(time),
        unit=run.units.get(f"{element}.force", ""),
    )
