"""The Jacobian of a fit: from derivatives along its runs, or by finite differences."""

from __future__ import annotations

import numpy as np

from stickslip._checks import Array
from stickslip.identify._problem import Problem
from stickslip.identify._records import listed
from stickslip.identify._solve import differences

STEP = 1e-5  # of differences by default
ALIKE = 0.1  # allowed median difference between both, as a share of the median derivative
IDLE = 1e-3  # of the 0.9 quantile: the median is no less, also if most samples do not depend on a parameter


class Jacobian:
    """Jacobian of a fit: exact as long as all runs have derivatives, otherwise by differences.

    The first Jacobian is computed in both ways and compared.

    Parameters
    ----------
    problem : Problem
        The fit.
    step : float or None
        Relative step of central differences. None: exact derivatives where possible.

    Attributes
    ----------
    exact : bool
        True if the last Jacobian was exact.
    reason : str
        Reason why it was not exact.
    """

    def __init__(self, problem: Problem, step: float | None) -> None:
        free = problem.free
        self._step = step or STEP
        self._differences = differences(problem.residuals, free.sizes, free.low, free.high, self._step)
        self._problem = problem
        self._never = "" if step is None else "requested by step"
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
        except ValueError as error:  # no derivatives exist
            found, self._never = None, str(error)
        self.reason = self._never
        return found

    def _compare(self, found: Array, other: Array) -> None:
        """Use the exact Jacobian if it agrees with differences in the median, within the error of one-sided ones.

        At a bound, that error is the step times the second derivative, which is taken as the greatest derivative per
        size of the parameter. Where a derivative vanishes at the bound, the difference consists of that error alone.
        """
        self._compared = True
        sizes = np.asarray(self._problem.free.sizes)
        median, large = np.quantile(np.abs(other), [0.5, 0.9], axis=0)
        median = np.maximum(median, IDLE * large)
        one_sided = self._step * np.max(median * sizes) / sizes
        off = np.median(np.abs(found - other), axis=0) > ALIKE * median + one_sided
        if off.any():
            names = [self._problem.names[j] for j in np.flatnonzero(off)]
            self._never = f"derivatives along the runs and differences of runs disagree by {listed(names)}"
        self.reason, self.exact = self._never, not self._never
