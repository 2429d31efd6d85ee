"""Derivatives of measures of a run: extremes, means, times of events, stick time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip.errors import UnknownNameError
from stickslip.modes import Mode
from stickslip.run._dense import OF_ANALYSES, both_sides, refined

if TYPE_CHECKING:
    from stickslip.run.sensitivity import EventSensitivity
    from stickslip.run.trajectory import Trajectory

Array = NDArray[np.float64]

_WITHOUT = {"events.count": "a count", "steps": "a count", "energy.residual": "a rounding error"}
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(12)  # of each smooth piece
_LOOKS = 100_000
_TIED = 1e-9  # extremes closer than this share of the range are one
_ALIKE = 1e-6  # derivatives of tied extremes that differ by more determine nothing
_ALIKE_AT_INSTANTS = 1e-11  # of the greatest value: a state does not jump there


def derivative(run: Trajectory, name: str, parameter: str) -> float:
    """Return the derivative of a measure, by its name in `ensemble`."""
    j = run.sensitivity.parameters.index(parameter)
    for ending, what in _WITHOUT.items():
        if name == ending or name.endswith(f".{ending}"):
            reject("measure", name, f"a smooth measure: {what} has no derivative")
    owner, _, kind = name.rpartition(".")
    if kind in ("first", "last") and (owner == "events" or owner.endswith(".events")):
        return _time_of_event(run, owner.removesuffix("events").removesuffix("."), kind, parameter)
    if owner in run.states and kind in ("max", "min", "mean", "final"):
        i = run.states.index(owner)
        if kind == "final":
            return float(run.sensitivity.end[i, j])
        if run.sensitivity._raw.moves_instants(j) and (kind != "mean" or _jumps_at_instants(run, i)):
            return float("nan")  # states bend and what is held jumps at instants that are no events
        return _mean(run, i, j) if kind == "mean" else _extreme(run, i, j, 1.0 if kind == "max" else -1.0)
    if kind == "stick_time" and f"{owner}.mode" in run:
        return _stick_time(run, owner, parameter)
    raise UnknownNameError(
        f"unknown measure {name!r}; known are: 'events.first', 'events.last', also of one element; '<state>.max', '.min', "
        f"'.mean', '.final' of {', '.join(map(repr, run.states))}; '<element>.stick_time'"
    )


def _time_of_event(run: Trajectory, element: str, kind: str, parameter: str) -> float:
    events = run._logged.of(element) if element else run._logged
    if not len(events):
        return float("nan")
    return _of(events[0 if kind == "first" else -1].sensitivity)[parameter]


def _of(derivatives: EventSensitivity | None) -> EventSensitivity:
    assert derivatives is not None  # the run has them
    return derivatives


class _Pieces:
    """A run between its events, at which signals may jump and bend; each instant by the first event of it."""

    def __init__(self, run: Trajectory) -> None:
        first, last = run._raw.t_begin, run._raw.t_end
        times, numbers = np.unique(run._logged.time, return_index=True)
        kept = (times > first) & (times <= last)
        self.times, self.numbers = times[kept], numbers[kept]
        self.steps = np.unique(np.concatenate([[first, last], self.times, run._raw.step_times()]))
        self.left = np.nextafter(self.times, first)


def _tangent(run: Trajectory, i: int, j: int, t: Array) -> Array:
    if not t.size:
        return t
    row: Array = run.at(t).sensitivity.states[i, j]
    return row


def _jumps_at_instants(run: Trajectory, i: int) -> bool:
    pieces = _Pieces(run)
    steps = np.setdiff1d(pieces.steps[1:], pieces.times)
    if not steps.size:
        return False
    here, before = run.at(steps).y[i], run.at(np.nextafter(steps, run._raw.t_begin)).y[i]
    return bool(np.any(np.abs(here - before) > _ALIKE_AT_INSTANTS * np.abs(here).max(initial=0.0)))


def _mean(run: Trajectory, i: int, j: int) -> float:
    """(1/T) d/dp of the integral of x: the integral of its tangent, and the effect of its jumps at moving events."""
    pieces = _Pieces(run)
    steps = pieces.steps[(pieces.steps >= run._raw.t_begin) & (pieces.steps <= run._raw.t_end)]
    middle, half = 0.5 * (steps[1:] + steps[:-1]), 0.5 * np.diff(steps)
    moved = _tangent(run, i, j, (middle[:, None] + half[:, None] * _POINTS).ravel())
    total = float(half @ (moved.reshape(-1, _POINTS.size) @ _WEIGHTS))
    if pieces.times.size:
        rise = run.at(pieces.times).y[i] - run.at(pieces.left).y[i]
        for k in np.flatnonzero(rise):
            total -= rise[k] * _of(run._logged[pieces.numbers[k]].sensitivity)[run.sensitivity.parameters[j]]
    return total / (run._raw.t_end - run._raw.t_begin)


def _extreme(run: Trajectory, i: int, j: int, sign: float) -> float:
    """Return the derivative of the maximum of sign·x: at a zero of the rate, or at an event or end."""
    pieces = _Pieces(run)
    first, last = run._raw.t_begin, run._raw.t_end

    def look(t: Array, what: str) -> Array:
        return sign * np.asarray(getattr(run.at(t)._samples, what)[i]) if t.size else t

    begin = np.unique(np.concatenate([both_sides(run, first, last), pieces.times, pieces.left]))
    most = begin.size + _LOOKS
    t = refined(lambda at: look(at, "states")[None], begin, OF_ANALYSES, most, 1e-9 * (last - first))
    x, rate = look(t, "states"), look(t, "rates")
    size = float(np.ptp(x))
    top = np.flatnonzero((rate[:-1] > 0.0) & (rate[1:] <= 0.0) & ~np.isin(t[1:], pieces.times))
    top = top[np.maximum(x[top], x[top + 1]) >= x.max() - 10.0 * OF_ANALYSES * size]
    low, high = t[top], t[top + 1]
    for _ in range(60 if top.size else 0):
        middle = 0.5 * (low + high)
        rises = look(middle, "rates") > 0.0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    # Held outputs of controllers jump at fixed times, which do not depend on the parameter.
    steps = np.setdiff1d(pieces.steps, pieces.times)
    smooth = np.unique(np.concatenate([low, steps, np.nextafter(steps[1:], first)]))
    value = look(smooth, "states")
    near = value >= x.max() - _TIED * size
    value, moved = value[near], _tangent(run, i, j, smooth[near])
    if pieces.times.size:
        sides = np.array([look(pieces.left, "states"), look(pieces.times, "states")])
        of = [_of(run._logged[k].sensitivity) for k in pieces.numbers]
        value = np.concatenate([value, *sides])
        moved = np.concatenate([moved, [e.before[i, j] for e in of], [e.after[i, j] for e in of]])
    tied = moved[value >= value.max() - _TIED * size]
    same = np.ptp(tied) <= _ALIKE * np.abs(tied).max()
    return float(tied[0]) if same else float("nan")


def _stick_time(run: Trajectory, element: str, parameter: str) -> float:
    """Each stick ends and begins with an event."""
    pieces = _Pieces(run)
    sticks = run.at(np.append(run._raw.t_begin, pieces.times))[f"{element}.mode"] == Mode.STICK
    total = 0.0
    for k in np.flatnonzero(np.diff(sticks.astype(int))):
        moves = _of(run._logged[pieces.numbers[k]].sensitivity)[parameter]
        total += moves if sticks[k] else -moves
    return total
