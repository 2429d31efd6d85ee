"""Filters and compensators between the stages of a drive.

A filter has one input, given as its ``reference``, and one output: ``add_controller(ss.Notch(...),
reference="speed.output", to="motor")``. Frequencies are in Hz. With a period filters are discretised by Tustin's
bilinear rule, warped so that it is exact at the filter's own frequency.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import finite, non_negative, positive, reject, vector
from stickslip.control._gains import Derived, alternative, gains
from stickslip.control._systems import canonical
from stickslip.control.controllers import Controller

__all__ = ["PID2", "Biquad", "DerivativeFilter", "DisturbanceObserver", "Lead", "LowPass", "Notch"]

Array = NDArray[np.float64]
Matrices = tuple[Array, Array, Array, Array]


def _tustin(parts: Matrices, period: float, frequency: float | None) -> Matrices:
    """The bilinear rule s = c (z - 1)/(z + 1), with c such that it is exact at `frequency`."""
    a, b, c, d = parts
    omega = 2.0 * math.pi * frequency if frequency else 0.0
    rate = omega / math.tan(0.5 * omega * period) if 0.0 < omega * period < math.pi else 2.0 / period
    inverse = np.linalg.inv(np.eye(a.shape[0]) - a / rate)
    # z+ = Ad z + Bd w with the state of Franklin, Powell, Workman, Digital Control of Dynamic Systems, section 6.1.
    return (
        inverse @ (np.eye(a.shape[0]) + a / rate),
        inverse @ b * (2.0 / rate),
        c @ inverse,
        d + c @ inverse @ b / rate,
    )


class _Linear(Controller):
    """Base class of filters: matrices with named inputs, references first."""

    __slots__ = ()

    @property
    def _in_matrices(self) -> bool:
        return True

    def _make(
        self,
        parts: Matrices,
        values: dict[str, Any],
        gain: Array | None = None,
        discrete: bool = False,
    ) -> None:
        options = self._options()
        a, b, c, d = parts
        compiled = _core.control.Controller.linear(
            A=a, B=b, C=c, D=d, error=False, references=1, gain=gain, discrete=discrete, options=options
        )
        self._fill(compiled, **values)

    def _filter(self, parts: Matrices, exact_at: float | None, values: dict[str, Any]) -> None:
        """Names of the inputs: one signal."""
        if self.quantum != 0.0 or self.rate != "measured":
            name = "quantum" if self.quantum != 0.0 else "rate"
            reject(name, getattr(self, name), "left out: a filter has neither quantum nor rate")
        if self.period is None:
            self._make(parts, values)
            return
        period = positive("period", self.period)
        if exact_at is not None and exact_at * period >= 0.5:
            reject("frequency", exact_at, f"below half the sampling rate, {0.5 / period:g} Hz")
        self._make(_tustin(parts, period, exact_at), values, discrete=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LowPass(_Linear):
    """Low-pass filter: ``1/(1 + s/w)``, or of order 2 ``w²/(s² + 2 damping w s + w²)``.

    Parameters
    ----------
    frequency : float
        Corner frequency in Hz, w = 2 pi frequency.
    order : {1, 2}, default 1
        Order of the filter.
    damping : float, default 1/sqrt(2)
        Damping ratio of order 2; by default that of a Butterworth filter.
    **options
        Limits and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> lag = ss.LowPass(frequency=1 / (2 * np.pi * 5e-4))       # a current loop of 0.5 ms
    >>> lag.matrices.A.round(6), lag.matrices.inputs
    (array([[-2000.]]), ('reference',))
    """

    frequency: float
    order: int = 1
    damping: float = math.sqrt(0.5)

    def __post_init__(self) -> None:
        f, zeta = positive("frequency", self.frequency), positive("damping", self.damping)
        if self.order not in (1, 2):
            reject("order", self.order, "1 or 2")
        w = 2.0 * math.pi * f
        den = [1.0, w] if self.order == 1 else [1.0, 2.0 * zeta * w, w**2]
        self._filter(canonical([den[-1]], den), f, {"frequency": f, "damping": zeta})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Notch(_Linear):
    """Notch: ``(s² + 2 depth damping w s + w²)/(s² + 2 damping w s + w²)``.

    Parameters
    ----------
    frequency : float
        Centre frequency, Hz.
    damping : float, default 0.5
        Damping ratio of its poles: the width of the notch is twice this, relative to its frequency.
    depth : float, default 0
        Gain at the centre frequency, from 0 to 1.
    **options
        Limits and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> m = ss.Machine(mass=1.0, names=["axis"])
    >>> m.add_controller(ss.PI(kp=50.0, tn=0.1), "speed", measure="axis.velocity")
    'speed'
    >>> m.add_controller(ss.Notch(frequency=180.0), "notch", reference="speed.output", to="axis")
    'notch'
    >>> bool(abs(ss.open_loop(m, at="notch.output")(2 * np.pi * 180.0)) < 1e-12)
    True
    """

    frequency: float
    damping: float = 0.5
    depth: float = 0.0

    def __post_init__(self) -> None:
        f, zeta = positive("frequency", self.frequency), positive("damping", self.damping)
        depth = non_negative("depth", self.depth)
        if depth > 1.0:
            reject("depth", depth, "from 0 to 1")
        w = 2.0 * math.pi * f
        parts = canonical([1.0, 2.0 * depth * zeta * w, w**2], [1.0, 2.0 * zeta * w, w**2])
        self._filter(parts, f, {"frequency": f, "damping": zeta, "depth": depth})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lead(_Linear):
    """Lead or lag element: ``gain (1 + s/w_zero)/(1 + s/w_pole)``.

    Parameters
    ----------
    zero_frequency, pole_frequency : float
        Frequencies of zero and pole in Hz; the zero below the pole makes a lead. The phase is greatest at their
        geometric mean, asin((p - z)/(p + z)).
    gain : float, default 1
        Gain at frequency 0.
    **options
        Limits and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Lead(zero_frequency=10.0, pole_frequency=90.0).matrices.D
    array([[9.]])
    """

    zero_frequency: float
    pole_frequency: float
    gain: float = 1.0

    def __post_init__(self) -> None:
        zero = positive("zero_frequency", self.zero_frequency)
        pole = positive("pole_frequency", self.pole_frequency)
        gain = finite("gain", self.gain)
        w, p = 2.0 * math.pi * zero, 2.0 * math.pi * pole
        parts = canonical([gain * p / w, gain * p], [1.0, p])
        middle = math.sqrt(zero * pole)
        inside = self.period is None or middle * float(self.period) < 0.5
        values = {"zero_frequency": zero, "pole_frequency": pole, "gain": gain}
        self._filter(parts, middle if inside else None, values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Biquad(_Linear):
    """Filter of second order: ``(b2 s² + b1 s + b0)/(a2 s² + a1 s + a0)``.

    Parameters
    ----------
    numerator, denominator : sequence of three float
        ``(b2, b1, b0)`` and ``(a2, a1, a0)``, the coefficients of falling powers of s in rad/s; the degree of the
        denominator is at least that of the numerator.
    frequency : float, optional
        Frequency in Hz at which a sampled filter is exact; by default the bilinear rule is used without prewarping.
    **options
        Limits and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Biquad((0.0, 1.0, 0.0), (1.0, 2.0, 1.0)).matrices.C
    array([[1., 0.]])
    """

    numerator: tuple[float, float, float]
    denominator: tuple[float, float, float]
    frequency: float | None = None

    def __post_init__(self) -> None:
        top, bottom = vector("numerator", self.numerator, 3), vector("denominator", self.denominator, 3)
        f = None if self.frequency is None else positive("frequency", self.frequency)
        values = {"numerator": tuple(top.tolist()), "denominator": tuple(bottom.tolist()), "frequency": f}
        self._filter(canonical(top, bottom), f, values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DerivativeFilter(_Linear):
    """Derivative with a lag: ``s/(1 + time_constant s)``.

    Parameters
    ----------
    time_constant : float
        Time constant of the lag, s, positive.
    **options
        Limits and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.DerivativeFilter(time_constant=0.01).matrices.D
    array([[100.]])
    """

    time_constant: float

    def __post_init__(self) -> None:
        tau = positive("time_constant", self.time_constant)
        self._filter(canonical([1.0 / tau, 0.0], [1.0, 1.0 / tau]), None, {"time_constant": tau})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PID2(_Linear):
    """PID controller with two degrees of freedom: set-point weights.

    ``u = kp (b r - y) + ki * integral of (r - y) + kd d``, ``tf * dd/dt + d = c dr/dt - dy/dt`` (Åström, Hägglund,
    Advanced PID Control, 2006, section 3.4). It needs no measured rates: the derivative comes from its filter.

    Parameters
    ----------
    kp, ki, kd : float
        Gains, as in `PID`; ki and kd are 0 by default.
    tn, td : float, optional
        Reset time ``kp/ki`` and derivative time ``kd/kp`` in s, in place of `ki` and `kd`; see `stickslip.control`.
    tf : float, optional
        Time constant of the derivative's filter, s, positive; needed with kd.
    b, c : float, default 1 and 0
        Weights of the reference in the proportional and the derivative part.
    **options
        Limits and sampling: see `Controller`. Anti-windup at a limit is by back-calculation, as in `PID`;
        clamping is not available, as for all controllers given by matrices. With a period the backward rectangle rule
        is used, as in `PID`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.PID2(kp=3.0, ki=4.0, b=0.5).matrices.D
    array([[ 1.5, -3. ]])
    """

    _derived: ClassVar[tuple[str, ...]] = ("tn", "td")
    kp: float
    ki: float = Derived(0.0)
    kd: float = Derived(0.0)
    tn: float | None = alternative()
    td: float | None = alternative()
    tf: float | None = None
    b: float = 1.0
    c: float = 0.0

    def __post_init__(self) -> None:
        kp = finite("kp", self.kp)
        ki, kd, tn, td = gains(kp, self.ki, self.kd, self.tn, self.td)
        ki, kd = finite("ki", ki), finite("kd", kd)
        b, c = finite("b", self.b), finite("c", self.c)
        tf = None if self.tf is None else positive("tf", self.tf)
        if kd != 0.0 and tf is None:
            raise ValueError("tf is missing: the derivative of a value needs a filter")
        lag = 1.0 if tf is None else tf
        # States: the integral in units of u, and the lagged c r - y times kd/tf.
        a = np.array([[0.0, 0.0], [0.0, -1.0 / lag]])
        into = np.array([[ki, -ki], [-kd * c / lag**2, kd / lag**2]])
        direct = np.array([[kp * b + kd * c / lag, -kp - kd / lag]])
        ones: Array = np.ones((1, 2))
        parts: Matrices = (a, into, ones, direct)
        gain = None
        if ki != 0.0 and self.limits is not None and self.anti_windup == "back_calculation":
            time = kp / ki if self.tracking_time is None else positive("tracking_time", self.tracking_time)
            if not time > 0.0:
                reject("tracking_time", time, "given where kp/ki is not positive")
            gain = np.array([[1.0 / time], [0.0]])
        if self.period is not None:
            parts, gain = _backward(parts, gain, positive("period", self.period))
        values = {"kp": kp, "ki": ki, "kd": kd, "tn": tn, "td": td, "tf": tf, "b": b, "c": c}
        self._make(parts, values, gain, discrete=self.period is not None)


def _backward(parts: Matrices, gain: Array | None, period: float) -> tuple[Matrices, Array | None]:
    """The backward rectangle rule with the output after the update, anti-windup taken implicitly."""
    a, b, c, d = parts
    inverse = np.asarray(np.linalg.inv(np.eye(a.shape[0]) - period * a), dtype=np.float64)
    into = inverse @ b * period
    if gain is not None:
        step = inverse @ gain * period
        gain = step / (1.0 + float((c @ step)[0, 0]))
    sampled: Matrices = inverse, into, c @ inverse, d + c @ into
    return sampled, gain


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DisturbanceObserver(_Linear):
    """Disturbance observer: cancels forces on the body other than the command.

    ``u = Q/(1 - Q) (u_c - mass dv/dt)`` with ``Q = w/(s + w)``.

    Its output acts on the body in addition to the command u_c, which is its ``reference``; its measurement is the
    velocity v. In closed form ``u = w * integral of u_c - mass w v``: the body responds to its command as a free body
    of this mass, and to disturbances d as ``v = d/(mass (s + w))`` instead of ``d/(mass s)`` (Ohnishi, Shibata,
    Murakami, IEEE/ASME Transactions on Mechatronics 1 (1996) 56-67, section II).

    Parameters
    ----------
    mass : float
        Moved mass that the observer assumes, kg (inertia, kg m²).
    frequency : float
        Bandwidth in Hz, up to which disturbances are cancelled, w = 2 pi frequency.
    **options
        Limits and sampling: see `Controller`. Anti-windup by back-calculation at the rate w.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, names=["axis"], force={"axis": -3.0})
    >>> m.add_controller(ss.P(kp=40.0), "speed", measure="axis.velocity", to="axis")
    'speed'
    >>> observer = ss.DisturbanceObserver(mass=2.0, frequency=10.0)
    >>> m.add_controller(observer, "observer", reference="speed.output", measure="axis.velocity", to="axis")
    'observer'
    >>> abs(float(ss.simulate(m, t_end=5.0)["axis.velocity"][-1])) < 1e-9     # the load is carried without an error
    True
    """

    mass: float
    frequency: float

    def __post_init__(self) -> None:
        mass, f = positive("mass", self.mass), positive("frequency", self.frequency)
        w = 2.0 * math.pi * f
        parts = (
            np.zeros((1, 1)), np.array([[w, 0.0]]), np.ones((1, 1)), np.array([[0.0, -mass * w]])
        )  # fmt: skip
        limited = self.limits is not None and self.anti_windup == "back_calculation"
        gain = np.array([[w]]) if limited else None
        self._make(parts, {"mass": mass, "frequency": f}, gain)
