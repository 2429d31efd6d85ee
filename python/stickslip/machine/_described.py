"""Laws and controllers reconstructed from a description."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

from stickslip import _core, compensation, laws
from stickslip.control import controllers, filters
from stickslip.control.controllers import Controller
from stickslip.laws import FormulaLaw, Law
from stickslip.laws.stick_slip import DeadTime, Lag, Presliding, StickSlip
from stickslip.signals import Constant


def law_of(compiled: _core.friction.Law, options: dict[str, float]) -> Law:
    """Make the law with these terms and options of the automaton."""
    terms = [
        (FormulaLaw._restored if kind == "FormulaLaw" else getattr(laws, kind))(**parameters)
        for kind, parameters in compiled.terms
    ]
    law: Law = functools.reduce(operator.add, terms)
    if not any(options.values()):
        return law
    travel = options["travel"]
    memory = Lag(options["memory"]) if options["memory"] else None
    return StickSlip(
        law,
        memory=DeadTime(options["dead_time"]) if options["dead_time"] else memory,
        dwell=options["dwell"],
        presliding=Presliding(travel, options["surface_damping"]) if travel else None,
        load_factor=options["load_factor"],
    )


def controller_of(described: dict[str, Any]) -> Controller:
    """Make the controller with these fields."""
    law = dict(described["law"])
    kind = law.pop("kind")
    if kind == "LTI":
        both = not law.pop("error")
        law |= {"inputs": "both" if both else "error", "references": law["references"] if both else None}
        law["gain"] = law["gain"] if law["gain"].size else None
    options = dict(described["options"])
    low, high = (
        None if math.isinf(options["limits"][end]) else options["limits"][end] for end in ("min", "max")
    )
    options["limits"] = None if low is None and high is None else (low, high)
    options["anti_windup"] = None if options["anti_windup"] == "none" else options["anti_windup"]
    options["period"] = options["period"] or None
    if kind == "FrictionCurve":
        law["law"] = law_of(law["law"], {})
    made: Controller = getattr(compensation if kind == "FrictionCurve" else controllers, kind)(
        **law, **options
    )
    return made


def words_of(made: Controller) -> dict[str, Any]:
    """Return kind and arguments of a filter, ready for ``json.dumps``."""
    return {"kind": type(made).__name__, **made._arguments()}


def from_words(given: dict[str, Any]) -> Controller:
    """Return the filter for a kind and its arguments; the inverse of `words_of`."""
    rest = dict(given)
    if (kind := rest.pop("kind", None)) not in filters.__all__:
        raise ValueError(f"words is damaged: {kind!r} is no filter")
    try:
        made: Controller = getattr(filters, kind)(**rest)
    except TypeError as error:
        raise ValueError(f"words is damaged: {error}") from error
    return made


def compensator_text(described: dict[str, Any]) -> str:
    """Return the expression that makes a compensator with constant load."""
    load = described["normal_load"]
    shown = repr(Constant(load.value(0.0))) if load.is_constant else "..."
    text = f"law={law_of(described['law'], {})!r}, normal_load={shown}"
    if not described["observer"]:
        return f"FrictionFeedforward({text})"
    return f"FrictionObserver({text}, gain={described['gain']!r})"


def spring_text(described: dict[str, Any]) -> str:
    """Return the arguments of a spring except its place and defaults."""
    parts = [
        f"{key}={described[key]!r}"
        for key in ("stiffness", "damping", "backlash", "preload", "one_sided")
        if described[key]
    ]
    rest = described["rest"]
    if not rest.is_constant:
        parts.append("rest=...")
    elif rest.value(0.0) != 0.0:
        parts.append(f"rest={rest.value(0.0)!r}")
    if described["elongations"]:
        parts.append(f"table=({described['elongations']!r}, {described['forces']!r})")
    return f"spring({', '.join(parts)})"


def detent_text(described: dict[str, Any]) -> str:
    """Return the arguments of a detent except its place and defaults."""
    keys = ("preload", "pitch", "width", "stiffness", "damping", "position")
    return f"detent({', '.join(f'{key}={described[key]!r}' for key in keys if described[key])})"


def relay_text(described: dict[str, Any]) -> str:
    """Return the arguments of a relay or quantiser except defaults."""
    if described["kind"] == "quantiser":
        return (
            f"quantiser(on={described['on']!r}, step={described['step']!r}, levels={described['levels']!r})"
        )
    parts = [f"{key}={described[key]!r}" for key in ("on", "low", "high")]
    threshold = described["threshold"]
    if not (threshold.is_constant and threshold.value(0.0) == 0.0):
        parts.append(f"threshold={threshold.value(0.0) if threshold.is_constant else '...'!s}")
    parts += [f"hysteresis={described['hysteresis']!r}"] if described["hysteresis"] else []
    return f"relay({', '.join(parts)})"


def constraint_text(described: dict[str, Any]) -> str:
    """Return the arguments of a constraint except its place."""
    value, what = described["value"], "rate" if str(described["level"]) == "velocity" else "value"
    return f"constraint({what}={value.value(0.0) if value.is_constant else '...'!s})"
