"""Independent implementation of the friction laws.

Each term gives its dry part per unit of load, its viscous part, and the rates of its internal states, for velocities
`v`, their signs `side` (+1 or -1; 0 at rest, without the jump at zero) and internal states `z` (one row each). The
docstrings of the laws give the references.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing._formulas import Formulas
from stickslip.laws import Law

Array = NDArray[np.float64]
Parts = tuple[Array, Array, Array]  # dry, viscous, rates


def _fall(term: Any, speed: Array) -> Array:
    with np.errstate(over="ignore"):
        power = (speed / term.stribeck_velocity) ** term.shape
    fall: Array = np.exp(-power) if term.form == "exponential" else 1.0 / (1.0 + power)
    return fall


def level(term: Any, v: Array) -> Array:
    """Return the dry level at a speed."""
    if term.static == term.kinetic or term.stribeck_velocity is None:
        return np.full(v.shape, float(term.kinetic))
    height: Array = term.kinetic + (term.static - term.kinetic) * _fall(term, np.abs(v))
    return height


def _power(v: Array, coefficient: float, exponent: float) -> Array:
    return coefficient * np.abs(v) ** exponent * np.sign(v)


def _viscous(term: Any, v: Array) -> Array:
    return _power(v, term.viscous, term.viscous_exponent)


def _none(v: Array) -> Array:
    return np.zeros((0, v.size))


def _coulomb(c: Any, v: Array, side: Array, z: Array) -> Parts:
    return c.kinetic * side, 0.0 * v, _none(v)


def _only_viscous(c: Any, v: Array, side: Array, z: Array) -> Parts:
    return 0.0 * v, _power(v, c.coefficient, c.exponent), _none(v)


def _stribeck(c: Any, v: Array, side: Array, z: Array) -> Parts:
    return level(c, v) * side, _viscous(c, v), _none(v)


def _tanh(c: Any, v: Array, side: Array, z: Array) -> Parts:
    return level(c, v) * np.tanh(v / c.width), _viscous(c, v), _none(v)


def table_side(c: Any, side: int) -> tuple[Array, Array]:
    """Return the points of a table on one side of zero, by increasing velocity."""
    x, f = np.asarray(c.velocities, dtype=float), np.asarray(c.forces, dtype=float)
    if c.odd:
        x, f = (x, f) if side > 0 else (-x[::-1], -f[::-1])
        return x, f
    double = np.flatnonzero(np.diff(x) == 0.0)
    if double.size == 0:
        return x, f
    k = int(double[0])
    return (x[k + 1 :], f[k + 1 :]) if side > 0 else (x[: k + 1], f[: k + 1])


def _table(c: Any, v: Array, side: Array, z: Array) -> Parts:
    forward = np.interp(v, *table_side(c, 1))
    backward = np.interp(v, *table_side(c, -1))
    return np.where(side > 0, forward, np.where(side < 0, backward, 0.0)), 0.0 * v, _none(v)


def _curve(c: Any, v: Array, side: Array, z: Array) -> Parts:
    tiny = float(np.finfo(float).tiny)
    inside = np.where(v * side > 0.0, v, side * tiny)
    force = [float(c.function(float(x))) if s != 0 else 0.0 for x, s in zip(inside, side, strict=True)]
    return np.array(force), 0.0 * v, _none(v)


def _lugre(c: Any, v: Array, side: Array, z: Array) -> Parts:
    deflection = z[0] / c.stiffness if c.normalised else z[0]
    rate = v - c.stiffness * np.abs(v) * deflection / level(c, v)
    damping = (
        c.damping if c.damping_velocity is None else c.damping * np.exp(-((v / c.damping_velocity) ** 2))
    )
    own = c.stiffness * rate if c.normalised else rate
    return c.stiffness * deflection + damping * rate, _viscous(c, v), own[None]


def _dahl(c: Any, v: Array, side: Array, z: Array) -> Parts:
    u = 1.0 - c.stiffness * z[0] / c.kinetic * side
    return c.stiffness * z[0], 0.0 * v, (np.abs(u) ** c.exponent * np.sign(u) * v)[None]


def _two_state(c: Any, v: Array, side: Array, z: Array) -> Parts:
    s0, excess = c.stiffness, c.stiffness * (c.static - c.kinetic)
    fall = np.ones_like(v) if c.stribeck_velocity is None else _fall(c, np.abs(v))
    zdot = v - s0 * np.abs(v) * z[0]
    ydot = -z[1] + side * fall / s0
    dry = s0 * c.kinetic * z[0] + c.damping * zdot + excess * z[1] + c.alpha * ydot
    return dry, _viscous(c, v), np.array([zdot, ydot])


def _elasto_plastic(c: Any, v: Array, side: Array, z: Array) -> Parts:
    end, begin, along = level(c, v) / c.stiffness, c.elastic_limit, side * z[0]
    middle = 0.5 + 0.5 * np.sin(np.pi * (along - 0.5 * (end + begin)) / (end - begin))
    plastic = np.where(along <= begin, 0.0, np.where(along >= end, 1.0, middle))
    rate = v * (1.0 - plastic * along / end)
    return c.stiffness * z[0] + c.damping * rate, _viscous(c, v), rate[None]


def _bouc_wen(c: Any, v: Array, side: Array, z: Array) -> Parts:
    w = c.stiffness * z[0] / c.kinetic
    size, n = np.abs(w), c.exponent
    rate = v - c.beta * np.abs(v) * size**n * np.sign(w) - (1.0 - c.beta) * v * size**n
    return c.stiffness * z[0], 0.0 * v, rate[None]


def _maxwell(c: Any, v: Array, side: Array, z: Array) -> Parts:
    """Rates of elements that all stick; `slipping` gives those of slip."""
    return z.sum(axis=0), _viscous(c, v), np.asarray(c.stiffness)[:, None] * v


def maxwell_slipping(c: Any, v: Array, side: Array, z: Array) -> Array:
    """Return the rates of Maxwell elements that all slip."""
    attraction = c.attraction or 0.0
    rates: Array = attraction * (side * np.asarray(c.share)[:, None] - z / level(c, v))
    return rates


def _leuven(c: Any, v: Array, side: Array, z: Array) -> Parts:
    depth = np.clip(np.rint(z[1]), 0, z.shape[0] - 2).astype(int)
    last = np.take_along_axis(z, (1 + np.maximum(depth, 1))[None], axis=0)[0]
    since = np.where(depth > 0, side * (z[0] - last), side * z[0])
    slope = c.stiffness * (1.0 - since / np.where(depth > 0, 2.0 * c.height, c.height))
    q = side * z[0] / level(c, v)
    rate = v * (1.0 - np.abs(q) ** c.exponent * np.sign(q))
    zdot = np.zeros_like(z)
    zdot[0] = slope * rate
    return z[0] + c.damping * rate, _viscous(c, v), zdot


def _inputs(c: Any, v: Array, side: Array, z: Array, load: Array | float) -> dict[str, Any]:
    tiny = float(np.finfo(float).tiny)
    if z.shape[0] == 0:
        z = np.array([np.full(v.shape, start) for start in c.states.values()])
    known: dict[str, Any] = {"v": np.where(v * side > 0.0, v, side * tiny), "load": load + np.zeros_like(v)}
    known |= dict(zip(c.states, z, strict=True))
    return {**known, **c.parameters}


def _formula(c: Any, v: Array, side: Array, z: Array, load: Array | float = 1.0) -> Parts:
    values = Formulas(c._fields["motion"])(_inputs(c, v, side, z, load))
    force, *rates = (np.broadcast_to(one, v.shape) for one in values)
    return force, 0.0 * v, np.array(rates).reshape(-1, v.size)


def _static_level(c: Any, z: Array) -> Any:
    """Level that holds after a stop, of one shape with the states."""
    rest = np.zeros(z.shape[1])
    known = _inputs(c, rest, rest, z, 1.0)
    if "reset" in c._fields:
        known |= dict(zip(c.states, Formulas(c._fields["reset"])(known), strict=True))
    return np.broadcast_to(Formulas(c._fields["level"])(known)[0], rest.shape)


_FORMULAS: dict[str, Callable[[Any, Array, Array, Array], Parts]] = {
    "Coulomb": _coulomb,
    "Viscous": _only_viscous,
    "Stribeck": _stribeck,
    "Tanh": _tanh,
    "Table": _table,
    "Curve": _curve,
    "LuGre": _lugre,
    "Dahl": _dahl,
    "TwoStateBristle": _two_state,
    "ElastoPlastic": _elasto_plastic,
    "BoucWen": _bouc_wen,
    "MaxwellSlip": _maxwell,
    "Leuven": _leuven,
    "FormulaLaw": _formula,
}


def state_count(term: Any) -> int:
    """Return the number of internal states of a term."""
    one = {"LuGre": 1, "Dahl": 1, "ElastoPlastic": 1, "BoucWen": 1, "TwoStateBristle": 2, "Leuven": 16}
    kind = type(term).__name__
    if kind == "FormulaLaw":
        return len(term.states)
    return len(term.stiffness) if kind == "MaxwellSlip" else one.get(kind, 0)


def state_sizes(law: Any) -> list[float]:
    """Return the magnitudes of internal states in steady sliding."""
    sizes: list[float] = []
    for term in law.terms:
        kind, n = type(term).__name__, state_count(term)
        if kind == "FormulaLaw":
            sizes += [abs(start) for start in term.states.values()]
            continue
        own = 0.0
        if kind in ("LuGre", "Dahl", "ElastoPlastic", "BoucWen"):
            own = term.kinetic if getattr(term, "normalised", False) else term.kinetic / term.stiffness
        elif kind == "TwoStateBristle":
            own = 1.0 / term.stiffness
        elif kind == "MaxwellSlip":
            own = term.kinetic / n
        elif kind == "Leuven":
            own = term.kinetic
        sizes += [own] * n
    return sizes


def parts(law: Law, v: Array, side: Array, z: Array, load: Array | float = 1.0) -> Parts:
    """Return the sums over all terms: dry part, viscous part, and the rates of all internal states."""
    dry, viscous, rates, first = np.zeros_like(v), np.zeros_like(v), [], 0
    for term in law.terms:
        n = state_count(term)
        kind, own = type(term).__name__, z[first : first + n]
        d, f, zdot = (
            _formula(term, v, side, own, load)
            if kind == "FormulaLaw"
            else _FORMULAS[kind](term, v, side, own)
        )
        dry, viscous, first = dry + d, viscous + f, first + n
        rates.append(zdot)
    return dry, viscous, np.concatenate(rates, axis=0)


def _jump(term: Any, z: Array) -> tuple[Any, Any]:
    """Lowest and highest dry force of one term at rest, per unit of load, that its states do not give."""
    kind = type(term).__name__
    if kind in ("Coulomb", "Stribeck"):
        return -term.static, term.static
    if kind == "FormulaLaw" and "level" in term._fields:
        level = _static_level(term, z)
        return -level, level
    if kind == "TwoStateBristle":
        step = term.alpha / term.stiffness
        return -step, step
    if kind == "Table":
        low = float(np.interp(0.0, *table_side(term, -1)))
        high = float(np.interp(0.0, *table_side(term, 1)))
        return min(low, high), max(low, high)
    if kind == "Curve":
        tiny = float(np.finfo(float).tiny)
        low, high = float(term.function(-tiny)), float(term.function(tiny))
        if term.static is not None:
            return min(-term.static, low), max(term.static, high)
        return min(low, high), max(low, high)
    return 0.0, 0.0


def jump(law: Law) -> tuple[float, float]:
    """Return the limits of the force in stick, per unit of load, without bristles, at the start."""
    low, high = jump_at(law, np.array([[z] for term in law.terms for z in _starts(term)]).reshape(-1, 1))
    return float(low[0]), float(high[0])


def jump_at(law: Law, z: Array) -> tuple[Array, Array]:
    """Return the same where the states are these."""
    low, high, first = np.zeros(z.shape[1]), np.zeros(z.shape[1]), 0
    for term in law.terms:
        n = state_count(term)
        one = _jump(term, z[first : first + n])
        low, high, first = low + one[0], high + one[1], first + n
    return low, high


def _starts(term: Any) -> list[float]:
    starts = getattr(term, "states", None)
    return list(starts.values()) if starts is not None else [0.0] * state_count(term)


def sticks(law: Law) -> bool:
    """True if the curve jumps at zero, so that stick is a mode."""
    low, high = jump(law)
    return high > low


def kinetic(law: Law) -> float:
    """Return the dry level at high speed, per unit of load."""
    far, ahead = np.array([1e100]), np.ones(1)
    total = 0.0
    for term in law.terms:
        formula = _FORMULAS[type(term).__name__]
        given = getattr(term, "kinetic", None)
        total += float(formula(term, far, ahead, _none(far))[0][0]) if given is None else given
    return total
