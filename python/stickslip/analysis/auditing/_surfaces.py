"""Velocity, load and force of a friction element, from the motion and its law alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.analysis.auditing import _laws
from stickslip.analysis.auditing._description import Description, Place, doubt_of, evaluated, internal_names
from stickslip.analysis.auditing._sampling import Samples
from stickslip.analysis.auditing._tolerances import Sizes
from stickslip.laws.stick_slip import DeadTime, Lag
from stickslip.modes import Mode

Array = NDArray[np.float64]
OPEN = 2


@dataclass
class Surface:
    """State of one friction element at many times.

    Attributes
    ----------
    mode : ndarray
        -1, 0, 1, or 2 while its contact is open; an unloaded element may slide in either direction.
    velocity, load, force : ndarray
        Relative velocity; normal load, including that of a load force; force that opposes the velocity.
    known : ndarray of bool
        True where `force` follows from the law; elsewhere, in stick, it is the force of the run.
    low, high : ndarray
        Limits of the friction force in stick.
    states, rates : ndarray
        Internal states with rates, and their rates; `state_names` lists their names, `moving` is True where they are
        known.
    uncertain, rates_uncertain : ndarray
        Uncertainty of force and rates.
    velocity_room : ndarray
        Allowed error of the relative velocity.
    """

    mode: Array
    velocity: Array
    load: Array
    force: Array
    known: NDArray[np.bool_]
    low: Array
    high: Array
    state_names: list[str]
    states: Array
    rates: Array
    moving: NDArray[np.bool_]
    uncertain: Array
    rates_uncertain: Array
    velocity_room: Array


def load_input(name: str, d: Description, at: Samples) -> Array:
    """Return a term of a load force; forces of springs and outputs of controllers are checked by themselves."""
    owner, _, kind = name.rpartition(".")
    return d.applied_force(owner, at) if kind == "applied_force" else at[name]


def table_room(place: Place, sizes: Sizes) -> float:
    """Return the allowed error of a tabulated load for given errors of the positions."""
    if place.load_table is None:
        return 0.0
    where, loads = map(np.asarray, place.load_table)
    reach = sum(abs(f) * sizes.states.get(name, 0.0) for name, f in place.load_form.items())
    steepest = float(np.abs(np.diff(loads) / np.diff(where)).max())
    return sizes.relative * (float(loads.max()) + steepest * reach)


def _form_factor(place: Place) -> float:
    """Return the normal load per newton of the magnitude of the load force."""
    if place.load_magnitude:
        return 1.0
    if place.options is None or place.options.load_factor == 0.0:
        return 0.0
    return place.options.load_factor / _laws.kinetic(place.law)


def form_room(place: Place, d: Description, at: Samples, sizes: Sizes) -> Array:
    """Return the allowed error of a load force for given errors of its inputs."""
    room = np.zeros_like(at.t)
    if (factor := _form_factor(place)) == 0.0:
        return room
    springs = {f"{s.name}.force": s for s in d.springs}
    for name, f in place.load_form.items():
        if name in springs:
            s = springs[name]
            x_room, v_room = (np.abs(s.along) @ size for size in (sizes.q, sizes.v))
            room = room + abs(f) * (s.stiffness * x_room + s.damping * v_room)
        else:
            room = room + abs(f) * (sizes.states.get(name) or np.abs(load_input(name, d, at)).max())
    if place.load_across:
        room = room + np.abs(at[place.load_across]).max()
    return sizes.relative * factor * room


def force_size(d: Description, at: Samples, sizes: Sizes) -> Array:
    """Return the sum of the magnitudes of all forces, which bounds the rounding error of reaction forces.

    Where all forces pass zero together it is a thousandth of the greatest value in the run.
    """
    size = np.zeros_like(at.t) + np.max(np.abs(d.damping) @ sizes.v + np.abs(d.stiffness) @ sizes.q)
    size += 1e-3 * sizes.force.max()
    for push in d.pushes:
        size = size + np.abs(push.value(at))
    for s in d.springs:
        size = size + np.abs(at[f"{s.name}.force"])
    for place in d.surfaces:
        size = size + np.abs(at[f"{place.name}.force"])
    for c in d.contacts:
        size = size + np.abs(at[f"{c.name}.normal_force"])
    return size


def load_room(place: Place, d: Description, at: Samples, sizes: Sizes) -> Array | float:
    """Return the allowed error of a normal load for given errors of its inputs."""
    if place.load_formula is not None:
        return doubt_of(place.load_formula, at, sizes.relative, sizes.states)
    if d.constraint_loading(place):
        return sizes.relative * force_size(d, at, sizes)
    return table_room(place, sizes) + form_room(place, d, at, sizes)


def load_of(place: Place, d: Description, at: Samples) -> Array:
    """Return the normal load and the contribution of a load force."""
    if place.on_contact:
        return at[f"{place.name}.normal_force"]
    if place.pressed_by:
        return at[f"{place.pressed_by}.normal_force"]
    if place.load_formula is not None:
        return evaluated(place.load_formula, at)
    load: Array = place.normal_load.values(at.t)
    force = np.zeros_like(at.t)
    for name, factor in place.load_form.items():
        force = force + factor * load_input(name, d, at)
    if place.load_across:
        force = np.hypot(force, at[place.load_across])
    if place.load_table is not None:
        return load + np.interp(force, *place.load_table, period=place.load_period)
    return load + _form_factor(place) * np.abs(force)


def options_of(place: Place) -> tuple[float, float, float, float]:
    """Return lag, dwell time, travel and damping of presliding; 0 for options that are not set."""
    o = place.options
    if o is None:
        return 0.0, 0.0, 0.0, 0.0
    travel, damping = (o.presliding.travel, o.presliding.damping) if o.presliding else (0.0, 0.0)
    return o.memory.time_constant if isinstance(o.memory, Lag) else 0.0, o.dwell, travel, damping


def dead_time(place: Place) -> float:
    """Return the time constant of frictional memory; 0 without memory."""
    o = place.options
    return o.memory.delay if o is not None and isinstance(o.memory, DeadTime) else 0.0


def aged(place: Place, at: Samples, dwell: float) -> Array:
    """Return the share of the static level after a time at rest (automaton, 9): f_sa + (f_s - f_sa) t/(t + T)."""
    if dwell == 0.0:
        return np.ones_like(at.t)
    share, clock = at[f"{place.name}.aged"], np.maximum(0.0, at.t - at[f"{place.name}.stuck_since"])
    return share + (1.0 - share) * clock / (clock + dwell)


def _with_peak(place: Place, dry: Array, side: Array, peak: Array) -> Array:
    """The curve whose peak is the level reached at break-away (automaton, after 11)."""
    static, kinetic = _laws.jump(place.law)[1], _laws.kinetic(place.law)
    if static <= kinetic:
        return dry
    shape = (side * dry - kinetic) / (static - kinetic)
    return side * (kinetic + (peak * static - kinetic) * shape)


def remembered(place: Place, at: Samples, side: Array, late: Array) -> Array:
    """Return the dry force per unit load at the velocity of one dead time ago, opposing the present direction; if the
    element stuck then, the level at which it broke away.
    """
    dry = _laws.parts(place.law, side * np.abs(late), side, np.zeros((0, late.size)))[0]
    if options_of(place)[1] == 0.0:
        return np.where(late == 0.0, side * _laws.jump(place.law)[1], dry)
    peak = at[f"{place.name}.peak"]
    stuck = side * peak * _laws.jump(place.law)[1]
    return np.where(late == 0.0, stuck, _with_peak(place, dry, side, peak))


def off_by(late: Array, error: Array | float) -> Array:
    """Return a speed with an error; zero stays zero, and no other speed becomes zero."""
    return np.where(late == 0.0, 0.0, np.maximum(np.abs(late) + error, np.finfo(float).tiny))


def _formula(
    place: Place, at: Samples, v: Array, side: Array, z: Array, load: Array, later: Array | float = 0.0
) -> tuple[Array, Array, Array]:
    """Dry and viscous force and rates; with dead time at a delayed velocity that is off by `later`."""
    dry, viscous, rates = _laws.parts(place.law, v, side, z, load)
    if dead_time(place) > 0.0:
        dry = remembered(place, at, side, off_by(at[f"{place.name}.delayed_velocity"], later))
    elif options_of(place)[1] > 0.0:
        dry = _with_peak(place, dry, side, at[f"{place.name}.peak"])
    return dry, viscous, rates


def _followed(place: Place, n: int) -> NDArray[np.bool_]:
    """Return the internal states with a known rate: not the switches of Maxwell slip and Leuven's memory."""
    followed, first = np.ones(n, dtype=bool), 0
    for term in place.law.terms:
        count = _laws.state_count(term)
        if type(term).__name__ == "MaxwellSlip":
            followed[first : first + count] = False
        if type(term).__name__ == "Leuven":
            followed[first + 1 : first + count] = False
        first += count
    return followed


def surface(place: Place, d: Description, at: Samples, sizes: Sizes) -> Surface:
    """Return the state of one friction element."""
    relative = sizes.relative
    lag, dwell, travel, damping = options_of(place)
    mode, v, load = at[f"{place.name}.mode"], place.relative(at), load_of(place, d, at)
    mode = np.where(mode == Mode.FREE, np.sign(v), mode)
    side = np.where(np.abs(mode) == 1, mode, 0.0)
    names = internal_names(place)
    z = at.rows(names)
    dry, viscous, rates = _formula(place, at, v, side, z, load)
    velocity_error = relative * (place.along.reach(at, sizes.v) + np.abs(v))
    velocity_error = velocity_error + place.along.doubt(at, relative, sizes.q) @ sizes.v
    z_error = relative * sizes.of(names)[:, None]
    spread, rates_spread = np.zeros_like(v), np.zeros_like(rates)
    for sign in (1.0, -1.0):
        near = v + sign * velocity_error
        near = np.where((side != 0.0) & (near * side < 0.0) & (len(names) == 0), 0.0, near)
        one = _formula(place, at, near, side, z + sign * z_error, load, sign * velocity_error)
        spread = np.maximum(spread, np.abs(one[0] - dry) + np.abs(one[1] - viscous))
        rates_spread = np.maximum(rates_spread, np.abs(one[2] - rates))
    scale = (
        load if place.on_contact else np.ones_like(load)
    )  # of viscous parts: per unit of a contact's force
    base, share = load * dry + scale * viscous, aged(place, at, dwell)
    low, high = (load * share * end for end in _laws.jump_at(place.law, z))
    rest = (side == 0.0) & (mode != OPEN)
    known = (side != 0.0) & (mode != OPEN)
    states, state_names, all_rates = z, list(names), rates
    moving = _followed(place, len(names))[:, None] & (mode != OPEN)
    if any(type(term).__name__ == "TwoStateBristle" for term in place.law.terms):
        # At rest the second state moves with the force that is held, or, without a step of the force, either way.
        moving &= ~rest & (np.abs(v) > velocity_error)
    remains, per_load = np.zeros_like(v), np.abs(dry)
    if lag > 0.0:
        f = remains = at[f"{place.name}.lagged_force"]
        unit = np.ones_like(load) if place.on_contact else load
        states = np.vstack([states, f])
        state_names.append(f"{place.name}.lagged_force")
        all_rates = np.vstack([all_rates, (unit * dry * side - f) / lag])
        rates_spread = np.vstack(
            [rates_spread, (unit * spread + relative * sizes.states[state_names[-1]]) / lag]
        )
        moving = np.vstack([moving, known])
        base = np.where(known, (load if place.on_contact else 1.0) * f * side + scale * viscous, base)
        held = load * f if place.on_contact else f  # a falling load: held by the lag
        low, high = np.minimum(low, -held), np.maximum(high, held)
    if travel > 0.0:
        s = at[f"{place.name}.presliding"]
        states = np.vstack([states, s])
        state_names.append(f"{place.name}.presliding")
        all_rates = np.vstack([all_rates, v])
        rates_spread = np.vstack([rates_spread, velocity_error])
        moving = np.vstack([moving, rest])
        per_load = np.where(rest, np.abs(_laws.jump(place.law)[1] / travel * s), per_load)
        spring = load * (_laws.jump(place.law)[1] / travel) * s
        base = np.where(rest, spring + damping * v, base)
        spread = np.where(rest, relative * np.abs(spring) + damping * velocity_error, spread)
        known = known | (rest & (not place.on_contact or damping == 0.0))
    else:
        low, high = low + base * rest, high + base * rest
    force = np.where(known, base, np.where(mode == OPEN, 0.0, at[f"{place.name}.force"]))
    uncertain = np.maximum(
        np.abs(load), np.abs(scale) if place.on_contact else 1.0
    ) * spread + relative * np.abs(force)
    rounding = 4.0 * np.finfo(float).eps  # of terms that cancel
    uncertain = uncertain + rounding * (np.abs(load * dry) + np.abs(scale * viscous) + np.abs(remains))
    uncertain = uncertain + per_load * load_room(place, d, at, sizes)
    return Surface(
        mode,
        v,
        load,
        force,
        known,
        low,
        high,
        state_names,
        states,
        all_rates,
        moving,
        uncertain,
        rates_spread,
        velocity_error,
    )
