"""The linear part of a drive: frequency response, closed-loop poles, resonance and antiresonance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _checks as checks
from stickslip.linear.connect import Matrices, closed
from stickslip.linear.response import FrequencyResponse
from stickslip.linear.system import from_object, matrices

Array = NDArray[np.float64]


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
    >>> response = ss.analysis.frequency_response(([[-1.0]], [[1.0]], [[1.0]], [[0.0]]), [0.0, 1.0])
    >>> response.magnitude.ravel().round(4)
    array([1.    , 0.7071])
    """
    return from_object("system", system).response(omega)


def closed_loop(plant: Any, controller: Any, sign: int = -1) -> Matrices:
    """Close the loop u = r + sign·controller(y), y the outputs of the plant.

    Parameters
    ----------
    plant, controller : (A, B, C, D) or object with A, B, C and D
        The controller takes all outputs of the plant and drives all its inputs.
    sign : {-1, 1}
        Sign of the feedback; default −1.

    Returns
    -------
    tuple of ndarray
        A, B, C, D from r to y; the states are those of the plant, then those of the controller.

    Raises
    ------
    ValueError
        If the parts do not fit, or the algebraic loop through both D has no solution.

    Examples
    --------
    >>> import stickslip as ss
    >>> a, b, c, d = ss.analysis.closed_loop(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), ([], [], [], [[3.0]]))
    >>> a
    array([[-3.]])
    """
    return closed(matrices("plant", plant), matrices("controller", controller), sign, "controller")


def closed_loop_poles(plant: Any, controller: Any, sign: int = -1) -> NDArray[np.complex128]:
    """Return the poles of the loop u = sign·controller(y), slowest first.

    Parameters
    ----------
    plant, controller : (A, B, C, D) or object with A, B, C and D
        See `closed_loop`.
    sign : {-1, 1}
        Sign of the feedback; default −1.

    Returns
    -------
    ndarray of complex
        Poles, 1/s.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.analysis.closed_loop_poles(([[0.0]], [[1.0]], [[1.0]], [[0.0]]), ([], [], [], [[3.0]]))
    array([-3.+0.j])
    """
    poles = np.linalg.eigvals(closed_loop(plant, controller, sign)[0]).astype(np.complex128)
    return poles[np.lexsort((poles.imag, np.round(np.abs(poles), 12)))]


@dataclass(frozen=True)
class TwoMassResonance:
    """Resonance and antiresonance of two masses on a spring, in closed form.

    Attributes
    ----------
    antiresonance : float
        sqrt(c/m_L), rad/s: the load swings, the motor rests; a zero of motor force → motor motion.
    resonance : float
        sqrt(c·(1/m_M + 1/m_L)), rad/s: both swing against each other.
    load_damping : float
        Damping ratio d/(2·sqrt(c·m_L)) of the load on the resting motor.
    resonance_damping : float
        Damping ratio of the resonance, (d/2)·(1/m_M + 1/m_L)/resonance.

    Examples
    --------
    >>> import stickslip as ss
    >>> round(ss.analysis.two_mass_resonance(1000.0, 3000.0, 5e6, 1000.0).load_damping, 6)
    0.004082
    """

    antiresonance: float
    resonance: float
    load_damping: float
    resonance_damping: float


def two_mass_resonance(
    motor_mass: float, load_mass: float, stiffness: float, damping: float = 0.0
) -> TwoMassResonance:
    """Return resonance, antiresonance and damping ratios of a two-mass drive.

    Parameters
    ----------
    motor_mass, load_mass : float
        Masses, kg (or inertias, kg·m²).
    stiffness : float
        Stiffness of the coupling, N/m (Nm/rad).
    damping : float
        Damping of the coupling, Ns/m (Nms/rad).

    Returns
    -------
    TwoMassResonance

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> drive = ss.analysis.two_mass_resonance(1000.0, 1000.0, 5e6, 1341.64)
    >>> round(drive.antiresonance, 2), round(drive.resonance, 2)
    (70.71, 100.0)
    """
    motor, load = checks.positive("motor_mass", motor_mass), checks.positive("load_mass", load_mass)
    c, d = checks.positive("stiffness", stiffness), checks.non_negative("damping", damping)
    compliance = 1.0 / motor + 1.0 / load
    resonance = math.sqrt(c * compliance)
    return TwoMassResonance(
        antiresonance=math.sqrt(c / load),
        resonance=resonance,
        load_damping=d / (2.0 * math.sqrt(c * load)),
        resonance_damping=0.5 * d * compliance / resonance,
    )


def two_mass_matrices(
    motor_mass: float, load_mass: float, stiffness: float, damping: float = 0.0
) -> Matrices:
    """Return A, B, C, D of the two-mass drive.

    States (v_M, v_L, x_M, x_L), inputs (F_M, F_L), outputs the states (Krämer, Kempkes, section 3). Friction
    at the load enters through minus the second column of B.

    Parameters
    ----------
    motor_mass, load_mass, stiffness, damping : float
        As in `two_mass_resonance`.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> a, b, c, d = ss.analysis.two_mass_matrices(1.0, 2.0, 8.0)
    >>> a[1]
    array([ 0., -0.,  4., -4.])
    """
    motor, load = checks.positive("motor_mass", motor_mass), checks.positive("load_mass", load_mass)
    c, d = checks.positive("stiffness", stiffness), checks.non_negative("damping", damping)
    coupling = np.array([-d, d, -c, c])
    a = np.array([coupling / motor, -coupling / load, [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    b = np.array([[1.0 / motor, 0.0], [0.0, 1.0 / load], [0.0, 0.0], [0.0, 0.0]])
    return a, b, np.eye(4), np.zeros((4, 2))


def cascade_matrices(kv: float, kp: float, tn: float) -> Matrices:
    """Return A, B, C, D of the P-PI cascade as a feedback from (v_M, x_M) to the motor force.

    v_ref = −kv·x_M, F_M = kp·(e + ∫e dt/tn) with e = v_ref − v_M; to be closed with sign −1, so the output is
    −F_M.

    Parameters
    ----------
    kv : float
        Gain of the position loop, 1/s.
    kp : float
        Gain of the velocity loop, Ns/m.
    tn : float
        Integral time of the velocity loop, s.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> a, b, c, d = ss.analysis.cascade_matrices(kv=2.0, kp=10.0, tn=0.5)
    >>> d
    array([[10., 20.]])
    """
    position, gain = checks.positive("kv", kv), checks.positive("kp", kp)
    integral = checks.positive("tn", tn)
    error = np.array([[1.0, position]])
    return np.zeros((1, 1)), error, np.array([[gain / integral]]), gain * error


def cascade_poles(
    motor_mass: float, load_mass: float, stiffness: float, damping: float, kv: float, kp: float, tn: float
) -> NDArray[np.complex128]:
    """Return the closed-loop poles of the two-mass drive under a P-PI cascade on the motor side, without
    friction.

    Parameters
    ----------
    motor_mass, load_mass, stiffness, damping : float
        As in `two_mass_resonance`.
    kv, kp, tn : float
        As in `cascade_matrices`.

    Returns
    -------
    ndarray of complex, shape (5,)
        Poles, 1/s, slowest first.

    Examples
    --------
    >>> import stickslip as ss
    >>> poles = ss.analysis.cascade_poles(1000.0, 1000.0, 5e6, 1341.64, 8 / 60e-3, 700e3, 30e-3)
    >>> bool(poles.real.max() < 0.0)
    True
    """
    a, b, c, d = two_mass_matrices(motor_mass, load_mass, stiffness, damping)
    measured = [0, 2]
    plant = (a, b[:, :1], c[measured], d[measured][:, :1])
    return closed_loop_poles(plant, cascade_matrices(kv, kp, tn))
