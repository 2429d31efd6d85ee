"""One machine: run, audited, judged in one word."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import stickslip as ss
from families import diverging, endless, first_decision, solvable
from families.case import Case

MOST_EVENTS, MOST_SECONDS = 20_000, 20.0
PASSED, UNFINISHED, REFUSED, WRONG, NAN = "passed", "not finished", "refused", "wrong", "NaN"
CRASH, HANG, BROKEN = "crash", "hang", "audit broke"
EXPLAINED = (
    "proven: no answer",
    "proven: more impacts",
    "diverges: proven",
    "goes on",
    first_decision.SHARED,
)
WORDS = (PASSED, UNFINISHED, REFUSED, WRONG, NAN, CRASH, HANG, BROKEN)


@dataclass
class Verdict:
    """Verdict on the machine of a seed.

    `cause` is the same for all machines that fail alike: a message without its numbers, or the laws that are broken.
    """

    seed: int
    word: str
    cause: str = ""
    detail: str = ""
    run_ms: float = 0.0
    audit_ms: float = 0.0
    skipped: int = 0
    truth: str = ""  # how the start compares with a truth

    def plain(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)


def without_numbers(message: str) -> str:
    """Common part of messages of the same kind."""
    text = re.sub(r"'[^']*'", "'…'", message)
    return re.sub(r"[-+]?\d+\.?\d*(e[-+]?\d+)?|\binf\b", "#", text)


def _start(run: ss.Trajectory, case: Case) -> str:
    """The state that differs from the given start without an impact there; a run does not store the given start."""
    initial = case.options.get("initial", {})
    if np.any(run.events.impact & (run.events.time <= run.t[0])):
        return ""
    for name, value in initial.items():
        begins = float(run.at([run.t[0]])[name][0])
        if abs(begins - value) > 1e-9 * (abs(value) + np.abs(run[name]).max()) + 1e-15 * np.abs(run.y).max():
            return f"{name} begins with {begins}, not with {value}"
    return ""


def _why(run: ss.Trajectory, case: Case, truth: str) -> str:
    """Reason why a run did not come to its end, as far as it is known."""
    if truth and truth != first_decision.AGREES:
        return "proven: no answer" if truth in first_decision.NO_ANSWERS else truth
    if run.status == ss.Status.NO_SOLUTION:
        return solvable.verdict(run)
    if run.status == ss.Status.STALLED:
        return diverging.verdict(run)
    if case.budget is not None and len(run.events) > MOST_EVENTS and (proof := case.budget(MOST_EVENTS)):
        return proof
    if run.status == ss.Status.FAILED or len(run.events) > MOST_EVENTS:
        return endless.verdict(run, case.t_end)
    return ""


def left(found: Verdict) -> bool:
    """True if a run ended early although an answer exists, as far as is known."""
    return found.word == UNFINISHED and not any(f", {why}" in found.cause for why in EXPLAINED)


def judge(seed: int, build: Callable[[int], Case]) -> Verdict:
    """Run and audit."""
    warnings.simplefilter("ignore")
    try:
        case = build(seed)
    except Exception:
        return Verdict(seed, BROKEN, "the machine cannot be built", traceback.format_exc())
    begin = time.perf_counter()
    try:
        run = ss.simulate(
            case.machine, case.t_end, max_events=MOST_EVENTS, max_time=MOST_SECONDS, **case.options
        )
    except ValueError as error:
        return Verdict(seed, REFUSED, without_numbers(str(error)), str(error))
    between = time.perf_counter()
    found = Verdict(seed, PASSED, run_ms=1e3 * (between - begin))
    if not (
        np.isfinite(run.y).all() and np.isfinite(run.state.x).all() and np.isfinite(run.events.time).all()
    ):
        found.word, found.cause = NAN, f"{run.status}"
        return found
    if case.truth is not None:
        found.truth = case.truth(run)
        if found.truth not in first_decision.GOOD and found.truth != first_decision.REFUSED:
            found.word, found.cause, found.detail = WRONG, f"the start {found.truth}", run.message
            return found
    between = time.perf_counter()
    moved = _start(run, case)
    if moved:
        found.word, found.cause, found.detail = WRONG, "the run does not begin where it should", moved
        return found
    if not isinstance(run.machine, ss.Machine):  # matrices have no points of action, which an audit needs
        if not run.success:
            found.word, found.cause = UNFINISHED, f"{run.status}: {without_numbers(run.message)}"
        return found
    try:
        report = ss.analysis.audit(run)
    except Exception:
        found.word, found.detail = BROKEN, traceback.format_exc()
        found.cause = found.detail.strip().splitlines()[-1]
        return found
    found.audit_ms, found.skipped = 1e3 * (time.perf_counter() - between), len(report.unchecked)
    if not report.passed:
        found.word, found.detail = WRONG, f"{report}"
        found.cause = report.findings[0].what
    elif not run.success:
        found.word, found.detail = UNFINISHED, f"t = {run.t[-1]:g} s: {run.message}"
        why = _why(run, case, found.truth)
        found.cause = f"{run.status}{', ' * bool(why)}{why}: {without_numbers(run.message)}"
    elif case.check is not None and (differs := case.check(run)):
        found.word, found.cause, found.detail = WRONG, "the run differs from its reference", differs
    return found
