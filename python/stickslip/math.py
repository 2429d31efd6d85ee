"""Elementary functions of expressions, numbers and arrays, for formulas of the motion.

Examples
--------
>>> import stickslip as ss
>>> pendulum = ss.Machine(mass=1.0, names=["arm"])
>>> pendulum.add_force("arm", lambda q: -9.81 * ss.math.sin(q["arm"]))
"""

from __future__ import annotations

from stickslip.expressions.functions import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    erf,
    exp,
    expm1,
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
    where,
)

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "exp",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "maximum",
    "minimum",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "where",
]


def __dir__() -> list[str]:
    return sorted(__all__)
