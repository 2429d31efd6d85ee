"""Contours through points: cubic splines, over an abscissa or around a centre.

Curvature is continuous at the points but its derivative is not, so each point is a corner of the formula, at which
steps of the integrator end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import finite, reject, vector
from stickslip.contours.shapes import Curve, Point
from stickslip.expressions.expr import Expr, as_expr
from stickslip.expressions.functions import atan2, cos, sin, where

Array = NDArray[np.float64]


def _pieces(x: Array, y: Array, ends: tuple[float, float] | None, periodic: bool) -> Array:
    """Coefficients (a, b, c, d) of ``a + b u + c u² + d u³`` behind each point; u is counted from there.

    The second derivatives m at the points solve ``h- m- + 2 (h- + h+) m + h+ m+ = 6 (rise+ - rise-)`` (de Boor, A
    Practical Guide to Splines, IV): m = 0 at free ends, given slopes there, or all around.
    """
    h, n = np.diff(x), x.size
    rise = np.diff(y) / h
    a, b = np.zeros((n, n)), np.zeros(n)
    for k in range(1, n - 1):
        a[k, k - 1 : k + 2] = h[k - 1], 2.0 * (h[k - 1] + h[k]), h[k]
        b[k] = 6.0 * (rise[k] - rise[k - 1])
    if periodic:
        a[0, [0, 1, n - 2]] = 2.0 * (h[0] + h[-1]), h[0], h[-1]
        b[0] = 6.0 * (rise[0] - rise[-1])
        a[-1, [0, -1]] = 1.0, -1.0
    elif ends is None:
        a[0, 0] = a[-1, -1] = 1.0
    else:
        a[0, :2], a[-1, -2:] = (2.0 * h[0], h[0]), (h[-1], 2.0 * h[-1])
        b[0], b[-1] = 6.0 * (rise[0] - ends[0]), 6.0 * (ends[1] - rise[-1])
    m = np.linalg.solve(a, b)
    return np.array([y[:-1], rise - h * (2.0 * m[:-1] + m[1:]) / 6.0, 0.5 * m[:-1], np.diff(m) / (6.0 * h)])


def _chosen(conditions: Sequence[Any], columns: Array) -> list[Any]:
    """Return for each row the value of the last condition that holds; conditions hold in order."""
    if not conditions:
        return [float(value) for value in columns[:, 0]]
    k = (len(conditions) + 1) // 2
    low, high = _chosen(conditions[: k - 1], columns[:, :k]), _chosen(conditions[k:], columns[:, k:])
    return [where(conditions[k - 1], one, other) for one, other in zip(high, low, strict=True)]


def _cubic(coefficients: Any, u: Any) -> tuple[Any, Any, Any]:
    """Value, slope and second derivative."""
    a, b, c, d = coefficients
    return a + u * (b + u * (c + u * d)), b + u * (2.0 * c + 3.0 * u * d), 2.0 * c + 6.0 * u * d


@dataclass(frozen=True)
class _Stretch:
    """One piece of a `Spline`; its parameter is the abscissa."""

    begin: Any
    coefficients: tuple[Any, ...]

    def _along(self, s: Any) -> tuple[Point, Point, Point]:
        y, slope, bend = _cubic(self.coefficients, s - self.begin)
        return (s, y), (1.0, slope), (0.0, bend)


class Spline(Curve):
    """The cubic spline y = s(x) through points of its body's frame; the free side is above.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        The points, m; x increases, n >= 2.
    slopes : tuple of two float, optional
        Slopes at both ends (clamped); by default s'' = 0 there (natural). The outermost pieces continue beyond the
        ends.

    Raises
    ------
    ValueError
        If x does not increase, or lengths differ.

    Examples
    --------
    >>> import stickslip as ss
    >>> hill = ss.contours.Spline([0.0, 1.0, 2.0], [0.0, 0.5, 0.0], slopes=(0.0, 0.0))
    >>> round(float(hill.height(0.5)), 12), round(float(hill.height(0.5, order=1)), 12)
    (0.25, 0.75)
    >>> bead = ss.contours.Circle(0.0).on(ss.Expr("x.position"), ss.Expr("y.position"))
    >>> round(ss.contours.gap(hill.on(), bead)({"x.position": 1.0, "y.position": 0.6}), 12)
    0.1

    Notes
    -----
    The same restrictions hold as for `Polynomial`.
    """

    _rounds, _steps = 3, 3

    def __init__(self, x: ArrayLike, y: ArrayLike, slopes: tuple[float, float] | None = None) -> None:
        self.x, self.y = vector("x", x), vector("y", y)
        if self.x.size < 2 or not (np.diff(self.x) > 0.0).all():
            reject("x", x, "at least two numbers, which increase")
        if self.y.shape != self.x.shape:
            reject("y", y, f"as many numbers as x has, {self.x.size}")
        self.slopes = None if slopes is None else (finite("slopes", slopes[0]), finite("slopes", slopes[1]))
        self._coefficients = _pieces(self.x, self.y, self.slopes, False)

    def __repr__(self) -> str:
        return f"Spline({self.x.tolist()!r}, {self.y.tolist()!r}, slopes={self.slopes!r})"

    def height(self, x: Any, order: int = 0) -> Any:
        """Height s or its derivative with respect to x (order 1 or 2), of a number, an array or a formula."""
        if isinstance(x, Expr):
            return self._piece(x)._along(x)[order][1]
        k = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, self.x.size - 2)
        return _cubic(self._coefficients[:, k], x - self.x[k])[order]

    def _piece(self, x: Any) -> _Stretch:
        at = as_expr(x)
        columns = np.vstack([self.x[:-1], self._coefficients])
        begin, *coefficients = _chosen([at >= float(knot) for knot in self.x[1:-1]], columns)
        return _Stretch(begin, tuple(coefficients))

    def _start(self, x: Any, y: Any) -> tuple[Any, Any]:
        return self._piece(x), x

    def _moved(self, piece: Any, s: Any) -> tuple[Any, Any]:
        return self._piece(s), s


@dataclass(frozen=True)
class _Sector:
    """One piece of a `PolarSpline`; its parameter is the angle behind its first point."""

    cosine: Any
    sine: Any
    coefficients: tuple[Any, ...]

    def towards(self, s: Any) -> Point:
        """The direction at the parameter."""
        c, n = cos(s), sin(s)
        return self.cosine * c - self.sine * n, self.sine * c + self.cosine * n

    def _along(self, s: Any) -> tuple[Point, Point, Point]:
        r, r1, r2 = _cubic(self.coefficients, s)
        c, n = self.towards(s)
        return (
            (r * c, r * n),
            (r1 * c - r * n, r1 * n + r * c),
            ((r2 - r) * c - 2.0 * r1 * n, (r2 - r) * n + 2.0 * r1 * c),
        )


class PolarSpline(Curve):
    """A closed contour around the origin of its body's frame: R(φ) is the periodic cubic spline of radii.

    The free side is outside.

    Parameters
    ----------
    radii : array_like, shape (n,)
        Distances from the origin, m, > 0; n >= 3.
    angles : array_like, shape (n,), optional
        Polar angles of the points, rad, increasing within one turn; by default equally spaced from 0 on.

    Raises
    ------
    ValueError
        For fewer points, for angles that do not increase or are half a turn apart, or where the radius is not positive.

    Examples
    --------
    >>> import stickslip as ss
    >>> cam = ss.contours.PolarSpline([0.04, 0.042, 0.05, 0.042])
    >>> round(float(cam.radius(3.141592653589793)), 12)
    0.05
    >>> tip = ss.contours.Circle(0.0).on(y=ss.Expr("follower.position"))
    >>> lift = ss.contours.gap(cam.on(angle=ss.Expr("shaft.position")), tip)
    >>> round(lift({"shaft.position": -0.5 * 3.141592653589793, "follower.position": 0.06}), 9)
    0.01

    Notes
    -----
    The same restrictions hold as for `Polar`.
    """

    _side, _rounds, _steps = -1.0, 3, 3

    def __init__(self, radii: ArrayLike, angles: ArrayLike | None = None) -> None:
        r = vector("radii", radii)
        phi = 2.0 * np.pi * np.arange(r.size) / r.size if angles is None else vector("angles", angles)
        if r.size < 3:
            reject("radii", radii, "at least three numbers")
        if phi.shape != r.shape:
            reject("angles", angles, f"as many numbers as radii, {r.size}")
        apart = np.diff(np.append(phi, phi[0] + 2.0 * np.pi))
        if not ((apart > 0.0) & (apart < np.pi)).all():
            reject("angles", angles, "increasing within one turn, less than half a turn apart")
        self.radii, self.angles = r, phi
        around, closed = np.append(phi, phi[0] + 2.0 * np.pi), np.append(r, r[0])
        self._coefficients = _pieces(around, closed, None, True)
        if not (self.radius(np.linspace(0.0, 2.0 * np.pi, 721)) > 0.0).all():
            reject("radii", radii, "such that the radius is positive all around")

    def __repr__(self) -> str:
        return f"PolarSpline({self.radii.tolist()!r}, {self.angles.tolist()!r})"

    def radius(self, angle: Any, order: int = 0) -> Any:
        """Radius R or its derivative with respect to the angle (order 1 or 2), of a number, an array or a formula."""
        if isinstance(angle, Expr):
            piece, s = self._start(cos(angle), sin(angle))
            return _cubic(piece.coefficients, s)[order]
        turned = np.mod(np.asarray(angle) - self.angles[0], 2.0 * np.pi)
        k = np.clip(
            np.searchsorted(self.angles - self.angles[0], turned, side="right") - 1, 0, self.radii.size - 1
        )
        return _cubic(self._coefficients[:, k], turned - (self.angles[k] - self.angles[0]))[order]

    def _start(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return the side of a direction relative to the rays through the points, for any number of turns."""
        columns = np.vstack([np.cos(self.angles), np.sin(self.angles), self._coefficients])

        def beyond(k: int) -> Any:
            return as_expr(y * float(columns[0, k]) - x * float(columns[1, k])) >= 0.0

        turned = self.angles - self.angles[0]
        half = int(np.searchsorted(turned, np.pi, side="right"))  # points of the first half turn
        first = _chosen([beyond(k) for k in range(1, half)], columns[:, :half])
        later = _chosen([beyond(k) for k in range(half, turned.size)], columns[:, half - 1 :])
        cosine, sine, *coefficients = [
            where(beyond(0), one, other) for one, other in zip(first, later, strict=True)
        ]
        s = atan2(y * cosine - x * sine, x * cosine + y * sine)
        return _Sector(cosine, sine, tuple(coefficients)), s

    def _facing(self, direction: Point, x: Any, y: Any) -> tuple[Any, Any]:
        return self._start(*direction)

    def _moved(self, piece: Any, s: Any) -> tuple[Any, Any]:
        return self._start(*piece.towards(s))

    @property
    def _size(self) -> float:
        return float(self.radii.mean())
