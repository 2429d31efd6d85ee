"""Friction laws with internal states: bristles that deflect before they slide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from stickslip.laws.law import SingleLaw


@dataclass(frozen=True, repr=False)
class LuGre(SingleLaw):
    """Bristle law with presliding, Stribeck effect, lag and varying break-away.

    ``dz/dt = v − stiffness · |v| · z / level(|v|)``,
    ``F = stiffness · z + damping(v) · dz/dt + viscous part``,
    ``level(|v|) = kinetic + (static − kinetic) · exp(−(|v|/stribeck_velocity)^shape)``.
    Stiffness and damping, like the levels, are per unit normal load. Steady sliding is the curve of
    `Stribeck`.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic > 0``; a single level is both.
    stribeck_velocity : float, optional
        m/s, > 0; needed if the levels differ.
    stiffness : float
        Bristle stiffness σ0, N/m per unit load, > 0.
    damping : float, default 0.0
        Bristle damping σ1, N s/m per unit load, >= 0. Suggested value: ``2·sqrt(stiffness·mass)`` times the desired
        damping ratio in stick.
    viscous, viscous_exponent : float, default 0.0 and 1.0
        Viscous part ``σ2·|v|^exponent·sgn v``, not scaled by the load.
    shape : float, default 2.0
        > 0.
    form : {"exponential", "lorentzian"}, default "exponential"
        As in `Stribeck`.
    damping_velocity : float, optional
        vd, m/s, > 0: the damping falls as ``σ1 · exp(−(v/vd)²)``. By default it is constant.
    normalised : bool, default False
        Use the bristle force ``q = stiffness · z`` as the internal state. Force and motion are the same.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Internal state ``z`` in m (``q`` in N per unit load if normalised). Passive for constant damping and
    linear viscous part if and only if ``viscous >= damping · (static − kinetic)/kinetic`` (Barabanov, Ortega
    2000); see `stickslip.analysis.passivity`. Source: Canudas de Wit, Olsson, Åström, Lischinsky, IEEE Trans.
    Autom. Control 40(3), 1995.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.LuGre(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0,
    ...                stribeck_velocity=1e-3)
    >>> law.force(1.0), law.linearise(0.0).stiffness
    (1.4, 100000.0)
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0
    shape: float = 2.0
    form: str = "exponential"
    viscous_exponent: float = 1.0
    damping_velocity: float | None = None
    normalised: bool = False


@dataclass(frozen=True, repr=False)
class Dahl(SingleLaw):
    """Elastic presliding that saturates at one level.

    ``dF/dx = stiffness · |u|^exponent · sgn u`` with ``u = 1 − (F/kinetic) · sgn v``.
    Rate-independent: no Stribeck effect and no break-away peak.

    Parameters
    ----------
    kinetic : float
        Level per unit normal load, > 0.
    stiffness : float
        Rest stiffness σ, N/m per unit load, > 0.
    exponent : float, default 1.0
        i > 0; about 1 for ductile, below 1 for brittle materials.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Internal state ``z = F/stiffness`` in m. Source: Dahl, TOR-0158(3107-18)-1, The Aerospace Corporation,
    1968.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.Dahl(stiffness=1e5, kinetic=1.0).force([-1.0, 1.0])
    array([-1.,  1.])
    """

    kinetic: float
    _: KW_ONLY
    stiffness: float
    exponent: float = 1.0


@dataclass(frozen=True, repr=False)
class TwoStateBristle(SingleLaw):
    """Second-order extension of LuGre that is linear in its parameters.

    ``dz/dt = v − σ0·|v|·z``, ``dy/dt = −y + (1/σ0)·sgn(v)·exp(−(|v|/stribeck_velocity)^shape)``,
    ``F = σ0·kinetic·z + σ1·dz/dt + σ2·v + σ0·(static − kinetic)·y + alpha·dy/dt``.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic > 0``; a single level is both.
    stribeck_velocity : float, optional
        m/s, > 0; needed if the levels differ.
    stiffness : float
        σ0, 1/m, > 0; the presliding stiffness is ``σ0 · kinetic``.
    damping : float, default 0.0
        σ1, N s/m per unit load, >= 0.
    viscous, viscous_exponent : float, default 0.0 and 1.0
        Viscous part, not scaled by the load.
    shape : float, default 2.0
        m in the exponent, > 0 (1/2 or 2 in the source).
    form : {"exponential", "lorentzian"}, default "exponential"
        As in `Stribeck`.
    alpha : float, optional
        Damping of the second state, N s/m per unit load, >= 0. Default ``σ0 · (static − kinetic)``, for which
        y cancels out of F exactly.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    The second state has the time constant 1 s whatever the speed, as printed in the source. At v = 0 the force steps by
    ±alpha/σ0; the force is set-valued there (any value between), so that a body can stick. With the printed alpha = 1e9
    and σ0 = 1e5 it is ±1e4 N per unit load: the source's figures cannot come from that value. The law is not passive
    for every alpha; see `stickslip.analysis`. Source: Martínez-Rosas, Alvarez-Icaza, Noriega-Pineda, an extension of
    the LuGre model linear in its parameters.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.TwoStateBristle(stiffness=1e5, damping=316.2, viscous=0.4, static=1.5, kinetic=1.0,
    ...                          stribeck_velocity=1e-3)
    >>> law.alpha, law.force(1.0)
    (50000.0, 1.4)
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0
    shape: float = 2.0
    form: str = "exponential"
    alpha: float | None = None
    viscous_exponent: float = 1.0


@dataclass(frozen=True, repr=False)
class ElastoPlastic(SingleLaw):
    """LuGre with a purely elastic range: loads within it cause no drift.

    ``dz/dt = v · [1 − a(z, v) · sgn(v) · z/z_ss(v)]``, ``z_ss = level(|v|)/stiffness``; a rises smoothly from
    0 at ``z·sgn v = elastic_limit`` to 1 at z_ss and is 0 while z opposes v. ``F`` as in `LuGre`.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic > 0``; a single level is both.
    stribeck_velocity : float, optional
        m/s, > 0; needed if the levels differ.
    stiffness : float
        σ0, N/m per unit load, > 0.
    damping : float, default 0.0
        σ1, N s/m per unit load, >= 0.
    viscous, viscous_exponent : float, default 0.0 and 1.0
        Viscous part, not scaled by the load.
    shape, form
        As in `Stribeck`.
    elastic_limit : float, optional
        z_ba, m, > 0 and < kinetic/stiffness. Default ``0.7 · kinetic/stiffness``.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Source: Dupont, Hayward, Armstrong, Altpeter, IEEE Trans. Autom. Control 47(5), 2002.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.ElastoPlastic(stiffness=1e5, kinetic=1.0).elastic_limit
    7e-06
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    stiffness: float
    damping: float = 0.0
    viscous: float = 0.0
    shape: float = 2.0
    form: str = "exponential"
    elastic_limit: float | None = None
    viscous_exponent: float = 1.0


@dataclass(frozen=True, repr=False)
class MaxwellSlip(SingleLaw):
    """Generalised Maxwell slip: n elements in parallel, each of which sticks as a spring or slips.

    Stick: ``dF_i/dt = k_i · v`` until ``|F_i| = share_i · level(|v|)``; slip: ``dF_i/dt = attraction ·
    (share_i · sgn v − F_i/level(|v|))`` until the velocity reaches zero. ``F = Σ F_i + viscous part``.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic > 0``; a single level is both.
    stribeck_velocity : float, optional
        m/s, > 0; needed if the levels differ.
    stiffness : sequence of float
        k_i, N/m per unit load, > 0; 1 to 32 elements.
    share : sequence of float, optional
        Share of the level that each element carries, > 0, sum 1. Default: equal shares.
    attraction : float, optional
        C, N/s per unit load, > 0: rate at which a slipping element approaches its level. Required if the levels differ.
    viscous, viscous_exponent : float, default 0.0 and 1.0
        Viscous part, not scaled by the load.
    shape, form
        As in `Stribeck`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Internal states ``f0, f1, …`` in N per unit load. The start of slip of each element is located exactly. With one
    level this is the classical model of Iwan. Source: Al-Bender, Lampaert, Swevers, IEEE Trans. Autom. Control 50(11),
    2005.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.MaxwellSlip(stiffness=[1e5, 5e4], kinetic=1.0)
    >>> print(law.response([0.0, 1.0], 1e-6).force[-1].round(12))
    0.15
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    stiffness: Sequence[float]
    share: Sequence[float] | None = None
    attraction: float | None = None
    viscous: float = 0.0
    shape: float = 2.0
    form: str = "exponential"
    viscous_exponent: float = 1.0

    def _defaults(self, given: dict[str, Any]) -> None:
        super()._defaults(given)
        if given["share"] is None:
            count = len(given["stiffness"])
            given["share"] = [1.0 / max(count, 1)] * count


@dataclass(frozen=True, repr=False)
class BoucWen(SingleLaw):
    """Bouc–Wen hysteresis as a friction law.

    With ``w = F/kinetic``: ``dF/dt = stiffness · [v − beta · |v| · |w|^(n−1) · w − (1 − beta) · v · |w|^n]``.

    Parameters
    ----------
    kinetic : float
        Level per unit normal load, > 0.
    stiffness : float
        N/m per unit load, > 0.
    exponent : float, default 1.0
        n >= 1: larger values make a sharper transition from the elastic range to sliding.
    beta : float, default 0.5
        beta >= 0.5 (a smaller value creates energy). At 0.5 unloading is a straight line.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Internal state ``z = F/stiffness`` in m. In Wen's symbols A = 1, ``β = beta · (stiffness/kinetic)^n``,
    ``γ = (1 − beta) · (stiffness/kinetic)^n``. Sources: Bouc 1967; Wen, J. Eng. Mech. Div. ASCE 102, 1976;
    admissible range of beta: Erlicher and Point 2004.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.BoucWen(stiffness=1e5, kinetic=1.0, exponent=2.0).force(0.1)
    1.0
    """

    kinetic: float
    _: KW_ONLY
    stiffness: float
    exponent: float = 1.0
    beta: float = 0.5


@dataclass(frozen=True, repr=False)
class Leuven(SingleLaw):
    """Leuven's law: presliding hysteresis with non-local memory, joined with the Stribeck curve.

    ``F = Fh(z) + damping · dz/dt + viscous part``, ``dz/dt = v · (1 − sgn(q) · |q|^exponent)``, ``q = Fh / (level(|v|)
    · sgn v)``. The hysteresis force Fh rises from rest on the virgin curve ``f(z) = height · (1 − exp(−stiffness · |z|
    / height)) · sgn z`` and after a reversal at (zm, Fm) on ``Fm + 2 · f((z − zm)/2)`` (Masing). When Fh returns to the
    reversal before the last one the inner loop closes: both reversals are deleted and the outer curve continues.

    Parameters
    ----------
    static, kinetic : float
        Levels per unit normal load, ``static >= kinetic > 0``; a single level is both.
    stribeck_velocity : float, optional
        m/s, > 0; needed if the levels differ.
    stiffness : float
        Initial stiffness of the virgin curve, N/m per unit load, > 0.
    height : float
        Limit of the virgin curve, force per unit normal load, greater than `static`, so that sliding is reached. Larger
        values make narrower loops.
    damping : float, default 0.0
        Micro-viscous damping σ1, N s/m per unit load, >= 0.
    exponent : float, default 1.0
        n > 0: larger values make a sharper transition from hysteresis to sliding. Loops close exactly in displacement
        only if ``|q|^n`` is negligible.
    viscous, viscous_exponent : float, default 0.0 and 1.0
        Viscous part, not scaled by the load.
    shape, form
        As in `Stribeck`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.

    Notes
    -----
    Internal states: ``f``, the hysteresis force in N per unit load; ``reversals``, the number of stored reversals;
    ``r1`` … ``r14``, their forces. At a fifteenth reversal the innermost loop is deleted, and its closing has no
    effect. With ``exponent = 1`` the law tends to `LuGre` as the height grows. Sources: Swevers, Al-Bender, Ganseman,
    Prajogo, IEEE Trans. Autom. Control 45, 2000, 675; the rate dz/dt uses Fh instead of the force since the last
    reversal, as in Lampaert, Swevers, Al-Bender, same journal 47, 2002, 683 (in the first form the force jumps where a
    loop closes). These sources do not specify the virgin curve; the curve above is a choice of this package.

    Examples
    --------
    >>> import stickslip as ss
    >>> law = ss.Leuven(stiffness=1e5, height=2.0, static=1.5, kinetic=1.0, stribeck_velocity=1e-3)
    >>> law.force(0.1)
    1.0
    """

    static: float | None = None
    kinetic: float | None = None
    stribeck_velocity: float | None = None
    _: KW_ONLY
    stiffness: float
    height: float
    damping: float = 0.0
    exponent: float = 1.0
    viscous: float = 0.0
    shape: float = 2.0
    form: str = "exponential"
    viscous_exponent: float = 1.0
