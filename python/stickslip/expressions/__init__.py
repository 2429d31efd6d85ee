"""Formulas of coordinates, velocities, time and parameters, for nonlinear machines.

An `Expr` is a formula of named inputs and elementary operations. The engine evaluates and differentiates it without
Python. Each comparison in a `where`, and each absolute value, minimum, maximum and sign, is a condition whose sign
selects a branch; the formula is smooth within a branch, and the engine locates changes of branch. Python functions are
traced: called once, with expressions instead of numbers (`trace`). A `Parameter` is a named number. Formulas of SymPy
are converted by `from_sympy` or ``sympy.lambdify``.

Elementary functions are in `stickslip.math`; those of NumPy take expressions as well.
"""

from stickslip.expressions.expr import Condition, Expr, Parameter
from stickslip.expressions.symbolic import from_sympy
from stickslip.expressions.tracing import trace

__all__ = ["Condition", "Expr", "Parameter", "from_sympy", "trace"]
