"""The self-locking wedge gear: a loaded upper wedge on a lower wedge that is pulled by a spring.

Upper wedge (mass m1, vertical coordinate y1, load F downwards), lower wedge (mass m2, horizontal coordinate
x2, force k·w of a spring whose end moves at v0, w = v0·t − x2), angle γ, friction μ = tan ρ. Gap and
tangential displacement grow along w_N = (cos γ, sin γ) and w_T = (sin γ, −cos γ). Lowering is ẋ2 > 0, that is
ġ_T < 0.

All closed forms here are derived from `M·q̈ = h + w_N·λ_N + w_T·λ_T`; they agree with (2.1)–(2.27) of Hinrichsen,
"Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb" (Kassel 2007), with K = −k·w, except where noted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip import _checks as checks
from stickslip._attached import deferred
from stickslip.laws import Law
from stickslip.machine.compliance import Compliance
from stickslip.machine.machine import Machine
from stickslip.machines import wedge_motion
from stickslip.machines._flank_gear import FlankGear
from stickslip.machines._flight import Flight
from stickslip.machines._picture import flanks
from stickslip.machines.contact_data import ContactData
from stickslip.machines.wedge_states import (
    ChatterCycle,
    Direction,
    FirstMotion,
    Sliding,
    StickImpact,
    Sticking,
    direction_sign,
)
from stickslip.signals import Constant, Ramp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stickslip.animation import Picture
    from stickslip.run.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class WedgeGear(FlankGear):
    r"""A wedge gear whose lower wedge is pulled by a spring.

    Closed-form results are properties; ``.machine`` is the machine to simulate.

    Parameters
    ----------
    upper_mass, lower_mass : float
        Masses m1 (vertical, loaded) and m2 (horizontal, pulled), kg.
    angle : float
        Wedge angle γ, rad, between 0 and π/2.
    friction : float or Law
        Kinetic coefficient of friction μ = tan ρ, ≥ 0; or a law per unit normal force over the sliding speed,
        such as equation (3.46), ``Stribeck(static=..., kinetic=..., stribeck_velocity=..., shape=1.0)``: odd, without
        internal states. With a law, `self_locking` refers to rest and `self_braking` to all speeds,
        `self_braking_speeds` lists ranges of speed, and the chatter condition uses μ(0+).
    load : float
        Load F on the upper wedge, downwards, its weight included, N.
    stiffness : float
        Stiffness k of the pulling spring, N/m.
    pull_velocity : float
        Velocity v0 of the spring's end, m/s; positive pulls the lower wedge out (lowering).
    restitution : float
        Coefficient of restitution ε in [0, 1]; default 0.
    static_friction : float, optional
        Static coefficient μ0 ≥ μ; equal to `friction` by default. Omit it if `friction` is a law.
    impact : {"poisson", "newton"}
        Impact law.
    compliance : KelvinVoigt or HuntCrossley, optional
        Elasticity of the flank, over the depth along its normal, m; rigid by default. An elastic flank has friction but
        no impacts, so `restitution` must be 0. Closed forms of motion, impact and contact problem raise an error for
        elastic flanks; angles, margins and limits of stick are those of the rigid gear.

    Raises
    ------
    ValueError
        If a parameter is outside its domain; the message names it.

    Notes
    -----
    Hinrichsen, "Zustandsübergänge selbstbremsender Getriebe im Ratterbetrieb", Kassel 2007, chapters 2, 4 and
    6.

    Examples
    --------
    >>> import numpy as np, stickslip as ss
    >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
    ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
    >>> gear.chatters, round(gear.separation_time, 6), round(gear.meeting_time, 6)
    (True, 0.087302, 0.286975)
    >>> gear.self_locking, round(gear.chatter_margin, 3), gear.first_motion.outcome
    (True, -7.085, 'opens at once')

    Friction that falls with the speed: self-locking, but self-braking only up to 30 mm/s.

    >>> import dataclasses
    >>> law = ss.Stribeck(static=0.32, kinetic=0.18, stribeck_velocity=0.02, shape=1.0)
    >>> falling = dataclasses.replace(gear, friction=law)
    >>> falling.self_locking, falling.self_braking, falling.self_braking_speeds
    (True, False, ((0.0, 0.029173269737321247),))
    """

    upper_mass: float
    lower_mass: float
    angle: float
    friction: float | Law
    load: float
    stiffness: float
    pull_velocity: float
    restitution: float = 0.0
    static_friction: float | None = None
    impact: str = "poisson"
    compliance: Compliance | None = None

    def __post_init__(self) -> None:
        """Check every parameter."""
        for name in ("upper_mass", "lower_mass", "load", "stiffness"):
            object.__setattr__(self, name, checks.positive(name, getattr(self, name)))
        angle = checks.within("angle", self.angle, 0.0, math.pi / 2, closed=False, unit="rad")
        object.__setattr__(self, "angle", angle)
        object.__setattr__(self, "pull_velocity", checks.finite("pull_velocity", self.pull_velocity))
        self._check_flank()

    # -- friction angles and what follows from them alone ------------------------------------------

    @property
    def friction_angle(self) -> float:
        """ρ = arctan μ of kinetic friction, rad; a law enters with its coefficient in slow sliding."""
        return math.atan(self.kinetic_friction)

    @property
    def break_away_angle(self) -> float:
        """ρ0 = arctan μ0 of static friction, rad."""
        return math.atan(self.break_away_friction)

    @property
    def self_locking(self) -> bool:
        """True if the load cannot move the gear from rest: ρ0 > γ."""
        return self.break_away_angle > self.angle

    @cached_property
    def self_braking_speeds(self) -> tuple[tuple[float, float], ...]:
        """Ranges (from, to) of the sliding speed, m/s, in which the gear is self-braking: μ(ġ_T) > tan γ (2.1).

        0.0 is slow sliding; infinity includes all higher speeds. In figure 2.1 of the source one range begins at rest;
        in figure 2.2 the gear is not self-locking and the range begins at a speed > 0.
        """
        return self._flank.speeds_above(math.tan(self.angle))

    @property
    def chatter_margin(self) -> float:
        """δ = m2 − m1·tan γ·tan(ρ − γ), kg; below zero the gear chatters in lowering (2.23)."""
        braking = math.tan(self.friction_angle - self.angle)
        return self.lower_mass - self.upper_mass * math.tan(self.angle) * braking

    @property
    def chatters(self) -> bool:
        """Füsgen's condition (2.23): lowering, self-braking, δ < 0.

        The gear then cannot slide from rest or after a flight. For δ > 0 contact may still be lost: see `first_motion`
        and `slip_separation_margin`.
        """
        return self.friction_angle > self.angle and self.chatter_margin < 0.0

    @cached_property
    def chatter_speeds(self) -> tuple[tuple[float, float], ...]:
        """Ranges (from, to) of the sliding speed, m/s, in which the chatter condition holds with μ(ġ_T).

        Lowering that slows down into such a range ends at its border: there δ = 0, the flank force grows without bound,
        and a run ends with ``no_solution`` or ``stalled``.
        """
        return self._flank.speeds_above(self.critical_friction)

    @property
    def opens_at_once(self) -> bool:
        """True if break-away in lowering is separation without slip.

        This is δ < 0 with the static coefficient, which determines the limit of stick; for μ0 = μ it is the chatter
        condition.
        """
        return self.stick_limits[1] > self.opening_limit

    @property
    def slip_separation_margin(self) -> float:
        """k(m1·v0·tan γ/F)², kg: if 0 < δ < this margin, contact is lost after a slip (μ0 = μ)."""
        return self.stiffness * (self.upper_mass * self.pull_velocity * math.tan(self.angle) / self.load) ** 2

    @property
    def critical_lower_mass(self) -> float:
        """Lower mass below which the gear chatters, kg; zero if it is not self-braking."""
        return max(0.0, self.lower_mass - self.chatter_margin)

    @property
    def critical_upper_mass(self) -> float:
        """Upper mass above which the gear chatters, kg; infinite if it is not self-braking."""
        if not self.friction_angle > self.angle:
            return math.inf
        return self.lower_mass / (math.tan(self.angle) * math.tan(self.friction_angle - self.angle))

    @property
    def critical_friction(self) -> float:
        """Friction coefficient above which the gear chatters."""
        angle = self.angle + math.atan(self.lower_mass / (self.upper_mass * math.tan(self.angle)))
        return math.tan(angle) if angle < math.pi / 2 else math.inf

    # -- forces and accelerations in contact -------------------------------------------------------

    @property
    def stick_limits(self) -> tuple[float, float]:
        """Spring extensions between which the gear can stay at rest, m (2.27).

        −(F/k)·tan(γ + ρ0) and (F/k)·tan(ρ0 − γ); the lower one is −∞ for γ + ρ0 ≥ 90°. Here w is positive when the
        spring pulls the lower wedge out; the first line of (2.27) is the case ρ < γ.
        """
        scale = self.load / self.stiffness
        upper = scale * math.tan(self.break_away_angle - self.angle)
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        free = cosine - self.break_away_friction * sine
        lower = -scale * (sine + self.break_away_friction * cosine) / free if free > 0.0 else -math.inf
        return lower, upper

    @property
    def opening_limit(self) -> float:
        """Spring extension (F/k)(m2/m1)·cot γ above which the free wedges separate, m."""
        return self.load / self.stiffness * self.lower_mass / (self.upper_mass * math.tan(self.angle))

    def sliding(self, extension: float, direction: Direction, speed: float = 0.0) -> Sliding:
        r"""Return acceleration and normal force in sliding (2.1–2.20).

        Parameters
        ----------
        extension : float
            Spring extension w, m.
        direction : {"lowering", "lifting"}
            Direction of the motion.
        speed : float
            Sliding speed, magnitude of ġ_T, m/s, at which a law is evaluated; default slow sliding.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.

        Examples
        --------
        >>> import stickslip as ss
        >>> gear = ss.machines.wedge_gear(upper_mass=1.0, lower_mass=1.0, angle=0.2, friction=0.1, load=1.0,
        ...                               stiffness=1.0, pull_velocity=0.1)
        >>> gear.sliding(0.0, "lowering").possible
        True
        """
        sign = direction_sign(direction)
        pull = self.stiffness * checks.finite("extension", extension)
        m1, m2 = self.upper_mass, self.lower_mass
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        friction = float(self.coefficient(speed))
        up = cosine - sign * friction * sine
        out = sine + sign * friction * cosine
        # From g̈_N = 0, without dividing by up = cos(γ ± ρ)/cos ρ, which may vanish or be negative.
        stiffness = m2 * cosine * up + m1 * sine * out
        normal = (self.load * m2 * cosine - pull * m1 * sine) / stiffness
        lower = cosine * (self.load * out + pull * up) / stiffness
        return Sliding(
            normal_force=normal,
            upper_acceleration=-math.tan(self.angle) * lower,
            lower_acceleration=lower,
            tangential_acceleration=-lower / cosine,
            inertia=stiffness / (cosine * up) if up != 0.0 else math.inf,
        )

    def sticking(self, extension: float) -> Sticking:
        """Return the contact forces at rest: λ_N = F·cos γ − k·w·sin γ, λ_T = F·sin γ + k·w·cos γ (4.25).

        Parameters
        ----------
        extension : float
            Spring extension w, m.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        pull = self.stiffness * checks.finite("extension", extension)
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        normal = self.load * cosine - pull * sine
        tangential = self.load * sine + pull * cosine
        limit = self.break_away_friction * normal
        if limit > 0.0:
            utilisation = abs(tangential) / limit
        else:
            utilisation = 0.0 if limit == 0.0 and tangential == 0.0 else math.inf
        return Sticking(normal, tangential, utilisation)

    # -- motion from rest --------------------------------------------------------------------------

    @property
    def break_away_time(self) -> float:
        """Time at which the gear, pulled from rest with the spring relaxed, leaves stick, s (2.34)."""
        lower, upper = self.stick_limits
        if upper <= 0.0:
            return 0.0
        if self.pull_velocity == 0.0:
            return math.inf
        return (upper if self.pull_velocity > 0.0 else lower) / self.pull_velocity

    @cached_property
    def first_motion(self) -> FirstMotion:
        """End of the first stick and possible loss of contact (closed form)."""
        self._need_rigid_flanks()
        return wedge_motion.first_motion(self)

    @property
    def separation_time(self) -> float:
        """Time at which contact is first lost when pulled from rest, s; ∞ if the first slip keeps it."""
        return self.first_motion.separation_time

    @cached_property
    def first_flight(self) -> Flight | None:
        """The first flight after the pull from rest, or None if contact is not lost."""
        return wedge_motion.first_flight(self)

    @property
    def meeting_time(self) -> float:
        """Time at which the wedges meet again after their first separation, s; infinite without one."""
        flight = self.first_flight
        return math.inf if flight is None else self.separation_time + flight.meeting_time()

    @property
    def free_period(self) -> float:
        """Period 2π·sqrt(m2/k) of the lower wedge alone on its spring, s."""
        return 2.0 * math.pi * math.sqrt(self.lower_mass / self.stiffness)

    # -- impacts -----------------------------------------------------------------------------------

    def stick_impact(self, direction: float, speed: float = 1.0) -> StickImpact:
        """Return the Poisson impact whose compression ends in stick.

        Before the impact ġ_N = −v·cos α and ġ_T = −v·sin α. The source prints m1c² + m2s² in the second term of Λ_TC
        (6.9, 6.18) and zero impulses for ε = 0 (6.14), both by mistake; the balance of momentum gives m1s² + m2c², and
        Λ_C for any ε.

        Parameters
        ----------
        direction : float
            Impact direction α, rad, with cos α > 0 (the wedges approach).
        speed : float
            Relative speed v, m/s.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        self._need_rigid_flanks()
        return wedge_motion.stick_impact(self, direction, speed)

    @cached_property
    def chatter_cycle(self) -> ChatterCycle | None:
        """The periodic chatter, or None if there is none.

        It exists if the gear opens without slip, ε = 0, the impact ends in stick, and the spring extension then lies
        within the limits of stick.
        """
        return wedge_motion.chatter_cycle(self)

    # -- the contact problem and the machine -------------------------------------------------------

    def contact_data(
        self, extension: float, velocity: ArrayLike = (0.0, 0.0), gap: float = 0.0
    ) -> ContactData:
        """Return the contact problem in one state, as arrays.

        Parameters
        ----------
        extension : float
            Spring extension w, m.
        velocity : array_like, shape (2,)
            (ẏ1, ẋ2), m/s.
        gap : float
            Gap, m.

        Raises
        ------
        ValueError
            Naming the argument, its value and what is allowed.
        """
        self._need_rigid_flanks()
        pull = self.stiffness * checks.finite("extension", extension)
        speeds = checks.vector("velocity", velocity, 2)
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        return ContactData(
            mass=np.diag([self.upper_mass, self.lower_mass]),
            force=np.array([-self.load, pull]),
            normals=np.array([[cosine, sine]]),
            tangents=np.array([[sine, -cosine]]),
            friction=np.array([self.coefficient(abs(sine * speeds[0] - cosine * speeds[1]))]),
            static_friction=np.array([self.break_away_friction]),
            impulse_friction=np.array([self.impulse_friction]),
            restitution=np.array([self.restitution]),
            gap=np.array([checks.finite("gap", gap)]),
            velocity=speeds,
        )

    def picture(self, run: Trajectory) -> Picture:
        """Picture of a run for animations: both wedges, the spring, and the magnified gap."""
        return flanks(
            run,
            self.angle,
            run["upper.position"],
            run["lower.position"],
            self.pull_velocity * run.t,
            run["flank.gap"],
            ("upper", "lower"),
        )

    @deferred
    def draw(self, ax: Axes | None = None, what: str | None = None, **keywords: Any) -> Axes:
        """Draw the gear: both wedges in their guides, the spring and the load, with its parameters.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default pyplot's current axes where they are empty, or a new figure.
        what : str, optional
            ``"geometry"`` (default), or a value of `what` in `stickslip.Machine.draw`, to draw ``.machine``.
        **keywords
            For bodies and blocks (`matplotlib.patches.Patch`), such as ``facecolor``.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            For any other `what`.
        MissingExtraError
            When matplotlib is not installed.

        Examples
        --------
        >>> import numpy as np, stickslip as ss
        >>> gear = ss.machines.wedge_gear(upper_mass=2420.0, lower_mass=10.878, angle=np.deg2rad(12),
        ...     friction=np.tan(np.deg2rad(14)), load=100.0, stiffness=4000.0, pull_velocity=0.01)
        >>> len(gear.draw().texts) > 10
        True
        """
        raise NotImplementedError

    @cached_property
    def machine(self) -> Machine:
        """The machine that `simulate` runs: coordinates ``upper`` and ``lower``, contact ``flank``.

        It starts in contact, with the spring relaxed and an elastic flank not compressed.
        """
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        machine = Machine(
            mass=[self.upper_mass, self.lower_mass],
            stiffness=[[0.0, 0.0], [0.0, self.stiffness]],
            names=["upper", "lower"],
            force={
                "upper": Constant(-self.load),
                "lower": Ramp(slope=self.stiffness * self.pull_velocity),
            },
        )
        machine.add_contact(
            "flank",
            normal={"upper": cosine, "lower": sine},
            tangent={"upper": sine, "lower": -cosine},
            friction=self._flank.law,
            gap=0.0,
            restitution=self.restitution,
            impact=self.impact,
            compliance=self.compliance,
        )
        return machine


wedge_gear = WedgeGear  # the name that all builders of machines have
