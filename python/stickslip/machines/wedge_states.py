"""Results of the methods of a wedge gear: states and motions in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stickslip import _checks as checks

Direction = Literal["lowering", "lifting"]
Outcome = Literal["opens at once", "opens after a slip", "slips", "never moves"]


def direction_sign(direction: str) -> int:
    """Sign of the tangential velocity ġ_T: +1 when lifting, −1 when lowering."""
    return 1 if checks.choice("direction", direction, ("lowering", "lifting")) == "lifting" else -1


@dataclass(frozen=True)
class Sliding:
    """Motion of the gear in sliding, for one direction.

    Attributes
    ----------
    normal_force : float
        λ_N, N. Sliding is possible only where it is not negative.
    upper_acceleration, lower_acceleration : float
        ÿ1 and ẍ2, m/s².
    tangential_acceleration : float
        g̈_T, m/s²; sliding accelerates if it has the sign of ġ_T.
    inertia : float
        Effective mass m2 + m1·tan γ·tan(γ ± ρ) in front of ẍ2, kg; negative where the gear chatters.
    """

    normal_force: float
    upper_acceleration: float
    lower_acceleration: float
    tangential_acceleration: float
    inertia: float

    @property
    def possible(self) -> bool:
        """True if the contact can stay closed in this motion (λ_N ≥ 0)."""
        return self.normal_force >= 0.0


@dataclass(frozen=True)
class Sticking:
    """Contact forces that hold the gear at rest.

    Attributes
    ----------
    normal_force, tangential_force : float
        λ_N and λ_T, N.
    utilisation : float
        |λ_T|/(μ0·λ_N): break-away at 1; infinite where the normal force is not positive.
    """

    normal_force: float
    tangential_force: float
    utilisation: float


@dataclass(frozen=True)
class FirstMotion:
    """End of the first stick of the gear when it is pulled from rest with a relaxed spring.

    Attributes
    ----------
    outcome : str
        ``"opens at once"`` (stick → separation), ``"opens after a slip"``, ``"slips"`` (contact kept until it
        sticks again) or ``"never moves"``.
    direction : str
        ``"lowering"`` or ``"lifting"``.
    time, extension : float
        Time of break-away, s, and spring extension w then, m.
    slip_duration : float
        Duration of the first slip, s: until the contact opens or sticks again; 0 if it opens at once.
    separation_time : float
        Time at which the contact opens, s; infinite if it does not.
    """

    outcome: Outcome
    direction: Direction
    time: float
    extension: float
    slip_duration: float
    separation_time: float


@dataclass(frozen=True)
class StickImpact:
    """Frictional impact of the two wedges that ends its compression in stick (closed form).

    Attributes
    ----------
    normal_impulse, tangential_impulse : float
        Impulses Λ_NC, Λ_TC of the compression, Ns.
    sticks : bool
        True if |Λ_TC| ≤ μ·Λ_NC, so that compression ends in stick; otherwise the other values are not valid.
    expansion_sticks : bool
        True if the expansion keeps ġ_T = 0.
    normal_impulse_expansion, tangential_impulse_expansion : float
        Impulses Λ_NE, Λ_TE of the expansion, Ns.
    gap_velocity : float
        ġ_N after the impact, m/s; ġ_T is zero. Zero for ε = 0: the gear stays in stick.
    energy_lost : float
        Kinetic energy lost, J.
    """

    normal_impulse: float
    tangential_impulse: float
    sticks: bool
    expansion_sticks: bool
    normal_impulse_expansion: float
    tangential_impulse_expansion: float
    gap_velocity: float
    energy_lost: float


@dataclass(frozen=True)
class ChatterCycle:
    """The periodic chatter of a gear with ε = 0: stick, flight, impact that ends in stick.

    Attributes
    ----------
    separation_time, meeting_time : float
        First separation and first meeting, s.
    flight, stuck, period : float
        Duration of flight and stick in one cycle and their sum, s.
    impact_direction : float
        Direction α of the relative velocity at the meeting, rad.
    impact_speed : float
        Size of that velocity, m/s.
    impact : StickImpact
        The impact.
    """

    separation_time: float
    meeting_time: float
    flight: float
    stuck: float
    period: float
    impact_direction: float
    impact_speed: float
    impact: StickImpact
