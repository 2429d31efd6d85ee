"""Links of three shafts: planetary gears and differentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stickslip._checks import finite, positive, reject
from stickslip.machine.machine import Machine
from stickslip.parts.links import Link


@dataclass(frozen=True, repr=False)
class _ThreeShafts(Link):
    """A lossless gear of three shafts: one constraint of their speeds, whose force is ``"<name>.force"``."""

    _is_base: ClassVar[bool] = True
    kinds: ClassVar[tuple[tuple[str, ...], ...]] = (("rotary", "rotary", "rotary"),)

    def _factors(self) -> tuple[float, float, float]:
        """Factors of the speeds, whose sum is zero."""
        raise NotImplementedError

    def _join(self, machine: Machine, name: str, *shafts: str) -> None:
        machine.add_constraint(name, dict(zip(shafts, self._factors(), strict=True)))


@dataclass(frozen=True, repr=False)
class Planetary(_ThreeShafts):
    """A planetary gear: ``sun + ratio ring = (1 + ratio) carrier`` for the speeds of its shafts.

    In a `Drive` it needs ``between=("sun", "carrier", "ring")``, the names of its bodies in this order. A shaft without
    inertia is an `Inertia` of 0; one that is held has a `Brake` of large capacity, or is left out by a `Gear` instead:
    with the ring held, the sun turns ``1 + ratio`` times as fast as the carrier.

    Parameters
    ----------
    ratio : float
        Teeth of the ring over teeth of the sun, positive.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Its torques are t on the sun, ``ratio t`` on the ring and ``-(1 + ratio) t`` on the carrier; the planets have no
    inertia of their own. ``IdealPlanetary`` of the Modelica Standard Library.

    Examples
    --------
    >>> import stickslip as ss
    >>> hybrid = ss.Drive()
    >>> hybrid.add("generator", ss.parts.Motor(0.02, command=-1.0))
    >>> hybrid.add("engine", ss.parts.Inertia(0.2))
    >>> hybrid.add("wheels", ss.parts.Inertia(40.0))
    >>> hybrid.add("split", ss.parts.Planetary(ratio=2.6), between=("generator", "engine", "wheels"))
    >>> run = ss.simulate(hybrid, t_end=1.0, initial={"engine.velocity": 100.0, "wheels.velocity": 80.0})
    >>> float(round(run["generator.velocity"][0], 9))
    152.0
    """

    ratio: float

    def _check(self) -> None:
        self._read(positive, "ratio")

    def _factors(self) -> tuple[float, float, float]:
        return 1.0, -1.0 - self.ratio, self.ratio


@dataclass(frozen=True, repr=False)
class Differential(_ThreeShafts):
    """A differential: its first shaft turns `ratio` times as fast as the mean of the other two, which share its torque.

    In a `Drive` it needs ``between=("input", "left", "right")``, the names of its bodies in this order.

    Parameters
    ----------
    ratio : float, default 1.0
        Turns of the first shaft per turn of both others; negative: in the opposite direction.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    The left wheel spins on ice, and the right wheel, which needs 30 Nm to move, stands.

    >>> import stickslip as ss
    >>> car = ss.Drive()
    >>> car.add("shaft", ss.parts.Inertia(0.0))
    >>> car.add("left", ss.parts.Inertia(1.0, friction=5.0))
    >>> car.add("right", ss.parts.Inertia(1.0, friction=30.0))
    >>> car.add("axle", ss.parts.Differential(ratio=4.0), between=("shaft", "left", "right"))
    >>> car.add_force("shaft", 10.0)
    >>> run = ss.simulate(car, t_end=1.0)
    >>> float(round(run["left.velocity"][-1], 9)), float(run["right.velocity"][-1])
    (15.0, 0.0)
    """

    ratio: float = 1.0

    def _check(self) -> None:
        self._read(finite, "ratio")
        if self.ratio == 0.0:
            reject("ratio", self.ratio, "other than zero")

    def _factors(self) -> tuple[float, float, float]:
        return 1.0, -0.5 * self.ratio, -0.5 * self.ratio
