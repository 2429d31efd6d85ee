"""Tolerances of the audit: errors that a correct run may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, internal_names
from stickslip.analysis.auditing._rows import Row
from stickslip.analysis.auditing._sampling import Samples

Array = NDArray[np.float64]

# A step of a numerical method leaves a local error of `rtol` times the size of each state, its dense form a few times
# that between its ends. An exact flow leaves rounding, some hundred units in the last place of the terms that it sums.
NUMERICAL = 300.0
EXACT = 1e-10
# A body at rest under large balanced forces moves by their rounding: its velocity is uncertain by at least this share of
# the velocity that a single force would give it over the run.
_STILL = 1e-4
# An element that rests because its slips were shorter than the machine can tell ("accumulation") stays until its force
# is this share above its limit.
_ACCUMULATION = 2e-6
_BETWEEN = 513


def beyond_limit(run: Any, name: str, otherwise: float) -> float:
    """Return the share by which the force of an element at rest may exceed its limit; `otherwise` without accumulation."""
    gathered = any(str(rule).startswith("accumulation") for rule in run.events.of(name).rule)
    return _ACCUMULATION if gathered else otherwise


@dataclass(frozen=True)
class Sizes:
    """Greatest values in a run, and the uncertainty of its samples.

    Attributes
    ----------
    relative : float
        Error of each state relative to its size: 300 rtol of regimes that are integrated numerically, 1e-10 of exact
        ones. The size is the greatest value of the state in the run; for integrated states, at least that of
        `Machine.scales`.
    q, v : ndarray
        Greatest position and speed of each coordinate, or sizes given to them.
    seen : ndarray
        Greatest speed of each coordinate in the run, regardless of given sizes.
    states : dict
        Greatest values of internal states.
    force : ndarray
        Sum of the sizes of all forces on each coordinate.
    speed, reach : ndarray
        Velocity and distance that each coordinate would reach in the run under these forces, if they were not balanced.
    scale : ndarray
        Sizes of the velocities of each coordinate to which thresholds are relative, `Machine.scales`.
    span : float
        Length of the run, s.
    """

    relative: float
    q: Array
    v: Array
    seen: Array
    states: dict[str, float]
    force: Array
    speed: Array
    reach: Array
    scale: Array
    span: float

    def of(self, names: list[str]) -> Array:
        """Return the sizes of internal states."""
        return np.array([self.states[name] for name in names])


def sizes(run: Any, rtol: float, d: Description) -> Sizes:
    """Return the tolerances of a run with a given rtol."""
    kinds = set(", ".join(run.method.values()).split(", "))
    relative = EXACT if kinds <= {"exact", "slow subspace"} else max(EXACT, NUMERICAL * rtol)
    at = Samples(run, _steps(run), d)
    greatest = {name: float(np.abs(at[name]).max()) for name in run.states}
    taken = np.array([greatest[f"{n}.velocity"] for n in d.names])
    if relative > EXACT:  # an integrator works to its tolerance of the sizes that it was given
        greatest = {name: max(size, run.machine.scales.get(name, 0.0)) for name, size in greatest.items()}
    for place in d.surfaces:
        for name, size in zip(internal_names(place), _laws.state_sizes(place.law), strict=True):
            greatest[name] = max(greatest[name], size)
    span = float(run._raw.t_end - run._raw.t_begin)
    force = _force_sizes(d, at)
    speed = span * (np.abs(d.inverse(at)).max(axis=0) @ force)
    still = _STILL * speed.max()
    named, at_impacts = np.array([greatest[f"{n}.velocity"] for n in d.names]), _velocities_at_impacts(run, d)
    # An impact that stops a coordinate leaves it a velocity of rounding size, which moves it for the rest of the run: an
    # error of its position, whatever the size of that.
    moves = span * np.maximum(still, np.finfo(float).eps * at_impacts / relative)
    q = np.maximum([greatest[f"{n}.position"] for n in d.names], moves)
    others = np.maximum.reduce([np.full(len(named), still), at_impacts, _carried(d, at)])
    scale = np.array([run.machine.scales.get(f"{n}.velocity", 0.0) for n in d.names])
    return Sizes(
        relative,
        q,
        np.maximum(named, others),
        np.maximum(taken, others),
        greatest,
        force,
        speed,
        span * speed,
        scale,
        span,
    )


def _force_sizes(d: Description, at: Samples) -> Array:
    """Sum of the sizes of all forces on each coordinate."""
    total: Array = np.abs(d.stiffness) @ np.abs(at.q).max(axis=1)
    for push in d.pushes:
        total = total + np.abs(push.along) * np.abs(push.value(at)).max()
    for place in d.surfaces:
        total = total + _most(place.along, at, f"{place.name}.force")
    for along, name in [(s.along, s.name) for s in d.springs] + [(one.along, one.name) for one in d.detents]:
        total = total + np.abs(along) * np.abs(at[f"{name}.force"]).max()
    for held in d.constraints:
        total = total + _most(held.along, at, f"{held.name}.force")
    for clutch in d.clutches:
        total = total + _most(clutch.normal, at, f"{clutch.name}.force")
    for c in d.contacts:
        total = total + _most(c.normal, at, f"{c.name}.normal_force")
    return total


def _most(along: Row, at: Samples, force: str) -> Array:
    most: Array = np.abs(along.at(at) * at[force]).max(axis=1)
    return most


def _velocities_at_impacts(run: Any, d: Description) -> Array:
    """Return the greatest change of velocity by one impulse, normal or frictional, also at the start of a run."""
    most = np.zeros(len(d.names))

    def add(along: Row, times: Array, impulses: Array) -> None:
        nonlocal most
        if times.size:
            at = Samples(run, times, d)
            pushed = np.einsum("tij,jt->it", d.inverse(at), np.broadcast_to(along.at(at), at.v.shape))
            most = np.maximum(most, np.abs(pushed * impulses).max(axis=1))

    for c in d.unilateral:
        own = run.events.of(c.name)
        times = own.time[own.impact]
        add(c.normal, times, own.normal_impulse[own.impact])
        if c.place is not None:
            add(c.place.along, times, own.tangential_impulse[own.impact])
    for place in d.impulsive:
        own = run.events.of(place.name)
        rubs = own.tangential_impulse != 0.0
        add(place.along, own.time[rubs], own.tangential_impulse[rubs])
    for held in d.loading_constraints:
        own = run.events.of(held.name)
        if own.impact.any():
            at = Samples(run, own.time[own.impact], d)
            free = np.asarray(np.linalg.inv(d.mass.at(at)), dtype=np.float64)
            pushed = np.einsum("tij,jt->it", free, np.broadcast_to(held.along.at(at), at.v.shape))
            most = np.maximum(most, np.abs(pushed * own.normal_impulse[own.impact]).max(axis=1))
    return most


def _carried(d: Description, at: Samples) -> Array:
    """Share of the velocity of surfaces that rounding of it leaves in what they carry along."""
    most = np.zeros(len(d.names))
    for place in d.surfaces:
        speed = float(np.abs(place.surface_velocity.values(at.t)).max())
        if speed == 0.0:
            continue
        along = np.broadcast_to(place.along.at(at), at.v.shape)
        pushed = np.einsum("tij,jt->it", d.inverse(at), along)
        response = (along * pushed).sum(axis=0)
        share = np.divide(np.abs(pushed), response, out=np.zeros_like(pushed), where=response > 0.0)
        most = np.maximum(most, _STILL * speed * share.max(axis=1))
    return most


def _steps(run: Any) -> Array:
    """Ends of the steps, the states before events, and others between, since exact steps are long."""
    t = np.concatenate([run._raw.step_times(), np.nextafter(run.events.time, -np.inf)])
    begin, end = run._raw.t_begin, run._raw.t_end
    within: Array = np.clip(np.sort(np.concatenate([t, np.linspace(begin, end, _BETWEEN)])), begin, end)
    return within
