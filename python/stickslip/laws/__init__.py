"""Friction laws: force over sliding velocity.

Every law is an immutable value: parameters are attributes, laws compare by value, can be pickled, print as the
expression that makes them, and are added with ``+``. ``F`` opposes the relative velocity ``v`` and acts on the body as
``-F``. Levels, bristle stiffness and bristle damping are **per unit normal load**: with ``normal_load=1`` they are
forces, otherwise coefficients of friction. Viscous parts are absolute and do not scale with the load. Every law with
levels takes them by position, ``static, kinetic, stribeck_velocity``; `Dahl` and `BoucWen` have the one level
``kinetic``. All other parameters are keywords. Every argument that takes a law also takes a number: dry friction of one
level (`as_law`).

A law with one level, such as ``Coulomb(0.8)``, has one parameter under both names: sweeps, fits and derivatives of
``law.static`` or ``law.kinetic`` change both levels. The levels are independent if both are given, ``Coulomb(0.8,
0.8)``, or if both names vary. Defaults computed from other parameters (``alpha`` of `TwoStateBristle`,
``elastic_limit`` of `ElastoPlastic`) follow these when they vary, unless they vary themselves.

Examples
--------
>>> import stickslip as ss
>>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 1.0})
>>> m.add_friction("guide", on="slide", law=ss.Coulomb(0.8))
>>> out = ss.ensemble(m, {"guide.law.kinetic": [0.5, 2.0]}, t_end=2.0, measure=["slide.position.final"])
>>> out["slide.position.final"].round(9)
array([1., 0.])
"""

from stickslip.laws.bristles import BoucWen, Dahl, ElastoPlastic, Leuven, LuGre, MaxwellSlip, TwoStateBristle
from stickslip.laws.curves import Coulomb, Curve, Stribeck, Table, Tanh, Viscous, as_law
from stickslip.laws.formulas import FormulaLaw, rate_and_state, slip_weakening, thermal_weakening
from stickslip.laws.law import BreakAway, Law, Linearisation, Response, Sum

__all__ = [
    "BoucWen",
    "BreakAway",
    "Coulomb",
    "Curve",
    "Dahl",
    "ElastoPlastic",
    "FormulaLaw",
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
    "rate_and_state",
    "slip_weakening",
    "thermal_weakening",
]


def __dir__() -> list[str]:
    return sorted(__all__)
