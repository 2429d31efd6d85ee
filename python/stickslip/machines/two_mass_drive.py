"""A motor that moves a load through an elastic coupling."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip import _checks as checks
from stickslip.control.controllers import Cascade, Controller
from stickslip.laws import Law
from stickslip.machine.machine import Machine
from stickslip.signals import Signal, as_signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TwoMassDrive", "two_mass_drive"]


@dataclass(frozen=True)
class TwoMassDrive:
    """Motor and load on a spring and damper, friction at the load, a controller at the motor.

    `simulate` takes the drive itself. Coordinates are "motor" and "load"; friction elements "load friction" and "motor
    friction"; the controller is "control".

    Attributes
    ----------
    motor_mass, load_mass : float
        Masses, kg (or inertias, kg m²).
    stiffness, damping : float
        Stiffness and damping of the coupling, N/m and N s/m.
    machine : Machine
        The machine.

    Examples
    --------
    >>> import stickslip as ss
    >>> drive = ss.machines.two_mass_drive(motor_mass=1000.0, load_mass=1000.0, stiffness=5e6)
    >>> round(drive.antiresonance, 2), round(drive.resonance, 2)
    (70.71, 100.0)
    """

    motor_mass: float
    load_mass: float
    stiffness: float
    damping: float
    machine: Machine = field(repr=False, hash=False)

    @property
    def antiresonance(self) -> float:
        """Antiresonance, rad/s: natural frequency of the load with the motor held, sqrt(c/m_L)."""
        return float(np.sqrt(self.stiffness / self.load_mass))

    @property
    def resonance(self) -> float:
        """Resonance, rad/s: natural frequency of the free drive, sqrt(c (1/m_M + 1/m_L))."""
        return float(np.sqrt(self.stiffness * (1.0 / self.motor_mass + 1.0 / self.load_mass)))

    @property
    def load_damping(self) -> float:
        """Damping ratio of the load with the motor held, d / (2 sqrt(c m_L))."""
        return float(self.damping / (2.0 * np.sqrt(self.stiffness * self.load_mass)))

    def draw(self, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
        """Draw the drive; see `stickslip.Machine.draw`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes where they are empty, or a new figure.
        what : str, optional
            ``"schematic"``, ``"diagram"``, or the name of a friction element; by default the diagram where there is a
            controller.
        **keywords
            For bodies and blocks (`matplotlib.patches.Patch`), such as ``facecolor``.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import stickslip as ss
        >>> drive = ss.machines.two_mass_drive(motor_mass=1.0, load_mass=2.0, stiffness=300.0)
        >>> drive.draw().texts[-1].get_text()
        '300 N/m'
        """
        return self.machine.draw(ax, what, **keywords)


def two_mass_drive(
    motor_mass: float,
    load_mass: float,
    stiffness: float,
    damping: float = 0.0,
    load_friction: Law | float | None = None,
    normal_load: Signal | float = 1.0,
    motor_friction: Law | float | None = None,
    motor_normal_load: Signal | float = 1.0,
    control: Controller | None = None,
    reference: Signal | float = 0.0,
    period: float | None = None,
) -> TwoMassDrive:
    """Make a two-mass drive (Krämer, Kempkes, sections 3 and 4).

    ``m_M v_M' = F_M - d (v_M - v_L) - c (x_M - x_L)``, ``m_L v_L' = d (v_M - v_L) + c (x_M - x_L) - F(v_L)``.

    Parameters
    ----------
    motor_mass, load_mass : float
        Masses, kg (or inertias, kg m²), positive.
    stiffness, damping : float
        Stiffness of the coupling, N/m, positive, and its damping, N s/m.
    load_friction, motor_friction : Law or float, optional
        Friction of each mass against the ground; none by default.
    normal_load, motor_normal_load : float or Signal, default 1.0
        Normal loads of both friction elements, N.
    control : Controller, optional
        Controller of the motor, which measures the position of the motor or, for a `Cascade` with ``position="load"``,
        of the load.
    reference : Signal or float, default 0.0
        Reference of the controller, m.
    period : float, optional
        Sampling period of the controller, s.

    Returns
    -------
    TwoMassDrive

    Raises
    ------
    ValueError
        Naming the argument.

    Examples
    --------
    >>> import stickslip as ss
    >>> drive = ss.machines.two_mass_drive(
    ...     motor_mass=1000.0, load_mass=1000.0, stiffness=5e6, damping=1341.64,
    ...     load_friction=ss.Stribeck(static=0.007, kinetic=0.006, stribeck_velocity=1e-3),
    ...     normal_load=9810.0, control=ss.Cascade(kv=8 / 60e-3, kp=700e3, tn=30e-3),
    ...     reference=ss.Sine(amplitude=50e-6, frequency=0.5))
    >>> len(ss.simulate(drive, t_end=3.0).events)
    39
    """
    motor, load = checks.positive("motor_mass", motor_mass), checks.positive("load_mass", load_mass)
    c, d = checks.positive("stiffness", stiffness), checks.non_negative("damping", damping)
    spring = np.array([[1.0, -1.0], [-1.0, 1.0]])
    m = Machine(mass=[motor, load], damping=d * spring, stiffness=c * spring, names=["motor", "load"])
    if load_friction is not None:
        m.add_friction("load friction", on="load", law=load_friction, normal_load=normal_load)
    if motor_friction is not None:
        m.add_friction("motor friction", on="motor", law=motor_friction, normal_load=motor_normal_load)
    if control is not None:
        at_load = isinstance(control, Cascade) and control.position == "load"
        m.add_controller(
            control,
            name="control",
            measure=["load", "motor"] if at_load else "motor",
            reference=as_signal(reference, "reference"),
            to="motor",
            period=period,
        )
    return TwoMassDrive(motor, load, c, d, m)
