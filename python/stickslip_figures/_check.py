"""One computed number, its expected value, and the source of the latter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from stickslip._checks import reject

# Programs that stand behind ``Origin.INDEPENDENT``; they live in tests/reference and tests/figures.
COLLOCATION = "collocation of order 9, cut at every event"
RADAU = "SciPy's Radau, cut where v = 0"


class Origin(str, Enum):
    """Origin of an expected value, from the most to the least independent.

    ``PRINTED``: a number that a source prints, or the value of a formula that it prints. ``CLAIMED``: a statement of a
    source in words, "it repeats", which fixes a sign, a count or a bound. ``CLOSED_FORM``: a formula evaluated in the
    figure itself.
    ``INDEPENDENT``: another program has computed it, without the engine of the package. ``PACKAGE``: the
    package has computed it by another way (its own closed forms, its balance of energy), so that the check
    shows no more than that two parts of the package agree.
    """

    PRINTED = "printed number"
    CLAIMED = "claim in words"
    CLOSED_FORM = "closed form"
    INDEPENDENT = "independent program"
    PACKAGE = "this package"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Check:
    """One computed number and its expected value.

    A printed number is rounded: its tolerance is half a unit of the last digit printed. A tolerance on any
    other number states what was reached, with little slack.

    Parameters
    ----------
    quantity
        What is compared: ``"first break-away"``.
    unit
        Its unit, ``""`` for counts and ratios.
    computed, expected
        The two numbers, in that unit.
    tolerance
        Greatest accepted ``|computed − expected|``, in that unit; 0 for a bound.
    origin
        Where `expected` comes from.
    source
        Which figure, table, equation, formula or program it is, in a few words.
    reason
        Only where the source cannot be met: why not, in a few words. Such a number is shown, not tuned away.
    relation
        ``"="``, or ``">"`` and ``"<"`` where the source asserts a bound or a sign and no number.

    Raises
    ------
    ValueError
        For another relation, a tolerance below zero or one on a bound.

    Examples
    --------
    >>> import stickslip_figures as figures
    >>> closed = figures.Origin.CLOSED_FORM
    >>> figures.Check("slip ends at x", "m", 0.3 + 1e-16, 0.3, 1e-15, closed, "centre less amplitude").verdict
    'agrees'
    >>> figures.Check("gap in flight", "m", -1e-9, 0.0, 0.0, closed, "no overlap", relation=">").verdict
    'FAILS'
    """

    quantity: str
    unit: str
    computed: float
    expected: float
    tolerance: float
    origin: Origin
    source: str
    reason: str = ""
    relation: Literal["=", ">", "<"] = "="

    def __post_init__(self) -> None:
        if self.relation not in ("=", ">", "<"):
            reject("relation", self.relation, "'=', '>' or '<'")
        if not self.tolerance >= 0.0 or (self.relation != "=" and self.tolerance):
            reject("tolerance", self.tolerance, "at least 0, and 0 for a bound")

    @property
    def deviation(self) -> float:
        """Computed minus expected, in the unit of the quantity."""
        return self.computed - self.expected

    @property
    def within(self) -> bool:
        """True if the deviation is within the tolerance, or on the right side of the bound; False for NaN."""
        if self.relation == "=":
            return math.isfinite(self.deviation) and abs(self.deviation) <= self.tolerance
        return self.deviation > 0.0 if self.relation == ">" else self.deviation < 0.0

    @property
    def failed(self) -> bool:
        """True if the value deviates without a known defect of the source."""
        return not self.within and not self.reason

    @property
    def verdict(self) -> str:
        """``"agrees"``, ``"differs"`` (the source cannot be met, see ``reason``) or ``"FAILS"``."""
        if self.within:
            return "agrees"
        return "FAILS" if self.failed else "differs"


def balance(residual: float, tolerance: float, prefix: str = "") -> Check:
    """Return the check of a run's balance of energy: what came in less what is stored or lost, over the work."""
    quantity = f"{prefix}energy that does not balance, over the work"
    return Check(quantity, "", residual, 0.0, tolerance, Origin.PACKAGE, "balance of energy along the run")
