"""Transitions of one contact as computed by the engine, and their changes along a parameter.

Rows are the normal and the tangential direction of the contact; the same problem serves on acceleration level
and, with impulses, for the phases of an impact. Lemke's path runs in the form of the source with the unknowns
(g̈_N, g̈_T⁺, g̈_T⁻, λ_T0⁻, λ_T0⁺) against (λ_N, λ_T⁺, λ_T⁻, z⁻, z⁺) (Hinrichsen, 4.20, 5.20 and 5.27).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _core, lcp
from stickslip.machines._flight import bisect
from stickslip.machines.contact_data import ContactData
from stickslip.modes import Mode

Array = NDArray[np.float64]

STICK, SLIP_FORWARD, SLIP_BACKWARD, OPEN, OPEN_WITHOUT_SLIP = range(5)
MODES: tuple[str, ...] = ("stick", "slip+", "slip-", "open", "open without slip")
NONE = -1

_CLOSED = {Mode.STICK: STICK, Mode.SLIP_FORWARD: SLIP_FORWARD, Mode.SLIP_BACKWARD: SLIP_BACKWARD}


@dataclass(frozen=True, eq=False)
class Contact:
    """Delassus matrix G = W·M⁻¹·Wᵀ of one contact, W = (w_N, w_T)."""

    data: ContactData

    @cached_property
    def frame(self) -> Array:
        """W, shape (2, n)."""
        return np.vstack([self.data.normals[0], self.data.tangents[0]])

    @cached_property
    def delassus(self) -> Array:
        """Delassus matrix G, shape (2, 2)."""
        return np.asarray(self.frame @ np.linalg.solve(self.data.mass, self.frame.T))

    @cached_property
    def response(self) -> Array:
        """W·M⁻¹: relative acceleration by applied forces, shape (2, n)."""
        return np.asarray(np.linalg.solve(self.data.mass.T, self.frame.T).T)

    def free(self, force: Array) -> Array:
        """Relative acceleration (normal, tangential) without contact force."""
        return np.asarray(self.response @ force)


@dataclass(frozen=True, eq=False)
class Answer:
    """One solution as a mode, with contact force (or impulse) and relative acceleration (or velocity)."""

    mode: int
    force: Array
    motion: Array


@dataclass(frozen=True, eq=False)
class Transition:
    """One complementarity problem of the engine. Friction F = −λ_T lies in [low, high], each a line over λ_N.

    `offset` is the impulse ε·Λ_C (normal, friction) by which the expansion of an impact is shifted.
    """

    delassus: Array
    free: Array
    low: tuple[float, float]
    high: tuple[float, float]
    sliding: int = 0
    offset: Array | None = None

    @cached_property
    def _problem(self) -> list[Any]:
        """Arguments of the engine; the last is True if friction vanishes while the contact is open: not if an offset is
        left.
        """
        lines = np.array([[*self.low, *self.high, *self.low, *self.high]])
        element, state = np.zeros(1, dtype=np.int64), np.array([self.sliding], dtype=np.int64)
        return [self.delassus, self.free, 1, element, state, lines, self.offset is None]

    def _read(self, raw: dict[str, Any]) -> Answer:
        normal, tangential = (Mode(int(m)) for m in raw["modes"])
        force = raw["force"] if self.offset is None else raw["force"] + self.offset
        if normal is not Mode.OPEN:
            mode = _CLOSED[tangential]
        else:
            held = tangential is Mode.STICK and force[0] != 0.0
            mode = OPEN_WITHOUT_SLIP if held else OPEN
        return Answer(mode, force, raw["acceleration"])

    def all(self) -> list[Answer]:
        """Return all solutions, one per mode."""
        found: dict[int, Answer] = {}
        for raw in _core.transition.stage(*self._problem):
            answer = self._read(raw)
            found.setdefault(answer.mode, answer)
        return [found[mode] for mode in sorted(found)]

    def lemke(self, scale: float) -> Answer | None:
        """Return the solution of Lemke's algorithm with the rows of motion multiplied by `scale`.

        The covering vector is 1 for the multiplied rows, that is 1/scale for the original rows.
        """
        matrix, vector = _core.transition.source_form(*self._problem[:-1])
        covering = np.ones(vector.size)
        covering[:3] /= scale
        result = lcp.lemke(matrix, vector, covering)
        if not result.success:
            return None
        raw = _core.transition.label(*[*self._problem, result.z, result.w])
        return self._read(raw)

    def margins(self) -> list[float]:
        """Return all quantities whose signs decide a mode, linear in `free` and in the levels: modes can change only at
        a zero of one of them.
        """
        return _core.transition.margins(*self._problem)


def from_stick(contact: Contact, free: Array, friction: float) -> Transition:
    """Return the transition of a contact without relative velocity, for accelerations or (compression) velocities."""
    return Transition(contact.delassus, free, (0.0, -friction), (0.0, friction))


def from_slip(contact: Contact, free: Array, friction: float, sliding: int) -> Transition:
    """Return the transition of a sliding contact (4.37): only the normal direction is unknown."""
    return Transition(contact.delassus, free, (0.0, -friction), (0.0, friction), sliding)


def expansion(contact: Contact, impulse: Array, motion: Array, friction: float, epsilon: float) -> Transition:
    """Return the expansion of a Poisson impact in the shifted impulses Λ_P = Λ_E − ε·Λ_C (5.27), after a compression
    with `impulse` (normal, friction) that ended with `motion`.
    """
    normal, tangential = epsilon * impulse
    left = friction * normal
    free = motion + contact.delassus @ np.array([normal, -tangential])
    # Friction that the compression has left: exactly zero on the side on which it slides.
    low, high = min(0.0, -left - tangential), max(0.0, left - tangential)
    return Transition(
        contact.delassus, free, (low, -friction), (high, friction), 0, np.array([normal, tangential])
    )


def sign_changes(
    function: Callable[[float], list[float]], low: float, high: float, samples: int
) -> list[float]:
    """Return the points in (low, high) at which a component of the function changes its sign, to machine precision."""
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
    """Return the points in (low, high) at which a label changes, to machine precision; changes between two `samples`
    with equal labels are missed.
    """
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
