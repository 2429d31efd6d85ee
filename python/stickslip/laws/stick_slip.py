"""The stick/slip automaton as a law: load dependence, frictional memory, dwell time, elastic presliding."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from stickslip import _core
from stickslip._attached import deferred
from stickslip._checks import non_negative, positive, reject
from stickslip.laws import Law, Response, as_law

__all__ = ["DeadTime", "Lag", "Presliding", "StickSlip"]


@dataclass(frozen=True)
class Lag:
    """Frictional memory as a first-order lag of the dry force while sliding: ``T f' + f = f_curve(|v|)``.

    Parameters
    ----------
    time_constant : float
        T_fr, s, > 0.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Lag(0.01).time_constant
    0.01
    """

    time_constant: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time_constant", positive("time_constant of memory", self.time_constant))


@dataclass(frozen=True)
class DeadTime:
    """Frictional memory as a dead time: while sliding, the dry force depends on the velocity at t - tau, ``F(t) =
    N(t) f_curve(|v(t - tau)|) sgn v(t) + b v(t)``.

    Only the velocity in the dry curve is delayed, as the response of the lubricant film (the seven-parameter model of
    Armstrong-Helouvry, Dupont and Canudas de Wit 1994; the source *automaton* mentions it after its equation 10 as the
    alternative to the lag). The load N, the direction sgn v and the viscous part b v are not delayed. During stick v
    counts as zero, also with elastic presliding, and ``f_curve(0)`` is the level at which stick ended; so the static
    level persists for tau after every break-away. Before the start of a run, and before a contact closes, v is assumed
    constant.

    Runs use the method of steps: v(t - tau) comes from the motion already computed, no step in slip is longer than tau,
    and a jump of v at t reappears at t + tau (and at t + 2 tau, ..., one derivative higher each time). Slip is
    integrated to `rtol`, also with a linear curve; in stick the flow is exact again after tau. The steps of the last
    tau are kept in memory. `RealTime` keeps a ring buffer of tau / step velocities.

    Parameters
    ----------
    delay : float
        tau, s, > 0.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed; in a machine, if the curve exceeds its static level at some
        speed, because a body that stops at this moment could neither stick nor slip.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> film = ss.Stribeck(static=1.5, kinetic=1.0, stribeck_velocity=0.01)
    >>> law = ss.StickSlip(film, memory=ss.DeadTime(0.1))
    >>> law.response([0.0, 0.05, 0.15], [0.0, 0.02, 0.02]).force.round(4)  # 0.05 s after break-away still the static level
    array([1.5   , 1.5   , 1.0092])
    """

    delay: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "delay", positive("delay of memory", self.delay))


@dataclass(frozen=True)
class Presliding:
    """Elastic presliding: in stick the surface is a spring ``k = f_s / travel`` with a damper.

    Parameters
    ----------
    travel : float
        s_max, m, > 0: displacement at which the static level is reached.
    damping : float, default 0.0
        b_surface, N s/m, >= 0; on a contact per unit normal force, s/m.

    Raises
    ------
    ValueError
        Naming the argument, its value and what is allowed.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Presliding(travel=5e-5, damping=1.0)
    Presliding(travel=5e-05, damping=1.0)
    """

    travel: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "travel", positive("travel of presliding", self.travel))
        object.__setattr__(self, "damping", non_negative("damping of presliding", self.damping))


class StickSlip(Law):
    r"""A curve with the options of the stick/slip automaton, accepted wherever a law is.

    Sliding follows the curve ``f_k + (f_s - f_k) g(|v|)`` plus its viscous part. The options combine freely:

    * `load_factor` nu: a load force F_l adds ``nu |F_l|`` to the kinetic level and ``nu (F_s/F_k) |F_l|`` to the static
      one. F_l is given to ``add_friction(..., load=...)``: a linear form of coordinates, velocities and applied forces,
      or the normal force of a contact, which is solved for together with friction.
    * `memory`: while sliding, the dry force follows the curve with a first-order lag (`Lag`) or a dead time
      (`DeadTime`).
    * `dwell` T: the static level rises in stick, ``f_s(t) = f_sa + (f_s - f_sa) t / (t + T)``, where f_sa is the lagged
      force at the start of stick. The level reached at break-away is the peak of the curve until the next stick.
    * `presliding`: stick is a spring and a damper, so the velocity in stick is not zero.

    **Transitions.** The modes are ``stick``, ``slip+`` and ``slip-``. f is the lagged dry force (without
    memory: the curve itself), f_s and f_k the levels under the present load, t_d the time since stick was
    entered, F the force that the sticking element holds, v- the velocity before.

    ============ ============ =============================== ===============================================
    from         to           guard                           assignments
    ============ ============ =============================== ===============================================
    start        stick        v = 0, \|F\| within f_s         fully aged: f_sa = f_s; peak = f_s; s as given
    start        slip         v != 0, or \|F\| above f_s      f = curve at \|v\|; peak = f_s; s = 0
    slip         stick        v comes to 0, \|F\| within f_sa f_sa = f, t_d = 0
                              (without dwell: f_s)
    slip         stick        v comes to 0, with presliding   f_sa = f, t_d = 0, s = f sgn(v-)/k, so that F
                                                              is continuous
    slip         slip, other  v comes to 0, \|F\| beyond that f and peak are kept; f at most the limit of
                 direction                                    stick, if the load fell
    stick        slip         \|F\| above f_s(t_d)            peak = f_s(t_d), f = f_s(t_d) - b\|v\|; slips
                                                              in the direction of F
    stick        stick, over  the same with presliding, but   none: it continues to stick
                 its limit    v opposed to F
    stick, over  slip         v turns towards F               as from stick to slip
    its limit
    stick, over  stick        \|F\| below f_s(t_d) again      none
    its limit
    stick        stick, held  \|F\| above f_s(t_d), but f     f = f_s(t_d), then as in slip; holds
                 by the lag   grows faster or falls slower    \|F\| up to f
    stick, held  slip         \|F\| above f                   peak = f_s(t_d), f is kept
    by the lag
    stick, held  stick        f below f_s(t_d)                none
    by the lag
    any          open         its contact opens               s = 0; on closing as from the start
    any          the same     load force changes its sign     none: its slope jumps there
    ============ ============ =============================== ===============================================

    With a dead time f is ``N f_curve(|v(t - tau)|)`` throughout: it is not reset at transitions and never exceeds f_s,
    so the state *held by the lag* does not occur.

    In rigid stick v = 0 and F is the constraint force; with presliding ``F = k s + b_surface v``, ``s' = v``. f_sa and
    peak are kept as shares of f_s, so that both scale with a load that changes. A guard that is zero when a mode is
    entered is decided by the sign of its first nonzero derivative.

    **Energy.** ``run.energy.friction`` is the work that the motion does on the element. With presliding a part of it,
    ``k s^2/2``, is stored in stick and recovered; while a load force changes k, ``k' s^2/2`` per second is work of the
    load. With ``b_surface = 0`` and a constant load the law is passive. With ``b_surface > 0`` it is not passive: at
    break-away the damper carries a part of f_s(t_d), so the spring has stored only ``(f_s - b_surface v)^2/2k``; the
    lagged force then recovers its full value at small v, and the next stick begins with the stored energy ``f^2/2k``.

    Source: Klotzbach and Henrichfreise, stick/slip automaton; in their (14) the viscous part b|v| is kept. Their dwell
    formula also holds if f_sa exceeds f_s because the load decreased during slip: the level then decreases.

    Parameters
    ----------
    curve : Law
        A law with a jump at v = 0 and no internal states: Coulomb, Stribeck, sums with Viscous, odd tables, and a
        `FormulaLaw` with `levels`.
    memory : Lag, DeadTime or float, optional
        Lag or dead time of the dry force; a number is the time constant of a lag, s.
    dwell : float, default 0.0
        T_dwell, s, >= 0. Without memory it has no effect, since stick then begins at the static level, and a warning is
        given.
    presliding : Presliding, optional
        Elasticity of the surface in stick.
    load_factor : float, default 0.0
        nu, >= 0.

    Raises
    ------
    ValueError
        Naming the parameter, or if the curve has internal states or no jump.

    Examples
    --------
    >>> import stickslip as ss
    >>> dry = ss.StickSlip(ss.Coulomb(static=1.5, kinetic=1.0), memory=ss.Lag(0.01), dwell=1.0)
    >>> dry.dwell
    1.0
    """

    _adds_up: ClassVar[bool] = False

    def __init__(
        self,
        curve: Law | float,
        memory: Lag | DeadTime | float | None = None,
        dwell: float = 0.0,
        presliding: Presliding | None = None,
        load_factor: float = 0.0,
    ) -> None:
        law = as_law(curve, "curve")
        if isinstance(law, StickSlip):
            reject("curve", curve, "a law without options of its own, such as stickslip.Stribeck(...)")
        traits = law.compiled.traits
        if traits.states > 0:
            raise ValueError(
                f"curve = {law!r} is not allowed: it has internal states, which carry their own memory and "
                "presliding; the options of StickSlip need a curve such as Coulomb or Stribeck"
            )
        if not traits.sticks:
            reject("curve", curve, "a law with a jump at v = 0")
        self.curve: Law = law
        kept = Lag(memory) if isinstance(memory, (int, float)) and memory != 0 else memory or None
        if kept is not None and not isinstance(kept, (Lag, DeadTime)):
            reject("memory", memory, "a Lag, a DeadTime, or the time constant of a lag in s")
        self.memory: Lag | DeadTime | None = kept
        self.dwell = non_negative("dwell", dwell)
        if presliding is not None and not isinstance(presliding, Presliding):
            reject("presliding", presliding, "a Presliding(travel=..., damping=...)")
        self.presliding = presliding
        self.load_factor = non_negative("load_factor", load_factor)
        if self.dwell > 0.0 and self.memory is None and _full_at_rest(law):
            warnings.warn(
                "dwell has no effect without memory, since stick then begins at the static level",
                stacklevel=2,
            )
        self._compiled = law.compiled

    @property
    def automaton(self) -> _core.friction.Automaton:
        """Options of the automaton in the form that the engine uses."""
        p, memory = self.presliding, self.memory
        return _core.friction.Automaton(
            lag=memory.time_constant if isinstance(memory, Lag) else 0.0,
            dead_time=memory.delay if isinstance(memory, DeadTime) else 0.0,
            dwell=self.dwell,
            travel=p.travel if p else 0.0,
            surface_damping=p.damping if p else 0.0,
            load_factor=self.load_factor,
        )

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the automaton's states in a response; in a machine prefixed by the name of the element."""
        names = ("lagged_force",) * isinstance(self.memory, Lag)
        names += ("delayed_velocity",) * isinstance(self.memory, DeadTime)
        names += ("presliding",) * (self.presliding is not None)
        return names + ("aged", "peak", "stuck_since") * (self.dwell > 0.0)

    @deferred
    def response(
        self,
        t: ArrayLike,
        velocity: Any,
        *,
        initial: ArrayLike | Mapping[str, float] | None = None,
        normal_load: float = 1.0,
        rtol: float = 1e-12,
    ) -> Response:
        """Return force and states under a prescribed velocity, as `Law.response`, but without a load force and without
        `initial`: states start as in the table above.

        While the velocity is zero the force of rigid stick is zero; a time given twice shows the later side.

        Examples
        --------
        >>> import stickslip as ss
        >>> dry = ss.StickSlip(ss.Coulomb(static=1.5, kinetic=1.0), presliding=ss.Presliding(1e-3))
        >>> dry.response([0.0, 1.0], [0.0, 1e-3]).force.round(9)  # moves 0.5 mm, stiffness 1500 N/m
        array([0.  , 0.75])
        """
        raise NotImplementedError

    def _key(self) -> tuple[Any, ...]:
        return self.curve, self.memory, self.dwell, self.presliding, self.load_factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StickSlip) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(("StickSlip", self.memory, self.dwell, self.presliding, self.load_factor))

    def __reduce__(self) -> tuple[Any, ...]:
        return StickSlip, self._key()

    def __repr__(self) -> str:
        parts = [repr(self.curve)]
        if self.memory:
            parts.append(f"memory={self.memory!r}")
        if self.dwell:
            parts.append(f"dwell={self.dwell!r}")
        if self.presliding:
            parts.append(f"presliding={self.presliding!r}")
        if self.load_factor:
            parts.append(f"load_factor={self.load_factor!r}")
        return f"StickSlip({', '.join(parts)})"


def _full_at_rest(curve: Law) -> bool:
    """True if sliding comes up to the static level as v goes to zero (Stribeck does, Coulomb does not)."""
    level = float(curve.break_away)
    return abs(float(curve.force(1e-200)) - level) <= 1e-9 * level
