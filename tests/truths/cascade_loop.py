"""The two-mass drive and its P-PI cascade as matrices, written down by hand with NumPy alone.

Source: Krämer, Kempkes, section 3. States (v_M, v_L, x_M, x_L), inputs (F_M, F_L), outputs the states; friction at the load
enters through minus the second column of B.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Matrices = tuple[Array, Array, Array, Array]


def two_mass_matrices(
    motor_mass: float, load_mass: float, stiffness: float, damping: float = 0.0
) -> Matrices:
    """A, B, C, D of the two-mass drive."""
    coupling = np.array([-damping, damping, -stiffness, stiffness])
    a = np.array([coupling / motor_mass, -coupling / load_mass, [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    b = np.array([[1.0 / motor_mass, 0.0], [0.0, 1.0 / load_mass], [0.0, 0.0], [0.0, 0.0]])
    return a, b, np.eye(4), np.zeros((4, 2))


def cascade_matrices(kv: float, kp: float, tn: float) -> Matrices:
    """A, B, C, D of the cascade from (v_M, x_M) to minus the motor force.

    v_ref = -kv x_M, F_M = kp (e + integral of e dt/tn) with e = v_ref - v_M.
    """
    error = np.array([[1.0, kv]])
    return np.zeros((1, 1)), error, np.array([[kp / tn]]), kp * error


def motor_side(parts: Matrices) -> Matrices:
    """The drive from the motor force to (v_M, x_M)."""
    a, b, c, d = parts
    return a, b[:, :1], c[[0, 2]], d[[0, 2]][:, :1]


def cascade_poles(
    motor_mass: float, load_mass: float, stiffness: float, damping: float, kv: float, kp: float, tn: float
) -> NDArray[np.complex128]:
    """Poles of the closed loop, 1/s, slowest first."""
    a, b, c, _ = motor_side(two_mass_matrices(motor_mass, load_mass, stiffness, damping))
    ac, bc, cc, dc = cascade_matrices(kv, kp, tn)
    closed = np.block([[a - b @ dc @ c, -b @ cc], [bc @ c, ac]])
    poles = np.linalg.eigvals(closed).astype(np.complex128)
    return poles[np.argsort(np.abs(poles))]
