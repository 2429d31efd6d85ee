"""Controllers and filters; controllers of other programs."""

from stickslip.control.controllers import LTI, PI, PID, Callable, Cascade, Controller, Matrices, P
from stickslip.control.filters import (
    PID2,
    Biquad,
    DerivativeFilter,
    DisturbanceObserver,
    Lead,
    LowPass,
    Notch,
)
from stickslip.control.fmu import FMU
from stickslip.control.native import CFunction

__all__ = [
    "FMU",
    "LTI",
    "PI",
    "PID",
    "PID2",
    "Biquad",
    "CFunction",
    "Callable",
    "Cascade",
    "Controller",
    "DerivativeFilter",
    "DisturbanceObserver",
    "Lead",
    "LowPass",
    "Matrices",
    "Notch",
    "P",
]


def __dir__() -> list[str]:
    return sorted(__all__)
