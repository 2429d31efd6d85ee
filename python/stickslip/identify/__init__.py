"""Identification from measurements: friction curves, inverse dynamics, bristle laws, and fits of whole machines.

Needs SciPy (extra ``identify``).

Examples
--------
>>> import numpy as np, stickslip as ss
>>> v = np.linspace(0.01, 1.0, 40)
>>> fit = ss.identify.fit_curve(v, 2.0 + 3.0 * v, law=ss.Coulomb(1.0) + ss.Viscous(1.0))
>>> round(fit.parameters["kinetic"], 9), round(fit.parameters["coefficient"], 9)
(2.0, 3.0)
"""

from stickslip.identify.break_away import BreakAwayFit, fit_break_away
from stickslip.identify.bristle import (
    BristleFit,
    BristleTrack,
    bristle_parameters,
    bristle_regressors,
    fit_bristle,
    track_bristle,
)
from stickslip.identify.curves import CurveFit, fit_curve
from stickslip.identify.driven import driven
from stickslip.identify.dynamics import Regression, inverse_dynamics
from stickslip.identify.simulation import MachineFit, fit

__all__ = [
    "BreakAwayFit",
    "BristleFit",
    "BristleTrack",
    "CurveFit",
    "MachineFit",
    "Regression",
    "bristle_parameters",
    "bristle_regressors",
    "driven",
    "fit",
    "fit_break_away",
    "fit_bristle",
    "fit_curve",
    "inverse_dynamics",
    "track_bristle",
]


def __dir__() -> list[str]:
    return sorted(__all__)
