"""Friction laws that a user writes as formulas."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from stickslip import _core
from stickslip._checks import choice, finite, non_negative, positive, reject
from stickslip.errors import UnknownNameError
from stickslip.expressions import functions as f
from stickslip.expressions.expr import Expr, as_expr, outputs_of, tracing
from stickslip.laws.law import Law

__all__ = ["FormulaLaw", "rate_and_state", "slip_weakening", "thermal_weakening"]

_OWN = ("v", "load")
_NO_SPEED = 1e-200  # relative to the reference velocity: x ln x is zero at x = 0
_ELSEWHERE = (
    "for friction over position or time give the element a load that is a formula, normal_load=lambda q, v, t: ..., or the "
    "law a state with the rate v (the position) or 1 (the time)"
)


class FormulaLaw(Law):
    """Friction law written as formulas, with optional internal states, parameters and a jump at v = 0.

    Each formula is an expression, a number, or a Python function that is traced once (see `trace`). Functions take any
    of ``v`` (sliding velocity, m/s), ``load`` (normal load, N), the states and the parameters, by these names.

    Parameters
    ----------
    force : callable, Expr or float
        Friction force per unit normal load. It opposes the velocity, so it is usually positive for ``v > 0``.
    rates : mapping of str to callable, Expr or float, optional
        Time derivative of each state.
    levels : callable, Expr or float, optional
        Static level per unit normal load, >= 0, a function of states and parameters: the law then has a jump at v = 0,
        where the force may be anything up to this level in both directions. `force` is the curve of sliding; its limits
        for v -> 0 should not exceed the level. By default there is no jump, and `force` acts at v = 0 too.
    states : mapping of str to float, optional
        Internal states with their values at the start of a run. In runs they are ``"<element>.z"``, or
        ``"<element>.z0"``, ``"<element>.z1"`` and so on in this order.
    parameters : mapping of str to float, optional
        Named parameters, ``"<element>.law.<name>"`` in sweeps, fits and derivatives. A formula may also contain a
        `Parameter`, which has one value in the whole machine.
    units : mapping of str to str, optional
        Units of states and parameters, such as ``{"slip_distance": "m", "rise": "K"}``, for plots, tables and exports.
        Along an angle metres become radians.
    on_stop : mapping of str to callable, Expr or float, optional
        New values of states when the velocity becomes zero, also at a reversal; for laws with `levels`. Other states
        keep their values.
    on_reversal : mapping of str to callable, Expr or float, optional
        New values of states at a reversal of the velocity; for laws without `levels`.

    Attributes
    ----------
    states, parameters : dict of str to float
        As given.
    units : dict of str to str
        As given.

    Raises
    ------
    ValueError
        If a function raises (its error is chained) or has other parameters, a state has no rate or a rate no state, or a
        number is not finite.

    Notes
    -----
    Comparisons on the sign of ``v`` (``abs(v)``, ``sign(v)``, ``where(v > 0, ...)``) are decided by the direction of
    sliding. A trial step of an integrator can pass v = 0 slightly; ``abs(v)`` is negative there, so write
    ``log(hypot(v, small))`` in place of ``log(abs(v))``. Steps end at all other corners. A law without a jump whose
    force is steep near v = 0 makes the equations stiff; its force is then integrated to ``rtol``, also where velocities
    below the tolerance carry the load. Steady states (`Law.force`, impacts with friction, feedforward) are found
    numerically, for speeds from 1e-12 to 1e9 m/s. Contacts take the level at high velocities for their impulses: add
    viscous parts as a term, ``law + ss.Viscous(...)``. Contacts refuse laws that read ``load``, since their friction is
    per unit normal force. A state with the rate ``v`` is the position, one with the rate 1 the time. `StickSlip`
    accepts a `FormulaLaw` with `levels` and without states. `MaxwellSlip` and `Leuven`, which store switches, and
    `TwoStateBristle`, which jumps about a force of its states, cannot be written as a `FormulaLaw`.

    Examples
    --------
    >>> import stickslip as ss
    >>> dahl = ss.FormulaLaw(
    ...     force=lambda z, stiffness: stiffness * z,
    ...     rates={"z": lambda v, z, stiffness, level: v - stiffness * abs(v) * z / level},
    ...     states={"z": 0.0},
    ...     parameters={"stiffness": 1e5, "level": 0.4},
    ... )
    >>> float(round(dahl.force(0.2), 9))
    0.4
    >>> m = ss.Machine(mass=1.0, names=["slide"], force={"slide": 1.0})
    >>> m.add_friction("guide", on="slide", law=dahl, normal_load=2.0)
    >>> [name for name in m.parameters if "law" in name][:2]
    ['guide.law.stiffness', 'guide.law.level']
    """

    def __init__(
        self,
        force: Callable[..., Any] | Expr | float,
        rates: Mapping[str, Any] | None = None,
        *,
        levels: Callable[..., Any] | Expr | float | None = None,
        states: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        units: Mapping[str, str] | None = None,
        on_stop: Mapping[str, Any] | None = None,
        on_reversal: Mapping[str, Any] | None = None,
    ) -> None:
        start = _numbers("states", states)
        values = _numbers("parameters", parameters)
        rates = _mapping("rates", rates)
        if both := set(start) & set(values):
            raise ValueError(f"{sorted(both)[0]!r} is the name of a state and of a parameter: use two names")
        if set(rates) != set(start):
            raise ValueError(
                f"rates has {_listed(rates)}, but states has {_listed(start)}: every state needs one rate"
            )
        if levels is None and on_stop is not None:
            raise ValueError(
                "on_stop needs levels: without a jump at v = 0 there is no stop; use on_reversal"
            )
        if levels is not None and on_reversal is not None:
            raise ValueError("on_reversal excludes levels: use on_stop, which also acts at reversals")
        known = [*_OWN, *start, *values]
        resting = [*start, *values]

        def compiled(formulas: list[Expr]) -> Any:
            return _core.expression.Expression.tape([formula.compiled for formula in formulas], known)

        fields: dict[str, Any] = {
            "motion": compiled(
                [_formula("force", force, known)]
                + [_formula(f"rates[{name!r}]", rates[name], known) for name in start]
            ),
            "names": list(start), "start": list(start.values()),
            "parameters": list(values), "values": list(values.values()),
        }  # fmt: skip
        if units:
            fields["units"] = _units(units, [*start, *values])
        if levels is not None:
            fields["level"] = compiled([_formula("levels", levels, resting)])
        changed, what = (on_reversal, "on_reversal") if levels is None else (on_stop, "on_stop")
        if changed is not None:
            given = _mapping(what, changed)
            if unknown := sorted(set(given) - set(start)):
                raise UnknownNameError(f"unknown state {unknown[0]!r} in {what}; known are: {_listed(start)}")
            fields["reset"] = compiled(
                [_formula(f"{what}[{name!r}]", given.get(name, Expr(name)), resting) for name in start]
            )
        self._compiled = _core.friction.Law([("FormulaLaw", fields)])

    @classmethod
    def _restored(cls, **fields: Any) -> FormulaLaw:
        """Make the law with these fields of its compiled form."""
        self = object.__new__(cls)
        self._compiled = _core.friction.Law([("FormulaLaw", fields)])
        return self

    @property
    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = self._compiled.terms[0][1]
        return fields

    @property
    def states(self) -> dict[str, float]:
        """Internal states with their values at the start of a run."""
        return dict(zip(self._fields["names"], self._fields["start"], strict=True))

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters by name."""
        return dict(zip(self._fields["parameters"], self._fields["values"], strict=True))

    @property
    def units(self) -> dict[str, str]:
        """Units of states and parameters by name."""
        named = [*self._fields["names"], *self._fields["parameters"]]
        return {name: unit for name, unit in zip(named, self._fields.get("units", ()), strict=False) if unit}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FormulaLaw) and bool(self._compiled == other._compiled)

    def __hash__(self) -> int:
        return hash(repr(self._fields))

    def __repr__(self) -> str:
        fields = self._fields
        force, *rates = outputs_of(fields["motion"])
        names = fields["names"]
        parts = [f"force={force!r}"]
        if names:
            parts.append(f"rates={dict(zip(names, rates, strict=True))!r}")
        if level := outputs_of(fields.get("level")):
            parts.append(f"levels={level[0]!r}")
        parts += [
            f"{what}={given!r}"
            for what in ("states", "parameters", "units")
            if (given := getattr(self, what))
        ]
        if reset := outputs_of(fields.get("reset")):
            changed = {name: new for name, new in zip(names, reset, strict=True) if new != Expr(name)}
            parts.append(f"{'on_stop' if level else 'on_reversal'}={changed!r}")
        return f"FormulaLaw({', '.join(parts)})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _again, (self._fields,)


def _again(fields: dict[str, Any]) -> FormulaLaw:
    return FormulaLaw._restored(**fields)


def _mapping(what: str, given: Any) -> dict[str, Any]:
    if not (given is None or isinstance(given, Mapping)):
        reject(what, given, "a mapping of names")
    return {str(name): value for name, value in (given or {}).items()}


def _numbers(what: str, given: Any) -> dict[str, float]:
    out = {}
    for name, value in _mapping(what, given).items():
        if not name.isidentifier() or name in (*_OWN, "time"):
            reject(f"name in {what}", name, "the name of a Python variable, and not v, load or time")
        out[name] = float(finite(f"{what}[{name!r}]", value))
    return out


def _units(given: Any, named: list[str]) -> list[str]:
    units = _mapping("units", given)
    for name, unit in units.items():
        if name not in named:
            raise UnknownNameError(f"unknown name {name!r} in units; known are: {_listed(named)}")
        if not isinstance(unit, str):
            reject(f"units[{name!r}]", unit, "a text such as 'm/s'")
    return [units.get(name, "") for name in named]


def _formula(what: str, given: Any, known: list[str]) -> Expr:
    if callable(given) and not isinstance(given, Expr):
        arguments = {name: Expr(name) for name in _wanted(what, given, known)}
        try:
            with tracing():
                given = given(**arguments)
        except Exception as error:
            raise ValueError(f"{what} could not be traced: {type(error).__name__}: {error}") from error
    out = as_expr(given, what)
    for name in out.inputs:
        if name not in known:
            raise ValueError(f"{what} reads {name!r}; it may read {_listed(known)}: {_ELSEWHERE}")
    return out


def _wanted(what: str, function: Callable[..., Any], known: list[str]) -> list[str]:
    wanted = []
    for p in inspect.signature(function).parameters.values():
        if p.name in known and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            wanted.append(p.name)
        elif p.default is p.empty:
            raise ValueError(f"{what} reads {p.name!r}; it may read {_listed(known)}: {_ELSEWHERE}")
    return wanted


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "none"


def rate_and_state(
    a: float,
    b: float,
    slip_distance: float,
    *,
    reference: float = 0.6,
    reference_velocity: float = 1e-6,
    evolution: Literal["ageing", "slip"] = "ageing",
    age: float | None = None,
) -> FormulaLaw:
    """Rate-and-state friction, regularised at v = 0.

    ``F = a·asinh(v/(2·V0)·exp((f0 + b·psi)/a))`` with ``psi = ln(V0·θ/Dc)``, and the age θ of the contacts follows
    ``θ' = 1 − |v|·θ/Dc`` (ageing) or ``θ' = −(|v|·θ/Dc)·ln(|v|·θ/Dc)`` (slip). Steady sliding is ``f0 + (a −
    b)·ln(v/V0)`` for speeds far above ``V0·exp(−f0/a)``. There is no stick: under any load the surfaces creep.

    Parameters
    ----------
    a, b : float
        Direct and evolution effect, per unit normal load, > 0.
    slip_distance : float
        Dc, m, > 0.
    reference : float, default 0.6
        f0, coefficient of friction in steady sliding at the reference velocity.
    reference_velocity : float, default 1e-6
        V0, m/s, > 0.
    evolution : {"ageing", "slip"}, default "ageing"
        Evolution law of the age.
    age : float, optional
        θ at the start of a run, s, > 0; by default Dc/V0, that of steady sliding at the reference velocity.

    Returns
    -------
    FormulaLaw
        With the state ``psi`` and the parameters ``a``, ``b``, ``slip_distance``, ``reference`` and
        ``reference_velocity``.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Source: Dieterich, J. Geophys. Res. 84, 1979, 2161; Ruina, J. Geophys. Res. 88, 1983, 10359. A block with this
    friction on a spring slides steadily if its stiffness exceeds ``σ·(b − a)/Dc·(1 + m·V²/(a·σ·Dc))``, with the load σ.
    Where the load reverses, the force changes its sign within ``V0·exp(−f0/a)``, often less than 1e-30 m/s: the creep is
    followed through all decades, unless the sliding velocity is a difference of two that move (two bodies, or a surface
    with a velocity), which numbers do not resolve; the run then ends as ``"stalled"``. A law with `levels` suits such
    machines.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.laws.rate_and_state(a=0.01, b=0.015, slip_distance=1e-5)
    >>> float(round(law.force(1e-5), 6))                 # 0.6 - 0.005 ln 10
    0.588487
    """
    numbers = {"a": a, "b": b, "slip_distance": slip_distance, "reference_velocity": reference_velocity}
    for name, value in numbers.items():
        positive(name, value)
    choice("evolution", evolution, ("ageing", "slip"))
    steady = slip_distance / reference_velocity
    start = math.log((steady if age is None else positive("age", age)) / steady)

    def force(v: Any, psi: Any, a: Any, b: Any, reference: Any, reference_velocity: Any) -> Any:
        return a * f.asinh(v / (2.0 * reference_velocity) * f.exp((reference + b * psi) / a))

    def ageing(v: Any, psi: Any, slip_distance: Any, reference_velocity: Any) -> Any:
        return (reference_velocity * f.exp(-psi) - abs(v)) / slip_distance

    def slip(v: Any, psi: Any, slip_distance: Any, reference_velocity: Any) -> Any:
        return -abs(v) / slip_distance * (f.log(f.hypot(v / reference_velocity, _NO_SPEED)) + psi)

    return FormulaLaw(
        force,
        {"psi": ageing if evolution == "ageing" else slip},
        states={"psi": start},
        parameters={**numbers, "reference": finite("reference", reference)},
        units={"slip_distance": "m", "reference_velocity": "m/s"},
    )


def slip_weakening(static: float, kinetic: float, slip_distance: float) -> FormulaLaw:
    """Dry friction that weakens over the distance slipped since the last rest.

    The level falls linearly from `static` to `kinetic` over the slip distance and stays there; it is restored when the
    velocity comes to zero.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic >= 0``.
    slip_distance : float
        m, > 0.

    Returns
    -------
    FormulaLaw
        With the state ``slip`` and the parameters ``static``, ``kinetic`` and ``slip_distance``.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    Source: Ida, J. Geophys. Res. 77, 1972, 3796; Andrews, J. Geophys. Res. 81, 1976, 5679.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.laws.slip_weakening(static=0.6, kinetic=0.4, slip_distance=1e-3)
    >>> law.break_away == 0.6, float(law.force(1.0))
    (True, 0.4)
    """
    positive("slip_distance", slip_distance)
    if not 0.0 <= finite("kinetic", kinetic) <= finite("static", static):
        reject("static", static, f">= kinetic = {kinetic:g} >= 0")

    def force(v: Any, slip: Any, static: Any, kinetic: Any, slip_distance: Any) -> Any:
        return f.sign(v) * (kinetic + (static - kinetic) * f.maximum(1.0 - slip / slip_distance, 0.0))

    return FormulaLaw(
        force,
        {"slip": lambda v: abs(v)},
        levels=lambda static: static,
        states={"slip": 0.0},
        parameters={"static": static, "kinetic": kinetic, "slip_distance": slip_distance},
        units={"slip": "m", "slip_distance": "m"},
        on_stop={"slip": 0.0},
    )


def thermal_weakening(level: float, scale: float, capacity: float, conductance: float) -> FormulaLaw:
    """Dry friction that heats its surface and weakens with the temperature.

    The level is ``level·exp(−rise/scale)``; the temperature rise of the surface follows from the heat of friction and
    the loss to its surroundings, ``capacity·rise' = F·|v| − conductance·rise``.

    Parameters
    ----------
    level : float
        Cold level per unit normal load, >= 0.
    scale : float
        Temperature rise at which the level has fallen to 1/e, K, > 0.
    capacity : float
        Heat capacity of the surface, J/K, > 0.
    conductance : float
        Heat flow to the surroundings, W/K, >= 0.

    Returns
    -------
    FormulaLaw
        With the state ``rise`` and the arguments as parameters. It reads the normal load, so contacts refuse it.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Notes
    -----
    One thermal mass with Newton's law of cooling; the temperature distribution within the bodies is not resolved.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.laws.thermal_weakening(level=0.4, scale=100.0, capacity=10.0, conductance=2.0)
    >>> law.parameters["scale"], law.state_names
    (100.0, ('rise',))
    """
    for name, value in {"scale": scale, "capacity": capacity}.items():
        positive(name, value)
    for name, value in {"level": level, "conductance": conductance}.items():
        non_negative(name, value)

    def heating(v: Any, load: Any, rise: Any, level: Any, scale: Any, capacity: Any, conductance: Any) -> Any:
        return (load * level * f.exp(-rise / scale) * abs(v) - conductance * rise) / capacity

    return FormulaLaw(
        lambda v, rise, level, scale: f.sign(v) * level * f.exp(-rise / scale),
        {"rise": heating},
        levels=lambda rise, level, scale: level * f.exp(-rise / scale),
        states={"rise": 0.0},
        parameters={"level": level, "scale": scale, "capacity": capacity, "conductance": conductance},
        units={"rise": "K", "scale": "K", "capacity": "J/K", "conductance": "W/K"},
    )
