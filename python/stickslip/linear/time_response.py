"""Step and impulse responses of linear systems, exact at every time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._attached import deferred
from stickslip._checks import positive, reject, vector
from stickslip.control import LTI

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.linear.system import LinearSystem

Array = NDArray[np.float64]

# Transients are shown until exp(-7), a thousandth, is left of the slowest; a growing one until it is 20 times as large.
_DECAY, _GROWTH, _CYCLES = 7.0, 3.0, 5.0
_POINTS, _MOST_SAMPLES = 500, 5000


@dataclass(frozen=True, eq=False)
class TimeResponse:
    """Response of a linear system over time; ``t, y = response`` unpacks it as in python-control.

    Attributes
    ----------
    t : ndarray, shape (n,)
        Times, s; the sampling instants for a sampled system.
    y : ndarray, shape (outputs, inputs, n)
        Outputs for each input. Unpacking gives the shape (n,) for one input and one output.
    inputs, outputs : tuple of str
        Names; empty if the system has none.
    period : float or None
        Sampling period of a sampled system, s.
    kind : {"step", "impulse"}
        Kind of the input.

    Examples
    --------
    >>> import stickslip as ss
    >>> slide = ss.Machine(mass=2.0, damping=1.0, names=["slide"]).linearise("slide", "slide.velocity")
    >>> t, y = slide.step_response([0.0, 2.0])          # 1 - exp(-t/2)
    >>> y.round(6)
    array([0.      , 0.632121])
    """

    t: Array
    y: Array
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    period: float | None = None
    kind: str = "step"

    def __iter__(self) -> Iterator[Array]:
        return iter((self.t, self.y[0, 0] if self.y.shape[:2] == (1, 1) else self.y))

    @deferred
    def plot(self, ax: Axes | None = None, **keywords: Any) -> Axes:
        """Draw the outputs over time (needs the extra ``figures``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the curves (`matplotlib.lines.Line2D`), such as ``color`` or ``label``.

        Returns
        -------
        matplotlib Axes
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        outputs, inputs, n = self.y.shape
        return (
            f"TimeResponse({self.kind}, {outputs} x {inputs}, {n} times, {self.t[0]:g} to {self.t[-1]:g} s)"
        )


def respond(system: LinearSystem, t: ArrayLike | float | None, kind: str) -> TimeResponse:
    """See `LinearSystem.step_response` and `LinearSystem.impulse_response`."""
    plain = system.proper()
    if plain.period is not None:
        times, y = _sampled(plain, t, kind)
    else:
        times = _times(plain, t)
        y = np.stack([_after(plain, float(time), kind) for time in times], axis=-1)
    return TimeResponse(times, y, plain.inputs, plain.outputs, plain.period, kind)


def _times(system: LinearSystem, t: ArrayLike | float | None) -> Array:
    if t is None:
        return _grid(system)
    if np.ndim(t) == 0:
        return np.linspace(0.0, positive("t", t), _POINTS)
    times = vector("t", t)
    if times.size == 0 or times[0] < 0.0 or np.any(np.diff(times) < 0.0):
        reject("t", t, "one time or more, from 0 on, that do not decrease")
    return times


def _grid(system: LinearSystem) -> Array:
    """Times until the slowest transient has died out, denser where the fastest one does."""
    poles = system.poles()
    size = np.abs(poles)
    if not np.any(size > 0.0):
        return np.linspace(0.0, 1.0, _POINTS)
    poles = poles[size > 1e-9 * size.max()]
    rate, damping = np.abs(poles), -poles.real
    falls, grows = damping > 1e-9 * rate, damping < -1e-9 * rate
    ends = [
        _GROWTH / -damping[grows],
        _DECAY / damping[falls],
        2.0 * math.pi * _CYCLES / rate[~falls & ~grows],
    ]
    end = float(ends[0].min()) if ends[0].size else max(float(part.max()) for part in ends if part.size)
    even = np.linspace(0.0, end, _POINTS)
    first = 0.1 / float(rate.max())
    return np.union1d(even, np.geomspace(first, end, _POINTS)) if first < even[1] else even


def _after(system: LinearSystem, t: float, kind: str) -> Array:
    """All outputs at one time, shape (outputs, inputs)."""
    direct = system.D if kind == "step" else np.zeros_like(system.D)
    if t == 0.0 or not system.A.size:
        start = np.zeros_like(system.B) if kind == "step" else system.B
        return np.asarray(system.C @ start + direct)
    held = LTI(system.A, system.B, system.C, system.D, inputs="both", references=0, period=t).matrices
    state = held.B if kind == "step" else held.A @ system.B
    return np.asarray(system.C @ state + direct)


def _sampled(system: LinearSystem, t: ArrayLike | float | None, kind: str) -> tuple[Array, Array]:
    """Compute the response at sampling instants; an impulse is one sample of the height 1/period."""
    period = float(system.period or 0.0)
    if t is None:
        size = np.abs(system.poles())
        size = size[(size > 0.0) & (np.abs(size - 1.0) > 1e-9)]
        slowest = np.abs(np.log(size)).min() if size.size else 0.1
        wanted = np.arange(int(min(max(20, np.ceil(_DECAY / slowest)), _MOST_SAMPLES)) + 1)
    else:
        times = (
            np.arange(0.0, positive("t", t) / period + 1e-9) if np.ndim(t) == 0 else vector("t", t) / period
        )
        wanted = np.round(times).astype(int)
        if (
            wanted.size == 0
            or wanted[0] < 0
            or np.any(np.diff(wanted) < 0)
            or np.any(np.abs(times - wanted) > 1e-6)
        ):
            reject("t", t, f"sampling instants, whole multiples of {period:g} s, that do not decrease")
    y = np.empty((*system.D.shape, int(wanted[-1]) + 1))
    x, u = np.zeros_like(system.B), np.eye(system.B.shape[1])
    if kind == "impulse":
        u = u / period
    for k in range(y.shape[-1]):
        y[:, :, k] = system.C @ x + system.D @ u
        x = system.A @ x + system.B @ u
        if kind == "impulse":
            u = np.zeros_like(u)
    return np.asarray(wanted * period, dtype=np.float64), y[:, :, wanted]
