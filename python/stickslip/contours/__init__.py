"""Gaps and sliding velocities of planar contours in contact, as formulas for ``add_contact(gap=..., tangent=...)``.

A contour belongs to a body, whose frame lies at (x, y) and is rotated by an angle; all three may be formulas of the
coordinates. Two contours have one gap: the distance along their common normal (*chatter* 3.1, 3.11 to 3.14: the
parameters of the contours follow from t1·(r2 - r1) = 0 and t1·n2 = 0, and curvature enters the drift ζ of g'' = w_N·q''
+ ζ). For circles and lines the gap has a closed form. For polynomials, splines and polar contours the steps of Newton's
method for the feet of the normal are part of the formula, so that all derivatives are exact.
"""

from stickslip.contours.pairs import gap, sliding
from stickslip.contours.shapes import Circle, Line, Placed, Polar, Polynomial
from stickslip.contours.splines import PolarSpline, Spline

__all__ = [
    "Circle",
    "Line",
    "Placed",
    "Polar",
    "PolarSpline",
    "Polynomial",
    "Spline",
    "gap",
    "sliding",
]


def __dir__() -> list[str]:
    return sorted(__all__)
