"""Linear systems in continuous or discrete time, and their frequency response."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import positive, reject, vector
from stickslip._extras import need
from stickslip.linear.connect import Matrices, closed, in_parallel, in_series, matrices
from stickslip.linear.mode_shapes import ModeShapes, mode_shapes
from stickslip.linear.poles import Poles
from stickslip.linear.response import FrequencyResponse
from stickslip.linear.time_response import TimeResponse, respond
from stickslip.linear.zeros import corner_frequencies

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """A linear system: x' = A x + B u, y = C x + D u; for a sampled system x' is the state at the next instant.

    Attributes
    ----------
    A, B, C, D : ndarray
        The matrices, shapes (n, n), (n, inputs), (outputs, n), (outputs, inputs).
    inputs, outputs : tuple of str
        Names of inputs and outputs.
    period : float or None
        Sampling period, s; None in continuous time.
    rates : tuple of (ndarray, ndarray)
        Input matrices (B and D) of the first and the second derivative of the inputs, for feedforward; empty for most
        systems.
    states : tuple of str
        Names of the states, such as ``"slide.velocity"``; empty if unnamed.

    Notes
    -----
    Systems are connected as in python-control: ``g.feedback(h)``, ``g.series(h)`` or ``h * g``, ``g.parallel(h)`` or
    ``g + h``, ``g - h``, ``2.0 * g``. The other system may be one of any package that has A, B, C, D (and ``dt``), or a
    number.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, damping=1.0, names=["slide"])
    >>> system = m.linearise("slide", "slide.velocity")
    >>> system.response([0.5]).magnitude.round(6)
    array([[[0.707107]]])
    """

    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    period: float | None = None
    rates: tuple[tuple[Array, Array], ...] = field(default=())
    states: tuple[str, ...] = ()

    __array_ufunc__ = None  # so that an array on the left leaves the product to this class

    @property
    def _matrices(self) -> Matrices:
        return self.A, self.B, self.C, self.D

    @property
    def dt(self) -> float:
        """Sampling period in python-control's convention: 0 in continuous time."""
        return self.period or 0.0

    def response(self, omega: ArrayLike | None = None) -> FrequencyResponse:
        """Return the frequency response.

        Parameters
        ----------
        omega : array_like, shape (n,), optional
            Angular frequencies, rad/s; by default a grid over all poles and zeros, up to half the sampling rate.

        Returns
        -------
        FrequencyResponse
        """
        frequencies = self.grid() if omega is None else vector("omega", np.atleast_1d(np.asarray(omega)))
        return FrequencyResponse(
            frequencies, self.at(frequencies), self.inputs, self.outputs, period=self.period
        )

    def bode(
        self, omega: ArrayLike | None = None, *, ax: Any = None, Hz: bool = False, **keywords: Any
    ) -> FrequencyResponse:
        """Return the frequency response, and draw its Bode diagram into `ax` if given.

        Parameters
        ----------
        omega : array_like, shape (n,), optional
            Angular frequencies, rad/s; by default a grid over all poles and zeros, up to half the sampling rate.
        ax : two matplotlib Axes, optional
            Axes for gain and phase. Without them nothing is drawn: ``bode().plot()`` draws into the current figure.
        Hz : bool, default False
            If True, diagrams show frequencies in Hz in place of rad/s; `omega` is always in rad/s.
        **keywords
            For the curves (`matplotlib.lines.Line2D`), such as ``color`` or ``label``; with `ax` only.

        Returns
        -------
        FrequencyResponse

        Examples
        --------
        >>> import matplotlib.pyplot as plt, stickslip as ss
        >>> system = ss.Machine(mass=2.0, damping=1.0, names=["slide"]).linearise("slide", "slide.velocity")
        >>> figure, axes = plt.subplots(2, 1, sharex=True)
        >>> system.bode([0.1, 1.0, 10.0], ax=axes, Hz=True, color="black").magnitude.shape
        (1, 1, 3)
        """
        response = replace(self.response(omega), Hz=Hz)
        if ax is not None:
            response.plot(ax, **keywords)
        elif keywords:
            reject(
                next(iter(keywords)),
                next(iter(keywords.values())),
                "left out where nothing is drawn: give ax",
            )
        return response

    def step_response(self, t: ArrayLike | float | None = None) -> TimeResponse:
        """Return the response of each input-output pair to a unit step at t = 0, from rest.

        Parameters
        ----------
        t : array_like, shape (n,), or float, optional
            Times >= 0, s, or the last of 500 times; by default until the slowest transient has decayed. Sampling
            instants for a sampled system.

        Returns
        -------
        TimeResponse
            Exact at each time: ``t, y = system.step_response()``, ``system.step_response().plot()``.

        Raises
        ------
        ValueError
            If times decrease or are no sampling instants, or if an output depends on the rate of an input: see `proper`.

        Examples
        --------
        >>> import stickslip as ss
        >>> system = ss.Machine(mass=1.0, stiffness=4.0, names=["q"]).linearise("q", "q.position")
        >>> system.step_response([0.0, 1.0]).y.round(6)        # (1 - cos 2t)/4
        array([[[0.      , 0.354037]]])
        """
        return respond(self, t, "step")

    def impulse_response(self, t: ArrayLike | float | None = None) -> TimeResponse:
        """Return the response of each input-output pair to a unit impulse at t = 0, from rest.

        Parameters
        ----------
        t : array_like, shape (n,), or float, optional
            As in `step_response`.

        Returns
        -------
        TimeResponse
            At t = 0 the value just after the impulse, without the impulse that D passes on. In a sampled system the
            input is 1/period at the first instant.

        Raises
        ------
        ValueError
            As in `step_response`.

        Examples
        --------
        >>> import stickslip as ss
        >>> system = ss.Machine(mass=2.0, names=["q"]).linearise("q", "q.velocity")
        >>> system.impulse_response([0.0, 1.0]).y
        array([[[0.5, 0.5]]])
        """
        return respond(self, t, "impulse")

    def feedback(self, other: Any = 1.0, sign: int = -1) -> LinearSystem:
        """Close the loop ``u = r + sign * other(y)``.

        Parameters
        ----------
        other : LinearSystem, object with A, B, C, D, or float, default 1.0
            The system from the outputs of this one to its inputs.
        sign : {-1, 1}, default -1
            Sign of the feedback.

        Returns
        -------
        LinearSystem
            From r to y.

        Raises
        ------
        ValueError
            If shapes or sampling periods do not fit, or the algebraic loop has no solution.

        Examples
        --------
        >>> import stickslip as ss
        >>> speed = ss.Machine(mass=2.0, names=["q"]).linearise("q", "q.velocity")
        >>> speed.feedback(6.0).response([3.0]).magnitude.round(6)        # 1/|2 s + 6| at s = 3j
        array([[[0.117851]]])
        """
        plain = self.proper()
        other = _partner(other, self.D.shape[::-1])
        made = closed(plain._matrices, other._matrices, sign, "other")
        return _connected(made, plain, other, plain.inputs, plain.outputs)

    def series(self, other: Any) -> LinearSystem:
        """Connect in series: the outputs of this system are the inputs of the other; the same as ``other * self``.

        Parameters
        ----------
        other : LinearSystem, object with A, B, C, D, or float
            With as many inputs as this one has outputs.

        Returns
        -------
        LinearSystem

        Raises
        ------
        ValueError
            If shapes or sampling periods do not fit.

        Examples
        --------
        >>> import stickslip as ss
        >>> speed = ss.Machine(mass=2.0, names=["q"]).linearise("q", "q.velocity")
        >>> low_pass = ([[-5.0]], [[5.0]], [[1.0]], [[0.0]])
        >>> speed.series(low_pass).response([5.0]).magnitude.round(6)      # 1/|2 s| / sqrt(2) at s = 5j
        array([[[0.070711]]])
        """
        plain, other = self.proper(), _partner(other, (self.D.shape[0],) * 2)
        outputs = other.outputs if other.A.size else plain.outputs
        return _connected(in_series(plain._matrices, other._matrices), plain, other, plain.inputs, outputs)

    def parallel(self, other: Any) -> LinearSystem:
        """Connect both systems in parallel: add their outputs for a common input; the same as ``self + other``.

        Parameters
        ----------
        other : LinearSystem, object with A, B, C, D, or float
            With as many inputs and outputs as this one.

        Returns
        -------
        LinearSystem

        Raises
        ------
        ValueError
            If shapes or sampling periods do not fit.

        Examples
        --------
        >>> import stickslip as ss
        >>> speed = ss.Machine(mass=2.0, names=["q"]).linearise("q", "q.velocity")
        >>> speed.parallel(3.0).D
        array([[3.]])
        """
        plain, other = self.proper(), _partner(other, self.D.shape)
        made = in_parallel(plain._matrices, other._matrices)
        return _connected(made, plain, other, plain.inputs, plain.outputs)

    def __mul__(self, other: Any) -> LinearSystem:
        return _partner(other, (self.D.shape[1],) * 2).series(self)

    def __rmul__(self, other: Any) -> LinearSystem:
        return self.series(other)

    def __add__(self, other: Any) -> LinearSystem:
        return self.parallel(other)

    __radd__ = __add__

    def __neg__(self) -> LinearSystem:
        return self.series(-1.0)

    def __sub__(self, other: Any) -> LinearSystem:
        return self.parallel(-_partner(other, self.D.shape))

    def __rsub__(self, other: Any) -> LinearSystem:
        return (-self).parallel(other)

    def at(self, omega: Array) -> NDArray[np.complex128]:
        """Return the response at angular frequencies, rad/s, shape (outputs, inputs, n); infinite at an undamped pole."""
        n = self.A.shape[0]
        s = 1j * omega
        points = s if self.period is None else np.exp(s * self.period)
        answer = np.empty((*self.D.shape, omega.size), dtype=np.complex128)
        for k, (point, rate) in enumerate(zip(points, s, strict=True)):
            b, d = self.B.astype(np.complex128), self.D.astype(np.complex128)
            for order, (more_b, more_d) in enumerate(self.rates, start=1):
                b, d = b + rate**order * more_b, d + rate**order * more_d
            try:
                answer[:, :, k] = self.C @ np.linalg.solve(point * np.eye(n) - self.A, b) + d
            except np.linalg.LinAlgError:
                answer[:, :, k] = complex(math.inf, 0.0)
        return answer

    def poles(self) -> Poles:
        """Return the eigenvalues of A, slowest first: 1/s in continuous time, otherwise in the z plane."""
        return Poles(np.linalg.eigvals(self.A), self.period)

    @property
    def damping(self) -> Array:
        """Damping ratio of each pole, in the order of `poles`."""
        return self.poles().damping

    @property
    def natural_frequency(self) -> Array:
        """Natural frequency of each pole, rad/s, in the order of `poles`."""
        return self.poles().natural_frequency

    def mode_shapes(self) -> ModeShapes:
        """Return the vibration modes: poles, damping ratios, natural frequencies and shapes.

        Returns
        -------
        ModeShapes

        Examples
        --------
        >>> import stickslip as ss
        >>> chain = ss.Machine(mass=[1.0, 1.0], stiffness=[[2.0, -1.0], [-1.0, 2.0]], names=["a", "b"])
        >>> shapes = chain.linearise().mode_shapes()
        >>> shapes["b.position"].real.round(6)            # of a and b: in phase at 1 rad/s, in antiphase at sqrt(3)
        array([ 1.,  1., -1., -1.])
        """
        return mode_shapes(self.A, self.period, self.states)

    def grid(self, number: int = 600) -> Array:
        """Return angular frequencies for pictures, rad/s: logarithmically spaced and denser around resonances."""
        corners = corner_frequencies(self)
        top = math.inf if self.period is None else math.pi / self.period
        corners = corners[corners < top]
        corners = corners[
            corners > 1e-6 * corners.max(initial=0.0)
        ]  # smaller ones are rounding errors of integrators
        if corners.size == 0:
            corners = np.array([1.0 if math.isinf(top) else 0.1 * top])
        low, high = 0.05 * float(corners.min()), min(20.0 * float(corners.max()), top)
        around = np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 12)])
        fine = (corners[:, None] * np.concatenate([1.0 - around, 1.0 + around])).ravel()
        both = np.concatenate([np.geomspace(low, high, number), fine])
        return np.unique(both[(both >= low) & (both <= high)])

    def proper(self) -> LinearSystem:
        """Return the same system without rates of its inputs.

        Rates are eliminated by a change of state: with x = w + B1 u, w' = A w + (B + A B1) u and y = C w + (D + C B1)
        u.

        Raises
        ------
        ValueError
            If an output depends on a rate directly, or the system is sampled: no such state space exists.
        """
        b, d = self.B, self.D
        rates = [(np.array(x), np.array(y)) for x, y in self.rates]
        for order in range(len(rates), 0, -1):
            more_b, more_d = rates[order - 1]
            if (self.period is not None and np.any(more_b)) or np.any(more_d):
                column = int(np.flatnonzero(np.any(more_b, axis=0) | np.any(more_d, axis=0))[0])
                raise ValueError(
                    f"the rate of {self.inputs[column]!r} is fed forward, which a state space cannot represent: "
                    "remove the feedforward, or use response(), which needs no state space"
                )
            if order == 1:
                b, d = b + self.A @ more_b, d + self.C @ more_b
            else:
                lower_b, lower_d = rates[order - 2]
                rates[order - 2] = (lower_b + self.A @ more_b, lower_d + self.C @ more_b)
        states = () if any(np.any(more_b) for more_b, _ in self.rates) else self.states
        return LinearSystem(self.A, b, self.C, d, self.inputs, self.outputs, self.period, states=states)

    def to_control(self) -> Any:
        """Return the system as ``control.StateSpace`` (needs the extra ``control``).

        Inputs, outputs and states keep their names, with underscores in place of dots.

        Raises
        ------
        MissingExtraError
            If python-control is not installed.
        ValueError
            If an output depends on the rate of an input: see `proper`.
        """
        control = need("control", "python-control", "to_control() needs", "control")
        plain = self.proper()
        given = {"inputs": plain.inputs, "outputs": plain.outputs, "states": plain.states}
        names = {kind: [name.replace(".", "_") for name in of] for kind, of in given.items() if of}
        return control.ss(plain.A, plain.B, plain.C, plain.D, plain.dt, **names)

    def to_scipy(self) -> Any:
        """Return the system as ``scipy.signal.StateSpace`` (needs SciPy, extra ``identify``).

        SciPy's systems have no names: inputs, outputs and states keep their order.

        Raises
        ------
        MissingExtraError
            If SciPy is not installed.
        ValueError
            If an output depends on the rate of an input: see `proper`.

        Examples
        --------
        >>> import numpy as np, scipy.signal, stickslip as ss
        >>> m = ss.Machine(mass=2.0, damping=1.0, names=["slide"])
        >>> system = m.linearise("slide", "slide.velocity").to_scipy()
        >>> t, v = scipy.signal.step(system, T=np.array([0.0, 2.0]))
        >>> v[-1].round(12)  # 1 - exp(-t / 2 s)
        np.float64(0.632120558829)
        """
        signal = need("scipy.signal", "SciPy", "to_scipy() needs", "identify")
        plain = self.proper()
        matrices = plain.A, plain.B, plain.C, plain.D
        if plain.period is None:
            return signal.StateSpace(*matrices)
        return signal.StateSpace(*matrices, dt=plain.period)


def _partner(given: Any, shape: tuple[int, int]) -> LinearSystem:
    """A system to be connected; a number is a gain of each channel, an array a matrix of gains."""
    if isinstance(given, LinearSystem):
        return given.proper()
    if isinstance(given, (int, float, np.ndarray)):
        gain = np.asarray(given, dtype=np.float64)
        gain = gain * np.eye(*shape) if gain.ndim == 0 else np.atleast_2d(gain)
        rows, columns = gain.shape
        return LinearSystem(np.zeros((0, 0)), np.zeros((0, columns)), np.zeros((rows, 0)), gain)
    return from_object("other", given)


def _connected(
    made: Matrices, one: LinearSystem, other: LinearSystem, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> LinearSystem:
    """A system of two, with their common period and the names of all states if both have names."""
    dynamic = [part.period for part in (one, other) if part.A.size]
    if len(dynamic) == 2 and dynamic[0] != dynamic[1]:
        shown = ["continuous" if p is None else f"sampled every {p:g} s" for p in dynamic]
        raise ValueError(
            f"one system is {shown[0]}, the other {shown[1]}: both must be continuous or of one period"
        )
    period = dynamic[0] if dynamic else one.period or other.period
    states = (*one.states, *other.states)
    distinct = len(set(states)) == len(states) == made[0].shape[0]
    return LinearSystem(*made, inputs, outputs, period, states=states if distinct else ())


def one_by_one(name: str, system: LinearSystem) -> LinearSystem:
    """Return the system if it has one input and one output, else raise."""
    if system.D.shape != (1, 1):
        reject(name, system.D.shape, "a system of one input and one output")
    return system


def from_object(name: str, system: Any) -> LinearSystem:
    """Make a linear system from an object with A, B, C, D (and ``dt``), or a sequence of the four."""
    if isinstance(system, LinearSystem):
        return system
    a, b, c, d = matrices(name, system)
    dt = getattr(system, "dt", None)
    if dt is True:
        reject(f"{name}.dt", dt, "a sampling period in s: the system is sampled, but does not say how often")
    return LinearSystem(a, b, c, d, period=positive(f"{name}.dt", dt) if dt else None)
