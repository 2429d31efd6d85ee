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

import stickslip as ss
from truths import instants, moreau, phase_by_phase

CONTACTS = ("contacts", "frictional", "geared", "supports", "stops")
TRUTHS = {"events": ("chains",), "instants": CONTACTS, "steps": CONTACTS}
INSTANTS = 20  # of one run
CLOSE = 2e-8  # of the greatest position or velocity: positions and velocities of a chain at its end
LEFT = "left out"


def _events(family: str, seed: int) -> list[str]:
    case = generator(family)(seed)
    initial = case.options.get("initial", {})
    try:
        end, events = phase_by_phase.run(case.machine, case.t_end, initial)
    except phase_by_phase.Left as why:
        return [f"{LEFT}: {why}"]
    run = ss.simulate(case.machine, case.t_end, rtol=1e-10, **case.options)
    n = end.size
    far = np.abs(run.state.x[:n] - end).max() / (np.abs(run.y[:n]).max() + 1e-300)
    if far > CLOSE:
        return ["wrong motion"]
    return ["agrees" if len(run.events) == events else "wrong number of events"]


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
        seed, count = seed + 1, count - (not verdicts[0].startswith(LEFT))
