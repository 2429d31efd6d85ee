"""The problem of one time step: impulses p of rows whose velocities are ``u = G p + offset``.

A contact that takes part has p >= 0, u >= 0 and one of them zero; friction has p within its box (that of a contact
times its p) and u = 0, or p at an end of the box and u against it. The set of the last step is tried first, as linear
equations; else projected Gauss-Seidel (Jean 1999) finds a set, whose equations then give the digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SWEEPS = 4000
FREE, HELD, NONE = (
    0,
    2,
    3,
)  # besides -1 and 1: a row without impulse, one at rest, friction of an open contact


class Left(Exception):
    """A machine of which Moreau's scheme says nothing."""


@dataclass
class OneStep:
    """Rows of contacts, then of friction."""

    g: np.ndarray
    offset: np.ndarray
    contacts: int
    of: list[int]  # contacts of the friction, -1: of none
    boxes: list[tuple[float, float]]
    live: np.ndarray  # which rows take part
    speed: float

    def __post_init__(self) -> None:
        self.sizes = np.diag(self.g)
        self.tol = 1e-14 * max(self.speed, np.abs(self.offset).max())

    def answer(self, last: tuple[int, ...]) -> tuple[np.ndarray, tuple[int, ...]]:
        """Impulses and their set."""
        one = self.fitted(last)
        p = self.solved_by(one)
        if p is None:
            p = self.swept()
            one = self.set_of(p)
            exact = self.solved_by(one)
            p = p if exact is None else exact
        return p, tuple(one)

    def pressed(self, r: int, one: list[int]) -> bool:
        """True if the contact of a row of friction is closed in a set; friction without a contact is always loaded."""
        k = self.of[r - self.contacts]
        return k < 0 or (bool(self.live[r]) and one[k] != FREE)

    def fitted(self, last: tuple[int, ...]) -> list[int]:
        """A set for the rows that take part now."""
        one = [mode if live else FREE for mode, live in zip(last[: self.contacts], self.live, strict=False)]
        for r in range(self.contacts, len(self.g)):
            kept = HELD if last[r] == NONE else last[r]
            one.append(kept if self.pressed(r, one) else NONE)
        return one

    def limits(self, p: np.ndarray, r: int) -> tuple[float, float]:
        """Least and greatest impulse of a row."""
        if r < self.contacts:
            return 0.0, np.inf
        k, (low, high) = self.of[r - self.contacts], self.boxes[r - self.contacts]
        return (low * p[k], high * p[k]) if k >= 0 else (low, high)

    def solved_by(self, one: list[int]) -> np.ndarray | None:
        """The impulses of a set, None if its inequalities do not hold."""
        a, b = np.eye(len(self.g)), np.zeros(len(self.g))
        for r, mode in enumerate(one):
            if mode == HELD:
                a[r], b[r] = self.g[r], -self.offset[r]
            elif mode in (-1, 1):
                k, box = self.of[r - self.contacts], self.boxes[r - self.contacts]
                level = box[0] if mode > 0 else box[1]
                if k >= 0:
                    a[r, k] = -level
                else:
                    b[r] = level
        try:
            p = np.linalg.solve(a, b)
        except np.linalg.LinAlgError:
            p = np.linalg.lstsq(a, b, rcond=1e-12)[0]
        u = self.g @ p + self.offset
        return p if all(self.holds(r, one[r], p, u[r]) for r in np.flatnonzero(self.live)) else None

    def holds(self, r: int, mode: int, p: np.ndarray, u: float) -> bool:
        """True if a row satisfies the inequalities of its mode."""
        if mode == HELD:
            low, high = self.limits(p, r)
            room = self.tol / self.sizes[r] + 1e-12 * abs(p[r])
            return abs(u) <= 100.0 * self.tol and low - room <= p[r] <= high + room
        return mode == NONE or (1 if mode == FREE else mode) * u >= -self.tol

    def swept(self) -> np.ndarray:
        """Impulses by projected Gauss-Seidel."""
        p, live = np.zeros(len(self.g)), np.flatnonzero(self.live)
        for sweep in range(SWEEPS):
            change = 0.0
            for r in live:
                low, high = self.limits(p, r)
                new = min(max(p[r] - (self.g[r] @ p + self.offset[r]) / self.sizes[r], low), high)
                change, p[r] = max(change, abs(new - p[r]) * self.sizes[r]), new
            if change <= 0.01 * self.tol or (sweep > 200 and change <= self.tol):
                return p
        raise Left("Gauss-Seidel does not converge")

    def set_of(self, p: np.ndarray) -> list[int]:
        """The set that impulses stand for."""
        u = self.g @ p + self.offset
        one = [
            HELD if self.live[r] and p[r] * self.sizes[r] > self.tol else FREE for r in range(self.contacts)
        ]
        for r in range(self.contacts, len(p)):
            low, high = self.limits(p, r)
            if not self.pressed(r, one):
                one.append(NONE)
            elif abs(u[r]) <= 100.0 * self.tol and low < p[r] < high:
                one.append(HELD)
            else:
                one.append(1 if p[r] - low < high - p[r] else -1)
        return one
