"""Gaps and sliding velocities of planar contours in contact, as formulas for ``add_contact(gap=..., tangent=...)``.

A contour belongs to a body, whose frame lies at (x, y) and is turned by an angle; these are formulas of the coordinates.
Two contours have one gap: the distance along their common normal (*chatter* 3.1, 3.11 to 3.14: the parameters of the
contours follow from t1·(r2 - r1) = 0 and t1·n2 = 0, and curvature enters the drift ζ of g'' = w_N·q'' + ζ). Circles and
lines give it in closed form; on a polynomial or a polar contour the foot of the normal is found by Newton's method,
written out in the formula, so that all derivatives are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import finite, non_negative, positive, reject, vector
from stickslip.expressions.expr import Expr, as_expr
from stickslip.expressions.functions import atan2, cos, hypot, sin, sqrt

__all__ = ["Circle", "Contour", "Line", "Placed", "Polar", "Polynomial", "gap", "sliding"]

Scalar: TypeAlias = Expr | float
Point: TypeAlias = tuple[Any, Any]

_STEPS = 6  # of Newton's method: digits double with each, beginning with a tenth
_FOUND = 1e-6  # residual of the foot, as a share of the contour's size, above which it counts as not found
_NOTHING = 1e-300  # lets NaN pass, and no number


class _Contour:
    """A contour in the frame of its body."""

    def on(self, x: Scalar = 0.0, y: Scalar = 0.0, angle: Scalar = 0.0) -> Placed:
        """The contour on a body whose frame lies at (x, y) and is turned by `angle`.

        Parameters
        ----------
        x, y, angle : Expr or float, default 0.0
            Formulas of the coordinates, m and rad; numbers for what does not move.
        """
        return Placed(self, x, y, angle)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Circle(_Contour):
    """A disc, or with `hollow` a bore, whose free side is inside.

    Parameters
    ----------
    radius : float
        Greater than 0, or 0 for a point.
    x, y : float, default 0.0
        Its centre in the frame of its body, m.
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
class Line(_Contour):
    """A straight line through (x, y) of its body's frame; the free side is on the left of its direction.

    Parameters
    ----------
    x, y : float, default 0.0
        A point of it, m.
    angle : float, default 0.0
        Its direction, rad: with 0 it runs to the right, and what is free lies above.
    """

    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "angle"):
            finite(name, getattr(self, name))


class Polynomial(_Contour):
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
    What touches it must be less curved than the curve is hollow there, and near enough for its abscissa to be a start for
    Newton's method; where this does not find the foot the gap has no value, and a run ends.
    """

    def __init__(self, *coefficients: float) -> None:
        self.coefficients = tuple(vector("coefficients", coefficients).tolist()) or (0.0,)

    def __repr__(self) -> str:
        return f"Polynomial({', '.join(map(repr, self.coefficients))})"

    def _start(self, x: Any, y: Any) -> Any:
        return x

    def _along(self, s: Any) -> tuple[Point, Point, Point]:
        """A point and its first two derivatives by the parameter."""
        values = []
        c = np.polynomial.Polynomial(self.coefficients)
        for order in range(3):
            total: Any = 0.0
            for factor in (c.deriv(order) if order else c).coef[::-1]:
                total = total * s + float(factor)
            values.append(total)
        return (s, values[0]), (1.0, values[1]), (0.0, values[2])

    _side = 1.0  # the normal is the tangent turned to the left
    _size = 1.0


class Polar(_Contour):
    """A closed contour R(φ) = a0 + Σ (a_k cos kφ + b_k sin kφ) around the origin of its body's frame, free outside: a cam.

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
    A circle or a line that touches it must do so in one point: no circle as curved as the cam is hollow, and for a line a
    convex cam. Newton's method starts at the polar angle of the centre of the circle, or of the normal of the line.
    """

    def __init__(self, a: ArrayLike, b: ArrayLike = ()) -> None:
        self.a = tuple(np.atleast_1d(vector("a", np.atleast_1d(a))).tolist())
        self.b = tuple(vector("b", np.atleast_1d(b)).tolist())
        angles = np.linspace(0.0, 2.0 * np.pi, 721)
        if not self.a or not (self.radius(angles) > 0.0).all():
            reject("a", a, "such that the radius is positive all around")

    @classmethod
    def through(cls, radii: ArrayLike) -> Polar:
        """The contour through points at equal angles φ = 0, 2π/n, ..., by trigonometric interpolation.

        Parameters
        ----------
        radii : array_like, shape (n,)
            Their distances from the origin, m.
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
        """R or a derivative of it by the angle, of numbers, arrays or formulas."""
        total: Any = self.a[0] if order == 0 else 0.0
        turn = 0.5 * np.pi * order
        for k in range(1, max(len(self.a), len(self.b) + 1)):
            for factors, shift in ((self.a[1:], 0.0), (self.b, -0.5 * np.pi)):
                if k <= len(factors) and factors[k - 1] != 0.0:
                    total = total + factors[k - 1] * float(k) ** order * cos(k * angle + (turn + shift))
        return total

    def _start(self, x: Any, y: Any) -> Any:
        return atan2(y, x)

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


Contour: TypeAlias = Circle | Line | Polynomial | Polar
_Curve = (Polynomial, Polar)


@dataclass(frozen=True)
class Placed:
    """A contour on its body: see `Circle.on`."""

    contour: Contour
    x: Scalar = 0.0
    y: Scalar = 0.0
    angle: Scalar = 0.0

    def world(self, point: Point) -> Point:
        """A point of the body's frame."""
        a, b = self.turned(point)
        return self.x + a, self.y + b

    def turned(self, direction: Point) -> Point:
        """A direction of the body's frame."""
        c, s = cos(self.angle), sin(self.angle)
        return direction[0] * c - direction[1] * s, direction[0] * s + direction[1] * c

    def seen(self, direction: Point) -> Point:
        """A direction in the body's frame."""
        c, s = cos(self.angle), sin(self.angle)
        return direction[0] * c + direction[1] * s, direction[1] * c - direction[0] * s


@dataclass(frozen=True)
class _Meeting:
    """What two contours do: their gap, the point on the first, the normal from the first to the second."""

    gap: Any
    point: Point
    normal: Point


def gap(first: Placed, second: Placed) -> Expr:
    """Return the distance of two contours along their common normal; negative: they overlap.

    Parameters
    ----------
    first, second : Placed
        A circle and a circle, a line, a `Polynomial` or a `Polar`; a `Polar` and a line. In either order.

    Returns
    -------
    Expr
        For ``add_contact(gap=...)``.

    Raises
    ------
    ValueError
        For another pair.

    Examples
    --------
    A disc of radius r that rolls off a fixed one of radius R:

    >>> import stickslip as ss
    >>> m = ss.Machine(mass=[1.0, 1.0, 0.005], names=["x", "y", "turn"], force={"y": -9.81})
    >>> fixed = ss.contours.Circle(1.0).on()
    >>> disc = ss.contours.Circle(0.1).on(*(ss.Expr(f"{name}.position") for name in m.names))
    >>> m.add_contact(
    ...     "hill",
    ...     gap=ss.contours.gap(fixed, disc),
    ...     tangent=ss.contours.sliding(fixed, disc),
    ...     friction=0.5,
    ... )
    """
    return as_expr(_meet(first, second).gap)


def sliding(first: Placed, second: Placed) -> dict[str, Expr]:
    """Return the velocity of the second body relative to the first where they touch, along the contour.

    Of the two material points in contact, not of the point of contact, which wanders. The direction is that of the normal
    from the first to the second turned to the right: above a floor to the right.

    Parameters
    ----------
    first, second : Placed
        As for `gap`. Their places must not depend on time: drive a coordinate by `Machine.add_constraint` instead.

    Returns
    -------
    dict of str to Expr
        Factors of the velocities of the coordinates, for ``add_contact(tangent=...)``.

    Raises
    ------
    ValueError
        For another pair, or where a place depends on time.

    Examples
    --------
    >>> import stickslip as ss
    >>> wheel = ss.contours.Circle(0.5).on(*(ss.Expr(f"{name}.position") for name in ("x", "y", "turn")))
    >>> row = ss.contours.sliding(ss.contours.Line().on(), wheel)
    >>> sorted(row), round(row["turn"]({"y.position": 0.5}), 12)
    (['turn', 'x'], 0.5)
    """
    met = _meet(first, second)
    along = met.normal[1], -met.normal[0]
    row: dict[str, Any] = {}
    for placed, sign in ((first, -1.0), (second, 1.0)):
        arm = met.point[0] - placed.x, met.point[1] - placed.y
        for value, effect in (
            (placed.x, along[0]),
            (placed.y, along[1]),
            (placed.angle, along[1] * arm[0] - along[0] * arm[1]),
        ):
            for name, slope in as_expr(value).gradient().items():
                coordinate, _, kind = name.rpartition(".")
                if kind != "position":
                    reject("place", name, "a function of positions: drive a coordinate by add_constraint")
                row[coordinate] = row.get(coordinate, 0.0) + sign * effect * slope
    factors = {name: as_expr(value) for name, value in row.items()}
    return {name: f for name, f in factors.items() if f.inputs or f({}) != 0.0}


def _meet(first: Placed, second: Placed) -> _Meeting:
    a, b = first.contour, second.contour
    if isinstance(b, Circle) and not isinstance(a, Circle):
        return _line_circle(first, second) if isinstance(a, Line) else _curve_circle(first, second)
    if isinstance(a, Circle) and isinstance(b, Circle):
        return _swapped(second, first, _circles) if a.hollow < b.hollow else _circles(first, second)
    if isinstance(a, Polar) and isinstance(b, Line):
        return _curve_line(first, second)
    if isinstance(a, Circle):
        return _swapped(second, first, _meet)
    if isinstance(a, Line) and isinstance(b, Polar):
        return _swapped(second, first, _meet)
    pair = f"{type(a).__name__} and {type(b).__name__}"
    return reject("pair", pair, "a Circle and any other, or a Polar and a Line")


def _swapped(first: Placed, second: Placed, meet: Any) -> _Meeting:
    """The same seen from the second, whose point is as far away as the gap."""
    met = meet(first, second)
    x, y = met.normal
    return _Meeting(met.gap, (met.point[0] + met.gap * x, met.point[1] + met.gap * y), (-x, -y))


def _centre(placed: Placed) -> Point:
    circle = placed.contour
    assert isinstance(circle, Circle)
    return placed.world((circle.x, circle.y))


def _solid(circle: Circle) -> float:
    if circle.hollow:
        reject("hollow", True, "False but for a circle around another, which is a disc")
    return circle.radius


def _circles(first: Placed, second: Placed) -> _Meeting:
    a, b = first.contour, second.contour
    assert isinstance(a, Circle) and isinstance(b, Circle)
    (x1, y1), (x2, y2) = _centre(first), _centre(second)
    away = x2 - x1, y2 - y1
    distance = hypot(*away)
    side = -1.0 if a.hollow else 1.0
    normal = side * away[0] / distance, side * away[1] / distance
    point = x1 + side * a.radius * normal[0], y1 + side * a.radius * normal[1]
    return _Meeting(side * (distance - a.radius) - _solid(b), point, normal)


def _line_circle(first: Placed, second: Placed) -> _Meeting:
    line, circle = first.contour, second.contour
    assert isinstance(line, Line) and isinstance(circle, Circle)
    centre, start = _centre(second), first.world((line.x, line.y))
    normal = first.turned((-float(np.sin(line.angle)), float(np.cos(line.angle))))
    height = normal[0] * (centre[0] - start[0]) + normal[1] * (centre[1] - start[1])
    point = centre[0] - height * normal[0], centre[1] - height * normal[1]
    return _Meeting(height - _solid(circle), point, normal)


def _foot(curve: Any, start: Any, residual: Any, scale: float) -> Any:
    """The parameter at which a residual vanishes, and what is NaN where it does not."""
    s = start
    for _ in range(_STEPS):
        value, slope = residual(*curve._along(s))
        s = s - value / slope
    left = residual(*curve._along(s))[0] / scale
    return s, _NOTHING * sqrt(_FOUND**2 - left * left)


def _curve_circle(first: Placed, second: Placed) -> _Meeting:
    curve, circle = first.contour, second.contour
    assert isinstance(curve, _Curve) and isinstance(circle, Circle)
    centre = _centre(second)
    x, y = first.seen((centre[0] - first.x, centre[1] - first.y))

    def residual(r: Point, r1: Point, r2: Point) -> Point:
        dx, dy = r[0] - x, r[1] - y
        return r1[0] * dx + r1[1] * dy, r1[0] * r1[0] + r1[1] * r1[1] + r2[0] * dx + r2[1] * dy

    s, found = _foot(curve, curve._start(x, y), residual, curve._size**2)
    point, normal = _at(curve, s)
    distance = normal[0] * (x - point[0]) + normal[1] * (y - point[1])
    return _Meeting(distance - _solid(circle) + found, first.world(point), first.turned(normal))


def _curve_line(first: Placed, second: Placed) -> _Meeting:
    curve, line = first.contour, second.contour
    assert isinstance(curve, Polar) and isinstance(line, Line)
    start = second.world((line.x, line.y))
    m = first.seen(second.turned((-float(np.sin(line.angle)), float(np.cos(line.angle)))))
    away = first.seen((start[0] - first.x, start[1] - first.y))

    def residual(r: Point, r1: Point, r2: Point) -> Point:
        return m[0] * r1[0] + m[1] * r1[1], m[0] * r2[0] + m[1] * r2[1]

    s, found = _foot(curve, curve._start(-m[0], -m[1]), residual, curve._size)
    point, _ = _at(curve, s)
    distance = m[0] * (point[0] - away[0]) + m[1] * (point[1] - away[1])
    return _Meeting(distance + found, first.world(point), first.turned((-m[0], -m[1])))


def _at(curve: Any, s: Any) -> tuple[Point, Point]:
    """A point of a curve and its normal to the free side."""
    point, (x, y), _ = curve._along(s)
    length = hypot(x, y)
    return point, (-curve._side * y / length, curve._side * x / length)
