"""Expressions: formulas of named inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import array, finite, reject
from stickslip.errors import UnknownNameError

Compiled = _core.expression.Expression

_TRACING: ContextVar[bool] = ContextVar("tracing", default=False)


@contextmanager
def tracing() -> Iterator[None]:
    """Context of tracing: == between expressions is a branch and therefore an error."""
    token = _TRACING.set(True)
    try:
        yield
    finally:
        _TRACING.reset(token)


def _no_branch(what: str) -> NoReturn:
    raise TypeError(
        f"{what} has no truth value while a function is traced: write where(condition, value_if_true, value_if_false) "
        "instead of if, & | ~ instead of and, or, not, and minimum(a, b), maximum(a, b) instead of min, max"
    )


class Expr:
    """A formula of named inputs and elementary operations; ``Expr("arm.position")`` is an input.

    Operators and functions of expressions give expressions. Two expressions are equal if they have the same operations
    in the same order: ``x + y`` is not ``y + x``. They print as formulas.

    Parameters
    ----------
    name : str
        Name of the input: a coordinate's ``"arm.position"`` or ``"arm.velocity"``, or ``"time"``.

    Attributes
    ----------
    inputs : tuple of str
        Names of its inputs, in alphabetical order.
    parameters : dict of str to float
        Values of its parameters (`Parameter`), in alphabetical order.
    conditions : tuple of Expr
        Expressions whose signs select a branch, each listed once; empty for a smooth expression.

    Raises
    ------
    ValueError
        If the name is empty or not a string, or if an operation on constants has no finite value.
    TypeError
        If a comparison is used as a truth value.

    Examples
    --------
    >>> import stickslip as ss
    >>> angle = ss.Expr("arm.position")
    >>> torque = -9.81 * ss.math.sin(angle)
    >>> torque
    -9.81*sin(arm.position)
    >>> round(torque({"arm.position": 0.1}), 6)
    -0.979366
    >>> torque.gradient()
    {'arm.position': -9.81*cos(arm.position)}
    """

    __slots__ = ("compiled",)
    compiled: Compiled

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            reject("name", name, "a non-empty string")
        object.__setattr__(self, "compiled", Compiled.input(name))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an expression is a value: it cannot be changed")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of its inputs, in alphabetical order."""
        return tuple(self.compiled.inputs)

    @property
    def parameters(self) -> dict[str, float]:
        """Values of its parameters (`Parameter`), in alphabetical order."""
        return dict(self.compiled.parameters)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """Expressions whose signs select a branch, each listed once; empty for a smooth expression."""
        return tuple(wrapped(c) for c in self.compiled.conditions)

    @overload
    def __call__(
        self, values: Mapping[str, float], branch: Sequence[Literal[1, -1]] | None = None
    ) -> float: ...
    @overload
    def __call__(
        self, values: Mapping[str, ArrayLike], branch: Sequence[Literal[1, -1]] | None = None
    ) -> float | NDArray[np.float64]: ...
    def __call__(
        self, values: Mapping[str, Any], branch: Sequence[Literal[1, -1]] | None = None
    ) -> float | NDArray[np.float64]:
        """The value where the inputs have these values.

        Parameters
        ----------
        values : mapping of str to array_like
            A number or an array for each of `inputs`, and for those of `parameters` that differ from their own value;
            arrays are broadcast against each other. Others may be there.
        branch : sequence of 1 or -1, optional
            Side of each of `conditions` (1: not below zero), regardless of its value: the smooth branch, prolonged
            beyond its corners. By default each takes its own side.

        Returns
        -------
        float or ndarray
            A float if all values are numbers, else an array of their common shape. What is undefined is NaN or
            infinite: see `undefined`.

        Raises
        ------
        ValueError
            If an input has no value, or the branch not one side for each condition.

        Examples
        --------
        >>> import stickslip as ss
        >>> gap = ss.math.maximum(ss.Expr("x"), 0.0)
        >>> gap({"x": [-1.0, 2.0]})
        array([0., 2.])
        >>> gap({"x": -1.0}, branch=[1])
        -1.0
        """
        compiled, points, shape = self._points(values)
        out = compiled.values(points, None if branch is None else list(branch))
        return float(out[0]) if shape == () else out.reshape(shape)

    def undefined(
        self, values: Mapping[str, ArrayLike], branch: Sequence[Literal[1, -1]] | None = None
    ) -> str | None:
        """Return the operation that makes the value infinite or NaN, at the first such point.

        Parameters
        ----------
        values, branch
            As for calling the expression.

        Returns
        -------
        str or None
            The operation, its operands and their inputs; None if all values are finite.

        Raises
        ------
        ValueError
            As for calling the expression.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.math.sqrt(1.0 - ss.Expr("x") ** 2).undefined({"x": 2.0})
        'sqrt(1 - x**2) = sqrt(-3) = nan at x = 2'
        """
        compiled, points, _ = self._points(values)
        return compiled.undefined(points, None if branch is None else list(branch))

    def _points(
        self, values: Mapping[str, ArrayLike]
    ) -> tuple[Compiled, NDArray[np.float64], tuple[int, ...]]:
        own, compiled = self.parameters, self.compiled
        if any(name in values for name in own):
            compiled, values = compiled.with_free_parameters(), {**own, **values}
        names = compiled.inputs
        if missing := [name for name in names if name not in values]:
            raise ValueError(f"values lacks {', '.join(map(repr, missing))}, on which {self!r} depends")
        columns = np.broadcast_arrays(
            *(array(f"values[{name!r}]", values[name], all_finite=False) for name in names)
        )
        shape = columns[0].shape if names else ()
        points = np.stack(columns, axis=-1).reshape(-1, len(names)) if names else np.zeros((1, 0))
        return compiled, points, shape

    def gradient(self, *names: str) -> dict[str, Expr]:
        """Return the partial derivatives with respect to its inputs or parameters, as expressions.

        Parameters
        ----------
        *names : str
            Inputs and parameters to differentiate with respect to; by default all of `inputs`. The derivative with
            respect to any other name is zero.

        Returns
        -------
        dict of str to Expr
            In the order of the names. At a corner, the derivatives of the branch taken there.

        Examples
        --------
        >>> import stickslip as ss
        >>> (ss.Expr("x") ** 3 * ss.Expr("y")).gradient("x")
        {'x': 3*x**2*y}
        """
        one = Compiled.constant(1.0)
        return {name: wrapped(self.compiled.along({name: one})) for name in names or self.inputs}

    def rate(self) -> Expr:
        """Return the time derivative along a motion without accelerations.

        The rate of each input ``"x.position"`` is ``"x.velocity"``, that of ``"time"`` is one, and that of all others
        zero. For a gap g(q, t) it is ``w' v + dg/dt`` with the direction ``w = dg/dq``; the rate of this rate is the drift
        zeta in the acceleration of the gap, ``w' a + zeta``.

        Returns
        -------
        Expr
            The rate.

        Examples
        --------
        >>> import stickslip as ss
        >>> gap = ss.math.hypot(ss.Expr("x.position"), ss.Expr("y.position")) - 2.0
        >>> state = {"x.position": 0.0, "y.position": 2.0, "x.velocity": 3.0, "y.velocity": 0.0}
        >>> gap.rate().rate()(state)  # v² / r
        4.5
        """
        rates = {name: _rate_of(name) for name in self.inputs}
        return wrapped(self.compiled.along({name: rate for name, rate in rates.items() if rate is not None}))

    def __getstate__(self) -> dict[str, Any]:
        return self.compiled.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        object.__setattr__(self, "compiled", Compiled.restored(state))

    def __eq__(self, other: object) -> bool:
        if _TRACING.get():
            _no_branch("a comparison of expressions by ==")
        return isinstance(other, Expr) and self.compiled == other.compiled

    def __hash__(self) -> int:
        return hash(self.compiled)

    def __repr__(self) -> str:
        return self.compiled.text()

    def __bool__(self) -> NoReturn:
        _no_branch("an expression")

    def __float__(self) -> NoReturn:
        raise TypeError(
            f"the expression {self!r} has no value while a function is traced: use the functions of stickslip or NumPy "
            "instead of those of math, and ss.from_sympy() for expressions of SymPy"
        )

    __int__ = __index__ = __complex__ = __float__

    def __add__(self, other: Any) -> Any:
        return _operator("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _operator("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _operator("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _operator("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _operator("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _operator("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _operator("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _operator("divide", other, self)

    def __pow__(self, other: Any) -> Any:
        return _operator("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _operator("power", other, self)

    def __neg__(self) -> Expr:
        return applied("negate", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return wrapped(self.compiled.absolute())

    def __lt__(self, other: Any) -> Any:
        return _compared(other, self, strictly=True)

    def __le__(self, other: Any) -> Any:
        return _compared(other, self, strictly=False)

    def __gt__(self, other: Any) -> Any:
        return _compared(self, other, strictly=True)

    def __ge__(self, other: Any) -> Any:
        return _compared(self, other, strictly=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of expressions, element by element where there are arrays."""
        scalar = UFUNCS.get(ERF if ufunc.__name__ == "erf" else ufunc)  # also SciPy's
        if method != "__call__" or options:
            how = (
                f"np.{ufunc.__name__}.{method}"
                if method != "__call__"
                else f"np.{ufunc.__name__} with {', '.join(options)}"
            )
            raise TypeError(
                f"{how} is not defined for expressions: write a = a + x instead of a += x, and sum(a)"
            )
        if scalar is None:
            raise TypeError(
                f"np.{ufunc.__name__} is not defined for expressions; known are: "
                + ", ".join(sorted(u.__name__ for u in UFUNCS))
            )
        if not any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
            return scalar(*inputs)
        objects = [
            x.astype(object) if isinstance(x, np.ndarray) else np.array(x, dtype=object) for x in inputs
        ]
        return np.frompyfunc(scalar, len(inputs), 1)(*objects)


class Parameter(Expr):
    """Named parameter of formulas, for sweeps, derivatives, fits and files.

    Use it in place of a number in formulas of forces, masses, gaps, directions, loads and laws; `Machine.parameters`
    then lists its name.

    Parameters
    ----------
    name : str
        Name without a dot. Within a machine it has one value and differs from all names of coordinates and elements.
    value : float
        Default value.

    Attributes
    ----------
    name : str
        Name.
    value : float
        Default value.

    Raises
    ------
    ValueError
        If the name is empty, contains a dot or is ``"time"``, or the value is not finite.

    Notes
    -----
    Signals and constant arguments do not accept parameters: they have names in `Machine.parameters` already.

    Examples
    --------
    >>> import stickslip as ss
    >>> gl = ss.Parameter("gl", 9.81)
    >>> m = ss.Machine(mass=1.0, names=["arm"])
    >>> m.add_force("arm", lambda q: -gl * ss.math.sin(q["arm"]))
    >>> m.parameters[-1]
    'gl'
    >>> out = ss.ensemble(m, {"gl": [4.0, 9.0]}, t_end=3.0, initial={"arm.velocity": 1e-3}, measure=["arm.position.max"])
    >>> out["arm.position.max"].round(9)        # v/√gl
    array([0.0005    , 0.00033333])
    """

    __slots__ = ()

    def __init__(self, name: str, value: float) -> None:
        if not isinstance(name, str) or not name:
            reject("name", name, "a non-empty string")
        object.__setattr__(self, "compiled", Compiled.parameter(name, finite("value", value)))

    @property
    def name(self) -> str:
        """Name."""
        return next(iter(self.parameters))

    @property
    def value(self) -> float:
        """Default value."""
        return self.parameters[self.name]


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A comparison of expressions, for `where`; ``a > b`` makes one, and ``&``, ``|`` and ``~`` join them.

    A condition has no truth value, since an ``if`` would be decided only once, when the function is traced.

    Examples
    --------
    >>> import stickslip as ss
    >>> x = ss.Expr("x")
    >>> ss.math.where((x > 0.0) & (x < 1.0), x, 0.0)({"x": [-0.5, 0.5, 1.5]})
    array([0. , 0.5, 0. ])
    """

    choose: Callable[[Expr, Expr], Expr]
    """The expression that is its first argument where the condition holds, else its second."""

    def __bool__(self) -> NoReturn:
        _no_branch("a comparison of expressions")

    def __and__(self, other: object) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        return Condition(lambda yes, no: self.choose(other.choose(yes, no), no))

    def __or__(self, other: object) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        return Condition(lambda yes, no: self.choose(yes, other.choose(yes, no)))

    def __invert__(self) -> Condition:
        return Condition(lambda yes, no: self.choose(no, yes))


def wrapped(compiled: Compiled) -> Expr:
    """Wrap an expression of the engine."""
    out = object.__new__(Expr)
    object.__setattr__(out, "compiled", compiled)
    return out


def outputs_of(tape: Mapping[str, Any] | None) -> list[Expr]:
    """Restore the expressions of a tape, as descriptions and laws store it."""
    if tape is None:
        return []
    saved = Compiled.constant(0.0).state()["format"]
    return [
        wrapped(Compiled.restored({**tape, "outputs": [output], "format": saved}))
        for output in tape["outputs"]
    ]


def is_expr_like(value: object) -> bool:
    """True if `as_expr` accepts the value: an expression or a number."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and is_expr_like(value.item())
    return isinstance(value, (Expr, float, int, np.floating, np.integer)) and not isinstance(value, bool)


def as_expr(value: Any, name: str = "value") -> Expr:
    """Return ``value`` if it is an expression, a constant if it is a number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, Expr):
        return value
    if not is_expr_like(value):
        reject(name, value, "a number or an expression")
    return wrapped(Compiled.constant(finite(name, value)))


def applied(operation: str, *arguments: Any) -> Expr:
    """Apply an elementary operation by its name in the engine."""
    return wrapped(
        Compiled.apply(operation, *(as_expr(a, f"argument of {operation}").compiled for a in arguments))
    )


def least(a: Any, b: Any) -> Expr:
    """Return the lesser of two values."""
    return wrapped(as_expr(a).compiled.minimum(as_expr(b).compiled))


def greatest(a: Any, b: Any) -> Expr:
    """Return the greater of two values."""
    return wrapped(as_expr(a).compiled.maximum(as_expr(b).compiled))


def sign_of(a: Any) -> Expr:
    """Return the sign: 1, 0 or -1."""
    return wrapped(as_expr(a).compiled.sign())


def _operator(operation: str, a: Any, b: Any) -> Any:
    return applied(operation, a, b) if is_expr_like(a) and is_expr_like(b) else NotImplemented


def _compared(a: Any, b: Any, *, strictly: bool) -> Any:
    if not (is_expr_like(a) and is_expr_like(b)):
        return NotImplemented
    left, right = as_expr(a).compiled, as_expr(b).compiled
    return Condition(
        lambda yes, no: wrapped(Compiled.where(left, right, strictly, yes.compiled, no.compiled))
    )


def _rate_of(name: str) -> Compiled | None:
    if name == "time":
        return Compiled.constant(1.0)
    coordinate, _, quantity = name.rpartition(".")
    return Compiled.input(f"{coordinate}.velocity") if quantity == "position" else None


def unknown(kind: str, names: Sequence[object], known: Sequence[object]) -> NoReturn:
    """Raise the error for unknown names."""
    s = "s" if len(names) > 1 else ""
    listed = ", ".join(map(repr, known)) or "none"
    raise UnknownNameError(f"unknown {kind}{s} {', '.join(map(repr, names))}; known are: {listed}")


def _plain(operation: str) -> Callable[..., Expr]:
    return lambda *arguments: applied(operation, *arguments)


ERF: np.ufunc = np.frompyfunc(math.erf, 1, 1)
"""The error function, which NumPy lacks."""

UFUNCS: dict[np.ufunc, Callable[..., Any]] = {
    **{
        getattr(np, name): _plain(name)
        for name in ("add", "subtract", "multiply", "divide", "square", "sqrt", "exp")
    },
    **{getattr(np, name): _plain(name) for name in ("expm1", "log", "log1p", "sin", "cos", "tan")},
    **{getattr(np, name): _plain(name) for name in ("sinh", "cosh", "tanh", "hypot", "power")},
    np.negative: _plain("negate"),
    np.positive: as_expr,
    np.float_power: _plain("power"),
    np.reciprocal: lambda a: applied("divide", 1.0, a),
    np.arcsin: _plain("asin"),
    np.arccos: _plain("acos"),
    np.arctan: _plain("atan"),
    np.arcsinh: _plain("asinh"),
    np.arccosh: _plain("acosh"),
    np.arctanh: _plain("atanh"),
    np.arctan2: _plain("atan2"),
    ERF: _plain("erf"),
    np.absolute: lambda a: abs(as_expr(a)),
    np.fabs: lambda a: abs(as_expr(a)),
    np.sign: sign_of,
    np.minimum: least,
    np.maximum: greatest,
    np.fmin: least,
    np.fmax: greatest,
    np.greater: lambda a, b: _compared(a, b, strictly=True),
    np.greater_equal: lambda a, b: _compared(a, b, strictly=False),
    np.less: lambda a, b: _compared(b, a, strictly=True),
    np.less_equal: lambda a, b: _compared(b, a, strictly=False),
    np.equal: lambda a, b: as_expr(a) == as_expr(b),
    np.not_equal: lambda a, b: as_expr(a) != as_expr(b),
}
"""Implementations of NumPy's functions for expressions."""
