"""Functions of time: references, forces, surface speeds and normal loads.

A signal is a value: it can be compared, hashed, pickled, printed as the expression that makes it, evaluated at any
times, added to other signals and numbers, multiplied by numbers and differentiated. The engine sees it as polynomial
pieces plus harmonics, so it knows every breakpoint in advance and every derivative exactly. Times are in seconds;
values have the unit of the quantity for which the signal is used. At a jump the value is the limit from the right.

A number is accepted wherever a signal is.
"""

from stickslip.signals.made import PRBS, Chirp, Clip, Multisine, Product, Pulses, Repeat, Where
from stickslip.signals.shapes import (
    Input,
    Piecewise,
    PointToPoint,
    Ramp,
    Samples,
    Sine,
    SmoothStep,
    Step,
    Trapezoidal,
)
from stickslip.signals.signal import Constant, Derivative, Scaled, Signal, SignalLike, Sum, as_signal

__all__ = [
    "PRBS",
    "Chirp",
    "Clip",
    "Constant",
    "Derivative",
    "Input",
    "Multisine",
    "Piecewise",
    "PointToPoint",
    "Product",
    "Pulses",
    "Ramp",
    "Repeat",
    "Samples",
    "Scaled",
    "Signal",
    "SignalLike",
    "Sine",
    "SmoothStep",
    "Step",
    "Sum",
    "Trapezoidal",
    "Where",
    "as_signal",
]
