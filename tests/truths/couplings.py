"""Springs of `phase_by_phase`: each part on one line of its characteristic, pushing or let go, until a guard says so."""

from __future__ import annotations

import numpy as np

from stickslip.analysis.auditing._spring_law import Line
from stickslip.analysis.auditing._spring_law import Spring as Law
from truths.attached import Attached, Guard, Seen


class Flank(Attached):
    """One part of a spring; a flank that would pull by its damper is released."""

    def __init__(self, law: Law, line: Line, side: int) -> None:
        self.law, self.line = law, line
        self.lets_go = bool(side) and law.damping > 0.0
        self.damping = law.damping if side == 0 else 0.0
        self.last = line.x.size - 2
        self.on, self.pushing = 0, True

    def _at(self, s: Seen) -> tuple[float, float]:
        x = float(self.law.along @ s.q) - self.law.rest.value(s.t, 0)
        return x, float(self.law.along @ s.v) - self.law.rest.value(s.t, 1)

    def _height(self, x: float) -> float:
        """The line that it is on, also beyond its ends."""
        a, b, fa, fb = *self.line.x[self.on : self.on + 2], *self.line.f[self.on : self.on + 2]
        return float(fa + (fb - fa) / (b - a) * (x - a))

    @property
    def _sign(self) -> float:
        """Sign of the force on this line of the characteristic, which continues beyond its outer points."""
        x, k = self.line.x, self.on
        low = x[0] - 1.0 if k == 0 else x[k]
        high = x[-1] + 1.0 if k == self.last else x[k + 1]
        return float(np.sign(self._height(0.5 * (low + high))))

    def _whole(self, s: Seen) -> float:
        x, v = self._at(s)
        return self._height(x) + self.law.damping * v

    def begin(self, s: Seen) -> None:
        """The line and the touch of a start."""
        x, v = self._at(s)
        self.on = int(np.clip(np.searchsorted(self.line.x, x) - 1, 0, self.last))
        self.pushing = self._sign * (self._height(x) + self.law.damping * v) > 0.0

    def settle(self, s: Seen, jumps: bool) -> None:
        """A motion that begins in a corner goes on along the line to which it turns, and touches or not."""
        x, v = self._at(s)
        if not jumps or x not in self.line.x[1:-1]:
            return
        corner = int(np.flatnonzero(self.line.x == x)[0])
        turns = v or float(self.law.along @ s.a) - self.law.rest.value(s.t, 2)
        if turns:
            self.on = corner if turns > 0.0 else corner - 1
            self.pushing = self._sign * (self.line.f[corner] + self.law.damping * v or turns) > 0.0

    def force(self, s: Seen) -> np.ndarray:
        """Its forces on the coordinates."""
        x, v = self._at(s)
        f = self._height(x)
        if self.lets_go:
            f = f + self.law.damping * v if self.pushing and self._sign else 0.0
        return -(f + self.damping * v) * self.law.along

    def _go(self, s: Seen, step: int) -> None:
        x = float(self.line.x[self.on + (step > 0)])
        self.on += step
        touches = abs(self._height(x)) <= 1e-14 * np.abs(self.line.f).max()
        if self.lets_go and self._sign and (touches or not self.pushing):
            self.pushing = self._sign * self.law.damping * self._at(s)[1] + abs(self._height(x)) > 0.0

    def _toggle(self, s: Seen) -> None:
        self.pushing = not self.pushing

    def guards(self) -> list[Guard]:
        """Ends of the line, and of the touch."""
        found: list[Guard] = []
        if self.on > 0:
            found.append((lambda s: self._at(s)[0] - self.line.x[self.on], lambda s: self._go(s, -1)))
        if self.on < self.last:
            found.append((lambda s: self.line.x[self.on + 1] - self._at(s)[0], lambda s: self._go(s, 1)))
        if self.lets_go and self._sign:
            way = self._sign if self.pushing else -self._sign
            found.append((lambda s: way * self._whole(s), self._toggle))
        return found


def of(law: Law) -> list[Flank]:
    """All parts of a spring."""
    return [Flank(law, line, side) for line, side in zip(law.parts, law.sides, strict=True)]
