"""Events defined by the user: instants at which a signal crosses a level, marked in the log or ending the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import finite, reject
from stickslip.run._dense import both_sides, refined
from stickslip.run.sensitivity import Moved

if TYPE_CHECKING:
    from stickslip.run.trajectory import Trajectory

__all__ = ["Crossing"]

Array = NDArray[np.float64]

# Relative to the range of the form: allowed error of linear interpolation, and distance of an extremum from the level
# within which it is refined.
_FINE, _NEAR, _MOST = 2e-5, 1e-2, 400_000


@dataclass(frozen=True)
class Crossing:
    """An instant at which a signal, or a combination of signals, crosses a level.

    Parameters
    ----------
    signal : str or mapping
        Any signal of the run, or ``{signal: factor}``.
    level : float, default 0.0
        The level.
    direction : {-1, 0, 1}, default 0
        -1: falling only; 1: rising only; 0: both.
    terminal : bool, default False
        If True, the run ends there.
    name : str, optional
        Name in the event log; by default that of the signals.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Crossings are located on the dense form of the run, to machine precision in time, and do not affect the motion. A
    jump across the level is a crossing. A crossing exactly at the start of the run does not count. In the log
    ``before`` and ``after`` are ``low`` and ``high``.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 2.0})
    >>> half = ss.Crossing("slide.position", level=0.25)
    >>> run = ss.simulate(m, t_end=9.0, events=[half, ss.Crossing("slide.velocity", level=2.0, terminal=True)])
    >>> [(e.element, e.cause, e.time) for e in run.events][0]
    ('slide.position', 'slide.position rises through 0.25', 0.5)
    >>> run.status, run.state.t
    (<Status.STOPPED: 'stopped'>, 1.0)
    """

    signal: str | Mapping[str, float]
    level: float = 0.0
    direction: int = 0
    terminal: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.signal, str) or (isinstance(self.signal, Mapping) and self.signal)):
            reject("signal", self.signal, "the name of a signal, or {signal: factor}")
        if self.direction not in (-1, 0, 1):
            reject("direction", self.direction, "-1, 0 or 1")
        object.__setattr__(self, "level", finite("level", self.level))
        for key, factor in self.form.items():
            finite(f"signal[{key!r}]", factor)

    @property
    def form(self) -> dict[str, float]:
        """The combination of signals."""
        return {self.signal: 1.0} if isinstance(self.signal, str) else dict(self.signal)

    @property
    def label(self) -> str:
        """Name in the event log."""
        if self.name is not None:
            return self.name
        return " + ".join(key if f == 1.0 else f"{f:g} {key}" for key, f in self.form.items())

    def cause(self, rising: bool) -> str:
        """Text in the event log."""
        return f"{self.label} {'rises' if rising else 'falls'} through {self.level:g}"

    def times(self, run: Trajectory) -> tuple[Array, NDArray[np.bool_]]:
        """Return the times of the crossings in a run, s, and an array that is True where the signal rises.

        Parameters
        ----------
        run : Trajectory
            A run with its segments.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=1.0, stiffness=1.0, names=["q"])
        >>> run = ss.simulate(m, t_end=7.0, initial={"q.velocity": 1.0})
        >>> ss.Crossing("q.position").times(run)[0].round(9)
        array([3.14159265, 6.28318531])
        """

        def above(t: Array) -> Array:
            if not t.size:
                return t
            order = np.argsort(t, kind="stable")
            back = np.empty_like(order)
            back[order] = np.arange(order.size)
            at = run.at(t[order])
            return np.asarray(sum(f * at[key] for key, f in self.form.items()) - self.level)[back]

        first, last = run._raw.t_begin, run._raw.t_end
        if not last > first:
            return np.zeros(0), np.zeros(0, dtype=bool)
        events = np.unique(run._logged.time)
        inside = events[(events > first) & (events < last)]
        points = np.unique(
            np.concatenate([both_sides(run, first, last), inside, np.nextafter(inside, first)])
        )
        t = refined(lambda at: above(at)[None], points, _FINE, points.size + _MOST, 1e-9 * (last - first))
        y = above(t)
        t, y = _with_extrema(above, t, y)
        k = np.flatnonzero((y[:-1] >= 0.0) != (y[1:] >= 0.0))
        rising = y[k + 1] >= 0.0
        chosen = (self.direction == 0) | (rising == (self.direction > 0))
        at, rising = _bisected(above, t[k][chosen], t[k + 1][chosen]), rising[chosen]
        kept = at > first
        return at[kept], rising[kept]


def crossings_of(events: object) -> list[Crossing]:
    """Return the argument `events` of a run as a list."""
    if isinstance(events, Crossing):
        return [events]
    several = isinstance(events, Iterable) and not isinstance(events, (str, Mapping))
    listed: list[Any] = list(cast("Iterable[Any]", events)) if several else [events]
    for one in listed:
        if callable(one):
            reject(
                "events",
                one,
                "a Crossing, not a function as in SciPy: for y[0] - 0.01 say ss.Crossing('slide.position', level=0.01), "
                "for a difference ss.Crossing({'a.position': 1.0, 'b.position': -1.0}), both with terminal= and direction=",
            )
        if not isinstance(one, Crossing):
            reject("events", one, "a Crossing, or several, such as ss.Crossing('slide.position', level=0.01)")
    return listed


def _bisected(above: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return the change of sign between low and high, to machine precision; at a jump its right side."""
    a, b = low.copy(), high.copy()
    if not a.size:
        return b
    side = above(b) >= 0.0
    for _ in range(80):
        middle = 0.5 * (a + b)
        open_ = (middle > a) & (middle < b)
        if not open_.any():
            break
        same = (above(middle) >= 0.0) == side
        b, a = np.where(open_ & same, middle, b), np.where(open_ & ~same, middle, a)
    return b


def _with_extrema(above: Callable[[Array], Array], t: Array, y: Array) -> tuple[Array, Array]:
    """Add extrema that come near to zero between looks on one side of it, as it may be crossed twice there."""
    size = float(np.ptp(y)) or 1.0
    away = np.abs(y)
    k = 1 + np.flatnonzero(
        (away[1:-1] <= away[:-2]) & (away[1:-1] <= away[2:]) & (away[1:-1] < _NEAR * size)
        & ((y[1:-1] >= 0.0) == (y[:-2] >= 0.0)) & ((y[1:-1] >= 0.0) == (y[2:] >= 0.0))
    )  # fmt: skip
    if not k.size:
        return t, y
    a, b, side = t[k - 1].copy(), t[k + 1].copy(), np.where(y[k] >= 0.0, 1.0, -1.0)
    share = 0.5 * (3.0 - np.sqrt(5.0))
    for _ in range(60):  # golden section for the least distance
        c, d = a + share * (b - a), b - share * (b - a)
        left = side * above(c) < side * above(d)
        a, b = np.where(left, a, c), np.where(left, d, b)
    found = 0.5 * (a + b)
    times = np.unique(np.concatenate([t, found]))
    return times, above(times)


def moved(run: Trajectory, times: Sequence[float], crossings: Sequence[Crossing]) -> list[Moved]:
    """Return the derivatives of crossing times: t' = -g_p / g_t, or at a jump those of the event."""
    return [_moved(run, t, one.form) for t, one in zip(times, crossings, strict=True)]


def _moved(run: Trajectory, t: float, form: Mapping[str, float]) -> Moved:
    events = run._logged
    same = 4.0 * np.spacing(t)
    at = np.flatnonzero(np.abs(events.time - t) <= same)
    if at.size:
        event = events[int(at[0])].sensitivity
        assert event is not None
        return Moved(np.array(list(event.values())), event.before, event.after)
    here, s = run.at([t]), run.at([t]).sensitivity
    if np.any(np.abs(np.array(run._raw.step_times()) - t) <= same):  # a sample or a kink, at its own time
        sides = run.at([max(t - same, run._raw.t_begin), min(t + same, run._raw.t_end)])
        if any(abs(np.diff(sides[key])[0]) > 1e-9 * np.abs(sides[key]).max() for key in form):
            before, after = np.moveaxis(sides.sensitivity.states, 2, 0)
            return Moved(np.zeros(len(s.parameters)), before, after)
    by_parameter = np.array([sum(f * s[key, name][0] for key, f in form.items()) for name in s.parameters])
    by_time = sum(f * _rate(run, key, t) for key, f in form.items())
    time = -by_parameter / by_time if by_time != 0.0 else np.full(by_parameter.shape, np.nan)
    states = s.states[:, :, 0] + np.outer(here._samples.rates[:, 0], time)
    return Moved(time, states, states)


def _rate(run: Trajectory, signal: str, t: float) -> float:
    """Rate of a signal at a time between events: for a state that of its motion, else a difference of sixth order."""
    if signal in run.states:
        return float(run.at([t])._samples.rates[run.states.index(signal), 0])
    ends = np.concatenate([[run._raw.t_begin, run._raw.t_end], run._logged.time, run._raw.step_times()])
    before, after = ends[ends < t].max(initial=run._raw.t_begin), ends[ends > t].min(initial=run._raw.t_end)
    h = 0.05 * min(t - before, after - t)
    y = run.at(t + h * np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]))[signal]
    return float(np.dot([-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60], y) / h)
