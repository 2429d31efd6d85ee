"""Resonance and antiresonance of two masses on a spring, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip import _checks as checks

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TwoMassResonance:
    """Resonance and antiresonance of two masses on a spring, in closed form.

    Attributes
    ----------
    antiresonance : float
        Natural frequency of the load with the motor held, sqrt(c/m_L), rad/s; a zero of motor force → motor motion.
    resonance : float
        Natural frequency of the free drive, sqrt(c·(1/m_M + 1/m_L)), rad/s.
    load_damping : float
        Damping ratio d/(2·sqrt(c·m_L)) of the load with the motor held.
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
