"""Continuation of branches of periodic orbits."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip._checks import number, positive, reject
from stickslip.cycles._closing import NotClosed
from stickslip.cycles._family import Family
from stickslip.cycles._points import Place, start_of, tangent_of
from stickslip.cycles._walk import Walk
from stickslip.cycles.branch import Branch
from stickslip.cycles.orbit import Orbit

__all__ = ["follow"]

STEPS = 50  # of the range of the parameter, by default


def follow(
    orbit: Orbit,
    parameter: str,
    span: tuple[float, float],
    *,
    max_step: float | None = None,
    max_points: int = 500,
    rtol: float = 1e-10,
    **options: Any,
) -> Branch:
    """Follow a branch of periodic orbits over a parameter of the machine, stable or not, through folds.

    Parameters
    ----------
    orbit : Orbit
        An orbit of the branch, from `periodic_orbit`; the parameter of its machine lies within `span`.
    parameter : str
        Name of the parameter, one of ``machine.parameters``; with the suffix ``_scale``, such as
        ``"table.gap_scale"``, a factor on a signal.
    span : (float, float)
        Range of the parameter. The branch is followed from `orbit` to both ends.
    max_step : float, optional
        Greatest step of the parameter; by default a fiftieth of the range.
    max_points : int, default 500
        Greatest number of orbits in each direction.
    rtol : float, default 1e-10
        Relative tolerance of numerical integration, at most 1e-12 near bifurcations; linear regimes are exact.
    **options
        ``atol``, ``method``, ``rebound_threshold``, ``max_events`` and ``max_time`` (of each run), as in `simulate`.

    Returns
    -------
    Branch
        The orbits in the order of the branch, their periods, multipliers and stability, and the bifurcations.

    Raises
    ------
    ValueError
        If the parameter is unknown or not allowed in the range, if the range does not contain the present value, or if
        the orbit has no derivatives.

    Notes
    -----
    Pseudo-arclength continuation (Seydel, *Practical Bifurcation and Stability Analysis*, 2010, 4.5) of φ(x, T, λ) = x
    with the exact derivatives of the motion by state, period and parameter. The sequence of events is free along the
    branch. Folds, flips, tori and branch points are roots of test functions of the tangent and of the multipliers along
    the branch; changes of the sequence of events are bisected. In linear regimes the parameter at a bifurcation is exact
    to 2e-10 of the range. Where the motion is integrated, multipliers are exact to 1e-9, or to about 1e-6 with a stiff
    method, and with them flips, tori and branch points. Where a branch ends, `Branch.ends` states why.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=1.0, damping=0.05, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.6), surface_velocity=0.5)
    >>> branch = ss.cycles.follow(ss.cycles.periodic_orbit(m), "block.damping", (0.0, 0.2))
    >>> [(b.name, round(b.value, 9)) for b in branch.bifurcations]
    [('grazing', 0.081163887)]
    """
    if not isinstance(orbit, Orbit):
        reject("orbit", orbit, "an Orbit, as periodic_orbit returns it")
    low, high = range_of_parameter(span)
    family = Family(orbit, parameter, {"rtol": rtol} | options)
    if not low <= family.present <= high:
        raise ValueError(
            f"span = ({low:g}, {high:g}) does not contain the orbit, whose machine has {parameter} = "
            f"{family.present:g}: choose a range around it, or an orbit of a machine with a value in the range"
        )
    family.check_span(low, high)
    longest = (high - low) / STEPS if max_step is None else positive("max_step", max_step)
    if isinstance(max_points, bool) or not isinstance(max_points, (int, np.integer)) or max_points < 1:
        reject("max_points", max_points, "a positive integer")
    try:
        point, frame = start_of(family, orbit, high - low)
    except NotClosed as error:
        raise ValueError(f"orbit cannot be followed: {error}") from error
    walk = Walk((low, high), longest, int(max_points))
    tangent = tangent_of(frame, point.shot, None)
    up = walk.along(Place(point, frame, tangent))
    if up.closed:
        return Branch(parameter, walk, [point, *up.points], up.found, (up.end, up.end))
    down = walk.along(Place(point, frame, -tangent))
    found = [one.reversed() for one in down.found[::-1]] + up.found
    return Branch(parameter, walk, [*down.points[::-1], point, *up.points], found, (down.end, up.end))


def range_of_parameter(span: Any) -> tuple[float, float]:
    """Check a range of a parameter."""
    if np.shape(span) != (2,):
        reject("span", span, "the pair (lowest value, highest value)")
    low, high = (number(f"span[{k}]", value) for k, value in enumerate(span))
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        reject("span", span, "the pair (lowest value, highest value), both finite")
    return low, high
