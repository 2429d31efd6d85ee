"""Truths about random machines, found without the engine: ``cd tests && python -m truths all --count 500``.

`instants` holds what a run does at its events against all sets of `modes`, with certificates in rational numbers;
`phase_by_phase` goes from event to event with SciPy; `moreau` steps through a motion without events, with steps refined
until converged. Signals are asked for their values, which tests of their own hold against formulas, and laws are those
that the audit has written a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from families import generator
from families.case import Case

import stickslip as ss
from truths import instants, moreau, phase_by_phase

CONTACTS = ("contacts", "frictional", "geared", "supports", "stops")
TRUTHS = {"events": ("chains", "drives", "springs"), "instants": CONTACTS, "steps": CONTACTS}
INSTANTS = 20  # of one run
CLOSE = 2e-8  # of the greatest position or velocity: positions and velocities from event to event
SAMPLES = 8  # times at which they are compared
PERTURBATION = 1e-9  # of the greatest position or velocity
LEFT = "left out"


def _events(family: str, seed: int) -> list[str]:
    case = generator(family)(seed)
    run = ss.simulate(case.machine, case.t_end, rtol=1e-10, **case.options)
    told = _compared(family, case, run, phase_by_phase.STEP)
    for finer in (10.0, 100.0):
        if told.startswith("wrong"):  # the truth may have passed over what was soon over
            told = _compared(family, case, run, phase_by_phase.STEP / finer)
    return [told]


def _compared(family: str, case: Case, run: ss.Trajectory, step: float) -> str:
    times = case.t_end * np.arange(1, SAMPLES + 1) / SAMPLES
    try:
        truth, events = phase_by_phase.run(case.machine, times, case.options.get("initial", {}), step)
    except phase_by_phase.Left as why:
        return f"{LEFT}: {why}"
    if not run.success:
        return "an answer was not found"
    far = _far(run, truth, times)
    if far > CLOSE and far > CLOSE * _growth(case, run, times):
        return "wrong motion"
    if far > CLOSE:
        return "agrees as far as its growth allows"
    told = (run.events.after != ss.Mode.FREE) & (run.events.time < case.t_end - phase_by_phase.SAME)
    if family == "chains" and int(told.sum()) != events:
        return "wrong number of events"
    return "agrees"


def _far(run: ss.Trajectory, truth: np.ndarray, times: np.ndarray) -> float:
    n = truth.shape[1]
    return float(np.abs(run.at(times).y[:n].T - truth).max() / (np.abs(run.y[:n]).max() + 1e-300))


def _growth(case: Case, run: ss.Trajectory, times: np.ndarray) -> float:
    """Growth of a small perturbation of the start."""
    n = 2 * len(case.machine.names)
    options = {k: v for k, v in case.options.items() if k != "initial"}
    size, worst = float(np.abs(run.y[:n]).max()), 0.0
    for name in run.states[:n]:
        initial = dict(case.options.get("initial", {}))
        initial[name] = initial.get(name, 0.0) + PERTURBATION * size
        other = ss.simulate(case.machine, case.t_end, rtol=1e-10, initial=initial, **options)
        worst = max(worst, _far(other, run.at(times).y[:n].T, times) / PERTURBATION)
    return worst


def _instants(family: str, seed: int) -> list[str]:
    case = generator(family)(seed)
    run = ss.simulate(case.machine, case.t_end, max_events=2000, max_time=5.0, **case.options)
    return instants.verdicts(run, case.options.get("initial", {}), INSTANTS)


def _steps(family: str, seed: int) -> list[str]:
    case = generator(family)(seed)
    initial = case.options.get("initial", {})
    try:
        end = moreau.run(case.machine, case.t_end, initial)
    except moreau.Left as why:
        return [f"{LEFT}: {why}"]
    run = ss.simulate(case.machine, end.t, rtol=1e-10, max_time=5.0, **case.options)
    if not run.success:
        return ["an answer was not found"]
    if end.off(run.state.x) <= end.bar:
        return ["agrees"]
    several = end.several or any(instants.has_others(run, initial, t + 1e-9) for t in end.changes)
    return ["another of several answers" if several else "wrong motion"]


_VERDICTS: dict[str, Callable[[str, int], list[str]]] = {
    "events": _events,
    "instants": _instants,
    "steps": _steps,
}


def found(by: str, family: str, start: int, count: int) -> Iterator[tuple[int, list[str]]]:
    """Verdicts of one of the `TRUTHS` on each seed, until it handled so many of them."""
    seed = start
    while count > 0:
        verdicts = _VERDICTS[by](family, seed)
        yield seed, verdicts
        seed, count = seed + 1, count - (bool(verdicts) and not verdicts[0].startswith(LEFT))
