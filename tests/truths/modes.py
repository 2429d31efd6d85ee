"""Every set of modes of one problem of contact and friction, each with its own certificate.

Unknowns are accelerations (or velocities after an impact) a, normal forces L (impulses) and friction F:

    M a = r + sum n L - sum w F,     per contact: L >= floor, n a + d >= 0, one of them equal,
    per friction: w a + d = 0 and F within its static bounds, or F at its kinetic level and w a + d along it.

A regular set has one candidate. It is solved in rational numbers and its inequalities are checked there. A set whose
forces rigidity leaves open is a linear programme in floating point, and only asked whether it has a given motion.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from truths import exact

Set = tuple[tuple[int, ...], tuple[int, ...]]
STICK, OPEN = 0, 2
SLACK = 1e-9  # of the size of what is compared: data that make a contact graze differ by rounding
REGULAR = 1e10  # greatest condition of a set that counts as regular


@dataclass
class Rub:
    """Friction along w: levels are ``share L + fixed`` of its contact (-1: of none)."""

    along: np.ndarray
    drift: float
    sides: tuple[int, ...]  # directions in which it may slide; both where it is at rest
    static: tuple[float, float]
    kinetic: dict[int, float]
    contact: int = -1


@dataclass
class Problem:
    """One instant."""

    mass: np.ndarray
    right: np.ndarray
    normals: list[np.ndarray]
    drift: list[float]
    rubs: list[Rub]
    floor: list[float] = field(default_factory=list)

    def sets(self) -> list[Set]:
        """Closed or open for each contact; for each friction stick, a side, or nothing where its contact is open."""
        found = []
        for closed in itertools.product((1, 0), repeat=len(self.normals)):
            options: list[tuple[int, ...]] = []
            for r in self.rubs:
                if r.contact >= 0 and not closed[r.contact] and not self.kept(r.contact):
                    options.append((OPEN,))
                else:
                    options.append((STICK, *r.sides) if len(r.sides) == 2 else r.sides)
            found += [(closed, modes) for modes in itertools.product(*options)]
        return found

    def kept(self, contact: int) -> bool:
        """True if an open contact still has an impulse, that of its floor."""
        return bool(self.floor) and self.floor[contact] > 0.0

    def level(self, rub: Rub, side: int) -> tuple[float, float]:
        """Kinetic friction on a side: per unit of the normal force, and fixed."""
        value = rub.kinetic[side]
        return (value, 0.0) if rub.contact >= 0 else (0.0, value)

    def system(self, closed: tuple[int, ...], modes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Equalities of a set in (a, L, F)."""
        n, c, f = self.right.size, len(self.normals), len(self.rubs)
        a, b = np.zeros((n + c + f, n + c + f)), np.zeros(n + c + f)
        a[:n, :n], b[:n] = self.mass, self.right
        for k, w in enumerate(self.normals):
            a[:n, n + k] = -w
            if closed[k]:
                a[n + k, :n], b[n + k] = w, -self.drift[k]
            else:
                a[n + k, n + k], b[n + k] = 1.0, self.floor[k] if self.floor else 0.0
        for j, r in enumerate(self.rubs):
            i = n + c + j
            a[:n, i] = r.along
            if modes[j] == STICK:
                a[i, :n], b[i] = r.along, -r.drift
            else:
                a[i, i] = 1.0
                if modes[j] != OPEN:
                    share, b[i] = self.level(r, modes[j])
                    if r.contact >= 0:
                        a[i, n + r.contact] = -share
        return a, b

    def bounds(self, closed: tuple[int, ...], modes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Inequalities ``g x <= h`` of a set."""
        n, c, f = self.right.size, len(self.normals), len(self.rubs)
        rows, right = [], []

        def row(a: np.ndarray | None = None, **entries: float) -> np.ndarray:
            out = np.zeros(n + c + f)
            if a is not None:
                out[:n] = a
            for name, value in entries.items():
                out[n + int(name[1:]) + (c if name[0] == "f" else 0)] = value
            return out

        for k, w in enumerate(self.normals):
            if closed[k]:
                rows.append(row(**{f"l{k}": -1.0})), right.append(-self.floor[k] if self.floor else 0.0)
            else:
                rows.append(row(-w)), right.append(self.drift[k])
        for j, r in enumerate(self.rubs):
            if modes[j] == STICK:
                low, high = r.static
                for sign, most in ((1.0, high), (-1.0, -low)):
                    own = {} if r.contact < 0 else {f"l{r.contact}": -most}
                    rows.append(row(**{f"f{j}": sign}, **own)), right.append(0.0 if own else most)
            elif modes[j] != OPEN and len(r.sides) == 2:
                rows.append(row(-modes[j] * r.along)), right.append(modes[j] * r.drift)
        return np.array(rows).reshape(len(rows), n + c + f), np.array(right)

    def size(self, g: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Sizes with which the rows of the inequalities are compared."""
        n = self.right.size
        motion, force = np.abs(x[:n]).max(initial=0.0), np.abs(x[n:]).max(initial=0.0)
        motion += np.abs(np.linalg.solve(self.mass, self.right)).max()
        own = (
            np.abs(g[:, :n]).max(axis=1, initial=0.0) * motion
            + np.abs(g[:, n:]).max(axis=1, initial=0.0) * force
        )
        return own + 1e-300

    def certified(self, one: Set) -> np.ndarray | None:
        """The answer of a regular set, its inequalities checked in rational numbers; None if one is broken."""
        a, b = self.system(*one)
        g, h = self.bounds(*one)
        x = np.linalg.solve(a, b)
        if np.any(g @ x - h > 1e-6 * self.size(g, x)):
            return None
        certain = exact.solve(a, b)
        assert certain is not None
        left = exact.times(exact.rational(g), certain) if len(h) else []
        slack = [Fraction(right) - value for right, value in zip(h.tolist(), left, strict=True)]
        x = np.array([float(value) for value in certain])
        good = all(float(s) >= -SLACK * size for s, size in zip(slack, self.size(g, x), strict=True))
        return x if good else None

    def regular(self, one: Set) -> bool:
        """True if a set has one candidate."""
        a, _ = self.system(*one)
        a = a / np.abs(a).max(axis=1)[:, None]
        return bool(np.linalg.cond(a / np.abs(a).max(axis=0)) < REGULAR)

    def solutions(self) -> tuple[list[np.ndarray], list[Set]]:
        """All (a, L, F) of regular sets, each certified, and the sets that are not regular."""
        found, open_ = [], []
        for one in self.sets():
            if not self.regular(one):
                open_.append(one)
            elif (x := self.certified(one)) is not None:
                found.append(x)
        return found, open_

    def some(self, one: Set) -> np.ndarray | None:
        """Any answer of a set, None if it has none."""
        a, b = self.system(*one)
        g, h = self.bounds(*one)
        unit = max(np.abs(b).max(), np.abs(h).max(initial=0.0), 1e-300)
        done = linprog(
            np.zeros(len(b)), A_ub=g if len(h) else None, b_ub=h / unit if len(h) else None, A_eq=a, b_eq=b / unit,
            bounds=(None, None), method="highs",
        )  # fmt: skip
        return done.x * unit if done.status == 0 else None

    def set_of(self, motion: np.ndarray, tol: float) -> Set:
        """The set that allows most forces with a motion: what touches or rests presses and holds."""
        closed = tuple(
            int(w @ motion + d <= tol * np.abs(w).sum())
            for w, d in zip(self.normals, self.drift, strict=True)
        )
        modes = []
        for r in self.rubs:
            rate = float(r.along @ motion + r.drift)
            if r.contact >= 0 and not closed[r.contact] and not self.kept(r.contact):
                modes.append(OPEN)
            elif len(r.sides) == 1:
                modes.append(r.sides[0])
            else:
                modes.append(STICK if abs(rate) <= tol * np.abs(r.along).sum() else int(np.sign(rate)))
        return closed, tuple(modes)

    def has(self, motion: np.ndarray, tol: float) -> bool:
        """True if some forces give a motion that is known within `tol`."""
        n = self.right.size
        one = self.set_of(motion, tol)
        if self.regular(one) and (x := self.certified(one)) is not None:
            return bool(np.abs(x[:n] - motion).max() <= tol)
        a, b = self.system(*one)
        g, h = self.bounds(*one)
        known, most = b - a[:, :n] @ motion, h - g[:, :n] @ motion
        force = SLACK * np.abs(known[:n]).max() + 1e-300
        room = tol * np.abs(a[:, :n]).sum(axis=1) + force
        spare = tol * np.abs(g[:, :n]).sum(axis=1) + force * np.abs(g[:, n:]).max(axis=1, initial=0.0)
        rows = np.vstack([a[:, n:], -a[:, n:], g[:, n:]])
        return feasible(
            rows, np.concatenate([known + room, -known + room, most + spare]), np.abs(known[:n]).max()
        )


def feasible(rows: np.ndarray, right: np.ndarray, size: float) -> bool:
    """True if ``rows x <= right`` has a solution, for numbers of similar size."""
    if not rows.shape[1]:
        return bool(np.all(right >= 0.0))
    done = linprog(
        np.zeros(rows.shape[1]), A_ub=rows, b_ub=right / (size + 1e-300), bounds=(None, None), method="highs",
        options={"primal_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    return bool(done.status == 0)
