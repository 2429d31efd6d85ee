"""Unilateral contacts of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import number, reject
from stickslip.expressions.expr import Expr
from stickslip.laws import Coulomb, Law, as_law
from stickslip.machine import _smooth
from stickslip.machine._smooth import Function
from stickslip.machine.compliance import Compliance, HuntCrossley, KelvinVoigt, described
from stickslip.machine.elements import MechanicalMachine
from stickslip.machine.places import law_fields
from stickslip.signals import Signal, as_signal


class ContactMachine(MechanicalMachine):
    """A plant with contacts."""

    def add_contact(
        self,
        name: str,
        normal: Mapping[str, float] | ArrayLike | None = None,
        tangent: Mapping[str, float | Expr] | ArrayLike | Function | None = None,
        friction: Law | float | None = None,
        gap: Signal | float | Expr | Function = 0.0,
        restitution: float | Expr | Callable[[Expr], Any] | tuple[ArrayLike, ArrayLike] = 0.0,
        impact: str = "poisson",
        surface_velocity: Signal | float = 0.0,
        tangential_restitution: float | None = None,
        compliance: Compliance | None = None,
        second_tangent: Mapping[str, float | Expr] | ArrayLike | Function | None = None,
        facets: int = 8,
    ) -> None:
        """Add a unilateral contact with friction, rigid or compliant.

        The gap ``g = normal . q + gap(t)``, or ``gap(q, t)``, stays >= 0; a normal force >= 0 acts while it is zero.
        With a `compliance` the gap may become negative, and the force follows from its depth.

        Parameters
        ----------
        name : str
            Name of the element; signals are ``"<name>.gap"``, ``.gap_rate``, ``.normal_force``, ``.normal_impulse`` and
            ``.mode``, with friction also ``.force`` (opposing the velocity), ``.velocity`` and ``.load``.
        normal : mapping or array_like, optional
            w_N, the gradient of the gap with respect to the coordinates: {coordinate: factor}, or all factors. Not
            given if `gap` is a function of the coordinates.
        tangent : mapping, array_like or callable, optional
            w_T: the tangential velocity is ``tangent . q' - surface_velocity``. Needed with friction. Factors may be
            expressions of positions and time, or be returned by a Python function ``f(q, t)``; they need not be the
            gradient of a function.
        friction : Law or float, optional
            Law per unit normal force, or a coefficient of friction (static = kinetic); none by default. On a contact
            all parts of a law are per unit normal force, including viscous friction (s/m) and the damping of
            presliding, so that friction vanishes at lift-off.
        gap : float, Signal, Expr or callable, default 0.0
            With `normal`: the gap at q = 0, m, a number or, for a moving wall, a signal without jumps. Without
            `normal`: the whole gap g(q, t), an expression or a Python function ``f(q, t)`` that is traced once (see
            `trace`). Its gradient, its rate and the drift ζ = d/dt(∂g/∂q)·q' + … in g'' = w_N·q'' + ζ follow from it
            exactly.
        restitution : float or Expr or callable or tuple of two array_like, default 0.0
            Coefficient of restitution, in [0, 1]; or a function of the approach speed v >= 0 of this contact: ``lambda
            v: ...``, a formula of ``Expr("speed")``, or a table ``(speeds, values)``, linear in between and constant
            beyond. In an impact of several contacts each has the coefficient at its own approach speed, and at 0 if it
            does not approach. A value outside [0, 1] ends the run ("failed"). Accumulating bounces end at the
            `rebound_threshold` of `simulate`; infinitely many impacts of several contacts in finite time (inelastic
            collapse) end in their limit, in which these contacts stay closed.
        impact : {"poisson", "newton"}
            Impact law. Approaching contacts, and closed contacts that receive impulses from them, take part in an
            impact; separating contacts do not. If their laws differ, Newton's holds for all of them, and the event
            states it. With friction an impact can gain energy: "energy gained" in the log.
        surface_velocity : float or Signal, default 0.0
            Velocity of the surface along the tangent, m/s.
        tangential_restitution : float, optional
            e_T in [0, 1]: coefficient of tangential restitution, as of a superball; see `contact.impact`. By default
            impulses obey dry friction only.
        second_tangent : mapping, array_like or callable, optional
            A second direction of sliding, perpendicular to `tangent` and of the same length, at every position if they
            are functions, as on a surface of revolution. Coulomb's friction disc is
            approximated by an inscribed regular polygon: the sum of ``facets / 2`` friction elements ``"<name>[0]"``,
            ``"<name>[1]"``, ... along directions at equal angles, each under the contact's normal force, so that every
            mode is linear. The direction of sliding friction is at most π/facets off; the friction limit in stick is
            smaller by at most ``1 - cos(π/facets)``, 7.6 % for 8 facets and 0.5 % for 32. Only Coulomb laws; the
            elements have the signals of friction elements.
        facets : int, default 8
            Number of sides of the polygon, even.
        compliance : HuntCrossley or KelvinVoigt, optional
            Force law of a compliant contact, which has no impacts. The contact is closed while its force is positive;
            events mark both ends. The energy of its spring is part of ``run.energy.elastic``, the work of its damper is
            ``run.energy.compliances``. The contact's force is the load of its friction; bristles start undeflected when
            the contact closes. For a moving wall give the gap as a function, ``gap=lambda q, t: ...``.

        Raises
        ------
        ValueError
            Naming the argument.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"], force={"y": -9.81})
        >>> m.add_contact("floor", normal={"y": 1.0}, tangent={"x": 1.0}, friction=0.3, restitution=0.5)
        >>> run = ss.simulate(m, t_end=2.0, initial={"y.position": 1.0, "x.velocity": 1.0})
        >>> run.events[0].impact
        True
        """
        if impact not in ("poisson", "newton"):
            reject(f"impact of '{name}'", impact, "'poisson' or 'newton'")
        if (tangent is None) != (friction is None):
            raise ValueError(f"contact '{name}' needs both tangent and friction, or neither")
        if second_tangent is not None:
            slides = self._facets(name, tangent, second_tangent, friction, facets)
            self.add_contact(name, normal, gap=gap, restitution=restitution, impact=impact)
            for k, (on, law) in enumerate(slides):
                self.add_friction(f"{name}[{k}]", on, law, f"{name}.normal_force", surface_velocity)
            return
        if compliance is not None and not isinstance(compliance, (HuntCrossley, KelvinVoigt)):
            reject(f"compliance of '{name}'", compliance, "a HuntCrossley or a KelvinVoigt")
        if friction is not None:
            friction = as_law(friction, f"friction of '{name}'")
        self._add(
            "contact",
            name=str(name),
            **self._gap(name, gap, normal),
            **self._tangent(name, tangent),
            surface_velocity=as_signal(surface_velocity, f"surface_velocity of '{name}'").compiled,
            **_smooth.restitution_of(f"restitution of '{name}'", restitution),
            impact=impact,
            **(
                {}
                if tangential_restitution is None
                else self._reversal(name, tangent, tangential_restitution)
            ),
            **({} if friction is None else law_fields("friction", friction)),
            **({} if compliance is None else {"compliance": described(compliance)}),
        )

    def _facets(
        self, name: str, tangent: Any, second: Any, friction: object, facets: int
    ) -> list[tuple[dict[str, Any], Coulomb]]:
        """Directions and laws whose sum is a regular polygon within Coulomb's circle."""
        what = f"friction of '{name}' in two directions"
        law = as_law(friction, what)  # type: ignore[arg-type]
        if not isinstance(law, Coulomb):
            reject(
                what,
                friction,
                "a Coulomb law; under a given load add_planar_friction takes friction over the speed",
            )
        if not (isinstance(facets, int) and facets >= 4 and facets % 2 == 0):
            reject(f"facets of '{name}'", facets, "an even number >= 4")
        rows: list[dict[str, Any]] = [
            _smooth.factors_of(f"{kind} of '{name}'", row, self.names)
            if _smooth.is_smooth(row)
            else self._gradient(f"{kind} of '{name}'", row)
            for kind, row in (("tangent", tangent), ("second_tangent", second))
        ]
        share = float(np.sin(np.pi / facets))
        assert law.static is not None and law.kinetic is not None  # one level serves for both
        part = Coulomb(law.static * share, law.kinetic * share)
        slides = []
        for angle in 2.0 * np.pi / facets * np.arange(facets // 2):
            along: dict[str, Any] = dict.fromkeys((*rows[0], *rows[1]), 0.0)
            for row, factor in zip(rows, (np.cos(angle), np.sin(angle)), strict=True):
                for coordinate, value in row.items():
                    along[coordinate] += float(factor) * value
            slides.append((along, part))
        return slides

    def _gap(self, name: str, gap: object, normal: object) -> dict[str, object]:
        what = f"gap of '{name}'"
        if _smooth.is_smooth(gap):
            if normal is not None:
                raise ValueError(
                    f"contact '{name}' has a gap that is a function of the motion: leave out normal"
                )
            return {"gap_expression": _smooth.value_of(what, gap, self.names)}
        if normal is None:
            raise ValueError(f"contact '{name}' needs normal, or a gap that is a function of the coordinates")
        gradient = self._gradient(f"normal of '{name}'", normal)  # type: ignore[arg-type]
        return {"normal": gradient, "gap": as_signal(gap, what).compiled}  # type: ignore[arg-type]

    def _tangent(self, name: str, tangent: object) -> dict[str, object]:
        what = f"tangent of '{name}'"
        if tangent is None:
            return {}
        if _smooth.is_smooth(tangent):
            return {"tangent_expression": _smooth.row_of(what, tangent, self.names)}
        return {"tangent": self._gradient(what, tangent)}  # type: ignore[arg-type]

    @staticmethod
    def _reversal(name: str, tangent: object, value: float) -> dict[str, float]:
        if tangent is None:
            raise ValueError(f"tangential_restitution of '{name}' needs a tangent and friction")
        return {"tangential_restitution": number(f"tangential_restitution of '{name}'", value)}
