"""One smooth phase of a hybrid motion, integrated to its first guard by three unrelated methods.

A phase is `y' = f(t, y)` with smooth f, and guards `g(t, y)` that are positive inside the phase and end it
when they fall to zero. What comes next is written out by hand in the module of each experiment.

Methods
* ``collocation``: Radau IIA with 9 stages (order 17), full Newton with the exact or a difference Jacobian;
  the step is chosen from the last Chebyshev coefficients of the stage polynomial, and events are roots of
  that polynomial, repeated with the step ending at the event. Own code, this file.
* ``dop853``: SciPy's explicit pair of order 8(5,3), stepped one step at a time; an event found in its
  interpolant is repeated by integrating to it and closing the rest with Newton.
* ``adams``, ``bdf``: SUNDIALS' variable-order multistep CVODE (scikit-sundae), with its own root finder.

A guard that is not positive at the start (break-away with v = 0, say) is armed as soon as it has been
positive; a guard that never was raises, since then the phase was the wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.integrate import DOP853
from scipy.optimize import brentq

Rhs = Callable[[float, Any], Sequence[float]]
Jacobian = Callable[[float, Any], Any]
Guards = dict[str, Callable[[float, Any], float]]
Watch = Callable[[float, float, Callable[[float], Any]], None]
Result = tuple[float, np.ndarray, "str | None"]

SAMPLES = 12  # guard samples per step


class WrongPhase(RuntimeError):
    """A guard was never positive: the phase chosen by hand is not the motion's."""


class _Watchman:
    """Finds the first guard that falls to zero between the samples of successive steps."""

    def __init__(self, guards: Guards, t: float, y: np.ndarray) -> None:
        self.guards = guards
        self.armed = {name: g(t, y) > 0.0 for name, g in guards.items()}

    def first(self, ta: float, tb: float, dense: Callable[[float], np.ndarray]) -> tuple[float, str] | None:
        times = np.linspace(ta, tb, SAMPLES + 1)
        values = [dense(s) for s in times]
        found: list[tuple[float, str]] = []
        for name, g in self.guards.items():
            before = g(times[0], values[0])
            for i in range(1, SAMPLES + 1):
                after = g(times[i], values[i])
                if self.armed[name] and after <= 0.0:
                    if after == 0.0 or before <= 0.0:
                        found.append((times[i] if after == 0.0 else times[i - 1], name))
                    else:
                        root = brentq(
                            lambda s, g=g: g(s, dense(s)), times[i - 1], times[i], xtol=1e-15, rtol=1e-15
                        )
                        found.append((root, name))
                    break
                if after > 0.0:
                    self.armed[name] = True
                before = after
        silent = [name for name, armed in self.armed.items() if not armed]
        if silent:
            raise WrongPhase(f"guards {silent} were not positive between t = {ta} and {tb}")
        return min(found) if found else None


def _close(rhs: Rhs, g: Callable[[float, Any], float], t: float, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Newton on the guard with an Euler step: for remainders far below the step."""
    for _ in range(2):
        f = np.asarray(rhs(t, y))
        h = 1e-7
        slope = (g(t + h, y + h * f) - g(t - h, y - h * f)) / (2.0 * h)
        if slope == 0.0:
            break
        dt = -g(t, y) / slope
        if abs(dt) > 1e-9:
            break
        t, y = t + dt, y + dt * f
    return t, y


# ---------------------------------------------------------------- explicit
def _dop853(
    rhs: Rhs,
    t: float,
    y: np.ndarray,
    t_end: float,
    guards: Guards,
    rtol: float,
    atol: Any,
    max_step: float,
    watch: Watch | None,
) -> Result:
    watchman = _Watchman(guards, t, y)
    solver = DOP853(
        rhs, t, y, t_end, rtol=rtol, atol=atol, max_step=max_step, first_step=min(1e-6, t_end - t)
    )
    while solver.status == "running":
        ta, ya = solver.t, solver.y.copy()
        solver.step()
        if solver.status == "failed":
            raise RuntimeError(f"DOP853 failed at t = {ta}")
        dense = solver.dense_output()
        hit = watchman.first(ta, solver.t, dense)
        if hit is not None:
            root, name = hit
            if root > ta:
                last = DOP853(rhs, ta, ya, root, rtol=rtol, atol=atol, first_step=root - ta)
                while last.status == "running":
                    last.step()
                root, ya = _close(rhs, guards[name], root, last.y)
            if watch is not None:
                watch(ta, root, dense)
            return root, ya, name
        if watch is not None:
            watch(ta, solver.t, dense)
    return solver.t, solver.y, None


# ---------------------------------------------------------------- collocation
STAGES = 9


def _radau_nodes(s: int) -> np.ndarray:
    """Zeros of P_s - P_{s-1} shifted to (0, 1], the last one 1 (Hairer, Wanner, Solving ODE II, IV.5)."""
    from numpy.polynomial import legendre

    c = np.zeros(s + 1)
    c[s], c[s - 1] = 1.0, -1.0
    nodes = np.sort(legendre.legroots(c).real)
    derivative = legendre.legder(c)
    for _ in range(3):
        nodes = nodes - legendre.legval(nodes, c) / legendre.legval(nodes, derivative)
    nodes[-1] = 1.0
    return (nodes + 1.0) / 2.0


def _tableau(s: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    c = _radau_nodes(s)
    x = 2.0 * c - 1.0
    vander = chebyshev.chebvander(x, s - 1)
    integrals = np.empty((s, s))
    for j in range(s):
        unit = np.zeros(s)
        unit[j] = 1.0
        primitive = chebyshev.chebint(unit, lbnd=-1.0)
        integrals[:, j] = chebyshev.chebval(x, primitive) / 2.0
    a = integrals @ np.linalg.inv(vander)
    points = np.concatenate([[-1.0], x])
    to_coefficients = np.linalg.inv(chebyshev.chebvander(points, s))
    return c, a, to_coefficients


_C, _A, _COEFFICIENTS = _tableau(STAGES)
_EYE = np.eye(STAGES)


def _difference_jacobian(rhs: Rhs, t: float, y: np.ndarray, scale: np.ndarray) -> np.ndarray:
    n = y.size
    out = np.empty((n, n))
    for j in range(n):
        h = 1e-6 * max(abs(y[j]), scale[j])
        up, down = y.copy(), y.copy()
        up[j] += h
        down[j] -= h
        out[:, j] = (np.asarray(rhs(t, up)) - np.asarray(rhs(t, down))) / (up[j] - down[j])
    return out


def _stages(
    rhs: Rhs,
    jac: Jacobian | None,
    t: float,
    y: np.ndarray,
    h: float,
    scale: np.ndarray,
    rtol: float,
    guess: Callable[[float], np.ndarray] | None = None,
) -> np.ndarray | None:
    """Stage values (STAGES, n) of one Radau IIA step, None if Newton does not converge."""
    n = y.size
    j = np.asarray(jac(t, y)) if jac is not None else _difference_jacobian(rhs, t, y, scale)
    inverse = np.linalg.inv(np.eye(STAGES * n) - h * np.kron(_A, j))
    if guess is None:
        values = np.tile(y, (STAGES, 1))
    else:
        values = np.array([guess(t + c * h) for c in _C])
    f = np.array([rhs(t + c * h, v) for c, v in zip(_C, values, strict=True)])
    weight = np.maximum(np.abs(y), scale)
    last = np.inf
    for _ in range(40):
        residual = values - y - h * (_A @ f)
        step = (inverse @ residual.ravel()).reshape(STAGES, n)
        values = values - step
        if not np.all(np.isfinite(values)):
            return None
        f = np.array([rhs(t + c * h, v) for c, v in zip(_C, values, strict=True)])
        size = float(np.max(np.abs(step) / weight))
        if size < 1e-15 or (size < rtol and size > 0.3 * last):
            # one last exact evaluation of y0 + h A f removes the rounding of the Newton iterate
            return y + h * (_A @ f)
        if size > 2.0 * last and size > 1e-3:
            return None
        last = size
    return values if last < 10.0 * rtol else None


def _collocation(
    rhs: Rhs,
    t: float,
    y: np.ndarray,
    t_end: float,
    guards: Guards,
    rtol: float,
    atol: Any,
    max_step: float,
    watch: Watch | None,
    jac: Jacobian | None,
) -> Result:
    watchman = _Watchman(guards, t, y)
    scale = np.broadcast_to(np.asarray(atol, dtype=float) / rtol, y.shape)
    size = np.abs(np.asarray(rhs(t, y))) + 1e-300
    h = min(max_step, t_end - t, 1e-3 * float(np.min(np.maximum(np.abs(y), scale) / size)))
    while t < t_end:
        h = min(h, max_step, t_end - t)
        values = _stages(rhs, jac, t, y, h, scale, rtol)
        if values is None:
            h *= 0.25
            if h < 1e-14:
                raise RuntimeError(f"collocation does not converge at t = {t}")
            continue
        coefficients = _COEFFICIENTS @ np.vstack([y, values])
        weight = np.maximum(np.max(np.abs(values), axis=0), scale)
        tail = float(np.max(np.abs(coefficients[-2:]) / weight)) + 1e-300
        # the tail is the error of the stage polynomial; the end of the step is far better (order 17)
        factor = 0.9 * (rtol / tail) ** (1.0 / STAGES)
        if factor < 0.7:
            h *= max(0.2, factor)
            continue

        def dense(s: float, ta: float = t, hh: float = h, c: np.ndarray = coefficients) -> np.ndarray:
            return np.asarray(chebyshev.chebval(2.0 * (s - ta) / hh - 1.0, c))

        tb = t + h if t + h < t_end * (1.0 - 1e-16) else t_end
        hit = watchman.first(t, tb, dense)
        if hit is not None:
            root, name = hit
            if root > t:
                last = _stages(rhs, jac, t, y, root - t, scale, rtol, dense)
                if last is None:
                    raise RuntimeError(f"collocation does not converge at the event t = {root}")
                root, y = _close(rhs, guards[name], root, last[-1])
            if watch is not None:
                watch(t, root, dense)
            return root, y, name
        if watch is not None:
            watch(t, tb, dense)
        t, y = tb, values[-1]
        h *= min(3.0, factor)
    return t, y, None


# ---------------------------------------------------------------- multistep
def _cvode(
    rhs: Rhs,
    t: float,
    y: np.ndarray,
    t_end: float,
    guards: Guards,
    rtol: float,
    atol: Any,
    max_step: float,
    jac: Jacobian | None,
    method: str,
) -> Result:
    from sksundae.cvode import CVODE

    names = list(guards)

    def right(time: float, state: Any, out: Any) -> None:
        out[:] = rhs(time, state)

    def roots(time: float, state: Any, out: Any) -> None:
        out[:] = [guards[name](time, state) for name in names]

    def jacobian(time: float, state: Any, rate: Any, out: Any) -> None:
        out[:] = jac(time, state)  # type: ignore[misc]

    roots.terminal = [True] * len(names)  # type: ignore[attr-defined]
    roots.direction = [-1] * len(names)  # type: ignore[attr-defined]
    options: dict[str, Any] = {"rtol": rtol, "atol": atol, "max_step": max_step, "max_num_steps": 100_000_000}
    if names:
        options |= {"eventsfn": roots, "num_events": len(names)}
    if jac is not None:
        options["jacfn"] = jacobian
    solver = CVODE(right, method=method, **options)
    solver.init_step(t, np.asarray(y, dtype=float))
    result = solver.step(t_end, method="normal", tstop=t_end)
    state = np.array(result.y, dtype=float).reshape(-1)
    time = float(np.asarray(result.t).reshape(-1)[-1])
    if time >= t_end or not names:
        return t_end, state, None
    values = [abs(guards[name](time, state)) for name in names]
    fired = [bool(i) for i in np.asarray(result.i_events).reshape(-1)]
    candidates = [k for k in range(len(names)) if fired[k]] or [int(np.argmin(values))]
    return time, state, names[candidates[0]]


def advance(
    rhs: Rhs,
    t: float,
    y: Any,
    t_end: float,
    guards: Guards,
    *,
    solver: str = "collocation",
    rtol: float = 1e-13,
    atol: Any = 1e-16,
    max_step: float = np.inf,
    jac: Jacobian | None = None,
    watch: Watch | None = None,
) -> Result:
    """Integrate to the first guard or to ``t_end``: the time, the state, the guard's name or None."""
    y = np.array(y, dtype=float)
    if t >= t_end:
        return t_end, y, None
    if solver == "dop853":
        return _dop853(rhs, t, y, t_end, guards, rtol, atol, max_step, watch)
    if solver == "collocation":
        return _collocation(rhs, t, y, t_end, guards, rtol, atol, max_step, watch, jac)
    if solver in ("adams", "bdf"):
        if not np.isfinite(max_step):
            max_step = 0.0
        name = {"adams": "Adams", "bdf": "BDF"}[solver]
        return _cvode(rhs, t, y, t_end, guards, rtol, atol, max_step, jac, name)
    raise ValueError(f"solver must be collocation, dop853, adams or bdf, got {solver!r}")


def slide(
    rhs: Rhs,
    t: float,
    y: Any,
    t_end: float,
    speed: Callable[[Any], float],
    near: float,
    more: Guards | None = None,
    **options: Any,
) -> Result:
    """Sliding up to ``speed(y) = 0`` (guard "v"), a guard of ``more``, or t_end.

    The Stribeck peak is so narrow in time that a large step over it sees neither side: integrators then lose
    it with no sign of error (measured: SUNDIALS' Adams at rtol 1e-13 misplaces the end of a slip by 3.5 ms).
    So every passage of ``near`` (where the peak is still nothing) ends a step, and what lies below starts
    with a small one.
    """
    more = more or {}
    far = speed(np.asarray(y)) > near
    while True:
        if far:
            guards = {"near": lambda _t, s: speed(s) - 0.9 * near, **more}
        else:
            guards = {"v": lambda _t, s: speed(s), "far": lambda _t, s: near - speed(s), **more}
        t, y, fired = advance(rhs, t, y, t_end, guards, **options)
        if fired not in ("near", "far"):
            return t, y, fired
        far = fired == "far"
