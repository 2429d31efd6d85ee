"""Gears of a machine, with losses in their teeth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import number, reject
from stickslip.laws import Coulomb
from stickslip.machine.loss_table import read_loss_table
from stickslip.machine.places import law_fields
from stickslip.machine.planar import PlanarMachine
from stickslip.signals import as_signal

FLANKS = {"drive": 1.0, "coast": -1.0}


class GearedMachine(PlanarMachine):
    """A plant with gears."""

    def add_gear(
        self,
        name: str,
        on: tuple[str, str],
        ratio: float,
        efficiency: float | tuple[float, float] | None = None,
        *,
        friction: float | None = None,
        loss_table: ArrayLike | None = None,
        backlash: float = 0.0,
    ) -> None:
        """Add a gear with losses in its teeth.

        ``on[0]`` turns `ratio` times as fast as ``on[1]``. Losses are friction on two flanks, proportional to the flank
        force: they scale with the torque, over the speed as `loss_table` states, also act at rest, and make the gear
        self-locking if the backward efficiency is <= 0.

        Parameters
        ----------
        name : str
            Name; the flanks are the contacts ``"<name>_drive"``, loaded while the first shaft drives forwards, and
            ``"<name>_coast"``. Without losses and backlash the gear is the constraint ``"<name>"``.
        on : tuple of two str
            The first shaft (input) and the second.
        ratio : float
            Turns of the first shaft per turn of the second; negative: in opposite directions.
        efficiency : float or tuple of two float, optional
            Ratio of output to input power: from the first shaft to the second, in (0, 1], and backwards, at most 1; a
            single number holds in both directions. Backwards ``<= 0`` is self-locking: a load M on the second shaft
            does not move it, and the first shaft lowers it with ``-backwards M / ratio``.
        friction : float, optional
            Alternative to `efficiency`: coefficient of friction of the teeth, >= 0, sliding at the speeds of both
            shafts, ``w1 + ratio w2``: the efficiency is ``(1 - friction)/(1 + friction)`` both ways.
        loss_table : array_like, shape (n, 5), optional
            Alternative to `efficiency`: losses over the speed, as the ``lossTable`` of Modelica's ``LossyGear``. Rows are
            the speed of the first shaft, rad/s, increasing from 0; the efficiencies forwards and backwards; and the
            bearing torques, Nm at the first shaft, while power flows forwards and backwards. Linear in between, constant
            beyond. The bearings are the friction elements ``"<name>_bearing"`` of the second shaft and, if both torques
            differ, ``"<name>_first_bearing"``.
        backlash : float, default 0.0
            Total backlash, as rotation of the first shaft, rad.

        Raises
        ------
        ValueError
            Naming the argument.

        Notes
        -----
        The flank torques are L on the first shaft and ``ratio L`` on the second, the friction torques ``a L`` and ``b
        ratio L``. Then the efficiency is ``e = (1 - b)/(1 + a)`` forwards and ``r = (1 - a)/(1 + b)`` backwards, from
        which ``a = (1 - 2 r + e r)/(1 - e r)`` and ``b = (1 - 2 e + e r)/(1 - e r)``. Pelchen, Schweiger, Otter (2002),
        Modeling and simulating the efficiency of gearboxes and of planetary gearboxes, equations 9 to 16: LossyGear of
        the Modelica Standard Library. For bearing friction add a friction element (`Coulomb` and `Viscous`), or give a
        `loss_table`.

        Each flank is a unilateral contact with friction proportional to its normal force, to which all rules of
        contacts apply. Without backlash both flanks touch, but only one is loaded; the change from one to the other at
        a reversal of the torque is no event.

        Examples
        --------
        >>> import stickslip as ss
        >>> m = ss.Machine(mass=[0.1, 2.0], names=["motor", "drum"], force={"motor": 3.0, "drum": -2.0})
        >>> m.add_gear("worm", on=("motor", "drum"), ratio=20.0, efficiency=(0.4, -0.5))
        >>> lifts = ss.simulate(m, t_end=1.0)
        >>> into = 3.0 - 0.1 * lifts["motor.acceleration"][-1]
        >>> out = 2.0 + 2.0 * lifts["drum.acceleration"][-1]
        >>> float(round(out / (20.0 * into), 9))
        0.4
        """
        suffix = f" of '{name}'"
        ratio = number("ratio" + suffix, ratio)
        if not (isinstance(on, (tuple, list)) and len(on) == 2 and on[0] != on[1]):
            reject("on" + suffix, on, "a pair of different coordinates")
        if ratio == 0.0 or not np.isfinite(ratio):
            reject("ratio" + suffix, ratio, "finite and not zero")
        if sum(losses is not None for losses in (efficiency, friction, loss_table)) != 1:
            raise ValueError(f"gear '{name}' needs one of efficiency, friction and loss_table")
        backlash = number("backlash" + suffix, backlash)
        if not 0.0 <= backlash < np.inf:
            reject("backlash" + suffix, backlash, "finite and >= 0")
        one, two = str(on[0]), str(on[1])
        if loss_table is not None:
            return self._add_losses(name, one, two, ratio, loss_table, backlash)
        a, b = rubbing(suffix, efficiency, friction)
        mean = 0.5 * (a + b)
        if mean == 0.0 and backlash == 0.0:
            return self.add_constraint(name, on={one: 1.0, two: -ratio})
        for flank, side in FLANKS.items():
            rubs = {} if mean == 0.0 else {
                "tangent": {one: a / mean, two: ratio * b / mean}, **law_fields("friction", Coulomb(mean)),
            }  # fmt: skip
            self._add_flank(f"{name}_{flank}", one, two, side, ratio, backlash, rubs)
        return None

    def _add_flank(
        self, name: str, one: str, two: str, side: float, ratio: float, backlash: float, rubs: dict[str, Any]
    ) -> None:
        normal = {one: -side, two: side * ratio}
        self._add("contact", name=name, normal=normal, gap=as_signal(0.5 * backlash).compiled, **rubs)

    def _add_losses(
        self, name: str, one: str, two: str, ratio: float, given: ArrayLike, backlash: float
    ) -> None:
        losses = read_loss_table(f" of '{name}'", given)
        for flank, side in FLANKS.items():
            second, first = losses.of_flank(side)
            rubs = {"tangent": {two: ratio}, **law_fields("friction", second)}
            self._add_flank(f"{name}_{flank}", one, two, side, ratio, backlash, rubs)
            load = f"{name}_{flank}.normal_force"
            self.add_friction(f"{name}_{flank}_first", on=one, law=first, normal_load=load)
        first, second = losses.of_bearings()
        if losses.first_bearings.any():
            self.add_friction(f"{name}_first_bearing", on=one, law=first)
        if losses.second_bearings.any():
            self.add_friction(f"{name}_bearing", on={two: ratio}, law=second)


def rubbing(
    suffix: str, efficiency: float | tuple[float, float] | None, friction: float | None
) -> tuple[float, float]:
    """Return the friction of both shafts as proportions of the flank force."""
    if friction is not None:
        mu = number("friction" + suffix, friction)
        if not 0.0 <= mu < np.inf:
            reject("friction" + suffix, friction, "finite and >= 0")
        return mu, mu
    pair = efficiency if isinstance(efficiency, (tuple, list)) else (efficiency, efficiency)
    if len(pair) != 2:
        reject("efficiency" + suffix, efficiency, "a number, or a pair: forwards and backwards")
    e, r = (number("efficiency" + suffix, x) for x in pair)
    if not (0.0 < e <= 1.0 and -np.inf < r <= 1.0):
        reject("efficiency" + suffix, efficiency, "in (0, 1] forwards and at most 1 backwards")
    if e == r == 1.0:
        return 0.0, 0.0
    if 1.0 in (e, r):
        reject("efficiency" + suffix, efficiency, "below 1 both ways, or 1 both ways")
    return (1.0 - 2.0 * r + e * r) / (1.0 - e * r), (1.0 - 2.0 * e + e * r) / (1.0 - e * r)
