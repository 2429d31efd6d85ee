"""Warnings common to all fits: unidentifiable parameters, parameters at a bound, a model worse than a constant, and
correlated residuals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stickslip._checks import Array
from stickslip.identify._solve import TUNING, Information, describe_ties

# Least squares with a true model exceed the spread about the mean by the share χ²/n, of one degree of freedom: by more
# than this once in 600 fits.
CHANCE = 10.0
# Lag-1 correlation ρ from which standard errors that take residuals for independent are too small by √3 or more: for a
# first-order autoregression the factor is √((1 + ρ)/(1 − ρ)).
CORRELATED = 0.5
# The correlation of n independent residuals has the standard deviation 1/√n; so many of them are no chance.
SIGMAS = 4.0
OUTLYING = 3.0  # of the scale of a robust fit: beyond it one sample in 370 lies by chance


@dataclass(frozen=True, eq=False)
class Series:
    """Residuals of one record, ordered over time or over speed, so that neighbours should be independent.

    Attributes
    ----------
    name : str
        Name of the record in messages.
    data : ndarray, shape (n,)
        Measured values.
    residuals : ndarray, shape (n,)
        Deviation of the model, in the unit of the data.
    numerical : float
        Standard deviation below which residuals are numerical error and are not judged.
    robust_scale : float or None
        Scale of a robust fit, in the unit of the data; residuals beyond a multiple of it are treated as outliers.
    filtered : bool
        True if the data were filtered, so that neighbouring residuals are correlated for any model.
    """

    name: str
    data: Array
    residuals: Array
    numerical: float
    robust_scale: float | None = None
    filtered: bool = False


@dataclass(frozen=True)
class Assessment:
    """Result of `assess`.

    Attributes
    ----------
    notes : list of str
        One sentence for each finding.
    sound : bool
        True if the fit may be called a success: every parameter is determined, and no record is explained worse than by
        a constant.
    """

    notes: list[str]
    sound: bool


def assess(
    info: Information,
    names: Sequence[str],
    series: Sequence[Series],
    bounds: Mapping[str, str],
) -> Assessment:
    """Assess a fit.

    Parameters
    ----------
    info : Information
        Information in the Jacobian.
    names : sequence of str
        Names of the parameters.
    series : sequence of Series
        The residuals.
    bounds : mapping of str to str
        Parameters at a bound, with the bound in words.
    """
    notes = describe_ties(info, names)
    notes += [
        f"{name} ends at its bound, {bound}: its standard error is unknown" for name, bound in bounds.items()
    ]
    sound = not info.unknown
    for one in series:
        if float(np.sqrt(np.mean(one.residuals**2))) <= one.numerical:
            continue
        if _is_worse_than_constant(one):
            sound = False
            notes.append(
                f"the model is worse than a constant: its residuals of {one.name} are larger than the spread of the data "
                "about their mean"
            )
        elif not one.filtered and (found := _correlation(one)):
            factor = np.sqrt((1.0 + found) / max(1.0 - found, 1e-3))
            notes.append(
                f"residuals of {one.name} are correlated ({found:.2f} from one sample to the next): the model "
                f"lacks an effect, and standard errors are about {factor:.2g} times too small"
            )
    return Assessment(notes, sound)


def _is_worse_than_constant(one: Series) -> bool:
    if one.robust_scale is None:
        ours, constant = np.sum(one.residuals**2), np.sum((one.data - one.data.mean()) ** 2)
    else:  # in the measure of the fit
        scale = TUNING * max(one.robust_scale, one.numerical, 1e-300)
        ours, constant = (
            np.sum(np.sqrt(1.0 + (r / scale) ** 2) - 1.0)
            for r in (one.residuals, one.data - np.median(one.data))
        )
    return bool(ours > (1.0 + CHANCE / one.data.size) * constant)


def _correlation(one: Series) -> float:
    """The lag-1 correlation if it is no chance and spoils standard errors, else 0."""
    most = np.inf if one.robust_scale is None else OUTLYING * one.robust_scale
    r = np.clip(one.residuals, -most, most)
    power = float(r @ r)
    found = float(r[:-1] @ r[1:]) / power if power > 0.0 else 0.0
    return found if found > max(CORRELATED, SIGMAS / np.sqrt(r.size)) else 0.0
