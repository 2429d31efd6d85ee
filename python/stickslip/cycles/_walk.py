"""Steps along a branch of periodic orbits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip.cycles._closing import NotClosed
from stickslip.cycles._crossing import other_side
from stickslip.cycles._locating import located
from stickslip.cycles._points import Frame, Place, Point, close_on, recentred, tangent_of, transferred
from stickslip.cycles._sequence import difference, grazing_elements
from stickslip.cycles.bifurcation import Bifurcation

Array = NDArray[np.float64]

_FIRST, _LONGEST = 0.01, 0.25  # steps along the branch, in ranges of the orbit and of the parameter
_LONGER, _SHORTER = 2.0, 0.5
_GROWS = 2  # steps since the last failure after which steps become longer
_REACH = 1.0  # steps: how far from its prediction a point may be
_NEAR = 0.1  # steps: distance of two orbits on both sides of a change
_BENT = 0.3  # angle up to which the curvature of the branch predicts the next orbit
_TURN = 0.8  # cosine of the greatest angle between the tangents at both ends of a step
_ANY_TURN = 1e-4  # shorter steps pass any angle
_PRECISE = 1e-3  # shorter steps approach a bifurcation
_LEAST, _LEAST_CHANGE = 1e-6, 1e-12  # step, and its change of the parameter, at which a change is located
_OVER = (1e-3, 3e-3, 1e-2, 3e-2)  # steps over orbits without derivatives
_AHEAD = (1e-3, 1e-4)  # steps that tell if the branch goes on
_FINE = 0.3  # of the greatest orbit: smaller ones are precise, so that their branch can be extrapolated
_SMALL, _VANISHING = 3e-2, 1e-3  # of the greatest orbit: the branch may end, and ends, at an equilibrium
_UNBOUNDED = 1e3  # of the first orbit: as large are orbits of a loop that is unstable without friction
_EXTRAPOLATED = 6  # orbits from which the parameter at the equilibrium is extrapolated
_APART = 1.5  # ratio of the times between two events for which their time is extrapolated to zero
_AGREES = 1e-3  # of the distance to it: two extrapolations
_SAME = 1e-6  # relative difference of orbits that are the same


class Walked(NamedTuple):
    """Orbits in one direction, the bifurcations among them, and why there are no more."""

    points: list[Point]
    found: list[Bifurcation]
    end: str
    closed: bool = False


class Walk:
    """A branch, followed from one orbit in one direction.

    Parameters
    ----------
    span : (float, float)
        Range of the parameter.
    longest : float
        Greatest step of the parameter.
    most : int
        Greatest number of orbits.
    """

    def __init__(self, span: tuple[float, float], longest: float, most: int) -> None:
        self.span, self.longest, self.most = span, longest, most
        self.width = span[1] - span[0]
        self.is_small = False  # the present orbit

    def along(self, start: Place) -> Walked:
        """Follow the branch in the direction of a tangent."""
        points: list[Point] = []
        found: list[Bifurcation] = []
        at, step, since, why = start, _FIRST, _GROWS, ""
        largest = start.point.motion
        while len(points) < self.most:
            if self._leaves(at):
                return Walked(points, found, f"end of the range, {at.point.value:g}")
            largest = np.maximum(largest, at.point.motion)
            self.is_small = bool(np.all(at.point.motion <= _FINE * largest))
            if np.all(at.point.motion <= _SMALL * largest):
                certain = bool(np.all(at.point.motion <= _VANISHING * largest))
                if walked := self._vanishing(points, found, certain):
                    return walked
            if np.any(at.point.motion > _UNBOUNDED * start.point.motion.max()):
                return Walked(points, found, f"the orbit grows without bound, at {at.point.value:.9g}")
            if len(found) > 1 and any(self._are_same(one, found[-1]) for one in found[:-1]):
                return Walked(points, found[:-1], f"the branch comes back to {found[-1]!r}")
            step = min(step, _LONGEST, self.longest / (self.width * max(abs(at.tangent[-1]), 1e-12)))
            if _is_least(step, at):
                behind, end = self._end(at, points, found, why)
                if behind is None:
                    return Walked(points, found, end)
                at, step, since = behind, _PRECISE, 0
                continue
            try:
                after = self.step(at, step)
                if not after.point.sequence.is_like(at.point.sequence):
                    at, step = self._changes(at, after, step, points, found)
                    since, why = 0, "orbits of another branch"
                    continue
                found += located(self, at, after)
            except NotClosed as error:
                step, since, why = step * _SHORTER, 0, str(error)
                continue
            if step >= _PRECISE * _PRECISE or not points:
                points.append(after.point)
            else:
                points[-1] = after.point
            if self._closes(start, at, after, len(points)):
                return Walked(points, found, "the branch is closed", closed=True)
            at, since = after, since + 1
            if since > _GROWS:
                step *= _LONGER
        return Walked(points, found, f"max_points = {self.most} orbits")

    def step(self, at: Place, length: float) -> Place:
        """Take one step; at the end of the range a shorter one that ends there."""
        frame, tangent = at.frame, at.tangent
        origin = at.point.unknowns(frame)
        point = self.near(at, length)
        if not self.span[0] <= point.value <= self.span[1]:
            bound = self.span[0] if point.value < self.span[0] else self.span[1]
            share = (bound - at.point.value) / (point.value - at.point.value)
            guess = origin + share * (point.unknowns(frame) - origin)
            guess[-1] = bound / self.width
            point = close_on(at.point.family, frame, guess, _unit(guess.size), _REACH * length)
            point = point.with_value(bound)
        forward = tangent_of(frame, point.shot, tangent)
        alike = point.sequence.is_like(at.point.sequence)
        if alike and length > _ANY_TURN and forward @ tangent < _TURN:
            raise NotClosed("the branch turns sharply")
        taken = float(tangent @ (point.unknowns(frame) - origin))
        bend = (forward - tangent) / taken if alike and taken > 0.0 else None
        return self.placed(point, frame, forward, taken, bend)

    def placed(
        self, point: Point, frame: Frame, tangent: Array, length: float = 0.0, bend: Array | None = None
    ) -> Place:
        """Return a point with its own coordinates, its start away from events."""
        own = point.frame(self.width)
        ahead = transferred(tangent, frame, own)
        size = float(np.linalg.norm(ahead))
        forward = tangent_of(own, point.shot, ahead / size)
        if bend is not None:
            bend = transferred(bend, frame, own) / size**2
            bend -= forward * (forward @ bend)
        return recentred(Place(point, own, forward, length, bend))

    def near(self, at: Place, length: float, *, precise: bool = False) -> Point:
        """Return the orbit on the plane across the branch, a length ahead."""
        frame = at.frame
        guess = at.point.unknowns(frame) + length * at.tangent
        if at.bend is not None and abs(length) * np.linalg.norm(at.bend) < _BENT:
            guess += 0.5 * length**2 * at.bend
        return close_on(
            at.point.family,
            frame,
            guess,
            at.tangent,
            _REACH * abs(length),
            precise=precise or abs(length) < _PRECISE or self.is_small,
            neighbour=at.point.shot,
        )

    def _changes(
        self, at: Place, after: Place, step: float, points: list[Point], found: list[Bifurcation]
    ) -> tuple[Place, float]:
        """Locate a change of the sequence of events; return a place behind it, and the next step.

        If the orbit behind belongs to another branch, return the last place of this one; with the step 0 if it ends there.
        """
        trail, high = self._last_alike(at, after.step)
        low = trail[-1]
        points.append(low.point)
        if high is None:
            return low, _SHORTER * step
        edge, change = self._change([place.point for place in trail], low, high)
        size = after.step * np.linalg.norm(at.point.motion)
        if np.linalg.norm(edge.motion - low.point.motion) > _NEAR * size:
            return low, _SHORTER * step
        if not self._leads_on(high):
            return low, 0.0
        points += [edge, high.point] if edge is not low.point else [high.point]
        found.append(change)
        return high, max(_SHORTER * step, _PRECISE)

    def _leads_on(self, place: Place) -> bool:
        """True if the branch goes on in this direction; two branches that end there are mixed by numerical noise."""
        for length in _AHEAD:
            try:
                return self.step(place, length).point.sequence.is_like(place.point.sequence)
            except NotClosed:
                continue
        return False

    def _last_alike(self, at: Place, room: float) -> tuple[list[Place], Place | None]:
        """Return the places with the same sequence of events ahead, and the closest one that was met behind them."""
        trail, low, high, length = [at], at, None, room
        while not _is_least(min(room, length), low):
            length = 0.5 * min(length, room)
            try:
                middle = self.step(low, length)
            except NotClosed:  # perhaps by the length alone: nothing is known about the place
                continue
            if middle.point.sequence.is_like(low.point.sequence):
                low, room, length = middle, room - length, 4.0 * length
                trail.append(low)
            else:
                high, room = middle, length
        return trail, high

    def _change(self, trail: list[Point], low: Place, high: Place) -> tuple[Point, Bifurcation]:
        """Name a change of events; derivatives are regular up to it on the side with fewer events."""
        edge = low.point
        if len(high.point.sequence.groups) < len(low.point.sequence.groups):
            back = Place(high.point, high.frame, -high.tangent)
            edge = self._last_alike(back, 2.0 * high.step)[0][-1].point
        name, elements = difference(low.point.sequence, high.point.sequence)
        value = edge.value
        if (
            name == "event order"
        ):  # closer to it no derivatives are found: the time between the events is zero there
            closest = int(np.argmin(low.point.sequence.gaps))
            kept: list[tuple[float, float]] = []
            for point in reversed(trail):
                if point.sequence.groups != low.point.sequence.groups:
                    break
                gap = point.sequence.gaps[closest]
                if not kept or gap > _APART * kept[-1][0]:
                    kept.append((gap, point.value))
            gaps, values = np.array(kept[:_EXTRAPOLATED]).T
            value = extrapolated(gaps, values)
        return edge, Bifurcation.of(name, elements, edge, value)

    def _end(
        self, at: Place, points: list[Point], found: list[Bifurcation], why: str
    ) -> tuple[Place | None, str]:
        """Look for orbits on the other side of the place where the branch ends."""
        behind = self._over(at) or other_side(self, at)
        if behind is not None and behind.point.sequence.is_like(at.point.sequence):
            points.append(behind.point)
            return behind, ""
        if behind is not None:
            edge, change = self._change(points, at, behind)
            found.append(change)
            points += [edge, behind.point] if edge is not at.point else [behind.point]
            return behind, ""
        grazing = grazing_elements(at.point.shot.raw)
        if grazing:
            found.append(Bifurcation.of("grazing", grazing, at.point))
            who = ", ".join(map(repr, grazing))
            return None, f"grazing of {who} at {at.point.value:.9g}; none was found beyond"
        return None, f"none was found beyond {at.point.value:.9g}: {why}"

    def _over(self, at: Place) -> Place | None:
        """Step over orbits of which no derivatives are found, where two events are nearly simultaneous."""
        for length in _OVER:
            try:
                found = self.step(at, length)
            except NotClosed:
                continue
            if found.point.sequence.is_like(at.point.sequence) or self._leads_on(found):
                return found
        return None

    def _leaves(self, at: Place) -> bool:
        return (at.point.value >= self.span[1] and at.tangent[-1] > 0.0) or (
            at.point.value <= self.span[0] and at.tangent[-1] < 0.0
        )

    def _vanishing(self, points: list[Point], found: list[Bifurcation], certain: bool) -> Walked | None:
        """The end of a branch at an equilibrium: the parameter is a polynomial of the square of the amplitude."""
        last = points[-_EXTRAPOLATED:]
        values = np.array([point.value for point in last])
        squares = np.array([np.sum((point.motion / last[0].motion.max()) ** 2) for point in last])
        ends = extrapolated(squares, values), extrapolated(squares[:-1], values[:-1])
        if not certain and abs(ends[0] - ends[1]) > _AGREES * abs(values[-1] - ends[0]):
            return None
        if any(point.sequence.groups for point in last):
            return Walked(points, found, f"the orbit shrinks to an equilibrium at {ends[0]:.9g}")
        found.append(Bifurcation.of("Hopf", (), last[-1], ends[0]))
        return Walked(points, found, f"Hopf bifurcation of an equilibrium at {ends[0]:.9g}")

    def _closes(self, start: Place, at: Place, after: Place, count: int) -> bool:
        """True if a step passes the first orbit again, in the same direction."""
        if count < 8 or (start.point.value - at.point.value) * (start.point.value - after.point.value) > 0.0:
            return False
        if (
            start.point.sequence.groups != after.point.sequence.groups
            or start.tangent[-1] * after.tangent[-1] <= 0.0
        ):
            return False
        one, two, first = (self._features(place.point, start.point) for place in (at, after, start))
        return bool(
            np.linalg.norm(two - first) + np.linalg.norm(one - first) <= 1.5 * np.linalg.norm(two - one)
        )

    def _are_same(self, one: Bifurcation, other: Bifurcation) -> bool:
        """True if a bifurcation was met before, and passed in the same direction."""
        if one.name != other.name or abs(one.value - other.value) > _SAME * self.width:
            return False
        a, b = one._point.motion, other._point.motion
        return bool(np.linalg.norm(a - b) <= _SAME * np.linalg.norm(a))

    def _features(self, point: Point, first: Point) -> Array:
        size = np.where(first.motion > 0.0, first.motion, 1.0)
        return np.concatenate(
            [point.motion / size, [point.value / self.width, point.shot.period / first.shot.period]]
        )


def extrapolated(x: Array, y: Array) -> float:
    """Value at x = 0 of the polynomial through all points (Neville)."""
    y = y.copy()
    for k in range(1, x.size):
        y = (x[:-k] * y[1:] - x[k:] * y[:-1]) / (x[:-k] - x[k:])
    return float(y[0])


def _is_least(step: float, at: Place) -> bool:
    return step <= _LEAST and step * abs(at.tangent[-1]) <= _LEAST_CHANGE


def _unit(n: int) -> Array:
    out = np.zeros(n)
    out[-1] = 1.0
    return out
