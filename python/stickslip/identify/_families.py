"""Curves of sliding friction for the fit: amounts that enter linearly, and nonlinear scales and exponents.

Every column is the force of a law of the package with one amount set to one, so that no formula is repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stickslip._checks import Array
from stickslip.laws import Coulomb, Law, Stribeck, Sum, Table, Tanh, Viscous
from stickslip.laws.law import SingleLaw

# Scales and exponents: where the search for a start begins, and whether they are freed without being asked for.
VELOCITIES = ("stribeck_velocity", "width")
EXPONENTS = {
    "shape": (0.5, 1.0, 2.0, 4.0),
    "viscous_exponent": (0.5, 1.0, 1.5, 2.0),
    "exponent": (0.5, 1.0, 1.5, 2.0),
}
LIMITS = {"viscous_exponent": 2.0, "exponent": 2.0}


@dataclass(frozen=True)
class Term:
    """One law of a sum, with the names of its parameters in the sum.

    Attributes
    ----------
    law : SingleLaw
        The law; parameters that are not fitted keep their values.
    prefix : str
        ``""``, or ``"0."`` and so on in a sum where names would clash.
    amounts, inner : tuple of str
        Names within the law.
    """

    law: SingleLaw
    prefix: str
    amounts: tuple[str, ...]
    inner: tuple[str, ...]

    def column(self, amount: str, inner: dict[str, float], speed: Array, load: float) -> Array:
        """Return the force at speeds > 0 for one unit of an amount."""
        return np.asarray(self._unit(amount, inner).force(speed, load), dtype=float)

    def _unit(self, amount: str, inner: dict[str, float]) -> Law:
        if isinstance(self.law, Coulomb):
            return Coulomb(1.0, float(amount == "kinetic"))
        if isinstance(self.law, Viscous):
            return Viscous(1.0, inner.get("exponent", self.law.exponent))
        if isinstance(self.law, Table):
            nodes = np.asarray(self.law.velocities)
            forces = np.zeros(nodes.size)
            forces[int(amount[7:-1])] = 1.0
            return Table(nodes, forces, odd=True)
        level = {"kinetic": (1.0, 1.0), "static": (1.0, 0.0), "viscous": (0.0, 0.0)}[amount]
        given = self.law.parameters | inner
        given |= {"static": level[0], "kinetic": level[1], "viscous": float(amount == "viscous")}
        if given["stribeck_velocity"] is None:
            given["stribeck_velocity"] = 1.0  # of no effect: the levels are equal, or it is being fitted
        return type(self.law)(**given)

    def made(self, amounts: dict[str, float], inner: dict[str, float]) -> Law:
        """Return the law with these parameters; the amount ``static`` is the difference of static and kinetic level."""
        if isinstance(self.law, Viscous):
            return Viscous(amounts["coefficient"], inner.get("exponent", self.law.exponent))
        if isinstance(self.law, Table):
            forces = [amounts[name] for name in self.amounts]
            return Table(self.law.velocities, forces, odd=True)
        levels = {"kinetic": amounts["kinetic"], "static": amounts["kinetic"] + amounts.get("static", 0.0)}
        if isinstance(self.law, Coulomb):
            return Coulomb(**levels)
        given = self.law.parameters | inner | levels
        return type(self.law)(**given | {"viscous": amounts.get("viscous", 0.0)})


def _nodes(speed: Array, count: int = 8) -> Array:
    """Nodes of a table: rest, and velocities that divide the samples evenly."""
    inside = np.quantile(speed, np.linspace(0.0, 1.0, count)[1:])
    return np.unique(np.concatenate([[0.0], inside]))


def _single(law: Any, speed: Array) -> SingleLaw:
    """An instance to start from; for a class, one with neutral numbers."""
    if isinstance(law, SingleLaw):
        return law
    if law is Coulomb:
        return Coulomb(1.0, 1.0)
    if law is Viscous:
        return Viscous(1.0)
    if law is Stribeck:
        return Stribeck(kinetic=1.0)
    if law is Tanh:
        return Tanh(width=1.0, kinetic=1.0)
    nodes = _nodes(speed)
    return Table(nodes, np.zeros(nodes.size), odd=True)


def terms(law: Any, speed: Array) -> tuple[Term, ...]:
    """Return the terms of a law, a class of laws, or a sum."""
    given = law.terms if isinstance(law, Sum) else (law,)
    fitted = (Coulomb, Viscous, Stribeck, Tanh, Table)
    for one in given:
        kind = one if isinstance(one, type) else type(one)
        if kind not in fitted:
            raise ValueError(
                f"law = {getattr(kind, '__name__', law)!s} has no curve to be fitted: it must be one of "
                f"{', '.join(c.__name__ for c in fitted)}, as a class or with numbers, or a sum of them. "
                "The steady curve of a law with bristles or memory is that of Stribeck"
            )
        if isinstance(one, Table) and not one.odd:
            raise ValueError(
                "law = a Table that is not odd: give its half for v >= 0 with odd=True, once for each direction"
            )
    found = []
    for one in given:
        single = _single(one, speed)
        amounts, inner = _names(single)
        found.append(Term(single, "", amounts, inner))
    names = [name for term in found for name in (*term.amounts, *term.inner)]
    clash = len({*names}) < len(names)
    return tuple(Term(t.law, f"{k}." if clash else "", t.amounts, t.inner) for k, t in enumerate(found))


def _names(law: SingleLaw) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if isinstance(law, Coulomb):
        return ("kinetic", "static"), ()
    if isinstance(law, Viscous):
        return ("coefficient",), ("exponent",)
    if isinstance(law, Table):
        return tuple(f"forces[{k}]" for k in range(np.asarray(law.velocities).size)), ()
    inner = ("stribeck_velocity", "shape", "viscous_exponent")
    return ("kinetic", "static", "viscous"), (("width", *inner) if isinstance(law, Tanh) else inner)


def usual(term: Term) -> tuple[str, ...]:
    """Return the default free parameters: levels, coefficients and velocities, except the static level of Coulomb."""
    amounts = ("kinetic",) if isinstance(term.law, Coulomb) else term.amounts
    return (*amounts, *(name for name in term.inner if name in VELOCITIES))


def held_amount(term: Term, name: str) -> float:
    """Return the value of an amount that is not fitted."""
    if isinstance(term.law, Coulomb) or name in ("static", "kinetic"):
        static, kinetic = float(term.law.static), float(term.law.kinetic)  # type: ignore[attr-defined]
        return kinetic if name == "kinetic" else static - kinetic
    if isinstance(term.law, Table):
        return float(np.asarray(term.law.forces)[int(name[7:-1])])
    return float(getattr(term.law, name))


def starts(name: str, speed: Array) -> Sequence[float]:
    """Return trial values of a scale or an exponent."""
    if name in EXPONENTS:
        return EXPONENTS[name]
    low, high = float(np.quantile(speed, 0.02)), float(speed.max())
    return [math.exp(x) for x in np.linspace(math.log(0.5 * low), math.log(high), 20)]
