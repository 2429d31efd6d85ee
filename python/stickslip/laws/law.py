"""Base class of friction laws, and their sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._attached import deferred
from stickslip._checks import reject, vector
from stickslip._value import MOST_SHOWN, shown_array
from stickslip.errors import UnknownNameError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


class BreakAway(float):
    """Break-away level per unit normal load: the force at which slip begins under quasi-static loading from rest.

    As a number it is the level in the positive direction; `positive` and `negative` are the forces of both directions
    (``negative = -level`` for a symmetric law). Unpacks as ``negative, positive``.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Coulomb(static=1.0, kinetic=0.8).break_away == 1.0
    True
    """

    negative: float
    positive: float

    def __new__(cls, negative: float, positive: float) -> BreakAway:
        """Both levels as forces."""
        self = super().__new__(cls, positive)
        self.negative = negative
        self.positive = positive
        return self

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.negative, self.positive

    def __iter__(self) -> Iterator[float]:
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
        dF/dv of the steady curve at the requested velocities, N s/m.
    stiffness : float
        dF/dx at rest, N/m, of laws with bristles; 0 for curves.
    damping : float
        dF/dv at rest with the bristles undeflected, N s/m: bristle damping plus the slope of the viscous
        part.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.LuGre(stiffness=1e5, damping=300.0, viscous=0.4, kinetic=1.0).linearise(1.0)
    Linearisation(slope=0.4, stiffness=100000.0, damping=300.4)
    """

    slope: Any
    stiffness: float
    damping: float


@dataclass(frozen=True, eq=False)
class Response:
    """Result of `Law.response`: a law under a prescribed velocity.

    Attributes
    ----------
    t, velocity, force : ndarray, shape (n_times,)
        Time s, velocity m/s and force N (opposing the velocity).
    work : ndarray, shape (n_times,)
        Work done on the law since ``t[0]``, J: integral of ``force * velocity``.
    states : ndarray, shape (n_states, n_times)
        Internal states.
    state_names : tuple of str
        Names of the internal states; ``response["z"]`` is the row of that name.

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.Coulomb(2.0).response([0.0, 1.0], [1.0, 1.0])
    >>> run.force, run.work
    (array([2., 2.]), array([0., 2.]))
    """

    t: Array
    velocity: Array
    force: Array
    work: Array
    states: Array
    state_names: tuple[str, ...]

    def __getitem__(self, name: str) -> Array:
        if name in self.state_names:
            row: Array = self.states[self.state_names.index(name)]
            return row
        if name in ("t", "velocity", "force", "work"):
            result: Array = getattr(self, name)
            return result
        raise UnknownNameError(f"unknown state {name!r}; known are: {', '.join(self.state_names) or 'none'}")


def _shaped(result: Array, like: ArrayLike) -> Any:
    return float(result) if np.ndim(like) == 0 else result


class Law:
    """Base class of all friction laws: use `Coulomb`, `Stribeck`, `LuGre` and so on.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Coulomb(static=1.0, kinetic=0.8) + ss.Viscous(0.5)
    >>> isinstance(law, ss.Law), law.force(2.0), law.terms[1]
    (True, 1.8, Viscous(coefficient=0.5, exponent=1.0))
    """

    _compiled: _core.friction.Law
    _adds_up: ClassVar[bool] = True

    @property
    def compiled(self) -> _core.friction.Law:
        """The law in its form for the engine."""
        return self._compiled

    @property
    def terms(self) -> tuple[Law, ...]:
        """Terms of a sum, or the single law itself."""
        return (self,)

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the internal states, empty for curves."""
        return tuple(self._compiled.state_names)

    @property
    def break_away(self) -> BreakAway:
        """Break-away level per unit normal load: a number with the attributes `negative` and `positive`, both levels."""
        return BreakAway(*self._compiled.traits.break_away)

    def force(self, velocity: ArrayLike, normal_load: float = 1.0) -> Any:
        """Steady-state friction force, opposing the velocity.

        Parameters
        ----------
        velocity : float or array_like
            Relative velocity, m/s, any shape.
        normal_load : float, default 1.0
            Normal load, N, >= 0. It scales all forces except viscous ones (on a contact also these, see
            `Machine.add_contact`).

        Returns
        -------
        float or ndarray
            Force, N, of the shape of `velocity`. Where the velocity is exactly zero the force may be anything
            between the break-away levels; their middle is returned (0 for every law that is odd).

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3, viscous=0.4).force([-1.0, 0.0, 1.0])
        array([-1.4,  0. ,  1.4])
        """
        return _shaped(self._compiled.force(np.asarray(velocity, dtype=float), float(normal_load)), velocity)

    def linearise(
        self, velocity: ArrayLike = 0.0, normal_load: float = 1.0, direction: int = 1
    ) -> Linearisation:
        """Slope of the steady curve, and stiffness and damping at rest.

        Parameters
        ----------
        velocity : float or array_like, default 0.0
            Relative velocity, m/s.
        normal_load : float, default 1.0
            Normal load, N, >= 0.
        direction : {1, -1}, default 1
            Side of the slope at velocities of exactly zero, where the curve jumps. For a Stribeck curve with shape < 1,
            which has a vertical tangent there, the slope at 1e-12 Stribeck velocities is returned.

        Returns
        -------
        Linearisation
            ``slope`` (of the shape of `velocity`), ``stiffness`` and ``damping`` at rest.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Viscous(0.4).linearise(2.0).slope
        0.4
        """
        if direction not in (1, -1):
            reject("direction", direction, "1 or -1")
        slope = self._compiled.slope(np.asarray(velocity, dtype=float), float(normal_load), int(direction))
        traits = self._compiled.traits
        at_rest = float(self._compiled.slope(np.zeros(()), 0.0, int(direction)))
        load = float(normal_load)
        return Linearisation(
            _shaped(slope, velocity), load * traits.stiffness, load * traits.damping + at_rest
        )

    def response(
        self,
        t: ArrayLike,
        velocity: Any,
        *,
        initial: ArrayLike | Mapping[str, float] | None = None,
        normal_load: float = 1.0,
        rtol: float = 1e-12,
    ) -> Response:
        """Force and internal states under a prescribed velocity.

        Zeros and jumps of the velocity are located (exactly for linear interpolation); in between the states are
        integrated by an L-stable method of order 9, which suits stiff bristles.

        Parameters
        ----------
        t : array_like, shape (n_times,)
            Times of the result, s, not decreasing. A time given twice shows both sides of a jump.
        velocity : array_like, shape (n_times,), or signal, or float
            Velocity in m/s: samples at `t`, linear in between, or a function of time.
        initial : array_like or mapping from state name to value, optional
            Internal states at ``t[0]``; by default zero (a virgin contact), or the start values of a `FormulaLaw`.
        normal_load : float, default 1.0
            Normal load, N, >= 0.
        rtol : float, default 1e-12
            Relative tolerance of states and work.

        Returns
        -------
        Response
            ``t``, ``velocity``, ``force``, ``work``, ``states``.

        Raises
        ------
        ValueError
            If an argument is outside its domain, or the function of a `Curve` raises or returns NaN; the
            error then names time and velocity.

        Notes
        -----
        While the velocity is zero the bristles keep their deflection; for a set-valued force the middle is returned.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> law = ss.Dahl(stiffness=1e5, kinetic=1.0)
        >>> run = law.response([0.0, 1.0], [1e-5, 1e-5])
        >>> bool(np.isclose(run.force[-1], 1 - np.exp(-1.0), rtol=1e-12))
        True
        """
        times = vector("t", t)
        if hasattr(velocity, "compiled"):
            signal = velocity.compiled
        elif np.ndim(velocity) == 0:
            signal = _core.signal.Signal.constant(float(velocity))
        else:
            samples = vector("velocity", velocity)
            if samples.shape != times.shape:
                raise ValueError(f"velocity has {samples.size} samples, but t has {times.size}")
            signal = _core.signal.Signal.piecewise(times, samples)
        names, begun = self.state_names, self._compiled.start
        if isinstance(initial, Mapping):
            unknown = sorted(set(initial) - set(names))
            if unknown:
                listed = ", ".join(map(repr, names)) or "none"
                raise UnknownNameError(
                    f"unknown internal state {unknown[0]!r} in initial; known are: {listed}"
                )
            start = np.array([float(initial.get(name, z)) for name, z in zip(names, begun, strict=True)])
        else:
            start = begun if initial is None else np.array(initial, dtype=float, ndmin=1)
        v, force, work, states = self._compiled.response(
            signal, times, start, float(normal_load), float(rtol)
        )
        return Response(times, v, force, work, states, names)

    @deferred
    def plot(
        self,
        velocity: ArrayLike | None = None,
        normal_load: float = 1.0,
        *,
        ax: Axes | None = None,
        **keywords: Any,
    ) -> Axes:
        """Draw the steady force over the velocity, with the jump at v = 0 if there is one.

        Parameters
        ----------
        velocity : array_like, optional
            Increasing velocities, m/s; by default five characteristic velocities to both sides, and for a `FormulaLaw`
            1e-9 to 1 m/s on a logarithmic axis.
        normal_load : float, default 1.0
            Normal load, N, >= 0.
        ax : Axes, optional
            Where to draw; by default pyplot's current axes, or a new figure where they hold another kind of picture.
        **keywords
            For the line (`matplotlib.lines.Line2D`), such as ``color``.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.

        Examples
        --------
        >>> import stickslip as ss
        >>> ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=1e-3).plot().get_ylabel()
        'friction force [N]'
        """
        raise NotImplementedError

    def __add__(self, other: object) -> Sum:
        if isinstance(other, (float, int)):
            other = _as_law(other)
        if not isinstance(other, Law):
            return NotImplemented
        return Sum(self.terms + other.terms)

    __radd__ = __add__


@deferred
def _as_law(value: Law | float, name: str = "law") -> Law:
    """A law; a number is dry friction of one level."""
    raise NotImplementedError


def _shown(value: object) -> str:
    """A long table by its size and its ends: that is to be read, not to be run."""
    long = isinstance(value, tuple) and len(value) > MOST_SHOWN
    return shown_array(np.asarray(value)) if long else repr(value)


def _as_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return None if isinstance(value, float) and math.isinf(value) else value


class SingleLaw(Law):
    """A law of one term: a frozen dataclass whose fields are the parameters, checked by the engine."""

    def __post_init__(self) -> None:
        given = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        self._defaults(given)
        given = {name: value for name, value in given.items() if value is not None}
        compiled = _core.friction.Law([(type(self).__name__, given)])
        for name, value in compiled.values[0][1].items():
            object.__setattr__(self, name, _as_value(value))
        object.__setattr__(self, "_compiled", compiled)

    def _defaults(self, given: dict[str, Any]) -> None:
        """Check and complete arguments that the engine does not check."""
        if given.get("static", 0.0) is None and given.get("kinetic", 0.0) is None:
            raise ValueError(f"{type(self).__name__} needs static or kinetic (finite and >= 0)")

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters by name, including defaults computed from other parameters."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    @property
    def _given(self) -> dict[str, Any]:
        """Parameters that build the law again; those that follow from others are left out."""
        own = self._compiled.terms[0][1]
        return {name: value for name, value in self.parameters.items() if name in own}

    def __repr__(self) -> str:
        shown = {k: _shown(v) for k, v in self._given.items()}
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in shown.items())})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return partial(type(self), **self._given), ()


class Sum(Law):
    """The sum of several laws: their forces add. Written ``law + law``.

    Parameters
    ----------
    terms : sequence of Law or float
        At least one law; sums are expanded, and a number is dry friction of this level.

    Examples
    --------
    >>> import stickslip as ss
    >>> (ss.Coulomb(1.0) + ss.Viscous(0.5)).force(2.0)
    2.0
    """

    def __init__(self, terms: Any) -> None:
        laws = [_as_law(one, f"terms[{i}]") for i, one in enumerate(terms)]
        self._terms: tuple[Law, ...] = tuple(single for law in laws for single in law.terms)
        for law in self._terms:
            if not law._adds_up:
                raise ValueError(
                    f"{law!r} cannot be a term of a sum: pass the sum to it, as in StickSlip(curve + other, ...)"
                )
        self._compiled = _core.friction.Law([pair for law in self._terms for pair in law.compiled.terms])

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
