"""Design limits: the value of a parameter beyond which a machine has no cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import positive
from stickslip.cycles._family import Family, with_value
from stickslip.cycles._flow import Flow
from stickslip.cycles._points import Place, start_of, tangent_of
from stickslip.cycles._walk import Walk
from stickslip.cycles.bifurcation import Bifurcation
from stickslip.cycles.branch import Branch
from stickslip.cycles.following import STEPS, range_of_parameter
from stickslip.cycles.orbit import Orbit
from stickslip.cycles.periodic import NoOrbitError, periodic_orbit
from stickslip.run.simulation import _initial

__all__ = ["CycleLimit", "critical_damping", "largest_load_without_hunting", "slowest_smooth_speed"]

Array = NDArray[np.float64]

_TRIED = (0.0, 0.05, 0.2, 0.5, 0.8)  # shares of the range, from the end at which a cycle is expected
_MOST = 500  # orbits
_BEGUN = 1e-9  # s: length of a motion of which only the start is read
_SAME = 1e-6  # of the range: the bifurcation is the extreme point of the branch


@dataclass(frozen=True, eq=False)
class CycleLimit:
    """The value of a parameter at which the cycle of a machine begins or ends.

    Attributes
    ----------
    parameter : str
        Name of the parameter.
    value : float
        Its value, that of `bifurcation`.
    bifurcation : Bifurcation
        The certificate: the fold, grazing or Hopf point at which the cycle appears or disappears.
    branch : Branch
        The cycles up to the limit, and those behind it if the branch turns there.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.05, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> ss.cycles.critical_damping(m, "block.damping", (0.0, 0.2))
    CycleLimit(block.damping = 0.0811638871: grazing of 'belt')
    """

    parameter: str
    value: float
    bifurcation: Bifurcation
    branch: Branch

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"CycleLimit({self.parameter} = {self.value:.9g}: {self.bifurcation.title})"


def slowest_smooth_speed(
    machine: Any,
    parameter: str,
    span: tuple[float, float],
    *,
    guess: Any = None,
    max_step: float | None = None,
    rtol: float = 1e-10,
    **options: Any,
) -> CycleLimit:
    """Find the speed above which a machine has no stick-slip cycle.

    The branch of cycles is followed from slow speeds to the bifurcation at which it ends or turns.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    parameter : str
        Name of the speed, one of ``machine.parameters``, such as ``"guide.surface_velocity"``, or
        ``"control.reference_scale"`` for a ramp.
    span : (float, float)
        Range of the speed; at its slow end there is a cycle.
    guess : Trajectory, Orbit, State, mapping or array_like, optional
        State from which the cycle is approached, as in `periodic_orbit`; by default one in which all friction elements
        stick.
    max_step : float, optional
        Greatest step of the parameter; by default a fiftieth of the range.
    rtol : float, default 1e-10
        Relative tolerance of numerical integration; linear regimes are exact.
    **options
        As in `periodic_orbit`.

    Returns
    -------
    CycleLimit
        The speed, and the bifurcation there.

    Raises
    ------
    NoOrbitError
        If the machine has no cycle at any of the values tried.
    ValueError
        If the cycle exists up to the end of the range, and for bad arguments.

    Notes
    -----
    The limit is the greatest speed on the branch of the cycle which the machine approaches from `guess`. Cycles on other
    branches are not found. Steady sliding may be unstable as well: see `Machine.poles` with ``at="sliding"``.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.1, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.1)
    >>> ss.cycles.slowest_smooth_speed(m, "guide.surface_velocity", (0.1, 1.0))
    CycleLimit(guide.surface_velocity = 0.43923705: grazing of 'guide')
    """
    return _limit(machine, parameter, span, 1.0, guess, max_step, {"rtol": rtol} | options)


def critical_damping(
    machine: Any,
    parameter: str,
    span: tuple[float, float],
    *,
    guess: Any = None,
    max_step: float | None = None,
    rtol: float = 1e-10,
    **options: Any,
) -> CycleLimit:
    """Find the damping above which a machine has no cycle.

    The branch of cycles is followed from weak damping to the bifurcation at which it ends or turns.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    parameter : str
        Name of the damping, one of ``machine.parameters``, such as ``"block.damping"`` or ``"pid.control.kd"``.
    span : (float, float)
        Range of the damping; at its low end there is a cycle.
    guess, max_step, rtol, **options
        As in `slowest_smooth_speed`.

    Returns
    -------
    CycleLimit
        The damping, and the bifurcation there.

    Raises
    ------
    NoOrbitError
        If the machine has no cycle at any of the values tried.
    ValueError
        If the cycle exists up to the end of the range, and for bad arguments.

    Notes
    -----
    As for `slowest_smooth_speed`: the greatest damping on the branch of one cycle.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> limit = ss.cycles.critical_damping(m, "block.damping", (0.0, 0.2))
    >>> round(limit.value, 9), limit.bifurcation.name
    (0.081163887, 'grazing')
    """
    return _limit(machine, parameter, span, 1.0, guess, max_step, {"rtol": rtol} | options)


def largest_load_without_hunting(
    machine: Any,
    parameter: str,
    span: tuple[float, float],
    *,
    guess: Any = None,
    max_step: float | None = None,
    rtol: float = 1e-10,
    **options: Any,
) -> CycleLimit:
    """Find the load, gain or level of friction below which a machine has no cycle.

    The branch of cycles is followed from large loads to the bifurcation at which it ends or turns.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    parameter : str
        Name of the load, one of ``machine.parameters``, such as ``"guide.normal_load"``, ``"guide.law.static"`` or
        ``"pid.control.ki"``.
    span : (float, float)
        Range of the load; at its large end there is a cycle.
    guess, max_step, rtol, **options
        As in `slowest_smooth_speed`.

    Returns
    -------
    CycleLimit
        The load, and the bifurcation there.

    Raises
    ------
    NoOrbitError
        If the machine has no cycle at any of the values tried.
    ValueError
        If the cycle exists up to the end of the range, and for bad arguments.

    Notes
    -----
    As for `slowest_smooth_speed`: the least load on the branch of one cycle.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.1, names=["slide"])
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> ss.cycles.largest_load_without_hunting(m, "guide.normal_load", (0.8, 3.0))
    CycleLimit(guide.normal_load = 1.13833749: grazing of 'guide')
    """
    return _limit(machine, parameter, span, -1.0, guess, max_step, {"rtol": rtol} | options)


def _limit(
    machine: Any,
    parameter: str,
    span: tuple[float, float],
    sign: float,
    guess: Any,
    max_step: float | None,
    options: dict[str, Any],
) -> CycleLimit:
    """Follow the cycle towards greater (sign 1) or smaller values of a parameter, up to the extreme one."""
    low, high = range_of_parameter(span)
    first, last = (low, high) if sign > 0.0 else (high, low)
    orbit, value = _first_orbit(machine, parameter, (first, last), guess, options)
    family = Family(orbit, parameter, options, of=(machine, value))
    family.check_span(low, high)
    point, frame = start_of(family, orbit, high - low)
    longest = (high - low) / STEPS if max_step is None else positive("max_step", max_step)
    walk = Walk((low, high), longest, _MOST)
    tangent = tangent_of(frame, point.shot, None)
    found = walk.along(Place(point, frame, sign * tangent))
    ends = (f"start, {point.value:g}", found.end)
    branch = Branch(parameter, walk, [point, *found.points], found.found, ends)
    extreme = float(np.max(sign * branch.values))
    turns = [one for one in branch.bifurcations if sign * one.value >= extreme - _SAME * (high - low)]
    if not turns:
        raise ValueError(
            f"span = ({low:g}, {high:g}) is not allowed: the branch of cycles reaches {parameter} = "
            f"{sign * extreme:g} without a bifurcation at which it would end or turn ({found.end}); choose a wider range"
        )
    best = max(turns, key=lambda one: sign * one.value)
    return CycleLimit(parameter, best.value, best, branch)


def _first_orbit(
    machine: Any, parameter: str, ends: tuple[float, float], guess: Any, options: dict[str, Any]
) -> tuple[Orbit, float]:
    """Return an orbit at the first value, or at one as near to it as an orbit is found."""
    said = ""
    for share in _TRIED:
        value = ends[0] + share * (ends[1] - ends[0])
        changed = with_value(machine, parameter, value)
        for start in (_in_stick(changed), None) if guess is None else (guess,):
            try:
                orbit = periodic_orbit(changed, start, **options)
            except NoOrbitError as error:
                said = said or f"at {parameter} = {value:g}: {error}"
                continue
            if not orbit.reason:
                return orbit, value
            said = said or f"at {parameter} = {value:g} the orbit has no derivatives: {orbit.reason}"
    raise NoOrbitError(
        f"no cycle was found between {parameter} = {ends[0]:g} and {ends[1]:g}, of which it is expected near the first; "
        f"{said}"
    )


def _in_stick(machine: Any) -> Array:
    """Return initial values in which the relative velocities of friction elements are zero, as far as this is possible."""
    flow = Flow(machine, {})
    x = np.array(_initial(flow.compiled, None))

    def slip(values: Array) -> Array:
        raw = flow.advance(flow.at_rest(0.0, values), _BEGUN)
        return np.asarray(_core.run.Samples(raw, np.array([0.0])).velocities)[:, 0]

    present = slip(x)
    if present.size:
        by_state = np.array([slip(x + unit) - present for unit in np.eye(x.size)])
        x -= np.linalg.lstsq(by_state.T, present, rcond=None)[0]
    return x
