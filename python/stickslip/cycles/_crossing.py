"""Orbits on the other side of a grazing, where a branch ends or turns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip.cycles._closing import NotClosed
from stickslip.cycles._points import Frame, Place, Point, close_on, tangent_of

if TYPE_CHECKING:
    from stickslip.cycles._walk import Walk

Array = NDArray[np.float64]

_BESIDE = (1e-4, -1e-4, 1e-3, -1e-3, 1e-2, -1e-2)  # shares of the orbit and of the range of the parameter
_AHEAD = (1e-3, 1e-4, 1e-2)  # steps along the branch
_REACH = 1.0  # steps
_MEAN = 256  # times whose mean is the middle of the orbit


def other_side(walk: Walk, at: Place) -> Place | None:
    """Return an orbit close to a grazing one with another sequence of events; None if none is found.

    A slightly smaller or larger motion, or one with another value of the parameter, does not touch the limit, or passes
    it: its derivatives are those of orbits on the other side, and give the direction in which to look for them.
    """
    point, frame = at.point, at.frame
    origin = point.unknowns(frame)
    tried = {point.sequence.groups}
    for beside in _neighbours(walk, point):
        if np.isnan(beside.shot.slopes).any() or beside.sequence.groups in tried:
            continue
        tried.add(beside.sequence.groups)
        for guess, normal, reach in _ahead(frame, beside, origin):
            try:
                found = close_on(point.family, frame, guess, normal, reach)
            except NotClosed:
                continue
            if found.sequence.groups != point.sequence.groups:
                way = found.unknowns(frame) - origin
                forward = tangent_of(frame, found.shot, way / np.linalg.norm(way))
                return walk.placed(found, frame, forward, float(np.linalg.norm(way)))
    return None


def _neighbours(walk: Walk, point: Point) -> Iterator[Point]:
    """Motions beside the orbit that do not close."""
    shot = point.shot
    times = np.linspace(shot.t, shot.raw.t_end, _MEAN, endpoint=False)
    middle = point.family.flow(point.value).states(shot.raw, times, shot.t).mean(axis=1)
    smaller = np.append(middle, shot.values[middle.size :]) - shot.values
    for share in _BESIDE:
        for found in (
            point.beside(shot.values + share * smaller, point.value),
            point.beside(shot.values, point.value + share * walk.width),
        ):
            if found is not None:
                yield found


def _ahead(frame: Frame, beside: Point, origin: Array) -> Iterator[tuple[Array, Array, float]]:
    """Planes across the branch to which the derivatives of a neighbour belong, on both sides of the grazing orbit."""
    tangent = tangent_of(frame, beside.shot, None)
    for length in _AHEAD:
        for forward in (tangent, -tangent):
            yield origin + length * forward, forward, _REACH * length
