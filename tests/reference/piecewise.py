"""Motion of a machine whose forces are piecewise linear in (q, q'), from one region to the next by matrix exponentials.

Nothing of the engine is used. Which region holds is read off the state alone, by a function that the test writes down
from the law; within a region ``(q, q', 1)' = A (q, q', 1)``. A change of region is found by small steps, then by
bisection down to the last digit of the time.

Source: derivation; the law of elastic backlash is that of Modelica.Mechanics.Rotational.Components.ElastoBacklash2
(Modelica Standard Library 3.2.3), whose torque is ``c (phi -+ b/2) + d w`` outside of the backlash, and zero where this
would pull.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

Array = np.ndarray


@dataclass(frozen=True)
class Change:
    """Change from one region to another."""

    time: float
    before: Hashable
    after: Hashable
    state: Array


def motion(
    region: Callable[[Array], Hashable],
    matrix: Callable[[Hashable], Array],
    start: Array,
    t_end: float,
    step: float,
) -> tuple[list[Change], Array]:
    """Changes of region, and the state (q, q') at the end. `step`: shorter than any stay in a region."""
    t, z = 0.0, np.append(np.asarray(start, float), 1.0)
    now, changes = region(z[:-1]), []
    while t < t_end:
        a = matrix(now)
        by_step, begin, k = expm(a * step), t, 0
        at = z
        while begin + k * step < t_end:
            following = by_step @ at
            if region(following[:-1]) != now:
                break
            at, k = following, k + 1
        low, high = k * step, (k + 1) * step
        if begin + high >= t_end and region((expm(a * (t_end - begin)) @ z)[:-1]) == now:
            return changes, (expm(a * (t_end - begin)) @ z)[:-1]
        for _ in range(200):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            if region((expm(a * middle) @ z)[:-1]) == now:
                low = middle
            else:
                high = middle
        t, z = begin + high, expm(a * high) @ z
        then = region(z[:-1])
        changes.append(Change(t, now, then, z[:-1]))
        now = then
    return changes, z[:-1]


def first_order(mass: Array, damping: Array, stiffness: Array, force: Array) -> Array:
    """A of ``M q'' + D q' + K q = f``."""
    n = len(mass)
    a = np.zeros((2 * n + 1, 2 * n + 1))
    a[:n, n : 2 * n] = np.eye(n)
    a[n : 2 * n, :n] = -np.linalg.solve(mass, stiffness)
    a[n : 2 * n, n : 2 * n] = -np.linalg.solve(mass, damping)
    a[n : 2 * n, -1] = np.linalg.solve(mass, force)
    return a
