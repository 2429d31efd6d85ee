"""Exact simulation of machines in which things stick, slip, separate and strike."""

from stickslip._core import __version__
from stickslip.energy import Energy
from stickslip.events import Event, Events
from stickslip.laws import Coulomb, Stribeck, Viscous
from stickslip.machine import Machine
from stickslip.modes import Mode
from stickslip.signals import (
    Constant,
    Input,
    Piecewise,
    PointToPoint,
    Ramp,
    Samples,
    Signal,
    Sine,
    SmoothStep,
    Step,
    Trapezoidal,
    as_signal,
)
from stickslip.simulation import simulate
from stickslip.trajectory import Status, Trajectory

__all__ = [
    "Constant",
    "Coulomb",
    "Energy",
    "Event",
    "Events",
    "Input",
    "Machine",
    "Mode",
    "Piecewise",
    "PointToPoint",
    "Ramp",
    "Samples",
    "Signal",
    "Sine",
    "SmoothStep",
    "Status",
    "Step",
    "Stribeck",
    "Trajectory",
    "Trapezoidal",
    "Viscous",
    "__version__",
    "as_signal",
    "simulate",
]
