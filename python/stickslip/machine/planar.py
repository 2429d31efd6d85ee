"""Friction in a plane: two directions of sliding, with a force that depends on the speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stickslip._checks import positive, reject
from stickslip.expressions import functions as f
from stickslip.expressions.expr import Expr, as_expr
from stickslip.expressions.tracing import trace
from stickslip.laws import Coulomb, Law, Stribeck, as_law
from stickslip.machine import _smooth
from stickslip.machine._smooth import Function
from stickslip.machine.guides import GuidedMachine
from stickslip.machine.places import On

_ROUND = 1e-3  # of the rest velocity: rounds the magnitudes of velocities at zero


class PlanarMachine(GuidedMachine):
    """A plant with friction in planes."""

    def add_planar_friction(
        self,
        name: str,
        on: tuple[On, On] | Sequence[On],
        law: Law | float,
        normal_load: float | Expr | Function = 1.0,
        *,
        facets: int = 8,
        rest_velocity: float = 1e-6,
    ) -> None:
        """Add friction in a plane, whose force opposes the velocity vector and depends on the speed.

        While the body slides with the velocity v the force is ``-normal_load·f(|v|)·v/|v|``. At rest it may be any
        force within a regular polygon of `facets` sides in the circle of the static level.

        Parameters
        ----------
        name : str
            Name; the ``facets / 2`` friction elements are ``"<name>[0]"``, ``"<name>[1]"``, ... along directions at equal
            angles from the first one, with the signals of friction elements.
        on : tuple of two
            Two perpendicular directions, each as in `add_friction`, of the same length.
        law : Law or float
            `Coulomb`, exponential `Stribeck` without a viscous part, or a sum of these, per unit normal load, or a
            coefficient of friction. For viscous friction use the damping of the machine.
        normal_load : float, Expr or callable, default 1.0
            Normal load, N, >= 0: a number or a function ``N(q, v, t)``. The force of a contact is not possible: use the
            two tangents of `add_contact` with a `Coulomb` law.
        facets : int, default 8
            Number of sides of the polygon, even. The limit of sticking is smaller than the static level by at most ``1 -
            cos(π/facets)``, 7.6 % for 8 facets and 0.5 % for 32.
        rest_velocity : float, default 1e-6
            Speed, m/s, below which the force of sliding passes over into the polygon of rest; the force of sliding is
            off by the order of ``(rest_velocity/|v|)²``. Under a force between the polygon and the circle the body
            creeps at about this speed.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        Element k acts along the unit vector d_k with the level ``(2/n) f(|v|) |v · d_k|/|v|``, n = facets/2. For n > 1
        directions at equal angles ``Σ d_k d_k' = (n/2) 1``, so the sum of the forces is ``f(|v|) v/|v|``. With ``w =
        v²/(v² + rest_velocity²)`` this and the equal levels of the polygon are added in the ratio of w to 1 - w, so
        that no force exceeds the circle.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
        >>> m.add_planar_friction("pad", on=("x", "y"), law=0.2, normal_load=9.81)
        >>> run = ss.simulate(m, t_end=0.4, initial={"x.velocity": 0.6, "y.velocity": 0.8})
        >>> v = run["x.velocity"][-1], run["y.velocity"][-1]
        >>> float(np.hypot(*v).round(6)), float((v[1] / v[0]).round(6))       # 1 - 0.2·9.81·0.4, straight on
        (0.2152, 1.333333)
        """
        law = as_law(law, f"law of '{name}'")
        if not (isinstance(facets, int) and facets >= 4 and facets % 2 == 0):
            reject(f"facets of '{name}'", facets, "an even number >= 4")
        if isinstance(on, (str, Mapping)) or len(on) != 2:
            reject(f"on of '{name}'", on, "two perpendicular directions")
        n, least = facets // 2, positive(f"rest_velocity of '{name}'", rest_velocity)
        rows = [self._parts(f"on[{k}] of '{name}'", row) for k, row in enumerate(on)]
        load = self._given_load(name, normal_load)
        speeds = [
            sum((factor * Expr(f"{c}.velocity") for c, factor in row.items()), start=as_expr(0.0))
            for row in rows
        ]
        squared = speeds[0] ** 2 + speeds[1] ** 2
        speed = f.sqrt(squared + (_ROUND * least) ** 2)
        force, begin, level = _curve(name, law, speed)
        rest = float(np.sin(np.pi / facets)) * level / begin * least**2  # the sum is a regular polygon
        for k in range(n):
            angle = 2.0 * np.pi / facets * k
            share = float(np.cos(angle)), float(np.sin(angle))
            along: dict[str, float] = dict.fromkeys((*rows[0], *rows[1]), 0.0)
            for row, factor in zip(rows, share, strict=True):
                for coordinate, value in row.items():
                    along[coordinate] += factor * value
            component = share[0] * speeds[0] + share[1] * speeds[1]
            slide = (2.0 / n) * f.sqrt(component**2 + (_ROUND * least) ** 2) * speed
            self.add_friction(
                f"{name}[{k}]", along, 1.0, load * force * (slide + rest) / (squared + least**2)
            )

    def _given_load(self, name: str, load: Any) -> Expr:
        if isinstance(load, str) or not (_smooth.is_smooth(load) or np.ndim(load) == 0):
            reject(
                f"normal_load of '{name}'", load,
                "a number, or a function of the motion; a contact takes two tangents and a Coulomb law, add_contact",
            )  # fmt: skip
        traced = trace(load, self.names) if callable(load) and not isinstance(load, Expr) else load
        return as_expr(traced, f"normal_load of '{name}'")


def _curve(name: str, law: Law, speed: Expr) -> tuple[Expr, float, float]:
    """The curve over the speed, its value at v = 0, and the static level."""
    total, begin, level = as_expr(0.0), 0.0, 0.0
    for term in law.terms:
        if isinstance(term, Coulomb):
            assert term.static is not None and term.kinetic is not None
            total, begin, level = total + term.kinetic, begin + term.kinetic, level + term.static
        elif isinstance(term, Stribeck) and term.form == "exponential" and term.viscous == 0.0:
            assert term.static is not None and term.kinetic is not None
            fall = f.exp(-((speed / term.stribeck_velocity) ** term.shape))
            total = total + term.kinetic + (term.static - term.kinetic) * fall
            begin, level = begin + term.static, level + term.static
        else:
            reject(
                f"law of '{name}'",
                law,
                "a sum of Coulomb and exponential Stribeck terms without a viscous part",
            )
    if not begin > 0.0:
        reject(f"law of '{name}'", law, "a law with a level > 0")
    return total, begin, level
