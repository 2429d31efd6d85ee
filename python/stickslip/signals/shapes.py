"""Signals given by a formula, by points or by the limits of a move."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import number, reject, vector
from stickslip.signals.signal import Signal


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ramp(Signal):
    """Ramp: `offset` until `start`, then ``offset + slope * (t - start)``, constant from `stop` on.

    Parameters
    ----------
    slope : float
        Rise per second.
    start : float, default 0
        Instant in s at which the rise begins.
    offset : float, default 0
        Value before the change.
    stop : float, optional
        Instant in s from which the value is held; by default the rise never ends.

    Raises
    ------
    ValueError
        If an argument is not finite or `stop` lies before `start`.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Ramp(slope=2.0, start=1.0, stop=3.0)([0.0, 2.0, 5.0])
    array([0., 2., 4.])
    """

    slope: float
    start: float = 0.0
    offset: float = 0.0
    stop: float | None = None
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("slope", "start", "offset", "stop")
        self._fill(_core.signal.Signal.ramp(**numbers), **numbers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Step(Signal):
    """Step from `before` to `value` at the time `start`.

    Parameters
    ----------
    value : float
        Value from `start` on, inclusive.
    start : float, default 0
        Instant of the jump in s.
    before : float, default 0
        Value before the step.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Step(5.0, start=1.0)([0.999, 1.0])
    array([0., 5.])
    """

    value: float
    start: float = 0.0
    before: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("value", "start", "before")
        self._fill(_core.signal.Signal.step(**numbers), **numbers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sine(Signal):
    """``offset + amplitude * sin(2 pi frequency (t - start) + phase)``.

    Parameters
    ----------
    amplitude : float
        Amplitude.
    frequency : float
        Frequency in Hz, not negative.
    phase : float, default 0
        Angle in rad at `start`.
    offset : float, default 0
        Mean value.
    start : float, optional
        Time in s at which the oscillation begins; before `start` the signal is constant. By default the sine covers all
        times, and `phase` is the angle at t = 0.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> round(ss.Sine(amplitude=2.0, frequency=0.5)(0.5), 12)
    2.0
    """

    amplitude: float
    frequency: float
    phase: float = 0.0
    offset: float = 0.0
    start: float | None = None
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("amplitude", "frequency", "phase", "offset", "start")
        self._fill(_core.signal.Signal.sine(**numbers), **numbers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SmoothStep(Signal):
    """Smooth step from `before` to `value` within `duration`, with zero velocity and acceleration at both ends.

    The quintic ``10 s^3 - 15 s^4 + 6 s^5`` of the elapsed fraction s of the duration. Its greatest slope is ``1.875 *
    step / duration``, its greatest second derivative ``10/sqrt(3) * step / duration^2``.

    Parameters
    ----------
    value : float
        Final value.
    start : float, default 0
        Instant in s at which the change begins.
    duration : float, default 1
        Duration in s, positive.
    before : float, default 0
        Value before the change.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.SmoothStep(2.0, start=1.0, duration=4.0)([1.0, 3.0, 5.0])
    array([0., 1., 2.])
    """

    value: float
    start: float = 0.0
    duration: float = 1.0
    before: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("value", "start", "duration", "before")
        self._fill(_core.signal.Signal.smooth_step(**numbers), **numbers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Piecewise(Signal):
    """Straight lines through given points; the first and the last value are held outside.

    Parameters
    ----------
    t : array_like, shape (n,)
        Times in s, not decreasing. A time given twice is a jump, with the second value from there on.
    values : array_like, shape (n,)
        Values at these times.

    Raises
    ------
    ValueError
        If times decrease, lengths differ or an entry is not finite.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Piecewise([0.0, 1.0, 1.0, 2.0], [0.0, 2.0, 5.0, 5.0])([0.5, 1.0, 3.0])
    array([1., 5., 5.])
    """

    t: NDArray[np.float64]
    values: NDArray[np.float64]
    compiled: _core.signal.Signal = field(init=False)

    def __init__(self, t: ArrayLike, values: ArrayLike) -> None:
        times, y = vector("t", t), vector("values", values)
        self._fill(_core.signal.Signal.piecewise(times, y), t=times, values=y)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Samples(Signal):
    """A curve through samples, for example measured ones; the first and the last value are held outside.

    Parameters
    ----------
    t : array_like, shape (n,)
        Times in s, increasing.
    values : array_like, shape (n,)
        Values at these times.
    kind : {"linear", "cubic", "hold"}, default "linear"
        Straight lines; the cubic spline with continuous second derivative and the not-a-knot end condition
        (that of ``scipy.interpolate.CubicSpline``); or each value held until the next.

    Raises
    ------
    ValueError
        If times do not increase, lengths differ, an entry is not finite or `kind` is unknown.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Samples([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0], kind="cubic")(1.5)
    2.25
    """

    t: NDArray[np.float64]
    values: NDArray[np.float64]
    kind: Literal["linear", "cubic", "hold"] = "linear"
    compiled: _core.signal.Signal = field(init=False)

    def __init__(
        self, t: ArrayLike, values: ArrayLike, kind: Literal["linear", "cubic", "hold"] = "linear"
    ) -> None:
        times, y = vector("t", t), vector("values", values)
        self._fill(_core.signal.Signal.samples(times, y, str(kind)), t=times, values=y, kind=kind)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Input(Signal):
    """An external input of `RealTime`, set at each step; elsewhere it has its default value.

    Parameters
    ----------
    name : str
        Name of the input.
    default : float, default 0
        Default value.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    An input can be scaled and added to other signals; a sum can hold only one input. Its derivative is zero, as it is
    held over each step.

    Examples
    --------
    >>> import stickslip as ss
    >>> (2.0 * ss.Input("push", default=1.5) + ss.Ramp(slope=1.0))(1.0)
    4.0
    """

    name: str
    default: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            reject("name", self.name, "a string")
        default = number("default", self.default)
        self._fill(_core.signal.Signal.input(self.name, default), default=default)


class _Move(Signal):
    """A move from rest to rest; `jerk` is None where the acceleration may jump."""

    __slots__ = ()

    def _plan(self) -> tuple[float, float, float]:
        way = self._arguments()
        plan = _core.signal.Signal.move_plan(
            way["distance"], way["velocity"], way["acceleration"], way.get("jerk")
        )
        return plan[0], plan[1], plan[2]

    @property
    def duration(self) -> float:
        """Length of the move in s."""
        return self._plan()[0]

    @property
    def peak_velocity(self) -> float:
        """Greatest magnitude of the velocity that is reached, in m/s."""
        return self._plan()[1]

    @property
    def peak_acceleration(self) -> float:
        """Greatest magnitude of the acceleration that is reached, in m/s²."""
        return self._plan()[2]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trapezoidal(_Move):
    """The fastest move from rest to rest within limits of velocity and acceleration.

    The velocity is a trapezoid, or a triangle where the distance is too short to reach the limit. The
    acceleration jumps; see `PointToPoint` for limited jerk.

    Parameters
    ----------
    distance : float
        Distance in m (rad), of either sign.
    velocity : float
        Greatest velocity in m/s, positive.
    acceleration : float
        Greatest acceleration in m/s², positive.
    start : float, default 0
        Start of the move in s.
    offset : float, default 0
        Position in m before the move.

    Attributes
    ----------
    duration : float
        Length of the move in s.
    peak_velocity, peak_acceleration : float
        Greatest magnitudes of the move.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Trapezoidal(distance=3.0, velocity=1.0, acceleration=1.0).duration
    4.0
    """

    distance: float
    velocity: float
    acceleration: float
    start: float = 0.0
    offset: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("distance", "velocity", "acceleration", "start", "offset")
        self._fill(_core.signal.Signal.move(jerk=None, **numbers), **numbers)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PointToPoint(_Move):
    """The fastest move from rest to rest within limits of velocity, acceleration and jerk (third order).

    Seven segments of constant jerk, in closed form; fewer if the distance is too short to reach the velocity or
    acceleration limit, or the velocity limit too low to reach the acceleration limit.

    Parameters
    ----------
    distance : float
        Distance in m (rad), of either sign.
    velocity : float
        Greatest velocity in m/s, positive.
    acceleration : float
        Greatest acceleration in m/s², positive.
    jerk : float
        Greatest jerk in m/s³, positive.
    start : float, default 0
        Start of the move in s.
    offset : float, default 0
        Position in m before the move.

    Attributes
    ----------
    duration : float
        Length of the move in s.
    peak_velocity, peak_acceleration : float
        Greatest magnitudes of the move.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.PointToPoint(distance=4.0, velocity=1.0, acceleration=1.0, jerk=1.0).duration
    6.0
    """

    distance: float
    velocity: float
    acceleration: float
    jerk: float
    start: float = 0.0
    offset: float = 0.0
    compiled: _core.signal.Signal = field(init=False)

    def __post_init__(self) -> None:
        numbers = self._numbers("distance", "velocity", "acceleration", "jerk", "start", "offset")
        self._fill(_core.signal.Signal.move(**numbers), **numbers)
