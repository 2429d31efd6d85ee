"""Friction laws: what force at what sliding velocity.

Every law is an immutable value: parameters are attributes, laws compare by value, can be pickled and printed
so that the text builds the law again, and add up with ``+``. ``F`` opposes the relative velocity ``v`` and
acts on the body as ``-F``. Levels, bristle stiffness and bristle damping are **per unit normal load**: with
``normal_load=1`` they are forces, otherwise coefficients of friction. Viscous parts are absolute and do not
scale with the load. Curves take their levels by position, ``static, kinetic, stribeck_velocity``; everything else has a
name. Wherever a law is taken a number is one, too: dry friction of one level (`as_law`).
"""

from stickslip.laws.bristles import BoucWen, Dahl, ElastoPlastic, Leuven, LuGre, MaxwellSlip, TwoStateBristle
from stickslip.laws.curves import Coulomb, Curve, Stribeck, Table, Tanh, Viscous, as_law
from stickslip.laws.law import BreakAway, Law, Linearisation, Response, Sum

__all__ = [
    "BoucWen",
    "BreakAway",
    "Coulomb",
    "Curve",
    "Dahl",
    "ElastoPlastic",
    "Law",
    "Leuven",
    "Linearisation",
    "LuGre",
    "MaxwellSlip",
    "Response",
    "Stribeck",
    "Sum",
    "Table",
    "Tanh",
    "TwoStateBristle",
    "Viscous",
    "as_law",
]
