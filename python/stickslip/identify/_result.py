"""What every fit hands back: numbers by name, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from stickslip._checks import Array, within
from stickslip.identify._need import scipy


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters from data.

    Attributes
    ----------
    parameters : dict of str to float
        What was found.
    stderr : dict of str to float
        Standard deviations; infinite for what the data cannot tell, NaN for a parameter that ends at a bound.
    cov : ndarray, shape (p, p)
        Covariance, in the order of `parameters`.
    success : bool
        Whether the fit has converged, the data tell every parameter, and the model explains them better than a constant.
    message : str
        How it ended, and what speaks against it, by name: see `fit`, Notes.
    scale : float
        Standard deviation of the residuals (of a robust fit: of their bulk), in the unit of the data.
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
        """Intervals of confidence, by Student's t: value ± t·stderr, for positive scales times exp(±t·stderr/value).

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

    def __str__(self) -> str:
        width = max(map(len, self.parameters))
        lines = [
            f"{name:<{width}}  {value:< 14.7g} ± {self.stderr[name]:.2g}"
            for name, value in self.parameters.items()
        ]
        return "\n".join([*lines, self.message])


# Scales, of which the logarithm is what is estimated: their intervals never reach zero.
POSITIVE = ("stribeck_velocity", "width", "dwell", "shape", "exponent", "viscous_exponent")
