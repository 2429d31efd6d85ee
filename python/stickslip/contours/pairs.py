"""The gap of two contours and their sliding velocity, along their common normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip._checks import reject
from stickslip.contours.shapes import Circle, Curve, Line, Placed, Point
from stickslip.expressions.expr import Expr, as_expr
from stickslip.expressions.functions import hypot, sqrt

_FOUND = 1e-6  # residual of the foot, as a share of the contour's size, above which it counts as not found
_NOTHING = 1e-300  # lets NaN pass, and no number


@dataclass(frozen=True)
class _Meeting:
    """Geometry of two contours: gap, point on the first, normal from the first to the second."""

    gap: Any
    point: Point
    normal: Point


def gap(first: Placed, second: Placed) -> Expr:
    """Return the distance of two contours along their common normal, negative if they overlap.

    Parameters
    ----------
    first, second : Placed
        Any pair except two lines. For two curves the first determines the start of the search: see Notes.

    Returns
    -------
    Expr
        For ``add_contact(gap=...)``.

    Raises
    ------
    ValueError
        For two lines, and for a bore around anything other than a circle.

    Notes
    -----
    Between a circle and a curve only the foot of the normal through the centre is unknown. Between two curves both
    parameters are unknown: Newton's method solves ``r1'(s1)' (r2 - r1) = 0`` and ``r1'(s1) x r2'(s2) = 0``
    (*chatter* 3.1). It starts at the point of the first curve that faces the origin of the second, and at the point
    of the second with the opposite normal. If no common normal is found the gap is undefined, and the run ends as
    ``"failed"``.

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

    It is the relative velocity of the two material points in contact; the point of contact itself moves along the
    contours. The positive direction is the normal from the first to the second body, turned to the right: above a
    floor, to the right.

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
    if isinstance(a, Circle) and isinstance(b, Circle):
        return _swapped(second, first, _circles) if a.hollow < b.hollow else _circles(first, second)
    if isinstance(b, Circle):
        return _line_circle(first, second) if isinstance(a, Line) else _curve_circle(first, second)
    if isinstance(a, Curve):
        return _curve_line(first, second) if isinstance(b, Line) else _curves(first, second)
    if isinstance(a, Line) and isinstance(b, Line):
        return reject("pair", "Line and Line", "a pair with at least one contour that is not a line")
    return _swapped(second, first, _meet)


def _swapped(first: Placed, second: Placed, meet: Any) -> _Meeting:
    """The same from the second contour, whose point is at the distance of the gap."""
    met = meet(first, second)
    x, y = met.normal
    return _Meeting(met.gap, (met.point[0] + met.gap * x, met.point[1] + met.gap * y), (-x, -y))


def _centre(placed: Placed) -> Point:
    circle = placed.contour
    assert isinstance(circle, Circle)
    return placed.world((circle.x, circle.y))


def _solid(circle: Circle) -> float:
    if circle.hollow:
        reject("hollow", True, "False, except for a bore around a disc")
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


def _foot(curve: Curve, start: tuple[Any, Any], residual: Any, scale: float) -> tuple[Any, Any, Any]:
    """The piece and the parameter at which a residual vanishes, and what is NaN where it does not."""
    piece, s = start
    for k in range(curve._rounds):
        if k > 0:
            piece, s = curve._moved(piece, s)
        for _ in range(curve._steps):
            value, slope = residual(*piece._along(s))
            s = s - value / slope
    return piece, s, _unless(residual(*piece._along(s))[0] / scale, 0.0)


def _unless(left: Any, other: Any) -> Any:
    """Zero if both are small, else NaN."""
    return _NOTHING * sqrt(_FOUND**2 - left * left - other * other)


def _curve_circle(first: Placed, second: Placed) -> _Meeting:
    curve, circle = first.contour, second.contour
    assert isinstance(curve, Curve) and isinstance(circle, Circle)
    centre = _centre(second)
    x, y = first.seen((centre[0] - first.x, centre[1] - first.y))

    def residual(r: Point, r1: Point, r2: Point) -> Point:
        dx, dy = r[0] - x, r[1] - y
        return r1[0] * dx + r1[1] * dy, r1[0] * r1[0] + r1[1] * r1[1] + r2[0] * dx + r2[1] * dy

    piece, s, found = _foot(curve, curve._start(x, y), residual, curve._size**2)
    point, normal = _at(curve, piece, s)
    distance = normal[0] * (x - point[0]) + normal[1] * (y - point[1])
    return _Meeting(distance - _solid(circle) + found, first.world(point), first.turned(normal))


def _curve_line(first: Placed, second: Placed) -> _Meeting:
    curve, line = first.contour, second.contour
    assert isinstance(curve, Curve) and isinstance(line, Line)
    start = second.world((line.x, line.y))
    m = first.seen(second.turned((-float(np.sin(line.angle)), float(np.cos(line.angle)))))
    away = first.seen((start[0] - first.x, start[1] - first.y))

    def residual(r: Point, r1: Point, r2: Point) -> Point:
        return m[0] * r1[0] + m[1] * r1[1], m[0] * r2[0] + m[1] * r2[1]

    piece, s, found = _foot(curve, curve._facing((-m[0], -m[1]), *away), residual, curve._size)
    point, _ = _at(curve, piece, s)
    distance = m[0] * (point[0] - away[0]) + m[1] * (point[1] - away[1])
    return _Meeting(distance + found, first.world(point), first.turned((-m[0], -m[1])))


def _curves(first: Placed, second: Placed) -> _Meeting:
    """Both parameters, in the frame of the first body."""
    one, two = first.contour, second.contour
    assert isinstance(one, Curve) and isinstance(two, Curve)
    x, y = first.seen((second.x - first.x, second.y - first.y))
    other = Placed(two, x, y, second.angle - first.angle)
    a, s = one._start(x, y)
    near, normal = _at(one, a, s)
    b, u = two._facing(other.seen((-normal[0], -normal[1])), *other.seen((near[0] - x, near[1] - y)))

    def residuals() -> tuple[Any, Any, tuple[Any, Any, Any, Any]]:
        r1, t1, c1 = a._along(s)
        r2, t2, c2 = b._along(u)
        r2, t2, c2 = other.world(r2), other.turned(t2), other.turned(c2)
        d = r2[0] - r1[0], r2[1] - r1[1]
        slopes = (
            _dot(c1, d) - _dot(t1, t1), _dot(t1, t2),
            _cross(c1, t2), _cross(t1, c2),
        )  # fmt: skip
        return _dot(t1, d), _cross(t1, t2), slopes

    rounds = max(one._rounds, two._rounds)
    steps = -(-max(one._rounds * one._steps, two._rounds * two._steps) // rounds)
    for k in range(rounds):
        if k > 0:
            (a, s), (b, u) = one._moved(a, s), two._moved(b, u)
        for _ in range(steps):
            f, g, (fs, fu, gs, gu) = residuals()
            det = fs * gu - fu * gs
            s, u = s - (f * gu - fu * g) / det, u - (fs * g - f * gs) / det
    f, g, _ = residuals()
    found = _unless(f / one._size**2, g / (one._size * two._size))
    point, normal = _at(one, a, s)
    met = other.world(b._along(u)[0])
    distance = normal[0] * (met[0] - point[0]) + normal[1] * (met[1] - point[1])
    return _Meeting(distance + found, first.world(point), first.turned(normal))


def _dot(a: Point, b: Point) -> Any:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Point, b: Point) -> Any:
    return a[0] * b[1] - a[1] * b[0]


def _at(curve: Curve, piece: Any, s: Any) -> tuple[Point, Point]:
    """A point of a curve and its normal to the free side."""
    point, (x, y), _ = piece._along(s)
    length = hypot(x, y)
    return point, (-curve._side * y / length, curve._side * x / length)
