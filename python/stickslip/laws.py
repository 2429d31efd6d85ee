"""Friction laws: what force at what sliding velocity.

Every law is an immutable value: parameters are attributes, laws compare by value, can be pickled and printed so that
the text builds the law again, and add up with ``+``. ``F`` opposes the relative velocity ``v`` and acts on the body as
``-F``. Levels (static, kinetic, bristle stiffness and damping) are **per unit normal load**: with ``normal_load=1`` they
are forces, otherwise coefficients of friction. Viscous parts are absolute and do not scale with the load.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core

__all__ = [
    "BoucWen",
    "BreakAway",
    "Coulomb",
    "Curve",
    "Dahl",
    "ElastoPlastic",
    "Law",
    "Linearisation",
    "LuGre",
    "MaxwellSlip",
    "Stribeck",
    "Sum",
    "Table",
    "Tanh",
    "TwoStateBristle",
    "Viscous",
]

Array = NDArray[np.float64]


class BreakAway(float):
    """Break-away level per unit normal load: the force that quasi-static loading from rest has to exceed.

    As a number it is the level in the positive direction; `positive` and `negative` hold both sides, the negative one as
    a force (``-level`` for a symmetric law). Unpacks as ``negative, positive``.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Coulomb(static=1.0, kinetic=0.8).break_away == 1.0
    True
    """

    negative: float
    positive: float

    def __new__(cls, negative: float, positive: float) -> BreakAway:
        self = super().__new__(cls, positive)
        self.negative = negative
        self.positive = positive
        return self

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.negative, self.positive

    def __iter__(self) -> Any:
        return iter((self.negative, self.positive))

    def __repr__(self) -> str:
        if self.negative == -self.positive:
            return f"BreakAway(±{self.positive!r})"
        return f"BreakAway(negative={self.negative!r}, positive={self.positive!r})"


class Linearisation(NamedTuple):
    """First-order behaviour of a law.

    Attributes
    ----------
    slope : float or ndarray
        dF/dv of the steady curve at the velocities asked for, N s/m.
    stiffness : float
        dF/dx at rest, N/m, of laws with bristles; 0 for curves.
    damping : float
        dF/dv at rest with the bristles undeflected, N s/m: bristle damping plus the slope of the viscous part.
    """

    slope: Any
    stiffness: float
    damping: float


def _shaped(result: Array, like: ArrayLike) -> Any:
    return float(result) if np.ndim(like) == 0 else result


class Law:
    """What all friction laws can do. Not built directly: see `Coulomb`, `Stribeck`, `LuGre` and the others."""

    _compiled: _core.Law

    @property
    def compiled(self) -> _core.Law:
        """The law as the engine sees it."""
        return self._compiled

    @property
    def terms(self) -> tuple[Law, ...]:
        """The laws of which this one is the sum; a single law is its own only term."""
        return (self,)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the internal states, empty for curves."""
        return tuple(self._compiled.state_names)

    @property
    def break_away(self) -> BreakAway:
        """Break-away level per unit normal load (a number with `negative` and `positive`)."""
        return BreakAway(*self._compiled.traits.break_away)

    def force(self, velocity: ArrayLike, normal_load: float = 1.0) -> Any:
        """Steady-state friction force, opposing the velocity.

        Parameters
        ----------
        velocity : float or array_like
            Relative velocity, m/s, any shape.
        normal_load : float, default 1.0
            Normal load, N, >= 0. Scales everything but viscous parts.

        Returns
        -------
        float or ndarray
            Force, N, of the shape of `velocity`. Where the velocity is exactly zero the force may be anything between
            the break-away levels; the member of least magnitude is returned (0 for every law that is odd).

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3, viscous=0.4).force([-1.0, 0.0, 1.0])
        array([-1.4,  0. ,  1.4])
        """
        return _shaped(self._compiled.force(np.asarray(velocity, dtype=float), float(normal_load)), velocity)

    def linearise(self, velocity: ArrayLike = 0.0, normal_load: float = 1.0, direction: int = 1) -> Linearisation:
        """Slope of the steady curve, and stiffness and damping at rest.

        Parameters
        ----------
        velocity : float or array_like, default 0.0
            Relative velocity, m/s.
        normal_load : float, default 1.0
            Normal load, N, >= 0.
        direction : {1, -1}, default 1
            The side from which velocities that are exactly zero are meant (the jump itself has no slope). A Stribeck
            curve with shape < 1 has a vertical tangent there; its slope is given at 1e-12 Stribeck velocities instead.

        Returns
        -------
        Linearisation
            ``slope`` (of the shape of `velocity`), ``stiffness`` and ``damping`` at rest.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Viscous(0.4).linearise(2.0).slope
        0.4
        """
        if direction not in (1, -1):
            raise ValueError(f"direction = {direction!r} is not allowed: it must be 1 or -1")
        slope = self._compiled.slope(np.asarray(velocity, dtype=float), float(normal_load), int(direction))
        traits = self._compiled.traits
        at_rest = float(self._compiled.slope(np.zeros(()), 0.0, int(direction)))
        load = float(normal_load)
        return Linearisation(_shaped(slope, velocity), load * traits.stiffness, load * traits.damping + at_rest)

    def __add__(self, other: object) -> Sum:
        if not isinstance(other, Law):
            return NotImplemented
        return Sum(self.terms + other.terms)


def _as_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return None if isinstance(value, float) and math.isinf(value) else value


def _rebuild(kind: type[Any], parameters: Mapping[str, Any]) -> Any:
    return kind(**parameters)


class _Single(Law):
    """A law of one term: a frozen dataclass whose fields are the parameters, checked by the engine."""

    def __post_init__(self) -> None:
        given = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        self._defaults(given)
        given = {name: value for name, value in given.items() if value is not None}
        compiled = _core.Law([(type(self).__name__, given)])
        for name, value in compiled.terms[0][1].items():
            object.__setattr__(self, name, _as_value(value))
        object.__setattr__(self, "_compiled", compiled)

    def _defaults(self, given: dict[str, Any]) -> None:
        """Fill what follows from other parameters."""
        if "static" in given and "kinetic" in given:
            for missing, other in (("static", "kinetic"), ("kinetic", "static")):
                if given[missing] is None:
                    given[missing] = given[other]
            if given["static"] is None:
                raise ValueError(f"{type(self).__name__} needs static or kinetic (finite and >= 0)")

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _rebuild, (type(self), self.parameters)


class Sum(Law):
    """The sum of several laws: their forces add. Written ``law + law``.

    Parameters
    ----------
    terms : sequence of Law
        At least one law; sums among them are taken apart.

    Examples
    --------
    >>> import stickslip as ss
    >>> (ss.Coulomb(1.0) + ss.Viscous(0.5)).force(2.0)
    2.0
    """

    def __init__(self, terms: Any) -> None:
        self._terms: tuple[Law, ...] = tuple(single for law in terms for single in law.terms)
        self._compiled = _core.Law([pair for law in self._terms for pair in law.compiled.terms])

    @property
    def terms(self) -> tuple[Law, ...]:
        """The single laws."""
        return self._terms

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sum):
            return NotImplemented
        return self._terms == other._terms

    def __hash__(self) -> int:
        return hash(self._terms)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self._terms)) if len(self._terms) > 1 else f"Sum([{self._terms[0]!r}])"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Sum, (self._terms,)


@dataclass(frozen=True, repr=False)
class Coulomb(_Single):
    """Dry friction of constant level: ``F = kinetic · sgn v``; at rest anything in [−static, static].

    Parameters
    ----------
    static : float, optional
        Break-away level per unit normal load, >= kinetic. If only one level is given it serves for both.
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
class Viscous(_Single):
    """Viscous friction: ``F = coefficient · |v|^exponent · sgn v``. Does not scale with the normal load.

    Parameters
    ----------
    coefficient : float
        N (s/m)^exponent, >= 0.
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


@dataclass(frozen=True, repr=False, kw_only=True)
class Stribeck(_Single):
    """Dry friction whose level falls with speed, plus a viscous part.

    ``F = [kinetic + (static − kinetic) · exp(−(|v|/stribeck_velocity)^shape)] · sgn v + viscous · |v|^viscous_exponent
    · sgn v``; at rest anything in [−static, static].

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic >= 0``; one alone serves for both.
    stribeck_velocity : float, optional
        Velocity scale of the fall, m/s, > 0. Needed if the levels differ.
    shape : float, default 2.0
        Exponent of the fall, > 0. Below 1 the curve has a vertical tangent at v = 0.
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
    Sources: Stribeck 1902; Bo and Pavelescu 1982 (any shape); Armstrong-Hélouvry 1990 (shape 2); Hess and Soom 1990
    (Lorentzian).

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
    shape: float = 2.0
    form: str = "exponential"
    viscous: float = 0.0
    viscous_exponent: float = 1.0
