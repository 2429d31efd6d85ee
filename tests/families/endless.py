"""Causes of endless impacts: walls that close in on a body, impacts without loss, a part without clearance.

Where no position keeps all gaps open the machine has no answer. Before that a body between walls that close hits
them without limit: with backlash s and e = 1 its speed grows as 1/s (the area in the phase plane is kept), and the number
of impacts, the integral of speed over backlash, has no bound.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

import stickslip as ss
from stickslip.analysis.auditing._description import Contact, describe

TIMES = 400  # at which it is asked whether there is room
MOST_EVENTS, MOST_SECONDS = 3_000_000, 60.0
GAP = 1e-9  # m: at which a contact touches
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
    contacts = [] if machine.is_nonlinear else describe(machine).contacts
    if not contacts:
        return ""
    if any(room(contacts, t) < -1e-9 for t in np.linspace(run.t[-1], t_end, TIMES)):
        return "proven: no answer, the walls leave no room"
    if run.status == ss.Status.FAILED:
        return without_clearance(run)
    rest = ss.simulate(machine, t_end, state=run.state, max_events=MOST_EVENTS, max_time=MOST_SECONDS)
    return "goes on" if rest.success and abs(rest.energy.residual) <= BALANCE else ""


def without_clearance(run: ss.Trajectory) -> str:
    """``proven: no answer`` where a body without friction moves between touching contacts of restitution 1, and every
    direction in which it can move approaches one of those at rest: they keep its energy, and those that recede are
    hit only while it is faster than they are.
    """
    d, t = describe(run.machine), float(run.t[-1])
    n = len(d.names)
    q, v = run.state.x[:n], run.state.x[n : 2 * n]
    near = [c for c in d.contacts if c.normal.numbers @ q + c.gap.signal.value(t, 0) <= GAP]
    rates = np.array([c.gap.signal.value(t, 1) for c in near])
    if not near or (rates < 0.0).any() or any(c.place is not None or c.restitution != 1.0 for c in near):
        return ""
    w = np.array([c.normal.numbers for c in near])[rates == 0.0]
    if not w.size:
        return ""
    bounds = np.concatenate([np.zeros(len(w)), np.ones(len(w))])
    parting = linprog(-w.sum(axis=0), A_ub=np.vstack([-w, w]), b_ub=bounds, bounds=[(None, None)] * n)
    moves = np.abs(w @ v).max() > 1e-6 * np.abs(v).max()
    return "proven: no answer, a part without clearance" if moves and parting.fun > -1e-9 else ""
