"""Linear systems in continuous time or from one sampling instant to the next, and how they answer to sines."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import matrix, positive, reject, vector, wrong_shape
from stickslip._extras import need
from stickslip.linear.response import FrequencyResponse

Array = NDArray[np.float64]
Matrices = tuple[Array, Array, Array, Array]


@dataclass(frozen=True, eq=False)
class LinearSystem:
    """A linear system: x' = A x + B u, y = C x + D u; sampled, the next x in place of x'.

    Attributes
    ----------
    A, B, C, D : ndarray
        The matrices, shapes (n, n), (n, inputs), (outputs, n), (outputs, inputs).
    inputs, outputs : tuple of str
        Their names.
    period : float or None
        Sampling period, s; None in continuous time.
    rates : tuple of (ndarray, ndarray)
        What acts like B and D on the first and the second derivative of the inputs, where a feedforward reads them;
        empty for most systems.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, damping=1.0, names=["slide"])
    >>> system = m.linear_system("slide", "slide.velocity")
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

    @property
    def dt(self) -> float:
        """Sampling period in python-control's convention: 0 in continuous time."""
        return self.period or 0.0

    def response(self, omega: ArrayLike | None = None) -> FrequencyResponse:
        """Response to sines.

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

    def at(self, omega: Array) -> NDArray[np.complex128]:
        """The response at angular frequencies, rad/s, shape (outputs, inputs, n); infinite at an undamped pole."""
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

    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A: 1/s in continuous time, else in the plane of z."""
        return np.linalg.eigvals(self.A).astype(np.complex128)

    def grid(self, number: int = 600) -> Array:
        """Angular frequencies for pictures, rad/s: evenly spaced in the logarithm and denser around resonances."""
        corners = corner_frequencies(self)
        top = math.inf if self.period is None else math.pi / self.period
        corners = corners[corners < top]
        if corners.size == 0:
            corners = np.array([1.0 if math.isinf(top) else 0.1 * top])
        low, high = 0.05 * float(corners.min()), min(20.0 * float(corners.max()), top)
        around = np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 12)])
        fine = (corners[:, None] * np.concatenate([1.0 - around, 1.0 + around])).ravel()
        both = np.concatenate([np.geomspace(low, high, number), fine])
        return np.unique(both[(both >= low) & (both <= high)])

    def proper(self) -> LinearSystem:
        """The same system without rates of its inputs.

        The effect of a rate on the states equals that of its integral one stage later: with x = w + B1 u,
        w' = A w + (B + A B1) u and y = C w + (D + C B1) u.

        Raises
        ------
        ValueError
            If an output follows a rate directly, or the system is sampled: there is no such state space.
        """
        b, d = self.B, self.D
        rates = [(np.array(x), np.array(y)) for x, y in self.rates]
        for order in range(len(rates), 0, -1):
            more_b, more_d = rates[order - 1]
            if (self.period is not None and np.any(more_b)) or np.any(more_d):
                column = int(np.flatnonzero(np.any(more_b, axis=0) | np.any(more_d, axis=0))[0])
                raise ValueError(
                    f"the rate of {self.inputs[column]!r} is fed forward, which no state space of finite bandwidth "
                    "does: take the controller without feedforward, or use response(), which needs no state space"
                )
            if order == 1:
                b, d = b + self.A @ more_b, d + self.C @ more_b
            else:
                lower_b, lower_d = rates[order - 2]
                rates[order - 2] = (lower_b + self.A @ more_b, lower_d + self.C @ more_b)
        return LinearSystem(self.A, b, self.C, d, self.inputs, self.outputs, self.period)

    def to_control(self) -> Any:
        """The system as ``control.StateSpace``, with its names (needs the extra ``control``).

        Raises
        ------
        MissingExtraError
            When python-control is not installed.
        ValueError
            Where a rate of an input is fed forward: see `proper`.
        """
        control = need("control", "python-control", "to_control() needs", "control")
        plain = self.proper()
        return control.ss(
            plain.A,
            plain.B,
            plain.C,
            plain.D,
            plain.dt,
            inputs=[name.replace(".", "_") for name in plain.inputs],
            outputs=[name.replace(".", "_") for name in plain.outputs],
        )


def corner_frequencies(system: LinearSystem) -> Array:
    """Magnitudes of the poles and, of one input and one output, the zeros, rad/s, without those at 0."""
    points = [system.poles()]
    if system.D.shape == (1, 1) and not system.rates:
        points.append(zeros(system))
    every = np.concatenate(points)
    if system.period is not None:
        every = np.log(every[np.abs(every) > 1e-12]) / complex(system.period)
    size = np.abs(every)
    size = size[np.isfinite(size) & (size > 0.0)]
    if size.size == 0:
        return size
    return np.unique(size[size > 1e-9 * size.max()])


def zeros(system: LinearSystem) -> NDArray[np.complex128]:
    """Zeros of a system with one input and one output, by a pencil turned into an eigenvalue problem.

    With s = s0 + 1/p, G(s) = C M B - C M (p + M)⁻¹ M B + D with M = (s0 - A)⁻¹, whose zeros in p are eigenvalues
    because the direct part is G(s0), which is not zero.
    """
    n = system.A.shape[0]
    if n == 0:
        return np.zeros(0, dtype=np.complex128)
    size = np.abs(system.poles())
    size = size[size > 1e-6 * size.max()]  # integrators tell no scale
    scale = float(np.median(size)) if size.size else 1.0
    for s0 in scale * np.array([1.2345, 0.7071, 3.3333, 0.1234]):
        try:
            m = np.linalg.inv(s0 * np.eye(n) - system.A)
        except np.linalg.LinAlgError:
            continue
        b, c = m @ system.B, -system.C @ m
        d = float((system.C @ b + system.D)[0, 0])
        if d != 0.0 and math.isfinite(d):
            p = np.linalg.eigvals(-m - b @ c / d)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = s0 + 1.0 / p
            near = np.isfinite(found) & (np.abs(p) * scale > 1e-9)
            kept: NDArray[np.complex128] = found[near].astype(np.complex128)
            return kept
    return np.zeros(0, dtype=np.complex128)


def matrices(name: str, system: Any) -> Matrices:
    """A, B, C, D of anything that has them, or of a sequence of the four, checked."""
    if all(hasattr(system, part) for part in "ABCD"):
        parts = [system.A, system.B, system.C, system.D]
    else:
        try:
            parts = list(system)
        except TypeError:
            parts = []
        if len(parts) != 4:
            allowed = "(A, B, C, D) or an object with A, B, C and D, such as machine.to_state_space(...)"
            reject(name, system, allowed)
    a = matrix(f"{name}.A", parts[0])
    d = matrix(f"{name}.D", parts[3], vector_is="row")
    outputs, inputs = d.shape
    if a.size == 0:
        return np.zeros((0, 0)), np.zeros((0, inputs)), np.zeros((outputs, 0)), d
    n = a.shape[0]
    if a.shape != (n, n):
        wrong_shape(f"{name}.A", a, "square")
    b = matrix(f"{name}.B", parts[1], (n, inputs))
    c = matrix(f"{name}.C", parts[2], (outputs, n), vector_is="row")
    return a, b, c, d


def one_by_one(name: str, system: LinearSystem) -> LinearSystem:
    """The system if it has one input and one output."""
    if system.D.shape != (1, 1):
        reject(name, system.D.shape, "a system of one input and one output")
    return system


def from_object(name: str, system: Any) -> LinearSystem:
    """A linear system from anything with A, B, C, D (and ``dt``), or a sequence of the four."""
    if isinstance(system, LinearSystem):
        return system
    a, b, c, d = matrices(name, system)
    dt = getattr(system, "dt", None)
    if dt is True:
        reject(f"{name}.dt", dt, "a sampling period in s: the system is sampled, but does not say how often")
    return LinearSystem(a, b, c, d, period=positive(f"{name}.dt", dt) if dt else None)


def frequency_response(system: Any, omega: ArrayLike | None = None) -> FrequencyResponse:
    """Return C(jω − A)⁻¹B + D, or of a sampled system C(exp(jωT) − A)⁻¹B + D.

    Parameters
    ----------
    system : (A, B, C, D) or object with A, B, C and D
        The linear part; friction is left out. An object with a sampling time ``dt`` is a sampled system.
    omega : array_like, shape (n,), optional
        Angular frequencies, rad/s; by default a grid over all poles and zeros, up to half the sampling rate.

    Returns
    -------
    FrequencyResponse
        Of the shape (outputs, inputs, n).

    Raises
    ------
    ValueError
        If the matrices do not fit together.

    Examples
    --------
    >>> import stickslip as ss
    >>> response = ss.linear.frequency_response(([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), [0.0, 1.0])
    >>> response.magnitude.ravel().round(4)
    array([1.    , 0.7071])
    """
    return from_object("system", system).response(omega)


def feedback(plant: Any, controller: Any, sign: int = -1) -> LinearSystem:
    """Close the loop u = r + sign·controller(y), y the outputs of the plant.

    Parameters
    ----------
    plant, controller : (A, B, C, D) or object with A, B, C and D
        The controller takes all outputs of the plant and drives all its inputs.
    sign : {-1, 1}
        Sign of the feedback; default −1.

    Returns
    -------
    LinearSystem
        From r to y, in continuous time; the states are those of the plant, then those of the controller.

    Raises
    ------
    ValueError
        If the parts do not fit, or the algebraic loop through both D has no solution.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.linear.feedback(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), ([], [], [], [[3.0]])).poles()
    array([-3.+0.j])
    """
    a, b, c, d = matrices("plant", plant)
    ac, bc, cc, dc = matrices("controller", controller)
    if sign not in (-1, 1):
        reject("sign", sign, "-1 or 1")
    if dc.shape != d.T.shape:
        wrong_shape("controller.D", dc, f"{d.T.shape} to fit the plant")
    loop = np.eye(d.shape[1]) - sign * dc @ d
    if np.linalg.cond(loop) > 1e12:
        reject("controller.D", dc, "one with det(1 - sign·Dc·D) != 0: the loop has no solution")
    inverse = np.linalg.inv(loop)
    # u = inverse·(r + sign·(Cc·xc + Dc·C·x))
    from_plant, from_controller = sign * inverse @ dc @ c, sign * inverse @ cc
    top = np.hstack([a + b @ from_plant, b @ from_controller])
    y_plant, y_controller = c + d @ from_plant, d @ from_controller
    bottom = np.hstack([bc @ y_plant, ac + bc @ y_controller])
    return LinearSystem(
        np.vstack([top, bottom]),
        np.vstack([b @ inverse, bc @ d @ inverse]),
        np.hstack([y_plant, y_controller]),
        d @ inverse,
    )
