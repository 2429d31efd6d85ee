"""Exact simulation of machines in which things stick, slip, separate and strike."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from stickslip._core import __version__
from stickslip.compliance import HuntCrossley, KelvinVoigt
from stickslip.control import LTI, PI, PID, Cascade, Controller, P
from stickslip.crossings import Crossing
from stickslip.energy import Energy
from stickslip.errors import UnknownNameError
from stickslip.events import Event, Events
from stickslip.expressions import (
    Expr,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    expm1,
    from_sympy,
    hypot,
    log,
    log1p,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trace,
    where,
)
from stickslip.laws import (
    BoucWen,
    Coulomb,
    Curve,
    Dahl,
    ElastoPlastic,
    Law,
    Leuven,
    LuGre,
    MaxwellSlip,
    Stribeck,
    Table,
    Tanh,
    TwoStateBristle,
    Viscous,
)
from stickslip.machine import Machine
from stickslip.modes import Mode
from stickslip.sensitivity import EventSensitivity, Sensitivity, ValidUntil
from stickslip.signals import (
    PRBS,
    Chirp,
    Constant,
    Input,
    Multisine,
    Piecewise,
    PointToPoint,
    Pulses,
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
from stickslip.state_space import StateSpace
from stickslip.stick_slip import DeadTime, Lag, Presliding, StickSlip
from stickslip.trajectory import Status, Stuck, Trajectory

if TYPE_CHECKING:
    from stickslip import (
        analysis,
        animation,
        contact,
        contours,
        figures,
        identify,
        lcp,
        linear,
        machines,
        parts,
        plotting,
    )
    from stickslip.compensation import (
        Compensator,
        FrictionCurve,
        FrictionFeedforward,
        FrictionForce,
        FrictionObserver,
    )
    from stickslip.drive import Drive
    from stickslip.ensembles import EnsembleResult, ensemble
    from stickslip.files import load
    from stickslip.filters import PID2, Biquad, DerivativeFilter, DisturbanceObserver, Lead, LowPass, Notch
    from stickslip.gradient import to_jax, value_and_grad
    from stickslip.linear import OpenLoop, open_loop
    from stickslip.real_time import RealTime

__all__ = [
    "LTI",
    "PI",
    "PID",
    "PID2",
    "PRBS",
    "Biquad",
    "BoucWen",
    "Cascade",
    "Chirp",
    "Compensator",
    "Constant",
    "Controller",
    "Coulomb",
    "Crossing",
    "Curve",
    "Dahl",
    "DeadTime",
    "DerivativeFilter",
    "DisturbanceObserver",
    "Drive",
    "ElastoPlastic",
    "Energy",
    "EnsembleResult",
    "Event",
    "EventSensitivity",
    "Events",
    "Expr",
    "FrictionCurve",
    "FrictionFeedforward",
    "FrictionForce",
    "FrictionObserver",
    "HuntCrossley",
    "Input",
    "KelvinVoigt",
    "Lag",
    "Law",
    "Lead",
    "Leuven",
    "LowPass",
    "LuGre",
    "Machine",
    "MaxwellSlip",
    "Mode",
    "Multisine",
    "Notch",
    "OpenLoop",
    "P",
    "Piecewise",
    "PointToPoint",
    "Presliding",
    "Pulses",
    "Ramp",
    "RealTime",
    "Samples",
    "Sensitivity",
    "Signal",
    "Sine",
    "SmoothStep",
    "StateSpace",
    "Status",
    "Step",
    "StickSlip",
    "Stribeck",
    "Stuck",
    "Table",
    "Tanh",
    "Trajectory",
    "Trapezoidal",
    "TwoStateBristle",
    "UnknownNameError",
    "ValidUntil",
    "Viscous",
    "__version__",
    "acos",
    "acosh",
    "analysis",
    "animation",
    "as_signal",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "contact",
    "contours",
    "cos",
    "cosh",
    "ensemble",
    "exp",
    "expm1",
    "figures",
    "from_sympy",
    "hypot",
    "identify",
    "lcp",
    "linear",
    "load",
    "log",
    "log1p",
    "machines",
    "maximum",
    "minimum",
    "open_loop",
    "parts",
    "plotting",
    "sign",
    "simulate",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "to_jax",
    "trace",
    "value_and_grad",
    "where",
]

# Parts that importing the package does not pay for: they are loaded when first named.
_LAZY = (
    "analysis",
    "animation",
    "contact",
    "contours",
    "figures",
    "identify",
    "lcp",
    "linear",
    "machines",
    "parts",
    "plotting",
)
_LAZY_NAMES = {
    "Compensator": "compensation",
    "Drive": "drive",
    "FrictionCurve": "compensation",
    "FrictionFeedforward": "compensation",
    "FrictionForce": "compensation",
    "FrictionObserver": "compensation",
    "EnsembleResult": "ensembles",
    "ensemble": "ensembles",
    "load": "files",
    "PID2": "filters",
    "Biquad": "filters",
    "to_jax": "gradient",
    "value_and_grad": "gradient",
    "DerivativeFilter": "filters",
    "DisturbanceObserver": "filters",
    "Lead": "filters",
    "LowPass": "filters",
    "Notch": "filters",
    "OpenLoop": "linear",
    "open_loop": "linear",
    "RealTime": "real_time",
}


if not TYPE_CHECKING:  # a type checker would take every unknown name for a module

    def __getattr__(name: str) -> object:
        if name in _LAZY:
            return importlib.import_module(f"stickslip.{name}")
        if name in _LAZY_NAMES:
            value = getattr(importlib.import_module(f"stickslip.{_LAZY_NAMES[name]}"), name)
            globals()[name] = value
            return value
        # With its name and owner Python proposes what was meant.
        raise AttributeError(
            f"module 'stickslip' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )


def __dir__() -> list[str]:
    return sorted(__all__)
