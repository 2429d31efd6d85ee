"""Orbits of the branch that begins at a flip or at a branch point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip.cycles._closing import NotClosed
from stickslip.cycles._points import Place, close_on

if TYPE_CHECKING:
    from stickslip.cycles._walk import Walk
    from stickslip.cycles.bifurcation import Bifurcation

Array = NDArray[np.float64]

_AHEAD = (1e-2, 1e-3, 3e-2)  # distances from the bifurcation
_REACH = 1.0  # of them


def beside(walk: Walk, bifurcation: Bifurcation) -> Place:
    """Return the first orbit of the other branch.

    Raises
    ------
    ValueError
        If there is none close to the bifurcation.
    """
    point, count = bifurcation._point, 2 if bifurcation.name == "flip" else 1
    frame = point.frame(walk.width)
    n, shot = frame.n, point.shot
    monodromy = shot.monodromy * frame.size / frame.size[:, None]
    if frame.is_autonomous:  # motions on the section alone
        along = frame.rate / frame.size / frame.speed
        monodromy = monodromy - np.outer(along, along @ monodromy)
        monodromy -= np.outer(monodromy @ along, along)
    multiplier = -1.0 if bifurcation.name == "flip" else 1.0
    direction = np.zeros(n + (2 if frame.is_autonomous else 1))
    direction[:n] = np.linalg.svd(monodromy - multiplier * np.eye(n))[2][-1]
    family = point.family.repeated(count)
    guess = frame.unknowns(shot.values, count * shot.period, point.value)
    said = ""
    for length in _AHEAD:
        for forward in (direction, -direction):
            try:
                found = close_on(family, frame, guess + length * forward, forward, _REACH * length)
            except NotClosed as error:
                said = str(error)
                continue
            return walk.placed(found, frame, forward)
    raise ValueError(f"no orbit of another branch was found beside the {bifurcation.name}: {said}")
