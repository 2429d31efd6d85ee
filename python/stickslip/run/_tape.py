"""Recording of the operations of a function of arrays, for its gradient by reverse accumulation.

Source: Griewank, Walther, *Evaluating Derivatives*, 2008, 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NotNoted", "Noted", "gradients"]

Array = NDArray[np.float64]
Back = Callable[[Array], Array]


class NotNoted(Exception):
    """A function applies an operation without a known derivative."""


class Noted(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that records its operands and the adjoint of the operation that produced it."""

    __slots__ = ("backs", "parents", "value")

    def __init__(self, value: Any, made_of: Iterable[tuple[Noted, Back]] = ()) -> None:
        self.value = np.asarray(value, dtype=float)
        made = list(made_of)
        self.parents = [parent for parent, _ in made]
        self.backs = [back for _, back in made]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        values = [_value(x) for x in inputs]
        if method == "reduce" and ufunc is np.add:
            return _sum(inputs[0], **options)
        if method != "__call__" or any(v is not None for k, v in options.items()):
            raise NotNoted(f"numpy.{ufunc.__name__}.{method} with these options")
        if ufunc in _PLAIN:
            return ufunc(*values)
        if ufunc is np.matmul:
            return _matmul(*inputs)
        if ufunc not in _UFUNCS:
            raise NotNoted(f"numpy.{ufunc.__name__}")
        out = ufunc(*values)
        made = [
            (x, _scaled(slope, values, out, x.value.shape))
            for x, slope in zip(inputs, _UFUNCS[ufunc], strict=True)
            if isinstance(x, Noted)
        ]
        return Noted(out, made)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in _FUNCTIONS:
            raise NotNoted(f"numpy.{function.__name__}")
        return _FUNCTIONS[function](*args, **kwargs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise NotNoted("conversion of an array to plain numbers")

    def __float__(self) -> float:
        raise NotNoted("float(), math or an assignment into an array")

    def __bool__(self) -> bool:
        return bool(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> Noted:
        if _any_noted(key):
            raise NotNoted("an index computed from the run")

        def back(owed: Array) -> Array:
            whole = np.zeros(self.value.shape)
            np.add.at(whole, key, owed)
            return whole

        return Noted(self.value[key], [(self, back)])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.value.shape

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.value.size

    @property
    def ndim(self) -> int:
        """Number of dimensions of the array."""
        return self.value.ndim

    @property
    def T(self) -> Noted:
        """The transposed array."""
        return Noted(self.value.T, [(self, np.transpose)])

    def sum(self, axis: Any = None, **options: Any) -> Noted:
        """Return the sum over axes."""
        return _sum(self, axis, **options)

    def mean(self, axis: Any = None, **options: Any) -> Any:
        """Return the mean over axes."""
        return _mean(self, axis, **options)

    def max(self) -> Noted:
        """Return the maximum."""
        return self[np.unravel_index(int(np.argmax(self.value)), self.shape)]

    def min(self) -> Noted:
        """Return the minimum."""
        return self[np.unravel_index(int(np.argmin(self.value)), self.shape)]

    def reshape(self, *shape: Any) -> Noted:
        """Return the array in another shape."""
        return Noted(self.value.reshape(*shape), [(self, lambda owed: owed.reshape(self.shape))])

    def ravel(self) -> Noted:
        """Return the array as a vector."""
        return self.reshape(-1)


def gradients(of: Noted, by: Iterable[Noted]) -> list[Array]:
    """Return the derivatives of one number with respect to several arrays.

    Parameters
    ----------
    of : Noted
        One number.
    by : iterable of Noted
        Allowed operations.
    """
    order: list[Noted] = []
    seen: set[int] = set()
    waiting = [(of, False)]
    while waiting:  # parents first
        node, done = waiting.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            waiting.append((node, True))
            waiting.extend((parent, False) for parent in node.parents)
    owed: dict[int, Array] = {id(of): np.ones(of.shape)}
    for node in reversed(order):
        for parent, back in zip(node.parents, node.backs, strict=True):
            more = back(owed[id(node)])
            owed[id(parent)] = owed[id(parent)] + more if id(parent) in owed else more
    return [owed.get(id(x), np.zeros(x.shape)) for x in by]


def _value(x: Any) -> Any:
    return x.value if isinstance(x, Noted) else x


def _any_noted(key: Any) -> bool:
    return any(isinstance(k, Noted) for k in (key if isinstance(key, tuple) else (key,)))


def _to_shape(owed: Array, shape: tuple[int, ...]) -> Array:
    """Sum the adjoint of a broadcast array over its copies."""
    extra = owed.ndim - len(shape)
    owed = owed.sum(axis=tuple(range(extra)))
    wide = tuple(k for k, n in enumerate(shape) if n == 1 and owed.shape[k] != 1)
    return np.asarray(owed.sum(axis=wide, keepdims=True))


def _scaled(slope: Callable[..., Any], values: list[Any], out: Any, shape: tuple[int, ...]) -> Back:
    return lambda owed: _to_shape(np.asarray(owed * slope(out, *values)), shape)


def _along(x: Noted, owed: Array, axis: Any, keepdims: bool) -> Array:
    if axis is not None and not keepdims:
        owed = np.expand_dims(owed, axis)
    return np.broadcast_to(owed, x.shape)


def _sum(
    x: Noted, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **other: Any
) -> Noted:
    _refuse(dtype=dtype, out=out, **other)
    return Noted(
        np.sum(x.value, axis=axis, keepdims=keepdims), [(x, lambda owed: _along(x, owed, axis, keepdims))]
    )


def _mean(
    x: Noted, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **other: Any
) -> Any:
    total = _sum(x, axis, dtype, out, keepdims, **other)
    return total * (total.size / max(x.size, 1))


def _refuse(**options: Any) -> None:
    for name, given in options.items():
        if given is not None and not (
            name in ("keepdims", "initial", "where") and type(given).__name__ == "_NoValueType"
        ):
            raise NotNoted(f"the option {name!r}")


def _var(x: Noted, axis: Any = None, ddof: float = 0, **other: Any) -> Any:
    _refuse(**other)
    off = x - _mean(x, axis, keepdims=True)
    total = _sum(off * off, axis)
    return total / (x.size / max(total.size, 1) - ddof)


def _std(x: Noted, axis: Any = None, ddof: float = 0, **other: Any) -> Any:
    return np.sqrt(_var(x, axis, ddof, **other))


def _matmul(a: Any, b: Any) -> Noted:
    u, v = np.asarray(_value(a)), np.asarray(_value(b))
    if u.ndim not in (1, 2) or v.ndim not in (1, 2):
        raise NotNoted("products of arrays with more than two axes")
    made: list[tuple[Noted, Back]] = []
    if isinstance(a, Noted):
        made.append((a, lambda owed: owed * v if v.ndim == u.ndim == 1 else _outer(owed, v, u)))
    if isinstance(b, Noted):
        made.append((b, lambda owed: owed * u if v.ndim == u.ndim == 1 else _outer(owed, u.T, v.T).T))
    return Noted(u @ v, made)


def _outer(owed: Array, v: Array, like: Array) -> Array:
    """Owed to u of u v."""
    rows = np.atleast_2d(like).shape[0]
    columns = v.shape[1] if v.ndim == 2 else 1
    return np.asarray((owed.reshape(rows, columns) @ v.reshape(-1, columns).T).reshape(like.shape))


def _dot(a: Any, b: Any) -> Any:
    if np.ndim(_value(a)) == 0 or np.ndim(_value(b)) == 0:
        return np.multiply(a, b)
    return _matmul(a, b)


def _diff(x: Noted, n: int = 1, **other: Any) -> Any:
    if n != 1 or x.ndim != 1:
        raise NotNoted("numpy.diff of a higher order")
    _refuse(**other)
    return x[1:] - x[:-1]


def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    if np.ndim(_value(y)) != 1 or axis not in (-1, 0):
        raise NotNoted("numpy.trapezoid over one of several axes")
    step = dx if x is None else x[1:] - x[:-1]
    return np.sum(np.multiply(0.5 * (y[1:] + y[:-1]), step))


def _joined(join: Any) -> Any:
    def of(arrays: Any, axis: int = 0) -> Noted:
        listed = list(arrays)
        values = [np.asarray(_value(a)) for a in listed]
        if axis != 0:
            raise NotNoted(f"numpy.{join.__name__} along axis {axis}")
        ends = np.cumsum([v.size for v in values])

        def back(k: int) -> Back:
            return lambda owed: owed.ravel()[ends[k] - values[k].size : ends[k]].reshape(values[k].shape)

        return Noted(join(values), [(a, back(k)) for k, a in enumerate(listed) if isinstance(a, Noted)])

    return of


def _where(condition: Any, a: Any, b: Any) -> Noted:
    chosen = np.asarray(condition)
    values = [np.asarray(_value(a)), np.asarray(_value(b))]
    made: list[tuple[Noted, Back]] = []
    if isinstance(a, Noted):
        made.append((a, lambda owed: _to_shape(np.where(chosen, owed, 0.0), values[0].shape)))
    if isinstance(b, Noted):
        made.append((b, lambda owed: _to_shape(np.where(chosen, 0.0, owed), values[1].shape)))
    return Noted(np.where(chosen, *values), made)


def _norm(x: Noted, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or axis is not None or keepdims or (ord == 2 and x.ndim != 1):
        raise NotNoted("numpy.linalg.norm with these options")
    return np.sqrt(_sum(x * x))


def _extreme(which: str) -> Any:
    def of(x: Noted, axis: Any = None, **other: Any) -> Noted:
        if axis is not None:
            raise NotNoted(f"numpy.{which} along an axis")
        _refuse(**other)
        found: Noted = getattr(x, which)()
        return found

    return of


def _plain(function: Any) -> Any:
    return lambda x, *args, **kwargs: function(_value(x), *args, **kwargs)


def _power_exponent(out: Any, x: Any, n: Any) -> Any:
    return out * np.log(x)


_UFUNCS: dict[np.ufunc, tuple[Callable[..., Any], ...]] = {
    np.add: (lambda f, x, y: 1.0, lambda f, x, y: 1.0),
    np.subtract: (lambda f, x, y: 1.0, lambda f, x, y: -1.0),
    np.multiply: (lambda f, x, y: y, lambda f, x, y: x),
    np.divide: (lambda f, x, y: 1.0 / y, lambda f, x, y: -f / y),
    np.power: (lambda f, x, n: n * x ** (n - 1), _power_exponent),
    np.float_power: (lambda f, x, n: n * x ** (n - 1), _power_exponent),
    np.arctan2: (lambda f, y, x: x / (x * x + y * y), lambda f, y, x: -y / (x * x + y * y)),
    np.hypot: (lambda f, x, y: x / f, lambda f, x, y: y / f),
    np.maximum: (lambda f, x, y: 1.0 * (x >= y), lambda f, x, y: 1.0 * (y > x)),
    np.minimum: (lambda f, x, y: 1.0 * (x <= y), lambda f, x, y: 1.0 * (y < x)),
    np.negative: (lambda f, x: -1.0,),
    np.positive: (lambda f, x: 1.0,),
    np.absolute: (lambda f, x: np.sign(x),),
    np.fabs: (lambda f, x: np.sign(x),),
    np.square: (lambda f, x: 2.0 * x,),
    np.sqrt: (lambda f, x: 0.5 / f,),
    np.reciprocal: (lambda f, x: -f * f,),
    np.exp: (lambda f, x: f,),
    np.expm1: (lambda f, x: f + 1.0,),
    np.log: (lambda f, x: 1.0 / x,),
    np.log1p: (lambda f, x: 1.0 / (1.0 + x),),
    np.sin: (lambda f, x: np.cos(x),),
    np.cos: (lambda f, x: -np.sin(x),),
    np.tan: (lambda f, x: 1.0 + f * f,),
    np.arctan: (lambda f, x: 1.0 / (1.0 + x * x),),
    np.sinh: (lambda f, x: np.cosh(x),),
    np.cosh: (lambda f, x: np.sinh(x),),
    np.tanh: (lambda f, x: 1.0 - f * f,),
    np.arcsinh: (lambda f, x: 1.0 / np.sqrt(x * x + 1.0),),
    np.arccosh: (lambda f, x: 1.0 / np.sqrt((x - 1.0) * (x + 1.0)),),
    np.arctanh: (lambda f, x: 1.0 / ((1.0 - x) * (1.0 + x)),),
}
_PLAIN = {  # functions without derivative, or with derivative zero
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
    np.sign, np.isfinite, np.isnan, np.floor, np.ceil, np.rint,
}  # fmt: skip
_FUNCTIONS: dict[Any, Any] = {
    np.sum: _sum,
    np.mean: _mean,
    np.var: _var,
    np.std: _std,
    np.dot: _dot,
    np.vdot: _dot,
    np.inner: _dot,
    np.diff: _diff,
    getattr(np, "trapezoid" if hasattr(np, "trapezoid") else "trapz"): _trapezoid,
    np.concatenate: _joined(np.concatenate),
    np.hstack: lambda arrays: _joined(np.concatenate)([_row(a) for a in arrays]),
    np.stack: _joined(np.stack),
    np.where: _where,
    np.linalg.norm: _norm,
    np.max: _extreme("max"),
    np.min: _extreme("min"),
    np.amax: _extreme("max"),
    np.amin: _extreme("min"),
    np.ravel: lambda x: x.ravel(),
    np.reshape: lambda x, shape: x.reshape(shape),
    np.shape: _plain(np.shape),
    np.size: _plain(np.size),
    np.ndim: _plain(np.ndim),
    np.argmax: _plain(np.argmax),
    np.argmin: _plain(np.argmin),
}


def _row(x: Any) -> Any:
    return x.reshape(-1) if isinstance(x, Noted) else np.atleast_1d(x)
