"""Result of a fit: parameters by name, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from stickslip._checks import Array, within
from stickslip.identify._need import scipy


@dataclass(frozen=True, eq=False)
class Estimate:
    """Result of a fit.

    Attributes
    ----------
    parameters : dict of str to float
        Fitted values.
    stderr : dict of str to float
        Standard errors; infinite for unidentifiable parameters, NaN for a parameter at a bound.
    cov : ndarray, shape (p, p)
        Covariance, in the order of `parameters`.
    success : bool
        True if the fit has converged, all parameters are identifiable, and the model explains the data better than a
        constant.
    message : str
        How the search ended, and all warnings, by name: see `fit`, Notes.
    scale : float
        Standard deviation of the residuals, in a robust fit that of the residuals without outliers, in the unit of the
        data.
    freedom : int
        Degrees of freedom: samples less parameters.
    """

    parameters: dict[str, float]
    stderr: dict[str, float]
    cov: Array = field(repr=False)
    success: bool
    message: str
    scale: float
    freedom: int

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return confidence intervals by Student's t: value ± t·stderr; for positive scales value ·
        exp(±t·stderr/value).

        Parameters
        ----------
        confidence : float, default 0.95
            Probability, in (0, 1).

        Returns
        -------
        dict of str to (float, float)
        """
        within("confidence", confidence, 0.0, 1.0, closed=False)
        t = float(scipy("stats").t.ppf(0.5 + confidence / 2.0, max(1, self.freedom)))
        return {name: self._interval(name, t * self.stderr[name]) for name in self.parameters}

    def _interval(self, name: str, half: float) -> tuple[float, float]:
        value = self.parameters[name]
        if name.rpartition(".")[2] in POSITIVE and np.isfinite(half) and value > 0.0:
            factor = float(np.exp(half / value))
            return value / factor, value * factor
        return value - half, value + half

    @property
    def correlation(self) -> Array:
        """Correlations of the parameters, shape (p, p), in their order; NaN for parameters without a standard error.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> v = np.linspace(0.1, 1.0, 10)
        >>> force = 1.0 + 2.0 * v + 0.01 * np.cos(40.0 * v)
        >>> fit = ss.identify.fit_curve(v, force, ss.Coulomb(1.0) + ss.Viscous(1.0), loss="linear")
        >>> fit.correlation.round(3)          # of a straight line: -mean(v)/sqrt(mean(v²))
        array([[ 1.   , -0.886],
               [-0.886,  1.   ]])
        """
        size = np.sqrt(np.diag(self.cov))
        known = np.isfinite(size) & (size > 0.0)
        out = np.full(self.cov.shape, np.nan)
        here = np.ix_(known, known)
        out[here] = self.cov[here] / np.outer(size[known], size[known])
        return np.asarray(out)

    def summary(self, confidence: float = 0.95) -> str:
        """Return values, standard errors, intervals and large correlations as a table.

        Parameters
        ----------
        confidence : float, default 0.95
            Probability of the intervals, in (0, 1).

        Returns
        -------
        str
            Table to print. It lists correlations of magnitude 0.9 or more: one parameter can nearly replace the other.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> v = np.linspace(0.1, 1.0, 10)
        >>> force = 1.0 + 2.0 * v + 0.01 * np.cos(40.0 * v)
        >>> fit = ss.identify.fit_curve(v, force, ss.Coulomb(1.0) + ss.Viscous(1.0), loss="linear")
        >>> first, head, *rows = fit.summary().splitlines()
        >>> first, head.split()[:2], len(rows)
        ('CurveFit: success', ['parameter', 'value'], 4)
        """
        names = list(self.parameters)
        intervals = self.intervals(confidence)
        rows = [("parameter", "value", "std. error", f"{100.0 * confidence:g} % interval")]
        for name, value in self.parameters.items():
            low, high = intervals[name]
            rows.append((name, f"{value:.7g}", f"{self.stderr[name]:.2g}", f"[{low:.5g}, {high:.5g}]"))
        first = max(len(row[0]) for row in rows)
        lines = [f"{type(self).__name__}: {'success' if self.success else 'no success'}"]
        lines += [
            f"{name:<{first}}  {value:<13}  {error:<10}  {range_}" for name, value, error, range_ in rows
        ]
        lines.append(f"residuals: standard deviation {self.scale:.3g}, {self.freedom} degrees of freedom")
        correlation = self.correlation
        for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
            if abs(correlation[i, j]) >= LARGE:
                lines.append(f"correlation of {names[i]} and {names[j]}: {correlation[i, j]:+.3f}")
        return "\n".join([*lines, self.message])

    def __str__(self) -> str:
        width = max(map(len, self.parameters))
        lines = [
            f"{name:<{width}}  {value:< 14.7g} ± {self.stderr[name]:.2g}"
            for name, value in self.parameters.items()
        ]
        return "\n".join([*lines, self.message])


LARGE = 0.9  # of a correlation: a standard error is then more than twice what it is with the other parameter known

# Scales, of which the logarithm is what is estimated: their intervals never reach zero.
POSITIVE = ("stribeck_velocity", "width", "dwell", "shape", "exponent", "viscous_exponent")
