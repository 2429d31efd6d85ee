"""Parts that act on a chain besides friction: smooth between guards, with the changes at a guard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

NOTHING = np.zeros(0)


@dataclass
class Seen:
    """The motion at one time; `z` are the states of the part that looks, `a` accelerations where they are known."""

    t: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    a: np.ndarray = field(default_factory=lambda: NOTHING)


# Positive until its action is due.
Guard = tuple[Callable[[Seen], float], Callable[[Seen], None]]


class Attached:
    """A part with `states` of its own, which is smooth until a guard fires or a time comes."""

    states = 0
    looks = False  # at accelerations, in guards

    def begin(self, s: Seen) -> None:
        """Modes of the start."""

    def force(self, s: Seen) -> np.ndarray:
        """Its forces on the coordinates."""
        raise NotImplementedError

    def rates(self, s: Seen) -> np.ndarray:
        """Rates of its states."""
        return NOTHING

    def guards(self) -> list[Guard]:
        """The guards of the present mode."""
        return []

    def settle(self, s: Seen, jumps: bool) -> None:
        """Choose again after an event, or after a time at which something may jump."""

    def times(self, t_end: float) -> list[tuple[float, int]]:
        """Times of its actions, and their ranks among the actions at one time."""
        return []

    def due(self, s: Seen, rank: int) -> None:
        """Do it."""
