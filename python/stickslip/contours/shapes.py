"""Contours in the frames of their bodies: circles, lines, polynomials and closed curves by their harmonics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import finite, non_negative, positive, reject, vector
from stickslip.expressions.expr import Expr
from stickslip.expressions.functions import atan2, cos, sin

Scalar: TypeAlias = Expr | float
Point: TypeAlias = tuple[Any, Any]


class Contour:
    """A contour in the frame of its body."""

    def on(self, x: Scalar = 0.0, y: Scalar = 0.0, angle: Scalar = 0.0) -> Placed:
        """Place the contour on a body whose frame lies at (x, y) and is rotated by `angle`.

        Parameters
        ----------
        x, y, angle : Expr or float, default 0.0
            Formulas of the coordinates, m and rad, or constants.
        """
        return Placed(self, x, y, angle)


@dataclass(frozen=True)
class Circle(Contour):
    """A disc, or with `hollow` a bore, whose free side is inside.

    Parameters
    ----------
    radius : float
        m, > 0; 0 for a point.
    x, y : float, default 0.0
        Centre in the frame of its body, m.
    hollow : bool, default False
        The free side is inside.

    Examples
    --------
    >>> import stickslip as ss
    >>> ball = ss.contours.Circle(0.1).on(x=ss.Expr("x.position"), y=ss.Expr("y.position"))
    >>> ss.contours.gap(ss.contours.Line().on(), ball)
    y.position - 0.1
    """

    radius: float
    x: float = 0.0
    y: float = 0.0
    hollow: bool = False

    def __post_init__(self) -> None:
        non_negative("radius", self.radius)
        finite("x", self.x), finite("y", self.y)
        if self.hollow:
            positive("radius", self.radius)


@dataclass(frozen=True)
class Line(Contour):
    """A straight line through (x, y) of its body's frame; the free side is on the left of its direction.

    Parameters
    ----------
    x, y : float, default 0.0
        A point of the line, m.
    angle : float, default 0.0
        Direction, rad: with 0 the line runs to the right and the free side is above.
    """

    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "angle"):
            finite(name, getattr(self, name))


class Curve(Contour):
    """A contour whose normal is found by Newton's method, piece by piece.

    Each piece has its own parameter; when the parameter leaves a piece, `moved` finds the next one.
    """

    _side = 1.0  # the normal to the free side is the tangent, turned to the left, times this
    _rounds = 1  # of the search, each on the piece on which the last one ended
    _steps = 6  # of Newton's method: digits double with each, beginning with a tenth

    @property
    def _size(self) -> float:
        """A length, for what counts as found."""
        return 1.0

    def _start(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The piece and the parameter at which the search begins for the foot of a point."""
        raise NotImplementedError

    def _facing(self, direction: Point, x: Any, y: Any) -> tuple[Any, Any]:
        """The same for the point whose normal has this direction, near (x, y)."""
        return self._start(x, y)

    def _moved(self, piece: Any, s: Any) -> tuple[Any, Any]:
        return piece, s

    def _along(self, s: Any) -> tuple[Point, Point, Point]:
        """A point and its first two derivatives by the parameter."""
        raise NotImplementedError


class Polynomial(Curve):
    """The curve y = c0 + c1 x + c2 x² + ... of its body's frame; the free side is above.

    Parameters
    ----------
    *coefficients : float
        c0, c1, ...; for lengths in m.

    Examples
    --------
    >>> import stickslip as ss
    >>> bead = ss.contours.Circle(0.0).on(ss.Expr("x.position"), ss.Expr("y.position"))
    >>> height = ss.contours.gap(ss.contours.Polynomial(0.0, 0.0, 0.5).on(), bead)
    >>> round(height({"x.position": 0.0, "y.position": 0.3}), 12)
    0.3

    Notes
    -----
    Where this curve is concave the other contour must have a smaller radius of curvature, so that they touch in one
    point. Newton's method starts at the abscissa of the other contour, which must be close enough; if it does not
    converge the gap is undefined and the run ends as ``"failed"``.
    """

    def __init__(self, *coefficients: float) -> None:
        self.coefficients = tuple(vector("coefficients", coefficients).tolist()) or (0.0,)

    def __repr__(self) -> str:
        return f"Polynomial({', '.join(map(repr, self.coefficients))})"

    def _start(self, x: Any, y: Any) -> tuple[Any, Any]:
        return self, x

    def _along(self, s: Any) -> tuple[Point, Point, Point]:
        values = []
        c = np.polynomial.Polynomial(self.coefficients)
        for order in range(3):
            total: Any = 0.0
            for factor in (c.deriv(order) if order else c).coef[::-1]:
                total = total * s + float(factor)
            values.append(total)
        return (s, values[0]), (1.0, values[1]), (0.0, values[2])


class Polar(Curve):
    """A cam: a closed contour R(φ) = a0 + Σ (a_k cos kφ + b_k sin kφ) around the origin of its body's frame.

    The free side is outside.

    Parameters
    ----------
    a : array_like, shape (n + 1,)
        a0, a1, ..., m.
    b : array_like, shape (n,), optional
        b1, b2, ..., m; default 0.

    Examples
    --------
    >>> import stickslip as ss
    >>> cam = ss.contours.Polar([0.04, 0.005]).on(angle=ss.Expr("shaft.position"))
    >>> roller = ss.contours.Circle(0.01).on(y=ss.Expr("follower.position"))
    >>> lift = ss.contours.gap(cam, roller)
    >>> round(lift({"shaft.position": 0.5 * 3.141592653589793, "follower.position": 0.057}), 9)
    0.002

    Notes
    -----
    A circle or a line must touch the contour in one point: a circle needs a smaller radius than a concave part of the
    contour, a line needs a convex contour. Newton's method starts at the polar angle of the centre of the circle, or of
    the normal of the line.
    """

    def __init__(self, a: ArrayLike, b: ArrayLike = ()) -> None:
        self.a = tuple(np.atleast_1d(vector("a", np.atleast_1d(a))).tolist())
        self.b = tuple(vector("b", np.atleast_1d(b)).tolist())
        angles = np.linspace(0.0, 2.0 * np.pi, 721)
        if not self.a or not np.all(self.radius(angles) > 0.0):
            reject("a", a, "such that the radius is positive all around")

    @classmethod
    def through(cls, radii: ArrayLike) -> Polar:
        """Make the contour through points at equal angles φ = 0, 2π/n, ..., by trigonometric interpolation.

        Parameters
        ----------
        radii : array_like, shape (n,)
            Distances of the points from the origin, m.
        """
        r = vector("radii", radii)
        n = r.size
        c = np.fft.rfft(r) / n
        c[1:] *= 2.0
        if n % 2 == 0 and n > 1:
            c[-1] *= 0.5
        return cls(c.real, -c.imag[1:])

    def __repr__(self) -> str:
        return f"Polar({list(self.a)!r}, {list(self.b)!r})"

    def radius(self, angle: Any, order: int = 0) -> Any:
        """Radius R or a derivative with respect to the angle, of numbers, arrays or formulas."""
        total: Any = self.a[0] if order == 0 else 0.0
        turn = 0.5 * np.pi * order
        for k in range(1, max(len(self.a), len(self.b) + 1)):
            for factors, shift in ((self.a[1:], 0.0), (self.b, -0.5 * np.pi)):
                if k <= len(factors) and factors[k - 1] != 0.0:
                    total = total + factors[k - 1] * float(k) ** order * cos(k * angle + (turn + shift))
        return total

    def _start(self, x: Any, y: Any) -> tuple[Any, Any]:
        return self, atan2(y, x)

    def _facing(self, direction: Point, x: Any, y: Any) -> tuple[Any, Any]:
        return self._start(*direction)

    def _along(self, s: Any) -> tuple[Point, Point, Point]:
        r, r1, r2 = (self.radius(s, order) for order in range(3))
        c, n = cos(s), sin(s)
        return (
            (r * c, r * n),
            (r1 * c - r * n, r1 * n + r * c),
            ((r2 - r) * c - 2.0 * r1 * n, (r2 - r) * n + 2.0 * r1 * c),
        )

    _side = -1.0

    @property
    def _size(self) -> float:
        return float(self.a[0])


@dataclass(frozen=True)
class Placed:
    """A contour on its body: see `Circle.on`."""

    contour: Contour
    x: Scalar = 0.0
    y: Scalar = 0.0
    angle: Scalar = 0.0

    def world(self, point: Point) -> Point:
        """Transform a point from the body's frame."""
        a, b = self.turned(point)
        return self.x + a, self.y + b

    def turned(self, direction: Point) -> Point:
        """Transform a direction from the body's frame."""
        c, s = cos(self.angle), sin(self.angle)
        return direction[0] * c - direction[1] * s, direction[0] * s + direction[1] * c

    def seen(self, direction: Point) -> Point:
        """Transform a direction into the body's frame."""
        c, s = cos(self.angle), sin(self.angle)
        return direction[0] * c + direction[1] * s, direction[1] * c - direction[0] * s
