"""Guides: bilateral constraints with friction by their reaction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import number, reject
from stickslip.expressions.expr import Expr, as_expr
from stickslip.expressions.tracing import trace
from stickslip.laws import Law
from stickslip.machine import _smooth
from stickslip.machine._smooth import Function
from stickslip.machine.contacts import ContactMachine
from stickslip.signals import Signal, as_signal

_SIDES = {"upper": -1.0, "lower": 1.0}


class GuidedMachine(ContactMachine):
    """A plant with guides."""

    def add_guide(
        self,
        name: str,
        on: Mapping[str, float] | Expr | Function,
        tangent: Mapping[str, float | Expr] | ArrayLike | Function,
        friction: Law | float,
        *,
        value: Signal | float = 0.0,
        clearance: float = 0.0,
    ) -> None:
        """Add a bilateral constraint whose reaction loads friction: a rail, a sleeve, a pin.

        The position ``on . q = value(t)``, or the formula ``g(q, t) = 0``, is held by a reaction R, and friction
        ``friction·|R|`` acts along `tangent`. Both are found together, with the friction that the reaction depends on.

        Parameters
        ----------
        name : str
            Name; the two sides are the contacts ``"<name>_lower"``, whose normal force acts along `on`, and
            ``"<name>_upper"``, whose normal force acts against it: R is their difference, of which one is zero.
        on : mapping, Expr or callable
            Direction of the constraint, {coordinate: factor}, or a function ``g(q, t)`` that is held at zero, such as
            ``hypot(x, y) - length``. The reaction is a force if the gradient of g has the length 1.
        tangent : mapping, array_like or callable
            Direction of sliding, as in `add_contact`.
        friction : Law or float
            Law per unit reaction, or a coefficient of friction.
        value : float or Signal, default 0.0
            Position that is held, m; not with a formula, which contains it.
        clearance : float, default 0.0
            Total clearance between the sides, m; impacts at its ends are without rebound.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        Unilateral contacts on both sides, to which all rules of contacts apply. The start must satisfy the constraint.
        Where friction and reaction amplify each other (a sleeve that jams, Painlevé) several answers or none may exist,
        which events and the status of the run report. Without clearance `add_constraint` does the same for a friction
        element with ``normal_load="<constraint>.force"``, and two constraint forces load that of a plain bearing.

        Examples
        --------
        A bead on a horizontal ring: ``v' = -friction·v²/R``.

        >>> import numpy as np, stickslip as ss
        >>> m = ss.Machine(mass=[1.0, 1.0], names=["x", "y"])
        >>> m.add_guide("ring", lambda q: ss.math.hypot(q["x"], q["y"]) - 1.0, lambda q: [-q["y"], q["x"]], 0.2)
        >>> run = ss.simulate(m, t_end=3.0, initial={"x.position": 1.0, "y.velocity": 2.0})
        >>> float(np.hypot(run["x.velocity"][-1], run["y.velocity"][-1]).round(6))     # 2/(1 + 0.2·2·3)
        0.909091
        """
        clearance = number(f"clearance of '{name}'", clearance)
        if not 0.0 <= clearance < np.inf:
            reject(f"clearance of '{name}'", clearance, "finite and >= 0")
        held = as_signal(value, f"value of '{name}'")
        formula: Expr | None = None
        if not isinstance(on, Mapping):
            if not (held.compiled.is_constant and held.compiled.value(0.0) == 0.0):
                reject(
                    f"value of '{name}'",
                    value,
                    "left out where `on` is a formula g(q, t), which is held at zero",
                )
            traced = on if isinstance(on, Expr) else trace(on, self.names)
            formula = as_expr(traced, f"on of '{name}'")
        elif _smooth.is_smooth(on):
            reject(f"on of '{name}'", on, "numbers as factors, or a formula g(q, t)")
        for side, sign in _SIDES.items():
            if formula is not None:
                gap: Signal | Expr = sign * formula + 0.5 * clearance
                self.add_contact(f"{name}_{side}", tangent=tangent, friction=friction, gap=gap)
            else:
                normal = {str(k): sign * number(f"on of '{name}', factor of {k!r}", v) for k, v in on.items()}  # type: ignore[union-attr]
                gap = (-sign) * held + 0.5 * clearance
                self.add_contact(f"{name}_{side}", normal, tangent, friction, gap=gap)
