"""Simulation of mechanical systems with dry friction, backlash and impact."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from stickslip import _methods as _methods
from stickslip import _moved as _moved
from stickslip import compensation, laws, math, run
from stickslip._core import __version__
from stickslip.control import LTI, PI, PID, Cascade, Controller, P
from stickslip.control.filters import (
    PID2,
    Biquad,
    DerivativeFilter,
    DisturbanceObserver,
    Lead,
    LowPass,
    Notch,
)
from stickslip.errors import UnknownNameError
from stickslip.expressions import Expr, Parameter, from_sympy, trace
from stickslip.laws import (
    BoucWen,
    Coulomb,
    Curve,
    Dahl,
    ElastoPlastic,
    FormulaLaw,
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
from stickslip.laws.stick_slip import DeadTime, Lag, Presliding, StickSlip
from stickslip.machine.compliance import HuntCrossley, KelvinVoigt
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.modes import Mode
from stickslip.run.crossings import Crossing
from stickslip.run.events import Event, Events
from stickslip.run.sensitivity import Sensitivity
from stickslip.run.simulation import simulate
from stickslip.run.trajectory import Status, Trajectory
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

if TYPE_CHECKING:
    from stickslip import (
        analysis,
        animation,
        contact,
        contours,
        cycles,
        identify,
        lcp,
        linear,
        machines,
        parts,
        plotting,
    )
    from stickslip import export as export
    from stickslip.ensembles import EnsembleResult, ensemble
    from stickslip.linear import OpenLoop, open_loop
    from stickslip.parts import Drive
    from stickslip.run.files import load
    from stickslip.run.gradient import to_jax, value_and_grad
    from stickslip.run.real_time import RealTime

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
    "EnsembleResult",
    "Event",
    "Events",
    "Expr",
    "FormulaLaw",
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
    "Parameter",
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
    "Table",
    "Tanh",
    "Trajectory",
    "Trapezoidal",
    "TwoStateBristle",
    "UnknownNameError",
    "Viscous",
    "__version__",
    "analysis",
    "animation",
    "as_signal",
    "compensation",
    "contact",
    "contours",
    "cycles",
    "ensemble",
    "from_sympy",
    "identify",
    "laws",
    "lcp",
    "linear",
    "load",
    "machines",
    "math",
    "open_loop",
    "parts",
    "plotting",
    "run",
    "simulate",
    "to_jax",
    "trace",
    "value_and_grad",
]

# Modules and names that are loaded on first use.
_LAZY = (
    "stickslip.analysis",
    "stickslip.animation",
    "stickslip.contact",
    "stickslip.contours",
    "stickslip.cycles",
    "stickslip.export",
    "stickslip.identify",
    "stickslip.lcp",
    "stickslip.linear",
    "stickslip.machines",
    "stickslip.parts",
    "stickslip.plotting",
)
_LAZY_NAMES = {
    "Drive": "stickslip.parts",
    "EnsembleResult": "stickslip.ensembles",
    "ensemble": "stickslip.ensembles",
    "load": "stickslip.run.files",
    "to_jax": "stickslip.run.gradient",
    "value_and_grad": "stickslip.run.gradient",
    "OpenLoop": "stickslip.linear",
    "open_loop": "stickslip.linear",
    "RealTime": "stickslip.run.real_time",
}
_ALIASES = (math, compensation)  # modules whose names are also found here, such as `ss.sin`


if not TYPE_CHECKING:  # a type checker would take every unknown name for a module

    def __getattr__(name: str) -> object:
        if f"stickslip.{name}" in _LAZY:
            return importlib.import_module(f"stickslip.{name}")
        if name in _LAZY_NAMES:
            value = getattr(importlib.import_module(_LAZY_NAMES[name]), name)
            globals()[name] = value
            return value
        for module in _ALIASES:
            if name in module.__all__:
                return getattr(module, name)
        # With name and owner Python proposes similar names.
        raise AttributeError(
            f"module 'stickslip' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )


def __dir__() -> list[str]:
    return sorted(__all__)
