"""A run's first decision against all answers in rational arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from truths.just_after import BACKWARD, FORWARD, HELD, OPEN, Answer, Instant, answers, sign

import stickslip as ss

AGREES, NONE, NO_ANSWER = "agrees", "agrees: there is none", "none, an impact without collision"
REFUSED, FALSE_NONE = "refused though answered", "said to have none though answered"
DIFFERS, LATE, RESTS, SHARED = "differs", "late", "moves though it can rest", "depends on shared forces"
WATCHED = "left to be watched"
UNPROVEN = "none, not said to be proven"
NO_ANSWERS = (NONE, NO_ANSWER, UNPROVEN)
GOOD = (AGREES, SHARED, WATCHED, *NO_ANSWERS)
SAME = 1e-9  # relative, of accelerations
SOON = 1e-4  # s: a mode that changes so soon should have been decided at the start


@dataclass
class FirstDecision:
    """Judges the start of a run; names of contacts and of friction, and which contacts have friction.

    watched: everything may first stay at rest, until its limit is passed by more than rounding, which the audit checks.
    """

    instant: Instant
    contacts: list[str]
    friction: list[str]
    rough: list[bool]
    watched: bool = False

    def __call__(self, run: ss.Trajectory) -> str:
        """One word."""
        found = answers(self.instant)
        ended = not run.success and run.t[-1] <= run.t[0] + SOON
        if any(e.impact for e in run.events if e.time <= run.t[0]):
            return NO_ANSWER if not found.found else f"{DIFFERS}: an impact without collision"
        if ended:
            said = "there is none" in run.message
            if found.found:
                return FALSE_NONE if said else REFUSED
            return SHARED if found.continuum else NONE if said else UNPROVEN
        modes, motion = self._modes(run), self._motion(run)
        if any(self._is(a, modes, motion) for a in found.found):
            rests = [a for a in found.found if not any(map(sign, a.rate))]
            return RESTS if rests and not any(self._is(a, modes, motion) for a in rests) else AGREES
        if found.continuum:
            return SHARED
        if self.watched and all(mode in ("stick", "closed") for mode in modes):
            return WATCHED
        soon = any(run.t[0] < e.time <= run.t[0] + SOON for e in run.events)
        return LATE if soon else DIFFERS if found.found else f"{DIFFERS}: there is none"

    def _modes(self, run: ss.Trajectory) -> list[str]:
        names = [*self.contacts, *self.friction]
        return [str(ss.Mode(int(run[f"{name}.mode"][0]))) for name in names]

    def _motion(self, run: ss.Trajectory) -> np.ndarray:
        return np.array([run[f"q{c}.acceleration"][0] for c in range(len(self.instant.mass))])

    def _is(self, answer: Answer, modes: list[str], motion: np.ndarray) -> bool:
        exact = np.array([float(a[0]) for a in answer.acceleration])
        if not np.abs(exact - motion).max() <= SAME * (1.0 + np.abs(exact).max()):
            return False
        return all(mode in allowed for mode, allowed in zip(modes, self._allowed(answer), strict=True))

    def _allowed(self, answer: Answer) -> list[set[str]]:
        """Names of modes that stand for an answer, of contacts and of friction of a given level."""
        n, given = len(self.contacts), len(self.friction)
        rubs = iter(range(n + given, n + given + sum(self.rough)))
        allowed = []
        for j in range(n):
            r = next(rubs) if self.rough[j] else -1
            if answer.modes[j] == OPEN:
                allowed.append({OPEN})
                continue
            names = {"closed"} if r < 0 else {self._rub(answer, r)}
            allowed.append(names if answer.loaded[j] else names | {OPEN})
        return allowed + [{self._rub(answer, n + k)} for k in range(given)]

    def _rub(self, answer: Answer, r: int) -> str:
        slides = self.instant.friction[r - len(self.contacts)].slides
        side = slides or (0 if answer.modes[r] == HELD else sign(answer.rate[r]))
        return {1: FORWARD, -1: BACKWARD}.get(side, "stick")
