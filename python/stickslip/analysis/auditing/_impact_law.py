"""All outcomes of an impact under Poisson's law, by enumeration of mode combinations.

Compression ends with ``v_N >= 0`` complementary to ``L >= 0`` and ``|S| <= mu L``; expansion adds ``L_E >= e L_C``
complementary to ``v_N >= 0``, with ``|S_E| <= mu L_E`` (Glocker 1995; Hinrichsen 2007, chapter 5). In each phase a
contact separates, sticks, or slips in one direction. Each combination is a linear system, and a solution with all signs
correct is an outcome.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MOST_SETS = 1300  # combinations of modes in one phase
_SIGNS = 1e-9


@dataclass
class ImpactProblem:
    """One impact at the velocities of its contacts.

    Rows of `response` and `before` are the normals, then the tangents; impulses are ordered as (L, -S).
    """

    response: Array
    before: Array
    restitution: Array
    friction: Array
    contact_of: list[int]
    reversal: list[float | None]  # tangential restitution of each tangent

    @property
    def contacts(self) -> int:
        """Number of contacts in the impact."""
        return self.restitution.size

    def sets(self) -> int:
        """Return the combinations of modes in one phase."""
        return int(2**self.contacts * 3 ** len(self.contact_of))

    def distinct(self) -> bool:
        """True if the velocities determine the impulses."""
        if np.diag(self.response).min() <= 0.0:  # a prescribed direction
            return False
        scale = np.sqrt(np.diag(self.response))
        unit = self.response / np.outer(scale, scale)
        return bool(np.linalg.eigvalsh(unit).min() > 1e-8)


def _modes(problem: ImpactProblem) -> NDArray[np.int_]:
    """Combinations: for each contact whether it presses on (1) or not (0), for each tangent stick (0) or slip (1, -1)."""
    choices = [(0, 1)] * problem.contacts + [(0, 1, -1)] * len(problem.contact_of)
    return np.array(list(itertools.product(*choices)), dtype=int).reshape(-1, len(choices))


def _returned(problem: ImpactProblem, stored: Array | None, j: int) -> float | None:
    """Friction impulse of expansion at which a reversible contact slides back; None: by friction alone."""
    ratio = problem.reversal[j]
    if stored is None or ratio is None or stored[problem.contacts + j] == 0.0:
        return None
    return float(ratio * problem.restitution[problem.contact_of[j]] * stored[problem.contacts + j])


def _systems(
    problem: ImpactProblem, sets: NDArray[np.int_], floor: Array, start: Array, stored: Array | None
) -> Array:
    """Solutions (L, S) of all combinations; NaN where a system is singular."""
    n, m = problem.contacts, problem.response.shape[0]
    turned = problem.response.copy()
    turned[:, n:] *= -1.0
    a, b = np.zeros((len(sets), m, m)), np.zeros((len(sets), m))
    for i, modes in enumerate(sets):
        for k, pressed in enumerate(modes[:n]):
            if pressed:
                a[i, k], b[i, k] = turned[k], -start[k]
            else:
                a[i, k, k], b[i, k] = 1.0, floor[k]
        for j, k in enumerate(problem.contact_of):
            slip = modes[n + j]
            if slip == 0:
                a[i, n + j], b[i, n + j] = turned[n + j], -start[n + j]
            else:
                back = _returned(problem, stored, j)
                a[i, n + j, n + j] = 1.0
                if back is not None and stored is not None and slip * stored[n + j] < 0.0:
                    b[i, n + j] = back
                else:
                    a[i, n + j, k] = -slip * problem.friction[j]
    size = np.abs(a).max(axis=2, keepdims=True)
    a, b = a / size, b / size[..., 0]
    singular = np.abs(np.linalg.det(a)) < 1e-13
    a[singular] = np.eye(m)
    x: Array = np.linalg.solve(a, b[..., None])[..., 0]
    x[singular] = np.nan
    return x


def _phase(
    problem: ImpactProblem, floor: Array, start: Array, stored: Array | None = None
) -> list[tuple[Array, Array]]:
    """All (impulses, velocities after) of one phase whose normal impulses are at least `floor`.

    `stored` are the impulses of compression, of which reversible contacts give back a part in expansion.
    """
    n, sets = problem.contacts, _modes(problem)
    x = _systems(problem, sets, floor, start, stored)
    push = x.copy()
    push[:, n:] *= -1.0
    after = start + push @ problem.response.T
    speed = np.abs(start).max() + np.abs(problem.before).max()
    force = np.abs(x).max(axis=1) + floor.max(initial=0.0)
    good = (after[:, :n] >= -_SIGNS * speed).all(axis=1) & (x[:, :n] >= floor - _SIGNS * force[:, None]).all(
        axis=1
    )
    for j, k in enumerate(problem.contact_of):
        slip = sets[:, n + j]
        cone, held, back = problem.friction[j] * x[:, k], x[:, n + j], _returned(problem, stored, j)
        low = back if back is not None and back > 0.0 else -cone
        high = back if back is not None and back < 0.0 else cone
        inside = (held >= low - _SIGNS * force) & (held <= high + _SIGNS * force)
        along = slip * after[:, n + j] >= -_SIGNS * speed
        good &= np.where(slip == 0, inside, along)
    return [(x[i], after[i]) for i in np.flatnonzero(good)]


def poisson(problem: ImpactProblem) -> list[Array]:
    """Return the contact velocities after the impact for every outcome."""
    n, outcomes = problem.contacts, []
    for compressed, between in _phase(problem, np.zeros(n), problem.before):
        for _, after in _phase(problem, problem.restitution * compressed[:n], between, compressed):
            outcomes.append(after)
    return outcomes
