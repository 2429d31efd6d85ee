"""Exact simulation of machines in which things stick, slip, separate and strike."""

from stickslip._core import __version__
from stickslip.control import LTI, PI, PID, Cascade, Controller, P
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

__all__ = [
    "LTI",
    "PI",
    "PID",
    "Cascade",
    "Constant",
    "Controller",
    "Input",
    "P",
    "Piecewise",
    "PointToPoint",
    "Ramp",
    "Samples",
    "Signal",
    "Sine",
    "SmoothStep",
    "Step",
    "Trapezoidal",
    "__version__",
    "as_signal",
]
