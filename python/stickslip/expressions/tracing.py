"""Tracing: Python functions are called once, with expressions instead of numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.errors import UnknownNameError
from stickslip.expressions.expr import Expr, as_expr, is_expr_like, tracing, unknown

__all__ = ["Coordinates", "trace"]


class Coordinates(Mapping[str, Expr]):
    """Argument q or v of a traced function: an expression for each coordinate, by name or index.

    Examples
    --------
    >>> import stickslip as ss
    >>> q = Coordinates(["arm", "foot"], "position")
    >>> q["foot"], q[0], len(q)
    (foot.position, arm.position, 2)
    """

    def __init__(self, names: Sequence[str], quantity: str) -> None:
        self._values = {name: Expr(f"{name}.{quantity}") for name in names}

    def __getitem__(self, name: str | int) -> Expr:
        if isinstance(name, (int, np.integer)) and -len(self) <= name < len(self):
            return list(self._values.values())[name]
        if name not in self._values:
            unknown("coordinate", [name], list(self._values))
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def trace(
    function: Callable[..., Any], coordinates: Sequence[str]
) -> Expr | dict[str, Expr] | NDArray[np.object_]:
    """Call a function once with expressions, and return its formula.

    Parameters
    ----------
    function : callable
        Its parameters are any of ``q`` (positions), ``v`` (velocities) and ``t`` (time), by these names; q and v hold
        an expression for each coordinate, ``q["arm"]`` or ``q[0]``. Parameters with a default value keep it. It returns
        a number or an expression, a dictionary of them, or a list or an array of any shape. Loops and calls are
        allowed; a branch on a value is an error: use `where`.
    coordinates : sequence of str
        Names of the coordinates.

    Returns
    -------
    Expr, dict of str to Expr or ndarray of Expr
        The returned object, with expressions for all numbers.

    Raises
    ------
    ValueError
        If the function raises (its error is chained), has other parameters, or returns another type or NaN.
    UnknownNameError
        If it asks for a coordinate that does not exist.

    Examples
    --------
    >>> import stickslip as ss
    >>> def law_of_gravity(q, v, t):
    ...     return {"arm": -9.81 * ss.math.sin(q["arm"])}
    >>> ss.trace(law_of_gravity, ["arm"])
    {'arm': -9.81*sin(arm.position)}
    """
    name = getattr(function, "__name__", repr(function))
    given = {
        "q": Coordinates(coordinates, "position"),
        "v": Coordinates(coordinates, "velocity"),
        "t": Expr("time"),
    }
    arguments = {parameter: given[parameter] for parameter in _wanted(function, name)}
    try:
        with tracing():
            result = function(**arguments)
    except UnknownNameError:
        raise
    except Exception as error:
        raise ValueError(f"{name} could not be traced: {type(error).__name__}: {error}") from error
    return _formula(name, result)


def _wanted(function: Callable[..., Any], name: str) -> list[str]:
    if not callable(function):
        raise ValueError(f"function = {function!r} is not allowed: it must be a function of q, v and t")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} has unknown parameters: wrap it in a function of q, v and t") from error
    wanted = []
    for p in parameters:
        if p.name in ("q", "v", "t") and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            wanted.append(p.name)
        elif p.default is p.empty:
            raise ValueError(
                f"{name} has the parameter {str(p)!r}: it may have q, v and t, and others with a default"
            )
    return wanted


def _formula(name: str, result: Any) -> Expr | dict[str, Expr] | NDArray[np.object_]:
    what = f"the result of {name}"
    if isinstance(result, Mapping):
        return {str(key): _single(f"{what} for {key!r}", value) for key, value in result.items()}
    if is_expr_like(result):
        return _single(what, result)
    try:
        values = np.array(result, dtype=object)
    except ValueError as error:
        raise ValueError(
            f"{what} is not a number, an expression, a dictionary of them or an array"
        ) from error
    out = np.empty(values.shape, dtype=object)
    for index in np.ndindex(values.shape):
        out[index] = _single(f"{what} at {list(index)}" if index else what, values[index])
    return out


def _single(what: str, value: Any) -> Expr:
    return as_expr(value, what)
