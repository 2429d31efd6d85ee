"""Why a run uses up its number of events: walls that close in on a body, or impacts that go on losing nothing.

Where no position keeps all gaps open the machine has no answer. Before that a body between walls that close strikes
them without limit: with play s and e = 1 its speed grows as 1/s (the area in the phase plane is kept), and the number
of impacts, the integral of speed over play, has no bound.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

import stickslip as ss
from stickslip.analysis.auditing._description import Contact, describe

TIMES = 400  # at which it is asked whether there is room
MOST_EVENTS, MOST_SECONDS = 3_000_000, 20.0
BALANCE = 1e-8  # of energy, over all these impacts


def room(contacts: list[Contact], t: float) -> float:
    """The radius of the greatest ball of positions between the walls, 1 at the most; negative if there is none."""
    w = np.array([c.normal.numbers for c in contacts])
    gap = np.array([c.gap.signal.value(t, 0) for c in contacts])
    rows = np.column_stack([-w, np.linalg.norm(w, axis=1)])
    free = [(None, None)] * w.shape[1]
    found = linprog(
        [0.0] * w.shape[1] + [-1.0], A_ub=rows, b_ub=gap, bounds=[*free, (None, 1.0)], method="highs"
    )
    return float(found.x[-1])


def verdict(run: ss.Trajectory, t_end: float) -> str:
    """``proven: no answer``, ``goes on`` where more events lead to the end, or nothing."""
    machine = run.machine
    contacts = [] if machine.smooth else describe(machine).contacts
    if not contacts:
        return ""
    if any(room(contacts, t) < -1e-9 for t in np.linspace(run.t[-1], t_end, TIMES)):
        return "proven: no answer, the walls leave no room"
    rest = ss.simulate(machine, t_end, state=run.state, max_events=MOST_EVENTS, max_time=MOST_SECONDS)
    return "goes on" if rest.success and abs(rest.energy.residual) <= BALANCE else ""
