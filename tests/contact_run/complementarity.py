"""Laws of contact checked on a run from outside: at every sample, and just after every event."""

import numpy as np


def residual(run, contacts, friction, times=None):
    """Worst violation of gap >= 0, force >= 0, gap·force = 0, |F| <= mu·N, F against sliding; relative to what occurs.

    `contacts`: names; `friction`: name -> (static, kinetic) of contacts with constant coefficients.
    """
    at = run.at(np.array([e.time for e in run.events]) if times is None else times)
    worst = 0.0
    for name in contacts:
        gap, rate, force = (at[f"{name}.{key}"] for key in ("gap", "gap_rate", "normal_force"))
        open_ = at[f"{name}.mode"] == 2
        length = max(np.abs(at[s]).max() for s in run.states if s.endswith(".position")) or 1.0
        load = max(np.abs(force).max(), 1e-300)
        worst = max(worst, -gap.min() / length, -force.min() / load)
        worst = max(worst, np.abs(force[open_]).max(initial=0.0) / load, np.abs(gap[~open_]).max(initial=0.0) / length)
        # just after an event an open contact departs
        touching = open_ & (np.abs(gap) <= 1e-12 * length)
        speed = max(np.abs(at[s]).max() for s in run.states if s.endswith(".velocity")) or 1.0
        worst = max(worst, -rate[touching].min(initial=0.0) / speed)
        if name in friction:
            static, kinetic = friction[name]
            drag, mode, velocity = at[f"{name}.force"], at[f"{name}.mode"], at[f"{name}.velocity"]
            stuck, slides = mode == 0, np.abs(mode) == 1
            worst = max(worst, (np.abs(drag) - static * force)[stuck].max(initial=0.0) / load)
            worst = max(worst, np.abs(drag - kinetic * force * mode)[slides].max(initial=0.0) / load)
            worst = max(worst, -(velocity * mode)[slides].min(initial=0.0) / speed)
            worst = max(worst, np.abs(drag[open_]).max(initial=0.0) / load)
    return worst
