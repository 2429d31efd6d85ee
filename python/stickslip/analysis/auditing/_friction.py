"""Friction: within the static level in stick, by the law and against the velocity in slip."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, Place, internal_names
from stickslip.analysis.auditing._put_to_rest import RESTS
from stickslip.analysis.auditing._report import Audit
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._surfaces import OPEN, Surface, force_size, load_room
from stickslip.analysis.auditing._tolerances import Sizes, beyond_limit
from stickslip.laws.stick_slip import Lag

Array = NDArray[np.float64]

_SHARED = 1e-9  # of the forces that shared ones may miss their limits by


def check_friction(
    audit: Audit, run: Any, d: Description, at: Samples, surfaces: list[Surface], sizes: Sizes
) -> None:
    """Check all friction forces against their laws."""
    for place, one in zip(d.surfaces, surfaces, strict=True):
        _check_signals(audit, d, place, at, one, sizes)
        _check_sliding(audit, place, at, one, sizes)
        _check_rest(
            audit, run, place, at, one, sizes, max(_SHARED, sizes.relative) * force_size(d, at, sizes)
        )
        _check_prescribed_rest(audit, d, place, at, one, sizes)
        _note_unchecked(audit, d, place)


def _check_signals(
    audit: Audit, d: Description, place: Place, at: Samples, one: Surface, sizes: Sizes
) -> None:
    name, closed = place.name, one.mode != OPEN
    t = at.t
    room = one.velocity_room + _no_velocity(place, at, sizes)
    audit.hold("velocity is w . q'", name, t, np.abs(at[f"{name}.velocity"] - one.velocity), room + 1e-300)
    if not place.on_contact:
        room = 10.0 * sizes.relative * np.abs(one.load) + _load_room(place, d, at, sizes)
        audit.hold("load", name, t, np.abs(at[f"{name}.load"] - one.load), room + 1e-300)
        audit.hold("load is not negative", name, t, -one.load, room + 1e-300)
    known = one.known & closed
    error = np.where(known, np.abs(at[f"{name}.force"] - one.force), 0.0)
    audit.hold("force follows the law", name, t, error, one.uncertain + 1e-300)
    audit.hold("no force when open", name, t, np.where(closed, 0.0, np.abs(at[f"{name}.force"])), 1e-300)


def _no_velocity(place: Place, at: Samples, sizes: Sizes) -> Array:
    """Return the threshold for zero."""
    none: Array = RESTS * place.along.reach(at, np.maximum(sizes.v, sizes.scale))
    return none


def _load_room(place: Place, d: Description, at: Samples, sizes: Sizes) -> Array | float:
    rounding = 1e-12 * np.abs(at[f"{place.name}.load"]).max() if place.load_formula is not None else 0.0
    room: Array | float = load_room(place, d, at, sizes) + rounding
    return room


def _check_sliding(audit: Audit, place: Place, at: Samples, one: Surface, sizes: Sizes) -> None:
    """The velocity has the sign of the mode, so that the force opposes it."""
    if not _laws.sticks(place.law):
        return
    slides = np.abs(one.mode) == 1
    backwards = np.where(slides, -one.mode * one.velocity, 0.0)
    audit.hold("slides in the direction of its mode", place.name, at.t, backwards, one.velocity_room)


def _check_rest(
    audit: Audit, run: Any, place: Place, at: Samples, one: Surface, sizes: Sizes, rounding: Array
) -> None:
    rests = (one.mode == 0) if _laws.sticks(place.law) else np.zeros(at.t.size, dtype=bool)
    if not rests.any():
        return
    elastic = place.options is not None and place.options.presliding is not None
    if not elastic:
        moves = np.where(rests, np.abs(one.velocity), 0.0)
        room = one.velocity_room + _no_velocity(place, at, sizes)
        audit.hold("at rest v = 0", place.name, at.t, moves, room)
    force = at[f"{place.name}.force"]
    beyond = np.maximum(force - one.high, one.low - force)
    if elastic:  # over its limit it still rests while it does not move along the force
        beyond = np.where(np.sign(force) * one.velocity > one.velocity_room, beyond, 0.0)
    level = np.maximum(np.abs(one.low), np.abs(one.high))
    room = beyond_limit(run, place.name, 10.0 * sizes.relative) * level + one.uncertain + rounding
    audit.hold("at rest |F| <= static level", place.name, at.t, np.where(rests, beyond, 0.0), room + 1e-300)


def _check_prescribed_rest(
    audit: Audit, d: Description, place: Place, at: Samples, one: Surface, sizes: Sizes
) -> None:
    """Where constraints alone prescribe the motion the force at rest is that of sliding for v -> 0, or zero."""
    if place.options is not None or not _laws.sticks(place.law) or not d.prescribes_alone(place, at):
        return
    force, still, z = at[f"{place.name}.force"], np.zeros_like(at.t), at.rows(internal_names(place))
    error: Array = np.abs(force)
    for side in (-1.0, 1.0):
        dry, viscous, _ = _laws.parts(place.law, still, still + side, z, one.load)
        error = np.minimum(error, np.abs(force - one.load * dry - viscous))
    room = 10.0 * sizes.relative * np.maximum(np.abs(one.low), np.abs(one.high)) + one.uncertain + 1e-300
    audit.hold(
        "at rest along a prescribed motion F is that of sliding for v -> 0, or zero",
        place.name, at.t, np.where(one.mode == 0, error, 0.0), room,
    )  # fmt: skip


def _note_unchecked(audit: Audit, d: Description, place: Place) -> None:
    name = place.name
    kinds = {type(term).__name__ for term in place.law.terms}
    if "MaxwellSlip" in kinds:
        audit.skip(f"rates of '{name}'", "the slipping elements of MaxwellSlip are not sampled")
    if "Leuven" in kinds:
        audit.skip(f"memory of '{name}'", "closing of the loops of Leuven's law; force and rate are checked")
    if "TwoStateBristle" in kinds:
        audit.skip(f"rates of '{name}' at rest", "they depend on the force in stick")
    o = place.options
    if o is not None and isinstance(o.memory, Lag):
        audit.skip(
            f"lagged force of '{name}' at rest", "checked in sliding only; in stick its limits are checked"
        )
    if o is not None and place.on_contact and o.presliding is not None and o.presliding.damping > 0.0:
        audit.skip(f"presliding force of '{name}'", "its damping depends on the load of a contact")
