"""Points of a branch of periodic orbits, and steps from one to the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.cycles._closing import NotClosed
from stickslip.cycles._family import Family
from stickslip.cycles._flow import Flow, Shot
from stickslip.cycles._moving import MovingFrame
from stickslip.cycles._returns import STILL
from stickslip.cycles._sequence import Sequence, sequence_of
from stickslip.cycles.orbit import Orbit
from stickslip.cycles.periodic import multipliers_of, orbit_of

Array = NDArray[np.float64]
Multipliers = NDArray[np.complex128]

_MOST_STEPS = 10  # of Newton's method
_CLOSED, _GOOD = 1e-9, 1e-12  # of the range of each state: orbits close so at least; and between bifurcations
_INTEGRATED = 10.0  # relative tolerances of numerical integration: likewise, where it is used
_MOST_APPROACHES = 8  # steps of Broyden's method
_CHORD = 1e-2  # reduction by a step with the derivatives of a neighbour; 1.5e-3 for 200 orbits of hunting, 0.01 apart
_NOISE = 1e-14  # likewise: no step of Newton's method improves on this
_REDUCED = 0.5  # by a step: less shows the noise of the motion or a diverging iteration
_COLLAPSED = 0.1  # of the range before a step: the motion that repeats itself is an equilibrium
_LOOKS = 64  # times at which ranges are read, besides steps
_NUMERICAL_ZERO = 1e-10  # of the greatest range
_STEEP = 1e6  # tangent of an angle that is nearly a right one
_NEAR_EVENT = 0.1  # of the longest interval without events: a start so close to an event moves
_SINGULAR = 1e-13  # of the largest singular value: along a family of orbits the nearest one is taken


@dataclass(frozen=True)
class Frame:
    """Coordinates of orbits near one of them: states in their ranges, the path of the period, the parameter in its range.

    Starts of orbits lie on the plane through the start of that orbit across its motion.
    """

    state: _core.dynamics.State
    t: float
    values: Array
    size: Array
    rate: Array
    span: float
    is_autonomous: bool

    @property
    def n(self) -> int:
        """Number of components of the state."""
        return self.values.size

    @property
    def speed(self) -> float:
        """Path per time at the start."""
        return float(np.linalg.norm(self.rate / self.size))

    def unknowns(self, values: Array, period: float, value: float) -> Array:
        """Coordinates of an orbit."""
        middle = [period * self.speed] if self.is_autonomous else []
        return np.concatenate([values / self.size, middle, [value / self.span]])

    def jacobian(self, shot: Shot) -> Array:
        """Derivatives of end minus start, and of the position along the motion if the machine is autonomous."""
        n = self.n
        of_values, of_period, of_parameter = shot.closing
        columns = [of_values * self.size / self.size[:, None]]
        if self.is_autonomous:
            columns.append((of_period / self.size / self.speed)[:, None])
        columns.append(of_parameter * self.span / self.size[:, None])
        matrix = np.hstack(columns)
        if self.is_autonomous:
            along = np.zeros(n + 2)
            along[:n] = self.rate / self.size / self.speed
            matrix = np.vstack([matrix, along])
        return np.vstack([matrix, self._fixed(shot.frame, matrix.shape[1])])

    def _fixed(self, frame: MovingFrame | None, columns: int) -> Array:
        """Rows for free displacements, which remain as they are."""
        free = np.zeros((self.n, 0)) if frame is None else frame.free / self.size[:, None]
        rows = np.zeros((free.shape[1], columns))
        rows[:, : self.n] = free.T
        return rows


@dataclass(frozen=True)
class Point:
    """An orbit at a value of the parameter."""

    family: Family
    value: float
    shot: Shot
    state: _core.dynamics.State  # whose modes the start has
    range: Array  # of each component in one period

    @cached_property
    def sequence(self) -> Sequence:
        """Events of one period."""
        return sequence_of(self.shot.raw)

    @cached_property
    def multipliers(self) -> tuple[Multipliers, int, bool]:
        """Multipliers, number of zeros, stability."""
        return multipliers_of(self.family.flow(self.value), self.shot, self.range)

    @property
    def others(self) -> Multipliers:
        """Multipliers without the trivial one."""
        return self.multipliers[0][self.family.flow(self.value).neutral :]

    def unknowns(self, frame: Frame) -> Array:
        """Coordinates in a frame with the same start."""
        return frame.unknowns(self.shot.values, self.shot.period, self.value)

    def frame(self, span: float) -> Frame:
        """Coordinates around this orbit."""
        shot = self.shot
        size = self.range * np.sqrt(self.range.size)
        return Frame(self.state, shot.t, shot.values, size, shot.rates[0], span, self.family.is_autonomous)

    @cached_property
    def motion(self) -> Array:
        """Root mean square of each state about its mean."""
        times = np.linspace(self.shot.t, self.shot.raw.t_end, _LOOKS, endpoint=False)
        flow = self.family.flow(self.value)
        return np.asarray(np.std(flow.states(self.shot.raw, times, self.shot.t), axis=1))

    def with_value(self, value: float) -> Point:
        """Return the point with its value of the parameter free of rounding."""
        return replace(self, value=value)

    def beside(self, values: Array, value: float) -> Point | None:
        """Return the motion from other values over one period, which does not close; None if it ends early."""
        period = self.shot.period if self.family.is_autonomous else self.family.period(value)
        try:
            shot = self.family.shoot(self.state, values, self.shot.t, period, value)
        except ValueError:
            return None
        return replace(self, shot=shot, value=value) if shot.raw.status == "finished" else None

    def orbit(self) -> Orbit:
        """Return the orbit."""
        return orbit_of(self.family.flow(self.value), self.shot, self.range)


class Place(NamedTuple):
    """A point, coordinates around it, the direction of the branch there, and its distance from the last place."""

    point: Point
    frame: Frame
    tangent: Array
    step: float = 0.0
    bend: Array | None = None  # derivative of the tangent along the branch, in the same coordinates


def range_of(flow: Flow, raw: _core.run.Trajectory, values: Array) -> Array:
    """Range of each component of the state over a run; the size of those that do not move, the greatest one of zeros."""
    steps = np.asarray(raw.step_times())
    steps = steps[(steps > raw.t_begin) & (steps < raw.t_end)]
    times = np.unique(np.concatenate([np.linspace(raw.t_begin, raw.t_end, _LOOKS), steps]))
    x = flow.states(raw, times, raw.t_begin)
    size = np.abs(values)
    moved = np.ptp(x, axis=1)
    size[: moved.size] = np.where(moved > STILL * np.abs(x).max(axis=1), moved, size[: moved.size])
    greatest = float(size.max(initial=0.0))
    return np.where(size > _NUMERICAL_ZERO * greatest, size, greatest if greatest > 0.0 else 1.0)


def close_on(
    family: Family,
    frame: Frame,
    guess: Array,
    normal: Array,
    reach: float,
    *,
    precise: bool = False,
    neighbour: Shot | None = None,
) -> Point:
    """Find the orbit on the plane through a guess, by Newton's method.

    With the derivatives of a neighbour the first steps are those of Broyden's method, by runs without derivatives.

    Raises
    ------
    NotClosed
        If there is none within `reach` of the guess.
    """
    runs = family.fine if precise else family
    u, last, best = guess, np.inf, None

    def tolerance(of: Shot) -> float:
        least = _NOISE if precise else _GOOD
        return least if of.is_exact else max(least, _INTEGRATED * float(runs.options["rtol"]))

    if neighbour is not None:
        matrix = np.vstack([frame.jacobian(neighbour), normal])
        u = _approach(runs, frame, guess, matrix, reach, tolerance(neighbour))
    for _ in range(_MOST_STEPS):
        shot = _shoot(runs, frame, u)
        error = float(np.max(np.abs(shot.closes) / frame.size, initial=0.0))
        if np.isnan(shot.slopes).any():
            raise NotClosed(f"the motion has no derivatives: {shot.reason}")
        if error > _REDUCED * last:
            if last <= _CLOSED and best is not None:
                break
            if error > 2.0 * last:
                raise NotClosed("Newton's method does not come closer to a periodic motion")
        if best is None or error <= last:
            best, last = (u, shot), error
        if error <= tolerance(shot):
            break
        matrix = np.vstack([frame.jacobian(shot), normal])
        u = u + _newton_step(frame, matrix, shot.closes, u, guess)
        if np.linalg.norm(u - guess) > reach:
            raise NotClosed("no periodic motion is near")
    if best is None or last > _CLOSED:
        raise NotClosed("Newton's method does not come closer to a periodic motion")
    u, shot = best
    value = float(u[-1] * frame.span)
    size = range_of(family.flow(value), shot.raw, shot.values)
    n = np.asarray(shot.raw.state.x).size
    found = Point(family, value, shot, frame.state, size)
    if np.all(found.motion < _COLLAPSED * frame.size[:n] / np.sqrt(frame.n)):
        raise NotClosed("the motion that repeats itself is an equilibrium")
    return found


def _newton_step(frame: Frame, matrix: Array, closes: Array, u: Array, guess: Array) -> Array:
    """Step of Newton's method; the last row of the matrix is the normal of the plane through the guess."""
    right = np.zeros(matrix.shape[0])
    right[: frame.n] = -closes / frame.size
    if frame.is_autonomous:
        right[frame.n] = -matrix[frame.n, : frame.n] @ (u[: frame.n] - frame.values / frame.size)
    right[-1] = matrix[-1] @ (guess - u)
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=_SINGULAR)[0])


def _approach(family: Family, frame: Frame, guess: Array, matrix: Array, reach: float, good: float) -> Array:
    """Return the best of a few steps of Broyden's method, up to the error `good` or the one before it."""
    u, best, last, step = guess, guess, np.inf, None
    for _ in range(_MOST_APPROACHES):
        value = float(u[-1] * frame.span)
        period = float(u[frame.n] / frame.speed) if frame.is_autonomous else family.period(value)
        closes = None
        if period > 0.0:
            try:
                closes = family.closes(frame.state, u[: frame.n] * frame.size, frame.t, period, value)
            except ValueError:
                return best
        if closes is None:
            return best
        error = float(np.max(np.abs(closes) / frame.size, initial=0.0))
        if not error < _REDUCED * last:
            return best if last < error else u
        best, before, last = u, last, error
        if error <= good:
            return best
        if step is not None:
            matrix = matrix.copy()
            matrix[: frame.n] += np.outer(closes / frame.size, step) / (step @ step)
        step = _newton_step(frame, matrix, closes, u, guess)
        u = u + step
        if np.linalg.norm(u - guess) > reach:
            return guess
        reduction = error / before if np.isfinite(before) else _CHORD
        if error * reduction <= good:  # by this convergence the step closes the orbit
            return u
    return best


def _shoot(family: Family, frame: Frame, u: Array) -> Shot:
    value = float(u[-1] * frame.span)
    period = float(u[frame.n] / frame.speed) if frame.is_autonomous else family.period(value)
    if not period > 0.0:
        raise NotClosed("the period vanishes")
    try:
        shot = family.shoot(frame.state, u[: frame.n] * frame.size, frame.t, period, value)
    except ValueError as error:
        raise NotClosed(str(error)) from error
    if shot.raw.status != "finished":
        raise NotClosed(f"a run near the orbit ended early: {shot.raw.message}")
    return shot


def tangent_of(frame: Frame, shot: Shot, forward: Array | None) -> Array:
    """Return the unit tangent of the branch in the direction of `forward` (None: of growing parameter)."""
    matrix = frame.jacobian(shot)
    last = np.zeros(matrix.shape[1])
    last[-1] = 1.0
    if forward is not None:
        last = forward
    right = np.zeros(matrix.shape[0] + 1)
    right[-1] = 1.0
    found = np.linalg.lstsq(np.vstack([matrix, last]), right, rcond=_SINGULAR)[0]
    if not np.linalg.norm(found) < _STEEP:  # the branch is orthogonal to `forward`
        found = np.linalg.svd(matrix)[2][-1]
        found = found * (1.0 if found @ last >= 0.0 else -1.0)
    return np.asarray(found / np.linalg.norm(found))


def recentred(place: Place) -> Place:
    """Move the start of an orbit away from its events, if it has come close to one, and the tangent with it."""
    point, frame, tangent = place[:3]
    shot, family, flow = point.shot, point.family, point.family.flow(point.value)
    events = np.unique(shot.raw.events[0]["time"])
    if not events.size:
        return place
    first, last = shot.t, shot.raw.t_end
    gaps = np.diff(np.append(events, events[0] + last - first))
    longest = int(np.argmax(gaps))
    if min(events[0] - first, last - events[-1]) >= _NEAR_EVENT * gaps[longest]:
        return place
    ahead = events[longest] + 0.5 * gaps[longest] - first
    ahead -= shot.period if ahead >= shot.period else 0.0
    if flow.sampling is not None:
        ahead = max(round(ahead / flow.sampling), 1) * flow.sampling
    part = family.shoot(point.state, shot.values, first, ahead, point.value)
    t = flow.phase_of(first + ahead)
    values = flow.moved(part.end, first + ahead - t)
    moved = family.shoot(part.raw.state, values, t, shot.period, point.value)
    if np.isnan(part.slopes).any() or np.isnan(moved.slopes).any():
        return place
    there = Point(family, point.value, moved, part.raw.state, range_of(flow, moved.raw, moved.values))
    new = there.frame(frame.span)
    n = frame.n
    change = np.append(tangent[:n] * frame.size, tangent[-1] * frame.span)
    along = part.slopes @ change / new.size
    period = []
    if family.is_autonomous:
        normal = new.rate / new.size / new.speed
        along -= normal * (normal @ along)
        period = [tangent[n] / frame.speed * new.speed]
    forward = np.concatenate([along, period, [tangent[-1]]])
    return Place(there, new, tangent_of(new, moved, forward / np.linalg.norm(forward)), place.step)


def transferred(tangent: Array, old: Frame, new: Frame) -> Array:
    """Return a direction in the coordinates of another frame with the same start."""
    out = tangent.copy()
    out[: old.n] *= old.size / new.size
    if old.is_autonomous:
        out[old.n] *= new.speed / old.speed
    return out


def start_of(family: Family, orbit: Orbit, span: float) -> tuple[Point, Frame]:
    """Return the orbit with which a branch starts, as its first point."""
    flow = family.flow(family.present)
    state = orbit.state
    t = flow.phase_of(state.t)
    values = flow.moved(flow.components(state), state.t - t)
    shot = family.shoot(state, values, t, orbit.period, family.present)
    if np.isnan(shot.slopes).any():
        raise ValueError(f"orbit has no derivatives, so it cannot be followed: {shot.reason}")
    point = Point(family, family.present, shot, state, range_of(flow, shot.raw, values))
    frame = point.frame(span)
    normal = np.zeros(frame.n + (2 if frame.is_autonomous else 1))
    normal[-1] = 1.0
    guess = frame.unknowns(values, orbit.period, family.present)
    point = close_on(family, frame, guess, normal, 0.1, precise=True)
    return point, point.frame(span)
