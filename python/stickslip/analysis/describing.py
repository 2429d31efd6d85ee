"""Describing function of a friction law and the limit cycles it predicts: an approximation to check simulations with.

Friction under v = b + V·sin θ is replaced by its mean and its first harmonic, F ≈ F0 + N(V)·V·sin θ. In a loop with the
linear path G(jω) from force to velocity a limit cycle is expected where 1 + N(V)·G(jω) = 0 (Gelb, Vander Velde,
"Multiple-input describing functions and nonlinear system design", 1968). This assumes that the linear path suppresses
the higher harmonics (filter hypothesis) and that the body does not stick. `harmonic_balance` warns where a predicted
cycle violates one of these assumptions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.laws import Law, as_law
from stickslip.linear.connect import matrices
from stickslip.linear.functions import frequency_response
from stickslip.machines._flight import bisect

Array = NDArray[np.float64]


def _curve(law: Any, load: float) -> Callable[[Array], Array]:
    """Return the force as a function of the velocity, N."""
    known = as_law(law) if isinstance(law, (float, int)) else law
    if isinstance(known, Law):
        return lambda v: np.asarray(known.force(v, load), dtype=np.float64)
    force = getattr(known, "force", known)
    if not callable(force):
        checks.reject("law", law, "a law with .force, or a function of the velocity")
    return lambda v: load * np.asarray(force(v), dtype=np.float64)


def _rule() -> tuple[Array, Array]:
    """Nodes and weights on (0, 1), panels halved 50 times towards 0, where the force may jump or fall
    steeply.
    """
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.concatenate([[0.0], 2.0 ** -np.arange(50.0, -1.0, -1.0)])
    width = np.diff(edges)
    points = edges[:-1, None] + 0.5 * width[:, None] * (nodes + 1.0)
    return points.ravel(), (0.5 * width[:, None] * weights).ravel()


_NODES, _WEIGHTS = _rule()


def describing_function(law: Any, amplitude: ArrayLike, bias: float = 0.0, normal_load: float = 1.0) -> Array:
    """Return N(V), the gain of the first harmonic of friction under v = bias + V·sin θ.

    Parameters
    ----------
    law : law or callable
        A law, or a function ``force(v)``: force per unit normal load, opposing v.
    amplitude : array_like
        Amplitude V > 0 of the velocity, m/s.
    bias : float
        Mean velocity, m/s: minus the belt's velocity for a body on a belt; default 0.
    normal_load : float
        Normal load, N: of the law as in `Law.force`; it multiplies a function.

    Returns
    -------
    ndarray
        N(V), Ns/m, shape of `amplitude`. For Coulomb friction 4·Fc/(π·V).

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gain = ss.analysis.describing_function(np.sign, 2.0)
    >>> bool(abs(gain - 4 / (np.pi * 2.0)) < 1e-12)
    True
    """
    mean, load = checks.finite("bias", bias), checks.positive("normal_load", normal_load)
    force = _curve(law, load)
    sizes = checks.array("amplitude", amplitude)
    if np.any(sizes <= 0.0):
        checks.reject("amplitude", amplitude, "finite and > 0")
    answer = np.empty(sizes.shape)
    for index, size in np.ndenumerate(sizes):
        # θ from −π/2 to π/2, split and graded where v = 0; the other half of the period repeats it.
        zero = math.asin(-mean / size) if abs(mean) < size else None
        pieces = [(-0.5 * math.pi, 0.5 * math.pi)]
        if zero is not None:
            pieces = [(zero, -0.5 * math.pi), (zero, 0.5 * math.pi)]
        total = 0.0
        for origin, end in pieces:
            angle = origin + (end - origin) * _NODES
            if zero is None:
                velocity = mean + size * np.sin(angle)
            else:
                # sin θ − sin θ0 without cancellation next to the zero of the velocity.
                half = 0.5 * (end - origin) * _NODES
                velocity = 2.0 * size * np.sin(half) * np.cos(origin + half)
            values = force(velocity) * np.sin(angle)
            total += abs(end - origin) * float(_WEIGHTS @ values)
        answer[index] = 2.0 * total / (math.pi * size)
    return answer


@dataclass(frozen=True)
class PredictedCycle:
    """A limit cycle predicted by harmonic balance.

    Attributes
    ----------
    omega : float
        Angular frequency, rad/s.
    velocity : float
        Amplitude V of the velocity at the friction, m/s.
    stable : bool
        True if neighbouring motions approach it (Loeb's criterion).
    distortion : float
        Amplitude of the velocity caused by the harmonics 2 to 9 of friction, relative to `velocity`; the filter
        hypothesis assumes that it is small. NaN if not computed.
    sticks : bool
        True if friction would hold the body where its relative velocity passes zero, so that the motion is not close to
        a sine.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.analysis.PredictedCycle(omega=2.0, velocity=0.1, stable=True).displacement
    0.05
    """

    omega: float
    velocity: float
    stable: bool
    distortion: float = math.nan
    sticks: bool = False

    @property
    def period(self) -> float:
        """Period, s."""
        return 2.0 * math.pi / self.omega

    @property
    def displacement(self) -> float:
        """Amplitude of the displacement, V/ω, m."""
        return self.velocity / self.omega


class PredictedCycles(list[PredictedCycle]):
    """Limit cycles predicted by harmonic balance, by rising frequency; if there is none `message` states the reason.

    Attributes
    ----------
    message : str
        Number of cycles, or the reason why there is none.

    Examples
    --------
    >>> import stickslip as ss
    >>> lag = lambda w: 1.0 / (1.0 + 1j * w)
    >>> cycles = ss.analysis.harmonic_balance(lag, ss.Coulomb(1.0), omega=(0.1, 10.0))
    >>> list(cycles), cycles.message.partition(",")[0]
    ([], 'no cycle: a cycle needs a phase of 0° or ±180°')
    """

    def __init__(self, cycles: Iterable[PredictedCycle], message: str) -> None:
        super().__init__(cycles)
        self.message = message

    def __repr__(self) -> str:
        return f"PredictedCycles({super().__repr__()}, {self.message!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return PredictedCycles, (list(self), self.message)


def harmonic_balance(
    system: Any,
    law: Any,
    *,
    omega: tuple[float, float] = (1e-3, 1e6),
    amplitude: tuple[float, float] = (1e-9, 1e3),
    bias: float = 0.0,
    normal_load: float = 1.0,
    samples: int = 400,
) -> PredictedCycles:
    """Return the limit cycles that the describing function predicts.

    Parameters
    ----------
    system : (A, B, C, D) or object with A, B, C and D, or callable
        The linear path from a force at the friction element to the velocity there, controller included; one
        input, one output. A callable takes ω in rad/s and returns the complex gain.
    law : law or callable
        As in `describing_function`.
    omega, amplitude : tuple of float
        Ranges searched, rad/s and m/s.
    bias, normal_load : float
        As in `describing_function`.
    samples : int
        Samples per range, spaced by equal factors.

    Returns
    -------
    PredictedCycles
        A list of `PredictedCycle` by rising frequency. If the balance has no solution in the ranges the list is empty,
        and its ``message`` names the condition on phase or gain that is never met.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Warns
    -----
    UserWarning
        For each cycle whose distortion is above a tenth, or in which the body would stick: frequency and amplitude are
        then unreliable.

    Examples
    --------
    >>> import stickslip as ss
    >>> oscillator = lambda w: 1j * w / (2.0 - w**2 + 0.1j * w)
    >>> cubic = lambda v: v**3 - v
    >>> [round(cycle.omega, 4) for cycle in ss.analysis.harmonic_balance(oscillator, cubic)]
    [1.4142]
    """
    if callable(system) and not hasattr(system, "A"):
        gain = system
    else:
        parts = matrices("system", system)
        if parts[3].shape != (1, 1):
            checks.wrong_shape("system.D", parts[3], "(1, 1): one output and one input")

        def gain(value: float) -> complex:
            return complex(frequency_response(parts, [value]).response[0, 0, 0])

    low, high = checks.positive("omega[0]", omega[0]), checks.positive("omega[1]", omega[1])
    small, large = (
        checks.positive("amplitude[0]", amplitude[0]),
        checks.positive("amplitude[1]", amplitude[1]),
    )
    frequencies, sizes = np.geomspace(low, high, samples), np.geomspace(small, large, samples)
    gains = describing_function(law, sizes, bias, normal_load)

    def impedance(value: float) -> complex:
        return 1.0 / complex(gain(value))

    def excess(needed: float, size: float) -> float:
        return float(describing_function(law, size, bias, normal_load)) - needed

    parts_imaginary = np.array([impedance(value).imag for value in frequencies])
    cycles: list[PredictedCycle] = []
    unmet: list[
        tuple[float, float]
    ] = []  # frequencies of the right phase, and the gain of friction needed there
    for i in _changes(parts_imaginary):
        value = bisect(lambda w: impedance(w).imag, float(frequencies[i]), float(frequencies[i + 1]))
        needed = -impedance(value).real
        if (
            not math.isfinite(needed)
            or abs(impedance(value).imag) > 1e-6 * abs(parts_imaginary[i : i + 2]).max()
        ):
            continue  # a pole of the impedance, not a zero
        rises = parts_imaginary[i + 1] > parts_imaginary[i]
        if not _changes(gains - needed):
            unmet.append((value, needed))
        for j in _changes(gains - needed):
            size = bisect(partial(excess, needed), float(sizes[j]), float(sizes[j + 1]))
            stable = bool((gains[j + 1] > gains[j]) == rises)
            distortion = _distortion(gain, law, value, size, bias, normal_load)
            held = _held(gain, law, value, size, bias, normal_load)
            cycles.append(PredictedCycle(value, size, stable, distortion, held))
    for cycle in cycles:
        _warn(cycle)
    if cycles:
        return PredictedCycles(cycles, f"{len(cycles)} cycle{'s' if len(cycles) > 1 else ''}")
    return PredictedCycles([], _why_none(gain, frequencies, sizes, gains, unmet))


def _why_none(
    gain: Callable[[float], complex],
    frequencies: Array,
    sizes: Array,
    gains: Array,
    unmet: list[tuple[float, float]],
) -> str:
    """State which condition of 1 + N G = 0 is never met in the ranges searched."""
    if not unmet:
        angles = np.rad2deg(np.unwrap([np.angle(complex(gain(float(w)))) for w in frequencies]))
        return (
            f"no cycle: a cycle needs a phase of 0° or ±180°, but from {frequencies[0]:g} to {frequencies[-1]:g} rad/s the "
            f"phase of the linear path goes from {angles[0]:.1f}° to {angles[-1]:.1f}° without passing one; a wider "
            "omega= may show more"
        )
    asked = ", ".join(f"{needed:.4g} at {value:.4g} rad/s" for value, needed in unmet)
    return (
        f"no cycle: friction would need the gain N = {asked}, but for amplitudes from {sizes[0]:g} to {sizes[-1]:g} m/s "
        f"its describing function lies between {gains.min():.4g} and {gains.max():.4g} Ns/m"
    )


def _warn(cycle: PredictedCycle) -> None:
    """Say where the prediction does not hold."""
    why = []
    if cycle.distortion > _SMALL:
        why.append(f"harmonics come back with {cycle.distortion:.0%} of the amplitude")
    if cycle.sticks:
        why.append("friction holds the body where its relative velocity passes zero")
    if why:
        warnings.warn(
            f"the filter hypothesis fails for the cycle at {cycle.omega:.4g} rad/s: {' and '.join(why)}; simulate it "
            "instead (analysis.limit_cycle)",
            stacklevel=3,
        )


# Relative to the amplitude; the error of the frequency is of the order of its square, that of the amplitude of the first.
_SMALL = 0.1
_HARMONICS = np.arange(2, 10)


def _distortion(
    gain: Callable[[float], complex], law: Any, omega: float, size: float, bias: float, load: float
) -> float:
    """Root of the squares of the harmonics of the velocity that friction's harmonics make, relative to its first."""
    n = 4096
    angle = 2.0 * math.pi * (np.arange(n) + 0.5) / n
    spectrum = np.abs(np.fft.rfft(_curve(law, load)(bias + size * np.sin(angle)))) * 2.0 / n
    passed = [abs(complex(gain(float(k) * omega))) * float(spectrum[k]) for k in _HARMONICS]
    return math.hypot(*passed) / size


def _held(
    gain: Callable[[float], complex], law: Any, omega: float, size: float, bias: float, load: float
) -> bool:
    """True if the law's jump at rest holds the body where the sine of the velocity passes it.

    Friction reaches the acceleration at once with the gain b = lim jω G. Arriving with the acceleration a, against the
    force F of the side it comes from, the body is held if F + a/b lies between the law's values on both sides of rest.
    """
    if abs(bias) > size:
        return False
    high = 1e5 * omega
    at_once, further = (abs(complex(gain(w))) * w for w in (high, 10.0 * high))
    if not abs(further / at_once - 1.0) < 0.1:
        return False  # the path has more than one integrator: friction cannot hold what it reaches late
    tiny = 1e-12 * size
    below, above = (float(f) for f in _curve(law, load)(np.array([-tiny, tiny])))
    if not above - below > 1e-9 * (abs(above) + abs(below)):
        return False
    acceleration = omega * math.sqrt(size**2 - bias**2)
    return above - acceleration / further > below


def _changes(values: Array) -> list[int]:
    # A zero on the grid counts as above, so that it is found once.
    above = values >= 0.0
    return [int(i) for i in np.flatnonzero(above[:-1] != above[1:])]
