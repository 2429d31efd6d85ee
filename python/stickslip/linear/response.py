"""Frequency response of linear systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stickslip._attached import deferred

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Frequency response of a linear system.

    Attributes
    ----------
    omega : ndarray, shape (n,)
        Angular frequencies, rad/s.
    response : ndarray of complex, shape (outputs, inputs, n)
        Gain and phase, in the order of python-control; infinite at an undamped pole.
    inputs, outputs : tuple of str
        Names; empty if the system has none.
    period : float or None
        Sampling period of a sampled system, s.
    Hz : bool
        If True, `plot` shows frequencies in Hz by default.

    Examples
    --------
    >>> import stickslip as ss
    >>> response = ss.linear.frequency_response(([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), [1.0])
    >>> response.phase.round(4)
    array([[[-0.7854]]])
    """

    omega: Array
    response: NDArray[np.complex128]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    period: float | None = None
    Hz: bool = False

    @property
    def frequency(self) -> Array:
        """Frequencies in Hz."""
        return self.omega / (2.0 * np.pi)

    @property
    def magnitude(self) -> Array:
        """Gain, shape (outputs, inputs, n)."""
        return np.abs(self.response)

    @property
    def decibel(self) -> Array:
        """Gain in dB, shape (outputs, inputs, n)."""
        with np.errstate(divide="ignore"):
            return 20.0 * np.log10(self.magnitude)

    @property
    def phase(self) -> Array:
        """Phase, rad, without jumps along the frequencies, shape (outputs, inputs, n)."""
        return np.unwrap(np.angle(self.response), axis=-1)

    @deferred
    def plot(self, ax: Any = None, *, Hz: bool | None = None, **keywords: Any) -> NDArray[np.object_]:
        """Draw the Bode diagram: gain in dB, and below it the phase in degrees (needs the extra ``figures``).

        Parameters
        ----------
        ax : two matplotlib Axes, optional
            Where to draw gain and phase; by default the axes of pyplot's current figure where it is empty or holds a Bode
            diagram already, or a new figure.
        Hz : bool, optional
            Frequencies in Hz in place of rad/s; by default as chosen in `bode`.
        **keywords
            For the curves (`matplotlib.lines.Line2D`), such as ``color`` or ``label``.

        Returns
        -------
        ndarray of matplotlib Axes, shape (2,)
            Gain and phase.
        """
        raise NotImplementedError

    @deferred
    def plot_nyquist(self, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw the curve in the complex plane, with the point -1 (needs the extra ``figures``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the curve (`matplotlib.lines.Line2D`), such as ``color`` or ``label``.

        Returns
        -------
        matplotlib Axes
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        outputs, inputs, n = self.response.shape
        span = f"{self.omega[0]:g} to {self.omega[-1]:g} rad/s" if n else "no frequency"
        return f"FrequencyResponse({outputs} x {inputs}, {n} frequencies, {span})"
