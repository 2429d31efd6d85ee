"""Independent check of a run against the equations of physics, from its samples and its description alone."""

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
from stickslip.analysis.auditing._relays import check_relays
from stickslip.analysis.auditing._report import Audit, Finding
from stickslip.analysis.auditing._rest import check_rest
from stickslip.analysis.auditing._sampling import intervals
from stickslip.analysis.auditing._springs import check_detents, check_springs
from stickslip.analysis.auditing._tolerances import sizes
from stickslip.machine.machine import Machine

__all__ = ["Audit", "Finding", "audit"]


def audit(run: Any, rtol: float = 1e-8) -> Audit:
    r"""Check a run against physics, from its samples and the description of its machine alone.

    Laws, equations of motion and impacts are implemented independently here; no part of the engine that computes forces
    or chooses modes is used. The audit checks

    * ``M a + D v + K q = forces``, ``q' = v`` and the rates of internal states, integrated between events, with the
      forces of friction computed from their laws; masses, forces, loads, gaps, directions and constraints given as
      formulas are evaluated and differentiated independently; mass matrices are symmetric;
    * friction: loads >= 0; in stick v = 0 and \|F\| within the static level, in slip the force of the law against the
      velocity; no element slips where rest was possible; at rest along a prescribed motion the force of sliding for v
      -> 0, or none;
    * contacts: gap >= 0, normal force >= 0, no force without contact; the force law of compliant contacts;
    * springs and detents: the force from elongation and elongation rate; flanks never pull, a seat holds up to its
      preload;
    * constraints: prescribed positions and velocities, constraint forces in the equations of motion; one-way clutches:
      v >= 0, force >= 0, one of them zero;
    * impacts: balance of momentum, friction cones, Newton's or Poisson's law, energy;
    * events: continuity of all states that must not jump, start values of memory, dwell and presliding, no change of
      mode between events;
    * controllers: limits, outputs, states, sampling; relays and quantisers: outputs as functions of their form, and
      between two of them where the form is held on a threshold;
    * every term of ``run.energy``.

    Parameters
    ----------
    run : Trajectory
        Run of a `Machine` with its segments kept, not by time stepping. It may have ended early.
    rtol : float, default 1e-8
        Relative tolerance of the run. The allowed error of a state is 300 rtol of its greatest value where regimes are
        integrated numerically and 1e-10 where all are exact; the allowed error of each law follows from it.

    Returns
    -------
    Audit
        With ``passed``, ``findings`` and ``unchecked``.

    Raises
    ------
    ValueError
        If the run is that of a `StateSpace`, by time stepping, or without its segments.

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
        reject("run", run, "of a stickslip.Machine: matrices do not define points of action")
    if not run._raw.keeps_segments:
        reject("run", run, "a run with its segments (keep='segments')")
    if "time stepping" in run.method.values():
        reject("run", run, "from event to event: time stepping allows the penetration of one step")
    report, d = Audit(), describe(machine)
    if not run._raw.t_end > run._raw.t_begin:
        report.skip("the motion", "the run has zero length")
        return report
    size = sizes(run, rtol, d)
    whole = check_motion(report, run, d, *intervals(run, d), size)
    panels, surfaces = whole.panels, whole.surfaces
    check_friction(report, run, d, panels.at, surfaces, size)
    check_contacts(report, run, d, panels, size)
    check_springs(report, run, d, panels, size)
    check_detents(report, run, d, panels, size)
    check_constraints(report, run, d, panels, size)
    check_events(report, run, d, panels, size)
    check_automaton(report, run, d, size)
    check_rest(report, run, d, size)
    check_departures(report, run, d, size)
    rubs = check_impacts(report, run, d, size)
    check_control(report, run, d, panels, size)
    check_relays(report, run, d, panels, size)
    check_energy(report, run, d, panels, surfaces, rubs, size)
    report.sort()
    return report
