"""What can be said about a run, a law or a machine."""

from stickslip.analysis.cycles import LimitCycle, limit_cycle
from stickslip.analysis.describing import PredictedCycle, describing_function, harmonic_balance
from stickslip.analysis.linear import (
    FrequencyResponse,
    TwoMassResonance,
    cascade_matrices,
    cascade_poles,
    closed_loop,
    closed_loop_poles,
    frequency_response,
    two_mass_matrices,
    two_mass_resonance,
)
from stickslip.analysis.passivity import ExtractableEnergy, Passivity, extractable_energy, passivity
from stickslip.analysis.tracking import FollowingError, Settling, Stops, following_error, settling, stops

__all__ = [
    "ExtractableEnergy",
    "FollowingError",
    "FrequencyResponse",
    "LimitCycle",
    "Passivity",
    "PredictedCycle",
    "Settling",
    "Stops",
    "TwoMassResonance",
    "cascade_matrices",
    "cascade_poles",
    "closed_loop",
    "closed_loop_poles",
    "describing_function",
    "extractable_energy",
    "following_error",
    "frequency_response",
    "harmonic_balance",
    "limit_cycle",
    "passivity",
    "settling",
    "stops",
    "two_mass_matrices",
    "two_mass_resonance",
]
