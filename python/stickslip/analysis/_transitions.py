"""The transitions of one contact as complementarity problems, their answers named as modes, and where these
change.

Order of the unknowns from stick or in an impact: (g̈_N, g̈_T⁺, g̈_T⁻, λ_T0⁻, λ_T0⁺) against (λ_N, λ_T⁺, λ_T⁻,
z⁻, z⁺), with λ_T = λ_T⁺ − λ_T⁻ and g̈_T = g̈_T⁺ − z⁻ (Hinrichsen, 4.20, 5.20 and 5.27). On velocity level the
same with impulses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stickslip import lcp
from stickslip.machines._flight import bisect
from stickslip.machines.contact_data import ContactData

Array = NDArray[np.float64]

STICK, SLIP_FORWARD, SLIP_BACKWARD, OPEN, OPEN_WITHOUT_SLIP = range(5)
MODES: tuple[str, ...] = ("stick", "slip+", "slip-", "open", "open without slip")
NONE = -1


@dataclass(frozen=True, eq=False)
class Contact:
    """Delassus matrix G = W·M⁻¹·Wᵀ of one contact, W = (w_N, w_T), with its friction and restitution."""

    data: ContactData

    @cached_property
    def frame(self) -> Array:
        """W, shape (2, n)."""
        return np.vstack([self.data.normals[0], self.data.tangents[0]])

    @cached_property
    def delassus(self) -> Array:
        """G, shape (2, 2)."""
        return np.asarray(self.frame @ np.linalg.solve(self.data.mass, self.frame.T))

    @cached_property
    def rows(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """G as plain numbers, for the many evaluations of a search."""
        (nn, nt), (tn, tt) = self.delassus.tolist()
        return (nn, nt), (tn, tt)

    @cached_property
    def response(self) -> Array:
        """W·M⁻¹: relative acceleration by applied forces, shape (2, n)."""
        return np.asarray(np.linalg.solve(self.data.mass.T, self.frame.T).T)

    def free(self, force: Array) -> Array:
        """Relative acceleration (normal, tangential) without contact force."""
        return np.asarray(self.response @ force)

    def matrix(self, friction: float) -> Array:
        """The matrix of (4.21), rows as written."""
        (nn, nt), (tn, tt) = self.delassus
        return np.array(
            [
                [nn, nt, -nt, 0.0, 0.0],
                [tn, tt, -tt, 1.0, 0.0],
                [-tn, -tt, tt, 0.0, 1.0],
                [friction, -1.0, 0.0, 0.0, 0.0],
                [friction, 0.0, -1.0, 0.0, 0.0],
            ]
        )


@dataclass(frozen=True, eq=False)
class Answer:
    """One solution as a mode, with contact force (or impulse) and relative acceleration (or velocity)."""

    mode: int
    force: Array
    motion: Array


@dataclass(frozen=True, eq=False)
class Transition:
    """One complementarity problem: w = M·z + q, and how its answers are read.

    `offset` is the impulse ε·Λ_C that the expansion of an impact is shifted by.
    """

    matrix: Array
    vector: Array
    offset: Array
    friction: float
    sliding: int = 0

    def read(self, z: Array, w: Array) -> Answer:
        """Name an answer by what is exactly zero in it: no tolerance, so that the name is right up to a
        boundary.

        w_0 is exactly zero in a closed contact. It slides forward where z⁺ = g̈_T > 0, which needs λ_T⁺ = 0
        since then g̈_T⁺ > 0; at the far end of the segment of sticking answers z⁺ may be in the basis too, at
        the value zero but for rounding, and there λ_T⁺ > 0. Backward is the mirror image.
        """
        if self.sliding:
            direction = self.sliding
        else:
            direction = int(z[4] > 0.0 and z[1] == 0.0) - int(z[3] > 0.0 and z[2] == 0.0)
        if self.sliding:
            force = z[0] * np.array([1.0, -self.friction * direction])
            motion = np.array([w[0], np.nan])
        else:
            force = np.array([z[0], z[1] - z[2]]) + self.offset
            motion = np.array([w[0], w[1] - z[3]])
            if direction == 0:
                motion[1] = 0.0
            else:
                force[1] = -self.friction * direction * force[0]
        if motion[0] > 0.0:
            return Answer(OPEN if direction or force[0] == 0.0 else OPEN_WITHOUT_SLIP, force, motion)
        return Answer((STICK, SLIP_FORWARD, SLIP_BACKWARD)[direction], force, motion)

    def all(self) -> list[Answer]:
        """Every solution, one per mode; a continuum in z is one mode."""
        found: dict[int, Answer] = {}
        for solution in lcp.solve_all(self.matrix, self.vector):
            answer = self.read(solution.z, solution.w)
            found.setdefault(answer.mode, answer)
        return [found[mode] for mode in sorted(found)]

    def lemke(self, scale: float) -> Answer | None:
        """The solution that Lemke's path returns with the rows of motion multiplied by `scale`.

        The covering vector is one per row as multiplied, that is 1/scale per row as written.
        """
        rows = min(3, self.vector.size)
        covering = np.ones(self.vector.size)
        covering[:rows] /= scale
        result = lcp.lemke(self.matrix, self.vector, covering)
        return self.read(result.z, result.w) if result.success else None


def from_stick(contact: Contact, free: Array, friction: float) -> Transition:
    """Transition of a contact without relative velocity, on acceleration or (compression) on velocity
    level.
    """
    vector = np.array([free[0], free[1], -free[1], 0.0, 0.0])
    return Transition(contact.matrix(friction), vector, np.zeros(2), friction)


def from_slip(contact: Contact, free: Array, friction: float, sliding: int) -> Transition:
    """Transition of a contact that slides (4.37): only the normal direction is open."""
    nn, nt = contact.delassus[0]
    matrix = np.array([[nn - friction * sliding * nt]])
    return Transition(matrix, free[:1].copy(), np.zeros(2), friction, sliding)


def expansion(contact: Contact, compression: Answer, friction: float, restitution: float) -> Transition:
    """Expansion of a Poisson impact in the shifted impulses Λ_P = Λ_E − ε·Λ_C (5.27)."""
    offset = restitution * compression.force
    motion = compression.motion + contact.delassus @ offset
    normal, tangential = offset
    # Friction left by the compression: exactly zero on the side on which it slides.
    bounds = [max(0.0, friction * normal - tangential), max(0.0, friction * normal + tangential)]
    vector = np.array([motion[0], motion[1], -motion[1], *bounds])
    return Transition(contact.matrix(friction), vector, offset, friction)


def margins(contact: Contact, free: Array, friction: float, offset: Array | None = None) -> list[float]:
    """Every quantity whose sign decides about a mode: forces, friction left, motion in the candidate of each
    mode.

    They are linear in `free` and `offset`, so the modes can change only where one of them is zero.
    """
    shift_n, shift_t = (0.0, 0.0) if offset is None else (float(offset[0]), float(offset[1]))
    free_n, free_t = float(free[0]), float(free[1])
    (nn, nt), (tn, tt) = contact.rows
    determinant = nn * tt - nt * tn
    held_n, held_t = (nt * free_t - tt * free_n) / determinant, (tn * free_n - nn * free_t) / determinant
    limit = friction * (held_n + shift_n)
    values = [held_n, limit - held_t - shift_t, limit + held_t + shift_t, free_n]
    for slope in (friction, -friction):
        # Closed and sliding: λ_T + shift_T = −μ·sgn·(λ_N + shift_N).
        constant = -slope * shift_n - shift_t
        normal = -(free_n + nt * constant) / (nn - slope * nt)
        values += [normal, free_t + tn * normal + tt * (constant - slope * normal)]
        # Open after an expansion, sliding at the bound.
        values += [free_n + nt * constant, free_t + tt * constant]
    # Open after an expansion, without slip.
    resting = -free_t / tt
    limit = friction * shift_n
    values += [free_n + nt * resting, limit - resting - shift_t, limit + resting + shift_t]
    return values


def sign_changes(
    function: Callable[[float], list[float]], low: float, high: float, samples: int
) -> list[float]:
    """Points in (low, high) at which a component of the function changes its sign, to the last bit."""
    grid = np.linspace(low, high, samples)
    table = np.array([function(float(point)) for point in grid])
    points: set[float] = set()
    for column in range(table.shape[1]):
        values = table[:, column]
        noise = 1e-13 * float(np.abs(values).max())
        if noise == 0.0 or float(np.abs(values).max()) <= 1e-11 * float(np.abs(table).max()):
            continue  # identically zero but for rounding
        signs = np.sign(np.where(np.abs(values) <= noise, 0.0, values))
        kept = np.flatnonzero(signs)
        for i, j in pairwise(kept):
            if signs[i] != signs[j]:
                root = bisect(lambda p, c=column: function(p)[c], float(grid[i]), float(grid[j]))  # type: ignore[misc]
                points.add(root)
    return sorted(point for point in points if low < point < high)


def label_changes(
    label: Callable[[float], tuple[int, ...]], low: float, high: float, samples: int
) -> list[float]:
    """Points in (low, high) at which a label changes, to the last bit; `samples` decide what is seen."""
    width = high - low
    grid = np.linspace(low + 1e-9 * width, high - 1e-9 * width, samples)
    labels = [label(float(point)) for point in grid]
    points = []
    for i in range(samples - 1):
        left, right = float(grid[i]), float(grid[i + 1])
        if labels[i] == labels[i + 1]:
            continue
        while True:
            middle = 0.5 * (left + right)
            if not left < middle < right:
                break
            if label(middle) == labels[i]:
                left = middle
            else:
                right = middle
        points.append(right)
    return points
