"""Formulas of coordinates, velocities, time and parameters, for what is smooth in a machine but not linear.

An `Expr` is a value made of named inputs by elementary operations. The engine runs it without Python, knows all its
derivatives, and watches its corners: each comparison in a `where` (and each absolute value, minimum, maximum and sign)
is a condition whose sign decides, and within one combination of signs the formula is smooth. A Python function is
called once with expressions instead of numbers (`trace`); what it returns is the formula. Formulas of SymPy come in by
`from_sympy`, or as functions that ``sympy.lambdify`` has made.

The functions here take numbers, arrays and expressions alike; those of NumPy take expressions as well.
"""

from stickslip.expressions.expr import Condition, Expr
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
from stickslip.expressions.symbolic import from_sympy
from stickslip.expressions.tracing import trace

__all__ = [
    "Condition",
    "Expr",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "from_sympy",
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
    "trace",
    "where",
]
