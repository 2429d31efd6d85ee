"""Friction laws without memory: force as a function of velocity, possibly with a jump at rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip._checks import reject
from stickslip.laws.law import Law, SingleLaw


@dataclass(frozen=True, repr=False)
class Coulomb(SingleLaw):
    """Dry friction of constant level: ``F = kinetic · sgn v``; at rest any force in [−static, static].

    Parameters
    ----------
    static : float, optional
        Break-away level per unit normal load, >= kinetic. A single level is both static and kinetic level, and one
        parameter: see `stickslip.laws`.
    kinetic : float, optional
        Level in sliding per unit normal load, >= 0.

    Raises
    ------
    ValueError
        If a level is negative or not finite, or ``static < kinetic``.

    Notes
    -----
    Source: the classical law of Amontons and Coulomb.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Coulomb(static=1.0, kinetic=0.8).force([-0.1, 0.1])
    array([-0.8,  0.8])
    """

    static: float | None = None
    kinetic: float | None = None


@dataclass(frozen=True, repr=False)
class Viscous(SingleLaw):
    """Viscous friction: ``F = coefficient · |v|^exponent · sgn v``. It does not scale with a given normal load.

    On a contact it is per unit normal force, like every part of a law there.

    Parameters
    ----------
    coefficient : float
        N (s/m)^exponent, >= 0; on a contact (s/m)^exponent.
    exponent : float, default 1.0
        > 0 and <= 2.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Viscous(0.5, exponent=2.0).force(-2.0)
    -2.0
    """

    coefficient: float
    exponent: float = 1.0


@dataclass(frozen=True, repr=False)
class Stribeck(SingleLaw):
    """Dry friction with a level that decreases with speed, plus viscous friction.

    ``F = [kinetic + (static − kinetic) · exp(−(|v|/stribeck_velocity)^shape)] · sgn v
    + viscous · |v|^viscous_exponent · sgn v``; at rest any force in [−static, static].

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic >= 0``; a single level is both.
    stribeck_velocity : float, optional
        Velocity scale of the decrease, m/s, > 0. Required if the levels differ.
    shape : float, default 2.0
        Exponent of the decrease, > 0. Below 1 the curve has a vertical tangent at v = 0.
    form : {"exponential", "lorentzian"}, default "exponential"
        Lorentzian: ``1/(1 + (|v|/stribeck_velocity)^shape)`` in place of the exponential.
    viscous : float, default 0.0
        Viscous coefficient, N (s/m)^viscous_exponent, >= 0; not scaled by the load.
    viscous_exponent : float, default 1.0
        > 0 and <= 2.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Sources: Stribeck 1902; Bo and Pavelescu 1982 (any shape); Armstrong-Hélouvry 1990 (shape 2); Hess and
    Soom 1990 (Lorentzian).

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3, shape=2.0, viscous=0.4)
    >>> round(law.force(1e-3), 6)
    1.18434
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    shape: float = 2.0
    form: str = "exponential"
    viscous: float = 0.0
    viscous_exponent: float = 1.0


@dataclass(frozen=True, repr=False)
class Tanh(SingleLaw):
    """Regularised dry friction: ``F = level(|v|) · tanh(v/width) + viscous · |v|^viscous_exponent · sgn v``.

    The level is that of `Coulomb` (one level) or `Stribeck` (two). There is no stick: at rest the force is zero, and
    under any load a body creeps at about ``width · load/static``. `break_away` is zero.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic >= 0``; a single level is both.
    stribeck_velocity : float, optional
        m/s, > 0; needed if the levels differ.
    width : float
        Velocity w, m/s, > 0, over which the sign is smoothed.
    shape, form, viscous, viscous_exponent
        As in `Stribeck`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Tanh(width=1e-3, kinetic=1.0).force([-1.0, 0.0, 1.0])
    array([-1.,  0.,  1.])
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    width: float
    shape: float = 2.0
    form: str = "exponential"
    viscous: float = 0.0
    viscous_exponent: float = 1.0


@dataclass(frozen=True, repr=False)
class Table(SingleLaw):
    """A tabulated curve: linear between (velocity, force) points, constant beyond the ends.

    Parameters
    ----------
    velocities : array_like, shape (n,)
        m/s, increasing. Zero may occur twice: the force then jumps, and at rest any force in between may act. The first
        value is <= 0, or 0 if `odd`; the last is >= 0.
    forces : array_like, shape (n,)
        Force per unit normal load. It must not decrease at the jump.
    odd : bool, default False
        If True, only the half v >= 0 is given; then ``F(−v) = −F(v)``, with a jump from −F(0) to F(0).

    Raises
    ------
    ValueError
        If the velocities do not increase, the lengths differ, a value is not finite, or the force decreases at the
        jump.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Table([-1.0, 0.0, 0.0, 1.0], [-1.0, -2.0, 1.5, 1.0])
    >>> law.force([-2.0, -0.5, 0.5]), law.break_away
    (array([-1.  , -1.5 ,  1.25]), BreakAway(negative=-2.0, positive=1.5))
    """

    velocities: ArrayLike
    forces: ArrayLike
    odd: bool = False

    @classmethod
    def sample(
        cls, function: Callable[[float], float] | Law, velocities: ArrayLike, odd: bool = False
    ) -> Table:
        """Tabulate a function: the fast form of a user-defined curve.

        Parameters
        ----------
        function : callable or Law
            Force per unit normal load at a velocity; for a law its steady curve.
        velocities : array_like
            Increasing velocities, m/s. At zero both limits are taken, so that a jump is kept.
        odd : bool, default False
            If True, only velocities >= 0 are sampled (zero is added if missing), with ``F(−v) = −F(v)``.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> ss.Table.sample(np.sign, [-1.0, 0.0, 1.0]).break_away
        BreakAway(±1.0)
        """
        f = function.force if isinstance(function, Law) else function
        tiny = float(np.finfo(float).tiny)
        points: list[tuple[float, float]] = []
        grid = [float(v) for v in np.asarray(velocities, dtype=float)]
        if odd and (not grid or grid[0] != 0.0):
            grid.insert(0, 0.0)
        for v in grid:
            if v != 0.0:
                points.append((v, float(f(v))))
                continue
            below, above = float(f(-tiny)), float(f(tiny))
            if not odd and abs(above - below) > 1e-200:
                points.append((v, below))
            points.append((v, above))
        return cls([v for v, _ in points], [force for _, force in points], odd)


@dataclass(frozen=True, repr=False)
class Curve(SingleLaw):
    """A friction curve as a Python function. **Slow**: every evaluation calls the interpreter.

    Machines with such a law run serially, and orders of magnitude slower than with a table made by `Table.sample`. Two
    laws are equal if their functions are equal; a law can be pickled if its function can.

    Parameters
    ----------
    function : callable
        ``function(v) -> float``: force per unit normal load at the velocity v (one number, either sign). Its limits at
        v = 0 may differ: at rest any force in between may act. They must satisfy F(0-) <= 0 <= F(0+). Elsewhere the
        force may act in the direction of motion, as in Rayleigh's oscillator.
    static : float, optional
        Break-away level per unit normal load, at least the limits at v = 0. By default those limits.
    velocity_scale : float, default 1e-3
        m/s, > 0. Slopes are differences over 1e-6 of ``max(|v|, velocity_scale)``.

    Raises
    ------
    ValueError
        If the function raises or returns NaN, naming the velocity (and in a run the time); if its limits at v = 0 act
        in the direction of motion.

    Examples
    --------
    >>> import math, stickslip as ss
    >>> ss.Curve(lambda v: math.copysign(1.0 + 0.5 * math.exp(-abs(v) / 0.1), v)).break_away
    BreakAway(±1.5)
    """

    function: Callable[[float], Any]
    static: float | None = None
    velocity_scale: float = 1e-3


def as_law(value: Law | float, name: str = "law") -> Law:
    """Return ``value`` if it is a law, dry friction of this level (a coefficient of friction) if it is a number.

    Every argument that takes a law accepts numbers in this way.

    Parameters
    ----------
    value : Law or float
        The argument.
    name : str
        Name of the argument in the error.

    Raises
    ------
    ValueError
        If ``value`` is neither, or the number is negative or not finite.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.laws.as_law(0.3)
    Coulomb(static=0.3)
    """
    if isinstance(value, Law):
        return value
    if isinstance(value, (float, int, np.floating, np.integer)) and 0.0 <= value < np.inf:
        return Coulomb(static=float(value))
    reject(name, value, "a friction law such as stickslip.Coulomb(static=1.0, kinetic=0.8), or a number >= 0")
