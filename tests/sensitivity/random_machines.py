"""Derivatives of random machines against differences of their runs: ``python -m sensitivity.random_machines chains``."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from families import generator
from families.case import Case
from numpy.typing import NDArray

import stickslip as ss
from sensitivity.differences import varied
from stickslip.identify._present import present_number

Array = NDArray[np.float64]

ROUNDING = 1e-13  # of sums of terms, as the engine has it
SAME, ENDED, UNKNOWN, REFUSED, WRONG = "same", "ended", "no reference", "refused", "wrong"


@dataclass
class Found:
    """The result of one machine and parameter."""

    family: str
    seed: int
    parameter: str
    word: str
    cause: str = ""


def parameters(machine: ss.Machine, rng: np.random.Generator, count: int) -> list[str]:
    """Some numbers of a machine that are not zero."""
    try:
        ss.ensemble(machine, {"?": [1.0]}, t_end=1.0, measure=["steps"])
    except ss.UnknownNameError as error:
        names = re.findall(r"'([^']*)'", str(error))[1:-1]
    known = [n for n in names if n not in machine.states]
    numbers = [n for n in known if (present_number(machine, n, {}) or 0.0) != 0.0]
    return list(rng.permutation(numbers)[:count])


class Held:
    """One run and its neighbours: event times, and states about half way between events."""

    def __init__(self, case: Case, name: str) -> None:
        self.case, self.name = case, name
        self.run = ss.simulate(
            case.machine, case.t_end, sensitivities=[name], max_events=2000, **case.options
        )
        self.until = min(self.run.sensitivity.valid_until.time, self.run._raw.t_end)
        times = self.run.events.time
        self.events = int(np.sum(times < self.until))
        ends = np.unique([self.run._raw.t_begin, *times[: self.events], self.until])
        lengths = np.diff(ends)
        beside = 0.503  # not exactly half way: a sampling instant there would have one-sided derivatives
        self.times = (ends[:-1] + beside * lengths)[lengths > 1e-4 * max(self.until, 1e-9)]

    def own(self) -> Array:
        """Derivatives as they are computed."""
        states = self.run.at(self.times).sensitivity.states[:, 0] if self.times.size else np.empty(0)
        moved = [e.sensitivity[self.name] for e in self.run.events[: self.events]]
        return np.concatenate([np.array(moved), states.ravel()])

    def other(self, value: float) -> Array | None:
        """The run with another number, as far as the same things happen in it."""
        try:
            machine = varied(self.case.machine, self.name, value)
            run = ss.simulate(machine, self.case.t_end, max_events=2000, **self.case.options)
            states = run.at(self.times).y if self.times.size else np.empty(0)
        except ValueError:
            return None
        mine, others = self.run.events[: self.events], run.events[: self.events]
        for what in ("element", "before", "after"):
            if list(getattr(mine, what)) != list(getattr(others, what)):
                return None
        return np.concatenate([others.time, states.ravel()])

    def difference(self, step: float) -> tuple[Array, Array] | None:
        """The derivative by differences, and how well it is known."""
        value = float(present_number(self.case.machine, self.name, {}) or 0.0)
        rows = []
        for share in (1.0, 0.5, 0.25):
            h = step * abs(value) * share
            ahead, behind = self.other(value + h), self.other(value - h)
            if ahead is None or behind is None:
                return None
            rows.append((ahead - behind) / (2.0 * h))
        digits = (
            4.0 * np.finfo(float).eps * np.maximum(np.abs(ahead), np.abs(behind)) / h
        )  # equal runs know no more
        first = [(4 * b - a) / 3 for a, b in ((rows[0], rows[1]), (rows[1], rows[2]))]
        return first[1], np.abs(first[1] - first[0]) + np.abs(first[1] - rows[2]) + digits


def judge(family: str, seed: int, count: int = 2) -> list[Found]:
    """Derivatives of one machine by some of its parameters."""
    rng = np.random.default_rng(seed)
    case = generator(family)(seed)
    case.options.setdefault("rtol", 1e-11)
    case.options.setdefault("max_time", 5.0)
    case.options.setdefault("max_step", case.t_end / 400.0)  # else differences know less than they seem to
    found = []
    for name in parameters(case.machine, rng, count):
        try:
            held = Held(case, name)
        except ValueError as error:
            found.append(Found(family, seed, name, REFUSED, str(error)))
            continue
        own, until = held.own(), held.run.sensitivity.valid_until
        known = [d for step in (1e-4, 1e-5, 1e-6) if (d := held.difference(step)) is not None]
        known.sort(key=lambda d: float(d[1].max(initial=0.0)))
        if not known:
            found.append(Found(family, seed, name, UNKNOWN, until.reason))
            continue
        truth, unknown = known[0]
        if len(known) > 1:  # differences that agree by chance know no more than those over other steps
            unknown = np.maximum(unknown, np.min([np.abs(d[0] - truth) for d in known[1:]], axis=0))
        size = np.abs(truth).max(initial=0.0) if truth.size else 0.0
        off = np.abs(own - truth) - 10.0 * unknown
        # What a change by all of the parameter would move by rounding alone is nothing.
        nothing = 1e-7 + ROUNDING * case.t_end / abs(float(present_number(case.machine, name, {}) or 1.0))
        # Not a number is no number; all others are to be right.
        if np.any(off > 1e-4 * (np.abs(truth) + 1e-3 * size) + nothing) or np.isnan(own).any():
            k = int(np.nanargmax(np.where(np.isnan(off), np.inf, off)))
            said = f"{own[k]:.6g} for {truth[k]:.6g} (+-{unknown[k]:.1g}), number {k} of {held.events} events"
            found.append(Found(family, seed, name, WRONG, said))
        else:
            found.append(Found(family, seed, name, ENDED if until.reason else SAME, until.reason))
    return found


def main(family: str, start: int, count: int) -> None:
    """Judge machines and print what was found."""
    words: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    for seed in range(start, start + count):
        for one in judge(family, seed):
            words[one.word] += 1
            if one.word in (WRONG, REFUSED):
                print(one, flush=True)
            if one.word in (ENDED, UNKNOWN):
                causes[re.sub(r"'[^']*'", "'.'", one.cause)] += 1
    print(family, dict(words))
    for cause, n in causes.most_common(8):
        print("   ", n, cause)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
