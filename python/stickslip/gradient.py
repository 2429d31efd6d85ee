"""A number made of a run, with its gradient by parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stickslip._checks import number, reject, vector
from stickslip._extras import need
from stickslip.events import Event
from stickslip.machine import Machine
from stickslip.sensitivity import checked
from stickslip.simulation import _with_numbers, simulate
from stickslip.state_space import StateSpace
from stickslip.trajectory import Trajectory

__all__ = ["to_jax", "value_and_grad"]

Array = NDArray[np.float64]

# Difference of sixth order: f'(0) = sum weight (f(k h) - f(-k h)) / h.
_STENCIL = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
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


class _Moved:
    """A run as it is when one parameter is a little different, to first order: what functions of runs read of it."""

    def __init__(self, run: Trajectory, parameter: str, step: float, reach: list[float]) -> None:
        self._run, self.parameter, self._step, self._reach = run, parameter, step, reach
        self.t, self.status, self.success, self.message = run.t, run.status, run.success, run.message

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
        return _Moved(self._run.at(t), self.parameter, self._step, self._reach)

    @property
    def events(self) -> list[_MovedEvent]:
        """Its events, at their times."""
        return [_MovedEvent(event, self) for event in self._run.events]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{name!r} of a run has no derivative: value_and_grad knows run[signal], run.at(t)[signal], run.t, "
            "run.events[k].time and whether it finished"
        )


def value_and_grad(
    f: Callable[[Any], float],
    machine: Any,
    parameters: Sequence[str],
    *,
    t_end: float,
    **options: Any,
) -> Callable[[ArrayLike], tuple[float, Array]]:
    """Turn a number computed from a run into a function of parameters, with its gradient.

    Derivatives are those of `simulate(..., sensitivities=...)`: exact through stick, slip and impacts. By the chain rule
    they are those of ``f`` where what it reads of the run moves along its tangent: differences of sixth order of ``f``
    alone, without another run.

    Parameters
    ----------
    f : callable
        ``f(run) -> float``, smooth in ``run[signal]``, ``run.at(t)[signal]`` and ``run.events[k].time``; it may also
        read ``run.t``, ``status``, ``success`` and attributes of events besides their time. Anything else has no
        derivative and is an error.
    machine : Machine, StateSpace or what holds one as ``.machine``
        The machine, which stays as it is.
    parameters : sequence of str
        Names as in `ensemble`.
    t_end : float
        End of the runs, s.
    **options
        Of `simulate`.

    Returns
    -------
    callable
        ``p -> (value, gradient)`` for ``scipy.optimize.minimize(..., jac=True)``; the gradient has the shape
        (n_parameters,) and is NaN where the run is not differentiable before what ``f`` reads.

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
    source: Machine | StateSpace = holder
    names = checked(parameters)
    if not names:
        reject("parameters", parameters, "at least one name")
    initial = options.pop("initial", None)

    def run_at(p: Array) -> Trajectory:
        changed, given = _with_numbers(source, names, p, initial)
        return simulate(changed, t_end, initial=given, sensitivities=names, **options)

    def both(p: ArrayLike) -> tuple[float, Array]:
        values = vector("p", p)
        if values.shape != (len(names),):
            reject("p", p, f"{len(names)} numbers, one for each of {', '.join(map(repr, names))}")
        run = run_at(values)
        return number("what f returns", f(run)), np.array([_along(f, run, name) for name in names])

    return both


def to_jax(function: Callable[[ArrayLike], tuple[float, Array]]) -> Callable[[Any], Any]:
    """Make a JAX function, for `jax.grad` and `jax.jit`, of a number with its gradient.

    JAX calls the run with its own derivatives (``custom_vjp`` over ``pure_callback``): one run for the
    value and the gradient together. Needs ``pip install "stickslip[jax]"``.

    Parameters
    ----------
    function : callable
        ``p -> (value, gradient)``, as `value_and_grad` makes it.

    Returns
    -------
    callable
        ``p -> value`` with p of the shape (n_parameters,), in the precision of p: JAX's is single unless
        ``jax.config.update("jax_enable_x64", True)``. It has first derivatives; ``jax.vmap`` runs one after the other.

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


def _along(f: Callable[[Any], float], run: Trajectory, parameter: str) -> float:
    """The derivative of f as the run moves along its tangent by one parameter."""
    reach: list[float] = []
    f(_Moved(run, parameter, 0.0, reach))
    if not reach:
        return 0.0
    h = min(reach) / 3.0

    def at(step: float) -> float:
        return float(f(_Moved(run, parameter, step, [])))

    return sum(weight * (at(k * h) - at(-k * h)) for k, weight in _STENCIL) / h
