"""Motion of a wedge gear from rest, and its impacts, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stickslip import _checks as checks
from stickslip.machines._flight import Flight
from stickslip.machines.wedge_states import ChatterCycle, Direction, FirstMotion, StickImpact, direction_sign

if TYPE_CHECKING:
    from stickslip.machines.wedge_gear import WedgeGear


@dataclass(frozen=True)
class _Swing:
    """w − centre = amplitude·cos(omega·τ − phase)."""

    centre: float
    amplitude: float
    phase: float
    omega: float


def first_motion(gear: WedgeGear) -> FirstMotion:
    """End of the first stick and possible loss of contact (closed form)."""
    time = gear.break_away_time
    lowering = gear.pull_velocity >= 0.0 or gear.stick_limits[1] <= 0.0
    direction: Direction = "lowering" if lowering else "lifting"
    if math.isinf(time):
        return FirstMotion("never moves", direction, time, 0.0, 0.0, time)
    start = gear.pull_velocity * time
    if lowering and start > gear.opening_limit:
        return FirstMotion("opens at once", direction, time, start, 0.0, time)
    if not gear._flank.constant:
        checks.reject(
            "friction", gear.friction, "a number for slips in closed form; simulate a gear with a law"
        )
    swing = _slip(gear, start, direction)
    # w − w* = A·cos(Ωτ − φ), from the opening condition λ_N = 0 ⇔ w = w_open, or ẋ2 = 0 ⇔ ẇ = v0,
    # whichever first.
    ends = math.pi + 2.0 * swing.phase + (0.0 if lowering else 2.0 * math.pi)
    reach = (gear.opening_limit - swing.centre) / swing.amplitude if swing.amplitude > 0.0 else math.inf
    if reach < 1.0:
        opens = (swing.phase - math.acos(reach)) % (2.0 * math.pi)
        if opens < ends:
            slip = opens / swing.omega
            return FirstMotion("opens after a slip", direction, time, start, slip, time + slip)
    return FirstMotion("slips", direction, time, start, ends / swing.omega, math.inf)


def _slip(gear: WedgeGear, extension: float, direction: Direction) -> _Swing:
    """Spring extension during a slip that starts at rest: (2.25) with w* where ẍ2 = 0."""
    sign = direction_sign(direction)
    inertia = gear.sliding(extension, direction).inertia
    sine, cosine = math.sin(gear.angle), math.cos(gear.angle)
    friction = gear.kinetic_friction
    out = sine + sign * friction * cosine
    centre = -gear.load / gear.stiffness * out / (cosine - sign * friction * sine)
    omega = math.sqrt(gear.stiffness / inertia)
    rate = gear.pull_velocity / omega
    return _Swing(centre, math.hypot(extension - centre, rate), math.atan2(rate, extension - centre), omega)


def first_flight(gear: WedgeGear) -> Flight | None:
    """The first flight after the pull from rest, or None if contact is not lost."""
    motion = gear.first_motion
    if math.isinf(motion.separation_time):
        return None
    lower = 0.0
    extension = motion.extension
    if motion.slip_duration > 0.0:
        swing = _slip(gear, motion.extension, motion.direction)
        angle = swing.omega * motion.slip_duration - swing.phase
        lower = gear.pull_velocity + swing.amplitude * swing.omega * math.sin(angle)
        extension = swing.centre + swing.amplitude * math.cos(angle)
    return Flight(
        sine=math.sin(gear.angle),
        cosine=math.cos(gear.angle),
        fall=gear.load / gear.upper_mass,
        omega=math.sqrt(gear.stiffness / gear.lower_mass),
        pull_velocity=gear.pull_velocity,
        extension=extension,
        upper_velocity=-math.tan(gear.angle) * lower,
        lower_velocity=lower,
    )


def stick_impact(gear: WedgeGear, direction: float, speed: float = 1.0) -> StickImpact:
    """Compute `WedgeGear.stick_impact`."""
    alpha, v = checks.finite("direction", direction), checks.positive("speed", speed)
    if math.cos(alpha) <= 0.0:
        checks.reject("direction", alpha, "a direction of approach, cos(direction) > 0")
    m1, m2 = gear.upper_mass, gear.lower_mass
    sine, cosine = math.sin(gear.angle), math.cos(gear.angle)
    nn, tt = m1 * cosine**2 + m2 * sine**2, m1 * sine**2 + m2 * cosine**2
    nt = sine * cosine * (m1 - m2)
    ca, sa = math.cos(alpha), math.sin(alpha)
    normal, tangential = v * (nn * ca + nt * sa), v * (nt * ca + tt * sa)
    sticks = normal > 0.0 and abs(tangential) <= gear.impulse_friction * normal
    # Expansion with ġ_T = 0: (Λ_NE, Λ_TE) = ġ_NE·(nn, nt). Newton's law sets ġ_NE = ε·v·cos α instead of
    # Λ_NE = ε·Λ_NC.
    gap_velocity = gear.restitution * (normal / nn if gear.impact == "poisson" else v * ca)
    energy = 0.5 * v * (normal * ca + tangential * sa) - 0.5 * nn * gap_velocity**2
    return StickImpact(
        normal_impulse=normal,
        tangential_impulse=tangential,
        sticks=sticks,
        expansion_sticks=abs(nt) <= gear.impulse_friction * nn,
        normal_impulse_expansion=nn * gap_velocity,
        tangential_impulse_expansion=nt * gap_velocity,
        gap_velocity=gap_velocity,
        energy_lost=energy,
    )


def chatter_cycle(gear: WedgeGear) -> ChatterCycle | None:
    """Return the periodic chatter, or None if there is none.

    It exists if the gear opens without slip, ε = 0, the impact ends in stick, and the spring extension then lies within
    the limits of stick.
    """
    flight = gear.first_flight
    if flight is None or gear.first_motion.outcome != "opens at once" or gear.restitution != 0.0:
        return None
    duration = flight.meeting_time()
    upper, lower = flight.velocities(duration)
    sine, cosine = math.sin(gear.angle), math.cos(gear.angle)
    normal, tangential = cosine * upper + sine * lower, sine * upper - cosine * lower
    alpha, speed = math.atan2(-tangential, -normal), math.hypot(normal, tangential)
    extension = flight.spring(duration)
    low, high = gear.stick_limits
    if not (math.cos(alpha) > 0.0 and low <= extension <= high):
        return None
    impact = stick_impact(gear, alpha, speed)
    if not impact.sticks:
        return None
    stuck = (high - extension) / gear.pull_velocity
    return ChatterCycle(
        gear.separation_time,
        gear.separation_time + duration,
        duration,
        stuck,
        duration + stuck,
        alpha,
        speed,
        impact,
    )
