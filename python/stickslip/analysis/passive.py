"""Passivity of friction laws: proven by a storage function, or refuted by a motion that extracts energy.

A law is passive from velocity to force if it never delivers more energy than it absorbed: from rest, with all internal
states zero, the work ``W(t) = ∫ F v dt`` done on it stays >= 0 for every velocity. Curves in the first and third
quadrant are passive; bristle laws store energy, and some create it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip import _checks as checks
from stickslip.analysis._bristle_passivity import OneState, judge
from stickslip.analysis._phases import Counterexample, best
from stickslip.laws import BoucWen, Dahl, ElastoPlastic, Law, LuGre, MaxwellSlip, TwoStateBristle, as_law
from stickslip.laws.stick_slip import DeadTime, StickSlip

__all__ = ["Counterexample", "Passivity", "Storage", "passivity"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Storage:
    """A storage function: its value rises by no more than the work done on the law.

    Attributes
    ----------
    formula : str
        The function in words, per unit normal load where it has states.
    energy : callable or None
        Storage function, J, shape (n_times,), for internal states of shape (n_states, n_times) in the order of
        `Law.state_names`; None if it also depends on other quantities.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> storage = ss.analysis.passivity(ss.Dahl(stiffness=1e5, kinetic=1.0), normal_load=2.0).storage
    >>> storage.formula, storage.energy(np.array([[1e-5]]))
    ('σ·z²/2', array([1.e-05]))
    """

    formula: str
    energy: Callable[[Array], Array] | None


@dataclass(frozen=True)
class Passivity:
    """Result of `passivity`.

    Attributes
    ----------
    passive : bool or None
        True with a storage function, False with a counterexample, None if neither is known (`extractable_energy` may
        then help).
    condition : str
        The condition for passivity, with the note "necessary and sufficient" or "sufficient".
    margin : float
        Margin by which the condition is met (>= 0) or violated (< 0), in its unit; NaN if the condition is not an
        inequality.
    source : str
        Source of the condition.
    storage : Storage or None
        Storage function of a passive law.
    counterexample : Counterexample or None
        Motion that extracts energy from a law that is not passive. None with ``passive=False`` only for a bristle law
        so close to its limit that double precision cannot represent the motion.

    Examples
    --------
    >>> import stickslip as ss
    >>> known = ss.analysis.passivity(ss.Dahl(stiffness=1e5, kinetic=1.0))
    >>> known.passive, known.condition
    (True, 'always: F v - d(σ z²/2)/dt >= 0')
    """

    passive: bool | None
    condition: str
    margin: float
    source: str
    storage: Storage | None = None
    counterexample: Counterexample | None = None


def _nothing_stored(states: Array) -> Array:
    return np.zeros(states.shape[-1])


_DISSIPATES = Storage("0: nothing is stored", _nothing_stored)


def _springs(formula: str, stiffness: Any) -> Storage:
    """Half the sum of stiffness times state squared."""
    k = np.atleast_1d(np.asarray(stiffness, dtype=float))[:, None]
    return Storage(formula, lambda states: np.asarray(0.5 * np.sum(k * states[: len(k)] ** 2, axis=0)))


# -- curves ------------------------------------------------------------------------------------------------


def _curve(law: Law, load: float) -> Passivity:
    scale = np.geomspace(1e-12, 1e6, 721)
    knots = np.abs(np.array(law.compiled.velocity_breakpoints))
    speeds = np.concatenate([[float(np.finfo(float).tiny)], scale, knots])
    speeds = np.concatenate([speeds, -speeds])
    outwards = np.sign(speeds) * law.force(speeds, load)
    margin = float(outwards.min())
    condition = "F · sgn v >= 0 at every velocity (necessary and sufficient)"
    if margin >= 0.0:
        known = not law.compiled.traits.needs_interpreter
        return Passivity(
            True if known else None, condition, margin, "definition", _DISSIPATES if known else None
        )
    worst = speeds[outwards < 0.0]
    shown = best(law, load, [[(float(v), 1.0)] for v in worst[:: max(1, len(worst) // 20)]])
    return Passivity(False if shown else None, condition, margin, "definition", None, shown)


# -- bristles with one deflection ----------------------------------------------------------------------------


def _scaled(law: Any, load: float, f: Array, storage: Array) -> Storage:
    """The least work to reach a bristle force, as computed, as a function of the states."""
    per_state = law.stiffness * (law.kinetic if isinstance(law, TwoStateBristle) else 1.0)
    if getattr(law, "normalised", False):
        per_state = 1.0

    def energy(states: Array) -> Array:
        return np.asarray(load * np.interp(per_state * states[0], f, storage))

    return Storage("the least work, from rest, that brings the bristle to its force (computed)", energy)


def _quadratic(law: Any, load: float) -> Storage:
    if isinstance(law, TwoStateBristle):
        return _springs("σ0·kinetic·z²/2", load * law.stiffness * float(law.kinetic or 0.0))
    if getattr(law, "normalised", False):
        return _springs("q²/(2·σ0)", load / law.stiffness)
    return _springs("σ0·z²/2", load * law.stiffness)


def _classic(law: Any, load: float, further: Sequence[Law]) -> tuple[str, float] | None:
    """Barabanov and Ortega's condition, where it applies: constant damping, linear viscous part, no more."""
    linear = law.viscous_exponent == 1.0 or law.viscous == 0.0
    if isinstance(law, TwoStateBristle) or further or not linear or getattr(law, "damping_velocity", None):
        return None
    needed = load * law.damping * (law.static - law.kinetic) / law.kinetic
    condition = (
        "viscous >= normal_load * damping * (static - kinetic) / kinetic = "
        f"{needed:.6g} (necessary and sufficient)"
    )
    return condition, law.viscous - needed


def _bristle(law: Any, further: Sequence[Law], whole: Law, load: float) -> Passivity:
    """Decide a bristle with one deflection, beside it any curves."""

    def extra(v: Array) -> Array:
        return np.asarray(sum((term.force(v, load) for term in further), np.zeros_like(v)))

    breakpoints = np.concatenate(
        [np.zeros(0), *(np.array(term.compiled.velocity_breakpoints) for term in further)]
    )
    found = judge(OneState(law, load, extra, breakpoints), whole)
    condition = (
        "least mean force of a cycle of the bristle force, or of a path to it, N per unit load, >= 0 "
        "(necessary and sufficient)"
    )
    passive, margin, source = found.passive, found.margin, "derived: least work of every change of z"
    classic = _classic(law, load, further)
    if classic is not None:
        (condition, margin), source = classic, "Barabanov, Ortega 2000"
        passive = margin >= 0.0
    if not passive:
        return Passivity(passive, condition, margin, source, None, found.counterexample)
    simple = found.quadratic or classic is not None
    storage = _quadratic(law, load) if simple else _scaled(law, load, found.force, found.storage)
    return Passivity(True, condition, margin, source, storage)


# -- other laws with states ------------------------------------------------------------------------------


def _maxwell(law: MaxwellSlip, load: float) -> Passivity:
    stiffness = np.asarray(law.stiffness, dtype=float)
    assert law.static is not None and law.kinetic is not None
    if law.static == law.kinetic:
        condition = "static = kinetic: springs and sliders of constant level"
        return Passivity(True, condition, 0.0, "Iwan 1966", _springs("Σ f_i²/(2·k_i)", load / stiffness))
    # Load at a speed where the level is low, creep until it has risen (no path, no work), let the springs
    # push back: they return static²/2k for kinetic²/2k.
    assert law.attraction is not None
    condition = (
        "static = kinetic (sufficient); otherwise levels that rise in slow slip load the springs without work"
    )
    speed, slow = law.stribeck_velocity or 1e-3, 1e-6 * (law.stribeck_velocity or 1e-3)
    travel = np.asarray(law.share) / stiffness  # of each element per unit of its level
    wait = 20.0 * law.static / law.attraction
    tries = []
    for fast in speed * np.geomspace(0.1, 1e3, 17):
        level = float(law.force(fast)) - law.viscous * fast**law.viscous_exponent
        for back in np.linspace(0.3, 1.0, 8) * law.static * travel.max():
            loading = 1.001 * level * travel.max() / fast
            tries.append([(fast, loading), (slow, wait), (-slow, back / slow)])
    shown = best(law, load, tries, enough=0.95)
    return Passivity(False if shown else None, condition, math.nan, "derived", None, shown)


def _automaton(law: StickSlip, load: float) -> Passivity:
    inner = _curve(law.curve, load)
    surface = law.presliding
    if not inner.passive or surface is None:
        return inner
    condition = "surface damping = 0, and the curve in the first and third quadrant"
    if surface.damping == 0.0:
        storage = Storage("k·s²/2 in stick, f²/(2k) in slip", None)
        return Passivity(True, condition, 0.0, "Klotzbach, Henrichfreise; constant load", storage)
    # At break-away the damper carries a share of the level that the spring does not hold; in slow slip the
    # surface is taken to be as far deflected as the whole force would, and gives that back in reverse.
    level = load * float(law.break_away)
    wait = surface.travel * surface.damping / level
    if law.memory is not None:  # until friction in slow slip is that of rest
        wait = 2.0 * law.memory.delay if isinstance(law.memory, DeadTime) else 20.0 * law.memory.time_constant
    slow = 1e-4 * min(level / surface.damping, surface.travel / wait)
    tries = []
    for share in np.linspace(0.3, 0.98, 18):
        fast = share * level / surface.damping
        loading = (1.0 + 1e-6) * surface.travel * (1.0 - share) / fast
        for back in (0.5, 0.7, 0.95):
            tries.append([(fast, loading), (slow, wait), (-slow, back * surface.travel / slow)])
    shown = best(law, load, tries)
    return Passivity(
        False if shown else None, condition, -surface.damping, "derived; the model of the source", None, shown
    )


def _single(law: Law, load: float) -> Passivity:
    if isinstance(law, StickSlip):
        return _automaton(law, load)
    if isinstance(law, (LuGre, ElastoPlastic, TwoStateBristle)):
        return _bristle(law, (), law, load)
    if isinstance(law, Dahl):
        storage = _springs("σ·z²/2", load * law.stiffness)
        return Passivity(
            True, "always: F v - d(σ z²/2)/dt >= 0", math.nan, "storage function σ·z²/2", storage
        )
    if isinstance(law, BoucWen):
        condition = "beta >= 0.5 (checked when the law is made)"
        storage = _springs("stiffness·z²/2", load * law.stiffness)
        return Passivity(True, condition, law.beta - 0.5, "Erlicher, Point 2004", storage)
    if isinstance(law, MaxwellSlip):
        return _maxwell(law, load)
    if law.state_names:
        return Passivity(None, "open: no storage function is known", math.nan, "not decided")
    return _curve(law, load)


def _sum_of_storages(terms: Sequence[Law], parts: Sequence[Passivity]) -> Storage:
    counts = [len(term.state_names) for term in terms]
    pieces = [part.storage for part in parts if part.storage is not None and part.storage.energy is not None]

    def energy(states: Array) -> Array:
        split = np.split(states, np.cumsum(counts)[:-1], axis=0)
        return np.asarray(
            sum(piece.energy(own) for piece, own in zip(pieces, split, strict=True) if piece.energy)
        )

    return Storage(" + ".join(piece.formula for piece in pieces), energy)


def passivity(law: Law | float, normal_load: float = 1.0) -> Passivity:
    """Decide whether a law is passive, from velocity to force.

    Parameters
    ----------
    law : Law or float
        Any law. A sum of one bristle law and curves is decided as a whole; a sum of several bristle laws is passive if
        all parts are.
    normal_load : float, default 1.0
        Constant normal load, N, >= 0: bristle damping scales with it, the viscous part does not.

    Returns
    -------
    Passivity

    Raises
    ------
    ValueError
        If `normal_load` is negative or not finite.

    Notes
    -----
    LuGre and its elasto-plastic extension with constant damping and linear viscous part are passive if and only if
    ``viscous >= damping · (static − kinetic)/kinetic`` (Barabanov, Ortega 2000). For these laws with other damping,
    other viscous parts or additional curves, and for `TwoStateBristle`, the least work for every change of the bristle
    force is computed. The law is passive if and only if this work is non-negative for every cycle and every path from
    rest; the work is then a storage function. With Table I of its source `TwoStateBristle` is passive for 2.5e4 <=
    alpha <= 1.08925e5 (shape 2); the proof of strict passivity in its source does not hold.

    Every counterexample is simulated before it is returned.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0,
    ...                stribeck_velocity=1e-3)
    >>> known = ss.analysis.passivity(law)
    >>> known.passive, len(known.counterexample.phases), known.counterexample.energy > 1e-4
    (False, 2, True)
    """
    load = float(checks.non_negative("normal_load", normal_load))
    law = as_law(law)
    terms = list(law.terms)
    bristles = [term for term in terms if isinstance(term, (LuGre, ElastoPlastic, TwoStateBristle))]
    curves = [term for term in terms if not term.state_names and not isinstance(term, StickSlip)]
    if load > 0.0 and len(bristles) == 1 and len(curves) == len(terms) - 1:
        return _bristle(bristles[0], curves, law, load)
    if len(curves) == len(terms) or load == 0.0:
        return _curve(law, load)
    parts = [_single(term, load) for term in terms]
    if len(parts) == 1:
        return parts[0]
    if all(part.passive for part in parts):
        condition = "all parts are passive (sufficient)"
        return Passivity(True, condition, math.nan, "sum of passive laws", _sum_of_storages(terms, parts))
    reasons = "; ".join(part.condition for part in parts if not part.passive)
    motions = [part.counterexample.phases for part in parts if part.counterexample is not None]
    shown = best(law, load, motions)
    return Passivity(
        False if shown else None, f"not all parts are passive: {reasons}", math.nan, "", None, shown
    )
