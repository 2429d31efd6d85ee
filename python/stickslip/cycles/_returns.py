"""Search of a run for motions that nearly repeat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip.cycles._flow import Flow

Array = NDArray[np.float64]

NEAR = (
    0.2  # distance of a return, as a share of the range of the states, within which Newton's method is tried
)
_ALIKE = 3.0  # times the least distance: the shortest of such returns is one period
_SAME = 1e-6  # of the range of the states: returns that differ by less are equally close
_LONG = 0.5  # of the longest interval without events: long enough to start in
_ASIDE = 0.4  # of the time between two starts of parts of an orbit: how far they move from events
_ABOUT = 0.3  # relative error of a given period of an autonomous machine
_LOOKS = 4000  # times at which a run is read
_SECANTS = 8  # with which the time of a crossing is refined
_APART = 1e-12  # of the length of a run: times between which it moves
_MOST_PULSES = 32  # periods of the excitation that an orbit may last
STILL = 1e-9  # of the range or the size of a state: it does not move


class Return(NamedTuple):
    """A time at which a motion nearly repeats a state that it had, or will have, one period away."""

    t: float
    period: float
    distance: float  # in ranges of the states


@dataclass(frozen=True)
class Read:
    """A run, read at times that resolve it."""

    flow: Flow
    raw: _core.run.Trajectory
    t: Array
    x: Array
    events: Array

    @classmethod
    def of(cls, flow: Flow, raw: _core.run.Trajectory) -> Read:
        """Read a run."""
        first, last = raw.t_begin, raw.t_end
        steps = np.asarray(raw.step_times())
        steps = steps[(steps > first) & (steps < last)]
        steps = steps[:: max(1, steps.size // _LOOKS)]
        t = np.unique(np.concatenate([np.linspace(first, last, _LOOKS), steps]))
        events = np.unique(raw.events[0]["time"])
        inside = events[(events > first) & (events < last)]
        return cls(flow, raw, t, flow.states(raw, t), inside)

    def states(self, times: Array) -> Array:
        """States at given times, relative to the moving frame."""
        return self.flow.states(self.raw, times)

    def rates(self, times: Array) -> Array:
        """Rates at given times, relative to the moving frame."""
        return self.flow.rates(self.raw, times)

    @property
    def range(self) -> Array:
        """Range of each state in the second half; infinite for states that do not move."""
        late = self.x[:, self.t >= 0.5 * (self.t[0] + self.t[-1])]
        size, most = np.ptp(late, axis=1), np.abs(late).max(axis=1)
        return np.where(size > STILL * np.maximum(most, np.ptp(self.x, axis=1)), size, np.inf)

    def late_range(self) -> Array:
        """Range of each state in the last fifth."""
        late = self.x[:, self.t >= self.t[-1] - 0.2 * (self.t[-1] - self.t[0])]
        return np.asarray(np.ptp(late, axis=1))

    def quiet_near(self, times: Array, room: float) -> Array:
        """Times near given ones, at most a fraction of `room` away, in the longest intervals without events there."""
        out = np.array(times)
        for k, t in enumerate(times):
            near = self.events[np.abs(self.events - t) < _ASIDE * room]
            if near.size:
                ends = np.concatenate([[t - _ASIDE * room], near, [t + _ASIDE * room]])
                widest = int(np.argmax(np.diff(ends)))
                out[k] = 0.5 * (ends[widest] + ends[widest + 1])
        return out

    def quiet_times(self, first: float, last: float) -> list[float]:
        """Times far from events between two times: the last and the first one in a long interval without events."""
        inside = self.events[(self.events > first) & (self.events < last)]
        ends = np.concatenate([[first], inside, [last]])
        gap = np.diff(ends)
        long = np.flatnonzero(gap >= _LONG * gap.max())
        middles = 0.5 * (ends[:-1] + ends[1:])
        return [float(middles[long[-1]]), float(middles[long[0]])]


def free_returns(read: Read, about: float | None = None) -> list[Return]:
    """Return the nearly periodic motions in a run of an autonomous machine, the closest first.

    `about`: the approximate period, s, if it is known.
    """
    first, last = read.t[0], read.t[-1]
    size = read.range
    if not np.isfinite(size).any():
        return []
    if read.events.size:
        late, early = read.quiet_times(first, last)
    else:  # where the motion is fast, a section crosses it well
        between, step = 0.5 * (read.t[1:] + read.t[:-1]), np.diff(read.t)
        speed = np.abs(np.diff(read.x) / size[:, None]).max(axis=0) / step
        speed[step < _APART * (last - first)] = 0.0  # only rounding
        part = (between - first) / (last - first)
        late, early = (
            float(between[np.argmax(np.where(inside, speed, -1.0))])
            for inside in ((part >= 0.6), (part <= 0.25))
        )
    found = [_best(read, t, size, about) for t in dict.fromkeys((late, early))]
    return sorted((one for one in found if one is not None), key=lambda one: one.distance)


def _best(read: Read, t: float, size: Array, about: float | None) -> Return | None:
    """The shortest of the close returns to the state at t, before or after it."""
    x, rate = read.states(np.array([t]))[:, 0], read.rates(np.array([t]))[:, 0]
    normal = rate / size**2
    section = normal @ (read.x - x[:, None])
    rising = np.flatnonzero((section[:-1] < 0.0) & (section[1:] >= 0.0))
    rising = rising[~((read.t[rising] <= t) & (read.t[rising + 1] >= t))]
    if not rising.size:
        return None
    low, high, below, above = read.t[rising], read.t[rising + 1], section[rising], section[rising + 1]
    side = np.zeros(rising.size)  # of the last point
    for _ in range(_SECANTS):  # the Illinois method
        at = high - above * (high - low) / (above - below)
        there = read.states(at) - x[:, None]
        value = normal @ there
        passed = value >= 0.0
        low, high = np.where(passed, low, at), np.where(passed, at, high)
        last, side = side, np.where(passed, 1.0, -1.0)
        kept = np.where(side == last, 0.5, 1.0)  # share of the value at the other end
        below, above = np.where(passed, kept * below, value), np.where(passed, value, kept * above)
    distance = np.abs(there / size[:, None]).max(axis=0)
    period = np.abs(at - t)
    if about is not None:
        alike = np.abs(period - about) <= _ABOUT * about
        period, distance = period[alike], distance[alike]
    return _shortest(t, period, distance) if period.size else None


def forced_returns(
    read: Read, forcing: float, sampling: float | None, period: float | None = None
) -> list[Return]:
    """Return the nearly periodic motions in a run of a machine with periodic excitation, the closest first.

    Parameters
    ----------
    read : Read
        The run.
    forcing : float
        Period of the excitation, s.
    sampling : float or None
        Period of sampled controllers: states between two sampling instants are compared.
    """
    first, last = read.t[0], read.t[-1]
    size = np.where(np.isfinite(read.range), read.range, 1.0)
    late = read.quiet_times(max(first, last - forcing), last)
    early = read.quiet_times(first, min(first + forcing, last))
    found = []
    for t, way in [(late[0], -1), (late[1], -1), (early[0], 1)]:
        at = t if sampling is None else min((np.floor(t / sampling) + 0.5) * sampling, last)
        room = (at - first) if way < 0 else (last - at)
        most = int(room / forcing * (1.0 + 1e-12))
        if sampling is None or forcing > sampling:
            most = min(most, _MOST_PULSES)
        count = np.arange(1, most + 1) if period is None else np.array([round(period / forcing)])
        count = count[count <= most]
        if not count.size:
            continue
        times = at + way * count * forcing
        x = read.states(np.array([at]))
        others = read.states(np.sort(times))[:, ::way]
        found.append(
            _shortest(at, np.asarray(count * forcing), np.abs((others - x) / size[:, None]).max(axis=0))
        )
    return sorted(found, key=lambda one: one.distance)


def _shortest(t: float, period: Array, distance: Array) -> Return:
    order = np.argsort(period)
    close = order[distance[order] <= _ALIKE * distance.min() + _SAME]
    return Return(t, float(period[close[0]]), float(distance[close[0]]))
