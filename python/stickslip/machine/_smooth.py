"""Functions of the motion in a machine: expressions, or Python functions that are traced once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from stickslip import _core
from stickslip._checks import number, reject, vector
from stickslip.expressions.expr import Expr, as_expr
from stickslip.expressions.functions import maximum, minimum
from stickslip.expressions.tracing import trace
from stickslip.signals import Signal

Function: TypeAlias = Callable[..., Any]
Tape: TypeAlias = dict[str, Any]


def is_smooth(given: object) -> bool:
    """True if the value is or holds an expression, or is a function to be traced."""
    if isinstance(given, Expr):
        return True
    if callable(given):
        return not isinstance(given, (type, Signal))
    if isinstance(given, Mapping):
        return any(isinstance(v, Expr) for v in given.values())
    if isinstance(given, (list, tuple, np.ndarray)):
        return any(isinstance(v, Expr) for v in np.ravel(np.array(given, dtype=object)))
    return False


def tape(expressions: Sequence[Expr]) -> Tape:
    """Return expressions in the form of a description, with common parts stored once."""
    return _core.expression.Expression.tape([e.compiled for e in expressions])


def _traced(given: object, names: Sequence[str]) -> Any:
    """Return the traced function, or the value itself."""
    if callable(given) and not isinstance(given, Expr):
        return trace(given, names)
    return given


def value_of(what: str, given: object, names: Sequence[str], on: str | None = None) -> Tape:
    """One expression; if the function returns a dictionary, its entry for the coordinate `on`."""
    result = _traced(given, names)
    if isinstance(result, dict):
        if on is None or set(result) != {on}:
            reject(
                what, given, "a function that returns one expression, or a dictionary of the coordinate alone"
            )
        result = result[on]
    if isinstance(result, np.ndarray):
        if result.size != 1:
            reject(what, given, "a function that returns one expression")
        result = result.item()
    return tape([as_expr(result, what)])


def row_of(what: str, given: object, names: Sequence[str]) -> Tape:
    """Return one expression per coordinate, from a mapping, a sequence or a function that returns one."""
    return tape(list(factors_of(what, given, names).values()))


def factors_of(what: str, given: object, names: Sequence[str]) -> dict[str, Expr]:
    """Return the expression for each coordinate, from a mapping, a sequence or a function that returns one."""
    result = _traced(given, names)
    if isinstance(result, Mapping):
        unknown = [k for k in result if k not in names]
        if unknown:
            reject(what, unknown[0], f"a coordinate; known are: {', '.join(map(repr, names))}")
        parts = [as_expr(result.get(name, 0.0), f"{what}, factor of {name!r}") for name in names]
    else:
        items = list(np.ravel(np.array(result, dtype=object)))
        if len(items) != len(names):
            reject(what, given, f"one expression for each of {len(names)} coordinates")
        parts = [
            as_expr(item, f"{what}, factor of {name!r}") for item, name in zip(items, names, strict=True)
        ]
    return dict(zip(names, parts, strict=True))


def restitution_of(what: str, given: object) -> dict[str, Any]:
    """Return a coefficient of restitution: a number, or a formula of the approach speed."""
    if isinstance(given, (tuple, list)):
        given = _interpolated(what, given)
    elif callable(given) and not isinstance(given, Expr):
        function = given
        given = as_expr(trace(lambda: function(Expr("speed")), []), what)
    if not isinstance(given, Expr):
        return {"restitution": number(what, given)}
    return {"restitution_expression": tape([given])}


def _interpolated(what: str, table: Sequence[Any]) -> Expr:
    """Piecewise linear between points, constant beyond: the first value and what each stretch adds."""
    if len(table) != 2:
        reject(what, table, "(speeds, values)")
    speeds, values = vector(f"speeds of {what}", table[0]), vector(f"values of {what}", table[1])
    if speeds.shape != values.shape or speeds.size < 2:
        reject(what, table, "(speeds, values) of equal length, at least 2")
    if not (speeds[0] >= 0.0 and (np.diff(speeds) > 0.0).all()):
        reject(f"speeds of {what}", speeds, "increasing and >= 0")
    if not ((values >= 0.0) & (values <= 1.0)).all():
        reject(f"values of {what}", values, "in [0, 1]")
    speed, sum_ = Expr("speed"), as_expr(float(values[0]))
    for k, slope in enumerate(np.diff(values) / np.diff(speeds)):
        within = minimum(maximum(speed, float(speeds[k])), float(speeds[k + 1])) - float(speeds[k])
        sum_ = sum_ + float(slope) * within
    return sum_


def matrix_of(what: str, given: object, names: Sequence[str]) -> Tape:
    """Return an expression for every entry of a matrix, by columns; a vector is a diagonal."""
    n = len(names)
    result = _traced(given, names)
    entries = np.array(result, dtype=object)
    if entries.ndim < 2:
        if entries.size not in (1, n):
            reject(what, given, f"a ({n}, {n}) matrix, or its diagonal")
        diagonal = np.full((n, n), 0.0, dtype=object)
        np.fill_diagonal(diagonal, np.ravel(entries))
        entries = diagonal
    if entries.shape != (n, n):
        reject(what, given, f"a ({n}, {n}) matrix, or its diagonal")
    return tape([as_expr(entries[i, j], f"{what}[{i}, {j}]") for j in range(n) for i in range(n)])
