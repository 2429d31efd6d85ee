"""Conversion of SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip._checks import reject
from stickslip._extras import need
from stickslip.expressions import functions as f
from stickslip.expressions.expr import Condition, Expr, applied, as_expr, unknown

__all__ = ["from_sympy"]


def from_sympy(expression: Any, names: Mapping[Any, str | float | Expr]) -> Expr | NDArray[np.object_]:
    """Convert expressions of SymPy to expressions of the engine.

    Needs ``pip install "stickslip[sympy]"``.

    Parameters
    ----------
    expression : sympy.Expr or matrix of them
        For example ``mass_matrix`` and ``forcing`` of SymPy's ``LagrangesMethod`` or ``KanesMethod``.
    names : mapping of sympy.Symbol, dynamicsymbol or Derivative to str, float or Expr
        Meaning of each symbol: the name of an input such as ``"arm.position"``, a number, or an expression. A
        dynamicsymbol with the meaning ``"arm.position"`` has the derivative ``"arm.velocity"``; the time of SymPy's
        mechanics is ``"time"``.

    Returns
    -------
    Expr or ndarray of Expr
        An array of the same shape for a matrix.

    Raises
    ------
    MissingExtraError
        If SymPy is not installed.
    UnknownNameError
        If symbols are missing in `names`; the message lists them.
    ValueError
        If the expression holds an unknown function, or is complex.

    Examples
    --------
    >>> import stickslip as ss, sympy
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> angle, g = dynamicsymbols("angle"), sympy.Symbol("g")
    >>> ss.from_sympy(-g * sympy.sin(angle) - angle.diff(), {angle: "arm.position", g: 9.81})
    -9.81*sin(arm.position) - arm.velocity
    """
    sympy = _sympy()
    reader = _Reader(sympy, names)
    if isinstance(expression, (sympy.MatrixBase, sympy.NDimArray, list, tuple, np.ndarray)):
        given = np.array(expression.tolist() if hasattr(expression, "tolist") else expression, dtype=object)
        reader.check_symbols(given.ravel().tolist())
        out = np.empty(given.shape, dtype=object)
        for index in np.ndindex(given.shape):
            out[index] = reader.read(sympy.sympify(given[index]))
        return out
    one = sympy.sympify(expression)
    reader.check_symbols([one])
    return as_expr(reader.read(one))


def _sympy() -> Any:
    return need("sympy", "SymPy", "from_sympy() needs", "sympy")


class _Reader:
    """Reads trees of SymPy, each subtree once."""

    def __init__(self, sympy: Any, names: Mapping[Any, str | float | Expr]) -> None:
        from sympy.core.function import AppliedUndef
        from sympy.physics.mechanics import dynamicsymbols

        self.sympy = sympy
        self.variables = (sympy.Symbol, AppliedUndef, sympy.Derivative)
        self.known = {sympy.sympify(key): _meant(key, value) for key, value in names.items()}
        self.known.setdefault(dynamicsymbols._t, Expr("time"))
        for key, value in list(self.known.items()):  # rates of positions
            if (
                isinstance(key, AppliedUndef)
                and len(value.inputs) == 1
                and value.compiled == Expr(value.inputs[0]).compiled
            ):
                coordinate, _, quantity = value.inputs[0].rpartition(".")
                if quantity == "position":
                    self.known.setdefault(key.diff(), Expr(f"{coordinate}.velocity"))
        self.memory: dict[Any, Any] = {}
        self.rules = self._rules()

    def check_symbols(self, expressions: list[Any]) -> None:
        """Name all symbols that stand for nothing."""
        missing: dict[str, None] = {}
        open_nodes = [self.sympy.sympify(e) for e in expressions]
        seen = set()
        while open_nodes:
            node = open_nodes.pop()
            if node in seen:
                continue
            seen.add(node)
            if node in self.known:
                continue
            if isinstance(node, self.variables):
                missing[str(node)] = None
            else:
                open_nodes.extend(node.args)
        if missing:
            unknown("symbol", sorted(missing), sorted(map(str, self.known)))

    def read(self, node: Any) -> Any:
        if node not in self.memory:
            self.memory[node] = self._read(node)
        return self.memory[node]

    def _read(self, node: Any) -> Any:
        if node in self.known:
            return self.known[node]
        if node.is_number:
            return self._number(node)
        for kind, rule in self.rules.items():
            if isinstance(node, kind):
                return rule(node)
        reject(
            "expression",
            node,
            "made of elementary functions (" + ", ".join(k.__name__ for k in self.rules) + ")",
        )

    def _number(self, node: Any) -> Expr:
        value = complex(node.evalf(30))
        if value.imag != 0.0 or not np.isfinite(value.real):
            reject("expression", node, "real and finite")
        return as_expr(value.real)

    def _rules(self) -> dict[Any, Callable[[Any], Any]]:
        s = self.sympy
        functions: dict[Any, Callable[..., Any]] = {
            s.exp: f.exp, s.log: f.log, s.sin: f.sin, s.cos: f.cos, s.tan: f.tan, s.asin: f.asin, s.acos: f.acos,
            s.atan: f.atan, s.atan2: f.atan2, s.sinh: f.sinh, s.cosh: f.cosh, s.tanh: f.tanh, s.sign: f.sign,
            s.asinh: f.asinh, s.acosh: f.acosh, s.atanh: f.atanh, s.erf: f.erf, s.Abs: abs,
        }  # fmt: skip

        def function(call: Callable[..., Any]) -> Callable[[Any], Any]:
            return lambda node: call(*map(self.read, node.args))

        def folded(call: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
            return lambda node: reduce(call, map(self.read, node.args))

        def compared(call: Callable[[Any, Any], Condition]) -> Callable[[Any], Condition]:
            return lambda node: call(self.read(node.lhs), self.read(node.rhs))

        return {
            s.Add: folded(lambda a, b: a + b),
            s.Mul: self._product,
            s.Pow: self._power,
            **{kind: function(call) for kind, call in functions.items()},
            s.Min: folded(f.minimum),
            s.Max: folded(f.maximum),
            s.Piecewise: self._piecewise,
            s.Heaviside: self._heaviside,
            s.StrictGreaterThan: compared(lambda a, b: a > b),
            s.GreaterThan: compared(lambda a, b: a >= b),
            s.StrictLessThan: compared(lambda a, b: a < b),
            s.LessThan: compared(lambda a, b: a <= b),
            s.And: folded(and_),
            s.Or: folded(or_),
            s.Not: lambda node: ~self.read(node.args[0]),
        }

    def _product(self, node: Any) -> Expr:
        # a/b as a quotient: the power -1 would cost a rounding.
        above, below = [], []
        for factor in node.args:
            if factor.is_Pow and factor.exp.is_number and factor.exp.could_extract_minus_sign():
                below.append(self.read(1 / factor))
            else:
                above.append(self.read(factor))
        product = reduce(lambda a, b: a * b, above, as_expr(1.0))
        return as_expr(product / reduce(lambda a, b: a * b, below) if below else product)

    def _power(self, node: Any) -> Expr:
        base, exponent = node.args
        if exponent.is_number and exponent.could_extract_minus_sign():
            return as_expr(1.0 / self.read(1 / node))
        return applied("power", self.read(base), self.read(exponent))

    def _piecewise(self, node: Any) -> Expr:
        *cases, (last, holds) = node.args
        if holds is not self.sympy.true:
            reject("expression", node, "defined everywhere: its last case must hold without a condition")
        out = self.read(last)
        for value, condition in reversed(cases):
            out = f.where(self.read(condition), self.read(value), out)
        return as_expr(out)

    def _heaviside(self, node: Any) -> Expr:
        x, at_zero = self.read(node.args[0]), self.read(node.args[1])
        return as_expr(f.where(x > 0.0, 1.0, f.where(x < 0.0, 0.0, at_zero)))


def _meant(key: Any, value: str | float | Expr) -> Expr:
    return Expr(value) if isinstance(value, str) else as_expr(value, f"names[{key}]")
