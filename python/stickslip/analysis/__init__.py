"""Analyses of runs, laws and machines."""

from stickslip.analysis.auditing import Audit, Finding, audit
from stickslip.analysis.chattering import ChatterMap, chatter_map
from stickslip.analysis.clearance import CounterFlankMap, counter_flank_map
from stickslip.analysis.cycles import LimitCycle, limit_cycle
from stickslip.analysis.describing import (
    PredictedCycle,
    PredictedCycles,
    describing_function,
    harmonic_balance,
)
from stickslip.analysis.extractable import ExtractableEnergy, extractable_energy
from stickslip.analysis.maps import ImpactMap, Region, StateMap, impact_map, state_map
from stickslip.analysis.passive import Counterexample, Passivity, Storage, passivity
from stickslip.analysis.resonance import TwoMassResonance, two_mass_resonance
from stickslip.analysis.resting import EquilibriumSet, equilibria, equilibrium_intervals
from stickslip.analysis.reversal import ReversalError, reversal_error
from stickslip.analysis.stuck import StuckFractionMap, stuck_fraction_map
from stickslip.analysis.tracking import FollowingError, Settling, Stops, following_error, settling, stops

__all__ = [
    "Audit",
    "ChatterMap",
    "CounterFlankMap",
    "Counterexample",
    "EquilibriumSet",
    "ExtractableEnergy",
    "Finding",
    "FollowingError",
    "ImpactMap",
    "LimitCycle",
    "Passivity",
    "PredictedCycle",
    "PredictedCycles",
    "Region",
    "ReversalError",
    "Settling",
    "StateMap",
    "Stops",
    "Storage",
    "StuckFractionMap",
    "TwoMassResonance",
    "audit",
    "chatter_map",
    "counter_flank_map",
    "describing_function",
    "equilibria",
    "equilibrium_intervals",
    "extractable_energy",
    "following_error",
    "harmonic_balance",
    "impact_map",
    "limit_cycle",
    "passivity",
    "reversal_error",
    "settling",
    "state_map",
    "stops",
    "stuck_fraction_map",
    "two_mass_resonance",
]


def __dir__() -> list[str]:
    return sorted(__all__)
