"""A number computed from a run, and its gradient with respect to parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip import _core
from stickslip._checks import number, reject, vector
from stickslip._extras import need
from stickslip.machine.machine import Machine
from stickslip.machine.state_space import StateSpace
from stickslip.run._tape import Noted, NotNoted, gradients
from stickslip.run.events import Event
from stickslip.run.sensitivity import Backwards, checked
from stickslip.run.simulation import at_values, simulate
from stickslip.run.trajectory import Trajectory
from stickslip.run.varied import Profile, Rebuilt, expanded

__all__ = ["to_jax", "value_and_grad"]

Array = NDArray[np.float64]

# Difference of sixth order: f'(0) = sum weight (f(k h) - f(-k h)) / h.
_STENCIL = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
# From so many parameters on the adjoint is cheaper than tangents, for it integrates one direction forwards and one number
# backwards. Measured on chains of 4 and 16 blocks, in runs: integrated regimes 6.7 to 7.5 with 30 parameters and 15 to 19
# with 100; exact ones 42 to 33 with 100.
_MANY_INTEGRATED, _MANY_EXACT = 24, 150
_FAR = 1e-2  # how far at most what is read of a run is moved, as a share of its size


class _MovedEvent:
    """An event at another time."""

    def __init__(self, event: Event, moved: _Moved) -> None:
        self._event, self._moved = event, moved

    @property
    def time(self) -> float:
        derivatives = self._event.sensitivity
        assert derivatives is not None  # the run has them
        rate = derivatives[self._moved.parameter]
        return float(self._moved.along(np.array([self._event.time]), np.array([rate]))[0])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._event, name)


class _View:
    """A run as a function of it may read it, at its own or at other times."""

    def __init__(self, run: Trajectory, resampled: dict[bytes, Trajectory]) -> None:
        self._run, self._resampled = run, resampled

    @property
    def t(self) -> Array:
        """Sample times."""
        return self._run.t

    def _at(self, t: ArrayLike) -> Trajectory:
        """The run at other times: the same one for the same times, with all that has been computed of it."""
        key = np.array(t, dtype=float, ndmin=1).tobytes()
        if key not in self._resampled:
            self._resampled[key] = self._run.at(t)
        return self._resampled[key]

    def __getattr__(self, name: str) -> Any:
        if name in ("status", "success", "message"):
            return getattr(self._run, name)
        raise AttributeError(
            f"{name!r} of a run has no derivative: value_and_grad supports run[signal], run.at(t)[signal], run.t, "
            "run.events[k].time, run.status, run.success and run.message"
        )


class _Moved(_View):
    """A run as it is when one parameter is a little different, to first order: what functions of runs read of it."""

    def __init__(
        self,
        run: Trajectory,
        parameter: str,
        step: float,
        reach: list[float],
        resampled: dict[bytes, Trajectory],
    ) -> None:
        super().__init__(run, resampled)
        self.parameter, self._step, self._reach = parameter, step, reach

    def along(self, values: Array, rates: Array) -> Array:
        """Values of the run, moved; how far they may be is noted."""
        known = np.isfinite(rates)  # where it is not, what is read is not a number
        fastest = np.max(np.abs(rates[known]), initial=0.0)
        if fastest > 0.0:
            self._reach.append(_FAR * (np.max(np.abs(values), initial=0.0) or 1.0) / fastest)
        elif not known.all():
            self._reach.append(1.0)
        return values + self._step * rates

    def __getitem__(self, signal: str) -> Array:
        return self.along(self._run[signal], self._run.sensitivity[signal, self.parameter])

    def at(self, t: ArrayLike) -> _Moved:
        """The run at other times."""
        return _Moved(self._at(t), self.parameter, self._step, self._reach, self._resampled)

    @property
    def events(self) -> list[_MovedEvent]:
        """Events at their times."""
        return [_MovedEvent(event, self) for event in self._run.events]


class _ReadEvent:
    """An event whose time is noted."""

    def __init__(self, event: Event, read: _Read, number: int) -> None:
        self._event, self._read, self._number = event, read, number

    @property
    def time(self) -> Noted:
        return self._read.note_time(self._event, self._number)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._event, name)


class _Readings:
    """All readings of one run: signals, of runs at given times, and times of events."""

    def __init__(self) -> None:
        self.signals: list[tuple[Noted, Trajectory, str]] = []
        self.times: list[tuple[Noted, Event, int]] = []


class _Read(_View):
    """A run that notes what a function reads of it; where nothing is determined that is not a number."""

    def __init__(
        self, run: Trajectory, resampled: dict[bytes, Trajectory], noted: _Readings | None = None
    ) -> None:
        super().__init__(run, resampled)
        self._noted = _Readings() if noted is None else noted

    def __getitem__(self, signal: str) -> Noted:
        values = self._run[signal]
        self._run.sensitivity.need(signal)
        leaf = Noted(np.where(self.t < self._run.sensitivity.valid_until.time, values, np.nan))
        self._noted.signals.append((leaf, self._run, signal))
        return leaf

    def note_time(self, event: Event, number: int) -> Noted:
        """The time of an event."""
        assert event.sensitivity is not None  # the run has them
        determined = all(map(np.isfinite, event.sensitivity.values()))
        leaf = Noted(event.time if determined else np.nan)
        self._noted.times.append((leaf, event, number))
        return leaf

    def at(self, t: ArrayLike) -> _Read:
        """The run at other times."""
        if isinstance(t, Noted):
            raise NotNoted("a run at times computed from the run")
        return _Read(self._at(t), self._resampled, self._noted)

    @property
    def events(self) -> list[_ReadEvent]:
        """Events."""
        return [_ReadEvent(event, self, number) for number, event in enumerate(self._run.events)]

    def _owed(self, number: Noted) -> tuple[list[Array], list[Array]]:
        """Derivatives of a number by the signals and by the times that were read."""
        noted = self._noted
        owed = gradients(number, [one[0] for one in noted.signals] + [one[0] for one in noted.times])
        return owed[: len(noted.signals)], owed[len(noted.signals) :]

    def tangent(self, number: Noted) -> Array:
        """Gradient by the parameters of a number computed from the readings, from the derivatives of each of them."""
        names = self._run.sensitivity.parameters
        if np.isnan(number.value):  # made of what is not determined
            return np.full(len(names), np.nan)
        signals, times = self._owed(number)
        total = np.zeros(len(names))
        for g, (_, run, signal) in zip(signals, self._noted.signals, strict=True):
            read = np.flatnonzero(g)
            if not read.size:
                continue
            few = run if 2 * read.size > g.size else self._at(run.t[read])
            weight = g if few is run else g[read]
            total += [few.sensitivity[signal, name] @ weight for name in names]
        for g, (_, event, _) in zip(times, self._noted.times, strict=True):
            if g != 0.0 and event.sensitivity is not None:
                total += float(g) * np.array([event.sensitivity[name] for name in names])
        return total

    def adjoint(self, number: Noted) -> Array:
        """The same by the adjoint, which takes states and times of events."""
        adjoint = self._run._derivatives.adjoint  # type: ignore[union-attr]
        assert adjoint is not None  # the run was made for this
        if np.isnan(number.value):
            return np.full(adjoint.shares.size, np.nan)
        if self._noted.times and self._run._marks.found:
            raise NotNoted("the events of a run with crossings")
        rows = [signal for _, _, signal in self._noted.signals]
        if other := [signal for signal in rows if signal not in self._run.states]:
            raise NotNoted(f"{other[0]!r}, which is not a state")
        signals, of_times = self._owed(number)
        runs = [run for _, run, _ in self._noted.signals]
        times = np.unique(
            np.concatenate([
                np.empty(0), *(run.t[g != 0.0] for g, run in zip(signals, runs, strict=True))
            ])
        )  # fmt: skip
        weights = np.zeros((len(self._run.states), times.size), order="F")
        for g, run, signal in zip(signals, runs, rows, strict=True):
            read = g != 0.0
            np.add.at(weights[self._run.states.index(signal)], np.searchsorted(times, run.t[read]), g[read])
        numbers = [number for _, _, number in self._noted.times]
        found: Array = adjoint.gradient(times, weights, numbers, np.array([float(g) for g in of_times]))
        return found


class _Gradient:
    """Result of `value_and_grad`."""

    def __init__(
        self,
        f: Callable[[Any], float],
        source: Rebuilt,
        parameters: list[str | Profile],
        mode: str,
        t_end: float | tuple[float, float],
        options: dict[str, Any],
    ) -> None:
        self.f, self.source, self.parameters, self.mode = f, source, parameters, mode
        self.names = expanded(parameters)
        self.t_end, self.options = t_end, dict(options)
        self.initial = self.options.pop("initial", None)
        self._exact: bool | None = None  # all regimes are: not known yet

    def __call__(self, p: ArrayLike) -> tuple[float, Array]:
        values = vector("p", p)
        if values.shape != (len(self.names),):
            names = ", ".join(map(repr, self.parameters))
            reject("p", p, f"{len(self.names)} numbers, one for each of {names}")
        if self.mode == "reverse" or (self.mode == "auto" and self._prefers_adjoint(values)):
            try:
                value, gradient = self._backwards(values)
            except (NotNoted, _core.sensitivity.NoTranspose) as why:
                if self.mode == "reverse":
                    raise ValueError(
                        f"mode = 'reverse' is not possible here: {why}; use mode = 'forward'"
                    ) from None
                self.mode = "forward"  # it stays so
            else:
                if self.mode == "reverse" or not np.isnan(gradient).any():
                    return value, gradient
        return self._forwards(values)

    def _prefers_adjoint(self, p: Array) -> bool:
        """Compare the measured costs of both methods; whether regimes are exact is seen in one run."""
        if len(self.names) < _MANY_INTEGRATED:
            return False
        if self._exact is None:
            regimes = self._run_at(p, [])._raw.regimes
            self._exact = all(kind in ("exact", "slow subspace") for *_, kind in regimes)
        return not self._exact or len(self.names) >= _MANY_EXACT

    def _run_at(self, p: Array, sensitivities: list[str | Profile]) -> Trajectory:
        source, given = at_values(self.source, self.parameters, p, self.initial)
        return simulate(source, self.t_end, initial=given, sensitivities=sensitivities, **self.options)

    def _forwards(self, p: Array) -> tuple[float, Array]:
        run = self._run_at(p, self.parameters)
        value = number("the result of f", self.f(run))
        resampled: dict[bytes, Trajectory] = {}
        read = _Read(run, resampled)
        try:
            made: Any = self.f(read)
        except NotNoted:  # f is differentiated by differences
            return value, np.array([_along(self.f, run, name, resampled) for name in self.names])
        return value, read.tangent(made) if isinstance(made, Noted) else np.zeros(p.size)

    def _backwards(self, p: Array) -> tuple[float, Array]:
        run = self._run_at(p, Backwards(self.parameters))
        value = number("the result of f", self.f(run))
        read = _Read(run, {})
        made: Any = self.f(read)
        return value, read.adjoint(made) if isinstance(made, Noted) else np.zeros(p.size)


def value_and_grad(
    f: Callable[[Any], float],
    machine: Any,
    parameters: Sequence[str | Profile],
    *,
    t_end: float | tuple[float, float],
    mode: Literal["auto", "forward", "reverse"] = "auto",
    **options: Any,
) -> Callable[[ArrayLike], tuple[float, Array]]:
    """Make a function of parameters that returns a number computed from a run, and its gradient.

    Derivatives are those of `simulate(..., sensitivities=...)`: exact through stick, slip and impacts. In forward mode
    tangents of all parameters are integrated with the run; in reverse mode the adjoint is integrated backwards, once for
    all parameters. ``f`` itself is called twice, the second time with arrays that record its operations. If it is not
    written with NumPy, it is differentiated by differences of sixth order along the tangents, without another run.

    Parameters
    ----------
    f : callable
        ``f(run) -> float``, smooth in ``run[signal]``, ``run.at(t)[signal]`` and ``run.events[k].time``; it may also
        read ``run.t``, ``status``, ``success`` and other attributes of events. Reading anything else raises an error.
    machine : Machine, StateSpace or object with a machine as ``.machine``
        The machine; it is not modified.
    parameters : sequence of str or Profile
        Names as in `ensemble`; numbers of a builder such as ``"angle"`` of a wedge gear; profiles of signals,
        ``ss.run.varied.Profile("slide.force", t)``, whose values are consecutive entries of ``p``.
    t_end : float or (float, float)
        End of the runs, s, or start and end.
    mode : {"auto", "forward", "reverse"}, default "auto"
        "reverse" needs an ``f`` of states and times of events (not of crossings) that is written with NumPy:
        arithmetic, elementary functions, indices, sums, means, products of matrices and the like. "auto" uses the one
        that costs less where both are possible: "reverse" from 24 parameters on, or from 150 if all regimes are exact.
        Both give the same values.
    **options
        Options of `simulate`.

    Returns
    -------
    callable
        ``p -> (value, gradient)`` for ``scipy.optimize.minimize(..., jac=True)``; the gradient has the shape
        (n_parameters,) and is NaN if the derivatives of the run end before the times that ``f`` reads.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, names=["slide"], force={"slide": 6.0})
    >>> m.add_friction("guide", on="slide", law=ss.Coulomb(static=5.0, kinetic=4.0))
    >>> way = ss.value_and_grad(lambda run: run["slide.position"][-1], m, ["slide.mass"], t_end=2.0)
    >>> value, gradient = way([2.0])          # (F - F_k) t² / 2 m
    >>> round(value, 9), gradient.round(9)
    (2.0, array([-1.]))
    """
    holder = getattr(machine, "machine", machine)
    if not isinstance(holder, (Machine, StateSpace)):
        reject("machine", machine, "a stickslip.Machine or StateSpace, or hold one as .machine")
    source = Rebuilt.of(holder._snapshot() if machine is holder else machine)
    if not checked(parameters):
        reject("parameters", parameters, "at least one name")
    if mode not in ("auto", "forward", "reverse"):
        reject("mode", mode, "'auto', 'forward' or 'reverse'")
    return _Gradient(f, source, list(parameters), mode, t_end, options)


def to_jax(function: Callable[[ArrayLike], tuple[float, Array]]) -> Callable[[Any], Any]:
    """Make a JAX function, for `jax.grad` and `jax.jit`, from a function that returns value and gradient.

    JAX uses the derivatives of the run (``custom_vjp`` over ``pure_callback``): one run for value and gradient. Needs
    ``pip install "stickslip[jax]"``.

    Parameters
    ----------
    function : callable
        ``p -> (value, gradient)``, as returned by `value_and_grad`.

    Returns
    -------
    callable
        ``p -> value`` with p of the shape (n_parameters,), in the precision of p: JAX's is single unless
        ``jax.config.update("jax_enable_x64", True)``. Only first derivatives exist; ``jax.vmap`` runs sequentially.

    Raises
    ------
    MissingExtraError
        If JAX is not installed.
    ValueError
        If ``function`` cannot be called.

    Examples
    --------
    >>> import stickslip as ss
    >>> m = ss.Machine(mass=2.0, names=["slide"], force={"slide": 6.0})
    >>> way = ss.value_and_grad(lambda run: run["slide.position"][-1], m, ["slide.mass"], t_end=2.0)
    >>> import jax                                                       # doctest: +SKIP
    >>> squared = jax.grad(lambda p: ss.to_jax(way)(p) ** 2)             # doctest: +SKIP
    >>> squared(jax.numpy.array([2.0]))                                  # doctest: +SKIP
    Array([-36.], dtype=float32)
    """
    if not callable(function):
        reject("function", function, "a function p -> (value, gradient), as value_and_grad makes it")
    jax = need("jax", "JAX", "to_jax() needs", "jax")

    def on_host(p: Any) -> tuple[Array, Array]:
        value, gradient = function(np.asarray(p, dtype=float))
        return np.asarray(value, dtype=p.dtype), np.asarray(gradient, dtype=p.dtype)

    def both(p: Any) -> Any:
        shapes = jax.ShapeDtypeStruct((), p.dtype), jax.ShapeDtypeStruct(p.shape, p.dtype)
        return jax.pure_callback(on_host, shapes, p, vmap_method="sequential")

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def value(p: Any) -> Any:
        return both(p)[0]

    value.defvjp(both, lambda gradient, upstream: (upstream * gradient,))

    def checked_value(p: Any) -> Any:
        return value(jax.numpy.asarray(p, dtype=float))

    return checked_value


def _along(
    f: Callable[[Any], float], run: Trajectory, parameter: str, resampled: dict[bytes, Trajectory]
) -> float:
    """The derivative of f as the run moves along its tangent by one parameter."""
    reach: list[float] = []
    f(_Moved(run, parameter, 0.0, reach, resampled))
    if not reach:
        return 0.0
    h = min(reach) / 3.0

    def at(step: float) -> float:
        return float(f(_Moved(run, parameter, step, [], resampled)))

    return sum(weight * (at(k * h) - at(-k * h)) for k, weight in _STENCIL) / h
