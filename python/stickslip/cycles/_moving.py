"""Moving frames: displacements that grow with time, or that are free, and change nothing else about a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stickslip import _core

if TYPE_CHECKING:
    from stickslip.cycles._flow import Flow

Array = NDArray[np.float64]

_TIMES = 40  # at which derivatives are compared
_SINGULAR = 1e-7  # of the largest singular value: a free displacement
_AGREES = 1e-6  # of the rates of the motion: residual of the velocity of the frame
_ADVANCES = 1e-6  # of the range of a state over the motion, or of a displacement: less is numerical noise


@dataclass(frozen=True)
class MovingFrame:
    """Displacements under which a machine is the same.

    Attributes
    ----------
    velocity : ndarray, shape (n_states,)
        With this velocity of the frame the machine does not depend on the time.
    free : ndarray, shape (n_states, n_free)
        Orthonormal displacements without any effect.
    """

    velocity: Array
    free: Array

    @property
    def advances(self) -> NDArray[np.bool_]:
        """True for states that may change from one period to the next."""
        free = np.abs(self.free).max(axis=1, initial=0.0) > _ADVANCES
        return np.asarray(free | (self.velocity != 0.0), dtype=bool)

    def relative(self, x: Array, elapsed: Array | float) -> Array:
        """Return states, shape (n_states, ...), without what the frame has moved and without free displacements."""
        moved = x - np.multiply.outer(self.velocity, elapsed) if np.ndim(elapsed) or elapsed else x
        return np.asarray(moved - self.free @ (self.free.T @ moved))

    def rates(self, rates: Array) -> Array:
        """Return rates relative to the frame."""
        return rates - self.velocity.reshape(-1, *[1] * (rates.ndim - 1))


def frame_of(flow: Flow, state: _core.dynamics.State, length: float) -> MovingFrame | None:
    """Return the frame in which motions of a machine can be periodic; None if there is none.

    The modes of the state are those of a motion through it. The state may be of a machine with other parameters.

    Along a motion x(s) with the derivatives M(s) by its start, a displacement n without effect satisfies M(s) n = n for
    all s; the velocity a of a frame in which the machine is autonomous, M(s) (x'(0) - a) = x'(s) - a.
    """
    values = flow.components(state)
    n = len(flow.compiled.states)
    if values.size != n:  # sampled controllers, which remember positions
        return None
    times = state.t + length * (np.arange(1, _TIMES + 1) - 0.37) / _TIMES
    raw, slopes, until = flow.tangents(state, values, state.t, length, times)
    times, slopes = times[times < until], slopes[:, :, times < until]
    if not times.size:
        return None
    x = np.asarray(_core.run.Samples(raw, np.append(state.t, times)).states)
    rates = np.asarray(_core.run.Samples(raw, np.append(state.t, times)).rates)
    size = np.ptp(x, axis=1)
    size = np.where(size > 0.0, size, max(size.max(), 1e-300))
    rows, right = [], []
    for k in range(times.size):
        scaled = slopes[:, :, k] * size / size[:, None]
        weight = 1.0 / max(1.0, float(np.linalg.norm(scaled)))
        rows.append(weight * (scaled - np.eye(n)))
        right.append(weight * (scaled @ (rates[:, 0] / size) - rates[:, k + 1] / size))
    matrix, goal = np.vstack(rows), np.concatenate(right)
    _, s, v = np.linalg.svd(matrix, full_matrices=False)
    loose = np.append(s, np.zeros(n - s.size)) <= _SINGULAR * max(float(s.max(initial=0.0)), 1e-300)
    free = np.linalg.qr(size[:, None] * v[loose].T)[0] if loose.any() else np.zeros((n, 0))
    velocity = np.zeros(n)
    if flow.grows:
        solved = np.linalg.lstsq(matrix, goal, rcond=_SINGULAR)[0]
        if not np.linalg.norm(matrix @ solved - goal) <= _AGREES * max(float(np.linalg.norm(goal)), 1e-300):
            return None
        velocity = np.asarray(solved * size)
        velocity[np.abs(velocity) * length <= _ADVANCES * size] = 0.0
    return MovingFrame(velocity, free)
