"""How exactly a run can be expected to satisfy its equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A step of a numerical method leaves a local error of `rtol` times the size of each state, its dense form a few times
# that between its ends. An exact flow leaves rounding, some hundred units in the last place of the terms that it sums.
NUMERICAL = 100.0
EXACT = 1e-10


@dataclass(frozen=True)
class Sizes:
    """Greatest values in a run, and how uncertain its samples are.

    Attributes
    ----------
    relative : float
        Error of each state relative to the greatest value that it takes in the run: 100 rtol of regimes that are
        integrated numerically, 1e-10 of exact ones.
    q, v : ndarray
        Greatest position and speed of each coordinate.
    states : dict
        The same of internal states.
    span : float
        Length of the run, s.
    """

    relative: float
    q: Array
    v: Array
    states: dict[str, float]
    span: float

    def of(self, names: list[str]) -> Array:
        """Sizes of internal states."""
        return np.array([self.states[name] for name in names])


def sizes(run: Any, rtol: float, names: tuple[str, ...]) -> Sizes:
    """Of a run that was made with this rtol."""
    kinds = set(", ".join(run.method.values()).split(", "))
    relative = EXACT if kinds <= {"exact", "settled"} else max(EXACT, NUMERICAL * rtol)
    with np.errstate(invalid="ignore"):
        greatest = dict(zip(run.states, np.abs(run.at(_steps(run)).y).max(axis=1), strict=True))
    q = np.array([greatest[f"{n}.position"] for n in names])
    v = np.array([greatest[f"{n}.velocity"] for n in names])
    return Sizes(relative, q, v, greatest, float(run._raw.t_end - run._raw.t_begin))


def _steps(run: Any) -> Array:
    """Ends of the steps, and the states before events."""
    t = np.concatenate([run._raw.step_times(), np.nextafter(run.events.time, -np.inf)])
    within: Array = np.clip(np.sort(t), run._raw.t_begin, run._raw.t_end)
    return within
