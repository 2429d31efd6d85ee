"""A run held against physics, from its samples and its description alone."""

from __future__ import annotations

from typing import Any

from stickslip._checks import positive, reject
from stickslip.analysis.auditing._automaton import check_automaton
from stickslip.analysis.auditing._constraints import check_constraints
from stickslip.analysis.auditing._contacts import check_contacts
from stickslip.analysis.auditing._control import check_control
from stickslip.analysis.auditing._departures import check_departures
from stickslip.analysis.auditing._description import describe
from stickslip.analysis.auditing._energy import check_energy
from stickslip.analysis.auditing._events import check_events
from stickslip.analysis.auditing._friction import check_friction
from stickslip.analysis.auditing._impacts import check_impacts
from stickslip.analysis.auditing._motion import check_motion
from stickslip.analysis.auditing._report import Audit, Finding
from stickslip.analysis.auditing._rest import check_rest
from stickslip.analysis.auditing._sampling import intervals
from stickslip.analysis.auditing._springs import check_springs
from stickslip.analysis.auditing._tolerances import sizes
from stickslip.machine.machine import Machine

__all__ = ["Audit", "Finding", "audit"]


def audit(run: Any, rtol: float = 1e-8) -> Audit:
    r"""Check a run against physics, from its samples and the description of its machine alone.

    No part of the engine that computes forces or chooses modes is used: laws, equations of motion and impacts are
    implemented a second time here. Checked are

    * ``M a + D v + K q = forces``, ``q' = v`` and the rates of internal states, integrated between events, with the
      forces of friction computed from their laws; masses, forces, loads, gaps, directions and constraints may be
      formulas of the motion, which are evaluated and differentiated a second time here; mass matrices are symmetric;
    * friction by its mode: loads >= 0; at rest v = 0 and \|F\| within the static level, in sliding the force of the
      law against the velocity; no place slides that could have stayed at rest;
    * contacts: gap >= 0, normal force >= 0, none without contact; of those that yield the force by its law;
    * springs: the force by the law from elongation and rate, flanks that never pull;
    * constraints: positions and velocities that they prescribe, their forces in the equations of motion; one-way
      clutches: v >= 0, force >= 0, never both;
    * impacts: the balance of impulses, cones of friction, Newton's or Poisson's law, energy;
    * what may jump at events, what memory, dwell and presliding start with, and that modes change at events alone;
    * controllers: limits, outputs, states, sampling;
    * every term of ``run.energy``.

    Parameters
    ----------
    run : Trajectory
        Of a `Machine`, with its segments kept, and not by time stepping. It need not be finished.
    rtol : float, default 1e-8
        The relative tolerance with which it was made. A state may be off by 300 rtol of its greatest value where
        regimes are integrated numerically, by 1e-10 where all are exact; what is allowed in each law follows from that.

    Returns
    -------
    Audit
        ``passed``, ``findings``, and ``unchecked``: what could not be checked, by name.

    Raises
    ------
    ValueError
        If the run is of matrices, by time stepping, or has not kept its segments.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, stiffness=2.0, names=["block"])
    >>> m.add_friction("belt", on="block", law=ss.Coulomb(static=1.0, kinetic=0.8), surface_velocity=0.2)
    >>> ss.analysis.audit(ss.simulate(m, t_end=10.0)).passed
    True
    """
    rtol, machine = positive("rtol", rtol), run.machine
    if not isinstance(machine, Machine):
        reject("run", run, "of a stickslip.Machine: matrices do not say where forces act")
    if not run._raw.keeps_segments:
        reject("run", run, "one that keeps its segments")
    if "time stepping" in run.method.values():
        reject("run", run, "from event to event: time stepping violates gaps by a step's motion")
    report, d = Audit(), describe(machine)
    if not run._raw.t_end > run._raw.t_begin:
        report.skip("the motion", "the run has no length")
        return report
    size = sizes(run, rtol, d)
    whole = check_motion(report, run, d, *intervals(run, d), size)
    panels, surfaces = whole.panels, whole.surfaces
    check_friction(report, run, d, panels.at, surfaces, size)
    check_contacts(report, run, d, panels, size)
    check_springs(report, run, d, panels, size)
    check_constraints(report, run, d, panels, size)
    check_events(report, run, d, panels, size)
    check_automaton(report, run, d, size)
    check_rest(report, run, d, size)
    check_departures(report, run, d, size)
    rubs = check_impacts(report, run, d, size)
    check_control(report, run, d, panels, size)
    check_energy(report, run, d, panels, surfaces, rubs, size)
    report.sort()
    return report
