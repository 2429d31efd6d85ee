"""Poles of continuous or sampled systems."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def slowest_first(values: NDArray[np.complex128], period: float | None) -> NDArray[np.intp]:
    """Return the order of poles: by their size; poles in the z plane with the largest first."""
    size = np.abs(values) if period is None else -np.abs(values)
    return np.lexsort((values.imag, np.round(size, 12)))


class Poles(np.ndarray[Any, np.dtype[np.complex128]]):
    """Poles of a system: an array of complex numbers with its sampling period.

    Attributes
    ----------
    period : float or None
        None: poles in continuous time, 1/s. Otherwise the poles are in the z plane for this period, s; with several
        sampling rates it is their common period.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["slide"])
    >>> m.add_controller(ss.PID(kp=2.0, kd=3.0), on="slide")
    'pid'
    >>> m.poles().stable, m.poles().damping, m.poles().natural_frequency
    (True, array([1., 1.]), array([1., 2.]))
    """

    period: float | None

    def __new__(cls, values: Any, period: float | None = None) -> Poles:
        """Sort the values, slowest first."""
        given = np.asarray(values, dtype=np.complex128)
        self = given[slowest_first(given, period)].view(cls)
        self.period = period
        return self

    def __array_finalize__(self, other: Any) -> None:
        self.period = getattr(other, "period", None)

    def __reduce__(self) -> Any:
        return Poles, (np.asarray(self), self.period)

    @property
    def stable(self) -> bool:
        """True if every disturbance decays: all Re s < 0, or all ``|z| < 1``, by more than rounding."""
        values = np.asarray(self)
        if self.period is None:
            return bool(np.all(values.real < -1e-12 * np.abs(values).max(initial=0.0)))
        return bool(np.all(np.abs(values) < 1.0 - 1e-12))

    @property
    def continuous(self) -> NDArray[np.complex128]:
        """The poles in 1/s; for a sampled system ln(z)/period."""
        values = np.asarray(self)
        if self.period is None:
            return values
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(values) / self.period, dtype=np.complex128)

    @property
    def damping(self) -> NDArray[np.float64]:
        """Damping ratios ``-Re s/|s|``; NaN for poles at 0."""
        s = self.continuous
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(np.isinf(s.real), 1.0, -s.real / np.abs(s))

    @property
    def natural_frequency(self) -> NDArray[np.float64]:
        """Natural frequencies ``|s|``, rad/s: those without damping."""
        return np.abs(self.continuous)
