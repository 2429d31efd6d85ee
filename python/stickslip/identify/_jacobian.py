"""The Jacobian of a fit: from derivatives along its runs, or from differences of them."""

from __future__ import annotations

import numpy as np

from stickslip._checks import Array
from stickslip.identify._problem import Problem
from stickslip.identify._records import listed
from stickslip.identify._solve import differences

STEP = 1e-5  # of differences where none was asked for
ALIKE = 0.1  # what half of the samples may differ between both, as a share of what they are


class Jacobian:
    """Exact while the runs have derivatives over all data, from then on differences.

    The first one is made in both ways, which tells whether they agree.

    Parameters
    ----------
    problem : Problem
        What is fitted.
    step : float or None
        Of central differences, as a share of each parameter: only they are wanted. None: exact where possible.

    Attributes
    ----------
    exact : bool
        True if the last one was.
    reason : str
        Why it was not.
    """

    def __init__(self, problem: Problem, step: float | None) -> None:
        free = problem.free
        self._differences = differences(problem.residuals, free.sizes, free.low, free.high, step or STEP)
        self._problem = problem
        self._never = "" if step is None else "asked for by step"
        self._compared = False
        self.exact, self.reason = False, self._never

    def __call__(self, x: Array) -> Array:
        found = None if self._never else self._along_the_runs(x)
        self.exact = found is not None
        if found is None:
            return self._differences(x)
        if self._compared:
            return found
        other = self._differences(x)
        self._compare(found, other)
        return found if self.exact else other

    def _along_the_runs(self, x: Array) -> Array | None:
        try:
            found, self._never = self._problem.tangents(x)
        except ValueError as error:  # what has no derivative at all
            found, self._never = None, str(error)
        self.reason = self._never
        return found

    def _compare(self, found: Array, other: Array) -> None:
        """True if the exact Jacobian agrees with differences in the median."""
        self._compared = True
        off = np.median(np.abs(found - other), axis=0) > ALIKE * np.median(np.abs(other), axis=0)
        if off.any():
            names = [self._problem.names[j] for j in np.flatnonzero(off)]
            self._never = f"derivatives along the runs and differences of runs disagree by {listed(names)}"
        self.reason, self.exact = self._never, not self._never
