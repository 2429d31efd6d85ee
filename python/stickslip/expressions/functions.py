"""Elementary functions of numbers, arrays and expressions alike."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import reject
from stickslip.expressions.expr import ERF, UFUNCS, Condition, Expr, as_expr

__all__ = [
    "Elementary",
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


class Elementary:
    """An elementary function: returns an expression for expressions, a float for numbers, an array for arrays.

    Arrays of expressions are evaluated element by element.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.math.sin(0.5 * ss.Expr("x"))
    sin(0.5*x)
    >>> ss.math.sin([0.0, 1.5])
    array([0.        , 0.99749499])
    """

    def __init__(self, name: str, ufunc: np.ufunc, text: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__doc__ = text
        self._ufunc = ufunc

    @overload
    def __call__(self, x: Expr, /) -> Expr: ...
    @overload
    def __call__(self, x: Expr, y: Expr | float, /) -> Expr: ...
    @overload
    def __call__(self, x: float, y: Expr, /) -> Expr: ...
    @overload
    def __call__(self, /, *x: float) -> float: ...
    @overload
    def __call__(self, /, *x: ArrayLike) -> Any: ...
    def __call__(self, /, *x: Any) -> Any:
        """Evaluate the function of one or two values."""
        arrays = [a if isinstance(a, Expr) else np.asarray(a) for a in x]
        if any(a.dtype == object for a in arrays if isinstance(a, np.ndarray)):
            return np.frompyfunc(UFUNCS[self._ufunc], len(x), 1)(*(np.array(a, dtype=object) for a in arrays))
        out: Any = self._ufunc(*arrays)
        if any(isinstance(a, Expr) for a in x):
            return out
        return float(out) if np.ndim(out) == 0 else np.asarray(out, dtype=float)

    def __repr__(self) -> str:
        return f"<elementary function {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__


sin = Elementary("sin", np.sin, "Sine of an angle in rad.")
cos = Elementary("cos", np.cos, "Cosine of an angle in rad.")
tan = Elementary("tan", np.tan, "Tangent of an angle in rad.")
asin = Elementary("asin", np.arcsin, "Angle in [-pi/2, pi/2] whose sine is x; undefined beyond [-1, 1].")
acos = Elementary("acos", np.arccos, "Angle in [0, pi] whose cosine is x; undefined beyond [-1, 1].")
atan = Elementary("atan", np.arctan, "Angle in (-pi/2, pi/2) whose tangent is x.")
atan2 = Elementary(
    "atan2", np.arctan2, "Angle in (-pi, pi] of the point with ordinate y and abscissa x: atan2(y, x)."
)
sinh = Elementary("sinh", np.sinh, "Hyperbolic sine.")
cosh = Elementary("cosh", np.cosh, "Hyperbolic cosine.")
tanh = Elementary("tanh", np.tanh, "Hyperbolic tangent.")
asinh = Elementary("asinh", np.arcsinh, "Number whose hyperbolic sine is x.")
acosh = Elementary(
    "acosh",
    np.arccosh,
    "Number >= 0 whose hyperbolic cosine is x; undefined for x < 1; its slope at 1 is infinite.",
)
atanh = Elementary("atanh", np.arctanh, "Number whose hyperbolic tangent is x; undefined beyond (-1, 1).")
erf = Elementary("erf", ERF, "Error function, 2/sqrt(pi) times the integral of exp(-s²) from 0 to x.")
exp = Elementary("exp", np.exp, "e to the power of x.")
expm1 = Elementary("expm1", np.expm1, "exp(x) - 1, to full precision near x = 0.")
log = Elementary("log", np.log, "Natural logarithm; undefined for x <= 0.")
log1p = Elementary("log1p", np.log1p, "log(1 + x), to full precision near x = 0.")
sqrt = Elementary("sqrt", np.sqrt, "Square root; undefined for x < 0; its slope at 0 is infinite.")
hypot = Elementary("hypot", np.hypot, "sqrt(x² + y²); not differentiable where both are zero.")
sign = Elementary("sign", np.sign, "1, 0 or -1; the jump at x = 0 is a condition.")
minimum = Elementary("minimum", np.minimum, "The lesser of two values; it has a corner where they are equal.")
maximum = Elementary(
    "maximum", np.maximum, "The greater of two values; it has a corner where they are equal."
)


def where(condition: Condition | ArrayLike, if_true: Any, if_false: Any) -> Any:
    """Return one value where a condition holds, another elsewhere.

    Parameters
    ----------
    condition : Condition or array_like of bool
        A comparison of expressions, or several joined by ``&``, ``|`` and ``~``.
    if_true, if_false : Expr or float
        The two values, or arrays if the condition is an array of bool. The value that is not taken may be undefined.

    Returns
    -------
    Expr
        The value; for an array of bool the result of `numpy.where`.

    Raises
    ------
    ValueError
        If the values are neither numbers nor expressions.

    Notes
    -----
    In a machine no step crosses the corner of a formula, where an active condition of a `where`, `abs`, `minimum`,
    `maximum` or `sign` passes zero: corners are located like events, so that integration keeps its order. Corners are
    not logged, since no element changes its mode. Where the value jumps at a corner, the modes of friction and contacts
    are decided again. A force that drives the motion back to the corner from both sides, such as ``-F * sign(v)``, has
    no solution there and ends the run with status ``"no_solution"``: model friction by `Machine.add_friction` instead.

    Examples
    --------
    >>> import stickslip as ss
    >>> x = ss.Expr("x")
    >>> ss.math.where(x > 1.0, ss.math.sqrt(x - 1.0), 0.0)
    where(x > 1, sqrt(x - 1), 0)
    """
    if isinstance(condition, Condition):
        return condition.choose(as_expr(if_true, "if_true"), as_expr(if_false, "if_false"))
    if isinstance(condition, Expr):
        reject("condition", condition, "a comparison, as in x > 0")
    if isinstance(condition, (bool, np.bool_)):
        return if_true if condition else if_false
    return np.where(np.asarray(condition, dtype=bool), if_true, if_false)
