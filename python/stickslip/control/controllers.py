"""Controllers: P, PI, PID, cascades, linear systems and Python functions.

A controller is a value like a signal: comparable, picklable, printed as the expression that makes it. Its measurement,
reference and output are connected by `Machine.add_controller`. In the formulas r is the reference, y the measurement, e
= r - y and u the output: a force in N (torque in Nm), or the reference of the next stage.

Every controller takes the keyword arguments of `Controller`: limits, anti-windup and sampling.

Integral and derivative parts are given as gains or as times. ``ki`` is the integral gain, and ``tn = kp/ki`` the reset
time in s, after which the integral of a constant error has grown as large as the proportional part: the integral time
Ti of textbooks, T_N (Nachstellzeit) of German drives. ``kd`` is the derivative gain, and ``td = kd/kp`` the derivative
time in s (T_V, Vorhaltezeit). ``PI(kp, ki)`` and ``PI(kp, tn=...)``, ``PID(kp, ki, kd)`` and ``PID(kp, tn=...,
td=...)``, ``Cascade(kv, kp, ki)`` and ``Cascade(kv, kp, tn=...)`` are the same controllers; gains and times can be read
from either. In sweeps, fits and derivatives the parameters are ``tn`` for `PI` and `Cascade`, and ``ki`` and ``kd`` for
`PID`.

Sampled P, PI, PID and Cascade use the backward rectangle rule with the updated integral: ``i += kp * period / tn * e``,
``u = kp * e + i``. At a limit back-calculation then adds ``period / (period + tracking_time) * (u - u_raw)`` to the
integral, the implicit form, which is stable for every tracking time; clamping shortens the step of the integral, at
most to zero, so that u_raw ends on the limit.
"""

from __future__ import annotations

import collections.abc
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickslip import _core
from stickslip._checks import matrix, number, optional_number, reject, vector
from stickslip._value import Value
from stickslip.control._gains import Derived, alternative, gains, reset_time
from stickslip.control._systems import matrices_of

__all__ = ["LTI", "PI", "PID", "Callable", "Cascade", "Controller", "Matrices", "P"]

LimitsLike = float | tuple[float | None, float | None] | None


class Matrices(NamedTuple):
    """Linear part of a controller, see `Controller.matrices`."""

    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: NDArray[np.float64]
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Controller(Value):
    """Base class of all controllers: use `P`, `PI`, `PID`, `Cascade`, `LTI` or `Callable`.

    Parameters
    ----------
    limits : float or (float or None, float or None), optional
        Smallest and greatest output; a single number g stands for (-g, g), None for no limit on that side.
    anti_windup : {"back_calculation", "clamping", None}, default "back_calculation"
        Anti-windup at a limit. Back-calculation adds (u - u_raw) / tracking_time to the rate of the integral, with
        u_raw the output before and u after limiting. Clamping stops the integral at the limit
        as long as it would increase the excess. None: the integral winds up.
    tracking_time : float, optional
        Time constant of back-calculation in s, by default kp / ki (which is tn).
    period : float, optional
        Sampling period in s: the controller runs at its multiples, and the output is held in between. By default the
        controller is continuous.
    delay : float, default 0
        Time in s from sampling to output, at most one period. Sampled controllers only.
    quantum : float, default 0
        Step of the measuring scale in units of y: samples are rounded to its nearest multiple. Sampled
        controllers only.
    rate : {"measured", "difference"}, default "measured"
        Velocities: measured directly, or by backward difference of (rounded) position samples, zero at the first
        sample. Sampled controllers only.
    tracks : bool, default False
        Anti-windup against a downstream limit, whose excess is the second reference; see `excess` of
        `Machine.add_controller`. By back-calculation or, with a period, by clamping.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.PI(kp=2.0, tn=0.1, limits=5.0, period=1e-3, delay=5e-4).limits
    (-5.0, 5.0)
    """

    _: KW_ONLY
    limits: LimitsLike = None
    anti_windup: Literal["back_calculation", "clamping"] | None = "back_calculation"
    tracking_time: float | None = None
    period: float | None = None
    delay: float = 0.0
    quantum: float = 0.0
    rate: Literal["measured", "difference"] = "measured"
    tracks: bool = False
    compiled: _core.control.Controller = field(init=False)

    def __init__(self) -> None:
        raise TypeError("Controller is a base class: use P, PI, PID, Cascade, LTI or Callable")

    @property
    def _in_matrices(self) -> bool:
        """True if the engine has no special kind for it and stores its matrices."""
        return False

    def _with(self, **changed: Any) -> Controller:
        """The same controller with other options."""
        made: Controller = type(self)(**self._arguments() | changed)
        return made

    def _options(self) -> _core.control.ControlOptions:
        limits = _limits(self.limits)
        if self.anti_windup not in (None, "none", "back_calculation", "clamping"):
            reject("anti_windup", self.anti_windup, "None, 'back_calculation' or 'clamping'")
        values = self._numbers("tracking_time", "period", "delay", "quantum")
        options = _core.control.ControlOptions(
            *(limits or (None, None)),
            anti_windup=self.anti_windup,
            rate=self.rate,
            tracks=self.tracks,
            **values,
        )
        for name, value in (("limits", limits), *values.items()):
            object.__setattr__(self, name, value)
        return options

    @property
    def matrices(self) -> Matrices:
        """Linear part, without limits: z' = A z + B w, u = C z + D w; sampled, z+ = A z + B w.

        ``inputs`` names the columns of B and D: references and measurements, with ``.rate`` and
        ``.acceleration`` for derivatives and ``.difference`` where the controller forms the difference
        quotient itself.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.PI(kp=2.0, tn=0.5).matrices.B
        array([[ 4., -4.]])
        """
        block = self.compiled.block()
        if block.is_program:
            raise ValueError("a callable has no matrices")
        return Matrices(block.A, block.B, block.C, block.D, tuple(block.inputs))


def _limits(given: object) -> tuple[float | None, float | None] | None:
    if given is None:
        return None
    if isinstance(given, (tuple, list, np.ndarray)):
        if len(given) != 2:
            reject("limits", given, "a number or a pair (smallest, greatest)")
        return optional_number("limits[0]", given[0]), optional_number("limits[1]", given[1])
    size = number("limits", given)
    if not size > 0.0:
        reject("limits", given, "> 0 if it is a single number")
    return -size, size


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class P(Controller):
    """Proportional controller: ``u = kp * e + feedforward * dr/dt``.

    Parameters
    ----------
    kp : float
        Gain in units of u per unit of y.
    feedforward : float, default 0
        Gain of the rate of the reference: 1 for full velocity feedforward of a position loop.
    controls : {"value", "rate"}, default "value"
        Controlled variable y: the measured signal, or its rate.
    **options
        Limits and sampling: see `Controller`.

    Raises
    ------
    ValueError
        If an argument is not finite, or a limit or time is not allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.P(kp=133.33, limits=0.2)
    P(kp=133.33, limits=(-0.2, 0.2))
    """

    kp: float
    feedforward: float = 0.0
    controls: Literal["value", "rate"] = "value"

    def __post_init__(self) -> None:
        numbers = self._numbers("kp", "feedforward")
        self._fill(
            _core.control.Controller.p(**numbers, controls=self.controls, options=self._options()), **numbers
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PI(Controller):
    """Proportional-integral controller: ``u = kp * (e + 1/tn * integral of e) + feedforward * dr/dt``.

    Parameters
    ----------
    kp : float
        Gain in units of u per unit of y.
    ki : float, optional
        Integral gain, in units of kp per second; it has the sign of kp.
    tn : float, optional
        Reset time ``kp/ki`` in s, positive, in place of `ki`; see `stickslip.control`.
    feedforward : float, default 0
        Gain of the rate of the reference: the moving mass in a velocity loop.
    controls : {"value", "rate"}, default "value"
        Controlled variable y: the measured signal, or its rate; with ``rate="difference"`` a velocity loop on a
        position encoder.
    **options
        Limits, anti-windup and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.PI(kp=700e3, tn=0.03, period=1e-3, limits=5e3)
    PI(kp=700000.0, tn=0.03, limits=(-5000.0, 5000.0), period=0.001)
    >>> ss.PI(2.0, 40.0) == ss.PI(kp=2.0, tn=0.05)
    True
    """

    _derived: ClassVar[tuple[str, ...]] = ("ki",)
    kp: float
    ki: float | None = None
    tn: float | None = alternative()
    feedforward: float = 0.0
    controls: Literal["value", "rate"] = "value"

    def __post_init__(self) -> None:
        kp, feedforward = self._numbers("kp", "feedforward").values()
        tn = reset_time(kp, self.ki, self.tn)
        options = self._options()
        compiled = _core.control.Controller.pi(kp, tn, feedforward, controls=self.controls, options=options)
        self._fill(compiled, kp=kp, ki=Derived(kp / tn), tn=tn, feedforward=feedforward)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PID(Controller):
    """PID controller: ``u = kp * e + ki * integral of e + kd * d``, ``tf * dd/dt + d = -dy/dt``.

    Parameters
    ----------
    kp : float
        Proportional gain in units of u per unit of y.
    ki : float, default 0
        Integral gain, in units of kp per second.
    kd : float, default 0
        Derivative gain, in units of kp times seconds.
    tn, td : float, optional
        Reset time ``kp/ki``, positive, and derivative time ``kd/kp`` in s, in place of `ki` and `kd`; see
        `stickslip.control`.
    tf : float, default 0
        Time constant in s of the derivative's filter; 0: none. The filter starts at zero.
    derivative_of : {"measurement", "error"}, default "measurement"
        With "error", d follows de/dt, so that jumps of dr/dt reach the output.
    **options
        Limits, anti-windup and sampling: see `Controller`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    The velocity dy/dt is measured, or with ``rate="difference"`` computed from samples. Without filter and with
    measured velocity this is the controller of Canudas de Wit et al. 1995.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.PID(kp=3.0, ki=4.0, kd=6.0).matrices.inputs
    ('reference', 'measurement', 'measurement.rate')
    >>> ss.PID(kp=3.0, tn=0.75, td=2.0)
    PID(kp=3.0, ki=4.0, kd=6.0)
    """

    _derived: ClassVar[tuple[str, ...]] = ("tn", "td")
    kp: float
    ki: float = Derived(0.0)
    kd: float = Derived(0.0)
    tn: float | None = alternative()
    td: float | None = alternative()
    tf: float = 0.0
    derivative_of: Literal["measurement", "error"] = "measurement"

    def __post_init__(self) -> None:
        numbers = self._numbers("kp", "tf")
        ki, kd, tn, td = gains(numbers["kp"], self.ki, self.kd, self.tn, self.td)
        numbers |= {"ki": ki, "kd": kd}
        options = self._options()
        compiled = _core.control.Controller.pid(**numbers, derivative_of=self.derivative_of, options=options)
        self._fill(compiled, **numbers, tn=tn, td=td)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cascade(Controller):
    """P position loop around a PI velocity loop.

    ``v_ref = kv * (r - x) + velocity_feedforward * dr/dt``, ``e = v_ref - v``, ``u = kp * (e + 1/tn *
    integral of e) + force_feedforward * d²r/dt²``, with v the velocity of the motor.

    Parameters
    ----------
    kv : float
        Position gain in 1/s.
    kp : float
        Velocity gain in Ns/m.
    ki : float, optional
        Integral gain of the velocity loop in N/m.
    tn : float, optional
        Reset time ``kp/ki`` in s, positive, in place of `ki`; see `stickslip.control`.
    position : {"motor", "load"}, default "motor"
        Side on which the position x is measured.
    velocity_feedforward : float, default 0
        Fraction of the reference velocity that is fed forward: 1 for full feedforward.
    force_feedforward : float, default 0
        Gain of the reference acceleration in kg: the total mass for full feedforward.
    **options
        Limits (of the force), anti-windup and sampling: see `Controller`. For a limit of velocity or loops of
        different periods use a `P` whose output is the reference of a `PI`.

    References
    ----------
    Krämer, Kempkes, section 4: P-PI cascade of a two-mass drive.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3).matrices.inputs
    ('reference', 'measurement', 'measurement1.rate')
    """

    _derived: ClassVar[tuple[str, ...]] = ("ki",)
    kv: float
    kp: float
    ki: float | None = None
    tn: float | None = alternative()
    position: Literal["motor", "load"] = "motor"
    velocity_feedforward: float = 0.0
    force_feedforward: float = 0.0

    def __post_init__(self) -> None:
        numbers = self._numbers("kv", "kp", "velocity_feedforward", "force_feedforward")
        kp = numbers["kp"]
        numbers["tn"] = tn = reset_time(kp, self.ki, self.tn)
        options = self._options()
        compiled = _core.control.Controller.cascade(**numbers, position=self.position, options=options)
        self._fill(compiled, **numbers, ki=Derived(kp / tn))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LTI(Controller):
    """Linear controller given by matrices: ``dz/dt = A z + B w``, ``u = C z + D w``.

    Parameters
    ----------
    A : array_like, shape (n, n)
        Dynamics; n may be 0.
    B : array_like, shape (n, m)
        Effect of the inputs. A vector is one column.
    C : array_like, shape (p, n)
        Effect of the states on the outputs. A vector is one row.
    D : array_like, shape (p, m), default zeros
        Direct effect of the inputs on the outputs. A vector is one row.
    inputs : {"error", "both"}, default "error"
        ``"error"``: w is r - y; ``"both"``: w holds references, then measurements. A filter of one signal is
        ``inputs="both", references=1`` and reads its reference.
    references : int, optional
        Number of references among the inputs for ``"both"``; by default half of them.
    gain : array_like, shape (n, p), optional
        Anti-windup: ``gain @ (u - u_raw)`` is added to dz/dt at a limit. By default the states ignore the limit.
        Clamping is not available, as matrices do not identify the integral.
    discrete : bool, default False
        If True, the matrices give z at the next sampling instant instead of dz/dt; needs a period.
    **options
        Limits and sampling: see `Controller`. With a period, continuous matrices are discretised exactly for
        inputs held over the period.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> lead = ss.LTI(A=-50.0, B=1.0, C=-2000.0, D=50.0)     # (50 s + 500) / (s + 50)
    >>> lead.matrices.D
    array([[ 50., -50.]])
    """

    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: NDArray[np.float64] | None = None
    inputs: Literal["error", "both"] = "error"
    references: int | None = None
    gain: NDArray[np.float64] | None = None
    discrete: bool = False

    def __post_init__(self) -> None:
        A, B, C = matrix("A", self.A), matrix("B", self.B), matrix("C", self.C, vector_is="row")
        D = np.zeros((C.shape[0], B.shape[1])) if self.D is None else matrix("D", self.D, vector_is="row")
        D.flags.writeable = False
        if A.size == 0:  # the shape of an empty list does not give the number of inputs and outputs
            A = A.reshape(0, 0)
            B = B if B.size else np.zeros((0, D.shape[1]))
            C = C if C.size else np.zeros((D.shape[0], 0))
        if self.inputs not in ("error", "both"):
            reject("inputs", self.inputs, "'error' or 'both'")
        references = self.references
        if references is None and self.inputs == "both":
            references = B.shape[1] // 2
        gain = None if self.gain is None else matrix("gain", self.gain)
        compiled = _core.control.Controller.linear(
            A=A,
            B=B,
            C=C,
            D=D,
            error=self.inputs == "error",
            references=references or 0,
            gain=gain,
            discrete=bool(self.discrete),
            options=self._options(),
        )
        self._fill(compiled, A=A, B=B, C=C, D=D, references=references, gain=gain)

    @classmethod
    def from_system(cls, system: Any, **options: Any) -> LTI:
        """A controller from a linear system of another package.

        Each input of the system reads the error r - y of its own reference and measurement. For a filter, or a
        controller that weights r and y differently, set ``inputs="both"``: the first inputs (`references` of them, by
        default half) are then references, the others measurements.

        Parameters
        ----------
        system : object
            A state space, a transfer function, or zeros, poles and gain: of python-control or SciPy, or any object with
            ``A, B, C, D``, with ``num, den`` or with ``zeros, poles, gain``. A system with a sampling time `dt` is
            discrete and runs with this period.
        **options
            As for `LTI`.

        Raises
        ------
        ValueError
            If it is not such a system, if it is a transfer function that is improper or has several inputs or outputs,
            or if it is discrete and neither `dt` nor `period` is given.

        Examples
        --------
        >>> import control, stickslip as ss
        >>> ss.LTI.from_system(control.tf([50.0, 500.0], [1.0, 50.0])).matrices.D
        array([[ 50., -50.]])
        >>> ss.LTI.from_system(control.tf([1.0], [1.0, 50.0]), inputs="both", references=1).matrices.inputs
        ('reference',)
        """
        a, b, c, d = matrices_of(system)
        dt = getattr(system, "dt", None)
        if dt:  # None and 0 mean continuous, True means discrete with a time that is not given
            options.setdefault("discrete", True)
            if dt is not True:
                options.setdefault("period", float(dt))
        return cls(a, b, c, d, **options)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Callable(Controller):
    """Sampled controller as a Python function, called only at its sampling instants.

    Parameters
    ----------
    function : callable
        ``function(t, r, y) -> u``, with the float t in s and the references r and measurements y, always arrays; u is a
        number or an array. With a `memory` it is ``function(t, r, y, z) -> (u, z)``.
    references, measurements, outputs : int, default 1
        Numbers of signals.
    memory : array_like, shape (n,), default empty
        Start value of the memory z. It is part of the state of a run, which can be continued and repeated bitwise; data
        that the function keeps elsewhere are not.
    **options
        Limits and sampling: see `Controller`; the period must be given.

    Raises
    ------
    ValueError
        For an argument that is not allowed; during a run, with the name of the controller and the time, if the function
        returns the wrong number of values, or NaN.
    RuntimeError
        During a run, with the name of the controller and the time, where the function raises an exception, which is its
        ``__cause__``. An interrupt (Ctrl-C) is passed on.

    Notes
    -----
    Each call of the interpreter costs about a microsecond, and runs of an ensemble then cannot run in parallel.

    Examples
    --------
    >>> import stickslip as ss
    >>> bang_bang = ss.control.Callable(lambda t, r, y: 5.0 if y[0] < r[0] else -5.0, period=1e-3)
    """

    function: collections.abc.Callable[..., Any]
    references: int = 1
    measurements: int = 1
    outputs: int = 1
    memory: NDArray[np.float64] | tuple[float, ...] = ()

    def __post_init__(self) -> None:
        memory = vector("memory", self.memory)
        options = self._options()
        compiled = _core.control.Controller.program(
            self.function, self.references, self.measurements, self.outputs, memory, options
        )
        self._fill(compiled, memory=memory)
