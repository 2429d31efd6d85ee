"""Lyapunov exponents through stick, impact and sampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import non_negative, positive
from stickslip.cycles._flow import Flow
from stickslip.run.simulation import _initial

__all__ = ["lyapunov_exponents"]

Array = NDArray[np.float64]
State = _core.dynamics.State

_INTERVALS = 200  # of the run: neighbouring motions are orthogonalised after each
_BEGUN = 1e-9  # of the run


def lyapunov_exponents(
    machine: Any,
    t_end: float,
    initial: State | Mapping[str, float] | ArrayLike | None = None,
    *,
    transient: float = 0.0,
    interval: float | None = None,
    rtol: float = 1e-8,
    **options: Any,
) -> Array:
    """Compute the Lyapunov exponents of a motion: the mean rates at which neighbouring motions separate.

    Parameters
    ----------
    machine : Machine or StateSpace
        The machine, or an object with a machine as ``.machine``.
    t_end : float
        Length of the motion over which separations are averaged, s.
    initial : State, mapping or array_like, optional
        State of an earlier run, or initial values as in `simulate`; by default 0.
    transient : float, default 0.0
        Length of the motion before, s, in which neighbouring motions align; rounded to whole intervals.
    interval : float, optional
        Time between two orthogonalisations, s; by default a 200th of `t_end`. A change of the states by more than the
        factor 1e8 within it hides the smaller exponents.
    rtol : float, default 1e-8
        Relative tolerance of numerical integration; linear regimes are exact.
    **options
        ``atol``, ``method``, ``max_step``, ``rebound_threshold``, ``max_events`` and ``max_time``, as in `simulate`.

    Returns
    -------
    ndarray, shape (n_components,)
        Exponents in 1/s, the greatest first, one for each state and each number in the memory of sampled controllers.
        ``-inf`` for directions that are lost, as the velocity of an element that comes to stick.

    Raises
    ------
    ValueError
        If the motion ends early, or its derivatives do not exist; the message says why. For bad arguments.

    Notes
    -----
    Benettin's method: the derivatives of the motion with respect to the state, which jump at events (saltation), are
    orthogonalised after each interval; the exponents are the means of the logarithms of the diagonal of R (Müller,
    *Chaos, Solitons & Fractals* 5, 1995, for motions with discontinuities).

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=4.0, damping=0.2, names=["x"])
    >>> exponents = ss.cycles.lyapunov_exponents(m, 50.0, {"x.position": 1.0})
    >>> round(float(exponents.sum()), 9)                    # -c / m
    -0.2
    """
    length, before = positive("t_end", t_end), non_negative("transient", transient)
    flow = Flow(machine, {"rtol": rtol} | options)
    if isinstance(initial, _core.dynamics.State):
        state = initial
    else:
        state = flow.at_rest(0.0, _initial(flow.compiled, initial))
    begun = flow.advance(state, state.t + _BEGUN * length)  # a motion that has begun has its modes
    if begun.status != "finished":
        raise ValueError(f"the motion ends early: {begun.message}")
    count = max(
        round(length / (length / _INTERVALS if interval is None else positive("interval", interval))), 1
    )
    skipped = round(before * count / length)
    found, reason = exponents_of(flow, begun.state, length / count, count, skipped)
    if found is None:
        raise ValueError(f"there are no Lyapunov exponents: {reason}")
    return found


def exponents_of(
    flow: Flow, state: State, interval: float, count: int, skipped: int = 0
) -> tuple[Array | None, str]:
    """Return the exponents over `count` intervals, after others in which neighbouring motions align.

    None, and why there are none, if the motion or its derivatives end.
    """
    values = flow.components(state)
    axes = np.eye(values.size)
    total = np.zeros(values.size)
    for k in range(-skipped, count):
        shot = flow.shoot(state, values, state.t, interval)
        if shot.raw.status != "finished":
            return None, f"the motion ends early: {shot.raw.message}"
        if np.isnan(shot.monodromy).any():
            return None, f"the motion has no derivatives: {shot.reason}"
        axes, sizes = np.linalg.qr(shot.monodromy @ axes)
        if k >= 0:
            with np.errstate(divide="ignore"):
                total += np.log(np.abs(np.diag(sizes)))
        state, values = shot.raw.state, shot.end
    return np.asarray(np.sort(total)[::-1] / (interval * count)), ""
