"""Controllers and filters."""

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

__all__ = [
    "LTI",
    "PI",
    "PID",
    "PID2",
    "Biquad",
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
